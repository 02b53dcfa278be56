"""The referee of Vierer: the worked examples of RULES.md 5.7, games written by hand, and planted faults."""

import copy
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.referee.reading import DivergenceError, Event
from tests.referee.spoiling import with_a_key_spoilt, with_a_value_spoilt, with_an_event_spoilt
from tests.referee.vierer import (
    DEFAULT_DECK,
    FLAGS,
    WORDS,
    Card,
    Choice,
    Options,
    Referee,
    as_json,
    hand_sum,
    is_knock_successful,
    is_match,
    judge,
    main,
    next_starter,
    parse_card,
    round_points,
    seats_to_reset,
    standing,
)

Document = dict[str, Any]
Choose = Callable[[str, int, Sequence[Choice]], Choice]
DEFAULTS = Options()


def deck_of(*names: str) -> tuple[Card, ...]:
    cards = [parse_card(name) for name in names]
    assert None not in cards
    return tuple(card for card in cards if card is not None)


def document(seats: int, options: Options, events: list[Event]) -> Document:
    """A whole transcript around the events, as JSON gives it back."""
    raw = {**vars(options), "deck": [f"{card.rank} {card.colour}" for card in options.deck]}
    whole = {
        "format": 1,
        "game": "vierer",
        "version": "1",
        "seats": seats,
        "options": raw,
        "seed": "1",
        "deal": 0,
        "rotation": 0,
        "entrants": ["random"] * seats,
        "skills": [{"reflex": 1.0}] * seats,
        "events": events,
    }
    restored: Document = json.loads(json.dumps(whole))
    return restored


# ------------------------------------------------------------------------------------------------------------
# Points, sums, matching, scoring: RULES.md 5.7
# ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("X blue", 10),
        ("Y pink", 10),
        ("Z orange", 10),
        ("Z pink", 10),
        ("Z green", -1),
        ("Z blue", -1),
        ("10 green", 10),
        ("1 orange", 1),
    ],
)
def test_vie_x1_points(name: str, points: int) -> None:
    assert deck_of(name)[0].points == points


def test_vie_1_default_deck_has_52_different_cards() -> None:
    assert len(set(DEFAULT_DECK)) == len(DEFAULT_DECK) == 52
    # 4 x (1 + ... + 10) + 4 x 10 for X and for Y, 2 x 10 - 2 x 1 for Z: 220 + 80 + 18.
    assert hand_sum(DEFAULT_DECK) == 318


@pytest.mark.parametrize("name", ["11 pink", "Z red", "Z", "1", "", "1  pink", "x blue", 7, None, ["1 pink"]])
def test_vie_1_what_is_no_card(name: object) -> None:
    assert parse_card(name) is None


def test_vie_e3_sums_with_minus_ones() -> None:
    assert hand_sum(deck_of("Z green", "Z blue", "1 pink", "2 pink")) == 1
    assert hand_sum(deck_of("Z green", "Z blue")) == -2
    assert hand_sum(()) == 0
    assert not is_knock_successful([0, -2], 0, "knocker_wins")


@pytest.mark.parametrize(
    ("thrown", "top", "expected"),  # expected by rank, points, either
    [
        ("10 pink", "X pink", (False, True, True)),
        ("Z blue", "Z orange", (True, False, True)),
        ("Z blue", "Z green", (True, True, True)),
        ("Z orange", "Y blue", (False, True, True)),
        ("Z green", "1 pink", (False, False, False)),
        ("7 pink", "7 green", (True, True, True)),
        ("7 pink", "8 pink", (False, False, False)),
    ],
)
def test_vie_19_e8_matching(thrown: str, top: str, expected: tuple[bool, bool, bool]) -> None:
    first, second = deck_of(thrown, top)
    assert tuple(is_match(first, second, way) for way in ("rank", "points", "either")) == expected
    assert tuple(is_match(second, first, way) for way in ("rank", "points", "either")) == expected


def scored(sums: list[int], knocker: int | None, options: Options = DEFAULTS) -> list[int]:
    success = None if knocker is None else is_knock_successful(sums, knocker, options.tie)
    return round_points(sums, [0] * len(sums), knocker, success, options)


def test_vie_x2_success() -> None:
    assert [a + b for a, b in zip([30, 40, 50], scored([5, 12, 20], 0), strict=True)] == [20, 52, 70]


def test_vie_x3_failure() -> None:
    assert [a + b for a, b in zip([30, 40, 50], scored([12, 11, 30], 0), strict=True)] == [60, 40, 50]


def test_vie_e1_tie() -> None:
    assert scored([9, 9, 15], 0) == [-10, 9, 15]
    assert scored([9, 9, 15], 0, replace(DEFAULTS, tie="knocker_loses")) == [30, 0, 0]


def test_vie_e6_totals_may_become_negative() -> None:
    assert scored([3, 14], 0) == [-10, 14]


def test_vie_28_without_a_knocker_everybody_adds_his_sum() -> None:
    assert scored([3, 14, -2], None) == [3, 14, -2]


