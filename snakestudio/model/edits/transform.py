"""Moving, turning and scaling obstacles: pure functions that gizmo, keys and scripts share.

Everything turns and scales about a pivot: places go around it, and each kind follows with what it has. Only boxes tilt;
everything else stands upright and turns about the vertical. Values are rounded to the micrometre and the millionth of a
degree, so that a file stays readable however often something was turned.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ValidationError

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem, SceneError
from snakestudio.model.rotations import rotation
from snakestudio.model.scene import Scene
from snakestudio.model.validation_messages import problem_of
from snakestudio.model.world import Box, Cylinder, HeightField, Obstacle, Ramp, Rubble, Stairs

__all__ = [
    "TILTING",
    "direction_of",
    "in_space",
    "move",
    "own_axes",
    "reference_point",
    "scale",
    "turn",
    "turned_about",
]


TILTING = (Box,)
"""Kinds that can be turned about any axis; all others about the vertical only."""

_RAISED = (Box, HeightField)
"""Kinds that have a height of their own; all others stand on the ground."""


def in_space(obstacle: Obstacle) -> bool:
    """Whether it can be raised: a box or a height field; everything else stands on the ground."""
    return isinstance(obstacle, _RAISED)


def reference_point(obstacle: Obstacle) -> FloatArray:
    """The point (3,), m, that an obstacle is moved, turned and scaled by.

    A box's middle, the middle of a cylinder's lid, for everything else the place its coordinates name.
    """
    if isinstance(obstacle, Box):
        return np.array([obstacle.x_m, obstacle.y_m, obstacle.z_m + 0.5 * obstacle.height_m])
    height = {"cylinder": "height_m", "height_field": "z_m"}.get(obstacle.kind)
    return np.array([obstacle.x_m, obstacle.y_m, getattr(obstacle, height) if height else 0.0])


def own_axes(obstacle: Obstacle) -> FloatArray:
    """Its own axes as the columns of a rotation, (3, 3)."""
    if isinstance(obstacle, Box):
        return rotation(*(math.radians(a) for a in (obstacle.yaw_deg, obstacle.pitch_deg, obstacle.roll_deg)))
    return rotation(math.radians(_yaw(obstacle)))


def direction_of(axis: str | ArrayLike) -> FloatArray:
    """Unit vector (3,) of "x", "y", "z" or of any vector."""
    if isinstance(axis, str):
        return np.array([float(axis == name) for name in "xyz"])
    vector = np.asarray(axis, float)
    unit: FloatArray = vector / np.linalg.norm(vector)
    return unit


def turned_about(axis: str | ArrayLike, angle: float) -> FloatArray:
    """The rotation (3, 3) by an angle (rad) about an axis (Rodrigues 1840)."""
    if isinstance(axis, str) and axis == "z":
        return rotation(angle)
    x, y, z = direction_of(axis)
    across = np.array([(0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)])
    turned: FloatArray = np.eye(3) + math.sin(angle) * across + (1.0 - math.cos(angle)) * across @ across
    return turned


# --- the edits --------------------------------------------------------------------------------------------------------


def move(scene: Scene, indices: Iterable[int], shift: Sequence[float] | FloatArray) -> Scene:
    """The scene with some obstacles moved.

    Parameters
    ----------
    scene : Scene
    indices : iterable of int
        Obstacles, 0-based.
    shift : (3,) array
        m.

    Raises
    ------
    SceneError
        If one of them would be farther away than it may be, or is raised but stands on the ground.
    """
    dx, dy, dz = (float(value) for value in shift)
    changes: dict[int, dict[str, float]] = {}
    for index in indices:
        o = scene.obstacles[index]
        changes[index] = {"x_m": _length(o.x_m + dx), "y_m": _length(o.y_m + dy)}
        if isinstance(o, _RAISED):
            changes[index]["z_m"] = _length(o.z_m + dz)
        elif dz:
            raise _refused(index, o, "raised: it stands on the ground", "move it along x and y")
    return _with_changes(scene, changes)


def turn(
    scene: Scene, indices: Iterable[int], axis: str | ArrayLike, angle: float, pivot: Sequence[float] | FloatArray
) -> Scene:
    """The scene with some obstacles turned about an axis through a pivot.

    Parameters
    ----------
    scene : Scene
    indices : iterable of int
        Obstacles, 0-based.
    axis : str or (3,) array
        "x", "y" or "z" of the world, or a vector.
    angle : float
        rad, anticlockwise seen against the axis.
    pivot : (3,) array
        m.

    Raises
    ------
    SceneError
        If one of them cannot be tilted, or would be farther away than it may be.
    """
    pivot, direction = np.asarray(pivot, float), direction_of(axis)
    upright = abs(direction[2]) > 1.0 - 1e-12
    by = turned_about("z", angle * math.copysign(1.0, direction[2])) if upright else turned_about(direction, angle)
    degrees = math.degrees(angle) * math.copysign(1.0, direction[2])
    changes: dict[int, dict[str, float]] = {}
    for index in indices:
        o = scene.obstacles[index]
        if not upright and not isinstance(o, TILTING):
            raise _refused(index, o, "tilted: it stands upright", "turn it about the vertical (z)")
        before = reference_point(o)
        after = pivot + by @ (before - pivot)
        values = {"x_m": _length(float(after[0])), "y_m": _length(float(after[1]))}
        if isinstance(o, Box) and not upright:
            values["z_m"] = _length(float(after[2]) - 0.5 * o.height_m)
            values |= _box_angles(o, by @ own_axes(o))
        elif not isinstance(o, Cylinder):
            name = "heading_deg" if isinstance(o, Stairs | Ramp) else "yaw_deg"
            values[name] = _angle(_yaw(o) + degrees)
        changes[index] = values
    return _with_changes(scene, changes)


def scale(
    scene: Scene, indices: Iterable[int], factors: Sequence[float] | FloatArray, pivot: Sequence[float] | FloatArray
) -> Scene:
    """The scene with some obstacles made larger or smaller, and moved away from a pivot or towards it.

    Parameters
    ----------
    scene : Scene
    indices : iterable of int
        Obstacles, 0-based.
    factors : (3,) array
        Above 0. Sizes grow along an obstacle's own axes, distances from the pivot along those of the world. A cylinder
        stays round: of the first two factors it takes the one that changes it more.
    pivot : (3,) array
        m.

    Raises
    ------
    SceneError
        If a factor is not positive, or a size or place would be out of range.
    """
    by = np.asarray(factors, float)
    if not np.isfinite(by).all() or (by <= 0.0).any():
        problem = Problem("error", "", "a factor must be greater than 0", "give one such as 1.5 or 50%")
        raise SceneError(problem.sentence(), [problem])
    pivot = np.asarray(pivot, float)
    changes: dict[int, dict[str, float]] = {}
    for index in indices:
        o = scene.obstacles[index]
        before = reference_point(o)
        after = pivot + by * (before - pivot)
        values = {"x_m": _length(float(after[0])), "y_m": _length(float(after[1]))} | _sizes(o, by)
        if isinstance(o, Box):
            values["z_m"] = _length(float(after[2]) - 0.5 * values.get("height_m", o.height_m))
        elif isinstance(o, HeightField):
            values["z_m"] = _length(float(after[2]))
        changes[index] = values
    scaled = _with_changes(scene, changes)
    return _with_scaled_tables(scaled, changes, float(by[2]))


# --- parts ------------------------------------------------------------------------------------------------------------


def _sizes(o: Obstacle, by: FloatArray) -> dict[str, float]:
    """The sizes that change, under their names, scaled along the obstacle's own axes."""
    x, y, z = (float(factor) for factor in by)
    if isinstance(o, Cylinder):
        factors = {"radius_m": max(x, y, key=lambda factor: abs(math.log(factor))), "height_m": z}
    elif isinstance(o, Stairs):
        factors = {"run_m": x, "landing_m": x, "width_m": y, "rise_m": z}
    elif isinstance(o, Ramp):
        factors = {"length_m": x, "landing_m": x, "width_m": y, "rise_m": z}
    elif isinstance(o, HeightField):
        factors = {"length_m": x, "width_m": y, "relief_m": z if o.picture is not None else 1.0}
    elif isinstance(o, Rubble):
        blocks = math.sqrt(x * y)
        factors = {"length_m": x, "width_m": y, "smallest_m": blocks, "largest_m": blocks, "height_m": z}
    else:
        factors = {"length_m": x, "width_m": y, "height_m": z}
    return {name: float(f"{getattr(o, name) * by:.7g}") for name, by in factors.items() if by != 1.0}


