from time import process_time
from typing import Any

import numpy as np

from results.outcomes import Outcomes, count_pairs
from results.ratings import rate

ENTRANTS = 300


def round_robin(entrants: int) -> Outcomes:
    """Ten deals of two games of every pair, one in ten of the games a draw."""
    random = np.random.default_rng(entrants)
    truth = random.normal(0, 1, entrants)
    i, j = np.triu_indices(entrants, 1)
    chance = 0.9 / (1 + np.exp(truth[j] - truth[i]))
    ended = np.searchsorted([0.0, 0.1], random.random((10, 2, len(i))) - chance)
    kinds = [(ended == kind).sum(axis=1) for kind in range(3)]
    products = [(kinds[a] * kinds[b]).sum(axis=0) for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    return count_pairs(
        [f"e{index}" for index in range(entrants)],
        np.stack((i, j), axis=1),
        np.stack([kind.sum(axis=0) for kind in kinds], axis=1),
        np.full(len(i), 10),
        np.stack(products, axis=1),
    )


def test_a_round_robin_with_errors_over_deals(benchmark: Any) -> None:
    outcomes = round_robin(ENTRANTS)
    began = process_time()
    found = benchmark.pedantic(rate, args=(outcomes,), rounds=1)
    benchmark.extra_info["processor_s"] = process_time() - began
    assert found.errors == "deals"
    assert found.games == ENTRANTS * (ENTRANTS - 1) * 10
