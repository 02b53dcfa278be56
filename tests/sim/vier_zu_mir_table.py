"""A table of Vier zu mir! in a position of one's own choosing, played on in the words of a transcript.

`stand` writes the STATE of a game at the beginning of a seat's turn, or with `at_start` of one that has just been dealt
(RULES.md, G-3, allows tests to inject the shuffled order), and lets the engine go on from there.

Below it stands what the tests of every game ask of this one (tests/sim/stepping.py, `Hooks`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sim.compiled import entry
from sim.games.vier_zu_mir import engine
from sim.games.vier_zu_mir.spec import (
    ACT_STOP,
    ANIMALS,
    CARDS,
    CYCLIC,
    HOLDER_NONE,
    PHASE_OVER,
    QUESTIONS,
    animals_in,
    set_of,
)
from sim.play import Session
from tests.sim.stepping import Event, LineUp, Listed, Told, make
from tests.sim.vier_zu_mir_worlds import positions

Choice = str | tuple[int, int]


@entry
def begin_game(record, seat):  # type: ignore[no-untyped-def]
    """Go on from a deal: what is complete is placed, then the seat begins."""
    state = record[0]
    state.first_seat = seat
    engine._place_at_start(state)
    engine._tell_table(state)
    if state.is_over == 0:
        engine._begin_turn(state, np.uint64(seat))


@entry
def begin_turn(record, seat):  # type: ignore[no-untyped-def]
    """Begin a seat's turn."""
    engine._tell_table(record[0])
    engine._begin_turn(record[0], np.uint64(seat))


class Position(Told):
    """A game at a decision, with what is asked in words."""

    def choices(self) -> set[Choice]:
        """The legal choices: "stop", or (other seat, animal)."""
        return {
            "stop" if action == ACT_STOP else (int(engine.seat_of(action)), int(engine.animal_of(action)))
            for action in self.session.legal()
        }

    def ask(self, seat: int, other: int, animal: int) -> "Position":
        """Let a seat ask another for an animal; it must be its turn."""
        assert self.seat == seat
        self.session.apply(int(engine.ask(other, animal)))
        return self

    def stop(self, seat: int) -> "Position":
        """Let a seat stop; it must be its turn."""
        assert self.seat == seat
        self.session.apply(ACT_STOP)
        return self

    def tubes(self, seat: int) -> list[int]:
        """The animals of a seat, rising."""
        return animals_in(int(self.state["tubes"][seat]))

    def hand(self, seat: int) -> list[int]:
        """The search cards of a seat, in the order in which it got them."""
        return [int(card) for card in self.state["hands"][seat][: self.state["cards_of"][seat]]]

    @property
    def placed(self) -> list[int]:
        """The cards that each seat has placed."""
        return [int(count) for count in self.state["placed"][: self.state["rules"]["seats"]]]

    @property
    def stack(self) -> list[int]:
        """The stack, from the top."""
        count = int(self.state["stack"])
        return [int(card) for card in self.state["cards"][CARDS - count :]] if count else []

    def rows(self) -> tuple[dict[str, int], list[dict[str, int]]]:
        """The rows of the finished game and of its seats, by column."""
        game = self.session.table.game
        games, seats, _ = self.session.rows()
        names = [column.name for column in game.seat_columns]
        first = {column.name: int(cell) for column, cell in zip(game.game_columns, games[0], strict=True)}
        return first, [dict(zip(names, map(int, row), strict=True)) for row in seats]


