"""The bodies obstacles are made of, in SI and the world frame: engines collide with them, the viewport draws them."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem, SceneError
from snakestudio.inputs import InputError
from snakestudio.model.by_identity import by_identity
from snakestudio.model.obstacles.picture import REMEDY, grey_values
from snakestudio.model.rotations import rotation
from snakestudio.model.world import Box, Cylinder, HeightField, Obstacle, Ramp, Rubble, Stairs

__all__ = ["Block", "Post", "Prism", "Relief", "Solid", "obstacle_solids"]


class Post(NamedTuple):
    """An upright cylinder from height `low` to `high`, m."""

    x: float
    y: float
    radius: float
    low: float
    high: float


class Block(NamedTuple):
    """A box: centre (3,), m, rotation (3, 3) whose columns are its axes in the world, half sizes (3,), m."""

    centre: FloatArray
    rotation: FloatArray
    half: FloatArray


class Prism(NamedTuple):
    """A convex profile in the x-z plane of its own frame, extruded to either side along its y axis.

    `origin` (3,), m; `rotation` (3, 3), columns are its axes in the world; `profile` (m, 2), x and z of its corners, m,
    anticlockwise seen from -y (that is, with x to the right and z up); `half_width`, m.
    """

    origin: FloatArray
    rotation: FloatArray
    profile: FloatArray
    half_width: float


class Relief(NamedTuple):
    """A height field.

    `origin` (3,) of grid point [0, 0], m; direction `yaw` of its x axis, rad; spacing `dx`, `dy`, m; `heights` (ny, nx)
    above `origin`, m. A cell is split along the diagonal from [j, i] to [j + 1, i + 1].
    """

    origin: FloatArray
    yaw: float
    dx: float
    dy: float
    heights: FloatArray

    def surface(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Height above the origin at points of its own frame, m; -inf beyond its rim."""
        ny, nx = self.heights.shape
        u, v = x / self.dx, y / self.dy
        i, j = np.floor(u).clip(0, nx - 2).astype(int), np.floor(v).clip(0, ny - 2).astype(int)
        s, t = u - i, v - j
        h = self.heights
        h00, h10, h01, h11 = h[j, i], h[j, i + 1], h[j + 1, i], h[j + 1, i + 1]
        # The diagonal from [j, i] to [j + 1, i + 1] parts the cell.
        height = np.where(s >= t, h00 + s * (h10 - h00) + t * (h11 - h10), h00 + t * (h01 - h00) + s * (h11 - h01))
        return np.where((u >= 0) & (u <= nx - 1) & (v >= 0) & (v <= ny - 1), height, -np.inf)


Solid = Post | Block | Prism | Relief


def _rotation(yaw: float, pitch: float = 0.0, roll: float = 0.0) -> FloatArray:
    """R_z(yaw) R_y(pitch) R_x(roll), angles in degrees."""
    return rotation(math.radians(yaw), math.radians(pitch), math.radians(roll))


def _stairs(o: Stairs) -> list[Solid]:
    """One block a step; each goes on to the end of the landing, so that no edge lies hidden in a tread."""
    rotation = _rotation(o.heading_deg)
    end = (o.steps - 1) * o.run_m + o.landing_m
    blocks: list[Solid] = []
    for step in range(o.steps):
        begin, height = step * o.run_m, (step + 1) * o.rise_m
        half = np.array([0.5 * (end - begin), 0.5 * o.width_m, 0.5 * height])
        centre = np.array([o.x_m, o.y_m, 0.0]) + rotation @ np.array([0.5 * (begin + end), 0.0, half[2]])
        blocks.append(Block(centre, rotation, half))
    return blocks


def _rubble(o: Rubble) -> list[Solid]:
    """Random blocks, each sunk in the ground so far that it reaches a random height."""
    random = np.random.default_rng(o.seed)
    low, high = min(o.smallest_m, o.largest_m), max(o.smallest_m, o.largest_m)
    field = _rotation(o.yaw_deg)
    blocks: list[Solid] = []
    for _ in range(o.blocks):
        x, y = random.uniform(-0.5, 0.5, 2) * (o.length_m, o.width_m)
        length, width = random.uniform(low, high, 2)
        reach = random.uniform(0.2, 1.0) * o.height_m
        yaw = random.uniform(0.0, 360.0)
        pitch, roll = random.uniform(-1.0, 1.0, 2) * o.tilt_deg
        rotation = field @ _rotation(yaw, pitch, roll)
        half = 0.5 * np.array([length, width, 2.0 * o.height_m])
        top = float(np.abs(rotation[2]) @ half)
        centre = np.array([o.x_m, o.y_m, 0.0]) + field @ np.array([x, y, 0.0])
        centre[2] = reach - top
        blocks.append(Block(centre, rotation, half))
    return blocks


