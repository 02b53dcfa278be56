"""Vierer in words: the engine's log as the events of a transcript, and a transcript as text."""

from collections.abc import Callable, Iterable, Iterator, Mapping
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


# ── Text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def text(transcript: Mapping[str, Any], seat: int | None = None) -> Iterator[str]:
    """Tell a transcript line by line, for all, or as one seat saw it (hidden cards are a '?')."""
    deck = transcript["options"]["deck"]
    names = [f"{place} {name}" for place, name in enumerate(transcript["entrants"])]
    windows = {"start": "before the draw", "end": "after the discard"}

    def card(index: int, knowers: Iterable[int] | None = None) -> str:
        is_seen = seat is None or knowers is None or seat in knowers
        return f"[{deck[index]}]" if is_seen else "[?]"

    for event in transcript["events"]:
        kind = event["event"]
        who = names[event["seat"]] if "seat" in event else ""
        if kind == "round":
            drawn = " (drawn)" if event["chance"] else ""
            yield f"\nRound {event['round']}: {names[event['first_seat']]} starts{drawn}"
        elif kind == "deal" and seat is None:
            for place, hand in enumerate(event["hands"]):
                yield f"  {names[place]} is dealt {' '.join(card(each) for each in hand)}"
        elif kind == "look":
            owner = "an own card" if event["owner"] == event["seat"] else f"a card of {names[event['owner']]}"
            yield f"  {who} looks at {owner}, slot {event['slot']}: {card(event['card'], [event['seat']])}"
        elif kind == "turn_up":
            yield f"  first discard {card(event['card'])}"
        elif kind == "turn":
            yield f" Turn {event['turn']}: {who}"
        elif kind == "window" and seat is None:
            yield f"  window {windows[event['window']]}"
        elif kind == "decision":
            if event["choice"] == "yes" or (event["choice"] in ("decline", "leave", "none") and seat is None):
                yield f"  {who}, {event['point']}: {event['choice']}"
        elif kind == "draw":
            if event["source"] == "stock":
                yield f"  {who} draws {card(event['card'], [event['seat']])} from the stock"
            else:
                yield f"  {who} takes {card(event['card'])} from the discards"
        elif kind == "place":
            yield f"  {who} swaps it into slot {event['slot']} and discards {card(event['out'])}"
        elif kind == "throw_away":
            yield f"  {who} throws {card(event['card'])} away"
        elif kind == "trade":
            other = names[event["other"]]
            yield f"  {who} trades slot {event['slot']} for slot {event['other_slot']} of {other}, unseen"
        elif kind == "attempts" and len(event["order"]) > 1:
            yield f"  to throw, in order: {', '.join(names[place] for place in event['order'])}"
        elif kind == "throw":
            owner = "an own card" if event["owner"] == event["seat"] else f"a card of {names[event['owner']]}"
            verdict = "right" if event["right"] else "wrong"
            yield f"  {who} throws {owner}, slot {event['slot']}: {card(event['card'])}, {verdict}"
        elif kind == "penalty":
            yield f"  {who} gets a penalty card into slot {event['slot']}: {card(event['card'], [])}"
        elif kind == "no_penalty":
            yield f"  {who} should get a penalty card, but there is none"
        elif kind == "give":
            yield f"  {who} gives slot {event['slot']} to {names[event['owner']]}, slot {event['owner_slot']}, unseen"
        elif kind == "reshuffle":
            yield f"  {len(event['stock'])} discards become the stock"
        elif kind == "knock":
            yield f"  {who} has no cards and counts as knocking" if event["counted"] else f"  {who} knocks"
        elif kind == "round_end":
            yield from _told_round_end(event, names, card)
        elif kind == "game_end":
            winners = ", ".join(names[place] for place in event["winners"])
            losers = ", ".join(names[place] for place in event["losers"]) or "nobody"
            yield f"\nThe game is {event['status']}: {winners} won, {losers} lost."


def _told_round_end(
    event: Mapping[str, Any], names: list[str], card: Callable[[int], str]
) -> Iterator[str]:
    """Tell the end of a round."""
    reasons = {"knock": "after the knock", "stock": "the stock is empty", "max_turns": "too many turns"}
    success = {True: ": lowest, success", False: ": not the lowest", None: ""}[event["success"]]
    yield f" The round ends, {reasons[event['reason']]}{success}"
    for place, name in enumerate(names):
        hand = " ".join(card(each) for _, each in event["hands"][place]) or "no cards"
        reset = " (reset)" if place in event["resets"] else ""
        yield (
            f"  {name}: {hand} = {event['sums'][place]}, {event['points'][place]:+d}, "
            f"total {event['totals'][place]}{reset}"
        )


