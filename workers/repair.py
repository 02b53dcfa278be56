"""Repairing a run: a damaged part is moved aside, so that it is missing and played again."""

from collections.abc import Callable

from results.store import Run


def mend(run: Run, say: Callable[[str], None] = lambda text: None) -> None:
    """Move every committed part aside that is damaged, and tell each; what is whole stays.

    Raises
    ------
    StoreError
        If a damaged part cannot be moved.
    """
    for part in sorted(run.committed()):
        damage = run.damage(part)
        if damage:
            run.move_aside(part)
            say(f"{damage} It is played again; the old files are in {run.name}/damaged.")
