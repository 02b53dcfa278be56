"""The rules of Clueverge, one test or more per rule id and per worked example (RULES.md 3).

Expectations come from the rule's sentence or from the sum written beside them, never from the engine.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import pytest

from sim.compiled import entry
from sim.contract import load_game
from sim.errors import IllegalAction, SpecError, UnknownName
from sim.games.clueverge import render
from sim.games.clueverge.board import AROUND, BESIDE, POINTS, STRIKES, can_have_culprit, find_culprit
from sim.games.clueverge.spec import cells_in
from sim.job import make_job, make_spec
from sim.play import Player, Session, transcript_of
from tests.sim.clueverge_table import Choice, Position, Target, culprit_of, forced, read_board, stand
from tests.sim.stepping import Event, make

SHARE = 2520  # what `win_share` counts a win in: 1/k is a whole number of these
ARROWS = [(alibi, motive) for alibi in ("split", "cross") for motive in ("cross", "split")]
# The codes of actions (RULES.md 8 lists what they mean): a cell to lay the own pawn on, 16 + a cell to turn up or to
# lay an unused pawn on, 32 + a target to declare on, the fled card being target 16.
OTHER, DECLARE = 16, 32
TARGETS: set[Target] = {*range(16), "fled"}


@entry
def solve(record, cells, scenes, culprits):  # type: ignore[no-untyped-def]
    """Find the culprit of each board of a list."""
    for index in range(len(scenes)):
        culprits[index] = find_culprit(cells[index], scenes[index], record[0].rules)


@entry
def is_solvable(record):  # type: ignore[no-untyped-def]
    """Say whether what is open leaves a culprit possible."""
    return can_have_culprit(record[0].places, np.uint64(record[0].open), record[0].scene_cell, record[0].rules)


def begun(
    seats: int = 2, options: Mapping[str, Any] | None = None, *, deal: int = 0, seed: int = 1, rotation: int = 0
) -> Position:
    """A game from its very beginning."""
    return Position(Session(make("clueverge", "random", seats, options, seed=seed), deal, rotation, is_logged=True))


def deals(count: int, seats: int = 2, options: Mapping[str, Any] | None = None, first: int = 0) -> Iterator[Position]:
    """The beginnings of so many deals of one table."""
    table = make("clueverge", "random", seats, options)
    for deal in range(first, first + count):
        yield Position(Session(table, deal, is_logged=True))


def played(count: int, seats: int = 2, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The columns of so many games of `random`, each of another deal."""
    table = make("clueverge", "random", seats, options, deals=count, rotate=False)
    games, _, _ = Player(table).play(0, count)
    return {column.name: games[:, place] for place, column in enumerate(table.game.game_columns)}


def culprit(picture: str, scene_cell: int | None = None, **options: Any) -> int:
    """The number of the culprit of a board, 0: fled."""
    return int(stand(picture, scene_cell=scene_cell, seats=1, options=options).state["culprit"])


