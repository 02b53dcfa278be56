import contextlib
import io
from typing import Any

from tests.docs.pages import blocks, is_shown, page


def test_the_block_runs_and_prints_what_the_page_shows() -> None:
    (language, code), (_, shown) = blocks(page("docs/ratings.md"))
    names: dict[str, Any] = {}
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, names)
    assert language == "python"
    assert is_shown(shown, output.getvalue()), output.getvalue()
