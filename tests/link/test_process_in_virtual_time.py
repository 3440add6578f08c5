"""The link's loop and an emulated robot with a clock that the test advances: reactions and their times.

All parts of the link's process except the operating system are tested: loop, inbox, shared memory,
core and codec. Nothing waits, so no machine is too slow, and a state that is not reached is an
error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from snakestudio.link.bus.port import BusChange, ReceivedFrame
from snakestudio.link.emulator.fault import Fault
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.frame import Frame
from snakestudio.link.messages import CommandKind, LinkCommand, LinkState, ReferenceBlock, Telemetry
from snakestudio.link.process.inbox import Inbox
from snakestudio.link.process.link_process import LinkProcess
from snakestudio.link.process.pipe import PipeClosed
from snakestudio.link.process.shared import LinkMemory
from tests.link.little_robot import lab_robot
from tests.link.rig import SET_POINTS, STOP_ID, window_of

_STEP_S = 0.0005
_LOOK_S = 0.005
_POLL_S = 0.01
_TURN_S = 0.001
"""One additional step may pass before the end of a time is detected."""


class _Over(Exception):  # noqa: N818 (the end of what a test wants to see, and no error)
    pass


class World(Inbox):  # type: ignore[type-arg]
    """Robot, window and their time, which advances while the link's loop waits."""

    error_frames = send_errors = 0

    def __init__(self, rate_hz: float = 100.0) -> None:
        super().__init__()
        self.rate_hz = rate_hz
        loaded = lab_robot(set_point_rate_hz=rate_hz)
        self.now = 1000.0
        self._ticks = 0
        self.robot = EmulatedRobot(loaded)
        self.memory = LinkMemory(len(loaded.profile.axes))
        self.window = window_of(self.memory, len(loaded.profile.axes))
        self.process = LinkProcess(
            loaded, self.memory, "none", clock=lambda: self.now, inbox=self, port=self
        )
        self.beats = self.refers = True
        self.sent: list[tuple[float, Frame]] = []
        self.safe_at = -1.0
        self.telemetry: Telemetry | None = None
        self._event: tuple[float, Callable[[], object]] | None = None
        self.happened = np.inf
        """Time at which `soon` was executed, s."""
        self._until: Callable[[], bool] = lambda: False
        self._deadline = np.inf
        self._number = 0
        self.put(BusChange(True, "open"))

    # --- the port of the link

    def send(self, frame: Frame) -> bool:
        self.sent.append((self.now, frame))
        self.robot.receive(frame, self.now)
        return True

    def close(self) -> None: ...

    # --- time

    def wait(self, timeout: float) -> None:
        end = self.now + timeout
        while self.now < end and not self.rung:
            self._ticks += 1
            self.now = 1000.0 + self._ticks * _STEP_S
            if self._event is not None and self.now >= self._event[0]:
                (_, happens), self._event = self._event, None
                self.happened = self.now
                happens()
            if self.beats and self._ticks % 40 == 0:
                self.window.beat(self.now)
            if self.refers and self._ticks % 40 == 0:
                axes = len(self.robot.angles)
                knots = self.now + np.linspace(0.0, 0.2, 5)
                angle = 0.1 * np.sin(knots - 1000.0)[:, None] * np.ones(axes)
                self.window.send(
                    ReferenceBlock(
                        knots, angle, 0.1 * np.cos(knots - 1000.0)[:, None] * np.ones(axes)
                    )
                )
            for frame in self.robot.poll(self.now):
                self.process.deliver(ReceivedFrame(frame, False))
            for event in self.robot.events():
                if event.event == "safe":
                    self.safe_at = event.time
            self.telemetry = self.window.telemetry() or self.telemetry
            if self._until() or self.now > self._deadline:
                raise _Over
        self.rung = False

    rung = False

    def put(self, item: object) -> None:
        super().put(item)
        self.rung = True

    def run(self, until: Callable[[], bool], within: float, what: str) -> float:
        """Run the link's loop until a condition is true, and return the time it took, s; fails if it never is."""
        begin = self.now
        self._until = until
        self._deadline = begin + within
        with pytest.raises(_Over):
            self.process.loop()
        assert until(), f"not within {within:g} s: {what}; {self.telemetry}"
        return self.now - begin

    def pass_by(self, seconds: float) -> None:
        """Advance the time."""
        end = self.now + seconds
        self.run(lambda: self.now >= end, seconds + 1.0, "time passes")

    def soon(self, happens: Callable[[], object], after: float = 0.0133) -> None:
        """Call a function while the loop runs or waits, at any point of it."""
        self._event = (self.now + after, happens)
        self.happened = np.inf

    def command(self, kind: CommandKind) -> None:
        self._number += 1
        self.put(LinkCommand(kind, self._number, {"stops": self.window.stops}))

    @property
    def state(self) -> LinkState:
        return self.process.core.state

    def reach(self, state: LinkState, within: float, kind: CommandKind | None = None) -> float:
        if kind is not None:
            self.command(kind)
        return self.run(lambda: self.state is state, within, f"the link gets to {state.name}")

    def stream(self) -> None:
        """Arm and stream until a moment at which no deadline is due."""
        self.reach(LinkState.LISTENING, 0.1)
        self.reach(LinkState.IDLE, 0.1, "idle")
        self.run(
            lambda: self.telemetry is not None and not self.telemetry.not_ready,
            3.0,
            "the robot is ready",
        )
        self.reach(LinkState.ARMED, 0.5, "arm")
        self.reach(LinkState.STREAMING, 0.1, "stream")
        self.pass_by(0.3012)
        assert self.state is LinkState.STREAMING
        assert not self.robot.safe

    def since(self, begin: float, *numbers: int) -> list[float]:
        """Return the times of sent frames of some ids since a time."""
        return [at for at, frame in self.sent if at >= begin and frame.id in numbers]


