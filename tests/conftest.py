"""What all tests share."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(autouse=True, scope="session")
def runtime_folder() -> Iterator[Path]:
    """Keep the tests' servers apart from the user's own, in a folder with a path short enough."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="ff") as folder:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        patch.delenv("FOURFOLD_BROKER", raising=False)
        yield Path(folder)


@pytest.fixture
def tiny_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the games of `tests.tiny` stand among those that are found by scanning, in this process."""
    from sim import contract
    from tests.tiny import RELAY, SOLO

    for game in (RELAY, SOLO):
        module = ModuleType(f"sim.games.{game.name}")
        module.__dict__["GAME"] = game
        monkeypatch.setitem(sys.modules, module.__name__, module)
    names = sorted([*contract.game_names(), RELAY.name, SOLO.name])
    monkeypatch.setattr(contract, "game_names", lambda: names)
    # Nobody else knows them, so nobody can compile them for this process.
    monkeypatch.setattr("sim.compiled.is_warm", lambda folder, kernel="play_list", module="engine": True)
