"""How the games at each table ended: exact sums over deals that add up, from which ratings are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.errors import SpecError

Ints = NDArray[np.int64]

NOBODY = -1
MOST_SEATS = 10

# The outcomes of a pair, and which two of them each of its six products is of.
PAIR_PLACES = np.array([[1, 2], [1, 1], [2, 1]])
PRODUCT_LEFT, PRODUCT_RIGHT = (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """How often the games at each table ended in which ranking, with sums for errors over deals.

    A table is a set of entrants: `tables` is (tables, seats), indices into `names` in ascending order, filled
    up with -1; `deals` is how many independent deals each played. A row is one ranking at one table: `table`
    (rows,), `places` (rows, seats) from 1 without a gap, ties sharing a place and 0 for nobody, and `counts`,
    the games that ended so. `products` (pairs, 3) is [row, row, Σ over deals of the product of the two rows'
    numbers of games in the deal], once for a row and itself and for each two rows that a deal had both of;
    None where only counts were kept. All are int64 and in ascending order: the same games give the same arrays.
    """

    names: tuple[str, ...]
    tables: Ints
    deals: Ints
    table: Ints
    places: Ints
    counts: Ints
    products: Ints | None = None

    @property
    def games(self) -> int:
        """How many games were counted."""
        return int(self.counts.sum())


def count_games(names: Sequence[str], deals: ArrayLike, entrants: ArrayLike, places: ArrayLike) -> Outcomes:
    """Return the outcomes of played games, with the sums for errors over deals.

    Parameters
    ----------
    names
        The entrants.
    deals
        (games,): the number of the deal that each game is of. Games at one table with the same number are one
        deal and may depend on each other; all others must not.
    entrants, places
        (games, seats): who sat there, as an index into `names`, or -1 for nobody; and which place he took, the
        least number being the best and equal ones a tie. A game of fewer than two entrants counts for nothing.

    Raises
    ------
    SpecError
        If the arrays do not fit each other or the names.
    """
    names = _checked_names(names)
    number, seated, ranks = _whole("deals", deals, 1), _whole("entrants", entrants, 2), _whole("places", places, 2)
    if seated.shape != ranks.shape or len(number) != len(seated):
        raise SpecError(
            f"Deals came as {number.shape}, entrants as {seated.shape} and places as {ranks.shape}; due are "
            "(games,) and twice (games, seats)."
        )
    _check_seated(seated, len(names))
    played = (seated != NOBODY).sum(axis=1) >= 2
    number, seated, ranks = number[played], seated[played], ranks[played]
    once = np.ones(len(seated), dtype=np.int64)
    counted, row = _collected(names, seated, ranks, once, None)
    table = counted.table[row]
    of_deal, deal = equal_rows(np.stack((table, number), axis=1))
    products = _deal_products(deal, row)
    counted = _collected(names, counted.tables[counted.table], counted.places, counted.counts, products)[0]
    return _with_deals(counted, counted.tables, _sums(once[of_deal], table[of_deal]))


def count_pairs(
    names: Sequence[str],
    pairs: ArrayLike,
    counts: ArrayLike,
    deals: ArrayLike | None = None,
    products: ArrayLike | None = None,
) -> Outcomes:
    """Return the outcomes at tables of two from sums per pair.

    Parameters
    ----------
    names
        The entrants.
    pairs
        (pairs, 2): indices i and j into `names`; a pair may come more than once and either way round.
    counts
        (pairs, 3): the games that i won, that were drawn, and that j won.
    deals
        (pairs,): the independent deals that these games were of; left out: each game is a deal of its own.
    products
        (pairs, 6): the sums over deals of ww, wd, wl, dd, dl, ll, where w, d and l are a deal's games won by i,
        drawn and won by j. Without them, if there are `deals`, there are no errors over deals.

    Raises
    ------
    SpecError
        If the arrays do not fit each other or the names.
    """
    names = _checked_names(names)
    two, ended = _whole("pairs", pairs, 2), _whole("counts", counts, 2)
    if two.shape != (len(two), 2) or ended.shape != (len(two), 3):
        raise SpecError(f"Pairs came as {two.shape} and counts as {ended.shape}; due are (pairs, 2) and (pairs, 3).")
    _check_seated(two, len(names))
    if (two == NOBODY).any():
        raise SpecError("A pair is two entrants; one of them is -1.")
    number = ended.sum(axis=1) if deals is None else _whole("deals", deals, 1)
    sums = None if products is None else _whole("products", products, 2)
    if deals is None and sums is None:
        sums = ended[:, [0, 0, 0, 1, 0, 2]] * np.array([1, 0, 0, 1, 0, 1])
    if number.shape != (len(two),) or (sums is not None and sums.shape != (len(two), 6)):
        raise SpecError(f"For {len(two)} pairs due are as many numbers of deals, and (pairs, 6) products.")
    triples = None
    if sums is not None:
        rows = np.arange(3 * len(two)).reshape(-1, 3)
        left, right = rows[:, PRODUCT_LEFT], rows[:, PRODUCT_RIGHT]
        triples = np.stack((left.ravel(), right.ravel(), sums.ravel()), axis=1)
    places = np.tile(PAIR_PLACES, (len(two), 1))
    counted = _collected(names, np.repeat(two, 3, axis=0), places, ended.ravel(), triples)[0]
    return _with_deals(counted, np.sort(two, axis=1), number)


def merge(a: Outcomes, b: Outcomes) -> Outcomes:
    """Return the outcomes of two disjoint sets of deals together.

    Raises
    ------
    SpecError
        If they are of different entrants, or one of them holds no sums over deals.
    """
    if a.names != b.names:
        raise SpecError("Outcomes of different entrants do not add up.")
    if (a.products is None) != (b.products is None):
        raise SpecError("Outcomes with sums over deals and outcomes without them do not add up.")
    seats = max(a.tables.shape[1], b.tables.shape[1])
    tables = np.concatenate([_widened(part.tables, seats, NOBODY) for part in (a, b)])
    places = np.concatenate([_widened(part.places, seats, 0) for part in (a, b)])
    table = np.concatenate((a.table, b.table + len(a.tables)))
    products = None
    if a.products is not None and b.products is not None:
        products = np.concatenate((a.products, b.products + np.array([len(a.counts), len(a.counts), 0])))
    counts = np.concatenate((a.counts, b.counts))
    counted = _collected(a.names, tables[table], places, counts, products)[0]
    return _with_deals(counted, tables, np.concatenate((a.deals, b.deals)))


def by_name(outcomes: Outcomes) -> Outcomes:
    """Return the outcomes with the entrants in the order of their names."""
    order = sorted(range(len(outcomes.names)), key=outcomes.names.__getitem__)
    number = np.full(len(order) + 1, NOBODY, dtype=np.int64)
    number[order] = np.arange(len(order))
    tables = number[outcomes.tables]
    names = tuple(outcomes.names[index] for index in order)
    counted = _collected(names, tables[outcomes.table], outcomes.places, outcomes.counts, outcomes.products)[0]
    return _with_deals(counted, tables, outcomes.deals)


def document(outcomes: Outcomes) -> dict[str, Any]:
    """Return outcomes as JSON data of whole numbers."""
    keys = ("tables", "deals", "table", "places", "counts")
    return {
        "names": list(outcomes.names),
        **{key: getattr(outcomes, key).tolist() for key in keys},
        "products": None if outcomes.products is None else outcomes.products.tolist(),
    }


def read_document(data: dict[str, Any]) -> Outcomes:
    """Return the outcomes that `document` wrote.

    Raises
    ------
    SpecError
        If it is no such document, or its numbers contradict each other.
    """
    missing = [key for key in ("names", "tables", "deals", "table", "places", "counts", "products") if key not in data]
    if missing:
        raise SpecError(f"A document of outcomes has an entry '{missing[0]}'; this one has not.")
    names = _checked_names(data["names"])
    tables, places = (_whole(key, data[key] or np.zeros((0, 2), dtype=np.int64), 2) for key in ("tables", "places"))
    deals, table, counts = (_whole(key, data[key], 1) for key in ("deals", "table", "counts"))
    products = data["products"]
    if products is not None:
        products = _whole("products", products or np.zeros((0, 3), dtype=np.int64), 2)
    _check_seated(tables, len(names))
    are_tables = len(deals) == len(tables) and _are_indices(table, len(tables))
    are_rows = len(table) == len(places) == len(counts) and places.shape[1] == tables.shape[1]
    are_pairs = products is None or (products.shape[1] == 3 and _are_indices(products[:, :2], len(counts)))
    if not (are_tables and are_rows and are_pairs):
        raise SpecError("The arrays of a document of outcomes do not fit each other.")
    return _with_deals(_collected(names, tables[table], places, counts, products)[0], tables, deals)


def _whole(name: str, values: ArrayLike, dimensions: int) -> Ints:
    """Return values as int64, or raise SpecError unless they are whole numbers in so many dimensions."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.zeros(0, dtype=object)
    if array.size == 0 and array.ndim == dimensions:
        return np.zeros(array.shape, dtype=np.int64)
    if array.ndim != dimensions or array.dtype.kind not in "iu" or array.dtype == np.uint64:
        raise SpecError(f"'{name}' are whole numbers of 64 bits in {dimensions} dimension{'s' * (dimensions > 1)}.")
    return array.astype(np.int64)


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, or raise SpecError unless they are two or more different ones."""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise SpecError("The names of the entrants are a list of texts.")
    if len(names) < 2:
        raise SpecError(f"Ratings compare two entrants or more; given: {len(names)}.")
    twice = [name for index, name in enumerate(names) if name in names[:index]] if len(set(names)) < len(names) else []
    if twice:
        raise SpecError(f"Two entrants are named '{twice[0]}'.")
    return tuple(names)


def _check_seated(seated: Ints, entrants: int) -> None:
    """Raise SpecError unless every seat holds an entrant or nobody, and nobody sits twice at one table."""
    if seated.shape[1] > MOST_SEATS:
        raise SpecError(f"A table has at most {MOST_SEATS} seats; given: {seated.shape[1]}.")
    wrong = seated[(seated < NOBODY) | (seated >= entrants)]
    if wrong.size:
        raise SpecError(f"Entrants are numbered 0 .. {entrants - 1}, and -1 is nobody; given: {int(wrong[0])}.")
    side_by_side = np.sort(seated, axis=1)
    twice = (side_by_side[:, 1:] == side_by_side[:, :-1]) & (side_by_side[:, 1:] != NOBODY)
    if twice.any():
        raise SpecError(f"Entrant {int(side_by_side[:, 1:][twice][0])} sits twice at one table.")


def _are_indices(values: Ints, size: int) -> bool:
    """Whether all are from 0 to size - 1."""
    return bool(((values >= 0) & (values < size)).all())


def equal_rows(keys: Ints) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for equal rows, in ascending order, the index of one of each, and the group that each row is in."""
    order = np.lexsort(keys.T[::-1])
    ordered = keys[order]
    is_new = np.ones(len(keys), dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    group = np.empty(len(keys), dtype=np.intp)
    group[order] = np.cumsum(is_new) - 1
    return order[is_new], group


def _sums(values: Ints, group: Ints | NDArray[np.intp]) -> Ints:
    """Return the exact sum of each group's values."""
    sums = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(sums, group, values)
    return sums


def _sorted_seats(seated: Ints, places: Ints) -> tuple[Ints, Ints]:
    """Return each row with its entrants in ascending order, nobody last, and places from 1 without a gap."""
    order = np.argsort(np.where(seated == NOBODY, np.iinfo(np.int64).max, seated), axis=1, kind="stable")
    seated, places = np.take_along_axis(seated, order, axis=1), np.take_along_axis(places, order, axis=1)
    is_taken = seated != NOBODY
    dense = np.ones_like(places)
    for seat in range(seated.shape[1]):
        # Every place better than one's own counts once, at the first seat that took it.
        is_first = is_taken[:, seat] & ~(is_taken[:, :seat] & (places[:, :seat] == places[:, seat, None])).any(axis=1)
        dense += is_first[:, None] & (places[:, seat, None] < places)
    return seated, np.where(is_taken, dense, 0)


def _widened(rows: Ints, width: int, filler: int) -> Ints:
    """Return rows of at least that width."""
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=filler)


