"""Block that can be tilted and raised; a long thin one is a wall."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from snakestudio.model.fields import value
from snakestudio.model.obstacles import shape
from snakestudio.model.obstacles.shape import Arrangement, Fit, Obstacle, ShapeKind, grown
from snakestudio.model.obstacles.solids import Block, turned

_WALL = 5.0
"""Ratio of length and width above which a box is a wall."""


class Box(Obstacle):
    """Fixed block; `z_m` is the height of its lower face while it is upright."""

    kind: Literal["box"] = value("box", label="Kind", help="Shape of the obstacle")
    name: str = shape.name()
    group: str = shape.group()
    x_m: float = shape.place("x", "Centre, x")
    y_m: float = shape.place("y", "Centre, y")
    z_m: float = value(
        0.0,
        label="z",
        unit="m",
        help="Height of the lower face of the upright block; can be below the ground",
        ge=-1e3,
        le=1e3,
        slider=(-0.5, 1),
        live=True,
    )
    length_m: float = shape.size("Length", "Size along the obstacle's x axis", 0.3)
    width_m: float = shape.size("Width", "Size along the obstacle's y axis", 0.3)
    height_m: float = shape.size("Height", "Size along the obstacle's z axis", 0.1)
    yaw_deg: float = shape.angle("Yaw", "Rotation about the vertical, applied last")
    pitch_deg: float = shape.angle("Pitch", "Rotation about the y axis through the centre")
    roll_deg: float = shape.angle(
        "Roll", "Rotation about the x axis through the centre, applied first"
    )
    friction: float = shape.friction(0.2)
    locked: bool = shape.locked()
    hidden: bool = shape.hidden()


def _solids(o: Box, base_dir: Path | None) -> list[Block]:
    half = 0.5 * np.array([o.length_m, o.width_m, o.height_m])
    return [
        Block(
            np.array([o.x_m, o.y_m, o.z_m + half[2]]),
            turned(o.yaw_deg, o.pitch_deg, o.roll_deg),
            half,
        )
    ]


def _wall(fit: Fit, x: float, y: float) -> list[Box]:
    return [Box(x_m=x, y_m=y, length_m=fit(1.2), width_m=fit(0.05), height_m=fit(0.3))]


def _is_no_wall(o: Box) -> bool:
    return max(o.length_m, o.width_m) <= _WALL * min(o.length_m, o.width_m)


KIND = ShapeKind(
    fields=Box,
    solids=_solids,
    title="Box",
    help="A block",
    mention="a box",
    plural="boxes",
    sizes="{length_m} × {width_m} × {height_m} m",
    place=1,
    icon="shape-box",
    middle=lambda o: 0.5 * o.height_m,
    scaled=lambda o, x, y, z: grown(o, length_m=x, width_m=y, height_m=z),
    fitted=("length_m", "width_m", "height_m"),
    typical=_is_no_wall,
    arrangements=(
        Arrangement(
            name="wall",
            title="Wall",
            help="A long thin box",
            icon="shape-wall",
            place=1.5,
            make=_wall,
        ),
    ),
)
