"""The contact solver in space: hard problems that runs have met, and a free chain against a dense solution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.engines.spatial_nonsmooth.problem_file import problem_from_arrays
from snakestudio.kernels.residual import CONVERGED
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem
from snakestudio.model.scene import Solver
from tests.kernels import captured
from tests.kernels.compiled_spatial import residual, solve, solve_by_rescue

HARD = sorted((Path(__file__).parent / "hard_problems").glob("*.npz"))


@pytest.mark.parametrize("path", HARD, ids=lambda path: path.stem)
def test_hard_problems_that_runs_have_met_are_solved(path: Path) -> None:
    """Saved by the engine where Newton iterations alone failed (impacts, 22 loads on 12 degrees of freedom)."""
    with np.load(path) as arrays:
        problem, impulses, w = problem_from_arrays(arrays)
    solve(problem, impulses, w, Solver().max_iterations)
    assert residual(problem, impulses, w) <= CONVERGED


def chain(seed: int, n: int, offset: float) -> tuple[SpatialProblem, FloatArray]:
    """A chain in a random pose with random motors, and velocities it has."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=(n, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    joint = np.zeros((n - 1, 12))
    half = 0.05
    for k in range(n - 1):
        yaw, pitch = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
        between = np.cross(pitch, yaw)
        joint[k] = np.concatenate([yaw, pitch, 2 * half * axis[k] + offset * between, offset * np.cross(yaw, between)])
    problem = SpatialProblem(
        mass=0.7, inertia=1.3e-3, axial=9.4e-4, half=half, offset=offset, scale=0.7 * 9.81 * 2.5e-4, axis=axis,
        joint=joint, free=rng.normal(size=(n, 6)), drive=1e-3 * rng.normal(size=(n - 1, 2)),
        drag=rng.choice([0.0, 1e-3], size=(n - 1, 2)), stop=np.zeros((n - 1, 2)), n_stops=0,
        first=np.zeros(n + 1, np.int64), rows=np.zeros((1, 40)), gain=np.zeros((1, 3)),
    )  # fmt: skip
    return problem, rng.normal(size=(n, 6))


def dense_velocities(problem: SpatialProblem) -> FloatArray:
    """The same from generalised coordinates: w = J x with x = (w_1, all joint rates), J^T M (w - w_free) = motors."""
    n = len(problem.axis)
    size = 6 + 2 * (n - 1)
    jacobian = np.zeros((n, 6, size))
    jacobian[0, :, :6] = np.eye(6)
    for k in range(n - 1):
        yaw, pitch, reach, sweep = problem.joint[k].reshape(4, 3)
        shift = np.eye(6)
        shift[:3, 3:] = np.column_stack([np.cross(unit, reach) for unit in np.eye(3)])
        jacobian[k + 1] = shift @ jacobian[k]
        jacobian[k + 1, :, 6 + 2 * k] += np.concatenate([sweep, yaw])
        jacobian[k + 1, :, 7 + 2 * k] += np.concatenate([np.zeros(3), pitch])
    matrix, right = np.zeros((size, size)), np.zeros(size)
    for k in range(n):
        e = problem.axis[k]
        to_centre = np.eye(6)
        to_centre[:3, 3:] = np.column_stack([np.cross(unit, problem.half * e) for unit in np.eye(3)])
        inertia = np.zeros((6, 6))
        inertia[:3, :3] = problem.mass * np.eye(3)
        inertia[3:, 3:] = problem.inertia * np.eye(3) + (problem.axial - problem.inertia) * np.outer(e, e)
        centre = to_centre @ jacobian[k]
        matrix += centre.T @ inertia @ centre
        right += centre.T @ inertia @ problem.free[k]
    matrix[6:, 6:] += np.diag(problem.drag.ravel())
    right[6:] += problem.drive.ravel()
    solution: FloatArray = jacobian @ np.linalg.solve(matrix, right)
    return solution


@pytest.mark.parametrize("offset", [0.0, 0.022])
@pytest.mark.parametrize("n", [2, 3, 11])
def test_a_free_chain_moves_as_the_dense_equations_say(n: int, offset: float) -> None:
    """Against Lagrange's equations in minimal coordinates, solved densely by numpy."""
    for seed in range(5):
        problem, w = chain(seed, n, offset)
        impulses = SpatialImpulses(np.zeros((1, 5)), np.zeros((n - 1, 2)))
        solve(problem, impulses, w, 5)
        np.testing.assert_allclose(w, dense_velocities(problem), rtol=0, atol=1e-10)
        assert residual(problem, impulses, w) <= 1e-9


def test_captured_problems_are_solved_as_a_step_solves_them() -> None:
    missed = {}
    for name, arrays in captured.spatial().items():
        problem, impulses, w = problem_from_arrays(arrays)
        solve(problem, impulses, w, Solver().max_iterations)
        if not residual(problem, impulses, w) <= CONVERGED:
            missed[name] = residual(problem, impulses, w)
    assert len(captured.spatial()) >= 140
    assert not missed


def test_captured_problems_are_solved_by_the_rescue_alone() -> None:
    """Begun at zero: what it finds does not hang on where Newton's iteration went."""
    missed, solves = {}, []
    for name, arrays in captured.spatial().items():
        problem, impulses, w = problem_from_arrays(arrays)
        solves.append(solve_by_rescue(problem, impulses, w, Solver().max_iterations))
        if not residual(problem, impulses, w) <= CONVERGED:
            missed[name] = residual(problem, impulses, w)
    assert not missed
    assert np.median(solves) <= 60


def test_a_stop_is_judged_by_the_rate_that_its_impulse_works_on() -> None:
    """A stop limits a joint's angle: with omega_k+1 - omega_k = yaw' z_k + pitch' y_k+1 it is yaw' that must not go on.

    Where the axes are not square to each other, z_k . (omega_k+1 - omega_k) has a part of pitch', which is free.
    """
    problem, w = chain(3, 2, 0.0)
    yaw, pitch = problem.joint[0, :3], problem.joint[0, 3:6]
    skew = 0.05
    tilted = pitch + skew * yaw
    problem.joint[0, 3:6] = tilted / np.linalg.norm(tilted)
    stop = np.array([[1.0, 0.0]])
    problem = problem._replace(stop=stop, n_stops=1, drag=np.zeros((1, 2)))
    impulses = SpatialImpulses(np.zeros((1, 5)), np.zeros((1, 2)))
    solve(problem, impulses, w, 100)
    if impulses.stop[0, 0] == 0.0:  # it opened: push it into the stop
        problem = problem._replace(drive=np.array([[-1.0, 0.3]]))
        solve(problem, impulses, w, 100)
    assert impulses.stop[0, 0] > 0.0
    relative = w[1, 3:] - w[0, 3:]
    rates = np.linalg.lstsq(problem.joint[0, :6].reshape(2, 3).T, relative, rcond=None)[0]
    assert abs(rates[0]) < 1e-9
    assert abs(rates[1]) > 1e-3
    assert abs(problem.joint[0, :3] @ relative) > 1e-4  # the projection is not zero, and need not be
    assert residual(problem, impulses, w) <= CONVERGED
