import contextlib
import io
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT, blocks, is_shown, page


def test_every_block_runs_and_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FOURFOLD_RUNS", raising=False)
    names: dict[str, Any] = {}
    printed = ""
    for language, content in blocks(page("docs/python.md")):
        if language == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(content, names)
            printed = output.getvalue()
        else:
            assert is_shown(content, printed), f"The page shows:\n{content}\nbut this was printed:\n{printed}"
