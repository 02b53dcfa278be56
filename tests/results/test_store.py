import fcntl
import json
import multiprocessing
import resource
import shutil
from collections.abc import Callable
from hashlib import sha256
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from results.cells import content_hash
from results.folder import Folder
from results.store import Run, _sealed, list_runs
from sim.errors import SpecError, StoreError
from tests.results.made import GAME_COLUMNS, make_cells, make_layout, make_plan, make_run

LAYOUT = make_layout(rounds=3)
PLAN = make_plan(10, 4)
FILES = ["games/00001.parquet", "seats/00001.parquet", "rounds/00001.parquet", "sums/00001.json"]


def files_of(location: Path) -> dict[str, bytes]:
    return {str(p.relative_to(location)): p.read_bytes() for p in location.rglob("*") if p.is_file()}


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


def test_what_is_written_is_read(run: Run) -> None:
    for part in range(3):
        found = run.read_part(part)
        for cells, written in zip(found, make_cells(LAYOUT, *run.part_range(part)), strict=True):
            assert np.array_equal(cells, written)
        assert all(cells.dtype == np.int64 and cells.flags.c_contiguous for cells in found)


def test_cells_at_the_limits_of_their_types_are_read_as_written(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", {"identity": "x"}, LAYOUT, make_plan(1, 1))
    games, seats, rounds = make_cells(LAYOUT, 0, 1)
    for name, limit in (("turns", 2**31), ("knocks", 2**15), ("drift", 2**63)):
        games[:2, LAYOUT.index("games", name)] = [-limit, limit - 1]
    games[:2, LAYOUT.index("games", "heat")] = [-(2**51), 2**51]
    seats[:9, LAYOUT.index("seats", "win_share")] = [2520 // k for k in range(1, 10)]
    rounds[:2, 3] = [-(2**31), 2**31 - 1]
    run.write_part(0, games, seats, rounds)
    for cells, written in zip(run.read_part(0), (games, seats, rounds), strict=True):
        assert np.array_equal(cells, written)
    assert run.damage(0) is None


def test_an_opened_run_is_the_one_that_was_created(run: Run) -> None:
    assert (run.name, run.identity, run.parts) == ("run", "made", 3)
    assert run.layout == LAYOUT
    assert run.plan == PLAN
    assert run.job == {"identity": "made", "game_version": "1"}
    assert [run.part_range(part) for part in range(3)] == [(0, 4), (4, 4), (8, 2)]
    assert run.committed() == {0, 1, 2}
    assert run.is_complete
    assert run.read_sums(2)["ranges"] == [[8, 2]]


def test_doing_everything_twice_gives_the_same_bytes(run: Run) -> None:
    before = files_of(Path(run.location))
    again = make_run(Path(run.location), LAYOUT, PLAN)
    again.write_summary()
    assert files_of(Path(run.location)) == before


def test_the_bytes_do_not_depend_on_the_folder_or_the_order(run: Run, tmp_path: Path) -> None:
    other = Run.create(tmp_path / "other", {"identity": "made", "game_version": "1"}, LAYOUT, PLAN)
    for part in (2, 0, 1):
        other.write_part(part, *make_cells(LAYOUT, *other.part_range(part)))
    other.write_summary()
    assert files_of(tmp_path / "other") == files_of(Path(run.location))


def test_part_size_and_detail_change_neither_figures_nor_hash(run: Run, tmp_path: Path) -> None:
    expected = run.summary()
    assert expected["content_hash"] == f"{content_hash(*make_cells(LAYOUT, 0, 10)):032x}"
    for part_deals, detail in ((1, "full"), (3, "summary"), (100, "summary")):
        location = tmp_path / f"{part_deals}"
        assert make_run(location, LAYOUT, make_plan(10, part_deals, detail)).write_summary() == expected
        assert all((location / table).exists() == (detail == "full") for table in LAYOUT.tables)


def test_tables_carry_their_origin_and_units(run: Run) -> None:
    schema = pq.read_schema(Path(run.location) / "games" / "00000.parquet")
    assert schema.metadata[b"fourfold.identity"] == b"made"
    assert schema.metadata[b"fourfold.game_version"] == b"1"
    assert schema.field("turns").metadata[b"unit"] == b"turns"


def test_another_jobs_run_is_not_touched(run: Run) -> None:
    before = files_of(Path(run.location))
    with pytest.raises(StoreError, match="holds the run made of another job; this job is other"):
        Run.create(run.location, {"identity": "other"}, LAYOUT, PLAN)
    with pytest.raises(StoreError, match="another version of the game"):
        Run.create(run.location, {"identity": "made"}, make_layout(game_columns=GAME_COLUMNS[:-1], rounds=3), PLAN)
    assert files_of(Path(run.location)) == before


def test_the_first_plan_holds(run: Run) -> None:
    assert Run.create(run.location, {"identity": "made"}, LAYOUT, make_plan(10, 5)).plan == PLAN


def test_a_folder_of_other_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("Dear")
    with pytest.raises(StoreError, match=r"holds other files \(letters.txt"):
        Run.create(tmp_path, {"identity": "x"}, LAYOUT, PLAN)
    assert files_of(tmp_path) == {"letters.txt": b"Dear"}


def test_what_a_crash_left_in_an_empty_folder_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / ".job.json.0123.tmp").write_bytes(b"{")
    Run.create(tmp_path, {"identity": "x"}, LAYOUT, PLAN)
    # A crash between job.json and plan.json leaves a run that only `create` can bring to life.
    (tmp_path / "plan.json").unlink()
    with pytest.raises(StoreError, match=r"plan\.json"):
        Run.open(tmp_path)
    assert Run.create(tmp_path, {"identity": "x"}, LAYOUT, PLAN).plan == PLAN


@pytest.mark.parametrize("below", ["", "/runs/evening"])
def test_a_place_that_is_or_lies_below_a_file_is_refused(below: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="Cannot make folder"):
        Run.create(f"{tmp_path}/file{below}", {"identity": "x"}, LAYOUT, PLAN)


@pytest.mark.parametrize(
    "plan",
    [
        {},
        {**PLAN, "version": 2},
        {**PLAN, "deals": 0},
        {**PLAN, "part_deals": 1.5},
        {**PLAN, "part_deals": True},
        {**PLAN, "detail": "some"},
    ],
)
def test_a_plan_that_is_none_is_refused_before_anything_is_written(plan: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"[Pp]lan"):
        Run.create(tmp_path / "run", {"identity": "x"}, LAYOUT, plan)
    assert not (tmp_path / "run").exists()


def test_opening_what_is_not_there_names_the_nearest_run(run: Run, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no run in .*/rum\. Did you mean 'run'\?"):
        Run.open(tmp_path / "rum")
    with pytest.raises(StoreError, match=r"no run in .*elsewhere/run\.$"):
        Run.open(tmp_path / "elsewhere" / "run")


def test_runs_are_listed_by_name(run: Run, tmp_path: Path) -> None:
    make_run(tmp_path / "another", LAYOUT, make_plan(1, 1))
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    assert list_runs(tmp_path) == ["another", "run"]
    assert list_runs(tmp_path / "nowhere") == []


def create_at_once(location: str, barrier: Barrier, number: int, answers: Any) -> None:
    barrier.wait()
    run = Run.create(location, {"identity": "same", "by": number}, LAYOUT, make_plan(10, 1 + number))
    answers.put((run.job["by"], run.plan["part_deals"]))


def test_of_several_processes_that_create_a_run_one_holds(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(3), context.Queue()
    processes = [
        context.Process(target=create_at_once, args=(str(tmp_path / "run"), barrier, number, answers))
        for number in range(3)
    ]
    for process in processes:
        process.start()
    found = {answers.get(timeout=60) for _ in processes}
    for process in processes:
        process.join(timeout=60)
        assert process.exitcode == 0
    assert len(found) == 1
    assert sorted(files_of(tmp_path / "run")) == ["job.json", "plan.json"]


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", {"identity": "x"}, LAYOUT, PLAN)
    before = files_of(tmp_path)
    cells = make_cells(LAYOUT, 0, 4)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The limit on the size of a file fails a write in its middle, as a full disk does.
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        with pytest.raises(StoreError, match=r"Cannot write .*games/00000\.parquet: File too large"):
            run.write_part(0, *cells)
        with pytest.raises(StoreError, match="Cannot write"):
            Run.create(tmp_path / "second", {"identity": "x"}, LAYOUT, PLAN)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert files_of(tmp_path) == before
    assert run.committed() == set()
    run.write_part(0, *cells)
    assert run.committed() == {0}


def test_a_part_is_refused_that_is_not_the_plans(run: Run) -> None:
    with pytest.raises(StoreError, match=r"Part 1 of run run has the deals 4 \.\. 7"):
        run.write_part(1, *make_cells(LAYOUT, 0, 4))
    with pytest.raises(
        StoreError, match=r"Part 2 of run run has the deals 8 .. 9, and what is there is the deals 8 .. 11\."
    ):
        run.write_part(2, *make_cells(LAYOUT, 8, 4))
    for part in (-1, 3):
        with pytest.raises(StoreError, match=r"no part -?\d; its parts are 0 \.\. 2"):
            run.part_range(part)


def test_a_part_that_comes_out_differently_is_refused(run: Run) -> None:
    before = files_of(Path(run.location))
    games, seats, rounds = make_cells(LAYOUT, 0, 4)
    games[0, LAYOUT.index("games", "turns")] += 1
    with pytest.raises(StoreError, match="the same job gave other results"):
        run.write_part(0, games, seats, rounds)
    assert files_of(Path(run.location)) == before


def test_an_undamaged_run_has_no_damage(run: Run) -> None:
    assert [run.damage(part) for part in range(3)] == [None, None, None]


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_anywhere_is_found(name: str, run: Run) -> None:
    path = Path(run.location) / name
    whole = path.read_bytes()
    for place in range(0, len(whole), 61):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        said = run.damage(1)
        assert said is not None
        assert name in said
    path.write_bytes(whole)
    assert run.damage(1) is None


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:-9])])
def test_a_missing_or_truncated_file_is_found(name: str, spoil: Callable[[Path], object], run: Run) -> None:
    spoil(Path(run.location) / name)
    said = run.damage(1)
    assert said is not None
    assert name in said
    assert run.damage(0) is None
    if name.endswith("parquet"):
        with pytest.raises(StoreError, match=name):
            run.read_part(1)


