"""What README.md and docs/commands.md say is so."""

import importlib
import re
from pathlib import Path

import pytest

from cli.main import COMMANDS
from tests.cli.conftest import ROOT, Fourfold
from tests.docs.pages import console, is_shown

README = (ROOT / "README.md").read_text()
PAGE = (ROOT / "docs" / "commands.md").read_text()
TOURNAMENTS = (ROOT / "docs" / "tournaments.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_names_every_command_and_flag(name: str) -> None:
    command = importlib.import_module(f"cli.commands.{name}").command
    flags = [flag for parameter in command.params for flag in parameter.opts if flag.startswith("--")]
    assert f"| `{name}" in PAGE
    pages = PAGE + TOURNAMENTS if name == "tournament" else PAGE
    assert [flag for flag in flags if flag not in pages] == []


@pytest.mark.parametrize("text", [README, PAGE, TOURNAMENTS])
def test_every_link_leads_somewhere(text: str) -> None:
    base = ROOT if text is README else ROOT / "docs"
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    assert [link for link in links if not (base / link).exists()] == []


@pytest.mark.parametrize("text", [README, PAGE])
def test_job_files_can_be_played(
    fourfold: Fourfold, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (job,) = blocks(text, "toml")
    Path("evening.toml").write_text(re.sub(r"games = [\d_]+", "games = 8", job))
    assert fourfold("run", "evening.toml", "--out", "runs/evening").status == 0


def test_what_the_readme_prints_is_printed(
    fourfold: Fourfold, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (job,) = blocks(README, "toml")
    Path("evening.toml").write_text(job)
    (session,) = (block for block in blocks(README, "console") if "evening" in block)
    for line, shown in re.findall(r"^\$ fourfold (.*)\n((?:[^$].*\n|\n)*)", session, re.MULTILINE):
        printed = fourfold(*line.split()).out.lstrip("\n").splitlines()
        assert [words.rstrip() for words in printed[: shown.count("\n") - 1]] == shown.splitlines()[:-1]
        assert shown.splitlines()[-1] == "..."
    (session,) = (block for block in blocks(README, "console") if "championship" in block)
    for line, shown in console(session):
        assert is_shown(shown, fourfold(*line.split()[1:]).out), line
    written = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert len(written) == 2
    for code, said in written:
        capsys.readouterr()
        exec(compile(code, "README.md", "exec"), {})
        assert capsys.readouterr().out == said