def _with_scaled_tables(scene: Scene, chosen: Iterable[int], by: float) -> Scene:
    """The scene with the heights of height fields scaled that are given as a table."""
    changes: dict[int, dict[str, Any]] = {}
    for index in chosen:
        o = scene.obstacles[index]
        if by != 1.0 and isinstance(o, HeightField) and o.heights_m is not None:
            rows = tuple(tuple(float(f"{height * by:.7g}") for height in row) for row in o.heights_m)
            changes[index] = {"heights_m": rows}
    return _with_changes(scene, changes)


def _box_angles(o: Box, turned: FloatArray) -> dict[str, float]:
    """Yaw, pitch and roll of a rotation; of the two sets that mean the same, the one nearer to what the box had."""
    across = math.hypot(turned[0, 0], turned[1, 0])
    pitch = math.atan2(-turned[2, 0], across)
    if across < 1e-9:  # pointing straight up or down only the sum or difference of the other two is known
        yaw, roll = math.atan2(-turned[0, 1], turned[1, 1]), 0.0
    else:
        yaw, roll = math.atan2(turned[1, 0], turned[0, 0]), math.atan2(turned[2, 1], turned[2, 2])
    had = [math.radians(angle) for angle in (o.yaw_deg, o.pitch_deg, o.roll_deg)]
    same = (yaw, pitch, roll), (yaw + math.pi, math.pi - pitch, roll + math.pi)
    best = min(
        same, key=lambda three: sum(abs(math.remainder(a - b, math.tau)) for a, b in zip(three, had, strict=True))
    )
    names = ("yaw_deg", "pitch_deg", "roll_deg")
    return {name: _angle(math.degrees(angle)) for name, angle in zip(names, best, strict=True)}


