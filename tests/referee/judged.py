"""Lets the referee judge games that the engine played: `python -m tests.referee.judged --games 10000`.

The games are spread over seats, line-ups and option sets; with one seed the same number gives the same games.
"""

import argparse
import itertools
import random
import sys
from collections.abc import Iterator
from typing import Any

from sim.contract import load_game
from sim.job import Entrant, make_job
from sim.play import transcript_of
from sim.table import make_table
from tests.referee.vierer import judge

BOTS = ("careful", "gambler", "snapper", "random")
CHOICES: dict[str, tuple[Any, ...]] = {
    "initial_discard": (True, False),
    "taken_face_up": (False, True),
    "match_by": ("rank", "points", "either"),
    "give": ("optional", "forced", "never"),
    "window": ("both", "after_discard"),
    "late_penalty": (False, True),
    "illegal_penalty": (False, True),
    "stock_empty": ("reshuffle", "end_round"),
    "tie": ("knocker_wins", "knocker_loses"),
    "lock_knocker": (False, True),
    "z_bonus": ("hand", "always"),
    "resets": ("unlimited", "once", "never"),
    "empty_ends_round": (False, True),
    "min_turns_before_knock": (0, 3),
    "max_turns": (200, 25),
    "max_rounds": (1000, 4),
    "limit": (100, 60, 30),
    "reset_at": (100, 30, 0),
    "reset_to": (50, 10),
    "knock_bonus": (-10, 0),
    "knock_penalty": (30, 10),
    "hand_size": (4, 2, 6),
    "peek": (2, 0, 1),
}


def settings(seed: int) -> Iterator[tuple[int, list[str], dict[str, Any]]]:
    """Draw seats, line-ups and options without end; every third setting has the default options."""
    draw = random.Random(seed)
    for number in itertools.count():
        options = {}
        if number % 3:
            options = {name: draw.choice(values) for name, values in CHOICES.items() if draw.random() < 0.4}
        if options.get("reset_to", 50) > options.get("limit", 100):
            options["reset_to"] = 10
        yield 2 + number % 7, draw.choices(BOTS, k=2 + number % 7), options


def differences(games: int, seed: int = 1, each: int = 1) -> Iterator[str]:
    """Play so many games, `each` of one setting, and give what the referee finds wrong with them."""
    game = load_game("vierer")
    left = games
    for number, (seats, bots, options) in enumerate(settings(seed)):
        if left <= 0:
            return
        entrants = [Entrant(bot, skills={"reflex": 3.0} if bot == "snapper" else {}) for bot in bots]
        table = make_table(
            make_job(game, entrants=entrants, seats=seats, deals=each, seed=number, options=options, rotate=False)
        )
        for deal in range(min(each, left)):
            yield from (
                f"seed {number}, deal {deal}, {seats} seats, {', '.join(bots)}, {options}: {line}"
                for line in judge(transcript_of(table, deal, 0))
            )
        left -= each


def main() -> int:
    """Judge so many games; 1 if there is any difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    count = 0
    for line in differences(given.games, given.seed, each=10):
        count += 1
        sys.stdout.write(line + "\n")
    sys.stdout.write(f"{given.games} games judged, {count} differences\n")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
