import numpy as np
import pytest

from results import cells
from results.cells import check_cells, content_hash
from sim.errors import StoreError
from tests.results.made import make_cells, make_layout

LAYOUT = make_layout()
WORD = 2**64


def finalised(word: int) -> int:
    """The finaliser of splitmix64, as Steele, Lea and Flood print it."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


def hash_in_python(games: cells.Cells, seats: cells.Cells) -> int:
    """The content hash as docs/results.md defines it, one cell at a time."""
    step = 0x9E3779B97F4A7C15
    total = 0
    for number, row in enumerate(games.tolist()):
        per_game = len(seats) // len(games)
        line = row + seats[number * per_game : (number + 1) * per_game].ravel().tolist()
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


def test_the_hash_is_the_one_that_the_documentation_defines() -> None:
    games, seats = make_cells(LAYOUT, 3, 5)
    seats[7, -1] = -(2**63)
    assert content_hash(games, seats) == hash_in_python(games, seats)


def test_the_hash_does_not_depend_on_the_parts_or_their_order() -> None:
    games, seats = make_cells(LAYOUT, 0, 30)
    whole = content_hash(games, seats)
    for size in (1, 7, 16, 30):
        pieces = [make_cells(LAYOUT, first, min(size, 30 - first)) for first in range(0, 30, size)]
        assert sum(content_hash(*piece) for piece in reversed(pieces)) % 2**128 == whole


def test_the_hash_does_not_depend_on_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    games, seats = make_cells(LAYOUT, 0, 30)
    whole = content_hash(games, seats)
    monkeypatch.setattr(cells, "HASH_BLOCK_WORDS", 100)
    assert content_hash(games, seats) == whole


def test_a_change_of_any_cell_changes_both_halves_of_the_hash() -> None:
    games, seats = make_cells(LAYOUT, 0, 1)
    whole = divmod(content_hash(games, seats), WORD)
    for table in (games, seats):
        for index in np.ndindex(table.shape):
            for bit in (0, 1, 31, 32, 62):
                table[index] ^= 1 << bit
                changed = divmod(content_hash(games, seats), WORD)
                assert changed[0] != whole[0]
                assert changed[1] != whole[1]
                table[index] ^= 1 << bit


def test_cells_that_change_places_change_the_hash() -> None:
    games, seats = make_cells(LAYOUT, 0, 2)
    whole = content_hash(games, seats)
    score = LAYOUT.index("seats", "score")
    for a, b in ((0, 1), (0, len(seats) - 1)):
        seats[[a, b], score] = [1000, 2000]
        before = content_hash(games, seats)
        seats[[a, b], score] = [2000, 1000]
        assert len({whole, before, content_hash(games, seats)}) == 3


def test_games_whose_cells_change_places_change_the_hash() -> None:
    games, seats = make_cells(LAYOUT, 0, 1)
    games[:2, 4:] = games[[1, 0], 4:]
    seats[:8, 2:] = seats[[4, 5, 6, 7, 0, 1, 2, 3], 2:]
    assert content_hash(games, seats) != content_hash(*make_cells(LAYOUT, 0, 1))


def test_whole_deals_pass() -> None:
    check_cells(LAYOUT, *make_cells(LAYOUT, 5, 40))
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
    ],
)
def test_a_cell_that_cannot_be_is_named(table: str, place: tuple[int, int], value: int, said: str) -> None:
    games, seats = make_cells(LAYOUT, 0, 40)
    (games if table == "games" else seats)[place] = value
    with pytest.raises(StoreError, match=said):
        check_cells(LAYOUT, games, seats)


def test_deals_that_are_not_whole_are_refused() -> None:
    games, seats = make_cells(LAYOUT, 0, 4)
    with pytest.raises(StoreError, match="does not divide 4"):
        check_cells(LAYOUT, games[:-1], seats[:-4])
    with pytest.raises(StoreError, match="a deal between them is missing"):
        check_cells(LAYOUT, np.delete(games, range(4, 8), axis=0), np.delete(seats, range(16, 32), axis=0))
    with pytest.raises(StoreError, match="15 rows of seats came for 4 games"):
        check_cells(LAYOUT, games[:4], seats[:15])
    with pytest.raises(StoreError, match="0 rows of seats"):
        check_cells(LAYOUT, games[:0], seats[:0])
    with pytest.raises(StoreError, match="int64 in C order"):
        check_cells(LAYOUT, games.astype(np.int32), seats)


def test_an_entrant_with_too_many_seats_is_refused() -> None:
    games, seats = make_cells(LAYOUT, 0, 4)
    seats[0, 2] = seats[1, 2]
    with pytest.raises(StoreError, match="does not hold as many seats"):
        check_cells(LAYOUT, games, seats)
