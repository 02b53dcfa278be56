"""Clueverge's options and numbers, its cards, the codes of actions, and the records of its engine."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from sim.chance import GENERATOR
from sim.errors import SpecError
from sim.records import count_words, make_record

MIN_SEATS, MAX_SEATS = 1, 4
SIDE = 4
CELLS = 16
PAWNS = 4

# ── Cards ────────────────────────────────────────────────────────────────────────────────────────────────────────────
# Each of the 16 cards in play has a number: the suspects 1 to 6 first, the crime-scene card last.
SUSPECTS = 6  # among the investigation cards
CARD_MOTIVE, CARD_ALIBI, CARD_WEAPON, CARD_CLUE, CARD_FALSE, CARD_SCENE = 6, 8, 10, 12, 14, 15
CARDS = 16

# What a card shows. The suspects are their numbers. Of motives and alibis the A points up and down, the B to the left
# and right, where their option is `split`; with `cross` they are alike, and both are A.
FACE_NONE = 0
FACE_SUSPECT_7 = 7
FACE_MOTIVE_A, FACE_MOTIVE_B, FACE_ALIBI_A, FACE_ALIBI_B = 8, 9, 10, 11
FACE_WEAPON, FACE_CLUE, FACE_FALSE, FACE_TWIST = 12, 13, 14, 15
FACES = 16

# The crime-scene cards by number (CLV-2).
SCENES = ("suspect_7", "false_testimony", "plot_twist")
SCENE_SUSPECT, SCENE_FALSE, SCENE_TWIST = range(len(SCENES))
SCENE_FACES = (FACE_SUSPECT_7, FACE_FALSE, FACE_TWIST)

FLED = 16  # the target beside the 16 cells
TARGETS = 17
NOWHERE = 17  # where a pawn is that is not on a card

# The five case cards: cells, the highest number first (CLV-14). Our own.
DEFAULT_CASES = (
    (12, 8, 1, 6, 9, 3, 14, 7),
    (13, 9, 12, 4, 3, 7, 2, 10),
    (7, 9, 12, 13, 11, 2, 0, 6),
    (5, 11, 2, 12, 10, 0, 13, 7),
    (2, 7, 15, 9, 5, 14, 0, 8),
)
CASE_CELLS = 8
MAX_CASES = 100
ORIENTATIONS = 8
OPEN_BY_SEATS = {2: 8, 3: 6, 4: 4}
MAX_OPEN = 12
MAX_STALL = 100

# ── Modes, phases and actions ────────────────────────────────────────────────────────────────────────────────────────
MODES = ("competitive", "coop", "solo")
MODE_COMPETITIVE, MODE_COOP, MODE_SOLO = range(len(MODES))
FIRST_PLACEMENTS = ("face_up", "face_down", "any")
FIRST_FACE_UP, FIRST_FACE_DOWN, FIRST_ANY = range(len(FIRST_PLACEMENTS))

PHASE_PLACE, PHASE_ACT, PHASE_OVER = 0, 1, 2
PHASES = ("place", "act", "over")
# An action is the number of its bit among the 49 of `legal`:
#
#     32 + target   declare on it: a cell, or FLED
#     16 + cell     competitive: turn that card face up; else: lay an unused pawn there
#     cell          lay the own pawn there
ACT_OTHER = 16
ACT_DECLARE = 32
ACTIONS = 49

STATUS_FINISHED, STATUS_CAPPED = 0, 1
SERIES_WINS = 2
SERIES_GAMES = 100  # after so many a series is capped (CLV-30)
MAX_CHALLENGE = 100

# What a view remembers of the actions: the last so many, a byte each. That of turn t, from 1, stands at place
# (t - 1) % HISTORY.
#
#     bit 7 6  | 5 .. 0
#         seat | action
HISTORY = 64


def _number(low: int, high: int, text: str) -> Any:
    """Declare a whole number with its bounds and the sentence that documents it."""
    return Meta(ge=low, le=high, description=text)


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every option and number of Clueverge, the printed value or literal reading as default (rules.md)."""

    mode: Annotated[
        Literal["auto", "competitive", "coop", "solo"],
        Meta(
            description="against each other or together (2 to 4 seats), alone (1); auto: competitive or solo (CLV-17)"
        ),
    ] = "auto"
    alibi_arrows: Annotated[
        Literal["split", "cross"],
        Meta(description="one alibi points up and down, the other left and right, or both everywhere (CLV-4)"),
    ] = "split"
    motive_arrows: Annotated[
        Literal["cross", "split"], Meta(description="both motives point in all four directions, or as alibis (CLV-4)")
    ] = "cross"
    case_cards: Annotated[
        Literal["default5", "random"] | tuple[str, ...],
        Meta(
            description="cards that are open at first: default5, random ones, or a file, a case card a line (CLV-14)",
            extra_json_schema={"file": True},
        ),
    ] = "default5"
    redo: Annotated[
        Literal["exact", "off"], Meta(description="set up anew where it is evident that there is no culprit (CLV-16)")
    ] = "exact"
    open_cards: Annotated[
        Literal["seats"] | int,
        Meta(description="cards that are open at first, 0 to 12, or seats: 8, 6, 4 with 2, 3, 4 (CLV-13)"),
    ] = "seats"
    first_placement: Annotated[
        Literal["face_up", "face_down", "any"], Meta(description="where a pawn is laid at first (CLV-18)")
    ] = "face_up"
    share_first: Annotated[
        bool, Meta(description="the first placement may share a card with another pawn (CLV-19)")
    ] = True
    reveal_on_declare: Annotated[
        bool, Meta(description="the card that is left to declare is turned face up (CLV-24)")
    ] = False
    stall_limit: Annotated[
        Literal["2n"] | int,
        Meta(description="idle moves in a row after which all must declare: 1 to 100, or 2n, n the seats (CLV-28)"),
    ] = "2n"
    first_to_two: Annotated[bool, Meta(description="a series until someone has won twice (CLV-30)")] = False
    coop_share: Annotated[
        bool, Meta(description="together or alone, pawns may be laid where other pawns are (CLV-33)")
    ] = True
    coop_u_face_up: Annotated[bool, Meta(description="an unused pawn may be laid on a face-up card (CLV-33)")] = True
    solo_difficulty: Annotated[int, _number(0, 3, "unused pawns fewer in the solo game (CLV-39)")] = 0
    challenge: Annotated[bool, Meta(description="alone, a game for each case card in a row (CLV-41)")] = False
    challenge_games: Annotated[int, _number(1, MAX_CHALLENGE, "games for each card in the challenge (CLV-41)")] = 1

    def check(self, seats: int) -> None:
        """Check what no single option can: the case cards of a file, and what depends on the mode and the seats.

        Raises
        ------
        SpecError
            With one sentence that names the option, what was given and what is allowed.
        """
        _check_mode(self, seats)
        _check_open(self, seats)
        if not isinstance(self.case_cards, str):
            _check_cases(self.case_cards, self.open_count(seats))

    @property
    def cases(self) -> tuple[tuple[int, ...], ...]:
        """The cells of each case card, the highest number first; none where cells are drawn."""
        if self.case_cards == "random":
            return ()
        return DEFAULT_CASES if isinstance(self.case_cards, str) else tuple(map(_cells_of, self.case_cards))

    def mode_with(self, seats: int) -> str:
        """Give the mode that is played with so many seats: a word of MODES."""
        if self.mode != "auto":
            return self.mode
        return "solo" if seats == 1 else "competitive"

    def open_count(self, seats: int) -> int:
        """Give the number of cards that are turned face up at first. Rules: CLV-13, CLV-31, CLV-38."""
        if not isinstance(self.open_cards, str):
            return self.open_cards
        return OPEN_BY_SEATS[seats] if self.mode_with(seats) == "competitive" else CASE_CELLS

    def stall_moves(self, seats: int) -> int:
        """Give the moves in a row, changing nothing, after which all must declare. Rules: CLV-28."""
        return 2 * seats if isinstance(self.stall_limit, str) else self.stall_limit


