"""Bundled scenes with short runs."""

from __future__ import annotations

from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir

__all__ = ["short"]


def short(name: str, duration: float, **values: object) -> Scene:
    """A bundled scene with this duration (s) and other values."""
    return with_values(
        load_scene(scenes_dir() / f"{name}.toml"), {"run.duration_s": duration, **values}
    )
