"""`fourfold show`: the figures of a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from cli.command import Command
from cli.flags import json_flag
from sim.errors import BrokerError, FourfoldError, StoreError

if TYPE_CHECKING:
    from results.store import Run


@click.command(
    cls=Command,
    examples=["fourfold show vierer-0a1b2c3d", "fourfold show ./evening", "fourfold show ./evening --json"],
)
@click.argument("run")
@json_flag
def command(run: str, as_json: bool) -> None:
    """Print the figures of a finished run as tables.

    RUN is a name among the runs or a path. Intervals are 95 %, over deals, or over tournaments.
    """
    from workers.places import open_run

    opened = open_run(run)
    if not opened.is_complete:
        raise _unfinished(opened)
    summary = opened.summary()
    if as_json:
        click.echo(json.dumps(summary, indent=2))
        return
    from cli.figures import show

    show(opened, summary)


def _unfinished(run: Run) -> FourfoldError:
    """Say how a run stands that has no figures yet."""
    from cli.queued import standing_words
    from workers.service.queue import state_now

    try:
        return StoreError(standing_words(run, state_now(run)))
    except BrokerError as error:
        return BrokerError(
            f"Run {run.name} is not done, {len(run.committed()):,} of its {run.parts:,} parts are. {error}"
        )
