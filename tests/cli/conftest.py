"""Runs `fourfold` as its users do: in this process for what it says, in one of its own for how it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.main import main

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Said:
    """The exit status of a command and what it printed."""

    status: int
    out: str
    err: str


Fourfold = Callable[..., Said]
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder of one's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FOURFOLD_RUNS", raising=False)
    return tmp_path


@pytest.fixture
def fourfold(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Fourfold:
    """Run a command line in this process, on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words: str | Path) -> Said:
        capsys.readouterr()
        status = main([str(word) for word in words])
        return Said(status, *capsys.readouterr())

    return run


@pytest.fixture
def process() -> Callable[..., "subprocess.Popen[str]"]:
    """Start a command line as a process of its own; with `first`, after that line of Python."""

    def start(*words: str | Path, first: str = "", **settings: object) -> "subprocess.Popen[str]":
        command = [
            sys.executable,
            "-c",
            f"{first}\nimport sys; from cli.main import main; sys.exit(main())",
            *map(str, words),
        ]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        given = {
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "env": environment,
            "text": True,
            # Who starts the tests in the background has them, and what they start, ignore Ctrl-C.
            "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            **settings,
        }
        return subprocess.Popen(command, **given)  # type: ignore[call-overload, no-any-return]

    return start
