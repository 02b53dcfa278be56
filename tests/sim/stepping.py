"""Stepping games of any kind, and what the shared tests know of one game: its hooks.

The shared tests (conformance, hiding, redealing, determinism, golden games) take every game that scanning finds. All
that they know of one game are the names of `tests/sim/<game>_table.py` that `Hooks` lists; a new game writes that file
and no other. Line-ups are (bots, seats, options): bots as on a command line, `careful:memory=8,random`.
"""

import copy
import importlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any, Literal, get_args, get_origin

import msgspec
import numpy as np
import pytest

from sim.compiled import IS_JIT_OFF
from sim.contract import Game, game_names, load_game
from sim.errors import SpecError
from sim.job import make_job, make_spec
from sim.play import Session
from sim.table import Rows, Table, make_table
from workers.bots import read_line_up

Event = dict[str, Any]
LineUp = tuple[str, int, dict[str, Any]]


def any_legal(session: Session, rng: np.random.Generator) -> int:
    """Choose a legal action, each as likely."""
    legal = session.legal()
    return legal[int(rng.integers(len(legal)))]


class Told:
    """A game at a decision, told in the words of docs/transcripts.md."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def state(self) -> Any:
        """The whole STATE."""
        return self.session.state

    @property
    def seat(self) -> int:
        """Who is asked for a decision."""
        return self.session.seat

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.session.is_over

    @property
    def events(self) -> list[Event]:
        """What has happened since it was set up."""
        return self.session.events

    def named(self, name: str) -> list[Event]:
        """The events of one name, without their name."""
        return [
            {key: value for key, value in event.items() if key != "event"}
            for event in self.events
            if event["event"] == name
        ]


@dataclass(frozen=True)
class Listed:
    """A decision whose worlds are listed: all that agree with what the deciding seat knows, each with its probability.

    A world may be what of the hidden things the list is about, such as the order of the last few cards; `world_of`
    reads it out of a STATE.
    """

    session: Session
    world_of: Callable[[Any], Hashable]
    worlds: Mapping[Hashable, float]


@dataclass(frozen=True)
class Hooks:
    """What the shared tests know of one game: names of `tests/sim/<game>_table.py`. Those with a value may be left out.

    What holds, what is hidden, what is seen:

    - `conserve(STATE)` asserts what holds in every state: things are neither lost nor doubled, each view is right.
    - `swap_hidden(STATE, draw) -> seats` lets two hidden things that differ change places (`draw(n)` chooses one of
      n), puts right what the seats that know one of them know, and gives the seats that know neither, so that their
      views must stay the same. An empty set says that nothing was changed for anybody's eyes. A game that hides
      nothing but a stock swaps two cards of it.
    - `seen_by(event, seats) -> seats` says who sees an event of a transcript (docs/transcripts.md); `shown(event)`
      gives it without those of its values that its seats have seen before.
    - `secrets(session) -> actions` lists legal actions of which no other seat can tell which was taken as long as
      `window(STATE)` stays the same, none where every seat sees what is done. A game without such phases leaves both
      out.
    - `PLANTED[leak] = (line, leaky)`: a line that stands once in the game's `engine.py`, and what leaks in its place.

    Other worlds:

    - `POSITIONS[kind]() -> Listed, ...` gives five decisions or more whose worlds are few (up to about 60); a kind is
      a state of affairs in which redealing does something else, such as before and after a reshuffle.

    What is played:

    - `SEATS` are the numbers of seats to try, `VARIANTS` option sets from each of which every option is varied by
      itself (such as a mode in which other options count), `VALUES[option]` more values of an option, needed where it
      is neither a word nor a number (such as a deck).
    - `forced(session, rng) -> action` chooses a legal action: one that lets all kinds of things happen. Without it each
      is as likely.
    - `MIXED` is a line-up of which parts, threads and seeds are compared; `COMPARED` lists line-ups with a number of
      deals that are played with the JIT on and off, all bots and options of every kind among them.
    - `SAME_DEALS` are line-ups of one number of seats whose tables share all chance; `chance(events) -> list` is what
      chance gave a game, in order, out of its transcript: of two games of one deal that ended at different times, one
      is the beginning of the other.
    - `GAMES[name]` are golden games, short ones, to be read; `CONTENT[name]` line-ups of whose cells a digest is kept.
    """

    conserve: Callable[[Any], None]
    swap_hidden: Callable[[Any, Callable[[int], int]], set[int]]
    seen_by: Callable[[Event, int], set[int]]
    chance: Callable[[Sequence[Event]], list[Any]]
    PLANTED: Mapping[str, tuple[str, str]]
    POSITIONS: Mapping[str, Callable[[], Iterator[Listed]]]
    MIXED: LineUp
    COMPARED: Sequence[tuple[str, int, dict[str, Any], int]]
    SAME_DEALS: Sequence[LineUp]
    GAMES: Mapping[str, LineUp]
    CONTENT: Mapping[str, LineUp]
    SEATS: Sequence[int]
    VARIANTS: Sequence[Mapping[str, Any]] = ({},)
    VALUES: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    shown: Callable[[Event], Event] = lambda event: event
    secrets: Callable[[Session], Sequence[int]] | None = None
    window: Callable[[Any], Hashable] = lambda state: None
    forced: Callable[[Session, np.random.Generator], int] = any_legal


@cache
def hooks(name: str) -> Hooks:
    """Load what the shared tests know of one game."""
    module = importlib.import_module(f"tests.sim.{name}_table")
    needed = [hook.name for hook in fields(Hooks) if hook.default is hook.default_factory is MISSING]
    missing = [hook for hook in needed if not hasattr(module, hook)]
    assert not missing, f"tests/sim/{name}_table.py lacks {', '.join(missing)}; Hooks says what they are"
    return Hooks(**{hook.name: getattr(module, hook.name) for hook in fields(Hooks) if hasattr(module, hook.name)})


def each_of(hook: str) -> list[Any]:
    """Give the parameters of a test that takes everything one hook lists, of every game: (game, one of it)."""
    return [
        pytest.param(name, each, id=f"{name}-{each if isinstance(each, str | int) else number}")
        for name in game_names()
        for number, each in enumerate(getattr(hooks(name), hook))
    ]


def make(
    name: str,
    bots: str,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    deals: int = 100,
    seed: int = 1,
    rotate: bool = True,
) -> Table:
    """Make a table of a game; bots are written as on a command line."""
    game = load_game(name)
    entrants, users = read_line_up(bots, game)
    return make_table(
        make_job(
            game, entrants=entrants, seats=seats, deals=deals, seed=seed, options=options, rotate=rotate, bots=users
        )
    )


def joined(cells: Sequence[Rows]) -> bytes:
    """The cells of all tables of results as they are, one table after the other."""
    return b"".join(rows.tobytes() for rows in cells)


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
    """Choose a legal action as the game's hook does."""
    return hooks(session.table.game.name).forced(session, rng)


