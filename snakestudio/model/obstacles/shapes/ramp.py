"""Wedge to climb, with an optional landing behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from snakestudio.model.fields import value
from snakestudio.model.obstacles import shape
from snakestudio.model.obstacles.shape import Obstacle, ShapeKind, grown
from snakestudio.model.obstacles.solids import Prism, turned


class Ramp(Obstacle):
    """Wedge that rises from its foot, with an optional landing."""

    kind: Literal["ramp"] = value("ramp", label="Kind", help="Shape of the obstacle")
    name: str = shape.name()
    group: str = shape.group()
    x_m: float = shape.place("x", "Middle of the foot, x")
    y_m: float = shape.place("y", "Middle of the foot, y")
    heading_deg: float = shape.angle("Heading", "Direction in which the ramp rises")
    length_m: float = shape.size("Length", "Horizontal length of the slope", 1.0)
    rise_m: float = shape.size("Rise", "Height of its upper end", 0.15)
    width_m: float = shape.size("Width", "Width of the ramp", 1.0)
    landing_m: float = value(
        0.0,
        label="Landing",
        unit="m",
        help="Depth of the level part at the upper end",
        ge=0,
        le=1e3,
        slider=(0, 2),
        live=True,
    )
    friction: float = shape.friction(0.2)
    locked: bool = shape.locked()
    hidden: bool = shape.hidden()


def _solids(o: Ramp, base_dir: Path | None) -> list[Prism]:
    corners = [(0.0, 0.0), (o.length_m + o.landing_m, 0.0), (o.length_m + o.landing_m, o.rise_m)]
    if o.landing_m > 0.0:
        corners.append((o.length_m, o.rise_m))
    origin = np.array([o.x_m, o.y_m, 0.0])
    return [Prism(origin, turned(o.heading_deg), np.array(corners), 0.5 * o.width_m)]


KIND = ShapeKind(
    fields=Ramp,
    solids=_solids,
    title="Ramp",
    help="A wedge that rises from its foot",
    mention="a ramp",
    plural="ramps",
    sizes="{length_m} × {width_m} m, rise {rise_m} m",
    place=3,
    icon="shape-ramp",
    terrain=True,
    scaled=lambda o, x, y, z: grown(o, length_m=x, landing_m=x, width_m=y, rise_m=z),
    fitted=("length_m", "rise_m", "width_m"),
)
