"""Referee of Vierer: replays a transcript from RULES.md section 5 alone and names every difference.

The referee shares no line with the engine. It keeps the whole table itself and takes from a transcript only
what no rule can know: the outcomes of chance (first start seat, shuffled orders, order of attempts) and the
decisions. Every other event is predicted and compared.

The path of a game: `judge` checks the document, `Referee.play` walks through the rules, and at each event
turns to its `Source`. The source of a judgement is `Reader`, which compares with the transcript; a test may
put a source in its place that makes the choices itself and so writes a transcript.

The document is described in docs/transcripts.md, its reading is in `tests.referee.reading`.
"""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal, NamedTuple, Protocol

from tests.referee import reading
from tests.referee.reading import DivergenceError, Event, faults_of_document, is_integer, is_same, judge_files, show

Choice = str | tuple[int, ...]

GAME = "vierer"
SEATS_FEWEST, SEATS_MOST = 2, 8  # VIE-3


# ------------------------------------------------------------------------------------------------------------
# The cards, their points and what matches (VIE-1, VIE-2, VIE-19)
# ------------------------------------------------------------------------------------------------------------

RANKS = (*(str(number) for number in range(1, 11)), "X", "Y", "Z")
COLOURS = ("orange", "pink", "green", "blue")
Z_PICTURE = ("orange", "pink")  # 10 points, and the special of VIE-14
Z_MINUS_ONE = ("green", "blue")


class Card(NamedTuple):
    """A card as the deck names it: its rank label and its colour."""

    rank: str
    colour: str

    @property
    def is_minus_one(self) -> bool:
        """Whether this is a Z worth -1 (VIE-2)."""
        return self.rank == "Z" and self.colour in Z_MINUS_ONE

    @property
    def points(self) -> int:
        """Points of the card: face value, picture cards 10, green and blue Z -1 (VIE-2)."""
        if self.is_minus_one:
            return -1
        return 10 if self.rank in ("X", "Y", "Z") else int(self.rank)


def parse_card(name: object) -> Card | None:
    """Card written as `"RANK COLOUR"`, or None where VIE-2 gives that text no value."""
    if not isinstance(name, str):
        return None
    rank, _, colour = name.partition(" ")
    if rank not in RANKS or not colour or " " in colour:
        return None
    if rank == "Z" and colour not in COLOURS:
        return None
    return Card(rank, colour)


def is_match(thrown: Card, top: Card, match_by: str) -> bool:
    """Whether `thrown` matches the top discard by rank label, by points, or by either of them (VIE-19)."""
    has_rank, has_points = thrown.rank == top.rank, thrown.points == top.points
    return {"rank": has_rank, "points": has_points, "either": has_rank or has_points}[match_by]


# ------------------------------------------------------------------------------------------------------------
# Options (RULES.md section 7)
# ------------------------------------------------------------------------------------------------------------

WORDS = {
    "match_by": ("rank", "points", "either"),
    "give": ("optional", "forced", "never"),
    "window": ("both", "after_discard"),
    "stock_empty": ("reshuffle", "end_round"),
    "tie": ("knocker_wins", "knocker_loses"),
    "z_bonus": ("hand", "always"),
    "resets": ("unlimited", "once", "never"),
}
FLAGS = (
    "initial_discard",
    "taken_face_up",
    "late_penalty",
    "illegal_penalty",
    "lock_knocker",
    "empty_ends_round",
)
NUMBERS: dict[str, tuple[float, float]] = {
    "min_turns_before_knock": (0, math.inf),
    "max_turns": (1, math.inf),
    "max_rounds": (1, math.inf),
    "limit": (10, 1000),
    "reset_at": (0, 1000),
    "reset_to": (0, 1000),
    "knock_bonus": (-100, 0),
    "knock_penalty": (0, 100),
    "hand_size": (2, 6),
    "peek": (0, 6),
}
DEFAULT_DECK = tuple(Card(rank, colour) for colour in COLOURS for rank in RANKS)


