"""Conversion of a Scene's obstacles to the arrays of the contact kernels (without compiled code)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.grid import make_grid
from snakestudio.inputs import local_path
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.solid_distance import LOWER_OPEN, UPPER_OPEN
from snakestudio.kernels.solids import EXTRUDED, POST, RELIEF, World
from snakestudio.kernels.terrain_shape import BLOCK
from snakestudio.model.by_identity import by_identity
from snakestudio.model.obstacles.shape import Obstacle, files_of, obstacle_solids, shape_of
from snakestudio.model.obstacles.solids import Block, Post, Prism, Relief, Solid
from snakestudio.model.scene import Scene

MARGIN = 0.01
"""Gap up to which contacts are detected, as a fraction of the link's reach."""

_GROUND = 1e-9
"""Height up to which a solid is covered by the ground plane, m."""

_WITHOUT_SHAPE = ("name", "group", "locked", "hidden", "friction")
"""Keys of an obstacle that do not affect its shape."""


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """Contribution of a solid to the arrays of `World`."""

    reach: tuple[float, ...]
    lowest: tuple[float, float]
    """Lower corner of its bounding box seen from above, m."""

    highest: tuple[float, float]
    """Upper corner of its bounding box seen from above, m."""

    kind: int
    frame: FloatArray
    """Frame of the solid, as in `World`. Shape (14,)."""

    extra: tuple[int, ...]
    """Labels behind the numbers of body and solid; the first row index of the solid is added to the
    first labels, one for each of `begins`."""

    begins: tuple[str, ...]
    """Arrays that these labels index."""

    rows: dict[str, FloatArray]
    """Rows of the long arrays, by name."""


def _entry(solid: Solid) -> _Entry | None:
    """Return the entry of a solid; None if the ground covers it."""
    if isinstance(solid, Post):
        return _post(solid)
    return _relief(solid) if isinstance(solid, Relief) else _extruded(solid)


def _around(
    points: FloatArray, low: float
) -> tuple[tuple[float, ...], tuple[float, float], tuple[float, float]]:
    """Return reach and bounding box of a solid with corners `points` (k, 3)."""
    least = points.min(axis=0)
    greatest = points.max(axis=0)
    centre = 0.5 * (least + greatest)[:2]
    radius = float(np.sqrt(((points[:, :2] - centre) ** 2).sum(axis=1).max())) * (1.0 + 1e-12)
    return (
        (centre[0], centre[1], radius, low, greatest[2]),
        (least[0], least[1]),
        (greatest[0], greatest[1]),
    )


def _post(post: Post) -> _Entry | None:
    if post.high <= _GROUND:
        return None
    centre = np.array([post.x, post.y, 0.5 * (post.low + post.high)])
    frame = np.concatenate([centre, np.eye(3).ravel(), [0.5 * (post.high - post.low), post.radius]])
    caps = UPPER_OPEN | (LOWER_OPEN if post.low > _GROUND else 0)
    lowest = (post.x - post.radius, post.y - post.radius)
    highest = (post.x + post.radius, post.y + post.radius)
    reach = (post.x, post.y, post.radius, post.low, post.high)
    return _Entry(reach, lowest, highest, POST, frame, (0, 0, caps, 0), ("corners", "corners"), {})


def _extruded(solid: Block | Prism) -> _Entry | None:
    """Return the entry of a block or prism; a block is a prism with a rectangular profile."""
    if isinstance(solid, Block):
        a, half, c = solid.half
        origin = solid.centre
        profile = np.array([[-a, -c], [a, -c], [a, c], [-a, c]])
    else:
        origin = solid.origin
        profile = solid.profile
        half = solid.half_width
    axes = solid.rotation[:, [0, 2, 1]].T
    flat = origin + profile @ axes[:2]
    points = np.concatenate([flat - half * axes[2], flat + half * axes[2]])
    if points[:, Z].max() <= _GROUND:
        return None
    edge = np.roll(profile, -1, axis=0) - profile
    length = np.hypot(edge[:, X], edge[:, Y])
    high = flat[:, Z] + abs(half * axes[Z, Z])  # for both points of a corner
    rows = np.column_stack(
        [
            profile,
            edge[:, Y] / length,
            -edge[:, X] / length,
            length,
            np.maximum(high, np.roll(high, -1)) > _GROUND,
        ]
    )
    m = len(profile)
    caps = (LOWER_OPEN if points[:m, Z].max() > _GROUND else 0) | (
        UPPER_OPEN if points[m:, Z].max() > _GROUND else 0
    )
    frame = np.concatenate([origin, axes.ravel(), [half, 0.0]])
    extra = (0, m, caps, 0)
    begins = ("corners", "corners")
    return _Entry(
        *_around(points, float(points[:, Z].min())),
        EXTRUDED,
        frame,
        extra,
        begins,
        {"corners": rows},
    )


