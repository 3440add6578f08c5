"""Initial state of an imported robot: straight, among the obstacles of its file, or in the pose of its keyframe."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.motion import JointAnglesStart, StraightStart
from snakestudio.model.obstacles.outlines import plan_boxes
from snakestudio.model.obstacles.shape import Obstacle, obstacle_solids
from snakestudio.model.obstacles.solid_distances import Distance, solids_distance
from snakestudio.model.robot.chain import height_of_lowest
from snakestudio.model.robot.pose import initial_state, joint_lists
from snakestudio.model.robot.robot import Robot
from snakestudio.model.rotations import matrices, quaternions, roll_pitch_yaw
from snakestudio.model.scene import Scene
from snakestudio.robot_files.alignment import Alignment
from snakestudio.robot_files.chain import Chain
from snakestudio.robot_files.compact import plain
from snakestudio.robot_files.description import Placement, RobotDescription
from snakestudio.robot_files.joint_values import AxisFields
from snakestudio.robot_files.link_values import LinkValues
from snakestudio.robot_files.notes import Notes
from snakestudio.robot_files.obstacles import ground_height

_DEEP = 1e-4
"""Depth in the ground at the start above which the robot is moved onto it, m."""

_TOUCHING = 1e-4
"""Depth in an obstacle that is not an overlap, m: as a simulation tolerates at its start."""

_FINENESS = 8
"""Number of points of a link's axis per radius at which distances are computed."""

_MOST_POINTS = 60
_DIRECTIONS = 16
"""Number of directions in which a free position is searched."""

_GROWTH = 1.15
"""Ratio of successive distances of the search."""


