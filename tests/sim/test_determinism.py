"""The same job gives the same cells: for any parts, threads, processes, with the JIT on or off."""

import ast
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.compiled import is_warm
from sim.contract import game_names, load_game
from sim.play import Player, Session, transcript_of, warm_kernel
from sim.table import Rows, Table, count_games
from tests.sim import kernels
from tests.sim.stepping import hooks, joined, make

ROOT = Path(__file__).parents[2]
every_game = pytest.mark.parametrize("name", game_names())

# Seatings are drawn, rotated and counted by code that all games share; each game carries them out.
LARGE = [name for name in game_names() if load_game(name).min_seats <= 4 <= load_game(name).max_seats]
every_large_game = pytest.mark.parametrize("name", LARGE)


def digest(cells: Sequence[Rows]) -> str:
    return hashlib.sha256(joined(cells)).hexdigest()


def mixed(name: str, seed: int = 1) -> Table:
    return make(name, *hooks(name).MIXED, seed=seed)


def seated(name: str, places: str) -> Table:
    """A table of a game's bots; each letter stands for one of them."""
    bots = list(load_game(name).bots)
    return make(name, ",".join(bots["abcd".index(place) % len(bots)] for place in places), len(places))


def compared(name: str) -> list[str]:
    """The digests of what the JIT is compared on."""
    return [
        digest(Player(make(name, bots, seats, options, rotate=False)).play(0, deals))
        for bots, seats, options, deals in hooks(name).COMPARED
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


@every_game
@pytest.mark.parametrize("deals", [1, 7])
def test_parts_of_any_size_give_the_same_cells(name: str, deals: int) -> None:
    whole = Player(mixed(name)).play(0, 42)
    player = Player(mixed(name))
    parts = [player.play(first, deals) for first in range(0, 42, deals)]
    for rows, cells in zip(zip(*parts, strict=True), whole, strict=True):
        assert np.array_equal(np.concatenate(rows), cells)


@every_game
def test_parts_in_any_order_and_after_other_tables(name: str) -> None:
    player = Player(mixed(name))
    last = player.play(30, 5)
    first = player.play(0, 5)
    fresh = Player(mixed(name))
    assert digest(fresh.play(0, 5)) == digest(first)
    assert digest(fresh.play(30, 5)) == digest(last)


@every_game
def test_a_warm_kernel_is_in_the_cache(name: str) -> None:
    warm_kernel(name)
    assert is_warm(name)
    assert not is_warm("whist")


@every_game
def test_two_players_in_threads(name: str) -> None:
    alone = [digest(Player(mixed(name)).play(first, 60)) for first in (0, 60)]
    players = [Player(mixed(name)) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda pair: digest(pair[1].play(60 * pair[0], 60)), enumerate(players)))
    assert together == alone


def told(name: str) -> str:
    """Code that prints the digests of what the JIT is compared on."""
    return f"import json; from tests.sim.test_determinism import compared; print(json.dumps(compared('{name}')))"


@every_game
def test_p_1_another_process(name: str) -> None:
    assert elsewhere(told(name)) == compared(name)


@every_game
def test_jit_off_plays_the_same_games(name: str) -> None:
    assert elsewhere(told(name), NUMBA_DISABLE_JIT="1") == compared(name)


@every_game
def test_the_jit_is_compared_on_every_bot(name: str) -> None:
    words = {bot.partition(":")[0] for bots, *_ in hooks(name).COMPARED for bot in bots.split(",")}
    assert words == set(load_game(name).bots)


@every_game
def test_seeds_and_deals_differ(name: str) -> None:
    chances = []
    for seed in (1, 2):
        chances += [chance_of(mixed(name, seed), deal, name) for deal in (0, 5)]
    assert all(one != other for place, one in enumerate(chances) for other in chances[:place])
    cells = [digest(Player(mixed(name, seed)).play(first, 5)) for seed in (1, 2) for first in (0, 5)]
    assert len(set(cells)) == 4


