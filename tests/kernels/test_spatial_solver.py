"""The spatial contact solver: hard problems of real runs, and a free chain against a dense solution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.engines.spatial_nonsmooth.params import link_rows
from snakestudio.engines.spatial_nonsmooth.problem_file import problem_from_arrays
from snakestudio.kernels.residual import CONVERGED
from snakestudio.kernels.spatial_problem import (
    ACROSS,
    AXIAL,
    AXIS_WIDTH,
    AXIS_X,
    DRAG,
    DRIVE,
    GAIN_WIDTH,
    IMPULSE_HIGH,
    LAW_GAIN,
    MASS,
    REAR,
    SWING_X,
    SpatialImpulses,
    SpatialProblem,
)
from snakestudio.model.scene import Solver
from tests.kernels import captured
from tests.kernels.compiled_spatial import residual, solve, solve_by_rescue

HARD = sorted((Path(__file__).parent / "hard_problems").glob("*.npz"))


@pytest.mark.parametrize("path", HARD, ids=lambda path: path.stem)
def test_hard_problems_of_real_runs_are_solved(path: Path) -> None:
    """Saved by the engine where Newton iterations alone failed (impacts, 22 loads on 12 degrees of freedom)."""
    with np.load(path) as arrays:
        problem, impulses, w = problem_from_arrays(arrays)
    solve(problem, impulses, w, Solver().max_iterations)
    assert residual(problem, impulses, w) <= CONVERGED


def test_very_slow_rolling_needs_few_linear_solves() -> None:
    """A run of 88 links between pipes, with rolling friction at its limit and widely different rolling rates."""
    with np.load(Path(__file__).parent / "hard_problems" / "30_193_contacts.npz") as arrays:
        problem, impulses, w = problem_from_arrays(arrays)
    assert solve(problem, impulses, w, Solver().max_iterations) <= 60
    assert residual(problem, impulses, w) <= CONVERGED


@pytest.mark.parametrize("name", ["32_189_contacts", "33_189_contacts"])
def test_rolling_at_the_limit_needs_few_linear_solves(name: str) -> None:
    """Steps of 88 links between pipes, which take over 90 linear solves with the gains of free links."""
    with np.load(Path(__file__).parent / "hard_problems" / f"{name}.npz") as arrays:
        problem, impulses, w = problem_from_arrays(arrays)
    assert solve(problem, impulses, w, Solver().max_iterations) <= 12
    assert residual(problem, impulses, w) <= CONVERGED


KINDS = (1, 3, 0, 2, 1, 3, 2)
"""Numbers of axes of the joints of a mixed chain, repeated."""


def chain(
    seed: int, n: int, offset: float, mixed: bool = False
) -> tuple[SpatialProblem, FloatArray]:
    """A random chain of unequal links with random motors, and its velocities; two axes per joint, or mixed."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=(n, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    mass = rng.uniform(0.5, 1.5, n)
    across = rng.uniform(1e-3, 3e-3, n)
    axial = rng.uniform(6e-4, 1.5e-3, n)
    rear = rng.uniform(0.03, 0.09, n)
    front = rng.uniform(0.03, 0.09, n)
    radius = np.full(n, 0.05)
    contact = np.tile([-0.04, 0.04], (n, 1))
    friction = np.full((n, 3), 0.2)
    links = link_rows(mass, across, axial, rear, front, contact, radius, np.zeros(n), friction)
    counts = np.array(
        [KINDS[k % len(KINDS)] for k in range(n - 1)] if mixed else [2] * (n - 1), dtype=np.int64
    )
    joints = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    axes = np.zeros((joints[-1], AXIS_WIDTH))
    reach = np.zeros((n - 1, 3))
    for k, count in enumerate(counts):
        unit = np.linalg.qr(rng.normal(size=(3, 3)))[0].T[:count]
        if count == 3:  # yaw and roll need not be orthogonal
            unit[2] = (unit[2] + 0.3 * unit[0]) / np.linalg.norm(unit[2] + 0.3 * unit[0])
        reach[k] = (rear[k] + front[k]) * axis[k]
        axes[joints[k] : joints[k + 1], AXIS_X : AXIS_X + 3] = unit
        if count >= 2:
            between = np.cross(unit[1], unit[0])
            reach[k] += offset * between
            axes[joints[k], SWING_X : SWING_X + 3] = offset * np.cross(unit[0], between)
    axes[:, DRIVE] = 1e-3 * rng.normal(size=len(axes))
    axes[:, DRAG] = rng.choice([0.0, 1e-3], size=len(axes))
    axes[:, LAW_GAIN] = 6e-4
    problem = SpatialProblem(
        links=links,
        joints=joints,
        half=0.05,
        scale=0.7 * 9.81 * 2.5e-4,
        swings=int(offset > 0.0),
        axis=axis,
        reach=reach,
        axes=axes,
        free=rng.normal(size=(n, 6)),
        n_laws=0,
        first=np.zeros(n + 1, np.int64),
        rows=np.zeros((1, 40)),
        gain=np.zeros((1, GAIN_WIDTH)),
    )
    return problem, rng.normal(size=(n, 6))


