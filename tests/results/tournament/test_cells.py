import re
from typing import Any

import numpy as np
import pytest

from results.cells import Cells
from results.plan import Span
from results.tournament.cells import blocks, check_cells, content_hash
from sim.errors import StoreError
from tests.results.test_cells import finalised
from tests.results.tournament.made import LEGS, make_cells, make_layout, slice_of

LAYOUT = make_layout(6)
ALL = Span("repeats", 0, 6)
WORD = 2**64


def row_hash(number: int, row: list[int]) -> int:
    """The hash of one row as docs/results.md defines it: that of a game with the row's cells and the table's number."""
    step, width = 0x9E3779B97F4A7C15, len(row)
    words = [finalised(i * step % WORD) for i in range(1, 3 * width + 1)]
    high = low = 0
    for place, cell in enumerate(row):
        v = ((cell % WORD) ^ words[place]) * step % WORD
        v ^= v >> 32
        high += v * (words[width + place] | 1)
        low += v * (words[2 * width + place] | 1)
    key = number * step % WORD
    return finalised((high + key) % WORD) * WORD + finalised((low + (WORD - 1 - key)) % WORD)


def test_the_hash_is_the_one_that_the_documentation_defines() -> None:
    cells = make_cells(LAYOUT, 2, 2)
    tables = ("standings", "matches", "played", "games", "seats", "rounds")
    due = sum(row_hash(number, row) for number, table in enumerate(tables) for row in cells[table].tolist())
    assert content_hash(LAYOUT, cells) == due % 2**128


def test_the_hash_does_not_depend_on_the_parts() -> None:
    whole = content_hash(LAYOUT, make_cells(LAYOUT, 0, 6))
    for size in (1, 4):
        pieces = [make_cells(LAYOUT, first, min(size, 6 - first)) for first in range(0, 6, size)]
        assert sum(content_hash(LAYOUT, piece) for piece in pieces) % 2**128 == whole


def test_the_same_row_in_another_table_has_another_hash() -> None:
    # The tables standings and matches have as many columns here.
    cells = {table: rows[:0] for table, rows in make_cells(LAYOUT, 0, 1).items()}
    row = make_cells(LAYOUT, 0, 1)["standings"][:1]
    assert row.shape[1] == cells["matches"].shape[1]
    one, other = content_hash(LAYOUT, {**cells, "standings": row}), content_hash(LAYOUT, {**cells, "matches": row})
    assert one != other


def test_whole_tournaments_pass_and_their_matches_are_found() -> None:
    cells = make_cells(LAYOUT, 0, 6)
    found = check_cells(LAYOUT, ALL, cells)
    starts = [i for i, row in enumerate(cells["matches"]) if i == 0 or (row[:4] != cells["matches"][i - 1][:4]).any()]
    assert found.starts.tolist() == starts
    assert found.sizes.tolist() == np.diff([*starts, len(cells["matches"])]).tolist()
    assert set(found.sizes.tolist()) == {1, 2, 3}


@pytest.mark.parametrize("legs", [LEGS[1:2], (LEGS[1], LEGS[0])])
@pytest.mark.parametrize("is_alone", [False, True])
def test_legs_without_rounds_and_games_for_one_pass(legs: Any, is_alone: bool) -> None:
    layout = make_layout(5, legs, is_alone=is_alone)
    check_cells(layout, Span("repeats", 2, 3), make_cells(layout, 2, 3))


@pytest.mark.parametrize(("words", "count"), [(1, 20), (6_000, 7), (10**9, 1)])
def test_blocks_are_whole_tournaments_and_together_everything(words: int, count: int) -> None:
    cells = make_cells(LAYOUT, 3, 20)
    found = list(blocks(Span("repeats", 3, 20), cells, words))
    assert len(found) == count
    assert [span.first for span, _ in found] == np.cumsum([3, *(span.count for span, _ in found[:-1])]).tolist()
    for table, rows in cells.items():
        assert np.array_equal(np.concatenate([block[table] for _, block in found]), rows)
    for span, block in found:
        check_cells(LAYOUT, span, block)


