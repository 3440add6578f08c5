"""Invariants of the link's core in any sequence of events."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from snakestudio.link.core.limits import AxisLimits
from snakestudio.link.frame import Frame
from snakestudio.link.messages import LinkState, ReferenceBlock
from tests.link.little_robot import ARMED, BOOTING, FAULT, READY, STOPPED, Rig, lab_robot

_ROUNDING_DEG = 0.02
"""Resolution of frames is 0.01°: the tolerance for set-points that are read back."""


class AnyCourse(RuleBasedStateMachine):
    """Commands, frames, silence, a failing bus and a killed window, in any order.

    A simple model of the operator's part runs alongside the core: `may_stream` is whether arming
    has been requested, and confirmed by the robot, since the last stop.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig(lab_robot(set_point_rate_hz=50.0), step=0.01)
        self.state = LinkState.DISCONNECTED
        self.may_set_points = False
        self.was_reset = False
        self.counted = 0

    def _command(self, kind: str, **values: float) -> None:
        if kind == "arm":
            self.may_set_points = True
        if kind in ("reset", "disconnect"):
            self.was_reset = True
        self.rig.command(kind, **values)
        self._check()

    @rule(
        kind=st.sampled_from(
            [
                "arm",
                "arm",
                "disarm",
                "stream",
                "stream",
                "idle",
                "listen",
                "reset",
                "zero",
                "connect",
            ]
        )
    )
    def command(self, kind: str) -> None:
        self._command(kind)

    @rule()
    def get_ready(self) -> None:
        """Arm in the usual way, so that deeper states are reached often."""
        self.rig.core.bus(True, "", self.rig.now)
        self.rig.robot.silent.clear()
        self.rig.robot.deaf.clear()
        self.rig.robot.mute.clear()
        self.rig.beats = True
        for kind in ("idle", "reset"):
            self._command(kind)
            self.run(0.3)
        self.rig.robot.state = {
            n: READY if s != ARMED else s for n, s in self.rig.robot.state.items()
        }
        self.run(0.3)
        self._command("arm")
        self.run(0.2)

    @rule(
        level=st.floats(-2, 2) | st.floats(allow_nan=True, allow_infinity=True),
        speed=st.floats(-5, 5),
    )
    def follow(self, level: float, speed: float) -> None:
        self.rig.references(level, speed)
        self._command("stream")
        for _ in range(3):
            self.run(0.1)
            self.rig.references(level, speed)

    @rule(axis=st.integers(-1, 25), amplitude=st.floats(-10, 50), count=st.integers(0, 3))
    def wiggle(self, axis: int, amplitude: float, count: int) -> None:
        self._command("wiggle", axis=axis, amplitude_deg=amplitude, count=count)

    @rule()
    def stop(self) -> None:
        before = len(self.rig.sent)
        silent = self.rig.core.state in (LinkState.DISCONNECTED, LinkState.LISTENING)
        silent = silent or not self.rig.core.telemetry(self.rig.now).bus_open
        self.rig.core.stop("Stopped by the operator.", self.rig.now)
        if not silent:
            assert self.rig.robot.codec.text(self.rig.sent[before][1]).startswith("BroadcastStop")
        self._check()

    @rule(
        node=st.integers(1, 10), state=st.sampled_from([BOOTING, READY, ARMED, STOPPED, FAULT, 77])
    )
    def robot_says(self, node: int, state: int) -> None:
        self.rig.robot.state[node] = state

    @rule(node=st.integers(1, 10))
    def silence(self, node: int) -> None:
        self.rig.robot.silent ^= {node}

    @rule(node=st.integers(1, 10))
    def deaf(self, node: int) -> None:
        self.rig.robot.deaf ^= {node}

    @rule(axis=st.integers(0, 19), angle=st.floats(-1.5, 1.5))
    def pushed(self, axis: int, angle: float) -> None:
        self.rig.robot.angle[axis] = angle

    @rule(is_open=st.booleans())
    def bus(self, is_open: bool) -> None:
        self.rig.core.bus(is_open, "", self.rig.now)
        self._check()

    @rule(beats=st.booleans())
    def window(self, beats: bool) -> None:
        self.rig.beats = beats

    @rule()
    def window_dies(self) -> None:
        self.rig.core.window_ended(self.rig.now)
        self._check()

    @rule(frame_id=st.integers(0, 0x7FF), data=st.binary(max_size=8))
    def noise(self, frame_id: int, data: bytes) -> None:
        self.rig.core.receive(Frame(frame_id, data), self.rig.now)
        self._check()

    @rule(duration=st.sampled_from([0.02, 0.1, 0.4]))
    def run(self, duration: float) -> None:
        for _ in range(round(duration / self.rig.step)):
            self.rig.run(self.rig.step)
            self._check()

    def _check(self) -> None:
        """Check after every call: transitions of the state, and the frames sent in between."""
        before = self.state
        after = self.rig.core.state
        sent = self.rig.sent[self.counted :]
        self.counted = len(self.rig.sent)
        self.state = after
        if after is LinkState.STREAMING:
            assert before in (LinkState.ARMED, LinkState.STREAMING)
        if after is LinkState.ARMED and before is not LinkState.STREAMING:
            assert before in (LinkState.IDLE, LinkState.ARMED)
            assert self.may_set_points, "armed without being asked to"
        if after is LinkState.ARMED and before is LinkState.IDLE:
            assert all(
                state == ARMED or node in self.rig.robot.silent
                for node, state in self.rig.robot.state.items()
            )
        if before is LinkState.FAULT and after is not LinkState.FAULT:
            assert self.was_reset
            assert after in (LinkState.IDLE, LinkState.DISCONNECTED)
        self.was_reset = False
        if before is after and after in (LinkState.LISTENING, LinkState.DISCONNECTED):
            assert not sent
        set_points = [frame for _, frame in sent if 0x201 <= frame.id <= 0x20A]
        if set_points:
            assert self.may_set_points, "set-points after a stop"
        if after is LinkState.FAULT or (
            after is LinkState.IDLE and before in (LinkState.ARMED, LinkState.STREAMING)
        ):
            self.may_set_points = False

    @invariant()
    def telemetry_can_be_told(self) -> None:
        telemetry = self.rig.core.telemetry(self.rig.now)
        assert (telemetry.state is LinkState.FAULT) == bool(telemetry.reason)


