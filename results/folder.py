"""A folder whose files appear whole or not at all: the few verbs that a run's store needs of a filesystem.

Local only. pyarrow.fs has neither exclusive creation nor fsync, and importing it takes longer than most
commands; a store elsewhere is another class with the same verbs.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from sim.errors import StoreError

TEMPORARY = ".tmp"


@contextmanager
def _explained(what: str, path: Path) -> Iterator[None]:
    """Turn an error of the operating system into a StoreError that names the path."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"Cannot {what} {path}: {error.strerror or error}.") from error


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder on this machine. Names of files are relative to it, with at most one folder between."""

    path: Path

    def make(self) -> None:
        """Create the folder and those above it, if missing. Raises StoreError."""
        with _explained("make folder", self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _make_folder(self.path)

    def names(self, below: str = "") -> list[str]:
        """Return the names in it or in one below it, in order, without temporary files; [] if missing."""
        place = self.path / below
        with _explained("list", place):
            try:
                found = os.listdir(place)  # noqa: PTH208 - a path for each of 100,000 parts is of no use
            except FileNotFoundError:
                return []
        return sorted(name for name in found if not name.endswith(TEMPORARY))

    def has(self, name: str) -> bool:
        """Return whether there is a file of that name. Raises StoreError if that cannot be seen."""
        with _explained("read", self.path / name):
            return (self.path / name).is_file()

    def read(self, name: str) -> bytes:
        """Return a file's bytes. Raises StoreError."""
        with _explained("read", self.path / name):
            return (self.path / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """Put a file there, whole or not at all, in place of one that may be there. Raises StoreError."""
        target = self.path / name
        with _explained("write", target), _temporary(target, data) as source:
            source.replace(target)
            _sync_folder(target.parent)

    def create(self, name: str, data: bytes) -> bool:
        """Put a file there, whole, unless there is one; return whether it was put there. Raises StoreError.

        Of several processes that try, one succeeds: a hard link, unlike a rename, never replaces a file.
        """
        target = self.path / name
        with _explained("write", target), _temporary(target, data) as source:
            try:
                target.hardlink_to(source)
            except FileExistsError:
                return False
            _sync_folder(target.parent)
            return True

    def append(self, name: str, line: str) -> None:
        """Append a line to a file in one piece, so that processes do not mix theirs. Raises StoreError."""
        target = self.path / name
        with _explained("write", target), target.open("ab", buffering=0) as file:
            file.write(f"{line}\n".encode())

    def move(self, name: str, to: str) -> None:
        """Move a file to another folder below this one, which is there. Raises StoreError."""
        target = self.path / to
        with _explained("move", self.path / name):
            (self.path / name).rename(target)
            _sync_folder(target.parent)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there. Raises StoreError."""
        with _explained("remove", self.path / name):
            (self.path / name).unlink(missing_ok=True)

    def abandon(self) -> None:
        """Remove the folder if it holds a single file at most: what was only begun. Raises StoreError."""
        with _explained("remove", self.path):
            names = os.listdir(self.path)  # noqa: PTH208
            if len(names) <= 1:
                for name in names:
                    (self.path / name).unlink()
                self.path.rmdir()

    def sweep(self) -> None:
        """Remove what killed writers left, here and one folder below; what cannot be removed stays."""
        with suppress(OSError):
            for left in (*self.path.glob(f".*{TEMPORARY}"), *self.path.glob(f"*/.*{TEMPORARY}")):
                with suppress(OSError), left.open("rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    left.unlink()

    def reserve(self, name: str) -> str:
        """Make a new folder of that name, or of the name with the next free number, and return its name."""
        place = self.path / name
        with _explained("make folder", place):
            _make_folder(place.parent)
            number = 1
            while True:
                chosen = name if number == 1 else f"{name}-{number}"
                try:
                    (self.path / chosen).mkdir()
                except FileExistsError:
                    number += 1
                else:
                    return chosen


@contextmanager
def _temporary(target: Path, data: bytes) -> Iterator[Path]:
    """Give the path of a synced file with those bytes beside the target; what is left of it is removed."""
    _make_folder(target.parent)
    source = target.parent / f".{target.name}.{uuid4().hex}{TEMPORARY}"
    try:
        with source.open("xb", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # Who can take it knows that the writer was killed.
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
            yield source
    finally:
        source.unlink(missing_ok=True)


def _make_folder(path: Path) -> None:
    """Make a folder below one that is there, to outlive a crash of the machine; or leave it as it is."""
    if not path.is_dir():
        path.mkdir(exist_ok=True)
        _sync_folder(path.parent)


def _sync_folder(path: Path) -> None:
    """Make a folder's new entries outlive a crash of the machine."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
