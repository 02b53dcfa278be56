"""Vier zu mir!: asking for hidden animals and remembering who has which, for three to eight."""

from typing import Any

from sim.contract import GAME_COLUMNS, SEAT_COLUMNS, Column, Game, Ratio
from sim.games.vier_zu_mir import engine, render
from sim.games.vier_zu_mir.bots import BOTS
from sim.games.vier_zu_mir.spec import HOLDER_NONE, MAX_SEATS, MIN_SEATS, PHASES, STATE, VIEW, Spec, write_rules


def prepare(record: Any, spec: Spec, seats: int) -> None:
    """Write the rules into a fresh STATE (one zeroed element, modified): nobody knows of any animal yet."""
    state = record[0]
    write_rules(state, spec, seats)
    fresh = state["fresh"]
    fresh["holder"] = HOLDER_NONE
    fresh["sets"] = state["sets"]
    fresh["rules"] = state["rules"]
    state["views"] = fresh


GAME = Game(
    name="vier_zu_mir",
    title="Vier zu mir!",
    text="ask for hidden animals and remember who has which: four of a search card score",
    version="1",
    min_seats=MIN_SEATS,
    max_seats=MAX_SEATS,
    default_seats=4,
    default_bots=("detective", "memory", "child", "random"),
    Spec=Spec,
    skills=(),
    bots=BOTS,
    phases=PHASES,
    state=STATE,
    view=VIEW,
    game_columns=(
        *GAME_COLUMNS,
        Column("asks", "int32", "questions", "questions asked"),
        Column("hits", "int32", "questions", "questions that were answered with an animal"),
        Column("stops", "int32", "stops", "turns that were ended by choice"),
        Column("first_seat", "int8", "", "who began"),
        Column("placed_at_start", "int16", "cards", "search cards placed before the first turn"),
    ),
    seat_columns=(
        *SEAT_COLUMNS,
        Column("asks", "int32", "questions", "questions asked by this seat"),
        Column("hits", "int32", "questions", "of them, those answered with an animal"),
    ),
    ratios=(
        Ratio("hits_per_ask", "hits", "asks", "share of the questions that were answered with an animal"),
        Ratio("asks_per_turn", "asks", "turns", "questions per turn"),
    ),
    distributions=(("games", "asks"), ("seats", "score")),
    engine=engine,
    render=render,
    prepare=prepare,
)
