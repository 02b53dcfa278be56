"""Vierer in words: the engine's log as the events of a transcript, and a transcript as text."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from sim.games.vierer.engine import own_slot_of, seat_of, slot_of
from sim.games.vierer.spec import (
    EVENTS,
    REASONS,
    SPECIAL_TRADE,
    STATUS_CAPPED,
    Spec,
)

_PLAIN = {
    "throw": ("pass",),
    "draw": ("stock", "discard"),
    "keep": ("throw_away",),
    "special": ("decline",),
    "take": ("leave",),
    "give": ("none",),
    "knock": ("no", "yes"),
    "swap": (),
}


def options(spec: Spec) -> dict[str, Any]:
    """Write every option with its value, the deck card by card."""
    plain: dict[str, Any] = msgspec.to_builtins(spec)
    return {**plain, "deck": list(spec.cards)}


def decision(state: Any, made: Any) -> dict[str, Any]:
    """Describe a decision as an event, from the STATE in which it is made."""
    words, action = _PLAIN[made.phase], made.action
    choice: str | list[int]
    if 0 <= action < len(words):
        choice = words[action]
    elif made.phase == "special" and int(state["special"]) == SPECIAL_TRADE:
        choice = [int(own_slot_of(action)), int(seat_of(action)), int(slot_of(action))]
    elif made.phase == "throw" or (made.phase == "special" and int(seat_of(action)) != made.seat):
        choice = [int(seat_of(action)), int(slot_of(action))]
    else:
        choice = [int(slot_of(action))]
    return {"event": "decision", "point": made.phase, "seat": made.seat, "choice": choice, "legal": made.legal}


# The keys of the events that are one row of the log each, in the order of the row's numbers.
_KEYS: dict[str, tuple[str, ...]] = {
    "look": ("seat", "owner", "slot", "card"),
    "turn_up": ("card",),
    "turn": ("turn", "seat"),
    "place": ("seat", "slot", "card", "out"),
    "throw_away": ("seat", "card"),
    "trade": ("seat", "slot", "other", "other_slot"),
    "penalty": ("seat", "slot", "card"),
    "no_penalty": ("seat",),
    "give": ("seat", "slot", "owner", "owner_slot"),
}


def events(state: Any, log: Any) -> Iterator[dict[str, Any]]:
    """Turn rows of the engine's log into events."""
    rows = iter([[int(number) for number in row] for row in log])
    for row in rows:
        name = EVENTS[row[0]]
        if name in _KEYS:
            yield {"event": name, **dict(zip(_KEYS[name], row[1:], strict=False))}
        else:
            yield {"event": name, **_MAKERS[name](state, row[1:], rows)}


def _cards(rows: Iterator[list[int]], count: int) -> list[int]:
    """Take the next `count` rows as cards (or seats)."""
    return [next(rows)[1] for _ in range(count)]


