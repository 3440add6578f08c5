"""The little axes in the corner that say how the world lies."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.instances import Batch, line_rows
from snakestudio.drawing.style import Theme
from snakestudio.drawing.world import Label

__all__ = ["triad_labels", "triad_lines", "triad_matrix"]

_SIZE, _MARGIN = 34.0, 54.0
"""Length of an axis and distance of the origin from the corner, pixels of a picture 720 pixels high."""


def triad_matrix(camera: Camera, width: int, height: int, pixel: float) -> FloatArray:
    """Matrix (4, 4) that puts axes of length 1 into the lower left corner of the picture."""
    right, up, _ = camera.axes
    matrix = np.zeros((4, 4))
    matrix[0, :3], matrix[1, :3] = 2 * _SIZE * pixel / width * right, 2 * _SIZE * pixel / height * up
    matrix[:, 3] = (2 * _MARGIN * pixel / width - 1, 2 * _MARGIN * pixel / height - 1, 0.0, 1.0)
    return matrix


def triad_lines(theme: Theme, camera: Camera) -> Batch:
    """The axes, the one that points towards the viewer last."""
    colours = (theme.axis_x, theme.axis_y, theme.axis_z)
    order = np.argsort(camera.axes[2])
    origin = np.zeros((1, 3))
    return np.concatenate([line_rows(origin, np.eye(3)[k : k + 1], 3.0, colours[k]) for k in order])


def triad_labels(theme: Theme) -> list[Label]:
    """Names beyond the axes' ends, in the triad's own space."""
    tips = np.eye(3) * 1.33
    return [
        Label(name, (float(tip[0]), float(tip[1]), float(tip[2])), colour, 13.0)
        for name, tip, colour in zip("xyz", tips, (theme.axis_x, theme.axis_y, theme.axis_z), strict=True)
    ]
