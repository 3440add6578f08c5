"""The largest speed of the motors: references respect it, independent of requests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snakestudio.control import registry
from snakestudio.control.base import Steerable
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.runfile.states import decode, encode

# Joints that turn by 40 degrees at 80 degrees/s turn at up to 55.85 degrees/s.
PLAIN = with_values(Scene(), {"start.kind": "gait"})
DT = PLAIN.solver.step_s
TIME = np.arange(0, 12001) * DT
LIMIT = np.radians(30.0)


def limited(**changes: Any) -> Scene:
    values = {"actuator.max_speed_deg_s": 30.0} | {
        key.replace("__", "."): value for key, value in changes.items()
    }
    return with_values(PLAIN, values)


def test_references_below_the_limit_are_untouched() -> None:
    free = registry.create(PLAIN).reference(TIME, None)
    loose = registry.create(limited(actuator__max_speed_deg_s=55.9)).reference(TIME, None)
    for name in ("time", "angle", "rate", "acceleration"):
        assert getattr(free, name).tobytes() == getattr(loose, name).tobytes()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"control__set_point_period_s": 0.1},
        {"control__soft_start_deg": 3.0, "start__kind": "straight"},
        {"start__kind": "straight", "control__lead_in": False},
    ],
    ids=["gait", "held", "soft", "thrown"],
)
def test_no_axis_is_faster_than_its_motor(changes: dict[str, Any]) -> None:
    scene = limited(**changes)
    controller = registry.create(scene)
    reference = controller.reference(TIME, None)
    steps = np.diff(reference.time)[:, None]
    assert (np.abs(np.diff(reference.angle, axis=0)) <= LIMIT * steps + 1e-14).all()
    assert np.abs(reference.rate).max() <= LIMIT + 1e-14
    assert np.abs(reference.angle).max() > np.radians(10.0)


def test_lagging_reference_catches_up() -> None:
    # A gait that stops: the axes reach its final pose, and rest there.
    scene = limited()
    controller = registry.create(scene)
    controller.reference(TIME[:4001], None)
    stopped = with_values(scene, {"gait.frequency_deg_s": 0.0})
    free = registry.create(PLAIN)
    free.reference(TIME[:4001], None)
    for each in (controller, free):
        each.apply(
            stopped if each is controller else with_values(PLAIN, {"gait.frequency_deg_s": 0.0}),
            1.0,
        )
    late = np.arange(4000, 40001) * DT
    ours = controller.reference(late, None)
    theirs = free.reference(late, None)
    np.testing.assert_array_equal(ours.angle[-1], theirs.angle[-1])
    assert not ours.rate[-1].any()


def test_limit_holds_for_single_joints() -> None:
    scene = with_values(PLAIN, {"robot.joint": [{"index": 3, "max_speed_deg_s": 30.0}]})
    reference = registry.create(scene).reference(TIME, None)
    free = registry.create(PLAIN).reference(TIME, None)
    speed = np.abs(np.diff(reference.angle, axis=0)).max(axis=0) / DT
    assert speed[2] == pytest.approx(LIMIT, abs=1e-9)
    others = [k for k in range(len(speed)) if k != 2]
    np.testing.assert_array_equal(reference.angle[:, others], free.angle[:, others])


def test_period_boundaries_and_saved_states_make_no_difference() -> None:
    scene = limited()
    full = registry.create(scene).reference(TIME, None)
    controller = registry.create(scene)
    parts = []
    for begin in range(0, 12000, 40):
        if begin == 4800:
            state = decode(encode(controller.checkpoint(), scene, begin * DT), scene)
            controller = registry.create(scene)
            controller.restore(state)
        parts.append(controller.reference(TIME[begin : begin + 41], None).angle[:-1])
    np.testing.assert_array_equal(np.concatenate(parts), full.angle[:-1])


def test_changed_limits_cause_no_jump() -> None:
    controller = registry.create(limited())
    before = controller.reference(TIME[:4001], None)
    controller.apply(PLAIN, 1.0)
    late = np.arange(4000, 12001) * DT
    after = controller.reference(late, None)
    np.testing.assert_array_equal(after.angle[0], before.angle[-1])
    assert (np.abs(np.diff(after.angle, axis=0)) <= 5.0 * DT + 1e-12).all()
    np.testing.assert_allclose(
        after.angle[-1], registry.create(PLAIN).reference(late, None).angle[-1], atol=1e-12
    )


def test_check_names_the_joint_and_both_speeds() -> None:
    (problem,) = [p for p in registry.check(limited()) if p.key == "actuator.max_speed_deg_s"]
    assert problem.severity == "hint"
    assert "55.9°/s" in problem.message
    assert "30°/s" in problem.message
    assert not [
        p for p in registry.check(limited(actuator__max_speed_deg_s=60.0)) if "max_speed" in p.key
    ]


def test_driven_robot_stays_steerable() -> None:
    assert isinstance(registry.create(limited(controller__kind="teleoperation")), Steerable)
    assert not isinstance(registry.create(limited()), Steerable)


def test_joints_at_rest_do_not_disturb_the_check() -> None:
    """A warning of numpy would fail the test."""
    spatial = {"model__kind": "spatial_nonsmooth", "start__kind": "straight"}
    still = limited(**spatial, gait__kind="two_waves", gait__pitch_amplitude_deg=0.0)
    (problem,) = [p for p in registry.check(still, None) if p.key == "actuator.max_speed_deg_s"]
    assert "joint 1 (yaw)" in problem.message
