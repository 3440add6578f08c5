"""Solids of obstacles, in SI and the world frame: engines collide with them, the viewport draws them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.rotations import rotation


class Post(NamedTuple):
    """Upright cylinder from height `low` to `high`, m."""

    x: float
    y: float
    radius: float
    low: float
    high: float


class Block(NamedTuple):
    """Box: centre (3,), m, rotation (3, 3) whose columns are its axes in the world, half sizes (3,), m."""

    centre: FloatArray
    rotation: FloatArray
    half: FloatArray


class Prism(NamedTuple):
    """Convex profile in the x-z plane of the prism's frame, extruded to either side along its y axis.

    `origin` (3,), m; `rotation` (3, 3), columns are its axes in the world; `profile` (m, 2), x and
    z of its corners, m, anticlockwise seen from -y (that is, with x to the right and z up);
    `half_width`, m.
    """

    origin: FloatArray
    rotation: FloatArray
    profile: FloatArray
    half_width: float


class Relief(NamedTuple):
    """Height field.

    `origin` (3,) of grid point [0, 0], m; direction `yaw` of its x axis, rad; spacing `dx`, `dy`,
    m; `heights` (ny, nx) above `origin`, m. A cell is split along the diagonal from [j, i] to [j +
    1, i + 1].
    """

    origin: FloatArray
    yaw: float
    dx: float
    dy: float
    heights: FloatArray

    def surface(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Height above the origin at points in its own frame, m; -inf outside."""
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
    """Rotation matrix R_z(yaw) R_y(pitch) R_x(roll), (3, 3), angles in degrees."""
    return rotation(math.radians(yaw), math.radians(pitch), math.radians(roll))
