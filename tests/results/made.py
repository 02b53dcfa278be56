"""Made-up tables: a layout like a card game's, and random cells that fit it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from results.cells import Cells
from results.schema import Column, Layout, Ratio
from results.store import Run

GAME_COLUMNS = (
    Column("game", "int64", "", "number of the game"),
    Column("deal", "int64", "", "number of the deal"),
    Column("rotation", "int8", "", "number of the rotation"),
    Column("status", "text", "", "how it ended", ("finished", "capped")),
    Column("turns", "int32", "turns", "turns begun"),
    Column("decisions", "int32", "decisions", "decisions asked"),
    Column("knocks", "int16", "knocks", "how often somebody knocked"),
    Column("knocks_won", "int16", "knocks", "how often he was right"),
    Column("drift", "int64", "steps", "any whole number"),
    Column("heat", "float64", "degrees", "any number of eighths", scale=8),
    Column("first_seat", "int8", "", "who moved first"),
)
ENDING = Column("ending", "text", "", "why it was lost", ("none", "facedown", "stock"))  # more, at the end
SEAT_COLUMNS = (
    Column("game", "int64", "", "number of the game"),
    Column("seat", "int8", "", "place at the table"),
    Column("entrant", "text", "", "who sat there", ("left to the layout",)),
    Column("score", "int32", "points", "result"),
    Column("place", "int8", "", "rank"),
    Column("win_share", "float64", "wins", "1/k for each of k winners", scale=2520),
    Column("lost", "bool", "", "named a loser"),
    Column("penalties", "int64", "cards", "penalty cards taken"),
)
ROUND_COLUMNS = (
    Column("game", "int64", "", "number of the game"),
    Column("round", "int16", "", "number of the round"),
    Column("seat", "int8", "", "place at the table"),
    Column("gain", "int32", "points", "points of the round"),
    Column("pace", "float64", "", "any number of quarters", scale=4),
    Column("way", "text", "", "how the round went", ("fair", "foul", "void")),
)
RATIOS = (Ratio("knock_success", "knocks_won", "knocks", "how often a knock was right"),)
DISTRIBUTIONS = (("games", "turns"), ("games", "drift"), ("seats", "score"))


def make_layout(
    entrants: Sequence[str] = ("ann", "bob", "cat", "dan"),
    entrant_seats: Sequence[int] = (1, 1, 1, 1),
    rotations: int = 4,
    game_columns: tuple[Column, ...] = GAME_COLUMNS,
    distributions: tuple[tuple[str, str], ...] = DISTRIBUTIONS,
    rounds: int = 0,
) -> Layout:
    """Build a layout of the columns above; with so many rounds a game it has the table of them too."""
    return Layout.of(
        game="made-up",
        entrants=entrants,
        entrant_seats=entrant_seats,
        rotations=rotations,
        game_columns=game_columns,
        seat_columns=SEAT_COLUMNS,
        ratios=RATIOS,
        distributions=distributions,
        round_columns=ROUND_COLUMNS if rounds else (),
        rounds=rounds,
    )


def make_cells(layout: Layout, first: int, deals: int, games_of_deal: Sequence[int] = ()) -> tuple[Cells, Cells, Cells]:
    """Make random cells, each deal a function of its number, in `games_of_deal` or all rotations."""
    counts = list(games_of_deal) or [layout.rotations] * deals
    parts = [_deal_cells(layout, first + index, count) for index, count in enumerate(counts)]
    games, seats, rounds = (np.concatenate(tables) for tables in zip(*parts, strict=True))
    return games, seats, rounds


def _deal_cells(layout: Layout, deal: int, count: int) -> tuple[Cells, Cells, Cells]:
    random = np.random.default_rng(deal)
    shape = (count, layout.seats)
    numbers = deal * layout.rotations + np.arange(count)
    knocks = random.poisson(9, count)
    games = np.stack(
        [
            numbers,
            np.full(count, deal),
            np.arange(count),
            random.random(count) < 0.1,
            random.poisson(120, count),
            random.poisson(400, count),
            knocks,
            random.binomial(knocks, 0.6),
            random.integers(-300, 300, count),
            random.integers(-50, 50, count),
            random.integers(0, layout.seats, count),
        ],
        axis=1,
    )
    seating = random.permutation(np.repeat(np.arange(len(layout.entrants)), layout.entrant_seats))
    turned = (np.arange(layout.seats) + np.arange(count)[:, None]) % layout.seats
    score = random.integers(-5, 6, shape) + seating[turned]
    is_winner = score == score.min(axis=1, keepdims=True)
    seats = np.stack(
        [
            np.repeat(numbers, layout.seats).reshape(shape),
            np.broadcast_to(np.arange(layout.seats), shape),
            seating[turned],
            score,
            1 + (score[:, :, None] > score[:, None, :]).sum(axis=2),
            is_winner * (2520 // is_winner.sum(axis=1, keepdims=True)),
            score == score.max(axis=1, keepdims=True),
            random.poisson(0.7, shape),
        ],
        axis=2,
    )
    if layout.game_columns[-1] == ENDING:
        games = np.column_stack((games, random.integers(0, 3, count)))
    whole_seats = np.ascontiguousarray(seats.reshape(-1, seats.shape[2]).astype(np.int64))
    return games.astype(np.int64), whole_seats, _round_cells(layout, numbers, random)


def _round_cells(layout: Layout, numbers: NDArray[np.int64], random: np.random.Generator) -> Cells:
    shape = (len(numbers), layout.rounds, layout.seats)
    columns = [
        np.broadcast_to(numbers[:, None, None], shape),
        np.broadcast_to(np.arange(1, layout.rounds + 1)[:, None], shape),
        np.broadcast_to(np.arange(layout.seats), shape),
        random.integers(-9, 99, shape),
        random.integers(-50, 50, shape),
        random.integers(0, 3, shape),
    ]
    cells = np.stack(columns, axis=3).reshape(-1, len(columns)).astype(np.int64)
    return cells if layout.rounds else np.empty((0, 0), np.int64)


def make_plan(deals: int, part_deals: int, detail: str = "full") -> dict[str, Any]:
    """Make a plan document."""
    return {"version": 1, "deals": deals, "part_deals": part_deals, "detail": detail}


def make_run(location: Path, layout: Layout, plan: dict[str, Any], identity: str = "made") -> Run:
    """Create a run and write all of its parts."""
    run = Run.create(location, {"identity": identity, "game_version": "1"}, layout, plan)
    for part in range(run.parts):
        run.write_part(part, *make_cells(layout, *run.part_range(part)))
    return run
