"""From the cursor to shifts, angles and factors: pure geometry of rays of sight, planes and rings."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.gizmo import ring_axes, size_of

Ndc = tuple[float, float]
"""A point of the picture, -1 to 1 from left to right and from bottom to top."""

_EDGE_ON = 0.03
"""Cosine between line of sight and a plane below which a pixel is worth far too much."""


def plane_point(
    camera: Camera, aspect: float, ndc: Ndc, point: FloatArray, normal: FloatArray
) -> FloatArray | None:
    """Where the ray of sight meets a plane through `point`, (3,), m; None if that is far off or behind the eye."""
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
    """Where the cursor is along some axes of a frame, measured from an anchor, (3,), m; 0 along the others.

    Parameters
    ----------
    aspect : float
        Width of the picture over its height.
    ndc : (float, float)
    anchor : (3,) array
        m.
    frame : (3, 3) array
        Columns are the axes.
    axes : str
        One or two of "xyz": a line or a plane through the anchor that the cursor is brought to.

    Returns
    -------
    (3,) array or None
        None if the line points at the eye, or the plane is seen edge-on.
    """
    of = ["xyz".index(name) for name in axes]
    if len(of) == 1:
        # The plane through the line that faces the eye.
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
    found = np.zeros(3)
    found[of] = (met - anchor) @ frame[:, of]
    return found


def free_axes(camera: Camera, allowed: str) -> str:
    """Axes that the mouse moves along if nothing is said: the ground, or from the side the upright plane one sees."""
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
    """Axis to turn about if nothing is said: the vertical, or from the side what one looks along."""
    if not allowed:
        return ""
    back = np.abs(camera.axes[2])
    if "z" in allowed and back[2] > 0.3:
        return "z"
    return max(allowed, key=lambda name: float(back["xyz".index(name)]))


def screen_angle(
    camera: Camera, aspect: float, ndc: Ndc, pivot: FloatArray, axis: FloatArray
) -> float:
    """Direction of the cursor from the pivot in the picture, rad, anticlockwise seen against the axis."""
    x, y, _ = camera.project(pivot, aspect)
    angle = math.atan2(ndc[1] - y, (ndc[0] - x) * aspect)
    return angle if float(camera.axes[2] @ axis) >= 0 else -angle


def ring_angle(
    camera: Camera, aspect: float, ndc: Ndc, pivot: FloatArray, frame: FloatArray, name: str
) -> float | None:
    """Where on a ring around an axis of a frame the cursor is, rad; along its front if it is seen edge-on."""
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
    gone = float((met - pivot) @ np.cross(axis, nearest)) / (0.86 * size_of(pivot, camera))
    return math.atan2(float(nearest @ v), float(nearest @ u)) + gone


def screen_distance(camera: Camera, aspect: float, ndc: Ndc, pivot: FloatArray) -> float:
    """Distance of the cursor from the pivot in the picture, in heights of the picture."""
    x, y, _ = camera.project(pivot, aspect)
    return 0.5 * math.hypot((ndc[0] - x) * aspect, ndc[1] - y)
