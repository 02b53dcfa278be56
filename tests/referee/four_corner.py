"""Referee of Four Corner Detective: replays a transcript from RULES.md section 1 alone and names every difference.

The referee shares no line with the engine. It keeps the whole table itself and takes from a transcript only what no
rule can know: the outcomes of chance (shuffled cards, exposures and their replacements, who of equally early seats acts
first), the decisions, and what the model of perception gives (readings and how long a finger is busy), of which it asks
only that a reading is a whole number and that time goes by. Every other event is predicted and compared.

The path of a game: `judge` checks the document, then `Standard` or `Speedrun` walks through the rules and reads event
by event. The document is described in docs/transcripts.md, its reading is in `tests.referee.reading`.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from typing import Any, NamedTuple

from tests.referee.reading import DivergenceError, Reader, faults_of_document, is_integer, is_same, show

GAME = "four_corner"
SEATS_FEWEST, SEATS_MOST = 1, 10  # FCD-6, FCD-28

# ------------------------------------------------------------------------------------------------------------
# The cards (FCD-1 to FCD-6)
# ------------------------------------------------------------------------------------------------------------

CORNERS = 4
RADII = "3458"
STANDARD_CARD = "3458"
DECK_SIZE = 51
STACK_SIZE = 5
TUPLES = tuple("".join(radii) for radii in product(RADII, repeat=CORNERS))

FCD_T1 = """
3335 3344 3388 3434 3444 3483 3535 3538 3543 3833 3838 3885 4333 4348 4353 4385 4448
4483 4544 4554 4555 4585 4848 4853 4884 5335 5345 5358 5434 5443 5453 5454 5535 5584
5833 5838 5855 5858 8343 8354 8384 8438 8445 8454 8485 8553 8558 8588 8845 8848 8883
"""
BRACELET51 = tuple(FCD_T1.split())


def is_card(value: object) -> bool:
    """Whether a value is four radii, written as one text (FCD-2)."""
    return isinstance(value, str) and len(value) == CORNERS and set(value) <= set(RADII)


def faults_of_cards(cards: object) -> Iterator[str]:
    """Why a list is not 51 different cards without the standard card (FCD-1, FCD-3, FCD-5)."""
    if not isinstance(cards, list) or not all(map(is_card, cards)):
        yield f"a list of cards of four radii out of 3, 4, 5, 8 (FCD-2), found {show(cards)}"
        return
    if len(cards) != DECK_SIZE:
        yield f"{DECK_SIZE} cards (FCD-1), found {len(cards)}"
    if len(set(cards)) != len(cards):
        yield f"cards that all differ (FCD-3), found {show(sorted(cards))}"
    if STANDARD_CARD in cards:
        yield f"no standard card {STANDARD_CARD} (FCD-3), found it"


# ------------------------------------------------------------------------------------------------------------
# Options (RULES.md section 7)
# ------------------------------------------------------------------------------------------------------------

UNIFORM = "uniform"
WORDS = {
    "token_table": ("printed", "shifted"),
    "mode": ("standard", "speedrun"),
    "passdown_to_tokenless": ("auto", "true", "false"),
    "cutoff": ("fifth", "fifth_to_last"),
}
FLAGS = ("inexperienced", "mark_without_tokens", "bonus_needs_mark")
NUMBERS: dict[str, tuple[float, float]] = {
    "rounds": (1, 4),
    "bonus": (0, 20),
    "speedrun_deck": (1, math.inf),
    "speedrun_seconds": (10, 600),
}


@dataclass(frozen=True)
class Options:
    """Options and numbers of the game; the defaults are those of RULES.md section 7."""

    deck: tuple[str, ...] | str = BRACELET51
    token_table: str = "printed"
    mode: str = "standard"
    inexperienced: bool = False
    peek_slip: float = 0.0
    passdown_to_tokenless: str = "auto"
    mark_without_tokens: bool = True
    bonus_needs_mark: bool = True
    cutoff: str = "fifth"
    rounds: int = 4
    bonus: int = 4
    speedrun_deck: int = 8
    speedrun_seconds: int = 120

    @property
    def limit_ms(self) -> int:
        """Time of the speedrun (FCD-30)."""
        return self.speedrun_seconds * 1000


def faults_of_options(raw: Mapping[str, object]) -> Iterator[str]:
    """Every option that is missing, unknown or out of its bounds (RULES.md section 7), as a sentence."""
    known = {option.name for option in fields(Options)}
    yield from (f"options: {name} is missing" for name in sorted(known - raw.keys()))
    yield from (f"options: {show(name)} is no option of Four Corner Detective" for name in raw if name not in known)
    for name in sorted(known & raw.keys()):
        value = raw[name]
        if name in FLAGS and type(value) is not bool:
            yield f"options: {name} is true or false, found {show(value)}"
        elif name in WORDS and not (isinstance(value, str) and value in WORDS[name]):
            yield f"options: {name} is one of {', '.join(WORDS[name])}, found {show(value)}"
        elif name in NUMBERS:
            least, most = NUMBERS[name]
            if not is_integer(value) or not least <= value <= most:
                yield f"options: {name} is a whole number in {least}..{most}, found {show(value)}"
        elif name == "peek_slip" and not is_fraction(value):
            yield f"options: peek_slip is a number in 0..1, found {show(value)}"
        elif name == "deck" and not is_same(UNIFORM, value):
            yield from (f"options: deck is expected to be {fault}" for fault in faults_of_cards(value))


def is_fraction(value: object) -> bool:
    """Whether a value is a number in 0..1."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


