import time
from collections.abc import Callable

import psutil


def processes(word: str) -> list[psutil.Process]:
    """The processes with `word` on their command line; one that is only waited for does not count."""
    return [
        process
        for process in psutil.process_iter(["cmdline", "status"])
        if process.info["status"] != psutil.STATUS_ZOMBIE and word in " ".join(process.info["cmdline"] or [])
    ]


def soon(condition: Callable[[], object], seconds: float = 30.0) -> bool:
    """Wait until a condition of another process holds, for so long at most."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
