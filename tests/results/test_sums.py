import json
import tracemalloc
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results import sums
from results.cells import Cells
from results.schema import Layout
from results.sums import Sums, merge, part_sums
from sim.errors import StoreError
from tests.results.made import ENDING, GAME_COLUMNS, make_cells, make_layout

EXTREMES = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([-(2**63), 2**63 - 1, 0, 1, -1, 127, 128, 255])


def rounded_in_python(value: int) -> int:
    """Seven significant bits, halves away from zero."""
    unit = 1 << max(0, abs(value).bit_length() - 7)
    kept = (2 * abs(value) + unit) // (2 * unit) * unit
    return kept if value >= 0 else -kept


def sums_in_python(layout: Layout, games: Cells, seats: Cells, rounds: Cells) -> Sums:
    """All sums but the hash, one Python integer at a time, straight from their definition; none is of rounds."""
    game_rows = [dict(zip((c.name for c in layout.game_columns), row, strict=True)) for row in games.tolist()]
    seat_rows = [dict(zip((c.name for c in layout.seat_columns), row, strict=True)) for row in seats.tolist()]
    for row in game_rows:
        row["capped"] = row["status"]
        for number, label in enumerate(("none", "facedown", "stock")):
            row[f"ending={label}"] = int(row.get("ending") == number)
    for row in seat_rows:
        row["won_alone"] = int(row["win_share"] == 2520)
        row["won_shared"] = int(0 < row["win_share"] < 2520)
    deals = sorted({row["deal"] for row in game_rows})
    games_of = Counter(row["deal"] for row in game_rows)
    x: Counter[tuple[Any, ...]] = Counter()
    tallies: dict[tuple[str, str], Counter[int]] = {pair: Counter() for pair in layout.distributions}
    seen: dict[tuple[str, str], list[int]] = {pair: [] for pair in layout.distributions}
    for index, game in enumerate(game_rows):
        deal = game["deal"]
        weight = layout.rotations // games_of[deal]
        own = seat_rows[index * layout.seats : (index + 1) * layout.seats]
        for column in layout.game_quantities:
            x["game", deal, column.name] += weight * game[column.name]
        for row in own:
            turn = (row["seat"] - game["first_seat"]) % layout.seats
            for column in layout.seat_quantities:
                x["entrants", deal, row["entrant"], column.name] += weight * row[column.name]
                x["turn_order", deal, turn, column.name] += weight * row[column.name]
        for table, name in layout.distributions:
            for row in [game] if table == "games" else own:
                tallies[table, name][rounded_in_python(row[name])] += weight
                seen[table, name].append(row[name])

    def grouped(kind: str, groups: int) -> Sums:
        return {
            column.name: {
                "sum": [sum(x[kind, d, g, column.name] for d in deals) for g in range(groups)],
                "square": [sum(x[kind, d, g, column.name] ** 2 for d in deals) for g in range(groups)],
            }
            for column in layout.seat_quantities
        }

    entrants = range(len(layout.entrants))
    return {
        "ranges": [[deals[0], len(deals)]],
        "deals": len(deals),
        "games": len(games),
        "capped": sum(row["capped"] for row in game_rows),
        "game_columns": {
            c.name: [sum(x["game", d, c.name] for d in deals), sum(x["game", d, c.name] ** 2 for d in deals)]
            for c in layout.game_quantities
        },
        "ratios": {
            r.name: sum(x["game", d, r.numerator] * x["game", d, r.denominator] for d in deals) for r in layout.ratios
        },
        "entrants": grouped("entrants", len(layout.entrants)),
        "turn_order": grouped("turn_order", layout.seats),
        "pairs": {
            name: [
                sum(x["entrants", d, i, name] * x["entrants", d, j, name] for d in deals)
                for i, j in combinations(entrants, 2)
            ]
            for name in ("win_share", "score")
        },
        "distributions": [
            {
                "table": table,
                "column": name,
                "least": min(seen[table, name]),
                "greatest": max(seen[table, name]),
                "counts": sorted([value, n] for value, n in tallies[table, name].items()),
            }
            for table, name in layout.distributions
        ],
    }


