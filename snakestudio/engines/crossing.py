"""Links that went through a body within one step, which no contact can notice: found by the way they took.

A link that touches a body has its axis its own radius outside of it, and the body's half thickness more away from the
body's middle. Only one that goes further than that in a step can come out on the other side: else a contact pushes it
back, however deep the step has left it. Whoever goes half of that way in a step has the step looked at: its axis is
moved along in small parts, and must not enter the core of the body.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.obstacles.solids import Block, Post, obstacle_solids
from snakestudio.model.scene import Scene
from snakestudio.model.world import Box, Cylinder

__all__ = ["Body", "Crossing", "Crossings", "spatial_bodies", "upright_bodies"]

FloatArray = NDArray[np.float64]

_CORE = 0.1
"""Half thickness of a body's core, beside that of the body."""

_MOST_PARTS = 10_000
"""Parts that a step is cut into at most: a link that goes a thousand times the thickness of a wall is lost anyway."""


@dataclass(frozen=True, slots=True)
class Body:
    """A box, or an upright cylinder.

    Attributes
    ----------
    obstacle : int
        Whose it is, 0-based.
    centre : (3,) array
        m.
    axes : (3, 3) array
        Its axes in the world, one a column.
    half : (3,) array
        Half sizes, m; infinite where it goes on for ever. Of a cylinder only the last one counts.
    radius : float
        Of a cylinder, m; 0 for a box.
    """

    obstacle: int
    centre: FloatArray
    axes: FloatArray
    half: FloatArray
    radius: float

    @property
    def thin(self) -> float:
        """Half of its smallest thickness from the side, m."""
        return self.radius or float(self.half.min())

    def holds(self, ends: FloatArray) -> NDArray[np.bool_]:
        """Whether axes with these ends ((..., 2, 3), m) enter its core, (...)."""
        skin = (1.0 - _CORE) * self.thin
        end = (ends[..., 0, :] - self.centre) @ self.axes
        way = (ends[..., 1, :] - self.centre) @ self.axes - end
        half = self.half - skin
        if self.radius:
            half[:2] = np.inf
        with np.errstate(divide="ignore", invalid="ignore"):  # an axis along a face never leaves the pair
            one, other = (-half - end) / way, (half - end) / way
        enters = np.fmax(np.fmin(one, other).max(axis=-1), 0.0)
        leaves = np.fmin(np.fmax(one, other).min(axis=-1), 1.0)
        beside = ((np.abs(end) > half) & (way == 0.0)).any(axis=-1)
        if not self.radius:
            return np.asarray((enters <= leaves) & ~beside)
        flat = np.maximum((way[..., :2] ** 2).sum(axis=-1), 1e-300)
        nearest = np.clip(-(end[..., :2] * way[..., :2]).sum(axis=-1) / flat, enters, leaves)
        away = end[..., :2] + nearest[..., None] * way[..., :2]
        near = np.hypot(away[..., 0], away[..., 1]) < self.radius - skin
        return np.asarray((enters <= leaves) & ~beside & near)


@dataclass(frozen=True, slots=True)
class Crossing:
    """A link that went through an obstacle, both 0-based; its way in the step, and up to which none is crossed, m."""

    link: int
    obstacle: int
    way: float
    seen: float


class Crossings:
    """Looks out for links that go through bodies.

    Parameters
    ----------
    bodies : iterable of Body
    half, radius : float
        Of a link: its axis from the middle to either end, and its surface from there, m.
    """

    def __init__(self, bodies: Iterable[Body], half: float, radius: float) -> None:
        self._half = half
        self._bodies = [(body, radius + body.thin) for body in bodies]
        self.limit = 0.5 * min((seen for _, seen in self._bodies), default=math.inf)
        """A step in which no link goes further than this need not be looked at, m."""

    def way(self, before: FloatArray, after: FloatArray) -> float:
        """What no end of a link has gone further than from the one state to the other, m; quick rather than tight.

        Parameters
        ----------
        before, after : (n, 3) or (n, 7) arrays
            x, y, theta of planar links, or places and quaternions.
        """
        went = np.abs(after - before).max(axis=0).tolist()
        if len(went) == 3:
            return float(math.hypot(went[0], went[1]) + self._half * went[2])
        return math.hypot(*went[:3]) + 2.0 * self._half * math.hypot(*went[3:])

    def found(self, q_before: FloatArray, q_after: FloatArray) -> Crossing | None:
        """The first crossing of links that went from the one state to the other in a step; these are as in `way`."""
        before, after = _ends(q_before, self._half), _ends(q_after, self._half)
        moved = after - before
        way = np.linalg.norm(moved, axis=2).max(axis=1)
        middle = before.mean(axis=1)[:, :2]
        first, soonest = None, math.inf
        for body, seen in self._bodies:
            reach = body.radius or float(np.linalg.norm(body.half[np.isfinite(body.half)]))
            apart = np.linalg.norm(middle - body.centre[:2], axis=1)
            links = np.flatnonzero((way > 0.5 * seen) & (apart <= reach + self._half + way))
            if not len(links):
                continue
            parts = min(math.ceil(float(way[links].max()) / (_CORE * body.thin)), _MOST_PARTS)
            share = np.linspace(0.0, 1.0, parts + 1)[:, None, None, None]
            inside = body.holds(before[links] + share * moved[links])
            inside &= ~inside[0]  # what begins in there has not come from outside
            when = np.where(inside.any(axis=0), inside.argmax(axis=0), parts + 1)
            nearest = int(when.argmin())
            if when[nearest] <= parts and when[nearest] / parts < soonest:
                soonest = float(when[nearest] / parts)
                first = Crossing(int(links[nearest]), body.obstacle, float(way[links[nearest]]), seen)
        return first


def upright_bodies(outlines: FloatArray) -> list[Body]:
    """The obstacles that planar links can meet, as `planar_obstacles.outlines` gives them; they are of any height."""
    return [
        Body(
            number,
            np.array([x, y, 0.0]),
            np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]),
            np.array([half_x, half_y, np.inf]),
            radius,
        )
        for number, (x, y, radius, half_x, half_y, cos, sin, met, _) in enumerate(outlines.tolist())
        if met
    ]


def spatial_bodies(scene: Scene) -> list[Body]:
    """The boxes and cylinders of a scene: what else there is stands on the ground and is not thin."""
    bodies = []
    for number, obstacle in enumerate(scene.obstacles):
        if not isinstance(obstacle, Box | Cylinder):
            continue
        for solid in obstacle_solids(obstacle):
            if isinstance(solid, Post):
                half = 0.5 * (solid.high - solid.low)
                centre = np.array([solid.x, solid.y, solid.low + half])
                bodies.append(Body(number, centre, np.eye(3), np.array([np.inf, np.inf, half]), solid.radius))
            elif isinstance(solid, Block):
                bodies.append(Body(number, solid.centre, solid.rotation, solid.half, 0.0))
    return bodies


def _ends(q: FloatArray, half: float) -> FloatArray:
    """Ends of the axes of links, (n, 2, 3), m; `q` as in `Crossings.way`."""
    zero = np.zeros(len(q))
    if q.shape[1] == 3:
        axis = np.column_stack([np.cos(q[:, 2]), np.sin(q[:, 2]), zero])
        middle = np.column_stack([q[:, :2], zero])
    else:
        w, x, y, z = q[:, 3:].T
        axis = np.column_stack([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)])
        middle = q[:, :3]
    return np.stack([middle - half * axis, middle + half * axis], axis=1)
