"""Leagues and gauntlets: who meets whom, league points, and the ranking of FCD-39 step by step."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.errors import SpecError
from sim.tournament.allplay import Gauntlet, RoundRobin
from sim.tournament.history import EMPTY, History, Results
from sim.tournament.standings import Award, Criterion, earned
from tests.sim.tournaments import begun, by_chance, by_strength, matches_played, pairs_of, played


@pytest.mark.parametrize(("entrants", "matches"), [(4, 6), (5, 10)])
def test_fcd_e10_a_round_robin_has_so_many_matches(entrants: int, matches: int) -> None:
    history = played(RoundRobin(), begun(entrants), by_chance(1))
    assert matches_played(history).tolist() == [matches] == [RoundRobin().matches_for(entrants)]


@given(entrants=st.integers(2, 41), legs=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_everybody_meets_everybody_and_nobody_plays_twice_in_a_round(entrants: int, legs: int) -> None:
    league = RoundRobin(legs=legs)
    history = played(league, begun(entrants), by_chance(1))
    met: Counter[tuple[int, int]] = Counter()
    seats = np.zeros((entrants, 2), np.int64)
    for round_played in history.rounds:
        tables = round_played.tables[0]
        assert len(set(tables.ravel().tolist())) == tables.size
        assert tables.size == entrants - entrants % 2  # with an odd number one rests
        met.update(pairs_of(round_played.tables))
        for seat in (0, 1):
            np.add.at(seats[:, seat], tables[:, seat], 1)
    assert met == {(a, b): legs for b in range(entrants) for a in range(b)}
    assert np.abs(seats[:, 0] - seats[:, 1]).max() <= 1


def test_a_league_of_300_is_planned_round_by_round() -> None:
    league, history = RoundRobin(), begun(300)
    tables = league.pair(history)
    assert tables.shape == (1, 150, 2)
    assert league.rounds_for(300) == 299
    assert league.matches_for(300) == 44_850
    # A plan of many repeats is one plan: nothing is copied.
    assert league.pair(begun(300, 10_000)).strides[0] == 0


def league_of(matches: list[tuple[int, int, int, int]], marks: dict[int, int], entrants: int = 4) -> History:
    """Matches (a, points, points, b), one a round; who has more points wins."""
    history = begun(entrants)
    for number, (a, points, other, b) in enumerate(matches):
        place = [1, 1] if points == other else [1, 2] if points > other else [2, 1]
        given_marks = [marks.get(a, 0), marks.get(b, 0)] if number == 0 else [0, 0]
        tables = np.array([[[a, b]]], np.int32)
        history = history.add(tables, Results.of([[place]], [[[points, other]]], [[given_marks]]))
    return history


# 0, 1 and 2 beat one another in a ring and all beat 3: two league points each. All have 40 points.
# Among the three: 0 has 10 + 5 = 15, 1 has 4 + 8 = 12, 2 has 6 + 6 = 12.
RING = [(0, 10, 4, 1), (1, 8, 6, 2), (2, 6, 5, 0), (0, 25, 1, 3), (1, 28, 2, 3), (2, 28, 3, 3)]


def test_fcd_39_points_among_the_tied_are_computed_once() -> None:
    standings = RoundRobin().standings(league_of(RING, {}))
    assert standings.columns["league_points"].tolist() == [[2, 2, 2, 0]]
    assert standings.columns["points"].tolist() == [[40, 40, 40, 6]]
    # 3 is tied with nobody. Between 1 and 2 alone it would be 8 to 6, but the group is the one of three.
    assert standings.columns["points_among_tied"].tolist() == [[15, 12, 12, 0]]
    assert standings.rank.tolist() == [[1, 2, 2, 4]]
    assert list(standings.columns) == ["league_points", "points", "points_among_tied", "marks"]


def test_fcd_39_marks_part_whom_nothing_before_has_parted() -> None:
    # Marks are given in the first match, of 0 and 1.
    standings = RoundRobin().standings(league_of(RING, {0: 1, 1: 2}))
    assert standings.columns["marks"].tolist() == [[1, 2, 0, 0]]
    assert standings.rank.tolist() == [[1, 2, 3, 4]]


def test_fcd_39_league_points_come_before_points() -> None:
    # 0 wins by little, 1 loses high; 2 draws with both.
    standings = RoundRobin().standings(league_of([(0, 3, 2, 1), (0, 1, 1, 2), (1, 9, 9, 2)], {}, 3))
    assert standings.columns["league_points"].tolist() == [[1.5, 0.5, 1.0]]
    assert standings.columns["points"].tolist() == [[4, 11, 10]]
    assert standings.rank.tolist() == [[1, 3, 2]]


def test_league_points_may_be_three_for_a_win() -> None:
    league = RoundRobin(win=3, draw=1)
    standings = league.standings(league_of([(0, 3, 2, 1), (0, 1, 1, 2), (1, 9, 9, 2)], {}, 3))
    assert standings.columns["league_points"].tolist() == [[4, 1, 2]]


def test_matches_won_and_direct_encounters_rank_where_they_are_asked_for() -> None:
    ranking: tuple[Criterion, ...] = ("matches_won", "direct")
    # A ring of wins, 1 over 0, 0 over 3, 3 over 1, and 2 over 3; 2 draws with 0 and 1.
    matches = [(1, 5, 0, 0), (0, 5, 0, 3), (2, 5, 0, 3), (3, 5, 0, 1), (0, 1, 1, 2), (1, 1, 1, 2)]
    standings = RoundRobin(ranking=ranking).standings(league_of(matches, {}))
    assert standings.columns["matches_won"].tolist() == [[1, 1, 1, 1]]  # a draw is no win
    # All four have met: 0 has 0 + 1 + 1/2, 1 has 1 + 0 + 1/2, 2 has 1 + 1/2 + 1/2, 3 has 0 + 0 + 1.
    assert standings.columns["direct"].tolist() == [[1.5, 1.5, 2.0, 1.0]]
    assert standings.rank.tolist() == [[2, 2, 1, 4]]
    # Before 0 and 2, and 1 and 2, have met, the four have not all met one another.
    standings = RoundRobin(ranking=ranking).standings(league_of(matches[:4], {}))
    assert standings.columns["direct"].tolist() == [[0, 0, 0, 0]]
    assert standings.rank.tolist() == [[1, 1, 1, 1]]


@pytest.mark.parametrize(
    ("place", "points"),
    [
        ([1, 2, 3, 4], [1, 2 / 3, 1 / 3, 0]),
        ([1, 1, 3, 4], [5 / 6, 5 / 6, 1 / 3, 0]),
        ([1, 2, 3, 0], [1, 1 / 2, 0, 0]),
        ([1, 1, 1, 1], [1 / 2] * 4),
        ([1, 0, 0, 0], [1, 0, 0, 0]),
    ],
)
def test_a_table_of_four_shares_league_points_by_opponents_beaten(place: list[int], points: list[float]) -> None:
    tables = np.array([[[seat if rank else EMPTY for seat, rank in enumerate(place)]]], np.int32)
    history = begun(4).add(tables, Results.of([[place]]))
    assert (earned(history.rounds[0], Award())[0, 0] / 10080).tolist() == pytest.approx(points)


@pytest.mark.parametrize(
    ("award", "words"),
    [
        ((0.5, 1.0, 0.0), "given: win 0.5, draw 1, loss 0."),
        ((1.0, 0.3, 0.0), "given: win 1, draw 0.3, loss 0."),
        ((float("nan"), 0.5, 0.0), "given: win nan, draw 0.5, loss 0."),
        ((0.0, 0.0, 0.0), "A win earns more league points than a loss; given: 0 for both."),
    ],
)
def test_league_points_that_make_no_sense_are_refused(award: tuple[float, float, float], words: str) -> None:
    with pytest.raises(SpecError) as refused:
        RoundRobin(win=award[0], draw=award[1], loss=award[2]).check(4)
    assert words in str(refused.value)


@pytest.mark.parametrize("ranking", [(), ("points", "points")])
def test_a_ranking_names_each_criterion_once(ranking: tuple[Criterion, ...]) -> None:
    with pytest.raises(SpecError, match=r"^Option 'ranking' names one criterion or more, each once; given: "):
        RoundRobin(ranking=ranking).check(4)


# ── Gauntlet ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_each_challenger_meets_the_whole_list_and_nobody_else() -> None:
    gauntlet = Gauntlet(challengers=2, legs=2)
    history = played(gauntlet, begun(5), by_strength([3, 1, 4, 2, 0]))
    assert [sorted(pairs_of(played.tables)) for played in history.rounds] == [
        [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)]
    ] * 2
    assert history.rounds[0].tables[0, :, 0].tolist() == [0, 0, 0, 1, 1, 1]
    assert history.rounds[1].tables[0, :, 1].tolist() == [0, 0, 0, 1, 1, 1]
    assert gauntlet.matches_for(5) == 12 == matches_played(history)[0]
    standings = gauntlet.standings(history)
    # 0 beats 3 and 4 of three, 1 beats 4; 2 beats both challengers, 3 beats 1 of two, 4 nobody.
    assert standings.columns["league_points_per_match"][0].tolist() == pytest.approx([2 / 3, 1 / 3, 1, 1 / 2, 0])
    assert standings.columns["points_per_match"][0].tolist() == [3, 1, 4, 2, 0]
    assert standings.rank.tolist() == [[2, 4, 1, 3, 5]]


def test_a_gauntlet_has_a_list() -> None:
    with pytest.raises(SpecError, match=r"^Option 'challengers' is 4; allowed with 4 entrants: 1 to 3\.$"):
        Gauntlet(challengers=4).check(4)
