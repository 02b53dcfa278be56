"""The grid as sets of cells, 16 bits each: who is the culprit of a board, and whether a board can have one at all."""

import numpy as np

from sim.compiled import inlined, kernel, merged
from sim.games.clueverge.spec import (
    CARD_ALIBI,
    CARD_CLUE,
    CARD_FALSE,
    CARD_MOTIVE,
    CARD_SCENE,
    CARD_WEAPON,
    CARDS,
    CELLS,
    FACE_ALIBI_A,
    FACE_CLUE,
    FACE_FALSE,
    FACE_MOTIVE_A,
    FACE_NONE,
    FACE_SUSPECT_7,
    FACE_WEAPON,
    FLED,
    SCENE_FACES,
    SCENE_FALSE,
    SCENE_SUSPECT,
    SCENE_TWIST,
    SIDE,
    SUSPECTS,
)

_U0, _U1 = np.uint64(0), np.uint64(1)


def _cells_where(reaches):
    """Tabulate for each cell the others that `reaches(rows apart, columns apart)` says, a bit each."""
    return [
        sum(
            1 << other
            for other in range(CELLS)
            if other != cell and reaches(abs(other // SIDE - cell // SIDE), abs(other % SIDE - cell % SIDE))
        )
        for cell in range(CELLS)
    ]


BIT = np.array([1 << cell for cell in range(CELLS)], np.uint64)
BESIDE = np.array(_cells_where(lambda rows, columns: rows + columns == 1), np.uint64)
AROUND = np.array(_cells_where(lambda rows, columns: max(rows, columns) == 1), np.uint64)
# What a motive or an alibi points at: everywhere, up and down, left and right (CLV-4, CLV-5).
POINTS = np.array(
    [
        _cells_where(lambda rows, columns: rows == 0 or columns == 0),
        _cells_where(lambda rows, columns: columns == 0),
        _cells_where(lambda rows, columns: rows == 0),
    ],
    np.uint64,
)
# What a weapon points at: rows, columns and diagonals.
STRIKES = np.array(_cells_where(lambda rows, columns: rows == 0 or columns == 0 or rows == columns), np.uint64)
# What each investigation card shows: with motives that are split (1) or not (0), then alibis.
SHOWN = np.array(
    [
        [
            [
                *range(1, SUSPECTS + 1),
                *(FACE_MOTIVE_A, FACE_MOTIVE_A + motive, FACE_ALIBI_A, FACE_ALIBI_A + alibi),
                *(FACE_WEAPON, FACE_WEAPON, FACE_CLUE, FACE_CLUE, FACE_FALSE),
            ]
            for alibi in (0, 1)
        ]
        for motive in (0, 1)
    ],
    np.uint8,
)
SHOWN_AT_SCENE = np.array(SCENE_FACES, np.uint8)
# The culprit among candidates, a bit each from suspect 1: the highest, with the plot twist the lowest; 0: none.
CHOSEN = np.array(
    [
        [candidates.bit_length() for candidates in range(128)],
        [(candidates & -candidates).bit_length() for candidates in range(128)],
    ],
    np.uint8,
)


@inlined
def valid(points, cell, false):
    """Give what a motive or an alibi points at, nothing if a false testimony lies beside it. Rules: CLV-6, CLV-7."""
    return points[cell] & (_U0 - np.uint64(BESIDE[cell] & false == _U0))


@inlined
def used(cell, clues):
    """Give what a weapon points at, nothing if no clue lies around it. Rules: CLV-8."""
    return STRIKES[cell] & (_U0 - np.uint64(AROUND[cell] & clues != _U0))


@merged
def suspected(cells, scene, rules):
    """Give the cells where a suspect would be a candidate, a bit each. Rules: CLV-4 to CLV-9, CLV-11.

    `cells` holds the cell of each of the 16 cards, `scene` which crime-scene card is in play.
    """
    clues = BIT[cells[CARD_CLUE]] | BIT[cells[CARD_CLUE + 1]]
    false = BIT[cells[CARD_FALSE]] | (BIT[cells[CARD_SCENE]] & (_U0 - np.uint64(scene == SCENE_FALSE)))
    motive, alibi = np.uint64(rules.motive_split), np.uint64(rules.alibi_split)
    struck = used(cells[CARD_WEAPON], clues) | used(cells[CARD_WEAPON + 1], clues)
    motives = valid(POINTS[motive], cells[CARD_MOTIVE], false) | valid(
        POINTS[motive << _U1], cells[CARD_MOTIVE + 1], false
    )
    alibis = valid(POINTS[alibi], cells[CARD_ALIBI], false) | valid(POINTS[alibi << _U1], cells[CARD_ALIBI + 1], false)
    return struck & motives & ~alibis


@merged
def find_culprit(cells, scene, rules):
    """Find the culprit of a full board: the number of the suspect, 0 if it has fled. Rules: CLV-9, CLV-10.

    `cells` holds the cell of each of the 16 cards, `scene` which crime-scene card is in play.
    """
    there = suspected(cells, scene, rules)
    candidates = ((there >> np.uint64(cells[CARD_SCENE])) & np.uint64(scene == SCENE_SUSPECT)) << np.uint64(SUSPECTS)
    for card in range(SUSPECTS):
        candidates |= ((there >> np.uint64(cells[card])) & _U1) << np.uint64(card)
    return np.int64(CHOSEN[np.uint64(scene == SCENE_TWIST), candidates])


@merged
def cell_of(culprit, cells):
    """Give the target of a culprit: the cell of the suspect, or FLED."""
    if culprit == 0:
        return np.int64(FLED)
    return np.int64(cells[culprit - 1] if culprit <= SUSPECTS else cells[CARD_SCENE])


@merged
def face_of(card, scene, rules):
    """Give what a card shows."""
    if card == CARD_SCENE:
        return np.int64(SHOWN_AT_SCENE[scene])
    return np.int64(SHOWN[rules.motive_split, rules.alibi_split, card])


@kernel
def copies_of(face, rules):
    """Count the investigation cards that show a face."""
    copies = 0
    for card in range(CARD_SCENE):
        copies += SHOWN[rules.motive_split, rules.alibi_split, card] == face
    return copies


# ── What is known of a board ─────────────────────────────────────────────────────────────────────────────────────────


@kernel
def scene_of(face):
    """Give the crime-scene card that shows a face, -1 where the face is not known."""
    if face == FACE_NONE:
        return np.int64(-1)
    if face == FACE_SUSPECT_7:
        return np.int64(SCENE_SUSPECT)
    return np.int64(SCENE_FALSE if face == FACE_FALSE else SCENE_TWIST)


@kernel
def sort_out(known, scene_cell, cells, cards, free):
    """Sort out which investigation cards are not known and where they may lie; returns how many there are.

    `known` holds the face of each cell, FACE_NONE where it is not known. Modifies `cells` (the cell of each card that
    is known, and of the crime-scene card), `cards` (those that are not, rising) and `free` (the cells for them). Of two
    cards that look alike the first stands for what is known.
    """
    taken = np.zeros(CARDS, np.bool_)
    count = 0
    for cell in range(CELLS):
        if cell == scene_cell:
            cells[CARD_SCENE] = cell
        elif known[cell] == FACE_NONE:
            free[count] = cell
            count += 1
        else:
            card = _card_showing(known[cell], taken)
            taken[card] = True
            cells[card] = cell
    missing = 0
    for card in range(CARD_SCENE):
        if not taken[card]:
            cards[missing] = card
            missing += 1
    return count


@kernel
def _card_showing(face, taken):
    """Give the first investigation card that shows a face and is not taken."""
    if face < FACE_SUSPECT_7:
        return np.int64(face) - 1
    if face < FACE_ALIBI_A:
        first = CARD_MOTIVE + np.int64(face) - FACE_MOTIVE_A
    elif face < FACE_WEAPON:
        first = CARD_ALIBI + np.int64(face) - FACE_ALIBI_A
    elif face < FACE_FALSE:
        first = np.int64(CARD_WEAPON if face < FACE_CLUE else CARD_CLUE)
    else:
        first = np.int64(CARD_FALSE)
    return first + 1 if taken[first] else first


# ── Whether there can be a culprit ───────────────────────────────────────────────────────────────────────────────────
# Hidden evidence is laid into the free cells in this order, so that what cannot lead to a culprit ends early.

_EVIDENCE = (
    *(CARD_WEAPON, CARD_WEAPON + 1, CARD_CLUE, CARD_CLUE + 1, CARD_FALSE),
    *(CARD_MOTIVE, CARD_MOTIVE + 1, CARD_ALIBI, CARD_ALIBI + 1),
)
_EVERYWHERE = np.uint64((1 << CELLS) - 1)
_NOT_LAID = -1


@kernel
def can_have_culprit(places, opened, scene_cell, rules):
    """Say whether any board that agrees with what all know has a culprit: exactly. Rules: CLV-16.

    `places` holds the cell of each card; only of those that lie in `opened` cells, a bit each, it is looked at. The
    crime-scene card is face down in `scene_cell`.
    """
    cells = np.empty(CARDS, np.int64)
    there, suspects, hidden_suspects = _U0, _U0, 0
    for card in range(CARD_SCENE):
        bit = BIT[places[card]]
        if opened & bit != _U0:
            cells[card] = places[card]
            there |= _U1 << np.uint64(card)
            suspects |= bit if card < SUSPECTS else _U0
        else:
            cells[card] = _NOT_LAID
            hidden_suspects += card < SUSPECTS
    cells[CARD_SCENE] = scene_cell
    hidden, count = _U0, 0  # four bits a card
    for card in _EVIDENCE:
        if cells[card] == _NOT_LAID:
            hidden |= np.uint64(card) << np.uint64(4 * count)
            count += 1
    free = _EVERYWHERE & ~opened & ~BIT[scene_cell]
    for scene in range(3):
        room = suspects | (BIT[scene_cell] if scene == SCENE_SUSPECT else _U0)
        if _search(cells, there, hidden, count, free, room, hidden_suspects > 0, scene, rules):
            return True
    return False


@kernel
def _search(cells, there, hidden, count, free, room, has_hidden_suspects, scene, rules):
    """Try to lay the hidden evidence into `free` cells so that a suspect is a candidate (modifies `cells`).

    `there` are the cards that lie, a bit each; `hidden` the pieces of evidence to be laid, `count` of them; a suspect
    may lie in `room` or, with hidden ones, in what stays free.
    """
    level = 0
    if not _may_lead(cells, there, room | (free if has_hidden_suspects else _U0), scene, rules):
        return False
    while 0 <= level < count:
        card = (hidden >> np.uint64(4 * level)) & np.uint64(15)
        cell = cells[card]
        if cell != _NOT_LAID:
            free |= BIT[cell]
            there ^= _U1 << card
        cell += 1
        while cell < CELLS and free & BIT[cell] == _U0:
            cell += 1
        if cell == CELLS:
            cells[card] = _NOT_LAID
            level -= 1
            continue
        cells[card] = cell
        free ^= BIT[cell]
        there |= _U1 << card
        level += _may_lead(cells, there, room | (free if has_hidden_suspects else _U0), scene, rules)
    return level == count


@inlined
def _lies(there, card):
    """Give ones everywhere if a card lies, else nothing."""
    return _U0 - ((there >> np.uint64(card)) & _U1)


@kernel
def _may_lead(cells, there, room, scene, rules):
    """Say whether a suspect in `room` may become a candidate when the evidence in `there` lies: what does not is best.

    When all of it lies the answer is exact.
    """
    clues = _U0
    for card in range(CARD_CLUE, CARD_FALSE):
        clues |= (BIT[cells[card]] & _lies(there, card)) | ~_lies(there, card)
    false = BIT[cells[CARD_FALSE]] & _lies(there, CARD_FALSE)
    if scene == SCENE_FALSE:
        false |= BIT[cells[CARD_SCENE]]
    struck, motives, alibis = _U0, _U0, _U0
    for second in range(2):
        card = CARD_WEAPON + second
        struck |= (used(cells[card], clues) & _lies(there, card)) | ~_lies(there, card)
        card = CARD_MOTIVE + second
        points = POINTS[np.int64(rules.motive_split) * (1 + second)]
        motives |= (valid(points, cells[card], false) & _lies(there, card)) | ~_lies(there, card)
        card = CARD_ALIBI + second
        points = POINTS[np.int64(rules.alibi_split) * (1 + second)]
        # A false testimony that does not lie yet may make any alibi void.
        alibis |= valid(points, cells[card], false) & _lies(there, card) & _lies(there, CARD_FALSE)
    return struck & motives & ~alibis & room != _U0
