"""Redealing: a full state drawn uniformly from all that agree with a view, checked against every world there is.

The worlds are listed by code of its own: it follows the cards as unnamed tokens through the events that a seat sees,
and names those tokens that the seat was shown. What is left of each shuffle may lie in any order.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from math import factorial, prod
from typing import Any

import numpy as np
import pytest

from sim.contract import game_names, load_game
from sim.job import Entrant, make_job
from sim.play import Session
from sim.table import make_table
from tests.sim.stepping import differing, twin, walk
from tests.sim.vierer_table import Event, Place, conserve, swap_hidden, table_of

World = tuple[tuple[tuple[Place, int], ...], tuple[int, ...]]
DECK = ("1 orange", "2 orange", "2 pink", "7 green", "9 pink", "X blue", "Z pink", "Z green", "1 blue")


class Tokens:
    """What one seat can work out: every card is a token, some with a name. A token is its shuffle and a number."""

    def __init__(self, seat: int, events: list[Event]) -> None:
        self.seat = seat
        self.name: dict[int, int] = {}
        self.shuffle_of: dict[int, int] = {}
        self.cards_of: list[set[int]] = []
        self.places: dict[Place, int] = {}
        self.stock: list[int] = []  # the top first
        self.discards: list[int] = []  # the top last
        self.drawn = -1
        for event in events:
            getattr(self, f"on_{event['event']}", lambda event: None)(event)

    def on_shuffle(self, event: Event) -> None:
        self.places, self.discards = {}, []
        self.name, self.shuffle_of, self.cards_of = {}, {}, []
        self._new_stock(set(event["stock"]))

    def on_reshuffle(self, event: Event) -> None:
        below = {self.name[token] for token in self.discards[:-1]}
        self.discards = self.discards[-1:]
        self._new_stock(below)

    def _new_stock(self, cards: set[int]) -> None:
        first = len(self.shuffle_of)
        self.stock = list(range(first, first + len(cards)))
        self.shuffle_of.update(dict.fromkeys(self.stock, len(self.cards_of)))
        self.cards_of.append(cards)

    def on_deal(self, event: Event) -> None:
        for seat, hand in enumerate(event["hands"]):
            for slot in range(len(hand)):
                self.places[seat, slot] = self.stock.pop(0)

    def on_look(self, event: Event) -> None:
        if event["seat"] == self.seat:
            self.name[self.places[event["owner"], event["slot"]]] = event["card"]

    def on_turn_up(self, event: Event) -> None:
        self._lay_open(self.stock.pop(0), event["card"])

    def _lay_open(self, token: int, card: int) -> None:
        self.name[token] = card
        self.discards.append(token)

    def on_draw(self, event: Event) -> None:
        self.drawn = self.discards.pop() if event["source"] == "discard" else self.stock.pop(0)
        if event["seat"] == self.seat:
            self.name[self.drawn] = event["card"]

    def on_place(self, event: Event) -> None:
        place = event["seat"], event["slot"]
        self._lay_open(self.places[place], event["out"])
        self.places[place] = self.drawn

    def on_throw_away(self, event: Event) -> None:
        self._lay_open(self.drawn, event["card"])

    def on_trade(self, event: Event) -> None:
        one, other = (event["seat"], event["slot"]), (event["other"], event["other_slot"])
        self.places[one], self.places[other] = self.places[other], self.places[one]

    def on_throw(self, event: Event) -> None:
        place = event["owner"], event["slot"]
        self.name[self.places[place]] = event["card"]
        if event["right"]:
            self._lay_open(self.places.pop(place), event["card"])

    def on_penalty(self, event: Event) -> None:
        self.places[event["seat"], event["slot"]] = self.stock.pop(0)

    def on_give(self, event: Event) -> None:
        self.places[event["owner"], event["owner_slot"]] = self.places.pop((event["seat"], event["slot"]))

    def hidden(self) -> list[tuple[list[int], list[int]]]:
        """For each shuffle the tokens without a name that lie somewhere, and the cards that they may be."""
        there = [*self.places.values(), *self.stock]
        named = {self.name[token] for token in [*there, *self.discards, self.drawn] if token in self.name}
        groups = []
        for shuffle, cards in enumerate(self.cards_of):
            tokens = [token for token in there if self.shuffle_of[token] == shuffle and token not in self.name]
            later = set().union(*self.cards_of[shuffle + 1 :])
            groups.append((tokens, sorted(cards - named - later)))
        return groups

    def count(self) -> int:
        return prod(factorial(len(tokens)) for tokens, _ in self.hidden())

    def worlds(self) -> Iterator[World]:
        """Every world that agrees with what the seat has seen."""
        names = [self.name]
        for tokens, cards in self.hidden():
            assert len(tokens) == len(cards)
            names = [
                {**name, **dict(zip(tokens, order, strict=True))} for name in names for order in permutations(cards)
            ]
        for name in names:
            places = tuple(sorted((place, name[token]) for place, token in self.places.items()))
            yield places, tuple(name[token] for token in self.stock)


def world_of(state: Any) -> World:
    """A state's cards in places, and its stock from the top."""
    seats = int(state["rules"]["seats"])
    cards = state["places"]["card"]
    places = tuple(
        ((seat, slot), int(cards[seat, slot]))
        for seat in range(seats)
        for slot in range(int(state["slots"][seat]))
        if cards[seat, slot] >= 0
    )
    return places, tuple(int(card) for card in state["stock_cards"][: state["stock"]][::-1])


