"""A table of Foursquare in a position of one's own choosing, drawn as text.

A position is rows from the top, separated by `/`; a pile is the rank of its top with `^` (face up) or `_` (face down),
behind it `*3` if it is three cards high; `.` is an empty place. `stand("7^ . / 3_*2 8^", card=5)` puts the seat before
placing a 5 (RULES.md, G-3, allows tests to inject cards).
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from sim.contract import load_game
from sim.games.foursquare.board import place
from sim.games.foursquare.spec import CARDS, COPIES, PHASE_PLACE, RANKS, SIZE
from sim.job import Entrant, make_job
from sim.play import Session
from sim.table import Table, make_table
from tests.sim.stepping import LineUp, Listed, Told

Event = dict[str, Any]
Pile = tuple[int, bool, int]  # the rank of the top, whether it is face up, the height
Piles = dict[tuple[int, int], Pile]

LITERAL: dict[str, Any] = {}
AUTHOR: dict[str, Any] = {"flip_played": False}  # the preset `author`


def table_of(options: Mapping[str, Any] | None = None, *, seed: int = 1) -> Table:
    """Make a table of the bot `random`; the decisions are the test's."""
    game = load_game("foursquare")
    return make_table(make_job(game, entrants=[Entrant("random")], deals=1, seed=seed, options=options))


def read(text: str) -> Piles:
    """Read a position: its piles by row and column."""
    piles = {}
    for row, line in enumerate(text.split("/")):
        for column, word in enumerate(line.split()):
            if word != ".":
                top, _, height = word.partition("*")
                piles[row, column] = int(top[:-1]), top[-1] == "^", int(height or 1)
    return piles


def drawn(piles: Piles) -> str:
    """Write piles as text, from their top left corner on."""
    rows, columns = ([cell[axis] for cell in piles] for axis in (0, 1))
    lines = []
    for row in range(min(rows), max(rows) + 1):
        words = []
        for column in range(min(columns), max(columns) + 1):
            rank, is_up, height = piles.get((row, column), (0, False, 0))
            words.append(f"{rank}{'^' if is_up else '_'}{f'*{height}' if height > 1 else ''}" if height else ".")
        lines.append(" ".join(words))
    return " / ".join(lines)