def test_vie_35_always_takes_one_off_for_every_minus_one() -> None:
    options = replace(DEFAULTS, z_bonus="always")
    # Hands: -1, -1, 5 (sum 3) and -1, 8 (sum 7).
    assert round_points([3, 7], [2, 1], 0, True, options) == [-10 - 2, 8 - 1]
    assert round_points([3, 7], [2, 1], 1, False, options) == [0 - 2, 30 - 1]
    assert round_points([3, 7], [2, 1], None, None, options) == [3, 7]


def test_vie_x4_e2_exactly_100_becomes_50() -> None:
    none = frozenset[int]()
    assert seats_to_reset([100, 99, 101, 100], none, DEFAULTS) == [0, 3]
    assert seats_to_reset([100, 100], frozenset({0}), DEFAULTS) == [0, 1]
    assert seats_to_reset([100, 100], frozenset({0}), replace(DEFAULTS, resets="once")) == [1]
    assert seats_to_reset([100, 100], none, replace(DEFAULTS, resets="never")) == []
    assert seats_to_reset([0, 100], none, replace(DEFAULTS, reset_at=0)) == []
    assert seats_to_reset([100, 20], none, replace(DEFAULTS, limit=60)) == []  # 100 is above the limit


def test_vie_e5_all_above_the_limit_have_lost() -> None:
    assert standing([105, 112, 60], 100) == ([2, 3, 1], [2], [0, 1])


def test_vie_x5_e4_only_101_loses() -> None:
    assert standing([101, 50, 30], 100) == ([3, 2, 1], [2], [0])
    assert standing([100, 20], 100).losers == []


def test_vie_39_equal_totals_share_a_place() -> None:
    assert standing([40, 20, 20, 101], 100) == ([3, 1, 1, 4], [1, 2], [3])


def test_vie_6_e12_loser_starts() -> None:
    assert next_starter([8, -10, 19, 19], 1) == 2
    assert next_starter([0, 30, 0, 0], 1) == 1
    assert next_starter([0, 0, 0], 1) == 2  # nobody grew (knock_penalty = 0): left of the knocker
    assert next_starter([19, 19, 5], 0) == 1  # the origin itself comes last


# ------------------------------------------------------------------------------------------------------------
# Games written by hand, every event worked out from the rules
# ------------------------------------------------------------------------------------------------------------


def event(kind: str, **keys: Any) -> Event:
    return {"event": kind, **keys}


def asked(point: str, seat: int, choice: str | list[int], legal: int) -> Event:
    return event("decision", point=point, seat=seat, choice=choice, legal=legal)


def thrown(seat: int, owner: int, slot: int, card: int, right: bool) -> Event:
    return event("throw", seat=seat, owner=owner, slot=slot, card=card, right=right)


def looked(seat: int, owner: int, slot: int, card: int) -> Event:
    return event("look", seat=seat, owner=owner, slot=slot, card=card)


def drew(seat: int, source: str, card: int) -> Event:
    return event("draw", seat=seat, source=source, card=card)


SEVENS = Options(
    deck=deck_of(
        *("1 orange", "7 pink", "7 green", "Z blue", "5 orange"),  # cards 0 to 4
        *("7 orange", "9 pink", "X green", "10 blue", "2 pink"),  # cards 5 to 9
    ),
    hand_size=2,
    peek=1,
    limit=20,
    reset_at=0,
    reset_to=0,
)


