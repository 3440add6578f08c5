"""The link's core with a simple robot: from listening to a stop, with the papers' profile."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest

from snakestudio.errors import LinkError
from snakestudio.link.core.link_core import LinkCore
from snakestudio.link.frame import Frame
from snakestudio.link.messages import LinkState, ReferenceBlock
from snakestudio.link.profile.schema import Message
from tests.link.little_robot import ARMED, BOOTING, FAULT, READY, STOPPED, Rig, lab_robot

SET_POINTS = range(0x201, 0x20B)


@pytest.fixture
def rig() -> Rig:
    return Rig(lab_robot(set_point_rate_hz=100.0))


def _stop_id(rig: Rig) -> int:
    return rig.codec.step_frames(rig.loaded.profile.sequences.stop[0])[0].id


def _set_points_since(rig: Rig, count: int) -> int:
    """Return the set-points among the frames sent after the first `count`."""
    return sum(1 for _, frame in rig.sent[count:] if frame.id in SET_POINTS)


def test_listening_sends_nothing(rig: Rig) -> None:
    rig.core.bus(True, "", rig.now)
    rig.run(0.5)
    rig.core.stop("The operator is in doubt.", rig.now)
    rig.run(0.5)
    assert rig.core.state is LinkState.LISTENING
    assert rig.sent == []
    telemetry = rig.core.telemetry(rig.now)
    assert np.isfinite(telemetry.angle).all()
    assert telemetry.received > 500
    assert any("only listens" in reason for reason in telemetry.not_ready)


def test_idle_sends_only_the_heartbeat(rig: Rig) -> None:
    rig.idle()
    rig.run(1.0)
    assert set(rig.ids()) == {rig.codec.frames(_message(rig, "HostAlive"))[0].id}
    assert rig.core.telemetry(rig.now).not_ready == ()


def _message(rig: Rig, name: str) -> Message:
    return next(message for message in rig.loaded.profile.messages if message.message == name)


def test_arming_holds_the_measured_angles(rig: Rig) -> None:
    rig.robot.angle[:] = np.linspace(-0.5, 0.5, rig.codec.n_axes)
    held = rig.robot.angle.copy()
    rig.idle()
    before = len(rig.sent)
    rig.command("arm")
    first = [frame.id for _, frame in rig.sent[before:]]
    assert first[:10] == list(SET_POINTS)  # set-points must be sent before torque comes on
    assert first[10:] == [0x100 + node for node in rig.robot.nodes]
    assert rig.core.state is LinkState.IDLE
    rig.run(1.0)
    assert rig.core.state is LinkState.ARMED
    np.testing.assert_allclose(rig.robot.angle, held, atol=2e-3)  # at the resolution of the frames
    telemetry = rig.core.telemetry(rig.now)
    assert telemetry.confirmed
    assert telemetry.period_mean == pytest.approx(0.01, rel=1e-3)


def test_streaming_ramps_from_measured_to_commanded_angles(rig: Rig) -> None:
    rig.armed()
    begin = rig.now
    rig.references(math.radians(30.0))
    rig.command("stream")
    rig.stream(0.5, math.radians(30.0))
    assert rig.core.state is LinkState.STREAMING
    # The profile's ramp is 30°/s: 15° after half a second, less the distance lost by accelerating.
    assert 13.0 < np.degrees(rig.robot.angle[0]) < 15.5
    rig.stream(1.0, math.radians(30.0))
    np.testing.assert_allclose(np.degrees(rig.robot.angle), 30.0, atol=0.1)
    assert rig.now - begin < 2.0


def test_slow_set_points_are_not_followed_by_a_burst(rig: Rig) -> None:
    """At 100 Hz the machine halts for 8 ms before the last frame; the deadline 2 ms later is skipped."""
    rig.armed()
    while rig.core.set_points.next > rig.now + 1e-9:
        rig.tick()
    before = _set_points_since(rig, 0)
    rig.core.poll(rig.now, lambda: rig.now + 0.008)
    sent = _set_points_since(rig, 0)
    assert sent > before
    skipped = rig.core.set_points.times.skipped
    assert rig.core.set_points.next == pytest.approx(rig.now + 0.02, abs=1e-4)
    rig.tick(2)
    rig.core.poll(rig.now, lambda: rig.now)
    assert _set_points_since(rig, 0) == sent
    assert skipped == 1
    rig.tick(2)
    rig.core.poll(rig.now, lambda: rig.now)
    assert _set_points_since(rig, 0) > sent


def test_second_arm_brings_the_joints_to_rest(rig: Rig) -> None:
    rig.armed()
    rig.references(0.0, 0.5)
    rig.command("stream")
    rig.stream(0.5, 0.0, 0.5)
    rig.command("arm")
    rig.run(0.5)
    stands = rig.robot.angle.copy()
    rig.run(0.5)
    assert rig.core.state is LinkState.ARMED
    np.testing.assert_array_equal(rig.robot.angle, stands)


def test_disarming_ends_torque_and_set_points(rig: Rig) -> None:
    rig.armed()
    rig.command("disarm")
    rig.run(0.2)
    assert rig.core.state is LinkState.IDLE
    assert set(rig.robot.state.values()) == {READY}
    before = len(rig.sent)
    rig.run(0.5)
    assert _set_points_since(rig, before) == 0


@pytest.mark.parametrize("rate", [10.0, 100.0])
def test_stop_is_sent_in_the_same_call_before_anything_else(rate: float) -> None:
    rig = Rig(lab_robot(set_point_rate_hz=rate))
    rig.armed()
    rig.references(0.2)
    rig.command("stream")
    rig.stream(0.5, 0.2)
    before = len(rig.sent)
    rig.core.stop("Stopped by the operator.", rig.now)
    assert [frame.id for _, frame in rig.sent[before:]] == [_stop_id(rig)]
    assert rig.core.state is LinkState.FAULT
    for _ in range(10):
        rig.references(0.5)
        rig.run(0.1)
    assert _set_points_since(rig, before) == 0
    assert rig.core.telemetry(rig.now).reason == "Stopped by the operator."
    assert "The robot reports that it stopped" in rig.events[-1].text


def test_fault_is_left_only_by_reset(rig: Rig) -> None:
    rig.armed()
    rig.core.stop("Stopped by the operator.", rig.now)
    for kind in ("arm", "stream", "idle", "listen", "disarm", "zero", "connect"):
        rig.command(kind)
        rig.run(0.1)
        assert rig.core.state is LinkState.FAULT
    rig.command("reset")
    rig.run(0.3)
    assert rig.core.state is LinkState.IDLE
    assert set(rig.robot.state.values()) == {READY}
    rig.command("arm")
    rig.run(0.3)
    assert rig.core.state is LinkState.ARMED


def test_stop_while_torque_is_off_latches_nothing(rig: Rig) -> None:
    rig.idle()
    rig.core.stop("Stopped by the operator.", rig.now)
    rig.run(0.1)
    assert rig.core.state is LinkState.IDLE
    assert _stop_id(rig) in rig.ids()


def test_stop_is_repeated_until_the_robot_reports_it(rig: Rig) -> None:
    rig.armed()
    rig.robot.deaf = {7}
    rig.core.stop("Stopped by the operator.", rig.now)
    rig.run(1.5)
    assert rig.robot.stops >= 10
    assert any("node 7" in event.text and event.severity == "error" for event in rig.events)
    rig.command("reset")
    assert rig.core.state is LinkState.FAULT  # it is armed still
    rig.robot.deaf = set()
    rig.run(0.3)
    stops = rig.robot.stops
    rig.run(0.5)
    assert rig.robot.stops == stops


def test_host_heartbeat_ends_with_a_stop(rig: Rig) -> None:
    """A robot that did not receive the stop must detect the loss by itself."""
    rig.armed()
    rig.core.stop("Stopped by the operator.", rig.now)
    stopped = rig.now
    rig.run(1.0)
    alive = rig.codec.frames(_message(rig, "HostAlive"))[0].id
    assert not [frame for at, frame in rig.sent if at > stopped and frame.id == alive]


# --------------------------------------------------------------------------------- reasons of stops

_LOSSES: dict[str, tuple[Callable[[Rig], object], str, float]] = {
    "window silent": (
        lambda rig: setattr(rig, "beats", False),
        "gave no sign of life",
        0.28,
    ),
    "window gone": (lambda rig: rig.core.window_ended(rig.now), "has ended", 0.02),
    "node drops out": (lambda rig: rig.robot.silent.add(4), "node 4", 0.25),
    "feedback": (
        lambda rig: rig.robot.mute.add("JointFeedback"),
        "The last feedback of joint 1 yaw",
        0.25,
    ),
    "heartbeats": (
        lambda rig: rig.robot.mute.add("JointHeartbeat"),
        "The last heartbeat of nodes 1",
        0.26,
    ),
    "bus": (
        lambda rig: rig.core.bus(False, "The adapter was unplugged.", rig.now),
        "The adapter was unplugged.",
        0.02,
    ),
    "reset in mid-run": (
        lambda rig: rig.robot.state.update({3: BOOTING}),
        "Node 3 (joint 3 yaw and 1 more",
        0.06,
    ),
    "no longer armed": (
        lambda rig: rig.robot.state.update({3: STOPPED}),
        "is no longer armed and reports Stopped",
        0.06,
    ),
    "fault": (lambda rig: rig.robot.state.update({3: FAULT}), "reports Fault", 0.06),
    "errors": (lambda rig: setattr(rig.robot, "errors", 1), "Overcurrent", 0.06),
    "hot": (
        lambda rig: rig.robot.temperature.__setitem__(5, 90.0),
        "Joint 3 pitch has 90 °C",
        0.52,
    ),
    "current": (
        lambda rig: rig.robot.current.__setitem__(5, 12.0),
        "Joint 3 pitch takes 12.0 A",
        0.15,
    ),
    "angle": (
        lambda rig: rig.robot.angle.__setitem__(5, math.radians(69)),
        "beyond its limits of -60° to 60°",
        0.05,
    ),
}


@pytest.mark.parametrize("name", _LOSSES)
def test_any_loss_stops_the_robot_and_is_reported(name: str, rig: Rig) -> None:
    """Within the profile's time: 0.25 s for the window, 0.2 s for feedback and heartbeat, or one frame."""
    cause, text, within = _LOSSES[name]
    rig.armed()
    rig.robot.frozen = {5}
    cause(rig)
    begin = rig.now
    while rig.core.state is LinkState.ARMED and rig.now < begin + 1.0:
        rig.run(0.005)
    assert rig.core.state is LinkState.FAULT
    assert rig.now - begin <= within
    reason = rig.core.telemetry(rig.now).reason
    assert text in reason
    assert reason.endswith(".")
    if name != "bus":
        assert rig.ids()[-1] == _stop_id(rig)


