"""Playing tournaments: whole repeats at once, round by round, or the matches of a round of a single tournament."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from sim.contract import Bot, Column, load_game
from sim.errors import SpecError
from sim.job import make_job, make_spec
from sim.play import PROGRESS_CELLS, Kernel
from sim.table import Rows, Table, brought_by, deciders_of, draw_seatings, make_table
from sim.tournament import match
from sim.tournament.draw import Draw
from sim.tournament.format import Format
from sim.tournament.groups import GroupsThenKnockout
from sim.tournament.history import EMPTY, WIN_UNITS, History, Results, Tables, Whole
from sim.tournament.job import MAX_NUMBER, MAX_REPLAYS, Leg, Tournament, legs_of, make_tournament, seats_of_game
from sim.tournament.match import BYE, DECIDED, PLACES, POINTS, SUMS, WINS
from sim.tournament.standings import POINT_UNITS, SHARE, earned

_GAMES_A_CALL = 1 << 15  # so that the list of a round's games stays small
_GAMES_A_BATCH = 1 << 16  # of a round, in repeats played together

STANDINGS_COLUMNS = (
    Column("repeat", "int64", "", "number of the tournament in its run"),
    Column("leg", "text", "", "format, and variant of the rules where there are several"),
    Column("entrant", "text", "", "who"),
    Column("rank", "int16", "", "rank in the tournament: 1, 1, 3, ..."),
    Column("matches", "int32", "matches", "matches played; byes are none"),
    Column("games", "int32", "games", "games of these matches"),
    Column("won", "int32", "matches", "matches won alone, byes included"),
    Column(
        "league_points", "float64", "points", "league points, also where nothing is ranked by them", scale=POINT_UNITS
    ),
    Column("points", "int64", "points", "scores of all games, the larger the better"),
    Column("marks", "int64", "marks", "marks of all games, in games that have any"),
    Column("wins", "float64", "wins", "games won, a shared win shared out", scale=WIN_UNITS),
)
# Those follow that a leg ranks by; 0 in a leg that does not.
TIE_BREAKS = {
    "direct": Column(
        "direct", "float64", "points", "league points among the tied who have all met, else 0", scale=POINT_UNITS
    ),
    "points_among_tied": Column("points_among_tied", "int64", "points", "points in matches among the tied"),
    "buchholz": Column("buchholz", "float64", "points", "league points of all opponents", scale=POINT_UNITS * SHARE),
    "buchholz_cut": Column(
        "buchholz_cut", "float64", "points", "the same without the lowest opponent", scale=POINT_UNITS * SHARE
    ),
    "buchholz_median": Column(
        "buchholz_median", "float64", "points", "without the lowest and the highest", scale=POINT_UNITS * SHARE
    ),
    "sonneborn_berger": Column(
        "sonneborn_berger",
        "float64",
        "points",
        "opponents' league points times those won off them",
        scale=POINT_UNITS**2,
    ),
    "group_place": Column("group_place", "int16", "", "place in the group that went before a knockout"),
}
MATCHES_COLUMNS = (
    Column("repeat", "int64", "", "number of the tournament in its run"),
    Column("leg", "text", "", "format, and variant of the rules where there are several"),
    Column("round", "int32", "", "number of the round, from 1"),
    Column("match", "int32", "", "number of the match in its round, from 1"),
    Column("seat", "int8", "", "place in the plan of the match, from 0; who sat where is drawn for each deal"),
    Column("entrant", "text", "", "who"),
    Column("place", "int8", "", "rank in the match: 1, 1, 3, ..."),
    Column("points", "int64", "points", "scores of the match's games, the larger the better"),
    Column("marks", "int64", "marks", "marks of the match's games"),
    Column("wins", "float64", "wins", "games won, a shared win shared out", scale=WIN_UNITS),
    Column("games", "int32", "games", "games played in the match"),
    Column("decided", "text", "", "played: by its games; lot: after too many draws; bye: nothing was played", DECIDED),
)
PLAYED_COLUMNS = (
    Column("game", "int64", "", "number of the game in its run"),
    Column("repeat", "int64", "", "number of the tournament in its run"),
    Column("leg", "text", "", "format, and variant of the rules where there are several"),
    Column("round", "int32", "", "number of the round, from 1"),
    Column("match", "int32", "", "number of the match in its round, from 1"),
)
_REPEAT, _LEG, _ROUND, _MATCH, _SEAT, _ENTRANT, _PLACE, _POINTS, _MARKS, _WINS, _GAMES, _DECIDED = range(
    len(MATCHES_COLUMNS)
)

OWN_TABLES = {"standings": STANDINGS_COLUMNS, "matches": MATCHES_COLUMNS, "played": PLAYED_COLUMNS}
GAME_TABLES = ("games", "seats", "rounds")

Tabled = dict[str, Rows]  # rows by the name of their table


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a game belongs: its repeat, leg, round and match (all from 0), and its place among the match's games."""

    repeat: int
    leg: int
    round_number: int
    match: int
    game: int