def _yaw(o: Obstacle) -> float:
    """Direction of an obstacle's own x axis from above, degrees."""
    if isinstance(o, Stairs | Ramp):
        return o.heading_deg
    return 0.0 if isinstance(o, Cylinder) else o.yaw_deg


def _length(metres: float) -> float:
    return round(metres, 6) + 0.0


def _angle(degrees: float) -> float:
    """To the millionth, between -180 and 180; 180 rather than -180."""
    tidy = round(math.remainder(degrees, 360.0), 6) + 0.0
    return 180.0 if tidy == -180.0 else tidy


def _refused(index: int, o: Obstacle, what: str, remedy: str) -> SceneError:
    name = o.name or f"{o.kind.replace('_', ' ').capitalize()} {index + 1}"
    problem = Problem("error", "", f"{name} cannot be {what}", remedy)
    return SceneError(problem.sentence(), [problem])


def _with_changes(scene: Scene, changes: dict[int, dict[str, Any]]) -> Scene:
    """The scene with other values in some obstacles; only these are looked at."""
    obstacles = list(scene.obstacles)
    problems: list[Problem] = []
    for index, values in changes.items():
        o = obstacles[index]
        try:
            obstacles[index] = type(o).model_validate({**dict(o), **values})
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                detail["loc"] = ("obstacles", index, o.kind, *detail["loc"])
                problems.append(problem_of(detail))
    if problems:
        raise SceneError("\n".join(problem.sentence() for problem in problems), problems)
    return scene.model_copy(update={"obstacles": tuple(obstacles)}) if changes else scene
