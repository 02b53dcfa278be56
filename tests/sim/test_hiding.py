"""No view shows what its seat has not seen: pairs of deals that differ only there are played alike, byte for byte.

Two deals differ in two hidden cards that lie in each other's place. The same forced actions are played on both. A seat
is blind as long as no event has shown it one of the two; its VIEW must be the same in both, after every event.
"""

import dataclasses
import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sim.contract import game_names, load_game
from sim.job import Entrant, make_job
from sim.play import Session
from sim.table import Table, make_table
from tests.sim.stepping import differing, forced, table_module, twin, walk

GAMES = game_names()
ROOT = Path(__file__).parents[2]


def table_of(name: str, seats: int) -> Table:
    game = load_game(name)
    return make_table(make_job(game, entrants=[Entrant("random")], seats=seats, deals=1, seed=3))


def leaks(table: Table, pairs: int, rng: np.random.Generator, steps: int = 40) -> tuple[list[str], int]:
    """Play pairs of deals; give a line for each difference that a blind seat could see, and the views compared."""
    found: list[str] = []
    compared = 0
    for pair in range(pairs):
        one = walk(Session(table, pair, is_logged=True), rng, int(rng.integers(120)))
        if one.is_over:
            continue
        other = twin(one)
        one.events = []
        blind = table_module(table.game).swap_hidden(other.state, lambda count: int(rng.integers(count)))
        other._look()
        for _ in range(steps):
            compared += len(blind)
            found += [f"pair {pair}, {line}" for line in differences(one, other, blind)]
            if not blind or found or one.is_over:
                break
            action = forced(one, rng)
            one.apply(action)
            other.apply(action)
            blind = still_blind(one, other, blind)
    return found, compared


def differences(one: Session, other: Session, blind: set[int]) -> list[str]:
    """Name the fields in which a blind seat's views differ."""
    lines = []
    for seat in blind:
        names = differing(one.state["views"][seat], other.state["views"][seat])
        if names:
            lines.append(f"turn {one.state['turn']}: seat {seat} sees a difference in {', '.join(names)}")
    return lines


def still_blind(one: Session, other: Session, blind: set[int]) -> set[int]:
    """Take away the seats that an event of the last step has shown one of the two cards."""
    module, seats = table_module(one.table.game), one.table.job.seats
    left = set(blind)
    for a, b in zip(one.events, other.events, strict=False):
        if module.shown(a) != module.shown(b):
            left -= module.seen_by(a, seats)
    is_parted = len(one.events) != len(other.events) or (one.seat, one.phase) != (other.seat, other.phase)
    one.events, other.events = [], []
    return set() if is_parted and len(left) < seats else left


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_p_4_a_view_is_the_same_whatever_its_seat_has_not_seen(name: str, seats: int) -> None:
    found, compared = leaks(table_of(name, seats), 150, np.random.default_rng(seats))
    assert found == []
    assert compared > 1500


@pytest.mark.parametrize("name", GAMES)
def test_answers_of_an_open_window_are_shown_to_nobody(name: str) -> None:
    rng = np.random.default_rng(8)
    windows = 0
    for deal in range(60):
        one = walk(Session(table_of(name, 4), deal), rng, int(rng.integers(150)))
        while not one.is_over and (one.phase != "throw" or one.seat != int(one.state["active"])):
            one.apply(forced(one, rng))
        if one.is_over:
            continue
        other = twin(one)
        asked: set[int] = set()
        turn = int(one.state["turn"])
        while one.phase == "throw" and one.seat not in asked and int(one.state["turn"]) == turn:
            asked.add(one.seat)
            assert differences(one, other, set(range(4))) == []
            assert one.legal() == other.legal()
            if int(one.state["to_ask"]) == 0:
                windows += 1
                break
            one.apply(0)
            other.apply(other.legal()[int(rng.integers(1, len(other.legal())))])
    assert windows > 20


# A line of the engine, and what leaks in its place: the check above must find each.
PLANTED = {
    "the top of the stock": (
        "    return view\n",
        "    view.stock += 64 * state.stock_cards[max(0, state.stock - 1)]\n    return view\n",
    ),
    "a penalty card": (
        "    state.penalties[seat] += 1\n",
        "    state.penalties[seat] += 1\n    state.views[seat].seen[slot] = card\n",
    ),
    "a far card of another": (
        "    return view\n",
        "    view.turn += np.int64(state.places[after(state, seat), 3].card)\n    return view\n",
    ),
}


@pytest.mark.parametrize("leak", PLANTED)
def test_a_planted_leak_is_found(leak: str, tmp_path: Path) -> None:
    line, leaky = PLANTED[leak]
    source = (ROOT / "sim/games/vierer/engine.py").read_text()
    assert source.count(line) == 1
    variant = source.replace(line, leaky)
    (tmp_path / "leaky_engine.py").write_text(variant)
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)]),
    }
    said = subprocess.run(
        [sys.executable, "-c", "from tests.sim.test_hiding import tell; tell('leaky_engine')"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "sees a difference" in said.stdout, said.stdout + said.stderr


def tell(module: str) -> None:
    """Print what the check finds with another engine in Vierer's place."""
    table = table_of("vierer", 3)
    engine = importlib.import_module(module)
    leaky = dataclasses.replace(table, game=dataclasses.replace(table.game, engine=engine))
    with np.errstate(over="ignore"):
        found, compared = leaks(leaky, 30, np.random.default_rng(1), steps=20)
    sys.stdout.write("\n".join([*found, f"{compared} views compared"]) + "\n")
