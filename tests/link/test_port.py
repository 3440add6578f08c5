"""The open bus: a thread that no receive error ends, and that reopens a failed bus."""

from __future__ import annotations

import errno
import queue
import threading
import time

import pytest

from snakestudio.errors import LinkError
from snakestudio.link.bus.bus_errors import BusSetupError
from snakestudio.link.bus.port import BusChange, Port, ReceivedFrame
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Bus

_BUS = Bus(interface="virtual", channel="scripted")


class ScriptedBus:
    """Bus that follows a list: it returns a frame, or raises."""

    replayed = False

    def __init__(self, script: list[Frame | Exception]) -> None:
        self.script = list(script)
        self.closed = False
        self.refuse: Exception | None = None
        self.left = ""

    def receive(self, timeout: float) -> tuple[Frame, bool] | None:
        if not self.script:
            time.sleep(0.002)
            return None
        item = self.script.pop(0)
        if isinstance(item, Exception):
            raise item
        return item, False

    def send(self, frame: Frame) -> None:
        if self.refuse is not None:
            raise self.refuse

    def off(self) -> str:
        return self.left

    def close(self) -> None:
        self.closed = True


class Opener:
    """Opener that returns the given buses in sequence."""

    def __init__(self, *results: ScriptedBus | LinkError) -> None:
        self.results = list(results)
        self.times: list[float] = []

    def __call__(self, bus: Bus) -> ScriptedBus:
        self.times.append(time.monotonic())
        result = self.results.pop(0) if len(self.results) > 1 else self.results[0]
        if isinstance(result, LinkError):
            raise result
        return result


def _next(inbox: queue.SimpleQueue[ReceivedFrame | BusChange]) -> ReceivedFrame | BusChange:
    return inbox.get(timeout=5.0)


def test_single_receive_errors_are_counted_and_reading_continues() -> None:
    """One error frame or unreadable datagram ended the reader of other programs (python-can #907, #1667)."""
    bus = ScriptedBus(
        [Frame(1), ValueError("garbage"), Frame(2), RuntimeError("again"), Frame(3, error=True)]
    )
    inbox: queue.SimpleQueue[ReceivedFrame | BusChange] = queue.SimpleQueue()
    port = Port(_BUS, inbox.put, Opener(bus))
    try:
        assert _next(inbox) == BusChange(True, "virtual scripted is open.")
        assert [_next(inbox) for _ in range(3)] == [
            ReceivedFrame(Frame(1), False),
            ReceivedFrame(Frame(2), False),
            ReceivedFrame(Frame(3, error=True), False),
        ]
        assert port.error_frames == 3
    finally:
        port.close()
    assert bus.closed


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            [OSError(errno.ENODEV, "No such device")],
            "virtual scripted was removed. Plug the adapter in again.",
        ),
        (
            [ValueError("garbage")] * 60,
            "virtual scripted failed (garbage). Check adapter and cable.",
        ),
    ],
)
def test_failed_bus_is_reopened(script: list[Frame | Exception], message: str) -> None:
    failing = ScriptedBus(script)
    well = ScriptedBus([Frame(7)])
    inbox: queue.SimpleQueue[ReceivedFrame | BusChange] = queue.SimpleQueue()
    port = Port(_BUS, inbox.put, Opener(failing, well))
    try:
        assert _next(inbox) == BusChange(True, "virtual scripted is open.")
        assert _next(inbox) == BusChange(False, message)
        assert failing.closed
        assert _next(inbox) == BusChange(True, "virtual scripted is open.")
        assert _next(inbox) == ReceivedFrame(Frame(7), False)
    finally:
        port.close()


def test_opening_is_retried_with_growing_pauses_and_one_message() -> None:
    opener = Opener(LinkError("It is not plugged in."))
    inbox: queue.SimpleQueue[ReceivedFrame | BusChange] = queue.SimpleQueue()
    port = Port(_BUS, inbox.put, opener)
    try:
        deadline = time.monotonic() + 30.0
        while len(opener.times) < 4 and time.monotonic() < deadline:
            time.sleep(0.01)
        pauses = [
            after - before for before, after in zip(opener.times, opener.times[1:], strict=False)
        ]
        assert all(
            pause >= 0.95 * expected
            for pause, expected in zip(pauses, (0.1, 0.2, 0.4), strict=False)
        )
        change = _next(inbox)
        assert isinstance(change, BusChange)
        assert (change.open, change.text, change.final) == (False, "It is not plugged in.", False)
        assert inbox.empty()
    finally:
        port.close()


def test_permanent_failures_are_not_retried() -> None:
    opener = Opener(BusSetupError("There is no such interface."))
    inbox: queue.SimpleQueue[ReceivedFrame | BusChange] = queue.SimpleQueue()
    port = Port(_BUS, inbox.put, opener)
    change = _next(inbox)
    assert isinstance(change, BusChange)
    assert change.final
    time.sleep(0.3)
    assert len(opener.times) == 1
    port.close()


def test_full_or_off_bus_counts_as_failed() -> None:
    full = ScriptedBus([])
    off = ScriptedBus([])
    full.refuse = OSError(errno.ENOBUFS, "No buffer space")
    inbox: queue.SimpleQueue[ReceivedFrame | BusChange] = queue.SimpleQueue()
    port = Port(_BUS, inbox.put, Opener(full, off, ScriptedBus([])))
    try:
        assert _next(inbox) == BusChange(True, "virtual scripted is open.")
        assert not port.send(Frame(1))
        deadline = time.monotonic() + 2.0
        while inbox.empty() and time.monotonic() < deadline:
            port.send(Frame(1))
            time.sleep(0.01)
        failed = _next(inbox)
        assert isinstance(failed, BusChange)
        assert "scripted" in failed.text
        assert port.send_errors > 5
        assert _next(inbox) == BusChange(True, "virtual scripted is open.")
        assert port.send(Frame(2))
        off.left = "It is bus-off."
        assert _next(inbox) == BusChange(False, "It is bus-off.")
    finally:
        port.close()


def test_hanging_adapter_does_not_block_the_link() -> None:
    released = threading.Event()
    opened = threading.Event()

    def hang(bus: Bus) -> ScriptedBus:
        released.wait(60.0)
        opened.set()
        return ScriptedBus([])

    port = Port(_BUS, lambda item: None, hang)
    assert not port.send(Frame(1))
    assert not opened.is_set()
    released.set()
    port.close()


def test_adapter_opened_too_late_is_closed_quietly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another port may be open by then, and would be confused with the late one."""
    released = threading.Event()
    opened = ScriptedBus([Frame(1)])
    inbox: queue.SimpleQueue[ReceivedFrame | BusChange] = queue.SimpleQueue()

    def hang(bus: Bus) -> ScriptedBus:
        released.wait(5.0)
        return opened

    monkeypatch.setattr("snakestudio.link.bus.port._JOIN_S", 0.01)
    port = Port(_BUS, inbox.put, hang)
    (thread,) = (each for each in threading.enumerate() if each.name == "snakestudio-bus")
    port.close()
    released.set()
    thread.join(5.0)
    assert opened.closed
    assert inbox.empty()
