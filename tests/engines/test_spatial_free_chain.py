"""A freely floating chain: momentum, energy, and the motion itself, against MuJoCo and against the spinning top."""

from __future__ import annotations

import math
from collections.abc import Iterator

import mujoco
import numpy as np
import pytest

from snakestudio.engines import registry
from snakestudio.model.motion import StraightStart
from snakestudio.model.robot.robot import JointController, Robot
from snakestudio.model.scene import Scene, Solver
from tests.engines.common import gait_reference, still
from tests.engines.spatial import LIMP, energy, in_the_air, matrices, momentum, moving, run, twists
from tests.peers import mujoco_robot

# P1, VIII-A
HELD = JointController(
    kp_nm_per_rad=40.0, kd_nms_per_rad=0.2, kp_pitch_nm_per_rad=800.0, kd_pitch_nms_per_rad=0.2
)


def tumbling(dt: float, joint_controller: JointController = LIMP) -> Scene:
    """Return a bent chain that rotates about all axes while its joints move."""
    scene = in_the_air(6, dt, joint_controller=joint_controller)
    rate = 2.0 * np.random.default_rng(3).uniform(-1.0, 1.0, (5, 2))
    pose = registry.create(scene).snapshot().link_pose
    return moving(
        scene, twists(scene, pose, np.array([0.2, -0.1, 0.3, 1.0, 2.0, -1.5]), rate), pose
    )


@pytest.mark.parametrize("joint_controller", [LIMP, HELD], ids=["limp", "moved by its motors"])
def test_momentum_is_conserved(joint_controller: JointController) -> None:
    # No external force, for any joint motion: linear momentum is constant to rounding. Angular
    # momentum converges with the step, because positions and impulses of a step belong to different
    # instants.
    lost = []
    for dt in (2.5e-4, 1.25e-4):
        scene = tumbling(dt, joint_controller)
        engine = registry.create(scene)
        first = engine.initial_rows()
        steps = round(0.5 / dt)
        last = engine.advance(gait_reference(scene, steps), steps, (steps,)).rows
        (p0, l0), (p1, l1) = (
            momentum(scene, rows.link_pose[0], rows.link_twist[0]) for rows in (first, last)
        )
        assert p1 == pytest.approx(p0, abs=1e-11)
        lost.append(np.linalg.norm(l1 - l0) / np.linalg.norm(l0))
    assert lost[0] < 1e-3
    assert lost[1] < 0.55 * lost[0]


def test_energy_of_limp_links_converges() -> None:
    lost = []
    for dt in (2.5e-4, 1.25e-4):
        engine, rows = run(tumbling(dt), round(0.5 / dt), round(0.5 / dt))
        first = registry.create(engine.scene).initial_rows()
        kinetic = [energy(r, engine)["kinetic"][0] for r in (first, rows)]
        lost.append(abs(kinetic[1] / kinetic[0] - 1.0))
    assert lost[0] < 1e-3
    assert lost[1] < 0.55 * lost[0]


@pytest.fixture
def _no_callback_left() -> Iterator[None]:
    yield
    mujoco.set_mjcb_control(None)


@pytest.mark.usefixtures("_no_callback_left")
@pytest.mark.parametrize("joint_controller", [LIMP, HELD], ids=["limp", "moved by its motors"])
def test_motion_converges_to_that_of_mujoco(joint_controller: JointController) -> None:
    # MuJoCo's Runge-Kutta of order 4 at 1e-4 s has an error below 1e-9 m here (against 5e-5 s).
    # Ours is of order 1: half the error with half the step, and the extrapolation of two steps to 0
    # is MuJoCo's motion.
    span = 0.3
    fine = tumbling(1e-4, joint_controller)
    model, data = mujoco_robot.build(fine, integrator="RK4", contacts=False)
    gait = gait_reference(tumbling(2.5e-5, joint_controller), round(span / 2.5e-5))
    mujoco.set_mjcb_control(mujoco_robot.exact_law(fine, gait.at))
    for _ in range(round(span / 1e-4)):
        mujoco.mj_step(model, data)
    truth = mujoco_robot.centres(model, data)
    ours = []
    for dt in (2.5e-4, 1.25e-4):
        steps = round(span / dt)
        _, rows = run(tumbling(dt, joint_controller), steps, steps)
        ours.append(rows.link_pose[-1, :, :3])
    errors = [np.linalg.norm(o - truth, axis=1).max() for o in ours]
    assert errors[0] < 2e-3
    assert errors[1] < 0.55 * errors[0]
    assert np.linalg.norm(2.0 * ours[1] - ours[0] - truth, axis=1).max() < 0.05 * errors[0]


