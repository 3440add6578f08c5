"""A camera together with the picture it fills."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera

REFERENCE_HEIGHT = 720.0
"""Height of the picture that widths in pixels are meant for."""


_LEAST = 0.92
"""Pixels of the design that one of the reference picture has at least: letters of 12 have 11
then."""


def reference_pixel(height: int, ratio: float = 1.0) -> float:
    """See `View.pixel`."""
    usual = height / REFERENCE_HEIGHT
    return max(usual, _LEAST * ratio) if ratio > 1.0 else usual


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What every part of a picture needs to know."""

    camera: Camera
    matrix: FloatArray
    """From the world to clip space. Shape (4, 4)."""

    width: int
    height: int
    """`width` and `height`: of the picture, device pixels."""

    ratio: float = 1.0
    """Device pixels for a pixel of the window's design."""

    @classmethod
    def of(cls, camera: Camera, width: int, height: int, ratio: float = 1.0) -> View:
        """View of a camera in a picture of a size."""
        return cls(camera, camera.projection(width / height) @ camera.view(), width, height, ratio)

    @property
    def pixel(self) -> float:
        """Device pixels for a pixel of a picture `REFERENCE_HEIGHT` high; on fine screens enough to be read."""
        return reference_pixel(self.height, self.ratio)
