"""Rasterisation of thousands of dots and lines with numpy, because QPainter needs 0.3 s for ten thousand.

An image has, for each pixel, one of 255 colours (0 for none) and the covered fraction.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray

Bytes = NDArray[np.uint8]


def shades(values: FloatArray, low: float, high: float) -> Bytes:
    """Return the colours 1 to 255 of values between two ends; 1 for values that are not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        fraction = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
    fraction = np.where(np.isfinite(fraction), np.clip(fraction, 0.0, 1.0), 0.0)
    return (1.5 + 253.99 * fraction).astype(np.uint8)


@lru_cache(maxsize=16)
def _disc(radius: float) -> tuple[NDArray[np.intp], NDArray[np.intp], Bytes]:
    """Return the pixels of a dot, the outermost first, and their covered fractions."""
    reach = math.ceil(radius)
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    cover = np.clip(radius + 0.5 - np.hypot(x, y), 0.0, 1.0).ravel()
    order = np.argsort(cover, kind="stable")
    order = order[cover[order] > 0.0]
    return y.ravel()[order], x.ravel()[order], (255.0 * cover[order]).astype(np.uint8)


def dots(
    x: FloatArray, y: FloatArray, shade: Bytes, size: tuple[int, int], radius: float
) -> tuple[Bytes, Bytes]:
    """Draw dots, later ones over earlier ones.

    Parameters
    ----------
    x, y : (n,)
        Positions, pixels from the upper left corner.
    shade : (n,)
    size : (int, int)
        Width and height of the image.
    radius : float
        Radius of the dots, pixels.

    Returns
    -------
    shades, cover : (height, width)
    """
    width, height = size
    picture = np.zeros((height, width), np.uint8)
    cover = np.zeros((height, width), np.uint8)
    known = np.isfinite(x) & np.isfinite(y)
    column, row = np.rint(x[known]).astype(np.intp), np.rint(y[known]).astype(np.intp)
    reach = math.ceil(radius)
    inside = (
        (column >= -reach) & (column < width + reach) & (row >= -reach) & (row < height + reach)
    )
    column = column[inside]
    row = row[inside]
    shade = shade[known][inside]
    dy, dx, parts = _disc(radius)
    # Rims first, the least covered ones before the others, so that the inside of any dot is
    # fully covered.
    for part in np.unique(parts):
        at_y = np.add.outer(row, dy[parts == part])
        at_x = np.add.outer(column, dx[parts == part])
        seen = (at_y >= 0) & (at_y < height) & (at_x >= 0) & (at_x < width)
        flat = at_y[seen] * width + at_x[seen]
        picture.reshape(-1)[flat] = np.broadcast_to(shade[:, None], seen.shape)[seen]
        cover.reshape(-1)[flat] = part
    return picture, cover


class Lines:
    """Image of lines from axis to axis, later ones over earlier ones, drawn in one or several steps.

    Parameters
    ----------
    size : (int, int)
        Width and height of the image.
    smooth : bool
        Whether nearly horizontal lines are smoothed, which takes twice as long.
    """

    def __init__(self, size: tuple[int, int], smooth: bool) -> None:
        self._fine = 2 if smooth else 1
        self._picture = np.zeros((size[1] * self._fine, size[0]), np.uint8)

    def add(self, places: FloatArray, heights: FloatArray, shade: Bytes) -> None:
        """Draw further lines.

        Parameters
        ----------
        places : (a,)
            Positions of the axes from the left, ascending, pixels.
        heights : (n, a)
            Crossings of each line with the axes, pixels from above; NaN where it is not drawn.
        shade : (n,)
        """
        height, width = self._picture.shape
        flat = self._picture.reshape(-1)
        crossings = heights.astype(np.float32) * np.float32(self._fine)
        for k in range(len(places) - 1):
            left = round(float(places[k]))
            right = round(float(places[k + 1]))
            begin = crossings[:, k]
            end = crossings[:, k + 1]
            known = np.isfinite(begin) & np.isfinite(end)
            if right <= left or not known.any():
                continue
            begin, rise, hue = begin[known], (end - begin)[known], shade[known]
            # Lines between close axes are steep and cover more than one pixel of a column.
            more = max(1, min(4, round(height / self._fine / (right - left))))
            fraction = np.linspace(
                0.0, 1.0, more * (right - left), endpoint=False, dtype=np.float32
            )
            columns = np.repeat(np.arange(left, right), more)
            at = np.add(begin[:, None], np.multiply.outer(rise, fraction)).astype(np.intp)
            np.clip(at, 0, height - self._fine, out=at)
            at *= width
            at += np.clip(columns, 0, width - 1)
            if self._fine == 2:  # both halves of a line before the next line
                flat[np.stack([at, at + width], axis=1)] = hue[:, None, None]
            else:
                flat[at] = hue[:, None]

    def picture(self) -> tuple[Bytes, Bytes]:
        """Return shades and coverage, (height, width) each."""
        if self._fine == 1:
            return self._picture, np.where(self._picture > 0, 255, 0).astype(np.uint8)
        upper = self._picture[::2]
        lower = self._picture[1::2]
        cover = 127 * (upper > 0).astype(np.uint8) + 128 * (lower > 0).astype(np.uint8)
        return np.maximum(upper, lower), cover


def coloured(shade: Bytes, cover: Bytes, palette: Bytes) -> NDArray[np.uint32]:
    """Return an image for Qt: 0xAARRGGBB with colours multiplied by coverage.

    Parameters
    ----------
    shade, cover : (height, width)
    palette : (256, 3)
        Colours of the shades; entry 0 is not used.
    """
    ink = palette.astype(np.uint32)
    opaque = (0xFF000000 | (ink[:, 0] << 16) | (ink[:, 1] << 8) | ink[:, 2]).astype(np.uint32)
    opaque[0] = 0
    image: NDArray[np.uint32] = opaque[shade]
    partly = np.flatnonzero((cover < 255) & (shade > 0))
    part = cover.reshape(-1)[partly].astype(np.uint32)
    colour = palette[shade.reshape(-1)[partly]].astype(np.uint32)
    red, green, blue = ((colour[:, k] * part) // 255 for k in range(3))
    image.reshape(-1)[partly] = (part << 24) | (red << 16) | (green << 8) | blue
    return image
