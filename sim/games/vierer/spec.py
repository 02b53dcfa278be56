"""Vierer's options and numbers, its deck, the codes of cards, phases and actions, and the records of its engine."""

from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from sim.chance import GENERATOR
from sim.errors import SpecError
from sim.records import make_record

MIN_SEATS, MAX_SEATS = 2, 8
MAX_CARDS = 2 * 52  # two packs

# ── Cards ────────────────────────────────────────────────────────────────────────────────────────────────────────────
# A card is its index in the deck of the job (0 .. cards-1); its rank, points and special are looked up in `rules`.
CARD_NONE = -1
COLOURS = ("orange", "pink", "green", "blue")
RANKS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "X", "Y", "Z")
RANK_X, RANK_Z = 10, 12
DEFAULT_DECK = tuple(f"{rank} {colour}" for colour in COLOURS for rank in RANKS)  # VIE-1

SPECIAL_NONE, SPECIAL_PEEK, SPECIAL_SPY, SPECIAL_TRADE, SPECIAL_HUNT = 0, 1, 2, 3, 4

# ── Phases: what the seat in `state.seat` is asked ───────────────────────────────────────────────────────────────────
PHASE_THROW, PHASE_GIVE, PHASE_DRAW, PHASE_SWAP, PHASE_KEEP, PHASE_SPECIAL, PHASE_TAKE, PHASE_KNOCK = range(8)
PHASE_OVER = 8
PHASES = ("throw", "give", "draw", "swap", "keep", "special", "take", "knock", "over")

# ── Actions ──────────────────────────────────────────────────────────────────────────────────────────────────────────
# 0 is the plain answer of every phase: pass, none, stock, throw away, decline, leave, no.
# A place is 1 + 128 * seat + slot; with an own card to trade for it, 1024 * own_slot more:
#
#     bit 17 ........ 10 | 9 .. 7 | 6 ....... 0      of action - 1
#         own slot       | seat   | slot
ACT_PASS = ACT_STOCK = ACT_THROW_AWAY = 0
ACT_DISCARD = ACT_KNOCK = 1
SLOT_BITS = 7
PLACE_BITS = SLOT_BITS + 3

# ── Options as small numbers, in the order of their words ────────────────────────────────────────────────────────────
MATCH_RANK, MATCH_POINTS, MATCH_EITHER = range(3)
GIVE_OPTIONAL, GIVE_FORCED, GIVE_NEVER = range(3)
WINDOW_BOTH, WINDOW_AFTER = range(2)
STOCK_RESHUFFLE, STOCK_END_ROUND = range(2)
TIE_WINS, TIE_LOSES = range(2)
Z_HAND, Z_ALWAYS = range(2)
RESETS_UNLIMITED, RESETS_ONCE, RESETS_NEVER = range(3)

REFLEX_UNIT = 1000  # a reflex of 1.0 weighs this much
SEEN_OPEN = 2**31 - 1  # the time seen of a card that lies face up: it is never forgotten

ORIGIN_NONE = -1  # no card lies in this slot

STATUS_FINISHED, STATUS_CAPPED = 0, 1
REASON_KNOCK, REASON_STOCK, REASON_TURNS = range(3)
REASONS = ("knock", "stock", "max_turns")


