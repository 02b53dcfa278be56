"""Ratings of a tournament's entrants from one joint fit: Bradley-Terry with draws, Plackett-Luce with ties.

A ranking is a row of choices: who is first of all, who is first of the rest, and so on. That the entrants C
share the place which is chosen from A has the probability f(C) / Σ f(S) over the subsets S of A, where f(S) is
δ_|S| × the geometric mean of the worths in S, with δ_1 = 1 and one δ_k for each size k of tie that occurred
(D. Firth, I. Kosmidis and H. Turner, Davidson-Luce model for multi-item choice with ties, arXiv:1909.07123,
2019). At tables of two this is the model of R. R. Davidson, On extending the Bradley-Terry model to accommodate
ties in paired comparison experiments, JASA 65 (1970) 317-328. Without ties it is Plackett's and Luce's.

Only the arithmetic of `results.arithmetic` is used, in an order that depends on names and numbers alone: the
same outcomes give the same bits on every machine, whatever the threads and however entrants and parts came in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from results.arithmetic import exponential, product, root_of_inverse
from results.intervals import Estimate, Z, t_quantile
from results.outcomes import NOBODY, Ints, Outcomes, by_name, equal_rows
from sim.errors import SpecError, UnknownName

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

# 400 points stand for odds of ten to one: 400 / ln 10 points for a unit of the logarithm of worth.
POINTS = 173.71779276130073

MEAN = "mean of all entrants"

# With fewer deals nobody's variance between deals can be told, and the model's stands for it.
LEAST_DEALS = 5

MODEL_NOTE = "few deals, or all alike: the model's interval"

# A step of Newton's method that changes no difference of two log worths by more than this is the last one: the
# next would be about its square. So is a small one that is no smaller than half of the one before: that is rounding.
LAST_STEP, SMALL_STEP = 1e-6, 1e-3
# A shorter one is taken whole; see `_maximum`.
SURE_STEP = 1.5
MOST_STEPS = 300

# The logarithm of a δ_k beyond which it is taken to grow without end: 10^13 ties for each choice without one.
MOST_PREVALENT = 30.0

# So many products over deals are spread over the parameters at a time.
BLOCK = 2**17


class Rating(NamedTuple):
    """An entrant's rating in points with its 95 % interval; None where there is none, and the note says why."""

    name: str
    rating: float
    low: float | None
    high: float | None
    games: int
    note: str


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of all entrants in their order, and what they rest on.

    `model` names the model, `reference` who has 0 points. `errors` is "deals" if the intervals come from the
    variance between deals, "model" if from the model alone. `ties` holds (k, δ_k) for each size k of tie that
    occurred; δ_2 at tables of two is Davidson's ν. `covariance` is that of the ratings, in points², and
    `degrees` are each entrant's degrees of freedom for Student's quantile, 0 for the normal distribution's.
    """

    model: str
    reference: str
    errors: str
    prior: float
    ratings: tuple[Rating, ...]
    ties: tuple[tuple[int, float], ...]
    games: int
    deals: int
    covariance: Floats = field(repr=False, compare=False)
    degrees: tuple[int, ...] = field(repr=False, compare=False)

    def difference(self, first: str, second: str) -> Estimate:
        """Return by how many points the first entrant is ahead of the second, with the 95 % interval.

        Raises
        ------
        UnknownName
            If there is no such entrant.
        """
        names = [rating.name for rating in self.ratings]
        i, j = _index(names, first), _index(names, second)
        value = self.ratings[i].rating - self.ratings[j].rating
        if i == j:
            return Estimate(value, note="one and the same entrant")
        variance = self.covariance[i, i] - 2 * self.covariance[i, j] + self.covariance[j, j]
        half = _quantile([self.degrees[i], self.degrees[j]]) * sqrt(max(0.0, float(variance)))
        return Estimate(value, value - half, value + half)


class _Choices(NamedTuple):
    """The sets of one size that places were chosen from, and the choices that were made.

    `members` (sets, size) are parameters: entrant e is e, and the hypothetical one comes after all. `design`
    (subsets, size + tie sizes) has a row for each subset that may share a place: 1 / its size for each member,
    then 1 for its size of tie; these are what its log f is made of. Of each choice made, `set` says from which
    set, `row` in which outcome, `mask` (choices, seats) who was left, and `chosen` (choices, size) who was it.
    """

    members: Ints
    design: Floats
    set: Indices
    row: Indices
    mask: Flags
    chosen: Flags


class _Likelihood(NamedTuple):
    """All that the fit needs: an exponential family.

    `weights` holds, beside each of `choices`, how many choices were made from each of its sets. `totals` are
    the sums of what `design` says of the subsets chosen, one per parameter: entrants, the hypothetical entrant,
    sizes of ties. `free` are the parameters to fit; the others are 0.
    """

    choices: tuple[_Choices, ...]
    weights: tuple[Floats, ...]
    totals: Floats
    free: Flags
    entrants: int
    ties: tuple[int, ...]


class _Fit(NamedTuple):
    """The fitted parameters and the inverse of Fisher's information, with 0 for those that are not free."""

    parameters: Floats
    inverse: Floats


