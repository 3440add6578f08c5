"""Values of a link: position, attitude, and forces."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.motion import TwoWaves
from snakestudio.model.rotations import quaternions, roll_pitch_yaw, rotation
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts, Snapshot
from snakestudio.viewmodel.scene.link_values import MAX_LINK_VALUES, link_values
from tests.gui.fake import make_recording


def test_roll_pitch_and_yaw_equal_scipy() -> None:
    turns = Rotation.random(200, rng=np.random.default_rng(3))
    yaw, pitch, roll = turns.as_euler("ZYX").T
    found = roll_pitch_yaw(turns.as_quat(scalar_first=True))
    assert np.allclose(found, np.column_stack([roll, pitch, yaw]), atol=1e-9)


def test_angles_are_those_of_a_start() -> None:
    given = np.array([0.4, -0.7, 2.1])  # roll, pitch, yaw
    matrix = rotation(given[2], given[1], given[0])
    assert np.allclose(roll_pitch_yaw(quaternions(matrix[None]))[0], given)


def snapshot(scene: Scene) -> Snapshot:
    return make_recording(scene, 50).snapshot(40)


def test_planar_link_has_no_roll() -> None:
    scene = Scene()
    names = [name for name, _, _ in link_values(snapshot(scene), 4, scene.body.axes)]
    assert names[:4] == ["x", "y", "z", "Heading"]
    assert "Roll" not in names
    assert "Joint before" in names


def test_spatial_link_shows_attitude_and_forces() -> None:
    scene = Scene(model=FORMULATIONS["spatial_nonsmooth"].fields(), gait=TwoWaves())
    shot = snapshot(scene)
    pose = shot.link_pose.copy()
    pose[4, 3:] = Rotation.from_euler("ZYX", [30, 12, -8], degrees=True).as_quat(scalar_first=True)
    contacts = Contacts(
        np.array([4, 4, 7], np.int32),
        np.array([-1, 0, -1], np.int32),
        np.zeros((3, 3)),
        np.array([[0.0, 0.0, 6.0], [3.0, 4.0, 0.0], [0.0, 0.0, 99.0]]),
        np.array([[0.3, 0.4, 0.0]] + 2 * [[0.0] * 3]),
        np.zeros(3, np.int32),
    )
    shot = Snapshot(
        shot.time,
        pose,
        shot.link_twist,
        shot.joint_angle,
        shot.joint_rate,
        shot.joint_angle_ref,
        shot.joint_rate_ref,
        shot.joint_torque,
        contacts,
        shot.energy,
        shot.solver,
    )
    values = link_values(shot, 4, scene.body.axes, spatial=True)
    rows = {name: float(text.replace("−", "-")) for name, text, _ in values}
    assert len(rows) == 19 <= MAX_LINK_VALUES
    assert (rows["Heading"], rows["Pitch"], rows["Roll"]) == (30.0, 12.0, -8.0)
    assert (rows["Ground load"], rows["Ground friction"], rows["Obstacle force"]) == (6.0, 0.5, 5.0)
    assert rows["Joint before pitch"] == pytest.approx(np.degrees(shot.joint_angle[7]), abs=0.006)
    assert rows["Torque behind yaw"] == pytest.approx(shot.joint_torque[8], abs=6e-4)
