"""Drawing of the path on the ground: its line with arrows, its waypoints, and the guide points of the robot."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.instances import LINE_WIDTH, ROW_WIDTH, Batch, line_rows, solid_rows
from snakestudio.drawing.style import Colour, Theme
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.track import track

_ABOVE = 0.003
"""Height of the line above the ground, m: in front of the grid and below the robot."""

_WIDTH = 3.0
_SPACING = 0.5
_MOST_ARROWS = 200
"""Spacing of the arrows on the line, m, and their largest number."""


def outline(path: GroundPath) -> FloatArray:
    """Return points (k, 2), m, of a polyline along a path, even an unfinished one."""
    if not path or path.mistakes():
        return np.array(path.waypoints_m, np.float64).reshape(-1, 2)
    return track(path).points


def arrow_heads(path: GroundPath) -> FloatArray:
    """Return the arrow heads on the path, (k, 3, 2), m: one end, the tip and the other end."""
    if not path or path.mistakes():
        return np.zeros((0, 3, 2))
    course = track(path)
    count = int(min(max(1.0, course.length / _SPACING), _MOST_ARROWS))
    size = min(0.07, 0.2 * course.length)
    heads = np.empty((count, 3, 2))
    for k, s in enumerate((np.arange(count) + 0.5) * course.length / count):
        point, direction = course.pose(float(s))
        for row, turn in ((0, 2.6), (2, -2.6)):
            heads[k, row] = point + size * np.array(
                [np.cos(direction + turn), np.sin(direction + turn)]
            )
        heads[k, 1] = point
    return heads


def _raised(points: FloatArray) -> FloatArray:
    return np.column_stack([points, np.full(len(points), _ABOVE)])


@lru_cache(maxsize=4)
def path_lines(path: GroundPath, colour: Colour) -> Batch:
    """Return the line of a path and its arrow heads; empty if missing; read-only."""
    points = _raised(outline(path))
    if len(points) < 2:
        return np.zeros((0, LINE_WIDTH), np.float32)
    heads = arrow_heads(path)
    strokes = [
        line_rows(_raised(heads[:, a]), _raised(heads[:, 1]), _WIDTH, colour) for a in (0, 2)
    ]
    return np.concatenate([line_rows(points[:-1], points[1:], _WIDTH, colour, 0.85), *strokes])


def waypoint_marks(path: GroundPath, chosen: int, camera: Camera, theme: Theme) -> Batch:
    """Return the marks of the waypoints; the one at index `chosen` is highlighted."""
    if not path:
        return np.zeros((0, ROW_WIDTH), np.float32)
    at = _raised(np.array(path.waypoints_m, np.float64))
    size = np.where(np.arange(len(at)) == chosen, 0.0125, 0.0075) * camera.view_height(at)
    colour = np.where(
        np.arange(len(at))[:, None] == chosen, np.array(theme.accent), np.array(theme.path)
    )
    return solid_rows(at, (1.0, 0.0, 0.0, 0.0), 0.0, size, colour, glow=0.6)


def guide_points(snapshot: Snapshot) -> FloatArray | None:
    """Centre of mass, nearest point of the path and look-ahead point, (3, 2), m; None without path following."""
    keys = ("path_x_m", "path_y_m", "look_ahead_x_m", "look_ahead_y_m")
    if not len(snapshot.link_pose) or not all(key in snapshot.control for key in keys):
        return None
    points = np.vstack(
        [snapshot.centre_of_mass[:2], np.reshape([snapshot.control[key] for key in keys], (2, 2))]
    )
    return points if np.isfinite(points).all() else None


def guide_lines(snapshot: Snapshot, theme: Theme) -> Batch:
    """Return the lines from the centre of mass to the look-ahead point and to the path."""
    points = guide_points(snapshot)
    if points is None:
        return np.zeros((0, LINE_WIDTH), np.float32)
    raised = _raised(points)
    return line_rows(raised[[0, 0]], raised[[2, 1]], 1.5, theme.text, np.array([0.8, 0.4]))


def guide_marks(snapshot: Snapshot, camera: Camera, theme: Theme) -> Batch:
    """Return the marks of the nearest point of the path (small) and the look-ahead point."""
    points = guide_points(snapshot)
    if points is None:
        return np.zeros((0, ROW_WIDTH), np.float32)
    at = _raised(points[1:])
    size = np.array([0.006, 0.011]) * camera.view_height(at)
    return solid_rows(at, (1.0, 0.0, 0.0, 0.0), 0.0, size, theme.text, glow=0.6)
