"""Ties a process's life to its parent's, so that no kill leaves one behind."""

import ctypes
import os
import sys
import threading
import time

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
ORPHAN_S = 10.0  # what has begun may be finished for so long after the parent's end
_LOOK_S = 1.0
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


def end_soon_without(parent: int) -> None:
    """End this process `ORPHAN_S` seconds after its parent, whatever it is at: nobody is left to insist."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_S)
        time.sleep(ORPHAN_S)
        os._exit(1)

    threading.Thread(target=look, name="fourfold-orphan", daemon=True).start()
