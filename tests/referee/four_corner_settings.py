"""What games of Four Corner Detective the referee is given to judge (tests/referee/judged.py)."""

from typing import Any

from tests.referee.four_corner import BRACELET51

SEATS = tuple(range(1, 11))
BOTS = (
    "weigher",
    "racer:deck_known=1",
    "bayes:confidence=0.3:inexperienced=1",
    "bayes:touch_ms=300:acuity=0.3",
    "steady:feels=1",
    "random",
)
SPEEDRUN = ("speedrun_deck", "speedrun_seconds")
BOTH = ("deck", "mode", "peek_slip")
CHOICES: dict[str, tuple[Any, ...]] = {
    "deck": ("bracelet51", "uniform", tuple(card[::-1] for card in BRACELET51)),
    "token_table": ("printed", "shifted"),
    "mode": ("standard", "standard", "speedrun"),
    "inexperienced": (False, True),
    "peek_slip": (0.0, 0.3, 1.0),
    "passdown_to_tokenless": ("auto", "true", "false"),
    "mark_without_tokens": (True, False),
    "bonus_needs_mark": (True, False),
    "cutoff": ("fifth", "fifth_to_last"),
    "rounds": (4, 1, 2),
    "bonus": (4, 0, 20),
    "speedrun_deck": (8, 1, 20),
    "speedrun_seconds": (120, 10, 33),
}


def fit(options: dict[str, Any], seats: int) -> None:
    """Put right what depends on each other (modifies `options`): each mode has options of its own."""
    is_speedrun = options.get("mode") == "speedrun"
    for option in list(options):
        if option not in BOTH and (option in SPEEDRUN) != is_speedrun:
            del options[option]
