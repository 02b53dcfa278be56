"""`fourfold tournament`: hold a tournament, once or many times."""

from __future__ import annotations

import click

from cli.command import Command
from cli.flags import Asked, threads_flag, timeout_flag, tournament_flags, waiting_flags


@click.command(
    cls=Command,
    examples=[
        "fourfold tournament four-corner --preset championship",
        "fourfold tournament vierer --preset league --entrants 'careful*3,gambler'",
        "fourfold tournament four-corner --preset championship --repeats 10000",
        "fourfold tournament vierer --format swiss --format league --repeats 500",
        "fourfold tournament evening.toml --submit --wait",
    ],
)
@tournament_flags
@threads_flag
@timeout_flag
@click.option(
    "--submit", is_flag=True, help="Put it on the queue, as fourfold submit does, instead of playing it here."
)
@waiting_flags
def command(
    asked: Asked, threads: int | None, game_timeout: float, submit: bool, wait: bool, workers: int | None
) -> None:
    """Hold a tournament of a game and print its standings; many times, and print everybody's chances.

    The tournament is a game and flags, or a file. Every format is held under every variant of the rules, on the
    same deals. Where the run's folder holds parts of this very job they are kept, and the rest is played.
    """
    from cli.playing import queue, run_here, run_queued

    if (wait or workers) and not submit:
        raise click.UsageError("--wait and --workers go with --submit; without it the tournament is played here.")
    if not submit:
        run_here(asked, threads, game_timeout)
    elif wait:
        run_queued(asked, workers)
    else:
        queue(asked)
