"""How a run is cut into parts: ranges of deals, ranges of whole tournaments, or the matches of one tournament."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sim.errors import SpecError

PLAN_VERSION = 1
DETAILS = ("full", "summary")

DEALS, REPEATS, MATCHES, STANDINGS = "deals", "repeats", "matches", "standings"
NOUNS = {DEALS: "deals", REPEATS: "tournaments", MATCHES: "matches"}  # what a plan cuts, for people


@dataclass(frozen=True, slots=True)
class Span:
    """What a part holds: `count` of a unit from number `first` on.

    Deals and repeats (whole tournaments) are numbered from 0. A tournament that is spread over parts has parts of
    matches, numbered from 1 in their `round`, which is numbered from 1 too: those of all legs that have such numbers;
    its last part holds the standings.
    """

    unit: str
    first: int
    count: int
    round: int = 0

    def __str__(self) -> str:
        """Say it in words."""
        if self.unit == STANDINGS:
            return "the standings"
        where = f"the {self.unit} {self.first} .. {self.first + self.count - 1}"
        return f"{where} of round {self.round}" if self.unit == MATCHES else where


def check_plan(plan: Mapping[str, Any]) -> None:
    """Raise SpecError unless the plan cuts one or more deals, tournaments or rounds of matches into parts."""
    if plan.get("version") != PLAN_VERSION or plan.get("detail") not in DETAILS:
        raise SpecError(f"A plan has version {PLAN_VERSION} and one of the details {', '.join(DETAILS)}: {dict(plan)}.")
    unit = unit_of(plan)
    for key in ("part_matches",) if unit == MATCHES else (unit, f"part_{unit}"):
        if not _is_count(plan.get(key)):
            raise SpecError(f"A plan's {key} is {plan.get(key)!r}; it is a whole number from 1 up.")
    if unit == MATCHES:
        rounds = plan["rounds"]
        if not isinstance(rounds, list) or not rounds or not all(map(_is_count, rounds)):
            raise SpecError(f"A plan's rounds are {rounds!r}; they are numbers of matches from 1 up.")
        if plan["detail"] != "full":
            raise SpecError("A tournament that is spread over parts keeps its tables (detail full).")


def unit_of(plan: Mapping[str, Any]) -> str:
    """Return what the plan cuts."""
    if "rounds" in plan:
        return MATCHES
    return REPEATS if "repeats" in plan else DEALS


def count_of(plan: Mapping[str, Any]) -> int:
    """Return how many deals or tournaments the run has."""
    unit = unit_of(plan)
    return 1 if unit == MATCHES else int(plan[unit])


def units_of(plan: Mapping[str, Any]) -> int:
    """Return how many deals or tournaments the plan cuts, or matches of a single tournament."""
    return sum(plan["rounds"]) if unit_of(plan) == MATCHES else count_of(plan)


def parts_of(plan: Mapping[str, Any]) -> int:
    """Return the number of parts."""
    if unit_of(plan) == MATCHES:
        return sum(slices for _, slices in _rounds(plan)) + 1
    return -(-count_of(plan) // int(plan[f"part_{unit_of(plan)}"]))


def span_of(plan: Mapping[str, Any], part: int) -> Span:
    """Return what a part holds; it must be one of the plan's."""
    unit = unit_of(plan)
    size = int(plan[f"part_{unit}"])
    if unit != MATCHES:
        return Span(unit, part * size, min(size, count_of(plan) - part * size))
    for number, (matches, slices) in enumerate(_rounds(plan), start=1):
        if part < slices:
            return Span(MATCHES, part * size + 1, min(size, matches - part * size), number)
        part -= slices
    return Span(STANDINGS, 0, 1)


def needs_of(plan: Mapping[str, Any], part: int) -> range:
    """Return the parts that must be there before a part can be played: of a spread tournament, all earlier rounds."""
    if unit_of(plan) != MATCHES:
        return range(0)
    before = 0
    for _, slices in _rounds(plan):
        if part < before + slices:
            return range(before)
        before += slices
    return range(before)


def _rounds(plan: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """Give of each round its number of matches and of parts."""
    for matches in plan["rounds"]:
        yield matches, -(-matches // int(plan["part_matches"]))


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1
