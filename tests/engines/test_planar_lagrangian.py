"""The Lagrangian engine against the values of paper P4, exact solutions, invariants and its ledger."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.engines.planar_lagrangian.schema import ENERGY
from snakestudio.kernels.smooth_friction import tanh
from snakestudio.model.motion import JointAnglesStart, StraightStart
from snakestudio.model.recording import Rows
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from tests.engines.common import FloatArray, gait_reference, set_state, state_of, still
from tests.engines.lagrangian import PERIOD, link_angles, run, undulation

LIMP = {
    "joint_controller__law": "pd",
    "joint_controller__kp_nm_per_rad": 0.0,
    "joint_controller__kd_nms_per_rad": 0.0,
}
FREE = {"ground__viscous_along_ns_per_m": 0.0, "ground__viscous_across_ns_per_m": 0.0}
COLUMN = {name: i for i, name in enumerate(ENERGY)}


def tumbling(**values: object) -> Scene:
    """Return a bent robot that slides and rotates."""
    start = JointAnglesStart(
        kind="joint_angles",
        joint_angles_deg=tuple(20.0 * np.sin(np.arange(9.0)).round(3)),
        vx_m_s=0.3,
        vy_m_s=-0.1,
        omega_deg_s=60.0,
    )
    return undulation(start=start, **values)


def momentum(rows: Rows, scene: Scene) -> tuple[FloatArray, FloatArray]:
    """Return linear (k, 2) and angular (k,) momentum about the origin."""
    m = scene.robot.mass_kg
    inertia = scene.robot.inertia_kg_m2
    r, v = rows.link_pose[:, :, :2], rows.link_twist[:, :, :2]
    spin = inertia * rows.link_twist[:, :, 5].sum(axis=1)
    return m * v.sum(axis=1), spin + m * (r[:, :, 0] * v[:, :, 1] - r[:, :, 1] * v[:, :, 0]).sum(
        axis=1
    )


def forward_speed(rows: Rows) -> float:
    """Return the mean velocity of the centre of mass along the mean link direction over periods 3 to 6, m/s."""
    steady = (rows.time > 2 * PERIOD) & (rows.time <= 6 * PERIOD)
    velocity = rows.link_twist[steady, :, :2].mean(axis=1)
    heading = link_angles(rows)[steady].mean(axis=1)
    return float((velocity[:, 0] * np.cos(heading) + velocity[:, 1] * np.sin(heading)).mean())


def test_wave_moves_the_robot_towards_the_head() -> None:
    # PHYSICS.md: +0.0574 m/s toward the head, here the last link.
    _, rows = run(undulation(), 6 * PERIOD)
    assert forward_speed(rows) == pytest.approx(0.0574, abs=5e-5)


def test_opposite_wave_reverses_the_motion() -> None:
    # Seen from the other end, it is the same robot with the opposite wave.
    _, rows = run(undulation(gait__phase_shift_deg=-40.0), 6 * PERIOD)
    assert forward_speed(rows) == pytest.approx(-0.0574, abs=5e-5)


def test_isotropic_viscous_friction_keeps_the_centre_of_mass() -> None:
    # The sum of all friction is -c N p': from rest, it is exactly 0.
    _, rows = run(undulation(ground__viscous_across_ns_per_m=1.0), 2 * PERIOD)
    centre = rows.link_pose[:, :, :2].mean(axis=1)
    assert np.abs(centre - centre[0]).max() < 1e-14
    assert np.ptp(link_angles(rows), axis=0).min() > np.radians(10.0)


@pytest.mark.parametrize("offset", [5.0, -5.0])
def test_offset_turns_the_robot(offset: float) -> None:
    # PHYSICS.md: 2.92 deg/s; a positive offset of the program (negative of the paper's) turns a
    # head-last robot left.
    _, rows = run(undulation(gait__offset_deg=offset), 6 * PERIOD)
    heading = np.degrees(link_angles(rows).mean(axis=1))
    turned = np.interp(6 * PERIOD, rows.time, heading) - np.interp(2 * PERIOD, rows.time, heading)
    assert turned / (4 * PERIOD) == pytest.approx(np.sign(offset) * 2.92, abs=0.005)


def test_joints_follow_the_gait_to_the_accuracy_of_the_scheme() -> None:
    scene = undulation()
    _, rows = run(scene, 2 * PERIOD)
    error = np.abs(rows.joint_angle - rows.joint_angle_ref)[rows.time > 1.0]
    assert error.max() < 1e-7


def test_momentum_is_conserved_without_friction() -> None:
    # PHYSICS.md: linear to rounding, angular to 1e-10 and converging with the step; torques are
    # internal.
    errors = []
    for step in (0.001, 0.0005, 0.00025):
        scene = tumbling(solver__step_s=step, **FREE)
        _, rows = run(scene, 2.0, every=1)
        linear, angular = momentum(rows, scene)
        assert np.abs(linear - linear[0]).max() < 1e-12
        errors.append(np.abs(angular - angular[0]).max())
    assert abs(linear[0]).min() > 0.5
    assert errors[0] / errors[1] > 12.0
    assert errors[1] / errors[2] > 12.0
    assert errors[2] < 1e-10


def test_time_runs_backwards_without_friction_and_torques() -> None:
    missed = []
    for step in (0.004, 0.002):
        scene = tumbling(solver__step_s=step, **FREE, **LIMP)
        engine, rows = run(scene, 1.0, every=1, reference=still(scene))
        set_state(engine, v=-state_of(engine).v)
        steps = len(rows.time) - 1
        back = engine.advance(still(scene), steps, (2 * steps,)).rows
        missed.append(np.abs(back.link_pose[-1] - rows.link_pose[0]).max())
        assert np.abs(rows.link_pose[-1] - rows.link_pose[0]).max() > 0.3
    assert missed[1] < 1e-7
    assert missed[0] / missed[1] > 12.0


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_straight_robot_slides_to_rest_by_the_closed_form(mu: float) -> None:
    # Viscous alone: v = v_0 exp(-c t / m). Smoothed Coulomb alone: v' = -mu g v / sqrt(v^2 +
    # eps^2), whose solution is F(v) = F(v_0) - mu g t with F = sqrt(v^2 + eps^2) - eps asinh(eps /
    # v).
    eps = 0.02
    v0 = 0.5
    t = 0.15
    viscous = 0.0 if mu else 2.0
    scene = undulation(
        start=StraightStart(kind="straight", vx_m_s=v0),
        ground__viscous_along_ns_per_m=viscous,
        ground__mu_along=mu,
        ground__viscous_across_ns_per_m=0.0,
        ground__coulomb_smoothing_m_s=eps,
    )
    _, rows = run(scene, t, reference=still(scene))
    v = rows.link_twist[-1, :, 0]
    if not mu:
        assert v == pytest.approx(np.full(10, v0 * np.exp(-2.0 * t)), rel=1e-12)
        return

    def f(v: float) -> float:
        return float(np.hypot(v, eps) - eps * np.arcsinh(eps / v))

    assert v == pytest.approx(np.full(10, v[0]), abs=1e-14)
    assert f(v[0]) == pytest.approx(f(v0) - mu * 9.81 * t, abs=1e-9)


def test_tanh_friction_stops_a_link_by_the_closed_form() -> None:
    # v' = -mu g tanh(v / eps): sinh(v / eps) = sinh(v_0 / eps) exp(-mu g t / eps), from 15 eps to
    # nearly 0.
    eps = 0.02
    v0 = 0.3
    mu = 0.3
    t = 0.15
    scene = undulation(
        start=StraightStart(kind="straight", vx_m_s=v0),
        ground__viscous_along_ns_per_m=0.0,
        ground__mu_along=mu,
        ground__viscous_across_ns_per_m=0.0,
        ground__coulomb_smoothing_m_s=eps,
        ground__coulomb_law="tanh",
        solver__step_s=1e-4,
    )
    _, rows = run(scene, t, every=50, reference=still(scene))
    expected = eps * np.arcsinh(np.sinh(v0 / eps) * np.exp(-mu * 9.81 * rows.time / eps))
    assert rows.link_twist[:, 4, 0] == pytest.approx(expected, rel=1e-8)
    assert expected[-1] < 0.02 * eps < eps < expected[0]


def test_slide_with_tanh_friction_reaches_its_terminal_speed() -> None:
    # m g sin(slope) = mu m g cos(slope) tanh(v / eps), across the links.
    eps = 0.2
    slope = np.radians(10.0)
    scene = undulation(
        start=StraightStart(kind="straight"),
        ground__slope_deg=10.0,
        ground__downhill_deg=90.0,
        ground__mu_across=0.3,
        ground__viscous_along_ns_per_m=0.0,
        ground__viscous_across_ns_per_m=0.0,
        ground__coulomb_smoothing_m_s=eps,
        ground__coulomb_law="tanh",
    )
    _, rows = run(scene, 4.0, reference=still(scene))
    speed = eps * np.arctanh(np.tan(slope) / 0.3)
    assert rows.link_twist[-1, :, 1] == pytest.approx(np.full(10, speed), rel=1e-9)


def test_tanh_agrees_with_numpy() -> None:
    x = np.concatenate(
        [np.linspace(-25.0, 25.0, 4001), np.geomspace(1e-300, 1.0, 500), [0.0, -0.0, 1e308, -1e308]]
    )
    values = np.array([tanh(float(each)) for each in x])
    np.testing.assert_allclose(values, np.tanh(x), rtol=5e-16, atol=0.0)
    assert (np.signbit(values) == np.signbit(x)).all()


def test_viscous_slide_reaches_its_terminal_speed() -> None:
    scene = undulation(
        start=StraightStart(kind="straight"),
        ground__slope_deg=10.0,
        ground__downhill_deg=90.0,
        ground__viscous_across_ns_per_m=6.0,
    )
    _, rows = run(scene, 8.0, reference=still(scene))
    assert rows.link_twist[-1, :, 1] == pytest.approx(
        np.full(10, 9.81 * np.sin(np.radians(10.0)) / 6.0), rel=1e-9
    )


def all_at_once(step: float) -> Rows:
    """Run with every force of the model: both frictions, slope, PD control, an external force."""
    scene = tumbling(
        solver__step_s=step,
        ground__mu_along=0.1,
        ground__mu_across=0.3,
        ground__coulomb_smoothing_m_s=0.05,
        ground__slope_deg=8.0,
        ground__downhill_deg=30.0,
        joint_controller__law="pd",
        joint_controller__kp_nm_per_rad=5.0,
        joint_controller__kd_nms_per_rad=0.5,
    )
    engine, first = run(scene, 0.0, reference=still(scene))
    engine.apply_wrench(3, (1.0, -2.0, 0.0, 0.0, 0.0, 0.3))
    steps = round(2.0 / step)
    report = engine.advance(gait_reference(scene, steps), steps, range(1, steps + 1))
    assert report.ok
    return Rows.concatenate([first, report.rows])


def test_energy_balance_closes_with_the_order_of_the_scheme() -> None:
    missing = []
    for step in (0.0005, 0.00025, 0.000125):
        energy = all_at_once(step).energy
        change = energy - energy[0]
        works = [COLUMN[f"work_{name}"] for name in ("actuator", "friction", "gravity", "external")]
        assert np.abs(change[:, works]).max(axis=0).min() > 0.05, "every work takes part"
        missing.append(np.abs(change[:, COLUMN["kinetic"]] - change[:, works].sum(axis=1)).max())
        assert change[:, COLUMN["potential"]] == pytest.approx(
            -change[:, COLUMN["work_gravity"]], abs=1e-10
        )
        parts = (
            change[:, COLUMN["work_friction_viscous"]] + change[:, COLUMN["work_friction_coulomb"]]
        )
        assert parts == pytest.approx(change[:, COLUMN["work_friction"]], abs=1e-13)
        for part in ("work_friction_viscous", "work_friction_coulomb"):
            assert np.diff(change[:, COLUMN[part]]).max() < 0.0, "friction only takes"
    assert missing[2] < 1e-8
    assert missing[0] / missing[1] > 10.0
    assert missing[1] / missing[2] > 10.0


def test_momentum_is_the_impulse_of_all_external_forces() -> None:
    rows = all_at_once(0.001)
    velocity = rows.link_twist[:, :, :2].sum(axis=1)
    slope = np.radians(8.0)
    down = np.radians(30.0)
    weight = 10 * 9.81 * np.sin(slope) * np.array([np.cos(down), np.sin(down)])
    expected = rows.impulse_ground[:, :, :2].sum(axis=1) + rows.time[:, None] * (
        weight + np.array([1.0, -2.0])
    )
    assert velocity - velocity[0] == pytest.approx(expected, abs=1e-11)
    assert rows.impulse_ground[:, 0, 2] == pytest.approx(
        9.81 * np.cos(slope) * rows.time, rel=1e-12
    )


def reference_of(
    scene: Scene, duration: float, sign: float = 1.0, backwards: bool = False
) -> JointReference:
    """Return the gait, mirrored or seen from the other end of the robot."""
    reference = gait_reference(scene, round(duration / scene.solver.step_s))
    order = slice(None, None, -1) if backwards else slice(None)
    parts = (
        sign * part[:, order] for part in (reference.angle, reference.rate, reference.acceleration)
    )
    return JointReference(reference.time, *parts)


def states(
    angles: FloatArray, heading: float, x: float, y: float, vx: float, vy: float, omega: float
) -> Scene:
    """Return a start with these joint angles and state of link 1; angles in degrees, as in scenes."""
    start = JointAnglesStart(
        kind="joint_angles",
        joint_angles_deg=tuple(angles.tolist()),
        heading_deg=heading,
        x_m=x,
        y_m=y,
        vx_m_s=vx,
        vy_m_s=vy,
        omega_deg_s=omega,
    )
    return undulation(
        start=start, ground__mu_along=0.1, ground__mu_across=0.3, ground__coulomb_smoothing_m_s=0.05
    )


BENT = 25.0 * np.cos(1.3 * np.arange(9.0))


def test_mirrored_robot_mirrors_the_motion() -> None:
    one = states(BENT, 20.0, 0.1, 0.2, 0.2, 0.1, 30.0)
    other = states(-BENT, -20.0, 0.1, -0.2, 0.2, -0.1, -30.0)
    _, rows = run(one, 3.0, reference=reference_of(one, 3.0))
    _, mirrored = run(other, 3.0, reference=reference_of(other, 3.0, sign=-1.0))
    assert mirrored.link_pose[:, :, :2] * [1.0, -1.0] == pytest.approx(
        rows.link_pose[:, :, :2], abs=1e-12
    )
    assert mirrored.energy == pytest.approx(rows.energy, abs=1e-11)
    assert -mirrored.joint_torque == pytest.approx(rows.joint_torque, abs=1e-10)


def test_motion_is_independent_of_the_frame() -> None:
    turn = np.radians(77.0)
    shift = np.array([1.5, -0.7])
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    x, y = rotation @ [0.1, 0.2] + shift
    vx, vy = rotation @ [0.2, 0.1]
    one = states(BENT, 20.0, 0.1, 0.2, 0.2, 0.1, 30.0)
    other = states(BENT, 97.0, x, y, vx, vy, 30.0)
    _, rows = run(one, 3.0)
    _, turned = run(other, 3.0)
    assert turned.link_pose[:, :, :2] == pytest.approx(
        rows.link_pose[:, :, :2] @ rotation.T + shift, abs=1e-12
    )
    assert turned.energy == pytest.approx(rows.energy, abs=1e-11)


def test_either_end_may_be_counted_first() -> None:
    one = states(BENT, 20.0, 0.1, 0.2, 0.0, 0.0, 0.0)
    _, rows = run(one, 3.0, reference=reference_of(one, 3.0))
    last = rows.link_pose[0, -1]
    heading = float(np.degrees(2 * np.arctan2(last[6], last[3]))) + 180.0
    other = states(-BENT[::-1], heading, float(last[0]), float(last[1]), 0.0, 0.0, 0.0)
    other = other.model_copy(update={"robot": other.robot.model_copy(update={"head": "first"})})
    _, counted = run(other, 3.0, reference=reference_of(other, 3.0, sign=-1.0, backwards=True))
    assert counted.link_pose[:, ::-1, :2] == pytest.approx(rows.link_pose[:, :, :2], abs=1e-12)
    assert counted.energy == pytest.approx(rows.energy, abs=1e-11)


def test_step_of_the_scene_is_converged() -> None:
    _, coarse = run(undulation(), PERIOD, every=100)
    _, fine = run(undulation(solver__step_s=0.0001), PERIOD, every=1000)
    both = min(len(coarse.time), len(fine.time))
    assert coarse.link_pose[:both, :, :2] == pytest.approx(fine.link_pose[:both, :, :2], abs=1e-8)
