"""What a user can get wrong: a line or two, the right exit status, no traceback, nothing on standard output."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Fourfold

HUGE = "9" * 32

COMMAND_LINES = {
    "a game that is not there": (
        ["run", "vierrer", "--games", "4"],
        "Unknown game 'vierrer'. Did you mean 'vierer'?",
    ),
    "a game in two lines": (["run", "vie\nrer"], "Unknown game 'vie"),
    "a bot that is not there": (
        ["--bots", "carefull"],
        "Unknown bot 'carefull' of vierer. Did you mean 'careful'?",
    ),
    "no bot": (["--bots", ""], "Option '--bots' has an empty place"),
    "an empty place": (["--bots", "random,,random"], "Option '--bots' has an empty place"),
    "an option that is not there": (
        ["--option", "knock_penalt=3"],
        "Unknown option 'knock_penalt' of vierer. Did",
    ),
    "an option without value": (["--option", "tie"], "Option 'tie' has no value"),
    "a number that is too large": (
        ["--option", "knock_penalty=101"],
        "Option 'knock_penalty' is '101'; allowed: 0 to",
    ),
    "a number that is huge": (
        ["--option", f"limit={HUGE}"],
        f"Option 'limit' is '{HUGE}'; allowed: 10 to 1000.",
    ),
    "a word that is none of the choices": (
        ["--option", "give=often"],
        "Option 'give' is 'often'; allowed: optional",
    ),
    "a deck that is not there": (
        ["--option", "deck=no.txt"],
        "Option 'deck' is default52 or a file: no.txt cannot be read",
    ),
    "a parameter that is not there": (
        ["--bots", "careful:memry=3"],
        "Unknown parameter 'memry' of bot 'careful'. Did",
    ),
    "a parameter out of range": (
        ["--bots", "careful:memory=0"],
        "bot 'careful': 'memory' is '0'; allowed are",
    ),
    "a parameter that is no number": (
        ["--bots", "careful:memory=nan"],
        "bot 'careful': 'memory' is 'nan'; allowed",
    ),
    "a skill out of range": (["--bots", "careful:reflex=-1"], "bot 'careful': 'reflex' is '-1'; allowed are"),
    "a bot file that is not there": (["--bots", "no.py:x"], "Bot file no.py does not exist."),
    "no games": (["--games", "0"], "The number of games is 0; allowed are 1 to"),
    "less than no games": (["--games", "-3"], "The number of games is -3; allowed are 1 to"),
    "no deals": (["--deals", "0"], "The number of deals is 0; allowed are 1 to"),
    "more games than there can be": (["--games", HUGE], f"The number of games is {HUGE}; allowed are 1 to"),
    "more deals than there can be": (["--deals", HUGE], f"The number of deals is {HUGE}; allowed are 1 to"),
    "games that are no number": (
        ["--games", "1e3"],
        "Invalid value for '--games': '1e3' is not a valid integer.",
    ),
    "deals and games": (["--deals", "1", "--games", "1"], "Give either --deals or --games, not both."),
    "one seat": (["--seats", "1"], "Vierer is played by 2 to 8 seats; 1 are too few."),
    "nine seats": (["--seats", "9"], "Vierer is played by 2 to 8 seats; 9 are too many."),
    "a huge number of seats": (["--seats", HUGE], f"Vierer is played by 2 to 8 seats; {HUGE} are too many."),
    "more bots than seats": (["--seats", "2", "--bots", "random,random,random"], "3 bots for 2 seats"),
    "a seed below zero": (["--seed", "-1"], "The seed is -1; allowed are whole numbers from 0 to"),
    "a seed that is too large": (
        ["--seed", HUGE],
        f"The seed is {HUGE}; allowed are whole numbers from 0 to",
    ),
    "no deals in a part": (["--part", "0"], "Invalid value for '--part': 0 is not in the range"),
    "no threads": (["--threads", "0"], "Invalid value for '--threads': 0 is not in the range"),
    "a huge number of threads": (
        ["--threads", HUGE],
        f"Invalid value for '--threads': {HUGE} is not in the range",
    ),
    "threads that are no number": (
        ["--threads", "x"],
        "Invalid value for '--threads': 'x' is not a valid integer.",
    ),
    "no time for a game": (
        ["--game-timeout", "0"],
        "Invalid value for '--game-timeout': 0.0 is not in the range",
    ),
    "a time that is no number": (
        ["--game-timeout", "nan"],
        "Invalid value for '--game-timeout': 'nan' is not a num",
    ),
    "half the detail": (["--detail", "half"], "Invalid value for '--detail': 'half' is not one of"),
    "workers of its own for a run that is not waited for": (
        ["submit", "vierer", "--workers", "2"],
        "--workers goes with --wait; without it the workers play that are there.",
    ),
    "workers of its own for a run that is resumed and not waited for": (
        ["resume", "evening", "--workers", "2"],
        "--workers goes with --wait; without it the workers play that are there.",
    ),
    "no processes": (
        ["worker", "--processes", "0"],
        "Invalid value for '--processes' / '--workers': 0 is not in the range",
    ),
    "a worker for no broker": (["worker"], "Set FOURFOLD_BROKER=redis://HOST:6379 to the broker to work for; on this"),
    "no workers": (
        ["submit", "vierer", "--wait", "--workers", "0"],
        "Invalid value for '--workers': 0 is not",
    ),
    "a sample of nothing": (
        ["verify", "x", "--sample", "0"],
        "Invalid value for '--sample': 0.0 is not in the",
    ),
    "a sample that is no number": (
        ["verify", "x", "--sample", "nan"],
        "Invalid value for '--sample': 'nan' is not",
    ),
}


# A run that should not be there is seen in a folder of its own.
pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.mark.parametrize(("words", "message"), COMMAND_LINES.values(), ids=COMMAND_LINES.keys())
def test_a_wrong_command_line_is_told_and_leaves_nothing(
    fourfold: Fourfold, elsewhere: Path, words: list[str], message: str
) -> None:
    said = fourfold(*(words if not words[0].startswith("--") else ["run", "vierer", *words]))
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(f"fourfold: {message}")
    assert said.err.count("\n") <= 2
    assert "Traceback" not in said.err
    assert list(elsewhere.iterdir()) == []


JOB_FILES = {
    "not there": (None, "job.toml", "Job file: job.toml cannot be read: No such file or directory."),
    # Line 2 is `deals = = 3`: its value would begin in column 9.
    "broken TOML": (
        b'game = "vierer"\ndeals = = 3\n',
        "job.toml",
        "is no valid TOML: Invalid value (at line 2, column 9)",
    ),
    "broken JSON": (b'{"game": "vierer",}', "job.json", "is no valid JSON: "),
    "no table": (b"[1]", "job.json", "must name its game"),
    "no text": (b'game = "vierer"\xff\n', "job.toml", "is no UTF-8 text (byte 15)."),
    "another game": (
        b'game = "vierrer"\ndeals = 1\n',
        "job.toml",
        "Unknown game 'vierrer'. Did you mean 'vierer'?",
    ),
    "an unknown key": (
        b'game = "vierer"\ndeals = 1\nsede = 1\n',
        "job.toml",
        "Unknown key 'sede' in job file job.toml.",
    ),
    "a wrong type": (b'game = "vierer"\ndeals = "x"\n', "job.toml", "got `str` - at `deals`"),
    "neither deals nor games": (b'game = "vierer"\n', "job.toml", "must say either 'deals' or 'games'."),
    "no deals": (b'game = "vierer"\ndeals = 0\n', "job.toml", "The number of deals is 0; allowed are 1 to"),
}


@pytest.mark.parametrize(("content", "name", "message"), JOB_FILES.values(), ids=JOB_FILES.keys())
def test_a_wrong_job_file_is_the_fault_of_the_job(
    fourfold: Fourfold, elsewhere: Path, content: bytes | None, name: str, message: str
) -> None:
    if content is not None:
        (elsewhere / name).write_bytes(content)
    said = fourfold("run", name)
    assert (said.status, said.out) == (1, "")
    assert message in said.err
    assert said.err.startswith("fourfold: ")
    assert said.err.count("\n") == 1


def test_what_a_job_file_says_stands_not_on_the_command_line_too(fourfold: Fourfold, elsewhere: Path) -> None:
    (elsewhere / "job.toml").write_text('game = "vierer"\ndeals = 1\n')
    said = fourfold("run", "job.toml", "--seed", "1", "--no-rotate")
    assert said.status == 2
    assert said.err.startswith("fourfold: --seed, --no-rotate cannot be given beside a job file")


@pytest.mark.parametrize("command", ["show", "verify", "replay", "watch", "cancel", "resume"])
def test_a_run_that_is_not_there_is_named(fourfold: Fourfold, elsewhere: Path, command: str) -> None:
    said = fourfold(command, "evening", *(["--game", "0"] if command == "replay" else []))
    assert (said.status, said.out) == (1, "")
    assert said.err == f"fourfold: There is no run in {elsewhere}/runs/evening.\n"


@pytest.mark.parametrize("out", ["file", "file/below"])
def test_a_file_in_the_place_of_the_folder_is_named(fourfold: Fourfold, elsewhere: Path, out: str) -> None:
    (elsewhere / "file").write_text("kept")
    said = fourfold("run", "vierer", "--deals", "1", "--out", out)
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith(f"fourfold: Cannot make folder {elsewhere}/{out}: ")
    assert (elsewhere / "file").read_text() == "kept"


def test_a_folder_that_cannot_be_written_is_named(fourfold: Fourfold, elsewhere: Path) -> None:
    elsewhere.chmod(0o500)
    # Root writes into every folder but those that the kernel makes up.
    place = Path("/proc/run") if os.geteuid() == 0 else elsewhere / "run"
    said = fourfold("run", "vierer", "--deals", "1", "--out", place)
    elsewhere.chmod(0o700)
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith(f"fourfold: Cannot make folder {place}: ")


def test_a_folder_of_other_things_is_left_alone(fourfold: Fourfold, elsewhere: Path) -> None:
    (elsewhere / "photo.jpg").write_text("x")
    said = fourfold("run", "vierer", "--deals", "1", "--out", elsewhere)
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith(f"fourfold: Folder {elsewhere} holds other files (photo.jpg, …) and no run.")
    assert [file.name for file in elsewhere.iterdir()] == ["photo.jpg"]


@pytest.mark.parametrize("flags", [[], ["--wait"]])
def test_a_broker_out_of_reach_is_status_3_and_its_password_is_not_told(
    fourfold: Fourfold, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str]
) -> None:
    monkeypatch.setenv("FOURFOLD_BROKER", "redis://:geheim@127.0.0.1:1")  # port 1 is nobody's
    said = fourfold("submit", "vierer", "--deals", "1", *flags)
    assert (said.status, said.out) == (3, "")
    assert said.err.splitlines()[-1].startswith("fourfold: The broker redis://***@127.0.0.1:1 is out of reach")
    assert "geheim" not in said.err
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("command", ["submit", "up", "worker"])
def test_a_url_that_is_none_of_a_broker_is_status_3(
    fourfold: Fourfold, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("FOURFOLD_BROKER", "amqp://here")
    said = fourfold(command, *(["vierer"] if command == "submit" else []))
    assert (said.status, said.out) == (3, "")
    assert said.err.startswith("fourfold: FOURFOLD_BROKER is 'amqp://here'. It must begin with one of: redis://,")
    assert list(elsewhere.iterdir()) == []


def test_with_nothing_up_a_job_is_not_queued_and_nothing_is_made(fourfold: Fourfold, elsewhere: Path) -> None:
    said = fourfold("submit", "vierer", "--deals", "1")
    assert (said.status, said.out) == (3, "")
    assert said.err == (
        "fourfold: Nothing is up on this machine to play it: start fourfold up in another terminal, or add --wait.\n"
    )
    assert list(elsewhere.iterdir()) == []
