"""The referee of Foursquare: the worked examples of RULES.md 4.4, games written by hand, and planted faults."""

import copy
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.referee.foursquare import (
    CHOICES,
    DECK,
    LINES,
    Cell,
    Ending,
    Grid,
    Options,
    Pile,
    Referee,
    ending,
    faults_of_options,
    is_extreme,
    judge,
)
from tests.referee.reading import DivergenceError, Event
from tests.referee.spoiling import with_a_key_spoilt, with_a_value_spoilt, with_an_event_spoilt
from tests.referee.vierer import Choice, as_json

Document = dict[str, Any]
Choose = Callable[[Referee, int, list[Cell]], Cell]
LITERAL = Options()  # reading (a) of FSQ-9
AUTHOR = Options(flip_played=False)  # reading (b)


def document(options: Options, events: list[Event]) -> Document:
    """A whole transcript around the events, as JSON gives it back."""
    whole = {
        "format": 1,
        "game": "foursquare",
        "version": "1",
        "seats": 1,
        "options": vars(options),
        "seed": "1",
        "deal": 0,
        "rotation": 0,
        "entrants": ["random"],
        "skills": [{}],
        "events": events,
    }
    restored: Document = json.loads(json.dumps(whole))
    return restored


# ------------------------------------------------------------------------------------------------------------
# Positions, written as in RULES.md 4.4: `7^` face up, `7_` face down, `.` empty, rows separated by `/`
# ------------------------------------------------------------------------------------------------------------


def grid_of(text: str, options: Options = LITERAL) -> Grid:
    """Grid whose first row and column are 0, every pile one card high."""
    piles = {
        (row, column): Pile([int(card[:-1])], card[-1] == "^")
        for row, line in enumerate(text.split("/"))
        for column, card in enumerate(line.split())
        if card != "."
    }
    return Grid(options, piles)


def seen(grid: Grid) -> str:
    """Tops of a grid in the same notation, without empty rows and columns around them."""
    rows, columns = ([cell[axis] for cell in grid.piles] for axis in (0, 1))
    cards = {cell: f"{pile.top}{'^' if pile.is_up else '_'}" for cell, pile in grid.piles.items()}
    return " / ".join(
        " ".join(cards.get((row, column), ".") for column in range(min(columns), max(columns) + 1))
        for row in range(min(rows), max(rows) + 1)
    )


class Scribe:
    """Source that lets `choose` decide and `chance` shuffle, and writes the events down."""

    def __init__(self, choose: Choose, chance: random.Random | None = None) -> None:
        self.choose = choose
        self.chance = chance
        self.events: list[Event] = []
        self.referee = Referee(LITERAL, self)

    def announce(self, expected: Event, rule: str) -> None:
        assert rule.startswith("FSQ-")
        self.events.append(copy.deepcopy(expected))

    def order(self, kind: str, key: str, pool: Sequence[int], rule: str) -> list[int]:
        assert (kind, key, sorted(pool), rule) == ("shuffle", "stock", sorted(DECK), "FSQ-1")
        order = self.chance.sample(pool, len(pool)) if self.chance else list(pool)
        self.events.append({"event": kind, key: list(order)})
        return order

    def decide(self, point: str, seat: int, legal: Sequence[Choice], fined: Sequence[Choice], rule: str) -> Choice:
        assert (point, seat, tuple(fined), rule) == ("place", 0, (), "FSQ-3 to FSQ-5")
        assert len(legal) == len(set(legal)) >= 2
        cells = [(row, column) for choice in legal if not isinstance(choice, str) for row, column in [choice]]
        choice = self.choose(self.referee, self.events[-1]["rank"], cells)
        assert choice in legal, (choice, legal)
        self.events.append(asked(as_json(choice), len(legal)))
        return choice


def turn(text: str, cell: Cell, rank: int, options: Options) -> Referee:
    """Table after one turn in a position; the stock holds all the cards that the position does not show."""
    scribe = Scribe(lambda referee, rank, cells: cell)
    referee = Referee(options, scribe)
    referee.grid = grid_of(text, options)
    for shown in (*(pile.top for pile in referee.grid.piles.values()), rank):
        referee.stock.remove(shown)
    referee.stock.insert(0, rank)
    referee.play_turn()
    return referee


