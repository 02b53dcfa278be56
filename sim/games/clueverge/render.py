"""Clueverge in words: the engine's log as the events of a transcript, and a transcript as text with its grid."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from sim.games.clueverge.spec import (
    ACT_DECLARE,
    ACT_OTHER,
    CELLS,
    EVENTS,
    FLED,
    MAX_SEATS,
    MODE_COMPETITIVE,
    NOWHERE,
    SCENE_FACES,
    SERIES_WINS,
    SIDE,
    STATUS_CAPPED,
    Spec,
    face_names,
)

_BITS = 4  # of a cell in the log's words


def options(spec: Spec) -> dict[str, Any]:
    """Write every option with its value, the case cards with their cells where they are given."""
    plain: dict[str, Any] = msgspec.to_builtins(spec)
    plain["case_cards"] = [list(cells) for cells in spec.cases] or "random"
    return plain


def decision(state: Any, made: Any) -> dict[str, Any]:
    """Describe a decision as an event, from the STATE in which it is made."""
    action = int(made.action)
    is_together = state["rules"]["mode"] != MODE_COMPETITIVE
    if action >= ACT_DECLARE:
        choice = ["declare", _target(action - ACT_DECLARE)]
    elif action >= ACT_OTHER:
        choice = ["unused" if is_together else "reveal", action - ACT_OTHER]
    else:
        is_first = state["pawns"][made.seat] == NOWHERE
        choice = ["place" if is_first else "move", action]
    return {"event": "decision", "point": made.phase, "seat": made.seat, "choice": choice, "legal": made.legal}


def _target(target: int) -> int | str:
    """Write a target as a transcript does."""
    return "fled" if target == FLED else target


Rows = Iterator[list[int]]


def events(state: Any, log: Any) -> Iterator[dict[str, Any]]:
    """Turn rows of the engine's log into events."""
    rows = iter([[int(number) for number in row] for row in log])
    for row in rows:
        name = EVENTS[row[0]]
        yield {"event": name, **_MAKERS[name](state, row[1:], rows)}


def _cells(word: int, count: int) -> list[int]:
    """Read numbers of four bits out of a word of the log, the first lowest."""
    return [word >> _BITS * place & (1 << _BITS) - 1 for place in range(count)]


def _board(state: Any, word: int) -> list[str]:
    names = face_names(state["rules"])
    return [names[face] for face in _cells(word, CELLS)]


