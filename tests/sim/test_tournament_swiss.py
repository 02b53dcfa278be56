"""The Swiss system: the matching under it, a published tournament's tie-breaks, and what holds of every number."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.compiled import entry
from sim.errors import SpecError
from sim.tournament.history import EMPTY, History, Results, Whole
from sim.tournament.matching import Graph, make_graph, match_all
from sim.tournament.standings import Award, Criteria
from sim.tournament.swiss import Swiss
from tests.sim.tournaments import begun, by_chance, by_pairs, by_strength, byes_of, matches_played, pairs_of, played

# ── Matching ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@entry
def match(graph: Graph, weights: Whole, mates: Whole) -> None:
    n = weights.shape[1]
    for row in range(len(weights)):
        for a in range(n):
            for b in range(n):
                graph.weight[a + 1, b + 1] = weights[row, a, b]
        is_perfect = match_all(graph, np.int64(n))
        for a in range(n):
            mates[row, a] = graph.mate[a + 1] - 1 if is_perfect else -1


def matched(weights: Whole) -> Whole:
    mates = np.zeros(weights.shape[:2], np.int64)
    match(make_graph(weights.shape[1]), weights, mates)
    return mates


def heaviest(weight: Any, left: tuple[int, ...]) -> float:
    """Try every perfect matching; minus infinity if there is none."""
    if not left:
        return 0.0
    first, rest = left[0], left[1:]
    return max(
        (
            weight[first][other] + heaviest(weight, tuple(vertex for vertex in rest if vertex != other))
            for other in rest
            if weight[first][other] > 0
        ),
        default=-np.inf,
    )


@pytest.mark.parametrize("n", [2, 4, 6, 8, 10])
@pytest.mark.parametrize("density", [0.3, 0.6, 1.0])
def test_a_matching_is_the_heaviest_of_all_perfect_ones(n: int, density: float) -> None:
    generator = np.random.default_rng(n)
    for most in (3, 10**15):
        weights = generator.integers(1, most + 1, (60, n, n)) * (generator.random((60, n, n)) < density)
        weights = np.triu(weights, 1)
        weights += weights.transpose(0, 2, 1)
        for weight, mates in zip(weights.tolist(), matched(weights).tolist(), strict=True):
            best = heaviest(weight, tuple(range(n)))
            if best == -np.inf:
                assert set(mates) == {-1}
            else:
                assert all(mates[mates[a]] == a != mates[a] for a in range(n))
                assert all(weight[a][mates[a]] > 0 for a in range(n))
                assert sum(weight[a][mates[a]] for a in range(n)) == 2 * best


# ── A published tournament ───────────────────────────────────────────────────────────────────────────────────────────

# The Hamilton Chess Club Championship 2018 (New Zealand), six rounds, 27 players, as published on hamiltonchess.net,
# "Richard On Tie Break", 11 April 2018: place, points, and a game a word: result, colour, opponent's place.
HAMILTON = """
1 5.5 +W10 +B17 +W12 =W2 +B4 +B3
2 5.5 +B27 +W16 +W9 =B1 +W8 +B10
3 4.0 =BYE +W11 +B6 =W4 +B5 -W1
4 4.0 +W22 +B15 =W8 =B3 -W1 +B13
5 4.0 -W16 +B14 +W22 +B15 -W3 +B8
6 4.0 -W21 +B27 -W3 +B23 +W16 +B14
7 4.0 -W9 -B23 +W27 +B19 +W15 +B12
8 3.5 +B25 +W21 =B4 +W13 -B2 -W5
9 3.5 +B7 +W13 -B2 =BYE +W18
10 3.5 -B1 +W25 +W26 =B12 +B17 -W2
11 3.5 =BYE -B3 -W14 +B25 +W20 +W17
12 3.0 +B20 +W18 -B1 =W10 =B14 -W7
13 3.0 +W23 -B9 +W19 -B8 +W21 -W4
14 3.0 =BYE -W5 +B11 +B22 =W12 -W6
15 3.0 +B26 -W4 +B21 -W5 -B7 +W24
16 3.0 +B5 -B2 -W17 +W24 -B6 +B22
17 2.5 +B24 -W1 +B16 =BYE -W10 -B11
18 2.5 +W19 -B12 +W23 =BYE -B9
19 2.5 -B18 +W20 -B13 -W7 =B25 +W21
20 2.5 -W12 -B19 =W25 +B27 -B11 +W26
21 2.0 +B6 -B8 -W15 +W26 -B13 -B19
22 2.0 -B4 +W24 -B5 -W14 +B26 -W16
23 2.0 -B13 +W7 -B18 -W6 -B24 +W27
24 2.0 -W17 -B22 +BYE -B16 +W23 -B15
25 2.0 -W8 -B10 =B20 -W11 =W19 +BYE
26 1.0 -W15 +BYE -B10 -B21 -W22 -B20
27 1.0 -W2 -W6 -B7 -W20 +BYE -B23
"""
GAMES = {"+": (1, 2), "=": (1, 1), "-": (2, 1)}
# The published tie-breaks of the first two. They are of the rules of that time, by which a round that somebody has not
# played counts for his opponents as a draw; since 2023 a bye that was given counts in full (FIDE C.07, article 16).
HAMILTON_TIE_BREAKS = {
    "direct": [0.5, 0.5],
    "buchholz": [22.5, 20.0],
    "sonneborn_berger": [19.75, 17.25],
    "buchholz_cut": [20.0, 19.5],
}


def hamilton(*, is_bye_drawn: bool) -> tuple[History, list[float]]:
    """The tournament as a history, and the published points.

    A half-point bye is a draw with one who is not there; with `is_bye_drawn` every round not played is.
    """
    lines = [line.split() for line in HAMILTON.strip().splitlines()]
    history = begun(2 * len(lines) + 2)
    absent = iter(range(len(lines), history.entrants))
    for player, (_, _, *games) in enumerate(lines):
        for word in games + ["-BYE"] * (6 - len(games)):
            place = GAMES[word[0]]
            if word[1:] == "BYE":
                is_drawn = word[0] == "=" or is_bye_drawn
                if not is_drawn and word[0] == "-":
                    continue
                other, place = (next(absent), (1, 1)) if is_drawn else (EMPTY, (1, 0))
            else:
                other = int(word[2:]) - 1
                # Each game stands in both lines, and must say the same there.
                back = {"W": "B", "B": "W"}[word[1]] + str(player + 1)
                assert {"+": "-", "=": "=", "-": "+"}[word[0]] + back in lines[other]
                if other < player:
                    continue
            # One game a round: tie-breaks do not ask when it was.
            history = history.add(np.array([[[player, other]]], np.int32), Results.of([[place]]))
    return history, [float(line[1]) for line in lines]


def test_a_published_swiss_has_the_published_points() -> None:
    history, points = hamilton(is_bye_drawn=False)
    rank, (score, *_) = Criteria(history, Award()).rank(["league_points", "direct", "buchholz"])
    assert (score.values[0, : len(points)] / score.scale).tolist() == points
    assert rank[0, :2].tolist() == [1, 2]


def test_a_published_swiss_has_the_published_tie_breaks() -> None:
    criteria = Criteria(hamilton(is_bye_drawn=True)[0], Award())
    rank, _ = criteria.rank(["league_points"])
    for name in ("direct", "buchholz", "sonneborn_berger", "buchholz_cut"):
        column = criteria.column(name, rank)
        assert (column.values[0, :2] / column.scale).tolist() == HAMILTON_TIE_BREAKS[name]
    # The winner's opponents have 3.5, 2.5, 3, 5.5, 4 and 4: without the lowest and the highest it is 14.5.
    median = criteria.column("buchholz_median", rank)
    assert median.values[0, 0] / median.scale == 14.5


def test_a_bye_counts_as_an_opponent_with_the_own_score() -> None:
    # Three entrants, one round: 0 beats 1, and 2 has a bye. FIDE C.07 (2023), article 16.4.
    tables = np.array([[[0, 1], [EMPTY, 2]]], np.int32)
    criteria = Criteria(begun(3).add(tables, Results.of([[[1, 2], [0, 1]]])), Award())
    none = np.ones((1, 3), np.int64)
    buchholz, berger = criteria.column("buchholz", none), criteria.column("sonneborn_berger", none)
    assert (buchholz.values / buchholz.scale).tolist() == [[0, 1, 1]]
    assert (berger.values / berger.scale).tolist() == [[0, 0, 1]]


# ── Pairings ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_halves_of_a_score_group_meet_in_order() -> None:
    # Eight by rating, the better one always wins: round 1 is 1-5 2-6 3-7 4-8, round 2 winners 1-3 2-4, losers 5-7 6-8.
    swiss = Swiss(rounds=3, seeding="given")
    history = played(swiss, begun(8), by_strength(-np.arange(8)))
    assert [pairs_of(played.tables) for played in history.rounds[:2]] == [
        [(0, 4), (1, 5), (2, 6), (3, 7)],
        [(0, 2), (1, 3), (4, 6), (5, 7)],
    ]
    # Round 3: 0 and 1 have won both; 2, 3, 4, 5 one, and 2-4, 3-5 are its halves; 6 and 7 none.
    assert pairs_of(history.rounds[2].tables) == [(0, 1), (2, 4), (3, 5), (6, 7)]


def test_neighbours_of_a_score_group_meet() -> None:
    swiss = Swiss(rounds=2, seeding="given", pairing="adjacent")
    history = played(swiss, begun(8), by_strength(-np.arange(8)))
    assert [pairs_of(played.tables) for played in history.rounds] == [
        [(0, 1), (2, 3), (4, 5), (6, 7)],
        [(0, 2), (4, 6), (1, 3), (5, 7)],
    ]


def test_the_bye_goes_to_the_last_of_the_lowest_group_who_had_none() -> None:
    swiss = Swiss(rounds=3, seeding="rating")
    history = begun(5, order=(4, 3, 2, 1, 0))
    history = played(swiss, history, by_strength(np.arange(5)))
    # Numbers 4 3 2 1 0. Round 1: 4-2, 3-1, bye 0. Scores 4 3 0: 1, 2 1: 0; the bye goes to 1, and 4-3, 0-2 would leave
    # a group of three, so one of it floats: 0, its last, to 2.
    assert pairs_of(history.rounds[0].tables) == [(2, 4), (1, 3)]
    assert byes_of(history.rounds[0].tables) == [0]
    assert byes_of(history.rounds[1].tables) == [1]
    assert pairs_of(history.rounds[1].tables) == [(3, 4), (0, 2)]
    # 4 has 2 points, 3 2 1 have one, 0 has none but had the bye: of the next group the last who had none is 2.
    assert byes_of(history.rounds[2].tables) == [2]


def test_who_sat_first_less_often_sits_first() -> None:
    history = played(Swiss(rounds=9), begun(20, 30), by_chance(4, draws=0.3))
    firsts = np.zeros((30, 20), np.int64)
    for round_played in history.rounds:
        np.add.at(firsts, (np.arange(30)[:, None], round_played.tables[:, :, 0]), 1)
    assert firsts.min() >= 3
    assert firsts.max() <= 6


@given(data=st.data(), entrants=st.integers(2, 15), seed=st.integers(0, 2**64 - 1))
@settings(max_examples=80, deadline=None)
def test_nobody_meets_the_same_one_or_has_a_bye_twice(data: st.DataObject, entrants: int, seed: int) -> None:
    most = entrants - 1 + entrants % 2
    swiss = Swiss(rounds=data.draw(st.integers(1, most)), pairing=data.draw(st.sampled_from(["fold", "adjacent"])))
    history = played(swiss, begun(entrants, 3, seed=seed), by_chance(seed % 997, draws=0.25))
    assert matches_played(history).tolist() == [swiss.matches_for(entrants)] * 3
    for row in range(3):
        met = [pair for round_played in history.rounds for pair in pairs_of(round_played.tables, row)]
        byes = [entrant for round_played in history.rounds for entrant in byes_of(round_played.tables, row)]
        assert len(set(met)) == len(met)
        assert len(set(byes)) == len(byes) == len(history.rounds) * (entrants % 2)
        for round_played in history.rounds:
            seated = round_played.tables[row].ravel().tolist()
            assert sorted(entrant for entrant in seated if entrant != EMPTY) == list(range(entrants))


def test_more_entrants_than_are_searched_are_paired_from_a_round_robin() -> None:
    history = played(Swiss(rounds=33), begun(34, 2), by_chance(1))
    for row in range(2):
        met = {pair for round_played in history.rounds for pair in pairs_of(round_played.tables, row)}
        assert len(met) == 34 * 33 // 2


def pairings(left: tuple[int, ...], met: set[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Every way to pair who has not met."""
    if not left:
        yield []
        return
    first, rest = left[0], left[1:]
    for other in rest:
        if (first, other) not in met:
            for others in pairings(tuple(entrant for entrant in rest if entrant != other), met):
                yield [(first, other), *others]


