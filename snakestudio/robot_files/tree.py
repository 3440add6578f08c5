"""Tree of the moving bodies of a robot file: merges fixed bodies, computes missing masses, and finds the base."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem
from snakestudio.inputs import InputError
from snakestudio.robot_files.description import (
    BodyDescription,
    Geometry,
    Inertial,
    JointDescription,
    Placement,
    RobotDescription,
)
from snakestudio.robot_files.notes import Change, Effect, Notes
from snakestudio.robot_files.problems import ProblemsError
from snakestudio.robot_files.reading import names_text
from snakestudio.robot_files.rotations import about
from snakestudio.robot_files.solids import moments, moved_to, summed, volume

_FRAME = 5.0
"""Largest mass of a frame without geometry in a sliding base, as a multiple of the usual mass of a body."""

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

    bodies: list[int] = field(default_factory=list)
    """0-based indices of its bodies in the description."""

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
    """Return the moving bodies with everything fixed to them."""
    placements: list[Placement] = []
    node_of: list[int] = []
    nodes: list[Node] = []
    for body in robot.bodies:
        outer = Placement() if body.parent < 0 else placements[body.parent]
        placements.append(outer.then(body.placement))
        joints, held = _without_held(body, notes)
        placements[-1] = placements[-1].then(held)
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
        segment.bodies.append(len(node_of) - 1)
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


def _without_held(
    body: BodyDescription, notes: Notes
) -> tuple[tuple[JointDescription, ...], Placement]:
    """Return the joints that move, and the motion of the body by those whose limits are equal."""
    joints: list[JointDescription] = []
    motion = Placement()
    for joint in reversed(body.joints):
        if joint.kind in ("hinge", "slide") and joint.upper - joint.lower < 1e-9:
            at = (
                f"{math.degrees(joint.lower):.4g}°"
                if joint.kind == "hinge"
                else f"{joint.lower:g} m"
            )
            notes.add(
                joint.name,
                f"both limits are {at}, so it is fixed there",
                "held",
                Change(Effect.JOINTS_LEFT_OUT, joints=(joint.name,)),
            )
            motion = _held(joint).then(motion)
            continue
        # The joints after this one are held, so its axis is fixed in the frame that they move.
        inner = motion.inverse()
        joints.append(
            replace(
                joint,
                axis=inner.rotation @ joint.axis,
                position=inner.position + inner.rotation @ joint.position,
            )
        )
    return tuple(reversed(joints)), motion


def _held(joint: JointDescription) -> Placement:
    """Return the motion of a body by a joint at its limit."""
    if joint.kind == "slide":
        return Placement(joint.lower * joint.axis)
    turn = about(joint.axis, joint.lower)
    return Placement(joint.position - turn @ joint.position, turn)


RADIUS = "radius"
"""Key of the problem that the radius of links is unknown."""


def unknown_radius(reason: str) -> Problem:
    """Return the problem that the radius of links must be given, because the file does not determine it."""
    return Problem(
        "error",
        RADIUS,
        f"radius of the links is unknown: {reason}",
        "give it in mm with --radius or in the import dialog",
    )


def give_masses(nodes: list[Node], radius: float | None, notes: Notes) -> None:
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
    if length > 0 and not any(node.segment.mass > 0 for node in nodes):
        if radius is None:
            raise ProblemsError(
                [unknown_radius("the file has neither masses nor geometry of the links")]
            )
        # Rods from joint to joint.
        size = (radius, 0.5 * length)
        mass = _DENSITY * volume("cylinder", size)
        for node in bare:
            node.segment.inertials.append(
                Inertial(mass, node.placement.position, mass * moments("cylinder", size))
            )
    total = sum(node.segment.mass for node in nodes)
    if total <= 0 and nodes:
        raise InputError("no link has a mass", "give the links an <inertial> with their mass")
    if nodes:
        notes.add(
            "",
            f"The file has no masses; the density of water was used ({total:.3g} kg in total)",
            "",
            Change(Effect.MASSES_CHOSEN),
        )


def below(nodes: list[Node], root: int) -> list[int]:
    """Return a node and all its descendants, parents first."""
    result = [root]
    for index in result:
        result += nodes[index].children
    return result


def turns(node: Node) -> bool:
    """Return whether a node turns relative to its parent."""
    return any(joint.kind != "slide" for joint in node.joints)


def root_of(nodes: list[Node], notes: Notes) -> int | None:
    """Return the root of the tree with the most axes."""
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
            parts = below(nodes, root)
            mass = sum(nodes[index].segment.mass for index in parts)
            notes.add(
                nodes[root].segment.name,
                f"is not joined to the robot and was left out{of_mass(mass)}",
                "separate",
                left_out(nodes, parts),
                Change(Effect.JOINTS_LEFT_OUT, joints=joint_names(nodes, parts)),
            )
    return best


def of_mass(mass: float) -> str:
    """Return the mass of a part in brackets within a sentence; "" for none."""
    return f" ({mass:.3g} kg)" if mass > 0 else ""


def left_out(nodes: list[Node], parts: Iterable[int]) -> Change:
    """Return the effect of leaving out nodes."""
    return Change(
        Effect.BODIES_LEFT_OUT,
        bodies=tuple(body for index in parts for body in nodes[index].segment.bodies),
    )


def joint_names(nodes: list[Node], parts: Iterable[int]) -> tuple[str, ...]:
    """Return the names of the joints of nodes."""
    return tuple(
        joint.name
        for index in parts
        for joint in (*nodes[index].joints, *nodes[index].root_joints)
        if joint.kind != "free"
    )


def without_base(nodes: list[Node], root: int, notes: Notes) -> int:
    """Return the first body of the robot itself; slides and turns that only place it in the world are dropped."""
    own = [joint for joint in nodes[root].root_joints if joint.kind != "free"]
    names = names_text([joint.name for joint in own])
    change = Change(Effect.JOINTS_LEFT_OUT, joints=tuple(joint.name for joint in own))
    if any(joint.kind == "slide" for joint in own):
        text = f"its joints {names} place it in the world; here the robot is free"
        notes.add(nodes[root].segment.name, text, "", change)
    elif own:
        text = f"is joined to the world by {names}; here the robot is free"
        notes.add(nodes[root].segment.name, text, "", change)
    elif not nodes[root].root_joints and nodes[root].segment.mass > 0:
        notes.add(nodes[root].segment.name, "is fixed to the world; here the robot is free")
    members = below(nodes, root)
    masses = [nodes[k].segment.mass for k in members if nodes[k].segment.mass > 0]
    usual = float(np.median(masses)) if masses else 0.0
    dropped: list[int] = []
    names_dropped: list[str] = []
    slid = False
    while len(nodes[root].children) == 1:
        child = nodes[root].children[0]
        slides = any(joint.kind == "slide" for joint in nodes[child].joints)
        segment = nodes[root].segment
        bare = not any(geometry.collides for geometry in segment.geometries)
        # A frame of a base that slides in a plane can have a mass only because programs require one.
        most = usual if segment.geometries else _FRAME * usual
        light = bare and segment.mass <= most and (slides or slid)
        if not light and (segment.mass > 0 or not (bare or slides or slid)):
            break
        slid = slid or slides
        dropped.append(root)
        names_dropped += [joint.name for joint in nodes[child].joints]
        nodes[child].parent = -1
        nodes[child].joints = ()
        root = child
    if dropped:
        mass = sum(nodes[index].segment.mass for index in dropped)
        heavy = names_text(nodes[k].segment.name for k in dropped if nodes[k].segment.mass > 0)
        joints = names_text(names_dropped)
        text = f"the joints {joints} before it carry no body; they were removed"
        if heavy:
            text = f"the joints {joints} before it place it in the world; they and {heavy}{of_mass(mass)} were left out"
        notes.add(
            nodes[root].segment.name,
            text,
            "",
            left_out(nodes, dropped),
            Change(Effect.JOINTS_LEFT_OUT, joints=tuple(names_dropped)),
        )
    return root
