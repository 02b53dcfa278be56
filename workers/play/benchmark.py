"""The speed of this machine, in yardsticks: the time of one call of the generator, taken in the same run."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from sim.contract import Game, game_names, load_game
from sim.job import Entrant, Job, make_job
from workers.play.deals import DealsPlaying
from workers.play.kinds import contest_of
from workers.play.runs import create_run, warm

YARDSTICK_CALLS = 20_000_000
ROUNDS = 5  # the yardstick and the figure take turns, so that a machine that slows down slows both
_SECONDS = 0.4  # of play in each round


@dataclass(frozen=True)
class Figure:
    """A figure with its unit and what it says; lower is better."""

    value: float
    unit: str
    text: str


def yardstick_s() -> float:
    """Time one call of the generator, over `YARDSTICK_CALLS` calls in a compiled loop; in seconds."""
    from sim.chance import GENERATOR, spin

    generator = np.zeros(1, np.dtype(GENERATOR, align=True))
    generator["s0"] = 1
    spin(generator, 1)
    started = time.perf_counter()
    spin(generator, YARDSTICK_CALLS)
    return (time.perf_counter() - started) / YARDSTICK_CALLS


def decision_yardsticks(job: Job) -> float:
    """Play a table for a while and give the median of yardsticks a decision, over `ROUNDS` rounds."""
    playing = warm(contest_of(job, {}))
    assert isinstance(playing, DealsPlaying)
    player = playing.player
    decisions = [column.name for column in player.table.game.game_columns].index("decisions")
    deals, took_s = 16, 0.0
    while took_s < _SECONDS / 4:
        deals *= 4
        started = time.perf_counter()
        player.play(0, deals)
        took_s = time.perf_counter() - started
    figures = []
    for _ in range(ROUNDS):
        yardstick = yardstick_s()
        started = time.perf_counter()
        games, *_ = player.play(0, deals)
        figures.append((time.perf_counter() - started) / int(games[:, decisions].sum()) / yardstick)
    return median(figures)


def writing_percent(job: Job) -> float:
    """Give the median share of a part's time that writing it in full detail takes, in per cent."""
    with tempfile.TemporaryDirectory(prefix="fourfold-bench-") as folder:
        run, contest = create_run(job, {}, out=Path(folder) / "run", part=max(1, job.deals // ROUNDS))
        playing = warm(contest)
        shares = []
        for part in range(run.parts):
            started = time.perf_counter()
            tables = playing.cells(run, run.part_span(part))
            played = time.perf_counter()
            run.write_part(part, *tables.values())
            shares.append((time.perf_counter() - played) / (time.perf_counter() - started))
    return 100 * median(shares)


def _bots(game: Game, bot: str) -> str:
    """Say how many bots of a kind fill a game's table."""
    return f"{game.default_seats} {bot} bots" if game.default_seats > 1 else f"one {bot} bot"


def measure(on_step: Callable[[str], None] = lambda text: None) -> dict[str, Figure]:
    """Measure this machine; `on_step` is told what is being measured."""
    figures = {}
    tables = [(load_game(name), "random") for name in game_names()]
    vierer = load_game("vierer")
    for game, bot in [*tables, (vierer, "careful")]:
        on_step(f"{game.command_name}: {_bots(game, bot)}")
        figures[f"{game.name}_{bot}"] = Figure(
            round(decision_yardsticks(make_job(game, entrants=[Entrant(bot)], deals=1)), 2),
            "yardsticks",
            f"a decision of {game.title} with {_bots(game, bot)}, rules and bot together",
        )
    on_step("writing full detail")
    figures["vierer_writing"] = Figure(
        round(writing_percent(make_job(vierer, entrants=[Entrant("careful")], deals=20_000)), 2),
        "%",
        f"of a part's time goes into writing, Vierer with {_bots(vierer, 'careful')} in full detail",
    )
    on_step("the generator")
    figures["yardstick"] = Figure(
        round(median(yardstick_s() for _ in range(ROUNDS)) * 1e9, 3), "ns", "a call of the generator: the yardstick"
    )
    return figures
