"""Equations of motion, constraints, reactions, damping and friction against P3 as printed."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.engines.planar_nonholonomic.params import make_params
from snakestudio.engines.planar_nonholonomic.schema import ENERGY
from snakestudio.engines.planar_nonholonomic.state import (
    LEFT,
    RIGHT,
    WORKS,
    Work,
    make_state,
    make_work,
)
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene
from tests.engines.nonholonomic import FloatArray, Paper, jam, reactions
from tests.kernels.compiled_nonholonomic import evaluate

MU = 0.3
G = 9.81
DAMPING = 1000.0
EPS = 1e-3
EPS_TURN = 1e-2
LIMIT = np.radians(50.0)


def at_random(seed: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return random angles and centre of mass of a robot among the obstacles, their rates, and a joint reference."""
    rng = np.random.default_rng(seed)
    n = 10
    theta = rng.uniform(-0.3, 0.3) + np.cumsum(rng.uniform(-0.9, 0.9, n))
    x = np.concatenate([theta, rng.uniform(0.3, 2.0, 1), rng.uniform(-0.2, 0.2, 1)])
    return (
        x,
        np.concatenate([rng.uniform(-1, 1, n), rng.uniform(-0.3, 0.3, 2)]),
        rng.uniform(-1, 1, n - 1),
    )


def field(seed: int) -> Scene:
    """Return the shipped scene; for odd seeds, with so many pins that links are squeezed between them."""
    if seed % 2 == 0:
        return jam()
    rng = np.random.default_rng(seed)
    pins = (
        Cylinder(kind="cylinder", x_m=x, y_m=y, radius_m=0.03, friction=MU)
        for x, y in rng.uniform([-0.5, -0.8], [2.8, 0.8], (220, 2)).tolist()
    )
    return jam(obstacles=tuple(pins))


def evaluated(
    x: FloatArray, v: FloatArray, reference: FloatArray, scene: Scene
) -> tuple[Work, int]:
    n = len(x) - 2
    work = make_work(n)
    work.reference[:, 0] = reference
    count = evaluate(
        make_params(scene), np.zeros((n, 3)), np.zeros(n, np.int64), np.concatenate([x, v]), work
    )
    return work, count


def met(x: FloatArray, position: FloatArray, scene: Scene) -> tuple[FloatArray, FloatArray]:
    """Return links that touch obstacles, and the side (1: pushed to the left, -1: to the right, 0: both)."""
    centres = np.array([[o.x_m, o.y_m] for o in scene.obstacles if isinstance(o, Cylinder)])
    links = []
    sides = []
    for i in range(len(x) - 2):
        axis = np.array([np.cos(x[i]), np.sin(x[i])])
        away = centres - position[i]
        nearest = away - np.clip(away @ axis, -0.07, 0.07)[:, None] * axis
        touching = np.hypot(*nearest.T) <= 0.05
        if touching.any():
            to_left = np.sign(axis[0] * away[touching, 1] - axis[1] * away[touching, 0])
            links.append(i)
            sides.append(0.0 if len(set(to_left)) == 2 else -to_left[0])
    return np.array(links, int), np.array(sides)


