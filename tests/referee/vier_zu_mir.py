"""Referee of Vier zu mir!: replays a transcript from RULES.md section 2 alone and names every difference.

The referee shares no line with the engine. It keeps all tubes and cards itself and takes from a transcript only what no
rule can know: the outcomes of chance (random search cards, ages, shuffled animals and cards, the start seat) and the
decisions. Every other event is predicted and compared.

The path of a game: `judge` checks the document, then `Referee.play` walks through the rules and reads event by event.
The document is described in docs/transcripts.md, its reading is in `tests.referee.reading`.

An animal is a number 0..23, a search card its place in the list of all cards.
"""

import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice

from tests.referee.reading import DivergenceError, Reader, faults_of_document, is_integer, is_same, judge_files, show

Card = tuple[int, ...]  # its four animals in rising order
Choice = str | list[str | int]

GAME = "vier_zu_mir"
TUBES = {3: 8, 4: 6, 5: 5, 6: 4, 7: 3, 8: 3}  # by seats, but for the exceptions of VZM-2

# ------------------------------------------------------------------------------------------------------------
# The cards (VZM-1, VZM-6)
# ------------------------------------------------------------------------------------------------------------

ANIMALS = 24
CARDS = 24
CARD_SIZE = 4
CARDS_OF_AN_ANIMAL = 4  # with random cards

CYCLIC = tuple(tuple(sorted((card + step) % ANIMALS for step in (0, 1, 3, 7))) for card in range(CARDS))


def is_card(value: object) -> bool:
    """Whether a value lists four different animals in rising order."""
    if not isinstance(value, list) or len(value) != CARD_SIZE or not all(map(is_integer, value)):
        return False
    return sorted(set(value)) == value and value[0] >= 0 and value[-1] < ANIMALS


def faults_of_cards(cards: object, *, is_even: bool) -> Iterator[str]:
    """Why a list is not 24 different cards, with `is_even` also not every animal on four of them (VZM-1, VZM-6)."""
    if not isinstance(cards, list) or not all(map(is_card, cards)):
        yield f"a list of cards of four animals in 0..{ANIMALS - 1}, rising (VZM-1), found {show(cards)}"
        return
    if len(cards) != CARDS:
        yield f"{CARDS} cards (VZM-1), found {len(cards)}"
    if len(set(map(tuple, cards))) != len(cards):
        yield f"cards that all differ (VZM-6), found {show(cards)}"
    count = Counter(animal for card in cards for animal in card)
    if is_even and any(count[animal] != CARDS_OF_AN_ANIMAL for animal in range(ANIMALS)):
        yield f"cards with every animal on {CARDS_OF_AN_ANIMAL} of them (VZM-6), found {show(cards)}"


# ------------------------------------------------------------------------------------------------------------
# Options (RULES.md section 7)
# ------------------------------------------------------------------------------------------------------------

RANDOM = "random"
FLAGS = ("voluntary_stop", "chain")
NUMBERS: dict[str, tuple[float, float]] = {"max_asks": (1, math.inf), "hand_cards": (1, 4)}


@dataclass(frozen=True)
class Options:
    """Options and numbers of the game; the defaults are those of RULES.md section 7."""

    cards: Sequence[Sequence[int]] | str = CYCLIC
    ages: Sequence[int] | str = RANDOM
    start_seat: int | str = RANDOM
    voluntary_stop: bool = True
    chain: bool = True
    max_asks: int = 10000
    hand_cards: int = 2


def faults_of_options(raw: Mapping[str, object], seats: int) -> Iterator[str]:
    """Every option that is missing, unknown, out of its bounds or wrong for the number of seats, as a sentence."""
    known = {option.name for option in fields(Options)}
    yield from (f"options: {name} is missing (section 7)" for name in sorted(known - raw.keys()))
    yield from (f"options: {show(name)} is no option of Vier zu mir! (section 7)" for name in raw if name not in known)
    for name in sorted(known & raw.keys()):
        value = raw[name]
        if name in FLAGS and type(value) is not bool:
            yield f"options: {name} is true or false (section 7), found {show(value)}"
        elif name in NUMBERS:
            least, most = NUMBERS[name]
            if not is_integer(value) or not least <= value <= most:
                yield f"options: {name} is a whole number in {least}..{most} (section 7), found {show(value)}"
            elif name == "hand_cards" and value * seats > CARDS:
                yield f"options: hand_cards times {seats} seats is at most {CARDS} (section 7), found {value}"
        elif not is_same(RANDOM, value):
            yield from faults_of_given(name, value, seats)


