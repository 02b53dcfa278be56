"""How far a command is, on standard error: a moving line on a terminal, else only what must be said."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar
    from rich.progress import Task, TaskID

    from workers.play.here import Progress


class ProgressLine:
    """Shows what is done, how much a second, and the time left, for as long as its block lasts."""

    def __init__(self, noun: str = "games") -> None:
        self._noun = noun
        self._moving: tuple[Bar, TaskID] | None = None

    def __enter__(self) -> Self:
        """Begin; the line appears with the first progress."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the line as it stands."""
        if self._moving is not None:
            self._moving[0].stop()

    def say(self, text: str) -> None:
        """Print a line, whether or not this is a terminal: for a silence that would look like a hang."""
        if self._moving is None:
            click.echo(text, err=True)
        else:
            self._moving[0].console.print(text)

    def show(self, progress: Progress) -> None:
        """Show how far a run is."""
        self._noun = progress.noun
        self.move(progress.done, progress.total)

    def move(self, done: int, total: int) -> None:
        """Show that so much is done of the whole."""
        if not sys.stderr.isatty():
            return
        if self._moving is None:
            bar = _bar(self._noun)
            # A resumed run starts in the middle: what was there before says nothing about the speed of now.
            self._moving = bar, bar.add_task("", total=total, completed=done, before=done)
            bar.start()
        bar, task = self._moving
        bar.update(task, completed=done)


def _bar(noun: str) -> Bar:
    """Build the line as rich prints it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn
    from rich.text import Text

    class Count(ProgressColumn):
        """What is done, and how much a second."""

        def render(self, task: Task) -> Text:
            """Write both, and no speed before there is one."""
            speed = _speed(task)
            words = f", {speed:,.0f} {noun}/s" if speed else ""
            return Text(f"{task.completed:,.0f} of {task.total or 0:,.0f} {noun}{words}")

    class Left(ProgressColumn):
        """The time left at that speed."""

        def render(self, task: Task) -> Text:
            """Write it in hours, minutes and seconds."""
            speed = _speed(task)
            left = timedelta(seconds=round((task.remaining or 0) / speed)) if speed else "-:--:--"
            return Text(f"{left} left")

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    return Progress(BarColumn(bar_width=12), Count(), Left(), console=console)


def _speed(task: Task) -> float:
    """Give what was done a second since the line appeared: parts end in steps, so a shorter span would jump."""
    elapsed = task.elapsed or 0.0
    return (task.completed - float(task.fields["before"])) / elapsed if elapsed > 0.0 else 0.0
