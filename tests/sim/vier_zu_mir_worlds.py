"""Lists of the worlds that agree with what a seat of Vier zu mir! has seen, by brute force from a transcript's events.

No line of the engine's search for worlds is used. A world is where the hidden animals lie and what the other seats
hold. It weighs as much as there are ways to deal the search cards that lead to it: a seat's hand is played through from
the deal on, with every card it may have got at each draw, and whatever the events contradict is dropped.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np

from sim.games.vier_zu_mir.spec import ANIMALS, CARDS, animals_in
from sim.play import Session
from tests.sim.stepping import Event, Listed, any_legal, make

Tubes = tuple[frozenset[int], ...]
Hand = frozenset[int]
# What one seat did, in order, with its tubes at that time: (what, animal or card, tubes).
Step = tuple[str, int, frozenset[int]]


class Seen:
    """What one seat has seen of a game: its own deal and draws, and what is public."""

    def __init__(self, session: Session, seat: int, *, are_left: bool = False) -> None:
        self.are_left = are_left  # whether complete cards are left where others are placed, against VZM-16
        self.events: Sequence[Event] = session.events
        self.seat = seat
        self.seats = session.table.job.seats
        spec = session.table.spec
        self.chain, self.hand_cards = bool(spec.chain), int(spec.hand_cards)
        self.sets = [frozenset(animals_in(int(word))) for word in session.state["sets"]]
        deal = next(event for event in self.events if event["event"] == "deal")
        self.sizes = [len(tubes) for tubes in deal["tubes"]]
        self.own_tubes = frozenset(deal["tubes"][seat])
        shown = {event["card"] for event in self.events if event["event"] == "show"}
        own = {*deal["hands"][seat], *(e["card"] for e in self.events if e["event"] == "draw" and e["seat"] == seat)}
        self.pool = frozenset(range(CARDS)) - shown - own
        self.own_shown = [
            {e["card"] for e in self.events if e["event"] == "show" and e["seat"] == other}
            for other in range(self.seats)
        ]

    def first_places(self) -> dict[int, int]:
        """Where at the deal each animal was that somebody has seen, or that is the seat's own."""
        places = dict.fromkeys(self.own_tubes, self.seat)
        for event in self.events:
            if event["event"] == "answer" and event["hit"]:
                places.setdefault(event["animal"], event["asked"])
            elif event["event"] == "show":
                for animal in event["animals"]:
                    places.setdefault(animal, event["seat"])
        return places

    def deals(self) -> Iterator[Tubes]:
        """All ways in which the tubes may have been dealt, whatever was answered."""
        places = self.first_places()
        hidden = [animal for animal in range(ANIMALS) if animal not in places]
        for seats in product(range(self.seats), repeat=len(hidden)):
            placed = {**places, **dict(zip(hidden, seats, strict=True))}
            tubes = tuple(frozenset(a for a, at in placed.items() if at == seat) for seat in range(self.seats))
            if [len(each) for each in tubes] == self.sizes:
                yield tubes

    def steps(self, dealt: Tubes) -> list[list[Step]] | None:
        """What each seat did, with its tubes, if they were dealt so; None if an answer would have been another."""
        held = [set(tubes) for tubes in dealt]
        steps: list[list[Step]] = [[("deal", 0, frozenset(tubes))] for tubes in dealt]
        for event in self.events:
            seat = event.get("seat", 0)
            if event["event"] == "answer":
                animal, asked = event["animal"], event["asked"]
                if animal in held[seat] or (animal in held[asked]) != event["hit"]:
                    return None
                steps[seat].append(("ask", animal, frozenset(held[seat])))
                if event["hit"]:
                    held[asked].remove(animal)
                    held[seat].add(animal)
                    steps[seat].append(("hit", animal, frozenset(held[seat])))
            elif event["event"] in ("show", "draw", "turn"):
                if event["event"] == "show" and not set(event["animals"]) <= held[seat]:
                    return None
                steps[seat].append((event["event"], event.get("card", 0), frozenset(held[seat])))
        for seat in range(self.seats):
            steps[seat].append(("end", 0, frozenset(held[seat])))
        return steps


def may_rest(seen: Seen, hand: Hand, tubes: frozenset[int], after: str, animal: int, following: str) -> bool:
    """Say whether a hand may be what it is between two of its seat's steps: what should be placed is placed next."""
    complete = {card for card in hand if seen.sets[card] <= tubes}
    if following == "show":
        return True  # That step says whether its card is complete.
    if after in ("deal", "show"):
        return seen.are_left or not complete
    if after == "draw" and following != "draw":
        return not (complete and seen.chain)
    if after == "hit":
        return not any(seen.chain or animal in seen.sets[card] for card in complete)
    if after == "turn":
        return complete != hand
    return True


def hands_of(seen: Seen, seat: int, steps: Sequence[Step]) -> Counter[Hand]:
    """All hands that a seat may hold now, each with the number of ways in which it came about."""
    cards = seen.pool | seen.own_shown[seat]
    ways: Counter[Hand] = Counter(map(frozenset, combinations(sorted(cards), seen.hand_cards)))
    # What is placed is gone, so a hand says all of the past that still matters but for what was placed before.
    paths: Counter[tuple[Hand, frozenset[int]]] = Counter({(hand, frozenset()): count for hand, count in ways.items()})
    for place, (what, which, tubes) in enumerate(steps[:-1]):
        following = steps[place + 1][0]
        further: Counter[tuple[Hand, frozenset[int]]] = Counter()
        for (hand, gone), count in paths.items():
            for new, lost in _after(seen, cards, hand, gone, what, which, tubes):
                if may_rest(seen, new, tubes, what, which, following):
                    further[new, lost] += count
        paths = further
    held: Counter[Hand] = Counter()
    for (hand, _), count in paths.items():
        if hand <= seen.pool:
            held[hand] += count
    return held


