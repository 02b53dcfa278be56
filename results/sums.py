"""Exact sums of a part that add up to the sums of a run, whatever the parts: all figures come from them.

Every deal counts the same. A deal that is played in fewer games than `rotations` (its seating looks the same
after some rotation) gives each of them the weight rotations / games of the deal, and what is summed and
squared over deals is x_d, the weighted sum of a column over the games of deal d: `rotations` times the deal's
mean per game.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from results.cells import HASH_MODULUS, Cells, cell_range, check_cells, content_hash, deal_starts
from results.schema import (
    DEAL,
    ENTRANT,
    SHARE_SCALE,
    STATUS,
    STATUS_CAPPED,
    TABLES,
    WIN_SHARE,
    Column,
    Layout,
)
from sim.errors import StoreError

Sums = dict[str, Any]

# The seat columns for which the entrants' totals are also multiplied with one another, for paired
# differences.
PAIRED_COLUMNS = ("win_share", "score")

# A block's cells stay in a core's cache while they are checked, hashed and summed. Values are counted in
# greater blocks, since each costs a merge of some hundred counts.
BLOCK_WORDS = 250_000
COUNTED_BLOCK_WORDS = 4_000_000

# Values below 2^EXACT_BITS are counted as they are, greater ones rounded to EXACT_BITS significant bits.
EXACT_BITS = 7
INT64_LIMIT = 2**63


def part_sums(layout: Layout, games: Cells, seats: Cells, rounds: Cells) -> Sums:
    """Return the sums of a played part, a dict of JSON data with exact integers.

    The arrays are as `cells.check_cells` describes them. The entries:

    - `ranges`: [first deal, deals] of each unbroken range; `deals`, `games`, `capped` games: how many;
    - `content_hash`: see `cells.content_hash`, 32 hexadecimal digits;
    - `game_columns`: for each quantity [Σ x_d, Σ x_d²], and for each label of a text column but the status, named
      `column=label`, of the games that have it;
    - `ratios`: for each ratio Σ of the product of its two columns;
    - `entrants`, `turn_order`: for each seat quantity {"sum", "square"} with one number per entrant, or per
      place in turn order (empty if the game has no column first_seat), of the deal's total over that group's
      seats;
    - `pairs`: for win_share and score Σ of the products of entrants i and j, for all i < j in lexical order;
    - `distributions`: {"table", "column", "least", "greatest", "counts": [[value, weight], ...]}.

    Raises StoreError if the arrays are not whole deals as the layout describes them.
    """
    total: Sums | None = None
    for first, last in _blocks(layout, games, BLOCK_WORDS):
        block = [
            cells[first * per_game : last * per_game]
            for cells, per_game in zip((games, seats, rounds), map(layout.rows_per_game, TABLES), strict=True)
        ]
        check_cells(layout, *block)
        sums = _block_sums(layout, *block)
        total = sums if total is None else merge(total, sums)
    if total is None or len(total["ranges"]) != 1:
        raise StoreError("A part must be one unbroken range of deals.")
    return {**total, "distributions": _distributions(layout, games, seats)}


def merge(a: Sums, b: Sums) -> Sums:
    """Return the sums of two disjoint sets of deals of one run together.

    Raises StoreError if a deal is in both.
    """
    return {
        "ranges": merged_ranges(a["ranges"] + b["ranges"]),
        "content_hash": f"{(int(a['content_hash'], 16) + int(b['content_hash'], 16)) % HASH_MODULUS:032x}",
        **{
            key: added(a[key], b[key])
            for key in (
                "deals",
                "games",
                "capped",
                "game_columns",
                "ratios",
                "entrants",
                "turn_order",
                "pairs",
            )
        },
        "distributions": _merged_distributions(a["distributions"], b["distributions"]),
    }


def _blocks(layout: Layout, games: Cells, words: int) -> Iterator[tuple[int, int]]:
    """Cut a part into blocks of whole deals of about that many cells: from which game to before which."""
    width = sum(layout.rows_per_game(table) * len(layout.columns(table)) for table in layout.tables)
    least = max(1, words // width)
    first = 0
    while first < len(games):
        last = min(first + least, len(games))
        while last < len(games) and games[last, DEAL] == games[last - 1, DEAL]:
            last += 1
        yield first, last
        first = last


def _block_sums(layout: Layout, games: Cells, seats: Cells, rounds: Cells) -> Sums:
    """Return the sums of a block, as `part_sums` describes them."""
    starts, weights = _deal_weights(layout, games)
    values = _summable(_game_quantities(layout, games), layout.game_quantities, layout.rotations)
    of_games = _deal_totals(values, starts, weights)
    names = [column.name for column in layout.game_quantities]
    by_game = seats.reshape(len(games), layout.seats, -1)
    entrants, turn_order, pairs = _seat_sums(layout, games, by_game, starts, weights)
    return {
        "ranges": [[int(games[0, DEAL]), len(starts)]],
        "deals": len(starts),
        "games": len(games),
        "capped": int((games[:, STATUS] == STATUS_CAPPED).sum()),
        "content_hash": f"{content_hash(games, seats, rounds):032x}",
        "game_columns": {
            name: pair
            for name, *pair in zip(names, exact_sums(of_games), exact_products(of_games, of_games), strict=True)
        },
        "ratios": {
            ratio.name: exact_products(
                of_games[:, names.index(ratio.numerator)], of_games[:, names.index(ratio.denominator)]
            )
            for ratio in layout.ratios
        },
        "entrants": entrants,
        "turn_order": turn_order,
        "pairs": pairs,
        "distributions": [],
    }


def _deal_weights(layout: Layout, games: Cells) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the index of each deal's first game and the weight of each of its games."""
    starts = deal_starts(games)
    return starts, layout.rotations // np.diff(np.append(starts, len(games)))


