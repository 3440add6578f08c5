"""Drawing of the world: posts (cached per scene), their outlines, labels of the metric grid, axis triad."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.instances import Batch, line_rows, solid_rows
from snakestudio.drawing.obstacles import Posts
from snakestudio.drawing.style import Colour, Theme
from snakestudio.drawing.terrain import Terrain
from snakestudio.model.ticks import step_above, tick_text

_UPRIGHT = np.array([math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0])
"""Rotation of the x axis, the axis of all solids, to upright."""


@dataclass(frozen=True, slots=True)
class Label:
    """Text that faces the viewer."""

    text: str
    position: tuple[float, float, float]
    """Position of its anchor in the world, m."""

    colour: Colour
    size: float = 13.0
    """Font height in pixels of a frame 720 pixels high."""

    opacity: float = 1.0
    anchor: tuple[float, float] = (0.5, 0.5)
    """Point of the text at the position: (0, 0) bottom left, (0.5, 0.5) centre."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Appearance of ranges of the terrain's triangles."""

    row: Batch
    """Colour, opacity and gloss. Shape (1, ROW_WIDTH)."""

    ranges: NDArray[np.intp]
    """First index and number of indices per range. Shape (m, 2)."""

    grow: float = 0.0
    """Enlargement of a shell, as a fraction of the frame height."""


# The rows of posts change rarely: they are cached for a few scenes drawn alternately. Replaced as a
# whole, so that threads never see a partial entry.
_rows_cache: tuple[tuple[Posts, Theme, frozenset[int], float, Batch], ...] = ()
_KEEP = 4


def obstacle_rows(these: Posts, theme: Theme, bright: frozenset[int], opacity: float) -> Batch:
    """Return the instance rows of posts, selected ones lighter; the same array for the same arguments."""
    global _rows_cache
    for known, its_theme, its_bright, its_opacity, rows in _rows_cache:
        if (
            known is these
            and its_theme is theme
            and its_bright == bright
            and its_opacity == opacity
        ):
            return rows
    colours = np.tile(np.array(theme.obstacle), (len(these.radius), 1))
    chosen = np.isin(these.owner, list(bright))
    colours[chosen] = _brighter(colours[chosen])
    rows = _standing(these, np.arange(len(these.radius)), colours, 0.0, opacity=opacity)
    rows.setflags(write=False)
    _rows_cache = ((these, theme, bright, opacity, rows), *_rows_cache[: _KEEP - 1])
    return rows


def obstacle_outline(
    these: Posts, indices: list[int], camera: Camera, width: float, colour: Colour
) -> Batch:
    """Cylinders enlarged by a fraction of the frame height; their back faces, drawn flat, are the outline."""
    chosen = np.flatnonzero(np.isin(these.owner, indices))
    middle = np.column_stack((these.centre[chosen], 0.5 * these.height[chosen]))
    grow = width * camera.view_height(middle)
    return _standing(these, chosen, np.array(colour), grow, glow=1.0, gloss=0.0)


def _standing(
    these: Posts,
    chosen: NDArray[np.intp],
    colours: FloatArray,
    grow: FloatArray | float,
    *,
    opacity: float = 1.0,
    glow: float = 0.0,
    gloss: float = 0.12,
) -> Batch:
    half = 0.5 * these.height[chosen]
    return solid_rows(
        np.column_stack((these.centre[chosen], half)),
        _UPRIGHT,
        half + grow,
        these.radius[chosen] + grow,
        colours,
        opacity=opacity,
        glow=glow,
        gloss=gloss,
    )


def _brighter(colour: ArrayLike) -> FloatArray:
    """Return the colour of a selected obstacle, from its normal colour, (..., 3)."""
    lighter: FloatArray = 0.72 * np.asarray(colour, float) + 0.28
    return lighter


def merged(ranges: NDArray[np.intp]) -> NDArray[np.intp]:
    """Merge adjacent index ranges, for fewer draw calls."""
    ranges = ranges[ranges[:, 1] > 0]
    ranges = ranges[np.argsort(ranges[:, 0])]
    if not len(ranges):
        return ranges
    first = np.append(True, ranges[1:, 0] != ranges[:-1].sum(axis=1))
    start = np.flatnonzero(first)
    return np.column_stack((ranges[start, 0], np.add.reduceat(ranges[:, 1], start)))


