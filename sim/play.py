"""Playing: whole parts at the speed of the kernel, or one game decision by decision."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim import compiled
from sim.compiled import IS_JIT_OFF, answer
from sim.contract import Game, load_game
from sim.errors import BotFailed, IllegalAction, SpecError
from sim.job import Entrant, make_job
from sim.table import Rows, Table, count_games, fresh_state, make_table, rows_of

PROGRESS_CELLS = 8  # the game in play; after an illegal action 1, its seat, the action; the rest is free
MAX_LEGAL = 1 << 13
_LISTED = 20  # legal actions in a message
_DEALS_A_CALL = 1 << 15  # so that the list of a part's games stays small


class PartFailed(BotFailed):
    """A bot failed while a part was played; `game` is the number of the game."""

    def __init__(self, message: str, game: int) -> None:
        super().__init__(message)
        self.game = game


def _listed(actions: Sequence[int]) -> str:
    """List actions, the first twenty of many."""
    more = f", ... ({len(actions)} in all)" if len(actions) > _LISTED else ""
    return ", ".join(map(str, actions[:_LISTED])) + more


def _line_of(error: BaseException) -> str:
    """Say in which file and line something was raised, as far as it is known: machine code does not tell."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or frames[-1].filename in (__file__, compiled.__file__):
        return ""
    return f", {Path(frames[-1].filename).name} line {frames[-1].lineno}"


class Kernel:
    """A game's kernel with all it takes, for one thread: it owns the STATE that the kernel writes.

    `deciders` and `arguments` are those of a table, or of anything else that seats entrants of the given names.
    """

    def __init__(
        self,
        game: Game,
        spec: Any,
        seats: int,
        deciders: tuple[Any, ...],
        arguments: tuple[Any, ...],
        names: Sequence[str],
    ) -> None:
        self._game = game
        self._rules = spec, seats
        self._names = names
        self._deciders = deciders
        self._arguments = arguments
        self._record = fresh_state(game, spec, seats)

    def rows(self, games: int) -> tuple[Rows, Rows, Rows]:
        """Give the rows of so many games to fill; see `sim.table.rows_of`."""
        return rows_of(self._game, *self._rules, games)

    def play(self, listed: Sequence[Rows], rows: Sequence[Rows], progress: Rows) -> None:
        """Play listed games (deals, rotations, seatings, numbers; see `Table.listed`) into their rows.

        `progress` (PROGRESS_CELLS, modified) tells a watcher which game is in play.

        Raises
        ------
        PartFailed
            If a bot raised or acted illegally; the message names the game, the seat and the bot.
        """
        progress[1] = 0
        try:
            with np.errstate(over="ignore"):
                played = self._game.engine.play_list(
                    self._record, self._deciders, self._arguments, *listed, *rows, progress
                )
        except Exception as error:
            # Whatever a bot raises inside the kernel is the bot's failure.
            raise self._failure(f"raised {type(error).__name__}: {error}{_line_of(error)}", progress) from error
        if played < len(listed[0]):
            raise self._failure(f"acted illegally: {progress[3]} is no legal action", progress)

    def _failure(self, what: str, progress: Rows) -> PartFailed:
        """Say which bot failed and in which game."""
        number = int(progress[0])
        state = self._record[0]
        seat = int(progress[2]) if progress[1] else int(state["seat"])
        name = self._names[int(state["who"][seat])]
        self._record = fresh_state(self._game, *self._rules)  # The old one stands in the middle of a game.
        return PartFailed(f"Bot '{name}' {what} (game {number}, seat {seat}).", number)


