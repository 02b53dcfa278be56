"""Watches games in play from another thread: no bot can be stopped from inside, but one that hangs can be named."""

import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType

from results.store import Run
from sim.play import Player
from workers.places import replay_command

_LOOK_S = 0.1


class Watch:
    """Calls `on_late(player, game)` once for a game that stays in play longer than `limit_s` seconds.

    A player is watched inside `with watch.over(player)`; the kernel writes the game's number before each game.
    """

    def __init__(self, limit_s: float, on_late: Callable[[Player, int], None]) -> None:
        self._limit_s = limit_s
        self._on_late = on_late
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
            for player, game in self._late():
                self._on_late(player, game)

    def _late(self) -> list[tuple[Player, int]]:
        """Note which game each player is in; give those that are in one for too long."""
        late, now = [], time.monotonic()
        with self._lock:
            for key, (player, game, since) in self._since.items():
                in_play = int(player.progress[0])
                if in_play != game:
                    self._since[key] = (player, in_play, now)
                elif now - since > self._limit_s:
                    late.append((player, game))
        return late


def end_late(run: Run, player: Player, game: int, limit_s: float) -> None:
    """Record a game that takes too long as its part's failure, say so, and end this process with status 1."""
    entrants = ", ".join(player.table.names)
    message = (
        f"Game {game} did not end within {limit_s:g} s: a bot among {entrants} does not answer, or is slower than "
        f"the limit of a game allows.\nReplay it: {replay_command(run, game)}"
    )
    deal = game // player.table.most_rotations
    run.record_failure(deal // int(run.plan["part_deals"]), {"message": message, "game": game})
    sys.stderr.write(f"fourfold: {message}\n")
    sys.stderr.flush()
    os._exit(1)
