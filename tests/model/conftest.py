"""Scenes shared by tests of the model."""

from __future__ import annotations

import pytest

from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir


@pytest.fixture(scope="session")
def scene() -> Scene:
    """The bundled scene among pipes."""
    return load_scene(scenes_dir() / "obstacle_aided.toml")
