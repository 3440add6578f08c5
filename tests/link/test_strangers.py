"""Another program on the robot's bus, detected by frames that only one program may send, with torque off and on."""

from __future__ import annotations

import functools

import can
import numpy as np
import pytest

from snakestudio.errors import LinkError
from snakestudio.link.bus import open_bus as module
from snakestudio.link.core.codec import Codec
from snakestudio.link.core.foreign_master import ForeignMaster
from snakestudio.link.frame import Frame
from snakestudio.link.messages import LinkState
from snakestudio.link.profile.library import find_profile, shipped
from snakestudio.link.profile.loading import load_profile
from snakestudio.link.profile.schema import Bus

from .little_robot import Rig, lab_robot

_SET_POINT = 0x201
_ARM = 0x101
_STOP = 0x001
_HEARTBEAT = 0x010
"""Ids of lab_robot.dbc: JointSetPoint and JointCommand of node 1, BroadcastStop, HostAlive."""

_load = functools.cache(load_profile)


@pytest.fixture
def rig() -> Rig:
    return Rig(lab_robot())


def _set_point(rig: Rig) -> Frame:
    return Codec(rig.loaded).set_points(np.zeros(rig.codec.n_axes))[0]


def _reasons(rig: Rig) -> str:
    return " ".join(rig.core.telemetry(rig.now).not_ready)


@pytest.mark.parametrize("name", [path.stem for path in shipped()])
def test_foreign_commands_are_distinguished_from_feedback(name: str) -> None:
    codec = Codec(_load(find_profile(name)))
    messages = codec.profile.messages
    sequences = codec.profile.sequences
    ours = codec.set_points(np.zeros(codec.n_axes))
    ours += [frame for step in sequences.arm + sequences.stop for frame in codec.step_frames(step)]
    ours += [
        frame for each in messages if each.role == "host_heartbeat" for frame in codec.frames(each)
    ]
    for frame in ours:
        foreign_master = ForeignMaster(codec, replay=False)
        assert foreign_master.notice(frame, 5.0), frame
        assert f"id 0x{frame.id:X})" in foreign_master.reason(5.0)
        assert not ForeignMaster(codec, replay=True).notice(frame, 5.0)
    looking = [frame for each in messages if each.role == "request" for frame in codec.frames(each)]
    own_frames = [
        codec.encode(each, node, {})
        for each in messages
        if each.role == "feedback"
        for node in codec.profile.nodes
    ]
    for frame in (
        *looking,
        *own_frames,
        Frame(0x7A5, bytes(8)),
        Frame(ours[0].id, extended=ours[0].extended, remote=True),
    ):
        assert not ForeignMaster(codec, replay=False).notice(frame, 5.0), frame


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (
            Frame(_SET_POINT, bytes(8)),
            "Another program sends set-points (JointSetPoint, id 0x201)",
        ),
        (Frame(_ARM, bytes([1])), "Another program sends commands (JointCommand, id 0x101)"),
        (Frame(_STOP, b""), "Another program sends commands (BroadcastStop, id 0x1)"),
        (
            Frame(_HEARTBEAT, bytes(8)),
            "Another program sends heartbeats of the host (HostAlive, id 0x10)",
        ),
        (
            Frame(_SET_POINT, b"\1"),
            "Another program sends set-points",
        ),  # too short to be read, but detected
    ],
)
def test_second_master_prevents_arming(frame: Frame, text: str, rig: Rig) -> None:
    rig.idle()
    rig.core.receive(frame, rig.now)
    rig.run(0.9)
    assert text in _reasons(rig)
    assert [event.text for event in rig.events if event.text.startswith(text)]
    assert not rig.core.telemetry(rig.now).unknown
    rig.command("arm")
    rig.run(0.05)
    assert rig.core.state is LinkState.IDLE
    rig.run(0.1)  # it has been silent for more than a second
    assert _reasons(rig) == ""
    rig.command("arm")
    rig.run(0.3)
    assert rig.core.state is LinkState.ARMED


def test_listening_link_reports_another_master(rig: Rig) -> None:
    rig.core.bus(True, "", rig.now)
    rig.core.receive(_set_point(rig), rig.now)
    rig.run(0.1)
    assert "Another program sends set-points" in _reasons(rig)
    assert not rig.sent


def test_foreign_set_points_are_reported_among_other_frames(rig: Rig) -> None:
    rig.idle()
    for frame in (Frame(_HEARTBEAT, bytes(8)), _set_point(rig), Frame(_HEARTBEAT, bytes(8))):
        rig.core.receive(frame, rig.now)
    assert "sends set-points" in _reasons(rig)


@pytest.mark.parametrize("streaming", [False, True])
def test_second_master_stops_the_robot_in_the_same_call(streaming: bool, rig: Rig) -> None:
    rig.armed()
    if streaming:
        rig.references(0.1)
        rig.command("stream")
        rig.stream(0.2, 0.1)
    assert rig.core.state is (LinkState.STREAMING if streaming else LinkState.ARMED)
    rig.sent.clear()
    rig.core.receive(_set_point(rig), rig.now)
    assert rig.core.state is LinkState.FAULT
    assert rig.ids()[0] == _STOP
    assert rig.core.telemetry(rig.now).reason.startswith(
        "Another program sends set-points (JointSetPoint, id 0x201)"
    )
    rig.run(0.3)
    assert rig.core.state is LinkState.FAULT


def test_second_master_ends_arming(rig: Rig) -> None:
    rig.robot.deaf = set(rig.robot.nodes)
    rig.idle()
    rig.command("arm")
    rig.run(0.05)
    rig.core.receive(Frame(_ARM, bytes([1])), rig.now)
    assert rig.core.state is LinkState.FAULT


def test_simultaneous_arming_of_two_programs_fails_in_both(rig: Rig) -> None:
    """Two links, each of which receives the frames of the other a moment later."""
    rigs = (rig, Rig(rig.loaded))
    for each in rigs:
        each.idle()
        each.sent.clear()
        each.command("arm")
    for _ in range(4):
        frames_of = [[frame for _, frame in each.sent] for each in rigs]
        for each, frames in zip(rigs, reversed(frames_of), strict=True):
            each.sent.clear()
            for frame in frames:
                each.core.receive(frame, each.now)
            each.run(0.02)
    assert [each.core.state for each in rigs] == [LinkState.FAULT] * 2


class _Echo:
    """Adapter that returns our sent frames, as gs_usb and `receive_own_messages` do."""

    def __init__(self) -> None:
        self.waiting = [
            can.Message(arbitration_id=_SET_POINT, is_rx=False),
            can.Message(arbitration_id=0x181),
        ]

    def recv(self, timeout: float) -> can.Message | None:
        return self.waiting.pop(0) if self.waiting else None


def test_echo_of_the_adapter_is_not_foreign() -> None:
    adapter = module._Adapter(Bus(interface="gs_usb", channel="0"), _Echo())
    received = adapter.receive(0.1)
    assert received is not None
    assert received[0].id == 0x181
    assert adapter.receive(0.0) is None


def test_socketcan_receives_another_local_program() -> None:
    """The kernel marks frames of this computer, which python-can reports as `is_rx`; our own do not arrive."""
    adapter = module._Adapter(Bus(interface="socketcan", channel="can0"), _Echo())
    received = adapter.receive(0.1)
    assert received is not None
    assert received[0].id == _SET_POINT
    with pytest.raises(LinkError, match="receive_own_messages"):
        module.open_bus(
            Bus(interface="socketcan", channel="can0", options={"receive_own_messages": True})
        )