# What `tests.referee.judged` draws from. A speedrun has no rounds, tokens or bonus, so a job names none of their
# options with it; without a speedrun it names none of the speedrun's.
CHOICES: dict[str, tuple[Any, ...]] = {
    # Also a deck of a user's own: all its cards begin with a 3, so that many look alike.
    "deck": (UNIFORM, [card for card in TUPLES if card != STANDARD_CARD][:DECK_SIZE]),
    "mode": ("standard", "speedrun"),
    "peek_slip": (0.0, 0.05, 0.5, 1.0),
    "inexperienced": (False, True),
    "token_table": ("printed", "shifted"),
    "passdown_to_tokenless": ("auto", "true", "false"),
    "mark_without_tokens": (True, False),
    "bonus_needs_mark": (True, False),
    "cutoff": ("fifth", "fifth_to_last"),
    "rounds": (4, 1, 2, 3),
    "bonus": (4, 0, 20),
    "speedrun_deck": (8, 1, 3, 51),
    "speedrun_seconds": (120, 10, 45, 600),
}
STANDARD_ONLY = (
    "inexperienced",
    "token_table",
    "passdown_to_tokenless",
    "mark_without_tokens",
    "bonus_needs_mark",
    "cutoff",
    "rounds",
    "bonus",
)
SPEEDRUN_ONLY = ("speedrun_deck", "speedrun_seconds")


def draw_options(draw: random.Random) -> dict[str, Any]:
    """Draw options that a job may name together; those not drawn keep their defaults."""
    drawn = {name: draw.choice(values) for name, values in CHOICES.items() if draw.random() < 0.4}
    excluded = STANDARD_ONLY if drawn.get("mode") == "speedrun" else SPEEDRUN_ONLY
    return {name: value for name, value in drawn.items() if name not in excluded}


# ------------------------------------------------------------------------------------------------------------
# Tokens and points (FCD-7, FCD-13 to FCD-24, FCD-40, FCD-41): pure functions
# ------------------------------------------------------------------------------------------------------------

TOKEN_GROUPS = {
    "printed": {1: [4, 1], 2: [4, 3, 2]},
    "shifted": {1: [4, 1], 2: [4, 1], 3: [4, 3, 2]},
}
ALL_GROUPS = [4, 3, 2, 1]


