"""The chain of links with the motion of a continuous body: its kinematics, and its joints against Lambda (P5, (13))."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from snakestudio._arrays import FloatArray
from snakestudio.engines.continuum_beam.chain import Chain, chain_of
from snakestudio.engines.continuum_beam.rigid_motion import (
    Displacement,
    hinged,
    one_after_another,
    rotated,
    shifted,
)
from snakestudio.engines.continuum_beam.section import Instant, instant_of
from snakestudio.model.edits import with_value, with_values
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from tests.engines.beam import body, hat, run

COUNTS = (8, 16, 32, 64, 128, 256)
STEP = 1e-4


def moving(t: float) -> list[FloatArray]:
    """Return a translation and a rotation vector of two joints, and their derivatives, as functions of time."""
    w = np.array([[0.3, 1.1, -0.7], [1.9, -0.4, 2.2]])
    k = np.array([1.0, -1.4, 0.6])
    return [k * np.cos(w * t), -k * w * np.sin(w * t), -k * w * w * np.cos(w * t)]


def joints(t: float, size: float) -> Displacement:
    position, rate, acceleration = (np.roll(part, 1, axis=1) for part in moving(1.3 * t))
    arm = shifted(position, 1.3 * rate, 1.69 * acceleration)
    return hinged(arm, *(size * part for part in moving(t)))


def frames(motion: Displacement) -> FloatArray:
    result = np.zeros((len(motion.place), 4, 4))
    result[:, :3, :3] = motion.turn
    result[:, :3, 3] = motion.place
    result[:, 3, 3] = 1.0
    return result


def logarithm(matrix: FloatArray) -> FloatArray:
    """Return the twist (..., 6) of matrices g^-1 dg/dt."""
    return np.concatenate(
        [matrix[..., :3, 3], matrix[..., 2, 1:2], matrix[..., 0, 2:3], matrix[..., 1, 0:1]], axis=-1
    )


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.6, 2.0])
def test_rotations_and_derivatives_agree_with_scipy(size: float) -> None:
    """Compare with scipy's exponential and finite differences in time."""
    t = 0.37
    here = rotated(*(size * part for part in moving(t)))
    assert here.turn == pytest.approx(
        Rotation.from_rotvec(size * moving(t)[0]).as_matrix(), abs=1e-15
    )
    around = [Rotation.from_rotvec(size * moving(t + k * STEP)[0]).as_matrix() for k in (-1, 1)]
    spin = np.swapaxes(here.turn, -1, -2) @ (around[1] - around[0]) / (2 * STEP)
    omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    assert here.twist[:, 3:] == pytest.approx(omega, abs=1e-7 * size)
    before, after = (
        rotated(*(size * part for part in moving(t + k * STEP))).twist for k in (-1, 1)
    )
    assert here.growth == pytest.approx((after - before) / (2 * STEP), abs=1e-6 * size)


def test_products_of_displacements_are_those_of_matrices() -> None:
    """Compare with products of 4 x 4 matrices, and twists and their derivatives by differences."""
    t = 0.2
    total = one_after_another(joints(t, 0.8))
    first, second = frames(joints(t, 0.8))
    assert frames(total) == pytest.approx(np.stack([first, first @ second]), abs=1e-14)
    before, after = (one_after_another(joints(t + k * STEP, 0.8)) for k in (-1, 1))
    rate = np.linalg.inv(frames(total)) @ (frames(after) - frames(before)) / (2 * STEP)
    assert total.twist == pytest.approx(logarithm(rate), abs=1e-6)
    assert total.growth == pytest.approx((after.twist - before.twist) / (2 * STEP), abs=1e-6)


def instant(scene: Scene, time: float) -> Instant:
    return instant_of(run(scene, time, every=10**6)[0])


def worst(chain: Chain, entry: int) -> float:
    """Return the largest difference of a wrench's entry, relative to the largest of the body."""
    return float(
        np.abs(chain.wrench - chain.body)[:, entry].max() / np.abs(chain.body[:, entry]).max()
    )


def orders(values: list[float]) -> list[float]:
    return [math.log2(a / b) for a, b in itertools.pairwise(values)]