# The position, the cell and the rank placed, the position afterwards with the reading (a) and with (b).
EXAMPLES = [
    ("X2", "7^", (0, 1), 9, "7_ 9^", "7_ 9^"),
    ("X3", "3_ 8_", (0, 2), 5, "3^ 8^ 5^", "3^ 8^ 5^"),
    ("X4", "7^", (0, 1), 7, "7^ 7_", "7^ 7^"),
    ("E1 lowest", "3_ 8^", (0, 2), 2, "3^ 8_ 2^", "3^ 8_ 2^"),
    ("E1 ignored", "3_ 8^", (0, 2), 5, "3^ 8_ 5^", "3^ 8_ 5^"),
    ("E2", "3^ 8^ 5_", (0, 3), 6, "3^ 8^ 5_ 6_", "3^ 8^ 5_ 6^"),
    ("E3", "4^ . / 7^ 5^ / . 10^", (0, 1), 9, "4_ 9_ / 7^ 5^ / . 10^", "4_ 9^ / 7^ 5^ / . 10^"),
    ("E4", "2^ 3^ 4^ . / 5_ 6_ 7^ .", (0, 3), 9, "2_ 3_ 4_ 9^ / 5_ 6_ 7^ .", "2_ 3_ 4_ 9^ / 5_ 6_ 7^ ."),
    ("E6", "3_ 8^ 6^", (0, 0), 7, "7_ 8^ 6^", "7^ 8^ 6^"),
    ("E8", "2^ . / . 5^", (0, 1), 9, "2_ 9^ / . 5_", "2_ 9^ / . 5_"),
]


@pytest.mark.parametrize(("name", "before", "cell", "rank", "literal", "author"), EXAMPLES)
def test_fsq_x_e_worked_examples(name: str, before: str, cell: Cell, rank: int, literal: str, author: str) -> None:
    assert seen(turn(before, cell, rank, LITERAL).grid) == literal, name
    assert seen(turn(before, cell, rank, AUTHOR).grid) == author, name


@pytest.mark.parametrize(("name", "before", "cell", "rank", "literal", "author"), EXAMPLES)
def test_p_3_worked_examples_transposed(
    name: str, before: str, cell: Cell, rank: int, literal: str, author: str
) -> None:
    for options, after in ((LITERAL, literal), (AUTHOR, author)):
        grid = transposed(grid_of(before, options))
        grid.place(cell[::-1], rank)
        for line in LINES:
            grid.step(line, cell[::-1])
        assert seen(transposed(grid)) == after, name


def transposed(grid: Grid) -> Grid:
    return Grid(grid.options, {cell[::-1]: pile for cell, pile in grid.piles.items()})


@pytest.mark.parametrize(("options", "flips"), [(LITERAL, 2), (AUTHOR, 0)])
def test_fsq_x1_13_lone_first_card_ends_face_up(options: Options, flips: int) -> None:
    scribe = Scribe(at_random(random.Random(1)))
    referee = Referee(options, scribe)
    referee.play_turn()
    assert seen(referee.grid) == "1^"  # the first card of the unshuffled deck
    assert referee.grid.piles.keys() == {(0, 0)}
    assert referee.grid.face_down == 0
    assert [happened["event"] for happened in scribe.events] == ["draw", "place", *["flip"] * flips]


def test_fsq_e4_five_down_lose_and_four_do_not() -> None:
    lost = turn("2^ 3^ 4^ . / 5_ 6_ 7^ .", (0, 3), 9, LITERAL)
    assert ending(lost.grid, len(lost.stock)) == (False, "facedown", 0)
    on = turn("2^ 3^ 4^ . / 5_ 6^ 7^ .", (0, 3), 9, LITERAL)
    assert on.grid.face_down == 4
    assert ending(on.grid, len(on.stock)) is None


LAST_CELL = "1^ 9^ 2^ 8^ / 10^ 2^ 9^ 3^ / 1^ 8^ 3^ 9^ / 9^ 1^ 8^ ."


@pytest.mark.parametrize("options", [LITERAL, AUTHOR])
def test_fsq_e5_sixteen_up_win_with_24_left(options: Options) -> None:
    won = turn(LAST_CELL, (3, 3), 5, options)
    assert seen(won.grid) == "1^ 9^ 2^ 8^ / 10^ 2^ 9^ 3^ / 1^ 8^ 3^ 9^ / 9^ 1^ 8^ 5^"
    assert len(won.stock) == 24
    assert ending(won.grid, len(won.stock)) == (True, None, 24)
    lost = turn(LAST_CELL, (3, 3), 10, options)
    assert seen(lost.grid) == "1^ 9^ 2^ 8_ / 10^ 2^ 9^ 3_ / 1^ 8^ 3^ 9_ / 9_ 1_ 8_ 10^"
    assert ending(lost.grid, len(lost.stock)) == (False, "facedown", 0)


def test_fsq_8_face_down_cards_are_compared_on_demand() -> None:
    # 5 lies between 3 and 8, so with the option neither row of E1 and X3 flips; the column is lone.
    options = replace(AUTHOR, facedown_compare=True)
    assert seen(turn("3_ 8^", (0, 2), 5, options).grid) == "3_ 8^ 5^"
    assert seen(turn("3_ 8_", (0, 2), 5, options).grid) == "3_ 8_ 5^"
    # Extreme among all of them, an equal rank face down, and no other pile at all.
    assert seen(turn("3_ 8_", (0, 2), 9, options).grid) == "3^ 8^ 9^"
    assert seen(turn("3_ 8^", (0, 2), 3, options).grid) == "3_ 8^ 3^"
    assert seen(turn("3_ 8^", (0, 2), 3, AUTHOR).grid) == "3^ 8_ 3^"
    assert seen(turn("3_ 8_", (0, 2), 9, replace(options, flip_played=True)).grid) == "3^ 8^ 9^"


