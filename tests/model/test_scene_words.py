"""Differences of scenes as text: all are listed, many of one kind in one line, with units and names."""

from __future__ import annotations

import pytest
from hypothesis import given

from snakestudio.model.edits import add_obstacle, remove_obstacles, with_values
from snakestudio.model.edits.transform import move
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.scene import Scene
from snakestudio.model.scene_diff import difference_in_words
from tests.strategies import scenes
from tests.wording import naming


def test_equal_scenes_do_not_differ(scene: Scene) -> None:
    assert difference_in_words(scene, scene) == []


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ({"gait.amplitude_deg": 35.0}, ["Gait: amplitude 40 → 35 °"]),
        ({"title": "Pipes"}, ['Title "Obstacle-aided locomotion" → "Pipes"']),
        ({"description": "x" * 100}, ["Description changed"]),
        (
            {"ground.mu_along": 0.25, "run.duration_s": 5},
            ["Ground: friction along 0.2 → 0.25", "Run: duration 10 → 5 s"],
        ),
        ({"gait.kind": "two_waves"}, ["Gait lateral undulation → two waves"]),
        ({"model.kind": "planar_nonholonomic"}, ["Model planar nonsmooth → planar nonholonomic"]),
        ({"ground.mu_along": 0.2000001}, ["Ground: friction along 0.2 → 0.2000001"]),
        ({"obstacles[3].radius_m": 0.1}, ["Obstacle 3: radius 0.125 → 0.1 m"]),
        ({"obstacles[3].locked": True}, ["Obstacle 3: locked switched on"]),
        ({"obstacles[3].name": "pipe"}, ['Obstacle 3: name "" → "pipe"']),
        (
            {"obstacles[1].x_m": 0.1, "obstacles[1].y_m": 0.2},
            ["Obstacle 1 moved from (0.0507, 0.1761) to (0.1, 0.2) m"],
        ),
    ],
)
def test_a_value(scene: Scene, values: dict[str, object], lines: list[str]) -> None:
    assert difference_in_words(scene, with_values(scene, values)) == lines


def test_many_of_a_sort_are_one_line(scene: Scene) -> None:
    assert difference_in_words(scene, move(scene, range(5), (0.1, -0.2, 0.0))) == [
        "5 obstacles moved by (0.1, -0.2) m"
    ]
    apart = move(move(scene, [0], (0.1, 0.0, 0.0)), [1], (0.2, 0.0, 0.0))
    assert difference_in_words(scene, apart) == ["2 obstacles moved"]
    wider = with_values(scene, {f"obstacles[{i}].radius_m": 0.1 for i in range(1, 8)})
    assert difference_in_words(scene, wider) == ["7 obstacles: radius 0.125 → 0.1 m"]
    mixed = with_values(wider, {"obstacles[1].radius_m": 0.2})
    assert difference_in_words(scene, mixed) == ["7 obstacles: radius changed"]


def test_added_and_removed_objects_are_counted_by_kind(scene: Scene) -> None:
    after = remove_obstacles(scene, [1, 2])
    for x in (5.0, 6.0):
        after = add_obstacle(after, Box(x_m=x, y_m=5.0))
    after = add_obstacle(after, Cylinder(x_m=9.0, y_m=9.0, name="post"))
    assert difference_in_words(scene, after) == [
        "2 cylinders removed",
        "2 boxes added",
        'Cylinder "post" added',
    ]
    assert difference_in_words(
        after, after.model_copy(update={"obstacles": after.obstacles[:-1]})
    ) == ['Cylinder "post" removed']


def test_moved_obstacle_is_recognized_after_a_removal(scene: Scene) -> None:
    after = move(remove_obstacles(scene, [6]), [0], (1.0, 0.0, 0.0))
    assert difference_in_words(scene, after) == [
        f"Cylinder at ({scene.obstacles[6].x_m:.4g}, {scene.obstacles[6].y_m:.4g}) removed",
        f"Obstacle 1 moved from (0.0507, {scene.obstacles[0].y_m:.4g}) to (1.051, {scene.obstacles[0].y_m:.4g}) m",
    ]


def test_changed_order_is_reported(scene: Scene) -> None:
    turned = scene.model_copy(update={"obstacles": scene.obstacles[::-1]})
    assert difference_in_words(scene, turned) == [naming("another order")]


@given(scenes(), scenes())
def test_any_difference_has_a_description(before: Scene, after: Scene) -> None:
    lines = difference_in_words(before, after)
    assert (before == after) == (not lines)
    assert all(line and "\n" not in line for line in lines)
