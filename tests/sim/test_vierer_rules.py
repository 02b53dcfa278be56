"""The rules of Vierer, one test or more per rule id and per worked example (RULES.md 5).

Expectations come from the rule's sentence or from the sum written beside them, never from the engine.
"""

from collections import Counter
from typing import Any

import pytest

from sim.contract import load_game
from sim.errors import IllegalAction, SpecError
from sim.games.vierer import engine
from sim.games.vierer.spec import DEFAULT_DECK, SEEN_OPEN, card_points
from sim.job import Entrant, make_job
from sim.play import Session, transcript_of
from sim.table import make_table
from tests.sim import kernels
from tests.sim.stepping import Event
from tests.sim.vierer_table import Position, cards_in, stand, table_of

# Hands of which no card matches another, so that no throw is right unless a test wants it.
PLAIN_HANDS = ("1 orange, 2 orange, 3 orange, 4 orange", "5 pink, 6 pink, 9 pink, 10 pink")


def begun(seats: int = 4, options: dict[str, Any] | None = None, *, deal: int = 0, seed: int = 1) -> Position:
    """A game from its very beginning."""
    table = table_of(seats, options, seed=seed)
    return Position(Session(table, deal, is_logged=True), table.spec.cards)


def round_end(hands: list[str], knocker: int, **position: Any) -> Event:
    """Let a round end after one more turn, of the seat before the knocker, in which nothing changes."""
    seats = len(hands)
    if knocker >= 0:
        position = {"seat": (knocker - 1) % seats, "knocker": knocker, "turns_left": 1, **position}
    return stand(hands, stock="5 blue", **position).until_event("round_end")


def turns_of_round(at: Position) -> list[int]:
    """Whose turns there were until the round's end."""
    names = [event["event"] for event in at.events]
    return [event["seat"] for event in at.events[: names.index("round_end")] if event["event"] == "turn"]


def game_end(hands: list[str], knocker: int, **position: Any) -> Position:
    """As `round_end`, but give the whole position."""
    at = stand(hands, stock="5 blue", seat=(knocker - 1) % len(hands), knocker=knocker, turns_left=1, **position)
    at.until_event("round_end")
    return at


# ── Deck and set-up ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_vie_1_default_deck_is_four_colours_by_thirteen_ranks() -> None:
    assert len(set(DEFAULT_DECK)) == 52
    assert Counter(card.split()[1] for card in DEFAULT_DECK) == dict.fromkeys(("orange", "pink", "green", "blue"), 13)
    ranks = [str(number) for number in range(1, 11)] + ["X", "Y", "Z"]
    assert Counter(card.split()[0] for card in DEFAULT_DECK) == dict.fromkeys(ranks, 4)


def test_vie_1_a_deck_of_a_file_is_dealt_and_may_hold_a_card_twice() -> None:
    deck = ("1 orange", "1 orange", "2 pink", "X blue", "Z green", "7 pink")
    at = begun(2, {"deck": deck, "hand_size": 2})
    (shuffle,) = at.named("shuffle")
    assert sorted(shuffle["stock"]) == [0, 1, 2, 3, 4, 5]
    assert sorted(at.hand(0) + at.hand(1) + at.discards + at.stock) == sorted(deck)


@pytest.mark.parametrize(
    ("card", "points"),
    [
        ("1 orange", 1),
        ("6 pink", 6),
        ("10 green", 10),
        ("X blue", 10),
        ("Y pink", 10),
        ("Z orange", 10),
        ("Z pink", 10),
        ("Z green", -1),
        ("Z blue", -1),
    ],
)
def test_vie_2_points(card: str, points: int) -> None:
    assert card_points(card) == points


@pytest.mark.parametrize("seats", range(2, 9))
def test_vie_3_two_to_eight_seats(seats: int) -> None:
    at = begun(seats)
    assert [len(at.hand(seat)) for seat in range(seats)] == [4] * seats
    assert len(at.stock) == 52 - 4 * seats - 1


@pytest.mark.parametrize("seats", [1, 9])
def test_vie_3_other_numbers_are_refused(seats: int) -> None:
    with pytest.raises(SpecError, match="2 to 8 seats"):
        begun(seats)


def test_vie_4_everybody_sees_the_two_near_cards_and_nothing_else() -> None:
    at = begun(3)
    assert [(look["seat"], look["owner"], look["slot"]) for look in at.named("look")] == [
        (0, 0, 0),
        (0, 0, 1),
        (1, 1, 0),
        (1, 1, 1),
        (2, 2, 0),
        (2, 2, 1),
    ]
    for seat in range(3):
        assert at.known(seat) == {(seat, slot): at.hand(seat)[slot] for slot in (0, 1)}


@pytest.mark.parametrize("hand_size", range(2, 7))
def test_vie_4_hand_size_and_peek(hand_size: int) -> None:
    for peek in range(hand_size + 1):
        at = begun(2, {"hand_size": hand_size, "peek": peek})
        assert [len(at.hand(seat)) for seat in (0, 1)] == [hand_size] * 2
        assert set(at.known(1)) == {(1, slot) for slot in range(peek)}


def test_vie_4_bounds_of_hand_size_and_peek() -> None:
    for options in ({"hand_size": 1}, {"hand_size": 7}, {"peek": -1}, {"peek": 5}):
        with pytest.raises(SpecError):
            begun(2, options)


def test_vie_5_the_first_discard_is_turned_up_and_its_special_is_not_used() -> None:
    specials = 0
    for deal in range(30):
        at = begun(2, deal=deal)
        (shuffle,) = at.named("shuffle")
        assert at.discards == [DEFAULT_DECK[shuffle["stock"][8]]]  # Eight cards were dealt before.
        assert at.names[-3:] == ["turn_up", "turn", "window"]
        specials += at.discards[0].split()[0] in ("7", "8", "9", "10", "X", "Y")
    assert specials > 0


def test_vie_5_without_a_first_discard_the_first_player_draws_from_the_stock() -> None:
    at = begun(2, {"initial_discard": False})
    assert at.named("turn_up") == []
    assert at.names[-2:] == ["turn", "draw"]  # No window, no question.
    assert at.named("draw")[0]["source"] == "stock"
    assert at.point == "keep"


def test_vie_6_first_start_seat_is_drawn() -> None:
    drawn = Counter(begun(4, deal=deal).named("round")[0]["first_seat"] for deal in range(400))
    # Binomial with n = 400, p = 1/4: mean 100, deviation sqrt(75) < 8.7; five of them.
    assert all(abs(drawn[seat] - 100) < 44 for seat in range(4))
    assert begun(4).named("round")[0]["chance"] is True


def test_vie_6_the_loser_of_a_round_starts_the_next() -> None:
    # Sums 1, 3, 20: the knocker 0 succeeds, seat 2 grows most.
    at = game_end(["1 orange", "3 orange", "X orange, Y orange"], 0, totals=[0, 60, 0])
    assert at.named("round") == [{"round": 2, "first_seat": 2, "chance": False}]