def test_fsq_7_a_covered_card_takes_no_part() -> None:
    # A 9 beside a 10 would be the lowest; beside the 9 that covers the 10 it is equal, and nothing flips.
    grid = grid_of("10^", AUTHOR)
    assert grid.place((0, 0), 9) == 2
    assert grid.place((0, 1), 9) == 1
    assert grid.step("row", (0, 1)) == []
    # The 9 that covers a card face down lies face up itself, and is all that is turned.
    grid = grid_of("1_", AUTHOR)
    grid.place((0, 0), 9)
    grid.place((0, 1), 5)
    assert grid.step("row", (0, 1)) == [(0, 0)]
    assert grid.piles[0, 0] == Pile([1, 9], is_up=False)


def test_fsq_11_the_placed_card_turned_down_is_compared_by_its_rank() -> None:
    # Row: 9 > 4 turns both; column: 9 > 5 turns both although the 9 lies face down now.
    grid = grid_of("4^ . / . 5^")
    grid.place((0, 1), 9)
    assert grid.step("row", (0, 1)) == [(0, 0), (0, 1)]
    assert not grid.piles[0, 1].is_up
    assert grid.step("column", (0, 1)) == [(0, 1), (1, 1)]


@pytest.mark.parametrize(
    ("rank", "compared", "expected"),
    [
        (5, [], True),
        (5, [4], True),
        (5, [6], True),
        (5, [5], False),
        (5, [4, 3, 1], True),
        (5, [6, 7, 10], True),
        (5, [4, 6], False),
        (5, [4, 5], False),
        (5, [5, 6, 7], False),
    ],
)
def test_fsq_8a_extreme_is_strict(rank: int, compared: list[int], expected: bool) -> None:
    assert is_extreme(rank, compared) is expected


# ------------------------------------------------------------------------------------------------------------
# Places
# ------------------------------------------------------------------------------------------------------------


def test_fsq_e7_geometry() -> None:
    row = {(0, column) for column in range(4)}
    above_and_below = {(side, column) for side in (-1, 1) for column in range(4)}
    assert set(grid_of("1^ 2^ 3^ 4_").legal_cells()) == row | above_and_below
    # Diagonally, the corners beyond would make five columns.
    assert set(grid_of("1^ 2^ 3^ 4_", Options(diagonal=True)).legal_cells()) == row | above_and_below
    column = set(grid_of("1^ / 2_ / 3^ / 4^").legal_cells())
    assert column == {cell[::-1] for cell in row | above_and_below}


def test_fsq_4_next_to_a_single_pile() -> None:
    orthogonal = {(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)}
    assert set(grid_of("7_").legal_cells()) == orthogonal
    corners = {(-1, -1), (-1, 1), (1, -1), (1, 1)}
    assert set(grid_of("7_", Options(diagonal=True)).legal_cells()) == orthogonal | corners


def test_fsq_5_the_frame_grows_either_way_until_it_has_four() -> None:
    three = grid_of("1^ 2^ 3^").legal_cells()
    assert {(0, -1), (0, 3)} <= set(three)
    assert len(three) == 3 + 2 + 3 + 3
    # Four columns, three rows: (-1, ...) and (3, ...) are open, columns -1 and 4 are not, (1, 1) is a hole.
    grid = grid_of("1^ 2^ 3^ 4^ / 5^ . . . / 6^ . . .")
    fourth_row = {(-1, column) for column in range(4)} | {(3, 0)}
    inside = {(1, 1), (1, 2), (1, 3), (2, 1)}
    assert set(grid.legal_cells()) == set(grid.piles) | fourth_row | inside
    # With `diagonal`, (2, 2) is still next to nothing; (3, 1) is next to the 6.
    assert set(replace(grid, options=Options(diagonal=True)).legal_cells()) == (
        set(grid.piles) | fourth_row | inside | {(3, 1)}
    )


@pytest.mark.parametrize("max_pile", [3, 4, 10])
def test_fsq_5_e6_a_full_pile_takes_no_more(max_pile: int) -> None:
    grid = grid_of("7^", Options(max_pile=max_pile))
    for height in range(2, max_pile + 1):
        assert (0, 0) in grid.legal_cells()
        assert grid.place((0, 0), 7) == height
    assert (0, 0) not in grid.legal_cells()
    assert len(grid.legal_cells()) == 4


def test_fsq_3_the_first_card_has_one_place() -> None:
    assert Grid(Options(diagonal=True)).legal_cells() == [(0, 0)]


# ------------------------------------------------------------------------------------------------------------
# The end
# ------------------------------------------------------------------------------------------------------------

FULL = "1^ 9^ 2^ 8^ / 10^ 2^ 9^ 3^ / 1^ 8^ 3^ 9^ / 9^ 1^ 8^ 5^"
FULL_ONE_DOWN = FULL.replace("5^", "5_")
FIVE_DOWN = "1_ 2_ 3_ 4_ / 5_ . . ."
FOUR_DOWN = "1_ 2_ 3_ 4_ / 5^ . . ."


