"""What is wrong or doubtful in a scene whose robot is steered by an offset of its gait."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import Problem
from snakestudio.model.controllers import PathFollowing, Steering
from snakestudio.model.motion import JointTorque
from snakestudio.model.rotations import rotation
from snakestudio.model.scene import Scene
from snakestudio.model.track import Track, track
from snakestudio.model.world import Box, Cylinder

__all__ = ["check"]

FloatArray = NDArray[np.float64]

_SPACING = 0.02
"""Distance of the points of a path that are looked at beside obstacles, m; a long path has 20000 of them."""


def _doubt(key: str, message: str, remedy: str, obstacles: tuple[int, ...] = ()) -> Problem:
    return Problem("warning", key, message, remedy, obstacles=obstacles)


def _gait(scene: Scene) -> list[Problem]:
    """Whether the gait moves the robot at all."""
    gait = scene.gait
    reasons = {
        "amplitude_deg": "the gait has no amplitude",
        "frequency_deg_s": "the gait stands still",
        "phase_shift_deg": "the wave does not travel along the body",
    }
    return [
        _doubt(f"gait.{name}", f"{reason}, so the robot cannot be steered", "give another value than 0")
        for name, reason in reasons.items()
        if getattr(gait, name) == 0.0
    ]


def _offset(scene: Scene, law: Steering) -> list[Problem]:
    """Whether the offset can do something, and does not do too much."""
    problems = [
        _doubt(f"controller.{name}", "the offset stays 0, so the robot is not steered", "give more than 0")
        for name in ("gain", "offset_limit_deg")
        if getattr(law, name) == 0.0
    ]
    limit, gait = scene.robot.joint_limit_deg, scene.gait
    assert not isinstance(gait, JointTorque)
    reach = abs(gait.amplitude_deg) + abs(gait.offset_deg)
    if limit is not None and reach <= limit < reach + law.offset_limit_deg - 1e-9:
        message = (
            f"the gait reaches {reach:g}° and the offset adds up to {law.offset_limit_deg:g}°, "
            f"but the joints stop at {limit:g}°"
        )
        problems.append(_doubt("controller.offset_limit_deg", message, f"give at most {limit - reach:g}"))
    return problems


def _half_width(scene: Scene) -> float:
    """Half the width of the ground that the undulating robot needs, m.

    Links that point in the directions a cos(i delta) with a = A / (2 sin(delta / 2)) lie, for small angles, on a wave
    of amplitude L a / (2 sin(delta / 2)).
    """
    robot, yaw = scene.robot, scene.gait.yaw
    turn = abs(2.0 * math.sin(0.5 * yaw.phase_shift))
    wave = 0.5 * robot.length
    if turn > 0.0:
        wave = min(wave, robot.link_length_m * abs(yaw.amplitude) / turn**2)
    return robot.radius_m + wave


def _distances(scene: Scene, path: Track) -> dict[int, float]:
    """How near the path comes to cylinders and boxes (0-based; what else there is one climbs), m; 0 goes through."""
    count = int(min(max(path.length / _SPACING, 1.0), 20000.0)) + 1
    points = np.array([path.place(s)[0] for s in np.linspace(0.0, path.length, count)])
    found: dict[int, float] = {}
    for index, o in enumerate(scene.obstacles):
        if isinstance(o, Cylinder):
            away = np.hypot(points[:, 0] - o.x_m, points[:, 1] - o.y_m) - o.radius_m
        elif isinstance(o, Box):
            local = (points - (o.x_m, o.y_m)) @ rotation(math.radians(o.yaw_deg))[:2, :2]
            away = np.linalg.norm(np.maximum(np.abs(local) - 0.5 * np.array([o.length_m, o.width_m]), 0.0), axis=1)
        else:
            continue
        found[index] = max(float(away.min()), 0.0)
    return found


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
    where = f"goes through {called}" if near[worst] == 0.0 else f"passes {called} at {near[worst]:.2g} m"
    more = f", and {len(near) - 1} more are as near" if len(near) > 1 else ""
    message = f"the path {where}, but the robot needs {room:.2g} m to either side{more}"
    return [_doubt("path.waypoints_m", message, "move the waypoints or the obstacle", tuple(sorted(near)))]


def _path(scene: Scene, law: PathFollowing) -> list[Problem]:
    """Whether there is a path that the robot can follow."""
    if not scene.path:
        remedy = "give waypoints such as [[0, 0], [5, 0]], or draw a path in the window"
        return [Problem("error", "path.waypoints_m", "there is no path to follow", remedy)]
    problems = []
    robot, path = scene.robot, track(scene.path)
    if law.look_ahead_m < robot.link_length_m:
        message = f"{law.look_ahead_m:g} m is shorter than a link of {robot.link_length_m:g} m: the robot will weave"
        problems.append(
            _doubt("controller.look_ahead_m", message, f"give about half the robot, {robot.length / 2:.2g}")
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
    """What is wrong or doubtful in `scene`, whose controller steers a gait."""
    law = scene.controller
    assert isinstance(law, Steering)
    problems = _gait(scene) + _offset(scene, law)
    return problems + _path(scene, law) if isinstance(law, PathFollowing) else problems
