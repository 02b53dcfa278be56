"""Broker, worker and steward of this machine, kept up: for one job (`submit --wait`), or until told to stop.

A worker and a steward are children of this process. Should it die, however it does, they end with it; should one of
them die, it is started again.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from uuid import uuid4

from workers.broker.embedded import VARIABLE, client
from workers.broker.ledger import Ledger
from workers.service.child import RESTARTS, STOP_S, Child

_PROGRAM = (sys.executable, "-P", "-m")  # -P: no package of the current folder comes first
WORKER = (*_PROGRAM, "workers.service.pool")
STEWARD = (*_PROGRAM, "workers.service.steward")
_LOOK_S = 0.2


class Service:
    """A worker with `processes` processes and a steward, on the broker at `url`.

    `warm` is the location of a run whose bots and kernels the worker loads before it forks. What both say goes to the
    end of the file `log`, or to standard error. With `most_restarts` a child that dies so often in a row is given up.
    `worker` is the command line of the program that serves.
    """

    def __init__(
        self,
        url: str,
        processes: int,
        *,
        log: Path | None = None,
        warm: str = "",
        most_restarts: int | None = RESTARTS,
        worker: Sequence[str] = WORKER,
    ) -> None:
        self._ledger = Ledger(client(url))
        words = [*worker, "--processes", str(processes), "--warm", warm]
        self.worker = Child("worker", words, {VARIABLE: url}, log, most_restarts)
        name = f"{os.uname().nodename}-{os.getpid()}-{uuid4().hex[:8]}"
        self.steward = Child("steward", [*STEWARD, "--name", name], {VARIABLE: url}, log, most_restarts)

    def is_ready(self) -> bool:
        """Say whether the worker has announced itself on the broker."""
        with contextlib.suppress(Exception):  # A broker that does not answer knows of none.
            return any(
                worker.get("pid") == self.worker.pid and worker.get("host") == os.uname().nodename
                for worker in self._ledger.workers()
            )
        return False

    def tend(self, finished: int = 0) -> None:
        """Start again what has died. `finished` counts the parts done so far.

        Raises
        ------
        BrokerError
            A child refused to start, or dies again and again.
        """
        if self.worker.tend(finished):
            with contextlib.suppress(Exception):  # Without that word the parts come back when their lease is over.
                self._ledger.count_death()
        self.steward.tend(finished)

    def stop(self) -> None:
        """Let the worker finish what it has begun; then nothing of either is left."""
        try:
            self.steward.stop()
        finally:
            self.worker.stop()

    def drain(self, hurried: threading.Event) -> None:
        """Do as `stop` does, but end at once when `hurried` is set."""
        self.steward.ask_to_stop()
        self.worker.ask_to_stop()
        deadline = time.monotonic() + STOP_S
        while (self.worker.is_running() or self.steward.is_running()) and time.monotonic() < deadline:
            if hurried.wait(_LOOK_S):
                break
        self.kill()

    def kill(self) -> None:
        """End both at once."""
        self.steward.kill()
        self.worker.kill()


@contextlib.contextmanager
def service(
    url: str,
    processes: int,
    *,
    log: Path | None = None,
    warm: str = "",
    worker: Sequence[str] = WORKER,
) -> Iterator[Service]:
    """Run a worker and a steward for as long as the block lasts; see `Service`."""
    running = Service(url, processes, log=log, warm=warm, worker=worker)
    try:
        yield running
    finally:
        running.stop()


def serve_until_told(
    url: str, processes: int, say: Callable[[str], None], on_ready: Callable[[], None] = lambda: None
) -> None:
    """Keep a worker and a steward up until SIGTERM or SIGINT: the first drains, the second hurries.

    `on_ready` is called once, when the worker has announced itself.

    Raises
    ------
    BrokerError
        A child refuses to start.
    """
    told, hurried = threading.Event(), threading.Event()

    def tell(*_: object) -> None:
        (hurried if told.is_set() else told).set()

    before = {number: signal.signal(number, tell) for number in (signal.SIGTERM, signal.SIGINT)}
    running = Service(url, processes, most_restarts=None)
    try:
        is_ready = False
        while not told.wait(_LOOK_S):
            running.tend()
            if not is_ready and running.is_ready():
                is_ready = True
                on_ready()
        say("stopping: the parts at hand are finished first (once more to hurry)")
        running.drain(hurried)
    finally:
        running.kill()
        for number, handler in before.items():
            signal.signal(number, handler)
