from decimal import Decimal, localcontext

import numpy as np
import pytest

from results.arithmetic import LEAF, exponential, product, root_of_inverse


def test_exponentials_are_right_to_the_last_bits() -> None:
    x = np.concatenate((np.linspace(-40, 40, 2001), np.linspace(-700, 700, 301), [0.0, 1e-300, -1e-17]))
    with localcontext() as context:
        context.prec = 40
        exact = [Decimal(float(value)).exp() for value in x]
        errors = [abs(Decimal(float(y)) / e - 1) for y, e in zip(exponential(x), exact, strict=True)]
    assert max(errors) < Decimal("4.5e-16")
    assert exponential(np.array([0.0]))[0] == 1


def test_exponentials_below_the_least_stay_small_and_above_0() -> None:
    assert 0 < exponential(np.array([-1e6]))[0] < 1e-300


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 2), (101, 60, 7)])
def test_a_product_is_summed_from_left_to_right(shape: tuple[int, int, int]) -> None:
    random = np.random.default_rng(3)
    a, b = random.normal(size=shape[:2]), random.normal(size=shape[1:])
    a[:, 0] = 0
    found = product(a, b)
    for i, j in ((0, 0), (shape[0] - 1, shape[2] - 1)):
        total = 0.0
        for k in range(shape[1]):
            total += float(a[i, k]) * float(b[k, j])
        assert found[i, j] == total


@pytest.mark.parametrize("size", [1, 2, LEAF, LEAF + 1, 90])
def test_the_root_of_an_inverse_is_a_triangle_and_gives_the_inverse(size: int) -> None:
    rows = np.random.default_rng(size).normal(size=(size, size + 5))
    matrix = rows @ rows.T
    root = root_of_inverse(matrix)
    assert (np.tril(root, -1) == 0).all()
    assert np.abs(root @ root.T @ matrix - np.eye(size)).max() < 1e-7


@pytest.mark.parametrize("matrix", [[[0.0]], [[1.0, 2.0], [2.0, 1.0]], [[np.nan]]])
def test_a_matrix_that_is_not_positive_definite_has_no_root(matrix: list[list[float]]) -> None:
    with pytest.raises(ArithmeticError):
        root_of_inverse(np.array(matrix))
