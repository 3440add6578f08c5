"""A camera together with the size of its frame."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera

REFERENCE_HEIGHT = 720.0
"""Reference frame height for widths in pixels."""


_LEAST = 0.92
"""Smallest size of a reference pixel in logical pixels, so that letters of 12 have at least
11."""


def reference_pixel(height: int, ratio: float = 1.0) -> float:
    """See `View.pixel`."""
    usual = height / REFERENCE_HEIGHT
    return max(usual, _LEAST * ratio) if ratio > 1.0 else usual


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Camera transform and frame size for all painters."""

    camera: Camera
    matrix: FloatArray
    """Matrix from world to clip space. Shape (4, 4)."""

    width: int
    """Width of the frame, device pixels."""

    height: int
    """Height of the frame, device pixels."""

    ratio: float = 1.0
    """Device pixels per logical pixel of the window."""

    @classmethod
    def of(cls, camera: Camera, width: int, height: int, ratio: float = 1.0) -> View:
        """Return the view of a camera in a frame of a size."""
        return cls(camera, camera.projection(width / height) @ camera.view(), width, height, ratio)

    @property
    def pixel(self) -> float:
        """Device pixels per pixel of a frame `REFERENCE_HEIGHT` high; readable on high-resolution screens."""
        return reference_pixel(self.height, self.ratio)
