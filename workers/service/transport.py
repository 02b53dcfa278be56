"""The worker's door: the transport of Celery's messages, which takes nothing but what Fourfold itself sends.

Whoever reaches the broker can write anything into its lists. Celery ends at much of that ("Unrecoverable error"),
carries some of it back for ever, and obeys the rest (a `shutdown`, callbacks, time limits). So every message is read
here first, strictly: a task of ours with arguments that it takes, a ping, or the answer to one. Celery is handed a new
message, built of the few things that were checked. All else is refused: removed, counted, told in one line.
"""

import base64
import binascii
import functools
import json
import logging
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from queue import Empty
from typing import Annotated, Any, Literal

import msgspec
from kombu.transport import TRANSPORT_ALIASES, redis
from redis import Redis, RedisError, ResponseError

from workers.service.tasks import PART, decoded

MESSAGE_BYTES = 1 << 16  # a message of ours has some 700 bytes; looked at before anything is decoded
QUOTED = 200  # characters of a refused message in the log
QUEUE = "celery"  # the one queue of tasks, and the exchange that Celery declares for it
REFUSED = "refused"  # the count's key on the broker, behind the prefix of all keys

# The tasks there are, and for each what says whether it takes some arguments (None: it does not).
TASKS: Mapping[str, Callable[[tuple[object, ...], dict[str, object]], object | None]] = {PART: decoded}

logger = logging.getLogger("fourfold")

_Name = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9_.:@-]{1,200}\Z")]
_REPLIES = "reply.celery.pidbox"


class _Delivery(msgspec.Struct):
    """Where a message was sent to."""

    exchange: str = ""
    routing_key: str = ""


class _Properties(msgspec.Struct):
    """How a message's body is written, and what kombu keeps of it."""

    delivery_tag: str
    body_encoding: Literal["base64"]
    delivery_info: _Delivery
    priority: int | None = None
    correlation_id: str | None = None
    reply_to: str | None = None


class _TaskHeaders(msgspec.Struct):
    """The headers of a task: nothing of ours is delayed, expires, or has limits of its own."""

    task: str
    id: _Name
    retries: Annotated[int, msgspec.Meta(ge=0)] = 0
    eta: None = None
    expires: None = None
    timelimit: list[None] | None = None
    compression: None = None


class _ControlHeaders(msgspec.Struct):
    """The headers of a ping and of the answer to it."""

    ticket: _Name | None = None
    compression: None = None


class _Envelope(msgspec.Struct):
    """What kombu wraps a body in."""

    body: str
    properties: _Properties
    content_type: Literal["application/json"] = msgspec.field(name="content-type")
    content_encoding: Literal["utf-8"] = msgspec.field(name="content-encoding")


class _TaskEnvelope(_Envelope, kw_only=True):
    """A task's message."""

    headers: _TaskHeaders


class _ControlEnvelope(_Envelope, kw_only=True):
    """A ping's, or an answer's."""

    headers: _ControlHeaders


class _Embed(msgspec.Struct, forbid_unknown_fields=True):
    """What could follow on a task: of ours, nothing."""

    callbacks: None = None
    errbacks: None = None
    chain: None = None
    chord: None = None


class _Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """An object without a key."""


class _ReplyTo(msgspec.Struct):
    """Where an answer is wanted."""

    exchange: Literal["reply.celery.pidbox"]
    routing_key: _Name


class _Order(msgspec.Struct, forbid_unknown_fields=True):
    """The one order that workers take from the broker: to answer."""

    method: Literal["ping"]
    arguments: _Nothing | None = None
    destination: list[_Name] | None = None
    pattern: None = None
    matcher: None = None
    ticket: _Name | None = None
    reply_to: _ReplyTo | None = None


_TASK = msgspec.json.Decoder(_TaskEnvelope)
_TASK_BODY = msgspec.json.Decoder(tuple[list[Any], dict[str, Any], _Embed])
_CONTROL = msgspec.json.Decoder(_ControlEnvelope)
_ORDER_BODY = msgspec.json.Decoder(_Order)
_REPLY_BODY = msgspec.json.Decoder(dict[str, Any])
_HELD = msgspec.json.Decoder(tuple[msgspec.Raw, str, _Name])
# What reading a message can raise: the decoder's own errors are ValueErrors, and so are those of texts.
_UNFIT = (ValueError, TypeError, RecursionError, OverflowError, binascii.Error)


