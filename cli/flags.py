"""The flags that several commands share, and what they ask for as one value."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from cli.command import from_command_line

if TYPE_CHECKING:
    from sim.contract import Bot
    from sim.job import Job

JOB_FILES = (".toml", ".json")

MOST_WORKERS = 1000  # threads or processes: far more than a machine has processors


class Count(click.IntRange):
    """A whole number from 1 on."""

    name = "integer"

    def __init__(self, most: int | None = None) -> None:
        super().__init__(min=1, max=most)


class Number(click.FloatRange):
    """A number within bounds; one that is not a number is within none."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a number."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


# What belongs to a job, by parameter; with a job file none of it stands on the command line.
JOB_FLAGS = {
    "seats": "--seats",
    "bots": "--bots",
    "deals": "--deals",
    "games": "--games",
    "seed": "--seed",
    "option": "--option",
    "preset": "--preset",
    "rotate": "--no-rotate",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command line asks to be played, and where and how it is written down."""

    game: str
    seats: int | None
    bots: str | None
    deals: int | None
    games: int | None
    seed: int
    option: tuple[str, ...]
    preset: str | None
    rotate: bool
    detail: Literal["full", "summary"]
    part: int | None
    out: Path | None
    as_json: bool

    def job(self) -> "tuple[Job, dict[str, Bot]]":
        """Give the job, from its file or from the flags, with the user's bots by name."""
        from workers.jobs import job_of_options, read_job

        if self.game.endswith(JOB_FILES):
            _refuse_job_flags()
            return read_job(Path(self.game))
        with from_command_line():
            return job_of_options(
                self.game,
                bots=self.bots,
                seats=self.seats,
                deals=self.deals,
                games=self.games,
                seed=self.seed,
                options=list(self.option),
                preset=self.preset,
                rotate=self.rotate,
            )


def _refuse_job_flags() -> None:
    """Raise UsageError if the command line says what a job file says."""
    context = click.get_current_context()
    given = [
        flag
        for name, flag in JOB_FLAGS.items()
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(
            f"{', '.join(given)} cannot be given beside a job file: what is played stands in the file. "
            "Allowed are --detail, --part, --out, --json and how it is executed."
        )


_FLAGS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    click.argument("game", metavar="GAME|JOB.toml"),
    click.option("--seats", type=int, metavar="N", help="Seats at the table.  [default: the game's]"),
    click.option(
        "--bots",
        metavar="LIST",
        help="Bots by seat, comma separated: NAME or FILE.py:NAME, each with :parameter=value. Fewer than "
        "seats are repeated in order.  [default: the game's line-up]",
    ),
    click.option("--deals", type=int, metavar="D", help="Deals to play, each in every rotation.  [default: 1000]"),
    click.option(
        "--games",
        type=int,
        metavar="N",
        help="Games to play, rounded up to whole deals, in place of --deals.",
    ),
    click.option("--seed", type=int, default=1, show_default=True, metavar="S", help="Where all chance comes from."),
    click.option("--option", multiple=True, metavar="NAME=VALUE", help="A rule option of the game. Repeatable."),
    click.option("--preset", metavar="NAME", help="A set of options that the game names; --option goes before it."),
    click.option("--no-rotate", "rotate", is_flag=True, default=True, flag_value=False, help="One game a deal."),
    click.option(
        "--detail",
        type=click.Choice(["full", "summary"]),
        default="full",
        show_default=True,
        help="Write every game, or only sums.",
    ),
    click.option(
        "--part",
        type=Count(),
        metavar="DEALS",
        help="Deals per part, the unit of work and repair.  [default: a few seconds' worth]",
    ),
    click.option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="The run's folder.  [default: runs/NAME]",
    ),
)


def json_flag(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")(function)


processes_flag = click.option(
    "--processes",
    "--workers",
    "processes",
    type=Count(MOST_WORKERS),
    metavar="N",
    help="Processes to play in.  [default: one a processor]",
)


def waiting_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--wait` and `--workers`: a command that puts a run on the queue may stay until its end."""

    @wraps(function)
    def checked(*given: Any, wait: bool, workers: int | None, **named: Any) -> Any:
        if workers is not None and not wait:
            raise click.UsageError("--workers goes with --wait; without it the workers play that are there.")
        return function(*given, wait=wait, workers=workers, **named)

    flagged = click.option(
        "--workers",
        type=Count(MOST_WORKERS),
        metavar="N",
        help="With --wait: start a worker of so many processes, even where others are.  [default: one a processor, "
        "where no worker is]",
    )(checked)
    wait = "Wait for the end and print who wins; what is needed is started."
    return click.option("--wait", is_flag=True, help=wait)(flagged)


def job_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that say what to play and where to write it; the command gets them as one value."""

    @wraps(function)
    def with_asked(**values: Any) -> Any:
        asked = Asked(**{field.name: values.pop(field.name) for field in fields(Asked)})
        return function(asked, **values)

    flagged = json_flag(with_asked)
    for add in reversed(_FLAGS):
        flagged = add(flagged)
    return flagged
