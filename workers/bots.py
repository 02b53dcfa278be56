"""Bots of users: from a file, or held here by name; known by the hash of their source, compiled like any other."""

import importlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from sim.contract import Bot, Game, Parameter
from sim.errors import Refused, SpecError, UnknownName
from sim.job import Entrant
from workers.held import VARIABLE, Held, games_imported, held, source_of, where_held, with_imports

_NAME = "name"  # the key that names an entrant
_FILE_WORD = re.compile(r"(?P<file>.+?\.py):(?P<name>[^:]+)(?P<rest>(:.*)?)", re.DOTALL)


def read_line_up(words: str, game: Game, flag: str = "--bots") -> tuple[list[Entrant], dict[str, Bot]]:
    """Read a list of bots: names or FILE.py:NAME, parted by commas, each with `:key=value` for what differs.

    A name is that of a bot of the game, or of one that is held here; `:name=...` is the entrant's.

    Returns the entrants in order, and the users' bots among them by name.

    Raises
    ------
    SpecError, UnknownName
        In one sentence, naming the word.
    """
    entrants, bots = [], dict[str, Bot]()
    for word in words.split(","):
        entrant, bot = _read_word(word.strip(), game, flag)
        entrants.append(entrant)
        if bot is not None:
            if bots.get(bot.name, bot).source != bot.source:
                raise SpecError(f"Two bots are named '{bot.name}'; a name stands for one bot in a job.")
            bots[bot.name] = bot
    return entrants, bots


def _read_word(word: str, game: Game, flag: str) -> tuple[Entrant, Bot | None]:
    """Read one word of a list of bots."""
    if not word:
        raise SpecError(f"Option '{flag}' has an empty place: give names parted by commas, as in careful,random.")
    bot = None
    match = _FILE_WORD.fullmatch(word)
    if match:
        bot = load_bot(Path(match["file"]), match["name"], game)
        name, settings = match["name"], match["rest"].removeprefix(":")
    else:
        name, _, settings = word.partition(":")
        if name not in game.bots:
            bot = held_bot(name, game)
    declared = (bot or game.bots[name]).parameters
    return _entrant(name, settings, declared, game, bot), bot


def _entrant(name: str, settings: str, declared: tuple[Parameter, ...], game: Game, bot: Bot | None) -> Entrant:
    """Sort `key=value:key=value` into parameters, skills and the entrant's name."""
    parameters: dict[str, float | str] = {}
    skills: dict[str, float | str] = {}
    called = ""
    parameter_names = [parameter.name for parameter in declared]
    skill_names = [skill.name for skill in game.skills]
    for setting in filter(None, settings.split(":")):
        key, is_given, value = setting.partition("=")
        if not is_given:
            raise SpecError(f"Bot '{name}': '{setting}' is no setting; write key=value, as in memory=12.")
        if key in parameters or key in skills or (key == _NAME and called):
            raise SpecError(f"Bot '{name}': '{key}' is set twice.")
        if key == _NAME:
            called = value.strip()
            if not called:
                raise SpecError(f"Bot '{name}': an entrant's name is 1 to 100 printable characters.")
        elif key in parameter_names:
            parameters[key] = value
        elif key in skill_names:
            skills[key] = value
        else:
            raise UnknownName.among("parameter", key, [*parameter_names, *skill_names], f"of bot '{name}'")
    return Entrant(name, called, parameters, skills, bot.source if bot else "")


def load_bot(file: Path, name: str, game: Game, source: str = "") -> Bot:
    """Load the bot `name` from a Python file.

    Its source is the hash of the file and of every file beside it that it imports. Where `source` is given, the hash
    is compared before anything of the file is run.

    Raises
    ------
    SpecError
        If the file cannot be read, is not of that source, or raises, or holds no bot of that name.
    """
    if name in game.bots:
        raise SpecError(f"Bot '{name}' of {file} has the name of a bot of {game.command_name}; give it another.")
    files = with_imports(_there(file))
    found_source = _checked_source(files, name, source)
    module = _imported(files, found_source)
    return _bot_of(module, name, name, files, found_source, game)


def _there(file: Path) -> Path:
    """Follow a bot file's links to their end."""
    try:
        if file.is_file():
            return file.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a name too long, a NUL, a ring of links
        raise SpecError(f"Bot file {file} cannot be read: {type(error).__name__}.") from None
    raise SpecError(f"Bot file {file} does not exist.")


def _checked_source(files: Sequence[Path], name: str, source: str) -> str:
    """Give the source of a bot's files, which must be `source` if that is given."""
    found = source_of(files)
    if source and found != source:
        raise SpecError(
            f"Bot '{name}' in {files[0]} is not the one of this job: its source has the hash {found[:12]}, "
            f"the job names {source[:12]}."
        )
    return found


def _bot_of(module: ModuleType, function: str, name: str, files: Sequence[Path], source: str, game: Game) -> Bot:
    """Take the bot out of a module that is loaded, and name it; `files` are its file and those that it imports."""
    file = files[0]
    found = getattr(module, function, None)
    if found is None:
        named = [each for each, value in vars(module).items() if isinstance(value, Bot)]
        raise UnknownName.among("bot", function, named, f"in {file}")
    if not isinstance(found, Bot):
        raise SpecError(f"'{function}' in {file} is no bot: put @bot() from sim.contract above the function.")
    plays = (found.game.replace("-", "_"),) if found.game else games_imported(files)
    if plays and game.name not in plays:
        others = " and ".join(each.replace("_", "-") for each in plays)
        raise SpecError(f"Bot '{name}' in {file} plays {others}, not {game.command_name}.")
    from sim.compiled import KERNELS

    return replace(found, name=name, source=source, cache=KERNELS / "bots" / source[:16])