def dense_velocities(problem: SpatialProblem) -> FloatArray:
    """Velocities from generalised coordinates: w = J x, x = (w_1, all joint rates), J^T M (w - w_free) = motors."""
    n = len(problem.axis)
    size = 6 + len(problem.axes)
    jacobian = np.zeros((n, 6, size))
    jacobian[0, :, :6] = np.eye(6)
    for k in range(n - 1):
        shift = np.eye(6)
        shift[:3, 3:] = np.column_stack([np.cross(unit, problem.reach[k]) for unit in np.eye(3)])
        jacobian[k + 1] = shift @ jacobian[k]
        for j in range(problem.joints[k], problem.joints[k + 1]):
            jacobian[k + 1, :, 6 + j] += problem.axes[j, :6]
    matrix = np.zeros((size, size))
    right = np.zeros(size)
    for k in range(n):
        e = problem.axis[k]
        to_centre = np.eye(6)
        to_centre[:3, 3:] = np.column_stack(
            [np.cross(unit, problem.links[k, REAR] * e) for unit in np.eye(3)]
        )
        inertia = np.zeros((6, 6))
        mass, across, axial = problem.links[k, [MASS, ACROSS, AXIAL]]
        inertia[:3, :3] = mass * np.eye(3)
        inertia[3:, 3:] = across * np.eye(3) + (axial - across) * np.outer(e, e)
        centre = to_centre @ jacobian[k]
        matrix += centre.T @ inertia @ centre
        right += centre.T @ inertia @ problem.free[k]
    matrix[6:, 6:] += np.diag(problem.axes[:, DRAG])
    right[6:] += problem.axes[:, DRIVE]
    solution: FloatArray = jacobian @ np.linalg.solve(matrix, right)
    return solution


@pytest.mark.parametrize("offset", [0.0, 0.022])
@pytest.mark.parametrize(("n", "mixed"), [(2, False), (3, False), (11, False), (11, True)])
def test_free_chain_moves_by_the_dense_equations(n: int, mixed: bool, offset: float) -> None:
    """Against Lagrange's equations in minimal coordinates, solved densely by numpy."""
    for seed in range(5):
        problem, w = chain(seed, n, offset, mixed)
        impulses = SpatialImpulses(np.zeros((1, 5)), np.zeros(len(problem.axes)))
        solve(problem, impulses, w, 5)
        np.testing.assert_allclose(w, dense_velocities(problem), rtol=0, atol=1e-10)
        assert residual(problem, impulses, w) <= 1e-9


def test_captured_problems_are_solved_as_in_a_step() -> None:
    missed = {}
    for name, arrays in captured.spatial().items():
        problem, impulses, w = problem_from_arrays(arrays)
        solve(problem, impulses, w, Solver().max_iterations)
        if not residual(problem, impulses, w) <= CONVERGED:
            missed[name] = residual(problem, impulses, w)
    assert len(captured.spatial()) >= 140
    assert not missed


def test_captured_problems_are_solved_by_the_rescue_alone() -> None:
    """From zero, so that the result does not depend on the path of Newton's iteration."""
    missed = {}
    solves = []
    for name, arrays in captured.spatial().items():
        problem, impulses, w = problem_from_arrays(arrays)
        solves.append(solve_by_rescue(problem, impulses, w, Solver().max_iterations))
        if not residual(problem, impulses, w) <= CONVERGED:
            missed[name] = residual(problem, impulses, w)
    assert not missed
    assert np.median(solves) <= 60


def test_joint_limit_restricts_the_rate_of_its_angle() -> None:
    """A limit restricts a joint's angle: with omega_k+1 - omega_k = yaw' z_k + pitch' y_k+1 it restricts yaw'.

    If the axes are not orthogonal, z_k . (omega_k+1 - omega_k) contains a part of pitch',
    which is free.
    """
    problem, w = chain(3, 2, 0.0)
    axes = problem.axes
    yaw, pitch = axes[:, AXIS_X : AXIS_X + 3]
    skew = 0.05
    tilted = pitch + skew * yaw
    axes[1, AXIS_X : AXIS_X + 3] = tilted / np.linalg.norm(tilted)
    axes[:, DRAG] = 0.0
    axes[0, IMPULSE_HIGH] = np.inf
    problem = problem._replace(n_laws=1)
    impulses = SpatialImpulses(np.zeros((1, 5)), np.zeros(2))
    solve(problem, impulses, w, 100)
    if impulses.joint[0] == 0.0:  # it opened: push it against the limit
        axes[:, DRIVE] = -1.0, 0.3
        solve(problem, impulses, w, 100)
    assert impulses.joint[0] > 0.0
    relative = w[1, 3:] - w[0, 3:]
    rates = np.linalg.lstsq(axes[:, AXIS_X : AXIS_X + 3].T, relative, rcond=None)[0]
    assert abs(rates[0]) < 1e-9
    assert abs(rates[1]) > 1e-3
    # the projection is not zero, and need not be
    assert abs(axes[0, AXIS_X : AXIS_X + 3] @ relative) > 1e-4
    assert residual(problem, impulses, w) <= CONVERGED
