"""A table of Vierer in a position of one's own choosing, played on in the words of a transcript.

`stand` writes the STATE of a game that stands at the beginning of a seat's turn (RULES.md, G-3, allows tests to inject
cards). It does so by writing the knock question of the seat before and answering it with no, so the turn is begun by
the engine itself. Cards are named as in the deck; piles are listed from the top; `-` is a slot that a throw emptied.

Below it stands what the tests of every game ask of this one (tests/sim/stepping.py, `Hooks`).
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sim.contract import load_game
from sim.games.vierer import engine
from sim.games.vierer.spec import (
    CARD_NONE,
    CELL_EMPTY,
    DEFAULT_DECK,
    ORIGIN_NONE,
    PHASE_KEEP,
    PHASE_KNOCK,
    PHASE_OVER,
    PHASE_SWAP,
    PHASE_THROW,
    SEEN_OPEN,
    SET_WORDS,
    card_points,
)
from sim.job import Entrant, make_job
from sim.play import Decision, Session
from sim.table import Table, make_table
from tests.sim import vierer_worlds
from tests.sim.stepping import Event, LineUp, Told, any_legal
from tests.sim.vierer_worlds import Place

Choice = str | list[int]

PLAIN = ("pass", "stock", "throw_away", "decline", "leave", "none", "no")


def table_of(seats: int, options: Mapping[str, Any] | None = None, *, seed: int = 1) -> Table:
    """Make a table of bots `random`; the decisions are the test's."""
    game = load_game("vierer")
    return make_table(make_job(game, entrants=[Entrant("random")], seats=seats, deals=1, seed=seed, options=options))


def cards_of(text: str) -> list[str]:
    """Read a list of cards separated by commas."""
    return [card.strip() for card in text.split(",") if card.strip()]


class Position(Told):
    """A game at a decision, with what is asked in words."""

    def __init__(self, session: Session, deck: Sequence[str]) -> None:
        super().__init__(session)
        self.deck = tuple(deck)

    @property
    def point(self) -> str:
        """What is asked, `over` after the end."""
        return self.session.phase

    @property
    def names(self) -> list[str]:
        """The names of all events but decisions, in order."""
        return [event["event"] for event in self.events if event["event"] != "decision"]

    def choices(self) -> list[Choice]:
        """The legal choices, in words."""
        return [self._choice(action) for action in self.session.legal()]

    def _choice(self, action: int) -> Choice:
        state, render = self.session.state, self.session.table.game.render
        choice: Choice = render.decision(state, Decision(self.point, self.seat, action, 0))["choice"]
        return choice

    def do(self, point: str, seat: int, choice: Choice) -> "Position":
        """Make the decision that is asked; it must be this one."""
        assert (self.point, self.seat) == (point, seat)
        by_choice = {str(self._choice(action)): action for action in self.session.legal()}
        assert str(choice) in by_choice, f"{choice} is not among {list(by_choice)}"
        self.session.apply(by_choice[str(choice)])
        return self

    def throws(self, wanted: Mapping[int, Place] | None = None) -> "Position":
        """Answer a whole throw window: who is named throws that place, all others pass."""
        assert self.point == "throw"
        left = dict(wanted or {})
        seats = []
        while self.point == "throw" and self.seat not in seats:
            seats.append(self.seat)
            place = left.pop(self.seat, None)
            self.do("throw", self.seat, list(place) if place is not None else "pass")
        assert not left
        return self

    def until(self, *points: str) -> "Position":
        """Answer plainly (pass, stock, throw away, decline, no) up to one of these points."""
        while self.point not in points and not self.session.is_over:
            self.plain()
        return self

    def plain(self) -> None:
        """Give the plain answer to what is asked."""
        choices = self.choices()
        plain = [choice for choice in choices if choice in PLAIN]
        self.do(self.point, self.seat, plain[0] if plain else choices[0])

    def until_event(self, name: str) -> Event:
        """Answer plainly until such an event has happened; give the first."""
        while not self.named(name):
            self.plain()
        return self.named(name)[0]

    def hand(self, seat: int) -> list[str]:
        """The cards of a seat, slot by slot."""
        state = self.session.state
        return [self._name(card) for card in state["places"]["card"][seat][: state["slots"][seat]]]

    def _name(self, card: int) -> str:
        return "-" if card == CARD_NONE else self.deck[card]

    @property
    def stock(self) -> list[str]:
        """The stock, from the top."""
        state = self.session.state
        return [self.deck[card] for card in state["stock_cards"][: state["stock"]][::-1]]

    @property
    def discards(self) -> list[str]:
        """The discard pile, from the top."""
        state = self.session.state
        return [self.deck[card] for card in state["discard_cards"][: state["discards"]][::-1]]

    def known(self, viewer: int) -> dict[Place, str]:
        """What a seat knows of the cards in front of the seats."""
        state = self.session.state
        known = state["views"][viewer]["places"]["card"]
        return {
            (seat, slot): self.deck[known[seat, slot]]
            for seat in range(int(state["rules"]["seats"]))
            for slot in range(known.shape[1])
            if known[seat, slot] != CARD_NONE
        }

    def seen(self, viewer: int, place: Place) -> int:
        """When a seat last saw the card in a place, in turns of the game."""
        view = self.session.state["views"][viewer]
        return int(view["seen"][view["places"]["card"][place]])


