import base64
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest
from redis import Redis

from sim.errors import BrokerError
from tests.workers.conftest import processes, soon
from tests.workers.standin import WORKER, FolderRun, result
from workers.broker.embedded import broker, client, server_folder
from workers.lifeline import ORPHAN_S
from workers.service import steward as steward_module
from workers.service.app import Fourfold, celery_app
from workers.service.child import RESTARTS, Child
from workers.service.flight import Flight
from workers.service.steward import Steward, steward_until
from workers.service.supervisor import Service, service
from workers.service.tasks import ATTEMPTS, PART, queue_part

ROUNDS = 100_000  # of hashing: a part takes some 50 ms
END_S = 90.0


@dataclass
class Queue:
    """A broker, a worker of two processes, and a steward in this process, as a service has them."""

    app: Fourfold
    service: Service
    folder: Path
    url: str

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def main(self) -> psutil.Process:
        """The worker's main process."""
        return min(processes(str(self.folder / "warm")), key=lambda process: process.create_time())


@contextmanager
def stewardship(app: Fourfold) -> Iterator[Steward]:
    """A steward of stand-in runs, in a thread."""
    steward, stopped = Steward(app, FolderRun.open), threading.Event()
    thread = threading.Thread(target=steward_until, args=(steward, stopped))
    thread.start()
    try:
        yield steward
    finally:
        stopped.set()
        thread.join()


@contextmanager
def queue(folder: Path) -> Iterator[Queue]:
    warm = FolderRun.create(folder / "warm", 1)
    with broker(home=folder) as url:
        app = celery_app(url)
        with service(url, 2, log=folder / "log", warm=warm.location, worker=WORKER) as started, stewardship(app):
            # The service's own steward opens real runs; the one here has the lease before it.
            started.steward.stop()
            yield Queue(app, started, folder, url)
        assert not processes(warm.location)
    assert not processes(str(server_folder(folder)))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queue]:
    with queue(tmp_path_factory.mktemp("shared")) as started:
        yield started


@contextmanager
def unplayed(folder: Path, *runs: FolderRun) -> Iterator[tuple[Fourfold, Steward, Redis]]:
    """A broker without a worker, on which these runs are open: its application, a steward to be ticked, a client."""
    with broker(home=folder) as url, client(url) as asked:
        app = celery_app(url)
        for run in runs:
            app.ledger.open(run.location)
        yield app, Steward(app, FolderRun.open), asked


def expected(run: FolderRun) -> dict[str, str]:
    return {str(part): result(part, run.rounds) for part in range(run.parts)}


def ends(run: FolderRun, started: Queue, look: Callable[[], object] = lambda: None) -> bool:
    """Open a run and wait until it is summed up; `look` is called meanwhile."""
    started.app.ledger.open(run.location)

    def is_over() -> bool:
        look()
        started.service.worker.tend()
        return run.is_complete

    return soon(is_over, END_S)


def is_closed(run: FolderRun, started: Queue) -> bool:
    return soon(lambda: run.location not in started.app.ledger.open_runs())


def test_a_run_is_played_summed_up_and_closed(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 12)
    assert ends(run, shared)
    assert run.summary() == expected(run)
    assert sorted(set(run.began())) == sorted(child.pid for child in shared.main().children())
    assert is_closed(run, shared)
    assert shared.app.ledger.status(run.location) is None


def test_a_run_that_is_begun_is_only_finished(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 4)
    for part in (0, 2):
        (run.folder / "done" / str(part)).write_text(result(part, 0))
    assert ends(run, shared)
    assert run.summary() == expected(run)
    assert len(run.began()) == 2


