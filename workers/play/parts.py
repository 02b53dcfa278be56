"""One part of a run: played, written, committed. The one function behind every way of executing."""

import mmap
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import numpy as np

from results.store import Run
from sim.errors import BotFailed
from sim.play import PROGRESS_CELLS, PartFailed
from workers.places import IN_PLAY, replay_command
from workers.play.contest import Cancelled, Playing
from workers.play.kinds import contest_of
from workers.play.runs import contest_of_run, plain_log, warm
from workers.play.watch import Watch, end_late

GAME_LIMIT_S = 60.0  # of one game on the queue, well inside the task's own limit
PART_LIMIT_S = 30.0  # of a part that is cut by hand, as measured where it is submitted; workers may be slower


def play_part(
    run: Run, playing: Playing, part: int, watch: Watch, should_stop: Callable[[], bool] | None = None
) -> None:
    """Play a part and commit it.

    With `should_stop` it is asked about twice a second whether to go on.

    Raises
    ------
    BotFailed
        If a bot fails: recorded in the run's folder first, with the command that replays the game.
    StoreError
        If the part cannot be written.
    Refused
        If what the part builds on is not there.
    Cancelled
        If it was stopped.
    """
    span = run.part_span(part)
    started = time.perf_counter()
    watch.begin(playing)
    try:
        tables = playing.cells(run, span, should_stop)
    except PartFailed as error:
        message = f"{error}\nReplay it: {replay_command(run, error.game)}"
        run.record_failure(part, {"message": message, "game": error.game})
        raise BotFailed(message) from error
    finally:
        watch.end(playing)
    played_s = time.perf_counter() - started
    run.write_part(part, *tables.values())
    written_s = time.perf_counter() - started - played_s
    plain_log(
        run,
        part=part,
        games=len(tables["games"]),
        played_s=round(played_s, 4),
        written_s=round(written_s, 4),
        process=os.getpid(),
        host=os.uname().nodename,
    )


@lru_cache(maxsize=4)
def _playing(location: str, identity: str, trusts_files: bool) -> Playing:
    """Make a run's compiled player; kept for the parts to come. The identity keeps apart what a folder held.

    Nothing of the plan may be kept: a folder that was removed is begun anew under the same identity with another one.
    """
    return warm(contest_of_run(Run.open(location), trusts_files=trusts_files))


def warm_run(location: str, *, trusts_files: bool = True) -> None:
    """Compile what a run needs, so that processes forked from this one share it.

    Raises
    ------
    FourfoldError
        If the run or its bots cannot be loaded or compiled.
    """
    _playing(location, Run.open(location).identity, trusts_files)


def warm_what_is_compiled() -> None:
    """Load the games whose kernels are compiled already, with their usual bots; the others wait for their first run."""
    from sim.compiled import is_warm
    from sim.contract import game_names, load_game
    from sim.job import make_job

    for name in game_names():
        if is_warm(name):
            warm(contest_of(make_job(load_game(name), deals=1), {}))


def play(location: str, part: int, *, trusts_files: bool = True) -> None:
    """Play a part of the run in a folder, unless it is committed, or the run is cancelled or has failed.

    Doing it twice is harmless.

    A game that takes longer than `GAME_LIMIT_S`, or more memory than a process may have, is recorded as a failure and
    ends this process: no bot can be stopped from inside.

    Raises
    ------
    Refused
        If this worker cannot play the run.
    FourfoldError
        If the run cannot be opened or written, or a bot fails (that one is recorded in the folder).
    """
    run = Run.open(location)
    run.part_span(part)
    if run.is_committed(part) or run.ended:
        return
    playing = _playing(location, run.identity, trusts_files)
    with (
        _seen_from_outside(run, playing, part),
        Watch(GAME_LIMIT_S, lambda late, game, why: end_late(run, late, game, why), memory=True) as watch,
        suppress(Cancelled),
    ):
        play_part(run, playing, part, watch, lambda: run.is_cancelled)


@contextmanager
def _seen_from_outside(run: Run, playing: Playing, part: int) -> Iterator[None]:
    """Have the number of the game in play written to a file, which is there yet when the process is killed."""
    file = _cells(run, part)
    try:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(np.full(PROGRESS_CELLS, -1).tobytes())
        with open(file, "r+b") as opened:
            cells = mmap.mmap(opened.fileno(), 0)
    except OSError:  # A folder that takes no such file is no reason not to play.
        yield
        return
    own = playing.progress
    playing.progress = np.frombuffer(cells, np.int64)
    playing.progress[0] = -1
    try:
        yield
    finally:
        playing.progress = own
        with suppress(OSError):  # Others play too; or the folder can no longer be written to.
            file.unlink(missing_ok=True)
            file.parent.rmdir()


def in_play(location: str, part: int) -> int | None:
    """Give the game that a part was in when its process was killed, as far as that is known."""
    with suppress(OSError, ValueError):
        game = int(np.frombuffer(_cells(Run.open(location), part).read_bytes(), np.int64)[0])
        return game if game >= 0 else None
    return None


def _cells(run: Run, part: int) -> Path:
    return Path(run.location) / IN_PLAY / f"{part:05d}"
