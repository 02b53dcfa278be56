"""`fourfold replay`: one game of a run, move by move."""

import json

import click

from cli.command import Command
from cli.flags import json_flag
from cli.progress import ProgressLine


@click.command(
    cls=Command,
    examples=[
        "fourfold replay vierer-0a1b2c3d --game 12",
        "fourfold replay vierer-0a1b2c3d --game 12 --seat 0",
        "fourfold replay ./evening --game 12 --json > game.json",
    ],
)
@click.argument("run")
@click.option(
    "--game",
    type=int,
    required=True,
    metavar="N",
    help="The game's number, as in the results.",
)
@click.option("--seat", type=int, metavar="S", help="Tell it as this seat saw it.  [default: all is shown]")
@json_flag
def command(run: str, game: int, seat: int | None, as_json: bool) -> None:
    """Play one game of a run again and tell it move by move.

    With --json everything that happened, chance and all decisions, as docs/transcripts.md defines it.
    """
    if as_json and seat is not None:
        raise click.UsageError("--json prints the whole transcript, not one seat's: leave out one of them.")
    from workers.places import open_run
    from workers.play.replay import text, transcript, whereabouts

    opened = open_run(run)
    told = transcript(opened, game, seat=seat, say=ProgressLine().say)
    if as_json:
        click.echo(json.dumps(told))
        return
    where = whereabouts(opened, game)
    if where:
        click.echo(f"Game {game}: {where}")
    for line in text(told, seat):
        click.echo(line)
