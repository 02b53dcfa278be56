"""`fourfold runs`: all runs, and how each of them stands."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import click

from cli.command import Command
from cli.flags import json_flag

_NAME_WIDTH = 24  # longer names are folded


@click.command(
    cls=Command,
    examples=["fourfold runs", "fourfold runs --json", "FOURFOLD_RUNS=/srv/runs fourfold runs"],
)
@json_flag
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the runs in the runs' folder, the newest last.

    A run is done, failed or cancelled; queued while workers are to play it; else it has stopped, and resume goes
    on with it. A run that a fourfold run on this machine is at is playing.
    """
    from sim.errors import BrokerError
    from workers.places import runs_root
    from workers.service.queue import all_runs

    root, status = runs_root().absolute(), 0
    try:
        rows = all_runs(root)
    except BrokerError as error:
        rows, status = all_runs(root, asks_broker=False), 3
        click.echo(f"{error} What is on its queue is listed as stopped.", err=True)
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    elif rows:
        _print_rows(rows)
    else:
        click.echo(f"There are no runs in {root}. Make one: fourfold run vierer")
    ctx.exit(status)


def _print_rows(rows: list[dict[str, Any]]) -> None:
    """Print a line for each run, and what is wrong with those that cannot be read."""
    from cli.numbers import amount
    from cli.tables import Column, draw, terminal
    from cli.words import printable

    read = [row for row in rows if row["state"] != "damaged"]
    console = terminal()
    if read:
        moments = [_begun(row) for row in read]
        columns = (
            Column("state", tuple(row["state"] for row in read), "left"),
            Column("parts done", tuple(f"{row['parts_done']:,}/{row['parts']:,}" for row in read)),
            Column("of", tuple(amount(row["units"], row["unit"]) for row in read)),
            Column("game", tuple(row["game"].replace("_", "-") for row in read), "left"),
            Column("begun", tuple(moment for moment, _ in moments)),
        )
        names = Column("run", tuple(printable(row["run"]) for row in read), "left", _NAME_WIDTH)
        draw(console, "Runs, the newest last", names, [columns])
    for row in rows:
        if row["state"] == "damaged":
            console.print(printable(f"{row['run']}: {row['why']}"))


def _begun(row: dict[str, Any]) -> tuple[str, str]:
    """Say when a run was begun, and how long ago that is."""
    from cli.times import moment_words, span_words

    if not row["begun"]:
        return "", ""
    now, moment = datetime.now(UTC), datetime.fromisoformat(row["begun"])
    return moment_words(moment, now), span_words((now - moment).total_seconds())