AnyCourse.TestCase.settings = settings(
    max_examples=settings.default.max_examples // 4, stateful_step_count=20, deadline=None
)
TestAnyCourse = AnyCourse.TestCase


def _limited(rig: Rig, limits: AxisLimits, period: float) -> None:
    """Check that no set-point is beyond its limits, and that no step exceeds the rate limit."""
    last: dict[int, tuple[float, float]] = {}
    for at, frame in rig.sent:
        decoded = rig.robot.codec.decode_outgoing(frame)
        for value in (
            decoded.values if decoded is not None and decoded.message.role == "set_point" else ()
        ):
            if value.quantity != "angle":
                continue
            angle_deg = math.degrees(value.value)
            low = np.degrees(limits.low - limits.margin)[value.axis]
            high = np.degrees(limits.high + limits.margin)
            assert low - _ROUNDING_DEG <= angle_deg <= high[value.axis] + _ROUNDING_DEG
            since, before = last.get(value.axis, (-math.inf, angle_deg))
            if at - since < 1.5 * period:
                assert (
                    abs(angle_deg - before)
                    <= math.degrees(limits.rate[value.axis]) * period + 2 * _ROUNDING_DEG
                )
            last[value.axis] = at, angle_deg


def _random_frames(count: int, seed: int) -> None:
    """Valid ids with random data, and random ids, between the robot's frames, while it streams and is reset."""
    draw = random.Random(seed)
    period = 0.02
    rig = Rig(lab_robot(set_point_rate_hz=1 / period), step=0.01)
    limits = AxisLimits(rig.loaded.profile)
    rig.core.bus(True, "", rig.now)
    valid = [base + node for base in (0x180, 0x280, 0x700) for node in range(1, 11)]
    streamed = 0
    done = 0
    while done < count:
        rig.command("reset" if rig.core.state is LinkState.FAULT else "idle")
        rig.run(1.2)
        rig.command("arm")
        rig.run(0.1)
        rig.references(draw.uniform(-2, 2), draw.uniform(-3, 3), 0.5)
        rig.command("stream")
        streamed += rig.core.state is LinkState.STREAMING
        noise = draw.choice((0.02, 0.2, 40.0))
        for _ in range(60):
            for _ in range(int(noise + draw.random())):
                frame_id = (
                    draw.choice(valid)
                    if draw.random() < 0.3
                    else draw.getrandbits(draw.choice((11, 29)))
                )
                data = draw.randbytes(draw.choice((0, 1, 4, 7, 8, 8, 8, 12, 64)))
                flags = {
                    "extended": frame_id > 0x7FF,
                    "remote": draw.random() < 0.05,
                    "fd": len(data) > 8,
                }
                rig.core.receive(Frame(frame_id, data, **flags), rig.now)
                done += 1
            time = rig.now + np.array([0.0, 0.3])
            wish = np.array([[draw.uniform(-3, 3)] * 20] * 2) * draw.choice(
                (1.0, 1.0, 1.0, math.nan, math.inf)
            )
            rig.core.reference(ReferenceBlock(time, wish, np.zeros((2, 20))))
            rig.run(0.02)
        _limited(rig, limits, period)
        rig.sent.clear()
        rig.events.clear()
    assert streamed > 0


def test_random_frames_cause_no_error() -> None:
    _random_frames(3000, seed=1)


@pytest.mark.soak
def test_million_random_frames_cause_no_error() -> None:
    _random_frames(1_000_000, seed=2)
