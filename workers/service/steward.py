"""The steward: brings all open runs on, a window of parts each, so that no run starves another.

`python -m workers.service.steward` is its process; it takes the broker's URL from `FOURFOLD_BROKER`. One acts at a
time, by a lease, for economy: two that act at once do no harm.
"""

import argparse
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import uuid4

from sim.errors import FourfoldError
from workers.broker.embedded import VARIABLE, checked_url
from workers.lifeline import die_with_parent, end_soon_without
from workers.places import located, root_mark, sweep
from workers.service.shepherd import Run, Shepherd

if TYPE_CHECKING:
    from workers.service.app import Fourfold

LEASE_S = 10.0
RENEW_S = 3.0
TICK_S, IDLE_S = 0.05, 0.25
SCAN_S = 0.5  # between two looks at which runs are open
LOST_S = 2.0  # after which a part that no message is of is not on its way
UNKNOWN_PROCESSES = 4  # a window for workers that have not announced themselves yet
_REFUSED = 3

logger = logging.getLogger("fourfold")


def _broker_errors() -> tuple[type[Exception], ...]:
    """Give what is raised where the broker does not answer."""
    from kombu.exceptions import OperationalError
    from redis import RedisError

    return RedisError, OSError, OperationalError


def _open(location: str) -> Run:
    from results.store import Run as StoredRun

    return StoredRun.open(location)


class Steward:
    """Tends the open runs of one broker for as long as it has the lease.

    `open_run` opens the run in a folder. A steward that is started again under the same `name` still has its lease.
    """

    def __init__(self, app: "Fourfold", open_run: Callable[[str], Run] = _open, name: str = "") -> None:
        self.name = name or f"{os.uname().nodename}-{os.getpid()}-{uuid4().hex[:8]}"
        self._app = app
        self._ledger = app.ledger
        self._open_run = open_run
        self._shepherds: dict[str, Shepherd] = {}
        self._window = 0
        self._root = ""
        self._deaths = 0
        self._held_until = self._scanned_at = float("-inf")

    def tick(self) -> float:
        """Do what is to be done now; returns after how many seconds to come again.

        A broker that does not answer is no error here: it is asked again.
        """
        try:
            if not self._holds_lease():
                self._hand_over()
                return IDLE_S
            self._tend()
        except _broker_errors() as error:
            self._held_until = float("-inf")  # It may be another one's by now: ask before acting.
            logger.info("the broker does not answer: %s", error)  # The worker beside it says so.
            return 1.0
        return TICK_S if self._shepherds else IDLE_S

    def _hand_over(self) -> None:
        """Leave the runs to the steward that has the lease now; it may have taken it on a broker that lost its data."""
        for word in self._shepherds:
            self._ledger.unpublish(word)  # What was queued then is lost, too.
            self._ledger.open(word)
        self._shepherds.clear()

    def leave(self) -> None:
        """Give the lease back."""
        from redis import RedisError

        try:
            self._ledger.release(self.name, self._root)
        except (RedisError, OSError) as error:
            logger.info("the lease was not given back: %s", error)

    def _holds_lease(self) -> bool:
        """Take or renew the lease: of the runs' folder that is seen here, so that runs elsewhere have their own."""
        now = time.monotonic()
        if now > self._held_until - LEASE_S + RENEW_S:
            if not self._app.is_private:
                self._root = root_mark()
            is_seen = self._app.is_private or self._root != ""
            is_held = is_seen and self._ledger.hold(self.name, LEASE_S, self._root)
            self._held_until = now + LEASE_S if is_held else float("-inf")
        return now < self._held_until

    def _tend(self) -> None:
        now = time.monotonic()
        if now - self._scanned_at >= SCAN_S:
            self._scan()
            self._scanned_at = now
        for word, part in self._ledger.returned(self._root) if self._shepherds else ():
            if word in self._shepherds:
                self._shepherds[word].give_back(part)
        for word, shepherd in list(self._shepherds.items()):
            try:
                if not shepherd.tend(self._window):
                    self._close(word)
            except FourfoldError as error:  # Its folder, say; the other runs go on.
                self._ledger.note(word, "steward", str(error))
            except _broker_errors():
                raise
            except Exception as error:  # A fault of ours in one run is none of the others'.
                logger.exception("run %s", ascii(word))
                self._ledger.note(word, "steward", f"internal error: {type(error).__name__}: {error}")
                del self._shepherds[word]

    def _scan(self) -> None:
        """See which runs are open, and how much the workers take."""
        deaths = self._ledger.deaths()
        if self._ledger.has_lost_all(self._root) or deaths != self._deaths:  # The queue is empty, or a worker had some.
            self._drop_all()
        self._deaths = deaths
        if self._ledger.is_idle():  # A message was lost, then, if a part is thought to be on its way.
            for shepherd in self._shepherds.values():
                shepherd.drop_older(LOST_S)
        words = self._ledger.open_runs(self._root)
        for word in self._shepherds.keys() - set(words):
            # The broker has lost its data; a run that has come to its end is closed by what stands in its folder.
            self._ledger.open(word)
        for word in words:
            if word not in self._shepherds:
                self._begin(word)
        processes = self._ledger.processes() or UNKNOWN_PROCESSES
        # Together the runs queue twice what the workers play at once, and each of them at least two parts.
        self._window = max(2, -(-(2 * processes + 4) // max(1, len(self._shepherds))))

    def _drop_all(self) -> None:
        """Take it that no part of any run is on its way."""
        for shepherd in self._shepherds.values():
            shepherd.drop_all()

    def _begin(self, word: str) -> None:
        try:
            run = self._open_run(located(word, private=self._app.is_private))
        except FourfoldError as error:
            self._ledger.note(word, "steward", str(error))
        else:
            self._shepherds[word] = Shepherd(word, run, self._app, self.name)

    def _close(self, word: str) -> None:
        """Take a run that has come to its end off the list."""
        shepherd = self._shepherds[word]
        self._ledger.close(word)
        if not shepherd.is_closed():  # It was resumed this very moment.
            self._ledger.open(word)
            return
        self._ledger.clear(word)
        del self._shepherds[word]
        with suppress(FourfoldError):  # Another run may lie there by now, submitted under the same word.
            run = self._open_run(located(word, private=self._app.is_private))
            if not Shepherd(word, run, self._app, self.name).is_closed():
                self._ledger.open(word)
                return
        sweep(shepherd.location)


def steward_until(steward: Steward, stopped: threading.Event) -> None:
    """Tick until `stopped` is set, and give the lease back."""
    try:
        while not stopped.wait(steward.tick()):
            pass
    finally:
        steward.leave()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the steward: the broker is the one that `FOURFOLD_BROKER` names."""
    parser = argparse.ArgumentParser(prog="python -m workers.service.steward", description=main.__doc__)
    parser.add_argument("--parent", type=int, default=0, metavar="PID", help="end when this process, the parent, does")
    parser.add_argument("--name", default="", help="whose lease this is: the same for all that follow one another")
    options = parser.parse_args(arguments)
    if options.parent:
        die_with_parent(options.parent, signal.SIGTERM)
        end_soon_without(options.parent)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    from workers.service.app import celery_app

    logging.basicConfig(format="%(asctime)s steward: %(message)s")
    try:
        url = checked_url(os.environ.get(VARIABLE, ""))
    except FourfoldError as error:
        sys.stderr.write(f"{error}\n")
        return _REFUSED
    steward_until(Steward(celery_app(url), name=options.name), stopped)
    return 0


if __name__ == "__main__":
    sys.exit(main())
