"""What the editor needs of the connected robot, and how what a node says reads with a row as it is being edited."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject

from snakestudio.gui.core.command import Context
from snakestudio.link.base import Link
from snakestudio.link.messages import Telemetry
from snakestudio.link.profile.schema import Axis, Bus, Profile
from snakestudio.viewmodel.robot.services import LiveChoices

if TYPE_CHECKING:
    from snakestudio.link.profile.loading import LoadedProfile  # which leads to cantools

__all__ = ["ConnectedRobot", "LiveAngles", "ProfileContext", "Robot"]


class Robot(Protocol):
    """The window's robot, as `RobotControl` is: None's and False where none is connected."""

    link: Link | None
    loaded: LoadedProfile | None
    telemetry: Telemetry | None

    @property
    def movable(self) -> bool:
        """Whether torque may be on."""
        ...

    @property
    def changed(self) -> Any:
        """Signal: a robot came or went, or its state is another one."""
        ...

    @property
    def polled(self) -> Any:
        """Signal: there is newer telemetry."""
        ...

    @property
    def traffic(self) -> Any:
        """Signal, with a list of Traffic: what went over the bus, while somebody watches it."""
        ...

    def watch_traffic(self, watcher: QObject, watch: bool) -> None:
        """Somebody watches the traffic, or does no longer."""
        ...


class ConnectedRobot(Robot, Protocol):
    """The same, where it can be connected to anew."""

    choices: LiveChoices
    emulated: bool

    @property
    def connected(self) -> bool:
        """Whether there is one."""
        ...

    def connect_to(
        self, loaded: LoadedProfile, bus: Bus, choices: LiveChoices, *, emulated: bool = False
    ) -> None:
        """Connect to a robot on a bus."""
        ...


class ProfileContext(Context, Protocol):
    """What is worked with where profiles are edited and learned."""

    @property
    def robot(self) -> ConnectedRobot:
        """The window's."""
        ...


class LiveAngles:
    """Angles of a connected robot, read as the rows of an edited profile would read them.

    The link takes sign, offset and gear of the profile it was connected with; they are put back in,
    and those of the edited row taken out.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    @property
    def connected(self) -> bool:
        """Whether there is anything to hear."""
        return self._robot.telemetry is not None and self._profile is not None

    @property
    def _profile(self) -> Profile | None:
        return None if self._robot.loaded is None else self._robot.loaded.profile

    def node_says(self, axis: Axis) -> float:
        """What the node of a row says (rad, at the node's side), NaN if it was never heard."""
        profile = self._profile
        telemetry = self._robot.telemetry
        if profile is None or telemetry is None:
            return math.nan
        for index, own in enumerate(profile.axes):
            if (own.node, own.slot) == (axis.node, axis.slot) and index < len(telemetry.angle):
                return own.gear * (own.sign * float(telemetry.angle[index]) + own.offset)
        return math.nan

    def angle(self, axis: Axis) -> float:
        """The angle of a row's joint as that row says it is read, rad; NaN if its node was never heard."""
        return axis.sign * (self.node_says(axis) / axis.gear - axis.offset)

    def age(self, axis: Axis) -> float:
        """How old that is, s; NaN if it was never heard."""
        profile = self._profile
        telemetry = self._robot.telemetry
        if profile is None or telemetry is None:
            return math.nan
        for index, own in enumerate(profile.axes):
            if (own.node, own.slot) == (axis.node, axis.slot) and index < len(telemetry.angle_time):
                return time.monotonic() - float(telemetry.angle_time[index])
        return math.nan

    def offset_deg(self, axis: Axis) -> float:
        """The offset with which the present position counts as straight, degrees; NaN if it was never heard."""
        return math.degrees(self.node_says(axis) / axis.gear)
