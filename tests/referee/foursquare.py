"""Referee of Foursquare: replays a transcript from RULES.md section 4 alone and names every difference.

The referee shares no line with the engine. It keeps the grid itself and takes from a transcript only what no
rule can know: the shuffled stock and the decisions. Every other event is predicted and compared.

The path of a game: `judge` checks the document, `Referee.play` walks through the rules, and at each event
turns to its `Source`. The source of a judgement is the `Reader` that the referee of Vierer reads with; a test
may put a source in its place that makes the choices itself and so writes a transcript.

A cell is (row, column) relative to the first card, which lies at (0, 0). The document is described in
docs/transcripts.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Protocol

from tests.referee.reading import (
    DOCUMENT_KEYS,
    FORMAT,
    DivergenceError,
    Event,
    faults_of_types,
    is_integer,
    is_name,
    is_same,
    show,
)
from tests.referee.vierer import Choice, Reader, numbers

Cell = tuple[int, int]

GAME = "foursquare"
SIDE = 4  # FSQ-5: the piles fit into 4 rows x 4 columns
DECK = tuple(rank for rank in range(1, 11) for _ in range(4))  # FSQ-1: 40 cards, four of each rank
LINES = ("row", "column")  # FSQ-10: in this order


# ------------------------------------------------------------------------------------------------------------
# Options (RULES.md section 7)
# ------------------------------------------------------------------------------------------------------------

FLAGS = ("flip_played", "facedown_compare", "diagonal", "last_card_wins")
NUMBERS = {"max_down": (0, 16), "max_pile": (3, 10)}

# Values from which the settings of judged games are drawn; the default comes first.
CHOICES: dict[str, tuple[Any, ...]] = {
    "flip_played": (True, False),
    "facedown_compare": (False, True),
    "diagonal": (False, True),
    "last_card_wins": (True, False),
    "max_down": (4, 0, 8, 16),
    "max_pile": (4, 3, 10),
}


@dataclass(frozen=True)
class Options:
    """Options and numbers of the game; the defaults are those of RULES.md section 7."""

    flip_played: bool = True
    facedown_compare: bool = False
    diagonal: bool = False
    last_card_wins: bool = True
    max_down: int = 4
    max_pile: int = 4


def faults_of_options(raw: Mapping[str, object]) -> Iterator[str]:
    """Every option that is missing, unknown or out of its bounds (RULES.md section 7), as a sentence."""
    known = {option.name for option in fields(Options)}
    yield from (f"options: {name} is missing" for name in sorted(known - raw.keys()))
    yield from (f"options: {show(name)} is no option of Foursquare" for name in raw if name not in known)
    for name in sorted(known & raw.keys()):
        value = raw[name]
        if name in FLAGS and type(value) is not bool:
            yield f"options: {name} is true or false, found {show(value)}"
        elif name in NUMBERS:
            least, most = NUMBERS[name]
            if not is_integer(value) or not least <= value <= most:
                yield f"options: {name} is a whole number in {least}..{most}, found {show(value)}"


# ------------------------------------------------------------------------------------------------------------
# The grid (FSQ-3 to FSQ-13)
# ------------------------------------------------------------------------------------------------------------


@dataclass
class Pile:
    """Cards on one cell, the top card last, and whether the top card lies face up."""

    ranks: list[int]
    is_up: bool = True

    @property
    def top(self) -> int:
        """Rank of the top card, the only one that matters (FSQ-7)."""
        return self.ranks[-1]


@dataclass
class Grid:
    """All piles on the table, and the rules of placing and flipping."""

    options: Options
    piles: dict[Cell, Pile] = field(default_factory=dict)

    @property
    def face_down(self) -> int:
        """Number of piles whose top card lies face down."""
        return sum(not pile.is_up for pile in self.piles.values())

    def legal_cells(self) -> list[Cell]:
        """Every cell where the next card may be placed, sorted (FSQ-3 to FSQ-5).

        Cells that differ only by where the frame of 4 x 4 will end up are one, so the first card has one
        cell (RULES.md section 8).
        """
        if not self.piles:
            return [(0, 0)]
        beside = {cell for pile in self.piles for cell in self._next_to(pile)} - self.piles.keys()
        open_piles = [cell for cell, pile in self.piles.items() if len(pile.ranks) < self.options.max_pile]
        return sorted([*open_piles, *filter(self._fits, beside)])

    def _next_to(self, cell: Cell) -> list[Cell]:
        """Cells next to a cell: the four orthogonal ones, with `diagonal` all eight around it (FSQ-4)."""
        row, column = cell
        around = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]
        if not self.options.diagonal:
            around = [(down, right) for down, right in around if 0 in (down, right)]
        return [(row + down, column + right) for down, right in around]

    def _fits(self, cell: Cell) -> bool:
        """Whether the bounding box of all piles and this cell has at most 4 rows and 4 columns (FSQ-5)."""
        rows = [row for row, _ in (cell, *self.piles)]
        columns = [column for _, column in (cell, *self.piles)]
        return max(rows) - min(rows) < SIDE and max(columns) - min(columns) < SIDE

    def place(self, cell: Cell, rank: int) -> int:
        """Lay a card face up on a cell and return the height of its pile (FSQ-2, FSQ-4)."""
        pile = self.piles.setdefault(cell, Pile([]))
        pile.ranks.append(rank)
        pile.is_up = True
        return len(pile.ranks)

    def step(self, line: str, placed: Cell) -> list[Cell]:
        """Carry out the row or the column step after a placement; return the cells turned over, sorted.

        Nothing is turned unless the placed card is extreme in the line (FSQ-8a), whichever way it lies itself
        by now (FSQ-11). Whether it is turned with the others is the option `flip_played` (FSQ-9).
        """
        axis = LINES.index(line)
        others = [cell for cell in self.piles if cell != placed and cell[axis] == placed[axis]]
        compared = [self.piles[cell].top for cell in others if self.piles[cell].is_up or self.options.facedown_compare]
        if not is_extreme(self.piles[placed].top, compared):
            return []
        turned = sorted([*others, placed] if self.options.flip_played else others)
        for cell in turned:
            self.piles[cell].is_up = not self.piles[cell].is_up
        return turned


def is_extreme(rank: int, compared: Sequence[int]) -> bool:
    """Whether a rank is strictly higher or strictly lower than all of `compared`, which may be empty (FSQ-8a)."""
    return all(rank > other for other in compared) or all(rank < other for other in compared)


# ------------------------------------------------------------------------------------------------------------
# The end (FSQ-14 to FSQ-17)
# ------------------------------------------------------------------------------------------------------------


class Ending(NamedTuple):
    """Outcome of a game: `loss_reason` is "facedown", "stock" or, where the game is won, None."""

    won: bool
    loss_reason: str | None
    score: int


def ending(grid: Grid, left: int) -> Ending | None:
    """Outcome after a turn's steps with `left` cards in the stock, or None if the game goes on.

    The win is tested first (FSQ-15, FSQ-16), then the number of tops face down (FSQ-14), then the stock. With
    `last_card_wins` off, a grid completed by the last card is lost for the empty stock.
    """
    options = grid.options
    if len(grid.piles) == SIDE * SIDE and grid.face_down == 0 and (left or options.last_card_wins):
        return Ending(won=True, loss_reason=None, score=left)
    if grid.face_down > options.max_down:
        return Ending(won=False, loss_reason="facedown", score=0)
    return None if left else Ending(won=False, loss_reason="stock", score=0)


# ------------------------------------------------------------------------------------------------------------
# The game
# ------------------------------------------------------------------------------------------------------------


class Source(Protocol):
    """Where a game's chance and decisions come from, and where its events go."""

    def announce(self, expected: Event, rule: str) -> None:
        """Take note of an event that follows from the rules; `rule` names them."""

    def order(self, kind: str, key: str, pool: Sequence[int], rule: str) -> list[int]:
        """Return a random order of `pool`; this is the event `kind` with the order under `key`."""

    def decide(self, point: str, seat: int, legal: Sequence[Choice], fined: Sequence[Choice], rule: str) -> Choice:
        """Return the choice of `seat`, one of `legal` (nothing is `fined` here); this is the event `decision`."""