@dataclass(frozen=True, slots=True)
class Numbering:
    """How a tournament's games are numbered: by repeat, leg, round, match, and game of the match.

    `rounds[leg]`, `matches[leg]` and `games[leg]` are the most there can be: rounds, matches in each of them, and games
    in each of these. A number that no game needs is left out.
    """

    rounds: tuple[int, ...]
    matches: tuple[int, ...]
    games: tuple[int, ...]

    @property
    def starts(self) -> tuple[int, ...]:
        """The number of the first game of each leg in repeat 0, and last that of repeat 1."""
        return tuple(accumulate(map(math.prod, zip(self.rounds, self.matches, self.games, strict=True)), initial=0))

    def spot(self, number: int) -> Spot:
        """Find where the game of a number belongs."""
        starts = self.starts
        repeat, rest = divmod(number, starts[-1])
        leg = bisect_right(starts, rest) - 1
        rest, game = divmod(rest - starts[leg], self.games[leg])
        return Spot(repeat, leg, *divmod(rest, self.matches[leg]), game)


def columns_of(tournament: Tournament) -> dict[str, tuple[Column, ...]]:
    """Give the columns of all tables of a tournament, those of its game's last; none where it has no such table.

    A cell of the columns `leg` and `entrant` is the number of the leg, or of the entrant in listing order.
    """
    game = load_game(tournament.game)
    has_rounds = any(rounds_in(tournament, leg) for leg in legs_of(tournament))
    rounds = game.round_columns if has_rounds else ()
    standings = (*STANDINGS_COLUMNS, *_tie_breaks(tournament))
    return {
        **OWN_TABLES,
        "standings": standings,
        "games": game.game_columns,
        "seats": game.seat_columns,
        "rounds": rounds,
    }


def _tie_breaks(tournament: Tournament) -> tuple[Column, ...]:
    """Give the columns that tell why equal league points and points are ranked as they are."""
    used: set[str] = set()
    for leg in legs_of(tournament):
        used |= (
            {"group_place"} if isinstance(leg.format, GroupsThenKnockout) else set(getattr(leg.format, "ranking", ()))
        )
    return tuple(column for name, column in TIE_BREAKS.items() if name in used)


def rounds_in(tournament: Tournament, leg: Leg) -> int:
    """Count the rounds in the table `rounds` of a leg's games."""
    game = load_game(tournament.game)
    size = seats_of_game(game, leg.format.sizes_for(len(tournament.entrants))[0])
    return int(game.rounds(make_spec(game, size, leg.variant.options)))


def round_widths(tournament: Tournament) -> tuple[int, ...]:
    """Count the matches of each round, byes included: the most that any leg has there. No result changes that."""
    entrants = len(tournament.entrants)
    each = [leg.format.widths_for(entrants) for leg in legs_of(tournament)]
    rounds = max(map(len, each))
    return tuple(max(widths[number] for widths in each if number < len(widths)) for number in range(rounds))


