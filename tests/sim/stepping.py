"""Stepping games of any kind: copies of a session, forced actions, option sets that cover every value."""

import copy
import importlib
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

import msgspec
import numpy as np

from sim.compiled import IS_JIT_OFF
from sim.contract import Game
from sim.errors import SpecError
from sim.job import make_spec
from sim.play import Session


def table_module(game: Game) -> ModuleType:
    """Load what the tests know of one game's table: `conserve` and the pairs of deals."""
    return importlib.import_module(f"tests.sim.{game.name}_table")


def twin(session: Session) -> Session:
    """Copy a session with its whole STATE; the two go on independently."""
    other = copy.copy(session)
    record = copied(session._record)
    other._record = record.view(np.recarray) if IS_JIT_OFF else record
    other._actions = session._actions.copy()
    other._arguments = session.table.arguments()
    other.events = []
    return other


def copied(record: Any) -> Any:
    """Copy a STATE byte for byte: NumPy itself leaves out the bytes between the fields."""
    return np.frombuffer(bytearray(record.tobytes()), record.dtype)


def differing(one: Any, other: Any, but: Sequence[str] = ()) -> list[str]:
    """Name the fields in which two records differ, those within records with their path.

    `words`, `block` and `cells` are other names of the bytes of all the others.
    """
    names = []
    for name in one.dtype.names:
        if name in (*but, "words", "block", "cells") or one[name].tobytes() == other[name].tobytes():
            continue
        if one[name].dtype.names is None:
            names.append(name)
            continue
        pairs = zip(np.atleast_1d(one[name]), np.atleast_1d(other[name]), strict=True)
        names += [f"{name}[{index}].{inner}" for index, (a, b) in enumerate(pairs) for inner in differing(a, b)]
    return names


def forced(session: Session, rng: np.random.Generator) -> int:
    """Choose a legal action: mostly the plain one in a throw window, else any."""
    legal = session.legal()
    if session.phase == "throw" and rng.random() < 0.8:
        return legal[0]
    return legal[int(rng.integers(len(legal)))]


def walk(session: Session, rng: np.random.Generator, decisions: int) -> Session:
    """Play so many forced actions, or up to the end of the game."""
    for _ in range(decisions):
        if session.is_over:
            break
        session.apply(forced(session, rng))
    return session


def values_of(field: msgspec.structs.FieldInfo) -> list[Any]:
    """List an option's values: all words, and of a number its bounds and some between."""
    kind, meta = field.type, None
    if hasattr(kind, "__metadata__"):
        meta, kind = kind.__metadata__[0], kind.__origin__
    if kind is bool:
        return [False, True]
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    if meta is not None and meta.ge is not None:
        return sorted({meta.ge, min(meta.ge + 1, meta.le), field.default, meta.le})
    return [field.default]


def option_sets(game: Game, seats: int) -> Iterator[dict[str, Any]]:
    """Give the default and, one option at a time, every other value that the door lets in."""
    yield {}
    for field in msgspec.structs.fields(game.Spec):
        for value in values_of(field):
            if value != field.default and is_allowed(game, seats, {field.name: value}):
                yield {field.name: value}


def is_allowed(game: Game, seats: int, options: dict[str, Any]) -> bool:
    """Say whether the door lets these options in: some depend on each other."""
    try:
        make_spec(game, seats, options)
    except SpecError:
        return False
    return True
