import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_runtime_folder() -> Iterator[Path]:
    """Keep the tests' servers apart from the user's own, in a folder with a path short enough."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="ff") as folder:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        patch.delenv("FOURFOLD_BROKER", raising=False)
        yield Path(folder)


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