def token_groups(token_table: str, seats: int) -> list[int]:
    """Groups laid out in every round, largest first (FCD-7, FCD-28, FCD-40)."""
    return TOKEN_GROUPS[token_table].get(seats, ALL_GROUPS)


def takings(groups: Sequence[int], seats: int, cutoff: str) -> list[int]:
    """Tokens that each seat takes, in finishing order: the largest group left, or 0 (FCD-13, FCD-41)."""
    takers = seats
    if cutoff == "fifth_to_last" and seats >= 6:
        takers = min(seats - 5, 4)
    return [groups[place] if place < min(takers, len(groups)) else 0 for place in range(seats)]


def is_passed_to_tokenless(passdown: str, seats: int) -> bool:
    """Whether players without a group receive tokens passed on (FCD-16)."""
    return seats <= 5 if passdown == "auto" else passdown == "true"


def count_right(card: str, answer: str) -> int:
    """Positions where the answer names the card's radius (FCD-17)."""
    return sum(radius == written for radius, written in zip(card, answer, strict=True))


class Check(NamedTuple):
    """What one seat's check gives; `tokens` lay in front of it, `passed` went on or were lost."""

    tokens: int
    points: int
    passed: int
    mark: bool


class Checks(NamedTuple):
    """All checks of a round in checking order, and where the tokens are that scored for nobody."""

    checks: list[Check]
    untaken: int
    lost: int


def check_all(rights: Sequence[int], groups: Sequence[int], options: Options) -> Checks:
    """Check all seats in finishing order; `rights` counts the right numbers of each (FCD-15 to FCD-22)."""
    taken = takings(groups, len(rights), options.cutoff)
    is_open = is_passed_to_tokenless(options.passdown_to_tokenless, len(rights))
    checks, coming, lost = [], 0, 0
    for own, right in zip(taken, rights, strict=True):
        if not own and not is_open:  # FCD-16
            lost += coming
            coming = 0
        tokens = own + coming
        is_perfect = right == CORNERS
        points = tokens if is_perfect else min(right, tokens)
        coming = tokens - points
        checks.append(Check(tokens, points, coming, is_perfect and (tokens > 0 or options.mark_without_tokens)))
    return Checks(checks, sum(groups) - sum(taken), lost + coming)


def is_balanced(points: Sequence[int], untaken: int, lost: int, groups: Sequence[int]) -> bool:
    """Whether every token of a round is accounted for, and nobody scored more than 10 (FCD-24)."""
    return sum(points) + untaken + lost == sum(groups) and max(points) <= 10


def bonuses(marks: Sequence[int], options: Options) -> list[int]:
    """Bonus of each seat: the most marks earn it, all tied leaders too (FCD-25, FCD-26)."""
    most = max(marks)
    if most == 0 and options.bonus_needs_mark:
        return [0] * len(marks)
    return [options.bonus if own == most else 0 for own in marks]


def places_of(scores: Sequence[int]) -> list[int]:
    """Places by score, the highest first; equal scores share one: 1, 1, 3."""
    return [1 + sum(other > score for other in scores) for score in scores]


def winners_of(scores: Sequence[int]) -> list[int]:
    """Seats with the highest score; ties are shared (FCD-27, FCD-35, G-5)."""
    return [seat for seat, score in enumerate(scores) if score == max(scores)]


def is_in_time(at_ms: int, limit_ms: int) -> bool:
    """Whether a call counts: at the very limit it does (FCD-34)."""
    return at_ms <= limit_ms


def is_kept(right: int, at_ms: int, limit_ms: int) -> bool:
    """Whether a card called in a speedrun stays in front of its player (FCD-33, FCD-34)."""
    return right == CORNERS and is_in_time(at_ms, limit_ms)


def speedrun_deck(seats: int, wanted: int) -> int:
    """Cards of each seat's own deck (FCD-31)."""
    return wanted if wanted * seats <= DECK_SIZE else DECK_SIZE // seats


