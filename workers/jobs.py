"""Jobs from a command line or a file: words and files become the one value that `sim.job` checks."""

import json
import re
import stat
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from sim.contract import Bot, Game, load_game
from sim.document import job_from_document, tournament_from_document
from sim.errors import SpecError
from sim.job import Entrant, Job, make_job, option_words, with_preset
from sim.table import deals_for_games
from sim.tournament.format import MAX_ENTRANTS
from sim.tournament.job import NamedFormat, Tournament, Variant, make_tournament
from workers.bots import held_bot, load_bot, read_line_up

KINDS = ("simulate", "tournament")
MAX_FILE_BYTES = 1 << 18  # a thousand entrants take half of that
_COUNTED = re.compile(r"(?P<word>.+)\*(?P<count>\d+)", re.DOTALL)


def job_of_options(
    name: str,
    *,
    bots: str | None = None,
    seats: int | None = None,
    deals: int | None = None,
    games: int | None = None,
    seed: int = 1,
    options: Iterable[str] = (),
    preset: str | None = None,
    rotate: bool = True,
) -> tuple[Job, dict[str, Bot]]:
    """Build a job out of what a command line gives; `games` is rounded up to whole deals.

    Returns the job and the users' bots in it by name.

    Raises
    ------
    SpecError, UnknownName
        In one sentence: what was given, where, and what is allowed.
    """
    game = load_game(name)
    if deals is not None and games is not None:
        raise SpecError("Give either --deals or --games, not both.")
    entrants, own = read_line_up(bots, game) if bots is not None else ([], {})
    job = make_job(
        game,
        entrants=entrants,
        seats=seats,
        deals=deals if deals is not None else 1 if games is not None else 1000,
        seed=seed,
        rotate=rotate,
        options=_read_options(options, game),
        preset=preset,
        bots=own,
    )
    return (deals_for_games(job, games, own) if games is not None else job), own


def tournament_of_options(
    name: str,
    *,
    entrants: str | None = None,
    formats: Iterable[str] = (),
    variants: Iterable[str] = (),
    preset: str | None = None,
    options: Iterable[str] = (),
    order: str | None = None,
    **given: Any,
) -> tuple[Tournament, dict[str, Bot]]:
    """Build a tournament out of what a command line gives; without entrants all of the game's bots enter.

    A word of `entrants` may end in `*N`: so many of that bot, numbered. `formats` and `variants` are names, each with
    `:key=value` for what differs. `given` is as `make_tournament` takes it.

    Returns the tournament and the users' bots in it by name.

    Raises
    ------
    SpecError, UnknownName
        In one sentence: what was given, where, and what is allowed.
    """
    game = load_game(name)
    placed, own = _read_entrants(entrants, game) if entrants is not None else ([Entrant(bot) for bot in game.bots], {})
    made = make_tournament(
        game,
        entrants=placed,
        formats=[NamedFormat(*_named(word, "--format")) for word in formats],
        variants=[_read_variant(word, game) for word in variants],
        preset=preset,
        options=_read_options(options, game),
        order=[word.strip() for word in order.split(",")] if order else (),
        bots=own,
        **given,
    )
    return made, own


def _read_entrants(words: str, game: Game) -> tuple[list[Entrant], dict[str, Bot]]:
    """Read `--entrants`; of a word with `*N` there are N, numbered."""
    counts, plain = [], []
    for word in words.split(","):
        counted = _COUNTED.fullmatch(word.strip())
        counts.append(int(counted["count"]) if counted else 0)
        plain.append(counted["word"] if counted else word)
        if counted and not 1 <= counts[-1] <= MAX_ENTRANTS:
            raise SpecError(
                f"Option '--entrants' has {word.strip()!r}; allowed after the star are 1 to {MAX_ENTRANTS}."
            )
    entrants, own = read_line_up(",".join(plain), game, "--entrants")
    placed = []
    for entrant, count in zip(entrants, counts, strict=True):
        if count:
            called = entrant.name or entrant.bot
            placed += [msgspec.structs.replace(entrant, name=f"{called} {number}") for number in range(1, count + 1)]
        else:
            placed.append(entrant)
    return placed, own


def _named(word: str, flag: str) -> tuple[str, str, dict[str, str]]:
    """Read `NAME:key=value:key=value`: the name, one of its own if the key `name` gives that, and the settings."""
    name, _, rest = word.partition(":")
    settings: dict[str, str] = {}
    for setting in filter(None, rest.split(":")):
        key, is_given, value = setting.partition("=")
        if not is_given:
            raise SpecError(f"Option '{flag}': '{setting}' is no setting; write NAME:key=value, as in swiss:rounds=5.")
        if key in settings:
            raise SpecError(f"Option '{flag}': '{key}' is set twice.")
        settings[key] = value
    return name, settings.pop("name", ""), settings


