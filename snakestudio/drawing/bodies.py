"""Parts of a single obstacle: its solids, its surface, a plate if its shape is unknown, and its outlines.

Dimensions, snapping and the exported plan use the outlines from above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing import surfaces
from snakestudio.drawing.surfaces import Surface
from snakestudio.errors import Problem, SceneError
from snakestudio.model.obstacles.outlines import Outline, solid_outline
from snakestudio.model.obstacles.shape import Obstacle, ShapeKind, obstacle_solids, shape_of
from snakestudio.model.obstacles.solids import Block, Post, Prism, Solid
from snakestudio.model.rotations import rotation

_PLATE = 0.005
"""Thickness of the placeholder of an unreadable obstacle, m."""


@dataclass(frozen=True, slots=True, eq=False)
class ObstacleBody:
    """One obstacle."""

    obstacle: Obstacle
    solids: tuple[Solid, ...]
    problem: Problem | None
    """Reason why its shape is unknown; a flat plate is its placeholder."""

    surface: Surface | None
    """Surface; None for posts and blocks, which are drawn together with all others."""

    @property
    def earthen(self) -> bool:
        """Whether it is terrain to move on, in the colour of the ground, not an obstacle to push against."""
        return shape_of(self.obstacle).terrain


def _plate(obstacle: Obstacle) -> Block:
    """Return a thin plate with the size of an obstacle of unknown shape."""
    flat = ObstacleBody(
        obstacle, tuple(obstacle_solids(shape_of(obstacle).without_files(obstacle))), None, None
    )
    around = body_rectangle(flat)
    middle = body_centre(flat)
    length, width = (float(np.linalg.norm(around[k + 1] - around[k])) for k in (0, 1))
    half = 0.5 * np.array([length, width, _PLATE])
    turn = rotation(math.radians(getattr(obstacle, shape_of(obstacle).turn_key, 0.0)))
    return Block(np.array([middle[0], middle[1], half[2]]), turn, half)


def _surface(kind: ShapeKind, solids: Sequence[Solid]) -> Surface | None:
    """Return the surface of an obstacle; None if it consists of posts and blocks only."""
    if kind.steps:
        return surfaces.staircase([solid for solid in solids if isinstance(solid, Block)])
    if all(isinstance(solid, Post | Block) for solid in solids):
        return None
    parts = []
    for solid in solids:
        if isinstance(solid, Block):
            parts.append(
                surfaces.blocks(solid.centre[None], solid.rotation[None], solid.half[None])
            )
        elif not isinstance(solid, Post):
            parts.append(
                surfaces.prism(solid) if isinstance(solid, Prism) else surfaces.relief(solid)
            )
    if len(parts) == 1:
        return parts[0]
    return Surface(
        surfaces.join([part.skin for part in parts]), surfaces.join([part.shell for part in parts])
    )


def body_of(obstacle: Obstacle, base_dir: Path | None) -> ObstacleBody:
    """Return the body of an obstacle; its file names are relative to `base_dir`."""
    kind = shape_of(obstacle)
    try:
        solids = tuple(obstacle_solids(obstacle, base_dir))
    except SceneError as error:
        if not kind.files:
            raise
        plate = _plate(obstacle)
        problem = error.problems[0] if error.problems else Problem("error", "", str(error), "")
        return ObstacleBody(obstacle, (plate,), problem, surfaces.plate(plate))
    return ObstacleBody(obstacle, solids, None, _surface(kind, solids))


@lru_cache(maxsize=1024)
def body_outlines(body: ObstacleBody) -> tuple[Outline, ...]:
    """Return the outlines of an obstacle from above, one for each of its solids."""
    # Every step of stairs extends to the end of the landing: the outline of the first one is that
    # of the flight.
    solids = body.solids[:1] if shape_of(body.obstacle).steps else body.solids
    return tuple(solid_outline(solid) for solid in solids)


@lru_cache(maxsize=1024)
def body_rectangle(body: ObstacleBody) -> FloatArray:
    """Return corners (4, 2), m, anticlockwise, of the bounding rectangle in the orientation of the obstacle."""
    obstacle = body.obstacle
    angle = math.radians(getattr(obstacle, shape_of(obstacle).turn_key, 0.0))
    along = np.array([math.cos(angle), math.sin(angle)])
    axes = np.array([along, (-along[1], along[0])])
    low = np.full(2, np.inf)
    high = np.full(2, -np.inf)
    for outline in body_outlines(body):
        local = outline.points @ axes.T
        low = np.minimum(low, local.min(axis=0) - outline.radius)
        high = np.maximum(high, local.max(axis=0) + outline.radius)
    corners = np.array([(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])])
    rectangle: FloatArray = corners @ axes
    return rectangle


def body_centre(body: ObstacleBody) -> FloatArray:
    """Return the centre (2,), m, of an obstacle seen from above."""
    centre: FloatArray = body_rectangle(body).mean(axis=0)
    return centre
