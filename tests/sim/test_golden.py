"""Golden transcripts and golden content: results do not change unless the game's version does.

`tests/golden/<game>/*.jsonl` are whole games, one event a line, to be read; `content.json` beside them holds a digest
of the cells of 200 deals for a few jobs, under the version of the game that made them. Where a change of results is
meant, change `GAME.version`, explain it in the commit, and renew all of them with

    python -m tests.sim.test_golden
"""

import hashlib
import json
from pathlib import Path

import pytest

from sim.contract import game_names, load_game
from sim.play import Player, transcript_of
from tests.referee.judged import referee
from tests.sim.stepping import LineUp, each_of, hooks, joined, make

GOLDEN = Path(__file__).parents[1] / "golden"
DEALS = 200


def lines(name: str, line_up: LineUp) -> list[str]:
    """A golden game, the document around the events first."""
    transcript = transcript_of(make(name, *line_up, deals=DEALS, seed=4), 0, 0)
    events = transcript.pop("events")
    del transcript["version"]  # It may change while this game does not.
    return [json.dumps(line) for line in (transcript, *events)]


def content(name: str, line_up: LineUp) -> str:
    """The digest of the cells of 200 deals."""
    cells = Player(make(name, *line_up, deals=DEALS, seed=4)).play(0, DEALS)
    return hashlib.sha256(joined(cells)).hexdigest()[:32]


@pytest.mark.parametrize(("name", "golden"), each_of("GAMES"))
def test_a_golden_game_is_played_as_written(name: str, golden: str) -> None:
    assert lines(name, hooks(name).GAMES[golden]) == (GOLDEN / name / f"{golden}.jsonl").read_text().splitlines()


@pytest.mark.parametrize(("name", "golden"), each_of("GAMES"))
def test_the_referee_agrees_with_a_golden_game(name: str, golden: str) -> None:
    document, *events = map(json.loads, (GOLDEN / name / f"{golden}.jsonl").read_text().splitlines())
    assert referee(name).judge({**document, "version": "1", "events": events}) == []


@pytest.mark.parametrize(("name", "job"), each_of("CONTENT"))
def test_results_change_only_with_the_version(name: str, job: str) -> None:
    kept = json.loads((GOLDEN / name / "content.json").read_text())
    assert kept["version"] == load_game(name).version, "The version is new: renew with python -m tests.sim.test_golden."
    digest = content(name, hooks(name).CONTENT[job])
    assert kept["content"][job] == digest, "Results changed: give the game a new version, then renew."


@pytest.mark.parametrize("name", game_names())
def test_nothing_lies_among_the_golden_files_that_no_test_reads(name: str) -> None:
    there = {file.name for file in (GOLDEN / name).iterdir()}
    assert there == {"content.json", *(f"{golden}.jsonl" for golden in hooks(name).GAMES)}
    assert json.loads((GOLDEN / name / "content.json").read_text())["content"].keys() == hooks(name).CONTENT.keys()
    assert {folder.name for folder in GOLDEN.iterdir()} == set(game_names())


def renew() -> None:
    """Write all golden files anew."""
    for name in game_names():
        folder = GOLDEN / name
        folder.mkdir(exist_ok=True)
        for golden, line_up in hooks(name).GAMES.items():
            (folder / f"{golden}.jsonl").write_text("\n".join(lines(name, line_up)) + "\n")
        digests = {job: content(name, line_up) for job, line_up in hooks(name).CONTENT.items()}
        kept = {"version": load_game(name).version, "content": digests}
        (folder / "content.json").write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    renew()
