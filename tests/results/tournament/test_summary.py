import json
from typing import Any

import pytest

from results.kinds import tables
from results.plan import Span
from results.summary import Figure, Summary, Table
from results.sums import Sums
from results.tournament import layout as layouts
from results.tournament import shown
from results.tournament.layout import Leg, TournamentLayout
from results.tournament.shown import cross_table, match_table, matches_of
from results.tournament.summary import summarise
from results.tournament.sums import merge, part_sums
from tests.results.tournament.made import NAMES, make_cells, make_layout

# Student's quantile for the three degrees of freedom of four repeats.
T = 3.182446


def of(layout: TournamentLayout, first: int, count: int) -> Sums:
    return part_sums(layout, Span("repeats", first, count), make_cells(layout, first, count))


def figure(summary: Summary, table: str, leg: str, name: str, group: str = "") -> dict[str, Any]:
    key = (table, leg, group, name)
    (found,) = (f for f in summary["figures"] if (f["table"], f["leg"], f["group"], f["figure"]) == key)
    return dict(found)


LEGS = (Leg("cup", 3), Leg("league", 3))


def four(order: tuple[str, ...] = ("ann", "cat", "bob")) -> Summary:
    """Four repeats of a cup and a league of three, by hand.

    In the cup ann is first, first, first together with bob, and third; in the league she is first each time. The cup
    takes 2, 2, 3 and 3 games, the league 3 each time; one match of the cup was decided by lot.
    """
    layout = make_layout(4, LEGS, order, entrants=("ann", "bob", "cat"))
    sums = of(layout, 0, 4)
    for leg, (games, lots) in zip(sums["legs"], ((10, 1), (12, 0)), strict=True):
        leg.update(games=games, lots=lots, matches=12)
        leg["columns"]["points"] = {"sum": [40, 8, 0], "square": [402, 64, 0]}
        leg["columns"]["league_points"] = {"sum": [10080 * 6, 0, 0], "square": [10080**2 * 10, 0, 0]}
    sums["ranks"] = [
        [
            [0, 1, 1, 2],
            [0, 1, 2, 1],
            [0, 3, 1, 1],
            [1, 1, 1, 1],
            [1, 1, 2, 1],
            [1, 2, 1, 2],
            [2, 2, 1, 1],
            [2, 3, 1, 3],
        ],
        [[0, 1, 1, 4], [1, 2, 1, 4], [2, 3, 1, 4]],
    ]
    sums["both_won"] = [[[0, 1, 1, 2], [0, 2, 1, 1]]]
    # Doubled mean places of ann: 2, 2, 3 and 6 in the cup, 2 each time in the league.
    sums["places"] = [[26, 0, 0]]
    sums["products"] = {"games": [26, 30, 36], "matches": [36, 36, 36], "lots": [1, 0, 0]}
    return summarise(layout, sums, "who")


def test_counts_and_identity_are_there() -> None:
    summary = four()
    assert (summary["identity"], summary["kind"], summary["repeats"]) == ("who", "tournament", 4)
    assert (summary["entrants"], summary["legs"]) == (["ann", "bob", "cat"], ["cup", "league"])
    assert len(summary["content_hash"]) == 32
    assert (summary["standings"], summary["matches"]) == ([], None)


def test_chances_by_hand() -> None:
    won = figure(four(), "chances", "cup", "win", "ann")
    # x is 1, 1, 1/2 and 0: mean 5/8, variance of the mean (4 × 2.25 - 2.5²) / (4² × 3) = 2.75 / 48. It is worth
    # n = 5/8 × 3/8 / (2.75 / 48) = 4.0909 repeats; with t² / n = 2.47572 Wilson's interval has the middle
    # (0.625 + 1.23786) / 3.47572 = 0.53596 and the half width 3.182446 / 3.47572 × sqrt(0.0572917 + 0.151294).
    assert (won["value"], won["unit"]) == (0.625, "share")
    assert (won["low"], won["high"]) == pytest.approx((0.53596 - 0.41818, 0.53596 + 0.41818), abs=1e-4)
    places = [figure(four(), "places", "cup", place, "ann")["value"] for place in ("1", "2", "3")]
    assert places == [0.625, 0.125, 0.25]
    assert figure(four(), "chances", "cup", "mean_place", "ann")["value"] == (1 + 1 + 1.5 + 3) / 4
    certain = figure(four(), "chances", "league", "win", "ann")
    # Four of four: Wilson's interval of 1 begins at 1 / (1 + z² / 4).
    assert (certain["value"], certain["low"]) == pytest.approx((1, 1 / (1 + 1.959964**2 / 4)))


