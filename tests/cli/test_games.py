import json

import pytest

from tests.cli.conftest import Fourfold


@pytest.mark.parametrize("words", [["games"], ["games", "vierer"], ["bots", "vierer"]])
def test_lists_fit_80_columns(fourfold: Fourfold, words: list[str]) -> None:
    said = fourfold(*words)
    assert (said.status, said.err) == (0, "")
    assert max(len(line.rstrip()) for line in said.out.splitlines()) <= 80
    assert "…" not in said.out


def test_games_say_seats_line_up_and_every_option(fourfold: Fourfold) -> None:
    out = fourfold("games").out
    assert "vierer: memory cards to 100 points" in out
    assert "2 to 8 seats, by default 4" in out
    assert "careful, gambler, snapper, random" in out
    row = next(line for line in out.splitlines() if line.startswith("knock_penalty"))
    assert row.split()[1:5] == ["30", "0", "to", "100"]


def test_games_as_json_have_types_bounds_defaults_and_texts(fourfold: Fourfold) -> None:
    games = json.loads(fourfold("games", "--json").out)
    vierer = next(game for game in games if game["name"] == "vierer")
    assert (vierer["min_seats"], vierer["max_seats"], vierer["default_seats"]) == (2, 8, 4)
    options = {option["name"]: option for option in vierer["options"]}
    penalty = options["knock_penalty"]
    assert (penalty["type"], penalty["minimum"], penalty["maximum"], penalty["default"]) == (
        "integer",
        0,
        100,
        30,
    )
    assert options["late_penalty"]["type"] == "boolean"
    assert set(options["give"]["enum"]) == {"optional", "forced", "never"}
    assert all(option["description"] for option in options.values())


def test_bots_say_parameters_and_skills(fourfold: Fourfold) -> None:
    out = fourfold("bots", "vierer").out
    assert "Picks uniformly among the legal actions and looks at nothing else." in out
    row = next(line for line in out.splitlines() if line.startswith("reflex"))
    assert row.split()[1:5] == ["1", "0.001", "to", "1000"]


def test_bots_as_json_have_bounds_defaults_and_texts(fourfold: Fourfold) -> None:
    described = json.loads(fourfold("bots", "vierer", "--json").out)
    assert described["game"] == "vierer"
    assert {bot["name"] for bot in described["bots"]} >= {"careful", "random"}
    careful = next(bot for bot in described["bots"] if bot["name"] == "careful")
    memory = next(parameter for parameter in careful["parameters"] if parameter["name"] == "memory")
    # JSON has no infinity: it is a word, as in a job file.
    assert (memory["default"], memory["high"], memory["unit"]) == ("inf", "inf", "turns")
    assert described["skills"][0]["name"] == "reflex"
