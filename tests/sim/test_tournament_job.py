"""A tournament as a value: what its one door lets in, what it makes of it, and what it says of everything else."""

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from sim.contract import load_game
from sim.document import tournament_from_document
from sim.errors import SpecError, UnknownName
from sim.job import Entrant, document_of, identity_of
from sim.tournament.bracket import SingleElimination
from sim.tournament.job import NamedFormat, Tournament, Variant, legs_of, make_tournament
from sim.tournament.swiss import Swiss

FOUR_CORNER, VIERER, FOURSQUARE = map(load_game, ("four_corner", "vierer", "foursquare"))
FIVE = [Entrant("random", f"r{number}") for number in range(5)]


def made(**given: Any) -> Tournament:
    return make_tournament(FOUR_CORNER, **{"entrants": FIVE, "formats": ["league"], **given})


def test_formats_times_variants_are_the_legs() -> None:
    tournament = made(
        formats=["league", NamedFormat("swiss", "short", {"rounds": "2"})],
        variants=[Variant("one", {"rounds": 1}), Variant("two", {"rounds": 2})],
        options={"bonus": 9},
    )
    legs = legs_of(tournament)
    assert [leg.name for leg in legs] == ["league, one", "league, two", "short, one", "short, two"]
    assert legs[2].format == Swiss(rounds=2)
    assert legs[3].variant == Variant("two", {"bonus": 9, "rounds": 2})
    assert [leg.name for leg in legs_of(made())] == ["league"]


def test_settings_that_are_defaults_are_not_recorded() -> None:
    plain = made(formats=[NamedFormat("knockout", "k", {"seeding": "drawn", "best_of": "3"})])
    assert plain.formats == (NamedFormat("single_elimination", "k", {"third_place": True, "best_of": 3}),)
    assert made(formats=[NamedFormat("swiss", "", {"rounds": 2})]).formats[0].name == "swiss:rounds=2"


def test_fcd_37_presets_are_one_game_a_match_for_both_token_tables() -> None:
    tournament = make_tournament(FOUR_CORNER, entrants=FIVE, preset="championship")
    assert [leg.name for leg in legs_of(tournament)] == ["championship, printed", "championship, shifted"]
    assert {leg.format for leg in legs_of(tournament)} == {SingleElimination(third_place=True)}
    assert [variant.options for variant in tournament.variants] == [{}, {"token_table": "shifted"}]
    assert (tournament.rotate, tournament.deals) == (False, 1)
    vierer = make_tournament(VIERER, entrants=FIVE, preset="league")
    assert [leg.name for leg in legs_of(vierer)] == ["league"]


def test_what_is_given_goes_before_the_preset() -> None:
    settled = make_tournament(FOUR_CORNER, entrants=FIVE, preset="league", options={"token_table": "shifted"})
    assert settled.variants == (Variant("default", {"token_table": "shifted"}),)
    both = make_tournament(FOUR_CORNER, entrants=FIVE, preset="league", options={"rounds": 1}, rotate=True)
    assert [variant.options for variant in both.variants] == [{"rounds": 1}, {"rounds": 1, "token_table": "shifted"}]
    assert both.rotate
    other = make_tournament(FOUR_CORNER, entrants=FIVE, preset="league", formats=["swiss"], variants=[Variant("x")])
    assert [leg.name for leg in legs_of(other)] == ["swiss"]


def test_a_bot_may_enter_more_than_once() -> None:
    twice = [Entrant("bayes"), Entrant("bayes", "", {"confidence": 0.9}), Entrant("bayes", "quick", {}, {"acuity": 2})]
    assert made(entrants=twice).names == ("bayes", "bayes:confidence=0.9", "quick")


def test_seats_are_those_of_the_formats_that_have_tables() -> None:
    nine = [Entrant("random", f"r{number}") for number in range(9)]
    tournament = made(entrants=nine, formats=["heats", "league", NamedFormat("tables", "t", {"seats": 3})], seats=5)
    assert [leg.format.sizes_for(9) for leg in legs_of(tournament)] == [(4, 5), (2,), (3,)]
    assert tournament.formats[0].name == "heats:seats=5"


def test_a_tournament_is_written_and_read_again() -> None:
    tournament = made(formats=["swiss", "heats"], preset="league", order=[f"r{n}" for n in (3, 1, 4, 0, 2)], repeats=7)
    plain = json.loads(json.dumps(document_of(tournament)))
    assert msgspec.convert(plain, Tournament) == tournament
    assert tournament_from_document(plain) == tournament
    assert tournament.places == (3, 1, 4, 0, 2)


def test_a_document_may_leave_out_what_has_a_default() -> None:
    document = {
        "kind": "tournament",
        "game": "four-corner",
        "preset": "championship",
        "entrants": [{"bot": "bayes"}, {"bot": "weigher"}, {"bot": "bayes", "parameters": {"confidence": 0.9}}],
        "formats": ["knockout", {"format": "swiss", "settings": {"rounds": 2}}],
        "options": {"rounds": 2},
        "repeats": 10,
    }
    tournament = tournament_from_document(document)
    assert [leg.name for leg in legs_of(tournament)] == [
        "knockout, printed",
        "knockout, shifted",
        "swiss:rounds=2, printed",
        "swiss:rounds=2, shifted",
    ]
    assert (tournament.repeats, tournament.seed, tournament.deals, tournament.rotate) == (10, 1, 1, False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"repeat": 3}, "Unknown key 'repeat' in The job. Did you mean 'repeats'?"),
        ({"kind": "simulate"}, "The job: Invalid enum value 'simulate' - at `kind`"),
        ({"formats": [{"name": "x"}]}, "The job: Object missing required field `format` - at `formats[0]`"),
        (
            {"formats": [{"format": "swiss", "rounds": 2}]},
            "Unknown key 'rounds' in formats[0] of The job. Allowed: format, name",
        ),
        ({"entrants": [{"bot": 3}]}, "The job: Expected `str`, got `int` - at `entrants[0].bot`"),
        ({"variants": [{"name": "x", "options": 3}]}, "The job: Expected `object`, got `int` - at `variants[0].opt"),
        ({"rotate": "yes"}, "The job: Expected `bool | null`, got `str` - at `rotate`"),
    ],
)
def test_a_document_names_the_place(change: dict[str, Any], words: str) -> None:
    document = {"game": "four-corner", "formats": ["league"], "entrants": [{"bot": "bayes"}] * 3}
    with pytest.raises(SpecError) as refused:
        tournament_from_document({**document, **change})
    assert str(refused.value).startswith(words)


