"""Results of our solvers, checked and reproduced by an independent solver through the FCLIB file.

In the file the joints are eliminated (minimal coordinates), friction is unscaled, and the law is De
Saxce's: r and u + mu |u_T| n are in the second-order cone and its dual, and are orthogonal (Acary
and others, INRIA RT-0444, 2014, (1)-(7)). The other solver is projected Gauss-Seidel for this law,
a first-order method on dense matrices. Siconos has no package for pip.
"""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.planar_nonsmooth import problem_file as planar_file
from snakestudio.engines.spatial_nonsmooth import problem_file as spatial_file
from snakestudio.kernels._jit import jit
from snakestudio.kernels.planar_problem import MASS as PLANAR_MASS
from snakestudio.kernels.planar_problem import PROX
from snakestudio.kernels.residual import CONVERGED
from snakestudio.kernels.spatial_problem import (
    IMPULSE_HIGH,
    IMPULSE_LOW,
    MASS,
    SpatialImpulses,
    SpatialProblem,
)
from snakestudio.model.scene import Solver
from snakestudio.session.fclib import fclib_bytes
from tests.kernels import captured
from tests.kernels.compiled import residuals as planar_residuals
from tests.kernels.compiled import solve as solve_planar
from tests.kernels.compiled_spatial import residual, solve
from tests.kernels.random_contacts import arrays_of, random_problem


class Read(NamedTuple):
    """An FCLIB problem as read by an independent program."""

    mass: FloatArray
    directions: FloatArray
    force: FloatArray
    offset: FloatArray
    mu: FloatArray
    mu_rolling: FloatArray | None
    wide: int


def read(data: bytes) -> Read:
    """Read a file as documented by FCLIB: `fclib_read_global`."""
    with h5py.File(io.BytesIO(data)) as file:
        (name,) = file
        main = file[name]

        def matrix(group: Any) -> FloatArray:
            m, n, entries = (int(group[key][0]) for key in ("m", "n", "nzmax"))
            assert group["nz"][0] == -1  # compressed columns
            assert group["p"].dtype == group["i"].dtype == np.int32
            pointers = group["p"][:]
            rows = group["i"][:]
            values = group["x"][:]
            assert (len(pointers), len(rows), pointers[-1]) == (n + 1, entries, entries)
            dense = np.zeros((m, n))
            for column in range(n):
                for index in range(pointers[column], pointers[column + 1]):
                    dense[rows[index], column] += values[index]
            return dense

        vectors = main["vectors"]
        wide = int(main["spacedim"][0])
        assert name == ("fclib_global_rolling" if wide == 5 else "fclib_global")
        return Read(
            matrix(main["M"]),
            matrix(main["H"]),
            vectors["f"][:],
            vectors["w"][:],
            vectors["mu"][:],
            vectors["mu_r"][:] if wide == 5 else None,
            wide,
        )


def velocities(problem: Read, impulses: FloatArray) -> FloatArray:
    """Velocities of the generalised coordinates under given impulses."""
    result: FloatArray = np.linalg.solve(
        problem.mass, problem.directions @ impulses + problem.force
    )
    return result


def missed(problem: Read, impulses: FloatArray, scale: float, mass: float) -> float:
    """Largest violation of the laws by impulses (d c,), each law separately, relative to the largest value.

    The values are at least those by which a step is judged: `scale` = m g dt, N s, and its effect
    on `mass`, kg.
    """
    u = (problem.directions.T @ velocities(problem, impulses) + problem.offset).reshape(
        -1, problem.wide
    )
    r = impulses.reshape(-1, problem.wide)
    most = max(np.abs(r).max(), scale)
    fast = max(np.abs(u).max(), scale / mass)
    worst = max(
        -r[:, 0].min() / most,
        -u[:, 0].min() / fast,
        np.abs(r[:, 0] * u[:, 0]).max() / (most * fast),
    )
    for first, mu in ((1, problem.mu), (3, problem.mu_rolling)):
        if mu is not None:
            slip = u[:, first : first + 2]
            push = r[:, first : first + 2]
            size = np.linalg.norm(push, axis=1)
            bound = mu * r[:, 0]
            worst = max(worst, (size - bound).max() / most)
            # Friction dissipates as much as the disc allows.
            lost = (push * slip).sum(axis=1) + bound * np.linalg.norm(slip, axis=1)
            worst = max(worst, np.abs(lost).max() / (most * fast))
    return float(worst)