def test_vie_6_without_a_knocker_a_tie_goes_to_the_left_of_the_last_turn() -> None:
    # Everybody holds 10; seat 1 has the last turn, so seat 2 is nearest to the left and seat 1 itself last.
    at = stand(["X orange", "X pink", "X green"], stock="5 blue", seat=1, round_turn=199, options={"max_turns": 200})
    end = at.until_event("round_end")
    assert (end["reason"], end["points"]) == ("max_turns", [10, 10, 10])
    assert at.named("round")[0]["first_seat"] == 2


# ── A turn ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_vie_7_draws_from_either_pile() -> None:
    at = stand(PLAIN_HANDS, stock="Z green", discards="8 pink").throws()
    assert (at.point, at.choices()) == ("draw", ["stock", "discard"])
    at.do("draw", 0, "discard")
    assert at.named("draw") == [{"seat": 0, "source": "discard", "card": DEFAULT_DECK.index("8 pink")}]
    at = stand(PLAIN_HANDS, stock="Z green", discards="8 pink").throws().do("draw", 0, "stock")
    assert at.named("draw") == [{"seat": 0, "source": "stock", "card": DEFAULT_DECK.index("Z green")}]


def test_vie_7_turns_go_clockwise() -> None:
    at = begun(3)
    first = at.named("round")[0]["first_seat"]
    while len(at.named("turn")) < 7:
        at.plain()
    turns = at.named("turn")
    assert [turn["seat"] for turn in turns] == [(first + step) % 3 for step in range(7)]
    assert [turn["turn"] for turn in turns] == [1, 2, 3, 4, 5, 6, 7]


def test_vie_8_a_taken_discard_must_be_swapped_in_and_gives_no_special() -> None:
    at = stand(["7 orange, 2 orange", "5 pink, 6 pink"], discards="Y pink").throws().do("draw", 0, "discard")
    assert (at.point, at.choices()) == ("swap", [[0], [1]])
    at.do("swap", 0, [0])
    assert at.hand(0) == ["Y pink", "2 orange"]
    assert at.discards[0] == "7 orange"
    assert (at.point, at.names[-1]) == ("throw", "window")  # The 7 is not used.
    assert at.known(0) == at.known(1) == {(0, 0): "Y pink"}  # Everybody knows the card taken.


def test_vie_8_with_one_card_the_swap_is_not_asked() -> None:
    at = stand(["7 orange", "5 pink, 6 pink"], discards="Y pink").throws().do("draw", 0, "discard")
    assert at.hand(0) == ["Y pink"]
    assert at.discards[0] == "7 orange"


def test_vie_8_without_cards_the_discard_cannot_be_taken() -> None:
    at = stand(["-", "5 pink, 6 pink"], stock="1 pink", discards="Y pink").throws()
    assert at.named("draw") == [{"seat": 0, "source": "stock", "card": DEFAULT_DECK.index("1 pink")}]


@pytest.mark.parametrize("is_open", [False, True])
def test_vie_8_taken_face_up_is_never_forgotten(is_open: bool) -> None:
    at = stand(["7 orange, 2 orange", "5 pink, 6 pink"], discards="Y pink", options={"taken_face_up": is_open})
    at.throws().do("draw", 0, "discard").do("swap", 0, [0])
    now = int(at.session.state["turn"])
    assert [at.seen(viewer, (0, 0)) for viewer in (0, 1)] == [SEEN_OPEN if is_open else now] * 2


def test_vie_9_a_stock_card_swapped_in_is_seen_by_the_drawer_and_gives_no_special() -> None:
    at = stand(["9 orange, 2 orange", "5 pink, 6 pink"], stock="X pink", discards="1 pink")
    at.throws().do("draw", 0, "stock")
    assert (at.point, at.choices()) == ("keep", ["throw_away", [0], [1]])
    at.do("keep", 0, [0])
    assert at.hand(0) == ["X pink", "2 orange"]
    assert at.discards[0] == "9 orange"
    assert at.point == "throw"
    assert at.known(0) == {(0, 0): "X pink"}
    assert at.known(1) == {}


@pytest.mark.parametrize(("card", "point"), [("7 blue", "special"), ("X blue", "special"), ("1 blue", "throw")])
def test_vie_10_only_a_card_thrown_away_directly_gives_its_special(card: str, point: str) -> None:
    at = stand(PLAIN_HANDS, stock=card, discards="8 pink").throws().do("draw", 0, "stock")
    at.do("keep", 0, "throw_away")
    assert at.discards[0] == card
    assert at.point == point
    if point == "special":
        assert at.choices()[0] == "decline"  # It may be used.
        before = (at.hand(0), at.hand(1), at.known(0), at.known(1))
        at.do("special", 0, "decline")
        assert (at.hand(0), at.hand(1), at.known(0), at.known(1)) == before
        assert at.names[-1] == "window"


@pytest.mark.parametrize("rank", ["7", "8"])
def test_vie_11_look_at_one_own_card(rank: str) -> None:
    at = special(f"{rank} blue")
    assert at.choices() == ["decline", [0], [1], [2], [3]]
    at.do("special", 0, [2])
    assert at.known(0) == {(0, 2): "3 orange"}
    assert at.known(1) == {}
    assert at.session.state["views"][1]["places"]["knowers"][0, 2] == 0b01  # Seat 1 saw who looked.


@pytest.mark.parametrize("rank", ["9", "10"])
def test_vie_12_look_at_one_card_of_an_opponent(rank: str) -> None:
    at = special(f"{rank} blue", hands=(*PLAIN_HANDS, "2 blue, -, 3 blue"))
    assert at.choices() == ["decline", [1, 0], [1, 1], [1, 2], [1, 3], [2, 0], [2, 2]]
    at.do("special", 0, [1, 1])
    assert at.known(0) == {(1, 1): "6 pink"}
    assert at.known(1) == at.known(2) == {}


@pytest.mark.parametrize("rank", ["X", "Y"])
def test_vie_13_trade_an_own_card_for_an_opponents_unseen(rank: str) -> None:
    at = special(f"{rank} blue", hands=("1 orange, 2 orange", "5 pink, 6 pink", "2 blue"))
    targets = [[1, 0], [1, 1], [2, 0]]
    assert at.choices()[0] == "decline"
    assert sorted(at.choices()[1:]) == sorted([[own, *target] for own in (0, 1) for target in targets])
    at.do("special", 0, [1, 2, 0])
    assert (at.hand(0), at.hand(1), at.hand(2)) == (["1 orange", "2 blue"], ["5 pink", "6 pink"], ["2 orange"])
    assert at.known(0) == at.known(1) == at.known(2) == {}