# A board whose culprit is suspect 4, example CLV-X1. Cells:
#      0 S5   1 WE   2 CL   3 WE
#      4 S3   5 AH   6 AV   7 MO
#      8 FT   9 CL  10 S6  11 S4
#     12 MO  13 FT  14 S1  15 S2      the FT in 13 is the crime-scene card
X1 = """
    S5 WE CL WE
    S3 AH AV MO
    FT CL S6 S4
    MO FT S1 S2
"""
OPEN = (0, 1, 4, 5)
CLOSED = {2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
X2 = """
    FT MO WE MO
    S3 S7 S5 AV
    CL AH S1 WE
    S4 CL S6 S2
"""


def against(seats: int = 2, opened: Sequence[int] = OPEN, *, first: int = 0, **options: Any) -> Position:
    """A competitive game on the board X1, at its first decision."""
    return stand(X1, opened, seats=seats, first=first, options=options)


def laid(cells: Sequence[int] = (0, 1), opened: Sequence[int] = OPEN, **options: Any) -> Position:
    """A competitive game on the board X1 in which seat 0 and the others have laid their pawns on these cells."""
    at = against(len(cells), opened, **options)
    for seat, cell in enumerate(cells):
        at.act(seat, "place", cell)
    return at


def together(seats: int = 2, opened: Sequence[int] = OPEN, *, first: int = 0, **options: Any) -> Position:
    """A cooperative game on the board X1, or a solo game, at its first decision."""
    if seats > 1:
        options["mode"] = "coop"
    return stand(X1, opened, seats=seats, first=first, options=options)


def play_out(at: Position, winner: int | None) -> Position:
    """Play one game to its end: all lay their pawns and declare, the `winner` rightly and the others wrongly."""
    game = int(at.state["game"])
    while not at.is_over and at.state["game"] == game:
        legal = at.session.legal()
        right = DECLARE + int(at.state["culprit_cell"])
        declarations = [action for action in legal if action >= DECLARE]
        if not declarations:
            at.session.apply(legal[0])
        elif at.seat == winner:
            at.session.apply(right)
        else:
            at.session.apply(next(action for action in declarations if action != right))
    return at


def declared(picture: str, *targets: Target, **options: Any) -> Position:
    """A whole competitive game on a board: all lay their pawns on the open card S1, then declare on these targets."""
    opened = [picture.split().index(face) for face in ("S1", "S2")]
    at = stand(picture, opened, seats=len(targets), options=options)
    for seat in range(len(targets)):
        at.act(seat, "place", opened[0])
    for seat, target in enumerate(targets):
        at.act(seat, "declare", target)
    return at


def winners(at: Position) -> list[int]:
    """Who was right in the last game."""
    right: list[int] = at.named("verdict")[-1]["winners"]
    return right


# ── Cards ────────────────────────────────────────────────────────────────────────────────────────────────────────────

SUSPECTS = [f"S{number}" for number in range(1, 7)]
SCENES = ("S7", "FT", "PT")


def investigation(alibi: str = "split", motive: str = "cross") -> list[str]:
    """The 15 investigation cards."""
    motives = ["MV", "MH"] if motive == "split" else ["MO", "MO"]
    alibis = ["AV", "AH"] if alibi == "split" else ["AL", "AL"]
    return [*SUSPECTS, *motives, *alibis, "WE", "WE", "CL", "CL", "FT"]


@pytest.mark.parametrize(("alibi", "motive"), ARROWS)
def test_clv_1_clv_12_15_investigation_cards_and_one_of_the_crime_scene(alibi: str, motive: str) -> None:
    for at in deals(30, 2, {"alibi_arrows": alibi, "motive_arrows": motive}):
        for laid_out in at.named("set_up"):
            board = list(laid_out["board"])
            assert board.pop(laid_out["cell"]) == laid_out["crime_scene"]
            assert sorted(board) == sorted(investigation(alibi, motive))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_clv_1_clv_17_one_pawn_each_and_the_fled_card_beside_the_grid(seats: int) -> None:
    at = laid([0] * seats)
    assert [int(cell) for cell in at.state["pawns"][:seats]] == [0] * seats
    assert at.state["unused"] == 0
    assert "fled" in at.targets("declare")


def test_clv_2_the_crime_scene_is_suspect_7_a_second_false_testimony_or_the_plot_twist() -> None:
    drawn = {at.named("set_up")[0]["crime_scene"] for at in deals(60)}
    assert drawn == set(SCENES)


def test_clv_3_the_cell_of_the_crime_scene_card_is_public_and_its_face_is_not() -> None:
    for at in deals(20, 3):
        laid_out = at.named("set_up")[-1]
        for seat in range(3):
            at.session._look()
            view = at.state["views"][seat]
            assert view["known"][laid_out["cell"]] == 0
            assert set(at.known(seat)) == at.open
        assert at.session.view()["scene_cell"] == laid_out["cell"]


def drawn_cells(picture: str) -> list[int]:
    """The cells marked with an x."""
    return [cell for cell, mark in enumerate(picture.split()) if mark == "x"]


@pytest.mark.parametrize(
    ("cell", "motive", "weapon", "around", "beside"),
    [
        (
            6,
            ". . x .   x x o x   . . x .   . . x .",
            ". x x x   x x o x   . x x x   x . x .",
            ". x x x   . x o x   . x x x   . . . .",
            ". . x .   . x o x   . . x .   . . . .",
        ),
        (
            12,
            "x . . .   x . . .   x . . .   o x x x",
            "x . . x   x . x .   x x . .   o x x x",
            ". . . .   . . . .   x x . .   o x . .",
            ". . . .   . . . .   x . . .   o x . .",
        ),
        (
            3,
            "x x x o   . . . x   . . . x   . . . x",
            "x x x o   . . x x   . x . x   x . . x",
            ". . x o   . . x x   . . . .   . . . .",
            ". . x o   . . . x   . . . .   . . . .",
        ),
        (
            13,
            ". x . .   . x . .   . x . .   x o x x",
            ". x . .   . x . x   x x x .   x o x x",
            ". . . .   . . . .   x x x .   x o x .",
            ". . . .   . . . .   . x . .   x o x .",
        ),
    ],
)
def test_clv_4_what_each_card_points_at(cell: int, motive: str, weapon: str, around: str, beside: str) -> None:
    cross, split_vertical, split_horizontal = (cells_in(POINTS[kind][cell]) for kind in range(3))
    assert cross == drawn_cells(motive)
    assert split_vertical == [other for other in cross if other % 4 == cell % 4]
    assert split_horizontal == [other for other in cross if other // 4 == cell // 4]
    assert cells_in(STRIKES[cell]) == drawn_cells(weapon)
    assert cells_in(AROUND[cell]) == drawn_cells(around)
    assert cells_in(BESIDE[cell]) == drawn_cells(beside)


# ── True culprit ─────────────────────────────────────────────────────────────────────────────────────────────────────


def apart(one: int, other: int) -> tuple[int, int]:
    """How many rows and columns two cells are apart."""
    return abs(one // 4 - other // 4), abs(one % 4 - other % 4)


def is_in_line(one: int, other: int) -> bool:
    """Whether two cells are in one row or column."""
    return 0 in apart(one, other)


def is_struck(one: int, other: int) -> bool:
    """Whether two cells are in one row, column or diagonal."""
    return is_in_line(one, other) or len(set(apart(one, other))) == 1


def isolated(
    fixed: Mapping[int, str], who: str = "S1", *, motive: bool = True, weapon: bool = True, seed: int = 0
) -> list[str]:
    """Lay the other cards around the `fixed` ones so that these decide whether `who` is a candidate.

    Of the others no alibi points at it; a motive and a used weapon do or do not, as is said; no false testimony lies
    beside any motive or alibi, nor, without `weapon`, a clue around a fixed weapon. S1 comes with the plot twist, S6
    with two false testimonies: so `who` is the culprit if and only if it is a candidate.
    """
    rng = np.random.default_rng(seed)
    rest = investigation(motive="split" if {"MV", "MH"} & set(fixed.values()) else "cross")
    rest.append({"S1": "PT", "S6": "FT", "S7": "S7"}[who])
    for face in fixed.values():
        rest.remove(face)
    free = [cell for cell in range(16) if cell not in fixed]
    for _ in range(20_000):
        order = [rest[place] for place in rng.permutation(len(rest))]
        others = dict(zip(free, order, strict=True))
        if _is_isolated(fixed, others, who, motive, weapon):
            board = {**fixed, **others}
            return [board[cell] for cell in range(16)]
    raise AssertionError(f"no board around {fixed}")


def _is_isolated(fixed: Mapping[int, str], others: Mapping[int, str], who: str, motive: bool, weapon: bool) -> bool:
    """Whether the other cards lie as `isolated` promises."""
    both = {**fixed, **others}
    target = next(cell for cell, face in both.items() if face == who)
    false = [cell for cell, face in both.items() if face == "FT"]
    new_false = [cell for cell, face in others.items() if face == "FT"]
    clues = [cell for cell, face in others.items() if face == "CL"]
    motives = [cell for cell, face in others.items() if face[0] == "M"]
    if any(face[0] == "A" and is_in_line(cell, target) for cell, face in others.items()):
        return False
    if any(both[cell][0] in "MA" and sum(apart(cell, lie)) == 1 for cell in both for lie in new_false):
        return False
    if motive:
        valid = [cell for cell in motives if all(sum(apart(cell, lie)) != 1 for lie in false)]
        # Whichever way a motive that is split points, that it is seen is not left to it.
        if not any(both[cell] == "MO" and is_in_line(cell, target) for cell in valid):
            return False
    elif any(is_in_line(cell, target) for cell in motives):
        return False
    weapons = [cell for cell, face in others.items() if face == "WE" and is_struck(cell, target)]
    if weapon:
        return any(max(apart(cell, clue)) == 1 for cell in weapons for clue in clues)
    fixed_weapons = [cell for cell, face in fixed.items() if face == "WE"]
    return not weapons and all(max(apart(cell, clue)) > 1 for cell in fixed_weapons for clue in clues)


def culprits(boards: Sequence[Sequence[str]], **options: Any) -> list[int]:
    """The culprit of each board, by the engine."""
    state = stand(X1, seats=1, options=options).session._record
    cells, scenes = zip(*(read_board(" ".join(board)) for board in boards), strict=True)
    found = np.zeros(len(boards), np.int64)
    solve(state, np.array(cells, np.uint8), np.array(scenes, np.uint8), found)
    return [int(number) for number in found]


def is_candidate(fixed: Sequence[Mapping[int, str]], who: str = "S1", **options: Any) -> list[bool]:
    """Whether `who` is a candidate with each of the fixed cards; options of `isolated` and of the game."""
    ways = {name: options.pop(name) for name in ("motive", "weapon") if name in options}
    boards = [isolated(cards, who, **ways) for cards in fixed]
    return [found == int(who[1]) for found in culprits(boards, **options)]


PAIRS = [(one, other) for one in range(16) for other in range(16) if one != other]


def test_clv_4_clv_9_a_motive_reaches_its_row_and_column() -> None:
    reached = is_candidate([{cell: "MO", target: "S1"} for cell, target in PAIRS], motive=False)
    assert reached == [is_in_line(cell, target) for cell, target in PAIRS]


@pytest.mark.parametrize(("face", "axis"), [("MV", 1), ("MH", 0)])
def test_clv_4_motives_that_are_split_reach_the_column_or_the_row(face: str, axis: int) -> None:
    cards = [{cell: face, target: "S1"} for cell, target in PAIRS]
    split = is_candidate(cards, motive=False, motive_arrows="split")
    assert split == [apart(cell, target)[axis] == 0 for cell, target in PAIRS]
    assert is_candidate(cards, motive=False) == [is_in_line(cell, target) for cell, target in PAIRS]


@pytest.mark.parametrize(("face", "axis"), [("AV", 1), ("AH", 0)])
def test_clv_4_clv_9_an_alibi_clears_its_column_or_its_row_or_both(face: str, axis: int) -> None:
    cards = [{cell: face, target: "S1"} for cell, target in PAIRS]
    assert is_candidate(cards) == [apart(cell, target)[axis] != 0 for cell, target in PAIRS]
    assert is_candidate(cards, alibi_arrows="cross") == [not is_in_line(cell, target) for cell, target in PAIRS]


def test_clv_4_clv_9_a_used_weapon_strikes_its_row_its_column_and_both_diagonals() -> None:
    cards = []
    for cell, target in PAIRS:
        clue = next(near for near in range(16) if near not in (cell, target) and max(apart(near, cell)) == 1)
        cards.append({cell: "WE", target: "S1", clue: "CL"})
    assert is_candidate(cards, weapon=False) == [is_struck(cell, target) for cell, target in PAIRS]


def test_clv_5_what_lies_between_blocks_nothing() -> None:
    far = [(one, other) for one, other in PAIRS if is_struck(one, other) and max(apart(one, other)) > 1]
    for face in ("S5", "WE", "AH", "PT", "CL"):
        cards = []
        for cell, target in far:
            step = (target - cell) // max(apart(cell, target))
            cards.append({cell: "MO", target: "S1", cell + step: face})
        straight = [place for place, (cell, target) in enumerate(far) if is_in_line(cell, target)]
        if face != "AH":
            assert all(is_candidate([cards[place] for place in straight], motive=False))
        if face != "WE":
            # A weapon instead of the motive, with its clue beside it where nothing else lies.
            for place, (cell, _) in enumerate(far):
                taken = {*cards[place]}
                clue = next(near for near in range(16) if near not in taken and max(apart(near, cell)) == 1)
                cards[place] = {**cards[place], cell: "WE", clue: "CL"}
            # An alibi left and right clears who lies in its row.
            clear = [place for place, card in enumerate(cards) if face != "AH" or far[place][0] // 4 != _row(card)]
            assert all(is_candidate([cards[place] for place in clear], weapon=False))


def _row(card: Mapping[int, str]) -> int:
    """The row of S1."""
    return next(cell // 4 for cell, face in card.items() if face == "S1")


# Where a false testimony lies by a card in cell 5, and whether it touches it.
FALSE = [(cell, sum(apart(5, cell)) == 1) for cell in (0, 1, 2, 4, 6, 8, 9, 10)]


def test_clv_6_a_false_testimony_beside_a_motive_voids_it_and_diagonally_does_nothing() -> None:
    for target in (7, 13):
        cards = [{5: "MO", target: "S1", cell: "FT"} for cell, _ in FALSE]
        assert is_candidate(cards, motive=False) == [not is_void for _, is_void in FALSE]


@pytest.mark.parametrize(("face", "target"), [("AH", 7), ("AV", 13)])
def test_clv_6_a_false_testimony_beside_an_alibi_voids_it_and_diagonally_does_nothing(face: str, target: int) -> None:
    cards = [{5: face, target: "S1", cell: "FT"} for cell, _ in FALSE]
    for arrows in ("split", "cross"):
        assert is_candidate(cards, alibi_arrows=arrows) == [is_void for _, is_void in FALSE]


def test_clv_6_the_second_false_testimony_does_the_same() -> None:
    # The one in 15 touches nothing here.
    cards = [{5: "MO", 7: "S6", 15: "S2", cell: "FT"} for cell, _ in FALSE]
    boards = [isolated(card, "S6", motive=False) for card in cards]
    state = stand(X1, seats=1).session._record
    for is_scene in (False, True):
        found = np.zeros(len(boards), np.int64)
        read = [
            read_board(" ".join(board), cell if is_scene else None)
            for board, (cell, _) in zip(boards, FALSE, strict=True)
        ]
        cells, scenes = zip(*read, strict=True)
        solve(state, np.array(cells, np.uint8), np.array(scenes, np.uint8), found)
        assert [number == 6 for number in found] == [not is_void for _, is_void in FALSE]


def test_clv_6_clues_weapons_and_suspects_beside_it_are_as_they_were() -> None:
    # The weapon in 5 is used by the clue in 4 and strikes the suspect in 6.
    cards = [{5: "WE", 4: "CL", 6: "S1", cell: "FT"} for cell in (0, 1, 2, 8, 9, 10, 7)]
    assert all(is_candidate(cards, weapon=False))


def test_clv_6_the_plot_twist_beside_it_is_as_it_was() -> None:
    # CLV-E1 with AV and the false testimony exchanged: (0,0) touches the plot twist in (0,1). The alibi of row 1 clears
    # S3 and S6, that of column 3 clears S1 and S3; S2 and S4 are left, and the lowest is meant.
    assert culprit("FT PT WE MO   S6 MO AH S3   S5 S4 CL S1   CL S2 WE AV") == 2
    assert culprit("FT S7 WE MO   S6 MO AH S3   S5 S4 CL S1   CL S2 WE AV") == 4


def test_clv_7_two_false_testimonies_do_not_cancel_each_other() -> None:
    beside = [1, 4, 6, 9]
    for one, other in combinations(beside, 2):
        target = next(cell for cell in (7, 13) if cell not in (one, other))
        assert is_candidate([{5: "MO", target: "S6", one: "FT", other: "FT"}], "S6", motive=False) == [False]
        face = "AH" if target == 7 else "AV"
        assert is_candidate([{5: face, target: "S6", one: "FT", other: "FT"}], "S6") == [True]


def test_clv_8_a_weapon_is_used_with_a_clue_in_any_of_8_directions_and_no_further() -> None:
    cards, is_near = [], []
    for cell, clue in PAIRS:
        target = next(other for other in range(16) if other not in (cell, clue) and is_struck(cell, other))
        cards.append({cell: "WE", clue: "CL", target: "S1"})
        is_near.append(max(apart(cell, clue)) == 1)
    assert is_candidate(cards, weapon=False) == is_near


def test_clv_8_several_weapons_may_be_used() -> None:
    # S6 has a motive in both. In (1,1) it is struck by the weapon in (0,2) alone, beside which the clue in (1,2) lies,
    # in (2,3) by that in (3,2) alone, beside which the clue in (3,1) lies.
    assert culprit("S5 FT WE S1   MO S6 CL FT   AV S3 S4 S2   AH CL WE MO") == 6
    assert culprit("S5 FT WE S1   MO S2 CL FT   AV S3 S4 S6   AH CL WE MO") == 6


def test_clv_8_without_a_clue_around_a_weapon_nobody_did_it() -> None:
    # X1 with the clue in (0,2) and S2 exchanged: the other lies in (2,1), two rows from the weapon in (0,1).
    assert culprit("S5 WE S2 WE   S3 AH AV MO   FT CL S6 S4   MO FT S1 CL") == 0


@pytest.mark.parametrize("who", ["S1", "S6", "S7"])
def test_clv_9_a_candidate_has_a_motive_and_a_used_weapon_and_no_alibi(who: str) -> None:
    for target in range(16):
        assert is_candidate([{target: who}], who) == [True]
        assert is_candidate([{target: who}], who, motive=False) == [False]
        assert is_candidate([{target: who}], who, weapon=False) == [False]
        alibi = next(cell for cell in range(16) if apart(cell, target) == (0, 2))
        assert is_candidate([{target: who, alibi: "AH"}], who) == [False]


def test_clv_10_the_highest_number_or_with_the_plot_twist_the_lowest_or_fled() -> None:
    assert culprit(X1) == 4  # candidates 2 and 4
    assert culprit("AV PT WE MO   S6 MO AH S3   S5 S4 CL S1   CL S2 WE FT") == 1  # 1, 2 and 4
    assert culprit("AV S7 WE MO   S6 MO AH S3   S5 S4 CL S1   CL S2 WE FT") == 4
    assert culprit(X2) == 0


def test_clv_10_suspect_7_is_the_highest() -> None:
    # CLV-E1 with S7 in the place of S4, which is a candidate, and S4 in that of the plot twist.
    assert culprit("AV S4 WE MO   S6 MO AH S3   S5 S7 CL S1   CL S2 WE FT") == 7


def test_clv_11_motive_and_weapon_lie_anywhere_and_who_is_no_candidate_is_ignored() -> None:
    # X1: S5 and S6 are higher than 4 but have no motive. CLV-E1: S3 is lower than 4 and out.
    assert culprit(X1) == 4
    rng = np.random.default_rng(11)
    for _ in range(100):
        target, motive, weapon = (int(cell) for cell in rng.permutation(16)[:3])
        clue = next(
            near for near in range(16) if near not in (target, motive, weapon) and max(apart(near, weapon)) == 1
        )
        cards = [{target: "S1", motive: "MO", weapon: "WE", clue: "CL"}]
        expected = is_in_line(motive, target) and is_struck(weapon, target)
        assert is_candidate(cards, motive=False, weapon=False) == [expected]


def drawn_boards(count: int, alibi: str = "split", motive: str = "cross", seed: int = 1) -> list[list[str]]:
    """Random boards."""
    rng = np.random.default_rng(seed)
    cards = investigation(alibi, motive)
    boards = []
    for number in range(count):
        faces = [*cards, SCENES[number % 3]]
        boards.append([faces[place] for place in rng.permutation(16)])
    return boards


@pytest.mark.parametrize(("alibi", "motive"), ARROWS)
def test_clv_4_to_clv_11_the_culprit_of_random_boards(alibi: str, motive: str) -> None:
    boards = drawn_boards(4000, alibi, motive)
    found = culprits(boards, alibi_arrows=alibi, motive_arrows=motive)
    assert found == [culprit_of(board) for board in boards]
    assert set(found) == set(range(8))


@pytest.mark.parametrize(("alibi", "share"), [("split", 0.304), ("cross", 0.396)])
def test_clv_4_how_often_the_culprit_has_fled(alibi: str, share: float) -> None:
    fled = played(200_000, 1, {"alibi_arrows": alibi, "redo": "off"})["culprit"] == 0
    # Deviation sqrt(0.4 * 0.6 / 200,000) < 0.0011; five of them.
    assert fled.mean() == pytest.approx(share, abs=5 * 0.0011)


# ── Set-up ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_clv_12_every_crime_scene_card_is_drawn_as_often() -> None:
    drawn = Counter(played(30_000, 2, {"redo": "off"})["crime_scene"].tolist())
    # 10,000 each, deviation sqrt(30,000 * 2/9) < 82; five of them.
    assert set(drawn) == {0, 1, 2}
    assert all(abs(count - 10_000) < 5 * 82 for count in drawn.values())


def test_clv_12_every_card_lies_in_every_cell_as_often() -> None:
    counts = np.zeros((16, 16))
    scenes = Counter[tuple[int, str]]()
    for at in deals(1600, 2, {"redo": "off"}):
        counts[np.arange(16), at.state["places"]] += 1
        (laid_out,) = at.named("set_up")
        scenes[laid_out["cell"], laid_out["crime_scene"]] += 1
    # 1600 / 16 = 100 each; all sums are fixed: mean 16 * 15 = 240, deviation 16 * sqrt(2) < 23; five of them. Of the
    # crime-scene card alone (the last row) chi-square has 15 degrees of freedom: deviation sqrt(30) < 5.5.
    assert abs(((counts - 100) ** 2 / 100).sum() - 240) < 5 * 23
    assert ((counts[15] - 100) ** 2 / 100).sum() < 15 + 5 * 5.5
    # Its cell and which it is: 48 pairs, 33.3 each; 47 degrees of freedom, deviation sqrt(94) < 9.7.
    assert sum((scenes[cell, face] - 100 / 3) ** 2 * 3 / 100 for cell in range(16) for face in SCENES) < 47 + 5 * 9.7


@pytest.mark.parametrize(
    ("seats", "options", "count"),
    [
        (2, {}, 8),
        (3, {}, 6),
        (4, {}, 4),
        (2, {"mode": "coop"}, 8),
        (3, {"mode": "coop"}, 8),
        (4, {"mode": "coop"}, 8),
        (1, {}, 8),
        *((3, {"open_cards": count}, count) for count in range(1, 9)),
        *((4, {"open_cards": count, "case_cards": "random"}, count) for count in (1, 8, 9, 12)),
        (2, {"open_cards": 0, "first_placement": "any"}, 0),
        (2, {"open_cards": 0, "mode": "coop"}, 0),
        (1, {"open_cards": 12, "case_cards": "random"}, 12),
    ],
)
def test_clv_13_clv_31_clv_38_so_many_cards_are_open_and_never_that_of_the_crime_scene(
    seats: int, options: dict[str, Any], count: int
) -> None:
    for at in deals(40, seats, options):
        cells = at.named("case_card")[-1]["cells"]
        assert len(set(cells)) == len(cells) == count
        assert at.open == set(cells)
        assert at.state["scene_cell"] not in at.open
        board = at.named("set_up")[-1]["board"]
        assert at.known(at.seat) == {cell: board[cell] for cell in cells}


CASES = {  # C1 to C5
    0: (12, 8, 1, 6, 9, 3, 14, 7),
    1: (13, 9, 12, 4, 3, 7, 2, 10),
    2: (7, 9, 12, 13, 11, 2, 0, 6),
    3: (5, 11, 2, 12, 10, 0, 13, 7),
    4: (2, 7, 15, 9, 5, 14, 0, 8),
}


def turn_over(cell: int) -> int:
    """Mirror a cell left to right."""
    return 4 * (cell // 4) + 3 - cell % 4


def turn_up(cell: int) -> int:
    """Mirror a cell up and down."""
    return 4 * (3 - cell // 4) + cell % 4


def quarter(cell: int) -> int:
    """Turn a cell clockwise by a quarter: row r, column c goes to row c, column 3 - r."""
    return 4 * (cell % 4) + 3 - cell // 4


def held(cells: Sequence[int]) -> list[list[int]]:
    """Cells in the eight orientations of a card: turned by 0 to 3 quarters, then the same mirrored first."""
    found = []
    for start in (list(cells), [turn_over(cell) for cell in cells]):
        turned = start
        for _ in range(4):
            found.append(turned)
            turned = [quarter(cell) for cell in turned]
    return found


def test_clv_14_the_five_case_cards() -> None:
    assert render.options(make_spec(load_game("clueverge"), 2, {}))["case_cards"] == [list(CASES[k]) for k in range(5)]
    for cells in CASES.values():
        assert Counter(cell // 4 for cell in cells) == Counter(cell % 4 for cell in cells) == dict.fromkeys(range(4), 2)
        assert len({0, 3, 12, 15} & set(cells)) == 2
        assert len({5, 6, 9, 10} & set(cells)) == 2
        for scene in range(16):
            assert sum(scene not in turned for turned in held(cells)) >= 4
    shapes = [{frozenset(turned) for turned in held(cells)} for cells in CASES.values()]
    assert all(not one & other for one, other in combinations(shapes, 2))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_clv_13_clv_14_the_cells_are_opened_from_the_highest_number_down(seats: int) -> None:
    count = {2: 8, 3: 6, 4: 4}[seats]
    seen = set()
    for at in deals(400, seats):
        case = at.named("case_card")[-1]
        assert case["cells"] in [turned[:count] for turned in held(CASES[case["card"]])]
        assert case["cells"] == held(CASES[case["card"]])[case["orientation"]][:count]
        seen.add((case["card"], case["orientation"]))
    assert len(seen) == 40


@pytest.mark.parametrize(("seats", "count"), [(2, 8), (4, 4)])
def test_clv_14_clv_15_case_card_and_orientation_are_uniform_among_those_that_keep_the_crime_scene_covered(
    seats: int, count: int
) -> None:
    cards = Counter[int]()
    drawn: dict[tuple[int, int], Counter[int]] = {}
    for at in deals(2000, seats, {"redo": "off"}):
        (case,), (laid_out,) = at.named("case_card"), at.named("set_up")
        cards[case["card"]] += 1
        way = [turned[:count] for turned in held(CASES[case["card"]])].index(case["cells"])
        drawn.setdefault((case["card"], laid_out["cell"]), Counter())[way] += 1
    # 400 each; 4 degrees of freedom: deviation sqrt(8) < 2.9, five of them.
    assert sum((cards[card] - 400) ** 2 / 400 for card in range(5)) < 4 + 5 * 2.9
    # Given the card and the cell, each of m ways is as likely: chi-square, of mean m - 1 and a variance below
    # 2 (m - 1), summed over 80 pairs.
    total, freedom = 0.0, 0
    for (card, cell), ways in drawn.items():
        allowed = [way for way, turned in enumerate(held(CASES[card])) if cell not in turned[:count]]
        mean = sum(ways.values()) / len(allowed)
        assert set(ways) <= set(allowed)
        total += sum((ways[way] - mean) ** 2 / mean for way in allowed)
        freedom += len(allowed) - 1
    assert len(drawn) == 80
    assert abs(total - freedom) < 5 * (2 * freedom) ** 0.5


def test_clv_14_random_opens_any_cells_of_investigation_cards_alike() -> None:
    alone, pairs = np.zeros(15), np.zeros((15, 15))
    for at in deals(3000, 3, {"case_cards": "random", "redo": "off"}):
        (case,), (laid_out,) = at.named("case_card"), at.named("set_up")
        assert case["card"] is case["orientation"] is None
        # Of the 15 other cells, counted on from that of the crime scene.
        cells = [(cell - laid_out["cell"]) % 16 - 1 for cell in case["cells"]]
        assert min(cells) >= 0
        alone[cells[0]] += 1
        pairs[np.ix_(cells, cells)] += 1
    # The first: 200 each; 14 degrees of freedom: deviation sqrt(28) < 5.3, five of them. Six of 15: a cell is open in
    # 1200, deviation sqrt(3000 * 0.24) < 27; a pair in 3000 * 6 * 5 / (15 * 14) = 428.6, deviation
    # sqrt(3000 / 7 * 6 / 7) < 19.2.
    assert ((alone - 200) ** 2 / 200).sum() < 14 + 5 * 5.3
    assert np.all(np.abs(np.diag(pairs) - 1200) < 5 * 27)
    assert np.all(np.abs(pairs[~np.eye(15, dtype=bool)] - 3000 / 7) < 5 * 19.2)


def test_clv_14_case_cards_of_a_file() -> None:
    seen = Counter[int]()
    for at in deals(100, 3, {"case_cards": FILE}):
        case = at.named("case_card")[-1]
        cells = [int(cell) for cell in FILE[case["card"]].split()]
        assert case["cells"] in [turned[:6] for turned in held(cells)]
        seen[case["card"]] += 1
    # 50 each, deviation 5; five of them.
    assert all(abs(seen[card] - 50) < 25 for card in (0, 1))


def test_clv_15_an_orientation_that_would_open_the_crime_scene_is_not_used() -> None:
    for at in deals(300, 2):
        for case, laid_out in zip(at.named("case_card"), at.named("set_up"), strict=True):
            assert laid_out["cell"] not in case["cells"]


# Redoing


def can_have_one(known: Sequence[str], scene_cell: int, cards: Sequence[str]) -> bool:
    """Say whether any completion of the hidden cells has a culprit, by trying all (CLV-16); "" is hidden."""
    rest = list(cards)
    for face in known:
        if face:
            rest.remove(face)
    free = [cell for cell, face in enumerate(known) if not face and cell != scene_cell]
    board = list(known)
    for order in dict.fromkeys(permutations(rest)):
        for cell, face in zip(free, order, strict=True):
            board[cell] = face
        for scene in SCENES:
            board[scene_cell] = scene
            if culprit_of(board):
                return True
    return False


@pytest.mark.parametrize(("alibi", "motive"), ARROWS)
@pytest.mark.parametrize(("count", "tried", "least"), [(12, 150, 6), (11, 100, 3), (10, 50, 0)])
def test_clv_16_a_set_up_is_redone_exactly_if_no_completion_has_a_culprit(
    alibi: str, motive: str, count: int, tried: int, least: int
) -> None:
    arrows = {"alibi_arrows": alibi, "motive_arrows": motive}
    cards = investigation(alibi, motive)
    redone = 0
    for at in deals(tried, 2, {"case_cards": "random", "open_cards": count, **arrows}):
        set_ups, cases = at.named("set_up"), at.named("case_card")
        for number, (laid_out, case) in enumerate(zip(set_ups, cases, strict=True), start=1):
            known = [face if cell in case["cells"] else "" for cell, face in enumerate(laid_out["board"])]
            assert can_have_one(known, laid_out["cell"], cards) == (number == len(set_ups))
            assert laid_out["attempt"] == number
        assert len(at.named("redo")) == len(set_ups) - 1 == at.state["redeals"]
        redone += len(set_ups) - 1
    assert redone >= least


def test_clv_16_without_redo_an_evident_set_up_stays() -> None:
    options = {"case_cards": "random", "open_cards": 12}
    stayed = 0
    pairs = zip(deals(60, 2, options), deals(60, 2, {**options, "redo": "off"}), strict=True)
    for redone, at in pairs:
        (laid_out,) = at.named("set_up")
        assert laid_out == redone.named("set_up")[0]
        assert (at.named("redo"), at.state["redeals"]) == ([], 0)
        stayed += len(redone.named("set_up")) > 1
    assert stayed > 3


EVIDENT = [
    pytest.param(
        # CLV-E10: both weapons and both clues are open and no clue is within one cell of a weapon.
        "WE S1 CL ..   S3 S4 S5 CL   .. .. .. ??   WE .. .. ..",
        {},
        False,
        id="no weapon is used",
    ),
    pytest.param(
        # A false testimony beside both motives.
        "MO FT S1 ..   S2 MO .. ..   .. WE CL ..   ?? .. S3 ..",
        {},
        False,
        id="no motive is valid",
    ),
    pytest.param(
        # The column of MV in 0 and the row of MH in 15 hold no suspect and no hidden cell.
        "MV .. .. ..   WE .. S1 ??   WE .. .. ..   CL CL AV MH",
        {"motive_arrows": "split"},
        False,
        id="nobody where split motives point",
    ),
    pytest.param(
        # The same cards with motives that point everywhere: a suspect in (0,2), the weapon in (2,0), used by the clue
        # below it, and the hidden false testimony in (2,2), which voids AV below it.
        "MO .. .. ..   WE .. S1 ??   WE .. .. ..   CL CL AV MO",
        {},
        True,
        id="somebody where motives point everywhere",
    ),
    pytest.param(
        # CLV-E10: one clue is hidden, and (1,1) beside the weapon in (0,0) too; S1 in its row lacks only a motive.
        "WE S3 AV S1   S2 .. .. ..   .. .. CL ??   WE S4 .. ..",
        {},
        True,
        id="a hidden clue and a hidden cell beside a weapon",
    ),
    pytest.param(
        # The same, but the cells around both weapons are open or hold the crime-scene card.
        "WE S3 .. ..   S2 ?? .. CL   S4 S5 .. ..   WE S6 .. ..",
        {},
        False,
        id="a hidden clue and no hidden cell beside a weapon",
    ),
    pytest.param(
        # All six suspects are open and lie in no line of the motives: it could be suspect 7 alone.
        "S1 S2 S3 ..   S4 S5 S6 ??   .. .. .. MO   .. .. .. MO",
        {},
        True,
        id="suspect 7 only",
    ),
]


def partly_open(picture: str, **options: Any) -> Position:
    """A game in which these cards are open; the rest lie in the hidden cells, the plot twist where `??` stands."""
    faces = picture.split()
    rest = investigation(options.get("alibi_arrows", "split"), options.get("motive_arrows", "cross"))
    opened = [cell for cell, face in enumerate(faces) if face not in ("..", "??")]
    for cell in opened:
        rest.remove(faces[cell])
    board = ["PT" if face == "??" else rest.pop() if face == ".." else face for face in faces]
    return stand(" ".join(board), opened, options=options)


@pytest.mark.parametrize(("picture", "options", "expected"), EVIDENT)
def test_clv_16_with_8_open_cards(picture: str, options: dict[str, Any], expected: bool) -> None:
    known = picture.replace("..", "-").replace("??", "-").split()
    known = [face.strip("-") for face in known]
    assert sum(map(bool, known)) == 8
    cards = investigation(options.get("alibi_arrows", "split"), options.get("motive_arrows", "cross"))
    assert can_have_one(known, picture.split().index("??"), cards) == expected
    assert bool(is_solvable(partly_open(picture, **options).session._record)) == expected


@pytest.mark.parametrize(
    ("seats", "options", "rate"),
    [
        (2, {}, 0.0116),
        (3, {}, 0.00236),
        (4, {}, 0.00044),
        (2, {"case_cards": "random"}, 0.0140),
        (3, {"case_cards": "random"}, 0.0034),
        (4, {"case_cards": "random"}, 0.0004),
        # Eight are open, whatever the seats.
        (4, {"mode": "coop"}, 0.0116),
        (1, {}, 0.0116),
    ],
)
def test_clv_16_how_often_a_set_up_is_redone(seats: int, options: dict[str, Any], rate: float) -> None:
    redeals = int(played(200_000, seats, options)["redeals"].sum())
    # Deviation sqrt(rate / 200,000); five of them, and half of the last digit that is printed.
    assert redeals / (200_000 + redeals) == pytest.approx(rate, abs=5 * (rate / 200_000) ** 0.5 + 0.00005)
    assert played(5_000, seats, {**options, "redo": "off"})["redeals"].max() == 0


def test_clv_16_layout_crime_scene_and_case_card_are_drawn_anew() -> None:
    table = make("clueverge", "random", 2)
    redone = np.flatnonzero(played(20_000)["redeals"])
    same = Counter[str]()
    for deal in redone.tolist():
        at = Position(Session(table, deal, is_logged=True))
        (one, other), (first, second) = at.named("set_up")[:2], at.named("case_card")[:2]
        same["board"] += one["board"] == other["board"]
        same["scene"] += one["crime_scene"] == other["crime_scene"]
        same["cell"] += one["cell"] == other["cell"]
        same["card"] += first["card"] == second["card"]
    # 1.16 % of 20,000 are 232. By chance the crime-scene card is the same in a third of them, its cell in a sixteenth,
    # the case card in a fifth; five deviations, sqrt(232 * p * (1 - p)), are less than 36, 19 and 31.
    pairs = len(redone)
    assert abs(pairs - 232) < 5 * 232**0.5
    assert same["board"] == 0
    assert abs(same["scene"] - pairs / 3) < 37
    assert abs(same["cell"] - pairs / 16) < 20
    assert abs(same["card"] - pairs / 5) < 32


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("mode", ["competitive", "coop"])
def test_clv_17_the_start_player_is_drawn(seats: int, mode: str) -> None:
    drawn = Counter(played(12_000, seats, {"mode": mode})["first_seat"].tolist())
    # Deviation sqrt(12,000 / 4) < 55; five of them.
    assert set(drawn) == set(range(seats))
    assert all(abs(count - 12_000 / seats) < 5 * 55 for count in drawn.values())
    at = begun(seats, {"mode": mode})
    assert at.named("start") == [{"seat": at.seat, "chance": True}]


@pytest.mark.parametrize("first", [0, 1, 2])
def test_clv_17_turns_go_to_the_left(first: int) -> None:
    at = against(3, first=first)
    order = []
    for _ in range(9):
        order.append(at.seat)
        at.session.apply(at.session.legal()[0])
    assert order == [(first + turn) % 3 for turn in range(9)]
    assert [event["turn"] for event in at.named("turn")] == list(range(1, 11))


# ── Competitive game ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("first_placement", "cells"), [("face_up", set(OPEN)), ("face_down", CLOSED - {13}), ("any", {*range(16)} - {13})]
)
def test_clv_18_the_first_placement_is_on_an_investigation_card(first_placement: str, cells: set[int]) -> None:
    at = against(3, first_placement=first_placement)
    for seat in range(3):
        assert at.seat == seat
        assert at.session.phase == "place"
        assert at.choices() == {("place", cell) for cell in cells}
        at.act(seat, "place", min(cells))
    assert at.session.phase == "act"


def test_clv_18_face_up_it_costs_a_turn_and_shows_nothing_new() -> None:
    at = against().act(0, "place", 4)
    assert at.seat == 1
    assert (at.named("look"), at.named("reveal")) == ([], [])
    assert at.known(0) == at.known(1) == {0: "S5", 1: "WE", 4: "S3", 5: "AH"}
    assert at.named("pawn") == [{"seat": 0, "owner": 0, "cell": 4, "standing": False}]
    # The private look starts with the first move.
    at.act(1, "place", 0).act(0, "move", 6)
    assert at.named("look") == [{"seat": 0, "cell": 6, "face": "AV"}]


@pytest.mark.parametrize("first_placement", ["face_down", "any"])
def test_clv_18_face_down_the_placer_sees_the_face_at_once(first_placement: str) -> None:
    at = against(first_placement=first_placement).act(0, "place", 11)
    assert at.named("look") == [{"seat": 0, "cell": 11, "face": "S4"}]
    assert at.named("reveal") == []
    assert at.known(0)[11] == "S4"
    assert 11 not in at.known(1)


@pytest.mark.parametrize("first_placement", ["face_up", "face_down", "any"])
def test_clv_19_the_first_placement_may_share_a_card_or_not(first_placement: str) -> None:
    free = {"face_up": set(OPEN), "face_down": CLOSED - {13}, "any": {*range(16)} - {13}}[first_placement]
    shared = against(4, first_placement=first_placement)
    alone = against(4, first_placement=first_placement, share_first=False)
    for seat in range(4):
        cell = min(free)
        if seat < 3 or first_placement != "face_up":
            assert alone.targets("place") == free
            alone.act(seat, "place", cell)
            free = free - {cell}
        shared.act(seat, "place", 4 if first_placement == "face_up" else 2)
    assert [int(cell) for cell in shared.state["pawns"]] == [4 if first_placement == "face_up" else 2] * 4
    assert len({int(cell) for cell in alone.state["pawns"]}) == 4


def test_clv_19_later_moves_ask_for_a_card_without_a_pawn() -> None:
    assert not {0, 1} & laid((0, 1)).targets("move")
    assert 0 not in laid((0, 0)).targets("move")


def test_clv_20_who_lies_on_a_card_knows_its_face_and_goes_on_knowing_it() -> None:
    at = laid().act(0, "move", 13)
    assert at.named("look") == [{"seat": 0, "cell": 13, "face": "FT"}]
    assert at.known(0)[13] == "FT"
    assert 13 not in at.known(1)
    assert 13 not in at.open
    # Standing up elsewhere leaves the card face down (CLV-24).
    at.act(1, "reveal", 2).act(0, "declare", 11)
    assert at.known(0)[13] == "FT"
    assert 13 not in at.known(1)
    # Nobody looks at a card by standing on it.
    assert 11 not in at.known(0)


def test_clv_20_the_others_see_that_one_looks() -> None:
    at = laid().act(0, "move", 6)
    assert at.session.view(1)["looks"][0, 6] == 3
    assert at.session.view(1)["known"][6] == 0
    assert at.session.view(1)["pawns"][0] == 6


def test_clv_21_any_face_down_card_without_a_pawn_is_turned_up_and_the_pawn_stays() -> None:
    at = laid()
    assert at.targets("reveal") == CLOSED
    at.act(0, "reveal", 13)
    assert at.named("reveal") == [{"cell": 13, "face": "FT"}]
    assert at.open == {*OPEN, 13}
    assert at.known(0)[13] == at.known(1)[13] == "FT"
    assert [int(cell) for cell in at.state["pawns"][:2]] == [0, 1]
    assert at.seat == 1
    assert at.targets("reveal") == CLOSED - {13}


def test_clv_21_a_card_with_a_pawn_is_not_turned_up() -> None:
    at = laid((0, 1, 4)).act(0, "move", 6).act(1, "declare", 11)
    # 6 carries a lying pawn, 11 a standing one.
    assert at.targets("reveal") == CLOSED - {6, 11}
    at.act(2, "reveal", 2)
    assert at.seat == 0
    assert at.targets("reveal") == CLOSED - {2, 6, 11}  # its own pawn is one as well


def test_clv_22_a_move_goes_to_any_other_card_without_a_pawn() -> None:
    at = laid()
    assert at.targets("move") == {*range(16)} - {0, 1}
    at = laid((0, 1, 4)).act(0, "move", 6).act(1, "declare", 11)
    assert at.targets("move") == {*range(16)} - {4, 6, 11}


def test_clv_22_the_card_that_is_left_is_turned_up_if_it_was_face_down() -> None:
    at = laid().act(0, "move", 6)
    assert at.named("reveal") == []  # it came from an open one
    at.act(1, "move", 7).act(0, "move", 13)
    assert at.named("reveal") == [{"cell": 6, "face": "AV"}]
    assert at.known(1)[6] == "AV"
    assert at.open == {*OPEN, 6}
    assert [event["event"] for event in at.events[-5:]] == ["decision", "pawn", "look", "reveal", "turn"]
    at.act(1, "move", 0)
    assert at.named("reveal")[1:] == [{"cell": 7, "face": "MO"}]
    # From the crime-scene card, too.
    at.act(0, "move", 4)
    assert at.named("reveal")[2:] == [{"cell": 13, "face": "FT"}]


def test_clv_22_even_if_another_pawn_lies_on_it() -> None:
    at = against(first_placement="face_down").act(0, "place", 6).act(1, "place", 6).act(0, "move", 0)
    assert at.named("reveal") == [{"cell": 6, "face": "AV"}]
    assert at.state["pawns"][1] == 6


def test_clv_23_a_pawn_stands_on_any_target_without_a_standing_pawn() -> None:
    at = laid((0, 1, 4))
    assert at.targets("declare") == TARGETS  # also where it lies, and where others lie, face down and no suspects
    at.act(0, "declare", 0)
    assert at.targets("declare") == TARGETS - {0}
    at.act(1, "declare", "fled")
    assert at.choices() == {("declare", target) for target in TARGETS - {0, "fled"}}
    assert at.named("pawn")[3:] == [
        {"seat": 0, "owner": 0, "cell": 0, "standing": True},
        {"seat": 1, "owner": 1, "cell": "fled", "standing": True},
    ]


def test_clv_23_where_it_is_unless_another_stands_there() -> None:
    at = against().act(0, "place", 4).act(1, "place", 4).act(0, "declare", 4)
    assert 4 not in at.targets("declare")
    at = laid().act(0, "declare", 1)
    assert 1 not in at.targets("declare")
    assert 0 in at.targets("declare")  # nobody is there any more


@pytest.mark.parametrize("is_revealed", [False, True])
@pytest.mark.parametrize(("target", "is_left"), [(11, True), ("fled", True), (6, False)])
def test_clv_24_the_card_left_to_declare(is_revealed: bool, target: Target, is_left: bool) -> None:
    at = laid((0, 1, 4), reveal_on_declare=is_revealed)
    at.act(0, "move", 6).act(1, "reveal", 2).act(2, "reveal", 3).act(0, "declare", target)
    shown = [{"cell": 6, "face": "AV"}] if is_revealed and is_left else []
    assert at.named("reveal")[2:] == shown
    assert (6 in at.open) == bool(shown)
    # An open card is not turned up again.
    at.act(1, "declare", 7)
    assert at.named("reveal")[2:] == shown


def test_clv_25_who_has_declared_has_no_more_turns() -> None:
    at = laid((0, 1, 4, 5)).act(0, "reveal", 2).act(1, "declare", 6)
    at.act(2, "reveal", 3).act(3, "declare", 7).act(0, "reveal", 8).act(2, "reveal", 9).act(0, "declare", 11)
    assert (at.seat, at.named("verdict")) == (2, [])
    at.act(2, "declare", "fled")
    assert at.is_over
    assert len(at.named("verdict")) == 1


@pytest.mark.parametrize("first", [("reveal", 2), ("move", 2), ("move", 4), ("declare", 2)])
def test_clv_26_the_last_of_two_has_one_more_action_before_it_declares(first: Choice) -> None:
    at = laid().act(0, "reveal", 3).act(1, "reveal", 9).act(0, "declare", 11)
    assert at.targets("reveal") == CLOSED - {3, 9, 11}
    assert at.targets("move") == {*range(16)} - {1, 11}
    assert at.targets("declare") == TARGETS - {11}
    turn = int(at.state["turn"])
    at.act(1, *first)
    if first[0] == "declare":
        assert at.is_over
        return
    # A turn of its own; nobody acts in between.
    assert (at.seat, at.state["turn"]) == (1, turn + 1)
    assert at.choices() == {("declare", target) for target in TARGETS - {11}}
    assert at.act(1, "declare", 0).is_over


def test_clv_26_as_the_first_in_turn_too() -> None:
    at = laid().act(0, "reveal", 2).act(1, "declare", 11).act(0, "move", 9)
    assert (at.seat, at.choices()) == (0, {("declare", target) for target in TARGETS - {11}})


@pytest.mark.parametrize("seats", [3, 4])
def test_clv_26_the_last_of_more_can_only_declare(seats: int) -> None:
    at = laid((0, 1, 4, 5)[:seats])
    for seat in range(seats - 1):
        assert {word for word, _ in at.choices()} == {"reveal", "move", "declare"}
        at.act(seat, "declare", seat + 6)
    gone = {seat + 6 for seat in range(seats - 1)}
    assert at.choices() == {("declare", target) for target in TARGETS - gone}


def test_clv_27_nobody_declares_before_all_have_laid_their_pawns() -> None:
    for seats in (2, 3, 4):
        at = begun(seats)
        for turn in range(2 * seats):
            words = {word for word, _ in at.choices()}
            assert words == {"place"} if turn < seats else "declare" in words
            if turn < seats:
                at.session.apply(at.session.legal()[0])
            else:
                at.act(at.seat, "reveal", min(at.targets("reveal"), key=str))


WIDE = (0, 1, 2, 4, 5, 6, 8, 9)


def shift(at: Position, moves: int) -> Position:
    """Let so many moves follow, from open cards to open ones."""
    for _ in range(moves):
        at.act(at.seat, "move", min(cell for cell in WIDE if ("move", cell) in at.choices()))
    return at


def is_stalled(at: Position) -> bool:
    """Whether the seat in turn can only declare."""
    return {word for word, _ in at.choices()} == {"declare"}


@pytest.mark.parametrize(
    ("seats", "options", "limit"),
    [
        (2, {}, 4),
        (3, {}, 6),
        (4, {}, 8),
        (2, {"stall_limit": 1}, 1),
        (3, {"stall_limit": 5}, 5),
        (2, {"stall_limit": 100}, 100),
        (4, {"stall_limit": "2n"}, 8),
    ],
)
def test_clv_28_after_so_many_moves_that_change_nothing_all_must_declare(
    seats: int, options: dict[str, Any], limit: int
) -> None:
    at = shift(laid((0, 1, 2, 4)[:seats], WIDE, **options), limit - 1)
    assert not is_stalled(at)
    shift(at, 1)
    for _ in range(seats):  # for everyone until the end, without an extra action
        assert is_stalled(at)
        at.act(at.seat, "declare", min(at.targets("declare"), key=str))
    assert at.is_over
    assert at.rows()[0]["status"] == 0
    assert at.named("game_end")[0]["status"] == "finished"


@pytest.mark.parametrize("resetting", [("reveal", 15), ("move", 15)])
def test_clv_28_another_action_sets_the_count_back(resetting: Choice) -> None:
    at = shift(laid((0, 1, 2), WIDE), 5).act(2, *resetting)
    if resetting[0] == "move":
        at.act(0, "reveal", 3).act(1, "reveal", 7)
        # Leaving the face-down card 15 sets it back as well.
        shift(at, 1)
        assert at.named("reveal")[-1] == {"cell": 15, "face": "S2"}
    shift(at, 5)
    assert not is_stalled(at)
    assert is_stalled(shift(at, 1))


def test_clv_28_a_move_that_leaves_a_face_down_card_sets_the_count_back() -> None:
    at = laid((0, 1, 2), WIDE).act(0, "move", 15)
    shift(at, 2)  # seats 1 and 2
    shift(at, 1)  # seat 0 leaves 15
    assert at.state["pawns"][0] in WIDE
    shift(at, 5)
    assert not is_stalled(at)
    assert is_stalled(shift(at, 1))


def test_clv_28_a_declaration_sets_the_count_back_and_all_players_count() -> None:
    at = shift(laid((0, 1, 2), WIDE), 5).act(2, "declare", "fled")
    shift(at, 5)  # 2n is 6, though two are left
    assert not is_stalled(at)
    assert is_stalled(shift(at, 1))


def test_clv_28_clv_26_the_extra_action_lapses() -> None:
    at = shift(laid((0, 1), WIDE), 4).act(0, "declare", "fled")
    assert is_stalled(at)
    # And it is an extra action otherwise: a move that changes nothing.
    at = shift(laid((0, 1), WIDE), 2).act(0, "declare", "fled")
    assert is_stalled(shift(at, 1))


# ── Competitive game: the end ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("picture", "targets", "right"),
    [
        (X1, [11, 10], [0]),
        (X1, [10, 11], [1]),
        (X1, [10, "fled"], []),
        (X2, [5, "fled"], [1]),
        (X2, ["fled", 5, 4], [0]),
        (X2, [0, 1, 2, 3], []),
        (X1, [0, 1, 2, 11], [3]),
    ],
)
def test_clv_29_who_stands_on_the_culprit_wins(picture: str, targets: list[Target], right: list[int]) -> None:
    at = declared(picture, *targets)
    (verdict,) = at.named("verdict")
    assert verdict["board"] == picture.split()
    assert verdict["winners"] == right
    assert verdict["effective"] is None
    (end,) = at.named("game_end")
    scores = [int(seat in right) for seat in range(len(targets))]
    places = [1 if not right or seat in right else 2 for seat in range(len(targets))]
    assert (end["scores"], end["places"], end["winners"]) == (scores, places, right)
    _, rows = at.rows()
    assert [row["score"] for row in rows] == scores
    assert [row["place"] for row in rows] == places
    assert [row["win_share"] for row in rows] == [SHARE * score for score in scores]
    assert [row["was_right"] for row in rows] == scores
    assert [row["declared"] for row in rows] == [16 if target == "fled" else target for target in targets]


def test_clv_29_at_most_one_is_right() -> None:
    table = make("clueverge", "random", 4)
    _, rows, _ = Player(table).play(0, 2000)
    right = rows[:, 9].reshape(-1, 4).sum(axis=1)
    assert set(right.tolist()) == {0, 1}
    assert set(map(tuple, rows[:, [3, 5, 9]].tolist())) == {(0, 0, 0), (1, SHARE, 1)}


def test_clv_30_a_series_goes_on_until_somebody_was_right_twice() -> None:
    at = begun(3, {"first_to_two": True})
    for winner in (0, 2, None, 0):
        assert not at.is_over
        play_out(at, winner)
    assert at.is_over
    verdicts = at.named("verdict")
    assert [verdict["winners"] for verdict in verdicts] == [[0], [2], [], [0]]
    assert [verdict["victories"] for verdict in verdicts] == [[1, 0, 0], [1, 0, 1], [1, 0, 1], [2, 0, 1]]
    assert at.named("game_end") == [{"status": "finished", "scores": [2, 0, 1], "places": [1, 3, 2], "winners": [0]}]
    games, rows = at.rows()
    assert (games["status"], games["series_games"]) == (0, 4)
    assert [(row["score"], row["place"], row["win_share"]) for row in rows] == [(2, 1, SHARE), (0, 3, 0), (1, 2, 0)]


def test_clv_30_without_it_one_game_is_all() -> None:
    at = play_out(begun(3), 1)
    assert at.is_over
    assert at.rows()[0]["series_games"] == 1


def test_clv_30_each_game_is_set_up_anew() -> None:
    at = begun(4, {"first_to_two": True})
    for game in range(1, 6):
        assert at.named("set_up")[-1]["game"] == game
        assert (at.state["turn"], at.state["undeclared"], len(at.open)) == (1, 4, 4)
        assert {int(cell) for cell in at.state["pawns"]} == {17}
        assert all(set(at.known(seat)) == at.open for seat in range(4))
        assert not at.session.view()["looks"].any()
        play_out(at, None)
    assert len({tuple(laid_out["board"]) for laid_out in at.named("set_up")}) == len(at.named("set_up"))


def test_clv_30_a_new_start_player_is_drawn_for_each_game() -> None:
    starts: list[int] = []
    changes = 0
    for at in deals(6, 3, {"first_to_two": True}):
        while not at.is_over:
            play_out(at, None)
        drawn = [start["seat"] for start in at.named("start")]
        assert all(start["chance"] for start in at.named("start"))
        starts += drawn
        changes += sum(one != other for one, other in pairwise(drawn))
    # 200 each of 600, deviation sqrt(600 * 2/9) < 11.6; a change 2/3 of 594, the same deviation; five of them.
    assert all(abs(starts.count(seat) - 200) < 58 for seat in range(3))
    assert abs(changes - 396) < 58


@pytest.mark.parametrize("winner", [None, 1])
def test_clv_30_a_series_is_capped_after_100_games(winner: int | None) -> None:
    at = play_out(begun(2, {"first_to_two": True}), winner)
    for game in range(2, 101):
        assert not at.is_over
        assert at.named("set_up")[-1]["game"] == game
        play_out(at, None)
    assert at.is_over
    (end,) = at.named("game_end")
    games, rows = at.rows()
    scores = [0, int(winner == 1)]
    places = [2, 1] if winner else [1, 1]
    assert end == {"status": "capped", "scores": scores, "places": places, "winners": []}
    assert (games["status"], games["series_games"]) == (1, 100)
    assert [(row["score"], row["place"], row["win_share"]) for row in rows] == [
        (score, place, 0) for score, place in zip(scores, places, strict=True)
    ]


def test_clv_30_the_hundredth_game_may_end_it_by_the_rules() -> None:
    at = play_out(begun(2, {"first_to_two": True}), 0)
    for _ in range(98):
        play_out(at, None)
    games, rows = play_out(at, 0).rows()
    assert (games["status"], games["series_games"]) == (0, 100)
    assert [row["win_share"] for row in rows] == [SHARE, 0]


# ── Cooperative game ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_clv_31_unused_pawns_lie_beside_the_grid(seats: int) -> None:
    at = together(seats)
    assert at.state["unused"] == 4 - seats
    for _ in range(4 - seats):
        at.act(at.seat, "unused", 2)
    assert at.targets("unused") == set()
    assert at.state["unused"] == 0


def test_clv_31_the_last_of_two_has_no_extra_action_but_what_there_is() -> None:
    at = together().act(0, "unused", 2).act(1, "unused", 2).act(0, "place", 3).act(1, "place", 6).act(0, "declare", 11)
    assert at.choices() == {("declare", target) for target in TARGETS}
    # While there are unused pawns it may go on, as ever.
    at = together().act(0, "place", 3).act(1, "place", 6).act(0, "declare", 11)
    assert {word for word, _ in at.choices()} == {"unused", "declare"}
    at.act(1, "unused", 7).act(1, "unused", 7)
    assert {word for word, _ in at.choices()} == {"declare"}


def test_clv_32_unused_pawn_own_pawn_or_declaration() -> None:
    at = together()
    investigation_cells = {*range(16)} - {13}
    assert at.choices() == {("unused", cell) for cell in investigation_cells} | {("place", cell) for cell in CLOSED}
    at.act(0, "place", 13)  # the crime-scene card, for the own pawn
    assert at.named("look") == [{"seat": 0, "cell": 13, "face": "FT"}]
    at.act(1, "unused", 6)
    assert at.named("look")[1:] == [{"seat": 1, "cell": 6, "face": "AV"}]  # the acting player looks
    assert at.named("pawn")[1] == {"seat": 1, "owner": None, "cell": 6, "standing": False}
    assert at.choices() == {("unused", cell) for cell in investigation_cells} | {
        ("declare", target) for target in TARGETS
    }
    at.act(0, "declare", 13)
    assert {word for word, _ in at.choices()} == {"unused", "place"}  # no declaration without the own pawn on a card
    assert [(6 in at.known(seat), 13 in at.known(seat)) for seat in (0, 1)] == [(False, True), (True, False)]


@pytest.mark.parametrize("face_up", [True, False])
def test_clv_33_an_unused_pawn_on_a_face_up_card(face_up: bool) -> None:
    at = together(coop_u_face_up=face_up)
    assert at.targets("unused") == ({*range(16)} - {13} if face_up else CLOSED - {13})
    assert at.targets("place") == CLOSED
    if face_up:
        at.act(0, "unused", 4)
        assert (at.named("look"), at.named("reveal"), at.seat) == ([], [], 1)


@pytest.mark.parametrize("share", [True, False])
def test_clv_33_pawns_that_share_a_card(share: bool) -> None:
    at = together(3, coop_share=share).act(0, "place", 2).act(1, "unused", 3).act(2, "place", 6)
    at.act(0, "declare", 14)
    taken = set() if share else {3, 6, 14}  # seat 0's pawn stands in 14 now
    assert at.targets("place") == CLOSED - taken
    at = together(2, coop_share=share).act(0, "place", 2).act(1, "place", 3 if not share else 2).act(0, "declare", 14)
    taken = set() if share else {3, 14}
    assert at.targets("unused") == {*range(16)} - {13} - taken
    # Declaring is not laying: several stand on a card in any case.
    assert at.targets("declare") == TARGETS


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_clv_34_nothing_is_turned_up_before_the_end_and_there_is_no_move(seats: int) -> None:
    rng = np.random.default_rng(seats)
    for at in deals(25, seats, {"mode": "coop", "reveal_on_declare": True}):
        opened = at.open
        words = set()
        while not at.is_over:
            words |= {word for word, _ in at.choices()}
            at.session.apply(forced(at.session, rng))
            assert at.open == opened
        assert words <= {"unused", "place", "declare"}
        assert at.named("reveal") == []
        assert (at.rows()[0]["reveals"], at.rows()[0]["moves"]) == (0, 0)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_clv_34_p_5_a_game_lasts_2n_to_n_plus_4_turns(seats: int) -> None:
    turns = set(played(20_000, seats, {"mode": "coop"})["turns"].tolist())
    assert turns == set(range(2 * seats, seats + 4 + 1))


def test_clv_34_without_a_pawn_to_lay_a_player_must_declare() -> None:
    at = together(4)
    for seat in range(4):
        assert {word for word, _ in at.choices()} == {"place"}
        at.act(seat, "place", 3)
    for seat in range(4):
        assert at.choices() == {("declare", target) for target in TARGETS}
        at.act(seat, "declare", 11)
    assert at.is_over


def agreed(targets: Sequence[Target], first: int = 0) -> Position:
    """A cooperative game on the board X1 in which the seats, from the `first` on, declare on these targets."""
    seats = len(targets)
    at = together(seats, first=first)
    order = [(first + turn) % seats for turn in range(seats)]
    for seat in order:
        at.act(seat, "place", 2)
    for seat, target in zip(order, targets, strict=True):
        at.act(seat, "declare", target)
    return at


@pytest.mark.parametrize(
    ("targets", "effective"),
    [
        ([5, 5], 5),
        ([11, 5], 5),
        ([5, 11], 11),
        (["fled", 11], 11),
        ([11, "fled"], "fled"),
        ([11, 11, 5], 11),
        ([5, 11, 11], 11),
        ([11, 5, 11], 11),
        ([5, 6, 11], 11),
        ([11, 5, 6], 6),
        ([5, 11, 5, 11], 11),
        ([11, 5, 5, 11], 11),
        ([5, 11, 11, 5], 5),
        ([11, 5, 11, 5], 5),
        ([11, 11, 5, 6], 11),
        ([5, 6, 11, 11], 11),
        ([11, 5, 11, 6], 11),
        ([5, 6, 7, 11], 11),
        (["fled", "fled", "fled", 11], "fled"),
        ([11, "fled", 11, "fled"], "fled"),
        ([11, 11, 11, 11], 11),
    ],
)
@pytest.mark.parametrize("first", [0, 1])
def test_clv_35_clv_37_most_standing_pawns_or_the_last_of_those_decide_for_all(
    targets: list[Target], effective: Target, first: int
) -> None:
    at = agreed(targets, first)
    seats = len(targets)
    (verdict,), (end,) = at.named("verdict"), at.named("game_end")
    is_won = effective == 11  # S4, the culprit of X1
    assert verdict["effective"] == effective
    assert verdict["winners"] == end["winners"] == (list(range(seats)) if is_won else [])
    assert end["places"] == [1] * seats
    _, rows = at.rows()
    assert [row["score"] for row in rows] == [int(is_won)] * seats
    assert [row["win_share"] for row in rows] == [SHARE // seats if is_won else 0] * seats
    said = {(first + turn) % seats: target for turn, target in enumerate(targets)}
    assert [row["was_right"] for row in rows] == [int(said[seat] == 11) for seat in range(seats)]


def test_clv_36_among_at_most_four_a_tie_takes_in_whoever_declared_last() -> None:
    rng = np.random.default_rng(36)
    for _ in range(150):
        targets = [int(target) for target in rng.integers(5, 5 + 3, int(rng.integers(2, 5)))]
        counts = Counter(targets)
        best = [target for target, count in counts.items() if count == max(counts.values())]
        expected = best[0] if len(best) == 1 else targets[-1]
        assert len(best) == 1 or set(best) == set(targets)
        assert agreed(targets).named("verdict")[0]["effective"] == expected


def test_clv_37_all_win_where_it_has_fled_and_that_was_declared() -> None:
    at = stand(X2, (4,), seats=2, options={"mode": "coop"}).act(0, "place", 0).act(1, "place", 0)
    at.act(0, "declare", 5).act(1, "declare", "fled")
    assert winners(at) == [0, 1]


@pytest.mark.parametrize("seats", [1, 2])
def test_clv_37_otherwise_all_have_lost(seats: int) -> None:
    at = together(seats)
    for seat in range(seats):
        at.act(seat, "place", 2)
    for seat in range(seats):
        at.act(seat, "declare", 5)
    assert [row["lost"] for row in at.rows()[1]] == [1] * seats


# ── Solo game ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_clv_38_own_pawn_and_three_unused_ones_and_what_is_looked_at_is_turned_up() -> None:
    at = together(1)
    assert at.state["unused"] == 3
    assert at.targets("place") == CLOSED
    assert at.targets("unused") == {*range(16)} - {13}
    assert at.targets("declare") == set()
    at.act(0, "unused", 6)
    assert at.named("reveal") == [{"cell": 6, "face": "AV"}]
    assert at.named("look") == []
    assert at.known(0)[6] == "AV"
    # The own pawn cannot go to such a card any more, an unused one may.
    assert at.targets("place") == CLOSED - {6}
    assert 6 in at.targets("unused")
    at.act(0, "place", 13)
    assert at.named("reveal")[1:] == [{"cell": 13, "face": "FT"}]
    at.act(0, "unused", 6).act(0, "unused", 14)
    assert at.choices() == {("declare", target) for target in TARGETS}
    at.act(0, "declare", 11)
    assert at.is_over
    assert at.rows()[1][0]["win_share"] == SHARE
    assert at.rows()[0]["reveals"] == 3


def test_clv_38_at_most_four_looks_and_one_of_the_crime_scene() -> None:
    looks, scenes = Counter[int](), 0
    rng = np.random.default_rng(38)
    for at in deals(150, 1):
        scene = int(at.state["scene_cell"])
        while not at.is_over:
            assert scene not in at.targets("unused")
            at.session.apply(forced(at.session, rng))
        cells = [event["cell"] for event in at.named("reveal")]
        looks[len(cells)] += 1
        scenes += scene in cells
    assert max(looks) == 4
    assert scenes > 0


@pytest.mark.parametrize(("share", "face_up"), [(True, True), (True, False), (False, True), (False, False)])
def test_clv_38_clv_33_sharing_and_face_up_cards_alone(share: bool, face_up: bool) -> None:
    at = together(1, coop_share=share, coop_u_face_up=face_up).act(0, "place", 2)
    free = {*range(16)} - {13}
    if not share:
        free -= {2}
    if not face_up:
        free -= {*OPEN, 2}
    assert at.targets("unused") == free


@pytest.mark.parametrize("difficulty", [0, 1, 2, 3])
def test_clv_39_unused_pawns_fewer(difficulty: int) -> None:
    at = together(1, solo_difficulty=difficulty).act(0, "place", 2)
    for cell in (3, 6, 7)[: 3 - difficulty]:
        assert at.targets("declare") == TARGETS
        at.act(0, "unused", cell)
    assert at.choices() == {("declare", target) for target in TARGETS}
    assert len(at.named("reveal")) == 4 - difficulty


def test_clv_40_looking_is_optional() -> None:
    at = together(1)
    assert at.targets("declare") == set()
    at.act(0, "place", 11)
    assert at.targets("declare") == TARGETS
    at.act(0, "declare", 11)
    assert at.is_over
    assert winners(at) == [0]
    assert at.rows()[0]["turns"] == 2


FILE = ("0 1 2 3 4 5 6 7", "15 10 5 0 12 9 7 2")


@pytest.mark.parametrize(
    ("options", "cards"),
    [
        ({}, [0, 1, 2, 3, 4]),
        ({"challenge_games": 3}, [card for card in range(5) for _ in range(3)]),
        ({"case_cards": FILE}, [0, 1]),
        ({"case_cards": FILE, "challenge_games": 2}, [0, 0, 1, 1]),
    ],
)
@pytest.mark.parametrize("is_failed", [False, True])
def test_clv_41_the_challenge_goes_through_the_case_cards(
    options: dict[str, Any], cards: list[int], is_failed: bool
) -> None:
    at = begun(1, {"challenge": True, **options})
    for game in range(len(cards)):
        assert not at.is_over
        play_out(at, None if is_failed and game == 1 else 0)
    assert at.is_over
    last = {
        laid_out["game"]: case["card"] for laid_out, case in zip(*map(at.named, ("set_up", "case_card")), strict=True)
    }
    assert [last[game] for game in range(1, len(cards) + 1)] == cards
    assert len({tuple(laid_out["board"]) for laid_out in at.named("set_up")}) >= len(cards)
    games, (row,) = at.rows()
    victories = len(cards) - is_failed
    assert (games["status"], games["series_games"]) == (0, len(cards))
    assert (row["score"], row["place"], row["win_share"]) == (victories, 1, 0 if is_failed else SHARE)
    assert at.named("game_end") == [
        {"status": "finished", "scores": [victories], "places": [1], "winners": [] if is_failed else [0]}
    ]


def test_clv_41_without_it_one_game_is_all() -> None:
    assert play_out(begun(1), None).rows()[0]["series_games"] == 1


def test_clv_41_clv_16_the_challenge_keeps_its_card_where_a_set_up_is_redone() -> None:
    # With these arrows many are: about every twelfth.
    options = {"challenge": True, "alibi_arrows": "cross", "motive_arrows": "split", "challenge_games": 2}
    redone = 0
    for at in deals(60, 1, options):
        while not at.is_over:
            play_out(at, None)
        for laid_out, case in zip(at.named("set_up"), at.named("case_card"), strict=True):
            assert case["card"] == (laid_out["game"] - 1) // 2
        redone += len(at.named("redo"))
    assert redone > 10


def test_clv_41_orientation_and_layout_differ_from_game_to_game() -> None:
    at = begun(1, {"challenge": True, "case_cards": FILE[1:], "challenge_games": 30})
    while not at.is_over:
        play_out(at, None)
    assert len({case["orientation"] for case in at.named("case_card")}) == 8
    assert {laid_out["crime_scene"] for laid_out in at.named("set_up")} == set(SCENES)


# ── Worked examples ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("arrows", ["split", "cross"])
def test_clv_x1_culprit_4(arrows: str) -> None:
    at = declared(X1, 15, 11, alibi_arrows=arrows)
    (verdict,) = at.named("verdict")
    assert (verdict["culprit"], verdict["target"], verdict["winners"]) == (4, 11, [1])
    # S2 is the other candidate: the culprit where S1 and S4 are exchanged.
    assert culprit(X1.replace("S1", "S0").replace("S4", "S1").replace("S0", "S4"), alibi_arrows=arrows) == 2
    # In the place of S3, which has an alibi, or of S1, which has no motive, S6 is none.
    assert culprit(X1.replace("S3", "S0").replace("S6", "S3").replace("S0", "S6"), alibi_arrows=arrows) == 4
    assert culprit(X1.replace("S1", "S0").replace("S6", "S1").replace("S0", "S6"), alibi_arrows=arrows) == 4


@pytest.mark.parametrize("arrows", ["split", "cross"])
def test_clv_x2_fled(arrows: str) -> None:
    at = declared(X2, 15, "fled", alibi_arrows=arrows)
    (verdict,) = at.named("verdict")
    assert (verdict["culprit"], verdict["target"], verdict["winners"]) == (0, "fled", [1])
    assert at.rows()[0]["culprit"] == 0


TWIST = "AV {} WE MO   S6 MO AH S3   S5 S4 CL S1   CL S2 WE FT"


@pytest.mark.parametrize(("scene", "number", "cell"), [("PT", 1, 11), ("S7", 4, 9)])
@pytest.mark.parametrize("arrows", ["split", "cross"])
def test_clv_e1_plot_twist(scene: str, number: int, cell: int, arrows: str) -> None:
    at = declared(TWIST.format(scene), 13, cell, alibi_arrows=arrows)
    (verdict,) = at.named("verdict")
    assert (verdict["culprit"], verdict["target"], verdict["winners"]) == (number, cell, [1])


@pytest.mark.parametrize("arrows", ["split", "cross"])
def test_clv_e2_no_blocking_and_diagonals(arrows: str) -> None:
    assert culprit("MO S5 WE S6   CL FT MO S4   S3 CL AH S1   WE PT AV S2", alibi_arrows=arrows) == 6


@pytest.mark.parametrize("arrows", ["split", "cross"])
def test_clv_e3_false_testimony_kills_an_alibi(arrows: str) -> None:
    assert culprit("S1 CL WE S6   S2 S5 AH S4   WE S3 FT MO   PT MO CL AV", alibi_arrows=arrows) == 5
    # If it did nothing to the alibi, as in (3,3), from where it still voids the motive in (2,3), the result would be
    # fled: the alibi in (1,2) clears S5.
    assert culprit("S1 CL WE S6   S2 S5 AH S4   WE S3 AV MO   PT MO CL FT", alibi_arrows=arrows) == 0


@pytest.mark.parametrize("arrows", ["split", "cross"])
def test_clv_e4_two_false_testimonies_on_one_card(arrows: str) -> None:
    assert culprit("AH CL WE S1   FT MO S6 S5   WE FT S2 CL   MO AV S4 S3", alibi_arrows=arrows) == 4


@pytest.mark.parametrize(("arrows", "number"), [("split", 2), ("cross", 0)])
def test_clv_e5_alibi_option(arrows: str, number: int) -> None:
    assert culprit("S5 S1 CL S6   S3 MO AV MO   WE AH WE CL   S4 S2 S7 FT", alibi_arrows=arrows) == number


@pytest.mark.parametrize("extra", [("reveal", 2), ("move", 14)])
def test_clv_e6_two_players_after_one_declared_in_its_second_turn(extra: Choice) -> None:
    at = laid().act(0, "declare", 10)  # S6
    assert {word for word, _ in at.choices()} == {"reveal", "move", "declare"}
    assert 10 not in at.targets("declare")
    at.act(1, *extra)
    assert at.choices() == {("declare", target) for target in TARGETS - {10}}


def test_clv_e7_three_players_two_have_declared() -> None:
    at = laid((0, 1, 4)).act(0, "declare", 10).act(1, "declare", "fled")
    assert at.choices() == {("declare", target) for target in TARGETS - {10, "fled"}}


def test_clv_e8_a_lying_pawn_of_another_hinders_revealing_and_moving_but_not_declaring() -> None:
    at = laid((0, 1), (0, 1, 4)).act(0, "move", 5)
    assert ("declare", 5) in at.choices()
    assert not {("reveal", 5), ("move", 5)} & at.choices()


@pytest.mark.parametrize(
    ("targets", "effective"),
    [([5, 6, 5, 6], 6), ([5, 5, 6], 5), ([5, 6, 7], 7), (["fled", 5], 5)],
)
def test_clv_e9_the_effective_declaration(targets: list[Target], effective: Target) -> None:
    assert agreed(targets).named("verdict")[0]["effective"] == effective


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        ("WE S1 CL ..   S3 S4 S5 CL   .. .. .. ??   WE .. .. ..", False),
        ("WE S1 CL ..   S3 .. S5 S6   .. .. .. ??   WE .. .. S2", True),
    ],
)
def test_clv_e10_evident_or_to_be_checked_exactly(picture: str, expected: bool) -> None:
    at = partly_open(picture)
    assert len(at.open) == 8
    assert bool(is_solvable(at.session._record)) == expected


def test_clv_e11_case_card_c1_with_the_crime_scene_in_12() -> None:
    ways = held(CASES[0])
    assert ways[0][:4] == [12, 8, 1, 6]
    assert ways[4][:4] == [15, 11, 2, 5]
    seen = set()
    for at in deals(1600, 4, {"redo": "off"}):
        (case,), (laid_out,) = at.named("case_card"), at.named("set_up")
        if case["card"] == 0 and laid_out["cell"] == 12:
            seen.add(tuple(case["cells"]))
    # About 1600 / 80 = 20 deals, in 6 orientations (8 without those that open cell 12 among the first four).
    assert (12, 8, 1, 6) not in seen
    assert (15, 11, 2, 5) in seen
    assert all(12 not in cells for cells in seen)


def test_clv_e12_solo_with_difficulty_1_after_three_looks() -> None:
    at = together(1, solo_difficulty=1).act(0, "unused", 2).act(0, "place", 3).act(0, "unused", 6)
    assert at.choices() == {("declare", target) for target in TARGETS}


# ── Decision points (RULES.md 8) ─────────────────────────────────────────────────────────────────────────────────────


def numbers(places: Sequence[int] = (), others: Sequence[int] = (), targets: Sequence[int] = ()) -> list[int]:
    """The numbers of actions: cells to lay the own pawn on, cells of the second kind, and targets."""
    return [*places, *(OTHER + cell for cell in others), *(DECLARE + target for target in targets)]


def test_decision_points_of_the_competitive_game_in_their_order() -> None:
    at = against(3)
    assert at.session.legal() == numbers(OPEN)
    at.act(0, "place", 0).act(1, "place", 1).act(2, "place", 4)
    free = [cell for cell in range(16) if cell not in (0, 1, 4)]
    assert at.session.legal() == numbers(free, sorted(CLOSED), range(17))
    at.act(0, "declare", 7)
    free.remove(7)
    assert at.session.legal() == numbers(
        sorted([*free, 0]), sorted(CLOSED - {7}), [target for target in range(17) if target != 7]
    )


@pytest.mark.parametrize("seats", [1, 2, 4])
def test_decision_points_of_the_cooperative_and_the_solo_game_in_their_order(seats: int) -> None:
    at = together(seats)
    cells = [cell for cell in range(16) if cell != 13] if seats < 4 else []
    assert at.session.legal() == numbers(sorted(CLOSED), cells)
    for seat in range(seats):
        at.act(seat, "place", 2)
    assert at.session.legal() == numbers([], cells, range(17))


def test_decisions_tell_how_many_actions_were_legal() -> None:
    for seats, options in ((3, {}), (2, {"mode": "coop"}), (1, {})):
        rng = np.random.default_rng(seats)
        at = begun(seats, options)
        counts = []
        while not at.is_over:
            counts.append(len(at.session.legal()))
            at.session.apply(forced(at.session, rng))
        assert [event["legal"] for event in at.named("decision")] == counts
        assert at.state["decisions"] == len(counts)


def test_illegal_actions_are_refused_and_change_nothing() -> None:
    for at in (against(), laid(), laid().act(0, "declare", 3), together(), together(1)):
        before = at.state.tobytes()
        legal = at.session.legal()
        for action in [*range(-3, 80), 2**40, -(2**40)]:
            if action not in legal:
                with pytest.raises(IllegalAction, match=f"^Action {action} is not legal for seat {at.seat} in phase"):
                    at.session.apply(action)
        assert at.state.tobytes() == before


def test_a_fourth_placement_with_one_card_left_is_not_asked() -> None:
    at = against(4, share_first=False, first=2)
    at.act(2, "place", 4).act(3, "place", 0).act(0, "place", 5)
    assert at.seat == 2
    assert at.named("pawn")[3] == {"seat": 1, "owner": 1, "cell": 1, "standing": False}
    assert len(at.named("decision")) == at.state["decisions"] == 3
    assert [event["turn"] for event in at.named("turn")] == [1, 2, 3, 4, 5]
    # One more open card, or sharing, and it is asked.
    at = against(4, (*OPEN, 2), share_first=False).act(0, "place", 4).act(1, "place", 0).act(2, "place", 5)
    assert (at.seat, at.targets("place")) == (3, {1, 2})
    at = against(4).act(0, "place", 4).act(1, "place", 0).act(2, "place", 5)
    assert (at.seat, at.targets("place")) == (3, set(OPEN))


def test_placements_with_one_open_card_are_not_asked_at_all() -> None:
    at = begun(3, {"open_cards": 1})
    (cell,) = at.open
    assert [int(pawn) for pawn in at.state["pawns"][:3]] == [cell] * 3
    assert (at.state["turn"], at.state["decisions"]) == (4, 0)
    assert at.seat == at.named("start")[0]["seat"]


def test_a_last_face_down_card_is_not_asked_for_alone() -> None:
    # All but 13, the crime-scene card, 14 and 15 are open; the unused pawns turn up the last two.
    at = together(1, range(13), coop_u_face_up=False, solo_difficulty=1)
    at.act(0, "unused", 14).act(0, "unused", 15)
    assert at.state["pawns"][0] == 13
    assert at.choices() == {("declare", target) for target in TARGETS}
    assert at.state["decisions"] == 2


def frequencies(at: Position, draws: int) -> Counter[Choice]:
    """How often the bot of the deciding seat chooses what, with so many words of its own."""
    deciders = at.session.table.deciders()
    chosen: Counter[Choice] = Counter()
    for number in range(draws):
        at.state["asked"][at.seat] = number
        at.session._look()
        chosen[at._choice(at.session.answer(deciders))] += 1
    return chosen


@pytest.mark.parametrize(
    "make_position",
    [
        pytest.param(lambda: against(2, WIDE), id="place"),
        pytest.param(laid, id="act"),
        pytest.param(lambda: laid((0, 1, 4)).act(0, "declare", 5).act(1, "declare", 6), id="declare"),
        pytest.param(together, id="together"),
        pytest.param(lambda: together(1).act(0, "place", 2), id="alone"),
    ],
)
def test_random_chooses_uniformly_among_what_is_offered(make_position: Callable[[], Position]) -> None:
    at = make_position()
    options = len(at.session.legal())
    chosen = frequencies(at, 100 * options)
    assert set(chosen) == at.choices()
    # 100 each; chi-square with one less than the options degrees of freedom; five deviations.
    freedom = options - 1
    assert sum((count - 100) ** 2 / 100 for count in chosen.values()) < freedom + 5 * (2 * freedom) ** 0.5


# ── What a user can get wrong ────────────────────────────────────────────────────────────────────────────────────────


def refused(seats: int = 2, **options: Any) -> str:
    """The message with which options are refused."""
    with pytest.raises(SpecError) as caught:
        make_spec(load_game("clueverge"), seats, options)
    return str(caught.value)


@pytest.mark.parametrize(("seats", "too"), [(0, "few"), (5, "many")])
def test_bad_input_seats(seats: int, too: str) -> None:
    with pytest.raises(SpecError, match=f"^Clueverge is played by 1 to 4 seats; {seats} are too {too}\\.$"):
        make_job(load_game("clueverge"), seats=seats, deals=1)


@pytest.mark.parametrize(
    ("seats", "mode", "message"),
    [
        (2, "solo", "solo, which is for 1 seat; with 2 seats it is competitive or coop."),
        (4, "solo", "solo, which is for 1 seat; with 4 seats it is competitive or coop."),
        (1, "coop", "coop, which is for 2 to 4 seats; with 1 seat it is solo."),
        (1, "competitive", "competitive, which is for 2 to 4 seats; with 1 seat it is solo."),
    ],
)
def test_bad_input_a_mode_that_does_not_fit_the_seats(seats: int, mode: str, message: str) -> None:
    assert refused(seats, mode=mode) == f"Option 'mode' is {message}"


def test_mode_follows_from_the_seats() -> None:
    for seats, code in ((1, 2), (2, 0), (3, 0), (4, 0)):
        assert set(played(3, seats)["mode"].tolist()) == {code}
    assert set(played(3, 4, {"mode": "coop"})["mode"].tolist()) == {1}
    for seats, mode in ((1, "solo"), (2, "competitive")):
        assert played(50, seats, {"mode": mode})["culprit"].tolist() == played(50, seats)["culprit"].tolist()


IS_NO_CASE = (
    "is no case card. A case card is eight cells, numbers from 0 to 15, the highest number of the card first, as in "
    "'12 8 1 6 9 3 14 7'."
)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("0 1 2 3 4 5 6", id="7 cells"),
        pytest.param("0 1 2 3 4 5 6 7 8", id="9 cells"),
        pytest.param("0 1 2 3 4 5 6 16", id="cell 16"),
        pytest.param("0 1 2 3 4 5 6 -7", id="negative"),
        pytest.param("0 1 2 3 4 5 6 seven", id="letters"),
        pytest.param("0,1,2,3,4,5,6,7", id="commas"),
        pytest.param("0 1 2 3 4 5 6 ７", id="another digit"),
        pytest.param("0 1 2 3 4 5 6 7.0", id="fraction"),
        pytest.param("0 1 2 3 4 5 6 007", id="three digits"),
        pytest.param("", id="empty"),
    ],
)
@pytest.mark.parametrize("number", [1, 3])
def test_bad_input_a_wrong_line_of_case_cards_is_named(line: str, number: int) -> None:
    cards = [FILE[0]] * 4
    cards[number - 1] = line
    assert refused(case_cards=cards) == f"Option 'case_cards', card {number}: '{line}' {IS_NO_CASE}"


def test_bad_input_a_line_that_is_long_is_cut() -> None:
    assert refused(case_cards=["9" * 1000]) == f"Option 'case_cards', card 1: '{'9' * 40}' {IS_NO_CASE}"


@pytest.mark.parametrize(
    ("line", "cell"), [("0 1 2 3 4 5 6 0", 0), ("7 8 9 9 10 11 12 13", 9), ("1 2 3 4 5 6 7 07", 7)]
)
def test_bad_input_a_cell_that_is_there_twice_is_named(line: str, cell: int) -> None:
    assert refused(case_cards=[FILE[0], line]) == (
        f"Option 'case_cards', card 2: cell {cell} is there twice; the eight cells of a card differ."
    )


@pytest.mark.parametrize(
    ("line", "count", "seats", "scene"),
    [
        ("0 3 12 15 1 2 4 5", 4, 4, 0),
        ("0 3 12 15 1 2 4 5", 8, 2, 0),
        ("0 3 5 12 1 15 4 2", 6, 3, 0),
        ("5 6 9 10 1 2 4 0", 8, 2, 5),
        ("1 2 4 7 8 11 13 14", 8, 2, 1),
    ],
)
def test_bad_input_case_cards_that_cannot_keep_the_crime_scene_covered(
    line: str, count: int, seats: int, scene: int
) -> None:
    assert refused(seats, case_cards=[FILE[0], line]) == (
        f"Option 'case_cards', card 2: its first {count} cells hold every corner, every edge or every centre, so a "
        f"crime-scene card in cell {scene} could not stay covered, however the card is turned."
    )
    # With fewer of its cells open it does.
    make_spec(load_game("clueverge"), seats, {"case_cards": [FILE[0], line], "open_cards": 3})


@pytest.mark.parametrize("count", [0, 101])
def test_bad_input_a_case_card_file_has_1_to_100_cards(count: int) -> None:
    assert refused(case_cards=FILE[:1] * count) == f"Option 'case_cards' has {count} cards; allowed are 1 to 100."


def test_a_case_card_file_may_have_100_cards() -> None:
    make_spec(load_game("clueverge"), 2, {"case_cards": FILE[:1] * 100})


@pytest.mark.parametrize("value", ["default6", 7])
def test_bad_input_case_cards_that_are_no_word_and_no_file(value: Any) -> None:
    assert refused(case_cards=value) == (
        f"Option 'case_cards' is {value!r}; allowed: default5, random, or a file with one card a line."
    )


@pytest.mark.parametrize("difficulty", [4, -1])
def test_bad_input_solo_difficulty(difficulty: int) -> None:
    assert refused(1, solo_difficulty=difficulty) == f"Option 'solo_difficulty' is {difficulty}; allowed: 0 to 3."


@pytest.mark.parametrize(
    ("seats", "options", "message"),
    [
        (2, {"solo_difficulty": 1}, "'solo_difficulty' is 1; it is for mode solo, and the mode is competitive."),
        (3, {"challenge": True}, "'challenge' is true; it is for mode solo, and the mode is competitive."),
        (2, {"challenge": True}, "'challenge' is true; it is for mode solo, and the mode is competitive."),
        (
            2,
            {"challenge": True, "mode": "coop"},
            "'challenge' is true; it is for mode solo, and the mode is coop.",
        ),
        (
            1,
            {"challenge": True, "case_cards": "random"},
            "'challenge' is true; it goes through the case cards, and 'case_cards' is random.",
        ),
        (1, {"challenge_games": 2}, "'challenge_games' is 2; it needs 'challenge' true."),
        (2, {"challenge_games": 2}, "'challenge_games' is 2; it needs 'challenge' true."),
        (
            2,
            {"first_to_two": True, "mode": "coop"},
            "'first_to_two' is true; it is for mode competitive, and the mode is coop.",
        ),
        (1, {"first_to_two": True}, "'first_to_two' is true; it is for mode competitive, and the mode is solo."),
        (2, {"stall_limit": 0}, "'stall_limit' is 0; allowed are 2n (twice the seats) and 1 to 100."),
        (2, {"stall_limit": 101}, "'stall_limit' is 101; allowed are 2n (twice the seats) and 1 to 100."),
        (2, {"stall_limit": -4}, "'stall_limit' is -4; allowed are 2n (twice the seats) and 1 to 100."),
        (
            2,
            {"open_cards": 13, "case_cards": "random"},
            "'open_cards' is 13; allowed are seats (8, 6 or 4 by seats) and 0 to 12.",
        ),
        (2, {"open_cards": 13}, "'open_cards' is 13; allowed are seats (8, 6 or 4 by seats) and 0 to 12."),
        (2, {"open_cards": -1}, "'open_cards' is -1; allowed are seats (8, 6 or 4 by seats) and 0 to 12."),
        (
            2,
            {"open_cards": 9},
            "'open_cards' is 9; a case card opens at most 8, more need 'case_cards' random.",
        ),
        (
            1,
            {"open_cards": 9, "case_cards": FILE},
            "'open_cards' is 9; a case card opens at most 8, more need 'case_cards' random.",
        ),
    ],
)
def test_bad_input_options_that_do_not_fit(seats: int, options: dict[str, Any], message: str) -> None:
    assert refused(seats, **options) == f"Option {message}"


@pytest.mark.parametrize(
    ("seats", "count", "options", "where", "places", "needed"),
    [
        (2, 0, {}, "face_up", 0, 1),
        (3, 2, {"share_first": False}, "face_up", 2, 3),
        (4, 12, {"case_cards": "random", "share_first": False}, "face_down", 3, 4),
    ],
)
def test_bad_input_fewer_open_cards_than_the_first_placement_needs(
    seats: int, count: int, options: dict[str, Any], where: str, places: int, needed: int
) -> None:
    assert refused(seats, open_cards=count, first_placement=where, **options) == (
        f"Option 'open_cards' is {count}; with 'first_placement' {where} that leaves {places} cards for the pawns of "
        f"{seats} seats, and they need {needed}."
    )


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (3, {"open_cards": 3, "share_first": False}),
        (4, {"open_cards": 1}),
        (4, {"open_cards": 11, "case_cards": "random", "share_first": False, "first_placement": "face_down"}),
        (4, {"open_cards": 0, "share_first": False, "first_placement": "any"}),
        (2, {"open_cards": 0, "mode": "coop"}),
        (1, {"open_cards": 0, "solo_difficulty": 3}),
        (1, {"challenge": True, "challenge_games": 100, "case_cards": FILE}),
        (2, {"stall_limit": 1}),
    ],
)
def test_what_just_fits_is_played_to_its_end(seats: int, options: dict[str, Any]) -> None:
    assert set(played(20, seats, options)["status"].tolist()) == {0}


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("mode", "team", "auto, competitive, coop, solo"),
        ("alibi_arrows", "both", "split, cross"),
        ("motive_arrows", "both", "cross, split"),
        ("redo", "on", "exact, off"),
        ("first_placement", "up", "face_up, face_down, any"),
        ("share_first", "perhaps", "true, false"),
        ("reveal_on_declare", 2, "true, false"),
        ("coop_share", "perhaps", "true, false"),
        ("coop_u_face_up", "perhaps", "true, false"),
        ("first_to_two", "perhaps", "true, false"),
        ("challenge", "perhaps", "true, false"),
        ("challenge_games", 0, "1 to 100"),
        ("challenge_games", 101, "1 to 100"),
        ("open_cards", "many", "seats, or a whole number"),
        ("stall_limit", "3n", "2n, or a whole number"),
        ("stall_limit", 1.5, "2n, or a whole number"),
    ],
)
def test_bad_input_words_numbers_and_flags(option: str, value: Any, allowed: str) -> None:
    assert refused(**{option: value}) == f"Option '{option}' is {value!r}; allowed: {allowed}."


