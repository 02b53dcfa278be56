"""Many random faults in a row, on real processes, while runs go on: `python -m tests.chaos.run --faults 200 --seed 1`.

Every run must come to the very cells of the same job played undisturbed. Prints a report in Markdown.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

from tests.chaos.faults import QUICK, SLOW, Fault
from tests.chaos.world import World, eventually, world

UNDER_WAY = 2  # runs at a time


def afflict(here: World, faults: Sequence[Fault], count: int, seed: int) -> Counter[str]:
    """Do `count` random faults to a world, each while runs are under way; returns how often each was done."""
    random, done = Random(seed), Counter[str]()
    kinds: list[Fault] = []
    while done.total() < count:
        here.look()
        while len(here.open) < UNDER_WAY:
            here.submit(random.choice(here.references))
        eventually(lambda: _is_moving(here), "a run goes on")
        kinds = kinds or random.sample(list(faults), len(faults))  # each once before any comes again
        fault = kinds.pop()
        started = time.monotonic()
        what = fault(here, random)
        if what is not None:
            done[fault.__name__] += 1
            title = fault.__name__.replace("_", " ")
            sys.stderr.write(f"{done.total():4d} {title}: {what} ({time.monotonic() - started:.1f} s)\n")
    eventually(lambda: _is_over(here), "all runs end")
    for submitter in here.submitters:
        submitter.wait(60)
    return done


def _is_over(here: World) -> bool:
    here.look()
    return not here.open


def _is_moving(here: World) -> bool:
    """Say whether some run has parts done and to do."""
    here.look()
    for each in here.open.values():
        done = len(each.run.committed())
        if 0 < done < each.run.parts:
            return True
    return not here.open


def report(done: Counter[str], here: World, seed: int, took_s: float, is_tmpfs: bool) -> str:
    """Write what was done and what came of it."""
    lines = [
        f"`python -m tests.chaos.run --faults {done.total()} --seed {seed}`: {done.total()} faults in "
        f"{took_s / 60:.0f} minutes, {here.finished} runs finished, {here.cells:,} cells compared: 0 wrong, "
        f"{here.hands} runs needed a hand after the broker had lost its data"
        + ("." if is_tmpfs else "; no file system could be mounted, so that no disk was truly full."),
        "",
        "| fault | times |",
        "|---|---|",
        *(f"| {name.replace('_', ' ')} | {count} |" for name, count in sorted(done.items())),
    ]
    return "\n".join(lines)


def main() -> int:
    """Run the faults of a command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.run", description=__doc__)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deals", type=int, default=16_000, help="of each run")
    parser.add_argument("--part", type=int, default=400, help="deals of each part")
    parser.add_argument("--quick", action="store_true", help="leave out the faults that take long by themselves")
    parser.add_argument("--only", default="", help="faults whose names contain this word")
    options = parser.parse_args()
    faults = [fault for fault in (QUICK if options.quick else QUICK + SLOW) if options.only in fault.__name__]
    with tempfile.TemporaryDirectory(prefix="ffchaos") as folder:
        root = Path(folder) / "runs"
        started = time.monotonic()
        with world(Path(folder), deals=options.deals, part=options.part) as here:
            is_tmpfs = _mounted(root)
            try:
                done = afflict(here, faults, options.faults, options.seed)
            finally:
                if is_tmpfs:
                    subprocess.run(["umount", "-l", str(root)], check=False)
        sys.stdout.write(report(done, here, options.seed, time.monotonic() - started, is_tmpfs) + "\n")
    return 0


def _mounted(root: Path) -> bool:
    """Put the runs' folder on a small file system of its own, where that is allowed."""
    with suppress(OSError):
        mount = ["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", str(root)]
        return subprocess.run(mount, check=False, capture_output=True).returncode == 0
    return False


if __name__ == "__main__":
    sys.exit(main())