def test_means_of_standings_by_hand() -> None:
    points = figure(four(), "chances", "cup", "points", "ann")
    # Mean 10, variance of the mean (4 × 402 - 40²) / 48 = 1/6.
    assert (points["value"], points["unit"]) == (10, "points")
    assert points["high"] == pytest.approx(10 + T * (1 / 6) ** 0.5, abs=1e-4)
    assert figure(four(), "chances", "cup", "league_points", "ann")["value"] == 1.5


def test_what_a_leg_finds_and_takes_by_hand() -> None:
    summary = four()
    assert summary["strongest"] == {"name": "ann", "by": "the order given"}
    assert figure(summary, "power", "cup", "win", "ann")["value"] == 0.625
    games = figure(summary, "power", "cup", "games")
    # 2, 2, 3 and 3: variance of the mean (4 × 26 - 10²) / 48 = 1/12.
    assert (games["value"], games["unit"]) == (2.5, "games")
    assert games["low"] == pytest.approx(2.5 - T * (1 / 12) ** 0.5, abs=1e-4)
    lots = figure(summary, "power", "cup", "lots")
    assert (lots["value"], lots["unit"]) == (0.25, "matches")
    assert figure(summary, "power", "league", "games")["note"] == "the same in every tournament: no interval"


def test_differences_are_paired_by_repeat() -> None:
    summary = four()
    won = figure(summary, "differences", "cup - league", "win", "ann")
    # 0, 0, -1/2 and -1: mean -3/8, variance of the mean (4 × 1.25 - 1.5²) / 48 = 2.75 / 48.
    assert won["value"] == -0.375
    assert won["high"] == pytest.approx(-0.375 + T * (2.75 / 48) ** 0.5, abs=1e-4)
    games = figure(summary, "differences", "cup - league", "games")
    # -1, -1, 0 and 0: variance of the mean (4 × 2 - 2²) / 48.
    assert (games["value"], games["low"]) == pytest.approx((-0.5, -0.5 - T * (4 / 48) ** 0.5), abs=1e-4)
    place = figure(summary, "differences", "cup - league", "mean_place", "ann")
    # 0, 0, 1/2 and 2: mean 5/8, variance of the mean (4 × 4.25 - 2.5²) / 48.
    assert (place["value"], place["low"]) == pytest.approx((0.625, 0.625 - T * (10.75 / 48) ** 0.5), abs=1e-4)


def test_pairing_takes_the_common_part_out() -> None:
    # Both legs have the same winner in each repeat: their difference is 0 without error, whatever the chances are.
    layout = make_layout(4, LEGS, ("bob", "ann", "cat"), entrants=("ann", "bob", "cat"))
    sums = of(layout, 0, 4)
    sums["ranks"] = [[[0, 1, 1, 2], [0, 2, 1, 2], [1, 1, 1, 2], [1, 2, 1, 2], [2, 3, 1, 4]]] * 2
    sums["both_won"] = [[[0, 1, 1, 2], [1, 1, 1, 2]]]
    sums["places"] = [[40, 40, 144]]  # twice 2² + 4² for ann and bob, four times 6²
    won = figure(summarise(layout, sums), "differences", "cup - league", "win", "bob")
    assert (won["value"], won["low"], won["note"]) == (0, None, "the same in every tournament: no interval")
    # Or ann and bob share first place in both each time.
    sums["ranks"] = [[[0, 1, 2, 4], [1, 1, 2, 4], [2, 3, 1, 4]]] * 2
    sums["both_won"] = [[[0, 2, 2, 4], [1, 2, 2, 4]]]
    sums["places"] = [[36, 36, 144]]  # four times 3² and 6²
    won = figure(summarise(layout, sums), "differences", "cup - league", "win", "bob")
    assert (won["value"], won["low"], won["note"]) == (0, None, "the same in every tournament: no interval")


