"""Uneven ground from a table or an image."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem, SceneError
from snakestudio.inputs import InputError
from snakestudio.model.fields import value
from snakestudio.model.obstacles import shape
from snakestudio.model.obstacles.picture import scene_picture
from snakestudio.model.obstacles.shape import Fit, Obstacle, ShapeKind, grown
from snakestudio.model.obstacles.solids import Relief, turned


class HeightField(Obstacle):
    """Uneven ground over a rectangle: heights on a regular grid, from numbers or from a grey-scale image.

    Each cell between grid points is two triangles. The first row of `heights_m` has the smallest y; for
    an image (seen from above) the lowest row. Parts below the ground plane are filled by it.
    """

    kind: Literal["height_field"] = value(
        "height_field", label="Kind", help="Shape of the obstacle"
    )
    name: str = shape.name()
    group: str = shape.group()
    x_m: float = shape.place("x", "Centre, x")
    y_m: float = shape.place("y", "Centre, y")
    yaw_deg: float = shape.angle("Yaw", "Rotation about the vertical")
    length_m: float = shape.size("Length", "Size along the obstacle's x axis", 2.0)
    width_m: float = shape.size("Width", "Size along the obstacle's y axis", 2.0)
    z_m: float = value(
        0.0,
        label="z",
        unit="m",
        help="Height of zeros in the table or of black in the image",
        ge=-1e3,
        le=1e3,
        slider=(-0.5, 0.5),
        live=True,
    )
    heights_m: tuple[tuple[float, ...], ...] | None = value(
        None, label="Heights", unit="m", help="Rows of heights at the grid points, at least 2 x 2"
    )
    picture: str | None = value(
        None,
        label="Image",
        help="Grey-scale image file, relative to the scene file, instead of a table",
        min_length=1,
    )
    relief_m: float = shape.size(
        "Relief", "Height difference between white and black in the image", 0.1
    )
    friction: float = shape.friction(0.2)
    locked: bool = shape.locked()
    hidden: bool = shape.hidden()


def _heights(o: HeightField, base_dir: Path | None) -> FloatArray:
    """Return the heights of the grid points above `z_m`, (ny, nx), m.

    Raises `SceneError` if there is no usable table or image.
    """

    def error(key: str, message: str, remedy: str) -> SceneError:
        problem = Problem("error", key, message, remedy)
        return SceneError.of([problem])

    if o.heights_m is not None and o.picture is not None:
        raise error(
            "picture", "a height field has both heights_m and picture", "remove one of them"
        )
    if o.heights_m is not None:
        rows = o.heights_m
        if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
            raise error(
                "heights_m",
                "the rows do not form a table",
                "set at least 2 rows of at least 2 heights, all of the same length",
            )
        table = np.array(rows, dtype=np.float64)
        if not np.isfinite(table).all():
            j, i = np.argwhere(~np.isfinite(table))[0]
            raise error(
                "heights_m",
                f"row {j + 1}, column {i + 1} is not a number (a hole)",
                "set a height for every point",
            )
        return table
    if o.picture is None:
        raise error(
            "heights_m",
            "a height field has neither heights_m nor picture",
            "set heights_m to a table or picture to an image file",
        )
    try:
        return scene_picture(o.picture, base_dir) * o.relief_m
    except InputError as reason:
        raise error("picture", reason.message, reason.remedy) from None


def _solids(o: HeightField, base_dir: Path | None) -> list[Relief]:
    heights = _heights(o, base_dir)
    ny, nx = heights.shape
    origin = np.array([o.x_m, o.y_m, o.z_m]) - turned(o.yaw_deg) @ np.array(
        [0.5 * o.length_m, 0.5 * o.width_m, 0.0]
    )
    return [
        Relief(
            origin, math.radians(o.yaw_deg), o.length_m / (nx - 1), o.width_m / (ny - 1), heights
        )
    ]


def _flat(o: HeightField) -> HeightField:
    return o.model_copy(update={"heights_m": ((0.0, 0.0), (0.0, 0.0)), "picture": None})


def _scaled(o: HeightField, x: float, y: float, z: float) -> dict[str, Any]:
    values: dict[str, Any] = dict(
        grown(o, length_m=x, width_m=y, relief_m=z if o.picture is not None else 1.0)
    )
    if z != 1.0 and o.heights_m is not None:
        values["heights_m"] = tuple(
            tuple(float(f"{height * z:.7g}") for height in row) for row in o.heights_m
        )
    return values


def _hills(fit: Fit) -> dict[str, Any]:
    """Return the low hills that end at the ground."""
    top = fit(0.06)
    edge = [math.sin(math.pi * k / 16) for k in range(17)]
    heights = tuple(
        tuple(
            round(
                top
                * edge[i]
                * edge[j]
                * (1.0 + 0.8 * math.sin(1.1 * i + 0.4 * j) * math.cos(0.9 * j)),
                4,
            )
            for i in range(17)
        )
        for j in range(17)
    )
    return {"heights_m": heights}


KIND = ShapeKind(
    fields=HeightField,
    solids=_solids,
    title="Height field",
    help="Low hills, or heights from a table or image",
    mention="a height field",
    plural="height fields",
    sizes="{length_m} × {width_m} m",
    place=4,
    icon="shape-height_field",
    terrain=True,
    scaled=_scaled,
    fitted=("length_m", "width_m"),
    fresh=_hills,
    files=("picture",),
    without_files=_flat,
    effects=((("relief_m",), lambda o: o.heights_m is None, "only with an image"),),
)
