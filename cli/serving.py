"""What `up` and `worker` share: serve until told to stop, and say when it is ready."""

from __future__ import annotations

import json
import os

import click


def say(text: str) -> None:
    """Print a line on standard error."""
    click.echo(text, err=True)


def serve(url: str, processes: int | None, lines: list[str], *, as_json: bool) -> None:
    """Serve the broker at `url` with a worker and a steward; prints `lines` when they are ready."""
    from workers.broker.embedded import masked
    from workers.machine import free_threads
    from workers.service.supervisor import serve_until_told

    used = processes or free_threads()

    def ready() -> None:
        say("ready; Ctrl-C lets the parts at hand be finished and stops")
        for line in lines:
            say(line)
        if as_json:
            click.echo(json.dumps({"broker": masked(url), "processes": used, "pid": os.getpid()}))

    say(f"starting a worker with {'1 process' if used == 1 else f'{used:,} processes'} and a steward ...")
    serve_until_told(url, used, say, ready)
    say("stopped")


def stopped_runs() -> list[str]:
    """Say which runs of the runs' folder nobody goes on with, and how to."""
    from workers.places import runs_root, typed
    from workers.service.queue import all_runs

    root = runs_root().absolute()
    found = [typed(str(root / row["run"])) for row in all_runs(root) if row["state"] == "stopped"]
    if not found:
        return []
    words = "1 run has stopped" if len(found) == 1 else f"{len(found):,} runs have stopped"
    return [f"{words}. Go on with:    fourfold resume {found[-1]}"]


def serve_named(url: str, processes: int | None, *, as_json: bool) -> None:
    """Serve the broker that `FOURFOLD_BROKER` names; one that does not answer yet is waited for."""
    from sim.errors import BrokerError
    from workers.broker.embedded import check, checked_url, masked
    from workers.places import runs_root

    checked_url(url)
    try:
        check(url)
    except BrokerError as error:
        fault = str(error).removesuffix(".").partition(": start it")[0]
        say(f"{fault}. It is waited for; Ctrl-C stops.")
    root = runs_root().absolute()
    if not root.is_dir():
        say(f"The runs' folder {root} is not there yet: set FOURFOLD_RUNS to the one that all machines see.")
    say(f"The broker is {masked(url)}; runs lie in {root}.")
    serve(url, processes, [], as_json=as_json)
