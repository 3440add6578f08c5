"""Writer of the robot and the world of a scene as MJCF, the format of MuJoCo."""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import ExportError
from snakestudio.model.rotations import quaternions
from snakestudio.robot_files.description import (
    BodyDescription,
    Geometry,
    JointDescription,
    Placement,
)
from snakestudio.robot_files.from_scene import GROUND, SceneModel
from snakestudio.robot_files.names import plain_name
from snakestudio.robot_files.xml_text import add, diagonal, document, numbers

_WORLD = "1"
_LINKS = "0"
"""Collision type: links collide with the world, but not with each other."""

_LINK_PRIORITY = "1"
_OBSTACLE_PRIORITY = "2"
"""Priority of obstacles: the geom with the higher priority determines the friction of a contact: the link on
the ground, the obstacle at an obstacle."""


_GREEN = "0.2 0.75 0.5 1"
_ORANGE = "0.85 0.5 0.25 1"
_GREY = "0.8 0.8 0.8 1"

MOST_LINKS = 496
"""Largest number of links in a chain that MuJoCo can read: its limit of nesting is 500."""


def mjcf_notes(model: SceneModel) -> tuple[str, ...]:
    """Return the properties that MJCF cannot represent."""
    return (*model.description.notes, *model.motor_notes, *model.world_notes, *_own_notes(model))


def _own_notes(model: SceneModel) -> Iterator[str]:
    joints = [joint for body in model.description.bodies for joint in body.joints]
    motors = [joint.actuation for joint in joints if joint.actuation is not None]
    if any(motor.kp for motor in motors):
        yield (
            "The control of a position actuator is the reference angle plus kv/kp times the reference rate: with that"
            " it obeys the PD law of the scene."
        )
    if any(motor.max_speed is not None for motor in motors):
        yield "The speed limit of the joints is omitted: limit the rate of your references."
    links = [shape for body in model.description.bodies for shape in body.geometries]
    if any(
        shape.friction[0] != shape.friction[1] and not _has_directions(shape)
        for shape in links
        if shape.friction
    ):
        yield "Links that are spheres have the friction along in all directions, because MuJoCo has no axis for them."
    yield "Contacts and joint limits of MuJoCo are soft and its friction creeps; those of the scene are rigid."


def mjcf_text(model: SceneModel) -> str:
    """Return the text of the file, with its notes in a comment at the top.

    Each link is a body with a capsule; the axes of a joint are hinges of the link after it, at
    different positions if they are apart. Different friction along and across a link is written as
    explicit pairs of the ground and the capsule, whose contact frames MuJoCo aligns with the axis of the
    capsule. The keyframe `start` is the start of the scene.

    Raises `ExportError` if the robot has more links than MuJoCo can read.
    """
    description = model.description
    if len(description.bodies) > MOST_LINKS:
        raise ExportError(
            f"MuJoCo reads chains of at most {MOST_LINKS} links, but the robot has {len(description.bodies)}. Export it"
            " as URDF or SDF."
        )
    root = Element("mujoco", model=plain_name(description.name) or "robot")
    add(root, "compiler", angle="radian", autolimits="true")
    option = add(root, "option", gravity=numbers(*description.gravity), cone="elliptic")
    if description.time_step is not None:
        option.set("timestep", numbers(description.time_step))
    if model.implicit:
        option.set("integrator", "implicitfast")
    add(add(root, "visual"), "headlight", ambient="0.4 0.4 0.4", diffuse="0.6 0.6 0.6")
    assets = add(root, "asset")
    world = add(root, "worldbody")
    for shape in description.world:
        _world_geom(world, assets, shape)
    elements: list[Element] = []
    for index, body in enumerate(description.bodies):
        parent = world if body.parent < 0 else elements[body.parent]
        elements.append(_body(parent, body, model.rolling[index]))
    pairs = Element("contact")
    for body, rolling in zip(description.bodies, model.rolling, strict=True):
        for shape in body.geometries:
            _ground_pair(pairs, shape, rolling)
    actuators = Element("actuator")
    for body in description.bodies:
        for joint in body.joints:
            _actuator(actuators, joint)
    root.extend(part for part in (pairs, actuators) if len(part))
    if not len(assets):
        root.remove(assets)
    _keyframe(root, model)
    return document(root, f"MJCF model of {description.name}", mjcf_notes(model))


def _placed(element: Element, placement: Placement) -> None:
    """Write a position, and a rotation if there is one."""
    if placement.position.any():
        element.set("pos", numbers(*placement.position))
    if not np.array_equal(placement.rotation, np.eye(3)):
        element.set("quat", numbers(*_quaternion(placement.rotation)))


def _quaternion(rotation: FloatArray) -> FloatArray:
    quaternion: FloatArray = quaternions(rotation[None])[0]
    return quaternion


# --- world ----------------------------------------------------------------------------------------


