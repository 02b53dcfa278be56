"""Exact sums of a part of a run of tournaments, which add up to the sums of the run, whatever the parts.

What is summed and squared is a quantity of one repeat: repeats are independent, their legs and matches are not. A
tournament that is the only one has no squares, since no error can be told from it.

Who shares a rank with others has each of the places that they take together with equal chance: of k who share rank r,
each has place r, r + 1, ... r + k - 1 with the chance 1/k. Sums count how often somebody shared which rank with how
many, so that they are exact for every k.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from results import outcomes
from results.cells import HASH_MODULUS, Cells
from results.outcomes import NOBODY, Outcomes, count_games
from results.plan import MATCHES, STANDINGS, Span
from results.schema import STATUS, STATUS_CAPPED
from results.sums import Sums, added, exact_products, exact_sums
from results.tournament.cells import (
    Matches,
    Tables,
    blocks,
    check_cells,
    check_shapes,
    content_hash,
    positions,
    spans_joined,
    totals,
)
from results.tournament.layout import (
    LOT,
    M_DECIDED,
    M_ENTRANT,
    M_GAMES,
    M_LEG,
    M_MATCH,
    M_PLACE,
    M_REPEAT,
    M_ROUND,
    P_GAME,
    P_LEG,
    P_MATCH,
    P_ROUND,
    S_RANK,
    TournamentLayout,
)

# Figures of a leg as a whole, in the order in which products hold them.
LEG_FIGURES = ("games", "matches", "lots")

BLOCK_WORDS = 500_000

PLAIN = ("repeats", "games", "capped", "legs", "products", "places")


def part_sums(layout: TournamentLayout, span: Span, cells: Tables) -> Sums:
    """Return the sums of a played part, a dict of JSON data with exact integers.

    `cells` is as `cells.check_cells` describes it. The entries:

    - `spans`: [unit, round, first, count] of what is summed; `repeats` (whole tournaments, or the standings of one),
      `games`, `capped` games: how many; `content_hash`: see `cells.content_hash`, 32 hexadecimal digits;
    - `legs`: of each leg `games`, `matches` (without byes) and `lots` (matches decided by lot): Σ over repeats; and
      `columns`: of each column of the standings after the rank {"sum", "square"} with one number per entrant;
    - `ranks`: of each leg a list of [entrant, rank, sharers, repeats]: in how many repeats an entrant shared that rank
      with so many, himself included;
    - `products`: for games, matches and lots Σ of the products of legs i and j, for all i <= j in lexical order;
    - `places`: for all i < j a list of one number per entrant: Σ of the products of his doubled mean places,
      2 × rank + sharers - 1;
    - `both_won`: for all i < j a list of [entrant, sharers in i, sharers in j, repeats] that he was first in both;
    - `outcomes`: how matches ended, for ratings; see `results.outcomes`. A deal is what all legs play in one match of
      a number: (repeat, round, match). One decided by lot counts as a draw;
    - `standings`, `matches`: of a single tournament the rows without the repeat, as far as the layout lists them; those
      of a match with the number of its first game, -1 for a bye.

    Raises StoreError if the tables are not what the part should hold.
    """
    check_shapes(layout, cells)
    total: Sums | None = None
    counted: Outcomes | None = None
    for block_span, block in blocks(span, cells, BLOCK_WORDS):
        matches = check_cells(layout, block_span, block)
        found = _block_sums(layout, block_span, block, matches)
        total = found if total is None else _merged(total, found)
        if counted is None or block_span.first < layout.rated_repeats:
            ended = _outcomes(layout, block["matches"], matches)
            counted = ended if counted is None else outcomes.merge(counted, ended)
    assert total is not None
    assert counted is not None
    return {**total, "outcomes": outcomes.document(counted)}


def merge(a: Sums, b: Sums) -> Sums:
    """Return the sums of two disjoint parts of one run together. Raises StoreError if something is in both."""
    counted = outcomes.merge(*(outcomes.read_document(sums["outcomes"]) for sums in (a, b)))
    return {**_merged(a, b), "outcomes": outcomes.document(counted)}


def _merged(a: Sums, b: Sums) -> Sums:
    """Return all sums of two parts together but the outcomes."""
    return {
        "spans": spans_joined(a["spans"] + b["spans"]),
        "content_hash": f"{(int(a['content_hash'], 16) + int(b['content_hash'], 16)) % HASH_MODULUS:032x}",
        **{key: added(a[key], b[key]) for key in PLAIN},
        "ranks": [_merged_counts(x, y) for x, y in zip(a["ranks"], b["ranks"], strict=True)],
        "both_won": [_merged_counts(x, y) for x, y in zip(a["both_won"], b["both_won"], strict=True)],
        "standings": sorted(a["standings"] + b["standings"]),
        "matches": sorted(a["matches"] + b["matches"]),
    }


def _merged_counts(a: list[list[int]], b: list[list[int]]) -> list[list[int]]:
    """Return lists of [key ..., count] together, in order."""
    counts: dict[tuple[int, ...], int] = {}
    for *key, count in (*a, *b):
        counts[tuple(key)] = counts.get(tuple(key), 0) + count
    return [[*key, counts[key]] for key in sorted(counts)]


def _block_sums(layout: TournamentLayout, span: Span, cells: Tables, matches: Matches) -> Sums:
    """Return all sums of a block but the outcomes."""
    legs, entrants = len(layout.legs), len(layout.entrants)
    standings = cells["standings"].reshape(-1, legs, entrants, cells["standings"].shape[1])
    rank = standings[..., S_RANK]
    sharers = _sharers(rank)
    of_legs = _leg_figures(layout, span, cells["matches"], matches)
    # Of one tournament no error can be told, and its parts have no squares that add up.
    both = [] if layout.is_single else list(combinations(range(legs), 2))
    place = 2 * rank + sharers - 1
    sums = [exact_sums(of_legs[:, leg]) for leg in range(legs)]
    return {
        "spans": [[span.unit, span.round, span.first, span.count]],
        "repeats": 0 if span.unit == MATCHES else span.count,
        "games": len(cells["games"]),
        "capped": int((cells["games"][:, STATUS] == STATUS_CAPPED).sum()),
        "content_hash": f"{content_hash(layout, cells):032x}",
        "legs": [
            {**dict(zip(LEG_FIGURES, sums[leg], strict=True)), "columns": _column_sums(layout, standings[:, leg])}
            for leg in range(legs)
        ],
        "ranks": [_counted(rank[:, leg], sharers[:, leg]) for leg in range(legs)],
        "products": {
            name: []
            if layout.is_single
            else [
                exact_products(of_legs[:, i, index], of_legs[:, j, index])
                for i, j in combinations_with_replacement(range(legs), 2)
            ]
            for index, name in enumerate(LEG_FIGURES)
        },
        "places": [exact_products(place[:, i], place[:, j]) for i, j in both],
        "both_won": [_counted(sharers[:, i], sharers[:, j], (rank[:, i] == 1) & (rank[:, j] == 1)) for i, j in both],
        "standings": cells["standings"][:, 1:].tolist() if layout.is_single else [],
        "matches": _listed(cells) if layout.lists_matches else [],
    }


def _listed(cells: Tables) -> list[list[int]]:
    """Return the rows of `matches` without the repeat, each with the number of its match's first game, -1 for none."""
    played, rows = cells["played"], cells["matches"]
    firsts: dict[tuple[int, ...], int] = {}
    for game, *key in played[:, [P_GAME, P_LEG, P_ROUND, P_MATCH]].tolist():
        firsts.setdefault(tuple(key), game)
    return [[*row, firsts.get(tuple(row[:3]), -1)] for row in rows[:, 1:].tolist()]


