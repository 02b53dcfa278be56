"""Raw cells of a part of a run of tournaments: whether they agree with each other, and the hash of their content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from results.cells import HASH_MODULUS, Cells, check_ranges, check_shape, keyed_hash
from results.plan import MATCHES, REPEATS, STANDINGS, Span
from results.schema import DEAL, ENTRANT, GAME, ROTATION, ROUND, ROUND_GAME, ROUND_SEAT, SEAT, SEAT_GAME, WIN_SHARE
from results.tournament.layout import (
    BYE,
    LOT,
    M_DECIDED,
    M_ENTRANT,
    M_GAMES,
    M_LEG,
    M_MARKS,
    M_MATCH,
    M_PLACE,
    M_POINTS,
    M_REPEAT,
    M_ROUND,
    M_SEAT,
    M_WINS,
    MOST_SEATS,
    P_GAME,
    P_LEG,
    P_MATCH,
    P_REPEAT,
    P_ROUND,
    S_ENTRANT,
    S_GAMES,
    S_LEG,
    S_MARKS,
    S_MATCHES,
    S_POINTS,
    S_RANK,
    S_REPEAT,
    S_WINS,
    TABLES,
    TournamentLayout,
)
from sim.errors import StoreError

Flags = NDArray[np.bool_]
Tables = Mapping[str, Cells]

MATCH_KEYS = (M_REPEAT, M_LEG, M_ROUND, M_MATCH)
PLAYED_KEYS = (P_REPEAT, P_LEG, P_ROUND, P_MATCH)


class Matches(NamedTuple):
    """The matches of a table of them: the index of each one's first row, and how many rows it has."""

    starts: Cells
    sizes: Cells


def check_shapes(layout: TournamentLayout, cells: Tables) -> None:
    """Raise StoreError unless each table is int64 in C order and as wide as it should be."""
    for table in TABLES:
        check_shape(table, cells[table], len(layout.columns(table)))


def check_cells(layout: TournamentLayout, span: Span, cells: Tables) -> Matches:
    """Raise StoreError, in one sentence, unless the tables are what `span` holds and agree with each other.

    `cells` has an int64 array for each of `layout.TABLES`, of no columns where the layout has no table rounds. Rows are
    in ascending order: standings of repeat, leg and entrant as listed; matches of repeat, leg, round, match and seat;
    played, games, seats and rounds of game, and that of repeat, leg, round and match. Checked are order, completeness,
    types, ranks and places; that a match's entrants sat in its games, and that their win shares, and the sums of their
    matches in the standings, add up. Returns where the matches are.
    """
    check_shapes(layout, cells)
    for table in layout.tables:
        check_ranges(table, layout.columns(table), cells[table])
    matches = _checked_matches(span, cells["matches"])
    _check_standings(layout, span, cells["standings"])
    _check_played(cells, matches)
    _check_seats(layout, cells, matches)
    if span.unit == REPEATS:
        _check_totals(layout, span, cells, matches)
    return matches


def content_hash(layout: TournamentLayout, cells: Tables) -> int:
    """Return the sum mod 2^128 of a 128-bit hash of each row of each table, keyed by the table's place in `TABLES`.

    A row says itself which it is, so that sums of parts are the sum of the whole, however a tournament is cut.
    """
    total = 0
    for number, table in enumerate(TABLES):
        if table in layout.tables and len(cells[table]):
            total += keyed_hash([cells[table]], np.full(len(cells[table]), number, dtype=np.int64))
    return total % HASH_MODULUS


