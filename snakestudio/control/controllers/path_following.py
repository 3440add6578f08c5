"""Path following: the centre of mass is led onto the scene's path by line-of-sight guidance (see `line_of_sight`)."""

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
"""Distance of the points of a path that are looked at beside obstacles, m; a long path has 20000 of
them."""

_BESIDE = (
    "cross_track_m",
    "along_track_m",
    "path_x_m",
    "path_y_m",
    "look_ahead_x_m",
    "look_ahead_y_m",
)
"""Where the centre of mass is beside the path, and the points that guide it."""

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
        help="The robot heads for the point of the path's tangent this far ahead: shorter is tighter, and less calm",
        gt=0,
        le=1000,
        slider=(0.1, 3),
        live=True,
    )
    curve_gain: float = value(
        0.75,
        label="Curve gain",
        symbol="k_κ",
        help="Share of a smooth path's curvature that is bent into the body at once (0: the error alone bends it)",
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
        help="Takes away, slowly, a distance from the path that would stay, on a slope say (0: off)",
        ge=0,
        le=100,
        slider=(0, 0.05),
        live=True,
    )


class _Way(NamedTuple):
    """How far along the path the robot is."""

    path: GroundPath
    sight: PathProjection = _NOWHERE
    """Where the centre of mass was at the last look."""

    around: float | None = None
    """Where the next look begins, m along the path; None: anywhere."""

    integral: float = 0.0
    """Integral of `integral_rate`, s."""


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
        self._known_path: GroundPath | None = None
        self._track: Track

    @property
    def channels(self) -> tuple[str, ...]:
        """Those of steering, where the centre of mass is beside the path, and the points that guide it."""
        return (*super().channels, *_BESIDE)

    def values(self) -> FloatArray:
        """Values of the channels; left of the path is positive."""
        sight = self._way.sight
        ahead = sight.ahead_xy(self._settings.look_ahead_m)
        return np.array([*self._steered(), sight.cross, sight.along, *sight.point.tolist(), *ahead])

    @property
    def _settings(self) -> PathFollowingFields:
        assert isinstance(self._law, PathFollowingFields)
        return self._law

    def _wanted(self, snapshot: Snapshot, period: float) -> tuple[float, float]:
        way = self._way
        settings = self._settings
        if not way.path:  # taken away during the run: keep on
            return way.sight.direction, 0.0
        reach = settings.look_ahead_m
        gain = settings.integral_gain_m_s
        sight = projected(
            self._track_of(way.path), snapshot.centre_of_mass()[:2], way.around, reach
        )
        shift = gain * way.integral
        growth = integral_rate(sight.cross, reach, shift) * period if gain else 0.0
        self._way = _Way(way.path, sight, sight.along, way.integral + growth)
        # A body that lies along the curve has this offset in every joint.
        bend = settings.curve_gain * self._link_length * sight.curvature
        return heading_to(sight, reach, shift), bend

    def _track_of(self, path: GroundPath) -> Track:
        """`track`, which compares all waypoints with those that it knows."""
        if path is not self._known_path:
            self._known_path, self._track = path, track(path)
        return self._track

    def apply(self, scene: Scene, time: float) -> None:
        """Go on with the settings and the path of `scene`."""
        super().apply(scene, time)
        old = self._way.path
        new = scene.path
        if old == new:
            return
        around = self._way.around
        if around is not None:
            around = _carried_over(old, new, around)
        self._way = self._way._replace(path=new, around=around)

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


# --------------------------------------------------------------------------------- what is doubtful


def _doubt(key: str, message: str, remedy: str, obstacles: tuple[int, ...] = ()) -> Problem:
    return Problem("warning", key, message, remedy, obstacles=obstacles)


def _half_width(scene: Scene) -> float:
    """Half the width of the ground that the undulating robot needs, m.

    Links that point in the directions a cos(i delta) with a = A / (2 sin(delta / 2)) lie, for small
    angles, on a wave of amplitude L a / (2 sin(delta / 2)).
    """
    robot = scene.robot
    yaw = scene.waves.yaw
    turn = abs(2.0 * math.sin(0.5 * yaw.phase_shift))
    wave = 0.5 * robot.length
    if turn > 0.0:
        wave = min(wave, robot.link_length_m * abs(yaw.amplitude) / turn**2)
    return robot.radius_m + wave


def _distances(scene: Scene, path: Track) -> dict[int, float]:
    """How near the path comes to obstacles that are no ground to climb (0-based), m; 0 goes through."""
    count = int(min(max(path.length / _SPACING, 1.0), 20000.0)) + 1
    points = np.array([path.place(s)[0] for s in np.linspace(0.0, path.length, count)])
    return {
        index: min(
            float(distances(solid_outline(solid), points).min()) for solid in obstacle_solids(o)
        )
        for index, o in enumerate(scene.obstacles)
        if not shape_of(o).terrain
    }


def _obstacles(scene: Scene, path: Track) -> list[Problem]:
    """Whether the robot will run against something."""
    if not scene.obstacles:
        return []
    room = _half_width(scene)
    near = {index: away for index, away in _distances(scene, path).items() if away < room}
    if not near:
        return []
    worst = min(near, key=lambda index: near[index])
    name = scene.obstacles[worst].name
    called = f"obstacle {worst + 1}" + (f" ({name})" if name else "")
    where = (
        f"goes through {called}"
        if near[worst] == 0.0
        else f"passes {called} at {near[worst]:.2g} m"
    )
    more = f", and {len(near) - 1} more are as near" if len(near) > 1 else ""
    message = f"the path {where}, but the robot needs {room:.2g} m to either side{more}"
    return [
        _doubt(
            "path.waypoints_m", message, "move the waypoints or the obstacle", tuple(sorted(near))
        )
    ]


def _path(scene: Scene, law: PathFollowingFields) -> list[Problem]:
    """Whether there is a path that the robot can follow."""
    if not scene.path:
        remedy = "give waypoints such as [[0, 0], [5, 0]], or draw a path in the window"
        return [Problem("error", "path.waypoints_m", "there is no path to follow", remedy)]
    problems = []
    robot = scene.robot
    path = track(scene.path)
    if law.look_ahead_m < robot.link_length_m:
        message = f"{law.look_ahead_m:g} m is shorter than a link of {robot.link_length_m:g} m: the robot will weave"
        problems.append(
            _doubt(
                "controller.look_ahead_m",
                message,
                f"give about half the robot, {robot.length / 2:.2g}",
            )
        )
    curvature, where = path.largest_curvature()
    # An offset bends the body into an arc, whose radius is the link's length over the offset.
    tightest = law.offset_limit / robot.link_length_m
    if 0.0 < tightest < curvature:
        x, y = path.place(where)[0]
        message = (
            f"the path bends with a radius of {1 / curvature:.2g} m at ({x:.2g}, {y:.2g}), but with an offset of "
            f"{law.offset_limit_deg:g}° the robot turns on {1 / tightest:.2g} m"
        )
        remedy = "smooth the path, or raise controller.offset_limit_deg"
        problems.append(_doubt("path.waypoints_m", message, remedy))
    return problems + _obstacles(scene, path)


def check(scene: Scene) -> list[Problem]:
    """What is wrong or doubtful in `scene`, whose robot follows a path."""
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
    help="The robot heads for a point of the path ahead, comes onto the path and stays on it.",
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
    states={"path_following": _Way},
    formerly={
        "control.path_following:_Way": _Way,
        "model.controllers:PathFollowing": PathFollowingFields,
    },
)
