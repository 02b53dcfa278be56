"""What a run's tables hold: columns with type, unit and text, the layout, the Arrow schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol

from sim.errors import SpecError, UnknownName

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 1

STATUS_LABELS = ("finished", "capped")
STATUS_CAPPED = STATUS_LABELS.index("capped")

# 2520 is the least common multiple of 1..10: a win shared by up to ten seats is a whole number of these.
SHARE_SCALE = 2520

# The tables of every game begin with these columns, in this order; below, their places in a raw row.
COMMON_COLUMNS = {
    "games": ("game", "deal", "rotation", "status", "turns", "decisions"),
    "seats": ("game", "seat", "entrant", "score", "place", "win_share", "lost"),
    "rounds": ("game", "round", "seat"),
}
GAME, DEAL, ROTATION, STATUS, TURNS, DECISIONS = range(6)
SEAT_GAME, SEAT, ENTRANT, SCORE, PLACE, WIN_SHARE, LOST = range(7)
ROUND_GAME, ROUND, ROUND_SEAT = range(3)

# These columns say which row it is, who, or where, and not how much: their mean says nothing.
KEY_COLUMNS = frozenset({"game", "deal", "rotation", "status", "seat", "entrant", "first_seat", "culprit", "declared"})

TYPES = ("bool", "int8", "int16", "int32", "int64", "float64", "text")
TABLES = tuple(COMMON_COLUMNS)
SUMMED_TABLES = ("games", "seats")  # Figures are of these; the cells of rounds are kept and hashed.


class Tables(Protocol):
    """What a layout of either kind of run says of its tables."""

    @property
    def game(self) -> str: ...  # noqa: D102

    def columns(self, table: str) -> tuple[Column, ...]: ...  # noqa: D102


class DeclaredColumn(Protocol):
    """A column as a game declares it."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def type(self) -> str: ...  # noqa: D102
    @property
    def unit(self) -> str: ...  # noqa: D102
    @property
    def text(self) -> str: ...  # noqa: D102
    @property
    def labels(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def scale(self) -> int: ...  # noqa: D102


class DeclaredRatio(Protocol):
    """A ratio of two game columns as a game declares it."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def numerator(self) -> str: ...  # noqa: D102
    @property
    def denominator(self) -> str: ...  # noqa: D102
    @property
    def text(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    `type` is one of `TYPES`. A raw cell is an int64: 0 or 1 for "bool", a code into `labels` for "text", the
    value times `scale` for "float64", else the value itself.
    """

    name: str
    type: str
    unit: str = ""
    text: str = ""
    labels: tuple[str, ...] = ()
    scale: int = 1

    def __post_init__(self) -> None:
        """Refuse what no table can hold. Raises SpecError."""
        if self.type not in TYPES:
            raise UnknownName.among("type", self.type, TYPES, f"of column '{self.name}'")
        if (self.type == "text") != bool(self.labels):
            raise SpecError(f"Column '{self.name}': labels belong to text columns, and each of those needs some.")
        if not all(label and label.isprintable() for label in self.labels):
            raise SpecError(f"Column '{self.name}': a label is one printable character or more.")
        if len(set(self.labels)) != len(self.labels):
            raise SpecError(f"Column '{self.name}': each label may stand only once.")
        if self.scale < 1 or (self.scale != 1 and self.type != "float64"):
            raise SpecError(f"Column '{self.name}': scale is {self.scale}; it is 1, or more for a float64 column.")

    @property
    def is_quantity(self) -> bool:
        """True if a mean of this column says something."""
        return self.type != "text" and self.name not in KEY_COLUMNS

    @property
    def is_share(self) -> bool:
        """True if every value lies between 0 and 1, so that a mean is a proportion."""
        return self.type == "bool" or self.name == "win_share"


@dataclass(frozen=True, slots=True)
class Ratio:
    """The total of one game column over the total of another."""

    name: str
    numerator: str
    denominator: str
    text: str = ""


# Columns that stand in no table: sums and figures count them beside the stored ones, as they count the labels of the
# text columns of games (`Layout.counted_labels`).
DERIVED_GAME_COLUMNS = (Column("capped", "bool", "", "a safety limit ended the game"),)
DERIVED_SEAT_COLUMNS = (
    Column("won_alone", "bool", "", "the only winner"),
    Column("won_shared", "bool", "", "one of several winners"),
)


@dataclass(frozen=True, slots=True)
class Layout:
    """What the tables of one run look like; build one with `Layout.of`.

    `seats` is the number of seats, `entrants` the distinct names (a name's index is its code),
    `entrant_seats` the seats that each entrant holds in every game, `rotations` the greatest number of games
    per deal. The columns begin with the common ones. `distributions` names the columns whose values are
    counted: ("games" or "seats", column). `rounds` is the number of rounds that each game has in the table of
    that name; 0, and no columns of it, where there is no such table.
    """

    game: str
    seats: int
    entrants: tuple[str, ...]
    entrant_seats: tuple[int, ...]
    rotations: int
    game_columns: tuple[Column, ...]
    seat_columns: tuple[Column, ...]
    ratios: tuple[Ratio, ...] = ()
    distributions: tuple[tuple[str, str], ...] = ()
    round_columns: tuple[Column, ...] = ()
    rounds: int = 0

    def __post_init__(self) -> None:
        """Refuse a layout that contradicts itself. Raises SpecError."""
        _check_entrants(self)
        check_columns("games", self.game_columns, self.derived_game_columns)
        check_columns("seats", self.seat_columns, DERIVED_SEAT_COLUMNS)
        if self.rounds < 0 or (self.rounds > 0) != bool(self.round_columns):
            raise SpecError(f"{self.rounds} rounds a game, {len(self.round_columns)} columns of them: both or neither.")
        if self.rounds:
            check_columns("rounds", self.round_columns, ())
        if self.game_columns[STATUS].labels != STATUS_LABELS:
            raise SpecError(f"The labels of column 'status' must be {', '.join(STATUS_LABELS)}.")
        if self.seat_columns[ENTRANT].labels != self.entrants:
            raise SpecError("The labels of column 'entrant' must be the entrants' names.")
        if self.seat_columns[WIN_SHARE].scale != SHARE_SCALE:
            raise SpecError(f"The scale of column 'win_share' must be {SHARE_SCALE}.")
        for ratio in self.ratios:
            for name in (ratio.numerator, ratio.denominator):
                if not self.column("games", name).is_quantity:
                    raise SpecError(f"Ratio '{ratio.name}': column '{name}' is not a quantity.")
        for table, name in self.distributions:
            if table not in SUMMED_TABLES:
                raise UnknownName.among("table", table, SUMMED_TABLES, f"of the distribution of '{name}'")
            if not self.column(table, name).is_quantity:
                raise SpecError(f"The distribution of '{name}' in table {table}: this column is not a quantity.")

    @classmethod
    def of(
        cls,
        *,
        game: str,
        entrants: Iterable[str],
        entrant_seats: Iterable[int],
        rotations: int,
        game_columns: Iterable[DeclaredColumn],
        seat_columns: Iterable[DeclaredColumn],
        ratios: Iterable[DeclaredRatio] = (),
        distributions: Iterable[tuple[str, str]] = (),
        round_columns: Iterable[DeclaredColumn] = (),
        rounds: int = 0,
    ) -> Layout:
        """Build the layout of a run out of what its game declares, the common columns first.

        The labels of column 'entrant' are left to this function. Raises SpecError if the columns do not begin
        with the common ones, a name is unknown or stands twice, or a number is out of range.
        """
        names, held = tuple(entrants), tuple(entrant_seats)
        return cls(
            game=game,
            seats=sum(held),
            entrants=names,
            entrant_seats=held,
            rotations=rotations,
            game_columns=tuple(as_column(declared, names) for declared in game_columns),
            seat_columns=tuple(as_column(declared, names) for declared in seat_columns),
            ratios=tuple(Ratio(r.name, r.numerator, r.denominator, r.text) for r in ratios),
            distributions=tuple((table, name) for table, name in distributions),
            round_columns=tuple(as_column(declared, names) for declared in round_columns),
            rounds=rounds,
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Layout:
        """Build the layout that `to_json` described. Raises SpecError if the data describe none."""
        try:
            whole = {
                **data,
                "entrants": tuple(data["entrants"]),
                "entrant_seats": tuple(data["entrant_seats"]),
                "game_columns": tuple(column_from_json(column) for column in data["game_columns"]),
                "seat_columns": tuple(column_from_json(column) for column in data["seat_columns"]),
                "ratios": tuple(Ratio(**ratio) for ratio in data["ratios"]),
                "distributions": tuple((table, name) for table, name in data["distributions"]),
                "round_columns": tuple(column_from_json(column) for column in data.get("round_columns", ())),
            }
            return cls(**whole)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SpecError(f"The layout of the tables cannot be read: {error}.") from error

    def to_json(self) -> dict[str, Any]:
        """Return the layout as plain JSON data, without a word of rounds where there is no such table."""
        data = asdict(self)
        if not self.rounds:
            del data["rounds"], data["round_columns"]
        return data

    def columns(self, table: str) -> tuple[Column, ...]:
        """Return the columns of one of the run's tables. Raises UnknownName."""
        if table not in self.tables:
            raise UnknownName.among("table", table, self.tables)
        return {"games": self.game_columns, "seats": self.seat_columns, "rounds": self.round_columns}[table]

    def column(self, table: str, name: str) -> Column:
        """Return one column. Raises UnknownName."""
        return self.columns(table)[self.index(table, name)]

    def index(self, table: str, name: str) -> int:
        """Return a column's place in a raw row of its table. Raises UnknownName."""
        names = [column.name for column in self.columns(table)]
        if name not in names:
            raise UnknownName.among("column", name, names, f"in table {table}")
        return names.index(name)

    @property
    def all_tables(self) -> tuple[str, ...]:
        """The names of the tables of every run of this kind, those that this one lacks included."""
        return TABLES

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the run's tables."""
        return TABLES if self.rounds else SUMMED_TABLES

    def rows_per_game(self, table: str) -> int:
        """Return how many rows each game has in a table."""
        return {"games": 1, "seats": self.seats, "rounds": self.rounds * self.seats}[table]

    @property
    def game_quantities(self) -> tuple[Column, ...]:
        """The game columns that are summed, the derived ones last."""
        return tuple(column for column in self.game_columns if column.is_quantity) + self.derived_game_columns

    @property
    def counted_labels(self) -> tuple[tuple[Column, str], ...]:
        """The labels whose share of the games is a figure, each with its column: all texts of games but the status."""
        texts = (column for column in self.game_columns[STATUS + 1 :] if column.type == "text")
        return tuple((column, label) for column in texts for label in column.labels)

    @property
    def derived_game_columns(self) -> tuple[Column, ...]:
        """The game columns that are summed and stand in no table: for each counted label whether the game has it."""
        labelled = (label_name(column, label) for column, label in self.counted_labels)
        return (*(Column(name, "bool") for name in labelled), *DERIVED_GAME_COLUMNS)

    @property
    def seat_quantities(self) -> tuple[Column, ...]:
        """The seat columns that are summed, the derived ones last."""
        return tuple(column for column in self.seat_columns if column.is_quantity) + DERIVED_SEAT_COLUMNS

    @property
    def has_first_seat(self) -> bool:
        """True if the game says who moved first, so that figures by place in turn order exist."""
        return any(column.name == "first_seat" for column in self.game_columns)


def label_name(column: Column, label: str) -> str:
    """Return the name under which the games with a label are summed."""
    return f"{column.name}={label}"


def as_column(declared: DeclaredColumn, entrants: tuple[str, ...], legs: tuple[str, ...] = ()) -> Column:
    """Copy a declared column field by field, those of entrants and legs with the names as labels."""
    values = {field.name: getattr(declared, field.name) for field in fields(Column)}
    labels = {"entrant": entrants, "leg": legs}.get(declared.name)
    return Column(**(values | {"labels": labels} if labels else values))


def column_from_json(data: Mapping[str, Any]) -> Column:
    """Build a column out of plain JSON data."""
    return Column(**{**data, "labels": tuple(data["labels"])})


def _check_entrants(layout: Layout) -> None:
    """Raise SpecError unless the entrants fill the seats of every game."""
    if not layout.entrants or len(set(layout.entrants)) != len(layout.entrants):
        raise SpecError(f"Entrants {', '.join(layout.entrants)}: there must be one or more, each name only once.")
    if not all(name and name.isprintable() for name in layout.entrants):
        raise SpecError(f"Entrants {layout.entrants!r}: a name is one printable character or more.")
    if len(layout.entrants) != len(layout.entrant_seats) or min(layout.entrant_seats) < 1:
        raise SpecError("Every entrant must hold one seat or more, and their numbers must be given for each.")
    if sum(layout.entrant_seats) != layout.seats:
        raise SpecError(f"The entrants hold {sum(layout.entrant_seats)} seats, and the table has {layout.seats}.")
    if layout.rotations < 1:
        raise SpecError(f"A deal is played {layout.rotations} times; the least is 1.")


def check_columns(
    table: str, columns: tuple[Column, ...], derived: tuple[Column, ...], common: tuple[str, ...] | None = None
) -> None:
    """Raise SpecError unless the columns begin with the common ones and each name stands once."""
    common = common or COMMON_COLUMNS[table]
    if tuple(column.name for column in columns[: len(common)]) != common:
        raise SpecError(f"Table {table} must begin with the columns that it always has: {', '.join(common)}.")
    taken: set[str] = set()
    for column in columns + derived:
        if column.name in taken:
            raise SpecError(f"Table {table} has the column '{column.name}' twice, or the name is reserved.")
        taken.add(column.name)


def arrow_schema(layout: Tables, table: str, origin: Mapping[str, str]) -> pa.Schema:
    """Return the Arrow schema of one of the run's tables.

    Each column carries its unit and text as metadata. The table carries the version of this schema, the
    game's id and `origin` (the game's version and the run's identity), each key with the prefix "fourfold.".
    """
    import pyarrow as pa

    types = {"bool": pa.bool_(), "float64": pa.float64(), "text": pa.string()}
    arrow_fields = [
        pa.field(
            column.name,
            types[column.type] if column.type in types else getattr(pa, column.type)(),
            nullable=False,
            metadata={"unit": column.unit, "text": column.text},
        )
        for column in layout.columns(table)
    ]
    known = {"schema_version": str(SCHEMA_VERSION), "game": layout.game, **origin}
    return pa.schema(arrow_fields, metadata={f"fourfold.{key}": value for key, value in known.items()})
