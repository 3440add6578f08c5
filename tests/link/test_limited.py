"""Limits fail closed: limited quantities must be known before arming and remain known afterwards."""

from __future__ import annotations

import dataclasses
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from snakestudio.link.core.codec import Codec
from snakestudio.link.core.link_core import LinkCore
from snakestudio.link.frame import Frame
from snakestudio.link.messages import LinkCommand, LinkState
from snakestudio.link.profile.check import arming_problems
from snakestudio.link.profile.expected import ExpectedIntervals
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import LoadedProfile, load_profile, parse_profile
from tests.link.little_robot import Rig, lab_robot

_OLD_S = 1.25
_LOST_S = 2.5
"""Interval of the lab robot's JointCondition is 0.5 s."""


def _limited(**limits: Any) -> LoadedProfile:
    loaded = lab_robot(set_point_rate_hz=100.0)
    changed = loaded.profile.limits.model_copy(update=limits)
    return dataclasses.replace(
        loaded, profile=loaded.profile.model_copy(update={"limits": changed})
    )


def _not_ready(rig: Rig) -> str:
    return "\n".join(rig.core.telemetry(rig.now).not_ready)


def _until_stopped(rig: Rig, patience: float = 8.0) -> float:
    """Run until the link is in FAULT, and return the time it took, s."""
    begin = rig.now
    while rig.core.state is not LinkState.FAULT:
        rig.run(0.01)
        assert rig.now < begin + patience, "nothing stopped the robot"
    return rig.now - begin


# ------------------------------------------------------------------------------------ before arming


def test_robot_reporting_everything_becomes_ready() -> None:
    rig = Rig(_limited(min_voltage_v=20.0))
    rig.idle()
    assert _not_ready(rig) == ""


def test_value_never_reported_prevents_arming() -> None:
    rig = Rig(_limited(min_voltage_v=20.0))
    rig.robot.mute = {"JointCondition"}
    rig.idle()
    reasons = _not_ready(rig)
    assert (
        "No temperature of joint 1 yaw, joint 1 pitch, joint 2 yaw and 17 more yet, but a limit"
        in reasons
    )
    assert "No supply voltage of joint 1 yaw" in reasons
    rig.command("arm")
    rig.run(0.5)
    assert rig.core.state is LinkState.IDLE


def test_node_that_never_reported_prevents_arming() -> None:
    rig = Rig(_limited())
    rig.robot.nodes = rig.robot.nodes[:-1]
    rig.idle()
    assert "No temperature of joint 10 yaw and joint 10 pitch yet" in _not_ready(rig)


def test_limit_of_a_single_axis_is_monitored() -> None:
    loaded = _limited(max_temperature_c=None)
    axes = list(loaded.profile.axes)
    axes[5] = axes[5].model_copy(update={"max_temperature_c": 60.0})
    rig = Rig(
        dataclasses.replace(loaded, profile=loaded.profile.model_copy(update={"axes": tuple(axes)}))
    )
    rig.robot.mute = {"JointCondition"}
    rig.idle()
    assert "No temperature of joint 3 pitch yet" in _not_ready(rig)


def test_outdated_value_prevents_arming_and_names_its_interval() -> None:
    """A node that reports its temperature every 30 s instead of every 0.5 s."""
    rig = Rig(_limited())
    rig.robot.every = {"JointCondition": 30.0}
    rig.idle()
    assert _not_ready(rig) == ""  # it was just reported
    rig.run(_OLD_S)
    assert "old, but it should come every 0.5 s. Check that its node sends it." in _not_ready(rig)
    rig.command("arm")
    assert rig.core.state is LinkState.IDLE


def test_rare_value_prevents_arming_even_when_fresh() -> None:
    rig = Rig(_limited())
    rig.robot.every = {"JointCondition": 3.0}
    rig.idle()
    rig.run(2.5)  # the second one has just arrived
    reasons = _not_ready(rig)
    assert (
        "came 3.00 s after the previous one, but it should come every 0.5 s. Correct this"
        in reasons
    )
    rig.robot.every = {}
    rig.run(3.6)
    assert _not_ready(rig) == ""


def test_unreported_error_bits_prevent_arming() -> None:
    """Unless the profile defines that they are sent only with errors."""
    path = find_profile("cia402_csp")
    toml = path.read_text(encoding="utf-8")
    dbc = path.with_suffix(".dbc").read_text(encoding="utf-8")
    for text, waits in ((toml.replace('when = "change"\n', ""), True), (toml, False)):
        rig = Rig(parse_profile(text, dbc))
        rig.core.bus(True, "", rig.now)
        rig.command("idle")
        assert ("No error status of joint 1 yaw" in _not_ready(rig)) is waits


def test_limit_on_an_on_change_message_is_refused() -> None:
    path = find_profile("lab_robot")
    toml = path.read_text(encoding="utf-8").replace(
        "every_s = 0.5\n", 'every_s = 0.5\nwhen = "change"\n'
    )
    problems = arming_problems(
        parse_profile(toml, path.with_suffix(".dbc").read_text(encoding="utf-8"))
    )
    assert [problem.key for problem in problems] == ["limits.max_temperature_c"]


