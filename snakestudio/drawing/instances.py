"""Instance rows, which pass position and appearance of solids to the shaders."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snakestudio._arrays import FloatArray
from snakestudio.drawing.style import Colour

Batch = NDArray[np.float32]

ROW_WIDTH = 16
"""Columns of a solid: position 3, half-length, quaternion x y z w, colour 4, radius, glow, gloss,
shadow of obstacles."""

LINE_WIDTH = 12
"""Columns of a line: start 3, width, end 3, opacity at the end, colour 3, opacity at the start."""


def solid_rows(
    position: FloatArray,
    quaternion: ArrayLike,
    half_length: ArrayLike,
    radius: ArrayLike,
    colour: Colour | FloatArray,
    *,
    opacity: float = 1.0,
    glow: float = 0.0,
    gloss: float = 0.35,
    shaded: float = 0.0,
) -> Batch:
    """Return the instance rows of k solids.

    Parameters
    ----------
    position : (k, 3) array
        m.
    quaternion : (k, 4) or (4,) array
        w x y z.
    half_length, radius : float or (k,) array
        m.
    colour : Colour or (k, 3) array
        As on the screen (sRGB).
    glow : float
        0 lit by the scene's light, 1 fully emissive.
    gloss : float
        Strength of the highlight.
    shaded : float
        Fraction of the key light that the shadow of obstacles removes.

    Returns
    -------
    (k, ROW_WIDTH) float32 array
    """
    rows = np.empty((len(position), ROW_WIDTH), np.float32)
    rows[:, 0:3] = position
    rows[:, 3] = half_length
    q = np.asarray(quaternion, float)
    rows[:, 4:7] = q[..., 1:]
    rows[:, 7] = q[..., 0]
    # Light is summed in linear space; a square is close enough to the sRGB curve and fast to
    # invert.
    rows[:, 8:11] = np.square(colour)
    rows[:, 11] = opacity
    rows[:, 12] = radius
    rows[:, 13] = glow
    rows[:, 14] = gloss
    rows[:, 15] = shaded
    return rows


def line_rows(
    start: FloatArray, end: FloatArray, width: float, colour: Colour, opacity: ArrayLike = 1.0
) -> Batch:
    """Return the instance rows of k line segments.

    Parameters
    ----------
    start, end : (k, 3) arrays
        m.
    width : float
        Pixels in a frame 720 pixels high.
    opacity : float or (k,) array

    Returns
    -------
    (k, LINE_WIDTH) float32 array
    """
    rows = np.empty((len(start), LINE_WIDTH), np.float32)
    rows[:, 0:3] = start
    rows[:, 3] = width
    rows[:, 4:7] = end
    rows[:, 7] = opacity
    rows[:, 8:11] = colour
    rows[:, 11] = opacity
    return rows
