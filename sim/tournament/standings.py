"""Who stands where: the criteria that rank entrants, one after the other, and the ranks that come of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

import numpy as np
import numpy.typing as npt

from sim.tournament.history import EMPTY, WIN_UNITS, History, Round, Tables, Whole

# League points are kept as whole numbers of 1/10080: a quarter of a point still divides by every number of opponents
# at a table, 1 .. 10. Products with opponents' scores have a further factor 2520, for the same reason.
POINT_UNITS = 4 * 2520
SHARE = 2520

Criterion = Literal[
    "league_points",
    "direct",
    "points",
    "points_among_tied",
    "marks",
    "wins",
    "matches_won",
    "buchholz",
    "buchholz_cut",
    "buchholz_median",
    "sonneborn_berger",
]


@dataclass(frozen=True, slots=True)
class Award:
    """League points of a match: against each opponent, win, draw or loss; the mean over the opponents.

    At a table of two that is a win's, a draw's or a loss's points. At a table of four with 1, 1/2 and 0 it is 1, 2/3,
    1/3 and 0 for the places 1 to 4. Who has nobody to play against has won.
    """

    win: float = 1.0
    draw: float = 0.5
    loss: float = 0.0

    def units(self) -> tuple[int, int, int]:
        """Give the points of a win, draw and loss in 1/10080."""
        return round(self.win * POINT_UNITS), round(self.draw * POINT_UNITS), round(self.loss * POINT_UNITS)


@dataclass(frozen=True, slots=True)
class Standings:
    """Ranks (1, 1, 3, ...) and the columns they rest on, the first one first; (repeats, entrants) each."""

    rank: npt.NDArray[np.int32]
    columns: dict[str, npt.NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Column:
    """Whole numbers by which entrants are ranked, the larger the better; `scale` of them make one in print."""

    name: str
    values: Whole
    scale: int = 1


def refine(rank: Whole, values: Whole) -> Whole:
    """Part those who share a rank by a further value, the larger the better; ranks stay 1, 1, 3, ... in each row."""
    rows, entrants = rank.shape
    by_rank = np.lexsort((-values, rank), axis=1)
    ranks = np.take_along_axis(rank, by_rank, axis=1)
    sorted_values = np.take_along_axis(values, by_rank, axis=1)
    is_new = np.ones((rows, entrants), np.bool_)
    is_new[:, 1:] = (ranks[:, 1:] != ranks[:, :-1]) | (sorted_values[:, 1:] != sorted_values[:, :-1])
    starts = np.maximum.accumulate(np.where(is_new, np.arange(1, entrants + 1), 0), axis=1)
    refined = np.empty_like(rank)
    np.put_along_axis(refined, by_rank, starts, axis=1)
    return refined


def ranked(columns: Sequence[Column], rank: Whole | None = None) -> Standings:
    """Rank by columns, one after the other."""
    if rank is None:
        rank = np.ones_like(columns[0].values)
    for column in columns:
        rank = refine(rank, column.values)
    return Standings(rank.astype(np.int32), {column.name: column.values / column.scale for column in columns})


class Criteria:
    """The criteria of one history, each computed when it is asked for.

    `rank` is how entrants stand before a criterion: those that look at the tied need it.
    """

    def __init__(self, history: History, award: Award) -> None:
        self.history = history
        self.award = award
        self._score: Whole | None = None

    def rank(self, names: Sequence[Criterion], rank: Whole | None = None) -> tuple[Whole, list[Column]]:
        """Rank by criteria in this order, starting from ranks or from one that all share."""
        if rank is None:
            rank = np.ones((self.history.repeats, self.history.entrants), np.int64)
        columns = []
        for name in names:
            column = self.column(name, rank)
            rank = refine(rank, column.values)
            columns.append(column)
        return rank, columns

    def column(self, name: Criterion, rank: Whole) -> Column:
        """Compute one criterion."""
        history = self.history
        sums: dict[str, tuple[Callable[[Round], Whole], int]] = {
            "points": (lambda played: played.results.points, 1),
            "marks": (lambda played: played.results.marks, 1),
            "wins": (lambda played: played.results.wins, WIN_UNITS),
            "matches_won": (lambda played: _won_alone(played.results.place), 1),
        }
        if name in sums:
            values, scale = sums[name]
            return Column(name, history.total((played.tables, values(played)) for played in history.rounds), scale)
        if name == "league_points":
            return Column(name, self.score(), POINT_UNITS)
        if name == "points_among_tied":
            return Column(name, history.total(self._among_tied(rank, lambda played: played.results.points)))
        if name == "direct":
            return Column(name, self._direct(rank), POINT_UNITS)
        if name == "sonneborn_berger":
            total = history.total((played.tables, self._against(played, is_weighed=True)) for played in history.rounds)
            return Column(name, total, POINT_UNITS**2)
        return Column(name, self._buchholz(name), POINT_UNITS * SHARE)

    def score(self) -> Whole:
        """Sum up league points, in 1/10080: (repeats, entrants)."""
        if self._score is None:
            self._score = self.history.total(
                (played.tables, earned(played, self.award)) for played in self.history.rounds
            )
        return self._score

    def _among_tied(self, rank: Whole, values: Callable[[Round], Whole]) -> Iterator[tuple[Tables, Whole]]:
        """Give the values of the matches in which all share a rank, 0 for the others."""
        for played in self.history.rounds:
            ranks = self.history.look_up(rank, played.tables)
            is_taken = played.tables != EMPTY
            lowest = np.where(is_taken, ranks, np.iinfo(np.int64).max).min(axis=2, keepdims=True)
            is_tied = (ranks.max(axis=2, keepdims=True) == lowest) & (is_taken.sum(axis=2, keepdims=True) > 1)
            yield played.tables, np.where(is_tied & is_taken, values(played), 0)

    def _direct(self, rank: Whole) -> Whole:
        """Sum up league points among the tied, where each of them has met every other; else 0."""
        history = self.history
        points = history.total(self._among_tied(rank, lambda played: earned(played, self.award)))
        pairs: list[Whole] = [np.zeros(0, np.int64)]
        for tables, together in self._among_tied(rank, lambda played: np.ones_like(played.results.place)):
            cells = history.cells(tables) * (history.entrants + 1)
            for seat, other in permutations(range(tables.shape[2]), 2):
                both = (together[:, :, seat] > 0) & (together[:, :, other] > 0)
                pairs.append((cells[:, :, seat] + tables[:, :, other])[both])
        met = np.unique(np.concatenate(pairs)) // (history.entrants + 1)
        opponents = np.bincount(met, minlength=history.repeats * (history.entrants + 1))
        opponents = opponents.reshape(history.repeats, -1)[:, : history.entrants]
        # Ranks are 1, 1, 3, ...: two in a row share one just where they are tied.
        row_of = np.arange(history.repeats)[:, None] * (history.entrants + 1)
        size = np.bincount((rank + row_of).ravel(), minlength=history.repeats * (history.entrants + 1) + 1)
        others = size[rank + row_of] - 1
        missing = np.zeros_like(size)
        np.add.at(missing, (rank + row_of).ravel(), (opponents < others).ravel())
        return np.where(missing[rank + row_of] > 0, 0, points)

    def _against(self, played: Round, *, is_weighed: bool) -> Whole:
        """Give each seat its opponents' scores: their mean, or their sum weighed by the points taken from each.

        In 1/10080 of 1/2520, and in 1/10080 of 1/10080. Who has nobody to play against has one dummy opponent with his
        own score (FIDE Handbook C.07, 2023, article 16.4).
        """
        scores = self.history.look_up(self.score(), played.tables)
        win, draw, loss = self.award.units()
        is_taken = played.tables != EMPTY
        opponents = np.maximum(is_taken.sum(axis=2, keepdims=True) - 1, 1)
        alone = is_taken & (is_taken.sum(axis=2, keepdims=True) == 1)
        total = np.where(alone, scores * (win if is_weighed else SHARE), 0)
        place = played.results.place
        for seat in range(place.shape[2]):
            other, score = place[:, :, seat, None], scores[:, :, seat, None]
            is_met = is_taken & is_taken[:, :, seat, None]
            is_met[:, :, seat] = False
            if is_weighed:
                taken = np.where(place < other, win, np.where(place > other, loss, draw))
                weight = taken // opponents
            else:
                weight = SHARE // opponents
            total += np.where(is_met, weight * score, 0)
        return total

    def _buchholz(self, name: str) -> Whole:
        """Sum up the opponents' scores, without the lowest (`_cut`) or the lowest and the highest (`_median`)."""
        history = self.history
        most = np.iinfo(np.int64).max
        shape = (history.repeats, history.entrants + 1)
        total, lowest, highest = np.zeros(shape, np.int64), np.full(shape, most), np.zeros(shape, np.int64)
        count = np.zeros(shape, np.int64)
        for played in history.rounds:
            cells = history.cells(played.tables).ravel()
            scores = self._against(played, is_weighed=False).ravel()
            np.add.at(total.reshape(-1), cells, scores)
            np.add.at(count.reshape(-1), cells, 1)
            np.minimum.at(lowest.reshape(-1), cells, scores)
            np.maximum.at(highest.reshape(-1), cells, scores)
        if name != "buchholz":
            total -= np.where(count > 0, lowest, 0)
        if name == "buchholz_median":
            total -= np.where(count > 1, highest, 0)
        return total[:, : history.entrants]


def _won_alone(place: Whole) -> Whole:
    """Give 1 for each seat that has won its match and shares that with nobody."""
    is_first = place == 1
    return np.where(is_first.sum(axis=2, keepdims=True) == 1, is_first, 0)


def earned(played: Round, award: Award) -> Whole:
    """Give the league points of each seat of a round, in 1/10080; see `Award`."""
    win, draw, loss = award.units()
    place, is_taken = played.results.place, played.tables != EMPTY
    total = np.zeros_like(place)
    for seat in range(place.shape[2]):
        other = place[:, :, seat, None]
        taken = np.where(place < other, win, np.where(place > other, loss, draw))
        taken[:, :, seat] = 0
        total += np.where(is_taken & is_taken[:, :, seat, None], taken, 0)
    opponents = is_taken.sum(axis=2, keepdims=True) - 1
    return np.where(is_taken, np.where(opponents > 0, total // np.maximum(opponents, 1), win), 0)
