"""Made-up tournaments: a layout like a small game's, and random cells that fit it, written one row at a time."""

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from results.cells import Cells
from results.schema import Column
from results.store import Run
from results.tournament.layout import TABLES, Leg, TournamentLayout

NAMES = ("ann", "bob", "cat", "dan", "eve")

COLUMNS = {
    "standings": (
        Column("repeat", "int64"),
        Column("leg", "text", "", "", ("left to the layout",)),
        Column("entrant", "text", "", "", ("left to the layout",)),
        Column("rank", "int16"),
        Column("matches", "int32", "matches"),
        Column("games", "int32", "games"),
        Column("won", "int32", "matches"),
        Column("league_points", "float64", "points", scale=10080),
        Column("points", "int64", "points"),
        Column("marks", "int64", "marks"),
        Column("wins", "float64", "wins", scale=2520),
        Column("buchholz", "float64", "points", scale=4),
    ),
    "matches": (
        Column("repeat", "int64"),
        Column("leg", "text", "", "", ("left to the layout",)),
        Column("round", "int32"),
        Column("match", "int32"),
        Column("seat", "int8"),
        Column("entrant", "text", "", "", ("left to the layout",)),
        Column("place", "int8"),
        Column("points", "int64", "points"),
        Column("marks", "int64", "marks"),
        Column("wins", "float64", "wins", scale=2520),
        Column("games", "int32", "games"),
        Column("decided", "text", "", "", ("played", "bye", "lot")),
    ),
    "played": (
        Column("game", "int64"),
        Column("repeat", "int64"),
        Column("leg", "text", "", "", ("left to the layout",)),
        Column("round", "int32"),
        Column("match", "int32"),
    ),
    "games": (
        Column("game", "int64"),
        Column("deal", "int64"),
        Column("rotation", "int8"),
        Column("status", "text", "", "", ("finished", "capped")),
        Column("turns", "int32", "turns"),
        Column("decisions", "int32", "decisions"),
    ),
    "seats": (
        Column("game", "int64"),
        Column("seat", "int8"),
        Column("entrant", "text", "", "", ("left to the layout",)),
        Column("score", "int32", "points"),
        Column("place", "int8"),
        Column("win_share", "float64", "wins", scale=2520),
        Column("lost", "bool"),
        Column("marks", "int16", "marks"),
    ),
    "rounds": (
        Column("game", "int64"),
        Column("round", "int16"),
        Column("seat", "int8"),
        Column("gain", "int32", "points"),
    ),
}

# Everybody against everybody at tables of two; tables of three, then a final of the winners with somebody over, who has
# a bye; a knockout of four, drawn by lot where it must be. The second has no rounds.
LEGS = (Leg("league", 10, 2), Leg("tables", 3, 0), Leg("knockout, shifted", 4, 1))


def make_layout(
    repeats: int,
    legs: Sequence[Leg] = LEGS,
    order: Sequence[str] = (),
    *,
    entrants: Sequence[str] = NAMES,
    is_alone: bool = False,
) -> TournamentLayout:
    """Build a layout of the columns above; with the table rounds if games of some leg have any."""
    columns = {table: columns for table, columns in COLUMNS.items() if table != "rounds" or any(g.rounds for g in legs)}
    return TournamentLayout.of(
        game="made-up", entrants=entrants, legs=legs, repeats=repeats, columns=columns, order=order, is_alone=is_alone
    )


def make_cells(layout: TournamentLayout, first: int, repeats: int) -> dict[str, Cells]:
    """Make whole tournaments, each a function of its number."""
    rows: dict[str, list[Any]] = {table: [] for table in TABLES}
    for repeat in range(first, first + repeats):
        for leg in range(len(layout.legs)):
            Held(layout, rows, repeat, leg).hold()
    return {
        table: np.array(rows[table], dtype=np.int64).reshape(len(rows[table]), len(layout.columns(table)))
        for table in TABLES
    }


def slice_of(cells: dict[str, Cells], number: int, first: int, count: int) -> dict[str, Cells]:
    """Take the rows of some matches of a round out of a single tournament, without standings."""
    kept = {table: rows[:0] for table, rows in cells.items()}
    for table, column in (("matches", 2), ("played", 3)):
        rows = cells[table]
        at = rows[:, column], rows[:, column + 1]
        kept[table] = rows[(at[0] == number) & (at[1] >= first) & (at[1] < first + count)]
    for table in ("games", "seats", "rounds"):
        if cells[table].shape[1]:
            kept[table] = cells[table][np.isin(cells[table][:, 0], kept["played"][:, 0])]
    return kept


