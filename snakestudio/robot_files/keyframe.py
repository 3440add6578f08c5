"""Initial pose of the robot in an MJCF file: its first keyframe with positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.rotations import matrices
from snakestudio.robot_files.description import BodyDescription, JointDescription, Placement
from snakestudio.robot_files.elements import Element, vector_of
from snakestudio.text import counted

_SIZES = {"free": 7, "ball": 4}
"""Number of positions in `qpos` for joints with more than one."""


@dataclass(frozen=True, slots=True, eq=False)
class Keyframe:
    """Pose of a keyframe."""

    bodies: list[BodyDescription]
    """All bodies, with `start` set in their joints."""

    base: Placement | None
    """Motion of the robot's base from its pose in the file; None without a free joint, or with
    several."""

    notes: list[str]
    """Notes on omissions, one sentence each."""


def read_keyframe(
    root: Element, bodies: Sequence[BodyDescription], references: Mapping[str, float]
) -> Keyframe | None:
    """Read the first keyframe with positions; None if there is none.

    Raises `InputError` if the number of positions does not match the joints, or one is not
    a number.

    Parameters
    ----------
    root : Element
        Root element of the file.
    bodies : sequence of BodyDescription
        All bodies, in any order.
    references : mapping
        Position (rad) of joints, by name, at which their angle is 0: `ref` in MuJoCo.
    """
    keys = [key for group in root.all("keyframe") for key in group.all("key")]
    key = next((key for key in keys if key.get("qpos")), None)
    if key is None:
        return None
    joints = {joint.name: joint for body in bodies for joint in body.joints}
    order = [joints[name] for name in _joint_names(root) if name in joints]
    sizes = [_SIZES.get(joint.kind, 1) for joint in order]
    values = vector_of(key.get("qpos"), sum(sizes), f"{key.location} qpos")
    notes = []
    if len(keys) > 1:
        name = f'"{key.get("name")}"' if key.get("name") else f"on line {key.line}"
        others = counted(len(keys) - 1, "keyframe")
        notes.append(f"The initial pose is that of the keyframe {name}; {others} ignored.")
    starts: dict[str, float] = {}
    bases: dict[str, Placement] = {}
    for joint, own in zip(order, np.split(values, np.cumsum(sizes)[:-1]), strict=True):
        if joint.kind == "hinge":
            starts[joint.name] = float(own[0]) - references.get(joint.name, 0.0)
        elif joint.kind == "free":
            bases[joint.name] = Placement(own[:3], _turn(own[3:]))
        elif joint.kind == "ball" and not np.allclose(_turn(own), np.eye(3), atol=1e-9):
            notes.append(
                f"The keyframe's angles of the ball joint {joint.name} were ignored; they start at 0."
            )
    return Keyframe([_started(body, starts) for body in bodies], _base(bodies, bases), notes)


def _joint_names(root: Element) -> Iterator[str]:
    """Yield the names of all joints in the order of `qpos`, depth first."""
    pending = list(reversed(root.all("worldbody")))
    while pending:
        element = pending.pop()
        if element.tag == "body":
            for joint in element.all("joint", "freejoint"):
                yield joint.get("name") or f"joint on line {joint.line}"
        pending += [e for e in reversed(element.all("body")) if e.get("mocap") != "true"]


def _turn(quaternion: FloatArray) -> FloatArray:
    """Return the rotation (3, 3) of a quaternion w x y z of any length; the identity for one of length 0."""
    size = float(np.linalg.norm(quaternion))
    turn: FloatArray = matrices(quaternion[None] / size)[0] if size > 0.0 else np.eye(3)
    return turn


def _started(body: BodyDescription, starts: Mapping[str, float]) -> BodyDescription:
    def started(joint: JointDescription) -> JointDescription:
        return replace(joint, start=starts[joint.name]) if joint.name in starts else joint

    return replace(body, joints=tuple(started(joint) for joint in body.joints))


def _base(bodies: Sequence[BodyDescription], bases: Mapping[str, Placement]) -> Placement | None:
    if len(bases) != 1:
        return None
    name, placement = next(iter(bases.items()))
    body = next(body for body in bodies if any(joint.name == name for joint in body.joints))
    return placement.then(body.placement.inverse())
