"""Benchmarks: `./run pytest tests/benchmarks --benchmark-enable` times them, the suite runs each once."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sim.contract import game_names, load_game
from sim.job import Entrant, make_job
from sim.play import Player
from sim.table import make_table
from workers.play.runs import create_run


@pytest.mark.parametrize(("name", "bot"), [*((name, "random") for name in game_names()), ("vierer", "careful")])
def test_engine(benchmark: Any, name: str, bot: str) -> None:
    game = load_game(name)
    player = Player(make_table(make_job(game, entrants=[Entrant(bot)], deals=500)))
    player.play(0, 1)
    games, *_ = benchmark(player.play, 0, 500)
    decisions = [column.name for column in game.game_columns].index("decisions")
    benchmark.extra_info["decisions"] = int(games[:, decisions].sum())
    assert len(games) == 500


def test_part_with_writing(benchmark: Any, tmp_path: Path) -> None:
    job = make_job(load_game("vierer"), entrants=[Entrant("careful")], seats=4, deals=500)
    run, contest = create_run(job, {}, out=tmp_path / "run", part=500)
    playing = contest.playing()

    def part() -> int:
        return int(run.write_part(0, *playing.cells(run, run.part_span(0)).values())["games"])

    assert benchmark(part) == 500


def test_start(benchmark: Any) -> None:
    command = [sys.executable, "-c", "from cli.main import main; main(['--help'])"]
    done = benchmark(subprocess.run, command, capture_output=True, check=True)
    assert b"fourfold" in done.stdout
