"""Runs from the command line, real and tiny: played here and on the queue, shown, replayed, verified."""

import json
import os
import pty
import signal
import time
from pathlib import Path

import psutil
import pytest

from results.store import Run
from tests.cli.conftest import Fourfold, Said, Start
from tests.workers.conftest import soon

pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.fixture
def evening(fourfold: Fourfold) -> Said:
    """Play 20 deals of four different bots, which are 80 games, in parts of 8 deals."""
    return fourfold("run", "vierer", "--deals", "20", "--part", "8", "--out", "evening")


def test_a_run_prints_who_wins_and_what_to_type_next(evening: Said, elsewhere: Path) -> None:
    assert evening.status == 0
    lines = evening.out.splitlines()
    assert lines[0] == "evening: vierer, 4 seats, 20 deals, 80 games"
    assert lines[1] == "entrants: careful, gambler, snapper, random"
    assert "Entrants, per game and seat" in lines
    assert "Places in turn order" in lines
    assert f"The run lies in {elsewhere}/evening" in lines
    assert f"All figures:           fourfold show {elsewhere}/evening" in lines
    assert max(len(line.rstrip()) for line in lines if str(elsewhere) not in line) <= 80


def test_the_same_job_again_plays_nothing_and_keeps_its_plan(evening: Said, fourfold: Fourfold) -> None:
    again = fourfold("run", "vierer", "--deals", "20", "--part", "5", "--detail", "summary", "--out", "evening")
    assert again.status == 0
    assert "The run was complete already; nothing was played." in again.out
    assert again.err.splitlines() == [
        "The run was begun with --detail full, and that stays.",
        "The run was begun with --part 8, and that stays.",
    ]


def test_another_job_is_refused_in_the_folder_of_a_run(evening: Said, fourfold: Fourfold) -> None:
    said = fourfold("run", "vierer", "--deals", "20", "--seed", "2", "--out", "evening")
    assert (said.status, said.out) == (1, "")
    assert said.err.count("\n") == 1
    assert "evening holds the run " in said.err


def test_show_prints_every_table_and_the_content_hash(evening: Said, fourfold: Fourfold, elsewhere: Path) -> None:
    said = fourfold("show", "./evening")
    assert (said.status, said.err) == (0, "")
    for title in (
        "Games",
        "Entrants, per game and seat",
        "Differences between entrants, same deals",
        "Distributions",
    ):
        assert f"\n{title}\n" in said.out
    assert f"content hash: {Run.open(elsewhere / 'evening').summary()['content_hash']}\n" in said.out


def test_show_json_is_the_summary(evening: Said, fourfold: Fourfold, elsewhere: Path) -> None:
    assert fourfold("show", "./evening", "--json").out == (elsewhere / "evening/summary.json").read_text()


def test_an_option_that_differs_and_entrants_of_several_seats_are_said(fourfold: Fourfold) -> None:
    said = fourfold(
        "run",
        "vierer",
        "--deals",
        "4",
        "--bots",
        "random,random:reflex=2,random",
        "--option",
        "knock_penalty=20",
    )
    assert "options: knock_penalty=20\n" in said.out
    # Three bots on four seats: the first sits down again, and the third is the first.
    assert any(line.split()[:2] == ["random", "3"] for line in said.out.splitlines())
    assert any(line.split()[:2] == ["random:reflex=2", "1"] for line in said.out.splitlines())


def test_games_are_rounded_up_to_whole_deals_and_that_is_said(fourfold: Fourfold) -> None:
    said = fourfold("run", "vierer", "--games", "5")
    # Four different bots: every deal is four games, and two deals are eight.
    assert "Whole deals make 8 games of the 5 asked for.\n" in said.out