def stand(
    hands: Sequence[str],
    *,
    stock: str = "",
    discards: str = "",
    rest: str = "stock",
    seat: int = 0,
    totals: Sequence[int] | None = None,
    resets_of: Sequence[int] | None = None,
    turns_taken: Sequence[int] | None = None,
    round_turn: int = 5,
    number: int = 1,
    knocker: int = -1,
    turns_left: int = -1,
    knows: Mapping[int, Sequence[Place]] | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 1,
) -> Position:
    """Set up a game at the beginning of a seat's turn.

    `rest` says where all cards not named lie: beneath the `stock` or beneath the `discards`.
    `knows[viewer]` are the places that a seat has seen. `turns_taken` are the own turns completed, `round_turn` the
    turns begun before this one, `number` the number of the round.
    """
    seats = len(hands)
    deck = tuple((options or {}).get("deck", DEFAULT_DECK))
    session = Session(table_of(seats, options, seed=seed), 0, is_logged=True)
    laid = [cards_of(hand) for hand in hands]
    _write_cards(session.state, deck, laid, cards_of(stock), cards_of(discards), rest)
    state = session.state
    _write_progress(state, seats, seat, knocker, turns_left, round_turn, number)
    for place in range(seats):
        state["totals"][place] = (totals or [0] * seats)[place]
        state["resets_of"][place] = (resets_of or [0] * seats)[place]
        state["turns_taken"][place] = (turns_taken or [1] * seats)[place]
    state["turns_taken"][state["active"]] -= 1  # The turn before ends just now.
    _write_views(state, deck, seats, dict(knows or {}))
    session._look()
    session.events.clear()
    session.apply(0)
    del session.events[0]
    return Position(session, deck)


def _write_cards(
    state: Any, deck: Sequence[str], hands: list[list[str]], stock: list[str], discards: list[str], rest: str
) -> None:
    """Lay the hands and the two piles, bottom first."""
    index = {card: place for place, card in enumerate(deck)}
    named = [card for hand in hands for card in hand if card != "-"] + stock + discards
    assert len(set(named)) == len(named), "a card is named twice"
    others = [card for card in deck if card not in named]
    stock = stock + others if rest == "stock" else stock
    discards = discards + others if rest == "discards" else discards
    state["cells"][:] = CELL_EMPTY
    state["counts"][:] = state["slots"][:] = 0
    for seat, hand in enumerate(hands):
        state["slots"][seat] = len(hand)
        state["counts"][seat] = sum(card != "-" for card in hand)
        for slot, card in enumerate(hand):
            if card != "-":
                state["places"][seat, slot] = (index[card], 0, 0)
    state["in_hands"] = state["counts"].sum()
    for pile, cards in (("stock", stock), ("discard", discards)):
        state[f"{pile}_cards"][: len(cards)] = [index[card] for card in reversed(cards)]
    state["stock"], state["discards"] = len(stock), len(discards)
    state["top"] = index[discards[0]] if discards else CARD_NONE