def test_bad_input_an_unknown_option_gets_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'stall_limit'"):
        make_spec(load_game("clueverge"), 2, {"stal_limit": 3})


# ── Columns ──────────────────────────────────────────────────────────────────────────────────────────────────────────

PLAYED: list[tuple[int, dict[str, Any]]] = [
    (2, {}),
    (4, {"reveal_on_declare": True, "first_placement": "any", "stall_limit": 1}),
    (3, {"mode": "coop"}),
    (1, {"alibi_arrows": "cross"}),
    (3, {"first_to_two": True}),
    (1, {"challenge": True}),
]


@pytest.mark.parametrize(("seats", "options"), PLAYED, ids=str)
def test_columns_agree_with_the_transcript(seats: int, options: dict[str, Any]) -> None:
    table = make("clueverge", "random", seats, options, deals=25)
    rows, places, _ = Player(table).play(0, 25)
    names = [column.name for column in table.game.game_columns]
    assert names[6:] == [
        *("mode", "culprit", "crime_scene", "redeals", "reveals", "moves", "first_seat", "series_games", "fled"),
    ]
    assert all(row[names.index("fled")] == (row[names.index("culprit")] == 0) for row in rows.tolist())
    assert [column.name for column in table.game.seat_columns][7:] == ["declared", "declared_turn", "was_right"]
    for number, row in enumerate(rows.tolist()):
        column = dict(zip(names, row, strict=True))
        events = transcript_of(table, column["deal"], column["rotation"])["events"]
        end = events[-1]
        begins = max(place for place, event in enumerate(events) if event["event"] == "start")
        last = events[begins:]
        set_ups = [event for event in events if event["event"] == "set_up"]
        turns = [event for event in last if event["event"] == "turn"]
        verdict = last[-2]
        choices = [event["choice"] for event in last if event["event"] == "decision"]
        assert column["status"] == (end["status"] == "capped")
        assert column["turns"] == len(turns) == turns[-1]["turn"]
        assert column["mode"] == (2 if seats == 1 else options.get("mode") == "coop")
        assert column["culprit"] == verdict["culprit"] == culprit_of(verdict["board"])
        assert SCENES[column["crime_scene"]] == set_ups[-1]["crime_scene"]
        assert column["redeals"] == set_ups[-1]["attempt"] - 1
        assert column["reveals"] == sum(event["event"] == "reveal" for event in last)
        assert column["moves"] == sum(choice[0] == "move" for choice in choices)
        assert column["first_seat"] == last[0]["seat"] == turns[0]["seat"]
        assert column["series_games"] == set_ups[-1]["game"]
        if "first_to_two" not in options and "challenge" not in options:
            assert column["decisions"] == len(choices)
        stood = {event["seat"]: event for event in last if event["event"] == "pawn" and event["standing"]}
        for seat, cells in enumerate(places[seats * number : seats * number + seats].tolist()):
            target = stood[seat]["cell"]
            turn = [event for event in last[: last.index(stood[seat])] if event["event"] == "turn"][-1]
            assert cells[:2] == [column["game"], seat]
            assert cells[3:5] == [end["scores"][seat], end["places"][seat]]
            assert cells[5] == (SHARE // len(end["winners"]) if seat in end["winners"] else 0)
            assert cells[7:] == [16 if target == "fled" else target, turn["turn"], target == verdict["target"]]
    assert set(rows[:, names.index("crime_scene")].tolist()) == {0, 1, 2}


@pytest.mark.parametrize(("seats", "option"), [(2, "first_to_two"), (1, "challenge")])
def test_the_decisions_of_a_series_are_those_of_all_its_games(seats: int, option: str) -> None:
    at = begun(seats, {option: True})
    while not at.is_over:
        play_out(at, 0)
    assert at.rows()[0]["decisions"] == len(at.named("decision"))


def test_scores_are_never_more_than_the_games_and_win_shares_add_up_to_one_or_none() -> None:
    for seats, options in PLAYED:
        rows, places, _ = Player(make("clueverge", "random", seats, options)).play(0, 100)
        shares = places[:, 5].reshape(-1, seats).sum(axis=1)
        assert set(shares.tolist()) <= {0, SHARE}
        assert np.all(places[:, 3].reshape(-1, seats).max(axis=1) <= rows[:, 13])


# ── Properties ───────────────────────────────────────────────────────────────────────────────────────────────────────


def moved_board(faces: Sequence[str], way: Callable[[int], int], names: Mapping[str, str] | None = None) -> list[str]:
    """A board with its cards in other cells, and other names of some."""
    board = [""] * 16
    for cell, face in enumerate(faces):
        board[way(cell)] = (names or {}).get(face, face)
    return board


TURNED_ARROWS = {"AV": "AH", "AH": "AV", "MV": "MH", "MH": "MV"}


@pytest.mark.parametrize(("alibi", "motive"), ARROWS)
def test_p_3_mirroring_changes_no_culprit_and_a_quarter_turn_needs_split_cards_exchanged(
    alibi: str, motive: str
) -> None:
    arrows = {"alibi_arrows": alibi, "motive_arrows": motive}
    boards = drawn_boards(1000, alibi, motive, seed=3)
    found = culprits(boards, **arrows)
    for way in (turn_over, turn_up):
        assert culprits([moved_board(board, way) for board in boards], **arrows) == found
    turned = [moved_board(board, quarter, TURNED_ARROWS) for board in boards]
    assert culprits(turned, **arrows) == found
    if (alibi, motive) != ("cross", "cross"):
        unchanged = [moved_board(board, quarter) for board in boards]
        assert culprits(unchanged, **arrows) != found


def moved_event(event: Event, way: Callable[[int], int], names: Mapping[str, str]) -> Event:
    """An event with its cells in other places."""

    def move(target: Any) -> Any:
        return way(target) if isinstance(target, int) else target

    changed = dict(event)
    for name in ("cell", "target", "effective"):
        if name in event:
            changed[name] = move(event[name])
    if "choice" in event:
        changed["choice"] = [event["choice"][0], move(event["choice"][1])]
    if "face" in event:
        changed["face"] = names.get(event["face"], event["face"])
    if "board" in event:
        changed["board"] = moved_board(event["board"], way, names)
    return changed


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (1, {"coop_share": False}),
        (2, {}),
        (3, {"reveal_on_declare": True, "alibi_arrows": "cross", "stall_limit": 2}),
        (4, {"share_first": False, "first_placement": "any", "motive_arrows": "split"}),
        (3, {"mode": "coop"}),
    ],
)
@pytest.mark.parametrize(("way", "names"), [(turn_over, {}), (turn_up, {}), (quarter, TURNED_ARROWS)])
def test_p_3_a_game_on_a_board_that_is_mirrored_or_turned_ends_alike(
    seats: int, options: dict[str, Any], way: Callable[[int], int], names: Mapping[str, str]
) -> None:
    rng = np.random.default_rng(seats)
    boards = drawn_boards(6, options.get("alibi_arrows", "split"), options.get("motive_arrows", "cross"), seed=seats)
    for number, board in enumerate(boards):
        scene_cell = board.index(SCENES[number % 3])
        opened = [cell for cell in range(16) if cell != scene_cell][:7]
        first = number % seats
        one = stand(" ".join(board), opened, scene_cell=scene_cell, seats=seats, first=first, options=options)
        other = stand(
            " ".join(moved_board(board, way, names)),
            [way(cell) for cell in opened],
            scene_cell=way(scene_cell),
            seats=seats,
            first=first,
            options=options,
        )
        while not one.is_over:
            mirrored = {(word, target if target == "fled" else way(int(target))) for word, target in one.choices()}
            assert other.choices() == mirrored
            action = forced(one.session, rng)
            kind, target = action // 16 * 16, action % 16
            one.session.apply(action)
            other.session.apply(action if action == DECLARE + 16 else kind + way(target))
        assert other.is_over
        assert [moved_event(event, way, names) for event in one.events] == other.events
        games, rows = one.rows()
        changed = [
            {**row, "declared": row["declared"] if row["declared"] == 16 else way(row["declared"])} for row in rows
        ]
        assert (games, changed) == other.rows()