def walk(session: Session, rng: np.random.Generator, decisions: int) -> Session:
    """Play so many forced actions, or up to the end of the game."""
    for _ in range(decisions):
        if session.is_over:
            break
        session.apply(forced(session, rng))
    return session


def walk_into(session: Session, rng: np.random.Generator, most: int) -> Session:
    """Play some forced actions, fewer than `most` and, if that is less, about as many as a whole game has."""
    game = twin(session)
    length = 0
    while length < most and not game.is_over:
        game.apply(forced(game, rng))
        length += 1
    return walk(session, rng, int(rng.integers(max(1, length))))


def values_of(game: Game, option: msgspec.structs.FieldInfo) -> list[Any]:
    """List an option's values: all words, of a number its bounds and some between, and those that a hook names."""
    more = hooks(game.name).VALUES.get(option.name, ())
    kind, meta = option.type, None
    if hasattr(kind, "__metadata__"):
        meta, kind = kind.__metadata__[0], kind.__origin__
    if kind is bool:
        return [False, True, *more]
    if get_origin(kind) is Literal:
        return [*get_args(kind), *more]
    if meta is not None and meta.ge is not None:
        between = (meta.ge + meta.le) / 2 if kind is float else min(meta.ge + 1, meta.le)
        return sorted({meta.ge, between, option.default, meta.le, *more})
    return [option.default, *more]


def option_sets(game: Game, seats: int) -> Iterator[dict[str, Any]]:
    """Give each variant and, one option at a time, every other value that the door lets in."""
    for variant in hooks(game.name).VARIANTS:
        if is_allowed(game, seats, variant):
            yield dict(variant)
        for option in msgspec.structs.fields(game.Spec):
            for value in values_of(game, option) if option.name not in variant else ():
                options = {**variant, option.name: value}
                if value != option.default and is_allowed(game, seats, options):
                    yield options


def is_allowed(game: Game, seats: int, options: Mapping[str, Any]) -> bool:
    """Say whether the door lets these options in: some depend on each other."""
    try:
        make_spec(game, seats, options)
    except SpecError:
        return False
    return True
