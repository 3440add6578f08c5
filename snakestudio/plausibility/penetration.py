"""Detector of links inside obstacles or the ground."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import SnakeStudioError
from snakestudio.model.obstacles.shape import Obstacle, obstacle_solids
from snakestudio.model.obstacles.solid_distances import Distance, solids_distance
from snakestudio.model.scene import Scene
from snakestudio.plausibility.accumulators import Peak
from snakestudio.plausibility.block import Block, Drive, RunContext
from snakestudio.plausibility.detector import Exceedance
from snakestudio.text import length_text, number_text

MOST_DEPTH = 0.1
"""Largest plausible penetration, in radii of the link."""

_AXIS_POINTS = 5
"""Number of points on the axis of each link that are examined at the start."""


class Penetration:
    """Depth of the hardest contact of each row, and of all links at the start.

    The depth of a contact follows from the point of the link's axis nearest to the contact point. The
    depth in the ground follows from the ends of the axes, for models in space.
    """

    def __init__(self, context: RunContext) -> None:
        self._sizes = context.scene.body.sizes
        self._in_space = context.scene.body.in_space
        self._scene_at = context.scene_at
        self._peak = Peak()
        self._met = ""
        # Without `self`: in a cycle, the recording behind `scene_at` would wait for the garbage collector.
        self._distances = lru_cache(maxsize=256)(partial(_distance, base_dir=context.base_dir))

    def feed(self, block: Block) -> None:
        """See `Detector`."""
        if block.first:
            self._feed_start(block)
        if self._in_space:
            self._feed_ground(block)
        self._feed_contacts(block)

    def _feed_start(self, block: Block) -> None:
        pose = block.rows.link_pose[0]
        fraction = np.linspace(-1.0, 1.0, _AXIS_POINTS)[:, None]
        points = _axis_points(pose, self._sizes.middle + fraction * self._sizes.half_length)
        scene = self._scene_at(float(block.time[0]))
        for number, obstacle in enumerate(scene.obstacles):
            distance = self._distances(obstacle)
            if distance is not None:
                gap = distance(points.reshape(-1, 3)).reshape(points.shape[:2])
                depth = (self._sizes.radius - gap).max(axis=0)
                self._note(block.time[:1], depth[None], _title(scene, number))

    def _feed_ground(self, block: Block) -> None:
        pose = block.rows.link_pose
        low = [
            _axis_points(pose, self._sizes.middle + side * self._sizes.half_length)[..., 2]
            for side in (-1.0, 1.0)
        ]
        self._note(block.time, self._sizes.radius - np.minimum(*low), "the ground")

    def _feed_contacts(self, block: Block) -> None:
        contacts = block.rows.contacts
        row = np.repeat(np.arange(len(contacts.count)), contacts.count)
        push = np.einsum("ma,ma->m", contacts.impulse_normal, contacts.impulse_normal)
        hard = np.flatnonzero((contacts.other >= 0) & (push > 0.0))
        # Of each row only the hardest contact, which costs little and does not depend on the blocks.
        hard = hard[np.lexsort((-push[hard], row[hard]))]
        _, first = np.unique(row[hard], return_index=True)
        hard = hard[first]
        for number in np.unique(contacts.other[hard]).tolist():
            own = hard[contacts.other[hard] == number]
            scene = self._scene_at(float(block.time[row[own[0]]]))
            if number >= len(scene.obstacles):
                continue
            distance = self._distances(scene.obstacles[number])
            if distance is None:
                continue
            link = contacts.link[own]
            pose = block.rows.link_pose[row[own], link]
            middle = self._sizes.middle[link]
            along = np.einsum("ma,ma->m", contacts.point[own] - pose[:, :3], _axes(pose))
            half = self._sizes.half_length[link]
            nearest = _axis_points(pose, np.clip(along, middle - half, middle + half))
            depth = np.full((len(own), len(self._sizes.radius)), -np.inf)
            depth[np.arange(len(own)), link] = self._sizes.radius[link] - distance(nearest)
            self._note(block.time[row[own]], depth, _title(scene, number))

    def _note(self, time: FloatArray, depth: FloatArray, met: str) -> None:
        before = self._peak.value
        self._peak.feed(time, np.maximum(depth / self._sizes.radius, 0.0))
        if self._peak.value > before:
            self._met = met

    def exceedance(self, drive: Drive) -> Exceedance | None:
        """See `Detector`."""
        peak = self._peak
        if peak.value <= MOST_DEPTH:
            return None
        radius = float(self._sizes.radius[peak.part])
        return Exceedance(
            peak.value * radius,
            MOST_DEPTH * radius,
            peak.time,
            f"link {peak.part + 1} is {length_text(peak.value * radius)} deep in {self._met} at "
            f"{number_text(peak.time, 4)} s",
        )


def _distance(obstacle: Obstacle, base_dir: Path | None) -> Distance | None:
    """Return the distance from an obstacle; None if its files cannot be read."""
    try:
        return solids_distance(obstacle_solids(obstacle, base_dir))
    except (SnakeStudioError, OSError):
        return None


def _title(scene: Scene, number: int) -> str:
    name = scene.obstacles[number].name
    return f"obstacle {number + 1}" + (f" ({name})" if name else "")


def _axes(pose: FloatArray) -> FloatArray:
    """Return directions (..., 3) of the x axes of poses (..., 7)."""
    w, x, y, z = np.moveaxis(pose[..., 3:], -1, 0)
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=-1)


def _axis_points(pose: FloatArray, along: FloatArray) -> FloatArray:
    """Return points (..., 3) of the links' axes at the distances `along` (m) from the links' positions."""
    points: FloatArray = pose[..., :3] + along[..., None] * _axes(pose)
    return points
