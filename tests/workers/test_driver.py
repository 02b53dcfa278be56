import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest

from sim.errors import BotFailed, BrokerError
from tests.workers.conftest import processes, soon
from tests.workers.standin import WORKER, FolderRun, result
from workers import driver
from workers.app import Fourfold, celery_app
from workers.broker import broker, client, server_folder
from workers.driver import drive
from workers.pool import RESTARTS, Pool, pool
from workers.tasks import ATTEMPTS, PART, queue_part

ROUNDS = 100_000  # of hashing: a part takes some 50 ms


@dataclass
class Queue:
    """A broker and a pool of two, as a job has them."""

    app: Fourfold
    pool: Pool
    folder: Path
    url: str

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def main(self) -> psutil.Process:
        """The worker's main process."""
        return min(processes(str(self.folder / "warm")), key=lambda process: process.create_time())


@contextmanager
def queue(folder: Path) -> Iterator[Queue]:
    warm = FolderRun.create(folder / "warm", 1)
    with broker(home=folder) as url:
        with pool(url, 2, log=folder / "log", warm=warm.location, worker=WORKER) as started:
            yield Queue(celery_app(url), started, folder, url)
        assert not processes(warm.location)
    assert not processes(str(server_folder(folder)))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queue]:
    with queue(tmp_path_factory.mktemp("shared")) as started:
        yield started


def expected(run: FolderRun) -> dict[str, str]:
    return {str(part): result(part, run.rounds) for part in range(run.parts)}


def test_a_run_is_played_and_summed_up(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 12)
    seen: list[int] = []
    summary = drive(run, shared.app, window=3, on_progress=lambda done: seen.append(len(done)))
    assert summary == expected(run)
    assert seen == sorted(set(seen))
    assert seen[-1] == 12
    assert sorted(set(run.began())) == sorted(child.pid for child in shared.main().children())


def test_a_run_that_is_begun_is_only_finished(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 4)
    for part in (0, 2):
        (run.folder / "done" / str(part)).write_text(result(part, 0))
    assert drive(run, shared.app, window=8) == expected(run)
    assert len(run.began()) == 2


def test_a_job_starts_a_broker_and_a_pool_of_its_own(tmp_path: Path) -> None:
    run = FolderRun.create(tmp_path / "run", 6)
    assert driver.play_queued(run, processes=1, worker=WORKER) == expected(run)
    assert len(set(run.began())) == 1
    assert (run.folder / "worker.log").exists()
    assert not processes(run.location)


def test_a_job_takes_the_workers_that_are_there(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 6)
    assert driver.play_queued(run, processes=0, url=shared.url) == expected(run)


def test_a_job_for_workers_that_are_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BrokerError, match="No worker answers on the broker redis"):
        driver.play_queued(FolderRun.create(tmp_path / "run", 1), processes=0)


def test_no_more_than_the_window_is_queued(tmp_path: Path) -> None:
    run = FolderRun.create(tmp_path / "run", 50)
    with broker(home=tmp_path) as url, client(url) as asked:
        turns = iter([False, False, True])
        assert drive(run, celery_app(url), window=6, should_stop=lambda: next(turns)) is None
        assert asked.llen("fourfold:celery") == 6


def test_a_failed_bot_stops_the_run_with_what_was_recorded(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 6, p3="bot")
    with pytest.raises(BotFailed, match=r"^Bot 'cheat' failed in part 3\.$"):
        drive(run, shared.app, window=8)


def test_an_error_of_the_store_stops_the_run_with_its_message(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 2, p1="store")
    with pytest.raises(BotFailed, match=r"^The disk is full\.$"):
        drive(run, shared.app, window=8)


def test_a_part_that_kills_every_process_is_given_up(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 1, p0="die")
    for _ in range(ATTEMPTS - 1):
        shared.app.attempts.begin(run.location, 0)
    queue_part(shared.app, run.location, 0)
    assert soon(run.failures)
    message = f"Part 0 ended its process {ATTEMPTS} times and is not tried again."
    assert run.failures() == {0: {"message": message}}
    assert len(run.began()) == 1


def test_messages_of_any_content_do_no_harm(tmp_path: Path, shared: Queue) -> None:
    send = shared.app.send_task
    send(PART, args=[["x"], {"y": 1}])
    send(PART, args=[], kwargs={"location": "/"})
    send(PART, args=[str(tmp_path / "nowhere"), 1])
    send("fourfold.other", args=[1])
    with client(shared.url) as asked:
        asked.lpush("fourfold:celery", '{"body": "x", "headers": {}, "properties": {}}')
    run = FolderRun.create(tmp_path / "run", 8)
    assert drive(run, shared.app, window=8) == expected(run)
    assert "refused a message: arguments that the task does not take: " in shared.log()
    assert f"No run in {tmp_path / 'nowhere'}" in shared.log()


def test_a_run_comes_to_its_end_through_kills_of_child_worker_and_broker(tmp_path: Path) -> None:
    run = FolderRun.create(tmp_path / "run", 40, ROUNDS)
    folder = server_folder(tmp_path)
    kills = ["child", "main", "broker"]
    orphans: list[psutil.Process] = []

    with queue(tmp_path) as started:

        def kill(done: set[int]) -> None:
            if kills and len(done) >= 40 - 10 * len(kills):
                match kills.pop(0):
                    case "child":
                        started.main().children()[0].kill()
                    case "main":
                        main = started.main()
                        orphans.extend(main.children())
                        main.kill()
                        assert soon(lambda: not any(orphan.is_running() for orphan in orphans))
                    case "broker":
                        os.kill(int((folder / "server.pid").read_text()), signal.SIGKILL)

        summary = drive(run, started.app, window=8, on_progress=kill, tend=started.pool.tend)
    assert not kills
    assert len(orphans) == 2
    assert summary == expected(run)


