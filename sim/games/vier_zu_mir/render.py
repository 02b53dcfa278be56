"""Vier zu mir! in words: the engine's log as the events of a transcript, and a transcript as text."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from sim.games.vier_zu_mir.engine import animal_of, seat_of
from sim.games.vier_zu_mir.spec import (
    ACT_STOP,
    ANIMAL_NAMES,
    CARDS,
    EVENTS,
    STATUS_CAPPED,
    Spec,
    animals_in,
)


def options(spec: Spec) -> dict[str, Any]:
    """Write every option with its value, the search cards with their animals where they are given."""
    plain: dict[str, Any] = msgspec.to_builtins(spec)
    plain["cards"] = [list(card) for card in spec.search_cards] or "random"
    if not isinstance(spec.ages, str):
        plain["ages"] = list(spec.ages)
    return plain


def decision(state: Any, made: Any) -> dict[str, Any]:
    """Describe a decision as an event, from the STATE in which it is made."""
    action = int(made.action)
    choice = "stop" if action == ACT_STOP else ["ask", int(seat_of(action)), int(animal_of(action))]
    return {"event": "decision", "point": made.phase, "seat": made.seat, "choice": choice, "legal": made.legal}


Rows = Iterator[list[int]]


def events(state: Any, log: Any) -> Iterator[dict[str, Any]]:
    """Turn rows of the engine's log into events."""
    rows = iter([[int(number) for number in row] for row in log])
    for row in rows:
        name = EVENTS[row[0]]
        yield {"event": name, **_MAKERS[name](state, row[1:], rows)}


def _seats(state: Any) -> int:
    return int(state["rules"]["seats"])


def _listed(array: Any) -> list[int]:
    return [int(number) for number in array]


def _search_cards(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"cards": [animals_in(next(rows)[1]) for _ in range(CARDS)]}


def _ages(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"order": _listed(state["ages"][: _seats(state)]), "chance": bool(row[0])}


def _shuffle(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"animals": _listed(state["animals"]), "cards": _listed(state["cards"])}


def _deal(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    """Tell the deal, which follows from the shuffled animals and cards and from how many each seat gets."""
    seats, size = _seats(state), int(state["rules"]["hand_cards"])
    by_age = dict(zip(_listed(state["ages"][:seats]), _listed(state["tubes_by_age"][:seats]), strict=True))
    animals, cards = iter(_listed(state["animals"])), iter(_listed(state["cards"]))
    return {
        "tubes": [[next(animals) for _ in range(by_age[seat])] for seat in range(seats)],
        "hands": [[next(cards) for _ in range(size)] for _ in range(seats)],
        "stack": list(cards),
    }


def _start(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"seat": row[0], "chance": bool(row[1])}


def _turn(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"turn": row[0], "seat": row[1]}


def _answer(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"seat": row[0], "asked": row[1], "animal": row[2], "hit": bool(row[3])}


def _show(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"seat": row[0], "card": row[1], "animals": animals_in(row[2])}


def _draw(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"seat": row[0], "card": row[1]}


def _game_end(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    placed = _listed(state["placed"][: _seats(state)])
    return {
        "status": "capped" if row[0] == STATUS_CAPPED else "finished",
        "placed": placed,
        "places": [1 + sum(other > cards for other in placed) for cards in placed],
        "winners": [seat for seat, cards in enumerate(placed) if cards == max(placed)],
    }


_MAKERS: dict[str, Callable[[Any, list[int], Rows], dict[str, Any]]] = {
    "search_cards": _search_cards,
    "ages": _ages,
    "shuffle": _shuffle,
    "deal": _deal,
    "start": _start,
    "turn": _turn,
    "answer": _answer,
    "show": _show,
    "draw": _draw,
    "game_end": _game_end,
}


# ── Text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


class _Teller:
    """Words for the animals, cards and seats of one transcript, as all or as one seat saw them."""

    def __init__(self, transcript: Mapping[str, Any], seat: int | None) -> None:
        self.names = [f"{place} {name}" for place, name in enumerate(transcript["entrants"])]
        self.seat = seat
        drawn = [event["cards"] for event in transcript["events"] if event["event"] == "search_cards"]
        self.cards = drawn[0] if drawn else transcript["options"]["cards"]

    def is_shown(self, seat: int) -> bool:
        """Say whether what only this seat knows is told."""
        return self.seat is None or self.seat == seat

    def animals(self, animals: list[int]) -> str:
        """Name animals."""
        return ", ".join(map(_name, animals)) or "nothing"

    def card(self, card: int, knower: int) -> str:
        """Name a search card by its animals, if it is told."""
        return f"[{self.animals(self.cards[card])}]" if self.is_shown(knower) else "[?]"

    def deal(self, event: Mapping[str, Any]) -> Iterator[str]:
        """Tell who was dealt what."""
        for seat, name in enumerate(self.names):
            tubes, hand = event["tubes"][seat], event["hands"][seat]
            has = self.animals(sorted(tubes)) if self.is_shown(seat) else f"{len(tubes)} tubes"
            yield f"{name} has {has}; search cards {' '.join(self.card(card, seat) for card in hand)}"
        if self.seat is None:
            yield f"The stack from the top: {' '.join(self.card(card, 0) for card in event['stack'])}"


def _name(animal: int) -> str:
    """Give an animal's name, to be read."""
    return ANIMAL_NAMES[animal].replace("_", " ")


_Telling = Callable[[_Teller, Mapping[str, Any], str], str]


# One line an event, from the event and the name of its seat; events that are not here are told by others or not at all.
_TOLD: dict[str, _Telling] = {
    "ages": lambda told, event, who: (
        f"From the oldest to the youngest: {', '.join(told.names[seat] for seat in event['order'])}"
    ),
    "start": lambda told, event, who: f"{who} starts.",
    "turn": lambda told, event, who: f"\nTurn {event['turn']}: {who}",
    "answer": lambda told, event, who: (
        f"  asks {told.names[event['asked']]} for {_name(event['animal'])}: {'yes' if event['hit'] else 'no'}"
    ),
    "show": lambda told, event, who: f"  {who} shows {told.animals(event['animals'])}: one card placed",
    "draw": lambda told, event, who: f"  {who} draws {told.card(event['card'], event['seat'])}",
    "decision": lambda told, event, who: "  stops" if event["choice"] == "stop" else "",
    "game_end": lambda told, event, who: (
        f"\nThe game is {'capped' if event['status'] == 'capped' else 'over'}: "
        f"{', '.join(f'{name} {cards}' for name, cards in zip(told.names, event['placed'], strict=True))}; "
        f"{', '.join(told.names[seat] for seat in event['winners'])} won."
    ),
}


def text(transcript: Mapping[str, Any], seat: int | None = None) -> Iterator[str]:
    """Tell a transcript line by line, for all, or as one seat saw it: what it does not know as '?'."""
    told = _Teller(transcript, seat)
    for event in transcript["events"]:
        if event["event"] == "deal":
            yield from told.deal(event)
        elif event["event"] in _TOLD:
            line = _TOLD[event["event"]](told, event, told.names[event["seat"]] if "seat" in event else "")
            if line:
                yield line
