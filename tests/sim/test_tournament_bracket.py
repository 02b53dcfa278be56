"""Knockouts: hand-made brackets, a published double elimination, and what holds of any number of entrants."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.errors import SpecError
from sim.tournament.bracket import DoubleElimination, SingleElimination, crossings, seed_places
from sim.tournament.history import EMPTY, History, Results, Tables
from tests.sim.tournaments import (
    begun,
    by_chance,
    by_pairs,
    by_strength,
    byes_of,
    matches_played,
    pairs_of,
    played,
)

# ── Single elimination ───────────────────────────────────────────────────────────────────────────────────────────────


def test_fcd_e10_five_entrants_have_three_byes_and_five_matches() -> None:
    knockout = SingleElimination(third_place=True)
    history = played(knockout, begun(5, 300), by_chance(1))
    for row in range(300):
        assert len(history.rounds[0].tables[row]) == 4  # a bracket of eight places
        assert len(byes_of(history.rounds[0].tables, row)) == 3
    assert matches_played(history).tolist() == [5] * 300
    assert knockout.matches_for(5) == 5
    assert knockout.rounds_for(5) == 3


def test_fcd_37_with_three_entrants_the_one_losing_semi_finalist_is_third() -> None:
    knockout = SingleElimination(seeding="given", third_place=True)
    history = played(knockout, begun(3), by_strength([3, 1, 2]))
    # The first has a bye; 2 beats 1; the first beats 2.
    assert [pairs_of(played.tables) for played in history.rounds] == [[(1, 2)], [(0, 2)]]
    assert knockout.standings(history).rank.tolist() == [[1, 3, 2]]
    assert matches_played(history).tolist() == [knockout.matches_for(3)] == [2]


def test_fcd_37_byes_and_places_are_drawn_uniformly() -> None:
    repeats = 12_000
    tables = SingleElimination().pair(begun(5, repeats, seed=3))
    pairs = Counter(pairs_of(tables, row)[0] for row in range(repeats))
    matches = np.argmin((tables == EMPTY).any(axis=2), axis=1)  # where the one match of two stands
    assert len(pairs) == 10
    # Five deviations of a binomial count: less than one run in a million for 14 counts.
    for count in pairs.values():
        assert abs(count - repeats / 10) < 5 * np.sqrt(repeats * 0.1 * 0.9)
    for count in np.bincount(matches, minlength=4):
        assert abs(count - repeats / 4) < 5 * np.sqrt(repeats * 0.25 * 0.75)


def test_seeds_of_eight_stand_as_in_any_draw_sheet() -> None:
    # 1-8, 4-5 | 2-7, 3-6: the standard draw of eight seeds.
    assert (seed_places(8) + 1).tolist() == [1, 8, 4, 5, 2, 7, 3, 6]


@given(entrants=st.integers(2, 130))
@settings(max_examples=40, deadline=None)
def test_seeds_meet_as_late_as_they_should(entrants: int) -> None:
    history = begun(entrants, order=tuple(range(entrants)))
    history = played(SingleElimination(seeding="rating"), history, by_strength(-np.arange(entrants)))
    for number, round_played in enumerate(reversed(history.rounds)):
        # Where the better seed always wins, 2 ** (number + 1) are left, and the best of them play the worst.
        left = sorted(entrant for entrant in round_played.tables[0].ravel().tolist() if entrant != EMPTY)
        assert left == list(range(min(entrants, 2 ** (number + 1))))
        for a, b in pairs_of(round_played.tables):
            assert a + b == 2 ** (number + 1) - 1


def test_a_hand_made_bracket_of_eight_is_played_and_ranked() -> None:
    # Round 1: 0 beats 7, 4 beats 3, 6 beats 1, 2 beats 5. Round 2: 4 beats 0, 2 beats 6. Final: 2 beats 4.
    winners = {(0, 7): 0, (3, 4): 4, (1, 6): 6, (2, 5): 2, (0, 4): 4, (2, 6): 2, (2, 4): 2, (0, 6): 6}
    shared = SingleElimination(seeding="given")
    history = played(shared, begun(8), by_pairs(winners))
    assert [pairs_of(played.tables) for played in history.rounds] == [
        [(0, 7), (3, 4), (1, 6), (2, 5)],
        [(0, 4), (2, 6)],
        [(2, 4)],
    ]
    assert shared.standings(history).rank.tolist() == [[3, 5, 1, 5, 2, 5, 3, 5]]
    assert shared.standings(history).columns["stage"].tolist() == [[2, 1, 3, 1, 3, 1, 2, 1]]
    third = SingleElimination(seeding="given", third_place=True)
    history = played(third, begun(8), by_pairs(winners))
    assert pairs_of(history.rounds[2].tables) == [(2, 4), (0, 6)]
    assert third.standings(history).rank.tolist() == [[4, 5, 1, 5, 2, 5, 3, 5]]
    assert third.standings(history).columns["stage"].tolist() == [[2.5, 1, 3, 1, 3, 1, 2.5, 1]]


@given(entrants=st.integers(2, 70), seed=st.integers(0, 2**64 - 1), is_third=st.booleans())
@settings(max_examples=40, deadline=None)
def test_all_but_the_winner_lose_once(entrants: int, seed: int, is_third: bool) -> None:
    knockout = SingleElimination(third_place=is_third)
    history = played(knockout, begun(entrants, 3, seed=seed), by_chance(seed % 1000))
    assert matches_played(history).tolist() == [knockout.matches_for(entrants)] * 3
    rank = knockout.standings(history).rank
    for row in range(3):
        places = history.rounds[0].tables[row].ravel().tolist()
        assert sorted(entrant for entrant in places if entrant != EMPTY) == list(range(entrants))
        assert [EMPTY, EMPTY] not in history.rounds[0].tables[row].tolist()
        champion = int(np.flatnonzero(rank[row] == 1)[0])
        losses: Counter[int] = Counter()
        for number, round_played in enumerate(history.rounds):
            for match, (a, b) in enumerate(round_played.tables[row].tolist()):
                is_extra = is_third and number == len(history.rounds) - 1 and match == 1
                if EMPTY not in (a, b) and not is_extra:
                    losses[a if round_played.results.place[row, match, 0] == 2 else b] += 1
        assert losses == Counter(set(range(entrants)) - {champion})


def test_a_knockout_goes_on_with_one_of_two() -> None:
    knockout = SingleElimination(seeding="given")
    history = begun(4, 2)
    tables = knockout.pair(history)
    history = history.add(tables, Results.of([[[1, 2], [2, 1]], [[1, 2], [1, 1]]]))
    with pytest.raises(SpecError, match=r"^Round 1, repeat 1 of the batch, match 2: .* one winner.* \[1, 1\]\.$"):
        knockout.pair(history)


# ── Double elimination ───────────────────────────────────────────────────────────────────────────────────────────────

# The bracket stage of the Mid-Season Invitational 2023 (Riot Games, London, 9 to 21 May 2023), double elimination of
# eight without a second final, as told by win.gg, esports-news.co.uk and estnn.com. In the order of the draw.
TEAMS = ["Gen.G", "G2", "MAD", "T1", "Cloud9", "BLG", "JDG", "GG"]
MSI_2023 = [
    {("Gen.G", "G2"), ("T1", "MAD"), ("BLG", "Cloud9"), ("JDG", "GG")},
    {("T1", "Gen.G"), ("JDG", "BLG"), ("G2", "MAD"), ("Cloud9", "GG")},
    {("JDG", "T1"), ("Gen.G", "Cloud9"), ("BLG", "G2")},
    {("BLG", "Gen.G")},
    {("BLG", "T1")},
    {("JDG", "BLG")},
]
MSI_2023_RANKS = {"JDG": 1, "BLG": 2, "T1": 3, "Gen.G": 4, "Cloud9": 5, "G2": 5, "MAD": 7, "GG": 7}


def test_a_published_double_elimination_is_followed_match_by_match() -> None:
    # Places of the bracket in the order of the draw: the seed at each place is given the team that was drawn there.
    by_seed = [TEAMS[place] for place in np.argsort(seed_places(8))]
    number = {team: by_seed.index(team) for team in TEAMS}
    winners = {
        (min(number[a], number[b]), max(number[a], number[b])): number[a]
        for matches in MSI_2023[:5]
        for a, b in matches
    }
    # The two of the final had met before, with the same winner.
    msi = DoubleElimination(seeding="given", reset=False)
    history = played(msi, begun(8), by_pairs(winners))
    assert [
        {frozenset((by_seed[a], by_seed[b])) for a, b in pairs_of(round_played.tables)}
        for round_played in history.rounds
    ] == [{frozenset(match) for match in matches} for matches in MSI_2023]
    rank = msi.standings(history).rank[0]
    assert {team: int(rank[number[team]]) for team in TEAMS} == MSI_2023_RANKS


def test_a_first_loss_in_the_final_is_not_the_end() -> None:
    # Four: 0 beats 3, 1 beats 2; 0 beats 1; below 2 beats 3, 1 beats 2; the final is 0 against 1.
    winners = {(0, 3): 0, (1, 2): 1, (0, 1): 0, (2, 3): 2}
    double = DoubleElimination(seeding="given")
    history = played(double, begun(4), by_pairs(winners), rounds=3)
    assert pairs_of(double.pair(history)) == [(0, 1)]
    upper = history.add(double.pair(history), Results.of([[[1, 2]]]))
    assert double.pair(upper).tolist() == [[[EMPTY, EMPTY]]]
    over = upper.add(double.pair(upper), Results.of([[[0, 0]]]))
    assert double.standings(over).rank.tolist() == [[1, 2, 3, 4]]
    lower = history.add(double.pair(history), Results.of([[[2, 1]]]))
    assert pairs_of(double.pair(lower)) == [(0, 1)]
    seats = double.pair(lower)[0, 0].tolist()
    over = lower.add(double.pair(lower), Results.of([[[2 - (seat == 1) for seat in seats]]]))
    assert double.standings(over).rank.tolist() == [[2, 1, 3, 4]]
    assert double.matches_for(4) == 7


def losses_of(history: History, row: int) -> Counter[int]:
    losses: Counter[int] = Counter()
    for round_played in history.rounds:
        for (a, b), (first, _) in zip(
            round_played.tables[row].tolist(), round_played.results.place[row].tolist(), strict=True
        ):
            if EMPTY not in (a, b):
                losses[b if first == 1 else a] += 1
    return losses


@given(entrants=st.integers(2, 70), seed=st.integers(0, 2**64 - 1))
@settings(max_examples=40, deadline=None)
def test_all_but_the_winner_lose_twice(entrants: int, seed: int) -> None:
    double = DoubleElimination()
    history = played(double, begun(entrants, 3, seed=seed), by_chance(seed % 1000))
    rank = double.standings(history).rank
    for row in range(3):
        champion = int(np.flatnonzero(rank[row] == 1)[0])
        losses = losses_of(history, row)
        assert losses.pop(champion, 0) <= 1
        assert losses == {entrant: 2 for entrant in range(entrants) if entrant != champion}
        assert sorted(rank[row])[:2] == [1, 2]


def first_second_meeting(entrants: int, play_seed: int) -> int:
    """The first lower round in which somebody may meet the same one again, over many tournaments."""
    double = DoubleElimination(reset=False)
    history = played(double, begun(entrants, 400), by_chance(play_seed))
    final = len(history.rounds) - 1
    for number, round_played in enumerate(history.rounds):
        for row in range(history.repeats):
            before = {pair for earlier in history.rounds[:number] for pair in pairs_of(earlier.tables, row)}
            if before & set(pairs_of(round_played.tables, row)):
                return number
    return final


@pytest.mark.parametrize(("entrants", "lower_round"), [(4, 2), (8, 3), (16, 4), (32, 5), (64, 7)])
def test_who_has_met_meets_again_as_late_as_can_be(entrants: int, lower_round: int) -> None:
    # The latest of all crossings, found by trying them all: see `latest`.
    assert latest(entrants.bit_length() - 1) == lower_round
    assert first_second_meeting(entrants, 5) >= lower_round


def latest(upper_rounds: int) -> int:
    """Try every crossing of every round: the latest that the first possible second meeting can be."""
    # Blocks of matches of the upper round before, by where they can be below; as sets, for every choice.
    fronts = {frozenset({0})}
    for number in range(1, upper_rounds):
        joined = {
            blocks | {crossing}
            for blocks in fronts
            for crossing in range(1 << (upper_rounds - 1 - number))
            if crossing not in blocks
        }
        if not joined:
            return 2 * number
        fronts = {
            frozenset(block >> 1 for block in blocks)
            for blocks in joined
            if not any(block ^ 1 in blocks for block in blocks)
        }
        if not fronts:
            return 2 * number + 1
    return 2 * upper_rounds


def test_crossings_stay_within_their_round() -> None:
    for upper_rounds in range(1, 11):
        cross = crossings(upper_rounds)
        assert len(cross) == upper_rounds - 1
        assert all(0 <= c < 1 << (upper_rounds - 2 - number) for number, c in enumerate(cross))


def test_the_best_of_an_odd_number_is_asked_for() -> None:
    for kind in (SingleElimination, DoubleElimination):
        with pytest.raises(SpecError, match=r"^Option 'best_of' is 4; allowed: odd numbers from 1 to 99\.$"):
            kind(best_of=4).check(8)


def tables_of(rows: list[list[int]]) -> Tables:
    return np.array([rows], np.int32)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ([[1, 2], [2, 2]], "match 2: the places [2, 2] of entrants [2, 3] are no ranking"),
        ([[1, 2], [0, 1]], "match 2: the places [0, 1] of entrants [2, 3] are no ranking"),
        ([[1, 2]], "'place' has the shape (1, 1, 2); its tables have (1, 2, 2)."),
    ],
)
def test_results_that_do_not_fit_their_tables_are_refused(place: list[list[int]], words: str) -> None:
    with pytest.raises(SpecError) as refused:
        begun(4).add(tables_of([[0, 1], [2, 3]]), Results.of([place]))
    assert words in str(refused.value)


def test_tables_that_do_not_fit_the_tournament_are_refused() -> None:
    with pytest.raises(SpecError, match=r"^Round 1: tables hold entrants 0 \.\. 3, or -1 for nobody\.$"):
        begun(4).add(tables_of([[0, 4]]), Results.of([[[1, 2]]]))
    with pytest.raises(SpecError, match=r"with 2 repeats; given: \(1, 1, 2\)\.$"):
        begun(4, 2).add(tables_of([[0, 1]]), Results.of([[[1, 2]]]))
