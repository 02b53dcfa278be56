"""What a bot of Clueverge makes of listed worlds: how likely each target is, what a look is worth, what others know.

Worlds are two lists, boards and targets (see `worlds`), with the weight of each; weights sum up to 1.
"""

import numpy as np

from sim.compiled import kernel
from sim.games.clueverge.spec import CELLS, FACE_NONE, FACES, TARGETS
from sim.games.clueverge.worlds import face_in

_U1 = np.uint64(1)
_MOST_READ = 2  # cells of one seat that are read together: those it looked at last


@kernel
def is_in(cells, cell):
    """Say whether a cell, or a target, is in a set."""
    return (np.uint64(cells) >> np.uint64(cell)) & _U1 != 0


@kernel
def find_chances(targets, weights, chances):
    """Say how likely the culprit is on each target (modifies `chances`, 17)."""
    chances[:] = 0.0
    for index in range(len(targets)):
        chances[targets[index]] += weights[index]


@kernel
def best_target(chances, taken):
    """Find the likeliest target that is not taken; gives it and its chance."""
    best, most = np.int64(-1), -1.0
    for target in range(TARGETS):
        if not is_in(taken, target) and chances[target] > most:
            best, most = np.int64(target), chances[target]
    return best, most


@kernel
def look_value(boards, targets, weights, cell, taken, sums, most):
    """Say how likely the best target will be, on average, when the face of a cell is known.

    `sums` (FACES x TARGETS) and `most` (FACES) are zero before and after.
    """
    value = 0.0
    for index in range(len(boards)):
        target = targets[index]
        if not is_in(taken, target):
            face = face_in(boards[index], cell)
            total = sums[face, target] + weights[index]
            sums[face, target] = total
            if total > most[face]:
                value += total - most[face]
                most[face] = total
    for index in range(len(boards)):
        face = face_in(boards[index], cell)
        sums[face, targets[index]] = 0.0
        most[face] = 0.0
    return value


@kernel
def weigh_looks(boards, targets, weights, cells, taken, values):
    """Say what looking at each of the `cells` is worth (see `look_value`; modifies `values`); gives the best of them.

    There is none, -1, if there are no cells.
    """
    sums, most = np.zeros((FACES, TARGETS)), np.zeros(FACES)
    best = np.int64(-1)
    for cell in range(CELLS):
        values[cell] = -1.0
        if is_in(cells, cell):
            values[cell] = look_value(boards, targets, weights, cell, taken, sums, most)
            if best < 0 or values[cell] > values[best]:
                best = np.int64(cell)
    return best


@kernel
def first_cell(cells):
    """Give the first cell of a set, 0 if it is empty."""
    for cell in range(CELLS):
        if is_in(cells, cell):
            return cell
    return 0


@kernel
def best_beside(boards, targets, looked, cells):
    """Find which of the `cells` tells most together with the up to three that are `looked` at; -1 if there is none.

    All their faces will be known to whoever declares. Boards are counted, each as likely.
    """
    ranks = np.zeros(FACES, np.int64)
    kinds = _rank_faces(boards, looked, cells, ranks)
    keys = np.zeros(len(boards), np.int64)
    for index in range(len(boards)):
        for cell in looked:
            keys[index] = kinds * keys[index] + ranks[face_in(boards[index], cell)]
    counts = np.zeros((kinds ** (len(looked) + 1), TARGETS), np.int32)
    most = np.zeros(len(counts), np.int32)
    best, value = np.int64(-1), np.int64(-1)
    for cell in range(CELLS):
        if is_in(cells, cell):
            found = np.int64(0)
            for index in range(len(boards)):
                key, target = kinds * keys[index] + ranks[face_in(boards[index], cell)], targets[index]
                counts[key, target] += 1
                if counts[key, target] > most[key]:
                    most[key] += 1
                    found += 1
            counts[:] = 0
            most[:] = 0
            if found > value:
                best, value = np.int64(cell), found
    return best


@kernel
def _rank_faces(boards, looked, cells, ranks):
    """Number the faces that lie in some cells (modifies `ranks`); gives how many there are."""
    is_there = np.zeros(FACES, np.bool_)
    for index in range(len(boards)):
        for cell in looked:
            is_there[face_in(boards[index], cell)] = True
        for cell in range(CELLS):
            if is_in(cells, cell):
                is_there[face_in(boards[index], cell)] = True
    kinds = 0
    for face in range(FACES):
        ranks[face] = kinds
        kinds += is_there[face]
    return kinds


# ── What others know ─────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def private_cells(view, seat, cells):
    """List the cells whose face a seat has seen and that are still face down for all, the last first; how many."""
    count = 0
    before = np.int64(1 << 16)
    while True:
        latest, found = np.int64(0), np.int64(-1)
        for cell in range(CELLS):
            turn = np.int64(view.looks[seat, cell])
            if latest < turn < before and view.faces[cell] == FACE_NONE:
                latest, found = turn, np.int64(cell)
        if found < 0:
            return count
        cells[count] = found
        count += 1
        before = latest


