import json
from typing import Any

import numpy as np
import pytest

from results.schema import Layout
from results.summary import Figure, Summary, summarise, tables
from results.sums import merge, part_sums
from tests.results.made import ENDING, GAME_COLUMNS, make_cells, make_layout

LAYOUT = make_layout()


def figure(summary: Summary, table: str, name: str, group: str = "") -> dict[str, Any]:
    (found,) = (f for f in summary["figures"] if (f["table"], f["group"], f["figure"]) == (table, group, name))
    return dict(found)


def duel() -> tuple[Layout, Summary]:
    """Two deals of two games: ann wins game 0 from seat 0, bob game 1 from seat 0, ann games 2 and 3.

    Seat 0 moves first in games 0 and 1, seat 1 in games 2 and 3; scores are 3 for the winner and 7 for the
    loser.
    """
    layout = make_layout(("ann", "bob"), (1, 1), rotations=2)
    games, seats, rounds = make_cells(layout, 0, 2)
    seats = seats.reshape(4, 2, -1)
    seats[:, :, layout.index("seats", "entrant")] = [[0, 1], [1, 0], [0, 1], [1, 0]]
    is_winner = np.array([[1, 0], [1, 0], [1, 0], [0, 1]])
    seats[:, :, layout.index("seats", "win_share")] = 2520 * is_winner
    seats[:, :, layout.index("seats", "score")] = 7 - 4 * is_winner
    games[:, layout.index("games", "first_seat")] = [0, 0, 1, 1]
    games[:, layout.index("games", "turns")] = [10, 20, 30, 60]
    games[:, layout.index("games", "heat")] = [4, 8, 12, 16]
    games[:, layout.index("games", "status")] = [0, 0, 0, 1]
    return layout, summarise(layout, part_sums(layout, games, seats.reshape(8, -1), rounds), "who")


def test_counts_and_identity_are_there() -> None:
    layout, summary = duel()
    assert summary["identity"] == "who"
    assert (summary["deals"], summary["games"], summary["capped"]) == (2, 4, 1)
    assert summary["entrants"] == [{"name": "ann", "seats": 1}, {"name": "bob", "seats": 1}]
    assert len(summary["content_hash"]) == 32
    assert summary["game"] == layout.game


def test_figures_of_games_by_hand() -> None:
    summary = duel()[1]
    # Deal means are 15 and 45: mean 30, standard error 15, times 12.706205 for one degree of freedom.
    turns = figure(summary, "games", "turns")
    assert (turns["value"], turns["unit"]) == (30, "turns")
    assert turns["high"] == pytest.approx(30 + 15 * 12.706205, abs=1e-4)
    assert figure(summary, "games", "heat")["value"] == (4 + 8 + 12 + 16) / 4 / 8
    assert (figure(summary, "games", "capped")["value"], figure(summary, "games", "capped")["unit"]) == (
        0.25,
        "share",
    )
    assert figure(summary, "games", "knock_success")["unit"] == "share"


def test_the_share_of_each_label_is_one_over_deals() -> None:
    layout = make_layout(("ann", "bob"), (1, 1), rotations=2, game_columns=(*GAME_COLUMNS, ENDING))
    games, seats, rounds = make_cells(layout, 0, 2)
    games[:, layout.index("games", "ending")] = [0, 0, 1, 2]
    sums = part_sums(layout, games, seats, rounds)
    # Both games of deal 0 end one way: x_0 = 2, x_1 = 0; the others have one game of deal 1 each.
    assert [sums["game_columns"][f"ending={label}"] for label in ("none", "facedown", "stock")] == [
        [2, 4],
        [1, 1],
        [1, 1],
    ]
    summary = summarise(layout, sums)
    none, facedown = (figure(summary, "games", "ending", label) for label in ("none", "facedown"))
    assert (none["value"], facedown["value"], none["unit"]) == (0.5, 0.25, "share")
    # The deals' shares are 1 and 0: their mean has the variance 1/4, so it is worth n = 1/4 / (1/4) = 1 observation.
    # Wilson's interval of 1/2 is then 1/2 +- q / (2 sqrt(1 + q²)) with q = 12.706205.
    assert (none["low"], none["high"]) == pytest.approx((0.5 - 0.498459, 0.5 + 0.498459), abs=1e-6)
    shown = [row[0] for row in tables(summary)[0].rows]
    assert [name for name in shown if "ending" in str(name)] == ["ending: none", "ending: facedown", "ending: stock"]


def test_figures_of_entrants_and_places_by_hand() -> None:
    summary = duel()[1]
    # ann wins 3 of her 4 games: deal 0 one of two, deal 1 both.
    assert figure(summary, "entrants", "win_share", "ann")["value"] == 0.75
    assert figure(summary, "entrants", "won_alone", "bob")["value"] == 0.25
    assert figure(summary, "entrants", "won_shared", "bob")["value"] == 0
    assert figure(summary, "entrants", "score", "ann")["value"] == (3 + 7 + 3 + 3) / 4
    # Who moves first wins games 0, 1 and 3 (seat 1 moves first there and wins), not game 2.
    assert figure(summary, "turn_order", "win_share", "1")["value"] == 0.75
    assert figure(summary, "turn_order", "win_share", "2")["value"] == 0.25


