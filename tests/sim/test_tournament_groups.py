"""Groups and then a knockout: who is in which group, who goes on, and who can meet whom when."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.errors import SpecError
from sim.tournament.groups import GroupsThenKnockout, knockout_seats, snake
from sim.tournament.history import EMPTY
from tests.sim.tournaments import begun, by_chance, by_strength, matches_played, pairs_of, played


def test_seeds_are_dealt_to_and_fro() -> None:
    assert [group.tolist() for group in snake(10, 4)] == [[0, 7, 8], [1, 6, 9], [2, 5], [3, 4]]


def test_eight_in_two_groups_are_played_by_hand() -> None:
    # By rating 0 .. 7, the better one always wins: groups 0 3 4 7 and 1 2 5 6, so 0, 3 and 1, 2 go on.
    groups = GroupsThenKnockout(groups=2, advance=2, seeding="given", third_place=True)
    history = played(groups, begun(8), by_strength(-np.arange(8)))
    met = Counter(pair for round_played in history.rounds[:3] for pair in pairs_of(round_played.tables))
    assert met == Counter([*combinations((0, 3, 4, 7), 2), *combinations((1, 2, 5, 6), 2)])
    # A winner meets the second of the other group.
    assert sorted(pairs_of(history.rounds[3].tables)) == [(0, 2), (1, 3)]
    assert pairs_of(history.rounds[4].tables) == [(0, 1), (2, 3)]
    standings = groups.standings(history)
    # 4 and 5 were third of their groups, 6 and 7 fourth.
    assert standings.rank.tolist() == [[1, 2, 3, 4, 5, 5, 7, 7]]
    assert standings.columns["group_place"].tolist() == [[1, 1, 2, 2, 3, 3, 4, 4]]
    assert standings.columns["stage"].tolist() == [[2, 2, 1.5, 1.5, 0, 0, 0, 0]]


@given(data=st.data(), entrants=st.integers(4, 40), seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_the_best_of_each_group_go_on(data: st.DataObject, entrants: int, seed: int) -> None:
    count = data.draw(st.integers(2, entrants // 2))
    advance = data.draw(st.integers(1, entrants // count))
    chosen = GroupsThenKnockout(groups=count, advance=advance, third_place=data.draw(st.booleans()))
    history = played(chosen, begun(entrants, 2, seed=seed), by_chance(seed, draws=0.0))
    assert matches_played(history).tolist() == [chosen.matches_for(entrants)] * 2
    start = sum(not chosen.is_decisive(number, entrants) for number in range(len(history.rounds)))
    places = chosen.standings(history).columns["group_place"]
    for row in range(2):
        group = list(range(entrants))
        for round_played in history.rounds[:start]:
            for a, b in pairs_of(round_played.tables, row):
                group = [min(group[a], group[b]) if g in (group[a], group[b]) else g for g in group]
        assert len(set(group)) == count
        assert max(Counter(group).values()) - min(Counter(group).values()) <= 1
        going = {e for e in range(entrants) if places[row, e] <= advance}
        assert Counter(group[entrant] for entrant in going) == dict.fromkeys(group, advance)
        seated = history.rounds[start].tables[row].ravel().tolist()
        assert sorted(entrant for entrant in seated if entrant != EMPTY) == sorted(going)


def meeting(seats: list[int], one: int, other: int) -> int:
    """The round of a knockout, from 1 on, in which two can meet at the earliest."""
    return (seats.index(one) ^ seats.index(other)).bit_length()


@pytest.mark.parametrize("groups", [2, 4, 8, 16])
def test_the_two_of_a_group_meet_in_the_final_only(groups: int) -> None:
    seats = knockout_seats(groups, 2).tolist()
    rounds = (2 * groups - 1).bit_length()
    for group in range(groups):
        assert meeting(seats, 2 * group, 2 * group + 1) == rounds
    # In the first round each winner meets a second.
    assert all(sorted(entrant % 2 for entrant in seats[at : at + 2]) == [0, 1] for at in range(0, len(seats), 2))


@pytest.mark.parametrize("groups", range(2, 20))
@pytest.mark.parametrize("advance", [2, 3, 4])
def test_nobody_meets_one_of_his_group_in_the_first_round(groups: int, advance: int) -> None:
    seats = knockout_seats(groups, advance).tolist()
    assert sorted(seat for seat in seats if seat != EMPTY) == list(range(groups * advance))
    for group in range(groups):
        for one, other in combinations(range(advance), 2):
            assert meeting(seats, group * advance + one, group * advance + other) > 1
    # Byes are for the best: nobody has one while somebody of a better rank has none.
    byes = [max(seats[at : at + 2]) % advance for at in range(0, len(seats), 2) if EMPTY in seats[at : at + 2]]
    assert Counter(byes) == Counter([number // groups for number in range(len(byes))])


def test_equal_ranks_at_the_edge_are_parted_by_lot() -> None:
    # All matches of the groups are drawn without a point: each of three is as likely to go on.
    chosen = GroupsThenKnockout(groups=2, advance=1, seeding="given")
    history = played(chosen, begun(6, 6000), by_chance(1, draws=1.0), rounds=3)
    history = begun(6, 6000)
    for _ in range(3):
        tables = chosen.pair(history)
        history = history.add(tables, by_strength([0] * 6)(history, tables))
    going = np.bincount(chosen.pair(history).ravel(), minlength=6)
    # Five deviations of a binomial count.
    assert np.abs(going - 2000).max() < 5 * np.sqrt(6000 * (1 / 3) * (2 / 3))


@pytest.mark.parametrize(
    ("settings_given", "words"),
    [
        ({"groups": 5}, "Option 'groups' is 5; allowed with 9 entrants: 2 to 4, so that each has two or more."),
        (
            {"groups": 4, "advance": 3},
            "Option 'advance' is 3; allowed with 4 groups of 9 entrants: 1 to 2, the smallest group.",
        ),
        ({"best_of": 2}, "Option 'best_of' is 2; allowed: odd numbers from 1 to 99."),
    ],
)
def test_groups_that_cannot_be_are_refused(settings_given: dict[str, int], words: str) -> None:
    with pytest.raises(SpecError) as refused:
        GroupsThenKnockout(**settings_given).check(9)  # type: ignore[arg-type]
    assert str(refused.value) == words