def test_p_2_the_board_is_a_permutation_of_the_cards_after_every_decision() -> None:
    rng = np.random.default_rng(2)
    for seats, options in PLAYED:
        at = begun(seats, options, deal=seats)
        for _ in range(60):
            if at.is_over:
                break
            board = at.board
            scene = board.pop(int(at.state["scene_cell"]))
            assert scene in SCENES
            assert sorted(board) == sorted(investigation(options.get("alibi_arrows", "split")))
            at.session.apply(forced(at.session, rng))


# ── Told ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def told(at: Position, seat: int | None = None) -> list[str]:
    """A position's game in words, from its cards on; it stands on the board X1."""
    scene = {"event": "set_up", "game": 1, "attempt": 1, "crime_scene": "FT", "cell": 13, "board": X1.split()}
    case = {"event": "case_card", "card": 2, "orientation": 5, "cells": list(OPEN)}
    entrants = ["ann", "bob", "cid", "dot"][: at.session.table.job.seats]
    document = {
        "entrants": entrants,
        "options": render.options(at.session.table.spec),
        "events": [scene, case, *at.events],
    }
    return list(render.text(document, seat))


def grids(lines: Sequence[str]) -> list[str]:
    """The lines of grids among others, without what stands before them."""
    return [line[4:] for line in lines if line.startswith(("     ", "    (")) or "fled: " in line]


