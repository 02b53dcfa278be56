"""Bots of users: read from a file, known by the hash of their source, compiled like any other."""

import ast
import hashlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sim.contract import Bot, Game, Parameter
from sim.errors import SpecError, UnknownName
from sim.job import Entrant

_FILE_WORD = re.compile(r"(?P<file>.+?\.py):(?P<name>[^:]+)(?P<rest>(:.*)?)", re.DOTALL)


def read_line_up(words: str, game: Game) -> tuple[list[Entrant], dict[str, Bot]]:
    """Read `--bots`: names, or FILE.py:NAME, parted by commas, each with `:key=value` for what differs.

    Returns the entrants in order, and the users' bots among them by name.

    Raises
    ------
    SpecError, UnknownName
        In one sentence, naming the word.
    """
    entrants, bots = [], dict[str, Bot]()
    for word in words.split(","):
        entrant, bot = _read_word(word.strip(), game)
        entrants.append(entrant)
        if bot is not None:
            if bots.get(bot.name, bot).source != bot.source:
                raise SpecError(f"Two bots are named '{bot.name}'; a name stands for one bot in a job.")
            bots[bot.name] = bot
    return entrants, bots


def _read_word(word: str, game: Game) -> tuple[Entrant, Bot | None]:
    """Read one word of `--bots`."""
    if not word:
        raise SpecError("Option '--bots' has an empty place: give names parted by commas, as in careful,random.")
    bot = None
    match = _FILE_WORD.fullmatch(word)
    if match:
        bot = load_bot(Path(match["file"]), match["name"], game)
        name, settings = match["name"], match["rest"].removeprefix(":")
    else:
        name, _, settings = word.partition(":")
        if name not in game.bots:
            raise UnknownName.among("bot", name, [*game.bots, "FILE.py:NAME"], f"of {game.command_name}")
        bot = None
    declared = (bot or game.bots[name]).parameters
    return _entrant(name, settings, declared, game, bot), bot


def _entrant(name: str, settings: str, declared: tuple[Parameter, ...], game: Game, bot: Bot | None) -> Entrant:
    """Sort `key=value:key=value` into parameters and skills."""
    parameters: dict[str, float | str] = {}
    skills: dict[str, float | str] = {}
    parameter_names = [parameter.name for parameter in declared]
    skill_names = [skill.name for skill in game.skills]
    for setting in filter(None, settings.split(":")):
        key, is_given, value = setting.partition("=")
        if not is_given:
            raise SpecError(f"Bot '{name}': '{setting}' is no setting; write key=value, as in memory=12.")
        if key in parameters or key in skills:
            raise SpecError(f"Bot '{name}': '{key}' is set twice.")
        if key in parameter_names:
            parameters[key] = value
        elif key in skill_names:
            skills[key] = value
        else:
            raise UnknownName.among("parameter", key, [*parameter_names, *skill_names], f"of bot '{name}'")
    return Entrant(name, "", parameters, skills, bot.source if bot else "")


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
    if not file.is_file():
        raise SpecError(f"Bot file {file} does not exist.")
    files = _with_imports(file.resolve())
    found_source = _source_of(files)
    if source and found_source != source:
        raise SpecError(
            f"Bot '{name}' in {file} is not the one of this job: its source has the hash {found_source[:12]}, "
            f"the job names {source[:12]}."
        )
    module = _imported(files[0], found_source)
    found = getattr(module, name, None)
    if found is None:
        named = [each for each, value in vars(module).items() if isinstance(value, Bot)]
        raise UnknownName.among("bot", name, named, f"in {file}")
    if not isinstance(found, Bot):
        raise SpecError(f"'{name}' in {file} is no bot: put @bot() from sim.contract above the function.")
    from sim.compiled import KERNELS

    return replace(found, name=name, source=found_source, cache=KERNELS / "bots" / found_source[:16])


def _with_imports(file: Path) -> list[Path]:
    """List a file and every file beside it that it imports, directly or not, itself first; nothing is run."""
    files = [file]
    for each in files:
        try:
            tree = ast.parse(each.read_bytes())
        except SyntaxError as error:
            raise SpecError(f"Bot file {each} cannot be loaded: line {error.lineno}: {error.msg}.") from None
        except (OSError, ValueError) as error:
            raise SpecError(f"Bot file {each} cannot be read: {error}.") from None
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            beside = [file.parent / f"{name.partition('.')[0]}.py" for name in names]
            files += [other for other in beside if other not in files and other.is_file()]
    return [file, *sorted(files[1:])]


def _imported(file: Path, source: str) -> Any:
    """Import a file as a module of its own, named by its source: the same one is not run twice."""
    title = f"fourfold_bot_{source[:16]}"
    if title in sys.modules:
        return sys.modules[title]
    spec = importlib.util.spec_from_file_location(title, file)
    if spec is None or spec.loader is None:
        raise SpecError(f"Bot file {file} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[title] = module  # Compiled functions look their module up there.
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # Whatever it does at its start, sys.exit() included, is its own fault.
        del sys.modules[title]
        raise SpecError(f"Bot file {file} cannot be loaded: {_where(error, file)}") from error
    finally:
        sys.path.remove(str(file.parent))
    return module


def _where(error: BaseException, file: Path) -> str:
    """Say what was raised and in which line of the file."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    at = f"line {lines[-1]}: " if lines else ""
    return f"{at}{type(error).__name__}: {error}."


def _source_of(files: list[Path]) -> str:
    """Hash a bot's files by name and content; 64 hex digits."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def bots_of_run(plan: Mapping[str, Any], job: Mapping[str, Any], game: Game) -> dict[str, Bot]:
    """Load the users' bots of a run: its plan names their files, its job the source that they must be of."""
    sources = {entrant["bot"]: entrant.get("source", "") for entrant in job["entrants"]}
    files = plan.get("bot_files", {})
    return {name: load_bot(Path(file), name, game, sources.get(name, "")) for name, file in files.items()}
