"""Rules of the link's core beyond single losses: conditions of a successful stop, and commands without effect."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest

from snakestudio.errors import LinkError
from snakestudio.link.core.arrivals import LoadMeter
from snakestudio.link.core.codec import Codec
from snakestudio.link.core.journal import Journal
from snakestudio.link.core.link_core import LinkCore
from snakestudio.link.core.machine import Machine
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.tx_gate import TxGate
from snakestudio.link.core.watchdogs import Watchdogs
from snakestudio.link.frame import Frame
from snakestudio.link.messages import LinkCommand, LinkState, ReferenceBlock
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from tests.link.little_robot import READY, STOPPED, Rig, lab_robot

UNKNOWN = 77
"""Status that the lab robot's profile does not define."""
SET_POINTS = range(0x201, 0x20B)
HOLD_S = 0.3
"""Time after which the little robot's joints are at rest, s: 10° at 100 °/s and 1000 °/s^2 take
less."""


@pytest.fixture
def rig() -> Rig:
    return Rig(lab_robot(set_point_rate_hz=50.0), step=0.01)


def _set_point_angles(rig: Rig, axis: int, since: float) -> list[float]:
    """Return the set-points of an axis since a time, rad."""
    codec = rig.robot.codec
    angles = []
    for at, frame in rig.sent:
        if at > since and frame.id in SET_POINTS:
            decoded = codec.decode_outgoing(frame)
            assert decoded is not None
            angles += [v.value for v in decoded.values if v.quantity == "angle" and v.axis == axis]
    return angles


# ------------------------------------------------------------------------ when a stop has succeeded


def test_unknown_status_does_not_confirm_torque_off(rig: Rig) -> None:
    rig.armed()
    rig.robot.state[3] = UNKNOWN
    rig.robot.deaf = {3}
    rig.run(0.1)
    assert "not defined in the profile" in rig.core.telemetry(rig.now).reason
    stops = rig.robot.stops
    rig.run(1.2)
    assert rig.robot.stops >= stops + 10  # every 0.1 s
    assert any("stop of node 3 is not confirmed" in event.text for event in rig.events)
    assert not any("reports that it stopped" in event.text for event in rig.events)
    rig.robot.state[3] = STOPPED
    rig.run(0.2)
    assert any("reports that it stopped" in event.text for event in rig.events)


def test_disarming_needs_a_known_status() -> None:
    loaded = lab_robot(set_point_rate_hz=50.0)
    sequences = loaded.profile.sequences
    # without its own expectation
    sequences = sequences.model_copy(update={"disarm": sequences.disarm[:1]})
    rig = Rig(
        dataclasses.replace(
            loaded, profile=loaded.profile.model_copy(update={"sequences": sequences})
        ),
        step=0.01,
    )
    rig.armed()
    rig.robot.deaf = {3}
    rig.command("disarm")
    rig.robot.state[3] = UNKNOWN
    rig.run(1.2)
    assert rig.core.state is LinkState.FAULT
    assert "joint 3 yaw and joint 3 pitch is disarmed" in rig.core.telemetry(rig.now).reason


def test_wrong_status_bits_after_a_stop_raise_no_alarm(rig: Rig) -> None:
    """The stop is sent again immediately; the advice to cut the power follows only without a confirmation."""
    rig.armed()
    rig.core.stop("Stopped by the operator.", rig.now)
    rig.run(0.5)
    stops = rig.robot.stops
    n_events = len(rig.events)
    for _ in range(8):  # of 20 heartbeats per second every fifth is wrong
        rig.robot.state[3] = UNKNOWN
        rig.run(0.05)
        rig.robot.state[3] = STOPPED
        rig.run(0.2)
    assert rig.robot.stops > stops
    assert [event.text for event in rig.events[n_events:] if event.kind == "stop"] == []
    rig.robot.state[3] = UNKNOWN
    rig.run(1.5)
    (event,) = [event for event in rig.events[n_events:] if event.kind == "stop"]
    assert event.severity == "error"
    assert event.text == (
        "The stop of node 3 is no longer confirmed. Cut the robot's power if it moves."
    )


