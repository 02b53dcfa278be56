"""Playing a run here: threads of this process, since the kernels release the interpreter's lock."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from results.store import Run
from sim.errors import StoreError
from sim.play import Player
from sim.table import Table, count_games
from workers.machine import free_threads
from workers.parts import play_part
from workers.places import sweep, typed
from workers.runs import warm_player
from workers.watch import Watch, end_late

_LOOK_S = 0.1


@dataclass(frozen=True)
class Progress:
    """How far a run is, in games and in parts."""

    games_done: int
    games_total: int
    parts_done: int
    parts_total: int


def play_here(
    run: Run,
    table: Table,
    *,
    threads: int | None = None,
    game_timeout: float = 10.0,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Play what is missing of a run with `threads` threads (one a processor) and write its summary.

    A game that takes longer than `game_timeout` seconds is named, recorded, and ends this process with status 1.

    Raises
    ------
    BotFailed
        If a bot fails; finished parts stay.
    StoreError
        If a part cannot be written.
    KeyboardInterrupt
        As it comes; the parts in play are finished first, so that nothing of them is lost.
    """
    if len(run.committed()) < run.parts:
        run.clear_failures()
        run.clear_cancel()
        gang = _Gang(run, [warm_player(table, say)])
        count = min(threads or free_threads(), len(gang.missing))
        gang.players += [Player(table) for _ in range(count - 1)]
        with run.held(), Watch(game_timeout, lambda late, game, why: end_late(run, late, game, why)) as watch:
            gang.play(watch, table, on_progress)
    sweep(run.location)
    return run.write_summary()


class _Gang:
    """Threads, each with a player of its own, that take the missing parts of a run one by one."""

    def __init__(self, run: Run, players: list[Player]) -> None:
        self.run = run
        self.players = players
        self.committed = run.committed()
        self.missing = [part for part in range(run.parts) if part not in self.committed]
        self._lock = threading.Lock()
        self._in_play: dict[int, Player] = {}  # by the number of the part's first game
        self._next = 0
        self._games = 0
        self._parts = 0
        self._stop = threading.Event()
        self._errors: list[BaseException] = []

    def play(self, watch: Watch, table: Table, on_progress: Callable[[Progress], None]) -> None:
        """Play all missing parts; raises the first error of any thread once all have ended."""
        total = count_games(table, 0, table.job.deals)
        before = total - sum(count_games(table, *self.run.part_range(part)) for part in self.missing)
        workers = [
            threading.Thread(target=self._work, args=(player, watch), name=f"fourfold-{index}")
            for index, player in enumerate(self.players)
        ]
        for worker in workers:
            worker.start()
        try:
            while any(worker.is_alive() for worker in workers):
                for worker in workers:
                    worker.join(_LOOK_S / len(workers))
                on_progress(Progress(before + self._so_far(), total, len(self.committed) + self._parts, self.run.parts))
        finally:
            self._stop.set()
            for worker in workers:
                worker.join()
        if self._errors:
            raise self._errors[0]
        if self.run.is_cancelled:
            raise StoreError(
                f"Run {self.run.name} was cancelled; what is done stays. "
                f"Go on with: fourfold resume {typed(self.run.location)}"
            )

    def _so_far(self) -> int:
        """Count the games played by now, those of the parts in play by their numbers; it never goes back."""
        with self._lock:
            in_play = sum(max(0, int(player.progress[0]) - first) for first, player in self._in_play.items())
            return self._games + in_play

    def _work(self, player: Player, watch: Watch) -> None:
        while not self._stop.is_set() and not self.run.is_cancelled:
            with self._lock:
                if self._next == len(self.missing):
                    return
                part = self.missing[self._next]
                self._next += 1
                first = self.run.part_range(part)[0] * player.table.most_rotations
                self._in_play[first] = player
            try:
                games = play_part(self.run, player, part, watch)
            except BaseException as error:  # It is raised again in the calling thread.
                self._errors.append(error)
                self._stop.set()
                return
            with self._lock:
                del self._in_play[first]
                self._games += games
                self._parts += 1