def _world_geom(world: Element, assets: Element, shape: Geometry) -> None:
    friction = (shape.friction or (1.0, 1.0))[0]
    geom = add(
        world,
        "geom",
        name=shape.name,
        contype=_WORLD,
        conaffinity="0",
        friction=numbers(friction, 0.0, 0.0),
    )
    geom.set("condim", "3" if friction else "1")
    placement = shape.placement
    if shape.kind == "plane":
        geom.attrib |= {"type": "plane", "size": "0 0 1", "rgba": _GREY}
        return
    geom.attrib |= {"priority": _OBSTACLE_PRIORITY, "rgba": _ORANGE}
    if shape.vertices is not None:
        add(assets, "mesh", name=shape.name, vertex=numbers(*shape.vertices.ravel()))
        geom.attrib |= {"type": "mesh", "mesh": shape.name}
    elif shape.heights is not None:
        low, high = float(shape.heights.min()), float(shape.heights.max())
        rows, columns = shape.heights.shape
        # MuJoCo lists rows from the top of the image down, and scales heights to 0 to 1.
        add(
            assets,
            "hfield",
            name=shape.name,
            nrow=str(rows),
            ncol=str(columns),
            size=numbers(*shape.size, max(high - low, 1e-6), 0.1),
            elevation=numbers(*shape.heights[::-1].ravel()),
        )
        geom.attrib |= {"type": "hfield", "hfield": shape.name}
        placement = placement.then(Placement(np.array([0.0, 0.0, low])))
    else:
        geom.attrib |= {"type": shape.kind, "size": numbers(*shape.size)}
    _placed(geom, placement)


def _has_directions(shape: Geometry) -> bool:
    """Return whether friction along and across differ, and MuJoCo can determine the direction along."""
    return (
        shape.friction is not None
        and shape.friction[0] != shape.friction[1]
        and len(shape.size) == 2
    )


def _ground_pair(pairs: Element, shape: Geometry, rolling: float) -> None:
    """Different friction along and across a link: only explicit pairs have two coefficients."""
    along, across = shape.friction or (0.0, 0.0)
    if _has_directions(shape):
        add(
            pairs,
            "pair",
            geom1=GROUND,
            geom2=shape.name,
            condim=_dimension(max(along, across), rolling),
            friction=numbers(along, across, 0.0, rolling, rolling),
        )


# --- robot ----------------------------------------------------------------------------------------


def _body(parent: Element, body: BodyDescription, rolling: float) -> Element:
    element = add(parent, "body", name=body.name)
    _placed(element, body.placement)
    for joint in body.joints:
        _joint(element, joint)
    if body.inertial is not None:
        inertial = add(
            element,
            "inertial",
            pos=numbers(*body.inertial.centre),
            mass=numbers(body.inertial.mass),
        )
        inertia = body.inertial.inertia
        if diagonal(inertia):
            inertial.set("diaginertia", numbers(*np.diag(inertia)))
        else:
            places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            inertial.set("fullinertia", numbers(*(inertia[entry] for entry in places)))
    for shape in body.geometries:
        friction = (shape.friction or (1.0, 1.0))[0]
        geom = add(
            element,
            "geom",
            name=shape.name,
            type=shape.kind,
            size=numbers(*shape.size),
            contype=_LINKS,
            conaffinity=_WORLD,
            priority=_LINK_PRIORITY,
            condim=_dimension(friction, rolling),
            friction=numbers(friction, 0.0, rolling),
            rgba=_GREEN,
        )
        _placed(geom, shape.placement)
    return element


def _dimension(friction: float, rolling: float) -> str:
    """Return the number of contact dimensions: normal, tangential, and rolling resistance."""
    if rolling:
        return "6"
    return "3" if friction else "1"


def _joint(body: Element, joint: JointDescription) -> None:
    if joint.kind == "free":
        add(body, "freejoint", name=joint.name)
        return
    element = add(
        body, "joint", name=joint.name, axis=numbers(*joint.axis), pos=numbers(*joint.position)
    )
    if math.isfinite(joint.lower) or math.isfinite(joint.upper):
        # MuJoCo does not support one-sided limits.
        element.set("range", numbers(max(joint.lower, -1e6), min(joint.upper, 1e6)))
    for name, value in (
        ("damping", joint.damping),
        ("stiffness", joint.stiffness),
        ("springref", joint.rest),
        ("frictionloss", joint.friction),
        ("armature", joint.armature),
    ):
        if value:
            element.set(name, numbers(value))


def _actuator(actuators: Element, joint: JointDescription) -> None:
    motor = joint.actuation
    if motor is None:
        return
    values = {"name": joint.name, "joint": joint.name}
    if motor.max_torque is not None:
        values["forcerange"] = numbers(-motor.max_torque, motor.max_torque)
    if motor.kp:
        add(actuators, "position", **values, kp=numbers(motor.kp), kv=numbers(motor.kd or 0.0))
    elif motor.kd:
        add(actuators, "velocity", **values, kv=numbers(motor.kd))
    else:
        add(actuators, "motor", **values)


def _keyframe(root: Element, model: SceneModel) -> None:
    """The start of the scene, with each position actuator holding its angle."""
    start = model.start
    joints = [
        joint for body in model.description.bodies for joint in body.joints if joint.kind == "hinge"
    ]
    key = add(add(root, "keyframe"), "key", name="start")
    key.set("qpos", numbers(*start.base.position, *_quaternion(start.base.rotation), *start.angles))
    if start.velocity.any() or start.angular_velocity.any() or start.rates.any():
        key.set("qvel", numbers(*start.velocity, *start.angular_velocity, *start.rates))
    held = [
        angle if joint.actuation.kp else 0.0
        for joint, angle in zip(joints, start.angles, strict=True)
        if joint.actuation is not None
    ]
    if held:
        key.set("ctrl", numbers(*held))
