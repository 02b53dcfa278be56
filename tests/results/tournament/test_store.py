import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from results.cells import Cells
from results.plan import Span
from results.store import Run, _sealed
from results.tournament.cells import content_hash
from sim.errors import SpecError, StoreError, UnknownName
from tests.results import made
from tests.results.test_store import files_of
from tests.results.tournament.made import LEGS, make_cells, make_layout, make_plan, make_run, slice_of

LAYOUT = make_layout(10)
PLAN = make_plan(10, 4)
ONE = make_layout(1)
# As wide as the widest leg: the league has five rounds of two matches, the tables a match 3 and then a match 4.
SPREAD = {"version": 1, "rounds": [3, 4, 2, 2, 2], "part_matches": 2, "detail": "full"}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    location = tmp_path_factory.mktemp("finished") / "run"
    make_run(location, LAYOUT, PLAN).write_summary()
    return location


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Run:
    """A finished run of its own for each test that spoils it."""
    shutil.copytree(finished, tmp_path / "run")
    return Run.open(tmp_path / "run")


def cells_of(span: Span) -> dict[str, Cells]:
    """The cells of a part of the single tournament."""
    cells = make_cells(ONE, 0, 1)
    if span.unit == "matches":
        return slice_of(cells, span.round, span.first, span.count)
    return {table: rows if table == "standings" else rows[:0] for table, rows in cells.items()}


def spread_run(location: Path, order: list[int] | None = None) -> Run:
    """A single tournament, spread over parts, all of them written."""
    run = Run.create(location, {"identity": "made", "game_version": "1"}, ONE, SPREAD)
    for part in order or range(run.parts):
        run.write_part(part, *cells_of(run.part_span(part)).values())
    return run


def test_what_is_written_is_read(run: Run) -> None:
    assert (run.layout, run.parts, run.committed()) == (LAYOUT, 3, {0, 1, 2})
    for part in range(3):
        for found, written in zip(run.read_part(part), make_cells(LAYOUT, *run.part_range(part)).values(), strict=True):
            assert np.array_equal(found, written)
    assert np.array_equal(run.read_table("matches", 2), make_cells(LAYOUT, 8, 2)["matches"])
    with pytest.raises(UnknownName, match="Did you mean 'matches'"):
        run.read_table("match", 2)
    assert run.read_sums(2)["spans"] == [["repeats", 0, 8, 2]]


