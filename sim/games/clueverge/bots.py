"""The bots of Clueverge: a bot is `decide(view) -> action`, and its VIEW is all it gets.

What they make of other worlds is in `belief`, plans of several looks are in `lookahead`.
"""

import numpy as np

from sim.chance import pick, word_at
from sim.compiled import kernel
from sim.contract import Parameter, bot
from sim.games.clueverge.belief import (
    GROUPS,
    best_beside,
    best_target,
    find_chances,
    first_cell,
    foresee,
    is_in,
    read_declarations,
    wait_value,
    weigh_looks,
)
from sim.games.clueverge.engine import count_legal, nth_legal
from sim.games.clueverge.lookahead import MOST_LOOKS, plan_look, within_reach
from sim.games.clueverge.signals import code_of, decider_of, decode
from sim.games.clueverge.spec import (
    ACT_DECLARE,
    ACT_OTHER,
    CELLS,
    FACE_NONE,
    MODE_COMPETITIVE,
    MODE_COOP,
    MODE_SOLO,
    NOWHERE,
    PHASE_PLACE,
    TARGETS,
)
from sim.games.clueverge.worlds import list_worlds, room_for

_SAMPLES, _CONFIDENCE = 0, 1  # places of parameters; the confidence of one and of two declared follow
_SHARPNESS, _HASTE = 4, 5
_AHEAD = 0
_U1 = np.uint64(1)
_CELLS = np.uint64((1 << CELLS) - 1)
_SAMPLING, _READING, _PUBLIC_KEY = 1, 2, 0x436C7565  # what a word is for

_SAMPLES_PARAMETER = Parameter(
    "samples", 256, 1, 15_120, "other worlds that it draws where there are more", "worlds", is_whole=True
)
_SURE = (0.33, 0.25, 0.2)  # how sure one should be to declare, while nobody, one, more have
_CONFIDENT = np.array(_SURE)
_CONFIDENCES = (
    Parameter(
        "confidence", _SURE[0], 0.0, 1.0, "against others: declares if it is so sure, while nobody has", "chance"
    ),
    Parameter("confidence_1", _SURE[1], 0.0, 1.0, "the same when one has declared", "chance"),
    Parameter("confidence_2", _SURE[2], 0.0, 1.0, "the same when two have declared", "chance"),
)


@bot(name="random")
def random(view):
    """Picks uniformly among the legal actions and looks at nothing else."""
    return nth_legal(view, pick(view.word, count_legal(view)))


# ── Reading the list of legal actions ────────────────────────────────────────────────────────────────────────────────


@kernel
def _own_cells(view):
    """Give the cells where the own pawn may be laid, a bit each."""
    return np.uint64(view.legal) & _CELLS


@kernel
def _other_cells(view):
    """Give the cells that may be turned up or where an unused pawn may be laid, a bit each."""
    return (np.uint64(view.legal) >> np.uint64(ACT_OTHER)) & _CELLS


@kernel
def _taken(view):
    """Give the targets that can be declared on no more, a bit each: those with a standing pawn, if it is in the way."""
    taken = np.uint64(0)
    if view.rules.mode == MODE_COMPETITIVE:
        for seat in range(view.rules.seats):
            if view.declared_turn[seat] != 0:
                taken |= _U1 << np.uint64(view.pawns[seat])
    return taken


@kernel
def _may_declare(view):
    """Say whether the seat may declare."""
    return np.uint64(view.legal) >> np.uint64(ACT_DECLARE) != 0


@kernel
def _declared_count(view):
    """Count the seats that have declared."""
    return np.int64(view.rules.seats) - np.int64(view.undeclared)


@kernel
def _confidences(view):
    """Give what a logician or a reader has as its `confidence`, `confidence_1` and `confidence_2`."""
    return view.parameters[_CONFIDENCE : _CONFIDENCE + 3]


# ── Deciding on weighted worlds ──────────────────────────────────────────────────────────────────────────────────────


@kernel
def _decide(view, boards, targets, weights, confidences):
    """Decide by what the worlds say: look where it tells most, or declare.

    Against others it declares if it is as sure as `confidences` says for so many that have declared: none, one, more.
    """
    taken = _taken(view)
    chances = np.empty(TARGETS)
    find_chances(targets, weights, chances)
    target, chance = best_target(chances, taken)
    if view.rules.mode != MODE_COMPETITIVE:
        return _decide_together(view, boards, targets, weights, target)
    closed = ~np.uint64(view.open) & _CELLS
    values = np.empty(CELLS)
    if view.phase == PHASE_PLACE:
        cell = weigh_looks(boards, targets, weights, _own_cells(view) & closed, taken, values)
        return cell if cell >= 0 else nth_legal(view, pick(view.word, count_legal(view)))
    cell = weigh_looks(boards, targets, weights, _own_cells(view) & closed, taken, values)
    if cell < 0:
        return ACT_DECLARE + target
    # The last of two may look once more before it must declare: nobody can get ahead of it.
    declared = min(_declared_count(view), 2)
    if view.undeclared > 1 and chance >= confidences[declared]:
        return ACT_DECLARE + target
    return cell


