"""The referee of Clueverge: the worked examples of RULES.md 3.8, games written by hand or by a player of its own,
and planted faults.
"""

import copy
import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.referee import clueverge_settings
from tests.referee.clueverge import (
    DEFAULT5,
    Game,
    Options,
    culprit_of,
    faults_of_options,
    is_evident,
    judge,
    main,
    oriented,
    resolved,
)
from tests.referee.reading import Event, Reader
from tests.referee.spoiling import with_a_key_spoilt, with_a_value_spoilt, with_an_event_spoilt

Document = dict[str, Any]
FLED = (0, "fled")


def as_transcript(options: Mapping[str, Any], seats: int) -> dict[str, Any]:
    """Options of a job as a transcript has them; those not given have their defaults."""
    written = {**vars(Options(mode="solo" if seats == 1 else "competitive")), "case_cards": "default5"}
    written |= {"stall_limit": "2n", "open_cards": "seats", **options}
    if written["case_cards"] == "default5":
        written["case_cards"] = DEFAULT5
    if written["case_cards"] != "random":
        cards = written["case_cards"]
        written["case_cards"] = [[int(cell) for cell in (c.split() if isinstance(c, str) else c)] for c in cards]
    return resolved(written, seats)


def document(seats: int, options: Mapping[str, Any], events: list[Event]) -> Document:
    """A whole transcript around the events, as JSON gives it back."""
    whole = {
        "format": 1,
        "game": "clueverge",
        "version": "1",
        "seats": seats,
        "options": as_transcript(options, seats),
        "seed": "1",
        "deal": 0,
        "rotation": 0,
        "entrants": ["random"] * seats,
        "skills": [{}] * seats,
        "events": events,
    }
    restored: Document = json.loads(json.dumps(whole))
    return restored


# ------------------------------------------------------------------------------------------------------------
# The culprit: RULES.md 3.8
# ------------------------------------------------------------------------------------------------------------


def cards(text: str) -> list[str]:
    """A board written row by row."""
    return text.split()


X1 = cards("S5 WE CL WE  S3 AH AV MO  FT CL S6 S4  MO FT S1 S2")
X2 = cards("FT MO WE MO  S3 S7 S5 AV  CL AH S1 WE  S4 CL S6 S2")
E1 = cards("AV PT WE MO  S6 MO AH S3  S5 S4 CL S1  CL S2 WE FT")
E2 = cards("MO S5 WE S6  CL FT MO S4  S3 CL AH S1  WE PT AV S2")
E3 = cards("S1 CL WE S6  S2 S5 AH S4  WE S3 FT MO  PT MO CL AV")
E4 = cards("AH CL WE S1  FT MO S6 S5  WE FT S2 CL  MO AV S4 S3")
E5 = cards("S5 S1 CL S6  S3 MO AV MO  WE AH WE CL  S4 S2 S7 FT")
# CLV-E10: both weapons and both clues in C1's cells 12, 8, 1, 6, 9, 3, 14, 7, and far from each other.
E10 = cards("S1 CL S2 CL  S3 S4 S5 S6  MO MO PT FT  WE AL WE AL")


def crossed(board: Sequence[str]) -> list[str]:
    """The board with alibis that point in all four directions."""
    return ["AL" if face[0] == "A" else face for face in board]


def changed(board: Sequence[str], **faces: str) -> list[str]:
    """The board with other faces in some cells: `c9="PT"`."""
    return [faces.get(f"c{cell}", face) for cell, face in enumerate(board)]


@pytest.mark.parametrize(
    ("board", "split", "cross"),
    [
        (X1, (4, 11), (4, 11)),
        (X2, FLED, FLED),
        (E1, (1, 11), (1, 11)),
        (changed(E1, c1="S7"), (4, 9), (4, 9)),
        (E2, (6, 3), (6, 3)),
        (E3, (5, 5), (5, 5)),
        (changed(E3, c10="PT"), FLED, FLED),  # without the false testimony
        (E4, (4, 14), (4, 14)),
        (E5, (2, 13), FLED),
    ],
)
def test_clv_x1_to_e5_culprits(board: list[str], split: tuple[int, Any], cross: tuple[int, Any]) -> None:
    assert culprit_of(board) == culprit_by_walking(board) == split
    assert culprit_of(crossed(board)) == culprit_by_walking(crossed(board)) == cross


def test_clv_4_split_motives() -> None:
    # Motive (0,3) of X2 points down to S2, whose alibi is taken away, and (0,1) is void; a clue stands at a weapon.
    board = changed(X2, c7="CL", c8="AV", c3="MV", c1="MH")
    assert culprit_of(board) == (2, 15)
    assert culprit_of(changed(board, c3="MH")) == FLED


def test_p_3_mirrored_and_turned_boards_have_the_same_culprit() -> None:
    turned = {"AV": "AH", "AH": "AV", "MV": "MH", "MH": "MV"}
    for seed in range(200):
        chance = random.Random(seed)
        board = dealt(as_transcript({"motive_arrows": chance.choice(["cross", "split"])}, 2), chance)[1]
        assert culprit_of(board) == culprit_by_walking(board)
        for orientation in range(8):
            cells = oriented(range(16), orientation)
            other = [""] * 16
            for cell, face in zip(cells, board, strict=True):
                other[cell] = turned.get(face, face) if orientation % 2 else face
            assert culprit_of(other)[0] == culprit_of(board)[0]


# ------------------------------------------------------------------------------------------------------------
# The case cards and the redo
# ------------------------------------------------------------------------------------------------------------


def test_clv_e11_orientations_of_a_case_card() -> None:
    assert oriented(DEFAULT5[0][:4], 0) == [12, 8, 1, 6]
    assert oriented(DEFAULT5[0][:4], 4) == [15, 11, 2, 5]
    assert oriented([0, 1, 5], 1) == [3, 7, 6]  # clockwise: the corner on the left goes to the right
    assert oriented([0, 1, 5], 5) == [15, 11, 10]  # mirrored to 3, 2, 6, then turned
    assert len({tuple(oriented(DEFAULT5[0], held)) for held in range(8)}) == 8
    everywhere = [[oriented(card, held) for held in range(8)] for card in DEFAULT5]
    for scene, cards in itertools.product(range(16), everywhere):
        assert sum(scene not in cells for cells in cards) >= 4  # CLV-14, "Design"


def test_clv_e10_evident() -> None:
    opened = set(DEFAULT5[0])
    assert is_evident(E10, 10, opened)
    assert is_evident(changed(E10, c10="S7"), 10, opened)
    assert is_evident(E10, 10, {1, 3, 12, 14})
    assert not is_evident(E10, 10, opened - {1})  # the clue can lie beside a weapon
    assert not is_evident(E10, 10, set())
    assert not is_evident(X1, 13, set(range(16)) - {13})  # there is a culprit
    # One clue, four weapons' neighbours: all around the weapons 12 and 14 is open but 10, the crime scene.
    assert is_evident(E10, 10, {12, 14, 8, 9, 13, 15, 11, 3, 1})
    assert is_evident(E10, 10, {12, 14, 8, 9, 13, 15, 11, 3})  # the clue cannot be at the crime scene


def test_clv_16_both_motives_beside_the_false_testimony_are_evident() -> None:
    # The motives 4 and 1 lie beside the false testimony 0.
    board = cards("FT MO WE CL  MO S7 S5 AL  CL AL S1 WE  S4 S3 S6 S2")
    assert is_evident(board, 5, {0, 1, 4})
    assert not is_evident(board, 5, {0, 1})


