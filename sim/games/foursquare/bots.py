"""Bots of Foursquare: functions from a VIEW to an action."""

import numpy as np

from sim.chance import pick
from sim.compiled import kernel
from sim.contract import Parameter, bot
from sim.games.foursquare.board import board_of, compared, count, framed, is_lost, is_won, lowest, settled
from sim.games.foursquare.engine import count_legal, nth_legal
from sim.games.foursquare.lookahead import MOST_PLACES, action_of, plan, sampled
from sim.games.foursquare.outlook import WEIGHTS

_U1 = np.uint64(1)

# The place of each parameter in `view.parameters`.
_DEPTH, _WIDTH = 0, 1
_SAMPLES, _THRIFT = 0, 2


@kernel
def tidiness(board, rules):
    """Say how good a board looks at first sight: won, not lost, few face down, many piles."""
    if is_won(board):
        return np.int64(1000)
    if is_lost(board, rules):
        return np.int64(-1000)
    return count(board.occupied) - 20 * count(board.down)


@bot(name="random")
def random(view):
    """Picks uniformly among the legal actions and looks at nothing else."""
    return nth_legal(view, pick(view.word, count_legal(view)))


@bot()
def greedy(view):
    """Leaves as few piles face down as it can, and of those placements takes one that makes a new pile."""
    rules = view.rules
    best, action = np.int64(-10_000), np.int64(-1)
    for frame in range(4):
        lying, cells, step = framed(board_of(view), rules, frame)
        at_least, at_most = compared(lying.tops, view.rank)
        while cells != 0:
            cell = lowest(cells)
            cells &= cells - _U1
            worth = tidiness(settled(lying, rules, view.rank, cell, at_least, at_most), rules)
            if worth > best:
                best, action = worth, action_of(cell, step)
    return action


@bot(
    Parameter(
        "depth",
        1,
        0,
        4,
        "how many of the next cards it looks ahead, each at some 25 times the cost; 0: judges by the outlook alone",
        "cards",
        is_whole=True,
    ),
    Parameter(
        "width",
        25,
        1,
        25,
        "how many placements of a card, the best by the outlook, it looks into",
        "cells",
        is_whole=True,
    ),
)
def planner(view):
    """Looks some cards ahead, over all ranks that are left, and judges what comes of them by its outlook."""
    depth = np.int64(view.parameters[_DEPTH])
    actions = np.empty((depth + 1, MOST_PLACES), np.int64)
    sums = np.empty((depth + 1, MOST_PLACES), np.float64)
    boards = np.empty((depth + 1, MOST_PLACES, 4), np.uint64)
    action, _ = plan(
        *(board_of(view), view.rules, np.int64(view.rank), view.remaining, np.int64(view.stock), depth),
        *(np.int64(view.parameters[_WIDTH]), WEIGHTS[view.rules.flip_played], actions, sums, boards),
    )
    return action


@bot(
    Parameter(
        "samples", 100, 1, 100_000, "orders of the stock that it plays each placement on with", "games", is_whole=True
    ),
    Parameter("width", 8, 1, 25, "how many placements, the best by the outlook, it plays on", "cells", is_whole=True),
    Parameter("thrift", 0.0, 0.0, 1.0, "how much of a win's worth is its score; 0: it only wants to win", "share"),
)
def sampler(view):
    """Plays the best placements on to the end with many orders of the stock, and takes what does best."""
    return sampled(
        *(board_of(view), view.rules, np.int64(view.rank), view.remaining, np.int64(view.stock)),
        *(np.int64(view.parameters[_SAMPLES]), np.int64(view.parameters[_WIDTH]), view.parameters[_THRIFT]),
        *(WEIGHTS[view.rules.flip_played], view.word),
    )


BOTS = {each.name: each for each in (planner, sampler, greedy, random)}