def blocks(span: Span, cells: Tables, words: int) -> Iterator[tuple[Span, dict[str, Cells]]]:
    """Cut a part of whole tournaments into blocks of about so many cells; parts of other kinds stay as they are."""
    whole = sum(table.size for table in cells.values())
    step = max(1, int(span.count * words / max(1, whole)))
    if span.unit != REPEATS or step >= span.count:
        yield span, dict(cells)
        return
    firsts = np.arange(0, span.count, step)
    repeats = span.first + firsts
    per_repeat = len(cells["standings"]) // span.count
    played = np.searchsorted(cells["played"][:, P_REPEAT], repeats)
    # What is out of order is cut somehow: each block is checked, and together they are all there is.
    numbers = np.append(cells["played"][:, P_GAME], np.iinfo(np.int64).max)[played]
    cuts = {
        "standings": firsts * per_repeat,
        "matches": np.searchsorted(cells["matches"][:, M_REPEAT], repeats),
        "played": played,
        "games": np.minimum(played, len(cells["games"])),
        "seats": np.searchsorted(cells["seats"][:, SEAT_GAME], numbers),
        "rounds": np.searchsorted(cells["rounds"][:, ROUND_GAME], numbers) if cells["rounds"].size else firsts * 0,
    }
    bounds = {table: [0, *np.maximum.accumulate(cut)[1:].tolist(), len(cells[table])] for table, cut in cuts.items()}
    counts = np.diff(np.append(firsts, span.count)).tolist()
    for index, (first, count) in enumerate(zip(repeats.tolist(), counts, strict=True)):
        block = {table: cells[table][slice(*bounds[table][index : index + 2])] for table in TABLES}
        yield Span(REPEATS, first, count), block


def totals(group: Cells, values: Cells, size: int) -> Cells:
    """Return the exact sum of the values of each group 0 .. size - 1."""
    peak = max(int(values.max(initial=0)), -int(values.min(initial=0)))
    if peak * len(values) < 2**53:
        # Every sum on the way is a whole number that float64 holds; this is ten times as fast.
        return np.bincount(group, weights=values, minlength=size).astype(np.int64)
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, group, values)
    return total


def positions(sizes: Cells) -> Cells:
    """Return 0, 1, ... size - 1 for each size, one after the other."""
    return np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _in_order(rows: Cells, keys: Sequence[int]) -> tuple[bool, Flags]:
    """Return whether rows never descend by those columns, and for each whether it differs from the one before."""
    is_less = np.zeros(max(0, len(rows) - 1), dtype=bool)
    is_equal = np.ones_like(is_less)
    for key in keys:
        before, after = rows[:-1, key], rows[1:, key]
        is_less |= is_equal & (after < before)
        is_equal &= after == before
    return not is_less.any(), np.concatenate((np.ones(min(1, len(rows)), dtype=bool), ~is_equal))


def _checked_matches(span: Span, rows: Cells) -> Matches:
    """Return where the matches are, or raise StoreError unless they are the part's, whole, and ranked."""
    is_ordered, is_first = _in_order(rows, MATCH_KEYS)
    starts = np.flatnonzero(is_first)
    sizes = np.diff(np.append(starts, len(rows)))
    if not is_ordered or (rows[:, M_SEAT] < 0).any() or (np.diff(rows[:, M_SEAT])[~is_first[1:]] <= 0).any():
        raise StoreError("The rows of table matches are not in the order of repeat, leg, round, match and seat.")
    _check_span(span, rows)
    if (sizes > MOST_SEATS).any():
        raise StoreError(f"A match has {int(sizes.max())} entrants; the most are {MOST_SEATS}.")
    _check_places(rows, Matches(starts, sizes))
    one = rows[starts]
    for column, name in ((M_GAMES, "games"), (M_DECIDED, "decided")):
        if (rows[:, column] != np.repeat(one[:, column], sizes)).any():
            raise StoreError(f"Table matches, column '{name}': the rows of a match differ.")
    is_bye = one[:, M_DECIDED] == BYE
    if (is_bye != (sizes == 1)).any() or (is_bye != (one[:, M_GAMES] == 0)).any() or (one[:, M_GAMES] < 0).any():
        raise StoreError("In table matches a bye has one entrant and no games, and every other match more of both.")
    if (sizes[one[:, M_DECIDED] == LOT] != 2).any():
        raise StoreError("In table matches a match between others than two was decided by lot.")
    return Matches(starts, sizes)


def _check_span(span: Span, rows: Cells) -> None:
    """Raise StoreError unless all matches are of the part."""
    if span.unit == STANDINGS:
        if len(rows):
            raise StoreError("Matches came with the standings of a tournament that is spread over parts.")
        return
    key, extra = (M_REPEAT, ()) if span.unit == REPEATS else (M_MATCH, ((M_REPEAT, 0), (M_ROUND, span.round)))
    numbers = rows[:, key]
    is_within = (numbers >= span.first).all() and (numbers < span.first + span.count).all()
    if not is_within or any((rows[:, column] != value).any() for column, value in extra):
        raise StoreError(f"Table matches has a match that is not of {span}.")
    if (rows[:, [M_ROUND, M_MATCH]] < 1).any():
        raise StoreError("In table matches rounds and matches are numbered from 1.")


