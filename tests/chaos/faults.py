"""The faults: each does one thing to a world and returns what it did, or None where there was nothing to do it to."""

import os
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from pathlib import Path
from random import Random

import psutil

from results.store import Run
from tests.chaos.world import Broken, Open, World, eventually, server_folder_here
from workers.broker.embedded import client

Fault = Callable[[World, Random], str | None]
FROZEN_S = 45.0  # longer than any time that a client waits for an answer

QUICK: list[Fault] = []
SLOW: list[Fault] = []


def quick(fault: Fault) -> Fault:
    """A fault that is over in a moment."""
    QUICK.append(fault)
    return fault


def slow(fault: Fault) -> Fault:
    """A fault that takes many seconds by itself."""
    SLOW.append(fault)
    return fault


def _kill(processes: list[psutil.Process], random: Random) -> bool:
    if not processes:
        return False
    with suppress(psutil.NoSuchProcess):
        random.choice(processes).kill()
        return True
    return False


def to_a_run(fault: Callable[[World, Random, Open], str | None]) -> Fault:
    """A fault that is done to one of the runs that have parts done and to do."""

    @wraps(fault)
    def done_to_one(world: World, random: Random) -> str | None:
        under_way = [each for each in world.open.values() if each.run.committed() and not each.run.is_complete]
        return fault(world, random, random.choice(under_way)) if under_way else None

    return done_to_one


def _forget(world: World) -> None:
    """Count as a hand's work what is not under way any more after Redis has lost its data."""
    for each in world.open.values():
        is_back = partial(_is_closed_or_open, world, each)
        try:
            eventually(is_back, f"{each.name} is taken up again", seconds=15)
        except Broken:
            world.hands += 1
            each.resumed += 1
            world.resume_by_hand(each.name)


def _is_closed_or_open(world: World, each: Open) -> bool:
    """Say whether a run has come to its end or is on the queue."""
    return each.run.is_complete or each.run.location in world.ledger().open_runs()


def _is_closed(world: World, each: Open) -> bool:
    """Say whether a run is on no queue any more."""
    return each.run.location not in world.ledger().open_runs()


# ── Kills ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@quick
def a_pool_child_is_killed(world: World, random: Random) -> str | None:
    return "kill -9" if _kill(world.children(), random) else None


@quick
def a_worker_is_killed(world: World, random: Random) -> str | None:
    return "kill -9" if _kill(world.mains(), random) else None


@quick
def a_steward_is_killed(world: World, random: Random) -> str | None:
    return "kill -9" if _kill(world.processes("workers.service.steward"), random) else None


@quick
@to_a_run
def the_steward_is_killed_while_it_sums_up(world: World, random: Random, each: Open) -> str | None:
    eventually(lambda: len(each.run.committed()) == each.run.parts or each.run.is_complete, f"{each.name} is played")
    for steward in world.processes("workers.service.steward"):
        with suppress(psutil.NoSuchProcess):
            steward.kill()
    return "after the last part" if not each.run.is_complete else "just after the summary"


@quick
def a_service_is_killed(world: World, random: Random) -> str | None:
    service = random.choice(world.services)
    service.kill()
    service.wait()
    return "kill -9 of fourfold up"


@quick
def a_submitter_is_killed(world: World, random: Random) -> str | None:
    each = world.submit(random.choice(world.references), waits=True)
    if each is None:
        return None
    moments: dict[str, Callable[[], bool]] = {
        "its run is made": lambda: True,
        "it is queued": lambda: _is_closed_or_open(world, each),
        "a part is done": lambda: bool(each.run.committed()),
        "half of it is done": lambda: 2 * len(each.run.committed()) >= each.run.parts,
    }
    moment = random.choice(list(moments))
    eventually(moments[moment], moment)
    submitter = world.submitters.pop()
    submitter.kill()
    submitter.wait()
    if not _is_closed_or_open(world, each):
        world.resume_by_hand(each.name)  # It was killed before it had put the run on the queue.
        return "kill -9 before the run was queued"
    return f"kill -9 when {moment}"


