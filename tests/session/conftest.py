"""Scenes shared by tests of sessions."""

from __future__ import annotations

import pytest

from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir


@pytest.fixture(scope="session")
def scene() -> Scene:
    """The bundled scene among pipes, for one second."""
    return with_values(load_scene(scenes_dir() / "obstacle_aided.toml"), {"run.duration_s": 1.0})
