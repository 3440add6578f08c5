"""One-sided reactions by pivoting, against a search over all sets of active rows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engines.nonholonomic import reactions
from tests.kernels.compiled_nonholonomic import residual, solve


@pytest.mark.parametrize("seed", range(60))
def test_reactions_are_the_unique_solution_from_any_start(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    root = rng.normal(size=(n, n))
    matrix = root @ root.T + 10.0 ** rng.uniform(-6, 0) * np.eye(n)
    free = rng.normal(size=n)
    side = rng.choice([-1.0, 0.0, 1.0], n)
    expected = reactions(matrix, free, side)
    # its upper triangle must not be read
    lower = np.tril(matrix) + np.triu(np.full((n, n), np.nan), 1)
    acts = rng.integers(0, 2, n)
    result = np.zeros(n)
    scratch = np.zeros(n, np.int64), np.zeros((n, n)), np.zeros(n)
    assert solve(lower, free, side, acts, *scratch, result) > 0
    assert result == pytest.approx(
        expected, rel=1e-7, abs=1e-9 * max(1.0, float(np.abs(expected).max()))
    )
    assert residual(lower, free, side, 1.0, result) < 1e-8 * max(1.0, float(np.abs(expected).max()))
    again = np.zeros(n)
    assert solve(lower, free, side, acts, *scratch, again) == 1, "rows that react are remembered"
    assert np.array_equal(again, result)


def test_residual_detects_a_pull() -> None:
    one = np.eye(1)
    push = np.ones(1)
    assert residual(one, np.array([1.0]), push, 1.0, np.array([-1.0])) == pytest.approx(1.0)
    assert residual(one, np.array([-1.0]), push, 1.0, np.array([0.5])) == pytest.approx(0.5)
    assert residual(one, np.array([-1.0]), push, 1.0, np.array([1.0])) == 0.0
