from fractions import Fraction
from math import atan, cos, pi, sin, sqrt

import numpy as np
import pytest

from results.intervals import difference, mean, proportion, ratio, t_quantile, wilson

ONE = Fraction(1)


def t_central_probability(t: float, degrees: int) -> float:
    """P(|T| < t) in closed form: Abramowitz and Stegun 26.7.3 (odd degrees) and 26.7.4 (even)."""
    angle = atan(t / sqrt(degrees))
    if degrees % 2:
        term, total = cos(angle), 0.0
        for k in range(3, degrees + 1, 2):
            total += term
            term *= cos(angle) ** 2 * (k - 1) / k
        return 2 / pi * (angle + sin(angle) * total)
    term, total = 1.0, 1.0
    for k in range(2, degrees - 1, 2):
        term *= cos(angle) ** 2 * (k - 1) / k
        total += term
    return sin(angle) * total


# The column 0.975 of the usual table of Student's t.
@pytest.mark.parametrize(
    ("degrees", "printed"),
    [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (4, 2.776),
        (5, 2.571),
        (9, 2.262),
        (10, 2.228),
        (20, 2.086),
        (30, 2.042),
        (60, 2.000),
        (120, 1.980),
        (10**9, 1.960),
    ],
)
def test_t_quantiles_are_those_of_the_printed_table(degrees: int, printed: float) -> None:
    assert round(t_quantile(degrees), 3) == printed


@pytest.mark.parametrize("degrees", [*range(1, 40), 99, 100, 400])
def test_t_quantiles_solve_the_closed_form(degrees: int) -> None:
    within = 1e-12 if degrees <= 9 else 2e-6
    assert t_central_probability(t_quantile(degrees), degrees) == pytest.approx(0.95, abs=within)


# R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998)
# 857-872, table I, method 3 (score without continuity correction).
@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_are_those_that_newcombe_prints(hits: int, n: int, low: float, high: float) -> None:
    found = wilson(hits / n, n)
    assert (round(found[0], 4), round(found[1], 4)) == (low, high)


def test_a_mean_over_deals_by_hand() -> None:
    # Deals of 4 games with sums 4, 8, 12: means 1, 2, 3, mean 2, variance 1, standard error 1 / sqrt(3) =
    # 0.57735; 4.302653 × 0.57735 = 2.484138 for 2 degrees of freedom.
    found = mean(3, 4 + 8 + 12, 16 + 64 + 144, Fraction(4))
    assert found.value == 2
    assert found.low == pytest.approx(2 - 2.484138, abs=1e-6)
    assert found.high == pytest.approx(2 + 2.484138, abs=1e-6)


def test_where_nothing_varies_a_mean_has_no_interval_and_says_so() -> None:
    assert mean(1, 5, 25, ONE).low is None
    assert "one deal" in mean(1, 5, 25, ONE).note
    assert mean(3, 15, 75, ONE).high is None
    assert "same in every deal" in mean(3, 15, 75, ONE).note


def test_a_mean_is_exact_where_floats_would_cancel() -> None:
    # Values 10^15 and 10^15 + 1: variance 1/2, of the mean 1/4, standard error 1/2.
    base = 10**15
    found = mean(2, 2 * base + 1, base**2 + (base + 1) ** 2, ONE)
    assert found.low is not None
    assert found.value is not None
    assert found.value - found.low == pytest.approx(12.706204736 / 2, abs=0.2)


@pytest.mark.parametrize("share", [0, 1])
@pytest.mark.parametrize("deals", [1, 2, 20, 10**6])
def test_at_0_and_100_percent_a_proportion_has_a_finite_interval(share: int, deals: int) -> None:
    found = proportion(deals, share * deals, share * deals, ONE)
    assert found.value == share
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= share <= found.high <= 1
    assert found.high - found.low > 0
    if deals == 20:  # Newcombe's 0 of 20, and its mirror image.
        assert found.high - found.low == pytest.approx(0.1611, abs=5e-5)


def test_a_proportion_of_one_deal_could_be_any() -> None:
    found = proportion(1, 1, 1, Fraction(4))
    assert (found.value, found.low, found.high) == (0.25, 0.0, 1.0)
    assert found.note


def test_a_proportion_of_clustered_games_by_hand() -> None:
    # 11 deals of 2 games; 4 deals have 2 hits, 2 have 1, 5 have none: p = 10 / 22 = 5/11. Deal means 1, 1/2,
    # 0: Σ = 5, Σ² = 4 + 2/4 = 4.5, variance of the mean (11 × 4.5 - 25) / (11² × 10) = 24.5 / 1210, so n =
    # (5/11 × 6/11) / (24.5 / 1210) = 30 / 121 × 1210 / 24.5 = 12.244898.
    found = proportion(11, 10, 4 * 4 + 2 * 1, Fraction(2))
    assert found.value == pytest.approx(5 / 11)
    assert (found.low, found.high) == pytest.approx(wilson(5 / 11, 12.244898, t_quantile(10)), abs=1e-7)