class Player:
    """Plays parts of one table, one at a time, in one thread.

    Making one compiles the table's bots, and raises BotFailed if one cannot be compiled; the kernel is compiled when it
    first plays.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.progress: Rows = np.zeros(PROGRESS_CELLS, np.int64)
        self._kernel = Kernel(table.game, table.spec, table.job.seats, table.deciders(), table.arguments(), table.names)

    def play(self, first: int, deals: int) -> tuple[Rows, Rows, Rows]:
        """Play `deals` deals from number `first` on.

        Returns
        -------
        games, seats, rounds
            int64 arrays of shape (games, columns), (games * seats, columns) and (games * rounds * seats, columns), in
            the columns that the game declares; the last is empty where the game has no table `rounds`.

        Raises
        ------
        PartFailed
            If a bot raised or acted illegally; the message names the game, the seat and the bot.
        """
        rows = self.table.rows(count_games(self.table, first, deals))
        each = [len(table) // max(1, len(rows[0])) for table in rows]
        self.progress[:] = 0
        self.progress[0] = first * self.table.most_rotations
        done = 0
        for start in range(first, first + max(1, deals), _DEALS_A_CALL):
            listed = self.table.listed(start, min(_DEALS_A_CALL, first + deals - start))
            count = len(listed[0])
            own = [table[done * size : (done + count) * size] for table, size in zip(rows, each, strict=True)]
            # The cells of the moment: whoever watches from outside may have put others in their place.
            self._kernel.play(listed, own, self.progress)
            done += count
        return rows


def warm_kernel(game: str) -> None:
    """Compile a game's kernel, or load it from the cache; with the bot `random`, since one kernel takes any line-up."""
    job = make_job(load_game(game), entrants=[Entrant("random")], deals=1)
    Player(make_table(job)).play(0, 0)


@dataclass(frozen=True)
class Decision:
    """A decision that was made: who, in which phase, what, and how many legal actions there were."""

    phase: str
    seat: int
    action: int
    legal: int


class Session:
    """One game, played decision by decision. `view`, `legal` and `apply` are those of the compiled engine.

    Made by `start`, or for one deal (from 0) and rotation (from 0) of a table. `seat` is who decides, `phase` what
    about, and `is_over` ends it. `events` lists the decisions so far, and with `is_logged` all that happens, as in a
    transcript.

    Raises
    ------
    SpecError
        If the deal has no such rotation.
    """

    def __init__(self, table: Table, deal: int, rotation: int = 0, *, is_logged: bool = False) -> None:
        self.table = table
        self.deal, self.rotation = deal, rotation
        self.events: list[dict[str, Any]] = []
        self._engine = table.game.engine
        self._record = table.state()
        self._arguments = table.arguments()
        self._actions = np.zeros(MAX_LEGAL, np.int64)
        self._legal_count = 0
        self._record[0]["is_logged"] = is_logged
        _, rotations, seatings, _ = table.listed(deal, 1)
        self.rotations = len(rotations)
        if not 0 <= rotation < self.rotations:
            raise SpecError(
                f"Deal {deal} has {self.rotations} rotations, counted from 0; there is no rotation {rotation}."
            )
        with np.errstate(over="ignore"):
            self._engine.start(self._record, self._arguments, deal, rotation, seatings[0])
        self._drain()
        self._look()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._record[0]["is_over"])

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return int(self._record[0]["seat"])

    @property
    def phase(self) -> str:
        """What the seat decides about."""
        return str(self.table.game.phases[int(self._record[0]["phase"])])

    @property
    def state(self) -> Any:
        """The whole STATE record, hidden things included: for tests and replays, never for a bot."""
        return self._record[0]

    def view(self, seat: int | None = None) -> Any:
        """Give a copy of a seat's VIEW record (the deciding seat's by default).

        What it sees of each place is up to date in every view; the rest is as it was at the seat's last decision.
        """
        return self._record[0]["views"][self.seat if seat is None else seat].copy()

    def legal(self) -> list[int]:
        """List the legal actions of the deciding seat; there are none when the game is over."""
        return [int(action) for action in self._actions[: self._legal_count]]

    def apply(self, action: int) -> None:
        """Carry out the deciding seat's action and run on to the next decision.

        Raises
        ------
        IllegalAction
            If the action is not legal; nothing has changed then.
        """
        if self.is_over:
            raise IllegalAction("The game is over: no seat decides any more.")
        decision = Decision(self.phase, self.seat, action, self._legal_count)
        described = self.table.game.render.decision(self._record[0], decision)
        with np.errstate(over="ignore"):
            if not self._engine.act(self._record, action):
                raise IllegalAction(
                    f"Action {action} is not legal for seat {decision.seat} in phase {decision.phase}; "
                    f"legal are {_listed(self.legal())}."
                )
        self.events.append(described)
        self._drain()
        self._look()

    def answer(self, deciders: tuple[Any, ...]) -> int:
        """Ask the deciding seat's bot for its action, out of a table's compiled bots, without carrying it out."""
        with np.errstate(over="ignore"):
            views = self._record[0]["views"]
            views = views.view(np.recarray) if IS_JIT_OFF else views
            return answer(deciders[int(self._record[0]["who"][self.seat])], views, self.seat)

    def rows(self) -> tuple[Rows, Rows, Rows]:
        """Give the finished game's rows: int64 arrays of 1, of seats and of rounds * seats rows.

        A cell is as the engine writes it: a text column's is a code, `win_share` counts 1/2520.

        Raises
        ------
        SpecError
            If the game is not over.
        """
        if not self.is_over:
            raise SpecError("The game is not over: there are no rows yet.")
        rows = self.table.rows(1)
        number = self.deal * self.table.most_rotations + self.rotation
        with np.errstate(over="ignore"):
            self._engine.finish(self._record, number, self.deal, self.rotation, *rows)
        return rows

    def scores(self) -> list[int]:
        """Give the score of each seat of a finished game, in points; raises SpecError before its end."""
        names = [column.name for column in self.table.game.seat_columns]
        return [int(score) for score in self.rows()[1][:, names.index("score")]]

    def _look(self) -> None:
        """Fill the deciding seat's VIEW and its legal actions."""
        self._legal_count = 0
        if not self.is_over:
            with np.errstate(over="ignore"):
                self._legal_count = int(self._engine.look(self._record, self._actions))

    def _drain(self) -> None:
        """Turn what the engine logged into events."""
        state = self._record[0]
        count = int(state["logged"])
        if count > len(state["log"]):
            raise SpecError(f"The log of a game holds {len(state['log'])} rows; one decision wrote {count}.")
        self.events.extend(self.table.game.render.events(state, state["log"][:count]))
        state["logged"] = 0


