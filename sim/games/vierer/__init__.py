"""Vierer: memory cards to 100 points, for two to eight."""

from typing import Any

from sim.contract import GAME_COLUMNS, SEAT_COLUMNS, Column, Game, Parameter, Ratio
from sim.games.vierer import engine, render
from sim.games.vierer.bots import BOTS
from sim.games.vierer.spec import (
    CELL_EMPTY,
    MAX_SEATS,
    MIN_SEATS,
    PHASES,
    REFLEX_UNIT,
    STATE,
    VIEW,
    Spec,
    write_rules,
)


def prepare(record: Any, spec: Spec, seats: int) -> None:
    """Write the rules into a fresh STATE (one zeroed element, modified): an empty table and nothing known."""
    state = record[0]
    state["cells"] = CELL_EMPTY
    write_rules(state["rules"], spec, seats)
    state["fresh"]["cells"] = CELL_EMPTY
    state["fresh"]["rules"] = state["rules"]
    state["views"] = state["fresh"]


GAME = Game(
    name="vierer",
    title="Vierer",
    text="memory cards to 100 points: swap low cards in, throw matching ones, knock when you are lowest",
    version="1",
    min_seats=MIN_SEATS,
    max_seats=MAX_SEATS,
    default_seats=4,
    default_bots=("careful", "gambler", "snapper", "random"),
    Spec=Spec,
    skills=(Parameter("reflex", 1.0, 0.001, 1000.0, "weight in the order of attempts to throw (VIE-24)", "weight"),),
    skill_units=(REFLEX_UNIT,),
    bots=BOTS,
    phases=PHASES,
    state=STATE,
    view=VIEW,
    game_columns=(
        *GAME_COLUMNS,
        Column("rounds", "int16", "rounds", "rounds played"),
        Column("knocks", "int16", "knocks", "knocks of all seats"),
        Column("knocks_won", "int16", "knocks", "knocks that ended a round with the lowest hand"),
        Column("resets", "int16", "resets", "totals reset (VIE-37)"),
        Column("penalties", "int32", "cards", "penalty cards paid"),
        Column("throws", "int32", "cards", "cards thrown rightly"),
        Column("reshuffles", "int32", "reshuffles", "times the discards became the stock"),
        Column("first_seat", "int8", "", "seat that started the first round"),
    ),
    seat_columns=(
        *SEAT_COLUMNS,
        Column("knocks", "int16", "knocks", "knocks of this seat"),
        Column("knocks_won", "int16", "knocks", "knocks of this seat that ended a round with the lowest hand"),
        Column("penalties", "int32", "cards", "penalty cards paid by this seat"),
    ),
    ratios=(
        Ratio("turns_per_round", "turns", "rounds", "turns per round"),
        Ratio("decisions_per_turn", "decisions", "turns", "decisions per turn"),
        Ratio("knock_success", "knocks_won", "knocks", "share of knocks that succeed"),
    ),
    distributions=(("games", "rounds"), ("games", "turns"), ("seats", "score")),
    engine=engine,
    render=render,
    prepare=prepare,
    lower_wins=True,
)
