import os
from pathlib import Path

import psutil
import pytest
from workers.driver import play_queued

from results.store import Run
from sim.contract import load_game
from sim.job import Job, make_job
from tests.workers.conftest import processes
from workers.here import play_here
from workers.runs import create_run

PARTS = 12


@pytest.fixture(scope="module")
def job() -> Job:
    return make_job(load_game("vierer"), deals=PARTS * 200, seed=4)


def worker_of(run: Run) -> psutil.Process:
    """The main process of the worker that was started for a run by this process."""
    (main,) = [process for process in processes(run.location) if process.ppid() == os.getpid()]
    return main


def test_a_run_on_the_queue_through_kills_is_the_run_played_here(tmp_path: Path, job: Job) -> None:
    here, table = create_run(job, {}, out=tmp_path / "here", part=777)
    summary = play_here(here, table)
    queued, _ = create_run(job, {}, out=tmp_path / "queued", part=job.deals // PARTS)
    kills = ["child", "main"]

    def kill(done: set[int]) -> None:
        if kills and len(done) >= 4:
            worker = worker_of(queued)
            (worker.children()[0] if kills.pop(0) == "child" else worker).kill()

    assert play_queued(queued, processes=2, on_progress=kill) is not None
    assert not kills
    assert queued.committed() == set(range(PARTS))
    assert queued.summary()["content_hash"] == summary["content_hash"]
    assert [queued.damage(part) for part in range(PARTS)] == [None] * PARTS