# ------------------------------------------------------------------------------- while torque is on


def test_missing_temperature_warns_then_stops_the_robot() -> None:
    """Reports end at 74 °C with a limit of 85 °C: the temperature is unknown from then on."""
    rig = Rig(_limited())
    rig.robot.temperature[:] = 74.0
    rig.armed()
    assert rig.core.state is LinkState.ARMED
    rig.run(0.5)
    rig.robot.mute = {"JointCondition"}
    rig.events.clear()
    took = _until_stopped(rig)
    # From the last frame, at most one interval earlier.
    assert _LOST_S - 0.5 <= took <= _LOST_S + 0.02
    assert "The last temperature of joint 1 yaw" in rig.core.telemetry(rig.now).reason
    warned = [event for event in rig.events if event.severity == "warning"]
    assert len(warned) == 1
    assert "a limit depends on it" in warned[0].text
    assert rig.now - warned[0].time == pytest.approx(_LOST_S - _OLD_S, abs=0.03)


@pytest.mark.parametrize("message", ["JointFeedback", "JointCondition", "JointHeartbeat"])
def test_any_missing_message_of_a_node_stops_the_robot(message: str) -> None:
    """Current comes with the angles, temperature and voltage in a separate message, error bits with the heartbeat."""
    rig = Rig(_limited(min_voltage_v=20.0))
    rig.armed()
    real = rig.robot.frames
    ids = {
        rig.robot.codec.encode(each, 4, {}).id
        for each in rig.loaded.profile.messages
        if each.message == message
    }
    rig.robot.frames = lambda now: [frame for frame in real(now) if frame.id not in ids]  # type: ignore[method-assign]
    assert _until_stopped(rig) <= _LOST_S + 0.02


def test_missing_message_disarms_if_the_profile_says_so() -> None:
    rig = Rig(_limited(on_lost="disarm"))
    rig.armed()
    rig.robot.mute = {"JointCondition"}
    before = len(rig.sent)
    _until_stopped(rig)
    ids = [frame.id for at, frame in rig.sent[before:] if at == rig.now]
    assert ids[:1] == [0x101]  # JointCommand, which disarms, and not BroadcastStop


def test_missing_message_only_warns_if_the_profile_says_so() -> None:
    rig = Rig(_limited(on_lost="warn"))
    rig.armed()
    rig.robot.mute = {"JointCondition"}
    rig.events.clear()
    rig.run(6.0)
    assert rig.core.state is LinkState.ARMED
    assert [event.severity for event in rig.events] == ["warning", "error"]
    assert "its limit is no longer monitored; the robot continues" in rig.events[-1].text
    # It cannot be armed again in this state.
    rig.core.stop("Enough.", rig.now)
    rig.run(0.2)
    rig.command("reset")
    rig.run(0.2)
    assert "old, but it should come every 0.5 s" in _not_ready(rig)


def test_low_voltage_stops_the_robot_but_a_dip_does_not() -> None:
    rig = Rig(_limited(min_voltage_v=20.0))
    rig.robot.every = {"JointCondition": 0.02}
    rig.armed()
    rig.robot.voltage[:] = 18.0
    rig.run(0.06)
    rig.robot.voltage[:] = 24.0
    rig.run(0.3)
    assert rig.core.state is LinkState.ARMED
    rig.robot.voltage[4:6] = 18.0
    assert 0.1 <= _until_stopped(rig) <= 0.14
    assert (
        "Joint 3 yaw has 18.0 V, less than the 20 V required" in rig.core.telemetry(rig.now).reason
    )
    assert (
        "Joint 3 yaw and joint 3 pitch have too low a voltage. Charge or change the battery."
        in _not_ready(rig)
    )


# ---------------------------------------------------------------------------------------------- NaN

_FLOATS = """format = 1
name = "Floats"
dbc = "floats.dbc"
[limits]
max_temperature_c = 75.0
[[axes]]
joint = 1
node = 1
[[messages]]
role = "set_point"
message = "Set"
id = "0x200 + node"
signals = [{ signal = "Angle", quantity = "angle" }]
[[messages]]
role = "feedback"
message = "Get"
id = "0x300 + node"
every_s = 0.05
signals = [{ signal = "Angle", quantity = "angle" }]
[[messages]]
role = "feedback"
message = "Heat"
id = "0x400 + node"
every_s = 0.5
signals = [{ signal = "Motor", quantity = "temperature", encoding = "float32" }]
[[messages]]
role = "heartbeat"
message = "Alive"
id = "0x700 + node"
every_s = 0.05
signals = [{ signal = "State", quantity = "status" }]
[[status]]
code = 1
meaning = "ready"
[[status]]
code = 2
meaning = "armed"
[sequences]
arm = [{ raw = "01", id = "0x100 + node" }, { expect = "armed" }]
stop = [{ raw = "00", id = "0x100 + node" }]
"""
_FLOATS_DBC = """VERSION ""
BU_: A B
BO_ 512 Set: 2 A
 SG_ Angle : 0|16@1- (0.01,0) [-327|327] "deg" B
BO_ 768 Get: 2 B
 SG_ Angle : 0|16@1- (0.01,0) [-327|327] "deg" A
BO_ 1024 Heat: 4 B
 SG_ Motor : 0|32@1- (1,0) [0|0] "degC" A
BO_ 1792 Alive: 1 B
 SG_ State : 0|8@1+ (1,0) [0|0] "" A
"""


