"""`fourfold show`: the figures of a run."""

import json

import click

from cli.command import Command
from cli.flags import json_flag
from sim.errors import StoreError


@click.command(
    cls=Command,
    examples=["fourfold show vierer-0a1b2c3d", "fourfold show ./evening", "fourfold show ./evening --json"],
)
@click.argument("run")
@json_flag
def command(run: str, as_json: bool) -> None:
    """Print the figures of a finished run as tables.

    RUN is a name among the runs or a path. Intervals are 95 %, over deals.
    """
    from workers.places import open_run

    opened = open_run(run)
    if not opened.is_complete:
        from cli.queued import standing_words
        from workers.queue import state_now

        raise StoreError(standing_words(opened, state_now(opened)))
    summary = opened.summary()
    if as_json:
        click.echo(json.dumps(summary, indent=2))
        return
    from cli.figures import show

    show(opened, summary)