def _sharers(rank: Cells) -> Cells:
    """Return how many have the same rank in the same leg and repeat, (repeats, legs, entrants)."""
    repeats, legs, entrants = rank.shape
    row = np.arange(repeats * legs).reshape(repeats, legs, 1) * entrants + rank - 1
    counts = np.bincount(row.ravel(), minlength=repeats * legs * entrants)
    return np.asarray(counts[row], dtype=np.int64)


def _counted(first: Cells, second: Cells, is_counted: NDArray[np.bool_] | None = None) -> list[list[int]]:
    """Return [entrant, first, second, repeats] for each combination of values, (repeats, entrants) each, in order."""
    entrants = first.shape[1]
    size = entrants + 1  # Neither ranks nor sharers are more than there are entrants.
    keys = (np.arange(entrants) * size + first) * size + second
    found, counts = np.unique(keys if is_counted is None else keys[is_counted], return_counts=True)
    values = (found // size // size, found // size % size, found % size, counts)
    rows: list[list[int]] = np.stack(values, axis=1).tolist()
    return rows


def _column_sums(layout: TournamentLayout, standings: Cells) -> Sums:
    """Return for each column of a leg's standings after the rank the sums and sums of squares over repeats."""
    found = {}
    for index, column in enumerate(layout.quantities, start=S_RANK + 1):
        values = standings[:, :, index]
        if not len(values):
            sums = squares = [0] * values.shape[1]
        else:
            sums, squares = exact_sums(values), exact_products(values, values)
        found[column.name] = {"sum": sums} if layout.is_single else {"sum": sums, "square": squares}
    return found


def _leg_figures(layout: TournamentLayout, span: Span, rows: Cells, matches: Matches) -> Cells:
    """Return how many games, matches and lots each repeat and leg had, (repeats, legs, 3)."""
    repeats = 1 if span.unit in (MATCHES, STANDINGS) else span.count
    first = 0 if span.unit in (MATCHES, STANDINGS) else span.first
    legs = len(layout.legs)
    one = rows[matches.starts]
    leg = (one[:, M_REPEAT] - first) * legs + one[:, M_LEG]
    values = (one[:, M_GAMES], (matches.sizes > 1).astype(np.int64), (one[:, M_DECIDED] == LOT).astype(np.int64))
    found = [totals(leg, value, repeats * legs) for value in values]
    return np.stack(found, axis=1).reshape(repeats, legs, len(LEG_FIGURES))


def _outcomes(layout: TournamentLayout, rows: Cells, matches: Matches) -> Outcomes:
    """Return how the matches of the rated repeats ended."""
    is_rated = (matches.sizes > 1) & (rows[matches.starts, M_REPEAT] < layout.rated_repeats)
    starts, sizes = matches.starts[is_rated], matches.sizes[is_rated]
    shape = (len(starts), int(sizes.max(initial=2)))
    entrants, places = np.full(shape, NOBODY, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    match, seat = np.repeat(np.arange(len(starts)), sizes), positions(sizes)
    row = rows[np.repeat(starts, sizes) + seat]
    entrants[match, seat] = row[:, M_ENTRANT]
    places[match, seat] = np.where(row[:, M_DECIDED] == LOT, 1, row[:, M_PLACE])
    one = rows[starts]
    _, deal = outcomes.equal_rows(one[:, [M_REPEAT, M_ROUND, M_MATCH]])
    return count_games(layout.entrants, deal.astype(np.int64), entrants, places)