def test_a_run_is_found_by_its_name_and_lies_where_it_is_told(
    fourfold: Fourfold, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOURFOLD_RUNS", str(elsewhere / "all"))
    summary = json.loads(fourfold("run", "vierer", "--deals", "1", "--json").out)
    name = f"vierer-{summary['identity'][:8]}"
    assert (elsewhere / "all" / name / "summary.json").is_file()
    assert fourfold("show", name).out.startswith(f"{name}: vierer, 4 seats, 1 deal, 4 games\n")
    near = fourfold("show", f"{name[:-1]}x")
    assert f"Did you mean '{name}'?" in near.err


@pytest.mark.parametrize("flags", [[], ["--threads", "2", "--part", "3"], ["--detail", "summary"]])
def test_threads_parts_and_detail_change_no_cell(evening: Said, fourfold: Fourfold, flags: list[str]) -> None:
    said = fourfold("run", "vierer", "--deals", "20", "--out", "other", *flags)
    assert said.out.split("content hash: ")[1][:32] == evening.out.split("content hash: ")[1][:32]


def test_a_job_file_is_the_same_job(evening: Said, fourfold: Fourfold, elsewhere: Path) -> None:
    (elsewhere / "job.toml").write_text('game = "vierer"\ndeals = 20\n')
    said = fourfold("run", "job.toml", "--out", "evening")
    assert "The run was complete already; nothing was played." in said.out


OWN_BOT = '''
from sim.contract import Parameter, bot
from sim.games.vierer.engine import nth_legal

@bot(Parameter("share", 0.5, 0, 1, "does nothing"))
def lazy(view):
    """Takes the first legal action."""
    return nth_legal(view, 0)

@bot()
def wrong(view):
    """Answers what is never allowed."""
    return -7

@bot()
def mute(view):
    """Never answers."""
    number = int(view.turn)
    while number != 1:
        number |= 2
    return 0

@bot()
def blind(view):
    """Reads what is not there."""
    return view.nothing
'''


def test_a_bot_of_ones_own_plays(fourfold: Fourfold, elsewhere: Path) -> None:
    (elsewhere / "mine.py").write_text(OWN_BOT)
    said = fourfold("run", "vierer", "--deals", "2", "--bots", "mine.py:lazy:share=0.25,random", "--out", "own")
    assert said.status == 0
    assert "entrants: lazy:share=0.25, random\n" in said.out
    assert fourfold("verify", "./own", "--sample", "1").out.endswith("all as stored.\n")


def test_a_bot_that_acts_illegally_is_named_with_the_command_that_replays_its_game(
    fourfold: Fourfold, elsewhere: Path
) -> None:
    (elsewhere / "mine.py").write_text(OWN_BOT)
    said = fourfold("run", "vierer", "--deals", "2", "--bots", "mine.py:wrong,random", "--out", "own")
    assert (said.status, said.out) == (1, "")
    assert "-7" in said.err
    assert said.err.splitlines()[-1].startswith("Replay it: fourfold replay ")


SHORT = "import workers.play.replay; workers.play.replay.REPLAY_LIMIT_S = 1.0"


@pytest.fixture
def mute(elsewhere: Path, process: Start) -> Path:
    """A run that a bot has stopped by never answering."""
    (elsewhere / "mine.py").write_text(OWN_BOT)
    started = process(
        "run", "vierer", "--deals", "2", "--bots", "mine.py:mute,random", "--game-timeout", "1", "--out", "mute"
    )
    _, err = started.communicate(timeout=200)
    assert "fourfold: Game 0 did not end within 1 s: a bot among mute, random does not answer" in err
    return elsewhere / "mute"


def test_a_replay_of_a_bot_that_never_answers_gives_up(mute: Path, process: Start) -> None:
    started = process("replay", mute, "--game", "0", first=SHORT)
    out, err = started.communicate(timeout=200)
    assert (started.returncode, out) == (1, "")
    assert err.endswith("fourfold: Game 0 of mute did not end within 1 s: a bot does not answer.\n")


def is_busy(started: psutil.Process) -> bool:
    """Whether a thread beside the first has been at work for half a second."""
    return any(thread.user_time > 0.5 for thread in started.threads() if thread.id != started.pid)


def test_a_replay_of_a_bot_that_never_answers_can_be_interrupted(mute: Path, process: Start) -> None:
    process("replay", mute, "--game", "0", first=SHORT).communicate(timeout=200)
    started = process("replay", mute, "--game", "0")  # what it needs is compiled now
    assert soon(lambda: is_busy(psutil.Process(started.pid)), 50)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=20)
    assert (started.returncode, out, "Traceback" in err) == (130, "", False)


@pytest.mark.parametrize("flags", [[], ["--part", "1"], ["--part", "2000"]])
def test_of_a_run_whose_bot_cannot_be_compiled_nothing_is_left(
    fourfold: Fourfold, elsewhere: Path, flags: list[str]
) -> None:
    (elsewhere / "mine.py").write_text(OWN_BOT)
    said = fourfold("run", "vierer", "--deals", "3000", "--bots", "mine.py:blind,random", "--out", "blind", *flags)
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith("fourfold: Bot 'blind' (mine.py, line ")
    assert not (elsewhere / "blind").exists()


def test_replay_tells_a_game_for_all_and_as_one_seat_saw_it(evening: Said, fourfold: Fourfold) -> None:
    everybody = fourfold("replay", "./evening", "--game", "5")
    seat = fourfold("replay", "./evening", "--game", "5", "--seat", "2")
    transcript = json.loads(fourfold("replay", "./evening", "--game", "5", "--json").out)
    assert (everybody.status, seat.status) == (0, 0)
    # Game 5 is rotation 1 of deal 1.
    assert (transcript["deal"], transcript["rotation"]) == (1, 1)
    assert transcript["events"][-1]["event"] == "game_end"
    assert everybody.out != seat.out
    assert all(name in everybody.out for name in transcript["entrants"])