@pytest.mark.parametrize("colour", ["orange", "pink"])
def test_vie_14_look_then_take_or_leave(colour: str) -> None:
    at = special(f"Z {colour}")
    assert at.choices() == ["decline", [1, 0], [1, 1], [1, 2], [1, 3]]
    at.do("special", 0, [1, 2])
    assert at.known(0) == {(1, 2): "9 pink"}
    assert (at.point, at.choices()) == ("take", ["leave", [0], [1], [2], [3]])
    at.do("take", 0, [3])
    assert at.hand(0)[3] == "9 pink"
    assert at.hand(1)[2] == "4 orange"
    assert at.known(0) == {(0, 3): "9 pink"}
    assert at.known(1) == {}
    left = special(f"Z {colour}").do("special", 0, [1, 2]).do("take", 0, "leave")
    assert (left.hand(0)[3], left.hand(1)[2]) == ("4 orange", "9 pink")


@pytest.mark.parametrize("colour", ["green", "blue"])
def test_vie_15_the_other_z_have_no_special(colour: str) -> None:
    assert thrown_away(f"Z {colour}").point == "throw"


@pytest.mark.parametrize("card", ["7 blue", "X blue"])
def test_vie_15_without_an_own_card_a_special_that_needs_one_is_void(card: str) -> None:
    at = stand(["-", "5 pink, 6 pink"], stock=card, discards="1 pink").throws()
    assert at.names[-2:] == ["throw_away", "window"]


def test_vie_15_without_an_opponents_card_nothing_happens() -> None:
    for card in ("9 blue", "Y blue", "Z pink"):
        at = stand(["2 orange, 3 pink", "-"], stock=card, discards="1 pink").throws().do("draw", 0, "stock")
        at.do("keep", 0, "throw_away")
        assert at.point != "special"


def test_vie_15_without_own_cards_a_z_looks_and_a_nine_looks() -> None:
    for card in ("9 blue", "Z pink"):
        at = stand(["-", "5 pink, 6 pink"], stock=card, discards="1 pink").throws()
        assert at.choices() == ["decline", [1, 0], [1, 1]]
        at.do("special", 0, [1, 1])
        assert at.known(0) == {(1, 1): "6 pink"}
        assert at.point == "throw"  # There is nothing to take it for.


def test_vie_16_knowledge_follows_the_card() -> None:
    knows = {0: [(0, 0)], 1: [(0, 0), (1, 1)], 2: [(1, 1)]}
    hands = ("1 orange, 2 orange", "5 pink, 6 pink", "2 blue, 3 blue")
    at = special("X blue", hands=hands, knows=knows).do("special", 0, [0, 1, 1])
    assert (at.hand(0), at.hand(1)) == (["6 pink", "2 orange"], ["5 pink", "1 orange"])
    assert at.known(0) == {(1, 1): "1 orange"}
    assert at.known(1) == {(1, 1): "1 orange", (0, 0): "6 pink"}
    assert at.known(2) == {(0, 0): "6 pink"}
    assert at.seen(0, (1, 1)) == 5  # It was seen in turn 5, and nobody has looked since.
    for viewer in range(3):  # Everybody knows who has seen which of the two.
        knowers = at.session.state["views"][viewer]["places"]["knowers"]
        assert (knowers[1, 1], knowers[0, 0]) == (0b011, 0b110)


def test_vie_17_without_cards_a_player_plays_on_and_counts_nothing() -> None:
    at = stand(["-", "5 pink, 6 pink"], stock="1 blue", discards="1 pink").throws()
    assert at.names[-3:] == ["draw", "throw_away", "window"]  # Only B2 is left, so nothing is asked.
    assert at.until("knock").seat == 0
    assert round_end(["", "5 pink"], 1, totals=[7, 7])["sums"] == [0, 5]


def test_vie_17_empty_ends_round_counts_an_empty_hand_as_a_knock() -> None:
    options = {"empty_ends_round": True, "min_turns_before_knock": 50}
    at = stand(["1 pink, 2 pink", "1 green, 3 pink", "-"], stock="5 blue", discards="8 pink", options=options)
    knock = at.until_event("knock")
    assert knock == {"seat": 2, "counted": True}
    end = at.until_event("round_end")
    # Seat 2 has none and wins; the other two have one more turn each, from the left of the seat in turn.
    assert turns_of_round(at) == [0, 1, 0]
    assert (end["knocker"], end["success"], end["points"]) == (2, True, [3, 4, -10])


# ── Throwing a matching card ─────────────────────────────────────────────────────────────────────────────────────────


def test_vie_18_a_matching_card_goes_on_the_pile() -> None:
    at = stand(["1 orange, 2 orange", "5 pink, 8 blue"], discards="8 pink").throws({1: (1, 1)})
    assert at.named("throw") == [
        {"seat": 1, "owner": 1, "slot": 1, "card": DEFAULT_DECK.index("8 blue"), "right": True}
    ]
    assert at.hand(1) == ["5 pink"]
    assert at.discards[:2] == ["8 blue", "8 pink"]


def matches(match_by: str, top: str, card: str) -> bool:
    """Whether the engine calls a throw of `card` on `top` right."""
    table = table_of(2, {"match_by": match_by})
    return bool(kernels.matches(table.state(), DEFAULT_DECK.index(top), DEFAULT_DECK.index(card)))


@pytest.mark.parametrize("match_by", ["rank", "points", "either"])
def test_vie_19_what_matches(match_by: str) -> None:
    for top in DEFAULT_DECK:
        for card in ("10 green", "X blue", "Z orange", "Z blue", "3 pink"):
            is_rank = top.split()[0] == card.split()[0]
            is_points = card_points(top) == card_points(card)
            expected = {"rank": is_rank, "points": is_points, "either": is_rank or is_points}[match_by]
            assert matches(match_by, top, card) == expected, (top, card)


def test_vie_19_examples_by_the_rule() -> None:
    assert not matches("rank", "10 pink", "X blue")
    assert matches("rank", "Z orange", "Z green")
    assert matches("points", "10 pink", "X blue")
    assert matches("points", "Y pink", "Z orange")
    assert not matches("points", "Z orange", "Z green")
    assert matches("points", "Z blue", "Z green")
    assert matches("either", "Z orange", "Z green")
    assert matches("either", "Z orange", "10 green")
    assert not matches("either", "9 orange", "10 green")


def test_vie_20_own_cards_except_in_the_own_turn_and_everybodys_others() -> None:
    at = stand(["1 orange, 2 orange", "5 pink, 6 pink", "2 blue"], discards="8 pink")
    assert (at.seat, at.choices()) == (0, ["pass", [1, 0], [1, 1], [2, 0]])
    at.do("throw", 0, "pass")
    assert (at.seat, at.choices()) == (1, ["pass", [1, 0], [1, 1], [2, 0], [0, 0], [0, 1]])
    at.do("throw", 1, "pass")
    assert (at.seat, at.choices()) == (2, ["pass", [2, 0], [0, 0], [0, 1], [1, 0], [1, 1]])


