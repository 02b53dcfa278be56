"""Exponentials and matrices made of + - × / and square roots in a fixed order: the same bits on every machine.

The C library's exp and the matrix routines under numpy round differently from machine to machine and with the
number of threads. Numpy's elementwise operations do not, and what is here consists of them.
"""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# ln 2 in two parts; the first has so few bits that its product with a small whole number is exact.
LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
INVERSE_LN2 = 1.4426950408889634

# Below it e^x is no longer a normal number.
LEAST_EXPONENT = -700.0

# The rows of a product that are worked on at a time stay in a core's cache.
TILE_ROWS = 48

# Up to this size a triangle is worked out row by row.
LEAF = 24


def exponential(x: Floats) -> Floats:
    """Return e^x for x from -700 (below it: that of -700) to 700, to a part in 10^15.

    With k = x / ln 2, rounded, e^x is 2^k e^r, and r lies within ± 0.35, where fourteen terms of Taylor's
    series are exact to the last bit or two (as in W. J. Cody and W. Waite, Software Manual for the Elementary
    Functions, 1980).
    """
    x = np.maximum(x, LEAST_EXPONENT)
    k = np.rint(x * INVERSE_LN2)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    series = np.full_like(r, 1 / factorial(13))
    for power in range(12, -1, -1):
        series = series * r + 1 / factorial(power)
    return np.asarray(np.ldexp(series, k.astype(np.int32)))


def product(a: Floats, b: Floats) -> Floats:
    """Return the matrix product a b, each element summed from left to right."""
    result = np.zeros((a.shape[0], b.shape[1]))
    for first in range(0, len(a), TILE_ROWS):
        tile, rows = result[first : first + TILE_ROWS], a[first : first + TILE_ROWS]
        scratch = np.empty_like(tile)
        # Half of a triangle is 0 and adds nothing.
        for k in np.flatnonzero(rows.any(axis=0)):
            np.multiply(rows[:, k, None], b[k], out=scratch)
            np.add(tile, scratch, out=tile)
    return result


def root_of_inverse(a: Floats) -> Floats:
    """Return the upper triangle w with w wᵀ = a⁻¹ of a symmetric, positive definite matrix a.

    It is the inverse of Cholesky's factor, halved until the pieces are small.

    Raises
    ------
    ArithmeticError
        If the matrix is not positive definite.
    """
    n = len(a)
    if n <= LEAF:
        return _root_of_leaf(a)
    half = n // 2
    w = np.zeros((n, n))
    w[:half, :half] = upper = root_of_inverse(a[:half, :half])
    across = product(np.ascontiguousarray(upper.T), a[:half, half:])
    w[half:, half:] = lower = root_of_inverse(a[half:, half:] - product(np.ascontiguousarray(across.T), across))
    w[:half, half:] = -product(product(upper, across), lower)
    return w


def _root_of_leaf(a: Floats) -> Floats:
    """Return `root_of_inverse` of a small matrix, row by row."""
    n = len(a)
    u, rest = np.zeros((n, n)), a.copy()
    for k in range(n):
        if not rest[k, k] > 0:
            raise ArithmeticError("The matrix is not positive definite.")
        u[k, k:] = rest[k, k:] / np.sqrt(rest[k, k])
        rest[k + 1 :, k + 1 :] -= u[k, k + 1 :, None] * u[k, k + 1 :]
    w = np.eye(n)
    for k in range(n - 1, -1, -1):
        # Row k of u w = 1, from the rows below it.
        for j in range(k + 1, n):
            w[k] -= u[k, j] * w[j]
        w[k] /= u[k, k]
    return w
