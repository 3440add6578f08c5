"""Edits of the robot's start as a whole: move, turn, straighten, lay out; pure functions.

Any kind of start is edited through the pose that it describes. A start keeps its kind if that kind
can describe the new pose; otherwise it becomes one with joint angles, or with the state of each
link.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ValidationError

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem, SceneError
from snakestudio.model.motion import (
    GaitStart,
    JointAnglesStart,
    LinkAnglesStart,
    PlacedStart,
    RecordingStart,
    Start,
    StateStart,
    StraightStart,
    WrappedStart,
)
from snakestudio.model.robot.chain import joint_angles
from snakestudio.model.robot.joint_axes import joints
from snakestudio.model.robot.pose import initial_joint_angles, initial_state, joint_lists
from snakestudio.model.rotations import matrices, quaternions, rotation
from snakestudio.model.scene import Scene, structure_problems
from snakestudio.model.scene_file import complete
from snakestudio.model.validation_messages import problem_of

One = TypeVar("One", bound=PlacedStart | StateStart)

_SAME = 1e-6
"""Tolerance of link positions (m) and axes, within the joint errors of an engine."""


def tidy(value: float) -> float:
    """Round a number for a scene: without digits that are only rounding noise."""
    return round(float(value), 9) + 0.0


def with_start(scene: Scene, start: Start) -> Scene:
    """Return the scene with another start.

    Raises `SceneError` if it does not fit the robot; `scene` is unchanged.
    """
    changed = scene.model_copy(update={"start": start})
    return complete(changed, structure_problems(changed))


def changed_start(start: One, **changes: Any) -> One:
    """Return a start with some of its values replaced.

    Raises `SceneError` if one is out of range.
    """
    values = {name: getattr(start, name) for name in type(start).model_fields}
    return _validated(type(start), values | changes)


def _validated(kind: type[One], values: dict[str, Any]) -> One:
    try:
        part = kind.model_validate(
            {name: value for name, value in values.items() if name in kind.model_fields}
        )
    except ValidationError as error:
        details = error.errors(include_url=False)
        problems = [problem_of({**detail, "loc": ("start", *detail["loc"])}) for detail in details]
        raise SceneError.of(problems) from None
    return cast(One, part)


def _refused(message: str, remedy: str) -> SceneError:
    problem = Problem("error", "start", message, remedy)
    return SceneError.of([problem])


def frame_angles(turn: FloatArray) -> tuple[float, float, float]:
    """Heading, pitch and roll, degrees, of an orientation (3, 3), R = R_z R_y R_x; roll is 0 if it is upright."""
    pitch = math.asin(min(max(-float(turn[2, 0]), -1.0), 1.0))
    if abs(turn[2, 0]) > 1.0 - 1e-12:
        return math.degrees(math.atan2(-turn[0, 1], turn[1, 1])), math.degrees(pitch), 0.0
    heading = math.atan2(turn[1, 0], turn[0, 0])
    roll = math.atan2(turn[2, 1], turn[2, 2])
    return math.degrees(heading), math.degrees(pitch), math.degrees(roll)


# --- other kinds of start with the same pose ------------------------------------------------------


def as_state(scene: Scene, base_dir: Path | None = None) -> StateStart:
    """Convert the scene's start to the state of each link.

    Raises `SceneError` if a file of the start is unreadable.
    """
    if isinstance(scene.start, StateStart):
        return scene.start
    pose, twist = initial_state(scene, base_dir)
    moving = bool(twist.any())
    return StateStart(
        position_m=_triples(pose[:, :3]),
        orientation_wxyz=_quadruples(pose[:, 3:]),
        velocity_m_s=_triples(twist[:, :3]) if moving else None,
        angular_velocity_rad_s=_triples(twist[:, 3:]) if moving else None,
    )


def _triples(rows: FloatArray) -> tuple[tuple[float, float, float], ...]:
    return tuple((float(x), float(y), float(z)) for x, y, z in rows)


def _quadruples(rows: FloatArray) -> tuple[tuple[float, float, float, float], ...]:
    return tuple((float(w), float(x), float(y), float(z)) for w, x, y, z in rows)


def as_joint_angles(scene: Scene, base_dir: Path | None = None) -> JointAnglesStart:
    """Convert the start of a robot of links to joint angles: same pose and, if it is a placed start, velocities.

    The velocities of a full state are lost.

    Raises `SceneError` if a file of the start is unreadable, or it is the state of links that do not
    form a chain.
    """
    start = scene.start
    if isinstance(start, JointAnglesStart):
        return start
    pose, _ = initial_state(scene, base_dir)
    if not isinstance(start, PlacedStart):
        converted = start_of_pose(scene, pose)
        if not isinstance(converted, JointAnglesStart):
            raise _refused("these links do not form a chain", "set the state of links that do")
        return converted
    values = {name: getattr(start, name) for name in PlacedStart.model_fields}
    return _validated(
        JointAnglesStart,
        values | _shape(scene, pose, initial_joint_angles(scene, base_dir), start.link - 1),
    )


def _shape(scene: Scene, pose: FloatArray, angles: FloatArray, link: int) -> dict[str, Any]:
    """Return the joint angles and orientation of the placed link, as values of a start."""
    values: dict[str, Any] = {
        name: tuple(map(tidy, degrees)) for name, degrees in joint_lists(scene, angles).items()
    }
    heading, pitch, roll = frame_angles(matrices(pose[link : link + 1, 3:])[0])
    values["heading_deg"] = tidy(heading)
    if scene.model.spatial:
        values |= {"pitch_deg": tidy(pitch), "roll_deg": tidy(roll)}
    return values


def start_of_pose(scene: Scene, pose: FloatArray) -> JointAnglesStart | StateStart:
    """Start at rest in a given pose, with joint angles or, if those cannot describe it, the state of each link.

    Parameters
    ----------
    pose : (n, 7) array
        As in `Snapshot`, of the scene's robot of links.
    """
    link = min(getattr(scene.start, "link", 1), scene.robot.n_links) - 1
    if scene.model.spatial:
        angles = joint_angles(pose, scene.body.axes)
    else:
        angles = np.diff(_directions(pose))[joints(scene.body.axes, "yaw")]
    x, y, z = (tidy(value) for value in pose[link, :3])
    values = {"link": link + 1, "x_m": x, "y_m": y} | _shape(scene, pose, angles, link)
    for height in (None, z) if scene.model.spatial else (None,):
        candidate = _validated(JointAnglesStart, values | {"z_m": height})
        again, _ = initial_state(scene.model_copy(update={"start": candidate}))
        apart = matrices(again[:, 3:]) - matrices(pose[:, 3:])
        away = again[:, :3] - pose[:, :3] if scene.model.spatial else again[:, :2] - pose[:, :2]
        if float(np.abs(away).max()) < _SAME and float(np.abs(apart).max()) < _SAME:
            return candidate
    return StateStart(position_m=_triples(pose[:, :3]), orientation_wxyz=_quadruples(pose[:, 3:]))


def _directions(pose: FloatArray) -> FloatArray:
    """Return directions (n,) of links in the plane, rad, with each joint angle between -pi and pi."""
    axis = matrices(pose[:, 3:])[:, :, 0]
    directions: FloatArray = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    return directions


def placed_at(
    scene: Scene, start: JointAnglesStart | LinkAnglesStart, link: int
) -> JointAnglesStart | LinkAnglesStart:
    """Convert the scene's start `start` to another placed link (0-based): same pose and velocities."""
    if link == start.link - 1:
        return start
    pose, twist = initial_state(scene.model_copy(update={"start": start}))
    x, y, z = pose[link, :3]
    values: dict[str, Any] = {"link": link + 1, "x_m": tidy(x), "y_m": tidy(y)}
    values |= {"vx_m_s": tidy(twist[link, 0]), "vy_m_s": tidy(twist[link, 1])}
    heading, pitch, roll = frame_angles(matrices(pose[link : link + 1, 3:])[0])
    if isinstance(start, JointAnglesStart):
        values["heading_deg"] = tidy(heading)
    if scene.model.spatial:
        values |= {"pitch_deg": tidy(pitch), "roll_deg": tidy(roll)}
        values |= {} if start.z_m is None else {"z_m": tidy(z)}
        if isinstance(
            start, LinkAnglesStart
        ):  # in space, the differences define the shape and one angle the heading
            by = heading - start.link_angles_deg[link]
            values["link_angles_deg"] = tuple(tidy(angle + by) for angle in start.link_angles_deg)
    return changed_start(start, **values)


