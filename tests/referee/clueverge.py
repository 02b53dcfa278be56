"""Referee of Clueverge: replays a transcript from RULES.md section 3 alone and names every difference.

The referee shares no line with the engine. It keeps the table itself and takes from a transcript only what no rule can
know: the outcomes of chance (the board, the case card and how it is held, the start seat) and the decisions. Every
other event is predicted and compared.

The path of a game: `judge` checks the document, `Referee.play` plays one game or several, and each `Game` walks through
the rules and reads event by event. The document is described in docs/transcripts.md, its reading is in
`tests.referee.reading`.

A cell is a number 0..15, a face a word whose first letter says its kind: Suspect, Motive, Alibi, Weapon, Clue, False
testimony, Plot twist.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from itertools import count, permutations, product
from typing import TypeGuard

from tests.referee.reading import DivergenceError, Reader, faults_of_document, is_integer, is_same, judge_files, show

Board = Sequence[str]
Target = int | str  # a cell or FLED
Choice = tuple[str, Target]

GAME = "clueverge"
PAWNS = 4
WINS_OF_SERIES, GAMES_OF_SERIES = 2, 100  # CLV-30

# ------------------------------------------------------------------------------------------------------------
# The grid and the cards (CLV-1 to CLV-5)
# ------------------------------------------------------------------------------------------------------------

SIDE = 4
CELLS = range(SIDE * SIDE)
FLED = "fled"
TARGETS: tuple[Target, ...] = (*CELLS, FLED)
CORNERS = frozenset({0, 3, 12, 15})
CENTRES = frozenset({5, 6, 9, 10})
BORDERS = frozenset(CELLS) - CORNERS - CENTRES


def cells_by(is_reached: Callable[[int, int], bool]) -> tuple[frozenset[int], ...]:
    """For each cell the other cells that are reached, judged by how many rows and columns they are away."""
    return tuple(
        frozenset(
            other
            for other in CELLS
            if other != cell and is_reached(abs(other // SIDE - cell // SIDE), abs(other % SIDE - cell % SIDE))
        )
        for cell in CELLS
    )


COLUMN = cells_by(lambda rows, columns: columns == 0)
ROW = cells_by(lambda rows, columns: rows == 0)
CROSS = cells_by(lambda rows, columns: 0 in (rows, columns))
LINES = cells_by(lambda rows, columns: 0 in (rows, columns) or rows == columns)
AROUND = cells_by(lambda rows, columns: max(rows, columns) == 1)
BESIDE = cells_by(lambda rows, columns: rows + columns == 1)
REACH = {"MO": CROSS, "MV": COLUMN, "MH": ROW, "AL": CROSS, "AV": COLUMN, "AH": ROW, "WE": LINES}

CRIME_SCENES = ("S7", "FT", "PT")
ARROWS = {"cross": ("MO", "MO", "AL", "AL"), "split": ("MV", "MH", "AV", "AH")}
CASE_CARD_SIZE = 8
DEFAULT5 = (
    (12, 8, 1, 6, 9, 3, 14, 7),
    (13, 9, 12, 4, 3, 7, 2, 10),
    (7, 9, 12, 13, 11, 2, 0, 6),
    (5, 11, 2, 12, 10, 0, 13, 7),
    (2, 7, 15, 9, 5, 14, 0, 8),
)


def oriented(cells: Sequence[int], orientation: int) -> list[int]:
    """Cells of a case card that is mirrored left to right from 4 on, then turned clockwise (CLV-15)."""
    held = []
    for cell in cells:
        row, column = divmod(cell, SIDE)
        if orientation >= SIDE:
            column = SIDE - 1 - column
        for _ in range(orientation % SIDE):
            row, column = column, SIDE - 1 - row
        held.append(SIDE * row + column)
    return held


# ------------------------------------------------------------------------------------------------------------
# The culprit (CLV-6 to CLV-11)
# ------------------------------------------------------------------------------------------------------------


def where(board: Board, kind: str) -> set[int]:
    """Cells whose face begins with this letter."""
    return {cell for cell, face in enumerate(board) if face[0] == kind}


def reached(board: Board, cells: Set[int]) -> set[int]:
    """Cells to which the faces of these cells point."""
    return set().union(*(REACH[board[cell]][cell] for cell in cells))


def candidates(board: Board) -> set[int]:
    """Cells of the suspects with a valid motive, a used weapon and no valid alibi (CLV-6 to CLV-9)."""
    void = set().union(*(BESIDE[cell] for cell in where(board, "F")))
    used = {weapon for weapon in where(board, "W") if AROUND[weapon] & where(board, "C")}
    indicated = reached(board, where(board, "M") - void) & reached(board, used)
    return where(board, "S") & indicated - reached(board, where(board, "A") - void)


def culprit_of(board: Board) -> tuple[int, Target]:
    """The culprit's number and its cell, 0 and "fled" where there is none (CLV-10, CLV-11)."""
    suspects = sorted((int(board[cell][1]), cell) for cell in candidates(board))
    return suspects[0 if "PT" in board else -1] if suspects else (0, FLED)


