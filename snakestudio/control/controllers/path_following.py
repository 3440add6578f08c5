"""Path following: line-of-sight guidance steers the centre of mass onto the scene's path (see `path_projection`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.path_projection import PathProjection, heading_to, integral_rate, projected
from snakestudio.control.steering import CHANNELS, PLOT, Steering, SteeringFields
from snakestudio.control.steering import check as check_steering
from snakestudio.errors import Problem
from snakestudio.kinds.controller import ControllerKind, Curve, Plot, Said
from snakestudio.model.fields import value
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.obstacles.outlines import distances, solid_outline
from snakestudio.model.obstacles.shape import obstacle_solids, shape_of
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.track import Track, track

_SPACING = 0.02
"""Spacing of the path points that are checked against obstacles, m; a long path has 20000 of them."""

_BESIDE = (
    "cross_track_m",
    "along_track_m",
    "path_x_m",
    "path_y_m",
    "look_ahead_x_m",
    "look_ahead_y_m",
)
"""Cross-track position of the centre of mass, and the guidance points."""

_NOWHERE = PathProjection(0.0, 0.0, np.zeros(2), 0.0)


class PathFollowingFields(SteeringFields):
    """The centre of mass is steered onto the scene's path by line-of-sight guidance."""

    uses = ("gait", "path")

    kind: Literal["path_following"] = value(
        "path_following",
        label="Controller",
        help="An offset of the gait steers the robot onto the scene's path",
    )
    look_ahead_m: float = value(
        0.7,
        label="Look-ahead",
        unit="m",
        symbol="Δ",
        help="Distance along the path's tangent to the target point: a shorter distance is tighter but less stable",
        gt=0,
        le=1000,
        slider=(0.1, 3),
        live=True,
    )
    curve_gain: float = value(
        0.75,
        label="Curve gain",
        symbol="k_κ",
        help="Fraction of a smooth path's curvature that is fed forward to the joints (0: feedback only)",
        ge=0,
        le=10,
        slider=(0, 1.5),
        live=True,
    )
    integral_gain_m_s: float = value(
        0.0,
        label="Integral gain",
        unit="m/s",
        symbol="σ",
        help="Slowly removes a steady-state distance from the path, for example on a slope (0: off)",
        ge=0,
        le=100,
        slider=(0, 0.05),
        live=True,
    )


class _PathProgress(NamedTuple):
    """Progress of the robot along the path."""

    path: GroundPath
    sight: PathProjection = _NOWHERE
    """Last projection of the centre of mass."""

    around: float | None = None
    """Start of the next search, m along the path; None: the whole path."""

    integral: float = 0.0
    """Integral of `integral_rate`, s."""


class PathFollower(Steering):
    """Steers onto the path and along it; an open path is extended by straight lines beyond its ends.

    Parameters
    ----------
    scene : Scene
        A scene with a path.
    start : (n-1, 2) array
        Initial joint angles, rad.
    """

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        super().__init__(scene, start)
        self._link_length = scene.robot.link_length_m
        self._progress = _PathProgress(scene.path)
        self._known_path: GroundPath | None = None
        self._track: Track

    @property
    def channels(self) -> tuple[str, ...]:
        """Channels of steering, the cross-track position, and the guidance points."""
        return (*super().channels, *_BESIDE)

    def values(self) -> FloatArray:
        """Return the values of the channels; left of the path is positive."""
        sight = self._progress.sight
        ahead = sight.ahead_xy(self._settings.look_ahead_m)
        return np.array([*self._steered(), sight.cross, sight.along, *sight.point.tolist(), *ahead])

    @property
    def _settings(self) -> PathFollowingFields:
        assert isinstance(self._law, PathFollowingFields)
        return self._law

    def _target(self, snapshot: Snapshot, period: float) -> tuple[float, float]:
        progress = self._progress
        settings = self._settings
        if not progress.path:  # removed during the run: keep the direction
            return progress.sight.direction, 0.0
        reach = settings.look_ahead_m
        gain = settings.integral_gain_m_s
        sight = projected(
            self._track_of(progress.path), snapshot.centre_of_mass[:2], progress.around, reach
        )
        shift = gain * progress.integral
        growth = integral_rate(sight.cross, reach, shift) * period if gain else 0.0
        self._progress = _PathProgress(
            progress.path, sight, sight.along, progress.integral + growth
        )
        # A body along the curve has this offset in each joint.
        bend = settings.curve_gain * self._link_length * sight.curvature
        return heading_to(sight, reach, shift), bend

    def _track_of(self, path: GroundPath) -> Track:
        """Return the result of `track`, which compares all waypoints; cached for the current path."""
        if path is not self._known_path:
            self._known_path, self._track = path, track(path)
        return self._track

    def apply(self, scene: Scene, time: float) -> None:
        """Continue with the settings and the path of `scene`."""
        super().apply(scene, time)
        old = self._progress.path
        new = scene.path
        if old == new:
            return
        around = self._progress.around
        if around is not None:
            around = _carried_over(old, new, around)
        self._progress = self._progress._replace(path=new, around=around)

    def checkpoint(self) -> Any:
        """Return the full state."""
        return super().checkpoint(), self._progress

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        steering, self._progress = checkpoint
        super().restore(steering)


def _carried_over(old: GroundPath, new: GroundPath, around: float) -> float | None:
    """Position at which to continue on an edited path; None: anywhere. Moved waypoints keep the robot on its lobe."""
    same = (old.closed, len(old.waypoints_m)) == (new.closed, len(new.waypoints_m))
    if not (same and old and new):
        return None
    return around * track(new).length / track(old).length


