import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sim.errors import BrokerError
from tests.workers.conftest import processes, soon
from workers.broker.embedded import (
    REACH_S,
    VARIABLE,
    answers,
    broker,
    check,
    checked_url,
    client,
    is_private,
    masked,
    server_binary,
    server_folder,
)


def server_of(folder: Path) -> int:
    return int((folder / "server.pid").read_text())


def test_embedded_server_answers_on_a_private_socket_alone_and_leaves_nothing(tmp_path: Path) -> None:
    folder = server_folder(tmp_path)
    with broker(home=tmp_path) as url:
        check(url)
        assert url == f"redis+socket://{folder}/s?virtual_host=0"
        asked = client(url)
        wanted = {
            "port": "0",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "maxmemory-policy": "noeviction",
        }
        assert {name: asked.config_get(name)[name] for name in wanted} == wanted
        asked.close()
        assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777 == 0o700
        assert (folder / "s").stat().st_mode & 0o777 == 0o700
    assert not processes(str(folder))
    assert list(folder.parent.iterdir()) == []


def test_messages_outlive_a_kill_of_the_server(tmp_path: Path) -> None:
    folder = server_folder(tmp_path)
    with broker(home=tmp_path) as url, client(url) as asked:
        for number in range(500):
            asked.rpush("kept", number)
        killed = server_of(folder)
        os.kill(killed, signal.SIGKILL)
        assert soon(lambda: answers(folder / "s") and server_of(folder) != killed)
        assert [int(value) for value in asked.lrange("kept", 0, -1)] == list(range(500))


def test_a_killed_keeper_is_replaced_and_takes_no_message_with_it(tmp_path: Path) -> None:
    folder = server_folder(tmp_path)
    with broker(home=tmp_path) as url, client(url) as asked:
        asked.set("kept", 4)
        killed = int((folder / "keeper").read_text())
        os.kill(killed, signal.SIGKILL)
        written = folder / "keeper"
        assert soon(lambda: written.read_text() not in ("", str(killed)) and answers(folder / "s"))
        assert soon(lambda: len(processes(f"unixsocket:{folder}")) == 1)
        with client(url) as anew:
            assert anew.get("kept") == b"4"
    assert not processes(str(folder))


SHARE = """
import sys
from pathlib import Path
from workers.broker.embedded import broker, client
with broker(home=Path(sys.argv[1])) as url, client(url) as asked:
    print(asked.info("server")["process_id"], flush=True)
    sys.stdin.read()
"""


def sharer(home: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SHARE, str(home)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline()


def test_six_simultaneous_starters_share_one_server_until_the_last_leaves(tmp_path: Path) -> None:
    folder = server_folder(tmp_path)
    sharers = [sharer(tmp_path) for _ in range(6)]
    assert len({first_line(process) for process in sharers}) == 1
    for process in sharers[:-1]:
        process.communicate("")
    assert answers(folder / "s")
    sharers[-1].communicate("")
    assert not processes(str(folder))
    assert list(folder.parent.iterdir()) == []


def test_nothing_stays_behind_when_the_only_user_is_killed(tmp_path: Path) -> None:
    folder = server_folder(tmp_path)
    with sharer(tmp_path) as process:
        assert int(first_line(process)) in [found.pid for found in processes(f"unixsocket:{folder}")]
        process.kill()
    assert soon(lambda: not processes(str(folder)) and list(folder.parent.iterdir()) == [])


def test_an_old_appendonly_file_with_a_torn_end_is_read(tmp_path: Path) -> None:
    folder = server_folder(tmp_path)
    with broker(home=tmp_path) as url, client(url) as asked:
        asked.rpush("kept", "whole")
        killed = server_of(folder)
        (file,) = (folder / "appendonlydir").glob("*.incr.aof")
        os.kill(int((folder / "keeper").read_text()), signal.SIGSTOP)
        os.kill(killed, signal.SIGKILL)
        with open(file, "ab") as torn:
            torn.write(b"*3\r\n$5\r\nRPUSH\r\n$4\r\nke")
        os.kill(int((folder / "keeper").read_text()), signal.SIGCONT)
        assert soon(lambda: answers(folder / "s") and server_of(folder) != killed)
        assert asked.lrange("kept", 0, -1) == [b"whole"]


def test_the_server_of_the_package_is_there_and_used_when_path_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    output = subprocess.run([server_binary(), "--version"], capture_output=True, text=True, check=True).stdout
    assert output.startswith("Valkey server v=9.1.")


def test_a_server_on_path_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("redis-server", "valkey-server"):
        (tmp_path / name).symlink_to("/bin/true")
        monkeypatch.setenv("PATH", str(tmp_path))
        assert server_binary() == str(tmp_path / name)


def test_a_server_that_does_not_start_is_an_error_with_its_last_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "valkey-server").write_text("#!/bin/sh\necho the moon is wrong >&2\nexit 1\n")
    (tmp_path / "valkey-server").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("workers.broker.embedded.START_S", 1.0)
    with pytest.raises(BrokerError, match=r"did not start within 1 s: the moon is wrong$"):
        broker(home=tmp_path).__enter__()
    assert not processes(str(server_folder(tmp_path)))