_BESIDE: set[str] = set()  # names of modules that bot files have imported from beside them


def _imported(files: Sequence[Path], source: str) -> ModuleType:
    """Import a file as a module of its own, named by its source: the same one is not run twice."""
    file = files[0]
    title = f"fourfold_bot_{source[:16]}"
    if title in sys.modules:
        return sys.modules[title]
    spec = importlib.util.spec_from_file_location(title, file)
    if spec is None or spec.loader is None:
        raise SpecError(f"Bot file {file} is no Python file.")
    _make_room(files)
    module = importlib.util.module_from_spec(spec)
    sys.modules[title] = module  # Compiled functions look their module up there.
    sys.path.insert(0, str(file.parent))
    importlib.invalidate_caches()
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # Whatever it does at its start, sys.exit() included, is its own fault.
        del sys.modules[title]
        raise SpecError(f"Bot file {file} cannot be loaded: {_where(error, file)}") from error
    finally:
        sys.path.remove(str(file.parent))
    return module


def _make_room(files: Sequence[Path]) -> None:
    """Forget what other bots have imported under the names of the files beside this one: those are other modules."""
    for beside in files[1:]:
        loaded = sys.modules.get(beside.stem)
        if beside.stem in _BESIDE:
            sys.modules.pop(beside.stem, None)
        elif loaded is not None and Path(getattr(loaded, "__file__", None) or "").resolve() != beside:
            raise SpecError(f"Bot file {beside} has the name of a module that is loaded already; give it another.")
        elif loaded is None:
            _BESIDE.add(beside.stem)


def held_bots() -> dict[str, str]:
    """Give the source of every bot that is held here by name, for all games; nothing of them is run.

    Raises
    ------
    SpecError
        If two are of one name, or `FOURFOLD_BOTS` is no folder to take bots from.
    """
    return {name: found.source for name, found in held()[0].items()}


def held_bot(name: str, game: Game) -> Bot:
    """Load the bot of that name that is held here.

    Raises
    ------
    SpecError, UnknownName
        If there is none for this game; with what was passed over.
    """
    bots, faults = held()
    if name in bots:
        return _loaded(bots[name], game)
    known = [each for each, found in bots.items() if found.can_play(game.name)]
    unknown = UnknownName.among("bot", name, [*game.bots, *known, "FILE.py:NAME"], f"of {game.command_name}")
    unset = [] if os.environ.get(VARIABLE) else [f"{VARIABLE}, the folder of bots of your own, is not set."]
    raise UnknownName(" ".join([str(unknown), *unset, *faults]))


def _loaded(found: Held, game: Game) -> Bot:
    """Load a bot that is held, if its files are still those that were read."""
    if not found.module:
        return load_bot(found.files[0], found.function, game, found.source)
    _checked_source(found.files, found.name, found.source)
    if _ENTRIES.setdefault(found.module, found.source) != found.source:
        raise SpecError(f"Bot '{found.name}' has changed since {found.module} was imported; start this process again.")
    try:
        module = importlib.import_module(found.module)
    except BaseException as error:  # as in `_imported`
        del _ENTRIES[found.module]
        raise SpecError(f"Bot file {found.files[0]} cannot be loaded: {_where(error, found.files[0])}") from error
    return _bot_of(module, found.function, found.name, found.files, found.source, game)


_ENTRIES: dict[str, str] = {}  # the source of each module that an entry point has imported


def _where(error: BaseException, file: Path) -> str:
    """Say what was raised and in which line of the file."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    at = f"line {lines[-1]}: " if lines else ""
    return f"{at}{type(error).__name__}: {error}."


def bots_of_run(plan: Mapping[str, Any], job: Mapping[str, Any], game: Game, trusts_files: bool) -> dict[str, Bot]:
    """Load the users' bots of a run, each of the very source that its job states.

    A bot that is held here by name is taken. With `trusts_files`, where only this user can have written the run's
    plan, another is loaded from the file that the plan names; without it no path out of a plan is ever opened.

    Raises
    ------
    Refused
        If no bot of that name and source is held.
    SpecError
        If a file is missing, has changed or cannot be loaded.
    """
    wanted = {name: source for name, source in _sources(job) if name not in game.bots}
    if not wanted:
        return {}
    here, faults = held()
    files = plan.get("bot_files") if trusts_files else None
    bots = {}
    for name, source in wanted.items():
        file = files.get(name) if isinstance(files, Mapping) else None
        if name in here and here[name].source == source:
            bots[name] = _loaded(here[name], game)
        elif isinstance(file, str):
            bots[name] = load_bot(Path(file), name, game, source)
        else:
            raise Refused(" ".join([_refusal(name, source, here.get(name)), *faults]))
    return bots


def _refusal(name: str, wanted: str, other: Held | None) -> str:
    """Say which bot is refused, what is held in its place, and where it was looked for."""
    held_instead = f"{other.source[:12]} is held, from {other.place}" if other else "none of that name is held"
    return (
        f"Bot '{name}' is refused: its job wants the source with the hash {wanted[:12]}, and {held_instead}; "
        f"looked in {where_held()}. "
        "Put that very file there and the run goes on, or submit the job anew with the new one."
    )


def _sources(job: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """List name and source of the users' bots of a job; what is wrong in it is found where it is read."""
    entrants = job.get("entrants")
    for entrant in entrants if isinstance(entrants, list) else []:
        if isinstance(entrant, dict):
            name, source = entrant.get("bot"), entrant.get("source")
            if isinstance(name, str) and isinstance(source, str) and source:
                yield name, source