# ------------------------------------------------------------------------------------------------------------
# The table
# ------------------------------------------------------------------------------------------------------------

MAX_FEELS = 200
UNFELT_MS = 15_000  # an answer without a single feel of its card
ANSWERS = len(TUPLES)


@dataclass
class Seat:
    """A seat at work on its cards: it has none in hand, or it decides, or its answer is on its way."""

    number: int
    ahead: list[str]  # cards to be taken up, the next one first
    clock: int = 0  # when it acts next
    card: str | None = None
    taken_up_ms: int = 0
    feels: int = 0  # of the card in hand
    answer: str | None = None
    is_done: bool = False  # of the round or the speedrun
    kept: int = 0  # perfect cards of the speedrun

    @property
    def due(self) -> str:
        """What it does next; empty where its answer arrives."""
        if self.card is None:
            return "take_up"
        return "decision" if self.answer is None else ""


@dataclass
class Table:
    """Cards, box and clocks, and the events that both modes have."""

    seats: int
    options: Options
    reader: Reader
    box: set[str] = field(default_factory=set)
    players: list[Seat] = field(default_factory=list)
    now: int = 0  # time of the latest event

    # -- the cards -------------------------------------------------------------------------------------------

    def _deal(self, size: int) -> list[list[str]]:
        """Shuffle and deal `size` cards to every seat; the rest goes to the box (FCD-5, FCD-6, FCD-31)."""
        found = self.reader.read("shuffle", "FCD-6")
        cards = found.get("cards")
        faults = list(faults_of_cards(cards))
        if faults or not isinstance(cards, list):
            raise DivergenceError(self.reader.sentence(f"shuffle: cards to be {faults[0]}", "FCD-5", cards))
        if self.options.deck != UNIFORM and sorted(cards) != sorted(self.options.deck):
            raise DivergenceError(self.reader.sentence("shuffle: cards to be those of the deck", "FCD-5", cards))
        self.reader.compare({"event": "shuffle", "cards": cards}, found, "FCD-6")
        stacks = [cards[seat * size : (seat + 1) * size] for seat in range(self.seats)]
        box = cards[self.seats * size :]
        self.reader.announce({"event": "deal", "stacks": stacks, "box": box}, "FCD-6, FCD-31, FCD-36")
        self.box = set(box)
        return stacks

    def _take_up(self, seat: Seat, rule: str) -> None:
        """Let a seat take up its next card; if it sees the front, another one replaces it (FCD-11)."""
        card = seat.ahead.pop(0)
        seat.taken_up_ms, seat.feels, seat.answer = seat.clock, 0, None
        self.reader.announce({"event": "take_up", "seat": seat.number, "card": card, "at_ms": seat.clock}, rule)
        is_seen = self.options.peek_slip == 1 or self.reader.ahead("event") == "peek"
        seat.card = self._replacement(seat.number, card) if is_seen else card

    def _replacement(self, seat: int, exposed: str) -> str:
        """Read a peek and return the card that the seat has now; the exposed one leaves play (FCD-11)."""
        if self.options.peek_slip == 0:
            raise self.reader.refusal("no peek: peek_slip is 0", "FCD-11")
        found = self.reader.read("peek", "FCD-11")
        card, allowed = found.get("card"), self.box or {exposed}
        if not isinstance(card, str) or card not in allowed:
            wanted = f"peek of {exposed}: the new card to be one of {', '.join(sorted(allowed))}"
            raise DivergenceError(self.reader.sentence(wanted, "FCD-11", card))
        self.reader.compare({"event": "peek", "seat": seat, "exposed": exposed, "card": card}, found, "FCD-11")
        self.box.discard(card)
        return card

    # -- the clock -------------------------------------------------------------------------------------------

    def _next_seat(self, able: Sequence[Seat], answered: str) -> Seat:
        """Return who acts next: the earliest of the seats, in any order of equally early ones (FCD-9, FCD-13).

        `answered` is the kind of event by which an answer arrives.
        """
        self.now = min(seat.clock for seat in able)
        earliest = {seat.number: seat for seat in able if seat.clock == self.now}
        number = self.reader.ahead("seat")
        if not is_integer(number) or number not in earliest:
            dues = (f"{seat.due or answered} of seat {seat.number}" for seat in earliest.values())
            raise self.reader.refusal(f"{' or '.join(dues)} at {self.now} ms", "FCD-9, FCD-13, the order of time")
        return earliest[number]

    def _decide(self, seat: Seat, limit_ms: float) -> None:
        """Read a decision about the card in hand: a feel, or the answer.

        An answer without a feel takes 15,000 ms from the take-up, any other is written at once. In a speedrun a feel
        that would end after the limit gives nothing and ends the seat's game.
        """
        found = self.reader.read("decision", "section 8")
        choice = found.get("choice")
        can_feel = seat.feels < MAX_FEELS
        corner, answer = corner_of(choice), answer_of(choice)
        if answer is None and (corner is None or not can_feel):
            wanted = f"seat {seat.number} to feel a corner or to write" if can_feel else f"seat {seat.number} to write"
            raise DivergenceError(self.reader.sentence(wanted, "FCD-2, FCD-9, FCD-12", choice))
        due = {"event": "decision", "point": "act", "seat": seat.number, "choice": choice, "at_ms": seat.clock}
        self.reader.compare({**due, "legal": ANSWERS + (CORNERS if can_feel else 0)}, found, "section 8")
        if answer is not None:
            seat.answer = answer
            seat.clock = seat.clock if seat.feels else seat.taken_up_ms + UNFELT_MS
        elif corner is not None:
            self._feel(seat, corner, limit_ms)

    def _feel(self, seat: Seat, corner: int, limit_ms: float) -> None:
        """Read what the finger finds; what it reads and how long it takes is the model's (FCD-S)."""
        if limit_ms < math.inf and self.reader.ahead("event") != "feel":
            seat.is_done = True  # How long it would have taken is the model's, so this must be believed.
            return
        found = self.reader.read("feel", "FCD-9")
        reading, until_ms = found.get("reading"), found.get("until_ms")
        if not is_integer(until_ms) or until_ms <= seat.clock:
            raise DivergenceError(self.reader.sentence(f"feel: until_ms after {seat.clock}", "FCD-9", until_ms))
        if not is_integer(reading):
            self.reader.note(self.reader.sentence("feel: reading to be a whole number", "FCD-S", reading))
        if until_ms > limit_ms:
            raise DivergenceError(self.reader.sentence(f"no feel that ends after {limit_ms}", "FCD-34", until_ms))
        due = {"event": "feel", "seat": seat.number, "corner": corner}
        self.reader.compare({**due, "reading": reading, "until_ms": until_ms}, found, "FCD-9")
        seat.feels += 1
        seat.clock = until_ms


