"""The entry point's first line: what comes while the program is still loading ends it quietly."""

import os
import signal
import sys


def _leave(*_: object) -> None:
    os.write(2, b"fourfold: interrupted\n")
    os._exit(130)


def main() -> int:
    """Load the program and run it."""
    for number in range(3):  # A closed standard stream would be the next file that is opened, and written into.
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    is_heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_heeded:
        signal.signal(signal.SIGINT, _leave)
    from cli.main import main as run

    if is_heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return run()


if __name__ == "__main__":
    sys.exit(main())
