"""Compliance against closed forms: gradients by hand, SciPy's matrix exponential, constant loads."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from snakestudio.control.controllers.compliance import _transition
from snakestudio.control.registry import create
from snakestudio.live.readiness import _unmet
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.session.continuation import continue_run
from snakestudio.session.runner import Runner
from snakestudio.session.scene_check import check

QUICK = {
    "model.kind": "planar_lagrangian",
    "robot.n_links": 5,
    "run.duration_s": 2.0,
    "solver.step_s": 0.001,
    "gait.amplitude_deg": 30.0,
    "gait.frequency_deg_s": 90.0,
    "gait.phase_shift_deg": -40.0,
    "start.kind": "gait",
    "joint_controller.kp_nm_per_rad": 50.0,
    "joint_controller.kd_nms_per_rad": 0.5,
}
TORQUE = np.array([0.3, -0.2, 0.5, 0.1])
TIME = np.arange(11) * 0.001


def scene_of(*parameters: str, **values: Any) -> Scene:
    law = {
        "controller.kind": "compliance",
        "controller.parameters": ", ".join(parameters) or "amplitude_deg",
    }
    return with_values(
        Scene(), {**QUICK, **law, **{f"controller.{key}": each for key, each in values.items()}}
    )


def loaded(scene: Scene, periods: int, torque: np.ndarray = TORQUE) -> tuple[Any, np.ndarray]:
    """The controller after some periods under constant motor torques, and its angles."""
    controller = create(scene)
    snapshot = replace(Runner(scene).latest, joint_torque=torque)
    angles = [
        controller.reference(number * 0.01 + TIME, snapshot).angle[:-1] for number in range(periods)
    ]
    return controller, np.concatenate(angles)


def test_step_in_time_is_the_matrix_exponential() -> None:
    for mass, damping, stiffness in ((0.5, 4.0, 10.0), (0.001, 5.0, 0.0), (2.0, 0.0, 300.0)):
        a = np.array(
            [[0.0, 1.0, 0.0], [-stiffness / mass, -damping / mass, 1.0 / mass], [0.0, 0.0, 0.0]]
        )
        np.testing.assert_allclose(
            _transition(mass, damping, stiffness, 0.02), expm(0.02 * a)[:2], atol=1e-12
        )


def test_gradients_are_those_by_hand() -> None:
    controller = create(
        scene_of("amplitude_deg", "offset_deg", "phase_shift_deg", "frequency_deg_s")
    )
    joint = np.arange(4)
    time = 0.37
    amplitude = math.radians(30.0)
    shift = math.radians(-40.0)
    phase = math.radians(90.0) * time + joint * shift
    by_hand = [
        np.sin(phase),
        np.ones(4),
        amplitude * joint * np.cos(phase),
        amplitude * np.cos(phase),
    ]
    np.testing.assert_allclose(controller.gait.slopes(time), np.transpose(by_hand), atol=1e-7)


def test_constant_load_deflects_like_a_spring() -> None:
    scene = scene_of(
        "offset_deg", inertia_kg_m2=0.5, damping_nms_per_rad=4.0, stiffness_nm_per_rad=8.0
    )
    controller, angle = loaded(scene, 1500)
    load = -TORQUE.sum()
    assert dict(zip(controller.channels, controller.values(), strict=True)) == pytest.approx(
        {
            "compliance_load_nm": load,
            "compliance_share": load / 8.0 / math.radians(20.0),
            "compliant_offset_rad": load / 8.0,
        }
    )
    time = np.arange(len(angle)) * 0.001
    gait = math.radians(30.0) * np.sin(
        math.radians(90.0) * time[:, None] + np.arange(4) * math.radians(-40.0)
    )
    np.testing.assert_allclose((angle - gait)[-500:], load / 8.0, atol=1e-9)
    fastest = load / 8.0 * 4.0 / math.e  # critically damped, with 4/s
    assert np.abs(np.diff(angle - gait, axis=0)).max() == pytest.approx(
        abs(fastest) * 0.001, rel=0.01
    )


def test_parameters_stay_within_change_and_gait_range() -> None:
    far, _ = loaded(scene_of("offset_deg", stiffness_nm_per_rad=0.0, largest_change_deg=5.0), 600)
    assert far.values()[1:] == pytest.approx([-1.0, math.radians(-5.0)])
    near = with_values(scene_of("offset_deg", stiffness_nm_per_rad=0.0), {"gait.offset_deg": -88.0})
    assert math.degrees(loaded(near, 600)[0].values()[2]) == pytest.approx(-90.0)


def test_frequency_runs_the_clock_without_a_jump() -> None:
    scene = scene_of("frequency_deg_s", stiffness_nm_per_rad=0.0, largest_change_deg=45.0)
    controller, angle = loaded(scene, 100, np.array([-3.0, -3.0, -3.0, -3.0]))
    frequency = controller.values()[2]
    clock = controller.gait.state.clock
    assert frequency > math.radians(95.0)
    assert clock > 1.01
    first = math.radians(30.0) * math.sin(math.radians(90.0) * clock)
    end = controller.gait.state.begin
    assert controller.gait.motion(np.array([end]))[0][0, 0] == pytest.approx(first, abs=1e-12)
    assert np.abs(np.diff(angle, 2, axis=0)).max() < 1e-4


def test_rigid_parameters_leave_the_gait_unchanged() -> None:
    rigid = scene_of(
        "amplitude_deg",
        "frequency_deg_s",
        inertia_kg_m2=1e4,
        damping_nms_per_rad=1e5,
        stiffness_nm_per_rad=1e6,
    )
    alone = with_values(rigid, {"controller.kind": "none"})
    references = []
    for scene in (rigid, alone):
        runner = Runner(scene)
        runner.advance(scene.n_steps)
        references.append(runner.recording.rows(0, len(runner.recording)).joint_angle_ref)
    np.testing.assert_allclose(references[0], references[1], atol=1e-5)


def test_saved_states_and_changes_continue_bit_for_bit() -> None:
    scene = scene_of("amplitude_deg", "frequency_deg_s")
    change = {
        "gait.amplitude_deg": 20.0,
        "gait.phase_shift_deg": -60.0,
        "controller.stiffness_nm_per_rad": 20.0,
    }
    recordings = []
    for cuts in ((1000, 1000), (333, 667, 7, 993)):
        runner = Runner(scene)
        for steps in cuts:
            runner.advance(steps)
            if runner.engine.step_count == 1000:
                assert runner.apply(with_values(runner.scene, change)) == []
        recordings.append(runner.recording)
    continued = continue_run(recordings[0], 1.5)
    assert continued is not None
    assert continued.exact
    continued.runner.advance(2000 - continued.runner.engine.step_count)
    rows = [each.rows(0, len(each)) for each in (*recordings, continued.runner.recording)]
    for name in ("link_pose", "joint_angle_ref", "extra"):
        assert {getattr(each, name).tobytes() for each in rows} == {
            getattr(rows[0], name).tobytes()
        }, name
    assert np.abs(np.diff(rows[0].joint_angle_ref, axis=0)).max() < 0.05


@pytest.mark.parametrize(
    ("parameters", "gait", "message"),
    [
        (
            ("amplitude",),
            {},
            "gait lateral_undulation",
        ),
        (("offset_deg", "offset_deg"), {}, "listed"),
        (
            ("frequency_deg_s",),
            {"gait.frequency_deg_s": 0.0},
            "frequency_deg_s is 0",
        ),
        (
            ("",),
            {"controller.parameters": " , "},
            "No parameter yields. Give some of amplitude_deg",
        ),
        (("kind",), {}, '"kind"'),
    ],
)
def test_parameters_that_cannot_yield_are_refused(
    parameters: tuple[str, ...], gait: Any, message: str
) -> None:
    sentences = [problem.sentence() for problem in check(with_values(scene_of(*parameters), gait))]
    assert any(message in sentence for sentence in sentences), sentences


def test_robot_without_torque_measurement_is_not_ready() -> None:
    scene = scene_of()
    (message,) = _unmet(scene, create(scene).needs, Fields.JOINTS, None)
    assert "joints report" in message
    assert _unmet(scene, create(scene).needs, Fields.JOINTS | Fields.TORQUE, None) == ()
