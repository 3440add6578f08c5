"""Blocks to crawl over."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import numpy as np

from snakestudio.model.fields import value
from snakestudio.model.obstacles import shape
from snakestudio.model.obstacles.shape import Obstacle, ShapeKind, grown
from snakestudio.model.obstacles.solids import Block, turned


class Rubble(Obstacle):
    """Blocks of random size, position and tilt in a rectangle; the same seed gives the same blocks."""

    kind: Literal["rubble"] = value("rubble", label="Kind", help="Shape of the obstacle")
    name: str = shape.name()
    group: str = shape.group()
    x_m: float = shape.place("x", "Centre of the rectangle, x")
    y_m: float = shape.place("y", "Centre of the rectangle, y")
    yaw_deg: float = shape.angle("Yaw", "Rotation of the rectangle about the vertical")
    length_m: float = shape.size("Length", "Size of the rectangle along its x axis", 2.0)
    width_m: float = shape.size("Width", "Size of the rectangle along its y axis", 2.0)
    blocks: int = value(
        60, label="Blocks", help="Number of blocks", ge=1, le=5000, slider=(1, 300), live=True
    )
    smallest_m: float = shape.size("Smallest", "Smallest length and width of a block", 0.06)
    largest_m: float = shape.size("Largest", "Largest length and width of a block", 0.2)
    height_m: float = shape.size("Height", "Largest height of a block above the ground", 0.05)
    tilt_deg: float = value(
        8.0,
        label="Tilt",
        unit="°",
        help="Largest tilt of a block",
        ge=0,
        le=45,
        slider=(0, 30),
        live=True,
    )
    seed: int = value(
        1,
        label="Seed",
        help="Seed of the random blocks",
        ge=0,
        le=2**31,
        slider=(0, 100),
        live=True,
    )
    friction: float = shape.friction(0.2)
    locked: bool = shape.locked()
    hidden: bool = shape.hidden()


def _solids(o: Rubble, base_dir: Path | None) -> list[Block]:
    """Return random blocks, each sunk in the ground to reach a random height."""
    random = np.random.default_rng(o.seed)
    low, high = min(o.smallest_m, o.largest_m), max(o.smallest_m, o.largest_m)
    field = turned(o.yaw_deg)
    blocks: list[Block] = []
    for _ in range(o.blocks):
        x, y = random.uniform(-0.5, 0.5, 2) * (o.length_m, o.width_m)
        length, width = random.uniform(low, high, 2)
        reach = random.uniform(0.2, 1.0) * o.height_m
        yaw = random.uniform(0.0, 360.0)
        pitch, roll = random.uniform(-1.0, 1.0, 2) * o.tilt_deg
        rotation = field @ turned(yaw, pitch, roll)
        half = 0.5 * np.array([length, width, 2.0 * o.height_m])
        top = float(np.abs(rotation[2]) @ half)
        centre = np.array([o.x_m, o.y_m, 0.0]) + field @ np.array([x, y, 0.0])
        centre[2] = reach - top
        blocks.append(Block(centre, rotation, half))
    return blocks


def _scaled(o: Rubble, x: float, y: float, z: float) -> dict[str, float]:
    blocks = math.sqrt(x * y)
    return grown(o, length_m=x, width_m=y, smallest_m=blocks, largest_m=blocks, height_m=z)


KIND = ShapeKind(
    fields=Rubble,
    solids=_solids,
    title="Rubble",
    help="Blocks of random size, position and tilt",
    mention="rubble",
    plural="rubble fields",
    sizes="{blocks} blocks on {length_m} × {width_m} m",
    place=5,
    icon="shape-rubble",
    terrain=True,
    scaled=_scaled,
    fitted=("length_m", "width_m", "smallest_m", "largest_m", "height_m"),
)
