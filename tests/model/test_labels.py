"""Values of a scene have the same labels in panels and in the tree."""

from __future__ import annotations

import pytest

from snakestudio.model.labels import label_of
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir

SCENE = load_scene(scenes_dir() / "obstacle_aided.toml")


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("obstacles[3].radius_m", "Cylinder 3: Radius"),
        ("obstacles[3]", "Cylinder 3"),
        ("obstacles", "Obstacles"),
        ("robot.n_links", "Robot: Links"),
        ("controller", "Controller"),
        ("obstacles[99].radius_m", "obstacles[99].radius_m"),
    ],
)
def test_values_are_called_as_in_tree_and_panels(key: str, label: str) -> None:
    assert label_of(SCENE, key) == label
