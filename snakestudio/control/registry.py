"""Which controller a scene asks for."""

from __future__ import annotations

from pathlib import Path

from snakestudio.control.base import Controller
from snakestudio.model.pose import initial_joint_angles
from snakestudio.model.scene import Scene

__all__ = ["create"]


def create(scene: Scene, base_dir: Path | None = None) -> Controller:
    """The controller of `scene`, at the start of a run; relative paths in the scene are relative to `base_dir`.

    Raises
    ------
    SceneError
        If the start depends on a file that cannot be used.
    """
    from snakestudio.control.set_points import SetPoints

    return SetPoints(scene, initial_joint_angles(scene, base_dir))
