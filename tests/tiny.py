"""Two tiny games that only tests know: `relay` for two or three seats and `solo` for one, of the same rules.

Every leg each seat in turn walks (1 point) or runs: 3 points with the probability `chance`, else it falls. Most points
win; alone, `goal` points or more. Both have what Vierer has not: a table of rounds, presets, an option with a fraction,
and a text column with labels.
"""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from sim.chance import GENERATOR, PURPOSE_BOT, PURPOSE_GAME, deal_key, event_key, pick, word_at
from sim.compiled import entry, kernel
from sim.contract import GAME_COLUMNS, ROUND_COLUMNS, SEAT_COLUMNS, Column, Game, bot

MAX_SEATS, MAX_LEGS = 3, 6
WALK, RUN = 0, 1
REASONS = ("none", "short", "fallen")
NONE, SHORT, FALLEN = range(3)


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    legs: Annotated[int, Meta(ge=1, le=MAX_LEGS, description="legs of a game")] = 3
    goal: Annotated[int, Meta(ge=0, le=20, description="points that win alone")] = 5
    chance: Annotated[float, Meta(ge=0.0, le=1.0, description="how often running succeeds")] = 0.5
    told: Annotated[bool, Meta(description="whether there is a table of legs")] = True

    def check(self, seats: int) -> None:
        pass


RULES = np.dtype([("seats", np.int64), ("legs", np.int64), ("goal", np.int64), ("chance", np.int64)], align=True)
VIEW = np.dtype([("word", np.uint64), ("parameters", np.float64, (8,)), ("leg", np.int64)], align=True)
STATE = np.dtype(
    [
        ("deal_key", np.uint64),
        *GENERATOR,
        ("bot_keys", np.uint64, (MAX_SEATS,)),
        ("who", np.uint16, (MAX_SEATS,)),
        ("seat", np.int64),
        ("first_seat", np.int64),
        ("moved", np.int64),
        ("phase", np.int64),
        ("is_over", np.int64),
        ("decisions", np.int64),
        ("leg", np.int64),
        ("gains", np.int64, (MAX_LEGS, MAX_SEATS)),
        ("is_logged", np.uint8),
        ("logged", np.int64),
        ("rules", RULES),
        ("views", VIEW, (MAX_SEATS,)),
        ("log", np.int32, (8, 6)),
    ],
    align=True,
)


def prepare(record: Any, spec: Spec, seats: int) -> None:
    rules = record[0]["rules"]
    rules["seats"], rules["legs"], rules["goal"] = seats, spec.legs, spec.goal
    rules["chance"] = round(spec.chance * 2**32)


@kernel
def begin(state, master, deal_number, rotation, seating):  # type: ignore[no-untyped-def]
    seats = np.int64(state.rules.seats)
    state.deal_key = deal_key(master, deal_number)
    for seat in range(seats):
        state.who[seat] = seating[(seat + rotation) % seats]
        state.bot_keys[seat] = event_key(state.deal_key, PURPOSE_BOT, rotation * seats + seat)
        for leg in range(MAX_LEGS):
            state.gains[leg, seat] = 0
    state.first_seat = pick(event_key(state.deal_key, PURPOSE_GAME, 0), seats)
    state.seat = state.first_seat
    state.moved = 0
    state.is_over = 0
    state.decisions = 0
    state.leg = 0


@kernel
def observe(state):  # type: ignore[no-untyped-def]
    view = state.views[state.seat]
    view.word = word_at(state.bot_keys[state.seat], state.decisions)
    view.leg = state.leg
    return view


@kernel
def apply(state, action):  # type: ignore[no-untyped-def]
    if action not in (WALK, RUN):
        return False
    gain = 1
    if action == RUN:
        index = state.leg * MAX_SEATS + state.seat
        gain = 3 * (pick(event_key(state.deal_key, PURPOSE_GAME + 1, index), 1 << 32) < state.rules.chance)
    state.gains[state.leg, state.seat] = gain
    state.decisions += 1
    state.moved += 1
    state.seat = (state.seat + 1) % state.rules.seats
    if state.moved % state.rules.seats == 0:
        state.leg += 1
    state.is_over = state.leg == state.rules.legs
    return True


@kernel
def total(state, seat):  # type: ignore[no-untyped-def]
    points = np.int64(0)
    for leg in range(state.rules.legs):
        points += state.gains[leg, seat]
    return points


