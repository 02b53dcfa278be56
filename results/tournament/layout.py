"""What the tables of a run of tournaments hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from results.schema import (
    SHARE_SCALE,
    STATUS_LABELS,
    WIN_SHARE,
    Column,
    DeclaredColumn,
    as_column,
    check_columns,
    column_from_json,
)
from results.schema import TABLES as GAME_TABLES
from sim.errors import SpecError, UnknownName

KIND = "tournament"

DECIDED_LABELS = ("played", "bye", "lot")
PLAYED, BYE, LOT = range(3)

# The tables of every tournament begin with these columns, in this order.
COMMON_COLUMNS = {
    "standings": (
        "repeat", "leg", "entrant", "rank", "matches", "games", "won", "league_points", "points", "marks", "wins",
    ),
    "matches": (
        "repeat", "leg", "round", "match", "seat", "entrant", "place", "points", "marks", "wins", "games", "decided",
    ),
    "played": ("game", "repeat", "leg", "round", "match"),
}  # fmt: skip
# Places in a raw row.
S_REPEAT, S_LEG, S_ENTRANT, S_RANK, S_MATCHES, S_GAMES, S_WON, S_LEAGUE, S_POINTS, S_MARKS, S_WINS = range(11)
M_REPEAT, M_LEG, M_ROUND, M_MATCH, M_SEAT, M_ENTRANT, M_PLACE, M_POINTS, M_MARKS, M_WINS, M_GAMES, M_DECIDED = range(12)
P_GAME, P_REPEAT, P_LEG, P_ROUND, P_MATCH = range(5)

TABLES = (*COMMON_COLUMNS, *GAME_TABLES)

MOST_SEATS = 10  # a win of more could not be shared out in 2520ths

# Ratings are of the first so many matches of a run, in whole tournaments: they need no more, and sums stay small.
RATED_MATCHES = 250_000
# The sums of a single tournament list its matches up to so many; the table has them all.
LISTED_MATCHES = 2_000


@dataclass(frozen=True, slots=True)
class Leg:
    """One of the tournaments that a repeat consists of: a format under one set of options.

    `matches` is how many it has at most, byes not counted, `rounds` how many rounds each game has in the table of that
    name, 0 for none.
    """

    name: str
    matches: int
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class TournamentLayout:
    """What the tables of one run of tournaments look like; build one with `TournamentLayout.of`.

    A repeat plays all legs with the same entrants. `order` names all of them from best to worst where that is known
    beforehand. In games for one, `is_alone`, each of a match's entrants plays by himself. The columns begin with the
    common ones; further ones of `standings` break ties.
    """

    game: str
    entrants: tuple[str, ...]
    legs: tuple[Leg, ...]
    repeats: int
    order: tuple[str, ...]
    is_alone: bool
    standings_columns: tuple[Column, ...]
    match_columns: tuple[Column, ...]
    played_columns: tuple[Column, ...]
    game_columns: tuple[Column, ...]
    seat_columns: tuple[Column, ...]
    round_columns: tuple[Column, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a layout that contradicts itself. Raises SpecError."""
        _check_names("entrant", self.entrants, 2)
        _check_names("leg", tuple(leg.name for leg in self.legs), 1)
        if self.order and sorted(self.order) != sorted(self.entrants):
            raise SpecError("The order of the entrants must name each of them once.")
        if self.repeats < 1 or any(leg.matches < 1 or leg.rounds < 0 for leg in self.legs):
            raise SpecError("A run has one repeat or more, and each leg one match or more and no fewer than 0 rounds.")
        if any(leg.rounds for leg in self.legs) != bool(self.round_columns):
            raise SpecError("Columns of rounds are there if games of some leg have rounds, and only then.")
        for table in self.tables:
            check_columns(table, self.columns(table), (), COMMON_COLUMNS.get(table))
        labels = {"entrant": self.entrants, "leg": tuple(leg.name for leg in self.legs)}
        labels |= {"status": STATUS_LABELS, "decided": DECIDED_LABELS}
        for table in self.tables:
            for column in self.columns(table):
                if column.labels != labels.get(column.name, column.labels):
                    raise SpecError(f"Table {table}: the labels of column '{column.name}' are not those of this run.")
        shares = (self.standings_columns[S_WINS], self.match_columns[M_WINS], self.seat_columns[WIN_SHARE])
        if any(column.scale != SHARE_SCALE for column in shares):
            raise SpecError(f"The scale of the columns 'wins' and 'win_share' must be {SHARE_SCALE}.")

    @classmethod
    def of(
        cls,
        *,
        game: str,
        entrants: Iterable[str],
        legs: Iterable[Leg],
        repeats: int,
        columns: Mapping[str, Iterable[DeclaredColumn]],
        order: Iterable[str] = (),
        is_alone: bool = False,
    ) -> TournamentLayout:
        """Build the layout of a run out of the declared columns of each of its tables.

        The labels of the columns 'entrant' and 'leg' are put in here. Raises SpecError if the columns of a table do not
        begin with the common ones, a name stands twice, or a number is out of range.
        """
        names, parts = tuple(entrants), tuple(legs)
        leg_names = tuple(leg.name for leg in parts)
        own = {
            table: tuple(as_column(declared, names, leg_names) for declared in columns.get(table, ()))
            for table in TABLES
        }
        return cls(
            game=game,
            entrants=names,
            legs=parts,
            repeats=repeats,
            order=tuple(order),
            is_alone=is_alone,
            standings_columns=own["standings"],
            match_columns=own["matches"],
            played_columns=own["played"],
            game_columns=own["games"],
            seat_columns=own["seats"],
            round_columns=own["rounds"],
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TournamentLayout:
        """Build the layout that `to_json` described. Raises SpecError if the data describe none."""
        try:
            values = {key: value for key, value in data.items() if key != "kind"}
            columns = {
                key: tuple(column_from_json(column) for column in values[key])
                for key in values
                if key.endswith("_columns")
            }
            legs = tuple(Leg(**leg) for leg in values["legs"])
            names = {key: tuple(values[key]) for key in ("entrants", "order")}
            return cls(**{**values, **columns, **names, "legs": legs})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SpecError(f"The layout of the tables cannot be read: {error}.") from error

    def to_json(self) -> dict[str, Any]:
        """Return the layout as plain JSON data."""
        return {"kind": KIND, **asdict(self)}

    def columns(self, table: str) -> tuple[Column, ...]:
        """Return the columns of one of the run's tables. Raises UnknownName."""
        own = {
            "standings": self.standings_columns,
            "matches": self.match_columns,
            "played": self.played_columns,
            "games": self.game_columns,
            "seats": self.seat_columns,
            "rounds": self.round_columns,
        }
        if table not in own:
            raise UnknownName.among("table", table, self.tables)
        return own[table]

    @property
    def all_tables(self) -> tuple[str, ...]:
        """The names of the tables of every run of this kind, those that this one lacks included."""
        return TABLES

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the run's tables."""
        return TABLES if self.round_columns else TABLES[:-1]

    @property
    def quantities(self) -> tuple[Column, ...]:
        """The columns of the standings that are summed: all after the rank."""
        return self.columns("standings")[S_RANK + 1 :]

    @property
    def matches(self) -> int:
        """How many matches a repeat has at most, over all legs."""
        return sum(leg.matches for leg in self.legs)

    @property
    def rated_repeats(self) -> int:
        """Of how many of the first repeats the matches feed the ratings; one at least."""
        return min(self.repeats, max(1, RATED_MATCHES // self.matches))

    @property
    def is_single(self) -> bool:
        """True if the run is of one tournament, which has standings and no chances."""
        return self.repeats == 1

    @property
    def lists_matches(self) -> bool:
        """True if the sums hold the matches one by one."""
        return self.is_single and self.matches <= LISTED_MATCHES


def _check_names(what: str, names: tuple[str, ...], least: int) -> None:
    """Raise SpecError unless there are enough names, all printable and different."""
    if len(names) < least or len(set(names)) < len(names):
        raise SpecError(f"A run has {least} {what}s or more, each with a name of its own: {', '.join(names)}.")
    if not all(name and name.isprintable() for name in names):
        raise SpecError(f"The name of each {what} is one printable character or more.")