def test_a_worker_that_cannot_start_is_an_error_with_its_last_word(tmp_path: Path) -> None:
    run = FolderRun.create(tmp_path / "run", 1, p0="refuse")
    with (
        broker(home=tmp_path) as url,
        pool(url, 1, log=tmp_path / "log", warm=run.location, worker=WORKER) as started,
        pytest.raises(BrokerError, match=r"^The worker cannot start: The bots of this run are not here\.$"),
    ):
        drive(run, celery_app(url), window=1, tend=started.tend)


def test_a_worker_that_dies_again_and_again_is_given_up(tmp_path: Path) -> None:
    run = FolderRun.create(tmp_path / "run", 1)
    log = tmp_path / "log"
    with (
        broker(home=tmp_path) as url,
        pool(url, 1, log=log, worker=("/bin/sh", "-c", "echo dying")) as started,
        pytest.raises(BrokerError, match=rf"^The worker ended {RESTARTS} times .*{log}$"),
    ):
        drive(run, celery_app(url), window=1, tend=started.tend)
    assert log.read_text() == "dying\n" * (RESTARTS + 1)


# Who starts the tests in the background has them, and what they start, ignore Ctrl-C.
HEED = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"

JOB = """
import sys
from pathlib import Path
from tests.workers.standin import WORKER, FolderRun
from workers.app import celery_app
from workers.broker import broker
from workers.driver import drive
from workers.pool import pool
home = Path(sys.argv[1])
run = FolderRun(str(home / "run"))
try:
    with broker(home=home) as url, pool(url, 2, log=home / "log", warm=run.location, worker=WORKER) as begun:
        progress = lambda done: print(len(done), flush=True)
        drive(run, celery_app(url), window=8, tend=begun.tend, on_progress=progress)
except KeyboardInterrupt:
    sys.exit(130)
"""


def _are_gone(places: Iterable[str]) -> bool:
    return not any(map(processes, places))


def test_what_is_done_stays_and_nothing_else_when_a_job_is_ended(tmp_path: Path) -> None:
    jobs = {}
    for how in (signal.SIGINT, signal.SIGKILL):  # both at once, each with a broker of its own
        run = FolderRun.create(tmp_path / how.name / "run", 9000, ROUNDS // 10)
        command = [sys.executable, "-c", HEED + JOB, str(tmp_path / how.name)]
        jobs[how] = run, subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for how, (run, job) in jobs.items():
        with job:
            assert job.stdout
            while int(job.stdout.readline()) < 5:
                pass
            job.send_signal(how)
        assert job.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
        places = (str(server_folder(tmp_path / how.name)), run.location)
        if how == signal.SIGKILL:
            soon(partial(_are_gone, places))
        assert _are_gone(places)
        done = run.committed()
        assert 5 <= len(done) < 9000
        texts = {part: (run.folder / "done" / str(part)).read_text() for part in done}
        assert texts == {part: result(part, run.rounds) for part in done}


def test_a_broker_that_takes_no_message_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "PATIENCE_S", 0.0)
    run = FolderRun.create(tmp_path / "run", 1)
    with broker(home=tmp_path) as url, client(url) as asked:
        asked.config_set("maxmemory", "1")
        with pytest.raises(BrokerError, match=r"taken no message for 0 s \(.*'maxmemory'\)\. What is done stays"):
            drive(run, celery_app(url), window=1)


def test_a_part_that_is_played_already_is_dropped_when_it_comes_again(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 3)
    for part in (0, 0, 1, 1, 1):
        queue_part(shared.app, run.location, part)
    assert drive(run, shared.app, window=8) == expected(run)
    assert len(run.began(0)) <= 2  # the two processes of the pool may begin it at the same time


def test_a_lease_is_three_times_the_longest_way_within_bounds() -> None:
    flight = driver._Flight()
    assert flight.lease_s == 20
    flight.queue(7, now=100.0)
    flight.land({7}, now=110.0)
    assert flight.lease_s == 30  # 3 * (110 - 100)
    flight.queue(8, now=200.0)
    flight.land({7, 8}, now=290.0)
    assert flight.lease_s == 120  # not 3 * 90


def test_a_part_is_queued_again_when_its_lease_is_over_and_leases_are_counted_until_one_is_done() -> None:
    flight = driver._Flight()
    flight.queue(1, now=0.0)
    flight.queue(2, now=5.0)
    assert flight.expire(now=20.0) == 0
    assert flight.expire(now=20.5) == 1
    assert 1 not in flight
    assert 2 in flight
    flight.queue(1, now=20.5)
    assert flight.expire(now=41.0) == 2  # the second lease of part 1
    flight.queue(1, now=41.0)
    flight.queue(2, now=41.0)
    flight.land({2}, now=42.0)
    assert flight.expire(now=62.0) == 0  # counted anew since part 2 was done


def test_what_a_dead_worker_had_is_queued_again_at_once() -> None:
    flight = driver._Flight()
    flight.queue(1, now=0.0)
    flight.lose()
    assert len(flight) == 0
