"""`fourfold up`: broker and worker on this machine."""

import os

import click

from cli.command import Command
from cli.flags import json_flag, processes_flag


@click.command(cls=Command, examples=["fourfold up", "fourfold up --workers 2"])
@processes_flag
@json_flag
def command(processes: int | None, as_json: bool) -> None:
    """Play on this machine whatever is submitted, until stopped.

    Starts a broker, a worker and a steward, which sees to it that every run is finished. Ctrl-C lets the parts
    at hand be finished and leaves nothing behind; what is not done can be resumed. A second one adds a worker.
    With FOURFOLD_BROKER set it is the same as fourfold worker.
    """
    from cli.serving import say, serve, serve_named, stopped_runs
    from workers.broker.embedded import VARIABLE, broker, embedded_url

    named = os.environ.get(VARIABLE)
    if named:
        serve_named(named, processes, as_json=as_json)
        return
    if embedded_url():
        say("A broker is up on this machine already: this adds a worker to it.")
    with broker() as url:
        next_words = [
            "In another terminal:   fourfold submit vierer --games 100000",
            "                       fourfold runs",
            *stopped_runs(),
        ]
        serve(url, processes, next_words, as_json=as_json)
