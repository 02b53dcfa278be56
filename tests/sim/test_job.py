"""The door of jobs: what is written wrong is named, what is written differently is the same job."""

import dataclasses
import json
from contextlib import suppress
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.contract import load_game
from sim.document import job_from_document
from sim.errors import FourfoldError, SpecError, UnknownName
from sim.job import Entrant, Job, document_of, identity_of, make_job
from sim.table import count_games, deals_for_games, make_table
from tests.tiny import RELAY, SOLO

GAME = load_game("vierer")
PLAIN: dict[str, Any] = {"game": "vierer", "seats": 3, "entrants": [{"bot": "careful"}], "deals": 5}


def identity(document: dict[str, Any]) -> str:
    return identity_of(job_from_document(document), GAME)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "virer"}, r"Unknown game 'virer'\. Did you mean 'vierer'\?"),
        ({"dealz": 5}, r"Unknown key 'dealz' in The job\. Did you mean 'deals'\?"),
        ({"entrants": [{"bot": "carefull"}]}, r"Unknown bot 'carefull' of vierer\. Did you mean 'careful'\?"),
        ({"options": {"knock_penalt": 1}}, r"Unknown option 'knock_penalt' of vierer\. Did you mean 'knock_penalty'\?"),
        (
            {"entrants": [{"bot": "careful", "parameters": {"memori": 1}}]},
            r"Unknown parameter 'memori' of bot 'careful'\. Did you mean 'memory'\?",
        ),
        (
            {"entrants": [{"bot": "careful", "skills": {"reflexes": 1}}]},
            r"Unknown skill 'reflexes' of bot 'careful'\. Did you mean 'reflex'\?",
        ),
        ({"options": {"match_by": "colour"}}, r"Option 'match_by' is 'colour'; allowed: rank, points, either"),
        ({"options": {"limit": 9}}, r"Option 'limit' is 9; allowed: 10 to 1000"),
        ({"options": {"limit": 10.5}}, r"Option 'limit' is 10\.5; allowed: 10 to 1000"),
        ({"options": {"limit": True}}, r"Option 'limit' is True; allowed: 10 to 1000"),
        ({"options": {"limit": 10**40}}, r"Option 'limit'"),
        ({"options": {"initial_discard": 1}}, r"Option 'initial_discard' is 1; allowed: true, false"),
        ({"options": {"peek": 5}}, r"Option 'peek' is 5; allowed are 0 to hand_size = 4"),
        ({"options": {"deck": ["1 orange"]}}, r"Option 'deck' has 1 cards; 3 seats with 4 cards each need 13"),
        ({"options": {"deck": ["1 oranje"] * 20}}, r"Option 'deck', card 1: '1 oranje' is no card"),
        (
            {"entrants": [{"bot": "careful", "parameters": {"memory": 0}}]},
            r"'memory' is 0\.0; allowed are numbers from 0\.1",
        ),
        ({"entrants": [{"bot": "careful", "parameters": {"memory": "x"}}]}, r"'memory' is 'x'"),
        ({"entrants": [{"bot": "careful", "parameters": {"memory": "nan"}}]}, r"'memory' is 'nan'"),
        ({"entrants": [{"bot": "careful", "skills": {"reflex": 1e9}}]}, r"'reflex' is 1000000000\.0"),
        ({"seats": 9}, r"Vierer is played by 2 to 8 seats; 9 are too many"),
        ({"seats": 1}, r"1 are too few"),
        ({"entrants": [{"bot": "random"}] * 4}, r"4 bots for 3 seats"),
        ({"deals": 0}, r"The number of deals is 0; allowed are 1 to"),
        ({"seed": -1}, r"The seed is -1"),
        ({"seed": 2**64}, r"The seed is 18446744073709551616"),
        ({"preset": "author"}, r"There is no preset 'author': vierer has none; set its options one by one\."),
        ({"preset": 3}, r"preset"),
        ({"games": 3}, r"must say either 'deals' or 'games'"),
        ({"deals": "five"}, r"deals"),
        ({"deals": True}, r"deals"),
        ({"entrants": [{"bot": "careful", "name": "a\nb"}]}, r"printable"),
        (
            {"entrants": [{"bot": "careful", "name": "a"}, {"bot": "random", "name": "a"}]},
            r"Two different entrants are named 'a'",
        ),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        job_from_document({**PLAIN, **change})


