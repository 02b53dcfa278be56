"""What has been played of a batch of tournaments: tables and results, round by round, and sums over them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from sim.errors import SpecError
from sim.tournament.draw import Draw

Tables = npt.NDArray[np.int32]
Whole = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

EMPTY = -1  # nobody sits there
WIN_UNITS = 2520  # a game won alone, in the units of `Results.wins`; divides by every number of winners up to ten


@dataclass(frozen=True, slots=True)
class Results:
    """How the matches of a round ended: arrays of shape (repeats, matches, seats), 0 where nobody sat.

    `place` is 1 for the winner or all winners, then 1, 1, 3 and so on; `points` the match's points, summed over its
    games; `marks` a second such sum that some games have; `wins` games won, in 1/2520: a shared win is shared out.
    """

    place: Whole
    points: Whole
    marks: Whole
    wins: Whole

    @classmethod
    def of(
        cls,
        place: npt.ArrayLike,
        points: npt.ArrayLike | None = None,
        marks: npt.ArrayLike | None = None,
        wins: npt.ArrayLike | None = None,
    ) -> "Results":
        """Make results out of places; what is left out is 0 everywhere."""
        places = np.asarray(place, np.int64)
        sums = [
            np.zeros_like(places) if given is None else np.asarray(given, np.int64) for given in (points, marks, wins)
        ]
        return cls(places, *sums)

    @classmethod
    def blank(cls, tables: Tables) -> "Results":
        """Make results to be filled in: byes are won already, all else is 0 (see `is_played`)."""
        is_bye = (tables != EMPTY) & ((tables != EMPTY).sum(axis=2, keepdims=True) == 1)
        return cls.of(is_bye)


def is_played(tables: Tables) -> Mask:
    """Say which matches are to be played, (repeats, matches): those of two entrants or more."""
    seated: Whole = (tables != EMPTY).sum(axis=2)
    return seated > 1


@dataclass(frozen=True, slots=True)
class Round:
    """A round: who sat where, (repeats, matches, seats) numbers of entrants or EMPTY, and how it ended."""

    tables: Tables
    results: Results


@dataclass(frozen=True, slots=True)
class History:
    """A batch of tournaments of the same entrants up to some round: a frozen value, to which rounds are added.

    `entrants` is their number, `draw` the chance of each repeat; `order` the entrants from best to worst rated where
    something is known of them.
    """

    entrants: int
    draw: Draw
    order: tuple[int, ...] = ()
    rounds: tuple[Round, ...] = field(default=())

    def __post_init__(self) -> None:
        if self.order and sorted(self.order) != list(range(self.entrants)):
            raise SpecError(
                f"An order by rating names each of the {self.entrants} entrants 0 .. {self.entrants - 1} once; "
                f"given: {', '.join(map(str, self.order[:20]))}."
            )

    @property
    def repeats(self) -> int:
        """How many tournaments there are in the batch."""
        return len(self.draw.keys)

    def add(self, tables: Tables, results: Results) -> "History":
        """Give the history with one more round.

        Raises
        ------
        SpecError
            If the results do not fit the tables: another shape, a place where nobody sat or none where somebody did,
            places that are no ranking (1, 1, 3, ...).
        """
        _check(self, tables, results)
        return replace(self, rounds=(*self.rounds, Round(tables, results)))

    def until(self, rounds: int) -> "History":
        """Give the history as it was after so many rounds."""
        return replace(self, rounds=self.rounds[:rounds])

    def total(self, values: Iterable[tuple[Tables, Whole]]) -> Whole:
        """Sum values of seats by entrant: (repeats, entrants)."""
        sums = np.zeros(self.repeats * (self.entrants + 1), np.int64)
        for tables, addends in values:
            np.add.at(sums, self.cells(tables).ravel(), addends.ravel())
        return sums.reshape(self.repeats, -1)[:, : self.entrants]

    def cells(self, tables: Tables) -> Whole:
        """Number the cells of a (repeats, entrants + 1) array that tables name; nobody's is the last of a row."""
        rows = np.arange(self.repeats)[:, None, None] * (self.entrants + 1)
        return np.where(tables == EMPTY, self.entrants, tables) + rows

    def look_up(self, values: Whole, tables: Tables) -> Whole:
        """Give each seat the value of who sits there, out of (repeats, entrants); 0 where nobody does."""
        padded = np.concatenate([values, np.zeros((self.repeats, 1), np.int64)], axis=1)
        return padded.ravel()[self.cells(tables)]


def _check(history: History, tables: Tables, results: Results) -> None:
    """Check a round's results against its tables."""
    where = f"Round {len(history.rounds) + 1}"
    if tables.ndim != 3 or tables.shape[0] != history.repeats:
        raise SpecError(
            f"{where}: tables have the shape (repeats, matches, seats) with {history.repeats} repeats; "
            f"given: {tables.shape}."
        )
    for name in ("place", "points", "marks", "wins"):
        given = getattr(results, name).shape
        if given != tables.shape:
            raise SpecError(f"{where}: '{name}' has the shape {given}; its tables have {tables.shape}.")
    if tables.size and not (tables.min() >= EMPTY and tables.max() < history.entrants):
        raise SpecError(f"{where}: tables hold entrants 0 .. {history.entrants - 1}, or {EMPTY} for nobody.")
    place = results.place
    is_wrong = ((place == 0) != (tables == EMPTY)) | (place != _ranking(place))
    wrong = _first(is_wrong.any(axis=2))

    if wrong:
        row, match = wrong
        raise SpecError(
            f"{where}, repeat {row} of the batch, match {match + 1}: the places {place[row, match].tolist()} of "
            f"entrants {tables[row, match].tolist()} are no ranking (1, 1, 3, ...; 0 where nobody sits)."
        )


def _ranking(place: Whole) -> Whole:
    """Rank places anew: one more than how many have a smaller one; 0 stays."""
    ranks = np.where(place > 0, 1, 0)
    for seat in range(place.shape[2]):
        others = place[:, :, seat, None]
        ranks += (others > 0) & (others < place) & (place > 0)
    return ranks


def _first(wrong: Mask) -> tuple[int, int] | None:
    """Give the repeat and match of the first true cell."""
    if not wrong.any():
        return None
    row, match = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    return int(row), int(match)


def check_decided(history: History) -> None:
    """Check that each match of the last round has exactly one winner.

    Raises
    ------
    SpecError
        Naming the first match that has not: a knockout goes on with one of two.
    """
    played = history.rounds[-1]
    wrong = _first(((played.results.place == 1).sum(axis=2) != 1) & (played.tables != EMPTY).any(axis=2))
    if wrong:
        row, match = wrong
        raise SpecError(
            f"Round {len(history.rounds)}, repeat {row} of the batch, match {match + 1}: a knockout match has one "
            f"winner; given are the places {played.results.place[row, match].tolist()}."
        )
