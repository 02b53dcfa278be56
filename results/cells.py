"""Raw cells of a played part: whether they are what the layout says, and the hash of their content."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from results.schema import (
    DEAL,
    ENTRANT,
    GAME,
    ROTATION,
    ROUND,
    ROUND_GAME,
    ROUND_SEAT,
    SEAT,
    SEAT_GAME,
    Column,
    Layout,
)
from sim.errors import StoreError

Cells = NDArray[np.int64]
Words = NDArray[np.uint64]

# Two buffers of this many words stay in a core's second-level cache together with the cells that they are
# made of.
HASH_BLOCK_WORDS = 48_000

LONG_ROW = 640
INT64 = np.iinfo(np.int64)

# The increment and the two multipliers of splitmix64 (Steele, Lea and Flood 2014).
STEP = 0x9E3779B97F4A7C15
MIX_A = 0xBF58476D1CE4E5B9
MIX_B = 0x94D049BB133111EB
HASH_MODULUS = 2**128


def check_cells(layout: Layout, games: Cells, seats: Cells, rounds: Cells) -> None:
    """Raise StoreError, in one sentence, unless the arrays are whole deals as `layout` describes them.

    `games` is int64 of shape (games, game columns), `seats` of shape (games × seats, seat columns), `rounds` of
    shape (games × rounds × seats, round columns), or empty where the layout has no such table; all in C order, in
    the order of game number, then round, then seat. Checked are shapes, numbering, who holds how many seats, and
    that every cell fits its column.
    """
    check_shape("games", games, len(layout.game_columns))
    check_shape("seats", seats, len(layout.seat_columns))
    check_shape("rounds", rounds, len(layout.round_columns))
    for table, cells in (("seats", seats), ("rounds", rounds)):
        per_game = layout.rows_per_game(table)
        if len(games) == 0 or len(cells) != len(games) * per_game:
            raise StoreError(f"{len(cells)} rows of {table} came for {len(games)} games of {per_game} each.")
    check_ranges("games", layout.game_columns, games)
    check_ranges("seats", layout.seat_columns, seats)
    _check_numbers(layout, games)
    if layout.rounds:
        check_ranges("rounds", layout.round_columns, rounds)
        _check_rounds(layout, games, rounds)
    by_game = seats.reshape(len(games), layout.seats, -1)
    if (by_game[:, :, SEAT_GAME] != games[:, GAME, None]).any() or (
        by_game[:, :, SEAT] != np.arange(layout.seats)
    ).any():
        raise StoreError("The rows of table seats are not in the order of game and seat.")
    held = np.repeat(np.arange(len(layout.entrants)), layout.entrant_seats)
    if (np.sort(by_game[:, :, ENTRANT], axis=1) != held).any():
        raise StoreError("In table seats an entrant does not hold as many seats in every game as the layout says.")


def check_shape(table: str, cells: Cells, width: int) -> None:
    """Raise StoreError unless the array is int64, two-dimensional, in C order and of that width."""
    if cells.dtype != np.int64 or cells.ndim != 2 or cells.shape[1] != width or not cells.flags.c_contiguous:
        raise StoreError(
            f"Table {table} came as {cells.dtype} of shape {cells.shape}; due are {width} columns of int64 in C order."
        )


def cell_range(column: Column) -> tuple[int, int]:
    """Return the least and the greatest raw cell that a column can hold."""
    if column.type == "text":
        return 0, len(column.labels) - 1
    if column.is_share:
        return 0, column.scale
    if column.type == "float64":
        # Up to here raw = round(value × scale) gives back the very integer that value = raw / scale was made
        # of.
        return -(2**51), 2**51
    limits = np.iinfo(column.type)
    return int(limits.min), int(limits.max)


def check_ranges(table: str, columns: tuple[Column, ...], cells: Cells) -> None:
    """Raise StoreError if a cell does not fit its column."""
    for column, low, high in zip(columns, *_extremes(cells), strict=True):
        least, greatest = cell_range(column)
        if low < least or high > greatest:
            wrong = low if low < least else high
            raise StoreError(f"Table {table}, column '{column.name}': {wrong} is outside {least} .. {greatest}.")


def _extremes(cells: Cells) -> tuple[list[int], list[int]]:
    """Return the least and the greatest cell of each column."""
    width = cells.shape[1]
    # numpy reduces long rows four times as fast as short ones, so many rows are read as one, but for the last
    # few.
    rows = max(1, LONG_ROW // width)
    whole = len(cells) // rows * rows
    folded, rest = cells[:whole].reshape(-1, rows * width), cells[whole:]
    least, greatest = rest.min(axis=0, initial=INT64.max), rest.max(axis=0, initial=INT64.min)
    if whole:
        least = np.minimum(least, folded.min(axis=0).reshape(rows, width).min(axis=0))
        greatest = np.maximum(greatest, folded.max(axis=0).reshape(rows, width).max(axis=0))
    return least.tolist(), greatest.tolist()


def _check_numbers(layout: Layout, games: Cells) -> None:
    """Raise StoreError unless the games are numbered as whole deals without a gap."""
    number, deal, rotation = games[:, GAME], games[:, DEAL], games[:, ROTATION]
    if int(deal[0]) < 0 or (rotation < 0).any() or (rotation >= layout.rotations).any():
        raise StoreError(f"A deal or rotation is out of range; rotations are 0 .. {layout.rotations - 1}.")
    if (number != deal * layout.rotations + rotation).any():
        raise StoreError(f"A game's number is not deal × {layout.rotations} + rotation.")
    steps = np.diff(deal)
    if (steps < 0).any() or (steps > 1).any() or (np.diff(number) <= 0).any():
        raise StoreError("The games are not in ascending order, or a deal between them is missing.")
    counts = np.diff(np.append(deal_starts(games), len(games)))
    if (layout.rotations % counts != 0).any():
        raise StoreError(f"A deal's number of games does not divide {layout.rotations}, the number of rotations.")


def _check_rounds(layout: Layout, games: Cells, rounds: Cells) -> None:
    """Raise StoreError unless the rows of rounds are in the order of game, round and seat."""
    by_game = rounds.reshape(len(games), layout.rounds, layout.seats, -1)
    if (
        (by_game[:, :, :, ROUND_GAME] != games[:, GAME, None, None]).any()
        or (by_game[:, :, :, ROUND] != np.arange(1, layout.rounds + 1)[:, None]).any()
        or (by_game[:, :, :, ROUND_SEAT] != np.arange(layout.seats)).any()
    ):
        raise StoreError("The rows of table rounds are not in the order of game, round and seat.")


def deal_starts(games: Cells) -> NDArray[np.intp]:
    """Return the index of each deal's first row."""
    return np.flatnonzero(np.diff(games[:, DEAL], prepend=games[0, DEAL] - 1))


