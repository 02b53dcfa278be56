"""Four Corner Detective in words: the engine's log as the events of a transcript, and a transcript as text."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from sim.games.four_corner.spec import ACT_WRITE, DECK_CARDS, EVENTS, MODE_STANDARD, READING_UNIT, Spec, word_of


def options(spec: Spec) -> dict[str, Any]:
    """Write every option with its value, the deck card by card where it is a fixed one."""
    plain: dict[str, Any] = msgspec.to_builtins(spec)
    return {**plain, "deck": spec.deck if spec.deck == "uniform" else list(spec.cards)}


def decision(state: Any, made: Any) -> dict[str, Any]:
    """Describe a decision as an event, from the STATE in which it is made."""
    action = made.action
    choice = ["feel", action] if action < ACT_WRITE else ["write", word_of(action - ACT_WRITE)]
    return {
        "event": "decision",
        "point": made.phase,
        "seat": made.seat,
        "choice": choice,
        "legal": made.legal,
        "at_ms": int(state["due"][made.seat]) >> 32,
    }


Rows = Iterator[list[int]]


def events(state: Any, log: Any) -> Iterator[dict[str, Any]]:
    """Turn rows of the engine's log into events."""
    rows = iter([[int(number) for number in row] for row in log])
    for row in rows:
        name = EVENTS[row[0]]
        if name == "deal":
            yield from _deal(state, row[1:], rows)
        else:
            yield {"event": name, **_MAKERS[name](state, row[1:], rows)}


def _seats(state: Any) -> int:
    return int(state["rules"]["seats"])


def _deal(state: Any, row: list[int], rows: Rows) -> Iterator[dict[str, Any]]:
    """Tell the shuffled cards and who gets which; the log has them seat by seat in order of play, then the box."""
    size, is_standard = row[0], int(state["rules"]["mode"]) == MODE_STANDARD
    cards = [word_of(next(rows)[1]) for _ in range(DECK_CARDS)]
    stacks = [cards[seat * size : (seat + 1) * size] for seat in range(_seats(state))]
    if is_standard:  # A stack is played from its bottom, and listed from its top.
        stacks = [stack[::-1] for stack in stacks]
    box = cards[size * len(stacks) :]
    yield {"event": "shuffle", "cards": [card for stack in stacks for card in stack] + box}
    yield {"event": "deal", "stacks": stacks, "box": box}


def _round(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"round": row[0], "groups": [int(group) for group in state["laid_out"] if group]}


def _take_up(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"seat": row[0], "card": word_of(row[1]), "at_ms": row[2]}


def _peek(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"seat": row[0], "exposed": word_of(row[1]), "card": word_of(row[2])}


def _feel(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"seat": row[0], "corner": row[1], "reading": row[2], "until_ms": row[3]}


def _finish(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"seat": row[0], "answer": word_of(row[1]), "at_ms": row[2], "place": row[3], "tokens": row[4]}


