"""Formats without knockout where the plan is fixed: everybody against everybody, or some against all others."""

import math
from functools import lru_cache
from typing import Annotated

import numpy as np
from msgspec import Meta

from sim.errors import SpecError
from sim.tournament.format import Format, Points, check_award
from sim.tournament.history import History, Tables, Whole
from sim.tournament.standings import POINT_UNITS, Award, Column, Criteria, Criterion, Standings, ranked

# FCD-39; the ranks that are still shared stay shared.
LEAGUE_RANKING: tuple[Criterion, ...] = ("league_points", "points", "points_among_tied", "marks")


Ranking = Annotated[tuple[Criterion, ...], Meta(description="criteria that rank, one after the other")]


class Scored(Format, frozen=True, kw_only=True):
    """A format that ranks by league points and what breaks their ties."""

    win: Points = 1.0
    draw: Points = 0.5
    loss: Points = 0.0
    ranking: Ranking = LEAGUE_RANKING

    @property
    def award(self) -> Award:
        """League points of a match."""
        return Award(self.win, self.draw, self.loss)

    def check(self, entrants: int) -> None:
        """Check the settings for so many entrants; see `Format.check`."""
        super().check(entrants)
        check_award(self.award)
        if not self.ranking or len(set(self.ranking)) < len(self.ranking):
            raise SpecError(
                f"Option 'ranking' names one criterion or more, each once; given: {', '.join(self.ranking) or 'none'}."
            )

    def is_decisive(self, round_number: int, entrants: int) -> bool:
        """Say that a match may be drawn."""
        return False

    def standings(self, history: History) -> Standings:
        """Rank by the criteria of `ranking`; ranks that they do not part are shared."""
        rank, columns = Criteria(history, self.award).rank(self.ranking)
        return Standings(rank.astype(np.int32), {column.name: column.values / column.scale for column in columns})


@lru_cache(maxsize=256)
def circle_round(entrants: int, number: int) -> Whole:
    """Pair a round (0, 1, ...) of everybody against everybody by the circle method, (matches, 2).

    All but the last stand in a circle, and in round r those meet whose numbers sum up to 2r; the last one meets r, or
    r has no match if the number is odd. First and second seats alternate, so that each has as many of both, one more
    or less. The rounds 0 .. n-2 of an even n, 0 .. n-1 of an odd one, hold each pair once.
    """
    circle = entrants - 1 + entrants % 2
    step = np.arange(1, (circle + 1) // 2)
    up, down = (number + step) % circle, (number - step) % circle
    pairs = np.where((step % 2 == 1)[:, None], np.stack([up, down], 1), np.stack([down, up], 1))
    if entrants % 2 == 0:
        fixed = (entrants - 1, number) if number % 2 else (number, entrants - 1)
        pairs = np.concatenate([np.array([fixed]), pairs])
    return pairs.astype(np.int64)


def circle_rounds(entrants: int) -> int:
    """Count the rounds in which everybody meets everybody once."""
    return entrants - 1 + entrants % 2


def legged_round(entrants: int, number: int) -> Whole:
    """Pair a round of everybody against everybody several times over; seats change with each time."""
    pairs = circle_round(entrants, number % circle_rounds(entrants))
    return pairs[:, ::-1] if number // circle_rounds(entrants) % 2 else pairs


class RoundRobin(Scored, frozen=True, tag="round_robin"):
    """Everybody against everybody, once or more: a league.

    With an odd number one entrant rests in each round.
    """

    legs: Annotated[int, Meta(ge=1, le=100, description="how often each pair meets")] = 1

    def rounds_for(self, entrants: int) -> int:
        """Count the rounds with so many entrants."""
        return self.legs * circle_rounds(entrants)

    def matches_for(self, entrants: int) -> int:
        """Count the matches: one for each pair and leg."""
        return self.legs * math.comb(entrants, 2)

    def widths_for(self, entrants: int) -> tuple[int, ...]:
        """Count the matches of each round with so many entrants."""
        return (entrants // 2,) * self.rounds_for(entrants)

    def pair(self, history: History) -> Tables:
        """Give the tables of the next round: one plan for all repeats, not copied."""
        pairs = legged_round(history.entrants, len(history.rounds)).astype(np.int32)
        return np.broadcast_to(pairs, (history.repeats, *pairs.shape))


class Gauntlet(Format, frozen=True, tag="gauntlet"):
    """Challengers against a list: the first few entrants, `challengers` of them, each meet all others on the list.

    All matches of a leg are one round. Ranked by league points a match, then points a match: a challenger has as many
    matches as the list is long, one of the list as many as there are challengers.
    """

    challengers: Annotated[int, Meta(ge=1, le=999, description="how many of the first entrants are challengers")] = 1
    legs: Annotated[int, Meta(ge=1, le=100, description="how often each pair meets")] = 1
    win: Points = 1.0
    draw: Points = 0.5
    loss: Points = 0.0

    @property
    def award(self) -> Award:
        """League points of a match."""
        return Award(self.win, self.draw, self.loss)

    def check(self, entrants: int) -> None:
        """Check the settings for so many entrants; see `Format.check`."""
        super().check(entrants)
        check_award(self.award)
        if self.challengers >= entrants:
            raise SpecError(
                f"Option 'challengers' is {self.challengers}; allowed with {entrants} entrants: 1 to {entrants - 1}."
            )

    def rounds_for(self, entrants: int) -> int:
        """Count the rounds: the legs."""
        return self.legs

    def matches_for(self, entrants: int) -> int:
        """Count the matches: one for each challenger, entrant of the list and leg."""
        return self.legs * self.challengers * (entrants - self.challengers)

    def widths_for(self, entrants: int) -> tuple[int, ...]:
        """Count the matches of each round with so many entrants."""
        return (self.challengers * (entrants - self.challengers),) * self.legs

    def is_decisive(self, round_number: int, entrants: int) -> bool:
        """Say that a match may be drawn."""
        return False

    def pair(self, history: History) -> Tables:
        """Give the tables of the next round, challenger by challenger; seats change with each leg."""
        first, second = np.meshgrid(
            np.arange(self.challengers), np.arange(self.challengers, history.entrants), indexing="ij"
        )
        pairs = np.stack([first.ravel(), second.ravel()], 1).astype(np.int32)
        if len(history.rounds) % 2:
            pairs = pairs[:, ::-1]
        return np.broadcast_to(pairs, (history.repeats, *pairs.shape))

    def standings(self, history: History) -> Standings:
        """Rank by league points and points, a match each."""
        listed = history.entrants - self.challengers
        criteria = Criteria(history, self.award)
        # Whole numbers over one denominator: means compare exactly.
        whole = math.lcm(self.challengers, listed)
        factor = np.array([whole // listed] * self.challengers + [whole // self.challengers] * listed)
        scale = whole * max(1, len(history.rounds))
        points = criteria.column("points", criteria.score())
        return ranked(
            [
                Column("league_points_per_match", criteria.score() * factor, scale * POINT_UNITS),
                Column("points_per_match", points.values * factor, scale),
            ]
        )
