"""The contact solver against an independent dense one, and the residual against values computed by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio._arrays import FloatArray
from snakestudio.engines.planar_nonsmooth.problem_file import problem_from_arrays
from snakestudio.kernels.planar_ground import law_table
from snakestudio.kernels.planar_problem import (
    DISC,
    FORCE_1,
    FORCE_2,
    FRONT,
    HALVES,
    INERTIA,
    MASS,
    REAR,
    ChainImpulses,
    ChainProblem,
    link_table,
)
from snakestudio.kernels.planar_scratch import make_scratch
from tests.kernels import captured
from tests.kernels.compiled import (
    gap,
    rectangle_gap,
    residuals,
    solve,
    solve_by_rescue,
    solve_chain_alone,
    touches,
    trig,
)


def chain_problem(
    *,
    mass: Any,
    inertia: Any,
    front: Any,
    rear: Any,
    mu_along: Any,
    mu_across: Any,
    mu_against: Any = None,
    kind: int = DISC,
    **rest: Any,
) -> ChainProblem:
    """A problem of links with these values, each one number for all or one per link."""
    n = len(rest["cos"])
    links = link_table(
        *(np.broadcast_to(value, n).astype(float) for value in (mass, inertia, front, rear))
    )
    coefficients = mu_along, mu_along if mu_against is None else mu_against, mu_across
    friction = np.column_stack([np.broadcast_to(value, n) for value in coefficients])
    return ChainProblem(
        links=links, law=law_table(links[:, MASS], friction, kind), kind=kind, **rest
    )


def random_problem(
    seed: int, n: int, n_contacts: int, **overrides: Any
) -> tuple[ChainProblem, ChainImpulses, FloatArray]:
    """A contact problem as in a step, with impulses of a previous step."""
    rng = np.random.default_rng(seed)
    theta = np.cumsum(rng.uniform(-0.7, 0.7, n))
    mass = 0.7
    length = 0.12
    dt = 2.5e-4
    link = np.sort(rng.integers(0, n, n_contacts))
    angle = rng.uniform(0, 2 * math.pi, n_contacts)
    rows = np.zeros((n_contacts, 6))
    rows[:, :3] = np.column_stack(
        [np.cos(angle), np.sin(angle), rng.uniform(-0.04, 0.04, n_contacts)]
    )
    stops = rng.choice([-1.0, 0.0, 0.0, 1.0], n - 1)
    asymmetry = seed % 3  # links with their joints off-centre
    values: dict[str, Any] = {
        "mass": mass,
        "inertia": 1.3e-3,
        "front": (0.5 - 0.1 * asymmetry) * length,
        "rear": (0.5 + 0.1 * asymmetry) * length,
        "load": mass * 9.81 * dt * np.ones(n),
        "mu_along": float(rng.choice([0.0, 0.1, 0.3])),
        "mu_across": float(rng.choice([0.1, 0.5])),
        "scale": mass * 9.81 * dt,
        "cos": np.cos(theta),
        "sin": np.sin(theta),
        "u_free": rng.normal(0, 0.01, (n, 3)) * [1, 1, 10],
        "n_contacts": n_contacts,
        "link": link.astype(np.int64),
        "rows": rows,
        "n_rough": 0,
        "stops": stops,
        "n_stops": int(np.count_nonzero(stops)),
        "drag": np.zeros(n - 1),
        "n_drags": 0,
    }
    problem = chain_problem(**{**values, **overrides})
    normal = rng.uniform(0, 1e-3, n_contacts)
    zeros = np.zeros(n_contacts)
    impulses = ChainImpulses(rng.normal(0, 1e-3, (n, 2)), normal, zeros, np.zeros(n - 1))
    impulses.friction[problem.law[:, FORCE_1] == 0.0, 0] = 0.0
    return problem, impulses, rng.normal(0, 0.01, (n, 3))


def dense_solution(problem: ChainProblem) -> FloatArray:
    """u_E by ADMM on the dense problem min 1/2 |u - u_free|_M^2 + laws(gamma), joints by elimination."""
    n = len(problem.cos)
    # u = J y with y = (velocity of the first link, all angular velocities).
    J = np.zeros((3 * n, n + 2))
    for k in range(n):
        J[3 * k : 3 * k + 2, :2] = np.eye(2)
        for j in range(1, k + 1):
            for i, arm in ((j - 1, problem.links[j - 1, FRONT]), (j, problem.links[j, REAR])):
                J[3 * k : 3 * k + 2, 2 + i] += arm * np.array([-problem.sin[i], problem.cos[i]])
        J[3 * k + 2, 2 + k] = 1.0
    M = np.diag(problem.links[:, [MASS, MASS, INERTIA]].ravel())
    drag = np.zeros_like(M)
    for k in range(n - 1):
        pair = [3 * k + 2, 3 * k + 5]
        drag[np.ix_(pair, pair)] += problem.drag[k] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    W = []
    for k in range(n):
        along, across = np.zeros(3 * n), np.zeros(3 * n)
        mu_along, mu_across = problem.law[k, [FORCE_1, FORCE_2]]
        along[3 * k : 3 * k + 2] = mu_along * problem.cos[k], mu_along * problem.sin[k]
        across[3 * k : 3 * k + 2] = -mu_across * problem.sin[k], mu_across * problem.cos[k]
        W += [along, across]
    for c in range(problem.n_contacts):
        row = np.zeros(3 * n)
        row[3 * problem.link[c] : 3 * problem.link[c] + 3] = problem.rows[c, :3]
        W.append(row)
    for k in np.flatnonzero(problem.stops).tolist():
        row = np.zeros(3 * n)
        row[3 * k + 2] = -problem.stops[k]
        row[3 * k + 5] = problem.stops[k]
        W.append(row)
    A = np.array(W) @ J
    H = J.T @ (M + drag) @ J
    f = J.T @ M @ problem.u_free.reshape(-1)
    # Scale the unilateral rows to the stiffness of friction.
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
        shrink = np.maximum(1.0 - problem.load[:, None] / rho / np.maximum(norm, 1e-300), 0.0)
        z[: 2 * n] = (pairs * shrink).reshape(-1)
        z[2 * n :] = np.maximum(v[2 * n :], 0.0)
        y = y + rho * (A @ x_new - z)
        if np.abs(x_new - x).max() < 1e-16 and np.abs(A @ x_new - z).max() < 1e-14:
            break
        x = x_new
    return (J @ x).reshape(n, 3)


@pytest.mark.parametrize("seed", range(12))
def test_velocities_agree_with_a_dense_solver(seed: int) -> None:
    # u_E is unique (strictly convex), so all solvers agree; the dense one reaches about 1e-8 m/s.
    n = 2 + seed % 6
    # Every other problem has drag in its joints, and unequal loads.
    rng = np.random.default_rng(seed)
    other: dict[str, Any] = {
        "drag": rng.uniform(0, 3e-3, n - 1),
        "n_drags": n - 1,
        "load": rng.uniform(1e-3, 3e-3, n),
    }
    if seed % 4 == 1:  # and unequal links
        other |= {
            "mass": rng.uniform(0.2, 2.0, n),
            "inertia": rng.uniform(3e-4, 4e-3, n),
            "front": rng.uniform(0.02, 0.1, n),
            "rear": rng.uniform(0.02, 0.1, n),
            "mu_along": rng.choice([0.0, 0.1, 0.3], n),
            "mu_across": rng.uniform(0.1, 0.5, n),
        }
    problem, impulses, u = random_problem(seed, n, seed % 4, **(other if seed % 2 else {}))
    solve(problem, impulses, u, make_scratch(n, max(problem.n_contacts, 1)), 1e-11, 500)
    laws, motion = residuals(problem, u, impulses)
    assert laws <= 1e-10
    assert motion <= 1e-9
    expected = dense_solution(problem)
    assert np.abs((u - expected) * [1, 1, 0.06]).max() < 5e-8


@pytest.mark.parametrize("seed", range(20, 50))
def test_rescue_alone_finds_the_same_solution(seed: int) -> None:
    n = 2 + seed % 11
    drag = {"drag": np.full(n - 1, 2e-3), "n_drags": n - 1} if seed % 2 else {}
    problem, impulses, u = random_problem(seed, n, seed % 7, **drag)
    other_impulses = ChainImpulses(*(array.copy() for array in impulses))
    other = u.copy()
    scratch = make_scratch(n, max(problem.n_contacts, 1))
    assert solve(problem, impulses, u, scratch, 1e-10, 500) < 500
    assert solve_by_rescue(problem, other_impulses, other, 500) < 500
    assert residuals(problem, other, other_impulses)[0] <= 1e-8
    assert np.abs((u - other) * [1, 1, 0.06]).max() < 1e-9


@pytest.mark.parametrize("seed", range(60, 84))
def test_rescue_solves_unequal_links_ellipses_and_fixed_joints(seed: int) -> None:
    n = 3 + seed % 9
    rng = np.random.default_rng(seed)
    fixed = np.zeros(n - 1, bool)
    fixed[rng.integers(n - 1)] = seed % 4 > 0
    stops = np.where(fixed, 0.0, rng.choice([-1.0, 0.0, 0.0, 1.0], n - 1))
    problem, impulses, u = random_problem(
        seed,
        n,
        seed % 6,
        kind=HALVES,
        mass=rng.uniform(0.2, 2.0, n),
        inertia=rng.uniform(3e-4, 4e-3, n),
        front=rng.uniform(0.02, 0.1, n),
        rear=rng.uniform(0.02, 0.1, n),
        load=rng.uniform(1e-3, 3e-3, n),
        mu_along=rng.choice([0.0, 0.1, 0.3], n),
        mu_against=rng.choice([0.0, 0.2, 0.4], n),
        mu_across=rng.uniform(0.1, 0.5, n),
        drag=np.where(fixed, math.inf, rng.choice([0.0, 2e-3], n - 1)),
        n_drags=n - 1,
        stops=stops,
        n_stops=int(np.count_nonzero(stops)),
    )
    other_impulses = ChainImpulses(*(array.copy() for array in impulses))
    other = u.copy()
    solve(problem, impulses, u, make_scratch(n, max(problem.n_contacts, 1)), 1e-10, 500)
    assert solve_by_rescue(problem, other_impulses, other, 500) < 500
    for velocities, result in ((u, impulses), (other, other_impulses)):
        laws, motion = residuals(problem, velocities, result)
        assert laws <= 1e-8
        assert motion <= 1e-8
        assert np.abs(np.diff(velocities[:, 2])[fixed]).max(initial=0.0) <= 1e-12
    assert np.abs((u - other) * [1, 1, 0.06]).max() < 1e-9


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
    seed: int,
    n: int,
    contacts: int,
    mass: float,
    slender: float,
    dt: float,
    mu: tuple[float, float],
    load: float,
) -> None:
    # Masses of 1e-6 to 1e6 kg, steps of 1 microsecond to 10 ms, friction up to 100, more contacts
    # than degrees of freedom.
    m = 10.0**mass
    length = 0.12
    step = 10.0**dt
    rng = np.random.default_rng(seed)
    problem, impulses, u = random_problem(
        seed,
        n,
        contacts,
        mass=m,
        inertia=m * length**2 * 10.0**slender,
        load=load * m * 9.81 * step * np.ones(n),
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
    # One sticking and one sliding link; the values below are derived in the comments.
    problem = chain_problem(
        mass=2.0,
        inertia=0.5,
        front=0.5,
        rear=0.5,
        load=np.full(2, 0.1),
        mu_along=0.5,
        mu_across=0.25,
        scale=0.1,
        cos=np.array([1.0, 0.0]),
        sin=np.array([0.0, 1.0]),
        u_free=np.zeros((2, 3)),
        n_contacts=1,
        link=np.array([1]),
        rows=np.array([[0.0, 1.0, 0.5, 0.0, 0.0, 0.0]]),
        n_rough=0,
        stops=np.array([-1.0]),
        n_stops=1,
        drag=np.zeros(1),
        n_drags=0,
    )
    impulses = ChainImpulses(
        np.array([[0.03, -0.04], [0.1, 0.0]]), np.array([0.02]), np.zeros(1), np.array([0.0])
    )
    u = np.zeros((2, 3))
    # At rest all laws are satisfied; the second link's contact needs no impulse: gamma = 0.
    assert residuals(problem, u, impulses)[0] == 0.0
    # The first link creeps at 0.001 m/s: gamma = 0.0005, r = 2 / 0.25 = 8, distance 8 * 0.0005 =
    # 0.004, divided by 0.1.
    u[0, 0] = 0.001
    assert residuals(problem, u, impulses)[0] == pytest.approx(0.04)
    u[0, 0] = 0.0
    # The second link (axis +y) slides backwards along its axis: P on the rim opposes it, so
    # friction is satisfied; but the contact row (0, 1, 0.5) approaches at 0.001: r = 1 / (1/2 +
    # 0.25/0.5) = 1, distance 0.001, divided by 0.1.
    u[1, 1] = -0.001
    assert residuals(problem, u, impulses)[0] == pytest.approx(0.01)
    # The joint at its upper limit moves further at 0.01 rad/s: r = 0.25, distance 0.0025 N m s
    # divided by 1 m and by 0.1; the contact row now separates at 0.004 m/s under an impulse of
    # 0.02: distance 0.004, divided by 0.1.
    u[1] = 0.0, -0.001, 0.01
    assert residuals(problem, u, impulses)[0] == pytest.approx(0.04)
    u[1, 0] = math.nan
    assert math.isnan(residuals(problem, u, impulses)[0])


def test_joint_impulses_and_residual_by_hand() -> None:
    # Two links in line, the second pushed sideways by 0.2 N s at its centre, no other impulse, u =
    # u_free = 0: the joint must transmit all of it to the first link, where it is the error: 0.2 /
    # 0.1, and as moments 0.2 at either link.
    problem = chain_problem(
        mass=2.0,
        inertia=0.5,
        front=0.5,
        rear=0.5,
        load=np.full(2, 0.1),
        mu_along=0.5,
        mu_across=0.25,
        scale=0.1,
        cos=np.ones(2),
        sin=np.zeros(2),
        u_free=np.zeros((2, 3)),
        n_contacts=1,
        link=np.array([1]),
        rows=np.array([[0.0, 1.0, 0.0, -0.5, 0.0, -0.2]]),
        n_rough=1,
        stops=np.zeros(1),
        n_stops=0,
        drag=np.zeros(1),
        n_drags=0,
    )
    impulses = ChainImpulses(np.zeros((2, 2)), np.array([0.2]), np.zeros(1), np.zeros(1))
    assert residuals(problem, np.zeros((2, 3)), impulses)[1] == pytest.approx(2.0)
    # Friction of 0.6 along -x, 0.3 N s, alone: also an error at the first link, 0.3 / 0.1; its
    # moment -0.12 at the second link, divided by half a metre and 0.1, is smaller.
    impulses = ChainImpulses(np.zeros((2, 2)), np.zeros(1), np.array([0.6]), np.zeros(1))
    assert residuals(problem, np.zeros((2, 3)), impulses)[1] == pytest.approx(3.0)


def test_residual_of_friction_on_an_obstacle_by_hand() -> None:
    # Normal y, tangent -x scaled with mu = 0.5, on the surface 0.4 below the axis: the arm of (-1,
    # 0) at (0, -0.4) is -0.4.
    problem = chain_problem(
        mass=2.0,
        inertia=0.5,
        front=0.5,
        rear=0.5,
        load=np.zeros(2),
        mu_along=0.0,
        mu_across=0.0,
        scale=0.1,
        cos=np.ones(2),
        sin=np.zeros(2),
        u_free=np.zeros((2, 3)),
        n_contacts=1,
        link=np.array([1]),
        rows=np.array([[0.0, 1.0, 0.0, -0.5, 0.0, -0.2]]),
        n_rough=1,
        stops=np.zeros(1),
        n_stops=0,
        drag=np.zeros(1),
        n_drags=0,
    )
    u = np.zeros((2, 3))

    def law_residual(normal: float, tangent: float) -> float:
        impulses = ChainImpulses(
            np.zeros((2, 2)), np.array([normal]), np.array([tangent]), np.zeros(1)
        )
        return residuals(problem, u, impulses)[0]

    # Stick: any impulse up to the normal impulse; beyond it, the excess divided by 0.1.
    assert law_residual(0.2, -0.2) == 0.0
    assert law_residual(0.2, 0.23) == pytest.approx(0.3)
    # Slip along +x at 0.01 m/s: gamma_T = -0.005, G = 0.25 / 2 + 0.04 / 0.5 = 0.205. P_T must
    # be +P_N; if 0.01 is missing, the violation is min(0.01, 0.005 / 0.205 = 0.0244); if 0.05 is
    # missing, 0.0244.
    u[1, 0] = 0.01
    assert law_residual(0.2, 0.2) == 0.0
    assert law_residual(0.2, 0.19) == pytest.approx(0.1)
    assert law_residual(0.2, 0.15) == pytest.approx(0.005 / 0.205 / 0.1)


def _rough(problem: ChainProblem, seed: int, mu: float) -> ChainProblem:
    """The problem with friction on some of its obstacle contacts, at points within a link's outline."""
    rng = np.random.default_rng(seed)
    rows = problem.rows.copy()
    for c, k in enumerate(problem.link):
        nx, ny = rows[c, :2]
        cross = problem.cos[k] * ny - problem.sin[k] * nx
        along = problem.cos[k] * nx + problem.sin[k] * ny
        lever = rng.uniform(-0.04, 0.04)
        here = mu * float(rng.random() < 0.8)
        rows[c, 2] = lever * cross
        rows[c, 3:] = here * np.array([-ny, nx, lever * along - 0.05])
    return problem._replace(rows=rows, n_rough=int(rows[:, 3:].any(axis=1).sum()))


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 20),
    contacts=st.integers(1, 12),
    mu=st.sampled_from([0.1, 0.3, 1.0]),
)
def test_friction_on_obstacles_is_solved_with_all_other_laws(
    seed: int, n: int, contacts: int, mu: float
) -> None:
    problem, impulses, u = random_problem(seed, n, contacts)
    problem = _rough(problem, seed, mu)
    solve(problem, impulses, u, make_scratch(n, contacts), 1e-9, 2000)
    laws, motion = residuals(problem, u, impulses)
    assert laws <= 1e-8
    assert motion <= 1e-8