@pytest.fixture(params=[100.0, 10.0], ids=["100 Hz", "10 Hz"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """At 10 Hz, as for the lab robot, no due set-point wakes the loop in time."""
    new_world = World(request.param)
    yield new_world
    new_world.window.close()
    new_world.memory.close()


def _stopped(world: World, happens: Callable[[], object], after: float = 0.0133) -> float:
    """Check that the robot is stopped for good by an event; return how long torque stayed on, s."""
    world.soon(happens, after)
    world.run(lambda: world.safe_at >= world.happened, 1.0, "the robot is safe")
    begin = world.happened
    took = world.safe_at - begin
    sent = [(at, frame.id) for at, frame in world.sent]
    first = next(
        index for index, (at, number) in enumerate(sent) if at >= begin and number == STOP_ID
    )
    world.pass_by(0.25)
    assert world.state is LinkState.FAULT
    # not a single set-point after the stop
    assert not {frame.id for _, frame in world.sent[first:]} & set(SET_POINTS)
    assert world.robot.safe
    return took


def test_set_points_are_sent_at_their_deadlines(world: World) -> None:
    world.stream()
    begin = world.now
    world.pass_by(1.0)
    at = np.array(world.since(begin, SET_POINTS[0]))
    assert len(at) in (world.rate_hz, world.rate_hz + 1)
    np.testing.assert_allclose(np.diff(at), 1.0 / world.rate_hz, atol=1.5 * _STEP_S)
    assert world.telemetry is not None
    assert world.telemetry.skipped == 0


_MOMENTS = (0.0011, 0.0079, 0.0467)
"""Delays of the event that reach every point of the loop, s."""


def test_stop_through_the_pipe_is_sent_immediately(world: World) -> None:
    def stop() -> None:
        request = world.window.request_stop("Enough.")
        world._number += 1
        world.put(
            LinkCommand(
                "stop", world._number, {"reason": "Enough.", "request": request, "stops": request}
            )
        )

    world.stream()
    for after in _MOMENTS:
        assert _stopped(world, stop, after) <= _TURN_S
        assert world.telemetry is not None
        assert world.telemetry.reason == "Enough."
        # the stop is in memory and pipe, and is executed once
        assert len(world.since(world.happened, STOP_ID)) == 1
        world.reach(LinkState.IDLE, 0.5, "reset")
        world.run(
            lambda: world.telemetry is not None and not world.telemetry.not_ready,
            3.0,
            "the robot is ready",
        )
        world.reach(LinkState.ARMED, 0.5, "arm")
        world.reach(LinkState.STREAMING, 0.1, "stream")


@pytest.mark.parametrize("after", _MOMENTS)
def test_stop_in_shared_memory_is_seen_at_the_next_poll(world: World, after: float) -> None:
    """A pipe that is full, or a thread that cannot read it."""
    world.stream()
    assert _stopped(world, lambda: world.window.request_stop("Enough."), after) <= _LOOK_S + _TURN_S


def test_killed_window_stops_the_robot_immediately(world: World) -> None:
    def die() -> None:
        world.beats = world.refers = False
        world.put(PipeClosed())

    world.stream()
    world.soon(die)
    world.run(lambda: world.safe_at >= world.happened, 0.05, "the robot is safe")
    assert world.since(world.happened, STOP_ID)[0] <= world.happened + _TURN_S


@pytest.mark.parametrize("what", ["beats", "refers"])
def test_suspended_window_stops_the_robot_in_time(world: World, what: str) -> None:
    """At most 0.25 s without signs of life, plus one poll; both have the same timeout in the lab robot's profile."""
    world.stream()
    took = _stopped(world, lambda: setattr(world, what, False))
    assert 0.22 <= took <= 0.25 + _POLL_S + _TURN_S


def test_delayed_link_stops_the_robot_when_it_resumes(world: World) -> None:
    def stand_still() -> None:
        world._ticks += round(1.0 / _STEP_S)
        world.now = 1000.0 + world._ticks * _STEP_S
        world.robot.poll(world.now)  # whose own watchdog reacted meanwhile
        assert world.robot.safe

    world.stream()
    begin = world.now
    world.soon(stand_still)
    world.run(lambda: world.state is LinkState.FAULT, 1.1, "the link stops")
    assert not world.since(begin + 0.5, *SET_POINTS)


@pytest.mark.parametrize("after", _MOMENTS)
def test_node_fault_stops_the_robot_in_frame_time_and_ten_ms(world: World, after: float) -> None:
    """A restarting node; its heartbeat comes every 50 ms, also while it boots."""
    world.stream()
    assert (
        _stopped(world, lambda: world.robot.inject(Fault("reset", 3), world.now), after)
        <= 0.05 + _POLL_S + _TURN_S
    )


@pytest.mark.parametrize("after", _MOMENTS)
def test_foreign_set_points_stop_the_robot_immediately(world: World, after: float) -> None:
    world.stream()
    stranger = Frame(SET_POINTS[0], bytes(8), time=world.now)
    assert (
        _stopped(world, lambda: world.process.deliver(ReceivedFrame(stranger, False)), after)
        <= _TURN_S
    )
    assert world.telemetry is not None
    assert world.telemetry.reason.startswith("Another program sends set-points")