def _after(
    seen: Seen, cards: frozenset[int], hand: Hand, gone: frozenset[int], what: str, which: int, tubes: frozenset[int]
) -> Iterator[tuple[Hand, frozenset[int]]]:
    """What a hand may be after a step; nothing if the step cannot be."""
    if what == "draw":
        for card in cards - hand - gone:
            yield hand | {card}, gone
    elif what == "show":
        if which in hand and seen.sets[which] <= tubes:
            yield hand - {which}, gone | {which}
    elif what != "ask" or any(which in seen.sets[card] for card in hand):
        yield hand, gone


def worlds(session: Session, *, are_left: bool = False) -> dict[tuple[Tubes, tuple[Hand, ...]], int]:
    """All worlds that agree with what the deciding seat has seen, each with its weight."""
    seen = Seen(session, session.seat, are_left=are_left)
    others = [seat for seat in range(seen.seats) if seat != seen.seat]
    found: dict[tuple[Tubes, tuple[Hand, ...]], int] = {}
    for dealt in seen.deals():
        steps = seen.steps(dealt)
        if steps is None:
            continue
        now = tuple(steps[seat][-1][2] for seat in range(seen.seats))
        for choice in product(*(hands_of(seen, seat, steps[seat]).items() for seat in others)):
            hands = [hand for hand, _ in choice]
            if len(frozenset().union(*hands)) == sum(map(len, hands)):
                weight = 1
                for _, count in choice:
                    weight *= count
                found[now, tuple(hands)] = weight
    return found


def tubes_in(state: Any) -> Hashable:
    """The animals of each seat."""
    return tuple(frozenset(animals_in(int(word))) for word in state["tubes"][: state["rules"]["seats"]])


def hand_in(seat: int, state: Any) -> Hashable:
    """The search cards of a seat."""
    return frozenset(int(card) for card in state["hands"][seat][: state["cards_of"][seat]])


def tubes_and_hand_in(seat: int, state: Any) -> Hashable:
    """Both."""
    return tubes_in(state), hand_in(seat, state)


def hidden_count(session: Session) -> int:
    """Count the animals that the deciding seat has never seen."""
    own = animals_in(int(session.state["tubes"][session.seat]))
    return sum(int(holder) < 0 and animal not in own for animal, holder in enumerate(session.state["holder"]))


def left_behind() -> Iterator[Listed]:
    """Decisions without chain at which worlds are ruled out by what would have been placed with other cards (VZM-16).

    The deals were found by comparing the lists with those of `are_left`.
    """
    options = {"chain": False, "hand_cards": 3}
    for shown, hidden, deals in ((range(8, 14), range(3), (76, 95, 215)), (range(6, 14), range(2), (340, 380))):
        for each in listed(options, shown, hidden, deals):
            every = worlds(each.session)
            assert every.keys() != worlds(each.session, are_left=True).keys()
            total = sum(every.values())
            others = [seat for seat in range(3) if seat != each.session.seat]
            chances: dict[Hashable, float] = {world: weight / total for world, weight in every.items()}
            yield Listed(each.session, partial(all_in, others), chances)


def all_in(seats: Sequence[int], state: Any) -> Hashable:
    """The animals of each seat, and the search cards of some."""
    return tubes_in(state), tuple(hand_in(seat, state) for seat in seats)


def listed(
    options: Mapping[str, Any], shown: range, hidden: range, deals: Iterable[int] = range(400)
) -> Iterator[Listed]:
    """Decisions of three seats when so many cards were shown and so many animals are hidden, asked by chance."""
    found = 0
    for deal in deals:
        rng = np.random.default_rng(deal)
        session = Session(make("vier_zu_mir", "random", 3, options, seed=5), deal, is_logged=True)
        while not session.is_over and not (session.state["shown"] in shown and hidden_count(session) in hidden):
            session.apply(any_legal(session, rng))
        if session.is_over:
            continue
        other = (session.seat + 1) % 3
        read: Callable[[Any], Hashable] = (tubes_in, partial(hand_in, other), partial(tubes_and_hand_in, other))[
            deal % 3
        ]
        weights: dict[Hashable, float] = defaultdict(float)
        every = worlds(session)
        place = sum(seat < other for seat in range(3) if seat != session.seat)
        for (tubes, hands), weight in every.items():
            name = (tubes, hands[place], (tubes, hands[place]))[deal % 3]
            weights[name] += weight / sum(every.values())
        if 1 < len(weights) <= 60 and min(weights.values()) > 0.002:
            yield Listed(session, read, weights)
            found += 1
        if found == 6:
            return


def positions() -> dict[str, Callable[[], Iterator[Listed]]]:
    """The kinds of positions at which redealing is checked."""
    return {
        "one card each": partial(listed, {"hand_cards": 1}, range(5), range(1, 6)),
        "after some cards": partial(listed, {}, range(2, 6), range(1, 5)),
        "late": partial(listed, {}, range(7, 11), range(1, 5)),
        "without chain": partial(listed, {"chain": False}, range(3, 8), range(1, 5)),
        "three cards without chain": partial(listed, {"chain": False, "hand_cards": 3}, range(6, 12), range(4)),
        "cards left without chain": left_behind,
    }
