"""Replaying one game of a run, from nothing but its job."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from results.store import Run
from sim.contract import load_game
from sim.errors import BotFailed, SpecError
from workers.play.runs import contest_of_run

Told = TypeVar("Told")
REPLAY_LIMIT_S = 60.0  # of one game, move by move, also with the JIT off


def transcript(
    run: Run, game: int, *, seat: int | None = None, say: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Play a game of a run again and write everything down (docs/transcripts.md).

    Raises
    ------
    SpecError
        If the run has no game of that number, or no seat `seat` to see it from.
    BotFailed
        If a bot fails in it, as it did in the run, or does not answer.
    """
    from sim.compiled import is_warm
    from sim.play import transcript_of

    contest = contest_of_run(run)
    table, deal, rotation = _within_limit(f"Who plays game {game} of {run.name}", lambda: contest.replayed(run, game))
    seats = table.job.seats
    if seat is not None and not 0 <= seat < seats:
        there = f"the seats are 0 to {seats - 1}" if seats > 1 else "the only one is 0"
        raise SpecError(f"There is no seat {seat}; {there}.")
    if not is_warm(table.game.name, "act"):
        say(f"compiling {table.game.command_name} for replays, move by move (once, about 20 s) ...")
    return _within_limit(f"Game {game} of {run.name}", lambda: transcript_of(table, deal, rotation, game))


def _within_limit(what: str, play: Callable[[], Told]) -> Told:
    """Play in a thread of its own, which is left behind where a bot never answers.

    No bot can be stopped from inside; but this thread stays free to give up, or to be interrupted. A debugger stops
    in its own thread only, and has no hurry: under one all is played here.
    """
    if sys.gettrace() is not None:
        return play()
    told: list[Told] = []
    errors: list[BaseException] = []

    def played() -> None:
        try:
            told.append(play())
        except BaseException as error:  # It is raised again in the calling thread.
            errors.append(error)

    thread = threading.Thread(target=played, name="fourfold-replay", daemon=True)
    thread.start()
    thread.join(REPLAY_LIMIT_S)
    if errors:
        raise errors[0]
    if not told:
        raise BotFailed(f"{what} did not end within {REPLAY_LIMIT_S:g} s: a bot does not answer.")
    return told[0]


def whereabouts(run: Run, game: int) -> str:
    """Say in which match of a tournament a game was played; nothing of other games."""
    return contest_of_run(run).whereabouts(game) if run.unit != "deals" else ""


def text(transcript: Mapping[str, Any], seat: int | None = None) -> Iterator[str]:
    """Tell a transcript line by line, for all or as one seat saw it."""
    lines: Iterator[str] = load_game(transcript["game"]).render.text(transcript, seat)
    return lines