def rate(outcomes: Outcomes, reference: str = MEAN, prior: float = 1.0, errors: str | None = None) -> Ratings:
    """Return ratings of all entrants in points above the reference, with 95 % intervals.

    Parameters
    ----------
    outcomes
        Of all games. Tables may differ in size.
    reference
        The entrant who has 0 points; left out, the mean of all ratings is 0.
    prior
        So many games more, half of them won and half lost, are given to each entrant against a hypothetical
        one, whom they share (H. L. Turner, J. van Etten, D. Firth and I. Kosmidis, Modelling rankings in R: the
        PlackettLuce package, Computational Statistics 35 (2020) 1027-1057; there npseudo = prior / 2). So all
        ratings are finite, and drawn together as by so many games against an average entrant. For each size
        k of tie above 2 there are as many choices among k hypothetical entrants, decided without a tie. With 0
        the ratings are those of greatest likelihood, which must be finite then.
    errors
        "deals": intervals from the variance between deals, whose games may depend on each other (K.-Y. Liang
        and S. L. Zeger, Longitudinal data analysis using generalized linear models, Biometrika 73 (1986)
        13-22), times G / (G - p) for G deals and p parameters, with Student's quantile for the entrant's deals
        less 1. The model's variance stands for it at tables where it says too little: if some are ahead of
        others without end, or somebody has played fewer than five deals, or all of his deals ended alike.
        "model": intervals from Fisher's information, as if all games were independent.
        Left out: "deals" if the outcomes have the sums for it.

    Raises
    ------
    SpecError
        If an argument is not allowed, or if without a prior the ratings are not finite.
    """
    _check_arguments(outcomes, reference, prior, errors)
    # Inside, entrants go by the order of their names, so that the order they came in changes nothing.
    ordered = by_name(outcomes)
    ahead = _ahead(ordered)
    group = _components(ahead)
    if prior == 0 and group.any():
        raise SpecError("Without a prior there are no finite ratings: some entrants were never behind the others.")
    likelihood = _likelihood(ordered, prior)
    fit = _maximum(likelihood)
    varied = _varied(ordered, group) & (errors != "model")
    is_varied = int(ordered.deals[varied].sum()) > int(likelihood.free.sum())
    points, covariance, reach = _above(ordered.names, reference, fit)
    if is_varied:
        spread = _spread(ordered, likelihood, fit, varied)
        covariance = POINTS**2 * product(product(reach, spread), reach.T.copy())
    degrees = _degrees(ordered, varied & is_varied)
    notes = _notes(ordered, reference, ahead, group)
    if is_varied:
        notes = [note or ("" if number else MODEL_NOTE) for note, number in zip(notes, degrees, strict=True)]
    halves = _halves(ordered.names, reference, covariance, degrees)
    place = {name: index for index, name in enumerate(ordered.names)}
    given = [place[name] for name in outcomes.names]
    games = _tally(ordered.tables[ordered.table], ordered.counts, len(notes))
    return Ratings(
        model=_model(ordered, likelihood.ties),
        reference=reference,
        errors="deals" if is_varied else "model",
        prior=float(prior),
        ratings=tuple(
            _rating(ordered.names[index], float(points[index]), halves[index], int(games[index]), notes[index])
            for index in given
        ),
        ties=_prevalences(likelihood, fit),
        games=outcomes.games,
        deals=int(outcomes.deals.sum()),
        covariance=covariance[np.ix_(given, given)],
        degrees=tuple(int(degrees[index]) for index in given),
    )