@pytest.mark.parametrize("n", [2, 7, 64])
def test_rotating_rod_has_the_closed_form_wrench(n: int) -> None:
    """A straight rod in accelerated rotation about its head: tension and moment in closed form, for any links.

    N_X = rho A w^2 (l^2 - X^2) / 2 and C_Z = w' (rho A (l - X)^2 (2 l + X) / 6 + J (l - X)).
    """
    support = {"kind": "anchors", "anchors": [{"angular_velocity_rad_s": ["0", "0", "2*t"]}]}
    scene = body({"kind": "formulas"}, support, {"radius_m": 0.05}, ground={"gravity_m_s2": 0.0})
    t = 0.5
    chain = chain_of(instant(scene, t), n)
    beam = scene.beam
    x = chain.joint
    left = beam.length_m - x
    tension = 0.5 * beam.mass_per_length * (2 * t) ** 2 * (beam.length_m**2 - x**2)
    moment = 2.0 * (
        beam.mass_per_length * left**2 * (2 * beam.length_m + x) / 6
        + beam.inertia_per_length[2] * left
    )
    assert chain.wrench[:, 0] == pytest.approx(tension, rel=1e-11)
    # The wrench of the part behind on the part in front is minus the wrench that rotates it.
    assert chain.wrench[:, 5] == pytest.approx(-moment, rel=1e-11)
    assert chain.body == pytest.approx(chain.wrench, abs=1e-9)
    assert chain.velocity == pytest.approx([0.0, 0.5 * (2 * t) * beam.length_m, 0.0], abs=1e-12)


def test_clamped_arc_has_the_closed_form_moment() -> None:
    """A quarter circle in a vertical plane, clamped at its head: C_Y = rho A g times the lever of the hanging part."""
    scene = body(
        {"kind": "formulas", "k_y_per_m": "-(pi/2)/l"},
        {"kind": "anchors", "anchors": [{}]},
        {"group": "SE3"},
    )
    snapshot = instant(scene, 0.1)
    beam = scene.beam
    curvature = 0.5 * math.pi / beam.length_m
    values = []
    for n in COUNTS:
        chain = chain_of(snapshot, n)
        angle = curvature * chain.joint
        # Levers along the horizontal: integral of sin(k s) / k - sin(k X) / k over s from X to l.
        lever = (np.cos(angle) - math.cos(0.5 * math.pi)) / curvature**2
        lever -= np.sin(angle) / curvature * (beam.length_m - chain.joint)
        exact = beam.mass_per_length * 9.81 * lever
        assert chain.body[:, 4] == pytest.approx(exact, abs=1e-7)
        values.append(float(np.abs(chain.wrench[:, 4] - exact).max()))
    assert orders(values) == pytest.approx([2.0] * 5, abs=0.12)


SNAKE = {"kind": "serpentine", "turn_per_m": 2.0}
CASES = {
    "2D snake": (body(SNAKE, {"kind": "rings"}), 2.0, 5),
    "inchworm": (
        body(
            {"kind": "inching"},
            {"kind": "end_anchors"},
            {"length_m": 0.5},
            ground={"slope_deg": 90.0},
            start={"kind": "straight", "heading_deg": 90.0, "z_m": 0.0},
        ),
        4.5,
        5,
    ),
    "accelerating worm": (
        body(
            {"kind": "peristalsis", "speed_m_s": 0.1, "acceleration_m_s2": 0.02},
            {"kind": "wave_anchors"},
            {"length_m": 0.3, "radius_m": 0.01, "group": "R"},
        ),
        3.0,
        0,
    ),
    "3D snake": (
        body(
            {"kind": "serpentine", "lift_per_m": 2.0, "turn_start_s": 2.0, "turn_duration_s": 4.0},
            {"kind": "rings"},
            {"group": "SE3"},
        ),
        4.0,
        4,
    ),
}


@cache
def case(name: str) -> Instant:
    scene, time, _ = CASES[name]
    return instant(with_value(scene, "solver.error_tolerance", 1e-6), time)


@pytest.mark.parametrize("name", list(CASES))
def test_joints_converge_to_the_pointwise_wrench(name: str) -> None:
    """Moment (or axial force) and velocity of the centre of mass converge with order 2 in n."""
    entry = CASES[name][2]
    chains = [chain_of(case(name), n) for n in COUNTS]
    values = [worst(chain, entry) for chain in chains]
    fitted = -np.polyfit(np.log(COUNTS[1:]), np.log(values[1:]), 1)[0]
    assert fitted == pytest.approx(2.0, abs=0.15)
    assert values[-1] < 1e-3
    speed = [float(np.linalg.norm(chain.velocity - chain.body_velocity)) for chain in chains]
    if speed[-1] > 1e-9:
        assert -np.polyfit(np.log(COUNTS[1:]), np.log(speed[1:]), 1)[0] == pytest.approx(
            2.0, abs=0.35
        )


