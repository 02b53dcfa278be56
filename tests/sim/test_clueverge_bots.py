"""Clueverge's bots and what they share: worlds, chances and their calibration, looks planned ahead, partners' code."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from sim.compiled import entry
from sim.games.clueverge import belief, lookahead, signals, worlds
from sim.games.clueverge.spec import CELLS, FLED, TARGETS, face_names
from sim.play import Player, Session
from tests.sim.clueverge_table import boards_like, culprit_of, forced
from tests.sim.stepping import make

FEW: dict[str, Any] = {"case_cards": "random", "open_cards": 11}  # 5 hidden cards: at most 4! * 3 worlds


@entry
def listed(views, seat, samples, key, boards, targets):  # type: ignore[no-untyped-def]
    """List worlds of a view; returns how many."""
    view = views[seat]
    return worlds.list_worlds(view.known, view.scene_cell, view.rules, samples, key, boards, targets)


@entry
def outcomes(views, seat, samples, key, chances):  # type: ignore[no-untyped-def]
    """Find the posterior over the outcomes."""
    worlds.posterior(views[seat], samples, key, chances)


@entry
def planned(boards, targets, cells, ahead):  # type: ignore[no-untyped-def]
    return lookahead.plan_look(boards, targets, cells, ahead)


@entry
def beside(boards, targets, looked, cells):  # type: ignore[no-untyped-def]
    return belief.best_beside(boards, targets, looked, cells)


@entry
def value_of(boards, targets, cell, taken):  # type: ignore[no-untyped-def]
    sums, most = np.zeros((16, TARGETS)), np.zeros(16)
    weights = np.full(len(boards), 1.0 / len(boards))
    return belief.look_value(boards, targets, weights, cell, taken, sums, most)


@entry
def decoded(views, seat, known):  # type: ignore[no-untyped-def]
    """Write into `known` what a seat knows, with what its partners have told it."""
    known[:] = views[seat].known
    signals.decode(views[seat], known)


def worlds_of(session: Session, samples: int = 0, key: int = 5) -> tuple[Any, Any]:
    """The worlds of the deciding seat: boards and targets."""
    boards, targets = np.zeros(worlds.MOST, np.uint64), np.zeros(worlds.MOST, np.uint8)
    with np.errstate(over="ignore"):
        count = listed(session.state["views"], session.seat, samples, np.uint64(key), boards, targets)
    return boards[:count], targets[:count]


def chances_of(session: Session, samples: int = 0, key: int = 5) -> Any:
    """The posterior of the deciding seat over fled, suspect 1, ..., suspect 7."""
    chances = np.zeros(8)
    with np.errstate(over="ignore"):
        outcomes(session.state["views"], session.seat, samples, np.uint64(key), chances)
    return chances


def faces_of(session: Session, board: int) -> tuple[str, ...]:
    """The faces of a world, by name."""
    names = face_names(session.state["rules"])
    return tuple(names[int(board) >> 4 * cell & 15] for cell in range(CELLS))


def positions(count: int, options: dict[str, Any], seats: int = 2) -> Iterator[Session]:
    """Decisions of games that are played by force, all along their length."""
    table = make("clueverge", "random", seats, options, deals=1, seed=9)
    rng = np.random.default_rng(3)
    deal = found = 0
    while found < count:
        session = Session(table, deal)
        for _ in range(int(rng.integers(6))):
            if not session.is_over:
                session.apply(forced(session, rng))
        deal += 1
        if not session.is_over:
            found += 1
            yield session


ARROWS = [{}, {"alibi_arrows": "cross"}, {"motive_arrows": "split"}]


@pytest.mark.parametrize("options", ARROWS, ids=str)
def test_all_worlds_are_listed_once_with_their_culprits(options: dict[str, Any]) -> None:
    for session in positions(25, {**FEW, **options}):
        boards, targets = worlds_of(session)
        faces = [faces_of(session, board) for board in boards]
        assert len(set(faces)) == len(faces)
        assert set(faces) == boards_like(session.state, session.seat)
        for board, target in zip(faces, targets, strict=True):
            culprit = culprit_of(board)
            assert target == (FLED if culprit == 0 else board.index(f"S{culprit}"))


def test_drawn_worlds_agree_with_what_is_known_and_are_drawn_by_their_key() -> None:
    for session in positions(20, {}):
        boards, _ = worlds_of(session, samples=50)
        known = session.state["views"][session.seat]["known"]
        names = face_names(session.state["rules"])
        for board in boards:
            faces = faces_of(session, board)
            assert all(not face or faces[cell] == names[face] for cell, face in enumerate(known))
            assert sorted(set(faces) - {"S7", "PT"}) == sorted(set(names[1:]) - {"S7", "PT"})
        if len(boards) == 50:
            assert np.array_equal(boards, worlds_of(session, samples=50)[0])
            assert not np.array_equal(boards, worlds_of(session, samples=50, key=6)[0])


@pytest.mark.parametrize("options", ARROWS, ids=str)
def test_the_posterior_is_that_of_a_brute_force(options: dict[str, Any]) -> None:
    for session in positions(25, {**FEW, **options}):
        counts = Counter(culprit_of(board) for board in boards_like(session.state, session.seat))
        expected = [counts[outcome] / counts.total() for outcome in range(8)]
        assert chances_of(session) == pytest.approx(expected)


def test_a_sampled_posterior_is_near_the_exact_one() -> None:
    # 8 hidden cards at most: listed. Of 4,000 samples a share has a deviation of at most 0.0079; five of them.
    for session in positions(20, {}):
        assert np.abs(chances_of(session, samples=4000) - chances_of(session)).max() < 0.04


@pytest.mark.parametrize(("seats", "options"), [(2, {}), (3, {}), (4, {}), (3, {"mode": "coop"}), (1, {})], ids=str)
def test_what_is_given_30_percent_comes_true_30_percent_of_the_time(seats: int, options: dict[str, Any]) -> None:
    """Calibration: a decision a game, random actions before it, which depend on nothing hidden."""
    given: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for session in positions(1500, options, seats):
        culprit = int(session.state["culprit"])
        for outcome, chance in enumerate(chances_of(session, samples=1000, key=session.deal)):
            given[min(int(10 * chance), 9)].append((chance, culprit == outcome))
    assert len(given) >= 8
    for tenth, pairs in given.items():
        expected = sum(chance for chance, _ in pairs)
        true = sum(is_true for _, is_true in pairs)
        # Independent or nearly so: the variance of the sum is at most that of so many coins; five deviations, and one
        # for the sampling of the chances themselves.
        deviation = sum(chance * (1 - chance) for chance, _ in pairs) ** 0.5
        assert abs(true - expected) < 5 * deviation + 1, (tenth, true, expected, len(pairs))


# ── Looks ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def best_by_hand(boards: Sequence[int], targets: Sequence[int], cells: Sequence[int], ahead: int) -> int:
    """In how many worlds the culprit is found with so many looks, each seen before the next: all plans are tried."""
    if ahead == 0 or not cells:
        return max(Counter(targets).values())
    best = 0
    for cell in cells:
        parted: dict[int, list[int]] = defaultdict(list)
        for index, board in enumerate(boards):
            parted[int(board) >> 4 * cell & 15].append(index)
        rest = [other for other in cells if other != cell]
        best = max(
            best,
            sum(
                best_by_hand([boards[i] for i in group], [targets[i] for i in group], rest, ahead - 1)
                for group in parted.values()
            ),
        )
    return best


@pytest.mark.parametrize("ahead", [1, 2, 3, 4])
def test_a_plan_is_the_best_there_is(ahead: int) -> None:
    for session in positions(12, FEW, seats=1):
        boards, targets = worlds_of(session)
        closed = [cell for cell in range(CELLS) if not int(session.state["open"]) >> cell & 1]
        mask = np.uint64(sum(1 << cell for cell in closed))
        with np.errstate(over="ignore"):
            cell, value = planned(boards, targets, mask, ahead)
        assert value == best_by_hand(boards.tolist(), targets.tolist(), closed, ahead)
        rest = [other for other in closed if other != cell]
        parted: dict[int, list[int]] = defaultdict(list)
        for index, board in enumerate(boards.tolist()):
            parted[board >> 4 * int(cell) & 15].append(index)
        assert value == sum(
            best_by_hand([boards.tolist()[i] for i in group], [int(targets[i]) for i in group], rest, ahead - 1)
            for group in parted.values()
        )


def test_the_value_of_a_look_is_the_chance_of_the_best_free_target_after_it() -> None:
    rng = np.random.default_rng(2)
    for session in positions(30, FEW):
        boards, targets = worlds_of(session)
        for cell in range(CELLS):
            taken = int(rng.integers(1 << TARGETS)) if rng.random() < 0.5 else 0
            found = 0
            for face in {int(board) >> 4 * cell & 15 for board in boards}:
                counts = Counter(
                    int(target)
                    for board, target in zip(boards, targets, strict=True)
                    if int(board) >> 4 * cell & 15 == face and not taken >> int(target) & 1
                )
                found += max(counts.values(), default=0)
            with np.errstate(over="ignore"):
                assert value_of(boards, targets, cell, np.uint64(taken)) == pytest.approx(found / len(boards))


def test_a_cell_beside_others_is_the_best_there_is() -> None:
    rng = np.random.default_rng(4)
    for session in positions(15, FEW):
        boards, targets = worlds_of(session)
        closed = [cell for cell in range(CELLS) if not int(session.state["open"]) >> cell & 1]
        looked = [int(cell) for cell in rng.permutation(closed)[: int(rng.integers(3))]]
        cells = [cell for cell in closed if cell not in looked]
        if not cells:
            continue
        values = {}
        for cell in cells:
            groups = defaultdict(list)
            for board, target in zip(boards.tolist(), targets.tolist(), strict=True):
                groups[tuple(board >> 4 * other & 15 for other in (*looked, cell))].append(target)
            values[cell] = sum(max(Counter(group).values()) for group in groups.values())
        mask = np.uint64(sum(1 << cell for cell in cells))
        with np.errstate(over="ignore"):
            best = int(beside(boards, targets, np.array(looked, np.int64), mask))
        assert values[best] == max(values.values())


# ── Partners ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("options", [{}, {"alibi_arrows": "cross", "motive_arrows": "split"}, {"coop_share": False}])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_who_declares_last_knows_all_that_its_partners_saw(seats: int, options: dict[str, Any]) -> None:
    table = make("clueverge", "partner", seats, {"mode": "coop", **options}, deals=1, seed=4)
    deciders = table.deciders()
    for deal in range(25):
        session = Session(table, deal)
        while int(session.state["undeclared"]) > 1 or int(session.state["turn"]) < seats + 4:
            session.apply(session.answer(deciders))
        state, last = session.state, session.seat
        known = np.zeros(CELLS, np.uint8)
        with np.errstate(over="ignore"):
            decoded(state["views"], last, known)
        looked = [cell for cell in range(CELLS) if state["looks"][:, cell].any()]
        assert len(looked) == 4  # All pawns were laid on cards that were face down, each on another.
        for cell in range(CELLS):
            is_seen = cell in looked or int(state["open"]) >> cell & 1
            assert known[cell] == (state["board"][cell] if is_seen else 0)
        declared = [int(state["pawns"][seat]) for seat in range(seats) if seat != last]
        assert len(set(declared)) == len(declared)
        session.apply(session.answer(deciders))
        assert session.is_over
        assert state["effective"] == state["pawns"][last]  # The last word is theirs.


def wins(bots: str, seats: int, options: dict[str, Any], deals: int) -> Any:
    """Whether each game was won by all: the coop and solo modes."""
    games, places, _ = Player(make("clueverge", bots, seats, options, deals=deals)).play(0, deals)
    return places[:, 3].reshape(len(games), seats)[:, 0]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_partners_win_more_than_logicians(seats: int) -> None:
    partners, logicians = (wins(bot, seats, {"mode": "coop"}, 300) for bot in ("partner", "logician:samples=64"))
    # The same 300 deals: differences of -1, 0, 1 with a deviation of at most 1 have a mean within 0.17 at three.
    assert (partners - logicians).mean() > 0.1


def test_planning_ahead_alone_wins_more_than_chance() -> None:
    assert wins("solver:ahead=2", 1, {}, 200).mean() > wins("random", 1, {}, 200).mean() + 0.5


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_logician_beats_random(seats: int) -> None:
    table = make("clueverge", "logician:samples=64,random", seats, {}, deals=150)
    _, places, _ = Player(table).play(0, 150)
    shares = [places[places[:, 2] == entrant, 5].mean() / 2520 for entrant in (0, 1)]
    assert shares[0] > 3 * shares[1]


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("options", [{}, {"coop_share": False, "coop_u_face_up": False}], ids=str)
def test_partners_among_others_act_legally_too(seats: int, options: dict[str, Any]) -> None:
    """Others use up the pawns and declare as they like: an illegal action would end the run."""
    shared = {"mode": "coop", "case_cards": "random", "open_cards": 10, **options}
    for others in ("random", "random,logician:samples=4", "solver"):
        if others.count(",") + 2 <= seats:
            rows, _, _ = Player(make("clueverge", f"partner,{others}", seats, shared)).play(0, 60)
            assert len(rows) >= 60


@pytest.mark.parametrize("bot", ["solver", "partner"])
def test_who_plays_alone_or_together_does_not_declare_blindly_against_others(bot: str) -> None:
    rows, _, _ = Player(make("clueverge", bot, 2, deals=40)).play(0, 40)
    # Two placements, a declaration, an extra action, a declaration are 5 turns: the fewest there are.
    assert rows[:, 4].mean() > 5.3
