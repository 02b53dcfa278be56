"""Ties a process's life to its parent's, so that no kill leaves one behind."""

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_C = ctypes.CDLL(None)  # opened here: between fork and exec nothing may be loaded any more


def die_with_parent(parent: int, with_signal: int) -> None:
    """Have the kernel send `with_signal` to this process when its parent ends, however it ends.

    Strictly, when the *thread* ends that started this process. Where the kernel is not Linux nothing is done.
    """
    if sys.platform != "linux":
        return
    _C.prctl(_PR_SET_PDEATHSIG, int(with_signal), 0, 0, 0)
    if os.getppid() != parent:  # It ended before the line above.
        os._exit(1)
