"""Golden transcripts and golden content: results do not change unless the game's version does.

`tests/golden/*.jsonl` are whole games, one event a line, to be read; `tests/golden/content.json` holds a digest of the
cells of 200 deals for a few jobs, under the version of the game that made them. Where a change of results is meant,
change `GAME.version`, explain it in the commit, and renew all of them with

    python -m tests.sim.test_golden
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from sim.contract import load_game
from sim.job import Entrant, make_job
from sim.play import Player, transcript_of
from sim.table import Table, make_table
from tests.referee.vierer import judge

GOLDEN = Path(__file__).parents[1] / "golden"

# Short games to be read: name, bots, seats, options.
GAMES: dict[str, tuple[list[str], int, dict[str, Any]]] = {
    "random": (["random"], 2, {"limit": 10, "hand_size": 2}),
    "careful": (["careful"], 2, {"limit": 10, "max_rounds": 1}),
    "snapper_gives": (["snapper", "gambler"], 2, {"limit": 20, "give": "forced", "match_by": "points"}),
    "end_round": (
        ["random"],
        3,
        {"max_rounds": 1, "stock_empty": "end_round", "hand_size": 6, "window": "after_discard"},
    ),
}

# Jobs whose content is kept as a digest.
CONTENT: dict[str, tuple[list[str], int, dict[str, Any]]] = {
    "random": (["random"], 4, {}),
    "careful": (["careful"], 4, {}),
    "all bots": (["careful", "gambler", "snapper", "random"], 4, {}),
    "forgetful": (["careful", "snapper"], 3, {}),
    "options": (
        ["careful", "gambler"],
        5,
        {"match_by": "either", "give": "forced", "late_penalty": True, "z_bonus": "always", "stock_empty": "end_round"},
    ),
}


def table_of(bots: list[str], seats: int, options: dict[str, Any], parameters: dict[str, Any] | None = None) -> Table:
    entrants = [Entrant(bot, parameters=dict(parameters or {})) for bot in bots]
    return make_table(make_job(load_game("vierer"), entrants=entrants, seats=seats, deals=200, seed=4, options=options))


def lines(name: str) -> list[str]:
    """A golden game, the document around the events first."""
    transcript = transcript_of(table_of(*GAMES[name]), 0, 0)
    events = transcript.pop("events")
    del transcript["version"]  # It may change while this game does not.
    return [json.dumps(line) for line in (transcript, *events)]


def content(name: str) -> str:
    """The digest of the cells of 200 deals."""
    parameters = {"memory": 6} if name == "forgetful" else None
    cells = Player(table_of(*CONTENT[name], parameters)).play(0, 200)
    return hashlib.sha256(b"".join(table.tobytes() for table in cells)).hexdigest()[:32]


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_game_is_played_as_written(name: str) -> None:
    assert lines(name) == (GOLDEN / f"{name}.jsonl").read_text().splitlines()


@pytest.mark.parametrize("name", GAMES)
def test_the_referee_agrees_with_a_golden_game(name: str) -> None:
    document, *events = [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text().splitlines()]
    assert judge({**document, "version": "1", "events": events}) == []


@pytest.mark.parametrize("name", CONTENT)
def test_results_change_only_with_the_version(name: str) -> None:
    version = load_game("vierer").version
    kept = json.loads((GOLDEN / "content.json").read_text())
    assert kept["version"] == version, "The version is new: renew with python -m tests.sim.test_golden."
    assert kept["content"][name] == content(name), "Results changed: give the game a new version, then renew."


def renew() -> None:
    """Write all golden files anew."""
    for name in GAMES:
        (GOLDEN / f"{name}.jsonl").write_text("\n".join(lines(name)) + "\n")
    kept = {"version": load_game("vierer").version, "content": {name: content(name) for name in CONTENT}}
    (GOLDEN / "content.json").write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    renew()