def test_a_file_of_another_part_or_run_is_found(run: Run, tmp_path: Path) -> None:
    place = Path(run.location)
    shutil.copy(place / "sums" / "00000.json", place / "sums" / "00001.json")
    assert "belongs to part 0" in (run.damage(1) or "")
    other = make_run(tmp_path / "other", LAYOUT, PLAN, identity="foreign")
    shutil.copy(f"{other.location}/sums/00000.json", place / "sums" / "00000.json")
    assert "part 0 of the run foreign" in (run.damage(0) or "")
    for table in LAYOUT.tables:
        shutil.copy(f"{other.location}/{table}/00002.parquet", place / table / "00002.parquet")
    assert "games/00002.parquet" in (run.damage(2) or "")
    with pytest.raises(StoreError, match="not those of this run"):
        run.read_part(2)


def test_tables_that_contradict_their_sums_are_found(run: Run) -> None:
    # What no flipped bit does: tables and digests that fit each other, but not the sums.
    place = Path(run.location)
    other = Run.create(place.parent / "other", {"identity": "made", "game_version": "1"}, LAYOUT, PLAN)
    games, seats, rounds = make_cells(LAYOUT, 0, 4)
    games[0, LAYOUT.index("games", "turns")] += 1
    other.write_part(0, games, seats, rounds)
    mine, theirs = (json.loads((p / "sums" / "00000.json").read_bytes()) for p in (place, Path(other.location)))
    mine.pop("seal")
    (place / "sums" / "00000.json").write_bytes(_sealed({**mine, "files": theirs["files"]}))
    for table in LAYOUT.tables:
        shutil.copy(f"{other.location}/{table}/00000.parquet", place / table / "00000.parquet")
    assert run.damage(0) == "sums/00000.json: content_hash is not what the tables give."


