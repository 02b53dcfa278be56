import os
import subprocess
import sys

import pytest

from cli.main import COMMANDS
from tests.cli.conftest import ROOT, Fourfold, Start

HEAVY = ("numba", "numpy", "pyarrow", "celery", "redis", "rich", "msgspec")


def test_help_names_every_command_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from cli.main import main; status = main(['--help']); "
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), status)"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "[] 0"
    for name in COMMANDS:
        assert f"\n  {name} " in said


def test_no_words_print_the_help(fourfold: Fourfold) -> None:
    assert fourfold() == fourfold("--help")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_ends_with_an_example(fourfold: Fourfold, name: str) -> None:
    said = fourfold(name, "--help")
    examples = said.out.split("\nExamples:\n")[1].splitlines()
    assert said.status == 0
    assert all(f"fourfold {name}" in example for example in examples)
    assert max(map(len, said.out.splitlines())) <= 80


def test_version(fourfold: Fourfold) -> None:
    assert fourfold("--version").out == "fourfold 0.1.0\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sho"], "Unknown command 'sho'. Did you mean 'show'?"),
        (["run"], "Missing argument 'GAME|JOB.toml'."),
        (["--faster"], "No such option '--faster'."),
        (["replay", "x"], "Missing option '--game'."),
        (["bots", "vierrer"], "Unknown game 'vierrer'. Did you mean 'vierer'?"),
        (["games", "vierrer"], "Unknown game 'vierrer'. Did you mean 'vierer'?"),
        (["replay", "x", "--game", "0", "--seat", "0", "--json"], "--json prints the whole transcript"),
    ],
)
def test_wrong_use_is_said_in_two_lines_at_most(fourfold: Fourfold, words: list[str], message: str) -> None:
    said = fourfold(*words)
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(f"fourfold: {message}")
    assert said.err.count("\n") <= 2


def test_control_characters_of_others_reach_no_terminal(fourfold: Fourfold) -> None:
    said = fourfold("bots", "a\x1b[31m\rb")
    assert said.status == 2
    assert said.err.startswith("fourfold: Unknown game 'a\\x1b[31m\\rb'.")


@pytest.mark.parametrize("place", [["--debug", "bots", "x"], ["bots", "x", "--debug"]])
def test_debug_shows_the_traceback_before_or_after_the_command(fourfold: Fourfold, place: list[str]) -> None:
    said = fourfold(*place)
    assert said.status == 2
    assert said.err.startswith("Traceback")
    assert "\nfourfold: Unknown game 'x'." in said.err


def test_a_fault_of_our_own_is_one_line(fourfold: Fourfold, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> list[str]:
        raise ZeroDivisionError("first\nsecond")

    monkeypatch.setattr("sim.contract.game_names", broken)
    said = fourfold("games")
    assert said.status == 1
    assert said.err == "fourfold: internal error: ZeroDivisionError: first second; run with --debug\n"


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_reader_that_has_enough_is_not_told(process: Start, flags: list[str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    started = process("games", *flags, stdout=write_end)
    os.close(write_end)
    _, err = started.communicate()
    assert (started.returncode, err) == (1, "")


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_output_that_cannot_be_written_is_said(process: Start, flags: list[str]) -> None:
    with open("/dev/full", "w") as full:
        started = process("games", *flags, stdout=full)
        _, err = started.communicate()
    assert (started.returncode, err) == (1, "fourfold: [Errno 28] No space left on device\n")