def stand(
    tubes: Sequence[Sequence[int]],
    hands: Sequence[Sequence[int]],
    stack: Sequence[int] | None = None,
    *,
    seat: int = 0,
    at_start: bool = False,
    placed: Sequence[int] = (),
    options: Mapping[str, Any] | None = None,
) -> Position:
    """Set up a game at the beginning of a seat's turn, before anybody has asked for anything.

    Animals that `tubes` does not name go to the last seat. Without a `stack` all cards lie there that no hand names;
    with one, the cards named nowhere count as `placed` by the seats, as many as that says. With `at_start` the game
    begins with this seat: what is complete is placed first.
    """
    seats = len(tubes)
    session = Session(make("vier_zu_mir", "random", seats, options, deals=1), 0, is_logged=True)
    state = session.state
    left = [animal for animal in range(ANIMALS) if not any(animal in each for each in tubes)]
    laid = [*map(list, tubes[:-1]), [*tubes[-1], *left]]
    named = [card for hand in hands for card in hand]
    pile = [card for card in range(CARDS) if card not in named] if stack is None else list(stack)
    gone = [card for card in range(CARDS) if card not in named and card not in pile]
    assert sorted([*named, *pile, *gone]) == list(range(CARDS))
    assert stack is None or sum(placed) == len(gone), f"{len(gone)} cards must have been placed"
    begun = session.table.state()[0]
    for name in ("hits", "stops", "stops_of", "hits_of", "asked", "decisions"):
        state[name] = 0
    for name in ("block", "holder", "lacks", "seen", "asks", "may_stop"):
        state[name] = begun["fresh"][name]
        for place in range(seats):
            state["views"][place][name] = begun["fresh"][name]
    state["is_over"] = state["phase"] = state["status"] = state["turn"] = 0
    state["hands"] = 0
    for place in range(seats):
        state["tubes"][place] = set_of(laid[place])
        state["tubes_of"][place] = state["unknown"][place] = len(laid[place])
        state["hands"][place][: len(hands[place])] = hands[place]
        state["cards_of"][place] = len(hands[place])
        state["placed"][place] = placed[place] if placed else 0
        state["views"][place]["questions"] = state["views"][place]["shows"] = 0
        state["views"][place]["hand"] = state["hands"][place]
        find_needed(state, place)
    state["cards"] = [*named, *gone, *pile]
    state["stack"] = len(pile)
    session.events.clear()
    with np.errstate(over="ignore"):
        (begin_game if at_start else begin_turn)(session._record, seat)
    session._drain()
    session._look()
    return Position(session)


def wanted(state: Any, seat: int) -> int:
    """The animals on a seat's cards, as a set."""
    animals = 0
    for card in state["hands"][seat][: state["cards_of"][seat]]:
        animals |= int(state["sets"][card])
    return animals


def needed(state: Any, seat: int) -> int:
    """What a seat may ask for, found anew: on its cards, not in its tubes (VZM-12)."""
    return wanted(state, seat) & ~int(state["tubes"][seat])


def find_needed(state: Any, seat: int) -> None:
    """Write what a seat may ask for into a STATE whose tubes and hands were written (modified)."""
    animals = animals_in(needed(state, seat))
    state["wanted"][seat] = wanted(state, seat)
    state["views"][seat]["tubes"] = state["tubes"][seat]
    state["needed"][seat] = state["views"][seat]["needed"] = set_of(animals)
    state["views"][seat]["needed_count"] = len(animals)


# ── What holds in every state ────────────────────────────────────────────────────────────────────────────────────────


def conserve(state: Any) -> None:
    """Assert what holds after every event: each tube and each card is in one place, and every view is right (P-2)."""
    rules = state["rules"]
    seats = range(int(rules["seats"]))
    animals = [animal for seat in seats for animal in animals_in(int(state["tubes"][seat]))]
    assert sorted(animals) == list(range(ANIMALS))
    hands = [[int(card) for card in state["hands"][seat][: state["cards_of"][seat]]] for seat in seats]
    count = int(state["stack"])
    stack = [int(card) for card in state["cards"][CARDS - count :]] if count else []
    shown = [int(word) & 31 for word in state["views"][0]["shows"][: state["shown"]]]
    named = [*(card for hand in hands for card in hand), *stack, *shown]
    assert len(set(named)) == len(named)
    assert len(named) - len(shown) + state["placed"].sum() == CARDS  # P-5
    for seat in seats:
        assert state["tubes_of"][seat] == len(animals_in(int(state["tubes"][seat])))
        assert state["needed"][seat] == needed(state, seat)
        assert state["wanted"][seat] == wanted(state, seat)
        assert len(hands[seat]) == rules["hand_cards"] or not stack
        is_right(state, seat)


