import json
from dataclasses import replace

import pytest

from results.schema import SCHEMA_VERSION, Column, Layout, Ratio, arrow_schema
from sim.contract import GAME_COLUMNS, ROUND_COLUMNS, SEAT_COLUMNS
from sim.errors import SpecError, UnknownName
from tests.results.made import ENDING, make_layout


def test_a_layout_survives_json() -> None:
    for layout in (make_layout(), make_layout(rounds=3)):
        assert Layout.from_json(json.loads(json.dumps(layout.to_json()))) == layout


def test_without_rounds_the_layout_says_nothing_of_them() -> None:
    # So job.json is what it was before there were any, and a run of then can be opened.
    assert sorted(make_layout(rounds=3).to_json().keys() - make_layout().to_json().keys()) == [
        "round_columns",
        "rounds",
    ]


def test_the_common_columns_that_games_declare_fit() -> None:
    layout = Layout.of(
        game="any",
        entrants=("ann", "bob"),
        entrant_seats=(1, 2),
        rotations=3,
        game_columns=GAME_COLUMNS,
        seat_columns=SEAT_COLUMNS,
        round_columns=ROUND_COLUMNS,
        rounds=4,
    )
    assert layout.seats == 3
    assert layout.column("seats", "entrant").labels == ("ann", "bob")
    assert [column.name for column in layout.game_quantities] == ["turns", "decisions", "capped"]
    assert layout.tables == ("games", "seats", "rounds")
    assert [layout.rows_per_game(table) for table in layout.tables] == [1, 3, 12]


def test_the_arrow_schema_documents_each_column() -> None:
    schema = arrow_schema(make_layout(), "seats", {"identity": "abc", "game_version": "7"})
    assert schema.field("score").metadata == {b"unit": b"points", b"text": b"result"}
    assert schema.metadata == {
        b"fourfold.schema_version": str(SCHEMA_VERSION).encode(),
        b"fourfold.game": b"made-up",
        b"fourfold.identity": b"abc",
        b"fourfold.game_version": b"7",
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"entrants": ("ann", "ann", "cat", "dan")}, "each name only once"),
        ({"entrants": ("ann", "b\nb", "cat", "dan")}, "printable"),
        ({"entrant_seats": (1, 1, 2, 1)}, "hold 5 seats"),
        ({"entrant_seats": (1, 1, 1)}, "given for each"),
        ({"rotations": 0}, "played 0 times"),
        ({"distributions": (("games", "turn"),)}, "Did you mean 'turns'"),
        ({"distributions": (("game", "turns"),)}, "Did you mean 'games'"),
        ({"distributions": (("games", "deal"),)}, "not a quantity"),
        ({"ratios": (Ratio("x", "turns", "status"),)}, "not a quantity"),
        ({"game_columns": make_layout().game_columns[1:]}, "must begin with"),
        ({"game_columns": (*make_layout().game_columns, Column("turns", "int8"))}, "'turns' twice"),
        ({"game_columns": (*make_layout().game_columns, Column("capped", "bool"))}, "reserved"),
        ({"game_columns": (*make_layout().game_columns, ENDING, Column("ending=stock", "bool"))}, "reserved"),
        ({"rounds": 2}, "2 rounds a game, 0 columns of them"),
        ({"round_columns": make_layout(rounds=3).round_columns}, "0 rounds a game, 6 columns of them"),
        ({"rounds": -1}, "-1 rounds a game"),
        ({"rounds": 2, "round_columns": make_layout(rounds=3).round_columns[1:]}, "Table rounds must begin with"),
    ],
)
def test_a_layout_that_contradicts_itself_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        replace(make_layout(), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (("x", "int63"), "Did you mean 'int"),
        (("x", "text"), "labels"),
        (("x", "int8", "", "", ("a",)), "labels"),
        (("x", "text", "", "", ("a", "a")), "only once"),
        (("x", "text", "", "", ("a", "")), "a label is one printable character or more"),
        (("x", "int8", "", "", (), 10), "scale is 10"),
    ],
)
def test_a_column_that_no_table_can_hold_is_refused(values: tuple[str, str], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        Column(*values)


def test_a_distribution_of_rounds_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"Unknown table 'rounds' of the distribution of 'gain'\."):
        make_layout(rounds=3, distributions=(("rounds", "gain"),))


def test_an_unknown_column_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"Unknown column 'scores' in table seats. Did you mean 'score'\?"):
        make_layout().column("seats", "scores")


@pytest.mark.parametrize("data", [{}, {"entrants": 3}, {**make_layout().to_json(), "game_columns": [{"name": "x"}]}])
def test_a_layout_that_is_none_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        Layout.from_json(data)
