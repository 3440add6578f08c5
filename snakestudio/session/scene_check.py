"""What is wrong or doubtful in a scene, for those who move the robot and for those who tell it how."""

from __future__ import annotations

from pathlib import Path

from snakestudio.control import registry as controllers
from snakestudio.engines import registry as engines
from snakestudio.errors import Problem
from snakestudio.model.scene import Scene
from snakestudio.session import build_check


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Everything that is wrong or doubtful in `scene`; relative paths in it are relative to `base_dir`."""
    problems = engines.check(scene, base_dir)
    # A start in the pose of a gait has the gait's mistakes, too.
    known = {problem.sentence() for problem in problems}
    problems += [
        problem for problem in controllers.check(scene, base_dir) if problem.sentence() not in known
    ]
    return problems + build_check.check(scene, base_dir)
