"""Runs of tournaments: the same cells for any parts and any way of playing them; verified, replayed, refused."""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from results.plan import STANDINGS
from results.store import Run
from results.tournament.layout import COMMON_COLUMNS, DECIDED_LABELS
from sim.contract import load_game
from sim.errors import BotFailed, Refused, SpecError
from sim.job import Entrant
from sim.play import Session, transcript_of
from sim.tournament.job import NamedFormat, Tournament, Variant, make_tournament
from sim.tournament.match import DECIDED
from sim.tournament.play import OWN_TABLES
from tests.tiny import RELAY
from tests.workers.kills import Kills
from workers.play import contest as contests
from workers.play import parts
from workers.play import tournaments as runs_of_tournaments
from workers.play.contest import Contest
from workers.play.here import play_here
from workers.play.kinds import contest_of
from workers.play.replay import transcript
from workers.play.runs import create_run
from workers.play.tournaments import TournamentContest
from workers.play.verify import verify
from workers.play.watch import Watch
from workers.service.queue import submit_and_wait

tiny = pytest.mark.usefixtures("tiny_games")

BOTS = ["random", "runner", "random", "random", "runner", "random", "random"]
DOUBLE = NamedFormat("double_elimination", "double", {"best_of": 3})
FORMATS: list[NamedFormat | str] = ["championship", "swiss", DOUBLE]


def relay(
    formats: Sequence[NamedFormat | str] = tuple(FORMATS), bots: Sequence[str] = BOTS, **given: Any
) -> Tournament:
    """A tournament of relays, under two sets of rules."""
    entrants = [Entrant(name, f"{name} {number}") for number, name in enumerate(bots)]
    variants = [Variant("fair"), Variant("safe", {"chance": 1.0, "legs": 2})]
    return make_tournament(RELAY, entrants=entrants, formats=formats, variants=variants, **{"deals": 2, **given})


def made(tournament: Tournament, place: Path, part: int, **given: Any) -> tuple[Run, Contest]:
    return create_run(tournament, {}, out=place, part=part, **given)


def played(tournament: Tournament, place: Path, part: int, **given: Any) -> Run:
    """A finished run, played in two threads."""
    run, contest = made(tournament, place, part, **given)
    play_here(run, contest, threads=2)
    return run


# ── The same cells ───────────────────────────────────────────────────────────────────────────────────────────────────


@tiny
def test_parts_and_detail_change_nothing(tmp_path: Path) -> None:
    many = relay(repeats=7)
    expected = played(many, tmp_path / "whole", 7).summary()
    assert expected["repeats"] == 7
    for part in (1, 3):
        assert played(many, tmp_path / str(part), part).summary() == expected
    assert played(many, tmp_path / "sums", 2, detail="summary").summary() == expected


@tiny
@pytest.mark.parametrize("part", [1, 2, 3])
def test_a_single_tournament_that_is_spread_has_the_cells_of_a_whole_one(tmp_path: Path, part: int) -> None:
    one = relay()
    whole, spread = played(one, tmp_path / "whole", 10**6), played(one, tmp_path / "spread", part)
    assert (whole.unit, whole.parts) == ("tournaments", 1)
    assert (spread.unit, spread.units, spread.parts > 10) == ("matches", sum(spread.plan["rounds"]), True)
    assert spread.summary() == whole.summary()
    for table in whole.layout.tables:
        rows = np.concatenate([spread.read_table(table, each) for each in range(spread.parts)])
        columns = ["repeat", "leg", "entrant"] if table == "standings" else []
        columns = ["leg", "round", "match", "seat"] if table == "matches" else columns or ["game"]
        names = [column.name for column in whole.layout.columns(table)]
        order = np.lexsort([rows[:, names.index(name)] for name in columns[::-1]])
        assert np.array_equal(rows[order], whole.read_table(table, 0)), table


