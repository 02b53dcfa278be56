"""A process of ours that is watched: started again when it dies, and stopped without leaving anything behind."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from sim.errors import BrokerError

REFUSED = 3  # a child's exit status when starting it again would not help
RESTARTS = 10  # in a row, without anything being finished
SOUND_S = 60.0  # whoever has lived for so long is well
STOP_S = 45.0  # a warm shutdown of Celery can stall for 30 s
_MOST_PAUSE_S = 5.0


class Child:
    """A process and those that it starts, in a process group of their own.

    Its command line gets `--parent PID`, so that it ends when this process does. What it says goes to the end of the
    file `log`, or without one to this process's standard error.
    """

    def __init__(
        self,
        what: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path | None,
        most_restarts: int | None = RESTARTS,
    ) -> None:
        self.what = what
        self._most_restarts = most_restarts
        self._command = [*command, "--parent", str(os.getpid())]
        self._environment = {**os.environ, **environment}
        self._log = log
        self._restarts = self._finished = 0
        self._start_at = 0.0
        self._process = self._started()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def tend(self, finished: int = 0) -> bool:
        """Start the process again if it has died; says whether it had. `finished` counts what was done so far.

        Raises
        ------
        BrokerError
            It refused to start, or died `most_restarts` times in a row without anything being finished.
        """
        if finished > self._finished or time.monotonic() - self._start_at > SOUND_S:
            self._finished, self._restarts = max(finished, self._finished), 0
        status = self._process.poll()
        if status is None:
            return False
        self._end_group()
        if status == REFUSED:
            raise BrokerError(f"The {self.what} cannot start: {self._last_word()}")
        if self._restarts == self._most_restarts:
            where = f"; its log is {self._log}" if self._log else ""
            raise BrokerError(f"The {self.what} ended {self._restarts} times without finishing a part{where}")
        pause_s = min(0.25 * 2 ** min(self._restarts, 10), _MOST_PAUSE_S) if self._restarts else 0.0
        if time.monotonic() - self._start_at < pause_s:
            return False
        self._restarts += 1
        self._process = self._started()
        return True

    def ask_to_stop(self) -> None:
        """Let the process finish what it has begun, and end."""
        self._process.terminate()

    def is_running(self) -> bool:
        """Say whether the process has not ended."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Let the process finish what it has begun, for up to `STOP_S` seconds; then nothing of it is left."""
        try:
            self.ask_to_stop()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_S)
        finally:  # Also when a second Ctrl-C cuts the waiting short.
            self._end_group()

    def kill(self) -> None:
        """End the process and all that it started at once."""
        self._end_group()

    def _started(self) -> subprocess.Popen[bytes]:
        self._start_at = time.monotonic()
        with contextlib.ExitStack() as opened:
            log = opened.enter_context(open(self._log, "ab")) if self._log else None
            return subprocess.Popen(
                self._command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log or 2,
                stderr=log or 2,
                start_new_session=True,
            )

    def _end_group(self) -> None:
        """Kill whatever is left of the process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _last_word(self) -> str:
        if self._log is None:
            return "its words are above"
        lines = self._log.read_text(errors="replace").splitlines()
        return lines[-1] if lines else f"it left no word in {self._log}"
