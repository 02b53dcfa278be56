"""What games of Clueverge the referee is given to judge (tests/referee/judged.py)."""

from typing import Any

SEATS = (1, 2, 3, 4)
BOTS = ("random", "logician:samples=16", "reader:samples=16", "partner", "solver:ahead=1")
CHOICES: dict[str, tuple[Any, ...]] = {
    "mode": ("auto", "competitive", "coop", "solo"),
    "alibi_arrows": ("split", "cross"),
    "motive_arrows": ("cross", "split"),
    "case_cards": ("default5", "random", ("12 8 1 6 9 3 14 7", "0 3 12 5 6 9 1 2")),
    "redo": ("exact", "off"),
    "first_placement": ("face_up", "face_down", "any"),
    "share_first": (True, False),
    "coop_share": (True, False),
    "coop_u_face_up": (True, False),
    "reveal_on_declare": (False, True),
    "stall_limit": ("2n", 1, 3, 100),
    "first_to_two": (False, True),
    "solo_difficulty": (0, 1, 2, 3),
    "challenge": (False, True),
    "challenge_games": (1, 2, 5),
    "open_cards": ("seats", 0, 1, 3, 8, 12),
}
COMPETITIVE = ("first_placement", "share_first", "reveal_on_declare", "stall_limit", "first_to_two")
TOGETHER = ("coop_share", "coop_u_face_up")
SOLO = ("solo_difficulty", "challenge", "challenge_games")
NOT_OF_MODE = {"competitive": TOGETHER + SOLO, "coop": COMPETITIVE + SOLO, "solo": COMPETITIVE}


def fit(options: dict[str, Any], seats: int) -> None:
    """Put right what depends on each other (modifies `options`): one left out has its default.

    One seat plays the solo game, several any of the others; each mode has options of its own.
    """
    if seats == 1:
        options["mode"] = "solo"
    elif options.get("mode") == "solo":
        options["mode"] = "coop"
    mode = options.get("mode", "competitive")
    mode = "competitive" if mode == "auto" else mode
    left_out = set(NOT_OF_MODE[mode])
    is_random = options.get("case_cards") == "random"
    if is_random:
        left_out.add("challenge")
    if is_random or not options.get("challenge"):
        left_out.add("challenge_games")
    if options.get("open_cards") == 12 and not is_random:
        left_out.add("open_cards")
    for option in left_out:
        options.pop(option, None)
    if mode == "competitive":
        fit_first_placement(options, seats)


def fit_first_placement(options: dict[str, Any], seats: int) -> None:
    """Let every seat find a card for its first placement (modifies `options`)."""
    open_cards = options.get("open_cards", "seats")
    if open_cards == "seats":
        return  # 8, 6 or 4 open cards are enough for 2, 3 or 4 seats, and so are the covered ones.
    if open_cards == 0 and options.get("first_placement", "face_up") == "face_up":
        options["first_placement"] = "face_down"
    places = {"face_up": open_cards, "face_down": 15 - open_cards, "any": 15}
    if places[options.get("first_placement", "face_up")] < seats:
        options["share_first"] = True
