"""`fourfold submit`: play a job on the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.command import Command
from cli.flags import MOST_WORKERS, Asked, Count, job_flags
from cli.playing import play

if TYPE_CHECKING:
    from cli.progress import ProgressLine
    from results.store import Run
    from sim.table import Table


@click.command(
    cls=Command,
    examples=[
        "fourfold submit vierer --games 100000 --wait",
        "fourfold submit evening.toml --wait --workers 2",
        "FOURFOLD_BROKER=redis://broker:6379 fourfold submit evening.toml --wait",
    ],
)
@job_flags
@click.option("--wait", is_flag=True, help="Play it now and wait for the end; for now it is needed.")
@click.option(
    "--workers",
    type=Count(MOST_WORKERS),
    metavar="N",
    help="Processes of the worker that is started.  [default: one a processor]",
)
def command(asked: Asked, wait: bool, workers: int | None) -> None:
    """Play a job on the queue and print who wins.

    Broker and worker are started for this job and stopped after it, unless FOURFOLD_BROKER names a broker.
    """
    if not wait:
        raise click.UsageError("For now a job is played on the queue only with --wait; add it.")

    from workers.here import free_threads
    from workers.parts import GAME_LIMIT_S
    from workers.queue import check_broker, submit_and_wait

    check_broker()  # Before a folder is made: it would keep the flags of a run that never began.
    used = workers or free_threads()

    def queued(run: Run, table: Table, line: ProgressLine) -> dict[str, Any]:
        return submit_and_wait(run, table, workers=used, on_progress=line.show, say=line.say)

    play(asked, used, GAME_LIMIT_S, queued)
