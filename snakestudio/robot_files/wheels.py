"""Recognition of wheels and casters by their shape and joint, and their merging into the bodies that carry them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.description import Geometry, JointDescription
from snakestudio.robot_files.notes import Change, Effect, Notes
from snakestudio.robot_files.reading import names_text
from snakestudio.robot_files.tree import Node, joint_names, turns

_NAMED = re.compile(r"wheel|tyre|tire(?![a-z])|caster|castor|roller", re.IGNORECASE)

_PARALLEL = 0.95
"""Smallest cosine between the axis of a wheel and that of its cylinder."""

_ACROSS = 0.3
"""Largest cosine between the axis of a wheel and that on which its fork swivels."""

_CENTRED = 0.1
"""Largest distance of the middle of a wheel from the axis on which it turns, as a fraction of its radius."""

_UNKNOWN = 0.01
"""The same for a wheel without geometry, m."""

_HUB = 1.5
"""Largest distance of a wheel on the line of its axis from another joint, as a multiple of its radius."""

_MOUNT = 0.15
"""Largest mass of a body that only holds wheels, as a fraction of the mass of the body that carries it."""


def merge_wheels(nodes: list[Node], members: list[int], notes: Notes) -> None:
    """Merge wheels and casters into the segments that carry them.

    Raises `InputError` if no other joint is left, or the robot steers its wheels.
    """
    wheels = _wheels(nodes, members)
    for index in wheels:
        node = nodes[index]
        joint = node.joints[-1]
        carrier = nodes[node.parent]
        carrier.segment.inertials += node.segment.inertials
        carrier.segment.bodies += node.segment.bodies
        carrier.children.remove(index)
        if joint.kind == "hinge":
            axis = node.placement.rotation @ joint.axis
            carrier.segment.wheels.append((axis, node.segment.geometries))
        if joint.actuation is not None:
            notes.add(joint.name, "drives a wheel; here the wheel is passive", "driven wheel")
        kind = "ball caster" if joint.kind == "ball" else "wheel"
        text = "is a wheel; its mass was added to the link on which it turns"
        if joint.kind == "ball":
            text = "is a ball caster; it was fixed to the link that carries it"
        elif len(node.joints) > 1:
            kind = "steered wheel"
            text = (
                "is a steered wheel and was imported without steering;"
                " its mass was added to the link that carries it"
            )
        change = Change(Effect.JOINTS_LEFT_OUT, joints=joint_names(nodes, [index]))
        notes.add(node.segment.name, text, kind, change)
    _merge_mounts(nodes, [index for index in members if index not in wheels], notes)
    left = [i for i in members if nodes[i].parent >= 0 and i in nodes[nodes[i].parent].children]
    if not any(turns(nodes[index]) for index in left) and wheels:
        names = names_text(joint_names(nodes, wheels))
        raise InputError(
            f"the joints of the robot only turn wheels or casters ({names}), so no joint of a chain is left",
            "choose the file of a robot with links that are joined to a chain",
        )


def _wheels(nodes: list[Node], members: Sequence[int]) -> list[int]:
    ends = [i for i in members if nodes[i].parent >= 0 and not nodes[i].children]
    likely = [index for index in ends if _turns_about_its_middle(nodes[index])]
    likely = [index for index in likely if _is_wheel(nodes, index, likely)]
    sure = [index for index in likely if _is_surely_wheel(nodes, index)]
    return [i for i in likely if i in sure or any(_equal(nodes[i], nodes[k]) for k in sure)]


def _is_surely_wheel(nodes: list[Node], index: int) -> bool:
    """Return whether a body is a wheel even if no other one equals it, and not the last ball or disc of a chain."""
    node = nodes[index]
    carrier = nodes[node.parent]
    alone = len(carrier.children) == 1
    if _is_named(node) or not alone:
        return True
    if carrier.parent < 0:  # the only part on a base
        return node.joints[-1].kind == "ball" or _is_flat(_shapes(node))
    axes = [body.placement.rotation @ body.joints[-1].axis for body in (node, carrier)]
    return _is_flat(_shapes(node)) and abs(float(axes[0] @ axes[1])) < _ACROSS


def _is_named(node: Node) -> bool:
    return bool(_NAMED.search(f"{node.segment.name} {node.joints[-1].name}"))


def _is_flat(shapes: Sequence[Geometry]) -> bool:
    return all(len(shape.size) == 2 and shape.size[1] <= shape.size[0] for shape in shapes)


def _is_wheel(nodes: list[Node], index: int, likely: Sequence[int]) -> bool:
    """Return whether a body that turns about its own middle is a wheel, not the last link of a chain."""
    node = nodes[index]
    joint = node.joints[-1]
    if _is_named(node):
        return True
    shapes = _shapes(node)
    carrier = nodes[node.parent]
    axis = node.placement.rotation @ joint.axis
    if joint.kind == "ball":
        return joint.actuation is None and all(shape.kind == "sphere" for shape in shapes)
    if not shapes or not all(_is_round(shape, axis) for shape in shapes):
        return False
    flat = _is_flat(shapes)
    if (joint.actuation is not None and not flat) or _equal(node, carrier):
        return False
    if flat and joint.actuation is None and len(carrier.children) > 1:
        return True
    others = [i for i in carrier.children if i not in likely]
    offsets = [_point(nodes[i]) - _point(node) for i in others]
    if carrier.parent >= 0:
        offsets.append(_point(carrier) - _point(node))
    nearest = _HUB * max(shape.size[0] for shape in shapes) if flat else 0.0
    return not any(_leads(offset, axis, nearest) for offset in offsets)


def _leads(offset: FloatArray, axis: FloatArray, nearest: float) -> bool:
    """Return whether a joint turns about the line to another one, as the roll joint of a chain does."""
    distance = float(np.linalg.norm(offset))
    return distance > max(nearest, 1e-9) and abs(float(offset @ axis)) > _PARALLEL * distance


def _point(node: Node) -> FloatArray:
    position = node.joints[-1].position if node.joints else np.zeros(3)
    point: FloatArray = node.placement.position + node.placement.rotation @ position
    return point


def _shapes(node: Node) -> list[Geometry]:
    solid = [g for g in node.segment.geometries if g.solid]
    return [g for g in solid if g.collides] or solid


def _turns_about_its_middle(node: Node) -> bool:
    """Return whether the centre of mass and the geometry of a body are on the axis of its joint, which has no limits.

    Before that joint, one that steers can be at the same point.
    """
    if not node.joints or len(node.joints) > 2:
        return False
    joint = node.joints[-1]
    steering = node.joints[0]
    if len(node.joints) == 2 and (
        steering.kind != "hinge"
        or joint.kind != "hinge"
        or float(np.linalg.norm(steering.position - joint.position)) > _UNKNOWN
        or abs(float(steering.axis @ joint.axis)) > _PARALLEL
    ):
        return False
    if joint.kind not in ("hinge", "ball") or _is_limited(joint):
        return False
    axis = node.placement.rotation @ joint.axis if joint.kind == "hinge" else np.zeros(3)
    shapes = _shapes(node)
    reach = max((_reach(shape, axis) for shape in shapes), default=0.0)
    tolerance = _CENTRED * reach if shapes else _UNKNOWN
    middles = [shape.placement.position for shape in shapes]
    inertial = node.segment.inertial
    if inertial is not None:
        middles.append(inertial.centre)
    point = _point(node)
    gaps = [middle - point for middle in middles]
    return all(float(np.linalg.norm(gap - (gap @ axis) * axis)) <= tolerance for gap in gaps)


def _is_limited(joint: JointDescription) -> bool:
    return math.isfinite(joint.lower) or math.isfinite(joint.upper)


def _reach(shape: Geometry, axis: FloatArray) -> float:
    """Return the largest size of a shape across an axis, m."""
    turn = np.abs(shape.placement.rotation.T @ axis)
    if len(shape.size) == 3:
        return float(max(part for part, along in zip(shape.size, turn, strict=True) if along < 0.9))
    along = 1.0 - turn[2] if len(shape.size) == 2 else 0.0
    return shape.size[0] + along * sum(shape.size[1:])


def _is_round(shape: Geometry, axis: FloatArray) -> bool:
    return shape.kind == "sphere" or (
        len(shape.size) == 2 and abs(float(shape.placement.rotation[:, 2] @ axis)) > _PARALLEL
    )


def _equal(node: Node, other: Node) -> bool:
    """Return whether two bodies have the same mass and shapes, as the modules of a chain."""
    same_mass = math.isclose(node.segment.mass, other.segment.mass, rel_tol=1e-6)
    sizes = [sorted((shape.kind, *shape.size) for shape in _shapes(body)) for body in (node, other)]
    return same_mass and sizes[0] == sizes[1]


def _is_mount(node: Node, carrier: Node) -> bool:
    """Whether a body only holds wheels: it is light, steers a wheel about its middle, or is the fork of a cart."""
    wheels = node.segment.wheels
    if not wheels:
        return False
    if node.segment.mass <= _MOUNT * carrier.segment.mass:
        return True
    if len(wheels) > 1:
        return False
    if len(carrier.segment.wheels) > 1:
        return True
    axis, shapes = wheels[0]
    shapes = [shape for shape in shapes if shape.solid]
    steering = node.placement.rotation @ node.joints[-1].axis
    radius = max((_reach(shape, axis) for shape in shapes), default=0.0)
    gaps = [shape.placement.position - _point(node) for shape in shapes]
    own = [_reach(shape, steering) for shape in _shapes(node)]
    near = all(float(np.linalg.norm(gap - (gap @ steering) * steering)) <= radius for gap in gaps)
    return bool(shapes) and near and max(own, default=0.0) <= radius


def _merge_mounts(nodes: list[Node], members: list[int], notes: Notes) -> None:
    """Merge forks of casters into their carriers.

    Raises `InputError` if mounts of wheels have motors, so they steer a cart.
    """
    ends = [i for i in members if nodes[i].parent >= 0 and not nodes[i].children]
    mounts = [i for i in ends if turns(nodes[i]) and _is_mount(nodes[i], nodes[nodes[i].parent])]
    free = [i for i in mounts if not any(joint.actuation for joint in nodes[i].joints)]
    free = [i for i in free if not any(_is_limited(joint) for joint in nodes[i].joints)]
    for index in free:
        node = nodes[index]
        carrier = nodes[node.parent]
        carrier.children.remove(index)
        carrier.segment.inertials += node.segment.inertials
        carrier.segment.bodies += node.segment.bodies
        notes.add(
            node.segment.name,
            f'is a caster; it was fixed to "{carrier.segment.name}"',
            "caster",
            Change(Effect.JOINTS_LEFT_OUT, joints=joint_names(nodes, [index])),
        )
    steered = [index for index in mounts if index not in free]
    joined = [
        index
        for index in members
        if nodes[index].parent >= 0 and index not in mounts and turns(nodes[index])
    ]
    pairs = [nodes[index].parent for index in steered]
    if steered and (not joined or len(set(pairs)) < len(pairs)):
        names = joint_names(nodes, steered)
        subject = (
            f"its joint {names[0]} steers" if len(names) == 1 else f"{names_text(names)} steer"
        )
        raise InputError(
            f"the robot is a cart: {subject} wheels, so no joint of a chain is left",
            "choose the file of a robot with links that are joined to a chain",
        )
