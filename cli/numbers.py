"""Values with their intervals as words: as many decimals as the interval warrants."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from results.summary import Figure

NOTHING = "–"  # where there is no value, or no interval
MOST_DECIMALS = 4
PLAIN_DECIMALS = 2  # of a value without an interval


def decimals_of(figures: Sequence[Figure]) -> list[int]:
    """Give each figure's decimals: two digits of half its interval, at most four decimals.

    Those without an interval have the fewest that any other has.
    """
    own = [_own_decimals(figure) for figure in figures]
    fewest = min((decimals for decimals in own if decimals is not None), default=PLAIN_DECIMALS)
    return [fewest if decimals is None else decimals for decimals in own]


def _own_decimals(figure: Figure) -> int | None:
    """Give the decimals that a figure's own interval warrants; None where it has no width."""
    if figure.low is None or figure.high is None or figure.high <= figure.low:
        return None
    half = (figure.high - figure.low) / 2 * _factor(figure)
    return min(max(0, 1 - floor(log10(half))), MOST_DECIMALS)


def value_words(figure: Figure, decimals: int) -> str:
    """Write a value: a share in percent, anything else as it is."""
    return NOTHING if figure.value is None else _number(figure.value, figure, decimals) + _sign(figure)


def interval_words(figure: Figure, decimals: int) -> str:
    """Write an interval as `low to high`, in the unit of its value."""
    if figure.low is None or figure.high is None:
        return NOTHING
    return f"{_number(figure.low, figure, decimals)} to {_number(figure.high, figure, decimals)}"


def plain_words(value: float) -> str:
    """Write a number that has no interval: whole if it is, with thousands set apart."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.{PLAIN_DECIMALS}f}"


def counted(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def option_words(value: object) -> str:
    """Write an option's value; of the content of a file only how long it is."""
    if not isinstance(value, list | tuple):
        return str(value)
    if all(isinstance(each, int) for each in value):
        return ",".join(map(str, value))
    return counted(len(value), "line")


def amount(number: int, nouns: str) -> str:
    """Write a number of things that are named in the plural: deals, tournaments, matches."""
    return (
        f"{number:,} {nouns.removesuffix('es' if nouns == 'matches' else 's')}"
        if number == 1
        else f"{number:,} {nouns}"
    )


def _factor(figure: Figure) -> int:
    return 100 if figure.unit == "share" else 1


def _sign(figure: Figure) -> str:
    return " %" if figure.unit == "share" else ""


def _number(value: float, figure: Figure, decimals: int) -> str:
    words = f"{value * _factor(figure):,.{decimals}f}"
    return words.removeprefix("-") if not words.strip("-0.,") else words  # no minus before a zero
