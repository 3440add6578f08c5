"""From a Scene's obstacles to the arrays that the contact kernels work on (nothing here is compiled)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.grid import make_grid
from snakestudio.kernels.solid_distance import LOWER_OPEN, UPPER_OPEN
from snakestudio.kernels.solids import EXTRUDED, POST, RELIEF, World
from snakestudio.kernels.terrain_shape import BLOCK
from snakestudio.model.scene import Scene
from snakestudio.model.solids import Block, Post, Prism, Relief, Solid, obstacle_solids
from snakestudio.model.world import HeightField, Obstacle

__all__ = ["MARGIN", "make_world", "world_of_solids"]

FloatArray = NDArray[np.float64]

MARGIN = 0.01
"""Contacts are found up to a gap of this times the link's reach."""

_GROUND = 1e-9
"""What reaches no higher than this is covered by the ground plane, m."""


class _Arrays:
    """Grows solid by solid; `World` says what each list holds."""

    def __init__(self) -> None:
        self.reach: list[tuple[float, ...]] = []
        self.lowest: list[tuple[float, float]] = []
        self.highest: list[tuple[float, float]] = []
        self.labels: list[tuple[int, ...]] = []
        self.frames: list[FloatArray] = []
        self.corners: list[FloatArray] = []
        self.heights: list[FloatArray] = []
        self.tops: list[FloatArray] = []
        self._n = {"corners": 0, "heights": 0, "tops": 0}

    def _append(self, name: str, array: FloatArray) -> int:
        """Add a piece to one of the long arrays; returns where it begins."""
        begin = self._n[name]
        self._n[name] += len(array)
        getattr(self, name).append(array)
        return begin

    def add(self, solid: Solid, body: int, number: int) -> None:
        """Enter a solid, unless the ground covers it."""
        if isinstance(solid, Post):
            self._post(solid, body, number)
        elif isinstance(solid, Relief):
            self._relief(solid, body, number)
        else:
            self._extruded(solid, body, number)

    def _place(self, points: FloatArray, low: float, kind: int, body: int, number: int, extra: tuple[int, ...]) -> None:
        """Enter the outline of a solid with corners `points` (k, 3) and its labels."""
        least, greatest = points.min(axis=0), points.max(axis=0)
        centre = 0.5 * (least + greatest)[:2]
        radius = float(np.sqrt(((points[:, :2] - centre) ** 2).sum(axis=1).max())) * (1.0 + 1e-12)
        self.reach.append((centre[0], centre[1], radius, low, greatest[2]))
        self.lowest.append((least[0], least[1]))
        self.highest.append((greatest[0], greatest[1]))
        self.labels.append((kind, body, number, *extra, *([0] * (4 - len(extra)))))

    def _post(self, post: Post, body: int, number: int) -> None:
        if post.high <= _GROUND:
            return
        centre = np.array([post.x, post.y, 0.5 * (post.low + post.high)])
        self.frames.append(np.concatenate([centre, np.eye(3).ravel(), [0.5 * (post.high - post.low), post.radius]]))
        self.reach.append((post.x, post.y, post.radius, post.low, post.high))
        self.lowest.append((post.x - post.radius, post.y - post.radius))
        self.highest.append((post.x + post.radius, post.y + post.radius))
        begin = self._n["corners"]
        caps = UPPER_OPEN | (LOWER_OPEN if post.low > _GROUND else 0)
        self.labels.append((POST, body, number, begin, begin, caps, 0))

    def _extruded(self, solid: Block | Prism, body: int, number: int) -> None:
        """A block is a prism with a rectangular profile."""
        if isinstance(solid, Block):
            a, half, c = solid.half
            origin, profile = solid.centre, np.array([[-a, -c], [a, -c], [a, c], [-a, c]])
        else:
            origin, profile, half = solid.origin, solid.profile, solid.half_width
        axes = solid.rotation[:, [0, 2, 1]].T
        flat = origin + profile @ axes[:2]
        points = np.concatenate([flat - half * axes[2], flat + half * axes[2]])
        if points[:, 2].max() <= _GROUND:
            return
        edge = np.roll(profile, -1, axis=0) - profile
        length = np.hypot(edge[:, 0], edge[:, 1])
        high = flat[:, 2] + abs(half * axes[2, 2])  # of either of a corner's two points
        rows = np.column_stack(
            [profile, edge[:, 1] / length, -edge[:, 0] / length, length, np.maximum(high, np.roll(high, -1)) > _GROUND]
        )
        m = len(profile)
        caps = (LOWER_OPEN if points[:m, 2].max() > _GROUND else 0) | (
            UPPER_OPEN if points[m:, 2].max() > _GROUND else 0
        )
        begin = self._append("corners", rows)
        self.frames.append(np.concatenate([origin, axes.ravel(), [half, 0.0]]))
        self._place(points, float(points[:, 2].min()), EXTRUDED, body, number, (begin, begin + m, caps))

    def _relief(self, relief: Relief, body: int, number: int) -> None:
        heights = relief.heights
        if relief.origin[2] + heights.max() <= _GROUND:
            return
        ny, nx = heights.shape
        cos, sin = np.cos(relief.yaw), np.sin(relief.yaw)
        axes = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
        top = float(heights.max())
        far_x, far_y = (nx - 1) * relief.dx, (ny - 1) * relief.dy
        box = np.array([[0.0, 0.0, top], [far_x, 0.0, top], [far_x, far_y, top], [0.0, far_y, top]])
        tops = np.array(
            [
                [heights[j : j + BLOCK + 1, i : i + BLOCK + 1].max() for i in range(0, nx, BLOCK)]
                for j in range(0, ny, BLOCK)
            ]
        )
        begin, begin_top = self._append("heights", heights.ravel()), self._append("tops", tops.ravel())
        self.frames.append(np.concatenate([relief.origin, axes.ravel(), [relief.dx, relief.dy]]))
        self._place(relief.origin + box @ axes, -np.inf, RELIEF, body, number, (begin, begin_top, nx, ny))

    def world(self, key: int, reach: float) -> World:
        """Everything as arrays, with the grid for links of this reach."""
        k = len(self.reach)
        grid = make_grid(np.array(self.lowest).reshape(k, 2), np.array(self.highest).reshape(k, 2), np.full(k, reach))

        def joined(pieces: Sequence[FloatArray], shape: tuple[int, ...]) -> FloatArray:
            return np.ascontiguousarray(np.concatenate([np.zeros(shape), *pieces]), dtype=np.float64)

        return World(
            key, *grid,
            np.array(self.reach, dtype=np.float64).reshape(k, 5), np.array(self.labels, dtype=np.int64).reshape(k, 7),
            np.array(self.frames, dtype=np.float64).reshape(k, 14), joined(self.corners, (0, 6)),
            joined(self.heights, (0,)), joined(self.tops, (0,)),
        )  # fmt: skip