def test_the_tables_are_parquet_with_values_and_names(run: Run) -> None:
    found = pq.read_table(Path(run.location) / "standings" / "00000.parquet").to_pylist()
    row = make_cells(LAYOUT, 0, 1)["standings"][1].tolist()
    assert found[1] == {
        "repeat": 0,
        "leg": "league",
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
    matches = pq.read_table(Path(run.location) / "matches").to_pydict()
    assert set(matches["decided"]) == {"played", "bye", "lot"}


def test_doing_everything_twice_gives_the_same_bytes(run: Run) -> None:
    before = files_of(Path(run.location))
    make_run(Path(run.location), LAYOUT, PLAN).write_summary()
    assert files_of(Path(run.location)) == before


def test_part_size_order_and_detail_change_neither_figures_nor_hash(run: Run, tmp_path: Path) -> None:
    expected = run.summary()
    assert expected["content_hash"] == f"{content_hash(LAYOUT, make_cells(LAYOUT, 0, 10)):032x}"
    for size, detail in ((1, "full"), (3, "summary"), (100, "summary")):
        location = tmp_path / f"{size}"
        assert make_run(location, LAYOUT, make_plan(10, size, detail)).write_summary() == expected
        assert all((location / table).exists() == (detail == "full") for table in LAYOUT.tables)


def test_a_run_without_rounds_has_no_such_table(tmp_path: Path) -> None:
    layout = make_layout(3, LEGS[1:2])
    run = make_run(tmp_path / "run", layout, make_plan(3, 2))
    assert run.damage(1) is None
    assert not (tmp_path / "run" / "rounds").exists()
    assert run.read_part(0)[5].shape == (0, 0)


def test_a_flipped_bit_and_tables_that_contradict_the_sums_are_found(run: Run) -> None:
    place = Path(run.location)
    assert [run.damage(part) for part in range(3)] == [None] * 3
    path = place / "matches" / "00001.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert run.damage(1) == "matches/00001.parquet: its bytes are not those that were written."
    other = Run.create(place.parent / "other", {"identity": "made", "game_version": "1"}, LAYOUT, PLAN)
    cells = make_cells(LAYOUT, 0, 4)
    cells["games"][0, 4] += 1  # turns
    other.write_part(0, *cells.values())
    mine, theirs = (json.loads((p / "sums" / "00000.json").read_bytes()) for p in (place, Path(other.location)))
    mine.pop("seal")
    (place / "sums" / "00000.json").write_bytes(_sealed({**mine, "files": theirs["files"]}))
    for table in LAYOUT.tables:
        shutil.copy(f"{other.location}/{table}/00000.parquet", place / table / "00000.parquet")
    assert run.damage(0) == "sums/00000.json: content_hash is not what the tables give."
    assert run.damage(0, by_bytes=True) is None


def test_a_part_moved_aside_can_be_written_anew(run: Run) -> None:
    before = files_of(Path(run.location))
    assert run.move_aside(1) == "damaged/00001"
    assert sorted(p.name for p in (Path(run.location) / "damaged" / "00001").iterdir()) == sorted(
        [*(f"{table}-00001.parquet" for table in LAYOUT.tables), "summary.json", "sums-00001.json"]
    )
    run.write_part(1, *make_cells(LAYOUT, 4, 4).values())
    run.write_summary()
    after = files_of(Path(run.location))
    assert {name: data for name, data in after.items() if not name.startswith("damaged")} == before


def test_a_part_of_other_tournaments_or_results_is_refused(run: Run) -> None:
    with pytest.raises(StoreError, match=r"a match that is not of the repeats 8 \.\. 9"):
        run.write_part(2, *make_cells(LAYOUT, 0, 2).values())
    cells = make_cells(LAYOUT, 0, 4)
    cells["games"][0, 4] += 1
    with pytest.raises(StoreError, match="the same job gave other results"):
        run.write_part(0, *cells.values())


def test_a_plan_of_deals_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cuts deals"):
        Run.create(tmp_path / "run", {"identity": "x"}, LAYOUT, made.make_plan(10, 4))
    assert not (tmp_path / "run").exists()


def test_a_tournament_spread_over_parts_has_the_summary_of_one_that_is_not(tmp_path: Path) -> None:
    whole = make_run(tmp_path / "whole", ONE, make_plan(1, 1)).write_summary()
    run = spread_run(tmp_path / "spread")
    assert run.parts == 2 + 2 + 1 + 1 + 1 + 1
    assert run.write_summary() == whole
    assert [run.damage(part) for part in range(run.parts)] == [None] * run.parts
    assert (tmp_path / "spread" / "summary.json").read_bytes() == (tmp_path / "whole" / "summary.json").read_bytes()
    backwards = spread_run(tmp_path / "backwards", list(range(run.parts))[::-1])
    backwards.write_summary()
    assert files_of(tmp_path / "backwards") == files_of(tmp_path / "spread")


def test_a_part_of_a_round_needs_the_rounds_before_it(tmp_path: Path) -> None:
    run = spread_run(tmp_path / "run")
    assert [len(run.needs(part)) for part in range(run.parts)] == [0, 0, 2, 2, 4, 5, 6, 7]
    assert run.part_span(1) == Span("matches", 3, 1, 1)
    assert np.array_equal(
        np.concatenate([run.read_table("matches", part) for part in run.needs(2)]),
        cells_of(Span("matches", 1, 2, 1))["matches"].tolist() + cells_of(Span("matches", 3, 1, 1))["matches"].tolist(),
    )
    with pytest.raises(StoreError, match="no part 8"):
        run.needs(8)


def test_a_lost_or_doubled_slice_is_found(tmp_path: Path) -> None:
    run = spread_run(tmp_path / "run")
    (tmp_path / "run" / "sums" / "00003.json").unlink()
    with pytest.raises(StoreError, match=r"of 8 parts 1 are missing \(3\)"):
        run.write_summary()
    shutil.copy(tmp_path / "run" / "sums" / "00002.json", tmp_path / "run" / "sums" / "00003.json")
    assert "belongs to part 2" in (run.damage(3) or "")
    with pytest.raises(StoreError, match="belongs to part 2"):
        run.write_summary()
