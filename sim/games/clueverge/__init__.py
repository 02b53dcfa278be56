"""Clueverge: who is the culprit on a grid of 16 cards? Against each other, together, or alone."""

from typing import Any

from sim.contract import GAME_COLUMNS, SEAT_COLUMNS, Column, Game, Ratio
from sim.games.clueverge import engine, render
from sim.games.clueverge.bots import BOTS
from sim.games.clueverge.spec import (
    MAX_SEATS,
    MIN_SEATS,
    MODES,
    NOWHERE,
    PHASES,
    SCENES,
    STATE,
    VIEW,
    Spec,
    write_rules,
)


def prepare(record: Any, spec: Spec, seats: int) -> None:
    """Write the rules into a fresh STATE (one zeroed element, modified): no pawn lies on any card yet."""
    state = record[0]
    write_rules(state, spec, seats)
    fresh = state["fresh"]
    fresh["pawns"] = NOWHERE
    fresh["spares"] = NOWHERE
    fresh["rules"] = state["rules"]
    state["views"] = fresh
    state["block"] = fresh["block"]


GAME = Game(
    name="clueverge",
    title="Clueverge",
    text="find the true culprit on a grid of 16 cards: against each other, together, or alone",
    version="1",
    min_seats=MIN_SEATS,
    max_seats=MAX_SEATS,
    default_seats=2,
    default_bots=("reader", "logician"),
    Spec=Spec,
    skills=(),
    bots=BOTS,
    phases=PHASES,
    state=STATE,
    view=VIEW,
    game_columns=(
        *GAME_COLUMNS,
        Column("mode", "text", "", "against each other, together, or alone", MODES),
        Column("culprit", "int8", "", "the number of the suspect who did it, 0: fled"),
        Column("crime_scene", "text", "", "the crime-scene card in play", SCENES),
        Column("redeals", "int32", "deals", "set-ups that were made anew, since it was evident that nobody did it"),
        Column("reveals", "int32", "cards", "cards turned face up after the first turn began"),
        Column("moves", "int32", "moves", "moves of a pawn from one card to another, lying"),
        Column("first_seat", "int8", "", "who began"),
        Column(
            "series_games",
            "int32",
            "games",
            "games of a series or a challenge, else 1; of most columns the last one counts",
        ),
        Column("fled", "bool", "", "whether nobody here did it: the culprit has fled"),
    ),
    seat_columns=(
        *SEAT_COLUMNS,
        Column("declared", "int8", "", "the cell on which this seat declared, 16: fled"),
        Column("declared_turn", "int32", "turns", "the turn in which it did"),
        Column("was_right", "bool", "", "whether the culprit was there"),
    ),
    ratios=(Ratio("reveals_per_turn", "reveals", "turns", "cards turned face up per turn"),),
    distributions=(("games", "turns"), ("seats", "declared_turn")),
    engine=engine,
    render=render,
    prepare=prepare,
)
