"""The gizmo as data: handles around a pivot for moving, rotating and scaling.

The same handles are drawn (`gizmo_solids`), painted in the plain view from above, and picked by the
cursor. They have a constant screen size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera

Mode = Literal["move", "turn", "scale"]

LENGTH = 0.18
"""Length of an axis as a fraction of the frame height."""

_INNER = 0.26
"""Start of an axis as a fraction of its length; the centre stays free for the moved object."""

_PLANE = (0.36, 0.60)
"""Near and far edge of a plane's square, as fractions of the axis length."""

_RING_POINTS = 72


@dataclass(frozen=True, slots=True)
class Guide:
    """A line to a snapping target."""

    start: tuple[float, float, float]
    """Start of the line, m."""

    end: tuple[float, float, float]
    """End of the line, m."""

    dot: bool = False
    """Whether a point marks the end."""


@dataclass(frozen=True, slots=True, eq=False)
class Gizmo:
    """State of the handles around a pivot."""

    mode: Mode
    pivot: FloatArray
    """Position, m. Shape (3,)."""

    axes: FloatArray = field(default_factory=lambda: np.eye(3))
    """Columns are the directions of its x, y and z. Shape (3, 3)."""

    offered: str = "xyz"
    """Available axes ("x", "y", "z") in this mode."""

    hovered: str = ""
    """Name of the handle under the cursor; "" for none."""

    held: str = ""
    """Name of the dragged handle, the only visible one; "" for none."""

    sweep: tuple[float, float] = (0.0, 0.0)
    """Start and amount of a rotation, rad, in the plane of the dragged ring."""


@dataclass(frozen=True, slots=True, eq=False)
class Handle:
    """A handle of the gizmo."""

    name: str
    """Its axes: "x", or "xy" for a plane (in alphabetical order), or "xyz" for the centre."""

    kind: Literal["axis", "plane", "ring", "middle"]
    """"axis", "plane", "ring" or "middle"."""

    points: FloatArray
    """Its line, the corners of its square, or its single point, m. Shape (k, 3)."""


def size_of(pivot: FloatArray, camera: Camera) -> float:
    """Return the length of an axis at a pivot, m."""
    return LENGTH * float(camera.view_height(pivot))


def handles(gizmo: Gizmo, camera: Camera) -> list[Handle]:
    """Return the handles of a gizmo that are usable from the camera direction, without those seen edge-on."""
    if gizmo.held:
        return [h for h in _all(gizmo, camera) if h.name == gizmo.held]
    back = camera.axes[2]
    visible = []
    for handle in _all(gizmo, camera):
        if handle.kind == "middle":
            visible.append(handle)
            continue
        if handle.kind == "plane":
            normal = next(k for k, axis in enumerate("xyz") if axis not in handle.name)
            usable = abs(float(back @ gizmo.axes[:, normal])) > 0.15
        else:
            along = abs(float(back @ gizmo.axes[:, "xyz".index(handle.name)]))
            usable = along > 0.08 if handle.kind == "ring" else along < 0.985
        if usable:
            visible.append(handle)
    return visible


def _all(gizmo: Gizmo, camera: Camera) -> list[Handle]:
    size = size_of(gizmo.pivot, camera)
    pivot = gizmo.pivot
    axes = {name: gizmo.axes[:, k] for k, name in enumerate("xyz") if name in gizmo.offered}
    if gizmo.mode == "turn":
        return [
            Handle(name, "ring", pivot + 0.86 * size * _circle(gizmo.axes, name)) for name in axes
        ]
    handles = [
        Handle(name, "axis", pivot + size * np.outer((_INNER, 1.0), axis))
        for name, axis in axes.items()
    ]
    if gizmo.mode == "move":
        near, far = (fraction * size for fraction in _PLANE)
        for a, b in (("x", "y"), ("x", "z"), ("y", "z")):
            if a in axes and b in axes:
                u, v = axes[a], axes[b]
                square = [
                    near * u + near * v,
                    far * u + near * v,
                    far * u + far * v,
                    near * u + far * v,
                ]
                handles.append(Handle(a + b, "plane", pivot + np.array(square)))
    elif len(axes) > 1:
        handles.append(Handle("xyz", "middle", pivot[None, :].copy()))
    return handles