def _game_quantities(layout: Layout, games: Cells) -> Cells:
    """Return the columns of `layout.game_quantities`, (games, quantities)."""
    stored = [index for index, column in enumerate(layout.game_columns) if column.is_quantity]
    labels = [
        games[:, layout.index("games", column.name), None] == column.labels.index(label)
        for column, label in layout.counted_labels
    ]
    capped = games[:, STATUS, None] == STATUS_CAPPED
    return np.concatenate((games[:, stored], *labels, capped), axis=1)


def _seat_quantities(layout: Layout, by_game: Cells) -> Cells:
    """Return the columns of `layout.seat_quantities`, (games, seats, quantities)."""
    stored = [index for index, column in enumerate(layout.seat_columns) if column.is_quantity]
    share = by_game[:, :, WIN_SHARE, None]
    alone, shared = share == SHARE_SCALE, (share > 0) & (share < SHARE_SCALE)
    # The stored quantities usually stand side by side, and a slice is several times quicker than a list.
    side_by_side = stored == list(range(stored[0], stored[0] + len(stored)))
    places = slice(stored[0], stored[-1] + 1) if side_by_side else stored
    return np.concatenate((by_game[:, :, places], alone, shared), axis=2)


def _seat_sums(
    layout: Layout, games: Cells, by_game: Cells, starts: NDArray[np.intp], weights: NDArray[np.intp]
) -> tuple[Sums, Sums, Sums]:
    """Return the entries `entrants`, `turn_order` and `pairs` of a block."""
    factor = layout.rotations * layout.seats
    values = _summable(_seat_quantities(layout, by_game), layout.seat_quantities, factor)
    names = [column.name for column in layout.seat_quantities]
    # An entrant's code rises with its index, and every entrant holds the same number of seats in every game,
    # so the seats in the order of their entrants' codes fall into groups of fixed sizes.
    order = np.argsort(by_game[:, :, ENTRANT], axis=1, kind="stable")
    totals = _group_totals(values, order, layout.entrant_seats, starts, weights)
    pairs = {name: _pair_products(totals[:, :, names.index(name)]) for name in PAIRED_COLUMNS}
    entrants = _group_sums(names, totals)
    if not layout.has_first_seat:
        return entrants, {}, pairs
    first = games[:, layout.index("games", "first_seat")]
    if ((first < 0) | (first >= layout.seats)).any():
        raise StoreError(f"Table games, column 'first_seat': seats are 0 .. {layout.seats - 1}.")
    order = (first[:, None] + np.arange(layout.seats)) % layout.seats
    totals = _group_totals(values, order, (1,) * layout.seats, starts, weights)
    return entrants, _group_sums(names, totals), pairs