class Referee:
    """Walks through a whole game by RULES.md sections 4 and 8, event by event."""

    def __init__(self, options: Options, source: Source) -> None:
        """Sit down at an empty table."""
        self.grid = Grid(options)
        self.stock = list(DECK)  # the top card is the first
        self.source = source

    def play(self) -> None:
        """Shuffle, then play turns until the game is won or lost; the 40th card ends it at the latest (FSQ-18)."""
        self.stock = self.source.order("shuffle", "stock", DECK, "FSQ-1")
        while True:
            self.play_turn()
            outcome = ending(self.grid, len(self.stock))
            if outcome is not None:
                self._end_game(outcome)
                return

    def play_turn(self) -> None:
        """Draw, place, then the row step and the column step (FSQ-2, FSQ-10)."""
        rank = self.stock.pop(0)
        card = len(DECK) - len(self.stock)
        self.source.announce({"event": "draw", "card": card, "rank": rank}, "FSQ-2")
        cell = self._choose_cell()
        height = self.grid.place(cell, rank)
        self._conserve(card)
        self.source.announce({"event": "place", "rank": rank, "cell": list(cell), "height": height}, "FSQ-2 to FSQ-5")
        for line in LINES:
            turned = self.grid.step(line, cell)
            if turned:
                cells = [list(other) for other in turned]
                self.source.announce({"event": "flip", "line": line, "cells": cells}, "FSQ-7 to FSQ-11")

    def _choose_cell(self) -> Cell:
        """Let the seat choose a cell; a decision with one legal alternative is not asked (RULES.md section 8)."""
        legal = self.grid.legal_cells()
        if len(legal) == 1:
            return legal[0]
        row, column = numbers(self.source.decide("place", 0, legal, (), "FSQ-3 to FSQ-5"))
        return row, column

    def _end_game(self, outcome: Ending) -> None:
        """Announce the end (FSQ-14 to FSQ-17)."""
        self.source.announce(
            {
                "event": "game_end",
                "status": "finished",
                "won": outcome.won,
                "loss_reason": outcome.loss_reason,
                "placements": len(DECK) - len(self.stock),
                "face_down": self.grid.face_down,
                "score": outcome.score,
                "places": [1],
                "winners": [0] if outcome.won else [],
            },
            "FSQ-14 to FSQ-18",
        )

    def _conserve(self, card: int) -> None:
        """Stop if piles and stock are no longer the 40 cards (P-2)."""
        in_piles = [rank for pile in self.grid.piles.values() for rank in pile.ranks]
        if sorted([*in_piles, *self.stock]) != sorted(DECK):
            raise DivergenceError(f"card {card}: piles and stock are not the 40 cards any more (P-2)")


