"""Points and spans of time as words."""

from __future__ import annotations

from datetime import datetime, timedelta

_UNITS = ((86400, "day"), (3600, "h"), (60, "min"))


def span_words(seconds: float) -> str:
    """Write a span in its greatest unit: `40 s`, `3 min`, `2 h`, `1 day`, `12 days`."""
    for size, unit in _UNITS:
        number = int(max(0.0, seconds) // size)
        if number:
            return f"{number:,} {unit}s" if unit == "day" and number > 1 else f"{number:,} {unit}"
    return f"{max(0, int(seconds))} s"


def left_words(seconds: float) -> str:
    """Write the time that is left, in hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))


def moment_words(moment: datetime, now: datetime) -> str:
    """Write a point of time as it is read here: the hour if it is today, else the day with it."""
    here, today = moment.astimezone(), now.astimezone()
    if here.date() == today.date():
        return f"{here:%H:%M}"
    return f"{here:%d %b %H:%M}" if here.year == today.year else f"{here:%Y-%m-%d}"
