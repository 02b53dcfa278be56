"""Foursquare's options and numbers, the codes of phases and actions, and the records of its engine."""

from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from sim.chance import GENERATOR
from sim.records import make_record

SEATS = 1
SIZE = 4  # rows and columns of the grid (FSQ-5)
RANKS, COPIES = 10, 4
CARDS = RANKS * COPIES  # FSQ-1

# ── Phases: what the seat is asked ───────────────────────────────────────────────────────────────────────────────────
PHASE_PLACE, PHASE_OVER = range(2)
PHASES = ("place", "over")

# ── Actions ──────────────────────────────────────────────────────────────────────────────────────────────────────────
# A cell relative to the present piles: row 0 is their top row, column 0 their left column, -1 the one before, where
# the grid can still grow. The frame is not chosen, so each cell has one code, 8 * (row + 1) + column + 1:
#
#     bit 5 ... 3 | 2 ...... 0
#        row + 1  | column + 1
ROW_BITS = 3

STATUS_FINISHED = 0
LOSS_NONE, LOSS_FACEDOWN, LOSS_STOCK = range(3)
LOSS_REASONS = ("none", "facedown", "stock")


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every option and number of Foursquare, the printed value or literal reading as default (rules.md)."""

    flip_played: Annotated[
        bool, Meta(description="a flipped line turns the placed card over, too; false: the author's text (FSQ-9)")
    ] = True
    facedown_compare: Annotated[bool, Meta(description="face-down top cards take part in the comparison (FSQ-8)")] = (
        False
    )
    diagonal: Annotated[bool, Meta(description="a place diagonal to a pile counts as next to it (FSQ-4)")] = False
    last_card_wins: Annotated[bool, Meta(description="the 40th card may win, with score 0 (FSQ-16)")] = True
    max_down: Annotated[
        int, Meta(ge=0, le=16, description="more piles than this with a face-down top lose the game (FSQ-14)")
    ] = 4
    max_pile: Annotated[int, Meta(ge=3, le=10, description="most cards in a pile (FSQ-5)")] = 4

    def check(self, seats: int) -> None:
        """Check what no single option can: there is nothing of the kind, for every number of cards finds a place."""


# ── Records ──────────────────────────────────────────────────────────────────────────────────────────────────────────
RULES = np.dtype(
    [
        ("seats", np.int64),
        ("flip_played", np.int64),
        ("facedown_compare", np.int64),
        ("is_diagonal", np.int64),  # `diagonal` is a method of NumPy's records
        ("last_card_wins", np.int64),
        ("max_down", np.int64),
        ("max_pile", np.int64),
    ],
    align=True,
)

# All that is known: the board (see board.py), the card to place, and which ranks are left. The block stands at the
# start of STATE and of the VIEW with the same layout, so that `observe` copies it as a few words (`block`).
BLOCK = [
    ("occupied", np.uint64),  # the cells with a pile
    ("down", np.uint64),  # the piles that show a face-down top
    ("tops", np.uint64),  # the rank of each top card, four bits a cell, 0 where no pile is
    ("heights", np.uint64),  # the cards of each pile, four bits a cell
    ("remaining", np.uint64),  # the cards of each rank in the stock, four bits a rank, rank 1 in bits 4 to 7
    ("turn", np.int16),  # cards drawn
    ("stock", np.int16),  # cards left in the stock
    ("rank", np.int8),  # of the card to place; 0 when the game is over
    ("phase", np.int8),
    ("first_row", np.int8),  # where the first card lies
    ("first_column", np.int8),
]


def _record(fields: list[Any]) -> np.dtype[Any]:
    """Lay out a record that begins with the block."""
    return make_record(BLOCK, fields, word=np.uint64)


# What the seat knows: the block, filled anew for every decision, and what stays.
VIEW = _record(
    [
        ("word", np.uint64),  # random, fresh for this decision
        ("parameters", np.float64, (8,)),  # the bot's own, in the order in which it declares them
        ("seat", np.int64),  # 0
        ("rules", RULES),
    ]
)

LOG_ROWS, LOG_WIDTH = 64, 6

STATE = _record(
    [
        *GENERATOR,
        ("deal_key", np.uint64),
        ("bot_key", np.uint64),
        ("asked", np.int64),  # decisions so far: the index of the next word
        ("decisions", np.int64),
        ("who", np.uint16, (SEATS,)),  # the entrant in each seat
        ("seat", np.uint8),  # who decides: 0
        ("is_over", np.uint8),
        ("is_won", np.uint8),
        ("loss_reason", np.int8),
        ("cards", np.int8, (CARDS,)),  # the ranks as shuffled, the first is drawn first
        # the log of a game that is watched: rows of (event, up to five numbers); transcripts are made of it
        ("is_logged", np.uint8),
        ("logged", np.int32),
        ("rules", RULES),
        ("views", VIEW, (SEATS,)),
        ("fresh", VIEW),  # of a game that has not begun: every game's view begins as a copy of it
        ("log", np.int32, (LOG_ROWS, LOG_WIDTH)),
    ]
)

EVENTS = ("shuffle", "draw", "place", "flip", "game_end", "card")
EVENT_SHUFFLE, EVENT_DRAW, EVENT_PLACE, EVENT_FLIP, EVENT_GAME_END, EVENT_CARD = range(len(EVENTS))


def write_rules(rules: Any, spec: Spec, seats: int) -> None:
    """Write a checked spec into a RULES record (modifies `rules`)."""
    for field in msgspec.structs.fields(Spec):
        name = "is_diagonal" if field.name == "diagonal" else field.name
        rules[name] = int(getattr(spec, field.name))
    rules["seats"] = seats
