import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from results.plan import DEALS, Span
from results.store import Run
from sim.contract import load_game
from sim.errors import BotFailed, SpecError, StoreError
from sim.job import Entrant, Job, make_job
from tests.workers.kills import Kills
from workers.bots import load_bot
from workers.places import IN_PLAY
from workers.play import contest as contests
from workers.play import parts
from workers.play.here import play_here
from workers.play.runs import contest_of_run, create_run
from workers.service import tasks
from workers.service.queue import cancel, outcome, resume, submit_and_wait

PARTS = 12


@pytest.fixture(scope="module")
def job() -> Job:
    return make_job(load_game("vierer"), deals=PARTS * 200, seed=4)


def test_a_run_on_the_queue_through_kills_is_the_run_played_here(tmp_path: Path, job: Job) -> None:
    here, table = create_run(job, {}, out=tmp_path / "here", part=777)
    summary = play_here(here, table)
    queued, _ = create_run(job, {}, out=tmp_path / "queued", part=job.deals // PARTS)
    kill = Kills(queued, [2, 4, 6])
    assert submit_and_wait(queued, table, workers=2, on_progress=kill)
    assert kill.done == ["child", "steward", "main"]
    assert queued.committed() == set(range(PARTS))
    assert queued.summary()["content_hash"] == summary["content_hash"]
    assert [queued.damage(part) for part in range(PARTS)] == [None] * PARTS
    assert not (Path(queued.location) / IN_PLAY).exists()


def test_a_damaged_part_is_played_again_before_the_run_is_summed_up(tmp_path: Path, job: Job) -> None:
    here, table = create_run(job, {}, out=tmp_path / "here", part=1000)
    summary = play_here(here, table)
    queued, _ = create_run(job, {}, out=tmp_path / "queued", part=400)

    def flip(*_: object) -> None:
        if queued.is_committed(1) and not (tmp_path / "flipped").exists():
            (tmp_path / "flipped").touch()
            file = Path(queued.location) / "seats" / "00001.parquet"
            data = bytearray(file.read_bytes())
            data[len(data) // 2] ^= 1
            file.write_bytes(data)

    submit_and_wait(queued, table, workers=2, on_progress=flip)
    assert (tmp_path / "flipped").exists()
    assert queued.summary()["content_hash"] == summary["content_hash"]
    assert len(list((Path(queued.location) / "damaged").iterdir())) == 1


def test_a_cancelled_run_stops_and_a_resumed_one_ends_with_the_same_hash(tmp_path: Path, job: Job) -> None:
    here, table = create_run(job, {}, out=tmp_path / "here", part=1000)
    summary = play_here(here, table)
    queued, _ = create_run(job, {}, out=tmp_path / "queued", part=100)

    def stop(*_: object) -> None:
        if len(queued.committed()) >= 3:
            assert cancel(queued)

    with pytest.raises(StoreError, match=r"^Run queued is cancelled; what is done stays\."):
        submit_and_wait(queued, table, workers=2, on_progress=stop)
    done = queued.committed()
    assert 3 <= len(done) < queued.parts
    with pytest.raises(StoreError, match="cancelled"):
        outcome(queued)
    submit_and_wait(queued, table, workers=2)
    assert queued.summary()["content_hash"] == summary["content_hash"]
    assert not cancel(queued)
    assert resume(queued, "redis+socket:///nowhere?virtual_host=0") == []


def test_a_run_that_is_begun_anew_is_played_by_its_new_plan(tmp_path: Path, job: Job) -> None:
    for part, detail in ((400, "summary"), (300, "full")):
        run, _ = create_run(job, {}, out=tmp_path / "run", part=part, detail=detail)
        parts.play(run.location, 1)
        assert run.damage(1) is None
        if detail == "full":
            assert len(run.read_part(1)[0]) == 300 * 4
        shutil.rmtree(run.location)


def test_a_part_of_a_run_with_another_detail_is_damaged(tmp_path: Path, job: Job) -> None:
    run, table = create_run(job, {}, out=tmp_path / "run", part=1200)
    other, _ = create_run(job, {}, out=tmp_path / "other", part=1200, detail="summary")
    for each in (run, other):
        play_here(each, table)
    shutil.copy(Path(other.location) / "sums" / "00001.json", Path(run.location) / "sums" / "00001.json")
    assert run.damage(1) == "sums/00001.json: it is of a run with another --detail."


def test_a_part_in_play_heeds_a_cancel_and_commits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contests, "SLICE_S", 0.01)
    long = make_job(load_game("vierer"), deals=10**6, seed=4)
    run, _ = create_run(long, {}, out=tmp_path / "run", part=10**6)
    looks = iter(range(1000))
    monkeypatch.setattr(Run, "is_cancelled", property(lambda self: next(looks) > 5))
    started = time.monotonic()
    parts.play(run.location, 0)
    assert run.committed() == set()
    assert next(looks) == 7  # asked once before it begins, and before each slice
    assert time.monotonic() - started < 60  # and not the minutes that a million deals take


def test_slices_of_a_part_give_the_rows_of_the_whole(tmp_path: Path, job: Job) -> None:
    run, contest = create_run(job, {}, out=tmp_path / "run", part=500)
    playing, span = contest.playing(), Span(DEALS, 100, 300)
    sliced = playing.cells(run, span, lambda: False)
    for table, rows in zip(run.layout.all_tables, playing.player.play(100, 300), strict=True):
        assert (rows == sliced[table]).all()


def test_a_part_that_would_take_too_long_on_the_queue_is_refused(tmp_path: Path) -> None:
    huge = make_job(load_game("vierer"), deals=10**9)
    with pytest.raises(SpecError, match=r"^A part of 1,000,000,000 deals would take about [\d,]+ s here; on the queue"):
        create_run(huge, {}, out=tmp_path / "run", part=10**10, longest_part=30.0)
    assert not (tmp_path / "run").exists()


def test_a_run_of_another_version_is_refused_and_not_failed(tmp_path: Path, job: Job) -> None:
    from sim.errors import Refused

    run, _ = create_run(job, {}, out=tmp_path / "run", part=500)
    file = Path(run.location) / "job.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "game_version": "999"}))
    with pytest.raises(Refused, match="was made by version 999 of vierer; this is version"):
        contest_of_run(Run.open(run.location))


KILLER = '''
import numpy as np
from sim.contract import bot
from sim.compiled import kernel
from sim.games.vierer.engine import count_legal, nth_legal
from sim.chance import pick


@kernel
def dive(depth):
    if depth < 0:
        return np.int64(depth)
    return dive(depth + 1) ^ (dive(depth + 2) + depth)


@bot()
def killer(view):
    """Kills its process, by overflowing the stack, in the sixth round of a game."""
    if view.round_number == 6 and view.seat == 1:
        return dive(np.int64(view.turn))
    return nth_legal(view, pick(view.word, count_legal(view)))


@bot()
def glutton(view):
    """Eats all memory in the sixth round of a game."""
    if view.round_number == 6 and view.seat == 1:
        eaten = [np.zeros(1)]
        for _ in range(10**6):
            eaten.append(np.ones(10**6))
        return np.int64(eaten[-1][0]) - 1
    return nth_legal(view, pick(view.word, count_legal(view)))
'''


def game_of_round_6(tmp_path: Path, name: str) -> tuple[Run, object, int]:
    """A run whose bot goes wrong in the sixth round, and the number of the first game that has one."""
    file = tmp_path / "poison.py"
    file.write_text(KILLER)
    game = load_game("vierer")
    honest, table = create_run(
        make_job(game, entrants=[Entrant("random")], deals=50), {}, out=tmp_path / "honest", part=50
    )
    play_here(honest, table)
    games, *_ = honest.read_part(0)
    rounds = [column.name for column in game.game_columns].index("rounds")
    poison = load_bot(file, name, game)
    bad = make_job(game, entrants=[Entrant(name, source=poison.source)], deals=50, bots={name: poison})
    run, bad_table = create_run(bad, {name: poison}, out=tmp_path / "bad", part=50)
    return run, bad_table, int(next(row[0] for row in games if row[rounds] >= 6))


def test_a_bot_that_kills_its_process_is_named_with_its_game(tmp_path: Path) -> None:
    run, _, game = game_of_round_6(tmp_path, "killer")
    script = "import sys; from workers.play import parts; parts.play(sys.argv[1], 0)"
    ended = subprocess.run([sys.executable, "-P", "-c", script, run.location], check=False)
    assert ended.returncode == -signal.SIGSEGV
    assert parts.in_play(run.location, 0) == game
    tasks._give_up(run.location, 0)
    assert run.failures() == {
        0: {
            "message": f"Part 0 was begun {tasks.ATTEMPTS} times and came to no end, for its process died or took "
            f"longer than 90 s; it is not tried again. Game {game} was in play.\n"
            f"Replay it: fourfold replay {run.location} --game {game}",
            "game": game,
        }
    }


def test_a_bot_that_eats_memory_is_named_with_its_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOURFOLD_MEMORY_MB", "600")
    run, table, game = game_of_round_6(tmp_path, "glutton")
    with pytest.raises(
        BotFailed, match=rf"^Game {game} took this process beyond 600 MB of memory: a bot among glutton"
    ):
        submit_and_wait(run, table, workers=1)  # type: ignore[arg-type]
    assert run.failures()[0]["game"] == game