@dataclass(frozen=True)
class Options:
    """Options and numbers of the game; the defaults are those of RULES.md section 7."""

    deck: tuple[Card, ...] = DEFAULT_DECK
    initial_discard: bool = True
    taken_face_up: bool = False
    match_by: str = "rank"
    give: str = "optional"
    window: str = "both"
    late_penalty: bool = False
    illegal_penalty: bool = False
    stock_empty: str = "reshuffle"
    tie: str = "knocker_wins"
    lock_knocker: bool = False
    z_bonus: str = "hand"
    resets: str = "unlimited"
    empty_ends_round: bool = False
    min_turns_before_knock: int = 0
    max_turns: int = 200
    max_rounds: int = 1000
    limit: int = 100
    reset_at: int = 100
    reset_to: int = 50
    knock_bonus: int = -10
    knock_penalty: int = 30
    hand_size: int = 4
    peek: int = 2

    @property
    def has_resets(self) -> bool:
        """Whether any total can be reset (VIE-37: `reset_at` 0 is off, above the limit it is void)."""
        return self.resets != "never" and 0 < self.reset_at <= self.limit


def faults_of_options(raw: Mapping[str, object]) -> Iterator[str]:
    """Every option that is missing, unknown or out of its bounds (RULES.md section 7), as a sentence."""
    known = {option.name for option in fields(Options)}
    yield from (f"options: {name} is missing" for name in sorted(known - raw.keys()))
    yield from (f"options: {show(name)} is no option of Vierer" for name in raw if name not in known)
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
    yield from faults_of_deck(raw.get("deck"))


def faults_of_deck(raw: object) -> Iterator[str]:
    """Every entry of the deck that is no card (VIE-1)."""
    if not isinstance(raw, list):
        yield f"options: deck is a list of cards (VIE-1), found {show(raw)}"
        return
    for index, name in enumerate(raw):
        if parse_card(name) is None:
            yield f"options: deck[{index}] is no card of VIE-1, VIE-2: {show(name)}"


def faults_between_options(options: Options, seats: int) -> Iterator[str]:
    """Every option that does not fit another one."""
    if options.peek > options.hand_size:
        yield f"options: peek is at most hand_size = {options.hand_size}, found {options.peek}"
    if options.has_resets and options.reset_to > options.limit:
        yield f"options: reset_to is at most limit = {options.limit} (VIE-37), found {options.reset_to}"
    needed = seats * options.hand_size + (1 if options.initial_discard else 0)
    if len(options.deck) < needed:
        yield f"options: the deal needs {needed} cards (VIE-4, VIE-5), the deck has {len(options.deck)}"


# ------------------------------------------------------------------------------------------------------------
# Scoring (VIE-32 to VIE-39, VIE-6): pure functions
# ------------------------------------------------------------------------------------------------------------


def hand_sum(hand: Sequence[Card]) -> int:
    """Sum of a hand's points; an empty hand sums to 0 (VIE-2, VIE-17, VIE-32)."""
    return sum(card.points for card in hand)


def is_knock_successful(sums: Sequence[int], knocker: int, tie: str) -> bool:
    """Whether nobody has a lower sum than the knocker; the option `tie` decides equal sums (VIE-33)."""
    others = min(total for seat, total in enumerate(sums) if seat != knocker)
    return sums[knocker] < others or (sums[knocker] == others and tie == "knocker_wins")


def round_points(
    sums: Sequence[int],
    minus_ones: Sequence[int],
    knocker: int | None,
    success: bool | None,
    options: Options,
) -> list[int]:
    """Change of every total by a round, before VIE-37.

    `minus_ones[s]` counts the Z worth -1 in front of seat s. With `z_bonus = always` each of them takes 1 off
    in any case and counts 0 in the points then added (VIE-35). Without a knocker everybody adds his own sum
    (VIE-28).
    """
    points = []
    for seat, total in enumerate(sums):
        bonus = minus_ones[seat] if options.z_bonus == "always" else 0
        added = total + bonus
        if seat == knocker:  # VIE-33, VIE-34
            added = options.knock_bonus if success else options.knock_penalty
        elif knocker is not None and not success:  # VIE-34: all others unchanged
            added = 0
        points.append(added - bonus)
    return points


def seats_to_reset(totals: Sequence[int], reset_before: frozenset[int], options: Options) -> list[int]:
    """Seats whose total is exactly `reset_at` and may be reset (VIE-37); `once` is per seat and game."""
    if not options.has_resets:
        return []
    spent = reset_before if options.resets == "once" else frozenset()
    return [seat for seat, total in enumerate(totals) if total == options.reset_at and seat not in spent]


def next_starter(points: Sequence[int], origin: int) -> int:
    """Loser of a round, who starts the next one (VIE-6).

    He is the seat whose total grew most; of equals the first to the left of `origin`, `origin` itself last.
    Origin is the knocker, or without one the seat that had the last turn.
    """
    return next(seat for seat in left_of(origin, len(points)) if points[seat] == max(points))


