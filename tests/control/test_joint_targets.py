"""Joint targets: for any targets at any rate, joints move there within their limits, and rest there."""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio.control import registry
from snakestudio.control.base import Steerable
from snakestudio.model.edits import with_values
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.teleop import JointTargets, TeleopCommand
from snakestudio.paths import scenes_dir
from snakestudio.session.continuation import continue_run
from snakestudio.session.runner import Runner
from snakestudio.session.scene_check import check
from tests.wording import naming

ANGLES = np.radians([30.0, -20.0, 10.0])


def scene(**values: object) -> Scene:
    base = load_scene(scenes_dir() / "lateral_undulation_isotropic.toml")
    kind = {
        "robot.n_links": 4,
        "controller": {"kind": "joint_targets"},
        "start": {"kind": "straight"},
    }
    return with_values(base, {**kind, **values})


def followed(
    controller: Steerable, begin: float, end: float, period: float = 0.02
) -> JointReference:
    """References from one time to another, period by period."""
    parts = []
    for k in range(round(begin / period), round(end / period)):
        parts.append(controller.reference(np.linspace(k * period, (k + 1) * period, 5), None))  # type: ignore[attr-defined]
    return JointReference(
        *(
            np.concatenate([getattr(p, n) for p in parts])
            for n in ("time", "angle", "rate", "acceleration")
        )
    )


def test_joints_reach_their_targets_within_rate_and_acceleration() -> None:
    controller = registry.create(scene())
    assert isinstance(controller, Steerable)
    assert not followed(controller, 0.0, 0.1).angle.any()
    assert controller.steer(JointTargets(tuple(ANGLES)))
    assert not controller.steer(JointTargets(tuple(ANGLES)))
    moved = followed(controller, 0.1, 1.5)
    assert moved.angle[-1] == pytest.approx(ANGLES, abs=1e-12)
    assert not moved.rate[-1].any()
    assert np.abs(moved.rate).max() <= math.radians(90.0) + 1e-9
    assert np.abs(np.diff(moved.angle, axis=0)).max() <= math.radians(90.0) * 0.005 + 1e-9
    assert np.abs(moved.angle).max(axis=0) == pytest.approx(np.abs(ANGLES))


def test_largest_speed_of_the_motors_holds_for_targets() -> None:
    controller = registry.create(scene(**{"actuator.max_speed_deg_s": 20.0}))
    assert isinstance(controller, Steerable)
    assert controller.steer(JointTargets(tuple(ANGLES)))
    moved = followed(controller, 0.0, 3.0)
    assert moved.angle[-1] == pytest.approx(ANGLES, abs=1e-9)
    assert np.abs(moved.rate).max() <= math.radians(20.0) + 1e-9


def test_continuously_changing_targets_cause_no_jump() -> None:
    controller = registry.create(scene())
    assert isinstance(controller, Steerable)
    rng = np.random.default_rng(3)
    parts = []
    for k in range(200):
        controller.steer(JointTargets(tuple(rng.uniform(-1.0, 1.0, 3))))
        parts.append(followed(controller, 0.02 * k, 0.02 * (k + 1)))
    rate = np.concatenate([part.rate for part in parts])
    angle = np.concatenate([part.angle for part in parts])
    most = math.radians(720.0)
    assert np.abs(np.diff(rate, axis=0)).max() <= most * 0.005 + 1e-9
    assert np.abs(angle).max() <= 1.0 + 1e-9


def test_omitted_axis_keeps_its_target() -> None:
    controller = registry.create(scene())
    assert isinstance(controller, Steerable)
    controller.steer(JointTargets((0.3, math.nan, math.nan)))
    controller.steer(JointTargets((math.nan, 0.2, math.nan)))
    assert followed(controller, 0.0, 2.0).angle[-1] == pytest.approx([0.3, 0.2, 0.0])


def test_targets_beyond_the_limits_end_at_the_limits() -> None:
    controller = registry.create(
        scene(
            **{"robot.joint": [{"index": "all", "lower_limit_deg": -15.0, "upper_limit_deg": 15.0}]}
        )
    )
    assert isinstance(controller, Steerable)
    controller.steer(JointTargets(tuple(ANGLES)))
    assert followed(controller, 0.0, 2.0).angle[-1] == pytest.approx(
        np.radians([15.0, -15.0, 10.0])
    )


@pytest.mark.parametrize("angles", [(math.inf, 0.0, 0.0), (1e9, 0.0, 0.0), (0.0, -math.inf, 0.0)])
def test_non_finite_angles_are_refused(angles: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="joint angle"):
        JointTargets(angles)


def test_commands_of_another_kind_or_length_change_nothing() -> None:
    controller = registry.create(scene())
    assert isinstance(controller, Steerable)
    assert not controller.steer(TeleopCommand(1.0))
    assert not controller.steer(JointTargets((0.1, 0.2)))
    driven = registry.create(scene(controller={"kind": "teleoperation"}))
    assert isinstance(driven, Steerable)
    assert not driven.steer(JointTargets(tuple(ANGLES)))


def test_first_targets_must_be_as_many_as_axes() -> None:
    (problem,) = [
        each
        for each in check(scene(**{"controller.targets_deg": (1.0, 2.0)}))
        if each.severity == "error"
    ]
    assert "controller.targets_deg: 2" in problem.sentence()
    assert "for 3" in problem.sentence()
    assert "3" in problem.sentence()


def test_run_with_targets_continues_bit_for_bit() -> None:
    def begun(runner: Runner) -> Runner:
        runner.advance(400)
        assert runner.steer(JointTargets(tuple(ANGLES)))
        runner.advance(1600)
        return runner

    full = begun(Runner(scene(**{"run.duration_s": 2.0}))).recording
    assert [event.text for event in full.events] == [naming("joint targets")]
    other = continue_run(full, 0.3)
    assert other is not None
    other.runner.advance(2000 - other.runner.engine.step_count)
    a, b = (recording.rows(0, len(recording)) for recording in (full, other.runner.recording))
    assert a.link_pose.tobytes() == b.link_pose.tobytes()


def test_targets_in_degrees_have_no_effect() -> None:
    controller = registry.create(scene())
    assert isinstance(controller, Steerable)
    assert not controller.steer(JointTargets((30.0, -20.0, 10.0)))
    assert not followed(controller, 0.0, 0.5).angle.any()
    assert controller.steer(JointTargets(tuple(ANGLES)))