def _check_mode(spec: Spec, seats: int) -> None:
    """Check that the mode fits the seats, and that no option asks for what only another mode has."""
    mode = spec.mode_with(seats)
    is_alone = mode == "solo"
    if is_alone != (seats == 1):
        fits = "solo" if seats == 1 else "competitive or coop"
        raise SpecError(
            f"Option 'mode' is {mode}, which is for {'1 seat' if is_alone else '2 to 4 seats'}; "
            f"with {'1 seat' if seats == 1 else f'{seats} seats'} it is {fits}."
        )
    needs = {
        "first_to_two": ("competitive", spec.first_to_two),
        "solo_difficulty": ("solo", spec.solo_difficulty),
        "challenge": ("solo", spec.challenge),
    }
    for name, (needed, value) in needs.items():
        if value and mode != needed:
            given = "true" if value is True else value
            raise SpecError(f"Option '{name}' is {given}; it is for mode {needed}, and the mode is {mode}.")
    if spec.challenge and spec.case_cards == "random":
        raise SpecError("Option 'challenge' is true; it goes through the case cards, and 'case_cards' is random.")
    if spec.challenge_games > 1 and not spec.challenge:
        raise SpecError(f"Option 'challenge_games' is {spec.challenge_games}; it needs 'challenge' true.")
    if not isinstance(spec.stall_limit, str) and not 1 <= spec.stall_limit <= MAX_STALL:
        raise SpecError(
            f"Option 'stall_limit' is {spec.stall_limit}; allowed are 2n (twice the seats) and 1 to {MAX_STALL}."
        )


