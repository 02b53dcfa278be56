"""Every world of Vierer that agrees with what a seat has seen, listed by code of its own.

It follows the cards as unnamed tokens through the events that a seat sees, and names those tokens that the seat was
shown. What is left of each shuffle may lie in any order.
"""

from collections.abc import Iterator
from functools import partial
from itertools import permutations
from math import factorial, prod
from typing import Any

import numpy as np

from sim.play import Session
from tests.sim.stepping import Event, Listed, make, walk

Place = tuple[int, int]
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


def decisions(*, is_reshuffled: bool) -> Iterator[Listed]:
    """Games of a small deck at decisions with some, but not too many, worlds; no two of one phase."""
    options = {"deck": DECK, "hand_size": 2, "peek": 1, "max_turns": 60}
    rng = np.random.default_rng(3)
    phases = set()
    for deal in range(400):
        session = walk(Session(make("vierer", "random", 2, options), deal, is_logged=True), rng, int(rng.integers(60)))
        if session.is_over or session.phase in phases:
            continue
        tokens = Tokens(session.seat, session.events)
        if 6 <= tokens.count() <= 60 and is_reshuffled == (len(tokens.cards_of) > 1):
            phases.add(session.phase)
            worlds = list(tokens.worlds())
            assert len(set(worlds)) == len(worlds) == tokens.count()
            yield Listed(session, world_of, dict.fromkeys(worlds, 1 / len(worlds)))


POSITIONS = {
    "first shuffle": partial(decisions, is_reshuffled=False),
    "reshuffled": partial(decisions, is_reshuffled=True),
}
