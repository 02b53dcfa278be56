"""Playing a run here: threads of this process, since the kernels release the interpreter's lock."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from results.plan import Span
from results.store import Run
from sim.errors import StoreError
from workers.machine import free_threads
from workers.places import sweep, typed
from workers.play.contest import Contest, Playing
from workers.play.parts import play_part
from workers.play.runs import warm
from workers.play.watch import Watch, end_late

_LOOK_S = 0.1


@dataclass(frozen=True)
class Progress:
    """How far a run is, in what `noun` says (games, tournaments or matches) and in parts."""

    noun: str
    done: int
    total: int
    parts_done: int
    parts_total: int


def play_here(
    run: Run,
    contest: Contest,
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
        gang = _Gang(run, [warm(contest, say)])
        count = min(threads or free_threads(), len(gang.missing))
        gang.players += [contest.playing() for _ in range(count - 1)]
        with run.held(), Watch(game_timeout, lambda late, game, why: end_late(run, late, game, why)) as watch:
            gang.play(watch, contest, on_progress)
    sweep(run.location)
    return run.write_summary()


class _Gang:
    """Threads, each with a player of its own, that take the missing parts of a run one by one."""

    def __init__(self, run: Run, players: list[Playing]) -> None:
        self.run = run
        self.players = players
        self.done = run.committed()
        self.missing = [part for part in range(run.parts) if part not in self.done]
        self._changed = threading.Condition()
        self._in_play: dict[int, tuple[Playing, Span]] = {}
        self._next = 0
        self._counted = 0
        self._stop = threading.Event()
        self._errors: list[BaseException] = []

    def play(self, watch: Watch, contest: Contest, on_progress: Callable[[Progress], None]) -> None:
        """Play all missing parts; raises the first error of any thread once all have ended."""
        counts = {part: contest.count(self.run.part_span(part)) for part in range(self.run.parts)}
        total = sum(counts.values())
        before = total - sum(counts[part] for part in self.missing)
        workers = [
            threading.Thread(target=self._work, args=(playing, watch), name=f"fourfold-{index}")
            for index, playing in enumerate(self.players)
        ]
        for worker in workers:
            worker.start()
        try:
            while any(worker.is_alive() for worker in workers):
                for worker in workers:
                    worker.join(_LOOK_S / len(workers))
                on_progress(Progress(contest.counted, before + self._so_far(), total, len(self.done), self.run.parts))
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
        """Count what was played by now, of the parts in play as far as it can be told; it never goes back."""
        with self._changed:
            in_play = sum(playing.so_far(span) for playing, span in self._in_play.values())
            return self._counted + in_play

    def _work(self, playing: Playing, watch: Watch) -> None:
        while (part := self._taken(playing)) is not None:
            try:
                play_part(self.run, playing, part, watch)
            except BaseException as error:  # It is raised again in the calling thread.
                self._errors.append(error)
                self._stop.set()
                return
            with self._changed:
                _, span = self._in_play.pop(part)
                self._counted += playing.contest.count(span)
                self.done.add(part)
                self._changed.notify_all()

    def _taken(self, playing: Playing) -> int | None:
        """Take the next part, once all that it builds on are done; None if there is none left."""
        with self._changed:
            while self._next < len(self.missing) and not self._stop.is_set() and not self.run.is_cancelled:
                part = self.missing[self._next]
                if all(needed in self.done for needed in self.run.needs(part)):
                    self._next += 1
                    self._in_play[part] = playing, self.run.part_span(part)
                    return part
                self._changed.wait(_LOOK_S)
        return None
