"""Solids of the gizmo: arrows, squares, rings and boxes in the colours of the axes, and guide lines."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing import quaternion as quat
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.gizmo import Gizmo, Guide, Handle, facing, handles, ring_axes, size_of
from snakestudio.drawing.instances import LINE_WIDTH, Batch, line_rows, solid_rows
from snakestudio.drawing.style import Colour, Theme
from snakestudio.model.rotations import quaternions

_SHAFT = 3.2
_SHAFT_HELD = 4.6
_RING = 3.0
_RING_HELD = 4.4
_RING_BEHIND = 1.8
_LONG_LINE = np.linspace(-14.0, 14.0, 57)[:, None]
"""Points of the line along a constraint axis, in axis lengths of the gizmo: beyond the edges of the
frame, and in short segments, so that only the tiles along it are multisampled."""

_TURNED = np.array((1.0, 0.0, 0.0, 0.0))


def axis_colour(name: str, theme: Theme) -> Colour:
    """Return the colour of an axis; of a plane the colour of its normal axis; of the centre the text colour."""
    axis = name if len(name) == 1 else next((a for a in "xyz" if a not in name), "")
    return {"x": theme.axis_x, "y": theme.axis_y, "z": theme.axis_z}.get(axis, theme.text)


def handle_colour(gizmo: Gizmo, handle: Handle, theme: Theme) -> Colour:
    """Return the colour of a handle: closer to the text colour if hovered or dragged."""
    r, g, b = axis_colour(handle.name, theme)
    if handle.name not in (gizmo.hovered, gizmo.held):
        return r, g, b
    s = 0.55
    (tr, tg, tb) = theme.text
    return r + s * (tr - r), g + s * (tg - g), b + s * (tb - b)


def gizmo_solids(gizmo: Gizmo, camera: Camera, theme: Theme) -> dict[str, Batch]:
    """Return heads, boxes, squares and the centre, by mesh."""
    size = size_of(gizmo.pivot, camera)
    solids: dict[str, list[Batch]] = {"cone": [], "cube": [], "plate": []}
    for handle in handles(gizmo, camera):
        bright = handle.name in (gizmo.hovered, gizmo.held)
        colour = handle_colour(gizmo, handle, theme)
        grown = 1.22 if bright else 1.0
        if handle.kind == "axis":
            tip = handle.points[-1:]
            direction = np.diff(handle.points, axis=0)
            turn = quat.between(direction / np.linalg.norm(direction))
            mesh, radius = ("cone", 0.072) if gizmo.mode == "move" else ("cube", 0.062)
            solids[mesh].append(_rows(tip, turn, grown * radius * size, colour))
        elif handle.kind == "plane":
            middle = handle.points.mean(axis=0, keepdims=True)
            normal = np.cross(*(np.diff(handle.points[:3], axis=0)))[None, :]
            turn = _frame(handle.points[1] - handle.points[0], normal[0] / np.linalg.norm(normal))
            half = 0.5 * float(np.linalg.norm(handle.points[1] - handle.points[0]))
            solids["plate"].append(_rows(middle, turn, half, colour, 0.92 if bright else 0.62))
        elif handle.kind == "middle":
            solids["cube"].append(
                _rows(handle.points, _matrix_turn(gizmo.axes), grown * 0.085 * size, colour)
            )
    return {mesh: np.concatenate(rows) for mesh, rows in solids.items() if rows}


def gizmo_lines(gizmo: Gizmo, camera: Camera, theme: Theme) -> Batch:
    """Return shafts and rings; for a dragged handle also its constraint line or rotation angle."""
    lines = [np.zeros((0, LINE_WIDTH), np.float32)]
    for handle in handles(gizmo, camera):
        bright = handle.name in (gizmo.hovered, gizmo.held)
        colour = handle_colour(gizmo, handle, theme)
        if handle.kind == "axis":
            width = _SHAFT_HELD if bright else _SHAFT
            if gizmo.held:
                along = gizmo.pivot + _LONG_LINE * (handle.points[1:] - gizmo.pivot)
                lines.append(line_rows(along[:-1], along[1:], 1.4, colour, 0.7))
            lines.append(line_rows(handle.points[:1], handle.points[1:], width, colour))
        elif handle.kind == "ring":
            ahead = facing(handle, camera) > -1e-9
            start = handle.points[:-1]
            end = handle.points[1:]
            lines.append(line_rows(start[~ahead], end[~ahead], _RING_BEHIND, colour, 0.3))
            lines.append(
                line_rows(start[ahead], end[ahead], _RING_HELD if bright else _RING, colour)
            )
            if gizmo.held:
                lines.append(_sweep(gizmo, handle, colour))
    return np.concatenate(lines)


def _sweep(gizmo: Gizmo, handle: Handle, colour: Colour) -> Batch:
    """Return the spokes of a rotation: start, current angle, and faint ones in between."""
    begin, angle = gizmo.sweep
    u, v = ring_axes(gizmo.axes, handle.name)
    radius = float(np.linalg.norm(handle.points[0] - gizmo.pivot))
    at = begin + np.linspace(
        0.0, math.copysign(min(abs(angle), math.tau), angle), max(2, int(abs(angle) * 30))
    )
    rim = gizmo.pivot + radius * (np.outer(np.cos(at), u) + np.outer(np.sin(at), v))
    middle = np.broadcast_to(gizmo.pivot, rim.shape)
    opacity = np.where((np.arange(len(at)) == 0) | (np.arange(len(at)) == len(at) - 1), 1.0, 0.22)
    return line_rows(middle, rim, 2.0, colour, opacity)


def guide_lines(guides: Sequence[Guide], theme: Theme) -> Batch:
    """Return the lines of guides."""
    rows = [np.zeros((0, LINE_WIDTH), np.float32)]
    for guide in guides:
        rows.append(
            line_rows(np.array([guide.start]), np.array([guide.end]), 1.6, theme.accent, 0.9)
        )
    return np.concatenate(rows)


def guide_dots(guides: Sequence[Guide], camera: Camera, theme: Theme) -> Batch:
    """Return the points at snapping targets."""
    at = np.array([guide.end for guide in guides if guide.dot], float).reshape(-1, 3)
    return _rows(at, _TURNED, 0.0065 * camera.view_height(at), theme.accent)


def _rows(
    at: FloatArray,
    turn: FloatArray,
    radius: float | FloatArray,
    colour: Colour,
    opacity: float = 1.0,
) -> Batch:
    return solid_rows(at, turn, 0.0, radius, colour, opacity=opacity, glow=0.82, gloss=0.0)


def _frame(along: FloatArray, normal: FloatArray) -> FloatArray:
    """Return the quaternion (4,) that turns x to a direction and z to a unit normal perpendicular to it."""
    x = along / np.linalg.norm(along)
    return _matrix_turn(np.column_stack((x, np.cross(normal, x), normal)))


def _matrix_turn(axes: FloatArray) -> FloatArray:
    """Return the quaternion (4,) of a rotation (3, 3)."""
    turn: FloatArray = quaternions(axes[None])[0]
    return turn
