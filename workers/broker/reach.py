"""What is wrong with a broker, in words that say what to do: asked of the server itself, before anything is queued."""

import contextlib
import re
import socket
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import redis

LEAST_VERSION = (6, 2)  # kombu sweeps with ZRANGE ... BYSCORE REV, which came with Redis 6.2; Valkey began with 7.2
CLOCK_S = 60.0  # what is unfinished comes back by the clocks of the workers: half the time until it does
PROBE_S = 1.5
PROBE_KEY = "fourfold:check"

_WRITABLE = "give the URL of its primary"
_NO_REDIS = "put right the host and the port of its URL"


def fault(asked: "redis.Redis", plainer: "redis.Redis", now: Callable[[], float]) -> str:
    """Ask a broker for all that the queue needs of it; returns what is wrong, in words, or nothing.

    `plainer` is a client of the same server that greets it as a server of before Redis 6 understands. `now` is this
    machine's clock, in seconds. The words never hold user, password or host, nor what the server says of them.
    """
    try:
        if asked.ping() is not True:
            return f"is no Redis or Valkey server: {_NO_REDIS}"
        return _old_version(asked) or _wrong_clock(asked, now) or _not_writable(asked)
    except Exception as error:  # A server that is none can make the client raise anything.
        try:
            return _explained(error, asked, plainer)
        except Exception as another:
            return f"cannot be asked ({type(error).__name__}, {type(another).__name__})"


def _old_version(asked: "redis.Redis") -> str:
    """Say if the server is too old; a user who may not ask is believed."""
    found = _info(asked, "server").get("redis_version", "")
    numbers = re.match(r"(\d{1,6})\.(\d{1,6})", str(found))
    if numbers and tuple(map(int, numbers.groups())) < LEAST_VERSION:
        least = ".".join(map(str, LEAST_VERSION))
        return f"is of version {str(found)[:20]}, and Fourfold needs Redis {least} or later, or any Valkey: install one"
    return ""


def _wrong_clock(asked: "redis.Redis", now: Callable[[], float]) -> str:
    """Say if the server's clock is not this machine's."""
    from redis import ResponseError

    before = now()
    try:
        seconds, microseconds = asked.time()
    except ResponseError:  # not allowed to ask
        return ""
    ahead = seconds + microseconds / 1e6 - (before + now()) / 2
    if abs(ahead) <= CLOCK_S:
        return ""
    return (
        f"has a clock that is {abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'} this machine's, where "
        f"{CLOCK_S:.0f} s are allowed: set the one that is wrong, and keep both by NTP"
    )


def _not_writable(asked: "redis.Redis") -> str:
    """Say if messages cannot be written there, or would not stay."""
    if _info(asked, "replication").get("role") == "slave":
        return f"is a replica, whose messages do not stay: {_WRITABLE}"
    asked.set(PROBE_KEY, "", px=1000)
    return ""


def _info(asked: "redis.Redis", section: str) -> dict[str, Any]:
    """Ask for a section of INFO; nothing for a user who may not ask."""
    from redis import ResponseError

    with contextlib.suppress(ResponseError):
        return dict(asked.info(section))
    return {}


def _explained(error: Exception, asked: "redis.Redis", plainer: "redis.Redis") -> str:
    """Say what an error means for whoever wrote the broker's URL."""
    import redis

    said = str(error)
    match error:
        case redis.AuthenticationError():
            if re.search(r"(?i)required|already authenticated", said):
                return "asks for a password: give it in the URL, as in redis://USER:PASSWORD@HOST:6379/0"
            return "refuses the user or the password of its URL: put right what stands before the @"
        case redis.exceptions.NoPermissionError():
            return "does not let its user do what the queue needs: give the user the rights that docs/security.md names"
        case redis.ReadOnlyError():
            return f"is a replica that can only be read: {_WRITABLE}"
        case redis.InvalidResponse():
            return _no_redis(said, asked)
        case redis.ResponseError():
            return _refusing(said, plainer)
        case redis.ConnectionError() | redis.TimeoutError() | OSError():
            return _unconnected(said, asked, isinstance(error, redis.TimeoutError))
    return f"is no Redis or Valkey server: {_NO_REDIS}"


