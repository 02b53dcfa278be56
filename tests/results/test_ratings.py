import math
import os
import subprocess
import sys
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from results.intervals import t_quantile
from results.outcomes import Outcomes, count_games, count_pairs, merge
from results.ratings import MEAN, POINTS, Ratings, rate
from sim.errors import SpecError, UnknownName

Z = 1.959963984540054


def logs(found: Ratings) -> dict[str, float]:
    """The ratings as logarithms of worth."""
    return {rating.name: rating.rating / POINTS for rating in found.ratings}


def errors(found: Ratings) -> dict[str, float]:
    """The standard errors of the logarithms of worth, from the model's intervals."""
    return {
        r.name: (r.high - r.low) / 2 / Z / POINTS for r in found.ratings if r.low is not None and r.high is not None
    }


def prevalences(found: Ratings) -> dict[int, float]:
    """The δ of each size of tie."""
    return dict(found.ties)


# Games won by the row's team against the column's, American League East 1987: A. Agresti, Categorical Data Analysis,
# 2nd edition 2002, section 10.6, table 10.10.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WON = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)


def test_bradley_terry_gives_agrestis_figures_of_a_baseball_season() -> None:
    pairs = list(combinations(range(7), 2))
    counts = [[WON[i][j], 0, WON[j][i]] for i, j in pairs]
    found = rate(count_pairs(TEAMS, pairs, counts), "Baltimore", prior=0, errors="model")
    assert (found.model, found.reference, found.ties) == ("Bradley-Terry", "Baltimore", ())
    # Table 10.11, column 3, to the two digits printed there; its text: "standard errors ... about 0.3".
    assert [round(value, 2) for value in logs(found).values()] == [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]
    assert {round(value, 1) for value in errors(found).values()} == {0.3}
    assert [rating.games for rating in found.ratings] == [6 * 13] * 7


# Puddings i and j, preferences for i, for j, none: R. R. Davidson, JASA 65 (1970) 317-328, example 2.
PUDDINGS = (
    *((1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9)),
    *((3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16)),
    *((1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12)),
)


def puddings() -> Outcomes:
    return count_pairs(
        list("123456"),
        [(i - 1, j - 1) for i, j, *_ in PUDDINGS],
        [(first, none, second) for *_, first, second, none in PUDDINGS],
    )


def test_davidsons_model_gives_his_figures_of_six_puddings() -> None:
    found = rate(puddings(), "1", prior=0, errors="model")
    assert found.model == "Bradley-Terry with draws (Davidson)"
    # His worths, adding up to 1, and ν, as far as he iterated: as printed, with standard errors, in the vignette of
    # the R package PlackettLuce, section 2.1.1. The sixth digits are those of an iteration that had not ended.
    worth = {name: math.exp(value) for name, value in logs(found).items()}
    total = sum(worth.values())
    printed = {"1": 0.1388005, "2": 0.1729985, "3": 0.1617420, "4": 0.1653930, "5": 0.1586805, "6": 0.2023855}
    assert {name: value / total for name, value in worth.items()} == pytest.approx(printed, abs=4e-5)
    assert prevalences(found) == pytest.approx({2: 0.7468147}, abs=2e-5)
    assert errors(found) == pytest.approx({"2": 0.1872, "3": 0.1935, "4": 0.1882, "5": 0.1927, "6": 0.1924}, abs=6e-5)


def test_plackett_luce_with_ties_gives_the_r_packages_figures_of_three_fruits() -> None:
    # The example of tests/testthat/test-S3-methods.R of the R package PlackettLuce 0.4.4, with its default prior, and
    # the coefficients that it prints there. (Its standard errors leave the prior out and are greater.)
    ranks = [[1, 2, 0], [3, 1, 2], [2, 1, 1], [1, 2, 3], [2, 1, 1], [1, 0, 2]]
    seated = [[0, 1, -1], *[[0, 1, 2]] * 4, [0, -1, 2]]
    found = rate(count_games(["apple", "banana", "orange"], range(6), seated, ranks), "apple", errors="model")
    assert found.model == "Plackett-Luce with ties (Davidson-Luce)"
    assert logs(found) == pytest.approx({"apple": 0.0, "banana": 0.2867987, "orange": -0.4636687}, abs=5e-8)
    assert prevalences(found) == pytest.approx({2: math.exp(-1.0701129)}, abs=3e-8)