@tiny
def test_slices_of_a_part_have_the_cells_of_the_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contests, "SLICE_S", 0.0)  # One by one.
    for name, tournament, part in (("many", relay(repeats=5), 5), ("one", relay(), 3)):
        run = played(tournament, tmp_path / name, part)
        playing = contest_of(tournament, {}).playing()
        for each in range(run.parts):
            looks: list[int] = []
            found = playing.cells(run, run.part_span(each), lambda looks=looks: bool(looks.append(1)))  # type: ignore[misc]
            for table, rows in zip(run.layout.all_tables, run.read_part(each), strict=True):
                assert np.array_equal(found[table], rows), (name, each, table)
            assert len(looks) == (0 if run.part_span(each).unit == STANDINGS else run.part_span(each).count)


@tiny
def test_a_later_round_is_refused_before_the_earlier_ones_and_after_one_is_spoilt(tmp_path: Path) -> None:
    expected = played(relay(), tmp_path / "whole", 10**6).summary()
    run, _ = made(relay(), tmp_path / "run", 2)
    widths = run.plan["rounds"]
    later = -(-widths[0] // 2)
    assert run.needs(later) == range(later)
    with pytest.raises(Refused, match=r"of round 2 cannot be played yet: part 0 of run is not there\."):
        parts.play(run.location, later)
    assert (run.committed(), run.failures()) == (set(), {})
    for part in range(later):
        parts.play(run.location, part)
    file = Path(run.location) / "matches" / "00001.parquet"
    file.write_bytes(file.read_bytes()[:-1])
    parts._playing.cache_clear()  # A worker that has read it knows it.
    with pytest.raises(Refused, match=r"of round 2 cannot be played yet: matches/00001.parquet: .* is played again"):
        parts.play(run.location, later)
    assert run.committed() == set(range(later)) - {1}
    for part in (1, *range(later, run.parts)):
        parts.play(run.location, part)
    assert run.write_summary() == expected


@pytest.mark.parametrize(("repeats", "deals", "part"), [(1, 40, 2), (60, 1, 3)])
def test_tournaments_on_the_queue_through_kills_are_those_played_here(
    tmp_path: Path, repeats: int, deals: int, part: int
) -> None:
    entrants = [Entrant("careful", f"careful {number}", {"memory": 2 + number}) for number in range(12)]
    job = make_tournament(
        load_game("vierer"),
        entrants=entrants,
        formats=["swiss", "double_elimination"],
        repeats=repeats,
        deals=deals,
        seed=3,
    )
    expected = played(job, tmp_path / "here", 10**6).summary()
    queued, contest = made(job, tmp_path / "queued", part)
    kill = Kills(queued, [2, 6, 10])
    summary = submit_and_wait(queued, contest, workers=2, on_progress=kill)
    assert kill.done == ["child", "steward", "main"]
    assert summary == expected
    assert [queued.damage(part) for part in range(queued.parts)] == [None] * queued.parts


# ── Parts ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@tiny
def test_the_size_of_a_part_is_measured() -> None:
    many, one = contest_of(relay(repeats=10**6), {}), contest_of(relay(), {})
    assert many.playing().speed(0.01) > 0
    assert many.chosen(200.0, 2) == 200
    # Of seven entrants a knockout has 6 matches and one for third place, Swiss 3 rounds of 3, and all but the winner of
    # a double elimination lose twice, who may lose once: 13. Two variants, two deals, two rotations; 65,536 games.
    assert many.chosen(3000.0, 2) == 65_536 // (2 * (7 + 9 + 13) * 2 * 2)
    assert contest_of(relay(repeats=400), {}).chosen(3000.0, 2) == 50  # as many as crumbs; 400 / 16 are 25
    widths = one.plan(1, "full")["rounds"]
    assert one.chosen(sum(widths) / 2, 2) == one.units == sum(widths)
    assert one.chosen(sum(widths) / 2 - 1, 2) == min(sum(widths) // 2 - 1, -(-max(widths) // 2))
    assert one.chosen(0.1, 2) == 1


@tiny
def test_tournaments_that_take_too_long_for_a_part_of_the_queue_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs_of_tournaments.TournamentPlaying, "speed", lambda *_: 0.01)
    message = r"^A part of 1 tournaments would take about 100 s here; .* 30 s: hold a tournament once \(--repeats 1\)"
    with pytest.raises(SpecError, match=message):
        create_run(relay(repeats=2), {}, out=tmp_path / "run", longest_part=30.0)
    with pytest.raises(
        SpecError, match=r"^A part of \d+ matches would take .* with --detail full, so that its matches"
    ):
        create_run(relay(), {}, out=tmp_path / "run", detail="summary", longest_part=30.0)
    assert not (tmp_path / "run").exists()
    monkeypatch.setattr(runs_of_tournaments.TournamentPlaying, "speed", lambda *_: 2.0)
    run, _ = create_run(relay(), {}, out=tmp_path / "run", longest_part=30.0)
    assert run.plan["part_matches"] == 4  # Three seconds would be six; the widest round has eight, for one thread each.


@tiny
def test_planning_is_no_game_that_takes_too_long() -> None:
    playing = contest_of(relay(repeats=3), {}).playing()
    # Not a moment is allowed, and it looks when it is told to.
    watch = Watch(-1.0, lambda *_: None)
    watch.begin(playing)
    assert watch._late() == []
    playing.player.play(0, 2)
    assert watch._late() == watch._late() == []
    playing.progress[0] = 5
    assert watch._late() == []  # It has just begun.
    assert [game for _, game, _ in watch._late()] == [5]


# ── Verifying and replaying ──────────────────────────────────────────────────────────────────────────────────────────


@tiny
@pytest.mark.parametrize(("repeats", "part"), [(6, 4), (1, 10**6), (1, 2)])
def test_verify_plays_some_of_each_part_again(tmp_path: Path, repeats: int, part: int) -> None:
    run = played(relay(repeats=repeats), tmp_path / "run", part)
    for sample in (0.01, 0.4, 1.0):
        found = verify(run, sample=sample)
        assert (found.faults, found.checked_parts) == ([], run.parts)
        assert found.checked_games > 0
    everything = sum(len(run.read_table("games", each)) for each in range(run.parts))
    assert found.checked_games == everything


@tiny
@pytest.mark.parametrize("table", ["games", "rounds"])
@pytest.mark.parametrize("part", [10**6, 2])
def test_verify_finds_a_cell_that_was_not_played(tmp_path: Path, table: str, part: int) -> None:
    run, contest = made(relay(), tmp_path / "run", part)
    playing = contest.playing()
    for each in range(run.parts):
        tables = playing.cells(run, run.part_span(each))
        if each == 0:
            # The number of decisions and a gain are what no other table knows.
            names = [column.name for column in run.layout.columns(table)]
            tables[table][5, names.index({"games": "decisions", "rounds": "gain"}[table])] += 40
        run.write_part(each, *tables.values())
    run.write_summary()
    assert [run.damage(each) for each in range(run.parts)] == [None] * run.parts
    (fault,) = verify(run, sample=1).faults
    assert fault.startswith("Part 0: game ")
    assert f" of {table} holds " in fault


@tiny
def test_verify_leaves_a_damaged_round_as_it_is_and_says_what_rests_on_it(tmp_path: Path) -> None:
    run = played(relay(), tmp_path / "run", 3)
    file = Path(run.location) / "matches" / "00001.parquet"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    before = {path: path.read_bytes() for path in Path(run.location).rglob("*") if path.is_file()}
    first, second = verify(run, sample=1).faults
    assert first.startswith("matches/00001.parquet: ")
    rest = sum(1 in run.needs(part) for part in range(run.parts))
    assert second.startswith(f"{rest} further parts cannot be checked, for they build on ")
    assert {path: path.read_bytes() for path in Path(run.location).rglob("*") if path.is_file()} == before


@tiny
@pytest.mark.parametrize(("part", "detail"), [(10**6, "full"), (2, "full"), (10**6, "summary")])
def test_every_game_can_be_replayed(tmp_path: Path, part: int, detail: str) -> None:
    tournament = relay(["championship", NamedFormat("knockout", "best of three", {"best_of": 3})])
    told, run = played(tournament, tmp_path / "told", 10**6), played(tournament, tmp_path / "run", part, detail=detail)
    contest = contest_of(tournament, {})
    seats = told.read_table("seats", 0)
    scores = [column.name for column in told.layout.columns("seats")].index("score")
    numbers = told.read_table("games", 0)[:, 0]
    for number in numbers[:: max(1, len(numbers) // 30)]:
        found = transcript(run, int(number))
        of_game = seats[seats[:, 0] == number]
        assert found["entrants"] == [tournament.names[entrant] for entrant in of_game[:, 2]]
        table, deal, rotation = contest.replayed(run, int(number))
        session = Session(table, deal, rotation)
        for event in found["events"]:
            if event["event"] == "decision":
                session.apply(event["choice"])
        assert session.is_over
        assert session.rows()[1][:, scores].tolist() == of_game[:, scores].tolist()
    unplayed = sorted(set(range(int(numbers.max()))) - set(numbers.tolist()))
    for number in (unplayed[0], unplayed[-1], -1, 10**15):
        with pytest.raises(SpecError, match=f"^Run run has no game {number}[;:]"):
            transcript(run, number)


@tiny
def test_a_bot_that_fails_is_named_with_its_game_which_can_be_replayed(tmp_path: Path) -> None:
    from sim.compiled import KERNELS
    from sim.contract import Bot

    def breaks(view: Any) -> Any:
        return np.int64(7 if view.leg == 1 else 0)

    own = {"breaks": Bot("breaks", breaks, cache=KERNELS)}
    entrants = [Entrant("random"), Entrant("runner"), Entrant("breaks")]
    for repeats, part in ((1, 10**6), (1, 1), (3, 1)):
        tournament = make_tournament(RELAY, entrants=entrants, formats=["league"], repeats=repeats, bots=own)
        run, contest = create_run(tournament, own, out=tmp_path / f"{repeats}-{part}", part=part)
        with pytest.raises(BotFailed, match=r"^Bot 'breaks' acted illegally: 7 is no legal action \(game \d+"):
            play_here(run, contest, threads=1)
        ((failed, entry),) = run.failures().items()
        assert contest.part_with(run.plan, entry["game"]) == failed
        assert f"--game {entry['game']}" in entry["message"]
        table, deal, rotation = contest.replayed(run, entry["game"])
        assert "breaks" in table.names
        with pytest.raises(BotFailed, match=rf"Action 7 is not legal .*|\(game {entry['game']}\)"):
            transcript_of(table, deal, rotation, entry["game"])


# ── What both sides must know alike ──────────────────────────────────────────────────────────────────────────────────


def test_the_columns_and_words_of_results_are_those_that_are_played() -> None:
    assert {table: tuple(column.name for column in columns) for table, columns in OWN_TABLES.items()} == COMMON_COLUMNS
    assert DECIDED_LABELS == DECIDED
    assert tuple(COMMON_COLUMNS["matches"].index(name) for name in ("repeat", "match", "entrant")) == (
        runs_of_tournaments._M_REPEAT,
        runs_of_tournaments._M_MATCH,
        runs_of_tournaments._M_ENTRANT,
    )


@tiny
def test_a_run_holds_the_whole_job(tmp_path: Path) -> None:
    tournament = relay(repeats=3, seed=2**64 - 1, rotate=False, order=[f"{name} {at}" for at, name in enumerate(BOTS)])
    run, contest = made(tournament, tmp_path / "run", 2)
    assert run.job["job"] == json.loads(json.dumps(msgspec.to_builtins(tournament)))
    assert isinstance(contest, TournamentContest)
    from workers.play.runs import contest_of_run

    again = contest_of_run(Run.open(run.location))
    assert (again.job, again.identity) == (tournament, run.identity)
    shutil.rmtree(run.location)
    assert not os.path.exists(run.location)  # noqa: PTH110
