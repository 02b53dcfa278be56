"""The one task: play a part of a run. Its message is a hint that may come twice, late or never."""

import logging
from typing import Any

from sim.errors import BotFailed, FourfoldError
from workers.attempts import Attempts

PART = "fourfold.part"
ATTEMPTS = 3  # a part that ended its process so often is not tried again

logger = logging.getLogger("fourfold")


def register(app: Any, attempts: Attempts) -> None:
    """Give the task to a Celery application."""

    @app.task(name=PART)
    def part(*given: object, **named: object) -> None:
        arguments = decoded(given, named)
        if arguments is None:
            logger.error("refused a message with arguments %.200r %.200r", given, named)
        else:
            _play(attempts, *arguments)


def decoded(given: tuple[object, ...], named: dict[str, object]) -> tuple[str, int] | None:
    """Check a message's arguments, which anyone who reaches the broker can write; None if they are wrong."""
    match given:
        case (str(location), int(part)) if location and part >= 0 and type(part) is int and not named:
            return location, part
    return None


def queue_part(app: Any, location: str, part: int) -> None:
    """Put the message for a part on the queue.

    Raises
    ------
    kombu.exceptions.OperationalError
        The broker did not take it.
    """
    app.send_task(PART, args=[location, part], retry=False)


def _play(attempts: Attempts, location: str, part: int) -> None:
    """Play a part unless it has ended its process too often; what a user can cause is logged, not raised."""
    from workers import parts

    try:
        if attempts.begin(location, part) > ATTEMPTS:
            _record(location, part, f"Part {part} ended its process {ATTEMPTS} times and is not tried again.")
        else:
            parts.play(location, part)
    except BotFailed as error:  # `play` has recorded it
        logger.warning("part %d of %s: %s", part, location, error)
    except FourfoldError as error:
        logger.warning("part %d of %s: %s", part, location, error)
        _record(location, part, str(error))
    attempts.end(location, part)


def _record(location: str, part: int, message: str) -> None:
    """Leave word in the run's folder that a part cannot be played; where that fails too, in the log."""
    from results.store import Run

    try:
        Run.open(location).record_failure(part, {"message": message})
    except FourfoldError as error:
        logger.warning("part %d of %s: the failure cannot be recorded: %s", part, location, error)