def corner_of(choice: object) -> int | None:
    """Corner that a choice feels, or None if it is no feel."""
    if isinstance(choice, list) and len(choice) == 2 and choice[0] == "feel" and is_integer(choice[1]):
        return choice[1] if 0 <= choice[1] < CORNERS else None
    return None


def answer_of(choice: object) -> str | None:
    """Answer that a choice writes, or None if it writes none (FCD-12)."""
    if isinstance(choice, list) and len(choice) == 2 and choice[0] == "write" and is_card(choice[1]):
        return str(choice[1])
    return None


# ------------------------------------------------------------------------------------------------------------
# The two modes
# ------------------------------------------------------------------------------------------------------------


class Standard(Table):
    """Walks through a game of rounds (RULES.md 1.2, 1.3, 1.6)."""

    def play(self) -> None:
        """Play all rounds, then give the bonus and rank the seats (FCD-25 to FCD-28)."""
        totals, marks = [0] * self.seats, [0] * self.seats
        stacks = self._deal(STACK_SIZE)
        # FCD-8: from the bottom up; the top card is never played.
        self.players = [Seat(seat, stack[:0:-1]) for seat, stack in enumerate(stacks)]
        for number in range(1, self.options.rounds + 1):
            self._play_round(number, totals, marks)
        bonus = bonuses(marks, self.options)
        scores = [total + own for total, own in zip(totals, bonus, strict=True)]
        self.reader.announce(
            {
                "event": "game_end",
                "status": "finished",
                "points": totals,
                "bonus": bonus,
                "scores": scores,
                "marks": marks,
                "kept": [0] * self.seats,
                "places": places_of(scores),
                "winners": winners_of(scores),
            },
            "FCD-25 to FCD-28",
        )

    def _play_round(self, number: int, totals: list[int], marks: list[int]) -> None:
        """Lay out the groups, let everybody feel and write, check (FCD-7 to FCD-24); totals and marks grow."""
        groups = token_groups(self.options.token_table, self.seats)
        self.reader.announce({"event": "round", "round": number, "groups": groups}, "FCD-7, FCD-23, FCD-40")
        for seat in self.players:
            seat.clock, seat.is_done = 0, False
            self._take_up(seat, "FCD-8, FCD-9")
        order = self._finish_all(takings(groups, self.seats, self.options.cutoff))
        self._check_all(order, groups, totals, marks)
        for seat in order:  # FCD-23; an exposed card left play (FCD-11)
            self.box.add(str(seat.card))
            seat.card = None

    def _finish_all(self, taken: Sequence[int]) -> list[Seat]:
        """Let all seats feel and write, and return them in finishing order (FCD-13, FCD-14, FCD-42)."""
        order: list[Seat] = []
        while len(order) < self.seats:
            seat = self._next_seat([seat for seat in self.players if not seat.is_done], "finish")
            if seat.due == "decision":
                self._decide(seat, math.inf)
                continue
            due = {"event": "finish", "seat": seat.number, "answer": seat.answer, "at_ms": seat.clock}
            rule = "FCD-12, FCD-13, FCD-41"
            self.reader.announce({**due, "place": len(order) + 1, "tokens": taken[len(order)]}, rule)
            seat.is_done = True
            order.append(seat)
        return order

    def _check_all(self, order: Sequence[Seat], groups: Sequence[int], totals: list[int], marks: list[int]) -> None:
        """Check in finishing order and add the points and marks up (FCD-14 to FCD-24)."""
        rights = [count_right(str(seat.card), str(seat.answer)) for seat in order]
        result = check_all(rights, groups, self.options)
        points = [0] * self.seats
        for seat, right, check in zip(order, rights, result.checks, strict=True):
            due = {"event": "check", "seat": seat.number, "card": seat.card, "answer": seat.answer, "correct": right}
            self.reader.announce({**due, **check._asdict()}, "FCD-15 to FCD-22")
            points[seat.number] = check.points
            totals[seat.number] += check.points
            marks[seat.number] += check.mark
        if not is_balanced(points, result.untaken, result.lost, groups):
            raise DivergenceError(self.reader.sentence("no token to appear or vanish", "FCD-24", points))
        self.reader.announce(
            {
                "event": "round_end",
                "points": points,
                "totals": totals,
                "marks": marks,
                "untaken": result.untaken,
                "lost": result.lost,
            },
            "FCD-18 to FCD-24",
        )


