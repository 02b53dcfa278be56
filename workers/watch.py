"""Watches games in play from another thread: no bot can be stopped from inside, but one that hangs can be named."""

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from results.store import Run
from sim.play import Player
from workers.places import replay_command

MEMORY_LIMIT_MB = "FOURFOLD_MEMORY_MB"  # of one process of a worker; a run takes less than 250 MB by itself
_MEMORY_MB = 2048
_LOOK_S = 0.1


def memory_limit() -> int:
    """Give the bytes that a worker's process may have: `FOURFOLD_MEMORY_MB`, else 2 GiB."""
    with suppress(ValueError):
        return max(256, int(os.environ.get(MEMORY_LIMIT_MB, ""))) << 20
    return _MEMORY_MB << 20


class Watch:
    """Calls `on_late(player, game, why)` once for a game that stays in play longer than `limit_s` seconds.

    A player is watched between `begin` and `end`; the kernel writes the game's number before each game. With `memory`
    the same is done to whatever game is in play when this process has more than `memory_limit` bytes.
    """

    def __init__(self, limit_s: float, on_late: Callable[[Player, int, str], None], *, memory: bool = False) -> None:
        self._limit_s = limit_s
        self._on_late = on_late
        self._most = memory_limit() if memory else 0
        self._since: dict[int, tuple[Player, int, float]] = {}
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

    def begin(self, player: Player) -> None:
        """Watch a player from now on."""
        with self._lock:
            self._since[id(player)] = (player, -1, time.monotonic())

    def end(self, player: Player) -> None:
        """Watch a player no longer."""
        with self._lock:
            self._since.pop(id(player), None)

    def _look(self) -> None:
        while not self._ended.wait(_LOOK_S):
            for player, game, why in self._late():
                self._on_late(player, game, why)

    def _late(self) -> list[tuple[Player, int, str]]:
        """Note which game each player is in; give those that are in one for too long, or take too much memory."""
        late, now = [], time.monotonic()
        is_full = self._most > 0 and resident_bytes() > self._most
        with self._lock:
            for key, (player, game, since) in self._since.items():
                in_play = int(player.progress[0])
                if is_full:
                    late.append((player, in_play, f"took this process beyond {self._most >> 20} MB of memory"))
                elif in_play != game:
                    self._since[key] = (player, in_play, now)
                elif now - since > self._limit_s:
                    late.append((player, game, f"did not end within {self._limit_s:g} s"))
        return late


def resident_bytes() -> int:
    """Give the memory that this process has now; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def end_late(run: Run, player: Player, game: int, why: str) -> None:
    """Record a game that goes on too long or takes too much as its part's failure, and end this process (status 1)."""
    entrants = ", ".join(player.table.names)
    message = (
        f"Game {game} {why}: a bot among {entrants} does not answer, or is slower or larger than a game's limits "
        f"allow (fourfold run --game-timeout).\nReplay it: {replay_command(run, game)}"
    )
    deal = game // player.table.most_rotations
    run.record_failure(deal // int(run.plan["part_deals"]), {"message": message, "game": game})
    sys.stderr.write(f"fourfold: {message}\n")
    sys.stderr.flush()
    os._exit(1)