def game_of_sevens() -> Document:
    """Two seats, two cards: throws of opponents' and own cards, a gift, an empty hand, a failed knock."""
    events = [
        event("round", round=1, first_seat=0, chance=True),
        event("shuffle", stock=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        event("deal", hands=[[0, 1], [2, 3]]),
        looked(0, 0, 0, 0),
        looked(1, 1, 0, 2),
        event("turn_up", card=4),
        # Turn 1: seat 0 throws the 7 away, looks at its own 7, and throws seat 1's 7 after it.
        event("turn", turn=1, seat=0),
        event("window", window="start"),
        asked("throw", 0, "pass", 3),
        asked("throw", 1, "pass", 5),
        asked("draw", 0, "stock", 2),
        drew(0, "stock", 5),
        asked("keep", 0, "throw_away", 3),
        event("throw_away", seat=0, card=5),
        asked("special", 0, [1], 3),
        looked(0, 0, 1, 1),
        event("window", window="end"),
        asked("throw", 0, [1, 0], 3),
        asked("throw", 1, [1, 1], 5),
        event("attempts", order=[1, 0]),
        thrown(1, 1, 1, 3, right=False),
        event("penalty", seat=1, slot=2, card=6),
        thrown(0, 1, 0, 2, right=True),
        asked("give", 0, [0], 3),
        event("give", seat=0, slot=0, owner=1, owner_slot=0),
        asked("knock", 0, "no", 2),
        # Turn 2: seat 0, no longer in turn, throws its own 7: no second window, and no card left.
        event("turn", turn=2, seat=1),
        event("window", window="start"),
        asked("throw", 1, "pass", 2),
        asked("throw", 0, [0, 1], 5),
        event("attempts", order=[0]),
        thrown(0, 0, 1, 1, right=True),
        asked("draw", 1, "discard", 2),
        drew(1, "discard", 1),
        asked("swap", 1, [2], 3),
        event("place", seat=1, slot=2, card=1, out=6),
        asked("knock", 1, "yes", 2),
        event("knock", seat=1, counted=False),
        # Turn 3: without own cards seat 0 can only draw from the stock and throw away; the X is void.
        event("turn", turn=3, seat=0),
        event("window", window="start"),
        asked("throw", 0, "pass", 4),
        asked("throw", 1, "pass", 4),
        drew(0, "stock", 7),
        event("throw_away", seat=0, card=7),
        event("window", window="end"),
        asked("throw", 0, "pass", 4),
        asked("throw", 1, "pass", 4),
        event(
            "round_end",
            reason="knock",
            knocker=1,
            success=False,
            hands=[[], [[0, 0], [1, 3], [2, 1]]],
            sums=[0, 7],  # 1 - 1 + 7
            points=[0, 30],
            resets=[],
            totals=[0, 30],
        ),
        event("game_end", status="finished", totals=[0, 30], places=[1, 2], winners=[0], losers=[1]),
    ]
    return document(2, SEVENS, events)


def game_of_eights() -> Document:
    """Three seats: penalties for an illegal and for a late throw, and the stock's end makes a knock void."""
    options = Options(
        deck=deck_of(
            *("1 orange", "Z green", "3 orange", "8 orange", "5 orange"),  # cards 0 to 4
            *("8 pink", "8 green", "2 orange", "4 pink"),  # cards 5 to 8
        ),
        hand_size=2,
        peek=0,
        initial_discard=False,
        window="after_discard",
        stock_empty="end_round",
        late_penalty=True,
        illegal_penalty=True,
        z_bonus="always",
        max_rounds=1,
    )
    events = [
        event("round", round=1, first_seat=2, chance=True),
        event("shuffle", stock=[0, 1, 2, 3, 4, 5, 6, 7, 8]),
        event("deal", hands=[[0, 1], [2, 3], [4, 5]]),
        event("turn", turn=1, seat=2),
        drew(2, "stock", 6),
        asked("keep", 2, "throw_away", 3),
        event("throw_away", seat=2, card=6),
        asked("special", 2, "decline", 3),
        event("window", window="end"),
        asked("throw", 2, [2, 1], 5),
        asked("throw", 0, [1, 1], 7),
        asked("throw", 1, [1, 1], 7),
        event("attempts", order=[2, 0, 1]),
        thrown(2, 2, 1, 5, right=False),
        event("penalty", seat=2, slot=2, card=7),
        thrown(0, 1, 1, 3, right=True),
        event("penalty", seat=1, slot=1, card=8),
        asked("give", 0, "none", 3),
        asked("knock", 2, "yes", 2),
        event("knock", seat=2, counted=False),
        event("turn", turn=2, seat=0),
        drew(0, "discard", 3),
        asked("swap", 0, [0], 2),
        event("place", seat=0, slot=0, card=3, out=0),
        event("window", window="end"),
        asked("throw", 0, "pass", 6),
        asked("throw", 1, [1, 0], 8),
        asked("throw", 2, "pass", 8),
        event("attempts", order=[1]),
        thrown(1, 1, 0, 2, right=False),
        event("no_penalty", seat=1),
        event(
            "round_end",
            reason="stock",
            knocker=None,
            success=None,
            hands=[[[0, 3], [1, 1]], [[0, 2], [1, 8]], [[0, 4], [1, 5], [2, 7]]],
            sums=[7, 7, 15],
            points=[7, 7, 15],
            resets=[],
            totals=[7, 7, 15],
        ),
        event("game_end", status="capped", totals=[7, 7, 15], places=[1, 1, 3], winners=[0, 1], losers=[]),
    ]
    return document(3, options, events)


def game_of_trades() -> Document:
    """Two seats: the specials of Z and X, a locked knocker, and a reshuffle for his penalty card."""
    options = Options(
        deck=deck_of("1 orange", "2 orange", "3 orange", "4 orange", "Z orange", "X orange", "6 orange"),
        hand_size=2,
        initial_discard=False,
        lock_knocker=True,
        give="forced",
        max_rounds=1,
    )
    events = [
        event("round", round=1, first_seat=0, chance=True),
        event("shuffle", stock=[0, 1, 2, 3, 4, 5, 6]),
        event("deal", hands=[[0, 1], [2, 3]]),
        looked(0, 0, 0, 0),
        looked(0, 0, 1, 1),
        looked(1, 1, 0, 2),
        looked(1, 1, 1, 3),
        event("turn", turn=1, seat=0),
        drew(0, "stock", 4),
        asked("keep", 0, "throw_away", 3),
        event("throw_away", seat=0, card=4),
        asked("special", 0, [1, 0], 3),
        looked(0, 1, 0, 2),
        asked("take", 0, [1], 3),
        event("trade", seat=0, slot=1, other=1, other_slot=0),
        event("window", window="end"),
        asked("throw", 0, "pass", 3),
        asked("throw", 1, "pass", 5),
        asked("knock", 0, "no", 2),
        event("turn", turn=2, seat=1),
        event("window", window="start"),
        asked("throw", 1, "pass", 3),
        asked("throw", 0, "pass", 5),
        asked("draw", 1, "stock", 2),
        drew(1, "stock", 5),
        asked("keep", 1, "throw_away", 3),
        event("throw_away", seat=1, card=5),
        asked("special", 1, [1, 0, 0], 5),
        event("trade", seat=1, slot=1, other=0, other_slot=0),
        event("window", window="end"),
        asked("throw", 1, "pass", 3),
        asked("throw", 0, "pass", 5),
        asked("knock", 1, "yes", 2),
        event("knock", seat=1, counted=False),
        # From here on seat 1's cards are locked: seat 0 can throw nothing, seat 1 nothing of its own.
        event("turn", turn=3, seat=0),
        event("window", window="start"),
        asked("throw", 1, "pass", 3),
        asked("draw", 0, "stock", 2),
        drew(0, "stock", 6),
        asked("keep", 0, [0], 3),
        event("place", seat=0, slot=0, card=6, out=3),
        event("window", window="end"),
        asked("throw", 1, [0, 1], 3),
        event("attempts", order=[1]),
        thrown(1, 0, 1, 2, right=False),
        event("reshuffle", stock=[5, 4]),
        event("penalty", seat=1, slot=2, card=5),
        event(
            "round_end",
            reason="knock",
            knocker=1,
            success=False,
            hands=[[[0, 6], [1, 2]], [[0, 1], [1, 0], [2, 5]]],
            sums=[9, 13],
            points=[0, 30],
            resets=[],
            totals=[0, 30],
        ),
        event("game_end", status="capped", totals=[0, 30], places=[1, 2], winners=[0], losers=[]),
    ]
    return document(2, options, events)


@pytest.mark.parametrize("game", [game_of_sevens, game_of_eights, game_of_trades])
def test_a_game_written_by_hand_has_no_difference(game: Callable[[], Document]) -> None:
    assert judge(game()) == []


# ------------------------------------------------------------------------------------------------------------
# Games written by the referee itself, with a player in place of a transcript
# ------------------------------------------------------------------------------------------------------------


class Scribe:
    """Source that lets `choose` decide and `chance` shuffle, and writes the events down."""

    def __init__(self, choose: Choose, chance: random.Random | None = None, dares: float = 0.0) -> None:
        self.choose = choose
        self.chance = chance
        self.dares = dares  # probability of an attempt that VIE-26 fines, where there is one
        self.events: list[Event] = []

    def announce(self, expected: Event, rule: str) -> None:
        assert rule
        self.events.append(copy.deepcopy(expected))

    def start_seat(self, seats: int) -> int:
        seat = self.chance.randrange(seats) if self.chance else 0
        self.events.append(event("round", round=1, first_seat=seat, chance=True))
        return seat

    def order(self, kind: str, key: str, pool: Sequence[int], rule: str) -> list[int]:
        assert rule
        order = self.chance.sample(pool, len(pool)) if self.chance else list(pool)
        self.events.append({"event": kind, key: list(order)})
        return order

    def decide(self, point: str, seat: int, legal: Sequence[Choice], fined: Sequence[Choice], rule: str) -> Choice:
        assert rule
        assert len(legal) == len(set(legal)) >= 2
        if fined and self.chance and self.chance.random() < self.dares:
            choice = self.chance.choice(fined)
        else:
            choice = self.choose(point, seat, legal)
        self.events.append(asked(point, seat, as_json(choice), len(legal)))
        return choice


def random_document(seed: int, seats: int, options: Options) -> Document:
    """A game of players who mostly pass and choose evenly otherwise."""
    chance = random.Random(seed)

    def choose(point: str, seat: int, legal: Sequence[Choice]) -> Choice:
        if point == "throw" and chance.random() < 0.7:
            return "pass"
        if point == "knock":
            return "yes" if chance.random() < 0.1 else "no"
        return chance.choice(legal)

    scribe = Scribe(choose, chance, dares=0.2)
    Referee(seats, options, scribe).play()
    return document(seats, options, scribe.events)


# Few ranks, so that throws are often right and the stock is soon empty.
SMALL_DECK = tuple(card for card in DEFAULT_DECK if card.rank in ("1", "7", "9", "10", "X", "Z"))


def random_options(chance: random.Random) -> Options:
    """Options drawn evenly, with numbers that make short games and rare endings frequent."""
    words = {name: chance.choice(values) for name, values in WORDS.items()}
    flags = {name: chance.random() < 0.5 for name in FLAGS}
    limit = chance.choice([10, 30, 60, 100])
    drawn: dict[str, Any] = {
        **words,
        **flags,
        "deck": chance.choice([DEFAULT_DECK, SMALL_DECK]),
        "hand_size": chance.choice([2, 3, 4]),
        "peek": chance.choice([0, 1, 2]),
        "min_turns_before_knock": chance.choice([0, 2]),
        "max_turns": chance.choice([6, 30, 200]),
        "max_rounds": chance.choice([1, 2, 5]),
        "limit": limit,
        "reset_at": chance.choice([0, 10, 30, 100]),
        "reset_to": chance.choice([0, 10]),
        "knock_bonus": chance.choice([-10, 0]),
        "knock_penalty": chance.choice([0, 10, 30]),
    }
    return Options(**drawn)


EVENT_KINDS = {
    *(
        "round",
        "shuffle",
        "deal",
        "look",
        "turn_up",
        "turn",
        "window",
        "decision",
        "draw",
        "place",
        "throw_away",
    ),
    *("trade", "attempts", "throw", "penalty", "no_penalty", "give", "reshuffle", "knock", "round_end"),
    "game_end",
}
POINTS = ("throw", "draw", "swap", "keep", "special", "take", "give", "knock")


def test_random_games_under_random_options_have_no_difference() -> None:
    kinds, reasons, points, statuses = set(), set(), set(), set()
    for seed in range(120):
        chance = random.Random(seed)
        whole = random_document(seed, chance.choice([2, 3, 4]), random_options(chance))
        assert judge(whole) == [], seed
        for happened in whole["events"]:
            kinds.add(happened["event"])
            points.add(happened.get("point"))
            reasons.add(happened.get("reason"))
            statuses.add(happened.get("status"))
    # The sample is worth something only if it has met everything that docs/transcripts.md names.
    assert kinds == EVENT_KINDS
    assert points == {None, *POINTS}
    assert reasons == {None, "knock", "stock", "max_turns"}
    assert statuses == {None, "finished", "capped"}


def test_a_game_of_the_default_options_has_no_difference() -> None:
    assert judge(random_document(7, 4, DEFAULTS)) == []


# ------------------------------------------------------------------------------------------------------------
# Single rules, seen in what the referee predicts (no shuffling: cards come in the order of the deck)
# ------------------------------------------------------------------------------------------------------------


def quiet(point: str, seat: int, legal: Sequence[Choice]) -> Choice:
    """Choose what changes least: pass, throw away, decline, do not knock; draw from the stock."""
    calm = ("pass", "stock", "throw_away", "decline", "leave", "none", "no")
    return next((choice for choice in legal if choice in calm), legal[0])


def scripted(script: dict[tuple[str, int], list[Choice]]) -> Choose:
    """Take the next choice written for (point, seat), and be quiet where none is left."""

    def choose(point: str, seat: int, legal: Sequence[Choice]) -> Choice:
        choices = script.get((point, seat))
        if not choices:
            return quiet(point, seat, legal)
        choice = choices.pop(0)
        assert choice in legal, (point, seat, choice, legal)
        return choice

    return choose


def played(seats: int, options: Options, script: dict[tuple[str, int], list[Choice]]) -> list[Event]:
    scribe = Scribe(scripted(script))
    Referee(seats, options, scribe).play()
    assert judge(document(seats, options, scribe.events)) == []
    return scribe.events


def of_kind(events: list[Event], kind: str) -> list[Event]:
    return [happened for happened in events if happened["event"] == kind]


def turns(events: list[Event]) -> list[int]:
    return [happened["seat"] for happened in of_kind(events, "turn")]


ONE_ROUND = Options(max_rounds=1)


def test_vie_e10_every_other_seat_takes_one_more_turn() -> None:
    events = played(4, ONE_ROUND, {("knock", 2): ["yes"]})
    assert turns(events) == [0, 1, 2, 3, 0, 1]
    assert len([happened for happened in events if happened.get("point") == "knock"]) == 3


def test_vie_29_knocking_waits_for_completed_turns() -> None:
    events = played(2, replace(ONE_ROUND, min_turns_before_knock=1), {("knock", 0): ["yes"]})
    knock = events.index(event("knock", seat=0, counted=False))
    assert turns(events[:knock]) == [0, 1, 0]


def test_vie_28_a_knock_in_the_last_turn_is_void() -> None:
    events = played(2, replace(ONE_ROUND, max_turns=2), {("knock", 1): ["yes"]})
    assert of_kind(events, "knock") == [event("knock", seat=1, counted=False)]
    assert [(end["reason"], end["knocker"]) for end in of_kind(events, "round_end")] == [("max_turns", None)]


def test_vie_28_the_last_turn_after_a_knock_counts_at_the_limit_of_turns() -> None:
    events = played(2, replace(ONE_ROUND, max_turns=2), {("knock", 0): ["yes"]})
    assert [(end["reason"], end["knocker"]) for end in of_kind(events, "round_end")] == [("knock", 0)]


def test_vie_17_an_empty_hand_counts_as_a_knock_of_the_first_such_seat() -> None:
    # All cards are equal, so every throw is right. Seat 1 throws its two cards in the start windows.
    options = replace(
        ONE_ROUND,
        deck=deck_of(*["1 pink"] * 20),
        hand_size=2,
        empty_ends_round=True,
        min_turns_before_knock=9,
    )
    # In the second turn seat 1 is in turn and may not throw own cards; in the third it throws the other one.
    events = played(3, options, {("throw", 1): [(1, 0), "pass", "pass", (1, 1)]})
    assert of_kind(events, "knock") == [event("knock", seat=1, counted=True)]
    assert of_kind(events, "round_end")[0]["reason"] == "knock"
    assert turns(events) == [0, 1, 2, 0, 2]  # the knock falls into the turn of seat 2; then 0 and 2


def test_vie_22_forced_gift_of_a_single_card_is_not_asked() -> None:
    options = replace(ONE_ROUND, deck=deck_of(*["1 pink"] * 20), hand_size=2, give="forced", max_turns=2)
    script: dict[tuple[str, int], list[Choice]] = {("throw", 1): [(1, 0), "pass", (0, 1)]}
    events = played(2, options, script)
    # Turn 1: seat 1 throws its own slot 0. Turn 2: in turn, it throws seat 0's slot 1 in the second window.
    assert of_kind(events, "give") == [event("give", seat=1, slot=1, owner=0, owner_slot=1)]
    assert not [happened for happened in events if happened.get("point") == "give"]
    assert not of_kind(played(2, replace(options, give="never"), {("throw", 1): [(0, 1)]}), "give")


def test_vie_24_a_gift_finds_its_slot_taken_by_a_late_penalty_card() -> None:
    # A reading of this referee: the penalty card comes first and takes the emptied slot.
    options = replace(ONE_ROUND, deck=deck_of(*["1 pink"] * 20), hand_size=2, late_penalty=True, max_turns=1)
    script: dict[tuple[str, int], list[Choice]] = {
        ("throw", 0): [(1, 0)],
        ("throw", 1): [(0, 0)],
        ("give", 0): [(0,)],
    }
    events = played(2, options, script)
    start = next(index for index, happened in enumerate(events) if happened["event"] == "attempts")
    assert [happened["event"] for happened in events[start : start + 5]] == [
        *("attempts", "throw", "penalty", "decision", "give")
    ]
    assert events[start + 2]["slot"] == 0
    assert events[start + 4]["owner_slot"] == 2


def test_vie_21_a_wrong_throw_leaves_the_second_window_open() -> None:
    # Seat 0 holds 1 2 3 4, seat 1 5 6 7 8 (all orange), the discard is the 9.
    events = played(2, replace(ONE_ROUND, max_turns=1), {("throw", 1): [(1, 0), (1, 1)]})
    assert [happened["window"] for happened in of_kind(events, "window")] == ["start", "end"]
    assert [happened["slot"] for happened in of_kind(events, "penalty")] == [4, 5]


def test_vie_27_the_discards_but_the_top_one_become_the_stock() -> None:
    # 2 x 2 cards dealt, one turned up, two in the stock: both are thrown away, then seat 0 needs one.
    options = replace(ONE_ROUND, deck=deck_of(*(f"{number} pink" for number in range(1, 8))), hand_size=2)
    events = played(2, replace(options, max_turns=3), {})
    assert of_kind(events, "reshuffle") == [event("reshuffle", stock=[4, 5])]
    assert [happened["card"] for happened in of_kind(events, "draw")] == [5, 6, 4]


def test_vie_27_without_any_card_the_turn_passes_to_the_knock() -> None:
    # One card besides the hands: seat 0 must draw it; then one discard lies there and seat 1 must take it.
    options = replace(ONE_ROUND, deck=deck_of(*["1 pink"] * 5), hand_size=2, initial_discard=False, max_turns=3)
    events = played(2, options, {})
    assert [happened["source"] for happened in of_kind(events, "draw")] == ["stock", "discard", "discard"]
    assert [happened["legal"] for happened in events if happened.get("point") == "draw"] == []
    # No card at all besides the hands: nothing can be drawn or thrown, only the knock is asked.
    empty = played(2, replace(options, deck=deck_of(*["1 pink"] * 4)), {("knock", 1): ["yes"]})
    first_turn = next(index for index, happened in enumerate(empty) if happened["event"] == "turn")
    assert [happened["event"] for happened in empty[first_turn:]] == [
        *("turn", "decision", "turn", "decision", "knock", "turn", "round_end", "game_end")
    ]


def test_vie_37_a_reset_may_happen_again_or_once() -> None:
    # Every hand is 1 + 1 = 2, seat 0 knocks with the least hand (a tie) and gets 0, seat 1 adds 2 each round.
    options = replace(
        DEFAULTS,
        deck=deck_of(*["1 pink"] * 8),
        hand_size=2,
        knock_bonus=0,
        limit=10,
        reset_at=4,
        reset_to=2,
        max_rounds=4,
    )
    script: dict[tuple[str, int], list[Choice]] = {("knock", 0): ["yes"] * 4, ("knock", 1): ["no"] * 9}
    ends = of_kind(played(2, options, dict(script)), "round_end")
    assert [end["resets"] for end in ends] == [[], [1], [1], [1]]
    script = {("knock", 0): ["yes"] * 4, ("knock", 1): ["no"] * 9}
    ends = of_kind(played(2, replace(options, resets="once"), script), "round_end")
    assert [end["resets"] for end in ends] == [[], [1], [], []]
    assert [end["totals"][1] for end in ends] == [2, 2, 4, 6]


def test_vie_6_the_loser_starts_the_next_round() -> None:
    # Seat 0 knocks with 1 + 2 + 3 + 4 = 10 against 5 + 6 + 7 + 8 = 26: seat 1 starts round 2.
    events = played(2, replace(DEFAULTS, max_rounds=2), {("knock", 0): ["yes"], ("knock", 1): ["no", "yes"]})
    rounds = of_kind(events, "round")
    assert rounds[1] == event("round", round=2, first_seat=1, chance=False)


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

FAULTS: dict[str, tuple[Plant, str]] = {
    "wrong sum": (lambda e: e[-2].update(sums=[0, 8]), "sums"),
    "wrong points": (lambda e: e[-2].update(points=[0, 29]), "points"),
    "wrong totals": (lambda e: e[-2].update(totals=[0, 0]), "totals"),
    "knock called a success": (lambda e: e[-2].update(success=True), "success"),
    "no loser": (lambda e: e[-1].update(losers=[]), "losers"),
    "wrong places": (lambda e: e[-1].update(places=[1, 1]), "places"),
    "capped instead of finished": (lambda e: e[-1].update(status="capped"), "status"),
    "wrong number of legal choices": (lambda e: e[at(e, "decision", point="give")].update(legal=2), "legal"),
    "skipped penalty": (lambda e: e.pop(at(e, "penalty")), "VIE-24 to VIE-26"),
    "penalty card in an own slot": (lambda e: e[at(e, "penalty")].update(slot=3), "slot"),
    "own card thrown in own turn": (
        lambda e: e[at(e, "decision", point="throw")].update(choice=[0, 0]),
        "VIE-20",
    ),
    "throw without a card": (lambda e: e[at(e, "decision", point="throw")].update(choice=[1, 7]), "legal"),
    "wrong throw called right": (lambda e: e[at(e, "throw")].update(right=True), "right"),
    "right throw called wrong": (lambda e: e[at(e, "throw", 1)].update(right=False), "right"),
    "seat that did not want to throw": (lambda e: e[at(e, "attempts", 1)].update(order=[0, 1]), "order"),
    "attempt missing": (lambda e: e[at(e, "attempts")].update(order=[0]), "order"),
    "decision with one alternative": (
        lambda e: e.insert(at(e, "draw", 2), asked("draw", 0, "stock", 1)),
        "draw",
    ),
    "knock asked twice": (lambda e: e.insert(len(e) - 2, asked("knock", 0, "no", 2)), "round_end"),
    "knock without a decision": (lambda e: e.pop(at(e, "decision", point="knock", choice="yes")), "knock"),
    "gift without a decision": (lambda e: e.pop(at(e, "decision", point="give")), "give"),
    "gift left out": (lambda e: e.pop(at(e, "give")), "VIE-22"),
    "wrong start seat": (lambda e: e[0].update(first_seat=1), "seat"),
    "start seat that is none": (lambda e: e[0].update(first_seat=2), "first_seat"),
    "start seat not by chance": (lambda e: e[0].update(chance=False), "chance"),
    "card twice in the shuffle": (lambda e: e[1]["stock"].__setitem__(0, 1), "order"),
    "hands that were not dealt": (lambda e: e[2].update(hands=[[1, 0], [2, 3]]), "hands"),
    "far card looked at": (lambda e: e[3].update(slot=1, card=1), "slot"),
    "turn of the wrong seat": (lambda e: e[at(e, "turn", 1)].update(seat=0), "seat"),
    "decision of the wrong seat": (lambda e: e[at(e, "decision", point="knock")].update(seat=1), "seat 0"),
    "special after a swap": (
        lambda e: e.insert(at(e, "place") + 1, asked("special", 1, "decline", 2)),
        "decision",
    ),
    "special of a thrown card": (
        lambda e: e.insert(at(e, "throw", 1) + 1, asked("special", 0, "decline", 3)),
        "give",
    ),
    "window after a right throw": (
        lambda e: e.insert(at(e, "place") + 1, event("window", window="end")),
        "knock",
    ),
    "another card drawn": (lambda e: e[at(e, "draw")].update(card=6), "card"),
    "reshuffle out of place": (lambda e: e.insert(at(e, "draw"), event("reshuffle", stock=[4])), "draw"),
    "missing turn": (lambda e: e.pop(at(e, "turn", 2)), "turn"),
    "missing end": (lambda e: e.pop(), "the end of the transcript"),
    "something after the end": (lambda e: e.append(e[-1]), "nothing after"),
    "unknown event": (lambda e: e.insert(6, event("shout", seat=0)), "shout"),
    "unknown key": (lambda e: e[5].update(seat=0), "seat"),
    "missing key": (lambda e: e[5].pop("card"), "no such key"),
    "number written as a fraction": (lambda e: e[5].update(card=4.0), "card"),
    "number written as a truth": (lambda e: e[3].update(slot=False), "slot"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_reported(name: str) -> None:
    plant, named = FAULTS[name]
    whole = game_of_sevens()
    plant(whole["events"])
    differences = judge(whole)
    assert differences
    assert any(named in difference for difference in differences)


def test_every_change_of_every_value_is_reported() -> None:
    for game in (game_of_sevens, game_of_eights, game_of_trades):
        whole = game()
        for what, changed in with_a_value_spoilt(whole):
            assert judge(changed), (game, what)
        assert judge(whole) == []


def test_every_event_left_out_doubled_or_exchanged_is_reported() -> None:
    for game in (game_of_sevens, game_of_eights, game_of_trades):
        for what, index, changed in with_an_event_spoilt(game()):
            assert judge(changed), (game, index, what)


def test_every_key_around_the_events_is_checked() -> None:
    whole = game_of_sevens()
    for what, spoilt in with_a_key_spoilt(whole):
        assert judge(spoilt), what
    for name in whole["options"]:
        rest = {other: value for other, value in whole["options"].items() if other != name}
        assert judge({**whole, "options": rest}), name
        for wrong in (None, "?", -1000, 0.5, [], ["1 pink", "14 pink"]):
            assert judge({**whole, "options": {**whole["options"], name: wrong}}), (name, wrong)
    assert judge({**whole, "options": {**whole["options"], "reflex": 1.0}})
    wrong_skills: list[Any] = [
        [{}, {}],
        [{"reflex": "1"}] * 2,
        [{"reflex": 1.0}] * 3,
        [{"reflex": float("nan")}] * 2,
    ]
    for skills in wrong_skills:
        assert judge({**whole, "skills": skills})


@pytest.mark.parametrize(
    "wrong",
    [
        {"peek": 3},  # more than hand_size = 2
        {"reset_at": 20, "reset_to": 30},  # above limit = 20
        {"hand_size": 5},  # 2 x 5 + 1 cards of 10
    ],
)
def test_options_that_contradict_each_other_are_reported(wrong: dict[str, int]) -> None:
    whole = game_of_sevens()
    whole["options"].update(wrong)
    assert [difference for difference in judge(whole) if difference.startswith("options:")]


@pytest.mark.parametrize("whole", [None, 1, "game", [], [{}], {}, {1: 2}])
def test_what_is_no_transcript_is_reported(whole: object) -> None:
    assert judge(whole)


def test_junk_is_a_difference_and_never_a_traceback() -> None:
    chance = random.Random(3)
    junk: list[Any] = [
        None,
        True,
        -1,
        0,
        3,
        1e400,
        10**5000,
        "",
        "pass",
        [],
        [[]],
        {},
        [1, None],
        {"event": 1},
    ]
    base = game_of_eights()
    for _ in range(2000):
        whole = copy.deepcopy(base)
        place = chance.choice([*whole["events"], whole["options"], whole, *whole["skills"]])
        place[chance.choice(list(place))] = chance.choice(junk)
        assert all(isinstance(difference, str) for difference in judge(whole))
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    base["events"][4]["seat"] = deep
    assert judge(base)


def test_differences_are_stopped_before_they_fill_the_screen() -> None:
    whole = game_of_sevens()
    for happened in whole["events"]:
        happened["noise"] = 1
    assert len(judge(whole)) == 21  # 20 differences, and the sentence that there may be more


def test_p_2_a_lost_card_stops_the_game() -> None:
    referee = Referee(2, SEVENS, Scribe(quiet))

    def lose(point: str, seat: int, legal: Sequence[Choice]) -> Choice:
        referee.round.stock.pop()
        return legal[0]

    referee.source = Scribe(lose)
    with pytest.raises(DivergenceError, match="P-2"):
        referee.play()


# ------------------------------------------------------------------------------------------------------------
# The command
# ------------------------------------------------------------------------------------------------------------


def test_command_counts_and_names_the_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong = game_of_sevens(), game_of_sevens()
    wrong["events"].pop()
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text("".join(json.dumps(whole) + "\n" for whole in [right] * 3))
    bad.write_text(json.dumps(right) + "\n" + json.dumps(wrong) + "\nnonsense\n")
    assert main([str(good)]) == 0
    assert capsys.readouterr().out == "3 transcripts judged, 0 with differences\n"
    assert main([str(good), str(bad)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "6 transcripts judged, 2 with differences"
    assert lines[0].startswith(f"{bad}:2: event 48: expected")
    assert main([str(tmp_path / "missing.jsonl")]) == 1
    assert main([]) == 1
