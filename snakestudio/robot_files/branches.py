"""The path of the chain through the tree, and branches off it: accessories are merged, others are refused."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from snakestudio.inputs import InputError
from snakestudio.robot_files.notes import Change, Effect, Notes
from snakestudio.robot_files.problems import Problems
from snakestudio.robot_files.reading import names_text
from snakestudio.robot_files.tree import Node, below, joint_names, of_mass, turns
from snakestudio.text import counted

_ACCESSORY = re.compile(
    r"camera|sensor|lidar|laser|antenna|sonar|tongue|gripper|finger|optical|claw"
    r"|(?<![a-z])(?:imu|gps|tof|led|eye|jaw|scan|light)",
    re.IGNORECASE,
)

_LIGHT = 0.15
"""Mass ratio to the carrying body below which a branch is an accessory."""

_MOST_JOINTS = 3
"""Number of joints of an accessory above which its name is not believed."""

_MOST_REASONS = 3
"""Number of branches of one body that a message describes."""

_SAME_WAY = 0.5
"""Cosine of the angle between two limbs above which they point in the same direction."""

_SAME_MASS = 2.0
"""Mass ratio of two limbs below which they are equal."""


def path_of(nodes: list[Node], members: Sequence[int], root: int) -> list[int]:
    """Return the nodes of the path of the chain from one end to the other, starting nearer to the root.

    It is the longest one, and avoids accessories that are recognized by their names.
    """
    hung = _accessories(nodes, root)
    inside = [index for index in members if index not in hung]
    if not any(turns(nodes[index]) and nodes[index].parent >= 0 for index in inside):
        inside = list(members)
    return _longest_path(nodes, inside)


def _accessories(nodes: list[Node], root: int) -> set[int]:
    """Return the nodes of accessories, and of pairs of equal passive parts such as antennas."""
    hung: set[int] = set()
    total = sum(turns(nodes[index]) for index in below(nodes, root))
    motors = _has_motors(nodes, below(nodes, root))
    for index in below(nodes, root):
        light = []
        for child in nodes[index].children:
            branch = below(nodes, child)
            count = sum(turns(nodes[k]) for k in branch)
            if all(_is_named(nodes[k]) for k in branch) and count <= min(_MOST_JOINTS, total / 2):
                hung.update(branch)
            elif (
                motors and not _has_motors(nodes, branch) and _is_light(nodes, branch, nodes[index])
            ):
                light.append(branch)
        if len(light) > 1:
            hung.update(k for branch in light for k in branch)
    return hung


def _is_named(node: Node) -> bool:
    names = [node.segment.name, *(joint.name for joint in node.joints)]
    return any(_ACCESSORY.search(name) for name in names)


def _is_light(nodes: list[Node], branch: Sequence[int], carrier: Node) -> bool:
    return sum(nodes[k].segment.mass for k in branch) <= _LIGHT * carrier.segment.mass


def _has_motors(nodes: list[Node], parts: Sequence[int]) -> bool:
    return any(joint.actuation is not None for index in parts for joint in nodes[index].joints)


def _longest_path(nodes: list[Node], members: Sequence[int]) -> list[int]:
    inside = set(members)

    def farthest(start: int) -> tuple[list[int], dict[int, int]]:
        before = {start: -1}
        depth = {start: 0}
        order = [start]
        for index in order:
            node = nodes[index]
            for other in (*node.children, node.parent):
                child = other if other in node.children else index
                if other in inside and other not in before and turns(nodes[child]):
                    before[other] = index
                    depth[other] = depth[index] + 1
                    order.append(other)
        end = max(order, key=lambda index: depth[index])
        path = [end]
        while before[path[-1]] >= 0:
            path.append(before[path[-1]])
        return path, depth

    best: list[int] = []
    seen: set[int] = set()
    # Sliding joints divide the tree into parts.
    for start in members:
        if start in seen:
            continue
        path, depths = farthest(start)
        seen |= depths.keys()
        if len(nodes[start].children) > 1 or len(path) == 1:
            path, _ = farthest(path[0])
        if depths[path[0]] > depths[path[-1]]:
            path.reverse()
        best = max(best, path, key=len)
    return best


def merge_branches(nodes: list[Node], path: list[int], members: list[int], notes: Notes) -> None:
    """Merge accessories into the segments that carry them.

    Raises `InputError` if a branch is not an accessory.
    """
    branches = _all_branches(nodes, path, members)
    problems = Problems()
    reasons: dict[int, list[str]] = {}
    for position, branch in branches:
        reason = _reason(nodes, path, position, branch)
        if reason:
            reasons.setdefault(path[position], []).append(reason)
    for index, texts in reasons.items():
        carrier = nodes[index]
        into = [nodes[k].segment.name for k in carrier.children]
        if carrier.parent in members:
            into.insert(0, nodes[carrier.parent].segment.name)
        problems.add(
            f'the robot branches at "{carrier.segment.name}" (into {names_text(into)}), so it is not a chain:'
            f" {'; '.join(texts[:_MOST_REASONS])}",
            "remove the branch, or make its joints fixed",
        )
    problems.check()
    _refuse_limbs(nodes, path)
    for position, branch in branches:
        carrier = nodes[path[position]]
        joints = _joints_of(nodes, path[position], branch)
        mass = sum(nodes[k].segment.mass for k in branch)
        notes.add(
            names_text([nodes[k].segment.name for k in branch]),
            f'is carried by "{carrier.segment.name}"{of_mass(mass)}; its joints are held at 0',
            "accessory",
            Change(Effect.JOINTS_LEFT_OUT, joints=joints),
        )
        for k in branch:
            carrier.segment.inertials += nodes[k].segment.inertials
            carrier.segment.bodies += nodes[k].segment.bodies


def _branches(
    nodes: list[Node], index: int, path: set[int], robot_nodes: set[int]
) -> list[list[int]]:
    """Return the parts of the tree that hang on a node of the path, each from its nearest node outwards."""
    result = []
    for start in (nodes[index].parent, *nodes[index].children):
        if start not in robot_nodes or start in path:
            continue
        branch = [start]
        seen = {index, start}
        for k in branch:
            for other in (nodes[k].parent, *nodes[k].children):
                if other in robot_nodes and other not in seen:
                    seen.add(other)
                    branch.append(other)
        result.append(branch)
    return result


def _joints_of(nodes: list[Node], carrier: int, branch: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the joints between a branch and its carrier, and within it."""
    names = [name for k in branch for name in joint_names(nodes, [k]) if nodes[k].parent >= 0]
    if nodes[carrier].parent in branch:
        names += joint_names(nodes, [carrier])
    return tuple(names)


