"""Angles of the connected robot as read with the rows of an edited profile."""

from __future__ import annotations

import math
import time

from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.link.profile.schema import Axis, Profile


class LiveAngles:
    """Angles of a connected robot as read with the rows of an edited profile.

    The link applies sign, offset and gear of the profile it was connected with; these are reverted,
    and those of the edited row are applied.
    """

    def __init__(self, robot_controller: RobotController) -> None:
        self._robot_controller = robot_controller

    @property
    def connected(self) -> bool:
        """Whether a robot is connected."""
        return self._robot_controller.telemetry is not None and self._profile is not None

    @property
    def _profile(self) -> Profile | None:
        return (
            None if self._robot_controller.loaded is None else self._robot_controller.loaded.profile
        )

    def node_angle(self, axis: Axis) -> float:
        """Return the angle reported by the node of a row, rad at the node; NaN if never heard."""
        profile = self._profile
        telemetry = self._robot_controller.telemetry
        if profile is None or telemetry is None:
            return math.nan
        for index, own in enumerate(profile.axes):
            if (own.node, own.slot) == (axis.node, axis.slot) and index < len(telemetry.angle):
                return own.gear * (own.sign * float(telemetry.angle[index]) + own.offset)
        return math.nan

    def angle(self, axis: Axis) -> float:
        """Return the joint angle of a row, rad; NaN if its node was never heard."""
        return axis.sign * (self.node_angle(axis) / axis.gear - axis.offset)

    def age(self, axis: Axis) -> float:
        """Return the age of the angle, s; NaN if never heard."""
        profile = self._profile
        telemetry = self._robot_controller.telemetry
        if profile is None or telemetry is None:
            return math.nan
        for index, own in enumerate(profile.axes):
            if (own.node, own.slot) == (axis.node, axis.slot) and index < len(telemetry.angle_time):
                return time.monotonic() - float(telemetry.angle_time[index])
        return math.nan

    def offset_deg(self, axis: Axis) -> float:
        """Offset that makes the current position straight, degrees; NaN if the node was never heard."""
        return math.degrees(self.node_angle(axis) / axis.gear)