def test_clv_16_the_false_testimony_and_an_alibi_need_a_cell_each() -> None:
    board = cards("CL S5 S4 AH  MO WE AV WE  CL S3 S1 S2  S6 FT MO PT")
    opened = set(range(16)) - {3, 13, 15}
    assert is_evident(board, 15, opened)
    assert evident_by_trying(board, 15, opened, random.Random(1))


def completions(board: Sequence[str], scene: int, opened: set[int]) -> Iterator[list[str]]:
    """Every order of the hidden cards with every crime-scene card; suspects are all alike."""
    hidden = [cell for cell in range(16) if cell not in opened and cell != scene]

    def fill(at: int, left: list[str]) -> Iterator[list[str]]:
        if at == len(hidden):
            for face in ("S7", "FT", "PT"):
                yield changed(whole, **{f"c{scene}": face})
        for face in sorted(set(left)):
            whole[hidden[at]] = face
            rest = list(left)
            rest.remove(face)
            yield from fill(at + 1, rest)

    whole = list(board)
    yield from fill(0, ["S1" if board[cell][0] == "S" else board[cell] for cell in hidden])


def evident_by_trying(board: list[str], scene: int, opened: set[int], chance: random.Random) -> bool | None:
    """Whether no completion has a culprit: tried at random, then all of them; None if these are too many."""
    hidden = [cell for cell in range(16) if cell not in opened and cell != scene]
    for _ in range(200):
        faces = chance.sample([board[cell] for cell in hidden], len(hidden))
        tried = {f"c{cell}": face for cell, face in zip(hidden, faces, strict=True)}
        if culprit_by_walking(changed(board, **tried, **{f"c{scene}": chance.choice(["S7", "FT", "PT"])}))[0]:
            return False
    if len(hidden) > 7:
        return None
    return all(culprit_by_walking(whole) == FLED for whole in completions(board, scene, opened))


@pytest.mark.parametrize("arrows", ["split", "cross"])
def test_clv_16_evident_is_what_trying_every_completion_says(arrows: str) -> None:
    chance = random.Random(1)
    options = as_transcript({"alibi_arrows": arrows, "motive_arrows": arrows}, 2)
    found = []
    for _ in range(500):
        scene, board = dealt(options, chance)
        investigation = [cell for cell in range(16) if cell != scene]
        opened = set(chance.sample(investigation, chance.choice([8, 10, 12, 13])))
        found.append(is_evident(board, scene, opened))
        assert found[-1] is evident_by_trying(board, scene, opened, chance), (board, scene, opened)
    assert 20 < sum(found) < 250


# ------------------------------------------------------------------------------------------------------------
# Positions: RULES.md 3.8
# ------------------------------------------------------------------------------------------------------------


def position(seats: int, pawns: list[Any], events: list[Event] | None = None, **options: Any) -> Game:
    """A table with the board X2, its upper half face up, the crime scene 5, and pawns that lie."""
    game = Game(seats, Options(**as_transcript(options, seats)), Reader(events or []))
    game.board, game.scene, game.open = X2, 5, {0, 1, 2, 3, 4, 6, 7}
    game.pawns = pawns
    return game


def declared(game: Game, **targets: Any) -> Game:
    """The table after declarations, `s1=5`, in the order of time."""
    for seat, target in targets.items():
        game.declared[int(seat[1:])] = game.pawns[int(seat[1:])] = target
    return game


def words(game: Game, seat: int) -> set[str]:
    return {word for word, _ in game.legal(seat)}


def test_clv_e6_two_players_one_extra_action() -> None:
    game = declared(position(2, [0, 14]), s0=14)
    assert words(game, 1) == {"reveal", "move", "declare"}
    assert ("declare", 14) not in game.legal(1)
    game.extra_actions_left = 0
    assert game.legal(1) == [("declare", target) for target in (*range(14), 15, "fled")]


def test_clv_e7_three_players_the_last_one_declares() -> None:
    game = declared(position(3, [0, 1, 2]), s0="fled", s2=5)
    assert game.legal(1) == [("declare", cell) for cell in range(16) if cell != 5]
    assert words(declared(position(3, [0, 1, 2]), s0="fled"), 1) == {"reveal", "move", "declare"}


def test_clv_e8_a_lying_pawn_keeps_others_from_moving_there() -> None:
    game = position(2, [5, 14])
    assert ("declare", 5) in game.legal(1)
    assert not {("reveal", 5), ("move", 5), ("move", 14), ("reveal", 14), ("reveal", 0)} & set(game.legal(1))
    assert {("reveal", 8), ("move", 8), ("move", 0), ("declare", 14), ("declare", "fled")} <= set(game.legal(1))
    assert len(game.legal(1)) == 7 + 14 + 17


@pytest.mark.parametrize(
    ("seats", "targets", "effective"),
    [
        (4, {"s0": 7, "s1": 9, "s2": 7, "s3": 9}, 9),
        (3, {"s0": 7, "s1": 7, "s2": 9}, 7),
        (3, {"s2": 7, "s0": 9, "s1": 5}, 5),
        (2, {"s1": "fled", "s0": 7}, 7),
        (4, {"s0": 7, "s1": 9, "s2": 9, "s3": 5}, 9),
    ],
)
def test_clv_e9_effective_declaration(seats: int, targets: dict[str, Any], effective: Any) -> None:
    assert declared(position(seats, [0] * seats, mode="coop"), **targets)._effective() == effective
    assert declared(position(seats, [0] * seats), **targets)._effective() is None


def test_clv_e12_solo_only_declares_after_three_looks() -> None:
    game = position(1, [5], mode="solo", solo_difficulty=1)
    assert game.unused == 2
    assert position(2, [5, 5], mode="coop", solo_difficulty=1).unused == 2  # not in the cooperative game
    assert words(game, 0) == {"unused", "declare"}
    game.unused = 0
    assert game.legal(0) == [("declare", target) for target in (*range(16), "fled")]


def test_clv_33_cooperative_cells() -> None:
    covered = {8, 9, 10, 11, 12, 13, 14, 15}
    for share, face_up in itertools.product((True, False), repeat=2):
        game = position(2, [8, None], mode="coop", coop_share=share, coop_u_face_up=face_up)
        game.unused_at = {9}
        free = set(range(16)) if share else set(range(16)) - {8, 9}
        legal = game.legal(1)
        assert {cell for word, cell in legal if word == "place"} == (covered | {5}) & free
        assert {cell for word, cell in legal if word == "unused"} == free & (set(range(16)) if face_up else covered) - {
            5
        }


@pytest.mark.parametrize(("placing", "cells"), [("face_up", 6), ("face_down", 8), ("any", 14)])
def test_clv_18_cells_of_the_first_placement(placing: str, cells: int) -> None:
    game = position(2, [0, None], first_placement=placing)
    assert len(game.legal(1)) == cells + (placing != "face_down")
    game = position(2, [0, None], first_placement=placing, share_first=False)
    assert len(game.legal(1)) == cells
    assert ("place", 5) not in game.legal(1)


# ------------------------------------------------------------------------------------------------------------
# Games written by hand, every event worked out from the rules
# ------------------------------------------------------------------------------------------------------------


def event(kind: str, **keys: Any) -> Event:
    return {"event": kind, **keys}


def set_up(board: list[str], cell: int, game: int = 1, attempt: int = 1) -> Event:
    return event("set_up", game=game, attempt=attempt, crime_scene=board[cell], cell=cell, board=board)