@pytest.mark.parametrize("mu", [0.3, 1.0])
def test_rescue_solves_friction_on_obstacles_alone(mu: float) -> None:
    for seed in range(60):
        n = 2 + seed % 11
        problem, impulses, u = random_problem(seed, n, 1 + seed % 6)
        problem = _rough(problem, seed, mu)
        solve_by_rescue(problem, impulses, u, 2000)
        assert max(residuals(problem, u, impulses)) <= 1e-8, seed


def test_unsymmetric_chain_against_a_dense_solution() -> None:
    # A du = b of every link except for joint impulses: J^T A J y = J^T b with du = J y and dense A,
    # by numpy's solver.
    rng = np.random.default_rng(5)
    for n in (2, 3, 4, 7, 12):
        problem, _, _ = random_problem(n, n, 0)
        local = rng.normal(0, 1, (n, 12))
        stops = np.zeros((n - 1, 4))
        local[:, [0, 2, 5]] += 6.0
        stops[:, 2] = np.abs(problem.stops) * 3.0
        stops[:, 3] = problem.stops * rng.normal(0, 1, n - 1)
        J = np.zeros((3 * n, n + 2))
        for k in range(n):
            J[3 * k : 3 * k + 2, :2] = np.eye(2)
            for j in range(1, k + 1):
                for i, arm in ((j - 1, problem.links[j - 1, FRONT]), (j, problem.links[j, REAR])):
                    J[3 * k : 3 * k + 2, 2 + i] += arm * np.array([-problem.sin[i], problem.cos[i]])
            J[3 * k + 2, 2 + k] = 1.0
        A = np.zeros((3 * n, 3 * n))
        b = local[:, 6:9].reshape(-1).copy()
        for k in range(n):
            xx, xy, yy, xw, yw, ww, _, _, _, sxy, sxw, syw = local[k]
            A[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = [
                [xx, xy + sxy, xw + sxw],
                [xy - sxy, yy, yw + syw],
                [xw - sxw, yw - syw, ww],
            ]
        for k in range(n - 1):
            pair = [3 * k + 2, 3 * k + 5]
            A[np.ix_(pair, pair)] += stops[k, 2] * np.array([[1.0, -1.0], [-1.0, 1.0]])
            b[pair] += stops[k, 3] * np.array([-1.0, 1.0])
        expected = J @ np.linalg.solve(J.T @ A @ J, J.T @ b)
        du = np.zeros((n, 3))
        eliminated = np.zeros((n, 4))
        solve_chain_alone(problem, local.copy(), stops, eliminated, du, True)
        assert du.reshape(-1) == pytest.approx(expected, rel=1e-9, abs=1e-11)
        # Without a skew part both recursions solve the same equations.
        local[:, 9:] = 0.0
        other = np.zeros((n, 3))
        solve_chain_alone(problem, local.copy(), stops, eliminated, du, True)
        solve_chain_alone(problem, local, stops, eliminated, other, False)
        assert du == pytest.approx(other, rel=1e-9, abs=1e-11)


def test_sine_and_cosine_to_the_last_digits() -> None:
    rng = np.random.default_rng(0)
    for spread in (1.0, 100.0, 9e4, 1e7):
        angle = np.concatenate(
            [rng.uniform(-spread, spread, 5000), np.arange(-40, 41) * (math.pi / 4)]
        )
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
        ((0.0, 0.5), (0.2, 0.0, -1.0, 0.0)),  # to the side of the rectangle: P2 (9)
        (
            (0.1, -0.5),
            (0.2, 0.0, 1.0, 0.1),
        ),  # on the other side, off-centre: arm = lever, P2 (14)
        ((0.8, 0.0), (0.3, -1.0, 0.0, 0.0)),  # in front of the front semicircle: P2 (10)
        (
            (-0.5, 0.4),
            (0.2, 0.6, -0.8, 0.16),
        ),  # at the rear one, 3-4-5 triangle: arm = -0.2 * (1 * -0.8)
        ((0.0, 0.0), (-0.3, 0.0, 1.0, 0.0)),  # obstacle's centre on the axis: pushed to the left
    ],
)
def test_gap_and_force_direction(
    centre: tuple[float, float], expected: tuple[float, float, float, float]
) -> None:
    # Link along x with half-length 0.2 and radius 0.1, obstacle of radius 0.2.
    result = gap(0.0, 0.0, 1.0, 0.0, 0.2, 0.1, *centre, 0.2)
    assert result[:4] == pytest.approx(expected, abs=1e-12)
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
        return gap(
            x + vx * time, y + vy * time, math.cos(angle), math.sin(angle), 0.3, 0.1, *centre, 0.2
        )

    here = at(0.0)
    if here[0] < -0.25:  # the obstacle's centre is close to the axis, where the direction jumps
        return
    rate = (at(1e-6)[0] - at(-1e-6)[0]) / 2e-6
    assert here[1] * vx + here[2] * vy + here[3] * omega == pytest.approx(rate, abs=1e-4)


