"""What every game must keep, whatever its options and bots: a new game is found by scanning."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.contract import Game, game_names, load_game
from sim.errors import IllegalAction
from sim.job import Entrant, make_job
from sim.play import Player, Session
from sim.table import Table, make_table
from tests.sim.stepping import copied, differing, forced, hooks, is_allowed, option_sets, twin, values_of, walk

GAMES = game_names()
STEPS = 120  # decisions of a game that are checked one by one
STATES = 12  # of which all that could be an action is tried


def tables(game: Game, options: Mapping[str, Any], seats: int, first: int = 0) -> Table:
    """A table of the game's bots in turn, from one of them on."""
    bots = list(game.bots)
    entrants = [Entrant(bots[(first + place) % len(bots)]) for place in range(min(seats, len(bots)))]
    return make_table(make_job(game, entrants=entrants, seats=seats, deals=2, seed=7, options=options))


def step_checked(table: Table, deal: int, steps: int, rng: np.random.Generator) -> Session:
    """Play a game by its bots, now and then by force, and check every state."""
    session = Session(table, deal)
    deciders = table.deciders()
    conserve = hooks(table.game.name).conserve
    for _ in range(steps):
        if session.is_over:
            break
        conserve(session.state)
        legal = session.legal()
        assert len(legal) == len(set(legal)) >= 2
        action = session.answer(deciders)
        assert action in legal
        session.apply(action if rng.random() < 0.7 else forced(session, rng))
    conserve(session.state)
    return session


@pytest.mark.parametrize("name", GAMES)
def test_every_option_value_keeps_the_invariants_under_every_bot(name: str) -> None:
    game, rng = load_game(name), np.random.default_rng(1)
    seats = range(game.min_seats, game.max_seats + 1)
    for number, options in enumerate(option_sets(game, game.min_seats)):
        count = seats[number % len(seats)]
        if is_allowed(game, count, options):
            step_checked(tables(game, options, count, number), number, STEPS, rng)


@pytest.mark.parametrize("name", GAMES)
def test_every_option_value_lets_games_end_under_every_bot(name: str) -> None:
    game = load_game(name)
    seats = game.min_seats
    for options in option_sets(game, seats):
        for first in game.bots:
            others = [other for other in game.bots if other != first]
            entrants = [Entrant(first), *(Entrant(other) for other in others)]
            job = make_job(game, entrants=entrants[:seats], seats=seats, deals=1, options=options, rotate=False)
            games, places, *_ = Player(make_table(job)).play(0, 1)
            assert (len(games), len(places)) == (1, seats)
            shares = places[:, [column.name for column in game.seat_columns].index("win_share")]
            assert shares.sum() in (0, 2520) or abs(int(shares.sum()) - 2520) < seats


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=12, deadline=None, derandomize=True, database=None)
@given(data=st.data())
def test_random_combinations_of_options_keep_the_invariants(name: str, data: st.DataObject) -> None:
    game = load_game(name)
    seats = data.draw(st.integers(game.min_seats, game.max_seats))
    fields = msgspec.structs.fields(game.Spec)
    options = {field.name: data.draw(st.sampled_from(values_of(game, field))) for field in fields}
    if is_allowed(game, seats, options):
        rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
        step_checked(tables(game, options, seats), 0, STEPS, rng)


@pytest.mark.parametrize("name", GAMES)
def test_legal_is_what_the_engine_accepts_and_nothing_else_changes_a_byte(name: str) -> None:
    game, rng = load_game(name), np.random.default_rng(2)
    seats, variants = hooks(name).SEATS, hooks(name).VARIANTS
    phases: set[str] = set()
    states = 0
    for deal in range(500):
        table = tables(game, variants[deal % len(variants)], seats[deal % len(seats)])
        session = walk(Session(table, deal), rng, int(rng.integers(40)))
        is_new = len(phases) < len(game.phases) - 1
        while not session.is_over and is_new and session.phase in phases:
            session.apply(forced(session, rng))
        if not session.is_over:
            phases.add(session.phase)
            states += 1
            assert accepted(session) == sorted(session.legal())
        if len(phases) == len(game.phases) - 1 and states >= STATES:
            break
    assert phases == set(game.phases) - {"over"}
    assert states >= STATES


def accepted(session: Session) -> list[int]:
    """Try every code up to one bit above the highest legal one, and some far outside, on the engine itself."""
    engine, record = session.table.game.engine, copied(session._record)
    before = record.tobytes()
    taken = []
    highest = 1 << (max([*session.legal(), 1 << 12]).bit_length() + 1)
    for action in [-(2**62), -1, *range(highest), 2**31, 2**31 + 1, 2**40 + 1, 2**62 + 1]:
        if engine.act(record, action):
            taken.append(action)
            record = copied(session._record)
        elif action % 1009 == 0:
            assert record.tobytes() == before
    assert record.tobytes() == before
    return taken


