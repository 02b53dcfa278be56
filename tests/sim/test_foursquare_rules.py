"""Foursquare, rule by rule: one test or more for each number of rules.md and each worked example.

Positions are drawn as in foursquare_table.py. Where two readings differ, `LITERAL` turns the placed card with its line
and `AUTHOR` does not (FSQ-9).
"""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from sim.contract import load_game
from sim.errors import IllegalAction, SpecError
from sim.games.foursquare.board import place
from sim.games.foursquare.spec import Spec
from sim.play import Session, start
from tests.sim.foursquare_table import AUTHOR, LITERAL, Piles, Position, conserve, drawn, piles_in, stand, table_of

BOTH = pytest.mark.parametrize("options", [LITERAL, AUTHOR], ids=["literal", "author"])


def after(text: str, card: int, row: int, column: int, **options: Any) -> str:
    """Place a card in a position and give the grid."""
    return stand(text, card=card, options=options).lay(row, column).grid


def either(text: str, card: int, row: int, column: int) -> tuple[str, str]:
    """The grid under the literal reading and under the author's."""
    return after(text, card, row, column), after(text, card, row, column, **AUTHOR)


# ── Setup and placing ────────────────────────────────────────────────────────────────────────────────────────────────


def test_fsq_1_the_deck_is_four_of_each_rank_from_1_to_10_in_an_order_of_the_deal() -> None:
    orders = set()
    for deal in range(20):
        session = Session(table_of(), deal, is_logged=True)
        (shuffle,) = [event for event in session.events if event["event"] == "shuffle"]
        assert Counter(shuffle["stock"]) == dict.fromkeys(range(1, 11), 4)
        orders.add(tuple(shuffle["stock"]))
    assert len(orders) == 20


def test_fsq_1_every_rank_is_as_likely_in_every_place() -> None:
    counts = np.zeros((40, 11))
    for deal in range(1500):
        counts[np.arange(40), Session(table_of(seed=5), deal).state["cards"]] += 1
    # 150 expected with a deviation of 11.6: 400 cells stay within five of them.
    assert counts[:, 0].sum() == 0
    assert np.all(np.abs(counts[:, 1:] - 150) < 5 * 11.6)


def test_fsq_1_it_is_played_by_one() -> None:
    with pytest.raises(SpecError, match="Foursquare is played by 1 seat; 2 are too many"):
        start("foursquare", seats=2)


def test_fsq_2_the_top_card_is_drawn_seen_and_placed_face_up() -> None:
    at = stand("3^ 8^", card=5, stock=[9, 2])
    assert at.session.view()["rank"] == 5
    at.lay(0, 2)
    assert piles_in(at.session.state)[0, 2][0] == 5
    assert at.session.view()["rank"] == 9
    assert at.named("draw") == [{"card": 4, "rank": 9}]


def test_fsq_2_the_ranks_that_are_left_are_known_and_their_order_is_not() -> None:
    at = stand("3^ 8^", card=5, stock=[9, 2])
    view = at.session.view()
    assert [int(view["remaining"]) >> 4 * rank & 15 for rank in range(1, 11)] == [4, 4, 3, 4, 3, 4, 4, 3, 4, 4]
    assert "cards" not in view.dtype.names


@BOTH
def test_fsq_3_the_first_card_is_laid_without_a_question(options: dict[str, Any]) -> None:
    session = Session(table_of(options), 0, is_logged=True)
    first = session.state["cards"][0]
    assert drawn(piles_in(session.state)) == f"{first}^"
    assert [event["event"] for event in session.events if event["event"] != "flip"] == [
        "shuffle",
        "draw",
        "place",
        "draw",
    ]
    assert int(session.state["decisions"]) == 0


def test_fsq_4_a_card_goes_beside_a_pile_or_on_one() -> None:
    assert stand("7^", card=5).cells() == {(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)}
    assert stand("7^ . / 3^ 4^", card=5).cells() == {
        *((0, 0), (1, 0), (1, 1)),
        *((0, 1), (-1, 0), (0, -1), (1, -1), (2, 0), (2, 1), (1, 2)),
    }


def test_fsq_4_a_card_goes_on_a_pile_whether_face_up_or_face_down() -> None:
    assert {(0, 0), (0, 1)} <= stand("7^ 3_", card=5).cells()


