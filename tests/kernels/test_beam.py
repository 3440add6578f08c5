"""Integration along a body, against scipy's adaptive integrator and closed forms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from snakestudio._arrays import FloatArray
from snakestudio.kernels.beam import (
    accumulate,
    accumulated_at,
    beam_shape,
    frame_at,
    interpolate_at,
)
from snakestudio.kernels.symmetric import pseudo_solve
from tests.kernels.test_frames import homogeneous, matrix

LENGTH = 1.3


def strains(x: FloatArray) -> FloatArray:
    """A strain in all six entries, (m, 6)."""
    entries = [
        1 + 0.2 * np.sin(3 * x),
        0.1 * x,
        0.05 * np.cos(x),
        2 * np.sin(5 * x),
        4 * np.cos(7 * x),
        6 * x * x - 2,
    ]
    return np.stack(np.broadcast_arrays(*entries), axis=1)


def exact(until: float) -> FloatArray:
    """Frame g(X) by integration of g' = g xi^ as a matrix, P5 (6)."""

    def slope(x: float, g: FloatArray) -> FloatArray:
        return (g.reshape(4, 4) @ matrix(strains(np.array([x]))[0])).ravel()

    result = solve_ivp(slope, (0, until), np.eye(4).ravel(), "DOP853", rtol=1e-12, atol=1e-13)
    return np.asarray(result.y[:, -1].reshape(4, 4))


def shape(slices: int) -> tuple[FloatArray, FloatArray, float]:
    strain = strains(np.linspace(0, LENGTH, 2 * slices + 1))
    frames = np.zeros((len(strain), 12))
    beam_shape(strain, LENGTH / slices, frames, np.zeros((6, 12)))
    return strain, frames, LENGTH / slices


def order(error: Callable[[int], float]) -> float:
    """Order of convergence between 40 and 80 slices."""
    return float(np.log2(error(40) / error(80)))


def test_shape_is_of_order_four_at_and_between_points() -> None:
    tail = exact(LENGTH)

    def at_tail(slices: int) -> float:
        return float(np.abs(homogeneous(shape(slices)[1][-1]) - tail).max())

    def at_middle_of_slice(slices: int) -> float:
        _, frames, h = shape(slices)
        point = slices + 1  # odd: in the middle of a slice
        return float(np.abs(homogeneous(frames[point]) - exact(0.5 * h * point)).max())

    def between(slices: int) -> float:
        strain, frames, h = shape(slices)
        out = np.zeros(12)
        frame_at(strain, frames, h, 0.777, out, np.zeros((6, 12)))
        return float(np.abs(homogeneous(out) - exact(0.777)).max())

    assert order(at_tail) == pytest.approx(4, abs=0.2)
    assert order(at_middle_of_slice) == pytest.approx(4, abs=0.3)
    assert order(between) == pytest.approx(4, abs=0.3)
    assert at_tail(320) < 1e-8


def test_rotations_stay_rotations() -> None:
    _, frames, _ = shape(640)
    turns = frames[:, :9].reshape(-1, 3, 3)
    assert np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)).max() < 1e-13


def test_integrals_are_of_order_four_at_points_and_between() -> None:
    def error(slices: int, where: float) -> float:
        x = np.linspace(0, LENGTH, 2 * slices + 1)
        density = np.cos(9 * x)[:, None]
        total = np.zeros((len(x), 1))
        out = np.zeros(1)
        accumulate(density, LENGTH / slices, total)
        accumulated_at(density, total, LENGTH / slices, where, out)
        return float(abs(out[0] - np.sin(9 * where) / 9))

    assert order(lambda n: error(n, LENGTH)) == pytest.approx(4, abs=0.1)
    assert max(error(160, where) for where in np.linspace(0, LENGTH, 77)) < 1e-8


def test_values_between_points_follow_function_and_slope() -> None:
    x = np.linspace(0, LENGTH, 321)
    values = np.stack([np.sin(7 * x), x**5], axis=1)
    out = np.zeros(2)
    slope = np.zeros(2)
    for where in (0.0, 0.001, 0.5, 0.6543, LENGTH - 0.001, LENGTH):
        interpolate_at(values, LENGTH / 160, where, out, slope)
        assert out == pytest.approx([np.sin(7 * where), where**5], abs=1e-11)
        assert slope == pytest.approx([7 * np.cos(7 * where), 5 * where**4], abs=1e-7)


@pytest.mark.parametrize("rank", [1, 2, 4, 6])
def test_pseudo_inverse_equals_numpy(rank: int) -> None:
    rng = np.random.default_rng(rank)
    for _ in range(20):
        root = rng.normal(size=(6, rank)) * 10 ** rng.uniform(-2, 2, rank)
        a = root @ root.T
        b = rng.normal(size=6)
        out = np.zeros(6)
        assert pseudo_solve(a.copy(), np.zeros((6, 6)), 6, 1e-11, b, out) == rank
        expected = np.linalg.pinv(a, rcond=1e-11, hermitian=True) @ b
        assert out == pytest.approx(expected, rel=1e-6, abs=1e-8 * float(np.abs(expected).max()))
