"""Where runs lie, and the words that open them."""

import os
from pathlib import Path

from results.store import Run
from sim.errors import StoreError


def runs_root() -> Path:
    """Say where runs lie: the folder that `FOURFOLD_RUNS` names, else `runs` in the current one."""
    return Path(os.environ.get("FOURFOLD_RUNS") or "runs")


def open_run(name: str) -> Run:
    """Open a run by its name in the runs' folder, or by a path.

    Raises
    ------
    StoreError
        If there is none; the message names the nearest.
    """
    if not name or "\0" in name:
        raise StoreError("A run has a name, as printed when it was made.")
    is_path = os.sep in name or (Path(name) / "job.json").is_file()
    return Run.open(Path(name) if is_path else runs_root() / name)


def replay_command(run: Run, game: int) -> str:
    """Give the command that replays a game of a run."""
    root = runs_root().resolve()
    location = Path(run.location)
    name = location.name if location.parent == root else run.location
    return f"fourfold replay {name} --game {game}"
