"""The Swiss system: in every round those meet who stand alike, nobody the same one twice."""

from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from msgspec import Meta

from sim.chance import PURPOSE_TOURNAMENT, event_key, word_at
from sim.compiled import entry, kernel
from sim.errors import SpecError
from sim.tournament.allplay import Ranking, Scored, circle_round
from sim.tournament.draw import DRAW_PLAN
from sim.tournament.format import Seeding, ordered
from sim.tournament.history import EMPTY, History, Tables, Whole
from sim.tournament.matching import Graph, make_graph, match_all
from sim.tournament.standings import Criteria, Criterion

Flags = npt.NDArray[np.bool_]

SWISS_RANKING: tuple[Criterion, ...] = (
    "league_points",
    "buchholz_cut",
    "buchholz",
    "sonneborn_berger",
    "direct",
    "points",
    "marks",
)

# Up to half of the rounds of a round robin a pairing can always be found: what is left of all pairs has, at every
# vertex, half of the others or more, so it has a Hamiltonian cycle (Dirac 1952). Beyond that a pairing may leave a rest
# that cannot be paired to the end. Up to this many entrants a rest is searched for its rounds.
SEARCHED = 32
_TRIES = 4
_FLOAT_CAP = 31  # a pair further apart in score groups counts as this far
_BYE_CAP = 255


