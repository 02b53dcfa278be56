import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sim.tournament.formats import FORMATS, PRESETS
from tests.docs.pages import ROOT, blocks, console, is_shown, page, rows

PAGE = page("docs/tournaments.md")
CONSOLE = [pair for language, content in blocks(PAGE) if language == "console" for pair in console(content)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the page's commands work, and where their runs are left."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "docs").symlink_to(ROOT / "docs")
    return folder


@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=range(len(CONSOLE)))
def test_a_command_prints_what_the_page_shows(
    command: str, shown: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FOURFOLD_RUNS", raising=False)
    ended = subprocess.run(
        ["bash", "-c", command], cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert is_shown(shown, ended.stdout), ended.stdout


def test_the_python_of_the_page_prints_what_the_page_shows(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The commands above have left their runs there.
    monkeypatch.chdir(place)
    (code,) = [content for language, content in blocks(PAGE) if language == "python"]
    (shown,) = [content for language, content in blocks(PAGE) if language == "text"]
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, {})
    assert output.getvalue() == shown


def test_the_job_file_is_shown_as_it_is() -> None:
    assert ("toml", page("docs/examples/championship.toml")) in blocks(PAGE)


def test_every_format_and_every_other_name_of_one_is_in_the_table() -> None:
    named = [
        re.findall(r"`(\w+)`", row[0]) for row in rows(PAGE, "`fourfold formats` prints every setting with its bounds.")
    ]
    assert [names[0] for names in named] == list(FORMATS)
    assert {name for names in named for name in names[1:]} == set(PRESETS)
