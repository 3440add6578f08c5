"""Writer of the robot of a scene as URDF, the format of ROS."""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import numpy as np

from snakestudio.robot_files.description import (
    UNLIMITED,
    Actuation,
    BodyDescription,
    Geometry,
    JointDescription,
    Placement,
)
from snakestudio.robot_files.from_scene import SceneModel
from snakestudio.robot_files.names import plain_name
from snakestudio.robot_files.single_axes import CROSS_SHARE, with_single_axes
from snakestudio.robot_files.xml_text import add, document, moment_texts, numbers, rpy


def urdf_notes(model: SceneModel) -> tuple[str, ...]:
    """Return the properties that URDF cannot represent."""
    return (*model.description.notes, *_own_notes(model))


def _own_notes(model: SceneModel) -> Iterator[str]:
    bodies = model.description.bodies
    joints = [joint for body in bodies for joint in body.joints if joint.kind == "hinge"]
    yield "URDF has no world: the ground, gravity, obstacles and the start of the robot are omitted."
    if any(joint.actuation is not None for joint in joints):
        yield "The gains of the joint controllers are omitted; torque and speed limits are limits of the joints."
    if any(joint.armature for joint in joints):
        yield "The rotor inertia of the joints is omitted."
    if any(joint.stiffness for joint in joints):
        yield "The springs of the joints are omitted."
    if any(len(body.joints) > 1 for body in bodies):
        yield (
            f"Between two axes of a joint there is a link named _cross with {CROSS_SHARE:g} of the mass and inertia of"
            " the link after it, because many programs refuse links without mass."
        )
    if any(shape.kind == "capsule" for body in bodies for shape in body.geometries):
        yield "A capsule is written as a cylinder and two spheres."
    yield "Friction is written in the gazebo elements, which other programs ignore; rolling friction is omitted."
    if any(_stands_in(joint) for joint in joints):
        yield f"A limit of {UNLIMITED:g} represents no limit, because URDF requires a number."


def urdf_text(model: SceneModel) -> str:
    """Return the text of the file, with its notes in a comment at the top.

    The frame of the first link is in its middle; the other links have their frame on their axis, with x
    along the link.
    """
    root = Element("robot", name=plain_name(model.description.name) or "robot")
    bodies = with_single_axes(model.description.bodies)
    for body in bodies:
        _link(root, body)
    for body in bodies:
        if body.parent >= 0:
            _joint(root, body, bodies[body.parent])
    for body in bodies:
        for shape in body.geometries:
            _friction(root, body, shape)
    return document(root, f"URDF model of {model.description.name}", urdf_notes(model))


def _frame(body: BodyDescription) -> Placement:
    """Return the frame of the link in the frame of the body."""
    return Placement(body.joints[0].position) if body.joints else Placement()


def _origin(parent: Element, placement: Placement) -> None:
    if placement.position.any() or not np.array_equal(placement.rotation, np.eye(3)):
        add(
            parent,
            "origin",
            xyz=numbers(*placement.position),
            rpy=numbers(*rpy(placement.rotation)),
        )


def _link(root: Element, body: BodyDescription) -> None:
    link = add(root, "link", name=body.name)
    back = _frame(body).inverse()
    if body.inertial is not None:
        inertial = add(link, "inertial")
        _origin(inertial, back.then(Placement(body.inertial.centre)))
        add(inertial, "mass", value=numbers(body.inertial.mass))
        add(inertial, "inertia", **moment_texts(body.inertial.inertia))
    for role in ("visual", "collision"):
        for shape in body.geometries:
            for part in _parts(shape):
                element = add(link, role)
                _origin(element, back.then(part.placement))
                _geometry(add(element, "geometry"), part)


def _parts(shape: Geometry) -> Iterator[Geometry]:
    """Yield the shapes that URDF supports: for a capsule its cylinder and its end spheres."""
    if shape.kind != "capsule":
        yield shape
        return
    radius, half = shape.size
    yield Geometry("cylinder", (radius, half), shape.placement)
    for end in (-half, half):
        yield Geometry(
            "sphere", (radius,), shape.placement.then(Placement(np.array([0.0, 0.0, end])))
        )


def _geometry(element: Element, shape: Geometry) -> None:
    if shape.kind == "sphere":
        add(element, "sphere", radius=numbers(shape.size[0]))
    else:
        add(element, "cylinder", radius=numbers(shape.size[0]), length=numbers(2.0 * shape.size[1]))


def _joint(root: Element, body: BodyDescription, parent: BodyDescription) -> None:
    hinge = body.joints[0] if body.joints else None
    name = hinge.name if hinge is not None else f"{body.name}_fixed"
    joint = add(root, "joint", name=name, type=_type(hinge))
    _origin(joint, _frame(parent).inverse().then(body.placement).then(_frame(body)))
    add(joint, "parent", link=parent.name)
    add(joint, "child", link=body.name)
    if hinge is None:
        return
    add(joint, "axis", xyz=numbers(*hinge.axis))
    if hinge.damping or hinge.friction:
        add(joint, "dynamics", damping=numbers(hinge.damping), friction=numbers(hinge.friction))
    limits = _limits(hinge)
    if any(math.isfinite(value) for value in limits.values()):
        add(joint, "limit", **{name: numbers(_written(value)) for name, value in limits.items()})


def _type(hinge: JointDescription | None) -> str:
    if hinge is None:
        return "fixed"
    return "revolute" if math.isfinite(hinge.lower) or math.isfinite(hinge.upper) else "continuous"


def _limits(hinge: JointDescription) -> dict[str, float]:
    """Return the limits that a joint of this type must have, infinite if the scene has none."""
    motor = hinge.actuation or Actuation()
    limits = {
        "effort": math.inf if motor.max_torque is None else motor.max_torque,
        "velocity": math.inf if motor.max_speed is None else motor.max_speed,
    }
    if _type(hinge) == "revolute":
        limits |= {"lower": hinge.lower, "upper": hinge.upper}
    return limits


def _written(limit: float) -> float:
    return limit if math.isfinite(limit) else math.copysign(UNLIMITED, limit)


def _stands_in(hinge: JointDescription) -> bool:
    """Return whether a number represents a missing limit."""
    return len({math.isfinite(value) for value in _limits(hinge).values()}) == 2


def _friction(root: Element, body: BodyDescription, shape: Geometry) -> None:
    if shape.friction is not None:
        gazebo = add(root, "gazebo", reference=body.name)
        add(gazebo, "mu1", numbers(shape.friction[0]))
        add(gazebo, "mu2", numbers(shape.friction[1]))
        add(gazebo, "fdir1", "0 0 1")  # the axis of the cylinder
