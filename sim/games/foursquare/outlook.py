"""How good a board looks: an estimate of the chance to win from it, before the next card is drawn.

It is a sum of weights, squashed into 0 .. 1: a weight for each of the eight lines, one for how many piles there are and
how many lie face down, and one for how many cards are left beyond those that the empty places need. A line's weight is
looked up by what the rules can tell of it: the ranks of its face-up tops, and how many others lie face down. Their
order does not matter, and lines whose ranks are each other's opposite (1 for 10, 2 for 9, ...) share a weight, for the
rules do not tell high from low.

The weights (`weights.py`) were fitted for either reading of FSQ-9, with the other options at their defaults. They are
an estimate and no more: bots that look ahead ask the rules first whether a board is won or lost.
"""

import numpy as np

from sim.compiled import kernel
from sim.games.foursquare.board import count, is_lost, is_won
from sim.games.foursquare.spec import RANKS, SIZE
from sim.games.foursquare.weights import AUTHOR, LITERAL

_DOWN = 15  # what a face-down top is written as in a line, in place of its rank
_MOST_DOWN = 4  # more are weighed like four
_SPARE = 40  # spare cards are counted from -16 to 39

_FACE_DOWN, _LINE = np.uint64(_DOWN), np.uint64(0xFFFF)
_U12, _U16, _U24, _U32, _U48 = (np.uint64(k) for k in (12, 16, 24, 32, 48))
_ACROSS_1, _ACROSS_2 = np.uint64(0x0000_F0F0_0000_F0F0), np.uint64(0x0000_0000_FF00_FF00)

CERTAIN = 1e9  # the sum of a board that is won; of one that is lost the negative


def line_kinds() -> tuple["np.ndarray[tuple[int], np.dtype[np.uint16]]", int]:
    """Number the kinds of lines: the kind of each line of four times four bits, and how many kinds there are.

    Four bits are the rank of a face-up top, 15 for a face-down one, 0 for none. Kinds are numbered as they first occur.
    """
    kinds = np.zeros(1 << 4 * SIZE, np.uint16)
    numbers: dict[tuple[int, tuple[int, ...]], int] = {}
    for line in range(len(kinds)):
        cells = [line >> 4 * cell & 15 for cell in range(SIZE)]
        if any(RANKS < cell < _DOWN for cell in cells):
            continue
        ranks = [cell for cell in cells if 0 < cell <= RANKS]
        down = cells.count(_DOWN)
        opposite = [RANKS + 1 - rank for rank in ranks]
        kind = min((down, tuple(sorted(ranks))), (down, tuple(sorted(opposite))))
        kinds[line] = numbers.setdefault(kind, len(numbers))
    return kinds, len(numbers)


KINDS, KIND_COUNT = line_kinds()

# Where in the weights what begins: line kinds, then piles and face-down tops, then spare cards.
PILES_AT = KIND_COUNT
SPARE_AT = PILES_AT + (SIZE * SIZE + 1) * (_MOST_DOWN + 1)
WEIGHT_COUNT = SPARE_AT + SIZE * SIZE + _SPARE

_UNIT = 10_000  # weights are written as whole numbers of this part of one


def _read(text: str) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Read weights as they are written; none at all (before the first fit) are zeros."""
    numbers = [int(word) for word in text.split()] or [0] * WEIGHT_COUNT
    return np.array(numbers, np.float64) / _UNIT


WEIGHTS = np.stack([_read(AUTHOR), _read(LITERAL)])  # by flip_played


def written(weights: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> str:
    """Write weights as whole numbers, for `weights.py`."""
    return " ".join(str(int(number)) for number in np.rint(weights * _UNIT))


@kernel
def across(cells):
    """Exchange rows and columns of four bits a cell."""
    moving = (cells ^ (cells >> _U12)) & _ACROSS_1
    cells = cells ^ moving ^ (moving << _U12)
    moving = (cells ^ (cells >> _U24)) & _ACROSS_2
    return cells ^ moving ^ (moving << _U24)


@kernel
def pile_index(board):
    """Give where in the weights the numbers of piles and of face-down tops stand."""
    return PILES_AT + (_MOST_DOWN + 1) * count(board.occupied) + min(count(board.down), _MOST_DOWN)


@kernel
def spare_index(board, stock):
    """Give where in the weights the number of spare cards stands: those left beyond one for each empty place."""
    return SPARE_AT + min(stock + count(board.occupied), SIZE * SIZE + _SPARE - 1)


@kernel
def summed(board, stock, weights):
    """Sum the weights of a board with so many cards left in the stock."""
    rows = board.tops | (board.down * _FACE_DOWN)
    columns = across(rows)
    return (
        weights[KINDS[np.int64(rows & _LINE)]]
        + weights[KINDS[np.int64((rows >> _U16) & _LINE)]]
        + weights[KINDS[np.int64((rows >> _U32) & _LINE)]]
        + weights[KINDS[np.int64(rows >> _U48)]]
        + weights[KINDS[np.int64(columns & _LINE)]]
        + weights[KINDS[np.int64((columns >> _U16) & _LINE)]]
        + weights[KINDS[np.int64((columns >> _U32) & _LINE)]]
        + weights[KINDS[np.int64(columns >> _U48)]]
        + weights[pile_index(board)]
        + weights[spare_index(board, stock)]
    )


@kernel
def promise(board, rules, stock, weights):
    """Give the sum by which boards are compared: certain where the game is over. Rules: FSQ-14, FSQ-15, FSQ-16."""
    if is_lost(board, rules):
        return -CERTAIN
    if is_won(board) and (stock > 0 or rules.last_card_wins != 0):
        return CERTAIN
    if stock == 0:
        return -CERTAIN
    return summed(board, stock, weights)


@kernel
def chance(total):
    """Squash a sum into the chance to win: 0 for one that is certainly lost, 1 for one that is won."""
    return 0.5 + 0.5 * total / np.sqrt(1.0 + total * total)