@slow
def the_steward_is_stopped_for_longer_than_its_lease(world: World, random: Random) -> str | None:
    holder = world.ledger().steward()
    acting = world.processes(holder) if holder else []
    if not acting:
        return None
    acting[0].send_signal(signal.SIGSTOP)
    try:
        eventually(lambda: world.ledger().steward() not in ("", holder), "another steward takes the lease")
    finally:
        with suppress(psutil.NoSuchProcess):
            acting[0].send_signal(signal.SIGCONT)
    return "until another had the lease"


# ── The broker ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _kill_broker(world: World, spoil: Callable[[Path], None]) -> str | None:
    """Kill the server and spoil its files before its keeper starts it again."""
    server = world.server()
    if server is None:
        return None
    keeper = server.parent()
    if keeper is None or keeper.pid == 1:
        return None
    keeper.suspend()
    try:
        server.kill()
        with suppress(psutil.NoSuchProcess):
            eventually(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE, "the server is dead")
        for file in sorted((server_folder_here() / "appendonlydir").glob("*.incr.aof")):
            spoil(file)
    finally:
        keeper.resume()
    world.url()
    _forget(world)
    return "kill -9"


@quick
def the_broker_is_killed(world: World, random: Random) -> str | None:
    return _kill_broker(world, lambda file: None)


@quick
def the_broker_is_killed_and_its_file_cut(world: World, random: Random) -> str | None:
    def cut(file: Path) -> None:
        os.truncate(file, int(file.stat().st_size * random.random()))

    return _kill_broker(world, cut)


@quick
def the_broker_is_killed_and_its_files_deleted(world: World, random: Random) -> str | None:
    def delete(file: Path) -> None:
        for each in file.parent.iterdir():
            each.unlink()

    return _kill_broker(world, delete)


@slow
def the_broker_is_frozen(world: World, random: Random) -> str | None:
    server = world.server()
    if server is None:
        return None
    server.suspend()
    try:
        world.go_on(FROZEN_S)
    finally:
        server.resume()
    return f"for {FROZEN_S:.0f} s"


@quick
def the_broker_forgets_all(world: World, random: Random) -> str | None:
    with client(world.url()) as asked:
        asked.flushall()
    _forget(world)
    return "FLUSHALL"


# ── Messages ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@quick
def messages_come_twice(world: World, random: Random) -> str | None:
    with client(world.url()) as asked:
        messages = asked.lrange("fourfold:celery", 0, -1)
        if not messages:
            return None
        chosen = random.choice(messages)
        asked.rpush("fourfold:celery", chosen, chosen)
    return "one message, three times in all"


@quick
def messages_are_dropped(world: World, random: Random) -> str | None:
    with client(world.url()) as asked:
        count = min(asked.llen("fourfold:celery"), random.randint(1, 4))
        dropped = [message for _ in range(count) if (message := asked.rpop("fourfold:celery"))]
    return f"{len(dropped)} messages" if dropped else None


# ── The disk ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@quick
def the_disk_is_full_for_a_while(world: World, random: Random) -> str | None:
    """Workers and stewards may write files of so few bytes only: what a full disk does, without one.

    It lasts until somebody has said so.
    """
    world.unsay()
    limited = []
    most = random.choice([0, 100, 2000])
    for process in [*world.children(), *world.processes("workers.service.steward")]:
        with suppress(psutil.Error, ProcessLookupError):
            before = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, before[1]))
            limited.append((process, before))
    is_felt = _is_felt(world)
    for process, before in limited:
        with suppress(psutil.Error, ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, before)
    return f"files of up to {most} bytes" if is_felt else None


@quick
def the_disk_is_filled_and_freed(world: World, random: Random) -> str | None:
    if not os.path.ismount(world.root):
        return None
    world.unsay()
    filler = world.root / "filler"
    with suppress(OSError), open(filler, "wb") as file:
        while True:
            file.write(bytes(1 << 16))
    is_felt = _is_felt(world)
    filler.unlink(missing_ok=True)
    return "no space left on device" if is_felt else None