def _round(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    return {"round": row[0], "first_seat": row[1], "chance": bool(row[2])}


def _stock(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    return {"stock": _cards(rows, row[0])}


def _deal(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    seats = int(state["rules"]["seats"])
    dealt = _cards(rows, row[0])
    size = row[0] // seats
    return {"hands": [dealt[seat * size : (seat + 1) * size] for seat in range(seats)]}


def _window(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    return {"window": ("start", "end")[row[0]]}


def _draw(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    return {"seat": row[0], "source": ("stock", "discard")[row[1]], "card": row[2]}


def _attempts(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    return {"order": _cards(rows, row[0])}


def _throw(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    return {"seat": row[0], "owner": row[1], "slot": row[2], "card": row[3], "right": bool(row[4])}


def _knock(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    return {"seat": row[0], "counted": bool(row[1])}


def _round_end(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    seats = int(state["rules"]["seats"])
    hands: list[list[list[int]]] = [[] for _ in range(seats)]
    for _ in range(row[3]):
        _, seat, slot, card, *_ = next(rows)
        hands[seat].append([slot, card])
    by_seat = {line[1]: line for line in (next(rows) for _ in range(seats))}
    lines = [by_seat[seat] for seat in range(seats)]
    return {
        "reason": REASONS[row[0]],
        "knocker": row[1] if row[1] >= 0 else None,
        "success": bool(row[2]) if row[1] >= 0 else None,
        "hands": hands,
        "sums": [line[2] for line in lines],
        "points": [line[3] for line in lines],
        "resets": [line[1] for line in lines if line[4]],
        "totals": [line[5] for line in lines],
    }


def _game_end(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    totals = [int(total) for total in state["totals"][: int(state["rules"]["seats"])]]
    limit = int(state["rules"]["limit"])
    return {
        "status": "capped" if row[0] == STATUS_CAPPED else "finished",
        "totals": totals,
        "places": [1 + sum(other < total for other in totals) for total in totals],
        "winners": [seat for seat, total in enumerate(totals) if total == min(totals)],
        "losers": [seat for seat, total in enumerate(totals) if total > limit],
    }


_MAKERS: dict[str, Callable[[Any, list[int], Iterator[list[int]]], dict[str, Any]]] = {
    "round": _round,
    "shuffle": _stock,
    "reshuffle": _stock,
    "deal": _deal,
    "window": _window,
    "draw": _draw,
    "attempts": _attempts,
    "throw": _throw,
    "knock": _knock,
    "round_end": _round_end,
    "game_end": _game_end,
}


# ── Text ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class _Teller:
    """Words for the cards and seats of one transcript, as all or as one seat saw them."""

    def __init__(self, transcript: Mapping[str, Any], seat: int | None) -> None:
        self.deck = transcript["options"]["deck"]
        self.names = [f"{place} {name}" for place, name in enumerate(transcript["entrants"])]
        self.seat = seat

    def card(self, index: int, *knowers: int) -> str:
        """Name a card that only `knowers` see, or all of them if none are given."""
        is_hidden = self.seat is not None and bool(knowers) and self.seat not in knowers
        return "[?]" if is_hidden else f"[{self.deck[index]}]"

    def owned(self, event: Mapping[str, Any]) -> str:
        """Name the card that an event is about by whose it is and where it lies."""
        is_own = event["owner"] == event["seat"]
        owner = "an own card" if is_own else f"a card of {self.names[event['owner']]}"
        return f"{owner}, slot {event['slot']}"


_NOBODY = -1
_Telling = Callable[[_Teller, Mapping[str, Any], str], str]

# One line an event, from the event and the name of its seat; events that are not here are told by others or not at all.
_TOLD: dict[str, _Telling] = {
    "round": lambda told, event, who: (
        f"\nRound {event['round']}: {told.names[event['first_seat']]} starts{' (drawn)' if event['chance'] else ''}"
    ),
    "look": lambda told, event, who: f"  {who} looks at {told.owned(event)}: {told.card(event['card'], event['seat'])}",
    "turn_up": lambda told, event, who: f"  first discard {told.card(event['card'])}",
    "turn": lambda told, event, who: f" Turn {event['turn']}: {who}",
    "draw": lambda told, event, who: (
        f"  {who} draws {told.card(event['card'], event['seat'])} from the stock"
        if event["source"] == "stock"
        else f"  {who} takes {told.card(event['card'])} from the discards"
    ),
    "place": lambda told, event, who: (
        f"  {who} swaps it into slot {event['slot']} and discards {told.card(event['out'])}"
    ),
    "throw_away": lambda told, event, who: f"  {who} throws {told.card(event['card'])} away",
    "trade": lambda told, event, who: (
        f"  {who} trades slot {event['slot']} for slot {event['other_slot']} of {told.names[event['other']]}, unseen"
    ),
    "throw": lambda told, event, who: (
        f"  {who} throws {told.owned(event)}: {told.card(event['card'])}, {'right' if event['right'] else 'wrong'}"
    ),
    "penalty": lambda told, event, who: (
        f"  {who} gets a penalty card into slot {event['slot']}: {told.card(event['card'], _NOBODY)}"
    ),
    "no_penalty": lambda told, event, who: f"  {who} should get a penalty card, but there is none",
    "give": lambda told, event, who: (
        f"  {who} gives slot {event['slot']} to {told.names[event['owner']]}, slot {event['owner_slot']}, unseen"
    ),
    "reshuffle": lambda told, event, who: f"  {len(event['stock'])} discards become the stock",
    "knock": lambda told, event, who: (
        f"  {who} has no cards and counts as knocking" if event["counted"] else f"  {who} knocks"
    ),
    "game_end": lambda told, event, who: (
        f"\nThe game is {event['status']}: {_listed(told, event['winners'])} won, "
        f"{_listed(told, event['losers'])} lost."
    ),
}

# What a player at the table would not be told, or learns from what follows.
_TOLD_TO_ALL: dict[str, _Telling] = {
    "window": lambda told, event, who: (
        f"  throw window {'before the draw' if event['window'] == 'start' else 'after the discard'}"
    ),
    "attempts": lambda told, event, who: f"  to throw, in order: {_listed(told, event['order'])}",
}


def _listed(told: _Teller, seats: list[int]) -> str:
    """List seats by name."""
    return ", ".join(told.names[seat] for seat in seats) or "nobody"


def text(transcript: Mapping[str, Any], seat: int | None = None) -> Iterator[str]:
    """Tell a transcript line by line, for all, or as one seat saw it (hidden cards are a '?')."""
    told = _Teller(transcript, seat)
    tellings = _TOLD if seat is not None else {**_TOLD, **_TOLD_TO_ALL}
    for event in transcript["events"]:
        kind = event["event"]
        if kind in tellings:
            yield tellings[kind](told, event, told.names[event["seat"]] if "seat" in event else "")
        elif kind == "deal" and seat is None:
            for name, hand in zip(told.names, event["hands"], strict=True):
                yield f"  {name} is dealt {' '.join(told.card(card) for card in hand)}"
        elif kind == "round_end":
            yield from _told_round_end(told, event)


def _told_round_end(told: _Teller, event: Mapping[str, Any]) -> Iterator[str]:
    """Tell the end of a round."""
    reasons = {"knock": "after the knock", "stock": "the stock is empty", "max_turns": "too many turns"}
    success = {True: ": lowest, success", False: ": not the lowest", None: ""}[event["success"]]
    yield f" The round ends, {reasons[event['reason']]}{success}"
    for place, name in enumerate(told.names):
        hand = " ".join(told.card(card) for _, card in event["hands"][place]) or "no cards"
        reset = " (reset)" if place in event["resets"] else ""
        yield (
            f"  {name}: {hand} = {event['sums'][place]}, {event['points'][place]:+d}, "
            f"total {event['totals'][place]}{reset}"
        )