def _check_open(spec: Spec, seats: int) -> None:
    """Check how many cards are open at first, and that every seat finds a place for its pawn. Rules: CLV-13, CLV-18."""
    count = spec.open_count(seats)
    if not 0 <= count <= MAX_OPEN:
        raise SpecError(f"Option 'open_cards' is {count}; allowed are seats (8, 6 or 4 by seats) and 0 to {MAX_OPEN}.")
    if count > CASE_CELLS and spec.case_cards != "random":
        raise SpecError(
            f"Option 'open_cards' is {count}; a case card opens at most {CASE_CELLS}, more need 'case_cards' random."
        )
    if spec.mode_with(seats) != "competitive":
        return
    places = {"face_up": count, "face_down": CELLS - 1 - count, "any": CELLS - 1}[spec.first_placement]
    needed = 1 if spec.share_first else seats
    if places < needed:
        raise SpecError(
            f"Option 'open_cards' is {count}; with 'first_placement' {spec.first_placement} that leaves {places} "
            f"cards for the pawns of {seats} seats, and they need {needed}."
        )


def _cells_of(line: str) -> tuple[int, ...]:
    """Read the cells of a case card; none at all if the line is no case card, repeated cells included."""
    words = line.split()
    is_read = len(words) == CASE_CELLS and all(word.isascii() and word.isdigit() and len(word) < 3 for word in words)
    cells = tuple(map(int, words)) if is_read else ()
    return cells if all(cell < CELLS for cell in cells) else ()


def _check_cases(cards: Sequence[str], count: int) -> None:
    """Check the case cards of a file, of which the first `count` cells are opened. Rules: CLV-13, CLV-14."""
    for line, card in enumerate(cards, start=1):
        cells = _cells_of(card)
        where = f"Option 'case_cards', card {line}"
        if not cells:
            raise SpecError(
                f"{where}: '{card[:40]}' is no case card. A case card is eight cells, numbers from 0 to {CELLS - 1}, "
                f"the highest number of the card first, as in '12 8 1 6 9 3 14 7'."
            )
        for place, cell in enumerate(cells):
            if cell in cells[:place]:
                raise SpecError(f"{where}: cell {cell} is there twice; the eight cells of a card differ.")
        opened = sum(1 << cell for cell in cells[:count])
        for scene in range(CELLS):
            if all(turned(opened, orientation) >> scene & 1 for orientation in range(ORIENTATIONS)):
                raise SpecError(
                    f"{where}: its first {count} cells hold every corner, every edge or every centre, so a "
                    f"crime-scene card in cell {scene} could not stay covered, however the card is turned."
                )
    if not 1 <= len(cards) <= MAX_CASES:
        raise SpecError(f"Option 'case_cards' has {len(cards)} cards; allowed are 1 to {MAX_CASES}.")


def turned_cell(cell: int, orientation: int) -> int:
    """Give where a cell comes to lie: mirrored left to right for 4 to 7, then turned clockwise by quarters (CLV-15)."""
    row, column = divmod(cell, SIDE)
    if orientation >= SIDE:
        column = SIDE - 1 - column
    for _ in range(orientation % SIDE):
        row, column = column, SIDE - 1 - row
    return SIDE * row + column


def turned(cells: int, orientation: int) -> int:
    """Turn a set of cells, a bit each, into an orientation."""
    return sum(1 << turned_cell(cell, orientation) for cell in range(CELLS) if cells >> cell & 1)


# ── Records ──────────────────────────────────────────────────────────────────────────────────────────────────────────
_SMALL, _TIME = np.uint8, np.uint16  # without a sign, so that an index needs no second look