def _collected(
    names: tuple[str, ...], seated: Ints, places: Ints, counts: Ints, products: Ints | None
) -> tuple[Outcomes, NDArray[np.intp]]:
    """Return rows and pairs of rows as outcomes without deals, equal ones added up, and each row's new index."""
    if (counts < 0).any() or (products is not None and (products[:, 2] < 0).any()):
        raise SpecError("Counts of games and their products are 0 or more.")
    keep = counts > 0
    seated, places = _sorted_seats(seated, places)
    of_table, table = equal_rows(seated[keep])
    of_row, kept_row = equal_rows(np.concatenate((table[:, None], places[keep]), axis=1))
    row = np.full(len(counts), -1, dtype=np.intp)
    row[keep] = kept_row
    if products is not None:
        products = products[products[:, 2] > 0]
        ends = np.sort(row[products[:, :2]], axis=1)
        if (ends < 0).any():
            raise SpecError("A product is of an outcome that no game had.")
        of_pair, pair = equal_rows(ends)
        products = np.concatenate((ends[of_pair], _sums(products[:, 2], pair)[:, None]), axis=1)
    return Outcomes(
        names=names,
        tables=seated[keep][of_table],
        deals=np.zeros(len(of_table), dtype=np.int64),
        table=table[of_row].astype(np.int64),
        places=places[keep][of_row],
        counts=_sums(counts[keep], kept_row),
        products=products,
    ), row


