"""A bot of Vierer that lives off the throw window."""

import numpy as np

from sim.chance import pick
from sim.compiled import kernel
from sim.contract import Parameter, bot
from sim.games.vierer.bots import hand_value, recall, value, worst_slot
from sim.games.vierer.engine import count_legal, is_match, nth_legal, place, seat_of, slot_of
from sim.games.vierer.spec import (
    ACT_DISCARD,
    ACT_PASS,
    ACT_STOCK,
    ACT_THROW_AWAY,
    CARD_NONE,
    PHASE_DRAW,
    PHASE_KEEP,
    PHASE_KNOCK,
    PHASE_SPECIAL,
    PHASE_TAKE,
    PHASE_THROW,
)
from sim.memory import MEMORY

KNOCK = 1  # the place of `knock` in view.parameters; `memory` is in place 0


@kernel
def remembered_match(view):
    """Find a card that may be thrown, is remembered and matches the top discard; else pass."""
    for nth in range(1, count_legal(view)):  # 0 is the pass
        action = nth_legal(view, nth)
        card = recall(view, seat_of(action), slot_of(action))
        if card != CARD_NONE and is_match(view.rules, view.top, card):
            return action
    return np.int64(ACT_PASS)


@bot(
    MEMORY,
    Parameter("knock", 8.0, -10.0, 200.0, "knocks when its expected sum is at most this", "points"),
)
def thrower(view):
    """Throws every match that it remembers, keeps low cards, and knocks with a low hand."""
    me = np.int64(view.seat)
    if view.phase == PHASE_THROW:
        return remembered_match(view)
    if view.phase == PHASE_KNOCK:
        return np.int64(hand_value(view, me) <= view.parameters[KNOCK])
    worst = worst_slot(view, -1)  # -1 where it has no card
    if view.phase == PHASE_DRAW:
        saves = value(view, me, worst) - view.rules.points_of[view.top]
        return np.int64(ACT_DISCARD if saves > 4.0 else ACT_STOCK)
    if view.phase == PHASE_KEEP and view.rules.points_of[view.drawn] >= value(view, me, worst):
        return np.int64(ACT_THROW_AWAY)
    if view.phase == PHASE_TAKE and value(view, view.place_seat, view.place_slot) >= value(view, me, worst):
        return np.int64(ACT_PASS)
    if view.phase != PHASE_SPECIAL:
        return place(me, worst)
    return nth_legal(view, pick(view.word, count_legal(view)))  # a special: any use of it, or none
