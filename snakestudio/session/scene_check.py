"""What is wrong or doubtful in a scene, for those who move the robot and for those who tell it how."""

from __future__ import annotations

from pathlib import Path

from snakestudio.control import registry as controllers
from snakestudio.engines import registry as engines
from snakestudio.errors import Problem
from snakestudio.model.scene import Scene
from snakestudio.session import build_check

__all__ = ["check"]


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Everything that is wrong or doubtful in `scene`; relative paths in it are relative to `base_dir`."""
    return engines.check(scene, base_dir) + controllers.check(scene) + build_check.check(scene, base_dir)
