import numpy as np
import pytest

from results import cells
from results.cells import check_cells, content_hash
from results.schema import Layout
from sim.errors import StoreError
from tests.results.made import make_cells, make_layout

LAYOUT = make_layout()
WITH_ROUNDS = make_layout(rounds=3)
WORD = 2**64


def finalised(word: int) -> int:
    """The finaliser of splitmix64, as Steele, Lea and Flood print it."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


def hash_in_python(games: cells.Cells, seats: cells.Cells, rounds: cells.Cells) -> int:
    """The content hash as docs/results.md defines it, one cell at a time."""
    step = 0x9E3779B97F4A7C15
    total = 0
    for number, row in enumerate(games.tolist()):
        line = row
        for table in (seats, rounds):
            per_game = len(table) // len(games)
            line = line + table[number * per_game : (number + 1) * per_game].ravel().tolist()
        width = len(line)
        words = [finalised(i * step % WORD) for i in range(1, 3 * width + 1)]
        high = low = 0
        for place, cell in enumerate(line):
            v = ((cell % WORD) ^ words[place]) * step % WORD
            v ^= v >> 32
            high += v * (words[width + place] | 1)
            low += v * (words[2 * width + place] | 1)
        key = row[0] * step % WORD
        total += finalised((high + key) % WORD) * WORD + finalised((low + (WORD - 1 - key)) % WORD)
    return total % 2**128


@pytest.mark.parametrize("layout", [LAYOUT, WITH_ROUNDS])
def test_the_hash_is_the_one_that_the_documentation_defines(layout: Layout) -> None:
    games, seats, rounds = make_cells(layout, 3, 5)
    seats[7, -1] = -(2**63)
    assert content_hash(games, seats, rounds) == hash_in_python(games, seats, rounds)


def test_the_hash_is_what_it_was_before_there_were_rounds() -> None:
    # Made by the program that knew two tables: a run of then must be told to be whole.
    games, seats, rounds = make_cells(LAYOUT, 3, 5)
    assert f"{content_hash(games, seats, rounds):032x}" == "aa34da1314d4760411ca08ee58b07aa9"


@pytest.mark.parametrize("layout", [LAYOUT, WITH_ROUNDS])
def test_the_hash_does_not_depend_on_the_parts_or_their_order(layout: Layout) -> None:
    games, seats, rounds = make_cells(layout, 0, 30)
    whole = content_hash(games, seats, rounds)
    for size in (1, 7, 16, 30):
        pieces = [make_cells(layout, first, min(size, 30 - first)) for first in range(0, 30, size)]
        assert sum(content_hash(*piece) for piece in reversed(pieces)) % 2**128 == whole


def test_the_hash_does_not_depend_on_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    games, seats, rounds = make_cells(WITH_ROUNDS, 0, 30)
    whole = content_hash(games, seats, rounds)
    monkeypatch.setattr(cells, "HASH_BLOCK_WORDS", 100)
    assert content_hash(games, seats, rounds) == whole


def test_a_change_of_any_cell_changes_both_halves_of_the_hash() -> None:
    games, seats, rounds = make_cells(WITH_ROUNDS, 0, 1)
    whole = divmod(content_hash(games, seats, rounds), WORD)
    for table in (games, seats, rounds):
        for index in np.ndindex(table.shape):
            for bit in (0, 1, 31, 32, 62):
                table[index] ^= 1 << bit
                changed = divmod(content_hash(games, seats, rounds), WORD)
                assert changed[0] != whole[0]
                assert changed[1] != whole[1]
                table[index] ^= 1 << bit


def test_cells_that_change_places_change_the_hash() -> None:
    games, seats, rounds = make_cells(LAYOUT, 0, 2)
    whole = content_hash(games, seats, rounds)
    score = LAYOUT.index("seats", "score")
    for a, b in ((0, 1), (0, len(seats) - 1)):
        seats[[a, b], score] = [1000, 2000]
        before = content_hash(games, seats, rounds)
        seats[[a, b], score] = [2000, 1000]
        assert len({whole, before, content_hash(games, seats, rounds)}) == 3


def test_games_whose_cells_change_places_change_the_hash() -> None:
    games, seats, rounds = make_cells(LAYOUT, 0, 1)
    games[:2, 4:] = games[[1, 0], 4:]
    seats[:8, 2:] = seats[[4, 5, 6, 7, 0, 1, 2, 3], 2:]
    assert content_hash(games, seats, rounds) != content_hash(*make_cells(LAYOUT, 0, 1))


@pytest.mark.parametrize("layout", [LAYOUT, WITH_ROUNDS, make_layout(("ann",), (1,), rotations=1, rounds=2)])
def test_whole_deals_pass(layout: Layout) -> None:
    check_cells(layout, *make_cells(layout, 5, 40))
    check_cells(LAYOUT, *make_cells(LAYOUT, 5, 3, (1, 4, 2)))


@pytest.mark.parametrize(
    ("table", "place", "value", "said"),
    [
        ("games", (3, 0), 99, r"not deal × 4 \+ rotation"),
        ("games", (3, 2), 9, "rotations are 0 .. 3"),
        ("games", (0, 3), 2, "column 'status': 2 is outside 0 .. 1"),
        ("games", (159, 4), 2**31, "column 'turns': 2147483648 is outside"),
        ("games", (2, 6), -(2**15) - 1, "column 'knocks': -32769 is outside"),
        ("games", (2, 9), 2**52, "column 'heat'"),
        ("seats", (0, 0), 1, "order of game and seat"),
        ("seats", (639, 1), 2, "order of game and seat"),
        ("seats", (5, 2), 4, "column 'entrant': 4 is outside 0 .. 3"),
        ("seats", (5, 5), 2521, "column 'win_share'"),
        ("seats", (5, 6), -1, "column 'lost'"),
        ("rounds", (12, 0), 0, "order of game, round and seat"),
        ("rounds", (4, 1), 1, "order of game, round and seat"),
        ("rounds", (1919, 2), 2, "order of game, round and seat"),
        ("rounds", (5, 3), 2**31, "column 'gain': 2147483648 is outside"),
        ("rounds", (5, 5), 3, "column 'way': 3 is outside 0 .. 2"),
    ],
)
def test_a_cell_that_cannot_be_is_named(table: str, place: tuple[int, int], value: int, said: str) -> None:
    games, seats, rounds = make_cells(WITH_ROUNDS, 0, 40)
    {"games": games, "seats": seats, "rounds": rounds}[table][place] = value
    with pytest.raises(StoreError, match=said):
        check_cells(WITH_ROUNDS, games, seats, rounds)


def test_deals_that_are_not_whole_are_refused() -> None:
    games, seats, rounds = make_cells(LAYOUT, 0, 4)
    with pytest.raises(StoreError, match="does not divide 4"):
        check_cells(LAYOUT, games[:-1], seats[:-4], rounds)
    with pytest.raises(StoreError, match="a deal between them is missing"):
        check_cells(LAYOUT, np.delete(games, range(4, 8), axis=0), np.delete(seats, range(16, 32), axis=0), rounds)
    with pytest.raises(StoreError, match="15 rows of seats came for 4 games"):
        check_cells(LAYOUT, games[:4], seats[:15], rounds)
    with pytest.raises(StoreError, match="0 rows of seats"):
        check_cells(LAYOUT, games[:0], seats[:0], rounds)
    with pytest.raises(StoreError, match="int64 in C order"):
        check_cells(LAYOUT, games.astype(np.int32), seats, rounds)


def test_rounds_that_are_missing_or_too_many_are_refused() -> None:
    games, seats, rounds = make_cells(WITH_ROUNDS, 0, 4)
    with pytest.raises(StoreError, match=r"191 rows of rounds came for 16 games of 12 each\."):
        check_cells(WITH_ROUNDS, games, seats, rounds[:-1])
    with pytest.raises(StoreError, match=r"Table rounds came as int64 of shape \(0, 0\); due are 6 columns"):
        check_cells(WITH_ROUNDS, games, seats, np.empty((0, 0), np.int64))
    with pytest.raises(StoreError, match=r"Table rounds came as int64 of shape \(192, 6\); due are 0 columns"):
        check_cells(LAYOUT, games, seats, rounds)


def test_an_entrant_with_too_many_seats_is_refused() -> None:
    games, seats, rounds = make_cells(LAYOUT, 0, 4)
    seats[0, 2] = seats[1, 2]
    with pytest.raises(StoreError, match="does not hold as many seats"):
        check_cells(LAYOUT, games, seats, rounds)
