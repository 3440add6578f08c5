"""Properties of real robots beyond the model (P1, VIII-F), each against its definition in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from snakestudio.engines import registry
from snakestudio.model.edits import with_values
from snakestudio.model.motion import JointAnglesStart, StraightStart
from snakestudio.model.recording import Rows
from snakestudio.model.robot.robot import Actuator, JointController, Robot
from snakestudio.model.scene import Control, Run, Scene, Solver
from snakestudio.model.world import Ground
from snakestudio.session.offline import run_offline
from tests.engines.common import still
from tests.engines.spatial import NO_GRAVITY, case_scene, moving, pair, run, twists

G = 9.81


def recorded(scene: Scene) -> Rows:
    """Return all rows of a whole run, with the program's controller."""
    result = run_offline(scene)
    assert result.ok, result.message
    return result.recording.rows(0, len(result.recording))


def floating(**update: Any) -> Scene:
    """Return two links in line without gravity."""
    return pair(NO_GRAVITY, start=StraightStart(kind="straight", z_m=1.0), **update)


def folding(scene: Scene, rate: float, plane: int) -> Scene:
    """Return `scene` with its joint initially folding at `rate` (rad/s) in one plane, shared by both links, at rest."""
    pose = registry.create(scene).snapshot().link_pose
    axis = np.array([0.0, 0.0, 1.0] if plane == 0 else [0.0, 1.0, 0.0])
    rates = np.zeros((1, 2))
    rates[0, plane] = rate
    twist = twists(scene, pose, np.concatenate([np.zeros(3), -0.5 * rate * axis]), rates)
    twist[:, :3] -= twist[:, :3].mean(axis=0)
    return moving(scene, twist, pose)


def folding_inertia(scene: Scene) -> float:
    """Return I of T = I phi'^2 / 2 of two straight links that fold evenly, each by half about its centre of gravity."""
    return scene.robot.inertia_kg_m2 / 2


@pytest.mark.parametrize("plane", [0, 1], ids=["yaw", "pitch"])
def test_free_play_does_not_hold_the_joint(plane: int) -> None:
    # 4 degrees of free play: between -2 and 2 nothing acts on the joint. Beyond, the spring stops
    # it within rate sqrt(I / K_P), so that it moves back and forth between both sides.
    stiffness = 40.0
    rate = math.radians(40.0)
    half = math.radians(2.0)
    scene = floating(
        actuator=Actuator(free_play_deg=4.0),
        joint_controller=JointController(kp_nm_per_rad=stiffness, kd_nms_per_rad=0.0),
    )
    _, rows = run(folding(scene, rate, plane), 4000, 1, gait=False)
    angle, speed, torque = (
        a[:, plane] for a in (rows.joint_angle, rows.joint_rate, rows.joint_torque)
    )
    first = int(0.99 * half / rate / scene.solver.step_s)
    # folding by 2 degrees adds that much to the inertia
    assert speed[:first] == pytest.approx(rate, rel=5e-4)
    within = np.abs(angle) < half - rate * scene.solver.step_s
    assert np.all(torque[within] == 0.0)
    overshoot = rate * math.sqrt(folding_inertia(scene) / stiffness)
    assert half < angle.max() <= half + 1.1 * overshoot
    assert -half > angle.min() >= -half - 1.1 * overshoot
    assert np.abs(torque).max() == pytest.approx(stiffness * overshoot, rel=0.1)


@pytest.mark.parametrize("plane", [0, 1], ids=["yaw", "pitch"])
def test_motor_saturates_at_its_largest_torque(plane: int) -> None:
    # 60 degrees off at 40 N m/rad, the motor would exert 42 N m; it exerts 3, and the joint
    # accelerates accordingly.
    scene = floating(
        actuator=Actuator(max_torque_nm=3.0),
        joint_controller=JointController(kp_nm_per_rad=40.0, kd_nms_per_rad=0.2),
    )
    engine = registry.create(scene)
    target = math.radians(60.0)
    reference = still(scene, target) if plane == 0 else still(scene, 0.0, target)
    rows = engine.advance(reference, 4000, range(1, 4001)).rows
    torque = rows.joint_torque[:, plane]
    rate = rows.joint_rate[:, plane]
    assert torque[:20] == pytest.approx(3.0, rel=1e-12)
    assert np.abs(torque).max() <= 3.0 * (1 + 1e-12)
    assert torque.min() == pytest.approx(-3.0, rel=1e-12)
    assert rate[3] == pytest.approx(3.0 / folding_inertia(scene) * rows.time[3], rel=1e-3)


