"""The robot as controllers see it: links and joints counted from the head, whichever link that is."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.model.compilable import link_headings
from snakestudio.model.direction import ahead
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.robot import Robot
from snakestudio.model.snapshot import Snapshot


class Body:
    """Headings and joints, counted from the head.

    `model.direction` defines forward, left and right. Joint angles keep the sign of the scene.
    """

    def __init__(self, robot: Robot) -> None:
        self._head_last = robot.head == "last"
        self._head = robot.head_index
        self._behind = np.arange(
            robot.n_links - 1, 0.0, -1.0
        )  # number of links that turn with each joint
        self._link_headings = np.empty(robot.n_links)
        self._bends = np.empty(robot.n_links - 1)

    @property
    def turn_sign(self) -> float:
        """Sign of the joint angles that bend the robot's front to the left."""
        return ahead(self._head_last)

    def from_head(self, values: NDArray[Any]) -> NDArray[Any]:
        """Reorder `values` of all joints (or links) to start at the head; the function is its own inverse."""
        return values[::-1] if self._head_last else values

    def link_heading(self, snapshot: Snapshot) -> FloatArray:
        """Return the direction of each link's axis, (n,), rad, from link 1. The next call overwrites the array."""
        link_headings(snapshot.link_pose, self._link_headings, self._bends)
        return self._link_headings

    def forward_heading(self, snapshot: Snapshot, measure: Literal["mean", "head"]) -> float:
        """Return the heading of the robot, rad, not wrapped: that of the head link, or the mean angle of all links.

        The mean angle is the heading of Liljebäck et al. (Snake Robots, 2013). `Snapshot.heading` is the
        angle of the mean vector: the same for a straight body, and within 4 degrees in the path-following scene.
        """
        heading = self.link_heading(snapshot)
        if measure == "head":
            along = heading.item(self._head)
        else:  # neighbouring links differ by less than half a turn
            along = heading.item(0) + float(self._bends @ self._behind) / len(heading)
        return along if self._head_last else along + math.pi

    def link_left(self, snapshot: Snapshot) -> FloatArray:
        """Return the unit vectors to the left of each link's axis, (n, 2)."""
        heading = self.link_heading(snapshot)
        return np.stack([-np.sin(heading), np.cos(heading)], axis=1)

    def head_place(self, snapshot: Snapshot) -> FloatArray:
        """Return the centre of gravity of the head link, (3,), m."""
        position: FloatArray = snapshot.link_pose[self._head, :3]
        return position

    def head_joint_for(self, target: float, heading: FloatArray) -> float:
        """Return the angle of the head's joint at which the head faces `target`, rad, in (-pi, pi].

        Parameters
        ----------
        target : float
            rad.
        heading : (n,) array
            Result of `link_heading`.
        """
        if self._head_last:
            return wrapped(target - heading.item(-2))
        return wrapped(heading.item(1) - target - math.pi)


def wrapped(angle: float) -> float:
    """`angle` in (-pi, pi], rad."""
    return math.pi - (math.pi - angle) % (2.0 * math.pi)


def hold(time: FloatArray, yaw: FloatArray, entries: IndexArray, m: int) -> JointReference:
    """References of `m` axes over the knots `time`, at rest: `yaw` (rad) at some `entries`, the others at 0."""
    angle, rate, acceleration = np.zeros((3, len(time), m))
    if len(entries) == m:
        angle[:] = yaw
    else:
        angle[:, entries] = yaw
    return JointReference(time, angle, rate, acceleration)
