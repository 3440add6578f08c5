"""The world as solids: obstacles (made once per scene), their outlines, and the labels of the metric grid."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio.model.world import Obstacle
from snakestudio.render.camera import Camera
from snakestudio.render.instances import Batch, FloatArray, solid_rows
from snakestudio.render.style import Colour, Theme

__all__ = ["Label", "Posts", "grid_labels", "obstacle_rows", "posts"]

_UPRIGHT = np.array([math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0])
"""Turns the x axis, along which every solid lies, upwards."""


@dataclass(frozen=True, slots=True, eq=False)
class Posts:
    """The obstacles as arrays.

    Attributes
    ----------
    centre : (k, 2) array
        m.
    radius, height : (k,) arrays
        m.
    """

    centre: FloatArray
    radius: FloatArray
    height: FloatArray


@dataclass(frozen=True, slots=True)
class Label:
    """Text that faces the viewer.

    Attributes
    ----------
    text : str
    position : (float, float, float)
        World point of its anchor, m.
    colour : Colour
    size : float
        Height of the font in pixels of a picture 720 pixels high.
    opacity : float
    anchor : (float, float)
        Which point of the text stands at the position: (0, 0) bottom left, (0.5, 0.5) its middle.
    """

    text: str
    position: tuple[float, float, float]
    colour: Colour
    size: float = 13.0
    opacity: float = 1.0
    anchor: tuple[float, float] = (0.5, 0.5)


# The same tuple of obstacles comes with every frame: what was made of it is kept. A few entries, because two scenes may
# be drawn in turns (window and video); replaced as a whole, so that threads never see half an entry.
_posts_cache: tuple[tuple[tuple[Obstacle, ...], Posts], ...] = ()
_rows_cache: tuple[tuple[Posts, Theme, frozenset[int], float, Batch], ...] = ()
_KEEP = 4


def posts(obstacles: tuple[Obstacle, ...]) -> Posts:
    """The obstacles as arrays; the same object for the same tuple."""
    global _posts_cache
    for known, made in _posts_cache:
        if known is obstacles:
            return made
    numbers = np.array([(o.x_m, o.y_m, o.radius_m, o.height_m) for o in obstacles], float).reshape(-1, 4)
    made = Posts(numbers[:, :2].copy(), numbers[:, 2].copy(), numbers[:, 3].copy())
    _posts_cache = ((obstacles, made), *_posts_cache[: _KEEP - 1])
    return made


def obstacle_rows(these: Posts, theme: Theme, bright: frozenset[int], opacity: float) -> Batch:
    """Rows of the obstacles, the selected ones lighter; the same array for the same arguments."""
    global _rows_cache
    for known, its_theme, its_bright, its_opacity, rows in _rows_cache:
        if known is these and its_theme is theme and its_bright == bright and its_opacity == opacity:
            return rows
    colours = np.tile(np.array(theme.obstacle), (len(these.radius), 1))
    for index in bright:
        if 0 <= index < len(colours):
            colours[index] = 0.72 * colours[index] + 0.28
    rows = _standing(these, np.arange(len(these.radius)), colours, 0.0, opacity=opacity)
    rows.setflags(write=False)
    _rows_cache = ((these, theme, bright, opacity, rows), *_rows_cache[: _KEEP - 1])
    return rows


def obstacle_outline(these: Posts, indices: list[int], camera: Camera, share: float, colour: Colour) -> Batch:
    """Cylinders grown by a share of the picture's height: their far side, drawn flat, is the outline."""
    chosen = np.array([i for i in indices if 0 <= i < len(these.radius)], int)
    middle = np.column_stack((these.centre[chosen], 0.5 * these.height[chosen]))
    grow = share * camera.view_height(middle)
    return _standing(these, chosen, np.array(colour), grow, glow=1.0, gloss=0.0)


def _standing(
    these: Posts, chosen: FloatArray | np.typing.NDArray[np.int_], colours: FloatArray, grow: FloatArray | float,
    *, opacity: float = 1.0, glow: float = 0.0, gloss: float = 0.12,
) -> Batch:  # fmt: skip
    half = 0.5 * these.height[chosen]
    return solid_rows(
        np.column_stack((these.centre[chosen], half)), _UPRIGHT, half + grow, these.radius[chosen] + grow, colours,
        opacity=opacity, glow=glow, gloss=gloss,
    )  # fmt: skip


def grid_labels(camera: Camera, theme: Theme) -> list[Label]:
    """Metre marks along the x and y axes of the ground, at most a dozen either way, fading with distance."""
    height = float(camera.view_height(camera.target))
    raw = height / 5.0
    decade = 10.0 ** math.floor(math.log10(raw))
    step = next(m * decade for m in (1, 2, 5, 10) if m * decade >= raw * 0.999)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    labels: list[Label] = []
    for axis in (0, 1):
        middle = round(camera.target[axis] / step)
        away = camera.target[1 - axis]
        if abs(away) > 3.5 * height:
            continue
        for k in range(middle - 12, middle + 13):
            if k == 0 and axis == 1:
                continue
            value = k * step
            fade = 1.0 - math.hypot(value - camera.target[axis], away) / (1.9 * height)
            if fade <= 0.05:
                continue
            position = (value, 0.0, 0.0) if axis == 0 else (0.0, value, 0.0)
            unit = " m" if k == 0 or abs(value) >= 1 else ""
            text = "0" if k == 0 else f"{value:.{digits}f}".replace("-", "−") + (unit if k % 5 == 0 else "")
            labels.append(Label(text, position, theme.text_dim, 12.0, min(1.0, 1.6 * fade), (0.5, 1.25)))
    return labels
