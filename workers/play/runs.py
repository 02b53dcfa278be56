"""Runs and jobs: a run made from a job, and the contest of a run."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from results.store import Run
from results.tournament.layout import KIND as TOURNAMENT
from sim.contract import Bot, load_game
from sim.errors import FourfoldError, Refused, SpecError, StoreError, UnknownName
from workers.bots import bots_of_run
from workers.places import runs_root
from workers.play.contest import Contest, Playing
from workers.play.kinds import contest_of
from workers.play.repair import mend
from workers.play.watch import Watch, end_late

PART_S = 3.0  # a part takes about so long: what a crash repeats, and far more than a message costs
_MEASURED_S, _UNMEASURED = 0.02, 1000


def contest_of_run(run: Run, *, trusts_files: bool = True) -> Contest:
    """Read a run's job and make it ready, with the users' bots where their very source is still there.

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
    from sim.document import job_from_document, tournament_from_document

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
    read = tournament_from_document if document.get("kind") == TOURNAMENT else job_from_document
    contest = contest_of(read(document, bots, f"the job of run {run.name}"), bots)
    if contest.identity != run.identity:
        raise StoreError(f"Run {run.name} is damaged: job.json does not hold the job that its identity is of.")
    return contest


def create_run(
    job: msgspec.Struct,
    bots: Mapping[str, Bot],
    *,
    out: Path | None = None,
    part: int | None = None,
    detail: str = "full",
    workers: int = 1,
    game_timeout: float = 10.0,
    longest_part: float | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> tuple[Run, Contest]:
    """Make the folder of a job's run, or open it: what is done in it stays, a damaged part is moved aside.

    `part` is the number of deals in a part, or of tournaments, or of matches of a single one; without it, a few are
    measured so that a part takes about three seconds; a game that takes longer than `game_timeout` seconds is named,
    recorded, and ends this process with status 1. `workers` is how many will play at once: a small job is cut so that
    each has some of it. `longest_part` is how many seconds a part may take where it is to be played.

    Raises
    ------
    SpecError
        If a part would take longer.
    BotFailed
        If a bot cannot be compiled; of the run nothing is left then.
    StoreError
        If the folder cannot be written or holds another job's run.
    """
    contest = contest_of(job, bots)
    location = out if out is not None else runs_root() / f"{contest.game.command_name}-{contest.identity[:8]}"
    document, layout = contest.document, contest.layout()
    bot_files = {name: bot.decide.__code__.co_filename for name, bot in bots.items()}

    def created(size: int) -> Run:
        return Run.create(location, document, layout, {**contest.plan(size, detail), "bot_files": bot_files})

    folder = Run.reserve(location, document, layout)  # Before anything is compiled: a wrong folder is told at once.
    is_new = not (location / "plan.json").exists()
    try:
        if is_new:
            part = _part_size(contest, part, detail, workers, game_timeout, longest_part, created, say)
    except FourfoldError:
        folder.abandon()
        raise
    run = created(part or contest.units)
    mend(run, say)
    return run, contest


def _part_size(
    contest: Contest,
    asked: int | None,
    detail: str,
    workers: int,
    game_timeout: float,
    longest_s: float | None,
    created: Callable[[int], Run],
    say: Callable[[str], None],
) -> int:
    """Say how many units make a part: as asked for, if that is not too long, or as measured."""
    is_free = asked is not None and (longest_s is None or min(asked, contest.units) <= _UNMEASURED)
    if asked is not None and is_free:
        if contest.bots:
            contest.compile_bots()  # A user's bot that cannot be compiled begins no run.
        return asked
    speed = _measured_speed(warm(contest, say), game_timeout, created)
    size = asked if asked is not None else _UNMEASURED if speed is None else contest.chosen(PART_S * speed, workers)
    if longest_s is not None and speed is not None:
        _check_part(contest, contest.largest(contest.plan(size, detail)), speed, longest_s)
    return size


def warm(contest: Contest, say: Callable[[str], None] = lambda text: None) -> Playing:
    """Make a player whose kernel and bots are compiled, and say so if it takes long; one process compiles at a time.

    Raises
    ------
    BotFailed
        If a bot cannot be compiled.
    """
    from sim.compiled import KERNELS
    from workers.locks import locked

    game = contest.game
    uncompiled = contest.uncompiled()
    if uncompiled:
        say(f"compiling {' and '.join(uncompiled)} (once, about {20 * len(uncompiled)} s) ...")
    with locked(KERNELS / "compiling.lock"):
        with _kernel_beside(game.name):
            playing = contest.playing()
        playing.warm()
    return playing


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


def _measured_speed(playing: Playing, game_timeout: float, created: Callable[[int], Run]) -> float | None:
    """Measure how many units a second are played, by playing a few; None if a bot fails.

    A bot that fails here fails again where its part is played, and is recorded there. One that never answers is
    recorded at once, in a run that `created` makes, and ends the process.
    """
    from sim.play import PartFailed

    def on_late(late: Playing, game: int, why: str) -> None:
        end_late(created(_UNMEASURED), late, game, why)

    with Watch(game_timeout, on_late) as watch:
        watch.begin(playing)
        try:
            return playing.speed(_MEASURED_S)
        except PartFailed:
            return None


def _check_part(contest: Contest, part: int, speed: float, longest_s: float) -> None:
    """Raise SpecError if a part of so many units would take longer than it may."""
    if part > speed * longest_s:
        most = int(speed * longest_s)
        raise SpecError(
            f"A part of {part:,} {contest.noun} would take about {part / speed:,.0f} s here; on the queue it may take "
            f"{longest_s:.0f} s: {contest.advice(most)}"
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
