"""Odometer of links along their axes, summed from frame to frame, for the rotation of wheels."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.robot import chain
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot


class Odometer:
    """Sums the motion of each link along its axis between the frames of a view, forwards and backwards in time."""

    def __init__(self) -> None:
        self._pose = np.zeros((0, 7))
        self._travelled = np.zeros(0)

    def travelled(self, scene: Scene, snapshot: Snapshot | None) -> FloatArray | None:
        """Distance that each link has rolled along its axis up to this frame, (n,), m; None without wheels."""
        if snapshot is None or not snapshot.drawn or not scene.body.jointed:
            return None
        if all(link.wheels == "none" for link in scene.robot.links):
            return None
        pose = snapshot.link_pose
        if pose.shape != self._pose.shape:
            self._travelled = np.zeros(len(pose))
        else:
            axis = chain(pose).axis + chain(self._pose).axis
            moved = 0.5 * np.einsum("ij,ij->i", pose[:, :3] - self._pose[:, :3], axis)
            self._travelled = self._travelled + np.nan_to_num(moved)
        self._pose = pose.copy()
        return self._travelled
