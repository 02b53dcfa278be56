"""Groups of everybody against everybody, then a knockout of the best of each."""

from functools import lru_cache
from typing import Annotated

import numpy as np
from msgspec import Meta

from sim.errors import SpecError
from sim.tournament.allplay import Scored, circle_rounds, legged_round
from sim.tournament.bracket import (
    Bracket,
    bracket_size,
    first_tables,
    next_tables,
    seed_places,
    single_bracket,
    stage_columns,
)
from sim.tournament.draw import DRAW_LOTS
from sim.tournament.format import BestOf, Seeding, check_odd, ordered
from sim.tournament.history import EMPTY, History, Tables, Whole, check_decided
from sim.tournament.standings import Column, Criteria, Standings, ranked


@lru_cache(maxsize=64)
def snake(entrants: int, groups: int) -> tuple[Whole, ...]:
    """Deal seeds 0 .. n-1 into groups to and fro; the seeds of each, best first: 9 in 3 are 0 5 6, 1 4 7, 2 3 8."""
    seeds = np.arange(entrants)
    row, column = seeds // groups, seeds % groups
    group = np.where(row % 2 == 1, groups - 1 - column, column)
    return tuple(seeds[group == number] for number in range(groups))


@lru_cache(maxsize=64)
def knockout_seats(groups: int, advance: int) -> Whole:
    """Give who sits where in the knockout: `group * advance + rank in the group`, EMPTY for a bye; one a place.

    The winners of the groups have the places of the best seeds, then come the seconds and so on. Among those of one
    rank the groups are put so that entrants of one group meet late: the first free place in turn that is furthest from
    those of the group, then exchanges as long as they help.
    """
    size = bracket_size(groups * advance)
    place_of_seed = np.argsort(seed_places(size))
    place = np.zeros((groups, advance), np.int64)

    def cost(group: int) -> int:
        """Weigh the meetings within a group: one a round earlier counts more than all later ones."""
        own = place[group]
        return sum(1 << (4 * (11 - int(a ^ b).bit_length())) for i, a in enumerate(own) for b in own[:i])

    place[:, 0] = place_of_seed[:groups]
    for rank in range(1, advance):
        # Backwards: the worst of one rank meets the best of the one before, as seeds do.
        place[:, rank] = (
            place_of_seed[rank * groups : (rank + 1) * groups][::-1]
            if rank % 2
            else place_of_seed[rank * groups : (rank + 1) * groups]
        )
    is_better = True
    while is_better:
        is_better = False
        for rank in range(1, advance):
            for one in range(groups):
                for other in range(one):
                    before = cost(one) + cost(other)
                    place[[one, other], rank] = place[[other, one], rank]
                    if cost(one) + cost(other) < before:
                        is_better = True
                    else:
                        place[[one, other], rank] = place[[other, one], rank]
    seats = np.full(size, EMPTY, np.int64)
    seats[place.ravel()] = np.arange(groups * advance)
    return seats