@pytest.mark.parametrize("name", GAMES)
def test_an_illegal_action_raises_and_changes_no_byte(name: str) -> None:
    game, rng = load_game(name), np.random.default_rng(3)
    session = Session(tables(game, {}, game.default_seats), 0)
    for _ in range(60):
        if session.is_over:
            break
        before = session.state.tobytes()
        for action in (-1, 2**17 + 2**16, 2**50):
            with pytest.raises(IllegalAction, match=f"Action {action} is not legal for seat {session.seat}"):
                session.apply(action)
        assert session.state.tobytes() == before
        session.apply(forced(session, rng))


def test_of_many_legal_actions_the_first_twenty_are_named() -> None:
    # Four corners to feel and 4 ** 4 answers.
    session = Session(tables(load_game("four_corner"), {}, 2), 0)
    with pytest.raises(IllegalAction, match=r"legal are 0, 1, (\d+, ){17}19, \.\.\. \(260 in all\)\.$"):
        session.apply(260)


@pytest.mark.parametrize("name", GAMES)
def test_rows_agree_with_the_final_state_and_with_the_kernel(name: str) -> None:
    game = load_game(name)
    table = tables(game, {}, game.default_seats)
    cells = Player(table).play(0, 1)
    deciders = table.deciders()
    rotations = Session(table, 0).rotations
    assert len(cells[0]) == rotations
    for rotation in range(rotations):
        session = Session(table, 0, rotation)
        while not session.is_over:
            session.apply(session.answer(deciders))
        rows = session.rows()
        for part, whole in zip(rows, cells, strict=True):
            assert np.array_equal(part, whole[rotation * len(part) : (rotation + 1) * len(part)])
        asked = sum(event["event"] == "decision" for event in session.events)
        assert rows[0][0, [column.name for column in game.game_columns].index("decisions")] == asked


@pytest.mark.parametrize("name", GAMES)
def test_every_decision_has_a_word_of_its_own(name: str) -> None:
    game, rng = load_game(name), np.random.default_rng(6)
    words = []
    table = tables(game, {}, game.default_seats)
    for deal in range(4):
        session = Session(table, deal, deal % Session(table, deal).rotations)
        for _ in range(60):
            if session.is_over:
                break
            words.append(int(session.view()["word"]))
            session.apply(forced(session, rng))
    assert len(set(words)) == len(words) > 4


@pytest.mark.parametrize("name", GAMES)
def test_a_bot_that_scribbles_over_its_view_harms_nobody_else(name: str) -> None:
    game, rng = load_game(name), np.random.default_rng(4)
    for deal in range(6):
        session = Session(tables(game, {}, game.default_seats), deal)
        scribbled = twin(session)
        vandal = int(rng.integers(game.default_seats))
        for _ in range(250):
            if session.is_over:
                break
            action = forced(session, rng)
            view = scribbled._record["views"][0, vandal : vandal + 1].view(np.uint8)
            view[:] = rng.integers(0, 256, len(view), dtype=np.uint8)
            session.apply(action)
            assert game.engine.act(scribbled._record, action)
            if session.seat != vandal and not session.is_over:
                game.engine.look(scribbled._record, scribbled._actions)
            same_but_for(session, scribbled, vandal)


def same_but_for(session: Session, other: Session, vandal: int) -> None:
    """Assert that two states are the same but for one seat's view."""
    clean, dirty = copied(session._record), copied(other._record)
    clean["views"][0, vandal] = dirty["views"][0, vandal] = np.zeros((), session.table.game.view)
    assert differing(clean[0], dirty[0], but=("log", "logged")) == []


@pytest.mark.parametrize("name", GAMES)
def test_what_a_bot_wrote_into_its_view_is_gone_in_the_next_game(name: str) -> None:
    """A bot may use its view as scratch paper, yet every game is a function of its own deal alone."""
    game, rng = load_game(name), np.random.default_rng(5)
    table = tables(game, {}, game.default_seats)
    for deal in range(4):
        used = walk(Session(table, deal), rng, int(rng.integers(300)))._record
        views = used["views"][0].view(np.uint8)
        views[:] = rng.integers(0, 256, len(views), dtype=np.uint8)
        game.engine.start(used, table.arguments(), deal + 1, 0, table.listed(deal + 1, 1)[2][0])
        fresh = Session(table, deal + 1)
        for _ in range(40):
            assert used["is_over"][0] == fresh.is_over
            if fresh.is_over:
                break
            assert used["seat"][0] == fresh.seat
            game.engine.look(used, np.zeros(1 << 13, np.int64))
            assert differing(used["views"][0, fresh.seat], fresh.state["views"][fresh.seat]) == []
            action = forced(fresh, rng)
            fresh.apply(action)
            assert game.engine.act(used, action)
