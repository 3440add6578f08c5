"""The contact solver against a dense one that shares nothing with it, and the residual against numbers by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from snakestudio.kernels.planar_problem import ChainImpulses, ChainProblem
from snakestudio.kernels.planar_scratch import make_scratch
from tests.kernels.compiled import gap, residuals, solve, solve_by_fallback, touches, trig

FloatArray = NDArray[np.float64]


def random_problem(seed: int, n: int, n_contacts: int, **given: Any) -> tuple[ChainProblem, ChainImpulses, FloatArray]:
    """A contact problem as a step may pose it, with impulses of a step before."""
    rng = np.random.default_rng(seed)
    theta = np.cumsum(rng.uniform(-0.7, 0.7, n))
    mass, length, dt = 0.7, 0.12, 2.5e-4
    link = np.sort(rng.integers(0, n, n_contacts))
    angle = rng.uniform(0, 2 * math.pi, n_contacts)
    rows = np.column_stack([np.cos(angle), np.sin(angle), rng.uniform(-0.04, 0.04, n_contacts)])
    stops = rng.choice([-1.0, 0.0, 0.0, 1.0], n - 1)
    values: dict[str, Any] = {
        "mass": mass,
        "inertia": 1.3e-3,
        "half_length": length / 2,
        "load": mass * 9.81 * dt,
        "mu_along": float(rng.choice([0.0, 0.1, 0.3])),
        "mu_across": float(rng.choice([0.1, 0.5])),
        "scale": mass * 9.81 * dt,
        "cos": np.cos(theta),
        "sin": np.sin(theta),
        "u_free": rng.normal(0, 0.01, (n, 3)) * [1, 1, 10],
        "n_contacts": n_contacts,
        "link": link.astype(np.int64),
        "rows": rows,
        "stops": stops,
        "n_stops": int(np.count_nonzero(stops)),
    }
    problem = ChainProblem(**{**values, **given})
    impulses = ChainImpulses(rng.normal(0, 1e-3, (n, 2)), rng.uniform(0, 1e-3, n_contacts), np.zeros(n - 1))
    if problem.mu_along == 0.0:
        impulses.friction[:, 0] = 0.0
    return problem, impulses, rng.normal(0, 0.01, (n, 3))


def dense_solution(problem: ChainProblem) -> FloatArray:
    """u_E by ADMM on the dense problem min 1/2 |u - u_free|_M^2 + laws(gamma), joints by elimination."""
    n = len(problem.cos)
    half = problem.half_length
    # u = J y with y = (velocity of the first link, all angular velocities).
    J = np.zeros((3 * n, n + 2))
    for k in range(n):
        J[3 * k : 3 * k + 2, :2] = np.eye(2)
        for j in range(1, k + 1):
            for i in (j - 1, j):
                J[3 * k : 3 * k + 2, 2 + i] += half * np.array([-problem.sin[i], problem.cos[i]])
        J[3 * k + 2, 2 + k] = 1.0
    M = np.diag(np.tile([problem.mass, problem.mass, problem.inertia], n))
    W = []
    for k in range(n):
        along, across = np.zeros(3 * n), np.zeros(3 * n)
        along[3 * k : 3 * k + 2] = problem.mu_along * problem.cos[k], problem.mu_along * problem.sin[k]
        across[3 * k : 3 * k + 2] = -problem.mu_across * problem.sin[k], problem.mu_across * problem.cos[k]
        W += [along, across]
    for c in range(problem.n_contacts):
        row = np.zeros(3 * n)
        row[3 * problem.link[c] : 3 * problem.link[c] + 3] = problem.rows[c]
        W.append(row)
    for k in np.flatnonzero(problem.stops):
        row = np.zeros(3 * n)
        row[3 * k + 2], row[3 * k + 5] = -problem.stops[k], problem.stops[k]
        W.append(row)
    A = np.array(W) @ J
    H, f = J.T @ M @ J, J.T @ M @ problem.u_free.reshape(-1)
    # Scale the unilateral rows to be as stiff as friction is.
    scales = np.ones(len(A))
    scales[2 * n :] = 1.0 / np.maximum(np.linalg.norm(A[2 * n :], axis=1), 1e-12)
    A = A * scales[:, None]
    rho = 1.0 / np.linalg.eigvalsh(A @ np.linalg.solve(H, A.T)).max() * 20.0
    K = np.linalg.inv(H + rho * A.T @ A)
    z, y = np.zeros(len(A)), np.zeros(len(A))
    x = np.zeros(n + 2)
    for _ in range(40000):
        x_new = K @ (f + A.T @ (rho * z - y))
        v = A @ x_new + y / rho
        z = v.copy()
        pairs = v[: 2 * n].reshape(n, 2)
        norm = np.linalg.norm(pairs, axis=1, keepdims=True)
        shrink = np.maximum(1.0 - problem.load / rho / np.maximum(norm, 1e-300), 0.0)
        z[: 2 * n] = (pairs * shrink).reshape(-1)
        z[2 * n :] = np.maximum(v[2 * n :], 0.0)
        y = y + rho * (A @ x_new - z)
        if np.abs(x_new - x).max() < 1e-16 and np.abs(A @ x_new - z).max() < 1e-14:
            break
        x = x_new
    return (J @ x).reshape(n, 3)


@pytest.mark.parametrize("seed", range(12))
def test_velocities_agree_with_a_dense_solver(seed: int) -> None:
    # u_E is unique (strictly convex), so any solver gives it; the dense one gets to about 1e-8 m/s.
    n = 2 + seed % 6
    problem, impulses, u = random_problem(seed, n, seed % 4)
    solve(problem, impulses, u, make_scratch(n, max(problem.n_contacts, 1)), 1e-11, 500)
    laws, motion = residuals(problem, u, impulses)
    assert laws <= 1e-10
    assert motion <= 1e-9
    expected = dense_solution(problem)
    assert np.abs((u - expected) * [1, 1, problem.half_length]).max() < 5e-8


@pytest.mark.parametrize("seed", range(20, 50))
def test_fallback_solves_alone_and_finds_the_same(seed: int) -> None:
    n = 2 + seed % 11
    problem, impulses, u = random_problem(seed, n, seed % 7)
    other_impulses = ChainImpulses(*(array.copy() for array in impulses))
    other = u.copy()
    scratch = make_scratch(n, max(problem.n_contacts, 1))
    assert solve(problem, impulses, u, scratch, 1e-10, 500) < 500
    assert solve_by_fallback(problem, other_impulses, other, scratch, 1e-10, 500) < 500
    assert residuals(problem, other, other_impulses)[0] <= 1e-8
    assert np.abs((u - other) * [1, 1, problem.half_length]).max() < 1e-9


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 40),
    contacts=st.integers(0, 30),
    mass=st.floats(-6, 6),
    slender=st.floats(-2.5, 0),
    dt=st.floats(-6, -2),
    mu=st.tuples(*[st.sampled_from([0.0, 1e-2, 0.2, 1.0, 100.0])] * 2),
    load=st.sampled_from([0.0, 1.0, 10.0]),
)
def test_every_problem_is_solved(
    seed: int, n: int, contacts: int, mass: float, slender: float, dt: float, mu: tuple[float, float], load: float
) -> None:
    # Masses of 1e-6 to 1e6 kg, steps of 1 microsecond to 10 ms, friction up to 100, more contacts than freedoms.
    m, length, step = 10.0**mass, 0.12, 10.0**dt
    rng = np.random.default_rng(seed)
    problem, impulses, u = random_problem(
        seed,
        n,
        contacts,
        mass=m,
        inertia=m * length**2 * 10.0**slender,
        load=load * m * 9.81 * step,
        scale=m * 9.81 * step,
        mu_along=mu[0],
        mu_across=mu[1],
        u_free=rng.normal(0, 1, (n, 3)) * [1, 1, 10] * rng.choice([9.81 * step, 0.1]),
    )
    impulses.friction[:] = 0.0
    impulses.normal[:] = 0.0
    solve(problem, impulses, u, make_scratch(n, max(contacts, 1)), 1e-9, 1000)
    assert residuals(problem, u, impulses)[0] <= 1e-8


def test_residual_of_a_case_by_hand() -> None:
    # One sticking, one sliding link; numbers below are worked out in the comments.
    problem = ChainProblem(
        mass=2.0, inertia=0.5, half_length=0.5, load=0.1, mu_along=0.5, mu_across=0.25, scale=0.1,
        cos=np.array([1.0, 0.0]), sin=np.array([0.0, 1.0]), u_free=np.zeros((2, 3)), n_contacts=1,
        link=np.array([1]), rows=np.array([[0.0, 1.0, 0.5]]), stops=np.array([-1.0]), n_stops=1,
    )  # fmt: skip
    impulses = ChainImpulses(np.array([[0.03, -0.04], [0.1, 0.0]]), np.array([0.02]), np.array([0.0]))
    u = np.zeros((2, 3))
    # At rest every law is met but the second link's contact needs nothing either: gamma = 0.
    assert residuals(problem, u, impulses)[0] == 0.0
    # First link creeps along at 0.001 m/s: gamma = 0.0005, r = 2 / 0.25 = 8, distance 8 * 0.0005 = 0.004, / 0.1.
    u[0, 0] = 0.001
    assert residuals(problem, u, impulses)[0] == pytest.approx(0.04)
    u[0, 0] = 0.0
    # Second link (axis +y) slides backwards along its axis: P on the rim opposes it, so friction is met; but the
    # contact row (0, 1, 0.5) approaches with 0.001: r = 1 / (1/2 + 0.25/0.5) = 1, distance 0.001, / 0.1.
    u[1, 1] = -0.001
    assert residuals(problem, u, impulses)[0] == pytest.approx(0.01)
    # The joint at its upper stop opens further at 0.01 rad/s: r = 0.25, distance 0.0025 N m s over 1 m, / 0.1; the
    # contact row now leaves with 0.004 m/s under an impulse of 0.02: distance 0.004, / 0.1.
    u[1] = 0.0, -0.001, 0.01
    assert residuals(problem, u, impulses)[0] == pytest.approx(0.04)
    u[1, 0] = math.nan
    assert math.isnan(residuals(problem, u, impulses)[0])


def test_joint_impulses_and_defect_by_hand() -> None:
    # Two links in line, the second pushed sideways by 0.2 N s at its centre, nothing else, u = u_free = 0: the joint
    # must carry all of it to the first link, where it is missing: 0.2 / 0.1, and as moments 0.2 at either link.
    problem = ChainProblem(
        mass=2.0, inertia=0.5, half_length=0.5, load=0.1, mu_along=0.5, mu_across=0.25, scale=0.1,
        cos=np.ones(2), sin=np.zeros(2), u_free=np.zeros((2, 3)), n_contacts=1, link=np.array([1]),
        rows=np.array([[0.0, 1.0, 0.0]]), stops=np.zeros(1), n_stops=0,
    )  # fmt: skip
    impulses = ChainImpulses(np.zeros((2, 2)), np.array([0.2]), np.zeros(1))
    assert residuals(problem, np.zeros((2, 3)), impulses)[1] == pytest.approx(2.0)


def test_sine_and_cosine_to_the_last_digits() -> None:
    rng = np.random.default_rng(0)
    for spread in (1.0, 100.0, 9e4, 1e7):
        angle = np.concatenate([rng.uniform(-spread, spread, 5000), np.arange(-40, 41) * (math.pi / 4)])
        cos, sin = np.zeros_like(angle), np.zeros_like(angle)
        trig(angle, cos, sin)
        assert np.abs(cos - np.cos(angle)).max() < 3e-16
        assert np.abs(sin - np.sin(angle)).max() < 3e-16
    cos, sin = np.zeros(2), np.zeros(2)
    trig(np.array([math.nan, math.inf]), cos, sin)
    assert np.isnan(cos).all()
    assert np.isnan(sin).all()


@pytest.mark.parametrize(
    ("centre", "expected"),
    [
        ((0.0, 0.5), (0.2, 0.0, -1.0, 0.0)),  # beside the rectangle: P2 (9)
        ((0.1, -0.5), (0.2, 0.0, 1.0, 0.1)),  # on the other side, off the centre: arm = lever, P2 (14)
        ((0.8, 0.0), (0.3, -1.0, 0.0, 0.0)),  # before the front semicircle: P2 (10)
        ((-0.5, 0.4), (0.2, 0.6, -0.8, 0.16)),  # at the rear one, 3-4-5 triangle: arm = -0.2 * (1 * -0.8)
        ((0.0, 0.0), (-0.3, 0.0, 1.0, 0.0)),  # obstacle's centre on the axis: pushed to the left
    ],
)
def test_gap_and_force_direction(centre: tuple[float, float], expected: tuple[float, float, float, float]) -> None:
    # Link along x with half-length 0.2 and radius 0.1, obstacle of radius 0.2.
    found = gap(0.0, 0.0, 1.0, 0.0, 0.2, 0.1, *centre, 0.2)
    assert found[:4] == pytest.approx(expected, abs=1e-12)
    assert touches(0.0, 0.0, 1.0, 0.0, 0.2, 0.1, *centre, 0.2) == (expected[0] <= 0.0)


@given(st.integers(0, 10**6))
def test_force_direction_is_the_derivative_of_the_gap(seed: int) -> None:
    # gamma = W^T u is the rate of the gap (P2 (13), (15)): compared with a central difference.
    rng = np.random.default_rng(seed)
    x, y, theta = rng.uniform(-1, 1, 3)
    vx, vy, omega = rng.uniform(-1, 1, 3)
    centre = rng.uniform(-2, 2, 2)

    def at(time: float) -> tuple[float, ...]:
        angle = theta + omega * time
        return gap(x + vx * time, y + vy * time, math.cos(angle), math.sin(angle), 0.3, 0.1, *centre, 0.2)

    here = at(0.0)
    if here[0] < -0.25:  # the obstacle's centre is all but on the axis, where the direction jumps
        return
    rate = (at(1e-6)[0] - at(-1e-6)[0]) / 2e-6
    assert here[1] * vx + here[2] * vy + here[3] * omega == pytest.approx(rate, abs=1e-4)