def test_a_small_run_is_not_kept_waiting_by_a_huge_one(tmp_path: Path, shared: Queue) -> None:
    huge = FolderRun.create(tmp_path / "huge", 5000, ROUNDS)
    small = FolderRun.create(tmp_path / "small", 2, ROUNDS)
    shared.app.ledger.open(huge.location)
    assert soon(huge.committed)
    assert ends(small, shared)
    (huge.folder / "cancelled").touch()
    assert is_closed(huge, shared)
    # From the first part of the small run to the end of its last: no more of the huge one than its window.
    since = min(mark.stat().st_mtime_ns for mark in (small.folder / "began").iterdir())
    until = max(done.stat().st_mtime_ns for done in (small.folder / "done").iterdir())
    between = [mark for mark in (huge.folder / "began").iterdir() if since <= mark.stat().st_mtime_ns <= until]
    assert len(between) <= 2 * 2 + 4
    began = len(huge.began())
    assert ends(FolderRun.create(tmp_path / "third", 2), shared)
    assert len(huge.began()) == began


def test_no_more_than_the_window_is_queued_and_another_run_comes_right_behind(tmp_path: Path) -> None:
    huge, small = FolderRun.create(tmp_path / "huge", 5000), FolderRun.create(tmp_path / "small", 2)
    window = 2 * steward_module.UNKNOWN_PROCESSES + 4
    with unplayed(tmp_path, huge) as (app, steward, asked):
        for _ in range(3):
            steward.tick()
        assert app.ledger.waiting() == window
        app.ledger.open(small.location)
        assert soon(lambda: steward.tick() and app.ledger.waiting() > window)
        messages = asked.lrange("fourfold:celery", 0, -1)[::-1]  # the next one to be taken first
        words = [json.loads(base64.b64decode(json.loads(message)["body"]))[0][0] for message in messages]
        assert words == [huge.location] * window + [small.location] * 2


def test_one_steward_acts_and_the_next_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = FolderRun.create(tmp_path / "run", 50)
    with unplayed(tmp_path, run) as (app, first, _):
        second = Steward(app, FolderRun.open)
        first.tick()
        second.tick()
        queued = app.ledger.waiting()
        assert app.ledger.steward() == first.name
        first.leave()
        assert soon(lambda: second.tick() and app.ledger.steward() == second.name)
        second.tick()
        assert app.ledger.waiting() == queued  # It knows what is on its way.
        # One that was stopped for longer than its lease does nothing before it has asked.
        first._held_until = time.monotonic() - 1
        first.tick()
        assert not first._shepherds
        assert app.ledger.steward() == second.name


def test_a_broker_that_forgets_all_is_told_again(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 60, ROUNDS)
    flushes = [10, 20]

    def flush() -> None:
        if flushes and len(run.committed()) >= flushes[0]:
            flushes.pop(0)
            with client(shared.url) as asked:
                asked.flushall()
            # Others see it again, and a next steward; unless it was quicker than the next look.
            assert soon(lambda: run.is_complete or run.location in shared.app.ledger.open_runs())

    assert ends(run, shared, flush)
    assert not flushes
    assert run.summary() == expected(run)


def test_a_message_that_is_lost_is_missed_when_none_is_left(tmp_path: Path) -> None:
    run = FolderRun.create(tmp_path / "run", 3)
    with unplayed(tmp_path, run) as (app, steward, asked):
        steward.tick()
        assert app.ledger.waiting() == 3
        asked.delete("fourfold:celery")
        # Well before the lease of 20 s is over.
        assert soon(lambda: steward.tick() and app.ledger.waiting() == 3, seconds=15)


def test_a_failed_bot_stops_its_run_alone(tmp_path: Path, shared: Queue) -> None:
    bad, good = FolderRun.create(tmp_path / "bad", 60, 5000, p3="bot"), FolderRun.create(tmp_path / "good", 30, 5000)
    shared.app.ledger.open(bad.location)
    assert ends(good, shared)
    assert is_closed(bad, shared)
    assert bad.failures() == {3: {"message": "Bot 'cheat' failed in part 3."}}
    assert len(bad.committed()) < 60


def test_an_error_of_the_store_that_stays_fails_the_run(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 2, p1="store")
    shared.app.ledger.open(run.location)
    assert soon(run.failures)
    assert run.failures() == {1: {"message": "Part 1 has other results."}}