def _check(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    seat, card, answer, correct, tokens, points, mark = row
    return {
        "seat": seat,
        "card": word_of(card),
        "answer": word_of(answer),
        "correct": correct,
        "tokens": tokens,
        "points": points,
        "passed": tokens - points,
        "mark": bool(mark),
    }


def _round_end(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    lines = [next(rows) for _ in range(_seats(state))]
    points = [line[1] for line in lines]
    return {
        "points": points,
        "totals": [line[2] for line in lines],
        "marks": [line[3] for line in lines],
        "untaken": int(state["rules"]["untaken"]),
        "lost": int(state["rules"]["groups"].sum()) - sum(points),
    }


def _call(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    seat, card, answer, at_ms, correct, is_counted, is_kept = row
    return {
        "seat": seat,
        "card": word_of(card),
        "answer": word_of(answer),
        "at_ms": at_ms,
        "correct": correct,
        "counts": bool(is_counted),
        "kept": bool(is_kept),
    }


def _game_end(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    seats = _seats(state)
    is_standard = int(state["rules"]["mode"]) == MODE_STANDARD
    totals = [int(total) for total in state["totals"][:seats]]
    scores = [int(score) for score in state["scores"][:seats]]
    return {
        "status": "finished",
        "points": totals if is_standard else [0] * seats,
        "bonus": [score - total for score, total in zip(scores, totals, strict=True)],
        "scores": scores,
        "marks": [int(marks) for marks in state["marks"][:seats]],
        "kept": [0] * seats if is_standard else totals,
        "places": [1 + sum(other > score for other in scores) for score in scores],
        "winners": [seat for seat, score in enumerate(scores) if score == max(scores)],
    }


_MAKERS: dict[str, Callable[[Any, list[int], Rows], dict[str, Any]]] = {
    "round": _round,
    "take_up": _take_up,
    "peek": _peek,
    "feel": _feel,
    "finish": _finish,
    "check": _check,
    "round_end": _round_end,
    "call": _call,
    "game_end": _game_end,
}


# ── Text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


class _Teller:
    """Words for the cards and seats of one transcript, as all or as one seat saw them."""

    def __init__(self, transcript: Mapping[str, Any], seat: int | None) -> None:
        self.names = [f"{place} {name}" for place, name in enumerate(transcript["entrants"])]
        self.seat = seat

    def is_shown(self, seat: int) -> bool:
        """Say whether what only this seat knows is told."""
        return self.seat is None or self.seat == seat

    def card(self, word: str, *knowers: int) -> str:
        """Name a card that only `knowers` see."""
        return f"[{word}]" if any(map(self.is_shown, knowers)) or self.seat is None else "[?]"


_Telling = Callable[[_Teller, Mapping[str, Any], str], str]


def _at(ms: int) -> str:
    """Write a time in seconds."""
    return f"{ms / 1000:.3f} s"


def _tokens(count: int) -> str:
    """Count tokens in words."""
    return f"{count or 'no'} token{'' if count == 1 else 's'}"


def _taken(points: int, count: int) -> str:
    """Say how many of so many tokens become points."""
    return f"{points} of {_tokens(count)}" if count else _tokens(0)


def _left(count: int) -> str:
    """Say how many tokens are left for the next, or lost, if any."""
    return f", {count} left" if count else ""


def _bonus(told: _Teller, bonus: list[int]) -> str:
    """Say who gets the bonus for the most marks, in a line of its own; nothing if nobody does."""
    given = [f"{name} {points:+d}" for name, points in zip(told.names, bonus, strict=True) if points]
    return f"\nFor the most marks: {', '.join(given)}" if given else ""


# One line an event, from the event and the name of its seat; events that are not here are told by others or not at all.
_TOLD: dict[str, _Telling] = {
    "round": lambda told, event, who: (
        f"\nRound {event['round']}: groups of {', '.join(map(str, event['groups']))} tokens"
    ),
    "take_up": lambda told, event, who: f"  {_at(event['at_ms'])} {who} takes up {told.card(event['card'])}",
    "peek": lambda told, event, who: (
        f"  {who} sees its front, {told.card(event['exposed'], event['seat'])}: "
        + ("the box is empty, it stays" if event["exposed"] == event["card"] else f"it gets {told.card(event['card'])}")
    ),
    "finish": lambda told, event, who: (
        f"  {_at(event['at_ms'])} {who} has written {told.card(event['answer'], event['seat'])}: "
        f"place {event['place']}, {_tokens(event['tokens'])}"
    ),
    "check": lambda told, event, who: (
        f"  {who}: {told.card(event['card'], event['seat'])}, written {event['answer']}: {event['correct']} right, "
        f"{_taken(event['points'], event['tokens'])}{_left(event['passed'])}"
        f"{', marked' if event['mark'] else ''}"
    ),
    "call": lambda told, event, who: (
        f"  {_at(event['at_ms'])} {who} calls {event['answer']}, it is {told.card(event['card'], event['seat'])}: "
        f"{'kept' if event['kept'] else 'removed' if event['counts'] else 'too late'}"
    ),
    "round_end": lambda told, event, who: (
        f" Totals {', '.join(map(str, event['totals']))}; marks {', '.join(map(str, event['marks']))}; "
        f"{_tokens(event['untaken'])} untaken, {event['lost'] or 'none'} lost"
    ),
    "game_end": lambda told, event, who: (
        f"{_bonus(told, event['bonus'])}"
        f"\nThe game is over: {', '.join(map(' '.join, zip(told.names, map(str, event['scores']), strict=True)))}; "
        f"{', '.join(told.names[seat] for seat in event['winners'])} won."
    ),
}


def text(transcript: Mapping[str, Any], seat: int | None = None) -> Iterator[str]:
    """Tell a transcript line by line, for all, or as one seat saw it: hidden cards as '?', no feels of others."""
    told = _Teller(transcript, seat)
    for event in transcript["events"]:
        kind = event["event"]
        if kind in _TOLD:
            yield _TOLD[kind](told, event, told.names[event["seat"]] if "seat" in event else "")
        elif kind == "feel" and told.is_shown(event["seat"]):
            millimetres = event["reading"] / READING_UNIT
            name = told.names[event["seat"]]
            yield f"  {name} feels corner {event['corner']} until {_at(event['until_ms'])}: {millimetres:.2f} mm"
        elif kind == "deal" and seat is None:
            for name, stack in zip(told.names, event["stacks"], strict=True):
                yield f"  {name} is dealt {' '.join(map(told.card, stack))}"