def _circle(axes: FloatArray, name: str) -> FloatArray:
    """Return the points of the closed unit circle around an axis, (k, 3), anticlockwise seen against the axis."""
    u, v = ring_axes(axes, name)
    angle = np.linspace(0.0, math.tau, _RING_POINTS + 1)
    circle: FloatArray = np.outer(np.cos(angle), u) + np.outer(np.sin(angle), v)
    return circle


def ring_axes(axes: FloatArray, name: str) -> tuple[FloatArray, FloatArray]:
    """Return directions (3,) of angle 0 and of a right angle on a ring."""
    k = "xyz".index(name)
    return axes[:, (k + 1) % 3], axes[:, (k + 2) % 3]


# --- picking --------------------------------------------------------------------------------------


def pick_handle(
    these: Sequence[Handle],
    camera: Camera,
    ndc: tuple[float, float],
    aspect: float,
    reach: float = 0.0125,
) -> str:
    """Return the name of the handle at a point of the frame; "" if missing.

    Parameters
    ----------
    ndc : (float, float)
        Point of the frame, -1 to 1 from left to right and from bottom to top.
    aspect : float
        Width over height of the frame.
    reach : float
        Picking distance, as a fraction of the frame height.
    """
    cursor = 0.5 * np.array((ndc[0] * aspect, ndc[1]))  # unit: frame heights
    best = ""
    least = reach
    for handle in these:
        at = 0.5 * camera.project(handle.points, aspect)[:, :2] * (aspect, 1.0)
        if not np.isfinite(at).all():
            continue
        if handle.kind == "plane":
            distance = 0.0 if _inside(at, cursor) else _to_line(np.vstack((at, at[:1])), cursor)
        elif handle.kind == "middle":
            distance = 0.6 * float(np.linalg.norm(at[0] - cursor))
        elif handle.kind == "ring":
            # The rear half is drawn faintly, and is picked only if nothing else
            # is.
            parts = _halves(handle, camera)
            distance = min(
                _to_line(at, cursor, seen) + (0.0 if front else 0.3 * reach)
                for front, seen in parts
            )
        else:
            distance = _to_line(at, cursor)
        if distance < least:
            best = handle.name
            least = distance
    return best


def facing(handle: Handle, camera: Camera) -> FloatArray:
    """Return distances (m) of the segments of a ring in front of its centre, (k - 1,); negative behind it."""
    points = handle.points
    middles = 0.5 * (points[1:] + points[:-1])
    away: FloatArray = (middles - points[:-1].mean(axis=0)) @ camera.axes[2]
    return away


def _halves(handle: Handle, camera: Camera) -> list[tuple[bool, NDArray[np.intp]]]:
    """Return the segments of a ring in front of its centre, and those behind."""
    ahead = facing(handle, camera) > -1e-9
    return [
        (front, np.flatnonzero(ahead == front)) for front in (True, False) if (ahead == front).any()
    ]


def _to_line(line: FloatArray, cursor: FloatArray, pieces: NDArray[np.intp] | None = None) -> float:
    """Return the distance of a point (2,) from segments of a polyline (k, 2)."""
    start = line[:-1]
    segment = np.diff(line, axis=0)
    if pieces is not None:
        start = start[pieces]
        segment = segment[pieces]
    fraction = np.clip(
        ((cursor - start) * segment).sum(axis=1)
        / np.maximum((segment * segment).sum(axis=1), 1e-18),
        0.0,
        1.0,
    )
    return float(np.linalg.norm(start + fraction[:, None] * segment - cursor, axis=1).min())


def _inside(square: FloatArray, cursor: FloatArray) -> bool:
    """Return whether a point lies in a convex polygon (k, 2)."""
    edge = np.roll(square, -1, axis=0) - square
    to = cursor - square
    side = edge[:, 0] * to[:, 1] - edge[:, 1] * to[:, 0]
    return bool((side >= 0).all() or (side <= 0).all())