@pytest.mark.parametrize("seed", range(40))
def test_accelerations_are_those_of_the_paper(seed: int) -> None:
    x, v, reference = at_random(seed)
    n = 10
    paper = Paper(n, 0.07, 1.0, 0.0016)
    theta = x[:n]
    omega = v[:n]
    work, count = evaluated(x, v, reference, field(seed))

    # (13) to (17), sgn as PHYSICS.md defines it.
    vx, vy = paper.velocities(theta, v)
    along = np.cos(theta) * vx + np.sin(theta) * vy
    across = np.cos(theta) * vy - np.sin(theta) * vx
    ft = -MU * G * along / np.hypot(along, EPS)
    fn = -MU * G * across / np.hypot(across, EPS)
    fx = np.cos(theta) * ft - np.sin(theta) * fn
    fy = np.sin(theta) * ft + np.cos(theta) * fn
    torque = -0.5 * MU * G * 0.07 * omega / np.hypot(omega, EPS_TURN)
    # (59) on phi_i = theta_i - theta_{i+1} with the restoring torque at the joints' limits.
    phi = -np.diff(theta)
    u = (
        20.0 * (-reference - phi)
        + 5.0 * np.diff(omega)
        - 1000.0 * (phi - np.clip(phi, -LIMIT, LIMIT))
    )
    q, force = paper.motion(theta, omega)
    force = force + paper.on_coordinates(theta, fx, fy)
    force[:n] += torque + paper.d.T @ u

    links, sides = met(x, work.place, field(seed))
    assert count == len(links)
    c, dc = (part[links] for part in paper.constraints(theta, omega))
    inverse = np.linalg.inv(q)
    push = np.zeros(0)
    if count:
        push = reactions(c @ inverse @ c.T, c @ inverse @ force + dc @ v, sides)
    # (43) with f_C,n = lambda; (46) against velocities into the obstacle; (48).
    normal = np.zeros(n)
    into = np.where(
        sides > 0,
        np.minimum(across[links], 0),
        np.where(sides < 0, np.maximum(across[links], 0), across[links]),
    )
    normal[links] = push - DAMPING * into
    rub = np.zeros(n)
    rub[links] = -MU * np.abs(push) * along[links] / np.hypot(along[links], EPS)
    cx = np.cos(theta) * rub - np.sin(theta) * normal
    cy = np.sin(theta) * rub + np.cos(theta) * normal
    acceleration = inverse @ (force + paper.on_coordinates(theta, cx, cy))
    scale = max(1.0, float(np.abs(acceleration).max()))
    assert work.acceleration == pytest.approx(acceleration, abs=1e-10 * scale)

    # The recorded forces are the acting forces.
    at = WORKS + 2 * n
    booked = work.rate_sums[at : at + 8 * n].reshape(2, n, 4)
    assert booked[..., :2].sum(axis=0) + booked[..., 2:].sum(axis=0) == pytest.approx(
        np.stack([cx, cy], 1), abs=1e-8
    )
    power = dict(zip(ENERGY[2:], work.rate_sums[:WORKS], strict=True))
    assert power["work_friction"] == pytest.approx(
        ft @ along + fn @ across + torque @ omega, abs=1e-9
    )
    assert power["work_obstacle"] == pytest.approx(cx @ vx + cy @ vy, rel=1e-9, abs=1e-9)


def test_random_states_touch_obstacles_on_one_and_both_sides() -> None:
    counts = []
    both = 0
    for seed in range(40):
        x, v, reference = at_random(seed)
        work, count = evaluated(x, v, reference, field(seed))
        counts.append(count)
        both += int(((work.near[LEFT] >= 0) & (work.near[RIGHT] >= 0)).sum())
    assert max(counts) >= 4
    assert both >= 3
    assert min(counts) <= 1


def test_constraint_matrix_and_its_derivative_are_right() -> None:
    # (31) against (34), and (35) by finite differences: this verifies the reference that the engine
    # is compared with above.
    paper = Paper(10, 0.07, 1.0, 0.0016)
    x, v, _ = at_random(3)
    theta = x[:10]
    omega = v[:10]
    vx, vy = paper.velocities(theta, v)
    c, dc = paper.constraints(theta, omega)
    assert c @ v == pytest.approx(-vx * np.sin(theta) + vy * np.cos(theta), abs=1e-13)
    h = 1e-6
    ahead, behind = (paper.constraints(theta + s * h * omega, omega)[0] for s in (1, -1))
    assert dc == pytest.approx((ahead - behind) / (2 * h), abs=1e-8)


def test_jam_scene_has_the_start_of_the_paper() -> None:
    q, _ = planar_pose(jam())
    assert np.degrees(q[:, 2]) == pytest.approx([7, -32, -57, -46, -8, 33, 53, 45, 12, -23])
    assert make_state(q, np.zeros_like(q), np.ones(len(q))).y[10:12] == pytest.approx(
        [0.0, 0.0], abs=1e-9
    )
