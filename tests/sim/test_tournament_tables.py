"""Tables of more than two: how evenly pairs meet, who sits with whom, and heats."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.errors import SpecError
from sim.tournament.history import EMPTY, Results, Whole
from sim.tournament.standings import Award, Criteria
from sim.tournament.tables import BalancedTables, Heats, SwissTables, balanced_plan, meetings, table_sizes
from tests.sim.tournaments import begun, by_chance, by_strength, matches_played, played


@pytest.mark.parametrize(
    ("entrants", "seats", "rounds", "often"),
    [
        (9, 3, 4, 1),  # the affine plane of order 3
        (16, 4, 5, 1),  # and of order 4
        (8, 4, 7, 3),  # Hadamard's 3-design
        (6, 3, 10, 4),  # all tables of three
    ],
)
def test_perfect_designs_are_found(entrants: int, seats: int, rounds: int, often: int) -> None:
    met = meetings(balanced_plan(entrants, seats, rounds), entrants)
    assert np.array_equal(met, often * (1 - np.eye(entrants, dtype=np.int64)))


# Measured: by how much the most and the least frequent meeting of a pair differ. 1 is the least where the meetings of a
# plan are no multiple of the pairs.
@pytest.mark.parametrize(
    ("entrants", "seats", "rounds", "spread"),
    [(12, 4, 11, 2), (13, 4, 6, 2), (20, 4, 6, 2), (10, 4, 9, 1), (7, 3, 7, 1), (64, 4, 8, 1)],
)
def test_pairs_meet_about_equally_often(entrants: int, seats: int, rounds: int, spread: int) -> None:
    met = meetings(balanced_plan(entrants, seats, rounds), entrants)[np.triu_indices(entrants, 1)]
    assert met.max() - met.min() <= spread


@given(entrants=st.integers(3, 26), seats=st.integers(3, 6), rounds=st.integers(1, 4))
@settings(max_examples=12, deadline=None)
def test_everybody_sits_once_in_a_round(entrants: int, seats: int, rounds: int) -> None:
    plan = balanced_plan(entrants, seats, rounds)
    for tables in plan:
        assert sorted(who for who in tables.ravel().tolist() if who != EMPTY) == list(range(entrants))
        taken = (tables != EMPTY).sum(axis=1)
        assert taken.tolist() == table_sizes(entrants, seats).tolist()
        assert all((tables[table, :size] != EMPTY).all() for table, size in enumerate(taken))


def test_seats_are_shared_evenly() -> None:
    plan = balanced_plan(16, 4, 8)
    sat = np.array([[(plan[:, :, seat] == who).sum() for seat in range(4)] for who in range(16)])
    # Eight rounds and four seats: two each would be even.
    assert sat.min() >= 1
    assert sat.max() <= 3


def test_sizes_of_tables_differ_by_one() -> None:
    assert [table_sizes(entrants, 4).tolist() for entrants in (4, 5, 9, 10)] == [[4], [3, 2], [3, 3, 3], [4, 3, 3]]


def test_drawn_numbers_give_each_repeat_its_own_tables() -> None:
    chosen = BalancedTables(seats=4, rounds=5)
    history = played(chosen, begun(16, 3), by_chance(1))
    assert not np.array_equal(history.rounds[0].tables[0], history.rounds[0].tables[1])
    for row in range(3):
        own = np.stack([round_played.tables[row] for round_played in history.rounds])
        assert np.array_equal(meetings(own, 16), 1 - np.eye(16, dtype=np.int64))
    assert matches_played(history).tolist() == [20] * 3 == [chosen.matches_for(16)] * 3


# ── Rounds by standing ───────────────────────────────────────────────────────────────────────────────────────────────


def test_those_sit_together_who_stand_alike() -> None:
    # Sixteen as listed, the better one wins. Round 1: 0-3, 4-7, 8-11, 12-15; then the four winners sit together, the
    # four seconds, and so on: nobody meets anybody again.
    chosen = SwissTables(seats=4, rounds=2, seeding="given")
    history = played(chosen, begun(16), by_strength(-np.arange(16)))
    assert [sorted(table) for table in history.rounds[0].tables[0].tolist()] == [
        [4 * table + seat for seat in range(4)] for table in range(4)
    ]
    assert [sorted(table) for table in history.rounds[1].tables[0].tolist()] == [
        [place + 4 * table for table in range(4)] for place in range(4)
    ]


def test_nobody_meets_anybody_again_while_that_can_be() -> None:
    history = played(SwissTables(seats=4, rounds=3), begun(16, 40), by_chance(3))
    for row in range(40):
        own = np.stack([round_played.tables[row] for round_played in history.rounds])
        assert meetings(own, 16).max() == 1
        for tables in own:
            assert sorted(tables.ravel().tolist()) == list(range(16))


def test_two_tables_of_three_are_the_best_of_all_ten() -> None:
    chosen, repeats = SwissTables(seats=3, rounds=4), 40
    history = played(chosen, begun(6, repeats), by_chance(9, draws=0.2), rounds=3)
    tables = chosen.pair(history)
    scores = Criteria(history, Award()).score()
    for row in range(repeats):
        met = meetings(np.stack([round_played.tables[row] for round_played in history.rounds]), 6)
        # A score group is a rank: how many have more.
        group = [int((scores[row] > scores[row, who]).sum()) for who in range(6)]

        def badness(table: tuple[int, ...], met: Whole = met, group: list[int] = group) -> tuple[int, int]:
            pairs = [*combinations(table, 2), *combinations(set(range(6)) - set(table), 2)]
            return sum(int(met[a, b]) ** 2 for a, b in pairs), sum((group[a] - group[b]) ** 2 for a, b in pairs)

        assert badness(tuple(tables[row, 0].tolist())) == min(badness(table) for table in combinations(range(6), 3))


def test_those_at_a_table_stand_closer_than_by_lot() -> None:
    history = played(SwissTables(seats=4, rounds=4), begun(40, 60), by_chance(3))
    before = history.until(3)
    scores = Criteria(before, Award()).score()
    rank = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    lot = np.argsort(np.random.default_rng(1).random((60, 40)), axis=1).reshape(60, 10, 4).astype(np.int32)
    spread, by_lot = (before.look_up(rank, tables).var(axis=2).mean() for tables in (history.rounds[3].tables, lot))
    # Measured: 0.18 of it; exchanges that look at second meetings only would leave 0.64.
    assert spread < 0.3 * by_lot


def test_tables_of_unequal_size_have_no_byes() -> None:
    chosen = SwissTables(seats=4, rounds=4)
    history = played(chosen, begun(9, 5), by_chance(3))
    for round_played in history.rounds:
        assert ((round_played.tables != EMPTY).sum(axis=2) == 3).all()
    assert matches_played(history).tolist() == [chosen.matches_for(9)] * 5


# ── Heats ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_best_two_of_each_table_go_on_to_one_final() -> None:
    # Ten as listed to and fro at three tables: 0 5 6 (9), 1 4 7, 2 3 8. The better ones win: 0 5, 1 4, 2 3 go on;
    # then 0 3 4 and 1 2 5: 0 3, 1 2; then the final.
    heats = Heats(seats=4, advance=2, seeding="given")
    history = played(heats, begun(10), by_strength(-np.arange(10)))
    assert [
        sorted(sorted(who for who in table if who != EMPTY) for table in round_played.tables[0].tolist())
        for round_played in history.rounds
    ] == [[[0, 5, 6, 9], [1, 4, 7], [2, 3, 8]], [[0, 3, 4], [1, 2, 5]], [[0, 1, 2, 3]]]
    standings = heats.standings(history)
    assert standings.rank.tolist() == [[1, 2, 3, 4, 5, 5, 7, 7, 7, 7]]
    assert standings.columns["place"].tolist() == [[1, 2, 3, 4, 0, 0, 0, 0, 0, 0]]
    assert heats.matches_for(10) == 6 == matches_played(history)[0]


def test_equal_places_at_the_edge_are_parted_by_points_then_marks_then_lot() -> None:
    heats = Heats(seats=4, advance=1, seeding="given")
    repeats = 4000
    history = begun(8, repeats)
    tables = heats.pair(history)
    assert tables[0].tolist() == [[0, 3, 4, 7], [1, 2, 5, 6]]
    # At the first table 3 and 4 are first, 4 with more marks; at the second all are alike.
    place = np.broadcast_to([[3, 1, 1, 4], [1, 1, 1, 1]], tables.shape)
    points = np.broadcast_to([[9, 5, 5, 5], [0, 0, 0, 0]], tables.shape)
    marks = np.broadcast_to([[9, 1, 2, 9], [0, 0, 0, 0]], tables.shape)
    after = history.add(tables, Results.of(place, points, marks))
    going = np.bincount(heats.pair(after)[:, 0, :2].ravel(), minlength=8)
    assert going[[0, 3, 4, 7]].tolist() == [0, 0, repeats, 0]
    assert np.abs(going[[1, 2, 5, 6]] - repeats / 4).max() < 5 * np.sqrt(repeats * 0.25 * 0.75)
    # One point more, and it is 3.
    points = np.broadcast_to([[9, 6, 5, 5], [0, 0, 0, 0]], tables.shape)
    after = history.add(tables, Results.of(place, points, marks))
    assert (heats.pair(after)[:, 0, :2] == 3).any(axis=1).all()


@given(entrants=st.integers(2, 120), seats=st.integers(3, 10), data=st.data())
@settings(max_examples=40, deadline=None)
def test_heats_end_in_one_final(entrants: int, seats: int, data: st.DataObject) -> None:
    heats = Heats(seats=seats, advance=data.draw(st.integers(1, seats // 2)))
    history = played(heats, begun(entrants, 2), by_chance(entrants))
    assert history.rounds[-1].tables.shape[1] == 1
    assert matches_played(history).tolist() == [heats.matches_for(entrants)] * 2
    for row in range(2):
        before = set(range(entrants))
        for round_played in history.rounds:
            seated = [who for who in round_played.tables[row].ravel().tolist() if who != EMPTY]
            assert len(set(seated)) == len(seated)
            assert set(seated) <= before
            before = set(seated)
        assert sorted(heats.standings(history).rank[row])[:2] == [1, 2]


def test_no_more_than_half_of_a_table_goes_on() -> None:
    with pytest.raises(SpecError, match=r"^Option 'advance' is 3; allowed with tables of 4: 1 to 2\.$"):
        Heats(advance=3).check(8)
