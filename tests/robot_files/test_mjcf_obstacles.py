"""Round surroundings of a robot file that lie, lean or hang, as prisms of boxes in the scene."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from snakestudio.model.obstacles.shape import obstacle_solids
from snakestudio.model.obstacles.solids import Block
from snakestudio.robot_files.importing import load_robot
from snakestudio.robot_files.to_scene import ImportedRobot
from tests.robot_files.mjcf_files import FLOOR, chain


def imported(geoms: str, folder: Path) -> tuple[ImportedRobot, mujoco.MjModel]:
    path = folder / "robot.xml"
    path.write_text(chain(floor=FLOOR + geoms))
    return load_robot(path), mujoco.MjModel.from_xml_path(str(path))


def inside(blocks: list[Block], points: np.ndarray) -> np.ndarray:
    """Whether points (n, 3) are in one of the blocks."""
    result = np.zeros(len(points), dtype=bool)
    for block in blocks:
        own = (points - block.centre) @ block.rotation
        result |= (np.abs(own) <= block.half + 1e-9).all(axis=1)
    return result


def surface(model: mujoco.MjModel, kind: str, scale: float) -> np.ndarray:
    """Points on the surface of the geom, whose radius is scaled, (n, 3)."""
    random = np.random.default_rng(2)
    geom = model.geom("rod")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    radius = geom.size[0] * scale
    half = geom.size[1] if kind != "sphere" else 0.0
    turn = random.uniform(0.0, 2.0 * np.pi, 4000)
    along = random.uniform(-1.0, 1.0, 4000) * (half if kind != "sphere" else 0.5 * radius)
    wide = np.sqrt(radius**2 - along**2) if kind == "sphere" else radius
    own = np.column_stack([wide * np.cos(turn), wide * np.sin(turn), along])
    return data.geom("rod").xpos + own @ data.geom("rod").xmat.reshape(3, 3).T


@pytest.mark.parametrize(
    "pose",
    [
        "pos='1 2 0.3' euler='90 0 0'",
        "pos='1 2 0.3' euler='0 90 0'",
        "pos='1 2 0.3' euler='0 -90 0'",
        "pos='1 2 0.3' euler='40 30 20'",
        "pos='1 2 0.9'",
        "pos='1 2 0.9' euler='180 0 0'",
    ],
)
@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
def test_rods_stay_round_and_where_they_are(pose: str, kind: str, tmp_path: Path) -> None:
    robot, model = imported(f'<geom name="rod" type="{kind}" size="0.05 0.4" {pose}/>', tmp_path)
    blocks = [solid for o in robot.obstacles for solid in obstacle_solids(o)]
    assert len(blocks) == 9
    assert {obstacle.group for obstacle in robot.obstacles} == {"rod"}
    # A regular prism with 18 sides, as far inside as outside: cos(10 degrees) = 0.985.
    assert inside(blocks, surface(model, kind, 0.992)).all()
    assert not inside(blocks, surface(model, kind, 1.008)).any()
    (note,) = [note for note in robot.notes if "rod" in note]
    assert "18 sides" in note


def test_ends_of_cylinders_are_exact(tmp_path: Path) -> None:
    robot, _ = imported(
        '<geom name="rod" type="cylinder" size="0.05 0.4" pos="0 0 0.9"/>', tmp_path
    )
    blocks = [solid for o in robot.obstacles for solid in obstacle_solids(o)]
    heights = np.array([0.4999, 0.5001, 1.2999, 1.3001])
    points = np.column_stack([0.049 * np.ones(4), np.zeros(4), heights])
    assert inside(blocks, points).tolist() == [False, True, True, False]


def test_lifted_balls_stay_lifted(tmp_path: Path) -> None:
    robot, _ = imported('<geom name="rod" type="sphere" size="0.2" pos="1 0 1"/>', tmp_path)
    blocks = [solid for o in robot.obstacles for solid in obstacle_solids(o)]
    points = np.array([[1.0, 0.0, 1.0 + z] for z in (-0.21, -0.14, 0.0, 0.14, 0.21)])
    assert inside(blocks, points).tolist() == [False, True, True, True, False]
    assert any("50 mm" in note for note in robot.notes)


def test_posts_on_the_ground_stay_posts(tmp_path: Path) -> None:
    geoms = (
        '<geom type="cylinder" size="0.05 0.4" pos="0 3 0.4"/><geom type="capsule" size="0.05 0.4" pos="0 4 0.4"/>'
        '<geom type="cylinder" size="0.05 0.4" pos="0 5 0.4" euler="180 0 0"/><geom size="0.1" pos="0 6 0"/>'
    )
    robot, _ = imported(geoms, tmp_path)
    assert [obstacle.kind for obstacle in robot.obstacles] == ["cylinder"] * 4
    heights = [obstacle_solids(obstacle)[0].high for obstacle in robot.obstacles]
    np.testing.assert_allclose(heights, [0.8, 0.85, 0.8, 0.1])


@pytest.mark.parametrize("euler", ["0 90 0", "0 -90 0", "90 90 0", "10 90 20", "30 40 50"])
def test_boxes_are_turned_as_in_mujoco(euler: str, tmp_path: Path) -> None:
    robot, model = imported(
        f'<geom name="rod" type="box" size="0.1 0.2 0.3" pos="1 2 0.5" euler="{euler}"/>', tmp_path
    )
    (block,) = obstacle_solids(robot.obstacles[0])
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(block.centre, data.geom("rod").xpos, atol=1e-8)
    np.testing.assert_allclose(block.rotation, data.geom("rod").xmat.reshape(3, 3), atol=1e-8)


def test_many_rods_have_fewer_sides(tmp_path: Path) -> None:
    rods = "".join(
        f'<geom type="cylinder" size="0.01 0.4" pos="{k} 3 0.3" euler="90 0 0"/>'
        for k in range(101)
    )
    robot, _ = imported(rods, tmp_path)
    assert len(robot.obstacles) == 404
    assert any("8 sides" in note for note in robot.notes)


def test_obstacle_friction_is_that_of_robot_contacts(tmp_path: Path) -> None:
    geoms = (
        '<geom type="box" size="0.1 0.1 0.1" pos="3 0 0.1" friction="0.3"/>'
        '<geom type="box" size="0.1 0.1 0.1" pos="4 0 0.1" friction="2"/>'
        '<geom type="box" size="0.1 0.1 0.1" pos="5 0 0.1" friction="0.3" priority="1"/>'
        '<geom type="box" size="0.1 0.1 0.1" pos="6 0 0.1" contype="2" conaffinity="2"/>'
    )
    robot, _ = imported(geoms, tmp_path)
    assert [obstacle.friction for obstacle in robot.obstacles] == [1.0, 2.0, 0.3]