def test_without_an_order_the_best_rating_is_the_strongest() -> None:
    layout = make_layout(50)
    summary = summarise(layout, of(layout, 0, 50))
    best = summary["ratings"]["entrants"][0]
    assert summary["strongest"] == {"name": best["name"], "by": "the best rating"}
    # Games are won by strength, and ann is made the strongest.
    assert best["name"] == "ann"
    assert [e["rating"] for e in summary["ratings"]["entrants"]] == sorted(
        (e["rating"] for e in summary["ratings"]["entrants"]), reverse=True
    )
    ratings = summary["ratings"]
    assert (ratings["model"], ratings["reference"]) == (
        "Plackett-Luce with ties (Davidson-Luce)",
        "mean of all entrants",
    )
    assert sum(entrant["matches"] for entrant in ratings["entrants"]) > ratings["matches"] > 0
    other = summarise(make_layout(50, order=NAMES[::-1]), of(layout, 0, 50))
    assert other["strongest"] == {"name": "eve", "by": "the order given"}


def test_chances_add_up_to_one_for_each_place_and_each_entrant() -> None:
    layout = make_layout(50)
    summary = summarise(layout, of(layout, 0, 30))
    for leg in layout.legs:
        share = {
            (name, place): figure(summary, "places", leg.name, place, name)["value"]
            for name in NAMES
            for place in "12345"
        }
        for place in "12345":
            assert sum(share[name, place] for name in NAMES) == pytest.approx(1)
        for name in NAMES:
            assert sum(share[name, place] for place in "12345") == pytest.approx(1)
            assert figure(summary, "chances", leg.name, "win", name)["value"] == share[name, "1"]


def test_of_many_entrants_only_the_first_places_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("results.tournament.summary.MOST_PLACES", 12)
    layout = make_layout(50)
    summary = summarise(layout, of(layout, 0, 5))
    assert {f["figure"] for f in summary["figures"] if f["table"] == "places"} == {"1", "2"}


def test_the_same_sums_give_the_same_bytes_however_they_were_merged() -> None:
    layout = make_layout(50)
    a, b, c = (of(layout, first, 4) for first in (0, 4, 8))
    expected = json.dumps(summarise(layout, of(layout, 0, 12)), allow_nan=False)
    assert json.dumps(summarise(layout, merge(merge(c, a), b))) == expected
    assert json.dumps(summarise(layout, json.loads(json.dumps(merge(a, merge(b, c)))))) == expected


def test_many_tournaments_are_shown_as_tables() -> None:
    found = tables(four())
    assert [table.title for table in found] == [
        "Chances of winning",
        "Chances of places: cup",
        "Chances of places: league",
        "How often ann wins (the order given), and what it takes",
        "Differences between legs, same deals",
        f"Ratings above the mean of all entrants, {four()['ratings']['model']}",
    ]
    chances, places, _, power, differences, ratings = found
    assert (chances.columns, [row[0] for row in chances.rows]) == (("entrant", "cup", "league"), ["ann", "bob", "cat"])
    assert [cell.value for cell in chances.rows[0] if isinstance(cell, Figure)] == [0.625, 1]
    assert places.columns == ("entrant", "mean_place", "1", "2", "3")
    assert [cell.value for cell in places.rows[0] if isinstance(cell, Figure)] == [1.625, 0.625, 0.125, 0.25]
    assert power.columns == ("leg", "win", "mean_place", "games", "matches", "lots")
    assert [row[0] for row in power.rows] == ["cup", "league"]
    assert [row[0] for row in differences.rows] == ["cup - league"]
    assert {row[0] for row in ratings.rows} == {"ann", "bob", "cat"}


