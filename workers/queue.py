"""Playing a run on the queue while its submitter waits."""

import os
from collections.abc import Callable
from typing import Any

from results.store import Run
from sim.table import Table, count_games
from workers.broker import VARIABLE, check
from workers.driver import play_queued
from workers.here import Progress, free_threads
from workers.runs import warm_player


def check_broker() -> None:
    """Raise BrokerError if `FOURFOLD_BROKER` names a broker that is out of reach."""
    url = os.environ.get(VARIABLE)
    if url:
        check(url)


def submit_and_wait(
    run: Run,
    table: Table,
    *,
    workers: int | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Play what is missing of a run with Celery workers and write its summary.

    A broker and `workers` pool processes (one a processor) are started for it and stopped again; the broker is the one
    that `FOURFOLD_BROKER` names, else an embedded one.

    Raises
    ------
    BotFailed
        If a bot fails; finished parts stay.
    BrokerError
        If the broker is out of reach, or nobody finishes a part.
    """
    if len(run.committed()) == run.parts:
        return run.write_summary()
    run.clear_failures()
    warm_player(table, say)
    total = count_games(table, 0, table.job.deals)
    games_of = {part: count_games(table, *run.part_range(part)) for part in range(run.parts)}

    def tell(done: set[int]) -> None:
        on_progress(Progress(sum(games_of[part] for part in done), total, len(done), run.parts))

    summary = play_queued(run, processes=workers or free_threads(), on_progress=tell)
    return summary if summary is not None else run.summary()
