"""Runs and jobs: a run made from a job, and the job and table of a run."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from results.schema import Layout
from results.store import Run
from sim.contract import Bot, load_game
from sim.errors import FourfoldError, Refused, SpecError, StoreError, UnknownName
from sim.job import Job, document_of, identity_of
from workers.bots import bots_of_run
from workers.places import runs_root
from workers.repair import mend
from workers.watch import Watch, end_late

if TYPE_CHECKING:
    from sim.play import Player
    from sim.table import Table

PART_S = 3.0  # a part takes about so long: what a crash repeats, and far more than a message costs
_FIRST_DEALS, _MEASURED_S, _UNMEASURED_DEALS = 32, 0.02, 1000


def job_of(run: Run, *, trusts_files: bool = True) -> "tuple[Job, Table]":
    """Read a run's job and make its table, with the users' bots where their very source is still there.

    With `trusts_files` they may come from the files that the run's plan names, else only from those held by name.

    Raises
    ------
    Refused
        If another version of the game made the run, or a user's bot is not held here: it cannot be played here.
    StoreError
        If its job is not the one that its identity is of.
    SpecError
        If a user's bot is missing or has changed.
    """
    from sim.document import job_from_document
    from sim.table import make_table

    document = dict(run.job["job"])
    try:
        game = load_game(document["game"])
    except UnknownName as error:
        raise Refused(f"Run {run.name} cannot be played here: {error}") from None
    made_by = run.job.get("game_version")
    if made_by != game.version:
        raise Refused(
            f"Run {run.name} was made by version {made_by} of {game.command_name}; this is version {game.version}, "
            f"whose games differ. Play it with the version that made it."
        )
    bots = bots_of_run(run.plan, document, game, trusts_files)
    job = job_from_document(document, bots, f"the job of run {run.name}")
    if identity_of(job, game) != run.identity:
        raise StoreError(f"Run {run.name} is damaged: job.json does not hold the job that its identity is of.")
    return job, make_table(job, bots)


def create_run(
    job: Job,
    bots: Mapping[str, Bot],
    *,
    out: Path | None = None,
    part: int | None = None,
    detail: str = "full",
    workers: int = 1,
    game_timeout: float = 10.0,
    longest_part: float | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> "tuple[Run, Table]":
    """Make the folder of a job's run, or open it: what is done in it stays, a damaged part is moved aside.

    `part` is the number of deals in a part; without it, a few games are measured so that a part takes about three
    seconds; one that takes longer than `game_timeout` seconds is named, recorded, and ends this process with status 1.
    `workers` is how many will play at once: a small job is cut so that each has some of it. `longest_part` is how many
    seconds a part may take where it is to be played.

    Raises
    ------
    SpecError
        If a part of the size asked for would take longer.
    BotFailed
        If a bot cannot be compiled; of the run nothing is left then.
    StoreError
        If the folder cannot be written or holds another job's run.
    """
    from sim.table import count_games, make_table

    table = make_table(job, bots)
    game = table.game
    identity = identity_of(job, game)
    location = out if out is not None else runs_root() / f"{game.command_name}-{identity[:8]}"
    layout = Layout.of(
        game=game.name,
        entrants=table.names,
        entrant_seats=table.seats_of,
        rotations=table.most_rotations,
        game_columns=game.game_columns,
        seat_columns=game.seat_columns,
        ratios=game.ratios,
        distributions=game.distributions,
        round_columns=table.round_columns,
        rounds=table.rounds,
    )
    document = {"identity": identity, "game_version": game.version, "job": document_of(job)}
    bot_files = {name: bot.decide.__code__.co_filename for name, bot in bots.items()}

    games = count_games(table, 0, job.deals)

    def created(deals: int) -> Run:
        cut = {"version": 1, "deals": job.deals, "games": games, "part_deals": min(deals, job.deals), "detail": detail}
        return Run.create(location, document, layout, {**cut, "bot_files": bot_files})

    folder = Run.reserve(location, document, layout)  # Before anything is compiled: a wrong folder is told at once.
    is_new = not (location / "plan.json").exists()
    try:
        if is_new and part is None:
            part = _chosen_part(_measured_speed(warm_player(table, say), game_timeout, created), job.deals, workers)
        elif is_new and part is not None and longest_part is not None and min(part, job.deals) > _UNMEASURED_DEALS:
            speed = _measured_speed(warm_player(table, say), game_timeout, created)
            _check_part(min(part, job.deals), speed, longest_part)
        elif is_new and bots:
            table.deciders()  # A user's bot that cannot be compiled begins no run.
    except FourfoldError:
        folder.abandon()
        raise
    run = created(part or job.deals)
    mend(run, say)
    return run, table


def warm_player(table: "Table", say: Callable[[str], None] = lambda text: None) -> "Player":
    """Make a player whose kernel and bots are compiled, and say so if it takes long; one process compiles at a time.

    Raises
    ------
    BotFailed
        If a bot cannot be compiled.
    """
    from sim.compiled import KERNELS, is_warm
    from sim.play import Player
    from workers.locks import locked

    if not is_warm(table.game.name):
        say(f"compiling the kernel of {table.game.command_name} (once, about 20 s) ...")
    with locked(KERNELS / "compiling.lock"):
        with _kernel_beside(table.game.name):
            player = Player(table)
        player.play(0, 0)
    return player


@contextmanager
def _kernel_beside(game: str) -> Iterator[None]:
    """Compile a game's kernel in a process of its own while the block compiles the bots, if it is in no cache yet.

    Whatever becomes of that process, the kernel is then loaded from the cache or compiled here.
    """
    from sim.compiled import KERNELS, is_warm

    if is_warm(game):
        yield
        return
    path = os.pathsep.join(folder for folder in sys.path if folder)
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", f"from sim.play import warm_kernel; warm_kernel({game!r})"],
        env={**os.environ, "PYTHONPATH": path, "FOURFOLD_CACHE": str(KERNELS.parent)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
        child.wait()
    finally:
        child.kill()  # Nothing happens to one that has ended.
        child.wait()


def _measured_speed(player: "Player", game_timeout: float, created: Callable[[int], Run]) -> float | None:
    """Measure how many deals a second are played, by playing a few; None if a bot fails.

    A bot that fails here fails again where its part is played, and is recorded there. One that never answers is
    recorded at once, in a run that `created` makes, and ends the process.
    """
    from sim.play import PartFailed

    all_deals = player.table.job.deals
    deals, took_s = 0, 0.0

    def on_late(late: "Player", game: int, why: str) -> None:
        end_late(created(_UNMEASURED_DEALS), late, game, why)

    with Watch(game_timeout, on_late) as watch:
        watch.begin(player)
        while took_s < _MEASURED_S and deals < all_deals:
            deals = min(all_deals, max(_FIRST_DEALS, 4 * deals))
            started = time.perf_counter()
            try:
                player.play(0, deals)
            except PartFailed:
                return None
            took_s = time.perf_counter() - started
    return deals / max(took_s, 1e-9)


def _chosen_part(speed: float | None, deals: int, workers: int) -> int:
    """Choose how many deals make a part of about `PART_S` seconds."""
    if speed is None:
        return _UNMEASURED_DEALS
    # A small job is cut so that every worker has some of it to the end, but not into crumbs.
    return min(max(1, int(PART_S * speed)), max(-(-deals // (8 * workers)), 500))


def _check_part(part: int, speed: float | None, longest_s: float) -> None:
    """Raise SpecError if a part of so many deals would take longer than it may."""
    if speed is not None and part > speed * longest_s:
        most = max(1, int(speed * longest_s))
        raise SpecError(
            f"A part of {part:,} deals would take about {part / speed:,.0f} s here; on the queue it may take "
            f"{longest_s:.0f} s: allowed are up to some {most:,} deals. Give a smaller --part, or none."
        )


def program_version() -> str:
    """Give the version of Fourfold."""
    return version("fourfold")


def plain_log(run: Run, **entry: Any) -> None:
    """Write a line into a run's log; what cannot be logged is no fault of the run."""
    try:
        run.log({"program": program_version(), **entry})
    except StoreError:
        return
