"""Formats for tables of more than two: balanced rounds, rounds by standing, and heats."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated

import numpy as np
import numpy.typing as npt
from msgspec import Meta

from sim.chance import GENERATOR, PURPOSE_TOURNAMENT, below, event_key, seed
from sim.compiled import IS_JIT_OFF, entry, kernel
from sim.errors import SpecError
from sim.tournament.allplay import Ranking, Scored
from sim.tournament.draw import DRAW_LOTS, DRAW_PLACES, DRAW_PLAN
from sim.tournament.format import Format, Seeding, ordered
from sim.tournament.history import EMPTY, History, Tables, Whole
from sim.tournament.standings import Column, Criteria, Standings, ranked, refine

Seats = Annotated[int, Meta(ge=3, le=10, description="entrants at a full table")]
RoundsOption = Annotated[int, Meta(ge=1, le=999, description="rounds; everybody plays in each")]

# Thresholds of the search in turn: a change for the worse up to one is taken (Dueck and Scheuer, "Threshold accepting",
# Journal of Computational Physics 90, 1990). No exponentials, so every machine finds the same plan.
_THRESHOLDS = (2, 2, 2, 0)
_STARTS = 16
_SWAPS = 500_000  # a start, over all thresholds

# Rounds by standing are searched anew so often while somebody meets somebody again, with up to so many entrants.
KICKS = 40
SEARCHED = 128


def table_sizes(entrants: int, seats: int) -> Whole:
    """Part entrants among as few tables as can be, the sizes differing by one at most, larger ones first."""
    tables = -(-entrants // seats)
    return np.array([entrants // tables + (table < entrants % tables) for table in range(tables)])


def sizes_of(rounds: Iterable[Whole]) -> tuple[int, ...]:
    """List the sizes of tables of some rounds, each once, without those where one sits alone."""
    return tuple(sorted({int(size) for sizes in rounds for size in sizes if size > 1}))


@kernel
def _swap_cost(met: Whole, seated: Whole, start: Whole, one: int, other: int, t: int, u: int) -> np.int64:
    """Give by how much the sum of squares of meetings grows if the entrants at two places change tables t and u."""
    a, b = seated[one], seated[other]
    change = np.int64(0)
    for place in range(start[t], start[t + 1]):
        c = seated[place]
        if c != a:
            change += 2 * (met[b, c] - met[a, c]) + 2
    for place in range(start[u], start[u + 1]):
        c = seated[place]
        if c != b:
            change += 2 * (met[a, c] - met[b, c]) + 2
    return change


@kernel
def _move(met: Whole, seated: Whole, start: Whole, one: int, other: int, t: int, u: int) -> None:
    """Let the entrants at two places change their tables t and u."""
    a, b = seated[one], seated[other]
    for place in range(start[t], start[t + 1]):
        c = seated[place]
        if c != a:
            met[a, c] -= 1
            met[c, a] -= 1
            met[b, c] += 1
            met[c, b] += 1
    for place in range(start[u], start[u + 1]):
        c = seated[place]
        if c != b:
            met[b, c] -= 1
            met[c, b] -= 1
            met[a, c] += 1
            met[c, a] += 1
    seated[one], seated[other] = b, a


@kernel
def _seat_all(plan: Whole, start: Whole, met: Whole) -> int:
    """Count the meetings of a plan; give the sum of their squares over ordered pairs."""
    met[:] = 0
    for number in range(len(plan)):
        for t in range(len(start) - 1):
            for one in range(start[t], start[t + 1]):
                for other in range(start[t], start[t + 1]):
                    if one != other:
                        met[plan[number, one], plan[number, other]] += 1
    return (met * met).sum()  # type: ignore[no-any-return]


@entry
def _balance(record, key, start, table_of, thresholds, starts, swaps, bound, best):  # type: ignore[no-untyped-def]
    """Search a plan of entrants by round and place with a small sum of squares of meetings (`bound`: the least)."""
    state = record[0]
    seed(state, key)
    rounds, count = best.shape
    met = np.zeros((count, count), np.int64)
    plan = np.zeros_like(best)
    least = np.int64(-1)
    for _ in range(starts):
        for number in range(rounds):
            for place in range(count):
                plan[number, place] = place
            for last in range(count - 1, 0, -1):
                other = below(state, last + 1)
                plan[number, last], plan[number, other] = plan[number, other], plan[number, last]
        total = _seat_all(plan, start, met)
        for threshold in thresholds:
            for _ in range(swaps // len(thresholds)):
                number, one, other = below(state, rounds), below(state, count), below(state, count)
                t, u = table_of[one], table_of[other]
                if t != u:
                    change = 2 * _swap_cost(met, plan[number], start, one, other, t, u)
                    if change <= 2 * threshold:
                        _move(met, plan[number], start, one, other, t, u)
                        total += change
        if least < 0 or total < least:
            least = total
            best[:] = plan
        if least == bound:
            break


@entry
def _seat(plan: Whole, sizes: Whole, entrants: int) -> None:
    """Exchange seats within tables until that makes nobody's share of the seats more even."""
    sat = np.zeros((entrants, plan.shape[2]), np.int64)
    for number in range(len(plan)):
        for t in range(len(sizes)):
            for seat in range(sizes[t]):
                sat[plan[number, t, seat], seat] += 1
    is_better = True
    while is_better:
        is_better = False
        for number in range(len(plan)):
            for t in range(len(sizes)):
                for one in range(sizes[t]):
                    for other in range(one):
                        a, b = plan[number, t, one], plan[number, t, other]
                        gain = sat[a, one] - sat[a, other] + sat[b, other] - sat[b, one] - 2
                        if gain > 0:
                            sat[a, one] -= 1
                            sat[a, other] += 1
                            sat[b, other] -= 1
                            sat[b, one] += 1
                            plan[number, t, one], plan[number, t, other] = b, a
                            is_better = True


