"""What games of Vierer the referee is given to judge (tests/referee/judged.py)."""

from typing import Any

from tests.referee.vierer import COLOURS, RANKS

SEATS = (2, 3, 4, 5, 6, 7, 8)
BOTS = ("careful", "gambler", "snapper:reflex=3", "random")
CHOICES: dict[str, tuple[Any, ...]] = {
    "deck": ("default52", 2 * tuple(f"{rank} {colour}" for colour in COLOURS for rank in RANKS)),
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


def fit(options: dict[str, Any], seats: int) -> None:
    """Put right what depends on each other (modifies `options`): a total is reset to no more than the limit."""
    if options.get("reset_to", 50) > options.get("limit", 100):
        options["reset_to"] = 10