def test_heartbeat_from_the_future_is_ignored(rig: Rig) -> None:
    rig.armed()
    rig.core.window_beat(rig.now + 1000.0)
    rig.beats = False
    rig.run(0.3)  # the window timeout of 0.25 s, and one poll of the link
    assert rig.core.state is LinkState.FAULT


def test_profile_may_disarm_instead_of_stopping() -> None:
    loaded = lab_robot(set_point_rate_hz=100.0)
    gentle = loaded.profile.on_loss.model_copy(update={"window": "disarm"})
    rig = Rig(
        dataclasses.replace(loaded, profile=loaded.profile.model_copy(update={"on_loss": gentle}))
    )
    rig.armed()
    before = len(rig.sent)
    rig.core.window_ended(rig.now)
    assert [frame.id for _, frame in rig.sent[before:]] == [
        0x100 + node for node in rig.robot.nodes
    ]
    rig.run(0.3)
    assert rig.core.state is LinkState.FAULT
    assert set(rig.robot.state.values()) == {READY}
    assert _set_points_since(rig, before) == 0


def test_exhausted_references_stop_the_robot(rig: Rig) -> None:
    rig.armed()
    rig.references(0.1)
    rig.command("stream")
    rig.run(0.24)
    assert rig.core.state is LinkState.STREAMING
    rig.run(0.02)
    assert rig.core.state is LinkState.FAULT
    assert "The last references came 0.25 s ago." in rig.core.telemetry(rig.now).reason