class Standing(NamedTuple):
    """Outcome of a game: places seat by seat, seats that won, seats that lost."""

    places: list[int]
    winners: list[int]
    losers: list[int]


def standing(totals: Sequence[int], limit: int) -> Standing:
    """Places by total (1, 1, 3), winners with the lowest total, losers above the limit (VIE-38, VIE-39)."""
    return Standing(
        [1 + sum(other < total for other in totals) for total in totals],
        [seat for seat, total in enumerate(totals) if total == min(totals)],
        [seat for seat, total in enumerate(totals) if total > limit],
    )


def left_of(seat: int, seats: int) -> list[int]:
    """All seats clockwise, beginning at the left of `seat` and ending with it (G-1)."""
    return [(seat + step) % seats for step in range(1, seats + 1)]


# ------------------------------------------------------------------------------------------------------------
# The table
# ------------------------------------------------------------------------------------------------------------


class Source(Protocol):
    """Where a game's chance and decisions come from, and where its events go."""

    def announce(self, expected: Event, rule: str) -> None:
        """Take note of an event that follows from the rules; `rule` names them."""

    def start_seat(self, seats: int) -> int:
        """Return the seat that starts round 1 (VIE-6); this is the event `round`."""

    def order(self, kind: str, key: str, pool: Sequence[int], rule: str) -> list[int]:
        """Return a random order of `pool`; this is the event `kind` with the order under `key`."""

    def decide(self, point: str, seat: int, legal: Sequence[Choice], fined: Sequence[Choice], rule: str) -> Choice:
        """Return the choice of `seat`, one of `legal` or `fined` (VIE-26); this is the event `decision`."""


@dataclass
class Round:
    """Everything that lies on the table in one round; cards are indices of the deck."""

    seats: int
    number: int
    first_seat: int
    stock: list[int]  # the top card is the first
    discards: list[int] = field(default_factory=list)  # the top card is the last
    hands: list[dict[int, int]] = field(default_factory=list)  # by seat: slot -> card
    drawn: list[int] = field(default_factory=list)  # the card in the hand of the seat in turn, if any
    turn: int = 0
    turns_completed: list[int] = field(default_factory=list)  # by seat
    knocker: int | None = None
    turns_left: list[int] = field(default_factory=list)  # seats still to move after a knock
    has_stock_failed: bool = False  # VIE-27 with `end_round`: the round ends after this turn

    def __post_init__(self) -> None:
        """Lay out empty hands."""
        self.hands = [{} for _ in range(self.seats)]
        self.turns_completed = [0] * self.seats

    def slots(self, seat: int) -> list[int]:
        """Slots of `seat` in which a card lies, lowest first."""
        return sorted(self.hands[seat])

    def empty_slot(self, seat: int) -> int:
        """Lowest slot of `seat` without a card: an emptied one, else the next beside the others (VIE-25)."""
        return next(slot for slot in range(len(self.hands[seat]) + 1) if slot not in self.hands[seat])

    def cards(self) -> list[int]:
        """All cards wherever they are, sorted (for P-2)."""
        in_hands = [card for hand in self.hands for card in hand.values()]
        return sorted([*self.stock, *self.discards, *self.drawn, *in_hands])


SPECIAL_OWN = ("7", "8")
SPECIAL_SPY = ("9", "10")
SPECIAL_TRADE = ("X", "Y")