@every_large_game
@pytest.mark.parametrize(("places", "rotations"), [("aaaa", {1}), ("abab", {2, 4}), ("aaab", {4})])
def test_only_distinct_rotations_are_played(name: str, places: str, rotations: set[int]) -> None:
    table = seated(name, places)
    games, seats, *_ = Player(table).play(0, 60)
    played = Counter(games[:, 1].tolist())
    assert set(played.values()) == rotations
    assert len(games) == count_games(table, 0, 60)
    entrant_of = seats[:, 2].reshape(-1, 4)
    for deal in range(60):
        tables = [tuple(row) for row in entrant_of[games[:, 1] == deal]]
        assert len(set(tables)) == len(tables)
        for step, row in enumerate(tables):  # In rotation r seat s holds what seat s + r held.
            assert row == tables[0][step:] + tables[0][:step]
        # Every entrant sits in every seat equally often.
        for entrant in range(len(set(places))):
            counts = {sum(row[seat] == entrant for row in tables) for seat in range(4)}
            assert len(counts) == 1 or len(set(places)) == 1


@every_large_game
def test_of_aabb_seatings_a_third_alternate(name: str) -> None:
    # Of the six ways to seat AABB two are alternating: those are played twice, the other four times.
    games, *_ = Player(seated(name, "abab")).play(0, 300)
    twice = sum(count == 2 for count in Counter(games[:, 1].tolist()).values())
    assert abs(twice - 100) < 41  # Binomial: deviation sqrt(300 * 1/3 * 2/3) < 8.2; five of them.


@every_large_game
def test_rotation_r_seats_in_s_who_sat_in_s_plus_r(name: str) -> None:
    made = seated(name, "abab")
    for deal in range(20):
        rotations = Session(made, deal).rotations
        chairs = [Session(made, deal, rotation).state["who"][:4].tolist() for rotation in range(rotations)]
        assert sorted(chairs[0]) == [0, 0, 1, 1]
        assert chairs == [chairs[0][step:] + chairs[0][:step] for step in range(rotations)]


@every_game
def test_without_rotation_the_entrants_sit_as_listed(name: str) -> None:
    game = load_game(name)
    count = min(len(game.bots), game.max_seats)
    _, seats, *_ = Player(make(name, ",".join(list(game.bots)[:count]), count, rotate=False)).play(0, 10)
    assert seats[:, 2].tolist() == list(range(count)) * 10


@every_game
def test_a_single_entrant_plays_every_deal_once(name: str) -> None:
    for seats in (load_game(name).min_seats, load_game(name).default_seats):
        games, places, *_ = Player(make(name, "random", seats)).play(0, 10)
        assert games[:, 1].tolist() == games[:, 0].tolist() == list(range(10))
        assert places[:, 2].tolist() == [0] * 10 * seats


def chance_of(made: Table, deal: int, name: str) -> list[Any]:
    """What chance gave a game, in order."""
    return hooks(name).chance(transcript_of(made, deal, 0)["events"])


@every_game
def test_the_same_deals_serve_every_variant(name: str) -> None:
    plain, *variants = hooks(name).SAME_DEALS
    assert variants
    for line_up in variants:
        for deal in range(4):
            one = chance_of(make(name, *plain), deal, name)
            other = chance_of(make(name, *line_up), deal, name)
            shared = min(len(one), len(other))
            assert shared >= 1
            assert one[:shared] == other[:shared]


def test_a_bots_decisions_shift_nobody_elses_words() -> None:
    """The k-th word of a seat depends on its own key and k alone."""
    key = int(kernels.key_of(np.uint64(1), 2, 2, 3))
    words = [int(kernels.word_of(np.uint64(key), index)) for index in range(100)]
    assert len(set(words)) == 100
    assert words[50] == int(kernels.word_of(np.uint64(key), 50))


@every_game
def test_no_rule_and_no_bot_calls_what_differs_between_machines(name: str) -> None:
    """The last digit of exp, log and the like depends on the processor; + - * / and sqrt are exact everywhere."""
    banned = {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "power", "pow"}
    named = set()
    for file in (ROOT / "sim/games" / name).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("np", "math"):
                named.add(node.attr)
    assert "uint64" in named
    assert not named & banned
