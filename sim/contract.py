"""What a game declares: options, seats, bots, skills, columns, compiled functions. Games are found by scanning."""

import importlib
import math
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.errors import SpecError, UnknownName

MAX_PARAMETERS = 8


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that an entrant sets: what its bot reads, or a skill that the engine applies.

    `low` and `high` are inclusive bounds; `unit` says what is counted, `text` in a sentence what it does. One that
    `is_whole` has no fraction.
    """

    name: str
    default: float
    low: float
    high: float
    text: str
    unit: str = ""
    is_whole: bool = False

    def checked(self, value: Any, where: str) -> float:
        """Give the value as a number within the bounds, or raise SpecError naming `where` it stands."""
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        # A number of 400 digits reads as infinite and was not meant so.
        is_cut = math.isinf(number) and str(value).strip().lower().lstrip("+-") not in ("inf", "infinity")
        is_broken = self.is_whole and not number.is_integer()
        if isinstance(value, bool) or is_cut or not self.low <= number <= self.high or is_broken:
            given, numbers = repr(value)[:40], "whole numbers" if self.is_whole else "numbers"
            raise SpecError(
                f"{where}: '{self.name}' is {given}; allowed are {numbers} from {self.low:g} to {self.high:g}."
            )
        return number


@dataclass(frozen=True, slots=True)
class Bot:
    """A deciding function with its parameters, in the order in which a VIEW holds them.

    `source` is the hash of a user's file, empty for the bots that come with a game; `cache` the folder for its machine
    code where it is not part of `sim`; `game` the one whose VIEW it reads, where its author says so.
    """

    name: str
    decide: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    source: str = ""
    cache: Path | None = None
    game: str = ""

    @property
    def text(self) -> str:
        """The first line of the deciding function's docstring."""
        return (self.decide.__doc__ or "").strip().split("\n")[0]


def bot(*parameters: Parameter, name: str = "", game: str = "") -> Callable[[Callable[..., Any]], Bot]:
    """Declare a function `decide(view) -> int` as a bot with these parameters: a decorator that gives a `Bot`.

    The bot is named `name`, else like the function; one from a file is named by the word that asks for it. `game` says
    which game it plays; otherwise that is the one it imports from, or any.

    Raises
    ------
    SpecError
        If there are more than eight parameters or two of one name.
    """
    names = [parameter.name for parameter in parameters]
    if len(names) > MAX_PARAMETERS or len(set(names)) < len(names):
        raise SpecError(f"A bot has at most {MAX_PARAMETERS} parameters of different names; given: {', '.join(names)}.")
    return lambda decide: Bot(name or decide.__name__, decide, parameters, game=game)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a game's results: type, unit, meaning; a text column's cells are codes into `labels`.

    A float64 cell is written by the engine as a whole number of 1/scale.
    """

    name: str
    type: str
    unit: str
    text: str
    labels: tuple[str, ...] = ()
    scale: int = 1


@dataclass(frozen=True, slots=True)
class Ratio:
    """A figure that is the quotient of two columns of the games, summed over games."""

    name: str
    numerator: str
    denominator: str
    text: str


GAME_COLUMNS = (
    Column("game", "int64", "", "number of the game in its run: deal x rotations of the table + rotation"),
    Column("deal", "int64", "", "number of the deal: games of one deal share all chance of the table"),
    Column("rotation", "int8", "", "how far the deal's seating was turned: seat s holds what seat s + rotation held"),
    Column("status", "text", "", "how the game ended: by its rules, or at a safety limit", ("finished", "capped")),
    Column("turns", "int32", "turns", "turns begun"),
    Column("decisions", "int32", "decisions", "decisions asked, each with two legal actions or more"),
)
SEAT_COLUMNS = (
    Column("game", "int64", "", "number of the game"),
    Column("seat", "int8", "", "place at the table, 0 .. seats-1 clockwise"),
    Column("entrant", "text", "", "who sat there"),
    Column("score", "int32", "points", "the game's result for this seat"),
    Column("place", "int8", "", "rank by the game's rules: 1, 1, 3, ..."),
    Column("win_share", "float64", "wins", "1/k for each of k winners, else 0", scale=2520),
    Column("lost", "bool", "", "whether the game's rules name this seat a loser"),
)
ROUND_COLUMNS = (
    Column("game", "int64", "", "number of the game"),
    Column("round", "int16", "", "number of the round, from 1"),
    Column("seat", "int8", "", "place at the table"),
)


def no_rounds(spec: Any) -> int:
    """Give the number of rounds in the table of a game that has none."""
    return 0


@dataclass(frozen=True, slots=True)
class Game:
    """One game: everything the rest of Fourfold knows of it."""

    name: str
    title: str
    text: str
    version: str  # changes whenever any result changes
    min_seats: int
    max_seats: int
    default_seats: int
    default_bots: tuple[str, ...]
    Spec: type[Any]
    skills: tuple[Parameter, ...]
    bots: Mapping[str, Bot]
    phases: tuple[str, ...]  # what a seat may be asked, by number
    state: Any  # the STATE dtype
    view: Any  # the VIEW dtype
    game_columns: tuple[Column, ...]
    seat_columns: tuple[Column, ...]
    ratios: tuple[Ratio, ...]
    distributions: tuple[tuple[str, str], ...]
    engine: Any  # module: begin, deal, legal, apply, observe, score, redeal; start, look, act, finish, play_part
    render: Any  # module: transcript events to plain values and text
    prepare: Callable[[Any, Any, int], None]  # (record, spec, seats): write the rules into a fresh STATE
    skill_units: tuple[int, ...] = field(default=())
    round_columns: tuple[Column, ...] = ()  # of a third table, a row a game, round and seat, in that order
    rounds: Callable[[Any], int] = no_rounds  # from the Spec: how many rounds a game has in it; 0: no such table
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # named sets of options

    @property
    def seats_text(self) -> str:
        """How many seats the game is for, in words."""
        if self.min_seats < self.max_seats:
            return f"{self.min_seats} to {self.max_seats} seats"
        return f"{self.min_seats} seat" if self.min_seats == 1 else f"{self.min_seats} seats"

    @property
    def command_name(self) -> str:
        """The game's name as typed: with hyphens."""
        return self.name.replace("_", "-")


def game_names() -> list[str]:
    """List the games there are: the folders of `sim/games` that declare one."""
    package = importlib.import_module("sim.games")
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)


def load_game(name: str) -> Game:
    """Load a game by its name, with hyphens or underscores.

    Raises
    ------
    UnknownName
        If there is no such game; the message names the nearest.
    """
    folder = name.replace("-", "_")
    names = game_names()
    if folder not in names:
        raise UnknownName.among("game", name, (known.replace("_", "-") for known in names))
    game: Game = importlib.import_module(f"sim.games.{folder}").GAME
    return game
