from typing import Any

import pytest

from results.plan import Span, check_plan, count_of, needs_of, parts_of, span_of
from sim.errors import SpecError

DEALS = {"version": 1, "deals": 10, "part_deals": 4, "detail": "full"}
REPEATS = {"version": 1, "repeats": 10, "part_repeats": 4, "detail": "summary"}
# Rounds of five, four and one match in parts of two: 3 + 2 + 1 parts, and one of the standings.
MATCHES = {"version": 1, "rounds": [5, 4, 1], "part_matches": 2, "detail": "full"}


@pytest.mark.parametrize(("plan", "unit"), [(DEALS, "deals"), (REPEATS, "repeats")])
def test_deals_and_repeats_are_cut_into_ranges_that_need_nothing(plan: dict[str, Any], unit: str) -> None:
    check_plan(plan)
    assert (count_of(plan), parts_of(plan)) == (10, 3)
    assert [span_of(plan, part) for part in range(3)] == [Span(unit, 0, 4), Span(unit, 4, 4), Span(unit, 8, 2)]
    assert [list(needs_of(plan, part)) for part in range(3)] == [[], [], []]


def test_matches_are_cut_round_by_round_and_need_all_earlier_rounds() -> None:
    check_plan(MATCHES)
    assert (count_of(MATCHES), parts_of(MATCHES)) == (1, 7)
    assert [span_of(MATCHES, part) for part in range(7)] == [
        Span("matches", 1, 2, 1),
        Span("matches", 3, 2, 1),
        Span("matches", 5, 1, 1),
        Span("matches", 1, 2, 2),
        Span("matches", 3, 2, 2),
        Span("matches", 1, 1, 3),
        Span("standings", 0, 1),
    ]
    assert [len(needs_of(MATCHES, part)) for part in range(7)] == [0, 0, 0, 3, 3, 5, 6]


def test_a_span_says_what_it_is() -> None:
    assert [str(span_of(MATCHES, 1)), str(span_of(MATCHES, 6)), str(span_of(REPEATS, 2))] == [
        "the matches 3 .. 4 of round 1",
        "the standings",
        "the repeats 8 .. 9",
    ]


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({}, "A plan has version 1"),
        ({**REPEATS, "version": 2}, "A plan has version 1"),
        ({**REPEATS, "detail": "some"}, "details full, summary"),
        ({**REPEATS, "repeats": 0}, "A plan's repeats is 0"),
        ({**REPEATS, "part_repeats": 1.5}, "A plan's part_repeats is 1.5"),
        ({**MATCHES, "part_matches": True}, "A plan's part_matches is True"),
        ({**MATCHES, "rounds": []}, "A plan's rounds are"),
        ({**MATCHES, "rounds": [3, 0]}, "A plan's rounds are"),
        ({**MATCHES, "detail": "summary"}, "keeps its tables"),
    ],
)
def test_what_is_no_plan_is_refused_in_a_sentence(plan: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        check_plan(plan)
