"""The users' bots that are held here by name: those of the folder `FOURFOLD_BOTS` and of the entry points.

They are found by reading, and nothing of them is run: a bot is a function at the top of a file under `@bot(...)`, known
by its name and the hash of its source.
"""

import ast
import hashlib
import importlib.util
import os
import stat
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from sim.errors import SpecError

VARIABLE = "FOURFOLD_BOTS"
GROUP = "fourfold.bots"
MAX_FILE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Held:
    """A bot that is held by name.

    `files` are those that its source is the hash of, its own first. `module` is where an entry point imports it from,
    empty for a file of the folder. `games` are those that it can play, as far as its file says; none named: any.
    """

    name: str
    source: str
    files: tuple[Path, ...]
    function: str
    module: str
    games: tuple[str, ...]
    text: str

    @property
    def place(self) -> str:
        """Where it comes from, in words."""
        return f"entry point {self.module}:{self.function}" if self.module else str(self.files[0])

    def can_play(self, game: str) -> bool:
        """Say whether it can play the game of that name."""
        return not self.games or game in self.games


def held() -> tuple[dict[str, Held], list[str]]:
    """Find all bots that are held, by name; also a sentence for each file or entry point that was passed over.

    Raises
    ------
    SpecError
        If two are of one name, or `FOURFOLD_BOTS` is no folder or one that everybody can write into.
    """
    bots: dict[str, Held] = {}
    faults: list[str] = []
    for found in (*_in_folder(faults), *_in_entry_points(faults)):
        other = bots.setdefault(found.name, found)
        if other is not found and other.place != found.place:
            raise SpecError(
                f"Two bots are named '{found.name}': {other.place} and {found.place}; a name stands for one bot."
            )
    return bots, faults


def where_held() -> str:
    """Say where bots are looked up by name."""
    folder = os.environ.get(VARIABLE)
    return f"{f'the folder {folder}' if folder else f'{VARIABLE} (not set)'} and the entry points '{GROUP}'"


def _in_folder(faults: list[str]) -> Iterator[Held]:
    """Find the bots of the folder that `FOURFOLD_BOTS` names, in its own files, not below."""
    named = os.environ.get(VARIABLE)
    if not named:
        return
    try:
        folder = Path(named).resolve(strict=True)
        mode = folder.stat().st_mode
        files = sorted(file for file in folder.iterdir() if file.suffix == ".py" and not file.name.startswith("."))
    except (OSError, RuntimeError, ValueError) as error:
        raise SpecError(f"{VARIABLE} is '{named}', which is no folder that can be read: {_reason(error)}.") from None
    if mode & stat.S_IWOTH:
        raise SpecError(f"{VARIABLE} is '{named}', into which everybody can write; close it: chmod o-w.")
    for file in files:
        try:
            yield from _of_file(file, folder)
        except SpecError as error:
            faults.append(str(error))


def _of_file(file: Path, folder: Path) -> list[Held]:
    """Find the bots of one file of the folder.

    Raises
    ------
    SpecError
        If it, or a file that it imports, cannot be read, is a link out of the folder, or can be written by everybody.
    """
    own = _resolved(file)
    files = tuple(with_imports(own))
    for each in files:
        real = _resolved(each)
        if not real.is_relative_to(folder):
            raise SpecError(f"Bot file {each} is a link out of {VARIABLE}.")
        if real.stat().st_mode & stat.S_IWOTH:
            raise SpecError(f"Bot file {each} can be written by everybody; close it: chmod o-w.")
    source = source_of(files)
    imported = games_imported(files)
    return [
        Held(name, source, files, name, "", (game,) if game else imported, text)
        for name, game, text in _declared(parsed(own))
    ]


def _in_entry_points(faults: list[str]) -> Iterator[Held]:
    """Find the bots of the entry point group."""
    for entry in _entry_points():
        try:
            yield _of_entry_point(entry)
        except SpecError as error:
            faults.append(str(error))


@lru_cache(maxsize=1)
def _entry_points() -> tuple[EntryPoint, ...]:
    """List the entry points of what is installed, which changes with no running process."""
    return tuple(sorted(set(entry_points(group=GROUP)), key=lambda entry: (entry.name, entry.value)))


def _of_entry_point(entry: EntryPoint) -> Held:
    """Find the bot of an entry point."""
    where = f"Entry point {entry.name} = {entry.value} of '{GROUP}'"
    module, _, function = (part.strip() for part in entry.value.partition(":"))
    if not entry.name.isidentifier() or not function.isidentifier():
        raise SpecError(f'{where} must be of the form name = "package.module:function".')
    file = _module_file(module)
    if file is None:
        raise SpecError(f"{where} names a module that is not there.")
    files = tuple(with_imports(file, module.rpartition(".")[0]))
    for name, game, text in _declared(parsed(file)):
        if name == function:
            games = (game,) if game else games_imported(files)
            return Held(entry.name, source_of(files), files, function, module, games, text)
    raise SpecError(f"{where} names no function under @bot(...) in {file}.")