@lru_cache(maxsize=32)
def balanced_plan(entrants: int, seats: int, rounds: int) -> Whole:
    """Plan rounds of tables in which pairs meet about equally often: (rounds, tables, seats) numbers, EMPTY for nobody.

    The same plan for the same arguments, found in a second or two by a search. Where a perfect design of few tables
    exists it is mostly found: 9 by 3 in 4 rounds, 16 by 4 in 5, 15 by 3 in 7 (Kirkman's schoolgirls), 25 by 5 in 6,
    8 by 4 in 7; else a few pairs meet once more or less often than the others (`meetings` counts).
    """
    sizes = table_sizes(entrants, seats)
    start = np.concatenate([[0], np.cumsum(sizes)])
    plan = np.full((rounds, len(sizes), seats), EMPTY, np.int64)
    best = np.tile(np.arange(entrants), (rounds, 1))
    if len(sizes) > 1:
        record = np.zeros(1, np.dtype(GENERATOR, align=True))
        key = np.uint64((entrants << 32) + (seats << 16) + rounds)
        table_of = np.repeat(np.arange(len(sizes)), sizes)
        pairs, total = entrants * (entrants - 1), rounds * int((sizes * (sizes - 1)).sum())
        often, more = divmod(total, pairs)
        bound = more * (often + 1) ** 2 + (pairs - more) * often**2
        with np.errstate(over="ignore"):
            record = record.view(np.recarray) if IS_JIT_OFF else record
            _balance(record, key, start, table_of, np.array(_THRESHOLDS), _STARTS, _SWAPS, bound, best)
    for table, size in enumerate(sizes):
        plan[:, table, :size] = best[:, start[table] : start[table] + size]
    _seat(plan, sizes, entrants)
    plan.flags.writeable = False
    return plan


def meetings(plan: Whole, entrants: int) -> Whole:
    """Count how often each pair meets in a plan of (rounds, tables, seats): (entrants, entrants), 0 on the diagonal."""
    met = np.zeros((entrants, entrants), np.int64)
    for table in plan.reshape(-1, plan.shape[2]):
        seated = table[table != EMPTY]
        met[np.ix_(seated, seated)] += 1
    np.fill_diagonal(met, 0)
    return met


