"""Pose of a robot that is wrapped around an upright post in a helix, with its links in contact."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem, SceneError
from snakestudio.model.motion import WrappedStart
from snakestudio.model.obstacles.shape import obstacle_solids
from snakestudio.model.obstacles.solids import Post
from snakestudio.model.robot.chain import chain
from snakestudio.model.robot.joint_axes import entries, joints
from snakestudio.model.robot.robot import Axis, Robot
from snakestudio.model.scene import Scene

_DEPTH = 5e-5
"""Depth of the deepest link in the post, m: links touch at the start of a run."""

_LOOSE = 0.3
"""Largest distance of a link from the post, in radii of the link, up to which the robot is wrapped."""

_PASSES = 4
_SCALES = (0.1, 0.1, 0.1, 0.1, 0.05, 0.05)
"""Scales of the unknowns: relative curvature and torsion, position of the axis in radii, its slopes."""

_EVENNESS = 0.02
"""Weight of even bends of all joints against contact of all links."""

_CLEARANCE = 1.1
"""Default rise per turn in diameters of the links."""


class Wrapping(NamedTuple):
    """Pose around a post."""

    angles: FloatArray
    """Angles of the joint axes, (m,), rad."""

    centre: FloatArray
    """Centres of gravity of the links, (n, 3), m."""

    turns: FloatArray
    """Orientations of the links, (n, 3, 3)."""

    gaps: FloatArray
    """Distances of the links from the post, (n,), m."""


def wrapped(scene: Scene, start: WrappedStart) -> Wrapping:
    """Pose of a scene's robot around the post of a start.

    Raises `SceneError` with the reason if the robot cannot be wrapped around it.
    """
    robot = scene.robot
    axes = scene.body.axes
    if not scene.body.in_space:
        raise _refusal("kind", "a helix needs a spatial model", "choose a spatial model")
    kinds = {axis.kind for axis in axes}
    if not {"yaw", "pitch"} <= kinds:
        missing = "pitch" if "yaw" in kinds else "yaw"
        what = f"the robot has no {missing} axes, so it cannot bend to a helix"
        raise _refusal("kind", what, 'choose robot.joints = "alternating"')
    post = _post(scene, start.obstacle)
    radius = max(link.radius for link in robot.links)
    rise = start.rise_m if start.rise_m is not None else 2.0 * _CLEARANCE * radius
    turn = math.hypot(2.0 * math.pi * (post.radius + radius), rise)
    if robot.length < turn:
        lengths = robot.length / robot.n_links
        what = (
            f"a turn around the post takes {turn:.3g} m, but the robot is {robot.length:.3g} m long"
        )
        remedy = f"use at least {math.ceil(turn / lengths)} links, or a thinner post"
        raise _refusal("obstacle", what, remedy)
    result = _solved(robot, axes, post, start.left_handed, rise)
    if result.gaps.max() > _LOOSE * radius:
        what = f"the links are up to {1e3 * result.gaps.max():.3g} mm away from the post"
        raise _refusal("obstacle", what, "use shorter links, or a thicker post")
    _check_limits(scene, result.angles)
    return _placed(result, robot, start, post)


def _refusal(name: str, message: str, remedy: str) -> SceneError:
    problem = Problem("error", f"start.{name}", message, remedy)
    return SceneError.of([problem])


def _post(scene: Scene, number: int) -> Post:
    """Post with the number of an obstacle.

    Raises `SceneError` if there is no such obstacle, or it is not an upright cylinder.
    """
    count = len(scene.obstacles)
    if not 1 <= number <= count:
        what = f"there is no obstacle {number}" if count else "the scene has no obstacles"
        raise _refusal("obstacle", what, "give the number of a cylinder")
    solid = obstacle_solids(scene.obstacles[number - 1])[0]
    if not isinstance(solid, Post):
        what = f"obstacle {number} is not a cylinder"
        raise _refusal("obstacle", what, "give the number of a cylinder")
    return solid


def _check_limits(scene: Scene, angles: FloatArray) -> None:
    """Raise `SceneError` if a joint would have to bend beyond its limits."""
    values = scene.axis_values
    over = np.fmax(angles - values.upper, values.lower - angles)
    over[~np.isfinite(over)] = -np.inf
    worst = int(over.argmax())
    if not over[worst] > 1e-9:
        return
    axis = scene.body.axes[worst]
    stop = values.upper[worst] if angles[worst] > 0.0 else values.lower[worst]
    what = (
        f"joint {axis.joint + 1} ({axis.kind}) must bend by {math.degrees(angles[worst]):.3g}°, but its limit is "
        f"{math.degrees(stop):.3g}°"
    )
    raise _refusal("obstacle", what, "use a thicker post, or change the limit")


class _Helix:
    """Chains whose joints bend like a helix, and their distances from its axis."""

    def __init__(self, robot: Robot, axes: tuple[Axis, ...], left_handed: bool) -> None:
        self._robot, self._axes = robot, axes
        links = robot.links
        self.radius = np.array([link.radius for link in links])
        self._half = np.array([link.contact_half_length for link in links])
        self._shift = np.array([link.centre_of_mass for link in links])
        ends = np.cumsum([link.length for link in links])
        self._hand = -1.0 if left_handed else 1.0
        self._columns = np.zeros(0, np.intp)
        self._position, self._fraction = np.zeros((2, 0))
        for kind in ("yaw", "pitch"):
            here = joints(axes, kind)
            at = ends[here]
            half = 0.5 * np.diff(at) if len(at) > 1 else ends[-1:]
            self._columns = np.append(self._columns, entries(axes, kind))
            self._position = np.append(self._position, at)
            around = np.append(half[:1], half) + np.append(half, half[-1:])
            self._fraction = np.append(self._fraction, around[: len(at)])
        self._pitch = np.array([axes[entry].kind == "pitch" for entry in self._columns], np.bool_)

    def angles(self, curvature: float, torsion: float) -> FloatArray:
        """Angles of all axes, (m,), rad, for a curvature and a torsion, rad/m."""
        result = np.zeros(len(self._axes))
        phase = self._hand * torsion * self._position
        bend = curvature * self._fraction
        result[self._columns] = np.where(self._pitch, -bend * np.sin(phase), bend * np.cos(phase))
        return result

    def pose(self, angles: FloatArray, tilt: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Centres of gravity (n, 3), m, and orientations (n, 3, 3), with an orientation of the first link."""
        return chain(tilt, angles, self._robot, self._axes)

    def distances(self, centre: FloatArray, turns: FloatArray, axis: FloatArray) -> FloatArray:
        """Distances (n,), m, of the links' axes from a line: two coordinates of a point, two of its direction."""
        ends = self._ends(centre, turns) @ _basis(axis)
        low, high = ends[:, 0, :2] - axis[:2], ends[:, 1, :2] - axis[:2]
        along = high - low
        square = np.maximum((along**2).sum(axis=1), 1e-18)
        fraction = np.clip(-(low * along).sum(axis=1) / square, 0.0, 1.0)
        nearest: FloatArray = np.linalg.norm(low + fraction[:, None] * along, axis=1)
        return nearest

    def _ends(self, centre: FloatArray, turns: FloatArray) -> FloatArray:
        """Ends of the axes of the links' capsules, (n, 2, 3), m."""
        axis = turns[:, :, 0]
        middle = centre - self._shift[:, None] * axis
        reach = self._half[:, None] * axis
        return np.stack([middle - reach, middle + reach], axis=1)


