"""The robot as controllers see it: seen from its head, whichever link that is."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.joint_axes import in_a_row
from snakestudio.model.robot.robot import Axis, Robot
from snakestudio.model.snapshot import Snapshot

__all__ = ["Body", "held", "wrapped"]


class Body:
    """Headings and joints counted from the head.

    A link's axis points to the link with the next number: forwards if the head is the last link, backwards if it is
    the first. Joint angles keep the program's sign.

    Parameters
    ----------
    robot : Robot
    """

    def __init__(self, robot: Robot) -> None:
        self._head_last = robot.head == "last"
        self._head = robot.head_index
        self._behind = np.arange(robot.n_links - 1, 0.0, -1.0)  # so many links turn with a bend

    @property
    def turn_sign(self) -> float:
        """Sign of the joint angles that bend the robot's front to the left."""
        return 1.0 if self._head_last else -1.0

    def from_head(self, values: NDArray[Any]) -> NDArray[Any]:
        """`values` of all joints (or links) in the order from the head; applied twice, as they were."""
        return values[::-1] if self._head_last else values

    def link_heading(self, snapshot: Snapshot) -> FloatArray:
        """Direction in which every link's axis points, (n,), rad; counted from link 1."""
        w, x, y, z = snapshot.link_pose[:, 3:].T
        heading: FloatArray = np.arctan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z))
        return heading

    def forward_heading(self, snapshot: Snapshot, measure: Literal["mean", "head"]) -> float:
        """Direction in which the robot's front points, rad: mean of all links, or the head link's; not wrapped."""
        heading = self.link_heading(snapshot)
        if measure == "head":
            along = float(heading[self._head])
        else:  # neighbours turn by less than half a turn
            bends = np.pi - (np.pi - (heading[1:] - heading[:-1])) % (2.0 * np.pi)
            along = float(heading[0] + bends @ self._behind / len(heading))
        return along if self._head_last else along + np.pi

    def link_left(self, snapshot: Snapshot) -> FloatArray:
        """Unit vectors to the left of every link's axis, (n, 2)."""
        heading = self.link_heading(snapshot)
        return np.stack([-np.sin(heading), np.cos(heading)], axis=1)

    def head_place(self, snapshot: Snapshot) -> FloatArray:
        """Centre of gravity of the head link, (3,), m."""
        place: FloatArray = snapshot.link_pose[self._head, :3]
        return place

    def head_joint_for(self, target: float, heading: FloatArray) -> float:
        """Angle of the head's joint at which the head faces `target`, rad, in (-pi, pi].

        Parameters
        ----------
        target : float
            rad.
        heading : (n,) array
            What `link_heading` gives.
        """
        if self._head_last:
            return wrapped(target - heading[-2])
        return wrapped(heading[1] - target - np.pi)


def wrapped(angle: float) -> float:
    """`angle` in (-pi, pi], rad."""
    return float(np.pi - (np.pi - angle) % (2.0 * np.pi))


def held(time: FloatArray, yaw: FloatArray, axes: tuple[Axis, ...]) -> JointReference:
    """References that hold `yaw` ((n-1,), rad) over the knots `time`, at rest; axes of other kinds are at 0."""
    angle, rate, acceleration = np.zeros((3, len(time), len(axes)))
    angle[:] = in_a_row({"yaw": yaw}, axes)
    return JointReference(time, angle, rate, acceleration)
