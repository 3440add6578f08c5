"""Curves of segments as gaits: rates, smooth changes, both ends as head, other robots, limits and messages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.control import registry
from snakestudio.control.gaits.backbone_curve import BackboneCurve
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.robot.chain import chain
from snakestudio.model.robot.pose import initial_joint_angles
from snakestudio.model.scene import Scene
from snakestudio.runfile.states import decode, encode
from snakestudio.session.live_edit import live_scene
from snakestudio.session.scene_check import check

VALUES: dict[str, Any] = {
    "model.kind": "spatial_nonsmooth",
    "robot.n_links": 25,
    "robot.joints": "alternating",
    "robot.joint_limit_deg": None,
    "gait.kind": "backbone_curve",
    "start.kind": "gait",
}
HELIX = {
    "gait.segment_links": [9.0, 4.0, 7.0],
    "gait.segment_bend_deg": [200.0, 0.0, -150.0],
    "gait.segment_twist_deg": [20.0, -30.0, 70.0],
    "gait.segment_torsion_deg": [120.0, 0.0, -40.0],
    "gait.shift_links_s": 3.0,
    "gait.shift_links": 5.3,
    "gait.roll_deg_s": 25.0,
    "gait.roll_deg": -40.0,
}


def scene(**changes: Any) -> Scene:
    return with_values(
        Scene(), VALUES | {key.replace("__", "."): value for key, value in changes.items()}
    )


def helix(**changes: Any) -> Scene:
    return with_values(scene(**changes), HELIX)


@pytest.mark.parametrize("joints", ["alternating", "cardan"])
def test_rates_and_accelerations_are_derivatives(joints: str) -> None:
    of = helix(robot__joints=joints)
    time = np.linspace(0.013, 9.0, 700)
    angle, rate, acceleration = BackboneCurve(of).motion(time)
    h = 1e-5
    gait = BackboneCurve(of)
    before, after = gait.motion(time - h)[0], gait.motion(time + h)[0]
    slope = (after - before) / (2 * h)
    # the rate jumps where a joint passes a segment's end; everywhere else it is the slope
    apart = np.abs(slope - rate) > 1e-6
    assert apart.mean() < 2e-3
    bend = (after - 2 * angle + before) / h**2
    assert (np.abs(bend - acceleration) > 1e-3).mean() < 2e-3


def test_sum_of_bends_is_the_curvature_of_an_arc() -> None:
    """On a circular arc of radius r each axis of alternating joints of length m bends by 2 m/r, the others not."""
    of = scene(
        gait__segment_links=[40.0],
        gait__segment_bend_deg=[360.0],
        gait__segment_twist_deg=[0.0],
        gait__shift_links_s=1.0,
    )
    angle = BackboneCurve(of).motion(np.linspace(0.0, 50.0, 101))[0]
    yaw = [axis.kind == "yaw" for axis in of.body.axes]
    np.testing.assert_allclose(angle[:, yaw], 2 * 2 * math.pi / 40, atol=1e-12)
    np.testing.assert_allclose(angle[:, np.logical_not(yaw)], 0.0, atol=1e-12)
    cardan = with_values(of, {"robot.joints": "cardan"})
    bends = BackboneCurve(cardan).motion(np.zeros(1))[0][0]
    np.testing.assert_allclose(bends[::2], 2 * math.pi / 40, atol=1e-12)


def test_head_at_the_other_end_gives_the_same_shape() -> None:
    first = helix(robot__n_links=26)  # joint k has the kind of axis of joint 26 - k
    last = with_values(first, {"robot.head": "last"})
    shapes = []
    for of in (first, last):
        angles = BackboneCurve(of).motion(np.array([1.7]))[0][0]
        centre, _ = chain(np.eye(3), angles, of.robot, of.body.axes)
        shapes.append(centre if of is first else centre[::-1])
    apart = [np.linalg.norm(shape[:, None] - shape[None], axis=2) for shape in shapes]
    np.testing.assert_allclose(apart[0], apart[1], atol=1e-12)
    signed = [np.linalg.det(np.diff(shape[[2, 7, 12, 17]], axis=0)) for shape in shapes]
    assert signed[0] == pytest.approx(signed[1])  # not its mirror image


def test_start_has_the_pose_of_the_curve() -> None:
    of = helix()
    np.testing.assert_allclose(
        initial_joint_angles(of), BackboneCurve(of).motion(np.zeros(1))[0][0], atol=1e-14
    )


@pytest.mark.parametrize(
    ("key", "value"), [("gait.shift_links_s", -4.0), ("gait.roll_deg_s", 90.0)]
)
def test_changed_speed_is_smooth_and_saved(key: str, value: float) -> None:
    before = helix()
    changed = with_values(before, {key: value, "gait.segment_bend_deg": [1.0, 2.0, 3.0]})
    live, waiting = live_scene(before, changed)
    assert [name.partition("[")[0] for name in waiting] == ["gait.segment_bend_deg"] * len(waiting)
    gait = registry.create(before)
    first = gait.reference(np.linspace(0.0, 1.0, 401), None)
    gait.apply(live, 1.0)
    time = np.linspace(1.0, 5.0, 4001)
    then = gait.reference(time, None)
    np.testing.assert_allclose(then.angle[0], first.angle[-1], atol=1e-12)
    np.testing.assert_allclose(then.rate[0], first.rate[-1], atol=1e-9)
    assert np.abs(np.diff(then.angle, axis=0)).max() < 0.02
    state = decode(encode(gait.checkpoint(), live, 1.0), live)
    again = registry.create(before)
    again.restore(state)
    np.testing.assert_array_equal(again.reference(time, None).angle, then.angle)


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"gait.segment_bend_deg": [1.0]}, "gait.segment_bend_deg", "1 numbers"),
        ({"gait.segment_torsion_deg": [1.0]}, "gait.segment_torsion_deg", "4 segments"),
        ({"gait.segment_links": []}, "gait.segment_links", "empty"),
        ({"gait.segment_links": [5.4, 0.0, 5.4, 2.7]}, "gait.segment_links", "lengths"),
        ({"robot.joint_limit_deg": 20.0}, "gait.segment_bend_deg", "its limit is"),
    ],
)
def test_unusable_segments_are_named(changes: dict[str, Any], key: str, message: str) -> None:
    of = with_values(scene(), changes)
    errors = [problem for problem in check(of) if problem.severity == "error"]
    assert key in [error.key for error in errors]
    assert any(message in error.message for error in errors)
    if key != "gait.segment_bend_deg" or "robot.joint_limit_deg" not in changes:
        with pytest.raises(SceneError, match=key.replace(".", r"\.")):
            registry.create(of)


def test_robot_without_pitch_gets_a_hint() -> None:
    hints = [problem.key for problem in check(scene(robot__joints="yaw"))]
    assert "gait.kind" in hints


def test_crawler_of_forty_joints_walks() -> None:
    """The curve remains in place on the ground while the body moves through it, as the track of a vehicle does."""
    of = with_values(
        scene(
            robot__n_links=41, robot__link_length_m=0.07, robot__radius_m=0.03, robot__mass_kg=0.2
        ),
        {
            "gait": "xiaojian_crawler",
            "robot.inertia_kg_m2": None,
            "robot.axial_inertia_kg_m2": None,
            "start.roll_deg": 0.0,
        },
    )
    run = ss.simulate(of, duration=3.0)
    assert np.hypot(np.diff(run["com_x_m"][[0, -1]]), np.diff(run["com_y_m"][[0, -1]]))[0] > 0.05
