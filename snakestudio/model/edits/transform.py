"""Moving, turning and scaling of obstacles: pure functions for gizmo, keys and scripts.

Rotation and scaling are about a pivot: positions change about it, and each shape follows as far as
its fields allow. Shapes without tilt angles are upright and only turn about the vertical. Values are
rounded to the micrometre and the millionth of a degree, so that a file stays readable after any
number of edits.
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
from snakestudio.model.obstacles.shape import Obstacle, shape_of
from snakestudio.model.obstacles.solids import turned
from snakestudio.model.rotations import rotation
from snakestudio.model.scene import Scene
from snakestudio.model.validation_messages import problem_of


def reference_point(obstacle: Obstacle) -> FloatArray:
    """Reference point (3,), m, for moving, turning and scaling an obstacle.

    The centre of a box, the centre of a cylinder's top, or otherwise the position given by its
    coordinates.
    """
    return np.array(
        [
            obstacle.x_m,
            obstacle.y_m,
            getattr(obstacle, "z_m", 0.0) + shape_of(obstacle).middle(obstacle),
        ]
    )


def own_axes(obstacle: Obstacle) -> FloatArray:
    """Return the axes of the obstacle as the columns of a rotation matrix, (3, 3)."""
    return turned(
        _yaw(obstacle), getattr(obstacle, "pitch_deg", 0.0), getattr(obstacle, "roll_deg", 0.0)
    )


def direction_of(axis: str | ArrayLike) -> FloatArray:
    """Return the unit vector (3,) of "x", "y", "z" or of any vector."""
    if isinstance(axis, str):
        return np.array([float(axis == name) for name in "xyz"])
    vector = np.asarray(axis, float)
    unit: FloatArray = vector / np.linalg.norm(vector)
    return unit


def turned_about(axis: str | ArrayLike, angle: float) -> FloatArray:
    """Return the rotation matrix (3, 3) of an angle (rad) about an axis (Rodrigues 1840)."""
    if isinstance(axis, str) and axis == "z":
        return rotation(angle)
    x, y, z = direction_of(axis)
    across = np.array([(0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)])
    turned: FloatArray = (
        np.eye(3) + math.sin(angle) * across + (1.0 - math.cos(angle)) * across @ across
    )
    return turned


# --- the edits ------------------------------------------------------------------------------------


def move(scene: Scene, indices: Iterable[int], shift: Sequence[float] | FloatArray) -> Scene:
    """Return the scene with some obstacles moved.

    Raises `SceneError` if a new position is out of range, or if an obstacle on the ground would be
    raised.

    Parameters
    ----------
    indices : iterable of int
        Obstacles, 0-based.
    shift : (3,) array
        m.
    """
    dx, dy, dz = (float(value) for value in shift)
    changes: dict[int, dict[str, float]] = {}
    for index in indices:
        o = scene.obstacles[index]
        changes[index] = {"x_m": _length(o.x_m + dx), "y_m": _length(o.y_m + dy)}
        if shape_of(o).raised:
            changes[index]["z_m"] = _length(getattr(o, "z_m", 0.0) + dz)
        elif dz:
            raise _refused(index, o, "raised: it is on the ground", "move it along x and y")
    return _with_changes(scene, changes)


def turn(
    scene: Scene,
    indices: Iterable[int],
    axis: str | ArrayLike,
    angle: float,
    pivot: Sequence[float] | FloatArray,
) -> Scene:
    """Return the scene with some obstacles turned about an axis through a pivot.

    Raises `SceneError` if one of them cannot be tilted, or a new position is out of range.

    Parameters
    ----------
    indices : iterable of int
        Obstacles, 0-based.
    axis : str or (3,) array
        "x", "y" or "z" of the world, or a vector.
    angle : float
        rad, anticlockwise as seen against the axis.
    pivot : (3,) array
        m.
    """
    pivot = np.asarray(pivot, float)
    direction = direction_of(axis)
    upright = abs(direction[2]) > 1.0 - 1e-12
    by = (
        turned_about("z", angle * math.copysign(1.0, direction[2]))
        if upright
        else turned_about(direction, angle)
    )
    degrees = math.degrees(angle) * math.copysign(1.0, direction[2])
    changes: dict[int, dict[str, float]] = {}
    for index in indices:
        o = scene.obstacles[index]
        kind = shape_of(o)
        if not upright and not kind.tilts:
            raise _refused(
                index, o, "tilted: it is always upright", "turn it about the vertical (z)"
            )
        before = reference_point(o)
        after = pivot + by @ (before - pivot)
        values = {"x_m": _length(float(after[0])), "y_m": _length(float(after[1]))}
        if not upright:
            values |= _tilted(o, by @ own_axes(o))
            if kind.raised:
                values["z_m"] = _length(float(after[2]) - kind.middle(o))
        elif kind.turn_key:
            values[kind.turn_key] = _angle(_yaw(o) + degrees)
        changes[index] = values
    return _with_changes(scene, changes)


def scale(
    scene: Scene,
    indices: Iterable[int],
    factors: Sequence[float] | FloatArray,
    pivot: Sequence[float] | FloatArray,
) -> Scene:
    """Return the scene with some obstacles scaled, and moved away from a pivot or towards it.

    Raises `SceneError` if a factor is not positive, or a size or position would be out of range.

    Parameters
    ----------
    indices : iterable of int
        Obstacles, 0-based.
    factors : (3,) array
        Above 0. Sizes scale along an obstacle's own axes, distances from the pivot along those of the
        world. A cylinder stays round: the one of the first two factors that changes it more applies.

    pivot : (3,) array
        m.
    """
    by = np.asarray(factors, float)
    if not np.isfinite(by).all() or (by <= 0.0).any():
        problem = Problem(
            "error", "", "a factor must be greater than 0", "type a factor such as 1.5 or 50%"
        )
        raise SceneError.of([problem])
    pivot = np.asarray(pivot, float)
    changes: dict[int, dict[str, Any]] = {}
    for index in indices:
        o = scene.obstacles[index]
        kind = shape_of(o)
        before = reference_point(o)
        after = pivot + by * (before - pivot)
        sizes = kind.scaled(o, *by.tolist())
        changes[index] = {"x_m": _length(float(after[0])), "y_m": _length(float(after[1])), **sizes}
        if kind.raised:
            changes[index]["z_m"] = _length(
                float(after[2]) - kind.middle(o.model_copy(update=sizes))
            )
    return _with_changes(scene, changes)


# --- parts ----------------------------------------------------------------------------------------


def _tilted(o: Obstacle, turned: FloatArray) -> dict[str, float]:
    """Yaw, pitch and roll of a rotation; of the two equivalent sets, the one closer to the old angles."""
    across = math.hypot(turned[0, 0], turned[1, 0])
    pitch = math.atan2(-turned[2, 0], across)
    if (
        across < 1e-9
    ):  # pointing straight up or down, only the sum or difference of the other two is defined
        yaw = math.atan2(-turned[0, 1], turned[1, 1])
        roll = 0.0
    else:
        yaw, roll = math.atan2(turned[1, 0], turned[0, 0]), math.atan2(turned[2, 1], turned[2, 2])
    names = ("yaw_deg", "pitch_deg", "roll_deg")
    had = [math.radians(getattr(o, name)) for name in names]
    same = (yaw, pitch, roll), (yaw + math.pi, math.pi - pitch, roll + math.pi)
    best = min(
        same,
        key=lambda three: sum(
            abs(math.remainder(a - b, math.tau)) for a, b in zip(three, had, strict=True)
        ),
    )
    return {name: _angle(math.degrees(angle)) for name, angle in zip(names, best, strict=True)}


def _yaw(o: Obstacle) -> float:
    """Return the direction of an obstacle's x axis from above, degrees."""
    return float(getattr(o, shape_of(o).turn_key, 0.0))


def _length(metres: float) -> float:
    return round(metres, 6) + 0.0


def _angle(degrees: float) -> float:
    """Return the angle rounded to the millionth, between -180 and 180; 180 rather than -180."""
    tidy = round(math.remainder(degrees, 360.0), 6) + 0.0
    return 180.0 if tidy == -180.0 else tidy


def _refused(index: int, o: Obstacle, what: str, remedy: str) -> SceneError:
    name = o.name or f"{shape_of(o).title} {index + 1}"
    problem = Problem("error", "", f"{name} cannot be {what}", remedy)
    return SceneError.of([problem])


def _with_changes(scene: Scene, changes: dict[int, dict[str, Any]]) -> Scene:
    """Return the scene with other values in some obstacles; only these are validated."""
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
        raise SceneError.of(problems)
    return scene.model_copy(update={"obstacles": tuple(obstacles)}) if changes else scene
