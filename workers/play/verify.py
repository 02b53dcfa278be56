"""Verifying a run: every committed part against its hash, and a sample of games against playing them again."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from results.kinds import part_sums
from results.plan import STANDINGS, Span
from results.store import Run
from sim.errors import Refused, SpecError, StoreError
from workers.play.contest import Playing
from workers.play.runs import contest_of_run, warm


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
    """Check a run: files, counts and hashes of all committed parts, and a sample of each part cell by cell.

    `sample` is the share of deals, tournaments or matches that are played again, at least one of each part. Without
    stored rows (detail summary) that share of the parts is played whole and compared by its sums. The summary must be
    the one that the parts add up to.

    Raises
    ------
    SpecError
        If `sample` is not above 0 and at most 1, or the job's bots are not here.
    """
    if not 0 < sample <= 1:
        raise SpecError(f"The sample is {sample:g}; allowed are shares above 0 up to 1.")
    playing = warm(contest_of_run(run), say)
    faults, games, unchecked, committed = [], 0, 0, sorted(run.committed())
    every = max(1, round(1 / sample))
    for done, part in enumerate(committed):
        on_part(done, len(committed))
        damage = run.damage(part)
        if damage:
            faults.append(damage)
        elif run.plan["detail"] == "full":
            try:
                fault, count = _replayed(run, playing, part, sample)
            except Refused:  # It builds on a part that is damaged or missing, which is a fault already.
                unchecked += 1
                continue
            games += count
            faults += [fault] if fault else []
        elif part % every == 0:
            span = run.part_span(part)
            tables = playing.cells(run, span, mends=False)
            games += len(tables["games"])
            if part_sums(run.layout, span, tuple(tables.values())) != run.read_sums(part):
                faults.append(f"Part {part}: played again, its games differ from those that were summed up.")
    if unchecked:
        faults.append(
            f"{unchecked} further parts cannot be checked, for they build on parts that are not as they were."
        )
    if run.is_complete:
        faults += _summary_fault(run) if not faults else []
    elif len(committed) < run.parts:
        faults.append(f"Run {run.name} is not finished: {run.parts - len(committed)} of {run.parts} parts are missing.")
    return Verification(len(committed), games, faults)


def _replayed(run: Run, playing: Playing, part: int, sample: float) -> tuple[str, int]:
    """Play some of a part again and compare every cell; returns a fault (or nothing) and the games played."""
    span = _sampled(run, part, sample)
    stored = playing.select(dict(zip(run.layout.all_tables, run.read_part(part), strict=True)), span)
    again = playing.cells(run, span, mends=False)
    games = len(again["games"])
    for table in run.layout.tables:
        old, new = stored[table], again[table]
        if old.shape != new.shape:
            return f"Part {part}: {len(old)} rows of {table} are stored of {span}, which has {len(new)}.", games
        differing = np.argwhere(old != new)
        if len(differing):
            row, column = differing[0]
            names = run.layout.columns(table)
            fault = (
                f"Part {part}: {names[0].name} {new[row, 0]}, column '{names[column].name}' of {table} holds "
                f"{old[row, column]}; played again it is {new[row, column]}."
            )
            return fault, games
    return "", games


def _sampled(run: Run, part: int, share: float) -> Span:
    """Choose what of a part is played again: always the same of it, and not always its start."""
    span = run.part_span(part)
    if span.unit == STANDINGS:
        return span
    count = min(span.count, max(1, round(span.count * share)))
    at = (int(run.identity[:8], 16) * (part + 1)) % (span.count - count + 1)
    return Span(span.unit, span.first + at, count, span.round)


def _summary_fault(run: Run) -> list[str]:
    """Compare the stored summary with the one that the parts add up to."""
    stored = run.summary()
    try:
        return [] if run.write_summary() == stored else ["summary.json was not what the parts add up to; it is now."]
    except StoreError as error:
        return [str(error)]