@pytest.mark.parametrize(
    ("text", "left", "options", "expected"),
    [
        (FULL, 24, LITERAL, Ending(True, None, 24)),
        (FULL, 1, LITERAL, Ending(True, None, 1)),
        (FULL, 0, LITERAL, Ending(True, None, 0)),
        (FULL, 0, Options(last_card_wins=False), Ending(False, "stock", 0)),
        (FULL, 0, Options(last_card_wins=False, max_down=0), Ending(False, "stock", 0)),
        (FULL, 1, Options(last_card_wins=False), Ending(True, None, 1)),
        (FULL, 24, Options(max_down=0), Ending(True, None, 24)),
        (FULL_ONE_DOWN, 24, LITERAL, None),
        (FULL_ONE_DOWN, 0, LITERAL, Ending(False, "stock", 0)),
        (FULL_ONE_DOWN, 24, Options(max_down=0), Ending(False, "facedown", 0)),
        (LAST_CELL, 25, LITERAL, None),
        (LAST_CELL, 0, LITERAL, Ending(False, "stock", 0)),
        (FIVE_DOWN, 20, LITERAL, Ending(False, "facedown", 0)),
        (FIVE_DOWN, 0, LITERAL, Ending(False, "facedown", 0)),
        (FIVE_DOWN, 20, Options(max_down=5), None),
        (FOUR_DOWN, 20, LITERAL, None),
        (FOUR_DOWN, 0, LITERAL, Ending(False, "stock", 0)),
        (FOUR_DOWN, 20, Options(max_down=3), Ending(False, "facedown", 0)),
        (FULL.replace("^", "_"), 20, Options(max_down=15), Ending(False, "facedown", 0)),
        (FULL.replace("^", "_"), 20, Options(max_down=16), None),
    ],
)
def test_fsq_14_to_17_endings(text: str, left: int, options: Options, expected: Ending | None) -> None:
    assert ending(grid_of(text, options), left) == expected


# ------------------------------------------------------------------------------------------------------------
# Games written by hand, every event worked out from the rules
# ------------------------------------------------------------------------------------------------------------


def event(kind: str, **keys: Any) -> Event:
    return {"event": kind, **keys}


def asked(choice: str | list[int], legal: int) -> Event:
    return event("decision", point="place", seat=0, choice=choice, legal=legal)


def drew(card: int, rank: int) -> Event:
    return event("draw", card=card, rank=rank)


def laid(rank: int, cell: list[int], height: int) -> Event:
    return event("place", rank=rank, cell=cell, height=height)


def flipped(line: str, *cells: list[int]) -> Event:
    return event("flip", line=line, cells=list(cells))


def stock_of(*first: int) -> list[int]:
    """The 40 cards in rising order, but these on top."""
    rest = list(DECK)
    for rank in first:
        rest.remove(rank)
    return [*first, *rest]


def lost(placements: int, face_down: int, loss_reason: str = "facedown") -> Event:
    return event(
        "game_end",
        status="finished",
        won=False,
        loss_reason=loss_reason,
        placements=placements,
        face_down=face_down,
        score=0,
        places=[1],
        winners=[],
    )


def game_of_nines() -> Document:
    """Reading (a), lost with two tops down: equal ranks, the automatic case, a covered card."""
    events = [
        event("shuffle", stock=stock_of(7, 9, 8, 9, 9, 1)),
        # The lone first card is turned twice (FSQ-13).
        drew(1, 7),
        laid(7, [0, 0], 1),
        flipped("row", [0, 0]),
        flipped("column", [0, 0]),
        # 7^ -> 7_ 9^
        drew(2, 9),
        asked([0, 1], 5),
        laid(9, [0, 1], 1),
        flipped("row", [0, 0], [0, 1]),
        flipped("column", [0, 1]),
        # 8 covers the 7 and is lower than 9: 8^ 9_
        drew(3, 8),
        asked([0, 0], 8),
        laid(8, [0, 0], 2),
        flipped("row", [0, 0], [0, 1]),
        flipped("column", [0, 0]),
        # Above the 9 that lies face down: the automatic case in both lines, 9^ over 9^.
        drew(4, 9),
        asked([-1, 1], 8),
        laid(9, [-1, 1], 1),
        flipped("row", [-1, 1]),
        flipped("column", [-1, 1], [0, 1]),
        # . 9^ . / 8^ 9^ 9: an equal rank in the row, alone in the column, one down.
        drew(5, 9),
        asked([0, 2], 10),
        laid(9, [0, 2], 1),
        flipped("column", [0, 2]),
        # . 9^ . / 8^ 9^ 9_ / . 1 .: alone in the row, the lowest of the column, three down.
        drew(6, 1),
        asked([1, 1], 12),
        laid(1, [1, 1], 1),
        flipped("row", [1, 1]),
        flipped("column", [-1, 1], [0, 1], [1, 1]),
        lost(placements=6, face_down=3),
    ]
    return document(Options(max_down=1), events)


