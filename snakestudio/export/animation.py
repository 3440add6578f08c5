"""Frames as an animated GIF: one palette made for the whole of it, and a fine pattern in place of missing shades."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from snakestudio.export.encoder import FrameFile

__all__ = ["MAX_FPS", "Animation", "palette_of"]

UInt8Array = NDArray[np.uint8]

MAX_FPS = 50
"""Browsers show a frame for at least a fiftieth of a second."""

_COLOURS = 255
"""One of the 256 means "as before", which makes what stands still cost nothing."""

_BAYER = np.array([(0, 8, 2, 10), (12, 4, 14, 6), (3, 11, 1, 9), (15, 7, 13, 5)])
_PATTERN = ((_BAYER + 0.5) / 16 - 0.5) * 10.0
"""Amounts that are added to the colours before the nearest of the palette is taken: unlike scattered errors, a pattern
that stands still does not flicker."""


def palette_of(frames: Sequence[UInt8Array]) -> UInt8Array:
    """The colours, (255, 3), that serve all these frames best."""
    small = [frame[::2, ::2] for frame in frames]
    picture = Image.fromarray(np.concatenate([part.reshape(-1, 1, 3) for part in small]))
    made = picture.quantize(_COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).getpalette() or []
    colours = np.zeros((_COLOURS, 3), np.uint8)
    found = np.array(made, np.uint8).reshape(-1, 3)[:_COLOURS]
    colours[: len(found)] = found
    return colours


class Animation(FrameFile):
    """A GIF being written, frame by frame; a context manager.

    Parameters
    ----------
    path : path
    width, height : int
        Size of the frames, px.
    fps : int
        Frames a second, at most `MAX_FPS`; each is shown for whole hundredths of a second, right on the average.
    palette : (255, 3) array
    """

    def __init__(self, path: Path, width: int, height: int, fps: int, palette: UInt8Array) -> None:
        self._container = av.open(str(path), "w", options={"fflags": "+bitexact", "loop": "0"})
        stream = self._container.add_stream("gif", rate=fps)
        assert isinstance(stream, av.VideoStream)
        self._stream = stream
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "pal8"
        self._stream.codec_context.time_base = Fraction(1, 100)
        self._fps = fps
        self._count = 0
        self._palette = np.zeros((256, 4), np.uint8)  # alpha, red, green, blue; the last one is see-through
        self._palette[:_COLOURS, 0], self._palette[:_COLOURS, 1:] = 255, palette
        self._chooser = Image.new("P", (1, 1))
        self._chooser.putpalette(np.concatenate([palette, palette[:1]]).tobytes())
        self._pattern = np.tile(_PATTERN, (-(-height // 4), -(-width // 4)))[:height, :width, None]

    def write(self, frame: UInt8Array) -> None:
        """Add a frame, (height, width, 3), RGB."""
        coloured = np.clip(np.rint(frame + self._pattern), 0, 255).astype(np.uint8)
        chosen = np.asarray(Image.fromarray(coloured).quantize(palette=self._chooser, dither=Image.Dither.NONE))
        indices = np.where(chosen < _COLOURS, chosen, 0).astype(np.uint8)
        picture = av.VideoFrame.from_ndarray((indices, self._palette), format="pal8")  # type: ignore[arg-type]
        picture.time_base = Fraction(1, 100)
        picture.pts = round(100 * self._count / self._fps)
        self._count += 1
        self._container.mux(self._stream.encode(picture))