def test_text_of_a_game_for_all() -> None:
    at = laid().act(0, "move", 13).act(1, "reveal", 11).act(0, "declare", 11).act(1, "declare", "fled")
    lines = told(at)
    assert [line for line in lines if not line.startswith("    ")] == [
        "The crime-scene card lies in row 4, column 2, and it is a false testimony.",
        "4 cards are open (case card 3, mirrored and turned by 90 degrees):",
        "Pawns: a is 0 ann, b is 1 bob. 0 ann starts.",
        "\nTurn 1: 0 ann",
        "  lays its pawn on row 1, column 1 (suspect 5)",
        "\nTurn 2: 1 bob",
        "  lays its pawn on row 1, column 2 (a weapon)",
        "\nTurn 3: 0 ann",
        "  moves its pawn to row 4, column 2 (a false testimony)",
        "  looks at it: a false testimony",
        "\nTurn 4: 1 bob",
        "  turned face up: row 3, column 4 (suspect 4)",
        "\nTurn 5: 0 ann",
        "  declares: found the culprit, row 3, column 4 (suspect 4)",
        "\nTurn 6: 1 bob",
        "  declares: found the culprit, the fled card",
        "\nAll cards are turned up:",
        "The culprit is row 3, column 4 (suspect 4).",
        "Right: 0 ann.",
        "\nThe game is over: 0 ann 1, 1 bob 0; 0 ann won.",
    ]
    # Before the first turn, after each of six, and at the end; the fled card at the end, when a pawn stands on it.
    drawn = grids(lines)
    assert len(drawn) == 8 * 4 + 2
    assert drawn[:4] == [
        " S5      WE     (CL)    (WE)",
        " S3      AH     (AV)    (MO)",
        "(FT)    (CL)    (S6)    (S4)",
        "(MO)    (FT)    (S1)    (S2)",
    ]
    assert drawn[12:16] == [
        " S5      WE b   (CL)    (WE)",
        " S3      AH     (AV)    (MO)",
        "(FT)    (CL)    (S6)    (S4)",
        "(MO)    (FT)a   (S1)    (S2)",
    ]
    assert drawn[-5:] == [
        " S5      WE      CL      WE",
        " S3      AH      AV      MO",
        " FT      CL      S6      S4 A",
        " MO      FT      S1      S2",
        "fled: B",
    ]


