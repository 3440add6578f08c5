"""Parts of the tree beside the chain: wheels and accessories are merged into their carriers, others are refused."""

from __future__ import annotations

import math
import re

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.notes import Notes
from snakestudio.robot_files.reading import names_text
from snakestudio.robot_files.tree import Node, Segment, below

_ACCESSORY = re.compile(
    r"camera|sensor|lidar|laser|scan|imu|gps|antenna|sonar|tof|led\b|light|eye|tongue|jaw|gripper|finger|claw|optical",
    re.IGNORECASE,
)

_LIGHT = 0.15
"""Mass ratio to the carrying body below which a branch is an accessory."""

_PARALLEL = 0.95
"""Smallest cosine between the axis of a wheel and that of its cylinder."""


def merge_wheels(nodes: list[Node], members: list[int], notes: Notes) -> None:
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


def longest_path(nodes: list[Node], members: list[int], root: int) -> list[int]:
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


def merge_branches(nodes: list[Node], path: list[int], notes: Notes) -> None:
    """Merge accessories into the segments that carry them.

    Raises `InputError` if a branch is not an accessory.
    """
    on_path = set(path)
    for index in path:
        node = nodes[index]
        for child in [c for c in node.children if c not in on_path]:
            branch = below(nodes, child)
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
