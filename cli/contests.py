"""A run of tournaments as tables and brackets for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

from cli.brackets import Bracket, bracket_of
from cli.numbers import amount, counted, decimals_of, interval_words, option_words, plain_words, value_words
from cli.tables import Column, draw

if TYPE_CHECKING:
    from rich.console import Console

    from results.store import Run
    from results.summary import Figure, Summary, Table

NAME_WIDTH = 30  # longer names of entrants and legs are folded
HEADER_WIDTH = 18
KNOCKOUTS = ("single_elimination", "double_elimination", "groups_then_knockout")
_LATER = ("Chances of places", "Differences", "Ratings", "What it took")  # of tables that are not shown in brief
_MOST_MATCHES = 60  # rows, in brief
_BARE = ("Chances of places", "Cross table", "Standings")  # beginnings of titles of tables without intervals


def show(console: Console, run: Run, summary: Summary, *, is_brief: bool) -> None:
    """Print the figures of a run of tournaments; in brief, who has won and how, or everybody's chances."""
    from results.kinds import tables

    for line in _heading(run, summary):
        console.print(line)
    knockouts = set(_knockouts(run, summary))
    for found in tables(summary):
        table = _between_neighbours(run, summary, found) if found.title.startswith("Differences") else found
        if is_brief and (table.title.startswith(_LATER) or len(table.rows) > _MOST_MATCHES):
            continue
        leg = table.title.partition(": ")[2]
        is_met = table.title.startswith(("Matches", "Cross table")) and leg in knockouts
        bracket = bracket_of(_matches(summary, leg), unit_of(run)) if is_met else None
        if bracket is None or not (bracket.is_whole and is_brief):
            _draw(console, table)
        if bracket is not None:
            _draw_bracket(console, bracket, leg)


def _between_neighbours(run: Run, summary: Summary, table: Table) -> Table:
    """Leave out the differences of two legs that differ in both format and rules; summary.json has them."""
    variants = len(run.job["job"]["variants"])
    at = {leg: divmod(number, variants) for number, leg in enumerate(summary["legs"])}
    kept = set()
    for one, other in combinations(summary["legs"], 2):
        if at[one][0] == at[other][0] or at[one][1] == at[other][1]:
            kept.add(f"{one} - {other}")
    return table._replace(rows=tuple(row for row in table.rows if row[0] in kept))


def _knockouts(run: Run, summary: Summary) -> Iterator[str]:
    """Name the legs that end in a knockout."""
    job = run.job["job"]
    formats = [named["format"] for named in job["formats"] for _ in job["variants"]]
    for leg, kind in zip(summary["legs"], formats, strict=True):
        if kind in KNOCKOUTS:
            yield leg


def _heading(run: Run, summary: Summary) -> Iterator[str]:
    """Say what was held: game, entrants, games; how, and under which options."""
    job = run.job["job"]
    held = "a tournament" if summary["repeats"] == 1 else amount(summary["repeats"], "tournaments")
    yield (
        f"{run.name}: {summary['game'].replace('_', '-')}, {held} of {counted(len(summary['entrants']), 'entrant')}, "
        f"{counted(summary['games'], 'game')}"
    )
    is_alone = bool(getattr(run.layout, "is_alone", False))
    turns = "alone" if is_alone else "each in every rotation" if job["rotate"] else "each played once"
    yield (
        f"a match is {counted(job['deals'], 'deal')}, {turns}"
        if job["deals"] > 1
        else _match_words(job, is_alone=is_alone)
    )
    for variant in job["variants"]:
        options = ", ".join(f"{name}={option_words(value)}" for name, value in variant["options"].items())
        if variant["name"] == "default" and len(job["variants"]) == 1:
            if options:
                yield f"options: {options}"
        else:
            yield f"{variant['name']}: {options or 'the options as they are'}"


def unit_of(run: Run) -> str:
    """Say what stands beside the names in a bracket: games won where a match has several, else points."""
    job = run.job["job"]
    has_series = any(int(named["settings"].get("best_of", 1)) > 1 for named in job["formats"])
    return "games won" if job["rotate"] or job["deals"] > 1 or has_series else "points"


def _match_words(job: Mapping[str, Any], *, is_alone: bool) -> str:
    """Say what a match of one deal is."""
    if is_alone:
        return "a match is a deal, played by each alone"
    return "a match is a deal in every rotation" if job["rotate"] else "a match is one game"


def _matches(summary: Summary, leg: str) -> list[dict[str, Any]]:
    """Give the matches of one leg of a single tournament."""
    return [match for match in summary["matches"] or [] if match["leg"] == leg]


def _draw_bracket(console: Console, bracket: Bracket, leg: str) -> None:
    """Print a bracket under its title."""
    from rich.text import Text

    console.print()
    console.print(Text(f"Bracket: {leg} ({bracket.unit}; the final is game {bracket.final})", style="bold"))
    for line in bracket.lines(console.width):
        console.print(line, no_wrap=True, crop=False)
    if bracket.third:
        console.print(f"For third place: {bracket.third}")
    if bracket.has_lots:
        console.print("* went on by lot: after ten replays the match was drawn still")


def _draw(console: Console, table: Table) -> None:
    """Print one table; the first column stands in every block where it is too wide."""
    if not table.rows:
        console.print()
        console.print(table.title)
        return
    columns, rows = table.columns, table.rows
    if table.title.startswith("Cross table"):  # The number belongs to the name.
        columns = ("entrant", *columns[2:])
        rows = tuple((f"{row[0]} {row[1]}", *row[2:]) for row in rows)
    names = Column(columns[0], tuple(str(row[0]) for row in rows), _side(rows[0][0]), NAME_WIDTH)
    is_bare = table.title.startswith(_BARE)
    groups = [_group(columns[index], [row[index] for row in rows], is_bare=is_bare) for index in range(1, len(columns))]
    draw(console, table.title, names, groups)


def _side(cell: object) -> Any:
    return "left" if isinstance(cell, str) else "right"


def _group(header: str, cells: list[Any], *, is_bare: bool) -> tuple[Column, ...]:
    """Give a column, and beside it the intervals of its figures."""
    from results.summary import Figure

    title = "\n".join(textwrap.wrap(header.replace("_", " ").replace(":", ": "), HEADER_WIDTH)) or header
    if not isinstance(cells[0], Figure):
        words = tuple(cell if isinstance(cell, str) else _plain(cell) for cell in cells)
        return (Column(title, words, _side(cells[0]), NAME_WIDTH if isinstance(cells[0], str) else None),)
    figures: list[Figure] = list(cells)
    if all(figure.low is None and figure.unit != "share" for figure in figures):
        return (Column(title, tuple(plain_words(figure.value or 0.0) for figure in figures)),)
    decimals = decimals_of(figures)
    values = Column(title, tuple(map(value_words, figures, decimals)))
    if is_bare or all(figure.low is None for figure in figures):
        return (values,)
    return values, Column("95 %", tuple(map(interval_words, figures, decimals)))


def _plain(cell: float) -> str:
    """Write a number that has no interval."""
    return f"{cell:,}" if isinstance(cell, int) else plain_words(cell)
