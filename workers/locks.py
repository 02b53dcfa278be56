"""A lock that processes of one machine share."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold a file's lock for the length of the block, waiting for whoever holds it; it ends with its process."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(file, "ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
