"""Firmware functions of all emulated nodes, for any protocol: boot, watchdog, overheating, cyclic messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.link.emulator.body import Body
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Profile

Address = tuple[int, bool]
"""Arbitration id, and whether it has 29 bits."""

Reason = str
"""Why a node stopped by itself: "watchdog", "overtemperature", or a reason of its protocol."""


@dataclass(frozen=True, slots=True)
class NodeEvent:
    """A rare event of an emulated robot."""

    time: float
    """Time on the clock of `EmulatedRobot.poll`, s."""

    event: str
    """"boot", "ready", "armed", "disarmed", "stop_received", "watchdog", "fault", "injected",
    "cleared", "safe" ..."""

    node: int | None
    """Number of the node; None for the whole robot."""

    text: str = ""
    """Description for users."""


class Cyclic:
    """A frame that a node sends periodically after power-on."""

    def __init__(self, every: float, make: Callable[[], Frame | None]) -> None:
        self.every = every
        self.make = make
        self.next = np.inf

    def begin(self, now: float) -> None:
        """Begin to send at `now`."""
        self.next = now

    def end(self) -> None:
        """Stop sending."""
        self.next = np.inf

    def due(self, now: float) -> bool:
        """Return whether the frame is due; missed frames are skipped."""
        if now < self.next - 1e-9:
            return False
        self.next += self.every
        if self.next <= now:
            self.next = now + self.every
        return True


class Node(ABC):
    """A microcontroller on the bus with some axes of a joint, without IO.

    Parameters
    ----------
    axes : (k,) int array
        Indices of its axes in the profile, by slot.

    Attributes
    ----------
    torque : bool
        Whether its motors are on.
    outbox : list of Frame
        Frames to send.
    set_points : int
        Number of accepted set-points.
    rejected : int
        Number of rejected frames: wrong checksum, counter or length.
    """

    feeds_by_anything = False
    """Whether all frames to the node feed its watchdog, not only set-points."""

    def __init__(self, number: int, axes: NDArray[np.int64], profile: Profile, body: Body) -> None:
        self.number = number
        self.axes = axes
        self.profile = profile
        self.body = body
        own = [profile.axes[axis] for axis in axes]
        self._sign = np.array([axis.sign for axis in own], np.float64)
        self._offset = np.array([axis.offset for axis in own], np.float64)
        self._gear = np.array([axis.gear for axis in own], np.float64)
        self.zero: FloatArray = np.zeros(len(own))
        self.powered = self.torque = False
        self.outbox: list[Frame] = []
        self.events: list[NodeEvent] = []
        self.set_points = self.rejected = 0
        self.cyclic: list[Cyclic] = []
        self._booted = np.inf
        self._fed = np.inf

    # -------------------------------------------------------------------------------- of a protocol

    @abstractmethod
    def addresses(self) -> set[Address]:
        """Return the ids that the node receives."""

    @abstractmethod
    def handle(self, frame: Frame, now: float) -> None:
        """Carry out a frame with one of its ids after booting."""

    @abstractmethod
    def booted(self, now: float) -> None:
        """Start the program of the node after booting."""

    @abstractmethod
    def tripped(self, reason: Reason, now: float) -> None:
        """Latch why the node stopped by itself; its motors are off already."""

    @property
    @abstractmethod
    def condition(self) -> str:
        """State of the node in terms of its protocol."""

    # -------------------------------------------------------------------------------- power, torque

    def power_on(self, now: float) -> None:
        """Start booting; the previous state is lost."""
        self.power_off()
        self.powered = True
        self._booted = now + self.profile.emulation.boot_s
        self.record_event(now, "boot", "boots")

    def power_off(self) -> None:
        """Switch off power and torque."""
        self.body.switch_off(self.axes)
        self.powered = self.torque = False
        self.outbox.clear()
        for each in self.cyclic:
            each.end()

    @property
    def running(self) -> bool:
        """Whether the node has power and has booted."""
        return self.powered and self._booted == -np.inf

    def switch_on(self, now: float) -> None:
        """Switch the torque on to hold; the watchdog starts now."""
        if not self.torque:
            self.torque = True
            self.body.switch_on(self.axes)
            self.record_event(now, "armed", "has torque")
        self._fed = now

    def switch_off(self, now: float, event: str, text: str) -> None:
        """Switch the torque off, with an event."""
        was = self.torque
        self.torque = False
        self.body.switch_off(self.axes)
        if was:
            self.record_event(now, event, text)

    def feed(self, now: float) -> None:
        """Reset the watchdog after a sign of life of the host."""
        self._fed = now

    def trip(self, reason: Reason, now: float, text: str) -> None:
        """Stop for an internal reason."""
        self.switch_off(now, "watchdog" if reason == "watchdog" else "fault", text)
        self.tripped(reason, now)

    def record_event(self, now: float, event: str, text: str = "") -> None:
        """Record an event."""
        self.events.append(NodeEvent(now, event, self.number, text))

    # --------------------------------------------------------------------------------- as it counts

    @property
    def position(self) -> FloatArray:
        """Encoder angles as the node counts, (k,), rad."""
        angle = self.body.angle[self.axes]
        counted: FloatArray = self._gear * (self._sign * angle + self._offset) - self.zero
        return counted

    @property
    def velocity(self) -> FloatArray:
        """Rates as the node counts, (k,), rad/s."""
        velocity: FloatArray = self._gear * self._sign * self.body.rate[self.axes]
        return velocity

    @property
    def effort(self) -> FloatArray:
        """Torques on the node's side of the gear, (k,), N m."""
        effort: FloatArray = self._sign * self.body.torque[self.axes] / self._gear
        return effort

    def drive(self, position: FloatArray, velocity: FloatArray, now: float) -> None:
        """Apply set-points of its axes as the node counts, (k,), rad and rad/s."""
        self.set_points += 1
        self.feed(now)
        if self.torque:
            angle = self._sign * ((position + self.zero) / self._gear - self._offset)
            self.body.drive(self.axes, angle, self._sign * velocity / self._gear, now)

    def set_zero(self, position: float = 0.0) -> None:
        """Make the actual position `position`, rad."""
        self.zero = self.zero + self.position - position

    # ----------------------------------------------------------------------------------------- time

    def receive(self, frame: Frame, now: float) -> None:
        """Receive a frame with one of its ids."""
        self._listen(now)  # the frame may arrive after the watchdog's time
        if self.running:
            if self.feeds_by_anything:
                self.feed(now)
            self.handle(frame, now)

    def poll(self, now: float) -> None:
        """Carry out what is due at `now`."""
        if not self.powered:
            return
        if not self.running and now >= self._booted - 1e-9:
            self._booted = -np.inf
            self.booted(now)
            self.record_event(now, "ready", "is ready")
        self._listen(now)
        if self.torque and self.body.overheated[self.axes].any():
            self.trip(
                "overtemperature",
                now,
                f"is too hot ({self.body.temperature[self.axes].max():.0f} °C)",
            )
        for each in self.cyclic:
            if each.due(now) and (frame := each.make()) is not None:
                self.outbox.append(frame)

    def _listen(self, now: float) -> None:
        # Stop if the watchdog was not fed for too long.
        if self.torque and now - self._fed > self.profile.emulation.watchdog_s:
            self.trip("watchdog", now, f"received nothing for {now - self._fed:.3f} s and stopped")

    @property
    def due(self) -> float:
        """Time of the next poll, s."""
        if not self.powered:
            return np.inf
        if self.outbox:
            return -np.inf
        first = min((each.next for each in self.cyclic), default=np.inf)
        if not self.running:
            return min(first, self._booted)
        return (
            min(first, self._fed + self.profile.emulation.watchdog_s + 1e-6)
            if self.torque
            else first
        )
