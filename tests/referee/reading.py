"""Reading a transcript: the document around the events, and the comparison of an event with the one that is due.

What every referee needs and no game's rules say. Events are numbered from 0, as in the list `events`. The document is
described in docs/transcripts.md.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from reprlib import Repr
from typing import Any, TypeGuard

Event = dict[str, Any]

FORMAT = 1
DOCUMENT_KEYS = (
    "format",
    "game",
    "version",
    "seats",
    "options",
    "seed",
    "deal",
    "rotation",
    "entrants",
    "skills",
    "events",
)

# One early difference can make a thousand later ones; the first few say everything.
DIFFERENCES_MOST = 20


class DivergenceError(Exception):
    """A difference after which the rest of the transcript cannot be judged; its text is the sentence."""


class Reader:
    """Reads the events of a transcript one by one and notes every difference from the rules."""

    def __init__(self, events: Sequence[object]) -> None:
        """Begin at the first event."""
        self.events = events
        self.cursor = 0
        self.differences: list[str] = []

    def announce(self, expected: Event, rule: str) -> None:
        """Compare the next event with the one the rules predict."""
        self.compare(expected, self.read(expected["event"], rule, expected), rule)

    def ahead(self, key: str) -> object:
        """Value under `key` in the next event, which is not read yet; None where there is none."""
        following = self.events[self.cursor] if self.cursor < len(self.events) else None
        return following.get(key) if isinstance(following, dict) else None

    def read(self, kind: str, rule: str, expected: Event | None = None) -> Event:
        """Return the next event if it is of the right kind."""
        wanted = kind if expected is None else show(expected)
        found = self.events[self.cursor] if self.cursor < len(self.events) else None
        if not isinstance(found, dict) or not is_same(kind, found.get("event")):
            raise self.refusal(wanted, rule)
        self.cursor += 1
        return found

    def refusal(self, expected: str, rule: str) -> DivergenceError:
        """Read the next event, whatever it is, and say that it is not the expected one."""
        self.cursor += 1
        is_there = self.cursor <= len(self.events)
        found = self.events[self.cursor - 1] if is_there else "the end of the transcript"
        return DivergenceError(self.sentence(expected, rule, found))

    def compare(self, expected: Event, found: Event, rule: str) -> None:
        """Note every key that is missing, unknown or different."""
        kind = expected["event"]
        for key, value in expected.items():
            if key not in found:
                self.note(self.sentence(f"{kind}: {key} = {show(value)}", rule, "no such key"))
            elif not is_same(value, found[key]):
                self.note(self.sentence(f"{kind}: {key} = {show(value)}", rule, found[key]))
        for key in found:
            if key not in expected:
                self.note(self.sentence(f"{kind} without the key {show(key)}", "docs/transcripts.md", found[key]))

    def finish(self) -> None:
        """Note the events that follow the end of the game."""
        left_over = len(self.events) - self.cursor
        if left_over:
            raise DivergenceError(
                f"event {self.cursor}: expected nothing after the end of the game, found {left_over} more"
            )

    def note(self, sentence: str) -> None:
        """Add a difference after which judging goes on, unless there are many already."""
        self.differences.append(sentence)
        if len(self.differences) >= DIFFERENCES_MOST:
            raise DivergenceError(f"event {self.cursor - 1}: stopped after {DIFFERENCES_MOST} differences")

    def sentence(self, expected: str, rule: str, found: object) -> str:
        """Say what was expected by which rule, and what was found."""
        return f"event {self.cursor - 1}: expected {expected} (by {rule}), found {show(found)}"


# ------------------------------------------------------------------------------------------------------------
# Values
# ------------------------------------------------------------------------------------------------------------


def is_integer(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number; true and false are none."""
    return type(value) is int


def is_same(expected: object, found: object) -> bool:
    """Whether two JSON values are equal and of the same types throughout (true is not 1, 1.0 is not 1)."""
    if type(expected) is not type(found):
        return False
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(is_same, expected, found))
    return expected == found


_SHORT = Repr()
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 60
_SHORT.maxstring = _SHORT.maxother = 80


