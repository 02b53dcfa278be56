"""Brackets: where winners and losers of each match go, carried out for all repeats of a round at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np
from msgspec import Meta

from sim.tournament.draw import DRAW_BYES
from sim.tournament.format import BestOf, Format, Seeding, check_odd, ordered
from sim.tournament.history import EMPTY, History, Round, Tables, Whole, check_decided
from sim.tournament.standings import Column, Standings, ranked

WINNER, LOSER = range(2)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a seat of a bracket is filled from: who won or lost an earlier match."""

    kind: int
    index: int  # of the match in its round
    round_number: int


@dataclass(frozen=True, slots=True)
class Match:
    """A match of a bracket: its stage, and its two seats after the first round, which the places fill in order.

    Whoever played his last match at a later stage ranks higher. A stage is twice the number of a round, one less for a
    match that ranks below the others of its round.
    """

    stage: int
    seats: tuple[Source, ...] = ()


Bracket = tuple[tuple[Match, ...], ...]  # rounds of matches


def bracket_size(entrants: int) -> int:
    """Give the next power of two: the places of a bracket."""
    return 1 << (entrants - 1).bit_length()


def seed_places(size: int) -> Whole:
    """Give the seed (0, 1, ...) at each place of a bracket, so that the best meet as late as they can.

    Two seeds among the best 2**k meet only when 2**k are left. For eight places, in pairs: 0 7, 3 4, 1 6, 2 5.
    """
    seeds = [0]
    while len(seeds) < size:
        seeds = [seed for best in seeds for seed in (best, 2 * len(seeds) - 1 - best)]
    return np.array(seeds, np.int64)


