"""Tree of the moving bodies of a robot file: merges fixed bodies, computes missing masses, and finds the base."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.description import (
    BodyDescription,
    Geometry,
    Inertial,
    JointDescription,
    Placement,
    RobotDescription,
)
from snakestudio.robot_files.notes import Notes
from snakestudio.robot_files.reading import names_text
from snakestudio.robot_files.solids import moments, moved_to, summed, volume

_DENSITY = 1000.0
"""Density for robots without any masses, kg/m^3."""


@dataclass(slots=True, eq=False)
class Segment:
    """A rigid part of the chain with everything fixed to it, in the world frame with all joints at 0."""

    name: str
    inertials: list[Inertial] = field(default_factory=list)
    geometries: list[Geometry] = field(default_factory=list)
    wheels: list[tuple[FloatArray, list[Geometry]]] = field(default_factory=list)
    """Axis and geometry of each wheel."""

    @property
    def inertial(self) -> Inertial | None:
        """The whole segment as one body; inertias without a mass are ignored."""
        return summed([part for part in self.inertials if part.mass > 0])

    @property
    def mass(self) -> float:
        """Mass, kg."""
        return sum(part.mass for part in self.inertials)


@dataclass(slots=True, eq=False)
class Node:
    """A moving body with everything fixed to it."""

    segment: Segment
    placement: Placement
    parent: int = -1
    joints: tuple[JointDescription, ...] = ()
    children: list[int] = field(default_factory=list)
    root_joints: tuple[JointDescription, ...] = ()


def nodes_of(robot: RobotDescription, notes: Notes) -> list[Node]:
    """Moving bodies with everything fixed to them."""
    placements: list[Placement] = []
    node_of: list[int] = []
    nodes: list[Node] = []
    for body in robot.bodies:
        outer = Placement() if body.parent < 0 else placements[body.parent]
        placements.append(outer.then(body.placement))
        joints = _without_held(body, notes)
        free = body.parent < 0 or any(joint.kind == "free" for joint in joints)
        if not free and not joints:
            node_of.append(node_of[body.parent])
        else:
            parent = -1 if free else node_of[body.parent]
            node_of.append(len(nodes))
            node = Node(Segment(body.name), placements[-1], parent, () if free else joints)
            node.root_joints = joints if free else ()
            if parent >= 0:
                nodes[parent].children.append(len(nodes))
            nodes.append(node)
        segment = nodes[node_of[-1]].segment
        if body.inertial is not None:
            if body.inertial.mass > max((part.mass for part in segment.inertials), default=0.0):
                segment.name = body.name
            segment.inertials.append(moved_to(body.inertial, placements[-1]))
        segment.geometries += [_placed(geometry, placements[-1]) for geometry in body.geometries]
    return nodes


def _placed(geometry: Geometry, outer: Placement) -> Geometry:
    axis = geometry.friction_axis
    turned = None if axis is None else outer.rotation @ axis
    return replace(geometry, placement=outer.then(geometry.placement), friction_axis=turned)


def _without_held(body: BodyDescription, notes: Notes) -> tuple[JointDescription, ...]:
    held = [j for j in body.joints if j.kind in ("hinge", "slide") and j.upper - j.lower < 1e-9]
    for joint in held:
        at = f"{math.degrees(joint.lower):g}°" if joint.kind == "hinge" else f"{joint.lower:g} m"
        notes.add(joint.name, f"both limits are {at}, so it is fixed", "held")
    return tuple(joint for joint in body.joints if joint not in held)


def give_masses(nodes: list[Node], notes: Notes) -> None:
    """Compute masses from the geometry if the file has none at all."""
    if any(node.segment.mass > 0 for node in nodes):
        return
    for node in nodes:
        segment = node.segment
        solid = [g for g in segment.geometries if g.solid]
        shapes = [g for g in solid if g.collides] or solid
        for shape in shapes:
            kind = "box" if shape.kind == "mesh" else shape.kind
            mass = _DENSITY * volume(kind, shape.size)
            segment.inertials.append(
                moved_to(
                    Inertial(mass, np.zeros(3), mass * moments(kind, shape.size)), shape.placement
                )
            )
    bare = [node for node in nodes if not node.segment.mass > 0 and node.parent >= 0]
    steps = [
        float(np.linalg.norm(n.placement.position - nodes[n.parent].placement.position))
        for n in bare
    ]
    length = float(np.median(steps)) if steps else 0.0
    if not any(node.segment.mass > 0 for node in nodes):
        # Rods from joint to joint with a diameter of half their length.
        size = (0.25 * length, 0.5 * length)
        mass = _DENSITY * volume("cylinder", size)
        for node in bare if mass > 0 else []:
            node.segment.inertials.append(
                Inertial(mass, node.placement.position, mass * moments("cylinder", size))
            )
    total = sum(node.segment.mass for node in nodes)
    if total <= 0 and nodes:
        raise InputError("no link has a mass", "give the links an <inertial> with their mass")
    if nodes:
        notes.add(
            "", f"The file has no masses; the density of water was used ({total:.3g} kg in total)"
        )


def below(nodes: list[Node], root: int) -> list[int]:
    """A node and all its descendants, parents first."""
    result = [root]
    for index in result:
        result += nodes[index].children
    return result


def root_of(nodes: list[Node], notes: Notes) -> int | None:
    """Root of the tree with the most axes."""
    roots = [index for index, node in enumerate(nodes) if node.parent < 0]
    counts = {
        root: sum(
            j.kind in ("hinge", "ball")
            for index in below(nodes, root)[1:]
            for j in nodes[index].joints
        )
        for root in roots
    }
    best = max(roots, key=lambda root: counts[root], default=None)
    if best is None or counts[best] == 0:
        return None
    for root in roots:
        if root != best:
            notes.add(nodes[root].segment.name, "is not part of the chain and was ignored")
    return best


def without_base(nodes: list[Node], root: int, notes: Notes) -> int:
    """First body of the robot itself; slides and turns that only place it in the world are dropped."""
    own = [joint for joint in nodes[root].root_joints if joint.kind != "free"]
    if any(joint.kind == "slide" for joint in own):
        names = names_text([joint.name for joint in own])
        notes.add(
            nodes[root].segment.name,
            f"its joints {names} place it in the world; here the robot is free",
        )
    elif own:
        names = names_text([joint.name for joint in own])
        notes.add(
            nodes[root].segment.name, f"is joined to the world by {names}; here the robot is free"
        )
    elif not nodes[root].root_joints and nodes[root].segment.mass > 0:
        notes.add(nodes[root].segment.name, "is fixed to the world; here the robot is free")
    dropped: list[str] = []
    slid = False
    while len(nodes[root].children) == 1 and not nodes[root].segment.mass > 0:
        child = nodes[root].children[0]
        joints = nodes[child].joints
        slides = any(joint.kind == "slide" for joint in joints)
        geometry = [g for g in nodes[root].segment.geometries if g.collides]
        if not slides and geometry and not slid:
            break
        slid = slid or slides
        dropped += [joint.name for joint in joints]
        nodes[child].parent = -1
        nodes[child].joints = ()
        root = child
    while any(joint.kind == "slide" for c in nodes[root].children for joint in nodes[c].joints):
        # A base with its own mass that slides on the ground, such as a cart.
        children = nodes[root].children
        if len(children) != 1 or nodes[children[0]].joints[0].kind != "slide":
            break
        dropped += [joint.name for joint in nodes[children[0]].joints]
        root = children[0]
        nodes[root].parent = -1
        nodes[root].joints = ()
        slid = True
    if dropped:
        text = f"the joints {names_text(dropped)} before it carry no body; they were removed"
        notes.add(nodes[root].segment.name, text)
    return root