def _set_up(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    scene = face_names(state["rules"])[SCENE_FACES[row[2]]]
    board = _board(state, row[4])
    return {"game": row[0] + 1, "attempt": row[1] + 1, "crime_scene": scene, "cell": row[3], "board": board}


def _case_card(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    is_drawn = row[0] < 0
    return {
        "card": None if is_drawn else row[0],
        "orientation": None if is_drawn else row[1],
        "cells": _cells(row[2], row[3]),
    }


def _redo(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {}


def _start(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"seat": row[0], "chance": bool(row[1])}


def _turn(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"turn": row[0], "seat": row[1]}


def _pawn(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    owner = None if row[1] < 0 else row[1]
    return {"seat": row[0], "owner": owner, "cell": _target(row[2]), "standing": bool(row[3])}


def _look(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"seat": row[0], "cell": row[1], "face": face_names(state["rules"])[row[2]]}


def _reveal(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    return {"cell": row[0], "face": face_names(state["rules"])[row[1]]}


def _verdict(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    seats, is_together = int(state["rules"]["seats"]), state["rules"]["mode"] != MODE_COMPETITIVE
    victories = next(rows)[1]
    return {
        "board": _board(state, row[4]),
        "culprit": row[0],
        "target": _target(row[1]),
        "effective": _target(row[2]) if is_together else None,
        "winners": [seat for seat in range(seats) if row[3] >> seat & 1],
        "victories": [victories >> 16 * seat & 0xFFFF for seat in range(MAX_SEATS)][:seats],
    }


def _game_end(state: Any, row: list[int], rows: Rows) -> dict[str, Any]:
    rules = state["rules"]
    scores = [int(won) for won in state["victories"][: rules["seats"]]]
    needed = SERIES_WINS if rules["first_to_two"] else int(state["game"]) + 1
    return {
        "status": "capped" if row[0] == STATUS_CAPPED else "finished",
        "scores": scores,
        "places": [1 + sum(other > score for other in scores) for score in scores],
        "winners": [seat for seat, score in enumerate(scores) if score == needed],
    }


_MAKERS: dict[str, Callable[[Any, list[int], Rows], dict[str, Any]]] = {
    "set_up": _set_up,
    "case_card": _case_card,
    "redo": _redo,
    "start": _start,
    "turn": _turn,
    "pawn": _pawn,
    "look": _look,
    "reveal": _reveal,
    "verdict": _verdict,
    "game_end": _game_end,
}


# ── Text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

_SPARE = "*"  # marks an unused pawn in the grid
_WORDS = {
    "MO": "a motive",
    "MV": "a motive up and down",
    "MH": "a motive left and right",
    "AL": "an alibi",
    "AV": "an alibi up and down",
    "AH": "an alibi left and right",
    "WE": "a weapon",
    "CL": "a clue",
    "FT": "a false testimony",
    "PT": "the plot twist",
    **{f"S{number}": f"suspect {number}" for number in range(1, 8)},
}


class _Teller:
    """Draws the grid of one transcript as it goes, as all or as one seat saw it.

    A card that is face down is `..` to who does not know it, `??` if it is the crime-scene card, and in brackets to who
    does. Behind it stand the pawns on it: the seats' letters, capital where they stand, and `*` for unused ones.
    """

    def __init__(self, transcript: Mapping[str, Any], seat: int | None) -> None:
        self.names = [f"{place} {name}" for place, name in enumerate(transcript["entrants"])]
        self.seat = seat
        self.options = transcript["options"]

    def set_up(self, event: Mapping[str, Any]) -> None:
        """Lay the cards face down."""
        self.board, self.scene = event["board"], event["cell"]
        self.open: set[int] = set()
        self.known: set[int] = set()  # faces known to the seat that looks, beside those that are open
        self.pawns: list[tuple[int | None, int | str, bool]] = []

    def place(self, event: Mapping[str, Any]) -> None:
        """Lay a pawn or stand it up; a seat has one, so that its old place is left."""
        owner = event["owner"]
        self.pawns = [pawn for pawn in self.pawns if owner is None or pawn[0] != owner]
        self.pawns.append((owner, event["cell"], event["standing"]))

    def grid(self) -> Iterator[str]:
        """Draw the cards as they lie, and the fled card if a pawn stands on it."""
        for row in range(SIDE):
            yield "    " + "".join(self.cell(SIDE * row + column) for column in range(SIDE)).rstrip()
        if self.on("fled"):
            yield f"    fled: {self.on('fled')}"

    def cell(self, cell: int) -> str:
        """Draw a cell."""
        face = self.board[cell]
        if cell in self.open:
            shown = f" {face} "
        elif self.seat is None or cell in self.known:
            shown = f"({face})"
        else:
            shown = " ?? " if cell == self.scene else " .. "
        return f"{shown}{self.on(cell):<4}"

    def on(self, cell: int | str) -> str:
        """Mark the pawns on a card."""
        marks = [
            (_SPARE if owner is None else "abcd"[owner].upper() if standing else "abcd"[owner])
            for owner, place, standing in self.pawns
            if place == cell
        ]
        return "".join(marks)

    def name(self, target: int | str) -> str:
        """Name a target, a card with its row and column from 1, and its face to who knows it."""
        if isinstance(target, str):
            return "the fled card"
        where = f"row {target // SIDE + 1}, column {target % SIDE + 1}"
        is_told = self.seat is None or target in self.open or target in self.known
        return f"{where} ({_WORDS[self.board[target]]})" if is_told else where


def text(transcript: Mapping[str, Any], seat: int | None = None) -> Iterator[str]:
    """Tell a transcript line by line, with the grid after each action, for all or as one seat saw it."""
    told = _Teller(transcript, seat)
    events_told = transcript["events"]
    for event, after in zip(events_told, [*events_told[1:], {"event": ""}], strict=True):
        name = event["event"]
        yield from _TOLD[name](told, event) if name in _TOLD else ()
        # One action may move a pawn, show a card and turn one: the grid comes when all of that is done.
        if name in ("pawn", "look", "reveal") and after["event"] not in ("look", "reveal"):
            yield from told.grid()


def _tell_set_up(told: _Teller, event: Mapping[str, Any]) -> Iterator[str]:
    told.set_up(event)
    if event["game"] > 1 and event["attempt"] == 1:
        yield f"\nGame {event['game']}"
    scene = f", and it is {_WORDS[event['crime_scene']]}" if told.seat is None else ""
    cell = event["cell"]
    yield f"The crime-scene card lies in row {cell // SIDE + 1}, column {cell % SIDE + 1}{scene}."


def _tell_case(told: _Teller, event: Mapping[str, Any]) -> Iterator[str]:
    told.open |= set(event["cells"])
    turned = event["orientation"]
    held = "" if not turned else f", {'mirrored' if turned >= SIDE else ''}{' and ' if turned > SIDE else ''}"
    quarters = f"turned by {turned % SIDE * 90} degrees" if turned and turned % SIDE else ""
    card = "drawn cells" if event["card"] is None else f"case card {event['card'] + 1}{held}{quarters}"
    yield f"{len(event['cells'])} cards are open ({card}):"
    yield from told.grid()


def _tell_redo(told: _Teller, event: Mapping[str, Any]) -> Iterator[str]:
    yield "It is evident that nobody here did it: all is set up anew."


def _tell_start(told: _Teller, event: Mapping[str, Any]) -> Iterator[str]:
    marks = ", ".join(f"{'abcd'[seat]} is {name}" for seat, name in enumerate(told.names))
    yield f"Pawns: {marks}. {told.names[event['seat']]} starts."


def _tell_turn(told: _Teller, event: Mapping[str, Any]) -> Iterator[str]:
    yield f"\nTurn {event['turn']}: {told.names[event['seat']]}"


def _tell_pawn(told: _Teller, event: Mapping[str, Any]) -> Iterator[str]:
    owner = event["owner"]
    is_moved = owner in [other for other, _, _ in told.pawns]
    told.place(event)
    own = "moves its pawn to" if is_moved else "lays its pawn on"
    what = "lays an unused pawn on" if owner is None else own
    if event["standing"]:
        yield f"  declares: found the culprit, {told.name(event['cell'])}"
    else:
        yield f"  {what} {told.name(event['cell'])}"


def _tell_look(told: _Teller, event: Mapping[str, Any]) -> Iterator[str]:
    if told.seat == event["seat"]:
        told.known.add(event["cell"])
    is_told = told.seat in (None, event["seat"])
    yield f"  looks at it: {_WORDS[event['face']]}" if is_told else "  looks at it"


def _tell_reveal(told: _Teller, event: Mapping[str, Any]) -> Iterator[str]:
    told.open.add(event["cell"])
    yield f"  turned face up: {told.name(event['cell'])}"


def _tell_verdict(told: _Teller, event: Mapping[str, Any]) -> Iterator[str]:
    told.open = set(range(CELLS))
    yield "\nAll cards are turned up:"
    yield from told.grid()
    if event["culprit"]:
        yield f"The culprit is {told.name(event['target'])}."
    else:
        yield "Nobody here did it: the culprit has fled."
    if event["effective"] is not None:
        yield f"The declaration that counts: {told.name(event['effective'])}."
    yield f"Right: {', '.join(told.names[seat] for seat in event['winners']) or 'nobody'}."


def _tell_end(told: _Teller, event: Mapping[str, Any]) -> Iterator[str]:
    scores = ", ".join(f"{name} {score}" for name, score in zip(told.names, event["scores"], strict=True))
    won = ", ".join(told.names[seat] for seat in event["winners"]) or "nobody"
    yield f"\nThe game is {'capped' if event['status'] == 'capped' else 'over'}: {scores}; {won} won."


_TOLD: dict[str, Callable[[_Teller, Mapping[str, Any]], Iterator[str]]] = {
    "set_up": _tell_set_up,
    "case_card": _tell_case,
    "redo": _tell_redo,
    "start": _tell_start,
    "turn": _tell_turn,
    "pawn": _tell_pawn,
    "look": _tell_look,
    "reveal": _tell_reveal,
    "verdict": _tell_verdict,
    "game_end": _tell_end,
}
