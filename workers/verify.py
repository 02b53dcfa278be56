"""Verifying a run: every committed part against its hash, and a sample of games against playing them again."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from results.schema import DEAL, TABLES, Layout
from results.store import Run
from results.sums import part_sums
from sim.errors import SpecError, StoreError
from sim.play import Player
from workers.runs import job_of, warm_player


@dataclass(frozen=True)
class Verification:
    """What was checked, and every fault that was found, a sentence each."""

    checked_parts: int
    checked_games: int
    faults: list[str]


def verify(
    run: Run,
    *,
    sample: float = 0.01,
    on_part: Callable[[int, int], None] = lambda done, total: None,
    say: Callable[[str], None] = lambda text: None,
) -> Verification:
    """Check a run: files, counts and hashes of all committed parts, and a sample of each part's deals cell by cell.

    `sample` is the share of deals that are played again, at least one of each part. Without stored rows (detail
    summary) that share of the parts is played whole and compared by its sums. The summary must be the one that the
    parts add up to.

    Raises
    ------
    SpecError
        If `sample` is not above 0 and at most 1, or the job's bots are not here.
    """
    if not 0 < sample <= 1:
        raise SpecError(f"The sample is {sample:g}; allowed are shares above 0 up to 1.")
    _, table = job_of(run)
    assert isinstance(run.layout, Layout)
    player = warm_player(table, say)
    faults, games, committed = [], 0, sorted(run.committed())
    every = max(1, round(1 / sample))
    for done, part in enumerate(committed):
        on_part(done, len(committed))
        damage = run.damage(part)
        if damage:
            faults.append(damage)
        elif run.plan["detail"] == "full":
            fault, count = _replayed(run, player, part, sample)
            games += count
            faults += [fault] if fault else []
        elif part % every == 0:
            rows = player.play(*run.part_range(part))
            games += len(rows[0])
            if part_sums(run.layout, *rows) != run.read_sums(part):
                faults.append(f"Part {part}: played again, its games differ from those that were summed up.")
    if run.is_complete:
        faults += _summary_fault(run) if not faults else []
    elif len(committed) < run.parts:
        faults.append(f"Run {run.name} is not finished: {run.parts - len(committed)} of {run.parts} parts are missing.")
    return Verification(len(committed), games, faults)


def _replayed(run: Run, player: Player, part: int, sample: float) -> tuple[str, int]:
    """Play a run of deals of a part again and compare every cell; returns a fault (or nothing) and the games played."""
    assert isinstance(run.layout, Layout)
    first, deals = run.part_range(part)
    count = min(deals, max(1, round(deals * sample)))
    # Where in the part is of no matter, as long as it is not always the start; the same part is sampled the same way.
    at = first + (int(run.identity[:8], 16) * (part + 1)) % (deals - count + 1)
    stored = dict(zip(TABLES, run.read_part(part), strict=True))
    again = dict(zip(TABLES, player.play(at, count), strict=True))
    # The rows are in the order of deals, else the part would be damaged.
    start, end = np.searchsorted(stored["games"][:, DEAL], (at, at + count))
    games = len(again["games"])
    for table in run.layout.tables:
        per_game = run.layout.rows_per_game(table)
        old, new = stored[table][start * per_game : end * per_game], again[table]
        if old.shape != new.shape:
            return f"Part {part}: {len(old)} rows of {table} are stored of deals that have {len(new)}.", games
        differing = np.argwhere(old != new)
        if len(differing):
            row, column = differing[0]
            names = run.layout.columns(table)
            fault = (
                f"Part {part}: game {new[row, 0]}, column '{names[column].name}' of {table} holds {old[row, column]}; "
                f"played again it is {new[row, column]}."
            )
            return fault, games
    return "", games


def _summary_fault(run: Run) -> list[str]:
    """Compare the stored summary with the one that the parts add up to."""
    stored = run.summary()
    try:
        return [] if run.write_summary() == stored else ["summary.json was not what the parts add up to; it is now."]
    except StoreError as error:
        return [str(error)]
