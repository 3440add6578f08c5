"""A camera together with the picture it fills."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.render.camera import Camera
from snakestudio.render.instances import FloatArray

__all__ = ["REFERENCE_HEIGHT", "View"]

REFERENCE_HEIGHT = 720.0
"""Height of the picture that widths in pixels are meant for."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What every part of a picture needs to know.

    Attributes
    ----------
    camera : Camera
    matrix : (4, 4) array
        From the world to clip space.
    width, height : int
        Of the picture, device pixels.
    """

    camera: Camera
    matrix: FloatArray
    width: int
    height: int

    @classmethod
    def of(cls, camera: Camera, width: int, height: int) -> View:
        """View of a camera in a picture of a size."""
        return cls(camera, camera.projection(width / height) @ camera.view(), width, height)

    @property
    def pixel(self) -> float:
        """Device pixels for a pixel of a picture `REFERENCE_HEIGHT` high."""
        return self.height / REFERENCE_HEIGHT
