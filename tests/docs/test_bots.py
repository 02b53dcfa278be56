import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.contract import game_names, load_game
from sim.games.four_corner import spec as four_corner
from sim.games.vierer import bots, engine, spec
from sim.job import make_job
from sim.play import Player, start
from sim.table import make_table
from tests.docs.pages import ROOT, blocks, console, is_shown, page, rows
from workers.bots import read_line_up

PAGE = page("docs/bots.md")
FIELDS = rows(PAGE, "## What it sees")
PLACE_FIELDS = rows(PAGE, "A place is `view.places[seat, slot]`, with these fields:")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the page's commands work, and where their runs are left."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "docs").symlink_to(ROOT / "docs")
    return folder


CONSOLE = [pair for language, content in blocks(PAGE) if language == "console" for pair in console(content)]


@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=range(len(CONSOLE)))
def test_a_command_prints_in_the_end_what_the_page_shows(
    command: str, shown: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.delenv("FOURFOLD_RUNS", raising=False)
    ended = subprocess.run(
        ["bash", "-c", command],
        cwd=place,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    # What comes before, on a first start that the kernels are compiled, is no part of the page.
    assert is_shown("..." + shown, ended.stderr + ended.stdout), ended.stderr + ended.stdout


def test_the_page_shows_the_example_as_it_is() -> None:
    assert ("python", page("docs/examples/thrower.py")) in blocks(PAGE)


def test_every_field_of_a_view_is_described_with_its_type() -> None:
    described = {name.strip("`"): kind for name, kind, _ in FIELDS}
    view = spec.VIEW.fields
    assert view is not None
    # `block`, `words` and `cells` are other fields once more, for the engine to copy.
    fields = {name: field[0] for name, field in view.items() if name not in {"block", "words", "cells"}}
    assert described == {name: kind_of(dtype) for name, dtype in fields.items()}


def test_every_field_of_a_place_is_described_with_its_type() -> None:
    described = {name.strip("`"): kind for name, kind, _ in PLACE_FIELDS}
    assert spec.PLACE.fields is not None
    assert described == {name: kind_of(field[0]) for name, field in spec.PLACE.fields.items()}


def kind_of(dtype: "np.dtype[Any]") -> str:
    """How the page writes a type."""
    if dtype.base.names:
        return f"record {list(dtype.shape)}" if dtype.shape else "record"
    return f"{dtype.base} {list(dtype.shape)}" if dtype.shape else str(dtype)


def test_the_fields_of_the_rules_are_the_options_and_those_named() -> None:
    options = {field for field in spec.Spec.__struct_fields__ if field != "deck"}
    named = re.findall(r"`(\w+)`", next(row[2] for row in FIELDS if row[0] == "`rules`"))
    assert options | set(named) == set(spec.RULES.names or ())


def test_every_phase_is_in_both_tables() -> None:
    asked = [name for name in spec.PHASES if name != "over"]
    described = next(row[2] for row in FIELDS if row[0] == "`phase`")
    assert re.findall(r"`PHASE_(\w+)`", described) == [name.upper() for name in asked]
    assert sorted(row[0] for row in rows(PAGE, "## What it answers")) == sorted(asked)


def test_every_name_on_the_page_exists() -> None:
    first, *others = PAGE.split("\n## A bot of ")
    for text in (first, *others):
        title = text.split("\n")[0]
        own = next((load_game(name) for name in game_names() if load_game(name).title == title), load_game("vierer"))
        known = importlib.import_module(f"sim.games.{own.name}.spec")
        for name in re.findall(r"`([A-Z]+_[A-Z_]+)`", text):
            assert hasattr(known, name) or name.startswith(("FOURFOLD_", "NUMBA_")), (title, name)
    section = PAGE.split("From `sim.games.vierer.engine`:")[1].split("\n## ")[0]
    from_engine, from_bots = section.split("From `sim.games.vierer.bots`:")
    for module, text in ((engine, from_engine), (bots, from_bots)):
        for name in re.findall(r"`([a-z_]+)[`(]", text):
            assert hasattr(module, name), name


@pytest.mark.parametrize("seat_count", [2, 5])
def test_a_view_outside_the_table_is_as_the_page_says(seat_count: int) -> None:
    view = start("vierer", seats=seat_count).view()
    assert not view["counts"][seat_count:].any()
    assert (view["places"]["card"][seat_count:] == -1).all()
    assert (view["places"]["origin"][seat_count:] == -1).all()


def test_a_card_is_coded_as_the_page_says() -> None:
    # 10 green: the third colour, the tenth rank.
    assert spec.DEFAULT_DECK[13 * 2 + 9] == "10 green"


def test_the_word_that_sets_parameters_is_read_as_meant() -> None:
    word = "thrower.py:thrower:knock=5:memory=12"
    assert word in PAGE
    entrants, _ = read_line_up(f"{ROOT}/docs/examples/{word}", load_game("vierer"))
    assert entrants[0].parameters == {"knock": "5", "memory": "12"}


def example_of(heading: str, folder: Path) -> Path:
    """Write the one bot that a section of the page shows into a file."""
    section = PAGE.split(f"\n{heading}\n")[1].split("\n## ")[0]
    (code,) = [content for language, content in blocks(section) if language == "python"]
    file = folder / "example.py"
    file.write_text(code)
    return file


def played(game_name: str, line_up: str, deals: int) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Play so many deals: the entrants in the order of the line-up, games and seats as columns by name."""
    game = load_game(game_name)
    entrants, bots_of_users = read_line_up(line_up, game)
    job = make_job(game, entrants=entrants, seats=len(entrants), deals=deals, bots=bots_of_users)
    games, seats, _ = Player(make_table(job, bots_of_users)).play(0, deals)
    named = [
        {column.name: rows[:, at] for at, column in enumerate(columns)}
        for rows, columns in ((games, game.game_columns), (seats, game.seat_columns))
    ]
    return job.entrants, named[0], named[1]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("## A bot of Foursquare", "foursquare"),
        ("## A bot of Four Corner Detective", "four_corner"),
        ("## A bot of Vier zu mir!", "vier_zu_mir"),
        ("## A bot of Clueverge", "clueverge"),
    ],
)
def test_every_field_of_a_view_of_each_game_is_described_with_its_type(heading: str, name: str) -> None:
    described = {name.strip("`"): kind for name, kind, _ in rows(PAGE, heading)}
    view = load_game(name).view.fields
    # Other fields once more, for the engine to copy.
    fields = {name: field[0] for name, field in view.items() if name not in {"block", "words", "felt", "kept"}}
    assert described == {name: kind_of(dtype) for name, dtype in fields.items()}


def test_the_bot_of_foursquare_plays(tmp_path: Path) -> None:
    file = example_of("## A bot of Foursquare", tmp_path)
    _, games, _ = played("foursquare", f"{file}:tidy", 200)
    # It survives far longer than `random`, which has placed 14 cards when it loses.
    assert games["placements"].mean() > 30


def test_the_bot_of_four_corner_plays(tmp_path: Path) -> None:
    file = example_of("## A bot of Four Corner Detective", tmp_path)
    entrants, _, seats = played("four_corner", f"{file}:thorough,random", 100)
    assert [entrant.bot for entrant in entrants] == ["thorough", "random"]
    # Of 4 cards a game it knows most; `random` knows one in 256.
    assert seats["marks"][seats["entrant"] == 0].mean() > 2


def test_a_card_of_four_corner_is_coded_as_the_page_says() -> None:
    # The digits of 3, 4, 5, 8 are 0, 1, 2, 3: 0 * 64 + 1 * 16 + 2 * 4 + 3.
    assert four_corner.STANDARD_CODE == 16 + 2 * 4 + 3 == 27


def test_the_bot_of_vier_zu_mir_plays(tmp_path: Path) -> None:
    file = example_of("## A bot of Vier zu mir!", tmp_path)
    entrants, _, seats = played("vier_zu_mir", f"{file}:curious,child,random", 100)
    assert [entrant.bot for entrant in entrants] == ["curious", "child", "random"]
    # It remembers every answer, `child` half of the hits of six turns ago, `random` nothing.
    means = [seats["score"][seats["entrant"] == place].mean() for place in range(3)]
    assert means[0] > means[1] + 2 > means[2] + 4


def test_the_bot_of_clueverge_plays(tmp_path: Path) -> None:
    file = example_of("## A bot of Clueverge", tmp_path)
    entrants, _, seats = played("clueverge", f"{file}:pointer,random", 300)
    assert [entrant.bot for entrant in entrants] == ["pointer", "random"]
    # Of 17 targets `random` picks one without looking.
    shares = [seats["win_share"][seats["entrant"] == place].mean() / 2520 for place in range(2)]
    assert shares[0] > 0.3 > 3 * shares[1]
