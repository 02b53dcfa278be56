import json
import tracemalloc
from collections import Counter
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results.cells import Cells
from results.kinds import merged
from results.plan import Span
from results.sums import Sums
from results.tournament import layout as layouts
from results.tournament import sums
from results.tournament.layout import TournamentLayout
from results.tournament.sums import merge, part_sums
from sim.errors import StoreError
from tests.results.tournament.made import LEGS, make_cells, make_layout, slice_of

COLUMNS = ("matches", "games", "won", "league_points", "points", "marks", "wins", "buchholz")


def sums_in_python(layout: TournamentLayout, cells: dict[str, Cells]) -> Sums:
    """All sums of several tournaments but the hash and the spans, one number at a time, from their definition."""
    legs, entrants = range(len(layout.legs)), range(len(layout.entrants))
    rows = {(r[0], r[1], r[2]): r for r in cells["standings"].tolist()}
    repeats = sorted({key[0] for key in rows})
    sharers = Counter((r[0], r[1], r[3]) for r in rows.values())

    def shared(d: int, leg: int, e: int) -> tuple[int, int]:
        rank = rows[d, leg, e][3]
        return rank, sharers[d, leg, rank]

    took: Counter[tuple[int, int, str]] = Counter()
    for d, leg, _, _, seat, _, _, _, _, _, games, decided in cells["matches"].tolist():
        if seat == 0 and decided != 1:
            took[d, leg, "games"] += games
            took[d, leg, "matches"] += 1
            took[d, leg, "lots"] += decided == 2
    figures = ("games", "matches", "lots")
    places = {(d, g, e): 2 * shared(d, g, e)[0] + shared(d, g, e)[1] - 1 for d, g, e in rows}
    both = [
        Counter(
            (e, shared(d, i, e)[1], shared(d, j, e)[1])
            for d in repeats
            for e in entrants
            if shared(d, i, e)[0] == shared(d, j, e)[0] == 1
        )
        for i, j in combinations(legs, 2)
    ]
    return {
        "repeats": len(repeats),
        "games": len(cells["games"]),
        "capped": sum(row[3] for row in cells["games"].tolist()),
        "legs": [
            {
                **{name: sum(took[d, leg, name] for d in repeats) for name in figures},
                "columns": {
                    name: {
                        "sum": [sum(rows[d, leg, e][at] for d in repeats) for e in entrants],
                        "square": [sum(rows[d, leg, e][at] ** 2 for d in repeats) for e in entrants],
                    }
                    for at, name in enumerate(COLUMNS, start=4)
                },
            }
            for leg in legs
        ],
        "ranks": [
            sorted([*key, n] for key, n in Counter((e, *shared(d, g, e)) for d in repeats for e in entrants).items())
            for g in legs
        ],
        "products": {
            name: [
                sum(took[d, i, name] * took[d, j, name] for d in repeats)
                for i, j in combinations_with_replacement(legs, 2)
            ]
            for name in figures
        },
        "places": [
            [sum(places[d, i, e] * places[d, j, e] for d in repeats) for e in entrants]
            for i, j in combinations(legs, 2)
        ],
        "both_won": [sorted([*key, n] for key, n in counts.items()) for counts in both],
        "standings": [],
        "matches": [],
    }  # fmt: skip


def outcomes_in_python(layout: TournamentLayout, cells: dict[str, Cells]) -> dict[str, Any]:
    """Counts and products by table and places, from the definition: a deal is what legs play in matches of a number."""
    found: dict[tuple[int, ...], dict[int, tuple[int, bool]]] = {}
    for d, leg, number, match, _, entrant, place, _, _, _, _, decided in cells["matches"].tolist():
        found.setdefault((d, number, match, leg), {})[entrant] = (place, decided == 2)
    deals: dict[tuple[Any, ...], Counter[tuple[int, ...]]] = {}
    for (d, number, match, _), seated in found.items():
        if len(seated) > 1 and d < layout.rated_repeats:
            table = tuple(sorted(seated))
            given = [1 if seated[e][1] else seated[e][0] for e in table]
            dense = tuple(1 + len({other for other in given if other < place}) for place in given)
            deals.setdefault((table, d, number, match), Counter())[dense] += 1
    counts: Counter[Any] = Counter()
    products: Counter[Any] = Counter()
    for (table, *_), ended in deals.items():
        for places, n in ended.items():
            counts[table, places] += n
        for a, b in combinations_with_replacement(sorted(ended), 2):
            products[table, a, b] += ended[a] * ended[b]
    return {"counts": counts, "products": products, "deals": Counter(key[0] for key in deals)}