def test_fsq_4_diagonal_places_count_where_the_option_says_so() -> None:
    assert stand("7^", card=5, options={"diagonal": True}).cells() == {
        (row, column) for row in (-1, 0, 1) for column in (-1, 0, 1)
    }
    corners = stand("7^ . . 3^", card=5, options={"diagonal": True})  # full width: nothing to the left or right
    assert corners.cells() == {(row, column) for row in (-1, 0, 1) for column in range(4)}


def test_fsq_5_a_pile_has_at_most_four_cards() -> None:
    at = stand("7^*3 3^", card=5, stock=[6]).lay(0, 0)
    assert at.grid.startswith(("5^*4", "5_*4"))
    assert (0, 0) not in at.cells()
    with pytest.raises(IllegalAction):
        at.lay(0, 0)


@pytest.mark.parametrize("most", [3, 4, 10])
def test_fsq_5_the_height_of_piles_is_an_option(most: int) -> None:
    assert (0, 0) in stand(f"7^*{most - 1}", card=5, options={"max_pile": most}).cells()
    assert (0, 0) not in stand(f"7^*{most}", card=5, options={"max_pile": most}).cells()


def test_fsq_5_the_grid_grows_in_any_direction_to_four_rows_and_four_columns() -> None:
    assert stand("7^ / 3^ / 4^", card=5).cells() == {
        *((row, column) for row in range(3) for column in (-1, 0, 1)),
        *((-1, 0), (3, 0)),
    }
    assert stand("7^ / 3^ / 4^ / 9^", card=5).cells() == {(row, column) for row in range(4) for column in (-1, 0, 1)}
    # Four by four, though only seven piles: every place has to be within.
    assert stand(". . 7^ . / . . 3^ . / 2^ 4^ 6^ 8^ / . . 5^ .", card=5).cells() == {
        *((0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)),
        *((2, 0), (2, 1), (2, 2), (2, 3), (3, 0), (3, 1), (3, 2), (3, 3)),
    }


@pytest.mark.parametrize(
    ("row", "column", "grid"),
    [(-1, 0, "5^ . / 7^ 5^"), (0, -1, "5^ 7^ 5^"), (1, 1, "7^ 5^ / . 5^"), (0, 2, "7^ 5^ 5^")],
)
def test_fsq_5_a_card_beyond_the_piles_moves_the_frame(row: int, column: int, grid: str) -> None:
    """No step turns a card that stays: equal ranks in one line, and a lone card that turns twice or not at all."""
    at = stand("7^ 5^", card=5, options={"flip_played": False})
    assert faceless(at.lay(row, column).grid) == faceless(grid)


def faceless(grid: str) -> str:
    """A grid without faces."""
    return grid.replace("_", "").replace("^", "")


def test_fsq_5_events_name_cells_relative_to_the_first_card_wherever_the_frame_is() -> None:
    session = Session(table_of(), 0, is_logged=True)
    for row, column in ((-1, 0), (0, -1), (0, -1)):
        session.apply(int(place(row, column)))
    places = [event["cell"] for event in session.events if event["event"] == "place"]
    assert places == [[0, 0], [-1, 0], [-1, -1], [-1, -2]]
    assert [event["choice"] for event in session.events if event["event"] == "decision"] == places[1:]


def test_fsq_6_there_are_always_two_places_or_more() -> None:
    rng = np.random.default_rng(1)
    fewest = 99
    for deal in range(300):
        session = Session(table_of({"max_pile": 3, "max_down": 16}), deal)
        while not session.is_over:
            legal = session.legal()
            fewest = min(fewest, len(legal))
            # Piles are filled where there are any, so that as few places as possible are left.
            filled = [action for action in legal if has_pile(session, action)]
            choice = filled if filled and rng.random() < 0.9 else legal
            session.apply(choice[int(rng.integers(len(choice)))])
        assert int(session.state["turn"]) <= 40
    assert 2 <= fewest <= 5