def test_text_of_a_game_as_each_seat_saw_it() -> None:
    at = laid().act(0, "move", 13).act(1, "reveal", 11).act(0, "declare", 11).act(1, "declare", "fled")
    everybody = [line for line in told(at) if not line.startswith("    ")]
    for seat in (0, 1):
        lines = told(at, seat)
        told_to_seat = [line for line in lines if not line.startswith("    ")]
        assert [(number, line) for number, line in enumerate(told_to_seat) if line != everybody[number]] == [
            (0, "The crime-scene card lies in row 4, column 2."),
            (8, "  moves its pawn to row 4, column 2"),
            *([(9, "  looks at it")] if seat == 1 else []),
        ]
        drawn = grids(lines)
        assert drawn[:4] == [
            " S5      WE      ..      ..",
            " S3      AH      ..      ..",
            " ..      ..      ..      ..",
            " ..      ??      ..      ..",
        ]
        # Seat 0 knows what its pawn lies on.
        assert drawn[16:20] == [
            " S5      WE b    ..      ..",
            " S3      AH      ..      ..",
            " ..      ..      ..      S4",
            " ..     (FT)a    ..      .." if seat == 0 else " ..      ?? a    ..      ..",
        ]
        assert drawn[-5:] == grids(told(at))[-5:]


