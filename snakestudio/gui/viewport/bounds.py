"""How much of the world a view has to show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.gui.core.selection import Body
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

__all__ = ["box_around"]

FloatArray = NDArray[np.float64]


def box_around(
    scene: Scene, snapshot: Snapshot | None, base_dir: Path | None, items: frozenset[Body] | None = None
) -> tuple[FloatArray, FloatArray] | None:
    """Corners of the box around some links and obstacles, m; around all there is, the path too, if none are named.

    None if there is nothing.
    """
    world = obstacles_of(scene.obstacles, base_dir, shown_only=items is None)
    lows, highs = [], []
    for index, (low, high) in enumerate(zip(world.low, world.high, strict=True)):
        if (items is None or ("obstacle", index) in items) and np.isfinite(low).all():
            lows.append(low)
            highs.append(high)
    if items is None and scene.path:
        points = np.array(scene.path.waypoints_m)
        lows.append(np.append(points.min(axis=0), 0.0))
        highs.append(np.append(points.max(axis=0), 0.0))
    if snapshot is not None and snapshot.drawn:
        reach = scene.robot.radius_m + scene.robot.contact_half_length_m
        if scene.model.continuum:
            # A body that is shortened is thicker, and its ends are round.
            reach = 1.5 * scene.beam.radius_m
        for index, pose in enumerate(snapshot.link_pose):
            if np.isfinite(pose).all() and (items is None or ("link", index) in items):
                lows.append(pose[:3] - reach)
                highs.append(pose[:3] + reach)
    if not lows:
        return None
    return np.min(lows, axis=0), np.max(highs, axis=0)
