"""A run's folder: created once, filled part by part, summed up, checked and repaired."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

from results.folder import Folder
from results.kinds import AnyLayout, check_fits, held, layout_from_json, merged, part_sums, summarise
from results.plan import NOUNS, STANDINGS, Span, check_plan, needs_of, parts_of, span_of, unit_of, units_of
from results.schema import SCHEMA_VERSION
from sim.errors import SpecError, StoreError

if TYPE_CHECKING:
    from results.cells import Cells
    from results.summary import Summary
    from results.sums import Sums

JOB, PLAN, SUMMARY, LOG, CANCELLED = "job.json", "plan.json", "summary.json", "log.jsonl", "cancelled.json"
SUMS, FAILURES, DAMAGED = "sums", "failures", "damaged"

# These keys of job.json belong to the store; the rest is the job document.
STORE_KEYS = ("schema_version", "layout")
PART_FILE = re.compile(r"(\d{5,})\.json")


@dataclass(frozen=True, slots=True)
class Run:
    """A run's folder, opened. `job` is the job document, `plan` says how its deals or tournaments are cut into parts.

    Only the folder changes, never this value; what was committed meanwhile is read anew by each method. Every
    method raises StoreError if a file cannot be read or written.
    """

    location: str
    job: dict[str, Any]
    layout: AnyLayout
    plan: dict[str, Any]

    @classmethod
    def create(
        cls,
        location: str | os.PathLike[str],
        job_document: Mapping[str, Any],
        layout: AnyLayout,
        plan: Mapping[str, Any],
    ) -> Run:
        """Create the run in a folder that is missing or empty, or open it if it holds this very run already.

        `job_document` is JSON data with a key "identity" and, if known, "game_version". Of several processes
        that create a run at once the first one's job.json and plan.json hold. Raises StoreError if the folder
        holds another job's run or anything else, or cannot be written; SpecError if the plan is not one.
        """
        check_plan(plan)
        check_fits(layout, plan)
        folder = cls.reserve(location, job_document, layout)
        folder.create(PLAN, _json(dict(plan), indent=2))
        run = cls.open(folder.path)
        if run.layout != layout:
            raise StoreError(f"The run in {folder.path} has other columns: another version of the game wrote it.")
        return run

    @classmethod
    def reserve(cls, location: str | os.PathLike[str], job_document: Mapping[str, Any], layout: AnyLayout) -> Folder:
        """Make a run's folder and its job.json, where the folder is free; the plan may come later.

        Raises StoreError as `create` does.
        """
        place = os.path.abspath(location)  # noqa: PTH100 - a name for people keeps the links in it
        folder = Folder(Path(place))
        folder.make()
        names = folder.names()
        if names and JOB not in names:
            raise StoreError(f"Folder {place} holds other files ({names[0]}, …) and no run. Choose another folder.")
        document = {**job_document, "schema_version": SCHEMA_VERSION, "layout": layout.to_json()}
        if JOB not in names:
            folder.create(JOB, _json(document, indent=2))
        stored = _read_object(folder, JOB)
        if stored.get("identity") != document["identity"]:
            raise StoreError(
                f"Folder {place} holds the run {stored.get('identity')} of another job; this job is "
                f"{document['identity']}. Choose another folder."
            )
        return folder

    @classmethod
    def open(cls, location: str | os.PathLike[str]) -> Run:
        """Open the run in a folder. Raises StoreError; if there is none, with the nearest name beside it."""
        place = os.path.abspath(location)  # noqa: PTH100
        folder = Folder(Path(place))
        if not folder.has(JOB):
            near = get_close_matches(folder.path.name, list_runs(folder.path.parent), n=1, cutoff=0.5)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise StoreError(f"There is no run in {place}.{hint}")
        document = _read_object(folder, JOB)
        if document.get("schema_version") != SCHEMA_VERSION:
            raise StoreError(
                f"The run in {place} has tables of version {document.get('schema_version')}; "
                f"this program reads version {SCHEMA_VERSION}."
            )
        if not folder.has(PLAN):
            raise StoreError(
                f"The run in {place} has no plan.json yet: what began it is at that now, or was stopped. "
                "The same command goes on from there."
            )
        plan = _read_object(folder, PLAN)
        try:
            layout = layout_from_json(document.get("layout", {}))
            check_plan(plan)
            check_fits(layout, plan)
            if "identity" not in document:
                raise SpecError(f"{JOB} states no identity.")
        except SpecError as error:
            raise StoreError(f"The run in {place} is damaged: {error}") from error
        job = {key: value for key, value in document.items() if key not in STORE_KEYS}
        return cls(place, job, layout, plan)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self._folder.path.name

    @property
    def identity(self) -> str:
        """The run's identity, as its job document states it."""
        return str(self.job["identity"])

    @property
    def parts(self) -> int:
        """The number of parts; they are numbered from 0."""
        return parts_of(self.plan)

    @property
    def games(self) -> int | None:
        """The number of games, as the plan states it; None where results decide how many there are."""
        games = self.plan.get("games")
        return None if games is None else int(games)

    @property
    def unit(self) -> str:
        """What the plan cuts: deals, tournaments, or the matches of a single tournament."""
        return NOUNS[unit_of(self.plan)]

    @property
    def units(self) -> int:
        """How many of these there are in all parts together."""
        return units_of(self.plan)

    def units_in(self, part: int) -> int:
        """How many of these a part has; the standings are none."""
        span = self.part_span(part)
        return 0 if span.unit == STANDINGS else span.count

    @property
    def is_complete(self) -> bool:
        """True if the summary, which is written last, is there."""
        return self._folder.has(SUMMARY)

    @property
    def begun(self) -> str:
        """When the run was begun (ISO, UTC): the time of its plan, which is made once."""
        with suppress(OSError):
            made = (self._folder.path / PLAN).stat().st_mtime
            return datetime.fromtimestamp(made, UTC).isoformat(timespec="seconds")
        return ""

    @property
    def ended(self) -> str:
        """How the run has come to its end: `done`, `failed` or `cancelled`; nothing while it has not."""
        if self.is_complete:
            return "done"
        if self._folder.names(FAILURES):
            return "failed"
        return "cancelled" if self.is_cancelled else ""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let everybody on this machine see, for as long as the block lasts, that somebody is at work on the run.

        It guards nothing: a lock on the job's file, which the system gives back however a process ends.
        """
        with open(self._folder.path / JOB, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            yield

    @property
    def is_held(self) -> bool:
        """True while somebody on this machine is at work on the run."""
        for pause_s in (0.002, 0.005, 0.02, 0.0):  # Whoever else asks has the lock for a moment.
            try:
                with open(self._folder.path / JOB, "rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                sleep(pause_s)
            except OSError:
                return False
            else:
                return False
        return True

    @property
    def is_there(self) -> bool:
        """True while the folder still holds this run, cut as it is known here."""
        folder = self._folder
        if not (folder.has(JOB) and folder.has(PLAN)):
            return False
        return _read_object(folder, JOB).get("identity") == self.identity and _read_object(folder, PLAN) == self.plan

    @property
    def is_cancelled(self) -> bool:
        """True from `cancel` to `clear_cancel`."""
        return self._folder.has(CANCELLED)

    @property
    def _folder(self) -> Folder:
        return Folder(Path(self.location))

    @property
    def _origin(self) -> dict[str, str]:
        return {"game_version": str(self.job.get("game_version", "")), "identity": self.identity}

    def part_span(self, part: int) -> Span:
        """Return what a part holds. Raises StoreError if there is no such part."""
        if not 0 <= part < self.parts:
            raise StoreError(f"Run {self.name} has no part {part}; its parts are 0 .. {self.parts - 1}.")
        return span_of(self.plan, part)

    def part_range(self, part: int) -> tuple[int, int]:
        """Return a part's first deal or tournament and how many it has. Raises StoreError if there is no such part."""
        span = self.part_span(part)
        return span.first, span.count

    def needs(self, part: int) -> range:
        """Return the parts that must be committed before a part can be played: the earlier rounds of a tournament."""
        self.part_span(part)
        return needs_of(self.plan, part)

    def committed(self) -> set[int]:
        """Return the parts that are committed: those with a file of sums."""
        return {part for part in _numbered(self._folder.names(SUMS)) if part < self.parts}

    def is_committed(self, part: int) -> bool:
        """Return whether a part is committed."""
        return self._folder.has(_sums_name(part))

    def write_part(self, part: int, *cells: Cells) -> Sums:
        """Write a played part, the sums last, and return its sums; doing it twice gives the same bytes.

        The arrays are those of `layout.all_tables` in that order, of no columns for a table that the run lacks, as
        `cells.check_cells` or `tournament.cells.check_cells` describes them. Raises StoreError if they are not what the
        part should hold, or if the part is committed already with other results.
        """
        from results import parquet

        sums = part_sums(self.layout, self.part_span(part), cells)
        self._check_held(part, sums)
        folder = self._folder
        if folder.has(_sums_name(part)):
            before = self.read_sums(part)
            if before != sums:
                raise StoreError(
                    f"Part {part} of run {self.name} is committed with the content hash "
                    f"{before['content_hash']} and was played again with "
                    f"{sums['content_hash']}: the same job gave other results."
                )
        files = {}
        if self.plan["detail"] == "full":
            cells_of = dict(zip(self.layout.all_tables, cells, strict=True))
            for table in self.layout.tables:
                data = parquet.encode(self.layout, table, cells_of[table], self._origin)
                files[table] = {"bytes": len(data), "sha256": sha256(data).hexdigest()}
                folder.write(_table_name(table, part), data)
        folder.write(_sums_name(part), _sealed({"identity": self.identity, "part": part, "files": files, "sums": sums}))
        return sums

    def read_sums(self, part: int) -> Sums:
        """Return a committed part's sums. Raises StoreError if their file is missing or damaged."""
        sums: Sums = self._sealed_sums(part)["sums"]
        return sums

    def read_part(self, part: int) -> tuple[Cells, ...]:
        """Return a part's raw cells as `write_part` got them. Raises StoreError if a file is damaged."""
        self._check_has_tables(part)
        return tuple(self._read_table(table, part) for table in self.layout.all_tables)

    def read_table(self, table: str, part: int) -> Cells:
        """Return the raw cells of one table of a part. Raises StoreError if the file is damaged, UnknownName."""
        self._check_has_tables(part)
        self.layout.columns(table)
        return self._read_table(table, part)

    def damage(self, part: int, *, by_bytes: bool = False) -> str | None:
        """Return in one sentence what is wrong with a committed part, or None if nothing is.

        Hash, sums and counts are computed again from the stored tables and compared with the sums, and the
        files' bytes with the digests taken when they were written; with `by_bytes` the bytes alone, which takes a
        tenth of the time. Of a run without tables the sums are checked alone.
        """
        try:
            stored = self._sealed_sums(part)
            if set(stored["files"]) != (set(self.layout.tables) if self.plan["detail"] == "full" else set()):
                return f"{_sums_name(part)}: it is of a run with another --detail."
            for table, seal in stored["files"].items():
                self._check_file(_table_name(table, part), seal)
            if self.plan["detail"] == "full" and not by_bytes:
                sums = part_sums(self.layout, self.part_span(part), self.read_part(part))
                for key in ("games", "content_hash", *sums):
                    if sums[key] != stored["sums"][key]:
                        return f"{_sums_name(part)}: {key} is not what the tables give."
        except StoreError as error:
            return str(error)
        return None

    def move_aside(self, part: int) -> str:
        """Move a part's files into a new folder below damaged/ and return its name; the part is open again.

        The summary is moved first and the sums second, so that an interruption leaves nothing that looks
        finished.
        """
        self.part_span(part)
        folder = self._folder
        place = folder.reserve(f"{DAMAGED}/{part:05d}")
        tables = [_table_name(table, part) for table in self.layout.tables]
        for name in (SUMMARY, _sums_name(part), *tables):
            if folder.has(name):
                folder.move(name, f"{place}/{name.replace('/', '-')}")
        return place

    def write_summary(self) -> Summary:
        """Sum up all parts, write the summary, which completes the run, and return it.

        Raises StoreError if a part is missing or its sums are damaged.
        """
        missing = sorted(set(range(self.parts)) - self.committed())
        if missing:
            few = ", ".join(str(part) for part in missing[:5])
            more = ", …" if len(missing) > 5 else ""
            raise StoreError(
                f"Run {self.name} is not finished: of {self.parts} parts {len(missing)} are missing ({few}{more})."
            )
        total = merged(self.layout, map(self.read_sums, range(self.parts)))
        summary = summarise(self.layout, total, self.identity)
        self._folder.write(SUMMARY, _json(summary, indent=2))
        return summary

    def summary(self) -> Summary:
        """Return the summary. Raises StoreError if the run is not finished."""
        if not self.is_complete:
            done = len(self.committed())
            raise StoreError(f"Run {self.name} has no summary yet: {done} of {self.parts} parts are done.")
        return _read_object(self._folder, SUMMARY)

    def log(self, entry: Mapping[str, Any]) -> None:
        """Append a line to log.jsonl: the time (UTC) and the entry."""
        self._folder.append(LOG, json.dumps({"time": _now(), **entry}))

    def record_failure(self, part: int, entry: Mapping[str, Any]) -> None:
        """Note that a part cannot be played, and why."""
        self.part_span(part)
        self._folder.write(f"{FAILURES}/{part:05d}.json", _json(dict(entry), indent=2))

    def failures(self) -> dict[int, dict[str, Any]]:
        """Return the entries that `record_failure` noted, by part."""
        folder = self._folder
        parts = sorted(_numbered(folder.names(FAILURES)))
        return {part: _read_object(folder, f"{FAILURES}/{part:05d}.json") for part in parts}

    def cancel(self) -> None:
        """Ask everybody who plays the run to stop; what is committed stays."""
        self._folder.create(CANCELLED, _json({"time": _now()}))

    def clear_cancel(self) -> None:
        """Let the run be played again."""
        self._folder.remove(CANCELLED)

    def clear_failures(self) -> None:
        """Forget all failures, so that their parts can be played again."""
        for part in self.failures():
            self._folder.remove(f"{FAILURES}/{part:05d}.json")

    def _check_has_tables(self, part: int) -> None:
        """Raise StoreError unless there is such a part and the run keeps its tables."""
        self.part_span(part)
        if self.plan["detail"] != "full":
            raise StoreError(f"Run {self.name} keeps sums only (detail summary): it has no tables to read.")

    def _check_held(self, part: int, sums: Sums) -> None:
        """Raise StoreError unless the sums are those of exactly what the part should hold."""
        span, found = self.part_span(part), held(self.layout, sums)
        if found != [span]:
            what = ", ".join(map(str, found))
            raise StoreError(f"Part {part} of run {self.name} has {span}, and what is there is {what}.")

    def _read_table(self, table: str, part: int) -> Cells:
        """Return the raw cells of one file, or none of a table that the run lacks. Raises StoreError that names it."""
        if table not in self.layout.tables:
            import numpy as np

            return np.empty((0, 0), np.int64)
        from results import parquet

        name = _table_name(table, part)
        data = self._folder.read(name)
        try:
            return parquet.decode(self.layout, table, data, self._origin)
        except StoreError as error:
            raise StoreError(f"{name}: {error}.") from error

    def _sealed_sums(self, part: int) -> dict[str, Any]:
        """Return a part's file of sums. Raises StoreError if it is missing, damaged or another part's."""
        name = _sums_name(part)
        stored = _read_object(self._folder, name)
        seal = stored.pop("seal", None)
        if seal != _digest(stored):
            raise StoreError(f"{name}: its contents do not match its seal.")
        if stored["identity"] != self.identity or stored["part"] != part:
            raise StoreError(f"{name}: it belongs to part {stored['part']} of the run {stored['identity']}.")
        self._check_held(part, stored["sums"])
        return stored

    def _check_file(self, name: str, seal: Mapping[str, Any]) -> None:
        """Raise StoreError unless the file has the bytes that were written."""
        data = self._folder.read(name)
        if len(data) != seal["bytes"]:
            raise StoreError(f"{name}: {len(data)} bytes long, {seal['bytes']} were written.")
        if sha256(data).hexdigest() != seal["sha256"]:
            raise StoreError(f"{name}: its bytes are not those that were written.")