def test_who_lost_every_game_gets_the_r_packages_figure() -> None:
    # The vignette of PlackettLuce, section 2.3: A beats B and D, B beats A and C, C beats A; D only loses.
    pairs = [[0, 1], [2, 0], [0, 3], [1, 0], [1, 2]]
    found = rate(count_pairs(list("ABCD"), pairs, [[1, 0, 0]] * 5), "A")
    assert logs(found) == pytest.approx({"A": 0, "B": 0.5184185, "C": 0.1354707, "D": -1.1537565}, abs=1e-7)
    assert [rating.note for rating in found.ratings] == [
        "the reference",
        "",
        "",
        "lost every game: the prior alone bounds the rating",
    ]
    # The same place, without D and a prior.
    without = rate(count_pairs(list("ABC"), [[0, 1], [2, 0], [1, 0], [1, 2]], [[1, 0, 0]] * 4), "A", prior=0)
    assert logs(without) == pytest.approx({"A": 0, "B": 0.8392, "C": 0.4196}, abs=5e-5)


def test_two_entrants_by_hand() -> None:
    # 30 wins, 10 losses: 400 log10 3 = 190.84850, with the error 400 / ln 10 × √(1/30 + 1/10) = 63.43277.
    found = rate(count_pairs(["ann", "bob"], [[0, 1]], [[30, 0, 10]]), "bob", prior=0, errors="model")
    ann, bob = found.ratings
    assert ann.rating == pytest.approx(190.84850, abs=1e-5)
    half = 1.959964 * 63.43277
    assert (ann.low, ann.high) == pytest.approx((190.84850 - half, 190.84850 + half), abs=1e-4)
    assert (bob.rating, bob.low, bob.high, bob.note) == (0.0, None, None, "the reference")
    # Against the mean of the two it is half of that, both ways.
    mean = rate(count_pairs(["ann", "bob"], [[0, 1]], [[30, 0, 10]]), prior=0, errors="model")
    assert [r.rating for r in mean.ratings] == [pytest.approx(95.42425, abs=1e-5), pytest.approx(-95.42425, abs=1e-5)]
    assert mean.reference == MEAN
    difference = mean.difference("ann", "bob")
    assert (difference.value, difference.high) == pytest.approx((ann.rating, ann.high))
    assert mean.difference("bob", "ann").low == pytest.approx(-(ann.high or 0))
    assert mean.difference("ann", "ann").low is None


def test_draws_of_two_entrants_by_hand() -> None:
    # Three outcomes and two parameters: 16 : 12 : 4 is √(16 / 4) : ν : √(4 / 16) with ν = 12 / √64 = 1.5, and the
    # worths are 16 to 4, 400 log10 4 = 240.82400.
    found = rate(count_pairs(["ann", "bob"], [[0, 1]], [[16, 12, 4]]), "bob", prior=0)
    assert found.ratings[0].rating == pytest.approx(240.82400, abs=1e-5)
    assert prevalences(found) == pytest.approx({2: 1.5})


def test_errors_over_deals_by_hand() -> None:
    # Ten deals of two games: ann wins both in 4, one in 4, none in 2; 12 of 20 games, p = 0.6. A deal's wins less 2 p
    # are 0.8, -0.2 and -1.2, the sum of their squares 4 × 0.64 + 4 × 0.04 + 2 × 1.44 = 5.6. Information 20 p (1 - p) =
    # 4.8; variance 5.6 / 4.8² × 10 / 9 = 0.2700617; t for 9 degrees 2.262157; 173.717793 × 0.5196746 × 2.262157.
    outcomes = count_pairs(["ann", "bob"], [[0, 1]], [[12, 0, 8]], [10], [[20, 0, 4, 0, 0, 12]])
    found = rate(outcomes, "bob", prior=0)
    ann = found.ratings[0]
    assert (found.errors, found.deals, found.games) == ("deals", 10, 20)
    assert ann.high is not None
    assert ann.high - ann.rating == pytest.approx(204.2202, abs=1e-4)
    assert rate(outcomes, "bob", prior=0, errors="model").errors == "model"


