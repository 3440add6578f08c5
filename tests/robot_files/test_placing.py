"""Start of imported robots among the obstacles of their file."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from snakestudio.engines.spatial_nonsmooth.overlap import depth_in_solid
from snakestudio.model.motion import StraightStart
from snakestudio.model.obstacles.shape import obstacle_solids
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.robot_files.to_scene import ImportedRobot, new_scene
from tests.robot_files.robots import RADIUS, imported, mjcf_chain

AXES = ["0 0 1", "0 1 0", "0 0 1", "0 1 0"]


def among(folder: Path, world: str, pose: str = "") -> tuple[ImportedRobot, np.ndarray]:
    """Import a robot of 0.5 m along x from the origin, and return it with the centres of mass in MuJoCo."""
    text = mjcf_chain(AXES).replace("<worldbody>", f"<worldbody>{world}")
    if pose:
        text = text.replace(f'name="link_1" pos="0.0 0 {RADIUS}"', f'name="link_1" {pose}')
        assert pose in text
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return imported(folder, text, "world.xml"), data.xipos[1:]


def deepest(scene: Scene) -> float:
    """Largest depth of a link in an obstacle, by the check of the engine."""
    pose, _ = initial_state(scene)
    axis = matrices(pose[:, 3:])[:, :, 0]
    links = scene.robot.links
    middle = pose[:, :3] - np.array([link.centre_of_mass for link in links])[:, None] * axis
    half = np.array([link.contact_half_length for link in links])
    radius = np.array([link.radius for link in links])
    solids = [solid for o in scene.obstacles for solid in obstacle_solids(o)]
    return float(max(depth_in_solid(s, middle, axis, half, radius).max() for s in solids))


def positions(robot: ImportedRobot) -> np.ndarray:
    return initial_state(new_scene(robot, "", ""))[0][:, :3]


def test_obstacles_near_the_robot_do_not_move_it(tmp_path: Path) -> None:
    """A wall whose bounding box contains the robot, but which is 30 mm away from it."""
    wall = '<geom name="wall" type="box" size="1 0.02 0.1" pos="0.25 0 0.1" euler="0 0 0.9"/>'
    post = '<geom name="post" type="cylinder" size="0.1 0.5" pos="0.25 0.16 0.5"/>'
    robot, expected = among(tmp_path, post)
    np.testing.assert_allclose(positions(robot), expected, atol=1e-6)
    assert not any("moved" in note for note in robot.notes)
    robot, _ = among(tmp_path, wall)
    assert deepest(new_scene(robot, "", "")) <= 1e-4


@pytest.mark.parametrize("y", [0.0, 0.05, -0.05])
def test_overlapping_robot_moves_no_farther_than_necessary(tmp_path: Path, y: float) -> None:
    post = f'<geom name="pole" type="cylinder" size="0.08 1" pos="0.25 {y} 1"/>'
    robot, expected = among(tmp_path, post)
    shift = positions(robot) - expected
    np.testing.assert_allclose(shift, np.tile(shift[0], (len(shift), 1)), atol=1e-6)
    needed = 0.08 + RADIUS - abs(y)
    distance = float(np.linalg.norm(shift[0]))
    assert needed - 1e-4 <= distance <= 1.15 * needed
    assert deepest(new_scene(robot, "", "")) <= 1e-4
    (note,) = [note for note in robot.notes if "moved by" in note]
    assert f"{distance:.3g} m" in note
    assert '"pole"' in note


def test_robot_above_an_obstacle_keeps_its_height(tmp_path: Path) -> None:
    box = '<geom name="table" type="box" size="0.4 0.2 0.1" pos="0.25 0 0.1"/>'
    robot, expected = among(tmp_path, box, 'pos="0 0 0.24"')
    np.testing.assert_allclose(positions(robot), expected, atol=1e-6)
    assert any('"table"' in note and "0.24 m" in note for note in robot.notes)


def test_upright_robot_stays_at_its_pole(tmp_path: Path) -> None:
    post = '<geom name="pole" type="cylinder" size="0.05 1" pos="0.09 0 1"/>'
    robot, expected = among(tmp_path, post, f'pos="0 0 0.1" euler="0 {-math.pi / 2} 0"')
    np.testing.assert_allclose(positions(robot), expected, atol=1e-6)
    assert isinstance(robot.start, StraightStart)
    assert not any("lies on" in note for note in robot.notes)


def test_upright_robot_is_laid_down_without_obstacles(tmp_path: Path) -> None:
    robot, _ = among(tmp_path, "", f'pos="0 0 0.1" euler="0 {-math.pi / 2} 0"')
    assert np.ptp(positions(robot)[:, 2]) < 1e-9
    assert any("lies on" in note for note in robot.notes)