class Referee:
    """Walks through a whole game by RULES.md sections 5 and 8, event by event."""

    def __init__(self, seats: int, options: Options, source: Source) -> None:
        """Sit down at a table of `seats` seats."""
        self.seats = seats
        self.options = options
        self.source = source
        self.totals = [0] * seats
        self.reset_before: frozenset[int] = frozenset()
        self.round = Round(seats, 0, 0, list(range(len(options.deck))))

    # -- the game --------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Play rounds until a total is above the limit (VIE-38) or `max_rounds` were played (VIE-40)."""
        first_seat: int | None = None
        for number in range(1, self.options.max_rounds + 1):
            first_seat = self._play_round(number, first_seat)
            if max(self.totals) > self.options.limit:
                self._end_game("finished", "VIE-38, VIE-39")
                return
        self._end_game("capped", "VIE-40")

    def _end_game(self, status: Literal["finished", "capped"], rule: str) -> None:
        """Announce the end, the places, winners and losers (VIE-38 to VIE-40)."""
        places, winners, losers = standing(self.totals, self.options.limit)
        self._announce(
            {
                "event": "game_end",
                "status": status,
                "totals": list(self.totals),
                "places": places,
                "winners": winners,
                "losers": losers,
            },
            rule,
        )

    # -- the round -------------------------------------------------------------------------------------------

    def _play_round(self, number: int, first_seat: int | None) -> int:
        """Play one round, score it, and return the seat that starts the next one (VIE-6)."""
        self._begin_round(number, first_seat)
        seat = self.round.first_seat
        while True:
            self._play_turn(seat)
            reason = self._round_end_reason()
            if reason is not None:
                return self._score_round(reason, last_seat=seat)
            seat = self.round.turns_left.pop(0) if self.round.turns_left else left_of(seat, self.seats)[0]

    def _begin_round(self, number: int, first_seat: int | None) -> None:
        """Shuffle, deal, let everybody look at his near cards, turn up the first discard (VIE-4 to VIE-6)."""
        self.round = Round(self.seats, number, 0, list(range(len(self.options.deck))))
        if first_seat is None:
            self.round.first_seat = self.source.start_seat(self.seats)
        else:
            self.round.first_seat = first_seat
            self._announce({"event": "round", "round": number, "first_seat": first_seat, "chance": False}, "VIE-6")
        self.round.stock = self._order("shuffle", "stock", self.round.stock, "VIE-4")
        self._deal()
        if self.options.initial_discard:
            card = self.round.stock.pop(0)
            self.round.discards.append(card)
            self._announce({"event": "turn_up", "card": card}, "VIE-5")

    def _deal(self) -> None:
        """Deal every seat its cards in one go, then show everybody the first `peek` of his own (VIE-4)."""
        size, stock = self.options.hand_size, self.round.stock
        dealt = [stock[seat * size : (seat + 1) * size] for seat in range(self.seats)]
        self.round.hands = [dict(enumerate(hand)) for hand in dealt]
        del stock[: self.seats * size]
        self._announce({"event": "deal", "hands": dealt}, "VIE-4")
        for seat in range(self.seats):
            for slot in range(self.options.peek):
                self._look(seat, seat, slot, "VIE-4")

    def _round_end_reason(self) -> str | None:
        """Why the round ends after the turn just completed, or None.

        An empty stock (VIE-27) makes an earlier knock void; the last turn after a knock (VIE-30) comes before
        the limit of turns (VIE-28), which makes any other knock void.
        """
        if self.round.has_stock_failed:
            return "stock"
        if self.round.knocker is not None and not self.round.turns_left:
            return "knock"
        return "max_turns" if self.round.turn >= self.options.max_turns else None

    def _score_round(self, reason: str, last_seat: int) -> int:
        """Turn up all cards, change the totals (VIE-32 to VIE-37), and return who starts next (VIE-6)."""
        deck, options = self.options.deck, self.options
        hands = [[[slot, hand[slot]] for slot in sorted(hand)] for hand in self.round.hands]
        cards = [[deck[card] for card in hand.values()] for hand in self.round.hands]
        knocker = self.round.knocker if reason == "knock" else None
        sums = [hand_sum(hand) for hand in cards]
        success = None if knocker is None else is_knock_successful(sums, knocker, options.tie)
        minus_ones = [sum(card.is_minus_one for card in hand) for hand in cards]
        points = round_points(sums, minus_ones, knocker, success, options)
        self.totals = [total + change for total, change in zip(self.totals, points, strict=True)]
        resets = seats_to_reset(self.totals, self.reset_before, options)
        self.reset_before |= frozenset(resets)
        for seat in resets:
            self.totals[seat] = options.reset_to
        self._announce(
            {
                "event": "round_end",
                "reason": reason,
                "knocker": knocker,
                "success": success,
                "hands": hands,
                "sums": sums,
                "points": points,
                "resets": resets,
                "totals": list(self.totals),
            },
            "VIE-27, VIE-28, VIE-30, VIE-32 to VIE-37",
        )
        return next_starter(points, last_seat if knocker is None else knocker)

    # -- the turn --------------------------------------------------------------------------------------------

    def _play_turn(self, seat: int) -> None:
        """Play one turn: window, draw, discard and special, window, knock (RULES.md section 8)."""
        self.round.turn += 1
        self._announce({"event": "turn", "turn": self.round.turn, "seat": seat}, "VIE-7")
        has_thrown = False
        if self.options.window == "both" and self.round.discards:  # VIE-23
            has_thrown = self._hold_window("start", seat)
        has_discarded = self._draw_and_discard(seat)
        if has_discarded and not has_thrown:  # VIE-21: one right throw per turn
            self._hold_window("end", seat)
        if not self.round.has_stock_failed:  # VIE-27: nobody is asked to knock in such a turn
            self._offer_knock(seat)
        self.round.turns_completed[seat] += 1

    def _draw_and_discard(self, seat: int) -> bool:
        """Carry out steps 1 to 3 of a turn; return whether a card was discarded."""
        if self.options.stock_empty == "end_round" and not self.round.stock:
            self.round.has_stock_failed = True
        sources: list[Choice] = []
        if self.round.discards and self.round.hands[seat]:  # VIE-8
            sources.append("discard")
        if self._has_stock_card():
            sources.append("stock")
        if not sources:
            return False
        if self._ask("draw", seat, sources, "VIE-7, VIE-8, VIE-27") == "discard":
            self._take_discard(seat)
        else:
            self._take_stock(seat)
        return True

    def _take_discard(self, seat: int) -> None:
        """Swap the top discard with an own card (VIE-8)."""
        card = self.round.discards.pop()
        self.round.drawn = [card]
        self._announce({"event": "draw", "seat": seat, "source": "discard", "card": card}, "VIE-7, VIE-8")
        choice = self._ask("swap", seat, [(slot,) for slot in self.round.slots(seat)], "VIE-8")
        self._place(seat, numbers(choice)[0], "VIE-8")

    def _take_stock(self, seat: int) -> None:
        """Draw the top stock card, then swap it (VIE-9) or discard it for its special (VIE-10)."""
        card = self._pop_stock()
        self.round.drawn = [card]
        self._announce({"event": "draw", "seat": seat, "source": "stock", "card": card}, "VIE-7, VIE-27")
        slots: list[Choice] = [(slot,) for slot in self.round.slots(seat)]
        choice = self._ask("keep", seat, ["throw_away", *slots], "VIE-9, VIE-10")
        if choice != "throw_away":
            self._place(seat, numbers(choice)[0], "VIE-9")
            return
        self.round.drawn = []
        self.round.discards.append(card)
        self._announce({"event": "throw_away", "seat": seat, "card": card}, "VIE-10")
        self._offer_special(seat, self.options.deck[card])

    def _place(self, seat: int, slot: int, rule: str) -> None:
        """Lay the drawn card into an own slot and the card from there on the discard pile (VIE-8, VIE-9)."""
        card, out = self.round.drawn.pop(), self.round.hands[seat][slot]
        self.round.hands[seat][slot] = card
        self.round.discards.append(out)
        self._announce({"event": "place", "seat": seat, "slot": slot, "card": card, "out": out}, rule)

    def _offer_knock(self, seat: int) -> None:
        """Count an empty hand as a knock (VIE-17), or let the seat in turn knock (VIE-29)."""
        if self.round.knocker is not None:
            return
        empty = [other for other in self._from(seat) if not self.round.hands[other]]
        if self.options.empty_ends_round and empty:
            self._knock(empty[0], seat, counted=True)
            return
        may_knock = self.round.turns_completed[seat] >= self.options.min_turns_before_knock
        if self._ask("knock", seat, ["no", "yes"] if may_knock else ["no"], "VIE-29") == "yes":
            self._knock(seat, seat, counted=False)

    def _knock(self, knocker: int, seat: int, counted: bool) -> None:
        """Give every seat but the knocker one more turn, from the left of the seat in turn (VIE-30)."""
        self.round.knocker = knocker
        self.round.turns_left = [other for other in left_of(seat, self.seats) if other != knocker]
        rule = "VIE-17" if counted else "VIE-29"
        self._announce({"event": "knock", "seat": knocker, "counted": counted}, rule)

    # -- specials --------------------------------------------------------------------------------------------

    def _offer_special(self, seat: int, card: Card) -> None:
        """Let the seat use the special of the card that it discarded directly (VIE-10 to VIE-15)."""
        if card.rank in SPECIAL_OWN:
            self._special_look(seat, [(seat, slot) for slot in self.round.slots(seat)], "VIE-11")
        elif card.rank in SPECIAL_SPY:
            self._special_look(seat, self._foreign_cards(seat), "VIE-12")
        elif card.rank in SPECIAL_TRADE:
            self._special_trade(seat)
        elif card.rank == "Z" and card.colour in Z_PICTURE:
            target = self._special_look(seat, self._foreign_cards(seat), "VIE-14")
            if target is not None:
                self._offer_take(seat, target)

    def _special_look(self, seat: int, targets: Sequence[tuple[int, int]], rule: str) -> tuple[int, int] | None:
        """Let the seat look at one of `targets`; return it, or None (VIE-11, VIE-12, VIE-14)."""
        # A choice among own cards is written as its slot alone.
        choices: list[Choice] = [(slot,) if owner == seat else (owner, slot) for owner, slot in targets]
        choice = self._ask("special", seat, ["decline", *choices], rule)
        if choice == "decline":
            return None
        target = targets[choices.index(choice)]
        self._look(seat, *target, rule)
        return target

    def _special_trade(self, seat: int) -> None:
        """Let the seat swap an own card with an opponent's, both unseen (VIE-13)."""
        foreign = self._foreign_cards(seat)
        choices: list[Choice] = [(slot, *target) for slot in self.round.slots(seat) for target in foreign]
        choice = self._ask("special", seat, ["decline", *choices], "VIE-13")
        if choice != "decline":
            slot, other, other_slot = numbers(choice)
            self._trade(seat, slot, other, other_slot, "VIE-13")

    def _offer_take(self, seat: int, target: tuple[int, int]) -> None:
        """Let the seat swap the card that it has looked at with an own one (VIE-14)."""
        slots: list[Choice] = [(slot,) for slot in self.round.slots(seat)]
        choice = self._ask("take", seat, ["leave", *slots], "VIE-14")
        if choice != "leave":
            self._trade(seat, numbers(choice)[0], *target, "VIE-14")

    def _look(self, seat: int, owner: int, slot: int, rule: str) -> None:
        """Show one card to one seat."""
        card = self.round.hands[owner][slot]
        self._announce({"event": "look", "seat": seat, "owner": owner, "slot": slot, "card": card}, rule)

    def _trade(self, seat: int, slot: int, other: int, other_slot: int, rule: str) -> None:
        """Let two cards change places, unseen."""
        mine, theirs = self.round.hands[seat], self.round.hands[other]
        mine[slot], theirs[other_slot] = theirs[other_slot], mine[slot]
        self._announce({"event": "trade", "seat": seat, "slot": slot, "other": other, "other_slot": other_slot}, rule)

    # -- throws ----------------------------------------------------------------------------------------------

    def _hold_window(self, window: str, seat_in_turn: int) -> bool:
        """Let every seat throw; return whether a throw was right (VIE-18 to VIE-26).

        All seats decide before the first throw is carried out. The attempts follow in a random order until
        one is right; the rest are void.
        """
        self._announce({"event": "window", "window": window}, "VIE-23")
        wishes: dict[int, tuple[int, ...]] = {}
        for seat in self._from(seat_in_turn):
            legal, fined = self._throws(seat, seat_in_turn)
            choice = self._ask("throw", seat, legal, "VIE-20, VIE-23, VIE-31", fined)
            if choice != "pass":
                wishes[seat] = numbers(choice)
        if not wishes:
            return False
        order = self._order("attempts", "order", list(wishes), "VIE-24")
        for place, thrower in enumerate(order):
            owner, slot = wishes[thrower]
            if self._throw(thrower, owner, slot, is_barred=thrower == owner == seat_in_turn):
                self._fine_late(order[place + 1 :])
                self._offer_give(thrower, owner, slot)
                return True
            self._pay_penalty(thrower)
        return False

    def _throws(self, seat: int, seat_in_turn: int) -> tuple[list[Choice], list[Choice]]:
        """Legal choices of `seat` in a window, and those that VIE-26 lets it make for a penalty card."""
        own: list[Choice] = [(seat, slot) for slot in self._free_slots(seat)]
        legal: list[Choice] = ["pass", *self._foreign_cards(seat)]
        if seat != seat_in_turn:  # VIE-20
            return legal + own, []
        return legal, own if self.options.illegal_penalty else []

    def _throw(self, seat: int, owner: int, slot: int, is_barred: bool) -> bool:
        """Carry out one attempt and return whether it is right; a barred one never is (VIE-26)."""
        card = self.round.hands[owner][slot]
        top, deck = self.round.discards[-1], self.options.deck
        right = not is_barred and is_match(deck[card], deck[top], self.options.match_by)
        if right:
            del self.round.hands[owner][slot]
            self.round.discards.append(card)
        rule = "VIE-26" if is_barred else "VIE-18, VIE-19, VIE-25"
        self._announce(
            {"event": "throw", "seat": seat, "owner": owner, "slot": slot, "card": card, "right": right}, rule
        )
        return right

    def _fine_late(self, late: Sequence[int]) -> None:
        """Lay a penalty card to every seat whose attempt came too late, if that is fined (VIE-24)."""
        if self.options.late_penalty:
            for seat in late:
                self._pay_penalty(seat)

    def _offer_give(self, thrower: int, owner: int, slot: int) -> None:
        """Let the thrower of an opponent's card lay an own one into the slot that is empty now (VIE-22)."""
        gifts: list[Choice] = [(own_slot,) for own_slot in self._free_slots(thrower)]
        if owner == thrower or not gifts or self.options.give == "never":
            return
        legal = gifts if self.options.give == "forced" else ["none", *gifts]
        choice = self._ask("give", thrower, legal, "VIE-22")
        if choice == "none":
            return
        own_slot = numbers(choice)[0]
        # A late penalty card may lie in that slot by now; then the gift goes where such a card would go.
        owner_slot = slot if slot not in self.round.hands[owner] else self.round.empty_slot(owner)
        self.round.hands[owner][owner_slot] = self.round.hands[thrower].pop(own_slot)
        self._announce(
            {"event": "give", "seat": thrower, "slot": own_slot, "owner": owner, "owner_slot": owner_slot},
            "VIE-22",
        )

    def _pay_penalty(self, seat: int) -> None:
        """Lay a penalty card to a seat, seen by nobody (VIE-25); with no stock card, VIE-27 holds."""
        if not self._has_stock_card():
            self.round.has_stock_failed = self.options.stock_empty == "end_round"
            self._announce({"event": "no_penalty", "seat": seat}, "VIE-25, VIE-27")
            return
        card = self._pop_stock()
        slot = self.round.empty_slot(seat)
        self.round.hands[seat][slot] = card
        self._announce({"event": "penalty", "seat": seat, "slot": slot, "card": card}, "VIE-24 to VIE-26")

    # -- the stock -------------------------------------------------------------------------------------------

    def _has_stock_card(self) -> bool:
        """Whether a stock card can be had, by a reshuffle if need be (VIE-27)."""
        can_reshuffle = self.options.stock_empty == "reshuffle" and len(self.round.discards) >= 2
        return bool(self.round.stock) or can_reshuffle

    def _pop_stock(self) -> int:
        """Take the top stock card; reshuffle all discards but the top one first if there is none (VIE-27)."""
        if not self.round.stock:
            self.round.stock = self._order("reshuffle", "stock", self.round.discards[:-1], "VIE-27")
            del self.round.discards[:-1]
        return self.round.stock.pop(0)

    # -- what a seat may touch -------------------------------------------------------------------------------

    def _free_slots(self, seat: int) -> list[int]:
        """Slots whose cards may be touched: all, but none of a knocker whose cards are locked (VIE-31)."""
        if self.options.lock_knocker and seat == self.round.knocker:
            return []
        return self.round.slots(seat)

    def _foreign_cards(self, seat: int) -> list[tuple[int, int]]:
        """Every (opponent, slot) that `seat` may touch (VIE-13: an opponent is any other player)."""
        others = [other for other in range(self.seats) if other != seat]
        return [(other, slot) for other in others for slot in self._free_slots(other)]

    def _from(self, seat: int) -> list[int]:
        """All seats clockwise, beginning with `seat` (G-1)."""
        return [seat, *left_of(seat, self.seats)[:-1]]

    # -- the source ------------------------------------------------------------------------------------------

    def _ask(self, point: str, seat: int, legal: Sequence[Choice], rule: str, fined: Sequence[Choice] = ()) -> Choice:
        """Let a seat decide; a decision with one legal alternative is not asked (RULES.md section 8)."""
        if len(legal) == 1:
            return legal[0]
        choice = self.source.decide(point, seat, legal, fined, rule)
        self._conserve()
        return choice

    def _announce(self, expected: Event, rule: str) -> None:
        """Announce an event that has just been carried out."""
        self.source.announce(expected, rule)
        self._conserve()

    def _order(self, kind: str, key: str, pool: Sequence[int], rule: str) -> list[int]:
        """Let chance order `pool`."""
        order = self.source.order(kind, key, pool, rule)
        self._conserve()
        return order

    def _conserve(self) -> None:
        """Stop if hands, stock and discards are no longer the whole deck (P-2)."""
        if self.round.cards() != list(range(len(self.options.deck))):
            raise DivergenceError(
                f"round {self.round.number}, turn {self.round.turn}: the deck is not whole any more (P-2)"
            )


