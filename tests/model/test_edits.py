"""Edits are pure, name errors, and detect exactly the differences."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from snakestudio.errors import SceneError
from snakestudio.model import edits
from snakestudio.model.edits import transform
from snakestudio.model.motion import StraightStart, TwoWaves
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.scene import Scene
from tests.strategies import scenes


def test_replacing_a_value_keeps_the_old_scene(scene: Scene) -> None:
    new = edits.with_value(scene, "obstacles[3].y_m", 0.5)
    assert new.obstacles[2].y_m == 0.5
    assert scene.obstacles[2].y_m == 0.1851
    assert edits.changed_keys(scene, new) == ["obstacles[3].y_m"]


@pytest.mark.parametrize(
    ("key", "value", "piece"),
    [
        ("gait.amplitude_deg", -181, "-180"),
        ("gait.amplitud_deg", 1, "Did you mean amplitude_deg"),
        ("gate.amplitude_deg", 1, "gate.amplitude_deg"),
        ("obstacles[8].x_m", 1, "obstacles[8].x_m"),
        ("obstacles[0].x_m", 1, "numbered from 1"),
        ("obstacles.x_m", 1, "scene"),
        ("gait[1]", 1, "scene"),
        ("", 1, "scene"),
        ("gait..x", 1, "scene"),
        ("gait", 1, "table"),
        ("robot.n_links", "many", "many"),
        ("control.period_s", 0.0101, "whole number"),
    ],
)
def test_invalid_edit_is_refused_with_a_message(
    scene: Scene, key: str, value: Any, piece: str
) -> None:
    with pytest.raises(SceneError) as caught:
        edits.with_value(scene, key, value)
    assert piece in str(caught.value)


def test_values_given_together_need_not_be_valid_one_by_one() -> None:
    scene = Scene.model_validate(
        {"format": 1, "start": {"kind": "joint_angles", "joint_angles_deg": (0.0,) * 10}}
    )
    both = {"robot.n_links": 3, "start.joint_angles_deg": [1.0, 2.0]}
    assert edits.with_values(scene, both).robot.n_links == 3
    with pytest.raises(SceneError):
        edits.with_value(scene, "robot.n_links", 3)


def test_new_start_kind_keeps_common_values(scene: Scene) -> None:
    start = edits.with_value(scene, "start.kind", "straight").start
    assert isinstance(start, StraightStart)
    assert (start.link, start.x_m, start.y_m, start.heading_deg) == (6, 0.515, 0.157, 180.0)


def test_new_gait_kind_keeps_common_values(scene: Scene) -> None:
    spatial = edits.with_values(scene, {"gait.kind": "two_waves", "gait.pitch_amplitude_deg": 7.0})
    assert isinstance(spatial.gait, TwoWaves)
    assert (spatial.gait.amplitude_deg, spatial.gait.pitch_amplitude_deg) == (40.0, 7.0)
    assert edits.changed_keys(scene, spatial) == ["gait"]
    assert edits.with_value(spatial, "gait.kind", "lateral_undulation") == scene


def test_another_kind_of_strain_law_keeps_values_of_one_type(scene: Scene) -> None:
    # The speed of a preset is a number, that of a typed law a formula with the same name.
    snake = edits.with_values(scene, {"strain.speed_m_s": 0.3, "strain.wavelength_m": 0.6})
    worm = edits.with_values(snake, {"strain.kind": "peristalsis"})
    assert (worm.strain.speed_m_s, worm.strain.wavelength_m) == (0.3, 0.6)  # type: ignore[union-attr]
    assert edits.with_values(snake, {"strain.kind": "formulas"}).strain.speed_m_s == ""  # type: ignore[union-attr]


def test_new_obstacle_kind_keeps_common_values(scene: Scene) -> None:
    boxed = edits.with_value(scene, "obstacles[2].kind", "box")
    assert boxed.obstacles[1] == Box(x_m=0.4215, y_m=0.0029, height_m=0.12, friction=0.0)
    assert edits.changed_keys(scene, boxed) == ["obstacles[2]"]
    back = {"obstacles[2].kind": "cylinder", "obstacles[2].radius_m": 0.125}
    assert edits.with_values(boxed, back) == scene


def test_optional_value_is_added_and_removed(scene: Scene) -> None:
    limited = edits.with_value(scene, "robot.joint_limit_deg", 60)
    assert limited.robot.joint_limit_deg == 60
    assert edits.with_value(limited, "robot.joint_limit_deg", None) == scene


def test_obstacles_are_added_moved_and_removed(scene: Scene) -> None:
    more = edits.add_obstacle(scene, Cylinder(x_m=1.0, y_m=1.0))
    moved = transform.move(more, [7], (0.5, -1.0, 0.0))
    assert (moved.obstacles[7].x_m, moved.obstacles[7].y_m) == (1.5, 0.0)
    assert edits.remove_obstacles(moved, [7]) == scene
    assert edits.changed_keys(scene, transform.move(scene, [0], (0.0, 0.1, 0.0))) == [
        "obstacles[1].y_m"
    ]


@given(scenes(), scenes())
def test_changed_keys_are_those_that_differ(before: Scene, after: Scene) -> None:
    keys = edits.changed_keys(before, after)
    assert bool(keys) == (before != after)
    if before.robot.n_links == after.robot.n_links:
        values = {key: edits.tree(edits.get_value(after, key)) for key in keys}
        assert edits.with_values(before, values) == after


def test_edit_of_a_large_scene_keeps_other_parts(scene: Scene) -> None:
    posts = tuple(Cylinder(x_m=float(i), y_m=0.0) for i in range(100))
    large = scene.model_copy(update={"obstacles": posts})
    edited = edits.with_values(
        large, {"gait.amplitude_deg": 20.0, "obstacles[7].x_m": 0.5, "run.duration_s": 3}
    )
    assert all(
        new is old
        for i, (new, old) in enumerate(zip(edited.obstacles, posts, strict=True))
        if i != 6
    )
    assert edited.obstacles[6] == Cylinder(x_m=0.5, y_m=0.0)
    assert edited.robot is large.robot


def test_several_wrong_values_are_named_together(scene: Scene) -> None:
    with pytest.raises(SceneError) as caught:
        edits.with_values(
            scene, {"gait.amplitude_deg": -181, "obstacles[2].radius_m": 0, "start.x_m": "far"}
        )
    assert {problem.key for problem in caught.value.problems} == {
        "gait.amplitude_deg",
        "obstacles[2].radius_m",
        "start.x_m",
    }
