"""A run's figures as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cli.numbers import counted, decimals_of, interval_words, option_words, plain_words, value_words
from cli.tables import Column, draw, terminal

if TYPE_CHECKING:
    from results.store import Run
    from results.summary import Figure, Table

NAME_WIDTH = 24  # longer names of entrants and pairs are folded

# Entrants and places have these figures first, in this order, and these with their intervals, so that a row
# fits the terminal; summary.json has all intervals.
FIRST = ("win_share", "lost", "score")
WITH_INTERVAL = ("win_share",)

Groups = list[tuple[Column, ...]]


def show(run: Run, summary: Mapping[str, Any], *, is_brief: bool = False) -> None:
    """Print a run's figures; in brief, who wins and what moving first is worth."""
    from results.kinds import tables
    from results.tournament.layout import KIND

    console = terminal()
    if summary.get("kind") == KIND:
        from cli.contests import show as show_tournaments

        show_tournaments(console, run, dict(summary), is_brief=is_brief)
        console.print()
        for line in _ending(summary):
            console.print(line)
        return
    for line in _heading(run, summary):
        console.print(line)
    shown = tables(dict(summary))
    if is_brief:
        shown = [_only_first(table) for table in shown if table.columns[0] in ("entrant", "place")]
    for table in shown:
        names = Column(table.columns[0], tuple(str(row[0]) for row in table.rows), "left", NAME_WIDTH)
        draw(console, table.title, names, _groups(table, summary))
    console.print()
    for line in (*_notes(shown), *_ending(summary)):
        console.print(line)


def _only_first(table: Table) -> Table:
    """Give the table with no more columns than the first figures."""
    kept = [0, *(index for index, name in enumerate(table.columns) if index and name in FIRST)]
    columns = tuple(table.columns[index] for index in kept)
    return table._replace(columns=columns, rows=tuple(tuple(row[i] for i in kept) for row in table.rows))


def _heading(run: Run, summary: Mapping[str, Any]) -> Iterator[str]:
    """Say what was played: game, seats, deals, games, entrants, and options that differ from the defaults."""
    seats = sum(entrant["seats"] for entrant in summary["entrants"])
    yield (
        f"{run.name}: {summary['game'].replace('_', '-')}, {counted(seats, 'seat')}, "
        f"{counted(summary['deals'], 'deal')}, {counted(summary['games'], 'game')}"
    )
    yield f"entrants: {', '.join(entrant['name'] for entrant in summary['entrants'])}"
    if options := run.job.get("job", {}).get("options"):
        yield f"options: {', '.join(f'{name}={option_words(value)}' for name, value in options.items())}"


def _ending(summary: Mapping[str, Any]) -> Iterator[str]:
    """Say how many games a safety limit ended, and the hash of all cells."""
    if summary["capped"]:
        yield (
            f"{summary['capped']:,} of {counted(summary['games'], 'game')} ended at a safety limit (capped) "
            "and not by the rules; they count as they stood."
        )
    yield f"content hash: {summary['content_hash']}"


def _notes(tables: list[Table]) -> list[str]:
    """Give what the figures that should have an interval say where they have none, each sentence once."""
    shown = [
        figure
        for table in tables
        for index, name in enumerate(table.columns)
        if name in WITH_INTERVAL or table.columns[0] in ("figure", "pair")
        for figure in _cells(table, index)
    ]
    notes = dict.fromkeys(figure.note for figure in shown if figure.note)
    return [f"{note[0].upper()}{note[1:]}." for note in notes]


def _groups(table: Table, summary: Mapping[str, Any]) -> Groups:
    """Give the columns beside the names, those that belong together as one group."""
    match table.columns[0]:
        case "figure":
            return [_whole_games(table)]
        case "column":
            return [_quantiles(table)]
        case "entrant":
            seats = tuple(str(entrant["seats"]) for entrant in summary["entrants"])
            return [(Column("seats", seats),), *_figures(table, WITH_INTERVAL)]
        case "place":
            return _figures(table, WITH_INTERVAL)
    return _figures(table, table.columns)


def _cells(table: Table, index: int) -> list[Figure]:
    """Give the figures in one column of a table."""
    from results.summary import Figure

    return [cell for row in table.rows if isinstance(cell := row[index], Figure)]


def _whole_games(table: Table) -> tuple[Column, ...]:
    """Give value, interval and unit; as the rows differ in unit, each has the decimals of its own interval."""
    figures = _cells(table, 1)
    decimals = [decimals_of([figure])[0] for figure in figures]
    return (
        Column(table.columns[1], tuple(map(value_words, figures, decimals))),
        Column("95 %", tuple(map(interval_words, figures, decimals))),
        # A share says so itself, by its percent sign.
        Column("unit", tuple(figure.unit.removeprefix("share") for figure in figures), "left"),
    )


def _figures(table: Table, with_interval: tuple[str, ...]) -> Groups:
    """Give a column for each figure, with its interval beside it if that is wanted."""
    groups: Groups = []
    given = table.columns[1:]
    names = [name for name in FIRST if name in given] + [name for name in given if name not in FIRST]
    for name in names:
        figures = _cells(table, table.columns.index(name, 1))
        decimals = decimals_of(figures)
        values = Column(name.replace("_", "\n"), tuple(map(value_words, figures, decimals)))
        if name in with_interval:
            groups.append((values, Column("95 %", tuple(map(interval_words, figures, decimals)))))
        else:
            groups.append((values,))
    return groups


def _quantiles(table: Table) -> tuple[Column, ...]:
    """Give the unit and the quantiles of each distribution."""
    units = Column("unit", tuple(str(row[1]) for row in table.rows), "left")
    quantiles = [
        Column(
            header,
            tuple(plain_words(cell) for row in table.rows if isinstance(cell := row[index], int | float)),
        )
        for index, header in enumerate(table.columns[2:], start=2)
    ]
    return (units, *quantiles)
