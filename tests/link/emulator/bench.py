"""Bench for emulated robots: a bus without wires, whose clock advances as fast as the test runs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from snakestudio.link.core.codec import Codec
from snakestudio.link.core.coder import DecodedFrame
from snakestudio.link.emulator.node import NodeEvent
from snakestudio.link.emulator.plant import Plant
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.frame import Frame
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Step


class Bench:
    """Robot, codec of a host, and all frames and events so far."""

    def __init__(self, loaded: LoadedProfile, plant: Plant | None = None, seed: int = 0) -> None:
        self.loaded = loaded
        self.robot = EmulatedRobot(loaded, plant, seed=seed)
        self.codec = Codec(loaded)
        self.now = 100.0
        self.frames: list[tuple[float, Frame]] = []
        self.events: list[NodeEvent] = []

    def send(self, frames: Iterable[Frame] | Frame) -> None:
        for frame in (frames,) if isinstance(frames, Frame) else frames:
            self.robot.receive(frame, self.now)
        self._poll()

    def hex(self, identifier: int, data: str, **more: bool) -> None:
        """Return a frame in the notation of specifications."""
        self.send(Frame(identifier, bytes.fromhex(data), **more))

    def _poll(self) -> None:
        self.frames += [(self.now, frame) for frame in self.robot.poll(self.now)]
        self.events += self.robot.events()

    def run(self, seconds: float, angle: np.ndarray | None = None, every: float = 0.01) -> None:
        """Advance the time, with set-points for all joints at constant intervals."""
        step = 0.01
        for count in range(round(seconds / step)):
            if angle is not None and count % round(every / step) == 0:
                for frame in self.codec.set_points(angle):
                    self.robot.receive(frame, self.now)
            self.now += step
            self._poll()

    def sequence(self, name: str) -> None:
        """Send a sequence of the profile, with its waits."""
        steps: tuple[Step, ...] = getattr(self.loaded.profile.sequences, name)
        for step in steps:
            self.send(self.codec.step_frames(step))
            if step.wait_s is not None:
                self.run(step.wait_s)

    def armed(self) -> Bench:
        """Boot, and arm by the profile's sequence, with the joints held."""
        self.run(self.loaded.profile.emulation.boot_s + 0.1)
        for message in self.loaded.profile.messages:
            if message.role == "request" and message.called == "NMT":
                self.send(self.codec.frames(message))
        self.sequence("arm")
        return self

    def of(self, identifier: int) -> list[Frame]:
        return [frame for _, frame in self.frames if frame.id == identifier]

    def decoded(self) -> list[DecodedFrame]:
        decoded = [self.codec.decode(frame) for _, frame in self.frames]
        return [each for each in decoded if each is not None]

    def measured(self) -> np.ndarray:
        """Return the newest angle of every axis that the host received."""
        angle = np.full(self.codec.n_axes, np.nan)
        for each in self.decoded():
            for value in each.values:
                if value.quantity == "angle":
                    angle[value.axis] = value.value
        return angle

    def count(self, event: str) -> int:
        return sum(each.event == event for each in self.events)
