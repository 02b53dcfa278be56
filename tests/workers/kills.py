"""Kills of real processes while a run is played on the queue."""

import os

import psutil

from results.store import Run
from tests.workers.conftest import processes


def worker_of(run: Run) -> psutil.Process:
    """The main process of the worker that was started for a run by this process."""
    (main,) = [process for process in processes(run.location) if process.ppid() == os.getpid()]
    return main


def steward_here() -> psutil.Process:
    """The steward that this process started."""
    (steward,) = [process for process in processes("workers.service.steward") if process.ppid() == os.getpid()]
    return steward


class Kills:
    """Kills a pool child, the steward and the worker's main process, each once so many parts are committed."""

    def __init__(self, run: Run, parts: list[int]) -> None:
        self.done: list[str] = []
        self._run = run
        self._parts = parts

    def __call__(self, *_: object) -> None:
        """Kill the next one, if it is time."""
        if len(self.done) == len(self._parts) or len(self._run.committed()) < self._parts[len(self.done)]:
            return
        match len(self.done):
            case 0:
                worker_of(self._run).children()[0].kill()
            case 1:
                steward_here().kill()
            case 2:
                worker_of(self._run).kill()
        self.done.append(("child", "steward", "main")[len(self.done)])