def case_card(card: int | None, orientation: int | None, *cells: int) -> Event:
    return event("case_card", card=card, orientation=orientation, cells=list(cells))


def turn(number: int, seat: int, word: str, target: Any, legal: int, point: str = "act") -> list[Event]:
    """Events of a turn up to the pawn; there is no decision with one legal action."""
    events = [event("turn", turn=number, seat=seat)]
    if legal > 1:
        events.append(event("decision", point=point, seat=seat, choice=[word, target], legal=legal))
    owner = None if word == "unused" else seat
    if word != "reveal":
        events.append(event("pawn", seat=seat, owner=owner, cell=target, standing=word == "declare"))
    return events


def look(seat: int, cell: int, face: str) -> Event:
    return event("look", seat=seat, cell=cell, face=face)


def reveal(cell: int, face: str) -> Event:
    return event("reveal", cell=cell, face=face)


def verdict(board: list[str], culprit: tuple[int, Any], effective: Any, winners: list[int], won: list[int]) -> Event:
    keys = {"culprit": culprit[0], "target": culprit[1], "effective": effective}
    return event("verdict", board=board, **keys, winners=winners, victories=won)


def ended(scores: list[int], places: list[int], winners: list[int], status: str = "finished") -> Event:
    return event("game_end", status=status, scores=scores, places=places, winners=winners)


def events_of_two(game: int, won: list[int]) -> list[Event]:
    """Two seats, the board E1: C2 opens 13, 9, 12, 4, 3, 7, 2, 10; 0, 1, 5, 6, 8, 11, 14, 15 are face down."""
    return [
        set_up(E1, 1, game),
        case_card(1, 0, 13, 9, 12, 4, 3, 7, 2, 10),
        event("start", seat=1, chance=True),
        *turn(1, 1, "place", 13, 8, "place"),
        *turn(2, 0, "place", 13, 8, "place"),
        *turn(3, 1, "move", 11, 8 + 15 + 17),
        look(1, 11, "S1"),
        *turn(4, 0, "reveal", 5, 7 + 14 + 17),
        reveal(5, "MO"),
        *turn(5, 1, "move", 1, 6 + 14 + 17),
        look(1, 1, "PT"),
        reveal(11, "S1"),
        *turn(6, 0, "declare", 11, 5 + 14 + 17),
        *turn(7, 1, "reveal", 15, 5 + 14 + 16),
        reveal(15, "FT"),
        *turn(8, 1, "declare", 1, 16),
        verdict(E1, (1, 11), None, [0], won),
    ]


def game_of_two() -> Document:
    """A competitive game with a look, a card left, a reveal and the extra action."""
    return document(2, {}, [*events_of_two(1, [1, 0]), ended([1, 0], [1, 2], [0])])


def series_of_two() -> Document:
    """The same twice: the second correct declaration wins the series."""
    events = [*events_of_two(1, [1, 0]), *events_of_two(2, [2, 0]), ended([2, 0], [1, 2], [0])]
    return document(2, {"first_to_two": True}, events)


def game_of_four() -> Document:
    """Four seats that share no card: a placement that is not asked, a stall, a card left by a declaration."""
    options = {"share_first": False, "reveal_on_declare": True, "stall_limit": 2}
    events = [
        set_up(X2, 5),
        case_card(0, 0, 12, 8, 1, 6),
        event("start", seat=2, chance=True),
        *turn(1, 2, "place", 1, 4, "place"),
        *turn(2, 3, "place", 12, 3, "place"),
        *turn(3, 0, "place", 8, 2, "place"),
        *turn(4, 1, "place", 6, 1),
        *turn(5, 2, "move", 0, 12 + 12 + 17),
        look(2, 0, "FT"),
        *turn(6, 3, "move", 1, 11 + 12 + 17),  # from face up to face up
        *turn(7, 0, "move", 12, 11 + 12 + 17),  # and again: all declare now
        *turn(8, 1, "declare", "fled", 17),
        *turn(9, 2, "declare", 5, 16),
        reveal(0, "FT"),
        *turn(10, 3, "declare", 15, 15),
        *turn(11, 0, "declare", 12, 14),
        verdict(X2, FLED, None, [1], [0, 1, 0, 0]),
        ended([0, 1, 0, 0], [2, 1, 2, 2], [1]),
    ]
    return document(4, options, events)


def game_of_three_together() -> Document:
    """Three seats together, the board X1: C1 turned once opens 0, 1, 7, 10, 5, 15, 8, 14."""
    events = [
        set_up(X1, 13),
        case_card(0, 1, 0, 1, 7, 10, 5, 15, 8, 14),
        event("start", seat=1, chance=True),
        *turn(1, 1, "unused", 11, 15 + 8),
        look(1, 11, "S4"),
        *turn(2, 2, "place", 13, 7),
        look(2, 13, "FT"),
        *turn(3, 0, "place", 2, 6),
        look(0, 2, "CL"),
        *turn(4, 1, "place", 3, 5),
        look(1, 3, "WE"),
        *turn(5, 2, "declare", 11, 17),
        *turn(6, 0, "declare", 11, 17),
        *turn(7, 1, "declare", 3, 17),
        verdict(X1, (4, 11), 11, [0, 1, 2], [1, 1, 1]),
        ended([1, 1, 1], [1, 1, 1], [0, 1, 2]),
    ]
    return document(3, {"mode": "coop", "coop_share": False}, events)


def challenge() -> Document:
    """The solo game with two case cards: a redo and a victory, then a defeat."""
    first, second = crossed(E3), crossed(X2)
    options = {
        "alibi_arrows": "cross",
        "case_cards": [DEFAULT5[0], DEFAULT5[4]],
        "coop_share": False,
        "solo_difficulty": 1,
        "challenge": True,
    }
    events = [
        set_up(E10, 10),
        case_card(0, 0, 12, 8, 1, 6, 9, 3, 14, 7),
        event("redo"),
        set_up(first, 12, attempt=2),
        case_card(0, 4, 15, 11, 2, 5, 10, 0, 13, 4),
        event("start", seat=0, chance=False),
        *turn(1, 0, "unused", 6, 15 + 8),
        reveal(6, "AL"),
        *turn(2, 0, "unused", 0, 14 + 7),
        *turn(3, 0, "place", 12, 7),
        reveal(12, "PT"),
        *turn(4, 0, "declare", 5, 17),
        verdict(first, (5, 5), 5, [0], [1]),
        set_up(second, 5, game=2),
        case_card(1, 2, 13, 8, 0, 6, 10, 1, 15, 7),
        event("start", seat=0, chance=False),
        *turn(1, 0, "place", 5, 15 + 8),
        reveal(5, "S7"),
        *turn(2, 0, "declare", 5, 15 + 17),
        verdict(second, FLED, 5, [], [1]),
        ended([1], [1], []),
    ]
    return document(1, options, events)


BY_HAND = (game_of_two, series_of_two, game_of_four, game_of_three_together, challenge)


@pytest.mark.parametrize("game", BY_HAND)
def test_a_game_written_by_hand_has_no_difference(game: Callable[[], Document]) -> None:
    assert judge(game()) == []


# ------------------------------------------------------------------------------------------------------------
# Games of a player of its own: it asks of every action whether it is legal, and shares no line with the referee
# ------------------------------------------------------------------------------------------------------------