class BalancedTables(Scored, frozen=True, tag="tables"):
    """Tables of more than two for so many rounds, planned so that pairs meet about equally often; ranked as a league.

    The tables have one entrant less or all of `seats`, as few tables as can be. A league point is shared out by places:
    of four the places earn 1, 2/3, 1/3 and 0. Drawn, numbers of the plan are drawn by lot in each repeat.
    """

    seats: Seats = 4
    rounds: RoundsOption = 5
    seeding: Seeding = "drawn"

    def rounds_for(self, entrants: int) -> int:
        """Count the rounds."""
        return self.rounds

    def matches_for(self, entrants: int) -> int:
        """Count the tables of all rounds."""
        return self.rounds * len(table_sizes(entrants, self.seats))

    def widths_for(self, entrants: int) -> tuple[int, ...]:
        """Count the tables of each round with so many entrants."""
        return (len(table_sizes(entrants, self.seats)),) * self.rounds

    def sizes_for(self, entrants: int) -> tuple[int, ...]:
        """List how many may sit at a table where something is played, fewest first."""
        return sizes_of([table_sizes(entrants, self.seats)])

    def pair(self, history: History) -> Tables:
        """Give the tables of the next round of the plan."""
        plan = balanced_plan(history.entrants, self.seats, self.rounds)[len(history.rounds)]
        order = ordered(history, self.seeding)
        return np.where(plan == EMPTY, EMPTY, order[:, np.maximum(plan, 0)]).astype(np.int32)


# ── Rounds by standing ───────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def _change(seated: Whole, first: int, behind: int, a: int, b: int, met: Whole, groups: Whole) -> np.int64:
    """Give by how much a table becomes worse if b takes the place of a: by second meetings, then by distances."""
    unit = np.int64(len(groups)) ** 4
    change = np.int64(0)
    for place in range(first, behind):
        c = seated[place]
        if c != a:
            change += unit * (met[b, c] ** 2 - met[a, c] ** 2)
            change += (groups[b] - groups[c]) ** 2 - (groups[a] - groups[c]) ** 2
    return change


@kernel
def _exchange(seated: Whole, start: Whole, met: Whole, groups: Whole) -> bool:
    """Exchange entrants of different tables wherever that helps; say whether any exchange did."""
    is_better = False
    for t in range(len(start) - 1):
        for one in range(start[t], start[t + 1]):
            for u in range(t + 1, len(start) - 1):
                for other in range(start[u], start[u + 1]):
                    a, b = seated[one], seated[other]
                    change = _change(seated, start[t], start[t + 1], a, b, met, groups)
                    change += _change(seated, start[u], start[u + 1], b, a, met, groups)
                    if change < 0:
                        seated[one], seated[other] = b, a
                        is_better = True
    return is_better


@kernel
def _badness(seated: Whole, start: Whole, met: Whole, groups: Whole) -> np.int64:
    """Weigh second meetings at tables (their squares, summed), then the squares of distances of score groups."""
    unit = np.int64(len(groups)) ** 4
    total = np.int64(0)
    for t in range(len(start) - 1):
        for one in range(start[t], start[t + 1]):
            for other in range(start[t], one):
                a, b = seated[one], seated[other]
                total += unit * met[a, b] ** 2 + (groups[a] - groups[b]) ** 2
    return total


@entry
def _group_up(record, keys, number, standings, groups, met, start, tables):  # type: ignore[no-untyped-def]
    """Seat each repeat's entrants: those next to one another in the standings, then exchanges while they help.

    While somebody still meets somebody again, a few places are shuffled and exchanges tried anew, some times over.
    """
    state = record[0]
    count = standings.shape[1]
    unit = np.int64(count) ** 4
    seated, best = np.zeros(count, np.int64), np.zeros(count, np.int64)
    kicks = KICKS if count <= SEARCHED else 1
    for row in range(len(standings)):
        seed(state, event_key(keys[row], PURPOSE_TOURNAMENT, (DRAW_PLAN << 32) + number))
        seated[:] = standings[row]
        least = np.int64(-1)
        for _ in range(kicks):
            while _exchange(seated, start, met[row], groups[row]):
                pass
            total = _badness(seated, start, met[row], groups[row])
            if least < 0 or total < least:
                least = total
                best[:] = seated
            if least < unit:
                break
            seated[:] = best
            for _ in range(3):
                one, other = below(state, count), below(state, count)
                seated[one], seated[other] = seated[other], seated[one]
        for t in range(len(start) - 1):
            for place in range(start[t], start[t + 1]):
                tables[row, t, place - start[t]] = best[place]