def _check_arguments(outcomes: Outcomes, reference: str, prior: float, errors: str | None) -> None:
    """Raise SpecError unless the arguments of `rate` are allowed."""
    if reference != MEAN:
        _index(outcomes.names, reference)
    if isinstance(prior, bool) or not isinstance(prior, int | float) or not 0 <= prior <= 1000:
        raise SpecError(f"The prior is {prior!r}; allowed are numbers of games from 0 to 1000.")
    if errors not in (None, "deals", "model"):
        raise UnknownName.among("kind of errors", str(errors), ("deals", "model"))
    if errors == "deals" and outcomes.products is None:
        raise SpecError("Errors over deals need the sums of products over deals, which these outcomes do not have.")


def _index(names: Sequence[str], name: str) -> int:
    """Return the index of an entrant's name, or raise UnknownName."""
    if name not in names:
        raise UnknownName.among("entrant", name, names)
    return names.index(name)


def _ahead(outcomes: Outcomes) -> Flags:
    """Return (entrants, entrants): whether the first was ever ahead of the second, or level with him."""
    ahead = np.zeros((len(outcomes.names), len(outcomes.names)), dtype=bool)
    seated = outcomes.tables[outcomes.table]
    for i, j in combinations(range(seated.shape[1]), 2):
        both = seated[:, j] != NOBODY
        first, second = seated[both, i], seated[both, j]
        gap = outcomes.places[both, j] - outcomes.places[both, i]
        ahead[first[gap >= 0], second[gap >= 0]] = True
        ahead[second[gap <= 0], first[gap <= 0]] = True
    return ahead


def _reached(ahead: Flags, start: int) -> Flags:
    """Return whom a chain of entrants, each ahead of the next, leads to from that one."""
    reached = np.zeros(len(ahead), dtype=bool)
    reached[start] = True
    latest = reached
    while latest.any():
        latest = ahead[latest].any(axis=0) & ~reached
        reached = reached | latest
    return reached


def _components(ahead: Flags) -> Ints:
    """Return a number for each entrant, the same for those whom chains lead to from each other, 0 the first.

    Ratings are finite without a prior if there is one such group (L. R. Ford, Solution of a ranking problem
    from binary comparisons, American Mathematical Monthly 64 (1957) 28-33).
    """
    group = np.zeros(len(ahead), dtype=np.int64)
    number, left = 0, [np.arange(len(ahead))]
    while left:
        among = left.pop()
        within = ahead[np.ix_(among, among)]
        middle = len(among) // 2
        after, before = _reached(within, middle), _reached(within.T, middle)
        group[among[after & before]] = number
        number += 1
        # No group lies on both sides of the one found.
        rest = (after & ~before, before & ~after, ~after & ~before)
        left.extend(among[part] for part in rest if part.any())
    return group


def _tie_sizes(outcomes: Outcomes) -> tuple[int, ...]:
    """Return in how great ties, of two or more, places were shared."""
    seats = outcomes.places.shape[1]
    shared = [(outcomes.places == place).sum(axis=1) for place in range(1, seats + 1)]
    return tuple(size for size in range(2, seats + 1) if any((size == several).any() for several in shared))


def _design(size: int, ties: Sequence[int]) -> Floats:
    """Return the design of a set of that size, as `_Choices` describes it."""
    subsets = [subset for k in (1, *ties) for subset in combinations(range(size), k)]
    design = np.zeros((len(subsets), size + len(ties)))
    for row, subset in zip(design, subsets, strict=True):
        row[list(subset)] = 1 / len(subset)
        row[size:] = [len(subset) == k for k in ties]
    return design