def start(
    game: str,
    *,
    seats: int | None = None,
    seed: int = 1,
    deal: int = 0,
    options: Mapping[str, Any] | None = None,
    preset: str | None = None,
) -> Session:
    """Start one game by hand and give its Session: every decision is the caller's.

    `seed` and the number of the `deal` fix all chance; `options` are the game's, by name, and go before those of the
    `preset`, a set of them that the game names.

    Raises
    ------
    UnknownName, SpecError
        If the game, its seats, options or preset are not allowed.
    """
    played = load_game(game)
    line_up = [Entrant("random")]
    job = make_job(played, entrants=line_up, seats=seats, deals=1, seed=seed, options=options, preset=preset)
    return Session(make_table(job), deal)


def transcript_of(table: Table, deal: int, rotation: int, number: int | None = None) -> dict[str, Any]:
    """Play one game of a table again, decision by decision, and write down everything (docs/transcripts.md).

    `number` is the game's in its run, where that does not follow from deal and rotation.

    Raises
    ------
    PartFailed
        If a bot raises or acts illegally: named with its game, as in a run.
    """
    session = Session(table, deal, rotation, is_logged=True)
    deciders = table.deciders()
    if number is None:
        number = deal * table.most_rotations + rotation
    while not session.is_over:
        seat = session.seat
        name = table.names[int(session.state["who"][seat])]
        try:
            action = session.answer(deciders)
        except Exception as error:
            raise PartFailed(
                f"Bot '{name}' raised {type(error).__name__}: {error}{_line_of(error)} (game {number}, seat {seat}, "
                f"decision {int(session.state['decisions'])}, phase {session.phase}).",
                number,
            ) from error
        try:
            session.apply(action)
        except IllegalAction as error:
            raise PartFailed(f"Bot '{name}' acted illegally (game {number}): {error}", number) from error
    return _document(table, session)


def _document(table: Table, session: Session) -> dict[str, Any]:
    """Put a finished session's events into the document of a transcript."""
    game, job = table.game, table.job
    entrants = [table.names[int(who)] for who in session.state["who"][: job.seats]]
    by_name = {entrant.name: entrant for entrant in job.entrants}
    return {
        "format": 1,
        "game": game.name,
        "version": game.version,
        "seats": job.seats,
        "options": game.render.options(table.spec),
        "seed": str(job.seed),
        "deal": session.deal,
        "rotation": session.rotation,
        "entrants": entrants,
        "skills": [
            {skill.name: float(by_name[name].skills.get(skill.name, skill.default)) for skill in game.skills}
            for name in entrants
        ],
        "events": session.events,
    }
