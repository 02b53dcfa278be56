"""How long a kill delays a run: `python -m tests.chaos.delays`. Best on an idle machine.

The same run of many short parts is played undisturbed and with one kill in the middle, several times in turn; what a
kind of kill costs is the difference of the medians, and at most the longest run less the median undisturbed one.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median

from tests.chaos import faults
from tests.chaos.world import World, eventually, world

ROUNDS = 3
KINDS: dict[str, Callable[[World, Random], str | None] | None] = {
    "undisturbed": None,
    "a pool child is killed": faults.a_pool_child_is_killed,
    "a worker is killed": faults.a_worker_is_killed,
    "a steward is killed": faults.a_steward_is_killed,
    "the broker is killed": faults.the_broker_is_killed,
    "the broker forgets all": faults.the_broker_forgets_all,
}


def seconds(here: World, kind: Callable[[World, Random], str | None] | None) -> float:
    """Play one run, with one fault when a third of it is done."""
    started = time.monotonic()
    each = here.submit(here.references[0])
    assert each is not None
    if kind is not None:
        eventually(lambda: 3 * len(each.run.committed()) >= each.run.parts, "a third is done")
        kind(here, Random(1))
    eventually(lambda: each.run.is_complete, "the run ends")
    took_s = time.monotonic() - started
    here.look()
    return took_s


def main() -> int:
    """Measure, and print a table in Markdown."""
    took: dict[str, list[float]] = {name: [] for name in KINDS}
    with (
        tempfile.TemporaryDirectory(prefix="ffdelay") as folder,
        world(Path(folder), deals=20_000, part=500, count=1) as here,
    ):
        for _ in range(ROUNDS):
            for name, kind in KINDS.items():
                took[name].append(seconds(here, kind))
                sys.stderr.write(f"{name}: {took[name][-1]:.1f} s\n")
    base = median(took["undisturbed"])
    sys.stdout.write("| what | median, s | delay, s | at most, s |\n|---|---|---|---|\n")
    for name, each in took.items():
        sys.stdout.write(f"| {name} | {median(each):.1f} | {median(each) - base:.1f} | {max(each) - base:.1f} |\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