class GroupsThenKnockout(Scored, frozen=True, tag="groups_then_knockout"):
    """Groups in which everybody meets everybody, then a single elimination of the best of each group.

    Groups are drawn, or dealt by seeding to and fro; their sizes differ by one at most. A group is ranked by `ranking`,
    and by lot where that leaves ranks shared.
    """

    groups: Annotated[int, Meta(ge=2, le=250, description="how many groups there are")] = 4
    advance: Annotated[int, Meta(ge=1, le=100, description="how many of each group go on")] = 2
    legs: Annotated[int, Meta(ge=1, le=100, description="how often each pair of a group meets")] = 1
    seeding: Seeding = "drawn"
    third_place: Annotated[bool, Meta(description="the losing semi-finalists play for third place")] = False
    best_of: BestOf = 1

    def check(self, entrants: int) -> None:
        """Check the settings for so many entrants; see `Format.check`."""
        super().check(entrants)
        check_odd(self.best_of)
        if 2 * self.groups > entrants:
            raise SpecError(
                f"Option 'groups' is {self.groups}; allowed with {entrants} entrants: 2 to {entrants // 2}, so that "
                "each has two or more."
            )
        if self.advance > entrants // self.groups:
            raise SpecError(
                f"Option 'advance' is {self.advance}; allowed with {self.groups} groups of {entrants} entrants: 1 to "
                f"{entrants // self.groups}, the smallest group."
            )

    def rounds_for(self, entrants: int) -> int:
        """Count the rounds with so many entrants: those of the largest group, and the knockout's."""
        return self._group_rounds(entrants) + (self.groups * self.advance - 1).bit_length()

    def matches_for(self, entrants: int) -> int:
        """Count the matches of the groups and of the knockout."""
        of_groups = sum(self.legs * len(seeds) * (len(seeds) - 1) // 2 for seeds in snake(entrants, self.groups))
        advancing = self.groups * self.advance
        return of_groups + advancing - 1 + int(self.third_place and advancing > 3)

    def is_decisive(self, round_number: int, entrants: int) -> bool:
        """Say that each match of the knockout has one winner."""
        return round_number >= self._group_rounds(entrants)

    def pair(self, history: History) -> Tables:
        """Give the tables of the next round, group by group or of the knockout."""
        number, start = len(history.rounds), self._group_rounds(history.entrants)
        if number < start:
            order = ordered(history, self.seeding)
            pairs = [
                seeds[legged_round(len(seeds), number)]
                for seeds in snake(history.entrants, self.groups)
                if number < self.legs * circle_rounds(len(seeds))
            ]
            return order[:, np.concatenate(pairs)].astype(np.int32)
        if number > start:
            check_decided(history)
            return next_tables(self._bracket(), history.rounds[start:])
        by_rank = np.argsort(self._group_ranks(history), axis=1)
        starts = np.cumsum([0, *(len(seeds) for seeds in snake(history.entrants, self.groups))])[:-1]
        advancing = by_rank[:, (starts[:, None] + np.arange(self.advance)).ravel()]
        seats = knockout_seats(self.groups, self.advance)
        places = np.where(seats == EMPTY, EMPTY, advancing[:, np.maximum(seats, 0)]).astype(np.int32)
        return first_tables(places)

    def standings(self, history: History) -> Standings:
        """Rank by `stage` and `won` in the knockout; those who are not in it by `group_place`."""
        check_decided(history)
        start = self._group_rounds(history.entrants)
        stage, won = stage_columns(history, self._bracket(), start)
        rank = self._group_ranks(history.until(start))
        sizes = [len(seeds) for seeds in snake(history.entrants, self.groups)]
        firsts = np.cumsum([0, *sizes])[:-1]
        place = rank - firsts[np.searchsorted(firsts, rank - 1, side="right") - 1]
        only_groups = np.where(stage.values == 0, -place, 0)
        columns = [stage, won, Column("group_place", only_groups)]
        standings = ranked(columns)
        return Standings(standings.rank, {**standings.columns, "group_place": place.astype(np.float64)})

    def _group_rounds(self, entrants: int) -> int:
        """Count the rounds of the largest group."""
        return self.legs * max(circle_rounds(len(seeds)) for seeds in snake(entrants, self.groups))

    def _bracket(self) -> Bracket:
        """Give the bracket of the knockout."""
        advancing = self.groups * self.advance
        return single_bracket(bracket_size(advancing), advancing, self.third_place)

    def _group_ranks(self, history: History) -> Whole:
        """Rank all entrants group by group, (repeats, entrants): 1 .. n, the first group first, nobody tied."""
        order = ordered(history, self.seeding)
        rank = np.zeros((history.repeats, history.entrants), np.int64)
        first = 1
        for seeds in snake(history.entrants, self.groups):
            np.put_along_axis(rank, order[:, seeds], first, axis=1)
            first += len(seeds)
        lots = (history.draw.words(DRAW_LOTS, 0, history.entrants) >> np.uint64(1)).astype(np.int64)
        criteria = Criteria(history, self.award)
        rank, _ = criteria.rank(self.ranking, rank)
        return ranked([Column("lot", lots)], rank).rank.astype(np.int64)