def without_hash(found: Sums) -> Sums:
    return {key: value for key, value in found.items() if key != "content_hash"}


LAYOUTS = [
    make_layout(),
    make_layout(("ann", "bob"), (1, 3)),
    make_layout(("ann", "bob"), (2, 2)),
    make_layout(("ann",), (4,)),
    make_layout(("ann", "bob"), (1, 1), rotations=2),
    make_layout(("ann", "bob", "cat"), (2, 3, 1), rotations=12),
    make_layout(("ann", "bob"), (2, 2), rounds=3),
    make_layout(("ann",), (1,), rotations=1, rounds=1),
    make_layout(("ann", "bob"), (1, 3), game_columns=(*GAME_COLUMNS, ENDING)),
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_sums_are_those_of_the_definition(layout: Layout) -> None:
    cells = make_cells(layout, 7, 20)
    assert without_hash(part_sums(layout, *cells)) == sums_in_python(layout, *cells)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_sums_are_exact_whatever_the_cells(data: st.DataObject) -> None:
    layout = data.draw(st.sampled_from(LAYOUTS))
    divisors = [k for k in range(1, layout.rotations + 1) if layout.rotations % k == 0]
    counts = data.draw(st.lists(st.sampled_from(divisors), min_size=1, max_size=4))
    games, seats, rounds = make_cells(layout, data.draw(st.sampled_from([0, 10**9])), len(counts), counts)
    for cells, table, name, limit in (
        (games, "games", "drift", 2**63),
        (games, "games", "knocks", 2**15),
        (games, "games", "heat", 2**51),
        (seats, "seats", "penalties", 2**63),
        (seats, "seats", "score", 2**31),
    ):
        drawn = data.draw(st.lists(EXTREMES, min_size=len(cells), max_size=len(cells)))
        cells[:, layout.index(table, name)] = [max(-limit, min(limit - 1, value)) for value in drawn]
    assert without_hash(part_sums(layout, games, seats, rounds)) == sums_in_python(layout, games, seats, rounds)


def test_every_deal_counts_the_same() -> None:
    # Deal 0 is played in four games of 10, 20, 30 and 40 turns, deal 1 in two of 50 and 70, each with weight
    # 2: x_0 = 10 + 20 + 30 + 40 = 100, x_1 = 2 (50 + 70) = 240, and 100² + 240² = 67600.
    layout = make_layout()
    games, seats, rounds = make_cells(layout, 0, 2, (4, 2))
    games[:, layout.index("games", "turns")] = [10, 20, 30, 40, 50, 70]
    found = part_sums(layout, games, seats, rounds)
    assert found["game_columns"]["turns"] == [340, 67600]
    counted = next(d for d in found["distributions"] if d["column"] == "turns")
    assert counted["counts"] == [[10, 1], [20, 1], [30, 1], [40, 1], [50, 2], [70, 2]]


@pytest.mark.parametrize("words", [1, 500, 2000])
def test_the_sums_do_not_depend_on_the_blocks(words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = make_layout(rounds=2)
    cells = make_cells(layout, 0, 14, (4, 2, 1, 4, 4, 1, 2, 2, 2, 4, 1, 1, 4, 4))
    whole = part_sums(layout, *cells)
    monkeypatch.setattr(sums, "BLOCK_WORDS", words)
    monkeypatch.setattr(sums, "COUNTED_BLOCK_WORDS", words)
    assert part_sums(layout, *cells) == whole


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(8)), st.randoms())
def test_parts_merge_in_any_order_to_the_whole(order: list[int], random: Any) -> None:
    layout = make_layout()
    heap = [part_sums(layout, *make_cells(layout, 3 * part, 3)) for part in order]
    while len(heap) > 1:
        heap.append(merge(heap.pop(random.randrange(len(heap))), heap.pop(random.randrange(len(heap)))))
    assert heap[0] == part_sums(layout, *make_cells(layout, 0, 24))


