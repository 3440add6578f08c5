"""What is wrong or doubtful in a scene whose joints follow a strain law."""

from __future__ import annotations

import numpy as np

from snakestudio.errors import Problem, SceneError
from snakestudio.model.robot.strain import COMPONENTS
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene

__all__ = ["check"]

SAMPLES = 41
"""Times and places at which the law is looked at."""


def check(scene: Scene) -> list[Problem]:
    """What is wrong or doubtful in `scene`, whose controller is a StrainFollower."""
    problems: list[Problem] = []
    try:
        law = StrainLaw(scene.strain, scene.beam)
    except SceneError as error:
        return list(error.problems)
    times = np.linspace(0.0, scene.run.duration_s, SAMPLES)
    points = np.linspace(0.0, scene.beam.length_m, SAMPLES)
    with np.errstate(all="ignore"):  # formulas may be anything
        field = law.at(times, points)
    strain = field.strain
    keys = [f"strain.{name}" if scene.strain.kind == "formulas" else "strain.kind" for name in COMPONENTS]
    for entry in range(6):
        parts = (strain[:, :, entry], field.rate[:, :, entry], field.acceleration[:, :, entry])
        if not all(np.isfinite(part).all() for part in parts):
            problems.append(Problem(
                "error", keys[entry], f"{COMPONENTS[entry]} is no number somewhere on the body during the run",
                "avoid 1/0, roots and logarithms of negative numbers, and huge numbers",
            ))  # fmt: skip
        elif entry < 4 and np.abs(parts[0] - (1.0 if entry == 0 else 0.0)).max() > 1e-12:
            usual = "1" if entry == 0 else "0"
            problems.append(Problem(
                "error", keys[entry],
                f"{COMPONENTS[entry]} is not {usual} throughout: links cannot stretch, shear or twist",
                f"make it {usual}, choose a law of bending alone, or another controller.kind",
            ))  # fmt: skip
    if not scene.model.spatial and np.abs(strain[:, :, 4]).max() > 1e-12:
        problems.append(Problem(
            "warning", keys[4], "k_y_per_m bends the body out of the plane, which joints of a planar model cannot",
            'make it 0, or set model.kind to "spatial_nonsmooth"',
        ))  # fmt: skip
    body, robot = scene.beam.length_m, scene.robot.length
    if abs(body - robot) > 0.01 * robot:
        problems.append(Problem(
            "hint", "beam.length_m", f"the body of the strain law is {body:g} m long, the robot {robot:.4g} m",
            f"make it {robot:.6g} if the robot shall have the shape of the body",
        ))  # fmt: skip
    if scene.robot.head == "last":
        problems.append(Problem(
            "hint", "robot.head", "the law's head is at the first link, the robot's at the last", 'make it "first"'
        ))  # fmt: skip
    return problems