def test_one_leg_has_no_differences() -> None:
    layout = make_layout(4, LEGS[:1])
    titles = [table.title for table in tables(summarise(layout, of(layout, 0, 4)))]
    assert not [title for title in titles if title.startswith("Differences")]


def match(
    leg: str, number: int, place: int, *entrants: tuple[str, int, int], decided: str = "played"
) -> dict[str, Any]:
    """A match as the summary of a single tournament has it: names, places and points."""
    return {
        "leg": leg,
        "round": number,
        "match": place,
        "games": 0 if decided == "bye" else 1,
        "game": None if decided == "bye" else 100 * number + place,
        "decided": decided,
        "entrants": [
            {"name": name, "place": at, "points": points, "marks": 0, "wins": 0.0} for name, at, points in entrants
        ],
    }  # fmt: skip


def single(*matches: dict[str, Any], names: tuple[str, ...] = ("ann", "bob", "cat")) -> Summary:
    """As much of the summary of a single tournament as cross tables and lists of matches need; cat comes first."""
    standings = [{"leg": "league", "entrant": name, "rank": rank} for name, rank in zip(names, (2, 2, 1), strict=True)]
    return {"standings": standings, "matches": list(matches)}


def test_a_cross_table_is_read_by_row() -> None:
    found = cross_table(
        single(
            match("league", 1, 1, ("ann", 1, 9), ("bob", 2, 5)),
            match("league", 2, 1, ("bob", 1, 9), ("ann", 1, 9)),
            match("league", 3, 1, ("cat", 1, 9), ("ann", 2, 5)),
            match("cup", 1, 1, ("bob", 1, 9), ("cat", 2, 5)),
            match("league", 4, 1, ("ann", 1, 0), decided="bye"),
        ),
        "league",
    )
    assert found == Table(
        "Cross table: league",
        ("", "entrant", "1", "2", "3"),
        ((1, "cat", "–", "1", ""), (2, "ann", "0", "–", "1½"), (3, "bob", "", "0½", "–")),
    )


def test_a_cross_table_of_few_meetings_or_greater_tables_is_none() -> None:
    assert cross_table(single(match("league", 1, 1, ("ann", 1, 9), ("bob", 2, 5))), "league") is None
    three = match("league", 1, 1, ("ann", 1, 9), ("bob", 2, 5), ("cat", 3, 1))
    assert cross_table(single(three), "league") is None


def test_a_cross_table_that_is_too_wide_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    two = [match("league", n, 1, (a, 1, 9), (b, 2, 5)) for n, (a, b) in enumerate((("ann", "bob"), ("bob", "cat")))]
    assert cross_table(single(*two), "league") is not None
    monkeypatch.setattr(shown, "MOST_CROSSED", 2)
    assert cross_table(single(*two), "league") is None


def test_matches_are_listed_round_by_round() -> None:
    summary = single(
        match("league", 1, 1, ("ann", 1, 9), ("bob", 2, -5)),
        match("league", 1, 2, ("cat", 1, 0), decided="bye"),
        match("league", 2, 1, ("ann", 2, 7), ("cat", 1, 7), decided="lot"),
        match("league", 3, 1, ("ann", 1, 7), ("cat", 1, 7)),
    )
    assert match_table(summary, "league").rows == (
        ("1.1", "ann – bob", "9 – -5", "ann", 101),
        ("1.2", "cat", "", "cat (bye)", ""),
        ("2.1", "ann – cat", "7 – 7", "cat (by lot)", 201),
        ("3.1", "ann – cat", "7 – 7", "drawn", 301),
    )
    assert len(matches_of(summary, "league")) == 4


