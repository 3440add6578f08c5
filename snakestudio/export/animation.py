"""Animated GIFs: one palette for all frames, and ordered dithering for missing shades."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np
from PIL import Image
from PIL.GifImagePlugin import getdata

from snakestudio._arrays import UInt8Array

MAX_FPS = 50
"""Browsers show a frame for at least 1/50 s."""

_COLOURS = 255
"""One of the 256 entries means "unchanged", so that static parts take no space."""

_KEEP = 1
"""Disposal method: a frame is kept, and the next one is drawn over it."""

_BAYER = np.array([(0, 8, 2, 10), (12, 4, 14, 6), (3, 11, 1, 9), (15, 7, 13, 5)])
_PATTERN = ((_BAYER + 0.5) / 16 - 0.5) * 10.0
"""Offsets that are added to the colours before the nearest palette entry is chosen: unlike
error diffusion, a static pattern does not flicker."""


def palette_of(frames: Sequence[UInt8Array]) -> UInt8Array:
    """Return the best palette, (255, 3), for all these frames."""
    small = [frame[::2, ::2] for frame in frames]
    picture = Image.fromarray(np.concatenate([part.reshape(-1, 1, 3) for part in small]))
    quantized = (
        picture.quantize(_COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).getpalette()
        or []
    )
    colours = np.zeros((_COLOURS, 3), np.uint8)
    palette = np.array(quantized, np.uint8).reshape(-1, 3)[:_COLOURS]
    colours[: len(palette)] = palette
    return colours


class Animation:
    """Writer of a GIF, frame by frame; a context manager that finishes the file.

    Parameters
    ----------
    width, height : int
        Size of the frames, px.
    fps : int
        Frames per second, at most `MAX_FPS`; the duration of each is rounded to 0.01 s, correct on
        average.
    palette : (255, 3) array
    """

    def __init__(self, path: Path, width: int, height: int, fps: int, palette: UInt8Array) -> None:
        self._fps = fps
        self._count = 0
        self._before: UInt8Array | None = None
        self._chooser = Image.new("P", (1, 1))
        self._chooser.putpalette(np.concatenate([palette, palette[:1]]).tobytes())
        self._pattern = np.tile(_PATTERN, (-(-height // 4), -(-width // 4)))[:height, :width, None]
        self._file = path.open("wb")
        colours = np.concatenate([palette, np.zeros((1, 3), np.uint8)])
        # One table of 256 colours for all frames; repeats forever.
        self._file.write(
            b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0) + colours.tobytes()
        )
        self._file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")

    def write(self, frame: UInt8Array) -> None:
        """Add a frame, (height, width, 3), RGB."""
        coloured = np.clip(np.rint(frame + self._pattern), 0, 255).astype(np.uint8)
        chosen = np.asarray(
            Image.fromarray(coloured).quantize(palette=self._chooser, dither=Image.Dither.NONE)
        )
        indices = np.where(chosen < _COLOURS, chosen, 0).astype(np.uint8)
        part = indices
        left = 0
        top = 0
        if self._before is not None:
            part, left, top = _what_changed(self._before, indices)
        self._before = indices
        duration = round(100 * (self._count + 1) / self._fps) - round(100 * self._count / self._fps)
        self._count += 1
        for piece in getdata(
            Image.fromarray(part),
            (left, top),
            duration=10 * duration,
            transparency=_COLOURS,
            disposal=_KEEP,
        ):
            self._file.write(piece)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._file:
            self._file.write(b";")


def _what_changed(before: UInt8Array, after: UInt8Array) -> tuple[UInt8Array, int, int]:
    """Return the smallest part of an image with all changes, transparent where unchanged, and its left and top."""
    changed = before != after
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if not len(rows):
        return np.full((1, 1), _COLOURS, np.uint8), 0, 0
    region = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return (
        np.where(changed[region], after[region], _COLOURS).astype(np.uint8),
        int(columns[0]),
        int(rows[0]),
    )
