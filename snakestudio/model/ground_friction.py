"""Ground friction of a scene, which can vary with position, link and time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import FormulaError, Problem, SceneError
from snakestudio.inputs import InputError
from snakestudio.model.formula import Formula, read
from snakestudio.model.obstacles.picture import scene_picture
from snakestudio.model.robot.axis_values import link_friction
from snakestudio.model.robot.robot import Robot
from snakestudio.model.robot.strain_bounds import pole
from snakestudio.model.world import Ground, GroundPatch, GroundPicture

if TYPE_CHECKING:
    from snakestudio.model.scene import Scene

LOAD_NAMES = {"X": "m", "t": "s"}
"""Names that `ground.load_factor` can use, with their units."""

FACTOR_NAMES = {"t": "s", "x": "m", "y": "m"}
"""Names that `ground.friction_factor` can use, with their units."""


def load_factor(ground: Ground) -> Formula:
    """Return the factor of the load; negative values count as 0 because the ground cannot pull.

    Raises `FormulaError` if the formula is unusable.
    """
    return read(
        ground.load_factor, "", LOAD_NAMES, elsewhere={"x": "write X, the distance from the head"}
    )


def friction_factor(ground: Ground) -> Formula:
    """Return the factor of all friction coefficients of the ground; negative values count as 0.

    Raises `FormulaError` if the formula is unusable.
    """
    remedy = (
        "use x and y, the position on the ground; only ground.load_factor varies along the body"
    )
    return read(ground.friction_factor, "", FACTOR_NAMES, elsewhere={"X": remedy})


def is_one(text: str) -> bool:
    """Return whether the formula of a factor is the number 1, so that nothing is multiplied.

    This is the most common case, and the library that parses formulas takes long to import.
    """
    try:
        return float(text) == 1.0
    except ValueError:
        return False


def patched_ground(ground: Ground, patch: GroundPatch) -> Ground:
    """Return the ground with the coefficients of a patch."""
    return ground.model_copy(
        update={
            "mu_along": patch.mu_along,
            "mu_backward": patch.mu_backward,
            "mu_across": patch.mu_across,
        }
    )


def ground_friction(ground: Ground) -> tuple[float, float, float]:
    """Return the friction coefficients of the ground itself: sliding head first, sliding tail first, across."""
    backward = ground.mu_along if ground.mu_backward is None else ground.mu_backward
    return ground.mu_along, backward, ground.mu_across


def axial_friction(robot: Robot, ground: Ground) -> FloatArray:
    """Return the friction coefficients of each link on the ground and on each patch, (1 + p, n, 3).

    The last axis holds the coefficient for a force along the link's axis (towards the next link),
    against it, and across. A force along the axis resists sliding against it, which is head first if
    the first link is the head. Coefficients of a link itself apply on every patch.
    """
    grounds = [ground, *(patched_ground(ground, patch) for patch in ground.patch)]
    table = np.array([link_friction(robot, one) for one in grounds])
    return table if robot.head == "first" else np.ascontiguousarray(table[:, :, [1, 0, 2]])


def link_positions(robot: Robot) -> FloatArray:
    """Return the positions X of the middles of all links along the straight robot, from the head, (n,), m."""
    length = np.array([link.length for link in robot.links])
    middle: FloatArray = np.cumsum(length) - 0.5 * length
    return middle if robot.head == "first" else length.sum() - middle


def picture_values(ground: Ground, base_dir: Path | None = None) -> FloatArray:
    """Grey values from 0 to 1 of the friction image, (ny, nx), first row at the bottom; (0, 0) without an image.

    The array is shared: do not write to it.

    Raises `SceneError` if the image file is unusable.
    """
    if not ground.picture:
        return np.zeros((0, 0))
    try:
        return scene_picture(ground.picture.file, base_dir)
    except InputError as error:
        problem = error.problem("ground.picture.file")
        raise SceneError.of([problem]) from None


def _picture_problems(ground: Ground, base_dir: Path | None) -> list[Problem]:
    if not ground.picture and ground.picture != GroundPicture():
        remedy = "choose a grey-scale image, or remove the table"
        return [Problem("error", "ground.picture.file", "no image is chosen", remedy)]
    try:
        picture_values(ground, base_dir)
    except SceneError as error:
        return list(error.problems)
    return []


def ground_friction_problems(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Return the unusable formulas and images of the ground's friction, and patches without an area.

    File names in the scene are relative to `base_dir`.
    """
    ground = scene.ground
    duration = scene.run.duration_s
    problems = []
    for name, reader in (("load_factor", load_factor), ("friction_factor", friction_factor)):
        key = f"ground.{name}"
        if is_one(getattr(ground, name)):
            continue
        try:
            formula = reader(ground)
        except FormulaError as error:
            problems.append(error.problem(key))
            continue
        if name == "load_factor":
            body = scene.body
            cases = {
                "X": np.array(body.abscissas) if body.abscissas else link_positions(scene.robot)
            }
        elif formula.uses <= {"t"}:
            cases = {"x": np.zeros(1), "y": np.zeros(1)}
        else:
            continue  # the positions are known only during the run
        where = pole(formula, cases, duration)
        if where is not None:
            case, time = where
            location = f"{scene.body.part_noun} {case + 1} at " if name == "load_factor" else ""
            message = f"it is not finite for {location}t = {time:.4g} s"
            problems.append(
                Problem(
                    "error", key, message, "avoid divisions by zero, and roots of negative numbers"
                )
            )
    for number, patch in enumerate(ground.patch, start=1):
        if abs(_area(np.array(patch.points_m))) <= 1e-12:
            message = "its corners enclose no area"
            problems.append(
                Problem(
                    "error",
                    f"ground.patch[{number}].points_m",
                    message,
                    "move a corner off the line of the others",
                )
            )
    return problems + _picture_problems(ground, base_dir)


def _area(points: FloatArray) -> float:
    x, y = points.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
