"""Looking ahead: what a card can make of a board, judged by the outlook, by the cards left, or by playing on."""

import numpy as np

from sim.chance import pick, word_at
from sim.compiled import kernel
from sim.games.foursquare.board import Board, compared, framed, is_lost, is_won, lowest, number_in, place, settled
from sim.games.foursquare.outlook import CERTAIN, chance, promise
from sim.games.foursquare.spec import CARDS, RANKS, SIZE

MOST_PLACES = 32  # cells where a card may go are at most 25: those of the frame, above it, to its left, the corner

MOST_LEFT = CARDS - SIZE * SIZE  # cards left of the quickest win (FSQ-17)

_U1 = np.uint64(1)
_FRAMES = 4


@kernel
def action_of(cell, step):
    """Give the action of a cell of a frame, by its number and the frame's step."""
    return place(cell >> 2, cell & 3) - step


@kernel
def best_sum(board, rules, rank, stock, weights):
    """Give the highest sum that a card can reach, with so many cards left after it."""
    highest = -CERTAIN
    for frame in range(_FRAMES):
        lying, cells, _ = framed(board, rules, frame)
        at_least, at_most = compared(lying.tops, rank)
        while cells != 0:
            cell = lowest(cells)
            cells &= cells - _U1
            total = promise(settled(lying, rules, rank, cell, at_least, at_most), rules, stock, weights)
            highest = max(highest, total)
    return highest


@kernel
def mean_chance(board, rules, remaining, stock, weights):
    """Give the mean, over the next card, of the chance to win that its best placement leaves."""
    total = 0.0
    for rank in range(1, RANKS + 1):
        cards = number_in(remaining, rank)
        if cards > 0:
            total += cards * chance(best_sum(board, rules, rank, stock - 1, weights))
    return total / stock


@kernel
def listed(board, rules, rank, stock, weights, actions, sums, boards):
    """List every placement of a card: its action, its sum and its board (all three modified); returns how many."""
    there = 0
    for frame in range(_FRAMES):
        lying, cells, step = framed(board, rules, frame)
        at_least, at_most = compared(lying.tops, rank)
        while cells != 0:
            cell = lowest(cells)
            cells &= cells - _U1
            after = settled(lying, rules, rank, cell, at_least, at_most)
            actions[there] = action_of(cell, step)
            sums[there] = promise(after, rules, stock, weights)
            boards[there, 0] = after.occupied
            boards[there, 1] = after.down
            boards[there, 2] = after.tops
            boards[there, 3] = after.heights
            there += 1
    return there


@kernel
def take_highest(sums, there):
    """Give the place of the highest sum."""
    best = 0
    for index in range(1, there):
        if sums[index] > sums[best]:
            best = index
    return best


@kernel
def kept(boards, index):
    """Give a listed board."""
    return Board(boards[index, 0], boards[index, 1], boards[index, 2], boards[index, 3])


@kernel
def plan(board, rules, rank, remaining, stock, depth, width, weights, actions, sums, boards):
    """Choose a placement by looking `depth` cards ahead; returns the action and its chance to win.

    Expectimax: of the `width` placements with the highest sums the one with the highest mean over the next card of what
    the best placement of that card is worth, and so on. `remaining` are the cards left by rank, `stock` how many; the
    last three are room to write in, of `depth` + 1 lists.
    """
    mine, sums_of, boards_of = actions[depth], sums[depth], boards[depth]
    there = listed(board, rules, rank, stock, weights, mine, sums_of, boards_of)
    if depth == 0:
        best = take_highest(sums_of, there)
        return mine[best], chance(sums_of[best])
    action, highest = np.int64(-1), -1.0
    for _ in range(min(width, there)):
        best = take_highest(sums_of, there)
        total = sums_of[best]
        sums_of[best] = -2.0 * CERTAIN
        if total == CERTAIN:
            return mine[best], 1.0
        worth = 0.0
        if total != -CERTAIN:
            after = kept(boards_of, best)
            if depth == 1:
                worth = mean_chance(after, rules, remaining, stock, weights)
            else:
                for next_rank in range(1, RANKS + 1):
                    cards = number_in(remaining, next_rank)
                    if cards > 0:
                        left = remaining - (_U1 << np.uint64(4 * next_rank))
                        worth += (
                            cards
                            * plan(
                                *(after, rules, next_rank, left, stock - 1, depth - 1, width, weights),
                                *(actions, sums, boards),
                            )[1]
                        )
                worth /= stock
        if worth > highest:
            action, highest = mine[best], worth
    return action, highest


@kernel
def shuffled(remaining, word, cards):
    """Lay the cards left into `cards` (modified) in an order that follows from a word."""
    there = 0
    for rank in range(1, RANKS + 1):
        for _ in range(number_in(remaining, rank)):
            cards[there] = rank
            there += 1
    for last in range(there - 1, 0, -1):
        other = pick(word_at(word, last), last + 1)
        cards[last], cards[other] = cards[other], cards[last]


@kernel
def best_board(board, rules, rank, stock, weights):
    """Give the board with the highest sum that a card can reach."""
    highest = -2.0 * CERTAIN
    best = board
    for frame in range(_FRAMES):
        lying, cells, _ = framed(board, rules, frame)
        at_least, at_most = compared(lying.tops, rank)
        while cells != 0:
            cell = lowest(cells)
            cells &= cells - _U1
            after = settled(lying, rules, rank, cell, at_least, at_most)
            total = promise(after, rules, stock, weights)
            if total > highest:
                best, highest = after, total
    return best


@kernel
def played_out(board, rules, cards, there, weights):
    """Play a board on, each card where its sum is highest; returns the cards left of a win, -1 of a loss."""
    for index in range(there):
        stock = there - 1 - index
        board = best_board(board, rules, np.int64(cards[index]), stock, weights)
        if is_lost(board, rules):
            return np.int64(-1)
        if is_won(board):
            return np.int64(stock) if stock > 0 or rules.last_card_wins != 0 else np.int64(-1)
    return np.int64(-1)


@kernel
def sampled(board, rules, rank, remaining, stock, samples, width, thrift, weights, word):
    """Choose a placement by playing on: of the `width` with the highest sums the one worth most in `samples` games.

    A win is worth 1 - `thrift`, and `thrift` more in proportion to the cards left, of 24 at most. Every placement is
    played on with the same orders of the stock, so that luck is the same for all of them.
    """
    actions = np.empty(MOST_PLACES, np.int64)
    sums = np.empty(MOST_PLACES, np.float64)
    boards = np.empty((MOST_PLACES, 4), np.uint64)
    cards = np.empty(CARDS, np.int64)
    there = listed(board, rules, rank, stock, weights, actions, sums, boards)
    worth = np.zeros(MOST_PLACES, np.float64)
    chosen = np.empty(MOST_PLACES, np.int64)
    count = min(width, there)
    for nth in range(count):
        best = take_highest(sums, there)
        if sums[best] == CERTAIN:
            return actions[best]
        chosen[nth] = best
        sums[best] = -2.0 * CERTAIN
    for sample in range(samples):
        shuffled(remaining, word_at(word, sample), cards)
        for nth in range(count):
            after = kept(boards, chosen[nth])
            if not is_lost(after, rules):
                left = played_out(after, rules, cards, stock, weights)
                if left >= 0:
                    worth[nth] += 1.0 - thrift + thrift * left / MOST_LEFT
    most = 0
    for nth in range(1, count):
        if worth[nth] > worth[most]:
            most = nth
    return actions[chosen[most]]
