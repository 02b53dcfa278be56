"""Matches: how many deals decide one, who has won it, and what its games come to."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sim.compiled import entry
from sim.contract import SEAT_COLUMNS
from sim.tournament.draw import DRAW_DEALS, DRAW_WINNER, Draw
from sim.tournament.history import EMPTY, Results, Tables, Whole
from sim.tournament.job import MAX_REPLAYS

DECIDED = ("played", "bye", "lot")
PLAYED, BYE, LOT = range(len(DECIDED))

SUMS = WINS, POINTS, MARKS, PLACES = range(4)  # what is summed over the games of a match

_NAMES = [column.name for column in SEAT_COLUMNS]
ENTRANT, SCORE, PLACE, WIN_SHARE = (_NAMES.index(name) for name in ("entrant", "score", "place", "win_share"))

_DEAL_BITS = 53  # of the number of a deal: JSON's numbers hold it
_UNIT_BITS = 20  # of the number of a deal in its match


@entry
def collect(seats: Whole, matches: Whole, line_ups: Whole, size: np.int64, marks: np.int64, sums: Whole) -> None:
    """Add what games came to, by who sat where in them, to the sums of their matches.

    `seats` are rows of the table `seats`, `size` a game; `matches` the match of each game, a row of `line_ups`, which
    holds the entrants of each match, and of `sums` (modified), (matches, seats, SUMS). `marks` is a column, -1: none.
    """
    for row in range(len(seats)):
        match = matches[row // size]
        for place in range(line_ups.shape[1]):
            if line_ups[match, place] == seats[row, ENTRANT]:
                sums[match, place, WINS] += seats[row, WIN_SHARE]
                sums[match, place, POINTS] += seats[row, SCORE]
                sums[match, place, PLACES] += seats[row, PLACE]
                if marks >= 0:
                    sums[match, place, MARKS] += seats[row, marks]


def deals_of(draw: Draw, number: int, rows: Whole, matches: Whole, unit: int, deals: int) -> Whole:
    """Draw the numbers of the deals of matches of a round, (matches, deals).

    `rows` are the matches' repeats, `matches` their numbers in the round, `unit` how often `deals` deals have been
    played before in the match. The legs of a repeat draw the same.
    """
    indices = (matches[:, None] << _UNIT_BITS) + (unit * deals + np.arange(deals))
    words = draw.words_at(DRAW_DEALS, number, np.repeat(rows, deals), indices.ravel())
    return (words >> np.uint64(64 - _DEAL_BITS)).astype(np.int64).reshape(indices.shape)


class Board(Protocol):
    """What plays the deals of matches: of one leg and round, and of tables of one size."""

    def play(self, which: Whole, unit: int) -> tuple[Whole, int]:
        """Play the deals of a unit of some matches: give their sums, (matches, seats, SUMS), and games a match."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How matches of tables of one size ended: (matches, seats) places, (matches, seats, SUMS) sums; games, how."""

    place: Whole
    sums: Whole
    games: Whole
    decided: Whole


def play_matches(board: Board, count: int, size: int, best_of: int) -> Outcome:
    """Play so many matches of tables of one size, each decided by most wins in its games, then by their places.

    With `best_of` 1 or more each has one winner of two: who wins most of so many units, each one unit of deals; a unit
    goes to who wins more of its games. If as many are won by both, up to 10 more units are played until one is won.
    Where none is, nobody has won yet: `decided` says LOT. With 0 matches are one unit and may be drawn. Rules: FCD-39.
    """
    sums = np.zeros((count, size, len(SUMS)), np.int64)
    games, decided = np.zeros(count, np.int64), np.full(count, PLAYED, np.int64)
    if not best_of:
        sums, each = board.play(np.arange(count), 0)
        return Outcome(ranking(sums[:, :, WINS], -sums[:, :, PLACES]), sums, games + each, decided)
    won = np.zeros((count, size), np.int64)
    left = np.arange(count)
    for unit in range(best_of + MAX_REPLAYS):
        if not len(left):
            break
        more, each = board.play(left, unit)
        sums[left] += more
        games[left] += each
        wins = more[:, :, WINS]
        won[left] += wins > wins[:, ::-1]
        lead = np.abs(won[left, 0] - won[left, 1])
        left = left[lead <= max(0, best_of - 1 - unit)]
    decided[left] = LOT
    return Outcome(ranking(won), sums, games, decided)


def ranking(*values: Whole) -> Whole:
    """Rank the seats of matches, 1, 1, 3, ..., by values, one after the other, the larger the better."""
    place = np.ones_like(values[0])
    for seat in range(place.shape[1]):
        is_better = np.zeros(place.shape, np.bool_)
        is_equal = np.ones(place.shape, np.bool_)
        for value in values:
            other = value[:, seat, None]
            is_better |= is_equal & (other > value)
            is_equal &= other == value
        place += is_better
    return place


def winners_by_lot(draw: Draw, number: int, rows: Whole, matches: Whole) -> Whole:
    """Draw which of its two seats wins each of some matches, 0 or 1. Rules: FCD-39."""
    return (draw.words_at(DRAW_WINNER, number, rows, matches) >> np.uint64(63)).astype(np.int64)


def line_ups_of(tables: Tables, size: int) -> tuple[Whole, Whole, Whole, Whole]:
    """Find the tables at which so many sit.

    Returns
    -------
    rows, matches, columns, line_ups
        Of each: its repeat, its match, and (matches, size) the seats of the plan that are taken and who has them.
    """
    is_taken = tables != EMPTY
    rows, matches = np.nonzero(is_taken.sum(axis=2) == size)
    if size == tables.shape[2]:
        columns = np.broadcast_to(np.arange(size), (len(rows), size))
    else:
        columns = np.argsort(~is_taken[rows, matches], axis=1, kind="stable")[:, :size]
    line_ups = tables[rows[:, None], matches[:, None], columns].astype(np.int64)
    return rows, matches, columns, line_ups


def lay_out(results: Results, outcome: Outcome, rows: Whole, matches: Whole, columns: Whole) -> None:
    """Write how matches ended into the results of their round (modified)."""
    at = rows[:, None], matches[:, None], columns
    results.place[at] = outcome.place
    results.points[at] = outcome.sums[:, :, POINTS]
    results.marks[at] = outcome.sums[:, :, MARKS]
    results.wins[at] = outcome.sums[:, :, WINS]