RULES = np.dtype(
    [
        ("seats", _SMALL),
        ("mode", _SMALL),
        ("alibi_split", _SMALL),
        ("motive_split", _SMALL),
        ("first_placement", _SMALL),
        ("share_first", _SMALL),
        ("reveal_on_declare", _SMALL),
        ("coop_share", _SMALL),
        ("coop_u_face_up", _SMALL),
        ("redo", _SMALL),
        ("first_to_two", _SMALL),
        ("challenge", _SMALL),
        ("open_cards", _SMALL),
        ("stall_limit", _SMALL),
        ("spare_pawns", _SMALL),  # unused pawns at the start of a game
        ("challenge_games", _SMALL),
        ("cases", _SMALL),  # case cards; 0: cells are drawn
    ],
    align=True,
)

# What lies on the table for all to see. The block stands at the start of STATE and of every VIEW with the same layout,
# so that it is told as a few words (`block`).
BLOCK = [
    ("faces", _SMALL, (CELLS,)),  # what each cell shows to all, FACE_NONE where the card is face down
    ("opened", _TIME, (CELLS,)),  # the turn in which it was turned face up, 0: before the first turn, or not yet
    ("pawns", _SMALL, (PAWNS,)),  # the cell of each seat's pawn, or FLED, or NOWHERE
    ("spares", _SMALL, (PAWNS,)),  # cells of the pawns that were unused, in the order in which they were laid
    ("declared_turn", _TIME, (MAX_SEATS,)),  # the turn in which each seat has declared, 0: not yet
    ("open", _TIME),  # the cells that are face up, a bit each
    ("turn", _TIME),  # turns begun
    ("scene_cell", _SMALL),  # where the crime-scene card lies
    ("first_seat", _SMALL),  # who began
    ("unused", _SMALL),  # pawns that are still unused
    ("undeclared", _SMALL),  # seats that have not declared
    ("quiet", _SMALL),  # moves in a row that have changed nothing (CLV-28)
    ("is_forced", _SMALL),  # whether all must declare because of that
    ("extra", _SMALL),  # actions that the last seat of two has left before it must declare (CLV-26)
    ("case", _SMALL),  # the number of the case card
    ("game", _TIME),  # the number of the game in a series or a challenge, from 0
    ("victories", _TIME, (MAX_SEATS,)),  # games that each seat has won before this one
]


# What one seat knows, written as things happen; what changes all the time is filled in when the seat is asked.
_KEPT = [
    ("looks", _TIME, (MAX_SEATS, CELLS)),  # the turn in which a seat looked at a cell that was face down; 0: never
    ("history", _SMALL, (HISTORY,)),  # the last of the `turn - 1` actions, a byte each (see above)
    ("rules", RULES),
]
VIEW = make_record(
    BLOCK,
    [
        ("word", np.uint64),  # random, fresh for this decision
        ("legal", np.uint64),  # the legal actions, a bit each (see above)
        ("parameters", np.float64, (8,)),  # the bot's own, in the order in which it declares them
        *_KEPT,
        ("known", _SMALL, (CELLS,)),  # the face of each cell that this seat knows, FACE_NONE where it does not
        ("seat", np.uint8),  # this seat
        ("phase", np.uint8),  # what it is asked (PHASES)
    ],
    step=2,
    block_step=2,
    # What a game does not write anew before the first decision, as words, so that it is reset fast.
    also=lambda fields: {"kept": (np.dtype((np.int64, (count_words(_KEPT),))), fields["looks"][1])},
)

LOG_ROWS, LOG_WIDTH = 128, 6

