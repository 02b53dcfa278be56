"""Bots of Four Corner Detective."""

import numpy as np

from sim.contract import bot
from sim.games.four_corner.engine import write


@bot(name="random")
def random(view):
    """Feels nothing and writes one of the 256 answers, all alike: each takes 15 s."""
    return write(view.word >> np.uint64(56))


BOTS = {each.name: each for each in (random,)}