def choice_chances(worths: dict[int, float], ties: dict[int, float]) -> dict[tuple[int, ...], float]:
    """How probable each set of entrants is to share a place chosen from all given, written out from the paper."""
    weights = {
        members: delta * math.prod(worths[member] for member in members) ** (1 / size)
        for size, delta in {1: 1.0, **ties}.items()
        for members in combinations(sorted(worths), size)
    }
    return {members: weight / sum(weights.values()) for members, weight in weights.items()}


def log_likelihood(
    seated: Any, places: Any, parameters: "np.ndarray[Any, Any]", sizes: list[int], prior: float
) -> float:
    """The logarithm of the likelihood of games, and of the prior's, from log worths and log δ."""
    count = len(parameters) - len(sizes)
    worths, ties = np.exp(parameters[:count]), dict(zip(sizes, np.exp(parameters[count:]), strict=True))
    total = 0.0
    for table, ranks in zip(seated, places, strict=True):
        left = {entrant: place for entrant, place in zip(table, ranks, strict=True) if entrant >= 0}
        while len(left) > 1:
            first = tuple(sorted(entrant for entrant, place in left.items() if place == min(left.values())))
            total += math.log(choice_chances({entrant: worths[entrant] for entrant in left}, ties)[first])
            left = {entrant: place for entrant, place in left.items() if entrant not in first}
    for worth in worths:
        chances = choice_chances({0: worth, 1: 1.0}, ties)
        total += prior / 2 * (math.log(chances[0,]) + math.log(chances[1,]))
    for size in sizes:
        if size > 2:
            total += prior * math.log(choice_chances(dict.fromkeys(range(size), 1.0), ties)[0,])
    return total


SEATED = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [0, 1, 4, -1],
    [1, 2, 4, -1],
    [0, 3, -1, -1],
    [4, 2, 0, 1],
    [3, 4, 0, 2],
    [4, 1, 3, 0],
]
RANKS = [[1, 1, 3, 4], [1, 2, 2, 2], [2, 1, 1, 0], [3, 1, 2, 0], [1, 1, 0, 0], [2, 1, 3, 4], [1, 2, 2, 1], [1, 4, 3, 2]]


@pytest.mark.parametrize("prior", [1, 2.5])
def test_a_fit_with_ties_at_tables_of_two_to_four_is_greatest_and_has_the_right_errors(prior: float) -> None:
    found = rate(count_games(list("abcde"), range(8), SEATED, RANKS), "a", prior, errors="model")
    sizes = [size for size, _ in found.ties]
    assert sizes == [2, 3]
    # The hypothetical entrant has log worth 0: his share of wins against all, half, says where the others stand.
    low, high = -5.0, 5.0
    for _ in range(60):
        shift = (low + high) / 2
        at = np.array(
            [*(value + shift for value in logs(found).values()), *(math.log(delta) for _, delta in found.ties)]
        )
        slope = sum(derivative(at, unit, prior) for unit in np.eye(7)[:5])
        low, high = (shift, high) if slope > 0 else (low, shift)
    assert max(abs(derivative(at, unit, prior)) for unit in np.eye(7)) < 1e-6
    step = 1e-3
    information = -np.array(
        [
            [
                (derivative(at + step * v, u, prior) - derivative(at - step * v, u, prior)) / (2 * step)
                for v in np.eye(7)
            ]
            for u in np.eye(7)
        ]
    )
    inverse = np.linalg.inv(information)
    expected = {
        name: math.sqrt(inverse[i, i] - 2 * inverse[0, i] + inverse[0, 0]) for i, name in enumerate("abcde") if i
    }
    assert errors(found) == pytest.approx(expected, rel=1e-4)


def derivative(at: "np.ndarray[Any, Any]", direction: "np.ndarray[Any, Any]", prior: float) -> float:
    """The slope of the log likelihood of the games above in a direction."""
    h = 1e-4
    above, below = (log_likelihood(SEATED, RANKS, at + sign * h * direction, [2, 3], prior) for sign in (1, -1))
    return (above - below) / (2 * h)


