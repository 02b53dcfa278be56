"""`fourfold verify`: whether what is stored is what was played."""

import json
from dataclasses import asdict

import click

from cli.command import Command
from cli.flags import Number, json_flag
from cli.numbers import counted
from cli.progress import ProgressLine


@click.command(
    cls=Command,
    examples=["fourfold verify vierer-0a1b2c3d", "fourfold verify ./evening --sample 1"],
)
@click.argument("run")
@click.option(
    "--sample",
    type=Number(0, 1, min_open=True),
    default=0.01,
    show_default=True,
    metavar="SHARE",
    help="Share of each part to play again, above 0; one deal, tournament or match at least.",
)
@json_flag
@click.pass_context
def command(ctx: click.Context, run: str, sample: float, as_json: bool) -> None:
    """Check a run's files, and play a sample of it again.

    Counts and hashes are taken anew, and every cell of the games that are played again is compared. Exits with
    status 1 if anything is not as it was played.
    """
    from workers.places import open_run
    from workers.play.verify import verify

    with ProgressLine("parts") as line:
        found = verify(open_run(run), sample=sample, on_part=line.move, say=line.say)
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2))
    else:
        for fault in found.faults:
            click.echo(fault)
        checked = f"{counted(found.checked_parts, 'part')} checked, "
        checked += f"{counted(found.checked_games, 'game')} played again"
        click.echo(f"{checked}: {counted(len(found.faults), 'fault') if found.faults else 'all as stored'}.")
        if found.faults:
            click.echo("Run, submit or resume it: what is damaged or missing is played again.")
    if found.faults:
        ctx.exit(1)
