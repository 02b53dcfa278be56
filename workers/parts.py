"""One part of a run: played, written, committed. The one function behind every way of executing."""

import os
import time
from functools import lru_cache

from results.store import Run
from sim.errors import BotFailed
from sim.play import PartFailed, Player
from workers.places import replay_command
from workers.runs import job_of, plain_log, warm_player
from workers.watch import Watch, end_late

GAME_LIMIT_S = 60.0  # of one game on the queue, well inside the task's own limit


def play_part(run: Run, player: Player, part: int, watch: Watch) -> int:
    """Play a part and commit it; returns its number of games.

    Raises
    ------
    BotFailed
        If a bot fails: recorded in the run's folder first, with the command that replays the game.
    StoreError
        If the part cannot be written.
    """
    first, deals = run.part_range(part)
    started = time.perf_counter()
    watch.begin(player)
    try:
        games, seats = player.play(first, deals)
    except PartFailed as error:
        message = f"{error}\nReplay it: {replay_command(run, error.game)}"
        run.record_failure(part, {"message": message, "game": error.game})
        raise BotFailed(message) from error
    finally:
        watch.end(player)
    played_s = time.perf_counter() - started
    run.write_part(part, games, seats)
    written_s = time.perf_counter() - started - played_s
    plain_log(
        run,
        part=part,
        games=len(games),
        played_s=round(played_s, 4),
        written_s=round(written_s, 4),
        process=os.getpid(),
        host=os.uname().nodename,
    )
    return len(games)


@lru_cache(maxsize=4)
def _opened(location: str, identity: str) -> tuple[Run, Player]:
    """Open a run with its compiled player; kept for the parts to come. The identity keeps apart what a folder held."""
    run = Run.open(location)
    _, table = job_of(run)
    return run, warm_player(table)


def warm(location: str) -> None:
    """Compile what a run needs, so that processes forked from this one share it.

    Raises
    ------
    FourfoldError
        If the run or its bots cannot be loaded or compiled.
    """
    _opened(location, Run.open(location).identity)


def play(location: str, part: int) -> None:
    """Play a part of the run in a folder, unless it is committed or a bot has failed in that run.

    Doing it twice is harmless.

    A game that takes longer than `GAME_LIMIT_S` is recorded as a failure and ends this process: no bot can be stopped
    from inside.

    Raises
    ------
    FourfoldError
        If the run cannot be opened or written, or a bot fails (that one is recorded in the folder).
    """
    run = Run.open(location)
    if part in run.committed() or run.failures():
        return
    run, player = _opened(location, run.identity)
    with Watch(GAME_LIMIT_S, lambda late, game: end_late(run, late, game, GAME_LIMIT_S)) as watch:
        play_part(run, player, part, watch)
