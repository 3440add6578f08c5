"""Failures in the link's process: the stop sequence is always sent, followed by a message."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from snakestudio.errors import LinkError
from snakestudio.link.bus.port import BusChange
from snakestudio.link.core.codec import Codec
from snakestudio.link.core.link_core import LinkCore
from snakestudio.link.frame import Frame
from snakestudio.link.messages import BEGINNING, CommandKind, LinkCommand, LinkState
from snakestudio.link.process.last_resort import stop_blindly
from snakestudio.link.process.link_process import LinkProcess
from snakestudio.link.process.pipe import PipeClosed, command_of, read_commands
from snakestudio.link.process.shared import LinkMemory
from snakestudio.link.process.standstill import Standstill
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from tests.link.little_robot import LittleRobot, lab_robot
from tests.link.rig import STOP_ID, window_of

CIA402 = load_profile(find_profile("cia402_csp"))
QUICK_STOP = 0x0002
DISABLE = 0x0000
"""Controlwords of CiA 402-2, 8.4.1: bits 1 and 2 are enable voltage and quick stop (low means
stop)."""


class Wire:
    """Substitute for a bus that stores sent frames with their times."""

    error_frames = send_errors = 0

    def __init__(self) -> None:
        self.sent: list[tuple[float, Frame]] = []
        self.closed = 0.0
        self.after_closing: Callable[[], None] = lambda: None

    def send(self, frame: Frame) -> bool:
        self.sent.append((time.monotonic(), frame))
        return True

    def close(self) -> None:
        self.closed = time.monotonic()
        self.after_closing()


@pytest.fixture
def link() -> Iterator[Callable[[str], tuple[LinkProcess, Wire]]]:
    """Factory of processes of a shipped profile with an open bus (IDLE)."""
    memories: list[LinkMemory] = []

    def make(name: str) -> tuple[LinkProcess, Wire]:
        loaded = load_profile(find_profile(name))
        memory = LinkMemory(len(loaded.profile.axes))
        memories.append(memory)
        wire = Wire()
        patient = Standstill(60.0)  # a suspended machine causes an additional stop
        process = LinkProcess(loaded, memory, "none", port=wire, standstill=patient)
        process.inbox.put(BusChange(True, "open"))
        process.inbox.put(LinkCommand("idle", 1))
        return process, wire

    yield make
    for memory in memories:
        memory.close()


@pytest.mark.parametrize("where", ["poll", "set_points", "telemetry"])
def test_stop_sequence_is_sent_after_any_failure(
    where: str, link: Callable[[str], tuple[LinkProcess, Wire]], monkeypatch: pytest.MonkeyPatch
) -> None:
    process, wire = link("lab_robot")
    codec = Codec(lab_robot())
    real = process.core.poll

    def poll(now: float, clock: Callable[[], float] | None = None) -> float:
        if process.core.state is not LinkState.IDLE:
            return real(now, clock)
        if where == "poll":
            raise ZeroDivisionError("a defect")
        codec.set_points(np.full(codec.n_axes, np.nan))  # rejected by the codec
        return now

    if where == "telemetry":
        monkeypatch.setattr(process.memory, "publish_telemetry", None)
    else:
        monkeypatch.setattr(process.core, "poll", poll)
    with pytest.raises(
        LinkError, match=r"The link failed, and the stop sequence was sent \(\w+: .+\)\."
    ):
        process.run()
    stops = [frame for _, frame in wire.sent if frame.id == STOP_ID]
    # Before the bus is open nothing must be sent; "telemetry" fails at the first poll.
    assert len(stops) == (0 if where == "telemetry" else 3)
    assert wire.closed
    (message,) = [event.text for event in process.memory.events() if event.kind == "process"]
    assert "the stop sequence was sent" in message


def test_last_resort_needs_no_answer_and_no_working_bus() -> None:
    sent = []
    waits = []

    def send(frame: Frame) -> None:
        sent.append(frame)
        raise OSError("gone")

    stop_blindly(Codec(CIA402), send, waits.append)
    controlwords = [int.from_bytes(frame.data[:2], "little") for frame in sent if frame.data]
    nodes = len(CIA402.profile.nodes)
    assert controlwords == 3 * ([QUICK_STOP] * nodes + [DISABLE] * nodes)
    assert waits == 3 * [0.1, 0.1]


def test_disconnecting_waits_for_the_whole_stop_sequence(
    link: Callable[[str], tuple[LinkProcess, Wire]],
) -> None:
    # Quick stop keeps a drive's torque on until its voltage is disabled, 0.1 s later.
    process, wire = link("cia402_csp")
    process.inbox.put(LinkCommand("stop", 2))
    process.inbox.put(LinkCommand("disconnect", 3))
    process.inbox.put(LinkCommand("arm", 4))
    wire.after_closing = lambda: process.inbox.put(PipeClosed())
    process.run()
    ids = {frame.id for frame in Codec(CIA402).step_frames(CIA402.profile.sequences.stop[0])}
    controlwords = [
        (at, int.from_bytes(frame.data[:2], "little")) for at, frame in wire.sent if frame.id in ids
    ]
    assert {controlword for _, controlword in controlwords} == {QUICK_STOP, DISABLE}
    assert max(at for at, controlword in controlwords if controlword == DISABLE) <= wire.closed
    assert process.core.state is LinkState.DISCONNECTED
    window = window_of(process.memory, len(CIA402.profile.axes))
    telemetry = window.telemetry()
    window.close()
    assert telemetry is not None
    assert telemetry.carried_out == 4
    assert any("being disconnected" in event.text for event in process.memory.events())


def test_suspended_machine_counts_as_a_delay() -> None:
    times = iter([100.0, 100.01, 3700.01, 3700.02, 3700.2])
    standing = Standstill(0.15, lambda: next(times))
    assert [standing.measure() for _ in range(4)] == [0.0, 3600.0, 0.0, pytest.approx(0.18)]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"5",
        b"null",
        b"[" * 50_000,
        b'{"kind": "fly", "number": 1}',
        b'{"kind": ["arm"]}',
        b'{"kind": "arm", "number": "x"}',
        b'{"kind": "arm", "values": [1]}',
        b'{"kind": "wiggle", "values": {"a": {}}}',
    ],
)
def test_invalid_commands_are_ignored(line: bytes) -> None:
    assert command_of(line) is None


def test_endless_line_is_bounded_and_hides_no_command() -> None:
    commands: list[LinkCommand | PipeClosed] = []
    reading, writing = os.pipe()
    try:
        with os.fdopen(writing, "wb") as pipe:
            written = [
                b"x" * 60_000,
                b"y" * 60_000,
                b"z\n",
                json.dumps({"kind": "stop", "number": 7}).encode() + b"\n",
            ]
            reader = threading.Thread(target=read_commands, args=(commands.append, reading))
            reader.start()
            for part in written:
                pipe.write(part)
                pipe.flush()
        reader.join(10.0)
    finally:
        os.close(reading)
    assert commands[0] == LinkCommand("stop", 7)
    assert isinstance(commands[1], PipeClosed)
    assert len(commands) == 2


def test_feedback_age_includes_the_time_in_the_queue() -> None:
    """A frame that waited in a queue for a second is not a current sign of life."""
    codec = Codec(lab_robot())
    core = LinkCore(codec, send=lambda frame: None, publish=lambda event: None)
    core.bus(True, "", 10.0)
    for frame in LittleRobot(codec).frames(10.0):
        core.receive(replace(frame, time=10.0), 11.0)
    assert core.telemetry(11.0).angle_time.tolist() == [10.0] * codec.n_axes


def _speaking(link: Callable[[str], tuple[LinkProcess, Wire]]) -> tuple[LinkProcess, Wire]:
    process, wire = link("lab_robot")
    process.core.bus(True, "", 10.0)
    process.core.command(LinkCommand("idle"), 10.0)
    return process, wire


def _stops(wire: Wire) -> int:
    return sum(frame.id == STOP_ID for _, frame in wire.sent)


@pytest.mark.parametrize(
    "values", [{}, {"request": "x"}, {"request": 10**9}, {"request": -1}, {"request": 1.0}]
)
def test_stop_through_the_pipe_works_with_any_number(
    values: dict[str, str | int | float | bool], link: Callable[[str], tuple[LinkProcess, Wire]]
) -> None:
    process, wire = _speaking(link)
    process.handle(LinkCommand("stop", 1, values), 10.1)
    assert _stops(wire) == 1
    # and does not hide one in the shared memory
    process.memory.request_stop("Stopped by the operator.")
    process.poll_memory(10.2)
    assert _stops(wire) == 2


def test_stop_through_both_channels_is_executed_once(
    link: Callable[[str], tuple[LinkProcess, Wire]],
) -> None:
    process, wire = _speaking(link)
    for pipe_first in (False, True):
        before = _stops(wire)
        request = process.memory.request_stop("Stopped by the operator.")
        for through_pipe in (pipe_first, not pipe_first):
            if through_pipe:
                process.handle(LinkCommand("stop", 1, {"request": request}), 10.1)
            else:
                process.poll_memory(10.1)
        assert _stops(wire) == before + 1


@pytest.mark.parametrize("kind", sorted(BEGINNING))
def test_commands_queued_before_a_stop_are_discarded(
    kind: CommandKind,
    link: Callable[[str], tuple[LinkProcess, Wire]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Requested before the stop, while the link was suspended: the stop in the memory is seen first."""
    process, wire = _speaking(link)
    executed: list[str] = []
    monkeypatch.setattr(
        process.core, "_carry_out", lambda command, now: executed.append(command.kind)
    )
    process.handle(LinkCommand(kind, 1, {"stops": 0}), 10.1)
    assert executed == [kind]
    request = process.memory.request_stop("Stopped by the operator.")
    process.handle(LinkCommand(kind, 2, {"stops": 0}), 10.2)
    process.handle(LinkCommand(kind, 3, {}), 10.2)
    process.handle(LinkCommand("stop", 4, {"request": request}), 10.2)
    assert executed == [kind]
    assert _stops(wire) == 1
    process.handle(LinkCommand("disarm", 5, {"stops": 0}), 10.3)
    process.handle(LinkCommand(kind, 6, {"stops": request}), 10.3)
    assert executed == [kind, "disarm", kind]