# ------------------------------------------------------------------------------------------------------------
# Comparing with a transcript
# ------------------------------------------------------------------------------------------------------------


class Reader(reading.Reader):
    """Source that reads chance and decisions from a transcript and notes every difference from the rules."""

    def start_seat(self, seats: int) -> int:
        """Read the event `round` of the first round (VIE-6)."""
        found = self.read("round", "VIE-6")
        seat = found.get("first_seat")
        if not is_integer(seat) or not 0 <= seat < seats:
            raise DivergenceError(self.sentence(f"a first_seat in 0..{seats - 1}", "VIE-6", seat))
        self.compare({"event": "round", "round": 1, "first_seat": seat, "chance": True}, found, "VIE-6")
        return seat

    def order(self, kind: str, key: str, pool: Sequence[int], rule: str) -> list[int]:
        """Read a random order and check that it is a permutation of `pool`."""
        found = self.read(kind, rule)
        drawn = found.get(key)
        if not isinstance(drawn, list) or not all(map(is_integer, drawn)) or sorted(drawn) != sorted(pool):
            raise DivergenceError(self.sentence(f"{kind}: {key} to be an order of {show(sorted(pool))}", rule, drawn))
        self.compare({"event": kind, key: drawn}, found, rule)
        return list(drawn)

    def decide(self, point: str, seat: int, legal: Sequence[Choice], fined: Sequence[Choice], rule: str) -> Choice:
        """Read a decision; check whose it is, that it is legal, and the number of legal alternatives."""
        due = {"event": "decision", "point": point, "seat": seat}
        found = self.read("decision", rule, due)
        if not all(is_same(value, found.get(key)) for key, value in due.items()):
            raise DivergenceError(self.sentence(f"the decision {point} of seat {seat}", rule, found))
        choice = next((other for other in (*legal, *fined) if is_same(as_json(other), found.get("choice"))), None)
        if choice is None:
            allowed = show([as_json(other) for other in (*legal, *fined)])
            raise DivergenceError(
                self.sentence(f"{point} of seat {seat} to be legal, one of {allowed}", rule, found.get("choice"))
            )
        self.compare({**due, "choice": as_json(choice), "legal": len(legal)}, found, f"section 8, {rule}")
        return choice