def is_evident(board: Board, scene: int, opened: Set[int]) -> bool:
    """Whether no order of the hidden cards has a culprit, whatever the crime-scene card at `scene` is (CLV-16).

    Exact: looks for a weapon, a clue, a motive and a suspect that make a candidate and leave room for the rest.
    """
    if candidates(board):
        return False
    hidden = set(CELLS) - opened - {scene}

    def possible(kind: str) -> set[tuple[int, str]]:
        """Where a kind of card lies open, and every hidden cell with each face of it that is hidden."""
        faces = {board[cell] for cell in hidden & where(board, kind)}
        return {(cell, board[cell]) for cell in opened & where(board, kind)} | set(product(hidden, faces))

    suspects = {cell for cell, _ in possible("S")} | {scene}
    pairs = [(weapon, clue) for (weapon, _), (clue, _) in product(possible("W"), possible("C"))]
    for weapon, clue in (pair for pair in pairs if pair[1] in AROUND[pair[0]]):
        for (motive, face), suspect in product(possible("M"), suspects):
            is_reached = suspect in REACH[face][motive] & LINES[weapon]
            free = hidden - {weapon, clue, motive, suspect}
            is_whole = len({weapon, clue, motive, suspect}) == len("WCMS")
            if is_reached and is_whole and is_room(board, scene, opened, free, motive, suspect):
                return False
    return True


def is_room(board: Board, scene: int, opened: Set[int], free: Set[int], motive: int, suspect: int) -> bool:
    """Whether false testimonies and alibis can lie so that the motive counts and the suspect has no valid alibi.

    `free` are the hidden cells left for them. The other cards that are left do no harm anywhere. At the crime scene a
    false testimony serves best, but beside the motive, where another card lies.
    """
    hidden = set(CELLS) - opened - {scene}
    false = opened & where(board, "F") | {scene} - {suspect} - BESIDE[motive]
    if false & BESIDE[motive]:
        return False
    shown = [(cell, board[cell]) for cell in opened & where(board, "A")]
    faces = [board[cell] for cell in hidden & where(board, "A")]
    for more in [{cell} for cell in free - BESIDE[motive]] if hidden & where(board, "F") else [set()]:
        for cells in permutations(free - more, len(faces)):
            alibis = [*shown, *zip(cells, faces, strict=True)]
            if all(suspect not in REACH[face][cell] or BESIDE[cell] & (false | more) for cell, face in alibis):
                return True
    return False


# ------------------------------------------------------------------------------------------------------------
# Options (RULES.md section 7)
# ------------------------------------------------------------------------------------------------------------

RANDOM = "random"
COMPETITIVE, COOP, SOLO = "competitive", "coop", "solo"
WORDS = {
    "mode": (COMPETITIVE, COOP, SOLO),
    "alibi_arrows": ("split", "cross"),
    "motive_arrows": ("cross", "split"),
    "redo": ("exact", "off"),
    "first_placement": ("face_up", "face_down", "any"),
}
NUMBERS = {"stall_limit": (1, 100), "open_cards": (0, 12), "solo_difficulty": (0, 3), "challenge_games": (1, 100)}