def list_runs(root: str | os.PathLike[str]) -> list[str]:
    """Return the names of the folders below `root` that hold a run, in order."""
    folder = Folder(Path(root))
    return [name for name in folder.names() if _may_hold_run(folder, name)] if folder.path.is_dir() else []


def _may_hold_run(folder: Folder, name: str) -> bool:
    """Return whether a run lies in a folder below; of one that cannot be looked into, that it may."""
    try:
        return folder.has(f"{name}/{JOB}")
    except StoreError:
        return True


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _table_name(table: str, part: int) -> str:
    return f"{table}/{part:05d}.parquet"


def _sums_name(part: int) -> str:
    return f"{SUMS}/{part:05d}.json"


def _numbered(names: list[str]) -> set[int]:
    """Return the part numbers of the names that have one."""
    return {int(match[1]) for match in map(PART_FILE.fullmatch, names) if match}


def _read_object(folder: Folder, name: str) -> dict[str, Any]:
    """Return a file's JSON object. Raises StoreError that names the file."""
    data = folder.read(name)
    try:
        found = json.loads(data)
    except ValueError as error:
        raise StoreError(f"{folder.path / name} is damaged: {error}.") from error
    if not isinstance(found, dict):
        raise StoreError(f"{folder.path / name} is damaged: it holds no JSON object.")
    return found


def _json(data: dict[str, Any], indent: int | None = None) -> bytes:
    """Return JSON data as the bytes of a file: one line, or indented for people."""
    separators = (",", ":") if indent is None else None
    return f"{json.dumps(data, indent=indent, separators=separators, allow_nan=False)}\n".encode()


def _digest(data: dict[str, Any]) -> str:
    return sha256(_json(data)).hexdigest()


def _sealed(data: dict[str, Any]) -> bytes:
    """Return JSON data with their own digest as the bytes of a file."""
    return _json({**data, "seal": _digest(data)})