def task_message(item: bytes, queue: str) -> dict[str, Any]:
    """Read a task's message and build a new one of what was checked, as if it had been sent straight to `queue`.

    Raises
    ------
    ValueError, TypeError, RecursionError, OverflowError
        It is none that Fourfold sends.
    """
    read = _TASK.decode(_sized(item))
    arguments, named, _ = _TASK_BODY.decode(base64.b64decode(read.body, validate=True))
    takes = TASKS.get(read.headers.task)
    if takes is None:
        raise ValueError("a task that there is not")
    if takes(tuple(arguments), named) is None or any("\0" in str(value) for value in arguments):
        raise ValueError("arguments that the task does not take")
    headers = {
        "lang": "py",
        "task": read.headers.task,
        "id": read.headers.id,
        "root_id": read.headers.id,
        "retries": 0,
        "argsrepr": repr(arguments)[:QUOTED],
        "kwargsrepr": "{}",
        "ignore_result": True,
    }
    return _envelope([arguments, named, {}], headers, queue)


def order_message(item: bytes, queue: str) -> dict[str, Any]:
    """Read an order to all workers, as `task_message` reads a task's message."""
    read = _CONTROL.decode(_sized(item))
    order = _ORDER_BODY.decode(base64.b64decode(read.body, validate=True))
    body: dict[str, Any] = {"method": order.method, "arguments": {}, "destination": order.destination}
    if order.reply_to is not None:
        body |= {"ticket": order.ticket, "reply_to": msgspec.to_builtins(order.reply_to)}
    return _envelope(body, {}, queue)


def reply_message(item: bytes, queue: str) -> dict[str, Any]:
    """Read a worker's answer to a ping, as `task_message` reads a task's message."""
    read = _CONTROL.decode(_sized(item))
    body = _REPLY_BODY.decode(base64.b64decode(read.body, validate=True))
    return _envelope(body, {"ticket": read.headers.ticket}, queue)


def _sized(item: bytes) -> bytes:
    """Give a message back that is not too large."""
    if len(item) > MESSAGE_BYTES:
        raise ValueError(f"{len(item)} bytes, where {MESSAGE_BYTES} are allowed")
    return item


def _envelope(body: Any, headers: dict[str, Any], queue: str) -> dict[str, Any]:
    """Wrap a body as kombu does; the tag is new, so that no two messages can have the same."""
    return {
        "body": base64.b64encode(msgspec.json.encode(body)).decode(),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": headers,
        "properties": {
            "delivery_tag": str(uuid.uuid4()),
            "body_encoding": "base64",
            # The exchange without a name goes straight to a queue: it needs no binding, which a FLUSHALL would take.
            "delivery_info": {"exchange": "", "routing_key": queue},
            "correlation_id": headers.get("id"),
            "priority": 0,
        },
    }


def refused(client: "Redis", prefix: str) -> int:
    """Say how many messages all workers of a broker have refused; `prefix` is that of its keys.

    Raises
    ------
    redis.RedisError
        The broker does not answer.
    """
    counted = client.get(prefix + REFUSED)
    return int(counted) if isinstance(counted, bytes) and counted.isdigit() else 0


def quoted(item: object) -> str:
    """Quote what was refused: at most `QUOTED` characters in one plain line, without what may be a password."""
    shown = item[: 4 * QUOTED].decode("utf-8", "replace") if isinstance(item, bytes) else str(item)
    shown = re.sub(r"//[^/\s\"']*@", "//***@", shown[: 4 * QUOTED])
    shown = re.sub(r"(?i)(pass\w*|secret|token)(\W{1,4})[^\s\"',;&]+", r"\1\2***", shown)
    return shown[:QUOTED].encode("unicode_escape").decode("ascii")[:QUOTED]