def test_straight_chain_rotates_uniformly() -> None:
    # About a transverse axis, a straight limp chain is in equilibrium under tension alone: it stays
    # straight (to a part in 1e5) and rotates by omega t. The error halves with the step.
    omega = 3.0
    span = 1.0
    errors = []
    for dt in (2.5e-4, 1.25e-4):
        scene = in_the_air(8, dt, start=StraightStart(kind="straight", z_m=9.0))
        pose = registry.create(scene).snapshot().link_pose
        twist = twists(scene, pose, np.array([0.0, 0.0, 0.0, 0.0, omega, 0.0]))
        steps = round(span / dt)
        _, rows = run(moving(scene, twist, pose), steps, steps, gait=False)
        axis = matrices(rows.link_pose[-1])[:, :, 0]
        assert np.abs(axis - axis[0]).max() < 1e-5
        expected = np.array([math.cos(omega * span), 0.0, -math.sin(omega * span)])
        errors.append(np.linalg.norm(axis[0] - expected))
    assert errors[0] < 1e-3 * omega * span
    assert errors[1] < 0.55 * errors[0]


def test_stiff_straight_pair_precesses_like_a_symmetric_top() -> None:
    # Torque-free symmetric top: the axis precesses about the angular momentum at the rate |L| /
    # I_transverse. Two links with stiff joints are one body up to the compliance of the joints
    # (moments of 1e-2 N m on 800 N m/rad: 1e-4 rad).
    errors = []
    for dt in (2.5e-4, 1.25e-4):
        scene = in_the_air(
            2,
            dt,
            robot=Robot(n_links=2, inertia_kg_m2=1.315e-3, axial_inertia_kg_m2=9.4e-4),
            joint_controller=JointController(kp_nm_per_rad=800.0, kd_nms_per_rad=2.0),
            start=StraightStart(kind="straight", z_m=9.0),
            solver=Solver(step_s=dt),
        )
        robot = scene.robot
        pose = registry.create(scene).snapshot().link_pose
        spin = 12.0
        swing = 1.5
        half = 0.5 * robot.link_length_m
        omega = np.array([spin, 0.0, swing])
        middle = 0.5 * (pose[0, :3] + pose[1, :3])
        twist = np.array([[*np.cross(omega, p[:3] - middle), *omega] for p in pose])
        axial = 2 * robot.axial_inertia_kg_m2
        transverse = 2 * (robot.inertia_kg_m2 + robot.mass_kg * half**2)
        spun = np.array([axial * spin, 0.0, transverse * swing])
        rate = np.linalg.norm(spun) / transverse
        span = round(0.5 * math.pi / rate / 1e-3) * 1e-3
        steps = round(span / dt)
        start = StraightStart(
            z_m=9.0,
            vy_m_s=twist[0, 1],
            omega_x_deg_s=math.degrees(spin),
            omega_deg_s=math.degrees(swing),
        )
        engine = registry.create(scene.model_copy(update={"start": start}))
        np.testing.assert_allclose(engine.snapshot().link_twist, twist, atol=1e-13)
        last = engine.advance(still(scene), steps, (steps,)).rows.link_pose[-1]
        towards = spun / np.linalg.norm(spun)
        x = np.array([1.0, 0.0, 0.0])
        # Rodrigues: x rotated about the angular momentum.
        turned = (
            x * math.cos(rate * span)
            + np.cross(towards, x) * math.sin(rate * span)
            + towards * (towards @ x) * (1 - math.cos(rate * span))
        )
        axis = last[1, :3] - last[0, :3]
        errors.append(np.linalg.norm(axis / np.linalg.norm(axis) - turned))
    assert errors[1] < 1e-3
    assert errors[1] < max(0.6 * errors[0], 2e-4)
