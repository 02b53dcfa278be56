"""Tables on the terminal: columns of words, set side by side as far as the width allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

GAP = 2  # between columns


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. `most` is its greatest width, beyond which its words are folded."""

    header: str
    cells: tuple[str, ...]
    justify: Literal["left", "right"] = "right"
    most: int | None = None

    @property
    def width(self) -> int:
        """The width that the column takes, in cells of the terminal."""
        from rich.cells import cell_len

        longest = max(cell_len(line) for words in (self.header, *self.cells) for line in words.split("\n"))
        return longest if self.most is None else min(longest, self.most)


def terminal() -> Console:
    """Give standard output as a terminal; 80 columns wide where it is none."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def draw(console: Console, title: str, first: Column, groups: Sequence[tuple[Column, ...]]) -> None:
    """Print a table; where it is too wide, as several, each of which begins with the first column.

    The columns of a group stay side by side.
    """
    from rich.text import Text

    console.print()
    console.print(Text(title, style="bold"))
    for index, block in enumerate(_blocks(console.width, first, groups)):
        if index:
            console.print()
        console.print(_table(block))


def rest_of(console: Console, *columns: Column) -> int:
    """Give the width that is left for one more column of text beside these."""
    return max(20, console.width - sum(column.width + GAP for column in columns))


def _blocks(width: int, first: Column, groups: Sequence[tuple[Column, ...]]) -> Iterator[list[Column]]:
    """Fill tables of at most that width with the groups of columns."""
    block, taken = [first], first.width
    for group in groups:
        wanted = sum(GAP + column.width for column in group)
        if taken + wanted > width and len(block) > 1:
            yield block
            block, taken = [first], first.width
        block.extend(group)
        taken += wanted
    yield block


def _table(columns: Sequence[Column]) -> Table:
    """Build the table as rich prints it."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    # The box sets one cell between columns; the padding makes up the rest of the gap.
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    for column in columns:
        table.add_column(
            Text(column.header),
            justify=column.justify,
            vertical="top",
            no_wrap=column.most is None,
            overflow="fold",
            max_width=column.most,
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, row))
    return table