@dataclass(frozen=True)
class Options:
    """Options and numbers of the game; the defaults are those of RULES.md section 7, for two seats."""

    mode: str = COMPETITIVE
    alibi_arrows: str = "split"
    motive_arrows: str = "cross"
    case_cards: Sequence[Sequence[int]] | str = DEFAULT5
    redo: str = "exact"
    first_placement: str = "face_up"
    share_first: bool = True
    coop_share: bool = True
    coop_u_face_up: bool = True
    reveal_on_declare: bool = False
    stall_limit: int = 4
    first_to_two: bool = False
    solo_difficulty: int = 0
    challenge: bool = False
    challenge_games: int = 1
    open_cards: int = 8

    def investigation(self) -> list[str]:
        """The 15 investigation cards (CLV-1, CLV-4)."""
        motives, alibis = ARROWS[self.motive_arrows][:2], ARROWS[self.alibi_arrows][2:]
        return ["S1", "S2", "S3", "S4", "S5", "S6", *motives, *alibis, "WE", "WE", "CL", "CL", "FT"]

    def cells_of_first_placement(self) -> int:
        """How many cells the first placement may go to (CLV-18)."""
        cells = len(CELLS) - 1
        return {"face_up": self.open_cards, "face_down": cells - self.open_cards, "any": cells}[self.first_placement]


def resolved(raw: Mapping[str, object], seats: int) -> dict[str, object]:
    """Put what a word stands for in its place: the mode that goes with the seats, cards and moves by seats."""
    words = dict(raw)
    if words.get("mode") == "auto":
        words["mode"] = SOLO if seats == 1 else COMPETITIVE
    if words.get("open_cards") == "seats":
        words["open_cards"] = {3: 6, 4: 4}.get(seats, 8) if words.get("mode") == COMPETITIVE else 8
    if words.get("stall_limit") == "2n":
        words["stall_limit"] = 2 * seats
    return words


def faults_of_options(raw: Mapping[str, object], seats: int) -> Iterator[str]:
    """Every option that is missing, unknown, out of its bounds or does not go with the others, as a sentence."""
    known = {option.name for option in fields(Options)}
    yield from (f"options: {name} is missing (section 7)" for name in sorted(known - raw.keys()))
    yield from (f"options: {show(name)} is no option of Clueverge (section 7)" for name in raw if name not in known)
    values = [(name, raw[name], is_value(name, raw[name])) for name in sorted(known & raw.keys())]
    yield from (
        f"options: {name} cannot be {show(value)} (section 7)" for name, value, is_valid in values if not is_valid
    )
    if known == raw.keys() and all(is_valid for _, _, is_valid in values):
        yield from faults_of_combination(Options(**raw), seats)  # type: ignore[arg-type]


def is_value(name: str, value: object) -> bool:
    """Whether an option can have this value."""
    if name in WORDS:
        return value in WORDS[name]
    if name in NUMBERS:
        least, most = NUMBERS[name]
        return is_integer(value) and least <= value <= most
    if name == "case_cards":
        return is_same(RANDOM, value) or (
            isinstance(value, list) and 1 <= len(value) <= 100 and all(map(is_case_card, value))
        )
    return type(value) is bool


def is_case_card(value: object) -> bool:
    """Whether a value lists eight different cells (CLV-14)."""
    return are_cells(value) and len(value) == CASE_CARD_SIZE


def are_cells(value: object) -> TypeGuard[list[int]]:
    """Whether a value lists different cells."""
    if not isinstance(value, list):
        return False
    return all(is_integer(cell) and cell in CELLS for cell in value) and len(set(value)) == len(value)


