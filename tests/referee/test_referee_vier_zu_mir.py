"""The referee of Vier zu mir!: the worked examples of RULES.md 2.5, games written by hand or by a player of its own,
and planted faults.
"""

import copy
import itertools
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.referee import vier_zu_mir_settings
from tests.referee.reading import DivergenceError, Event, Reader
from tests.referee.spoiling import with_a_key_spoilt, with_a_value_spoilt, with_an_event_spoilt
from tests.referee.vier_zu_mir import (
    CYCLIC,
    Options,
    Referee,
    faults_of_cards,
    faults_of_options,
    judge,
    main,
    places_of,
    tubes_of,
    winners_of,
)

Document = dict[str, Any]
DEFAULTS = Options()


def document(seats: int, options: Mapping[str, Any], events: list[Event]) -> Document:
    """A whole transcript around the events, as JSON gives it back; options not given have their defaults."""
    whole = {
        "format": 1,
        "game": "vier_zu_mir",
        "version": "1",
        "seats": seats,
        "options": {**vars(DEFAULTS), **options},
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
# Cards, tubes and places
# ------------------------------------------------------------------------------------------------------------


def test_vzm_6_cyclic_cards() -> None:
    assert [list(CYCLIC[card]) for card in (0, 1, 2, 21)] == [[0, 1, 3, 7], [1, 2, 4, 8], [2, 3, 5, 9], [0, 4, 21, 22]]
    assert CYCLIC[8] == (8, 9, 11, 15)  # the second attested card
    assert list(faults_of_cards([list(card) for card in CYCLIC], is_even=True)) == []
    shared = [len(set(first) & set(second)) for first, second in itertools.combinations(CYCLIC, 2)]
    assert max(shared) == 1
    assert (len(shared), sum(shared)) == (276, 144)


def test_vzm_x1_tubes() -> None:
    assert tubes_of([2, 0, 1]) == [8, 8, 8]
    assert tubes_of([3, 2, 1, 0]) == [6] * 4
    assert tubes_of([2, 0, 1, 3, 4]) == [5, 5, 4, 5, 5]
    assert tubes_of(list(range(6))) == [4] * 6
    assert tubes_of([0, 5, 3, 2, 6, 1, 4]) == [3, 4, 3, 3, 4, 3, 4]
    assert tubes_of(list(range(8))) == [3] * 8


@pytest.mark.parametrize(("seats", "stack"), [(3, 18), (4, 16), (5, 14), (6, 12), (7, 10), (8, 8)])
def test_vzm_x2_stack_after_the_deal(seats: int, stack: int) -> None:
    events = opening(seats, list(range(24)), list(range(24)), 0)
    referee = Referee(seats, DEFAULTS, Reader(events))
    referee._set_up()
    assert referee.reader.differences == []
    assert len(referee.stack) == stack
    assert len(events[2]["stack"]) == stack


def test_vzm_21_places() -> None:
    assert (places_of([3, 5, 5, 0]), winners_of([3, 5, 5, 0])) == ([3, 1, 1, 4], [1, 2])
    assert (places_of([0, 0, 0]), winners_of([0, 0, 0])) == ([1, 1, 1], [0, 1, 2])


# ------------------------------------------------------------------------------------------------------------
# Events
# ------------------------------------------------------------------------------------------------------------


def event(kind: str, **keys: Any) -> Event:
    return {"event": kind, **keys}


def turn(number: int, seat: int) -> Event:
    return event("turn", turn=number, seat=seat)


def asked(seat: int, other: int, animal: int, legal: int, *, hit: bool) -> list[Event]:
    return [
        event("decision", point="ask", seat=seat, choice=["ask", other, animal], legal=legal),
        event("answer", seat=seat, asked=other, animal=animal, hit=hit),
    ]


def stopped(seat: int, legal: int) -> Event:
    return event("decision", point="ask", seat=seat, choice="stop", legal=legal)


def shown(seat: int, card: int, *animals: int) -> Event:
    return event("show", seat=seat, card=card, animals=list(animals))


def drew(seat: int, card: int) -> Event:
    return event("draw", seat=seat, card=card)


def ended(status: str, placed: list[int], places: list[int], winners: list[int]) -> Event:
    return event("game_end", status=status, placed=placed, places=places, winners=winners)


def opening(seats: int, animals: list[int], cards: list[int], start: int, hand_cards: int = 2) -> list[Event]:
    """Events up to `start`, all of it by chance; the ages fall from seat 0 on."""
    tubes = {5: [4, 5, 5, 5, 5], 7: [3, 3, 3, 3, 4, 4, 4]}.get(seats, [24 // seats] * seats)
    ends = list(itertools.accumulate(tubes))
    return [
        event("ages", order=list(range(seats)), chance=True),
        event("shuffle", animals=animals, cards=cards),
        event(
            "deal",
            tubes=[animals[end - count : end] for end, count in zip(ends, tubes, strict=True)],
            hands=[cards[seat * hand_cards : (seat + 1) * hand_cards] for seat in range(seats)],
            stack=cards[seats * hand_cards :],
        ),
        event("start", seat=start, chance=True),
    ]


# ------------------------------------------------------------------------------------------------------------
# Positions: RULES.md 2.5
# ------------------------------------------------------------------------------------------------------------


def position(
    tubes: list[list[int]], hands: list[list[int]], stack: list[int], events: list[Event], **options: Any
) -> Referee:
    """Table with these tubes, hands and stack; animals not named are the last seat's, cards not named are placed."""
    referee = Referee(len(tubes), Options(**options), Reader(events))
    referee.cards = CYCLIC
    referee.tubes = [set(own) for own in tubes]
    referee.tubes[-1] |= set(range(24)).difference(*tubes)
    referee.hands, referee.stack = copy.deepcopy(hands), list(stack)
    referee.placed[-1] = sorted(set(range(24)).difference(stack, *hands))
    return referee


def after_turn(referee: Referee, seat: int) -> Referee:
    """Table after a turn of a seat in which all the events are right."""
    referee.play_turn(seat)
    referee.reader.finish()
    assert referee.reader.differences == []
    return referee


def test_vzm_x3_a_card_complete_at_the_start() -> None:
    # Seat 1 has 0, 1, 3, 7 and the card 0; the next turn is the start seat's all the same.
    animals = [2, 4, 5, 6, 8, 9, 10, 11, 0, 1, 3, 7, 12, 13, 14, 15, *range(16, 24)]
    before = opening(3, animals, [1, 2, 0, 5, 3, 4, 6, *range(7, 24)], 2)
    placing = [shown(1, 0, 0, 1, 3, 7), drew(1, 6)]
    # Seat 2 has 16 to 23; its cards 3 = {3, 4, 6, 10} and 4 = {4, 5, 7, 11} want seven animals of two seats.
    ending = [turn(1, 2), *asked(2, 0, 3, 14, hit=False), ended("capped", [0, 1, 0], [2, 1, 2], [1])]
    options = {"max_asks": 1}
    assert judge(document(3, options, [*before, *placing, *ending])) == []
    assert "VZM-9" in judge(document(3, options, [*before, *ending]))[0]
    referee = Referee(3, DEFAULTS, Reader([*before, *placing]))
    with pytest.raises(DivergenceError):
        referee.play()
    assert (len(referee.placed[1]), len(referee.stack), len(referee.hands[1])) == (1, 17, 2)


def test_vzm_9_seats_place_in_order_from_the_start_seat() -> None:
    # Seat 0 has 0, 1, 3, 7 and the card 0, seat 2 has 8, 9, 11, 15 and the card 8; seat 2 starts and draws first.
    animals = [0, 1, 2, 3, 4, 5, 6, 7, 10, 12, 13, 14, 16, 17, 18, 19, 8, 9, 11, 15, 20, 21, 22, 23]
    before = opening(3, animals, [0, 1, 2, 3, 8, 5, 4, 6, 7, *range(9, 24)], 2)
    first, second = [shown(2, 8, 8, 9, 11, 15), drew(2, 4)], [shown(0, 0, 0, 1, 3, 7), drew(0, 6)]
    # Cards 5 = {5, 6, 8, 12} and 4 = {4, 5, 7, 11}: seat 2 lacks 4, 5, 6, 7, 12.
    rest = [turn(1, 2), *asked(2, 0, 12, 10, hit=False), ended("capped", [1, 0, 1], [1, 3, 1], [0, 2])]
    assert judge(document(3, {"max_asks": 1}, [*before, *first, *second, *rest])) == []
    assert judge(document(3, {"max_asks": 1}, [*before, shown(0, 0, 0, 1, 3, 7), drew(0, 4), *first, *rest]))


def test_vzm_e1_a_completion_ends_the_turn() -> None:
    # Wanted: 7 for card 0; 2, 5 and 9 for card 2. Card 6 = {6, 7, 9, 13} is drawn.
    events = [turn(1, 0), *asked(0, 1, 7, 8, hit=True), shown(0, 0, 0, 1, 3, 7), drew(0, 6)]
    hands = [[0, 2], [1, 3], [4, 5]]
    referee = after_turn(position([[0, 1, 3], [7], []], hands, [6, 7], events), 0)
    assert (referee.placed[0], referee.hands[0], referee.stack) == ([0], [2, 6], [7])
    assert 7 in referee.tubes[0]
    assert referee.tubes[1] == set()


def test_vzm_e2_a_miss_passes_to_the_left_of_the_asker() -> None:
    # Seat 0 has 8 to 13 and wants 0, 1, 3, 7 and 2, 4 for card 1, of three seats. Seat 3 has 7.
    before = opening(4, [*range(8, 14), *range(14, 20), *range(20, 24), 0, 1, *range(2, 8)], list(range(24)), 0)
    first = [turn(1, 0), *asked(0, 2, 7, 18, hit=False)]
    # Seat 1 with 14 to 19 wants {2, 3, 5, 9} and {3, 4, 6, 10}: 2, 3, 4, 5, 6, 9, 10.
    second = asked(1, 0, 2, 21, hit=False)
    end = ended("capped", [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 2, 3])
    assert judge(document(4, {"max_asks": 2}, [*before, *first, turn(2, 1), *second, end])) == []
    wrong = [*before, *first, turn(2, 2), *second, end]
    assert "VZM-15" in judge(document(4, {"max_asks": 2}, wrong))[0]


def test_vzm_e3_two_cards_at_once_and_one_to_draw() -> None:
    events = [turn(1, 0), *asked(0, 1, 1, 2, hit=True), shown(0, 0, 0, 1, 3, 7), shown(0, 1, 1, 2, 4, 8), drew(0, 9)]
    referee = position([[0, 3, 7, 2, 4, 8], [1], []], [[0, 1], [2, 3], [4, 5]], [9], events)
    assert (after_turn(referee, 0).placed[0], referee.hands[0], referee.stack) == ([0, 1], [9], [])
    assert referee.status is None


def test_vzm_e4_a_drawn_card_that_is_complete() -> None:
    tubes = [[0, 1, 3, 4, 21, 22], [7], []]
    hands, stack = [[0, 2], [1, 3], [4, 5]], [21, 6, 7]
    # Wanted are 7 and 2, 5, 9, as in E1.
    hit = [turn(1, 0), *asked(0, 1, 7, 8, hit=True), shown(0, 0, 0, 1, 3, 7), drew(0, 21)]
    chained = [*hit, shown(0, 21, 0, 4, 21, 22), drew(0, 6)]
    referee = after_turn(position(tubes, hands, stack, chained), 0)
    assert (referee.placed[0], referee.hands[0], referee.stack) == ([0, 21], [2, 6], [7])
    referee = after_turn(position(tubes, hands, stack, hit, chain=False), 0)
    assert (referee.placed[0], referee.hands[0], referee.stack) == ([0], [2, 21], [6, 7])


def test_vzm_16_a_waiting_card_is_placed_with_the_next_one() -> None:
    # With `chain` off, seat 0 holds card 21 complete; a hit that completes nothing leaves it, the next places both.
    tubes, hands = [[0, 1, 4, 21, 22], [3, 7], []], [[0, 21], [1, 2], [4, 5]]
    events = [
        turn(1, 0),
        *asked(0, 1, 3, 4, hit=True),
        *asked(0, 1, 7, 3, hit=True),
        shown(0, 0, 0, 1, 3, 7),
        shown(0, 21, 0, 4, 21, 22),
        drew(0, 6),
        drew(0, 7),
    ]
    referee = after_turn(position(tubes, hands, [6, 7, 8], events, chain=False), 0)
    assert referee.placed[0] == [0, 21]


def test_vzm_19_a_hand_all_complete_is_placed_in_one_pass() -> None:
    # Cards 0 and 21 are complete, and so is 6 = {6, 7, 9, 13} that is drawn; with `chain` off it waits.
    tubes = [[0, 1, 3, 7, 4, 21, 22, 6, 9, 13], [], []]
    events = [turn(1, 0), shown(0, 0, 0, 1, 3, 7), shown(0, 21, 0, 4, 21, 22), drew(0, 6), drew(0, 8)]
    referee = after_turn(position(tubes, [[0, 21], [1, 2], [4, 5]], [6, 8], events, chain=False), 0)
    assert referee.hands[0] == [6, 8]
    # The last card placed in such a turn ends the game, too.
    referee = position(tubes, [[0], [1, 2], [4, 5]], [], [turn(1, 0), shown(0, 0, 0, 1, 3, 7)], chain=False)
    assert after_turn(referee, 0).status == "finished"


def test_vzm_e5_the_last_card_ends_the_game() -> None:
    # Seat 1 holds card 1 = {1, 2, 4, 8} and is a single ask short of it.
    events = [turn(1, 0), *asked(0, 1, 7, 2, hit=True), shown(0, 0, 0, 1, 3, 7)]
    referee = after_turn(position([[0, 1, 3], [7, 2, 4, 8], []], [[0], [1], [2]], [], events), 0)
    assert referee.status == "finished"
    # With a card left in the stack it goes on.
    referee = after_turn(position([[0, 1, 3], [7, 2, 4, 8], []], [[0], [1], [2]], [3], [*events, drew(0, 3)]), 0)
    assert referee.status is None


@pytest.mark.parametrize(
    ("tubes", "choice"),
    [
        ([7], ["ask", 1, 7]),  # E6: an own animal
        ([], ["ask", 1, 5]),  # E6: on none of the own cards
        ([], ["ask", 0, 7]),  # oneself
        ([], ["ask", 3, 7]),  # nobody
        ([], ["ask", 1]),
        ([], "stop"),  # VZM-14: not before a hit
    ],
)
def test_vzm_e6_illegal_questions(tubes: list[int], choice: Any) -> None:
    decision = event("decision", point="ask", seat=0, choice=choice, legal=14 - 2 * len(tubes))
    referee = position([tubes, [], []], [[0, 1], [2, 3], [4, 5]], [6], [turn(1, 0), decision])
    with pytest.raises(DivergenceError, match="VZM-14" if choice == "stop" else "VZM-12"):
        referee.play_turn(0)


def test_vzm_14_stopping_is_allowed_after_a_hit_unless_switched_off() -> None:
    # Cards 0 and 1 want 0, 1, 3, 7, 2, 4, 8: fourteen questions, after the hit twelve and the stop.
    hit = [turn(1, 0), *asked(0, 2, 7, 14, hit=True)]
    hands = [[0, 1], [2, 3], [4, 5]]
    after_turn(position([[], [], []], hands, [6], [*hit, stopped(0, 13)]), 0)
    after_turn(position([[], [], []], hands, [6], [*hit, *asked(0, 1, 0, 13, hit=False)]), 0)
    without = {"voluntary_stop": False}
    after_turn(position([[], [], []], hands, [6], [*hit, *asked(0, 1, 0, 12, hit=False)], **without), 0)
    with pytest.raises(DivergenceError, match="VZM-14"):
        position([[], [], []], hands, [6], [*hit, stopped(0, 12)], **without).play_turn(0)


def test_vzm_e7_a_seat_without_tubes_asks_and_is_asked() -> None:
    hands = [[0, 1], [2, 3], [4, 5]]
    # Cards 2 and 3 want 2, 3, 5, 9 and 4, 6, 10.
    after_turn(position([[1], [], []], hands, [6], [turn(1, 1), *asked(1, 2, 9, 14, hit=True), stopped(1, 13)]), 1)
    after_turn(position([[1], [], []], hands, [6], [turn(1, 0), *asked(0, 1, 7, 12, hit=False)]), 0)
    with pytest.raises(DivergenceError):
        position([[1], [], []], hands, [6], [turn(1, 1), turn(2, 2)]).play_turn(1)


def test_p_2_a_lost_tube_or_card_stops_the_game() -> None:
    losses: list[Callable[[Referee], int]] = [lambda table: table.tubes[2].pop(), lambda table: table.placed[2].pop()]
    for lose in losses:
        events = [turn(1, 0), *asked(0, 1, 7, 2, hit=True), shown(0, 0, 0, 1, 3, 7)]
        referee = position([[0, 1, 3], [7], []], [[0], [1], [2]], [], events)
        lose(referee)
        with pytest.raises(DivergenceError, match="P-2"):
            referee.play_turn(0)


# ------------------------------------------------------------------------------------------------------------
# Games written by hand, every event worked out from the rules
# ------------------------------------------------------------------------------------------------------------


def game_of_eight() -> Document:
    """Eight seats, three cards each and no stack, given cards, ages and start: three cards placed end the game."""
    cards = [
        [0, 1, 3, 4],
        [0, 2, 3, 4],
        [1, 2, 3, 4],
        *([5 + step, 6 + step, 7 + step, 8 + step] for step in range(16)),
    ]
    options = {
        "cards": [*cards, *([0, 5, 10, other] for other in range(11, 16))],
        "ages": [8, 7, 6, 5, 4, 3, 1, 2],
        "start_seat": 6,
        "hand_cards": 3,
    }
    events = [
        event("ages", order=[0, 1, 2, 3, 4, 5, 7, 6], chance=False),
        event("shuffle", animals=list(range(24)), cards=list(range(24))),
        event(
            "deal",
            tubes=[[3 * seat, 3 * seat + 1, 3 * seat + 2] for seat in range(8)],
            hands=[[3 * seat, 3 * seat + 1, 3 * seat + 2] for seat in range(8)],
            stack=[],
        ),
        event("start", seat=6, chance=False),
        # Seat 6 has 18, 19, 20 and the cards 18 = {20, 21, 22, 23}, {0, 5, 10, 11}, {0, 5, 10, 12}: it lacks eight.
        turn(1, 6),
        *asked(6, 7, 21, 7 * 8, hit=True),
        stopped(6, 7 * 7 + 1),
        # Seat 7 has 22, 23 and {0, 5, 10, 13}, {0, 5, 10, 14}, {0, 5, 10, 15}: it lacks six.
        turn(2, 7),
        *asked(7, 3, 0, 7 * 6, hit=False),
        # Seat 0 has 0, 1, 2 and its three cards need 3 and 4, both of seat 1.
        turn(3, 0),
        *asked(0, 1, 3, 7 * 2, hit=True),
        *asked(0, 1, 4, 7 + 1, hit=True),
        shown(0, 0, 0, 1, 3, 4),
        shown(0, 1, 0, 2, 3, 4),
        shown(0, 2, 1, 2, 3, 4),
        ended("finished", [3, 0, 0, 0, 0, 0, 0, 0], [1, 2, 2, 2, 2, 2, 2, 2], [0]),
    ]
    return document(8, options, events)


def game_of_five() -> Document:
    """Five seats, random cards, ages and start: a completion before the first turn, one by a hit, the limit."""
    renamed = [sorted(23 - animal for animal in card) for card in CYCLIC]  # card c: 23-c, 22-c, 20-c, 16-c
    # Seat 2 is the oldest. Card 0 = {16, 20, 22, 23}, 1 = {15, 19, 21, 22}, 2 = {14, 18, 20, 21}.
    animals = [16, 20, 22, 23, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 19, 21, 9, 10, 11, 12, 13, 14, 17, 18]
    cards = [0, 5, 7, 8, 9, 10, 11, 12, 13, 14, 1, 2, 3, 4, 6, *range(15, 24)]
    events = [
        event("search_cards", cards=renamed),
        event("ages", order=[2, 0, 1, 4, 3], chance=True),
        event("shuffle", animals=animals, cards=cards),
        event(
            "deal",
            tubes=[[16, 20, 22, 23, 15], [0, 1, 2, 3, 4], [5, 6, 7, 8], [19, 21, 9, 10, 11], [12, 13, 14, 17, 18]],
            hands=[[0, 5], [7, 8], [9, 10], [11, 12], [13, 14]],
            stack=[1, 2, 3, 4, 6, *range(15, 24)],
        ),
        event("start", seat=4, chance=True),
        # Seat 0 has card 0 complete and draws card 1.
        shown(0, 0, 16, 20, 22, 23),
        drew(0, 1),
        # Seat 4: 13 = {3, 7, 9, 10} and 14 = {2, 6, 8, 9}, seven animals of four others.
        turn(1, 4),
        *asked(4, 0, 3, 28, hit=False),
        # Seat 0: 5 = {11, 15, 17, 18} and 1 = {15, 19, 21, 22}; it lacks 11, 17, 18, 19, 21.
        turn(2, 0),
        *asked(0, 3, 19, 20, hit=True),
        *asked(0, 3, 21, 17, hit=True),
        shown(0, 1, 15, 19, 21, 22),
        drew(0, 2),
        # Seat 1: 7 = {9, 13, 15, 16} and 8 = {8, 12, 14, 15}, seven animals.
        turn(3, 1),
        *asked(1, 0, 15, 28, hit=True),
        ended("capped", [2, 0, 0, 0, 0], [1, 2, 2, 2, 2], [0]),
    ]
    return document(5, {"cards": "random", "max_asks": 4}, events)


def game_without_chain() -> Document:
    """Three seats without chain or stop: one pass at the start, a complete card that waits for the next one."""
    # Seat 0 has the cards 0 and 1 complete, and so are 21 and 6 = {6, 7, 9, 13} that it draws.
    animals = [0, 1, 2, 3, 4, 7, 8, 21, 22, 6, 9, 13, 5, 10, 11, 12, *range(14, 21), 23]
    cards = [0, 21, 2, 4, 5, 7, 1, 6, 3, 8, *range(9, 21), 22, 23]
    events = [
        *opening(3, animals, cards, 0),
        # Seat 0 has 0, 1, 2, 3, 4, 7, 8, 21: card 0 is complete, 21 lacks 22. It draws card 1, complete, which waits.
        shown(0, 0, 0, 1, 3, 7),
        drew(0, 1),
        turn(1, 0),
        *asked(0, 1, 22, 2, hit=True),
        shown(0, 1, 1, 2, 4, 8),
        shown(0, 21, 0, 4, 21, 22),
        drew(0, 6),
        drew(0, 3),
        # Seat 1 has 6, 9, 13, 5, 10, 11, 12 and 2 = {2, 3, 5, 9}, 4 = {4, 5, 7, 11}: it lacks 2, 3, 4, 7.
        turn(2, 1),
        *asked(1, 0, 7, 8, hit=True),
        *asked(1, 0, 4, 6, hit=True),
        shown(1, 4, 4, 5, 7, 11),
        drew(1, 8),
        # Seat 2 has 14 to 20 and 23, and 5 = {5, 6, 8, 12}, 7 = {7, 8, 10, 14}: it lacks 5, 6, 7, 8, 10, 12.
        turn(3, 2),
        *asked(2, 1, 8, 12, hit=False),
        # Seat 0 has 0, 1, 2, 3, 8, 21, 22 and 6 = {6, 7, 9, 13}, 3 = {3, 4, 6, 10}: it lacks 4, 6, 7, 9, 10, 13.
        turn(4, 0),
        *asked(0, 2, 4, 12, hit=False),
        ended("capped", [3, 1, 0], [1, 2, 3], [0]),
    ]
    return document(3, {"chain": False, "voluntary_stop": False, "max_asks": 5}, events)


def game_without_a_turn() -> Document:
    """Four seats, four cards each: seat 1 places its hand and the whole stack before the first turn."""
    # Its animals are 6 to 11, of which 15 cards can be made; seat 2 has a card complete, too, but comes later.
    own = [list(card) for card in itertools.islice(itertools.combinations(range(6, 12), 4), 12)]
    others = [[first, 16, 17, 18] for first in range(12)]
    events = [
        *opening(4, list(range(24)), [*range(12, 16), *range(4), 23, *range(16, 23), *range(4, 12)], 0, hand_cards=4),
        *(shown(1, card, *own[card]) for card in range(4)),
        *(drew(1, card) for card in range(4, 8)),
        *(shown(1, card, *own[card]) for card in range(4, 8)),
        *(drew(1, card) for card in range(8, 12)),
        *(shown(1, card, *own[card]) for card in range(8, 12)),
        ended("finished", [0, 12, 0, 0], [2, 1, 2, 2], [1]),
    ]
    return document(4, {"cards": [*own, *others[:11], [12, 13, 14, 15]], "hand_cards": 4}, events)


BY_HAND = (game_of_eight, game_of_five, game_without_chain, game_without_a_turn)


@pytest.mark.parametrize("game", BY_HAND)
def test_a_game_written_by_hand_has_no_difference(game: Callable[[], Document]) -> None:
    assert judge(game()) == []


# ------------------------------------------------------------------------------------------------------------
# Games of a player of its own: it keeps an owner for every animal, and shares no line with the referee
# ------------------------------------------------------------------------------------------------------------


class SelfPlayer:
    """Plays a game by the rules and writes its events down; `skill` is how often it asks where the animal is."""

    def __init__(self, seats: int, options: Mapping[str, Any], chance: random.Random, skill: float) -> None:
        self.seats, self.options, self.chance, self.skill = seats, options, chance, skill
        self.events: list[Event] = []
        self.owner: dict[int, int] = {}
        self.cards: list[list[int]] = []
        self.hands: list[list[int]] = []
        self.stack: list[int] = []
        self.points = [0] * seats
        self.asks = 0

    def play(self) -> list[Event]:
        seat = self.deal()
        is_over = False
        for first in [*range(seat, self.seats), *range(seat)]:
            is_over = is_over or (any(map(self.missing_none(first), self.hands[first])) and self.place(first))
        number = 0
        while not is_over and self.asks < self.options["max_asks"]:
            number += 1
            self.events.append(turn(number, seat))
            is_over = self.take_turn(seat)
            seat = seat + 1 if seat + 1 < self.seats else 0
        best = sorted(self.points, reverse=True)
        places = [best.index(own) + 1 for own in self.points]
        winners = [seat for seat, place in enumerate(places) if place == 1]
        self.events.append(ended("finished" if is_over else "capped", self.points, places, winners))
        return self.events

    def shuffled(self, count: int) -> list[int]:
        return self.chance.sample(range(count), count)

    def deal(self) -> int:
        """Write down all events up to the start; return the start seat."""
        self.cards = self.options["cards"]
        if self.options["cards"] == "random":
            self.cards = random_cards(self.chance)
            self.events.append(event("search_cards", cards=self.cards))
        ages = self.options["ages"]
        is_drawn = ages == "random"
        ages = self.shuffled(self.seats) if is_drawn else ages
        order = [ages.index(age) for age in sorted(ages, reverse=True)]
        self.events.append(event("ages", order=order, chance=is_drawn))
        animals, cards = self.shuffled(24), self.shuffled(24)
        self.events.append(event("shuffle", animals=list(animals), cards=list(cards)))
        older = {3: [8] * 3, 4: [6] * 4, 5: [4, *[5] * 4], 6: [4] * 6, 7: [*[3] * 4, *[4] * 3], 8: [3] * 8}[self.seats]
        tubes: list[list[int]] = []
        for seat in range(self.seats):
            count = older[order.index(seat)]
            tubes.append([animals.pop(0) for _ in range(count)])
            self.hands.append([cards.pop(0) for _ in range(self.options["hand_cards"])])
        self.stack = cards
        self.owner = {animal: seat for seat, own in enumerate(tubes) for animal in own}
        self.events.append(event("deal", tubes=tubes, hands=copy.deepcopy(self.hands), stack=list(cards)))
        start = self.options["start_seat"]
        is_random = start == "random"
        first: int = self.chance.randrange(self.seats) if is_random else start
        self.events.append(event("start", seat=first, chance=is_random))
        return first

    def missing_none(self, seat: int) -> Callable[[int], bool]:
        return lambda card: all(self.owner[animal] == seat for animal in self.cards[card])

    def place(self, seat: int) -> bool:
        """Show all complete cards and draw, again for those drawn with `chain`; return whether the game is over."""
        is_complete = self.missing_none(seat)
        done = sorted(card for card in self.hands[seat] if is_complete(card))
        self.events += [shown(seat, card, *self.cards[card]) for card in done]
        self.points[seat] += len(done)
        new, self.stack = self.stack[: len(done)], self.stack[len(done) :]
        self.events += [drew(seat, card) for card in new]
        self.hands[seat] = [card for card in self.hands[seat] if card not in done] + new
        if self.options["chain"] and any(map(is_complete, new)):
            return self.place(seat)
        return not self.hands[seat]

    def take_turn(self, seat: int) -> bool:
        is_complete, can_stop = self.missing_none(seat), False
        if all(map(is_complete, self.hands[seat])):
            return self.place(seat)
        while self.asks < self.options["max_asks"]:
            needed = {animal for card in self.hands[seat] for animal in self.cards[card] if self.owner[animal] != seat}
            legal = len(needed) * (self.seats - 1) + can_stop
            if can_stop and self.chance.random() < 0.1:
                self.events.append(stopped(seat, legal))
                return False
            animal = self.chance.choice(sorted(needed))
            other = self.chance.choice([other for other in range(self.seats) if other != seat])
            if self.chance.random() < self.skill:
                other = self.owner[animal]
            is_hit = self.owner[animal] == other
            self.events += asked(seat, other, animal, legal, hit=is_hit)
            self.asks += 1
            if not is_hit:
                return False
            waiting = [card for card in self.hands[seat] if is_complete(card)]
            self.owner[animal] = seat
            if len([card for card in self.hands[seat] if is_complete(card)]) > len(waiting):
                return self.place(seat)
            can_stop = self.options["voluntary_stop"]
        return False


def random_cards(chance: random.Random) -> list[list[int]]:
    """24 different cards with every animal on four of them."""
    while True:
        animals = chance.sample([*range(24)] * 4, 96)
        cards = [sorted(animals[first : first + 4]) for first in range(0, 96, 4)]
        if all(len(set(card)) == 4 for card in cards) and len(set(map(tuple, cards))) == 24:
            return cards


def as_transcript(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a job as a transcript has them."""
    written = {**vars(DEFAULTS), **options}
    if written["cards"] == "cyclic":
        written["cards"] = CYCLIC
    if written["cards"] != "random":
        written["cards"] = [
            list(map(int, card.split())) if isinstance(card, str) else list(card) for card in written["cards"]
        ]
    if written["ages"] != "random":
        written["ages"] = list(written["ages"])
    return written


def random_document(seed: int) -> Document:
    """A game of the self player with seats and options of the settings."""
    chance = random.Random(seed)
    seats = vier_zu_mir_settings.SEATS[seed % 6]
    choices = vier_zu_mir_settings.CHOICES.items()
    drawn = {option: chance.choice(values) for option, values in choices if chance.random() < 0.4}
    vier_zu_mir_settings.fit(drawn, seats)
    options = as_transcript(drawn)
    return document(seats, options, SelfPlayer(seats, options, chance, chance.choice([0.0, 0.3, 0.7])).play())


def pairs_of(whole: Document) -> set[tuple[str, str]]:
    """Kinds of events that follow each other in a game."""
    return set(itertools.pairwise(happened["event"] for happened in whole["events"]))


def test_random_games_under_random_options_have_no_difference() -> None:
    pairs, statuses = set(), set()
    for seed in range(150):
        whole = random_document(seed)
        assert judge(whole) == [], seed
        pairs |= pairs_of(whole)
        statuses.add(whole["events"][-1]["status"])
    assert {("start", "show"), ("draw", "show"), ("show", "show"), ("draw", "draw"), ("decision", "turn")} <= pairs
    assert statuses == {"finished", "capped"}


@pytest.mark.parametrize("hand_cards", [1, 2, 4])
@pytest.mark.parametrize("chain", [True, False])
def test_games_of_few_animals_complete_many_cards_at_once(chain: bool, hand_cards: int) -> None:
    # Seven animals make 35 cards; so drawn cards are often complete already.
    cards = list(itertools.islice(itertools.combinations(range(7), 4), 24))
    options = as_transcript({"cards": cards, "chain": chain, "hand_cards": hand_cards})
    pairs = set()
    for seed in range(60):
        seats = 3 + seed % 4
        whole = document(seats, options, SelfPlayer(seats, options, random.Random(seed), 0.5).play())
        assert judge(whole) == [], seed
        pairs |= pairs_of(whole)
    assert (("draw", "show") in pairs) is chain  # VZM-16
    assert (("turn", "show") in pairs) is not chain  # VZM-19


def test_p_3_renamed_animals_change_nothing() -> None:
    for seed in range(12):
        whole = random_document(seed)
        name = random.Random(seed).sample(range(24), 24)
        if whole["options"]["cards"] != "random":
            whole["options"]["cards"] = [sorted(name[animal] for animal in card) for card in whole["options"]["cards"]]
        for happened in whole["events"]:
            kind = happened["event"]
            if kind == "search_cards":
                happened["cards"] = [sorted(name[animal] for animal in card) for card in happened["cards"]]
            elif kind == "shuffle":
                happened["animals"] = [name[animal] for animal in happened["animals"]]
            elif kind == "deal":
                happened["tubes"] = [[name[animal] for animal in own] for own in happened["tubes"]]
            elif kind == "decision" and happened["choice"] != "stop":
                happened["choice"][2] = name[happened["choice"][2]]
            elif kind == "answer":
                happened["animal"] = name[happened["animal"]]
            elif kind == "show":
                happened["animals"] = sorted(name[animal] for animal in happened["animals"])
        assert judge(whole) == [], seed


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


def exchange(values: list[Any], first: int, second: int) -> None:
    values[first], values[second] = values[second], values[first]


Plant = Callable[[list[Event]], object]

# With a word that the sentence must hold.
FAULTS_OF_EIGHT: dict[str, tuple[Plant, str]] = {
    "random cards where cards are given": (lambda e: e.insert(0, event("search_cards", cards=[])), "VZM-3"),
    "youngest first": (lambda e: e[0]["order"].reverse(), "VZM-3"),
    "ages given called drawn": (lambda e: e[0].update(chance=True), "VZM-3"),
    "animal twice": (lambda e: e[1]["animals"].__setitem__(0, 1), "VZM-4"),
    "card twice": (lambda e: e[1]["cards"].__setitem__(0, 1), "VZM-5"),
    "23 animals": (lambda e: e[1]["animals"].pop(), "VZM-4"),
    "25 cards": (lambda e: e[1]["cards"].append(24), "VZM-5"),
    "tubes exchanged": (lambda e: exchange(e[2]["tubes"], 0, 1), "VZM-2"),
    "tube too many": (lambda e: e[2]["tubes"][0].append(e[2]["tubes"][1].pop(0)), "VZM-2"),
    "hands exchanged": (lambda e: exchange(e[2]["hands"], 0, 1), "VZM-5"),
    "card left for the stack": (lambda e: e[2]["stack"].append(e[2]["hands"][7].pop()), "VZM-5"),
    "another start seat": (lambda e: e[3].update(seat=0), "VZM-11"),
    "start given called drawn": (lambda e: e[3].update(chance=True), "VZM-11"),
    "another seat begins": (lambda e: e[4].update(seat=7), "turn: seat"),
    "turn counted from 0": (lambda e: e[4].update(turn=0), "turn: turn"),
    "stop before a hit": (lambda e: e.__setitem__(5, stopped(6, 57)), "VZM-14"),
    "own animal asked for": (lambda e: e[5].update(choice=["ask", 7, 20]), "VZM-12"),
    "animal on no own card": (lambda e: e[5].update(choice=["ask", 7, 1]), "VZM-12"),
    "oneself asked": (lambda e: e[5].update(choice=["ask", 6, 21]), "VZM-12"),
    "nobody asked": (lambda e: e[5].update(choice=["ask", 8, 21]), "VZM-12"),
    "another word for a question": (lambda e: e[5].update(choice=["beg", 7, 21]), "VZM-12"),
    "question too many counted": (lambda e: e[5].update(legal=57), "legal"),
    "stop not counted": (lambda e: e[7].update(legal=49), "legal"),
    "stop before a hit counted": (lambda e: e[9].update(legal=43), "legal"),
    "decision of another seat": (lambda e: e[9].update(seat=0), "seat 7"),
    "decision of another kind": (lambda e: e[9].update(point="stop"), "seat 7"),
    "decision left out": (lambda e: e.pop(9), "VZM-12"),
    "hit called a miss": (lambda e: e[6].update(hit=False), "VZM-13"),
    "miss called a hit": (lambda e: e[10].update(hit=True), "VZM-15"),
    "answer of another seat": (lambda e: e[6].update(asked=5), "asked"),
    "answer about another animal": (lambda e: e[6].update(animal=22), "animal"),
    "answer left out": (lambda e: e.pop(6), "VZM-13"),
    "turn after a miss to the seat asked": (lambda e: e[11].update(seat=3), "VZM-15"),
    "another question after a miss": (lambda e: e.insert(11, asked(7, 0, 0, 42, hit=True)[0]), "VZM-15"),
    "turn left out": (lambda e: e.pop(11), "turn"),
    "turn over after a hit": (lambda e: e.insert(14, turn(4, 1)), "VZM-14"),
    "card shown too soon": (lambda e: e.insert(14, shown(0, 0, 0, 1, 3, 4)), "decision"),
    "complete card not shown": (lambda e: e.pop(-2), "VZM-8"),
    "cards shown in another order": (lambda e: exchange(e, -2, -3), "card"),
    "card of somebody else shown": (lambda e: e[-2].update(card=3), "card"),
    "other animals shown": (lambda e: e[-2].update(animals=[1, 2, 3, 5]), "animals"),
    "animals not in rising order": (lambda e: e[-2]["animals"].reverse(), "animals"),
    "card drawn from an empty stack": (lambda e: e.insert(-1, drew(0, 3)), "game_end"),
    "game going on after its end": (lambda e: e.insert(-1, turn(4, 1)), "VZM-20"),
    "capped": (lambda e: e[-1].update(status="capped"), "status"),
    "placed cards forgotten": (lambda e: e[-1].update(placed=[2, *[0] * 7]), "placed"),
    "places by seat": (lambda e: e[-1].update(places=list(range(1, 9))), "places"),
    "nobody wins": (lambda e: e[-1].update(winners=[]), "winners"),
    "everybody wins": (lambda e: e[-1].update(winners=list(range(8))), "winners"),
    "missing end": (lambda e: e.pop(), "the end of the transcript"),
    "something after the end": (lambda e: e.append(e[-1]), "nothing after"),
    "unknown event": (lambda e: e.insert(4, event("shout")), "shout"),
    "unknown key": (lambda e: e[4].update(card=0), "card"),
    "missing key": (lambda e: e[4].pop("turn"), "no such key"),
    "number written as a fraction": (lambda e: e[6].update(animal=21.0), "animal"),
    "truth written as a number": (lambda e: e[6].update(hit=1), "hit"),
    "number written as a truth": (lambda e: e[14].update(choice=["ask", True, 4]), "VZM-12"),
}
FAULTS_OF_FIVE: dict[str, tuple[Plant, str]] = {
    "random cards left out": (lambda e: e.pop(0), "VZM-6"),
    "23 random cards": (lambda e: e[0]["cards"].pop(), "VZM-1"),
    "the same random card twice": (lambda e: e[0]["cards"].__setitem__(1, e[0]["cards"][0]), "VZM-6"),
    "animal on five random cards": (lambda e: e[0]["cards"].__setitem__(0, [0, 20, 22, 23]), "VZM-6"),
    "random card of three animals": (lambda e: e[0]["cards"][0].pop(), "VZM-1"),
    "animal twice on a random card": (lambda e: e[0]["cards"].__setitem__(0, [16, 20, 20, 23]), "VZM-1"),
    "random card not in rising order": (lambda e: e[0]["cards"][0].reverse(), "VZM-1"),
    "animal that is none": (lambda e: e[0]["cards"].__setitem__(0, [16, 20, 22, 24]), "VZM-1"),
    "ages left out": (lambda e: e.pop(1), "VZM-3"),
    "seat of two ages": (lambda e: e[1].update(order=[2, 0, 1, 4, 4]), "VZM-3"),
    "ages drawn called given": (lambda e: e[1].update(chance=False), "VZM-3"),
    "another oldest seat": (lambda e: exchange(e[1]["order"], 0, 1), "VZM-2"),
    "start seat that is none": (lambda e: e[4].update(seat=5), "VZM-11"),
    "complete card kept at the start": (lambda e: e.__delitem__(slice(5, 7)), "VZM-9"),
    "no card drawn at the start": (lambda e: e.pop(6), "VZM-10"),
    "another card drawn": (lambda e: e[6].update(card=2), "card"),
    "card drawn twice": (lambda e: e.insert(7, drew(0, 2)), "turn"),
    "completion before the start seat is known": (lambda e: e.insert(4, e.pop(5)), "VZM-11"),
    "seat going on after a completion": (
        lambda e: e.__setitem__(slice(at(e, "turn", 2), -1), asked(0, 1, 3, 12, hit=False)),
        "VZM-13",
    ),
    "seat skipped after a completion": (lambda e: e[at(e, "turn", 2)].update(seat=2), "VZM-13"),
    "limit not kept": (lambda e: e.insert(-1, turn(4, 2)), "VZM-22"),
    "capped game called finished": (lambda e: e[-1].update(status="finished"), "status"),
    "end one question early": (lambda e: e.__delitem__(slice(-3, -1)), "decision"),
}
FAULTS_WITHOUT_CHAIN: dict[str, tuple[Plant, str]] = {
    "drawn card placed at once": (
        lambda e: e.__setitem__(slice(6, 6), [shown(0, 1, 1, 2, 4, 8), drew(0, 6)]),
        "turn",
    ),
    "waiting card kept": (lambda e: e.__delitem__(at(e, "show", card=1)), "VZM-16"),
    "one card drawn for two": (lambda e: e.pop(at(e, "draw", card=3)), "VZM-10"),
    "draws exchanged": (lambda e: exchange(e, at(e, "draw", card=6), at(e, "draw", card=3)), "card"),
    "stop where there is none": (lambda e: e.__setitem__(at(e, "decision", 2), stopped(1, 6)), "VZM-14"),
    "stop counted where there is none": (lambda e: e[at(e, "decision", 2)].update(legal=7), "legal"),
}
FAULTS_WITHOUT_A_TURN: dict[str, tuple[Plant, str]] = {
    "another seat places after the end": (
        lambda e: e.insert(-1, shown(2, 23, 12, 13, 14, 15)),
        "game_end",
    ),
    "turn after the last card": (lambda e: e.insert(-1, turn(1, 0)), "game_end"),
    "draws before all is shown": (lambda e: exchange(e, 7, 8), "show"),
}
FAULTS = [
    (game, name, *fault)
    for game, faults in (
        (game_of_eight, FAULTS_OF_EIGHT),
        (game_of_five, FAULTS_OF_FIVE),
        (game_without_chain, FAULTS_WITHOUT_CHAIN),
        (game_without_a_turn, FAULTS_WITHOUT_A_TURN),
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
        (game_of_eight, {"voluntary_stop": False}, "VZM-14"),
        (game_of_eight, {"max_asks": 3}, "game_end"),
        (game_of_eight, {"hand_cards": 2}, "hands"),
        (game_of_eight, {"start_seat": 5}, "start"),
        (game_of_eight, {"start_seat": "random"}, "chance"),
        (game_of_eight, {"ages": "random"}, "chance"),
        (game_of_eight, {"ages": [1, 2, 3, 4, 5, 6, 7, 8]}, "order"),
        (game_of_eight, {"cards": "random"}, "search_cards"),
        (game_of_five, {"cards": CYCLIC}, "ages"),
        (game_of_five, {"max_asks": 5}, "decision"),
        (game_of_five, {"ages": [1, 2, 3, 4, 5]}, "order"),
        (game_without_chain, {"chain": True}, "show"),
        (game_without_chain, {"voluntary_stop": True}, "legal"),
        (game_without_a_turn, {"chain": False}, "show"),
    ],
)
def test_a_game_of_other_options_is_reported(game: Callable[[], Document], wrong: dict[str, Any], named: str) -> None:
    whole = game()
    whole["options"].update(json.loads(json.dumps(wrong)))
    assert any(named in difference for difference in judge(whole))


def test_vzm_22_a_game_finished_by_the_last_question_allowed_is_finished() -> None:
    whole = game_of_eight()  # of four questions
    whole["options"]["max_asks"] = 4
    assert judge(whole) == []


def test_every_change_of_every_value_is_reported() -> None:
    for game in BY_HAND:
        whole = game()
        for what, changed in with_a_value_spoilt(whole):
            assert judge(changed), (game, what)
        assert judge(whole) == []


def test_every_event_left_out_doubled_or_exchanged_is_reported() -> None:
    for game in (*BY_HAND, lambda: random_document(17)):
        for what, index, changed in with_an_event_spoilt(game()):
            assert judge(changed), (game, index, what)


# ------------------------------------------------------------------------------------------------------------
# The document around the events, and the options
# ------------------------------------------------------------------------------------------------------------


def test_every_key_around_the_events_is_checked() -> None:
    whole = game_of_five()
    for what, spoilt in with_a_key_spoilt(whole):
        assert judge(spoilt), what
    wrong_values: list[Document] = [{"seats": 2}, {"seats": 9}, {"seats": 6}, {"skills": [{"a": 1}] * 5}]
    for wrong in wrong_values:
        assert judge({**whole, **wrong}), wrong
    for name in whole["options"]:
        rest = {other: value for other, value in whole["options"].items() if other != name}
        assert f"options: {name} is missing (section 7)" in judge({**whole, "options": rest})
    assert judge({**whole, "options": {**whole["options"], "window": "both"}})


@pytest.mark.parametrize(
    ("name", "value", "seats", "is_allowed"),
    [
        ("hand_cards", 0, 3, False),
        ("hand_cards", 1, 8, True),
        ("hand_cards", 3, 8, True),
        ("hand_cards", 4, 6, True),
        ("hand_cards", 4, 7, False),
        ("hand_cards", 5, 3, False),
        ("hand_cards", True, 3, False),
        ("max_asks", 0, 3, False),
        ("max_asks", 1, 3, True),
        ("max_asks", 100.0, 3, False),
        ("chain", 1, 3, False),
        ("chain", False, 3, True),
        ("voluntary_stop", "random", 3, False),
        ("start_seat", "random", 3, True),
        ("start_seat", 2, 3, True),
        ("start_seat", 3, 3, False),
        ("start_seat", -1, 3, False),
        ("start_seat", "first", 3, False),
        ("ages", "random", 3, True),
        ("ages", "given", 3, False),
        ("ages", [30, 5, 40], 3, True),
        ("ages", [30, 5, 30], 3, False),
        ("ages", [30, 5], 3, False),
        ("ages", [30, 5, 40, 1], 3, False),
        ("ages", [30, 5, 40.5], 3, False),
        ("ages", [[1], [2], [3]], 3, False),
        ("cards", "random", 3, True),
        ("cards", "cyclic", 3, False),
        ("cards", [[first, 20, 21, 22] for first in range(20)], 3, False),
        ("cards", [[a, b, 22, 23] for a in range(3) for b in range(3, 11)], 3, True),
        ("cards", [[a, b, 22, 24] for a in range(3) for b in range(3, 11)], 3, False),
        ("cards", [[-a, b, 22, 23] for a in range(3) for b in range(3, 11)], 3, False),
        ("cards", [[0, b, 22, 23] for _ in range(3) for b in range(3, 11)], 3, False),
        ("cards", ["0 1 3 7"] * 24, 3, False),
    ],
)
def test_bounds_of_the_options(name: str, value: object, seats: int, is_allowed: bool) -> None:
    faults = list(faults_of_options({**as_transcript({}), name: value}, seats))
    assert (faults == []) is is_allowed
    assert all(name in fault for fault in faults)


def test_the_settings_name_every_option_with_its_default_first() -> None:
    choices = vier_zu_mir_settings.CHOICES
    assert as_transcript({name: values[0] for name, values in choices.items()}) == as_transcript({})
    # RULES.md section 7, "default first" and "printed".
    assert {name: value for name, value in vars(DEFAULTS).items() if name != "cards"} == {
        "ages": "random",
        "start_seat": "random",
        "voluntary_stop": True,
        "chain": True,
        "max_asks": 10000,
        "hand_cards": 2,
    }


def test_the_settings_drawn_fit_the_seats() -> None:
    chance = random.Random(1)
    ages_given = 0
    for _ in range(1000):
        seats = chance.choice(vier_zu_mir_settings.SEATS)
        drawn = {name: chance.choice(values) for name, values in vier_zu_mir_settings.CHOICES.items()}
        left_out = chance.sample([name for name in drawn if name != "ages"], chance.randrange(6))
        drawn = {name: value for name, value in drawn.items() if name not in left_out}
        vier_zu_mir_settings.fit(drawn, seats)
        ages_given += drawn["ages"] != "random"
        assert list(faults_of_options(as_transcript(drawn), seats)) == []
    assert 400 < ages_given < 600


@pytest.mark.parametrize("whole", [None, 1, "game", [], [{}], {}, {1: 2}])
def test_what_is_no_transcript_is_reported(whole: object) -> None:
    assert judge(whole)


def test_junk_is_a_difference_and_never_a_traceback() -> None:
    chance = random.Random(3)
    junk: list[Any] = [None, True, -1, 0, 3, 1e400, 10**5000, "", "stop", [], [[]], {}, [1, None], {"event": 1}]
    for game in BY_HAND:
        base = game()
        for _ in range(1000):
            whole = copy.deepcopy(base)
            place = chance.choice([*whole["events"], whole["options"], whole])
            place[chance.choice(list(place))] = chance.choice(junk)
            assert all(isinstance(difference, str) for difference in judge(whole))
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for place, key in ((base["events"][1], "animals"), (base["events"][-1], "placed"), (base["options"], "cards")):
        assert judge(base) == []
        kept, place[key] = place[key], deep
        assert judge(base)
        place[key] = kept


def test_differences_are_stopped_before_they_fill_the_screen() -> None:
    whole = random_document(17)
    for happened in whole["events"]:
        happened["noise"] = 1
    assert len(judge(whole)) == 21  # 20 differences, and the sentence that there may be more


# ------------------------------------------------------------------------------------------------------------
# The command
# ------------------------------------------------------------------------------------------------------------


def test_command_counts_and_names_the_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong = game_of_eight(), game_of_eight()
    wrong["events"].pop()
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text("".join(json.dumps(whole) + "\n" for whole in [right] * 3))
    bad.write_text(json.dumps(right) + "\n" + json.dumps(wrong) + "\nnonsense\n")
    assert main([str(good)]) == 0
    assert capsys.readouterr().out == "3 transcripts judged, 0 with differences\n"
    assert main([str(good), str(bad)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "6 transcripts judged, 2 with differences"
    assert lines[0].startswith(f"{bad}:2: event 19: expected")
    assert main([str(tmp_path / "missing.jsonl")]) == 1
    assert main([]) == 1
