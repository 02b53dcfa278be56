"""Foursquare in words: the engine's log as the events of a transcript, and a transcript as text."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from sim.games.foursquare.board import column_of, row_of
from sim.games.foursquare.spec import EVENTS, LOSS_NONE, LOSS_REASONS, SIZE, Spec

_LINES = ("row", "column")


def options(spec: Spec) -> dict[str, Any]:
    """Write every option with its value."""
    plain: dict[str, Any] = msgspec.to_builtins(spec)
    return plain


def decision(state: Any, made: Any) -> dict[str, Any]:
    """Describe a decision as an event, from the STATE in which it is made; cells are relative to the first card."""
    choice = [
        int(row_of(made.action)) - int(state["first_row"]),
        int(column_of(made.action)) - int(state["first_column"]),
    ]
    return {"event": "decision", "point": made.phase, "seat": made.seat, "choice": choice, "legal": made.legal}


def events(state: Any, log: Any) -> Iterator[dict[str, Any]]:
    """Turn rows of the engine's log into events."""
    rows = iter([[int(number) for number in row] for row in log])
    for row in rows:
        yield {"event": EVENTS[row[0]], **_MAKERS[EVENTS[row[0]]](state, row[1:], rows)}


def _shuffle(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    return {"stock": [next(rows)[1] for _ in range(row[0])]}


def _draw(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    return {"card": row[0], "rank": row[1]}


def _place(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    return {"rank": row[0], "cell": row[1:3], "height": row[3]}


def _flip(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    cells = [[cell // SIZE - row[2], cell % SIZE - row[3]] for cell in range(SIZE * SIZE) if row[1] >> cell & 1]
    return {"line": _LINES[row[0]], "cells": cells}


def _game_end(state: Any, row: list[int], rows: Iterator[list[int]]) -> dict[str, Any]:
    is_won = bool(row[0])
    return {
        "status": "finished",
        "won": is_won,
        "loss_reason": None if row[1] == LOSS_NONE else LOSS_REASONS[row[1]],
        "placements": int(state["turn"]),
        "face_down": int(state["down"]).bit_count(),
        "score": int(state["stock"]) if is_won else 0,
        "places": [1],
        "winners": [0] if is_won else [],
    }


_MAKERS = {"shuffle": _shuffle, "draw": _draw, "place": _place, "flip": _flip, "game_end": _game_end}


# ── Text ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class _Grid:
    """The piles as a transcript lays them: rank, face and height by cell."""

    def __init__(self) -> None:
        self.piles: dict[tuple[int, int], tuple[int, bool, int]] = {}

    def place(self, event: Mapping[str, Any]) -> None:
        """Lay a card face up."""
        row, column = event["cell"]
        self.piles[row, column] = event["rank"], True, event["height"]

    def flip(self, event: Mapping[str, Any]) -> None:
        """Turn the top cards of some cells over."""
        for row, column in event["cells"]:
            rank, is_up, height = self.piles[row, column]
            self.piles[row, column] = rank, not is_up, height

    def lines(self) -> Iterator[str]:
        """Draw the piles: a face-down top in brackets, the height of a pile of more than one card behind it."""
        rows, columns = ({cell[axis] for cell in self.piles} for axis in (0, 1))
        yield "         " + "".join(f"{column:^9}" for column in range(min(columns), max(columns) + 1)).rstrip()
        for row in range(min(rows), max(rows) + 1):
            cells = [self._drawn(row, column) for column in range(min(columns), max(columns) + 1)]
            yield f"    {row:>3}  " + "".join(f"{cell:^9}" for cell in cells).rstrip()

    def _drawn(self, row: int, column: int) -> str:
        """Draw one cell."""
        if (row, column) not in self.piles:
            return "."
        rank, is_up, height = self.piles[row, column]
        return (f"{rank}" if is_up else f"[{rank}]") + (f" /{height}" if height > 1 else "")


def text(transcript: Mapping[str, Any], seat: int | None = None) -> Iterator[str]:
    """Tell a transcript line by line: each card, what it turns over, and the grid after it.

    Only the order of the stock is hidden from the seat, and it is told to nobody before its time.
    """
    grid = _Grid()
    told = ""
    for event in transcript["events"]:
        kind = event["event"]
        if kind in ("draw", "game_end") and told:
            yield told
            yield from grid.lines()
        if kind == "draw":
            told = f" Card {event['card']}: {event['rank']}"
        elif kind == "place":
            grid.place(event)
            row, column = event["cell"]
            told += f" at ({row}, {column})" + (f", card {event['height']} of its pile" if event["height"] > 1 else "")
        elif kind == "flip":
            grid.flip(event)
            told += f"; the {event['line']} flips"
        elif kind == "game_end":
            yield ""
            yield _told_end(event)


def _told_end(event: Mapping[str, Any]) -> str:
    """Tell the end."""
    if event["won"]:
        return f"Won with {event['placements']} cards: score {event['score']}."
    reason = {"facedown": f"{event['face_down']} piles lie face down", "stock": "the stock is empty"}
    return f"Lost after {event['placements']} cards: {reason[event['loss_reason']]}."
