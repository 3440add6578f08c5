"""Robots of other programs' files for scripts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from snakestudio.model.scene import Scene
from snakestudio.robot_files.importing import load_robot
from snakestudio.robot_files.to_scene import new_scene
from snakestudio.session.gait_trial import PATIENT_S
from snakestudio.session.imported_scene import verified, with_stable_step


class RobotImport(NamedTuple):
    """Robot of a file in a new scene."""

    scene: Scene
    """Scene with the robot, its surroundings, and a gait that suits its axes and its friction."""

    notes: tuple[str, ...]
    """What was left out or approximated, and why this gait was chosen; a sentence or two each."""


def import_robot(path: str | os.PathLike[str], *, radius: float | None = None) -> RobotImport:
    """Import the robot of a URDF, xacro, SDF or MJCF file into a new scene.

    If the engine is compiled, short simulations decide between the gaits that suit the robot.

    Raises `RobotFileError` if the file cannot be read, or a scene cannot represent its robot.

    Parameters
    ----------
    path : str or path
        Robot file.
    radius : float, optional
        Radius of links whose file has no geometry, m.
    """
    file = Path(path)
    imported = load_robot(file, radius=radius)
    scene, step_notes = with_stable_step(new_scene(imported, imported.robot.name, file.name), None)
    proposed = verified(imported, scene, budget_s=PATIENT_S)
    return RobotImport(
        scene.model_copy(update={"gait": proposed.proposal.gait}),
        (*imported.notes, *step_notes, *proposed.notes),
    )