UP_AND_DOWN, SIDEWAYS, SLANTING = [(1, 0), (-1, 0)], [(0, 1), (0, -1)], [(1, 1), (1, -1), (-1, 1), (-1, -1)]
STEPS = {"MV": UP_AND_DOWN, "AV": UP_AND_DOWN, "MH": SIDEWAYS, "AH": SIDEWAYS, "WE": UP_AND_DOWN + SIDEWAYS + SLANTING}


def culprit_by_walking(board: Sequence[str]) -> tuple[int, Any]:
    """The culprit's number and cell, found by walking from every card along its arrows."""

    def face(row: int, column: int) -> str:
        return board[4 * row + column] if 0 <= row < 4 and 0 <= column < 4 else ""

    marks: dict[int, set[str]] = {cell: set() for cell in range(16)}
    for cell, kind in enumerate(board):
        row, column = cell // 4, cell % 4
        around = list(itertools.product((row - 1, row, row + 1), (column - 1, column, column + 1)))
        is_void = any(face(r, c) == "FT" for r, c in around if (r == row) != (c == column))
        is_used = any(face(r, c) == "CL" for r, c in around)
        if kind[0] not in "MAW" or (is_used if kind == "WE" else not is_void) is False:
            continue
        for down, right in STEPS.get(kind, UP_AND_DOWN + SIDEWAYS):
            at = [row + down, column + right]
            while face(*at):
                marks[4 * at[0] + at[1]].add(kind[0])
                at = [at[0] + down, at[1] + right]
    found = [(int(kind[1]), cell) for cell, kind in enumerate(board) if kind[0] == "S" and marks[cell] == {"M", "W"}]
    return (min(found) if "PT" in board else max(found)) if found else FLED


def dealt(options: Mapping[str, Any], chance: random.Random) -> tuple[int, list[str]]:
    """Cell of the crime scene, and a board."""
    scene = chance.choice(["S7", "FT", "PT"])
    motives = ["MO", "MO"] if options["motive_arrows"] == "cross" else ["MV", "MH"]
    alibis = ["AL", "AL"] if options["alibi_arrows"] == "cross" else ["AV", "AH"]
    board = [*(f"S{number}" for number in range(1, 7)), *motives, *alibis, "WE", "WE", "CL", "CL", "FT"]
    chance.shuffle(board)
    cell = chance.randrange(16)
    board.insert(cell, scene)
    return cell, board


def turned(card: Sequence[int], orientation: int) -> list[int]:
    """A case card held in one of the eight ways, drawn on a grid."""
    grid = [
        [card.index(4 * row + column) if 4 * row + column in card else -1 for column in range(4)] for row in range(4)
    ]
    if orientation > 3:
        grid = [row[::-1] for row in grid]
    for _ in range(orientation % 4):
        grid = [list(row) for row in zip(*grid[::-1], strict=True)]
    flat = [number for row in grid for number in row]
    return [flat.index(number) for number in range(len(card))]