def straight_start(
    description: RobotDescription,
    alignment: Alignment,
    links: Sequence[LinkValues],
    robot: Robot,
    obstacles: tuple[Obstacle, ...],
    notes: Notes,
) -> StraightStart:
    """Return the straight start at the position in the file.

    The robot lies on the ground. Among obstacles, an upright robot keeps its pose, and a robot that would
    overlap an obstacle gets the pose of the file, or the nearest free position.
    """
    direction = alignment.frames[0][:, 0]
    level = math.hypot(direction[0], direction[1]) > 0.5
    heading = _degrees(math.atan2(direction[1], direction[0])) if level else 180.0
    heading = 180.0 if heading == -180.0 else heading
    middle = alignment.middle(0, links[0].length)
    height = ground_height(description.world)
    lying = StraightStart(
        link=1,
        x_m=_metres(middle[0]),
        y_m=_metres(middle[1]),
        heading_deg=heading,
        z_m=lying_height(links),
    )
    lies = "The robot is upright in the file; here it lies on the ground"
    if not obstacles:
        if alignment.upright:
            notes.add("", lies)
        centre = {"link": (len(links) + 1) // 2, "x_m": 0.0, "y_m": 0.0}
        return lying.model_copy(update=centre)
    posed = _pose_of_file(alignment, middle - [0.0, 0.0, height])
    world = _World(robot, obstacles)
    if alignment.upright and world.is_free(posed):
        return posed
    if alignment.upright:
        notes.add("", lies)
    if world.is_free(lying):
        return lying
    name = world.overlapped(lying)
    if not alignment.upright and world.is_free(posed):
        notes.add(
            "",
            f'On the ground, the robot would overlap "{name}"; it starts at the height of the file, {posed.z_m:.3g} m',
        )
        return posed
    moved = world.nearest_free(lying)
    x, y = moved.x_m - lying.x_m, moved.y_m - lying.y_m
    notes.add(
        "",
        f'The robot overlaps "{name}" in the file; it was moved by {math.hypot(x, y):.3g} m (x {x:.3g} m, y {y:.3g} m)'
        " to the nearest free position",
    )
    return moved


def _metres(value: float) -> float:
    return plain(round(float(value), 6)) + 0.0


def _degrees(angle: float) -> float:
    return plain(round(math.degrees(angle), 6)) + 0.0


def lying_height(links: Sequence[LinkValues]) -> float | None:
    """Height at which the thickest link of a straight robot touches the ground, m; None if all have the same radius."""
    radii = [link.radius for link in links]
    return plain(max(radii)) if max(radii) - min(radii) > 1e-9 else None


def _pose_of_file(alignment: Alignment, middle: FloatArray) -> StraightStart:
    roll, pitch, yaw = roll_pitch_yaw(quaternions(alignment.frames[0][None])[0])
    return StraightStart(
        link=1,
        x_m=_metres(middle[0]),
        y_m=_metres(middle[1]),
        z_m=_metres(middle[2]),
        heading_deg=_degrees(yaw),
        pitch_deg=_degrees(pitch),
        roll_deg=_degrees(roll),
    )


def _spatial_scene(robot: Robot) -> Scene:
    kind, declared = next(
        (kind, declared) for kind, declared in FORMULATIONS.items() if declared.fields.spatial
    )
    return Scene(model=declared.fields(kind=kind), robot=robot)


class _World:
    """Obstacles that a robot can overlap, without uneven ground, onto which the robot is put."""

    def __init__(self, robot: Robot, obstacles: tuple[Obstacle, ...]) -> None:
        self._scene = _spatial_scene(robot)
        self._obstacles = [o for o in obstacles if getattr(o, "heights_m", None) is None]
        self._boxes = plan_boxes(self._obstacles)
        self._distances: dict[int, Distance] = {}

    def is_free(self, start: StraightStart) -> bool:
        """Return whether no link overlaps an obstacle or the ground."""
        points, radii = self._points(start)
        above = float((points[..., 2] - radii[:, None]).min()) > -_TOUCHING
        return above and self._first_overlap(points, radii) is None

    def overlapped(self, start: StraightStart) -> str:
        """Return the name of the first obstacle that the robot overlaps."""
        index = self._first_overlap(*self._points(start))
        return "" if index is None else getattr(self._obstacles[index], "name", "")

    def nearest_free(self, start: StraightStart) -> StraightStart:
        """Return the same start, moved in the plane by the smallest of the tried distances."""
        points, radii = self._points(start)
        distance = 0.25 * float(radii.min())
        while True:
            for k in range(_DIRECTIONS):
                angle = 2.0 * math.pi * k / _DIRECTIONS
                shift = distance * np.array([math.cos(angle), math.sin(angle), 0.0])
                if self._first_overlap(points + shift, radii) is None:
                    x, y = start.x_m + shift[0], start.y_m + shift[1]
                    return start.model_copy(update={"x_m": _metres(x), "y_m": _metres(y)})
            distance *= _GROWTH

    def _points(self, start: StraightStart) -> tuple[FloatArray, FloatArray]:
        """Return the points on the axes of the links, (n, k, 3), m, and the radii (n,)."""
        pose, _ = initial_state(self._scene.model_copy(update={"start": start}))
        axis = matrices(pose[:, 3:])[:, :, 0]
        values: list[Any] = list(self._scene.robot.links)
        shift = np.array([link.centre_of_mass for link in values])
        half = np.array([link.contact_half_length for link in values])
        radii = np.array([link.radius for link in values])
        count = 2 + math.ceil(_FINENESS * 2.0 * float((half / radii).max()))
        fraction = np.linspace(-1.0, 1.0, min(count, _MOST_POINTS))
        along = fraction * half[:, None] - shift[:, None]
        return pose[:, None, :3] + along[..., None] * axis[:, None, :], radii

    def _first_overlap(self, points: FloatArray, radii: FloatArray) -> int | None:
        low = (points[..., :2] - radii[:, None, None]).min(axis=(0, 1))
        high = (points[..., :2] + radii[:, None, None]).max(axis=(0, 1))
        near = ((self._boxes.low <= high) & (self._boxes.high >= low)).all(axis=1)
        for index in np.flatnonzero(near).tolist():
            gap = self._distance(index)(points.reshape(-1, 3)).reshape(points.shape[:2])
            if float((gap - radii[:, None]).min()) < -_TOUCHING:
                return int(index)
        return None

    def _distance(self, index: int) -> Distance:
        if index not in self._distances:
            self._distances[index] = solids_distance(obstacle_solids(self._obstacles[index]))
        return self._distances[index]


# --- keyframes --------------------------------------------------------------------------------------


def posed(
    straight: StraightStart,
    base: Placement | None,
    robot: Robot,
    chain: Chain,
    alignment: Alignment,
    links: Sequence[LinkValues],
    axes: Sequence[AxisFields],
    notes: Notes,
) -> StraightStart | JointAnglesStart:
    """Return the start in the pose of the keyframe; `straight` if the file has none, or one that only keeps the base.

    Parameters
    ----------
    straight : StraightStart
        The start without a keyframe.
    base : Placement or None
        Motion of the base from its pose in the file; None: the robot is where `straight` has it.
    robot : Robot
        The imported robot.
    chain, alignment, links, axes
        Intermediate results of the import.
    notes : Notes
        Notes, for a pose beyond joint limits.
    """
    angles = np.array(
        [_within_stops(axis, hinge.joint.start, notes) for axis, hinge in _pairs(alignment, axes)]
    )
    bent = bool((np.abs(angles) > 1e-9).any())
    if base is None and not bent:
        return straight
    scene = _spatial_scene(robot)
    values: dict[str, Any] = {
        "link": straight.link,
        "heading_deg": straight.heading_deg,
        "z_m": None,
    }
    if base is not None:
        values = _placed(base, chain, alignment, links)
    if bent:
        values |= {
            name: tuple(round(angle, 9) + 0.0 for angle in list_values)
            for name, list_values in joint_lists(scene, angles).items()
        }
    start = JointAnglesStart(**values) if bent else StraightStart(**values)
    pose, _ = initial_state(scene.model_copy(update={"start": start}))
    if height_of_lowest(pose[:, :3], matrices(pose[:, 3:]), robot) > _DEEP:
        if values["z_m"] is not None:
            notes.add("", "The keyframe has the robot in the ground; here it lies on the ground")
        start = start.model_copy(update={"z_m": None})
    return start


def _pairs(alignment: Alignment, axes: Sequence[AxisFields]) -> Any:
    return zip(axes, [hinge for joint in alignment.joints for hinge in joint.hinges], strict=True)


def _within_stops(axis: AxisFields, start: float, notes: Notes) -> float:
    """Return the angle of an axis in the scene, rad."""
    angle = axis.zero + axis.sign * start if start else 0.0
    lower = -math.inf if axis.lower is None else axis.lower
    upper = math.inf if axis.upper is None else axis.upper
    if not lower - 1e-9 <= angle <= upper + 1e-9:
        notes.add(
            axis.name,
            "the keyframe has it beyond its limits; it starts at the limit",
            "beyond stops",
        )
    return min(max(angle, lower), upper)


def _placed(
    base: Placement, chain: Chain, alignment: Alignment, links: Sequence[LinkValues]
) -> dict[str, Any]:
    """Return the values that place the link with the file's base as in the keyframe."""
    link = 0
    while link < len(chain.hinges) and chain.hinges[link][0].backward:
        link += 1
    middle = alignment.middle(link, links[link].length)
    centre = middle + links[link].centre * alignment.frames[link][:, 0]
    centre = base.position + base.rotation @ centre
    turn = quaternions((base.rotation @ alignment.frames[link])[None])[0]
    roll, pitch, yaw = (
        plain(round(math.degrees(angle), 9)) + 0.0 for angle in roll_pitch_yaw(turn)
    )
    x, y, z = (plain(round(float(value), 9)) + 0.0 for value in centre)
    return {
        "link": link + 1,
        "x_m": x,
        "y_m": y,
        "z_m": z,
        "heading_deg": yaw,
        "pitch_deg": pitch,
        "roll_deg": roll,
    }
