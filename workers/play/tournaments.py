"""Runs of tournaments: so many whole ones, or a single one whose matches are played a round at a time."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from results.plan import MATCHES, PLAN_VERSION, REPEATS, STANDINGS, Span, parts_of, span_of, unit_of
from results.store import Run
from results.tournament.layout import TABLES, Leg, TournamentLayout
from sim.contract import Bot, load_game
from sim.errors import BotFailed, Refused, SpecError, StoreError
from sim.table import Table, deciders_of
from sim.tournament.job import Tournament, legs_of
from sim.tournament.play import TournamentPlayer, columns_of, numbering_of, round_widths, rounds_in, turns_of
from sim.tournament.swiss import Swiss
from workers.play.contest import Contest, Playing, Tables, measured_speed, shared_out, sliced

if TYPE_CHECKING:
    from sim.table import Rows

_CRUMB = 50  # tournaments, at least, in a part of a small job
_PART_GAMES = 1 << 16  # at most, in a part whose size is measured
_WHOLE_S = 1.0  # tournaments that take longer are not measured whole
_M_REPEAT, _M_LEG, _M_ROUND, _M_MATCH, _M_ENTRANT = 0, 1, 2, 3, 5  # columns of `matches`
_P_GAME, _P_MATCH = 0, 4  # columns of `played`


class TournamentContest(Contest):
    """A tournament, held so many times; of a single one the matches are the units."""

    def __init__(self, job: Tournament, bots: Mapping[str, Bot]) -> None:
        self.job: Tournament = job
        self.bots = bots
        self.game = load_game(job.game)
        self.names = job.names
        self.is_single = job.repeats == 1
        self.widths = round_widths(job)
        self.noun = self.counted = "matches" if self.is_single else "tournaments"
        self.units = sum(self.widths) if self.is_single else job.repeats

    def uncompiled(self) -> list[str]:
        """Name what is yet to be compiled: the kernel, and what pairs the entrants of Swiss."""
        from sim.compiled import is_warm

        is_swiss = any(isinstance(leg.format, Swiss) for leg in legs_of(self.job))
        pairing = ["the pairing of Swiss"] if is_swiss and not is_warm("tournament", "_pair", "swiss") else []
        return super().uncompiled() + pairing

    def layout(self) -> TournamentLayout:
        """Say what the tables look like: standings, matches, which game belongs where, and the game's own."""
        job = self.job
        legs = [Leg(leg.name, leg.format.matches_for(len(job.entrants)), rounds_in(job, leg)) for leg in legs_of(job)]
        return TournamentLayout.of(
            game=job.game,
            entrants=job.names,
            legs=legs,
            repeats=job.repeats,
            columns=columns_of(job),
            order=job.order,
            is_alone=self.game.max_seats == 1,
        )

    def plan(self, part: int, detail: str) -> dict[str, Any]:
        """Cut the tournaments, or the matches of a single one, into parts; a small one is a part by itself."""
        if self.is_single and part < self.units and detail == "full":
            return {"version": PLAN_VERSION, "rounds": list(self.widths), "part_matches": part, "detail": detail}
        size = 1 if self.is_single else min(part, self.job.repeats)
        return {"version": PLAN_VERSION, "repeats": self.job.repeats, "part_repeats": size, "detail": detail}

    def largest(self, plan: Mapping[str, Any]) -> int:
        """Count the tournaments of a part; of a single one the matches of a part."""
        if unit_of(plan) == MATCHES:
            return int(plan["part_matches"])
        return self.units if self.is_single else int(plan["part_repeats"])

    def chosen(self, units: float, workers: int) -> int:
        """Choose how many tournaments make a part; a single one is spread where it takes longer than two parts."""
        if not self.is_single:
            # A part's rows are held until it is written.
            most = max(1, _PART_GAMES // self._games_each)
            return min(most, shared_out(units, self.units, workers, _CRUMB))
        if 2 * units >= self.units:
            return self.units
        return max(1, min(int(units), -(-max(self.widths) // workers)))

    @property
    def _games_each(self) -> int:
        """Count the games of a tournament, those that replay a draw left out."""
        entrants, deals = len(self.job.entrants), self.job.deals
        return sum(
            leg.format.matches_for(entrants) * deals * turns_of(self.job, max(leg.format.sizes_for(entrants)))
            for leg in legs_of(self.job)
        )

    def advice(self, most: int) -> str:
        """Say what to do about parts that take too long."""
        if most and not self.is_single:
            return super().advice(most)
        return "hold a tournament once (--repeats 1) and with --detail full, so that its matches are spread."

    def compile_bots(self) -> None:
        """Compile the bots."""
        known = {**self.bots, **self.game.bots}
        deciders_of(self.game, [known[name] for name in dict.fromkeys(each.bot for each in self.job.entrants)])

    def playing(self) -> "TournamentPlaying":
        """Make a player."""
        return TournamentPlaying(self)

    def count(self, span: Span) -> int:
        """Count the tournaments, or the matches of a single one, byes included."""
        if span.unit == STANDINGS:
            return 0
        return self.units if span.unit == REPEATS and self.is_single else span.count

    def part_with(self, plan: Mapping[str, Any], game: int) -> int:
        """Give the part that a game is in."""
        spot = numbering_of(self.job).spot(game)
        if unit_of(plan) != MATCHES:
            return spot.repeat // int(plan["part_repeats"])
        for part in range(parts_of(plan)):
            span = span_of(plan, part)
            is_round = span.unit == MATCHES and span.round == spot.round_number + 1
            if is_round and span.first <= spot.match + 1 < span.first + span.count:
                return part
        return 0

    def whereabouts(self, game: int) -> str:
        """Say in which leg, round and match a game was played."""
        spot = numbering_of(self.job).spot(game)
        where = f"{legs_of(self.job)[spot.leg].name}, round {spot.round_number + 1}, match {spot.match + 1}"
        return where if self.is_single else f"tournament {spot.repeat}: {where}"

    def replayed(self, run: Run, game: int) -> tuple[Table, int, int]:
        """Give table, deal and rotation of a game; who met is read from the tables, or found by playing till then."""
        player = self.playing().player
        numbering = player.numbering
        spot = numbering.spot(game)
        if game < 0 or spot.repeat >= self.job.repeats:
            last = self.job.repeats * numbering.starts[-1] - 1
            raise SpecError(f"Run {run.name} has no game {game}; its games are numbered from 0 to at most {last}.")
        part = self.part_with(run.plan, game)
        is_done = run.is_committed(part)
        if is_done and run.plan["detail"] == "full":
            entrants = _entrants_in(run, part, game, (spot.repeat, spot.leg, spot.round_number + 1, spot.match + 1))
        else:
            try:
                entrants = player.entrants_of(game, is_played=is_done)
            except BotFailed as error:
                raise BotFailed(f"Game {game} cannot be replayed, for who meets in it is not known: {error}") from error
        if not entrants:
            where = " Those that there are stand in the table 'played'." if run.plan["detail"] == "full" else ""
            raise SpecError(
                f"Run {run.name} has no game {game}: numbers are left out where a match has fewer games than it may "
                f"have, or a round fewer matches.{where}"
            )
        return player.table_of(game, entrants)


def _entrants_in(run: Run, part: int, game: int, keys: tuple[int, ...]) -> tuple[int, ...]:
    """Read from a part's tables who met in a game; nobody if it was not played."""
    if game not in run.read_table("played", part)[:, _P_GAME]:
        return ()
    matches = run.read_table("matches", part)
    is_own = (matches[:, [_M_REPEAT, _M_LEG, _M_ROUND, _M_MATCH]] == keys).all(axis=1)
    return tuple(int(entrant) for entrant in matches[is_own, _M_ENTRANT])


class TournamentPlaying(Playing):
    """Plays tournaments, or slices of one."""

    def __init__(self, contest: TournamentContest) -> None:
        self.contest: TournamentContest = contest
        self.player: TournamentPlayer = TournamentPlayer(contest.job, contest.bots)
        self._known: dict[tuple[int, int, int], Rows] = {}  # matches of earlier parts, by round, first and count

    def warm(self) -> None:
        """Compile or load the kernel."""
        self.player.warm()

    def speed(self, least_s: float) -> float:
        """Measure how many tournaments a second are played, or matches of a single one."""
        none = self._no_matches()
        widths = self.contest.widths
        self.player.play_slice(none, 0, 0, 1)  # What pairs the entrants is compiled or loaded now, and not measured.
        matches = measured_speed(lambda count: self.player.play_slice(none, 0, 0, count), 1, widths[0], least_s)
        if self.contest.is_single:
            return matches
        whole_s = sum(widths) / matches
        if whole_s > _WHOLE_S:
            return 1 / whole_s
        self.player.play(0, 1)
        # A round of many tournaments costs little more than that of one: what is measured must be many.
        return measured_speed(lambda count: self.player.play(0, count), 1, self.contest.units, 5 * least_s)

    def cells(
        self, run: Run, span: Span, should_stop: Callable[[], bool] | None = None, *, mends: bool = True
    ) -> Tables:
        """Play whole tournaments, or matches of a round after reading those of the rounds before."""
        if span.unit == STANDINGS:
            return {**self._empty(), "standings": self.player.stand(self._earlier(run, span, mends=mends))}
        parts: list[Tables] = []
        if span.unit == REPEATS:

            def play(first: int, count: int) -> None:
                parts.append(self.player.play(first, count))
        else:
            earlier = self._earlier(run, span, mends=mends)

            def play(first: int, count: int) -> None:
                parts.append(self.player.play_slice(earlier, span.round - 1, first - 1, first - 1 + count))

        sliced(play, span, 1, should_stop)
        joined = {table: np.concatenate([part[table] for part in parts]) for table in TABLES}
        return joined if span.unit == REPEATS else self._in_order(joined)

    def select(self, tables: Tables, span: Span) -> Tables:
        """Take out the rows of some tournaments or matches."""
        if span.unit == STANDINGS:
            return tables
        own = {}
        if span.unit == REPEATS:
            first, end = span.first, span.first + span.count
            for table in ("standings", "matches"):
                start, stop = np.searchsorted(tables[table][:, _M_REPEAT], (first, end))
                own[table] = tables[table][start:stop]
            each = self.player.numbering.starts[-1]
            bounds = first * each, end * each
            for table in ("played", "games", "seats", "rounds"):
                rows = tables[table]
                start, stop = np.searchsorted(rows[:, _P_GAME], bounds) if rows.shape[1] else (0, 0)
                own[table] = rows[start:stop]
        else:
            own["standings"] = tables["standings"]
            own["matches"] = _between(tables["matches"], _M_MATCH, span)
            own["played"] = _between(tables["played"], _P_MATCH, span)
            numbers = own["played"][:, _P_GAME]
            for table in ("games", "seats", "rounds"):
                rows = tables[table]
                own[table] = rows[np.isin(rows[:, _P_GAME], numbers)] if rows.shape[1] else rows
        return {table: own[table] for table in tables}

    def _no_matches(self) -> "Rows":
        """Give the rows of no matches."""
        return self._empty()["matches"]

    def _empty(self) -> Tables:
        """Give every table without rows."""
        return {table: np.zeros((0, len(self.player.columns[table])), np.int64) for table in TABLES}

    def _in_order(self, tables: Tables) -> Tables:
        """Put the rows of slices of a round in the order of a part: leg by leg."""
        ordered = {}
        for table, rows in tables.items():
            keys = (_M_LEG, _M_MATCH) if table == "matches" else (_P_GAME,)
            # The last key comes first, and equal rows stay as they are.
            ordered[table] = rows[np.lexsort([rows[:, key] for key in keys[::-1]])] if rows.shape[1] else rows
        return ordered

    def _earlier(self, run: Run, span: Span, *, mends: bool) -> "Rows":
        """Read the matches of all rounds before; what was read once is not read again.

        Raises
        ------
        Refused
            If a part of them is not there, or is damaged: with `mends` it is moved aside, and is played again.
        """
        rows = [self._no_matches()]
        for part in range(parts_of(run.plan)):
            each = span_of(run.plan, part)
            if each.unit == STANDINGS or (span.unit == MATCHES and each.round >= span.round):
                break
            key = each.round, each.first, each.count
            if key not in self._known:
                self._known[key] = _read_matches(run, part, span, mends=mends)
            rows.append(self._known[key])
        return np.concatenate(rows)


def _read_matches(run: Run, part: int, span: Span, *, mends: bool) -> "Rows":
    """Read the matches of an earlier part; one that is damaged is moved aside if that is asked for."""
    if not run.is_committed(part):
        raise Refused(f"{str(span).capitalize()} cannot be played yet: part {part} of {run.name} is not there.")
    damage = run.damage(part, by_bytes=True)
    if damage and not mends:
        raise Refused(f"{str(span).capitalize()} cannot be checked, for what they rest on is damaged.")
    if damage:
        with suppress(StoreError):  # Another may have done so.
            run.move_aside(part)
        raise Refused(f"{str(span).capitalize()} cannot be played yet: {damage} It is played again.")
    return run.read_table("matches", part)


def _between(rows: "Rows", column: int, span: Span) -> "Rows":
    """Take the rows of some matches by their number."""
    numbers = rows[:, column]
    return rows[(numbers >= span.first) & (numbers < span.first + span.count)]