def test_repeated_past_references_do_not_count(rig: Rig) -> None:
    rig.armed()
    rig.references(0.1)
    time = np.array([rig.now, rig.now + 0.05])
    block = ReferenceBlock(time, np.zeros((2, rig.codec.n_axes)), np.zeros((2, rig.codec.n_axes)))
    rig.command("stream")
    for _ in range(40):
        rig.core.reference(block)
        rig.run(0.01)
    assert rig.core.state is LinkState.FAULT


def test_delayed_link_does_not_resume_motion(rig: Rig) -> None:
    """As after SIGSTOP and SIGCONT: time has passed, and all other signs of life may have arrived meanwhile."""
    rig.armed()
    rig.tick(80)
    rig.core.window_beat(rig.now)
    for frame in rig.robot.frames(rig.now):
        rig.core.receive(frame, rig.now)
    before = len(rig.sent)
    rig.core.poll(rig.now)
    assert rig.core.state is LinkState.FAULT
    assert rig.sent[before][1].id == _stop_id(rig)
    assert "held up" in rig.core.telemetry(rig.now).reason


def test_recovered_bus_gets_the_stop_first(rig: Rig) -> None:
    rig.armed()
    rig.core.bus(False, "The adapter was unplugged.", rig.now)
    before = len(rig.sent)
    rig.run(0.5, frames=False)
    assert len(rig.sent) == before
    rig.core.bus(True, "", rig.now)
    assert rig.sent[before][1].id == _stop_id(rig)
    rig.run(0.2)
    assert rig.core.state is LinkState.FAULT
    assert rig.core.telemetry(rig.now).reason == "The adapter was unplugged."