def _group_totals(
    values: NDArray[Any],
    order: NDArray[np.intp],
    sizes: tuple[int, ...],
    starts: NDArray[np.intp],
    weights: NDArray[np.intp],
) -> NDArray[Any]:
    """Return the deals' totals over groups of seats, (deals, groups, quantities).

    `values` is (games, seats, quantities), `order` names each game's seats group by group, `sizes` how many
    each has.
    """
    games, seats, quantities = values.shape
    rows = (order + np.arange(0, games * seats, seats)[:, None]).ravel()
    totals = values.reshape(-1, quantities).take(rows, axis=0).reshape(values.shape)
    if len(sizes) < seats:
        totals = np.add.reduceat(totals, np.cumsum((0, *sizes[:-1])), axis=1)
    return _deal_totals(totals.reshape(games, -1), starts, weights).reshape(len(starts), len(sizes), quantities)


def _group_sums(names: list[str], totals: NDArray[Any]) -> Sums:
    """Return for each quantity the sums and the sums of squares over deals of each group's totals."""
    flat = totals.reshape(len(totals), -1)
    shape = totals.shape[1:]
    sums = np.array(exact_sums(flat), dtype=object).reshape(shape).T.tolist()
    squares = np.array(exact_products(flat, flat), dtype=object).reshape(shape).T.tolist()
    return {name: {"sum": s, "square": q} for name, s, q in zip(names, sums, squares, strict=True)}


def _pair_products(totals: NDArray[Any]) -> list[int]:
    """Return Σ over deals of the products of the totals of groups i and j, for i < j in lexical order."""
    wide = _wide(totals, len(totals) * _peak(totals) ** 2)
    products = (wide.T @ wide).tolist()
    return [products[i][j] for i in range(len(products)) for j in range(i + 1, len(products))]


def _deal_totals(values: NDArray[Any], starts: NDArray[np.intp], weights: NDArray[np.intp]) -> NDArray[Any]:
    """Return x_d for each column of `values`, (deals, columns)."""
    if (weights == weights[0]).all():
        # All deals have equally many games, as at every table of different entrants: a quicker way to add.
        totals = values.reshape(len(starts), -1, values.shape[1]).sum(axis=1)
    else:
        totals = np.add.reduceat(values, starts, axis=0)
    return np.asarray(totals * weights[:, None])


def exact_sums(totals: NDArray[Any]) -> list[int]:
    """Return the exact sum of each column."""
    sums: list[int] = _wide(totals, len(totals) * _peak(totals)).sum(axis=0).tolist()
    return sums


def exact_products(a: NDArray[Any], b: NDArray[Any]) -> Any:
    """Return the exact sum of the products of two arrays along their first axis, as Python integers."""
    bound = len(a) * _peak(a) * _peak(b)
    return np.asarray((_wide(a, bound) * _wide(b, bound)).sum(axis=0)).tolist()


def _summable(values: Cells, columns: tuple[Column, ...], factor: int) -> NDArray[Any]:
    """Return the values so that `factor` of them can be added, at once where the columns' types settle it."""
    limit = max(max(-least, greatest) for least, greatest in map(cell_range, columns))
    return values if factor * limit < INT64_LIMIT else _wide(values, factor * _peak(values))


def _peak(values: NDArray[Any]) -> int:
    """Return the greatest absolute value as a Python integer."""
    return max(int(values.max()), -int(values.min()))


def _wide(values: NDArray[Any], bound: int) -> NDArray[Any]:
    """Return the values as Python integers if int64 cannot hold `bound`: slow, exact, and rare."""
    return values if bound < INT64_LIMIT else values.astype(object)