@pytest.mark.parametrize(
    ("link", "gaps"),
    [
        # Rectangle 1 x 0.4 about the origin, link of half-length 0.2 and radius 0.1; gaps of ends,
        # then corners.
        ((0.0, 0.35, 0.0), {0: (0.05, 0, 1, -0.2), 1: (0.05, 0, 1, 0.2)}),  # along its upper side
        (
            (0.45, 0.28, 0.0),
            {
                0: (-0.02, 0, 1, -0.2),
                1: (0.07, 0.15 / 0.17, 0.08 / 0.17, 0.2 * 0.08 / 0.17),
                2: (-0.02, 0, 1, 0.05),
                5: (0.38, 0, 1, 0.05),
            },
        ),  # across its corner
        (
            (0.9, 0.0, 180.0),
            {0: (0.5, 1, 0, 0), 1: (0.1, 1, 0, 0)},
        ),  # front end in front of its right side
        (
            (0.4, 0.0, 0.0),
            {0: (-0.3, 0, 1, -0.2), 1: (0.0, 1, 0, 0), 2: (0.1, 0, -1, -0.1), 5: (0.1, 0, 1, 0.1)},
        ),  # rear end 0.2 deep, front on the side
    ],
)
def test_gaps_of_a_rectangle(
    link: tuple[float, float, float], gaps: dict[int, tuple[float, ...]]
) -> None:
    x, y, heading = link
    cos, sin = math.cos(math.radians(heading)), math.sin(math.radians(heading))
    for feature in range(6):
        result = rectangle_gap(feature, x, y, cos, sin, 0.2, 0.1, 0.5, 0.2)
        if feature in gaps:
            assert result[:4] == pytest.approx(gaps[feature], abs=1e-12), feature
        else:
            assert result[0] == math.inf


