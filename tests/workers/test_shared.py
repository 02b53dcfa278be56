"""A shared broker, as docker-compose.yml sets it up: over TCP, with a user who may do only what Fourfold needs."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from sim.contract import game_names, load_game
from sim.errors import FourfoldError, StoreError
from sim.job import Job, make_job
from tests.workers.conftest import soon
from workers.broker.embedded import client, server_binary
from workers.broker.ledger import Ledger
from workers.places import located, root_mark, word_of
from workers.play.here import play_here
from workers.play.runs import create_run
from workers.service.queue import all_runs, check_place, look, state_of, submit, wait
from workers.service.supervisor import service

ROOT = Path(__file__).parents[2]
PASSWORD = "letters0and9digits"


@dataclass
class Shared:
    """The broker's URL, and the runs' folder that all see."""

    url: str
    root: Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    folder, port = tmp_path_factory.mktemp("shared"), free_port()
    compose = YAML(typ="safe").load(ROOT / "docker-compose.yml")["services"]
    _, *words = map(_filled, compose["broker"]["command"])
    url = _filled(compose["worker"]["environment"]["FOURFOLD_BROKER"]).replace("broker:6379", f"127.0.0.1:{port}")
    command = [server_binary(), *words, f"--port {port}", "--bind 127.0.0.1", f"--dir {folder}", "--save "]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOURFOLD_RUNS", str(folder / "runs"))
        patch.setenv("FOURFOLD_BROKER", url)
        assert soon(lambda: _answers(url))
        yield Shared(url, folder / "runs")
        server.terminate()


def _filled(word: str) -> str:
    """What compose makes of a word with the password in it."""
    return word.replace("${FOURFOLD_BROKER_PASSWORD:?set it in .env}", PASSWORD).replace(
        "${FOURFOLD_BROKER_PASSWORD}", PASSWORD
    )


def _answers(url: str) -> bool:
    try:
        return bool(client(url).ping())
    except Exception:
        return False


@pytest.fixture(scope="module")
def job() -> Job:
    return make_job(load_game("vierer"), deals=600, seed=8)


@contextmanager
def machine(shared: Shared, log: Path, root: Path | None = None) -> Iterator[None]:
    """A worker on another machine, with the runs' folder mounted at `root`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOURFOLD_RUNS", str(root or shared.root))
        with service(shared.url, 1, log=log):
            patch.undo()
            yield


def test_a_run_on_a_shared_broker_is_the_run_played_here(tmp_path: Path, shared: Shared, job: Job) -> None:
    here, table = create_run(job, {}, out=tmp_path / "here", part=250)
    summary = play_here(here, table)
    check_place(shared.url, None)
    run, _ = create_run(job, {}, part=100)
    assert submit(run, shared.url) == ["No worker is there: the run waits until one is. Start one: fourfold worker"]
    assert look(run, shared.url)["state"] == "queued"
    with machine(shared, tmp_path / "log"):
        assert soon(lambda: Ledger(client(shared.url)).workers())
        (worker,) = Ledger(client(shared.url)).workers()
        assert worker["games"] == {name: load_game(name).version for name in game_names()}
        assert worker["root"] == root_mark()
        assert wait(run, shared.url)["content_hash"] == summary["content_hash"]
        assert soon(lambda: look(run, shared.url)["state"] == "done")
    assert [row["state"] for row in all_runs(shared.root)] == ["done"]
    assert PASSWORD not in (tmp_path / "log").read_text()
    for file in run_files(Path(run.location)):
        assert PASSWORD.encode() not in file.read_bytes()
    shutil.rmtree(run.location)


def run_files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


def test_workers_that_see_another_folder_are_told_at_once(tmp_path: Path, shared: Shared, job: Job) -> None:
    (tmp_path / "elsewhere").mkdir()
    with machine(shared, tmp_path / "log", tmp_path / "elsewhere"):
        assert soon(lambda: Ledger(client(shared.url)).workers())
        with pytest.raises(StoreError, match=r"^No worker on this broker sees the runs' folder of this machine \("):
            check_place(shared.url, None)
        # A worker that sees it comes too: what the first one cannot see goes back and is played by the second.
        with machine(shared, tmp_path / "log2"):
            assert soon(lambda: len(Ledger(client(shared.url)).workers()) == 2)
            check_place(shared.url, None)
            run, _ = create_run(job, {}, part=50)
            submit(run, shared.url)
            wait(run, shared.url)
    words = (tmp_path / "log").read_text()
    assert f"The run {run.name} lies in another runs' folder than {tmp_path / 'elsewhere'}: mount" in words
    assert not run.failures()
    shutil.rmtree(run.location)


def test_two_teams_with_the_same_job_on_one_broker_each_get_their_run(
    tmp_path: Path, shared: Shared, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "theirs"
    hashes = []
    with machine(shared, tmp_path / "log"), machine(shared, tmp_path / "log2", theirs):
        runs = []
        for root in (shared.root, theirs):
            monkeypatch.setenv("FOURFOLD_RUNS", str(root))
            run, _ = create_run(job, {}, part=50)
            submit(run, shared.url)
            runs.append(run)
        assert runs[0].name == runs[1].name
        for run in runs:
            monkeypatch.setenv("FOURFOLD_RUNS", str(Path(run.location).parent))
            hashes.append(wait(run, shared.url)["content_hash"])
    assert hashes[0] == hashes[1]
    assert not runs[0].failures()
    assert not runs[1].failures()
    shutil.rmtree(runs[0].location)


def test_a_run_elsewhere_cannot_be_queued_for_other_machines(tmp_path: Path, shared: Shared, job: Job) -> None:
    with pytest.raises(StoreError, match="cannot be played on a shared broker: workers on other machines look in"):
        check_place(shared.url, tmp_path / "out")
    run, _ = create_run(job, {}, out=tmp_path / "out", part=600)
    with pytest.raises(StoreError, match="cannot be played on a shared broker"):
        submit(run, shared.url)
    assert state_of(run) == "stopped"


@pytest.mark.parametrize(
    "word",
    ["", "..", ".", "../out", "/etc", "a/b", "a\0b", "-x", ".hidden", "ａ", "a\u202eb", "a" * 201, "a\n", "é", "~root"],
)
def test_a_word_that_leaves_the_folder_is_refused(word: str, shared: Shared) -> None:
    with pytest.raises(FourfoldError, match="is no name of a run"):
        located(f"{root_mark(make=True)}/{word}", private=False)
    for given in (word, f"{word}/run"):
        with pytest.raises(FourfoldError, match=r"lies in another runs' folder|is no name of a run"):
            located(given, private=False)


def test_a_link_among_the_runs_is_refused(tmp_path: Path, shared: Shared) -> None:
    shared.root.mkdir(exist_ok=True)
    (shared.root / "link").symlink_to(tmp_path)
    try:
        with pytest.raises(FourfoldError, match="is no folder"):
            located(f"{root_mark(make=True)}/link", private=False)
    finally:
        (shared.root / "link").unlink()


@pytest.mark.parametrize("word", ["", "run", "/a/../b", "/a//b", "/a\0b", "/a/", "/" + "a" * 5000, "./x"])
def test_a_location_that_is_no_plain_path_is_refused(word: str) -> None:
    with pytest.raises(FourfoldError, match=r"no absolute path|No run is seen"):
        located(word, private=True)


def test_a_runs_word_is_its_name_or_its_location(tmp_path: Path, shared: Shared) -> None:
    assert word_of(str(shared.root / "x-1"), private=False) == f"{root_mark()}/x-1"
    assert word_of(str(tmp_path / "x-1"), private=True) == str(tmp_path / "x-1")
