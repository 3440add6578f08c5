"""Names of parts in robot files: valid in all formats, and unique."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count

from snakestudio.robot_files.description import RobotDescription


def with_unique_joints(robot: RobotDescription) -> RobotDescription:
    """The same robot with numbers after the names that several joints have: unnamed ones on a line, nested models."""
    joints = [joint for body in robot.bodies for joint in body.joints if joint.kind != "free"]
    taken = {joint.name for joint in joints}
    if len(taken) == len(joints):
        return robot
    used: set[str] = set()

    def unique(name: str) -> str:
        numbered = (f"{name} ({number})" for number in count(2))
        return name if name not in used else next(n for n in numbered if n not in used | taken)

    bodies = []
    for body in robot.bodies:
        own = []
        for joint in body.joints:
            if joint.kind != "free":
                joint = replace(joint, name=unique(joint.name))
                used.add(joint.name)
            own.append(joint)
        bodies.append(replace(body, joints=tuple(own)))
    return replace(robot, bodies=tuple(bodies))


def plain_name(text: str) -> str:
    """Return a name without characters that are special in a format or invalid in XML; "" if nothing is left."""
    name = re.sub(r"[^\w .()+-]", "_", text)
    return re.sub(r"_{2,}", "_", name).strip("_ ")


class UniqueNames:
    """Assigns unique names to parts; `taken` are in use."""

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)

    def unique(self, name: str) -> str:
        """`name`, with a number appended if necessary."""
        name = base = plain_name(name) or "part"
        number = 2
        while name in self._taken:
            name = f"{base}_{number}"
            number = number + 1
        self._taken.add(name)
        return name