@kernel
def _decide_together(view, boards, targets, weights, target):
    """Look while there are pawns to lay, where it tells most; then declare. Unused pawns come first."""
    closed = _unknown_cells(view.known)
    own, others = _own_cells(view) & closed, _other_cells(view) & closed
    values = np.empty(CELLS)
    cell = weigh_looks(boards, targets, weights, own | others, np.uint64(0), values)
    return _lay_on(view, cell, others) if cell >= 0 else _declare_or_lay(view, target)


@kernel
def _lay_on(view, cell, others):
    """Lay a pawn on a cell: an unused one if it may be one of the `others`."""
    return ACT_OTHER + cell if is_in(others, cell) else cell


@kernel
def _declare_or_lay(view, target):
    """Declare on a target or, where that is not allowed yet, lay the own pawn anywhere."""
    return ACT_DECLARE + target if _may_declare(view) else nth_legal(view, pick(view.word, count_legal(view)))


@bot(_SAMPLES_PARAMETER, *_CONFIDENCES)
def logician(view):
    """Finds how likely each target is by other worlds that fit what it sees; looks where that tells it most."""
    samples = np.int64(view.parameters[_SAMPLES])
    boards, targets = np.empty(room_for(samples), np.uint64), np.empty(room_for(samples), np.uint8)
    key = word_at(view.word, _SAMPLING)
    count = list_worlds(view.known, view.scene_cell, view.rules, samples, key, boards, targets)
    return _decide(view, boards[:count], targets[:count], np.full(count, 1.0 / count), _confidences(view))


@bot(
    _SAMPLES_PARAMETER,
    Parameter("confidence", _SURE[0], 0.0, 1.0, "against others: thinks that who declares first is so sure", "chance"),
    Parameter("confidence_1", _SURE[1], 0.0, 1.0, "the same of the second", "chance"),
    Parameter("confidence_2", _SURE[2], 0.0, 1.0, "the same of those after it", "chance"),
    Parameter("sharpness", 8.0, 0.0, 100.0, "how surely others declare on what seems best to them"),
    Parameter("haste", 0.05, -1.0, 1.0, "against others: declares unless waiting is worth so much more", "chance"),
)
def reader(view):
    """A logician that reads what others declared on, and foresees who will declare before its next turn."""
    samples = np.int64(view.parameters[_SAMPLES])
    boards, targets = np.empty(room_for(samples), np.uint64), np.empty(room_for(samples), np.uint8)
    key = word_at(view.word, _SAMPLING)
    count = list_worlds(view.known, view.scene_cell, view.rules, samples, key, boards, targets)
    boards, targets, weights = boards[:count], targets[:count], np.full(count, 1.0 / count)
    room = room_for(4 * samples)
    pool, pool_targets = np.empty(room, np.uint64), np.empty(room, np.uint8)
    key = word_at(view.word, _READING)
    count = list_worlds(view.faces, view.scene_cell, view.rules, 4 * samples, key, pool, pool_targets)
    pool, pool_targets = pool[:count], pool_targets[:count]
    read_declarations(view, pool, pool_targets, view.parameters[_SHARPNESS], boards, weights)
    if view.rules.mode != MODE_COMPETITIVE or view.phase == PHASE_PLACE or view.undeclared == 1:
        return _decide(view, boards, targets, weights, _confidences(view))
    return _race(view, boards, targets, weights, pool, pool_targets)


@kernel
def _race(view, boards, targets, weights, pool, pool_targets):
    """Declare if no look promises more, with what others will have declared on by the next turn."""
    chances = np.empty(TARGETS)
    find_chances(targets, weights, chances)
    taken_now = _taken(view)
    target, chance = best_target(chances, taken_now)
    confidences = _confidences(view)
    left = np.int64(view.pawns[view.seat])
    shown = left if view.faces[left] == FACE_NONE else -1
    taken = np.full(len(boards), taken_now)
    foresee(view, pool, pool_targets, shown, confidences, boards, taken)
    sums, most = np.zeros((GROUPS, TARGETS)), np.zeros(GROUPS)
    closed = ~np.uint64(view.open) & _CELLS
    best, value = np.int64(ACT_DECLARE + target), chance + view.parameters[_HASTE]
    for cell in range(CELLS):
        if is_in(_own_cells(view) & closed, cell):
            gain = wait_value(boards, targets, weights, cell, taken, sums, most)
            if gain > value:
                best, value = np.int64(cell), gain
    if shown < 0:
        return best
    # The card under the pawn stays covered where another one is turned up instead.
    for cell in range(CELLS):
        if is_in(_other_cells(view), cell):
            taken[:] = taken_now
            foresee(view, pool, pool_targets, cell, confidences, boards, taken)
            gain = wait_value(boards, targets, weights, cell, taken, sums, most)
            if gain > value:
                best, value = np.int64(ACT_OTHER + cell), gain
    return best


