from __future__ import annotations

import numpy as np

from snakestudio.link.profile.schema import Axis
from snakestudio.live.axes import AxisMap, mismatches
from snakestudio.model.edits import with_values
from snakestudio.model.robot.joint_axes import cardan_axes
from snakestudio.model.scene import Scene

from .fake_link import profile


def scene(**values: object) -> Scene:
    return with_values(Scene(), {"robot.n_links": 11, **values})


def test_axes_of_a_profile_are_joints_of_a_scene_and_back() -> None:
    axes = AxisMap(profile(3), cardan_axes(3))
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])  # yaw and pitch of joint 1, then of joint 2 ...
    joints = axes.joints(values)
    np.testing.assert_array_equal(joints, [1, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal(axes.axes(joints[None]), values[None])
    assert axes.moved.all()


def test_the_order_of_the_axes_is_the_profiles() -> None:
    turned = profile(2).model_copy(
        update={"axes": (Axis(joint=2, axis="pitch", node=1), Axis(joint=1, axis="yaw", node=2))}
    )
    axes = AxisMap(turned, cardan_axes(2))
    np.testing.assert_array_equal(axes.joints(np.array([7.0, 8.0])), [8, 0, 0, 7])
    np.testing.assert_array_equal(axes.moved, [True, False, False, True])


def test_an_axis_that_was_never_heard_is_unknown_and_one_that_is_not_there_is_stiff() -> None:
    axes = AxisMap(profile(2, pitch=False), cardan_axes(2))
    joints = axes.joints(np.array([np.nan, 1.0]))
    assert np.isnan(joints[0])
    np.testing.assert_array_equal(joints[1::2], 0.0)


def test_joints_beyond_the_scene_are_told_to_stay_straight() -> None:
    axes = AxisMap(profile(3, pitch=False), cardan_axes(2))
    np.testing.assert_array_equal(axes.axes(np.ones((1, 4))), [[1, 1, 0]])


def test_a_robot_that_fits_is_not_spoken_of() -> None:
    assert mismatches(profile(10), scene()) == ()


def test_another_number_of_joints_names_both_and_the_remedy() -> None:
    (sentence,) = mismatches(profile(9), scene())
    assert "moves 9 joints, the scene's robot has 10" in sentence
    assert "robot.n_links = 10" in sentence


def test_a_gait_that_pitches_needs_pitch_axes() -> None:
    rolling = scene(**{"model.kind": "spatial_nonsmooth", "gait.kind": "two_waves"})
    (sentence,) = mismatches(profile(10, pitch=False), rolling)
    assert "has no pitch axes" in sentence
    assert mismatches(profile(10), rolling) == ()


def test_a_joint_without_a_yaw_axis_is_named() -> None:
    robot = profile(10)
    lame = robot.model_copy(update={"axes": tuple(a for a in robot.axes if (a.joint, a.axis) != (4, "yaw"))})
    (sentence,) = mismatches(lame, scene())
    assert "yaw axis of joint 4" in sentence


def test_a_continuous_body_has_no_joints() -> None:
    (sentence,) = mismatches(profile(), scene(**{"model.kind": "continuum_beam"}))
    assert "continuous body" in sentence


def test_a_robot_whose_joints_bend_by_turns_gets_no_remedy_that_is_impossible() -> None:
    """Neither another axis nor fewer links would help: no scene has such joints."""
    axes = tuple(Axis(joint=joint, axis="pitch" if joint % 2 else "yaw", node=joint) for joint in range(1, 11))
    given = profile(10).model_copy(update={"axes": axes})
    assert mismatches(given, scene()) == (
        "No scene can drive Test robot yet: joints 1, 3, 5, 7 and 9 bend only up and down, and in scenes every joint "
        "bends sideways, too. It can be wiggled joint by joint.",
    )


def test_a_robot_that_is_told_angles_cannot_be_given_torques() -> None:
    fitting = profile(10)
    assert mismatches(fitting, scene()) == ()
    (sentence,) = mismatches(fitting, scene(**{"gait.kind": "joint_torque", "gait.pitch_torque_nm": "0.1"}))
    assert sentence == (
        f"The scene's gait gives the joints torques, and {fitting.name} is told angles: choose a gait of angles, "
        'such as gait.kind = "lateral_undulation".'
    )
