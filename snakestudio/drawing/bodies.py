"""What a single obstacle is made of: its solids, its surface, or a plate where its shape is not known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from snakestudio.drawing import surfaces
from snakestudio.drawing.surfaces import Surface
from snakestudio.errors import Problem, SceneError
from snakestudio.model.obstacles.solids import Block, Prism, Relief, Solid, obstacle_solids
from snakestudio.model.rotations import rotation
from snakestudio.model.world import HeightField, Obstacle, Stairs

__all__ = ["Body", "body_of"]

_PLATE = 0.005
"""Thickness of what stands for a height field that cannot be read, m."""


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """One obstacle.

    Attributes
    ----------
    obstacle : Obstacle
    solids : tuple of Solid
    problem : Problem or None
        Why its shape is not known; a flat plate stands for it.
    surface : Surface or None
        None for what is made of posts or of blocks that are drawn together with all others.
    """

    obstacle: Obstacle
    solids: tuple[Solid, ...]
    problem: Problem | None
    surface: Surface | None

    @property
    def earthen(self) -> bool:
        """Whether it is ground to move on rather than a thing to push against: it has the colour of ground."""
        return self.obstacle.kind in ("stairs", "ramp", "height_field", "rubble")


def _plate(o: HeightField) -> Block:
    """A thin plate as large as a height field whose heights are not known."""
    half = 0.5 * np.array([o.length_m, o.width_m, _PLATE])
    return Block(np.array([o.x_m, o.y_m, half[2]]), rotation(math.radians(o.yaw_deg)), half)


def body_of(obstacle: Obstacle, base_dir: Path | None) -> Body:
    """An obstacle as a body; file names in it are relative to `base_dir`."""
    try:
        solids = tuple(obstacle_solids(obstacle, base_dir))
    except SceneError as error:
        if not isinstance(obstacle, HeightField):
            raise
        plate = _plate(obstacle)
        problem = error.problems[0] if error.problems else Problem("error", "", str(error), "")
        return Body(obstacle, (plate,), problem, surfaces.plate(plate))
    surface: Surface | None = None
    if isinstance(obstacle, Stairs):
        surface = surfaces.staircase([solid for solid in solids if isinstance(solid, Block)])
    elif isinstance(solids[0], Prism):
        surface = surfaces.prism(solids[0])
    elif isinstance(solids[0], Relief):
        surface = surfaces.relief(solids[0])
    return Body(obstacle, solids, None, surface)
