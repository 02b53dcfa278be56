"""A table of Clueverge in a position of one's own choosing, played on in the words of a transcript.

`stand` lays the cards as a picture says (RULES.md, G-3, allows tests to inject the shuffled order), and lets the engine
go on from there. Below it stands what the tests of every game ask of this one (tests/sim/stepping.py, `Hooks`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from sim.compiled import entry
from sim.games.clueverge import engine
from sim.games.clueverge.board import cell_of, find_culprit
from sim.games.clueverge.spec import (
    ACT_DECLARE,
    ACT_OTHER,
    CARD_SCENE,
    CELLS,
    FLED,
    MODE_COMPETITIVE,
    NOWHERE,
    SCENE_FACES,
    cells_in,
    face_names,
)
from sim.play import Session
from tests.sim.stepping import Event, LineUp, Listed, Told, make

Target = int | str
Choice = tuple[str, Target]

# The investigation cards by number, as the engine has them; a motive or an alibi may be written in any way.
_CARDS = ("S1", "S2", "S3", "S4", "S5", "S6", "MV", "MH", "AV", "AH", "WE", "WE", "CL", "CL", "FT")
_WRITTEN = {"MO": ("MV", "MH"), "AL": ("AV", "AH")}
_SCENES = ("S7", "FT", "PT")


@entry
def lay_out(record, opened, first):  # type: ignore[no-untyped-def]
    """Go on from cards that lie: some are open, and a seat begins."""
    state = record[0]
    culprit = find_culprit(state.places, state.scene, state.rules)
    state.culprit = culprit
    state.culprit_cell = cell_of(culprit, state.places)
    engine.show_faces(state)
    state.open = opened
    for cell in range(CELLS):
        state.faces[cell] = state.board[cell] if (opened >> cell) & 1 else 0
    engine.begin_game(state, np.uint64(first))


class Position(Told):
    """A game at a decision, with what is asked in words."""

    def choices(self) -> set[Choice]:
        """The legal choices: a word and a target."""
        return {self._choice(action) for action in self.session.legal()}

    def targets(self, word: str) -> set[Target]:
        """The targets of one word among the legal choices."""
        return {target for kind, target in self.choices() if kind == word}

    def _choice(self, action: int) -> Choice:
        is_together = self.state["rules"]["mode"] != MODE_COMPETITIVE
        if action >= ACT_DECLARE:
            return "declare", "fled" if action - ACT_DECLARE == FLED else action - ACT_DECLARE
        if action >= ACT_OTHER:
            return "unused" if is_together else "reveal", action - ACT_OTHER
        return "place" if self.state["pawns"][self.seat] == NOWHERE else "move", action

    def act(self, seat: int, word: str, target: Target) -> "Position":
        """Let a seat act; it must be its turn."""
        assert self.seat == seat
        number = FLED if target == "fled" else int(target)
        first = {"place": 0, "move": 0, "reveal": ACT_OTHER, "unused": ACT_OTHER, "declare": ACT_DECLARE}[word]
        self.session.apply(first + number)
        return self

    @property
    def board(self) -> list[str]:
        """The face of each cell."""
        names = face_names(self.state["rules"])
        return [names[face] for face in self.state["board"]]

    @property
    def open(self) -> set[int]:
        """The cells that are face up."""
        return set(cells_in(int(self.state["open"])))

    def known(self, seat: int) -> dict[int, str]:
        """The cells whose face a seat knows, with the face."""
        names = face_names(self.state["rules"])
        return {cell: names[face] for cell, face in enumerate(self.state["views"][seat]["known"]) if face}

    def rows(self) -> tuple[dict[str, int], list[dict[str, int]]]:
        """The rows of the finished game and of its seats, by column."""
        game = self.session.table.game
        games, seats, _ = self.session.rows()
        names = [column.name for column in game.seat_columns]
        first = {column.name: int(cell) for column, cell in zip(game.game_columns, games[0], strict=True)}
        return first, [dict(zip(names, map(int, row), strict=True)) for row in seats]


def read_board(picture: str, scene_cell: int | None = None) -> tuple[list[int], int]:
    """Read four rows of faces as the cell of each card, and which crime-scene card is in play.

    That is S7 or PT, else a false testimony: the second one, or the one in `scene_cell`.
    """
    faces = picture.split()
    assert len(faces) == CELLS
    special = [cell for cell, face in enumerate(faces) if face in ("S7", "PT")]
    lies_in = special[0] if special else [cell for cell, face in enumerate(faces) if face == "FT"][-1]
    scene_cell = lies_in if scene_cell is None else scene_cell
    scene = _SCENES.index(faces[scene_cell])
    cells = [NOWHERE] * CARD_SCENE
    for cell, face in enumerate(faces):
        if cell != scene_cell:
            cards = [card for card, name in enumerate(_CARDS) if name in _WRITTEN.get(face, (face,))]
            cells[next(card for card in cards if cells[card] == NOWHERE)] = cell
    return [*cells, scene_cell], scene


def stand(
    picture: str,
    opened: Sequence[int] = (),
    *,
    scene_cell: int | None = None,
    seats: int = 2,
    first: int = 0,
    options: Mapping[str, Any] | None = None,
) -> Position:
    """Set up a game whose cards lie as in the picture, at the first decision of the seat `first`.

    The cells in `opened` are face up. The mode follows from `seats` and `options`.
    """
    session = Session(make("clueverge", "random", seats, options, deals=1), 0, is_logged=True)
    state = session.state
    state["block"] = state["fresh"]["block"]
    for seat in range(seats):
        for name in ("looks", "history"):
            state["views"][seat][name] = state["fresh"][name]
    cells, state["scene"] = read_board(picture, scene_cell)
    state["places"] = cells
    state["scene_cell"] = cells[CARD_SCENE]
    for name in ("is_over", "standing", "decisions", "asked", "redeals", "reveals", "moves"):
        state[name] = 0
    session.events.clear()
    state["logged"] = 0
    with np.errstate(over="ignore"):
        lay_out(session._record, sum(1 << cell for cell in opened), first)
    session._drain()
    session._look()
    return Position(session)


# ── Who did it, once more ────────────────────────────────────────────────────────────────────────────────────────────


def culprit_of(faces: Sequence[str]) -> int:
    """Find the culprit of a board of faces in plain Python: its number, 0 if it has fled (CLV-6 to CLV-11)."""
    where = [divmod(cell, 4) for cell in range(CELLS)]

    def lies(one: int, other: int) -> tuple[int, int]:
        """How many rows and columns two cells are apart."""
        return abs(where[one][0] - where[other][0]), abs(where[one][1] - where[other][1])

    def cells(*names: str) -> list[int]:
        return [cell for cell, face in enumerate(faces) if face in names]

    def is_void(cell: int) -> bool:
        return any(sum(lies(cell, false)) == 1 for false in cells("FT"))

    def points(cell: int, suspect: int) -> bool:
        rows, columns = lies(cell, suspect)
        is_vertical, is_horizontal = faces[cell][1] != "H", faces[cell][1] != "V"
        return (columns == 0 and is_vertical) or (rows == 0 and is_horizontal)

    used = [weapon for weapon in cells("WE") if any(max(lies(weapon, clue)) == 1 for clue in cells("CL"))]
    motives = [cell for cell in cells("MO", "MV", "MH") if not is_void(cell)]
    alibis = [cell for cell in cells("AL", "AV", "AH") if not is_void(cell)]
    found = []
    for number in range(1, 8):
        for suspect in cells(f"S{number}"):
            struck = any(0 in lies(weapon, suspect) or len(set(lies(weapon, suspect))) == 1 for weapon in used)
            suspected = any(points(cell, suspect) for cell in motives)
            if struck and suspected and not any(points(cell, suspect) for cell in alibis):
                found.append(number)
    return (min(found) if cells("PT") else max(found)) if found else 0


# ── What holds in every state ────────────────────────────────────────────────────────────────────────────────────────


def conserve(state: Any) -> None:
    """Assert what holds after every event: the board is a permutation of the cards, and every view is right (P-2)."""
    rules = state["rules"]
    seats = range(int(rules["seats"]))
    assert sorted(map(int, state["places"])) == list(range(CELLS))
    board = [int(face) for face in state["board"]]
    assert board[state["scene_cell"]] == SCENE_FACES[state["scene"]]
    assert state["places"][CARD_SCENE] == state["scene_cell"]
    names = face_names(rules)
    culprit = culprit_of([names[face] for face in board])
    assert state["culprit"] == culprit
    assert state["culprit_cell"] == (FLED if culprit == 0 else board.index(culprit))
    is_open = [int(state["open"]) >> cell & 1 for cell in range(CELLS)]
    assert [int(face) for face in state["faces"]] == [face * up for face, up in zip(board, is_open, strict=True)]
    declared = [seat for seat in seats if state["declared_turn"][seat]]
    assert state["undeclared"] == len(seats) - len(declared)
    assert int(state["standing"]) == sum({1 << int(state["pawns"][seat]) for seat in declared})
    assert state["unused"] == rules["spare_pawns"] - sum(int(cell) != NOWHERE for cell in state["spares"])
    for seat in seats:
        view = state["views"][seat]
        for cell in range(CELLS):
            is_known = is_open[cell] or view["looks"][seat, cell] > 0
            assert view["known"][cell] == (board[cell] if is_known else 0)
        pawn = int(state["pawns"][seat])
        if pawn < CELLS and seat not in declared:
            assert view["known"][pawn] == board[pawn]
        for name in ("faces", "opened", "pawns", "spares", "declared_turn", "open", "scene_cell", "first_seat"):
            assert np.array_equal(view[name], state[name])
        assert view["looks"].tobytes() == state["views"][0]["looks"].tobytes()
        assert view["history"].tobytes() == state["views"][0]["history"].tobytes()
    if not state["is_over"]:
        assert state["seat"] not in declared


# ── What is hidden ───────────────────────────────────────────────────────────────────────────────────────────────────


def swap_hidden(state: Any, draw: Callable[[int], int]) -> set[int]:
    """Let two hidden cards change places, or the crime-scene card with one in the box; see tests/sim/stepping.py."""
    seats = range(int(state["rules"]["seats"]))
    closed = [cell for cell in range(CELLS) if not int(state["open"]) >> cell & 1]
    before = state["board"].copy()
    if draw(3) == 0 and int(state["scene_cell"]) in closed:
        cells = [int(state["scene_cell"])]
        state["scene"] = (state["scene"] + 1 + draw(2)) % 3
    else:
        cards = [card for card in range(CARD_SCENE) if int(state["places"][card]) in closed]
        if len(cards) < 2:
            return set()
        one, other = (cards[draw(len(cards))] for _ in range(2))
        cells = [int(state["places"][card]) for card in (one, other)]
        state["places"][one], state["places"][other] = cells[1], cells[0]
    _find_again(state)
    if state["board"].tobytes() == before.tobytes():
        return set()
    knowing = set()
    for seat in seats:
        view = state["views"][seat]
        for cell in cells:
            if view["looks"][seat, cell]:
                view["known"][cell] = state["board"][cell]
                knowing.add(seat)
    return set(seats) - knowing


def _find_again(state: Any) -> None:
    """Write faces and culprit of a STATE whose cards lie otherwise now (modified), in plain Python."""
    rules = state["rules"]
    for card in range(CARD_SCENE):
        second = card in (7, 9)
        split = rules["motive_split"] if card in (6, 7) else rules["alibi_split"]
        face = card + 1 if card < 6 else (12 + (card - 10) // 2 if card >= 10 else card + 2 - (second and not split))
        state["board"][state["places"][card]] = face
    state["board"][state["scene_cell"]] = SCENE_FACES[state["scene"]]
    names = face_names(rules)
    culprit = culprit_of([names[face] for face in state["board"]])
    state["culprit"] = culprit
    state["culprit_cell"] = FLED if culprit == 0 else list(state["board"]).index(culprit)


def seen_by(event: Event, seats: int) -> set[int]:
    """Say who sees what an event tells (docs/transcripts.md)."""
    if event["event"] == "set_up":
        return set()
    return {event["seat"]} if event["event"] in ("look", "decision") else set(range(seats))


PLANTED = {
    "the card under another's pawn": (
        "    state.views[seat].known[cell] = face\n",
        "    state.views[seat].known[cell] = state.views[0].known[cell] = face\n",
    ),
    "the crime-scene card": ("    view.phase = state.phase\n", "    view.phase = state.phase + 2 * state.scene\n"),
    "whether the culprit has fled": (
        "    view.word = word_at(state.bot_keys[seat], state.asked[seat])\n",
        "    view.word = word_at(state.bot_keys[seat], state.asked[seat]) ^ np.uint64(state.culprit == 0)\n",
    ),
}


# ── Other worlds ─────────────────────────────────────────────────────────────────────────────────────────────────────


def boards_like(state: Any, seat: int) -> set[tuple[str, ...]]:
    """List all boards that agree with the faces that a seat knows, in plain Python."""
    names = face_names(state["rules"])
    known = [names[face] for face in state["views"][seat]["known"]]
    scene_cell = int(state["scene_cell"])
    rest = [names[face] for face in (*range(1, 7), 8, 9, 10, 11, 12, 12, 13, 13, 14)]
    for cell, face in enumerate(known):
        if face and cell != scene_cell:
            rest.remove(face)
    free = [cell for cell, face in enumerate(known) if not face and cell != scene_cell]
    boards = set()
    for scene in [known[scene_cell]] if known[scene_cell] else _SCENES:
        for order in permutations(rest):
            board = list(known)
            board[scene_cell] = scene
            for cell, face in zip(free, order, strict=True):
                board[cell] = face
            boards.add(tuple(board))
    return boards


def board_of(state: Any) -> tuple[str, ...]:
    """Read the board out of a STATE."""
    names = face_names(state["rules"])
    return tuple(names[face] for face in state["board"])


def listed(session: Session) -> Listed:
    """List the worlds of the deciding seat: all boards that agree, each as likely."""
    boards = boards_like(session.state, session.seat)
    return Listed(session, board_of, {board: 1 / len(boards) for board in boards})


def _few_hidden(
    seats: int, options: Mapping[str, Any], most: int, is_scene_known: bool | None = None
) -> Callable[[], Iterator[Listed]]:
    """Give decisions whose seat lacks so few faces that its worlds are at most `most`."""

    def positions() -> Iterator[Listed]:
        found = 0
        for deal in range(2000):
            rng = np.random.default_rng(deal)
            session = Session(make("clueverge", "random", seats, options, deals=1, seed=6), deal)
            while not session.is_over:
                known = session.state["views"][session.seat]["known"]
                is_known = bool(known[session.state["scene_cell"]])
                if int((known == 0).sum()) <= 6 and is_scene_known in (None, is_known):
                    one = listed(session)
                    if 2 <= len(one.worlds) <= most:
                        yield one
                        found += 1
                        break
                session.apply(forced(session, rng))
            if found == 6:
                return

    return positions


POSITIONS: dict[str, Callable[[], Iterator[Listed]]] = {
    "crime scene hidden": _few_hidden(2, {"case_cards": "random", "open_cards": 12}, 60, is_scene_known=False),
    "crime scene known": _few_hidden(2, {}, 60, is_scene_known=True),
    "alike": _few_hidden(3, {"alibi_arrows": "cross", "case_cards": "random", "open_cards": 10}, 60),
    "all split": _few_hidden(4, {"motive_arrows": "split", "case_cards": "random", "open_cards": 11}, 60),
    "together": _few_hidden(2, {"mode": "coop", "case_cards": "random", "open_cards": 11}, 60),
    "alone": _few_hidden(1, {"mode": "solo", "case_cards": "random", "open_cards": 10}, 60),
}

# ── What is played ───────────────────────────────────────────────────────────────────────────────────────────────────

SEATS = (2, 3, 4)
VARIANTS: tuple[dict[str, Any], ...] = ({}, {"mode": "coop"})
OTHER_CASES = ("0 1 2 3 4 5 6 7", "15 10 5 0 12 9 7 2")
VALUES = {
    "case_cards": [OTHER_CASES, "random"],
    "open_cards": [0, 1, 5, 8, 12],
    "stall_limit": [1, 3, 100],
}


def chance(events: Sequence[Event]) -> list[Any]:
    """What chance gave a game whatever its bots did: the set-ups of the first game, and who starts it."""
    drawn: list[Any] = []
    for event in events:
        if event["event"] == "set_up" and drawn and event["game"] > 1:
            break
        if event["event"] in ("set_up", "case_card", "start"):
            drawn += list(event.values())
    return drawn


def forced(session: Session, rng: np.random.Generator) -> int:
    """Choose a legal action: seldom one that declares, so that cards are looked at and turned up."""
    legal = session.legal()
    others = [action for action in legal if action < ACT_DECLARE]
    chosen = others if others and rng.random() < 0.8 else legal
    return chosen[int(rng.integers(len(chosen)))]


MIXED: LineUp = ("reader:samples=16,logician:samples=16,partner,random", 4, {"case_cards": "random", "open_cards": 10})

_FEW: dict[str, Any] = {"case_cards": "random", "open_cards": 12}  # so few worlds that all are listed without the JIT
COMPARED: list[tuple[str, int, dict[str, Any], int]] = [
    ("reader:samples=4,logician:samples=8", 2, {}, 1),
    ("reader:samples=4,partner,solver,random", 4, _FEW, 2),
    ("partner", 3, {"mode": "coop", **_FEW}, 2),
    ("partner", 4, {"mode": "coop", **_FEW, "alibi_arrows": "cross", "motive_arrows": "split"}, 1),
    ("reader:samples=4,solver", 2, {"mode": "coop", **_FEW, "coop_share": False, "coop_u_face_up": False}, 1),
    ("solver", 1, _FEW, 2),
    ("solver:ahead=2", 1, {"mode": "solo", "case_cards": "random", "open_cards": 11, "solo_difficulty": 1}, 1),
    ("random", 1, {"challenge": True, "challenge_games": 2}, 2),
    ("random", 2, {"first_to_two": True}, 1),
    ("logician:samples=4,random", 3, {"first_placement": "any", "share_first": False, "reveal_on_declare": True}, 1),
    ("random", 4, {"first_placement": "face_down", "stall_limit": 1, "redo": "off"}, 2),
]

SAME_DEALS: list[LineUp] = [
    ("random", 3, {}),
    ("logician:samples=8,random", 3, {"share_first": False, "reveal_on_declare": True}),
    ("random", 3, {"first_to_two": True}),
]

GAMES: dict[str, LineUp] = {
    "random": ("random", 2, {}),
    "against": ("reader,logician", 3, {}),
    "series": ("logician:samples=32,random", 2, {"first_to_two": True, "alibi_arrows": "cross"}),
    "together": ("partner", 3, {"mode": "coop"}),
    "alone": ("solver:ahead=2", 1, {}),
    "challenge": ("logician:samples=32", 1, {"challenge": True, "solo_difficulty": 1}),
}

CONTENT: dict[str, LineUp] = {
    "random": ("random", 2, {}),
    "four": ("reader:samples=16,logician:samples=16,random", 4, {}),
    "options": (
        *("logician:samples=8,random", 3),
        {"first_placement": "any", "share_first": False, "motive_arrows": "split", "first_to_two": True},
    ),
    "together": ("partner,logician:samples=16", 2, {"mode": "coop", "case_cards": "random", "open_cards": 10}),
    "alone": ("solver:ahead=1", 1, {"case_cards": OTHER_CASES}),
}
