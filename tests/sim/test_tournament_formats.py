"""What holds of every format: the door, chance by repeat, a fair draw, and the best one on top."""

import msgspec
import numpy as np
import pytest

from sim import chance
from sim.errors import SpecError, UnknownName
from sim.tournament import draw
from sim.tournament.allplay import Gauntlet, RoundRobin
from sim.tournament.bracket import DoubleElimination, SingleElimination
from sim.tournament.draw import Draw
from sim.tournament.format import Format
from sim.tournament.formats import FORMATS, PRESETS, AnyFormat, make_format
from sim.tournament.groups import GroupsThenKnockout
from sim.tournament.history import EMPTY, Results, is_played
from sim.tournament.swiss import Swiss
from sim.tournament.tables import BalancedTables, Heats, SwissTables
from tests.sim import kernels
from tests.sim.tournaments import begun, by_chance, by_strength, played

DRAWN: list[tuple[Format, int]] = [
    (SingleElimination(), 5),
    (SingleElimination(third_place=True), 8),
    (DoubleElimination(), 6),
    (DoubleElimination(reset=False), 8),
    (Swiss(), 5),
    (Swiss(rounds=5, pairing="adjacent"), 6),
    (GroupsThenKnockout(groups=2), 7),
    (BalancedTables(seats=3, rounds=3), 7),
    (SwissTables(seats=3, rounds=3), 7),
    (Heats(seats=4, advance=2), 9),
]
EVERY: list[tuple[Format, int]] = [*DRAWN, (RoundRobin(), 7), (Gauntlet(challengers=2), 6)]
NAMES = [f"{chosen.name}-{entrants}" for chosen, entrants in EVERY]

# ── Chance ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_words_are_those_of_keyed_chance() -> None:
    words = Draw.of(7, 40, 3).words(draw.DRAW_LOTS, 5, 4)
    for row in range(3):
        key = kernels.key_of(np.uint64(7), 40 + row, chance.PURPOSE_TOURNAMENT, (draw.DRAW_LOTS << 32) + 5)
        assert words[row].tolist() == [int(kernels.word_of(np.uint64(key), index)) for index in range(4)]


def test_tournaments_have_a_purpose_of_their_own() -> None:
    known = [value for name, value in vars(chance).items() if name.startswith("PURPOSE_")]
    assert known.count(chance.PURPOSE_TOURNAMENT) == 1
    assert chance.PURPOSE_TOURNAMENT < chance.PURPOSE_GAME
    own = [value for name, value in vars(draw).items() if name.startswith("DRAW_")]
    assert len(set(own)) == len(own)


def test_orders_are_drawn_uniformly() -> None:
    orders = Draw.of(3, 0, 24_000).orders(draw.DRAW_PLACES, 0, 4)
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(counts) == 24
    # Mean plus six deviations of chi-square with 23 degrees of freedom, and 5 for its tail.
    assert ((counts - 1000) ** 2 / 1000).sum() < 23 + 6 * np.sqrt(46) + 5


@pytest.mark.parametrize(("chosen", "entrants"), EVERY, ids=NAMES)
def test_a_repeat_is_the_same_alone_as_in_a_batch(chosen: Format, entrants: int) -> None:
    batch = played(chosen, begun(entrants, 9, first=30), by_strength(np.arange(entrants)))
    alone = played(chosen, begun(entrants, 1, first=37), by_strength(np.arange(entrants)))
    for together, one in zip(batch.rounds, alone.rounds, strict=True):
        assert np.array_equal(together.tables[7], one.tables[0])
    assert np.array_equal(chosen.standings(batch).rank[7], chosen.standings(alone).rank[0])


# ── Fairness ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("chosen", "entrants"), DRAWN, ids=NAMES[: len(DRAWN)])
def test_equal_entrants_win_equally_often_whatever_a_seat_is_worth(chosen: Format, entrants: int) -> None:
    repeats = 4000
    history = played(chosen, begun(entrants, repeats, seed=5), by_chance(6, first_seat=0.3))
    first = chosen.standings(history).rank == 1
    share = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    # A shared first place varies less than a whole one. 4.5 deviations: for all 68 shares of the ten formats together
    # the chance of a false alarm is below 0.0005.
    assert np.abs(share - 1 / entrants).max() < 4.5 * np.sqrt((1 / entrants) * (1 - 1 / entrants) / repeats)


# Not of a Swiss of an odd number: a bye may bring another as many points without having met him.
@pytest.mark.parametrize(
    ("chosen", "entrants"), [case for case in EVERY if case[0].name != "swiss" or case[1] % 2 == 0]
)
def test_who_always_wins_is_first(chosen: Format, entrants: int) -> None:
    strength = np.argsort(np.random.default_rng(2).random((60, entrants)), axis=1)
    history = played(chosen, begun(entrants, 60), by_strength(strength))
    standings = chosen.standings(history)
    assert (standings.rank[strength == entrants - 1] == 1).all()
    assert (standings.rank == 1).sum(axis=1).tolist() == [1] * 60
    if isinstance(chosen, RoundRobin | DoubleElimination):  # and the next best second
        assert (standings.rank[strength == entrants - 2] == 2).all()


