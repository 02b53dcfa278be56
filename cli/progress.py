"""How far a command is, on standard error: a moving line on a terminal, else only what must be said."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from workers.here import Progress


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
        """Show how far a run is, in games."""
        self.move(progress.games_done, progress.games_total)

    def move(self, done: int, total: int) -> None:
        """Show that so much is done of the whole."""
        if not sys.stderr.isatty():
            return
        if self._moving is None:
            bar = _bar(self._noun)
            # A resumed run starts in the middle: what was there before says nothing about the speed of now.
            self._moving = bar, bar.add_task("", total=total, completed=done)
            bar.start()
        bar, task = self._moving
        bar.update(task, completed=done)


def _bar(noun: str) -> Bar:
    """Build the line as rich prints it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Count(ProgressColumn):
        """What is done, and how much a second."""

        def render(self, task: Task) -> Text:
            """Write both, and no speed before there is one."""
            speed = f", {task.speed:,.0f} {noun}/s" if task.speed else ""
            return Text(f"{task.completed:,.0f} of {task.total or 0:,.0f} {noun}{speed}")

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    columns = BarColumn(bar_width=12), Count(), TimeRemainingColumn(), TextColumn("left")
    return Progress(*columns, console=console)
