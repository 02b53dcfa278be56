"""The one task: play a part of a run. Its message is a hint that may come twice, late or never."""

import logging
import os
import time
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sim.errors import BotFailed, FourfoldError, Refused, StoreError
from workers.places import located, replay_command

if TYPE_CHECKING:
    from workers.broker.ledger import Ledger

PART = "fourfold.part"
ATTEMPTS = 5  # a part that came to no end so often is not tried again
LIMIT_S = 90  # of a part, after which its process is killed; it should take 2-5 s

WARN_S = 60.0  # between two lines that say the same

logger = logging.getLogger("fourfold")


def register(app: Any, ledger: "Ledger", *, private: bool) -> None:
    """Give the task to a Celery application."""

    @app.task(name=PART)
    def part(*given: object, **named: object) -> None:
        arguments = decoded(given, named)
        if arguments is None:
            logger.error("refused a message with arguments %.200r %.200r", given, named)
            with suppress(Exception):  # Not counted where the broker is gone this very moment.
                ledger.count_refused()
        else:
            _play(ledger, *arguments, private=private)


def decoded(given: tuple[object, ...], named: dict[str, object]) -> tuple[str, int] | None:
    """Check a message's arguments, which anyone who reaches the broker can write; None if they are wrong."""
    match given:
        case (str(word), int(part)) if word and part >= 0 and type(part) is int and not named:
            return word, part
    return None


def queue_part(app: Any, word: str, part: int) -> None:
    """Put the message for a part on the queue.

    Raises
    ------
    kombu.exceptions.OperationalError
        The broker did not take it.
    """
    app.send_task(PART, args=[word, part], retry=False)


def me() -> str:
    """Name the worker that this process of its pool belongs to, as it announces itself."""
    return f"{os.uname().nodename}-{os.getppid()}"


@lru_cache(maxsize=256)
def _warn(word: str, sentence: str, moment: int) -> None:
    """Log a sentence about a run, once in `moment`: each of its parts would say the same."""
    logger.warning("%.200s: %s", ascii(word), sentence)


def _play(ledger: "Ledger", word: str, part: int, *, private: bool) -> None:
    """Play a part unless it has ended its process too often; what a user can cause is said, not raised."""
    from workers.play import parts

    location = ""
    try:
        location = located(word, private=private)
        if ledger.attempts.begin(word, part) > ATTEMPTS:
            _give_up(location, part)
        else:
            parts.play(location, part, trusts_files=private)
    except BotFailed as error:  # `play` has recorded it
        logger.warning("part %d of %s: %s", part, word, error)
    except Refused as error:
        _give_back(ledger, word, part, error)
    except StoreError as error:
        if isinstance(error.__cause__, OSError) or not location:  # A full disk will have room again.
            _give_back(ledger, word, part, error)
        else:
            _record(location, part, {"message": str(error)})
    except FourfoldError as error:
        _record(location, part, {"message": str(error)})
    except (OSError, MemoryError) as error:
        # No file can be opened any more, say: another may, or this one later.
        _give_back(ledger, word, part, StoreError(f"Part {part} cannot be played now: {error or 'no memory'}."))
    except Exception as error:  # A fault of ours: it is tried again, and counted.
        logger.exception("part %d of %.200s", part, ascii(word))
        _give_back(ledger, word, part, FourfoldError(f"internal error: {type(error).__name__}: {error}"))
        return
    ledger.attempts.end(word, part)


def _give_back(ledger: "Ledger", word: str, part: int, error: FourfoldError) -> None:
    """Say what hinders this worker, and let the part go to another, or come again when it may be better."""
    _warn(word, str(error), int(time.monotonic() / WARN_S))
    with suppress(Exception):  # Where the broker is gone, the part is queued again when its lease is over.
        ledger.note(word, me(), str(error))
        ledger.give_back(word, part)


def _give_up(location: str, part: int) -> None:
    """Record a part that ended its process again and again, with the game that was in play, as far as it is known."""
    from results.store import Run
    from workers.play.parts import in_play

    message = (
        f"Part {part} was begun {ATTEMPTS} times and came to no end, for its process died or took longer than "
        f"{LIMIT_S} s; it is not tried again."
    )
    entry: dict[str, Any] = {"message": message}
    game = in_play(location, part)
    if game is not None:
        replay = replay_command(Run.open(location), game)
        entry = {"message": f"{message} Game {game} was in play.\nReplay it: {replay}", "game": game}
    _record(location, part, entry)


def _record(location: str, part: int, entry: dict[str, Any]) -> None:
    """Leave word in the run's folder that a part cannot be played; where that fails too, in the log."""
    from results.store import Run

    logger.warning("part %d of %s: %s", part, location, entry["message"])
    try:
        Run.open(location).record_failure(part, entry)
    except FourfoldError as error:
        logger.warning("part %d of %s: the failure cannot be recorded: %s", part, location, error)
