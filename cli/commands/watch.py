"""`fourfold watch`: how a run on the queue goes on, until its end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from cli.command import Command
from cli.flags import json_flag

if TYPE_CHECKING:
    from results.store import Run


@click.command(
    cls=Command,
    examples=[
        "fourfold watch vierer-0a1b2c3d",
        "fourfold watch vierer-0a1b2c3d --once",
        "fourfold watch ./evening --json",
    ],
)
@click.argument("run")
@click.option("--once", is_flag=True, help="Show how it stands now, and end.")
@json_flag
def command(run: str, once: bool, as_json: bool) -> None:
    """Show how a run goes on, and at its end who wins.

    RUN is a name among the runs or a path. Any number of terminals may watch, and none of them plays: stopping
    one changes nothing. With --json one object a line, about once a second.
    """
    from workers.places import open_run
    from workers.service.queue import follow

    opened = open_run(run)
    looks = follow(opened)
    if once:
        looks = iter([next(looks)])
    try:
        if as_json:
            for known in looks:
                click.echo(json.dumps(known))
        else:
            _show(looks)
    except KeyboardInterrupt:
        _say_how_to_return(opened)
        raise
    if not once:
        _end(opened, as_json=as_json)


def _show(looks: Iterator[dict[str, Any]]) -> None:
    """Show a live picture on a terminal, else a line whenever something has changed."""
    from cli.picture import hindrances, line_of, picture_of
    from cli.tables import terminal

    console = terminal()
    if console.is_terminal:
        from rich.live import Live

        with Live(console=console, auto_refresh=False) as live:
            for known in looks:
                live.update(picture_of(known), refresh=True)
        return
    before: tuple[Any, ...] = ()
    said: set[str] = set()
    for known in looks:
        now = (known["state"], known["parts_done"], known["parts_overdue"], known["is_summing"])
        if now != before:
            click.echo(line_of(known))
        before = now
        for sentence in hindrances(known):
            if sentence not in said:
                click.echo(sentence)
        said = set(hindrances(known))


def _say_how_to_return(run: Run) -> None:
    """Say what becomes of a run that nobody watches any more."""
    from workers.places import typed

    word = typed(run.location)
    click.echo(f"The run is not touched. End it with: fourfold cancel {word}", err=True)


def _end(run: Run, *, as_json: bool) -> None:
    """Print the figures of a run that is done; raise what stopped another."""
    from cli.playing import print_end
    from cli.queued import standing_words
    from sim.errors import StoreError
    from workers.service.queue import outcome

    summary = outcome(run)
    if summary is None:
        raise StoreError(standing_words(run, "stopped"))
    if not as_json:
        print_end(run, summary, [])
