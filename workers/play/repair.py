"""Repairing a run: a damaged part is moved aside, so that it is missing and played again."""

from collections.abc import Callable

from results.store import Run


def mend(run: Run, say: Callable[[str], None] = lambda text: None) -> bool:
    """Move every committed part aside that is damaged, and tell each; what is whole stays. True if all parts are there.

    Bytes are compared with the digests taken when they were written, a millisecond a part; `verify` computes all anew.
    Where a part is gone, the summary that knew it is moved aside too: the run is open again.

    Raises
    ------
    StoreError
        If a damaged part cannot be moved.
    """
    was_complete = run.is_complete  # Asked first: it may be finished by others this very moment.
    done = run.committed()
    missing = set(range(run.parts)) - done
    for part in sorted(done):
        damage = run.damage(part, by_bytes=True)
        if damage:
            run.move_aside(part)
            missing.add(part)
            say(f"{damage} It is played again; the old files are in {run.name}/damaged.")
    if missing and was_complete and run.is_complete:
        run.move_aside(min(missing))
        say(f"Part {min(missing)} of {run.name} is gone. It is played again.")
    return not missing