def _read_variant(word: str, game: Game) -> Variant:
    """Read `--variant NAME:option=value`, with `preset=` for a preset; a file option is taken in by content."""
    name, called, options = _named(word, "--variant")
    if "=" in name or not name:
        raise SpecError(f"Option '--variant' has {word!r}; a name stands first, as in mild:knock_penalty=5.")
    preset = options.pop("preset", None)
    if called:
        raise SpecError(f"Option '--variant': the name stands first, as in {name}:option=value.")
    taken = {key: _taken_in(game, key, value, Path()) for key, value in options.items()}
    return Variant(name, with_preset(game, preset, taken))


def _read_options(words: Iterable[str], game: Game) -> dict[str, Any]:
    """Read all `--option`s, each name once."""
    read: dict[str, Any] = {}
    for word in words:
        name, value = _read_option(word, game)
        if name in read:
            raise SpecError(f"Option '{name}' is set twice.")
        read[name] = value
    return read


def _read_option(word: str, game: Game) -> tuple[str, Any]:
    """Read one `--option name=value`; the value of a file option is taken in by content."""
    name, is_given, value = word.partition("=")
    if not is_given:
        raise SpecError(f"Option '{word}' has no value; write name=value, as in --option knock_penalty=20.")
    return name, _taken_in(game, name, value, Path())


def _taken_in(game: Game, name: str, value: Any, folder: Path) -> Any:
    """Replace the name of a file by its lines where the option is one that takes a file."""
    fields = {field.name: field for field in msgspec.structs.fields(game.Spec)}
    if name not in fields or not isinstance(value, str) or value in option_words(fields[name]):
        return value
    metadata = getattr(fields[name].type, "__metadata__", ())
    if not any((meta.extra_json_schema or {}).get("file") for meta in metadata):
        return value
    words = ", ".join(option_words(fields[name]))
    text = _read_text(folder / value, f"Option '{name}' is {words} or a file")
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    return [" ".join(line.split()) for line in lines if line]


def _read_text(file: Path, what: str) -> str:
    """Read a text file of limited size."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise SpecError(f"{what}: {file} is no file.")
        with open(file, "rb") as opened:
            content = opened.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise SpecError(f"{what}: {file} is larger than {MAX_FILE_BYTES} bytes.")
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(f"{what}: {file} is no UTF-8 text (byte {error.start}).") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SpecError(f"{what}: {file} cannot be read: {reason}.") from None


def read_job(path: str | Path) -> tuple[Job | Tournament, dict[str, Bot]]:
    """Read a job file of either kind, TOML or JSON; an entrant's bot may be FILE.py:NAME, beside the file or absolute.

    Raises
    ------
    SpecError, UnknownName
        Naming the file and the line and column, or the place in the document, and what is allowed.
    """
    file = Path(path)
    text = _read_text(file, "Job file")
    try:
        document = json.loads(text, object_pairs_hook=_once) if file.suffix == ".json" else tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"Job file {file} is no valid TOML: {error}.") from None
    except (ValueError, RecursionError) as error:
        raise SpecError(f"Job file {file} is no valid {file.suffix[1:].upper()}: {error}.") from None
    if not isinstance(document, dict) or not isinstance(document.get("game"), str):
        raise SpecError(f'Job file {file} must name its game, as in game = "vierer".')
    game = load_game(document["game"])
    own = _bots_of_document(document, game, file.parent)
    variants = document.get("variants")
    for holder in [document, *(variants if isinstance(variants, list) else [])]:
        options = holder.get("options") if isinstance(holder, dict) else None
        if isinstance(options, dict):
            holder["options"] = {name: _taken_in(game, name, value, file.parent) for name, value in options.items()}
    where = f"job file {file}"
    kind = document.get("kind", "simulate")
    if kind not in KINDS:
        raise SpecError(
            f"{where}: its kind is {str(kind)[:40]!r}; allowed: {', '.join(KINDS)}.".replace("job", "Job", 1)
        )
    if kind == "simulate" and {"formats", "repeats", "variants"} & document.keys():
        raise SpecError(f'Job file {file} looks like a tournament: say kind = "tournament" in it.')
    if kind == "tournament":
        return tournament_from_document(document, own, where), own
    return job_from_document(document, own, where), own


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object whose keys stand in it once."""
    built = dict(pairs)
    if len(built) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key '{twice[:40]}' stands in it twice")
    return built


def _bots_of_document(document: dict[str, Any], game: Game, folder: Path) -> dict[str, Bot]:
    """Load the users' bots that a document names, and leave no more than their names in it (modifies `document`)."""
    own: dict[str, Bot] = {}
    entrants = document.get("entrants")
    for entrant in entrants if isinstance(entrants, list) else []:
        word = entrant.get("bot") if isinstance(entrant, dict) else None
        if not isinstance(word, str) or word in game.bots:
            continue
        file, is_file, name = word.rpartition(".py:")
        bot = load_bot(folder / f"{file}.py", name, game) if is_file else held_bot(word, game)
        if own.get(bot.name, bot).source != bot.source:
            raise SpecError(f"Two bots are named '{bot.name}'; a name stands for one bot in a job.")
        own[bot.name] = bot
        entrant["bot"] = bot.name
    return own
