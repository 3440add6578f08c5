"""Converts the robot of a scene and the world around it to a description for the writers of robot files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import ExportError
from snakestudio.model.obstacles.shape import Obstacle, obstacle_solids
from snakestudio.model.obstacles.solids import Block, Post, Prism, Relief, Solid
from snakestudio.model.registry import FORMULATIONS
from snakestudio.model.robot.axis_values import AxisValues
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.robot.robot import Axis, Link
from snakestudio.model.rotations import matrices, rotation
from snakestudio.model.scene import Scene
from snakestudio.robot_files.description import (
    Actuation,
    BodyDescription,
    Geometry,
    Inertial,
    JointDescription,
    Placement,
    RobotDescription,
)
from snakestudio.robot_files.names import UniqueNames

GROUND = "ground"

_X, _Y, _Z = np.eye(3)
_DIRECTIONS = {"yaw": _Z, "pitch": _Y, "roll": _X}
_ALONG_X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""Rotates the z axis of a capsule to the x axis of a link."""


@dataclass(frozen=True, slots=True, eq=False)
class StartState:
    """State of the robot at the start of a scene; angles in the convention of the robot."""

    base: Placement
    """Pose of the first link in the world."""

    angles: FloatArray
    """Joint angles (m,), rad."""

    velocity: FloatArray
    """Velocity of the origin of the first link's frame, (3,), m/s."""

    angular_velocity: FloatArray
    """Angular velocity of the first link in its own axes, (3,), rad/s."""

    rates: FloatArray
    """Joint rates (m,), rad/s."""


@dataclass(frozen=True, slots=True, eq=False)
class SceneModel:
    """Content of a scene for export."""

    description: RobotDescription
    """Links are bodies 0 to n - 1, each with its frame in the middle between its joints, x towards
    the next link, and with a capsule (a sphere if the contact half-length is 0); the first one is free.
    Its notes apply to all formats."""

    start: StartState
    rolling: tuple[float, ...]
    """Rolling friction of each link, a length, m."""

    implicit: bool
    """Whether the joint controllers of the scene are integrated implicitly."""

    motor_notes: tuple[str, ...]
    """Properties of the motors that even formats with actuators cannot represent."""

    world_notes: tuple[str, ...]
    """Properties of the world that even formats with a world cannot represent."""


def scene_model(scene: Scene, base_dir: Path | None = None) -> SceneModel:
    """Convert the robot and the world of a scene.

    Raises `ExportError` if robot files cannot represent the robot. Raises `SceneError` if a file
    that the scene refers to is invalid.
    """
    if not scene.body.jointed:
        raise ExportError(
            "A continuous body has no links and joints, so it cannot be written as a robot file. Choose a scene with a"
            " robot of links."
        )
    for k, link in enumerate(scene.robot.links):
        if scene.model.spatial and link.axial_inertia > 2.0 * link.inertia:
            raise ExportError(
                f"The axial inertia of link {k + 1} ({link.axial_inertia:g} kg m²) is more than twice its transverse"
                f" inertia ({link.inertia:g} kg m²), which is impossible for a rigid body. Correct"
                " robot.axial_inertia_kg_m2 or robot.inertia_kg_m2."
            )
    pose, twist = initial_state(scene, base_dir)
    start = start_state(scene, pose, twist)
    description = RobotDescription(
        name=scene.robot.name,
        bodies=_bodies(scene, start.base),
        world=tuple(_world(scene, base_dir)),
        gravity=scene.ground.gravity,
        time_step=scene.solver.step_s,
        notes=tuple(_notes(scene)),
    )
    return SceneModel(
        description,
        start,
        tuple(
            scene.ground.mu_rolling * link.radius if scene.model.spatial else 0.0
            for link in scene.robot.links
        ),
        scene.solver.joints == "implicit",
        tuple(_motor_notes(scene)),
        tuple(_ground_notes(scene)),
    )


# --- robot ----------------------------------------------------------------------------------------


