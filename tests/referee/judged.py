"""Lets the referees judge games that the engines played: `python -m tests.referee.judged --games 10000 --game vierer`.

The games are spread over seats, line-ups and option sets; with one seed the same number gives the same games.

A game's referee is `tests/referee/<game>.py` with `judge(transcript) -> differences`. What it is given to judge stands
beside it in `<game>_settings.py`: `SEATS`, `BOTS` as on a command line, `CHOICES[option]` its values, and
`fit(options, seats)`, which puts right what depends on each other.
"""

import argparse
import importlib
import itertools
import random
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from sim.contract import game_names, load_game
from sim.job import make_job
from sim.play import transcript_of
from sim.table import make_table
from workers.bots import read_line_up


def referee(name: str) -> ModuleType:
    """Load the referee of a game."""
    return importlib.import_module(f"tests.referee.{name}")


def settings(name: str, seed: int) -> Iterator[tuple[int, list[str], dict[str, Any]]]:
    """Draw seats, line-ups and options without end; every third setting has the default options."""
    played = importlib.import_module(f"tests.referee.{name}_settings")
    draw = random.Random(seed)
    for number in itertools.count():
        seats = played.SEATS[number % len(played.SEATS)]
        options = {}
        if number % 3:
            options = {option: draw.choice(values) for option, values in played.CHOICES.items() if draw.random() < 0.4}
            played.fit(options, seats)
        yield seats, draw.choices(played.BOTS, k=seats), options


def differences(name: str, games: int, seed: int = 1, each: int = 1) -> Iterator[str]:
    """Play so many games, `each` of one setting, and give what the referee finds wrong with them."""
    game, judge = load_game(name), referee(name).judge
    left = games
    for number, (seats, bots, options) in enumerate(settings(name, seed)):
        if left <= 0:
            return
        entrants, _ = read_line_up(",".join(bots), game)
        table = make_table(
            make_job(game, entrants=entrants, seats=seats, deals=each, seed=number, options=options, rotate=False)
        )
        for deal in range(min(each, left)):
            yield from (
                f"{name}, seed {number}, deal {deal}, {seats} seats, {', '.join(bots)}, {options}: {line}"
                for line in judge(transcript_of(table, deal, 0))
            )
        left -= each


def main() -> int:
    """Judge so many games of one game, or of each; 1 if there is any difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", choices=game_names(), action="append", help="again for more; without it all")
    given = parser.parse_args()
    count = 0
    for name in given.game or game_names():
        found = 0
        for line in differences(name, given.games, given.seed, each=10):
            found += 1
            sys.stdout.write(line + "\n")
        sys.stdout.write(f"{name}: {given.games} games judged, {found} differences\n")
        count += found
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