def test_unsendable_frames_stop_the_robot(rig: Rig) -> None:
    def refuse(frame: Frame) -> None:
        raise LinkError("The adapter's queue is full; is anybody else on the bus?")

    rig.armed()
    rig.send = refuse  # type: ignore[method-assign]
    rig.run(0.3)
    assert rig.core.state is LinkState.FAULT
    assert rig.core.telemetry(rig.now).send_errors > 10
    assert rig.kinds().count("bus") <= 3


def test_few_unreadable_frames_are_reported_many_stop(rig: Rig) -> None:
    rig.armed()
    good = rig.robot.codec.encode(_message(rig, "JointFeedback"), 1, {})
    for _ in range(5):
        rig.core.receive(dataclasses.replace(good, data=good.data[:3]), rig.now)
    rig.run(0.05)
    assert rig.core.state is LinkState.ARMED
    assert rig.kinds().count("unreadable") == 1
    rig.core.receive(dataclasses.replace(good, data=good.data[:3]), rig.now)
    rig.run(0.02)
    assert rig.core.state is LinkState.FAULT
    assert rig.core.telemetry(rig.now).unreadable == 6


def test_frozen_sensor_is_detected_but_not_a_yielding_joint(rig: Rig) -> None:
    """Joint 3 yaw does not move although commanded: a fault after 2 s, unless it moves by half a degree."""
    for gives_way in (True, False):
        rig = Rig(lab_robot(set_point_rate_hz=100.0))
        rig.armed()
        rig.robot.frozen = {4}
        rig.references(0.0, 0.25)
        rig.command("stream")
        begin = rig.now
        while rig.now < begin + 2.6:
            rig.stream(0.2, 0.25 * (rig.now - begin), 0.25)
            if gives_way:
                rig.robot.angle[4] = 0.0 if rig.robot.angle[4] else math.radians(0.5)
        assert rig.core.state is (LinkState.STREAMING if gives_way else LinkState.FAULT)
    assert "Joint 3 yaw is commanded to move but does not" in rig.core.telemetry(rig.now).reason


