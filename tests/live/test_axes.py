from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from snakestudio.link.core.codec import Codec
from snakestudio.link.profile.editing import axes_of_scene
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from snakestudio.link.profile.schema import Axis, AxisKind, Profile
from snakestudio.live.axes import AxisMap, mismatches
from snakestudio.model.edits import with_values
from snakestudio.model.robot.joint_axes import cardan_axes
from snakestudio.model.scene import Scene
from snakestudio.model.table_gait import joint_table
from tests.wording import naming

from .fake_link import profile


def scene(**values: object) -> Scene:
    return with_values(Scene(), {"robot.n_links": 11, **values})


def test_axes_of_a_profile_are_joints_of_a_scene_and_back() -> None:
    axes = AxisMap(profile(3), cardan_axes(3))
    # yaw and pitch of joint 1, then of joint 2 ...
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    joints = axes.joints(values)
    np.testing.assert_array_equal(joints, [1, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal(axes.axes(joints[None]), values[None])
    assert axes.moved.all()


def test_axes_have_the_order_of_the_profile() -> None:
    turned = profile(2).model_copy(
        update={"axes": (Axis(joint=2, axis="pitch", node=1), Axis(joint=1, axis="yaw", node=2))}
    )
    axes = AxisMap(turned, cardan_axes(2))
    np.testing.assert_array_equal(axes.joints(np.array([7.0, 8.0])), [8, 0, 0, 7])
    np.testing.assert_array_equal(axes.moved, [True, False, False, True])


def test_unreported_axis_is_unknown_and_missing_axis_is_stiff() -> None:
    axes = AxisMap(profile(2, pitch=False), cardan_axes(2))
    joints = axes.joints(np.array([np.nan, 1.0]))
    assert np.isnan(joints[0])
    np.testing.assert_array_equal(joints[1::2], 0.0)


def test_joints_beyond_the_scene_are_commanded_straight() -> None:
    axes = AxisMap(profile(3, pitch=False), cardan_axes(2))
    np.testing.assert_array_equal(axes.axes(np.ones((1, 4))), [[1, 1, 0]])


def test_matching_robot_gives_no_problem() -> None:
    assert mismatches(profile(10), scene()) == ()


def test_another_number_of_joints_names_both_and_the_remedy() -> None:
    (sentence,) = mismatches(profile(9), scene())
    assert "moves 9" in sentence
    assert "robot.n_links = 10" in sentence


def test_pitching_gait_needs_pitch_axes() -> None:
    rolling = scene(**{"model.kind": "spatial_nonsmooth", "gait.kind": "two_waves"})
    (sentence,) = mismatches(profile(10, pitch=False), rolling)
    assert "pitch axes" in sentence
    assert mismatches(profile(10), rolling) == ()


@pytest.mark.parametrize(("pitch", "sentences"), [("0", 0), ("5", 1)])
def test_pitching_table_needs_its_pitch_axes(tmp_path: Path, pitch: str, sentences: int) -> None:
    joints = range(1, 5)
    names = [f"joint_{i}_{kind}_deg" for i in joints for kind in ("yaw", "pitch")]
    rows = [["0"] * 8, ["3", "0", "3", pitch, "3", "0", "3", "0"]]
    text = "\n".join(
        ",".join(row)
        for row in [["time_s", *names], *([str(t), *row] for t, row in enumerate(rows))]
    )
    (tmp_path / "log.csv").write_text(text + "\n")
    pitching = scene(
        **{
            "model.kind": "spatial_nonsmooth",
            "robot.n_links": 5,
            "start.link": 2,
            "gait.kind": "table",
            "gait.file": "log.csv",
        }
    )
    problems = mismatches(profile(4, pitch=False), pitching, tmp_path)
    assert len(problems) == sentences
    if problems:
        assert "log.csv bends joint 2" in problems[0]
    assert mismatches(profile(4), pitching, tmp_path) == ()


def test_joint_without_yaw_axis_is_named() -> None:
    robot = profile(10)
    lame = robot.model_copy(
        update={"axes": tuple(a for a in robot.axes if (a.joint, a.axis) != (4, "yaw"))}
    )
    assert mismatches(lame, scene()) == (naming("Joint 4 turns about"),)


def test_continuous_body_has_no_joints() -> None:
    (sentence,) = mismatches(profile(), scene(**{"model.kind": "continuum_beam"}))
    assert "continuous body" in sentence


def alternating(first: AxisKind = "yaw", second: AxisKind = "pitch", joints: int = 10) -> Profile:
    """Alternating yaw and pitch axes, one per joint."""
    axes = tuple(
        Axis(joint=j, axis=first if j % 2 else second, node=j) for j in range(1, joints + 1)
    )
    return profile(joints).model_copy(update={"axes": axes})


ALTERNATING = {"model.kind": "spatial_nonsmooth", "robot.joints": "alternating"}


def test_alternating_profile_fits_an_alternating_scene() -> None:
    assert mismatches(alternating(), scene(**ALTERNATING)) == ()
    rolling = scene(**ALTERNATING, **{"gait.kind": "compound_serpenoid"})
    assert mismatches(alternating(), rolling) == ()


def test_axes_in_other_order_name_scene_profile_and_remedy() -> None:
    odd, even = mismatches(alternating("pitch", "yaw"), scene(**ALTERNATING))
    assert "Joints 1, 3, 5, 7 and 9" in odd
    assert '= "yaw"' in odd
    assert '"pitch"' in odd
    assert "Joints 2, 4, 6, 8 and 10" in even


def test_wrong_axis_names_its_joint() -> None:
    robot = alternating()
    turned = robot.axes[2].model_copy(update={"axis": "roll"})
    (sentence,) = mismatches(
        robot.model_copy(update={"axes": (*robot.axes[:2], turned, *robot.axes[3:])}),
        scene(**ALTERNATING),
    )
    assert "Joint 3" in sentence


def test_surplus_axes_are_named() -> None:
    (odd, even) = mismatches(profile(10), scene(**ALTERNATING))
    assert "Joints 1, 3, 5, 7 and 9" in odd
    assert "Remove pitch" in odd
    assert "Remove" in even


def test_fixed_joints_have_no_axes() -> None:
    fixed = with_values(scene(**ALTERNATING), {"robot.joint": [{"index": 3, "axes": "fixed"}]})
    robot = alternating()
    (sentence,) = mismatches(robot, fixed)
    assert "Joint 3 is fixed" in sentence
    assert (
        mismatches(robot.model_copy(update={"axes": (*robot.axes[:2], *robot.axes[3:])}), fixed)
        == ()
    )
    last = with_values(scene(**ALTERNATING), {"robot.joint": [{"index": "last", "axes": "fixed"}]})
    assert mismatches(robot.model_copy(update={"axes": robot.axes[:9]}), last) == ()


def test_joint_missing_in_the_profile_is_named() -> None:
    robot = alternating()
    (sentence,) = mismatches(
        robot.model_copy(update={"axes": (*robot.axes[:3], *robot.axes[4:])}), scene(**ALTERNATING)
    )
    assert "Joint 4" in sentence


def test_log_of_the_robot_is_replayed_unchanged(tmp_path: Path) -> None:
    """The log's sign and zero apply from the log to the scene, the profile's from there to the node: once each."""
    (tmp_path / "log.csv").write_text("t_s,q1_deg,q2_deg,q3_deg\n0,1,2,3\n1,10,20,30\n")
    log_scene = scene(
        **ALTERNATING,
        **{
            "robot.n_links": 4,
            "start.link": 2,
            "gait.kind": "table",
            "gait.file": "log.csv",
            "robot.joint": [
                {"index": 2, "reversed": True, "zero_deg": 15.0},
                {"index": 3, "zero_deg": -4.0},
            ],
        },
    )
    loaded = load_profile(find_profile("alternating_modules"))
    robot = loaded.profile.model_copy(update={"axes": axes_of_scene(log_scene, loaded.profile)})
    codec = Codec(dataclasses.replace(loaded, profile=robot))
    angles = AxisMap(robot, log_scene.body.axes).axes(joint_table(log_scene, tmp_path).angle)[1]
    frames = codec.set_points(angles, np.zeros(3))
    in_nodes = [int.from_bytes(frame.data[:3], "little", signed=True) / 1000 for frame in frames]
    assert in_nodes == pytest.approx([10.0, 20.0, 30.0], abs=1e-3)


def test_angle_controlled_robot_refuses_torques() -> None:
    fitting = profile(10)
    assert mismatches(fitting, scene()) == ()
    (sentence,) = mismatches(
        fitting, scene(**{"gait.kind": "joint_torque", "gait.pitch_torque_nm": "0.1"})
    )
    assert sentence == naming("torques", fitting.name, "lateral_undulation")