def _choices(outcomes: Outcomes, ties: Sequence[int]) -> Iterator[_Choices]:
    """Give the choices that the outcomes are made of, by the size of the sets chosen from."""
    seats = outcomes.places.shape[1]
    for size in range(2, seats + 1):
        row, place = np.nonzero(
            np.stack([(outcomes.places >= place).sum(axis=1) == size for place in range(1, seats + 1)], axis=1)
        )
        if not len(row):
            continue
        mask = outcomes.places[row] > place[:, None]
        members = outcomes.tables[outcomes.table[row]][mask].reshape(-1, size)
        chosen = outcomes.places[row][mask].reshape(-1, size) == place[:, None] + 1
        first, group = equal_rows(members)
        yield _Choices(members[first], _design(size, ties), group, row, mask, chosen)


def _prior_choices(entrants: int, ties: Sequence[int]) -> Iterator[_Choices]:
    """Give the sets of the games that the prior adds: each entrant's, then one for each tie of three or more."""
    nothing, no_flags = np.zeros(0, dtype=np.intp), np.zeros((0, 0), dtype=bool)
    pairs = np.stack((np.arange(entrants), np.full(entrants, entrants)), axis=1)
    for members in (pairs, *(np.full((1, size), entrants) for size in ties if size > 2)):
        design = _design(members.shape[1], ties)
        yield _Choices(members, design, nothing, nothing, no_flags, no_flags)


def _likelihood(outcomes: Outcomes, prior: float) -> _Likelihood:
    """Return the likelihood of the outcomes with the games that the prior adds."""
    ties, entrants = _tie_sizes(outcomes), len(outcomes.names)
    seen, added = list(_choices(outcomes, ties)), list(_prior_choices(entrants, ties)) if prior else []
    totals = np.zeros(entrants + 1 + len(ties))
    totals[: entrants + 1] = prior / 2
    for part in seen:
        size, games = part.chosen.sum(axis=1), outcomes.counts[part.row].astype(np.float64)
        shares = part.chosen * (games / size)[:, None]
        totals += _added(part.members[part.set], shares, len(totals))
        for index, k in enumerate(ties):
            totals[entrants + 1 + index] += float(games[size == k].sum())
    free = np.ones(len(totals), dtype=bool)
    # The hypothetical entrant's log worth is 0; if nobody has met him, the first one's is too.
    free[[entrants] if prior else [0, entrants]] = False
    weights = [_chosen_from(part, outcomes.counts) for part in seen]
    weights += [np.full(len(part.members), float(prior)) for part in added]
    return _Likelihood((*seen, *added), tuple(weights), totals, free, entrants, ties)


def _with_ties(members: Ints, likelihood: _Likelihood) -> Ints:
    """Return rows of parameters with those of the sizes of ties after each."""
    sizes = np.arange(likelihood.entrants + 1, len(likelihood.free))
    return np.concatenate((members, np.tile(sizes, (len(members), 1))), axis=1)


def _chosen_from(choices: _Choices, counts: Ints) -> Floats:
    """Return how many choices were made from each set if the rows' outcomes came so often."""
    weights = counts[choices.row].astype(np.float64)
    return _added(choices.set, weights, len(choices.members))


def _added(index: Ints | Indices, values: Floats, size: int) -> Floats:
    """Return the sums of the values at each index below `size`, each from left to right."""
    return np.bincount(index.ravel(), weights=values.ravel(), minlength=size).astype(np.float64)


def _probabilities(likelihood: _Likelihood, choices: _Choices, parameters: Floats) -> Floats:
    """Return (subsets, sets): how probable it is that each subset is chosen."""
    worths = np.ascontiguousarray(parameters[_with_ties(choices.members, likelihood)].T)
    logs = np.zeros((len(choices.design), worths.shape[1]))
    for subset, column in np.argwhere(choices.design):
        logs[subset] += choices.design[subset, column] * worths[column]
    chances = exponential(logs - logs.max(axis=0))
    total = np.zeros(worths.shape[1])
    for chance in chances:
        total += chance
    return chances / total


def _means(choices: _Choices, chances: Floats) -> Floats:
    """Return (sets, columns): the expected row of the design."""
    means = np.zeros((len(choices.members), choices.design.shape[1]))
    for chance, row in zip(chances, choices.design, strict=True):
        means += chance[:, None] * row
    return means