def read_outcomes(document: dict[str, Any]) -> dict[str, Any]:
    """The same out of a document of outcomes."""
    tables = [tuple(e for e in table if e >= 0) for table in document["tables"]]
    keys = [
        (tables[table], tuple(place for place in places if place))
        for table, places in zip(document["table"], document["places"], strict=True)
    ]
    return {
        "counts": Counter(dict(zip(keys, document["counts"], strict=True))),
        "products": Counter({(keys[i][0], keys[i][1], keys[j][1]): value for i, j, value in document["products"]}),
        "deals": Counter(dict(zip(tables, document["deals"], strict=True))),
    }


def of(layout: TournamentLayout, first: int, count: int) -> Sums:
    return part_sums(layout, Span("repeats", first, count), make_cells(layout, first, count))


LAYOUTS = [make_layout(50), make_layout(50, LEGS[1:2]), make_layout(50, is_alone=True)]
LATER = ("spans", "content_hash", "outcomes")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_sums_are_those_of_the_definition(layout: TournamentLayout) -> None:
    cells = make_cells(layout, 7, 20)
    found = part_sums(layout, Span("repeats", 7, 20), cells)
    assert {key: value for key, value in found.items() if key not in LATER} == sums_in_python(layout, cells)
    assert found["spans"] == [["repeats", 0, 7, 20]]
    assert read_outcomes(found["outcomes"]) == outcomes_in_python(layout, cells)
    assert sum(found["legs"][0][key] for key in ("games", "lots")) > 0
    assert json.loads(json.dumps(found)) == found


def test_the_made_up_tournaments_have_what_is_to_be_summed() -> None:
    found = of(LAYOUTS[0], 0, 20)
    assert found["legs"][2]["lots"] > 0
    assert found["capped"] > 0
    assert {sharers for ranks in found["ranks"] for _, _, sharers, _ in ranks} >= {1, 2, 3}
    assert any(sharers_i != sharers_j for pair in found["both_won"] for _, sharers_i, sharers_j, _ in pair)
    # Some pair meets in matches of one number in two legs: a deal with two games.
    assert any(value > 1 for i, j, value in found["outcomes"]["products"] if i != j or value > 1)


def test_a_match_decided_by_lot_is_a_draw_for_the_ratings() -> None:
    layout = make_layout(50)
    cells = make_cells(layout, 0, 30)
    by_lot = cells["matches"][:, 11] == 2
    assert set(cells["matches"][by_lot, 6].tolist()) == {1, 2}
    # As if both had shared first place.
    cells["matches"][by_lot, 6] = 1
    counts = read_outcomes(part_sums(layout, Span("repeats", 0, 30), make_cells(layout, 0, 30))["outcomes"])["counts"]
    assert counts == outcomes_in_python(layout, cells)["counts"]
    lots = by_lot.sum() // 2
    assert sum(n for (table, places), n in counts.items() if len(table) == 2 and places == (1, 1)) >= lots > 0


def test_sums_are_exact_where_squares_need_more_than_64_bits() -> None:
    layout = make_layout(50)
    cells = make_cells(layout, 0, 3)
    # Points of one match may be anything; the standings have their sum.
    first = [i for i, row in enumerate(cells["matches"].tolist()) if row[1] == 0 and row[5] == 0][::4]
    assert len(first) == 3
    for repeat, (row, by) in enumerate(zip(first, (2**61, -(2**60), 2**61 + 1), strict=True)):
        cells["matches"][row, 7] += by
        cells["standings"][repeat * 15, 8] += by
    found = part_sums(layout, Span("repeats", 0, 3), cells)
    assert found["legs"] == sums_in_python(layout, cells)["legs"]
    assert found["legs"][0]["columns"]["points"]["square"][0] > 2**123