def world_of_solids(bodies: Sequence[Sequence[Solid]], reach: float, key: int = 0) -> World:
    """The world made of the solids of every obstacle.

    Parameters
    ----------
    bodies : sequence of sequences of Solid
        By obstacle.
    reach : float
        Distance from a link's centre to the farthest point of its surface, m.
    key : int
        See `World`.
    """
    arrays = _Arrays()
    for body, solids in enumerate(bodies):
        for number, solid in enumerate(solids):
            arrays.add(solid, body, number)
    return arrays.world(key, reach * (1.0 + MARGIN))


def _shape_of(obstacle: Obstacle, base_dir: Path | None) -> tuple[object, ...]:
    """Everything of an obstacle that its solids depend on."""
    values = tuple(value for name, value in obstacle if name not in ("name", "friction"))
    if not isinstance(obstacle, HeightField) or obstacle.picture is None:
        return values
    path = (base_dir or Path()) / obstacle.picture
    return *values, str(path), path.stat().st_mtime_ns if path.exists() else 0


def make_world(scene: Scene, base_dir: Path | None, old: World | None = None) -> World:
    """The solids of a scene's obstacles, ready for the contact kernels.

    Parameters
    ----------
    scene : Scene
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    old : World or None
        Handed back if the obstacles (but for friction and name) and the links are the same.

    Raises
    ------
    SceneError
        If the table or the picture of a height field cannot be used.
    """
    reach = scene.robot.contact_half_length_m + scene.robot.radius_m
    key = hash((reach, *(_shape_of(obstacle, base_dir) for obstacle in scene.obstacles)))
    if old is not None and old.key == key:
        return old
    return world_of_solids([obstacle_solids(obstacle, base_dir) for obstacle in scene.obstacles], reach, key)
