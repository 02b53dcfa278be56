import re
from pathlib import Path
from typing import Any

import pytest

from results.schema import TYPES
from results.tournament.layout import COMMON_COLUMNS
from sim.contract import GAME_COLUMNS, ROUND_COLUMNS, SEAT_COLUMNS, Column, game_names, load_game
from tests.results.made import make_cells, make_layout, make_plan, make_run

TEXT = (Path(__file__).parents[2] / "docs" / "results.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def documented(heading: str) -> list[tuple[str, ...]]:
    """The rows of the table below a heading: table, column, type, unit and meaning."""
    section = TEXT.split(f"\n### {heading}\n")[1].split("\n#")[0]
    rows = ("| games |", "| seats |", "| rounds |", "| standings |", "| matches |", "| played |")
    lines = [line for line in section.splitlines() if line.startswith(rows)]
    return [tuple(cell.strip(" `") for cell in line.split("|")[1:-1]) for line in lines]


def declared(*tables: tuple[Column, ...]) -> list[tuple[str, ...]]:
    return [
        (table, column.name, column.type, column.unit, column.text)
        for table, columns in zip(("games", "seats", "rounds"), tables, strict=True)
        for column in columns
    ]


def test_the_columns_of_every_game_are_documented() -> None:
    assert documented("Every game") == declared(GAME_COLUMNS, SEAT_COLUMNS, ROUND_COLUMNS)


@pytest.mark.parametrize("name", game_names())
def test_the_columns_of_each_game_are_documented(name: str) -> None:
    game = load_game(name)
    own = game.game_columns[len(GAME_COLUMNS) :], game.seat_columns[len(SEAT_COLUMNS) :]
    assert documented(game.title) == declared(*own, game.round_columns[len(ROUND_COLUMNS) :])


def test_the_columns_of_every_tournament_are_documented() -> None:
    named = [(table, name) for table, names in COMMON_COLUMNS.items() for name in names]
    assert [row[:2] for row in documented("Every tournament")] == named
    assert all(len(row) == 5 and row[2] in TYPES for row in documented("Every tournament"))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, int, float]]]:
    """A folder with a run `runs/evening`, and the answer counted from its cells."""
    place = tmp_path_factory.mktemp("place")
    layout = make_layout()
    make_run(place / "runs" / "evening", layout, make_plan(30, 8))
    games, seats, _ = (cells.tolist() for cells in make_cells(layout, 0, 30))
    first = layout.index("games", "first_seat")
    begun: dict[str, list[float]] = {}
    for number, game in enumerate(games):
        row = seats[number * layout.seats + game[first]]
        begun.setdefault(layout.entrants[row[2]], []).append(row[5] / 2520)
    return place, sorted((name, len(wins), sum(wins) / len(wins)) for name, wins in begun.items())


@pytest.mark.parametrize("block", BLOCKS, ids=[block.split()[1] for block in BLOCKS])
def test_the_answer_is_the_same_with_each_tool(
    block: str, expected: tuple[Path, list[tuple[str, int, float]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    place, rows = expected
    monkeypatch.chdir(place)
    names: dict[str, Any] = {}
    exec(block, names)
    assert [row[:2] for row in names["answer"]] == [row[:2] for row in rows]
    assert [row[2] for row in names["answer"]] == pytest.approx([row[2] for row in rows])


def test_there_are_three_tools() -> None:
    assert [block.split()[1] for block in BLOCKS] == ["duckdb", "polars", "pandas"]
