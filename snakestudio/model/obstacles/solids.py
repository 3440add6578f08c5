"""Solids of obstacles, in SI and the world frame: engines collide with them, the viewport draws them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from snakestudio._arrays import FloatArray
from snakestudio.errors import MistakeError
from snakestudio.model.rotations import rotation


class Post(NamedTuple):
    """Upright cylinder from height `low` to `high`, m."""

    x: float
    """Position of the axis along x, m."""

    y: float
    """Position of the axis along y, m."""

    radius: float
    """Radius, m."""

    low: float
    """Height of the lower end, m."""

    high: float
    """Height of the upper end, m."""


class Block(NamedTuple):
    """Box: centre (3,), m, rotation (3, 3) whose columns are its axes in the world, half sizes (3,), m."""

    centre: FloatArray
    """Centre, m. Shape (3,)."""

    rotation: FloatArray
    """Rotation matrix, whose columns are the axes of the box in the world. Shape (3, 3)."""

    half: FloatArray
    """Half sizes along the axes of the box, m. Shape (3,)."""


class Prism(NamedTuple):
    """Convex profile in the x-z plane of the prism's frame, extruded to either side along its y axis."""

    origin: FloatArray
    """Origin of the prism's frame, m. Shape (3,)."""

    rotation: FloatArray
    """Rotation matrix, whose columns are the axes of the prism's frame in the world. Shape (3, 3)."""

    profile: FloatArray
    """Corners, x and z in the prism's frame, m, anticlockwise seen from -y (that is, with x to the right and z
    up). Shape (m, 2)."""

    half_width: float
    """Half the length along the y axis of the prism's frame, m."""

    @classmethod
    def upright(cls, corners: ArrayLike, low: float, high: float) -> Prism:
        """Return the wall or pillar with a convex outline, from height `low` to `high`, m.

        Raises `MistakeError` if the corners are not those of a convex polygon.

        Parameters
        ----------
        corners : (m, 2) array
            x and y of the corners in the world, m, in either direction around the outline.
        """
        outline = np.array(corners, np.float64)
        if outline.ndim != 2 or outline.shape[1] != 2 or len(outline) < 3:
            form = " x ".join(map(str, outline.shape))
            raise MistakeError(
                f"the corners of an upright prism have the shape {form}",
                "give m x 2 numbers, m >= 3",
            )
        sides = np.roll(outline, -1, axis=0) - outline
        nexts = np.roll(sides, -1, axis=0)
        turns = sides[:, 0] * nexts[:, 1] - sides[:, 1] * nexts[:, 0]
        angles = np.arctan2(turns, np.einsum("ka,ka->k", sides, nexts))
        if (turns.min() < 0.0 < turns.max()) or not np.isclose(abs(angles.sum()), 2.0 * math.pi):
            raise MistakeError(
                "the outline of an upright prism is not convex", "build the shape of several prisms"
            )
        if turns.min() < 0.0:
            outline = outline[::-1].copy()
        middle = np.array([0.0, 0.0, 0.5 * (low + high)])
        return cls(middle, _UPRIGHT.copy(), outline, 0.5 * (high - low))


_UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""Rotation matrix of an upright prism: its y axis points down, so that x and z are those of a map."""


class Relief(NamedTuple):
    """Height field.

    A cell is split along the diagonal from [j, i] to [j + 1, i + 1].
    """

    origin: FloatArray
    """Position of the grid point [0, 0], m. Shape (3,)."""

    yaw: float
    """Direction of the grid's x axis, rad."""

    dx: float
    """Spacing of the grid along its x axis, m."""

    dy: float
    """Spacing of the grid along its y axis, m."""

    heights: FloatArray
    """Heights of the grid points above `origin`, m. Shape (ny, nx)."""

    def surface(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the height above the origin at points in its own frame, m; -inf outside."""
        ny, nx = self.heights.shape
        u, v = x / self.dx, y / self.dy
        i, j = np.floor(u).clip(0, nx - 2).astype(int), np.floor(v).clip(0, ny - 2).astype(int)
        s, t = u - i, v - j
        h = self.heights
        h00 = h[j, i]
        h10 = h[j, i + 1]
        h01 = h[j + 1, i]
        h11 = h[j + 1, i + 1]
        # The diagonal from [j, i] to [j + 1, i + 1] splits the cell.
        height = np.where(
            s >= t, h00 + s * (h10 - h00) + t * (h11 - h10), h00 + t * (h01 - h00) + s * (h11 - h01)
        )
        return np.where((u >= 0) & (u <= nx - 1) & (v >= 0) & (v <= ny - 1), height, -np.inf)


Solid = Post | Block | Prism | Relief


def turned(yaw: float, pitch: float = 0.0, roll: float = 0.0) -> FloatArray:
    """Return the rotation matrix R_z(yaw) R_y(pitch) R_x(roll), (3, 3), angles in degrees."""
    return rotation(math.radians(yaw), math.radians(pitch), math.radians(roll))
