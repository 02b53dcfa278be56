"""The board of Foursquare as a small value, and what a placed card does to it.

A board is four words of 64 bits with four bits a cell: cell 4 * row + column stands in the four bits from 4 * cell on.
A set of cells has the lowest of its four bits set. The piles stand as far up and left as they can: row 0 and column 0
are never empty. So a grid that can still grow has its last row, or column, empty, and a card laid above or to the left
of the piles moves them all by one.

        column 0   1   2   3                bits of cell 6:  27 26 25 24
    row 0      0   1   2   3                a set of cells    .  .  .  x
        1      4   5   6   7                ranks, heights    x  x  x  x
        2      8   9  10  11
        3     12  13  14  15

The rules here are what engine and bots share; a bot that looks ahead needs nothing else.
"""

from typing import NamedTuple

import numpy as np

from sim.compiled import inlined, kernel, shared
from sim.games.foursquare.spec import ROW_BITS

EVERY_CELL = np.uint64(0x1111_1111_1111_1111)
ROW_0, ROW_3 = np.uint64(0x1111), np.uint64(0x1111 << 48)
COLUMN_0 = np.uint64(0x0001_0001_0001_0001)
COLUMN_3 = np.uint64(0x1000_1000_1000_1000)
NOT_COLUMN_0 = ~COLUMN_0
NOT_COLUMN_3 = ~COLUMN_3
NOTHING = np.uint64(0)

_U1, _U2, _U3, _U4, _U7, _U15, _U16, _U48, _U56, _U60 = (np.uint64(k) for k in (1, 2, 3, 4, 7, 15, 16, 48, 56, 60))
_LOW_HALVES = np.uint64(0x0F0F_0F0F_0F0F_0F0F)  # the even cell of each byte
_ONES, _TOPS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_INTO_ROW = np.uint64((1 << 48) + (1 << 36) + (1 << 24) + (1 << 12))  # brings a column's bits side by side
_CORNER = np.uint64(1 << 32)

# The actions of the 16 cells of the frame, of the four above it, the four left of it and the corner (see spec.py).
_ACTIONS = np.array(
    [8 * (row + 1) + column + 1 for row in range(4) for column in range(4)]
    + [column + 1 for column in range(4)]
    + [8 * (row + 1) for row in range(4)]
    + [0],
    np.int64,
)


class Board(NamedTuple):
    """The piles: which cells have one, which show a face-down top, the ranks of the tops, the heights."""

    occupied: np.uint64
    down: np.uint64
    tops: np.uint64
    heights: np.uint64


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@shared
def place(row, column):
    """Code the action that names a cell, relative to the piles; -1 is the row above or the column to the left."""
    return ((np.int64(row) + 1) << ROW_BITS) + np.int64(column) + 1


@shared
def row_of(action):
    """Read the row out of an action."""
    return (np.int64(action) >> ROW_BITS) - 1


@shared
def column_of(action):
    """Read the column out of an action."""
    return (np.int64(action) & ((1 << ROW_BITS) - 1)) - 1


@inlined
def board_of(view):
    """Give the board of a VIEW, or of the STATE."""
    return Board(view.occupied, view.down, view.tops, view.heights)


@kernel
def cell_at(row, column):
    """Give the set of one cell of the frame."""
    return _U1 << np.uint64(16 * row + 4 * column)


@inlined
def count(cells):
    """Count the cells of a set."""
    pairs = (cells + (cells >> _U4)) & _LOW_HALVES
    return np.int64((pairs * _ONES) >> _U56)


@kernel
def number_in(nibbles, index):
    """Read the four bits at a place: the rank or height of a cell by its number, the cards left of a rank."""
    return np.int64((nibbles >> np.uint64(4 * index)) & _U15)


@inlined
def lowest(cells):
    """Give the number of the first cell of a set that is not empty."""
    return np.int64(((((cells & (~cells + _U1)) - _U1) & EVERY_CELL) * EVERY_CELL) >> _U60)


@inlined
def cells_with(nibbles, number):
    """Give the set of cells whose four bits are this number."""
    other = nibbles ^ (np.uint64(number) * EVERY_CELL)
    other |= other >> _U1
    other |= other >> _U2
    return ~other & EVERY_CELL


# ── Where a card may go ──────────────────────────────────────────────────────────────────────────────────────────────


