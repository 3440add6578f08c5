"""Extraction of the chain from the tree of a robot file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.branches import merge_branches, path_of, sliding_joints
from snakestudio.robot_files.description import JointDescription, Placement, RobotDescription
from snakestudio.robot_files.notes import Change, Effect, Notes
from snakestudio.robot_files.problems import Problems
from snakestudio.robot_files.reading import names_text
from snakestudio.robot_files.tree import (
    Node,
    Segment,
    below,
    give_masses,
    nodes_of,
    root_of,
    without_base,
)
from snakestudio.robot_files.wheels import merge_wheels

_NOTHING = 1e-4
"""Mass ratio to the mean of the bodies below which a mass is negligible."""

_PARALLEL = 0.95
"""Smallest cosine between the axis of a wheel and that of its cylinder."""


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


def chain_of(
    robot: RobotDescription, notes: Notes, problems: Problems, radius: float | None = None
) -> Chain:
    """Extract the chain of a robot.

    Sliding joints are problems, and are held at 0 to find further ones; so are joints whose motion depends on others.

    Raises `InputError` if it is a tree, or has no joints.

    Parameters
    ----------
    radius : float, optional
        Radius of the links if the file has neither masses nor geometry, m.
    """
    nodes = nodes_of(robot, notes)
    root = root_of(nodes, notes)
    if root is None:
        raise InputError(
            "the file has no joint that turns", "choose the file of a robot with joints"
        )
    give_masses(nodes, radius, notes)
    root = without_base(nodes, root, notes)
    members = below(nodes, root)
    mean = sum(nodes[i].segment.mass for i in members) / len(members)
    merge_wheels(nodes, members, notes)
    members = below(nodes, root)
    path = path_of(nodes, members, root)
    sliding = sliding_joints(nodes, path, members)
    if sliding:
        one = len(sliding) == 1
        problems.add(
            f'joint "{sliding[0]}" slides' if one else f"the joints {names_text(sliding)} slide",
            f"a scene's robot has joints that turn only: make {'it' if one else 'them'} fixed",
        )
        return chain_of(_with_fixed(robot, set(sliding)), Notes(), problems, radius)
    for joint in _joints_between(nodes, path):
        if joint.coupling:
            problems.add(
                f'joint "{joint.name}" {joint.coupling}',
                "remove the coupling: each joint of a scene turns independently",
            )
    merge_branches(nodes, path, members, notes)
    return _along(nodes, path, _NOTHING * mean, notes)


def _joints_between(nodes: list[Node], path: list[int]) -> list[JointDescription]:
    """Return the joints between nodes of the path, not those before its first body."""
    inside = set(path)
    return [joint for k in path if nodes[k].parent in inside for joint in nodes[k].joints]


def _with_fixed(robot: RobotDescription, names: set[str]) -> RobotDescription:
    """Return the same robot without these joints, whose bodies are fixed to their parents."""
    bodies = tuple(
        replace(body, joints=tuple(joint for joint in body.joints if joint.name not in names))
        for body in robot.bodies
    )
    return replace(robot, bodies=bodies)


def _along(nodes: list[Node], path: list[int], nothing: float, notes: Notes) -> Chain:
    segments: list[Segment] = [nodes[path[0]].segment]
    hinges: list[list[Hinge]] = []
    for before, after in pairwise(path):
        backward = nodes[before].parent == after
        child = nodes[before if backward else after]
        here = []
        for joint in child.joints:
            axis = child.placement.rotation @ joint.axis
            point = child.placement.position + child.placement.rotation @ joint.position
            # The axes of a ball joint are set when the frames of its links are known.
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
    for end in (-1, 0):
        while len(segments) > 2 and segments[end].mass <= nothing:
            lost = tuple(dict.fromkeys(hinge.joint.name for hinge in hinges.pop(end)))
            segment = segments.pop(end)
            notes.add(
                segment.name,
                f"has no mass at the end of the robot; it and {names_text(lost)} were ignored",
                "",
                Change(Effect.BODIES_LEFT_OUT, bodies=tuple(segment.bodies)),
                Change(Effect.JOINTS_LEFT_OUT, joints=lost),
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
        notes.changes.append(Change(Effect.BODIES_LEFT_OUT, bodies=tuple(segments[k].bodies)))
        del segments[k]
        hinges[k - 1 : k + 1] = [hinges[k - 1] + hinges[k]]
    return Chain(segments, hinges, nodes[path[0]].placement)


def _parallel(first: list[Hinge], second: list[Hinge]) -> bool:
    return any(abs(a.axis @ b.axis) > _PARALLEL for a in first for b in second)