def test_every_field_is_part_of_its_identity() -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"entrants": FIVE[:4]},
        {"formats": ["swiss"]},
        {"variants": [Variant("x")]},
        {"options": {"rounds": 1}},
        {"repeats": 2},
        {"deals": 2},
        {"rotate": False},
        {"seed": 2},
        {"order": [entrant.name for entrant in FIVE]},
    ]
    assert len({identity_of(made(**change), FOUR_CORNER) for change in changes}) == len(changes)
    assert identity_of(made(), FOUR_CORNER) == identity_of(made(rotate=True), FOUR_CORNER)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"entrants": FIVE[:2]}, "A tournament has 3 to 1000 entrants; given: 2."),
        ({"entrants": [*FIVE, FIVE[3]]}, "2 entrants are named 'r3': give each its own name."),
        ({"entrants": [Entrant("random")] * 3}, "3 entrants are named 'random': give each its own name."),
        ({"entrants": [*FIVE, Entrant("bays")]}, "Unknown bot 'bays' of four-corner. Did you mean 'bayes'?"),
        (
            {"entrants": [*FIVE, Entrant("bayes", "", {"confidense": 1})]},
            "Unknown parameter 'confidense' of bot 'bayes'. Did you mean 'confidence'?",
        ),
        ({"formats": []}, "A tournament has one format or more, or a preset; formats are single_elimination, double_"),
        ({"formats": ["leage"]}, "Unknown format 'leage'. Did you mean 'league'?"),
        ({"formats": ["league", "league"]}, "2 formats are named 'league': give each its own name."),
        ({"formats": [NamedFormat("knockout", "k", {"best_of": 2})]}, "Option 'best_of' is 2; allowed: odd numbers "),
        ({"formats": [NamedFormat("swiss", "s", {"rounds": 6})]}, "Option 'rounds' is 6; allowed with 5 entrants: "),
        ({"formats": [NamedFormat("league", "a\nb")]}, "A name is 1 to 100 printable characters; one of the formats"),
        ({"preset": "cup"}, "Unknown preset 'cup' of a tournament. Allowed: championship, league."),
        ({"variants": [Variant("a", {"bonuss": 1})]}, "Unknown option 'bonuss' of four-corner. Did you mean 'bonus'?"),
        ({"variants": [Variant("a"), Variant("a")]}, "2 variants are named 'a': give each its own name."),
        ({"seats": 4}, "Tables of 4 are given, and each of the formats seats two: league."),
        ({"formats": ["heats"], "seats": 11}, "Option 'seats' is 11; allowed: 3 to 10."),
        ({"repeats": 0}, "The number of repeats is 0; allowed are 1 to 1000000000."),
        ({"deals": 0}, "The number of deals a match is 0; allowed are 1 to 1000."),
        ({"seed": -1}, "The seed is -1; allowed are whole numbers from 0 to 2**64 - 1."),
        ({"order": ["r0", "r9"]}, "Unknown entrant 'r9' in the order. Did you mean "),
        ({"order": ["r0", "r1", "r2", "r3"]}, "The order from best to worst names each entrant once; look at 'r4'."),
        (
            {"order": ["r0", "r1", "r2", "r3", "r4", "r3"]},
            "The order from best to worst names each entrant once; look at 'r3'.",
        ),
        (
            {"formats": [NamedFormat("swiss", "s", {"seeding": "rating"})]},
            "Format 's' seeds by rating: give the order of the entrants, best first.",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError) as refused:
        made(**given)
    assert str(refused.value).startswith(words)
    assert isinstance(refused.value, UnknownName) == words.startswith("Unknown")


def test_tables_fit_the_game() -> None:
    many = [Entrant("random", f"r{number}") for number in range(18)]
    with pytest.raises(SpecError, match=r"^Format 'heats:seats=9' with 18 .* tables of 9; Vierer is .* 2 to 8 seats"):
        make_tournament(VIERER, entrants=many, formats=["heats"], seats=9)
    alone = make_tournament(FOURSQUARE, entrants=many, formats=["heats"], seats=9)
    assert legs_of(alone)[0].format.sizes_for(18) == (4, 9)


def test_a_kernel_takes_sixteen_different_bots() -> None:
    random = FOUR_CORNER.bots["random"]
    users = {f"b{number}": replace(random, name=f"b{number}") for number in range(17)}
    entrants = [Entrant(f"b{number % 16}", f"e{number}") for number in range(40)]
    assert len(made(entrants=entrants, bots=users).entrants) == 40
    with pytest.raises(SpecError, match=r"^17 different bots are entered; a tournament has up to 16, each as often"):
        made(entrants=[*entrants, Entrant("b16")], bots=users)
