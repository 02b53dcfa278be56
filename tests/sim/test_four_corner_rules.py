"""The rules of Four Corner Detective, one test or more per rule id and per worked example (RULES.md 1).

Expectations come from the rule's sentence or from the sum written beside them, never from the engine.
"""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

from sim.contract import load_game
from sim.errors import IllegalAction, SpecError
from sim.games.four_corner import render
from sim.games.four_corner.spec import BRACELET51, RADII, code_of, word_of
from sim.job import Entrant, make_job, make_spec
from sim.play import Player, transcript_of
from tests.sim.four_corner_table import begun
from tests.sim.stepping import make


def scored(seats: int, correct: list[int], options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Play one round of seats that finish in their own order; give its end and the checks."""
    table = begun(seats, {"rounds": 1, **(options or {})})
    end = table.round(correct)
    return {**end, "passed": table.checks("passed"), "tokens": table.checks("tokens")}


def ended(seats: int, rounds: list[list[int]], options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Play a game whose seats finish every round in their own order with so many numbers right."""
    table = begun(seats, {"rounds": len(rounds), **(options or {})})
    for correct in rounds:
        table.round(correct)
    (end,) = table.named("game_end")
    return end


# ── Cards and set-up ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_fcd_1_fcd_5_the_deck_has_51_cards_one_for_each_bracelet_that_is_not_constant() -> None:
    def bracelet(card: str) -> str:
        turned = [card[step:] + card[:step] for step in range(4)]
        return min(turned + [word[::-1] for word in turned])

    assert len(BRACELET51) == 51
    wanted = {bracelet("".join(word)) for word in product("3458", repeat=4) if len(set(word)) > 1}
    assert len(wanted) == 51
    assert sorted(map(bracelet, BRACELET51)) == sorted(wanted)
    # 51 cards of 4 corners: 204, 51 of each radius.
    assert Counter("".join(BRACELET51)) == dict.fromkeys("3458", 51)
    for corner in range(4):
        assert set(Counter(card[corner] for card in BRACELET51).values()) <= {12, 13}


def test_fcd_2_a_corner_is_3_4_5_or_8() -> None:
    assert RADII == (3, 4, 5, 8)
    assert {radius for word in map(word_of, range(256)) for radius in word} == set("3458")
    assert all(code_of(word_of(code)) == code for code in range(256))


def test_fcd_3_no_two_cards_are_alike_and_the_standard_card_is_not_dealt() -> None:
    assert len(set(BRACELET51)) == 51
    assert "3458" not in BRACELET51
    for deal in range(20):
        (shuffle,) = begun(3, {"deck": "uniform"}, deal=deal).named("shuffle")
        assert len(set(shuffle["cards"])) == 51
        assert "3458" not in shuffle["cards"]


def test_fcd_4_a_card_is_its_radii_in_order_from_the_notch() -> None:
    table = begun(1, {"rounds": 1}, cards=["3458"], bots="random:acuity=10")
    # With a spread of 2 % no reading is nearer to another radius: 8 mm is 512 in 1/64 mm, 3 mm is 192.
    read = [table.feel(corner)["reading"] / 64 for corner in range(4)]
    assert [min(RADII, key=lambda radius: abs(radius - mm)) for mm in read] == [3, 4, 5, 8]


def test_fcd_5_a_uniform_deck_is_drawn_for_each_deal_from_all_tuples_but_one() -> None:
    decks = [begun(1, {"deck": "uniform"}, deal=deal).named("shuffle")[0]["cards"] for deal in range(60)]
    assert len({frozenset(deck) for deck in decks}) == 60
    # 60 decks of 51 out of 255: a tuple is in none of them with chance 0.8**60 = 1.5e-6.
    assert {card for deck in decks for card in deck} == set(map(word_of, range(256))) - {"3458"}


def test_fcd_5_a_deck_of_a_file_is_dealt() -> None:
    deck = tuple(card[::-1] for card in BRACELET51 if card[::-1] != "3458")
    assert len(deck) == 51
    (shuffle,) = begun(4, {"deck": deck}).named("shuffle")
    assert sorted(shuffle["cards"]) == sorted(deck)


@pytest.mark.parametrize(
    ("line", "card", "message"),
    [
        (7, "3456", "card 7: '3456' is no card"),
        (7, "335", "card 7: '335' is no card"),
        (2, "3458", "card 2: 3458 is the standard card"),
        (9, "3335", "card 9: 3335 is card 1 already"),
        (51, None, "has 50 cards; it needs 51"),
    ],
)
def test_fcd_5_a_wrong_line_of_a_deck_is_named(line: int, card: str | None, message: str) -> None:
    deck = list(BRACELET51)
    deck[line - 1 : line] = [card] if card else []
    with pytest.raises(SpecError, match=f"^Option 'deck'.*{message}"):
        make_spec(load_game("four_corner"), 2, {"deck": deck})


@pytest.mark.parametrize("seats", range(1, 11))
def test_fcd_6_five_cards_each_and_the_rest_in_the_box(seats: int) -> None:
    table = begun(seats)
    (shuffle,), (deal,) = table.named("shuffle"), table.named("deal")
    assert [len(stack) for stack in deal["stacks"]] == [5] * seats
    assert [card for stack in deal["stacks"] for card in stack] + deal["box"] == shuffle["cards"]
    assert sorted(shuffle["cards"]) == sorted(BRACELET51)


def test_fcd_6_eleven_seats_are_refused() -> None:
    with pytest.raises(SpecError, match="1 to 10 seats; 11 are too many"):
        begun(11)


def test_fcd_6_every_card_is_dealt_as_often_to_every_place() -> None:
    counts = np.zeros((10, 51))
    for deal in range(1020):
        (deal_event,) = begun(2, deal=deal).named("deal")
        for place, card in enumerate(card for stack in deal_event["stacks"] for card in stack):
            counts[place, BRACELET51.index(card)] += 1
    # 1020 / 51 = 20 each; chi-square of 10 times 50 degrees of freedom: 500, deviation 32; four of them.
    assert abs(((counts - 20) ** 2 / 20).sum() - 500) < 4 * 32


@pytest.mark.parametrize(
    ("table", "groups"),
    [
        # FCD-X2
        ("printed", {1: [4, 1], 2: [4, 3, 2], 3: [4, 3, 2, 1], 4: [4, 3, 2, 1], 5: [4, 3, 2, 1], 6: [4, 3, 2, 1]}),
        ("printed", {10: [4, 3, 2, 1]}),
        # FCD-X3
        ("shifted", {1: [4, 1], 2: [4, 1], 3: [4, 3, 2], 4: [4, 3, 2, 1], 5: [4, 3, 2, 1], 6: [4, 3, 2, 1]}),
    ],
)
def test_fcd_7_fcd_x2_fcd_x3_fcd_40_groups_of_tokens(table: str, groups: dict[int, list[int]]) -> None:
    for seats, laid in groups.items():
        assert begun(seats, {"token_table": table}).named("round")[0] == {"round": 1, "groups": laid}


def test_fcd_8_four_rounds_from_the_bottom_and_the_top_card_is_not_played() -> None:
    table = begun(2)
    for _ in range(4):
        table.round([1, 1])
    (deal,) = table.named("deal")
    for seat in (0, 1):
        played = [event["card"] for event in table.named("take_up") if event["seat"] == seat]
        c1, c2, c3, c4, c5 = deal["stacks"][seat]
        assert played == [c5, c4, c3, c2]
        assert c1 not in played
    assert table.session.is_over


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
def test_fcd_8_the_number_of_rounds(rounds: int) -> None:
    table = begun(3, {"rounds": rounds})
    for _ in range(rounds):
        assert not table.session.is_over
        table.round([0, 0, 0])
    assert table.session.is_over
    assert [event["round"] for event in table.named("round")] == list(range(1, rounds + 1))
    assert len(table.session.rows()[2]) == 3 * rounds


# ── A round ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_fcd_9_all_take_their_cards_up_at_the_same_moment_and_act_by_the_clock() -> None:
    table = begun(4, bots="random,random:touch_ms=100,random:touch_ms=9000")
    assert [(event["seat"], event["at_ms"]) for event in table.named("take_up")] == [(seat, 0) for seat in range(4)]
    for _ in range(60):
        table.feel(0)
    times = [event["at_ms"] for event in table.named("decision")]
    assert times == sorted(times)
    until = dict.fromkeys(range(4), 0)
    for event in table.events:
        if event["event"] == "decision":
            assert event["at_ms"] == until[event["seat"]]
        elif event["event"] == "feel":
            until[event["seat"]] = event["until_ms"]


def felt(options: dict[str, Any], bots: str, number: int, card: str = "5555") -> "np.ndarray[Any, Any]":
    """The readings, in mm, of one corner felt 200 times in round `number` of a solo game."""
    table = begun(1, options, bots=bots)
    for _ in range(number - 1):
        table.round([0])
    table.session.state["card"][0] = code_of(card)
    return np.array([table.feel(0)["reading"] / 64 for _ in range(200)])


@pytest.mark.parametrize("bots", ["random:inexperienced=1", "random"])
def test_fcd_10_the_inexperienced_look_in_rounds_1_and_2_only(bots: str) -> None:
    options = {"inexperienced": bots == "random"}
    # At 5 mm the spread is 0.2 * 5 = 1 mm, looking 0.4 mm; the spread of 200 readings is right within a fifth.
    for number, spread in ((1, 0.4), (2, 0.4), (3, 1.0), (4, 1.0)):
        assert felt(options, bots, number).std() == pytest.approx(spread, rel=0.2)
    assert felt({}, "random", 1).std() == pytest.approx(1.0, rel=0.2)


def test_fcd_10_looking_is_told_to_the_seat_itself() -> None:
    table = begun(2, bots="random:inexperienced=1,random", deal=3)
    who = [table.session.table.names[int(entrant)] for entrant in table.session.state["who"][:2]]
    for number in (1, 2, 3):
        looking = [bool(table.session.state["views"][seat]["is_looking"]) for seat in (0, 1)]
        assert looking == [number <= 2 and name != "random" for name in who]
        table.round([0, 0])


def test_fcd_11_a_card_whose_front_is_seen_is_replaced_out_of_the_box_and_leaves_play() -> None:
    table = begun(3, {"peek_slip": 1.0})
    (deal,) = table.named("deal")
    box = set(deal["box"])
    gone = set()
    for number in range(4):
        slips = table.named("peek")[3 * number :]
        assert [slip["seat"] for slip in slips] == [0, 1, 2]
        for slip in slips:
            assert slip["exposed"] == deal["stacks"][slip["seat"]][4 - number]
            assert slip["card"] in box
            assert slip["card"] not in gone
            box.remove(slip["card"])
            gone.add(slip["exposed"])
            assert table.card(slip["seat"]) == slip["card"]
        table.round([1, 1, 1])
        box |= {slip["card"] for slip in slips}  # FCD-23: what was played goes to the box


def test_fcd_11_without_a_card_in_the_box_the_one_seen_is_kept_and_known() -> None:
    # Ten seats leave 51 - 50 = 1 card in the box.
    table = begun(10, {"peek_slip": 1.0})
    slips = table.named("peek")
    assert [slip["card"] for slip in slips[:1]] == table.named("deal")[0]["box"]
    assert all(slip["card"] == slip["exposed"] for slip in slips[1:])
    views = table.session.state["views"]
    assert [int(view["known_card"]) for view in views] == [-1] + [code_of(slip["card"]) for slip in slips[1:]]


@pytest.mark.parametrize(("chance", "low", "high"), [(0.0, 0, 0), (0.25, 190, 310), (1.0, 1000, 1000)])
def test_fcd_11_slips_come_with_their_chance(chance: float, low: int, high: int) -> None:
    # 1000 cards: 250 with a deviation of 14 at a chance of 1/4.
    slips = [len(begun(10, {"peek_slip": chance, "rounds": 1}, deal=deal).named("peek")) for deal in range(100)]
    assert low <= sum(slips) <= high


def test_fcd_12_answers_are_four_of_the_radii_and_nothing_else_is_legal() -> None:
    table = begun(2)
    assert table.session.legal() == list(range(260))
    for action in (-1, 260, 2**40):
        with pytest.raises(IllegalAction):
            table.session.apply(action)
    table.write("8888")
    assert table.events[-1]["choice"] == ["write", "8888"]


def test_fcd_12_an_answer_that_nothing_was_felt_for_takes_15_s_and_any_other_no_time() -> None:
    table = begun(2, {"rounds": 1})
    first = table.session.seat
    until = table.feel(2)["until_ms"]
    table.write("3333")
    assert (table.session.seat, table.named("finish")) == (first, [])
    table.write("4444")
    finishes = {event["answer"]: event["at_ms"] for event in table.named("finish")}
    assert finishes == {"3333": 15_000, "4444": until}


def test_fcd_12_after_200_feels_of_a_card_only_answers_are_legal() -> None:
    table = begun(1, bots="random:touch_ms=100")
    for number in range(200):
        assert len(table.session.legal()) == 260
        table.feel(number % 4)
    assert table.session.legal() == list(range(4, 260))
    with pytest.raises(IllegalAction):
        table.session.apply(0)
    table.write("3333")
    assert len(table.session.legal()) == 260


def test_fcd_13_the_first_to_finish_take_the_largest_groups_left() -> None:
    table = begun(4, {"rounds": 1})
    table.round([4, 4, 4, 4], order=[2, 0, 3, 1])
    finishes = [(event["seat"], event["place"], event["tokens"]) for event in table.named("finish")]
    assert finishes == [(2, 1, 4), (0, 2, 3), (3, 3, 2), (1, 4, 1)]


def test_fcd_13_taking_tokens_locks_the_answer() -> None:
    table = begun(2)
    seat = table.session.seat
    table.feel(0)
    while table.session.seat != seat:
        table.feel(0)
    table.write("3333")
    while not table.named("check"):
        assert table.session.seat != seat
        table.write("8888")
    assert [check["answer"] for check in table.named("check") if check["seat"] == seat] == ["3333"]


def test_fcd_13_equal_times_are_ordered_at_random() -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    for deal in range(600):
        table = begun(3, {"rounds": 1}, deal=deal)
        for _ in range(3):
            table.write("3333")
        orders[tuple(event["seat"] for event in table.named("finish"))] += 1
    # Six orders, 100 each with a deviation of 9.
    assert len(orders) == 6
    assert all(abs(count - 100) < 40 for count in orders.values())


def test_fcd_23_fcd_11_played_cards_are_in_the_box() -> None:
    # Ten seats leave one card in the box; it replaces the first card seen, and the others are kept.
    table = begun(10, {"peek_slip": 1.0, "rounds": 2})
    played = {table.card(seat) for seat in range(10)}
    table.round([1] * 10)
    # Now the ten cards that were played are the box: each seat gets one of them.
    assert {slip["card"] for slip in table.named("peek")[10:]} == played


def test_fcd_14_nothing_is_checked_before_everybody_has_finished() -> None:
    table = begun(6, {"rounds": 1})
    table.round([1] * 6)
    kinds = [event["event"] for event in table.events if event["event"] in ("finish", "check")]
    assert kinds == ["finish"] * 6 + ["check"] * 6


def test_fcd_15_fcd_42_checked_in_order_of_finishing() -> None:
    table = begun(6, {"rounds": 1})
    order = [4, 2, 0, 5, 1, 3]
    table.round([2] * 6, order)
    assert table.checks("seat") == order
    # The table `rounds` keeps the order, too: seat 4 first, seat 2 second, ...
    assert table.session.rows()[2][:, 3].tolist() == [3, 5, 2, 6, 1, 4]


@pytest.mark.parametrize(
    ("seats", "option", "points", "lost"),
    [
        (5, "auto", 10, 0),
        (5, "true", 10, 0),
        (5, "false", 0, 10),
        (6, "auto", 0, 10),
        (6, "true", 10, 0),
        (6, "false", 0, 10),
    ],
)
def test_fcd_16_whether_those_without_a_group_get_what_is_passed_on(
    seats: int, option: str, points: int, lost: int
) -> None:
    end = scored(seats, [0, 0, 0, 0, 4, 0][:seats], {"passdown_to_tokenless": option})
    assert end["points"][4] == points
    assert end["lost"] == lost


@pytest.mark.parametrize(
    ("card", "answer", "correct"),
    [("3458", "3548", 2), ("3458", "8543", 0), ("3333", "3333", 4), ("8833", "8338", 2), ("5454", "4545", 0)],
)
def test_fcd_17_fcd_e8_numbers_count_at_their_own_corner(card: str, answer: str, correct: int) -> None:
    table = begun(1, {"rounds": 1}, cards=[card])
    table.write(answer)
    assert table.checks("correct") == [correct]


def test_fcd_18_fcd_x1_some_right_numbers_take_as_many_tokens_and_the_rest_goes_on() -> None:
    # A has 4 and 2 right: 2 points, 2 go on; B has 3 + 2 = 5, all right: 5 points and a mark.
    end = scored(2, [2, 4])
    assert end["points"] == [2, 5]
    assert end["passed"] == [2, 0]
    assert end["tokens"] == [4, 5]
    assert end["marks"] == [0, 1]


def test_fcd_18_no_more_than_the_tokens_in_front() -> None:
    # D has a single token and three right numbers.
    assert scored(4, [4, 4, 4, 3])["points"] == [4, 3, 2, 1]


def test_fcd_19_a_perfect_result_takes_all_tokens_and_a_mark() -> None:
    end = scored(3, [0, 4, 4])
    # A passes 4 on: B has 4 + 3 = 7, C its 2.
    assert (end["points"], end["marks"], end["passed"]) == ([0, 7, 2], [0, 1, 1], [4, 0, 0])


def test_fcd_20_nothing_right_passes_everything_on() -> None:
    end = scored(3, [0, 0, 1])
    # 4, then 3 + 4 = 7, then 2 + 7 = 9, of which 1 is scored.
    assert (end["points"], end["tokens"], end["passed"]) == ([0, 0, 1], [4, 7, 9], [4, 7, 8])


def test_fcd_21_what_the_last_leaves_is_lost() -> None:
    # 4 + 3 + 2 = 9 less 1.
    assert scored(3, [0, 0, 1])["lost"] == 8


@pytest.mark.parametrize(("option", "marks"), [(True, [1, 1, 1, 1, 1]), (False, [1, 1, 1, 1, 0])])
def test_fcd_22_a_perfect_result_without_tokens(option: bool, marks: list[int]) -> None:
    end = scored(5, [4, 4, 4, 4, 4], {"mark_without_tokens": option})
    assert (end["points"], end["marks"]) == ([4, 3, 2, 1, 0], marks)


def test_fcd_23_the_next_round_has_the_same_groups() -> None:
    table = begun(2)
    for _ in range(3):
        table.round([4, 4])
    assert [event["groups"] for event in table.named("round")] == [[4, 3, 2]] * 4
    assert [event["tokens"] for event in table.named("finish")] == [4, 3] * 3


@pytest.mark.parametrize("seats", range(1, 11))
def test_fcd_24_points_untaken_and_lost_tokens_are_all_the_tokens(seats: int) -> None:
    rng = np.random.default_rng(seats)
    for options in ({}, {"token_table": "shifted"}, {"cutoff": "fifth_to_last"}, {"passdown_to_tokenless": "false"}):
        table = begun(seats, options)
        groups = table.named("round")[0]["groups"]
        for _ in range(4):
            end = table.round(rng.integers(0, 5, seats).tolist(), rng.permutation(seats).tolist())
            assert sum(end["points"]) + end["untaken"] + end["lost"] == sum(groups)
            assert max(end["points"]) <= 10


# ── The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seat", range(10))
def test_fcd_11_a_game_as_one_seat_saw_it_shows_no_front_that_another_has_seen(seat: int) -> None:
    # 51 cards, 50 of them dealt: one seat's card can be replaced, nine are kept.
    table = make("four_corner", "random", 10, {"peek_slip": 1.0, "rounds": 1})
    seen = [line for line in render.text(transcript_of(table, 0, 0), seat) if "sees its front" in line]
    assert len(seen) == 10
    assert sum("the box is empty, it stays" in line for line in seen) == 9
    own = [line for line in seen if any(radius in line.partition(",")[2] for radius in "3458")]
    assert own == [seen[seat]]


def test_fcd_25_the_bonus_is_told() -> None:
    table = make("four_corner", "bayes,random", 2)
    told = [
        (transcript["events"][-1]["bonus"], "\n".join(render.text(transcript)))
        for deal in range(8)
        for transcript in [transcript_of(table, deal, 0)]
    ]
    assert {tuple(bonus) for bonus, _ in told} >= {(4, 0), (0, 4)}
    names = "0", "1"
    for bonus, text in told:
        line = next((line for line in text.splitlines() if line.startswith("For the most marks: ")), "")
        assert [f"{name} " in line for name in names] == [points > 0 for points in bonus]


def test_fcd_25_the_most_marks_get_the_bonus_all_of_them_if_tied() -> None:
    # Two rounds of 4, 3, 2: marks (2, 1, 2).
    end = ended(3, [[4, 4, 4], [4, 3, 4]])
    assert end["marks"] == [2, 1, 2]
    assert end["bonus"] == [4, 0, 4]
    assert end["points"] == [8, 6, 4]
    assert end["scores"] == [12, 6, 8]


@pytest.mark.parametrize("bonus", [0, 7, 20])
def test_fcd_25_the_size_of_the_bonus(bonus: int) -> None:
    assert ended(2, [[4, 1]], {"bonus": bonus})["scores"] == [4 + bonus, 1]


@pytest.mark.parametrize(("option", "bonus"), [(True, 0), (False, 4)])
def test_fcd_26_the_bonus_where_nobody_has_a_mark(option: bool, bonus: int) -> None:
    end = ended(3, [[3, 3, 2]], {"bonus_needs_mark": option})
    assert (end["marks"], end["bonus"]) == ([0, 0, 0], [bonus] * 3)
    # 3 of 4, one goes on; 3 of 3 + 1, one goes on; 2 of 2 + 1.
    assert end["scores"] == [3 + bonus, 3 + bonus, 2 + bonus]


def test_fcd_27_the_highest_total_wins_and_ties_share() -> None:
    end = ended(3, [[3, 3, 2]])
    assert (end["places"], end["winners"]) == ([1, 1, 3], [0, 1])
    table = begun(3, {"rounds": 1})
    table.round([3, 3, 2])
    shares = table.session.rows()[1][:, 5]
    assert shares.tolist() == [1260, 1260, 0]
    assert table.session.rows()[1][:, 6].tolist() == [0, 0, 0]


def test_fcd_27_the_largest_total_is_44() -> None:
    # In every round the last of four gets all 4 + 3 + 2 + 1 = 10 tokens: 4 * 10 + 4.
    assert ended(4, [[0, 0, 0, 4]] * 4)["scores"] == [0, 0, 0, 44]


@pytest.mark.parametrize("table", ["printed", "shifted"])
def test_fcd_28_one_detective_takes_the_largest_group_every_round(table: str) -> None:
    # 4 * 4 + 4 = 20 at the most.
    end = ended(1, [[4]] * 4, {"token_table": table})
    assert (end["scores"], end["winners"]) == ([20], [0])
    assert scored(1, [2], {"token_table": table})["untaken"] == 1


# ── The speedrun ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_fcd_30_the_speedrun_has_no_tokens_and_120_s() -> None:
    table = begun(2, {"mode": "speedrun"})
    while not table.session.is_over:
        table.write_right(4)
    kinds = {event["event"] for event in table.events}
    assert not kinds & {"round", "finish", "check", "round_end"}
    (end,) = table.named("game_end")
    # Eight cards at 15 s each.
    assert (end["kept"], end["scores"], end["points"], end["bonus"]) == ([8, 8], [8, 8], [0, 0], [0, 0])
    assert len(table.session.rows()[2]) == 0


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("token_table", "shifted"),
        ("inexperienced", True),
        ("passdown_to_tokenless", "true"),
        ("mark_without_tokens", False),
        ("bonus_needs_mark", False),
        ("cutoff", "fifth_to_last"),
        ("rounds", 3),
        ("bonus", 5),
    ],
)
def test_fcd_30_options_of_one_mode_are_refused_in_the_other(option: str, value: Any) -> None:
    message = f"Option '{option}' has no meaning with mode = speedrun; it needs mode = standard."
    with pytest.raises(SpecError, match=message):
        make_spec(load_game("four_corner"), 2, {"mode": "speedrun", option: value})


