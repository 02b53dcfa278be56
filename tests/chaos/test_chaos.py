"""A short version of `python -m tests.chaos.run`: one fault of each kind that is over in a moment."""

import os
from pathlib import Path

from tests.chaos import faults
from tests.chaos.run import afflict
from tests.chaos.world import leftovers, world

SHORT = [
    faults.a_pool_child_is_killed,
    faults.a_worker_is_killed,
    faults.a_steward_is_killed,
    faults.the_broker_forgets_all,
    faults.the_broker_is_killed_and_its_file_cut,
    faults.messages_come_twice,
    faults.messages_are_dropped,
    faults.the_disk_is_full_for_a_while,
    faults.a_run_is_cancelled_and_resumed,
]


def test_nothing_that_is_done_to_a_run_changes_a_cell(tmp_path: Path) -> None:
    before = dict(os.environ)
    with world(tmp_path, deals=4000, part=50, count=3) as here:
        done = afflict(here, SHORT, len(SHORT), seed=7)
    assert done.total() == len(SHORT)
    assert here.finished >= 2
    assert here.cells > 0
    assert dict(os.environ) == before


def test_a_leftover_is_seen(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "00000.parquet").touch()
    assert leftovers(tmp_path) == []
    (tmp_path / "games" / ".00001.parquet.0a.tmp").touch()
    (tmp_path / "playing").mkdir()
    assert len(leftovers(tmp_path)) == 2


def test_every_fault_has_one_place() -> None:
    named = [fault.__name__ for fault in faults.QUICK + faults.SLOW]
    assert len(named) == len(set(named)) >= 22
    assert set(SHORT) <= set(faults.QUICK)
