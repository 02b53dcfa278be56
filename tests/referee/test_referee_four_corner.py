"""The referee of Four Corner Detective: the worked examples of RULES.md 1.8, games written by hand or by a player of
its own, and planted faults.
"""

import copy
import itertools
import json
import random
from collections.abc import Callable, Generator, Mapping
from typing import Any

import pytest

from tests.referee.four_corner import (
    BRACELET51,
    CHOICES,
    SPEEDRUN_ONLY,
    STANDARD_ONLY,
    Check,
    Checks,
    Options,
    bonuses,
    check_all,
    count_right,
    draw_options,
    is_balanced,
    is_kept,
    judge,
    places_of,
    speedrun_deck,
    takings,
    token_groups,
    winners_of,
)
from tests.referee.reading import Event
from tests.referee.spoiling import spoilt, with_a_key_spoilt, with_a_value_spoilt, with_an_event_spoilt

Document = dict[str, Any]
DEFAULTS = Options()


def document(seats: int, options: Mapping[str, Any], events: list[Event]) -> Document:
    """A whole transcript around the events, as JSON gives it back; options not given have their defaults."""
    whole = {
        "format": 1,
        "game": "four_corner",
        "version": "1",
        "seats": seats,
        "options": {**vars(DEFAULTS), **options},
        "seed": "1",
        "deal": 0,
        "rotation": 0,
        "entrants": ["random"] * seats,
        "skills": [{"touch_ms": 700.0, "acuity": 1.0, "inexperienced": 0.0}] * seats,
        "events": events,
    }
    restored: Document = json.loads(json.dumps(whole))
    return restored


# ------------------------------------------------------------------------------------------------------------
# The deck, tokens, points: RULES.md 1.1, 1.2 and 1.8
# ------------------------------------------------------------------------------------------------------------


def test_fcd_t1_is_one_card_of_each_bracelet_that_is_not_constant() -> None:
    def bracelet(card: str) -> frozenset[str]:
        turns = [card[start:] + card[:start] for start in range(4)]
        return frozenset(turns + [turn[::-1] for turn in turns])

    every = {bracelet("".join(radii)) for radii in itertools.product("3458", repeat=4) if len(set(radii)) > 1}
    assert len(every) == len(BRACELET51) == 51
    assert {bracelet(card) for card in BRACELET51} == every
    assert "3458" not in BRACELET51
    assert {radius: "".join(BRACELET51).count(radius) for radius in "3458"} == dict.fromkeys("3458", 51)


def test_fcd_x2_printed_groups() -> None:
    groups = {seats: token_groups("printed", seats) for seats in (1, 2, 3, 4, 5, 6, 10)}
    assert groups == {1: [4, 1], 2: [4, 3, 2], **{seats: [4, 3, 2, 1] for seats in (3, 4, 5, 6, 10)}}


def test_fcd_x3_shifted_groups() -> None:
    groups = {seats: token_groups("shifted", seats) for seats in range(1, 7)}
    assert groups == {1: [4, 1], 2: [4, 1], 3: [4, 3, 2], **{seats: [4, 3, 2, 1] for seats in (4, 5, 6)}}


def test_fcd_13_41_who_takes_which_group() -> None:
    assert takings([4, 3, 2], 2, "fifth") == [4, 3]
    assert takings([4, 3, 2, 1], 6, "fifth") == [4, 3, 2, 1, 0, 0]
    assert takings([4, 3, 2, 1], 5, "fifth_to_last") == [4, 3, 2, 1, 0]
    assert takings([4, 3, 2, 1], 6, "fifth_to_last") == [4, 0, 0, 0, 0, 0]
    assert takings([4, 3, 2, 1], 8, "fifth_to_last") == [4, 3, 2, 0, 0, 0, 0, 0]
    assert takings([4, 3, 2, 1], 10, "fifth_to_last") == [4, 3, 2, 1, 0, 0, 0, 0, 0, 0]


def checked(*rights: int, **options: Any) -> Checks:
    """Checks of a round, seats in finishing order; every token is somewhere (FCD-24)."""
    changed = Options(**options)
    groups = token_groups(changed.token_table, len(rights))
    result = check_all(rights, groups, changed)
    assert is_balanced([check.points for check in result.checks], result.untaken, result.lost, groups)
    return result


def points_of(result: Checks) -> list[int]:
    return [check.points for check in result.checks]


def marks_of(result: Checks) -> list[int]:
    return [seat for seat, check in enumerate(result.checks) if check.mark]


def test_fcd_x1_tokens_left_over_are_the_next_players() -> None:
    for seats, table in ((2, "printed"), (3, "printed"), (3, "shifted"), (5, "shifted")):
        result = checked(2, 4, *[0] * (seats - 2), token_table=table)
        assert result.checks[:2] == [Check(4, 2, 2, False), Check(5, 5, 0, True)]


def test_fcd_e1_nothing_right_passes_everything_on() -> None:
    result = checked(0, 3, 4)
    assert result.checks == [Check(4, 0, 4, False), Check(7, 3, 4, False), Check(6, 6, 0, True)]
    assert (result.untaken, result.lost) == (1, 0)


def test_fcd_e2_a_single_token_gives_a_single_point() -> None:
    result = checked(4, 4, 4, 3)
    assert (points_of(result), marks_of(result)) == ([4, 3, 2, 1], [0, 1, 2])


def test_fcd_e3() -> None:
    assert points_of(checked(4, 2, 1, 3)) == [4, 2, 1, 3]


def test_fcd_e4_the_fifth_of_five_gets_what_is_passed_on() -> None:
    result = checked(0, 0, 0, 0, 4)
    assert (points_of(result), marks_of(result), result.lost) == ([0, 0, 0, 0, 10], [4], 0)
    closed = checked(0, 0, 0, 0, 4, passdown_to_tokenless="false")
    assert (points_of(closed), marks_of(closed), closed.lost) == ([0] * 5, [4], 10)


def test_fcd_e4a_of_six_the_tokenless_get_nothing() -> None:
    result = checked(0, 0, 0, 0, 4, 4)
    assert (points_of(result), marks_of(result), result.lost) == ([0] * 6, [4, 5], 10)
    opened = checked(0, 0, 0, 0, 2, 4, passdown_to_tokenless="true")
    assert (points_of(opened), marks_of(opened), opened.lost) == ([0, 0, 0, 0, 2, 8], [5], 0)