def _distributions(layout: Layout, games: Cells, seats: Cells) -> list[Sums]:
    """Return the entry `distributions` of a part."""
    total: list[Sums] | None = None
    for first, last in _blocks(layout, games, COUNTED_BLOCK_WORDS):
        block_games, block_seats = games[first:last], seats[first * layout.seats : last * layout.seats]
        starts, weights = _deal_weights(layout, block_games)
        weights = np.repeat(weights, np.diff(np.append(starts, len(block_games))))
        tallies = []
        for table, name in layout.distributions:
            cells, repeats = (block_games, 1) if table == "games" else (block_seats, layout.seats)
            counts = _tally(cells[:, layout.index(table, name)], np.repeat(weights, repeats))
            tallies.append({"table": table, "column": name, **counts})
        total = tallies if total is None else _merged_distributions(total, tallies)
    return total or []


def _tally(values: Cells, weights: NDArray[np.intp]) -> Sums:
    """Return the least and the greatest value, and the weight of each rounded value in ascending order."""
    least, greatest = int(values.min()), int(values.max())
    # The weights are whole numbers far below 2^53, so float64 adds them exactly.
    if greatest - least < 4 * len(values):
        totals = np.bincount(values - least, weights=weights)
        distinct = np.flatnonzero(totals)
        totals = totals[distinct]
        distinct += least
    else:
        distinct, inverse = np.unique(values, return_inverse=True)
        totals = np.bincount(inverse, weights=weights)
    counts: dict[int, int] = {}
    for value, total in zip(_rounded(distinct), totals.tolist(), strict=True):
        counts[value] = counts.get(value, 0) + int(total)
    return {
        "least": least,
        "greatest": greatest,
        "counts": [[value, counts[value]] for value in sorted(counts)],
    }


def _rounded(values: Cells) -> list[int]:
    """Return the values, those of more than `EXACT_BITS` bits rounded to as many, halves away from zero."""
    magnitudes = np.abs(values).view(np.uint64)  # The least int64 has no opposite, but this reading of it is right.
    bits = np.frexp(magnitudes.astype(np.float64))[1]
    shifts = np.maximum(bits - EXACT_BITS, 0).astype(np.uint64)
    halves = np.uint64(1) << shifts >> np.uint64(1)
    kept = (magnitudes + halves) >> shifts << shifts
    return [-kept if value < 0 else kept for value, kept in zip(values.tolist(), kept.tolist(), strict=True)]


def added(a: Any, b: Any) -> Any:
    """Add two structures of equal shape number by number."""
    if isinstance(a, dict):
        return {key: added(a[key], b[key]) for key in a}
    if isinstance(a, list):
        return [added(x, y) for x, y in zip(a, b, strict=True)]
    return a + b


def merged_ranges(ranges: list[list[int]], unit: str = "Deal") -> list[list[int]]:
    """Return the ranges in ascending order with neighbours joined. Raises StoreError if two overlap."""
    joined: list[list[int]] = []
    for first, count in sorted(ranges):
        end = joined[-1][0] + joined[-1][1] if joined else -1
        if first < end:
            raise StoreError(f"{unit} {first} is in two of the parts that are to be summed.")
        if first == end:
            joined[-1] = [joined[-1][0], joined[-1][1] + count]
        else:
            joined.append([first, count])
    return joined


def _merged_distributions(a: list[Sums], b: list[Sums]) -> list[Sums]:
    """Return the distributions of two sets of deals together."""
    merged = []
    for x, y in zip(a, b, strict=True):
        counts = dict(x["counts"])
        for value, weight in y["counts"]:
            counts[value] = counts.get(value, 0) + weight
        merged.append(
            {
                "table": x["table"],
                "column": x["column"],
                "least": min(x["least"], y["least"]),
                "greatest": max(x["greatest"], y["greatest"]),
                "counts": [[value, counts[value]] for value in sorted(counts)],
            }
        )
    return merged