def test_matches_of_several_games_tell_who_won_how_many() -> None:
    series = {**match("league", 1, 1, ("ann", 1, 9), ("bob", 2, 1_500)), "games": 3}
    series["entrants"] = [{**one, "wins": wins} for one, wins in zip(series["entrants"], (1.5, 0.5), strict=True)]
    table = match_table(single(series), "league")
    assert table.columns == ("match", "entrants", "points", "games_won", "winner", "first_game")
    assert table.rows == (("1.1", "ann – bob", "9 – 1,500", "1.5 – 0.5", "ann", 101),)


def test_matches_at_larger_tables_have_a_row_an_entrant() -> None:
    summary = single(match("league", 4, 1, ("cat", 3, 7), ("ann", 1, 7), ("bob", 2, 1)))
    table = match_table(summary, "league")
    assert table.columns == ("match", "place", "entrant", "wins", "points", "first_game")
    assert [row[:3] for row in table.rows] == [("4.1", 1, "ann"), ("4.1", 2, "bob"), ("4.1", 3, "cat")]


def test_a_single_tournament_has_standings_and_matches_and_no_chances() -> None:
    layout = make_layout(1)
    cells = make_cells(layout, 0, 1)
    summary = summarise(layout, of(layout, 0, 1))
    assert len(summary["standings"]) == 15
    row = cells["standings"][6].tolist()
    assert summary["standings"][6] == {
        "leg": "tables",
        "entrant": "bob",
        "rank": row[3],
        "matches": row[4],
        "games": row[5],
        "won": row[6],
        "league_points": row[7] / 10080,
        "points": row[8],
        "marks": row[9],
        "wins": row[10] / 2520,
        "buchholz": row[11] / 4,
    }
    assert {f["table"] for f in summary["figures"]} == {"power"}
    games = figure(summary, "power", "league", "games")
    assert (games["value"], games["low"], games["note"]) == (
        int((cells["played"][:, 2] == 0).sum()),
        None,
        "one tournament: no interval",
    )
    of_leg = matches_of(summary, "knockout, shifted")
    assert [(m["round"], m["match"]) for m in of_leg] == [(1, 1), (1, 2), (2, 1)]
    first = cells["matches"][(cells["matches"][:, 1] == 2) & (cells["matches"][:, 2] == 1)][0].tolist()
    of_first = (cells["played"][:, 2] == 2) & (cells["played"][:, 3] == 1) & (cells["played"][:, 4] == 1)
    assert of_leg[0]["game"] == int(cells["played"][of_first, 0].min())
    assert of_leg[0]["entrants"][0] == {
        "name": NAMES[first[5]],
        "place": first[6],
        "points": first[7],
        "marks": first[8],
        "wins": first[9] / 2520,
    }
    assert [table.title for table in tables(summary)] == [
        "Standings: league",
        "Cross table: league",
        "Standings: tables",
        "Matches: tables",
        "Standings: knockout, shifted",
        "Matches: knockout, shifted",
        "What it took",
        "Ratings above the mean of all entrants, Plackett-Luce with ties (Davidson-Luce)",
    ]
    standings = tables(summary)[0]
    assert standings.columns[:2] == ("entrant", "matches")
    ranks = [int(str(row[0]).split()[0]) for row in standings.rows]
    assert ranks == sorted(row[3] for row in cells["standings"][:5].tolist())


def test_columns_that_say_nothing_are_not_shown() -> None:
    layout = make_layout(1, LEGS[:1])
    summary = summarise(layout, of(layout, 0, 1))
    for row in summary["standings"]:
        row["marks"] = 0
    assert "marks" not in tables(summary)[0].columns
    assert "points" in tables(summary)[0].columns


def test_matches_of_a_large_tournament_are_left_to_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "LISTED_MATCHES", 16)
    layout = make_layout(1)
    summary = summarise(layout, of(layout, 0, 1))
    assert summary["matches"] is None
    assert [table.title.split(":")[0] for table in tables(summary)][:3] == ["Standings"] * 3