def faults_of_given(name: str, value: object, seats: int) -> Iterator[str]:
    """Why the value of an option that is not random cannot be given (VZM-3, VZM-6, VZM-11)."""
    if name == "cards":
        yield from (f"options: cards is expected to be {fault}" for fault in faults_of_cards(value, is_even=False))
    elif name == "start_seat" and not (is_integer(value) and 0 <= value < seats):
        yield f"options: start_seat is random or a seat in 0..{seats - 1} (VZM-11), found {show(value)}"
    elif name == "ages" and not is_ages(value, seats):
        yield f"options: ages is random or {seats} different whole numbers (VZM-3), found {show(value)}"


def is_ages(value: object, seats: int) -> bool:
    """Whether a value lists a whole number for each seat, no two alike (VZM-3)."""
    return isinstance(value, list) and all(map(is_integer, value)) and len(value) == len(set(value)) == seats


# ------------------------------------------------------------------------------------------------------------
# Seats and places: pure functions
# ------------------------------------------------------------------------------------------------------------


def tubes_of(order: Sequence[int]) -> list[int]:
    """Number of tubes of each seat; `order` lists the seats from the oldest to the youngest (VZM-2)."""
    tubes = [TUBES[len(order)]] * len(order)
    if len(order) == 5:
        tubes[order[0]] = 4
    if len(order) == 7:
        for seat in order[-3:]:
            tubes[seat] = 4
    return tubes


def clockwise(seat: int, seats: int) -> list[int]:
    """All seats clockwise, beginning with `seat` (G-1)."""
    return [(seat + step) % seats for step in range(seats)]


def places_of(placed: Sequence[int]) -> list[int]:
    """Places by placed cards, the most first; equal numbers share one: 1, 1, 3 (VZM-21)."""
    return [1 + sum(other > own for other in placed) for own in placed]


def winners_of(placed: Sequence[int]) -> list[int]:
    """Seats with the most placed cards; ties are shared (VZM-21, G-5)."""
    return [seat for seat, own in enumerate(placed) if own == max(placed)]


# ------------------------------------------------------------------------------------------------------------
# The game
# ------------------------------------------------------------------------------------------------------------


