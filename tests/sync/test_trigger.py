"""Synchronised start over TCP with polite, silent, slow and vanishing peers in other processes, and garbage."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.errors import TriggerError, UsageError
from snakestudio.sync import (
    StartSettings,
    SynchronizedStart,
    TriggerReceiver,
    TriggerSender,
    split_address,
)
from snakestudio.sync.lsl import available
from snakestudio.sync.protocol import LONGEST_LINE, LineBuffer, format_line, parse_trigger
from tests.peers.trigger_peer import OFFSET
from tests.sync.peer import listening, peer

# -------------------------------------------------------------------------------------------- lines


@given(
    st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), max_size=8), st.data()
)
def test_lines_do_not_depend_on_the_packets(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    expected = LineBuffer().feed(stream)[0]
    buffer = LineBuffer()
    received = []
    start = 0
    while start < len(stream):
        stop = start + data.draw(st.integers(1, 7))
        received += buffer.feed(stream[start:stop])[0]
        start = stop
    assert received == expected


def test_endless_line_uses_bounded_memory() -> None:
    buffer = LineBuffer()
    too_long = [buffer.feed(b"x" * 1000)[1] for _ in range(50)]
    assert too_long == [True] + [False] * 49
    assert buffer.feed(b"still the same\nSTART\n") == (["START"], False)


@pytest.mark.parametrize(
    ("line", "name", "sent"),
    [
        ("START", "", None),
        ("START trial_3 12.5", "trial_3", 12.5),
        ("START trial 3 of 5 7", "trial 3 of 5", 7.0),
        ("START 12.5", "", 12.5),
        ("START nan", "nan", None),
        ("STOP a", "a", None),
    ],
)
def test_trigger_has_a_name_and_an_optional_time(line: str, name: str, sent: float | None) -> None:
    trigger = parse_trigger(line, 1.0, "here")
    assert trigger is not None
    assert (trigger.name, trigger.sent) == (name, sent)
    assert parse_trigger("start", 1.0, "here") is None


def test_lines_are_always_short_and_ascii() -> None:
    assert format_line("START", "straße\nSTOP", 1.5) == b"START stra?e STOP 1.500000\n"
    assert len(format_line("START", "x" * 2000)) <= LONGEST_LINE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost",
        "localhost:",
        ":5005",
        "localhost:0",
        "localhost:70000",
        "a:b",
        "a:-1",
        "5005:1",
    ],
)
def test_address_is_parsed_as_host_and_port(text: str) -> None:
    assert split_address("camera-pc:5005") == ("camera-pc", 5005)
    with pytest.raises(UsageError, match="HOST:PORT"):
        split_address(text)


# ------------------------------------------------------------------------------------------ waiting


def test_waiting_receiver_is_started_by_one_line() -> None:
    with TriggerReceiver(0, "127.0.0.1") as receiver:
        with peer("fire", receiver.port, "PING 7", "START trial_3 12.5") as other:
            trigger = receiver.wait(limit=20)
            assert trigger is not None
            assert receiver.wait("STOP", cancelled=lambda: not receiver.peers) is None
            seen = other.result()
        assert (trigger.kind, trigger.name, trigger.sent) == ("START", "trial_3", 12.5)
        assert 0 <= trigger.received - seen["sent"] < 5
        first, pong, ok = seen["answers"]
        assert first == "SNAKESTUDIO-TRIGGER 1"
        assert pong.split()[:2] == ["PONG", "7"]
        assert ok.split()[:2] == ["OK", "START"]
        assert float(ok.split()[2]) == pytest.approx(trigger.received, abs=1e-5)
        assert "trial_3" in trigger.sentence()


def test_garbage_is_answered_and_the_next_trigger_counts() -> None:
    garbage = [
        "GET / HTTP/1.1",
        "\x00\xff\xfe\x80",
        "STARTED?",
        "start",
        "x" * 3000,
        "PONG",
        "CLOCK a b",
        "STOP",
    ]
    with (
        TriggerReceiver(0, "127.0.0.1") as receiver,
        peer(
            "fire", receiver.port, *[line.replace("\x00", "\x01") for line in garbage], "START real"
        ) as other,
    ):
        trigger = receiver.wait(limit=20)
        assert trigger is not None
        assert trigger.name == "real"
        receiver.wait("STOP", cancelled=lambda: not receiver.peers)
        answers = other.result()["answers"]
        remarks = " ".join(receiver.remarks)
        assert len([answer for answer in answers if answer.startswith("ERR")]) >= 7
        assert "'GET / HTTP/1.1'" in remarks
        assert "too long" in remarks
        assert "STOP before" in remarks


def test_slow_peer_is_awaited_and_a_vanished_one_ignored() -> None:
    with TriggerReceiver(0, "127.0.0.1") as receiver:
        with peer("vanish", receiver.port, "STA") as vanished:
            vanished.result()
            with peer("slow", receiver.port, "START slow 3"):
                trigger = receiver.wait(limit=20)
        assert trigger is not None
        assert trigger.name == "slow"
        assert any("was lost" in remark or "disconnected" in remark for remark in receiver.remarks)


def test_first_start_wins_and_the_second_is_refused() -> None:
    with TriggerReceiver(0, "127.0.0.1") as receiver:
        with peer("fire", receiver.port, "START one") as first:
            trigger = receiver.wait(limit=20)
            assert trigger is not None
            with peer("fire", receiver.port, "START two") as second:
                receiver.wait(
                    "STOP", cancelled=lambda: len(receiver.remarks) >= 3 and not receiver.peers
                )
                assert f"ERR already started by {trigger.peer}" in second.result()["answers"]
            first.result()
        assert trigger.name == "one"
        assert any("had started already" in remark for remark in receiver.remarks)


def _until(receiver: TriggerReceiver, what: Callable[[], bool]) -> None:
    """Accept and read until the condition holds."""
    assert receiver.wait("STOP", 20.0, what) is None


def _connected(
    receiver: TriggerReceiver, count: int, source: str = "127.0.0.1"
) -> list[socket.socket]:
    """Connect `count` idle peers one after the other."""
    sockets = []
    for _ in range(count):
        sockets.append(
            socket.create_connection(("127.0.0.1", receiver.port), source_address=(source, 0))
        )
        name = "{}:{}".format(*sockets[-1].getsockname())
        _until(receiver, lambda name=name: name in receiver.peers)  # type: ignore[misc]
    return sockets


def _names(sockets: list[socket.socket]) -> set[str]:
    return {"{}:{}".format(*one.getsockname()) for one in sockets}


def test_longest_idle_peers_are_disconnected_first() -> None:
    with TriggerReceiver(0, "127.0.0.1") as receiver:
        sockets = _connected(receiver, 20)
        assert set(receiver.peers) == _names(sockets[4:])
        assert sum("was disconnected: " in remark for remark in receiver.remarks) == 4
        for one in sockets:
            one.close()


def test_stop_is_received_among_many_idle_connections() -> None:
    stopped: list[str] = []
    with TriggerReceiver(0, "127.0.0.1", stopped=stopped.append) as receiver:
        sockets = _connected(receiver, 16)
        late = socket.create_connection(("127.0.0.1", receiver.port))
        late.sendall(b"STOP\n")
        _until(receiver, lambda: bool(stopped))
        assert set(stopped) == _names([late])
        for one in (*sockets, late):
            one.close()


def test_stop_in_transit_is_read_before_disconnecting() -> None:
    stopped: list[str] = []
    with TriggerReceiver(0, "127.0.0.1", stopped=stopped.append) as receiver:
        sockets = _connected(receiver, 16)
        sockets[0].sendall(b"STOP\n")  # unread when the next peer connects
        more = socket.create_connection(("127.0.0.1", receiver.port))
        receiver.accept()
        assert set(stopped) == _names(sockets[:1])
        for one in (*sockets, more):
            one.close()


def test_active_and_other_hosts_stay_connected_in_a_flood() -> None:
    """An idle button on one host, an active camera on another, and a flood of connections from the camera's host."""
    with TriggerReceiver(0, "127.0.0.1") as receiver:
        (button,) = _connected(receiver, 1, "127.0.0.2")
        (camera,) = _connected(receiver, 1)
        camera.sendall(b"PING 1\n")
        camera.setblocking(False)
        answers = bytearray()

        def answered() -> bool:
            with suppress(BlockingIOError):
                answers.extend(camera.recv(200))
            return b"PONG 1" in answers

        _until(receiver, answered)
        flood = _connected(receiver, 40)
        assert _names([button, camera]) <= set(receiver.peers)
        for one in (button, camera, *flood):
            one.close()