@pytest.mark.parametrize(("chosen", "entrants"), EVERY, ids=NAMES)
def test_a_round_has_as_many_matches_and_tables_of_such_sizes_whatever_happens(chosen: Format, entrants: int) -> None:
    history = played(chosen, begun(entrants, 30), by_chance(8))
    assert chosen.widths_for(entrants) == tuple(one.tables.shape[1] for one in history.rounds)
    sizes = {int(size) for one in history.rounds for size in (one.tables != EMPTY).sum(axis=2).ravel()}
    assert chosen.sizes_for(entrants) == tuple(sorted(sizes - {0, 1}))


@pytest.mark.parametrize(("chosen", "entrants"), EVERY, ids=NAMES)
def test_ranks_follow_from_the_columns(chosen: Format, entrants: int) -> None:
    history = played(chosen, begun(entrants, 30), by_chance(8, draws=0.0))
    standings = chosen.standings(history)
    for row in range(30):
        descending = -1 if "place" not in standings.columns else 1
        for one in range(entrants):
            for other in range(entrants):
                a, b = (
                    tuple(
                        column[row, who] * (descending if name == "place" else 1 if name == "group_place" else -1)
                        for name, column in standings.columns.items()
                    )
                    for who in (one, other)
                )
                if standings.rank[row, one] < standings.rank[row, other]:
                    assert a < b
        ranks = sorted(standings.rank[row].tolist())
        assert all(rank in (number, ranks[number - 2]) for number, rank in enumerate(ranks, 1))


# ── The door ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_presets_are_what_the_rules_say() -> None:
    # FCD-37: championship = knockout, with a match for third place, places drawn; league = everybody once.
    championship = make_format("championship", {}, 5)
    assert championship == SingleElimination(seeding="drawn", third_place=True) == make_format("knockout", {}, 5)
    assert make_format("league", {}, 4) == RoundRobin(legs=1, win=1, draw=0.5, loss=0)
    assert make_format("double-round-robin", {}, 4) == RoundRobin(legs=2)
    assert make_format("championship", {"third_place": "false"}, 5) == SingleElimination()


@pytest.mark.parametrize("name", [*FORMATS, *PRESETS])
def test_every_format_is_made_by_its_name_and_written_and_read_again(name: str) -> None:
    chosen = make_format(name, {}, 8)
    assert msgspec.json.decode(msgspec.json.encode(chosen), type=AnyFormat) == chosen
    assert chosen.rounds_for(8) >= 1
    assert chosen.matches_for(8) >= chosen.rounds_for(8)


def test_settings_may_be_words() -> None:
    given = {"rounds": "3", "pairing": "adjacent", "ranking": "league_points, buchholz", "win": "3", "draw": "1"}
    chosen = make_format("swiss", given, 8)
    assert chosen == Swiss(rounds=3, pairing="adjacent", ranking=("league_points", "buchholz"), win=3.0, draw=1.0)


@pytest.mark.parametrize(
    ("name", "settings", "entrants", "words"),
    [
        ("swis", {}, 8, "Unknown format 'swis'. Did you mean 'swiss'? Allowed: single_elimination, "),
        (
            "swiss",
            {"round": 3},
            8,
            "Unknown option 'round' of format 'swiss'. Did you mean 'rounds'? Allowed: ranking, ",
        ),
        ("swiss", {"rounds": "many"}, 8, "Option 'rounds' is 'many'; allowed: 0 to 999."),
        ("swiss", {"seeding": "elo"}, 8, "Option 'seeding' is 'elo'; allowed: drawn, given, rating."),
        ("swiss", {"ranking": "elo"}, 8, "Option 'ranking' is ['elo']; allowed: league_points, direct, points, "),
        ("league", {"win": 11}, 8, "Option 'win' is 11; allowed: 0.0 to 10.0."),
        ("league", {}, 1, "A tournament has 2 to 1000 entrants; given: 1."),
        ("heats", {"seats": 2}, 8, "Option 'seats' is 2; allowed: 3 to 10."),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    name: str, settings: dict[str, object], entrants: int, words: str
) -> None:
    with pytest.raises(SpecError) as refused:
        make_format(name, settings, entrants)
    assert str(refused.value).startswith(words)
    assert isinstance(refused.value, UnknownName) == words.startswith("Unknown")


def test_seeding_by_rating_needs_ratings() -> None:
    with pytest.raises(SpecError, match=r"^Seeding by rating needs the order of the entrants"):
        SingleElimination(seeding="rating").pair(begun(4))
    with pytest.raises(SpecError, match=r"names each of the 4 entrants 0 \.\. 3 once; given: 0, 1, 1, 2\.$"):
        begun(4, order=(0, 1, 1, 2))


def test_byes_are_won_before_anything_is_played() -> None:
    tables = np.array([[[0, 1], [EMPTY, 2], [EMPTY, EMPTY]]], np.int32)
    results = Results.blank(tables)
    assert is_played(tables).tolist() == [[True, False, False]]
    assert results.place.tolist() == [[[0, 0], [0, 1], [0, 0]]]
    results.place[is_played(tables)] = [[2, 1]]
    assert begun(3).add(tables, results).rounds[0].results.wins.tolist() == [[[0, 0]] * 3]


def test_a_history_is_not_changed_by_a_round() -> None:
    history = begun(4)
    tables = RoundRobin().pair(history)
    longer = history.add(tables, Results.of([[[1, 2], [2, 1]]]))
    assert (len(history.rounds), len(longer.rounds), len(longer.until(0).rounds)) == (0, 1, 0)
    assert longer.look_up(np.array([[5, 6, 7, 8]]), np.array([[[3, EMPTY]]], np.int32)).tolist() == [[[8, 0]]]
