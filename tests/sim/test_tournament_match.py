"""Matches: how many units of games decide one, replays of drawn ones, lots, and who has which place."""

from collections.abc import Sequence

import numpy as np
import pytest

from sim.tournament.draw import Draw
from sim.tournament.history import EMPTY, WIN_UNITS, Whole
from sim.tournament.match import (
    LOT,
    PLACES,
    PLAYED,
    POINTS,
    SUMS,
    WINS,
    Outcome,
    collect,
    deals_of,
    line_ups_of,
    play_matches,
    ranking,
    winners_by_lot,
)

WIN, LOSS, DRAW = (WIN_UNITS, 0), (0, WIN_UNITS), (WIN_UNITS // 2, WIN_UNITS // 2)


class Written:
    """A board of two seats where it is written who wins which unit of which match: + - = for the first seat."""

    def __init__(self, *matches: str) -> None:
        self.matches = matches
        self.asked: list[tuple[int, list[int]]] = []

    def play(self, which: Whole, unit: int) -> tuple[Whole, int]:
        self.asked.append((unit, which.tolist()))
        sums = np.zeros((len(which), 2, len(SUMS)), np.int64)
        for row, number in enumerate(which.tolist()):
            sums[row, :, WINS] = {"+": WIN, "-": LOSS, "=": DRAW}[self.matches[number][unit]]
            sums[row, :, POINTS] = (unit + 1, 10)
        return sums, 2


def held(matches: Sequence[str], best_of: int) -> Outcome:
    return play_matches(Written(*matches), len(matches), 2, best_of)


# ── How long a match is ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("units", "best_of", "places"),
    [
        ("+", 1, [1, 2]),
        ("-", 1, [2, 1]),
        ("=-", 1, [2, 1]),
        ("==========+", 1, [1, 2]),  # The tenth replay is the last one.
        ("++", 3, [1, 2]),  # Two of three cannot be caught up with.
        ("+-+", 3, [1, 2]),
        ("+=-=+", 3, [1, 2]),  # One all after three: replays.
        ("=+=", 3, [1, 2]),  # One to nothing.
        ("=++", 3, [1, 2]),
        ("-=-+-", 5, [2, 1]),  # Two ahead after three of five: two more may level it, so it is not over.
        ("---", 5, [2, 1]),
        ("+-+-+", 5, [1, 2]),
    ],
)
def test_a_knockout_match_ends_when_it_is_decided(units: str, best_of: int, places: list[int]) -> None:
    outcome = held([units], best_of)
    assert outcome.place.tolist() == [places]
    assert outcome.games.tolist() == [2 * len(units)]
    assert outcome.decided.tolist() == [PLAYED]