class Held:
    """One leg of one repeat: matches are played one by one, by strength and luck, and written down."""

    def __init__(self, layout: TournamentLayout, rows: dict[str, list[Any]], repeat: int, leg: int) -> None:
        self.layout, self.rows, self.repeat, self.leg = layout, rows, repeat, leg
        self.random = np.random.default_rng([repeat, leg])
        self.totals = {entrant: np.zeros(6, dtype=np.int64) for entrant in range(len(layout.entrants))}
        self.rounds = layout.legs[leg].rounds
        self.count = 0

    def hold(self) -> None:
        """Hold the leg, by what its number is."""
        by_number: tuple[Callable[[], dict[int, int]], ...] = (self._league, self._tables, self._knockout)
        rank = by_number[self.leg % 3]()
        for entrant, total in self.totals.items():
            matches, games, won, points, marks, wins = total.tolist()
            row = [self.repeat, self.leg, entrant, rank[entrant], matches, games, won, won * 10080, points, marks, wins]
            self.rows["standings"].append([*row, 3 * won])

    def _league(self) -> dict[int, int]:
        for number, pair in enumerate(combinations(self.totals, 2)):
            self.play(1 + number // 2, 1 + number % 2, pair)
        return ranks({entrant: total[2] for entrant, total in self.totals.items()})

    def _tables(self) -> dict[int, int]:
        best = [self.play(1, 1, (0, 1, 2)), self.play(1, 2, (3, 4)), self.play(1, 3, (5,))]
        self.play(2, 1, (best[1],))
        self.play(2, 4, (best[0], 5) if best[2] is not None else (best[0], 4))
        return ranks({entrant: total[3] for entrant, total in self.totals.items()})

    def _knockout(self) -> dict[int, int]:
        order = self.random.permutation(len(self.totals)).tolist()
        finalists = [self.play(1, 1, order[:2], is_decisive=True), self.play(1, 2, order[2:4], is_decisive=True)]
        champion = self.play(2, 1, [int(f) for f in finalists if f is not None], is_decisive=True)
        others = {entrant: -1 if entrant in finalists else -2 for entrant in self.totals}
        return ranks({**others, int(champion or 0): 0})

    def play(self, number: int, match: int, entrants: Sequence[int | None], *, is_decisive: bool = False) -> int | None:
        """Play a match of so many games as there are entrants and give its winner, the first of several."""
        seated = [int(entrant) for entrant in entrants if entrant is not None and entrant < len(self.totals)]
        if not seated:
            return None
        sums = {entrant: np.zeros(3, dtype=np.int64) for entrant in seated}  # points, marks, wins
        count = 0 if len(seated) == 1 else int(self.random.integers(1, 4))
        if self.layout.is_alone:
            count *= len(seated)
        for turn in range(count):
            self._game(number, match, turn, seated, sums)
        merit = {entrant: int(total[2] if not self.layout.is_alone else total[0]) for entrant, total in sums.items()}
        place = ranks(merit)
        decided = 1 if len(seated) == 1 else 0
        if is_decisive and len(seated) == 2 and place[seated[0]] == place[seated[1]]:
            place, decided = {seated[0]: 2, seated[1]: 1}, 2
        best = [entrant for entrant in seated if place[entrant] == 1]
        for seat, entrant in enumerate(seated):
            row = [self.repeat, self.leg, number, match, seat, entrant, place[entrant], *sums[entrant], count, decided]
            self.rows["matches"].append(row)
            self.totals[entrant] += [len(seated) > 1, count, best == [entrant], *sums[entrant]]
        return best[0]

    def _game(self, number: int, match: int, turn: int, seated: list[int], sums: dict[int, Any]) -> None:
        game = ((self.repeat * 8 + self.leg) * 8 + number) * 128 + match * 16 + turn
        self.rows["played"].append([game, self.repeat, self.leg, number, match])
        capped = int(self.random.random() < 0.1)
        deal = 1000 * self.repeat + 10 * number + match
        self.rows["games"].append([game, deal, turn, capped, int(self.random.integers(9, 99)), 5])
        at = [seated[turn % len(seated)]] if self.layout.is_alone else list(np.roll(seated, turn).tolist())
        score = [int(self.random.integers(0, 7)) + (4 - entrant) // 2 for entrant in at]
        winners = score.count(max(score))
        for seat, (entrant, points) in enumerate(zip(at, score, strict=True)):
            share, marks = (2520 // winners if points == max(score) else 0), int(self.random.integers(0, 3))
            place = 1 + sum(other > points for other in score)
            self.rows["seats"].append([game, seat, entrant, points, place, share, points == min(score), marks])
            sums[entrant] += [points, marks, share]
        for nth in range(self.rounds):
            for seat in range(len(at)):
                self.rows["rounds"].append([game, nth + 1, seat, int(self.random.integers(-9, 9))])


def ranks(merit: dict[int, int]) -> dict[int, int]:
    """Rank by merit, 1, 1, 3, ..., the larger the better."""
    return {one: 1 + sum(other > value for other in merit.values()) for one, value in merit.items()}


def make_plan(repeats: int, part_repeats: int, detail: str = "full") -> dict[str, Any]:
    """Make a plan of whole tournaments."""
    return {"version": 1, "repeats": repeats, "part_repeats": part_repeats, "detail": detail}


def make_run(location: Path, layout: TournamentLayout, plan: dict[str, Any], identity: str = "made") -> Run:
    """Create a run and write all of its parts."""
    run = Run.create(location, {"identity": identity, "game_version": "1"}, layout, plan)
    for part in range(run.parts):
        run.write_part(part, *make_cells(layout, *run.part_range(part)).values())
    return run
