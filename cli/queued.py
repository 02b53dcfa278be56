"""What the commands of the queue share: finding it, and saying how a run stands and what to type next."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from cli.numbers import amount, counted
from cli.words import printable
from sim.errors import BrokerError

if TYPE_CHECKING:
    from results.store import Run


def standing_url() -> str:
    """Give the URL of the broker that is up.

    Raises
    ------
    BrokerError
        If the one that is named is out of reach, or none is named and none is up here.
    """
    from workers.service.queue import standing_broker

    url = standing_broker()
    if url is None:
        raise BrokerError(
            "Nothing is up on this machine to play it: start fourfold up in another terminal, or add --wait."
        )
    return url


def print_queued(run: Run, warnings: list[str], *, as_json: bool) -> None:
    """Say that a run is on the queue, what hinders it, and what to type next."""
    from workers.places import typed

    if as_json:
        print_state(run, "queued", warnings=warnings)
        return
    done, word = len(run.committed()), typed(run.location)
    kept = f", {done:,} of them done already" if done else ""
    units = amount(run.units, run.unit)
    what = units if run.games is None else f"{counted(run.games, 'game')} ({units})"
    click.echo(f"{run.name}: queued, {what} in {counted(run.parts, 'part')}{kept}")
    click.echo(f"The run lies in {run.location}")
    click.echo(f"How it goes on:        fourfold watch {word}")
    click.echo(f"End it early:          fourfold cancel {word}")
    click.echo(f"Figures, once done:    fourfold show {word}")
    for warning in warnings:
        click.echo(warning, err=True)


def print_state(run: Run, state: str, **more: Any) -> None:
    """Print as JSON how a run stands."""
    known = {
        "run": run.name,
        "location": run.location,
        "state": state,
        "parts_done": len(run.committed()),
        "parts": run.parts,
        "unit": run.unit,
        "units": run.units,
    }
    click.echo(json.dumps({**known, **more}))


def standing_words(run: Run, state: str) -> str:
    """Say of a run that is not done how it stands and what to type, in a line or two."""
    from workers.places import typed

    word = typed(run.location)
    parts = f"{len(run.committed()):,} of {counted(run.parts, 'part')} done"
    match state:
        case "queued":
            return f"Run {run.name} is queued, {parts}.\nSee how it goes on with: fourfold watch {word}"
        case "playing":
            return f"Run {run.name} is being played by fourfold run, {parts}.\nSee how with: fourfold watch {word}"
        case "failed":
            message = next((str(entry.get("message", "")) for _, entry in sorted(run.failures().items())), "")
            message = printable(" ".join(message.splitlines()))
            return (
                f"Run {run.name} has failed, {parts}: {message}\n"
                "A mended bot is another bot: submit the job anew. Where the machine was at fault: "
                f"fourfold resume {word}"
            )
        case "cancelled":
            return f"Run {run.name} is cancelled, {parts}.\nGo on with: fourfold resume {word}"
    return f"Run {run.name} has stopped, {parts}: it is on no queue.\nGo on with: fourfold resume {word}"
