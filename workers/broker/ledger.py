"""What the broker's server remembers beside the messages: which runs are open, who acts, who works, and what they say.

None of it is a result. Losing all of it costs time: a run's folder alone says what is done.

A run stands here under its *word* (`workers.places.word_of`): the mark of its runs' folder and its name, or, where
broker, worker and submitter are on one machine, its location.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from workers.broker.attempts import Attempts
from workers.broker.embedded import hash_keys

if TYPE_CHECKING:
    import redis

_OPEN, _LEASE, _RETURNED, _WORKERS = "fourfold:open", "fourfold:steward:", "fourfold:returned:", "fourfold:workers"
_QUEUE = "fourfold:celery"  # Celery's own list of messages
_UNACKED = "fourfold:unacked"  # and its messages that are with workers
_REFUSED = "fourfold:refused"
_DEATHS = "fourfold:deaths"
_KEPT = "fourfold:kept:"  # stands there for as long as the server keeps its data

SEEN_S = 60  # a worker that has said nothing for so long is not there
NOTED_S = 120  # a sentence about a run stands so long after it was last said
STATUS_S = 60
_MOST_RETURNED = 10_000

# The lease is renewed and given back by its holder alone.
_RENEW = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0"
_RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"


def open_here(url: str) -> list[str] | None:
    """List the open runs of the embedded broker, as quickly as can be; None if that broker is another one."""
    return hash_keys(url, _OPEN)


class Ledger:
    """The service's memory on one broker. Every method raises redis.RedisError or OSError if it does not answer."""

    def __init__(self, client: "redis.Redis") -> None:
        self._client = client
        self.attempts = Attempts(client)

    def now(self) -> float:
        """Give the server's time in seconds: the one clock that all agree on."""
        seconds, micros = self._client.time()
        return float(seconds) + float(micros) / 1e6

    def has_lost_all(self, root: str = "") -> bool:
        """Say whether the server has lost its data since the steward of a runs' folder last asked."""
        return bool(self._client.set(_KEPT + root, 1, nx=True))

    # ── Runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def open(self, word: str) -> None:
        """Put a run among the open ones, which a steward brings to their end; one that is there keeps its place."""
        self._client.hsetnx(_OPEN, word, json.dumps({"since": self.now()}))

    def close(self, word: str) -> None:
        """Take a run off the open ones."""
        self._client.hdel(_OPEN, word)

    def open_runs(self, root: str = "") -> list[str]:
        """List the words of the open runs, the oldest first; what is no entry of ours is left out.

        With `root`, the mark of a runs' folder (`workers.places.root_mark`), those in it alone.
        """
        found = {}
        for word, value in self._client.hgetall(_OPEN).items():
            with suppress(ValueError, TypeError, KeyError):
                found[word if isinstance(word, str) else word.decode()] = float(json.loads(value)["since"])
        words = [word for word in found if not root or word.startswith(f"{root}/")]
        return sorted(words, key=lambda word: (found[word], word))

    def publish(self, word: str, status: dict[str, Any]) -> None:
        """Keep what the steward knows of an open run, for whoever watches it and for the steward after this one."""
        self._client.set(f"fourfold:status:{word}", json.dumps({**status, "at": self.now()}), ex=STATUS_S)

    def unpublish(self, word: str) -> None:
        """Take back what was published of a run."""
        self._client.delete(f"fourfold:status:{word}")

    def status(self, word: str) -> dict[str, Any] | None:
        """Give what the steward said last of a run, `age_s` seconds ago; None if it has said nothing of late."""
        status = _object(self._client.get(f"fourfold:status:{word}"))
        if status is None or not isinstance(status.get("at"), int | float):
            return None
        return {**status, "age_s": max(0.0, self.now() - status["at"])}

    def note(self, word: str, who: str, sentence: str) -> None:
        """Keep what hinders `who` from playing a run, for `NOTED_S` seconds."""
        key = f"fourfold:notes:{word}"
        self._client.hset(key, who, sentence)
        self._client.expire(key, NOTED_S)

    def notes(self, word: str) -> dict[str, str]:
        """Give the sentences about a run, by who said them."""
        notes = self._client.hgetall(f"fourfold:notes:{word}")
        return {_text(who): _text(sentence) for who, sentence in sorted(notes.items())}

    def clear(self, word: str) -> None:
        """Forget all that was said and counted of a run: it is closed, or begun anew."""
        self._client.delete(f"fourfold:status:{word}", f"fourfold:notes:{word}")
        self.attempts.forget(word)

    # ── Parts ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def give_back(self, word: str, part: int) -> None:
        """Tell the steward that a part's message came to one who could not play it: it may be queued again."""
        key = _RETURNED + _root_of(word)
        self._client.rpush(key, json.dumps([word, part]))
        self._client.ltrim(key, -_MOST_RETURNED, -1)

    def returned(self, root: str = "") -> list[tuple[str, int]]:
        """Take what was given back of the runs in a runs' folder, as words and parts."""
        found = []
        entries = self._client.lpop(_RETURNED + root, 1000)
        for entry in entries if isinstance(entries, list) else ():
            with suppress(ValueError, TypeError):
                word, part = json.loads(_text(entry))
                found.append((str(word), int(part)))
        return found

    def count_death(self) -> None:
        """Tell all stewards that a worker died: whatever was on its way may have been with it."""
        self._client.incr(_DEATHS)

    def deaths(self) -> int:
        """Give how many workers have died so far."""
        return _number(self._client.get(_DEATHS))

    def count_refused(self) -> None:
        """Count a message that is none of ours."""
        self._client.incr(_REFUSED)

    def refused(self) -> int:
        """Give how many messages were refused so far."""
        return _number(self._client.get(_REFUSED))

    def waiting(self) -> int:
        """Count the messages that nobody has taken."""
        return int(self._client.llen(_QUEUE))

    def is_idle(self) -> bool:
        """Say whether no message is queued and none is with a worker, who keeps it until its part is done."""
        return not self._client.exists(_QUEUE, _UNACKED)

    # ── Who acts ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def hold(self, who: str, seconds: float, root: str = "") -> bool:
        """Take the lease of the steward of a runs' folder, or renew it; false while somebody else has it."""
        ms = round(1000 * seconds)
        if self._client.set(_LEASE + root, who, nx=True, px=ms):
            return True
        return bool(self._client.eval(_RENEW, 1, _LEASE + root, who, ms))

    def release(self, who: str, root: str = "") -> None:
        """Give the lease back, so that the next need not wait for its end."""
        self._client.eval(_RELEASE, 1, _LEASE + root, who)

    def steward(self, root: str = "") -> str:
        """Say who has the lease; empty if nobody."""
        return _text(self._client.get(_LEASE + root) or b"")

    # ── Who works ────────────────────────────────────────────────────────────────────────────────────────────────────

    def announce(self, worker: str, entry: dict[str, Any]) -> None:
        """Say that a worker is there, and what it holds."""
        self._client.hset(_WORKERS, worker, json.dumps({**entry, "at": self.now()}))

    def leave(self, worker: str) -> None:
        """Say that a worker is there no more."""
        self._client.hdel(_WORKERS, worker)

    def workers(self) -> list[dict[str, Any]]:
        """List the workers seen within `SEEN_S` seconds, each with its `name` and `age_s`; others are forgotten."""
        now, found, gone = self.now(), [], []
        for name, value in sorted(self._client.hgetall(_WORKERS).items()):
            entry = _object(value)
            if entry is None or not isinstance(entry.get("at"), int | float) or now - entry["at"] > SEEN_S:
                gone.append(name)
            else:
                found.append({**entry, "name": _text(name), "age_s": max(0.0, now - entry["at"])})
        if gone:
            self._client.hdel(_WORKERS, *gone)
        return found

    def processes(self) -> int:
        """Count the processes of all workers seen of late."""
        return processes_of(self.workers())


def processes_of(workers: Iterable[dict[str, Any]]) -> int:
    """Count the processes of workers that have announced themselves."""
    counts = (worker.get("processes") for worker in workers)
    return sum(count for count in counts if isinstance(count, int))


def _root_of(word: str) -> str:
    """Give the mark in the word of a run on a shared broker; nothing for a location."""
    return word.partition("/")[0]


def _number(data: bytes | str | None) -> int:
    """Read a count; anything else is none."""
    with suppress(ValueError):
        return int(data or 0)
    return 0


def _text(data: bytes | str) -> str:
    """Read text that the server gave back; anybody may have written it."""
    return data if isinstance(data, str) else data.decode(errors="replace")


def _object(data: bytes | str | None) -> dict[str, Any] | None:
    """Read a JSON object; None for anything else."""
    with suppress(ValueError, RecursionError):
        found = json.loads(data or b"")
        return found if isinstance(found, dict) else None
    return None
