"""The same job gives the same cells: for any parts, threads, processes, with the JIT on or off."""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.compiled import is_warm
from sim.contract import load_game
from sim.job import Entrant, make_job
from sim.play import Player, Session, transcript_of, warm_kernel
from sim.table import Rows, Table, count_games, make_table
from tests.sim import kernels

ROOT = Path(__file__).parents[2]

# Line-ups and options that the JIT is compared on: (bots, seats, options, deals). All bots, options of every kind.
COMPARED: list[tuple[list[str], int, dict[str, Any], int]] = [
    (["careful", "gambler", "snapper", "random"], 4, {}, 1),
    (["careful:memory=8", "snapper"], 2, {"match_by": "points", "z_bonus": "always", "resets": "once"}, 2),
    (["gambler", "snapper:memory=3"], 3, {"give": "forced", "window": "after_discard", "tie": "knocker_loses"}, 2),
    (["careful", "snapper"], 5, {"late_penalty": True, "lock_knocker": True, "match_by": "either", "limit": 30}, 1),
    (["snapper", "gambler"], 6, {"stock_empty": "end_round", "hand_size": 6, "peek": 3, "limit": 30}, 1),
    (["careful", "random"], 2, {"initial_discard": False, "give": "never", "empty_ends_round": True, "limit": 40}, 1),
]


def table(
    bots: list[str],
    seats: int | None = None,
    options: dict[str, Any] | None = None,
    *,
    deals: int = 100,
    seed: int = 11,
    rotate: bool = True,
) -> Table:
    """A table; a bot's memory may be written behind its name."""
    entrants = []
    for text in bots:
        name, _, memory = text.partition(":memory=")
        entrants.append(Entrant(name, parameters={"memory": float(memory)} if memory else {}))
    game = load_game("vierer")
    job = make_job(game, entrants=entrants, seats=seats, deals=deals, seed=seed, options=options, rotate=rotate)
    return make_table(job)


def digest(cells: tuple[Rows, Rows, Rows]) -> str:
    return hashlib.sha256(b"".join(table.tobytes() for table in cells)).hexdigest()


def compared() -> list[str]:
    """The digests of what the JIT is compared on."""
    return [
        digest(Player(table(bots, seats, options, rotate=False)).play(0, deals))
        for bots, seats, options, deals in COMPARED
    ]


def elsewhere(code: str, **environment: str) -> Any:
    """Run code in another process and read the JSON that it prints."""
    said = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


MIXED = ["careful", "gambler:memory=5", "snapper", "careful"]


@pytest.mark.parametrize("deals", [1, 7])
def test_parts_of_any_size_give_the_same_cells(deals: int) -> None:
    whole = Player(table(MIXED)).play(0, 42)
    player = Player(table(MIXED))
    parts = [player.play(first, deals) for first in range(0, 42, deals)]
    for index, cells in enumerate(whole):
        assert np.array_equal(np.concatenate([part[index] for part in parts]), cells)


def test_parts_in_any_order_and_after_other_tables() -> None:
    player = Player(table(MIXED))
    last = player.play(30, 5)
    first = player.play(0, 5)
    fresh = Player(table(MIXED))
    assert digest(fresh.play(0, 5)) == digest(first)
    assert digest(fresh.play(30, 5)) == digest(last)


def test_a_warm_kernel_is_in_the_cache() -> None:
    warm_kernel("vierer")
    assert is_warm("vierer")
    assert not is_warm("whist")


def test_two_players_in_threads() -> None:
    alone = [digest(Player(table(MIXED)).play(first, 60)) for first in (0, 60)]
    players = [Player(table(MIXED)) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda pair: digest(pair[1].play(60 * pair[0], 60)), enumerate(players)))
    assert together == alone


def test_p_1_another_process() -> None:
    code = "import json; from tests.sim.test_determinism import compared; print(json.dumps(compared()))"
    assert elsewhere(code) == compared()


def test_jit_off_plays_the_same_games() -> None:
    code = "import json; from tests.sim.test_determinism import compared; print(json.dumps(compared()))"
    assert elsewhere(code, NUMBA_DISABLE_JIT="1") == compared()