def as_json(choice: Choice) -> str | list[int]:
    """Choice as docs/transcripts.md writes it."""
    return choice if isinstance(choice, str) else list(choice)


def numbers(choice: Choice) -> tuple[int, ...]:
    """Seats and slots of a choice that is no word."""
    assert not isinstance(choice, str), choice
    return choice


# ------------------------------------------------------------------------------------------------------------
# Doors
# ------------------------------------------------------------------------------------------------------------


def judge(transcript: object) -> list[str]:
    """Replay a transcript of Vierer from the rules alone and return every difference as a sentence.

    An empty list means that every event follows from RULES.md section 5. Judging ends at the first difference
    that makes the rest meaningless. Never raises, whatever the document holds.
    """
    if not isinstance(transcript, dict):
        return [f"document: a transcript is an object, found {show(transcript)}"]
    faults = list(faults_of_document(transcript, GAME, (SEATS_FEWEST, SEATS_MOST), "VIE-3", is_skills))
    raw, seats, events = transcript.get("options"), transcript.get("seats"), transcript.get("events")
    if isinstance(raw, dict):
        faults += faults_of_options(raw)
    if faults or not isinstance(raw, dict) or not is_integer(seats) or not isinstance(events, list):
        return faults
    deck = tuple(card for name in raw["deck"] if (card := parse_card(name)) is not None)
    options = Options(**{**raw, "deck": deck})
    faults = list(faults_between_options(options, seats))
    if faults:
        return faults
    reader = Reader(events)
    try:
        Referee(seats, options, reader).play()
        reader.finish()
    except DivergenceError as stop:
        reader.differences.append(str(stop))
    return reader.differences


def is_skills(value: object) -> bool:
    """Whether a value is the skills of an entrant: the finite weight `reflex` and nothing else (VIE-24)."""
    if not isinstance(value, dict) or set(value) != {"reflex"}:
        return False
    reflex = value["reflex"]
    return type(reflex) in (int, float) and 0 <= reflex < math.inf


def main(paths: Sequence[str]) -> int:
    """Judge every line of the files; 1 if any transcript differs or there was none to judge."""
    return judge_files(judge, paths)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
