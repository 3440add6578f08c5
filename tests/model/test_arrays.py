"""Arrays: positions by hand, clearances by an independent distance, and a message if not all obstacles fit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio.model.edits.arrays import MOST, TRIES_EACH, ArrayPlan, arrayed, placements
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene


def places(obstacles: tuple[Obstacle, ...]) -> list[tuple[float, float]]:
    return [(o.x_m, o.y_m) for o in obstacles]


@pytest.fixture
def peg() -> Scene:
    return Scene(obstacles=(Box(x_m=5, y_m=5), Cylinder(x_m=1, y_m=2, radius_m=0.05, name="peg")))


def test_row_continues_in_its_direction(peg: Scene) -> None:
    plan = ArrayPlan(pattern="row", count=4, spacing_m=0.5, direction_deg=30.0)
    result = arrayed(peg, plan, (1,))
    assert result.indices == (1, 2, 3, 4)
    assert result.scene.obstacles[0] == peg.obstacles[0]
    expected = [(1 + k * math.sqrt(3) / 4, 2 + 0.25 * k) for k in range(4)]
    assert np.allclose(places(result.scene.obstacles[1:]), expected, atol=1e-6)
    assert {o.group for o in result.scene.obstacles[1:]} == {"peg array"}
    assert [o.name for o in result.scene.obstacles[1:]] == ["peg", "peg 2", "peg 3", "peg 4"]


def test_grids_and_staggered_rows(peg: Scene) -> None:
    grid = ArrayPlan(pattern="grid", columns=3, rows=2, spacing_x_m=0.4, spacing_y_m=-0.3)
    assert np.allclose(
        placements(grid)[:, :2], [(0, 0), (0.4, 0), (0.8, 0), (0, -0.3), (0.4, -0.3), (0.8, -0.3)]
    )
    bricks = ArrayPlan(pattern="staggered", columns=2, rows=3, spacing_x_m=0.4, spacing_y_m=0.2)
    assert np.allclose(
        placements(bricks)[:, :2], [(0, 0), (0.4, 0), (0.2, 0.2), (0.6, 0.2), (0, 0.4), (0.4, 0.4)]
    )
    assert places(arrayed(peg, bricks, (1,)).scene.obstacles[1:])[3] == (1.6, 2.2)


@pytest.mark.parametrize(("arc", "step"), [(360.0, 90.0), (90.0, 30.0)])
def test_ring_starts_at_the_first_obstacle(arc: float, step: float) -> None:
    scene = Scene(obstacles=(Box(x_m=3, y_m=1, yaw_deg=170.0),))
    result = arrayed(
        scene, ArrayPlan(pattern="ring", count=4, radius_m=2.0, arc_deg=arc), (0,)
    ).scene.obstacles
    angles = np.radians(step * np.arange(4))
    assert np.allclose(
        places(result), np.column_stack((1 + 2 * np.cos(angles), 1 + 2 * np.sin(angles))), atol=1e-6
    )
    turned = [math.remainder(o.yaw_deg - 170.0 - step * k, 360.0) for k, o in enumerate(result)]  # type: ignore[union-attr]
    assert np.allclose(turned, 0.0, atol=1e-6)
    plain = arrayed(
        scene, ArrayPlan(pattern="ring", count=4, radius_m=2.0, arc_deg=arc, turned=False), (0,)
    )
    assert {o.yaw_deg for o in plain.scene.obstacles} == {170.0}  # type: ignore[union-attr]


def test_groups_are_repeated_and_locked_obstacles_stay() -> None:
    first = Cylinder(x_m=0, y_m=0, locked=True, group="pair")
    second = Stairs(x_m=1, y_m=0, group="pair")
    result = arrayed(
        Scene(obstacles=(first, second)), ArrayPlan(pattern="row", count=2, spacing_m=3.0), (0, 1)
    )
    assert result.scene.obstacles[0] == first
    assert [(o.kind, o.x_m, o.locked, o.group) for o in result.scene.obstacles[1:]] == [
        ("stairs", 1.0, False, "pair array"),
        ("cylinder", 3.0, False, "pair array"),
        ("stairs", 4.0, False, "pair array"),
    ]
    again = arrayed(result.scene, ArrayPlan(pattern="row", count=2), (1,))
    assert again.scene.obstacles[1].group == "pair array array"


def test_copies_are_equal_to_the_first() -> None:
    fresh = (Cylinder(x_m=1, y_m=1),)
    result = arrayed(Scene(), ArrayPlan(pattern="row", count=3, spacing_m=1.0), fresh=fresh)
    assert places(result.scene.obstacles) == [(1, 1), (2, 1), (3, 1)]
    assert result.sentence == "3 obstacles"


def _gap(a: Obstacle, b: Obstacle, samples: int = 160) -> float:
    """Distance of two obstacles by points on their outlines, for boxes at any angle and circles."""

    def outline(o: Obstacle) -> np.ndarray:
        t = np.linspace(0, 1, samples, endpoint=False)
        if isinstance(o, Cylinder):
            angle = 2 * np.pi * t
            return np.column_stack(
                (o.x_m + o.radius_m * np.cos(angle), o.y_m + o.radius_m * np.sin(angle))
            )
        assert isinstance(o, Box)
        c, s = math.cos(math.radians(o.yaw_deg)), math.sin(math.radians(o.yaw_deg))
        corners = (
            0.5 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * (o.length_m, o.width_m)
        )
        edge = np.minimum((4 * t).astype(int), 3)
        local = corners[edge] + (4 * t - edge)[:, None] * (corners[edge + 1] - corners[edge])
        return local @ np.array([[c, s], [-s, c]]) + (o.x_m, o.y_m)

    first = outline(a)
    second = outline(b)
    return float(np.linalg.norm(first[:, None] - second, axis=2).min())


def test_random_field_respects_its_clearance() -> None:
    scene = Scene(
        obstacles=(
            Cylinder(x_m=0.5, y_m=0.6, radius_m=0.06),
            Box(x_m=1.0, y_m=0.5, length_m=0.2, width_m=0.08, yaw_deg=40),
            Box(x_m=0.1, y_m=0.9, length_m=0.5, width_m=0.1, yaw_deg=25),
        )
    )
    plan = ArrayPlan(pattern="random", count=30, length_m=4.0, width_m=3.0, clearance_m=0.1, seed=5)
    result = arrayed(scene, plan, (0, 1))
    field = result.scene.obstacles
    assert len(result.indices) == plan.count + 1, (
        "both originals stay, one of them counts as the first"
    )
    assert result.sentence == "30 obstacles"
    kinds = {o.kind for o in field[3:]}
    assert kinds == {"cylinder", "box"}
    gaps = [_gap(a, b) for i, a in enumerate(field) for b in field[max(3, i + 1) :]]
    assert min(gaps) >= 0.1 - 1e-3
    assert min(gaps) < 0.2, "a field that keeps far more is none"
    pose = initial_state(scene)[0]
    heading = 2 * np.arctan2(pose[:, 6], pose[:, 3])
    along = np.linspace(-0.5, 0.5, 41)[None, :, None] * scene.robot.link_length_m
    axis = (
        pose[:, None, :2] + along * np.stack((np.cos(heading), np.sin(heading)), axis=1)[:, None]
    ).reshape(-1, 2)
    for o in field[3:]:
        alone = Cylinder(x_m=o.x_m, y_m=o.y_m, radius_m=1e-3) if isinstance(o, Box) else o
        away = np.linalg.norm(axis - (o.x_m, o.y_m), axis=1).min() - scene.robot.radius_m
        assert away >= alone.radius_m + 0.1 - 2e-4
        assert abs(o.x_m - 0.75) <= 2.0
        assert abs(o.y_m - 0.55) <= 1.5


def test_field_is_reproducible_by_seed(peg: Scene) -> None:
    plan = ArrayPlan(pattern="random", count=20)
    first = arrayed(peg, plan, (1,)).scene
    assert arrayed(peg, plan, (1,)).scene == first
    assert arrayed(peg, plan.model_copy(update={"seed": 2}), (1,)).scene != first


def test_result_states_how_many_fitted(peg: Scene) -> None:
    plan = ArrayPlan(pattern="random", count=50, length_m=0.5, width_m=0.5, clearance_m=0.2)
    result = arrayed(peg, plan, (1,))
    assert 1 < len(result.indices) < 9
    tries = TRIES_EACH * 49
    assert result.sentence == (
        f"{len(result.indices)} of 50 fitted in {tries} tries; increase the field or reduce the clearance"
    )


def test_too_many_are_refused(peg: Scene) -> None:
    with pytest.raises(ValueError, match=rf"10000 obstacles; it can have at most {MOST}\."):
        arrayed(peg, ArrayPlan(pattern="grid", columns=100, rows=100), (1,))
    with pytest.raises(ValueError, match="less than or equal to 10000"):
        arrayed(peg, ArrayPlan(pattern="row", count=20, spacing_m=1000.0), (1,))


def test_wide_robot_gets_more_clearance() -> None:
    """A position that misses a thin robot is rejected for a thick one."""
    plan = ArrayPlan(pattern="random", count=40, length_m=2.0, width_m=1.0, clearance_m=0.05)
    fresh = (Cylinder(x_m=0.6, y_m=0, radius_m=0.03),)
    thin = arrayed(Scene(robot=Robot(radius_m=0.01)), plan, fresh=fresh)
    thick = arrayed(Scene(robot=Robot(radius_m=0.3)), plan, fresh=fresh)
    assert len(thick.indices) < len(thin.indices)
