"""Job files by the thousand, none of them well-formed in every place: each is read, or refused in one sentence."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from sim.errors import FourfoldError
from workers.jobs import read_job

BOT = "from sim.contract import bot\n\n\n@bot()\ndef plain(view):\n    return 0\n"
FILES: dict[str, str | bytes] = {
    "good.py": BOT,
    "exits.py": "raise SystemExit(4)\n",
    "interrupts.py": "raise KeyboardInterrupt\n",
    "syntax.py": "def (:\n",
    "deep.py": "x = " + "(" * 5000 + ")" * 5000 + "\n",
    "minus.py": "x = " + "-" * 8_000 + "1\n",
    "nul.py": "x = '\0'\n",
    "latin.py": b"x = '\xff'\n",
    "cookie.py": "# -*- coding: klingon -*-\n",
    "odd é\u202e.py": BOT,
    "empty.py": "",
    "cards.txt": "1 orange\n",
    "big.txt": "1 orange\n" * 10_000,
}
WORDS = [
    *(f"{name}:plain" for name in FILES if name.endswith(".py")),
    "../outside.py:plain",
    "/etc/passwd.py:plain",
    "loop.py:plain",
    "dangling.py:plain",
    "folder.py:plain",
    "pipe.py:plain",
    "no\0file.py:plain",
    "\ud800.py:plain",
    "good.py:",
    ":plain",
    "good.py:\0",
    "good.py:__builtins__",
    "good.py:bot",
    "x" * 5000 + ".py:plain",
    "a/" * 3000 + "b.py:plain",
    ".py:plain",
    "random",
]
PATHS = [
    *FILES,
    "..",
    "../../../../etc/passwd",
    "/dev/zero",
    "/proc/self/mem",
    "pipe.py",
    "\0",
    "\ud800",
    "loop.py",
    "",
]

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats()
    | st.text(st.characters(), max_size=10)
    | st.sampled_from([*WORDS, *PATHS, "vierer", "inf", "nan", "1e400", "9" * 5000]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)
KEYS = ("kind", "game", "seats", "entrants", "deals", "games", "seed", "rotate", "options")
ENTRANTS = st.fixed_dictionaries(
    {"bot": st.sampled_from(WORDS) | VALUES},
    optional={"name": VALUES, "parameters": VALUES, "skills": VALUES, "source": VALUES, "x": VALUES},
)
DOCUMENTS = st.fixed_dictionaries(
    {"game": st.just("vierer")},
    optional={
        **{key: VALUES for key in KEYS if key not in {"game", "entrants", "options"}},
        "entrants": st.lists(ENTRANTS, max_size=3) | VALUES,
        "options": st.dictionaries(st.sampled_from(["deck", "knock_penalty", "x", "cards"]), VALUES, max_size=3)
        | VALUES,
    },
) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), VALUES, max_size=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("jobs")
    (place / "inner").mkdir()
    for name, content in FILES.items():
        (place / "inner" / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (place / "outside.py").write_text(BOT)
    (place / "inner" / "loop.py").symlink_to("loop.py")
    (place / "inner" / "dangling.py").symlink_to("nowhere")
    (place / "inner" / "folder.py").mkdir()
    os.mkfifo(place / "inner" / "pipe.py")
    return place / "inner"


def toml(value: Any) -> str:
    """A value as TOML writes it, or nearly: what TOML has not is written as JSON does."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, float):
        return str(value)
    return json.dumps(value)


def is_read_or_refused(file: Path, content: bytes) -> bool:
    """Read a job file; anything but a FourfoldError fails the test. Whether it was refused."""
    file.write_bytes(content)
    try:
        read_job(file)
    except FourfoldError:
        return True
    return False


Test = TypeVar("Test", bound=Callable[..., None])


def fuzz(examples: int, number: int) -> Callable[[Test], Test]:
    """The same examples in every run."""
    chosen = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    return lambda test: seed(number)(chosen(test))


@fuzz(1000, 1)
@given(document=DOCUMENTS)
def test_documents_with_anything_in_any_place_are_refused_in_a_sentence(folder: Path, document: Any) -> None:
    is_read_or_refused(folder / "job.json", json.dumps(document).encode())
    if isinstance(document, dict):
        lines = [f"{json.dumps(key)} = {toml(value)}" for key, value in document.items()]
        is_read_or_refused(folder / "job.toml", "\n".join(lines).encode())


GOOD = b'game = "vierer"\ndeals = 3\noptions = {deck = "cards.txt"}\n[[entrants]]\nbot = "good.py:plain"\n'
GOOD_JSON = b'{"game": "vierer", "deals": 3, "entrants": [{"bot": "good.py:plain"}], "options": {"knock_penalty": 5}}'


@fuzz(800, 2)
@given(at=st.integers(0, 120), cut=st.integers(0, 9), put=st.binary(max_size=6))
def test_files_with_any_bytes_in_any_place_are_refused_in_a_sentence(
    folder: Path, at: int, cut: int, put: bytes
) -> None:
    for name, good in (("job.toml", GOOD), ("job.json", GOOD_JSON)):
        is_read_or_refused(folder / name, good[:at] + put + good[at + cut :])


@pytest.mark.parametrize("word", WORDS)
def test_every_odd_word_for_a_bot_is_refused_in_a_sentence(folder: Path, word: str) -> None:
    content = json.dumps({"game": "vierer", "deals": 1, "entrants": [{"bot": word}]}).encode()
    is_good = word in ("good.py:plain", "../outside.py:plain", "random") or word.startswith("odd")
    assert is_read_or_refused(folder / "job.json", content) == (not is_good)


@pytest.mark.parametrize("path", PATHS)
def test_every_odd_path_for_an_option_that_takes_a_file_is_refused_in_a_sentence(folder: Path, path: str) -> None:
    content = json.dumps({"game": "vierer", "deals": 1, "options": {"deck": path}}).encode()
    assert is_read_or_refused(folder / "job.json", content)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("job.json", b"[" * 30_000),
        ("job.json", b'{"a":' * 6000),
        ("job.toml", b"x = " + b"[" * 30_000),
        ("job.toml", b"x = " + b"{a=" * 10_000),
        ("job.toml", b"a." * 2000 + b"b = 1"),
        ("job.json", b"9" * 30_000),
        ("job.toml", b"x = " + b"9" * 30_000),
        ("job.json", b'{"game": "vierer", "deals": ' + b"9" * 5000 + b"}"),
        ("job.json", b" " * (1 << 15) + b" "),
        ("job.json", b"\xef\xbb\xbf{}"),
        ("job.json", b'{"game": "\\ud800"}'),
        ("job.json", b'{"game": "vierer\\u0000", "deals": 1}'),
        ("job.toml", b"game = 2026-11-30\n"),
        ("job.toml", b"game = 'vierer'\ndeals = 12:00:00\n"),
    ],
)
def test_deep_long_and_odd_files_are_refused_in_a_sentence(folder: Path, name: str, content: bytes) -> None:
    assert is_read_or_refused(folder / name, content)


@pytest.mark.parametrize(
    "name", ["no\0job.toml", "\ud800.json", "x" * 300 + ".toml", "folder.py", "loop.py", "pipe.py", ""]
)
def test_every_odd_path_for_a_job_file_is_refused_in_a_sentence(folder: Path, name: str) -> None:
    with pytest.raises(FourfoldError):
        read_job(folder / name)
