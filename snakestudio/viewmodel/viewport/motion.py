"""Shifts, angles and factors from cursor positions: geometry of view rays, planes and rings."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.gizmo import ring_axes, size_of

Ndc = tuple[float, float]
"""Point of the image, -1 to 1 from left to right and from bottom to top."""

_EDGE_ON = 0.03
"""Cosine between view direction and plane below which a pixel corresponds to too large a distance."""


def plane_point(
    camera: Camera, aspect: float, ndc: Ndc, point: FloatArray, normal: FloatArray
) -> FloatArray | None:
    """Return the intersection of the view ray with a plane through `point`, (3,), m; None if far or behind."""
    origin, direction = camera.ray(ndc, aspect)
    towards = float(direction @ normal)
    if abs(towards) < _EDGE_ON:
        return None
    s = float((point - origin) @ normal) / towards
    if s <= 0 or (not camera.orthographic and s > 200 * camera.distance):
        return None
    met: FloatArray = origin + s * direction
    return met


def coordinates(
    camera: Camera, aspect: float, ndc: Ndc, anchor: FloatArray, frame: FloatArray, axes: str
) -> FloatArray | None:
    """Return the cursor position along axes of a frame, from an anchor, (3,), m; 0 along the others.

    Parameters
    ----------
    aspect : float
        Width of the image divided by its height.
    ndc : (float, float)
    anchor : (3,) array
        Origin of the coordinates, m.
    frame : (3, 3) array
        Frame with axes as columns.
    axes : str
        One or two of "xyz": line or plane through the anchor onto which the cursor is projected.

    Returns
    -------
    (3,) array or None
        None if the line points at the camera, or the plane is seen edge-on.
    """
    of = ["xyz".index(name) for name in axes]
    if len(of) == 1:
        # The plane through the line that faces the camera.
        along = frame[:, of[0]]
        back = camera.axes[2]
        normal = back - (back @ along) * along
        size = float(np.linalg.norm(normal))
        if size < 0.1:
            return None
        normal /= size
    else:
        normal = np.cross(frame[:, of[0]], frame[:, of[1]])
    met = plane_point(camera, aspect, ndc, anchor, normal)
    if met is None:
        return None
    position = np.zeros(3)
    position[of] = (met - anchor) @ frame[:, of]
    return position


def free_axes(camera: Camera, allowed: str) -> str:
    """Return the default axes of mouse moves: the ground, or the visible upright plane from the side."""
    back = np.abs(camera.axes[2])
    if len(allowed) < 2:
        return allowed
    across = "x" if back[1] >= back[0] else "y"
    if back[2] > 0.1:
        return "xy" if "x" in allowed and "y" in allowed else allowed[:2]
    if across not in allowed:
        return allowed[:1]
    return across + "z" if "z" in allowed else across


def turning_axis(camera: Camera, allowed: str) -> str:
    """Return the default rotation axis: the vertical, or the view axis from the side."""
    if not allowed:
        return ""
    back = np.abs(camera.axes[2])
    if "z" in allowed and back[2] > 0.3:
        return "z"
    return max(allowed, key=lambda name: float(back["xyz".index(name)]))


def screen_angle(
    camera: Camera, aspect: float, ndc: Ndc, pivot: FloatArray, axis: FloatArray
) -> float:
    """Return the direction of the cursor from the pivot in the image, rad, anticlockwise about the axis."""
    x, y, _ = camera.project(pivot, aspect)
    angle = math.atan2(ndc[1] - y, (ndc[0] - x) * aspect)
    return angle if float(camera.axes[2] @ axis) >= 0 else -angle


def ring_angle(
    camera: Camera, aspect: float, ndc: Ndc, pivot: FloatArray, frame: FloatArray, name: str
) -> float | None:
    """Return the angle of the cursor on a ring around an axis of a frame, rad; along its front if edge-on."""
    axis = frame[:, "xyz".index(name)]
    back = camera.axes[2]
    u, v = ring_axes(frame, name)
    facing = float(back @ axis)
    if abs(facing) > 0.25:
        met = plane_point(camera, aspect, ndc, pivot, axis)
        return (
            None if met is None else math.atan2(float((met - pivot) @ v), float((met - pivot) @ u))
        )
    nearest = back - facing * axis
    nearest /= np.linalg.norm(nearest)
    met = plane_point(camera, aspect, ndc, pivot, back)
    if met is None:
        return None
    turned = float((met - pivot) @ np.cross(axis, nearest)) / (0.86 * size_of(pivot, camera))
    return math.atan2(float(nearest @ v), float(nearest @ u)) + turned


def screen_distance(camera: Camera, aspect: float, ndc: Ndc, pivot: FloatArray) -> float:
    """Return the distance of the cursor from the pivot in the image, in heights of the image."""
    x, y, _ = camera.project(pivot, aspect)
    return 0.5 * math.hypot((ndc[0] - x) * aspect, ndc[1] - y)
