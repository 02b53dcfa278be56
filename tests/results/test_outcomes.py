import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from results.outcomes import Outcomes, count_games, count_pairs, document, merge, read_document
from sim.errors import SpecError

NAMES = ("ann", "bob", "cat", "dan")

# Two deals at a table of three, two at one of two.
DEALS = [0, 0, 0, 1, 1, 0, 0, 2]
ENTRANTS = [[2, 0, 1], [0, 1, 2], [1, 2, 0], [0, 1, 2], [2, 1, 0], [3, -1, 1], [1, 3, -1], [3, 1, -1]]
PLACES = [[3, 1, 1], [1, 1, 3], [2, 1, 3], [1, 1, 3], [9, 5, 5], [1, 0, 2], [2, 1, 0], [1, 1, 7]]


def content(outcomes: Outcomes) -> dict[str, Any]:
    return document(outcomes)


def test_games_are_counted_by_table_and_ranking_with_products_over_deals() -> None:
    # At the table ann, bob, cat: deal 0 had "1, 1, 2" twice and "3, 2, 1" once, deal 1 had "1, 1, 2" twice. So
    # the squares are 4 + 4 and 1, and the two have 2 × 1 in common. At bob, dan: deal 0 had "2, 1" twice, deal 2
    # a tie.
    assert content(count_games(NAMES, DEALS, ENTRANTS, PLACES)) == {
        "names": ["ann", "bob", "cat", "dan"],
        "tables": [[0, 1, 2], [1, 3, -1]],
        "deals": [2, 2],
        "table": [0, 0, 1, 1],
        "places": [[1, 1, 2], [3, 2, 1], [1, 1, 0], [2, 1, 0]],
        "counts": [4, 1, 1, 2],
        "products": [[0, 0, 8], [0, 1, 2], [1, 1, 1], [2, 2, 1], [3, 3, 4]],
    }


def test_a_game_of_one_counts_for_nothing() -> None:
    alone = count_games(NAMES, [0, 1], [[0, -1], [1, 2]], [[1, 0], [1, 2]])
    assert (alone.games, alone.tables.tolist()) == (1, [[1, 2]])


def games(deals: range) -> tuple[list[int], list[list[int]], list[list[int]]]:
    """Random games at tables of two to four, several of each deal."""
    rows: tuple[list[int], list[list[int]], list[list[int]]] = ([], [], [])
    for deal in deals:
        random = np.random.default_rng(deal)
        seated = random.permutation([0, 1, 2, 3 if deal % 3 else -1])
        if deal % 5 == 0:
            seated[seated == 2] = -1
        for _ in range(1 + deal % 4):
            seated = np.roll(seated, 1)
            rows[0].append(deal)
            rows[1].append(seated.tolist())
            rows[2].append(random.integers(1, 4, 4).tolist())
    return rows


@pytest.mark.parametrize("cuts", [[0, 40], [0, 1, 2, 17, 40], [0, 13, 40]])
def test_parts_add_up_to_the_whole_in_any_order(cuts: list[int]) -> None:
    whole = count_games(NAMES, *games(range(40)))
    parts = [count_games(NAMES, *games(range(a, b))) for a, b in pairwise(cuts)]
    forwards, backwards = parts[0], parts[-1]
    for part in parts[1:]:
        forwards = merge(forwards, part)
    for part in parts[-2::-1]:
        backwards = merge(backwards, part)
    assert content(forwards) == content(backwards) == content(whole)


def test_tables_of_two_and_of_more_add_up() -> None:
    two = count_games(NAMES, [0], [[0, 1]], [[1, 2]])
    three = count_games(NAMES, [1], [[0, 1, 2]], [[1, 2, 3]])
    assert content(merge(two, three)) == content(merge(three, two))
    assert merge(two, three).tables.tolist() == [[0, 1, -1], [0, 1, 2]]


def test_the_order_of_seats_does_not_matter() -> None:
    numbers, seated, places = games(range(40))
    turned = count_games(NAMES, numbers, np.roll(seated, 1, axis=1), np.roll(places, 1, axis=1))
    assert content(turned) == content(count_games(NAMES, numbers, seated, places))


def test_a_document_is_json_and_reads_back() -> None:
    whole = count_games(NAMES, *games(range(40)))
    assert content(read_document(json.loads(json.dumps(document(whole))))) == content(whole)
    empty = count_games(NAMES, [], np.zeros((0, 2), dtype=int), np.zeros((0, 2), dtype=int))
    assert content(read_document(json.loads(json.dumps(document(empty))))) == content(empty)