# --- the robot as a whole -------------------------------------------------------------------------


def moved_robot(scene: Scene, shift: ArrayLike, base_dir: Path | None = None) -> Scene:
    """Return the scene with the robot's start moved by (dx, dy, dz) metres; dz is ignored in the plane.

    Raises `SceneError` if the new position is out of range, or the start cannot be moved.
    """
    return _carried(scene, np.eye(3), np.zeros(3), np.asarray(shift, float), base_dir)


def turned_robot(
    scene: Scene, axis: ArrayLike, angle: float, pivot: ArrayLike, base_dir: Path | None = None
) -> Scene:
    """Return the scene with the robot's start turned as a whole, including velocities.

    Raises `SceneError` if the robot cannot be tilted, or the start cannot be turned.

    Parameters
    ----------
    axis : (3,) array
        Unit vector; vertical except in spatial models.
    angle : float
        rad.
    pivot : (3,) array
        Point on the axis, m.
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """
    turn = _about(np.asarray(axis, float), angle)
    if not scene.model.spatial and not _upright(turn):
        raise _refused(
            "the robot of this model lies flat on the ground", "turn it about the z axis"
        )
    return _carried(scene, turn, np.asarray(pivot, float), np.zeros(3), base_dir)


def _about(axis: FloatArray, angle: float) -> FloatArray:
    """Return the rotation matrix (3, 3) about a unit vector (Rodrigues)."""
    x, y, z = axis
    cross = np.array([(0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)])
    turn: FloatArray = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    return turn