def sliding_joints(nodes: list[Node], path: list[int], members: list[int]) -> list[str]:
    """Return the sliding joints that are not those of accessories."""
    names = [joint.name for k in path for joint in nodes[k].joints if joint.kind == "slide"]
    for position, branch in _all_branches(nodes, path, members):
        carrier = nodes[path[position]]
        mass = sum(nodes[k].segment.mass for k in branch)
        pad = len(branch) == 1 and branch[0] in carrier.children and mass < carrier.segment.mass
        if pad or all(_is_named(nodes[k]) for k in branch) or mass <= _LIGHT * carrier.segment.mass:
            continue
        names += [joint.name for k in branch for joint in nodes[k].joints if joint.kind == "slide"]
    return list(dict.fromkeys(names))


def _all_branches(
    nodes: list[Node], path: list[int], members: list[int]
) -> list[tuple[int, list[int]]]:
    """Return the position of the carrier on the path, and nodes of each branch."""
    return [
        (position, branch)
        for position, index in enumerate(path)
        for branch in _branches(nodes, index, set(path), set(members))
    ]


def _reason(nodes: list[Node], path: list[int], position: int, branch: list[int]) -> str:
    """Why a branch cannot be an accessory; "" if it can."""
    carrier = nodes[path[position]]
    name = nodes[branch[0]].segment.name
    mass = sum(nodes[k].segment.mass for k in branch)
    count = _hinges(nodes, path[position], branch)
    motors = _has_motors(nodes, branch) or (
        carrier.parent in branch and _has_motors(nodes, [path[position]])
    )
    passive = _has_motors(nodes, path) and not motors
    if not passive and any(
        len(arm) == count
        and mass <= _SAME_MASS * sum(nodes[k].segment.mass for k in arm)
        and sum(nodes[k].segment.mass for k in arm) <= _SAME_MASS * mass
        for arm in (path[:position], path[position + 1 :])
        if arm
    ):
        return f'"{name}" is the first body of a limb of {counted(count, "joint")} that equals an end of the chain'
    if all(_is_named(nodes[k]) for k in branch):
        return ""
    if all(joint.kind == "slide" for k in branch for joint in nodes[k].joints) and count == 0:
        return ""
    if motors and count > 1:
        return f'"{name}" is the first body of a limb of {count} joints with motors'
    if not _is_light(nodes, branch, carrier):
        return f'"{name}" ({mass:.3g} kg) is too heavy for an accessory of a link of {carrier.segment.mass:.3g} kg'
    return ""


def _hinges(nodes: list[Node], carrier: int, branch: Sequence[int]) -> int:
    """Return the number of turning joints along the longest way out of the carrier into a branch."""
    depth = {carrier: 0}
    for k in branch:
        inner = next(other for other in (nodes[k].parent, *nodes[k].children) if other in depth)
        child = k if nodes[k].parent == inner else inner
        depth[k] = depth[inner] + (1 if turns(nodes[child]) else 0)
    return max(depth.values())


def _refuse_limbs(nodes: list[Node], path: list[int]) -> None:
    """Raise `InputError` if the path leads from one of two equal limbs through a body into the other.

    The body is heavy, or the limbs point in the same direction.
    """
    position = next(
        (k for k in range(1, len(path) - 1) if nodes[path[k]].parent not in path), len(path)
    )
    if position == len(path):
        return
    body = nodes[path[position]].segment
    arms = (path[:position][::-1], path[position + 1 :])
    masses = [[nodes[k].segment.mass for k in arm] for arm in arms]
    equal = len(arms[0]) == len(arms[1]) > 1 and np.allclose(masses[0], masses[1], rtol=0.01)
    if equal and (body.mass > sum(masses[0]) or _are_parallel(nodes, arms)):
        starts = names_text(nodes[arm[0]].segment.name for arm in arms)
        raise InputError(
            f'the robot has two equal limbs of {len(arms[0])} joints ({starts}) on "{body.name}" ({body.mass:.3g} kg),'
            " so it is not a chain",
            "remove one of them",
        )


def _are_parallel(nodes: list[Node], arms: Sequence[Sequence[int]]) -> bool:
    """Return whether two limbs point in the same direction, as legs and arms do."""
    directions = []
    for arm in arms:
        end = nodes[arm[-1]].segment.inertial
        start = nodes[arm[0]].placement.position
        directions.append(np.zeros(3) if end is None else end.centre - start)
    sizes = [float(np.linalg.norm(direction)) for direction in directions]
    return float(directions[0] @ directions[1]) > _SAME_WAY * sizes[0] * sizes[1]