def test_nodes_with_the_same_number_are_detected(rig: Rig) -> None:
    """The second node 2 responds between the first one's frames, at an angle 30° away."""
    rig.armed()
    feedback = _message(rig, "JointFeedback")
    begin = rig.now
    while rig.core.state is LinkState.ARMED and rig.now < begin + 1.0:
        rig.run(0.02)
        frame = rig.robot.codec.encode(
            feedback, 2, {("angle", 2): math.radians(30), ("angle", 3): 0.0}
        )
        rig.core.receive(frame, rig.now)
    assert rig.core.state is LinkState.FAULT
    assert rig.now - begin < 0.2
    assert "Joint 2 yaw has two different answers" in rig.core.telemetry(rig.now).reason


def test_single_wrong_sample_is_not_a_second_node(rig: Rig) -> None:
    rig.armed()
    frame = rig.robot.codec.encode(
        _message(rig, "JointFeedback"), 2, {("angle", 2): math.radians(30)}
    )
    rig.core.receive(frame, rig.now)
    rig.run(0.5)
    assert rig.core.state is LinkState.ARMED


def test_babbling_node_is_named(rig: Rig) -> None:
    rig.idle()
    for _ in range(400):
        rig.run(0.005)
        for _ in range(2):
            rig.core.receive(rig.robot.codec.encode(_message(rig, "JointFeedback"), 5, {}), rig.now)
    assert any("node 5" in event.text and "babbles" in event.text for event in rig.events)
    assert any("node 5" in reason for reason in rig.core.telemetry(rig.now).not_ready)


def test_frames_queued_during_a_delay_are_not_foreign(rig: Rig) -> None:
    """Feedback of one second arrives in the next: at twice the rate, from a single node."""
    rig.idle()
    rig.run(2.0)
    rig.tick(200)  # for a second the computer was suspended, and the frames waited in the socket
    rig.core.poll(rig.now)
    for _ in range(50):
        for node in rig.robot.nodes:
            rig.core.receive(
                rig.robot.codec.encode(_message(rig, "JointFeedback"), node, {}), rig.now
            )
    rig.run(3.0)
    assert not [
        event.text for event in rig.events if "same number" in event.text or "babbles" in event.text
    ]


# ------------------------------------------------------------------------------------------- arming

_NOT_READY: dict[str, tuple[Callable[[Rig], object], str]] = {
    "silent": (lambda rig: rig.robot.silent.update(rig.robot.nodes), "joint 2 yaw and 17 more yet"),
    "one node": (lambda rig: rig.robot.silent.add(3), "No heartbeat of node 3 yet"),
    "booting": (lambda rig: rig.robot.state.update({2: BOOTING}), "Node 2: Still starting"),
    "foreign": (
        lambda rig: rig.robot.state.update({2: ARMED, 3: ARMED}),
        "Nodes 2 and 3: Armed, but not by",
    ),
    "stopped": (lambda rig: rig.robot.state.update({2: STOPPED}), "Node 2: Stopped"),
    "unknown": (
        lambda rig: rig.robot.state.update({2: 9}),
        "Node 2: Status 0x9, which is not defined in the profile. Add",
    ),
    "errors": (lambda rig: setattr(rig.robot, "errors", 8), "Angle sensor. Remove the cause"),
    "outside": (
        lambda rig: rig.robot.angle.__setitem__(4, math.radians(70)),
        "at 70.0°, beyond its limits",
    ),
    "hot": (
        lambda rig: rig.robot.temperature.__setitem__(4, 99.0),
        "Joint 3 yaw exceeds its temperature",
    ),
    "window": (lambda rig: setattr(rig, "beats", False), "no sign of life"),
}