def test_a_runtime_folder_that_others_can_enter_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert server_folder(tmp_path).parent.name == f"fourfold-{os.getuid()}"


def test_a_link_in_place_of_the_private_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "fourfold").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert server_folder(tmp_path).parent != tmp_path / "fourfold"


def test_a_socket_path_too_long_for_the_kernel_is_not_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("d" * 80)
    deep.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    assert len(str(server_folder(tmp_path) / "s")) <= 107


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://user:secret@host:6379/0", "redis://***@host:6379/0"),
        ("redis://:se:cr/et@host", "redis://***@host"),
        ("redis://:s@cret@host/1?timeout=3", "redis://***@host/1"),
        ("redis://host/0?password=secret", "redis://host/0"),
        ("redis://:se?cret@host", "redis://***"),
        ("rediss://host/0?password=s@cret", "rediss://***"),
        ("redis://h:secret", "redis://***"),
        ("redis://:secret%40host/0", "redis://***"),
        ("redis://[::1]:6379/0", "redis://[::1]:6379/0"),
        ("redis+socket:///run/me/s?virtual_host=0", "redis+socket:///run/me/s"),
        ("redis+socket://me:secret@/run/s", "redis+socket://***@/run/s"),
        ("secret@redis://host", "***"),
        ("user:secret@host", "***"),
        ("host", "host"),
    ],
)
def test_a_shown_url_has_no_password(url: str, shown: str) -> None:
    assert masked(url) == shown


@pytest.mark.parametrize("url", ["amqp://u:secret@host", "secret@host", "sentinel://host", "", "redis://h:secret"])
def test_what_is_no_broker_url_is_refused_without_showing_a_password(url: str) -> None:
    with pytest.raises(BrokerError) as refused:
        checked_url(url)
    assert VARIABLE in str(refused.value)
    assert "u:secret" not in str(refused.value)


def test_a_broker_out_of_reach_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and not listening: connections are refused
        port = taken.getsockname()[1]
        monkeypatch.setenv(VARIABLE, f"redis://me:secret@127.0.0.1:{port}/0")
        with pytest.raises(BrokerError, match=rf"redis://\*\*\*@127\.0\.0\.1:{port}/0 is out of reach") as refused:
            broker().__enter__()
    assert "secret" not in str(refused.value)


def test_a_broker_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.broker.embedded.REACH_S", 0.2)
    assert REACH_S < 10
    with socket.create_server(("127.0.0.1", 0)) as deaf, pytest.raises(BrokerError, match="no answer"):
        check(f"redis://127.0.0.1:{deaf.getsockname()[1]}/0")


def test_the_named_broker_is_used_and_left_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with broker(home=tmp_path) as url:
        monkeypatch.setenv(VARIABLE, url)
        with broker() as named:
            assert named == url
        check(url)


def test_only_a_socket_in_a_folder_of_this_user_alone_is_private(tmp_path: Path) -> None:
    with broker(home=tmp_path) as url:
        assert is_private(url)
    (tmp_path / "closed").mkdir(mode=0o700)
    (tmp_path / "open").mkdir(mode=0o750)
    (tmp_path / "link").symlink_to("closed")
    assert is_private(f"redis+socket://{tmp_path}/closed/s?virtual_host=0")
    for place in ("open", "link", "nowhere"):
        assert not is_private(f"redis+socket://{tmp_path}/{place}/s?virtual_host=0")
    for elsewhere in ("redis://127.0.0.1:6379/0", "rediss://localhost/0", f"redis://{tmp_path}/closed/s"):
        assert not is_private(elsewhere)
