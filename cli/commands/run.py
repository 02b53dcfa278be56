"""`fourfold run`: play a job here, in threads of this process."""

from __future__ import annotations

import click

from cli.command import Command
from cli.flags import Asked, job_flags, threads_flag, timeout_flag


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
@threads_flag
@timeout_flag
def command(asked: Asked, threads: int | None, game_timeout: float) -> None:
    """Play a job on this machine and print who wins.

    The job is a game and flags, or a file. Where the run's folder holds parts of this very job they are kept,
    and the rest is played.
    """
    from cli.playing import run_here

    run_here(asked, threads, game_timeout)