def shifted(cells: dict[str, Cells], table: str, row: int, column: int, by: int) -> dict[str, Cells]:
    """The cells with one changed."""
    changed = {name: rows.copy() for name, rows in cells.items()}
    changed[table][row, column] += by
    return changed


CELLS = make_cells(LAYOUT, 0, 6)
LOTS = np.flatnonzero(CELLS["matches"][:, 11] == 2)
BYES = np.flatnonzero(CELLS["matches"][:, 11] == 1)


@pytest.mark.parametrize(
    ("table", "row", "column", "by", "said"),
    [
        ("standings", 7, 0, 1, "not in the order of repeat, leg and entrant"),
        ("standings", 7, 1, 1, "not in the order of repeat, leg and entrant"),
        ("standings", 7, 2, -1, "not in the order of repeat, leg and entrant"),
        ("standings", 7, 3, 9, "the ranks of a tournament are not 1, 1, 3"),
        ("standings", 7, 4, 1, "Table standings, column 'matches': it is not the sum"),
        ("standings", 7, 5, 1, "Table standings, column 'games': it is not the sum"),
        ("standings", 7, 8, 1, "Table standings, column 'points': it is not the sum"),
        ("standings", 7, 9, 1, "Table standings, column 'marks': it is not the sum"),
        ("standings", 7, 10, 1, "Table standings, column 'wins': it is not the sum"),
        ("standings", 7, 7, 2**52, "column 'league_points'"),
        ("matches", -1, 0, 1, "a match that is not of the repeats 0 .. 5"),
        ("matches", 3, 1, 1, "not in the order of repeat, leg, round, match and seat"),
        ("matches", 3, 2, -1, "not in the order of repeat, leg, round, match and seat"),
        ("matches", 1, 4, -1, "not in the order of repeat, leg, round, match and seat"),
        ("matches", 0, 6, 1, "the places of a match are not 1, 1, 3"),
        ("matches", 0, 7, 1, "Table standings, column 'points': it is not the sum"),
        ("matches", 0, 9, 1, "Table matches, column 'wins': it is not the sum"),
        ("matches", 0, 10, 1, "column 'games': the rows of a match differ"),
        ("matches", 0, 11, 2, "column 'decided': the rows of a match differ"),
        ("matches", int(BYES[0]), 11, -1, "a bye has one entrant and no games"),
        ("matches", int(BYES[0]), 10, 1, "a bye has one entrant and no games"),
        ("played", 1, 0, 2**40, "do not have the same games"),
        ("played", 0, 3, 3, "not in the order of game, repeat, leg, round and match|other matches"),
        ("played", -1, 4, 1, "games of other matches"),
        ("games", 0, 2, -1, "numbered from 0"),
        ("games", 0, 3, 2, "column 'status': .* is outside 0 .. 1"),
        ("seats", 0, 0, 1, "not those of the games' seats"),
        ("seats", 1, 1, 1, "not those of the games' seats"),
        ("seats", 3, 5, 1, "column 'wins': it is not the sum of the win shares"),
        ("rounds", 0, 0, 1, "not those of the games' rounds"),
        ("rounds", 5, 1, 1, "not those of the games' rounds"),
        ("rounds", 5, 2, 1, "not those of the games' rounds"),
    ],
)
def test_a_cell_that_contradicts_the_others_is_found(table: str, row: int, column: int, by: int, said: str) -> None:
    with pytest.raises(StoreError, match=said) as raised:
        check_cells(LAYOUT, ALL, shifted(CELLS, table, row, column, by))
    assert re.sub(r" \.\. |\.\.\.", "", str(raised.value)).count(".") == 1


