import json
from dataclasses import replace
from typing import Any

import pytest

from results.kinds import check_fits, layout_from_json
from results.schema import Column, arrow_schema
from results.tournament.layout import Leg, TournamentLayout
from sim.contract import GAME_COLUMNS, ROUND_COLUMNS, SEAT_COLUMNS
from sim.errors import SpecError, UnknownName
from tests.results import made
from tests.results.tournament.made import COLUMNS, LEGS, NAMES, make_layout, make_plan

LAYOUT = make_layout(4, order=NAMES[::-1])


@pytest.mark.parametrize("layout", [LAYOUT, make_layout(1, LEGS[1:2], is_alone=True), made.make_layout()])
def test_a_layout_of_either_kind_survives_json(layout: Any) -> None:
    assert layout_from_json(json.loads(json.dumps(layout.to_json()))) == layout


def test_the_names_are_the_labels_of_the_columns() -> None:
    for table in ("standings", "matches", "seats"):
        (entrant,) = (column for column in LAYOUT.columns(table) if column.name == "entrant")
        assert entrant.labels == NAMES
    assert LAYOUT.columns("played")[2].labels == ("league", "tables", "knockout, shifted")
    assert LAYOUT.tables == LAYOUT.all_tables
    assert make_layout(1, LEGS[1:2]).tables == ("standings", "matches", "played", "games", "seats")


def test_the_common_columns_that_games_declare_fit() -> None:
    own = {"games": GAME_COLUMNS, "seats": SEAT_COLUMNS, "rounds": ROUND_COLUMNS}
    layout = TournamentLayout.of(game="any", entrants=NAMES, legs=LEGS, repeats=2, columns={**COLUMNS, **own})
    assert layout.columns("seats")[2].labels == NAMES


def test_what_is_summed_is_all_that_follows_the_rank() -> None:
    assert [column.name for column in LAYOUT.quantities] == [
        *("matches", "games", "won", "league_points", "points", "marks", "wins", "buchholz")
    ]


def test_the_arrow_schema_carries_the_units() -> None:
    schema = arrow_schema(LAYOUT, "standings", {"identity": "abc"})
    assert schema.field("wins").metadata[b"unit"] == b"wins"
    assert schema.metadata[b"fourfold.game"] == b"made-up"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"entrants": ("ann", "ann", "cat", "dan", "eve")}, "each with a name of its own"),
        ({"entrants": ("ann", "b\nb", "cat", "dan", "eve")}, "printable"),
        ({"entrants": ("ann",)}, "2 entrants or more"),
        ({"legs": (LEGS[0], LEGS[0])}, "each with a name of its own"),
        ({"legs": ()}, "1 legs or more"),
        ({"order": NAMES[1:]}, "must name each of them once"),
        ({"repeats": 0}, "one repeat or more"),
        ({"legs": (Leg("league", 0, 1), *LEGS[1:])}, "one match or more"),
        ({"legs": tuple(replace(leg, rounds=0) for leg in LEGS)}, "Columns of rounds"),
        ({"round_columns": ()}, "Columns of rounds"),
        ({"entrants": NAMES[::-1], "order": ()}, "the labels of column 'entrant' are not those of this run"),
        ({"match_columns": LAYOUT.match_columns[1:]}, "Table matches must begin with"),
        ({"seat_columns": LAYOUT.seat_columns[1:]}, "Table seats must begin with"),
        ({"standings_columns": (*LAYOUT.standings_columns, Column("buchholz", "int8"))}, "'buchholz' twice"),
        ({"match_columns": (*LAYOUT.match_columns[:9], Column("wins", "float64"), *LAYOUT.match_columns[10:])}, "2520"),
        ({"match_columns": (*LAYOUT.match_columns[:11], Column("decided", "text", "", "", ("a",)))}, "'decided'"),
    ],
)
def test_a_layout_that_contradicts_itself_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        replace(LAYOUT, **change)


def test_an_unknown_table_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"Unknown table 'match'. Did you mean 'matches'\?"):
        LAYOUT.columns("match")


@pytest.mark.parametrize("data", [{"kind": "tournament"}, {**LAYOUT.to_json(), "legs": [{"name": "x"}]}])
def test_a_layout_that_is_none_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        layout_from_json(data)


def test_a_plan_of_another_kind_or_number_is_refused() -> None:
    check_fits(LAYOUT, make_plan(4, 2))
    with pytest.raises(SpecError, match="cuts deals, which is not what a run of this kind"):
        check_fits(LAYOUT, made.make_plan(4, 2))
    with pytest.raises(SpecError, match="cuts repeats, which is not what a run of this kind"):
        check_fits(made.make_layout(), make_plan(4, 2))
    with pytest.raises(SpecError, match="for 5 tournaments and the run has 4"):
        check_fits(LAYOUT, make_plan(5, 2))
    with pytest.raises(SpecError, match="for 1 tournaments and the run has 4"):
        check_fits(LAYOUT, {"version": 1, "rounds": [3], "part_matches": 1, "detail": "full"})