class SwissTables(Scored, frozen=True, tag="swiss_tables"):
    """The Swiss system for tables of more than two: after a drawn round those sit together who stand alike.

    Pairs meet again as seldom as a search by exchanges finds; among tables that do as well the one whose entrants stand
    closest. Nobody has a bye: tables have one entrant less or all of `seats`.
    """

    seats: Seats = 4
    rounds: RoundsOption = 5
    seeding: Seeding = "drawn"
    ranking: Ranking = (
        "league_points",
        "buchholz",
        "sonneborn_berger",
        "points",
        "marks",
    )

    def rounds_for(self, entrants: int) -> int:
        """Count the rounds."""
        return self.rounds

    def matches_for(self, entrants: int) -> int:
        """Count the tables of all rounds."""
        return self.rounds * len(table_sizes(entrants, self.seats))

    def widths_for(self, entrants: int) -> tuple[int, ...]:
        """Count the tables of each round with so many entrants."""
        return (len(table_sizes(entrants, self.seats)),) * self.rounds

    def sizes_for(self, entrants: int) -> tuple[int, ...]:
        """List how many may sit at a table where something is played, fewest first."""
        return sizes_of([table_sizes(entrants, self.seats)])

    def pair(self, history: History) -> Tables:
        """Give the tables of the next round, best placed first; the seats of a table are drawn."""
        entrants, number = history.entrants, len(history.rounds)
        numbers = np.argsort(ordered(history, self.seeding), axis=1)
        scores = Criteria(history, self.award).score()
        standings = np.lexsort((numbers, -scores), axis=1)
        start = np.concatenate([[0], np.cumsum(table_sizes(entrants, self.seats))])
        tables = np.full((history.repeats, len(start) - 1, self.seats), EMPTY, np.int32)
        # A rank (1, 1, 3, ...) is a score group; its distance to another counts the entrants between.
        groups = refine(np.ones_like(scores), scores)
        record = np.zeros(1, np.dtype(GENERATOR, align=True))
        with np.errstate(over="ignore"):
            record = record.view(np.recarray) if IS_JIT_OFF else record
            _group_up(record, history.draw.keys, number, standings, groups, _met(history), start, tables)
        lots = history.draw.words(DRAW_PLACES, number + 1, tables[0].size).reshape(tables.shape)
        lots = np.where(tables == EMPTY, np.iinfo(np.uint64).max, lots)
        return np.take_along_axis(tables, np.argsort(lots, axis=2, kind="stable"), axis=2)


def _met(history: History) -> Whole:
    """Count how often each pair has met: (repeats, entrants, entrants)."""
    entrants = history.entrants
    met = np.zeros((history.repeats, entrants + 1, entrants + 1), np.int64)
    rows = np.arange(history.repeats)[:, None]
    for played in history.rounds:
        for seat in range(played.tables.shape[2]):
            for other in range(played.tables.shape[2]):
                if seat != other:
                    np.add.at(met, (rows, played.tables[:, :, seat], played.tables[:, :, other]), 1)
    return np.ascontiguousarray(met[:, :entrants, :entrants])


