"""Redealing: a full state drawn from all that agree with a view as often as is right, checked against a list of them.

The lists are made by code of each game's own, which knows no line of the engine (`POSITIONS` in its table).
"""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from sim.contract import game_names, load_game
from sim.play import Session
from tests.sim.stepping import Listed, differing, each_of, hooks, make, twin, walk_into

DRAWS = 25  # expected of the rarest world, where that is not too many in all
MOST_DRAWS = 6000
FEWEST = 5  # Worlds expected less often than this count as one, so that chi-square holds.


def redealt(session: Session, word: int) -> Any:
    """Draw one state that agrees with the deciding seat's view."""
    record = session.table.state()
    with np.errstate(over="ignore"):
        session.table.game.engine.redealt(session.state["views"], session.seat, record, np.uint64(word))
    return record


def chi_square(listed: Listed, first: int) -> tuple[float, int]:
    """Redeal many times, and compare how often each world was drawn; gives chi-square and its degrees of freedom."""
    draws = min(MOST_DRAWS, round(DRAWS / min(listed.worlds.values())))
    counts = Counter(listed.world_of(redealt(listed.session, 977 * word + first)[0]) for word in range(draws))
    assert set(counts) <= set(listed.worlds)
    expected = {world: draws * probability for world, probability in listed.worlds.items()}
    assert set(counts) >= {world for world, times in expected.items() if times >= DRAWS - 1}
    rare = [world for world, times in expected.items() if times < FEWEST]
    cells = [(counts[world], times) for world, times in expected.items() if times >= FEWEST]
    if sum(expected[world] for world in rare) >= FEWEST:
        cells.append((sum(counts[world] for world in rare), sum(expected[world] for world in rare)))
    return sum((count - times) ** 2 / times for count, times in cells), len(cells) - 1


@pytest.mark.parametrize(("name", "kind"), each_of("POSITIONS"))
def test_every_world_is_drawn_as_often_as_is_right_and_no_other(name: str, kind: str) -> None:
    tried = 0
    for listed in hooks(name).POSITIONS[kind]():
        assert sum(listed.worlds.values()) == pytest.approx(1)
        assert listed.world_of(listed.session.state) in listed.worlds
        # Chi-square of k - 1 degrees of freedom: mean k - 1, deviation sqrt(2 (k - 1)); five of them, 5 for its tail.
        chi, free = chi_square(listed, tried)
        assert free >= 1
        assert chi < free + 5 * (2 * free) ** 0.5 + 5, listed.session.phase
        tried += 1
    assert tried >= 5


@pytest.mark.parametrize(("name", "seats"), each_of("SEATS"))
def test_a_redealt_state_looks_the_same_and_can_be_played_to_its_end(name: str, seats: int) -> None:
    game, rng = load_game(name), np.random.default_rng(4)
    actions = np.zeros(1 << 13, np.int64)
    variants = hooks(name).VARIANTS
    tried = 0
    for deal in range(30 * len(variants)):
        table = make(name, "random", seats, variants[deal % len(variants)], deals=1, seed=2)
        session = walk_into(Session(table, deal), rng, 300)
        if session.is_over:
            continue
        seat = session.seat
        record = redealt(session, deal)
        count = game.engine.look(record, actions)
        hooks(name).conserve(record[0])
        assert actions[:count].tolist() == session.legal()
        assert differing(record[0]["views"][seat], session.state["views"][seat], but=("word",)) == []
        steps = 0
        while not record[0]["is_over"] and steps < 100_000:
            count = game.engine.look(record, actions)
            assert game.engine.act(record, int(actions[int(rng.integers(count))]))
            steps += 1
        assert record[0]["is_over"]
        tried += 1
    assert tried >= 15


@pytest.mark.parametrize("name", game_names())
def test_redealing_depends_on_the_word_and_on_nothing_hidden(name: str) -> None:
    rng = np.random.default_rng(7)
    for positions in hooks(name).POSITIONS.values():
        listed = next(positions())
        session = listed.session
        assert redealt(session, 1).tobytes() == redealt(session, 1).tobytes()
        assert len({listed.world_of(redealt(session, word)[0]) for word in range(100)}) > 1
        other = twin(session)
        for _ in range(1000):
            if session.seat in hooks(name).swap_hidden(other.state, lambda count: int(rng.integers(count))):
                break
            other = twin(session)
        else:
            pytest.fail("Nothing that the deciding seat does not know changed places in 1000 attempts.")
        other._look()
        assert other.state.tobytes() != session.state.tobytes()
        assert redealt(other, 1).tobytes() == redealt(session, 1).tobytes()