def test_differences_between_entrants_are_paired_by_deal() -> None:
    # ann's share less bob's is 0 in deal 0 and 1 in deal 1: mean 0.5, standard error 0.5.
    difference = figure(duel()[1], "differences", "win_share", "ann - bob")
    assert difference["value"] == 0.5
    assert difference["high"] == pytest.approx(0.5 + 0.5 * 12.706205, abs=1e-5)


def test_entrants_with_several_seats_are_given_per_seat() -> None:
    layout = make_layout(("ann", "bob"), (1, 3))
    summary = summarise(layout, part_sums(layout, *make_cells(layout, 0, 50)))
    ann, bob = (figure(summary, "entrants", "win_share", name)["value"] for name in ("ann", "bob"))
    assert ann + 3 * bob == pytest.approx(1)
    difference = figure(summary, "differences", "win_share", "ann - bob")["value"]
    assert difference == pytest.approx(ann - bob)


def test_equal_seats_of_one_entrant_have_no_differences() -> None:
    layout = make_layout(("ann",), (4,), rotations=4)
    summary = summarise(layout, part_sums(layout, *make_cells(layout, 0, 5, [1] * 5)))
    assert figure(summary, "entrants", "win_share", "ann")["value"] == 0.25
    assert not [f for f in summary["figures"] if f["table"] == "differences"]


def test_one_deal_gives_means_without_interval_and_says_why() -> None:
    summary = summarise(LAYOUT, part_sums(LAYOUT, *make_cells(LAYOUT, 0, 1)))
    turns = figure(summary, "games", "turns")
    assert (turns["low"], turns["high"]) == (None, None)
    assert "one deal" in turns["note"]
    share = figure(summary, "entrants", "win_share", "ann")
    assert (share["low"], share["high"]) == (0, 1)


def test_quantiles_and_bins_by_hand() -> None:
    layout = make_layout(distributions=(("games", "turns"),))
    games, seats, rounds = make_cells(layout, 0, 5)
    # 1 .. 20: half of them do not exceed 10, a twentieth does not exceed 1, 95 % do not exceed 19.
    games[:, layout.index("games", "turns")] = np.arange(20, 0, -1)
    (found,) = summarise(layout, part_sums(layout, games, seats, rounds))["distributions"]
    assert found["quantiles"] == {"0": 1, "5": 1, "25": 5, "50": 10, "75": 15, "95": 19, "100": 20}
    assert found["unit"] == "turns"
    assert found["histogram"] == [{"from": v, "below": v + 1, "share": 0.05} for v in range(1, 21)]
    # 1 .. 21 do not fit into twenty bins of 1, so the bins are 0-1, 2-3, … 20-21.
    games[0, layout.index("games", "turns")] = 21
    (found,) = summarise(layout, part_sums(layout, games, seats, rounds))["distributions"]
    assert [(b["from"], b["below"]) for b in found["histogram"]] == [(v, v + 2) for v in range(0, 22, 2)]


@pytest.mark.parametrize("scale", [1, 10**3, 10**9, 2**58])
def test_there_are_at_most_twenty_bins_and_they_hold_everything(scale: int) -> None:
    layout = make_layout(distributions=(("games", "drift"), ("games", "heat")))
    games, seats, rounds = make_cells(layout, 0, 50)
    drift = np.random.default_rng(2).integers(-20, 20, 200) * scale
    games[:, layout.index("games", "drift")] = drift
    wide, heat = summarise(layout, part_sums(layout, games, seats, rounds))["distributions"]
    assert 1 <= len(wide["histogram"]) <= 20
    assert sum(b["share"] for b in wide["histogram"]) == pytest.approx(1)
    assert (wide["quantiles"]["0"], wide["quantiles"]["100"]) == (drift.min(), drift.max())
    assert heat["quantiles"]["100"] == games[:, layout.index("games", "heat")].max() / 8


def test_the_same_sums_give_the_same_bytes_however_they_were_merged() -> None:
    whole = part_sums(LAYOUT, *make_cells(LAYOUT, 0, 12))
    a, b, c = (part_sums(LAYOUT, *make_cells(LAYOUT, first, 4)) for first in (0, 4, 8))
    expected = json.dumps(summarise(LAYOUT, whole), allow_nan=False)
    assert json.dumps(summarise(LAYOUT, merge(merge(c, a), b))) == expected
    assert json.dumps(summarise(LAYOUT, json.loads(json.dumps(whole)))) == expected


def test_tables_hold_every_figure_once() -> None:
    summary = summarise(LAYOUT, part_sums(LAYOUT, *make_cells(LAYOUT, 0, 12)))
    shown = tables(summary)
    assert [table.title for table in shown] == [
        "Games",
        "Entrants, per game and seat",
        "Places in turn order",
        "Differences between entrants, same deals",
        "Distributions",
    ]
    cells = [cell for table in shown for row in table.rows for cell in row if isinstance(cell, Figure)]
    kept = [Figure(f["value"], f["low"], f["high"], f["unit"], f["note"]) for f in summary["figures"]]
    assert sorted(cells, key=repr) == sorted(kept, key=repr)
    for table in shown:
        assert all(len(row) == len(table.columns) for row in table.rows)
