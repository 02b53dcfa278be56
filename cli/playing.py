"""What the commands that play share: create the run, show how it goes on, and print what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from cli.flags import Asked
from cli.numbers import counted
from cli.progress import ProgressLine
from sim.errors import BrokerError

if TYPE_CHECKING:
    from results.store import Run
    from workers.play.contest import Contest

Way = Callable[["Run", "Contest", ProgressLine], dict[str, Any]]


def play(asked: Asked, workers: int, game_timeout: float, way: Way, longest_part: float | None = None) -> None:
    """Play what is asked, for so many workers and in one of the two ways, and print the figures."""
    with ProgressLine() as line:
        run, contest = create(asked, workers, game_timeout, line, longest_part)
        was_complete = run.is_complete
        summary = watched(run, contest, line, way)
    if asked.as_json:
        click.echo(json.dumps(summary, indent=2))
        return
    notes = ["The run was complete already; nothing was played."] if was_complete else []
    if asked.games_asked is not None and summary["games"] != asked.games_asked:
        notes.append(f"Whole deals make {counted(summary['games'], 'game')} of the {asked.games_asked:,} asked for.")
    print_end(run, summary, notes)


def run_here(asked: Asked, threads: int | None, game_timeout: float) -> None:
    """Play what is asked in threads of this process."""
    from workers.machine import free_threads
    from workers.play.here import play_here

    used = threads or free_threads()

    def here(run: Run, contest: Contest, line: ProgressLine) -> dict[str, Any]:
        return play_here(run, contest, threads=used, game_timeout=game_timeout, on_progress=line.show, say=line.say)

    play(asked, used, game_timeout, here)


def run_queued(asked: Asked, workers: int | None) -> None:
    """Play what is asked on the queue, and stay until its end."""
    from workers.machine import free_threads
    from workers.play.parts import GAME_LIMIT_S, PART_LIMIT_S
    from workers.service.queue import check_place, count_players, standing_broker, submit_and_wait

    url = standing_broker()
    if url:
        asked.job()
        check_place(url, asked.out, brings_worker=workers is not None)
    used = workers or (count_players(url) if url else free_threads())

    def queued(run: Run, contest: Contest, line: ProgressLine) -> dict[str, Any]:
        return submit_and_wait(run, contest, workers=workers, on_progress=line.show, say=line.say)

    play(asked, used, GAME_LIMIT_S, queued, PART_LIMIT_S)


def queue(asked: Asked) -> None:
    """Make the run that is asked for, put it on the queue, and say what to type next."""
    from cli.queued import print_queued, print_state, standing_url
    from workers.service.queue import check_place, count_players, submit

    # Before a folder is made: it would keep the flags of a run that never began.
    url = standing_url()
    # The rest loads the engine, which takes longer than to be told of the above.
    from workers.play.parts import GAME_LIMIT_S, PART_LIMIT_S

    asked.job()
    check_place(url, asked.out)
    with ProgressLine() as line:
        run, _ = create(asked, count_players(url), GAME_LIMIT_S, line, PART_LIMIT_S)
    if not run.is_complete:
        print_queued(run, submit(run, url), as_json=asked.as_json)
    elif asked.as_json:
        print_state(run, "done", warnings=[])
    else:
        print_end(run, run.summary(), ["The run was complete already; nothing is queued."])


def create(
    asked: Asked, workers: int, game_timeout: float, line: ProgressLine, longest_part: float | None = None
) -> tuple[Run, Contest]:
    """Make the run that is asked for, or open it where it was begun earlier and say what stays of then."""
    from workers.play.runs import create_run

    job, bots = asked.job()
    run, contest = create_run(
        job,
        bots,
        out=asked.out,
        part=asked.part,
        detail=asked.detail,
        workers=workers,
        game_timeout=game_timeout,
        longest_part=longest_part,
        say=line.say,
    )
    for kept in _kept(asked, run):
        line.say(kept)
    return run, contest


def _kept(asked: Asked, run: Run) -> Iterator[str]:
    """Say in what the run, begun earlier, differs from what is asked: its plan is made once."""
    detail, part = run.plan["detail"], max(run.units_in(part) for part in range(run.parts))
    if asked.detail != detail:
        yield f"The run was begun with --detail {detail}, and that stays."
    if asked.part is not None and min(asked.part, run.units) != part:
        yield f"The run was begun with --part {part}, and that stays."


def watched(run: Run, contest: Contest, line: ProgressLine, way: Way) -> dict[str, Any]:
    """Play a run in one of the two ways and return its summary; whoever interrupts it is told what becomes of it."""
    try:
        return way(run, contest, line)
    except KeyboardInterrupt:
        line.say(_left_behind(run))
        raise


def _left_behind(run: Run) -> str:
    """Say what becomes of a run that nobody waits for any more."""
    from workers.places import typed
    from workers.service.queue import state_now

    with suppress(BrokerError):
        if state_now(run) == "queued":
            word = typed(run.location)
            return f"The run goes on. See it with: fourfold watch {word}. End it with: fourfold cancel {word}"
    return f"What is done stays in {run.location}; the same command goes on from there."


def print_end(run: Run, summary: dict[str, Any], notes: list[str]) -> None:
    """Print the figures in brief, sentences about them, where the run lies, and what to type next."""
    from cli.figures import show
    from workers.places import typed

    show(run, summary, is_brief=True)
    for note in notes:
        click.echo(note)
    word = typed(run.location)
    click.echo(f"\nThe run lies in {run.location}")
    click.echo(f"All figures:           fourfold show {word}")
    game = _some_game(run)
    if game is not None:
        click.echo(f"One game step by step: fourfold replay {word} --game {game}")


def _some_game(run: Run) -> int | None:
    """Give the number of a game that can be replayed; of a tournament only its tables tell which were played."""
    if run.unit == "deals":
        return 0
    return int(run.read_table("played", 0)[0, 0]) if run.plan["detail"] == "full" else None