def game_of_fives() -> Document:
    """Reading (b) with diagonals and face-down cards compared, lost with two tops down."""
    events = [
        event("shuffle", stock=stock_of(5, 5, 5, 5, 3, 4)),
        drew(1, 5),
        laid(5, [0, 0], 1),
        drew(2, 5),
        asked([1, -1], 9),
        laid(5, [1, -1], 1),
        # The cells around (0, 0) and (1, -1): 9 + 9, four of them twice.
        drew(3, 5),
        asked([0, 0], 14),
        laid(5, [0, 0], 2),
        # Equal ranks in the row and in the column.
        drew(4, 5),
        asked([1, 0], 14),
        laid(5, [1, 0], 1),
        # . 5^ / 5^ 5^: 3 cells above, 4 in each of the three rows from there.
        drew(5, 3),
        asked([0, 1], 15),
        laid(3, [0, 1], 1),
        flipped("row", [0, 0]),
        # . 5_ 3^ / 5^ 5^ .: in the row 4 lies between 3 and the 5 face down, in the column it is the lowest.
        # Above 4 cells (-1..2), in both rows 5 (-2..2), below 4 (-2..1).
        drew(6, 4),
        asked([0, -1], 18),
        laid(4, [0, -1], 1),
        flipped("column", [1, -1]),
        lost(placements=6, face_down=2),
    ]
    return document(Options(flip_played=False, facedown_compare=True, diagonal=True, max_down=1), events)


BY_HAND = (game_of_nines, game_of_fives)


@pytest.mark.parametrize("game", BY_HAND)
def test_a_game_written_by_hand_has_no_difference(game: Callable[[], Document]) -> None:
    assert judge(game()) == []


# ------------------------------------------------------------------------------------------------------------
# Games written by the referee itself, with a player in place of a transcript
# ------------------------------------------------------------------------------------------------------------


def played(seed: int, options: Options, choose: Choose) -> Document:
    """A whole game with a shuffled stock."""
    scribe = Scribe(choose, random.Random(seed))
    scribe.referee = Referee(options, scribe)
    scribe.referee.play()
    return document(options, scribe.events)


def at_random(chance: random.Random) -> Choose:
    return lambda referee, rank, cells: chance.choice(cells)


def wary(chance: random.Random, *, waits: bool = False) -> Choose:
    """Player who looks one card ahead: a win (if it waits, with the last card only), no loss, new piles."""

    def choose(referee: Referee, rank: int, cells: list[Cell]) -> Cell:
        def worth(cell: Cell) -> tuple[float, ...]:
            grid = copy.deepcopy(referee.grid)
            grid.place(cell, rank)
            for line in LINES:
                grid.step(line, cell)
            outcome = ending(grid, len(referee.stock))
            won = outcome is not None and outcome.won
            is_early = waits and bool(referee.stock)
            is_safe = grid.face_down <= grid.options.max_down
            return (-won if is_early else won, is_safe, cell not in referee.grid.piles, -grid.face_down)

        return max(cells, key=lambda cell: (worth(cell), chance.random()))

    return choose


def won_early() -> Document:
    """Reading (a), won with cards left."""
    return played(2, LITERAL, wary(random.Random(2)))


def won_by_the_last_card() -> Document:
    """Reading (b), the grid is completed by the 40th card; the seed is one of few that come to that."""
    return played(5, replace(AUTHOR, max_down=16), wary(random.Random(5), waits=True))


def lost_at_the_last_card() -> Document:
    """Reading (a), the stock runs out."""
    return played(1, Options(max_down=16), at_random(random.Random(1)))


def test_fsq_15_17_a_won_game_scores_the_cards_left() -> None:
    whole = won_early()
    assert judge(whole) == []
    end = whole["events"][-1]
    assert (end["won"], end["loss_reason"], end["face_down"], end["winners"]) == (True, None, 0, [0])
    assert 16 <= end["placements"] < 40
    assert end["score"] == 40 - end["placements"]


def test_fsq_16_the_last_card_wins_with_score_0_or_loses() -> None:
    whole = won_by_the_last_card()
    assert judge(whole) == []
    end = whole["events"][-1]
    assert end == {**lost(40, 0), "won": True, "loss_reason": None, "winners": [0]}
    # Without the option the same game ends at the same card, lost for the empty stock.
    whole["options"]["last_card_wins"] = False
    assert len(judge(whole)) == 3  # won, loss_reason, winners
    whole["events"][-1] = lost(40, 0, "stock")
    assert judge(whole) == []


def test_fsq_18_the_stock_runs_out_with_the_40th_card() -> None:
    whole = lost_at_the_last_card()
    assert judge(whole) == []
    end = whole["events"][-1]
    assert end == lost(40, end["face_down"], "stock")
    assert [happened["card"] for happened in whole["events"] if happened["event"] == "draw"] == list(range(1, 41))