def test_drive_in_quick_stop_has_torque() -> None:
    """CiA 402-2, state QUICK STOP ACTIVE: the drive function is enabled, and power may be applied to the motor."""
    loaded = load_profile(find_profile("cia402_csp"))
    codec = Codec(loaded)
    observed = NodeStates(loaded.profile)
    message = next(
        m for m in loaded.profile.messages if any(s.quantity == "status" for s in m.signals)
    )
    for statusword, torque in ((0x0227, True), (0x0207, True), (0x0240, False), (0x0208, False)):
        for node in loaded.profile.nodes:
            decoded = codec.decode(codec.encode(message, node, {("status", -1): float(statusword)}))
            assert decoded is not None
            observed.update(decoded, 5.0)
        assert (observed.torque() == torque).all()
        assert (observed.torque_off(4.0) != torque).all()
        assert not observed.torque_off(5.0).any()  # earlier reports do not count


def test_repeated_stops_do_not_delay_the_end() -> None:
    """Quick stop, 0.1 s, disable voltage: the second step is in time, however often the first is requested."""
    loaded = load_profile(find_profile("cia402_csp"))
    sent: list[tuple[float, int]] = []
    now = 10.0

    def send(frame: Frame) -> None:
        if 0x300 <= frame.id < 0x380:
            sent.append((now, int.from_bytes(frame.data[:2], "little")))

    core = LinkCore(Codec(loaded), send=send, publish=lambda event: None)
    core.bus(True, "", now)
    core.command(LinkCommand("idle"), now)
    for tick in range(40):
        now = 10.0 + 0.01 * tick
        if tick % 3 == 0:
            before = len(sent)
            core.stop("Stopped by the operator.", now)
            assert sent[before][1] == 0x0002  # every press sends it again, in the same call
        core.poll(now)
    assert min(at for at, controlword in sent if controlword == 0x0000) == pytest.approx(
        10.1, abs=0.011
    )


def test_rest_needs_a_status_from_after_the_stop(rig: Rig) -> None:
    rig.robot.deaf = set(rig.robot.nodes)
    rig.idle()
    rig.command("arm")
    rig.core.stop("Stopped by the operator.", rig.now)
    assert rig.core.state is LinkState.FAULT
    assert set(rig.robot.state.values()) == {READY}
    assert not rig.core.at_rest
    rig.run(0.07)  # a heartbeat every 0.05 s
    assert rig.core.at_rest


# -------------------------------------------------------------------------------- ways out of FAULT


def test_reset_is_refused_after_silence_with_torque(rig: Rig) -> None:
    rig.armed()
    rig.robot.silent.add(4)
    rig.run(1.0)
    rig.command("reset")
    assert rig.core.state is LinkState.FAULT
    assert (
        "According to the last status of joint 4 yaw and joint 4 pitch, its torque is on"
        in rig.events[-1].text
    )
    rig.robot.silent.clear()
    rig.run(0.3)
    rig.command("reset")
    assert rig.core.state is LinkState.IDLE


def test_reset_is_refused_also_after_a_bus_recovery(rig: Rig) -> None:
    rig.armed()
    rig.robot.silent.add(4)
    rig.core.bus(False, "The adapter was unplugged.", rig.now)
    rig.run(0.3)
    rig.core.bus(True, "", rig.now)
    rig.run(1.0)
    rig.command("reset")
    assert rig.core.state is LinkState.FAULT
    assert (
        "According to the last status of joint 4 yaw and joint 4 pitch, its torque is on"
        in rig.events[-1].text
    )
    assert not rig.core.at_rest


