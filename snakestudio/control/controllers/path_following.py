"""Path following: the centre of mass is led onto the scene's path by line-of-sight guidance (see `line_of_sight`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.control.path_projection import PathProjection, heading_to, integral_rate, projected
from snakestudio.control.steering import Steering
from snakestudio.model.controllers import PathFollowing
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.track import track

__all__ = ["PathFollower"]

FloatArray = NDArray[np.float64]

_NOWHERE = PathProjection(0.0, 0.0, np.zeros(2), 0.0)


@dataclass(frozen=True, slots=True)
class _Way:
    """How far along the path the robot is.

    Attributes
    ----------
    path : GroundPath
    sight : PathProjection
        Where the centre of mass was at the last look.
    around : float or None
        Where the next look begins, m along the path; None: anywhere.
    integral : float
        Integral of `integral_rate`, s.
    """

    path: GroundPath
    sight: PathProjection = _NOWHERE
    around: float | None = None
    integral: float = 0.0


class PathFollower(Steering):
    """Steers onto the path and along it; an open path goes on straight beyond its ends.

    Parameters
    ----------
    scene : Scene
        With a path.
    start : (n-1, 2) array
        Joint angles the robot starts with, rad.
    """

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        super().__init__(scene, start)
        self._link_length = scene.robot.link_length_m
        self._way = _Way(scene.path)

    @property
    def channels(self) -> tuple[str, ...]:
        """Those of steering, where the centre of mass is beside the path, and the points that guide it."""
        points = ("path_x_m", "path_y_m", "look_ahead_x_m", "look_ahead_y_m")
        return (*super().channels, "cross_track_m", "along_track_m", *points)

    def values(self) -> FloatArray:
        """Values of the channels; left of the path is positive."""
        sight = self._way.sight
        ahead = sight.ahead(self._settings.look_ahead_m)
        beside = (sight.cross, sight.along, *sight.point.tolist(), *ahead.tolist())
        return np.array([*super().values().tolist(), *beside])

    @property
    def _settings(self) -> PathFollowing:
        assert isinstance(self._law, PathFollowing)
        return self._law

    def _wanted(self, snapshot: Snapshot, period: float) -> tuple[float, float]:
        way, settings = self._way, self._settings
        if not way.path:  # taken away during the run: keep on
            return way.sight.direction, 0.0
        reach, gain = settings.look_ahead_m, settings.integral_gain_m_s
        sight = projected(track(way.path), snapshot.centre_of_mass()[:2], way.around, reach)
        shift = gain * way.integral
        growth = integral_rate(sight.cross, reach, shift) * period if gain else 0.0
        self._way = _Way(way.path, sight, sight.along, way.integral + growth)
        # A body that lies along the curve has this offset in every joint.
        bend = settings.curve_gain * self._link_length * sight.curvature
        return heading_to(sight, reach, shift), bend

    def apply(self, scene: Scene, time: float) -> None:
        """Go on with the settings and the path of `scene`."""
        super().apply(scene, time)
        old, new = self._way.path, scene.path
        if old == new:
            return
        around = self._way.around
        if around is not None:
            around = _carried_over(old, new, around)
        self._way = replace(self._way, path=new, around=around)

    def checkpoint(self) -> Any:
        """The full state."""
        return super().checkpoint(), self._way

    def restore(self, checkpoint: Any) -> None:
        """Go back to a state that `checkpoint` gave."""
        steering, self._way = checkpoint
        super().restore(steering)


def _carried_over(old: GroundPath, new: GroundPath, around: float) -> float | None:
    """Where on an edited path to go on; None: anywhere. Moved waypoints leave the robot on the lobe it is on."""
    same = (old.closed, len(old.waypoints_m)) == (new.closed, len(new.waypoints_m))
    if not (same and old and new):
        return None
    return around * track(new).length / track(old).length