def test_vie_21_one_card_a_turn_and_one_attempt_a_window() -> None:
    at = stand(["1 orange, 2 orange", "8 green, 6 pink", "8 blue, 3 blue"], discards="8 pink")
    at.throws({1: (1, 0), 2: (2, 0)})
    assert [throw["right"] for throw in at.named("throw")] == [True]  # The other attempt is void.
    at.until("knock")
    assert [window["window"] for window in at.named("window")] == ["start"]


def test_vie_21_a_wrong_attempt_leaves_the_turns_throw_to_others() -> None:
    at = stand(["1 orange, 2 orange", "9 green, 6 pink"], stock="4 blue, 9 blue", discards="8 pink")
    at.throws({1: (1, 0)})
    assert at.named("throw")[0]["right"] is False
    at.do("draw", 0, "stock").do("keep", 0, "throw_away").do("special", 0, "decline").throws({1: (1, 0)})
    assert at.named("throw")[1]["right"] is True  # Now a 9 lies on top.


def gift(give: str, own: str = "1 orange, 2 orange") -> Position:
    """Seat 0 in turn throws seat 1's 8 rightly."""
    hands = [own, "5 pink, 8 blue"]
    return stand(hands, discards="8 pink", options={"give": give}).throws({0: (1, 1)})


def test_vie_22_optional_gift_goes_into_the_empty_slot_unseen() -> None:
    at = gift("optional")
    assert (at.point, at.seat, at.choices()) == ("give", 0, ["none", [0], [1]])
    at.do("give", 0, [0])
    assert (at.hand(0), at.hand(1)) == (["-", "2 orange"], ["5 pink", "1 orange"])
    assert at.known(0) == at.known(1) == {}
    assert gift("optional").do("give", 0, "none").hand(1) == ["5 pink"]


def test_vie_22_the_giver_still_knows_his_card() -> None:
    at = stand(["1 orange, 2 orange", "5 pink, 8 blue"], discards="8 pink", knows={0: [(0, 0)]})
    at.throws({0: (1, 1)}).do("give", 0, [0])
    assert at.known(0) == {(1, 1): "1 orange"}
    assert at.known(1) == {}


def test_vie_22_forced_and_never() -> None:
    assert gift("forced").choices() == [[0], [1]]
    at = gift("forced", "1 orange")  # A single card is not asked, it is given.
    assert (at.hand(0), at.hand(1)) == ([], ["5 pink", "1 orange"])
    assert at.named("give") == [{"seat": 0, "slot": 0, "owner": 1, "owner_slot": 1}]
    assert (gift("never").point, gift("never").hand(1)) == ("draw", ["5 pink"])


@pytest.mark.parametrize("give", ["optional", "forced"])
def test_vie_22_without_own_cards_there_is_nothing_to_give(give: str) -> None:
    assert gift(give, "-").named("give") == []
    assert gift(give, "-").point != "give"


def test_vie_22_no_gift_after_an_own_card() -> None:
    at = stand(["1 orange, 2 orange", "5 pink, 8 blue"], discards="8 pink").throws({1: (1, 1)})
    assert at.point == "draw"


@pytest.mark.parametrize(("window", "expected"), [("both", ["start", "end"]), ("after_discard", ["end"])])
def test_vie_23_windows_of_a_turn(window: str, expected: list[str]) -> None:
    at = stand(PLAIN_HANDS, stock="7 blue", discards="8 pink", options={"window": window}).until("knock")
    assert [event["window"] for event in at.named("window")] == expected
    # The second window comes after the discard and its special, before the knock.
    assert at.names[-2:] == ["throw_away", "window"]
    assert [event["point"] for event in at.events if event["event"] == "decision"][-3:] == ["special", "throw", "throw"]


def test_vie_23_who_is_no_longer_in_turn_may_throw_the_twin() -> None:
    # Seat 0 lays an 8 down in its turn; in seat 1's start window it throws its own second 8.
    at = stand(["8 orange, 8 pink", "5 pink, 6 pink"], stock="1 blue", discards="2 pink").throws()
    at.do("draw", 0, "stock").do("keep", 0, [0])
    assert [0, 1] not in at.choices()
    at.throws().do("knock", 0, "no")
    at.do("throw", 1, "pass").do("throw", 0, [0, 1])
    assert at.named("throw")[0]["right"] is True
    assert at.hand(0) == ["1 blue"]


def test_vie_23_no_window_without_a_discard() -> None:
    at = begun(2, {"initial_discard": False})
    assert at.named("window") == []
    # Without any draw a turn has no discard, and no second window: one card in all lies on the pile, hands are empty.
    deck = ("1 orange", "2 orange", "3 orange", "4 orange", "5 orange")
    at = stand(
        ["-", "1 orange, 2 orange, 3 orange, 4 orange"], discards="5 orange", options={"deck": deck, "hand_size": 2}
    )
    at.throws()
    assert at.point == "knock"
    assert at.named("draw") == []
    assert [event["window"] for event in at.named("window")] == ["start"]


def test_vie_24_attempts_are_ordered_by_chance_and_the_first_right_one_wins() -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    for seed in range(60):
        at = stand(["1 orange", "8 green, 6 pink", "8 blue, 3 blue"], discards="8 pink", seed=seed)
        at.throws({1: (1, 0), 2: (2, 0)})
        (attempts,) = at.named("attempts")
        assert sorted(attempts["order"]) == [1, 2]
        (throw,) = at.named("throw")
        assert throw["seat"] == attempts["order"][0]
        assert at.named("penalty") == []
        orders[tuple(attempts["order"])] += 1
    # Two orders of equal chance: mean 30, deviation sqrt(15) < 3.9; four of them.
    assert set(orders) == {(1, 2), (2, 1)}
    assert abs(orders[1, 2] - 30) < 16


def test_vie_24_late_penalty() -> None:
    at = stand(
        ["1 orange", "8 green, 6 pink", "8 blue, 3 blue"],
        stock="4 blue",
        discards="8 pink",
        options={"late_penalty": True},
    )
    at.throws({1: (1, 0), 2: (2, 0)})
    first, late = at.named("attempts")[0]["order"]
    assert [throw["seat"] for throw in at.named("throw")] == [first]
    assert [penalty["seat"] for penalty in at.named("penalty")] == [late]
    assert "4 blue" in at.hand(late)
    assert at.known(0) == {}  # The late card is not shown.


def test_vie_25_a_wrong_throw_goes_back_is_seen_and_costs_a_card() -> None:
    at = stand(["1 orange, -, 2 orange", "9 green, 6 pink"], stock="4 blue", discards="8 pink")
    at.throws({0: (1, 0)})
    assert at.hand(1) == ["9 green", "6 pink"]
    assert at.hand(0) == ["1 orange", "4 blue", "2 orange"]  # The lowest empty slot.
    assert at.discards[0] == "8 pink"
    assert at.known(0) == at.known(1) == {(1, 0): "9 green"}  # The penalty card is seen by nobody.
    at = stand(["1 orange, 2 orange", "9 green, 6 pink"], stock="4 blue", discards="8 pink").throws({1: (1, 0)})
    assert at.hand(1) == ["9 green", "6 pink", "4 blue"]  # Beside the others.


