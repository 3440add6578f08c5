"""Flight of stairs with a landing."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from snakestudio.model.fields import value
from snakestudio.model.obstacles import shape
from snakestudio.model.obstacles.shape import Obstacle, ShapeKind, grown
from snakestudio.model.obstacles.solids import Block, turned


class Stairs(Obstacle):
    """Flight of stairs with a landing behind the last step; its foot is the lower edge of the first riser."""

    kind: Literal["stairs"] = value("stairs", label="Kind", help="Shape of the obstacle")
    name: str = shape.name()
    group: str = shape.group()
    x_m: float = shape.place("x", "Middle of the foot, x")
    y_m: float = shape.place("y", "Middle of the foot, y")
    heading_deg: float = shape.angle("Heading", "Direction in which the stairs rise")
    steps: int = value(
        4, label="Steps", help="Number of steps", ge=1, le=200, slider=(1, 20), live=True
    )
    rise_m: float = shape.size("Rise", "Height of a step", 0.04)
    run_m: float = shape.size("Run", "Depth of a step", 0.3)
    width_m: float = shape.size("Width", "Width of the flight", 1.5)
    landing_m: float = shape.size("Landing", "Depth of the last step, which is the landing", 1.0)
    friction: float = shape.friction(0.2)
    locked: bool = shape.locked()
    hidden: bool = shape.hidden()


def _solids(o: Stairs, base_dir: Path | None) -> list[Block]:
    """Return one block per step; each extends to the end of the landing, so that no edge is hidden in a tread."""
    rotation = turned(o.heading_deg)
    end = (o.steps - 1) * o.run_m + o.landing_m
    blocks: list[Block] = []
    for step in range(o.steps):
        begin = step * o.run_m
        height = (step + 1) * o.rise_m
        half = np.array([0.5 * (end - begin), 0.5 * o.width_m, 0.5 * height])
        centre = np.array([o.x_m, o.y_m, 0.0]) + rotation @ np.array(
            [0.5 * (begin + end), 0.0, half[2]]
        )
        blocks.append(Block(centre, rotation, half))
    return blocks


KIND = ShapeKind(
    fields=Stairs,
    solids=_solids,
    title="Stairs",
    help="A flight of stairs with a landing",
    mention="stairs",
    plural="stairs",
    sizes="{steps} steps of {run_m} × {rise_m} m",
    place=2,
    icon="shape-stairs",
    terrain=True,
    steps=True,
    scaled=lambda o, x, y, z: grown(o, run_m=x, landing_m=x, width_m=y, rise_m=z),
    fitted=("rise_m", "run_m", "width_m", "landing_m"),
)