def has_pile(session: Session, action: int) -> bool:
    """Whether there is a pile already where an action goes."""
    return (action // 8 - 1, action % 8 - 1) in piles_in(session.state)


# ── Flipping ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_fsq_7_a_covered_card_counts_no_more() -> None:
    # The covered 9 would have made 8 neither highest nor lowest.
    assert either("9^ 3^", 8, 0, 0) == ("8^*2 3_", "8^*2 3_")


def test_fsq_7_a_flip_turns_the_top_card_in_place() -> None:
    assert after("3^*2 8_*3", 9, 0, 2, **AUTHOR) == "3_*2 8^*3 9^"


def test_fsq_8_only_the_other_face_up_tops_are_compared() -> None:
    assert either("3_ 8^", 5, 0, 2) == ("3^ 8_ 5^", "3^ 8_ 5^")  # lower than 8; the 3 is not seen
    assert after("3_ 8^", 5, 0, 2, facedown_compare=True) == "3_ 8^ 5_"  # between both; alone in its column it flips
    assert after("3_ 8^", 5, 0, 2, facedown_compare=True, **AUTHOR) == "3_ 8^ 5^"


def test_fsq_8_with_face_down_cards_compared_a_line_of_them_flips_only_for_an_extreme() -> None:
    assert after("3_ 8_", 5, 0, 2, facedown_compare=True, **AUTHOR) == "3_ 8_ 5^"
    assert after("3_ 8_", 9, 0, 2, facedown_compare=True, **AUTHOR) == "3^ 8^ 9^"


@pytest.mark.parametrize(
    ("card", "is_extreme"), [(1, True), (3, False), (4, False), (5, False), (7, False), (8, False), (9, True)]
)
def test_fsq_8a_a_card_is_extreme_if_strictly_above_or_below_all_others(card: int, is_extreme: bool) -> None:
    assert after("3^ 5^ 8^", card, 0, 3, **AUTHOR) == ("3_ 5_ 8_" if is_extreme else "3^ 5^ 8^") + f" {card}^"


def test_fsq_8a_every_pair_of_ranks_in_every_cell() -> None:
    """Two cards side by side or one above the other: extreme unless equal."""
    for row, column in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        for one in range(1, 11):
            for other in range(1, 11):
                down = stand(f"{one}^", card=other, options=AUTHOR).lay(row, column).down
                assert down == (one != other), (one, other)


def test_fsq_9_a_row_flips_with_or_without_the_placed_card() -> None:
    # In the column 9 is between 10 and 8, so that only the row step acts.
    text = ". 10^ / 7^ . / . 8^"
    assert either(text, 9, 1, 1) == (". 10^ / 7_ 9_ / . 8^", ". 10^ / 7_ 9^ / . 8^")


def test_fsq_9_the_author_reading_is_a_preset_of_one_option() -> None:
    assert Spec().flip_played is True
    assert load_game("foursquare").presets == {"author": {"flip_played": False}}


def test_fsq_10_the_column_step_follows_whether_or_not_the_row_step_did_anything() -> None:
    text = ". 3^ . / 2^ . 9^"
    assert either(text, 5, 1, 1) == (". 3_ . / 2^ 5_ 9^", ". 3_ . / 2^ 5^ 9^")  # between 2 and 9, above 3
    text = ". 3^ . / 2^ . 4^"
    assert either(text, 5, 1, 1) == (". 3_ . / 2_ 5^ 4_", ". 3_ . / 2_ 5^ 4_")


def test_fsq_10_a_flip_causes_no_further_check() -> None:
    # The row turns the 2 up; it would be the lowest of its own column, which stays as it is.
    assert either("2_ . / 9^ 4^", 7, 0, 1) == ("2^ 7^ / 9^ 4_", "2^ 7^ / 9^ 4_")


def test_fsq_11_the_placed_card_is_compared_in_the_column_though_the_row_turned_it_down() -> None:
    at = stand(". 4^ / 2^ .", card=9, stock=[1]).lay(1, 1)
    assert at.grid == ". 4_ / 2_ 9^"
    assert [event["line"] for event in at.named("flip")] == ["row", "column"]
    # Compared with face-down cards, too, it is compared with the others alone.
    assert after(". 4^ / 2^ .", 9, 1, 1, facedown_compare=True) == ". 4_ / 2_ 9^"


def test_fsq_12_p_5_the_placed_card_ends_face_up_as_the_two_steps_say() -> None:
    rng = np.random.default_rng(2)
    seen: Counter[tuple[bool, int]] = Counter()
    for deal in range(60):
        for options in (LITERAL, AUTHOR):
            session = Session(table_of({**options, "max_down": 16}), deal, is_logged=True)
            while not session.is_over:
                session.events.clear()
                session.apply(session.legal()[int(rng.integers(len(session.legal())))])
                (laid,) = [event["cell"] for event in session.events if event["event"] == "place"]
                steps = sum(event["event"] == "flip" and laid in event["cells"] for event in session.events)
                cell = laid[0] + int(session.state["first_row"]), laid[1] + int(session.state["first_column"])
                assert piles_in(session.state)[cell][1] == (steps != 1)
                seen[bool(options), steps] += 1
    assert set(seen) == {(True, 0), (False, 0), (False, 1), (False, 2)}


@BOTH
def test_fsq_13_the_first_card_ends_face_up(options: dict[str, Any]) -> None:
    session = Session(table_of(options), 3, is_logged=True)
    flips = [event for event in session.events if event["event"] == "flip"]
    assert len(flips) == (0 if options else 2)
    assert all(event["cells"] == [[0, 0]] for event in flips)


# ── The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_fsq_14_five_down_lose_and_four_do_not() -> None:
    at = stand("2^ 3^ 4^ . / 5_ 6_ 7^ .", card=9).lay(0, 3)
    assert (at.is_over, at.down, at.end["loss_reason"], at.end["won"]) == (True, 5, "facedown", False)
    at = stand("2^ 3^ 4^ . / 5_ 6^ 7^ .", card=9).lay(0, 3)
    assert (at.is_over, at.down) == (False, 4)


@pytest.mark.parametrize(("most", "is_over"), [(0, True), (2, True), (3, False), (16, False)])
def test_fsq_14_how_many_may_lie_down_is_an_option(most: int, is_over: bool) -> None:
    assert stand("2^ 3^ 4^", card=9, options={"max_down": most}).lay(0, 3).is_over is is_over


def test_fsq_14_what_lies_down_between_the_two_steps_does_not_count() -> None:
    # The row turns 5, 6, 7 and the 9 down: five with the 2. The column turns the 2 and the 9 up again.
    at = stand("5^ 6^ 7^ . / . . . 2_ / . . 3_ .", card=9).lay(0, 3)
    assert at.grid == "5_ 6_ 7_ 9^ / . . . 2^ / . . 3_ ."
    assert not at.is_over


def test_fsq_14_the_40th_card_with_five_down_is_lost_for_that_reason() -> None:
    at = stand("2^ 3^ 4^ . / 5_ 6_ 7^ .", card=9, left=0).lay(0, 3)
    assert (at.end["loss_reason"], at.end["placements"]) == ("facedown", 40)


NEARLY = "1^ 9^ 2^ 8^ / 10^ 2^ 9^ 3^ / 1^ 8^ 3^ 9^ / 9^ 1^ 8^ ."


def test_fsq_15_sixteen_face_up_win_and_fifteen_do_not() -> None:
    assert stand(NEARLY, card=5).lay(3, 3).end["won"] is True
    # The same with one card face down; in no line of the 5.
    at = stand(NEARLY.replace("10^", "10_"), card=5).lay(3, 3)
    assert (at.is_over, at.down) == (False, 1)


def test_fsq_15_a_card_on_the_last_face_down_pile_may_win() -> None:
    assert stand(NEARLY.replace(" .", " 7_"), card=5).lay(3, 3).end["won"] is True


def test_fsq_16_an_empty_stock_loses() -> None:
    at = stand("2^ 3^ 4^ . / 5_ 6^ 7^ .", card=9, left=0).lay(0, 3)
    assert (at.end["won"], at.end["loss_reason"], at.end["placements"]) == (False, "stock", 40)


@pytest.mark.parametrize("wins", [True, False])
def test_fsq_16_the_last_card_wins_with_score_0_unless_the_option_says_no(wins: bool) -> None:
    at = stand(NEARLY, card=5, left=0, options={"last_card_wins": wins}).lay(3, 3)
    assert (at.end["won"], at.end["score"], at.end["loss_reason"]) == (wins, 0, None if wins else "stock")
    at = stand(NEARLY, card=5, left=1, options={"last_card_wins": wins}).lay(3, 3)
    assert (at.end["won"], at.end["score"]) == (True, 1)


def rows_of(at: Position) -> dict[str, int]:
    """The cells of a finished game by column."""
    game = at.session.table.game
    games, seats, _ = at.session.rows()
    return {
        **dict(zip([column.name for column in game.game_columns], games[0].tolist(), strict=True)),
        **dict(zip([column.name for column in game.seat_columns], seats[0].tolist(), strict=True)),
    }


def test_fsq_17_the_score_is_what_is_left_in_the_stock() -> None:
    at = stand(NEARLY, card=5).lay(3, 3)
    assert at.end["score"] == 24
    rows = rows_of(at)
    assert (rows["score"], rows["won"], rows["win_share"], rows["lost"], rows["loss_reason"]) == (24, 1, 2520, 0, 0)
    assert (rows["placements"], rows["turns"], rows["face_down_at_end"], rows["place"]) == (16, 16, 0, 1)
    rows = rows_of(stand(NEARLY, card=5, left=7).lay(3, 3))
    assert (rows["score"], rows["placements"]) == (7, 33)


def test_fsq_17_a_lost_game_scores_0_and_says_why() -> None:
    rows = rows_of(stand("2^ 3^ 4^ . / 5_ 6_ 7^ .", card=9).lay(0, 3))
    assert (rows["score"], rows["won"], rows["win_share"], rows["lost"], rows["loss_reason"]) == (0, 0, 0, 1, 1)
    assert (rows["placements"], rows["face_down_at_end"]) == (7, 5)
    assert rows_of(stand("2^ 3^", card=9, left=0).lay(0, 2))["loss_reason"] == 2


def test_fsq_18_a_game_has_at_most_40_turns() -> None:
    rng = np.random.default_rng(4)
    ends: Counter[tuple[int, int]] = Counter()
    for deal in range(120):
        session = Session(table_of({"max_down": 16}), deal)
        while not session.is_over:
            conserve(session.state)
            session.apply(session.legal()[int(rng.integers(len(session.legal())))])
        conserve(session.state)
        row = session.rows()[0][0]
        ends[int(session.state["turn"]), int(row[8])] += 1
    assert ends == {(40, 2): 120}


# ── Worked examples: literal, then the author's ──────────────────────────────────────────────────────────────────────


@BOTH
def test_fsq_x1_a_seven_on_the_empty_table_lies_face_up(options: dict[str, Any]) -> None:
    for deal in range(30):
        session = Session(table_of(options), deal)
        if session.state["cards"][0] == 7:
            assert drawn(piles_in(session.state)) == "7^"
            return
    raise AssertionError("no deal of the thirty begins with a seven")


@pytest.mark.parametrize(
    ("text", "card", "row", "column", "literal", "author"),
    [
        pytest.param("7^", 9, 0, 1, "7_ 9^", "7_ 9^", id="x2 highest in the row"),
        pytest.param("3_ 8_", 5, 0, 2, "3^ 8^ 5^", "3^ 8^ 5^", id="x3 the automatic case"),
        pytest.param("7^", 7, 0, 1, "7^ 7_", "7^ 7^", id="x4 an equal rank"),
        pytest.param("3_ 8^", 2, 0, 2, "3^ 8_ 2^", "3^ 8_ 2^", id="e1 face down left out, lower"),
        pytest.param("3_ 8^", 5, 0, 2, "3^ 8_ 5^", "3^ 8_ 5^", id="e1 face down left out, lowest of those seen"),
        pytest.param("3^ 8^ 5_", 6, 0, 3, "3^ 8^ 5_ 6_", "3^ 8^ 5_ 6^", id="e2 not extreme"),
        pytest.param(
            "4^ . / 7^ 5^ / . 10^",
            *(9, 0, 1),
            "4_ 9_ / 7^ 5^ / . 10^",
            "4_ 9^ / 7^ 5^ / . 10^",
            id="e3 row only",
        ),
        pytest.param(
            "2^ 3^ 4^ . / 5_ 6_ 7^ .",
            *(9, 0, 3),
            "2_ 3_ 4_ 9^ / 5_ 6_ 7^ .",
            "2_ 3_ 4_ 9^ / 5_ 6_ 7^ .",
            id="e4 a loss",
        ),
        pytest.param("3_ 8^ 6^", 7, 0, 0, "7_*2 8^ 6^", "7^*2 8^ 6^", id="e6 covering"),
        pytest.param("2^ . / . 5^", 9, 0, 1, "2_ 9^ / . 5_", "2_ 9^ / . 5_", id="e8 extreme in both"),
    ],
)
def test_fsq_examples(text: str, card: int, row: int, column: int, literal: str, author: str) -> None:
    assert either(text, card, row, column) == (literal, author)


@BOTH
def test_fsq_e4_the_fifth_loses_the_game(options: dict[str, Any]) -> None:
    at = stand("2^ 3^ 4^ . / 5_ 6_ 7^ .", card=9, options=options).lay(0, 3)
    assert (at.down, at.end["loss_reason"]) == (5, "facedown")
    assert not stand("2^ 3^ 4^ . / 5_ 6^ 7^ .", card=9, options=options).lay(0, 3).is_over


@BOTH
def test_fsq_e5_a_five_wins_and_a_ten_loses(options: dict[str, Any]) -> None:
    at = stand(NEARLY, card=5, options=options).lay(3, 3)
    assert (at.end["won"], at.end["score"], at.end["placements"]) == (True, 24, 16)
    at = stand(NEARLY, card=10, options=options).lay(3, 3)
    assert (at.end["won"], at.down) == (False, 6)


def test_fsq_e6_a_fifth_card_on_a_pile_is_illegal() -> None:
    with pytest.raises(IllegalAction):
        stand("3_*4 8^ 6^", card=7).lay(0, 0)


def test_fsq_e7_where_a_card_may_go() -> None:
    at = stand("7^ 8^ 9^ 6^", card=5)
    for row, column in ((0, 4), (0, -1)):
        assert (row, column) not in at.cells()
        with pytest.raises(IllegalAction):
            at.lay(row, column)
    assert {(1, 3), (-1, 0)} <= at.cells()
    assert (1, 1) not in stand("7^", card=5).cells()
    with pytest.raises(IllegalAction):
        stand("7^", card=5).lay(1, 1)


# ── Properties ───────────────────────────────────────────────────────────────────────────────────────────────────────


def transposed(piles: Piles) -> Piles:
    return {(column, row): pile for (row, column), pile in piles.items()}


def mirrored(piles: Piles) -> Piles:
    """The piles with left and right exchanged, from column 0 on."""
    width = max(column for _, column in piles)
    return {(row, width - column): pile for (row, column), pile in piles.items()}


def reversed_ranks(piles: Piles) -> Piles:
    return {cell: (11 - rank, is_up, height) for cell, (rank, is_up, height) in piles.items()}


OPTIONS: list[dict[str, Any]] = [
    {},
    {"flip_played": False},
    {"facedown_compare": True},
    {"diagonal": True, "max_down": 7},
    {"flip_played": False, "facedown_compare": True, "max_pile": 3, "max_down": 10},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_p_3_results_are_the_same_transposed_mirrored_and_with_ranks_reversed(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(6)
    steps = 0
    for deal in range(25):
        plain, across, mirror, turned = (Session(table_of(options), deal) for _ in range(4))
        for session in (turned,):
            reverse_stock(session)
        while not plain.is_over:
            action = plain.legal()[int(rng.integers(len(plain.legal())))]
            row, column = action // 8 - 1, action % 8 - 1
            width = max(column for _, column in piles_in(plain.state))
            plain.apply(action)
            across.apply(int(place(column, row)))
            mirror.apply(int(place(row, width - column)))
            turned.apply(action)
            piles = piles_in(plain.state)
            assert piles == transposed(piles_in(across.state))
            assert piles == mirrored(piles_in(mirror.state))
            assert piles == reversed_ranks(piles_in(turned.state))
            steps += 1
            for session in (across, mirror, turned):
                assert len(session.legal()) == len(plain.legal())
        for session in (across, mirror, turned):
            assert np.array_equal(session.rows()[0], plain.rows()[0])
    assert steps > 200


def reverse_stock(session: Session) -> None:
    """Exchange every rank for its opposite, 1 for 10, in a game whose first card has been laid."""
    state = session.state
    state["cards"] = 11 - state["cards"]
    state["rank"] = 11 - state["rank"]
    state["tops"] = 11 - state["tops"]
    state["remaining"] = sum((int(state["remaining"]) >> 4 * rank & 15) << 4 * (11 - rank) for rank in range(1, 11))
    session._look()