def test_vie_25_a_thrown_card_triggers_no_special() -> None:
    at = stand(["1 orange", "8 green, 6 pink"], discards="8 pink").throws({1: (1, 0)})
    assert at.point == "draw"


@pytest.mark.parametrize("is_fined", [False, True])
def test_vie_26_an_own_card_in_the_own_turn(is_fined: bool) -> None:
    options = {"illegal_penalty": is_fined}
    at = stand(["8 orange, 2 orange", "9 green, 6 pink"], stock="4 blue", discards="8 pink", options=options)
    own = int(engine.place(0, 0))
    assert own not in at.session.legal()
    if not is_fined:
        with pytest.raises(IllegalAction, match="not legal for seat 0 in phase throw"):
            at.session.apply(own)
        return
    at.session.apply(own)
    at.do("throw", 1, "pass")
    assert at.named("throw")[0]["right"] is False  # Although it matches.
    assert at.hand(0) == ["8 orange", "2 orange", "4 blue"]


# ── The stock ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_vie_27_reshuffle_keeps_the_top_discard_and_forgets_places() -> None:
    at = stand(["1 orange, 2 orange", "9 green, 6 pink"], discards="8 pink", rest="discards").throws()
    before = at.discards
    assert at.stock == []
    at.do("draw", 0, "stock")
    (reshuffle,) = at.named("reshuffle")
    assert sorted(DEFAULT_DECK[card] for card in reshuffle["stock"]) == sorted(before[1:])
    assert at.discards == ["8 pink"]
    assert at.named("draw")[0]["card"] == reshuffle["stock"][0]
    assert len(at.stock) == 52 - 4 - 1 - 1
    assert at.session.state["unseen_count"][1] == 51  # All but the top discard; before it was the four in the hands.


def test_vie_27_reshuffle_for_a_penalty_card() -> None:
    at = stand(["1 orange, 2 orange", "9 green, 6 pink"], discards="8 pink", rest="discards")
    at.throws({1: (1, 0)})
    assert at.names == ["turn", "window", "attempts", "throw", "reshuffle", "penalty"]


TINY = ("1 orange", "2 orange", "9 green", "6 pink", "8 pink")


def test_vie_27_if_no_card_can_be_had_there_is_no_draw_and_no_penalty() -> None:
    options = {"deck": TINY, "hand_size": 2}
    at = stand(["1 orange, 2 orange", "9 green, 6 pink"], discards="8 pink", options=options).throws({1: (1, 0)})
    assert at.named("no_penalty") == [{"seat": 1}]
    assert at.point == "swap"  # The discard is the only draw, so it is not asked.
    at.until("knock")  # The round is not ended by it.
    at = stand(["-", "1 orange, 2 orange, 9 green, 6 pink"], discards="8 pink", options=options).throws()
    assert at.point == "knock"  # No draw at all.


def test_vie_27_end_round_when_the_stock_is_empty_at_a_draw() -> None:
    options = {"stock_empty": "end_round"}
    at = stand(["7 orange, 2 orange", "9 green, 6 pink"], discards="8 pink", rest="discards", options=options)
    at.throws()
    assert at.point == "swap"  # Only the discard can be drawn; the turn is completed.
    at.do("swap", 0, [0]).throws()
    end = at.named("round_end")[0]  # Nobody was asked to knock.
    assert (end["reason"], end["knocker"], end["success"], end["points"]) == ("stock", None, None, [10, 15])
    assert at.named("reshuffle") == []


def test_vie_27_end_round_voids_an_earlier_knock() -> None:
    end = stand(
        ["7 orange, 2 orange", "1 green", "2 pink"],
        discards="8 pink",
        rest="discards",
        seat=2,
        knocker=1,
        turns_left=2,
        options={"stock_empty": "end_round"},
    ).until_event("round_end")
    assert (end["reason"], end["knocker"]) == ("stock", None)
    assert end["points"] == end["sums"]


def test_vie_27_end_round_when_a_penalty_cannot_be_paid() -> None:
    options = {"stock_empty": "end_round"}
    at = stand(
        ["1 orange, 2 orange", "9 green, 6 pink"], stock="4 blue", discards="8 pink", rest="discards", options=options
    )
    at.throws().do("draw", 0, "stock").do("keep", 0, "throw_away").throws({1: (1, 0)})
    assert at.named("no_penalty") == [{"seat": 1}]
    assert at.named("round_end")[0]["reason"] == "stock"


def test_vie_28_max_turns_ends_the_round_and_voids_a_knock() -> None:
    position: dict[str, Any] = {"round_turn": 19, "options": {"max_turns": 20}}
    end = stand(["1 orange", "5 pink", "9 pink"], stock="2 blue", **position).until_event("round_end")
    assert (end["reason"], end["knocker"], end["points"]) == ("max_turns", None, [1, 5, 9])
    at = stand(["1 orange", "5 pink", "9 pink"], stock="2 blue", **position).until("knock").do("knock", 0, "yes")
    end = at.named("round_end")[0]
    assert (end["reason"], end["knocker"], end["points"]) == ("max_turns", None, [1, 5, 9])


def test_vie_28_a_knock_whose_last_turn_is_the_limit_still_counts() -> None:
    end = stand(
        ["1 orange", "5 pink"],
        stock="2 blue",
        seat=1,
        knocker=0,
        turns_left=1,
        round_turn=19,
        options={"max_turns": 20},
    ).until_event("round_end")
    assert (end["reason"], end["points"]) == ("knock", [-10, 5])


def test_vie_28_default_is_200_turns() -> None:
    at = begun(2)
    end = at.until_event("round_end")
    assert end["reason"] == "max_turns"
    assert sum(turn["turn"] == 200 for turn in at.named("turn")) == 1


# ── The end of a round ───────────────────────────────────────────────────────────────────────────────────────────────


def test_vie_29_knocking_is_asked_at_the_end_of_the_own_turn() -> None:
    at = stand(PLAIN_HANDS, stock="2 blue", turns_taken=[0, 0]).until("knock")
    assert (at.seat, at.choices()) == (0, ["no", "yes"])
    at.do("knock", 0, "yes")
    assert at.named("knock") == [{"seat": 0, "counted": False}]
    assert at.session.state["views"][1]["turns_taken"][0] == 1


@pytest.mark.parametrize(("taken", "may"), [(2, False), (3, True)])
def test_vie_29_min_turns_before_knock(taken: int, may: bool) -> None:
    options = {"min_turns_before_knock": 3}
    at = stand(PLAIN_HANDS, stock="2 blue", turns_taken=[taken, 9], options=options)
    at.until_event("turn")
    while at.point != "knock" and len(at.named("turn")) == 1:
        at.plain()
    assert (at.point == "knock") == may


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_vie_30_everybody_else_has_one_more_turn_and_may_not_knock(seats: int) -> None:
    at = stand([f"{seat + 1} orange, {seat + 1} pink" for seat in range(seats)], stock="9 blue", seat=1)
    at.until("knock").do("knock", 1, "yes")
    at.until_event("round_end")
    assert turns_of_round(at) == [(1 + step) % seats for step in range(seats)]
    assert len(at.named("knock")) == 1
    asked = [event["seat"] for event in at.events if event.get("point") == "knock"]
    assert asked == [1]


