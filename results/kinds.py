"""The kinds of run there are, and what the store asks of each: its layout, sums and summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from results.plan import DEALS, Span, count_of, unit_of
from results.schema import Layout
from results.tournament.layout import KIND, TournamentLayout
from sim.errors import SpecError

if TYPE_CHECKING:
    from results.cells import Cells
    from results.summary import Summary, Table
    from results.sums import Sums

AnyLayout = Layout | TournamentLayout


def layout_from_json(data: Mapping[str, Any]) -> AnyLayout:
    """Build the layout of either kind that its `to_json` described. Raises SpecError if the data describe none."""
    return TournamentLayout.from_json(data) if data.get("kind") == KIND else Layout.from_json(data)


def check_fits(layout: AnyLayout, plan: Mapping[str, Any]) -> None:
    """Raise SpecError unless a plan, which is one, cuts what the layout is of."""
    is_tournament = isinstance(layout, TournamentLayout)
    if is_tournament == (unit_of(plan) == DEALS):
        raise SpecError(f"The plan cuts {unit_of(plan)}, which is not what a run of this kind consists of.")
    if isinstance(layout, TournamentLayout) and count_of(plan) != layout.repeats:
        raise SpecError(f"The plan is for {count_of(plan)} tournaments and the run has {layout.repeats}.")


def part_sums(layout: AnyLayout, span: Span, cells: tuple[Cells, ...]) -> Sums:
    """Return the sums of a part from its cells, in the order of `layout.all_tables`.

    Raises StoreError if they are not what the layout and the span describe.
    """
    if isinstance(layout, TournamentLayout):
        from results.tournament.sums import part_sums as sums_of_tournaments

        return sums_of_tournaments(layout, span, dict(zip(layout.all_tables, cells, strict=True)))
    from results.sums import part_sums as sums_of_games

    games, seats, rounds = cells
    return sums_of_games(layout, games, seats, rounds)


def held(layout: AnyLayout, sums: Sums) -> list[Span]:
    """Return what is summed."""
    if isinstance(layout, TournamentLayout):
        return [Span(unit, first, count, number) for unit, number, first, count in sums["spans"]]
    return [Span(DEALS, first, count) for first, count in sums["ranges"]]


def merged(layout: AnyLayout, parts: Iterable[Sums]) -> Sums:
    """Return the sums of all parts together."""
    if isinstance(layout, TournamentLayout):
        from results.tournament.sums import merge
    else:
        from results.sums import merge
    # Pairs, then pairs of pairs and so on: sums that grow with the parts are not gone through for each of them.
    waiting: list[tuple[int, Sums]] = []
    for part in parts:
        weight, total = 1, part
        while waiting and waiting[-1][0] == weight:
            total = merge(waiting.pop()[1], total)
            weight *= 2
        waiting.append((weight, total))
    total = waiting.pop()[1]
    while waiting:
        total = merge(waiting.pop()[1], total)
    return total


def summarise(layout: AnyLayout, sums: Sums, identity: str) -> Summary:
    """Return the summary of a run from its merged sums."""
    if isinstance(layout, TournamentLayout):
        from results.tournament.summary import summarise as of_tournaments

        return of_tournaments(layout, sums, identity)
    from results.summary import summarise as of_games

    return of_games(layout, sums, identity)


def tables(summary: Summary) -> list[Table]:
    """Return a summary of either kind as tables to show."""
    if summary.get("kind") == KIND:
        from results.tournament.shown import tables as of_tournaments

        return of_tournaments(summary)
    from results.summary import tables as of_games

    return of_games(summary)
