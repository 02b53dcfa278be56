"""Benchmarks of tournaments, timed with `--benchmark-enable`; the suite runs each once."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from sim.contract import load_game
from sim.job import Entrant
from sim.play import Kernel
from sim.tournament.job import make_tournament
from sim.tournament.play import TournamentPlayer

REPEATS = 1000


def test_knockout_of_sixteen(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tournaments of 16 `bayes` detectives, one game a match; the share of the time that the kernel takes is shown."""
    entrants = [Entrant("bayes", f"detective {number}") for number in range(1, 17)]
    game = load_game("four_corner")
    tournament = make_tournament(game, entrants=entrants, formats=["single_elimination"], rotate=False)
    player = TournamentPlayer(tournament)
    player.play(0, 1)
    spent = SimpleNamespace(kernel_s=0.0, all_s=0.0)
    play = Kernel.play

    def timed(kernel: Kernel, *arguments: Any) -> None:
        started = time.thread_time()
        play(kernel, *arguments)
        spent.kernel_s += time.thread_time() - started

    def part() -> int:
        started = time.thread_time()
        tables = player.play(0, REPEATS)
        spent.all_s += time.thread_time() - started
        return len(tables["standings"])

    monkeypatch.setattr(Kernel, "play", timed)
    assert benchmark(part) == 16 * REPEATS
    benchmark.extra_info["kernel_share"] = spent.kernel_s / spent.all_s
