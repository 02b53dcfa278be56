"""Runs of a table: so many deals, each in all its rotations."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from results.plan import PLAN_VERSION, Span
from results.schema import DEAL, TABLES, Layout
from results.store import Run
from sim.contract import Bot
from sim.errors import SpecError
from sim.job import Job
from sim.play import Player
from sim.table import Table, count_games, make_table
from workers.play.contest import Contest, Playing, Tables, measured_speed, shared_out, sliced

_FIRST_MEASURED, _FIRST_SLICE = 32, 64
_CRUMB = 500  # deals, at least, in a part of a small job


class DealsContest(Contest):
    """A table for a number of deals."""

    noun, counted = "deals", "games"

    def __init__(self, job: Job, bots: Mapping[str, Bot]) -> None:
        self.table = make_table(job, bots)
        self.job: Job = job
        self.bots = bots
        self.game = self.table.game
        self.names = self.table.names
        self.units = job.deals

    def layout(self) -> Layout:
        """Say what the tables look like: games, seats, and rounds if the game has them."""
        game, table = self.game, self.table
        return Layout.of(
            game=game.name,
            entrants=table.names,
            entrant_seats=table.seats_of,
            rotations=table.most_rotations,
            game_columns=game.game_columns,
            seat_columns=game.seat_columns,
            ratios=game.ratios,
            distributions=game.distributions,
            round_columns=table.round_columns,
            rounds=table.rounds,
        )

    def plan(self, part: int, detail: str) -> dict[str, Any]:
        """Cut the deals into parts."""
        size = min(part, self.units)
        counts = {"deals": self.units, "games": self._games, "part_deals": size}
        return {"version": PLAN_VERSION, **counts, "detail": detail}

    @cached_property
    def _games(self) -> int:
        return count_games(self.table, 0, self.units)

    def largest(self, plan: Mapping[str, Any]) -> int:
        """Count the deals of a part."""
        return int(plan["part_deals"])

    def chosen(self, units: float, workers: int) -> int:
        """Choose how many deals make a part."""
        return shared_out(units, self.units, workers, _CRUMB)

    def compile_bots(self) -> None:
        """Compile the bots."""
        self.table.deciders()

    def playing(self) -> "DealsPlaying":
        """Make a player."""
        return DealsPlaying(self)

    def count(self, span: Span) -> int:
        """Count the games."""
        return count_games(self.table, span.first, span.count)

    def part_with(self, plan: Mapping[str, Any], game: int) -> int:
        """Give the part that a game is in."""
        return game // self.table.most_rotations // int(plan["part_deals"])

    def replayed(self, run: Run, game: int) -> tuple[Table, int, int]:
        """Give table, deal and rotation of a game."""
        table, job = self.table, self.job
        deal, rotation = divmod(game, table.most_rotations)
        if not 0 <= deal < job.deals:
            last = job.deals * table.most_rotations - 1
            raise SpecError(f"Run {run.name} has no game {game}; its games are numbered from 0 to at most {last}.")
        rotations = count_games(table, deal, 1)
        if rotation >= rotations:
            raise SpecError(
                f"Run {run.name} has no game {game}: deal {deal} looks the same after {rotations} rotations, so its "
                f"games are {deal * table.most_rotations} to {deal * table.most_rotations + rotations - 1}."
            )
        return table, deal, rotation


class DealsPlaying(Playing):
    """Plays deals of a table."""

    def __init__(self, contest: DealsContest) -> None:
        self.contest: DealsContest = contest
        self.player: Player = Player(contest.table)

    def warm(self) -> None:
        """Compile or load the kernel."""
        self.player.play(0, 0)

    def speed(self, least_s: float) -> float:
        """Measure how many deals a second are played."""
        return measured_speed(lambda deals: self.player.play(0, deals), _FIRST_MEASURED, self.contest.units, least_s)

    def cells(
        self, run: Run, span: Span, should_stop: Callable[[], bool] | None = None, *, mends: bool = True
    ) -> Tables:
        """Play a range of deals in slices, whose rows are those of the whole."""
        # The whole is laid out once: a part has many rows, and putting slices together would double them.
        whole = self.contest.table.rows(self.contest.count(span))
        filled = [0] * len(whole)

        def play(first: int, deals: int) -> None:
            for table, more in enumerate(self.player.play(first, deals)):
                whole[table][filled[table] : filled[table] + len(more)] = more
                filled[table] += len(more)

        sliced(play, span, _FIRST_SLICE, should_stop)
        return dict(zip(TABLES, whole, strict=True))

    def select(self, tables: Tables, span: Span) -> Tables:
        """Take out the rows of some deals; all are in the order of deals."""
        start, end = np.searchsorted(tables["games"][:, DEAL], (span.first, span.first + span.count))
        layout = self.contest.layout()
        each = {table: layout.rows_per_game(table) for table in layout.tables}
        return {
            table: rows[start * each[table] : end * each[table]] if table in each else rows
            for table, rows in tables.items()
        }

    def so_far(self, span: Span) -> int:
        """Count the games by the number of the one in play."""
        return max(0, int(self.progress[0]) - span.first * self.contest.table.most_rotations)
