"""Looks at cards planned ahead, for who plays alone: the best that can be done, if all worlds are listed."""

import numpy as np

from sim.compiled import kernel
from sim.games.clueverge.belief import is_in
from sim.games.clueverge.spec import CELLS, FACES, TARGETS
from sim.games.clueverge.worlds import face_in

MOST_LOOKS = 4
_MOST_STEPS = 30_000_000  # of a plan: four looks at eight hidden cards take 25 millions, a tenth of a second
_U1 = np.uint64(1)


@kernel
def within_reach(worlds, cells, ahead):
    """Give how many looks can be planned ahead, `ahead` at most, before it takes too long: one at least."""
    count = 0
    for cell in range(CELLS):
        count += is_in(cells, cell)
    steps = worlds
    for look in range(ahead):
        steps *= max(1, count - look)
        if steps > _MOST_STEPS and look > 0:
            return look
    return ahead


@kernel
def plan_look(boards, targets, cells, ahead):
    """Find the cell to look at first with `ahead` looks left, each seen before the next: gives it and its value.

    The value is the number of worlds in which the culprit is found, when the likeliest target is declared at the end.
    `cells` may be looked at, a bit each.

    A level is a look: it takes its worlds, tries each cell for it, and hands those of each face that may be seen there
    down to the next level. The last level counts at once.
    """
    order = np.empty((ahead, len(boards)), np.int64)  # the worlds of each level, sorted as they were parted
    order[0] = np.arange(len(boards))
    counts, most = np.zeros((FACES, TARGETS), np.int64), np.zeros(FACES, np.int64)
    starts = np.zeros((ahead, FACES + 1), np.int64)  # where the worlds of each face begin, after a look
    face, found = np.full(ahead, FACES, np.int64), np.full(ahead, -1, np.int64)  # of the cell that is tried
    cell, best, value = np.full(ahead, -1, np.int64), np.full(ahead, -1, np.int64), np.full(ahead, -1, np.int64)
    first, last = np.zeros(ahead, np.int64), np.full(ahead, len(boards), np.int64)
    free = np.full(ahead, cells, np.uint64)
    level = 0
    while True:
        if level == ahead - 1:
            _finish_level(
                boards, targets, order[level, first[level] : last[level]], level, free, best, value, counts, most
            )
        elif face[level] < FACES:
            # Whatever is seen later, no more worlds can be told apart than there are.
            if found[level] + last[level] - starts[level, face[level]] <= value[level]:
                face[level] = FACES
                continue
            own = order[level + 1, starts[level, face[level]] : starts[level, face[level] + 1]]
            now = _found_now(targets, own, counts[0])
            rest = free[level] & ~(_U1 << np.uint64(cell[level]))
            if now == len(own) or rest == 0:
                found[level] += now
                face[level] += 1
                continue
            level += 1
            first[level], last[level] = starts[level - 1, face[level - 1]], starts[level - 1, face[level - 1] + 1]
            # No more than this, and the cell above cannot be better than the one that is best so far.
            needed = value[level - 1] - found[level - 1] - (last[level - 1] - last[level])
            free[level], cell[level], best[level], value[level] = rest, -1, -1, max(-1, needed)
            face[level], found[level] = FACES, -1
            continue
        else:
            if found[level] > value[level]:
                best[level], value[level] = cell[level], found[level]
            cell[level] = _next_cell(free[level], cell[level])
            if cell[level] < CELLS:
                _part(boards, order, level, first[level], last[level], cell[level], starts[level])
                face[level], found[level] = 0, 0
                continue
        if level == 0:
            return best[0], value[0]
        level -= 1
        found[level] += value[level + 1]
        face[level] += 1


@kernel
def _next_cell(cells, cell):
    """Give the next cell of a set after a cell; CELLS if there is none."""
    cell += 1
    while cell < CELLS and not is_in(cells, cell):
        cell += 1
    return cell


@kernel
def _finish_level(boards, targets, worlds, level, free, best, value, counts, most):
    """Find the best cell for the last look, and its value (modifies `best` and `value` of the level)."""
    for cell in range(CELLS):
        if is_in(free[level], cell):
            found = _found_by_look(boards, targets, worlds, cell, counts, most)
            if found > value[level]:
                best[level], value[level] = cell, found


@kernel
def _part(boards, order, level, first, last, cell, starts):
    """Sort the worlds of a level by the face of a cell into the next level (modifies `order` and `starts`)."""
    starts[:] = 0
    for place in range(first, last):
        starts[face_in(boards[order[level, place]], cell)] += 1
    end = last
    for face in range(FACES - 1, -1, -1):
        end -= starts[face]
        starts[face] = end
    ends = starts.copy()
    for place in range(first, last):
        world = order[level, place]
        face = face_in(boards[world], cell)
        order[level + 1, ends[face]] = world
        ends[face] += 1
    starts[FACES] = last


@kernel
def _found_now(targets, worlds, counts):
    """Count the worlds of the likeliest target; `counts` is zero before and after."""
    value = np.int64(0)
    for place in range(len(worlds)):
        target = targets[worlds[place]]
        counts[target] += 1
        value = max(value, counts[target])
    for place in range(len(worlds)):
        counts[targets[worlds[place]]] = 0
    return value


@kernel
def _found_by_look(boards, targets, worlds, cell, counts, most):
    """Count the worlds of the likeliest targets after the last look; `counts` and `most` are zero before and after."""
    value = np.int64(0)
    for place in range(len(worlds)):
        world = worlds[place]
        face, target = face_in(boards[world], cell), targets[world]
        counts[face, target] += 1
        if counts[face, target] > most[face]:
            most[face] += 1
            value += 1
    for place in range(len(worlds)):
        world = worlds[place]
        face = face_in(boards[world], cell)
        counts[face, targets[world]] = 0
        most[face] = 0
    return value
