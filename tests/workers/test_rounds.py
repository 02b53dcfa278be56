"""The table rounds, from the kernel to the files: two tiny games have one."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from results.folder import Folder
from results.plan import DEALS, Span
from results.store import Run
from sim.errors import StoreError
from sim.job import Entrant, make_job
from sim.play import Player, Session, start
from sim.table import make_table
from tests.tiny import RELAY, RUN, SOLO, WALK
from workers.play import parts
from workers.play.here import play_here
from workers.play.kinds import contest_of
from workers.play.runs import create_run
from workers.play.verify import verify

pytestmark = pytest.mark.usefixtures("tiny_games")

LINE_UP = [Entrant("runner"), Entrant("random")]


def relay_run(place: Path, part: int = 4, detail: str = "full", **options: Any) -> Run:
    """A finished run of ten deals, twenty games of two seats and three legs."""
    run, table = create_run(
        make_job(RELAY, entrants=LINE_UP, deals=10, options=options), {}, out=place, part=part, detail=detail
    )
    play_here(run, table, threads=2)
    return run


def files_of(run: Run) -> dict[str, bytes]:
    place = Path(run.location)
    files = {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    return {name: data for name, data in files.items() if name != "log.jsonl" and not name.startswith("damaged")}


def test_rows_are_in_the_order_of_round_and_seat() -> None:
    session = start("relay", seats=3, preset="safe")
    first = session.seat
    # The seat that begins runs in its first leg only, all others in all three: running always succeeds.
    while not session.is_over:
        is_first, is_later = session.seat == first, len(session.events) >= 3
        session.apply(WALK if is_first and is_later else RUN)
    _, seats, rounds = session.rows()
    assert [row[:3] for row in rounds.tolist()] == [[0, leg, seat] for leg in (1, 2, 3) for seat in range(3)]
    gains = rounds[:, 3].reshape(3, 3)
    assert gains[:, first].tolist() == [3, 1, 1]
    assert gains.sum() == 5 + 9 + 9
    assert seats[:, 3].tolist() == gains.sum(axis=0).tolist()


def test_the_kernel_and_a_game_step_by_step_give_the_same_rounds() -> None:
    table = make_table(make_job(RELAY, entrants=LINE_UP, seats=3, deals=4))
    games, _, rounds = Player(table).play(0, 4)
    deciders = table.deciders()
    for index, (deal, rotation) in enumerate(games[:, 1:3].tolist()):
        session = Session(table, deal, rotation)
        while not session.is_over:
            session.apply(session.answer(deciders))
        assert np.array_equal(session.rows()[2], rounds[9 * index : 9 * index + 9])


def test_the_files_say_what_was_played(tmp_path: Path) -> None:
    run = relay_run(tmp_path / "run")
    place = Path(run.location)
    assert sorted(path.name for path in (place / "rounds").iterdir()) == [f"0000{part}.parquet" for part in range(3)]
    rounds = pd.read_parquet(place / "rounds")
    assert len(rounds) == 20 * 3 * 2
    seats = pd.read_parquet(place / "seats")
    assert (rounds.groupby(["game", "seat"])["gain"].sum().to_numpy() == seats["score"].to_numpy()).all()


def test_parts_slices_and_detail_change_nothing(tmp_path: Path) -> None:
    run = relay_run(tmp_path / "run")
    expected = run.summary()
    assert relay_run(tmp_path / "ones", part=1).summary() == expected
    assert relay_run(tmp_path / "sums", detail="summary").summary() == expected
    playing = contest_of(make_job(RELAY, entrants=LINE_UP, deals=300), {}).playing()
    span = Span(DEALS, 5, 290)
    whole, sliced = playing.cells(run, span), playing.cells(run, span, lambda: False)
    for table, rows in zip(run.layout.all_tables, playing.player.play(5, 290), strict=True):
        assert np.array_equal(whole[table], rows)
        assert np.array_equal(sliced[table], rows)


def test_a_task_writes_the_rounds_too(tmp_path: Path) -> None:
    expected = files_of(relay_run(tmp_path / "here"))
    run, _ = create_run(make_job(RELAY, entrants=LINE_UP, deals=10), {}, out=tmp_path / "queued", part=4)
    for part in (2, 0, 1):
        parts.play(run.location, part)
    run.write_summary()
    assert files_of(run) == expected


def test_options_without_rounds_have_no_such_table(tmp_path: Path) -> None:
    run = relay_run(tmp_path / "run", told=False)
    assert run.layout.tables == ("games", "seats")
    assert not (Path(run.location) / "rounds").exists()
    silent = Player(make_table(make_job(RELAY, deals=1, options={"told": False})))
    assert run.read_part(0)[2].shape == silent.play(0, 1)[2].shape == (0, 0)
    assert verify(run, sample=1).faults == []
    # Only the cells of rounds differ, and they count.
    told = relay_run(tmp_path / "told").summary()
    assert told["figures"] == run.summary()["figures"]
    assert told["content_hash"] != run.summary()["content_hash"]


def test_verify_plays_rounds_again(tmp_path: Path) -> None:
    assert verify(relay_run(tmp_path / "sound"), sample=1).faults == []
    run, contest = create_run(make_job(RELAY, entrants=LINE_UP, deals=10), {}, out=tmp_path / "run", part=4)
    for part in range(3):
        rows = contest.playing().player.play(*run.part_range(part))
        if part == 1:
            rows[2][17, 3] += 40  # Eight games of six rows: game 8 + 2, leg 3, seat 1.
        run.write_part(part, *rows)
    run.write_summary()
    assert [run.damage(part) for part in range(3)] == [None] * 3
    (fault,) = verify(run, sample=1).faults
    assert fault.startswith("Part 1: game 10, column 'gain' of rounds holds 4")


@pytest.mark.parametrize("detail", ["full", "summary"])
def test_a_run_is_verified_whole_or_by_its_sums(tmp_path: Path, detail: str) -> None:
    run = relay_run(tmp_path / "run", detail=detail)
    found = verify(run, sample=1)
    assert (found.checked_parts, found.checked_games, found.faults) == (3, 20, [])


@pytest.mark.parametrize("damage", ["gone", "changed"])
def test_a_damaged_file_of_rounds_is_found_and_played_again(tmp_path: Path, damage: str) -> None:
    run = relay_run(tmp_path / "run")
    before = files_of(run)
    file = Path(run.location) / "rounds" / "00001.parquet"
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes().replace(b"PAR1", b"PAR2"))
    (fault,) = verify(run).faults
    assert "rounds/00001.parquet" in fault
    assert files_of(relay_run(tmp_path / "run")) == before
    assert any((Path(run.location) / "damaged" / "00001").iterdir())


def test_a_run_killed_between_its_files_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = files_of(relay_run(tmp_path / "whole"))
    write = Folder.write

    def killed(folder: Folder, name: str, data: bytes) -> None:
        if name == "rounds/00001.parquet":
            raise StoreError("Cannot write: killed.")
        write(folder, name, data)

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "write", killed)
        with pytest.raises(StoreError, match="killed"):
            relay_run(tmp_path / "run")
    begun = Run.open(tmp_path / "run")
    assert 1 not in begun.committed()
    assert (tmp_path / "run" / "games" / "00001.parquet").exists()
    assert files_of(relay_run(tmp_path / "run")) == expected


def test_a_run_of_one_seat_has_rounds_of_one_row(tmp_path: Path) -> None:
    run, table = create_run(make_job(SOLO, deals=10), {}, out=tmp_path / "run", part=4)
    summary = play_here(run, table)
    assert (summary["deals"], summary["games"]) == (10, 10)
    rounds = run.read_part(0)[2]
    assert rounds[:, :3].tolist() == [[game, leg, 0] for game in range(4) for leg in (1, 2, 3)]
    assert verify(run, sample=1).faults == []
    assert {figure["table"] for figure in summary["figures"]} == {"games", "entrants"}
    reasons = {figure["group"]: figure for figure in summary["figures"] if figure["figure"] == "reason"}
    (won,) = (figure for figure in summary["figures"] if figure["figure"] == "win_share")
    # Who wins has lost for no reason: the same games, the same interval.
    assert [won[key] for key in ("value", "low", "high")] == [reasons["none"][key] for key in ("value", "low", "high")]
    assert sum(figure["value"] for figure in reasons.values()) == pytest.approx(1)
    assert 0 < won["low"] < won["value"] < won["high"] < 1
    assert json.loads((tmp_path / "run" / "job.json").read_bytes())["layout"]["rounds"] == 3