def _upright(turn: FloatArray) -> bool:
    """Return whether a rotation keeps the vertical direction."""
    return bool(turn[2, 2] > 1.0 - 1e-12)


def _carried(
    scene: Scene, turn: FloatArray, pivot: FloatArray, shift: FloatArray, base_dir: Path | None
) -> Scene:
    """Return the scene whose robot starts at pivot + turn (p - pivot) + shift instead of p."""
    start = scene.start
    lacking = scene.body.unplaced(start)
    if lacking:
        raise _refused(f"a start of kind '{start.kind}' {lacking}", "choose the start straight")
    if isinstance(start, RecordingStart | StateStart | WrappedStart):
        return with_start(scene, _carried_state(as_state(scene, base_dir), turn, pivot, shift))
    pose, _ = initial_state(scene, base_dir)
    here = pose[min(start.link, len(pose)) - 1, :3]
    moved = pivot + turn @ (here - pivot) + shift
    velocity = turn @ np.array([start.vx_m_s, start.vy_m_s, start.vz_m_s])
    changes: dict[str, Any] = {"x_m": tidy(moved[0]), "y_m": tidy(moved[1])}
    if velocity.any():
        changes |= {
            "vx_m_s": tidy(velocity[0]),
            "vy_m_s": tidy(velocity[1]),
            "vz_m_s": tidy(velocity[2]),
        }
    omega = np.degrees(turn @ np.array(start.omega))
    if not _upright(turn) or start.omega_x_deg_s or start.omega_y_deg_s:
        rates = zip(("omega_x_deg_s", "omega_y_deg_s", "omega_deg_s"), omega, strict=True)
        changes |= {name: tidy(rate) for name, rate in rates if rate or getattr(start, name)}
    if scene.body.in_space and (
        start.z_m is not None or not _upright(turn) or abs(moved[2] - here[2]) > 1e-9
    ):
        changes["z_m"] = tidy(moved[2])
    return with_start(scene, changed_start(start, **changes, **_turned_angles(start, turn)))