@given(st.integers(0, 10**6))
def test_least_gap_of_a_rectangle_is_its_distance(seed: int) -> None:
    # Compared with points sampled on the segment, each with an independent distance from the
    # rectangle by numpy: the least gap of all features is the distance between link and rectangle,
    # and each force direction the derivative of its gap.
    rng = np.random.default_rng(seed)
    x, y, theta = rng.uniform(-1, 1, 3) * [1, 1, math.pi]
    half_x, half_y = rng.uniform(0.05, 0.5, 2)
    points = np.array([x, y]) + np.linspace(-0.3, 0.3, 4001)[:, None] * [
        math.cos(theta),
        math.sin(theta),
    ]
    distance = np.linalg.norm(np.maximum(np.abs(points) - [half_x, half_y], 0.0), axis=1).min()

    def at(
        feature: int, time: float, u: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> tuple[float, ...]:
        angle = theta + u[2] * time
        return rectangle_gap(
            feature,
            x + u[0] * time,
            y + u[1] * time,
            math.cos(angle),
            math.sin(angle),
            0.3,
            0.1,
            half_x,
            half_y,
        )

    gaps = [at(feature, 0.0)[0] for feature in range(6)]
    if distance > 0.0:
        assert min(gaps) + 0.1 == pytest.approx(distance, abs=2e-4)
        u = (0.4, -0.7, 0.9)
        nearest = int(np.argmin(gaps))
        before = at(nearest, -1e-6, u)
        here = at(nearest, 0.0)
        after = at(nearest, 1e-6, u)
        if math.isfinite(before[0]) and math.isfinite(after[0]) and distance > 1e-3:
            rate = (after[0] - before[0]) / 2e-6
            assert here[1] * u[0] + here[2] * u[1] + here[3] * u[2] == pytest.approx(rate, abs=1e-4)


def test_captured_problems_are_solved_from_guess_and_from_zero() -> None:
    for name, arrays in captured.planar().items():
        for alone in (False, True):
            problem, impulses, u = problem_from_arrays(arrays)
            if alone:
                solve_by_rescue(problem, impulses, u, 2000)
            else:
                solve(problem, impulses, u, make_scratch(len(u), problem.n_contacts), 1e-9, 2000)
            assert max(residuals(problem, u, impulses)) <= 1e-8, (name, alone)