def _information(likelihood: _Likelihood, weights: Sequence[Floats], parameters: Floats) -> tuple[Floats, Floats]:
    """Return the expected totals and Fisher's information of so many choices from each set."""
    size = len(parameters)
    expected, information = np.zeros(size), np.zeros(size * size)
    for choices, weight in zip(likelihood.choices, weights, strict=True):
        chances = _probabilities(likelihood, choices, parameters)
        means = _means(choices, chances)
        # From the differences to the mean, not from squares less the mean's: small variances keep their digits.
        spread = np.zeros((*means.shape, means.shape[1]))
        for chance, row in zip(chances, choices.design, strict=True):
            apart = row - means
            spread += (chance[:, None] * apart)[:, :, None] * apart[:, None, :]
        index = _with_ties(choices.members, likelihood)
        expected += _added(index, weight[:, None] * means, size)
        information += _spread_over(index, weight[:, None, None] * spread, size)
    return expected, information.reshape(size, size)


def _spread_over(index: Ints, squares: Floats, size: int) -> Floats:
    """Return the sum of small matrices, (n, k, k), each at the rows and columns of its parameters, (n, k)."""
    places = index[:, :, None] * size + index[:, None, :]
    return _added(places, squares, size * size)


def _maximum(likelihood: _Likelihood) -> _Fit:
    """Return the parameters at which the likelihood is greatest, by Newton's method with long steps shortened.

    If over a whole step no two terms of any Σ f move apart by more than R in the logarithm, the second derivative
    of log Σ f along it changes by the factor e^R at most (as for the functions of F. Bach, Self-concordant analysis
    for logistic regression, Electronic Journal of Statistics 4 (2010) 384-414). So the share t of the step raises
    the likelihood if e^(R t) - 1 - R t < R² t. That holds for the whole step if R is below 1.79, and always for
    t = 2 / (2 + R), which is less than log(1 + R) / R. No likelihood has to be computed.
    """
    free, first_tie = likelihood.free, likelihood.entrants + 1
    parameters, step, before = np.zeros(len(free)), np.zeros(len(free)), inf
    try:
        for _ in range(MOST_STEPS):
            slope, information = _slope(likelihood, parameters)
            root = root_of_inverse(information)
            step[free] = product(root, product(root.T.copy(), slope[:, None]))[:, 0]
            worths, ties = step[:first_tie], step[first_tie:]
            apart = float(np.ptp(worths) + ties.max(initial=0.0) - ties.min(initial=0.0))
            if (parameters[first_tie:] > MOST_PREVALENT).any():
                break
            if apart < LAST_STEP or before / 2 < apart < SMALL_STEP:
                inverse = np.zeros((len(free), len(free)))
                inverse[np.ix_(free, free)] = product(root, root.T.copy())
                return _Fit(parameters + step, inverse)
            parameters += step * (1 if apart < SURE_STEP else 2 / (2 + apart))
            before = apart
    except ArithmeticError:
        pass
    raise SpecError(
        "There are no finite ratings: too few games ended otherwise than the rest; a greater prior may bound them."
    )


def _slope(likelihood: _Likelihood, parameters: Floats) -> tuple[Floats, Floats]:
    """Return the slope of the log likelihood over the free parameters, and Fisher's information of them."""
    free = likelihood.free
    expected, information = _information(likelihood, likelihood.weights, parameters)
    return (likelihood.totals - expected)[free], information[np.ix_(free, free)]


def _varied(outcomes: Outcomes, group: Ints) -> Flags:
    """Return for each table whether the variance between its deals can be used; `rate` says where it cannot."""
    if outcomes.products is None:
        return np.zeros(len(outcomes.tables), dtype=bool)
    deals = _tally(outcomes.tables, outcomes.deals, len(outcomes.names))
    can_vary = (deals >= LEAST_DEALS) & ~_always_alike(outcomes, outcomes.products, deals)
    is_one_group = group[outcomes.tables] == group[outcomes.tables[:, :1]]
    return np.asarray(((is_one_group & can_vary[outcomes.tables]) | (outcomes.tables == NOBODY)).all(axis=1))


