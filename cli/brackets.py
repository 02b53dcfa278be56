"""A knockout drawn for the terminal: who met whom, round by round, and who went on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Match = Mapping[str, Any]

NOBODY = "–"  # opposite whom somebody goes on without a match
_LEAST_NAME, _MOST_NAME = 7, 24
_JOIN = 3  # cells between two columns: a space, a line, a space


@dataclass(frozen=True, slots=True)
class _Slot:
    """A name in a column, with what it had in the match that it was to play there; the winner of all has none."""

    name: str
    score: str


@dataclass(frozen=True, slots=True)
class Bracket:
    """The rounds of a knockout in which winners meet: `columns[0]` is who was in its first round, the last who won.

    `third` is the match for third place, where there was one; `unit` is what the scores are, `final` the number of the
    final's first game, and `is_whole` whether it has all rounds. A star stands where a lot decided, as `has_lots` says.
    """

    columns: tuple[tuple[_Slot, ...], ...]
    third: str
    unit: str
    final: int | None
    is_whole: bool
    has_lots: bool

    def lines(self, width: int) -> list[str]:
        """Draw it in so many cells; the first rounds are left out where the names would have too little room."""
        columns = self.columns
        while len(columns) > 2 and _name_width(columns, width) < min(_LEAST_NAME, _widest(columns)):
            columns = columns[1:]
        return _drawn(columns, _name_width(columns, width))


def bracket_of(matches: Sequence[Match], unit: str) -> Bracket | None:
    """Find the rounds at the end of a leg in which the winners of two neighbours meet; None if it ends in no final.

    `unit` is what stands beside the names: games won, or points.
    """
    rounds: dict[int, dict[int, Match]] = {}
    for match in matches:
        rounds.setdefault(match["round"], {})[match["match"]] = match
    if not rounds:
        return None
    last = max(rounds)
    first, size = last, 1
    while first - 1 in rounds and _follows(rounds[first - 1], rounds[first], size):
        first, size = first - 1, 2 * size
    if first == last or _winner(rounds[last][1]) is None:
        return None
    columns = [
        _slots(rounds[number], rounds[number - 1] if number > first else None, size >> (number - first), unit)
        for number in range(first, last + 1)
    ]
    champion = _winner(rounds[last][1])
    third = ""
    if len(rounds[last]) == 2 and rounds[last][2]["decided"] != "bye":
        entrants = rounds[last][2]["entrants"]
        ranked = sorted(entrants, key=lambda entrant: entrant["place"])
        third = " – ".join(f"{entrant['name']} ({_score_in(rounds[last][2], entrant, unit)})" for entrant in ranked)
    return Bracket(
        (*columns, (_Slot(str(champion), ""),)),
        third,
        unit,
        rounds[last][1]["game"],
        is_whole=first == min(rounds) and len(rounds[last]) <= 2,
        has_lots=any(match["decided"] == "lot" for match in matches),
    )


def _winner(match: Match) -> str | None:
    """Say who alone has won a match."""
    winners = [entrant["name"] for entrant in match["entrants"] if entrant["place"] == 1]
    return str(winners[0]) if len(winners) == 1 else None


def _follows(before: Mapping[int, Match], after: Mapping[int, Match], size: int) -> bool:
    """Say whether in the first `size` matches of a round the winners of neighbours of the round before meet."""
    for number in range(1, size + 1):
        match = after.get(number)
        if match is None or 2 * number not in before or 2 * number - 1 not in before:
            return False
        winners = {_winner(before[2 * number - 1]), _winner(before[2 * number])}
        if winners != {entrant["name"] for entrant in match["entrants"]}:
            return False
    return True


def _score(entrant: Mapping[str, Any], unit: str) -> str:
    """Write what somebody had in a match."""
    return f"{entrant['wins']:g}" if unit == "games won" else f"{entrant['points']:g}"


def _score_in(match: Match, entrant: Mapping[str, Any], unit: str) -> str:
    """Write what somebody had in a match, with a star if a lot sent him on."""
    is_lot = match["decided"] == "lot" and entrant["place"] == 1
    return f"{_score(entrant, unit)}{'*' if is_lot else ''}"


def _slots(matches: Mapping[int, Match], before: Mapping[int, Match] | None, size: int, unit: str) -> tuple[_Slot, ...]:
    """Give the names of a round from top to bottom, each where it came from in the round before."""
    slots = []
    for number in range(1, size + 1):
        entrants = list(matches[number]["entrants"])
        if before is not None:
            entrants.sort(key=lambda entrant: entrant["name"] != _winner(before[2 * number - 1]))
        pair = [_Slot(entrant["name"], _score_in(matches[number], entrant, unit)) for entrant in entrants]
        if len(pair) == 1:
            pair = [_Slot(pair[0].name, ""), _Slot(NOBODY, "")]
        slots += pair
    return tuple(slots)


def _name_width(columns: Sequence[Sequence[_Slot]], width: int) -> int:
    """Give how wide a name may be; at most as wide as the widest is."""
    scores = sum(_score_width(column) + _JOIN for column in columns[:-1])
    return min(_widest(columns), _MOST_NAME, (width - scores) // len(columns))


def _widest(columns: Sequence[Sequence[_Slot]]) -> int:
    """Give the width of the widest name."""
    from rich.cells import cell_len

    return max(cell_len(slot.name) for column in columns for slot in column)


def _score_width(column: Sequence[_Slot]) -> int:
    return 1 + max(len(slot.score) for slot in column)


def _drawn(columns: Sequence[Sequence[_Slot]], name_width: int) -> list[str]:
    """Draw the columns side by side, every name between the two that it comes from."""
    height = 2 * len(columns[0]) - 1
    rows = [""] * height
    at = [2 * index for index in range(len(columns[0]))]
    for column, after in zip(columns, (*columns[1:], ()), strict=True):
        slots = dict(zip(at, column, strict=True))
        width = _score_width(column) if after else 0
        middles = {(top + bottom) // 2 for top, bottom in zip(at[::2], at[1::2], strict=False)} if after else set()
        is_open = False
        for row in range(height):
            slot = slots.get(row)
            rows[row] += (_cut(slot.name, name_width) + slot.score.rjust(width)) if slot else " " * (name_width + width)
            if not after:
                continue
            if slot:
                rows[row] += " ┘ " if is_open else " ┐ "
                is_open = not is_open
            else:
                rows[row] += " ├ " if row in middles else " │ " if is_open else "   "
        at = sorted(middles)
    return [row.rstrip() for row in rows]


def _cut(name: str, width: int) -> str:
    """Fit a name into so many cells; of a longer one the end stays, where numbers stand."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(name) <= width:
        return set_cell_size(name, width)
    end = name[-3:]
    return f"{set_cell_size(name, width - 1 - cell_len(end))}…{end}"
