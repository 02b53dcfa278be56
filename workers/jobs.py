"""Jobs from a command line or a file: words and files become the one value that `sim.job` checks."""

import json
import stat
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from sim.contract import Bot, Game, load_game
from sim.document import job_from_document
from sim.errors import SpecError
from sim.job import Job, make_job, option_words
from sim.table import deals_for_games
from workers.bots import held_bot, load_bot, read_line_up

MAX_FILE_BYTES = 1 << 15


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
    text = _read_text(folder / value, f"Option '{name}'")
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


def read_job(path: str | Path) -> tuple[Job, dict[str, Bot]]:
    """Read a job file, TOML or JSON; an entrant's bot may be FILE.py:NAME, beside the job file or absolute.

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
    options = document.get("options")
    if isinstance(options, dict):
        document["options"] = {name: _taken_in(game, name, value, file.parent) for name, value in options.items()}
    return job_from_document(document, own, f"job file {file}"), own


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