def _always_alike(outcomes: Outcomes, products: Ints, deals: Ints) -> Flags:
    """Return for each entrant whether every deal left him with as many ahead of him and behind him as any other.

    Such as won, lost or drew everything, and who won one and lost one game of every deal.
    """
    places, seated, entrants = outcomes.places, outcomes.tables[outcomes.table], len(outcomes.names)
    behind = np.zeros_like(places)
    for seat in range(places.shape[1]):
        behind += np.where(places[:, seat, None] > 0, np.sign(places[:, seat, None] - places), 0)
    left, right, value = products.T
    value = np.where(left == right, value, 2 * value)
    total = _tally(seated, outcomes.counts[:, None] * behind, entrants).tolist()
    square = _tally(seated[left], value[:, None] * behind[left] * behind[right], entrants).tolist()
    # By Cauchy's inequality; whole numbers of any size, since the squares may have more than 64 bits.
    alike = [number * y == x * x for number, x, y in zip(deals.tolist(), total, square, strict=True)]
    return np.array(alike)


def _tally(tables: Ints, values: Ints, entrants: int) -> Ints:
    """Return the sum of each entrant's values; they are (tables,), or (tables, seats)."""
    sums = np.zeros(entrants + 1, dtype=np.int64)
    np.add.at(sums, tables, values if values.ndim == 2 else values[:, None])
    return sums[:entrants]


def _spread(outcomes: Outcomes, likelihood: _Likelihood, fit: _Fit, varied: Flags) -> Floats:
    """Return the covariance of the slope of the log likelihood, from the variance between the deals of tables.

    Tables that are not `varied` and the prior's games count with the covariance that the model gives them.
    """
    others = np.where(varied[outcomes.table], 0, outcomes.counts)
    weights = [
        _chosen_from(part, others) if len(part.row) else weight
        for part, weight in zip(likelihood.choices, likelihood.weights, strict=True)
    ]
    spread = _information(likelihood, weights, fit.parameters)[1]
    deals, fitted = int(outcomes.deals[varied].sum()), int(likelihood.free.sum())
    return spread + _between_deals(outcomes, likelihood, fit, varied) * (deals / (deals - fitted))


def _between_deals(outcomes: Outcomes, likelihood: _Likelihood, fit: _Fit, varied: Flags) -> Floats:
    """Return the sum over the deals of those tables of the outer square of the slope of a deal's likelihood."""
    slopes = _slopes(outcomes, likelihood, fit)
    index = np.where(outcomes.tables == NOBODY, likelihood.entrants, outcomes.tables)
    index = _with_ties(index, likelihood)[outcomes.table]
    total = np.zeros(len(likelihood.free) ** 2)
    assert outcomes.products is not None
    kept = outcomes.products[varied[outcomes.table[outcomes.products[:, 0]]]]
    for first in range(0, len(kept), BLOCK):
        left, right, value = kept[first : first + BLOCK].T
        squares = slopes[left][:, :, None] * slopes[right][:, None, :]
        # What two different rows have in common stands on both sides of the diagonal.
        squares += np.where((left != right)[:, None, None], squares.transpose(0, 2, 1), 0.0)
        total += _spread_over(index[left], value[:, None, None] * squares, len(likelihood.free))
    return total.reshape(len(likelihood.free), len(likelihood.free))


def _slopes(outcomes: Outcomes, likelihood: _Likelihood, fit: _Fit) -> Floats:
    """Return (rows, seats + tie sizes): the slope of the log likelihood of one game of each row."""
    seats, ties = outcomes.places.shape[1], np.array(likelihood.ties)
    slopes = np.zeros((len(outcomes.places), seats + len(ties)))
    for choices in likelihood.choices:
        if not len(choices.row):
            continue
        size = choices.members.shape[1]
        means = _means(choices, _probabilities(likelihood, choices, fit.parameters))[choices.set]
        together = choices.chosen.sum(axis=1)
        # A row chooses once at most from a set of each size.
        at_seats = slopes[choices.row, :seats]
        at_seats[choices.mask] += (choices.chosen / together[:, None] - means[:, :size]).ravel()
        slopes[choices.row, :seats] = at_seats
        slopes[choices.row, seats:] += (together[:, None] == ties) - means[:, size:]
    return slopes