def test_sums_of_pairs_say_the_same_as_the_games() -> None:
    # Deal 0: ann beats bob twice; deal 1: a draw and a win of bob; deal 2: cat beats bob, and then they draw.
    played = count_games(
        NAMES,
        [0, 0, 1, 1, 2, 2],
        [[0, 1], [1, 0], [0, 1], [1, 0], [1, 2], [1, 2]],
        [[1, 2], [2, 1], [1, 1], [1, 2], [2, 1], [1, 1]],
    )
    # Of ann and bob: ww = 2², dd = ll = dl = 1; of cat and bob: ww = wd = dd = 1.
    pairs = count_pairs(
        NAMES, [[0, 1], [2, 1]], [[2, 1, 1], [1, 1, 0]], [2, 1], [[4, 0, 0, 1, 1, 1], [1, 1, 0, 1, 0, 0]]
    )
    assert content(pairs) == content(played)


def test_without_deals_every_game_is_one() -> None:
    pairs = count_pairs(NAMES, [[1, 0], [0, 1]], [[1, 1, 0], [2, 0, 0]])
    played = count_games(NAMES, range(4), [[1, 0]] * 4, [[1, 2], [1, 1], [2, 1], [2, 1]])
    assert content(pairs) == content(played)


ONE = [[0, 1]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: count_pairs(["ann"], ONE, [[1, 0, 0]]), "two entrants or more"),
        (lambda: count_pairs("ann", ONE, [[1, 0, 0]]), "list of texts"),
        (lambda: count_pairs(["ann", "ann"], ONE, [[1, 0, 0]]), "named 'ann'"),
        (lambda: count_pairs(NAMES, [[0, 4]], [[1, 0, 0]]), "0 .. 3, and -1 is nobody; given: 4"),
        (lambda: count_pairs(NAMES, [[0, -1]], [[1, 0, 0]]), "one of them is -1"),
        (lambda: count_pairs(NAMES, [[1, 1]], [[1, 0, 0]]), "Entrant 1 sits twice"),
        (lambda: count_pairs(NAMES, ONE, [[1, -1, 0]]), "0 or more"),
        (lambda: count_pairs(NAMES, ONE, [[1.5, 0, 0]]), "'counts' are whole numbers"),
        (lambda: count_pairs(NAMES, ONE, [[1, 0], [1]]), "'counts' are whole numbers"),
        (lambda: count_pairs(NAMES, ONE, [[1, 0]]), r"due are \(pairs, 2\) and \(pairs, 3\)"),
        (lambda: count_pairs(NAMES, ONE, [[1, 0, 0]], [1, 1]), "For 1 pairs"),
        (lambda: count_pairs(NAMES, ONE, [[1, 0, 0]], [2]), "more deals than games"),
        (lambda: count_pairs(NAMES, ONE, [[1, 0, 0]], [0]), "games and no deals"),
        (lambda: count_pairs(NAMES, ONE, [[1, 0, 0]], [-1]), "Numbers of deals"),
        (lambda: count_pairs(NAMES, ONE, [[6, 0, 0]], [3], [[11, 0, 0, 0, 0, 0]]), "smaller than"),
        (lambda: count_pairs(NAMES, ONE, [[3, 0, 0]], [3], [[2, 0, 0, 0, 0, 0]]), "smaller than"),
        (lambda: count_pairs(NAMES, ONE, [[2, 0, 2]], [1], [[4, 0, 1, 0, 0, 4]]), "smaller than"),
        (lambda: count_pairs(NAMES, ONE, [[6, 0, 0]], [3], [[12, 1, 0, 0, 0, 0]]), "no game had"),
        (lambda: count_games(NAMES, [0], [[0, 1]], [[1, 2, 3]]), r"twice \(games, seats\)"),
        (lambda: count_games(NAMES, [0], [list(range(11))], [[1] * 11]), "at most 10 seats"),
        (lambda: count_games(NAMES, [0], [[0, 0, -1]], [[1, 2, 3]]), "Entrant 0 sits twice"),
        (lambda: merge(count_pairs(NAMES, ONE, [[1, 0, 0]]), count_pairs(["a", "b"], ONE, [[1, 0, 0]])), "different"),
        (
            lambda: merge(count_pairs(NAMES, ONE, [[1, 0, 0]]), count_pairs(NAMES, ONE, [[1, 0, 0]], [1])),
            "without them",
        ),
        (lambda: read_document({"names": ["a", "b"]}), "entry 'tables'"),
        (lambda: read_document(changed(table=[1])), "do not fit"),
        (lambda: read_document(changed(deals=[1, 1])), "do not fit"),
        (lambda: read_document(changed(places=[[1, 2, 3]])), "do not fit"),
        (lambda: read_document(changed(products=[[0, 1, 1]])), "do not fit"),
        (lambda: read_document(changed(counts=[-1])), "0 or more"),
        (lambda: read_document(changed(counts=["x"])), "'counts' are whole numbers"),
    ],
)
def test_bad_input_is_told_in_a_sentence(call: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words) as raised:
        call()
    assert str(raised.value).count(".") - str(raised.value).count(" .. ") * 2 == 1


def changed(**entries: Any) -> dict[str, Any]:
    """The document of one game, with entries changed."""
    return {**document(count_pairs(NAMES, ONE, [[1, 0, 0]])), **entries}