def test_without_tables_the_sums_are_checked_alone(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", LAYOUT, make_plan(10, 4, "summary"))
    assert run.damage(1) is None
    path = tmp_path / "run" / "sums" / "00001.json"
    path.write_bytes(path.read_bytes().replace(b'"games":16', b'"games":15'))
    assert "do not match" in (run.damage(1) or "")
    with pytest.raises(StoreError, match="keeps sums only"):
        run.read_part(0)


def test_a_part_moved_aside_can_be_written_anew(run: Run) -> None:
    before = files_of(Path(run.location))
    assert run.move_aside(1) == "damaged/00001"
    assert run.committed() == {0, 2}
    assert not run.is_complete
    assert sorted(p.name for p in (Path(run.location) / "damaged" / "00001").iterdir()) == [
        "games-00001.parquet",
        "rounds-00001.parquet",
        "seats-00001.parquet",
        "summary.json",
        "sums-00001.json",
    ]
    run.write_part(1, *make_cells(LAYOUT, *run.part_range(1)))
    run.write_summary()
    assert run.move_aside(1) == "damaged/00001-2"
    run.write_part(1, *make_cells(LAYOUT, *run.part_range(1)))
    run.write_summary()
    after = files_of(Path(run.location))
    assert {name: data for name, data in after.items() if not name.startswith("damaged")} == before


def test_a_part_that_was_moved_aside_keeps_no_parquet_in_the_tables_folders(run: Run) -> None:
    run.move_aside(1)
    for table in LAYOUT.tables:
        assert Folder(Path(run.location)).names(table) == ["00000.parquet", "00002.parquet"]


def test_a_run_with_missing_parts_has_no_summary(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", {"identity": "x"}, LAYOUT, PLAN)
    run.write_part(1, *make_cells(LAYOUT, 4, 4))
    with pytest.raises(StoreError, match=r"of 3 parts 2 are missing \(0, 2\)"):
        run.write_summary()
    with pytest.raises(StoreError, match="1 of 3 parts are done"):
        run.summary()


def test_a_summary_is_not_made_of_damaged_sums(run: Run) -> None:
    path = Path(run.location) / "sums" / "00001.json"
    path.write_bytes(path.read_bytes().replace(b'"deals":4', b'"deals":5'))
    with pytest.raises(StoreError, match=r"sums/00001\.json"):
        run.write_summary()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema_version": 1}', '{"schema_version": 99}', "\x00"])
def test_a_damaged_job_is_named(text: str, run: Run) -> None:
    (Path(run.location) / "job.json").write_text(text)
    with pytest.raises(StoreError, match="run"):
        Run.open(run.location)


def test_a_job_without_identity_is_named(run: Run) -> None:
    path = Path(run.location) / "job.json"
    document = json.loads(path.read_bytes())
    del document["identity"]
    path.write_text(json.dumps(document))
    with pytest.raises(StoreError, match="states no identity"):
        Run.open(run.location)


def test_the_log_grows_by_lines_with_the_time(run: Run) -> None:
    run.log({"event": "started", "by": "ann\nbob"})
    run.log({"event": "ended"})
    lines = [json.loads(line) for line in (Path(run.location) / "log.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines] == ["started", "ended"]
    assert all(line["time"].endswith("+00:00") for line in lines)


def test_failures_are_kept_until_cleared(run: Run) -> None:
    run.record_failure(2, {"message": "bot 'ann' raised"})
    run.record_failure(0, {"message": "first"})
    run.record_failure(0, {"message": "second"})
    assert run.failures() == {0: {"message": "second"}, 2: {"message": "bot 'ann' raised"}}
    run.clear_failures()
    assert run.failures() == {}


def test_an_unwritable_folder_is_named(run: Run) -> None:
    # Permissions do not stop a super-user, a file in the place of a folder stops anybody.
    shutil.rmtree(Path(run.location) / "sums")
    (Path(run.location) / "sums").write_text("")
    with pytest.raises(StoreError, match="Cannot"):
        run.write_part(0, *make_cells(LAYOUT, 0, 4))


def test_a_run_whose_folder_was_deleted_does_not_come_back_in_pieces(run: Run) -> None:
    shutil.rmtree(run.location)
    with pytest.raises(StoreError, match="Cannot write"):
        run.write_part(0, *make_cells(LAYOUT, 0, 4))
    assert not Path(run.location).exists()


def test_text_with_many_labels_keeps_its_codes(tmp_path: Path) -> None:
    names = [f"bot {number}" for number in range(100)]
    layout = make_layout(names, [1] * 100, rotations=1)
    run = make_run(tmp_path / "run", layout, make_plan(3, 3))
    assert np.array_equal(run.read_part(0)[1], make_cells(layout, 0, 3)[1])


def test_what_a_killed_writer_left_is_swept_and_what_is_being_written_is_not(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    (tmp_path / "seats").mkdir()
    left, written = tmp_path / "seats" / ".00000.parquet.0a.tmp", tmp_path / ".summary.json.0b.tmp"
    left.touch()
    with written.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        folder.sweep()
        assert written.exists()
    assert not left.exists()
    folder.sweep()
    assert not written.exists()


def test_a_folder_that_cannot_be_looked_into_is_an_error_of_the_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Cannot read"):
        Folder(tmp_path).has("a" * 300)


def test_a_run_has_the_bytes_that_it_had_before_there_were_tournaments(tmp_path: Path) -> None:
    # Made by the program that knew one kind of run, from all that does not hang on the version of pyarrow.
    make_run(tmp_path / "run", LAYOUT, PLAN).write_summary()
    found = sha256()
    for path in sorted((tmp_path / "run").glob("*.json")):
        found.update(path.read_bytes())
    sums = [json.loads(path.read_bytes())["sums"] for path in sorted((tmp_path / "run" / "sums").glob("*.json"))]
    found.update(json.dumps(sums).encode())
    assert found.hexdigest() == "e655e71f5fbd2a0bdb6017f50ec94905e6e25b66a9a67537e6196222ce58f822"