def piles_in(state: Any) -> Piles:
    """Read the piles out of a STATE or a VIEW."""
    piles = {}
    for cell in range(SIZE * SIZE):
        occupied, down, rank, height = (
            int(state[name]) >> 4 * cell & 15 for name in ("occupied", "down", "tops", "heights")
        )
        if occupied:
            piles[cell // SIZE, cell % SIZE] = rank, not down, height
        assert occupied in (0, 1)
        assert down in (0, occupied)
        assert (rank > 0) == (height > 0) == bool(occupied)
    return piles


class Position(Told):
    """A game at a decision."""

    @property
    def grid(self) -> str:
        """The piles as text."""
        return drawn(piles_in(self.session.state))

    @property
    def down(self) -> int:
        """How many piles show a face-down top."""
        return sum(not is_up for _, is_up, _ in piles_in(self.session.state).values())

    @property
    def end(self) -> Event:
        """What the end of the game says."""
        (event,) = self.named("game_end")
        return event

    def cells(self) -> set[tuple[int, int]]:
        """The cells that are legal, as row and column relative to the piles."""
        return {(action // 8 - 1, action % 8 - 1) for action in self.session.legal()}

    def lay(self, row: int, column: int) -> "Position":
        """Place the card on a cell."""
        self.session.apply(int(place(row, column)))
        return self


def stand(
    text: str,
    *,
    card: int,
    stock: Sequence[int] = (),
    left: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Position:
    """Set up a game before a card of some rank is placed.

    `stock` are the next cards; the others follow in order of rank. With `left` cards left in the stock, the rest are
    taken to lie beneath the piles, though the piles are no higher for it.
    """
    session = Session(table_of(options), 0, is_logged=True)
    piles = read(text)
    state = session.state
    for name in ("occupied", "down", "tops", "heights"):
        state[name] = 0
    for (row, column), (rank, is_up, height) in piles.items():
        bit = 4 * (SIZE * row + column)
        for name, value in (("occupied", 1), ("down", not is_up), ("tops", rank), ("heights", height)):
            state[name] |= type(state[name])(int(value) << bit)
    others = Counter(dict.fromkeys(range(1, RANKS + 1), COPIES))
    others.subtract([rank for rank, _, _ in piles.values()])
    others.subtract([card, *stock])
    assert min(others.values()) >= 0, "a rank is there more than four times"
    beneath = sorted(others.elements(), key=lambda rank: -others[rank])
    hidden = sum(height - 1 for _, _, height in piles.values())
    if left is not None:
        hidden = len(beneath) + len(stock) - left
    rest = [*stock, *sorted(beneath[hidden:])]
    turn = CARDS - len(rest)
    state["cards"][:turn] = 0
    state["cards"][turn:] = rest
    state["turn"], state["stock"], state["rank"] = turn, len(rest), card
    state["remaining"] = sum(1 << 4 * rank for rank in rest)
    state["first_row"] = state["first_column"] = 0
    state["phase"] = PHASE_PLACE
    session._look()
    session.events.clear()
    return Position(session)


# ── What holds in every state ────────────────────────────────────────────────────────────────────────────────────────


def conserve(state: Any) -> None:
    """Assert what holds after every event: 40 cards in piles, in hand and in the stock (P-2), and the view is right."""
    piles = piles_in(state)
    turn, stock, is_over = int(state["turn"]), int(state["stock"]), bool(state["is_over"])
    in_piles = sum(height for _, _, height in piles.values())
    in_hand = 0 if is_over else 1
    assert in_piles + in_hand == turn
    assert turn + stock == CARDS
    left = Counter(int(rank) for rank in state["cards"][turn:])
    assert left == Counter({rank: int(state["remaining"]) >> 4 * rank & 15 for rank in range(16)})
    shown = left + Counter([rank for rank, _, _ in piles.values()]) + Counter([int(state["rank"])] * in_hand)
    assert set(shown) <= set(range(1, RANKS + 1))
    assert max(shown.values()) <= COPIES
    rows, columns = {row for row, _ in piles}, {column for _, column in piles}
    assert min(rows) == min(columns) == 0
    assert max([*rows, *columns]) < SIZE
    assert max(height for _, _, height in piles.values()) <= state["rules"]["max_pile"]
    assert (int(state["first_row"]), int(state["first_column"])) in piles
    if not is_over:
        assert sum(not is_up for _, is_up, _ in piles.values()) <= state["rules"]["max_down"]
        assert 1 <= state["rank"] <= RANKS


# ── Pairs of deals that differ in what the seat has not seen ─────────────────────────────────────────────────────────


def swap_hidden(state: Any, draw: Callable[[int], int]) -> set[int]:
    """Let two cards of the stock change places; the seat has seen neither. `draw(n)` chooses one of n."""
    turn, stock = int(state["turn"]), int(state["stock"])
    if stock < 2:
        return set()
    one, other = turn + draw(min(4, stock)), turn + draw(stock)
    cards = state["cards"]
    cards[one], cards[other] = int(cards[other]), int(cards[one])
    return {0} if cards[one] != cards[other] else set()


def seen_by(event: Event, seats: int) -> set[int]:
    """Say who sees an event (docs/transcripts.md): all but the order of the stock."""
    return set() if event["event"] == "shuffle" else {0}


# A line of the engine, and what leaks in its place.
PLANTED = {
    "the top of the stock": (
        "    return view\n",
        "    view.rank += 16 * state.cards[min(state.turn, CARDS - 1)]\n    return view\n",
    ),
    "the last card of the stock": (
        "    return view\n",
        "    view.turn += np.int16(64 * state.cards[CARDS - 1])\n    return view\n",
    ),
}

# ── Other worlds ─────────────────────────────────────────────────────────────────────────────────────────────────────


def next_three(state: Any) -> tuple[int, ...]:
    """The next three cards of the stock."""
    turn = int(state["turn"])
    return tuple(int(rank) for rank in state["cards"][turn : turn + 3])


def orders(left: Sequence[int]) -> dict[Hashable, float]:
    """The next three cards out of these, with their probabilities: by drawing one after the other."""
    worlds: Counter[Hashable] = Counter()
    for drawn_cards in permutations(left, 3):
        worlds[drawn_cards] += 1
    total = sum(worlds.values())
    return {world: count / total for world, count in worlds.items()}


def late_decisions() -> Iterator[Listed]:
    """Games with few cards left: of one rank, of a few, some of them alike."""
    text = "9^*4 8^*4 7^*4 6^*4 / 5_*4 4^*4 3^*4 . / 2^*4 1^*2"
    for left in ([7, 7, 9], [1, 2, 3], [1, 1, 2, 10], [5, 5, 6, 6], [1, 4, 6, 9], [2, 2, 2, 3, 3, 8], [1, 1, 1, 9]):
        at = stand(text, card=10, stock=left, left=len(left))
        yield Listed(at.session, next_three, orders(left))


POSITIONS = {"with few cards left": late_decisions}

# ── What is played ───────────────────────────────────────────────────────────────────────────────────────────────────

SEATS = (1,)
VARIANTS: list[dict[str, Any]] = [LITERAL, AUTHOR]


def chance(events: Sequence[Event]) -> list[Any]:
    """The order of the stock."""
    return [event["stock"] for event in events if event["event"] == "shuffle"]


MIXED: LineUp = ("planner", 1, {})

# All bots, options of every kind; those that look ahead do it as little as they can, for without the JIT it takes long.
COMPARED: list[tuple[str, int, dict[str, Any], int]] = [
    ("random", 1, {}, 3),
    ("random", 1, {"max_down": 16, "last_card_wins": False}, 3),
    ("greedy", 1, {"flip_played": False, "diagonal": True}, 1),
    ("planner:depth=0", 1, {"facedown_compare": True, "max_down": 9, "max_pile": 3}, 2),
    ("planner:width=1", 1, {"diagonal": True}, 1),
    ("planner:depth=2:width=1", 1, {"max_down": 1}, 1),
    ("sampler:samples=1:width=2:thrift=0.3", 1, {"max_down": 2}, 1),
]

SAME_DEALS: list[LineUp] = [
    ("random", 1, {}),
    ("planner", 1, {}),
    ("greedy", 1, AUTHOR),
    ("random", 1, {"max_down": 16, "diagonal": True}),
]

GAMES: dict[str, LineUp] = {
    "random": ("random", 1, {}),
    "planner": ("planner", 1, {}),
    "greedy_author": ("greedy", 1, {**AUTHOR, "max_pile": 3}),
    "options": ("planner:depth=0", 1, {"facedown_compare": True, "diagonal": True, "max_down": 2, "max_pile": 10}),
}

CONTENT: dict[str, LineUp] = {
    "random": ("random", 1, {}),
    "greedy": ("greedy", 1, {}),
    "planner": ("planner", 1, {}),
    "author": ("planner:depth=0", 1, AUTHOR),
    "sampler": ("sampler:samples=3:width=4", 1, {}),
    "options": ("random", 1, {"facedown_compare": True, "diagonal": True, "max_down": 9, "max_pile": 3}),
}
