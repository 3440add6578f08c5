"""Keyframes of MJCF files: start poses of imported robots."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

from snakestudio.cli import main
from snakestudio.errors import RobotFileError
from snakestudio.model.motion import JointAnglesStart
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.robot_files.importing import load_robot
from snakestudio.robot_files.to_scene import new_scene

from .robots import imported, mjcf_chain

AXES = ["0 0 1", "0 1 0", "0 0 -1", "0 1 0"]
BASE = "0.3 -0.2 0.8 0.9 0.1 -0.2 0.3"
ANGLES = "0.4 -0.3 0.5 0.2"


def keyed(qpos: str, **chain: str) -> str:
    keys = f'<keyframe><key name="empty"/><key name="home" qpos="{qpos}"/><key qpos="{qpos}"/></keyframe>'
    return mjcf_chain(AXES, **chain).replace("</mujoco>", f"{keys}</mujoco>")


def test_robot_starts_at_the_keyframe_of_mujoco(tmp_path: Path) -> None:
    text = keyed(f"{BASE} {ANGLES}", joint='ref="0.1"')
    robot = imported(tmp_path, text, "robot.xml")
    assert isinstance(robot.start, JointAnglesStart)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    mujoco.mj_forward(model, data)
    pose, _ = initial_state(new_scene(robot, "", ""))
    np.testing.assert_allclose(pose[:, :3], data.xipos[1:], atol=1e-8)
    assert any("2 keyframes" in note for note in robot.notes)


def test_joint_with_two_offset_axes_starts_at_the_keyframe(tmp_path: Path) -> None:
    """Two hinges of one body, 22 mm apart: half of that belongs to either link."""
    text = keyed(f"{BASE} 0.4 -0.3 0.5 0.2")
    parts = text.split('<body name="link_2"')
    inner = "".join(
        f'<body name="link_{k}" pos="0.1 0 0"><joint name="yaw_{k}" axis="0 0 1" pos="-0.022 0 0"/>'
        f'<joint name="pitch_{k}" axis="0 1 0"/><inertial pos="0.05 0 0" mass="0.5" diaginertia="2.5e-4 6e-4 6e-4"/>'
        '<geom type="capsule" fromto="0.03 0 0 0.07 0 0" size="0.03"/>'
        for k in (2, 3)
    )
    text = parts[0] + inner + "</body>" * 3 + text[text.index("</worldbody>") :]
    robot = imported(tmp_path, text, "robot.xml")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    mujoco.mj_forward(model, data)
    assert robot.robot.joints == "cardan"
    pose, _ = initial_state(new_scene(robot, "", ""))
    np.testing.assert_allclose(pose[:, :3], data.xipos[1:], atol=1e-8)


def test_exported_start_is_imported_unchanged(tmp_path: Path) -> None:
    path = scenes_dir() / "pole_climb.toml"
    file = tmp_path / "robot.xml"
    assert main(["export-model", str(path), "--mjcf", str(file)]) == 0
    robot = load_robot(file)
    assert not any("obstacle" in note for note in robot.notes)
    scene = new_scene(robot, "", "")
    np.testing.assert_allclose(
        initial_state(scene)[0][:, :3], initial_state(load_scene(path))[0][:, :3], atol=1e-8
    )


def test_pose_beyond_the_limits_starts_at_them(tmp_path: Path) -> None:
    text = keyed(f"{BASE} 3.0 0 0 0", joint='range="-1 1"')
    robot = imported(tmp_path, text, "robot.xml")
    assert isinstance(robot.start, JointAnglesStart)
    assert robot.start.joint_angles_deg[0] == pytest.approx(np.degrees(1.0))
    assert any("beyond its limits" in note for note in robot.notes)


def test_robot_in_the_ground_is_raised_onto_it(tmp_path: Path) -> None:
    robot = imported(tmp_path, keyed(f"0 0 -1 1 0 0 0 {ANGLES}"), "robot.xml")
    assert robot.start.z_m is None
    assert any("in the ground" in note for note in robot.notes)


def test_wrong_number_of_positions_is_refused(tmp_path: Path) -> None:
    message = re.escape("qpos: 11 numbers are required (got 10)")
    with pytest.raises(RobotFileError, match=message):
        imported(tmp_path, keyed(f"{BASE} 0.4 -0.3 0.5"), "robot.xml")