class TournamentPlayer:
    """Plays a tournament, a part at a time, in one thread.

    Making one compiles the bots, and raises BotFailed if one cannot be compiled. `progress` tells a watcher which game
    is in play.
    """

    def __init__(self, tournament: Tournament, bots: Mapping[str, Bot] | None = None) -> None:
        self.tournament = _checked(tournament, bots or {})
        self.game = load_game(tournament.game)
        self.legs = legs_of(tournament)
        self.columns = columns_of(tournament)
        self.progress: Rows = np.full(PROGRESS_CELLS, -1, np.int64)
        self._bots = bots or {}
        known = {**self._bots, **self.game.bots}
        distinct = list(dict.fromkeys(entrant.bot for entrant in tournament.entrants))
        self._deciders = deciders_of(self.game, [known[name] for name in distinct])
        self._arguments = (
            np.uint64(tournament.seed),
            *brought_by(self.game, tournament.entrants, known),
            np.array([distinct.index(entrant.bot) for entrant in tournament.entrants], np.int64),
        )
        self._kernels: dict[tuple[str, int], Kernel] = {}
        self._histories: dict[tuple[int, int], tuple[Rows, History]] = {}
        self.numbering = numbering_of(self.tournament)

    def warm(self) -> None:
        """Compile all that plans and plays rounds, or load it from the cache, by playing nothing."""
        none = np.zeros(0, np.int64)
        draw = Draw.of(self.tournament.seed, 0, 1)
        for number, leg in enumerate(self.legs):
            match.winners_by_lot(draw, 0, none, none)
            _plan_two_rounds(leg.format, self.begun())
            for size in leg.format.sizes_for(len(self.tournament.entrants)):
                _Board(self, number, 0, draw, 0, none, none, np.zeros((0, size), np.int64)).play_some(none, 0)

    def turns(self, size: int) -> int:
        """Count the games of a deal at a table of so many; in a solitaire each plays one."""
        return turns_of(self.tournament, size)

    def play(self, first: int, repeats: int) -> Tabled:
        """Play `repeats` whole tournaments from number `first` on.

        Returns
        -------
        rows by table
            int64 arrays in the columns of `self.columns`: `standings` in the order of repeat, leg and entrant,
            `matches` of repeat, leg, round, match and seat, `played` and the game's own tables in that of the games.

        Raises
        ------
        PartFailed
            If a bot raised or acted illegally; the message names the game, the seat and the bot.
        """
        self.progress[0] = -1  # None is in play yet.
        most = max(
            matches * self.tournament.deals * self.turns(max(leg.format.sizes_for(len(self.tournament.entrants))))
            for leg, matches in zip(self.legs, self.numbering.matches, strict=True)
        )
        batch = max(1, _GAMES_A_BATCH // most)
        parts = [
            self._play_batch(start, min(batch, first + repeats - start))
            for start in range(first, first + repeats, batch)
        ]
        return self._joined(parts)

    def _play_batch(self, first: int, repeats: int) -> Tabled:
        """Play whole tournaments round by round, all at once."""
        parts: list[Tabled] = []
        for number, leg in enumerate(self.legs):
            history = self.begun(first, repeats)
            matches: list[Rows] = []
            for _ in range(leg.format.rounds_for(history.entrants)):
                tables = leg.format.pair(history)
                held = self._play_round(number, history, first, tables, 0)
                matches.append(held.matches)
                history = history.add(tables, held.results)
                parts += held.parts
            parts.append({"standings": self._standings(number, history, first, np.concatenate(matches))})
        return _sorted(self._joined(parts))

    # ── One tournament in slices ─────────────────────────────────────────────────────────────────────────────────────

    def begun(self, first: int = 0, repeats: int = 1) -> History:
        """Give the history of tournaments of which nothing has been played."""
        draw = Draw.of(self.tournament.seed, first, repeats)
        return History(len(self.tournament.entrants), draw, self.tournament.places)

    def history(self, leg: int, matches: Rows, rounds: int, repeat: int = 0) -> History:
        """Give the history of one leg of one tournament after so many rounds, out of its rows of `matches`.

        What was found for the leg before is gone on with where the rows agree: to pair a round may take a second.

        Raises
        ------
        SpecError
            If the rows are not those of these rounds.
        """
        own = matches[(matches[:, _REPEAT] == repeat) & (matches[:, _LEG] == leg) & (matches[:, _ROUND] <= rounds)]
        own = own[np.lexsort([own[:, _SEAT], own[:, _MATCH], own[:, _ROUND]])]
        history: History
        known, history = self._histories.get((leg, repeat), (own[:0], self.begun(repeat)))
        if not np.array_equal(known, own[: len(known)]) or len(history.rounds) > rounds:
            history = self.begun(repeat)
        for number in range(len(history.rounds), rounds):
            tables = self.legs[leg].format.pair(history)
            rows = own[own[:, _ROUND] == number + 1]
            at = np.zeros(len(rows), np.int64), rows[:, _MATCH] - 1, rows[:, _SEAT]
            is_all = np.array_equal(np.argwhere(tables[0] != EMPTY), np.stack(at[1:], 1))
            if not is_all or (tables[at] != rows[:, _ENTRANT]).any():
                where = f"round {number + 1} of leg '{self.legs[leg].name}'"
                raise SpecError(f"The matches of {where} are not those of this tournament.")
            results = Results.of(np.zeros(tables.shape))
            for name, column in (("place", _PLACE), ("points", _POINTS), ("marks", _MARKS), ("wins", _WINS)):
                getattr(results, name)[at] = rows[:, column]
            history = history.add(tables, results)
        self._histories[leg, repeat] = own, history
        return history

    def play_slice(self, matches: Rows, number: int, start: int, stop: int, repeat: int = 0) -> Tabled:
        """Play the matches `start .. stop - 1` (from 0) of round `number` (from 0) of one tournament, in all its legs.

        `matches` has the rows of all earlier rounds, in any order. The rows of all slices of all rounds with those of
        `stand`, put in order, are those of `play`.
        """
        self.progress[0] = -1  # None is in play yet.
        parts: list[Tabled] = []
        for leg, chosen in enumerate(self.legs):
            if number < chosen.format.rounds_for(len(self.tournament.entrants)):
                history = self.history(leg, matches, number, repeat)
                tables = chosen.format.pair(history)[:, start:stop]
                if tables.shape[1]:
                    parts += self._play_round(leg, history, repeat, tables, start).parts
        return _sorted(self._joined(parts))

    def stand(self, matches: Rows, repeat: int = 0) -> Rows:
        """Give the standings of one tournament out of its rows of `matches`, all rounds of all legs."""
        parts = []
        for leg, chosen in enumerate(self.legs):
            history = self.history(leg, matches, chosen.format.rounds_for(len(self.tournament.entrants)), repeat)
            own = matches[(matches[:, _REPEAT] == repeat) & (matches[:, _LEG] == leg)]
            parts.append(self._standings(leg, history, repeat, own))
        return np.concatenate(parts)

    # ── One game again ───────────────────────────────────────────────────────────────────────────────────────────────

    def table_of(self, number: int, entrants: Sequence[int]) -> tuple[Table, int, int]:
        """Give the table, deal and rotation by which the game of a number can be played again (`Session`).

        `entrants` are those of its match, by number, in the order of its rows in `matches`.
        """
        spot, size = self.numbering.spot(number), len(entrants)
        turned, turn = divmod(spot.game, self.turns(size))
        unit, nth = divmod(turned, self.tournament.deals)
        draw = Draw.of(self.tournament.seed, spot.repeat, 1)
        where = np.zeros(1, np.int64), np.array([spot.match])
        deal = int(match.deals_of(draw, spot.round_number, *where, unit, self.tournament.deals)[0, nth])
        is_alone = self.game.max_seats == 1
        seated = [entrants[turn]] if is_alone else entrants
        job = make_job(
            self.game,
            entrants=[self.tournament.entrants[entrant] for entrant in seated],
            seats=len(seated),
            deals=1,
            seed=self.tournament.seed,
            options=self.legs[spot.leg].variant.options,
            bots=self._bots,
        )
        return make_table(job, self._bots), deal, 0 if is_alone else turn

    def entrants_of(self, number: int, *, is_played: bool) -> tuple[int, ...]:
        """Find who meets in the game of a number, by playing all before it in its leg of its tournament.

        With `is_played` its match is played, too, to see whether it has a game of that number. Nobody is given for a
        number that no game has. The entrants are those that `table_of` wants.
        """
        spot = self.numbering.spot(number)
        chosen, history = self.legs[spot.leg].format, self.begun(spot.repeat)
        for _ in range(spot.round_number):
            tables = chosen.pair(history)
            history = history.add(tables, self._play_round(spot.leg, history, spot.repeat, tables, 0).results)
        tables = chosen.pair(history)[:, spot.match : spot.match + 1]
        entrants = tuple(int(entrant) for entrant in tables.ravel() if entrant != EMPTY)
        if len(entrants) < 2:
            return ()
        if is_played:
            held = self._play_round(spot.leg, history, spot.repeat, tables, spot.match)
            if not any(number in part["played"][:, 0] for part in held.parts if "played" in part):
                return ()
        return entrants

    # ── A round ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _play_round(self, leg: int, history: History, first: int, tables: Tables, start: int) -> "_Held":
        """Play the matches of a round from number `start` on, of repeats from number `first` on."""
        number = len(history.rounds)
        chosen = self.legs[leg].format
        is_decisive = chosen.is_decisive(number, history.entrants)
        results = Results.blank(tables)
        games = np.zeros(tables.shape[:2], np.int64)
        decided = np.full(tables.shape[:2], BYE, np.int64)
        parts = []
        for size in chosen.sizes_for(history.entrants):
            rows, matches, columns, line_ups = match.line_ups_of(tables, size)
            board = _Board(self, leg, number, history.draw, first, rows, matches + start, line_ups)
            best_of = int(getattr(chosen, "best_of", 1)) if is_decisive else 0
            outcome = match.play_matches(board, len(rows), size, best_of)
            is_lot = outcome.decided == match.LOT
            lots = match.winners_by_lot(history.draw, number, rows[is_lot], matches[is_lot] + start)
            outcome.place[is_lot] = 1 + (lots[:, None] != np.arange(size))
            match.lay_out(results, outcome, rows, matches, columns)
            games[rows, matches], decided[rows, matches] = outcome.games, outcome.decided
            parts += board.tables
        rows, matches, seats = np.nonzero(tables != EMPTY)
        at = rows, matches, seats
        held = np.column_stack(
            [
                first + rows,
                np.full(len(rows), leg),
                np.full(len(rows), number + 1),
                start + matches + 1,
                seats,
                tables[at],
                results.place[at],
                results.points[at],
                results.marks[at],
                results.wins[at],
                games[rows, matches],
                decided[rows, matches],
            ]
        )
        return _Held(results, held, [*parts, {"matches": held}])

    def _standings(self, leg: int, history: History, first: int, matches: Rows) -> Rows:
        """Give the rows of `standings` of one leg; `matches` has those of all its rounds."""
        repeats, entrants = history.repeats, history.entrants
        cells = (matches[:, _REPEAT] - first) * entrants + matches[:, _ENTRANT]

        def total(values: Whole) -> Whole:
            sums = np.zeros(repeats * entrants, np.int64)
            np.add.at(sums, cells, values)
            return sums

        chosen = self.legs[leg].format
        league = history.total((played.tables, earned(played, chosen.award)) for played in history.rounds)
        alone = history.total((played.tables, _won_alone(played.results.place)) for played in history.rounds)
        standings = chosen.standings(history)
        tie_breaks = [
            np.rint(standings.columns.get(column.name, np.zeros(1)) * column.scale).astype(np.int64)
            for column in self.columns["standings"][len(STANDINGS_COLUMNS) :]
        ]
        return np.column_stack(
            [
                np.repeat(first + np.arange(repeats), entrants),
                np.full(repeats * entrants, leg),
                np.tile(np.arange(entrants), repeats),
                standings.rank.ravel(),
                total((matches[:, _DECIDED] != BYE).astype(np.int64)),
                total(matches[:, _GAMES]),
                alone.ravel(),
                league.ravel(),
                total(matches[:, _POINTS]),
                total(matches[:, _MARKS]),
                total(matches[:, _WINS]),
                *(np.broadcast_to(values, (repeats, entrants)).ravel() for values in tie_breaks),
            ]
        )

    def kernel(self, leg: int, size: int) -> Kernel:
        """Give the kernel for tables of so many under the rules of a leg."""
        variant = self.legs[leg].variant
        seats = seats_of_game(self.game, size)
        if (variant.name, seats) not in self._kernels:
            spec = make_spec(self.game, seats, variant.options)
            self._kernels[variant.name, seats] = Kernel(
                self.game, spec, seats, self._deciders, self._arguments, self.tournament.names
            )
        return self._kernels[variant.name, seats]

    def _joined(self, parts: Sequence[Tabled]) -> Tabled:
        """Put the rows of parts one after the other."""
        joined = {}
        for table, columns in self.columns.items():
            rows = [part[table] for part in parts if table in part]
            joined[table] = np.concatenate(rows) if rows else np.zeros((0, len(columns)), np.int64)
        return joined


@dataclass(frozen=True, slots=True)
class _Held:
    """A round that was played: its results, its rows of `matches`, and those of all tables, in parts."""

    results: Results
    matches: Rows
    parts: list[Tabled]


class _Board:
    """Plays the matches of one round and leg at tables of one size; `tables` collects the rows of their games."""

    def __init__(
        self,
        player: TournamentPlayer,
        leg: int,
        number: int,
        draw: Draw,
        first: int,
        rows: Whole,
        matches: Whole,
        line_ups: Whole,
    ) -> None:
        self.tables: list[Tabled] = []
        self._player = player
        self._leg, self._number = leg, number
        self._draw, self._first = draw, first
        self._rows, self._matches, self._line_ups = rows, matches, line_ups
        numbering = player.numbering
        in_round = self._number * numbering.matches[leg] + matches
        self._numbers = (first + rows) * numbering.starts[-1] + numbering.starts[leg] + in_round * numbering.games[leg]

    def play(self, which: Whole, unit: int) -> tuple[Whole, int]:
        """Play the deals of a unit of some matches; see `match.Board`."""
        size = self._line_ups.shape[1]
        each = self._player.tournament.deals * self._player.turns(size)
        step = max(1, _GAMES_A_CALL // each)
        sums = [self.play_some(which[at : at + step], unit) for at in range(0, len(which), step)]
        return np.concatenate(sums) if sums else np.zeros((0, size, len(SUMS)), np.int64), each

    def play_some(self, which: Whole, unit: int) -> Whole:
        """Play the deals of a unit of so few matches that one call of the kernel takes them."""
        player, game = self._player, self._player.game
        deals, size = player.tournament.deals, self._line_ups.shape[1]
        turns = player.turns(size)
        line_ups = self._line_ups[which]
        drawn = match.deals_of(self._draw, self._number, self._rows[which], self._matches[which], unit, deals)
        turn = np.tile(np.arange(turns), drawn.size)
        numbers = np.repeat(self._numbers[which], deals * turns)
        numbers += unit * deals * turns + np.tile(np.arange(deals * turns), len(which))
        is_alone = game.max_seats == 1
        if is_alone:
            seatings = np.repeat(line_ups, deals, axis=0).reshape(-1, 1)
        else:
            dealt = np.repeat(line_ups, deals, axis=0)
            seatings = np.repeat(draw_seatings(player.tournament.seed, drawn.ravel(), dealt), turns, axis=0)
        listed = [np.repeat(drawn.ravel(), turns), np.zeros_like(turn) if is_alone else turn, seatings, numbers]
        kernel = player.kernel(self._leg, size)
        rows = kernel.rows(len(numbers))
        kernel.play(listed, rows, player.progress)
        player.progress[0] = -1  # What comes now is planning, which may take longer than any game.
        self._keep(which, deals * turns, numbers, rows)
        sums = np.zeros((len(which), size, len(SUMS)), np.int64)
        of = np.repeat(np.arange(len(which)), deals * turns)
        names = [column.name for column in game.seat_columns]
        marks = names.index("marks") if "marks" in names else -1
        match.collect(rows[1], of, line_ups, seatings.shape[1], marks, sums)
        if game.lower_wins:
            sums[:, :, POINTS] *= -1
        if is_alone:
            self._compare(rows[1][:, match.SCORE], sums)
        return sums

    def _compare(self, scores: Whole, sums: Whole) -> None:
        """Rank those who played a deal each alone by their scores (modifies `sums`): the best share its win."""
        matches, size, _ = sums.shape
        deals = len(scores) // max(1, matches * size)
        merit = scores.reshape(matches, deals, size) * (-1 if self._player.game.lower_wins else 1)
        place = 1 + (merit[:, :, None, :] > merit[:, :, :, None]).sum(axis=3)
        is_best = place == 1
        sums[:, :, WINS] = np.where(is_best, WIN_UNITS // is_best.sum(axis=2, keepdims=True), 0).sum(axis=1)
        sums[:, :, PLACES] = place.sum(axis=1)

    def _keep(self, which: Whole, games: int, numbers: Whole, rows: tuple[Rows, Rows, Rows]) -> None:
        """Keep the rows of games, and where each belongs."""
        matches = np.repeat(self._matches[which] + 1, games)
        played = np.column_stack(
            [
                numbers,
                self._first + np.repeat(self._rows[which], games),
                np.full(len(numbers), self._leg),
                np.full(len(numbers), self._number + 1),
                matches,
            ]
        )
        kept = {"played": played, **dict(zip(GAME_TABLES, rows, strict=True))}
        # A leg may have no table of rounds where another one has.
        self.tables.append({table: each for table, each in kept.items() if len(each) or each.shape[1]})


def _checked(tournament: Tournament, bots: Mapping[str, Bot]) -> Tournament:
    """Check a tournament by the door that makes one: its bots are there and are those that it names."""
    game = load_game(tournament.game)
    return make_tournament(
        game,
        **{
            name: getattr(tournament, name)
            for name in ("entrants", "formats", "variants", "repeats", "deals", "rotate", "seed", "order")
        },
        bots=bots,
    )


def _plan_two_rounds(chosen: Format, history: History) -> None:
    """Pair the first rounds, the first to sit being the winners: what pairs is compiled by that."""
    for _ in range(min(2, chosen.rounds_for(history.entrants))):
        tables = chosen.pair(history)
        is_taken = tables != EMPTY
        history = history.add(tables, Results.of(np.where(is_taken, np.cumsum(is_taken, axis=2), 0)))


def _won_alone(place: Whole) -> Whole:
    """Give 1 for each seat that has won its match and shares that with nobody."""
    is_first = place == 1
    return np.where(is_first.sum(axis=2, keepdims=True) == 1, is_first, 0)


def _sorted(tables: Tabled) -> Tabled:
    """Put rows in order by their first column, a repeat or a game; those of one are in order already."""
    return {
        table: rows[np.argsort(rows[:, 0], kind="stable")] if rows.shape[1] else rows for table, rows in tables.items()
    }


def _most_units(chosen: Format) -> int:
    """Count the units of deals that a match has at most: with a best of there may be replays."""
    best_of: int = getattr(chosen, "best_of", 0)
    return best_of + MAX_REPLAYS if best_of else 1


def turns_of(tournament: Tournament, size: int) -> int:
    """Count the games of a deal at a table of so many; in a solitaire each plays one."""
    return size if tournament.rotate or load_game(tournament.game).max_seats == 1 else 1


def numbering_of(tournament: Tournament) -> Numbering:
    """Say how the games of a tournament are numbered, or raise SpecError if there are too many."""
    entrants, legs = len(tournament.entrants), legs_of(tournament)
    widths = [leg.format.widths_for(entrants) for leg in legs]
    numbering = Numbering(
        tuple(map(len, widths)),
        tuple(map(max, widths)),
        tuple(
            _most_units(leg.format) * tournament.deals * turns_of(tournament, max(leg.format.sizes_for(entrants)))
            for leg in legs
        ),
    )
    if tournament.repeats * numbering.starts[-1] > MAX_NUMBER:
        raise SpecError(
            f"The games of {tournament.repeats} repeats cannot be numbered: each may have {numbering.starts[-1]}, and "
            "all together 2**62."
        )
    return numbering
