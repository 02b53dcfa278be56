"""What `check` says of brokers that the queue cannot use, asked of real servers wherever there can be one."""

import re
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sim.errors import BrokerError
from tests.docs.pages import page
from tests.workers.conftest import soon
from tests.workers.standin import WORKER, FolderRun
from workers.broker.embedded import check, checked_url, client, masked, server_binary
from workers.places import word_of
from workers.service.app import celery_app
from workers.service.supervisor import service
from workers.service.tasks import queue_part
from workers.service.transport import refused

CERTIFICATE = str(Path(__file__).parent / "tls" / "both.pem")  # for 127.0.0.1, of no authority, with its key


# The rights of a user on the broker, as the manual gives them.
(RIGHTS,) = re.findall(r"`(~fourfold:[^`]+)`", page("docs/security.md"))


@contextmanager
def server(folder: Path, *options: str) -> Iterator[int]:
    """A real server on a port of this machine."""
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    words = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder), "--logfile", "log"]
    process = subprocess.Popen([server_binary(), *words, *options])

    def listens() -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True
        return False

    try:
        assert soon(listens)
        yield port
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server with a password, and users with few rights."""
    with server(tmp_path_factory.mktemp("guarded") / "data", "--requirepass", "hush") as port:
        with client(f"redis://:hush@127.0.0.1:{port}/0") as asked:
            users = {
                "told": RIGHTS,
                "mute": "~fourfold:* &* +@all -info -time",
                "other": "~other:* +@all",
                "reader": "~* +@read +ping +info +time",
            }
            for name, rights in users.items():
                asked.execute_command("ACL", "SETUSER", name, "on", ">hush", *rights.split())
        yield port


def said_of(url: str, now: Callable[[], float] = time.time) -> str:
    """What `check` says, once nothing of it can be a secret."""
    with pytest.raises(BrokerError) as refused:
        check(url, now)
    said = str(refused.value)
    assert "hush" not in said
    assert "\n" not in said
    assert said.startswith(f"The broker {masked(url)} ")
    assert said.endswith(".")
    return said


@contextmanager
def answering(answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """A port where every connection is answered in that way, and then closed."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=talk, args=listening.accept()[:1], daemon=True).start()

        def talk(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def saying(words: bytes) -> Callable[[socket.socket], None]:
    """Answers whatever is asked with these words."""

    def answer(connection: socket.socket) -> None:
        while connection.recv(4096):
            connection.sendall(words)

    return answer


def silent(connection: socket.socket) -> None:
    while connection.recv(4096):
        pass


def closing(connection: socket.socket) -> None:
    connection.recv(1)


def babbling(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"x" * 65536)


def old(connection: socket.socket) -> None:
    """A server of before Redis 6, which does not know HELLO."""
    version = b"# Server\r\nredis_version:5.0.14\r\n"
    asked = b""
    while more := connection.recv(4096):
        asked += more
        while b"\r\n" in asked:
            line, _, asked = asked.partition(b"\r\n")
            match line.upper():
                case b"PING":
                    connection.sendall(b"+PONG\r\n")
                case b"INFO":
                    connection.sendall(b"$%d\r\n%s\r\n" % (len(version), version))
                case b"HELLO" | b"CLIENT":
                    connection.sendall(b"-ERR unknown command `%s`, with args\r\n" % line)


def test_a_server_that_is_down_is_out_of_reach() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        said = said_of(f"redis://:hush@127.0.0.1:{taken.getsockname()[1]}/0")
    assert "is out of reach (connection refused): start it, or unset FOURFOLD_BROKER" in said


def test_a_socket_that_is_not_there_is_out_of_reach() -> None:
    assert "is out of reach (no such file or directory): start it" in said_of(
        "redis+socket:///nowhere/s?virtual_host=0"
    )


def test_a_host_that_is_not_there_is_out_of_reach() -> None:
    said = said_of("redis://:hush@no-such-host.invalid:6379/0")
    assert "is out of reach (" in said


@pytest.mark.parametrize(
    ("user", "words"),
    [
        ("", "asks for a password: give it in the URL, as in redis://USER:PASSWORD@HOST"),
        (":hushhush@", "refuses the user or the password of its URL"),
        ("nobody:hush@", "refuses the user or the password of its URL"),
        ("other:hush@", "does not let its user do what the queue needs"),
        ("reader:hush@", "does not let its user do what the queue needs"),
    ],
)
def test_a_password_that_is_wanted_or_refused_and_rights_that_lack_are_told(
    guarded: int, user: str, words: str
) -> None:
    assert words in said_of(f"redis://{user}127.0.0.1:{guarded}/0")


@pytest.mark.parametrize("user", [":hush@", "default:hush@", "told:hush@", "mute:hush@", "told:h%75sh@"])
def test_a_user_with_the_rights_of_the_manual_or_without_info_and_time_is_let_through(guarded: int, user: str) -> None:
    check(f"redis://{user}127.0.0.1:{guarded}/0", now=time.time if "mute" not in user else lambda: 0.0)


def test_the_rights_of_the_manual_are_enough_for_the_queue_over_tcp(
    guarded: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOURFOLD_RUNS", str(tmp_path))
    url = f"redis://told:hush@127.0.0.1:{guarded}/0"
    run = FolderRun.create(tmp_path / "run", 4, p1="die", p2="bug once")
    word, app = word_of(run.location, private=False), celery_app(url)
    with service(url, 1, log=tmp_path / "log", warm=run.location, worker=WORKER):
        for part in (0, 2, 3):
            queue_part(app, word, part)
        assert soon(lambda: {0, 3} <= run.committed())
        assert len(app.control.ping(timeout=1.0)) == 1
        with client(url) as asked:
            asked.rpush("fourfold:celery", "no message", b"\xff")
            assert soon(lambda: refused(asked, "fourfold:") == 2)
            queue_part(app, word, 2)
            assert soon(lambda: run.committed() == {0, 2, 3})
    assert "hush" not in (tmp_path / "log").read_text()


def test_a_database_that_there_is_not_is_told(guarded: int) -> None:
    assert "has no database of that number" in said_of(f"redis://:hush@127.0.0.1:{guarded}/99")


def test_a_clock_that_differs_by_more_than_a_minute_is_told(guarded: int) -> None:
    url = f"redis://:hush@127.0.0.1:{guarded}/0"
    for near in (-55, 55):
        check(url, now=lambda near=near: time.time() + near)  # type: ignore[misc]
    assert "has a clock that is 90 s behind this machine's, where 60 s are allowed" in said_of(
        url, lambda: time.time() + 90
    )
    assert "has a clock that is 90 s ahead of this machine's" in said_of(url, lambda: time.time() - 90)


def test_a_replica_is_told(tmp_path: Path) -> None:
    with server(tmp_path / "data", "--replicaof", "127.0.0.1 1") as port:
        assert "is a replica, whose messages do not stay: give the URL of its primary" in said_of(
            f"redis://127.0.0.1:{port}"
        )
        with client(f"redis://127.0.0.1:{port}") as asked:
            asked.execute_command("ACL", "SETUSER", "mute", "on", ">hush", "~*", "+@all", "-info")
        assert "is a replica that can only be read" in said_of(f"redis://mute:hush@127.0.0.1:{port}")


def test_a_full_server_is_told(tmp_path: Path) -> None:
    with server(tmp_path / "data", "--maxmemory", "1") as port:
        assert "is full: raise its maxmemory" in said_of(f"redis://127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            saying(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
            "is no Redis or Valkey server but one of the web",
        ),
        (saying(b"\x00\xff garbage \x80\r\n"), "is no Redis or Valkey server, by what it answers: put right the host"),
        (saying(b"SSH-2.0-OpenSSH_9.2\r\n"), "is no Redis or Valkey server"),
        (saying(b":1\r\n" * 9), "is no Redis or Valkey server"),
        (saying(b"$-5\r\n" * 9), "is no Redis or Valkey server"),
        (saying(b"%1\r\n"), "by what it answers"),
        (saying(b"$99999999999\r\n"), "by what it answers: put right the host and the port"),
        (saying(b"-ERR you said hush\r\n"), "refuses to store a message (ERR): see its log"),
        (silent, "gives no answer: put right the host and the port of its URL, or see to the server"),
        (closing, "closes the connection without an answer"),
        (babbling, "is out of reach (no answer within"),
        (old, "is of version 5.0.14, and Fourfold needs Redis 6.2 or later, or any Valkey"),
    ],
)
def test_a_server_that_is_none_or_too_old_is_told(
    answer: Callable[[socket.socket], None], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if answer is babbling:
        monkeypatch.setattr("workers.broker.embedded.REACH_S", 1.0)
    with answering(answer) as port:
        assert words in said_of(f"redis://127.0.0.1:{port}/0")


@contextmanager
def encrypted(behind: int) -> Iterator[int]:
    """A port that speaks TLS, with a real server behind it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)

    def pump(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while words := source.recv(4096):
                target.sendall(words)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def answer(plain: socket.socket) -> None:
        with (
            context.wrap_socket(plain, server_side=True) as hidden,
            socket.create_connection(("127.0.0.1", behind)) as real,
        ):
            threading.Thread(target=pump, args=(real, hidden), daemon=True).start()
            pump(hidden, real)

    with answering(answer) as port:
        yield port


def test_tls_on_one_side_alone_is_told(guarded: int) -> None:
    assert "does not speak TLS: write redis:// in place of rediss://" in said_of(
        f"rediss://:hush@127.0.0.1:{guarded}/0"
    )
    with encrypted(guarded) as port:
        assert "speaks TLS: write rediss:// in place of redis://" in said_of(f"redis://:hush@127.0.0.1:{port}/0")


def test_tls_with_a_certificate_that_is_trusted_passes_and_another_is_told(guarded: int) -> None:
    with encrypted(guarded) as port:
        url = f"rediss://:hush@127.0.0.1:{port}/0"
        check(f"{url}?ssl_ca_certs={CERTIFICATE}")
        assert "shows a certificate that is not trusted here (self-signed certificate)" in said_of(url)
        elsewhere = url.replace("127.0.0.1", "localhost")
        said = said_of(f"{elsewhere}?ssl_ca_certs={CERTIFICATE}")
        assert "shows a certificate that is not trusted here (Hostname mismatch" in said
        assert celery_app(f"{url}?ssl_ca_certs={CERTIFICATE}").control.ping(timeout=0.1) == []
        with pytest.raises(Exception, match="CERTIFICATE_VERIFY_FAILED"):
            celery_app(url).connection_for_read().ensure_connection(max_retries=0, timeout=1)


@pytest.mark.parametrize("answer", [silent, closing, saying(b"HTTP/1.1 400 Bad Request\r\n\r\n")])
def test_tls_spoken_to_what_is_no_redis_is_told(answer: Callable[[socket.socket], None]) -> None:
    with answering(answer) as port:
        assert "the host and the port of its URL" in said_of(f"rediss://127.0.0.1:{port}/0")


@pytest.mark.parametrize(
    "url",
    [
        "redis://h/0?timeout=3",
        "redis://h/0?password=hush",
        "redis://h/0?ssl_cert_reqs=none",
        "rediss://h/0?ssl_ca_certs=/x&username=hush",
        "redis+socket:///x/s?db=0",
        "redis+socket:///x/s?virtual_host=0&password=hush",
    ],
)
def test_an_option_that_the_queue_would_stumble_over_is_refused(url: str) -> None:
    with pytest.raises(BrokerError, match="with an option that there is not") as refused:
        checked_url(url)
    assert "hush" not in str(refused.value)


FORMS: list[Callable[[str], str]] = [
    "redis://user:{}@host:6379/0".format,
    "redis://:{}@host".format,
    "rediss://:{}@host:6379/0?ssl_ca_certs=/x".format,
    "redis+socket://user:{}@/x/s?virtual_host=0".format,
    "redis://host/0?password={}".format,
    "rediss://host/0?ssl_ca_certs=/x&password={}&username=me".format,
    "{}@redis://host/0".format,
    "user:{}@host:6379".format,
    "amqp://user:{}@host".format,
    "redis://user:{}%40host/0".format,
]


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=200)
@given(
    form=st.sampled_from(FORMS),
    before=st.text("aZ0@:/?#%&=+;[]!\\ é\n\0", max_size=4),
    after=st.text("aZ0@:/?#%&=+;[]!\\ é\n\0", max_size=4),
    is_escaped=st.booleans(),
)
@example(form=FORMS[0], before="", after="", is_escaped=True)
@example(form=FORMS[3], before="@", after="/", is_escaped=True)
def test_no_form_of_a_url_shows_its_password(
    form: Callable[[str], str], before: str, after: str, is_escaped: bool
) -> None:
    password = f"{before}hush{after}"
    url = form(quote(password, safe="") if is_escaped else password)
    assert "hush" not in masked(url)
    shown = ""
    try:
        shown = celery_app(checked_url(url)).connection_for_read().as_uri()
    except BrokerError as error:
        shown = str(error)
    assert "hush" not in shown