def test_vie_30_the_knocker_may_throw_in_those_turns() -> None:
    at = stand(["1 orange", "8 pink, 5 pink"], discards="8 blue", knocker=1, turns_left=1).throws({1: (1, 0)})
    assert at.named("throw")[0]["right"] is True


@pytest.mark.parametrize("is_locked", [False, True])
def test_vie_31_the_knockers_cards(is_locked: bool) -> None:
    position: dict[str, Any] = {
        "stock": "9 blue",
        "discards": "8 blue",
        "knocker": 1,
        "turns_left": 2,
        "options": {"lock_knocker": is_locked},
    }
    hands = ["1 orange, 8 green", "8 pink, 5 pink", "3 pink"]
    at = stand(hands, **position)
    knockers = [[1, 0], [1, 1]]
    assert [choice for choice in at.choices() if choice in knockers] == ([] if is_locked else knockers)
    at.do("throw", 0, "pass")
    assert at.seat == 1  # He may throw cards of others.
    assert at.choices() == ["pass", *([] if is_locked else knockers), [2, 0], [0, 0], [0, 1]]
    at.do("throw", 1, [0, 1]).do("throw", 2, "pass")
    assert at.named("throw")[0]["right"] is True
    assert at.point == ("draw" if is_locked else "give")
    at = stand(hands, **position).throws().do("draw", 0, "stock").do("keep", 0, "throw_away")
    assert at.choices() == ["decline", *([] if is_locked else knockers), [2, 0]]
    at = stand(hands, **{**position, "stock": "X blue"}).throws().do("draw", 0, "stock").do("keep", 0, "throw_away")
    assert ([0, 1, 0] in at.choices()) is not is_locked
    assert [0, 2, 0] in at.choices()


def test_vie_31_penalty_cards_are_laid_to_a_locked_knocker_too() -> None:
    at = stand(
        ["1 orange", "8 pink"],
        stock="9 blue",
        discards="8 blue",
        knocker=1,
        turns_left=1,
        options={"lock_knocker": True},
    )
    at.throws({1: (0, 0)})
    assert at.hand(1) == ["8 pink", "9 blue"]


def test_vie_32_hands_are_turned_up_and_summed() -> None:
    end = round_end(["Z green, X pink, 3 blue, -, 1 pink", "2 pink, Y blue"], 1)
    assert end["sums"] == [-1 + 10 + 3 + 1, 2 + 10]
    assert [[DEFAULT_DECK[card] for _, card in hand] for hand in end["hands"]] == [
        ["Z green", "X pink", "3 blue", "1 pink"],
        ["2 pink", "Y blue"],
    ]
    assert [slot for slot, _ in end["hands"][0]] == [0, 1, 2, 4]


@pytest.mark.parametrize("bonus", [-100, -10, 0])
def test_vie_33_the_lowest_hand_succeeds(bonus: int) -> None:
    end = round_end(["1 pink", "2 pink", "9 pink"], 0, options={"knock_bonus": bonus})
    assert (end["success"], end["points"]) == (True, [bonus, 2, 9])


def test_vie_33_tie_lets_the_knocker_win() -> None:
    end = round_end(["9 blue", "9 pink", "X pink, 5 pink"], 0)
    assert (end["success"], end["points"]) == (True, [-10, 9, 15])


def test_vie_33_tie_lets_the_knocker_lose_by_option() -> None:
    end = round_end(["9 blue", "9 pink", "X pink, 5 pink"], 0, options={"tie": "knocker_loses"})
    assert (end["success"], end["points"]) == (False, [30, 0, 0])
    end = round_end(["9 blue", "10 pink", "X pink, 5 pink"], 0, options={"tie": "knocker_loses"})
    assert end["success"] is True


@pytest.mark.parametrize("penalty", [0, 30, 100])
def test_vie_34_a_failed_knock_costs_the_knocker_alone(penalty: int) -> None:
    end = round_end(["2 blue", "1 pink", "X pink"], 0, options={"knock_penalty": penalty})
    assert (end["success"], end["points"]) == (False, [penalty, 0, 0])


Z_HANDS = ["Z green, 1 pink", "Z blue, 5 pink", "9 pink"]  # Sums 0, 4, 9.


def test_vie_35_hand_counts_the_minus_one_in_the_sum() -> None:
    assert round_end(Z_HANDS, 0)["points"] == [-10, 4, 9]
    assert round_end(Z_HANDS, 2)["points"] == [0, 0, 30]


def test_vie_35_always_takes_one_off_in_any_case() -> None:
    options = {"z_bonus": "always"}
    end = round_end(Z_HANDS, 0, options=options)
    # In the comparison -1; in the points 5 for the card, and 1 off for the Z.
    assert (end["sums"], end["points"]) == ([0, 4, 9], [-10 - 1, 5 - 1, 9])
    assert round_end(Z_HANDS, 2, options=options)["points"] == [-1, -1, 30]
    assert round_end(["Z green, 3 pink", "1 pink", "9 pink"], 0, options=options)["points"] == [30 - 1, 0, 0]


def test_vie_36_totals_may_become_negative() -> None:
    assert round_end(["1 pink", "2 pink"], 0, totals=[-15, 0])["totals"] == [-25, 2]


# ── The end of the game ──────────────────────────────────────────────────────────────────────────────────────────────


def reset(total: int, points: str, before: int = 0, **options: Any) -> tuple[int, list[int]]:
    """Seat 1 adds a hand to its total; give the total and who was reset."""
    end = round_end(["1 orange", points], 0, totals=[0, total], resets_of=[0, before], options=options)
    return end["totals"][1], end["resets"]


def test_vie_37_exactly_100_becomes_50() -> None:
    assert reset(98, "2 pink") == (50, [1])
    assert reset(97, "2 pink") == (99, [])


def test_vie_37_unlimited_once_never() -> None:
    assert reset(98, "2 pink", before=3, resets="unlimited") == (50, [1])
    assert reset(98, "2 pink", before=0, resets="once") == (50, [1])
    assert reset(98, "2 pink", before=1, resets="once") == (100, [])
    assert reset(98, "2 pink", resets="never") == (100, [])


def test_vie_37_other_numbers() -> None:
    assert reset(38, "2 pink", limit=60, reset_at=40, reset_to=7) == (7, [1])
    assert reset(98, "2 pink", reset_at=0) == (100, [])  # Off.
    assert reset(58, "2 pink", limit=70, reset_at=80, reset_to=0) == (60, [])
    assert reset(78, "2 pink", limit=70, reset_at=80, reset_to=0) == (80, [])  # Above the limit there is no reset.
    with pytest.raises(SpecError, match="reset_to"):
        table_of(2, {"limit": 100, "reset_to": 101})
    table_of(2, {"limit": 40})  # reset_at lies above the limit: reset_to does not matter.