def content_hash(games: Cells, seats: Cells, rounds: Cells) -> int:
    """Return the sum mod 2^128 of a 128-bit hash of each game's cells, which are keyed by the game's number.

    Since it is a sum, the hashes of parts add up to the hash of the whole, whatever the parts. A game's cells
    are its row of `games`, then its rows of `seats` and its rows of `rounds`. It guards against mistakes and decay, not
    malice.
    """
    # A table that is not there has no cells, and so no part in it.
    return keyed_hash([cells.reshape(len(games), -1) for cells in (games, seats, rounds)], games[:, GAME])


def keyed_hash(pieces: list[Cells], numbers: Cells) -> int:
    """Return the sum mod 2^128 of a 128-bit hash of each row, which is keyed by the row's number.

    A row's cells, as uint64, are those of its row in each of the pieces, one after the other. Cell c at place i is
    mixed with a key of that place, v = (c xor K_i) × K, v = v xor (v >> 32), which maps different cells to different
    words; the two halves of the hash are the sums of v × A_i and of v × B_i, with odd A_i and B_i, each passed through
    the finaliser of splitmix64 (Steele, Lea and Flood 2014) together with the row's number.
    """
    words = [piece.view(np.uint64) for piece in pieces]
    width = sum(piece.shape[1] for piece in words)
    keys = _place_keys(width)
    block = max(1, HASH_BLOCK_WORDS // width)
    total = 0
    scratch = np.empty((2, block, width), dtype=np.uint64)
    for first in range(0, len(numbers), block):
        rows = [piece[first : first + block] for piece in words]
        mixed = _mixed(rows, keys[0], scratch[:, : len(rows[0])])
        number = numbers[first : first + block].view(np.uint64) * np.uint64(STEP)
        total += _exact_sum(_finalise(np.einsum("gc,c->g", mixed, keys[1]) + number)) << 64
        total += _exact_sum(_finalise(np.einsum("gc,c->g", mixed, keys[2]) + ~number))
    return total % HASH_MODULUS


def _place_keys(width: int) -> Words:
    """Return three words for each place of a row's cells, (3, width): K_i, and odd A_i and B_i."""
    words = _finalise(np.arange(1, 3 * width + 1, dtype=np.uint64) * np.uint64(STEP)).reshape(3, width)
    words[1:] |= np.uint64(1)
    return words


def _mixed(pieces: list[Words], keys: Words, scratch: Words) -> Words:
    """Mix each row's cells from all arrays with the keys of their places; fills and returns scratch[0]."""
    mixed: Words = scratch[0]
    shifted: Words = scratch[1]
    place = 0
    for cells in pieces:
        here = slice(place, place + cells.shape[1])
        np.bitwise_xor(cells, keys[here], out=mixed[:, here])
        place = here.stop
    np.multiply(mixed, np.uint64(STEP), out=mixed)
    np.right_shift(mixed, np.uint64(32), out=shifted)
    np.bitwise_xor(mixed, shifted, out=mixed)
    return mixed


def _finalise(words: Words) -> Words:
    """Return the words passed through the finaliser of splitmix64."""
    mixed = (words ^ (words >> np.uint64(30))) * np.uint64(MIX_A)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(MIX_B)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)), dtype=np.uint64)


def _exact_sum(words: Words) -> int:
    """Return the sum of fewer than 2^32 words without overflow."""
    return (int((words >> np.uint64(32)).sum()) << 32) + int((words & np.uint64(2**32 - 1)).sum())