def test_fcd_e5_five_marks() -> None:
    result = checked(4, 4, 4, 4, 4)
    assert (points_of(result), marks_of(result)) == ([4, 3, 2, 1, 0], [0, 1, 2, 3, 4])
    assert marks_of(checked(4, 4, 4, 4, 4, mark_without_tokens=False)) == [0, 1, 2, 3]  # FCD-22


def test_fcd_e6_tokens_after_the_last_check_are_lost() -> None:
    result = checked(1, 0)
    assert (result.checks[1].tokens, points_of(result), result.lost, result.untaken) == (6, [1, 0], 6, 2)
    shifted = checked(2, 4, token_table="shifted")
    assert (shifted.checks[1].tokens, points_of(shifted)) == (3, [2, 3])


def test_fcd_24_41_groups_beyond_the_cutoff_are_untaken() -> None:
    result = checked(2, 4, 4, 4, 4, 4, cutoff="fifth_to_last")
    assert (points_of(result), result.untaken, result.lost) == ([2, 0, 0, 0, 0, 0], 6, 2)


def test_fcd_24_every_token_is_somewhere_whatever_is_right() -> None:
    draw = random.Random(24)
    for seats in range(1, 11):
        for _ in range(60):
            options = {name: draw.choice(CHOICES[name]) for name in ("token_table", "passdown_to_tokenless", "cutoff")}
            checked(*(draw.randrange(5) for _ in range(seats)), **options)


def test_fcd_24_what_is_out_of_balance() -> None:
    assert is_balanced([0, 3, 6], 1, 0, [4, 3, 2, 1])
    assert not is_balanced([0, 3, 6], 0, 0, [4, 3, 2, 1])
    assert not is_balanced([0, 11, -1], 0, 0, [4, 3, 2, 1])


def test_fcd_e7_bonus() -> None:
    totals = [own + bonus for own, bonus in zip([12, 12, 9], bonuses([2, 1, 2], DEFAULTS), strict=True)]
    assert (totals, winners_of(totals), places_of(totals)) == ([16, 12, 13], [0], [1, 3, 2])
    assert bonuses([0, 0, 0], DEFAULTS) == [0, 0, 0]
    assert (winners_of([5, 7, 7]), places_of([5, 7, 7])) == ([1, 2], [3, 1, 1])
    assert bonuses([0, 0, 0], Options(bonus_needs_mark=False, bonus=5)) == [5, 5, 5]  # FCD-26


def test_fcd_e8_positions_match_one_by_one() -> None:
    assert count_right("3458", "3548") == 2
    assert count_right("3458", "8543") == 0


def test_fcd_e9_a_call_at_the_very_limit_counts() -> None:
    calls = [(4, 30_000), (3, 70_000), (4, 120_000), (4, 120_100)]
    assert sum(is_kept(right, at_ms, 120_000) for right, at_ms in calls) == 2


def test_fcd_31_own_decks() -> None:
    assert [speedrun_deck(seats, 8) for seats in (1, 6, 7, 10)] == [8, 8, 7, 5]
    assert [speedrun_deck(1, 60), speedrun_deck(10, 3)] == [51, 3]


# ------------------------------------------------------------------------------------------------------------
# Games written by hand, every event worked out from the rules; the cards come in the order of FCD-T1
# ------------------------------------------------------------------------------------------------------------


def event(kind: str, **keys: Any) -> Event:
    return {"event": kind, **keys}


def dealt(seats: int, size: int) -> list[Event]:
    cards = list(BRACELET51)
    stacks = [cards[seat * size : seat * size + size] for seat in range(seats)]
    return [event("shuffle", cards=cards), event("deal", stacks=stacks, box=cards[seats * size :])]


def took(seat: int, card: str, at_ms: int = 0) -> Event:
    return event("take_up", seat=seat, card=card, at_ms=at_ms)


def acted(seat: int, choice: list[Any], at_ms: int = 0, legal: int = 260) -> Event:
    return event("decision", point="act", seat=seat, choice=choice, legal=legal, at_ms=at_ms)


def felt(seat: int, corner: int, until_ms: int) -> Event:
    return event("feel", seat=seat, corner=corner, reading=41, until_ms=until_ms)


def finished(seat: int, answer: str, at_ms: int, place: int, tokens: int) -> Event:
    return event("finish", seat=seat, answer=answer, at_ms=at_ms, place=place, tokens=tokens)


def check(seat: int, texts: str, correct: int, tokens: int, points: int, passed: int, *, mark: bool = False) -> Event:
    card, answer = texts.split()
    return event(
        "check",
        seat=seat,
        card=card,
        answer=answer,
        correct=correct,
        tokens=tokens,
        points=points,
        passed=passed,
        mark=mark,
    )


def called(seat: int, texts: str, at_ms: int, correct: int, *, counts: bool = True, kept: bool = False) -> Event:
    card, answer = texts.split()
    return event("call", seat=seat, card=card, answer=answer, at_ms=at_ms, correct=correct, counts=counts, kept=kept)


def game_of_two() -> Document:
    """Two seats, two rounds: an exposed card, FCD-X1, then two equal finishing times and lost tokens."""
    events = [
        *dealt(2, 5),
        event("round", round=1, groups=[4, 3, 2]),
        took(0, "3444"),
        took(1, "3833"),
        event("peek", seat=1, exposed="3833", card="8883"),
        acted(1, ["feel", 0]),
        felt(1, 0, 4000),
        acted(0, ["write", "3444"]),
        acted(1, ["write", "8838"], 4000),
        finished(1, "8838", 4000, 1, 4),
        finished(0, "3444", 15_000, 2, 3),
        check(1, "8883 8838", 2, 4, 2, 2),
        check(0, "3444 3444", 4, 5, 5, 0, mark=True),
        event("round_end", points=[5, 2], totals=[5, 2], marks=[1, 0], untaken=2, lost=0),
        event("round", round=2, groups=[4, 3, 2]),
        took(0, "3434"),
        took(1, "3543"),
        acted(0, ["write", "8885"]),
        acted(1, ["write", "3543"]),
        finished(1, "3543", 15_000, 1, 4),
        finished(0, "8885", 15_000, 2, 3),
        check(1, "3543 3543", 4, 4, 4, 0, mark=True),
        check(0, "3434 8885", 0, 3, 0, 3),
        event("round_end", points=[0, 4], totals=[5, 6], marks=[1, 1], untaken=2, lost=3),
        event(
            "game_end",
            status="finished",
            points=[5, 6],
            bonus=[4, 4],
            scores=[9, 10],
            marks=[1, 1],
            kept=[0, 0],
            places=[2, 1],
            winners=[1],
        ),
    ]
    return document(2, {"rounds": 2, "peek_slip": 0.5}, events)