class Speedrun(Table):
    """Walks through a speedrun (RULES.md 1.4)."""

    def play(self) -> None:
        """Let every seat work through its own deck, then rank the seats by kept cards (FCD-30 to FCD-36)."""
        stacks = self._deal(speedrun_deck(self.seats, self.options.speedrun_deck))
        self.players = [Seat(seat, list(stack)) for seat, stack in enumerate(stacks)]
        while able := self._able():
            seat = self._next_seat(able, "call")
            if seat.due == "take_up":
                self._take_up(seat, "FCD-32, FCD-36")
            elif seat.due == "decision":
                self._decide(seat, self.options.limit_ms)
            else:
                self._call(seat)
        kept, none = [seat.kept for seat in self.players], [0] * self.seats
        self.reader.announce(
            {
                "event": "game_end",
                "status": "finished",
                "points": none,
                "bonus": none,
                "scores": kept,
                "marks": none,
                "kept": kept,
                "places": places_of(kept),
                "winners": winners_of(kept),
            },
            "FCD-30, FCD-35",
        )

    def _able(self) -> list[Seat]:
        """Seats that act now or later; one that may stop does so unless the next event is its own."""
        actor = self.reader.ahead("seat")
        return [
            seat
            for seat in self.players
            if not seat.is_done
            and (seat.card is not None or seat.ahead)
            and (not self._may_stop(seat) or (is_same(seat.number, actor) and seat.clock >= self.now))
        ]

    def _may_stop(self, seat: Seat) -> bool:
        """Whether a seat at the very limit has not felt its card: nothing that it begins can count (FCD-34)."""
        is_unfelt = seat.card is None or (seat.answer is None and not seat.feels)
        return is_unfelt and seat.clock == self.options.limit_ms

    def _call(self, seat: Seat) -> None:
        """Read a call: a perfect card called in time is kept, any other is removed (FCD-33, FCD-34)."""
        right = count_right(str(seat.card), str(seat.answer))
        counts = is_in_time(seat.clock, self.options.limit_ms)
        kept = is_kept(right, seat.clock, self.options.limit_ms)
        due = {"event": "call", "seat": seat.number, "card": seat.card, "answer": seat.answer, "at_ms": seat.clock}
        self.reader.announce({**due, "correct": right, "counts": counts, "kept": kept}, "FCD-33, FCD-34")
        seat.kept += kept
        seat.card = seat.answer = None
        seat.is_done = not counts