def test_node_with_unknown_status_is_stopped_until_known(
    rig: Rig,
) -> None:
    rig.armed()
    rig.robot.deaf.add(3)
    rig.robot.state[3] = 77
    rig.run(0.3)
    assert rig.core.state is LinkState.FAULT
    rig.command("reset")
    assert rig.core.state is LinkState.FAULT
    assert (
        "is not defined in the profile. Add it to the profile's status values"
        in rig.events[-1].text
    )
    before = rig.robot.stops
    rig.run(1.0)
    assert rig.robot.stops >= before + 9
    assert not rig.core.at_rest
    rig.robot.state[3] = STOPPED
    rig.run(0.3)
    rig.command("reset")
    assert rig.core.state is LinkState.IDLE


def test_repeated_stops_do_not_delay_the_power_warning(rig: Rig) -> None:
    rig.armed()
    rig.robot.deaf.add(3)
    for _ in range(5):
        rig.core.stop("Stopped by the operator.", rig.now)
        rig.run(0.4)
    warning_times = [
        event.time
        for event in rig.events
        if "stop of node 3 is not confirmed. Cut the robot's power" in event.text
    ]
    first = next(event.time for event in rig.events if event.text == "Stopped by the operator.")
    assert [at - first for at in warning_times] == [pytest.approx(1.0, abs=0.05)], (
        "once, by the time of the first"
    )


def test_disconnected_link_connects_again(rig: Rig) -> None:
    rig.idle()
    rig.command("disconnect")
    assert rig.core.state is LinkState.DISCONNECTED
    rig.core.bus(True, "", rig.now)
    assert rig.core.state is LinkState.LISTENING


def test_reset_needs_a_bus(rig: Rig) -> None:
    rig.armed()
    rig.core.bus(False, "The adapter was unplugged.", rig.now)
    rig.robot.state = dict.fromkeys(rig.robot.nodes, STOPPED)
    rig.run(0.3)
    rig.command("reset")
    assert rig.core.state is LinkState.FAULT


@pytest.mark.parametrize(
    "kind", ["listen", "idle", "reset", "zero", "stream", "wiggle", "disarm", "arm"]
)
def test_only_a_stop_is_accepted_during_arming(kind: str, rig: Rig) -> None:
    # no node reports that it is armed, which would prevent most of it
    rig.robot.deaf = set(rig.robot.nodes)
    rig.idle()
    rig.command("arm")
    rig.run(0.1)
    rig.references(0.1)
    before = len(rig.sent)
    rig.command(kind, axis=0)
    assert rig.core.state is LinkState.IDLE
    assert rig.events[-1].kind == "refused"
    assert len(rig.sent) == before
    rig.run(0.1)
    assert rig.core.state is LinkState.IDLE
    assert set(_set_point_angles(rig, 0, 0.0)) == {0.0}
    rig.core.stop("Stopped by the operator.", rig.now)
    assert rig.core.state is LinkState.FAULT


# --------------------------------------------------------------------------- remainders of a motion


def test_disarming_ends_a_wiggle(rig: Rig) -> None:
    rig.armed()
    rig.command("wiggle", axis=2, amplitude_deg=10.0, period_s=1.0, count=5)
    rig.run(0.8)
    rig.robot.deaf = set(rig.robot.nodes)  # so that it takes some time
    rig.command("disarm")
    begin = rig.now
    rig.run(0.9)
    assert np.ptp(_set_point_angles(rig, 2, begin - 0.8)) > math.radians(5.0)
    still = _set_point_angles(rig, 2, begin + HOLD_S)
    assert len(still) > 10
    assert np.ptp(still) == 0.0


def test_references_from_before_a_stop_are_discarded() -> None:
    rig = Rig(lab_robot(set_point_rate_hz=50.0, reference_timeout_s=5.0), step=0.01)
    rig.armed()
    rig.references(0.5, horizon=8.0)
    rig.command("stream")
    rig.run(0.3)
    rig.core.stop("Stopped by the operator.", rig.now)
    rig.run(0.2)
    rig.command("reset")
    rig.run(0.3)
    rig.command("arm")
    rig.run(0.2)
    assert rig.core.state is LinkState.ARMED
    rig.command("stream")
    # there are no references yet, though the last ones are not 5 s old
    assert rig.core.state is LinkState.ARMED
    held = float(rig.robot.angle[0])
    knots = rig.now + np.array([0.5, 1.0])
    rig.core.reference(ReferenceBlock(knots, np.full((2, 20), held), np.zeros((2, 20))))
    rig.run(0.02)
    rig.command("stream")
    begin = rig.now
    rig.run(0.3)
    assert rig.core.state is LinkState.STREAMING
    assert np.allclose(
        _set_point_angles(rig, 0, begin), held, atol=math.radians(0.02)
    )  # frames resolve 0.01°


