"""Where the cursor points to on the ground, or on a plane above it."""

from __future__ import annotations

from snakestudio.drawing.camera import Camera

__all__ = ["on_plane"]


def on_plane(
    camera: Camera, ndc: tuple[float, float], aspect: float, height: float = 0.0
) -> tuple[float, float] | None:
    """Where the ray of sight through a point of the picture meets the plane at `height` (m), m; None far off.

    Parameters
    ----------
    camera : Camera
    ndc : (float, float)
        Normalised device coordinates.
    aspect, height : float
    """
    origin, direction = camera.ray(ndc, aspect)
    if direction[2] > -0.02:
        return None  # at or above the horizon a pixel is worth kilometres
    s = (height - origin[2]) / direction[2]
    if s <= 0 or (not camera.orthographic and s > 200 * camera.distance):
        return None
    point = origin + s * direction
    return float(point[0]), float(point[1])