def _module_file(module: str) -> Path | None:
    """Find a module's file without importing anything, its packages included."""
    first, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(first)
        name = first
        for part in rest:
            name = f"{name}.{part}"
            places = spec.submodule_search_locations if spec is not None else None
            spec = PathFinder.find_spec(name, places) if places is not None else None
    except (ImportError, ValueError, OSError):
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    return _resolved(Path(spec.origin))


def parsed(file: Path) -> ast.Module:
    """Read a Python file; nothing is run.

    Raises
    ------
    SpecError
        If it cannot be read, is no file or too large, or is no Python.
    """
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise SpecError(f"Bot file {file} is no file.")
        with open(file, "rb") as opened:
            content = opened.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise SpecError(f"Bot file {file} cannot be read: {_reason(error)}.") from None
    if len(content) > MAX_FILE_BYTES:
        raise SpecError(f"Bot file {file} is larger than {MAX_FILE_BYTES} bytes.")
    return _tree(file, content)


@lru_cache(maxsize=64)
def _tree(file: Path, content: bytes) -> ast.Module:
    """Parse a file's content; kept, for a worker looks again and again."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the bot's author's making
            return ast.parse(content)
    except SyntaxError as error:
        raise SpecError(f"Bot file {file} cannot be loaded: line {error.lineno}: {error.msg}.") from None
    except (ValueError, RecursionError, MemoryError) as error:  # the parser's words for a NUL, and for too deep
        raise SpecError(f"Bot file {file} cannot be loaded: {str(error) or 'it is nested too deeply'}.") from None


def with_imports(file: Path, package: str = "") -> list[Path]:
    """List a file and every file beside it that it imports, directly or not, itself first; nothing is run.

    `package` is the dotted name of the package that the file is a module of.

    Raises
    ------
    SpecError
        If one of them cannot be read.
    """
    files = [file]
    for each in files:
        for node in ast.walk(parsed(each)):
            beside = [file.parent / f"{name}.py" for name in _imports(node, package)]
            files += [other for other in beside if other not in files and other.is_file()]
    return [file, *sorted(files[1:])]


def _imports(node: ast.AST, package: str) -> list[str]:
    """List the names of the modules beside the file that a statement may import."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        names = [f"{package}.{node.module}" if node.level and package else node.module]
        # `from package import module` imports it, too.
        names += [f"{node.module}.{alias.name}" for alias in node.names] if node.module == package else []
    elif isinstance(node, ast.ImportFrom) and package:
        names = [f"{package}.{alias.name}" for alias in node.names]
    else:
        names = []
    inside = f"{package}." if package else ""
    return [name.removeprefix(inside).partition(".")[0] for name in names if name.startswith(inside)]


def source_of(files: Iterable[Path]) -> str:
    """Hash a bot's files by name and content; 64 hex digits.

    Raises
    ------
    SpecError
        If one cannot be read.
    """
    digest = hashlib.sha256()
    for file in files:
        try:
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
        except (OSError, ValueError) as error:
            raise SpecError(f"Bot file {file} cannot be read: {_reason(error)}.") from None
    return digest.hexdigest()


def _declared(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """List the functions at the top of a file under `@bot(...)`: name, declared game or nothing, first line of text."""
    called = {"bot"} | {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "sim.contract"
        for alias in node.names
        if alias.name == "bot"
    }
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and _last_name(decorator.func) in called:
                    text = (ast.get_docstring(node) or "").strip().split("\n")[0]
                    yield node.name, _game_of(decorator), text


def _last_name(node: ast.expr) -> str:
    """Give the last word of a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _game_of(decorator: ast.Call) -> str:
    """Read `game="..."` of `@bot(...)`."""
    for keyword in decorator.keywords:
        if keyword.arg == "game" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value).replace("-", "_")
    return ""


def games_imported(files: Iterable[Path]) -> tuple[str, ...]:
    """List the games from whose folders files import: whoever uses a game's codes reads that game's VIEW."""
    games = set()
    for file in files:
        for node in ast.walk(parsed(file)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{name}" for name in names]
            games |= {name.split(".")[2] for name in names if name.startswith("sim.games.")}
    return tuple(sorted(games))


def _resolved(file: Path) -> Path:
    """Follow a file's links to their end."""
    try:
        return file.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise SpecError(f"Bot file {file} cannot be read: {_reason(error)}.") from None


def _reason(error: Exception) -> str:
    """Give an error's reason without the file's name, which stands in the sentence already."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
