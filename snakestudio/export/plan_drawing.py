"""Obstacles, path and robot from above on the axes of a figure: for plans, figures, reports and fits."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing import path
from snakestudio.drawing.bodies import ObstacleBody, body_centre, body_rectangle
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.drawing.style import LIGHT, Colour
from snakestudio.model.obstacles.outlines import Outline, solid_outline
from snakestudio.model.obstacles.shape import shape_of
from snakestudio.model.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_world(axes: Axes, scene: Scene, base_dir: Path | None = None, names: bool = False) -> None:
    """Draw the visible obstacles of a scene, and its path.

    Raises `SceneError` if the scene refers to a file that cannot be read.

    Parameters
    ----------
    axes : Axes
        In metres, with equal scales.
    base_dir : Path, optional
        Folder to which file names in the scene are relative.
    names : bool
        Whether obstacles are labelled.
    """
    for index, body in enumerate(obstacles_of(scene.obstacles, base_dir).bodies):
        if not body.obstacle.hidden:
            _obstacle(axes, index, body, names)
    _path(axes, scene, path.outline(scene.path))


def _obstacle(axes: Axes, index: int, body: ObstacleBody, names: bool) -> None:
    from matplotlib.patches import Circle, Polygon

    fill = LIGHT.terrain if body.earthen else LIGHT.obstacle
    look = {"facecolor": (*fill, 0.45), "edgecolor": _darker(fill), "linewidth": 0.7}
    rises = shape_of(body.obstacle).rises
    # all steps, to show where they rise
    outlines = [solid_outline(solid) for solid in body.solids]
    for number, one in enumerate(outlines):
        if len(one.points) == 1:
            patch: Circle | Polygon = Circle(
                (one.points[0, 0], one.points[0, 1]), one.radius, **look
            )
        else:
            patch = Polygon(one.points, closed=True, **look)
        patch.set_gid(f"obstacle-{index + 1}" + (f"-{number + 1}" if len(outlines) > 1 else ""))
        axes.add_artist(patch)
    if rises:
        foot, top = (body_rectangle(body)[[a, b]].mean(axis=0) for a, b in ((0, 3), (1, 2)))
        rise = {
            "arrowstyle": "-|>",
            "color": _darker(fill),
            "linewidth": 0.7,
            "shrinkA": 3.0,
            "shrinkB": 3.0,
        }
        axes.annotate("", xy=top, xytext=foot, arrowprops=rise)
    if names:
        name = body.obstacle.name or f"{index + 1}"
        x, y = body_centre(body)
        axes.annotate(
            name,
            (x, y),
            (4.0 if rises else 0.0, 0.0),
            textcoords="offset points",
            ha="left" if rises else "center",
            va="center",
            fontsize=6.0,
            gid=f"name-{index + 1}",
        )


def _path(axes: Axes, scene: Scene, outline: FloatArray) -> None:
    if len(outline) < 2:
        return
    axes.plot(
        outline[:, 0],
        outline[:, 1],
        color=LIGHT.path,
        linewidth=1.0,
        solid_capstyle="round",
        gid="path",
    )
    for head in path.arrow_heads(scene.path):
        axes.plot(head[:, 0], head[:, 1], color=LIGHT.path, linewidth=1.0)


def draw_robot(axes: Axes, scene: Scene, pose: FloatArray) -> None:
    """Draw the robot at a pose (n, 7) as in `Snapshot`, with a darker head and a point ahead of it."""
    from matplotlib.patches import Polygon

    outlines = scene.body.outlines(pose)
    head = scene.body.head_part
    edge = _darker(LIGHT.link)
    for index, one in enumerate(outlines):
        is_head = index == head
        patch = Polygon(
            _capsule(one),
            closed=True,
            facecolor=edge if is_head else LIGHT.link,
            edgecolor=edge,
            linewidth=0.5 if scene.body.jointed else 0.0,
            gid="head" if is_head else f"link-{index + 1}",
            zorder=2.0 if is_head else 1.5,
        )
        axes.add_artist(patch)
    if not outlines:
        return
    ends = outlines[head].points if head == 0 else outlines[head].points[::-1]
    ahead = ends[0] - ends[-1]
    size = float(np.linalg.norm(ahead))
    if size > 0.0:
        radius = outlines[head].radius
        ahead = ahead / size
        tip = ends[0] + 2.0 * radius * ahead
        across = 0.45 * radius * np.array([-ahead[1], ahead[0]])
        base = ends[0] + 1.25 * radius * ahead
        axes.add_artist(
            Polygon([tip, base + across, base - across], closed=True, facecolor=edge, linewidth=0.0)
        )


def draw_outlines(
    axes: Axes, scene: Scene, pose: FloatArray, ink: Colour, *, style: str = "-", width: float = 0.7
) -> None:
    """Draw only the outlines of the robot at a pose (n, 7), so that several postures can be overlaid."""
    from matplotlib.patches import Polygon

    for one in scene.body.outlines(pose):
        edge = {"edgecolor": ink, "linestyle": style, "linewidth": width}
        axes.add_artist(Polygon(_capsule(one), closed=True, facecolor="none", zorder=2.5, **edge))


def _capsule(one: Outline) -> FloatArray:
    """Return corners (k, 2) of a capsule, m, with enough points for round ends."""
    start = one.points[0]
    end = one.points[-1]
    direction = math.atan2(*(end - start)[::-1])
    half = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 25)
    ends = [
        at
        + one.radius
        * np.column_stack([np.cos(direction + turn + half), np.sin(direction + turn + half)])
        for at, turn in ((end, 0.0), (start, math.pi))
    ]
    return np.concatenate(ends)


def _darker(colour: Colour) -> Colour:
    red, green, blue = (0.6 * part for part in colour)
    return red, green, blue