def _refusing(said: str, plainer: "redis.Redis") -> str:
    """Say what a server means that refuses a command."""
    if "unknown command" in said:  # The first one, HELLO, came with Redis 6.
        return _old_version(plainer) or "does not know a command that the queue needs: install Valkey or a newer Redis"
    if "DB index" in said or "SELECT" in said:
        return "has no database of that number: put right the number at the end of its URL, or leave it out"
    if "maxmemory" in said:
        return "is full: raise its maxmemory, or empty it"
    # Its own words could repeat a password: no more than their first, a code, is shown.
    code = re.match(r"[A-Z]{2,20}(?= )", said)
    return f"refuses to store a message ({code[0] if code else 'ERR'}): see its log"


def _no_redis(said: str, asked: "redis.Redis") -> str:
    """Say what a server is that answers, but not as a Redis does."""
    if "HTTP/" in said:
        return f"is no Redis or Valkey server but one of the web: {_NO_REDIS}"
    if _speaks_tls(asked):
        return "speaks TLS: write rediss:// in place of redis://"
    return f"is no Redis or Valkey server, by what it answers: {_NO_REDIS}"


def _unconnected(said: str, asked: "redis.Redis", is_late: bool) -> str:
    """Say why there is no connection, or one that breaks or stays silent."""
    is_tls = _is_tls(asked)
    if "CERTIFICATE_VERIFY_FAILED" in said:
        reason = re.search(r"verify failed: ([\w ,.'-]+)", said)
        return (
            f"shows a certificate that is not trusted here ({reason[1].strip() if reason else 'no reason is given'}): "
            "name its authority, as in rediss://HOST:6379/0?ssl_ca_certs=FILE, and the host as the certificate does"
        )
    refused = re.search(r"connecting to .*?\. ([A-Z][\w ]+)\.?$", said)
    if refused and "SSL" not in said and "reset" not in said:
        return f"is out of reach ({refused[1].lower()})"
    if is_tls and ("SSL" in said or is_late) and _speaks_plainly(asked):
        return "does not speak TLS: write redis:// in place of rediss://, or give its port for TLS"
    if is_tls and "SSL" in said:
        return f"does not speak TLS as a Redis or Valkey server does: {_NO_REDIS}"
    if not is_tls and _speaks_tls(asked):
        return "speaks TLS: write rediss:// in place of redis://"
    if not is_tls and _answer_to_ping(asked) and not _speaks_plainly(asked):
        return f"is no Redis or Valkey server, by what it answers: {_NO_REDIS}"
    if is_late:
        return f"gives no answer: {_NO_REDIS}, or see to the server"
    return f"closes the connection without an answer: {_NO_REDIS}, or see to the server"


def _is_tls(asked: "redis.Redis") -> bool:
    import redis

    return issubclass(asked.connection_pool.connection_class, redis.SSLConnection)


def _dialled(asked: "redis.Redis") -> socket.socket:
    """Connect to a broker's host and port, with nothing said yet."""
    named = asked.connection_pool.connection_kwargs
    if "path" in named:
        raise OSError("a Unix socket")
    return socket.create_connection((named.get("host", "localhost"), int(named.get("port", 6379))), PROBE_S)


def _speaks_tls(asked: "redis.Redis") -> bool:
    """Say whether a server that was spoken to plainly takes part in a handshake of TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # Nothing is told to it.
    with contextlib.suppress(OSError, ValueError), _dialled(asked) as plain, context.wrap_socket(plain):
        return True
    return False


def _speaks_plainly(asked: "redis.Redis") -> bool:
    """Say whether a server answers a plain PING as a Redis does."""
    return _answer_to_ping(asked).startswith((b"+PONG", b"-NOAUTH", b"-NOPERM", b"-DENIED", b"-LOADING"))


def _answer_to_ping(asked: "redis.Redis") -> bytes:
    """Give the first bytes that a server says to a plain PING, if any."""
    with contextlib.suppress(OSError), _dialled(asked) as plain:
        plain.sendall(b"PING\r\n")
        return plain.recv(16)
    return b""
