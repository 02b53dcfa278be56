"""`fourfold run`: play a job here, in threads of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.command import Command
from cli.flags import MOST_WORKERS, Asked, Count, Number, job_flags
from cli.playing import play

if TYPE_CHECKING:
    from cli.progress import ProgressLine
    from results.store import Run
    from workers.contest import Contest


@click.command(
    cls=Command,
    examples=[
        "fourfold run vierer --games 100000",
        "fourfold run vierer --seats 4 --bots careful:memory=12,random --deals 5000",
        "fourfold run vierer --bots careful,mine.py:thrower:cut=3 --games 1000",
        "fourfold run vierer --deals 500 --option knock_penalty=20 --option resets=once",
        "fourfold run evening.toml --out evening",
    ],
)
@job_flags
@click.option(
    "--threads",
    type=Count(MOST_WORKERS),
    metavar="N",
    help="Threads to play in.  [default: one a processor]",
)
@click.option(
    "--game-timeout",
    type=Number(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="A game that takes longer is named and ends the run.",
)
def command(asked: Asked, threads: int | None, game_timeout: float) -> None:
    """Play a job on this machine and print who wins.

    The job is a game and flags, or a file. Where the run's folder holds parts of this very job they are kept,
    and the rest is played.
    """
    from workers.here import play_here
    from workers.machine import free_threads

    used = threads or free_threads()

    def here(run: Run, contest: Contest, line: ProgressLine) -> dict[str, Any]:
        return play_here(run, contest, threads=used, game_timeout=game_timeout, on_progress=line.show, say=line.say)

    play(asked, used, game_timeout, here)
