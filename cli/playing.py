"""What `run` and `submit` share: create the run, show how it goes on, and print what came of it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.flags import Asked
from cli.numbers import counted
from cli.progress import ProgressLine

if TYPE_CHECKING:
    from results.store import Run
    from sim.table import Table

Way = Callable[["Run", "Table", ProgressLine], dict[str, Any]]


def play(asked: Asked, workers: int, game_timeout: float, way: Way) -> None:
    """Play what is asked, for so many workers and in one of the two ways, and print the figures."""
    from workers.runs import create_run

    job, bots = asked.job()
    with ProgressLine() as line:
        run, table = create_run(
            job,
            bots,
            out=asked.out,
            part=asked.part,
            detail=asked.detail,
            workers=workers,
            game_timeout=game_timeout,
            say=line.say,
        )
        was_complete = run.is_complete
        for kept in _kept(asked, run):
            line.say(kept)
        try:
            summary = way(run, table, line)
        except KeyboardInterrupt:
            line.say(f"What is done stays in {run.location}; the same command goes on from there.")
            raise
    if asked.as_json:
        click.echo(json.dumps(summary, indent=2))
    else:
        _print_end(asked, run, summary, was_complete)


def _kept(asked: Asked, run: Run) -> Iterator[str]:
    """Say in what the run, begun earlier, differs from what is asked: its plan is made once."""
    detail, part = run.plan["detail"], run.plan["part_deals"]
    if asked.detail != detail:
        yield f"The run was begun with --detail {detail}, and that stays."
    if asked.part is not None and min(asked.part, run.plan["deals"]) != part:
        yield f"The run was begun with --part {part}, and that stays."


def _print_end(asked: Asked, run: Run, summary: dict[str, Any], was_complete: bool) -> None:
    """Print the figures in brief, where the run lies, and what to type next."""
    from cli.figures import show

    show(run, summary, is_brief=True)
    if was_complete:
        click.echo("The run was complete already; nothing was played.")
    if asked.games is not None and summary["games"] != asked.games:
        click.echo(f"Whole deals make {counted(summary['games'], 'game')} of the {asked.games:,} asked for.")
    word = _word_for(run)
    click.echo(f"\nThe run lies in {run.location}")
    click.echo(f"All figures:           fourfold show {word}")
    click.echo(f"One game step by step: fourfold replay {word} --game 0")


def _word_for(run: Run) -> str:
    """Give the word that opens a run: its name if it lies among the runs, else its location."""
    from workers.places import runs_root

    location = Path(run.location)
    return shlex.quote(run.name if location.parent == runs_root().absolute() else run.location)
