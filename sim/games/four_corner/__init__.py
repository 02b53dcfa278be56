"""Four Corner Detective: cards told apart by touch alone, for one to ten."""

from typing import Any

from sim.contract import GAME_COLUMNS, ROUND_COLUMNS, SEAT_COLUMNS, Column, Game, Parameter, Ratio
from sim.games.four_corner import engine, render
from sim.games.four_corner.bots import BOTS
from sim.games.four_corner.spec import (
    ACUITY_UNIT,
    CARD_NONE,
    MAX_SEATS,
    MIN_SEATS,
    PHASES,
    RADII,
    STATE,
    TOUCH_MS,
    VIEW,
    Spec,
    write_rules,
)


def prepare(record: Any, spec: Spec, seats: int) -> None:
    """Write the rules into a fresh STATE (one zeroed element, modified): no card taken up and nothing felt."""
    state = record[0]
    write_rules(state, spec, seats)
    state["likelihood"] = 1.0
    state["answer"] = CARD_NONE
    state["fresh"]["likelihood"] = 1.0
    state["fresh"]["chances"] = 1.0 / len(RADII)
    state["fresh"]["known_card"] = CARD_NONE
    state["fresh"]["rules"] = state["rules"]
    state["views"] = state["fresh"]


def rounds_of(spec: Spec) -> int:
    """Give the rounds of a game; the speedrun has none."""
    return spec.rounds if spec.mode == "standard" else 0


GAME = Game(
    name="four_corner",
    title="Four Corner Detective",
    text="feel the four corners of hidden cards: who writes first takes most tokens, who is right keeps them",
    version="1",
    min_seats=MIN_SEATS,
    max_seats=MAX_SEATS,
    default_seats=4,
    default_bots=("weigher", "racer", "bayes", "steady"),
    Spec=Spec,
    skills=(
        Parameter(
            "touch_ms", float(TOUCH_MS), 100.0, 20_000.0, "median time of a feel of one corner", "ms", is_whole=True
        ),
        Parameter(
            "acuity", 1.0, 0.1, 10.0, "sharpness of touch: readings scatter in inverse proportion to it", "times"
        ),
        Parameter(
            "inexperienced",
            0.0,
            0.0,
            1.0,
            "1: may look at the backs in rounds 1 and 2 (FCD-10)",
            "yes or no",
            is_whole=True,
        ),
    ),
    skill_units=(1, ACUITY_UNIT, 1),
    bots=BOTS,
    phases=PHASES,
    state=STATE,
    view=VIEW,
    game_columns=(
        *GAME_COLUMNS,
        Column("rounds", "int16", "rounds", "rounds played; 0 in the speedrun"),
        Column("first_place_ms", "int32", "ms", "time of the first to finish, summed over the rounds"),
    ),
    seat_columns=(
        *SEAT_COLUMNS,
        Column("points", "int16", "points", "points without bonus"),
        Column("bonus", "int16", "points", "bonus for the most marks"),
        Column("marks", "int16", "marks", "perfect answers that were marked"),
        Column("kept", "int16", "cards", "cards kept in the speedrun"),
    ),
    round_columns=(
        *ROUND_COLUMNS,
        Column("finish_place", "int8", "", "place in the order of finishing: 1, 2, 3, ..."),
        Column("finished_ms", "int32", "ms", "when the answer was written, since the round began"),
        Column("correct", "int8", "corners", "numbers that are right"),
        Column("tokens", "int8", "tokens", "tokens in front of the seat at its check, those passed on to it included"),
        Column("points", "int8", "points", "points of the round"),
    ),
    rounds=rounds_of,
    ratios=(
        Ratio("first_place_ms_per_round", "first_place_ms", "rounds", "time of the first to finish a round, in ms"),
        Ratio("decisions_per_card", "decisions", "turns", "decisions per card taken up"),
    ),
    distributions=(("seats", "score"), ("seats", "marks")),
    engine=engine,
    render=render,
    prepare=prepare,
    variants={"printed": {"token_table": "printed"}, "shifted": {"token_table": "shifted"}},
)