@pytest.mark.parametrize(("option", "value"), [("speedrun_deck", 9), ("speedrun_seconds", 60)])
def test_fcd_30_options_of_the_speedrun_need_it(option: str, value: int) -> None:
    with pytest.raises(SpecError, match=f"Option '{option}' has no meaning with mode = standard"):
        make_spec(load_game("four_corner"), 2, {option: value})


@pytest.mark.parametrize(
    ("seats", "deck", "size"),
    [(1, 8, 8), (6, 8, 8), (7, 8, 7), (8, 8, 6), (9, 8, 5), (10, 8, 5), (1, 51, 51), (3, 20, 17), (4, 1, 1)],
)
def test_fcd_31_cards_of_each_deck(seats: int, deck: int, size: int) -> None:
    # 51 div 7 = 7, 51 div 8 = 6, 51 div 9 = 5, 51 div 3 = 17.
    table = begun(seats, {"mode": "speedrun", "speedrun_deck": deck})
    (deal,) = table.named("deal")
    assert [len(stack) for stack in deal["stacks"]] == [size] * seats
    assert len(deal["box"]) == 51 - seats * size


def test_fcd_32_fcd_36_every_card_of_the_own_deck_one_after_the_other() -> None:
    table = begun(2, {"mode": "speedrun", "speedrun_deck": 5})
    (deal,) = table.named("deal")
    while not table.session.is_over:
        table.write_right(1)
    for seat in (0, 1):
        taken = [(event["card"], event["at_ms"]) for event in table.named("take_up") if event["seat"] == seat]
        assert taken == list(zip(deal["stacks"][seat], range(0, 75_000, 15_000), strict=True))
    assert [event["card"] for event in table.named("call") if event["seat"] == 0] == deal["stacks"][0]


