"""Other worlds: boards that agree with all that a seat knows. Each is as likely, for what is hidden was shuffled.

That others have done this or that is no part of it: see `bots` for what one may make of it.
"""

import math

import numpy as np

from sim.chance import below, pick, shuffle, word_at
from sim.compiled import inlined, kernel, shared
from sim.games.clueverge.board import cell_of, face_of, find_culprit, scene_of, sort_out
from sim.games.clueverge.spec import (
    CARD_MOTIVE,
    CARD_SCENE,
    CARDS,
    CELLS,
)

MOST = 15_120  # worlds that are listed: as many as eight hidden cards can lie in, the crime-scene card among them
_FACTORIALS = np.array([math.factorial(number) for number in range(CARDS + 1)], np.float64)
_U4, _U15 = np.uint64(4), np.uint64(15)


@kernel
def draw(view, state):
    """Draw a board that agrees with a VIEW, all of them as likely (modifies a STATE and its generator)."""
    cards, free = np.zeros(CARDS, np.int64), np.zeros(CELLS, np.int64)
    count = sort_out(view.known, view.scene_cell, state.places, cards, free)
    scene = scene_of(view.known[view.scene_cell])
    state.scene = below(state, 3) if scene < 0 else scene
    shuffle(state, cards, count)
    for index in range(count):
        state.places[cards[index]] = free[index]
    culprit = find_culprit(state.places, state.scene, state.rules)
    state.culprit = culprit
    state.culprit_cell = cell_of(culprit, state.places)


@shared
def face_in(board, cell):
    """Read the face of a cell out of a board as a word, four bits a cell."""
    return np.int64((np.uint64(board) >> (_U4 * np.uint64(cell))) & _U15)


@kernel
def room_for(samples):
    """Give how long the lists must be that `list_worlds` fills."""
    return np.int64(samples) if samples > 0 else MOST


@kernel
def list_worlds(known, scene_cell, rules, samples, key, boards, targets):
    """List the boards that agree with what is known; returns how many are listed. Each is as likely.

    All of them are listed, each once, where they are at most `samples` or, with `samples` 0, at most 15,120; else
    `samples` (or 15,120) are drawn, by the `key`. `known` holds the face of each cell, FACE_NONE where it is not known.
    Modifies `boards` (words, see `face_in`) and `targets` (where the culprit is: a cell, or FLED).
    """
    cells, cards, free = np.zeros(CARDS, np.uint8), np.zeros(CARDS, np.int64), np.zeros(CELLS, np.int64)
    count = sort_out(known, scene_cell, cells, cards, free)
    scene = scene_of(known[scene_cell])
    base = np.uint64(0)
    for cell in range(CELLS):
        if cell != scene_cell:
            base |= np.uint64(known[cell]) << (_U4 * np.uint64(cell))
    most = room_for(samples)
    if _count_worlds(cards[:count], scene, rules) <= most:
        return _list_all(cells, cards, free, count, scene, scene_cell, base, rules, boards, targets)
    drawn = scene
    for index in range(most):
        own = word_at(key, index)
        if scene < 0:
            drawn = pick(word_at(own, 0), 3)
        for place in range(count - 1, 0, -1):
            other = pick(word_at(own, place), place + 1)
            cards[place], cards[other] = cards[other], cards[place]
        _write(index, cells, cards, free, count, drawn, scene_cell, base, rules, boards, targets)
    return most


@inlined
def _write(index, cells, cards, free, count, scene, scene_cell, base, rules, boards, targets):
    """Write one world: the hidden `cards` lie in the `free` cells in their order."""
    board = base | (np.uint64(face_of(CARD_SCENE, scene, rules)) << (_U4 * np.uint64(scene_cell)))
    for place in range(count):
        cells[cards[place]] = free[place]
        board |= np.uint64(face_of(cards[place], scene, rules)) << (_U4 * np.uint64(free[place]))
    boards[index] = board
    targets[index] = cell_of(find_culprit(cells, scene, rules), cells)


@kernel
def _count_worlds(cards, scene, rules):
    """Count the boards that hidden cards can make: of two that look alike it does not matter which is which."""
    worlds = _FACTORIALS[len(cards)] * (3.0 if scene < 0 else 1.0)
    for index in range(len(cards) - 1):
        if _is_like_next(cards[index], rules) and cards[index + 1] == cards[index] + 1:
            worlds /= 2.0
    return worlds


@kernel
def _is_like_next(card, rules):
    """Say whether a card is the first of two that look alike."""
    return (
        card >= CARD_MOTIVE
        and (card - CARD_MOTIVE) % 2 == 0
        and card < CARD_SCENE - 1
        and face_of(card, 0, rules) == face_of(card + 1, 0, rules)
    )


@kernel
def _list_all(cells, cards, free, count, scene, scene_cell, base, rules, boards, targets):
    """List all boards, each once: the hidden cards in all orders, of two alike the first in front (modifies cards)."""
    written = 0
    first, last = (0, 3) if scene < 0 else (scene, scene + 1)
    for drawn in range(first, last):
        cards[:count].sort()
        while True:
            if _is_in_order(cards, count, rules):
                _write(written, cells, cards, free, count, drawn, scene_cell, base, rules, boards, targets)
                written += 1
            if not _next_order(cards, count):
                break
    return written


@kernel
def _is_in_order(cards, count, rules):
    """Say whether of every two hidden cards that look alike the first lies in front."""
    place = np.full(CARDS + 1, -1, np.int64)
    for index in range(count):
        place[cards[index]] = index
    for card in range(CARD_MOTIVE, CARD_SCENE - 1, 2):
        if place[card] > place[card + 1] >= 0 and _is_like_next(card, rules):
            return False
    return True


@kernel
def _next_order(cards, count):
    """Put cards into their next order, by size; false after the last. Algorithm L of Knuth, TAOCP 7.2.1.2."""
    left = count - 2
    while left >= 0 and cards[left] > cards[left + 1]:
        left -= 1
    if left < 0:
        return False
    right = count - 1
    while cards[right] < cards[left]:
        right -= 1
    cards[left], cards[right] = cards[right], cards[left]
    low, high = left + 1, count - 1
    while low < high:
        cards[low], cards[high] = cards[high], cards[low]
        low += 1
        high -= 1
    return True


@kernel
def posterior(view, samples, key, chances):
    """Say how likely each outcome is by all that a seat knows: fled, suspect 1, ..., suspect 7 (modifies `chances`, 8).

    Exact where `list_worlds` lists all worlds, else out of so many samples.
    """
    boards, targets = np.empty(room_for(samples), np.uint64), np.empty(room_for(samples), np.uint8)
    count = list_worlds(view.known, view.scene_cell, view.rules, samples, key, boards, targets)
    chances[:] = 0.0
    for index in range(count):
        target = targets[index]
        chances[0 if target == CELLS else face_in(boards[index], target)] += 1.0 / count