def test_seeds_and_deals_differ() -> None:
    cells = [digest(Player(table(MIXED, seed=seed)).play(first, 5)) for seed in (1, 2) for first in (0, 5)]
    assert len(set(cells)) == 4


@pytest.mark.parametrize(
    ("bots", "rotations"),
    [(["careful"] * 4, {1}), (["careful", "random", "careful", "random"], {2, 4}), (["careful"] * 3 + ["random"], {4})],
)
def test_only_distinct_rotations_are_played(bots: list[str], rotations: set[int]) -> None:
    games, seats, _ = Player(table(bots)).play(0, 60)
    played = Counter(games[:, 1].tolist())
    assert set(played.values()) == rotations
    assert len(games) == count_games(table(bots), 0, 60)
    entrant_of = seats[:, 2].reshape(-1, 4)
    for deal in range(60):
        tables = [tuple(row) for row in entrant_of[games[:, 1] == deal]]
        assert len(set(tables)) == len(tables)
        for step, row in enumerate(tables):  # In rotation r seat s holds what seat s + r held.
            assert row == tables[0][step:] + tables[0][:step]
        # Every entrant sits in every seat equally often.
        for entrant in range(len(set(bots))):
            counts = {sum(row[seat] == entrant for row in tables) for seat in range(4)}
            assert len(counts) == 1 or len(set(bots)) == 1


def test_of_aabb_seatings_a_third_alternate() -> None:
    # Of the six ways to seat AABB two are alternating: those are played twice, the other four times.
    games, *_ = Player(table(["careful", "random", "careful", "random"])).play(0, 300)
    twice = sum(count == 2 for count in Counter(games[:, 1].tolist()).values())
    assert abs(twice - 100) < 41  # Binomial: deviation sqrt(300 * 1/3 * 2/3) < 8.2; five of them.


def test_rotation_r_seats_in_s_who_sat_in_s_plus_r() -> None:
    made = table(["careful", "gambler", "snapper", "random"])
    for deal in range(5):
        seated = [Session(made, deal, rotation).state["who"][:4].tolist() for rotation in range(4)]
        assert sorted(seated[0]) == [0, 1, 2, 3]
        assert seated == [seated[0][step:] + seated[0][:step] for step in range(4)]


def test_without_rotation_the_entrants_sit_as_listed() -> None:
    _, seats, _ = Player(table(["careful", "gambler", "snapper"], 3, rotate=False)).play(0, 10)
    assert seats[:, 2].tolist() == [0, 1, 2] * 10


def chance_of(made: Table, deal: int) -> tuple[list[Any], int]:
    """The shuffles of a game, round by round, and its first start seat."""
    events = transcript_of(made, deal, 0)["events"]
    shuffles = [event["stock"] for event in events if event["event"] == "shuffle"]
    return shuffles, next(event["first_seat"] for event in events if event["event"] == "round")


@pytest.mark.parametrize(
    ("bots", "options"),
    [
        (["careful", "careful", "random", "gambler"], {}),
        (["snapper:memory=2", "gambler", "careful", "random"], {}),
        (["careful", "gambler", "snapper", "random"], {"knock_penalty": 20}),
        (["careful", "gambler", "snapper", "random"], {"window": "after_discard", "give": "never"}),
    ],
)
def test_the_same_deals_serve_every_variant(bots: list[str], options: dict[str, Any]) -> None:
    plain = table(["careful", "gambler", "snapper", "random"])
    for deal in range(4):
        (shuffles, start), (others, other_start) = chance_of(plain, deal), chance_of(table(bots, None, options), deal)
        rounds = min(len(shuffles), len(others))
        assert rounds >= 1
        assert shuffles[:rounds] == others[:rounds]
        assert start == other_start


def test_a_bots_decisions_shift_nobody_elses_words() -> None:
    """The k-th word of a seat depends on its own key and k alone."""
    key = int(kernels.key_of(np.uint64(1), 2, 2, 3))
    words = [int(kernels.word_of(np.uint64(key), index)) for index in range(100)]
    assert len(set(words)) == 100
    assert words[50] == int(kernels.word_of(np.uint64(key), 50))