def test_waiting_ends_at_its_limit_or_when_cancelled() -> None:
    with TriggerReceiver(0, "127.0.0.1") as receiver:
        began = time.monotonic()
        with pytest.raises(
            TriggerError, match=rf"No START was received on port {receiver.port} within 0.1 s"
        ):
            receiver.wait(limit=0.1)
        assert receiver.wait(cancelled=lambda: True) is None
        given_up = threading.Event()
        threading.Timer(0.1, given_up.set).start()
        assert receiver.wait(cancelled=given_up.is_set) is None
        assert time.monotonic() - began < 5


def test_unavailable_port_is_reported() -> None:
    with (
        TriggerReceiver(0) as receiver,
        pytest.raises(TriggerError, match=f"Port {receiver.port} is in use"),
    ):
        TriggerReceiver(receiver.port)
    with pytest.raises(TriggerError, match="70000 is not a port"):
        TriggerReceiver(70000)


# ------------------------------------------------------------------------------------------- firing


def test_clock_offset_is_found_within_its_uncertainty() -> None:
    with listening("polite") as (other, port):
        with TriggerSender("127.0.0.1", port) as sender:
            clock = sender.compare_clocks()
            assert clock is not None
            # the times of lines have microseconds
            assert abs(clock.offset - OFFSET) <= clock.uncertainty + 2e-6
            assert clock.uncertainty < 0.05
            fired = sender.acknowledged("START", sender.fire("START", "my run"))
            assert fired.received is not None
            assert fired.received - clock.offset >= fired.sent - clock.uncertainty - 2e-6
            assert "1000" in fired.sentence()
            sender.acknowledged("STOP", sender.fire("STOP"))
        seen = other.result()
    assert [line[0] for line in seen] == ["PING"] * 8 + ["CLOCK", "START", "STOP"]
    assert seen[9][1] == "my_run"
    assert float(seen[8][1]) == pytest.approx(clock.offset, abs=1e-6)


