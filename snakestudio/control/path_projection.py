"""Line-of-sight guidance: the heading that leads onto a path. Pure geometry, for anything with a heading.

The law is T. I. Fossen's (Handbook of Marine Craft Hydrodynamics and Motion Control, Wiley, 2011,
10.3): head for the point on the tangent that is the look-ahead distance ahead of the nearest point
of the path. P. Liljebäck, I. U. Haugstuen and K. Y. Pettersen (Path following control of planar
snake robots using a cascaded approach, IEEE Transactions on Control Systems Technology 20, 2012)
show for snake robots and straight lines that it converges. The integral is that of E. Børhaug, A.
Pavlov and K. Y. Pettersen (Integral LOS control for path following of underactuated marine surface
vessels in the presence of constant ocean currents, IEEE CDC, 2008).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.track import Track


class PathProjection(NamedTuple):
    """Projection of a point onto a path."""

    along: float
    """Arc length of the nearest point of the path, m."""

    cross: float
    """Distance to the left of the path, m."""

    point: FloatArray
    """Nearest point of the path, m. Shape (2,)."""

    direction: float
    """Direction of the path there, rad in (-pi, pi]."""

    curvature: float = 0.0
    """Curvature of the path there, 1/m, positive to the left."""

    def ahead(self, distance: float) -> FloatArray:
        """Return the point on the tangent `distance` (m) ahead of the nearest point, (2,), m."""
        return np.array(self.ahead_xy(distance))

    def ahead_xy(self, distance: float) -> tuple[float, float]:
        """Return the coordinates of `ahead`, m."""
        x, y = self.point.tolist()
        return x + distance * math.cos(self.direction), y + distance * math.sin(self.direction)


def projected(
    track: Track, point: FloatArray, before: float | None, reach: float
) -> PathProjection:
    """Project `point` ((2,), m) onto a path.

    Parameters
    ----------
    point : (2,) array
        m.
    before : float or None
        Arc length of the previous projection, m: the search is limited to its neighbourhood, so that a
        path that crosses itself is followed to its end. None searches the whole path.
    reach : float
        Half-width of the search, m.
    """
    if before is None:
        before = track.nearest(point)
    along, (x, y, direction, curvature) = track.nearest_course(point, before, reach)
    px, py = point.tolist()
    cross = math.cos(direction) * (py - y) - math.sin(direction) * (px - x)
    return PathProjection(along, cross, np.array([x, y]), direction, curvature)


def heading_to(sight: PathProjection, look_ahead: float, shift: float = 0.0) -> float:
    """Return the heading that leads onto the path, rad, not wrapped.

    Parameters
    ----------
    look_ahead : float
        m.
    shift : float
        Contribution of the integral to the distance from the path, m.
    """
    return sight.direction - math.atan2(sight.cross + shift, look_ahead)


def integral_rate(cross: float, look_ahead: float, shift: float) -> float:
    """Return the rate of the integral, dimensionless; multiplied by the integral gain it is the rate of `shift`.

    It approaches 0 far from the path, which prevents wind-up on a long approach.
    """
    return look_ahead * cross / ((cross + shift) ** 2 + look_ahead**2)
