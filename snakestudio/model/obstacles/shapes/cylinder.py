"""Upright cylinder on the ground, against which the robots of the papers push."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

from snakestudio.model.fields import value
from snakestudio.model.obstacles import shape
from snakestudio.model.obstacles.shape import Arrangement, Fit, Obstacle, ShapeKind, grown
from snakestudio.model.obstacles.solids import Post


class Cylinder(Obstacle):
    """Fixed vertical cylinder on the ground."""

    kind: Literal["cylinder"] = value("cylinder", label="Kind", help="Shape of the obstacle")
    name: str = shape.name()
    group: str = shape.group()
    x_m: float = shape.place("x", "Centre, x")
    y_m: float = shape.place("y", "Centre, y")
    radius_m: float = value(
        0.125,
        label="Radius",
        unit="m",
        symbol="L_H",
        help="Radius of the cylinder",
        gt=0,
        le=1e3,
        slider=(0.005, 0.5),
        live=True,
    )
    height_m: float = shape.size("Height", "Height above the ground", 0.3)
    friction: float = shape.friction(0.0)
    locked: bool = shape.locked()
    hidden: bool = shape.hidden()


def _solids(o: Cylinder, base_dir: Path | None) -> list[Post]:
    return [Post(o.x_m, o.y_m, o.radius_m, 0.0, o.height_m)]


def _scaled(o: Cylinder, x: float, y: float, z: float) -> dict[str, float]:
    """Return scaled values: the cylinder stays round, with the factor that changes it more."""
    return grown(o, radius_m=max(x, y, key=lambda factor: abs(math.log(factor))), height_m=z)


def _peg_board(fit: Fit, x: float, y: float) -> list[Cylinder]:
    """Return five columns and four rows of pegs, every other row shifted by half a spacing."""
    radius = fit(0.04)
    height = fit(0.15)
    spacing = fit(0.3)
    across = spacing * math.sqrt(3) / 2  # equal distances of neighbours in all directions
    return [
        Cylinder(
            x_m=round(x + (column - 2.25 + 0.5 * (row % 2)) * spacing, 4),
            y_m=round(y + (row - 1.5) * across, 4),
            radius_m=radius,
            height_m=height,
        )
        for row in range(4)
        for column in range(5)
    ]


KIND = ShapeKind(
    fields=Cylinder,
    solids=_solids,
    title="Cylinder",
    help="An upright cylinder",
    mention="a cylinder",
    plural="cylinders",
    sizes="radius {radius_m} m, height {height_m} m",
    place=0,
    icon="shape-cylinder",
    middle=lambda o: o.height_m,
    scaled=_scaled,
    fitted=("radius_m", "height_m"),
    arrangements=(
        Arrangement(
            name="peg_board",
            title="Peg board",
            help="Twenty pegs in staggered rows, as a group",
            icon="shape-peg_board",
            place=6,
            make=_peg_board,
        ),
    ),
)