def faults_of_combination(options: Options, seats: int) -> Iterator[str]:
    """Every option that does not go with the others or with the number of seats, as a sentence."""
    if (options.mode == SOLO) != (seats == 1):
        yield f"options: mode is not {options.mode} with {seats} seats (CLV-17, CLV-31, CLV-38)"
    if options.first_to_two and options.mode != COMPETITIVE:
        yield "options: first_to_two is for the competitive mode (CLV-30)"
    if options.challenge and (options.mode != SOLO or isinstance(options.case_cards, str)):
        yield "options: challenge is for the solo mode with given case_cards (CLV-41)"
    if options.challenge_games > 1 and not options.challenge:
        yield "options: challenge_games is for a challenge (CLV-41)"
    if options.mode == COMPETITIVE and options.cells_of_first_placement() < (1 if options.share_first else seats):
        yield "options: open_cards leaves too few cells for first_placement (CLV-18, CLV-19)"
    if isinstance(options.case_cards, str):
        return
    if options.open_cards > CASE_CARD_SIZE:
        yield f"options: open_cards above {CASE_CARD_SIZE} is for case_cards = random (section 7)"
    opened = [set(card[: options.open_cards]) for card in options.case_cards]
    if any(alike <= cells for cells in opened for alike in (CORNERS, CENTRES, BORDERS)):
        yield "options: case_cards has a card that no orientation keeps off some crime scene (CLV-13)"


# ------------------------------------------------------------------------------------------------------------
# One game
# ------------------------------------------------------------------------------------------------------------

TURN_RULES = {
    COMPETITIVE: {"place": "CLV-18, CLV-19", "reveal": "CLV-21", "move": "CLV-22", "declare": "CLV-23, CLV-24"},
    COOP: {"unused": "CLV-32, CLV-33", "place": "CLV-32, CLV-33", "declare": "CLV-32, CLV-35"},
    SOLO: {"unused": "CLV-38, CLV-39", "place": "CLV-38", "declare": "CLV-38, CLV-40"},
}