def test_a_ratio_by_hand() -> None:
    # n = 1, 2, 4 and m = 2, 4, 4: R = 7/10. Residuals n - R m = -0.4, -0.8, 1.2, squares 0.16 + 0.64 + 1.44 =
    # 2.24. Variance 3/2 × 2.24 / 10² = 0.0336, error 0.183303, times 4.302653 = 0.788689.
    found = ratio(3, (7, 10), (1 + 4 + 16, 4 + 16 + 16), 2 + 8 + 16)
    assert found.value == 0.7
    assert found.low == pytest.approx(0.7 - 0.788689, abs=1e-6)
    assert found.high == pytest.approx(0.7 + 0.788689, abs=1e-6)


def test_a_ratio_in_other_units_is_scaled_whole() -> None:
    plain, scaled = (ratio(3, (7, 10), (21, 36), 26, scale) for scale in (ONE, Fraction(5, 2)))
    assert scaled.value == pytest.approx(1.75)
    assert scaled.high == pytest.approx((plain.high or 0) * 2.5)


def test_a_ratio_without_anything_to_divide_by_has_no_value() -> None:
    found = ratio(3, (0, 0), (0, 0), 0)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.note


def test_a_ratio_of_one_deal_or_of_equal_deals_has_no_interval() -> None:
    assert ratio(1, (1, 2), (1, 4), 2).low is None
    assert ratio(2, (3, 6), (5, 20), 10).low is None


def test_a_paired_difference_by_hand() -> None:
    # x = 4, 6, 8 over 2 seats, y = 1, 3, 2 over 1: differences 2 - 1, 3 - 3, 4 - 2 = 1, 0, 2, mean 1,
    # variance 1, error 0.57735, times 4.302653 = 2.484138.
    found = difference(3, (18, 6), (16 + 36 + 64, 1 + 9 + 4), 4 + 18 + 16, (Fraction(2), Fraction(1)))
    assert found.value == 1
    assert found.low == pytest.approx(1 - 2.484138, abs=1e-6)
    assert found.high == pytest.approx(1 + 2.484138, abs=1e-6)


REPEATS = 2000
# 95 % of 2000 intervals are to hold the truth. Their number has a standard deviation of sqrt(2000 × 0.95 ×
# 0.05) = 9.75; by four of these, 39, it falls short once in 30,000 times.
LEAST_COVERED = 1900 - 39


def covered(truth: float, found: list[tuple[float | None, float | None]]) -> int:
    return sum(low is not None and high is not None and low <= truth <= high for low, high in found)


@pytest.mark.parametrize(("p", "deals"), [(0.25, 10), (0.25, 60), (0.5, 100), (0.02, 400)])
def test_intervals_of_clustered_proportions_cover_the_truth(p: float, deals: int) -> None:
    # The four games of a deal have a chance of their own, drawn from Beta(6p, 6 - 6p), so they are alike.
    random = np.random.default_rng(20 + deals)
    hits = random.binomial(4, random.beta(6 * p, 6 - 6 * p, (REPEATS, deals)))
    estimates = [proportion(deals, int(x.sum()), int((x * x).sum()), Fraction(4)) for x in hits]
    assert covered(p, [(e.low, e.high) for e in estimates]) >= LEAST_COVERED


@pytest.mark.parametrize("deals", [2, 5, 40])
def test_intervals_of_means_and_differences_cover_the_truth(deals: int) -> None:
    random = np.random.default_rng(deals)
    x = np.rint(random.normal(1000, 100, (REPEATS, deals))).astype(int)
    y = x + np.rint(random.normal(50, 20, (REPEATS, deals))).astype(int)
    means = [mean(deals, int(a.sum()), int((a * a).sum()), ONE) for a in x]
    assert covered(1000, [(e.low, e.high) for e in means]) >= LEAST_COVERED
    differences = [
        difference(
            deals,
            (int(b.sum()), int(a.sum())),
            (int((b * b).sum()), int((a * a).sum())),
            int((a * b).sum()),
            (ONE, ONE),
        )
        for a, b in zip(x, y, strict=True)
    ]
    assert covered(50, [(e.low, e.high) for e in differences]) >= LEAST_COVERED


def test_intervals_of_ratios_cover_the_truth() -> None:
    random = np.random.default_rng(8)
    m = random.poisson(9, (REPEATS, 60)) + 1
    n = random.binomial(m, 0.6)
    estimates = [
        ratio(
            60,
            (int(a.sum()), int(b.sum())),
            (int((a * a).sum()), int((b * b).sum())),
            int((a * b).sum()),
        )
        for a, b in zip(n, m, strict=True)
    ]
    assert covered(0.6, [(e.low, e.high) for e in estimates]) >= LEAST_COVERED
