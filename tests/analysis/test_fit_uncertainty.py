"""Intervals of a fit contain the true value as often as stated, despite correlated residuals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from snakestudio.analysis.fitting.determination import determination

N = 300
LINKS = 5
RHO = 0.8
TRUE = np.array([0.3, -0.2])


def noise(random: np.random.Generator) -> np.ndarray:
    """AR(1) in time, half of it common to all links, (N, LINKS)."""
    driving = random.normal(size=(N, LINKS)) + random.normal(size=(N, 1))
    result = np.zeros((N, LINKS))
    result[0] = driving[0] / np.sqrt(1.0 - RHO**2)
    for k in range(1, N):
        result[k] = RHO * result[k - 1] + driving[k]
    return 0.05 * result


def test_intervals_contain_the_truth_in_95_of_100_cases() -> None:
    random = np.random.default_rng(5)
    time = np.linspace(0.0, 1.0, N)
    factor = np.linspace(0.5, 1.0, LINKS)
    columns = [np.outer(time, factor).ravel(), np.outer(np.sin(9.0 * time), np.ones(LINKS)).ravel()]
    jacobian = np.stack(columns, axis=1)
    instants = np.repeat(np.arange(N), LINKS)
    held = np.zeros(2)
    naive = np.zeros(2)
    rounds = 400
    for _ in range(rounds):
        values = jacobian @ TRUE + noise(random).ravel()
        estimate, *_ = np.linalg.lstsq(jacobian, values, rcond=None)
        residual = jacobian @ estimate - values
        result = determination(jacobian, residual, [instants], 0)
        held += np.abs(estimate - TRUE) < result.half_width
        white = np.sqrt(
            np.diag(np.linalg.inv(jacobian.T @ jacobian))
            * (residual @ residual)
            / (len(residual) - 2)
        )
        naive += np.abs(estimate - TRUE) < student.ppf(0.975, len(residual) - 2) * white
    assert (held / rounds > 0.9).all()
    assert (held / rounds < 0.99).all()
    assert (naive / rounds < 0.6).all(), "white noise would promise far too much"


def test_white_noise_gives_the_textbook_covariance() -> None:
    random = np.random.default_rng(1)
    jacobian = random.normal(size=(20_000, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    residual = 0.1 * random.normal(size=20_000)
    result = determination(jacobian, residual, [np.arange(20_000)], 0)
    exact = 0.01 * np.linalg.inv(jacobian.T @ jacobian)
    np.testing.assert_allclose(result.covariance, exact, rtol=0.05)
    assert result.correlation[0, 1] == pytest.approx(
        exact[0, 1] / np.sqrt(exact[0, 0] * exact[1, 1]), abs=0.02
    )
    np.testing.assert_allclose(result.singular_values, np.linalg.svd(jacobian, compute_uv=False))
    assert result.effective == pytest.approx(20_000, rel=0.05)
    assert result.no_effect == ()
    assert result.weak == ()


def test_directions_that_the_data_leave_open_are_named() -> None:
    random = np.random.default_rng(2)
    one = random.normal(size=500)
    jacobian = np.stack(
        [one, one + 1e-6 * random.normal(size=500), 30.0 * random.normal(size=500), np.zeros(500)],
        1,
    )
    result = determination(jacobian, 0.1 * random.normal(size=500), [np.arange(500)], 0)
    assert result.no_effect == (3,)
    assert result.weak == ((0, 1),)
    assert np.isnan(result.half_width[3])
    assert result.half_width[2] < 0.01
