"""Tournaments played by tests: results out of a rule or out of fixed chance."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sim.tournament.draw import Draw
from sim.tournament.format import Format
from sim.tournament.history import EMPTY, History, Results, Tables, Whole

Play = Callable[[History, Tables], Results]


def begun(entrants: int, repeats: int = 1, *, seed: int = 1, first: int = 0, order: tuple[int, ...] = ()) -> History:
    """A batch of tournaments of which nothing has been played."""
    return History(entrants, Draw.of(seed, first, repeats), order)


def played(chosen: Format, history: History, play: Play, rounds: int | None = None) -> History:
    """Play the rounds of a format, all or so many."""
    chosen.check(history.entrants)
    for _ in range(chosen.rounds_for(history.entrants) if rounds is None else rounds):
        tables = chosen.pair(history)
        history = history.add(tables, play(history, tables))
    return history


def places(merit: npt.NDArray[np.float64], tables: Tables) -> Whole:
    """Rank the seats of each table by a merit, the larger the better: 1, 1, 3, ..., 0 for nobody."""
    is_taken = tables != EMPTY
    better = (merit[:, :, None, :] > merit[:, :, :, None]) & is_taken[:, :, None, :]
    return np.where(is_taken, 1 + better.sum(axis=3), 0)


def by_strength(strength: npt.ArrayLike) -> Play:
    """The stronger wins: strengths by entrant, or by repeat and entrant."""

    def play(history: History, tables: Tables) -> Results:
        shape = (history.repeats, history.entrants)
        merit = history.look_up(np.broadcast_to(np.asarray(strength, np.int64), shape), tables)
        place = places(merit.astype(np.float64), tables)
        return Results.of(place, np.where(tables == EMPTY, 0, merit))

    return play


def by_chance(seed: int, draws: float = 0.0, first_seat: float = 0.0) -> Play:
    """Everybody is as good: fixed chance, so many draws of two, an advantage of the first seat."""
    generator = np.random.default_rng(seed)

    def play(history: History, tables: Tables) -> Results:
        merit = generator.random(tables.shape)
        merit[:, :, 0] += first_seat
        merit[generator.random(tables.shape[:2]) < draws] = 0.5
        points = np.where(tables == EMPTY, 0, generator.integers(0, 30, tables.shape))
        return Results.of(places(merit, tables), points, np.where(tables == EMPTY, 0, points % 3))

    return play


def by_pairs(winners: dict[tuple[int, int], int]) -> Play:
    """Who wins is written down for each pair (smaller number first); a bye is won."""

    def play(history: History, tables: Tables) -> Results:
        place = np.zeros(tables.shape, np.int64)
        for row, match in np.ndindex(tables.shape[:2]):
            seated = [int(entrant) for entrant in tables[row, match] if entrant != EMPTY]
            for seat, entrant in enumerate(tables[row, match]):
                if entrant != EMPTY:
                    is_won = len(seated) == 1 or winners[min(seated), max(seated)] == entrant
                    place[row, match, seat] = 1 if is_won else 2
        return Results.of(place)

    return play


def pairs_of(tables: Tables, row: int = 0) -> list[tuple[int, int]]:
    """The matches of two of one repeat, the smaller number first."""
    return [(min(a, b), max(a, b)) for a, b in tables[row].tolist() if a != EMPTY and b != EMPTY]


def byes_of(tables: Tables, row: int = 0) -> list[int]:
    """Who has a bye in one repeat."""
    return [max(table) for table in tables[row].tolist() if len(table) - table.count(EMPTY) == 1]


def matches_played(history: History) -> npt.NDArray[np.int64]:
    """Count the matches of two or more in each repeat."""
    total = np.zeros(history.repeats, np.int64)
    for round_played in history.rounds:
        total += ((round_played.tables != EMPTY).sum(axis=2) > 1).sum(axis=1)
    return total