# ------------------------------------------------------------------------------------------------------------
# Doors
# ------------------------------------------------------------------------------------------------------------


def judge(transcript: object) -> list[str]:
    """Replay a transcript of Four Corner Detective from the rules alone and return every difference as a sentence.

    An empty list means that every event follows from RULES.md section 1. Judging ends at the first difference that
    makes the rest meaningless. Never raises, whatever the document holds.
    """
    if not isinstance(transcript, dict):
        return [f"document: a transcript is an object, found {show(transcript)}"]
    faults = list(faults_of_document(transcript, GAME, (SEATS_FEWEST, SEATS_MOST), "FCD-6", is_skills))
    raw, seats, events = transcript.get("options"), transcript.get("seats"), transcript.get("events")
    if isinstance(raw, dict):
        faults += faults_of_options(raw)
    if faults or not isinstance(raw, dict) or not is_integer(seats) or not isinstance(events, list):
        return faults
    deck = raw["deck"] if raw["deck"] == UNIFORM else tuple(raw["deck"])
    options = Options(**{**raw, "deck": deck})
    reader = Reader(events)
    table = Speedrun(seats, options, reader) if options.mode == "speedrun" else Standard(seats, options, reader)
    try:
        table.play()
        reader.finish()
    except DivergenceError as stop:
        reader.differences.append(str(stop))
    return reader.differences


def is_skills(value: object) -> bool:
    """Whether a value is the skills of an entrant: a positive touch_ms, an acuity, inexperienced as 0 or 1."""
    if not isinstance(value, dict) or set(value) != {"touch_ms", "acuity", "inexperienced"}:
        return False
    if not all(type(number) in (int, float, bool) for number in value.values()):
        return False
    return 0 < value["touch_ms"] < math.inf and 0 <= value["acuity"] < math.inf and value["inexperienced"] in (0, 1)
