"""Four Corner Detective's options and numbers, its cards, the codes of actions, and the records of its engine."""

from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from sim.chance import GENERATOR
from sim.errors import SpecError
from sim.records import Laid, count_words, make_record

MIN_SEATS, MAX_SEATS = 1, 10  # 51 cards, five a seat (FCD-6)
DECK_CARDS = 51
HAND_CARDS = 5
MAX_ROUNDS = 4
MAX_GROUPS = 4

# ── Cards and answers ────────────────────────────────────────────────────────────────────────────────────────────────
# A card, and an answer, is its four radii in order, each by its index in RADII: a number of 0 .. 255.
#
#     bit 7 6 | 5 4 | 3 2 | 1 0
#     corner 0|  1  |  2  |  3
RADII = (3, 4, 5, 8)
CORNERS = 4
TUPLES = len(RADII) ** CORNERS
CARD_NONE = -1

# One card for each 4-tuple up to rotation and reflection that is not constant, 51 in all (FCD-5).
BRACELET51 = tuple(
    """
    3335 3344 3388 3434 3444 3483 3535 3538 3543 3833 3838 3885 4333 4348 4353 4385 4448
    4483 4544 4554 4555 4585 4848 4853 4884 5335 5345 5358 5434 5443 5453 5454 5535 5584
    5833 5838 5855 5858 8343 8354 8384 8438 8445 8454 8485 8553 8558 8588 8845 8848 8883
    """.split()  # noqa: SIM905 - a table is read more easily than 51 quoted words
)
STANDARD_CARD = "3458"

# ── Phases and actions ───────────────────────────────────────────────────────────────────────────────────────────────
PHASE_ACT, PHASE_OVER = 0, 1
PHASES = ("act", "over")
ACT_WRITE = CORNERS  # 0 .. 3 feel that corner; ACT_WRITE + answer writes
ACTIONS = ACT_WRITE + TUPLES
MAX_FEELS = 200  # of one card; then only answers are legal
BLIND_MS = 15_000  # what an answer takes that is written without a single feel

# ── The model of touch (rules.md, "The touch") ───────────────────────────────────────────────────────────────────────
READING_UNIT = 64  # a reading counts 1/64 mm
WEBER = 0.2  # standard deviation of a reading as a share of the radius, at an acuity of 1
LOOKING = 0.4  # what looking at the back multiplies it by (FCD-10)
LOOKING_ROUNDS = 2
ACUITY_UNIT = 1000  # an acuity of 1.0 is kept as this
TOUCH_MS = 1500  # median time of a feel, where an entrant does not say otherwise

STATUS_FINISHED = 0

# ── Options as small numbers, in the order of their words ────────────────────────────────────────────────────────────
MODE_STANDARD, MODE_SPEEDRUN = range(2)
DEFAULT_GROUPS = {1: (4, 1), 2: (4, 3, 2), 3: (4, 3, 2, 1), 4: (4, 3, 2, 1)}  # FCD-7, as printed
SHIFTED_GROUPS = {1: (4, 1), 2: (4, 1), 3: (4, 3, 2), 4: (4, 3, 2, 1)}
MORE_GROUPS = (4, 3, 2, 1)  # five seats and more
CUTOFF_SEATS = 6  # from so many seats on nobody behind the cutoff gets tokens (FCD-16, FCD-41)

_STANDARD_ONLY = (
    "token_table",
    "inexperienced",
    "passdown_to_tokenless",
    "mark_without_tokens",
    "bonus_needs_mark",
    "cutoff",
    "rounds",
    "bonus",
)
_SPEEDRUN_ONLY = ("speedrun_deck", "speedrun_seconds")


