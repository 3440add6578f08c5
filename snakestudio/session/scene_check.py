"""Check of a scene: errors and warnings of its model and its controller."""

from __future__ import annotations

from pathlib import Path

from snakestudio.control import registry as controllers
from snakestudio.engines import registry as engines
from snakestudio.errors import Problem
from snakestudio.model.scene import Scene
from snakestudio.session import build_check


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Return all errors and warnings of `scene`; relative paths in it are relative to `base_dir`."""
    problems = engines.check(scene, base_dir)
    # A start in the pose of a gait repeats the errors of the gait.
    known = {problem.sentence() for problem in problems}
    problems += [
        problem for problem in controllers.check(scene, base_dir) if problem.sentence() not in known
    ]
    return problems + build_check.check(scene, base_dir)
