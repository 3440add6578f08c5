"""Extraction of the chain from a robot file: merges fixed bodies, recognizes floating bases and wheels."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from itertools import pairwise

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

_ACCESSORY = re.compile(
    r"camera|sensor|lidar|laser|scan|imu|gps|antenna|sonar|tof|led\b|light|eye|tongue|jaw|gripper|finger|claw|optical",
    re.IGNORECASE,
)

_LIGHT = 0.15
"""Mass ratio to the carrying body below which a branch is an accessory."""

_NOTHING = 1e-4
"""Mass ratio to the mean of the bodies below which a mass is negligible."""

_DENSITY = 1000.0
"""Density for robots without any masses, kg/m^3."""

_PARALLEL = 0.95
"""Smallest cosine between the axis of a wheel and that of its cylinder."""


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
class Hinge:
    """An axis between two segments, in the world frame with all joints at 0."""

    joint: JointDescription
    axis: FloatArray
    """Unit vector about which the later segment turns relative to the earlier one (right-hand rule)."""

    point: FloatArray
    backward: bool = False
    """Whether the later segment is the parent in the file."""


@dataclass(slots=True, eq=False)
class Chain:
    """Segments from one end to the other, with the axes between them."""

    segments: list[Segment]
    hinges: list[list[Hinge]]
    start: Placement
    """Frame of the first segment."""


@dataclass(slots=True, eq=False)
class _Node:
    segment: Segment
    placement: Placement
    parent: int = -1
    joints: tuple[JointDescription, ...] = ()
    children: list[int] = field(default_factory=list)
    root_joints: tuple[JointDescription, ...] = ()


def chain_of(robot: RobotDescription, notes: Notes) -> Chain:
    """Extract the chain of a robot.

    Raises `InputError` if it is a tree, has no joints, or has sliding joints.
    """
    nodes = _nodes(robot, notes)
    root = _root(nodes, notes)
    if root is None:
        raise InputError(
            "the file has no joint that turns", "choose the file of a robot with joints"
        )
    _give_masses(nodes, notes)
    root = _without_base(nodes, root, notes)
    members = _below(nodes, root)
    mean = sum(nodes[i].segment.mass for i in members) / len(members)
    _merge_wheels(nodes, members, notes)
    members = _below(nodes, root)
    path = _longest_path(nodes, members, root)
    _merge_branches(nodes, path, notes)
    return _along(nodes, path, _NOTHING * mean, notes)


# --- the tree -------------------------------------------------------------------------------------


def _nodes(robot: RobotDescription, notes: Notes) -> list[_Node]:
    """Moving bodies with everything fixed to them."""
    placements: list[Placement] = []
    node_of: list[int] = []
    nodes: list[_Node] = []
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
            node = _Node(Segment(body.name), placements[-1], parent, () if free else joints)
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


def _give_masses(nodes: list[_Node], notes: Notes) -> None:
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


def _below(nodes: list[_Node], root: int) -> list[int]:
    result = [root]
    for index in result:
        result += nodes[index].children
    return result


def _root(nodes: list[_Node], notes: Notes) -> int | None:
    """Root of the tree with the most axes."""
    roots = [index for index, node in enumerate(nodes) if node.parent < 0]
    counts = {
        root: sum(
            j.kind in ("hinge", "ball")
            for index in _below(nodes, root)[1:]
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


def _without_base(nodes: list[_Node], root: int, notes: Notes) -> int:
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


# --- wheels and branches --------------------------------------------------------------------------


def _merge_wheels(nodes: list[_Node], members: list[int], notes: Notes) -> None:
    """Merge wheels into the segments on which they turn."""
    for index in reversed(members):
        node = nodes[index]
        if node.parent < 0 or node.children or len(node.joints) != 1:
            continue
        joint = node.joints[0]
        if joint.kind != "hinge" or math.isfinite(joint.lower) or math.isfinite(joint.upper):
            continue
        axis = node.placement.rotation @ joint.axis
        carrier = nodes[node.parent]
        named = "wheel" in (node.segment.name + joint.name).lower()
        others = len(carrier.children) - 1 + (carrier.parent >= 0)
        if not (
            named or (_is_round(node.segment, axis) and (others >= 1 and joint.actuation is None))
        ):
            continue
        if not named and others < 1:
            continue
        segment = carrier.segment
        segment.inertials += node.segment.inertials
        segment.wheels.append((axis, node.segment.geometries))
        carrier.children.remove(index)
        if joint.actuation is not None:
            notes.add(joint.name, "drives a wheel; here the wheel is passive", "driven wheel")
        notes.add(
            node.segment.name,
            "is a wheel; its mass was added to the link on which it turns",
            "wheel",
        )


def _is_round(segment: Segment, axis: FloatArray) -> bool:
    shapes = [g for g in segment.geometries if g.collides] or segment.geometries
    if not shapes:
        return False
    return all(
        g.kind == "sphere"
        or (len(g.size) == 2 and abs(g.placement.rotation[:, 2] @ axis) > _PARALLEL)
        for g in shapes
    )


def _longest_path(nodes: list[_Node], members: list[int], root: int) -> list[int]:
    """Nodes of the path through most joints from one end of the tree to the other, starting nearer to the root."""

    def farthest(start: int) -> tuple[list[int], dict[int, int]]:
        before = {start: -1}
        depth = {start: 0}
        order = [start]
        for index in order:
            node = nodes[index]
            for other in (*node.children, node.parent):
                if other >= 0 and other not in before and other in inside and turns(index, other):
                    before[other] = index
                    depth[other] = depth[index] + 1
                    order.append(other)
        end = max(order, key=lambda index: depth[index])
        path = [end]
        while before[path[-1]] >= 0:
            path.append(before[path[-1]])
        return path, depth

    def turns(index: int, other: int) -> bool:
        child = other if nodes[other].parent == index else index
        return any(joint.kind != "slide" for joint in nodes[child].joints)

    inside = set(members)
    path, depths = farthest(root)
    if len(nodes[root].children) > 1 or len(path) == 1:
        path, _ = farthest(path[0])
    if depths[path[0]] > depths[path[-1]]:
        path.reverse()
    return path


def _merge_branches(nodes: list[_Node], path: list[int], notes: Notes) -> None:
    """Merge accessories into the segments that carry them.

    Raises `InputError` if a branch is not an accessory.
    """
    on_path = set(path)
    for index in path:
        node = nodes[index]
        for child in [c for c in node.children if c not in on_path]:
            branch = _below(nodes, child)
            mass = sum(nodes[i].segment.mass for i in branch)
            names = [nodes[i].segment.name for i in branch]
            pad = (
                len(branch) == 1
                and nodes[child].joints[0].kind == "slide"
                and mass < node.segment.mass
            )
            accessory = pad or all(
                _ACCESSORY.search(nodes[i].segment.name + nodes[i].joints[0].name) for i in branch
            )
            if not accessory and mass > _LIGHT * node.segment.mass:
                others = [nodes[c].segment.name for c in node.children]
                raise InputError(
                    f'the robot branches at "{node.segment.name}" (into {names_text(others)}), so it is not a chain',
                    "remove the branch, or make its joints fixed",
                )
            notes.add(
                names_text(names),
                f'is carried by "{node.segment.name}"; its joints are held at 0',
                "accessory",
            )
            for i in branch:
                node.segment.inertials += nodes[i].segment.inertials


def _along(nodes: list[_Node], path: list[int], nothing: float, notes: Notes) -> Chain:
    segments: list[Segment] = [nodes[path[0]].segment]
    hinges: list[list[Hinge]] = []
    for before, after in pairwise(path):
        backward = nodes[before].parent == after
        child = nodes[before if backward else after]
        here = []
        for joint in child.joints:
            if joint.kind == "slide":
                raise InputError(
                    f'joint "{joint.name}" slides',
                    "a scene's robot has joints that turn only: make it fixed",
                )
            axis = child.placement.rotation @ joint.axis
            point = child.placement.position + child.placement.rotation @ joint.position
            axes = [axis] if joint.kind == "hinge" else list(np.eye(3)[::-1])
            if joint.kind == "ball":
                notes.add(
                    joint.name,
                    "is a ball joint; here it has a yaw, a pitch and a roll axis",
                    "ball",
                )
            here += [Hinge(joint, -each if backward else each, point, backward) for each in axes]
        hinges.append(here[::-1] if backward else here)
        segments.append(nodes[after].segment)
    if not hinges:
        raise InputError(
            "the robot has no joint that turns", "choose the file of a robot with joints"
        )
    # Massless ends are frames, not links.
    while len(segments) > 2 and segments[-1].mass <= nothing:
        lost = names_text([hinge.joint.name for hinge in hinges.pop()])
        notes.add(
            segments.pop().name, f"has no mass at the end of the robot; it and {lost} were ignored"
        )
    while len(segments) > 2 and segments[0].mass <= nothing:
        lost = names_text([hinge.joint.name for hinge in hinges.pop(0)])
        notes.add(
            segments.pop(0).name,
            f"has no mass at the end of the robot; it and {lost} were ignored",
        )
    massless = [k for k in range(1, len(segments) - 1) if segments[k].mass <= nothing]
    for k in reversed(massless):
        if len(hinges[k - 1]) + len(hinges[k]) > 3 or _parallel(hinges[k - 1], hinges[k]):
            names = [hinge.joint.name for hinge in (*hinges[k - 1], *hinges[k])]
            raise InputError(
                f'link "{segments[k].name}" has no mass between two joints ({names_text(names)})',
                "give it an <inertial> with a mass",
            )
        segments[k + 1].geometries += segments[k].geometries
        del segments[k]
        hinges[k - 1 : k + 1] = [hinges[k - 1] + hinges[k]]
    return Chain(segments, hinges, nodes[path[0]].placement)


def _parallel(first: list[Hinge], second: list[Hinge]) -> bool:
    return any(abs(a.axis @ b.axis) > _PARALLEL for a in first for b in second)