class Game:
    """Walks through one game by RULES.md sections 3 and 8, event by event."""

    def __init__(self, seats: int, options: Options, reader: Reader) -> None:
        """Sit down at an empty table."""
        self.seats = seats
        self.options = options
        self.reader = reader
        self.board: Board = ()
        self.scene = -1  # the cell of the crime-scene card
        self.open: set[int] = set()
        self.pawns: list[Target | None] = [None] * seats  # lying or standing
        self.unused = {COMPETITIVE: 0, COOP: PAWNS - seats, SOLO: PAWNS - 1 - options.solo_difficulty}[options.mode]
        self.unused_at: set[Target] = set()
        self.declared: dict[int, Target] = {}  # by seat, in the order of time
        self.idle_moves = 0
        self.is_stalled = False
        self.extra_actions_left = 1 if seats == 2 else 0  # CLV-26, in the competitive game

    def play(self, number: int, card: int | None) -> list[int]:
        """Set up, play all turns and verify; return who won. `card` is the case card of a challenge (CLV-41)."""
        for attempt in count(1):
            self._set_up(number, attempt)
            self._open_cards(card)
            if self.options.redo == "off" or not is_evident(self.board, self.scene, self.open):
                break
            self.reader.announce({"event": "redo"}, "CLV-16")
        seat = self._start()
        for turn in count(1):
            self.reader.announce({"event": "turn", "turn": turn, "seat": seat}, "CLV-17, CLV-25, CLV-26")
            self._take_turn(seat)
            waiting = [other for other in self._from_left_of(seat) if other not in self.declared]
            if not waiting:
                break
            seat = waiting[0]
        return self._winners()

    def _from_left_of(self, seat: int) -> list[int]:
        """All seats clockwise, the seat itself last (G-1)."""
        return [(seat + step) % self.seats for step in range(1, self.seats + 1)]

    # -- the set-up ------------------------------------------------------------------------------------------

    def _set_up(self, number: int, attempt: int) -> None:
        """Read the crime-scene card, its cell and the board (CLV-12)."""
        found = self.reader.read("set_up", "CLV-12, CLV-16")
        scene, cell, board = (found.get(key) for key in ("crime_scene", "cell", "board"))
        if not isinstance(scene, str) or scene not in CRIME_SCENES:
            raise DivergenceError(self.reader.sentence(f"set_up: one of {CRIME_SCENES}", "CLV-2, CLV-12", scene))
        deck = sorted([*self.options.investigation(), scene])
        if not isinstance(board, list) or not all(isinstance(face, str) for face in board) or sorted(board) != deck:
            raise DivergenceError(self.reader.sentence(f"set_up: the cards {deck}", "CLV-1, CLV-4, CLV-12", board))
        if not is_integer(cell) or cell not in CELLS or board[cell] != scene:
            raise DivergenceError(self.reader.sentence(f"set_up: a cell of {scene}", "CLV-3, CLV-12", cell))
        counted = {"event": "set_up", "game": number, "attempt": attempt}
        due = {**counted, "crime_scene": scene, "cell": cell, "board": board}
        self.reader.compare(due, found, "CLV-12, CLV-16, CLV-30")
        self.board, self.scene = board, cell

    def _open_cards(self, fixed: int | None) -> None:
        """Read the case card and open its first cells: never the crime scene (CLV-13 to CLV-15, CLV-31)."""
        found = self.reader.read("case_card", "CLV-13")
        card, orientation, cells = (found.get(key) for key in ("card", "orientation", "cells"))
        cards, number, rule = self.options.case_cards, self.options.open_cards, "CLV-13, CLV-14, CLV-15, CLV-41"
        if isinstance(cards, str):
            card = orientation = None
        else:
            card, cells = card if fixed is None else fixed, None
            if is_integer(card) and card in range(len(cards)) and is_integer(orientation) and orientation in range(8):
                cells = oriented(cards[card][:number], orientation)
        if not are_cells(cells) or len(cells) != number or self.scene in cells:
            raise DivergenceError(self.reader.sentence(f"case_card: {number} cells without {self.scene}", rule, found))
        due = {"event": "case_card", "card": card, "orientation": orientation, "cells": cells}
        self.reader.compare(due, found, rule)
        self.open = set(cells)

    def _start(self) -> int:
        """Return who starts: any seat (CLV-17)."""
        found = self.reader.read("start", "CLV-17; no redo by CLV-16")
        seat = found.get("seat")
        if not is_integer(seat) or not 0 <= seat < self.seats:
            raise DivergenceError(self.reader.sentence(f"start: seat in 0..{self.seats - 1}", "CLV-17", seat))
        self.reader.compare({"event": "start", "seat": seat, "chance": self.seats > 1}, found, "CLV-17, CLV-38")
        return seat

    # -- legal actions ---------------------------------------------------------------------------------------

    def legal(self, seat: int) -> list[Choice]:
        """Every legal action of a seat in turn (section 8)."""
        taken = {*self.pawns, *self.unused_at}
        if self.options.mode != COMPETITIVE:
            return self._legal_together(seat, taken)
        if self.pawns[seat] is None:
            return [("place", cell) for cell in self._first_cells(taken)]
        declare = [("declare", target) for target in TARGETS if target not in self.declared.values()]
        if self._must_declare(seat):
            return declare
        free = [cell for cell in CELLS if cell not in taken]
        reveal = [("reveal", cell) for cell in free if cell not in self.open]
        return [*reveal, *(("move", cell) for cell in free), *declare]

    def _legal_together(self, seat: int, taken: Set[Target | None]) -> list[Choice]:
        """Every legal action in the cooperative and the solo game (CLV-32 to CLV-40)."""
        free = [cell for cell in CELLS if self.options.coop_share or cell not in taken]
        covered = [cell for cell in free if cell not in self.open]
        unused = (free if self.options.coop_u_face_up else covered) if self.unused else []
        own = [("place", cell) for cell in covered] if self.pawns[seat] is None else [("declare", to) for to in TARGETS]
        return [*(("unused", cell) for cell in unused if cell != self.scene), *own]

    def _first_cells(self, taken: Set[Target | None]) -> list[int]:
        """Cells for the first placement: investigation cards only (CLV-18, CLV-19)."""
        wanted = self.options.first_placement
        return [
            cell
            for cell in CELLS
            if cell != self.scene
            and wanted in ("any", "face_up" if cell in self.open else "face_down")
            and (self.options.share_first or cell not in taken)
        ]

    def _must_declare(self, seat: int) -> bool:
        """Whether D is all that a seat may do (CLV-26, CLV-28)."""
        return self.is_stalled or (self._is_last(seat) and not self.extra_actions_left)

    def _is_last(self, seat: int) -> bool:
        """Whether all others have declared."""
        return self.seats - len(self.declared) == 1 and seat not in self.declared

    # -- the turn --------------------------------------------------------------------------------------------

    def _take_turn(self, seat: int) -> None:
        """Read what a seat does and carry it out (CLV-18 to CLV-28, CLV-32 to CLV-40)."""
        word, target = self._decide(seat)
        rule = TURN_RULES[self.options.mode][word]
        if self._is_last(seat):
            self.extra_actions_left = 0
        left = self.pawns[seat] if word in ("move", "declare") else None
        self._count_idle_moves(is_idle=word == "move" and {left, target} <= self.open)
        if word == "reveal":
            self._turn_up(target, rule)
            return
        owner = None if word == "unused" else seat
        pawn = {"event": "pawn", "seat": seat, "owner": owner, "cell": target, "standing": word == "declare"}
        self.reader.announce(pawn, rule)
        if word == "unused":
            self.unused -= 1
            self.unused_at.add(target)
        else:
            self.pawns[seat] = target
        if word == "declare":
            self.declared[seat] = target
        else:
            self._look(seat, target, rule)
        is_left_open = self.options.reveal_on_declare and self.options.mode == COMPETITIVE and left != target
        if left is not None and (word == "move" or is_left_open):
            self._turn_up(left, rule)

    def _decide(self, seat: int) -> Choice:
        """Read a decision; check whose it is, that it is legal, and the number of legal actions (section 8)."""
        legal = self.legal(seat)
        if len(legal) == 1:
            return legal[0]
        is_placing = self.options.mode == COMPETITIVE and self.pawns[seat] is None
        due = {"event": "decision", "point": "place" if is_placing else "act", "seat": seat}
        found = self.reader.read("decision", "section 8", due)
        if not all(is_same(value, found.get(key)) for key, value in due.items()):
            raise DivergenceError(self.reader.sentence(show(due), "section 8", found))
        choice = found.get("choice")
        chosen = next((action for action in legal if is_same(list(action), choice)), None)
        if chosen is None:
            wanted = f"seat {seat} to choose one of {len(legal)} legal actions"
            raise DivergenceError(self.reader.sentence(wanted, self._rule_of_refusal(seat, choice), choice))
        self.reader.compare({**due, "choice": list(chosen), "legal": len(legal)}, found, "section 8")
        return chosen

    def _rule_of_refusal(self, seat: int, choice: object) -> str:
        """Rules by which a choice is not legal."""
        if self.options.mode == COMPETITIVE and self.pawns[seat] is None:
            return "CLV-18, CLV-19, CLV-27"
        if self.options.mode == COMPETITIVE and self._must_declare(seat):
            return "CLV-23, CLV-26, CLV-28"
        word = choice[0] if isinstance(choice, list) and choice else None
        return next((rule for own, rule in TURN_RULES[self.options.mode].items() if own == word), "section 8")

    def _count_idle_moves(self, *, is_idle: bool) -> None:
        """Count the moves from face-up card to face-up card that follow one another (CLV-28)."""
        self.idle_moves = self.idle_moves + 1 if is_idle else 0
        self.is_stalled = self.is_stalled or self.idle_moves >= self.options.stall_limit

    def _look(self, seat: int, cell: Target, rule: str) -> None:
        """Show the card under a pawn just laid there to its seat alone, in the solo game to all (CLV-20, CLV-38)."""
        if self.options.mode == SOLO:
            self._turn_up(cell, rule)
        elif cell not in self.open:
            self.reader.announce({"event": "look", "seat": seat, "cell": cell, "face": self.board[int(cell)]}, rule)

    def _turn_up(self, cell: Target, rule: str) -> None:
        """Turn a card face up that is not yet."""
        if cell not in self.open:
            self.open.add(int(cell))
            self.reader.announce({"event": "reveal", "cell": cell, "face": self.board[int(cell)]}, rule)

    # -- the end ---------------------------------------------------------------------------------------------

    def _effective(self) -> Target | None:
        """Target of most declarations, on a tie the one declared last; none in the competitive game (CLV-35)."""
        if self.options.mode == COMPETITIVE:
            return None
        votes = Counter(self.declared.values())
        return [target for target in self.declared.values() if votes[target] == max(votes.values())][-1]

    def _winners(self) -> list[int]:
        """Seats that won the game (CLV-29, CLV-37)."""
        _, target = culprit_of(self.board)
        if self.options.mode == COMPETITIVE:
            return [seat for seat in range(self.seats) if self.declared[seat] == target]
        return list(range(self.seats)) if self._effective() == target else []

    def verify(self, winners: Sequence[int], victories: Sequence[int]) -> None:
        """Compare the verdict (CLV-29, CLV-37); `victories` are those so far, with this game."""
        culprit, target = culprit_of(self.board)
        due = {"event": "verdict", "board": self.board, "culprit": culprit, "target": target}
        self.reader.announce(
            {**due, "effective": self._effective(), "winners": winners, "victories": victories},
            "CLV-6 to CLV-11, CLV-29, CLV-30, CLV-35, CLV-37",
        )


