"""The figures of a run with their intervals, a pure function of its sums."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, combinations, count
from typing import Any, NamedTuple

from results import intervals
from results.intervals import Estimate
from results.schema import SCHEMA_VERSION, Column, Layout, label_name
from results.sums import PAIRED_COLUMNS, Sums

Summary = dict[str, Any]

QUANTILES = (0, 5, 25, 50, 75, 95, 100)
GREATEST_BINS = 20


class Figure(NamedTuple):
    """A value with its interval and unit; None where there is none, and the note says why."""

    value: float | None
    low: float | None
    high: float | None
    unit: str
    note: str


class Table(NamedTuple):
    """A table to show: a title, the names of the columns, and rows of words, numbers and figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | Figure, ...], ...]


def summarise(layout: Layout, sums: Sums, identity: str = "") -> Summary:
    """Return the summary of a run, JSON data, from the merged sums of its parts.

    Beside the run's identity, counts and content hash it holds `figures`, a list of {"table", "group",
    "figure", "value", "low", "high", "unit", "note"}, and `distributions` with quantiles and a small
    histogram. The tables are "games" (no group; a label, where the figure is a text column), "entrants" (a name),
    "turn_order" ("1" moves first) and "differences" ("A - B"). `low` and `high` bound the 95 % interval; where there
    is none they are None and the note says why.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "identity": identity,
        "game": layout.game,
        "entrants": [
            {"name": name, "seats": seats} for name, seats in zip(layout.entrants, layout.entrant_seats, strict=True)
        ],
        "deals": sums["deals"],
        "games": sums["games"],
        "capped": sums["capped"],
        "content_hash": sums["content_hash"],
        "figures": [
            *_game_figures(layout, sums),
            *_group_figures(layout, sums, "entrants", layout.entrants, layout.entrant_seats),
            *_turn_order_figures(layout, sums),
            *_differences(layout, sums),
        ],
        "distributions": [_distribution(layout, counted) for counted in sums["distributions"]],
    }


def _figure(table: str, group: str, name: str, estimate: Estimate, unit: str) -> dict[str, Any]:
    """Return one entry of `figures`."""
    return {
        "table": table,
        "group": group,
        "figure": name,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "unit": unit,
        "note": estimate.note,
    }


def _mean(column: Column, deals: int, total: int, square: int, games: int) -> Estimate:
    """Return a column's mean per game or seat; x_d sums it over `games` of them."""
    scale = Fraction(games * column.scale)
    kind = intervals.proportion if column.is_share else intervals.mean
    return kind(deals, total, square, scale)


def _unit(column: Column) -> str:
    """Return the unit of a column's mean."""
    return "share" if column.is_share else column.unit


def _game_figures(layout: Layout, sums: Sums) -> Iterator[dict[str, Any]]:
    """Give the means per game and the ratios."""
    deals, columns = sums["deals"], sums["game_columns"]
    labels = {label_name(column, label): (label, column.name) for column, label in layout.counted_labels}
    for column in layout.game_quantities:
        total, square = columns[column.name]
        estimate = _mean(column, deals, total, square, layout.rotations)
        group, name = labels.get(column.name, ("", column.name))
        yield _figure("games", group, name, estimate, _unit(column))
    for ratio in layout.ratios:
        above, below = columns[ratio.numerator], columns[ratio.denominator]
        upper, lower = (layout.column("games", name) for name in (ratio.numerator, ratio.denominator))
        estimate = intervals.ratio(
            deals,
            (above[0], below[0]),
            (above[1], below[1]),
            sums["ratios"][ratio.name],
            Fraction(lower.scale, upper.scale),
        )
        unit = "share" if upper.unit == lower.unit else f"{upper.unit}/{lower.unit}"
        yield _figure("games", "", ratio.name, estimate, unit)


def _group_figures(
    layout: Layout, sums: Sums, table: str, groups: tuple[str, ...], sizes: tuple[int, ...]
) -> Iterator[dict[str, Any]]:
    """Give the means per game and seat of each group of seats."""
    for index, (group, seats) in enumerate(zip(groups, sizes, strict=True)):
        for column in layout.seat_quantities:
            pair = sums[table][column.name]
            games = layout.rotations * seats
            estimate = _mean(column, sums["deals"], pair["sum"][index], pair["square"][index], games)
            yield _figure(table, group, column.name, estimate, _unit(column))


def _turn_order_figures(layout: Layout, sums: Sums) -> Iterator[dict[str, Any]]:
    """Give the means of each place in turn order, if the game has one."""
    if layout.has_first_seat:
        places = tuple(str(place + 1) for place in range(layout.seats))
        yield from _group_figures(layout, sums, "turn_order", places, (1,) * layout.seats)