def _write_progress(
    state: Any, seats: int, seat: int, knocker: int, turns_left: int, round_turn: int, number: int
) -> None:
    """Put the game at the knock question of the seat before."""
    before = (seat - 1) % seats
    if before == knocker:
        before = (seat - 2) % seats if seats > 2 else seat
    state["active"] = state["seat"] = before
    state["phase"], state["step"] = PHASE_KNOCK, engine._STEP_NEXT
    state["knocker"] = knocker
    state["turns_left"] = turns_left + 1 if knocker >= 0 else -1
    state["round_turn"] = state["turn"] = round_turn
    state["round_number"] = number
    state["generation"] = state["is_void"] = state["is_thrown"] = 0
    for count in ("decisions", "resets", "throws", "reshuffles", "knocks", "knocks_won", "penalties"):
        state[count] = 0


def _write_views(state: Any, deck: Sequence[str], seats: int, knows: dict[int, Sequence[Place]]) -> None:
    """Let every seat know the discards, the totals, and what `knows` says it has seen."""
    state["discarded"] = set_of(state["discard_cards"][: state["discards"]])
    state["face_up"] = 0
    unseen = [card for card in range(len(deck)) if card not in state["discard_cards"][: state["discards"]]]
    for viewer in range(seats):
        view = state["views"][viewer]
        state["unseen"][:, viewer] = set_of(unseen)
        state["unseen_count"][viewer] = len(unseen)
        state["unseen_points"][viewer] = sum(card_points(deck[card]) for card in unseen)
        view["totals"], view["resets_of"] = state["totals"], state["resets_of"]
        view["turns_taken"], view["pool"] = state["turns_taken"], 0
    for viewer, places in knows.items():
        for place in places:
            card = int(state["places"]["card"][place])
            state["places"]["knowers"][place] |= 1 << viewer
            state["views"][viewer]["seen"][card] = state["turn"]
            state["unseen"][card // 64, viewer] &= ~np.uint64(1 << card % 64)
            state["unseen_count"][viewer] -= 1
            state["unseen_points"][viewer] -= card_points(deck[card])
    for viewer in range(seats):
        places = state["views"][viewer]["places"]
        places[:] = state["places"]
        places["card"][~knows_place(state, viewer)] = CARD_NONE


def set_of(cards: Iterable[int]) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    """Give cards as a set: a bit each."""
    words = [0] * SET_WORDS
    for card in cards:
        words[int(card) // 64] |= 1 << int(card) % 64
    return np.array(words, np.uint64)


def cards_in(words: Any) -> set[int]:
    """Give the cards of a set."""
    return {64 * place + bit for place, word in enumerate(words) for bit in range(64) if int(word) >> bit & 1}


def knows_place(state: Any, viewer: int) -> Any:
    """Say for each place whether a seat has seen the card in it."""
    return (state["places"]["knowers"] >> viewer) & 1 != 0


# ── What holds in every state ────────────────────────────────────────────────────────────────────────────────────────


def conserve(state: Any) -> None:
    """Assert what holds after every event: each card lies in one place, and every view is right (P-2, VIE-16)."""
    rules = state["rules"]
    seats, cards = int(rules["seats"]), int(rules["cards"])
    hands = state["places"]["card"][:seats]
    in_hands = hands[hands != CARD_NONE]
    stock = state["stock_cards"][: state["stock"]]
    discards = state["discard_cards"][: state["discards"]]
    drawn = [state["drawn"]] if state["phase"] in (PHASE_SWAP, PHASE_KEEP) else []
    assert sorted([*in_hands, *stock, *discards, *drawn]) == list(range(cards))
    assert state["in_hands"] == len(in_hands)
    assert cards_in(state["discarded"]) == set(discards.tolist())
    for seat in range(seats):
        filled = np.flatnonzero(hands[seat] != CARD_NONE)
        assert state["counts"][seat] == len(filled)
        assert state["slots"][seat] == (filled[-1] + 1 if len(filled) else 0)
    for viewer in range(seats):
        _is_right(state, viewer, hands, discards)


def _is_right(state: Any, viewer: int, hands: Any, discards: Any) -> None:
    """Assert that a view knows only what is so, counts what it does not know, and agrees with the others."""
    rules, view, places = state["rules"], state["views"][viewer], state["places"][: int(state["rules"]["seats"])]
    cards = int(rules["cards"])
    seen = view["places"][: len(places)]
    is_known, is_card = seen["card"] != CARD_NONE, hands != CARD_NONE
    assert np.array_equal(seen["card"][is_known], hands[is_known])
    assert np.array_equal(is_known, knows_place(state, viewer)[: len(places)])
    assert np.array_equal(seen["origin"] != ORIGIN_NONE, is_card)
    assert np.array_equal(seen[["knowers", "origin"]], places[["knowers", "origin"]])
    times = view["seen"][seen["card"][is_known]]
    assert np.all((times <= state["turn"]) | (times == SEEN_OPEN))
    located = {*seen["card"][is_known].tolist(), *discards.tolist()}
    if state["phase"] == PHASE_SWAP or (state["phase"] == PHASE_KEEP and state["seat"] == viewer):
        located.add(int(state["drawn"]))
    unseen = sorted(set(range(cards)) - located)
    assert cards_in(state["unseen"][:, viewer]) == set(unseen)
    assert state["unseen_count"][viewer] == len(unseen)
    assert state["unseen_points"][viewer] == rules["points_of"][unseen].sum()
    if viewer == state["seat"] and state["phase"] != PHASE_OVER:
        for name in ("unseen_count", "unseen_points"):
            assert view[name] == state[name][viewer]
        assert np.array_equal(view["unseen"], state["unseen"][:, viewer])
    hidden = is_card & ~is_known
    assert np.array_equal(view["pool"][hands[hidden]], seen["origin"][hidden])
    for name in ("totals", "turns_taken", "resets_of"):
        assert np.array_equal(view[name][: len(places)], state[name][: len(places)])


# ── Pairs of deals that differ in what a seat has not seen ───────────────────────────────────────────────────────────


def swap_hidden(state: Any, draw: Callable[[int], int]) -> set[int]:
    """Let two cards that lie hidden change places, and give the seats that have seen neither.

    Both are of one stock, so that each seat could hold either deal for true. What the other seats know is put right.
    `draw(n)` chooses one of n.
    """
    seats = int(state["rules"]["seats"])
    spots: list[tuple[str, Any]] = [("stock_cards", index) for index in range(state["stock"])]
    spots += [("places", (seat, slot)) for seat, slot in np.argwhere(state["places"]["card"][:seats] != CARD_NONE)]
    soon = max(0, int(state["stock"]) - 4)  # Half of the time one of them is near the top, so that it comes into play.
    one = spots[soon + draw(min(4, len(spots) - soon)) if draw(2) else draw(len(spots))]
    pool = state["views"][0]["pool"]
    alike = [spot for spot in spots if pool[_card_at(state, spot)] == pool[_card_at(state, one)]]
    other = alike[draw(len(alike))]
    a, b = _card_at(state, one), _card_at(state, other)
    for (name, spot), card in ((one, b), (other, a)):
        (state["places"]["card"] if name == "places" else state[name])[spot] = card
    blind = set()
    for seat in range(seats):
        unseen = state["unseen"][:, seat]
        is_unseen = [card in cards_in(unseen) for card in (a, b)]
        if all(is_unseen):
            blind.add(seat)
            continue
        known = state["views"][seat]["places"]["card"]
        for (name, spot), card in ((one, b), (other, a)):
            if name == "places" and known[spot] != CARD_NONE:
                known[spot] = card
        if is_unseen[0] != is_unseen[1]:
            unseen ^= set_of({a, b})
            sign = 1 if is_unseen[0] else -1
            points = state["rules"]["points_of"]
            state["unseen_points"][seat] += sign * (int(points[b]) - int(points[a]))
    return blind if a != b else set()


def _card_at(state: Any, spot: tuple[str, Any]) -> int:
    """Read the card at a spot of the stock or of a hand."""
    name, index = spot
    return int((state["places"]["card"] if name == "places" else state[name])[index])


def seen_by(event: Event, seats: int) -> set[int]:
    """Say who sees the cards of an event (docs/transcripts.md)."""
    if event["event"] == "look" or (event["event"] == "draw" and event["source"] == "stock"):
        return {event["seat"]}
    return set() if event["event"] == "penalty" else set(range(seats))


def shown(event: Event) -> Event:
    """An event without what only its seat sees: a card that is placed was seen when it was drawn."""
    return {key: value for key, value in event.items() if event["event"] != "place" or key != "card"}


def secrets(session: Session) -> list[int]:
    """List the answers in a throw window: they are shown to nobody before the last is given (VIE-23)."""
    return session.legal() if session.phase == "throw" else []


def window(state: Any) -> Hashable:
    """Name the throw window that is open, if one is."""
    return (int(state["turn"]), int(state["window"])) if state["phase"] == PHASE_THROW else None


POSITIONS = vierer_worlds.POSITIONS

# A line of the engine, and what leaks in its place.
PLANTED = {
    "the top of the stock": (
        "    return view\n",
        "    view.stock += 64 * state.stock_cards[max(0, state.stock - 1)]\n    return view\n",
    ),
    "a penalty card": (
        "    state.penalties[seat] += 1\n",
        "    state.penalties[seat] += 1\n    state.views[seat].seen[slot] = card\n",
    ),
    "a far card of another": (
        "    return view\n",
        "    view.turn += np.int64(state.places[after(state, seat), 3].card)\n    return view\n",
    ),
}


# ── What is played ───────────────────────────────────────────────────────────────────────────────────────────────────

SEATS = (2, 3, 5)
VALUES = {"deck": [DEFAULT_DECK[:30], 2 * DEFAULT_DECK]}


def forced(session: Session, rng: np.random.Generator) -> int:
    """Choose a legal action: mostly the plain one in a throw window, else any."""
    if session.phase == "throw" and rng.random() < 0.8:
        return session.legal()[0]
    return any_legal(session, rng)


def chance(events: Sequence[Event]) -> list[Any]:
    """The first start seat of a game, and its shuffles, round by round."""
    first_seat = next(event["first_seat"] for event in events if event["event"] == "round")
    return [first_seat, *(event["stock"] for event in events if event["event"] == "shuffle")]


MIXED: LineUp = ("careful,gambler:memory=5,snapper,careful", 4, {})

# All bots, options of every kind.
COMPARED: list[tuple[str, int, dict[str, Any], int]] = [
    ("careful,gambler,snapper,random", 4, {}, 1),
    ("careful:memory=8,snapper", 2, {"match_by": "points", "z_bonus": "always", "resets": "once"}, 2),
    ("gambler,snapper:memory=3", 3, {"give": "forced", "window": "after_discard", "tie": "knocker_loses"}, 2),
    ("careful,snapper", 5, {"late_penalty": True, "lock_knocker": True, "match_by": "either", "limit": 30}, 1),
    ("snapper,gambler", 6, {"stock_empty": "end_round", "hand_size": 6, "peek": 3, "limit": 30}, 1),
    ("careful,random", 2, {"initial_discard": False, "give": "never", "empty_ends_round": True, "limit": 40}, 1),
]

SAME_DEALS: list[LineUp] = [
    ("careful,gambler,snapper,random", 4, {}),
    ("careful,careful,random,gambler", 4, {}),
    ("snapper:memory=2,gambler,careful,random", 4, {}),
    ("careful,gambler,snapper,random", 4, {"knock_penalty": 20}),
    ("careful,gambler,snapper,random", 4, {"window": "after_discard", "give": "never"}),
]

GAMES: dict[str, LineUp] = {
    "random": ("random", 2, {"limit": 10, "hand_size": 2}),
    "careful": ("careful", 2, {"limit": 10, "max_rounds": 1}),
    "snapper_gives": ("snapper,gambler", 2, {"limit": 20, "give": "forced", "match_by": "points"}),
    "end_round": (
        "random",
        3,
        {"max_rounds": 1, "stock_empty": "end_round", "hand_size": 6, "window": "after_discard"},
    ),
}

CONTENT: dict[str, LineUp] = {
    "random": ("random", 4, {}),
    "careful": ("careful", 4, {}),
    "all bots": ("careful,gambler,snapper,random", 4, {}),
    "forgetful": ("careful:memory=6,snapper:memory=6", 3, {}),
    "options": (
        "careful,gambler",
        5,
        {"match_by": "either", "give": "forced", "late_penalty": True, "z_bonus": "always", "stock_empty": "end_round"},
    ),
}