def redealt(session: Session, word: int) -> Any:
    """Draw one state that agrees with the deciding seat's view."""
    record = session.table.state()
    with np.errstate(over="ignore"):
        session.table.game.engine.redealt(session.state["views"], session.seat, record, np.uint64(word))
    return record


def positions(is_reshuffled: bool) -> Iterator[tuple[Session, Tokens]]:
    """Games of a small deck at decisions with some, but not too many, worlds; no two of one phase."""
    options = {"deck": DECK, "hand_size": 2, "peek": 1, "max_turns": 60}
    rng = np.random.default_rng(3)
    phases = set()
    for deal in range(400):
        session = walk(Session(table_of(2, options), deal, is_logged=True), rng, int(rng.integers(60)))
        if session.is_over or session.phase in phases:
            continue
        tokens = Tokens(session.seat, session.events)
        if 6 <= tokens.count() <= 60 and is_reshuffled == (len(tokens.cards_of) > 1):
            phases.add(session.phase)
            yield session, tokens


@pytest.mark.parametrize("is_reshuffled", [False, True])
def test_every_world_is_drawn_equally_often_and_no_other(is_reshuffled: bool) -> None:
    tried = 0
    for session, tokens in positions(is_reshuffled):
        worlds = list(tokens.worlds())
        assert len(set(worlds)) == len(worlds) == tokens.count()
        assert world_of(session.state) in worlds
        draws = 25 * len(worlds)
        counts = Counter(world_of(redealt(session, 977 * word + tried)[0]) for word in range(draws))
        assert set(counts) == set(worlds)
        # Chi-square of k - 1 degrees of freedom: mean k - 1, deviation sqrt(2 (k - 1)); five of them, 5 for its tail.
        chi = sum((counts[world] - 25) ** 2 / 25 for world in worlds)
        free = len(worlds) - 1
        assert chi < free + 5 * (2 * free) ** 0.5 + 5, session.phase
        tried += 1
    assert tried >= 5


@pytest.mark.parametrize("name", game_names())
def test_a_redealt_state_looks_the_same_and_can_be_played_to_its_end(name: str) -> None:
    game, rng = load_game(name), np.random.default_rng(4)
    job = make_job(game, entrants=[Entrant("random")], seats=3, deals=1, seed=2)
    actions = np.zeros(1 << 13, np.int64)
    for deal in range(60):
        session = walk(Session(make_table(job), deal), rng, int(rng.integers(300)))
        if session.is_over:
            continue
        seat = session.seat
        record = redealt(session, deal)
        count = game.engine.look(record, actions)
        conserve(record[0])
        assert actions[:count].tolist() == session.legal()
        assert differing(record[0]["views"][seat], session.state["views"][seat], but=("word",)) == []
        steps = 0
        while not record[0]["is_over"] and steps < 100_000:
            count = game.engine.look(record, actions)
            assert game.engine.act(record, int(actions[int(rng.integers(count))]))
            steps += 1
        assert record[0]["is_over"]


def test_redealing_depends_on_the_word_and_on_nothing_hidden() -> None:
    session = walk(Session(table_of(3), 5, is_logged=True), np.random.default_rng(6), 40)
    assert redealt(session, 1).tobytes() == redealt(session, 1).tobytes()
    assert world_of(redealt(session, 1)[0]) != world_of(redealt(session, 2)[0])
    rng = np.random.default_rng(7)
    other = twin(session)
    while session.seat not in swap_hidden(other.state, lambda count: int(rng.integers(count))):
        other = twin(session)
    other._look()
    assert redealt(other, 1).tobytes() == redealt(session, 1).tobytes()
