"""A job as a value: what is to be played, complete in itself; how it is executed is no part of it."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

import msgspec

from sim.contract import Bot, Game
from sim.errors import SpecError, UnknownName

MAX_DEALS = 10**12
MAX_SEED = 2**64 - 1


class Entrant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named contestant: a bot, its parameters and skills where they differ from the defaults.

    `source` is the hash of a user's bot, empty for the bots that come with the game.
    """

    bot: str
    name: str = ""
    parameters: dict[str, float | str] = {}
    skills: dict[str, float | str] = {}
    source: str = ""


class Job(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One table, played for a number of deals: `simulate`.

    `entrants` are the places of the table in order, one a seat. `options` holds what differs from the game's defaults.
    `seed` is the master seed, 0 .. 2**64-1. With `rotate` each deal's drawn seating is played in every rotation.
    """

    kind: Literal["simulate"] = "simulate"
    game: str
    seats: int
    entrants: tuple[Entrant, ...]
    deals: int
    seed: int = 1
    rotate: bool = True
    options: dict[str, Any] = {}


def _plain(number: float) -> float | str:
    """Write a number so that JSON can hold it: infinity as a word, whole numbers without a fraction."""
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return int(number) if number == int(number) else number


def _field_value(field: msgspec.structs.FieldInfo, value: Any) -> Any:
    """Convert one option's value, words from a command line included, or raise SpecError."""
    if str(value).lower() in ("true", "false") and {"true", "false"} <= set(option_words(field)):
        value = str(value).lower()  # Yes and no, where there is a third answer: written as any flag may be.
    given: Any = value
    if isinstance(value, str) and takes_numbers(field) and value not in option_words(field):
        given = value.split(",")
    try:
        converted = msgspec.convert(given, field.type, strict=not isinstance(value, str))
    except msgspec.ValidationError:
        raise SpecError(f"Option '{field.name}' is {value!r}; allowed: {allowed_text(field)}.") from None
    return converted + 0.0 if isinstance(converted, float) else converted  # One zero: -0.0 would be another job.


def option_words(field: msgspec.structs.FieldInfo) -> tuple[str, ...]:
    """List the words that an option may be, those beside a file included; none for a number or a flag."""
    return tuple(word for each in _kinds(field) if get_origin(each) is Literal for word in get_args(each))


def takes_numbers(field: msgspec.structs.FieldInfo) -> bool:
    """Say whether an option may be a list of whole numbers; a command line has commas between them."""
    return tuple[int, ...] in _kinds(field)


def _kinds(field: msgspec.structs.FieldInfo) -> tuple[Any, ...]:
    """Give the type of an option, and those it is made up of."""
    kind = field.type.__origin__ if hasattr(field.type, "__metadata__") else field.type
    return (kind, *get_args(kind))


def allowed_text(field: msgspec.structs.FieldInfo) -> str:
    """Say in words what an option may be; bounds with a point are those of a number with a fraction."""
    kind, meta = field.type, None
    if hasattr(kind, "__metadata__"):
        meta, kind = kind.__metadata__[0], kind.__origin__
    if kind is bool:
        return "true, false"
    if get_origin(kind) is Literal:
        return ", ".join(get_args(kind))
    if kind in (int, float) and meta is not None:
        return f"{kind(meta.ge)} to {kind(meta.le)}"
    words = ", ".join(option_words(field))
    if takes_numbers(field):
        return f"{words}, or whole numbers as in 9,7,8"
    return f"{words}, or a {'whole number' if int in _kinds(field) else 'file with one card a line'}"


def make_spec(game: Game, seats: int, options: Mapping[str, Any]) -> Any:
    """Build a game's Spec out of options: the one door that validates them.

    Raises
    ------
    UnknownName, SpecError
        With a sentence that names the option, what was given and what is allowed.
    """
    fields = {field.name: field for field in msgspec.structs.fields(game.Spec)}
    values = {}
    for name, value in options.items():
        if name not in fields:
            raise UnknownName.among("option", name, fields, f"of {game.command_name}")
        values[name] = _field_value(fields[name], value)
    spec = game.Spec(**values)
    spec.check(seats)
    return spec


def changed_options(game: Game, spec: Any) -> dict[str, Any]:
    """Give the options in which a Spec differs from the game's defaults, as plain values, sorted by name."""
    changed = {
        field.name: msgspec.to_builtins(getattr(spec, field.name))
        for field in msgspec.structs.fields(game.Spec)
        if getattr(spec, field.name) != field.default
    }
    return dict(sorted(changed.items()))


def with_preset(game: Game, preset: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options of a game's preset, if one is named, with those that are given besides over them.

    Raises
    ------
    UnknownName, SpecError
        If the game has no such preset, or none at all.
    """
    if preset is None:
        return dict(options)
    if not game.presets:
        raise SpecError(f"There is no preset '{preset}': {game.command_name} has none; set its options one by one.")
    if preset not in game.presets:
        raise UnknownName.among("preset", preset, game.presets, f"of {game.command_name}")
    return {**game.presets[preset], **options}


def _checked_numbers(given: Mapping[str, Any], known: Iterable[Any], what: str, where: str) -> dict[str, float | str]:
    """Check an entrant's parameters or skills; keep those that differ from the defaults, sorted by name."""
    by_name = {parameter.name: parameter for parameter in known}
    kept: dict[str, float | str] = {}
    for name in sorted(given):
        if name not in by_name:
            raise UnknownName.among(what, name, by_name, f"of {where}")
        number = by_name[name].checked(given[name], where)
        if number != by_name[name].default:
            kept[name] = _plain(number)
    return kept


def make_entrant(game: Game, given: Entrant, bots: Mapping[str, Bot]) -> Entrant:
    """Check an entrant and give it a name: its own, else its bot with what differs from the defaults.

    `bots` are the user's; those of the game come first. A bot of a known `source` must be that very source.

    Raises
    ------
    SpecError, UnknownName
        Naming the bot, and the parameter or skill that it does not have or that is out of bounds.
    """
    known = {**bots, **game.bots}
    if given.bot not in known:
        raise UnknownName.among("bot", given.bot, known, f"of {game.command_name}")
    bot = known[given.bot]
    if given.source and given.source != bot.source:
        raise SpecError(
            f"Bot '{given.bot}' is not the one of this job: its source has the hash "
            f"{bot.source[:12] or 'of the game'}, the job names {given.source[:12]}."
        )
    where = f"bot '{given.bot}'"
    parameters = _checked_numbers(given.parameters, bot.parameters, "parameter", where)
    skills = _checked_numbers(given.skills, game.skills, "skill", where)
    settings = [f"{name}={value}" for name, value in {**parameters, **skills}.items()]
    name = given.name or ":".join([given.bot, *settings])
    if not name.isprintable() or len(name) > 100:
        raise SpecError(f"An entrant's name is up to 100 printable characters; given: {name[:40]!r}.")
    return Entrant(given.bot, name, parameters, skills, bot.source)


def make_job(
    game: Game,
    *,
    entrants: Sequence[Entrant] = (),
    seats: int | None = None,
    deals: int,
    seed: int = 1,
    rotate: bool = True,
    options: Mapping[str, Any] | None = None,
    preset: str | None = None,
    bots: Mapping[str, Bot] | None = None,
) -> Job:
    """Build a job, a frozen value, and check all of it.

    Fewer entrants than seats repeat in order; none are the game's default line-up. `options` are by name and go before
    those of the `preset`; the job holds what both come to. `bots` are the users' by name.

    Raises
    ------
    SpecError, UnknownName
        In one sentence: what was given, where, and what is allowed.
    """
    seats = seats if seats is not None else max(len(entrants), game.default_seats) if entrants else game.default_seats
    if not game.min_seats <= seats <= game.max_seats:
        too = "few" if seats < game.min_seats else "many"
        raise SpecError(f"{game.title} is played by {game.seats_text}; {seats} are too {too}.")
    if len(entrants) > seats:
        raise SpecError(f"{len(entrants)} bots for {seats} seats: give at most one bot a seat.")
    if not 1 <= deals <= MAX_DEALS:
        raise SpecError(f"The number of deals is {deals}; allowed are 1 to {MAX_DEALS}.")
    if not 0 <= seed <= MAX_SEED:
        raise SpecError(f"The seed is {seed}; allowed are whole numbers from 0 to 2**64 - 1.")
    spec = make_spec(game, seats, with_preset(game, preset, options or {}))
    listed = list(entrants) or [Entrant(name) for name in game.default_bots]
    placed = tuple(make_entrant(game, listed[place % len(listed)], bots or {}) for place in range(seats))
    for one in placed:
        for other in placed:
            if one.name == other.name and one != other:
                raise SpecError(f"Two different entrants are named '{one.name}': give each its own name.")
    return Job(
        game=game.name,
        seats=seats,
        entrants=placed,
        deals=deals,
        seed=seed,
        rotate=rotate,
        options=changed_options(game, spec),
    )


def document_of(job: msgspec.Struct) -> dict[str, Any]:
    """Write a job as plain values, as JSON and TOML hold them; the seed stays a whole number."""
    plain: dict[str, Any] = msgspec.to_builtins(job)
    return plain


def identity_of(job: msgspec.Struct, game: Game) -> str:
    """Hash the job with its game's version (user bots are in it by the hash of their source); 32 hex digits."""
    text = json.dumps([document_of(job), game.version], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
