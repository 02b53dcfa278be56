"""The summary of a run of tournaments as tables to show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from results.summary import Figure, Summary, Table
from results.tournament.summary import BEST_RATING

# Where fewer of all pairs have met, a cross table would be mostly empty.
LEAST_MET = 0.5
MOST_CROSSED = 40

# These columns are shown only if they say something.
OPTIONAL = (
    *("league_points", "marks", "lots", "direct", "points_among_tied", "buchholz", "buchholz_cut", "buchholz_median"),
    *("sonneborn_berger", "group_place"),
)
SIGNS = {True: "1", False: "0", None: "½"}


def tables(summary: Summary) -> list[Table]:
    """Return a summary as tables, in the order in which they are shown.

    Of a single tournament each leg's standings, and its cross table or its matches; else the chances of winning, leg by
    leg, and each leg's chances of places. Then what finds the strongest, differences between legs, and ratings.
    """
    shown = []
    if summary["repeats"] == 1:
        for leg in summary["legs"]:
            shown.append(_standings(summary, leg))
            if summary["matches"]:
                crossed = cross_table(summary, leg)
                shown.append(crossed or match_table(summary, leg))
    else:
        shown.append(_chances(summary))
        shown += [_places(summary, leg) for leg in summary["legs"]]
    shown.append(_by_leg(summary, "power", _power_title(summary), "leg"))
    if any(figure["table"] == "differences" for figure in summary["figures"]):
        shown.append(_by_leg(summary, "differences", "Differences between legs, same deals", "legs"))
    shown.append(_ratings(summary))
    return shown


def matches_of(summary: Summary, leg: str) -> list[dict[str, Any]]:
    """Return the matches of one leg of a single tournament in the order of round and match, for a bracket."""
    return [match for match in summary["matches"] or [] if match["leg"] == leg]


def cross_table(summary: Summary, leg: str) -> Table | None:
    """Return who did what against whom, best first, or None where a list of matches says it better.

    A cell holds one sign for each match: 1 won, ½ drawn, 0 lost, by the row's entrant against the column's, who has the
    number of his row. None is returned if fewer than half of the pairs have met, at tables of more than two, and for
    more than `MOST_CROSSED` entrants.
    """
    names = [row["entrant"] for row in _ranked(summary, leg)]
    played = [match["entrants"] for match in matches_of(summary, leg) if len(match["entrants"]) > 1]
    if len(names) > MOST_CROSSED or any(len(entrants) > 2 for entrants in played):
        return None
    signs: dict[tuple[str, str], str] = {}
    for one, other in played:
        for a, b in ((one, other), (other, one)):
            won = None if a["place"] == b["place"] else a["place"] < b["place"]
            signs[a["name"], b["name"]] = signs.get((a["name"], b["name"]), "") + SIGNS[won]
    if sum(pair in signs for pair in combinations(names, 2)) < LEAST_MET * len(names) * (len(names) - 1) / 2:
        return None
    rows: tuple[tuple[str | float, ...], ...] = tuple(
        (number, name, *("–" if name == other else signs.get((name, other), "") for other in names))
        for number, name in enumerate(names, start=1)
    )
    return Table(f"Cross table: {leg}", ("", "entrant", *map(str, range(1, len(names) + 1))), rows)


def match_table(summary: Summary, leg: str) -> Table:
    """Return the matches of one leg of a single tournament, round by round; at larger tables a row an entrant."""
    matches = matches_of(summary, leg)
    title = f"Matches: {leg}"
    if any(len(match["entrants"]) > 2 for match in matches):
        rows = [_seat_row(match, entrant) for match in matches for entrant in _by_place(match)]
        return Table(title, ("match", "place", "entrant", "wins", "points", "first_game"), tuple(rows))
    has_wins = any(match["games"] > 1 for match in matches)
    columns = ("match", "entrants", "points", *(("games_won",) if has_wins else ()), "winner", "first_game")
    return Table(title, columns, tuple(_match_row(match, has_wins=has_wins) for match in matches))


def _by_place(match: dict[str, Any]) -> list[dict[str, Any]]:
    """Return who met in a match, the winner first."""
    return sorted(match["entrants"], key=lambda entrant: int(entrant["place"]))


def _seat_row(match: dict[str, Any], entrant: dict[str, Any]) -> tuple[str | float, ...]:
    """Return one entrant of a match as a row."""
    where = f"{match['round']}.{match['match']}"
    game = "bye" if match["game"] is None else match["game"]
    return where, entrant["place"], entrant["name"], f"{entrant['wins']:g}", entrant["points"], game


def _match_row(match: dict[str, Any], *, has_wins: bool) -> tuple[str | float, ...]:
    """Return a match of two as a row: which, who, how it ended, and its first game."""
    entrants = match["entrants"]
    winners = [entrant["name"] for entrant in entrants if entrant["place"] == 1]
    how = {"bye": " (bye)", "lot": " (by lot)"}.get(match["decided"], "")
    is_bye = len(entrants) == 1
    points = "" if is_bye else " – ".join(f"{entrant['points']:,}" for entrant in entrants)
    wins = "" if is_bye else " – ".join(f"{entrant['wins']:g}" for entrant in entrants)
    return (
        f"{match['round']}.{match['match']}",
        " – ".join(entrant["name"] for entrant in entrants),
        points,
        *((wins,) if has_wins else ()),
        ("drawn" if len(winners) == len(entrants) > 1 else ", ".join(winners)) + how,
        "" if match["game"] is None else match["game"],
    )


def _ranked(summary: Summary, leg: str) -> list[dict[str, Any]]:
    """Return the standings of one leg of a single tournament, best first, as listed where ranks are shared."""
    return sorted((row for row in summary["standings"] if row["leg"] == leg), key=lambda row: row["rank"])


def _standings(summary: Summary, leg: str) -> Table:
    """Return the standings of one leg of a single tournament."""
    rows = _ranked(summary, leg)
    names = [name for name in rows[0] if name not in ("leg", "entrant", "rank")]
    names = [name for name in names if name not in OPTIONAL or any(row[name] for row in rows)]
    return Table(
        f"Standings: {leg}",
        ("entrant", *names),
        tuple((f"{row['rank']} {row['entrant']}", *(row[name] for name in names)) for row in rows),
    )


def _of(summary: Summary, table: str) -> Iterator[dict[str, Any]]:
    """Give the figures of one table."""
    return (figure for figure in summary["figures"] if figure["table"] == table)


def _cell(figure: dict[str, Any]) -> Figure:
    """Return one entry of `figures` as a cell of a table."""
    return Figure(figure["value"], figure["low"], figure["high"], figure["unit"], figure["note"])


def _by_chance(summary: Summary, legs: Sequence[str]) -> list[str]:
    """Return the entrants, whoever wins most often in these legs first."""
    total = dict.fromkeys(summary["entrants"], 0.0)
    for figure in _of(summary, "chances"):
        if figure["figure"] == "win" and figure["leg"] in legs:
            total[figure["group"]] += figure["value"]
    return sorted(summary["entrants"], key=lambda name: -total[name])


def _chances(summary: Summary) -> Table:
    """Return the chances of winning, one column per leg."""
    cells = {(f["group"], f["leg"]): _cell(f) for f in _of(summary, "chances") if f["figure"] == "win"}
    names = _by_chance(summary, summary["legs"])
    rows: tuple[tuple[str | float | Figure, ...], ...] = tuple(
        (name, *(cells[name, leg] for leg in summary["legs"])) for name in names
    )
    return Table("Chances of winning", ("entrant", *summary["legs"]), rows)


def _places(summary: Summary, leg: str) -> Table:
    """Return the mean place and the chances of places of one leg."""
    cells: dict[str, list[Figure]] = {name: [] for name in summary["entrants"]}
    columns = ["entrant", "mean_place"]
    for figure in summary["figures"]:
        if figure["leg"] != leg or ((figure["table"], figure["figure"]) not in _SHOWN and figure["table"] != "places"):
            continue
        cells[figure["group"]].append(_cell(figure))
        if figure["table"] == "places" and figure["figure"] not in columns:
            columns.append(figure["figure"])
    names = _by_chance(summary, [leg])
    return Table(f"Chances of places: {leg}", tuple(columns), tuple((name, *cells[name]) for name in names))


_SHOWN = {("chances", "mean_place")}


def _power_title(summary: Summary) -> str:
    """Return the title of the table of what each leg finds and takes."""
    if summary["repeats"] == 1:
        return "What it took"
    strongest = summary["strongest"]
    legs = " of all legs" if len(summary["legs"]) > 1 and strongest["by"] == BEST_RATING else ""
    return f"How often {strongest['name']} wins ({strongest['by']}{legs}), and what it takes"


def _by_leg(summary: Summary, table: str, title: str, first: str) -> Table:
    """Return a table with one row per leg and one column per figure."""
    figures = list(_of(summary, table))
    told = (figure["figure"] for figure in figures if figure["figure"] not in OPTIONAL or figure["value"])
    columns = tuple(dict.fromkeys(told))
    cells = {(figure["leg"], figure["figure"]): _cell(figure) for figure in figures}
    legs = dict.fromkeys(figure["leg"] for figure in figures)
    return Table(title, (first, *columns), tuple((leg, *(cells[leg, name] for name in columns)) for leg in legs))


def _ratings(summary: Summary) -> Table:
    """Return the ratings; model and reference stand in the title."""
    found = summary["ratings"]
    rows = tuple(
        (row["name"], Figure(row["rating"], row["low"], row["high"], "points", row["note"]), row["matches"])
        for row in found["entrants"]
    )
    title = f"Ratings above the {found['reference']}, {found['model']}" if rows else f"No ratings: {found['note']}"
    return Table(title, ("entrant", "rating", "matches"), rows)
