"""Joints with torque commands: against equations of motion independent of the engines, and against invariants.

Two links with the joint between them, free of the ground and initially at rest, rotate relative to
each other about their centre of mass. With a = L/2, m and J the kinetic energy of the joint angle
phi is I phi'^2 / 2 with I(phi) = J/2 + (m a^2 / 4) (1 - cos phi): the distance of the centres is
a (e_1 + e_2), and each link rotates by phi'/2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from snakestudio._arrays import FloatArray
from snakestudio.control import registry as controllers
from snakestudio.engines import registry
from snakestudio.errors import SceneError
from snakestudio.model.columns import column_names, columns_between
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.session.offline import run_offline
from tests.engines.common import yaw_of
from tests.wording import naming

LINKS = ("planar_nonsmooth", "spatial_nonsmooth", "planar_lagrangian", "planar_nonholonomic")
STEP = 1.0 / 8000
FREE: dict[str, Any] = {
    "ground.gravity_m_s2": 0.0,
    "ground.mu_along": 0.0,
    "ground.mu_across": 0.0,
    "ground.viscous_along_ns_per_m": 0.0,
    "ground.viscous_across_ns_per_m": 0.0,
    "start.kind": "straight",
    "solver.step_s": STEP,
    "solver.error_tolerance": 1e-8,
    "run.duration_s": 1.0,
    "run.log_rate_hz": 100.0,
    "gait.kind": "joint_torque",
}


def free(kind: str, n_links: int, torque: str, **values: Any) -> Scene:
    start_values = {"start.z_m": 1.0} if kind == "spatial_nonsmooth" else {}
    base = {
        "model.kind": kind,
        "robot.n_links": n_links,
        **FREE,
        **start_values,
        "gait.torque_nm": torque,
    }
    return with_values(
        Scene(), base | {key.replace("__", "."): value for key, value in values.items()}
    )


def run(scene: Scene) -> Rows:
    result = run_offline(scene)
    assert result.ok
    return result.recording.rows(0, len(result.recording))


def motion(scene: Scene) -> tuple[Rows, FloatArray, FloatArray]:
    """Return rows, and angles and rates (k, m) extrapolated over the step: the error is proportional to it."""
    rows = run(scene)
    if not scene.model.kind.endswith("nonsmooth"):
        return rows, rows.joint_angle, rows.joint_rate
    fine = run(with_values(scene, {"solver.step_s": 0.5 * STEP}))
    return rows, 2.0 * fine.joint_angle - rows.joint_angle, 2.0 * fine.joint_rate - rows.joint_rate


def inertia(scene: Scene, phi: FloatArray | float) -> FloatArray | float:
    robot = scene.robot
    a = 0.5 * robot.link_length_m
    return 0.5 * robot.inertia_kg_m2 + 0.25 * robot.mass_kg * a * a * (1.0 - np.cos(phi))


def turned(scene: Scene, torque: Callable[[float], float], times: FloatArray) -> FloatArray:
    """Return angle and rate, (2, k), of two links under a torque, by I phi'' + I' phi'^2 / 2 = torque."""
    robot = scene.robot
    a = 0.5 * robot.link_length_m

    def derivatives(t: float, y: FloatArray) -> list[float]:
        slope = 0.25 * robot.mass_kg * a * a * math.sin(y[0])
        return [y[1], (torque(t) - 0.5 * slope * y[1] ** 2) / float(inertia(scene, y[0]))]

    solution = solve_ivp(
        derivatives,
        (0.0, times[-1]),
        [0.0, 0.0],
        method="DOP853",
        t_eval=times,
        rtol=1e-11,
        atol=1e-12,
    )
    return np.asarray(solution.y)


@pytest.mark.parametrize("kind", LINKS)
def test_constant_torque_gives_two_free_links_its_work(kind: str) -> None:
    scene = free(kind, 2, "0.01")
    rows, angle, rates = motion(scene)
    phi = angle[:, 0]
    rate = rates[:, 0]
    assert phi[-1] > 2.0
    assert rate == pytest.approx(
        np.sqrt(2.0 * 0.01 * np.abs(phi) / inertia(scene, phi)), rel=2e-7, abs=1e-6
    )
    assert rows.joint_torque[1:, 0] == pytest.approx(0.01, abs=1e-12)


@pytest.mark.parametrize("kind", LINKS)
def test_oscillating_torque_moves_two_links_by_their_equation(kind: str) -> None:
    scene = free(kind, 2, "0.03*sin(2*pi*t) - 0.005*tanh(5*t)")
    rows, angle, rates = motion(scene)
    expected = turned(
        scene, lambda t: 0.03 * math.sin(2.0 * math.pi * t) - 0.005 * math.tanh(5.0 * t), rows.time
    )
    assert np.abs(expected[0]).max() > 1.0
    assert angle[:, 0] == pytest.approx(expected[0], abs=1e-5)
    assert rates[:, 0] == pytest.approx(expected[1], abs=5e-5)


def test_pitch_torque_acts_like_a_yaw_torque() -> None:
    scene = free("spatial_nonsmooth", 2, "0", gait__pitch_torque_nm="0.03*cos(5*t)")
    rows, angle, _ = motion(scene)
    phi, _ = turned(scene, lambda t: 0.03 * math.cos(5.0 * t), rows.time)
    assert angle[:, 1] == pytest.approx(phi, abs=2e-6)
    assert rows.joint_torque[1:, 1] == pytest.approx(
        0.03 * np.cos(5.0 * (rows.time[1:] - 0.5 * STEP)), abs=1e-9
    )
    assert not rows.joint_angle[:, 0].any()


def test_joint_index_starts_at_one_and_n_counts_links() -> None:
    rows = run(free("planar_nonsmooth", 5, "0.001*(10*i + n)*exp(-t)", run__duration_s=0.1))
    decay = math.exp(-(rows.time[-1] - 0.5 * STEP))
    assert yaw_of(rows.joint_torque, 4)[-1] == pytest.approx(
        0.001 * np.array([15.0, 25.0, 35.0, 45.0]) * decay, rel=1e-6
    )


@pytest.mark.parametrize("kind", LINKS)
def test_internal_torques_conserve_momentum_in_all_models(kind: str) -> None:
    scene = free(kind, 6, "0.03*sin(7*t + 0.9*i)")
    (rows, angle, _), robot = motion(scene), scene.robot
    position = rows.link_pose[:, :, :2]
    velocity = rows.link_twist[:, :, :2]
    turn = rows.link_twist[:, :, 5]
    momentum = robot.mass_kg * velocity.sum(axis=1)
    spin = robot.mass_kg * (
        position[..., 0] * velocity[..., 1] - position[..., 1] * velocity[..., 0]
    ).sum(axis=1)
    spin += robot.inertia_kg_m2 * turn.sum(axis=1)
    size = robot.inertia_kg_m2 * np.abs(turn).max()  # of one link
    assert np.abs(rows.joint_angle).max() > 0.5
    assert np.abs(momentum).max() < 1e-9
    # where joints are closed by moving links, the error is that of the steps
    assert np.abs(spin).max() < 5e-4 * size
    exact = run(free("planar_lagrangian", 6, "0.03*sin(7*t + 0.9*i)"))
    assert yaw_of(angle, 5) == pytest.approx(exact.joint_angle, abs=1e-5)


GROUND = {"ground.gravity_m_s2": 9.81, "ground.mu_along": 0.1, "ground.mu_across": 0.4}


@pytest.mark.parametrize("kind", LINKS)
def test_work_of_torque_commands_is_in_the_ledger(kind: str) -> None:
    scene = free(kind, 5, "0.4*sin(9*t + 0.9*i)")
    rows = run(with_values(scene, {**GROUND, "run.log_rate_hz": 2000.0, "start.z_m": None}))
    names = registry.create(scene).schema.energy
    energy = dict(zip(names, rows.energy.T, strict=True))
    rate = yaw_of(rows.joint_rate, 4)
    torque = yaw_of(rows.joint_torque, 4)
    # Torques are those in the middle of the step before the row.
    power = (torque[1:] * rate[1:]).sum(axis=1)
    work = np.concatenate([[0.0], np.cumsum(power) / 2000.0])
    assert np.abs(energy["work_actuator"]).max() > 0.05
    assert energy["work_actuator"] == pytest.approx(
        work, abs=0.02 * np.abs(energy["work_actuator"]).max()
    )
    # zero works, and works of friction
    parts = ("work_projection", "work_friction_viscous", "work_friction_coulomb")
    gained = sum(energy[name] for name in names if name.startswith("work_") and name not in parts)
    assert energy["kinetic"] - energy["kinetic"][0] == pytest.approx(
        gained, abs=2e-4 * energy["kinetic"].max()
    )


@pytest.mark.parametrize("kind", ["planar_nonsmooth", "spatial_nonsmooth"])
def test_motors_saturate_and_lag_under_torque_commands(kind: str) -> None:
    values = {"actuator__max_torque_nm": 0.02, "actuator__time_constant_s": 0.05}
    rows = run(free(kind, 3, "0.5*(2*i - 3)", run__duration_s=0.2, **values))
    expected = 0.02 * -np.expm1(-rows.time / 0.05)  # tau' = (tau_most - tau) / T
    assert yaw_of(rows.joint_torque, 2)[1:] == pytest.approx(
        expected[1:, None] * [-1.0, 1.0], rel=1e-9
    )


@pytest.mark.parametrize("kind", ["planar_nonsmooth", "spatial_nonsmooth", "planar_nonholonomic"])
def test_joint_stops_hold_under_torque_commands(kind: str) -> None:
    rows = run(free(kind, 2, "0.02", robot__joint_limit_deg=30.0))
    angle = np.degrees(rows.joint_angle[:, 0])
    assert 29.9 < angle.max() < 31.0
    if kind != "planar_nonholonomic":  # where stops are springs, so that joints bounce
        assert angle[-1] == pytest.approx(30.0, abs=0.2)


@pytest.mark.parametrize("kind", LINKS)
def test_torque_commands_leave_no_reference_angle(kind: str) -> None:
    result = run_offline(free(kind, 3, "0.01", run__duration_s=0.05))
    rows = result.recording.rows(0, len(result.recording))
    assert np.isnan(rows.joint_angle_ref).all()
    names = ("joint_1_yaw_ref_rad", "joint_1_yaw_rad", "joint_1_yaw_torque_nm")
    columns = columns_between(result.recording, names, 0, len(result.recording))
    assert np.isnan(columns[:, 0]).all()
    assert np.isfinite(columns[:, 1:]).all()
    assert set(column_names(result.recording.schema)) >= set(names)


@pytest.mark.parametrize("kind", LINKS)
def test_non_finite_torque_ends_the_run_with_a_message(kind: str) -> None:
    scene = free(kind, 3, "0.01*log(0.0525 - t + 0.001*i)", run__duration_s=0.05)
    assert not [p for p in controllers.check(scene) if p.severity == "error"]
    engine = registry.create(scene)
    times = np.arange(801) * STEP
    reference = controllers.create(scene).reference(times, None)
    report = engine.advance(reference, 800, (400, 800))
    assert not report.ok
    assert report.message == (
        f"The torque of a joint is not finite after t = {report.steps * STEP:.6g} s. Change the formulas "
        "gait.torque_nm and gait.pitch_torque_nm for this time."
    )
    assert 0.0535 - 2 * STEP <= report.steps * STEP < 0.0535
    assert np.isfinite(engine.snapshot().link_pose).all()
    assert len(report.rows) == 1


def error_messages(**values: Any) -> list[str]:
    scene = free("planar_nonsmooth", 4, "0.1*sin(t)", **values)
    return [
        problem.sentence() for problem in controllers.check(scene) if problem.severity == "error"
    ]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"gait__torque_nm": "0.1*sin(q*t)"},
            "gait.torque_nm: 'q' at character 9 is not known. Use t, i, n, pi",
        ),
        (
            {"gait__torque_nm": "0.1*X"},
            "gait.torque_nm: 'X' at character 5 is not known. Use t, i, n, pi",
        ),
        (
            {"gait__torque_nm": "0.1/(i - 2)"},
            naming("gait.torque_nm: It", "joint 2", "t = 0"),
        ),
        (
            {"gait__torque_nm": "0.1/(t - 0.31234)"},
            naming("gait.torque_nm: It", "joint 1", "= 0.312 s"),
        ),
        (
            {"gait__torque_nm": "0.1*log(t)"},
            naming("gait.torque_nm: It", "joint 1", "t = 0", "1/0"),
        ),
        (
            {"gait__torque_nm": "0.1/(i*t - 1.3)"},
            naming("gait.torque_nm: It"),
        ),
        (
            {"gait__torque_nm": "0.1*sqrt(0.2*i - t)"},
            naming("gait.torque_nm: It", "joint 1", "t = 0"),
        ),
        (
            {"model__kind": "spatial_nonsmooth", "gait__pitch_torque_nm": "3*"},
            naming("gait.pitch_torque_nm: ", "incomplete"),
        ),
        (
            {"controller__kind": "heading"},
            naming('controller.kind: "heading"'),
        ),
        (
            {"controller__kind": "leader_follower"},
            'controller.kind: "leader_follower" commands joint angles',
        ),
        (
            {"controller__kind": "teleoperation"},
            naming('controller.kind: "teleoperation"'),
        ),
        (
            {"start__kind": "gait"},
            naming("start.kind"),
        ),
        (
            {"model__kind": "continuum_beam"},
            naming("gait.kind"),
        ),
    ],
)
def test_invalid_torque_gait_is_reported(values: dict[str, Any], sentence: str) -> None:
    (problem,) = error_messages(**values)
    assert problem == naming(sentence)


def test_valid_torque_formulas_are_accepted() -> None:
    assert not error_messages()
    assert not error_messages(gait__torque_nm="sin(t) + i")
    assert not error_messages(
        gait__torque_nm="0.1*sqrt(t)"
    )  # its slope has no end at t = 0, it has
    assert not error_messages(gait__torque_nm="0.1*tan(t)*bump(t/2)")


@pytest.mark.parametrize(("key", "value"), [("controller.kind", "heading"), ("start.kind", "gait")])
def test_fixes_correct_the_scene(key: str, value: str) -> None:
    scene = with_values(free("planar_nonsmooth", 4, "0.1"), {key: value})
    (problem,) = [p for p in controllers.check(scene) if p.severity == "error"]
    with pytest.raises(SceneError):
        run_offline(scene)
    assert not controllers.check(with_values(scene, dict(problem.fixes[0].values)))
