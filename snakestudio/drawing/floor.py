"""The floor: its light, its shadow and the metric grid, each drawn only where visible.

On a software renderer a floor in a single shader takes 16 ms of a frame of 1280 x 720; so its light is
interpolated between the vertices of a coarse mesh, the shadow is a separate rectangle, and the grid
consists of lines.
"""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.instances import LINE_WIDTH, Batch
from snakestudio.drawing.style import Theme
from snakestudio.model.ticks import step_below

REACH = 3.2
"""Radius of the floor's light in frame heights."""

_RINGS = (0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0, 1.25, 1.6, 2.1, 3.0, 5.0, 12.0, 60.0)
"""Radii of the mesh in reaches: dense where the light changes."""

_SPOKES = 32


def fade(away_squared: FloatArray) -> FloatArray:
    """Return the light at a squared distance from the centre, in reaches: 1 in the centre, 0 far away."""
    light: FloatArray = 1.0 / np.square(1.0 + away_squared)
    return light


def floor_mesh() -> tuple[Batch, np.typing.NDArray[np.uint32]]:
    """Return the unit mesh: x, y in reaches and light, (k, 4) with one column unused; triangles (m,)."""
    turn = np.linspace(0, 2 * math.pi, _SPOKES, endpoint=False)
    radius = np.array(_RINGS)
    x, y = np.outer(radius, np.cos(turn)), np.outer(radius, np.sin(turn))
    rows = np.stack(
        (x, y, np.broadcast_to(fade(radius**2)[:, None], x.shape), 0 * x), axis=-1
    ).reshape(-1, 4)
    k = np.arange(len(_RINGS) * _SPOKES).reshape(len(_RINGS), _SPOKES)
    a = k[:-1]
    b = np.roll(k[:-1], -1, axis=1)
    c = np.roll(k[1:], -1, axis=1)
    d = k[1:]
    triangles = np.concatenate(
        (np.stack((a, d, c), -1).reshape(-1, 3), np.stack((a, c, b), -1).reshape(-1, 3))
    )
    return rows.astype(np.float32), triangles.astype(np.uint32).ravel()


def grid_step(view_height: float) -> float:
    """Return the spacing of the fine grid lines for a frame of `view_height` metres: a power of ten, m."""
    return step_below(max(view_height, 1e-6) / 4.0, (1.0,))


def grid_lines(camera: Camera, theme: Theme) -> Batch:
    """Return the lines of the grid, (k, LINE_WIDTH): every tenth is strong, all fade with the floor's light."""
    height = float(camera.view_height(camera.target))
    step = grid_step(height)
    # The fine lines vanish before the next power of ten is used.
    fine = min(1.0, max(0.0, 1.75 - 1.5 * math.log10(height / 4.0 / step)))
    parts = []
    if fine > 0.02:
        parts.append(_family(camera, step, 0.42 * REACH * height, fine, theme, True))
    parts.append(_family(camera, 10 * step, 1.7 * REACH * height, 1.0, theme, False))
    return np.concatenate(parts)


_PIECES = 10


def _family(
    camera: Camera, step: float, reach: float, strength: float, theme: Theme, skip_tenth: bool
) -> Batch:
    """Lines along x and along y at multiples of `step` within a disc of radius `reach` around the target, in pieces."""
    colour = theme.grid_minor if skip_tenth else theme.grid_major
    height = float(camera.view_height(camera.target))
    middle = np.array(camera.target[:2])
    parts = [np.zeros((0, LINE_WIDTH), np.float32)]
    for axis in (0, 1):
        number = np.arange(
            math.ceil((middle[axis] - reach) / step), math.floor((middle[axis] + reach) / step) + 1
        )
        if skip_tenth:
            number = number[number % 10 != 0]
        across = number * step
        half = np.sqrt(np.maximum(reach**2 - (across - middle[axis]) ** 2, 0.0))
        # Short pieces near the centre, where the light changes most.
        cut = np.linspace(-1, 1, _PIECES + 1)
        cut = np.sign(cut) * np.abs(cut) ** 1.4
        along = middle[1 - axis] + half[:, None] * cut
        points = np.zeros((len(across), _PIECES + 1, 3))
        points[..., axis] = across[:, None]
        points[..., 1 - axis] = along
        away = np.square(points[..., :2] - middle).sum(axis=-1)
        # Always fades to zero at the rim.
        light = (
            strength
            * fade(away / (REACH * height) ** 2)
            * np.clip(1.6 * (1 - away / reach**2), 0.0, 1.0)
        )
        rows = np.empty((len(across), _PIECES, LINE_WIDTH), np.float32)
        rows[..., 0:3] = points[:, :-1]
        rows[..., 3] = 1.0
        rows[..., 4:7] = points[:, 1:]
        rows[..., 7] = 0.0
        rows[..., 8:11] = colour
        if not skip_tenth:
            # The line x = 0 is the y axis, and vice versa.
            axis_colour = (theme.axis_y, theme.axis_x)[axis]
            rows[number == 0, :, 8:11] = 0.45 * np.array(axis_colour) + 0.55 * np.array(colour)
        # Light at both ends: the shader interpolates.
        rows[..., 11] = light[:, :-1]
        rows[..., 7] = light[:, 1:]
        parts.append(rows.reshape(-1, LINE_WIDTH))
    return np.concatenate(parts)
