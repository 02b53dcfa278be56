"""Brings a run to its end on the queue: keeps a window of its parts queued until every one is committed.

The run's folder alone says what is done. A message is a hint that may be lost or come twice, so a part that
is not committed when its lease is over is queued again.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sim.errors import BotFailed, BrokerError
from workers.broker import broker, masked
from workers.pool import WORKER, pool, workers_there
from workers.tasks import queue_part

if TYPE_CHECKING:
    from workers.app import Fourfold

PAUSE_S = 0.05
ELSEWHERE = 64  # the window where the number of workers is not known
PATIENCE_S = 60.0  # a broker that takes no message for so long is out of reach
LEASES = 10  # in a row, of one part, without any part being committed


class Run(Protocol):
    """What the driver asks of a run's folder (`results.store.Run`)."""

    @property
    def location(self) -> str: ...  # noqa: D102
    @property
    def parts(self) -> int: ...  # noqa: D102
    def committed(self) -> set[int]: ...  # noqa: D102
    def failures(self) -> dict[int, dict[str, Any]]: ...  # noqa: D102
    def write_summary(self) -> dict[str, Any]: ...  # noqa: D102


class _Flight:
    """The parts that are on the queue or being played, as far as the driver knows."""

    def __init__(self) -> None:
        self._queued_at: dict[int, float] = {}
        self._leases: dict[int, int] = {}
        self._longest_s = 0.0

    def __len__(self) -> int:
        return len(self._queued_at)

    def __contains__(self, part: int) -> bool:
        return part in self._queued_at

    @property
    def lease_s(self) -> float:
        """Three times the longest way of a part through queue and pool so far, but 20 to 120 s.

        The first is time for a pool to start and compile. The last is when the broker itself brings a message
        back. A lease that is too short costs a message that is dropped when it comes; one that is too long,
        idle workers at the end.
        """
        return min(max(20.0, 3 * self._longest_s), 120.0)

    def queue(self, part: int, now: float) -> None:
        """Note that a part was queued."""
        self._queued_at[part] = now
        self._leases[part] = self._leases.get(part, 0) + 1

    def land(self, done: set[int], now: float) -> None:
        """Forget those that are done."""
        for part in done & self._queued_at.keys():
            self._longest_s = max(self._longest_s, now - self._queued_at.pop(part))
            self._leases.clear()

    def expire(self, now: float) -> int:
        """Forget those whose lease is over, to be queued again; returns the most leases that one has had."""
        lease_s = self.lease_s
        over = [part for part, queued_at in self._queued_at.items() if now - queued_at > lease_s]
        for part in over:
            del self._queued_at[part]
        return max((self._leases.get(part, 0) for part in over), default=0)

    def lose(self) -> None:
        """Forget all: the worker that had them died, and one that is still queued does no harm twice."""
        self._queued_at.clear()


def drive(
    run: Run,
    app: "Fourfold",
    *,
    window: int,
    on_progress: Callable[[set[int]], None] = lambda done: None,
    should_stop: Callable[[], bool] = lambda: False,
    tend: Callable[[int], bool] = lambda finished: False,
) -> dict[str, Any] | None:
    """Queue a run's parts, `window` at a time, until all are committed; writes and returns its summary.

    `on_progress` is given the committed parts whenever there are new ones. `should_stop` ends it early: None
    is returned. `tend` is called with the number of committed parts and says whether a worker died
    (`Pool.tend`).

    Raises
    ------
    BotFailed
        A part cannot be played; what stands recorded in the run's folder.
    BrokerError
        The broker takes no messages, or nobody finishes a part.
    """
    app.attempts.forget(run.location)
    flight = _Flight()
    known = -1
    taken_at = time.monotonic()
    while not should_stop():
        now = time.monotonic()
        done = run.committed()
        looked_s = time.monotonic() - now
        flight.land(done, now)
        if len(done) > known:
            known = len(done)
            on_progress(done)
        if known == run.parts:
            return run.write_summary()
        _stop_at_failure(run)
        if tend(known):
            flight.lose()
        if flight.expire(now) >= LEASES:
            raise BrokerError(
                f"A part of {run.location} was queued {LEASES} times and nobody finished one in that time. "
                "Is a worker running on this broker, and does it see the run's folder?"
            )
        fault = _fill(run, app, flight, done, window)
        if not fault:
            taken_at = time.monotonic()
        elif time.monotonic() - taken_at > PATIENCE_S:
            raise BrokerError(f"The broker has taken no message for {PATIENCE_S:.0f} s ({fault}). What is done stays.")
        # A folder of ten thousand parts takes milliseconds to list: looking may take a tenth of the time.
        time.sleep(min(max(PAUSE_S, 9 * looked_s), 1.0))
    return None


def _stop_at_failure(run: Run) -> None:
    """Raise what stands recorded of a part that cannot be played."""
    for part, entry in sorted(run.failures().items()):
        raise BotFailed(str(entry.get("message", f"Part {part} of {run.location} cannot be played.")))


def _fill(run: Run, app: "Fourfold", flight: _Flight, done: set[int], window: int) -> str:
    """Queue parts up to the window; returns why the broker did not take one, or nothing if it took all."""
    from kombu.exceptions import OperationalError

    waiting = (part for part in range(run.parts) if part not in done and part not in flight)
    for part in list(islice(waiting, max(0, window - len(flight)))):
        try:
            queue_part(app, run.location, part)
        except OperationalError as error:
            return str(error).rstrip(".")
        flight.queue(part, time.monotonic())
    return ""


def play_queued(
    run: Run,
    *,
    processes: int,
    url: str | None = None,
    log: Path | None = None,
    on_progress: Callable[[set[int]], None] = lambda done: None,
    should_stop: Callable[[], bool] = lambda: False,
    worker: Sequence[str] = WORKER,
) -> dict[str, Any] | None:
    """Play a run on the queue with a pool of this machine's processes, and stop whatever was started for it.

    The broker is that of `url`, of `FOURFOLD_BROKER`, or the embedded one. With `processes` 0 the parts are
    left to the workers that are there. What a worker has to say goes to `log`, by default `worker.log` in
    the run's folder. For the rest see `drive` and `pool`.

    Raises
    ------
    BotFailed, BrokerError
        As `drive` does; and BrokerError where no worker is there.
    """
    from workers.app import celery_app

    with ExitStack() as started:
        address = started.enter_context(broker(url))
        app = celery_app(address)
        watched = partial(drive, run, app, on_progress=on_progress, should_stop=should_stop)
        if processes:
            words = log or Path(run.location) / "worker.log"
            own = started.enter_context(pool(address, processes, log=words, warm=run.location, worker=worker))
            return watched(window=2 * processes + 4, tend=own.tend)
        if not workers_there(app):
            raise BrokerError(f"No worker answers on the broker {masked(address)}.")
        return watched(window=ELSEWHERE)
