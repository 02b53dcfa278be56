"""The flags that several commands share, and what they ask for as one value."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from cli.command import from_command_line
from sim.errors import SpecError

if TYPE_CHECKING:
    import msgspec

    from sim.contract import Bot

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


@dataclass(frozen=True, slots=True)
class Asked(ABC):
    """What a command line asks to be played, and where and how it is written down. `game` is one, or a job file."""

    game: str
    detail: Literal["full", "summary"]
    part: int | None
    out: Path | None
    as_json: bool

    def job(self) -> "tuple[msgspec.Struct, dict[str, Bot]]":
        """Give the job, from its file or from the flags, with the user's bots by name."""
        from workers.jobs import read_job

        if self.game.endswith(JOB_FILES):
            _refuse_flags(type(self))
            job, bots = read_job(Path(self.game))
            self.check(job)
            return job, bots
        with from_command_line():
            return self.given()

    @abstractmethod
    def check(self, job: "msgspec.Struct") -> None:
        """Raise SpecError if the command does not take a job of a file."""

    @abstractmethod
    def given(self) -> "tuple[msgspec.Struct, dict[str, Bot]]":
        """Give the job of the flags."""

    @property
    def games_asked(self) -> int | None:
        """The number of games that is asked for, where it is."""
        return None


@dataclass(frozen=True, slots=True)
class AskedTable(Asked):
    """A table for a number of deals."""

    seats: int | None
    bots: str | None
    deals: int | None
    games: int | None
    seed: int
    option: tuple[str, ...]
    preset: str | None
    rotate: bool

    def check(self, job: "msgspec.Struct") -> None:
        """Take a job of any kind: a file says itself what is played."""

    def given(self) -> "tuple[msgspec.Struct, dict[str, Bot]]":
        """Give the job of the flags."""
        from workers.jobs import job_of_options

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

    @property
    def games_asked(self) -> int | None:
        """The number of games that is asked for, where it is."""
        return self.games


@dataclass(frozen=True, slots=True)
class AskedTournament(Asked):
    """A tournament, for a number of repeats."""

    entrants: str | None
    formats: tuple[str, ...]
    preset: str | None
    variants: tuple[str, ...]
    option: tuple[str, ...]
    order: str | None
    seats: int | None
    repeats: int
    deals: int
    rotate: bool | None
    seed: int

    def check(self, job: "msgspec.Struct") -> None:
        """Raise SpecError if a job of a file is no tournament."""
        from sim.tournament.job import Tournament

        if not isinstance(job, Tournament):
            raise SpecError(
                f'Job file {self.game} holds no tournament, whose kind = "tournament" stands in it; what it holds is '
                "played with fourfold run or fourfold submit."
            )

    def given(self) -> "tuple[msgspec.Struct, dict[str, Bot]]":
        """Give the tournament of the flags."""
        from workers.jobs import tournament_of_options

        return tournament_of_options(
            self.game,
            entrants=self.entrants,
            formats=self.formats,
            variants=self.variants,
            preset=self.preset,
            options=self.option,
            order=self.order,
            seats=self.seats,
            repeats=self.repeats,
            deals=self.deals,
            rotate=self.rotate,
            seed=self.seed,
        )


def _refuse_flags(kind: type[Asked]) -> None:
    """Raise UsageError if the command line says what a job file says."""
    context = click.get_current_context()
    # What belongs to a job is what the kind adds to what is asked of any.
    names = {field.name for field in fields(kind)} - {field.name for field in fields(Asked)}
    given = [
        param.opts[0]
        for param in context.command.params
        if param.name in names and context.get_parameter_source(param.name) is click.core.ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(
            f"{', '.join(given)} cannot be given beside a job file: what is played stands in the file. "
            "Allowed are --detail, --part, --out, --json, and the flags that say where and how fast."
        )


Flags = tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...]

_GAME: Flags = (click.argument("game", metavar="GAME|JOB.toml"),)
_SEED: Flags = (
    click.option("--seed", type=int, default=1, show_default=True, metavar="S", help="Where all chance comes from."),
)
_OPTION: Flags = (
    click.option("--option", multiple=True, metavar="NAME=VALUE", help="A rule option of the game. Repeatable."),
)
_TABLE: Flags = (
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
    *_SEED,
    *_OPTION,
    click.option("--preset", metavar="NAME", help="A set of options that the game names; --option goes before it."),
    click.option("--no-rotate", "rotate", is_flag=True, default=True, flag_value=False, help="One game a deal."),
)
_TOURNAMENT: Flags = (
    click.option(
        "--entrants",
        metavar="LIST",
        help="Who enters, comma separated: bots as in --bots, each with :name=NAME if it needs one; BOT*N are N of "
        "them.  [default: each of the game's bots]",
    ),
    click.option(
        "--format",
        "formats",
        multiple=True,
        metavar="NAME",
        help="How it is held, with :setting=value for what differs. Repeatable: all are held on the same deals.",
    ),
    click.option(
        "--preset", metavar="NAME", help="championship or league: one game a match, all variants of the game."
    ),
    click.option(
        "--variant",
        "variants",
        multiple=True,
        metavar="NAME",
        help="Rules to hold it under, with :option=value for what differs, or :preset=NAME. Repeatable: all on the "
        "same deals.",
    ),
    *_OPTION,
    click.option("--order", metavar="LIST", help="The entrants' names, best first, for seeding=rating."),
    click.option("--seats", type=int, metavar="N", help="Entrants at a table, in formats of tables."),
    click.option("--repeats", type=int, default=1, show_default=True, metavar="N", help="How often it is held."),
    click.option("--deals", type=int, default=1, show_default=True, metavar="D", help="Deals a match."),
    click.option(
        "--rotate/--no-rotate",
        default=None,
        help="Play each deal in every rotation, or once.  [default: every; with a preset once]",
    ),
    *_SEED,
)
_WRITING: Flags = (
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
        metavar="N",
        help="Deals per part, the unit of work and repair; in tournaments whole ones per part, or of a single one "
        "matches.  [default: a few seconds' worth]",
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


def _asked(kind: type[Asked], flags: Flags) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add flags to a command, which gets what they ask for as one value."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_asked(**values: Any) -> Any:
            asked = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
            return function(asked, **values)

        flagged = json_flag(with_asked)
        for add in reversed((*_GAME, *flags, *_WRITING)):
            flagged = add(flagged)
        return flagged

    return decorate


job_flags = _asked(AskedTable, _TABLE)
tournament_flags = _asked(AskedTournament, _TOURNAMENT)

threads_flag = click.option(
    "--threads",
    type=Count(MOST_WORKERS),
    metavar="N",
    help="Threads to play in.  [default: one a processor]",
)
timeout_flag = click.option(
    "--game-timeout",
    type=Number(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="A game that takes longer is named and ends the run.",
)
