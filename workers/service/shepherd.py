"""Brings one open run to its end: keeps a small window of its parts queued until every one is committed, and sums up.

The run's folder alone says what is done. A message is a hint that may be lost or come twice, so a part that is not
committed when its lease is over is queued again. Nothing here has to happen exactly once: whatever a second shepherd
of the same run does at the same time gives the same bytes.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sim.errors import StoreError
from workers.places import sweep
from workers.service.flight import Flight
from workers.service.tasks import queue_part

if TYPE_CHECKING:
    from workers.broker.ledger import Ledger
    from workers.service.app import Fourfold

LOOK_S = 0.5  # between two looks at what seldom changes: cancelled, failed, gone
LIST_S = 5.0  # between two lists of all committed parts
TELL_S = 1.0  # between two words to whoever watches
GONE_S = 60.0  # a folder that is not there for so long is gone: until then it may be on a disk that comes back
PAUSE_S, LONGEST_PAUSE_S = 0.25, 2.0  # before parts that are given back are queued again; longer while none is done
RATE_S = 60.0  # the speed is that of the last minute


class Run(Protocol):
    """What a shepherd asks of a run's folder (`results.store.Run`)."""

    @property
    def location(self) -> str: ...  # noqa: D102
    @property
    def parts(self) -> int: ...  # noqa: D102
    @property
    def is_there(self) -> bool: ...  # noqa: D102
    @property
    def is_cancelled(self) -> bool: ...  # noqa: D102
    @property
    def ended(self) -> str: ...  # noqa: D102
    def needs(self, part: int) -> range: ...  # noqa: D102
    def is_committed(self, part: int) -> bool: ...  # noqa: D102
    def committed(self) -> set[int]: ...  # noqa: D102
    def damage(self, part: int, *, by_bytes: bool = False) -> str | None: ...  # noqa: D102
    def move_aside(self, part: int) -> str: ...  # noqa: D102
    def log(self, entry: dict[str, Any]) -> None: ...  # noqa: D102
    def write_summary(self) -> dict[str, Any]: ...  # noqa: D102