@jit
def _sweeps(
    delassus: FloatArray,
    free: FloatArray,
    mu: FloatArray,
    r: FloatArray,
    u: FloatArray,
    most: int,
    goal: float,
) -> float:
    """Projected Gauss-Seidel on De Saxce's law, contact by contact; return the last sweep's largest change."""
    count = mu.shape[0]
    change = 0.0
    for _ in range(most):
        change = 0.0
        for c in range(count):
            a = 3 * c
            for i in range(3):
                total = free[a + i]
                for j in range(3 * count):
                    total += delassus[a + i, j] * r[j]
                u[i] = total
            gain = 1.0 / (delassus[a, a] + delassus[a + 1, a + 1] + delassus[a + 2, a + 2])
            x = r[a] - gain * (u[0] + mu[c] * np.sqrt(u[1] * u[1] + u[2] * u[2]))
            y, z = r[a + 1] - gain * u[1], r[a + 2] - gain * u[2]
            size = np.sqrt(y * y + z * z)
            # Projection on the second-order cone.
            if mu[c] * size <= -x:
                x = y = z = 0.0
            elif size > mu[c] * x:
                onto = (x + mu[c] * size) / (1.0 + mu[c] * mu[c])
                scale = mu[c] * onto / size
                x = onto
                y = scale * y
                z = scale * z
            change = max(change, abs(x - r[a]), abs(y - r[a + 1]), abs(z - r[a + 2]))
            r[a] = x
            r[a + 1] = y
            r[a + 2] = z
        if change <= goal:
            break
    return change


def by_gauss_seidel(problem: Read) -> FloatArray | None:
    """Impulses from zero by a first-order method; None if it does not converge."""
    inverse = np.linalg.inv(problem.mass)
    delassus = problem.directions.T @ inverse @ problem.directions
    free = problem.directions.T @ inverse @ problem.force + problem.offset
    r = np.zeros(len(free))
    scale = np.abs(free).max() / max(np.diag(delassus).max(), 1e-12)
    change = _sweeps(delassus, free, problem.mu, r, np.zeros(3), 30_000, 1e-14 * scale)
    return r if change <= 1e-12 * scale else None


def _limited(problem: SpatialProblem) -> NDArray[np.bool_]:
    """Return which joint axes are at a limit, (m,)."""
    limited: NDArray[np.bool_] = problem.axes[:, IMPULSE_LOW] < problem.axes[:, IMPULSE_HIGH]
    return limited


def as_fclib(problem: SpatialProblem, impulses: SpatialImpulses) -> tuple[Read, FloatArray]:
    """Convert a problem through its file, with our impulses in its form."""
    other = read(fclib_bytes(spatial_file.as_friction_problem(arrays_of(problem)), "Random"))
    contacts = int(problem.first[-1])
    r = np.zeros((len(other.mu), other.wide))
    r[:contacts, 0] = impulses.contact[:contacts, 0]
    r[:contacts, 1:3] = other.mu[:contacts, None] * impulses.contact[:contacts, 1:3]
    if other.mu_rolling is not None:
        r[:contacts, 3:5] = other.mu_rolling[:contacts, None] * impulses.contact[:contacts, 3:5]
    r[contacts:, 0] = np.abs(impulses.joint[_limited(problem)])
    return other, r.ravel()


def from_fclib(
    other: Read, r: FloatArray, problem: SpatialProblem
) -> tuple[SpatialImpulses, FloatArray]:
    """Convert impulses back, together with the velocities of all links."""
    contacts = int(problem.first[-1])
    pairs = r.reshape(-1, 3)
    ours = np.zeros((contacts, 5))
    ours[:, 0] = pairs[:contacts, 0]
    rough = other.mu[:contacts] > 0.0
    ours[rough, 1:3] = pairs[:contacts][rough, 1:] / other.mu[:contacts][rough, None]
    joint = np.zeros(len(problem.axes))
    joint[_limited(problem)] = pairs[contacts:, 0]
    joint[problem.axes[:, IMPULSE_LOW] < 0.0] *= -1.0
    v = velocities(other, r)
    w = np.zeros((len(problem.axis), 6))
    w[0] = v[:6]
    for k in range(len(problem.axis) - 1):
        w[k + 1] = w[k]
        w[k + 1, :3] += np.cross(w[k, 3:], problem.reach[k])
        for j in range(problem.joints[k], problem.joints[k + 1]):
            w[k + 1] += v[6 + j] * problem.axes[j, :6]
    return SpatialImpulses(ours, joint), w