class Referee:
    """Walks through a whole game by RULES.md sections 2 and 8, event by event."""

    def __init__(self, seats: int, options: Options, reader: Reader) -> None:
        """Sit down at an empty table."""
        self.seats = seats
        self.options = options
        self.reader = reader
        self.cards: Sequence[Sequence[int]] = ()
        self.tubes: list[set[int]] = []  # by seat: its animals
        self.hands: list[list[int]] = []  # by seat: its search cards
        self.stack: list[int] = []  # the top card is the first
        self.placed: list[list[int]] = [[] for _ in range(seats)]
        self.turn = 0
        self.asks = 0
        self.status: str | None = None  # "finished" or "capped" once the game is over

    def play(self) -> None:
        """Set up, place what is complete already, and play turns until the game is over (VZM-2 to VZM-22)."""
        start = self._set_up()
        for seat in clockwise(start, self.seats):
            if self.status is None:  # VZM-20 ends the game at once
                self._place_complete(seat, "VZM-9")
        seat = start
        while self.status is None:
            self.play_turn(seat)
            seat = (seat + 1) % self.seats
        placed = [len(own) for own in self.placed]
        self.reader.announce(
            {
                "event": "game_end",
                "status": self.status,
                "placed": placed,
                "places": places_of(placed),
                "winners": winners_of(placed),
            },
            "VZM-20 to VZM-22",
        )

    # -- the deal --------------------------------------------------------------------------------------------

    def _set_up(self) -> int:
        """Read the cards, the ages and the shuffle, deal, and return who starts (VZM-2 to VZM-6, VZM-11)."""
        self.cards = self._search_cards()
        order = self._ages()
        animals, cards = self._shuffle()
        self._deal(tubes_of(order), animals, cards)
        return self._start_seat()

    def _search_cards(self) -> Sequence[Sequence[int]]:
        """Return the animals of each card: those of the option, or random ones out of an event (VZM-6)."""
        if not isinstance(self.options.cards, str):
            return self.options.cards
        found = self.reader.read("search_cards", "VZM-6")
        cards = found.get("cards")
        faults = list(faults_of_cards(cards, is_even=True))
        if faults or not isinstance(cards, list):
            raise DivergenceError(self.reader.sentence(f"search_cards: cards to be {faults[0]}", "VZM-6", cards))
        self.reader.compare({"event": "search_cards", "cards": cards}, found, "VZM-6")
        return cards

    def _ages(self) -> list[int]:
        """Return the seats from the oldest to the youngest: by the ages given, or in any order (VZM-3)."""
        ages = self.options.ages
        if not isinstance(ages, str):
            order = sorted(range(self.seats), key=lambda seat: -ages[seat])
            self.reader.announce({"event": "ages", "order": order, "chance": False}, "VZM-3")
            return order
        found = self.reader.read("ages", "VZM-3")
        order = self._order_in(found.get("order"), self.seats, "ages: order", "VZM-3")
        self.reader.compare({"event": "ages", "order": order, "chance": True}, found, "VZM-3")
        return order

    def _shuffle(self) -> tuple[list[int], list[int]]:
        """Read the shuffled animals and the shuffled cards (VZM-4, VZM-5)."""
        found = self.reader.read("shuffle", "VZM-4, VZM-5")
        animals = self._order_in(found.get("animals"), ANIMALS, "shuffle: animals", "VZM-4")
        cards = self._order_in(found.get("cards"), CARDS, "shuffle: cards", "VZM-5")
        self.reader.compare({"event": "shuffle", "animals": animals, "cards": cards}, found, "VZM-4, VZM-5")
        return animals, cards

    def _order_in(self, drawn: object, count: int, name: str, rule: str) -> list[int]:
        """Return an order drawn by chance if it is one of all numbers below `count`."""
        if not isinstance(drawn, list) or not all(map(is_integer, drawn)) or sorted(drawn) != list(range(count)):
            raise DivergenceError(self.reader.sentence(f"{name} to be an order of 0..{count - 1}", rule, drawn))
        return drawn

    def _deal(self, counts: Sequence[int], animals: Sequence[int], cards: Sequence[int]) -> None:
        """Deal the tubes and the cards, seat 0 first; the rest of the cards is the stack (VZM-2, VZM-5)."""
        next_animals, next_cards = iter(animals), iter(cards)
        tubes = [list(islice(next_animals, count)) for count in counts]
        self.tubes = [set(own) for own in tubes]
        self.hands = [list(islice(next_cards, self.options.hand_cards)) for _ in range(self.seats)]
        self.stack = list(next_cards)
        due = {"event": "deal", "tubes": tubes, "hands": self.hands, "stack": self.stack}
        self.reader.announce(due, "VZM-2, VZM-4, VZM-5")

    def _start_seat(self) -> int:
        """Return who starts: the seat given, or any (VZM-11)."""
        given = self.options.start_seat
        found = self.reader.read("start", "VZM-11")
        seat = found.get("seat") if isinstance(given, str) else given
        if not is_integer(seat) or not 0 <= seat < self.seats:
            raise DivergenceError(self.reader.sentence(f"start: seat in 0..{self.seats - 1}", "VZM-11", seat))
        self.reader.compare({"event": "start", "seat": seat, "chance": isinstance(given, str)}, found, "VZM-11")
        return seat

    # -- the turn --------------------------------------------------------------------------------------------

    def play_turn(self, seat: int) -> None:
        """Let a seat ask until it misses, completes a card, stops, or the game is over (VZM-12 to VZM-19)."""
        self.turn += 1
        self.reader.announce({"event": "turn", "turn": self.turn, "seat": seat}, "VZM-13, VZM-14, VZM-15")
        if not self._wanted(seat):  # VZM-19: only with `chain` off
            self._place_complete(seat, "VZM-19")
            return
        goes_on = self._ask(seat, may_stop=False)
        while goes_on:
            goes_on = self._ask(seat, may_stop=self.options.voluntary_stop)

    def _ask(self, seat: int, *, may_stop: bool) -> bool:
        """Carry out one question with all that follows; return whether the turn goes on (VZM-13 to VZM-15)."""
        choice = self._decide(seat, may_stop=may_stop)
        if isinstance(choice, str):
            return False
        asked, animal = (int(number) for number in choice[1:])
        hit = animal in self.tubes[asked]
        due = {"event": "answer", "seat": seat, "asked": asked, "animal": animal, "hit": hit}
        self.reader.announce(due, "VZM-13, VZM-15, VZM-17")
        if hit:
            self.tubes[asked].remove(animal)
            self.tubes[seat].add(animal)
        # VZM-16b: with `chain` off, a card may be complete that waits for the next one to be completed.
        is_completion = hit and any(animal in self.cards[card] for card in self._complete(seat))
        if is_completion:
            self._place_complete(seat, "VZM-13, VZM-16")
        self.asks += 1
        if self.status is None and self.asks >= self.options.max_asks:
            self.status = "capped"  # VZM-22
        return hit and not is_completion and self.status is None

    def _decide(self, seat: int, *, may_stop: bool) -> Choice:
        """Read a decision; check whose it is, that it is legal, and the number of legal actions (section 8)."""
        due = {"event": "decision", "point": "ask", "seat": seat}
        found = self.reader.read("decision", "VZM-12, VZM-14, VZM-15", due)
        choice, others = found.get("choice"), clockwise(seat, self.seats)[1:]
        questions: list[Choice] = [["ask", other, animal] for other in others for animal in self._wanted(seat)]
        legal = [*questions, "stop"] if may_stop else questions
        if not all(is_same(value, found.get(key)) for key, value in due.items()):
            raise DivergenceError(self.reader.sentence(f"the decision ask of seat {seat}", "section 8, VZM-12", found))
        chosen = next((action for action in legal if is_same(action, choice)), None)
        if chosen is None:
            wanted = f"seat {seat} to ask another seat for one of {self._wanted(seat)}{' or to stop' * may_stop}"
            rule = "VZM-14" if is_same("stop", choice) else "VZM-12"
            raise DivergenceError(self.reader.sentence(wanted, rule, choice))
        self.reader.compare({**due, "choice": chosen, "legal": len(legal)}, found, "section 8, VZM-12, VZM-14")
        return chosen

    def _wanted(self, seat: int) -> list[int]:
        """Animals that a seat may ask for: on its own cards and not in its own tubes, rising (VZM-12)."""
        return sorted({animal for card in self.hands[seat] for animal in self.cards[card]} - self.tubes[seat])

    # -- completing a card -----------------------------------------------------------------------------------

    def _complete(self, seat: int) -> list[int]:
        """Cards of a seat whose four animals are all in its own tubes, in the order of their numbers (VZM-7)."""
        return sorted(card for card in self.hands[seat] if self.tubes[seat].issuperset(self.cards[card]))

    def _place_complete(self, seat: int, rule: str) -> None:
        """Place all complete cards of a seat and draw; with `chain` again while there are any (VZM-8 to VZM-10)."""
        hand = self.hands[seat]
        while complete := self._complete(seat):
            for card in complete:
                hand.remove(card)
                self.placed[seat].append(card)
                shown = {"event": "show", "seat": seat, "card": card, "animals": list(self.cards[card])}
                self.reader.announce(shown, f"VZM-7, VZM-8, {rule}")
            while self.stack and len(hand) < self.options.hand_cards:
                hand.append(self.stack.pop(0))
                self.reader.announce({"event": "draw", "seat": seat, "card": hand[-1]}, f"VZM-8, VZM-10, {rule}")
            self._conserve()
            if not self.options.chain:
                break
        if not hand:
            self.status = "finished"  # VZM-20

    def _conserve(self) -> None:
        """Stop if the tubes are no longer the 24 animals, or hands, stack and placed cards not the 24 cards (P-2)."""
        animals = sorted(animal for own in self.tubes for animal in own)
        cards = sorted([*self.stack, *(card for own in (*self.hands, *self.placed) for card in own)])
        if animals != list(range(ANIMALS)) or cards != list(range(CARDS)):
            raise DivergenceError(f"turn {self.turn}: the {ANIMALS} tubes or the {CARDS} cards are not whole (P-2)")


# ------------------------------------------------------------------------------------------------------------
# Doors
# ------------------------------------------------------------------------------------------------------------


def judge(transcript: object) -> list[str]:
    """Replay a transcript of Vier zu mir! from the rules alone and return every difference as a sentence.

    An empty list means that every event follows from RULES.md section 2. Judging ends at the first difference that
    makes the rest meaningless. Never raises, whatever the document holds.
    """
    if not isinstance(transcript, dict):
        return [f"document: a transcript is an object, found {show(transcript)}"]
    faults = list(faults_of_document(transcript, GAME, (min(TUBES), max(TUBES)), "VZM-2", is_skills))
    raw, seats, events = transcript.get("options"), transcript.get("seats"), transcript.get("events")
    if faults or not isinstance(raw, dict) or not is_integer(seats) or not isinstance(events, list):
        return faults
    faults = list(faults_of_options(raw, seats))
    if faults:
        return faults
    reader = Reader(events)
    try:
        Referee(seats, Options(**raw), reader).play()
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