def game_of_six() -> Document:
    """Six seats, one round: the fourth token holder's token is lost, the fifth has a mark without tokens."""
    answers = {
        "3444": "8888",  # none right: passes 4 on
        "3833": "3888",  # 2 right of 3 + 4: passes 5 on
        "4353": "4353",  # perfect: 2 + 5
        "4554": "3333",  # none right: its token is lost
        "4884": "4884",  # perfect, without tokens
        "5443": "5448",  # 3 right, without tokens
    }
    taken = [4, 3, 2, 1, 0, 0]
    events = [
        *dealt(6, 5),
        event("round", round=1, groups=[4, 3, 2, 1]),
        *(took(seat, card) for seat, card in enumerate(answers)),
        *(acted(seat, ["write", answer]) for seat, answer in enumerate(answers.values())),
        *(finished(seat, answer, 15_000, seat + 1, taken[seat]) for seat, answer in enumerate(answers.values())),
        check(0, "3444 8888", 0, 4, 0, 4),
        check(1, "3833 3888", 2, 7, 2, 5),
        check(2, "4353 4353", 4, 7, 7, 0, mark=True),
        check(3, "4554 3333", 0, 1, 0, 1),
        check(4, "4884 4884", 4, 0, 0, 0, mark=True),
        check(5, "5443 5448", 3, 0, 0, 0),
        event(
            "round_end",
            points=[0, 2, 7, 0, 0, 0],
            totals=[0, 2, 7, 0, 0, 0],
            marks=[0, 0, 1, 0, 1, 0],
            untaken=0,
            lost=1,
        ),
        event(
            "game_end",
            status="finished",
            points=[0, 2, 7, 0, 0, 0],
            bonus=[0, 0, 4, 0, 4, 0],
            scores=[0, 2, 11, 0, 4, 0],
            marks=[0, 0, 1, 0, 1, 0],
            kept=[0, 0, 0, 0, 0, 0],
            places=[4, 3, 1, 4, 2, 4],
            winners=[2],
        ),
    ]
    return document(6, {"rounds": 1}, events)


def game_in_thirty_seconds() -> Document:
    """A speedrun of two seats: a call at the very limit counts and is wrong, one after it is right and does not count.

    Seat 0 stops at the limit with a card left.
    """
    events = [
        *dealt(2, 3),
        took(0, "3335"),
        took(1, "3434"),
        acted(0, ["write", "3335"]),
        acted(1, ["feel", 2]),
        felt(1, 2, 15_000),
        called(0, "3335 3335", 15_000, 4, kept=True),
        acted(1, ["write", "3434"], 15_000),
        called(1, "3434 3434", 15_000, 4, kept=True),
        took(0, "3344", 15_000),
        acted(0, ["write", "3345"], 15_000),
        took(1, "3444", 15_000),
        acted(1, ["feel", 3], 15_000),
        felt(1, 3, 20_000),
        acted(1, ["write", "8444"], 20_000),
        called(1, "3444 8444", 20_000, 3),
        took(1, "3483", 20_000),
        acted(1, ["write", "3483"], 20_000),
        called(0, "3344 3345", 30_000, 3),
        called(1, "3483 3483", 35_000, 4, counts=False),
        event(
            "game_end",
            status="finished",
            points=[0, 0],
            bonus=[0, 0],
            scores=[1, 1],
            marks=[0, 0],
            kept=[1, 1],
            places=[1, 1],
            winners=[0, 1],
        ),
    ]
    return document(2, {"mode": "speedrun", "speedrun_deck": 3, "speedrun_seconds": 30}, events)


BY_HAND = (game_of_two, game_of_six, game_in_thirty_seconds)


@pytest.mark.parametrize("game", BY_HAND)
def test_a_game_written_by_hand_has_no_difference(game: Callable[[], Document]) -> None:
    assert judge(game()) == []


# ------------------------------------------------------------------------------------------------------------
# Games of a player who knows the rules by himself and shares no line with the referee
# ------------------------------------------------------------------------------------------------------------

PAIRS = [a + b for a in "3458" for b in "3458"]
TOKEN_ROWS = {"printed": ["41", "432", "4321"], "shifted": ["41", "41", "432", "4321"]}  # from one seat on

Course = Generator[int, None, None]  # of one seat: gives the time of its next act, and carries it out when resumed