def test_silent_listener_is_triggered_too() -> None:
    with listening("silent") as (other, port):
        with TriggerSender("127.0.0.1", port) as sender:
            assert sender.compare_clocks() is None
            fired = sender.acknowledged("START", sender.fire("START", "x"))
        assert (fired.received, fired.clock) == (None, None)
        assert "not acknowledged" in fired.sentence()
        assert [line[:2] for line in other.result()] == [["START", "x"]]


def test_problems_of_the_peer_are_reported() -> None:
    with TriggerReceiver(0, "127.0.0.1") as receiver:
        port = receiver.port
    with pytest.raises(
        TriggerError, match=f"No program is waiting for a trigger at 127.0.0.1:{port}"
    ):
        TriggerSender("127.0.0.1", port)
    with pytest.raises(
        TriggerError,
        match=r"host of no.such.host.invalid:1 is unknown|cannot be reached|does not respond",
    ):
        TriggerSender("no.such.host.invalid", 1)
    with listening("newer") as (_, port), pytest.raises(TriggerError, match="version 7"):
        TriggerSender("127.0.0.1", port)
    with (
        listening("deaf") as (_, port),
        pytest.raises(TriggerError, match=r"closed the connection|is lost"),
    ):
        TriggerSender("127.0.0.1", port)
    with listening("busy") as (_, port), TriggerSender("127.0.0.1", port) as sender:
        sent = sender.fire("START")
        with pytest.raises(TriggerError, match="refused: the camera is not ready"):
            sender.acknowledged("START", sent)


