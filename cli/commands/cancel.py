"""`fourfold cancel`: stop playing a run; what is done stays."""

import click

from cli.command import Command
from cli.flags import json_flag


@click.command(cls=Command, examples=["fourfold cancel vierer-0a1b2c3d", "fourfold cancel ./evening"])
@click.argument("run")
@json_flag
def command(run: str, as_json: bool) -> None:
    """Ask everybody who plays a run to stop; what is done stays, and resume goes on from there.

    RUN is a name among the runs or a path. It needs no broker: the word is left in the run's folder, and whoever
    plays it stops within about a second.
    """
    from cli.queued import print_state, standing_words
    from workers.places import open_run
    from workers.service.queue import cancel, state_of

    opened = open_run(run)
    cancel(opened)
    state = state_of(opened)
    if as_json:
        print_state(opened, state)
    elif state == "done":
        click.echo(f"Run {opened.name} is done already; nothing is cancelled.")
    else:
        click.echo(standing_words(opened, state))
        if state == "cancelled":
            click.echo("Parts at hand may still end.")
