"""A table of Four Corner Detective that is played by hand, in the words of a transcript.

`begun` starts a game, with the cards of the first round of one's own choosing if wanted (RULES.md, G-3, allows tests to
inject cards and orders). Below it stands what the tests of every game ask of this one (tests/sim/stepping.py, `Hooks`).
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from sim.games.four_corner.spec import (
    ACT_WRITE,
    BRACELET51,
    CARD_NONE,
    DECK_CARDS,
    DUE_NEVER,
    MODE_STANDARD,
    RADII,
    code_of,
    word_of,
)
from sim.play import Session
from tests.sim.stepping import Event, LineUp, Listed, Told, make, walk

CLOCK = 32  # bits of `due` below the clock


class Table(Told):
    """A game at a decision, played on by what detectives do."""

    def card(self, seat: int) -> str:
        """The card that a seat has taken up."""
        return word_of(int(self.session.state["card"][seat]))

    def feel(self, corner: int) -> Event:
        """Let the deciding seat feel a corner; give the event."""
        self.session.apply(corner)
        return self.named("feel")[-1]

    def write(self, answer: str) -> None:
        """Let the deciding seat write."""
        self.session.apply(ACT_WRITE + code_of(answer))

    def write_right(self, correct: int) -> None:
        """Let the deciding seat write an answer with so many right numbers."""
        self.write(answer_with(self.card(self.session.seat), correct))

    def round(self, correct: Sequence[int], order: Sequence[int] | None = None) -> Event:
        """Play a whole round: the seats finish in this order, by default their own, with so many numbers right.

        Both lists are in the order of finishing. All write without feeling: what orders equal times is injected.
        """
        state = self.session.state
        order = list(order or range(len(correct)))
        for place, seat in enumerate(order):
            state["due"][seat] = state["ties"][seat] = place
        self.session._look()
        right = dict(zip(order, correct, strict=True))
        for _ in order:
            self.write_right(right[self.session.seat])
        return self.named("round_end")[-1]

    def checks(self, key: str) -> list[Any]:
        """One value of every check of the last round, in the order of checking."""
        seats = self.session.table.job.seats
        return [check[key] for check in self.named("check")[-seats:]]


def begun(
    seats: int,
    options: Mapping[str, Any] | None = None,
    *,
    cards: Sequence[str] = (),
    bots: str = "random",
    deal: int = 0,
    seed: int = 1,
) -> Table:
    """Start a game; `cards` are those that the seats take up first."""
    session = Session(make("four_corner", bots, seats, options, deals=10**6, seed=seed), deal, is_logged=True)
    for seat, card in enumerate(cards):
        session.state["card"][seat] = code_of(card)
    return Table(session)


def answer_with(card: str, correct: int) -> str:
    """An answer that agrees with a card in its first `correct` corners and nowhere else."""
    return card[:correct] + "".join("8" if radius != "8" else "3" for radius in card[correct:])


# ── What holds in every state ────────────────────────────────────────────────────────────────────────────────────────


def holding(state: Any) -> list[int]:
    """The seats that have taken up a card that is not checked yet."""
    rules = state["rules"]
    most = int(rules["rounds"] if rules["mode"] == MODE_STANDARD else rules["hand_cards"])
    return [seat for seat in range(int(rules["seats"])) if state["checked"][seat] < most]


def stacked(state: Any) -> list[tuple[int, int]]:
    """Where the cards lie that are still to be taken up: (seat, how many of it were before)."""
    rules = state["rules"]
    return [
        (seat, nth)
        for seat in range(int(rules["seats"]))
        for nth in range(int(state["checked"][seat]) + (seat in holding(state)), int(rules["hand_cards"]))
    ]


def conserve(state: Any) -> None:
    """Assert what holds after every event: cards are in one place, clocks and places agree, views are right (P-2)."""
    rules, seats = state["rules"], int(state["rules"]["seats"])
    stacks = [int(state["cards"][nth * seats + seat]) for seat, nth in stacked(state)]
    cards = [int(state["card"][seat]) for seat in holding(state)] + stacks
    if state["peek_below"]:
        cards += state["box_cards"][: state["box"]].tolist()
        cards += [card for view in state["views"][:seats] for card in view["exposed"][: view["exposures"]].tolist()]
    assert len(set(cards)) == len(cards) <= DECK_CARDS
    assert set(cards) <= set(state["pool"][: state["pool_cards"]].tolist())
    if rules["mode"] == MODE_STANDARD:
        order = state["order"][: state["finished"]].tolist()
        assert [int(state["finish_place"][seat]) for seat in order] == list(range(1, len(order) + 1))
        assert np.count_nonzero(state["finish_place"]) == len(order)
        if not state["peek_below"]:
            assert state["box"] == DECK_CARDS - len(cards)
        if not state["is_over"]:
            left = rules["groups"].tolist()[len(order)] if len(order) < rules["takers"] else 0
            assert state["group"] == left
    assert int(state["totals"].sum()) <= 10 * max(1, int(state["round_number"])) * (1 + 5 * int(rules["mode"]))
    _is_clock_right(state)
    for seat in range(seats):
        _is_view_right(state, seat)


def _is_clock_right(state: Any) -> None:
    """Assert that nobody is due before the deciding seat, and nobody who has finished is due at all."""
    seats = int(state["rules"]["seats"])
    due = state["due"][:seats]
    if state["is_over"]:
        return
    seat = int(state["seat"])
    assert state["answer"][seat] == CARD_NONE
    assert due[seat] >> CLOCK == due.min() >> CLOCK
    for other in range(seats):
        assert (due[other] == DUE_NEVER) >= (state["finish_place"][other] > 0)


def _is_view_right(state: Any, seat: int) -> None:
    """Assert that a view holds what its seat has felt and seen, and nothing else."""
    view = state["views"][seat]
    assert np.array_equal(view["counts"], state["counts"][seat])
    assert np.array_equal(view["likelihood"], state["likelihood"][seat])
    assert np.all(view["likelihood"] > 0)
    if state["due"][seat] != DUE_NEVER:
        assert view["feels"] == state["feels"][seat] == view["counts"].sum()
    assert view["exposures"] == state["exposures"][seat]
    assert view["known_card"] in (CARD_NONE, int(state["card"][seat]))
    if seat == state["seat"] and not state["is_over"]:
        assert view["now_ms"] == state["due"][seat] >> CLOCK
        assert view["block"].tobytes() == state["block"].tobytes()


# ── Pairs of deals that differ in what a seat has not seen ───────────────────────────────────────────────────────────


def swap_hidden(state: Any, draw: Callable[[int], int]) -> set[int]:
    """Let two cards change places that are taken up, in a stack or in the box; gives the seats that know neither.

    A seat that has felt its card does not know it: it keeps its readings.
    """
    seats = int(state["rules"]["seats"])
    spots: list[tuple[str, int]] = [("card", seat) for seat in holding(state)]
    # In the speedrun, and in the standard mode alike, a card that is taken up was copied out of its stack.
    spots += [("cards", nth * seats + seat) for seat, nth in stacked(state)]
    if state["peek_below"]:
        spots += [("box_cards", index) for index in range(int(state["box"]))]
    if len(spots) < 2:
        return set()
    one, other = spots[draw(min(len(spots), 2 * seats))], spots[draw(len(spots))]
    a, b = (int(state[name][index]) for name, index in (one, other))
    state[one[0]][one[1]], state[other[0]][other[1]] = b, a
    if a == b:
        return set()
    return {seat for seat in range(seats) if not known(state, seat) & {a, b}}


def known(state: Any, seat: int) -> set[int]:
    """The cards that a seat has seen the front of."""
    view = state["views"][seat]
    seen = {*view["cards"][: state["checked"][seat]].tolist(), *view["exposed"][: view["exposures"]].tolist()}
    return seen | ({int(view["known_card"])} if view["known_card"] != CARD_NONE else set())


def seen_by(event: Event, seats: int) -> set[int]:
    """Say who sees what an event tells (docs/transcripts.md)."""
    if event["event"] in ("feel", "peek", "decision"):
        return {event["seat"]}
    return set() if event["event"] in ("take_up", "finish") else set(range(seats))


def shown(event: Event) -> Event:
    """An event without what nobody sees: the front of a card that is taken up."""
    hidden = {"take_up": ("card",), "peek": ("card",)}.get(event["event"], ())
    return {key: value for key, value in event.items() if key not in hidden}


def secrets(session: Session) -> list[int]:
    """Which answer is written is seen by nobody else before the check."""
    if int(session.state["rules"]["mode"]) != MODE_STANDARD:
        return []
    return [action for action in session.legal() if action >= ACT_WRITE]


def window(state: Any) -> tuple[int, bool]:
    """A round: the answers are shown when it ends."""
    return int(state["round_number"]), bool(state["is_over"])


PLANTED = {
    "the front of the own card": (
        "    return view\n",
        "    view.taken_ms = np.int64(state.card[seat])\n    return view\n",
    ),
    "the cards of the first two seats": (
        "    view.now_ms = state.due[seat] >> _TIE_BITS\n",
        "    view.now_ms = (state.due[seat] >> _TIE_BITS) + 256 * np.int64(state.card[0]) + np.int64(state.card[1])\n",
    ),
    "the next card of the stack": (
        "    view.taken_ms = at_ms\n",
        "    view.taken_ms = at_ms + np.int64(state.cards[np.uint64(seat) + np.uint64(state.rules.seats)])\n",
    ),
}


# ── Other worlds ─────────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def ways() -> tuple[int, ...]:
    """In how many ways eight bytes have each sum."""
    counts = np.array([1], dtype=object)
    for _ in range(8):
        longer = np.zeros(len(counts) + 255, dtype=object)
        for byte in range(256):
            longer[byte : byte + len(counts)] += counts
        counts = longer
    return tuple(int(count) for count in counts)


@cache
def readings(radius: int, weber: float) -> Mapping[int, float]:
    """The chance of every reading of a corner: 64 r + round(64 r w z), z the standardised sum of eight bytes.

    Spread over a few readings, as what is rounded makes them uneven.
    """
    sd = (8 * (256**2 - 1) / 12) ** 0.5
    chances: dict[int, float] = {}
    for total, count in enumerate(ways()):
        reading = 64 * radius + int(np.floor(64 * radius * weber * (total - 1020) / sd + 0.5))
        chances[reading] = chances.get(reading, 0.0) + count / 256**8
    width = max(1, round(64 * radius * weber / 20))
    return {
        reading: sum(chances.get(reading + step, 0.0) for step in range(-width, width + 1)) / (2 * width + 1)
        for reading in range(min(chances), max(chances) + 1)
    }


def weights(events: Sequence[Event], seat: int, cards: Sequence[str]) -> dict[str, float]:
    """The posterior chance of each card, by what the seat has felt since it took its present one up."""
    last = max(place for place, event in enumerate(events) if event["event"] == "take_up" and event["seat"] == seat)
    felt = [event for event in events[last:] if event["event"] == "feel" and event["seat"] == seat]
    weight = dict.fromkeys(cards, 1.0)
    for event in felt:
        for card in cards:
            weight[card] *= readings(int(card[event["corner"]]), 0.2).get(event["reading"], 0.0)
    total = sum(weight.values())
    return {card: share / total for card, share in weight.items()}


def positions(options: Mapping[str, Any], what: str) -> Iterator[Listed]:
    """Games of two at decisions after some feels: of which card the deciding seat, or the other, may have taken up."""
    rng = np.random.default_rng(5)
    found = 0
    for deal in range(200):
        table = begun(2, options, deal=deal)
        session = walk(table.session, rng, int(rng.integers(2, 30)))
        if session.is_over or found == 6:
            continue
        seat = session.seat
        view = session.state["views"][seat]
        seen = {word_of(int(card)) for card in view["exposed"][: view["exposures"]]}
        if not view["may_repeat"]:
            seen |= {word_of(int(card)) for card in view["cards"][: session.state["checked"][seat]]}
        if what == "replaced" and not (view["may_repeat"] and session.state["checked"][seat]):
            continue
        if view["known_card"] != CARD_NONE:
            continue
        cards = [card for card in BRACELET51 if card not in seen]
        own = weights(session.events, seat, cards)
        if what == "other":
            # Each card that the own one is not is as likely to be the other's.
            worlds: dict[Hashable, float] = {card: (1 - own[card]) / (len(cards) - 1) for card in cards}
            yield Listed(session, partial(card_of, 1 - seat), worlds)
        else:
            worlds = {card: share for card, share in own.items() if share > 0}
            yield Listed(session, partial(card_of, seat), worlds)
        found += 1


def card_of(seat: int, state: Any) -> str:
    """The card that a seat has taken up."""
    return word_of(int(state["card"][seat]))


POSITIONS: dict[str, Callable[[], Iterator[Listed]]] = {
    "own card": partial(positions, {}, "own"),
    "another's card": partial(positions, {}, "other"),
    "speedrun": partial(positions, {"mode": "speedrun"}, "own"),
    "card out of the box": partial(positions, {"peek_slip": 1.0}, "replaced"),
}

# ── What is played ───────────────────────────────────────────────────────────────────────────────────────────────────

SEATS = (2, 3, 6)
VARIANTS: tuple[dict[str, Any], ...] = ({}, {"mode": "speedrun"}, {"peek_slip": 0.5})
OTHER_DECK = tuple(word[::-1] for word in BRACELET51 if word[::-1] != "3458")
VALUES = {"deck": [OTHER_DECK, "uniform"]}


def forced(session: Session, rng: np.random.Generator) -> int:
    """Choose a legal action: mostly a feel, else an answer, now and then the right one."""
    if rng.random() < 0.75 and session.legal()[0] < ACT_WRITE:
        return int(rng.integers(ACT_WRITE))
    if rng.random() < 0.4:
        return ACT_WRITE + int(session.state["card"][session.seat])
    return ACT_WRITE + int(rng.integers(len(RADII) ** 4))


def chance(events: Sequence[Event]) -> list[Any]:
    """What chance gave a game whatever its bots did: the cards."""
    return [card for event in events if event["event"] == "shuffle" for card in event["cards"]]


MIXED: LineUp = ("weigher,racer:confidence=0.4,steady,bayes:deck_known=1", 4, {})

COMPARED: list[tuple[str, int, dict[str, Any], int]] = [
    ("weigher,racer,bayes,steady,random", 5, {}, 1),
    ("bayes:deck_known=1:acuity=3:touch_ms=400,weigher", 2, {"peek_slip": 0.5, "inexperienced": True}, 2),
    ("racer:deck_known=1,bayes:confidence=0.9,weigher", 3, {"mode": "speedrun", "speedrun_deck": 9}, 1),
    ("steady:feels=1,random", 7, {"deck": "uniform", "cutoff": "fifth_to_last", "bonus": 9, "rounds": 2}, 2),
    ("bayes:inexperienced=1,steady", 2, {"token_table": "shifted", "mark_without_tokens": False}, 2),
    ("random,steady", 6, {"passdown_to_tokenless": "true", "bonus_needs_mark": False}, 2),
]

SAME_DEALS: list[LineUp] = [
    ("weigher,racer,bayes", 3, {}),
    ("random,steady,random", 3, {"token_table": "shifted"}),
    ("bayes:deck_known=1,random,weigher", 3, {"rounds": 2}),
]

GAMES: dict[str, LineUp] = {
    "random": ("random", 3, {}),
    "certain": ("weigher,bayes:confidence=0.3", 2, {"rounds": 2}),
    "slips": ("racer:touch_ms=800:inexperienced=1,steady:feels=1", 2, {"peek_slip": 0.5, "rounds": 3}),
    "speedrun": ("bayes,random", 2, {"mode": "speedrun", "speedrun_seconds": 40}),
}

CONTENT: dict[str, LineUp] = {
    "all": ("weigher,racer,bayes,steady", 4, {}),
    "random": ("random", 2, {}),
    "ten": ("random,steady:feels=1,bayes:deck_known=1", 10, {"peek_slip": 0.2, "cutoff": "fifth_to_last"}),
    "skills": ("bayes:touch_ms=700:acuity=2,bayes,weigher:inexperienced=1", 3, {"deck": "uniform"}),
    "speedrun": ("bayes,weigher,steady,random", 4, {"mode": "speedrun"}),
}
