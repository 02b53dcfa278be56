"""A team's machine: an embedded broker, two services that share it, runs submitted and watched from outside."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import psutil

from results.store import Run
from workers.broker.embedded import client, server_folder
from workers.broker.ledger import Ledger
from workers.service.queue import standing_broker

FOURFOLD = (sys.executable, "-P", "-c", "import sys; from cli.main import main; sys.exit(main())")
LINE_UPS = (
    ("careful", "gambler", "snapper", "random"),
    ("careful", "careful", "gambler", "gambler"),
    ("random", "random", "random", "gambler"),
)
WAIT_S = 240.0  # for whatever is to happen in the end


class Broken(AssertionError):  # noqa: N818
    """Something is not as it was promised."""


@dataclass(frozen=True)
class Reference:
    """The command line that submits a job, its `--part` among it, and what comes of the job undisturbed."""

    words: tuple[str, ...]
    content_hash: str
    numbers: list[int]  # of its games: rotations that look the same are left out


@dataclass
class Open:
    """A run under way: its folder, what it must come to, and what was done to it."""

    name: str
    reference: Reference
    run: Run
    most_done: int = 0
    damaged: int = 0
    resumed: int = 0


@dataclass
class World:
    """Everything that goes on, below one folder."""

    folder: Path
    references: list[Reference]
    services: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    open: dict[str, Open] = field(default_factory=dict)
    submitters: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    finished: int = 0
    cells: int = 0
    hands: int = 0  # resumes after Redis had lost its data
    made: int = 0

    @property
    def root(self) -> Path:
        """The runs' folder."""
        return self.folder / "runs"

    def command(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run a `fourfold` command to its end."""
        return subprocess.run(
            [*FOURFOLD, *words], capture_output=True, text=True, check=False, timeout=WAIT_S, cwd=self.folder
        )

    # ── Services ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def start_service(self) -> None:
        """Start `fourfold up` with two processes."""
        log = open(self.folder / f"up-{len(self.services)}.log", "ab")  # noqa: SIM115
        with log:
            self.services.append(
                subprocess.Popen([*FOURFOLD, "up", "--workers", "2"], stdout=log, stderr=log, cwd=self.folder)
            )

    def tend_services(self, count: int = 2) -> None:
        """Start services again that were killed as a whole, as an init system would."""
        self.services = [service for service in self.services if service.poll() is None]
        while len(self.services) < count:
            self.start_service()

    def stop_services(self) -> None:
        """TERM all, and see that they end by themselves with nothing left."""
        for service in self.services:
            service.terminate()
        for service in self.services:
            if service.wait(WAIT_S) != 0:
                raise Broken(f"fourfold up ended with {service.returncode} after TERM")
        self.services.clear()

    def processes(self, word: str) -> list[psutil.Process]:
        """Give our processes with a word on their command line."""
        found = []
        for service in self.services:
            with suppress(psutil.Error):
                found += [
                    child
                    for child in psutil.Process(service.pid).children(recursive=True)
                    if word in " ".join(child.cmdline())
                ]
        return found

    def mains(self) -> list[psutil.Process]:
        """Give the main processes of the workers."""
        own = {service.pid for service in self.services}
        return [process for process in self.processes("workers.service.pool") if process.ppid() in own]

    def children(self) -> list[psutil.Process]:
        """Give the processes of the pools."""
        mains = {main.pid for main in self.mains()}
        return [process for process in self.processes("workers.service.pool") if process.ppid() in mains]

    def server(self) -> psutil.Process | None:
        """Give the broker's process."""
        with suppress(OSError, ValueError, psutil.Error):
            return psutil.Process(int((server_folder_here() / "server.pid").read_text()))
        return None

    def ledger(self) -> Ledger:
        """Ask the broker that is up."""
        return Ledger(client(self.url()))

    def unsay(self) -> None:
        """Forget what was said of the runs, so that what is said from now on is new."""
        with client(self.url()) as asked:
            for each in self.open.values():
                asked.delete(f"fourfold:notes:{each.run.location}")

    def url(self) -> str:
        """Give the broker's URL, waiting for it to be up."""
        found: list[str] = []

        def is_up() -> bool:
            found[:] = filter(None, [standing_broker()])
            return bool(found)

        eventually(is_up, "the broker answers")
        return found[0]

    # ── Runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def submit(self, reference: Reference, *, waits: bool = False) -> Open | None:
        """Submit a job into a folder of its own; with `waits` its submitter stays."""
        self.made += 1
        name = f"run-{self.made:04d}"
        words = (*reference.words, "--out", str(self.root / name))
        if waits:
            submitter = subprocess.Popen(
                [*FOURFOLD, *words, "--wait"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder
            )
            self.submitters.append(submitter)
            eventually(lambda: (self.root / name / "plan.json").exists() or submitter.poll(), "a run is made")
        else:
            ended = self.command(*words, "--json")
            if ended.returncode != 0:
                if (self.root / name / "plan.json").exists():
                    self.resume_by_hand(name)
                else:  # A full disk, or a broker that was gone: it said so, and made nothing.
                    return None
        self.open[name] = Open(name, reference, Run.open(self.root / name))
        return self.open[name]

    def resume_by_hand(self, name: str) -> None:
        """Type `resume` until the broker takes it."""
        eventually(lambda: self.command("resume", str(self.root / name)).returncode == 0, f"{name} is resumed")

    def look(self) -> None:
        """Check what must hold at any time, and close what has come to its end."""
        self.tend_services()
        self.check_progress()
        for name in list(self.open):
            each = self.open[name]
            if each.run.is_complete:
                self.check(each)
                del self.open[name]
                self.finished += 1
                shutil.rmtree(each.run.location)

    def check_progress(self) -> None:
        """Check that no run has failed or has fewer parts than it had, but for damaged ones."""
        for name, each in self.open.items():
            done = len(each.run.committed())
            if done < each.most_done - each.damaged:
                raise Broken(f"{name} went back from {each.most_done} parts to {done}")
            each.most_done = max(done, each.most_done)
            if each.run.failures():
                raise Broken(f"{name} failed: {each.run.failures()}")

    def go_on(self, seconds: float) -> None:
        """Let a fault last for so long, and look all the while that no run goes back."""
        until = time.monotonic() + seconds

        def is_over() -> bool:
            self.check_progress()
            return time.monotonic() > until

        eventually(is_over, "a fault ends", seconds + WAIT_S)

    def check(self, each: Open) -> None:
        """Check a finished run: every cell as undisturbed, nothing left over, `runs` and `show` true."""
        run = each.run
        summary = run.summary()
        if summary["content_hash"] != each.reference.content_hash:
            raise Broken(f"{each.name} has other cells: {summary['content_hash']}")
        for part in range(run.parts):
            damage = run.damage(part)
            if damage:
                raise Broken(f"{each.name}: {damage}")
            tables = run.read_part(part)
            self.cells += sum(cells.size for cells in tables)
        # Parts of a tournament that is spread are not in the order of its games.
        numbers = numbers_of(run)
        if numbers != each.reference.numbers:
            raise Broken(f"{each.name} has {len(numbers)} games of {len(each.reference.numbers)}, or others")
        eventually(lambda: not leftovers(Path(run.location)), f"{each.name} holds no temporary file", seconds=60)
        listed = json.loads(self.command("runs", "--json").stdout)
        rows = listed["runs"] if isinstance(listed, dict) else listed
        states = {row["run"]: row["state"] for row in rows}
        if states.get(each.name) != "done":
            raise Broken(f"`runs` calls {each.name} {states.get(each.name)}")
        shown = json.loads(self.command("show", run.location, "--json").stdout)
        if shown != summary:
            raise Broken(f"`show` of {each.name} is not its summary")


def leftovers(folder: Path) -> list[str]:
    """Name the files of a run's folder that should not be there."""
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.name.endswith(".tmp") or "playing" in path.relative_to(folder).parts
    ]


def eventually(condition: Callable[[], Any], what: str, seconds: float = WAIT_S) -> None:
    """Wait until a condition holds; raises Broken after so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Broken(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.05)


def server_folder_here() -> Path:
    """Give the folder of this installation's embedded broker."""
    import workers.broker.embedded

    return server_folder(Path(workers.broker.embedded.__file__).resolve().parent)


def numbers_of(run: Run) -> list[int]:
    """List the numbers of a run's games, in order."""
    return sorted(number for part in range(run.parts) for number in run.read_table("games", part)[:, 0].tolist())


def jobs(deals: int, part: int) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Give command lines that submit jobs: tables, one tournament that is spread, and many; with units and part."""
    entrants = ",".join(f"careful:memory={memory}" for memory in range(2, 18))
    held = ("tournament", "vierer", "--submit", "--entrants", entrants)
    # Both take about as long as a table.
    one = (*held, "--format", "swiss:rounds=6", "--deals", str(max(1, deals // 40)))
    many = (*held, "--format", "knockout", "--format", "swiss:rounds=3", "--no-rotate", "--repeats", str(deals // 25))
    tables = [("submit", "vierer", "--bots", ",".join(bots), "--deals", str(deals)) for bots in LINE_UPS]
    yield tables[0], deals, part
    yield one, 6 * 8, 2
    yield many, deals // 25, max(1, part // 25)
    for table in tables[1:]:
        yield table, deals, part


def references(folder: Path, deals: int, part: int, count: int) -> list[Reference]:
    """Make jobs and play each here, undisturbed, with another part size."""
    made = []
    for number, (job, units, size) in enumerate(islice(jobs(deals, part), count)):
        words = (*job, "--seed", str(1000 + number))
        place, undisturbed = folder / f"reference-{number}", str(units // 3 + number)
        here = ("run", *words[1:]) if words[0] == "submit" else tuple(word for word in words if word != "--submit")
        ended = subprocess.run(
            [*FOURFOLD, *here, "--part", undisturbed, "--out", str(place), "--threads", "2"],
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            raise Broken(f"{' '.join(here)}: {ended.stderr}")
        run = Run.open(place)
        made.append(Reference((*words, "--part", str(size)), run.summary()["content_hash"], numbers_of(run)))
    return made


@contextmanager
def world(folder: Path, *, deals: int, part: int, count: int = 5) -> Iterator[World]:
    """Bring a world up, and see at the end that nothing of it is left."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="ffc") as runtime:
        before = dict(os.environ)
        os.environ |= {"XDG_RUNTIME_DIR": runtime, "FOURFOLD_RUNS": str(folder / "runs")}
        os.environ.pop("FOURFOLD_BROKER", None)
        made = World(folder, references(folder, deals, part, count))
        made.root.mkdir()
        try:
            made.tend_services()
            eventually(lambda: made.ledger().processes() == 4, "both workers are there")
            yield made
            made.stop_services()
            eventually(lambda: not ours(runtime), f"no process is left: {ours(runtime)}", seconds=30)
        finally:
            for process in [*made.services, *made.submitters]:
                process.kill()
                process.wait()
            for left in ours(runtime):
                with suppress(ProcessLookupError):
                    os.kill(left, signal.SIGKILL)
            os.environ.clear()
            os.environ |= before


def ours(runtime: str) -> list[int]:
    """Number the processes of this world: those that have its runtime folder in their environment."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            is_here = process.pid != os.getpid() and process.environ().get("XDG_RUNTIME_DIR") == runtime
            if is_here and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found