def _differences(layout: Layout, sums: Sums) -> Iterator[dict[str, Any]]:
    """Give the differences between entrants per game and seat, paired by deal."""
    for name in PAIRED_COLUMNS:
        column = layout.column("seats", name)
        sum_of, square_of = sums["entrants"][name]["sum"], sums["entrants"][name]["square"]
        scales = [Fraction(layout.rotations * seats * column.scale) for seats in layout.entrant_seats]
        pairs = combinations(range(len(layout.entrants)), 2)
        for (i, j), cross in zip(pairs, sums["pairs"][name], strict=True):
            estimate = intervals.difference(
                sums["deals"],
                (sum_of[i], sum_of[j]),
                (square_of[i], square_of[j]),
                cross,
                (scales[i], scales[j]),
            )
            group = f"{layout.entrants[i]} - {layout.entrants[j]}"
            yield _figure("differences", group, name, estimate, _unit(column))


def _distribution(layout: Layout, counted: Sums) -> dict[str, Any]:
    """Return quantiles and a small histogram of counted values.

    A quantile q is the least value that q of the games, or seats, do not exceed. Values of more than seven
    significant bits were rounded when they were counted; the least and the greatest are exact.
    """
    column = layout.column(counted["table"], counted["column"])
    least, greatest = counted["least"], counted["greatest"]
    counts = [(min(max(value, least), greatest), weight) for value, weight in counted["counts"]]
    whole = sum(weight for _, weight in counts)
    reached = list(accumulate(weight for _, weight in counts))

    def quantile(percent: int) -> int:
        """Return the least raw value at which the counts reach that percentage of the whole."""
        if percent == 0:
            return int(least)
        if percent == 100:
            return int(greatest)
        return int(next(v for (v, _), sofar in zip(counts, reached, strict=True) if sofar * 100 >= percent * whole))

    return {
        "table": counted["table"],
        "column": column.name,
        "unit": _unit(column),
        "quantiles": {str(percent): _value(quantile(percent), column.scale) for percent in QUANTILES},
        "histogram": _histogram(counts, least, greatest, whole, column.scale),
    }


def _histogram(
    counts: list[tuple[int, int]], least: int, greatest: int, whole: int, scale: int
) -> list[dict[str, float]]:
    """Return at most `GREATEST_BINS` bins of equal width 1, 2 or 5 times a power of ten, without gaps."""
    widths = (step * 10**power for power in count() for step in (1, 2, 5))
    width = next(w for w in widths if greatest // w - least // w < GREATEST_BINS)
    weights = dict.fromkeys(range(least // width, greatest // width + 1), 0)
    for value, weight in counts:
        weights[value // width] += weight
    return [
        {
            "from": _value(index * width, scale),
            "below": _value((index + 1) * width, scale),
            "share": weight / whole,
        }
        for index, weight in weights.items()
    ]


def _value(raw: int, scale: int) -> float:
    """Return what a raw cell stands for: a whole number unless it has a scale."""
    return raw if scale == 1 else raw / scale


def tables(summary: Summary) -> list[Table]:
    """Return a summary as tables: games, entrants, places in turn order, differences, distributions."""
    is_alone = sum(entrant["seats"] for entrant in summary["entrants"]) == 1
    titles = {
        "games": ("Games", "figure"),
        "entrants": ("Entrants, per game" if is_alone else "Entrants, per game and seat", "entrant"),
        "turn_order": ("Places in turn order", "place"),
        "differences": ("Differences between entrants, same deals", "pair"),
    }
    shown = []
    for table, (title, first) in titles.items():
        figures = [figure for figure in summary["figures"] if figure["table"] == table]
        if table == "games":
            rows = tuple((_named(figure), _cell(figure)) for figure in figures)
            shown.append(Table(title, (first, "per game"), rows))
        elif figures:
            shown.append(_grouped(title, first, figures))
    if summary["distributions"]:
        shown.append(_quantile_table(summary["distributions"]))
    return shown


def _named(figure: dict[str, Any]) -> str:
    """Return the name of a figure of games, with the label that it counts if it counts one."""
    return f"{figure['figure']}: {figure['group']}" if figure["group"] else str(figure["figure"])


def _cell(figure: dict[str, Any]) -> Figure:
    """Return one entry of `figures` as a cell of a table."""
    return Figure(figure["value"], figure["low"], figure["high"], figure["unit"], figure["note"])


def _grouped(title: str, first: str, figures: list[dict[str, Any]]) -> Table:
    """Return a table with one row per group and one column per figure."""
    columns = tuple(dict.fromkeys(figure["figure"] for figure in figures))
    groups = dict.fromkeys(figure["group"] for figure in figures)
    cells = {(figure["group"], figure["figure"]): _cell(figure) for figure in figures}
    return Table(title, (first, *columns), tuple((g, *(cells[g, name] for name in columns)) for g in groups))


def _quantile_table(distributions: list[dict[str, Any]]) -> Table:
    """Return a table with one row per distribution and one column per quantile."""
    rows = tuple((d["column"], d["unit"], *d["quantiles"].values()) for d in distributions)
    return Table("Distributions", ("column", "unit", *(f"{percent} %" for percent in QUANTILES)), rows)
