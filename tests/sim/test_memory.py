"""Forgetting as a pure function of the fact, the time it was seen and the seat's key."""

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

from sim.contract import load_game
from sim.job import Entrant, make_job
from sim.memory import STEPS, SURVIVAL
from sim.play import Player
from sim.table import make_table
from tests.sim import kernels


def keys(count: int) -> Any:
    return np.array([kernels.key_of(np.uint64(1), deal, 3, 0) for deal in range(count)], np.uint64)


def remembered(count: int, age: int, half_life: float, *, fact: int = 7, seen: int = 20) -> Any:
    """Which of so many seats still remember a fact seen that long ago."""
    answers = np.zeros(count, np.bool_)
    kernels.remembered(keys(count), fact, seen, seen + age, half_life, answers)
    return answers


def test_the_table_of_survival_is_exact() -> None:
    # Entry k is 2**64 * 2**(-k/32) rounded down, here by Decimal's power; at whole half-lives it is a power of two.
    with localcontext() as context:
        context.prec = 80
        for step in (1, 5, 16, 31, 33, 100, 500, len(SURVIVAL) - 1):
            assert int(SURVIVAL[step]) == int(Decimal(2) ** (64 - Decimal(step) / STEPS))
    for halvings in (1, 2, 10):
        assert abs(int(SURVIVAL[halvings * STEPS]) - 2 ** (64 - halvings)) <= 1


@pytest.mark.parametrize(("age", "half_life"), [(1, 4.0), (4, 4.0), (8, 4.0), (3, 10.0), (20, 10.0), (1, 0.5)])
def test_half_is_forgotten_in_a_half_life(age: int, half_life: float) -> None:
    count = 4000
    chance = 2 ** (-age / half_life)
    # The age is counted in steps of 1/32 half-life, rounded down; five binomial deviations.
    low, high = chance, 2 ** (-(int(age * STEPS / half_life)) / STEPS)
    spread = 5 * (count * chance * (1 - chance)) ** 0.5
    assert low * count - spread <= remembered(count, age, half_life).sum() <= high * count + spread


def test_what_is_seen_now_is_remembered_and_what_is_old_is_gone() -> None:
    assert remembered(500, 0, 0.1).all()
    assert not remembered(500, 400, 0.1).any()


def test_once_forgotten_stays_forgotten() -> None:
    before = np.ones(500, np.bool_)
    for age in range(40):
        now = remembered(500, age, 6.0)
        assert not (now & ~before).any()
        before = now


def test_facts_times_and_seats_are_forgotten_apart() -> None:
    one = remembered(2000, 5, 5.0)
    for other in (remembered(2000, 5, 5.0, fact=8), remembered(2000, 5, 5.0, seen=21)):
        # Independent halves agree in about half of the cases: mean 1000, deviation sqrt(500) < 22.4; five of them.
        assert abs(int((one == other).sum()) - 1000) < 112


def scores(bots: list[Entrant], deals: int, seats: int = 2) -> Any:
    """Each entrant's mean share of wins."""
    game = load_game("vierer")
    _, rows, _ = Player(make_table(make_job(game, entrants=bots, seats=seats, deals=deals))).play(0, deals)
    names = [column.name for column in game.seat_columns]
    shares = rows[:, names.index("win_share")] / 2520
    return np.array([shares[rows[:, names.index("entrant")] == entrant].mean() for entrant in range(len(bots))])


def test_endless_memory_is_the_bot_that_never_asks() -> None:
    game = load_game("vierer")
    memories: list[dict[str, float | str]] = [{}, {"memory": "inf"}, {"memory": 1e12}]
    jobs = [make_job(game, entrants=[Entrant("careful", "c", memory)], seats=3, deals=40) for memory in memories]
    cells = [Player(make_table(job)).play(0, 40) for job in jobs]
    for games, seats, _ in cells[1:]:
        assert np.array_equal(games, cells[0][0])
        assert np.array_equal(seats, cells[0][1])


def test_a_bot_without_memory_loses_to_one_that_never_forgets() -> None:
    shares = scores([Entrant("careful"), Entrant("careful", parameters={"memory": 0.1})], 1000)
    # 2000 games of equal chances: deviation of a share 0.5 / sqrt(2000) < 0.012; ten of them.
    assert shares[0] > 0.5 + 0.12
