"""Dimensions of the selection in a drawing: sizes, and gaps from edge to edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.bodies import body_centre, body_outlines, body_rectangle
from snakestudio.drawing.obstacles import Obstacles
from snakestudio.model.obstacles.outlines import Gap, Outline, least_gap, nearest_of_many
from snakestudio.model.obstacles.solids import Post
from snakestudio.model.scene import Scene
from snakestudio.text import length_text

_FAR = 3.0
"""Largest distance of neighbours, m."""

OFFSET = 24.0
"""Offset of the dimension line of a size from the measured object, pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Dimension:
    """Dimension line."""

    start: FloatArray
    """Start of the measured distance, m. Shape (2,)."""

    end: FloatArray
    """End of the measured distance, m. Shape (2,)."""

    text: str
    offset: float = 0.0
    """Offset of the line to the right of the direction from start to end, pixels, with extension lines."""

    role: str = "text"
    """Name of its colour in the palette."""


def gap_dimension(gap: Gap, *, role: str = "accent") -> Dimension:
    """Return the dimension of a gap; an overlap is labelled as such in the colour of warnings."""
    if gap.distance < 0.0:
        return Dimension(
            gap.start, gap.end, f"overlaps by {length_text(-gap.distance)}", role="warning"
        )
    return Dimension(gap.start, gap.end, length_text(gap.distance), role=role)


def selection_dimensions(
    scene: Scene, world: Obstacles, pose: FloatArray | None, obstacles: Sequence[int], robot: bool
) -> list[Dimension]:
    """Return the dimensions of the selection.

    One obstacle has its size and the gaps to its nearest neighbour and to the robot; two have the
    distance of their centres and the gap between them; several have their extent. The robot has the
    gap to the nearest obstacle.

    Parameters
    ----------
    world : Obstacles
        Obstacles of the scene.
    pose : (n, 7) array or None
        Poses of the links.
    obstacles : sequence of int
        Selected obstacles, 0-based.
    robot : bool
        Whether the robot or a link is selected.
    """
    links = () if pose is None else scene.body.outlines(pose)
    hidden = [i for i, obstacle in enumerate(scene.obstacles) if obstacle.hidden]
    if not obstacles:
        return _to_the_nearest(links, world, hidden) if robot else []
    if len(obstacles) == 1:
        index = obstacles[0]
        mine = body_outlines(world.bodies[index])
        dimensions = _size(world, index) + _to_the_nearest(mine, world, [*hidden, index])
        to_robot = least_gap(mine, links)
        if to_robot is not None and to_robot.distance < _FAR:
            dimensions.append(gap_dimension(to_robot, role="good"))
        return dimensions
    if len(obstacles) == 2:
        one, other = (world.bodies[index] for index in obstacles)
        between = least_gap(body_outlines(one), body_outlines(other))
        centres = body_centre(one), body_centre(other)
        apart = Dimension(
            *centres, length_text(float(np.linalg.norm(centres[1] - centres[0]))), OFFSET + 8.0
        )
        return ([gap_dimension(between)] if between is not None else []) + [apart]
    return _extent(world, obstacles)


def _to_the_nearest(
    mine: Sequence[Outline], world: Obstacles, without: Sequence[int]
) -> list[Dimension]:
    near = nearest_of_many(
        mine, world.low[:, :2], world.high[:, :2], lambda i: body_outlines(world.bodies[i]), without
    )
    return [gap_dimension(near[1])] if near is not None and near[1].distance < _FAR else []


def _size(world: Obstacles, index: int) -> list[Dimension]:
    """Return the diameter of a single post, or length and width of anything else."""
    body = world.bodies[index]
    post = body.solids[0]
    if len(body.solids) == 1 and isinstance(post, Post):
        west = np.array([post.x - post.radius, post.y])
        east = np.array([post.x + post.radius, post.y])
        reach = np.array([0.0, post.radius])
        return [
            Dimension(west - reach, east - reach, f"⌀ {length_text(2.0 * post.radius)}", OFFSET)
        ]
    return _sides(body_rectangle(body))


def _sides(rectangle: FloatArray) -> list[Dimension]:
    """Lower and right sides of a rectangle (4, 2), anticlockwise."""
    lines = []
    for first, second in ((0, 2), (1, 3)):
        sides = [(rectangle[k], rectangle[(k + 1) % 4]) for k in (first, second)]
        start, end = max(sides, key=lambda side: float((side[0] + side[1]) @ np.array([0.6, -0.8])))
        lines.append(Dimension(start, end, length_text(float(np.linalg.norm(end - start))), OFFSET))
    return lines


def _extent(world: Obstacles, obstacles: Sequence[int]) -> list[Dimension]:
    """Return the width and height of the box around several obstacles."""
    low = world.low[list(obstacles), :2].min(axis=0)
    high = world.high[list(obstacles), :2].max(axis=0)
    return _sides(np.array([low, (high[0], low[1]), high, (low[0], high[1])]))