def show(value: object) -> str:
    """Value as text, shortened; a value that Python cannot print is named by its type."""
    try:
        return _SHORT.repr(value)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too large to print"


# ------------------------------------------------------------------------------------------------------------
# The document
# ------------------------------------------------------------------------------------------------------------


def faults_of_document(
    transcript: Mapping[str, object],
    game: str,
    seats_allowed: tuple[int, int],
    seats_rule: str,
    is_skills: Callable[[object], bool],
) -> Iterator[str]:
    """Every key around the events that is missing, unknown or of the wrong type, as a sentence.

    The fewest and the most seats and the skills of an entrant are the game's; its options are for its own referee.
    """
    yield from (f"document: {key} is missing" for key in DOCUMENT_KEYS if key not in transcript)
    yield from (f"document: {show(key)} is no key of a transcript" for key in transcript if key not in DOCUMENT_KEYS)
    for key, meaning in (("format", FORMAT), ("game", game)):
        if key in transcript and not is_same(meaning, transcript[key]):
            yield f"document: {key} is {meaning!r}, found {show(transcript[key])}"
    yield from faults_of_types(transcript)
    seats, (fewest, most) = transcript.get("seats"), seats_allowed
    if is_integer(seats) and fewest <= seats <= most:
        yield from faults_of_seating(transcript, seats, is_skills)
    elif "seats" in transcript:
        yield f"document: seats is in {fewest}..{most} ({seats_rule}), found {show(seats)}"


def faults_of_types(transcript: Mapping[str, object]) -> Iterator[str]:
    """Every key around the events whose value has the wrong type."""
    types = {"version": (str, int), "options": (dict,), "seed": (str,), "events": (list,)}
    for key, allowed in types.items():
        if key in transcript and type(transcript[key]) not in allowed:
            names = " or ".join(kind.__name__ for kind in allowed)
            yield f"document: {key} is of type {names}, found {show(transcript[key])}"
    for key in ("deal", "rotation"):
        value = transcript.get(key, 0)
        if not is_integer(value) or value < 0:
            yield f"document: {key} is a whole number from 0, found {show(value)}"


def faults_of_seating(
    transcript: Mapping[str, object], seats: int, is_skills: Callable[[object], bool]
) -> Iterator[str]:
    """Every fault of the entrants' names and skills."""
    for key, is_valid in (("entrants", is_name), ("skills", is_skills)):
        value = transcript.get(key, [])
        if key in transcript and not (isinstance(value, list) and len(value) == seats and all(map(is_valid, value))):
            yield f"document: {key} needs a valid entry for each of {seats} seats, found {show(value)}"


def is_name(value: object) -> bool:
    """Whether a value can be an entrant's name."""
    return isinstance(value, str) and bool(value)


# ------------------------------------------------------------------------------------------------------------
# Files of transcripts
# ------------------------------------------------------------------------------------------------------------

Judge = Callable[[Mapping[str, object]], list[str]]


def judge_files(judge: Judge, paths: Sequence[str]) -> int:
    """Judge every line of the files, print the differences and the number judged.

    Returns 1 if any transcript differs, if a file cannot be read, or if there was nothing to judge.
    """
    judged = differing = unreadable = 0
    for path in paths:
        try:
            with Path(path).open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    differences = judge_line(judge, line)
                    judged += 1
                    differing += bool(differences)
                    sys.stdout.writelines(f"{path}:{number}: {difference}\n" for difference in differences)
        except OSError as error:
            unreadable += 1
            sys.stdout.write(f"{path}: cannot be read: {error}\n")
    sys.stdout.write(f"{judged} transcripts judged, {differing} with differences\n")
    return 1 if differing or unreadable or not judged else 0


def judge_line(judge: Judge, line: bytes) -> list[str]:
    """Judge one transcript written as JSON; a line that is no JSON is a difference."""
    try:
        transcript = json.loads(line)
    except (ValueError, RecursionError) as error:
        return [f"document: no JSON: {error}"]
    return judge(transcript)