def _check_places(rows: Cells, matches: Matches) -> None:
    """Raise StoreError unless nobody sits twice in a match and the places are 1, 1, 3, ..."""
    of_match = np.repeat(np.arange(len(matches.starts)), matches.sizes)
    seated = np.sort(of_match * (int(rows[:, M_ENTRANT].max(initial=0)) + 1) + rows[:, M_ENTRANT])
    if (np.diff(seated) == 0).any():
        raise StoreError("In table matches an entrant is in a match twice.")
    ordered = rows[np.lexsort((rows[:, M_PLACE], of_match)), M_PLACE]
    if not _are_ranks(ordered, positions(matches.sizes)):
        raise StoreError("In table matches the places of a match are not 1, 1, 3 and so on.")


def _are_ranks(ordered: Cells, position: Cells) -> bool:
    """Whether sorted ranks are one more than how many are better, each group's being at positions 0, 1, ..."""
    is_new = ordered == position + 1
    before = np.concatenate((ordered[:1] - 1, ordered[:-1]))
    return bool((is_new | ((position > 0) & (ordered == before))).all())


def _check_standings(layout: TournamentLayout, span: Span, rows: Cells) -> None:
    """Raise StoreError unless there is a row for each repeat, leg and entrant of the part, and all are ranked."""
    legs, entrants = len(layout.legs), len(layout.entrants)
    repeats = 0 if span.unit == MATCHES else span.count
    if len(rows) != repeats * legs * entrants:
        raise StoreError(
            f"{len(rows)} rows of standings came for {span}; due are {repeats} × {legs} legs × {entrants} entrants."
        )
    shape = (repeats, legs, entrants)
    given = rows.reshape(*shape, rows.shape[1])
    numbers = (
        np.arange(span.first, span.first + repeats)[:, None, None],
        np.arange(legs)[:, None],
        np.arange(entrants),
    )
    for column, number in zip((S_REPEAT, S_LEG, S_ENTRANT), numbers, strict=True):
        if (given[..., column] != number).any():
            raise StoreError("The rows of table standings are not in the order of repeat, leg and entrant.")
    ordered = np.sort(given[..., S_RANK], axis=2).ravel()
    if not _are_ranks(ordered, np.tile(np.arange(entrants), repeats * legs)):
        raise StoreError("In table standings the ranks of a tournament are not 1, 1, 3 and so on.")


def _check_played(cells: Tables, matches: Matches) -> None:
    """Raise StoreError unless played and games have the same games, and each match as many as it says."""
    played, games = cells["played"], cells["games"]
    if len(played) != len(games) or (played[:, P_GAME] != games[:, GAME]).any():
        raise StoreError("The tables played and games do not have the same games.")
    is_ordered, is_first = _in_order(played, PLAYED_KEYS)
    if not is_ordered or (np.diff(played[:, P_GAME]) <= 0).any() or (played[:1, P_GAME] < 0).any():
        raise StoreError("The rows of table played are not in the order of game, repeat, leg, round and match.")
    starts = np.flatnonzero(is_first)
    one = cells["matches"][matches.starts[matches.sizes > 1]]
    counts = np.diff(np.append(starts, len(played)))
    if len(starts) != len(one) or any(
        (played[starts, p] != one[:, m]).any() for p, m in zip(PLAYED_KEYS, MATCH_KEYS, strict=True)
    ):
        raise StoreError("Table played has games of other matches than those of table matches.")
    if (counts != one[:, M_GAMES]).any():
        raise StoreError("Table played has not as many games of each match as table matches says.")
    if (games[:, [DEAL, ROTATION]] < 0).any():
        raise StoreError("In table games deals and rotations are numbered from 0.")


