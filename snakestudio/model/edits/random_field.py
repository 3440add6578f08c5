"""Places for a random field of obstacles that keep a clearance, by throwing darts: one seed, one field."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.edits.plan_boxes import PlanBoxes, plan_boxes
from snakestudio.model.obstacles.shape import Obstacle, obstacle_solids, shape_of
from snakestudio.model.obstacles.solids import Post
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene

__all__ = ["TRIES_EACH", "Throw", "throw_field"]


TRIES_EACH = 40
"""Darts thrown for every obstacle that is wanted, before it is said how many fitted."""

_BATCH = 512
"""Darts that are held against what stands already at a time."""


class Throw(NamedTuple):
    """What was hit.

    Attributes
    ----------
    places : list of (int, (float, float))
        Which of the sources stands there, 0-based, and the place (x, y), m.
    tries : int
        Darts that it took.
    """

    places: list[tuple[int, tuple[float, float]]]
    tries: int


def _radius(obstacle: Obstacle) -> float:
    """Of an obstacle that is round from above, m; 0 of any other."""
    solids = () if shape_of(obstacle).files else obstacle_solids(obstacle)
    return solids[0].radius if len(solids) == 1 and isinstance(solids[0], Post) else 0.0


def _circles(obstacles: Sequence[Obstacle], boxes: PlanBoxes) -> tuple[FloatArray, FloatArray]:
    """Circles that hold obstacles: middles (n, 2) from their places, and radii (n,), m."""
    places = np.array([(o.x_m, o.y_m) for o in obstacles])
    radii = np.array(
        [
            _radius(o) or 0.5 * float(np.linalg.norm(size))
            for o, size in zip(obstacles, boxes.high - boxes.low, strict=True)
        ]
    )
    return boxes.centre - places, radii


def _robot_distance(scene: Scene, pose: FloatArray, points: FloatArray) -> FloatArray:
    """Distance of points (m, 2) from the robot's links at `pose` (n, 7), seen from above, (m,), m."""
    w, x, y, z = pose[:, 3:].T
    half = max(0.5 * scene.robot.link_length_m, scene.robot.contact_half_length_m)
    axis = half * np.column_stack((1 - 2 * (y * y + z * z), 2 * (x * y + w * z)))
    away = points[:, None] - pose[:, :2]
    share = np.clip((away * axis).sum(axis=2) / np.maximum((axis * axis).sum(axis=1), 1e-12), -1.0, 1.0)
    return np.asarray(np.linalg.norm(away - share[..., None] * axis, axis=2).min(axis=1) - scene.robot.radius_m)


def _obstacle_distance(scene: Scene, boxes: PlanBoxes, points: FloatArray) -> FloatArray:
    """Distance of points (m, 2) from the obstacles: from round ones exactly, else from their boxes, (m,), m."""
    found = np.full(len(points), np.inf)
    radius = np.array([_radius(o) for o in scene.obstacles])
    round_ones = radius > 0.0
    if round_ones.any():
        away = points[:, None] - boxes.centre[round_ones]
        found = (np.hypot(away[..., 0], away[..., 1]) - radius[round_ones]).min(axis=1)
    if not round_ones.all():
        low, high = boxes.low[~round_ones], boxes.high[~round_ones]
        beyond = np.maximum(np.maximum(low - points[:, None], points[:, None] - high), 0.0)
        found = np.minimum(found, np.hypot(beyond[..., 0], beyond[..., 1]).min(axis=1))
    return found


def throw_field(
    scene: Scene,
    sources: Sequence[Obstacle],
    count: int,
    middle: FloatArray,
    size: FloatArray,
    clearance: float,
    seed: int,
    base_dir: Path | None = None,
) -> Throw:
    """Random places in a rectangle for copies of some obstacles, clear of each other, of the scene and of the robot.

    Parameters
    ----------
    scene : Scene
    sources : sequence of Obstacle
        One of them, by chance, stands at every place; what is not round counts as the circle around it.
    count : int
        How many are wanted; at most `TRIES_EACH` darts are thrown for each.
    middle, size : (2,) arrays
        Of the rectangle that holds the obstacles' places, m.
    clearance : float
        Least distance of their circles from anything, m.
    seed : int
    base_dir : Path or None
        Folder that file names in the scene are relative to.

    Raises
    ------
    SceneError
        If it is not known where the robot starts.
    """
    random = np.random.default_rng(seed)
    offsets, radii = _circles(sources, plan_boxes(sources))
    boxes, pose = plan_boxes(scene.obstacles), initial_state(scene, base_dir)[0]
    places: list[tuple[int, tuple[float, float]]] = []
    hit, reach = np.empty((max(count, 0), 2)), np.empty(max(count, 0))
    tries, most = 0, TRIES_EACH * count
    while len(places) < count and tries < most:
        # To a tenth of a millimetre before anything is measured: what is kept is what was held against the clearance.
        darts = np.round(middle + (random.random((_BATCH, 2)) - 0.5) * size, 4)
        kinds = random.integers(len(sources), size=_BATCH)
        centres, least = darts + offsets[kinds], radii[kinds] + clearance
        free = (_obstacle_distance(scene, boxes, centres) >= least) & (_robot_distance(scene, pose, centres) >= least)
        for k in range(min(_BATCH, most - tries)):
            tries += 1
            if not free[k]:
                continue
            n = len(places)
            away = hit[:n] - centres[k]
            if n and (np.hypot(away[:, 0], away[:, 1]) - reach[:n]).min() < least[k]:
                continue
            hit[n], reach[n] = centres[k], radii[kinds[k]]
            places.append((int(kinds[k]), (float(darts[k, 0]), float(darts[k, 1]))))
            if len(places) == count:
                break
    return Throw(places, tries)