def test_fcd_39_after_ten_replays_a_lot_decides() -> None:
    outcome = held(["=" * 11, "-", "=" * 11], 1)
    assert outcome.games.tolist() == [22, 2, 22]
    assert outcome.decided.tolist() == [LOT, PLAYED, LOT]
    assert outcome.place.tolist() == [[1, 1], [2, 1], [1, 1]]
    assert outcome.sums[0, :, WINS].tolist() == [11 * WIN_UNITS // 2] * 2
    assert outcome.sums[0, :, POINTS].tolist() == [sum(range(1, 12)), 110]


def test_only_matches_that_are_open_go_on() -> None:
    board = Written("+", "=+", "==-")
    play_matches(board, 3, 2, 1)
    assert board.asked == [(0, [0, 1, 2]), (1, [1, 2]), (2, [2])]


def test_elsewhere_a_match_is_one_unit_and_may_be_drawn() -> None:
    outcome = held(["=", "+", "-"], 0)
    assert outcome.place.tolist() == [[1, 1], [1, 2], [2, 1]]
    assert outcome.games.tolist() == [2, 2, 2]
    assert outcome.decided.tolist() == [PLAYED] * 3


def test_a_round_of_byes_alone_is_played_by_nobody() -> None:
    for best_of in (0, 1):
        assert held([], best_of).place.shape == (0, 2)


def test_most_wins_then_best_places_rank_a_table() -> None:
    wins = np.array([[2520, 2520, 0, 0], [840, 840, 840, 0]])
    places = np.array([[5, 4, 4, 7], [3, 3, 3, 4]])
    assert ranking(wins, -places).tolist() == [[2, 1, 3, 4], [1, 1, 1, 4]]


# ── Sums ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_games_count_for_who_sat_there() -> None:
    # Columns as in the table `seats`: game, seat, entrant, score, place, win_share, lost, marks.
    seats = np.array(
        [
            [0, 0, 7, 12, 1, 2520, 0, 3],
            [0, 1, 4, 5, 2, 0, 0, 1],
            [1, 0, 4, 9, 1, 1260, 0, 2],
            [1, 1, 7, 9, 1, 1260, 0, 4],
            [2, 0, 300, 1, 2, 0, 0, 0],
            [2, 1, 7, 6, 1, 2520, 0, 1],
        ]
    )
    line_ups = np.array([[4, 7], [7, 300]])
    sums = np.zeros((2, 2, 4), np.int64)
    collect(seats, np.array([0, 0, 1]), line_ups, 2, 7, sums)
    assert sums.tolist() == [[[1260, 14, 3, 3], [3780, 21, 7, 2]], [[2520, 6, 1, 1], [0, 1, 0, 2]]]
    without = np.zeros((2, 2, 4), np.int64)
    collect(seats, np.array([0, 0, 1]), line_ups, 2, -1, without)
    sums[:, :, 2] = 0
    assert np.array_equal(without, sums)
    assert (WINS, POINTS, PLACES) == (0, 1, 3)


def test_tables_of_a_size_are_found_with_their_seats() -> None:
    tables = np.array([[[5, EMPTY, 3], [1, 2, 4]], [[0, 1, 2], [EMPTY, 4, EMPTY]]], np.int32)
    rows, matches, columns, line_ups = line_ups_of(tables, 2)
    assert (rows.tolist(), matches.tolist(), columns.tolist(), line_ups.tolist()) == ([0], [0], [[0, 2]], [[5, 3]])
    rows, matches, columns, line_ups = line_ups_of(tables, 3)
    assert (rows.tolist(), matches.tolist()) == ([0, 1], [1, 0])
    assert (columns.tolist(), line_ups.tolist()) == ([[0, 1, 2]] * 2, [[1, 2, 4], [0, 1, 2]])


# ── Chance ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_deal_has_a_number_of_its_own() -> None:
    rows, matches = np.repeat(np.arange(50), 8), np.tile(np.arange(8), 50)
    numbers = [
        deals_of(Draw.of(3, first, 50), number, rows, matches, unit, deals=3)
        for first in (0, 50)
        for number in range(3)
        for unit in range(4)
    ]
    assert np.unique(np.concatenate(numbers)).size == 2 * 50 * 8 * 3 * 4 * 3
    assert min(map(np.min, numbers)) >= 0
    assert max(map(np.max, numbers)) < 2**53
    # One of a batch, alone: repeat 57, round 2, match 5, the third unit.
    alone = deals_of(Draw.of(3, 57, 1), 2, np.array([0]), np.array([5]), 2, deals=3)
    assert np.array_equal(alone[0], numbers[12 + 2 * 4 + 2][7 * 8 + 5])


def test_lots_are_fair_and_of_their_match() -> None:
    draw = Draw.of(11, 0, 4000)
    rows, matches = np.arange(4000), np.full(4000, 3)
    lots = winners_by_lot(draw, 1, rows, matches)
    # Five deviations of 4,000 throws of a coin.
    assert abs(int(lots.sum()) - 2000) < 5 * np.sqrt(1000)
    assert set(lots.tolist()) == {0, 1}
    assert np.array_equal(winners_by_lot(draw, 1, rows[70:80], matches[70:80]), lots[70:80])
    assert not np.array_equal(winners_by_lot(draw, 2, rows, matches), lots)
    assert not np.array_equal(winners_by_lot(draw, 1, rows, matches + 1), lots)
