"""No view shows what its seat has not seen: pairs of deals that differ only there are played alike, byte for byte.

Two deals differ in two hidden cards that lie in each other's place. The same forced actions are played on both. A seat
is blind as long as no event has shown it one of the two; its VIEW must be the same in both, after every event.
"""

import dataclasses
import importlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.contract import game_names
from sim.play import Session
from sim.table import Table
from tests.sim.stepping import differing, each_of, forced, hooks, make, twin, walk_into

ROOT = Path(__file__).parents[2]
VIEWS = 1500  # that are compared at least


def table_of(name: str, seats: int, options: Mapping[str, Any] | None = None) -> Table:
    return make(name, "random", seats, options, deals=1, seed=3)


def leaks(table: Table, pairs: int, rng: np.random.Generator, steps: int = 40) -> tuple[list[str], int]:
    """Play pairs of deals; give a line for each difference that a blind seat could see, and the views compared.

    There are so many pairs at least, more where few views could be compared.
    """
    found: list[str] = []
    compared = 0
    for pair in range(10 * pairs):
        if pair >= pairs and compared > VIEWS:
            break
        one = walk_into(Session(table, pair, is_logged=True), rng, 120)
        if one.is_over:
            continue
        other = twin(one)
        one.events = []
        blind = hooks(table.game.name).swap_hidden(other.state, lambda count: int(rng.integers(count)))
        other._look()
        for _ in range(steps):
            compared += len(blind)
            found += [f"pair {pair}, {line}" for line in differences(one, other, blind)]
            if not blind or found or one.is_over:
                break
            action = forced(one, rng)
            if action not in other.legal():  # What the seat in turn holds decides what it may do: the two part.
                break
            one.apply(action)
            other.apply(action)
            blind = still_blind(one, other, blind)
        if found:
            break
    return found, compared


def differences(one: Session, other: Session, blind: set[int]) -> list[str]:
    """Name the fields in which a blind seat's views differ."""
    lines = []
    for seat in blind:
        names = differing(one.state["views"][seat], other.state["views"][seat])
        if names:
            lines.append(f"decision {one.state['decisions']}: seat {seat} sees a difference in {', '.join(names)}")
    return lines


def still_blind(one: Session, other: Session, blind: set[int]) -> set[int]:
    """Take away the seats that an event of the last step has shown one of the two cards."""
    game, seats = hooks(one.table.game.name), one.table.job.seats
    left = set(blind)
    for a, b in zip(one.events, other.events, strict=False):
        if game.shown(a) != game.shown(b):
            left -= game.seen_by(a, seats)
    is_parted = len(one.events) != len(other.events) or (one.seat, one.phase) != (other.seat, other.phase)
    one.events, other.events = [], []
    return set() if is_parted and len(left) < seats else left


@pytest.mark.parametrize(("name", "seats"), each_of("SEATS"))
def test_p_4_a_view_is_the_same_whatever_its_seat_has_not_seen(name: str, seats: int) -> None:
    for options in hooks(name).VARIANTS:
        found, compared = leaks(table_of(name, seats, options), 150, np.random.default_rng(seats))
        assert found == []
        assert compared > VIEWS


@pytest.mark.parametrize("name", [name for name in game_names() if hooks(name).secrets])
def test_what_is_done_in_secret_is_shown_to_nobody_else(name: str) -> None:
    """One seat's secret action differs between two games: all others see the same until it is laid open."""
    rng = np.random.default_rng(8)
    secrets, window = hooks(name).secrets, hooks(name).window
    assert secrets is not None
    compared = 0
    for deal in range(100):
        seats = max(hooks(name).SEATS)
        one = walk_into(Session(table_of(name, seats), deal), rng, 150)
        while not one.is_over and len(secrets(one)) < 2:
            one.apply(forced(one, rng))
        if one.is_over:
            continue
        other = twin(one)
        seat, opened = one.seat, window(one.state)
        action, another = rng.choice(secrets(one), 2, replace=False)
        one.apply(int(action))
        other.apply(int(another))
        while window(one.state) == window(other.state) == opened and seat not in (one.seat, other.seat):
            assert differences(one, other, set(range(seats)) - {seat}) == []
            assert (one.seat, one.phase, one.legal()) == (other.seat, other.phase, other.legal())
            compared += 1
            action = forced(one, rng)
            one.apply(action)
            other.apply(action)
    assert compared > 100


@pytest.mark.parametrize(("name", "leak"), each_of("PLANTED"))
def test_a_planted_leak_is_found(name: str, leak: str, tmp_path: Path) -> None:
    line, leaky = hooks(name).PLANTED[leak]
    source = (ROOT / f"sim/games/{name}/engine.py").read_text()
    assert source.count(line) == 1
    variant = source.replace(line, leaky)
    (tmp_path / "leaky_engine.py").write_text(variant)
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)]),
    }
    said = subprocess.run(
        [sys.executable, "-c", f"from tests.sim.test_hiding import tell; tell('{name}', 'leaky_engine')"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "sees a difference" in said.stdout, said.stdout + said.stderr


def tell(name: str, module: str) -> None:
    """Print what the check finds with another engine in a game's place."""
    seats = sorted(hooks(name).SEATS)
    engine = importlib.import_module(module)
    for options in hooks(name).VARIANTS:
        table = table_of(name, seats[len(seats) // 2], options)
        leaky = dataclasses.replace(table, game=dataclasses.replace(table.game, engine=engine))
        with np.errstate(over="ignore"):
            found, compared = leaks(leaky, 30, np.random.default_rng(1), steps=20)
        sys.stdout.write("\n".join([*found, f"{compared} views compared"]) + "\n")
