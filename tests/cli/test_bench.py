import json
from pathlib import Path

import pytest

from sim.contract import game_names
from tests.cli.conftest import Fourfold
from workers.play import benchmark


@pytest.fixture
def is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure for a moment instead of half a minute; what comes out is no measure then, but a figure."""
    monkeypatch.setattr(benchmark, "YARDSTICK_CALLS", 20_000)
    monkeypatch.setattr(benchmark, "ROUNDS", 1)
    monkeypatch.setattr(benchmark, "_SECONDS", 0.004)
    monkeypatch.setattr(benchmark, "writing_percent", lambda job: 3.0)


@pytest.mark.usefixtures("is_short")
def test_figures_are_kept_and_compared(fourfold: Fourfold, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    said = fourfold("bench", "--save", kept)
    assert (said.status, said.err) == (0, "")
    assert max(len(line.rstrip()) for line in said.out.splitlines()) <= 80
    figures = json.loads(kept.read_text())
    assert figures.keys() >= {"vierer_careful", "vierer_writing", "yardstick"}
    assert figures.keys() >= {f"{name}_random" for name in game_names()}
    assert {"value", "unit", "text"} == set(figures["vierer_random"])
    assert all(name in said.out for name in figures)

    # A thousandth of what was measured cannot be reached, a thousand times as much cannot be missed.
    measured = figures["vierer_random"]["value"]
    for figure in figures.values():
        figure["value"] *= 1000
    figures["vierer_random"]["value"] = measured / 1000
    kept.write_text(json.dumps(figures))
    slower = fourfold("bench", "--compare", kept)
    assert slower.status == 1
    assert slower.err.startswith("fourfold: vierer_random is ")
    assert slower.err.endswith("more than 25 % slower.\n")
    assert slower.err.count("\n") == 1

    figures["vierer_random"]["value"] = measured * 1000
    kept.write_text(json.dumps(figures))
    assert fourfold("bench", "--compare", kept, "--json").status == 0


@pytest.mark.parametrize(
    ("content", "message"), [(None, "cannot be read"), (b"\xff", "holds no figures"), (b"[1]", "holds no figures")]
)
def test_a_file_that_holds_no_figures_is_told_at_once(
    fourfold: Fourfold, tmp_path: Path, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "kept.json").write_bytes(content)
    said = fourfold("bench", "--compare", tmp_path / "kept.json")
    assert (said.status, said.out) == (2, "")
    assert message in said.err


def test_a_folder_that_is_not_there_is_told_at_once(fourfold: Fourfold, tmp_path: Path) -> None:
    said = fourfold("bench", "--save", tmp_path / "no" / "kept.json")
    assert said.status == 2
    assert said.err.startswith("fourfold: --save: ")
