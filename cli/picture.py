"""How a run stands, as a picture for the terminal or as a line: what `workers.service.queue.look` knows, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cli.numbers import counted
from cli.times import left_words, span_words
from cli.words import printable

if TYPE_CHECKING:
    from rich.console import Group

Known = dict[str, Any]

_BAR_WIDTH = 24
_MOST_PARTS = 6  # of those at hand, by number


def line_of(known: Known) -> str:
    """Say in one line how a run stands."""
    words = [f"{known['run']}: {known['state']}", f"{known['parts_done']:,} of {counted(known['parts'], 'part')} done"]
    if known["parts_overdue"]:
        words.append(f"{known['parts_overdue']:,} overdue")
    if known["units_per_s"]:
        words.append(f"{known['units_per_s'] * _each(known):,.0f} {_counted(known)}/s")
    if known["left_s"] is not None:
        words.append(f"{left_words(known['left_s'])} left")
    if known["is_summing"]:
        words.append("being summed up")
    return ", ".join(words)


def hindrances(known: Known) -> list[str]:
    """Give the sentences on what hinders a run."""
    said: dict[str, list[str]] = {}
    for who, sentence in known["notes"].items():
        said.setdefault(sentence, []).append(who)
    found = [printable(f"{', '.join(who)}: {sentence}") for sentence, who in said.items()]
    found += [printable(" ".join(message.splitlines())) for message in known["failures"]]
    if known["state"] == "queued" and not known["notes"].get("broker"):
        if not known["workers"]:
            found.append("No worker is there: start fourfold up here, or fourfold worker.")
        if known["steward"] is None:
            found.append("No steward is there.")
    if known["refused_messages"]:
        found.append(f"{counted(known['refused_messages'], 'message')} on this broker were none of Fourfold's.")
    return found


def picture_of(known: Known) -> Group:
    """Draw how a run stands."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    facts = Table.grid(padding=(0, 2))
    facts.add_column(no_wrap=True)
    facts.add_column(overflow="fold")
    facts.add_row("", ProgressBar(total=known["units"], completed=known["units_done"], width=_BAR_WIDTH))
    for name, words in _facts(known):
        facts.add_row(Text(name), Text(words))
    title = Text.assemble((known["run"], "bold"), f": {known['state']}")
    return Group(title, facts)


def _facts(known: Known) -> Iterator[tuple[str, str]]:
    """Give what is known, as names and words."""
    parts = f"{known['parts_done']:,} of {known['parts']:,} done"
    if known["state"] == "queued":
        parts += f", {known['parts_queued']:,} queued or in play, {known['parts_overdue']:,} overdue so far"
    yield "parts", parts
    each = _each(known)
    done = f"{known['units_done'] * each:,.0f} of {known['units'] * each:,.0f} done"
    if known["units_per_s"]:
        done += f", {known['units_per_s'] * each:,.0f} a second"
    if known["left_s"] is not None:
        done += f", {left_words(known['left_s'])} left"
    yield _counted(known), done
    if known["is_summing"]:
        yield "now", "all parts are done and are summed up"
    if known["attempts"]:
        yield "at hand", _attempts(known["attempts"])
    if known["steward"]:
        yield "steward", f"{printable(str(known['steward']['name']))}, seen {span_words(known['steward']['age_s'])} ago"
    for worker in known["workers"]:
        yield "worker", _worker(worker)
    for sentence in hindrances(known):
        yield "note", sentence


def _counted(known: Known) -> str:
    """Say what is counted: games where their number is known beforehand, else the run's units."""
    return str(known["unit"]) if known["games"] is None else "games"


def _each(known: Known) -> float:
    """Give how many of these a unit has: a deal's games are as many as there are rotations that differ."""
    return 1.0 if known["games"] is None else float(known["games"]) / float(known["units"])


def _attempts(attempts: dict[str, int]) -> str:
    """Name the parts that were begun and have not ended, and how often if more than once."""
    named = [f"{part} (attempt {count})" if count > 1 else part for part, count in attempts.items()]
    more = f" and {len(named) - _MOST_PARTS} more" if len(named) > _MOST_PARTS else ""
    return f"{'part' if len(named) == 1 else 'parts'} {', '.join(named[:_MOST_PARTS])}{more}"


def _worker(worker: dict[str, Any]) -> str:
    """Say of a worker what it announced; anybody may have written that."""
    load = worker.get("load")
    words = (
        str(worker["name"]),
        f"version {worker.get('version', '?')}",
        f"{worker.get('active', '?')} of {worker.get('processes', '?')} processes busy",
        f"load {load:.1f}" if isinstance(load, int | float) else "load ?",
        f"seen {span_words(worker['age_s'])} ago",
    )
    return printable(", ".join(words))
