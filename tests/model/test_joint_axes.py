"""Joints with any axes: lists of values, the chain and its inverse, starts, waves and columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.control.waves import WaveGait
from snakestudio.errors import SceneError
from snakestudio.model.columns import columns_of
from snakestudio.model.edits import with_values
from snakestudio.model.edits.bending import angle_limits, bent_robot, joint_axis
from snakestudio.model.edits.pose import start_of_pose
from snakestudio.model.recording import Schema
from snakestudio.model.robot.chain import chain, gait_joint_angles, joint_angles
from snakestudio.model.robot.joint_axes import (
    by_joint,
    cardan_axes,
    entries,
    from_pairs,
    in_a_row,
    joints,
)
from snakestudio.model.robot.overrides import JOINT_AXES
from snakestudio.model.robot.pose import initial_joint_angles, initial_state, joint_lists
from snakestudio.model.robot.robot import Axis, Robot
from snakestudio.model.rotations import matrices, quaternions
from snakestudio.model.scene import Scene

KINDS = tuple(JOINT_AXES)
ALTERNATING = ("yaw", "pitch") * 4
MIXED = ("roll", "cardan", "fixed", "yaw+roll", "pitch", "yaw+pitch+roll", "pitch+roll", "yaw")


def robot(kinds: tuple[str, ...], **values: Any) -> Robot:
    """A robot with these joints and unequal links."""
    joint = tuple({"index": k + 1, "axes": kind} for k, kind in enumerate(kinds))
    numbers = range(len(kinds) + 1)
    link = tuple(
        {"index": k + 1, "length_m": 0.08 + 0.01 * k, "centre_of_mass_m": 0.004 * k}
        for k in numbers
    )
    joint_values = {"n_links": len(numbers), "joint": joint, "link": link, "axis_offset_m": 0.01}
    return Robot.model_validate(joint_values | values)


def space(kinds: tuple[str, ...], **values: Any) -> Scene:
    """A spatial scene with such a robot."""
    plain = with_values(Scene(), {"model.kind": "spatial_nonsmooth", "start.kind": "straight"})
    scene = plain.model_copy(update={"robot": robot(kinds)})
    return with_values(scene, {key.replace("__", "."): value for key, value in values.items()})


def test_values_of_joints_are_those_of_their_axes() -> None:
    axes = robot(("roll", "cardan", "fixed", "yaw+roll")).axes
    assert axes == (
        Axis(0, "roll"),
        Axis(1, "yaw"),
        Axis(1, "pitch"),
        Axis(3, "yaw"),
        Axis(3, "roll"),
    )
    assert entries(axes, "roll").tolist() == [0, 4]
    assert joints(axes, "yaw").tolist() == [1, 3]
    values = np.arange(10.0).reshape(2, 5)
    np.testing.assert_array_equal(by_joint(values, axes, "yaw", 4), [[0, 1, 0, 3], [0, 6, 0, 8]])
    np.testing.assert_array_equal(
        in_a_row({"yaw": np.array([1.0, 2.0, 3.0, 4.0])}, axes), [0, 2, 0, 4, 0]
    )


def test_pairs_of_older_files_become_a_row() -> None:
    pairs = np.arange(12).reshape(2, 3, 2)
    result = from_pairs(pairs, cardan_axes(3))
    np.testing.assert_array_equal(result, pairs.reshape(2, 6))
    assert result.dtype == pairs.dtype
    flat = tuple(Axis(joint, "yaw") for joint in range(3))
    np.testing.assert_array_equal(from_pairs(pairs, flat), pairs[:, :, 0])


@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_joint_angles_are_the_inverse_of_the_chain(kinds: list[str], seed: int) -> None:
    built = robot(tuple(kinds))
    angles = np.random.default_rng(seed).uniform(-3.1, 3.1, len(built.axes))
    three = {k for k, kind in enumerate(kinds) if kind == "yaw+pitch+roll"}
    steep = [
        entry
        for entry, axis in enumerate(built.axes)
        if axis.kind == "pitch" and axis.joint in three
    ]
    angles[steep] *= 0.45  # below a right angle, where three axes are singular
    centre, turns = chain(np.eye(3), angles, built, built.axes)
    result = joint_angles(np.column_stack([centre, quaternions(turns)]), built.axes)
    np.testing.assert_allclose(np.exp(1j * result), np.exp(1j * angles), atol=1e-7)


def test_joints_of_unequal_links_are_closed() -> None:
    built = robot(MIXED)
    angles = np.random.default_rng(3).uniform(-1, 1, len(built.axes))
    centre, turns = chain(np.eye(3), angles, built, built.axes)
    pose = np.column_stack([centre, quaternions(turns)])
    for k, (joint, before, behind) in enumerate(
        zip(built.joint_list, built.links, built.links[1:], strict=False)
    ):
        one = (
            centre[k]
            + (0.5 * (before.length - joint.axis_offset) - before.centre_of_mass) * turns[k, :, 0]
        )
        other = (
            centre[k + 1]
            - (0.5 * (behind.length - joint.axis_offset) + behind.centre_of_mass)
            * turns[k + 1, :, 0]
        )
        assert np.linalg.norm(other - one) == pytest.approx(joint.axis_offset, abs=1e-12)
        for kind in joint.axes:  # a small rotation about the axis equals a change of the angle
            point, about = joint_axis(pose, built, k, kind)  # type: ignore[arg-type]
            moved = angles.copy()
            moved[built.axes.index(Axis(k, kind))] += 1e-6
            ahead, _ = chain(np.eye(3), moved, built, built.axes)
            np.testing.assert_allclose(
                (ahead[-1] - centre[-1]) / 1e-6, np.cross(about, centre[-1] - point), atol=1e-6
            )


@pytest.mark.parametrize("kinds", [ALTERNATING, MIXED], ids=["alternating", "mixed"])
def test_start_of_joint_angles_describes_any_pose(kinds: tuple[str, ...]) -> None:
    scene = space(kinds)
    angles = np.random.default_rng(5).uniform(-1.2, 1.2, len(scene.body.axes))
    lists = {f"start.{name}": values for name, values in joint_lists(scene, angles).items()}
    bent = with_values(scene, {"start.kind": "joint_angles", "start.z_m": 1.0} | lists)
    np.testing.assert_allclose(initial_joint_angles(bent), angles, atol=1e-12)
    pose, _ = initial_state(bent)
    np.testing.assert_allclose(joint_angles(pose, scene.body.axes), angles, atol=1e-9)
    again = bent.model_copy(update={"start": start_of_pose(bent, pose)})
    assert again.start.kind == "joint_angles"
    np.testing.assert_allclose(initial_state(again)[0][:, :3], pose[:, :3], atol=1e-7)


def test_one_list_is_enough_for_joints_of_one_axis_each() -> None:
    scene = space(ALTERNATING)
    lists = joint_lists(scene, np.arange(1.0, 9.0))
    assert list(lists) == ["joint_angles_deg"]
    np.testing.assert_allclose(np.radians(lists["joint_angles_deg"]), np.arange(1.0, 9.0))


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ({"joint_angles_deg": [0, 0, 5, 0]}, "Joint 3"),
        ({"joint_angles_deg": [0] * 4, "joint_roll_deg": [0, 9, 0, 0]}, "Joint 2 has no roll axis"),
        (
            {"joint_angles_deg": [3, 0, 0, 0], "joint_roll_deg": [4, 0, 0, 0]},
            "Joint 1 only turns about roll",
        ),
    ],
)
def test_angle_of_a_missing_axis_is_an_error(lists: dict[str, Any], message: str) -> None:
    with pytest.raises(SceneError, match=message):
        space(("roll", "cardan", "fixed", "yaw+roll"), start={"kind": "joint_angles", **lists})


@pytest.mark.parametrize("kinds", [ALTERNATING, MIXED], ids=["alternating", "mixed"])
def test_waves_turn_the_axes_of_their_kind(kinds: tuple[str, ...]) -> None:
    values = {
        "gait.kind": "two_waves",
        "gait.amplitude_deg": 20.0,
        "gait.pitch_amplitude_deg": 8.0,
        "gait.pitch_offset_deg": 3.0,
        "gait.phase_shift_deg": 40.0,
        "gait.pitch_phase_shift_deg": -25.0,
    }
    scene = with_values(space(kinds), values)
    all_cardan = with_values(
        Scene(), {"model.kind": "spatial_nonsmooth", "robot.n_links": 9} | values
    )
    time = np.linspace(0.0, 3.0, 40)
    axes = scene.body.axes
    cardan = all_cardan.body.axes
    for own, full in zip(
        WaveGait(scene).motion(time), WaveGait(all_cardan).motion(time), strict=True
    ):
        for kind in ("yaw", "pitch"):
            expected = by_joint(full, cardan, kind, 8)[:, joints(axes, kind)]
            np.testing.assert_array_equal(own[:, entries(axes, kind)], expected)
        assert not own[:, entries(axes, "roll")].any()
    first = WaveGait(scene).motion(time[:1])[0][0]
    np.testing.assert_allclose(first, gait_joint_angles(scene.waves, axes, 9), atol=1e-14)
    lying = with_values(scene, {"start.kind": "gait"})
    turns = matrices(initial_state(lying)[0][:, 3:]).mean(axis=0)
    assert turns[2, 0] == pytest.approx(0.0, abs=1e-9)  # neither tilted nor rolled
    assert turns[2, 1] == pytest.approx(0.0, abs=1e-9)
    assert turns[1, 0] / turns[0, 0] == pytest.approx(0.0, abs=0.2)


def test_planar_scene_has_yaw_axes_only() -> None:
    scene = with_values(Scene(), {"robot.n_links": 5, "gait.kind": "two_waves"})
    assert scene.body.axes == tuple(Axis(joint, "yaw") for joint in range(4))
    assert WaveGait(scene).motion(np.zeros(1))[0].shape == (1, 4)


def test_columns_are_those_of_the_axes_that_there_are() -> None:
    schema = Schema(5, robot(("roll", "cardan", "fixed", "yaw+roll")).axes, ())
    names = [name for name in columns_of(schema).exported if name.startswith("joint_")]
    angles = [name for name in names if name.endswith(("yaw_rad", "pitch_rad", "roll_rad"))]
    assert angles == [
        f"joint_{name}_rad" for name in ("1_roll", "2_yaw", "2_pitch", "4_yaw", "4_roll")
    ]
    endings = ("rad", "ref_rad", "rate_radps", "torque_nm")
    assert names[:4] == [f"joint_1_roll_{ending}" for ending in endings]


def test_joint_is_bent_within_its_limits() -> None:
    scene = space(("cardan", "roll"))
    limits = {"index": 2, "lower_limit_deg": -10.0, "upper_limit_deg": 60.0}
    scene = with_values(
        scene, {"robot.joint": [*(j.model_dump() for j in scene.robot.joint), limits]}
    )
    assert np.degrees(angle_limits(scene, 1, "roll")) == pytest.approx([-10.0, 60.0])
    bent = bent_robot(scene, 1, -1.0, "roll")
    np.testing.assert_allclose(np.degrees(initial_joint_angles(bent)), [0.0, 0.0, -10.0], atol=1e-9)