def _basis(axis: FloatArray) -> FloatArray:
    """Rotation (3, 3) whose third column is the direction of an axis, by two slopes."""
    third = np.array([axis[2], axis[3], 1.0]) / math.sqrt(axis[2] ** 2 + axis[3] ** 2 + 1.0)
    first = np.cross(np.array([0.0, 1.0, 0.0]), third)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(third, first), third], axis=1)


@lru_cache(maxsize=8)
def _solved(
    robot: Robot, axes: tuple[Axis, ...], post: Post, left_handed: bool, rise: float
) -> Wrapping:
    """Pose whose links touch the post and rise by `rise` per turn, with the helix along z."""
    from scipy.optimize import least_squares  # slow to import

    helix = _Helix(robot, axes, left_handed)
    radius = post.radius + float(helix.radius.mean())
    slope = rise / (2.0 * math.pi)
    square = radius**2 + slope**2
    first = np.array([radius / square, slope / square])

    tilt = _lead(math.atan2(slope, radius), left_handed)
    scale = np.array([radius, radius, 1.0, 1.0])

    def missed(angles: FloatArray, line: FloatArray, away: float) -> FloatArray:
        """Distances of the links from contact, and the error of the rise, m."""
        centre, turns = helix.pose(angles, tilt)
        gap = helix.distances(centre, turns, line) - post.radius - helix.radius - away
        flat = centre @ _basis(line)
        angle = np.unwrap(np.arctan2(flat[:, 1] - line[1], flat[:, 0] - line[0]))
        climb = abs(float(np.polyfit(angle, flat[:, 2], 1)[0])) - slope
        return np.append(gap, climb * math.sqrt(len(gap)))

    def of_helix(values: FloatArray) -> FloatArray:
        angles = helix.angles(values[0] * first[0], values[1] * first[1])
        return missed(angles, values[2:] * scale, 0.0)

    values = least_squares(of_helix, [1.0, 1.0, 0.0, 1.0, 0.0, 0.0], x_scale=_SCALES).x
    even = helix.angles(values[0] * first[0], values[1] * first[1])

    def of_joints(values: FloatArray, away: float) -> FloatArray:
        uneven = _EVENNESS * radius * (values[4:] - even)
        return np.append(missed(values[4:], values[:4] * scale, away), uneven)

    values, away = np.append(values[2:], even), 0.0
    for _ in range(_PASSES):  # until the closest link just touches
        values = least_squares(of_joints, values, args=(away,)).x
        away -= float(of_joints(values, 0.0)[: len(helix.radius)].min()) + _DEPTH
    angles = values[4:]
    line = values[:4] * scale
    centre, turns = helix.pose(angles, tilt)
    onto = _basis(line).T
    centre = centre @ onto.T
    centre[:, :2] -= line[:2]
    turns = onto @ turns
    gaps = helix.distances(centre, turns, np.zeros(4)) - post.radius - helix.radius
    return Wrapping(angles, centre, turns, gaps)