def test_fcd_33_only_perfect_cards_stay() -> None:
    table = begun(1, {"mode": "speedrun"})
    for correct in (4, 3, 0, 4, 1, 2, 3, 4):
        table.write_right(correct)
    assert [call["kept"] for call in table.named("call")] == [correct == 4 for correct in (4, 3, 0, 4, 1, 2, 3, 4)]
    assert table.named("game_end")[0]["kept"] == [3]


def timed(calls: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """A speedrun of one seat that calls its cards at these times, in ms, with so many numbers right."""
    table = begun(1, {"mode": "speedrun"})
    for at_ms, correct in calls:
        table.feel(0)
        table.session.state["due"][0] = (at_ms << 32) | int(table.session.state["ties"][0])
        table.write_right(correct)
    return table.named("call")


def test_fcd_34_fcd_e9_a_call_counts_up_to_the_last_moment() -> None:
    calls = timed([(30_000, 4), (70_000, 3), (120_000, 4)])
    assert [call["counts"] for call in calls] == [True, True, True]
    assert sum(call["kept"] for call in calls) == 2
    # Right at 120.1 s: too late.
    late = timed([(30_000, 4), (70_000, 3), (120_100, 4)])
    assert [(call["counts"], call["kept"]) for call in late] == [(True, True), (True, False), (False, False)]


def test_fcd_34_what_would_end_after_the_limit_ends_the_game_of_that_seat() -> None:
    table = begun(1, {"mode": "speedrun", "speedrun_seconds": 10}, bots="random:touch_ms=20000", deal=2)
    assert table.session.state["views"][0]["counts"].tolist() == [0, 0, 0, 0]
    table.session.apply(0)
    # A feel of about 20 s: nothing is felt and nothing called.
    assert table.session.is_over
    assert table.named("feel") == table.named("call") == []
    table = begun(1, {"mode": "speedrun", "speedrun_seconds": 10})
    table.write_right(4)
    assert [(call["at_ms"], call["counts"], call["kept"]) for call in table.named("call")] == [(15_000, False, False)]
    assert table.named("game_end")[0]["kept"] == [0]


def test_fcd_34_an_empty_deck_is_the_end_for_its_seat() -> None:
    table = begun(2, {"mode": "speedrun", "speedrun_deck": 1})
    table.feel(0)
    first = table.session.seat
    table.write_right(4)
    while not table.session.is_over:
        assert table.session.seat != first
        table.write_right(0)
    assert sorted(event["seat"] for event in table.named("take_up")) == [0, 1]


def test_fcd_35_most_cards_win_and_ties_share() -> None:
    table = begun(3, {"mode": "speedrun", "speedrun_deck": 2})
    while not table.session.is_over:
        table.write_right(4 if table.session.seat != 1 else 3)
    (end,) = table.named("game_end")
    assert (end["kept"], end["places"], end["winners"]) == ([2, 0, 2], [1, 3, 1], [0, 2])
    assert table.session.rows()[1][:, [3, 5, 7, 10]].tolist() == [[2, 1260, 0, 2], [0, 0, 0, 0], [2, 1260, 0, 2]]


# ── More detectives ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seats", [6, 10])
def test_fcd_41_from_the_fifth_finisher_on_there_are_no_groups(seats: int) -> None:
    table = begun(seats, {"rounds": 1})
    table.round([4] * seats)
    assert [event["tokens"] for event in table.named("finish")] == [4, 3, 2, 1] + [0] * (seats - 4)


@pytest.mark.parametrize(
    ("seats", "tokens", "untaken"),
    [(5, [4, 3, 2, 1, 0], 0), (6, [4, 0, 0], 6), (7, [4, 3, 0], 3), (9, [4, 3, 2, 1, 0], 0), (10, [4, 3, 2, 1, 0], 0)],
)
def test_fcd_41_the_fifth_to_last_and_all_after_it(seats: int, tokens: list[int], untaken: int) -> None:
    # The first seats - 5 finishers take groups, at most four; with five seats nothing changes.
    table = begun(seats, {"rounds": 1, "cutoff": "fifth_to_last"})
    end = table.round([4] * seats)
    assert [event["tokens"] for event in table.named("finish")][: len(tokens)] == tokens
    assert end["untaken"] == untaken


# ── Worked examples ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_fcd_e1() -> None:
    end = scored(3, [0, 3, 4])
    # A passes 4; B has 7, scores 3, passes 4; C has 2 + 4 = 6. 0 + 3 + 6 + 1 = 10.
    assert (end["points"], end["marks"], end["untaken"], end["lost"]) == ([0, 3, 6], [0, 0, 1], 1, 0)


def test_fcd_e2() -> None:
    end = scored(4, [4, 4, 4, 3])
    assert (end["points"], end["marks"]) == ([4, 3, 2, 1], [1, 1, 1, 0])


def test_fcd_e3() -> None:
    end = scored(4, [4, 2, 1, 3])
    # B has 3, scores 2, passes 1; C has 2 + 1, scores 1, passes 2; D has 1 + 2.
    assert (end["points"], end["passed"]) == ([4, 2, 1, 3], [0, 1, 2, 0])


def test_fcd_e4_and_e4a() -> None:
    end = scored(5, [0, 0, 0, 0, 4])
    assert (end["points"], end["marks"], end["lost"]) == ([0, 0, 0, 0, 10], [0, 0, 0, 0, 1], 0)
    end = scored(5, [0, 0, 0, 0, 4], {"passdown_to_tokenless": "false"})
    assert (end["points"], end["marks"], end["lost"]) == ([0, 0, 0, 0, 0], [0, 0, 0, 0, 1], 10)
    end = scored(6, [0, 0, 0, 0, 4, 4])
    assert (end["points"], end["marks"], end["lost"]) == ([0] * 6, [0, 0, 0, 0, 1, 1], 10)


def test_fcd_e5() -> None:
    end = scored(5, [4, 4, 4, 4, 4])
    assert (end["points"], end["marks"]) == ([4, 3, 2, 1, 0], [1] * 5)


def test_fcd_e6() -> None:
    end = scored(2, [1, 0])
    # 1 + 6 + 2 = 9 = 4 + 3 + 2.
    assert (end["points"], end["lost"], end["untaken"]) == ([1, 0], 6, 2)
    end = scored(2, [2, 4], {"token_table": "shifted"})
    assert (end["points"], end["tokens"]) == ([2, 3], [4, 3])


def test_fcd_e7() -> None:
    table = begun(3)
    for order, correct, points in (
        ([0, 1, 2], [0, 2, 4], [0, 2, 7]),  # 4 go on; 3 + 4 = 7, two right, 5 go on; 2 + 5
        ([0, 1, 2], [0, 4, 0], [0, 7, 0]),
        ([1, 0, 2], [2, 4, 4], [5, 2, 2]),  # seat 1: 2 of 4; seat 0: 3 + 2; seat 2: 2
        ([2, 0, 1], [0, 4, 1], [7, 1, 0]),
    ):
        assert table.round(correct, order)["points"] == points
    (end,) = table.named("game_end")
    assert (end["points"], end["marks"]) == ([12, 12, 9], [2, 1, 2])
    assert (end["scores"], end["winners"]) == ([16, 12, 13], [0])
    # 0 + 0 + 2 + 3, 0 + 1 + 3 + 3, 0 + 1 + 3 + 3, and nobody has a mark.
    end = ended(3, [[0, 0, 0], [0, 1, 1], [2, 3, 3], [3, 3, 3]])
    assert (end["marks"], end["scores"], end["winners"]) == ([0, 0, 0], [5, 7, 7], [1, 2])


# ── Common: chance, skills, columns ──────────────────────────────────────────────────────────────────────────────────


def test_feels_of_a_seat_are_the_same_whoever_sits_there_and_whatever_others_do() -> None:
    one, other = begun(2, bots="random,bayes"), begun(2, {"token_table": "shifted"}, bots="random,bayes")
    felt: list[list[Any]] = [[], []]
    rng = np.random.default_rng(1)
    for told, table in zip(felt, (one, other), strict=True):
        for _ in range(40):
            seat = table.session.seat
            corner = len(table.named("feel")) % 4 if seat == 0 else int(rng.integers(4))
            event = table.feel(corner)
            if seat == 0:
                told.append((corner, event["reading"], event["until_ms"]))
    by_corner = [{corner: [row[1] for row in told if row[0] == corner] for corner in range(4)} for told in felt]
    for corner in range(4):
        ours, theirs = by_corner[0][corner], by_corner[1][corner]
        shared = min(len(ours), len(theirs))
        assert ours[:shared] == theirs[:shared]


@pytest.mark.parametrize("radius", RADII)
def test_the_touch_scatters_in_proportion_to_the_radius_and_takes_its_time(radius: int) -> None:
    """The model of touch (Weber): spread 0.2 r / acuity; times of median touch_ms, factor exp(0.3 z)."""
    table = begun(1, cards=[str(radius) * 4], bots="random:acuity=2:touch_ms=1000", deal=radius)
    events = [table.feel(number % 4) for number in range(200)]
    read = np.array([event["reading"] / 64 for event in events])
    # Means of 200 readings: deviation 0.1 r / 14; five of them. The spread is right within a fifth.
    assert read.mean() == pytest.approx(radius, abs=5 * 0.1 * radius / 14)
    assert read.std() == pytest.approx(0.1 * radius, rel=0.2)
    took = np.diff([0] + [event["until_ms"] for event in events])
    assert np.log(took / 1000).mean() == pytest.approx(0.0, abs=5 * 0.3 / 14)
    assert np.log(took / 1000).std() == pytest.approx(0.3, rel=0.2)


@pytest.mark.parametrize(
    ("skill", "value"),
    [("touch_ms", 99), ("touch_ms", 20001), ("acuity", 0.09), ("acuity", 11), ("inexperienced", 0.5)],
)
def test_a_skill_out_of_bounds_is_named(skill: str, value: float) -> None:
    with pytest.raises(SpecError, match=f"bot 'random': '{skill}' is {value}; allowed are (whole )?numbers from"):
        make_job(load_game("four_corner"), entrants=[Entrant("random", skills={skill: value})], deals=1)


@pytest.mark.parametrize(("option", "value"), [("peek_slip", 1.5), ("rounds", 5), ("bonus", 21), ("cutoff", "sixth")])
def test_an_option_out_of_bounds_is_named(option: str, value: Any) -> None:
    with pytest.raises(SpecError, match=f"Option '{option}' is {value!r}; allowed: "):
        make_spec(load_game("four_corner"), 2, {option: value})


def test_the_bot_random_writes_at_once_and_uniformly() -> None:
    """RULES.md 8: one of 256 tuples, exactly 15 s in every mode."""
    table = make("four_corner", "random", 2, deals=1)
    games, places, rounds = Player(table).play(0, 3000)
    assert set(rounds[:, 4].tolist()) == {15_000}
    assert set(games[:, 5].tolist()) == {8}
    # Each number is right with chance 1/4: k of 4 as often as 24000 * C(4, k) * 3**(4 - k) / 256.
    counts = np.bincount(rounds[:, 5], minlength=5)
    expected = np.array([81, 108, 54, 12, 1]) * len(rounds) / 256
    assert ((counts - expected) ** 2 / expected).sum() < 4 + 5 * 8**0.5 + 5
    assert places[:, 5].reshape(-1, 2).sum(axis=1).tolist() == [2520] * len(games)


def test_columns_agree_with_the_transcript() -> None:
    table = make("four_corner", "weigher,racer,steady", 3, deals=20)
    games, places, rounds = Player(table).play(0, 4)
    for game in range(len(games)):
        deal, rotation = games[game, 1:3].tolist()
        events = transcript_of(table, deal, rotation)["events"]
        finishes = [event for event in events if event["event"] == "finish"]
        assert games[game, 7] == sum(event["at_ms"] for event in finishes if event["place"] == 1)
        assert games[game, 4] == sum(event["event"] == "take_up" for event in events) == 12
        end = events[-1]
        seats = places[3 * game : 3 * game + 3]
        assert seats[:, [3, 4, 7, 8, 9, 10]].tolist() == [
            [end["scores"][seat], end["places"][seat], end["points"][seat], end["bonus"][seat], end["marks"][seat], 0]
            for seat in range(3)
        ]
        told = {(event["at_ms"], event["seat"]): event["place"] for event in finishes}
        for row in rounds[12 * game : 12 * game + 12].tolist():
            assert told[row[4], row[2]] == row[3]
        checks = [event for event in events if event["event"] == "check"]
        rows = sorted(tuple(row[1:4]) + tuple(row[5:]) for row in rounds[12 * game : 12 * game + 12].tolist())
        assert rows == sorted(
            (1 + number // 3, check["seat"], 1 + number % 3, check["correct"], check["tokens"], check["points"])
            for number, check in enumerate(checks)
        )
