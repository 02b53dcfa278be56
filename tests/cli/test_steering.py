"""Listing, watching, cancelling and resuming runs while nothing is up to play them."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cli.picture import hindrances, line_of, picture_of
from cli.tables import terminal
from cli.times import moment_words, span_words
from results.store import Run
from tests.cli.conftest import Fourfold

NOTHING_UP = (
    "fourfold: Nothing is up on this machine to play it: start fourfold up in another terminal, or add --wait.\n"
)


pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.fixture
def evening(fourfold: Fourfold, elsewhere: Path) -> Run:
    """A finished run of 3 parts among the runs."""
    assert fourfold("run", "vierer", "--deals", "20", "--part", "8", "--out", "runs/evening").status == 0
    return Run.open("runs/evening")


@pytest.fixture
def half(evening: Run) -> Run:
    """A run that has stopped after 2 of its 3 parts."""
    (Path(evening.location) / "summary.json").unlink()
    (Path(evening.location) / "sums/00002.json").unlink()
    return evening


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_without_runs_that_is_said(fourfold: Fourfold, elsewhere: Path) -> None:
    assert fourfold("runs").out == f"There are no runs in {elsewhere}/runs. Make one: fourfold run vierer\n"
    assert json.loads(fourfold("runs", "--json").out) == []


def test_runs_are_listed_with_their_states_and_what_cannot_be_read(fourfold: Fourfold, half: Run) -> None:
    assert fourfold("run", "vierer", "--deals", "4", "--out", "runs/night").status == 0
    damaged = Path("runs/dusk")
    damaged.mkdir()
    (damaged / "job.json").write_text("{")
    said = fourfold("runs")
    assert (said.status, said.err) == (0, "")
    rows = [line.split() for line in said.out.splitlines()]
    assert ["evening", "stopped", "2/3", "20", "deals", "vierer"] in [row[:6] for row in rows]
    assert ["night", "done", "1/1", "4", "deals", "vierer"] in [row[:6] for row in rows]
    assert any(line.startswith("dusk: ") for line in said.out.splitlines())
    found = json.loads(fourfold("runs", "--json").out)
    assert [(row["run"], row["state"]) for row in found] == [
        ("dusk", "damaged"),
        ("evening", "stopped"),
        ("night", "done"),
    ]


def test_a_run_without_a_plan_says_so(fourfold: Fourfold, evening: Run) -> None:
    (Path(evening.location) / "plan.json").unlink()
    assert "evening: The run in " in fourfold("runs").out
    said = fourfold("show", "evening")
    assert (said.status, said.out) == (1, "")
    assert "has no plan.json yet: what began it is at that now, or was stopped." in said.err


def test_with_a_broker_out_of_reach_runs_are_listed_all_the_same(
    fourfold: Fourfold, half: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOURFOLD_BROKER", "redis://:geheim@127.0.0.1:1")  # port 1 is nobody's
    said = fourfold("runs", "--json")
    assert (said.status, json.loads(said.out)[0]["state"]) == (3, "stopped")
    assert said.err.startswith("The broker redis://***@127.0.0.1:1 is out of reach")
    assert said.err.endswith("What is on its queue is listed as stopped.\n")
    assert "geheim" not in said.err


# ── watch ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_watching_a_finished_run_prints_its_figures(fourfold: Fourfold, evening: Run) -> None:
    said = fourfold("watch", "evening")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("evening: done, 3 of 3 parts done\nevening: vierer, 4 seats, 20 deals, 80 games\n")
    assert said.out.endswith("One game step by step: fourfold replay evening --game 0\n")


def test_watching_a_run_that_nobody_plays_ends_at_once(fourfold: Fourfold, half: Run) -> None:
    said = fourfold("watch", "./runs/evening")
    assert (said.status, said.out) == (1, "evening: stopped, 2 of 3 parts done\n")
    assert said.err == (
        "fourfold: Run evening has stopped, 2 of 3 parts done: it is on no queue.\n"
        "Go on with: fourfold resume evening\n"
    )


def test_a_run_that_is_played_here_is_playing(fourfold: Fourfold, half: Run) -> None:
    with half.held():
        assert "playing" in fourfold("runs").out
        assert "is being played by fourfold run" in fourfold("show", "evening").err
        assert fourfold("watch", "evening", "--once").out == "evening: playing, 2 of 3 parts done\n"
    assert "stopped" in fourfold("runs").out


def test_one_look_is_one_object(fourfold: Fourfold, half: Run) -> None:
    said = fourfold("watch", "evening", "--once", "--json")
    known = json.loads(said.out)
    assert (said.status, said.err) == (0, "")
    # Parts of 8 deals: two of them are 16 of the 20 deals.
    assert {key: known[key] for key in ("run", "state", "parts", "parts_done", "unit", "units", "units_done")} == {
        "run": "evening",
        "state": "stopped",
        "parts": 3,
        "parts_done": 2,
        "unit": "deals",
        "units": 20,
        "units_done": 16,
    }


def test_a_failed_run_says_why_and_what_to_type(fourfold: Fourfold, half: Run) -> None:
    half.record_failure(2, {"message": "Bot 'x' failed in game 70.\nReplay it: fourfold replay evening --game 70"})
    watched, shown = fourfold("watch", "evening"), fourfold("show", "evening")
    assert (watched.status, shown.status) == (1, 1)
    assert watched.err == "fourfold: Bot 'x' failed in game 70.\nReplay it: fourfold replay evening --game 70\n"
    assert shown.err.startswith("fourfold: Run evening has failed, 2 of 3 parts done: Bot 'x' failed in game 70.")
    assert shown.err.endswith("submit the job anew. Where the machine was at fault: fourfold resume evening\n")
    cancelled = fourfold("cancel", "evening")
    assert (cancelled.status, cancelled.out.split(",")[0]) == (0, "Run evening has failed")


QUEUED: dict[str, Any] = {
    "run": "evening",
    "state": "queued",
    "parts": 3000,
    "parts_done": 1200,
    "games": 120000,
    "unit": "deals",
    "units": 30000,
    "units_done": 12000,
    "parts_queued": 8,
    "parts_overdue": 2,
    "attempts": {"1201": 1, "1202": 3},
    "units_per_s": 150.0,
    "left_s": 120.0,
    "is_summing": False,
    "steward": {"name": "here-7-a", "age_s": 0.4},
    "workers": [
        {"name": "here-8", "version": "0.1.0", "active": 1, "processes": 2, "load": 1.25, "age_s": 3.0},
        {"name": "\x1b[31mred", "age_s": 59.0},
    ],
    "notes": {"there": "No run\x1b is seen."},
    "refused_messages": 1,
    "failures": [],
}


@pytest.mark.parametrize("width", ["80", "120"])
def test_the_picture_says_all_that_is_known(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    terminal().print(picture_of(QUEUED))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "evening: queued"
    assert lines[2:6] == [
        "parts    1,200 of 3,000 done, 8 queued or in play, 2 overdue so far",
        # Four games a deal; 18,000 deals at 150 a second are two minutes.
        "games    48,000 of 120,000 done, 600 a second, 0:02:00 left",
        "at hand  parts 1201, 1202 (attempt 3)",
        "steward  here-7-a, seen 0 s ago",
    ]
    said = " ".join(" ".join(lines).split())
    assert "worker here-8, version 0.1.0, 1 of 2 processes busy, load 1.2, seen 3 s ago" in said
    assert "worker \\x1b[31mred, version ?, ? of ? processes busy, load ?, seen 59 s ago" in said
    assert "note there: No run\\x1b is seen." in said
    assert max(map(len, lines)) <= int(width)


def test_a_line_says_how_a_run_stands() -> None:
    assert line_of(QUEUED) == "evening: queued, 1,200 of 3,000 parts done, 2 overdue, 600 games/s, 0:02:00 left"


def test_it_is_said_that_nobody_plays() -> None:
    alone = QUEUED | {"workers": [], "steward": None, "notes": {}, "refused_messages": 0}
    assert hindrances(alone) == [
        "No worker is there: start fourfold up here, or fourfold worker.",
        "No steward is there.",
    ]


def test_times_are_read_at_a_glance() -> None:
    assert [span_words(seconds) for seconds in (-1, 0.9, 59, 60, 7199, 7200, 86400, 200000)] == [
        "0 s",
        "0 s",
        "59 s",
        "1 min",
        "1 h",
        "2 h",
        "1 day",
        "2 days",
    ]
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC).astimezone()
    assert moment_words(now.replace(hour=9, minute=5), now) == "09:05"
    assert moment_words(now.replace(hour=9, minute=5) - timedelta(days=2), now) == "28 Nov 09:05"
    assert moment_words(now.replace(year=2025), now) == "2025-11-30"


# ── cancel and resume ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("word", ["evening", "runs/evening", "./runs/evening/"])
def test_a_run_is_cancelled_by_name_or_path_and_twice_is_no_fault(fourfold: Fourfold, half: Run, word: str) -> None:
    for _ in range(2):
        said = fourfold("cancel", word)
        assert (said.status, said.err) == (0, "")
        assert said.out == (
            "Run evening is cancelled, 2 of 3 parts done.\nGo on with: fourfold resume evening\n"
            "Parts at hand may still end.\n"
        )
    assert half.is_cancelled
    assert json.loads(fourfold("cancel", word, "--json").out)["state"] == "cancelled"
    assert fourfold("watch", word).err == (
        "fourfold: Run evening is cancelled; what is done stays.\nGo on with: fourfold resume evening\n"
    )


def test_a_finished_run_is_not_cancelled(fourfold: Fourfold, evening: Run) -> None:
    said = fourfold("cancel", "evening")
    assert (said.status, said.out) == (0, "Run evening is done already; nothing is cancelled.\n")
    assert not evening.is_cancelled


def test_a_finished_run_is_not_resumed(fourfold: Fourfold, evening: Run) -> None:
    said = fourfold("resume", "evening")
    assert (said.status, said.err) == (0, "")
    assert said.out == "Run evening is done and undamaged. Its figures: fourfold show evening\n"
    assert json.loads(fourfold("resume", "evening", "--json").out)["state"] == "done"
    waited = fourfold("resume", "evening", "--wait")
    assert waited.status == 0
    assert "The run was complete already; nothing was played.\n" in waited.out


def test_nothing_is_resumed_with_nothing_up(fourfold: Fourfold, half: Run) -> None:
    half.cancel()
    said = fourfold("resume", "evening")
    assert (said.status, said.out, said.err) == (3, "", NOTHING_UP)
    assert half.is_cancelled


@pytest.mark.parametrize("damage", ["gone", "changed"])
def test_a_summary_that_is_gone_or_damaged_is_written_again(fourfold: Fourfold, evening: Run, damage: str) -> None:
    file = Path(evening.location) / "summary.json"
    whole = file.read_bytes()
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(whole[:-9])
    evening.cancel()
    assert fourfold("resume", "evening").status == 0
    assert file.read_bytes() == whole
    assert not evening.is_cancelled


def test_with_nothing_up_a_finished_run_that_lost_a_part_is_left_as_it_is(fourfold: Fourfold, evening: Run) -> None:
    (Path(evening.location) / "sums/00001.json").unlink()
    said = fourfold("resume", "evening")
    assert (said.status, said.err, evening.is_complete) == (3, NOTHING_UP, True)


def test_what_a_finished_run_has_lost_is_played_again(fourfold: Fourfold, evening: Run) -> None:
    gone, changed = (Path(evening.location) / name for name in ("sums/00001.json", "games/00002.parquet"))
    whole = gone.read_bytes(), changed.read_bytes()
    gone.unlink()
    changed.write_bytes(whole[1][:-9])
    said = fourfold("resume", "evening", "--wait", "--workers", "1")
    assert (said.status, (gone.read_bytes(), changed.read_bytes())) == (0, whole)
    assert "games/00002.parquet: " in said.err
    assert "It is played again" in said.err
    assert said.out.endswith("One game step by step: fourfold replay evening --game 0\n")
    assert fourfold("verify", "evening", "--sample", "1").status == 0


def test_a_part_that_a_finished_run_has_lost_is_told(fourfold: Fourfold, evening: Run) -> None:
    (Path(evening.location) / "sums/00001.json").unlink()
    said = fourfold("run", "vierer", "--deals", "20", "--out", "runs/evening")
    assert (said.status, said.err) == (0, "Part 1 of evening is gone. It is played again.\n")