def _number(low: int, high: int, text: str) -> Any:
    """Declare a whole number with its bounds and the sentence that documents it."""
    return Meta(ge=low, le=high, description=text)


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every option and number of Vierer, the printed value or literal reading as default (rules.md)."""

    deck: Annotated[
        Literal["default52"] | tuple[str, ...],
        Meta(
            description="the deck: default52, or a file with a card a line, RANK COLOUR (VIE-1)",
            extra_json_schema={"file": True},
        ),
    ] = "default52"
    initial_discard: Annotated[bool, Meta(description="turn the top stock card as first discard (VIE-5)")] = True
    taken_face_up: Annotated[bool, Meta(description="a card taken from the discards stays face up (VIE-8)")] = False
    match_by: Annotated[
        Literal["rank", "points", "either"], Meta(description="what makes a thrown card right (VIE-19)")
    ] = "rank"
    give: Annotated[
        Literal["optional", "forced", "never"],
        Meta(description="giving an own card after throwing another's (VIE-22)"),
    ] = "optional"
    window: Annotated[
        Literal["both", "after_discard"], Meta(description="when cards may be thrown in a turn (VIE-23)")
    ] = "both"
    late_penalty: Annotated[bool, Meta(description="throwers who come too late pay a card (VIE-24)")] = False
    illegal_penalty: Annotated[
        bool, Meta(description="an own card thrown in the own turn costs a card, else it is refused (VIE-26)")
    ] = False
    stock_empty: Annotated[Literal["reshuffle", "end_round"], Meta(description="what an empty stock does (VIE-27)")] = (
        "reshuffle"
    )
    tie: Annotated[
        Literal["knocker_wins", "knocker_loses"], Meta(description="a knocker tied for the lowest sum (VIE-33)")
    ] = "knocker_wins"
    lock_knocker: Annotated[bool, Meta(description="the knocker's cards are out of reach (VIE-31)")] = False
    z_bonus: Annotated[
        Literal["hand", "always"], Meta(description="where the -1 of the green and blue Z counts (VIE-35)")
    ] = "hand"
    resets: Annotated[Literal["unlimited", "once", "never"], Meta(description="how often a seat is reset (VIE-37)")] = (
        "unlimited"
    )
    empty_ends_round: Annotated[bool, Meta(description="a seat without cards counts as knocking (VIE-17)")] = False
    min_turns_before_knock: Annotated[int, _number(0, 100, "own turns before the first knock (VIE-29)")] = 0
    max_turns: Annotated[int, _number(1, 2000, "turns after which a round ends (VIE-28)")] = 200
    max_rounds: Annotated[int, _number(1, 10_000, "rounds after which a game is capped (VIE-40)")] = 1000
    limit: Annotated[int, _number(10, 1000, "more points than this lose the game (VIE-38)")] = 100
    reset_at: Annotated[int, _number(0, 1000, "exactly this total is reset; 0 is off (VIE-37)")] = 100
    reset_to: Annotated[int, _number(0, 1000, "what it is reset to (VIE-37)")] = 50
    knock_bonus: Annotated[int, _number(-100, 0, "points of a successful knocker (VIE-33)")] = -10
    knock_penalty: Annotated[int, _number(0, 100, "points of a failed knocker (VIE-34)")] = 30
    hand_size: Annotated[int, _number(2, 6, "cards dealt to each seat (VIE-4)")] = 4
    peek: Annotated[int, _number(0, 6, "near cards looked at after the deal (VIE-4)")] = 2

    def check(self, seats: int) -> None:
        """Check what no single option can: the deck's cards, and numbers that depend on each other.

        Raises
        ------
        SpecError
            With one sentence that names the option, what was given and what is allowed.
        """
        cards = self.cards
        for line, card in enumerate(cards, start=1):
            if card not in DEFAULT_DECK:
                raise SpecError(
                    f"Option 'deck', card {line}: '{card}' is no card. "
                    f"A card is RANK COLOUR: {', '.join(RANKS)} and {', '.join(COLOURS)}, as in '10 green'."
                )
        needed = seats * self.hand_size + 1
        if not needed <= len(cards) <= MAX_CARDS:
            raise SpecError(
                f"Option 'deck' has {len(cards)} cards; {seats} seats with {self.hand_size} cards each need "
                f"{needed} to {MAX_CARDS}."
            )
        if self.peek > self.hand_size:
            raise SpecError(f"Option 'peek' is {self.peek}; allowed are 0 to hand_size = {self.hand_size}.")
        if self.resets_at_all and self.reset_to > self.limit:
            raise SpecError(f"Option 'reset_to' is {self.reset_to}; allowed are 0 to limit = {self.limit}.")

    @property
    def cards(self) -> tuple[str, ...]:
        """The deck, card by card."""
        return DEFAULT_DECK if isinstance(self.deck, str) else self.deck

    @property
    def resets_at_all(self) -> bool:
        """Whether any total is ever reset (VIE-37)."""
        return self.resets != "never" and 0 < self.reset_at <= self.limit


def card_points(card: str) -> int:
    """Give the points of a card by name. Rules: VIE-2."""
    rank, colour = card.split()
    if rank == "Z" and colour in ("green", "blue"):
        return -1
    return 10 if rank in ("X", "Y", "Z") else int(rank)


def card_special(card: str) -> int:
    """Give the special of a card by name. Rules: VIE-11, VIE-12, VIE-13, VIE-14, VIE-15."""
    rank, colour = card.split()
    if rank == "Z":
        return SPECIAL_HUNT if colour in ("orange", "pink") else SPECIAL_NONE
    specials = {"7": SPECIAL_PEEK, "8": SPECIAL_PEEK, "9": SPECIAL_SPY, "10": SPECIAL_SPY}
    return specials.get(rank, SPECIAL_TRADE if rank in ("X", "Y") else SPECIAL_NONE)


# ── Records ──────────────────────────────────────────────────────────────────────────────────────────────────────────
_CARD, _COUNT, _POINTS, _TIME = np.int8, np.int16, np.int32, np.int32
_HANDS = (MAX_SEATS, MAX_CARDS)
SET_WORDS = -(-MAX_CARDS // 64)  # of a set of cards: bit `card % 64` of word `card // 64`
_SET = (SET_WORDS,)
POINTS_MIN, POINTS_MAX = -1, 10  # of a single card

RULES = np.dtype(
    [
        ("seats", np.int64),  # bounds of loops are wide: a function is compiled once for each type it is called with
        ("hand_size", np.int64),
        ("peek", np.int64),
        ("limit", _POINTS),
        ("reset_at", _POINTS),
        ("reset_to", _POINTS),
        ("knock_bonus", _POINTS),
        ("knock_penalty", _POINTS),
        ("min_turns_before_knock", _COUNT),
        ("max_turns", _COUNT),
        ("max_rounds", _COUNT),
        ("cards", _COUNT),  # in the deck
        ("deck_points", _COUNT),  # the points of the whole deck
        ("initial_discard", np.int8),
        ("taken_face_up", np.int8),
        ("match_by", np.int8),
        ("give", np.int8),
        ("window", np.int8),
        ("late_penalty", np.int8),
        ("illegal_penalty", np.int8),
        ("stock_empty", np.int8),
        ("tie", np.int8),
        ("lock_knocker", np.int8),
        ("z_bonus", np.int8),
        ("resets", np.int8),
        ("empty_ends_round", np.int8),
        ("rank_of", _CARD, (MAX_CARDS,)),
        ("points_of", _CARD, (MAX_CARDS,)),
        ("special_of", _CARD, (MAX_CARDS,)),
        ("deck", np.uint64, _SET),  # all its cards as a set
        ("same_rank", np.uint64, (len(RANKS), *_SET)),  # the cards of each rank
        ("same_points", np.uint64, (POINTS_MAX - POINTS_MIN + 1, *_SET)),  # the cards of each value, the lowest first
    ],
    align=True,
)

# A place as somebody sees it. The four bytes are one word (`cells`), so that a card is laid, moved or cleared, in
# the table and in every view, by one store each (`cell` in engine.py puts them together):
#
#     31 ..... 16 | 15 .... 8 | 7 .... 0
#       origin    |  knowers  |   card
PLACE = np.dtype(
    [
        ("card", _CARD),  # CARD_NONE where no card lies or the viewer does not know it
        ("knowers", np.uint8),  # who has seen the card, a bit a seat: all see who looks
        ("origin", _COUNT),  # the generation of the stock that the card came from, ORIGIN_NONE: no card
    ],
    align=True,
)
CELL_EMPTY = 0xFFFF_00FF  # CARD_NONE, nobody, ORIGIN_NONE

# What everybody may know, and what the deciding seat is asked about. The block stands at the start of STATE and of
# every VIEW with the same layout, so that `observe` copies it as a few words (`block`).
BLOCK = [
    ("discarded", np.uint64, _SET),  # the cards of the discard pile, as a set
    ("counts", np.int8, (MAX_SEATS,)),  # cards in front of each seat
    ("slots", np.int8, (MAX_SEATS,)),  # one more than the highest slot in use
    ("turn", _TIME),  # turns begun in this game: the clock of `seen`
    ("round_number", _COUNT),
    ("round_turn", _COUNT),  # turns begun in this round
    ("stock", _COUNT),  # cards in the stock
    ("discards", _COUNT),  # cards on the discard pile
    ("in_hands", _COUNT),  # cards in front of all seats
    ("generation", _COUNT),  # reshuffles in this round
    ("phase", np.int8),
    ("active", np.uint8),  # the seat in turn
    ("knocker", np.int8),  # who has knocked, -1 while nobody has
    ("turns_left", np.int8),  # turns until the round ends, this one included; -1 while nobody has knocked
    ("is_thrown", np.int8),  # a right throw happened in this turn
    ("is_void", np.int8),  # the stock ends this round after this turn: no knock counts
    ("window", np.int8),  # the throw window, if one is open: 0 before the draw, 1 after the discard
    ("top", _CARD),  # the top discard
    ("drawn", _CARD),  # in the phases swap and keep: the card drawn
    ("special", np.int8),  # in the phase special: which
    ("place_seat", np.int8),  # take: where the card looked at lies; give: where the thrown one lay
    ("place_slot", np.int8),
]
COUNTS_WORD = SET_WORDS  # where `counts` stand in `block`: all eight of them in one word


def _record(fields: list[Any]) -> np.dtype[Any]:
    """Lay out a record that begins with the block; a place of `places` can also be read as one word (`cells`)."""
    return make_record(BLOCK, fields, also=lambda laid: {"cells": (np.dtype((np.uint32, _HANDS)), laid["places"][1])})


# What one seat knows: the block, filled anew for every decision, and what is kept up to date as things happen.
VIEW = _record(
    [
        ("word", np.uint64),  # random, fresh for this decision
        ("memory_key", np.uint64),  # what forgetting is a hash of (see sim.memory)
        ("parameters", np.float64, (8,)),  # the bot's own, in the order in which it declares them
        ("unseen", np.uint64, _SET),  # the cards whose place this seat does not know, as a set
        ("seat", np.uint8),  # this seat
        ("unseen_count", _COUNT),  # how many they are
        ("unseen_points", _COUNT),  # and their points
        ("totals", _POINTS, (MAX_SEATS,)),
        ("turns_taken", _COUNT, (MAX_SEATS,)),  # own turns completed in this round
        ("resets_of", _POINTS, (MAX_SEATS,)),  # how often each total was reset
        ("places", PLACE, _HANDS),  # what this seat sees of each place
        ("seen", _TIME, (MAX_CARDS,)),  # the turn in which this seat last saw a card in a place
        ("pool", _COUNT, (MAX_CARDS,)),  # the generation of the stock that the card was last shuffled into
        ("rules", RULES),
    ]
)

LOG_ROWS, LOG_WIDTH = 1024, 6

STATE = _record(
    [
        *GENERATOR,
        ("deal_key", np.uint64),
        ("bot_keys", np.uint64, (MAX_SEATS,)),
        ("asked", np.int32, (MAX_SEATS,)),  # decisions of each seat so far: the index of its next word
        ("who", np.uint16, (MAX_SEATS,)),  # the entrant in each seat
        ("reflex", np.int64, (MAX_SEATS,)),  # weights in the order of attempts
        ("is_even", np.uint8),  # whether all are equal
        ("seat", np.uint8),  # who decides
        ("is_over", np.uint8),
        ("step", np.int8),  # where `advance` goes on (engine.py)
        # the table; counts, slots, and how many cards lie where are in the block
        ("places", PLACE, _HANDS),  # what lies there
        ("face_up", np.uint64, _SET),  # the cards that lie face up in a place
        ("stock_cards", _CARD, (MAX_CARDS,)),  # the last one is on top
        ("discard_cards", _CARD, (MAX_CARDS,)),  # the last one is on top
        # the turn
        ("held", _CARD),  # the card drawn
        ("target_seat", np.uint8),  # the place that a throw has emptied, or that was looked at
        ("target_slot", np.uint8),
        ("thrower", np.uint8),
        ("intents", np.int32, (MAX_SEATS,)),  # answers in a throw window, shown to nobody before the last is given
        ("wanting", np.uint8, (MAX_SEATS,)),  # the seats that want to throw
        ("to_ask", np.int8),  # seats still to be asked in this window
        ("ask_seat", np.uint8),  # the next of them
        ("intending", np.int8),  # how many want to throw
        # what each seat cannot place (see VIEW): side by side for all of them, and given to a view when it is asked
        ("unseen", np.uint64, (*_SET, MAX_SEATS)),
        ("unseen_count", _COUNT, (MAX_SEATS,)),
        ("unseen_points", _COUNT, (MAX_SEATS,)),
        # the round
        ("first_seat", np.uint8),
        ("sums", np.int32, (MAX_SEATS,)),  # of the hands at its end
        ("turns_taken", _COUNT, (MAX_SEATS,)),
        # the game
        ("totals", _POINTS, (MAX_SEATS,)),
        ("resets_of", np.int32, (MAX_SEATS,)),
        ("status", np.int8),
        # counts for the results
        ("decisions", np.int64),
        ("start_seat", np.uint8),
        ("knocks", np.int32, (MAX_SEATS,)),
        ("knocks_won", np.int32, (MAX_SEATS,)),
        ("penalties", np.int32, (MAX_SEATS,)),
        ("resets", np.int32),
        ("throws", np.int32),
        ("reshuffles", np.int32),
        # the log of a game that is watched: rows of (event, up to five numbers); transcripts are made of it
        ("is_logged", np.uint8),
        ("logged", np.int32),
        ("rules", RULES),
        ("views", VIEW, (MAX_SEATS,)),
        ("fresh", VIEW),  # of a seat that knows nothing: every game's views begin as copies of it
        ("log", np.int32, (LOG_ROWS, LOG_WIDTH)),
    ]
)

EVENTS = (
    "round",
    "shuffle",
    "deal",
    "look",
    "turn_up",
    "turn",
    "window",
    "draw",
    "place",
    "throw_away",
    "trade",
    "attempts",
    "throw",
    "penalty",
    "no_penalty",
    "give",
    "reshuffle",
    "knock",
    "round_end",
    "hand",
    "points",
    "game_end",
    "card",
)
(
    EVENT_ROUND,
    EVENT_SHUFFLE,
    EVENT_DEAL,
    EVENT_LOOK,
    EVENT_TURN_UP,
    EVENT_TURN,
    EVENT_WINDOW,
    EVENT_DRAW,
    EVENT_PLACE,
    EVENT_THROW_AWAY,
    EVENT_TRADE,
    EVENT_ATTEMPTS,
    EVENT_THROW,
    EVENT_PENALTY,
    EVENT_NO_PENALTY,
    EVENT_GIVE,
    EVENT_RESHUFFLE,
    EVENT_KNOCK,
    EVENT_ROUND_END,
    EVENT_HAND,
    EVENT_POINTS,
    EVENT_GAME_END,
    EVENT_CARD,
) = range(len(EVENTS))


def write_rules(rules: Any, spec: Spec, seats: int) -> None:
    """Write a checked spec into a RULES record (modifies `rules`)."""
    cards = spec.cards
    fields = msgspec.structs.fields(Spec)
    for field in fields:
        value = getattr(spec, field.name)
        if field.name == "deck":
            continue
        if isinstance(value, str):
            value = choices(field.name).index(value)
        rules[field.name] = int(value)
    if not spec.resets_at_all:
        rules["reset_at"] = 0
    rules["seats"] = seats
    rules["cards"] = len(cards)
    rules["deck_points"] = sum(map(card_points, cards))
    rules["rank_of"][: len(cards)] = [RANKS.index(card.split()[0]) for card in cards]
    rules["points_of"][: len(cards)] = [card_points(card) for card in cards]
    rules["special_of"][: len(cards)] = [card_special(card) for card in cards]
    for index in range(len(cards)):
        word, bit = index // 64, np.uint64(1 << index % 64)
        rules["deck"][word] |= bit
        rules["same_rank"][rules["rank_of"][index], word] |= bit
        rules["same_points"][rules["points_of"][index] - POINTS_MIN, word] |= bit


def choices(option: str) -> tuple[str, ...]:
    """Give the words of an option that is a choice, in the order of their numbers."""
    annotated = Spec.__annotations__[option]
    words: tuple[str, ...] = annotated.__origin__.__args__
    return words