# ------------------------------------------------------------------------------------------------------------
# The whole: a game, a series or a challenge
# ------------------------------------------------------------------------------------------------------------


class Referee:
    """Plays one game, a series (CLV-30) or a challenge (CLV-41)."""

    def __init__(self, seats: int, options: Options, reader: Reader) -> None:
        """Begin with no game won."""
        self.seats = seats
        self.options = options
        self.reader = reader
        self.victories = [0] * seats

    def play(self) -> None:
        """Play game after game, then compare the end of the whole."""
        options, last = self.options, 1
        if options.first_to_two:
            last = GAMES_OF_SERIES
        elif options.challenge:
            last = options.challenge_games * len(options.case_cards)
        winners: list[int] = []
        for number in range(1, last + 1):
            game = Game(self.seats, options, self.reader)
            winners = game.play(number, (number - 1) // options.challenge_games if options.challenge else None)
            for seat in winners:
                self.victories[seat] += 1
            game.verify(winners, list(self.victories))
            if options.first_to_two and max(self.victories) == WINS_OF_SERIES:
                break
        self._end(winners, last)

    def _end(self, winners: Sequence[int], games: int) -> None:
        """Compare the end: `winners` of the last game, and how many games there were to be (G-4, CLV-30, CLV-41)."""
        is_capped = self.options.first_to_two and max(self.victories) < WINS_OF_SERIES
        is_lost = self.options.challenge and self.victories[0] < games
        self.reader.announce(
            {
                "event": "game_end",
                "status": "capped" if is_capped else "finished",
                "scores": self.victories,
                "places": [1 + sum(other > own for other in self.victories) for own in self.victories],
                "winners": [] if is_capped or is_lost else winners,
            },
            "G-4, CLV-29, CLV-30, CLV-37, CLV-41",
        )


# ------------------------------------------------------------------------------------------------------------
# Doors
# ------------------------------------------------------------------------------------------------------------


def judge(transcript: object) -> list[str]:
    """Replay a transcript of Clueverge from the rules alone and return every difference as a sentence.

    An empty list means that every event follows from RULES.md section 3. Judging ends at the first difference that
    makes the rest meaningless. Never raises, whatever the document holds.
    """
    if not isinstance(transcript, dict):
        return [f"document: a transcript is an object, found {show(transcript)}"]
    faults = list(faults_of_document(transcript, GAME, (1, PAWNS), "CLV-17, CLV-38", is_skills))
    raw, seats, events = transcript.get("options"), transcript.get("seats"), transcript.get("events")
    if faults or not isinstance(raw, dict) or not is_integer(seats) or not isinstance(events, list):
        return faults
    raw = resolved(raw, seats)
    faults = list(faults_of_options(raw, seats))
    if faults:
        return faults
    reader = Reader(events)
    try:
        Referee(seats, Options(**raw), reader).play()  # type: ignore[arg-type]
        reader.finish()
    except DivergenceError as stop:
        reader.differences.append(str(stop))
    return reader.differences


def is_skills(value: object) -> bool:
    """Whether a value is the skills of an entrant: none has a place in the rules."""
    return is_same({}, value)


def main(paths: Sequence[str]) -> int:
    """Judge every line of the files; 1 if any transcript differs or there was none to judge."""
    return judge_files(judge, paths)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