@kernel
def _weigh(g: Graph, n: int, standing: Whole, score: Whole, met: Flags, is_folded: int) -> None:
    """Write the weights of all pairs that have not met: three costs, each heavier than all of the next together.

    First the bye goes to the lowest score group, then the squares of the distances of paired score groups are few,
    then within a group its halves meet in order (`is_folded`) or neighbours do; a floater is the lowest of his group
    and meets the highest of the other. The bye is the vertex after the last entrant, where their number is odd.
    """
    count = len(standing)
    group, at = np.zeros(n, np.int64), np.zeros(n, np.int64)
    size = np.zeros(n + 1, np.int64)
    groups = np.int64(0)
    for i in range(count):
        if i > 0 and score[standing[i]] != score[standing[i - 1]]:
            groups += 1
        group[standing[i]], at[standing[i]] = groups, size[groups]
        size[groups] += 1
    float_unit = np.int64(n) ** 3 + 1
    bye_unit = (n // 2 * _FLOAT_CAP**2 + 1) * float_unit
    most = bye_unit * (_BYE_CAP + 1)
    for a in range(n):
        for b in range(a):
            if met[a, b]:
                weight = np.int64(0)
            elif a == count:
                weight = most - bye_unit * min(groups - group[b], _BYE_CAP) - (size[group[b]] - 1 - at[b])
            else:
                high, low = (a, b) if group[a] < group[b] else (b, a)
                apart = min(group[low] - group[high], _FLOAT_CAP)
                if apart > 0:
                    order = (size[group[high]] - 1 - at[high]) ** 2 + at[low] ** 2
                else:
                    order = (abs(at[a] - at[b]) - (size[group[a]] // 2 if is_folded else 1)) ** 2
                weight = most - apart**2 * float_unit - order
            g.weight[a + 1, b + 1] = weight
            g.weight[b + 1, a + 1] = weight


@kernel
def _searched(g: Graph, n: int, met: Flags, rounds: int, key: np.uint64, plan: Whole) -> bool:
    """Search so many rounds of pairs that have not met into the first rows of `plan`; say whether they were found."""
    left = np.zeros((n, n), np.bool_)
    drawn = 0
    for _ in range(_TRIES):
        for a in range(n):
            for b in range(n):
                left[a, b] = not met[a, b]
        found = 0
        while found < rounds:
            for a in range(n):
                for b in range(a):
                    drawn += 1
                    weight = np.int64(word_at(key, drawn) >> np.uint64(48)) + 1 if left[a, b] else np.int64(0)
                    g.weight[a + 1, b + 1] = weight
                    g.weight[b + 1, a + 1] = weight
            if not match_all(g, n):
                break
            for a in range(n):
                b = g.mate[a + 1] - 1
                plan[found, a] = b
                left[a, b] = False
            found += 1
        if found == rounds:
            return True
    return False


@kernel
def _planned(
    g: Graph,
    n: int,
    mates: Whole,
    played: int,
    rounds: int,
    key: np.uint64,
    robin: Whole,
    plan: Whole,
) -> np.int64:
    """Write pairings that can follow one another to the end into the first rows of `plan`; give how many there are.

    Going back from the last round, one is looked for after which a search found the rest; since then all pairings came
    out of that rest. Without any, all came out of the round robin.
    """
    met = np.zeros((n, n), np.bool_)
    after = np.int64(played) if n <= SEARCHED else np.int64(0)
    while after > 0:
        met[:] = False
        for a in range(n):
            met[a, a] = True
        for number in range(after):
            for a in range(n):
                if mates[number, a] >= 0:
                    met[a, mates[number, a]] = True
        if _searched(g, n, met, rounds - after, word_at(key, after), plan):
            break
        after -= 1
    count = rounds - after
    if after == 0:
        for row in range(rounds):
            for a in range(n):
                plan[row, a] = robin[row, a]
    for number in range(after, played):
        count = _take_out(n, mates[number], plan, count)
    return count


@kernel
def _take_out(n: int, mates: Whole, plan: Whole, count: np.int64) -> np.int64:
    """Take a pairing that has been played out of the `count` rows of a plan; give how many are left."""
    for row in range(count):
        is_same = True
        for a in range(n):
            is_same = is_same and plan[row, a] == mates[a]
        if is_same:
            for a in range(n):
                plan[row, a] = plan[count - 1, a]
            return count - 1
    return count


@kernel
def _choose(
    g: Graph,
    n: int,
    met: Flags,
    mates: Whole,
    played: int,
    rounds: int,
    key: np.uint64,
    robin: Whole,
    plan: Whole,
    chosen: Whole,
) -> bool:
    """Choose each entrant's mate, the weights being written, so that the rounds that follow can be paired too."""
    if not match_all(g, n):
        return False
    for a in range(n):
        chosen[a] = g.mate[a + 1] - 1
    left = rounds - played - 1
    if 2 * rounds <= n or left == 0:
        return True
    weight = np.zeros((n, n), np.int64)
    for a in range(n):
        for b in range(n):
            weight[a, b] = g.weight[a + 1, b + 1]
        met[a, chosen[a]] = True
    if n <= SEARCHED and _searched(g, n, met, left, word_at(key, played + 1), plan):
        return True
    options = _planned(g, n, mates, played, rounds, key, robin, plan)
    best = -1.0
    for option in range(options):
        total = 0.0
        for a in range(n):
            total += weight[a, plan[option, a]]
        if total > best:
            best = total
            for a in range(n):
                chosen[a] = plan[option, a]
    return options == rounds - played  # type: ignore[no-any-return]


@kernel
def _read(earlier: Tables, n: int, met: Flags, firsts: Whole, mates: Whole) -> None:
    """Read who has met whom, and how often each sat first, out of the tables of one repeat, (rounds, matches, 2)."""
    met[:] = False
    firsts[:] = 0
    mates[:] = -1
    for a in range(n):
        met[a, a] = True
    for number in range(len(earlier)):
        for match in range(earlier.shape[1]):
            a, b = earlier[number, match, 0], earlier[number, match, 1]
            if a < 0 and b < 0:
                continue
            if a >= 0 and b >= 0:
                firsts[a] += 1
            # Nobody is -1, and the last vertex is the bye.
            met[a, b], met[b, a] = True, True
            mates[number, a], mates[number, b] = b % n, a % n


@kernel
def _write(standing: Whole, chosen: Whole, firsts: Whole, played: int, tables: Tables) -> None:
    """Write the pairs as tables, best placed first and the bye last; who sat first less often sits first."""
    count = len(standing)
    place = np.zeros(count + 1, np.int64)
    for i in range(count):
        place[standing[i]] = i
    place[count] = count
    match = 0
    for i in range(count):
        a = standing[i]
        b = chosen[a]
        if place[b] < i:
            continue
        if b == count:
            tables[len(tables) - 1, 0] = a
            continue
        is_turned = firsts[a] > firsts[b] or (firsts[a] == firsts[b] and (played + match) % 2 == 1)
        tables[match, 0], tables[match, 1] = (b, a) if is_turned else (a, b)
        match += 1


@entry
def _pair(
    g: Graph,
    keys: npt.NDArray[np.uint64],
    orders: Whole,
    standings: Whole,
    scores: Whole,
    earlier: Tables,
    rounds: int,
    is_folded: int,
    robin: Whole,
    tables: Tables,
) -> int:
    """Pair the next round of each repeat; give the first repeat for which there is no pairing, else -1.

    `orders` are the entrants by pairing number, `standings` by score and then by that, `earlier` the tables of the
    rounds before, (repeats, rounds, matches, 2), `robin` a round robin of pairing numbers as rows of mates.
    """
    count = standings.shape[1]
    n = count + count % 2
    played = earlier.shape[1]
    mates, own = np.zeros((played, n), np.int64), np.zeros((rounds, n), np.int64)
    met, firsts = np.zeros((n, n), np.bool_), np.zeros(n, np.int64)
    plan, chosen = np.zeros((rounds, n), np.int64), np.zeros(n, np.int64)
    entrant = np.zeros(n, np.int64)
    entrant[n - 1] = n - 1
    for row in range(len(standings)):
        _read(earlier[row], n, met, firsts, mates)
        for number in range(count):
            entrant[number] = orders[row, number]
        for number in range(rounds):
            for a in range(n):
                own[number, entrant[a]] = entrant[robin[number, a]]
        _weigh(g, n, standings[row], scores[row], met, is_folded)
        key = event_key(keys[row], PURPOSE_TOURNAMENT, DRAW_PLAN << 32)
        if not _choose(g, n, met, mates, played, rounds, key, own, plan, chosen):
            return row
        _write(standings[row], chosen, firsts, played, tables[row])
    return -1


def _robin(n: int, rounds: int) -> Whole:
    """Give a round robin of an even number as rows of mates."""
    mates = np.zeros((rounds, n), np.int64)
    for number in range(rounds):
        first, second = circle_round(n, number).T
        mates[number, first], mates[number, second] = second, first
    return mates


class Swiss(Scored, frozen=True, tag="swiss"):
    """Swiss system: each round pairs entrants of like scores who have not met; nobody has two byes.

    The pairing is the best of all by three rules, each before the next: the bye (a win) goes to the lowest score group;
    the distances of paired score groups, squared and summed, are the least; in a group the upper half meets the lower
    one in order (`fold`) or neighbours meet (`adjacent`), by pairing numbers, which are drawn or follow the seeding.
    It is no FIDE system: those settle one score group after the other, and balance colours.
    """

    rounds: Annotated[int, Meta(ge=0, le=999, description="rounds; 0: as many as a knockout would have")] = 0
    seeding: Seeding = "drawn"
    pairing: Annotated[
        Literal["fold", "adjacent"], Meta(description="who meets in a score group: its halves in order, or neighbours")
    ] = "fold"
    ranking: Ranking = SWISS_RANKING

    def check(self, entrants: int) -> None:
        """Check the settings for so many entrants; see `Format.check`."""
        super().check(entrants)
        most = entrants - 1 + entrants % 2
        if self.rounds > most:
            raise SpecError(
                f"Option 'rounds' is {self.rounds}; allowed with {entrants} entrants: 1 to {most}, so that nobody "
                "meets the same one twice."
            )

    def rounds_for(self, entrants: int) -> int:
        """Count the rounds with so many entrants."""
        return self.rounds or (entrants - 1).bit_length()

    def matches_for(self, entrants: int) -> int:
        """Count the matches with so many entrants."""
        return self.rounds_for(entrants) * (entrants // 2)

    def widths_for(self, entrants: int) -> tuple[int, ...]:
        """Count the matches of each round with so many entrants, a bye included."""
        return ((entrants + 1) // 2,) * self.rounds_for(entrants)

    def pair(self, history: History) -> Tables:
        """Give the tables of the next round, best placed first, a bye last; who sat first less often sits first.

        Up to n/2 rounds any pairing leaves one for the next round. With more of them, a rest is searched that can be
        paired to the end; where none is found (always with more than 32 entrants), the round is the best fitting one
        of those that are left of an earlier search or of a round robin.

        Raises
        ------
        SpecError
            If nobody can be paired without a second meeting: only where the rounds so far were not paired here.
        """
        entrants, repeats = history.entrants, history.repeats
        n, rounds = entrants + entrants % 2, self.rounds_for(entrants)
        orders = ordered(history, self.seeding)
        numbers = np.argsort(orders, axis=1)
        scores = Criteria(history, self.award).score()
        standings = np.lexsort((numbers, -scores), axis=1)
        earlier = np.full((repeats, len(history.rounds), n // 2, 2), EMPTY, np.int32)
        for number, played in enumerate(history.rounds):
            earlier[:, number, : played.tables.shape[1]] = played.tables
        tables = np.full((repeats, n // 2, 2), EMPTY, np.int32)
        robin = _robin(n, rounds)
        is_folded = int(self.pairing == "fold")
        with np.errstate(over="ignore"):
            wrong = _pair(
                make_graph(n),
                history.draw.keys,
                np.ascontiguousarray(orders),
                standings,
                scores,
                earlier,
                rounds,
                is_folded,
                robin,
                tables,
            )
        if wrong >= 0:
            raise SpecError(
                f"Round {len(history.rounds) + 1}, repeat {wrong} of the batch: no pairing is left in which nobody "
                "meets the same one twice."
            )
        return tables
