"""Fits the weights of the outlook, and writes them: `python -m tests.sim.foursquare_fit`.

Games are played by the outlook alone, each card where the sum is highest, and after each card the weights of the board
before it are moved so that its chance to win comes nearer to that of the best board after it: temporal differences
(Sutton, "Learning to predict by the methods of temporal differences", Machine Learning 3, 1988), over boards after a
placement, as Szubert and Jaskowski do for 2048 (IEEE CIG 2014). All chance is keyed, so that the same weights come out.
"""

import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from sim.chance import GENERATOR, deal_key, seed, shuffle
from sim.compiled import entry, kernel
from sim.games.foursquare import outlook
from sim.games.foursquare.board import Board, is_lost, is_won, placed
from sim.games.foursquare.lookahead import best_board, best_sum
from sim.games.foursquare.outlook import (
    CERTAIN,
    KINDS,
    WEIGHT_COUNT,
    across,
    chance,
    pile_index,
    spare_index,
    summed,
    written,
)
from sim.games.foursquare.spec import CARDS, COPIES, RULES, Spec, write_rules

_NOTHING = np.uint64(0)
_FACE_DOWN, _LINE, _U16 = np.uint64(15), np.uint64(0xFFFF), np.uint64(16)

# The rate of learning and how many games are played with it, one after the other.
SCHEDULE = ((0.1, 30_000), (0.05, 100_000), (0.02, 200_000), (0.006, 300_000))


@kernel
def adjust(board, stock, weights, by):  # type: ignore[no-untyped-def]
    """Move every weight that a board's sum is made of (modifies `weights`)."""
    rows = board.tops | (board.down * _FACE_DOWN)
    columns = across(rows)
    for _ in range(4):
        weights[KINDS[np.int64(rows & _LINE)]] += by
        weights[KINDS[np.int64(columns & _LINE)]] += by
        rows >>= _U16
        columns >>= _U16
    weights[pile_index(board)] += by
    weights[spare_index(board, stock)] += by


@entry
def learn(generator, record, weights, master, games, rate):  # type: ignore[no-untyped-def]
    """Play games by the outlook and learn from each card (modifies `weights`); returns how many were won."""
    rules = record[0]
    cards = np.empty(CARDS, np.int64)
    won = 0
    for game in range(games):
        for index in range(CARDS):
            cards[index] = 1 + index // COPIES
        seed(generator[0], deal_key(master, game))
        shuffle(generator[0], cards, CARDS)
        board = placed(Board(_NOTHING, _NOTHING, _NOTHING, _NOTHING), rules, cards[0], np.int64(9))
        for turn in range(1, CARDS):
            stock = CARDS - 1 - turn
            target = best_sum(board, rules, cards[turn], stock, weights)
            after = best_board(board, rules, cards[turn], stock, weights)
            total = summed(board, stock + 1, weights)
            slope = 0.5 / ((1.0 + total * total) * np.sqrt(1.0 + total * total))
            # A little is added to the slope, so that a sum far out can come back.
            adjust(board, stock + 1, weights, rate * (chance(target) - chance(total)) * (slope + 0.02))
            board = after
            if target == CERTAIN or target == -CERTAIN:
                won += is_won(board) and not is_lost(board, rules)
                break
    return won


def fit(spec: Spec) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Fit weights for one set of options, from none."""
    generator: Any = np.zeros(1, np.dtype(GENERATOR, align=True))
    rules = np.zeros(1, RULES)
    write_rules(rules[0], spec, 1)
    weights = np.zeros(WEIGHT_COUNT)
    for master, (rate, games) in enumerate(SCHEDULE):
        learn(generator, rules, weights, np.uint64(master), games, rate)
    return weights


def main() -> None:
    """Fit both readings and write `weights.py`."""
    file = Path(outlook.__file__).with_name("weights.py")
    blocks = [file.read_text().split("\n\n")[0] + "\n"]
    for name, flip_played in (("LITERAL", True), ("AUTHOR", False)):
        numbers = textwrap.fill(written(fit(Spec(flip_played=flip_played))), 116, break_on_hyphens=False)
        blocks.append(f'{name} = """\n{numbers}\n"""\n')
    file.write_text("\n".join(blocks))


if __name__ == "__main__":
    main()