# ------------------------------------------------------------------------------------------------------------
# Door
# ------------------------------------------------------------------------------------------------------------


def judge(transcript: object) -> list[str]:
    """Replay a transcript of Foursquare from the rules alone and return every difference as a sentence.

    An empty list means that every event follows from RULES.md section 4. Judging ends at the first difference
    that makes the rest meaningless. Never raises, whatever the document holds.
    """
    if not isinstance(transcript, dict):
        return [f"document: a transcript is an object, found {show(transcript)}"]
    faults = list(faults_of_document(transcript))
    raw, events = transcript.get("options"), transcript.get("events")
    if faults or not isinstance(raw, dict) or not isinstance(events, list):
        return faults
    reader = Reader(events)
    try:
        Referee(Options(**raw), reader).play()
        reader.finish()
    except DivergenceError as stop:
        reader.differences.append(str(stop))
    return reader.differences


def faults_of_document(transcript: Mapping[str, object]) -> Iterator[str]:
    """Every key around the events that is missing, unknown or wrong, as a sentence."""
    yield from (f"document: {key} is missing" for key in DOCUMENT_KEYS if key not in transcript)
    yield from (f"document: {show(key)} is no key of a transcript" for key in transcript if key not in DOCUMENT_KEYS)
    # FSQ-1: one player, so one seat and no other seating to rotate to. No skill has a place in the rules.
    for key, meaning in (("format", FORMAT), ("game", GAME), ("seats", 1), ("rotation", 0), ("skills", [{}])):
        if key in transcript and not is_same(meaning, transcript[key]):
            yield f"document: {key} is {meaning!r}, found {show(transcript[key])}"
    yield from faults_of_types(transcript)
    names = transcript.get("entrants", ["?"])
    if not (isinstance(names, list) and len(names) == 1 and is_name(names[0])):
        yield f"document: entrants needs one name, found {show(names)}"
    options = transcript.get("options")
    if isinstance(options, dict):
        yield from faults_of_options(options)