def _degrees(outcomes: Outcomes, varied: Flags) -> Ints:
    """Return each entrant's deals less 1, or 0 if the variance between deals counts at none of his tables."""
    entrants = len(outcomes.names)
    is_counted = _tally(outcomes.tables, np.where(varied, 1, 0), entrants) > 0
    return np.where(is_counted, _tally(outcomes.tables, outcomes.deals, entrants) - 1, 0)


def _above(names: Sequence[str], reference: str, fit: _Fit) -> tuple[Floats, Floats, Floats]:
    """Return ratings above the reference and their covariance by the model, in points, and (entrants, parameters).

    The last says how each difference of log worths answers to the slope. It is taken before it is multiplied
    with anything, since differences may be known much better than the log worths themselves.
    """
    size = len(names)
    base = np.full((1, size), 1 / size)
    if reference != MEAN:
        base = np.array([[float(name == reference) for name in names]])
    worths = fit.parameters[:size, None]
    reach = fit.inverse[:size] - product(base, fit.inverse[:size])
    covariance = reach[:, :size] - product(reach[:, :size], base.T.copy())
    return POINTS * (worths - product(base, worths))[:, 0], POINTS**2 * covariance, reach


def _quantile(degrees: Iterable[int]) -> float:
    """Return the 97.5 % quantile for a difference of entrants with these degrees of freedom."""
    known = [int(number) for number in degrees if number > 0]
    return t_quantile(min(known)) if known else Z


def _halves(names: Sequence[str], reference: str, covariance: Floats, degrees: Ints) -> list[float | None]:
    """Return half the width of each entrant's interval; the reference has none."""
    against = [degrees[names.index(reference)]] if reference != MEAN else []
    return [
        None if name == reference else _quantile([number, *against]) * sqrt(max(0.0, float(variance)))
        for name, number, variance in zip(names, degrees, covariance.diagonal(), strict=True)
    ]


def _rating(name: str, points: float, half: float | None, games: int, note: str) -> Rating:
    """Return an entrant's rating with its interval."""
    if half is None:
        return Rating(name, points, None, None, games, "the reference")
    return Rating(name, points, points - half, points + half, games, note)


def _notes(outcomes: Outcomes, reference: str, ahead: Flags, group: Ints) -> list[str]:
    """Return for each entrant why the prior alone keeps his rating where it is, or nothing."""
    linked = _components(ahead | ahead.T)
    home = int(np.bincount(linked).argmax()) if reference == MEAN else int(linked[outcomes.names.index(reference)])
    among = int(np.bincount(group).argmax()) if reference == MEAN else int(group[outcomes.names.index(reference)])
    others = "most others" if reference == MEAN else f"'{reference}'"
    notes = []
    for index in range(len(outcomes.names)):
        if not (ahead[index].any() or ahead[:, index].any()):
            notes.append("no games: the prior alone rates it")
        elif linked[index] != home:
            notes.append(f"no chain of games to {others}: the prior alone sets the distance")
        elif not ahead[:, index].any():
            notes.append("won every game: the prior alone bounds the rating")
        elif not ahead[index].any():
            notes.append("lost every game: the prior alone bounds the rating")
        elif group[index] != among:
            notes.append(f"always ahead of or behind {others}, games in between counted: the prior bounds the rating")
        else:
            notes.append("")
    return notes


def _model(outcomes: Outcomes, ties: Sequence[int]) -> str:
    """Return the name of the model that tables of such sizes and ties are fitted by."""
    if outcomes.tables.shape[1] <= 2:
        return "Bradley-Terry with draws (Davidson)" if ties else "Bradley-Terry"
    return "Plackett-Luce with ties (Davidson-Luce)" if ties else "Plackett-Luce"


def _prevalences(likelihood: _Likelihood, fit: _Fit) -> tuple[tuple[int, float], ...]:
    """Return (k, δ_k) for each size k of tie."""
    found = exponential(fit.parameters[likelihood.entrants + 1 :])
    return tuple((size, float(value)) for size, value in zip(likelihood.ties, found, strict=True))