def is_right(state: Any, seat: int) -> None:
    """Assert that what all know is so, and that a view has it."""
    view, seats = state["views"][seat], range(int(state["rules"]["seats"]))
    tubes = [int(state["tubes"][place]) for place in seats]
    for animal in range(ANIMALS):
        holder, lacks = int(state["holder"][animal]), int(state["lacks"][animal])
        assert holder == HOLDER_NONE or tubes[holder] >> animal & 1
        assert not any(lacks >> place & 1 and tubes[place] >> animal & 1 for place in seats)
        assert state["seen"][animal] <= state["turn"]
    for place in seats:
        known = sum(int(holder) == place for holder in state["holder"])
        assert state["unknown"][place] == state["tubes_of"][place] - known
    assert list(view["hand"]) == list(state["hands"][seat])
    assert int(view["questions"][(int(state["asks"]) - 1) % QUESTIONS]) != 0 or state["asks"] == 0
    if seat == state["seat"] and state["phase"] != PHASE_OVER:
        for name in ("holder", "lacks", "seen", "tubes_of", "unknown", "cards_of", "placed", "asks", "turn", "stack"):
            assert np.array_equal(view[name], state[name])
        assert view["tubes"] == state["tubes"][seat]
        assert view["needed"] == state["needed"][seat]
        assert view["needed_count"] == len(animals_in(int(view["needed"])))


# ── What is hidden ───────────────────────────────────────────────────────────────────────────────────────────────────


def swap_hidden(state: Any, draw: Callable[[int], int]) -> set[int]:
    """Let two hidden animals, or two hidden search cards, change places; see tests/sim/stepping.py."""
    seats = int(state["rules"]["seats"])
    touched = _swap_animals(state, draw) if draw(2) else _swap_cards(state, draw)
    for seat in touched:
        find_needed(state, seat)
        state["views"][seat]["hand"] = state["hands"][seat]
    # Where somebody in turn could ask for nothing any more, nothing was changed for anybody's eyes.
    is_stuck = any(needed(state, seat) == 0 for seat in range(seats))
    return set(range(seats)) - touched if touched and not is_stuck else set()


def _swap_animals(state: Any, draw: Callable[[int], int]) -> set[int]:
    """Let two animals that nobody but their owners has seen change places; gives the owners."""
    hidden = np.flatnonzero(state["holder"] == HOLDER_NONE)
    if len(hidden) < 2:
        return set()
    one, other = (int(hidden[draw(len(hidden))]) for _ in range(2))
    seats = range(int(state["rules"]["seats"]))
    owners = [next(seat for seat in seats if int(state["tubes"][seat]) >> animal & 1) for animal in (one, other)]
    if owners[0] == owners[1]:
        return set()
    for seat in owners:
        state["tubes"][seat] ^= np.uint32(1 << one | 1 << other)
    return set(owners)


def _swap_cards(state: Any, draw: Callable[[int], int]) -> set[int]:
    """Let two search cards in different hands, or in a hand and the stack, change places; gives who held them."""
    seats = int(state["rules"]["seats"])
    places = [(seat, place) for seat in range(seats) for place in range(int(state["cards_of"][seat]))]
    places += [(seats, CARDS - 1 - index) for index in range(int(state["stack"]))]
    one, other = (places[draw(len(places))] for _ in range(2))
    if one[0] == other[0]:
        return set()
    piles = [state["hands"][seat] if seat < seats else state["cards"] for seat, _ in (one, other)]
    piles[0][one[1]], piles[1][other[1]] = int(piles[1][other[1]]), int(piles[0][one[1]])
    return {seat for seat, _ in (one, other) if seat < seats}


def seen_by(event: Event, seats: int) -> set[int]:
    """Say who sees what an event tells (docs/transcripts.md)."""
    return {event["seat"]} if event["event"] in ("draw", "decision") else set(range(seats))


