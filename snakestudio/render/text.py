"""Anti-aliased text on finished frames, and the letter atlas for labels of the viewport.

The letters are DejaVu Sans, rendered at development time to `resources/fonts/letters.npz`, so that
time stamps in video frames need no font library.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from snakestudio._arrays import UInt8Array
from snakestudio.drawing.style import Colour
from snakestudio.errors import GraphicsError
from snakestudio.paths import resource


@dataclass(frozen=True, slots=True)
class Glyph:
    """A letter in the atlas, pixels."""

    x: int
    """Left column of its box in the atlas."""

    y: int
    """Top row of its box in the atlas, counted downwards."""

    width: int
    """Width of the box."""

    height: int
    """Height of the box."""

    left: int
    """Distance from the pen to the left side of the box."""

    top: int
    """Distance from the top of the line down to the top of the box."""

    advance: float
    """Distance of the pen to the next letter."""


@dataclass(frozen=True, slots=True, eq=False)
class Atlas:
    """All letters in all sizes."""

    image: UInt8Array
    """Coverage, 0 to 255. Shape (h, w)."""

    sizes: tuple[int, ...]
    """Font sizes, pixels, ascending."""

    ascent: dict[int, int]
    """Distance from the baseline up to the top of the line, by size."""

    descent: dict[int, int]
    """Distance from the baseline down to the bottom of the line, by size."""

    glyphs: dict[tuple[int, str], Glyph]
    """Glyphs by size and letter."""

    def nearest(self, size: float) -> int:
        """Return the nearest size in the atlas."""
        return min(self.sizes, key=lambda have: abs(have - size))

    def layout(self, text: str, size: int) -> tuple[list[tuple[Glyph, int]], int]:
        """Return the letters with their pen positions (pixels), and the total width; unknown letters become "?"."""
        pen = 0.0
        placed = []
        for letter in text:
            glyph = self.glyphs.get((size, letter)) or self.glyphs[size, "?"]
            placed.append((glyph, round(pen)))
            pen += glyph.advance
        return placed, round(pen)


@cache
def atlas() -> Atlas:
    """Return the atlas, read once.

    Raises
    ------
    GraphicsError
    """
    path = resource("fonts", "letters.npz")
    try:
        with np.load(path) as data:
            parts = {key: data[key] for key in data.files}
    except (OSError, ValueError) as error:
        raise GraphicsError(f"The letters {path} cannot be read. Reinstall SnakeStudio") from error
    sizes = [int(size) for size in parts["sizes"]]
    glyphs = {}
    for s, size in enumerate(sizes):
        for k, letter in enumerate(parts["letters"]):
            x, y, width, height = (int(v) for v in parts["boxes"][s, k])
            left, top = (int(v) for v in parts["offsets"][s, k])
            glyphs[size, str(letter)] = Glyph(
                x, y, width, height, left, top, float(parts["advances"][s, k])
            )
    return Atlas(
        parts["image"],
        tuple(sizes),
        {size: int(parts["metrics"][s, 0]) for s, size in enumerate(sizes)},
        {size: int(parts["metrics"][s, 1]) for s, size in enumerate(sizes)},
        glyphs,
    )


def text_size(text: str, size: float) -> tuple[int, int]:
    """Return the width and height of a line of text at the nearest available font size, pixels."""
    letters = atlas()
    use = letters.nearest(size)
    return letters.layout(text, use)[1], letters.ascent[use] + letters.descent[use]


def draw_text(
    frame: UInt8Array,
    text: str,
    x: int,
    y: int,
    size: float = 20.0,
    colour: Colour = (0.9, 0.92, 0.945),
    opacity: float = 1.0,
) -> None:
    """Write a line of text into a frame, in place; text outside is cut off.

    Parameters
    ----------
    frame : (h, w, 3) uint8 array
        Row 0 at the top.
    x, y : int
        Left side and top of the line, pixels.
    size : float
        Font size, pixels; the nearest available size (11 to 64) is used.
    """
    letters = atlas()
    use = letters.nearest(size)
    ink = 255.0 * np.array(colour)
    for glyph, pen in letters.layout(text, use)[0]:
        left = x + pen + glyph.left
        top = y + glyph.top
        x0, y0 = max(left, 0), max(top, 0)
        x1, y1 = min(left + glyph.width, frame.shape[1]), min(top + glyph.height, frame.shape[0])
        if x0 >= x1 or y0 >= y1:
            continue
        rows = slice(glyph.y + y0 - top, glyph.y + y1 - top)
        columns = slice(glyph.x + x0 - left, glyph.x + x1 - left)
        cover = letters.image[rows, columns, None] * (opacity / 255.0)
        area = frame[y0:y1, x0:x1]
        area[...] = np.rint(area + (ink - area) * cover).astype(np.uint8)
