"""Runs on the queue: submitted, waited for, cancelled, resumed; and what is known of them."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from results.store import Run
from sim.errors import BotFailed, BrokerError, FourfoldError, StoreError
from workers.broker.embedded import VARIABLE, broker, check, client, embedded_url, is_private, masked
from workers.broker.ledger import Ledger, open_here, processes_of
from workers.machine import free_threads
from workers.places import root_mark, typed, word_of
from workers.play.repair import mend
from workers.service.supervisor import Service, service

if TYPE_CHECKING:
    from workers.play.contest import Contest
    from workers.play.here import Progress

PATIENCE_S = 60.0  # a broker that does not answer for so long is out of reach
SILENCE_S = 15.0  # without a steward, before that is said
LISTEN_S = 1.0
_PAUSE_S = 0.05
_MARK_S = 8.0  # a worker says every 5 s which runs' folder it sees
_ALONE_S = 3.0  # without a worker, before one is started for a run that is waited for
_STOPPED_S = 15.0  # without a place among the open runs, before nobody goes on with one that had it


def standing_broker() -> str | None:
    """Give the URL of the broker that is up: that of `FOURFOLD_BROKER`, or the embedded one while somebody uses it."""
    url = os.environ.get(VARIABLE)
    if url:
        check(url)
    return url or embedded_url()


@contextmanager
def answering(url: str) -> Iterator[None]:
    """Turn the errors of a broker that does not answer into a BrokerError."""
    from redis import RedisError

    try:
        yield
    except (RedisError, OSError) as error:
        raise BrokerError(f"The broker {masked(url)} does not answer ({str(error).rstrip('.')}).") from error


# ── Submitting ───────────────────────────────────────────────────────────────────────────────────────────────────────


def check_place(url: str, location: Path | None, *, brings_worker: bool = False) -> None:
    """Make sure that workers on a shared broker can see the runs' folder, before anything is made there.

    With `brings_worker` a worker will be started that sees it.

    Raises
    ------
    StoreError
        If the run is to lie elsewhere, or workers are there and none of them sees the folder.
    """
    private = is_private(url)
    if location is not None:
        word_of(os.path.abspath(location), private=private)  # noqa: PTH100 - the links in it stay
    if private or brings_worker:
        return
    mark = root_mark(make=True)
    deadline = time.monotonic() + _MARK_S  # The mark may be new, and the workers have not looked since.
    while True:
        with answering(url):
            workers = Ledger(client(url)).workers()
        if not workers or any(worker.get("root") == mark for worker in workers):
            return
        if time.monotonic() > deadline:
            break
        time.sleep(0.25)
    names = ", ".join(worker["name"] for worker in workers[:3])
    raise StoreError(
        f"No worker on this broker sees the runs' folder of this machine ({names} looked): mount one folder for "
        "all, and set FOURFOLD_RUNS to it on each machine."
    )


def count_players(url: str) -> int:
    """Count the processes that play for a broker; while none is seen, the processors of this machine.

    Raises
    ------
    BrokerError
        If it does not answer.
    """
    with answering(url):
        return processes_of(Ledger(client(url)).workers()) or free_threads()


def submit(run: Run, url: str) -> list[str]:
    """Put a run on the queue; returns sentences that its submitter should read.

    Raises
    ------
    StoreError
        If the run lies where workers do not look.
    BrokerError
        If the broker does not answer.
    """
    private = is_private(url)
    word = word_of(run.location, private=private)
    ledger = Ledger(client(url))
    run.clear_failures()
    run.clear_cancel()
    with answering(url):
        if word not in ledger.open_runs():  # Of one that is under way, the attempts count on.
            ledger.clear(word)
        ledger.open(word)
        return list(_warnings(run, ledger.workers(), private=private))


def _warnings(run: Run, workers: list[dict[str, Any]], *, private: bool) -> Iterator[str]:
    """Say why a run may have to wait."""
    if not workers:
        yield f"No worker is there: the run waits until one is. Start one: fourfold {'up' if private else 'worker'}"
        return
    game, version = str(run.layout.game), str(run.job.get("game_version"))
    if not any(_holds(worker, "games", game, version) for worker in workers):
        held = sorted({str((worker.get("games") or {}).get(game, "none")) for worker in workers})
        yield (
            f"No worker here holds version {version} of {game} (held: {', '.join(held)}): "
            "the run waits until one comes."
        )
    for name, source in () if private else _sources_of(run):
        if not any(_holds(worker, "bots", name, source) for worker in workers):
            yield (
                f"No worker here holds the bot '{name}' of this source ({source[:12]}): put its file into the folder "
                "FOURFOLD_BOTS of each; the run waits until one has it."
            )


def _sources_of(run: Run) -> list[tuple[str, str]]:
    """List the users' bots of a run: name and source."""
    found = {(each["bot"], each["source"]) for each in run.job["job"]["entrants"] if each.get("source")}
    return sorted(found)