def test_text_of_the_cooperative_and_the_solo_game() -> None:
    at = (
        together()
        .act(0, "unused", 6)
        .act(1, "place", 6)
        .act(0, "place", 13)
        .act(1, "declare", 11)
        .act(0, "declare", 11)
    )
    lines = told(at, 1)
    assert "  lays an unused pawn on row 2, column 3" in lines
    assert "  lays its pawn on row 2, column 3" in lines
    assert lines.count("  looks at it: an alibi up and down") == 1
    assert lines.count("  looks at it") == 2
    assert " S3      AH     (AV)*b   .." in grids(lines)
    assert lines[-3:] == [
        "The declaration that counts: row 3, column 4 (suspect 4).",
        "Right: 0 ann, 1 bob.",
        "\nThe game is over: 0 ann 1, 1 bob 1; 0 ann, 1 bob won.",
    ]
    at = together(1).act(0, "unused", 6).act(0, "place", 7).act(0, "declare", "fled")
    lines = told(at, 0)
    assert "  turned face up: row 2, column 3 (an alibi up and down)" in lines
    assert " S3      AH      AV *    MO a" in grids(lines)
    assert "Pawns: a is 0 ann. 0 ann starts." in lines
    assert lines[-2:] == ["Right: nobody.", "\nThe game is over: 0 ann 0; nobody won."]


def test_text_of_a_set_up_that_is_redone_and_of_drawn_cells() -> None:
    options = {"case_cards": "random", "open_cards": 12}
    at = next(at for at in deals(100, 2, options) if len(at.named("redo")) == 1)
    document = {"entrants": ["ann", "bob"], "options": options, "events": at.events}
    for seat in (None, 0, 1):
        lines = list(render.text(document, seat))
        assert lines.count("It is evident that nobody here did it: all is set up anew.") == 1
        assert lines.count("12 cards are open (drawn cells):") == 2


def test_text_of_a_series() -> None:
    at = begun(2, {"first_to_two": True})
    for winner in (0, None, 0):
        play_out(at, winner)
    document = {"entrants": ["ann", "bob"], "options": {}, "events": at.events}
    lines = list(render.text(document))
    assert [line for line in lines if line.startswith("\nGame ")] == ["\nGame 2", "\nGame 3"]
    assert [line for line in lines if line.startswith("Right: ")] == [
        "Right: 0 ann.",
        "Right: nobody.",
        "Right: 0 ann.",
    ]
    assert lines[-1] == "\nThe game is over: 0 ann 2, 1 bob 0; 0 ann won."
