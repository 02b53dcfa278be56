"""What partners of Clueverge agree on before the first turn, so that one of them knows in the end what all have seen.

It stands for what players talk over in their discussion (5-2 of the rulebook):

1. The last player decides. Nobody else touches unused pawns, so all others declare before it has laid its last pawn.
2. Each of the others lays its pawn where it tells most beside the cards that are looked at already, and later declares
   in code. The faces that its card may have, by what all could see at the start, are numbered in the order of their
   codes; it declares on the target of that number among those on which nobody has declared.
3. So no two of them declare on the same target, and whoever declares last has the last word (5-4): alone on a target it
   wins the tie, and with another it is two to one.
"""

import numpy as np

from sim.compiled import kernel
from sim.games.clueverge.board import copies_of
from sim.games.clueverge.spec import (
    CELLS,
    FACE_FALSE,
    FACE_NONE,
    FACE_SUSPECT_7,
    FACE_TWIST,
    FACES,
    TARGETS,
)


@kernel
def decider_of(view):
    """Give the seat that decides: the last player."""
    return (np.int64(view.first_seat) + np.int64(view.rules.seats) - 1) % np.int64(view.rules.seats)


@kernel
def _may_show(view, cell, face):
    """Say whether a cell that was face down at the start may have shown a face, by what all could see then."""
    if cell == view.scene_cell:
        return face in (FACE_SUSPECT_7, FACE_FALSE, FACE_TWIST)
    copies = 0
    for other in range(CELLS):
        if other != view.scene_cell:
            copies += view.faces[other] == face
    return copies < copies_of(face, view.rules)


@kernel
def _free_target(view, number, turn):
    """Give the target of a number, from 0, among those that were free before a turn; -1 if there is none."""
    for target in range(TARGETS):
        is_free = True
        for seat in range(view.rules.seats):
            is_free &= view.pawns[seat] != target or not 0 < view.declared_turn[seat] < turn
        if is_free and number == 0:
            return target
        number -= is_free
    return -1


@kernel
def code_of(view, seat):
    """Give the target that says what this seat saw under its pawn; -1 if it has seen nothing."""
    cell = np.int64(view.pawns[seat])
    number = 0
    for face in range(1, FACES):
        if face == view.known[cell] and view.looks[seat, cell] != 0:
            return _free_target(view, number, np.int64(view.turn))
        number += _may_show(view, cell, face)
    return -1


@kernel
def decode(view, known):
    """Write into `known` what the others have declared that they saw (modified)."""
    for seat in range(view.rules.seats):
        if view.declared_turn[seat] == 0 or seat == view.seat:
            continue
        for cell in range(CELLS):
            if view.looks[seat, cell] != 0 and known[cell] == FACE_NONE:
                number = 0
                for face in range(1, FACES):
                    if _may_show(view, cell, face):
                        target = _free_target(view, number, np.int64(view.declared_turn[seat]))
                        if target == view.pawns[seat] and _is_left(view, known, cell, face):
                            known[cell] = face
                            break
                        number += 1


@kernel
def _is_left(view, known, cell, face):
    """Say whether a card with a face is not known to lie elsewhere: nobody may tell what cannot be."""
    copies = 0
    for other in range(CELLS):
        if other != view.scene_cell:
            copies += known[other] == face
    return cell == view.scene_cell or copies < copies_of(face, view.rules)
