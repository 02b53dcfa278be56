"""Forgetting as a pure function: a bot with a memory half-life loses a fact at an age that is a hash of it.

A fact seen `age` turns ago is still remembered with chance 2 ** (-age / half_life). Whether it is depends on nothing
but the memory key of the seat, the fact and the time it was seen, so a fact once forgotten stays forgotten until it is
seen again, no private state is kept, and a bot that does not forget pays nothing.
"""

from decimal import Decimal, localcontext

import numpy as np

from sim.chance import mix
from sim.compiled import kernel
from sim.contract import Parameter

STEPS = 32  # of the table below in one half-life
_HALVINGS = 32  # after so many half-lives nothing is left


def _survival() -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    """Tabulate 2**64 * 2**(-step/STEPS), rounded down, by exact decimal arithmetic."""
    with localcontext() as context:
        context.prec = 60
        ratio = (Decimal(2).ln() / -STEPS).exp()
        values = [int(Decimal(2**64) * ratio**step) for step in range(STEPS * _HALVINGS)]
    return np.array([min(value, 2**64 - 1) for value in values], dtype=np.uint64)


SURVIVAL = _survival()

MEMORY = Parameter(
    "memory", float("inf"), 0.1, float("inf"), "half-life of what it remembers; inf never forgets", "turns"
)


@kernel
def is_remembered(memory_key, fact, seen, now, half_life):
    """Say whether a fact seen in turn `seen` is still remembered in turn `now`; times and half-life in turns."""
    age = np.int64(now) - np.int64(seen)
    if age <= 0:
        return True
    step = age * STEPS / half_life
    if step >= len(SURVIVAL):
        return False
    key = (np.uint64(fact) << np.uint64(32)) + np.uint64(seen)
    return mix(memory_key ^ (key + np.uint64(1)) * np.uint64(0xD1342543DE82EF95)) < SURVIVAL[np.int64(step)]
