"""The errors that Fourfold raises for what a user can cause: one family, each message a sentence or two."""

from collections.abc import Iterable
from difflib import get_close_matches


class FourfoldError(Exception):
    """The root of the family. Its message says what was given, where, and what is allowed."""


class SpecError(FourfoldError):
    """A job, an option, a parameter or a number is not allowed."""


class UnknownName(SpecError):  # noqa: N818 - the family reads as what went wrong
    """A game, bot, option, parameter or run of that name does not exist."""

    @classmethod
    def among(cls, what: str, given: str, allowed: Iterable[str], where: str = "") -> "UnknownName":
        """Build the sentence for a name that is not one of those allowed, with the nearest one if any is near."""
        names = list(allowed)
        near = get_close_matches(given, names, n=1, cutoff=0.5)
        place = f" {where}" if where else ""
        hint = f" Did you mean '{near[0]}'?" if near else ""
        listed = f" Allowed: {', '.join(names)}." if names else " There is none."
        return cls(f"Unknown {what} '{given}'{place}.{hint}{listed}")


class IllegalAction(FourfoldError):  # noqa: N818
    """An action is not legal in the state that it was given to."""


class BotFailed(FourfoldError):  # noqa: N818
    """A bot raised, acted illegally or never answered; the message names the game and how to replay it."""


class StoreError(FourfoldError):
    """A run's folder cannot be written, does not exist, is damaged or belongs to another job."""


class Refused(FourfoldError):  # noqa: N818
    """A run cannot be played by this worker; another one may."""


class BrokerError(FourfoldError):
    """The message broker or its workers are out of reach."""
