"""What a tournament format is: a frozen value that pairs the next round and tells the standings, for many repeats."""

from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from sim.errors import SpecError
from sim.tournament.draw import DRAW_PLACES, Draw
from sim.tournament.history import EMPTY, History, Results, Tables, Whole
from sim.tournament.standings import Award, Standings

Seeding = Annotated[
    Literal["drawn", "given", "rating"],
    Meta(description="who takes which place: drawn by lot, as listed, or by an order of rating, best first"),
]
Points = Annotated[float, Meta(ge=0.0, le=10.0, description="league points, a multiple of 0.25")]
BestOf = Annotated[int, Meta(ge=1, le=99, description="games of a match, odd: the most wins take it")]

MIN_ENTRANTS, MAX_ENTRANTS = 2, 1000


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="format"):
    """A format with its settings. One tournament and a batch of 100,000 are planned by the same calls.

    Play goes: `pair` the next round, play its tables elsewhere, `add` their results to the history, `rounds_for` times;
    then `standings`. Every method is a pure function of its arguments.
    """

    @property
    def name(self) -> str:
        """The format's name in a job."""
        return str(self.__struct_config__.tag)

    def check(self, entrants: int) -> None:
        """Check the settings for so many entrants.

        Raises
        ------
        SpecError
            With a sentence that names what is given and what is allowed.
        """
        if not MIN_ENTRANTS <= entrants <= MAX_ENTRANTS:
            raise SpecError(f"A tournament has {MIN_ENTRANTS} to {MAX_ENTRANTS} entrants; given: {entrants}.")

    def rounds_for(self, entrants: int) -> int:
        """Count the rounds with so many entrants."""
        raise NotImplementedError

    def matches_for(self, entrants: int) -> int:
        """Count the matches with so many entrants, without byes; the most, where results decide how many."""
        raise NotImplementedError

    def widths_for(self, entrants: int) -> tuple[int, ...]:
        """Count the matches of each round with so many entrants, byes included: no result changes that."""
        history = History(entrants, Draw.of(0, 0, 1), tuple(range(entrants)))
        widths = []
        for _ in range(self.rounds_for(entrants)):
            tables = self.pair(history)
            is_taken = tables != EMPTY
            history = history.add(tables, Results.of(np.where(is_taken, np.cumsum(is_taken, axis=2), 0)))
            widths.append(tables.shape[1])
        return tuple(widths)

    def sizes_for(self, entrants: int) -> tuple[int, ...]:
        """List how many may sit at a table where something is played, fewest first."""
        return (2,)

    @property
    def award(self) -> Award:
        """League points of a match, in print also where nothing is ranked by them."""
        return Award()

    def is_decisive(self, round_number: int, entrants: int) -> bool:
        """Say whether each match of a round (0, 1, ...) must have one winner."""
        raise NotImplementedError

    def pair(self, history: History) -> Tables:
        """Give the tables of the next round: (repeats, matches, seats) entrants, EMPTY for nobody.

        The order of the seats is part of the plan. A match of one entrant is a bye: he has won it, and nothing is
        played; at a table of nobody nothing happens either.
        """
        raise NotImplementedError

    def standings(self, history: History) -> Standings:
        """Rank the entrants by what has been played."""
        raise NotImplementedError


def ordered(history: History, seeding: str) -> Whole:
    """Give the entrants in the order of a seeding, (repeats, entrants).

    Raises
    ------
    SpecError
        If they are to be seeded by rating and the history has no order of them.
    """
    if seeding == "drawn":
        return history.draw.orders(DRAW_PLACES, 0, history.entrants)
    if seeding == "rating" and not history.order:
        raise SpecError("Seeding by rating needs the order of the entrants by their ratings; none is given.")
    order = history.order if seeding == "rating" else range(history.entrants)
    return np.broadcast_to(np.array(order, np.int64), (history.repeats, history.entrants))


def check_award(award: Award) -> None:
    """Check league points: quarters, and no less for the better result."""
    given = (award.win, award.draw, award.loss)
    if any(not (points * 4).is_integer() for points in map(float, given)) or not award.win >= award.draw >= award.loss:
        raise SpecError(
            "League points are quarters (0, 0.25, ... 10), a win's no fewer than a draw's and a draw's no fewer than a "
            f"loss's; given: win {award.win:g}, draw {award.draw:g}, loss {award.loss:g}."
        )
    if award.win == award.loss:
        raise SpecError(f"A win earns more league points than a loss; given: {award.win:g} for both.")


def check_odd(best_of: int) -> None:
    """Check that a match of a knockout cannot end in as many wins for either."""
    if best_of % 2 == 0:
        raise SpecError(f"Option 'best_of' is {best_of}; allowed: odd numbers from 1 to 99.")