def test_vie_37_holds_for_every_seat_at_100_whether_its_total_changed_or_not() -> None:
    end = round_end(["2 pink", "1 pink", "9 pink"], 0, totals=[20, 100, 0])
    assert (end["points"], end["totals"], end["resets"]) == ([30, 0, 0], [50, 50, 0], [1])


@pytest.mark.parametrize(("total", "is_over"), [(98, False), (99, True)])
def test_vie_38_more_than_100_ends_the_game(total: int, is_over: bool) -> None:
    at = game_end(["1 orange", "2 pink"], 0, totals=[0, total], options={"resets": "never"})
    assert at.session.is_over == is_over
    if is_over:
        assert at.named("game_end")[0]["losers"] == [1]


@pytest.mark.parametrize("limit", [10, 1000])
def test_vie_38_bounds_of_the_limit(limit: int) -> None:
    options = {"limit": limit, "reset_at": 0}
    assert game_end(["1 orange", "1 pink"], 0, totals=[0, limit], options=options).session.is_over
    assert not game_end(["1 orange", "1 pink"], 0, totals=[0, limit - 1], options=options).session.is_over
    for other in (9, 1001):
        with pytest.raises(SpecError, match="10 to 1000"):
            table_of(2, {"limit": other})


def test_vie_39_all_above_the_limit_have_lost_and_the_lowest_wins() -> None:
    at = game_end(["1 orange", "2 pink", "3 pink", "5 pink"], 0, totals=[30, 99, 99, 15])
    (end,) = at.named("game_end")
    assert end == {
        "status": "finished",
        "totals": [20, 101, 102, 20],
        "places": [1, 3, 4, 1],
        "winners": [0, 3],
        "losers": [1, 2],
    }
    _, seats, _ = at.session.rows()
    columns = [column.name for column in load_game("vierer").seat_columns]
    assert [int(share) for share in seats[:, columns.index("win_share")]] == [1260, 0, 0, 1260]  # Halves of 2520.
    assert [int(lost) for lost in seats[:, columns.index("lost")]] == [0, 1, 1, 0]
    assert [int(place) for place in seats[:, columns.index("place")]] == [1, 3, 4, 1]


def test_vie_39_the_lowest_wins_even_above_the_limit() -> None:
    at = game_end(["1 orange", "5 pink"], 0, totals=[112, 108])
    (end,) = at.named("game_end")
    assert (end["totals"], end["winners"], end["losers"]) == ([102, 113], [0], [0, 1])


def test_vie_40_max_rounds_caps_the_game() -> None:
    at = game_end(["1 orange", "5 pink"], 0, totals=[30, 20], number=7, options={"max_rounds": 7})
    (end,) = at.named("game_end")
    assert (end["status"], end["winners"], end["losers"]) == ("capped", [0], [])
    assert at.session.rows()[0][0, 3] == 1
    at = game_end(["1 orange", "5 pink"], 0, totals=[30, 20], number=6, options={"max_rounds": 7})
    assert not at.session.is_over
    # Whoever is above the limit in the last round ends the game by its rules.
    at = game_end(["1 orange", "5 pink"], 0, totals=[30, 99], number=7, options={"max_rounds": 7})
    assert at.named("game_end")[0]["status"] == "finished"


# ── Worked examples of the rulebook ──────────────────────────────────────────────────────────────────────────────────


def test_vie_x1_points() -> None:
    cards = ("X blue", "Y pink", "Z orange", "Z pink", "Z green", "Z blue", "10 green", "1 orange")
    assert [card_points(card) for card in cards] == [10, 10, 10, 10, -1, -1, 10, 1]


def test_vie_x2_success() -> None:
    end = round_end(["5 pink", "10 pink, 2 pink", "X pink, Y pink"], 0, totals=[30, 40, 50])
    assert (end["sums"], end["totals"]) == ([5, 12, 20], [20, 52, 70])


def test_vie_x3_failure() -> None:
    end = round_end(["10 pink, 2 pink", "10 blue, 1 pink", "X pink, Y pink, Z pink"], 0, totals=[30, 40, 50])
    assert (end["sums"], end["totals"]) == ([12, 11, 30], [60, 40, 50])


def test_vie_x4_exactly_100() -> None:
    at = game_end(["1 pink", "10 pink, 2 pink"], 0, totals=[0, 88])
    assert at.named("round_end")[0]["totals"][1] == 50
    assert not at.session.is_over


def test_vie_x5_101() -> None:
    at = game_end(["1 pink", "6 pink"], 0, totals=[0, 95])
    assert at.named("round_end")[0]["totals"][1] == 101
    assert at.named("game_end")[0]["losers"] == [1]


# ── Derived examples ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_vie_e1_tie() -> None:
    hands = ["9 pink", "8 pink, 1 pink", "10 pink, 5 pink"]
    assert round_end(hands, 0)["points"] == [-10, 9, 15]
    assert round_end(hands, 0, options={"tie": "knocker_loses"})["points"] == [30, 0, 0]


def test_vie_e2_a_failed_knock_at_70() -> None:
    end = round_end(["9 pink", "8 pink"], 0, totals=[70, 0])
    assert (end["totals"], end["resets"]) == ([50, 0], [0])


def test_vie_e3_minus_two_beats_an_empty_hand() -> None:
    assert round_end(["Z green, Z blue, 1 pink, 2 pink", "5 pink"], 1)["sums"] == [1, 5]
    end = round_end(["Z green, Z blue", "-"], 1)
    assert (end["sums"], end["success"]) == ([-2, 0], False)


def test_vie_e4_reset_and_loss_in_one_round() -> None:
    at = game_end(["6 pink", "10 pink, 2 pink", "1 pink"], 2, totals=[95, 88, 40])
    (end,) = at.named("game_end")
    assert (end["totals"], end["losers"], end["winners"], end["places"]) == ([101, 50, 30], [0], [2], [3, 2, 1])


def test_vie_e5_two_losers() -> None:
    # 99 + 6 = 105, 100 - but reset, so 99 + 13 = 112; the knocker 70 - 10 = 60.
    at = game_end(["6 pink", "10 pink, 3 pink", "1 pink"], 2, totals=[99, 99, 70])
    (end,) = at.named("game_end")
    assert (end["totals"], end["losers"], end["winners"]) == ([105, 112, 60], [0, 1], [2])


def test_vie_e6_negative() -> None:
    assert round_end(["3 pink", "10 pink, 4 pink"], 0)["totals"] == [-10, 14]