def test_errors_over_deals_with_ties_at_tables_of_three_are_those_of_the_slopes_of_deals() -> None:
    # 24 deals of two games among four entrants. Slopes are those of the likelihood as written out above.
    random = np.random.default_rng(11)
    seated = np.stack([random.permutation(4)[:3] for _ in range(24)]).repeat(2, axis=0).tolist()
    places = random.integers(1, 4, (48, 3)).tolist()
    deals_of = np.bincount(np.ravel(seated[::2]), minlength=4)
    zero = int(deals_of.argmin())
    assert deals_of[zero] < min(deals_of[index] for index in range(4) if index != zero)
    found = rate(count_games(list("abcd"), np.arange(24).repeat(2), seated, places), "abcd"[zero], prior=0)
    assert (found.errors, found.degrees) == ("deals", tuple(deals_of - 1))
    at = np.array([*logs(found).values(), *(math.log(delta) for _, delta in found.ties)])
    units = [unit for index, unit in enumerate(np.eye(6)) if index != zero]

    def slopes(point: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """(deals, parameters but the reference's): the slopes of each deal's log likelihood."""
        moved = [
            [log_likelihood(seated[two], places[two], point + h * unit, [2, 3], 0) for h in (1e-4, -1e-4)]
            for two in (slice(game, game + 2) for game in range(0, 48, 2))
            for unit in units
        ]
        return (np.diff(moved)[:, 0] / -2e-4).reshape(24, 5)

    of_deals, step = slopes(at), 1e-3
    assert np.abs(of_deals.sum(axis=0)).max() < 1e-5
    information = [(slopes(at - step * unit) - slopes(at + step * unit)).sum(axis=0) / (2 * step) for unit in units]
    inverse = np.linalg.inv(np.array(information))
    covariance = inverse @ of_deals.T @ of_deals @ inverse * 24 / (24 - 5)
    rest = [rating for index, rating in enumerate(found.ratings) if index != zero]
    for rating, variance in zip(rest, np.diagonal(covariance), strict=False):
        half = t_quantile(int(deals_of[zero]) - 1) * math.sqrt(variance) * POINTS
        assert rating.high == pytest.approx(rating.rating + half, rel=1e-4)


def test_the_prior_is_games_against_one_more_entrant() -> None:
    # Two such games each, one won and one lost, written down as games.
    pairs, counts = [[0, 1], [1, 2], [3, 0]], [[5, 2, 1], [4, 0, 0], [2, 1, 0]]
    names = ["ann", "bob", "cat", "dan"]
    with_prior = rate(count_pairs(names, pairs, counts), "ann", prior=2, errors="model")
    ghost = [[index, 4] for index in range(4)]
    played = rate(
        count_pairs([*names, "ghost"], pairs + ghost, counts + [[1, 0, 1]] * 4), "ann", prior=0, errors="model"
    )
    assert [r[1:4] for r in with_prior.ratings[1:]] == [pytest.approx(r[1:4]) for r in played.ratings[1:4]]
    assert with_prior.ties[0][1] == pytest.approx(played.ties[0][1])


@pytest.mark.parametrize(("games", "within"), [(10, 100.0), (1000, 1.0), (100_000, 0.01)])
def test_the_prior_pulls_ratings_together_by_less_and_less(games: int, within: float) -> None:
    # Three wins in four games are 190.8485 points, as above.
    outcomes = count_pairs(["ann", "bob"], [[0, 1]], [[3 * games, 0, games]])
    found = rate(outcomes, "bob").ratings[0].rating
    assert 190.8485 - within < found < 190.8485


def test_who_won_or_lost_everything_has_a_finite_rating_and_interval() -> None:
    # Of two entrants with log worths x and -x: n (1 - 1 / (1 + e^-2x)) + 1/2 - 1 / (1 + e^-x) = 0.
    for games in (1, 20, 10**9):
        found = rate(count_pairs(["ann", "bob"], [[0, 1]], [[games, 0, 0]]))
        x = found.ratings[0].rating / POINTS
        assert games * (1 - 1 / (1 + math.exp(-2 * x))) + 0.5 - 1 / (1 + math.exp(-x)) == pytest.approx(0, abs=1e-6)
        assert found.errors == "model"
        for rating in found.ratings:
            assert rating.low is not None
            assert rating.high is not None
            assert 100 < rating.high - rating.low < 1500
    assert [rating.note.split(":")[0] for rating in found.ratings] == ["won every game", "lost every game"]


def test_a_chain_of_winners_is_finite_and_in_order() -> None:
    names = [f"e{index}" for index in range(12)]
    pairs = list(combinations(range(12), 2))
    ratings = [rating.rating for rating in rate(count_pairs(names, pairs, [[10**6, 0, 0]] * len(pairs))).ratings]
    assert ratings == sorted(ratings, reverse=True)
    assert 400 < ratings[0] - ratings[1] < ratings[0] - ratings[11] < 50_000


def test_who_never_met_is_rated_by_the_prior_and_the_note_says_so() -> None:
    pairs, counts = [[0, 1], [1, 2], [3, 4]], [[6, 0, 4], [5, 0, 5], [6, 0, 4]]
    found = rate(count_pairs(list("abcdef"), pairs, counts), "a")
    notes = dict(zip("abcdef", [rating.note for rating in found.ratings], strict=True))
    apart = "no chain of games to 'a': the prior alone sets the distance"
    assert notes == {
        "a": "the reference",
        "b": "",
        "c": "",
        "d": apart,
        "e": apart,
        "f": "no games: the prior alone rates it",
    }
    # The interval across the gap is far wider than within.
    width = {rating.name: (rating.high or 0) - (rating.low or 0) for rating in found.ratings}
    assert width["d"] > 1.5 * width["b"]
    # Two groups alike lie around the same height.
    twins = logs(rate(count_pairs(list("abcd"), [[0, 1], [2, 3]], [[6, 1, 4]] * 2)))
    assert twins["a"] == pytest.approx(twins["c"])


def test_where_all_is_drawn_everybody_is_level() -> None:
    # 18 drawn games and three of the prior's that were not: ν / (2 + ν) = 18 / 21, so ν = 12.
    found = rate(count_pairs(list("abc"), [[0, 1], [1, 2]], [[0, 9, 0]] * 2))
    assert [rating.rating for rating in found.ratings] == [pytest.approx(0, abs=1e-9)] * 3
    assert prevalences(found) == pytest.approx({2: 12})
    assert found.errors == "model"
    # Four threefold ties and the prior's one choice that was none: δ / (3 + δ) = 4 / 5, so δ = 12.
    threes = rate(count_games(list("abc"), range(4), [[0, 1, 2]] * 4, [[1, 1, 1]] * 4))
    assert prevalences(threes) == pytest.approx({3: 12})


def test_without_games_all_stand_level() -> None:
    found = rate(count_pairs(["ann", "bob"], np.zeros((0, 2), dtype=int), np.zeros((0, 3), dtype=int)))
    assert [rating.rating for rating in found.ratings] == [0, 0]
    assert [rating.games for rating in found.ratings] == [0, 0]


def test_deals_that_all_ended_alike_have_the_models_interval() -> None:
    # In each of thirty deals either side won once: between deals nothing varies, and that is not certainty.
    split = count_pairs(["ann", "bob"], [[0, 1]], [[30, 0, 30]], [30], [[30, 0, 30, 0, 0, 30]])
    assert rate(split).ratings == rate(split, errors="model").ratings
    # One deal that went otherwise, and there is a variance to go by.
    other = count_pairs(["ann", "bob"], [[0, 1]], [[31, 0, 29]], [30], [[33, 0, 29, 0, 0, 29]])
    assert rate(other).errors == "deals"
    # An entrant with deals all alike among others whose deals vary.
    third = count_pairs(
        list("abc"),
        [[0, 1], [1, 2]],
        [[12, 0, 8], [10, 0, 10]],
        [10, 10],
        [[20, 0, 4, 0, 0, 12], [10, 0, 10, 0, 0, 10]],
    )
    assert [rating.note for rating in rate(third).ratings] == ["", "", "few deals, or all alike: the model's interval"]


def test_groups_that_always_beat_each_other_are_as_far_apart_as_the_model_knows() -> None:
    # ann and bob share their games, as cat and dan do; but ann and bob have won all of ten deals against either.
    mixed, won = [[12, 0, 8], [20, 0, 4, 0, 0, 12]], [[20, 0, 0], [40, 0, 0, 0, 0, 0]]
    sums = [mixed, mixed, won, won, won, won]
    pairs = [[0, 1], [2, 3], [0, 2], [0, 3], [1, 2], [1, 3]]
    outcomes = count_pairs(list("abcd"), pairs, [one for one, _ in sums], [10] * 6, [other for _, other in sums])
    over_deals, model = rate(outcomes, "a"), rate(outcomes, "a", errors="model")
    assert over_deals.errors == "deals"
    for index in (2, 3):
        ours, theirs = over_deals.ratings[index], model.ratings[index]
        assert None not in (ours.high, theirs.high)
        assert ((ours.high or 0) - ours.rating) / ((theirs.high or 0) - theirs.rating) > 0.95
        assert ours.note.startswith("always ahead of or behind 'a'")


@pytest.mark.parametrize(("deals", "way"), [(4, "model"), (5, "deals")])
def test_from_five_deals_on_their_variance_is_used(deals: int, way: str) -> None:
    # One deal is won twice, the others are shared.
    counts, products = [deals + 1, 0, deals - 1], [deals + 3, 0, deals - 1, 0, 0, deals - 1]
    assert rate(count_pairs(["ann", "bob"], [[0, 1]], [counts], [deals], [products])).errors == way


@pytest.mark.parametrize(
    ("pairs", "counts"),
    [
        # Whole steps of Newton's method run away here.
        ([[1, 2], [0, 2]], [[0, 1791, 0], [6673328, 9, 0]]),
        # Here the last bits of two million games keep the steps above a millionth.
        ([[0, 1], [0, 2], [1, 2]], [[0, 2095383, 0], [123, 115, 1], [484, 453431, 0]]),
    ],
)
def test_games_that_contradict_the_model_are_fitted_too(pairs: list[list[int]], counts: list[list[int]]) -> None:
    found = rate(count_pairs(["ann", "bob", "cat"], pairs, counts), "ann")
    delta, worth = prevalences(found)[2], {name: math.exp(value) for name, value in logs(found).items()}
    # Draws seen are draws expected; each entrant of the prior's games has hardly any.
    expected = 0.0
    for (i, j), row in zip(pairs, counts, strict=True):
        a, b = list(worth.values())[i], list(worth.values())[j]
        expected += sum(row) * delta * math.sqrt(a * b) / (a + b + delta * math.sqrt(a * b))
    assert expected == pytest.approx(sum(row[1] for row in counts), abs=3)


def random_outcomes(names: list[str], order: "np.ndarray[Any, Any]", parts: int = 1) -> Outcomes:
    """Games at tables of three among seven entrants, who are listed in that order, in so many parts."""
    random = np.random.default_rng(5)
    seated = np.stack([random.permutation(7)[:3] for _ in range(120)]).repeat(3, axis=0)
    places = random.integers(1, 4, seated.shape) + (seated > 4)
    listed = np.argsort(order)[seated]
    names = [names[index] for index in order]
    deals = np.arange(120).repeat(3)
    cuts = np.array_split(np.arange(360).reshape(-1, 3), parts)
    outcomes = [count_games(names, deals[cut.ravel()], listed[cut.ravel()], places[cut.ravel()]) for cut in cuts]
    whole = outcomes[-1]
    for part in outcomes[:-1]:
        whole = merge(whole, part)
    return whole


@pytest.mark.parametrize("reference", [MEAN, "e3"])
def test_the_order_of_entrants_and_parts_changes_no_bit(reference: str) -> None:
    names = [f"e{index}" for index in range(7)]
    found = rate(random_outcomes(names, np.arange(7)), reference)
    assert found.errors == "deals"
    for seed, parts in ((1, 1), (2, 5)):
        order = np.random.default_rng(seed).permutation(7)
        again = rate(random_outcomes(names, order, parts), reference)
        assert [again.ratings[place] for place in np.argsort(order)] == list(found.ratings)
        assert again.ties == found.ties


def test_other_names_get_the_same_ratings() -> None:
    found = rate(random_outcomes([f"e{index}" for index in range(7)], np.arange(7)))
    again = rate(random_outcomes([f"{'gfbdeac'[index]}" for index in range(7)], np.arange(7)))
    for one, other in zip(found.ratings, again.ratings, strict=True):
        assert one[1:4] == pytest.approx(other[1:4], abs=1e-7)
    for i, j in combinations(range(7), 2):
        ours = found.difference(found.ratings[i].name, found.ratings[j].name)
        theirs = again.difference(again.ratings[i].name, again.ratings[j].name)
        assert (ours.value, ours.low) == pytest.approx((theirs.value, theirs.low), abs=1e-7)


def test_differences_are_the_ratings_above_that_entrant() -> None:
    outcomes = random_outcomes([f"e{index}" for index in range(7)], np.arange(7))
    mean, above = rate(outcomes), rate(outcomes, "e2")
    for rating in above.ratings:
        difference = mean.difference(rating.name, "e2")
        assert difference.value == pytest.approx(rating.rating, abs=1e-7)
        if rating.name != "e2":
            assert (difference.low, difference.high) == pytest.approx((rating.low, rating.high))


SCRIPT = """
import numpy as np
from results.intervals import t_quantile
from results.outcomes import count_pairs
from results.ratings import rate
i, j = np.triu_indices(70, 1)
random = np.random.default_rng(8)
counts = random.integers(0, 9, (len(i), 3))
print(rate(count_pairs([f"e{k}" for k in range(70)], np.stack((i, j), axis=1), counts)))
"""


def test_threads_and_instruction_sets_change_no_bit() -> None:
    def printed(**settings: str) -> str:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **settings}
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        ).stdout

    features = [name for name, has in np._core._multiarray_umath.__cpu_features__.items() if has]  # type: ignore[attr-defined]
    baseline = np._core._multiarray_umath.__cpu_baseline__  # type: ignore[attr-defined]
    plain = " ".join(name for name in features if name not in baseline)
    assert printed(OPENBLAS_NUM_THREADS="1", NPY_DISABLE_CPU_FEATURES=plain) == printed()