@kernel
def _key_of(board, cells, count):
    """Give the faces of up to two cells as one number."""
    key = face_in(board, cells[0])
    return FACES * key + face_in(board, cells[1]) if count > 1 else key


@kernel
def read_declarations(view, pool, pool_targets, sharpness, boards, weights):
    """Weigh worlds by what others declared on: as if on what seemed best to them, with the cards that they had seen.

    `pool` are worlds that agree with what all know, `pool_targets` where the culprit is there. A target that seemed
    worse than the best one by some chance was declared on (1 + sharpness x chance / 4) ** -4 times as often. Modifies
    `weights`.
    """
    cells = np.zeros(CELLS, np.int64)
    sums, likely = np.empty((FACES * FACES, TARGETS)), np.empty(FACES * FACES)
    for seat in range(np.int64(view.rules.seats)):
        seen = min(private_cells(view, seat, cells), _MOST_READ)
        if seat == view.seat or seen == 0 or view.declared_turn[seat] == 0:
            continue
        _sum_up(pool, pool_targets, cells, seen, sums)
        for key in range(len(sums)):
            total, best = sums[key].sum(), sums[key].max()  # whole numbers
            worse = (best - sums[key, view.pawns[seat]]) / total if total > 0 else 0.0
            # Close to e ** (-sharpness * worse), with nothing that differs between machines.
            root = 1.0 / (1.0 + 0.25 * sharpness * worse)
            likely[key] = root * root * root * root
        for index in range(len(boards)):
            weights[index] *= likely[_key_of(boards[index], cells, seen)]
    total = 0.0
    for index in range(len(boards)):
        total += weights[index]
    for index in range(len(boards)):
        weights[index] /= total


@kernel
def _sum_up(pool, pool_targets, cells, count, sums):
    """Count the worlds of each target by the faces in some cells (modifies `sums`)."""
    sums[:] = 0.0
    for index in range(len(pool)):
        sums[_key_of(pool[index], cells, count), pool_targets[index]] += 1.0


@kernel
def foresee(view, pool, pool_targets, shown, confidences, boards, taken):
    """Foresee in each of some worlds on what others will have declared when the seat is in turn again.

    Each of them knows what all know, the card under its pawn, and the face of the cell `shown` (-1: none), which the
    seat is about to turn up; it declares on the likeliest target that is free if it is as sure as `confidences` says
    for so many that have declared. Modifies `taken`, the targets with a standing pawn in each world, a bit each.
    """
    seats = np.int64(view.rules.seats)
    cells = np.zeros(CELLS, np.int64)
    sums = np.empty((FACES * FACES, TARGETS))
    declared = np.full(len(boards), seats - np.int64(view.undeclared))
    seat = np.int64(view.seat)
    for _ in range(seats - 1):
        seat = seat + 1 if seat + 1 < seats else 0
        if view.declared_turn[seat] != 0:
            continue
        seen = min(private_cells(view, seat, cells), 1)
        if shown >= 0:
            cells[seen] = shown
            seen += 1
        if seen == 0:
            cells[0] = view.scene_cell if view.faces[view.scene_cell] != FACE_NONE else _open_cell(view)
            seen = 1
        _sum_up(pool, pool_targets, cells, seen, sums)
        for index in range(len(boards)):
            _declare_in(sums[_key_of(boards[index], cells, seen)], confidences, index, declared, taken)


@kernel
def _open_cell(view):
    """Give a cell that is face up, 0 if there is none: its face tells nobody anything."""
    for cell in range(CELLS):
        if view.faces[cell] != FACE_NONE:
            return cell
    return 0


@kernel
def _declare_in(chances, confidences, index, declared, taken):
    """Let somebody declare in one world if it is sure enough (modifies `declared` and `taken`)."""
    best, most, total = 0, 0.0, 0.0
    for target in range(TARGETS):
        total += chances[target]
        if chances[target] > most and not is_in(taken[index], target):
            best, most = target, chances[target]
    if most > 0.0 and most >= confidences[min(declared[index], len(confidences) - 1)] * total:
        taken[index] |= _U1 << np.uint64(best)
        declared[index] += 1


@kernel
def wait_value(boards, targets, weights, cell, taken, sums, most):
    """Say how likely the seat will be right in its next turn, on average, if it sees the face of a cell now.

    `taken` are the targets that will be taken by then in each world; it sees them, and learns by them. `sums` (GROUPS x
    TARGETS) and `most` (GROUPS) are zero before and after.
    """
    value = 0.0
    for index in range(len(boards)):
        target = targets[index]
        if not is_in(taken[index], target):
            group = _group_of(boards[index], cell, taken[index])
            total = sums[group, target] + weights[index]
            sums[group, target] = total
            if total > most[group]:
                value += total - most[group]
                most[group] = total
    for index in range(len(boards)):
        group = _group_of(boards[index], cell, taken[index])
        sums[group, targets[index]] = 0.0
        most[group] = 0.0
    return value


GROUPS = 64 * FACES


@kernel
def _group_of(board, cell, taken):
    """Number what a seat can see: the face of a cell and what is taken; two in a hundred may share a number."""
    mixed = (np.uint64(taken) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(58)
    return 64 * face_in(board, cell) + np.int64(mixed)
