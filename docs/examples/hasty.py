"""A bot of Vierer with a mistake in it, to see what becomes of one."""

import numpy as np

from sim.contract import bot
from sim.games.vierer.engine import place
from sim.games.vierer.spec import ACT_KNOCK, ACT_PASS, PHASE_KEEP, PHASE_KNOCK, PHASE_SWAP


@bot()
def hasty(view):
    """Puts every card it draws in place of its last one, and knocks in its third turn."""
    if view.phase == PHASE_SWAP or view.phase == PHASE_KEEP:
        # The mistake: thrown cards leave gaps, and this may be one.
        last = np.int64(view.counts[view.seat]) - 1
        return place(view.seat, last)
    if view.phase == PHASE_KNOCK and view.turns_taken[view.seat] >= 2:
        return np.int64(ACT_KNOCK)
    return np.int64(ACT_PASS)
