"""Watches games in play from another thread: no bot can be stopped from inside, but one that hangs can be named."""

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from results.store import Run
from workers.places import replay_command
from workers.play.contest import Playing

MEMORY_LIMIT_MB = "FOURFOLD_MEMORY_MB"  # of one process of a worker; a run takes less than 250 MB by itself
_MEMORY_MB = 2048
_LOOK_S = 0.1


def memory_limit() -> int:
    """Give the bytes that a worker's process may have: `FOURFOLD_MEMORY_MB`, else 2 GiB."""
    with suppress(ValueError):
        return max(256, int(os.environ.get(MEMORY_LIMIT_MB, ""))) << 20
    return _MEMORY_MB << 20


class Watch:
    """Calls `on_late(playing, game, why)` once for a game that stays in play longer than `limit_s` seconds.

    A player is watched between `begin` and `end`; the kernel writes the game's number before each game. With `memory`
    the same is done to whatever game is in play when this process has more than `memory_limit` bytes. While none is,
    the number is negative.
    """

    def __init__(self, limit_s: float, on_late: Callable[[Playing, int, str], None], *, memory: bool = False) -> None:
        self._limit_s = limit_s
        self._on_late = on_late
        self._most = memory_limit() if memory else 0
        self._since: dict[int, tuple[Playing, int, float]] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, name="fourfold-watch", daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def begin(self, playing: Playing) -> None:
        """Watch a player from now on."""
        with self._lock:
            self._since[id(playing)] = (playing, -1, time.monotonic())

    def end(self, playing: Playing) -> None:
        """Watch a player no longer."""
        with self._lock:
            self._since.pop(id(playing), None)

    def _look(self) -> None:
        while not self._ended.wait(_LOOK_S):
            for playing, game, why in self._late():
                self._on_late(playing, game, why)

    def _late(self) -> list[tuple[Playing, int, str]]:
        """Note which game each player is in; give those that are in one for too long, or take too much memory."""
        late, now = [], time.monotonic()
        is_full = self._most > 0 and resident_bytes() > self._most
        with self._lock:
            for key, (playing, game, since) in self._since.items():
                in_play = int(playing.progress[0])
                if is_full:
                    late.append((playing, in_play, f"took this process beyond {self._most >> 20} MB of memory"))
                elif in_play != game:
                    self._since[key] = (playing, in_play, now)
                elif game >= 0 and now - since > self._limit_s:
                    late.append((playing, game, f"did not end within {self._limit_s:g} s"))
        return late


def resident_bytes() -> int:
    """Give the memory that this process has now; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def end_late(run: Run, playing: Playing, game: int, why: str) -> None:
    """Record a game that goes on too long or takes too much as its part's failure, and end this process (status 1)."""
    contest = playing.contest
    what = f"Game {game}" if game >= 0 else "What was in play"
    message = (
        f"{what} {why}: a bot among {contest.some_names} does not answer, or is slower or larger than a game's "
        "limits allow (fourfold run --game-timeout)."
    )
    entry: dict[str, Any] = {"message": message}
    if game >= 0:
        message += f"\nReplay it: {replay_command(run, game)}"
        entry = {"message": message, "game": game}
    run.record_failure(contest.part_with(run.plan, max(0, game)), entry)
    sys.stderr.write(f"fourfold: {message}\n")
    sys.stderr.flush()
    os._exit(1)
