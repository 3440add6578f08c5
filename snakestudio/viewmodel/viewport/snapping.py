"""Points of a plan that a cursor nearby means: centres, corners and edges of obstacles, links and joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.bodies import body_centre, body_outlines
from snakestudio.drawing.obstacles import Obstacles
from snakestudio.model.edits.bending import joint_points
from snakestudio.model.obstacles.outlines import nearest_point
from snakestudio.model.scene import Scene

__all__ = ["Snap", "snapped"]


class Snap(NamedTuple):
    """A point of the plan.

    Attributes
    ----------
    point : (2,) array
        m.
    kind : str
        "centre", "corner" or "edge"; "" for a place of the ground where nothing is.
    """

    point: FloatArray
    kind: str = ""


def snapped(scene: Scene, world: Obstacles, pose: FloatArray | None, point: FloatArray, reach: float) -> Snap:
    """What a point (2,), m, means: a centre or a corner that is nearer than `reach` (m), else an edge, else itself.

    Hidden obstacles mean nothing.

    Parameters
    ----------
    scene : Scene
    world : Obstacles
        Of that scene.
    pose : (n, 7) array or None
        Where the robot is.
    point : (2,) array
    reach : float
    """
    inside = (world.low[:, :2] - reach <= point).all(axis=1) & (point <= world.high[:, :2] + reach).all(axis=1)
    near = [world.bodies[i] for i in np.flatnonzero(inside) if not scene.obstacles[i].hidden]
    outlines = [outline for body in near for outline in body_outlines(body)]
    middles = [body_centre(body) for body in near]
    if pose is not None:
        outlines += [
            one
            for one in scene.body.outlines(pose)
            if (one.low - reach <= point).all() and (point <= one.high + reach).all()
        ]
        if scene.body.jointed:
            middles += [*joint_points(pose, scene.robot)[:, :2], *pose[:, :2]]
    corners = [corner for outline in outlines if outline.radius == 0.0 for corner in outline.points]
    for kind, points in (("centre", middles), ("corner", corners)):
        found = _nearest(np.array(points).reshape(-1, 2), point, reach)
        if found is not None:
            return Snap(found, kind)
    edges = np.array([nearest_point(outline, point) for outline in outlines]).reshape(-1, 2)
    found = _nearest(edges, point, 0.8 * reach)
    return Snap(point) if found is None else Snap(found, "edge")


def _nearest(points: FloatArray, point: FloatArray, reach: float) -> FloatArray | None:
    if not len(points):
        return None
    away = np.linalg.norm(points - point, axis=1)
    away[np.isnan(away)] = np.inf
    k = int(np.argmin(away))
    return points[k] if away[k] <= reach else None
