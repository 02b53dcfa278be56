"""Keyed chance: the generators against published outputs, unbiased draws, and keys that never meet."""

import math
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from sim.play import Session
from tests.sim import kernels
from tests.sim.vierer_table import table_of

GOLDEN = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


def test_splitmix64_gives_the_published_outputs() -> None:
    # The first five outputs for the seed 1234567, as Rosetta Code's task "Pseudo-random numbers/Splitmix64" lists them.
    state = 1234567
    outputs = []
    for _ in range(5):
        state = (state + GOLDEN) & MASK
        outputs.append(int(kernels.mixed(np.uint64(state))))
    assert outputs == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_a_seeded_generator_holds_the_first_words_of_splitmix64() -> None:
    record = kernels.generator(0, 0, 0, 0)
    kernels.seeded(record, np.uint64(1234567))
    assert [int(record[name][0]) for name in ("s0", "s1", "s2", "s3")] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
    ]


def test_xoshiro256_star_star_gives_the_published_outputs() -> None:
    # State (1, 2, 3, 4): what the reference implementation gives, as in the tests of the Rust crate rand_xoshiro.
    record = kernels.generator(1, 2, 3, 4)
    words = np.zeros(10, np.uint64)
    kernels.words_of(record, words)
    assert [int(word) for word in words] == [
        11520,
        0,
        1509978240,
        1215971899390074240,
        1216172134540287360,
        607988272756665600,
        16172922978634559625,
        8476171486693032832,
        10595114339597558777,
        2904607092377533576,
    ]


def chi_square(counts: list[int], expected: list[float]) -> float:
    return sum((count - mean) ** 2 / mean for count, mean in zip(counts, expected, strict=True))


def bound(free: int) -> float:
    """Mean plus six deviations of chi-square with so many degrees of freedom, and 5 for its tail."""
    return free + 6 * math.sqrt(2 * free) + 5


@pytest.mark.parametrize("limit", [2, 3, 5, 6, 7, 52])
def test_below_is_unbiased(limit: int) -> None:
    draws = np.zeros(20_000, np.int64)
    kernels.draws_below(kernels.generator(1, 2, 3, 4), limit, draws)
    counts = np.bincount(draws, minlength=limit).tolist()
    assert len(counts) == limit
    assert chi_square(counts, [20_000 / limit] * limit) < bound(limit - 1)


def test_below_rejects_what_would_bias_a_large_bound() -> None:
    # With n = 3 * 2**30 a plain multiply-shift of 32 bits would give multiples of 3 twice as often as the others.
    draws = np.zeros(30_000, np.int64)
    kernels.draws_below(kernels.generator(5, 6, 7, 8), 3 << 30, draws)
    assert draws.max() < 3 << 30
    assert chi_square(np.bincount(draws % 3, minlength=3).tolist(), [10_000.0] * 3) < bound(2)


def test_pick_maps_the_whole_range_evenly() -> None:
    assert int(kernels.picked(np.uint64(0), 7)) == 0
    assert int(kernels.picked(np.uint64(MASK), 7)) == 6
    assert int(kernels.picked(np.uint64(1 << 63), 7)) == 3  # floor(7 / 2)
    assert int(kernels.picked(np.uint64((1 << 63) - 1), 2)) == 0
    assert int(kernels.picked(np.uint64(1 << 63), 2)) == 1


def test_keys_differ_by_master_deal_purpose_and_index() -> None:
    keys = {
        int(kernels.key_of(np.uint64(master), deal, purpose, index))
        for master in (0, 1, 2)
        for deal in range(12)
        for purpose in (1, 2, 3, 4, 16, 17, 18, 19)
        for index in (*range(12), 1 << 20, (1 << 20) + 1)
    }
    assert len(keys) == 3 * 12 * 8 * 14


def test_words_of_a_key_are_no_window_on_another_keys() -> None:
    keys = [int(kernels.key_of(np.uint64(1), deal, 2, 0)) for deal in range(40)]
    words = [int(kernels.word_of(np.uint64(key), index)) for key in keys for index in range(100)]
    assert len(set(words)) == 4000


def test_vie_24_orders_of_attempts_follow_the_reflexes() -> None:
    """Successive sampling without replacement: the chance of the order (a, b, c) is a/(a+b+c) * b/(b+c)."""
    weights = {0: 1000, 1: 2000, 2: 5000}
    record = table_of(3).state()
    for seat, weight in weights.items():
        record["reflex"][0, seat] = weight
    keys = np.array([kernels.key_of(np.uint64(3), deal, 0, 0) for deal in range(8_000)], np.uint64)
    orders = np.zeros((len(keys), 3), np.int64)
    kernels.attempts_ordered(record, np.array([0, 1, 2]), orders, keys)
    counts = Counter(map(tuple, orders.tolist()))
    # By hand: (0,1,2) 1/8 * 2/7 = 2/56, (0,2,1) 1/8 * 5/7 = 5/56, (1,0,2) 2/8 * 1/6 = 2/48, (1,2,0) 2/8 * 5/6 = 10/48,
    # (2,0,1) 5/8 * 1/3 = 5/24, (2,1,0) 5/8 * 2/3 = 10/24.
    chances = [2 / 56, 5 / 56, 2 / 48, 10 / 48, 5 / 24, 10 / 24]
    assert sum(chances) == pytest.approx(1)
    assert chi_square(
        [counts[order] for order in permutations(range(3))], [8_000 * chance for chance in chances]
    ) < bound(5)


def test_equal_reflexes_give_every_order_alike() -> None:
    record = table_of(4).state()
    record["reflex"] = 1000
    keys = np.array([kernels.key_of(np.uint64(4), deal, 0, 0) for deal in range(12_000)], np.uint64)
    orders = np.zeros((len(keys), 4), np.int64)
    kernels.attempts_ordered(record, np.array([3, 1, 0, 2]), orders, keys)
    counts = Counter(map(tuple, orders.tolist()))
    assert chi_square([counts[order] for order in permutations(range(4))], [500.0] * 24) < bound(23)


def test_seatings_are_uniform() -> None:
    counts: Counter[tuple[int, ...]] = Counter()
    record, line_up, places = kernels.generator(0, 0, 0, 0), np.arange(4), np.zeros(4, np.int64)
    for deal in range(4800):
        assert kernels.seated(record, np.uint64(9), deal, line_up, 1, places) == 4
        counts[tuple(places.tolist())] += 1
    assert chi_square([counts[order] for order in permutations(range(4))], [200.0] * 24) < bound(23)


def test_shuffles_are_uniform() -> None:
    """Where the top card of a fresh deal comes from, and which card follows it."""
    table = table_of(2, {"deck": ("1 orange", "2 orange", "3 orange", "4 orange", "5 orange"), "hand_size": 2})
    counts: Counter[tuple[int, ...]] = Counter()
    for deal in range(2400):
        session = Session(table, deal, is_logged=True)
        counts[tuple(next(event["stock"] for event in session.events if event["event"] == "shuffle"))] += 1
    assert chi_square([counts[order] for order in permutations(range(5))], [20.0] * 120) < bound(119)