def test_entrants_who_changed_places_in_a_game_are_found() -> None:
    # Whoever maps entrants to seats wrongly exchanges two, or puts one in who is not in the match.
    cells = {table: rows.copy() for table, rows in CELLS.items()}
    game = next(i for i in range(0, len(cells["seats"]), 2) if cells["seats"][i, 5] != cells["seats"][i + 1, 5])
    cells["seats"][[game, game + 1], 2] = cells["seats"][[game + 1, game], 2]
    with pytest.raises(StoreError, match="column 'wins': it is not the sum of the win shares"):
        check_cells(LAYOUT, ALL, cells)
    others = set(range(5)) - set(CELLS["seats"][:2, 2].tolist())
    cells = shifted(CELLS, "seats", 0, 2, min(others) - int(CELLS["seats"][0, 2]))
    with pytest.raises(StoreError, match="others sit in a game than its match has"):
        check_cells(LAYOUT, ALL, cells)


def test_who_plays_alone_plays_as_often_as_the_others() -> None:
    layout = make_layout(2, is_alone=True)
    cells = make_cells(layout, 0, 2)
    two = np.flatnonzero(cells["seats"][:, 2] != cells["seats"][0, 2])[0]
    cells["seats"][0, 2] = cells["seats"][two, 2]
    with pytest.raises(StoreError, match="others sit in a game than its match has"):
        check_cells(layout, Span("repeats", 0, 2), cells)


def test_an_entrant_who_is_in_a_match_twice_is_found() -> None:
    cells = shifted(CELLS, "matches", 1, 5, int(CELLS["matches"][0, 5] - CELLS["matches"][1, 5]))
    with pytest.raises(StoreError, match="in a match twice"):
        check_cells(LAYOUT, ALL, cells)


def test_a_lot_among_others_than_two_is_refused() -> None:
    cells = {table: rows.copy() for table, rows in CELLS.items()}
    three = cells["matches"][:, :4].tolist()
    at = [i for i, key in enumerate(three) if three.count(key) == 3]
    cells["matches"][at, 11] = 2
    with pytest.raises(StoreError, match="between others than two was decided by lot"):
        check_cells(LAYOUT, ALL, cells)


def test_what_is_missing_or_too_much_is_found() -> None:
    for table, said in (
        ("standings", "89 rows of standings came for the repeats 0 .. 5; due are 6 × 3 legs × 5 entrants"),
        ("matches", "."),
        ("played", "do not have the same games"),
        ("games", "do not have the same games"),
        ("seats", "not those of the games' seats"),
        ("rounds", "not those of the games' rounds"),
    ):
        with pytest.raises(StoreError, match=said):
            check_cells(LAYOUT, ALL, {**CELLS, table: CELLS[table][:-1]})
    last = CELLS["played"][-1, 0]
    fewer = {table: rows[rows[:, 0] != last] if table in ("played", "games", "seats", "rounds") else rows
             for table, rows in CELLS.items()}  # fmt: skip
    with pytest.raises(StoreError, match=r"has games of other matches|not as many games of each match"):
        check_cells(LAYOUT, ALL, fewer)
    with pytest.raises(StoreError, match="due are 12 columns of int64"):
        check_cells(LAYOUT, ALL, {**CELLS, "matches": CELLS["matches"][:, :-1].copy()})


def test_parts_of_one_tournament_hold_matches_of_one_round_or_the_standings() -> None:
    layout = make_layout(1)
    cells = make_cells(layout, 0, 1)
    part = slice_of(cells, 1, 1, 2)
    assert len(check_cells(layout, Span("matches", 1, 2, 1), part).starts) == 2 + 2 + 2  # of each leg
    for span in (Span("matches", 2, 2, 1), Span("matches", 1, 1, 1), Span("matches", 1, 2, 2)):
        with pytest.raises(StoreError, match=f"not of the matches .* of round {span.round}"):
            check_cells(layout, span, part)
    with pytest.raises(StoreError, match="15 rows of standings came for the matches"):
        check_cells(layout, Span("matches", 1, 2, 1), {**part, "standings": cells["standings"]})
    alone = {table: rows if table == "standings" else rows[:0] for table, rows in cells.items()}
    assert len(check_cells(layout, Span("standings", 0, 1), alone).starts) == 0
    with pytest.raises(StoreError, match="Matches came with the standings"):
        check_cells(layout, Span("standings", 0, 1), cells)