# -------------------------------------------------------------------------------- rejected commands


def _deafen(rig: Rig) -> None:
    def refuse(frame: Frame) -> None:
        raise LinkError("The bus did not take the frame.")

    rig.send = refuse  # type: ignore[method-assign]


def _flood(rig: Rig) -> None:
    for _ in range(110):
        rig.run(0.01)
        for _ in range(70):
            rig.core.receive(Frame(0x7AA, bytes(8)), rig.now)


def _rubbish(rig: Rig) -> None:
    for _ in range(6):
        rig.core.receive(Frame(0x181, b"\x01"), rig.now)


_AFTER_IDLE: dict[str, tuple[Callable[[Rig], object], float, str]] = {
    "feedback grew old": (
        lambda rig: rig.robot.mute.add("JointFeedback"),
        0.3,
        "The feedback of joint 1 yaw",
    ),
    "heartbeats grew old": (
        lambda rig: rig.robot.mute.add("JointHeartbeat"),
        0.3,
        "The last heartbeat of nodes 1",
    ),
    "status grew old": (
        lambda rig: rig.robot.mute.add("JointHeartbeat"),
        0.3,
        "No status of joint 1 yaw",
    ),
    "unreadable frames": (_rubbish, 0.02, "cannot be read"),
    "nothing can be sent": (_deafen, 0.2, "Frames cannot be sent"),
    "bus load": (_flood, 0.0, "The bus load is"),
    "window gone": (
        lambda rig: (setattr(rig, "beats", False), rig.core.window_ended(rig.now)),
        0.0,
        "no sign of life",
    ),
    "bus closed": (lambda rig: rig.core.bus(False, "", rig.now), 0.0, "No bus is open"),
}


@pytest.mark.parametrize("name", _AFTER_IDLE)
def test_lost_readiness_prevents_arming(name: str, rig: Rig) -> None:
    cause, after, text = _AFTER_IDLE[name]
    rig.idle()
    assert rig.core.telemetry(rig.now).not_ready == ()
    cause(rig)
    rig.run(after)
    before = len(rig.sent)
    rig.command("arm")
    assert rig.events[-1].kind == "refused"
    assert text in rig.events[-1].text
    assert not [frame for _, frame in rig.sent[before:] if frame.id in SET_POINTS]


def test_negative_current_counts_too(rig: Rig) -> None:
    rig.armed()
    rig.robot.current[5] = -12.0
    rig.run(0.8)
    assert "Joint 3 pitch takes -12.0 A" in rig.core.telemetry(rig.now).reason


@pytest.mark.parametrize(
    ("state", "is_open", "replay", "count"),
    [
        (LinkState.DISCONNECTED, True, False, 0),
        (LinkState.LISTENING, True, False, 0),
        (LinkState.IDLE, False, False, 0),
        (LinkState.STREAMING, True, True, 0),
        (LinkState.FAULT, True, False, 1),
        (LinkState.IDLE, True, False, 1),
    ],
)
def test_closed_gate_blocks_all_senders(
    state: LinkState, is_open: bool, replay: bool, count: int
) -> None:
    loaded = lab_robot()
    profile = loaded.profile
    machine = Machine()
    sent = []
    machine.state = state
    watchdogs = Watchdogs(profile, NodeStates(profile))
    journal = Journal(lambda event: None)
    gate = TxGate(
        Codec(loaded), sent.append, machine, watchdogs, LoadMeter(profile), journal, replay=replay
    )
    gate.bus_open = is_open
    gate.frames([Frame(0x201, bytes(8))], 1.0)
    assert len(sent) == count