def test_closing_link_starts_nothing(
    link: Callable[[str], tuple[LinkProcess, Wire]], monkeypatch: pytest.MonkeyPatch
) -> None:
    process, wire = _speaking(link)
    process.handle(LinkCommand("close", 1), 10.1)
    assert _stops(wire) == 1
    executed: list[LinkCommand] = []
    monkeypatch.setattr(process.core, "_carry_out", lambda command, now: executed.append(command))
    for kind in ("connect", "arm", "stream", "wiggle"):
        process.handle(LinkCommand(kind, 2), 10.1)
    assert executed == []
    process.handle(LinkCommand("stop", 3), 10.1)
    assert _stops(wire) == 2


def test_long_messages_do_not_end_the_link(
    link: Callable[[str], tuple[LinkProcess, Wire]],
) -> None:
    """A script with three bytes per character exceeds the shared memory, which must not end the link."""
    process, _ = link("lab_robot")
    telemetry = process.core.telemetry(10.0)
    messages = tuple(f"{number}: {'関節が動きません' * 100}" for number in range(500))
    axes = messages[: len(telemetry.axis_text)]
    process.memory.publish_telemetry(
        replace(telemetry, not_ready=messages, axis_text=axes, reason=messages[0])
    )
    window = window_of(process.memory, len(axes))
    received = window.telemetry()
    window.close()
    assert received is not None
    assert received.not_ready[0] == messages[0][:200]