def test_score_groups_that_meet_are_as_close_as_can_be() -> None:
    repeats, swiss = 25, Swiss(rounds=4)
    history = played(swiss, begun(8, repeats), by_chance(11, draws=0.3), rounds=3)
    tables = swiss.pair(history)
    scores = Criteria(history, Award()).score()
    for row in range(repeats):
        groups = np.unique(-scores[row], return_inverse=True)[1].tolist()
        met = {pair for round_played in history.rounds for pair in pairs_of(round_played.tables, row)}
        costs = [sum((groups[a] - groups[b]) ** 2 for a, b in pairs) for pairs in pairings(tuple(range(8)), met)]
        assert sum((groups[a] - groups[b]) ** 2 for a, b in pairs_of(tables, row)) == min(costs)


def test_rounds_that_were_paired_elsewhere_may_leave_no_pairing() -> None:
    # 0 1 2 have met 3 4 5: what is left are two triangles.
    history = begun(6)
    winners = {(a, b): a for a in range(3) for b in range(3, 6)}
    for step in range(3):
        tables = np.array([[[a, 3 + (a + step) % 3] for a in range(3)]], np.int32)
        history = history.add(tables, by_pairs(winners)(history, tables))
    with pytest.raises(SpecError, match=r"^Round 4, repeat 0 of the batch: no pairing is left in which nobody meets"):
        Swiss(rounds=4).pair(history)


@pytest.mark.parametrize(("entrants", "most"), [(6, 5), (7, 7)])
def test_a_swiss_has_rounds_enough_for_no_second_meeting(entrants: int, most: int) -> None:
    Swiss(rounds=most).check(entrants)
    with pytest.raises(SpecError) as refused:
        Swiss(rounds=most + 1).check(entrants)
    assert re.fullmatch(
        rf"Option 'rounds' is {most + 1}; allowed with {entrants} entrants: 1 to {most}, so that nobody meets the same "
        "one twice.",
        str(refused.value),
    )


def test_a_swiss_has_as_many_rounds_as_a_knockout_unless_told() -> None:
    assert [Swiss().rounds_for(entrants) for entrants in (2, 3, 8, 9, 16, 17)] == [1, 2, 3, 4, 4, 5]
