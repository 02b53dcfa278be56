"""Transcripts spoilt in every way: what every referee must report."""

from collections.abc import Iterator
from typing import Any

Document = dict[str, Any]


def spoilt(value: object) -> list[object]:
    """Values that are never right in the place of `value`."""
    others: list[object] = ["?", {}]
    if isinstance(value, bool):
        return [not value, int(value), *others]
    if isinstance(value, int):
        return [value + 1000, -1 - value, float(value), None, *others]
    if isinstance(value, list):
        return [[*value, 99], [value], None, *others]
    return [0, False, *others]


def with_a_key_spoilt(whole: Document) -> Iterator[tuple[str, Document]]:
    """Leave every key around the events out, put nothing or nonsense in its place, add one: what was done, and that."""
    for key in whole:
        yield f"no {key}", {name: value for name, value in whole.items() if name != key}
        yield f"{key} = None", {**whole, key: None}
        yield f"{key} = nonsense", {**whole, key: {"a": []}}
    yield "one more", {**whole, "more": 1}


def with_a_value_spoilt(whole: Document, free: str = "") -> Iterator[tuple[str, Document]]:
    """Spoil every value of every event, and take every key away: what was done, and the transcript (one, modified).

    A key of the name `free` may have any whole number. The transcript is as it was at the end.
    """
    for index, happened in enumerate(whole["events"]):
        for key, value in list(happened.items()):
            for other in spoilt(value):
                if key != free or type(other) is not int:
                    happened[key] = other
                    yield f"event {index}: {key} = {other!r}", whole
            del happened[key]
            yield f"event {index}: no {key}", whole
            happened[key] = value


def with_an_event_spoilt(whole: Document) -> Iterator[tuple[str, int, Document]]:
    """Leave every event out, double it, put nothing in its place, exchange it with the next: what, where, and that."""
    events = whole["events"]
    for index in range(len(events)):
        for what, changed in (
            ("left out", events[:index] + events[index + 1 :]),
            ("doubled", [*events[: index + 1], *events[index:]]),
            ("nothing", [*events[:index], None, *events[index + 1 :]]),
            ("exchanged", [*events[:index], *reversed(events[index : index + 2]), *events[index + 2 :]]),
        ):
            if changed != events:
                yield what, index, {**whole, "events": changed}