class Shepherd:
    """The steward's part in one open run."""

    def __init__(self, word: str, run: Run, app: "Fourfold", steward: str = "") -> None:
        self.word = word
        self._steward = steward
        self._run = run
        self._app = app
        self._ledger: Ledger = app.ledger
        self._flight = Flight()
        self._done: set[int] = set()
        self._paused: dict[int, float] = {}
        self._pause_s = PAUSE_S
        self._rates: deque[tuple[float, int]] = deque()
        self._looked_at = self._listed_at = self._told_at = float("-inf")
        self._ending: _Ending | None = None
        self._gone_at = 0.0
        self._trouble = ""
        self._adopt()

    def _adopt(self) -> None:
        """Take over what the steward before this one had queued."""
        status = self._ledger.status(self.word) or {}
        queued = status.get("queued")
        now = time.monotonic()
        for part, age_s in (queued if isinstance(queued, dict) else {}).items():
            if part.isdecimal() and int(part) < self._run.parts and isinstance(age_s, int | float):
                self._flight.queue(int(part), now - age_s - status["age_s"])

    def tend(self, window: int) -> bool:
        """Do what is to be done now, with up to `window` parts on their way; false when the run is closed.

        Raises
        ------
        redis.RedisError, OSError, kombu.exceptions.OperationalError
            If the broker does not answer.
        """
        now = time.monotonic()
        if now - self._looked_at >= LOOK_S:
            if self.is_closed():
                return False
            self._looked_at = now
            if self._gone_at:
                self._ledger.note(self.word, "steward", f"The folder {self.location} is not there; it is waited for.")
        if self._gone_at:
            return True
        self._note_landed(now)
        if len(self._done) == self._run.parts:
            self._end()
        else:
            self._flight.expire(now)
            self._fill(window, now)
        if now - self._told_at >= TELL_S:
            self._tell(now)
        return True

    @property
    def location(self) -> str:
        """The run's folder."""
        return self._run.location

    def give_back(self, part: int) -> None:
        """Note that a part's message came to a worker who could not play it."""
        self._flight.drop(part)
        self._paused[part] = time.monotonic() + self._pause_s
        self._pause_s = min(1.1 * self._pause_s, LONGEST_PAUSE_S)

    def drop_all(self) -> None:
        """Note that a worker died, which may have had any part: all are free to be queued again.

        A part that is still queued, or in play elsewhere, is committed before its second message comes.
        """
        for part in self._flight.parts:
            self._flight.drop(part)

    def drop_older(self, seconds: float) -> None:
        """Note that no message is anywhere: what was queued so long ago is lost, or done."""
        for part, age in self._flight.ages(time.monotonic()).items():
            if age > seconds:
                self._flight.drop(part)

    def is_closed(self) -> bool:
        """Say whether there is nothing left to do: finished, cancelled, failed or gone."""
        run, now = self._run, time.monotonic()
        if not run.is_there and not (Path(run.location) / "plan.json").exists():
            self._gone_at = self._gone_at or now
            return now - self._gone_at > GONE_S
        self._gone_at = 0.0
        return run.ended != "" or not run.is_there

    def _note_landed(self, now: float) -> None:
        """Note which parts are committed: those on their way at every look, the others now and then."""
        if now - self._listed_at >= LIST_S:
            done = self._run.committed()
            for part in self._done - done:
                self._run.log({"part": part, "steward": "a committed part is gone and is played again"})
            self._done = done
            self._listed_at = now
        self._done.update(part for part in self._flight.parts if self._run.is_committed(part))
        for part in self._flight.parts:
            if part in self._done:
                self._flight.land(part, now)
                self._pause_s = PAUSE_S

    def _fill(self, window: int, now: float) -> None:
        """Queue parts up to the window."""
        self._paused = {part: until for part, until in self._paused.items() if until > now}
        room = window - len(self._flight) - len(self._paused)
        for part in list(islice(self._waiting(), max(0, room))):
            queue_part(self._app, self.word, part)
            self._flight.queue(part, now)

    def _waiting(self) -> Iterator[int]:
        """Give the parts that can be queued: all that they build on are done."""
        missing = (part for part in range(self._run.parts) if part not in self._done)
        first = next(missing, None)
        for part in () if first is None else chain([first], missing):
            # What a part builds on are all parts below some number.
            if self._run.needs(part).stop > (first or 0):
                return
            if part not in self._flight and part not in self._paused:
                yield part

    def _end(self) -> None:
        """Check and sum up the run, beside the other runs; a damaged part is free to be played again."""
        if self._ending is None:
            self._ending = _Ending(self._run)
        if self._ending.is_alive():
            return
        self._trouble = self._ending.trouble
        self._ending = None
        self._listed_at = self._looked_at = float("-inf")
        if self._trouble:  # A full disk, say: it is tried again, but not in every tick.
            self._ledger.note(self.word, "steward", self._trouble)

    def _tell(self, now: float) -> None:
        """Publish what is known."""
        self._told_at = now
        self._rates.append((now, len(self._done)))
        while now - self._rates[0][0] > RATE_S:
            self._rates.popleft()
        (since, before), (until, after) = self._rates[0], self._rates[-1]
        self._ledger.publish(
            self.word,
            {
                "done": len(self._done),
                "parts": self._run.parts,
                "queued": {str(part): round(age, 2) for part, age in self._flight.ages(now).items()},
                "overdue": self._flight.overdue,
                "is_summing": self._ending is not None,
                "parts_per_s": (after - before) / (until - since) if until > since and after > before else 0.0,
                "steward": self._steward,
            },
        )


class _Ending(threading.Thread):
    """Checks every part's files, moves damaged ones aside, and writes the summary if none was."""

    def __init__(self, run: Run) -> None:
        super().__init__(name="fourfold-ending", daemon=True)
        self._run = run
        self.trouble = ""
        self.start()

    def run(self) -> None:
        """Do it; `trouble` says what went wrong, if anything."""
        try:
            self._check_and_sum()
        except StoreError as error:
            self.trouble = str(error)
            time.sleep(2.0)

    def _check_and_sum(self) -> None:
        damaged = 0
        for part in range(self._run.parts):
            damage = self._run.damage(part, by_bytes=True)
            if damage:
                damaged += 1
                place = self._run.move_aside(part)
                self._run.log({"part": part, "steward": damage, "moved_to": place})
        if not damaged and not self._run.is_cancelled:
            sweep(self._run.location)
            self._run.write_summary()
