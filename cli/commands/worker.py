"""`fourfold worker`: one worker for a broker that several machines share."""

import os

import click

from cli.command import Command
from cli.flags import json_flag, processes_flag


@click.command(
    cls=Command,
    examples=[
        "FOURFOLD_BROKER=redis://broker:6379 FOURFOLD_RUNS=/srv/runs fourfold worker",
        "FOURFOLD_BROKER=redis://broker:6379 fourfold worker --processes 4",
    ],
)
@processes_flag
@json_flag
def command(processes: int | None, as_json: bool) -> None:
    """Play what is submitted to the broker that FOURFOLD_BROKER names, until stopped.

    The runs' folder, FOURFOLD_RUNS, must be one that all machines see. Ctrl-C lets the parts at hand be
    finished; what is queued goes to other workers.
    """
    from cli.serving import serve_named
    from workers.broker.embedded import VARIABLE

    named = os.environ.get(VARIABLE)
    if not named:
        raise click.UsageError(
            f"Set {VARIABLE}=redis://HOST:6379 to the broker to work for; on this machine alone: fourfold up."
        )
    serve_named(named, processes, as_json=as_json)
