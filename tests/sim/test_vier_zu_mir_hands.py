"""Histories of a hand: those drawn by trying come as often as each other, and are those that are listed."""

from collections import Counter

import numpy as np
import pytest

from sim.chance import seed
from sim.compiled import entry
from sim.games.vier_zu_mir import hands
from sim.games.vier_zu_mir.spec import CARDS, MAX_SEATS
from sim.play import Session
from tests.sim.stepping import any_legal, make

SEEDS = 4000


@entry
def listed_and_drawn(views, seat, record, listed, drawn):  # type: ignore[no-untyped-def]
    """List the histories of the left neighbour's hand, and draw some; returns how many are listed."""
    view = views[seat]
    other = (seat + 1) % view.rules.seats
    placings = np.zeros((MAX_SEATS, CARDS, 5), np.int64)
    counts = np.zeros(MAX_SEATS, np.int64)
    hands.list_placings(view, placings, counts)
    asked = np.zeros((MAX_SEATS, CARDS + 1), np.uint32)
    hands.list_asked(view, placings, counts, asked)
    seed(record[0], np.uint64(7))
    for index in range(len(drawn)):
        hands.draw_history(view, record[0], other, placings[other], counts[other], asked[other], drawn[index])
    return hands.find_histories(view, other, placings[other], counts[other], asked[other], listed)


@pytest.mark.parametrize("options", [{}, {"hand_cards": 3}, {"chain": False}])
def test_histories_drawn_by_trying_are_those_listed_each_as_likely(options: dict[str, object]) -> None:
    rng = np.random.default_rng(1)
    tried = 0
    for deal in range(60):
        session = Session(make("vier_zu_mir", "random", 3, options, seed=2), deal)
        while not session.is_over and session.state["shown"] < 4:
            session.apply(any_legal(session, rng))
        listed = np.zeros((300, hands.HISTORY), np.uint8)
        drawn = np.zeros((SEEDS, hands.HISTORY), np.uint8)
        with np.errstate(over="ignore"):
            arguments = session.state["views"], session.seat, session.table.state(), listed, drawn
            found = 0 if session.is_over else listed_and_drawn(*arguments)
        if not 5 <= found <= 300:
            continue
        # The cards held now come in any order; in which placing each was drawn goes with it.
        times = Counter(map(history_of, drawn))
        assert set(times) <= set(map(history_of, listed[:found]))
        # Chi-square of found - 1 degrees of freedom: mean found - 1, deviation sqrt(2 (found - 1)); five of them.
        expected = SEEDS / found
        chi = sum((times[history_of(row)] - expected) ** 2 / expected for row in listed[:found])
        assert chi < found - 1 + 5 * (2 * (found - 1)) ** 0.5 + 5
        tried += 1
    assert tried >= 3


def history_of(row: "np.ndarray[tuple[int], np.dtype[np.uint8]]") -> tuple[object, ...]:
    """Give a history as a value: when each shown card was drawn, and each card held now."""
    births, hand = row[: hands.NAMED].tolist(), row[hands.NAMED :].tolist()
    held = frozenset(zip(hand, births[CARDS:], strict=True))
    return (*births[:CARDS], held)