def _bodies(scene: Scene, base: Placement) -> tuple[BodyDescription, ...]:
    """Return all links; the first one is at `base` in the world frame."""
    links = scene.robot.links
    friction = scene.link_friction
    placement = base
    joints: tuple[JointDescription, ...] = (JointDescription("base", "free"),)
    bodies = []
    for k, link in enumerate(links):
        if k > 0:
            placement, joints = _joint(scene, k - 1)
        shape = Geometry(
            "capsule" if link.contact_half_length else "sphere",
            (link.radius, link.contact_half_length) if link.contact_half_length else (link.radius,),
            Placement(rotation=_ALONG_X),
            friction=(float(friction[k, 0]), float(friction[k, 2])),
            name=f"link_{k + 1}",
        )
        inertia = np.diag([min(link.axial_inertia, 2.0 * link.inertia), link.inertia, link.inertia])
        inertial = Inertial(link.mass, np.array([link.centre_of_mass, 0.0, 0.0]), inertia)
        bodies.append(
            BodyDescription(f"link_{k + 1}", k - 1, placement, inertial, (shape,), joints)
        )
    return tuple(bodies)


def _joint(scene: Scene, joint: int) -> tuple[Placement, tuple[JointDescription, ...]]:
    """Return the pose of the link after a joint in the frame of the link before it, and the axes of the joint."""
    robot = scene.robot
    values = scene.axis_values
    offset = robot.joint_list[joint].axis_offset
    if (
        not scene.model.spatial
        and "robot.axis_offset_m" not in FORMULATIONS[scene.model.kind].reads
    ):
        offset = 0.0
    here = {axis.kind: j for j, axis in enumerate(scene.body.axes) if axis.joint == joint}
    # From the link after the joint back to each axis, with all angles of the robot at 0.
    frame = _along_x(0.5 * (robot.links[joint + 1].length - offset))
    axes = []
    for kind in ("roll", "pitch", "yaw"):
        if kind == "yaw":
            frame = _along_x(offset).then(frame)
        if kind in here:
            j = here[kind]
            back = frame.inverse()
            direction = values.sign[j] * back.rotation @ _DIRECTIONS[kind]
            axes.append(
                _axis(
                    Axis(joint, kind).name, direction, back.position, j, values, scene.gives_torques
                )
            )
            frame = Placement(rotation=_about(kind, float(values.zero[j]))).then(frame)
    return _along_x(0.5 * (robot.links[joint].length - offset)).then(frame), tuple(reversed(axes))


def _axis(
    name: str,
    direction: FloatArray,
    position: FloatArray,
    j: int,
    values: AxisValues,
    gives_torques: bool,
) -> JointDescription:
    """Return the axis `j` of the robot, with angles in the convention of the robot."""
    sign = float(values.sign[j])
    zero = float(values.zero[j])
    ends = sorted((sign * (float(values.lower[j]) - zero), sign * (float(values.upper[j]) - zero)))
    motor = Actuation(
        kp=None if gives_torques else float(values.kp[j]),
        kd=None if gives_torques else float(values.kd[j]),
        max_torque=_finite(values.max_torque[j]),
        max_speed=_finite(values.max_speed[j]),
    )
    stiffness = float(values.spring[j])
    return JointDescription(
        name=name,
        kind="hinge",
        axis=direction,
        position=position,
        lower=ends[0],
        upper=ends[1],
        damping=float(values.damper[j]),
        stiffness=stiffness,
        rest=sign * (float(values.rest[j]) - zero) if stiffness else 0.0,
        friction=float(values.dry[j]),
        armature=float(values.rotor[j]),
        actuation=motor if gives_torques or motor.kp or motor.kd else None,
    )


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _along_x(distance: float) -> Placement:
    return Placement(np.array([distance, 0.0, 0.0]))


def _about(kind: str, angle: float) -> FloatArray:
    """Return the rotation about an axis of a joint, (3, 3)."""
    return rotation(*(angle if kind == each else 0.0 for each in ("yaw", "pitch", "roll")))


# --- start ----------------------------------------------------------------------------------------