@inlined
def inside(board, rules):
    """Give the cells of the frame where a card may go: places next to a pile, and piles with room.

    Rules: FSQ-4, FSQ-5.
    """
    occupied = board.occupied
    beside = ((occupied << _U4) & NOT_COLUMN_0) | ((occupied >> _U4) & NOT_COLUMN_3)
    reach = occupied | (beside if rules.is_diagonal != 0 else NOTHING)
    near = beside | (reach << _U16) | (reach >> _U16)
    return (near & ~occupied) | (occupied & ~cells_with(board.heights, rules.max_pile))


@inlined
def outside(board, rules):
    """Give the places above and to the left of the piles where a card may go, as a set of nine.

    The first four are the places above by column, the next four those to the left by row, the last is the corner. There
    are some only while the last row, or column, is empty, so that the grid has room to grow. Rules: FSQ-4, FSQ-5.
    """
    occupied = board.occupied
    above = occupied
    left = occupied
    corner = NOTHING
    if rules.is_diagonal != 0:
        above |= ((occupied << _U4) & NOT_COLUMN_0) | ((occupied >> _U4) & NOT_COLUMN_3)
        left |= (occupied << _U16) | (occupied >> _U16)
        corner = (occupied & _U1) * _CORNER
    can_rise = np.uint64(occupied & ROW_3 == NOTHING)
    can_widen = np.uint64(occupied & COLUMN_3 == NOTHING)
    found = (above & ROW_0) * can_rise
    found |= ((((left & COLUMN_0) * _INTO_ROW) >> _U48) << _U16) * can_widen
    return found | corner * (can_rise & can_widen)


@inlined
def count_open(board, rules):
    """Count the cells where a card may go. Rules: FSQ-4, FSQ-5."""
    return count(inside(board, rules)) + count(outside(board, rules))


@inlined
def nth_cell(cells, nth):
    """Give the number of the `nth` cell of a set, from 0."""
    before = (cells * EVERY_CELL) << _U4  # in each cell: how many cells of the set come before it
    return lowest(cells & cells_with(before, nth))


@inlined
def nth_open(board, rules, nth):
    """Give the action of the `nth` cell where a card may go: the frame's row by row, those above, those left."""
    within_cells = inside(board, rules)
    beyond_cells = outside(board, rules)
    within = count(within_cells)
    # Without a branch: on which side a cell lies cannot be guessed.
    is_beyond = np.int64(nth >= within)
    cells = within_cells ^ ((within_cells ^ beyond_cells) * np.uint64(is_beyond))
    return _ACTIONS[16 * is_beyond + nth_cell(cells, nth - within * is_beyond)]


@kernel
def moved(board, action):
    """Move the piles so that the cell that an action names lies in the frame. Rules: FSQ-5."""
    is_above = action < 1 << ROW_BITS
    is_left = action & ((1 << ROW_BITS) - 1) == 0
    steps = _U16 * np.uint64(is_above) + _U4 * np.uint64(is_left)
    return Board(board.occupied << steps, board.down << steps, board.tops << steps, board.heights << steps)


@kernel
def framed(board, rules, frame):
    """Give the board as it lies in one of four frames, the cells open there and nowhere before, and a step.

    Frame 0 is the present one, 1 that of a card above the piles, 2 of one to their left, 3 of one at their corner. The
    action of a cell is its place less the step. Together they are all cells where a card may go. Rules: FSQ-4, FSQ-5.
    """
    if frame == 0:
        return board, inside(board, rules), np.int64(0)
    # Above is row -1, to the left column -1: the action of the frame's own corner says which way the piles move.
    corner = place(-1 if frame != 2 else 0, -1 if frame != 1 else 0)
    step = place(0, 0) - corner
    is_barred = (frame != 2 and board.occupied & ROW_3 != NOTHING) or (
        frame != 1 and board.occupied & COLUMN_3 != NOTHING
    )
    if is_barred:
        return board, NOTHING, step
    new = ROW_0 if frame == 1 else COLUMN_0 if frame == 2 else _U1
    board = moved(board, corner)
    cells = inside(board, rules) & new & ~board.occupied
    return board, cells, step


