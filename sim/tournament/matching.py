"""The heaviest perfect matching of a graph, compiled: Edmonds' blossoms with dual variables.

After Galil, "Efficient algorithms for finding maximum matching in graphs", ACM Computing Surveys 18, 1986, in time
O(n**3) on a full matrix of weights. It departs from the general problem in one thing: only perfect matchings count, so
dual variables may become negative.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import kernel

_NEVER = 1 << 62
_HEAD, _TAIL, _TOP, _STAMP = range(4)


class Graph(NamedTuple):
    """A graph of n vertices and the scratch of one matching.

    Vertices are 1 .. n, blossoms n+1 .. 3n/2, and 0 is nobody. An edge between two of them is the tightest one of their
    vertices: `start[a, b]` and `end[a, b]`, with weight `weight[a, b]` (0: no edge). `mate` is the result.
    """

    weight: npt.NDArray[np.int64]
    start: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]
    mate: npt.NDArray[np.int32]
    label: npt.NDArray[np.int64]  # the dual variables, doubled
    slack: npt.NDArray[np.int32]  # the vertex with the tightest edge to it from an outer end of a tree
    outer: npt.NDArray[np.int32]  # the blossom that holds it and is held by none; 0: not in use
    parent: npt.NDArray[np.int32]  # the vertex by which a tree reached it
    side: npt.NDArray[np.int32]  # 0: outer end of an alternating tree, 1: inner, -1: not reached
    seen: npt.NDArray[np.int64]
    ring: npt.NDArray[np.int32]  # ring[b - n]: what a blossom is made of, around its odd ring, its base first
    length: npt.NDArray[np.int32]
    part: npt.NDArray[np.int32]  # part[b, v]: which of the ring of b holds the vertex v, 0 if none
    queue: npt.NDArray[np.int32]
    stack: npt.NDArray[np.int32]
    counters: npt.NDArray[np.int64]  # head and tail of the queue, highest blossom, stamp of `seen`


def make_graph(n: int) -> Graph:
    """Make room for a graph of n vertices (an even number)."""
    size = n + n // 2 + 2
    small: Any = np.int32
    square = (size, size)
    return Graph(
        weight=np.zeros(square, np.int64),
        start=np.zeros(square, small),
        end=np.zeros(square, small),
        mate=np.zeros(size, small),
        label=np.zeros(size, np.int64),
        slack=np.zeros(size, small),
        outer=np.zeros(size, small),
        parent=np.zeros(size, small),
        side=np.zeros(size, small),
        seen=np.zeros(size, np.int64),
        ring=np.zeros((size - n, n + 2), small),
        length=np.zeros(size, small),
        part=np.zeros((size, n + 1), small),
        queue=np.zeros(4 * size, small),
        stack=np.zeros(4 * size, small),
        counters=np.zeros(4, np.int64),
    )


@kernel
def _gap(g: Graph, a: int, b: int) -> int:
    """Give how far the edge between two vertices or blossoms is from being tight."""
    u, v = g.start[a, b], g.end[a, b]
    return g.label[u] + g.label[v] - 2 * g.weight[u, v]  # type: ignore[no-any-return]


@kernel
def _offer_slack(g: Graph, u: int, x: int) -> None:
    """Note the edge from vertex u to x if it is the tightest so far."""
    if g.slack[x] == 0 or _gap(g, u, x) < _gap(g, g.slack[x], x):
        g.slack[x] = u


@kernel
def _find_slack(g: Graph, n: int, x: int) -> None:
    """Find the tightest edge to x from an outer end of a tree."""
    g.slack[x] = 0
    for u in range(1, n + 1):
        if g.weight[u, x] > 0 and g.outer[u] != x and g.side[g.outer[u]] == 0:
            _offer_slack(g, u, x)


@kernel
def _spread(g: Graph, n: int, x: int, holder: int) -> None:
    """Go through all that x is made of: set its holder, or queue its vertices where `holder` is 0."""
    g.stack[0] = x
    height = 1
    while height > 0:
        height -= 1
        y = g.stack[height]
        if holder > 0:
            g.outer[y] = holder
        elif y <= n:
            g.queue[g.counters[_TAIL]] = y
            g.counters[_TAIL] += 1
        if y > n:
            for i in range(g.length[y]):
                g.stack[height] = g.ring[y - n, i]
                height += 1


@kernel
def _reverse(ring: npt.NDArray[np.int32], first: int, last: int) -> None:
    """Reverse the entries first .. last of a ring."""
    while first < last:
        ring[first], ring[last] = ring[last], ring[first]
        first += 1
        last -= 1


@kernel
def _turn(g: Graph, n: int, b: int, x: int) -> int:
    """Give an even position of x in the ring of b, which is turned around where it was odd."""
    ring, length = g.ring[b - n], g.length[b]
    at = 0
    while ring[at] != x:
        at += 1
    if at % 2 == 0:
        return at
    _reverse(ring, 1, length - 1)
    return length - at  # type: ignore[no-any-return]


@kernel
def _set_mate(g: Graph, n: int, a: int, b: int) -> None:
    """Match a to b by the edge between them, and within a, if it is a blossom, all others in pairs."""
    g.stack[0], g.stack[1] = a, b
    height = 2
    while height > 0:
        height -= 2
        u, v = g.stack[height], g.stack[height + 1]
        g.mate[u] = g.end[u, v]
        if u > n:
            base = g.part[u, g.start[u, v]]
            at = _turn(g, n, u, base)
            ring, length = g.ring[u - n], g.length[u]
            for i in range(at):
                g.stack[height], g.stack[height + 1] = ring[i], ring[i ^ 1]
                height += 2
            g.stack[height], g.stack[height + 1] = base, v
            height += 2
            # Turn the ring so that the base comes first: by reversing both parts, then all.
            _reverse(ring, 0, at - 1)
            _reverse(ring, at, length - 1)
            _reverse(ring, 0, length - 1)


@kernel
def _augment(g: Graph, n: int, u: int, v: int) -> None:
    """Match u to v and turn around the path from u to the root of its tree."""
    while True:
        old = g.outer[g.mate[u]]
        _set_mate(g, n, u, v)
        if old == 0:
            return
        _set_mate(g, n, old, g.outer[g.parent[old]])
        u, v = g.outer[g.parent[old]], old


@kernel
def _meeting(g: Graph, u: int, v: int) -> int:
    """Give where the paths of u and v to their roots meet, 0 if they have different roots."""
    g.counters[_STAMP] += 1
    while u != 0 or v != 0:
        if u != 0:
            if g.seen[u] == g.counters[_STAMP]:
                return u
            g.seen[u] = g.counters[_STAMP]
            u = g.outer[g.mate[u]]
            if u != 0:
                u = g.outer[g.parent[u]]
        u, v = v, u
    return 0


@kernel
def _climb(g: Graph, n: int, b: int, x: int, meeting: int) -> None:
    """Add the path from x up to where it meets the other one to the ring of blossom b."""
    while x != meeting:
        inner = g.outer[g.mate[x]]
        g.ring[b - n, g.length[b]], g.ring[b - n, g.length[b] + 1] = x, inner
        g.length[b] += 2
        _spread(g, n, inner, 0)
        x = g.outer[g.parent[inner]]


@kernel
def _shrink(g: Graph, n: int, u: int, meeting: int, v: int) -> None:
    """Make a blossom of the odd ring that an edge between u and v closes."""
    b = n + 1
    while b <= g.counters[_TOP] and g.outer[b] != 0:
        b += 1
    if b > g.counters[_TOP]:
        g.counters[_TOP] = b
    g.label[b], g.side[b], g.mate[b] = 0, 0, g.mate[meeting]
    g.ring[b - n, 0], g.length[b] = meeting, 1
    _climb(g, n, b, u, meeting)
    _reverse(g.ring[b - n], 1, g.length[b] - 1)
    _climb(g, n, b, v, meeting)
    _spread(g, n, b, b)
    top = g.counters[_TOP]
    for x in range(1, top + 1):
        g.weight[b, x] = 0
        g.weight[x, b] = 0
    for x in range(1, n + 1):
        g.part[b, x] = 0
    for i in range(g.length[b]):
        y = g.ring[b - n, i]
        for x in range(1, top + 1):
            if g.weight[y, x] > 0 and (g.weight[b, x] == 0 or _gap(g, y, x) < _gap(g, b, x)):
                g.weight[b, x], g.start[b, x], g.end[b, x] = g.weight[y, x], g.start[y, x], g.end[y, x]
                g.weight[x, b], g.start[x, b], g.end[x, b] = g.weight[x, y], g.start[x, y], g.end[x, y]
        for x in range(1, n + 1):
            if g.part[y, x] != 0:
                g.part[b, x] = y
    _find_slack(g, n, b)


@kernel
def _expand(g: Graph, n: int, b: int) -> None:
    """Take an inner blossom with no dual variable left apart."""
    ring, length = g.ring[b - n], g.length[b]
    for i in range(length):
        _spread(g, n, ring[i], ring[i])
    entry = g.part[b, g.start[b, g.parent[b]]]
    at = _turn(g, n, b, entry)
    for i in range(0, at, 2):
        x, y = ring[i], ring[i + 1]
        g.parent[x] = g.start[y, x]
        g.side[x], g.side[y] = 1, 0
        g.slack[x] = 0
        _find_slack(g, n, y)
        _spread(g, n, y, 0)
    g.side[entry], g.parent[entry] = 1, g.parent[b]
    for i in range(at + 1, length):
        g.side[ring[i]] = -1
        _find_slack(g, n, ring[i])
    g.outer[b] = 0


@kernel
def _follow(g: Graph, n: int, a: int, b: int) -> bool:
    """Follow a tight edge out of a tree: grow the tree, shrink a blossom, or augment; say whether it augmented."""
    from_vertex = g.start[a, b]
    u, v = g.outer[from_vertex], g.outer[g.end[a, b]]
    if g.side[v] == -1:
        g.parent[v], g.side[v] = from_vertex, 1
        w = g.outer[g.mate[v]]
        g.slack[v], g.slack[w] = 0, 0
        g.side[w] = 0
        _spread(g, n, w, 0)
    elif g.side[v] == 0:
        meeting = _meeting(g, u, v)
        if meeting == 0:
            _augment(g, n, u, v)
            _augment(g, n, v, u)
            return True
        _shrink(g, n, u, meeting, v)
    return False


@kernel
def _scan(g: Graph, n: int) -> bool:
    """Follow the tight edges of all queued vertices; say whether one augmented."""
    while g.counters[_HEAD] < g.counters[_TAIL]:
        u = g.queue[g.counters[_HEAD]]
        g.counters[_HEAD] += 1
        if g.side[g.outer[u]] == 1:
            continue
        for v in range(1, n + 1):
            if g.weight[u, v] > 0 and g.outer[u] != g.outer[v]:
                if _gap(g, u, v) == 0:
                    if _follow(g, n, u, v):
                        return True
                else:
                    _offer_slack(g, u, g.outer[v])
    return False


@kernel
def _change(g: Graph, n: int) -> int:
    """Give by how much dual variables can change until an edge becomes tight or a blossom is used up."""
    change = _NEVER
    for x in range(1, g.counters[_TOP] + 1):
        if g.outer[x] == x:
            if x > n and g.side[x] == 1:
                change = min(change, g.label[x] // 2)
            if g.slack[x] != 0 and g.side[x] < 1:
                gap = _gap(g, g.slack[x], x)
                change = min(change, gap if g.side[x] == -1 else gap // 2)
    return change


@kernel
def _relabel(g: Graph, n: int, change: int) -> None:
    """Change the dual variables: outer ends pay, inner ones gain, and blossoms twice the other way round."""
    for x in range(1, g.counters[_TOP] + 1):
        side = g.side[g.outer[x]]
        if side != -1 and (x <= n or g.outer[x] == x):
            g.label[x] += (1 if x <= n else -2) * (change if side == 1 else -change)


@kernel
def _grow(g: Graph, n: int) -> bool:
    """Match two more vertices; say whether that could be done."""
    for x in range(1, g.counters[_TOP] + 1):
        g.side[x], g.slack[x] = -1, 0
    g.counters[_HEAD] = g.counters[_TAIL] = 0
    for x in range(1, g.counters[_TOP] + 1):
        if g.outer[x] == x and g.mate[x] == 0:
            g.parent[x], g.side[x] = 0, 0
            _spread(g, n, x, 0)
    while True:
        if _scan(g, n):
            return True
        change = _change(g, n)
        if change == _NEVER:
            return False
        _relabel(g, n, change)
        g.counters[_HEAD] = g.counters[_TAIL] = 0
        for x in range(1, g.counters[_TOP] + 1):
            slack = g.slack[x]
            is_tight = g.outer[x] == x and slack != 0 and g.outer[slack] != x and _gap(g, slack, x) == 0
            if is_tight and _follow(g, n, slack, x):
                return True
        for b in range(n + 1, g.counters[_TOP] + 1):
            if g.outer[b] == b and g.side[b] == 1 and g.label[b] == 0:
                _expand(g, n, b)


@kernel
def match_all(g: Graph, n: int) -> bool:
    """Find the heaviest of the perfect matchings of vertices 1 .. n into `mate`; say whether there is any.

    `weight[u, v]` (symmetric, at most 2**59) is 0 where there is no edge. Modifies all but those weights.
    """
    heaviest = np.int64(0)
    for u in range(1, n + 1):
        for v in range(1, n + 1):
            heaviest = max(heaviest, g.weight[u, v])
            g.start[u, v], g.end[u, v] = u, v
            g.part[u, v] = u if u == v else 0
    g.counters[_TOP] = n
    for x in range(len(g.outer)):
        g.outer[x] = x if x <= n else 0
        g.mate[x], g.length[x], g.parent[x] = 0, 0, 0
        g.label[x] = heaviest
    pairs = 0
    while pairs < n // 2 and _grow(g, n):
        pairs += 1
    return pairs == n // 2