def test_random_games_under_random_options_have_no_difference() -> None:
    kinds, endings, heights = set(), set(), set()
    for seed in range(150):
        chance = random.Random(seed)
        options = Options(**{name: chance.choice(values) for name, values in CHOICES.items()})
        choose = wary(chance) if seed % 15 == 0 else at_random(chance)
        whole = played(seed, options, choose)
        assert judge(whole) == [], seed
        for happened in whole["events"]:
            kinds.add(happened["event"])
            heights.add(happened.get("height", 1))
        end = whole["events"][-1]
        endings.add((end["won"], end["loss_reason"]))
    # The sample is worth something only if it has met everything that docs/transcripts.md names.
    assert kinds == {"shuffle", "draw", "decision", "place", "flip", "game_end"}
    assert endings == {(True, None), (False, "facedown"), (False, "stock")}
    assert max(heights) > 4


@pytest.mark.parametrize("options", [LITERAL, AUTHOR])
def test_fsq_12_the_placed_card_ends_up_if_extreme_in_both_lines_or_in_neither(options: Options) -> None:
    numbers_of_steps = set()
    for seed in range(10):
        grid = Grid(options)
        for cell, rank in placements(played(seed, options, at_random(random.Random(seed)))):
            grid.place(cell, rank)
            steps = [turned for line in LINES if (turned := grid.step(line, cell))]
            numbers_of_steps.add(len(steps))
            if options.flip_played:
                assert all(cell in turned for turned in steps)
                assert grid.piles[cell].is_up is (len(steps) != 1)
            else:
                assert not any(cell in turned for turned in steps)
                assert grid.piles[cell].is_up
    assert numbers_of_steps == {0, 1, 2}


def placements(whole: Document) -> list[tuple[Cell, int]]:
    """Cells and ranks of all the cards placed in a game."""
    placed = [happened for happened in whole["events"] if happened["event"] == "place"]
    return [((happened["cell"][0], happened["cell"][1]), happened["rank"]) for happened in placed]


@pytest.mark.parametrize("options", [LITERAL, AUTHOR])
def test_p_3_games_are_unchanged_under_transposition(options: Options) -> None:
    for seed in range(10):
        whole = played(seed, options, at_random(random.Random(seed)))
        straight, across = Grid(options), Grid(options)
        for cell, rank in placements(whole):
            straight.place(cell, rank)
            across.place(cell[::-1], rank)
            for line in LINES:
                straight.step(line, cell)
                across.step(line, cell[::-1])
            assert transposed(across) == straight
            assert sorted(cell[::-1] for cell in across.legal_cells()) == straight.legal_cells()
        assert straight.face_down == whole["events"][-1]["face_down"]


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


Plant = Callable[[list[Event]], object]

