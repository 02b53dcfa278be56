"""The queue as a service on this machine: a real `fourfold up`, and what other terminals do with it."""

import json
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from results.store import Run
from tests.cli.conftest import Fourfold, Start
from tests.workers.conftest import processes, soon
from workers.broker.embedded import client, embedded_url
from workers.broker.ledger import Ledger, open_here

LONG = ("vierer", "--deals", "2000000", "--part", "500", "--detail", "summary", "--seed")
PATIENCE_S = 120  # for what takes seconds: a cold kernel is compiled first


class Up:
    """A running `fourfold up`: what it has said so far, and how it is told to stop."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.said: list[str] = []
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stderr or ():
            self._lines.put(line.rstrip())

    def await_line(self, beginning: str) -> str:
        """Wait until it says a line that begins so."""
        while True:
            line = self._lines.get(timeout=PATIENCE_S)
            self.said.append(line)
            if line.startswith(beginning):
                return line

    def workers(self) -> list[int]:
        """The processes that it has started."""
        return [process.pid for process in processes(f"--parent {self.process.pid}")]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to stop, and give its exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


@pytest.fixture(scope="module", autouse=True)
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Stand in a folder of one's own."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("up")
        patch.chdir(folder)
        patch.delenv("FOURFOLD_RUNS", raising=False)
        yield folder


@pytest.fixture
def start_up(process: Start) -> Callable[..., Any]:
    """Start `fourfold up` for as long as a block lasts, and wait until it is ready."""

    @contextmanager
    def started(*words: str) -> Iterator[Up]:
        running = Up(process("up", *words))
        try:
            running.await_line("ready")
            yield running
        finally:
            running.process.kill()
            running.process.communicate(timeout=PATIENCE_S)

    return started


def state(fourfold: Fourfold, name: str) -> str:
    (row,) = [row for row in json.loads(fourfold("runs", "--json").out) if row["run"] == name]
    return str(row["state"])


def test_from_up_to_drain(
    start_up: Callable[..., Any], fourfold: Fourfold, process: Start, runtime_folder: Path, place: Path
) -> None:
    with start_up("--workers", "2", "--json") as up:
        ready = json.loads(up.process.stdout.readline())
        assert (ready["processes"], ready["pid"]) == (2, up.process.pid)
        check_a_job_is_played(fourfold, process)
        check_a_run_is_cancelled_and_resumed(fourfold, process)
        check_a_run_goes_on_without_who_waited_for_it(fourfold, process)
        with start_up("--workers", "1") as second:
            assert "A broker is up on this machine already: this adds a worker to it." in second.said
            assert second.stop(signal.SIGINT) == 0
            assert second.workers() == []
        name = json.loads(fourfold("submit", *LONG, "4", "--json").out)["run"]
        assert soon(lambda: Run.open(f"runs/{name}").committed(), PATIENCE_S)
        assert up.stop() == 0
        assert up.await_line("stopping: the parts at hand are finished first")
        assert up.await_line("stopped") == "stopped"
        assert up.workers() == []
    assert processes(str(runtime_folder)) == []
    assert list((runtime_folder / "fourfold").iterdir()) == []
    assert state(fourfold, name) == "stopped"
    run = Run.open(f"runs/{name}")
    assert [run.damage(part) for part in run.committed()] == [None] * len(run.committed())
    with start_up("--workers", "1") as again:
        assert again.await_line("1 run has stopped.").endswith(f"fourfold resume {name}")


def check_a_job_is_played(fourfold: Fourfold, process: Start) -> None:
    """A job is submitted, watched to its end, and is the one that is played here."""
    words = ("vierer", "--deals", "2000", "--part", "100")
    said = fourfold("submit", *words)
    assert said.status == 0
    lines = said.out.splitlines()
    name = lines[0].partition(":")[0]
    assert lines[0] == f"{name}: queued, 8,000 games (2,000 deals) in 20 parts"
    assert [line.rpartition("fourfold ")[2] for line in lines[2:]] == [
        f"watch {name}",
        f"cancel {name}",
        f"show {name}",
    ]
    out, err = process("watch", name, "--json").communicate(timeout=PATIENCE_S)
    looks = [json.loads(line) for line in out.splitlines()]
    done = [look["parts_done"] for look in looks]
    assert (looks[-1]["state"], done[-1], done, err) == ("done", 20, sorted(done), "")
    assert {look["state"] for look in looks[:-1]} <= {"queued"}
    assert state(fourfold, name) == "done"
    here = json.loads(fourfold("run", *words, "--out", "here", "--json").out)
    assert json.loads(fourfold("show", name, "--json").out) == here
    again = fourfold("submit", *words)
    assert "The run was complete already; nothing is queued.\n" in again.out


def check_a_run_is_cancelled_and_resumed(fourfold: Fourfold, process: Start) -> None:
    """Two submit the same job; it is cancelled, which ends who watches it, and goes on where it was."""
    first = json.loads(fourfold("submit", *LONG, "2", "--json").out)
    second = json.loads(fourfold("submit", *LONG, "2", "--json").out)
    assert (first["run"], first["state"], first["warnings"]) == (second["run"], "queued", [])
    name, run = first["run"], Run.open(first["location"])
    assert soon(run.committed, PATIENCE_S)
    assert fourfold("show", name).err.endswith(f"See how it goes on with: fourfold watch {name}\n")
    watching = process("watch", name)
    assert watching.stdout is not None
    assert watching.stdout.readline().startswith(f"{name}: queued, ")
    assert fourfold("cancel", name).out.startswith(f"Run {name} is cancelled, ")
    _, err = watching.communicate(timeout=PATIENCE_S)
    assert (watching.returncode, err.count("\n")) == (1, 2)
    assert err.startswith(f"fourfold: Run {name} is cancelled; what is done stays.")
    assert state(fourfold, name) == "cancelled"
    known = json.loads(fourfold("resume", name, "--json").out)
    assert known["state"] == "queued"
    assert soon(lambda: len(run.committed()) > known["parts_done"] + 4, PATIENCE_S)
    assert state(fourfold, name) == "queued"
    look = json.loads(fourfold("watch", name, "--once", "--json").out)
    assert [worker["processes"] for worker in look["workers"]] == [2]
    assert look["steward"] is not None
    url = embedded_url()
    assert url is not None
    assert open_here(url) == Ledger(client(url)).open_runs() == [run.location]
    assert fourfold("cancel", name).status == 0


def check_a_run_goes_on_without_who_waited_for_it(fourfold: Fourfold, process: Start) -> None:
    """Who waits for workers of others, or watches, may leave; it is told how to come back."""
    waiting = process("submit", *LONG, "3", "--wait")
    runs = Path("runs")
    assert soon(lambda: newest(runs) is not None, PATIENCE_S)
    opened = newest(runs)
    assert opened is not None
    assert soon(opened.committed, PATIENCE_S)
    waiting.send_signal(signal.SIGTERM)
    out, err = waiting.communicate(timeout=PATIENCE_S)
    assert (waiting.returncode, out) == (143, "")
    assert f"The run goes on. See it with: fourfold watch {opened.name}." in err
    assert err.endswith("fourfold: terminated\n")
    assert state(fourfold, opened.name) == "queued"
    watching = process("watch", opened.name)
    assert watching.stdout is not None
    assert watching.stdout.readline().startswith(f"{opened.name}: queued, ")
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate(timeout=PATIENCE_S)
    assert watching.returncode == 130
    assert f"The run is not touched. End it with: fourfold cancel {opened.name}\n" in err
    assert fourfold("cancel", opened.name).status == 0


def newest(runs: Path) -> Run | None:
    """The run that is being played, whose name nobody has told yet."""
    plans = [plan for plan in runs.glob("*/plan.json") if json.loads(plan.read_text())["deals"] == 2_000_000]
    opened = [Run.open(plan.parent) for plan in plans]
    return next((run for run in opened if not run.is_cancelled), None)
