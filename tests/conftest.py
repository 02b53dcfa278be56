"""What all tests share."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def runtime_folder() -> Iterator[Path]:
    """Keep the tests' servers apart from the user's own, in a folder with a path short enough."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="ff") as folder:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        patch.delenv("FOURFOLD_BROKER", raising=False)
        yield Path(folder)
