"""Foursquare: a solitaire that builds a grid of sixteen piles, all face up."""

from typing import Any

from sim.contract import GAME_COLUMNS, SEAT_COLUMNS, Column, Game
from sim.games.foursquare import engine, render
from sim.games.foursquare.bots import BOTS
from sim.games.foursquare.spec import LOSS_REASONS, PHASES, SEATS, STATE, VIEW, Spec, write_rules


def prepare(record: Any, spec: Spec, seats: int) -> None:
    """Write the rules into a fresh STATE (one zeroed element, modified): an empty table."""
    state = record[0]
    write_rules(state["rules"], spec, seats)
    state["fresh"]["rules"] = state["rules"]
    state["views"] = state["fresh"]


GAME = Game(
    name="foursquare",
    title="Foursquare",
    text="a solitaire: build a grid of four by four piles that all lie face up, before too many lie face down",
    version="1",
    min_seats=SEATS,
    max_seats=SEATS,
    default_seats=SEATS,
    default_bots=("planner",),
    Spec=Spec,
    skills=(),
    bots=BOTS,
    phases=PHASES,
    state=STATE,
    view=VIEW,
    game_columns=(
        *GAME_COLUMNS,
        Column("placements", "int8", "cards", "cards placed"),
        Column("won", "bool", "", "whether the game was won"),
        Column("loss_reason", "text", "", "why it was lost: too many face down, or the stock empty", LOSS_REASONS),
        Column("face_down_at_end", "int8", "piles", "piles that show a face-down top at the end"),
    ),
    seat_columns=SEAT_COLUMNS,
    ratios=(),
    distributions=(("games", "placements"), ("seats", "score")),
    engine=engine,
    render=render,
    prepare=prepare,
    presets={"author": {"flip_played": False}},
)