# ── Heats ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Heats(Format, frozen=True, tag="heats"):
    """A knockout of tables of more than two: the best of each go on, until one table is left, the final.

    Equal places at the edge are parted by points, then marks, then by lot. Tables are drawn anew in each round, or
    dealt by seeding to and fro.
    """

    seats: Seats = 4
    advance: Annotated[int, Meta(ge=1, le=5, description="how many of a table go on, at most half of its seats")] = 2
    seeding: Seeding = "drawn"

    def check(self, entrants: int) -> None:
        """Check the settings for so many entrants; see `Format.check`."""
        super().check(entrants)
        if 2 * self.advance > self.seats:
            raise SpecError(
                f"Option 'advance' is {self.advance}; allowed with tables of {self.seats}: 1 to {self.seats // 2}."
            )

    def rounds_for(self, entrants: int) -> int:
        """Count the rounds with so many entrants."""
        return len(self._sizes(entrants))

    def matches_for(self, entrants: int) -> int:
        """Count the tables of all rounds."""
        return sum(len(sizes) for sizes in self._sizes(entrants))

    def sizes_for(self, entrants: int) -> tuple[int, ...]:
        """List how many may sit at a table where something is played, fewest first."""
        return sizes_of(self._sizes(entrants))

    def is_decisive(self, round_number: int, entrants: int) -> bool:
        """Say that equal places may remain: they are parted here, or shared in the final."""
        return False

    def pair(self, history: History) -> Tables:
        """Give the tables of the next round, the seats in the order in which they were dealt."""
        number = len(history.rounds)
        sizes = self._sizes(history.entrants)[number]
        staying = self._staying(history)
        if self.seeding == "drawn":
            key = history.draw.words(DRAW_PLACES, number, history.entrants) >> np.uint64(1)
        else:
            key = np.argsort(ordered(history, self.seeding), axis=1).astype(np.uint64)
        key = np.where(staying, key, np.iinfo(np.uint64).max)
        order = np.argsort(key, axis=1, kind="stable")[:, : sizes.sum()]
        place = np.arange(sizes.sum())
        row, column = place // len(sizes), place % len(sizes)
        full = sizes.sum() // len(sizes)
        # The last row is not full: it is dealt from the first table on, so that the larger tables stand first.
        table = np.where((row % 2 == 1) & (row < full), len(sizes) - 1 - column, column)
        tables = np.full((history.repeats, len(sizes), self.seats), EMPTY, np.int32)
        tables[:, table, row] = order
        return tables

    def standings(self, history: History) -> Standings:
        """Rank by `stage`, the round of the last match, and in the final by `place`."""
        stage = np.zeros((history.repeats, history.entrants), np.int64)
        for number, played in enumerate(history.rounds):
            sat = history.total([(played.tables, np.ones_like(played.results.place))])
            stage = np.where(sat > 0, number + 1, stage)
        last = history.rounds[-1]
        place = history.total([(last.tables, last.results.place)])
        is_final = len(history.rounds) == self.rounds_for(history.entrants)
        # A smaller place is better, and prints as it is.
        return ranked([Column("stage", stage), Column("place", -place if is_final else np.zeros_like(place), -1)])

    def _sizes(self, entrants: int) -> list[Whole]:
        """Give the sizes of the tables of each round."""
        rounds = [table_sizes(entrants, self.seats)]
        while len(rounds[-1]) > 1:
            rounds.append(table_sizes(int(np.minimum(self.advance, rounds[-1] - 1).sum()), self.seats))
        return rounds

    def _staying(self, history: History) -> npt.NDArray[np.bool_]:
        """Say who is still in: (repeats, entrants)."""
        if not history.rounds:
            return np.ones((history.repeats, history.entrants), np.bool_)
        played = history.rounds[-1]
        tables = played.tables
        lots = history.draw.words(DRAW_LOTS, len(history.rounds), tables[0].size).reshape(tables.shape)
        results = played.results
        place = np.where(tables == EMPTY, np.iinfo(np.int64).max, results.place)
        best_first = np.lexsort((lots, -results.marks, -results.points, place), axis=2)
        going = np.minimum(self.advance, (tables != EMPTY).sum(axis=2) - 1)
        is_going = np.arange(tables.shape[2]) < going[:, :, None]
        seats = np.zeros(tables.shape, np.int64)
        np.put_along_axis(seats, best_first, is_going.astype(np.int64), axis=2)
        return history.total([(tables, seats)]) > 0
