"""Colour bar of a continuous body, with the exaggeration factor of its radius.

It is part of the frame, so that window, screenshot and video show the same one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.instances import Batch, line_rows
from snakestudio.drawing.quantities import QUANTITIES, Range, gradient, tick_texts
from snakestudio.drawing.style import Theme
from snakestudio.drawing.world import Label

_WIDTH = 236.0
_PAD = 14.0
_MARGIN = 14.0
_TITLE = 24.0
_COLOURS = 36.0
_NOTE = 22.0
"""Heights of the title, of the colours with their ticks, and of a note; all in pixels of a picture
720 pixels high."""

_THICK = 11.0
_TICK = 4.0
_STEPS = 111


@dataclass(frozen=True, slots=True)
class Bar:
    """Content of the colour bar in the upper right corner."""

    quantity: str
    """A key of `QUANTITIES`; "" without colours."""

    span: Range
    """Values at the ends of the colours, SI."""

    note: str
    """A line below; "" for none."""

    top: float
    """Distance from the upper edge as a fraction of the frame height; the space above is occupied."""

    @property
    def title(self) -> str:
        """Name, symbol and unit."""
        if not self.quantity:
            return ""
        what = QUANTITIES[self.quantity]
        parts = (what.title, what.symbol, f"({tick_texts(self.span, what.unit)[1]})")
        return "  ".join(part for part in parts if part)

    @property
    def height(self) -> float:
        """Height in pixels of a frame 720 pixels high."""
        return (
            2 * 6.0 + (_TITLE + _COLOURS if self.quantity else 0.0) + (_NOTE if self.note else 0.0)
        )


def bar(quantity: str, span: Range, scale: float, top: float) -> Bar | None:
    """Bar of a body coloured by `quantity` with radius changes exaggerated by `scale`; None without either."""
    note = "" if scale == 1.0 else f"radius changes drawn ×{scale:g}"
    return Bar(quantity, span, note, top) if quantity or note else None


def bar_scale(pixel: float) -> float:
    """Return the device pixels per pixel of the bar, which stays readable in small frames."""
    return max(pixel, 0.85)


def bar_left(width: int, pixel: float) -> float:
    """Return the left edge of a bar in a frame of a width, device pixels; `pixel` as in `View`."""
    return width - (_WIDTH + _MARGIN) * bar_scale(pixel)


def bar_corner(this: Bar, width: int, height: int, pixel: float) -> tuple[float, float, float]:
    """Return the left and upper edge of the bar in a frame, and device pixels per pixel of the bar."""
    size = bar_scale(pixel)
    return bar_left(width, pixel), max(this.top * height, _MARGIN * size), size


def bar_matrix(this: Bar, width: int, height: int, pixel: float) -> FloatArray:
    """Return the matrix (4, 4) from pixels right of and below the bar's upper left corner to clip space."""
    matrix = np.zeros((4, 4))
    left, top, size = bar_corner(this, width, height, pixel)
    matrix[0, 0] = 2 * size / width
    matrix[1, 1] = -2 * size / height
    matrix[:, 3] = (2 * left / width - 1, 1 - 2 * top / height, 0.0, 1.0)
    return matrix


def bar_lines(this: Bar, theme: Theme, pixel: float) -> Batch:
    """Return the background, colours and ticks."""
    # Line widths are in pixels of a frame 720 high; those of the bar can be larger.
    grow = bar_scale(pixel) / pixel
    high = this.height
    parts = [_flat((0.0, high / 2), (_WIDTH, high / 2), high * grow, theme.floor, 0.86)]
    if this.quantity:
        signed = QUANTITIES[this.quantity].signed
        x0 = _PAD
        x1 = _WIDTH - _PAD
        y = 6.0 + _TITLE + _THICK / 2
        edge = np.zeros((_STEPS + 1, 3))
        edge[:, 0] = np.linspace(x0, x1, _STEPS + 1)
        edge[:, 1] = y
        steps = line_rows(edge[:-1], edge[1:], _THICK * grow, theme.text)
        steps[:, 8:11] = gradient(signed, _STEPS)
        parts.append(steps)
        for fraction, _ in tick_texts(this.span, QUANTITIES[this.quantity].unit)[0]:
            x = x0 + fraction * (x1 - x0)
            below = y + _THICK / 2
            parts.append(_flat((x, below), (x, below + _TICK), grow, theme.text_dim, 1.0))
    return np.concatenate(parts)


def _flat(
    start: tuple[float, float],
    end: tuple[float, float],
    width: float,
    colour: tuple[float, float, float],
    alpha: float,
) -> Batch:
    return line_rows(np.array([(*start, 0.0)]), np.array([(*end, 0.0)]), width, colour, alpha)


def bar_labels(this: Bar, theme: Theme, pixel: float) -> list[Label]:
    """Return the title, ticks and note."""
    size = 12.0 * bar_scale(pixel) / pixel
    labels = []
    y = 6.0
    if this.quantity:
        labels.append(
            Label(this.title, (_PAD, y + _TITLE / 2, 0.0), theme.text, size, 1.0, (0.0, 0.5))
        )
        x0 = _PAD
        x1 = _WIDTH - _PAD
        for fraction, text in tick_texts(this.span, QUANTITIES[this.quantity].unit)[0]:
            at = (x0 + fraction * (x1 - x0), y + _TITLE + _THICK + _TICK + 1.0, 0.0)
            # Labels at the ends stay inside.
            side = 0.0 if fraction < 0.02 else 1.0 if fraction > 0.98 else 0.5
            labels.append(Label(text, at, theme.text, size, 1.0, (side, 1.0)))
        y += _TITLE + _COLOURS
    if this.note:
        labels.append(
            Label(this.note, (_PAD, y + _NOTE / 2, 0.0), theme.text_dim, size, 1.0, (0.0, 0.5))
        )
    return labels