@kernel
def score(state, game, deal_number, rotation, games, seats, rounds):  # type: ignore[no-untyped-def]
    count = np.int64(state.rules.seats)
    most = np.int64(0)
    for seat in range(count):
        most = max(most, total(state, seat))
    winners = np.int64(0)
    for seat in range(count):
        winners += total(state, seat) == most
    if count == 1:
        winners = np.int64(most >= state.rules.goal)
    for seat in range(count):
        row = seats[seat]
        is_winner = winners > 0 and total(state, seat) == most
        row[0] = game
        row[1] = seat
        row[2] = state.who[seat]
        row[3] = total(state, seat)
        row[4] = 1
        for other in range(count):
            row[4] += total(state, other) > row[3]
        row[5] = 2520 // winners if is_winner else 0
        row[6] = count == 1 and not is_winner
    reason = NONE
    if winners == 0:
        reason = FALLEN if state.gains[state.rules.legs - 1, 0] == 0 else SHORT
    games[0] = game
    games[1] = deal_number
    games[2] = rotation
    games[3] = 0
    games[4] = state.decisions
    games[5] = state.decisions
    games[6] = reason
    if len(games) > 7:
        games[7] = state.first_seat
    for index in range(len(rounds)):
        row = rounds[index]
        row[0] = game
        row[1] = 1 + index // count
        row[2] = index % count
        row[3] = state.gains[index // count, index % count]


@entry
def start(record, table, deal_number, rotation, seating):  # type: ignore[no-untyped-def]
    begin(record[0], table[0], deal_number, rotation, seating)


@entry
def look(record, actions):  # type: ignore[no-untyped-def]
    observe(record[0])
    actions[0] = WALK
    actions[1] = RUN
    return 2


@entry
def act(record, action):  # type: ignore[no-untyped-def]
    return apply(record[0], action)


@entry
def finish(record, game, deal_number, rotation, games, seats, rounds):  # type: ignore[no-untyped-def]
    score(record[0], game, deal_number, rotation, games[0], seats, rounds)


@entry
def play_list(record, bots, table, deals, rotations, seatings, numbers, games, seats, rounds, progress):  # type: ignore[no-untyped-def]
    state = record[0]
    master, _parameters, _skills, deciders = table
    count = np.int64(state.rules.seats)
    each = len(rounds) // max(1, len(games))
    for row in range(len(deals)):
        progress[0] = numbers[row]
        begin(state, master, deals[row], rotations[row], seatings[row])
        while state.is_over == 0:
            action = bots[deciders[state.who[state.seat]]](observe(state))
            if not apply(state, action):
                progress[1] = 1
                progress[2] = state.seat
                progress[3] = action
                return row
        at, leg = row * count, row * each
        own, legs = seats[at : at + count], rounds[leg : leg + each]
        score(state, numbers[row], deals[row], rotations[row], games[row], own, legs)
    return len(deals)


def _random(view):  # type: ignore[no-untyped-def]
    """Walks or runs at random."""
    return np.int64(view.word & np.uint64(1))


def _runner(view):  # type: ignore[no-untyped-def]
    """Always runs."""
    return np.int64(1)


def _decision(state: Any, made: Any) -> dict[str, Any]:
    return {"event": "decision", "point": made.phase, "seat": made.seat, "choice": made.action, "legal": made.legal}


def _text(transcript: Any, seat: int | None) -> Iterator[str]:
    for event in transcript["events"]:
        yield f"{event['seat']} {('walks', 'runs')[event['choice']]}"


REASON = Column("reason", "text", "", "why it was lost, alone", REASONS)
RELAY = Game(
    name="relay",
    title="Relay",
    text="walk or run",
    version="1",
    min_seats=2,
    max_seats=MAX_SEATS,
    default_seats=2,
    default_bots=("runner", "random"),
    Spec=Spec,
    skills=(),
    bots={each.name: each for each in (bot(name="random")(_random), bot(name="runner")(_runner))},
    phases=("leg",),
    state=STATE,
    view=VIEW,
    game_columns=(*GAME_COLUMNS, REASON, Column("first_seat", "int8", "", "seat that began")),
    seat_columns=SEAT_COLUMNS,
    ratios=(),
    distributions=(("seats", "score"),),
    engine=SimpleNamespace(start=start, look=look, act=act, finish=finish, play_list=play_list),
    render=SimpleNamespace(
        options=msgspec.to_builtins, decision=_decision, events=lambda state, log: iter(()), text=_text
    ),
    prepare=prepare,
    round_columns=(*ROUND_COLUMNS, Column("gain", "int32", "points", "points of the leg")),
    rounds=lambda spec: spec.legs if spec.told else 0,
    presets={"safe": {"chance": 1.0}, "long": {"legs": 6, "goal": 9, "chance": 0.25}},
)
SOLO = replace(
    RELAY,
    name="solo",
    title="Solo",
    text="walk or run, alone",
    min_seats=1,
    max_seats=1,
    default_seats=1,
    default_bots=("random",),
    game_columns=RELAY.game_columns[:-1],
    presets={},
)
