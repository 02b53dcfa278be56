"""A job as it is read: the plain values of a TOML or JSON document, checked and built."""

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

import msgspec

from sim.contract import Bot, load_game
from sim.errors import SpecError, UnknownName
from sim.job import Entrant, Job, make_job, with_preset
from sim.table import deals_for_games
from sim.tournament.job import NamedFormat, Tournament, Variant, make_tournament


class _Document(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A job as it is written in a file: all but the game may be left out."""

    kind: Literal["simulate"] = "simulate"
    game: str
    seats: int | None = None
    entrants: list[Entrant] = []
    deals: int | None = None
    games: int | None = None
    seed: int = 1
    rotate: bool = True
    preset: str | None = None
    options: dict[str, Any] = {}


class _VariantDocument(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A variant as it is written in a file: a preset of the game, and options that go before it."""

    name: str = "default"
    preset: str | None = None
    options: dict[str, Any] = {}


class _TournamentDocument(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A tournament as it is written in a file: most of it may be left out."""

    kind: Literal["tournament"] = "tournament"
    game: str
    entrants: list[Entrant] = []
    formats: list[NamedFormat | str] = []
    variants: list[_VariantDocument] = []
    preset: str | None = None
    options: dict[str, Any] = {}
    seats: int | None = None
    repeats: int = 1
    deals: int = 1
    rotate: bool | None = None
    seed: int = 1
    order: list[str] = []


# What the lists of a document hold, and how msgspec says that one of their tables has a key too many.
_LISTS: dict[str, type[msgspec.Struct]] = {"entrants": Entrant, "formats": NamedFormat, "variants": _VariantDocument}
_UNKNOWN = re.compile(
    r"Object contains unknown field `(?P<key>.+)` - at `\$\.(?P<place>(?P<list>\w+)\[\d+\])`", re.DOTALL
)

_Kind = TypeVar("_Kind", _Document, _TournamentDocument)


def job_from_document(document: Any, bots: Mapping[str, Bot] | None = None, where: str = "The job") -> Job:
    """Check a job that was read from TOML or JSON (plain values) and build it.

    Raises
    ------
    SpecError
        Naming the place in the document (`entrants[0].parameters`), what is wrong and the nearest valid word.
    """
    read = _read(document, _Document, where)
    game = load_game(read.game)
    if (read.deals is None) == (read.games is None):
        raise SpecError(f"{where} must say either 'deals' or 'games'.")
    arguments: dict[str, Any] = {
        "entrants": read.entrants,
        "seats": read.seats,
        "seed": read.seed,
        "rotate": read.rotate,
        "preset": read.preset,
        "options": read.options,
        "bots": bots,
    }
    if read.deals is not None:
        return make_job(game, deals=read.deals, **arguments)
    assert read.games is not None
    return deals_for_games(make_job(game, deals=1, **arguments), read.games, bots)


def tournament_from_document(
    document: Any, bots: Mapping[str, Bot] | None = None, where: str = "The job"
) -> Tournament:
    """Check a tournament that was read from TOML or JSON (plain values) and build it.

    Raises
    ------
    SpecError
        Naming the place in the document (`formats[0].settings`), what is wrong and the nearest valid word.
    """
    read = _read(document, _TournamentDocument, where)
    game = load_game(read.game)
    given = {name: getattr(read, name) for name in read.__struct_fields__ if name not in ("kind", "game", "variants")}
    variants = [Variant(each.name, with_preset(game, each.preset, each.options)) for each in read.variants]
    return make_tournament(game, **given, variants=variants, bots=bots)


def _read(document: Any, kind: type[_Kind], where: str) -> _Kind:
    """Check the keys and types of a document."""
    if not isinstance(document, dict):
        raise SpecError(f"{where} must be a table of keys, not {type(document).__name__}.")
    for name in document:
        if name not in kind.__struct_fields__:
            raise UnknownName.among("key", str(name), kind.__struct_fields__, f"in {where}")
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        unknown = _UNKNOWN.fullmatch(str(error))
        if unknown and unknown["list"] in _LISTS:
            fields = _LISTS[unknown["list"]].__struct_fields__
            raise UnknownName.among("key", unknown["key"], fields, f"in {unknown['place']} of {where}") from None
        raise SpecError(f"{where}: {str(error).replace('`$.', '`')}.") from None
    except UnicodeError:  # JSON can spell it
        raise SpecError(f"{where} holds a text that is none: half of a surrogate pair.") from None
