"""Vier zu mir!'s options and numbers, its search cards, the codes of actions, and the records of its engine."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from sim.chance import GENERATOR
from sim.errors import SpecError
from sim.records import make_record

MIN_SEATS, MAX_SEATS = 3, 8
ANIMALS = 24  # and as many tubes
CARDS = 24
CARD_ANIMALS = 4
MAX_HAND = 4

# ── Animals and search cards ─────────────────────────────────────────────────────────────────────────────────────────
# An animal is a number, a set of animals has a bit for each; a search card is its place in the list of all cards.
KNOWN_NAMES = {
    0: "owl",
    1: "dachshund",
    3: "kangaroo",
    7: "elephant",
    8: "lobster",
    9: "seahorse",
    11: "bat",
    15: "lion",
}
ANIMAL_NAMES = tuple(KNOWN_NAMES.get(animal, f"animal_{animal:02}") for animal in range(ANIMALS))
_STEPS = (0, 1, 3, 7)  # all differences of two of these are distinct mod 24: two cards share at most one animal
CYCLIC = tuple(tuple(sorted((card + step) % ANIMALS for step in _STEPS)) for card in range(CARDS))  # VZM-6
ANIMAL_CARDS = 4  # cards that an animal is on, where they are drawn

# Tubes of each seat, from the oldest to the youngest (VZM-2).
TUBES = {
    3: (8,) * 3,
    4: (6,) * 4,
    5: (4, 5, 5, 5, 5),
    6: (4,) * 6,
    7: (3, 3, 3, 3, 4, 4, 4),
    8: (3,) * 8,
}

# ── Phases and actions ───────────────────────────────────────────────────────────────────────────────────────────────
PHASE_ASK, PHASE_OVER = 0, 1
PHASES = ("ask", "over")
# 0 stops the turn; an ask is 1 + 32 * seat + animal:
#
#     bit 7 6 5 | 4 3 2 1 0      of action - 1
#         seat  |  animal
ACT_STOP = 0
ANIMAL_BITS = 5

STATUS_FINISHED, STATUS_CAPPED = 0, 1
HOLDER_NONE = -1  # nobody of whom it is known
DRAWN = -1  # ages or start seat that are drawn for each deal
MAX_ASKS = 20_000

# What a view remembers of the questions: the last so many, each with answer and time, in one word. The k-th question of
# the game, from 0, stands at place k % QUESTIONS.
#
#     bit 31 ... 12 |  11 | 10 9 8 | 7 .. 3 | 2 1 0
#         turn      | hit |  asked | animal | asker
QUESTIONS = 512
# And every card that was shown, in order:
#
#     bit 31 ..... 13 | 12 ... 8 | 7 6 5 | 4 .. 0
#         questions   |  pass    |  seat |  card
#
# `questions` were asked by then, and cards of one pass were placed together; what was drawn then comes in the next.
PASS_TURN = 16  # of cards that were placed at the start of a turn, which needs `chain = false` (VZM-19)


def _number(low: int, high: int, text: str) -> Any:
    """Declare a whole number with its bounds and the sentence that documents it."""
    return Meta(ge=low, le=high, description=text)


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every option and number of Vier zu mir!, the printed value or literal reading as default (rules.md)."""

    cards: Annotated[
        Literal["cyclic", "random"] | tuple[str, ...],
        Meta(
            description="the 24 search cards: cyclic, random (drawn for each deal), or a file, a card a line (VZM-6)",
            extra_json_schema={"file": True},
        ),
    ] = "cyclic"
    ages: Annotated[
        Literal["random"] | tuple[int, ...],
        Meta(description="how old each seat is, or random (drawn for each deal): who gets other tubes (VZM-3)"),
    ] = "random"
    start_seat: Annotated[
        Literal["random"] | int, Meta(description="the seat that starts, or random (drawn for each deal) (VZM-11)")
    ] = "random"
    voluntary_stop: Annotated[bool, Meta(description="a seat may stop after a hit (VZM-14)")] = True
    chain: Annotated[bool, Meta(description="a card that is complete when it is drawn is placed at once (VZM-16)")] = (
        True
    )
    hand_cards: Annotated[int, _number(1, MAX_HAND, "search cards of each seat (VZM-5)")] = 2
    max_asks: Annotated[int, _number(1, MAX_ASKS, "questions after which a game is capped (VZM-22)")] = 10_000

    def check(self, seats: int) -> None:
        """Check what no single option can: the cards of a file, and what depends on the seats.

        Raises
        ------
        SpecError
            With one sentence that names the option, what was given and what is allowed.
        """
        if not isinstance(self.cards, str):
            _check_cards(self.cards)
        if not isinstance(self.ages, str):
            _check_ages(self.ages, seats)
        if not isinstance(self.start_seat, str) and not 0 <= self.start_seat < seats:
            raise SpecError(f"Option 'start_seat' is {self.start_seat}; allowed are random and 0 to {seats - 1}.")
        if self.hand_cards * seats > CARDS:
            raise SpecError(
                f"Option 'hand_cards' is {self.hand_cards}; with {seats} seats it is at most {CARDS // seats}, "
                f"for there are {CARDS} cards."
            )

    @property
    def search_cards(self) -> tuple[tuple[int, ...], ...]:
        """The animals of each search card, rising; none where the cards are drawn for each deal."""
        if self.cards == "random":
            return ()
        return CYCLIC if isinstance(self.cards, str) else tuple(map(_animals_of, self.cards))

    def oldest_first(self, seats: int) -> tuple[int, ...]:
        """Give the seats from the oldest to the youngest; none where the ages are drawn. Rules: VZM-3."""
        if isinstance(self.ages, str):
            return ()
        ages = self.ages
        return tuple(sorted(range(seats), key=lambda seat: -ages[seat]))


