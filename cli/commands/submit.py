"""`fourfold submit`: play a job on the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.command import Command
from cli.flags import Asked, job_flags, waiting_flags

if TYPE_CHECKING:
    from cli.progress import ProgressLine
    from results.store import Run
    from workers.contest import Contest


@click.command(
    cls=Command,
    examples=[
        "fourfold submit vierer --games 100000",
        "fourfold submit vierer --games 100000 --wait",
        "fourfold submit evening.toml --wait --workers 2",
        "FOURFOLD_BROKER=redis://broker:6379 fourfold submit evening.toml",
    ],
)
@job_flags
@waiting_flags
def command(asked: Asked, wait: bool, workers: int | None) -> None:
    """Put a job on the queue, for the workers of fourfold up or of the broker that FOURFOLD_BROKER names.

    With --wait it is played even where none is up: what it needs is started, and stopped at the end. Where the
    run's folder holds parts of this very job they are kept, and the rest is played.
    """
    if wait:
        _play(asked, workers)
    else:
        _queue(asked)


def _queue(asked: Asked) -> None:
    """Make the run, put it on the queue, and say what to type next."""
    from cli.playing import create, print_end
    from cli.progress import ProgressLine
    from cli.queued import print_queued, print_state, standing_url
    from workers.queue import check_place, count_players, submit

    # Before a folder is made: it would keep the flags of a run that never began.
    url = standing_url()
    # The rest loads the engine, which takes longer than to be told of the above.
    from workers.parts import GAME_LIMIT_S, PART_LIMIT_S

    asked.job()
    check_place(url, asked.out)
    with ProgressLine() as line:
        run, _ = create(asked, count_players(url), GAME_LIMIT_S, line, PART_LIMIT_S)
    if not run.is_complete:
        print_queued(run, submit(run, url), as_json=asked.as_json)
    elif asked.as_json:
        print_state(run, "done", warnings=[])
    else:
        print_end(run, run.summary(), ["The run was complete already; nothing is queued."])


def _play(asked: Asked, workers: int | None) -> None:
    """Play it on the queue and print the figures."""
    from cli.playing import play
    from workers.machine import free_threads
    from workers.parts import GAME_LIMIT_S, PART_LIMIT_S
    from workers.queue import check_place, count_players, standing_broker, submit_and_wait

    url = standing_broker()
    if url:
        asked.job()
        check_place(url, asked.out, brings_worker=workers is not None)
    used = workers or (count_players(url) if url else free_threads())

    def queued(run: Run, contest: Contest, line: ProgressLine) -> dict[str, Any]:
        return submit_and_wait(run, contest, workers=workers, on_progress=line.show, say=line.say)

    play(asked, used, GAME_LIMIT_S, queued, PART_LIMIT_S)
