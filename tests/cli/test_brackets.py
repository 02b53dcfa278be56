"""A knockout as a picture; the pictures here are drawn by hand from the matches above them."""

from collections.abc import Sequence
from typing import Any

import pytest

from cli.brackets import Bracket, bracket_of

Played = tuple[int, int, str, str]  # round, match, and who with what: the first has won


def match(number: int, match: int, *entrants: str, games: int = 1, decided: str = "played") -> dict[str, Any]:
    """A match whose first entrant has won; each is a name and points."""
    ranked = [
        {"name": name, "place": place, "points": int(points), "wins": int(points), "marks": 0}
        for place, (name, points) in enumerate((entrant.split() for entrant in entrants), start=1)
    ]
    # Rows come in the order of the plan, which says nothing about who won.
    ranked.sort(key=lambda entrant: str(entrant["name"]))
    game = 100 * number + match if games else None
    return {"round": number, "match": match, "games": games, "game": game, "decided": decided, "entrants": ranked}


def bye(number: int, at: int, name: str) -> dict[str, Any]:
    return match(number, at, f"{name} 0", games=0, decided="bye")


def found(matches: Sequence[dict[str, Any]], unit: str = "points") -> Bracket:
    bracket = bracket_of(matches, unit)
    assert bracket is not None
    return bracket


FOUR = [
    match(1, 1, "Dov 7", "Ada 3"),
    match(1, 2, "Bea 12", "Cy 9"),
    match(2, 1, "Bea 8", "Dov 5"),
    match(2, 2, "Cy 6", "Ada 1"),
]


def test_winners_meet_where_their_lines_do() -> None:
    # Dov comes from above, though the final lists Bea first.
    bracket = found(FOUR)
    assert bracket.lines(80) == [
        "Ada  3 ┐",
        "       ├ Dov 5 ┐",
        "Dov  7 ┘       │",
        "               ├ Bea",
        "Bea 12 ┐       │",
        "       ├ Bea 8 ┘",
        "Cy   9 ┘",
    ]
    assert (bracket.third, bracket.unit, bracket.is_whole, bracket.has_lots) == (
        "Cy (6) – Ada (1)",
        "points",
        True,
        False,
    )
    assert bracket.final == 201


def test_who_meets_nobody_goes_on() -> None:
    bracket = found([match(1, 1, "Ada 2", "Bea 1"), bye(1, 2, "Cy"), match(2, 1, "Ada 4", "Cy 3")])
    assert bracket.lines(80) == [
        "Ada 2 ┐",
        "      ├ Ada 4 ┐",
        "Bea 1 ┘       │",
        "              ├ Ada",
        "Cy    ┐       │",
        "      ├ Cy  3 ┘",
        "–     ┘",
    ]
    assert bracket.third == ""


def test_games_are_shown_where_a_match_has_several_and_lots_are_starred() -> None:
    matches = [
        match(1, 1, "Ada 2", "Bea 1", games=3),
        match(1, 2, "Cy 13", "Dov 13", games=26, decided="lot"),
        match(2, 1, "Ada 2", "Cy 0", games=2),
    ]
    bracket = found(matches, "games won")
    assert (bracket.unit, bracket.has_lots) == ("games won", True)
    assert bracket.lines(80)[4:] == ["Cy  13* ┐       │", "        ├ Cy  0 ┘", "Dov  13 ┘"]


def test_long_names_keep_their_ends_and_the_first_rounds_go_where_there_is_no_room() -> None:
    long = [
        {**each, "entrants": [{**one, "name": f"{one['name']} the great 12"} for one in each["entrants"]]}
        for each in FOUR
    ]
    bracket = found(long)
    # 80 cells hold the names whole; of 45, two scores of 3 and 2 and two joins of 3 leave 34, eleven each.
    assert bracket.lines(80)[3].endswith("├ Bea the great 12")
    assert bracket.lines(45)[0] == "Ada the… 12  3 ┐"
    assert max(map(len, bracket.lines(45))) <= 45
    # Of 31 they would leave 20, six each: the semi-finals go, and two names share 31 - 2 - 3.
    assert bracket.lines(31) == ["Dov the g… 12 5 ┐", "                ├ Bea the g… 12", "Bea the g… 12 8 ┘"]


@pytest.mark.parametrize(
    "matches",
    [
        [],
        [match(1, 1, "Ada 2", "Bea 1"), match(1, 2, "Cy 2", "Dov 1"), match(2, 1, "Ada 2", "Dov 1")],  # Dov had lost
        [match(1, 1, "Ada 2", "Bea 1")],
    ],
)
def test_what_is_no_knockout_has_no_bracket(matches: list[dict[str, Any]]) -> None:
    assert bracket_of(matches, "points") is None


def test_one_loser_of_a_semi_final_is_third_without_a_match() -> None:
    matches = [match(1, 1, "Ada 2", "Bea 1"), bye(1, 2, "Cy"), match(2, 1, "Ada 4", "Cy 3"), bye(2, 2, "Bea")]
    assert found(matches).third == ""


def test_groups_before_it_are_not_in_it() -> None:
    matches = [
        match(1, 1, "Ada 2", "Cy 1"),
        match(1, 2, "Bea 2", "Dov 1"),
        *({**each, "round": each["round"] + 1} for each in FOUR),
    ]
    bracket = found(matches)
    assert not bracket.is_whole
    assert len(bracket.lines(80)) == 7
