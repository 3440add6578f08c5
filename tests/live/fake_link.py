"""Link without process, bus and clock: the joints of its robot follow the references with a constant delay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from snakestudio.link.messages import (
    AGED,
    CommandKind,
    LinkCommand,
    LinkEvent,
    LinkState,
    ReferenceBlock,
    Telemetry,
    Traffic,
)
from snakestudio.link.profile.schema import Axis, Message, Profile, Signal, Timing
from snakestudio.model.reference import JointReference


class Clock:
    """Clock that the test advances, s."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def profile(
    joints: int = 10, *, pitch: bool = True, quantities: tuple[str, ...] = (), rate_hz: float = 10.0
) -> Profile:
    """Return a profile of a robot with a yaw axis, and optionally a pitch axis, at every joint."""
    axes = [
        Axis(joint=joint, axis=axis, node=joint, slot=slot)
        for joint in range(1, joints + 1)
        for slot, axis in enumerate(("yaw", "pitch") if pitch else ("yaw",))
    ]
    signals = tuple(Signal(signal=name.upper(), quantity=name) for name in ("angle", *quantities))
    message = Message(role="feedback", message="FEEDBACK", signals=signals)
    return Profile(
        name="Test robot",
        dbc="test.dbc",
        axes=tuple(axes),
        messages=(message,),
        timing=Timing(set_point_rate_hz=rate_hz),
    )


class FakeLink:
    """Implementation of `link.base.Link` that stores its commands.

    Attributes
    ----------
    commands : list of LinkCommand
    blocks : list of ReferenceBlock
    stops : list of str
        Reasons of stops.
    telemetry_now : Telemetry
        Result of `telemetry`; its angles follow the references while the robot streams.
    arms_slowly : bool
        Whether some nodes never confirm that they are armed.
    """

    def __init__(self, robot: Profile, clock: Callable[[], float]) -> None:
        self.profile = robot
        self.alive = True
        self.lag = 0.0
        self.follows = True
        self.arms_slowly = False
        self._clock = clock
        self.commands: list[LinkCommand] = []
        self.blocks: list[ReferenceBlock] = []
        self.stops: list[str] = []
        m, k = len(robot.axes), len(robot.nodes)
        nothing = np.full(m, np.nan)
        zero = np.zeros(m)
        self.telemetry_now = Telemetry(
            clock(),
            LinkState.IDLE,
            "",
            (),
            True,
            True,
            False,
            0,
            nothing,
            nothing,
            zero.copy(),
            nothing,
            nothing,
            nothing,
            nothing,
            nothing,
            np.full(m, clock()),
            zero,
            np.full(m, -1),
            np.zeros(m, np.int8),
            np.zeros(m, np.int64),
            np.full(k, clock()),
            0.25,
            0,
            0,
            0,
            0,
            0,
            0,
            True,
            0.1,
            0.0005,
            0.1,
            0,
            "normal",
            ("",) * m,
            np.full((len(AGED), m), np.nan),
            np.full((len(AGED), m), np.inf),
        )

    def set(self, **values: object) -> None:
        """Change the telemetry."""
        self.telemetry_now = replace(self.telemetry_now, **values)

    def command(self, kind: CommandKind, **values: str | int | float | bool) -> int:
        self.commands.append(LinkCommand(kind, len(self.commands) + 1, dict(values)))
        after = {
            "arm": LinkState.ARMED,
            "stream": LinkState.STREAMING,
            "disarm": LinkState.IDLE,
            "reset": LinkState.IDLE,
        }
        if kind in after and not (kind == "arm" and self.arms_slowly):
            self.set(state=after[kind])
        if kind == "arm":
            self.set(
                reference=self.telemetry_now.angle.copy(),
                reference_rate=np.zeros(len(self.profile.axes)),
            )
        return len(self.commands)

    @property
    def stop_count(self) -> int:
        return len(self.stops)

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        self.stops.append(reason)
        if self.telemetry_now.state >= LinkState.ARMED:
            self.set(state=LinkState.FAULT, reason=reason)

    def beat(self) -> None: ...

    def send(self, block: ReferenceBlock) -> None:
        self.blocks.append(block)

    def reference_at(self, time: float) -> np.ndarray | None:
        """Return the reference of the axes at a time by the last block sent before it; None before the first."""
        covering = [block for block in self.blocks if block.time[0] <= time]
        if not covering:
            return None
        block = covering[-1]
        flat = JointReference(block.time, block.angle, block.rate, block.rate)
        return flat.at(time)[0]

    def telemetry(self) -> Telemetry:
        now = self._clock()
        telemetry = self.telemetry_now
        if telemetry.state == LinkState.STREAMING and self.follows:
            reference = self.reference_at(now)
            measured = self.reference_at(now - self.lag)
            if reference is not None:
                self.set(reference=reference)
            if measured is not None:
                self.set(angle=measured)
        times = np.where(np.isfinite(self.telemetry_now.angle), now, np.nan)
        self.set(time=now, angle_time=times)
        return self.telemetry_now

    def events(self) -> list[LinkEvent]:
        return []

    def traffic(self) -> list[Traffic]:
        return []

    def begin_log(self, path: Path) -> None: ...

    def close(self) -> None: ...