def places_of(history: History, seeding: str) -> Tables:
    """Seat the entrants in the places of a bracket, (repeats, size), EMPTY for a bye.

    No two byes meet, and a bye is on the second place of its match. Drawn, all such seatings are alike likely (FCD-37);
    otherwise the best have the byes.
    """
    entrants, size = history.entrants, bracket_size(history.entrants)
    order = ordered(history, seeding)
    if seeding == "drawn":
        if size == entrants:
            return order.astype(np.int32)
        # Which matches have a bye, then who sits where in the places that are left.
        is_taken = np.ones((history.repeats, size // 2, 2), np.bool_)
        byes = history.draw.orders(DRAW_BYES, 0, size // 2)[:, : size - entrants]
        np.put_along_axis(is_taken[:, :, 1], byes, False, axis=1)
        places = np.full((history.repeats, size), EMPTY, np.int32)
        places[is_taken.reshape(history.repeats, size)] = order.ravel()
        return places
    padded = np.full((history.repeats, size), EMPTY, np.int32)
    padded[:, :entrants] = order
    return padded[:, seed_places(size)]


def first_tables(places: Tables) -> Tables:
    """Give the tables of a bracket's first round: neighbouring places meet."""
    return places.reshape(len(places), -1, 2)


def next_tables(bracket: Bracket, rounds: Sequence[Round]) -> Tables:
    """Fill the seats of a bracket's next round out of those before it, one or more."""
    matches = bracket[len(rounds)]
    tables = np.full((len(rounds[0].tables), len(matches), 2), EMPTY, np.int32)
    wanted: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for number, match in enumerate(matches):
        for seat, source in enumerate(match.seats):
            wanted.setdefault((source.kind, source.round_number), []).append((number, seat, source.index))
    for (kind, round_number), cells in wanted.items():
        numbers, seats, indices = np.array(cells).T
        tables[:, numbers, seats] = _outcome(rounds[round_number], kind)[:, indices]
    return tables


def _outcome(played: Round, kind: int) -> Tables:
    """Give who won or lost each match of a round, (repeats, matches); a bye is won against EMPTY."""
    is_first = played.results.place[:, :, 0] == 1
    if kind == LOSER:
        is_first = ~is_first
    return np.where(is_first, played.tables[:, :, 0], played.tables[:, :, 1])


def last_matches(history: History, bracket: Bracket, start: int) -> tuple[Whole, Whole]:
    """Give the stage of each entrant's last match, 0 if he had none, and whether he won it: (repeats, entrants) each.

    `start` is the round of the history with which the bracket begins.
    """
    stage = np.zeros((history.repeats, history.entrants + 1), np.int64)
    won = np.zeros_like(stage)
    for matches, played in zip(bracket, history.rounds[start:], strict=False):
        cells = history.cells(played.tables).ravel()
        stages = np.array([match.stage for match in matches])[:, None]
        stage.reshape(-1)[cells] = np.broadcast_to(stages, played.tables.shape).ravel()
        won.reshape(-1)[cells] = (played.results.place == 1).ravel()
    return stage[:, :-1], won[:, :-1]


def stage_columns(history: History, bracket: Bracket, start: int = 0) -> list[Column]:
    """Give the two columns that rank a bracket's entrants: stage and won."""
    stage, won = last_matches(history, bracket, start)
    return [Column("stage", stage, 2), Column("won", won)]


@lru_cache(maxsize=64)
def single_bracket(size: int, entrants: int, is_third_played: bool) -> Bracket:
    """Draw up a single elimination: the winners of neighbouring matches meet.

    With three entrants the match for third place has one entrant: the one losing semi-finalist is third (FCD-37).
    """
    rounds = [(Match(2),) * (size // 2)]
    while len(rounds[-1]) > 1:
        number = len(rounds)
        rounds.append(
            tuple(Match(2 * (number + 1), _neighbours(WINNER, n, number - 1)) for n in range(len(rounds[-1]) // 2))
        )
    last = len(rounds) - 1
    if is_third_played and entrants > 2:
        rounds[last] = (*rounds[last], Match(2 * (last + 1) - 1, _neighbours(LOSER, 0, last - 1)))
    return tuple(rounds)


def _neighbours(kind: int, index: int, round_number: int) -> tuple[Source, Source]:
    """Give two seats filled from the matches 2 * index and 2 * index + 1 of a round."""
    return Source(kind, 2 * index, round_number), Source(kind, 2 * index + 1, round_number)


class SingleElimination(Format, frozen=True, tag="single_elimination"):
    """Single elimination, a knockout: who loses a match is out.

    Places are those of the next power of two; who meets nobody has a bye. Losers of one round share a rank, but for
    the match for third place.
    """

    seeding: Seeding = "drawn"
    third_place: Annotated[bool, Meta(description="the losing semi-finalists play for third place")] = False
    best_of: BestOf = 1

    def check(self, entrants: int) -> None:
        """Check the settings for so many entrants; see `Format.check`."""
        super().check(entrants)
        check_odd(self.best_of)

    def rounds_for(self, entrants: int) -> int:
        """Count the rounds with so many entrants."""
        return (entrants - 1).bit_length()

    def matches_for(self, entrants: int) -> int:
        """Count the matches: each but the winner loses one, and there may be one for third place."""
        return entrants - 1 + int(self.third_place and entrants > 3)

    def is_decisive(self, round_number: int, entrants: int) -> bool:
        """Say that each match has one winner."""
        return True

    def pair(self, history: History) -> Tables:
        """Give the tables of the next round: in the last one the final, then the match for third place."""
        if not history.rounds:
            return first_tables(places_of(history, self.seeding))
        check_decided(history)
        return next_tables(self._bracket(history), history.rounds)

    def standings(self, history: History) -> Standings:
        """Rank by `stage`, the round of the last match and `won`; third place is half a round lower."""
        check_decided(history)
        return ranked(stage_columns(history, self._bracket(history)))

    def _bracket(self, history: History) -> Bracket:
        """Give the bracket of a history's entrants."""
        return single_bracket(bracket_size(history.entrants), history.entrants, self.third_place)


# ── Double elimination ───────────────────────────────────────────────────────────────────────────────────────────────
#
#   round       0     1     2     3     4     5     6 ...            of 8 places (3 upper rounds)
#   upper       U1    U2    U3
#   lower             L1    L2    L3    L4                           L1: U1's losers; L2: and U2's; L4: and U3's
#   final                                     F     F'               F': if F was the upper side's first loss


@lru_cache(maxsize=64)
def double_bracket(size: int, has_reset: bool) -> Bracket:
    """Draw up a double elimination of `size` places, 2 or more; see the drawing above.

    Losers drop crosswise, so that those who have met meet again as late as can be; see `crossings`.
    """
    upper_rounds = size.bit_length() - 1
    lower_rounds = 2 * (upper_rounds - 1)
    final = lower_rounds + 1
    cross = crossings(upper_rounds)
    rounds: list[list[Match]] = [[] for _ in range(final + 1 + has_reset)]
    for number in range(upper_rounds):
        for n in range(size >> (number + 1)):
            seats = _neighbours(WINNER, n, number - 1) if number else ()
            rounds[number].append(Match(2 * (number + 1), seats))
    # Upper matches stand first in their round, so a lower one is found behind them.
    offset = [len(matches) for matches in rounds]
    for number in range(1, lower_rounds + 1):
        for n in range(size >> ((number + 1) // 2 + 1)):
            behind = offset[number - 1]
            if number == 1:
                seats = _neighbours(LOSER, n, 0)
            elif number % 2:
                seats = (Source(WINNER, behind + 2 * n, number - 1), Source(WINNER, behind + 2 * n + 1, number - 1))
            else:
                drop = number // 2
                seats = (Source(LOSER, n ^ cross[drop - 1], drop), Source(WINNER, behind + n, number - 1))
            rounds[number].append(Match(2 * (number + 1), seats))
    upper_winner = Source(WINNER, 0, upper_rounds - 1)
    lower_winner = Source(WINNER, offset[lower_rounds], lower_rounds) if lower_rounds else Source(LOSER, 0, 0)
    rounds[final].append(Match(2 * (final + 1), (upper_winner, lower_winner)))
    if has_reset:
        rounds[final + 1].append(Match(2 * (final + 2), (Source(WINNER, 0, final), Source(LOSER, 0, final))))
    return tuple(tuple(matches) for matches in rounds)


@lru_cache(maxsize=64)
def crossings(upper_rounds: int) -> tuple[int, ...]:
    """Say for each upper round from the second on how its losers cross: the loser of match m joins lower match m ^ c.

    In lower round 2j the lower side of match p comes from the upper blocks p ^ s for s in a set S, the upper loser from
    block p ^ c; those who have met come from one block. In the next round matches 2q and 2q + 1 meet: two of S and c
    that differ by 1 are one block again. The widest c (by its lowest bit) is taken that keeps both rounds free of
    second meetings, else the widest that keeps the first one free, else 0. Up to 64 places none does so for longer.
    """
    blocks, chosen = {0}, []
    for number in range(1, upper_rounds):
        steps = sorted(range(1, 1 << (upper_rounds - 1 - number)), key=lambda c: (-(c & -c), c))
        free = [c for c in steps if c not in blocks]
        later = [c for c in free if not any(one ^ 1 in blocks | {c} for one in blocks | {c})]
        chosen.append((later or free or [0])[0])
        blocks = {block >> 1 for block in blocks | {chosen[-1]}}
    return tuple(chosen)


class DoubleElimination(Format, frozen=True, tag="double_elimination"):
    """Double elimination: who loses goes on in the lower bracket, who loses there is out.

    The last of both sides meet in the final. With `reset` a first loss there is not the end: they meet once more.
    """

    seeding: Seeding = "drawn"
    reset: Annotated[bool, Meta(description="the final is played again if it was the upper side's first loss")] = True
    best_of: BestOf = 1

    def check(self, entrants: int) -> None:
        """Check the settings for so many entrants; see `Format.check`."""
        super().check(entrants)
        check_odd(self.best_of)

    def rounds_for(self, entrants: int) -> int:
        """Count the rounds with so many entrants; in the last one nothing is played where no second final is due."""
        return 2 * (entrants - 1).bit_length() + int(self.reset)

    def matches_for(self, entrants: int) -> int:
        """Count the matches at most: each but the winner loses two, the winner perhaps one."""
        return 2 * (entrants - 1) + int(self.reset)

    def is_decisive(self, round_number: int, entrants: int) -> bool:
        """Say that each match has one winner."""
        return True

    def pair(self, history: History) -> Tables:
        """Give the tables of the next round: those of the upper bracket, then those of the lower one, or the final."""
        bracket = self._bracket(history)
        if not history.rounds:
            return first_tables(places_of(history, self.seeding))
        check_decided(history)
        tables = next_tables(bracket, history.rounds)
        if self.reset and len(history.rounds) == len(bracket) - 1:
            is_over = history.rounds[-1].results.place[:, 0, 0] == 1
            tables[is_over] = EMPTY
        return tables

    def standings(self, history: History) -> Standings:
        """Rank by `stage`, the round of the last match, and `won`."""
        check_decided(history)
        return ranked(stage_columns(history, self._bracket(history)))

    def _bracket(self, history: History) -> Bracket:
        """Give the bracket of a history's entrants."""
        return double_bracket(bracket_size(history.entrants), self.reset)
