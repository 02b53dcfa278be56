"""The one place that sets up Numba: settings, the cache's folder, and the decorators of kernels.

Numba reads its settings when it is first imported, so everything in `sim` that compiles imports `kernel` from here and
nothing else of Numba. The settings make the same bits on every x86-64 machine: a generic processor, no fast math.

Numba hashes only the file that a function stands in: editing an imported file would leave stale callers in the cache.
The cache's folder is therefore named by a digest of every source file of `sim`, of Numba's version and of the settings.
"""

import hashlib
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

_SETTINGS = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_OPT": "3"}
_SIM = Path(__file__).resolve().parent


def digest_of(files: Iterable[Path]) -> str:
    """Hash the names and contents of source files, in the order of their paths; 16 hex digits."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    """Say whether `folder` can be made and written by this user alone."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.access(folder, os.W_OK | os.X_OK) and folder.stat().st_uid == os.getuid()
    except OSError:
        return False


def cache_root() -> Path:
    """Choose the folder for kernels: `FOURFOLD_CACHE`, the user's cache folder, else a private temporary one."""
    named = os.environ.get("FOURFOLD_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    own = Path(tempfile.gettempdir()) / f"fourfold-cache-{os.getuid()}"
    for folder in (Path(named) if named else None, Path(home) / "fourfold", own):
        if folder is not None and folder.is_absolute() and _writable(folder):
            return folder
    return Path(tempfile.mkdtemp(prefix="fourfold-cache-"))


def _kernel_folder() -> Path:
    """Name the cache's folder by everything that a compiled kernel depends on."""
    settings = ";".join(f"{name}={value}" for name, value in sorted(_SETTINGS.items()))
    interpreter = f"py{sys.version_info.major}{sys.version_info.minor}"
    stamp = hashlib.sha256(
        f"{digest_of(_SIM.rglob('*.py'))};{version('numba')};{version('numpy')};{settings}".encode()
    ).hexdigest()[:16]
    return cache_root() / f"{interpreter}-{stamp}"


if "numba" in sys.modules:  # pragma: no cover - only where a program imported numba before sim
    warnings.warn("numba was imported before sim: its own settings hold, results may differ", stacklevel=2)
os.environ.update(_SETTINGS)
KERNELS = _kernel_folder()
os.environ["NUMBA_CACHE_DIR"] = str(KERNELS)

import numba  # noqa: E402 - the settings above must come first

# Bots as first-class functions are what lets one compiled kernel take any line-up; Numba calls that experimental.
warnings.filterwarnings("ignore", message="First-class function type feature is experimental")

IS_JIT_OFF = bool(numba.config.DISABLE_JIT)


class _Kernel(numba.core.registry.CPUDispatcher):  # type: ignore[misc]
    """A function that only compiled code calls."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        raise TypeError(f"Kernel '{self.__name__}' is called by compiled functions only; see sim.compiled.entry.")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function for use in other kernels, at its first call there.

    It cannot be called from Python: the wrappers for that would be half of the compiling. `entry` makes what Python
    calls, `shared` what both do.
    """
    return _kernel(function)


def merged(function: Callable[..., Any]) -> Any:
    """Compile a function as `kernel` does, and put its machine code into its callers': for what is called all the time.

    Unlike what is `inlined` it stays as it was compiled, whatever calls it: in a bot, wrong indices and divisions by
    zero are looked for in the bot's own lines alone.
    """
    return _kernel(function, forceinline=True)


def _kernel(function: Callable[..., Any], **options: bool) -> Any:
    """Compile a function that only compiled code calls, with more options of Numba."""
    compiled = numba.njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)
    if not IS_JIT_OFF:
        compiled.__class__ = _Kernel
    return compiled


def shared(function: Callable[..., Any]) -> Any:
    """Compile a short function that both kernels and Python call."""
    return numba.njit(error_model="numpy")(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Copy a function's body into each of its callers, typed anew; for what is short or called in one place."""
    return numba.njit(error_model="numpy", inline="always")(function)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function at its first call and keep it on disk: for what Python calls; releases the GIL."""
    return numba.njit(error_model="numpy", nogil=True, cache=True)(function)


def decider(function: Callable[..., Any], view: Any, cache: Path | None = None) -> Any:
    """Compile a bot now, as a function from a VIEW record to an int64; errors keep its own lines.

    A wrong index and a division by zero raise, as in plain Python.

    `cache` is the folder for its machine code where it is not a part of `sim`. A bot is compiled or loaded once in a
    process.
    """
    if IS_JIT_OFF:
        return function
    if function not in _DECIDERS:
        _DECIDERS[function] = _decider(function, view, cache)
    return _DECIDERS[function]


def answer(decide: Any, views: Any, seat: int) -> int:
    """Ask a compiled bot what it would do with `views[seat]`; for what steps through a game, not for speed."""
    if IS_JIT_OFF:
        return int(decide(views[seat]))
    if decide not in _ASKERS:
        # A record with overlaid fields cannot be handed over alone, and typing a tuple of bots takes a millisecond.
        # One that never answers must not keep other threads from saying so.
        _ASKERS[decide] = numba.njit(lambda views, seat: decide(views[seat]), nogil=True)
    return int(_ASKERS[decide](views, seat))


_ASKERS: dict[Any, Any] = {}
_DECIDERS: dict[Callable[..., Any], Any] = {}


def _decider(function: Callable[..., Any], view: Any, cache: Path | None) -> Any:
    """Compile a bot, or load it from its folder."""
    signature = numba.types.int64(numba.from_dtype(view))
    numba.config.CACHE_DIR = str(cache or KERNELS)
    try:
        return numba.njit(signature, error_model="python", boundscheck=True, nogil=True, cache=True)(function)
    finally:
        numba.config.CACHE_DIR = str(KERNELS)


def is_warm(folder: str, kernel: str = "play_list", module: str = "engine") -> bool:
    """Say whether a kernel, of a game's engine or of another module in a folder, was compiled for this very source."""
    # Numba names a folder by that of the file, which is the game's, and a hash.
    return IS_JIT_OFF or any(KERNELS.glob(f"{folder}_*/{module}.{kernel}-*.nbi"))