def _number(low: int, high: int, text: str) -> Any:
    """Declare a whole number with its bounds and the sentence that documents it."""
    return Meta(ge=low, le=high, description=text)


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every option and number of Four Corner Detective, the printed value or literal reading as default (rules.md)."""

    deck: Annotated[
        Literal["bracelet51", "uniform"] | tuple[str, ...],
        Meta(
            description="the 51 cards: bracelet51, uniform (drawn for each deal), or a file with a card a line (FCD-5)",
            extra_json_schema={"file": True},
        ),
    ] = "bracelet51"
    token_table: Annotated[Literal["printed", "shifted"], Meta(description="the groups of tokens by seats (FCD-7)")] = (
        "printed"
    )
    mode: Annotated[
        Literal["standard", "speedrun"], Meta(description="four rounds with tokens, or two minutes (FCD-30)")
    ] = "standard"
    inexperienced: Annotated[bool, Meta(description="all may look at the backs in rounds 1 and 2 (FCD-10)")] = False
    peek_slip: Annotated[
        float, Meta(ge=0.0, le=1.0, description="chance that a card's front is seen as it is taken up (FCD-11)")
    ] = 0.0
    passdown_to_tokenless: Annotated[
        Literal["auto", "true", "false"],
        Meta(description="whether seats without a group get tokens passed on; auto: with up to five seats (FCD-16)"),
    ] = "auto"
    mark_without_tokens: Annotated[bool, Meta(description="a perfect answer without tokens is marked (FCD-22)")] = True
    bonus_needs_mark: Annotated[bool, Meta(description="nobody gets the bonus if nobody has a mark (FCD-26)")] = True
    cutoff: Annotated[
        Literal["fifth", "fifth_to_last"], Meta(description="from which finisher on there are no groups (FCD-41)")
    ] = "fifth"
    rounds: Annotated[int, _number(1, MAX_ROUNDS, "rounds of a game (FCD-8)")] = 4
    bonus: Annotated[int, _number(0, 20, "points for the most marks (FCD-25)")] = 4
    speedrun_deck: Annotated[int, _number(1, DECK_CARDS, "cards of each seat in the speedrun (FCD-31)")] = 8
    speedrun_seconds: Annotated[int, _number(10, 600, "length of the speedrun in seconds (FCD-30)")] = 120

    def check(self, seats: int) -> None:
        """Check what no single option can: the deck's cards, and options that exclude each other.

        Raises
        ------
        SpecError
            With one sentence that names the option, what was given and what is allowed.
        """
        if not isinstance(self.deck, str):
            _check_deck(self.deck)
        fields = {field.name: field.default for field in msgspec.structs.fields(type(self))}
        others = _STANDARD_ONLY if self.mode == "speedrun" else _SPEEDRUN_ONLY
        for name in others:
            if getattr(self, name) != fields[name]:
                needed = "standard" if self.mode == "speedrun" else "speedrun"
                raise SpecError(f"Option '{name}' has no meaning with mode = {self.mode}; it needs mode = {needed}.")

    @property
    def cards(self) -> tuple[str, ...]:
        """The deck, card by card; all that may be in it where it is drawn for each deal."""
        if self.deck == "uniform":
            return tuple(word for word in map(word_of, range(TUPLES)) if word != STANDARD_CARD)
        return BRACELET51 if isinstance(self.deck, str) else self.deck

    def groups(self, seats: int) -> tuple[int, ...]:
        """Give the groups of tokens laid out each round, the largest first. Rules: FCD-7, FCD-40."""
        table = DEFAULT_GROUPS if self.token_table == "printed" else SHIFTED_GROUPS
        return table.get(seats, MORE_GROUPS)

    def takers(self, seats: int) -> int:
        """Count the finishers who take a group, from the first on. Rules: FCD-13, FCD-41."""
        takers = min(seats, len(self.groups(seats)))
        is_cut = self.cutoff == "fifth_to_last" and seats >= CUTOFF_SEATS
        return min(takers, seats - HAND_CARDS) if is_cut else takers

    def is_passed_down(self, seats: int) -> bool:
        """Say whether seats without a group get what the last one with a group passes on. Rules: FCD-16."""
        if self.passdown_to_tokenless == "auto":
            return seats < CUTOFF_SEATS
        return self.passdown_to_tokenless == "true"

    def hand_cards(self, seats: int) -> int:
        """Count the cards dealt to each seat. Rules: FCD-6, FCD-31."""
        return HAND_CARDS if self.mode == "standard" else min(self.speedrun_deck, DECK_CARDS // seats)


def _check_deck(deck: tuple[str, ...]) -> None:
    """Check the cards of a file. Rules: FCD-2, FCD-3."""
    seen: dict[str, int] = {}
    for line, card in enumerate(deck, start=1):
        if len(card) != CORNERS or any(radius not in "3458" for radius in card):
            raise SpecError(
                f"Option 'deck', card {line}: '{card[:40]}' is no card. "
                f"A card is four of the radii 3, 4, 5, 8, as in '3835'."
            )
        if card == STANDARD_CARD:
            raise SpecError(f"Option 'deck', card {line}: {card} is the standard card, which is never dealt.")
        if card in seen:
            raise SpecError(f"Option 'deck', card {line}: {card} is card {seen[card]} already; no two cards are alike.")
        seen[card] = line
    if len(deck) != DECK_CARDS:
        raise SpecError(f"Option 'deck' has {len(deck)} cards; it needs {DECK_CARDS}.")


def code_of(word: str) -> int:
    """Give the number of a card or an answer, written as four digits."""
    code = 0
    for radius in word:
        code = code * len(RADII) + RADII.index(int(radius))
    return code


def word_of(code: int) -> str:
    """Write a card or an answer as four digits."""
    return "".join(str(RADII[code >> shift & 3]) for shift in (6, 4, 2, 0))


STANDARD_CODE = code_of(STANDARD_CARD)

# ── Records ──────────────────────────────────────────────────────────────────────────────────────────────────────────
_CODE, _SMALL, _MS = np.uint8, np.uint8, np.int32  # without a sign, so that an index needs no second look
CODE_WORDS, POOL_WORDS = -(-DECK_CARDS // 8), TUPLES // 8  # of the cards, of all tuples

# The rules as a VIEW has them.
RULES = np.dtype(
    [
        ("limit_ms", np.uint32),  # of the speedrun
        ("seats", np.uint8),
        ("rounds", np.uint8),
        ("hand_cards", np.uint8),  # dealt to each seat
        ("takers", np.uint8),  # finishers who take a group
        ("groups", np.uint8, (MAX_SEATS,)),  # of tokens, by place; 0 where there is none to take
        ("bonus", np.uint8),
        ("mode", np.uint8),
        ("is_passed_down", np.uint8),  # whether seats without a group get what is passed on
        ("mark_without_tokens", np.uint8),
        ("bonus_needs_mark", np.uint8),
        ("inexperienced", np.uint8),
        ("is_deck_known", np.uint8),  # whether the deck below is the one that is dealt from
        ("untaken", np.uint8),  # tokens of the groups that nobody takes
        ("deck", _CODE, (DECK_CARDS,)),
    ],
    align=True,
)

# What everybody knows. The block stands at the start of STATE and of every VIEW with the same layout, so that `observe`
# copies it as a few words (`block`).
BLOCK = [
    ("finished_ms", _MS, (MAX_SEATS,)),  # when each seat last finished a round; in the speedrun, called a card
    ("finish_place", _SMALL, (MAX_SEATS,)),  # 1, 2, ... in this round, 0 while it has not finished
    ("totals", _SMALL, (MAX_SEATS,)),  # points without bonus; in the speedrun the cards kept
    ("marks", _SMALL, (MAX_SEATS,)),
    ("checked", _SMALL, (MAX_SEATS,)),  # cards that each seat has had checked, in the game
    ("round_number", _SMALL),  # 0 in the speedrun
    ("finished", _SMALL),  # seats that have finished this round
    ("group", _SMALL),  # the largest group left for who finishes next, 0: none
    ("box", _SMALL),  # cards in the box
]
BLOCK_WORDS = count_words(BLOCK, 4)  # copied by fours


def _overlaid(laid: Laid) -> dict[str, tuple[Any, int]]:
    """Give what is also read as words: what a view has of a card (`felt`), the cards (`card_words`, `pool_words`)."""
    if "parameters" in laid:
        start, end = laid["likelihood"][1], laid["word"][1]
        return {"felt": (np.dtype((np.int64, ((end - start) // 8,))), start)}
    words = np.dtype((np.int64, (POOL_WORDS,)))
    return {"card_words": (words, laid["cards"][1]), "pool_words": (words, laid["pool"][1])}


def _record(fields: list[Any]) -> np.dtype[Any]:
    """Lay out a record that begins with the block; its size is in whole steps of the vectors that copy it."""
    return make_record(BLOCK, fields, step=4, block_step=4, also=_overlaid)


# What one seat knows: the block, filled anew for every decision, and what is kept up to date as things happen. All of
# it is begun anew with a game.
VIEW = _record(
    [
        ("likelihood", np.float64, (CORNERS, len(RADII))),  # of the readings of each corner, if it had each radius
        # What follows from it: how likely each corner has each radius, if all were as likely before the first feel.
        ("chances", np.float64, (CORNERS, len(RADII))),
        ("sums", np.int32, (CORNERS,)),  # of the readings of each corner, in 1/64 mm
        ("counts", np.uint8, (CORNERS,)),  # how many they are
        ("likeliest", np.uint8, (CORNERS,)),  # radius of each corner, as an index; of equal ones the smallest
        ("feels", np.int64),  # of this card, all corners together; so far everything is begun anew for a card (`felt`)
        ("word", np.uint64),  # random, fresh for this decision
        ("parameters", np.float64, (8,)),  # the bot's own, in the order in which it declares them
        ("now_ms", _MS),  # the time of this decision
        ("taken_ms", _MS),  # when the card was taken up
        ("touch_ms", _MS),  # this seat's skills
        ("acuity", np.int32),  # in thousandths
        ("is_inexperienced", _SMALL),  # whether this seat may look in the first rounds
        ("is_looking", _SMALL),  # whether this card's back may be looked at
        ("seat", np.uint8),  # this seat
        ("exposures", np.uint8),  # how many cards of this seat have left play because their fronts were seen
        ("may_repeat", np.uint8),  # whether this card came out of the box, where this seat's earlier cards may lie
        ("known_card", np.int16),  # the card itself, where its front was seen and there was none to replace it
        ("cards", _CODE, (DECK_CARDS,)),  # this seat's cards that were checked, `checked[seat]` of them
        ("answers", _CODE, (DECK_CARDS,)),  # what it had written
        ("exposed", _CODE, (DECK_CARDS,)),  # the cards that have left play
        ("rules", RULES),
    ]
)

LOG_ROWS, LOG_WIDTH = 256, 8

STATE = _record(
    [
        *GENERATOR,
        ("deal_key", np.uint64),
        # The cards: the k-th card of seat s, in order of play, is dealt as cards[k * seats + s]; behind those of all
        # seats lies what is left over. What is not needed is not drawn, and the box is kept where cards come out of it.
        ("cards", _CODE, (TUPLES,)),
        ("spare", _CODE, (TUPLES,)),  # for redealing
        ("pile", _CODE, (TUPLES,)),  # for redealing
        ("box_cards", _CODE, (DECK_CARDS,)),
        ("drawn", np.uint8),  # how many cards are drawn for a game
        ("card", _CODE, (MAX_SEATS,)),  # what each seat has taken up
        ("bot_keys", np.uint64, (MAX_SEATS,)),
        ("asked", np.uint64, (MAX_SEATS,)),  # decisions of each seat so far: the index of its next word
        ("who", np.uint16, (MAX_SEATS,)),  # the entrant in each seat
        ("seat", np.uint8),  # who decides
        ("phase", np.uint8),
        ("is_over", np.uint8),
        # The clocks: when a seat acts next, in ms, above a random word that orders equal times; DUE_NEVER: not at all.
        ("due", np.int64, (MAX_SEATS + 1,)),  # DUE_END behind the last seat
        ("ties", np.int64, (MAX_SEATS,)),  # those words
        ("answer", np.int64, (MAX_SEATS,)),  # what a seat has written or is writing, CARD_NONE: nothing yet
        ("order", _SMALL, (MAX_SEATS,)),  # the seats in the order in which they have finished
        # what a seat feels
        ("touch_ms", np.uint32, (MAX_SEATS,)),
        ("acuity", np.uint32, (MAX_SEATS,)),
        # of the present card, once it is felt: the key of its readings, what one step of a sum adds, and the inverse
        ("touch_keys", np.uint64, (MAX_SEATS,)),
        ("steps", np.float64, (MAX_SEATS,)),
        ("steps_inverse", np.float64, (MAX_SEATS,)),
        ("is_looking", np.uint8, (MAX_SEATS,)),
        ("feels", np.uint8, (MAX_SEATS,)),  # of its present card
        ("counts", np.uint8, (MAX_SEATS, CORNERS)),
        ("likelihood", np.float64, (MAX_SEATS, CORNERS, len(RADII))),
        ("exposures", np.uint8, (MAX_SEATS,)),
        # counts for the results
        ("decisions", np.int64),
        ("turns", np.int64),  # cards taken up
        ("first_place_ms", np.int64),
        ("scores", np.int64, (MAX_SEATS,)),  # at the end, with the bonus
        ("round_rows", np.int64, (MAX_ROUNDS, MAX_SEATS, 5)),  # place, ms, correct, tokens, points
        # the log of a game that is watched: rows of (event, up to seven numbers); transcripts are made of it
        ("is_logged", np.uint8),
        ("logged", np.int32),
        ("peek_below", np.uint64),  # a hashed number of 53 bits below this is a slip (FCD-11); 0: never
        ("laid_out", np.uint8, (MAX_GROUPS,)),  # the groups of tokens of a round, those that nobody takes included
        ("pool_cards", np.int64),
        ("pool", _CODE, (TUPLES,)),  # what the 51 cards are drawn from: the deck, or all tuples but one
        ("rules", RULES),
        ("views", VIEW, (MAX_SEATS,)),
        ("fresh", VIEW),  # of a seat that knows nothing: every game's views begin as copies of it
        ("log", np.int32, (LOG_ROWS, LOG_WIDTH)),
    ]
)

DUE_NEVER, DUE_END = 2**62, 2**62 + 1

EVENTS = (
    "shuffle",
    "deal",
    "round",
    "take_up",
    "peek",
    "feel",
    "finish",
    "check",
    "round_end",
    "call",
    "game_end",
    "card",
)
(
    EVENT_SHUFFLE,
    EVENT_DEAL,
    EVENT_ROUND,
    EVENT_TAKE_UP,
    EVENT_PEEK,
    EVENT_FEEL,
    EVENT_FINISH,
    EVENT_CHECK,
    EVENT_ROUND_END,
    EVENT_CALL,
    EVENT_GAME_END,
    EVENT_CARD,
) = range(len(EVENTS))


def write_rules(state: Any, spec: Spec, seats: int) -> None:
    """Write a checked spec into a STATE: its RULES, the cards to draw from, the chance of a slip (modifies them)."""
    rules = state["rules"]
    groups, takers = spec.groups(seats), spec.takers(seats)
    rules["seats"] = seats
    rules["rounds"] = spec.rounds
    rules["hand_cards"] = spec.hand_cards(seats)
    rules["limit_ms"] = 1000 * spec.speedrun_seconds
    rules["takers"] = takers
    rules["groups"][:takers] = groups[:takers]
    state["due"][seats] = DUE_END
    rules["untaken"] = sum(groups[takers:])
    state["laid_out"][: len(groups)] = groups
    rules["bonus"] = spec.bonus
    rules["mode"] = MODE_SPEEDRUN if spec.mode == "speedrun" else MODE_STANDARD
    rules["is_passed_down"] = spec.is_passed_down(seats)
    for name in ("mark_without_tokens", "bonus_needs_mark", "inexperienced"):
        rules[name] = getattr(spec, name)
    cards = [code_of(card) for card in spec.cards]
    state["pool"][: len(cards)] = cards
    state["pool_cards"] = len(cards)
    state["peek_below"] = int(spec.peek_slip * 2**53)
    played = spec.rounds if spec.mode == "standard" else spec.hand_cards(seats)
    state["drawn"] = DECK_CARDS if spec.peek_slip > 0 else played * seats
    if len(cards) == DECK_CARDS:
        rules["is_deck_known"] = 1
        rules["deck"][:DECK_CARDS] = cards