# In game_of_nines, with a word that the sentence must hold.
FAULTS: dict[str, tuple[Plant, str]] = {
    "rank five times in the shuffle": (lambda e: e[0]["stock"].__setitem__(39, 1), "FSQ-1"),
    "39 cards": (lambda e: e[0]["stock"].pop(), "FSQ-1"),
    "41 cards": (lambda e: e[0]["stock"].append(1), "FSQ-1"),
    "shuffled rank that is none": (lambda e: e[0]["stock"].__setitem__(39, 11), "FSQ-1"),
    "another rank drawn": (lambda e: e[at(e, "draw", 2)].update(rank=1), "rank"),
    "card drawn twice": (lambda e: e.insert(at(e, "draw", 2), drew(2, 9)), "decision"),
    "number of the card drawn twice": (lambda e: e[at(e, "draw", 2)].update(card=2), "card"),
    "cards drawn in another order": (lambda e: e[0]["stock"].__setitem__(slice(0, 2), [9, 7]), "rank"),
    "draw left out": (lambda e: e.pop(at(e, "draw", 2)), "FSQ-2"),
    "first card asked": (lambda e: e.insert(2, asked([0, 0], 1)), "place"),
    "first card elsewhere": (lambda e: e[2].update(cell=[1, 1]), "cell"),
    "decision left out": (lambda e: e.pop(at(e, "decision")), "decision"),
    "decision of another seat": (lambda e: e[at(e, "decision")].update(seat=1), "seat 0"),
    "decision of another kind": (lambda e: e[at(e, "decision")].update(point="first"), "place"),
    "cell next to nothing": (lambda e: e[at(e, "decision")].update(choice=[2, 0]), "legal"),
    "cell next to a corner": (lambda e: e[at(e, "decision")].update(choice=[1, 1]), "legal"),
    "cell of three numbers": (lambda e: e[at(e, "decision")].update(choice=[0, 1, 0]), "legal"),
    "word for a cell": (lambda e: e[at(e, "decision")].update(choice="first"), "legal"),
    "one alternative too many": (lambda e: e[at(e, "decision", 3)].update(legal=11), "legal"),
    "one alternative too few": (lambda e: e[at(e, "decision", 3)].update(legal=9), "legal"),
    "card on a cell that was not chosen": (lambda e: e[at(e, "place", 3)].update(cell=[-1, 0]), "cell"),
    "card of another rank placed": (lambda e: e[at(e, "place", 3)].update(rank=8), "rank"),
    "covering pile of height 1": (lambda e: e[at(e, "place", 2)].update(height=1), "height"),
    "placing left out": (lambda e: e.pop(at(e, "place", 2)), "FSQ-2 to FSQ-5"),
    "row step left out": (lambda e: e.pop(at(e, "flip", 2)), "row"),
    "column step left out": (lambda e: e.pop(at(e, "flip", 5)), "column"),
    "column step before the row step": (lambda e: e.insert(at(e, "flip", 2), e.pop(at(e, "flip", 3))), "row"),
    "flip for an equal rank": (
        lambda e: e.insert(at(e, "place", 4) + 1, flipped("row", [0, 0], [0, 1], [0, 2])),
        "column",
    ),
    "step that turns nothing": (lambda e: e.insert(at(e, "place", 4) + 1, flipped("row")), "column"),
    "flip of the wrong line": (lambda e: e[at(e, "flip", 2)].update(line="column"), "line"),
    "placed card not turned": (lambda e: e[at(e, "flip", 2)]["cells"].pop(), "cells"),
    "other card not turned": (lambda e: e[at(e, "flip", 2)]["cells"].pop(0), "cells"),
    "empty cell turned": (lambda e: e[at(e, "flip", 2)]["cells"].append([0, 2]), "cells"),
    "cells turned in another order": (lambda e: e[at(e, "flip", 2)]["cells"].reverse(), "cells"),
    "flip twice": (lambda e: e.insert(at(e, "flip", 2), flipped("row", [0, 0], [0, 1])), "column"),
    "loss called a win": (lambda e: e[-1].update(won=True), "won"),
    "score of a loss": (lambda e: e[-1].update(score=34), "score"),
    "wrong reason": (lambda e: e[-1].update(loss_reason="stock"), "loss_reason"),
    "no reason": (lambda e: e[-1].update(loss_reason=None), "loss_reason"),
    "wrong number of placements": (lambda e: e[-1].update(placements=5), "placements"),
    "wrong number of tops down": (lambda e: e[-1].update(face_down=2), "face_down"),
    "winner of a lost game": (lambda e: e[-1].update(winners=[0]), "winners"),
    "wrong place": (lambda e: e[-1].update(places=[2]), "places"),
    "capped": (lambda e: e[-1].update(status="capped"), "status"),
    "game going on after its end": (lambda e: e.insert(-1, drew(7, 1)), "game_end"),
    "end one turn early": (lambda e: e.__delitem__(slice(at(e, "draw", 5), -1)), "draw"),
    "missing end": (lambda e: e.pop(), "the end of the transcript"),
    "something after the end": (lambda e: e.append(e[-1]), "nothing after"),
    "unknown event": (lambda e: e.insert(1, event("shout")), "shout"),
    "unknown key": (lambda e: e[1].update(seat=0), "seat"),
    "missing key": (lambda e: e[1].pop("card"), "no such key"),
    "number written as a fraction": (lambda e: e[2].update(rank=7.0), "rank"),
    "number written as a truth": (lambda e: e[2].update(height=True), "height"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_reported(name: str) -> None:
    plant, named = FAULTS[name]
    whole = game_of_nines()
    plant(whole["events"])
    differences = judge(whole)
    assert differences
    assert any(named in difference for difference in differences)


@pytest.mark.parametrize(
    ("game", "wrong", "named"),
    [
        (game_of_nines, {"flip_played": False}, "row"),
        (game_of_nines, {"facedown_compare": True}, "flip"),
        (game_of_nines, {"diagonal": True}, "legal"),
        (game_of_nines, {"max_down": 0}, "game_end"),
        (game_of_nines, {"max_down": 3}, "draw"),
        (game_of_fives, {"flip_played": True}, "flip"),
        (game_of_fives, {"facedown_compare": False}, "row"),
        (game_of_fives, {"diagonal": False}, "legal"),
        (game_of_fives, {"max_down": 2}, "draw"),
    ],
)
def test_a_game_of_other_options_is_reported(game: Callable[[], Document], wrong: dict[str, Any], named: str) -> None:
    whole = game()
    whole["options"].update(wrong)
    assert any(named in difference for difference in judge(whole))


def test_a_pile_too_high_is_reported() -> None:
    # Four 5s cannot be piled where max_pile is 3: on the fourth, only the cells around are left.
    stock = stock_of(5, 5, 5, 5)
    events = [event("shuffle", stock=stock), drew(1, 5), laid(5, [0, 0], 1)]
    for card in (2, 3, 4):
        events += [drew(card, 5), asked([0, 0], 5), laid(5, [0, 0], card)]
    # The events up to there are right, so what is missing is the next draw.
    assert judge(document(AUTHOR, events)) == [
        "event 12: expected {'card': 5, 'event': 'draw', 'rank': 1} (by FSQ-2), found 'the end of the transcript'"
    ]
    differences = judge(document(replace(AUTHOR, max_pile=3), events))
    assert len(differences) == 1
    assert differences[0].startswith("event 10: expected place of seat 0 to be legal")


def test_a_won_game_going_on_is_reported() -> None:
    events = won_early()["events"]
    card = events[-1]["placements"] + 1
    rank = events[0]["stock"][card - 1]
    differences = judge(document(LITERAL, [*events[:-1], drew(card, rank)]))
    assert len(differences) == 1
    assert "'won': True" in differences[0]
    assert "'draw'" in differences[0]


@pytest.mark.parametrize("key", ["score", "placements"])
@pytest.mark.parametrize("change", [-1, 1])
def test_a_wrong_count_of_a_won_game_is_reported(key: str, change: int) -> None:
    whole = won_early()
    whole["events"][-1][key] += change
    differences = judge(whole)
    assert len(differences) == 1
    assert key in differences[0]


def test_every_change_of_every_value_is_reported() -> None:
    for game in BY_HAND:
        whole = game()
        for what, changed in with_a_value_spoilt(whole):
            assert judge(changed), (game, what)
        assert judge(whole) == []


def test_every_event_left_out_doubled_or_exchanged_is_reported() -> None:
    for game in (*BY_HAND, won_early):
        for what, index, changed in with_an_event_spoilt(game()):
            assert judge(changed), (game, index, what)


def test_every_key_around_the_events_is_checked() -> None:
    whole = game_of_nines()
    for what, spoilt in with_a_key_spoilt(whole):
        assert judge(spoilt), what
    wrong_seats: list[Document] = [{"seats": 2}, {"rotation": 1}, {"deal": -1}, {"skills": []}, {"skills": [{"a": 1}]}]
    for wrong in wrong_seats:
        assert judge({**whole, **wrong}), wrong
    for names in ([], [""], ["random"] * 2):
        assert judge({**whole, "entrants": names}), names
    for name in whole["options"]:
        rest = {other: value for other, value in whole["options"].items() if other != name}
        assert judge({**whole, "options": rest}), name
        wrong_values: list[Any] = [None, "?", -1, 0.5, [], 17, 1.0]
        for value in wrong_values:
            assert judge({**whole, "options": {**whole["options"], name: value}}), (name, value)
    assert judge({**whole, "options": {**whole["options"], "max_rows": 4}})


@pytest.mark.parametrize(
    ("name", "value", "is_allowed"),
    [
        ("max_down", -1, False),
        ("max_down", 0, True),
        ("max_down", 16, True),
        ("max_down", 17, False),
        ("max_down", True, False),
        ("max_pile", 2, False),
        ("max_pile", 3, True),
        ("max_pile", 10, True),
        ("max_pile", 11, False),
        ("diagonal", 1, False),
        ("diagonal", True, True),
    ],
)
def test_bounds_of_the_options(name: str, value: object, is_allowed: bool) -> None:
    faults = list(faults_of_options({**vars(LITERAL), name: value}))
    assert (faults == []) is is_allowed
    assert all(name in fault for fault in faults)


def test_the_settings_drawn_name_every_option_with_its_default_first() -> None:
    assert {name: values[0] for name, values in CHOICES.items()} == vars(LITERAL)
    # RULES.md section 7, "default first" and "printed".
    assert vars(LITERAL) == {
        "flip_played": True,
        "facedown_compare": False,
        "diagonal": False,
        "last_card_wins": True,
        "max_down": 4,
        "max_pile": 4,
    }
    for name, values in CHOICES.items():
        assert len(set(values)) == len(values) >= 2
        for value in values:
            assert list(faults_of_options({**vars(LITERAL), name: value})) == []


@pytest.mark.parametrize("whole", [None, 1, "game", [], [{}], {}, {1: 2}])
def test_what_is_no_transcript_is_reported(whole: object) -> None:
    assert judge(whole)


def test_junk_is_a_difference_and_never_a_traceback() -> None:
    chance = random.Random(3)
    junk: list[Any] = [None, True, -1, 0, 3, 1e400, 10**5000, "", [], [[]], {}, [1, None], {"event": 1}]
    base = game_of_fives()
    for _ in range(2000):
        whole = copy.deepcopy(base)
        place = chance.choice([*whole["events"], whole["options"], whole, *whole["skills"]])
        place[chance.choice(list(place) or ["reflex"])] = chance.choice(junk)
        assert all(isinstance(difference, str) for difference in judge(whole))
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    base["events"][4]["cell"] = deep
    assert judge(base)


def test_p_2_a_lost_card_stops_the_game() -> None:
    def lose(referee: Referee, rank: int, cells: list[Cell]) -> Cell:
        referee.stock.pop()
        return cells[0]

    with pytest.raises(DivergenceError, match="P-2"):
        played(1, LITERAL, lose)