def _deal_products(deal: NDArray[np.intp], row: NDArray[np.intp]) -> Ints:
    """Return [row, row, product] for each deal and each two of the rows that its games ended in."""
    of_pair, pair = equal_rows(np.stack((deal, row), axis=1))
    deal, row, games = deal[of_pair], row[of_pair], _sums(np.ones_like(row), pair)
    triples = []
    for apart in range(len(row)):
        is_same = deal[apart:] == deal[: len(deal) - apart]
        if not is_same.any():
            break
        left, right = np.flatnonzero(is_same), np.flatnonzero(is_same) + apart
        triples.append(np.stack((row[left], row[right], games[left] * games[right]), axis=1))
    return np.concatenate(triples) if triples else np.zeros((0, 3), dtype=np.int64)


def _with_deals(counted: Outcomes, tables: Ints, deals: Ints) -> Outcomes:
    """Return the outcomes with the deals of these tables; raise SpecError if they contradict the counts."""
    seated = _sorted_seats(tables, np.ones_like(tables))[0]
    if (deals < 0).any():
        raise SpecError("Numbers of deals are 0 or more.")
    of_table, group = equal_rows(seated[deals > 0])
    if not np.array_equal(seated[deals > 0][of_table], counted.tables):
        raise SpecError("A table has games and no deals, or deals and no games.")
    total = _sums(deals[deals > 0], group)
    _check_sums(counted, total)
    return Outcomes(
        counted.names, counted.tables, total, counted.table, counted.places, counted.counts, counted.products
    )


def _check_sums(counted: Outcomes, deals: Ints) -> None:
    """Raise SpecError if no games in so many deals have these counts and products."""
    games = np.bincount(counted.table, weights=counted.counts, minlength=len(deals))
    if (deals > games).any():
        raise SpecError("A table has more deals than games.")
    if counted.products is None:
        return
    # Sums of squares of whole numbers x are at least Σ x, and by Cauchy's inequality at least (Σ x)² / deals.
    left, right, value = counted.products.T
    times = np.where(left == right, 1.0, 2.0)
    own = np.bincount(left[left == right], weights=value[left == right], minlength=len(counted.counts))
    whole = np.bincount(counted.table[left], weights=times * value, minlength=len(deals))
    for x, squares, number in ((counted.counts, own, deals[counted.table]), (games, whole, deals)):
        if (squares < x).any() or (squares * number * (1 + 1e-9) < x.astype(np.float64) ** 2).any():
            raise SpecError("Products over deals are smaller than the counts of games allow.")