def test_a_full_disk_is_waited_for(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 3, p1="full disk", end="full disk")
    notes: set[str] = set()

    def look() -> None:
        notes.update(shared.app.ledger.notes(run.location).values())
        if "Cannot write summary: No space left on device." in notes:
            (run.folder / "room").touch()

    assert ends(run, shared, look)
    assert run.summary() == expected(run)
    assert len(run.began(1)) == 3
    assert "Cannot write: the disk is full." in notes
    assert not run.failures()


def test_a_worker_of_another_version_lets_the_run_wait(tmp_path: Path, shared: Queue) -> None:
    run, good = FolderRun.create(tmp_path / "run", 2, p1="other version"), FolderRun.create(tmp_path / "good", 4)
    shared.app.ledger.open(run.location)
    assert soon(lambda: shared.app.ledger.notes(run.location))
    (sentence,) = shared.app.ledger.notes(run.location).values()
    assert sentence == "The run was made by version 2; this is version 1."
    assert ends(good, shared)
    assert not run.failures()
    (run.folder / "upgraded").touch()
    assert ends(run, shared)
    assert shared.app.ledger.attempts.counts(run.location) == {}


def test_a_folder_that_is_away_for_a_moment_is_waited_for(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 60, ROUNDS // 10)
    shared.app.ledger.open(run.location)
    assert soon(run.committed)
    run.folder.rename(tmp_path / "away")
    assert soon(lambda: "is not there; it is waited for" in str(shared.app.ledger.notes(run.location)))
    (tmp_path / "away").rename(run.folder)
    assert ends(run, shared)
    assert run.summary() == expected(run)


def test_a_damaged_part_is_found_at_the_end_and_played_again(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 6)
    (run.folder / "done" / "2").write_text("nonsense")
    assert ends(run, shared)
    assert run.summary() == expected(run)
    assert (run.folder / "damaged-2").read_text() == "nonsense"
    assert '"Part 2 is damaged."' in (run.folder / "log").read_text()


def test_a_part_that_kills_every_process_is_given_up(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 1, p0="die")
    for _ in range(ATTEMPTS - 1):
        shared.app.ledger.attempts.begin(run.location, 0)
    queue_part(shared.app, run.location, 0)
    assert soon(run.failures)
    assert run.failures()[0]["message"] == (
        f"Part 0 was begun {ATTEMPTS} times and came to no end, for its process died or took longer than 90 s; "
        "it is not tried again."
    )
    assert len(run.began()) == 1


def test_a_fault_of_ours_is_tried_again_and_said(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 3, p2="bug once")
    notes: set[str] = set()
    assert ends(run, shared, lambda: notes.update(shared.app.ledger.notes(run.location).values()))
    assert len(run.began(2)) == 2
    assert notes == {"internal error: ZeroDivisionError: a fault of ours"}
    assert "ZeroDivisionError: a fault of ours" in shared.log()


def test_a_run_that_the_steward_stumbles_over_does_not_stop_the_others(tmp_path: Path, shared: Queue) -> None:
    bad, good = FolderRun.create(tmp_path / "bad", 3), FolderRun.create(tmp_path / "good", 3)
    (bad.folder / "failures" / "no number").touch()
    shared.app.ledger.open(bad.location)
    assert ends(good, shared)
    assert any("internal error: ValueError" in note for note in shared.app.ledger.notes(bad.location).values())
    (bad.folder / "failures" / "no number").unlink()
    assert ends(bad, shared)


def test_messages_of_any_content_do_no_harm(tmp_path: Path, shared: Queue) -> None:
    refused = shared.app.ledger.refused()
    send = shared.app.send_task
    send(PART, args=[["x"], {"y": 1}])
    send(PART, args=[], kwargs={"location": "/"})
    send(PART, args=[str(tmp_path / "nowhere"), 1])
    send(PART, args=[str(tmp_path / ".." / "elsewhere"), 1])
    send("fourfold.other", args=[1])
    with client(shared.url) as asked:
        asked.lpush("fourfold:celery", '{"body": "x", "headers": {}, "properties": {}}')
    run = FolderRun.create(tmp_path / "run", 8)
    assert ends(run, shared)
    assert run.summary() == expected(run)
    assert "refused a message: arguments that the task does not take: " in shared.log()
    assert f"No run is seen in {tmp_path / 'nowhere'}" in shared.log()
    assert "which is no absolute path of a run's folder" in shared.log()
    assert shared.app.ledger.refused() >= refused + 2


def test_a_run_comes_to_its_end_through_kills_of_child_worker_and_broker(tmp_path: Path) -> None:
    run = FolderRun.create(tmp_path / "run", 40, ROUNDS)
    folder = server_folder(tmp_path)
    kills = ["child", "main", "broker"]
    orphans: list[psutil.Process] = []

    with queue(tmp_path) as started:

        def kill() -> None:
            if kills and len(run.committed()) >= 40 - 10 * len(kills):
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

        started.app.ledger.open(run.location)

        def look() -> bool:
            kill()
            if started.service.worker.tend(len(run.committed())):
                started.app.ledger.count_death()
            return run.is_complete

        assert soon(look, END_S)
    assert not kills
    assert len(orphans) == 2
    assert run.summary() == expected(run)


def test_a_worker_that_cannot_start_is_an_error_with_its_last_word(tmp_path: Path) -> None:
    run = FolderRun.create(tmp_path / "run", 1, p0="refuse")
    with (
        broker(home=tmp_path) as url,
        service(url, 1, log=tmp_path / "log", warm=run.location, worker=WORKER) as started,
        pytest.raises(BrokerError, match=r"^The worker cannot start: The bots of this run are not here\.$"),
    ):
        soon(started.tend)


def test_a_child_that_dies_again_and_again_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.service.child._MOST_PAUSE_S", 0.0)
    log = tmp_path / "log"
    child = Child("worker", ("/bin/sh", "-c", "echo dying"), {}, log)

    def tend() -> None:
        child.tend()

    with pytest.raises(BrokerError, match=rf"^The worker ended {RESTARTS} times .*{log}$"):
        soon(tend)
    assert log.read_text() == "dying\n" * (RESTARTS + 1)


# Who starts the tests in the background has them, and what they start, ignore Ctrl-C.
HEED = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"

JOB = """
import sys, time
from pathlib import Path
from tests.workers.standin import WORKER, FolderRun
from tests.workers.test_steward import stewardship
from workers.service.app import celery_app
from workers.broker.embedded import broker
from workers.service.supervisor import service
home = Path(sys.argv[1])
run = FolderRun(str(home / "run"))
try:
    with broker(home=home) as url, service(url, 2, log=home / "log", warm=run.location, worker=WORKER) as begun:
        app = celery_app(url)
        begun.steward.stop()
        app.ledger.open(run.location)
        with stewardship(app):
            while not run.is_complete:
                print(len(run.committed()), flush=True)
                time.sleep(0.02)
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


def test_nothing_is_left_of_a_job_that_is_killed_while_a_part_takes_for_ever(tmp_path: Path) -> None:
    """Its workers are asked to stop, finish what they have begun, and there is nobody left to insist."""
    run = FolderRun.create(tmp_path / "run", 2, 10_000 * ROUNDS)
    job = subprocess.Popen([sys.executable, "-c", JOB, str(tmp_path)], stdout=subprocess.DEVNULL)
    assert soon(lambda: len(run.began()) == 2)
    job.kill()
    job.wait()
    places = (str(server_folder(tmp_path)), run.location)
    assert soon(partial(_are_gone, places), ORPHAN_S + 30)
    assert run.committed() == set()


def test_a_broker_that_takes_no_message_is_asked_again(tmp_path: Path) -> None:
    run = FolderRun.create(tmp_path / "run", 3)
    with unplayed(tmp_path, run) as (app, steward, asked):
        asked.config_set("maxmemory", "1")
        assert steward.tick() == 1.0
        assert app.ledger.waiting() == 0
        asked.config_set("maxmemory", "0")
        assert soon(lambda: steward.tick() and app.ledger.waiting() == 3)


def test_a_part_that_is_played_already_is_dropped_when_it_comes_again(tmp_path: Path, shared: Queue) -> None:
    run = FolderRun.create(tmp_path / "run", 3)
    for part in (0, 0, 1, 1, 1):
        queue_part(shared.app, run.location, part)
    assert ends(run, shared)
    assert run.summary() == expected(run)
    assert len(run.began(0)) <= 3  # the two processes of the pool may begin it at the same time, and the steward's


def test_a_lease_is_three_times_the_longest_way_within_bounds() -> None:
    flight = Flight()
    assert flight.lease_s == 20
    flight.queue(7, now=100.0)
    flight.land(7, now=110.0)
    assert flight.lease_s == 30  # 3 * (110 - 100)
    flight.queue(8, now=200.0)
    flight.land(7, now=290.0)
    flight.land(8, now=290.0)
    assert flight.lease_s == 120  # not 3 * 90


def test_a_part_is_free_when_its_lease_is_over() -> None:
    flight = Flight()
    flight.queue(1, now=0.0)
    flight.queue(2, now=5.0)
    assert flight.expire(now=20.0) == []
    assert flight.expire(now=20.5) == [1]
    assert flight.parts == [2]
    assert flight.overdue == 1
    flight.drop(2)
    assert len(flight) == 0
    assert flight.expire(now=99.0) == []


def test_the_ledger_reads_only_what_is_its_own(tmp_path: Path) -> None:
    with unplayed(tmp_path) as (app, _, asked):
        ledger = app.ledger
        ledger.open("/b")
        ledger.open("/a")
        ledger.open("another-root/elsewhere")
        asked.hset("fourfold:open", "/c", "no entry")
        asked.hset("fourfold:open", b"\xff\xfe", json.dumps({"since": 1, "root": "x"}))
        assert ledger.open_runs() == ["/b", "/a", "another-root/elsewhere"]  # the oldest first
        assert ledger.open_runs("another-root") == ["another-root/elsewhere"]
        ledger.announce("one", {"processes": 2})
        asked.hset("fourfold:workers", "two", "nonsense")
        asked.hset("fourfold:workers", "three", json.dumps({"at": ledger.now() - 61, "processes": 5}))
        assert [worker["name"] for worker in ledger.workers()] == ["one"]
        assert ledger.processes() == 2
        assert asked.hkeys("fourfold:workers") == [b"one"]
        asked.set("fourfold:status:/a", "[1]")
        assert ledger.status("/a") is None
        ledger.give_back("/a", 3)
        ledger.give_back("mark/b", 4)
        asked.rpush("fourfold:returned:", "garbage", "[1]", '["/b", "x"]')
        assert ledger.returned() == [("/a", 3)]
        assert ledger.returned() == []
        assert ledger.returned("mark") == [("mark/b", 4)]
        assert ledger.deaths() == 0
        ledger.count_death()
        assert ledger.deaths() == 1


def test_a_steward_that_loses_its_lease_on_an_empty_broker_hands_its_runs_over(tmp_path: Path) -> None:
    run = FolderRun.create(tmp_path / "run", 3)
    with unplayed(tmp_path, run) as (app, first, asked):
        second = Steward(app, FolderRun.open)
        first.tick()
        assert first._shepherds
        asked.flushall()
        second.tick()
        assert app.ledger.steward() == second.name
        assert app.ledger.open_runs() == []
        first._held_until = float("-inf")  # It asks again, as it does every few seconds.
        first.tick()
        assert app.ledger.open_runs() == [run.location]
        assert soon(lambda: second.tick() and app.ledger.waiting() == 3)  # It takes none of them to be on its way.
