"""Groups, flags, presets, bounding boxes and alignment: by hand and against the viewport's boxes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.model.edits.align import aligned, distributed
from snakestudio.model.edits.groups import (
    free_group_name,
    group_names,
    members,
    renamed_group,
    units,
    whole_groups,
    with_flag,
    with_group,
)
from snakestudio.model.edits.presets import PRESETS, preset_obstacles
from snakestudio.model.obstacles.outlines import plan_boxes
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.obstacles.shapes.ramp import Ramp
from snakestudio.model.obstacles.shapes.rubble import Rubble
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene

ALL_KINDS: tuple[Obstacle, ...] = (
    Cylinder(x_m=1.0, y_m=-2.0, radius_m=0.3),
    Box(x_m=0.4, y_m=0.1, length_m=1.0, width_m=0.2, yaw_deg=33, pitch_deg=12, roll_deg=-20),
    Stairs(x_m=2.0, y_m=1.0, heading_deg=70),
    Ramp(x_m=-1.0, y_m=1.5, heading_deg=-130, landing_m=0.4),
    HeightField(
        x_m=2.0, y_m=1.7, length_m=1.0, width_m=3.0, yaw_deg=20, heights_m=((0.1, 0.2), (0.1, 0.15))
    ),
    Rubble(x_m=-1.2, y_m=0.5, yaw_deg=10, blocks=40),
    HeightField(x_m=0.0, y_m=-4.0, length_m=2.0, width_m=1.0, yaw_deg=30, picture="nowhere.png"),
)


def test_boxes_are_those_that_are_drawn() -> None:
    drawn = obstacles_of(ALL_KINDS)
    boxes = plan_boxes(ALL_KINDS)
    assert np.allclose(boxes.low, drawn.low[:, :2], atol=1e-12)
    assert np.allclose(boxes.high, drawn.high[:, :2], atol=1e-12)


@pytest.fixture
def scene() -> Scene:
    return Scene(
        obstacles=(
            Cylinder(x_m=0.0, y_m=0.0, radius_m=0.5),
            Box(x_m=2.0, y_m=1.0, length_m=1.0, width_m=0.4),
            Cylinder(x_m=5.0, y_m=-1.0, radius_m=0.25),
            Box(x_m=9.0, y_m=3.0, length_m=3.0, width_m=1.0),
        )
    )


def test_sides_and_middles_line_up(scene: Scene) -> None:
    def xs(side: str) -> list[float]:
        result = aligned(scene, range(4), side)  # type: ignore[arg-type]
        assert [o.y_m for o in result.obstacles] == [o.y_m for o in scene.obstacles]
        return [o.x_m for o in result.obstacles]

    def ys(side: str) -> list[float]:
        result = aligned(scene, range(4), side)  # type: ignore[arg-type]
        assert [o.x_m for o in result.obstacles] == [o.x_m for o in scene.obstacles]
        return [o.y_m for o in result.obstacles]

    # By hand: the common bounding box is from (-0.5, -1.25) to (10.5, 3.5).
    assert xs("left") == pytest.approx([0.0, 0.0, -0.25, 1.0])
    assert xs("right") == pytest.approx([10.0, 10.0, 10.25, 9.0])
    assert xs("centre_x") == pytest.approx([5.0] * 4)
    assert ys("bottom") == pytest.approx([-0.75, -1.05, -1.0, -0.75])
    assert ys("top") == pytest.approx([3.0, 3.3, 3.25, 3.0])
    assert ys("centre_y") == pytest.approx([1.125] * 4)


def test_others_are_aligned_with_locked_obstacles(scene: Scene) -> None:
    locked = with_flag(scene, [2], "locked", True)
    assert [o.x_m for o in aligned(locked, range(4), "left").obstacles] == pytest.approx(
        [5.25, 5.25, 5.0, 6.25]
    )


def test_group_moves_as_one(scene: Scene) -> None:
    grouped = with_group(scene, [0, 1], "pair")
    result = aligned(grouped, range(4), "right").obstacles
    assert [o.x_m for o in result] == pytest.approx([8.0, 10.0, 10.25, 9.0])
    alone = aligned(grouped, (0, 1), "left").obstacles
    assert [o.x_m for o in alone[:2]] == pytest.approx([0.0, 0.0]), (
        "a group by itself is lined up within"
    )
    assert units(grouped, range(4)) == [(0, 1), (2,), (3,)]


def test_even_distances(scene: Scene) -> None:
    result = distributed(scene, range(4), "x", "centres").obstacles
    assert [o.x_m for o in result] == pytest.approx([0.0, 3.0, 6.0, 9.0])
    result = distributed(scene, range(4), "x", "gaps").obstacles
    boxes = plan_boxes(result)
    assert boxes.low[1:, 0] - boxes.high[:-1, 0] == pytest.approx([(11.0 - 5.5) / 3] * 3, abs=1e-6)
    assert (result[0], result[3]) == (scene.obstacles[0], scene.obstacles[3])
    assert distributed(scene, (0, 1), "x", "gaps") == scene
    locked = with_flag(scene, [1], "locked", True)
    assert distributed(locked, range(4), "y", "centres").obstacles[1] == locked.obstacles[1]


def test_groups_by_name(scene: Scene) -> None:
    grouped = with_group(with_group(scene, [2, 0], "pegs"), [3], "walls")
    assert group_names(grouped) == ["pegs", "walls"]
    assert members(grouped, "pegs") == (0, 2)
    assert whole_groups(grouped, [0, 1]) == (0, 1, 2)
    assert free_group_name(grouped, "pegs") == "pegs 2"
    assert free_group_name(with_group(grouped, [1], "pegs 2"), "pegs 2") == "pegs 3"
    assert free_group_name(grouped, "other") == "other"
    joined = renamed_group(grouped, "walls", "pegs")
    assert members(joined, "pegs") == (0, 2, 3)
    assert group_names(with_group(joined, range(4), "")) == []
    with pytest.raises(ValueError, match="at most 80 characters"):
        renamed_group(grouped, "walls", "x" * 81)


def test_flags_change_nothing_else(scene: Scene) -> None:
    flagged = with_flag(scene, [1, 3], "hidden", True)
    assert [o.hidden for o in flagged.obstacles] == [False, True, False, True]
    assert flagged.obstacles[0] is scene.obstacles[0]
    assert with_flag(flagged, range(4), "hidden", False) == scene


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("link", [0.122, 0.0305])
def test_presets_suit_the_robot(name: str, link: float) -> None:
    scene = Scene(robot=Robot(link_length_m=link))
    result = preset_obstacles(scene, name, (3.0, -2.0))
    boxes = plan_boxes(result)
    low, high = boxes.around(range(len(result)))
    assert np.all(low <= (3.0, -2.0))
    assert np.all(high >= (3.0, -2.0))
    sizes = {
        "cylinder": 2.0,
        "box": 2.5,
        "wall": 10,
        "stairs": 16,
        "ramp": 8,
        "height_field": 16,
        "rubble": 18,
    }
    if name in sizes:
        assert float(max(high - low)) == pytest.approx(sizes[name] * link, rel=0.15)
    else:
        gaps = [
            np.hypot(a.x_m - b.x_m, a.y_m - b.y_m) - a.radius_m - b.radius_m  # type: ignore[union-attr]
            for a, b in combinations(result, 2)
        ]
        assert len(result) == 20
        assert {o.group for o in result} == {"Peg board"}
        assert min(gaps) == pytest.approx(0.22 / 0.122 * link, rel=0.02)
        assert min(gaps) > 2 * 0.0525 / 0.122 * link, "the robot fits through"


def test_new_obstacle_copies_the_last_of_its_kind() -> None:
    wall = preset_obstacles(Scene(), "wall", (0.0, 0.0))
    mine = Box(x_m=0, y_m=0, length_m=0.4, height_m=0.7, name="mine", locked=True, friction=0.9)
    (result,) = preset_obstacles(Scene(obstacles=(mine, *wall)), "box", (1.0, 2.0))
    assert result == Box(name="Box 1", x_m=1, y_m=2, length_m=0.4, height_m=0.7, friction=0.9)
    board = preset_obstacles(Scene(), "peg_board", (0.0, 0.0))
    assert (
        preset_obstacles(Scene(obstacles=board), "peg_board", (0.0, 0.0))[0].group == "Peg board 2"
    )
