"""The figures of a run of tournaments with their intervals, a pure function of its sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any

from results import intervals
from results.intervals import Estimate
from results.outcomes import read_document
from results.ratings import MEAN, rate
from results.schema import SCHEMA_VERSION, Column
from results.summary import Summary
from results.sums import Sums
from results.tournament.layout import (
    DECIDED_LABELS,
    KIND,
    M_DECIDED,
    M_ENTRANT,
    M_GAMES,
    M_LEG,
    M_MARKS,
    M_MATCH,
    M_PLACE,
    M_POINTS,
    M_ROUND,
    M_WINS,
    S_ENTRANT,
    S_LEG,
    TournamentLayout,
)
from results.tournament.sums import LEG_FIGURES
from sim.errors import SpecError

# The chance of each place is given for so many entrants and places, in the order of places.
MOST_PLACES = 10_000

ONE = Fraction(1)
BEST_RATING = "the best rating"  # by which somebody is the strongest, where no order is given
NO_ERROR = "one tournament: no interval"


def summarise(layout: TournamentLayout, sums: Sums, identity: str = "") -> Summary:
    """Return the summary of a run of tournaments, JSON data, from the merged sums of its parts.

    Beside identity, counts and content hash it holds

    - `ratings`: from one joint fit of the matches of all legs, with model, reference and number of matches;
    - `strongest`: the first of the given order, or else who has the best rating;
    - `figures`: {"table", "leg", "group", "figure", "value", "low", "high", "unit", "note"} in the tables "chances" and
      "places" (of each entrant), "power" (of the strongest, and of the leg) and "differences" (of two legs, paired by
      repeat; the leg is "A - B"); of a single tournament only what it took, without intervals;
    - `standings` and `matches`: of a single tournament, row by row; `matches` is None if they are too many.
    """
    ratings = _ratings(layout, sums)
    strongest = _strongest(layout, ratings)
    figures = [*_power(layout, sums, layout.entrants.index(strongest["name"]))]
    if not layout.is_single:
        figures = [*_chances(layout, sums), *figures]
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": KIND,
        "identity": identity,
        "game": layout.game,
        "entrants": list(layout.entrants),
        "legs": [leg.name for leg in layout.legs],
        "repeats": sums["repeats"],
        "games": sums["games"],
        "capped": sums["capped"],
        "content_hash": sums["content_hash"],
        "strongest": strongest,
        "ratings": ratings,
        "figures": figures,
        "standings": [_standing(layout, row) for row in sums["standings"]],
        "matches": _matches(layout, sums["matches"]) if layout.lists_matches else None,
    }


def _figure(table: str, leg: str, group: str, name: str, estimate: Estimate, unit: str) -> dict[str, Any]:
    """Return one entry of `figures`."""
    return {
        "table": table,
        "leg": leg,
        "group": group,
        "figure": name,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "unit": unit,
        "note": estimate.note.replace("deal", "tournament"),  # What is independent here.
    }


def _ratings(layout: TournamentLayout, sums: Sums) -> dict[str, Any]:
    """Return the ratings from one fit of the matches of all legs, best first; none and a note where there are none."""
    counted = read_document(sums["outcomes"])
    known: dict[str, Any] = {
        "matches": counted.games,
        "repeats": layout.rated_repeats,
        "reference": MEAN,
        "model": "",
        "errors": "",
        "prior": 0.0,
        "note": "",
        "entrants": [],
    }
    try:
        found = rate(counted)
    except SpecError as error:
        return {**known, "note": str(error)}
    # Of equal ratings the one that is listed first comes first.
    rows = sorted(found.ratings, key=lambda rating: -rating.rating)
    return {
        **known,
        "model": found.model,
        "errors": found.errors,
        "prior": found.prior,
        "entrants": [
            {
                "name": row.name,
                "rating": row.rating,
                "low": row.low,
                "high": row.high,
                "matches": row.games,
                "note": row.note,
            }
            for row in rows
        ],
    }


def _strongest(layout: TournamentLayout, ratings: dict[str, Any]) -> dict[str, str]:
    """Return who is taken for the strongest, and by what."""
    if layout.order:
        return {"name": layout.order[0], "by": "the order given"}
    if ratings["entrants"]:
        return {"name": ratings["entrants"][0]["name"], "by": BEST_RATING}
    return {"name": layout.entrants[0], "by": "the list, for want of ratings"}


def _won(counts: Sequence[Sequence[int]]) -> tuple[Fraction, Fraction]:
    """Return Σ x and Σ x² over repeats of an entrant's share of first place, from [rank, sharers, repeats]."""
    firsts = [(sharers, repeats) for rank, sharers, repeats in counts if rank == 1]
    return (
        sum((Fraction(repeats, sharers) for sharers, repeats in firsts), Fraction(0)),
        sum((Fraction(repeats, sharers**2) for sharers, repeats in firsts), Fraction(0)),
    )


