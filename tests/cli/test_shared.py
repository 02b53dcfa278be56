"""Submitting to a broker that several machines share, with workers that only say that they are there."""

import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Fourfold
from tests.workers.conftest import soon
from workers.broker.embedded import client, server_binary
from workers.broker.ledger import Ledger
from workers.places import root_mark
from workers.service import queue


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    """A broker on a port of this machine, named by FOURFOLD_BROKER."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    server = subprocess.Popen([server_binary(), *words], stdout=subprocess.DEVNULL)
    url = f"redis://127.0.0.1:{port}"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOURFOLD_BROKER", url)
    monkeypatch.delenv("FOURFOLD_RUNS", raising=False)
    monkeypatch.setattr(queue, "_MARK_S", 0.5)
    try:
        assert soon(lambda: not server.poll() and _is_up(url))
        yield Ledger(client(url))
    finally:
        server.kill()
        server.wait()


def _is_up(url: str) -> bool:
    import redis

    try:
        return bool(client(url).ping())
    except redis.RedisError:
        return False


def test_without_a_worker_a_job_is_queued_and_waits(fourfold: Fourfold, ledger: Ledger) -> None:
    said = fourfold("submit", "vierer", "--deals", "20")
    assert said.status == 0
    assert said.err == "No worker is there: the run waits until one is. Start one: fourfold worker\n"
    name = said.out.partition(":")[0]
    word = f"{root_mark()}/{name}"
    assert ledger.open_runs(root_mark()) == [word]
    known = json.loads(fourfold("watch", name, "--once", "--json").out)
    assert (known["state"], known["workers"], known["steward"]) == ("queued", [], None)
    # The broker knows of a run in this folder, and not of one of that name in another.
    ledger.close(word)
    ledger.open(f"another-folder/{name}")
    assert fourfold("watch", name).status == 1


def test_a_worker_that_sees_another_folder_is_told_before_anything_is_made(fourfold: Fourfold, ledger: Ledger) -> None:
    ledger.announce("there-1", {"root": "another folder", "processes": 2})
    said = fourfold("submit", "vierer", "--deals", "20")
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith("fourfold: No worker on this broker sees the runs' folder of this machine (there-1 ")
    assert [entry.name for entry in Path("runs").iterdir()] == [".fourfold"]
    ledger.announce("there-2", {"root": root_mark(), "processes": 2, "games": {"vierer": "0"}})
    said = fourfold("submit", "vierer", "--deals", "20")
    assert said.status == 0
    assert "No worker here holds version 1 of vierer (held: 0, none): the run waits until one comes.\n" in said.err


def test_a_run_elsewhere_is_not_for_workers_on_other_machines(
    fourfold: Fourfold, ledger: Ledger, tmp_path: Path
) -> None:
    for flags in ([], ["--wait"]):
        said = fourfold("submit", "vierer", "--deals", "20", "--out", "evening", *flags)
        assert (said.status, said.out) == (1, "")
        assert said.err.startswith(f"fourfold: The run in {tmp_path}/evening cannot be played on a shared broker")
        assert not Path("evening").exists()


@pytest.mark.parametrize("word", ["show", "runs"])
def test_the_state_of_a_run_is_unknown_where_the_broker_is_gone(
    fourfold: Fourfold, ledger: Ledger, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    name = fourfold("submit", "vierer", "--deals", "20").out.partition(":")[0]
    monkeypatch.setenv("FOURFOLD_BROKER", "redis://127.0.0.1:1")  # port 1 is nobody's
    said = fourfold(word, *([name] if word == "show" else []))
    assert said.status == 3
    assert "The broker redis://127.0.0.1:1 is out of reach" in said.err