# ── Alone ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@bot(
    Parameter(
        "ahead",
        MOST_LOOKS,
        1,
        MOST_LOOKS,
        "alone: looks that it plans ahead, each seen before the next",
        "looks",
        is_whole=True,
    )
)
def solver(view):
    """Alone, plans all its looks ahead over every world there is; with others it is a logician that lists all."""
    boards, targets = np.empty(room_for(0), np.uint64), np.empty(room_for(0), np.uint8)
    count = list_worlds(view.known, view.scene_cell, view.rules, 0, np.uint64(_PUBLIC_KEY), boards, targets)
    boards, targets = boards[:count], targets[:count]
    if view.rules.mode != MODE_SOLO:
        return _decide(view, boards, targets, np.full(count, 1.0 / count), _CONFIDENT)
    return _decide_alone(view, view.known, boards, targets, np.int64(view.parameters[_AHEAD]))


@kernel
def _unknown_cells(known):
    """Give the cells whose face is not known, a bit each."""
    cells = np.uint64(0)
    for cell in range(CELLS):
        if known[cell] == FACE_NONE:
            cells |= _U1 << np.uint64(cell)
    return cells


@kernel
def _decide_alone(view, known, boards, targets, ahead):
    """Look by the best plan while there are pawns to lay; then declare."""
    closed = _unknown_cells(known)
    own, others = _own_cells(view) & closed, _other_cells(view) & closed
    looks = np.int64(view.unused) + (view.pawns[view.seat] == NOWHERE)
    if own | others == 0:
        chances = np.empty(TARGETS)
        find_chances(targets, np.ones(len(targets)), chances)
        target, _ = best_target(chances, np.uint64(0))
        return _declare_or_lay(view, target)
    ahead = within_reach(len(boards), own | others, min(ahead, looks))
    cell, _ = plan_look(boards, targets, own | others, ahead)
    return _lay_on(view, cell, others)


# ── Together ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@bot()
def partner(view):
    """Together with its like, declares in code, which tells the last one what it saw; else it is like a logician."""
    known = view.known.copy()
    if view.rules.mode == MODE_COOP:
        decode(view, known)
    boards, targets = np.empty(room_for(0), np.uint64), np.empty(room_for(0), np.uint8)
    count = list_worlds(known, view.scene_cell, view.rules, 0, np.uint64(_PUBLIC_KEY), boards, targets)
    boards, targets = boards[:count], targets[:count]
    weights = np.full(count, 1.0 / count)
    if view.rules.mode == MODE_SOLO:
        return _decide_alone(view, known, boards, targets, np.int64(1))
    if view.rules.mode == MODE_COMPETITIVE:
        return _decide(view, boards, targets, weights, _CONFIDENT)
    if view.seat == decider_of(view):
        return _decide_last(view, known, boards, targets)
    if view.pawns[view.seat] == NOWHERE:
        return _lay_beside(view, known, _own_cells(view), boards, targets)
    code = code_of(view, np.int64(view.seat))
    return (
        ACT_DECLARE + code if _may_declare(view) and code >= 0 else _decide(view, boards, targets, weights, _CONFIDENT)
    )


@kernel
def _decide_last(view, known, boards, targets):
    """Look with the unused pawns, then with the own, by a plan when all have told; declare on what all have seen."""
    own, others = _own_cells(view), _other_cells(view)
    if view.undeclared == 1 or own | others == 0:
        return _decide_alone(view, known, boards, targets, np.int64(MOST_LOOKS))
    if others != 0:
        return ACT_OTHER + _lay_beside(view, known, others, boards, targets)
    return _lay_beside(view, known, own, boards, targets)


@kernel
def _lay_beside(view, known, cells, boards, targets):
    """Find the cell that tells most together with those that others look at, whose faces will be told."""
    closed = np.uint64(0)
    looked = np.zeros(CELLS, np.int64)
    count = 0
    for cell in range(CELLS):
        if known[cell] == FACE_NONE:
            is_looked = False
            for seat in range(view.rules.seats):
                is_looked |= view.looks[seat, cell] != 0
            if is_looked and count < 3:
                looked[count] = cell
                count += 1
            elif not is_looked:
                closed |= _U1 << np.uint64(cell)
    best = best_beside(boards, targets, looked[:count], cells & closed)
    return best if best >= 0 else first_cell(cells)


BOTS = {each.name: each for each in (reader, logician, partner, solver, random)}
