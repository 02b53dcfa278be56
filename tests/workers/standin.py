"""A worker with stand-in parts: real queue and processes, but a part only hashes for a moment, or misbehaves.

A run is a folder: `plan` says what its parts do, `done/N` is a committed part, `failures/N` a recorded failure,
`summary` ends it, `cancelled` is the flag, and `began/N-PID-…` is left by every process that begins part N.
"""

import hashlib
import json
import os
import signal
import sys
import types
from pathlib import Path
from typing import Any

import workers.play
from sim.errors import BotFailed, Refused, StoreError
from workers.service.pool import main

WORKER = (sys.executable, str(Path(__file__).resolve()))


class FolderRun:
    """What the driver and the task ask of a run."""

    def __init__(self, location: str) -> None:
        self.location = location
        self.folder = Path(location)
        plan = json.loads((self.folder / "plan").read_text())
        self.parts: int = plan["parts"]
        self.rounds: int = plan["rounds"]
        self.deeds: dict[str, str] = plan["deeds"]

    @classmethod
    def create(cls, folder: Path, parts: int, rounds: int = 0, **deeds: str) -> "FolderRun":
        """Make a run of parts that take `rounds` of hashing; `p3="bot"` has part 3 do what `play` says."""
        for name in ("done", "failures", "began"):
            (folder / name).mkdir(parents=True)
        (folder / "plan").write_text(json.dumps({"parts": parts, "rounds": rounds, "deeds": deeds}))
        return cls(str(folder))

    @classmethod
    def open(cls, location: str) -> "FolderRun":
        if not (Path(location) / "plan").exists():
            raise StoreError(f"No run in {location}")
        return cls(location)

    def needs(self, part: int) -> range:
        return range(0)

    def committed(self) -> set[int]:
        return {int(entry.name) for entry in (self.folder / "done").iterdir() if entry.suffix != ".new"}

    def failures(self) -> dict[int, dict[str, Any]]:
        entries = [entry for entry in (self.folder / "failures").iterdir() if entry.suffix != ".new"]
        return {int(entry.name): json.loads(entry.read_text()) for entry in entries}

    def record_failure(self, part: int, entry: dict[str, Any]) -> None:
        _write(self.folder / "failures" / str(part), json.dumps(entry))

    @property
    def is_there(self) -> bool:
        return (self.folder / "plan").exists()

    @property
    def is_complete(self) -> bool:
        return (self.folder / "summary").exists()

    @property
    def ended(self) -> str:
        if self.is_complete:
            return "done"
        if self.failures():
            return "failed"
        return "cancelled" if self.is_cancelled else ""

    @property
    def is_cancelled(self) -> bool:
        return (self.folder / "cancelled").exists()

    def is_committed(self, part: int) -> bool:
        return (self.folder / "done" / str(part)).exists()

    def damage(self, part: int, *, by_bytes: bool = False) -> str | None:
        is_whole = (self.folder / "done" / str(part)).read_text() == result(part, self.rounds)
        return None if is_whole else f"Part {part} is damaged."

    def move_aside(self, part: int) -> str:
        (self.folder / "done" / str(part)).rename(self.folder / f"damaged-{part}")
        return f"damaged-{part}"

    def log(self, entry: dict[str, Any]) -> None:
        with open(self.folder / "log", "a") as file:
            file.write(f"{json.dumps(entry)}\n")

    def write_summary(self) -> dict[str, Any]:
        if self.deeds.get("end") == "full disk" and not (self.folder / "room").exists():
            raise StoreError("Cannot write summary: No space left on device.")
        summary = {str(part): (self.folder / "done" / str(part)).read_text() for part in self.committed()}
        _write(self.folder / "summary", json.dumps(summary))
        return summary

    def summary(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "summary").read_text())
        return found

    def began(self, part: int | None = None) -> list[int]:
        """The processes that began a part, or that part, one entry for each time."""
        entries = [entry.name.split("-") for entry in (self.folder / "began").iterdir()]
        return [int(process) for number, process, _ in entries if part is None or part == int(number)]


def result(part: int, rounds: int) -> str:
    """What a part comes to."""
    return hashlib.pbkdf2_hmac("sha256", b"part", str(part).encode(), max(1, rounds)).hex()


def play(location: str, part: int, *, trusts_files: bool) -> None:
    run = FolderRun.open(location)
    if part in run.committed() or run.failures() or run.is_cancelled:
        return
    mark = f"{part}-{os.getpid()}-{os.urandom(4).hex()}"
    (run.folder / "began" / mark).touch()
    match run.deeds.get(f"p{part}"):
        case "bot":
            run.record_failure(part, {"message": f"Bot 'cheat' failed in part {part}."})
            raise BotFailed("recorded")
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "bug once" if len(run.began(part)) == 1:
            raise ZeroDivisionError("a fault of ours")
        case "store":
            raise StoreError("Part 1 has other results.")
        case "full disk" if len(run.began(part)) <= 2:
            raise StoreError("Cannot write: the disk is full.") from OSError(28, "No space left on device")
        case "other version" if not (run.folder / "upgraded").exists():
            raise Refused("The run was made by version 2; this is version 1.")
        case "refuse":
            os.kill(os.getppid(), signal.SIGKILL)
    _write(run.folder / "done" / str(part), result(part, run.rounds))


def in_play(location: str, part: int) -> int | None:
    return None


def warm_what_is_compiled() -> None:
    pass


def warm_run(location: str, *, trusts_files: bool) -> None:
    if "refuse" in FolderRun.open(location).deeds.values():
        raise StoreError("The bots of this run are not here.")


def _write(path: Path, text: str) -> None:
    fresh = path.with_suffix(f".{os.getpid()}.new")
    fresh.write_text(text)
    fresh.rename(path)


def _stand_in(name: str, **contents: object) -> None:
    module = types.ModuleType(name)
    module.__dict__.update(contents)
    sys.modules[name] = module


if __name__ == "__main__":
    _stand_in(
        "workers.play.parts", play=play, warm_run=warm_run, in_play=in_play, warm_what_is_compiled=warm_what_is_compiled
    )
    _stand_in("results.store", Run=FolderRun)
    workers.play.__dict__["parts"] = sys.modules["workers.play.parts"]
    sys.exit(main())
