"""Runs by name: where they lie, made from a job, opened again with their table."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from results.schema import Layout
from results.store import Run
from sim.contract import Bot, load_game
from sim.errors import StoreError
from sim.job import Job, document_of, identity_of, job_from_document
from sim.table import Table, make_table
from workers.bots import bots_of_plan

if TYPE_CHECKING:
    from sim.play import Player

PART_S = 3.0  # a part takes about so long: what a crash repeats, and far more than a message costs
_MEASURED_DEALS = 32


def runs_root() -> Path:
    """Say where runs lie: the folder that `FOURFOLD_RUNS` names, else `runs` in the current one."""
    return Path(os.environ.get("FOURFOLD_RUNS") or "runs")


def open_run(name: str) -> Run:
    """Open a run by its name in the runs' folder, or by a path.

    Raises
    ------
    StoreError
        If there is none; the message names the nearest.
    """
    if not name or "\0" in name:
        raise StoreError("A run has a name, as printed when it was made.")
    is_path = os.sep in name or (Path(name) / "job.json").is_file()
    return Run.open(Path(name) if is_path else runs_root() / name)


def job_of(run: Run) -> tuple[Job, Table]:
    """Read a run's job and make its table, with the users' bots where their very source is still there.

    Raises
    ------
    StoreError
        If another version of the game made the run: it cannot be played here.
    SpecError
        If a user's bot is missing or has changed.
    """
    document = dict(run.job["job"])
    game = load_game(document["game"])
    bots = bots_of_plan(run.plan, game)
    job = job_from_document(document, bots, f"the job of run {run.name}")
    if identity_of(job, game) != run.identity:
        raise StoreError(
            f"Run {run.name} was made by version {run.job.get('game_version')} of {game.command_name}; this is version "
            f"{game.version}, whose games differ. Play it with the version that made it."
        )
    return job, make_table(job, bots)


def create_run(
    job: Job,
    bots: Mapping[str, Bot],
    *,
    out: Path | None = None,
    part: int | None = None,
    detail: str = "full",
    workers: int = 1,
    on_compile: Callable[[str], None] = lambda text: None,
) -> tuple[Run, Table]:
    """Make the folder of a job's run, or open it if it is there; what is done in it stays.

    `part` is the number of deals in a part; without it, a few games are measured so that a part takes about three
    seconds. `workers` is how many will play at once: a small job is cut so that each has some of it.

    Raises
    ------
    StoreError
        If the folder cannot be written or holds another job's run.
    """
    table = make_table(job, bots)
    game = table.game
    identity = identity_of(job, game)
    location = out if out is not None else runs_root() / f"{game.command_name}-{identity[:8]}"
    if part is None and not (location / "plan.json").exists():
        part = _part_of(table, workers, on_compile)
    layout = Layout.of(
        game=game.name,
        entrants=table.names,
        entrant_seats=table.seats_of,
        rotations=table.most_rotations,
        game_columns=game.game_columns,
        seat_columns=game.seat_columns,
        ratios=game.ratios,
        distributions=game.distributions,
    )
    document = {"identity": identity, "game_version": game.version, "job": document_of(job)}
    plan = {
        "version": 1,
        "deals": job.deals,
        "part_deals": min(part or job.deals, job.deals),
        "detail": detail,
        "bot_files": {name: str(_file_of(bot)) for name, bot in bots.items()},
    }
    return Run.create(location, document, layout, plan), table


def _file_of(bot: Bot) -> Path:
    """Give the file that a user's bot stands in."""
    return (
        Path(sys.modules[bot.decide.__module__].__file__ or "")
        if bot.decide.__module__ in sys.modules
        else Path(bot.decide.__code__.co_filename)
    )


def warm_player(table: Table, on_compile: Callable[[str], None] = lambda text: None) -> "Player":
    """Make a player whose kernel and bots are compiled, and say so if it takes long; one process compiles at a time."""
    from sim.compiled import KERNELS, is_warm
    from sim.play import Player
    from workers.locks import locked

    if not is_warm("engine.play_part"):
        on_compile(f"compiling the kernel of {table.game.command_name} (once, about 20 s) ...")
    with locked(KERNELS / "compiling.lock"):
        player = Player(table)
        player.play(0, 1)
    return player


def _part_of(table: Table, workers: int, on_compile: Callable[[str], None]) -> int:
    """Choose how many deals make a part of about `PART_S` seconds, by playing a few."""
    player = warm_player(table, on_compile)
    deals, took_s = _MEASURED_DEALS, 0.0
    while took_s < 0.02 and deals <= 1 << 20:
        started = time.perf_counter()
        player.play(0, min(deals, table.job.deals))
        took_s = time.perf_counter() - started
        if deals >= table.job.deals:
            break
        deals *= 4
    per_deal_s = took_s / min(deals, table.job.deals)
    by_time = max(1, int(PART_S / max(per_deal_s, 1e-9)))
    shared = -(-table.job.deals // (2 * workers))
    return max(1, min(by_time, max(shared, min(1000, by_time))))


def program_version() -> str:
    """Give the version of Fourfold."""
    return version("fourfold")


def replay_command(run: Run, game: int) -> str:
    """Give the command that replays a game of a run."""
    root = runs_root().resolve()
    location = Path(run.location)
    name = location.name if location.parent == root else run.location
    return f"fourfold replay {name} --game {game}"


def plain_log(run: Run, **entry: Any) -> None:
    """Write a line into a run's log; what cannot be logged is no fault of the run."""
    try:
        run.log({"program": program_version(), **entry})
    except StoreError:
        return
