"""The Celery worker of one machine and its pool of processes.

`python -m workers.service.pool` is its process: it takes the broker's URL from `FOURFOLD_BROKER`, since everybody on
the machine sees what stands on a command line.
"""

import argparse
import logging
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sim.errors import FourfoldError
from workers.broker.embedded import VARIABLE, checked_url
from workers.lifeline import die_with_parent, end_soon_without
from workers.service.child import REFUSED

if TYPE_CHECKING:
    from workers.service.app import Fourfold

ANNOUNCE_S = 5.0
DEAF_S = 25.0  # with messages waiting and nothing to do: Celery has been known not to hear a broker that came back

logger = logging.getLogger("fourfold")


class Presence(threading.Thread):
    """Says every few seconds that this worker is there and what it holds, and ends a worker that has gone deaf.

    Supervised, it is started again at once; messages that it had come back.
    """

    def __init__(self, app: "Fourfold", name: str, processes: int) -> None:
        super().__init__(name="fourfold-presence", daemon=True)
        self._ledger = app.ledger
        self._name = name
        self._entry = {**_holdings(app), "processes": processes, "host": os.uname().nodename, "pid": os.getpid()}
        self._left = threading.Event()

    def run(self) -> None:
        """Announce until `leave`."""
        from celery.worker import state

        heard_at, is_silent = time.monotonic(), False
        while not self._left.wait(ANNOUNCE_S):
            active = len(state.active_requests)
            try:
                self._announce(active)
                if active or state.reserved_requests or not self._ledger.waiting():
                    heard_at = time.monotonic()
                if is_silent:
                    logger.warning("the broker answers again")
                is_silent = False
            except Exception as error:  # Whatever the broker does: it is told again in a moment.
                if not is_silent:
                    logger.warning("the broker does not answer, and is waited for: %s", error)
                is_silent = True
                heard_at = time.monotonic()
            if time.monotonic() - heard_at > DEAF_S:
                logger.error("messages have waited for %.0f s and none came: this worker starts again", DEAF_S)
                os._exit(1)

    def announce(self) -> None:
        """Say it now."""
        with suppress(Exception):
            self._announce(0)

    def leave(self) -> None:
        """Say that this worker is there no more."""
        self._left.set()
        with suppress(Exception):
            self._ledger.leave(self._name)

    def _announce(self, active: int) -> None:
        from workers.bots import held_bots
        from workers.places import root_mark

        now = {"active": active, "load": os.getloadavg()[0], "root": root_mark(), "bots": held_bots()}
        self._ledger.announce(self._name, {**self._entry, **now})


def _holdings(app: "Fourfold") -> dict[str, Any]:
    """Give what does not change of what this worker can play: the program's version and those of its games."""
    from sim.contract import game_names, load_game
    from workers.play.runs import program_version

    games = {name: load_game(name).version for name in game_names()}
    return {"version": program_version(), "games": games, "is_private": app.is_private}


def serve(app: "Fourfold", processes: int) -> int:
    """Be a worker of `app` until SIGTERM; returns the exit status."""
    from celery.signals import worker_process_init, worker_ready

    here = os.getpid()
    name = f"{os.uname().nodename}-{here}"
    presence = Presence(app, name, processes)

    @worker_process_init.connect(weak=False)
    def tie(**_: object) -> None:
        die_with_parent(here, signal.SIGKILL)

    @worker_ready.connect(weak=False)
    def begin(**_: object) -> None:
        presence.announce()
        presence.start()

    # Nothing but JSON is decoded here, which is what that warning is about; docs/operations.md names a user of its own.
    warnings.filterwarnings("ignore", message="You're running the worker with superuser")
    _hush()
    worker = app.Worker(
        hostname=f"fourfold-{here}@{os.uname().nodename}",
        concurrency=processes,
        pool_cls="prefork",
        loglevel="WARNING",
        quiet=True,
        # The greetings among workers cost a second at the start and nobody listens to them.
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    presence.leave()
    return int(worker.exitcode or 0)


def _hush() -> None:
    """Let Celery keep to itself what is said in our own words: that it stops, that it waits for the broker."""
    from celery.apps import worker
    from celery.signals import after_setup_logger

    worker.safe_say = lambda *_, **__: None
    warnings.filterwarnings("ignore", message="(?s).*worker_cancel_long_running_tasks_on_connection_loss")
    logging.getLogger("celery.worker.consumer.consumer").setLevel(logging.CRITICAL)

    @after_setup_logger.connect(weak=False)
    def shorten(logger: logging.Logger, **_: object) -> None:
        for handler in logger.handlers:
            handler.addFilter(_without_traceback)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Let Celery's own lines stand without the tracebacks of its insides; ours keep them."""
    if record.name.startswith("celery"):
        record.exc_info = record.exc_text = None
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the worker: the broker is the one that `FOURFOLD_BROKER` names."""
    parser = argparse.ArgumentParser(prog="python -m workers.service.pool", description=main.__doc__)
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="size of the pool")
    parser.add_argument("--warm", default="", metavar="RUN", help="load the bots and kernels of this run first")
    parser.add_argument("--parent", type=int, default=0, metavar="PID", help="end when this process, the parent, does")
    options = parser.parse_args(arguments)
    if options.processes < 1:
        parser.error("--processes must be 1 or more")
    if options.parent:
        die_with_parent(options.parent, signal.SIGTERM)
        end_soon_without(options.parent)  # Celery's warm shutdown can stall where the broker has gone, too.
    from workers.service.app import celery_app

    try:
        # Not whether it answers: it may be starting again, and Celery waits for it.
        url = checked_url(os.environ.get(VARIABLE, ""))
        app = celery_app(url)
        _load_before_forking(options.warm, trusts_files=app.is_private)
    except FourfoldError as error:
        sys.stderr.write(f"{error}\n")
        return REFUSED
    return serve(app, options.processes)


def _load_before_forking(location: str, *, trusts_files: bool) -> None:
    """Load what all processes need, so that they share it: half a second each saved, and most of their memory."""
    import pyarrow.parquet  # noqa: F401 - all will write tables

    from workers.play import parts

    if location:
        parts.warm_run(location, trusts_files=trusts_files)
    else:
        parts.warm_what_is_compiled()


if __name__ == "__main__":
    sys.exit(main())
