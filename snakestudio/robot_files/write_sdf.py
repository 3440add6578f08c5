"""Writer of the robot and the world of a scene as SDF 1.9, the format of Gazebo."""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.robot_files.description import BodyDescription, Geometry, Placement
from snakestudio.robot_files.from_scene import GROUND, SceneModel
from snakestudio.robot_files.names import UniqueNames
from snakestudio.robot_files.single_axes import CROSS_SHARE, with_single_axes
from snakestudio.robot_files.xml_text import add, document, moment_texts, numbers, pose_text

VERSION = "1.9"

_GROUND_SIZE = 100.0
"""Size of the drawn ground, m; it collides beyond."""

_ON_EDGE = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""Rotates the plane of a profile, x and y, to x and z."""


def sdf_notes(model: SceneModel) -> tuple[str, ...]:
    """Return the properties that SDF cannot represent."""
    return (*model.description.notes, *model.world_notes, *_own_notes(model))


def _own_notes(model: SceneModel) -> Iterator[str]:
    description = model.description
    joints = [
        joint for body in description.bodies for joint in body.joints if joint.kind == "hinge"
    ]
    if any(joint.actuation is not None for joint in joints):
        yield "The gains of the joint controllers are omitted; torque and speed limits are limits of the joints."
    if any(joint.armature for joint in joints):
        yield "The rotor inertia of the joints is omitted."
    if model.start.angles.any() or model.start.velocity.any() or model.start.angular_velocity.any():
        yield (
            "SDF has no initial joint angles and velocities: the robot starts straight and at rest, with its first"
            " link as in the scene."
        )
    if any(len(body.joints) > 1 for body in description.bodies):
        yield (
            f"Between two axes of a joint there is a link named _cross with {CROSS_SHARE:g} of the mass and inertia of"
            " the link after it, because Gazebo refuses links without mass."
        )
    if any(shape.heights is not None for shape in description.world):
        yield "Height fields are omitted: SDF reads them only from image files."
    if any(model.rolling):
        yield "Rolling friction is omitted."
    ground = next(shape.friction for shape in description.world if shape.name == GROUND)
    links = [shape.friction for body in description.bodies for shape in body.geometries]
    if len(description.world) > 1 or any(friction != ground for friction in links):
        yield "Gazebo uses the smaller friction coefficient of the two bodies of a contact."


def sdf_text(model: SceneModel) -> str:
    """Return the text of the file, with its notes in a comment at the top: a world with ground, obstacles and robot."""
    description = model.description
    root = Element("sdf", version=VERSION)
    world = add(root, "world", name="scene")
    if description.time_step is not None:
        physics = add(world, "physics", name="step", type="ode")
        add(physics, "max_step_size", numbers(description.time_step))
        add(physics, "real_time_factor", "1.0")
    add(world, "gravity", numbers(*description.gravity))
    light = add(world, "light", name="sun", type="directional")
    add(light, "direction", "-0.4 0.2 -0.9")
    names = UniqueNames("sun", "scene", "world")
    for shape in description.world:
        if shape.heights is None:
            _obstacle(world, shape, names.unique(shape.name))
    _robot(world, model, names.unique(description.name or "robot"))
    return document(root, f"SDF model of {description.name}", sdf_notes(model))


# --- world ----------------------------------------------------------------------------------------


def _obstacle(world: Element, shape: Geometry, name: str) -> None:
    element = add(world, "model", name=name)
    add(element, "static", "true")
    add(element, "pose", pose_text(shape.placement))
    _shape(add(element, "link", name="link"), shape, Placement())


def _shape(link: Element, shape: Geometry, placement: Placement) -> None:
    """A shape for collision and drawing, at a pose in the frame of the link."""
    if shape.vertices is not None:
        placement = placement.then(_profile(shape)[0])
    for role in ("collision", "visual"):
        element = add(link, role, name=role)
        if placement.position.any() or not np.array_equal(placement.rotation, np.eye(3)):
            add(element, "pose", pose_text(placement))
        _geometry(add(element, "geometry"), shape)
        if role == "collision" and shape.friction is not None:
            friction = add(add(add(element, "surface"), "friction"), "ode")
            add(friction, "mu", numbers(shape.friction[0]))
            add(friction, "mu2", numbers(shape.friction[1]))
            if shape.friction[0] != shape.friction[1]:
                add(friction, "fdir1", "0 0 1")  # the axis of the capsule


def _geometry(element: Element, shape: Geometry) -> None:
    if shape.kind == "plane":
        plane = add(element, "plane")
        add(plane, "normal", "0 0 1")
        add(plane, "size", numbers(_GROUND_SIZE, _GROUND_SIZE))
    elif shape.kind == "sphere":
        add(add(element, "sphere"), "radius", numbers(shape.size[0]))
    elif shape.vertices is not None:
        _, profile, height = _profile(shape)
        polyline = add(element, "polyline")
        for point in profile:
            add(polyline, "point", numbers(*point))
        add(polyline, "height", numbers(height))
    elif len(shape.size) == 3:
        add(add(element, "box"), "size", numbers(*(2.0 * half for half in shape.size)))
    else:
        round_shape = add(element, shape.kind)
        add(round_shape, "radius", numbers(shape.size[0]))
        add(round_shape, "length", numbers(2.0 * shape.size[1]))


def _profile(shape: Geometry) -> tuple[Placement, FloatArray, float]:
    """Profile (k, 2) of a wedge, m, the pose of its plane in the frame of the shape, and its extrusion length."""
    assert shape.vertices is not None
    near, far = np.split(shape.vertices, 2)
    placement = Placement(np.array([0.0, float(far[0, 1]), 0.0]), _ON_EDGE)
    return placement, near[:, ::2], float(far[0, 1] - near[0, 1])


# --- robot ----------------------------------------------------------------------------------------


def _robot(world: Element, model: SceneModel, name: str) -> None:
    bodies = with_single_axes(model.description.bodies)
    robot = add(world, "model", name=name)
    add(robot, "pose", pose_text(bodies[0].placement))
    for body in bodies:
        _link(robot, body, bodies)
    for body in bodies:
        if body.parent >= 0:
            _joint(robot, body, bodies)


def _link(robot: Element, body: BodyDescription, bodies: tuple[BodyDescription, ...]) -> None:
    link = add(robot, "link", name=body.name)
    if body.parent >= 0:
        add(link, "pose", pose_text(body.placement)).set("relative_to", bodies[body.parent].name)
    if body.inertial is not None:
        inertial = add(link, "inertial")
        if body.inertial.centre.any():
            add(inertial, "pose", pose_text(Placement(body.inertial.centre)))
        add(inertial, "mass", numbers(body.inertial.mass))
        inertia = add(inertial, "inertia")
        for moment, text in moment_texts(body.inertial.inertia).items():
            add(inertia, moment, text)
    for shape in body.geometries:
        _shape(link, shape, shape.placement)


def _joint(robot: Element, body: BodyDescription, bodies: tuple[BodyDescription, ...]) -> None:
    parent = bodies[body.parent].name
    if not body.joints:
        joint = add(robot, "joint", name=f"{body.name}_fixed", type="fixed")
        add(joint, "parent", parent)
        add(joint, "child", body.name)
        return
    (hinge,) = body.joints
    joint = add(robot, "joint", name=hinge.name, type="revolute")
    if hinge.position.any():
        add(joint, "pose", pose_text(Placement(hinge.position)))
    add(joint, "parent", parent)
    add(joint, "child", body.name)
    axis = add(joint, "axis")
    add(axis, "xyz", numbers(*hinge.axis))
    limit = Element("limit")
    for name, value in (("lower", hinge.lower), ("upper", hinge.upper)):
        if math.isfinite(value):
            add(limit, name, numbers(value))
    if hinge.actuation is not None and hinge.actuation.max_torque is not None:
        add(limit, "effort", numbers(hinge.actuation.max_torque))
    if hinge.actuation is not None and hinge.actuation.max_speed is not None:
        add(limit, "velocity", numbers(hinge.actuation.max_speed))
    if len(limit):
        axis.append(limit)
    dynamics = Element("dynamics")
    for name, value in (
        ("damping", hinge.damping),
        ("friction", hinge.friction),
        ("spring_reference", hinge.rest),
        ("spring_stiffness", hinge.stiffness),
    ):
        if value:
            add(dynamics, name, numbers(value))
    if len(dynamics):
        axis.append(dynamics)
