"""Where runs lie, and the words that open them."""

import os
import re
import shlex
import stat
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from results.folder import Folder
from results.store import Run
from sim.errors import FourfoldError, Refused, StoreError

IN_PLAY = "playing"  # a run's folder of cells: which game a part was in when its process was killed
_MARK = ".fourfold"  # a file in the runs' folder: two machines that read the same in it see the same folder
_NAME = re.compile(r"[A-Za-z0-9_][\w.-]{0,199}", re.ASCII)
_MOST_BYTES = 4096


def runs_root() -> Path:
    """Say where runs lie: the folder that `FOURFOLD_RUNS` names, else `runs` in the current one."""
    return Path(os.environ.get("FOURFOLD_RUNS") or "runs")


def open_run(name: str) -> Run:
    """Open a run by its name in the runs' folder, or by a path.

    Raises
    ------
    StoreError
        If there is none; the message names the nearest.
    """
    if not name or "\0" in name:
        raise StoreError("A run has a name, as printed when it was made.")
    is_path = os.sep in name or (Path(name) / "job.json").is_file()
    return Run.open(Path(name) if is_path else runs_root() / name)


def typed(location: str) -> str:
    """Give the word that opens a run on the command line: its name if it lies in the runs' folder, else its path."""
    place = Path(location)
    is_among_runs = place.parent in (runs_root().absolute(), runs_root().resolve())
    return shlex.quote(place.name if is_among_runs else location)


def replay_command(run: Run, game: int) -> str:
    """Give the command that replays a game of a run."""
    return f"fourfold replay {typed(run.location)} --game {game}"


def word_of(location: str, *, private: bool) -> str:
    """Give the word by which workers find a run: its location, or with a shared broker `MARK/NAME`.

    The mark is that of the runs' folder, made if it is not there: the folder may lie elsewhere on each machine, and
    several may share a broker.

    Raises
    ------
    StoreError
        If the run lies elsewhere than workers look, or where they go for no message.
    """
    place = Path(location)
    if place.is_symlink():
        raise StoreError(f"The run in {location} cannot be queued there, for that is a link: name the folder itself.")
    try:
        location.encode()
    except UnicodeEncodeError:
        raise StoreError(f"The run in {location} cannot be queued: its path is no UTF-8 text. Rename it.") from None
    if private:
        return location
    root = runs_root().absolute()
    if place.parent.resolve() != root.resolve() or not _NAME.fullmatch(place.name):
        raise StoreError(
            f"The run in {location} cannot be played on a shared broker: workers on other machines look in the runs' "
            f"folder alone, which is {root} here. Leave --out away, or set FOURFOLD_RUNS to a folder that all see; a "
            "run's name has letters, digits, dots, dashes and underscores."
        )
    return f"{root_mark(make=True)}/{place.name}"


def located(word: str, *, private: bool) -> str:
    """Give the location of the run that a message names, which anyone who reaches the broker can write.

    With a shared broker it is a plain name behind a mark, and the run a true folder below the `runs_root` of that mark;
    else an absolute path.

    Raises
    ------
    Refused
        If the word is no such thing, or no run is seen there.
    """
    if private:
        place = Path(word)
        is_plain = "\0" not in word and len(os.fsencode(word)) <= _MOST_BYTES and place.is_absolute()
        if not is_plain or os.path.normpath(word) != word:
            raise Refused(f"A message names {_quoted(word)}, which is no absolute path of a run's folder.")
    else:
        mark, _, name = word.partition("/")
        place = runs_root().absolute() / name
        if not _NAME.fullmatch(name):
            raise Refused(f"A message names {_quoted(word)}, which is no name of a run.")
        if not mark or mark != root_mark():
            raise Refused(
                f"The run {name} lies in another runs' folder than {place.parent}: mount the submitter's here, and set "
                "FOURFOLD_RUNS to it."
            )
    try:
        is_folder = stat.S_ISDIR(place.lstat().st_mode)
    except OSError:
        raise Refused(f"No run is seen in {place}.") from None
    if not is_folder:
        raise Refused(f"{place} is no folder (a link is none).")
    return str(place)


def _quoted(word: str) -> str:
    return ascii(word[:80])


def root_mark(*, make: bool = False) -> str:
    """Read what tells this runs' folder from others, written there once; empty if it is not there.

    Raises
    ------
    StoreError
        If it is to be made and cannot be.
    """
    root = Folder(runs_root())
    if make:
        root.make()
        root.create(_MARK, f"{uuid4().hex}\n".encode())
    with suppress(FourfoldError):
        return root.read(_MARK)[:64].decode("ascii", errors="replace").strip()
    return ""


def sweep(location: str) -> None:
    """Remove from a run's folder what killed processes left: of the parts in play, and of files half written."""
    Folder(Path(location)).sweep()
    folder = Path(location) / IN_PLAY
    with suppress(OSError):
        for file in folder.iterdir():
            file.unlink(missing_ok=True)
        folder.rmdir()
