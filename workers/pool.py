"""A Celery worker with a pool of processes, started for one job, watched and stopped; and the worker itself.

`python -m workers.pool` is the worker: it takes the broker's URL from `FOURFOLD_BROKER`, since everybody on
the machine sees what stands on a command line.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sim.errors import BrokerError, FourfoldError
from workers.broker import VARIABLE, checked_url
from workers.lifeline import die_with_parent

WORKER = (sys.executable, "-P", "-m", "workers.pool")  # -P: no package of the current folder comes first
RESTARTS = 10  # in a row, without a part being finished
STOP_S = 45.0  # a warm shutdown can stall for 30 s
_REFUSED = 3  # the worker's exit status when starting it again would not help


class Pool:
    """One worker process and the processes of its pool, which form a process group of their own."""

    def __init__(self, url: str, processes: int, *, log: Path, warm: str = "", worker: Sequence[str] = WORKER) -> None:
        self._environment = os.environ | {VARIABLE: url}
        parent = ["--parent", str(os.getpid())]
        self._command = [*worker, "--processes", str(processes), "--warm", warm, *parent]
        self._log = log
        self._restarts = 0
        self._finished = 0
        self._process = self._started()

    def tend(self, finished: int) -> bool:
        """Start the worker again if it has died; says whether it had. `finished` counts the committed parts.

        Raises
        ------
        BrokerError
            It refused to start, or died `RESTARTS` times in a row without a part being finished.
        """
        if finished > self._finished:
            self._finished, self._restarts = finished, 0
        status = self._process.poll()
        if status is None:
            return False
        self._end_group()
        if status == _REFUSED:
            raise BrokerError(f"The worker cannot start: {self._last_word()}")
        if self._restarts == RESTARTS:
            raise BrokerError(f"The worker ended {RESTARTS} times without finishing a part; its log is {self._log}")
        self._restarts += 1
        self._process = self._started()
        return True

    def stop(self) -> None:
        """Let the worker finish what it has begun, for up to `STOP_S` seconds; then nothing of it is left."""
        try:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_S)
        finally:  # Also when a second Ctrl-C cuts the waiting short.
            self._end_group()

    def _started(self) -> subprocess.Popen[bytes]:
        with open(self._log, "ab") as log:
            return subprocess.Popen(
                self._command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _end_group(self) -> None:
        """Kill whatever is left of the worker's process group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _last_word(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines()
        return lines[-1] if lines else f"it left no word in {self._log}"


@contextlib.contextmanager
def pool(url: str, processes: int, *, log: Path, warm: str = "", worker: Sequence[str] = WORKER) -> Iterator[Pool]:
    """Run a worker with a pool of `processes` processes for as long as the block lasts.

    `warm` is the location of a run whose bots and kernels the worker loads before it forks, so that its
    processes share them. All it has to say goes to the end of the file `log`. Should this process die, the
    worker finishes what it has begun and ends; should the worker die, its pool dies at once. `worker` is the
    command line of the program that serves.
    """
    running = Pool(url, processes, log=log, warm=warm, worker=worker)
    try:
        yield running
    finally:
        running.stop()


def workers_there(app: Any) -> int:
    """Count the workers that answer on an application's broker within a second."""
    return len(app.control.ping(timeout=1.0))


def serve(app: Any, processes: int) -> int:
    """Be a worker of `app` until SIGTERM; returns the exit status."""
    from celery.signals import worker_process_init

    here = os.getpid()

    @worker_process_init.connect(weak=False)
    def tie(**_: object) -> None:
        die_with_parent(here, signal.SIGKILL)

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
    return int(worker.exitcode or 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the worker: the broker is the one that `FOURFOLD_BROKER` names."""
    parser = argparse.ArgumentParser(prog="python -m workers.pool", description=main.__doc__)
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="size of the pool")
    parser.add_argument("--warm", default="", metavar="RUN", help="load the bots and kernels of this run first")
    parser.add_argument("--parent", type=int, default=0, metavar="PID", help="end when this process, the parent, does")
    options = parser.parse_args(arguments)
    if options.processes < 1:
        parser.error("--processes must be 1 or more")
    if options.parent:
        die_with_parent(options.parent, signal.SIGTERM)
    from workers.app import celery_app

    try:
        # Not whether it answers: it may be starting again, and Celery waits for it.
        url = checked_url(os.environ.get(VARIABLE, ""))
        if options.warm:
            import pyarrow.parquet  # noqa: F401 - all will write tables: half a second each, saved here

            from workers import parts

            parts.warm(options.warm)
    except FourfoldError as error:
        sys.stderr.write(f"{error}\n")
        return _REFUSED
    return serve(celery_app(url), options.processes)


if __name__ == "__main__":
    sys.exit(main())
