"""`fourfold submit`: play a job on the queue."""

from __future__ import annotations

import click

from cli.command import Command
from cli.flags import Asked, job_flags, waiting_flags


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
    from cli.playing import queue, run_queued

    if wait:
        run_queued(asked, workers)
    else:
        queue(asked)