def _animals_of(line: str) -> tuple[int, ...]:
    """Read the animals of a card, rising; none at all if the line is no card."""
    words = line.split()
    if len(words) != CARD_ANIMALS or not all(word.isascii() and word.isdigit() and len(word) < 3 for word in words):
        return ()
    animals = sorted(map(int, words))
    is_card = animals[-1] < ANIMALS and all(one < other for one, other in pairwise(animals))
    return tuple(animals) if is_card else ()


def _check_cards(cards: Sequence[str]) -> None:
    """Check the cards of a file. Rules: VZM-1, VZM-6."""
    seen: dict[tuple[int, ...], int] = {}
    for line, card in enumerate(cards, start=1):
        animals = _animals_of(card)
        if not animals:
            raise SpecError(
                f"Option 'cards', card {line}: '{card[:40]}' is no card. "
                f"A card is four different animals, numbers from 0 to {ANIMALS - 1}, as in '0 1 3 7'."
            )
        if animals in seen:
            raise SpecError(
                f"Option 'cards', card {line}: '{card[:40]}' is card {seen[animals]} already; no two cards are alike."
            )
        seen[animals] = line
    if len(cards) != CARDS:
        raise SpecError(f"Option 'cards' has {len(cards)} card{'' if len(cards) == 1 else 's'}; it needs {CARDS}.")


def _check_ages(ages: Sequence[int], seats: int) -> None:
    """Check ages that are given. Rules: VZM-3."""
    if len(ages) != seats:
        raise SpecError(
            f"Option 'ages' has {len(ages)} age{'' if len(ages) == 1 else 's'}; {seats} seats need one each."
        )
    for seat, age in enumerate(ages):
        if not 0 <= age <= 150:
            raise SpecError(f"Option 'ages', seat {seat}: {age} is no age; allowed are 0 to 150.")
        if age in ages[:seat]:
            raise SpecError(
                f"Option 'ages': seats {ages.index(age)} and {seat} are both {age}; no two seats are of one age, "
                f"for the oldest and the youngest get other tubes."
            )


# ── Records ──────────────────────────────────────────────────────────────────────────────────────────────────────────
_SMALL, _SET, _TIME = np.uint8, np.uint32, np.uint16  # without a sign, so that an index needs no second look

RULES = np.dtype(
    [
        ("seats", np.uint8),
        ("hand_cards", np.uint8),
        ("voluntary_stop", np.uint8),
        ("chain", np.uint8),
        ("max_asks", np.int32),
    ],
    align=True,
)

# What lies on the table for all to see. The block stands at the start of STATE and of every VIEW with the same layout,
# so that it is told as a few words (`block`).
BLOCK = [
    ("tubes_of", _SMALL, (MAX_SEATS,)),  # tubes in front of each seat
    ("unknown", _SMALL, (MAX_SEATS,)),  # of them, those whose animal nobody else has seen
    ("cards_of", _SMALL, (MAX_SEATS,)),  # search cards in each hand
    ("placed", _SMALL, (MAX_SEATS,)),  # cards placed: the points
    ("stack", _SMALL),  # cards on the stack
    ("shown", _SMALL),  # cards that were shown
    ("first_seat", _SMALL),  # who began
]

# What all have seen of each animal, and how far the game is; kept in STATE and told to every VIEW.
PUBLIC = [
    ("holder", np.int8, (ANIMALS,)),  # the seat that surely has the animal, since all have seen it there; HOLDER_NONE
    ("lacks", _SMALL, (ANIMALS,)),  # the seats that surely lack it, a bit each: by asking, by an answer, by `holder`
    ("seen", _TIME, (ANIMALS,)),  # the turn in which all have seen it last, 0: before the first turn, or never
    ("asks", np.int32),  # questions asked in the game
    ("turn", np.int32),  # turns begun
    ("may_stop", _SMALL),  # whether the seat in turn may stop
]


def _record(fields: list[Any]) -> np.dtype[Any]:
    """Lay out a record that begins with the block; its size is in whole steps of the vectors that copy it."""
    return make_record(BLOCK, [*PUBLIC, *fields], step=4)