def _turned_angles(start: PlacedStart, turn: FloatArray) -> dict[str, Any]:
    """Return the angles of a placed start after a rotation of the whole robot."""
    if _upright(turn):
        changes = {}
        by = math.degrees(math.atan2(turn[1, 0], turn[0, 0]))
        if by == 0.0:
            return {}
    else:
        heading = (
            start.link_angles_deg[start.link - 1]
            if isinstance(start, LinkAnglesStart)
            else _heading(start)
        )
        frame = rotation(
            *(math.radians(angle) for angle in (heading, start.pitch_deg, start.roll_deg))
        )
        turned, pitch, roll = frame_angles(turn @ frame)
        changes = {"pitch_deg": tidy(pitch), "roll_deg": tidy(roll)}
        by = turned - heading
    if isinstance(start, LinkAnglesStart):
        return changes | {
            "link_angles_deg": tuple(tidy(angle + by) for angle in start.link_angles_deg)
        }
    return changes | {"heading_deg": _within_half_a_turn(_heading(start) + by)}


def _heading(start: PlacedStart) -> float:
    return float(getattr(start, "heading_deg", 0.0))


def _within_half_a_turn(degrees: float) -> float:
    return tidy(degrees if abs(degrees) <= 180.0 else math.remainder(degrees, 360.0))


def _carried_state(
    start: StateStart, turn: FloatArray, pivot: FloatArray, shift: FloatArray
) -> StateStart:
    position = pivot + (np.array(start.position_m) - pivot) @ turn.T + shift
    orientation = np.array(start.orientation_wxyz)
    orientation = orientation / np.linalg.norm(orientation, axis=1, keepdims=True).clip(1e-300)
    changes: dict[str, Any] = {"position_m": _triples(position)}
    if not np.array_equal(turn, np.eye(3)):
        changes["orientation_wxyz"] = _quadruples(quaternions(turn @ matrices(orientation)))
        for name in ("velocity_m_s", "angular_velocity_rad_s"):
            moving = getattr(start, name)
            changes |= {} if moving is None else {name: _triples(np.array(moving) @ turn.T)}
    return changed_start(start, **changes)


# --- other shapes at the same position ------------------------------------------------------------


def straight_robot(scene: Scene, base_dir: Path | None = None) -> Scene:
    """Return the scene whose robot starts with all links in line; its centre and mean direction stay.

    Raises `SceneError` for a continuous body, or if a file of the start is unreadable.
    """
    return _laid(scene, StraightStart, base_dir)


def gait_robot(scene: Scene, base_dir: Path | None = None) -> Scene:
    """Return the scene whose robot starts in its gait's shape at t = 0; its centre and mean direction stay.

    Raises `SceneError` as `straight_robot`, and if the gait gives torques, which define no shape.
    """
    if scene.gives_torques:
        raise _refused("a torque gait has no shape", "start straight, or bend the joints")
    return _laid(scene, GaitStart, base_dir)


def _laid(scene: Scene, kind: type[StraightStart | GaitStart], base_dir: Path | None) -> Scene:
    if not scene.body.jointed:
        raise _refused(
            "the shape of a continuous body follows from its strain law", "change the strain law"
        )
    now, _ = initial_state(scene, base_dir)
    old = scene.start
    names = (
        "link",
        "z_m",
        "vx_m_s",
        "vy_m_s",
        "vz_m_s",
        "omega_deg_s",
        "omega_x_deg_s",
        "omega_y_deg_s",
    )
    values = {name: getattr(old, name) for name in names} if isinstance(old, PlacedStart) else {}
    level = with_start(scene, _validated(kind, values))
    turned = _mean_direction(now) - _mean_direction(initial_state(level)[0])
    turned = round(math.degrees(math.remainder(turned, math.tau)), 6) + 0.0
    placed = with_start(scene, _validated(kind, values | {"heading_deg": turned}))
    away = (now[:, :2] - initial_state(placed)[0][:, :2]).mean(axis=0)
    position = {"x_m": round(float(away[0]), 6) + 0.0, "y_m": round(float(away[1]), 6) + 0.0}
    return with_start(scene, _validated(kind, values | {"heading_deg": turned} | position))


def _mean_direction(pose: FloatArray) -> float:
    """Return the mean direction of the links seen from above, rad: it turns with the robot for any shape."""
    x, y = matrices(pose[:, 3:])[:, :2, 0].sum(axis=0)
    return math.atan2(y, x)
