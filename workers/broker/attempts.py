"""Counts how often a part was begun and came to no end, for Celery hands such a part on for ever."""

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import redis

_KEPT_S = 86_400  # a run that nobody brings to its end is forgotten after a day


class Attempts:
    """The counts of all runs, kept on the broker's server for all workers: a hash a run, a field a part."""

    def __init__(self, client: "redis.Redis") -> None:
        self._client = client

    def begin(self, word: str, part: int) -> int:
        """Count one attempt; returns how many have begun and not ended since `forget`.

        Where the broker does not answer the part counts as new: better played once too often than not at all.
        """
        from redis import RedisError

        try:
            count = self._client.hincrby(_key(word), str(part), 1)
            self._client.expire(_key(word), _KEPT_S)
        except (RedisError, OSError):
            return 1
        return count

    def counts(self, word: str) -> dict[int, int]:
        """Give how often each part was begun that has not ended; raises redis.RedisError."""
        return {int(part): int(count) for part, count in self._client.hgetall(_key(word)).items()}

    def end(self, word: str, part: int) -> None:
        """Forget the attempts at a part that came to an end of its own."""
        self._tell("hdel", word, str(part))

    def forget(self, word: str) -> None:
        """Forget the attempts at all parts of a run: it is started anew."""
        self._tell("delete", word)

    def _tell(self, command: str, word: str, *fields: str) -> None:
        """Send a command whose loss costs nothing but a count."""
        from redis import RedisError

        with contextlib.suppress(RedisError, OSError):
            getattr(self._client, command)(_key(word), *fields)


def _key(word: str) -> str:
    return f"fourfold:attempts:{word}"