def _lead(lead: float, left_handed: bool) -> FloatArray:
    """Rotation that raises the first link by the lead angle of the helix."""
    angle = -lead if not left_handed else lead
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def _placed(result: Wrapping, robot: Robot, start: WrappedStart, post: Post) -> Wrapping:
    """The pose around the post, with the head up and the lowest link at its direction and height."""
    centre, turns = result.centre, result.turns
    head, tail = (0, -1) if robot.head == "first" else (-1, 0)
    if (centre[head, 2] < centre[tail, 2]) != start.head_down:
        flip = np.diag([1.0, -1.0, -1.0])
        centre, turns = centre @ flip.T, flip @ turns
    lowest = int(centre[:, 2].argmin())
    angle = math.radians(start.angle_deg) - math.atan2(centre[lowest, 1], centre[lowest, 0])
    c, s = math.cos(angle), math.sin(angle)
    spin = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    centre, turns = centre @ spin.T, spin @ turns
    radii = np.array([link.radius for link in robot.links])
    half = np.array([link.contact_half_length for link in robot.links])
    low = float((centre[:, 2] - np.abs(turns[:, 2, 0]) * half - radii).min())
    height = start.z_m - centre[lowest, 2] if start.z_m is not None else -low
    return result._replace(centre=centre + np.array([post.x, post.y, height]), turns=turns)