def test_rings_along_link_axes_converge_with_order_one() -> None:
    """A ring is up to h/2 away from its link's centre, where the body's axes have turned by K h/2: order 1."""
    snapshot = case("2D snake")
    own = [worst(chain_of(snapshot, n, own_axes=True), 5) for n in COUNTS]
    turned = [worst(chain_of(snapshot, n), 5) for n in COUNTS]
    assert -np.polyfit(np.log(COUNTS[2:]), np.log(own[2:]), 1)[0] < 1.4
    assert own[-2] > 5.0 * turned[-2]


@pytest.mark.parametrize("name", ["2D snake", "3D snake"])
def test_chain_balances_from_its_tail(name: str) -> None:
    """The Newton-Euler recursion from the other end, with links placed in the world, gives the same last joint.

    Forces of supports are the least-squares solution by numpy's pseudo-inverse; the mass is moved
    as the frames move from 1 ms before to 1 ms after.
    """
    scene = with_values(
        CASES[name][0], {"strain.turn_start_s": 0.0, "solver.error_tolerance": 1e-5}
    )
    n = 12
    step = 1e-3
    time = 1.0
    beam = scene.beam
    fine = with_value(scene, "solver.step_s", step)
    engines = [instant(fine, time + k * step) for k in (-1, 0, 1)]
    chains = [chain_of(part, n) for part in engines]
    position = np.stack([chain.pose[:, :3] for chain in chains])
    turn = np.stack([matrices(chain.pose[:, 3:]) for chain in chains])
    mass = beam.mass_per_length * beam.length_m / n
    force = mass * (position[0] - 2 * position[1] + position[2]) / step**2 - mass * np.array(
        scene.ground.gravity
    )
    inertia = np.array(beam.inertia_per_length) * beam.length_m / n
    inertia += np.array([0, 1, 1]) * mass * (beam.length_m / n) ** 2 / 12

    def momentum(k: int) -> FloatArray:  # angular, half a step after
        omega = Rotation.from_matrix(turn[k + 1] @ np.swapaxes(turn[k], 1, 2)).as_rotvec() / step
        between = (
            np.stack([Rotation.from_rotvec(0.5 * step * w).as_matrix() for w in omega]) @ turn[k]
        )
        return np.einsum("qij,j,qkj,qk->qi", between, inertia, between, omega)

    couple = (momentum(1) - momentum(0)) / step
    middle = engines[1]
    held = chains[1].hold_wrench @ np.kron(np.eye(2), middle.turn).T  # world axes, about the head
    assert np.abs(held[:, :3]).max() > 0.0
    # Everything about the last joint, half a link in front of the last link's centre.
    joint = position[1, -1] - 0.5 * beam.length_m / n * turn[1, -1, :, 0]
    on_last = middle.work.hold[:, 1] > chains[1].joint[-1]
    supports = held[on_last, 3:] + np.cross(middle.place - joint, held[on_last, :3])
    expected = couple[-1] + np.cross(position[1, -1] - joint, force[-1]) - supports.sum(axis=0)
    half = Rotation.from_rotvec(-0.5 * chains[1].angle[-1]).as_matrix()
    moment = turn[1, -1] @ half @ chains[1].wrench[-1, 3:]
    which = slice(2, 3) if beam.group == "SE2" else slice(0, 3)
    assert -moment[which] == pytest.approx(
        expected[which], abs=2e-5 * float(np.abs(chains[1].wrench[:, 3:]).max()) + 1e-6
    )


def test_rings_share_the_load_by_the_pseudo_inverse() -> None:
    """Compare the flat snake's ring forces with numpy: columns are normals of the links, couples
    are scaled by length."""
    snapshot = case("2D snake")
    chain = chain_of(snapshot, 16, own_axes=True)
    wrench = chain.hold_wrench
    head = snapshot.turn
    length = snapshot.params.length
    columns = []
    for at in snapshot.work.hold[:, 1]:
        link = max(math.ceil(at / length * 16 - 1e-9) - 1, 0)
        local = head.T @ matrices(chain.pose[link : link + 1, 3:])[0]
        point = (
            head.T @ (chain.pose[link, :3] - snapshot.place)
            + (at - (link + 0.5) * length / 16) * local[:, 0]
        )
        columns.append([local[0, 1], local[1, 1], (hat(point) @ local[:, 1])[2] / length])
    matrix = np.array(columns).T
    total = wrench[:, [0, 1, 5]].sum(axis=0) / [1.0, 1.0, length]
    amounts = np.linalg.pinv(matrix) @ total
    assert np.linalg.norm(wrench[:, :2], axis=1) == pytest.approx(np.abs(amounts), abs=1e-10)