PLANTED = {
    "the tubes of the left neighbour": (
        "    view.tubes = tubes\n",
        "    view.tubes = tubes | state.tubes[(seat + 1) % state.rules.seats]\n",
    ),
    "the top of the stack": (
        "    view.turn = state.turn\n",
        "    view.turn = state.turn\n    view.hand[3] = state.cards[(CARDS - state.stack) % CARDS]\n",
    ),
    "how much the asker needs": (
        "    turn = np.uint64(state.turn) << np.uint64(12)\n",
        "    turn = np.uint64(state.turn + state.needed[seat] % 7) << np.uint64(12)\n",
    ),
}


# ── Other worlds ─────────────────────────────────────────────────────────────────────────────────────────────────────

POSITIONS: dict[str, Callable[[], Iterator[Listed]]] = positions()

# ── What is played ───────────────────────────────────────────────────────────────────────────────────────────────────

SEATS = (3, 5, 8)
VARIANTS: tuple[dict[str, Any], ...] = ({}, {"chain": False}, {"hand_cards": 3, "cards": "random"})
# Animals on 1 to 8 cards: not each on four.
OTHER_CARDS = (
    *(" ".join(map(str, sorted(CYCLIC[card]))) for card in range(0, CARDS, 2)),
    *(f"0 {card} {card + 5} {card + 11}" for card in range(1, 9)),
    *(f"1 2 {card} {card + 7}" for card in range(5, 9)),
)
VALUES = {
    "cards": [OTHER_CARDS, "random"],
    "ages": [(9, 7, 8), (4, 9, 8, 7, 6), (5, 4, 3, 2, 9, 8, 7)],
    "start_seat": [0, 2, 7],
}


def chance(events: Sequence[Event]) -> list[Any]:
    """What chance gave a game whatever its bots did: all that is told before the first turn but for what is placed."""
    drawn = [event for event in events if event["event"] in ("search_cards", "ages", "shuffle", "deal", "start")]
    return [value for event in drawn for value in event.values()]


def forced(session: Session, rng: np.random.Generator) -> int:
    """Choose a legal action: now and then one that hits, so that cards are completed."""
    legal, state = session.legal(), session.state
    hits = [
        action
        for action in legal
        if action != ACT_STOP and int(state["tubes"][engine.seat_of(action)]) >> int(engine.animal_of(action)) & 1
    ]
    chosen = hits if hits and rng.random() < 0.4 else legal
    return chosen[int(rng.integers(len(chosen)))]


MIXED: LineUp = ("detective,memory:memory=20,child,random", 4, {})

COMPARED: list[tuple[str, int, dict[str, Any], int]] = [
    ("detective,memory,child", 3, {}, 2),
    ("detective:memory=15:attention=0.7,memory:memory=8,child:memory=3,random", 5, {"chain": False}, 1),
    ("detective,memory", 8, {"cards": "random", "hand_cards": 3}, 1),
    ("memory,child", 7, {"voluntary_stop": False, "start_seat": 3}, 1),
    ("child,detective", 5, {"ages": (4, 9, 8, 7, 6), "hand_cards": 1}, 1),
    ("random,memory", 4, {"cards": OTHER_CARDS, "max_asks": 60}, 2),
]

SAME_DEALS: list[LineUp] = [
    ("detective,memory,child", 5, {}),
    ("random", 5, {"chain": False}),
    ("memory:memory=2,random", 5, {"voluntary_stop": False}),
]

GAMES: dict[str, LineUp] = {
    "random": ("random", 3, {"max_asks": 40}),
    "detective": ("detective,memory", 3, {}),
    "without_chain": ("memory,child", 4, {"chain": False, "hand_cards": 1}),
    "drawn_cards": ("detective,child", 5, {"cards": "random", "hand_cards": 3, "max_asks": 60}),
}

CONTENT: dict[str, LineUp] = {
    "all": ("detective,memory,child,random", 4, {}),
    "random": ("random", 3, {}),
    "eight": ("detective:attention=0.5:memory=30,memory:memory=12,child", 8, {}),
    "options": ("memory,random", 7, {"chain": False, "cards": "random", "voluntary_stop": False}),
    "many_cards": ("detective,child", 6, {"hand_cards": 4, "start_seat": 1}),
}
