"""Obstacles and robot as outlines seen from above: for dimensions, for snapping to them, and for the exported plan."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from snakestudio.model.outlines import Outline
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.model.solids import Post
from snakestudio.render.footprints import footprint
from snakestudio.render.instances import FloatArray
from snakestudio.render.obstacles import Body

__all__ = ["body_centre", "body_outlines", "body_rectangle", "robot_outlines"]


@lru_cache(maxsize=1024)
def body_outlines(body: Body) -> tuple[Outline, ...]:
    """Outlines of an obstacle from above, one for each of its solids."""
    # Every step of stairs goes on to the end of the landing: the first one's outline is that of the flight.
    solids = body.solids[:1] if body.obstacle.kind == "stairs" else body.solids
    return tuple(
        Outline(np.array([(solid.x, solid.y)]), solid.radius)
        if isinstance(solid, Post)
        else Outline(footprint(solid), 0.0)
        for solid in solids
    )


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


def robot_outlines(scene: Scene, pose: FloatArray) -> tuple[Outline, ...]:
    """Outlines of the robot's links, or of a continuous body between its cross-sections; unknown ones are left out.

    Parameters
    ----------
    scene : Scene
    pose : (n, 7) array
        As in `Snapshot`.
    """
    known = pose[np.isfinite(pose).all(axis=1)]
    if scene.model.continuum:
        centre, radius = known[:, :2], scene.beam.radius_m
        return tuple(Outline(centre[k : k + 2], radius) for k in range(len(centre) - 1))
    if not len(known):
        return ()
    axis = scene.robot.contact_half_length_m * matrices(known[:, 3:])[:, :2, 0]
    ends = np.stack([known[:, :2] - axis, known[:, :2] + axis], axis=1)
    return tuple(Outline(pair, scene.robot.radius_m) for pair in ends)
