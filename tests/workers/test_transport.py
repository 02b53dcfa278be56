"""The worker's door, against everything that whoever reaches the broker can write there."""

import base64
import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from redis import Redis

from tests.workers.conftest import processes, soon
from tests.workers.standin import WORKER, FolderRun
from workers.broker.embedded import broker, client
from workers.service.app import Fourfold, celery_app
from workers.service.supervisor import service
from workers.service.tasks import PART, queue_part
from workers.service.transport import MESSAGE_BYTES, QUOTED, quoted, refused, reply_message, task_message

LIST = "fourfold:celery"


@dataclass
class Door:
    """A broker with one worker, and a way to what lies on the broker."""

    app: Fourfold
    asked: "Redis"
    folder: Path

    def refused(self) -> int:
        return refused(self.asked, "fourfold:")

    def log(self) -> list[str]:
        return (self.folder / "log").read_text().splitlines()

    def worker(self) -> int:
        """The worker's main process."""
        return min(processes(str(self.folder / "warm")), key=lambda process: process.create_time()).pid

    def plays(self, folder: Path) -> bool:
        """Whether a good part is still played."""
        run = FolderRun.create(folder, 1)
        queue_part(self.app, run.location, 0)
        return soon(run.committed)

    def is_empty(self) -> bool:
        """Whether nothing is queued, and nothing is left that would come back."""
        keys = (LIST, "fourfold:unacked", "fourfold:unacked_index")
        return soon(lambda: not self.asked.exists(*keys))


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    folder = tmp_path_factory.mktemp("door")
    warm = FolderRun.create(folder / "warm", 1)
    with (
        broker(home=folder) as url,
        client(url) as asked,
        service(url, 1, log=folder / "log", warm=warm.location, worker=WORKER),
    ):
        started = Door(celery_app(url), asked, folder)
        assert started.plays(folder / "first")
        yield started


def body_of(content: object) -> str:
    written = content if isinstance(content, bytes) else json.dumps(content).encode()
    return base64.b64encode(written).decode()


EMBED = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}


def good() -> dict[str, Any]:
    """A message as Celery sends it for a part."""
    return {
        "body": [["/nowhere", 1], {}, dict(EMBED)],
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"lang": "py", "task": PART, "id": "1", "retries": 0, "eta": None, "expires": None}
        | {"timelimit": [None, None], "shadow": None, "group": None},
        "properties": {"delivery_tag": "1", "body_encoding": "base64", "priority": 0, "correlation_id": "1"}
        | {"delivery_info": {"exchange": "", "routing_key": "celery"}, "reply_to": "1"},
    }


def changed(place: tuple[str | int, ...], value: object) -> str:
    """A message with something else in one place; `body` is written as it has to be."""
    message: Any = good()
    if place == ("encoded body",):
        return json.dumps(message | {"body": value})
    at = message
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = value
    return json.dumps(message | {"body": body_of(message["body"])})


def is_text(value: object) -> bool:
    return isinstance(value, str)


def is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def is_none(value: object) -> bool:
    return value is None


def is_object(value: object) -> bool:
    return isinstance(value, dict)


# The places of a message, and which values the test passes over since they may be right there.
PLACES: dict[tuple[str | int, ...], Callable[[object], bool]] = {
    ("encoded body",): lambda value: False,
    ("body",): lambda value: False,
    ("body", 0): lambda value: False,
    ("body", 0, 0): is_text,
    ("body", 0, 1): is_count,
    ("body", 1): lambda value: value == {},
    ("body", 2): lambda value: value == {},
    ("body", 2, "callbacks"): is_none,
    ("body", 2, "errbacks"): is_none,
    ("body", 2, "chain"): is_none,
    ("body", 2, "chord"): is_none,
    ("content-type",): lambda value: False,
    ("content-encoding",): lambda value: False,
    ("headers",): lambda value: False,
    ("headers", "task"): lambda value: False,
    ("headers", "id"): is_text,
    ("headers", "retries"): is_count,
    ("headers", "eta"): is_none,
    ("headers", "expires"): is_none,
    ("headers", "timelimit"): lambda value: value is None or value == [] or isinstance(value, list),
    ("headers", "timelimit", 1): is_none,
    ("headers", "compression"): is_none,
    ("properties",): lambda value: False,
    ("properties", "delivery_tag"): is_text,
    ("properties", "body_encoding"): lambda value: False,
    ("properties", "delivery_info"): is_object,
    ("properties", "delivery_info", "exchange"): is_text,
    ("properties", "priority"): lambda value: value is None or type(value) is int,
    ("properties", "reply_to"): lambda value: value is None or isinstance(value, str),
}

JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["\ud800", "\0", "celery.chain", "x" * 70_000, 2**63, 2**64, "9999-12-31T23:59:59"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def drawn(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """Values of a strategy, the same every time."""
    values: list[Any] = []

    @seed(4)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def gather(value: Any) -> None:
        values.append(value)

    gather()
    return values


def malformed() -> Iterator[str | bytes]:
    """Ten thousand messages without end, none of which is one of ours."""
    yield from ["", "\0", "null", "[]", "{}", "[" * 60_000, '{"a":' * 10_000, "x" * 2_000_000, "NaN", "\ufeff{}"]
    yield json.dumps(good() | {"body": body_of(b"[" * 40_000)})
    yield json.dumps(
        good() | {"body": body_of(pickle.dumps(["/", 1])), "content-type": "application/x-python-serialize"}
    )
    yield changed(("headers", "padding"), "x" * MESSAGE_BYTES)
    yield from (changed(("headers", "task"), name) for name in ("", "fourfold.other", "celery.backend_cleanup"))
    yield from drawn(st.binary(max_size=40), 200)
    values = drawn(JUNK, 400)
    yield from (json.dumps(value) for value in values)
    yield from (changed(place, value) for value in values for place, is_fit in PLACES.items() if not is_fit(value))


def test_what_is_changed_here_is_a_good_message_before() -> None:
    whole = json.dumps(good() | {"body": body_of(good()["body"])}).encode()
    read = task_message(whole, "celery")
    assert json.loads(base64.b64decode(read["body"]))[:2] == [["/nowhere", 1], {}]
    assert read["properties"]["delivery_tag"] != "1"


def test_ten_thousand_malformed_messages_are_refused_counted_and_gone(door: Door, tmp_path: Path) -> None:
    messages = [message for message, _ in zip(malformed(), range(10_000), strict=False)]
    assert len(messages) == 10_000
    before, lines, worker = door.refused(), len(door.log()), door.worker()
    for start in range(0, len(messages), 500):
        door.asked.rpush(LIST, *messages[start : start + 500])
    assert soon(lambda: door.refused() >= before + len(messages), 120)
    assert door.plays(tmp_path / "run")
    assert door.refused() == before + len(messages)
    assert door.worker() == worker
    assert door.is_empty()
    told = door.log()[lines:]
    assert len(told) == len(messages)
    assert all("refused a message: " in line and line.isascii() and len(line) < 3 * QUOTED for line in told)


def order(**body: object) -> str:
    return json.dumps(good() | {"headers": {}, "body": body_of({"arguments": {}, "destination": None} | body)})


@pytest.mark.parametrize(
    "said",
    [
        b"\xff",
        "null",
        "[" * 60_000,
        '{"__type__": "decimal", "__value__": "x"}',
        order(method="shutdown"),
        order(method="pool_grow", arguments={"n": 10_000}),
        order(method="ping", arguments={"n": 1}),
        order(method="ping", reply_to=7),
        order(method="ping", reply_to={"exchange": "", "routing_key": "celery"}),
        order(method=[]),
    ],
)
def test_workers_take_no_order_but_a_ping(door: Door, tmp_path: Path, said: str | bytes) -> None:
    before, worker = door.refused(), door.worker()
    assert door.asked.publish("fourfold:/0.celery.pidbox", said) == 1
    assert soon(lambda: door.refused() == before + 1)
    assert len(door.app.control.ping(timeout=1.0)) == 1
    assert door.plays(tmp_path / "run")
    assert door.worker() == worker


def test_the_worker_outlives_a_flushall_and_publishing_goes_on(door: Door, tmp_path: Path) -> None:
    worker = door.worker()
    assert door.plays(tmp_path / "before")
    door.asked.flushall()
    assert door.plays(tmp_path / "after")
    assert len(door.app.control.ping(timeout=1.0)) == 1
    door.asked.flushall()
    assert door.plays(tmp_path / "after the ping")
    assert door.worker() == worker


HELD = json.dumps([good() | {"body": body_of([["/nowhere", 1], {}, {}])}, "", "celery"])


PLANTED: list[str | bytes] = [
    b"\xff",
    "null",
    "[1, 2, 3]",
    "[" * 60_000,
    "x" * 100_000,
    HELD.replace("fourfold.part", "evil"),
    HELD + "x",
]


def test_what_is_planted_among_the_unfinished_messages_is_removed(door: Door, tmp_path: Path) -> None:
    before, worker = door.refused(), door.worker()
    for number, held in enumerate(PLANTED):
        door.asked.hset("fourfold:unacked", b"\xff%d" % number, held)
        door.asked.zadd("fourfold:unacked_index", {b"\xff%d" % number: 1.0})
    assert soon(lambda: door.refused() == before + len(PLANTED))
    assert door.is_empty()
    assert door.plays(tmp_path / "run")
    assert door.worker() == worker


def test_an_unfinished_message_of_ours_comes_back_and_is_played(door: Door, tmp_path: Path) -> None:
    run = FolderRun.create(tmp_path / "run", 1)
    message = good() | {"body": body_of([[run.location, 0], {}, {}])}
    door.asked.hset("fourfold:unacked", "tag", json.dumps([message, "", "celery"]))
    door.asked.zadd("fourfold:unacked_index", {"tag": 1.0})
    assert soon(run.committed)
    assert door.is_empty()


@pytest.mark.parametrize("key", ["celery", "unacked", "unacked_index", "_kombu.binding.celery", "refused"])
def test_a_key_of_another_type_stops_nothing(door: Door, tmp_path: Path, key: str) -> None:
    worker = door.worker()
    kept = door.asked.get("fourfold:refused")
    door.asked.delete(f"fourfold:{key}")
    door.asked.hset(f"fourfold:{key}", "a", "b") if key != "unacked" else door.asked.set("fourfold:unacked", "x")
    assert door.plays(tmp_path / "run")
    assert door.worker() == worker
    if key == "refused":
        door.asked.set("fourfold:refused", kept or 0)


def test_a_refused_message_is_quoted_in_one_short_line_without_what_may_be_a_password() -> None:
    assert quoted("a\nb\x1b[31m\0é\ud800") == r"a\nb\x1b[31m\x00\xe9\ud800"
    assert len(quoted("\0" * 5000)) <= QUOTED
    said = quoted(b'{"url": "rediss://user:hush@host/0", "password": "hush", "token=hush": 1, "b": "redis://:hu/sh@h"}')
    assert "hush" not in said
    assert "host/0" in said


def test_an_answer_to_a_ping_is_read_and_nothing_else_of_it_kept() -> None:
    answer = good() | {
        "headers": {"ticket": "t", "clock": 2**70, "x": 1},
        "body": body_of({"worker@host": {"ok": "pong"}}),
    }
    read = reply_message(json.dumps(answer).encode(), "x.reply.celery.pidbox")
    assert read["headers"] == {"ticket": "t"}
    assert json.loads(base64.b64decode(read["body"])) == {"worker@host": {"ok": "pong"}}