def test_random_problems_agree_with_another_solver() -> None:
    """Ours passes the other's laws and the other's passes ours; where the solution is unique, velocities agree.

    It is unique with little friction and normals that are independent of each other (Klarbring 1990
    and others: the problem is then a contraction). The largest possible difference is the tolerance
    of a step divided by the masses that it moves.
    """
    result = unique = 0
    for seed in range(200):
        problem, impulses, w = random_problem(seed)
        solve(problem, impulses, w, Solver().max_iterations)
        assert residual(problem, impulses, w) <= CONVERGED, seed
        other, r = as_fclib(problem, impulses)
        assert missed(other, r, problem.scale, problem.links[0, MASS]) <= 1e-7, seed
        theirs = by_gauss_seidel(other)
        if theirs is None:
            continue
        result += 1
        back, w_back = from_fclib(other, theirs, problem)
        assert residual(problem, back, w_back) <= CONVERGED, seed
        normals = other.directions[:, :: other.wide]
        independent = (
            np.linalg.matrix_rank(normals, tol=1e-3 * np.linalg.norm(normals)) == normals.shape[1]
        )
        if other.mu.max() <= 0.1 and independent:
            unique += 1
            np.testing.assert_allclose(
                velocities(other, r), velocities(other, theirs), rtol=0, atol=1e-7
            )
    # The first-order method does not always converge; enough results show that the
    # agreement is systematic.
    assert result >= 190
    assert unique >= 40


def test_rolling_friction_and_limits_follow_the_file() -> None:
    """All captured problems of the spatial model, solved by our solver and checked condition by condition."""
    rolling = stopped = 0
    for name, arrays in captured.spatial().items():
        problem, impulses, w = spatial_file.problem_from_arrays(arrays)
        solve(problem, impulses, w, Solver().max_iterations)
        other, r = as_fclib(problem, impulses)
        rolling += other.mu_rolling is not None
        stopped += problem.n_laws > 0
        # A residual of 1e-8 of a link is increased by the inverse of the whole chain's mass
        # matrix.
        assert missed(other, r, problem.scale, problem.links[0, MASS]) <= 1e-6, name
    assert rolling
    assert stopped


@pytest.mark.parametrize("name", sorted(captured.planar()))
def test_planar_problem_in_the_file_is_the_solved_one(name: str) -> None:
    """Its ground has a given load, which is represented in the file by a separate mass pressed onto it."""
    problem, impulses, u = planar_file.problem_from_arrays(captured.planar()[name])
    from snakestudio.kernels.planar_scratch import make_scratch

    solve_planar(
        problem,
        impulses,
        u,
        make_scratch(len(u), problem.n_contacts),
        1e-9,
        Solver().max_iterations,
    )
    assert max(planar_residuals(problem, u, impulses)) <= CONVERGED
    other = read(fclib_bytes(planar_file.as_friction_problem(captured.planar()[name]), name))
    r = np.zeros((len(other.mu), 3))
    n = len(u)
    c = problem.n_contacts
    loaded = n if problem.law[:, PROX].any() else 0
    r[:loaded, 0] = problem.load
    r[:loaded, 1:] = other.mu[:loaded, None] * impulses.friction[:loaded]
    r[loaded : loaded + c, 0] = impulses.normal[:c]
    r[loaded : loaded + c, 1] = other.mu[loaded : loaded + c] * impulses.tangent[:c]
    r[loaded + c :, 0] = impulses.stop[problem.stops != 0.0]
    assert missed(other, r.ravel(), problem.scale, problem.links[:, PLANAR_MASS].min()) <= 1e-5
    turning = velocities(other, r.ravel())
    np.testing.assert_allclose(
        np.diff(u[:, 2]), turning[3 : n + 2], rtol=0, atol=1e-5 * max(1.0, np.abs(u).max())
    )
