"""Live robot, link core and emulated robot together in virtual time: every shipped profile, and failures."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from snakestudio.link.core.codec import Codec
from snakestudio.link.core.foreign_master import mention_foreign_master
from snakestudio.link.core.link_core import LinkCore
from snakestudio.link.emulator.fault import Fault, FaultKind
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.frame import Frame
from snakestudio.link.messages import (
    CommandKind,
    LinkCommand,
    LinkEvent,
    LinkState,
    ReferenceBlock,
    Telemetry,
    Traffic,
)
from snakestudio.link.profile.library import find_profile, shipped
from snakestudio.link.profile.loading import load_profile
from snakestudio.live.live_robot import LiveRobot
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene

from .fake_link import Clock

_STEP_S = 0.01
_SCENE = with_values(
    Scene(),
    {
        "robot.n_links": 11,
        "gait.amplitude_deg": 15.0,
        "gait.frequency_deg_s": 180.0,
        "gait.phase_shift_deg": 57.0,
        "run.log_rate_hz": 20.0,
    },
)

_ALTERNATING = with_values(
    Scene(),
    {
        "model.kind": "spatial_nonsmooth",
        "robot.n_links": 13,
        "robot.joints": "alternating",
        "gait.kind": "compound_serpenoid",
        "gait.odd_amplitude_rad": 0.25,
        "gait.even_amplitude_rad": 0.2,
        "gait.odd_temporal_frequency_rad_s": 3.0,
        "gait.even_temporal_frequency_rad_s": 3.0,
        "run.log_rate_hz": 20.0,
        "robot.link": [
            {"index": "first", "length_m": 0.14, "mass_kg": 1.1},
            {"index": "4-6", "length_m": 0.1},
            {"index": "last", "mass_kg": 0.4},
        ],
    },
)
"""Different modules with one axis per joint."""

_load = functools.cache(load_profile)


def _scene_for(name: str) -> Scene:
    """Return a scene that can drive the robot of a shipped profile."""
    return _ALTERNATING if name == "alternating_modules" else _SCENE


class CoreLink:
    """Link with its core in this process: implements `link.base.Link`, and executes commands immediately."""

    alive = True

    def __init__(self, codec: Codec, send: Callable[[Frame], None], clock: Clock) -> None:
        self.profile = codec.profile
        self.link_events: list[LinkEvent] = []
        self.core = LinkCore(codec, send=send, publish=self.link_events.append)
        self._clock = clock
        self._number = 0

    @property
    def stop_count(self) -> int:
        return 0

    def command(self, kind: CommandKind, **values: str | int | float | bool) -> int:
        self._number += 1
        self.core.command(LinkCommand(kind, self._number, dict(values)), self._clock())
        return self._number

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        self.core.stop(reason, self._clock())

    def beat(self) -> None:
        self.core.window_beat(self._clock())

    def send(self, block: ReferenceBlock) -> None:
        self.core.reference(block)

    def telemetry(self) -> Telemetry:
        return self.core.telemetry(self._clock())

    def events(self) -> list[LinkEvent]:
        return []

    def traffic(self) -> list[Traffic]:
        return []

    def begin_log(self, path: Path) -> None: ...

    def close(self) -> None: ...


class Chain:
    """The complete chain without process, bus or thread, in steps of 10 ms."""

    def __init__(self, name: str, scene: Scene = _SCENE, base_dir: Path | None = None) -> None:
        loaded = _load(find_profile(name))
        self.clock = Clock()
        self.robot = EmulatedRobot(loaded)
        self.link = CoreLink(Codec(loaded), self._send, self.clock)
        self.core = self.link.core
        self.live_events: list[LinkEvent] = []
        self.live = LiveRobot(
            self.link,
            scene,
            base_dir,
            on_event=self.live_events.append,
            clock=self.clock,
            threaded=False,
            twin=False,
        )
        self.core.bus(True, "", self.clock())
        self.link.command("idle")

    def _send(self, frame: Frame) -> None:
        self.robot.receive(frame, self.clock())

    def run(self, duration: float, *, until: LinkState | None = None) -> float:
        """Advance the time; return how much of it has passed."""
        begin = self.clock.now
        while self.clock.now < begin + duration - 1e-9 and self.core.state is not until:
            self.clock.now += _STEP_S
            self.link.beat()
            for frame in self.robot.poll(self.clock()):
                self.core.receive(frame, self.clock())
            self.live.tick()
            self.core.poll(self.clock())
        return self.clock.now - begin

    def streaming(self) -> None:
        self.run(2.0)
        self.live.arm()
        self.run(1.0, until=LinkState.ARMED)
        self.live.stream()
        self.run(1.0)
        assert self.core.state is LinkState.STREAMING, [*self.live_events, *self.link.link_events]
        assert self.live.streaming

    @property
    def reason(self) -> str:
        return self.link.telemetry().reason

    @property
    def noted(self) -> list[str]:
        """Return the events in the recording of the current run."""
        recording = self.live.recording
        assert recording is not None
        return [event.text for event in recording.events]


@pytest.fixture
def start_chain() -> Iterator[Callable[..., Chain]]:
    chains: list[Chain] = []

    def make(name: str, scene: Scene = _SCENE, base_dir: Path | None = None) -> Chain:
        chains.append(Chain(name, scene, base_dir))
        return chains[-1]

    yield make
    for each in chains:
        each.live.close()


@pytest.mark.parametrize("name", [path.stem for path in shipped()])
def test_shipped_robots_are_armed_driven_stopped_and_rearmed(
    name: str, start_chain: Callable[..., Chain]
) -> None:
    chain = start_chain(name, _scene_for(name))
    chain.streaming()
    error = np.abs(chain.robot.angles - chain.link.telemetry().reference)
    # it follows, within its lag at 10 Hz and the backlash of its gears
    assert np.degrees(error.max()) < 12.0
    chain.live.stop()
    # CiA 402's quick stop brakes before torque goes off; all others are safe with the first frame.
    chain.run(0.3 if name == "cia402_csp" else 0.02)
    assert chain.robot.safe
    chain.run(1.5)
    assert chain.robot.safe
    assert not chain.live.streaming
    assert "operator" in chain.noted[-1]
    chain.live.reset()
    chain.run(2.0)
    assert chain.live.not_ready == ()
    chain.live.arm()
    chain.run(1.0)
    assert chain.core.state is LinkState.ARMED
    chain.live.disarm()
    chain.run(0.5)
    assert chain.core.state is LinkState.IDLE
    assert chain.robot.safe
    # Neither frames of the link nor of the robot are mistaken for another program's.
    assert not mention_foreign_master(event.text for event in chain.link.link_events)


@pytest.mark.parametrize("kind", ["compound_serpenoid", "table"])
def test_all_gaits_pass_the_same_gate(
    kind: str, start_chain: Callable[..., Chain], tmp_path: Path
) -> None:
    values = {
        "model.kind": "spatial_nonsmooth",
        "robot.n_links": 11,
        "gait.kind": kind,
        "run.log_rate_hz": 20.0,
        "actuator.max_speed_deg_s": 60.0,
    }
    if kind == "table":
        time = np.linspace(0.0, 4.0, 81)
        names = [f"joint_{k + 1}_{axis}_rad" for k in range(10) for axis in ("yaw", "pitch")]
        angles = 0.2 * np.sin(np.pi * time[:, None] + 0.5 * np.arange(20))
        np.savetxt(
            tmp_path / "log.csv",
            np.column_stack([time, angles]),
            delimiter=",",
            header=",".join(["t", *names]),
        )
        values |= {"gait.file": "log.csv", "gait.loop": True}
    else:
        values |= {
            "gait.odd_amplitude_rad": 0.2,
            "gait.even_amplitude_rad": 0.1,
            "gait.envelope": "n/N",
        }
    chain = start_chain("lab_robot", with_values(Scene(), values), tmp_path)
    chain.streaming()
    sent = []
    for _ in range(100):
        chain.run(0.02)
        sent.append(chain.link.telemetry().reference.copy())
    assert np.degrees(np.ptp(sent, axis=0).max()) > 8.0
    # in a bus cycle
    assert np.degrees(np.abs(np.diff(sent, axis=0)).max()) <= 60.0 * 0.1 + 1e-6
    error = np.abs(chain.robot.angles - chain.link.telemetry().reference)
    assert np.degrees(error.max()) < 12.0
    chain.live.stop()
    chain.run(0.02)
    assert chain.robot.safe
    assert not chain.live.streaming
    assert "operator" in chain.noted[-1]


@pytest.mark.parametrize("name", [path.stem for path in shipped()])
def test_silent_joint_ends_the_run_of_every_shipped_robot(
    name: str, start_chain: Callable[..., Chain]
) -> None:
    chain = start_chain(name, _scene_for(name))
    chain.streaming()
    chain.robot.inject(Fault("dropout", 3), chain.clock())
    lost = chain.link.profile.timing.lost_s
    # Feedback may be as old as its interval when the node stops sending, and two steps are lost by
    # polling.
    assert chain.run(5.0, until=LinkState.FAULT) <= lost + 0.05
    # the first of its missing frames
    assert "joint 3" in chain.reason.lower() or "node 3" in chain.reason
    chain.run(0.3)
    assert chain.robot.safe
    assert not chain.live.streaming
    assert chain.reason in chain.noted


def test_axes_of_an_alternating_robot_follow_their_own_waves(
    start_chain: Callable[..., Chain],
) -> None:
    chain = start_chain("alternating_modules", _ALTERNATING)
    chain.streaming()
    chain.run(2.0)
    times = []
    angles = []
    own = []
    for _ in range(100):
        chain.run(0.03)
        snapshot = chain.live.latest
        times.append(snapshot.time)
        angles.append(snapshot.joint_angle)
        own.append(chain.robot.angles.copy())
    angles = np.array(angles)
    # of the axis of the same number, a frame before
    np.testing.assert_allclose(angles, own, atol=np.radians(3.0))
    waves = np.exp(1j * 3.0 * np.array(times))
    amplitude = 2.0 * np.abs((angles * waves[:, None]).mean(axis=0))
    phase = np.unwrap(np.angle((angles * waves[:, None]).mean(axis=0)))
    assert amplitude[0::2] == pytest.approx(0.25, abs=0.05)  # yaw
    assert amplitude[1::2] == pytest.approx(0.2, abs=0.05)  # pitch
    # From each yaw joint to the next one, two joints behind it, 2 * 0.5 rad; a pitch joint is
    # 0.7854 rad further ahead.
    lead = -np.diff(phase)
    assert lead[0::2] == pytest.approx(0.5 + 0.7854, abs=0.15)
    assert lead[1::2] == pytest.approx(0.5 - 0.7854, abs=0.15)
    assert chain.live.recording is not None
    names = chain.live.recording.schema.extra
    assert "joint_2_pitch_current_a" in names
    assert "joint_2_yaw_current_a" not in names


def test_profile_with_other_axes_is_not_armed(start_chain: Callable[..., Chain]) -> None:
    chain = start_chain("alternating_modules", with_values(_ALTERNATING, {"robot.joints": "yaw"}))
    chain.run(2.0)
    chain.live.arm()
    chain.run(0.5)
    assert chain.core.state is LinkState.IDLE
    assert "Joints 2, 4, 6, 8, 10 and 12" in chain.live.not_ready[0]


def test_another_program_ends_the_run(start_chain: Callable[[str], Chain]) -> None:
    chain = start_chain("lab_robot")
    chain.streaming()
    other = Codec(_load(find_profile("lab_robot")))
    chain.core.receive(other.set_points(np.zeros(other.n_axes))[0], chain.clock())
    assert chain.core.state is LinkState.FAULT
    chain.run(0.3)
    assert chain.robot.safe
    assert "Another program sends set-points" in chain.noted[-1]


_STOPS: dict[FaultKind, tuple[float, str]] = {
    "dropout": (0.25, "joint 3"),
    "bus-off": (0.25, "joint 3"),
    "reset": (0.25, ""),
    "overtemperature": (0.6, "joint 3"),
    "duplicate-id": (1.5, "joint 3"),
    "frozen-sensor": (4.0, "joint 3"),
    "corrupt": (1.0, ""),
}
"""Faults that stop the robot: the longest time (s), and a word of the reason."""


@pytest.mark.parametrize("kind", _STOPS)
def test_faults_stop_the_robot(kind: FaultKind, start_chain: Callable[[str], Chain]) -> None:
    within, text = _STOPS[kind]
    chain = start_chain("lab_robot")
    chain.streaming()
    chain.robot.inject(Fault(kind, 3), chain.clock())
    took = chain.run(5.0, until=LinkState.FAULT)
    reason = chain.reason
    assert chain.core.state is LinkState.FAULT
    assert took <= within
    assert text in reason.lower()
    chain.run(0.3)
    assert chain.robot.safe


def test_babbling_node_is_named_and_prevents_arming(
    start_chain: Callable[[str], Chain],
) -> None:
    chain = start_chain("lab_robot")
    chain.run(2.0)
    chain.robot.inject(Fault("babble", 3), chain.clock())
    chain.run(2.5)
    assert any(
        "of node 3" in event.text and "babbles" in event.text for event in chain.link.link_events
    )
    chain.live.arm()
    chain.run(0.5)
    assert chain.core.state is LinkState.IDLE


def test_jammed_joint_stops_the_robot(start_chain: Callable[[str], Chain]) -> None:
    chain = start_chain("lab_robot")
    chain.streaming()
    chain.robot.inject(Fault("jam", 3), chain.clock())
    chain.run(4.0, until=LinkState.FAULT)
    assert chain.core.state is LinkState.FAULT
    assert "joint 3" in chain.reason.lower()
