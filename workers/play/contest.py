"""What a run plays, behind one face: the deals of a table, or tournaments; and who plays it, in one thread."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from results.kinds import AnyLayout
from results.plan import Span
from results.store import Run
from sim.contract import Bot, Game
from sim.job import document_of, identity_of

if TYPE_CHECKING:
    from sim.table import Rows, Table

SLICE_S = 0.5  # of play between two looks at whether to go on
MOST_NAMED = 6  # entrants in a sentence

Tables = dict[str, "Rows"]  # rows by the name of their table, in the order of the layout


class Cancelled(Exception):  # noqa: N818 - not an error of anybody's
    """The run was cancelled while a part was in play."""


class Contest(ABC):
    """A job made ready to be played in parts.

    It is cut into so many `units`, of what `noun` says. `counted` is what progress is told in.
    """

    noun: str  # deals, tournaments or matches
    counted: str  # games, tournaments or matches
    units: int
    game: Game
    job: msgspec.Struct
    bots: Mapping[str, Bot]
    names: tuple[str, ...]

    @property
    def identity(self) -> str:
        """The identity of its runs."""
        return identity_of(self.job, self.game)

    @property
    def document(self) -> dict[str, Any]:
        """The job as job.json holds it."""
        return {"identity": self.identity, "game_version": self.game.version, "job": document_of(self.job)}

    @property
    def some_names(self) -> str:
        """The entrants in a sentence, some of many."""
        more = f" and {len(self.names) - MOST_NAMED} more" if len(self.names) > MOST_NAMED else ""
        return f"{', '.join(self.names[:MOST_NAMED])}{more}"

    def uncompiled(self) -> list[str]:
        """Name what is yet to be compiled, but for bots; each takes some 20 s."""
        from sim.compiled import is_warm

        return [] if is_warm(self.game.name) else [f"the kernel of {self.game.command_name}"]

    @abstractmethod
    def layout(self) -> AnyLayout:
        """Say what the tables of its runs look like."""

    @abstractmethod
    def plan(self, part: int, detail: str) -> dict[str, Any]:
        """Cut it into parts of so many units."""

    @abstractmethod
    def largest(self, plan: Mapping[str, Any]) -> int:
        """Count the units of the largest part."""

    @abstractmethod
    def chosen(self, units: float, workers: int) -> int:
        """Choose the size of a part, where so many units take as long as a part should, for so many at work."""

    def advice(self, most: int) -> str:
        """Say what to do about parts that take too long, where so many units are allowed."""
        return f"allowed are up to some {max(1, most):,} {self.noun}. Give a smaller --part, or none."

    @abstractmethod
    def compile_bots(self) -> None:
        """Compile the bots. Raises BotFailed if one cannot be compiled."""

    @abstractmethod
    def playing(self) -> "Playing":
        """Make a player of it, whose bots are compiled. Raises BotFailed if one cannot be."""

    @abstractmethod
    def count(self, span: Span) -> int:
        """Count what progress is told in."""

    @abstractmethod
    def part_with(self, plan: Mapping[str, Any], game: int) -> int:
        """Give the part that a game is in, by its number."""

    def whereabouts(self, game: int) -> str:
        """Say where in a run a game was played, where there is more to say than its number."""
        return ""

    @abstractmethod
    def replayed(self, run: Run, game: int) -> "tuple[Table, int, int]":
        """Give table, deal and rotation of a game of a run. Raises SpecError if it has no such game."""


class Playing(ABC):
    """Plays a contest, in one thread."""

    contest: Contest
    player: Any  # of sim.play or sim.tournament.play

    @property
    def progress(self) -> "Rows":
        """The cells in which the kernel tells a watcher which game is in play."""
        cells: Rows = self.player.progress
        return cells

    @progress.setter
    def progress(self, cells: "Rows") -> None:
        self.player.progress = cells

    @abstractmethod
    def warm(self) -> None:
        """Compile or load the kernel."""

    @abstractmethod
    def speed(self, least_s: float) -> float:
        """Measure how many units a second are played, by playing some for `least_s` seconds or so.

        Raises PartFailed if a bot fails.
        """

    @abstractmethod
    def cells(
        self, run: Run, span: Span, should_stop: Callable[[], bool] | None = None, *, mends: bool = True
    ) -> Tables:
        """Play what a part of a run holds, or some of it.

        With `should_stop` it is asked about twice a second whether to go on, and raises Cancelled. With `mends` a
        damaged part that this one builds on is moved aside.

        Raises
        ------
        PartFailed
            If a bot fails.
        Refused
            If what the part builds on is not there.
        """

    @abstractmethod
    def select(self, tables: Tables, span: Span) -> Tables:
        """Take out of the rows of a part those of some of it."""

    def so_far(self, span: Span) -> int:
        """Count what is done of a part in play, as far as it can be told from outside."""
        return 0


def measured_speed(play: Callable[[int], object], first: int, most: int, least_s: float) -> float:
    """Play more and more until that takes so many seconds; returns how many a second."""
    count, took_s = 0, 0.0
    while took_s < least_s and count < most:
        count = min(most, max(first, 4 * count))
        started = time.perf_counter()
        play(count)
        took_s = time.perf_counter() - started
    return count / max(took_s, 1e-9)


def sliced(play: Callable[[int, int], None], span: Span, first: int, should_stop: Callable[[], bool] | None) -> None:
    """Play a part in slices of about `SLICE_S`, the first of so many units: `play(at, count)` for each.

    Raises
    ------
    Cancelled
        If it was stopped.
    """
    if should_stop is None:
        play(span.first, span.count)
        return
    at, end, step = span.first, span.first + span.count, first
    while at < end:
        if should_stop():
            raise Cancelled
        step = min(step, end - at)
        started = time.perf_counter()
        play(at, step)
        at += step
        step = max(1, min(4 * step, int(step * SLICE_S / max(time.perf_counter() - started, 1e-6))))


def shared_out(units: float, all_units: int, workers: int, crumb: int) -> int:
    """Choose the size of a part: a small job is cut so that every worker has some to the end, but not into crumbs."""
    return min(max(1, int(units)), max(-(-all_units // (8 * workers)), crumb))