# --------------------------------------------------------------------------------- checks


def _doubt(key: str, message: str, remedy: str, obstacles: tuple[int, ...] = ()) -> Problem:
    return Problem("warning", key, message, remedy, obstacles=obstacles)


def _half_width(scene: Scene) -> float:
    """Return half the width that the undulating robot needs, m.

    For small angles, links with the headings a cos(i delta), a = A / (2 sin(delta / 2)), lie on a wave of
    amplitude L a / (2 sin(delta / 2)).
    """
    robot = scene.robot
    yaw = scene.waves.yaw
    turn = abs(2.0 * math.sin(0.5 * yaw.phase_shift))
    wave = 0.5 * robot.length
    if turn > 0.0:
        wave = min(wave, robot.link_length_m * abs(yaw.amplitude) / turn**2)
    return robot.radius_m + wave


def _distances(scene: Scene, path: Track) -> dict[int, float]:
    """Distance of the path from each obstacle (0-based) that cannot be climbed, m; 0 if it passes through."""
    count = int(min(max(path.length / _SPACING, 1.0), 20000.0)) + 1
    points = np.array([path.pose(s)[0] for s in np.linspace(0.0, path.length, count)])
    return {
        index: min(
            float(distances(solid_outline(solid), points).min()) for solid in obstacle_solids(o)
        )
        for index, o in enumerate(scene.obstacles)
        if not shape_of(o).terrain
    }


def _obstacles(scene: Scene, path: Track) -> list[Problem]:
    """Return the warnings about obstacles that the robot will hit."""
    if not scene.obstacles:
        return []
    clearance = _half_width(scene)
    near = {index: away for index, away in _distances(scene, path).items() if away < clearance}
    if not near:
        return []
    worst = min(near, key=lambda index: near[index])
    name = scene.obstacles[worst].name
    obstacle = f"obstacle {worst + 1}" + (f" ({name})" if name else "")
    where = (
        f"passes through {obstacle}"
        if near[worst] == 0.0
        else f"passes {obstacle} at {near[worst]:.2g} m"
    )
    more = f"; {len(near) - 1} more are too close" if len(near) > 1 else ""
    message = f"the path {where}, but the robot needs {clearance:.2g} m to either side{more}"
    return [
        _doubt(
            "path.waypoints_m", message, "move the waypoints or the obstacle", tuple(sorted(near))
        )
    ]


def _path(scene: Scene, law: PathFollowingFields) -> list[Problem]:
    """Return the problems with the path itself."""
    if not scene.path:
        remedy = "set waypoints such as [[0, 0], [5, 0]], or draw a path in the window"
        return [Problem("error", "path.waypoints_m", "there is no path to follow", remedy)]
    problems = []
    robot = scene.robot
    path = track(scene.path)
    if law.look_ahead_m < robot.link_length_m:
        message = f"{law.look_ahead_m:g} m is shorter than a link ({robot.link_length_m:g} m), so the robot will weave"
        problems.append(
            _doubt(
                "controller.look_ahead_m",
                message,
                f"set about half the robot's length, {robot.length / 2:.2g}",
            )
        )
    curvature, where = path.largest_curvature()
    # An offset bends the body into an arc whose radius is the link length divided by the offset.
    tightest = law.offset_limit / robot.link_length_m
    if 0.0 < tightest < curvature:
        x, y = path.pose(where)[0]
        message = (
            f"the path has a radius of {1 / curvature:.2g} m at ({x:.2g}, {y:.2g}), but with an offset of "
            f"{law.offset_limit_deg:g}° the robot turns with a radius of {1 / tightest:.2g} m"
        )
        remedy = "smooth the path, or increase controller.offset_limit_deg"
        problems.append(_doubt("path.waypoints_m", message, remedy))
    return problems + _obstacles(scene, path)


def check(scene: Scene) -> list[Problem]:
    """Return the errors and warnings for a `scene` with this controller."""
    assert isinstance(scene.controller, PathFollowingFields)
    return check_steering(scene) + _path(scene, scene.controller)


def _says(control: Mapping[str, float]) -> list[Said]:
    off = 100.0 * control["cross_track_m"]
    side = "left" if off > 0 else "right"
    return [
        Said("accent", "on the path" if abs(off) < 0.5 else f"{abs(off):.3g} cm {side} of the path")
    ]


KIND = ControllerKind(
    fields=PathFollowingFields,
    make=PathFollower,
    title="Path following",
    help="The robot heads for a point ahead on the path, converges to the path and follows it.",
    place=2,
    check=check,
    effects=(
        (
            ("controller.curve_gain",),
            lambda scene: scene.path.shape != "straight",
            "only on smooth paths",
        ),
    ),
    tools=("path",),
    channels=(*CHANNELS, *_BESIDE),
    plots=(
        Plot(
            "cross_track",
            "Cross-track error",
            (Curve("cross_track_m", "to the left of the path"),),
            least=0.02,
            levels=((0.0, "the path"),),
            place=1,
        ),
        PLOT,
    ),
    shown=("cross_track", "heading", "speed", "position"),
    says=_says,
    states={"path_following": _PathProgress},
    formerly={
        "control.path_following:_Way": _PathProgress,
        "model.controllers:PathFollowing": PathFollowingFields,
    },
)
