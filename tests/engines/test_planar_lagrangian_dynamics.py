"""Mass matrix, Coriolis forces, friction and feedback linearization against two independent formulations."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.engines.planar_lagrangian.params import Params, make_params
from snakestudio.engines.planar_lagrangian.state import Work, make_work
from tests.engines.lagrangian import Paper, undulation
from tests.kernels.compiled_lagrangian import accelerations, mass_and_bias

SIZES = (2, 3, 10, 30)
ROUGH = {
    "ground__viscous_along_ns_per_m": 1.0,
    "ground__viscous_across_ns_per_m": 3.0,
    "ground__mu_along": 0.1,
    "ground__mu_across": 0.4,
    "ground__slope_deg": 5.0,
    "ground__downhill_deg": 40.0,
}


def params_of(n: int, **values: object) -> Params:
    return make_params(undulation(robot__n_links=n, **values))


def at_random(n: int, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Return random angles and centre of mass, and their rates, (n + 2,) each."""
    rng = np.random.default_rng([n, seed])
    return rng.uniform(-2, 2, n + 2), rng.uniform(-2, 2, n + 2)


def accelerate(
    params: Params, x: FloatArray, v: FloatArray, command: FloatArray, wrench: FloatArray
) -> Work:
    """Return the dynamics at a state with the present joint angles and rates as references."""
    n = len(x) - 2
    work = make_work(n)
    work.x[:] = x
    work.v[:] = v
    work.reference[:, 0] = np.diff(x[:n])
    work.reference[:, 1] = np.diff(v[:n])
    work.command[:, 0] = command
    accelerations(params, wrench, work)
    return work


def mass_and_coriolis(
    params: Params, x: FloatArray, v: FloatArray
) -> tuple[FloatArray, FloatArray]:
    n = len(x) - 2
    matrix = np.zeros((n, n))
    bias = np.zeros(n)
    mass_and_bias(
        params.coupling, params.chain.inertia, np.cos(x[:n]), np.sin(x[:n]), v, matrix, bias
    )
    return matrix, bias


def paper_of(params: Params, n: int) -> Paper:
    chain = params.chain
    return Paper(n, float(chain.half[0]), float(chain.mass[0]), float(chain.inertia[0]))


@pytest.mark.parametrize("n", SIZES)
def test_mass_matrix_and_coriolis_forces_follow_the_lagrangian(n: int) -> None:
    # P4 (9) to (11): Jacobians summed over the links, Christoffel symbols.
    params = params_of(n)
    paper = paper_of(params, n)
    x, v = at_random(n)
    own_x, own_v = paper.to_program @ x, paper.to_program @ v
    matrix, bias = mass_and_coriolis(params, own_x, own_v)
    full = np.zeros((n + 2, n + 2))
    full[:n, :n] = matrix
    full[n:, n:] = params.chain.total * np.eye(2)
    to = paper.to_program
    assert to.T @ full @ to == pytest.approx(paper.mass_matrix(x), abs=1e-11)
    # n^2 large terms cancel at n = 30; the scale is that of the terms.
    scale = max(1.0, float(np.abs(paper.coriolis(x, v)).max()))
    assert to[:n].T @ bias == pytest.approx(paper.coriolis(x, v), abs=1e-11 * scale)


@pytest.mark.parametrize("n", SIZES)
def test_motion_agrees_with_the_newton_euler_form(n: int) -> None:
    # P3: N = A^T (D D^T)^-1 D, x = -l N^T cos theta + e p_x, M theta'' + W theta'^2 - l S N f_x + l
    # C N f_y = D^T u.
    params = params_of(n, joint_controller__law="pd", **ROUGH)
    x, v = at_random(n)
    theta = x[:n]
    omega = v[:n]
    wrench = np.random.default_rng(n).normal(size=(n, 3))
    a = np.eye(n)[:-1] + np.eye(n)[1:]
    d = np.eye(n)[:-1] - np.eye(n)[1:]
    inverse = np.linalg.inv(d @ d.T)
    big_n, big_v = a.T @ inverse @ d, a.T @ inverse @ a
    sin, cos = np.diag(np.sin(theta)), np.diag(np.cos(theta))
    m = params.chain.mass[0]
    length = params.chain.half[0]
    mass = np.diag(params.chain.inertia) + m * length**2 * (sin @ big_v @ sin + cos @ big_v @ cos)
    w = m * length**2 * (sin @ big_v @ cos - cos @ big_v @ sin)
    vx = length * big_n.T @ (np.sin(theta) * omega) + v[n]
    vy = -length * big_n.T @ (np.cos(theta) * omega) + v[n + 1]

    # Friction as P4 (13) to (17), sgn v smoothed as PHYSICS.md defines it.
    along = np.cos(theta) * vx + np.sin(theta) * vy
    across = np.cos(theta) * vy - np.sin(theta) * vx
    pressing = m * 9.81 * np.cos(np.radians(5.0))
    eps = 1e-3
    ft = -1.0 * along - 0.1 * pressing * along / np.hypot(along, eps)
    fn = -3.0 * across - 0.4 * pressing * across / np.hypot(across, eps)
    fx = np.cos(theta) * ft - np.sin(theta) * fn + wrench[:, 0]
    fy = np.sin(theta) * ft + np.cos(theta) * fn + wrench[:, 1]

    work = accelerate(params, x, v, np.zeros(n - 1), wrench)
    torque = 5.0 * np.random.default_rng(n + 1).normal(size=n - 1)
    # The reference that makes the PD law give these torques.
    work.reference[:, 0] = np.diff(theta) + torque / params.joints.kp
    accelerations(params, wrench, work)
    assert work.torque == pytest.approx(torque, abs=1e-10)
    # The torque of P3 acts on phi_i = theta_i - theta_{i+1}: the other sign.
    right = (
        d.T @ -work.torque
        - w @ omega**2
        + length * (sin @ big_n @ fx - cos @ big_n @ fy)
        + wrench[:, 2]
    )
    matrix, bias = mass_and_coriolis(params, x, v)
    assert matrix == pytest.approx(mass, abs=1e-11)
    assert bias == pytest.approx(
        w @ omega**2, abs=1e-11 * max(1.0, float(np.abs(w @ omega**2).max()))
    )
    residual = mass @ work.acceleration[:n] - right
    assert np.abs(residual).max() < 1e-11 * max(
        1.0, float(np.abs(mass).max() * np.abs(work.acceleration).max())
    )
    downhill = (
        9.81
        * np.sin(np.radians(5.0))
        * np.array([np.cos(np.radians(40.0)), np.sin(np.radians(40.0))])
    )
    assert work.acceleration[n:] == pytest.approx(
        np.array([fx.mean(), fy.mean()]) / m + downhill, abs=1e-11
    )