def _holds(worker: dict[str, Any], what: str, name: str, version: str) -> bool:
    held = worker.get(what)
    return isinstance(held, dict) and held.get(name) == version


def submit_and_wait(
    run: Run,
    contest: "Contest",
    *,
    workers: int | None = None,
    on_progress: "Callable[[Progress], None]" = lambda progress: None,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Play what is missing of a run on the queue, and wait for its summary.

    Where no worker is there, or `workers` says how many processes one is to have, a worker and a steward are started
    for it and stopped again; so is an embedded broker, unless `FOURFOLD_BROKER` names one. They are also started when
    the last worker of an embedded broker leaves before the end.

    Raises
    ------
    BotFailed
        If a bot fails; finished parts stay.
    BrokerError
        If the broker is out of reach, or nobody finishes a part.
    StoreError
        If the run is cancelled meanwhile, or its folder cannot be read.
    """
    from workers.play.runs import warm

    if len(run.committed()) == run.parts:
        return run.write_summary()
    warm(contest, say)
    with broker() as url:
        if workers is None:
            with answering(url):
                is_served = bool(Ledger(client(url)).workers())
            if is_served:
                for sentence in submit(run, url):
                    say(sentence)
                with suppress(_Deserted):
                    return wait(run, url, contest=contest, needs_worker=True, on_progress=on_progress, say=say)
                say("The worker that played this run has left: one is started for it.")
        log = Path(run.location) / "worker.log"
        submit(run, url)
        try:
            with service(url, workers or free_threads(), log=log, warm=run.location) as own:
                try:
                    return wait(run, url, contest=contest, own=own, on_progress=on_progress, say=say)
                except KeyboardInterrupt:
                    say("stopping: the parts at hand are finished first (once more to hurry)")
                    raise
        finally:
            with suppress(Exception):
                ledger = Ledger(client(url))
                if not ledger.workers():  # Nobody is left to play it.
                    ledger.close(word_of(run.location, private=is_private(url)))


class _Deserted(Exception):  # noqa: N818 - nobody's error
    """The last worker of an embedded broker has left."""


def wait(
    run: Run,
    url: str,
    *,
    contest: "Contest | None" = None,
    own: Service | None = None,
    needs_worker: bool = False,
    on_progress: "Callable[[Progress], None]" = lambda progress: None,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Wait until a submitted run has come to its end and return its summary; raises as `submit_and_wait` does."""
    from workers.play.here import Progress

    listener = _Listener(run, url, say, needs_worker=needs_worker)
    spans = [run.part_span(part) for part in range(run.parts)]
    counts = [contest.count(span) if contest is not None else span.count for span in spans]
    noun = contest.counted if contest is not None else run.unit
    total, known = sum(counts), -1
    while True:
        now = time.monotonic()
        done = run.committed()
        looked_s = time.monotonic() - now
        if len(done) > known:
            known = len(done)
            on_progress(Progress(noun, sum(counts[part] for part in done), total, known, run.parts))
        ended = outcome(run)
        if ended is not None:
            return ended
        if own is not None:
            own.tend(known)
        listener.listen()
        # A folder of ten thousand parts takes milliseconds to list: looking may take a tenth of the time.
        time.sleep(min(max(_PAUSE_S, 9 * looked_s), 1.0))


def outcome(run: Run) -> dict[str, Any] | None:
    """Give the summary of a run that has come to its end, None while it has not; raises what stopped it.

    Raises
    ------
    BotFailed
        What stands recorded of a part that cannot be played.
    StoreError
        If it is cancelled.
    """
    match run.ended:
        case "done":
            return run.summary()
        case "failed":
            messages = [str(entry.get("message", f"Part {part} failed.")) for part, entry in run.failures().items()]
            raise BotFailed(messages[0] if messages else f"Run {run.name} has failed.")
        case "cancelled":
            raise StoreError(
                f"Run {run.name} is cancelled; what is done stays.\nGo on with: fourfold resume {typed(run.location)}"
            )
    if not run.is_there:
        raise StoreError(f"The folder {run.location} is gone, or holds another run now.")
    return None


class _Listener:
    """Says what hinders a run, each sentence once, and keeps it among the open ones.

    With `needs_worker` it raises `_Deserted` when no worker of an embedded broker is left.
    """

    def __init__(self, run: Run, url: str, say: Callable[[str], None], *, needs_worker: bool) -> None:
        self._run = run
        self._url = url
        self._say = say
        private = is_private(url)
        self._word = word_of(run.location, private=private)
        self._ledger = Ledger(client(url))
        self._said: set[str] = set()
        self._needs_worker = needs_worker and private
        self._heard_at = self._tended_at = self._played_at = time.monotonic()
        self._next = 0.0

    def listen(self) -> None:
        """Listen, about once a second.

        Raises
        ------
        BrokerError
            The broker has not answered for `PATIENCE_S` seconds.
        """
        from redis import RedisError

        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + LISTEN_S
        try:
            # A broker that has lost its data has forgotten the run.
            self._ledger.open(self._word)
            if self._needs_worker:
                if self._ledger.workers():
                    self._played_at = now
                elif now - self._played_at > _ALONE_S:
                    raise _Deserted
            for who, sentence in self._ledger.notes(self._word).items():
                self._tell(f"{who}: {sentence}")
            if self._ledger.status(self._word) is not None:
                self._tended_at = now
            elif now - self._tended_at > SILENCE_S:
                self._tell("No steward tends this run: start fourfold up here, or fourfold worker on the broker.")
            self._heard_at = now
        except (RedisError, OSError) as error:
            if now - self._heard_at > PATIENCE_S:
                why = str(error).rstrip(".")
                raise BrokerError(
                    f"The broker {masked(self._url)} has not answered for {PATIENCE_S:.0f} s ({why}). "
                    "What is done stays."
                ) from error

    def _tell(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            self._say(sentence)


# ── Steering ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def cancel(run: Run) -> bool:
    """Ask everybody who plays a run to stop; what is finished stays. False if it is done or has failed already.

    The flag stands in the run's folder: every worker and the steward look at it every half second.
    """
    if run.ended in ("done", "failed"):
        return False
    run.cancel()
    return True


def is_whole(run: Run, say: Callable[[str], None] = lambda text: None) -> bool:
    """Say whether a run is done and nothing of it is damaged; one whose parts are all there is summed up.

    A damaged part is moved aside and told.
    """
    if not mend(run, say):
        return False
    run.clear_cancel()
    run.write_summary()
    return True


def resume(run: Run, url: str, say: Callable[[str], None] = lambda text: None) -> list[str]:
    """Put a run back on the queue that was cancelled, failed, or is half lost; returns as `submit` does.

    A damaged part is moved aside and told, and is played again.
    """
    return [] if is_whole(run, say) else submit(run, url)


# ── Looking ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def state_of(run: Run, open_words: frozenset[str] = frozenset()) -> str:
    """Say in one word how a run stands.

    `done`, `failed`, `cancelled`; `queued` while it is open on a broker; `playing` while `fourfold run` on this machine
    is at it; `stopped` where nobody goes on.
    """
    if run.ended:
        return run.ended
    if {run.location, run.name} & open_words:
        return "queued"
    return "playing" if run.is_held else "stopped"


def state_now(run: Run) -> str:
    """Say as `state_of` does how a run stands; the broker that is up is asked if its answer makes a difference.

    Raises
    ------
    BrokerError
        If it is asked and out of reach.
    """
    state = state_of(run)
    return state_of(run, open_words(standing_broker())) if state == "stopped" else state


def open_words(url: str | None) -> frozenset[str]:
    """Give the locations of the runs that a broker has open, or with a shared one their names; none without a broker.

    Raises
    ------
    BrokerError
        If it does not answer.
    """
    if url is None:
        return frozenset()
    words = open_here(url)
    if words is not None:
        return frozenset(words)
    mark = root_mark()
    if not mark and not is_private(url):
        return frozenset()
    with answering(url):
        words = Ledger(client(url)).open_runs("" if is_private(url) else mark)
    return frozenset(words if is_private(url) else (word.partition("/")[2] for word in words))


def look(run: Run, url: str | None) -> dict[str, Any]:
    """Say all that is known of a run: its state, its parts, who plays, what hinders. JSON data; times in seconds.

    Raises
    ------
    BrokerError
        If the broker does not answer.
    """
    done = run.committed()
    known: dict[str, Any] = {
        "run": run.name,
        "location": run.location,
        "state": state_of(run, open_words(url)),
        "parts": run.parts,
        "parts_done": len(done),
        "games": run.games,
        "unit": run.unit,
        "units": run.units,
        "units_done": sum(run.units_in(part) for part in done),
        "parts_queued": 0,
        "parts_overdue": 0,
        "attempts": {},
        "units_per_s": 0.0,
        "left_s": None,
        "is_summing": False,
        "steward": None,
        "workers": [],
        "notes": {},
        "refused_messages": 0,
        "failures": [str(entry.get("message")) for entry in run.failures().values()],
    }
    if url is None or known["state"] != "queued":
        return known
    with answering(url):
        known.update(_known_of(run, url, known))
    return known


def _known_of(run: Run, url: str, known: dict[str, Any]) -> dict[str, Any]:
    """Say what the broker's server remembers of an open run."""
    ledger = Ledger(client(url))
    word = word_of(run.location, private=is_private(url))
    attempts = ledger.attempts.counts(word)
    found: dict[str, Any] = {
        "attempts": {str(part): count for part, count in sorted(attempts.items())},
        "workers": ledger.workers(),
        "notes": ledger.notes(word),
        "refused_messages": ledger.refused(),
    }
    status = ledger.status(word)
    if status is not None:
        speed = float(status.get("parts_per_s", 0.0)) * run.units / run.parts
        found |= {
            "parts_queued": len(status.get("queued", ())),
            "parts_overdue": int(status.get("overdue", 0)),
            "units_per_s": speed,
            "left_s": (known["units"] - known["units_done"]) / speed if speed else None,
            "is_summing": bool(status.get("is_summing")),
            "steward": {"name": status.get("steward"), "age_s": status["age_s"]},
        }
    return found


def follow(run: Run, *, every_s: float = LISTEN_S) -> Iterator[dict[str, Any]]:
    """Look at a run again and again until it has come to its end or nobody goes on with it.

    A broker that does not answer for a while is a note, and the run is taken to be on it still.

    Raises
    ------
    BrokerError
        If the broker is out of reach at first, or has not answered for `PATIENCE_S` seconds.
    """
    url = standing_broker() if state_of(run) == "stopped" else None
    state, heard_at, open_at = "", time.monotonic(), float("-inf")
    while True:
        now = time.monotonic()
        try:
            known = look(run, url)
            heard_at = now
        except BrokerError as error:
            if not state or now - heard_at > PATIENCE_S:
                raise
            known = {**look(run, None), "notes": {"broker": str(error)}}
            known["state"] = known["state"].replace("stopped", state)
        if known["state"] == "queued":
            open_at = now
        elif known["state"] == "stopped" and now - open_at <= _STOPPED_S:
            known["state"] = "queued"  # A broker that starts again has lost it for a moment.
        state = known["state"]
        yield known
        if state not in ("queued", "playing"):
            return
        time.sleep(every_s)
        url = os.environ.get(VARIABLE) or embedded_url()


def all_runs(root: Path, *, asks_broker: bool = True) -> list[dict[str, Any]]:
    """List the runs in a folder, the newest last: name, state, parts done and in all, units, game, begun (ISO, UTC).

    A folder that cannot be read as a run comes first, with the state `damaged` and why. The broker that is up is asked
    only if its answer makes a difference: loading its client takes longer than listing a hundred runs.

    Raises
    ------
    BrokerError
        If `FOURFOLD_BROKER` names one that is out of reach, and the answer would make a difference.
    """
    from results.store import list_runs

    rows = [_row(root / name) for name in list_runs(root)]
    if asks_broker and any(row["state"] == "stopped" for row in rows):
        words = open_words(standing_broker())
        for row in rows:
            if row["state"] == "stopped" and {row["run"], str(root.absolute() / row["run"])} & words:
                row["state"] = "queued"
    return sorted(rows, key=lambda row: str(row.get("begun", "")))


def _row(location: Path) -> dict[str, Any]:
    try:
        run = Run.open(location)
        state, done = state_of(run), run.parts
        if state != "done":
            done = len(run.committed())
    except FourfoldError as error:
        return {"run": location.name, "state": "damaged", "why": str(error)}
    return {
        "run": run.name,
        "state": state,
        "game": run.layout.game,
        "parts_done": done,
        "parts": run.parts,
        "unit": run.unit,
        "units": run.units,
        "begun": run.begun,
    }