# What one seat knows, kept up to date as things happen; what changes all the time is filled in when the seat is asked.
VIEW = _record(
    [
        ("word", np.uint64),  # random, fresh for this decision
        ("memory_key", np.uint64),  # what forgetting is a hash of (see sim.memory)
        ("parameters", np.float64, (8,)),  # the bot's own, in the order in which it declares them
        ("seat", np.uint8),  # this seat
        ("hand", _SMALL, (MAX_HAND,)),  # its search cards, `cards_of[seat]` of them, in the order in which it got them
        ("tubes", _SET),  # the animals in its tubes
        ("needed", _SET),  # the animals on its cards that it does not have: what it may ask for
        ("needed_count", np.uint32),  # how many they are
        ("sets", _SET, (CARDS,)),  # the animals of every search card: all may look at the cards before the game
        ("shows", np.uint32, (CARDS,)),  # the cards that were shown, `shown` of them, a word each (see above)
        ("questions", np.uint32, (QUESTIONS,)),  # the last of the `asks` questions, a word each (see above)
        ("rules", RULES),
    ]
)

LOG_ROWS, LOG_WIDTH = 256, 5

STATE = _record(
    [
        *GENERATOR,
        ("deal_key", np.uint64),
        ("bot_keys", np.uint64, (MAX_SEATS,)),
        ("asked", np.uint64, (MAX_SEATS,)),  # decisions of each seat so far: the index of its next word
        ("who", np.uint16, (MAX_SEATS,)),  # the entrant in each seat
        ("seat", np.uint8),  # who decides
        ("phase", np.uint8),
        ("is_over", np.uint8),
        # how many tubes and cards each seat has, and how many are on the stack, is in the block
        ("tubes", _SET, (MAX_SEATS,)),  # the animals of each seat
        ("hands", _SMALL, (MAX_SEATS, MAX_HAND)),  # the search cards of each seat, in the order in which it got them
        ("wanted", _SET, (MAX_SEATS,)),  # the animals on its cards
        ("needed", _SET, (MAX_SEATS,)),  # of them, those that it does not have: what it may ask for
        ("sets", _SET, (CARDS,)),  # the animals of every search card
        ("on_card", _SMALL, (CARDS, CARD_ANIMALS)),  # the same, one by one, rising
        ("animals", _SMALL, (ANIMALS,)),  # as shuffled
        ("cards", _SMALL, (CARDS,)),  # as shuffled; the last `stack` of them are the stack
        ("ages", _SMALL, (MAX_SEATS,)),  # the seats from the oldest to the youngest
        ("given_ages", np.int8, (MAX_SEATS,)),  # the same where they are given, else DRAWN
        ("tubes_by_age", _SMALL, (MAX_SEATS,)),  # tubes of each seat, from the oldest to the youngest
        ("given_start", np.int8),  # the seat that starts, or DRAWN
        ("is_drawn", np.uint8),  # whether the search cards are drawn for each deal
        ("draws", _SMALL, (CARDS * CARD_ANIMALS,)),  # for drawing them
        # counts for the results
        ("status", np.uint8),
        ("decisions", np.int64),
        ("hits", np.int64),
        ("stops", np.int64),
        ("placed_at_start", np.int64),
        ("stops_of", np.int32, (MAX_SEATS,)),
        ("hits_of", np.int32, (MAX_SEATS,)),
        # the log of a game that is watched: rows of (event, up to four numbers); transcripts are made of it
        ("is_logged", np.uint8),
        ("logged", np.int32),
        ("rules", RULES),
        ("views", VIEW, (MAX_SEATS,)),
        ("fresh", VIEW),  # of a seat that knows nothing: every game's views begin as copies of it
        ("log", np.int32, (LOG_ROWS, LOG_WIDTH)),
    ]
)

EVENTS = ("search_cards", "ages", "shuffle", "deal", "start", "turn", "answer", "show", "draw", "game_end")
(
    EVENT_SEARCH_CARDS,
    EVENT_AGES,
    EVENT_SHUFFLE,
    EVENT_DEAL,
    EVENT_START,
    EVENT_TURN,
    EVENT_ANSWER,
    EVENT_SHOW,
    EVENT_DRAW,
    EVENT_GAME_END,
) = range(len(EVENTS))


def set_of(animals: Sequence[int]) -> int:
    """Give animals as a set: a bit each."""
    return sum(1 << animal for animal in animals)


def animals_in(animals: int) -> list[int]:
    """List the animals of a set, rising."""
    return [animal for animal in range(ANIMALS) if int(animals) >> animal & 1]


def write_rules(state: Any, spec: Spec, seats: int) -> None:
    """Write a checked spec into a STATE: its RULES, the cards, ages and start seat that are given (modifies them)."""
    rules = state["rules"]
    rules["seats"] = seats
    for name in ("hand_cards", "voluntary_stop", "chain", "max_asks"):
        rules[name] = getattr(spec, name)
    cards = spec.search_cards
    state["is_drawn"] = not cards
    if cards:
        state["sets"] = [set_of(card) for card in cards]
        state["on_card"] = cards
    ages = spec.oldest_first(seats)
    state["given_ages"] = DRAWN
    state["given_ages"][: len(ages)] = ages
    state["tubes_by_age"][:seats] = TUBES[seats]
    state["given_start"] = DRAWN if isinstance(spec.start_seat, str) else spec.start_seat