def test_lost_peer_is_detected_when_firing() -> None:
    with listening("silent") as (other, port), TriggerSender("127.0.0.1", port) as sender:
        other.end()
        with pytest.raises(TriggerError, match=f"127.0.0.1:{port} is lost"):
            sender.fire("START")


# ----------------------------------------------------------------------------------------- together


def test_chain_of_instruments_starts_and_stops_together() -> None:
    began: list[float] = []
    with listening("polite") as (camera, port):
        choices = StartSettings(
            fire=True, host="127.0.0.1", port=port, wait="port", wait_port=0, limit_s=20
        )
        with SynchronizedStart(choices, "trial 4", lambda: began.append(time.time())) as start:
            start.prepare()
            assert f"Waiting for START on port {start.port}" in start.doing
            ended = threading.Event()
            with peer("fire", start.port, "START outside 5.0", "STOP outside 6.0"):
                assert start.wait()
                start.start_run()
                start.accompany(ended.is_set, ended.set, lambda: None)
            assert len(began) == 1
            assert start.trigger is not None
            assert start.started is not None
            assert 0 <= began[0] - start.trigger.received < 1.0
        seen = camera.result()
    assert [line[0] for line in seen][-2:] == ["START", "STOP"]
    assert seen[-1][1] == "trial_4"
    notes = " ".join(start.notes)
    for part in (
        "START was received from",
        "“outside”",
        "START was sent",
        "STOP was received from",
        "STOP was sent to",
        "ahead",
    ):
        assert part in notes


def test_manual_start_needs_no_trigger() -> None:
    began: list[int] = []
    with SynchronizedStart(
        StartSettings(wait="port", wait_port=0), "", lambda: began.append(1)
    ) as start:
        start.prepare()
        start.start_now()
        assert start.wait()
        start.start_run()
    assert began == [1]
    with SynchronizedStart(StartSettings(), "", lambda: began.append(2)) as start:
        start.prepare()
        start.cancel()
        assert not start.wait()
    assert began == [1]


def test_program_does_not_trigger_itself() -> None:
    choices = StartSettings(fire=True, port=5005, wait="port", wait_port=5005)
    with pytest.raises(TriggerError, match=r"5005.*wait.*send START"):
        SynchronizedStart(choices, "", lambda: None).prepare()


def test_run_is_not_started_if_a_peer_is_lost() -> None:
    began: list[int] = []
    with listening("silent") as (other, port):
        start = SynchronizedStart(
            StartSettings(fire=True, host="127.0.0.1", port=port), "", lambda: began.append(1)
        )
        start.prepare()
        other.end()
        with pytest.raises(TriggerError, match="is lost"):
            start.start_run()
        start.close()
    assert began == []


def test_refusal_is_reported_while_the_run_continues() -> None:
    with listening("busy") as (_, port):
        with SynchronizedStart(
            StartSettings(fire=True, host="127.0.0.1", port=port), "", lambda: None
        ) as start:
            start.prepare()
            start.start_run()
        assert "the camera is not ready" in start.trouble
        assert start.trouble in start.notes


@pytest.mark.skipif(available(), reason="pylsl is installed")
def test_missing_pylsl_names_the_installation() -> None:
    sends = SynchronizedStart(StartSettings(outlet=True), "", lambda: None)
    with pytest.raises(TriggerError, match=r"snakestudio\[lsl\]"):
        sends.prepare()
    waits = SynchronizedStart(StartSettings(wait="lsl", wait_stream="cues"), "", lambda: None)
    waits.prepare()
    with pytest.raises(TriggerError, match=r"snakestudio\[lsl\]"):
        waits.wait()