# Of 200 intervals with a true level of 95 % fewer than 177 hold the truth with a chance of 1 in 10,000.
TOURNAMENTS, LEAST_COVERED = 200, 177


def tournaments(kind: str, entrants: int, deals: int, ties: float, spread: float) -> tuple[int, int, float]:
    """How many intervals over deals, and by the model, hold the truth, and the mean ratio of their widths.

    Games of a pair's deal come in twos; `kind` is whether the second is "free" of the first, goes the same way nine
    times in ten ("alike"), or the other way where it can ("opposed"). In each tournament one interval is looked at.
    """
    random = np.random.default_rng(entrants * 100 + deals)
    truth = np.linspace(-spread, spread, entrants)
    i, j = np.triu_indices(entrants, 1)
    weights = np.stack((np.exp(truth[i]), ties * np.exp((truth[i] + truth[j]) / 2), np.exp(truth[j])), axis=1)
    limits = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)[:, None, None, :2]
    covered, ratio = [0, 0], 0.0
    for number in range(TOURNAMENTS):
        u = random.random((len(i), deals, 2))
        if kind == "alike":
            u[:, :, 1] = np.where(random.random((len(i), deals)) < 0.9, u[:, :, 0], u[:, :, 1])
        if kind == "opposed":
            u[:, :, 1] = 1 - u[:, :, 0]
        ended = (u[..., None] > limits).sum(axis=3)
        kinds = [(ended == outcome).sum(axis=2) for outcome in range(3)]
        products = [(kinds[a] * kinds[b]).sum(axis=1) for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
        outcomes = count_pairs(
            [f"e{index}" for index in range(entrants)],
            np.stack((i, j), axis=1),
            np.stack([kind.sum(axis=1) for kind in kinds], axis=1),
            np.full(len(i), deals),
            np.stack(products, axis=1),
        )
        index = number % (entrants - 1) + 1
        widths = []
        for side, way in enumerate(("deals", "model")):
            low, high = rate(outcomes, "e0", errors=way).ratings[index][2:4]
            assert low is not None
            assert high is not None
            covered[side] += low <= POINTS * (truth[index] - truth[0]) <= high
            widths.append(high - low)
        ratio += widths[0] / widths[1] / TOURNAMENTS
    return covered[0], covered[1], ratio


def test_intervals_of_independent_games_cover_the_truth() -> None:
    deals, model, ratio = tournaments("free", 4, 10, ties=0.5, spread=0.6)
    assert deals >= LEAST_COVERED
    assert model >= LEAST_COVERED
    assert 0.9 < ratio < 1.2


@pytest.mark.parametrize(("entrants", "deals"), [(4, 10), (8, 3)])
def test_intervals_over_deals_cover_the_truth_where_games_of_a_deal_are_alike(entrants: int, deals: int) -> None:
    over_deals, model, _ = tournaments("alike", entrants, deals, ties=0.3, spread=1.0)
    assert over_deals >= LEAST_COVERED
    assert model < LEAST_COVERED


def test_intervals_over_deals_are_narrow_and_cover_the_truth_where_games_of_a_deal_are_opposed() -> None:
    deals, _, ratio = tournaments("opposed", 4, 10, ties=0.5, spread=0.6)
    assert deals >= LEAST_COVERED
    assert ratio < 0.75


def test_intervals_at_tables_of_four_with_luck_of_the_deal_cover_the_truth() -> None:
    # In Plackett's and Luce's model the order is that of log worth plus Gumbel's noise; 7 in 10 noises are the deal's.
    random = np.random.default_rng(77)
    truth = np.linspace(-0.8, 0.8, 5)
    tables = np.array(list(combinations(range(5), 4))).repeat(6, axis=0)
    covered = model = 0
    for number in range(TOURNAMENTS):
        noise = random.gumbel(size=(len(tables), 4, 4))
        noise = np.where(random.random((len(tables), 1, 4)) < 0.7, noise[:, :1], noise)
        marks = (truth[tables][:, None] + noise).reshape(-1, 4)
        deals = np.arange(len(tables)).repeat(4)
        outcomes = count_games(list("abcde"), deals, tables[deals], (-marks).argsort(axis=1).argsort(axis=1))
        index = 1 + number % 4
        for way in ("deals", "model"):
            low, high = rate(outcomes, "a", errors=way).ratings[index][2:4]
            assert low is not None
            assert high is not None
            held = low <= POINTS * (truth[index] - truth[0]) <= high
            covered, model = covered + (held and way == "deals"), model + (held and way == "model")
    assert covered >= LEAST_COVERED
    assert model < LEAST_COVERED


GAMES = count_pairs(["ann", "bob", "cat"], [[0, 1], [1, 2]], [[5, 1, 4], [6, 0, 0]])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rate(GAMES, prior=-1), "The prior is -1; allowed are numbers of games from 0 to 1000"),
        (lambda: rate(GAMES, prior=float("nan")), "The prior is nan"),
        (lambda: rate(GAMES, prior=True), "The prior is True"),
        (lambda: rate(GAMES, prior=0), "some entrants were never behind the others"),
        (lambda: rate(count_pairs(["ann", "bob"], [[0, 1]], [[0, 5, 0]]), prior=0), "no finite ratings"),
        (lambda: rate(count_pairs(["ann", "bob"], [[0, 1]], [[5, 1, 4]], [5]), errors="deals"), "products over deals"),
    ],
)
def test_bad_input_is_told_in_a_sentence(call: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        call()


def test_an_unknown_word_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'ann'"):
        rate(GAMES, "anne")
    with pytest.raises(UnknownName, match="Unknown entrant 'dan'"):
        rate(GAMES).difference("ann", "dan")
    with pytest.raises(UnknownName, match="Did you mean 'deals'"):
        rate(GAMES, errors="deal")
