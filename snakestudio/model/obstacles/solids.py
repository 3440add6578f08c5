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