@pytest.mark.parametrize("document", [None, 3, [], "job", {}, {"game": "vierer"}, {"game": 3, "deals": 1}])
def test_what_is_no_job_is_named(document: Any) -> None:
    with pytest.raises(SpecError):
        job_from_document(document)


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=True)
    | st.text(max_size=8)
    | st.sampled_from(["careful", "random", "vierer", "inf", "nan", "default52", "rank", "1 orange"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=5) | st.sampled_from(["bot", "name", "parameters", "skills", "memory", "reflex"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["game", "seats", "entrants", "deals", "games", "seed", "rotate", "options", "preset", "kind", "other"]
)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(changes=st.dictionaries(KEYS, JUNK, max_size=4))
def test_junk_raises_nothing_but_the_family(changes: dict[str, Any]) -> None:
    with suppress(FourfoldError):
        make_table(job_from_document({**PLAIN, **changes}))


OPTION_NAMES = st.sampled_from(GAME.Spec.__struct_fields__)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(options=st.dictionaries(OPTION_NAMES, JUNK, max_size=4))
def test_junk_in_options_raises_nothing_but_the_family(options: dict[str, Any]) -> None:
    with suppress(FourfoldError):
        make_table(job_from_document({**PLAIN, "options": options}))


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(value=JUNK)
def test_junk_as_a_parameter_raises_nothing_but_the_family(value: Any) -> None:
    for entrant in (
        Entrant("careful", parameters={"memory": value}),
        Entrant("careful", skills={"reflex": value}),
    ):
        with suppress(FourfoldError):
            make_job(GAME, entrants=[entrant], deals=1)


@pytest.mark.parametrize(
    "same",
    [
        {"seats": 3, "entrants": [{"bot": "careful"}] * 3},
        {"options": {"limit": 100, "match_by": "rank", "deck": "default52"}},
        {"seed": 1, "rotate": True, "kind": "simulate"},
        {"entrants": [{"bot": "careful", "parameters": {"memory": "inf"}, "skills": {"reflex": 1}}]},
        {
            "entrants": [
                {
                    "bot": "careful",
                    "name": "careful",
                    "parameters": {"margin": GAME.bots["careful"].parameters[1].default},
                }
            ]
        },
    ],
)
def test_the_identity_is_that_of_the_job_and_not_of_its_writing(same: dict[str, Any]) -> None:
    assert identity({**PLAIN, **same}) == identity(PLAIN)


def test_the_order_of_keys_does_not_matter() -> None:
    one = {**PLAIN, "options": {"limit": 50, "peek": 1}}
    other = {"options": {"peek": 1, "limit": 50}, **dict(reversed(PLAIN.items()))}
    assert identity(one) == identity(other)


@pytest.mark.parametrize(
    "other",
    [
        {"seats": 4},
        {"deals": 6},
        {"seed": 2},
        {"rotate": False},
        {"options": {"limit": 99}},
        {"options": {"deck": ["1 orange"] * 13}},
        {"entrants": [{"bot": "random"}]},
        {"entrants": [{"bot": "careful", "name": "c"}]},
        {"entrants": [{"bot": "careful", "parameters": {"memory": 3}}]},
        {"entrants": [{"bot": "careful", "skills": {"reflex": 2}}]},
        {"entrants": [{"bot": "careful"}, {"bot": "random"}]},
    ],
)
def test_what_matters_changes_the_identity(other: dict[str, Any]) -> None:
    assert identity({**PLAIN, **other}) != identity(PLAIN)


def test_the_version_of_the_game_is_in_the_identity() -> None:
    job = job_from_document(PLAIN)
    assert identity_of(job, dataclasses.replace(GAME, version="other")) != identity_of(job, GAME)


def test_a_job_comes_back_from_json() -> None:
    job = job_from_document(
        {
            **PLAIN,
            "seed": 2**64 - 1,
            "options": {"limit": 60},
            "entrants": [{"bot": "careful", "parameters": {"memory": 2.5}}, {"bot": "gambler", "name": "Ämilie"}],
        }
    )
    again = job_from_document(json.loads(json.dumps(document_of(job))))
    assert again == job
    assert isinstance(again, Job)


def test_games_are_rounded_up_to_whole_deals() -> None:
    job = make_job(GAME, entrants=[Entrant(name) for name in ("careful", "random", "gambler", "snapper")], deals=1)
    assert deals_for_games(job, 9).deals == 3  # Four rotations a deal.
    assert job_from_document({**PLAIN, "deals": None, "games": 9}).deals == 9  # Equal entrants: one.
    with pytest.raises(SpecError, match="number of games"):
        deals_for_games(job, 0)


def test_options_may_be_words_of_a_command_line() -> None:
    assert identity({**PLAIN, "options": {"limit": "50"}}) == identity({**PLAIN, "options": {"limit": 50}})
    assert identity({**PLAIN, "options": {"tie": "knocker_loses"}}) != identity(PLAIN)


def test_a_preset_comes_to_its_options() -> None:
    long = make_job(RELAY, deals=1, preset="long")
    assert long.options == {"chance": 0.25, "goal": 9, "legs": 6}
    assert long == make_job(RELAY, deals=1, options={"legs": 6, "goal": 9, "chance": 0.25})
    assert make_job(RELAY, deals=1, preset=None) == make_job(RELAY, deals=1)


def test_an_option_goes_before_the_preset() -> None:
    over = make_job(RELAY, deals=1, preset="long", options={"goal": 8, "legs": 3})
    assert over.options == {"chance": 0.25, "goal": 8}  # Three legs are the default.


def test_an_unknown_preset_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"Unknown preset 'saf' of relay\. Did you mean 'safe'\?"):
        make_job(RELAY, deals=1, preset="saf")
    with pytest.raises(SpecError, match=r"There is no preset '': solo has none"):
        make_job(SOLO, deals=1, preset="")


@pytest.mark.usefixtures("tiny_games")
def test_a_document_may_name_a_preset() -> None:
    job = job_from_document({"game": "relay", "deals": 3, "preset": "long", "options": {"goal": 8}})
    assert job == make_job(RELAY, deals=3, options={"legs": 6, "goal": 8, "chance": 0.25})
    assert "preset" not in document_of(job)
    counted = job_from_document({"game": "relay", "games": 6, "preset": "long", "options": {"goal": 8}})
    assert identity_of(counted, RELAY) == identity_of(job, RELAY)


@pytest.mark.parametrize(
    ("given", "kept"),
    [(0.25, 0.25), ("0.25", 0.25), ("2.5e-1", 0.25), (1, 1.0), ("1", 1.0), (0, 0.0), (-0.0, 0.0), ("-0", 0.0)],
)
def test_an_option_with_a_fraction_is_one_number_however_it_is_written(given: Any, kept: float) -> None:
    job = make_job(RELAY, deals=1, options={"chance": given})
    assert json.dumps(job.options) == json.dumps({"chance": kept})
    assert identity_of(job, RELAY) == identity_of(make_job(RELAY, deals=1, options={"chance": kept}), RELAY)


def test_the_default_of_an_option_with_a_fraction_is_not_recorded() -> None:
    assert make_job(RELAY, deals=1, options={"chance": "0.50"}).options == {}


NO_SHARES = [nan, inf, -inf, "nan", "inf", "x", "", "true", True, None, [0.5], {}, -1e-300, 1.0000001, 2, 10**400]


@pytest.mark.parametrize("given", NO_SHARES, ids=[str(value)[:10] for value in NO_SHARES])
def test_what_is_no_number_within_the_bounds_is_named(given: Any) -> None:
    with pytest.raises(SpecError, match=r"^Option 'chance' is .*; allowed: 0\.0 to 1\.0\.$"):
        make_job(RELAY, deals=1, options={"chance": given})


def test_a_game_for_one_says_so() -> None:
    for seats in (0, 2):
        with pytest.raises(SpecError, match=rf"^Solo is played by 1 seat; {seats} are too (few|many)\.$"):
            make_job(SOLO, seats=seats, deals=1)
    with pytest.raises(SpecError, match=r"Solo is played by 1 seat; 2 are too many"):
        make_job(SOLO, entrants=[Entrant("random"), Entrant("runner")], deals=1)


@pytest.mark.usefixtures("tiny_games")
def test_one_alone_plays_one_game_a_deal() -> None:
    job = make_job(SOLO, deals=7)
    assert (job.seats, [entrant.name for entrant in job.entrants]) == (1, ["random"])
    table = make_table(job)
    assert (table.most_rotations, table.seats_of, count_games(table, 0, 7)) == (1, (1,), 7)
    assert deals_for_games(job, 9).deals == 9


def test_g_7_a_job_records_every_option_that_is_not_the_default() -> None:
    job = make_job(GAME, entrants=[Entrant("random")], deals=1, options={"limit": 60, "peek": 2, "late_penalty": True})
    assert job.options == {"limit": 60, "late_penalty": True}


@pytest.mark.parametrize("value", [True, "true", "True", "TRUE"])
def test_an_option_of_yes_no_or_auto_is_said_like_any_flag(value: object) -> None:
    four_corner = load_game("four_corner")
    options = {"passdown_to_tokenless": value}
    job = make_job(four_corner, entrants=[Entrant("random")], seats=2, deals=1, options=options)
    assert job.options == {"passdown_to_tokenless": "true"}


def test_g_9_a_deck_is_in_the_job_by_content() -> None:
    deck = ["1 orange"] * 20
    document = document_of(job_from_document({**PLAIN, "options": {"deck": deck}}))
    assert list(document["options"]["deck"]) == deck


def test_an_unknown_game_is_named_with_its_hyphens() -> None:
    with pytest.raises(UnknownName, match="vierer"):
        load_game("vie-rer")