class _Floats:
    """Robot of one node with an IEEE 754 temperature, whose frames are passed to the core by hand."""

    def __init__(self) -> None:
        self.codec = Codec(parse_profile(_FLOATS, _FLOATS_DBC))
        self.events: list[Any] = []
        self.now = 100.0
        self.armed = False
        self.core = LinkCore(self.codec, send=self._on_frame, publish=self.events.append)
        self.celsius: float | None = 30.0
        self._ticks = 0

    def _on_frame(self, frame: Any) -> None:
        if frame.id == 0x101:
            self.armed = frame.data == b"\x01"

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.05)):
            self._ticks += 1
            self.now = 100.0 + 0.05 * self._ticks
            self.core.window_beat(self.now)
            self.core.receive(Frame(0x301, bytes(2)), self.now)
            self.core.receive(Frame(0x701, bytes([2 if self.armed else 1])), self.now)
            if self._ticks % 10 == 0 and self.celsius is not None:
                self.core.receive(Frame(0x401, struct.pack("<f", self.celsius)), self.now)
            self.core.poll(self.now)

    def command(self, kind: Any) -> None:
        self.core.command(LinkCommand(kind), self.now)


def test_nan_temperature_is_unknown() -> None:
    """ODrive sends it when its thermistor is disconnected; the last number must not count as current."""
    robot = _Floats()
    robot.core.bus(True, "", robot.now)
    robot.command("idle")
    robot.run(1.0)
    assert robot.core.telemetry(robot.now).not_ready == ()
    robot.celsius = math.nan
    robot.run(0.5)
    telemetry = robot.core.telemetry(robot.now)
    assert np.isnan(telemetry.temperature[0])
    assert (
        "The temperature of joint 1 yaw is not a number. Check that its sensor is connected."
        in telemetry.not_ready
    )
    robot.command("arm")
    robot.run(0.5)
    assert robot.core.state is LinkState.IDLE
    robot.celsius = 30.0
    robot.run(1.0)  # and comes as often as it should
    robot.command("arm")
    robot.run(0.5)
    assert robot.core.state is LinkState.ARMED
    robot.celsius = math.inf
    robot.run(_LOST_S + 0.5)
    assert robot.core.state is LinkState.FAULT
    assert "The last temperature of joint 1 yaw" in robot.core.telemetry(robot.now).reason


# ---------------------------------------------------------------------------------- ages by profile


def test_ages_follow_from_intervals_and_requests() -> None:
    odrive = ExpectedIntervals(load_profile(find_profile("odrive_can_simple")).profile)
    # Requested every 0.1 s and every 0.5 s.
    assert odrive.stale["current"][0] == pytest.approx(0.25)
    assert odrive.lost["temperature"][0] == pytest.approx(2.5)
    lab = ExpectedIntervals(load_profile(find_profile("lab_robot")).profile)
    # Currents come with the angles, every 20 ms: the profile's own times are longer.
    assert (lab.stale["current"][0], lab.lost["current"][0]) == (0.15, 0.2)
    assert lab.lost["temperature"][0] == _LOST_S


def test_rotating_pages_have_a_longer_interval() -> None:
    lab = load_profile(find_profile("lab_robot")).profile
    number = next(
        i for i, message in enumerate(lab.messages) if message.message == "JointCondition"
    )
    assert ExpectedIntervals(lab, {number: 3}).lost["temperature"][0] == 3 * _LOST_S


def test_error_only_messages_are_not_awaited() -> None:
    lab = load_profile(find_profile("lab_robot")).profile
    messages = tuple(
        each.model_copy(update={"every_s": None}) if each.role == "heartbeat" else each
        for each in lab.messages
    )
    assert np.isinf(
        ExpectedIntervals(lab.model_copy(update={"messages": messages})).lost["error"]
    ).all()


_SHOWN: dict[str, Callable[[Rig], float]] = {
    "temperature": lambda rig: float(rig.core.telemetry(rig.now).old("temperature", rig.now)[0]),
    "voltage": lambda rig: float(rig.core.telemetry(rig.now).old("voltage", rig.now)[0]),
}


@pytest.mark.parametrize("quantity", _SHOWN)
def test_outdated_values_are_marked_as_old(quantity: str) -> None:
    rig = Rig(_limited())
    rig.idle()
    assert not _SHOWN[quantity](rig)
    rig.robot.mute = {"JointCondition"}
    rig.run(1.0)
    assert not _SHOWN[quantity](rig)
    rig.run(0.5)
    assert _SHOWN[quantity](rig)
    telemetry = rig.core.telemetry(rig.now)
    assert not telemetry.old("current", rig.now).any()
    assert telemetry.old(
        "current", rig.now + 0.2
    ).all()  # also when the link sends no further telemetry
