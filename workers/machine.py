"""What this machine has to play with."""

import os
from contextlib import suppress


def free_threads() -> int:
    """Say how many processors this process may run on."""
    with suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