def start_state(scene: Scene, pose: FloatArray, twist: FloatArray) -> StartState:
    """Return the state of links whose joints are closed.

    Parameters
    ----------
    pose : (n, 7) array
    twist : (n, 6) array
        As in `Snapshot`.
    """
    turns = matrices(pose[:, 3:])
    values = scene.axis_values
    angles = np.zeros(len(scene.body.axes))
    rates = np.zeros(len(scene.body.axes))
    for joint in range(len(pose) - 1):
        here = [j for j, axis in enumerate(scene.body.axes) if axis.joint == joint]
        kinds = [scene.body.axes[j].kind for j in here]
        if not here:
            continue
        angle = joint_angles(turns[joint].T @ turns[joint + 1], kinds)
        relative = turns[joint].T @ (twist[joint + 1, 3:] - twist[joint, 3:])
        frame = np.eye(3)
        directions = []
        for kind, each in zip(kinds, angle, strict=True):
            directions.append(frame @ _DIRECTIONS[kind])
            frame = frame @ _about(kind, each)
        sign = values.sign[here]
        angles[here] = sign * (angle - values.zero[here])
        rates[here] = sign * np.linalg.lstsq(np.column_stack(directions), relative, rcond=None)[0]
    base = _middle(pose[0], scene.robot.links[0])
    spin = twist[0, 3:]
    velocity = twist[0, :3] + np.cross(spin, base.position - pose[0, :3])
    return StartState(base, angles, velocity, turns[0].T @ spin, rates)


def joint_angles(turn: FloatArray, kinds: Sequence[str]) -> FloatArray:
    """Return the angles of a joint in (-pi, pi), rad, with axes of these kinds and the rotation `turn`, (3, 3)."""
    r = turn
    angles = {
        "yaw": math.atan2(r[1, 0], r[0, 0]),
        "pitch": math.atan2(-r[2, 0], r[2, 2]),
        "roll": math.atan2(r[2, 1], r[2, 2]),
    }
    if "yaw" in kinds and "pitch" in kinds:
        if "roll" in kinds:
            angles["pitch"] = math.atan2(-r[2, 0], math.hypot(r[0, 0], r[1, 0]))
        else:
            angles["yaw"] = math.atan2(-r[0, 1], r[1, 1])
    elif "pitch" in kinds and "roll" in kinds:
        angles["pitch"] = math.atan2(-r[2, 0], r[0, 0])
        angles["roll"] = math.atan2(-r[1, 2], r[1, 1])
    return np.array([angles[kind] for kind in kinds])


def _middle(pose: FloatArray, link: Link) -> Placement:
    """Return the frame in the middle of a link whose centre of mass is at `pose`, (7,)."""
    turn = matrices(pose[None, 3:])[0]
    return Placement(pose[:3] - link.centre_of_mass * turn[:, 0], turn)


# --- world ----------------------------------------------------------------------------------------


def _world(scene: Scene, base_dir: Path | None) -> Iterator[Geometry]:
    ground = scene.ground
    yield Geometry("plane", (), friction=(ground.mu_along, ground.mu_across), name=GROUND)
    names = UniqueNames(GROUND, *(f"link_{k + 1}" for k in range(scene.robot.n_links)))
    for number, obstacle in enumerate(scene.obstacles, start=1):
        solids = obstacle_solids(obstacle, base_dir)
        for part, solid in enumerate(solids, start=1):
            name = obstacle.name or f"{obstacle.kind}_{number}"
            yield _geometry(
                solid, obstacle, names.unique(name if len(solids) == 1 else f"{name}_{part}")
            )


def _geometry(solid: Solid, obstacle: Obstacle, name: str) -> Geometry:
    friction = (obstacle.friction, obstacle.friction)
    if isinstance(solid, Post):
        middle = np.array([solid.x, solid.y, 0.5 * (solid.low + solid.high)])
        half = 0.5 * (solid.high - solid.low)
        return Geometry(
            "cylinder", (solid.radius, half), Placement(middle), friction=friction, name=name
        )
    if isinstance(solid, Block):
        x, y, z = (float(half) for half in solid.half)
        return Geometry(
            "box", (x, y, z), Placement(solid.centre, solid.rotation), friction=friction, name=name
        )
    if isinstance(solid, Prism):
        corners = [
            (x, side * solid.half_width, z) for side in (-1.0, 1.0) for x, z in solid.profile
        ]
        vertices = np.array(corners)
        x, y, z = (0.5 * float(extent) for extent in np.ptp(vertices, axis=0))
        placement = Placement(solid.origin, solid.rotation)
        return Geometry(
            "mesh", (x, y, z), placement, friction=friction, vertices=vertices, name=name
        )
    return _height_field(solid, friction, name)


