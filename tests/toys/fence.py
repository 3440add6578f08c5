"""An obstacle shape from a separate file outside the package: two posts and a rail between them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from snakestudio.model.fields import value
from snakestudio.model.obstacles import shape
from snakestudio.model.obstacles.shape import Obstacle, ShapeKind, grown
from snakestudio.model.obstacles.solids import Block, Post, Solid, turned


class Fence(Obstacle):
    """Length, height and strength."""

    kind: Literal["fence"] = value("fence", label="Kind", help="Shape of the obstacle")
    name: str = shape.name()
    group: str = shape.group()
    x_m: float = shape.place("x", "Middle, x")
    y_m: float = shape.place("y", "Middle, y")
    yaw_deg: float = shape.angle("Yaw", "Direction of the rail")
    length_m: float = shape.size("Length", "From post to post", 1.0)
    height_m: float = shape.size("Height", "Height above the ground", 0.2)
    strength_m: float = shape.size("Strength", "Radius of the posts", 0.05)
    friction: float = shape.friction(0.0)
    locked: bool = shape.locked()
    hidden: bool = shape.hidden()


def _solids(o: Fence, base_dir: Path | None) -> list[Solid]:
    axes = turned(o.yaw_deg)
    middle = np.array([o.x_m, o.y_m, 0.5 * o.height_m])
    ends = middle + 0.5 * o.length_m * np.outer([-1.0, 1.0], axes[:, 0])
    rail = Block(middle, axes, 0.5 * np.array([o.length_m, 0.5 * o.strength_m, o.height_m]))
    return [*(Post(x, y, o.strength_m, 0.0, o.height_m) for x, y in ends[:, :2].tolist()), rail]


KIND = ShapeKind(
    fields=Fence,
    solids=_solids,
    title="Fence",
    help="Two posts and a rail",
    mention="a fence",
    plural="fences",
    sizes="{length_m} m between posts",
    middle=lambda o: o.height_m,
    scaled=lambda o, x, y, z: grown(o, length_m=x, strength_m=y, height_m=z),
    fitted=("length_m", "height_m", "strength_m"),
    effects=((("friction",), lambda o: o.height_m > 0.01, "only of what is not flat"),),
)