def test_vie_e7_throws_after_a_seven() -> None:
    hands = ["7 orange, 2 orange, 3 pink, 4 pink", "7 pink, 5 pink, 6 pink, 1 pink", "7 green, 8 green, 9 green"]

    def seven() -> Position:
        at = stand(hands, stock="7 blue", discards="Y pink").throws().do("draw", 0, "stock")
        return at.do("keep", 0, "throw_away").do("special", 0, "decline")

    at = seven().throws({1: (1, 0)})
    assert at.hand(1) == ["-", "5 pink", "6 pink", "1 pink"]
    assert at.point == "knock"
    assert [0, 0] not in seven().choices()
    at = seven().throws({0: (2, 0)})
    assert (at.point, at.seat) == ("give", 0)
    at.do("give", 0, [1])
    assert at.hand(0) == ["7 orange", "-", "3 pink", "4 pink"]
    assert at.hand(2) == ["2 orange", "8 green", "9 green"]


@pytest.mark.parametrize(("match_by", "is_right"), [("rank", False), ("points", True)])
def test_vie_e8_a_ten_on_an_x(match_by: str, is_right: bool) -> None:
    hands = ["1 pink", "10 pink, 2 pink, 3 pink, 4 pink"]
    at = stand(hands, discards="X pink", options={"match_by": match_by}).throws({1: (1, 0)})
    assert at.named("throw")[0]["right"] is is_right
    assert int(at.session.state["counts"][1]) == (3 if is_right else 5)
    at = stand(["1 pink", "Z blue, 2 pink"], discards="Z orange").throws({1: (1, 0)})
    assert at.named("throw")[0]["right"] is True


@pytest.mark.parametrize("window", ["both", "after_discard"])
def test_vie_e9_one_throw_a_turn_and_the_twin_in_the_next(window: str) -> None:
    hands = ["1 orange, 2 orange", "7 pink, 5 pink", "7 green, 8 green", "3 green"]
    at = stand(hands, stock="7 blue, 6 blue", discards="Y pink", options={"window": window}).until("keep")
    at.do("keep", 0, "throw_away").do("special", 0, "decline").throws({1: (1, 0)})
    assert at.point == "knock"  # No other 7 in this turn.
    at.do("knock", 0, "no")
    if window == "both":
        at.throws({2: (2, 0)})
        assert at.named("throw")[1]["right"] is True
    else:
        assert (at.point, at.seat) == ("draw", 1)
        at.do("draw", 1, "stock").do("keep", 1, "throw_away").throws({2: (2, 0)})
        assert at.named("throw")[1]["right"] is False  # A 6 lies on top now.


def test_vie_e9_not_the_own_card_in_the_own_turn() -> None:
    hands = ["1 orange, 2 orange", "7 pink, 7 green", "8 green"]
    at = stand(hands, stock="7 blue", discards="Y pink").until("keep").do("keep", 0, "throw_away")
    at.do("special", 0, "decline").throws({1: (1, 0)}).do("knock", 0, "no")
    assert at.seat == 1
    assert [1, 1] not in at.choices()


def test_vie_e10_the_turns_after_a_knock() -> None:
    at = stand(["1 pink", "2 pink", "3 pink", "4 pink"], stock="5 blue", seat=2).until("knock").do("knock", 2, "yes")
    at.until_event("round_end")
    assert turns_of_round(at) == [2, 3, 0, 1]


def test_vie_e11_a_replaced_nine_is_not_used() -> None:
    at = stand(["9 pink, 1 pink", "2 pink"], stock="5 blue", discards="Y pink").throws().do("draw", 0, "stock")
    at.do("keep", 0, [0])
    assert at.discards[0] == "9 pink"
    assert at.point == "throw"


def test_vie_e12_who_starts_after_a_tie_for_most() -> None:
    at = game_end(["8 pink", "3 pink", "10 pink, 9 pink", "10 green, 9 green"], 1)
    assert at.named("round_end")[0]["points"] == [8, -10, 19, 19]
    assert at.named("round")[0]["first_seat"] == 2
    at = game_end(["8 pink", "9 pink", "10 pink", "X pink"], 1)
    assert at.named("round")[0]["first_seat"] == 1  # After a failed knock the knocker.


# ── General rules and properties ─────────────────────────────────────────────────────────────────────────────────────


def test_g_1_left_is_the_next_seat() -> None:
    record = table_of(3).state()
    assert [int(kernels.left_of(record, seat)) for seat in range(3)] == [1, 2, 0]


def test_g_3_the_same_key_gives_the_same_game_and_another_another() -> None:
    def shuffles(seed: int, deal: int) -> list[Event]:
        return begun(4, seed=seed, deal=deal).named("shuffle")

    assert shuffles(5, 6) == shuffles(5, 6)
    assert len({str(shuffles(seed, deal)) for seed in (5, 6) for deal in (0, 1)}) == 4


def test_g_6_an_illegal_action_is_refused_and_changes_nothing() -> None:
    at = stand(PLAIN_HANDS, discards="8 pink")
    before = at.session.state.tobytes()
    for action in (-1, 1, 4 + 1, 1 << 17, 2**40):  # An own card, an empty place, codes of no place.
        with pytest.raises(IllegalAction):
            at.session.apply(action)
        assert at.session.state.tobytes() == before


def test_g_6_after_the_end_no_action_is_legal() -> None:
    at = game_end(["1 pink", "6 pink"], 0, totals=[0, 95])
    with pytest.raises(IllegalAction, match="over"):
        at.session.apply(0)


def test_p_5_totals_change_by_bonus_penalty_nothing_or_a_hand_sum() -> None:
    job = make_job(load_game("vierer"), entrants=[Entrant("random")], seats=3, deals=1)
    for deal in range(5):
        for event in transcript_of(make_table(job), deal, 0)["events"]:
            if event["event"] == "round_end":
                for points, total in zip(event["points"], event["sums"], strict=True):
                    assert points in (-10, 30, 0, total)


# ── Shared positions ─────────────────────────────────────────────────────────────────────────────────────────────────


def thrown_away(card: str, hands: tuple[str, ...] = PLAIN_HANDS, **position: Any) -> Position:
    """Seat 0 throws a stock card away."""
    at = stand(hands, stock=card, discards="8 pink" if card != "8 pink" else "7 pink", **position).throws()
    return at.do("draw", 0, "stock").do("keep", 0, "throw_away")


def special(card: str, hands: tuple[str, ...] = PLAIN_HANDS, **position: Any) -> Position:
    """Seat 0 is asked how to use the special of a stock card."""
    at = thrown_away(card, hands, **position)
    assert (at.point, at.seat) == ("special", 0)
    return at


def test_the_positions_themselves_conserve_the_deck() -> None:
    at = stand(PLAIN_HANDS, stock="Z green", discards="8 pink, 8 blue")
    assert sorted(at.hand(0) + at.hand(1) + at.stock + at.discards) == sorted(DEFAULT_DECK)
    assert len(cards_in(at.session.state["unseen"][:, 0])) == len(DEFAULT_DECK) - 2
