"""95 % intervals over deals, from exact sums.

Deals are independent, the games of one deal are not: every variance here is one of deals. The exact sums are
divided last, and the rest is + - × / and square roots, which every machine rounds alike: the same sums give
the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

# The 97.5 % quantile of the normal distribution.
Z = 1.959963984540054

# The 97.5 % quantiles of Student's t for 1 .. 9 degrees of freedom, where the expansion below is too coarse.
T_TABLE = (
    12.706204736174698,
    4.302652729749464,
    3.182446305283710,
    2.776445105197799,
    2.570581835636314,
    2.446911851144979,
    2.364624251592785,
    2.306004135204166,
    2.262157162798204,
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval; `low` and `high` are None where there is none, and `note` says why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""


def t_quantile(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution with 1 or more degrees of freedom.

    A table up to 9; above it the expansion of Abramowitz and Stegun, Handbook of Mathematical Functions
    (1964), 26.7.5, to the fourth power of 1 / degrees, which is off by less than 0.00002. It needs no
    logarithm or power of the C library, which would round differently from machine to machine.
    """
    if degrees <= len(T_TABLE):
        return T_TABLE[degrees - 1]
    z, n = Z, float(degrees)
    z2 = z * z
    g1 = (z2 + 1) * z / 4
    g2 = ((5 * z2 + 16) * z2 + 3) * z / 96
    g3 = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * z / 384
    g4 = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) * z / 92160
    return z + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n


def wilson(p: float, n: float, quantile: float = Z) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion p seen among n (n > 0 need not be whole).

    E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927)
    209-212.
    """
    square = quantile * quantile
    middle = (p + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * sqrt(p * (1 - p) / n + square / (4 * n * n))
    # Rounding alone could leave an end a hair on the wrong side of p or of the possible.
    return max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half))


def mean(deals: int, total: Fraction | int, square: Fraction | int, scale: Fraction) -> Estimate:
    """Return the mean over deals of x_d / scale with Student's interval; Σ x_d = total, Σ x_d² = square.

    With one deal, or if all deals are equal, nothing can be said about the error, and there is no interval.
    """
    value = float(Fraction(total, deals) / scale)
    if deals == 1:
        return Estimate(value, note="one deal: no interval")
    variance = _variance_of_mean(deals, total, square) / scale**2
    if variance == 0:
        return Estimate(value, note="the same in every deal: no interval")
    half = t_quantile(deals - 1) * sqrt(variance)
    return Estimate(value, value - half, value + half)


def proportion(deals: int, total: Fraction | int, square: Fraction | int, scale: Fraction) -> Estimate:
    """Return the mean over deals of x_d / scale, each between 0 and 1, with a Wilson interval over deals.

    The deals' variance says how many independent observations the mean is worth: n = p (1 - p) / variance of
    the mean (E. L. Korn and B. I. Graubard, Confidence intervals for proportions with small expected number
    of positive counts estimated from survey data, Survey Methodology 24 (1998) 193-201; there for the
    interval of Clopper and Pearson). As there, a variance estimated from few deals widens the interval:
    Student's quantile stands for the normal one. Where the deals do not vary, as at 0 % and 100 %, n is the
    number of deals: a deal is worth one observation or more.
    """
    exact = Fraction(total, deals) / scale
    p = float(exact)
    if deals == 1:
        return Estimate(p, 0.0, 1.0, note="one deal: the whole range")
    variance = _variance_of_mean(deals, total, square) / scale**2
    if variance == 0:
        return Estimate(p, *wilson(p, deals))
    return Estimate(p, *wilson(p, float(exact * (1 - exact) / variance), t_quantile(deals - 1)))


def ratio(
    deals: int, totals: tuple[int, int], squares: tuple[int, int], cross: int, scale: Fraction = Fraction(1)
) -> Estimate:
    """Return scale × Σ n_d / Σ m_d with its interval, from sums, sums of squares and the sum of n_d m_d.

    The ratio is linearised: the deals' residuals n_d - R m_d stand for its error (W. G. Cochran, Sampling
    Techniques, 3rd ed. 1977, section 6.4), with Student's quantile.
    """
    numerator, denominator = totals
    if denominator == 0:
        return Estimate(None, note="nothing to divide by")
    value = float(Fraction(numerator, denominator) * scale)
    if deals == 1:
        return Estimate(value, note="one deal: no interval")
    # Over the common denominator the residual of a deal is (n_d Σm - m_d Σn) / Σm, and the residuals add up
    # to 0.
    residuals = squares[0] * denominator**2 - 2 * cross * numerator * denominator + squares[1] * numerator**2
    variance = scale**2 * Fraction(residuals * deals, (deals - 1) * denominator**4)
    if variance == 0:
        return Estimate(value, note="the same in every deal: no interval")
    half = t_quantile(deals - 1) * sqrt(variance)
    return Estimate(value, value - half, value + half)


def difference(
    deals: int,
    totals: tuple[Fraction | int, Fraction | int],
    squares: tuple[Fraction | int, Fraction | int],
    cross: Fraction | int,
    scales: tuple[Fraction, Fraction],
) -> Estimate:
    """Return the mean of x_d / scales[0] - y_d / scales[1] over deals with Student's interval, paired.

    Sums and sums of squares are those of x and y, `cross` is the sum of x_d y_d.
    """
    a, b = scales
    # Over the common denominator a b the difference of a deal is (b x_d - a y_d) / (a b).
    total = b * totals[0] - a * totals[1]
    square = b * b * squares[0] - 2 * a * b * cross + a * a * squares[1]
    return mean(deals, total, square, a * b)


def _variance_of_mean(deals: int, total: Fraction | int, square: Fraction | int) -> Fraction:
    """Return the estimated variance of the mean of x_d, exactly; two deals or more."""
    return Fraction(deals * square - total * total, deals * deals * (deals - 1))