STATE = make_record(
    BLOCK,
    [
        *GENERATOR,
        ("deal_key", np.uint64),
        ("bot_keys", np.uint64, (MAX_SEATS,)),
        ("asked", np.uint64, (MAX_SEATS,)),  # decisions of each seat so far: the index of its next word
        ("who", np.uint16, (MAX_SEATS,)),  # the entrant in each seat
        ("legal", np.uint64),  # the legal actions of the deciding seat, a bit each
        ("seat", np.uint8),  # who decides
        ("phase", np.uint8),
        ("is_over", np.uint8),
        ("places", _SMALL, (CARDS,)),  # the cell of each card
        ("board_words", np.int64, (2,)),  # the face of each cell, a byte each: `board`
        ("scene", np.uint8),  # the crime-scene card in play
        ("looks", _TIME, (MAX_SEATS, CELLS)),  # as in a VIEW
        ("standing", np.uint32),  # the targets that carry a standing pawn, a bit each
        ("orientation", np.uint8),  # how the case card is held
        ("case_cells", np.uint64),  # the cells that were opened, 4 bits each, the first lowest
        ("attempt", np.int32),  # which try of this game's set-up it is, from 0
        ("case_opens", np.uint16, (MAX_CASES, ORIENTATIONS)),  # the cells that a case card opens, a bit each
        ("case_fits", np.uint8, (MAX_CASES, CELLS)),  # orientations that keep a cell covered, a bit each
        ("case_orders", np.uint64, (MAX_CASES, ORIENTATIONS)),  # all its cells, 4 bits each, the first lowest
        ("drawn", _SMALL, (CELLS,)),  # for drawing cells, and for trying whether there can be a culprit
        ("hidden", _SMALL, (CELLS,)),  # for the latter
        # what comes out
        ("culprit", np.uint8),  # the number of the suspect, 0: fled
        ("culprit_cell", np.uint8),  # or FLED
        ("won", np.uint8),  # the seats that won the last game, a bit each
        ("effective", np.uint8),  # the effective declaration of the last cooperative game
        ("status", np.uint8),
        ("decisions", np.int64),
        ("redeals", np.int32),
        ("reveals", np.int32),
        ("moves", np.int32),
        # the log of a game that is watched: rows of (event, up to five numbers); transcripts are made of it
        ("is_logged", np.uint8),
        ("logged", np.int32),
        ("rules", RULES),
        ("views", VIEW, (MAX_SEATS,)),
        ("fresh", VIEW),  # of a seat that knows nothing: every game's views begin as copies of it
        ("log", np.int64, (LOG_ROWS, LOG_WIDTH)),
    ],
    step=2,
    block_step=2,
    also=lambda fields: {"board": (np.dtype((_SMALL, (CELLS,))), fields["board_words"][1])},
)

EVENTS = ("set_up", "case_card", "redo", "start", "turn", "pawn", "look", "reveal", "verdict", "game_end")
(
    EVENT_SET_UP,
    EVENT_CASE_CARD,
    EVENT_REDO,
    EVENT_START,
    EVENT_TURN,
    EVENT_PAWN,
    EVENT_LOOK,
    EVENT_REVEAL,
    EVENT_VERDICT,
    EVENT_GAME_END,
) = range(len(EVENTS))


def face_names(rules: Any) -> tuple[str, ...]:
    """Name each face: S1 to S7, MO, AL, WE, CL, FT, PT; motives and alibis MV, MH, AV, AH where RULES part them."""
    motives = ("MV", "MH") if rules["motive_split"] else ("MO", "MO")
    alibis = ("AV", "AH") if rules["alibi_split"] else ("AL", "AL")
    return ("", *(f"S{number}" for number in range(1, 8)), *motives, *alibis, "WE", "CL", "FT", "PT")


def cells_in(cells: int) -> list[int]:
    """List the cells of a set, rising."""
    return [cell for cell in range(CELLS) if int(cells) >> cell & 1]


def write_rules(state: Any, spec: Spec, seats: int) -> None:
    """Write a checked spec into a STATE: its RULES and the case cards in every orientation (modifies them)."""
    rules = state["rules"]
    rules["seats"] = seats
    rules["mode"] = MODES.index(spec.mode_with(seats))
    rules["alibi_split"] = spec.alibi_arrows == "split"
    rules["motive_split"] = spec.motive_arrows == "split"
    rules["first_placement"] = FIRST_PLACEMENTS.index(spec.first_placement)
    rules["redo"] = spec.redo == "exact"
    for name in ("share_first", "reveal_on_declare", "coop_share", "coop_u_face_up", "first_to_two", "challenge"):
        rules[name] = getattr(spec, name)
    rules["open_cards"] = spec.open_count(seats)
    rules["stall_limit"] = spec.stall_moves(seats)
    rules["spare_pawns"] = 0 if spec.mode_with(seats) == "competitive" else PAWNS - seats - spec.solo_difficulty
    rules["challenge_games"] = spec.challenge_games
    rules["cases"] = len(spec.cases)
    for card, cells in enumerate(spec.cases):
        for orientation in range(ORIENTATIONS):
            held = [turned_cell(cell, orientation) for cell in cells]
            state["case_opens"][card, orientation] = sum(1 << cell for cell in held[: spec.open_count(seats)])
            state["case_orders"][card, orientation] = sum(cell << 4 * place for place, cell in enumerate(held))
            for cell in range(CELLS):
                is_covered = not int(state["case_opens"][card, orientation]) >> cell & 1
                state["case_fits"][card, cell] |= is_covered << orientation
