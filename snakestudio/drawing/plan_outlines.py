"""Obstacles as outlines seen from above: for dimensions, for snapping to them, and for the exported plan."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.obstacles import Body
from snakestudio.model.obstacles.footprints import solid_outline
from snakestudio.model.obstacles.outlines import Outline

__all__ = ["body_centre", "body_outlines", "body_rectangle"]


@lru_cache(maxsize=1024)
def body_outlines(body: Body) -> tuple[Outline, ...]:
    """Outlines of an obstacle from above, one for each of its solids."""
    # Every step of stairs goes on to the end of the landing: the first one's outline is that of the flight.
    solids = body.solids[:1] if body.obstacle.kind == "stairs" else body.solids
    return tuple(solid_outline(solid) for solid in solids)


@lru_cache(maxsize=1024)
def body_rectangle(body: Body) -> FloatArray:
    """Corners (4, 2), m, anticlockwise, of the rectangle around an obstacle that is turned as the obstacle is."""
    obstacle = body.obstacle
    angle = math.radians(getattr(obstacle, "yaw_deg", getattr(obstacle, "heading_deg", 0.0)))
    along = np.array([math.cos(angle), math.sin(angle)])
    axes = np.array([along, (-along[1], along[0])])
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    for outline in body_outlines(body):
        local = outline.points @ axes.T
        low, high = (
            np.minimum(low, local.min(axis=0) - outline.radius),
            np.maximum(high, local.max(axis=0) + outline.radius),
        )
    corners = np.array([(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])])
    rectangle: FloatArray = corners @ axes
    return rectangle


def body_centre(body: Body) -> FloatArray:
    """Middle (2,), m, of an obstacle seen from above."""
    centre: FloatArray = body_rectangle(body).mean(axis=0)
    return centre
