"""A table made ready to play: the job's entrants as the arrays and compiled bots that a game's kernel takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from sim.compiled import IS_JIT_OFF, decider, entry
from sim.contract import MAX_PARAMETERS, Bot, Column, Game, load_game
from sim.errors import BotFailed, SpecError
from sim.job import Job, make_entrant, make_spec
from sim.seating import arrange

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """A job's table: rules, the distinct entrants, and what the kernels take.

    `line_up[place]` is the entrant at each place as listed; `most_rotations` the most games of one deal.
    """

    job: Job
    game: Game
    spec: Any
    names: tuple[str, ...]
    bots: tuple[Bot, ...]
    line_up: Rows
    parameters: npt.NDArray[np.float64]
    skills: Rows
    most_rotations: int

    @property
    def seats_of(self) -> tuple[int, ...]:
        """How many seats each entrant holds in every game."""
        return tuple(int(count) for count in np.bincount(self.line_up, minlength=len(self.names)))

    @property
    def rounds(self) -> int:
        """How many rounds a game has in the table `rounds`; 0 where there is no such table."""
        return self.game.rounds(self.spec)

    @property
    def round_columns(self) -> tuple[Column, ...]:
        """The columns of the table `rounds`; none where there is no such table."""
        return self.game.round_columns if self.rounds else ()

    def rows(self, games: int) -> tuple[Rows, Rows, Rows]:
        """Give the rows of so many games for a kernel to fill: int64 arrays in the columns that the game declares.

        A row a game; a row a game and seat; a row a game, round and seat, or without a table `rounds` nothing at all.
        """
        places = games * self.job.seats
        return (
            np.zeros((games, len(self.game.game_columns)), np.int64),
            np.zeros((places, len(self.game.seat_columns)), np.int64),
            np.zeros((places * self.rounds, len(self.round_columns)), np.int64),
        )

    def arguments(self) -> tuple[Any, ...]:
        """Give what a kernel takes as its table; one for each thread (it holds a scratch array)."""
        return (
            self.line_up,
            int(self.most_rotations > 1),  # equal entrants need no seating drawn
            np.uint64(self.job.seed),
            self.parameters,
            self.skills,
            np.zeros(self.job.seats, np.int64),
            self.most_rotations,
        )

    def state(self) -> Any:
        """Give a fresh STATE (an array of one record) with the rules written."""
        record = np.zeros(1, self.game.state)
        self.game.prepare(record, self.spec, self.job.seats)
        return record.view(np.recarray) if IS_JIT_OFF else record

    def deciders(self) -> tuple[Callable[[Any], int], ...]:
        """Compile the bots: a tuple by entrant, as long as the game has seats so that one kernel serves every table.

        Raises
        ------
        BotFailed
            If a bot cannot be compiled: named with what the compiler says.
        """
        compiled = [_compiled(bot, self.game) for bot in self.bots]
        return tuple(compiled[index % len(compiled)] for index in range(self.game.max_seats))


def _compiled(bot: Bot, game: Game) -> Callable[[Any], int]:
    """Compile a bot, or say in a few lines why it cannot be."""
    try:
        compiled: Callable[[Any], int] = decider(bot.decide, game.view, bot.cache)
    except Exception as error:  # The compiler raises whatever comes to its mind; it is about the bot in any case.
        code = bot.decide.__code__
        lines = [line.strip() for line in str(error).splitlines() if line.strip() and set(line.strip()) != {"^"}]
        said = [line for line in lines if not line.startswith(("Failed in", "During:", "There are", "- Of which"))]
        reason = " ".join(said[:3])[:400]
        if isinstance(error, KeyError):
            reason = f"it reads {error}, which a VIEW does not have (docs/bots.md lists its fields)."
        raise BotFailed(
            f"Bot '{bot.name}' ({Path(code.co_filename).name}, line {code.co_firstlineno}) cannot be compiled: {reason}"
        ) from error
    return compiled


def make_table(job: Job, bots: Mapping[str, Bot] | None = None) -> Table:
    """Make a job's table; `bots` are the user's, by name.

    Raises
    ------
    SpecError, UnknownName
        If an entrant's bot is missing or is not the one of the job.
    """
    game = load_game(job.game)
    known = {**(bots or {}), **game.bots}
    for entrant in job.entrants:
        make_entrant(game, entrant, bots or {})
    distinct = list(dict.fromkeys(entrant.name for entrant in job.entrants))
    by_name = {entrant.name: entrant for entrant in job.entrants}
    parameters = np.zeros((len(distinct), MAX_PARAMETERS))
    skills = np.zeros((len(distinct), max(1, len(game.skills))), np.int64)
    for index, name in enumerate(distinct):
        entrant = by_name[name]
        for column, parameter in enumerate(known[entrant.bot].parameters):
            parameters[index, column] = float(entrant.parameters.get(parameter.name, parameter.default))
        for column, skill in enumerate(game.skills):
            value = float(entrant.skills.get(skill.name, skill.default))
            skills[index, column] = round(value * game.skill_units[column])
    return Table(
        job,
        game,
        make_spec(game, job.seats, job.options),
        tuple(distinct),
        tuple(known[by_name[name].bot] for name in distinct),
        np.array([distinct.index(entrant.name) for entrant in job.entrants], np.int64),
        parameters,
        skills,
        job.seats if job.rotate and len(distinct) > 1 else 1,
    )


@entry
def _count_games(record, line_up, master, first, deals, seating, enough):  # type: ignore[no-untyped-def]
    """Count the games of deals from `first` on until `deals` deals or `enough` games; returns (deals, games)."""
    games = 0
    for done in range(deals):
        if games >= enough:
            return done, games
        games += arrange(record[0], master, first + done, line_up, 1, seating)
    return deals, games


def _counted(table: Table, first: int, deals: int, enough: int) -> tuple[int, int]:
    """Count a table's deals and games without playing them."""
    if table.most_rotations == 1 or len(table.names) == table.job.seats:
        done = min(deals, -(-enough // table.most_rotations))
        return done, done * table.most_rotations
    from sim.chance import GENERATOR

    generator = np.zeros(1, np.dtype(GENERATOR, align=True))
    generator = generator.view(np.recarray) if IS_JIT_OFF else generator
    seating = np.zeros(table.job.seats, np.int64)
    with np.errstate(over="ignore"):
        done, games = _count_games(generator, table.line_up, np.uint64(table.job.seed), first, deals, seating, enough)
    return int(done), int(games)


def count_games(table: Table, first: int, deals: int) -> int:
    """Count the games of a range of deals: each deal has as many as its seating has distinct rotations."""
    return _counted(table, first, deals, 2**62)[1]


def deals_for_games(job: Job, games: int, bots: Mapping[str, Bot] | None = None) -> Job:
    """Give the job with as many whole deals as are needed for at least so many games.

    Raises
    ------
    SpecError
        If `games` is not 1 .. 10**12.
    """
    if not 1 <= games <= 10**12:
        raise SpecError(f"The number of games is {games}; allowed are 1 to {10**12}.")
    deals = _counted(make_table(job, bots), 0, games, games)[0]
    return msgspec.structs.replace(job, deals=deals)
