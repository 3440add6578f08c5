"""Friction map of the ground as a tint on the floor, dark where the ground is slippery."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray, UInt8Array
from snakestudio.drawing.style import Colour, Theme
from snakestudio.errors import SceneError, UsageError
from snakestudio.inputs import local_path
from snakestudio.model.ground_friction import picture_values
from snakestudio.model.world import Ground, GroundPicture

OPACITY = 0.45
"""Opacity of the tint."""

_MOST = 1024
"""Largest number of drawn pixels in each direction."""


@dataclass(frozen=True, slots=True, eq=False)
class FrictionPicture:
    """A friction map on the floor; the same object while nothing changes."""

    grey: UInt8Array
    """0 where the ground is most slippery, 255 where it is least; the first row is the lower
    edge. Shape (ny, nx)."""

    corner: FloatArray
    """Lower left corner, m. Shape (2,)."""

    along: FloatArray
    """Vector along its lower edge, m. Shape (2,)."""

    up: FloatArray
    """Vector along its left edge, m. Shape (2,)."""


def friction_picture(ground: Ground, base_dir: Path | None) -> FrictionPicture | None:
    """Return the friction map; None if it is missing or cannot be used (`check` reports that)."""
    if not ground.picture:
        return None
    try:
        path = local_path(ground.picture.file, base_dir)
        return _of_file(ground.picture, path, os.stat(path).st_mtime_ns)
    except (OSError, ValueError, UsageError):
        return None


@lru_cache(maxsize=4)
def _of_file(picture: GroundPicture, path: Path, stamp: int) -> FrictionPicture | None:
    """Return the friction map in a file; `stamp` (of the file) invalidates the cache when it changes."""
    try:
        grey = picture_values(
            Ground(picture=picture.model_copy(update={"file": str(path.absolute())}))
        )
    except SceneError:
        return None
    ny, nx = grey.shape
    step = math.ceil(max(nx, ny) / _MOST)
    shade = grey[::step, ::step] if picture.black <= picture.white else 1.0 - grey[::step, ::step]
    yaw = math.radians(picture.yaw_deg)
    along = picture.width_m * np.array([math.cos(yaw), math.sin(yaw)])
    up = picture.width_m * ny / nx * np.array([-math.sin(yaw), math.cos(yaw)])
    corner = np.array([picture.x_m, picture.y_m]) - 0.5 * (along + up)
    return FrictionPicture(
        np.ascontiguousarray(np.rint(255.0 * shade).astype(np.uint8)), corner, along, up
    )


def tint_colours(theme: Theme) -> tuple[Colour, Colour]:
    """Return the colours of the tint at the most and the least slippery ground."""
    return (0.0, 0.0, 0.0), theme.support