def _check_seats(layout: TournamentLayout, cells: Tables, matches: Matches) -> None:
    """Raise StoreError unless the entrants of each match sat in its games, and its wins are the sum of their shares.

    In games for one each entrant of a match has as many as any other; who wins one is no business of the game's.
    """
    rows, seats, games = cells["matches"], cells["seats"], cells["games"]
    is_played = matches.sizes > 1
    starts, sizes = matches.starts[is_played], matches.sizes[is_played]
    counts = rows[starts, M_GAMES]
    match = np.repeat(np.arange(len(starts)), counts)
    held = np.ones_like(match) if layout.is_alone else sizes[match]
    position = positions(held)
    if len(seats) != len(position) or (
        (seats[:, SEAT_GAME] != np.repeat(games[:, GAME], held)).any() or (seats[:, SEAT] != position).any()
    ):
        raise StoreError("The rows of table seats are not those of the games' seats in the order of game and seat.")
    # Who sits together: in a game, or in all games of a match for those who play alone.
    of_match = np.repeat(np.arange(len(matches.starts)), matches.sizes)
    by_entrant = _by_entrant(layout, of_match, rows[:, M_ENTRANT])
    together = match if layout.is_alone else np.repeat(np.arange(len(games)), held)
    found = _by_entrant(layout, together, seats[:, ENTRANT])
    if layout.is_alone:
        due = by_entrant[starts[match] + positions(counts) * sizes[match] // counts[match]]
    else:
        due = by_entrant[np.repeat(starts[match], held) + position]
    if (seats[found, ENTRANT] != rows[due, M_ENTRANT]).any():
        raise StoreError("In table seats others sit in a game than its match has.")
    if not layout.is_alone and (totals(due, seats[found, WIN_SHARE], len(rows)) != rows[:, M_WINS]).any():
        raise StoreError("Table matches, column 'wins': it is not the sum of the win shares of the match's games.")
    _check_rounds(layout, cells, held)


def _by_entrant(layout: TournamentLayout, group: Cells, entrant: Cells) -> NDArray[np.intp]:
    """Return the order of rows by group, which they are in already, and entrant."""
    # What "stable" means here is quick with rows that are nearly in order.
    return np.argsort(group * len(layout.entrants) + entrant, kind="stable")


def _check_rounds(layout: TournamentLayout, cells: Tables, held: Cells) -> None:
    """Raise StoreError unless each game has its rounds for each seat, in the order of game, round and seat."""
    rounds = cells["rounds"]
    if not layout.round_columns:
        return
    per_game = held * np.array([leg.rounds for leg in layout.legs])[cells["played"][:, P_LEG]]
    # Each round of a game is a run of its seats.
    count = np.repeat(held, per_game // held)
    if (
        len(rounds) != int(per_game.sum())
        or (rounds[:, ROUND_GAME] != np.repeat(cells["games"][:, GAME], per_game)).any()
        or (rounds[:, ROUND] != np.repeat(positions(per_game // held) + 1, count)).any()
        or (rounds[:, ROUND_SEAT] != positions(count)).any()
    ):
        raise StoreError("The rows of table rounds are not those of the games' rounds and seats in their order.")


def _check_totals(layout: TournamentLayout, span: Span, cells: Tables, matches: Matches) -> None:
    """Raise StoreError unless the sums over an entrant's matches are what the standings say."""
    rows, standings = cells["matches"], cells["standings"]
    row = ((rows[:, M_REPEAT] - span.first) * len(layout.legs) + rows[:, M_LEG]) * len(layout.entrants)
    row += rows[:, M_ENTRANT]
    is_played = np.repeat(matches.sizes > 1, matches.sizes)
    for column, values in (
        (S_MATCHES, is_played.astype(np.int64)),
        (S_GAMES, rows[:, M_GAMES]),
        (S_POINTS, rows[:, M_POINTS]),
        (S_MARKS, rows[:, M_MARKS]),
        (S_WINS, rows[:, M_WINS]),
    ):
        if (totals(row, values, len(standings)) != standings[:, column]).any():
            name = layout.columns("standings")[column].name
            raise StoreError(f"Table standings, column '{name}': it is not the sum over the entrant's matches.")


def spans_joined(spans: Sequence[Sequence[int | str]]) -> list[list[int | str]]:
    """Return [unit, round, first, count] of several parts in order, neighbours joined. Raises StoreError on overlap."""
    joined: list[list[int | str]] = []
    for unit, number, first, count in sorted(spans, key=tuple):
        last = joined[-1] if joined else None
        end = int(last[2]) + int(last[3]) if last and last[:2] == [unit, number] else -1
        if int(first) < end:
            what = Span(str(unit), int(first), 1, int(number))
            raise StoreError(f"Of {what} there are two among the parts that are to be summed.")
        if last and int(first) == end:
            last[3] = int(last[3]) + int(count)
        else:
            joined.append([unit, number, first, count])
    return joined