@pytest.mark.parametrize("seed", range(5))
def test_linearized_joints_accelerate_exactly_as_commanded(seed: int) -> None:
    # P4 (25), at N = 10 to 1e-11 (PHYSICS.md: 3e-12), for any friction and external forces.
    n = 10
    params = params_of(n, **ROUGH)
    x, v = at_random(n, seed)
    rng = np.random.default_rng(seed)
    command = rng.uniform(-2, 2, n - 1)
    wrench = rng.normal(size=(n, 3))
    work = accelerate(params, x, v, command, wrench)
    assert np.diff(work.acceleration[:n]) == pytest.approx(command, abs=1e-11)
    assert np.abs(work.torque).max() > 0.1
    # Errors of angle and rate enter with the gains.
    work.reference[:, 0] += 0.01
    work.reference[:, 1] -= 0.02
    accelerations(params, wrench, work)
    assert np.diff(work.acceleration[:n]) == pytest.approx(
        command + 400.0 * 0.01 - 40.0 * 0.02, abs=1e-11
    )


def field(n: int, x: FloatArray) -> FloatArray:
    """Return the rows theta_N, p_x, p_y of the control vector fields in the paper's coordinates: (28), (34)."""
    params = params_of(n)
    rest = np.zeros(n + 2)
    none = np.zeros((n, 3))
    at_rest = accelerate(params, x, rest, np.zeros(n - 1), none).acceleration[n - 1 :].copy()
    columns = [
        accelerate(params, x, rest, unit, none).acceleration[n - 1 :] - at_rest
        for unit in np.eye(n - 1)
    ]
    return -np.transpose(columns)  # the paper's joint angles have the other sign


@pytest.mark.parametrize("n", SIZES)
def test_torques_do_not_move_the_centre_of_mass(n: int) -> None:
    # P4 (34) and Remark 2: the last two rows of the control vector fields are 0.
    assert np.array_equal(field(n, at_random(n)[0])[1:], np.zeros((2, n - 1)))


@pytest.mark.parametrize("n", SIZES)
def test_head_control_field_is_that_of_the_paper(n: int) -> None:
    # (28): C = -m_22^-1 m_21.
    params = params_of(n)
    paper = paper_of(params, n)
    x, _ = at_random(n)
    matrix = paper.mass_matrix(x)
    beta = -np.linalg.solve(matrix[n - 1 :, n - 1 :], matrix[n - 1 :, : n - 1])
    assert field(n, paper.to_program @ x) == pytest.approx(beta, abs=1e-11)


def beta_1(n: int, degrees: float) -> float:
    """Return beta_1 with q_1 at an angle and all other joints at 0."""
    x = np.zeros(n + 2)
    x[0] = np.radians(degrees)  # q_1 = theta_1 - theta_2
    return float(field(n, x)[0, 0])


@pytest.mark.parametrize(("n", "limit"), [(3, 138.0), (10, 99.0), (30, 93.0)])
def test_beta_is_not_negative_everywhere(n: int, limit: float) -> None:
    # PHYSICS.md: the paper's statement is false for N >= 3; beta_1 is positive beyond these angles.
    assert beta_1(n, limit - 0.6) < 0.0 < beta_1(n, limit + 0.6)
    assert beta_1(n, 179.0) > 0.0


@pytest.mark.parametrize("n", range(2, 11))
def test_beta_is_negative_for_moderate_joint_angles(n: int) -> None:
    # PHYSICS.md: it holds for |q| <= 30 degrees, N <= 10. The corners of that region are the worst
    # case.
    rng = np.random.default_rng(n)
    for corner in (True, False):
        for _ in range(20):
            angle = np.radians(30.0) * (
                rng.choice([-1.0, 1.0], n - 1) if corner else rng.uniform(-1, 1, n - 1)
            )
            x = np.concatenate([[0.0], np.cumsum(angle), [0.0, 0.0]])
            assert field(n, x)[0].max() < 0.0
