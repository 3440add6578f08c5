"""Errors and warnings of a scene for this formulation, in numpy only (without compiled code)."""

from __future__ import annotations

import math
from pathlib import Path

from snakestudio.engines import checks, crossing, planar_checks, smooth_checks
from snakestudio.engines.planar_obstacles import obstacle_problems, overlaps
from snakestudio.errors import Problem, SceneError
from snakestudio.kernels.planar_problem import TURN
from snakestudio.model.robot.overrides import selected
from snakestudio.model.robot.pose import initial_joint_angles, planar_pose
from snakestudio.model.scene import Scene


def largest_stable_step(scene: Scene) -> float:
    """Return infinity: steps are subdivided according to their error."""
    return math.inf


def _shifted_centres(scene: Scene) -> list[Problem]:
    """Return problems of links whose centre of mass is not in the middle, where obstacles act here, P3 (30)."""
    for number, override in enumerate(scene.robot.link, start=1):
        if override.centre_of_mass_m:
            link = selected(override.index, scene.robot.n_links)[0]
            return [
                Problem(
                    "error",
                    f"robot.link[{number}].centre_of_mass_m",
                    f"link {link + 1} has its centre of mass away from its middle, where obstacles act in this model",
                    'set it to 0, or set model.kind to "planar_nonsmooth" or "spatial_nonsmooth"',
                    links=(link,),
                )
            ]
    return []


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Return errors and warnings of `scene`.

    Parameters
    ----------
    base_dir : Path or None
        Folder that relative file names in the scene refer to.
    """
    problems = smooth_checks.joints_without_yaw(scene) + smooth_checks.ignored_values(scene)
    problems += _shifted_centres(scene)
    if any(problem.severity == "error" for problem in problems):
        return problems
    try:
        q, u = planar_pose(scene, base_dir)
    except SceneError as error:
        return [checks.unusable_file(error)]
    problems += planar_checks.explicit_state(scene, q, base_dir)
    problems += obstacle_problems(scene.obstacles, scene.robot.radius_m)
    problems += overlaps(scene, q)
    problems += crossing.likely_crossings(scene, base_dir, u[:, :2], u[:, TURN])
    problems += checks.joint_limits(scene, initial_joint_angles(scene, base_dir))
    problems += planar_checks.ignored_pitch(scene)
    problems += checks.endless_soft_start(scene)
    return problems + checks.missing_friction(scene)