def _despite_wrong_types(method: Callable[..., Any]) -> Callable[..., Any]:
    """Have a method begin anew, once, after the keys are removed that hold something of another type."""

    @functools.wraps(method)
    def careful(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return method(self, *arguments, **named)
        except ResponseError as error:
            if "WRONGTYPE" not in str(error):
                raise
            getattr(self, "channel", self).clear_wrong_types()
            return method(self, *arguments, **named)

    return careful


class QoS(redis.QoS):
    """The messages that are being worked on, kept on the broker: what lies there may be anybody's, too."""

    append = _despite_wrong_types(redis.QoS.append)
    ack = _despite_wrong_types(redis.QoS.ack)
    reject = _despite_wrong_types(redis.QoS.reject)
    restore_visible = _despite_wrong_types(redis.QoS.restore_visible)

    def restore_by_tag(self, tag: Any, client: Any = None, leftmost: bool = False) -> None:
        """Put a message back on its queue; one that is none of ours is removed."""
        unfit: list[tuple[object, BaseException]] = []

        def give_back(pipe: Any) -> None:
            unfit.clear()
            held = pipe.hget(self.unacked_key, tag)
            pipe.multi()
            self._remove_from_indices(tag, pipe)
            if held:
                try:
                    message, _, queue = _HELD.decode(_sized(held))
                    whole = json.dumps(task_message(bytes(message), queue))
                except _UNFIT as error:
                    unfit.append((held, error))
                else:
                    (pipe.lpush if leftmost else pipe.rpush)(queue, whole)

        with self.channel.conn_or_acquire(client) as talk:
            talk.transaction(give_back, self.unacked_key)
        for held, error in unfit:
            self.channel.refuse(held, error)


class Channel(redis.Channel):
    """A channel that reads every message before Celery does."""

    QoS = QoS

    _size = _despite_wrong_types(redis.Channel._size)
    _put = _despite_wrong_types(redis.Channel._put)
    _queue_bind = _despite_wrong_types(redis.Channel._queue_bind)

    def refuse(self, item: object, reason: object) -> None:
        """Count and tell what was refused; it is not on the broker any more."""
        Transport.refused += 1
        told = " ".join(str(reason).split())[:QUOTED]
        logger.warning("refused a message: %s: %s", quoted(told), quoted(item))
        try:
            with self.conn_or_acquire() as client:
                client.execute_command("INCR", self.global_keyprefix + REFUSED)
        except (RedisError, OSError):
            return  # A count that is lost does no harm.

    def clear_wrong_types(self) -> None:
        """Remove every key of this transport that holds something of another type."""
        with self.conn_or_acquire() as client:
            for key, kind in self._kinds():
                found = client.execute_command("TYPE", self.global_keyprefix + key)
                if found not in (b"none", kind):
                    client.delete(key)
                    self.refuse(key, f"a key of type {found.decode()} in place of {kind.decode()}")

    def _kinds(self) -> Iterator[tuple[str, bytes]]:
        """Name this transport's keys and the type of each."""
        for queue in {QUEUE, *self._active_queues, *(key.queue for key in self.state.bindings)}:
            for step in self.priority_steps:
                yield self._q_for_pri(queue, step), b"list"
        for exchange in {QUEUE, *self.state.exchanges}:
            yield self.keyprefix_queue % exchange, b"set"
            yield self.keyprefix_binding_permanent % exchange, b"set"
        yield self.keyprefix_binding_deadlines, b"zset"
        yield self.unacked_key, b"hash"
        yield self.unacked_index_key, b"zset"

    def _hand_over(self, read: Callable[[bytes, str], dict[str, Any]], item: object, queue: str) -> None:
        """Give Celery the message that was read out of `item`, unless it is refused."""
        try:
            message = read(item if isinstance(item, bytes) else str(item).encode(), queue)
        except _UNFIT as error:
            self.refuse(item, error)
        else:
            self.connection._deliver(message, queue)

    def _brpop_read(self, **options: Any) -> Any:
        """Read the answer to the BRPOP that was sent: a message, of which Celery gets a checked copy, or none."""
        try:
            try:
                found = self.client.parse_response(self.client.connection, "BRPOP", **options)
            except self.connection_errors:
                self.client.connection.disconnect()  # so that the next one connects anew
                raise
            except ResponseError as error:
                if "WRONGTYPE" in str(error):
                    self.clear_wrong_types()
                    raise Empty from None
                raise
            if not found:
                raise Empty
            key, item = found
            queue = key.decode().rsplit(self.sep, 1)[0]
            self._queue_cycle.rotate(queue)
            read = reply_message if queue.endswith(f".{_REPLIES}") else task_message
            self._hand_over(read, item, queue)
            return True
        finally:
            self._in_poll = None  # type: ignore[assignment]
            self._flush_brpop_reauth()

    def _receive_one(self, c: Any) -> Any:
        """Read what was published to all workers; nothing but a ping comes through."""
        try:
            found = c.parse_response()
        except self.connection_errors:
            self._in_listen = None  # type: ignore[assignment]
            raise
        if isinstance(found, list | tuple):
            said = self._handle_message(c, found)
            if said["type"] in (b"message", b"pmessage"):
                channel = said["channel"].decode("utf-8", "replace").partition(".")[2]
                queue = self._fanout_to_queue.get(channel.partition("/")[0])
                if queue:
                    self._hand_over(order_message, said["data"], queue)
                    return True
        return None


class Transport(redis.Transport):
    """Kombu's transport over Redis and Valkey, with the door in it."""

    Channel = Channel

    refused = 0  # messages, in this process


# Under names of its own, so that another application in the same process keeps kombu's. Connections are copied by
# their URL, in pools too: what is not in the URL, TLS for one, would be lost or mixed up on the way.
_SCHEMES = {"redis": "fourfold", "rediss": "fourfolds", "redis+socket": "fourfold+socket"}
TRANSPORT_ALIASES.update(dict.fromkeys(("fourfold", "fourfolds"), "workers.service.transport:Transport"))


def address(url: str) -> str:
    """Give a broker's URL as one whose messages go through this transport, for kombu."""
    scheme, _, rest = url.partition("://")
    return f"{_SCHEMES[scheme]}://{rest}"