def test_a_part_that_is_summed_twice_is_refused() -> None:
    layout = make_layout()
    a, b = (part_sums(layout, *make_cells(layout, first, 4)) for first in (0, 3))
    with pytest.raises(StoreError, match="Deal 3 is in two of the parts"):
        merge(a, b)
    apart = merge(a, part_sums(layout, *make_cells(layout, 9, 2)))
    assert apart["ranges"] == [[0, 4], [9, 2]]


def test_sums_survive_json() -> None:
    layout = make_layout()
    games, seats, rounds = make_cells(layout, 0, 5)
    games[0, layout.index("games", "drift")] = -(2**63)
    found = part_sums(layout, games, seats, rounds)
    assert json.loads(json.dumps(found)) == found


def test_a_game_without_turn_order_has_no_figures_for_it() -> None:
    layout = make_layout(game_columns=GAME_COLUMNS[:-1])
    games, seats, rounds = make_cells(layout, 0, 3)
    assert part_sums(layout, np.ascontiguousarray(games[:, :-1]), seats, rounds)["turn_order"] == {}


def test_a_first_seat_that_is_none_is_refused() -> None:
    layout = make_layout()
    games, seats, rounds = make_cells(layout, 0, 3)
    games[1, layout.index("games", "first_seat")] = 4
    with pytest.raises(StoreError, match="first_seat"):
        part_sums(layout, games, seats, rounds)


def test_values_of_more_than_seven_bits_are_rounded_when_counted() -> None:
    # 127 has seven bits. 129 = 10000001b lies halfway between 128 and 130 and goes up; 513 is nearer to 512
    # than to 520; 1023 rounds up into the next power of two.
    layout = make_layout(distributions=(("games", "drift"),))
    games, seats, rounds = make_cells(layout, 0, 2)
    games[:, layout.index("games", "drift")] = [127, 129, 513, 1023, -127, -129, -513, -1023]
    counted = part_sums(layout, games, seats, rounds)["distributions"][0]
    expected = [-1024, -512, -130, -127, 127, 130, 512, 1024]
    assert counted["counts"] == [[value, 1] for value in expected]
    assert (counted["least"], counted["greatest"]) == (-1023, 1023)


def test_memory_stays_flat_while_a_part_is_summed() -> None:
    layout = make_layout()
    games, seats, rounds = make_cells(layout, 0, 500)
    peaks = []
    for copies in (40, 120):
        deals = np.repeat(np.arange(500 * copies), 4)
        many_games, many_seats = np.tile(games, (copies, 1)), np.tile(seats, (copies, 1))
        many_games[:, 0], many_games[:, 1] = deals * 4 + many_games[:, 2], deals
        many_seats[:, 0] = np.repeat(many_games[:, 0], 4)
        tracemalloc.start()
        part_sums(layout, many_games, many_seats, rounds)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # The cells of the greater part take 240,000 × (11 + 4 × 8) × 8 bytes = 83 MB.
    assert peaks[1] < 2**24
    assert peaks[1] < 1.2 * peaks[0]


def test_the_size_of_merged_sums_stays_flat() -> None:
    # 255 values of up to seven bits with either sign, and 64 in each of the 56 greater powers of two with
    # either sign, and 2^63 with either sign, are all that can be counted: 255 + 2 × (56 × 64 + 1) = 7425
    # values.
    layout = make_layout(distributions=(("games", "drift"),))
    random = np.random.default_rng(4)
    total: Sums | None = None
    for part in range(40):
        games, seats, rounds = make_cells(layout, 5 * part, 5)
        games[:, layout.index("games", "drift")] = random.integers(-(2**63), 2**63 - 1, 20) >> random.integers(
            0, 63, 20
        )
        found = part_sums(layout, games, seats, rounds)
        total = found if total is None else merge(total, found)
    assert total is not None
    possible = {rounded_in_python(value) for value in range(-127, 128)} | {
        sign * mantissa << shift for sign in (-1, 1) for mantissa in range(64, 129) for shift in range(1, 57)
    }
    assert len(possible) == 7425
    assert {value for value, _ in total["distributions"][0]["counts"]} <= possible