class SelfPlayer:
    """Plays a whole game at random and writes its events down; tokens are moved about one pile at a time."""

    def __init__(self, seed: int, seats: int, options: Mapping[str, Any]) -> None:
        self.chance = random.Random(seed)
        self.seats = seats
        self.options: dict[str, Any] = {**vars(DEFAULTS), **options}
        self.events: list[Event] = []
        self.box: list[str] = []
        self.order: list[int] = []
        self.hands = [""] * seats
        self.answers = [""] * seats
        self.kept = [0] * seats
        self.feels_most = 5

    def play(self) -> Document:
        is_speedrun = self.options["mode"] == "speedrun"
        if self.options["deck"] == "uniform":
            cards = self.chance.sample([a + b for a in PAIRS for b in PAIRS if a + b != "3458"], 51)
        else:
            cards = self.chance.sample(list(self.options["deck"]), 51)
        each = min(self.options["speedrun_deck"], 51 // self.seats) if is_speedrun else 5
        self.write("shuffle", cards=list(cards))
        stacks = [[cards.pop(0) for _ in range(each)] for _ in range(self.seats)]
        self.box = cards
        self.write("deal", stacks=copy.deepcopy(stacks), box=list(cards))
        if is_speedrun:
            self.speedrun(stacks)
        else:
            self.rounds(stacks)
        return document(self.seats, self.options, self.events)

    def write(self, kind: str, **keys: Any) -> None:
        self.events.append({"event": kind, **keys})

    def rounds(self, stacks: list[list[str]]) -> None:
        totals, marks = [0] * self.seats, [0] * self.seats
        for number in range(1, self.options["rounds"] + 1):
            rows = TOKEN_ROWS[self.options["token_table"]]
            middle = [int(size) for size in rows[min(self.seats, len(rows)) - 1]]
            self.write("round", round=number, groups=list(middle))
            for seat in range(self.seats):
                self.hands[seat] = self.take_up(seat, stacks[seat].pop(), 0)
            self.order = []
            front: dict[int, int] = {}
            self.run([self.round_of(seat, middle, front) for seat in range(self.seats)])
            points, lost = self.check(front, marks)
            totals = [total + own for total, own in zip(totals, points, strict=True)]
            self.write("round_end", points=points, totals=totals, marks=list(marks), untaken=sum(middle), lost=lost)
            self.box += self.hands
        bonus = [0] * self.seats
        if any(marks) or not self.options["bonus_needs_mark"]:
            bonus = [self.options["bonus"] * (own == max(marks)) for own in marks]
        self.end(totals, bonus, marks, [total + own for total, own in zip(totals, bonus, strict=True)])

    def round_of(self, seat: int, middle: list[int], front: dict[int, int]) -> Course:
        at_ms = yield from self.work(seat, 0, 10**9)
        self.order.append(seat)
        is_barred = self.options["cutoff"] == "fifth_to_last" and self.seats > 5 and len(self.order) > self.seats - 5
        front[seat] = middle.pop(0) if middle and not is_barred else 0
        self.write(
            "finish",
            seat=seat,
            answer=self.answers[seat],
            at_ms=at_ms,
            place=len(self.order),
            tokens=front[seat],
        )

    def check(self, front: dict[int, int], marks: list[int]) -> tuple[list[int], int]:
        points, lost = [0] * self.seats, 0
        holders = [seat for seat in self.order if front[seat]]
        for seat, following in itertools.zip_longest(self.order, self.order[1:]):
            card, answer, tokens = self.hands[seat], self.answers[seat], front[seat]
            right = len([corner for corner in range(4) if card[corner] == answer[corner]])
            mark = card == answer and (tokens > 0 or self.options["mark_without_tokens"])
            points[seat] = tokens if card == answer else min(right, tokens)
            left = tokens - points[seat]
            has_next = following in holders or (following is not None and self.is_passed_on())
            if has_next:
                front[following] += left
            else:
                lost += left
            marks[seat] += mark
            self.write(
                "check",
                seat=seat,
                card=card,
                answer=answer,
                correct=right,
                tokens=tokens,
                points=points[seat],
                passed=left,
                mark=mark,
            )
        return points, lost

    def is_passed_on(self) -> bool:
        return {"auto": self.seats == 5, "true": True, "false": False}[str(self.options["passdown_to_tokenless"])]

    def speedrun(self, stacks: list[list[str]]) -> None:
        self.run([self.speedrun_of(seat, stacks[seat]) for seat in range(self.seats)])
        none = [0] * self.seats
        self.end(none, none, none, self.kept)

    def speedrun_of(self, seat: int, stack: list[str]) -> Course:
        at_ms, limit = 0, self.options["speedrun_seconds"] * 1000
        for top in stack:
            if at_ms == limit and self.chance.random() < 0.5:
                return
            yield at_ms
            self.hands[seat] = self.take_up(seat, top, at_ms)
            at_ms = yield from self.work(seat, at_ms, limit)
            if at_ms < 0:
                return
            card, answer = self.hands[seat], self.answers[seat]
            self.kept[seat] += at_ms <= limit and card == answer
            self.write(
                "call",
                seat=seat,
                card=card,
                answer=answer,
                at_ms=at_ms,
                correct=[a == b for a, b in zip(card, answer, strict=True)].count(True),
                counts=at_ms <= limit,
                kept=at_ms <= limit and card == answer,
            )
            if at_ms > limit:
                return

    def end(self, points: list[int], bonus: list[int], marks: list[int], scores: list[int]) -> None:
        ranked = sorted(scores, reverse=True)
        self.write(
            "game_end",
            status="finished",
            points=points,
            bonus=bonus,
            scores=scores,
            marks=marks,
            kept=self.kept,
            places=[ranked.index(score) + 1 for score in scores],
            winners=[seat for seat in range(self.seats) if scores[seat] == ranked[0]],
        )

    def take_up(self, seat: int, card: str, at_ms: int) -> str:
        self.write("take_up", seat=seat, card=card, at_ms=at_ms)
        if self.chance.random() >= self.options["peek_slip"]:
            return card
        new = self.box.pop(self.chance.randrange(len(self.box))) if self.box else card
        self.write("peek", seat=seat, exposed=card, card=new)
        return new

    def work(self, seat: int, at_ms: int, limit: int) -> Generator[int, None, int]:
        """Feel a card some times and write an answer; give the time of the answer, -1 if the time is over."""
        feels = self.chance.randint(0, self.feels_most)
        for number in range(feels + 1):
            yield at_ms
            legal = 260 if number < 200 else 256
            if number == feels:
                break
            corner, until_ms = self.chance.randrange(4), at_ms + 500 * self.chance.randint(1, 8)
            self.write("decision", point="act", seat=seat, choice=["feel", corner], legal=legal, at_ms=at_ms)
            if until_ms > limit:
                return -1
            self.write("feel", seat=seat, corner=corner, reading=self.chance.randint(-9, 9), until_ms=until_ms)
            at_ms = until_ms
        self.answers[seat] = "".join(
            radius if self.chance.random() < 0.8 else self.chance.choice("3458") for radius in self.hands[seat]
        )
        self.write("decision", point="act", seat=seat, choice=["write", self.answers[seat]], legal=legal, at_ms=at_ms)
        at_ms += 0 if feels else 15_000
        yield at_ms
        return at_ms

    def run(self, courses: list[Course]) -> None:
        """Resume the earliest course again and again, equally early ones in random order."""
        waiting = {course: next(course) for course in courses}
        while waiting:
            earliest = [course for course, at_ms in waiting.items() if at_ms == min(waiting.values())]
            course = self.chance.choice(earliest)
            at_ms = next(course, None)
            if at_ms is None:
                del waiting[course]
            else:
                waiting[course] = at_ms


def random_document(seed: int) -> Document:
    """A game of 1 to 10 seats under options drawn as `tests.referee.judged` does."""
    draw = random.Random(seed)
    return SelfPlayer(seed, 1 + seed % 10, draw_options(draw)).play()


def test_random_games_under_random_options_have_no_difference() -> None:
    kinds = set()
    for seed in range(200):
        whole = random_document(seed)
        assert judge(whole) == [], seed
        for happened in whole["events"]:
            kinds.add(happened["event"])
            # What a sample must have met to be worth something.
            kinds |= {"late"} if happened.get("counts") is False else set()
            kinds |= {"kept"} if happened.get("kept") is True else set()
            kinds |= {"no box"} if "exposed" in happened and happened["exposed"] == happened["card"] else set()
            kinds |= {"lost"} if happened.get("lost") else set()
            kinds |= {"mark without tokens"} if happened.get("mark") and not happened["tokens"] else set()
    assert kinds == {
        *("shuffle", "deal", "round", "take_up", "peek", "decision", "feel", "finish", "check", "round_end", "call"),
        *("game_end", "late", "kept", "no box", "lost", "mark without tokens"),
    }


def test_after_200_feels_of_a_card_only_answers_are_left() -> None:
    player = SelfPlayer(1, 1, {"rounds": 1})
    player.feels_most = 200
    player.chance.randint = lambda low, high: high  # type: ignore[assignment]
    whole = player.play()
    decisions = [happened for happened in whole["events"] if happened["event"] == "decision"]
    assert [decision["legal"] for decision in decisions] == [260] * 200 + [256]
    assert judge(whole) == []
    decisions[-1]["choice"] = ["feel", 0]
    assert any("seat 0 to write" in difference for difference in judge(whole))
    decisions[-1].update(choice=["write", "3333"], legal=260)
    assert any("legal = 256" in difference for difference in judge(whole))


# ------------------------------------------------------------------------------------------------------------
# Single rules
# ------------------------------------------------------------------------------------------------------------


def at(events: list[Event], kind: str, nth: int = 0, **keys: Any) -> int:
    """Index of the nth event of a kind with these keys."""
    fits = [
        index
        for index, happened in enumerate(events)
        if happened["event"] == kind and all(happened.get(key) == value for key, value in keys.items())
    ]
    return fits[nth]


def test_fcd_11_replacements_out_of_the_box() -> None:
    """Of ten seats the one card in the box replaces the first exposed one; then cards are kept.

    In round 2 the ten cards played in round 1 are in the box (FCD-23); the exposed one that was replaced is not.
    """
    whole = SelfPlayer(3, 10, {"peek_slip": 1.0, "rounds": 2}).play()
    events = whole["events"]
    peeks = [happened for happened in events if happened["event"] == "peek"]
    assert peeks[0]["card"] == events[1]["box"][0] != peeks[0]["exposed"]
    assert all(peek["card"] == peek["exposed"] for peek in peeks[1:10])
    played = {happened["card"] for happened in events[: at(events, "round_end")] if happened["event"] == "check"}
    assert {peek["card"] for peek in peeks[10:]} == played
    assert peeks[0]["exposed"] not in played
    assert judge(whole) == []
    gone = peeks[0]["exposed"]
    peeks[10]["card"] = gone
    assert any("FCD-11" in difference for difference in judge(whole))


def test_fcd_34_at_the_very_limit_a_seat_may_go_on_or_stop() -> None:
    whole = game_in_thirty_seconds()
    events = whole["events"]
    limit = at(events, "call", at_ms=30_000) + 1
    events.insert(limit, took(0, "3388", 30_000))
    assert judge(whole) == []
    events.insert(limit + 1, acted(0, ["feel", 0], 30_000))
    assert judge(whole) == []
    events[limit + 1] = acted(0, ["write", "3388"], 30_000)
    assert any("call" in difference for difference in judge(whole))
    events.insert(limit + 3, called(0, "3388 3388", 45_000, 4, counts=False))
    assert judge(whole) == []


def test_fcd_34_a_card_felt_until_the_very_limit_is_called() -> None:
    whole = game_in_thirty_seconds()
    events = whole["events"]
    second = at(events, "feel", seat=1, corner=3)
    events[second]["until_ms"] = 30_000
    late = acted(1, ["write", "3444"], 30_000), called(1, "3444 3444", 30_000, 4, kept=True)
    first_call = called(0, "3344 3345", 30_000, 3)
    events[second + 1 : -1] = [first_call, *late]
    events[-1].update(scores=[1, 2], kept=[1, 2], places=[2, 1], winners=[1])
    assert judge(whole) == []
    del events[-3:-1]
    events[-1].update(scores=[1, 1], kept=[1, 1], places=[1, 1], winners=[0, 1])
    assert any("decision of seat 1 at 30000 ms" in difference for difference in judge(whole))


def test_equally_early_seats_act_in_any_order() -> None:
    whole = game_of_two()
    events = whole["events"]
    first = at(events, "decision", choice=["write", "8885"])
    events[first : first + 2] = reversed(events[first : first + 2])
    assert judge(whole) == []


# ------------------------------------------------------------------------------------------------------------
# Planted faults: every one is reported
# ------------------------------------------------------------------------------------------------------------

Plant = Callable[[list[Event]], object]


def exchange(events: list[Event], first: int, second: int) -> None:
    events[first], events[second] = events[second], events[first]


def exposed(seat: int, old: str, new: str) -> Event:
    return event("peek", seat=seat, exposed=old, card=new)


FAULTS_OF_TWO: dict[str, tuple[Plant, str]] = {
    "card twice in the shuffle": (lambda e: e[0]["cards"].__setitem__(0, "3344"), "FCD-3"),
    "standard card in the shuffle": (lambda e: e[0]["cards"].__setitem__(0, "3458"), "FCD-3"),
    "card of another deck in the shuffle": (lambda e: e[0]["cards"].__setitem__(0, "3333"), "FCD-5"),
    "card that is none": (lambda e: e[0]["cards"].__setitem__(0, "3336"), "FCD-2"),
    "fifty cards": (lambda e: e[0]["cards"].pop(), "FCD-1"),
    "stack not dealt so": (lambda e: e[1]["stacks"][0].reverse(), "stacks"),
    "box not whole": (lambda e: e[1]["box"].pop(), "box"),
    "groups of another table": (lambda e: e[2].update(groups=[4, 1]), "FCD-7"),
    "groups missing": (lambda e: e.pop(2), "round"),
    "round counted wrong": (lambda e: e[at(e, "round", 1)].update(round=1), "round = 2"),
    "top card taken up": (lambda e: e[at(e, "take_up")].update(card="3335"), "FCD-8"),
    "same card in the second round": (lambda e: e[at(e, "take_up", 2)].update(card="3444"), "FCD-8"),
    "seat takes up late": (lambda e: e[at(e, "take_up")].update(at_ms=5), "at_ms = 0"),
    "seat does not take up": (lambda e: e.pop(at(e, "take_up")), "take_up"),
    "replacement not out of the box": (lambda e: e[at(e, "peek")].update(card="3335"), "FCD-11"),
    "exposed card kept though the box has cards": (lambda e: e[at(e, "peek")].update(card="3833"), "FCD-11"),
    "another card exposed": (lambda e: e[at(e, "peek")].update(exposed="3444"), "exposed"),
    "exposed card felt": (lambda e: e[at(e, "check")].update(card="3833"), "card = '8883'"),
    "replacement exposed too": (
        lambda e: e.insert(at(e, "decision"), exposed(1, "8883", "8848")),
        "expected decision",
    ),
    "feel of a fifth corner": (lambda e: e[at(e, "decision")].update(choice=["feel", 4]), "FCD-2"),
    "answer of three numbers": (
        lambda e: e[at(e, "decision", 1)].update(choice=["write", "344"]),
        "FCD-2",
    ),
    "wrong number of legal choices": (lambda e: e[at(e, "decision")].update(legal=256), "legal = 260"),
    "reading with a fraction": (lambda e: e[at(e, "feel")].update(reading=4.5), "whole number"),
    "feel of another corner": (lambda e: e[at(e, "feel")].update(corner=1), "corner = 0"),
    "feel takes no time": (lambda e: e[at(e, "feel")].update(until_ms=0), "until_ms after 0"),
    "feel not felt": (lambda e: e.pop(at(e, "feel")), "feel"),
    "clock goes backwards": (lambda e: e[at(e, "decision", 2)].update(at_ms=3000), "at_ms = 4000"),
    "unfelt answer too soon": (lambda e: e[at(e, "finish", 1)].update(at_ms=14_999), "at_ms = 15000"),
    "unfelt answer too late": (lambda e: e[at(e, "finish", 2)].update(at_ms=15_001), "at_ms = 15000"),
    "felt answer on its way": (lambda e: e[at(e, "finish")].update(at_ms=19_000), "at_ms = 4000"),
    "later seat finishes first": (
        lambda e: exchange(e, at(e, "finish", 0), at(e, "finish", 1)),
        "finish of seat 1 at 4000 ms",
    ),
    "act after the answer": (
        lambda e: e.insert(at(e, "finish"), acted(0, ["feel", 0], 0)),
        "finish of seat 1 at 4000 ms",
    ),
    "another answer than written": (lambda e: e[at(e, "finish")].update(answer="8883"), "answer = '8838'"),
    "wrong place": (lambda e: e[at(e, "finish", 1)].update(place=1), "place = 2"),
    "smaller group taken": (lambda e: e[at(e, "finish")].update(tokens=3), "tokens = 4"),
    "check before all have finished": (
        lambda e: exchange(e, at(e, "finish", 1), at(e, "check")),
        "finish of seat 0 at 15000 ms",
    ),
    "check out of order": (lambda e: exchange(e, at(e, "check"), at(e, "check", 1)), "seat = 1"),
    "wrong count of right numbers": (lambda e: e[at(e, "check")].update(correct=3), "correct = 2"),
    "wrong points": (lambda e: e[at(e, "check")].update(points=3), "points = 2"),
    "wrong tokens passed on": (lambda e: e[at(e, "check")].update(passed=1), "passed = 2"),
    "passed tokens not there": (lambda e: e[at(e, "check", 1)].update(tokens=3, points=3), "tokens = 5"),
    "mark missing": (lambda e: e[at(e, "check", 1)].update(mark=False), "mark = True"),
    "mark without four right": (lambda e: e[at(e, "check")].update(mark=True), "mark = False"),
    "wrong points of the round": (lambda e: e[at(e, "round_end")].update(points=[5, 3]), "points = [5, 2]"),
    "wrong totals": (lambda e: e[at(e, "round_end", 1)].update(totals=[0, 4]), "totals = [5, 6]"),
    "marks forgotten": (lambda e: e[at(e, "round_end", 1)].update(marks=[0, 1]), "marks = [1, 1]"),
    "group untaken forgotten": (lambda e: e[at(e, "round_end")].update(untaken=0), "untaken = 2"),
    "lost tokens forgotten": (lambda e: e[at(e, "round_end", 1)].update(lost=0), "lost = 3"),
    "bonus for one of two leaders": (lambda e: e[-1].update(bonus=[4, 0]), "bonus = [4, 4]"),
    "bonus not in the scores": (lambda e: e[-1].update(scores=[5, 6]), "scores = [9, 10]"),
    "bonus in the points": (lambda e: e[-1].update(points=[9, 10]), "points = [5, 6]"),
    "wrong winner": (lambda e: e[-1].update(winners=[0]), "winners = [1]"),
    "wrong places": (lambda e: e[-1].update(places=[1, 2]), "places = [2, 1]"),
    "capped": (lambda e: e[-1].update(status="capped"), "status"),
    "third round": (lambda e: e.insert(len(e) - 1, event("round", round=3, groups=[4, 3, 2])), "game_end"),
    "missing end": (lambda e: e.pop(), "the end of the transcript"),
    "something after the end": (lambda e: e.append(e[-1]), "nothing after"),
    "unknown event": (lambda e: e.insert(4, event("shout", seat=0)), "shout"),
    "unknown key": (lambda e: e[3].update(noise=1), "noise"),
    "missing key": (lambda e: e[at(e, "check")].pop("passed"), "no such key"),
    "number written as a truth": (lambda e: e[at(e, "round_end")].update(lost=False), "lost"),
}
FAULTS_OF_SIX: dict[str, tuple[Plant, str]] = {
    "token passed on to the tokenless fifth": (lambda e: e[at(e, "check", 4)].update(tokens=1, points=1), "tokens = 0"),
    "token passed on to the tokenless sixth": (lambda e: e[at(e, "check", 5)].update(tokens=1, points=1), "tokens = 0"),
    "fifth finisher takes a group": (lambda e: e[at(e, "finish", 4)].update(tokens=1), "tokens = 0"),
    "no mark without tokens": (lambda e: e[at(e, "check", 4)].update(mark=False), "mark = True"),
    "tokenless seat not checked": (lambda e: e.pop(at(e, "check", 5)), "check"),
    "places without gaps": (lambda e: e[-1].update(places=[3, 3, 1, 3, 2, 3]), "places"),
    "lost token untaken": (lambda e: e[at(e, "round_end")].update(untaken=1, lost=0), "lost = 1"),
}
FAULTS_OF_THE_SPEEDRUN: dict[str, tuple[Plant, str]] = {
    "card kept after the limit": (
        lambda e: e[at(e, "call", at_ms=35_000)].update(counts=True, kept=True),
        "kept = False",
    ),
    "card kept after the limit in the result": (lambda e: e[-1].update(kept=[1, 2], scores=[1, 2]), "kept = [1, 1]"),
    "call at the limit does not count": (
        lambda e: e[at(e, "call", at_ms=30_000)].update(counts=False),
        "counts = True",
    ),
    "imperfect card kept": (lambda e: e[at(e, "call", at_ms=20_000)].update(kept=True), "kept = False"),
    "perfect card removed": (lambda e: e[at(e, "call")].update(kept=False), "kept = True"),
    "wrong card of the own deck": (lambda e: e[at(e, "take_up", 2)].update(card="3388"), "card = '3344'"),
    "cover card left out": (lambda e: e[at(e, "take_up")].update(card="3344"), "card = '3335'"),
    "decision after the limit": (
        lambda e: e.insert(len(e) - 1, took(1, "3485", 35_000)),
        "game_end",
    ),
    "take-up behind a later call": (lambda e: e.insert(len(e) - 1, took(0, "3388", 30_000)), "game_end"),
    "feel that ends after the limit": (
        lambda e: e.__setitem__(
            slice(at(e, "take_up", card="3483") + 1, at(e, "call", at_ms=30_000)),
            [acted(1, ["feel", 0], 20_000), felt(1, 0, 30_001)],
        ),
        "FCD-34",
    ),
    "act after a feel that was over too late": (lambda e: e.pop(at(e, "feel", 1)), "call of seat 0 at 30000 ms"),
    "exposed card without slips": (
        lambda e: e.insert(at(e, "take_up", 1) + 1, exposed(1, "3434", "8883")),
        "peek_slip is 0",
    ),
    "call before its time": (
        lambda e: e.insert(at(e, "call", at_ms=20_000), e.pop(at(e, "call", at_ms=30_000))),
        "call of seat 1 at 20000 ms",
    ),
    "late call forgotten": (lambda e: e.pop(len(e) - 2), "call of seat 1 at 35000 ms"),
    "marks in a speedrun": (lambda e: e[-1].update(marks=[1, 1]), "marks = [0, 0]"),
    "one winner of two": (lambda e: e[-1].update(winners=[0]), "winners = [0, 1]"),
    "round in a speedrun": (lambda e: e.insert(2, event("round", round=1, groups=[4, 3, 2])), "take_up of seat 0"),
}
FAULTS = [
    (game, name, plant, named)
    for game, faults in zip(BY_HAND, (FAULTS_OF_TWO, FAULTS_OF_SIX, FAULTS_OF_THE_SPEEDRUN), strict=True)
    for name, (plant, named) in faults.items()
]


@pytest.mark.parametrize(("game", "name", "plant", "named"), FAULTS, ids=[fault[1] for fault in FAULTS])
def test_a_planted_fault_is_reported(game: Callable[[], Document], name: str, plant: Plant, named: str) -> None:
    whole = game()
    plant(whole["events"])
    differences = judge(whole)
    assert differences, name
    assert any(named in difference for difference in differences), differences


@pytest.mark.parametrize(
    ("game", "changed", "named"),
    [
        (game_of_two, {"token_table": "shifted"}, "groups = [4, 1]"),
        (game_of_two, {"bonus": 3}, "bonus = [3, 3]"),
        (game_of_two, {"rounds": 3}, "round"),
        (game_of_two, {"peek_slip": 0.0}, "peek_slip is 0"),
        (game_of_two, {"peek_slip": 1.0}, "expected peek"),
        (game_of_six, {"cutoff": "fifth_to_last"}, "tokens = 0"),
        (game_of_six, {"passdown_to_tokenless": "true"}, "tokens = 1"),
        (game_of_six, {"mark_without_tokens": False}, "mark = False"),
        (game_in_thirty_seconds, {"speedrun_seconds": 29}, "counts = False"),
        (game_in_thirty_seconds, {"speedrun_seconds": 35}, "take_up of seat 0 at 30000 ms"),
        (game_in_thirty_seconds, {"speedrun_deck": 4}, "stacks"),
        (game_in_thirty_seconds, {"mode": "standard"}, "stacks"),
    ],
)
def test_another_option_than_the_one_played_is_reported(
    game: Callable[[], Document], changed: dict[str, Any], named: str
) -> None:
    whole = game()
    whole["options"].update(changed)
    assert any(named in difference for difference in judge(whole)), judge(whole)


def test_bonus_without_marks_follows_the_option() -> None:
    """Nobody has a mark where seat 0 errs in round 1 and seat 1 in round 2."""
    whole = game_of_two()
    events = whole["events"]
    for right in ("3444", "3543"):
        events[at(events, "decision", choice=["write", right])]["choice"] = ["write", "8888"]
    events[at(events, "finish", 1)]["answer"] = events[at(events, "finish", 2)]["answer"] = "8888"
    events[at(events, "check", 1)].update(answer="8888", correct=0, points=0, passed=5, mark=False)
    events[at(events, "round_end")].update(points=[0, 2], totals=[0, 2], marks=[0, 0], lost=5)
    events[at(events, "check", 2)].update(answer="8888", correct=0, points=0, passed=4, mark=False)
    events[at(events, "check", 3)].update(tokens=7, passed=7)
    events[at(events, "round_end", 1)].update(points=[0, 0], totals=[0, 2], marks=[0, 0], lost=7)
    events[-1].update(points=[0, 2], bonus=[0, 0], scores=[0, 2], marks=[0, 0])
    assert judge(whole) == []
    whole["options"]["bonus_needs_mark"] = False
    assert any("bonus = [4, 4]" in difference for difference in judge(whole))
    events[-1].update(bonus=[4, 4], scores=[4, 6])
    assert judge(whole) == []


def test_every_change_of_every_value_is_reported() -> None:
    for game in BY_HAND:
        whole = game()
        # The noise of a reading is the model's.
        for what, changed in with_a_value_spoilt(whole, "reading"):
            assert judge(changed), (game, what)
        assert judge(whole) == []


def test_every_event_left_out_doubled_or_exchanged_is_reported() -> None:
    unreported = []
    for game in BY_HAND:
        events = game()["events"]
        for what, index, changed in with_an_event_spoilt(game()):
            if not judge(changed):
                pair = [(happened["event"], happened.get("seat")) for happened in events[index : index + 2]]
                unreported.append((game.__name__, what, *pair))
    # Acts of two seats at one time may be exchanged: they stand in random order. Nothing else may.
    decision, call, take_up = "decision", "call", "take_up"
    assert unreported == [
        ("game_of_two", "exchanged", (decision, 0), (decision, 1)),
        *(("game_of_six", "exchanged", (decision, seat), (decision, seat + 1)) for seat in range(5)),
        ("game_in_thirty_seconds", "exchanged", (take_up, 0), (take_up, 1)),
        ("game_in_thirty_seconds", "exchanged", (take_up, 1), (decision, 0)),
        ("game_in_thirty_seconds", "exchanged", (call, 0), (decision, 1)),
        ("game_in_thirty_seconds", "exchanged", (call, 1), (take_up, 0)),
        ("game_in_thirty_seconds", "exchanged", (decision, 0), (take_up, 1)),
    ]


def test_a_fault_in_a_game_of_the_self_player_is_reported() -> None:
    """Every number, truth and list of the results, in a random place of games of all kinds."""
    draw = random.Random(5)
    for seed in range(60):
        whole = random_document(seed)
        told = [
            happened
            for happened in whole["events"]
            if happened["event"] in ("finish", "check", "round_end", "call", "game_end", "take_up", "deal")
        ]
        happened = draw.choice(told)
        key = draw.choice([key for key in happened if key != "event"])
        happened[key] = draw.choice(spoilt(happened[key]))
        assert judge(whole), (seed, happened)


def test_every_key_around_the_events_is_checked() -> None:
    whole = game_of_two()
    for what, changed in with_a_key_spoilt(whole):
        assert judge(changed), what
    assert judge({**whole, "seats": 11})
    for name in whole["options"]:
        rest = {other: value for other, value in whole["options"].items() if other != name}
        assert judge({**whole, "options": rest}), name
        for wrong in (None, "?", -1000, 1.5, [], ["3335", "3344"]):
            assert judge({**whole, "options": {**whole["options"], name: wrong}}), (name, wrong)
    assert judge({**whole, "options": {**whole["options"], "reflex": 1.0}})
    skills = whole["skills"][0]
    for name, wrong in itertools.product(skills, (None, "1", -1.0, float("nan"), [])):
        assert judge({**whole, "skills": [skills, {**skills, name: wrong}]}), (name, wrong)
    assert judge({**whole, "skills": [skills]})
    assert judge({**whole, "skills": [skills, {}]})


def test_fcd_3_5_decks_that_are_none() -> None:
    whole = game_of_two()
    for spoil in ("3458", "3344", "3336", "33355", 3335, None):
        whole["options"]["deck"] = [spoil, *BRACELET51[1:]]
        assert any(difference.startswith("options: deck") for difference in judge(whole)), spoil
    whole["options"]["deck"] = [*BRACELET51, "3333"]
    assert any("51 cards" in difference for difference in judge(whole))


def test_fcd_5_uniform_decks_are_any_51_cards_but_the_standard_card() -> None:
    whole = game_of_two()
    whole["options"]["deck"] = "uniform"
    assert judge(whole) == []
    whole = json.loads(json.dumps(whole).replace('"8845"', '"3333"'))
    assert judge(whole) == []
    whole = json.loads(json.dumps(whole).replace('"3333"', '"3458"'))
    assert any("FCD-3" in difference for difference in judge(whole))


@pytest.mark.parametrize("whole", [None, 1, "game", [], [{}], {}, {1: 2}])
def test_what_is_no_transcript_is_reported(whole: object) -> None:
    assert judge(whole)


def test_junk_is_a_difference_and_never_a_traceback() -> None:
    chance = random.Random(3)
    junk: list[Any] = [None, True, -1, 0, 3, 1e400, 10**5000, "", "write", [], [[]], {}, [1, None], {"event": 1}]
    for base in BY_HAND:
        for _ in range(700):
            whole = base()
            place = chance.choice([*whole["events"], whole["options"], whole, *whole["skills"]])
            place[chance.choice(list(place))] = chance.choice(junk)
            assert all(isinstance(difference, str) for difference in judge(whole))
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    whole = game_of_two()
    whole["events"][4]["seat"] = deep
    assert judge(whole)


def test_differences_are_stopped_before_they_fill_the_screen() -> None:
    whole = game_of_two()
    for happened in whole["events"]:
        happened["noise"] = 1
    assert len(judge(whole)) == 21  # 20 differences, and the sentence that there may be more


def test_drawn_options_are_those_that_a_job_may_name_together() -> None:
    draw, met = random.Random(1), set()
    for _ in range(600):
        options = draw_options(draw)
        met |= {(name, str(value)) for name, value in options.items()}
        excluded = STANDARD_ONLY if options.get("mode") == "speedrun" else SPEEDRUN_ONLY
        assert not options.keys() & set(excluded)
    assert met == {(name, str(value)) for name, values in CHOICES.items() for value in values}