@pytest.mark.parametrize("name", _NOT_READY)
def test_arming_is_refused_with_the_reason(name: str, rig: Rig) -> None:
    cause, text = _NOT_READY[name]
    cause(rig)
    rig.idle()
    assert any(text in reason for reason in rig.core.telemetry(rig.now).not_ready)
    rig.command("arm")
    rig.run(0.3)
    assert rig.core.state is LinkState.IDLE
    refusal = next(event for event in rig.events if event.kind == "refused")
    assert text in refusal.text
    assert _set_points_since(rig, 0) == 0
    assert 0x101 not in rig.ids()


def test_replayed_log_can_be_watched_but_not_armed(rig: Rig) -> None:
    rig.core = LinkCore(rig.codec, send=rig.send, publish=rig.events.append, replay=True)
    rig.armed()
    # as in the log
    rig.robot.state.update(dict.fromkeys(rig.robot.nodes, ARMED))
    rig.run(0.5)
    assert rig.core.state is LinkState.IDLE
    assert rig.core.telemetry(rig.now).not_ready == (
        "A log is being replayed. Connect to the robot itself.",
    )
    assert not [event.text for event in rig.events if "somebody else" in event.text]
    assert rig.sent == []


def test_disobeying_node_ends_arming(rig: Rig) -> None:
    rig.robot.deaf = {6}
    rig.idle()
    rig.command("arm")
    rig.run(1.2)
    assert rig.core.state is LinkState.FAULT
    assert "did not" not in rig.core.telemetry(rig.now).not_ready
    assert "armed" in rig.core.telemetry(rig.now).reason
    assert READY in rig.robot.state.values()
    assert ARMED not in rig.robot.state.values()


def test_joint_moved_during_arming_ends_arming(rig: Rig) -> None:
    rig.robot.deaf = {6}
    rig.idle()
    rig.command("arm")
    rig.robot.angle[10] = math.radians(10.0)
    rig.run(0.1)
    assert rig.core.state is LinkState.FAULT
    assert "Joint 6 yaw moved while the robot was being armed" in rig.core.telemetry(rig.now).reason


def test_streaming_needs_references(rig: Rig) -> None:
    rig.armed()
    rig.command("stream")
    assert rig.core.state is LinkState.ARMED
    assert "no references" in rig.events[-1].text
    rig.core.reference(
        ReferenceBlock(np.array([0.0, 1.0]), np.full((2, 20), math.nan), np.zeros((2, 20)))
    )
    rig.command("stream")
    assert rig.core.state is LinkState.ARMED
    assert any("not all of their numbers are finite" in event.text for event in rig.events)


def test_wiggle_moves_one_axis_and_ends(rig: Rig) -> None:
    rig.armed()
    rig.command("wiggle", axis=4, amplitude_deg=5.0, period_s=1.0, count=2)
    seen = []
    for _ in range(60):
        rig.run(0.05)
        seen.append(rig.robot.angle.copy())
    path = np.degrees(np.array(seen))
    assert 4.0 < path[:, 4].max() <= 5.1
    assert -5.1 <= path[:, 4].min() < -4.0
    np.testing.assert_allclose(np.delete(path, 4, axis=1), 0.0, atol=0.01)
    np.testing.assert_allclose(path[-10:, 4], 0.0, atol=0.01)
    rig.command("wiggle", axis=99)
    assert "axis = 99 must be a number from 0 to 19" in rig.events[-1].text


def test_zeroing_requires_torque_off(rig: Rig) -> None:
    rig.idle()
    rig.command("zero")
    rig.run(0.1)
    zeros = [
        frame for _, frame in rig.sent if frame.id in range(0x101, 0x10B) and frame.data[0] == 3
    ]
    assert len(zeros) == 10
    rig.armed()
    rig.command("zero")
    assert rig.events[-1].kind == "refused"


def test_disconnecting_stops_first(rig: Rig) -> None:
    rig.armed()
    rig.command("disconnect")
    assert rig.ids()[-1] == _stop_id(rig)
    assert rig.core.state is LinkState.DISCONNECTED
    rig.run(0.2)
    assert rig.ids()[-1] == _stop_id(rig)
