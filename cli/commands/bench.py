"""`fourfold bench`: how fast this machine plays, in a unit that compares across machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.command import Command
from cli.flags import Number, json_flag

if TYPE_CHECKING:
    from workers.play.benchmark import Figure

# Figures in this unit compare across machines; the others depend on the disk or the clock.
COMPARED = "yardsticks"


@click.command(
    cls=Command,
    examples=[
        "fourfold bench",
        "fourfold bench --save before.json",
        "fourfold bench --compare before.json --tolerance 10",
    ],
)
@click.option("--save", type=click.Path(path_type=Path), metavar="FILE", help="Keep the figures in a file.")
@click.option("--compare", type=click.Path(path_type=Path), metavar="FILE", help="Compare with kept figures.")
@click.option(
    "--tolerance",
    type=Number(min=0),
    default=25.0,
    show_default=True,
    metavar="PERCENT",
    help="How much slower than a kept figure is too slow.",
)
@json_flag
@click.pass_context
def command(ctx: click.Context, save: Path | None, compare: Path | None, tolerance: float, as_json: bool) -> None:
    """Measure the speed of this machine in yardsticks; lower is better.

    A yardstick is the time of one call of the random generator, taken in the same run. With --compare the exit
    status is 1 if a figure in yardsticks is too slow.
    """
    # What is wrong with the files is told before the half minute of measuring, not after it.
    if save is not None and (save.is_dir() or not save.parent.is_dir()):
        raise click.UsageError(f"--save: {save} cannot be written: it must be a file in a folder that exists.")
    before = _read(compare) if compare is not None else {}
    from workers.play.benchmark import measure

    figures = measure(_tell)
    plain = {name: asdict(figure) for name, figure in figures.items()}
    if save is not None:
        save.write_text(json.dumps(plain, indent=2) + "\n")
    if as_json:
        click.echo(json.dumps(plain, indent=2))
    else:
        _print_figures(figures, before)
    slower = list(_slower(figures, before, tolerance))
    for sentence in slower:
        click.echo(f"fourfold: {sentence}", err=True)
    if slower:
        ctx.exit(1)


def _tell(step: str) -> None:
    """Say what is being measured, on a terminal."""
    if sys.stderr.isatty():
        click.echo(f"measuring {step} ...", err=True)


def _read(file: Path) -> dict[str, float]:
    """Read the values of kept figures, or raise UsageError that names the file."""
    try:
        kept = json.loads(file.read_text())
        return {str(name): float(figure["value"]) for name, figure in kept.items()}
    except OSError as error:
        raise click.UsageError(f"--compare: {file} cannot be read: {error.strerror}.") from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise click.UsageError(f"--compare: {file} holds no figures; make it with --save.") from None


def _slower(figures: Mapping[str, Figure], before: Mapping[str, float], tolerance: float) -> Iterator[str]:
    """Give a sentence for each figure in yardsticks that exceeds the kept one by more than the tolerance."""
    for name, figure in figures.items():
        kept = before.get(name)
        if figure.unit == COMPARED and kept and figure.value > kept * (1 + tolerance / 100):
            yield f"{name} is {figure.value:g} {COMPARED}, and was {kept:g}: more than {tolerance:g} % slower."


def _print_figures(figures: Mapping[str, Figure], before: Mapping[str, float]) -> None:
    """Print the figures, beside them the kept ones."""
    from cli.tables import Column, draw, rest_of, terminal

    console = terminal()
    names = Column("figure", tuple(figures), "left")
    columns = [
        Column("value", tuple(f"{figure.value:,.2f}" for figure in figures.values())),
        Column("unit", tuple(figure.unit for figure in figures.values()), "left"),
    ]
    if before:
        columns.append(Column("kept", tuple(f"{before[n]:,.2f}" if n in before else "–" for n in figures)))
    texts = tuple(figure.text for figure in figures.values())
    columns.append(Column("of what", texts, "left", rest_of(console, names, *columns)))
    draw(console, "Speed, lower is better", names, [tuple(columns)])