def _single_look(
    colour: ArrayLike, ranges: NDArray[np.intp], opacity: float, grow: float = 0.0
) -> Look:
    flat = grow > 0.0
    row = solid_rows(
        np.zeros((1, 3)),
        (1.0, 0.0, 0.0, 0.0),
        0.0,
        1.0,
        np.asarray(colour, float),
        opacity=opacity,
        glow=1.0 if flat else 0.0,
        gloss=0.0 if flat else 0.05,
        shaded=0.0 if flat else 1.0,
    )
    return Look(row, merged(ranges), grow)


def terrain_looks(
    terrain: Terrain | None,
    theme: Theme,
    bright: frozenset[int],
    opacity: float,
    mask: NDArray[np.bool_] | None = None,
) -> list[Look]:
    """Return the looks of everything except posts (or of those in `mask`, (n,)), selected obstacles lighter."""
    if terrain is None:
        return []
    chosen = np.zeros(len(terrain.earthen), bool)
    chosen[[index for index in bright if 0 <= index < len(chosen)]] = True
    looks = []
    for earthen, colour in ((False, theme.obstacle), (True, theme.terrain)):
        for lighter in (False, True):
            which = (terrain.earthen == earthen) & (chosen == lighter)
            which = which if mask is None else which & mask
            looks.append(
                _single_look(
                    _brighter(colour) if lighter else colour, terrain.skin_range[which], opacity
                )
            )
    return [look for look in looks if len(look.ranges)]


def terrain_outlines(
    terrain: Terrain | None, indices: list[int], width: float, colour: Colour
) -> list[Look]:
    """Return the shells of obstacles, enlarged by a fraction of the frame height; their back faces are the outline."""
    if terrain is None:
        return []
    ranges = terrain.shell_range[
        [index for index in indices if 0 <= index < len(terrain.shell_range)]
    ]
    look = _single_look(colour, ranges, 1.0, width)
    return [look] if len(look.ranges) else []


def grid_labels(camera: Camera, theme: Theme) -> list[Label]:
    """Metre labels along the x and y axes of the ground, at most a dozen in each direction, fading with distance."""
    height = float(camera.view_height(camera.target))
    raw = height / 5.0
    step = step_above(raw)
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
            text = "0" if k == 0 else tick_text(value, step) + (unit if k % 5 == 0 else "")
            labels.append(
                Label(text, position, theme.text_dim, 12.0, min(1.0, 1.6 * fade), (0.5, 1.25))
            )
    return labels


_AXIS = 34.0
_MARGIN = 54.0
"""Length of an axis and distance of the origin from the corner, pixels of a frame 720 pixels
high."""


def triad_matrix(camera: Camera, width: int, height: int, pixel: float) -> FloatArray:
    """Return the matrix (4, 4) that places axes of length 1 in the lower left corner of the frame."""
    right, up, _ = camera.axes
    matrix = np.zeros((4, 4))
    matrix[0, :3] = 2 * _AXIS * pixel / width * right
    matrix[1, :3] = 2 * _AXIS * pixel / height * up
    matrix[:, 3] = (2 * _MARGIN * pixel / width - 1, 2 * _MARGIN * pixel / height - 1, 0.0, 1.0)
    return matrix


def triad_lines(theme: Theme, camera: Camera) -> Batch:
    """Return the lines of the axes, the one that points towards the viewer last."""
    colours = (theme.axis_x, theme.axis_y, theme.axis_z)
    order = np.argsort(camera.axes[2])
    origin = np.zeros((1, 3))
    return np.concatenate([line_rows(origin, np.eye(3)[k : k + 1], 3.0, colours[k]) for k in order])


def triad_labels(theme: Theme) -> list[Label]:
    """Return the names at the ends of the axes, in the space of the triad."""
    tips = np.eye(3) * 1.33
    return [
        Label(name, (float(tip[0]), float(tip[1]), float(tip[2])), colour, 13.0)
        for name, tip, colour in zip(
            "xyz", tips, (theme.axis_x, theme.axis_y, theme.axis_z), strict=True
        )
    ]