def _doubled_places(counts: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Return Σ x and Σ x² over repeats of twice an entrant's mean place."""
    places = [(2 * rank + sharers - 1, repeats) for rank, sharers, repeats in counts]
    return sum(x * repeats for x, repeats in places), sum(x * x * repeats for x, repeats in places)


def _by_entrant(layout: TournamentLayout, counts: Sequence[Sequence[int]]) -> list[list[Sequence[int]]]:
    """Return the rest of [entrant, ...] of each entrant."""
    found: list[list[Sequence[int]]] = [[] for _ in layout.entrants]
    for entrant, *rest in counts:
        found[entrant].append(rest)
    return found


def _chances(layout: TournamentLayout, sums: Sums) -> Iterator[dict[str, Any]]:
    """Give each entrant's chances and means of each leg."""
    repeats = sums["repeats"]
    shown = min(len(layout.entrants), max(1, MOST_PLACES // len(layout.entrants)))
    for leg, of_leg, ranks in zip(layout.legs, sums["legs"], sums["ranks"], strict=True):
        by_entrant = _by_entrant(layout, ranks)
        for index, (entrant, counts) in enumerate(zip(layout.entrants, by_entrant, strict=True)):
            won = intervals.proportion(repeats, *_won(counts), ONE)
            yield _figure("chances", leg.name, entrant, "win", won, "share")
            place = intervals.mean(repeats, *_doubled_places(counts), Fraction(2))
            yield _figure("chances", leg.name, entrant, "mean_place", place, "")
            for column in layout.quantities:
                pair = of_leg["columns"][column.name]
                mean = intervals.mean(repeats, pair["sum"][index], pair["square"][index], Fraction(column.scale))
                yield _figure("chances", leg.name, entrant, column.name, mean, column.unit)
        for entrant, counts in zip(layout.entrants, by_entrant, strict=True):
            for number, (total, square) in enumerate(_places(counts, shown), start=1):
                chance = intervals.proportion(repeats, total, square, ONE)
                yield _figure("places", leg.name, entrant, str(number), chance, "share")


def _places(counts: Sequence[Sequence[int]], shown: int) -> list[tuple[Fraction, Fraction]]:
    """Return Σ x and Σ x² over repeats of an entrant's share of each of the first places."""
    totals, squares = [Fraction(0)] * shown, [Fraction(0)] * shown
    for rank, sharers, repeats in counts:
        for place in range(rank - 1, min(rank - 1 + sharers, shown)):
            totals[place] += Fraction(repeats, sharers)
            squares[place] += Fraction(repeats, sharers**2)
    return list(zip(totals, squares, strict=True))


def _power(layout: TournamentLayout, sums: Sums, strongest: int) -> Iterator[dict[str, Any]]:
    """Give how often the strongest wins each leg and what it takes, and the differences between legs."""
    repeats, name = sums["repeats"], layout.entrants[strongest]
    legs = range(len(layout.legs))
    products = {
        figure: dict(zip(combinations_with_replacement(legs, 2), sums["products"][figure], strict=not layout.is_single))
        for figure in LEG_FIGURES
    }
    counts = [_by_entrant(layout, ranks)[strongest] for ranks in sums["ranks"]]
    for index, (leg, of_leg) in enumerate(zip(layout.legs, sums["legs"], strict=True)):
        if not layout.is_single:
            won = intervals.proportion(repeats, *_won(counts[index]), ONE)
            yield _figure("power", leg.name, name, "win", won, "share")
            place = intervals.mean(repeats, *_doubled_places(counts[index]), Fraction(2))
            yield _figure("power", leg.name, name, "mean_place", place, "")
        for figure in LEG_FIGURES:
            estimate = Estimate(of_leg[figure], note=NO_ERROR)
            if not layout.is_single:
                estimate = intervals.mean(repeats, of_leg[figure], products[figure][index, index], ONE)
            yield _figure("power", leg.name, "", figure, estimate, "matches" if figure == "lots" else figure)
    if layout.is_single:
        return
    for number, (i, j) in enumerate(combinations(legs, 2)):
        pair = f"{layout.legs[i].name} - {layout.legs[j].name}"
        both = _by_entrant(layout, sums["both_won"][number])[strongest]
        cross = sum((Fraction(count, a * b) for a, b, count in both), Fraction(0))
        won = _paired(repeats, _won(counts[i]), _won(counts[j]), cross, ONE)
        yield _figure("differences", pair, name, "win", won, "share")
        places = _doubled_places(counts[i]), _doubled_places(counts[j])
        place = _paired(repeats, *places, sums["places"][number][strongest], Fraction(2))
        yield _figure("differences", pair, name, "mean_place", place, "")
        for figure in LEG_FIGURES:
            first, second = ((sums["legs"][leg][figure], products[figure][leg, leg]) for leg in (i, j))
            estimate = _paired(repeats, first, second, products[figure][i, j], ONE)
            yield _figure("differences", pair, "", figure, estimate, "matches" if figure == "lots" else figure)


def _paired(
    repeats: int,
    first: tuple[Fraction | int, Fraction | int],
    second: tuple[Fraction | int, Fraction | int],
    cross: Fraction | int,
    scale: Fraction,
) -> Estimate:
    """Return the mean difference of two quantities of which Σ x and Σ x² are given, paired by repeat."""
    totals, squares = zip(first, second, strict=True)
    return intervals.difference(repeats, totals, squares, cross, (scale, scale))


def _standing(layout: TournamentLayout, row: Sequence[int]) -> dict[str, Any]:
    """Return a row of the standings of a single tournament; it lacks the repeat."""
    columns = layout.columns("standings")[1:]
    words = {S_LEG - 1: [leg.name for leg in layout.legs], S_ENTRANT - 1: layout.entrants}
    return {
        column.name: words[index][cell] if index in words else _value(column, cell)
        for index, (column, cell) in enumerate(zip(columns, row, strict=True))
    }


def _matches(layout: TournamentLayout, rows: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """Return the matches of a single tournament in order, each with its entrants; the rows lack the repeat."""
    found: dict[tuple[int, ...], dict[str, Any]] = {}
    wins = layout.columns("matches")[M_WINS]
    for cells in rows:
        row = [0, *cells[:-1]]
        key = (row[M_LEG], row[M_ROUND], row[M_MATCH])
        if key not in found:
            found[key] = {
                "leg": layout.legs[row[M_LEG]].name,
                "round": row[M_ROUND],
                "match": row[M_MATCH],
                "games": row[M_GAMES],
                "game": cells[-1] if row[M_GAMES] else None,
                "decided": DECIDED_LABELS[row[M_DECIDED]],
                "entrants": [],
            }
        found[key]["entrants"].append(
            {
                "name": layout.entrants[row[M_ENTRANT]],
                "place": row[M_PLACE],
                "points": row[M_POINTS],
                "marks": row[M_MARKS],
                "wins": _value(wins, row[M_WINS]),
            }
        )
    return list(found.values())


def _value(column: Column, cell: int) -> float:
    """Return what a raw cell stands for: a whole number unless it has a scale."""
    return cell if column.scale == 1 else cell / column.scale