@lru_cache(maxsize=4)
def _picture(path: Path, stamp: int) -> FloatArray:
    """Grey values 0 to 1 of a picture, first row at the bottom; `stamp` (of the file) makes a changed file be read."""
    return grey_values(path)


def _heights(o: HeightField, base_dir: Path | None) -> FloatArray:
    """Heights of the grid points above `z_m`, (ny, nx), m.

    Raises
    ------
    SceneError
        If there is no usable table or picture.
    """

    def error(key: str, message: str, remedy: str) -> SceneError:
        problem = Problem("error", key, message, remedy)
        return SceneError(problem.sentence(), [problem])

    if o.heights_m is not None and o.picture is not None:
        raise error("picture", "a height field has both heights_m and picture", "leave one of them out")
    if o.heights_m is not None:
        rows = o.heights_m
        if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
            raise error(
                "heights_m", "the rows are not a table", "give at least 2 rows of at least 2 heights, all as long"
            )
        table = np.array(rows, dtype=np.float64)
        if not np.isfinite(table).all():
            j, i = np.argwhere(~np.isfinite(table))[0]
            raise error(
                "heights_m", f"row {j + 1}, column {i + 1} holds no number (a hole)", "give a height for every point"
            )
        return table
    if o.picture is None:
        raise error("heights_m", "a height field needs heights", "give a table heights_m or the name of a picture")
    path = Path(o.picture)
    if not path.is_absolute() and base_dir is not None:
        path = base_dir / path
    try:
        grey = _picture(path, path.stat().st_mtime_ns)
    except InputError as reason:
        raise error("picture", f"'{path}' cannot be used ({reason.message})", reason.remedy) from None
    except (OSError, ValueError) as reason:
        why = getattr(reason, "strerror", None) or "this is not a path"
        raise error("picture", f"'{path}' cannot be used ({why})", REMEDY) from None
    return grey * o.relief_m


def obstacle_solids(obstacle: Obstacle, base_dir: Path | None = None) -> list[Solid]:
    """The bodies of one obstacle.

    Parameters
    ----------
    obstacle : Obstacle
    base_dir : Path or None
        Folder that file names in the scene are relative to.

    Raises
    ------
    SceneError
        If the table or the picture of a height field cannot be used.
    """
    if not isinstance(obstacle, HeightField):
        return list(_solids(obstacle))
    o = obstacle
    heights = _heights(o, base_dir)
    ny, nx = heights.shape
    turn = _rotation(o.yaw_deg)
    origin = np.array([o.x_m, o.y_m, o.z_m]) - turn @ np.array([0.5 * o.length_m, 0.5 * o.width_m, 0.0])
    return [Relief(origin, math.radians(o.yaw_deg), o.length_m / (nx - 1), o.width_m / (ny - 1), heights)]


@by_identity
def _solids(o: Cylinder | Box | Stairs | Ramp | Rubble) -> tuple[Solid, ...]:
    """The bodies of an obstacle that says everything itself; kept, so nothing of them may be written to."""
    solids = tuple(_made(o))
    for solid in solids:
        for part in solid:
            if isinstance(part, np.ndarray):
                part.setflags(write=False)
    return solids


def _made(o: Cylinder | Box | Stairs | Ramp | Rubble) -> list[Solid]:
    if isinstance(o, Cylinder):
        return [Post(o.x_m, o.y_m, o.radius_m, 0.0, o.height_m)]
    if isinstance(o, Box):
        half = 0.5 * np.array([o.length_m, o.width_m, o.height_m])
        return [Block(np.array([o.x_m, o.y_m, o.z_m + half[2]]), _rotation(o.yaw_deg, o.pitch_deg, o.roll_deg), half)]
    if isinstance(o, Stairs):
        return _stairs(o)
    if isinstance(o, Rubble):
        return _rubble(o)
    corners = [(0.0, 0.0), (o.length_m + o.landing_m, 0.0), (o.length_m + o.landing_m, o.rise_m)]
    if o.landing_m > 0.0:
        corners.append((o.length_m, o.rise_m))
    origin = np.array([o.x_m, o.y_m, 0.0])
    return [Prism(origin, _rotation(o.heading_deg), np.array(corners), 0.5 * o.width_m)]