@pytest.mark.parametrize("words", [1, 6000])
def test_the_sums_do_not_depend_on_the_blocks(words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = of(LAYOUTS[0], 3, 20)
    monkeypatch.setattr(sums, "BLOCK_WORDS", words)
    assert of(LAYOUTS[0], 3, 20) == whole


@settings(max_examples=10, deadline=None)
@given(st.permutations(range(6)), st.randoms())
def test_parts_merge_in_any_order_to_the_whole(order: list[int], random: Any) -> None:
    layout = LAYOUTS[0]
    heap = [of(layout, 3 * part, 3) for part in order]
    assert merged(layout, heap) == of(layout, 0, 18)
    while len(heap) > 1:
        heap.append(merge(heap.pop(random.randrange(len(heap))), heap.pop(random.randrange(len(heap)))))
    assert heap[0] == of(layout, 0, 18)


def test_a_part_that_is_summed_twice_is_refused() -> None:
    with pytest.raises(StoreError, match=r"Of the repeats 4 \.\. 4 there are two"):
        merge(of(LAYOUTS[0], 0, 6), of(LAYOUTS[0], 4, 2))


def test_only_the_first_repeats_are_rated(monkeypatch: pytest.MonkeyPatch) -> None:
    # 17 matches a repeat: 100 matches are those of 5 whole repeats.
    monkeypatch.setattr(layouts, "RATED_MATCHES", 100)
    layout = make_layout(50)
    assert layout.rated_repeats == 5
    first = of(layout, 0, 5)["outcomes"]
    assert of(layout, 0, 20)["outcomes"] == first
    assert merge(of(layout, 0, 3), of(layout, 3, 9))["outcomes"] == first
    assert sum(of(layout, 5, 5)["outcomes"]["counts"]) == 0


def spread(layout: TournamentLayout, size: int) -> list[Sums]:
    """The sums of a single tournament cut into slices of so many matches of a round, and its standings."""
    cells = make_cells(layout, 0, 1)
    parts = []
    for number in range(1, int(cells["matches"][:, 2].max()) + 1):
        widest = int(cells["matches"][cells["matches"][:, 2] == number, 3].max())
        for first in range(1, widest + 1, size):
            count = min(size, widest + 1 - first)
            parts.append(
                part_sums(layout, Span("matches", first, count, number), slice_of(cells, number, first, count))
            )
    alone = {table: rows if table == "standings" else rows[:0] for table, rows in cells.items()}
    return [*parts, part_sums(layout, Span("standings", 0, 1), alone)]


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("is_alone", [False, True])
def test_a_tournament_that_is_spread_has_the_sums_of_one_that_is_not(size: int, is_alone: bool) -> None:
    layout = make_layout(1, is_alone=is_alone)
    whole, found = of(layout, 0, 1), merged(layout, spread(layout, size)[::-1])
    assert {**found, "spans": whole["spans"]} == whole
    assert found["spans"][-1] == ["standings", 0, 0, 1]
    with pytest.raises(StoreError, match=r"Of the matches 1 \.\. 1 of round 1 there are two"):
        merge(found, spread(layout, size)[0])


def test_a_large_tournament_lists_its_standings_and_not_its_matches() -> None:
    layout = make_layout(1, (layouts.Leg("league", 2001, 2),))
    found = of(layout, 0, 1)
    assert (len(found["standings"]), found["matches"]) == (5, [])


def test_memory_stays_flat_while_a_part_is_summed() -> None:
    layout = make_layout(100_000)
    cells = make_cells(layout, 0, 100)
    peaks = []
    for copies in (20, 60):
        many = repeated(layout, cells, copies)
        tracemalloc.start()
        part_sums(layout, Span("repeats", 0, 100 * copies), many)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert sum(rows.nbytes for rows in many.values()) > 2**26
    assert peaks[1] < 2**25
    assert peaks[1] < 1.2 * peaks[0]


def repeated(layout: TournamentLayout, cells: dict[str, Cells], copies: int) -> dict[str, Cells]:
    """The cells of some repeats several times over, with numbers that go on."""
    repeats = len(cells["standings"]) // len(layout.legs) // len(layout.entrants)
    found = {table: np.tile(rows, (copies, 1)) for table, rows in cells.items()}
    for table, rows in cells.items():
        copy = np.repeat(np.arange(copies), len(rows))
        if table in ("standings", "matches"):
            found[table][:, 0] += copy * repeats
        else:
            found[table][:, 0] += copy * repeats * 8 * 8 * 128
    found["played"][:, 1] += np.repeat(np.arange(copies), len(cells["played"])) * repeats
    return found