def _height_field(solid: Relief, friction: tuple[float, float], name: str) -> Geometry:
    rows, columns = solid.heights.shape
    half = 0.5 * (columns - 1) * solid.dx, 0.5 * (rows - 1) * solid.dy
    turn = rotation(solid.yaw)
    placement = Placement(solid.origin + turn @ np.array([*half, 0.0]), turn)
    return Geometry(
        "height_field", half, placement, friction=friction, heights=solid.heights, name=name
    )


# --- omissions ---------------------------------------------------------------------


def _notes(scene: Scene) -> Iterator[str]:
    """Yield the properties of a scene that robot files cannot represent."""
    yield "The gait and the controller are not included: send references to the joints from your own program."
    if not scene.model.spatial:
        yield (
            "The model of the scene is planar. The file contains only the yaw axes, and only the ground keeps the links"
            " in the plane."
        )
        if any(link.axial_inertia > 2.0 * link.inertia for link in scene.robot.links):
            yield (
                "The axial inertia of a link, which planar models do not use, is written as twice its transverse one,"
                " the maximum for a rigid body."
            )
    friction = scene.link_friction
    if (friction[:, 0] != friction[:, 1]).any():
        yield (
            "Friction that differs between forward and backward is omitted; the coefficient for sliding head first"
            " applies in both directions, so a ratchet becomes a wheel."
        )
    if any(link.wheels != "none" for link in scene.robot.links):
        yield "Wheels are not separate bodies but zero friction along the link, as in the scene."


def _motor_notes(scene: Scene) -> Iterator[str]:
    actuator = scene.actuator
    if scene.joint_controller.law != "pd":
        yield "The joint controller of the scene is feedback linearization; the file has the gains of its PD law."
    elif scene.model.spatial and _damped_cardan(scene):
        yield (
            "This program multiplies the damping of a yaw axis by the cosine of the pitch of the same joint; the file"
            " does not."
        )
    if actuator.time_constant_s:
        yield f"The time constant of the motors ({actuator.time_constant_s:g} s) is omitted."
    values = scene.axis_values
    if values.free_play.any():
        yield "The backlash of the motors is omitted."
    if values.dry_rise[values.dry > 0.0].any():
        yield "The rise of the dry friction near rest is omitted."
    if (values.efficiency < 1.0).any():
        yield "The losses of the gears are omitted."
    if values.back_emf.any():
        yield "The back EMF of the motors is omitted."
    if np.isfinite(values.max_current_torque).any():
        yield "The current limit of the motors is omitted."
    if values.restitution[np.isfinite(values.lower) | np.isfinite(values.upper)].any():
        yield "The restitution of the joint limits is omitted."


def _damped_cardan(scene: Scene) -> bool:
    kd = scene.axis_values.kd
    return any(
        axis.kind == "yaw" and kd[j] and "pitch" in scene.robot.joint_list[axis.joint].axes
        for j, axis in enumerate(scene.body.axes)
    )


def _ground_notes(scene: Scene) -> Iterator[str]:
    ground = scene.ground
    if ground.slope_deg:
        yield f"The slope of {ground.slope_deg:g}° is written as tilted gravity on level ground."
    law = ground.law or ("ellipse" if scene.model.kind.endswith("nonsmooth") else "components")
    if law != "ellipse" and (scene.link_friction[:, 0] != scene.link_friction[:, 2]).any():
        effect = {
            "components": "each direction separately",
            "unit_velocity": "weighted by direction",
        }[law]
        yield (
            f"The ground friction law ({effect}) was converted to an elliptic law with the coefficients along and"
            " across the links."
        )
    if ground.patch:
        yield "The friction patches of the ground are omitted: its base friction is used everywhere."
    if ground.friction_factor.strip() != "1":
        yield "The friction factor of the ground is omitted."
    if ground.picture:
        yield "The friction image of the ground is omitted."
    if ground.load_factor.strip() != "1" and not scene.model.spatial:
        yield "The load factor of the ground is omitted."
    reads = FORMULATIONS[scene.model.kind].reads
    if ground.stribeck_rise and "ground.stribeck_rise" in reads:
        yield "Static friction equals sliding friction: the Stribeck increase is omitted."
    viscous = ground.viscous_along_ns_per_m or ground.viscous_across_ns_per_m
    if viscous and "ground.viscous_along_ns_per_m" in reads:
        yield "Viscous friction is omitted."
