"""What games of Foursquare the referee is given to judge (tests/referee/judged.py)."""

from typing import Any

SEATS = (1,)
BOTS = ("random", "greedy", "planner:width=3", "planner:depth=0", "sampler:samples=2:width=3")
CHOICES: dict[str, tuple[Any, ...]] = {
    "flip_played": (True, False),
    "facedown_compare": (False, True),
    "diagonal": (False, True),
    "last_card_wins": (True, False),
    "max_down": (4, 0, 2, 8, 16),
    "max_pile": (4, 3, 10),
}


def fit(options: dict[str, Any], seats: int) -> None:
    """Put right what depends on each other: there is nothing of the kind."""