def _relief(relief: Relief) -> _Entry | None:
    heights = relief.heights
    if relief.origin[2] + heights.max() <= _GROUND:
        return None
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
    frame = np.concatenate([relief.origin, axes.ravel(), [relief.dx, relief.dy]])
    around = _around(relief.origin + box @ axes, -np.inf)
    rows = {"heights": heights.ravel(), "tops": tops.ravel()}
    return _Entry(*around, RELIEF, frame, (0, 0, nx, ny), ("heights", "tops"), rows)


def world_of_solids(bodies: Sequence[Sequence[Solid]], reach: float, key: int = 0) -> World:
    """Return the world of the solids of all obstacles.

    Parameters
    ----------
    bodies : sequence of sequences of Solid
        Solids by obstacle.
    reach : float
        Distance from a link's centre to the farthest point of its surface, m.
    key : int
        See `World`.
    """
    return _world_of(
        [[_entry(solid) for solid in solids] for solids in bodies], reach * (1.0 + MARGIN), key
    )


def _world_of(bodies: Sequence[Sequence[_Entry | None]], reach: float, key: int) -> World:
    """Return all entries as arrays, with the grid for links of this reach."""
    pieces: dict[str, list[FloatArray]] = {"corners": [], "heights": [], "tops": []}
    count = dict.fromkeys(pieces, 0)
    entries: list[_Entry] = []
    labels: list[tuple[int, ...]] = []
    for body, those in enumerate(bodies):
        for number, entry in enumerate(those):
            if entry is None:
                continue
            first, second = entry.begins
            extra = entry.extra
            at = (count[first] + extra[0], count[second] + extra[1])
            labels.append((entry.kind, body, number, *at, *extra[2:]))
            entries.append(entry)
            for name, rows in entry.rows.items():
                pieces[name].append(rows)
                count[name] += len(rows)
    k = len(entries)
    lowest = np.array([entry.lowest for entry in entries], dtype=np.float64).reshape(k, 2)
    highest = np.array([entry.highest for entry in entries], dtype=np.float64).reshape(k, 2)

    def joined(name: str, shape: tuple[int, ...]) -> FloatArray:
        return np.ascontiguousarray(
            np.concatenate([np.zeros(shape), *pieces[name]]), dtype=np.float64
        )

    return World(
        key,
        *make_grid(lowest, highest, np.full(k, reach)),
        np.array([entry.reach for entry in entries], dtype=np.float64).reshape(k, 5),
        np.array(labels, dtype=np.int64).reshape(k, 7),
        np.array([entry.frame for entry in entries], dtype=np.float64).reshape(k, 14),
        joined("corners", (0, 6)),
        joined("heights", (0,)),
        joined("tops", (0,)),
    )


@by_identity
def _entries(obstacle: Obstacle) -> list[_Entry | None]:
    """Return the entries of an obstacle that does not refer to files."""
    return [_entry(solid) for solid in obstacle_solids(obstacle)]


@by_identity
def _values(obstacle: Obstacle) -> int:
    """Return a hash of all values of an obstacle that its solids depend on."""
    return hash(tuple(value for name, value in obstacle if name not in _WITHOUT_SHAPE))


def _shape_of(obstacle: Obstacle, base_dir: Path | None) -> object:
    """Return a key of everything that the solids of an obstacle depend on, files included."""
    paths = [local_path(named, base_dir) for named in files_of(obstacle).values()]
    read = [(str(path), path.stat().st_mtime_ns if path.exists() else 0) for path in paths]
    return (_values(obstacle), *read) if read else _values(obstacle)


def make_world(
    scene: Scene, base_dir: Path | None, old: World | None = None, *, reach: float | None = None
) -> World:
    """Return the solids of a scene's obstacles as arrays for the contact kernels.

    Raises `SceneError` if the table or the image of a height field cannot be used.

    Parameters
    ----------
    base_dir : Path or None
        Folder that relative file names in the scene refer to.
    old : World or None
        Returned if the shapes of the obstacles and the links are the same.
    reach : float or None
        Largest distance from the middle of a link's contact segment to a point of its surface, over
        all links, m; that of the scene's equal links if omitted.
    """
    if reach is None:
        reach = scene.robot.contact_half_length_m + scene.robot.radius_m
    key = hash((reach, *(_shape_of(obstacle, base_dir) for obstacle in scene.obstacles)))
    if old is not None and old.key == key:
        return old
    bodies = [
        [_entry(solid) for solid in obstacle_solids(obstacle, base_dir)]
        if shape_of(obstacle).files
        else _entries(obstacle)
        for obstacle in scene.obstacles
    ]
    return _world_of(bodies, reach * (1.0 + MARGIN), key)