def test_replay_refuses_games_and_seats_that_are_not_there(evening: Said, fourfold: Fourfold) -> None:
    for game in ("80", "-1", "9" * 32):
        said = fourfold("replay", "./evening", "--game", game)
        assert (said.status, said.out) == (1, "")
        assert said.err == f"fourfold: Run evening has no game {game}; its games are numbered from 0 to at most 79.\n"
    said = fourfold("replay", "./evening", "--game", "0", "--seat", "4")
    assert (said.status, said.err) == (1, "fourfold: There is no seat 4; the seats are 0 to 3.\n")


def test_verify_finds_nothing_in_a_sound_run(evening: Said, fourfold: Fourfold) -> None:
    said = fourfold("verify", "./evening", "--sample", "1")
    # 20 deals in parts of 8 are 3 parts; every game is played again.
    assert (said.status, said.out) == (0, "3 parts checked, 80 games played again: all as stored.\n")


def test_verify_names_what_is_damaged(evening: Said, fourfold: Fourfold, elsewhere: Path) -> None:
    table = elsewhere / "evening/games/00001.parquet"
    table.write_bytes(table.read_bytes()[:-1])
    said = fourfold("verify", "./evening")
    assert (said.status, said.err) == (1, "")
    assert said.out.splitlines()[0].startswith("games/00001.parquet: ")
    assert said.out.splitlines()[1].endswith(": 1 fault.")
    found = json.loads(fourfold("verify", "./evening", "--json").out)
    assert (found["checked_parts"], len(found["faults"])) == (3, 1)


@pytest.mark.parametrize("name", ["seats/00001.parquet", "games/00000.parquet", "sums/00002.json", "summary.json"])
@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_what_is_damaged_is_played_again_by_the_same_command(
    evening: Said, fourfold: Fourfold, elsewhere: Path, name: str, damage: str
) -> None:
    file = elsewhere / "evening" / name
    whole = file.read_bytes()
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(whole[:-9] if damage == "cut" else whole[:20] + bytes([whole[20] ^ 1]) + whole[21:])
    said = fourfold("run", "vierer", "--deals", "20", "--out", "evening")
    assert (said.status, file.read_bytes()) == (0, whole)
    assert fourfold("verify", "./evening", "--sample", "1").status == 0


def test_a_run_that_is_not_finished_has_no_figures(evening: Said, fourfold: Fourfold, elsewhere: Path) -> None:
    (elsewhere / "evening/summary.json").unlink()
    (elsewhere / "evening/sums/00002.json").unlink()
    said = fourfold("show", "./evening")
    assert (said.status, said.out) == (1, "")
    assert said.err == (
        "fourfold: Run evening has stopped, 2 of 3 parts done: it is on no queue.\n"
        f"Go on with: fourfold resume {elsewhere}/evening\n"
    )
    assert fourfold("run", "vierer", "--deals", "20", "--out", "evening").out == evening.out


def test_the_queue_gives_the_same_cells(evening: Said, fourfold: Fourfold) -> None:
    said = fourfold("submit", "vierer", "--deals", "20", "--part", "5", "--wait", "--workers", "1", "--out", "queued")
    assert said.status == 0
    assert said.out.split("content hash: ")[1][:32] == evening.out.split("content hash: ")[1][:32]


def committed(folder: Path) -> int:
    return len(list(folder.glob("sums/*.json")))


@pytest.mark.parametrize(
    ("number", "status", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_an_interrupted_run_keeps_what_is_done_and_goes_on_from_there(
    process: Start, elsewhere: Path, number: signal.Signals, status: int, word: str
) -> None:
    words = [
        "run",
        "vierer",
        "--deals",
        "1000000",
        "--part",
        "500",
        "--detail",
        "summary",
        "--out",
        elsewhere / "long",
    ]
    started = process(*words)
    deadline = time.monotonic() + 180  # a cold kernel is compiled first
    while committed(elsewhere / "long") < 2:
        assert started.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    started.send_signal(number)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (status, "")
    assert f"What is done stays in {elsewhere}/long; the same command goes on from there.\n" in err
    assert err.endswith(f"fourfold: {word}\n")
    assert "Traceback" not in err
    assert committed(elsewhere / "long") >= 2


def test_progress_is_shown_on_a_terminal_only(process: Start, elsewhere: Path) -> None:
    mine, theirs = pty.openpty()
    started = process("run", "vierer", "--deals", "2000", "--out", elsewhere / "seen", stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while block := os.read(mine, 1 << 16):
            seen += block
    except OSError:  # the end of a terminal whose other side is closed
        pass
    out, _ = started.communicate()
    assert started.returncode == 0
    assert b"of 8,000 games" in seen
    assert b"\x1b[" not in out.encode()