@inlined
def entered(board, rules, action):
    """Give the board as it lies for a card that goes where an action says, and the number of its cell.

    The cell is -1 where no card may go. Rules: FSQ-4, FSQ-5.
    """
    row = row_of(action)
    column = column_of(action)
    nowhere = np.int64(-1)
    if action < 0 or row > 3 or column > 3:
        return board, nowhere
    is_barred = ((row < 0) & (board.occupied & ROW_3 != NOTHING)) | (
        (column < 0) & (board.occupied & COLUMN_3 != NOTHING)
    )
    if is_barred:
        return board, nowhere
    lying = moved(board, action)
    cell = 4 * max(row, 0) + max(column, 0)
    return lying, cell if inside(lying, rules) & (_U1 << np.uint64(4 * cell)) != NOTHING else nowhere


# ── What a placed card does ──────────────────────────────────────────────────────────────────────────────────────────


@kernel
def compared(tops, rank):
    """Give the cells whose top is of at least this rank, and those of at most it; empty cells count as rank 0."""
    even = tops & _LOW_HALVES
    odd = (tops >> _U4) & _LOW_HALVES
    ranks = np.uint64(rank) * _ONES
    at_least = ((((even | _TOPS) - ranks) & _TOPS) >> _U7) | ((((odd | _TOPS) - ranks) & _TOPS) >> _U3)
    at_most = ((((ranks | _TOPS) - even) & _TOPS) >> _U7) | ((((ranks | _TOPS) - odd) & _TOPS) >> _U3)
    return at_least, at_most


@kernel
def flips(board, rules, row, column, at_least, at_most):
    """Give the tops that the row step and the column step turn over for a card on its way to a cell.

    `at_least` and `at_most` are those of its rank (`compared`). A row step turns no other card of the column, so both
    look at the board as it is. Rules: FSQ-7, FSQ-8, FSQ-8a, FSQ-9, FSQ-10, FSQ-11.
    """
    cell = cell_at(row, column)
    others = (board.occupied if rules.facedown_compare != 0 else board.occupied & ~board.down) & ~cell
    turning = (board.occupied | cell) if rules.flip_played != 0 else (board.occupied & ~cell)
    in_row = ROW_0 << np.uint64(16 * row)
    in_column = COLUMN_0 << np.uint64(4 * column)
    higher, lower = others & at_least, others & at_most
    # Multiplied and not branched: whether a card is extreme cannot be guessed.
    is_extreme_in_row = (higher & in_row == NOTHING) | (lower & in_row == NOTHING)
    is_extreme_in_column = (higher & in_column == NOTHING) | (lower & in_column == NOTHING)
    return (turning & in_row) * np.uint64(is_extreme_in_row), (turning & in_column) * np.uint64(is_extreme_in_column)


@kernel
def laid(board, rank, row, column):
    """Lay a card face up on a cell of the frame, before any step. Rules: FSQ-2, FSQ-7."""
    cell = cell_at(row, column)
    return Board(
        board.occupied | cell,
        board.down & ~cell,
        (board.tops & ~(cell * _U15)) | (cell * np.uint64(rank)),
        board.heights + cell,
    )


@kernel
def settled(board, rules, rank, cell, at_least, at_most):
    """Lay a card on a cell of the frame, by its number, and carry out both steps; `compared` gives the last two.

    Rules: FSQ-2, FSQ-7 to FSQ-13.
    """
    row_flips, column_flips = flips(board, rules, cell >> 2, cell & 3, at_least, at_most)
    after = laid(board, rank, cell >> 2, cell & 3)
    return Board(after.occupied, after.down ^ row_flips ^ column_flips, after.tops, after.heights)


@kernel
def placed(board, rules, rank, action):
    """Place a card as an action says and carry out both steps. Rules: FSQ-2, FSQ-5, FSQ-7 to FSQ-13."""
    board = moved(board, action)
    cell = 4 * max(row_of(action), 0) + max(column_of(action), 0)
    at_least, at_most = compared(board.tops, rank)
    return settled(board, rules, rank, cell, at_least, at_most)


@kernel
def is_won(board):
    """Say whether 16 piles all show a face-up top. Rules: FSQ-15."""
    return board.occupied & ~board.down == EVERY_CELL


@kernel
def is_lost(board, rules):
    """Say whether too many piles show a face-down top. Rules: FSQ-14."""
    return count(board.down) > rules.max_down