class SelfPlayer:
    """Plays by the rules and writes its events down; `haste` is how likely it declares, `luck` that it is right."""

    def __init__(
        self, seats: int, options: Mapping[str, Any], chance: random.Random, haste: float, luck: float
    ) -> None:
        self.seats, self.options, self.chance, self.haste, self.luck = seats, options, chance, haste, luck
        self.events: list[Event] = []
        self.is_shared = options["mode"] != "competitive"

    def play(self) -> list[Event]:
        options, won = self.options, [0] * self.seats
        is_challenge, is_series = options["challenge"], options["first_to_two"]
        most = 100 if is_series else len(options["case_cards"]) * options["challenge_games"] if is_challenge else 1
        for number in range(most):
            winners = self.play_game(number + 1, number // options["challenge_games"] if is_challenge else None)
            won = [count + (seat in winners) for seat, count in enumerate(won)]
            self.events[-1] |= {"winners": winners, "victories": won}
            if is_series and 2 in won:
                break
        if is_challenge:
            winners = [0] if won == [most] else []
        is_capped = is_series and 2 not in won
        order = sorted(won, reverse=True)
        places = [order.index(count) + 1 for count in won]
        self.events.append(ended(won, places, [] if is_capped else winners, "capped" if is_capped else "finished"))
        return self.events

    def lay_out(self, number: int, card: int | None) -> None:
        """Write down the set-up, again while it is evident that there is no culprit."""
        attempt = 0
        opened: list[int] = []
        is_again: bool | None = True
        while is_again:
            attempt += 1
            is_again = None
            while is_again is None:  # A deal of which this player cannot be sure is not dealt.
                self.scene, self.board = dealt(self.options, self.chance)
                number_of_card, held, opened = self.draw_case_card(card)
                is_again = self.options["redo"] == "exact" and evident_by_trying(
                    self.board, self.scene, set(opened), self.chance
                )
            self.events.append(set_up(self.board, self.scene, number, attempt))
            self.events.append(case_card(number_of_card, held, *opened))
            if is_again:
                self.events.append(event("redo"))
        self.up = [cell in opened for cell in range(16)]

    def draw_case_card(self, card: int | None) -> tuple[int | None, int | None, list[int]]:
        cards, count = self.options["case_cards"], self.options["open_cards"]
        if cards == "random":
            return None, None, self.chance.sample([cell for cell in range(16) if cell != self.scene], count)
        number = self.chance.randrange(len(cards)) if card is None else card
        while True:
            held = self.chance.randrange(8)
            opened = turned(cards[number], held)[:count]
            if self.scene not in opened:
                return number, held, opened

    def play_game(self, number: int, card: int | None) -> list[int]:
        """Write a whole game down, but for the winners in its verdict; return them."""
        self.lay_out(number, card)
        self.at: list[Any] = [None] * self.seats
        self.loose: list[int] = []
        self.stood: list[tuple[int, Any]] = []
        self.spare = 4 - self.seats - self.options["solo_difficulty"] if self.is_shared else 0
        self.still, self.is_stalled, self.is_extra_used = 0, False, False
        self.culprit = culprit_by_walking(self.board)
        seat = self.chance.randrange(self.seats)
        self.events.append(event("start", seat=seat, chance=self.seats > 1))
        turns = 0
        while len(self.stood) < self.seats:
            while seat in dict(self.stood):
                seat = 0 if seat == self.seats - 1 else seat + 1
            turns += 1
            self.take_turn(turns, seat)
            seat = 0 if seat == self.seats - 1 else seat + 1
        if not self.is_shared:
            self.events.append(verdict(self.board, self.culprit, None, [], []))
            return [seat for seat, target in self.stood if target == self.culprit[1]]
        targets = [target for _, target in self.stood]
        best = max(range(self.seats), key=lambda nth: (targets.count(targets[nth]), nth))
        self.events.append(verdict(self.board, self.culprit, targets[best], [], []))
        return list(range(self.seats)) if targets[best] == self.culprit[1] else []

    def is_legal(self, seat: int, word: str, to: Any) -> bool:
        options, mine = self.options, self.at[seat]
        is_cell, is_up = to != "fled", to != "fled" and self.up[to]
        is_taken = to in self.at or to in self.loose
        if word == "declare":
            return mine is not None and (self.is_shared or to not in [target for _, target in self.stood])
        if not is_cell or (is_taken and self.is_shared and not options["coop_share"]):
            return False
        if self.is_shared:
            if word == "unused":
                return self.spare > 0 and to != self.scene and (options["coop_u_face_up"] or not is_up)
            return word == "place" and mine is None and not is_up
        if mine is None:
            is_right_side = options["first_placement"] == "any" or (options["first_placement"] == "face_up") == is_up
            is_free = options["share_first"] or not is_taken
            return word == "place" and to != self.scene and is_right_side and is_free
        is_alone = len(self.stood) == self.seats - 1 and (self.seats > 2 or self.is_extra_used)
        if is_alone or self.is_stalled or is_taken:
            return False
        return word == "move" or (word == "reveal" and not is_up)

    def choose(self, legal: list[tuple[str, Any]]) -> tuple[str, Any]:
        """Declare in haste and with luck, else do anything else."""
        declare = [action for action in legal if action[0] == "declare"]
        others = [action for action in legal if action[0] != "declare"]
        if others and self.chance.random() >= self.haste * bool(declare):
            return self.chance.choice(others)
        right = ("declare", self.culprit[1])
        return right if right in declare and self.chance.random() < self.luck else self.chance.choice(declare)

    def take_turn(self, number: int, seat: int) -> None:
        every = itertools.product(("place", "move", "reveal", "unused", "declare"), (*range(16), "fled"))
        legal = [(word, to) for word, to in every if self.is_legal(seat, word, to)]
        word, to = self.choose(legal)
        is_first = not self.is_shared and self.at[seat] is None
        self.events += turn(number, seat, word, to, len(legal), "place" if is_first else "act")
        if len(self.stood) == self.seats - 1:
            self.is_extra_used = True
        mine = self.at[seat]
        is_still = word == "move" and self.up[mine] and self.up[to]
        self.still = self.still + 1 if is_still else 0
        self.is_stalled |= self.still == self.options["stall_limit"]
        if word == "declare":
            self.stood.append((seat, to))
            self.at[seat] = to
            if not self.is_shared and self.options["reveal_on_declare"] and mine != to:
                self.turn_up(mine)
            return
        if word != "reveal" and not self.up[to] and self.options["mode"] != "solo":
            self.events.append(look(seat, to, self.board[to]))
        if word == "reveal" or self.options["mode"] == "solo":
            self.turn_up(to)
        if word == "unused":
            self.spare -= 1
            self.loose.append(to)
        elif word != "reveal":
            self.at[seat] = to
        if word == "move":
            self.turn_up(mine)

    def turn_up(self, cell: int) -> None:
        if not self.up[cell]:
            self.up[cell] = True
            self.events.append(reveal(cell, self.board[cell]))


def random_options(seed: int) -> tuple[int, dict[str, Any]]:
    """Seats and options of the settings."""
    chance = random.Random(seed)
    seats = clueverge_settings.SEATS[seed % 4]
    choices = clueverge_settings.CHOICES.items()
    drawn = {option: chance.choice(values) for option, values in choices if chance.random() < 0.4}
    clueverge_settings.fit(drawn, seats)
    return seats, as_transcript(drawn, seats)


def random_document(seed: int) -> Document:
    """A game of the self player with seats and options of the settings."""
    seats, options = random_options(seed)
    chance = random.Random(seed)
    player = SelfPlayer(seats, options, chance, chance.choice([0.02, 0.3, 0.6]), chance.choice([0.1, 0.6]))
    return document(seats, options, player.play())


def test_random_games_under_random_options_have_no_difference() -> None:
    pairs, modes = set(), set()
    for seed in range(300):
        whole = random_document(seed)
        assert judge(whole) == [], (seed, whole["options"])
        kinds = [happened["event"] for happened in whole["events"]]
        pairs |= set(itertools.pairwise(kinds))
        modes.add((whole["options"]["mode"], whole["seats"], kinds.count("verdict") > 1))
    assert {("case_card", "redo"), ("look", "reveal"), ("turn", "pawn"), ("verdict", "set_up")} <= pairs
    together = {("coop", seats, False) for seats in (2, 3, 4)}
    alone = {("competitive", seats, is_series) for seats in (2, 3, 4) for is_series in (False, True)}
    assert modes == together | alone | {("solo", 1, False), ("solo", 1, True)}


def test_clv_30_the_second_victory_wins_the_series() -> None:
    options = as_transcript({"first_to_two": True}, 4)
    lengths = set()
    for seed in range(20):
        whole = document(4, options, SelfPlayer(4, options, random.Random(seed), 1.0, 0.3).play())
        assert judge(whole) == []
        assert max(whole["events"][-1]["scores"]) == 2
        lengths.add(sum(happened["event"] == "verdict" for happened in whole["events"]))
    assert len(lengths) > 3


def test_clv_30_a_series_that_nobody_wins_is_capped() -> None:
    options = as_transcript({"first_to_two": True, "redo": "off"}, 4)
    player = SelfPlayer(4, options, random.Random(2), 1.0, 0.0)
    while player.play_game(1, None):  # until a game is won by nobody
        player.events = []
    player.events[-1]["victories"] = [0] * 4
    games = [copy.deepcopy(player.events) for _ in range(100)]
    for number, game in enumerate(games, start=1):
        game[0]["game"] = number
    end = ended([0] * 4, [1] * 4, [], "capped")
    assert judge(document(4, options, [*itertools.chain(*games), end])) == []
    for wrong in ({"winners": [0, 1, 2, 3]}, {"status": "finished"}):
        assert "CLV-30" in judge(document(4, options, [*itertools.chain(*games), {**end, **wrong}]))[0]
    assert judge(document(4, options, [*itertools.chain(*games[:99]), end]))
    assert judge(document(4, options, [*itertools.chain(*games), *games[0], end]))


# ------------------------------------------------------------------------------------------------------------
# Planted faults: every one is reported
# ------------------------------------------------------------------------------------------------------------


def at(events: list[Event], kind: str, nth: int = 0, **keys: Any) -> int:
    """Index of the nth event of a kind with these keys."""
    fits = [
        index
        for index, happened in enumerate(events)
        if happened["event"] == kind and all(happened.get(key) == value for key, value in keys.items())
    ]
    return fits[nth]


def chosen(events: list[Event], nth: int, word: str, target: Any) -> None:
    """Let the nth decision and its pawn be another."""
    index = at(events, "decision", nth)
    events[index].update(choice=[word, target])
    if events[index + 1]["event"] == "pawn":
        events[index + 1].update(cell=target, standing=word == "declare")


Plant = Callable[[list[Event]], object]

# With a word that the sentence must hold.
FAULTS_OF_TWO: dict[str, tuple[Plant, str]] = {
    "suspect twice": (lambda e: e[0]["board"].__setitem__(4, "S5"), "CLV-12"),
    "15 cards": (lambda e: e[0]["board"].pop(), "CLV-12"),
    "crossed alibis where they are split": (lambda e: e[0].update(board=crossed(E1)), "CLV-4"),
    "two crime-scene cards": (lambda e: e[0]["board"].__setitem__(15, "S7"), "CLV-12"),
    "crime-scene card that is none": (lambda e: e[0].update(crime_scene="S1"), "CLV-2"),
    "crime scene elsewhere": (lambda e: e[0].update(cell=2), "CLV-3"),
    "game counted from 0": (lambda e: e[0].update(game=0), "game"),
    "attempt counted from 0": (lambda e: e[0].update(attempt=0), "attempt"),
    "sixth case card": (lambda e: e[1].update(card=5), "CLV-14"),
    "ninth orientation": (lambda e: e[1].update(orientation=8), "CLV-15"),
    "orientation that opens the crime scene": (lambda e: e[1].update(orientation=4), "CLV-15"),
    "cells of another orientation": (lambda e: e[1].update(orientation=7), "cells"),
    "cells of another card": (lambda e: e[1].update(card=0), "CLV-14"),
    "cells in another order": (lambda e: e[1]["cells"].reverse(), "cells"),
    "cell too few": (lambda e: e[1]["cells"].pop(), "cells"),
    "redo that is not evident": (lambda e: e.insert(2, event("redo")), "CLV-16"),
    "start by nobody": (lambda e: e[2].update(seat=2), "CLV-17"),
    "start called given": (lambda e: e[2].update(chance=False), "CLV-17"),
    "another seat begins": (lambda e: e[3].update(seat=0), "CLV-17"),
    "turn counted from 0": (lambda e: e[3].update(turn=0), "turn"),
    "placement on a covered card": (lambda e: chosen(e, 0, "place", 0), "CLV-18"),
    "placement on the crime scene": (lambda e: chosen(e, 0, "place", 1), "CLV-18"),
    "declaration before the placement": (lambda e: chosen(e, 0, "declare", 9), "CLV-27"),
    "placement called an act": (lambda e: e[4].update(point="act"), "section 8"),
    "decision of another seat": (lambda e: e[4].update(seat=0), "section 8"),
    "shared card not counted": (lambda e: e[7].update(legal=7), "legal"),
    "own cell counted": (lambda e: e[10].update(legal=41), "legal"),
    "move to the own cell": (lambda e: chosen(e, 2, "move", 13), "CLV-22"),
    "move to fled": (lambda e: chosen(e, 2, "move", "fled"), "CLV-22"),
    "move onto a pawn": (lambda e: chosen(e, 4, "move", 13), "CLV-22"),
    "reveal under a pawn": (lambda e: chosen(e, 3, "reveal", 11), "CLV-21"),
    "reveal of an open card": (lambda e: chosen(e, 3, "reveal", 9), "CLV-21"),
    "unused pawn in the competitive game": (lambda e: chosen(e, 3, "unused", 9), "section 8"),
    "second placement": (lambda e: chosen(e, 3, "place", 9), "CLV-18"),
    "look left out": (lambda e: e.pop(at(e, "look")), "look"),
    "look at another face": (lambda e: e[at(e, "look")].update(face="S2"), "face"),
    "look by the other seat": (lambda e: e[at(e, "look")].update(seat=0), "seat"),
    "look at an open card": (lambda e: e.insert(6, look(1, 13, "S2")), "turn"),
    "another card revealed": (lambda e: e[at(e, "reveal")].update(cell=6, face="AH"), "cell"),
    "card left not revealed": (lambda e: e.pop(at(e, "reveal", cell=11)), "CLV-22"),
    "open card left revealed": (lambda e: e.insert(at(e, "look") + 1, reveal(13, "S2")), "turn"),
    "reveal before the look": (
        lambda e: e.insert(at(e, "look", 1), e.pop(at(e, "reveal", cell=11))),
        "look",
    ),
    "card left by a declaration revealed": (lambda e: e.insert(-2, reveal(1, "PT")), "verdict"),
    "declaring pawn that lies": (lambda e: e[at(e, "pawn", standing=True)].update(standing=False), "standing"),
    "somebody else's pawn": (lambda e: e[at(e, "pawn", 2)].update(owner=0), "owner"),
    "declaration on a standing pawn": (lambda e: chosen(e, -1, "declare", 11), "CLV-23"),
    "second extra action": (lambda e: chosen(e, -1, "reveal", 14), "CLV-26"),
    "standing pawn's target counted": (lambda e: e[at(e, "decision", -1)].update(legal=17), "legal"),
    "forced declaration counted with others": (lambda e: e[at(e, "decision", -1)].update(legal=34), "legal"),
    "extra action left out of the count": (lambda e: e[at(e, "decision", -2)].update(legal=16), "legal"),
    "turn of a seat that has declared": (lambda e: e[at(e, "turn", 7)].update(seat=0), "CLV-25"),
    "turn left out": (lambda e: e.pop(at(e, "turn", 3)), "turn"),
    "verdict before all have declared": (lambda e: e.__delitem__(slice(at(e, "turn", 6), -2)), "turn"),
    "another board at the end": (lambda e: e[-2].update(board=X1), "board"),
    "highest in spite of the plot twist": (lambda e: e[-2].update(culprit=4, target=9), "culprit"),
    "another target": (lambda e: e[-2].update(target=9), "target"),
    "effective declaration in the competitive game": (lambda e: e[-2].update(effective=11), "effective"),
    "wrong winner": (lambda e: e[-2].update(winners=[1]), "winners"),
    "victory forgotten": (lambda e: e[-2].update(victories=[0, 0]), "victories"),
    "capped": (lambda e: e[-1].update(status="capped"), "status"),
    "scores forgotten": (lambda e: e[-1].update(scores=[0, 0]), "scores"),
    "shared places": (lambda e: e[-1].update(places=[1, 1]), "places"),
    "nobody wins the whole": (lambda e: e[-1].update(winners=[]), "winners"),
    "missing end": (lambda e: e.pop(), "the end of the transcript"),
    "something after the end": (lambda e: e.append(e[-1]), "nothing after"),
    "unknown key": (lambda e: e[3].update(card=0), "card"),
    "truth written as a number": (lambda e: e[2].update(chance=1), "chance"),
}
FAULTS_OF_SERIES: dict[str, tuple[Plant, str]] = {
    "second game counted as the first": (lambda e: e[at(e, "set_up", 1)].update(game=1), "game"),
    "victories begun anew": (lambda e: e[at(e, "verdict", 1)].update(victories=[1, 0]), "victories"),
    "series over after one game": (lambda e: e.__delitem__(slice(at(e, "verdict") + 1, -1)), "CLV-12"),
    "third game": (lambda e: e.insert(-1, set_up(E1, 1, 3)), "CLV-30"),
    "end between the games": (lambda e: e.insert(at(e, "verdict") + 1, e[-1]), "set_up"),
}
FAULTS_OF_FOUR: dict[str, tuple[Plant, str]] = {
    "shared card where none is shared": (lambda e: chosen(e, 1, "place", 1), "CLV-19"),
    "taken card counted": (lambda e: e[at(e, "decision", 1)].update(legal=4), "legal"),
    "only placement asked": (
        lambda e: e.insert(
            at(e, "turn", 3) + 1, event("decision", point="place", seat=1, choice=["place", 6], legal=1)
        ),
        "CLV-18",
    ),
    "another card than the only one": (lambda e: e[at(e, "pawn", 3)].update(cell=1), "cell"),
    "move after a stall": (lambda e: chosen(e, -4, "move", 2), "CLV-28"),
    "stall not counted": (lambda e: e[at(e, "decision", -4)].update(legal=40), "legal"),
    "seat skipped": (lambda e: e[at(e, "turn", 8)].update(seat=3), "CLV-25"),
    "card left by a declaration not revealed": (lambda e: e.pop(at(e, "reveal")), "CLV-24"),
    "culprit where it has fled": (lambda e: e[-2].update(culprit=2, target=15, winners=[3]), "culprit"),
}
FAULTS_TOGETHER: dict[str, tuple[Plant, str]] = {
    "unused pawn on the crime scene": (lambda e: chosen(e, 0, "unused", 13), "CLV-32"),
    "second unused pawn": (lambda e: chosen(e, 1, "unused", 3), "CLV-32"),
    "placement on an open card": (lambda e: chosen(e, 1, "place", 0), "CLV-33"),
    "placement on a pawn": (lambda e: chosen(e, 1, "place", 11), "CLV-33"),
    "declaration without a placement": (lambda e: chosen(e, 1, "declare", 11), "CLV-32"),
    "reveal in the cooperative game": (lambda e: chosen(e, 1, "reveal", 3), "section 8"),
    "look left out": (lambda e: e.pop(at(e, "look")), "CLV-32"),
    "unused pawn with an owner": (lambda e: e[at(e, "pawn")].update(owner=1), "owner"),
    "card revealed": (lambda e: e.insert(at(e, "look") + 1, reveal(11, "S4")), "turn"),
    "last declaration effective": (lambda e: e[-2].update(effective=3), "effective"),
    "one wins": (lambda e: e[-2].update(winners=[0]), "winners"),
}
FAULTS_OF_CHALLENGE: dict[str, tuple[Plant, str]] = {
    "redo missed": (lambda e: e.__delitem__(slice(2, 5)), "CLV-16"),
    "attempt not counted": (lambda e: e[3].update(attempt=1), "attempt"),
    "another card after the redo": (lambda e: e[4].update(card=1), "card"),
    "first card again": (lambda e: e[at(e, "case_card", 2)].update(card=0), "card"),
    "start drawn": (lambda e: e[5].update(chance=True), "chance"),
    "look alone": (lambda e: e.__setitem__(at(e, "reveal"), look(0, 6, "AL")), "reveal"),
    "open card revealed": (lambda e: e.insert(at(e, "pawn", 1) + 1, reveal(0, "S1")), "turn"),
    "third unused pawn": (lambda e: chosen(e, 2, "unused", 3), "CLV-38"),
    "unused pawn of difficulty 0": (lambda e: e[at(e, "decision", 3)].update(legal=30), "legal"),
    "challenge won with one defeat": (lambda e: e[-1].update(winners=[0]), "winners"),
    "second game left out": (lambda e: e.__delitem__(slice(at(e, "verdict") + 1, -1)), "set_up"),
}
FAULTS = [
    (game, name, *fault)
    for game, faults in (
        (game_of_two, FAULTS_OF_TWO),
        (series_of_two, FAULTS_OF_SERIES),
        (game_of_four, FAULTS_OF_FOUR),
        (game_of_three_together, FAULTS_TOGETHER),
        (challenge, FAULTS_OF_CHALLENGE),
    )
    for name, fault in faults.items()
]


@pytest.mark.parametrize(("game", "name", "plant", "named"), FAULTS)
def test_a_planted_fault_is_reported(game: Callable[[], Document], name: str, plant: Plant, named: str) -> None:
    whole = game()
    plant(whole["events"])
    differences = judge(whole)
    assert differences, name
    assert any(named in difference for difference in differences), differences


@pytest.mark.parametrize(
    ("game", "wrong", "named"),
    [
        (game_of_two, {"alibi_arrows": "cross"}, "CLV-4"),
        (game_of_two, {"motive_arrows": "split"}, "CLV-4"),
        (game_of_two, {"case_cards": [[0, 1, 2, 3, 4, 5, 6, 7]]}, "CLV-14"),
        (game_of_two, {"case_cards": "random"}, "card"),
        (game_of_two, {"first_placement": "face_down"}, "CLV-18"),
        (game_of_two, {"first_placement": "any"}, "legal"),
        (game_of_two, {"share_first": False}, "CLV-19"),
        (game_of_two, {"open_cards": 7}, "cells"),
        (game_of_two, {"first_to_two": True}, "CLV-12"),
        (game_of_two, {"mode": "coop"}, "section 8"),
        (game_of_four, {"stall_limit": 3}, "legal"),
        (game_of_four, {"reveal_on_declare": False}, "turn"),
        (game_of_four, {"share_first": True}, "legal"),
        (game_of_three_together, {"coop_share": True}, "legal"),
        (game_of_three_together, {"coop_u_face_up": False}, "legal"),
        (game_of_three_together, {"mode": "competitive", "open_cards": 8}, "section 8"),
        (challenge, {"redo": "off"}, "CLV-16"),
        (challenge, {"challenge": False}, "game_end"),
        (challenge, {"challenge_games": 2}, "card"),
        (challenge, {"solo_difficulty": 0}, "legal"),
        (challenge, {"solo_difficulty": 2}, "CLV-38"),
        (challenge, {"coop_share": True}, "legal"),
    ],
)
def test_a_game_of_other_options_is_reported(game: Callable[[], Document], wrong: dict[str, Any], named: str) -> None:
    whole = game()
    whole["options"].update(wrong)
    assert any(named in difference for difference in judge(whole)), judge(whole)


@pytest.mark.parametrize(
    ("game", "others"),
    [
        (game_of_two, {"coop_share": False, "coop_u_face_up": False, "solo_difficulty": 3}),
        (game_of_three_together, {"first_placement": "any", "share_first": False, "stall_limit": 1}),
        (game_of_three_together, {"reveal_on_declare": True, "solo_difficulty": 1}),
        (challenge, {"first_placement": "any", "share_first": False, "stall_limit": 1, "reveal_on_declare": True}),
    ],
)
def test_options_of_another_mode_change_nothing(game: Callable[[], Document], others: dict[str, Any]) -> None:
    whole = game()
    whole["options"].update(others)
    assert judge(whole) == []


def test_clv_15_random_case_cards_are_any_cells_but_the_crime_scene() -> None:
    options = as_transcript({"case_cards": "random", "open_cards": 10, "redo": "off"}, 2)
    whole = document(2, options, SelfPlayer(2, options, random.Random(1), 0.5, 0.5).play())
    assert judge(whole) == []
    card = whole["events"][1]
    right, scene = card["cells"], whole["events"][0]["cell"]
    for cells in (right[:9], [*right, scene], [scene, *right[1:]], [right[1], *right[1:]], [16, *right[1:]], None):
        card["cells"] = cells
        assert any("CLV-15" in difference for difference in judge(whole))
    card.update(cells=right, card=0, orientation=0)
    assert len(judge(whole)) == 2


def test_every_change_of_every_value_is_reported() -> None:
    for game in BY_HAND:
        whole = game()
        for what, spoilt in with_a_value_spoilt(whole):
            assert judge(spoilt), (game, what)
        assert judge(whole) == []


def test_every_event_left_out_doubled_or_exchanged_is_reported() -> None:
    for game in (*BY_HAND, lambda: random_document(17)):
        for what, index, spoilt in with_an_event_spoilt(game()):
            assert judge(spoilt), (game, index, what)


# ------------------------------------------------------------------------------------------------------------
# The document around the events, and the options
# ------------------------------------------------------------------------------------------------------------


def test_every_key_around_the_events_is_checked() -> None:
    whole = game_of_two()
    for what, spoilt in with_a_key_spoilt(whole):
        assert judge(spoilt), what
    wrong_values: list[Document] = [{"seats": 0}, {"seats": 5}, {"seats": 3}, {"skills": [{"a": 1}] * 2}]
    for wrong in wrong_values:
        assert judge({**whole, **wrong}), wrong
    for name in whole["options"]:
        rest = {other: value for other, value in whole["options"].items() if other != name}
        assert f"options: {name} is missing (section 7)" in judge({**whole, "options": rest})
    assert judge({**whole, "options": {**whole["options"], "window": "both"}})


CORNERS_FIRST = [0, 3, 12, 15, 1, 5, 6, 9]


@pytest.mark.parametrize(
    ("seats", "options", "is_allowed"),
    [
        (1, {"mode": "solo"}, True),
        (1, {"mode": "competitive"}, False),
        (2, {"mode": "solo"}, False),
        (2, {"mode": "coop"}, True),
        (2, {"mode": "team"}, False),
        (2, {"redo": True}, False),
        (2, {"share_first": 1}, False),
        (2, {"share_first": "true"}, False),
        (2, {"stall_limit": 0}, False),
        (2, {"stall_limit": 100}, True),
        (2, {"stall_limit": 101}, False),
        (2, {"stall_limit": 2.0}, False),
        (2, {"open_cards": 9}, False),
        (2, {"open_cards": 12, "case_cards": "random"}, True),
        (2, {"open_cards": 13, "case_cards": "random"}, False),
        (2, {"open_cards": 0}, False),
        (2, {"open_cards": 0, "first_placement": "face_down"}, True),
        (2, {"open_cards": 0, "mode": "coop"}, True),
        (4, {"open_cards": 3, "share_first": False}, False),
        (4, {"open_cards": 3, "share_first": False, "first_placement": "any"}, True),
        (4, {"open_cards": 12, "share_first": False, "first_placement": "face_down", "case_cards": "random"}, False),
        (3, {"open_cards": 12, "share_first": False, "first_placement": "face_down", "case_cards": "random"}, True),
        (2, {"case_cards": [CORNERS_FIRST]}, False),
        (2, {"case_cards": [CORNERS_FIRST], "open_cards": 3}, True),
        (2, {"case_cards": [[5, 6, 9, 10, 0, 1, 2, 3]]}, False),
        (2, {"case_cards": [[1, 2, 4, 7, 8, 11, 13, 14]]}, False),
        (2, {"case_cards": [[1, 2, 4, 7, 8, 11, 13, 14]], "open_cards": 7}, True),
        (2, {"case_cards": []}, False),
        (2, {"case_cards": [[1, 2, 4, 7, 8, 11, 13]]}, False),
        (2, {"case_cards": [[1, 2, 4, 7, 8, 11, 13, 13]]}, False),
        (2, {"case_cards": [[1, 2, 4, 7, 8, 11, 13, 16]]}, False),
        (2, {"case_cards": [DEFAULT5[0]] * 100}, True),
        (2, {"case_cards": [DEFAULT5[0]] * 101}, False),
        (2, {"first_to_two": True}, True),
        (2, {"first_to_two": True, "mode": "coop"}, False),
        (1, {"challenge": True}, True),
        (1, {"challenge": True, "challenge_games": 100}, True),
        (1, {"challenge": True, "challenge_games": 101}, False),
        (1, {"challenge": True, "case_cards": "random"}, False),
        (1, {"challenge_games": 2}, False),
        (2, {"challenge": True}, False),
        (1, {"solo_difficulty": 3}, True),
        (1, {"solo_difficulty": 4}, False),
    ],
)
def test_bounds_of_the_options(seats: int, options: dict[str, Any], is_allowed: bool) -> None:
    raw = json.loads(json.dumps(as_transcript(options, seats)))
    faults = list(faults_of_options(raw, seats))
    assert (faults == []) is is_allowed, faults


def test_the_settings_name_every_option_with_its_default_first() -> None:
    first = {name: values[0] for name, values in clueverge_settings.CHOICES.items()}
    assert as_transcript(first, 2) == as_transcript({}, 2)
    # RULES.md section 7, "default first" and "printed".
    assert vars(Options()) == {
        "mode": "competitive",
        "alibi_arrows": "split",
        "motive_arrows": "cross",
        "case_cards": DEFAULT5,
        "redo": "exact",
        "first_placement": "face_up",
        "share_first": True,
        "coop_share": True,
        "coop_u_face_up": True,
        "reveal_on_declare": False,
        "stall_limit": 4,
        "first_to_two": False,
        "solo_difficulty": 0,
        "challenge": False,
        "challenge_games": 1,
        "open_cards": 8,
    }


def test_the_settings_drawn_fit_the_seats() -> None:
    seen = set()
    for seed in range(3000):
        seats, options = random_options(seed)
        assert list(faults_of_options(options, seats)) == []
        plain = as_transcript({}, seats)
        others = clueverge_settings.NOT_OF_MODE[options["mode"]]
        assert all(options[name] == plain[name] for name in others)
        seen |= {(options["mode"], name, str(options[name])) for name in options if options[name] != plain[name]}
    assert {("solo", "challenge_games", "5"), ("coop", "open_cards", "12"), ("competitive", "open_cards", "0")} <= seen
    for name, values in clueverge_settings.CHOICES.items():
        if name != "mode":
            assert len({value for _, option, value in seen if option == name}) >= len(values) - 1, name


@pytest.mark.parametrize("whole", [None, 1, "game", [], [{}], {}, {1: 2}])
def test_what_is_no_transcript_is_reported(whole: object) -> None:
    assert judge(whole)


def test_junk_is_a_difference_and_never_a_traceback() -> None:
    chance = random.Random(3)
    junk: list[Any] = [None, True, -1, 0, 3, 1e400, 10**5000, "", "move", [], [[]], {}, [1, None], {"event": 1}]
    for game in BY_HAND:
        base = game()
        for _ in range(500):
            whole = copy.deepcopy(base)
            place = chance.choice([*whole["events"], whole["options"], whole])
            place[chance.choice(list(place))] = chance.choice(junk)
            assert all(isinstance(difference, str) for difference in judge(whole))
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for place, key in ((base["events"][0], "board"), (base["events"][1], "cells"), (base["options"], "case_cards")):
        assert judge(base) == []
        kept, place[key] = place[key], deep
        assert judge(base)
        place[key] = kept


def test_differences_are_stopped_before_they_fill_the_screen() -> None:
    whole = series_of_two()
    for happened in whole["events"]:
        happened["noise"] = 1
    assert len(judge(whole)) == 21  # 20 differences, and the sentence that there may be more


# ------------------------------------------------------------------------------------------------------------
# The command
# ------------------------------------------------------------------------------------------------------------


def test_command_counts_and_names_the_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong = game_of_two(), game_of_two()
    wrong["events"].pop()
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text("".join(json.dumps(whole) + "\n" for whole in [right] * 3))
    bad.write_text(json.dumps(right) + "\n" + json.dumps(wrong) + "\nnonsense\n")
    assert main([str(good)]) == 0
    assert capsys.readouterr().out == "3 transcripts judged, 0 with differences\n"
    assert main([str(good), str(bad)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "6 transcripts judged, 2 with differences"
    assert lines[0].startswith(f"{bad}:2: event {len(wrong['events'])}: expected")
    assert main([str(tmp_path / "missing.jsonl")]) == 1
    assert main([]) == 1


def test_words_stand_for_what_goes_with_the_seats() -> None:
    """CLV-13: 8, 6, 4 open cards with 2, 3, 4 players; CLV-31, CLV-38: always 8; CLV-28: 2n moves."""
    words = {"mode": "auto", "open_cards": "seats", "stall_limit": "2n"}
    assert [list(resolved(words, seats).values()) for seats in (1, 2, 3, 4)] == [
        ["solo", 8, 2],
        ["competitive", 8, 4],
        ["competitive", 6, 6],
        ["competitive", 4, 8],
    ]
    assert [resolved({**words, "mode": "coop"}, seats)["open_cards"] for seats in (2, 3, 4)] == [8, 8, 8]
    assert resolved({"mode": "coop", "open_cards": 3, "stall_limit": 7}, 4) == {
        "mode": "coop",
        "open_cards": 3,
        "stall_limit": 7,
    }