def test_slow_motor_reaches_its_torque_as_a_first_order_lag() -> None:
    # 1 - exp(-t / T) of the commanded 4 N m, with links that are too heavy to move meanwhile.
    lag = 0.05
    scene = floating(
        robot=Robot(n_links=2, inertia_kg_m2=1e6, axial_inertia_kg_m2=1e6),
        actuator=Actuator(time_constant_s=lag),
        joint_controller=JointController(kp_nm_per_rad=40.0, kd_nms_per_rad=0.0),
    )
    rows = registry.create(scene).advance(still(scene, 0.1, 0.05), 1000, range(1, 1001)).rows
    reached = 1.0 - np.exp(-rows.time / lag)
    assert rows.joint_torque[:, 0] == pytest.approx(4.0 * reached, rel=1e-5)
    assert rows.joint_torque[:, 1] == pytest.approx(2.0 * reached, rel=1e-5)


def test_pitch_axis_is_behind_the_yaw_axis() -> None:
    # Yaw 30 degrees about z at the end of link 1, 22 mm further pitch 20 degrees (downwards), half
    # a link to the centre.
    offset = 0.022
    scene = pair(
        NO_GRAVITY,
        robot=Robot(n_links=2, axis_offset_m=offset),
        start=JointAnglesStart(
            kind="joint_angles",
            joint_angles_deg=(30.0,),
            joint_pitch_deg=(20.0,),
            heading_deg=0.0,
            z_m=1.0,
        ),
    )
    engine = registry.create(scene)
    half = 0.5 * (0.122 - offset)
    yaw, pitch = math.radians(30.0), math.radians(20.0)
    between = np.array([math.cos(yaw), math.sin(yaw), 0.0])
    second = np.array(
        [math.cos(yaw) * math.cos(pitch), math.sin(yaw) * math.cos(pitch), -math.sin(pitch)]
    )
    expected = np.array([half, 0.0, 1.0]) + offset * between + half * second
    assert engine.snapshot().link_pose[1, :3] == pytest.approx(expected, abs=1e-12)
    # It still holds after random motion: the measured angles are the rotations of the axes.
    engine.apply_wrench(0, (0.5, 0.2, 1.0, 0.0, 0.0, 0.0))
    engine.advance(still(scene, math.radians(-10.0), math.radians(15.0)), 2000, ())
    engine.apply_wrench(0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    engine.advance(still(scene, math.radians(-10.0), math.radians(15.0)), 8000, ())
    angle = engine.snapshot().joint_angle
    assert np.degrees(angle) == pytest.approx([-10.0, 15.0], abs=1.0)
    distance = np.linalg.norm(np.diff(engine.snapshot().link_pose[:, :3], axis=0))
    # |half e1 + offset b + half e2|^2 with e1.b = cos yaw, b.e2 = cos pitch, e1.e2 = cos yaw cos
    # pitch.
    cy, cp = math.cos(angle[0]), math.cos(angle[1])
    square = 2 * half**2 + offset**2 + 2 * half * (offset * (cy + cp) + half * cy * cp)
    assert distance == pytest.approx(math.sqrt(square), abs=1e-12)


def slowing(velocity: float, rise: float, v_s: float) -> float:
    """Return the deceleration of two links that slide along their axes at `velocity`, m/s^2."""
    ground = Ground(mu_along=0.2, mu_across=0.2, stribeck_rise=rise, stribeck_velocity_m_s=v_s)
    scene = pair(
        ground, start=StraightStart(kind="straight", vx_m_s=velocity), solver=Solver(step_s=1e-5)
    )
    _, rows = run(scene, 1, 1, gait=False)
    return float(velocity - rows.link_twist[0, 0, 0]) / 1e-5


def test_stribeck_friction_falls_with_the_sliding_velocity() -> None:
    # (1 + rise) mu at rest, 1/e of the rise left at v_s, plain mu g far above.
    assert slowing(0.02, 0.5, 0.02) == pytest.approx(0.2 * G * (1 + 0.5 / math.e), rel=1e-6)
    assert slowing(2.0, 0.5, 0.02) == pytest.approx(0.2 * G, rel=1e-9)
    assert slowing(1e-4, 0.5, 1.0) == pytest.approx(0.2 * G * 1.5, rel=1e-3)
    assert slowing(0.02, 0.0, 0.02) == pytest.approx(0.2 * G, rel=1e-9)


@pytest.mark.parametrize(("rise", "slides"), [(0.3, False), (0.1, True), (0.0, True)])
def test_stribeck_friction_holds_more_at_rest(rise: float, slides: bool) -> None:
    # Slope of tan 0.24: between mu = 0.2 and 1.3 mu, above 1.1 mu.
    slope = math.degrees(math.atan(0.24))
    ground = Ground(mu_along=0.2, mu_across=0.2, stribeck_rise=rise, slope_deg=slope)
    _, rows = run(pair(ground), 4000, 4000, gait=False)
    assert (rows.link_twist[-1, 0, 0] > 0.1) == slides
    if not slides:
        assert np.abs(rows.link_twist[-1]).max() < 1e-10


def test_set_points_are_delayed_and_sampled() -> None:
    # Ten per second after a delay of 0.15 s: between t = k/10 and (k+1)/10 the references are the
    # gait's angles at max(k/10 - 0.15, 0), at rate 0.
    scene = case_scene(
        "spatial_lateral_undulation",
        run=Run(duration_s=1.0, log_rate_hz=400.0),
        control=Control(set_point_period_s=0.1, start_delay_s=0.15),
    )
    rows = recorded(scene)
    phase = np.mod(rows.time, 0.1)
    inside = (phase > 0.001) & (phase < 0.099)
    assert inside.sum() > 380
    sampled = np.maximum(np.floor(rows.time[inside] / 0.1) * 0.1 - 0.15, 0.0)
    gait = scene.gait
    expected = gait.amplitude * np.sin(
        gait.omega * sampled[:, None] + np.arange(10) * gait.phase_shift
    )
    assert rows.joint_angle_ref[inside, ::2] == pytest.approx(expected, abs=1e-6)
    assert np.all(rows.joint_rate_ref[inside] == 0.0)


def sidewinding(values: dict[str, Any]) -> Rows:
    scene = case_scene(
        "sidewinding",
        run=Run(duration_s=13.5),
        start=StraightStart(kind="straight", heading_deg=180.0),
    )
    return recorded(with_values(scene, values))


def test_realistic_robot_has_more_ground_contacts() -> None:
    # P1, VIII-E: more of Aiko's links touched the ground than of the model's, and it moved less
    # far. This has all properties named in VIII-F, with its values where it has any. A lag T with
    # K_P and K_D is stable only if K_D > T K_P, so both robots have more damping here than in P1.
    gains = {
        "joint_controller.kp_nm_per_rad": 40.0,
        "joint_controller.kd_nms_per_rad": 1.0,
        "joint_controller.kp_pitch_nm_per_rad": 200.0,
        "joint_controller.kd_pitch_nms_per_rad": 2.0,
    }
    flaws = {
        "robot.axis_offset_m": 0.022,
        "actuator.free_play_deg": 5.0,
        "actuator.max_torque_nm": 8.0,
        "actuator.time_constant_s": 0.002,
        "ground.stribeck_rise": 0.2,
        "control.set_point_period_s": 0.1,
        "control.start_delay_s": 0.1,
    }
    closed = []
    speed = []
    for values in (gains, gains | flaws):
        rows = sidewinding(values)
        late = rows.time >= 4.5
        closed.append(rows.contacts_closed[late].mean())
        track = rows.link_pose[late, 5, :2]
        speed.append(np.linalg.norm(track[-1] - track[0]) / 9.0)
    assert closed[1] > closed[0]
    assert 0.05 < speed[1] < speed[0]
