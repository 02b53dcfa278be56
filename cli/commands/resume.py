"""`fourfold resume`: go on with a run that was cancelled, failed, stopped or damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.command import Command
from cli.flags import json_flag, waiting_flags

if TYPE_CHECKING:
    from cli.progress import ProgressLine
    from results.store import Run
    from workers.play.contest import Contest


@click.command(
    cls=Command,
    examples=[
        "fourfold resume vierer-0a1b2c3d",
        "fourfold resume vierer-0a1b2c3d --wait",
        "fourfold resume ./evening --wait --workers 2",
    ],
)
@click.argument("run")
@waiting_flags
@json_flag
def command(run: str, wait: bool, workers: int | None, as_json: bool) -> None:
    """Put a run back on the queue that was cancelled, has failed or stopped, or lost parts.

    RUN is a name among the runs or a path. What is done stays; a damaged part is moved aside and played again.
    """
    from workers.places import open_run

    opened = open_run(run)
    if wait:
        _play(opened, workers, as_json=as_json)
    else:
        _queue(opened, as_json=as_json)


def _queue(run: Run, *, as_json: bool) -> None:
    """Put it on the queue, if anything is missing, and say what to type next."""
    from cli.progress import ProgressLine
    from cli.queued import print_queued, print_state, standing_url
    from workers.places import typed
    from workers.service.queue import check_place, is_whole, resume

    say = ProgressLine().say
    # What looks finished needs no broker, unless something of it turns out to be damaged.
    if len(run.committed()) == run.parts and is_whole(run, say):
        if as_json:
            print_state(run, "done", warnings=[])
        else:
            click.echo(f"Run {run.name} is done and undamaged. Its figures: fourfold show {typed(run.location)}")
        return
    url = standing_url()
    check_place(url, Path(run.location))
    print_queued(run, resume(run, url, say), as_json=as_json)


def _play(run: Run, workers: int | None, *, as_json: bool) -> None:
    """Play what is missing and print the figures."""
    from cli.playing import print_end, watched
    from cli.progress import ProgressLine
    from workers.play.runs import contest_of_run
    from workers.service.queue import check_place, is_whole, standing_broker, submit_and_wait

    def queued(run: Run, contest: Contest, line: ProgressLine) -> dict[str, Any]:
        return submit_and_wait(run, contest, workers=workers, on_progress=line.show, say=line.say)

    with ProgressLine() as line:
        was_complete = run.is_complete
        is_played = not is_whole(run, line.say)
        if is_played:
            url = standing_broker()
            if url:
                check_place(url, Path(run.location), brings_worker=workers is not None)
            summary = watched(run, contest_of_run(run), line, queued)
        else:
            summary = run.summary()
    if as_json:
        click.echo(json.dumps(summary, indent=2))
    else:
        notes = ["The run was complete already; nothing was played."] if was_complete and not is_played else []
        print_end(run, summary, notes)