def _is_felt(world: World) -> bool:
    """Wait until a run is said to be hindered; false if all ended before that, or nobody was writing."""

    def is_said_or_over() -> bool:
        return is_said() or all(each.run.is_complete for each in world.open.values())

    def is_said() -> bool:
        ledger = world.ledger()
        return any("annot" in note for each in world.open.values() for note in ledger.notes(each.run.location).values())

    with suppress(Broken):
        eventually(is_said_or_over, "somebody says that nothing can be written", seconds=20)
    return is_said()


def _damage(world: World, random: Random, each: Open, spoil: Callable[[Path], None]) -> str | None:
    part = random.choice(sorted(each.run.committed()))
    table = random.choice(["games", "seats", "sums"])
    suffix = "json" if table == "sums" else "parquet"
    # What it loses is counted first: the steward may be quicker than this.
    each.damaged += 1
    with suppress(FileNotFoundError):
        if each.run.is_complete:
            each.damaged -= 1
            return None
        spoil(Path(each.run.location) / table / f"{part:05d}.{suffix}")
    _mend_if_late(world, each)
    return f"{table} of part {part}"


def _mend_if_late(world: World, each: Open) -> None:
    """A file that is spoiled after it was checked is found by `verify`, and `resume` mends it."""
    eventually(lambda: each.run.is_complete, f"{each.name} ends")
    if any(each.run.damage(part) for part in range(each.run.parts)):
        each.most_done = 0
        world.resume_by_hand(each.name)


@quick
@to_a_run
def a_part_is_truncated(world: World, random: Random, each: Open) -> str | None:
    return _damage(world, random, each, lambda file: os.truncate(file, int(file.stat().st_size * random.random())))


@quick
@to_a_run
def a_byte_is_flipped(world: World, random: Random, each: Open) -> str | None:
    def flip(file: Path) -> None:
        data = bytearray(file.read_bytes())
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        file.write_bytes(data)

    return _damage(world, random, each, flip)


# ── People ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@quick
def two_submit_the_same_job(world: World, random: Random) -> str | None:
    reference = random.choice(world.references)
    each = world.submit(reference, waits=True)
    if each is None:
        return None
    again = world.command(*reference.words, "--part", "77", "--out", each.run.location)
    return "both go on" if again.returncode == 0 else f"the second one: {again.stderr.strip()[:80]}"


@quick
@to_a_run
def two_jobs_want_one_folder(world: World, random: Random, each: Open) -> str | None:
    other = world.command("submit", "vierer", "--deals", "77", "--seed", "5", "--out", each.run.location)
    if other.returncode != 1 or "another job" not in other.stderr:
        raise Broken(f"another job was let into {each.name}: {other.returncode} {other.stderr}")
    return "the second is refused"


@quick
@to_a_run
def a_run_is_cancelled_and_resumed(world: World, random: Random, each: Open) -> str | None:
    if world.command("cancel", each.run.location).returncode != 0:
        return None
    if random.random() < 0.5:
        eventually(partial(_is_closed, world, each), f"{each.name} is closed")
        world.resume_by_hand(each.name)
        return "resumed when nobody was at it any more"
    world.resume_by_hand(each.name)
    return "resumed at once"


@quick
@to_a_run
def a_run_is_cancelled_while_it_is_summed_up(world: World, random: Random, each: Open) -> str | None:
    eventually(lambda: len(each.run.committed()) == each.run.parts or each.run.is_complete, f"{each.name} is played")
    world.command("cancel", each.run.location)
    eventually(partial(_is_closed, world, each), f"{each.name} is closed")
    listed = "done" if each.run.is_complete else "cancelled"
    world.resume_by_hand(each.name)
    return f"it was {listed} then"


@quick
@to_a_run
def a_finished_run_is_resumed(world: World, random: Random, each: Open) -> str | None:
    eventually(lambda: each.run.is_complete, f"{each.name} ends")
    before = Run.open(each.run.location).summary()
    if world.command("resume", each.run.location).returncode != 0 or each.run.summary() != before:
        raise Broken(f"resume changed the finished {each.name}")
    return "nothing happens"
