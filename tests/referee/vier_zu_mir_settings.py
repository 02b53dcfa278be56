"""What games of Vier zu mir! the referee is given to judge (tests/referee/judged.py)."""

from typing import Any

# Four groups of animals, one of each on a card: 0 to 2 are on eight cards each, 15 to 22 on three, 23 is on none.
UNEVEN = tuple(f"{card % 3} {3 + card % 5} {8 + card % 7} {15 + card % 8}" for card in range(24))

SEATS = (3, 4, 5, 6, 7, 8)
BOTS = ("random", "child", "memory:memory=10", "detective")
CHOICES: dict[str, tuple[Any, ...]] = {
    "cards": ("cyclic", "random", UNEVEN),
    "ages": ("random",),
    "start_seat": ("random", 0, 2),
    "voluntary_stop": (True, False),
    "chain": (True, False),
    "max_asks": (10000, 40),
    "hand_cards": (2, 1, 3, 4),
}


def fit(options: dict[str, Any], seats: int) -> None:
    """Put right what depends on the seats (modifies `options`): the cards in all hands are at most 24.

    Where ages are drawn and the number of options drawn is odd, they become an age for each seat.
    """
    if "hand_cards" in options:
        options["hand_cards"] = min(options["hand_cards"], 24 // seats)
    if "ages" in options and len(options) % 2:
        # Multiples of 7 modulo 11: all different for neighbours up to eleven, and out of order.
        options["ages"] = tuple(1 + 7 * (seat + len(options)) % 11 for seat in range(seats))
