"""Bodies with one joint each, for formats with single-axis joints: additional bodies between the axes of a joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.robot_files.description import (
    BodyDescription,
    Inertial,
    JointDescription,
    Placement,
)

CROSS_SHARE = 1e-6
"""Mass of a body between two axes as a fraction of that of the link after them.

Programs refuse or drop massless bodies with all their descendants.
"""


def with_single_axes(bodies: Sequence[BodyDescription]) -> tuple[BodyDescription, ...]:
    """Return the same robot with at most one hinge per body, and without the free joint of the first body."""
    result: list[BodyDescription] = []
    last: dict[int, int] = {-1: -1}
    for index, body in enumerate(bodies):
        hinges = [joint for joint in body.joints if joint.kind != "free"]
        parent = last[body.parent]
        placement = body.placement
        for number, joint in enumerate(hinges[:-1], start=1):
            name = f"{body.name}_cross" if number == 1 else f"{body.name}_cross_{number}"
            result.append(
                BodyDescription(name, parent, placement, _cross(body, joint), (), (joint,))
            )
            parent = len(result) - 1
            placement = Placement()
        result.append(replace(body, parent=parent, placement=placement, joints=tuple(hinges[-1:])))
        last[index] = len(result) - 1
    return tuple(result)


def _cross(body: BodyDescription, joint: JointDescription) -> Inertial | None:
    """Return the small mass of the body between two axes, at the first of them."""
    if body.inertial is None:
        return None
    inertia: FloatArray = CROSS_SHARE * float(np.trace(body.inertial.inertia)) / 3.0 * np.eye(3)
    return Inertial(CROSS_SHARE * body.inertial.mass, joint.position, inertia)
