"""Processes to test a link with: an emulated robot, a window that can be killed, and a witness on the bus."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import numpy as np

from snakestudio.link.bus.open_bus import open_bus
from snakestudio.link.frame import Frame
from snakestudio.link.messages import MEANINGS, LinkState, ReferenceBlock, Telemetry
from snakestudio.link.process.client import LinkClient
from snakestudio.link.process.shared import LinkMemory
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from snakestudio.link.profile.schema import Bus

STOP_ID = 1
"""BroadcastStop of the lab robot's DBC."""
SET_POINTS = (0x201, 0x202)
_ARMED = MEANINGS.index("armed")
_PATIENCE_S = 20.0
PATIENT_S = 4.0
"""Time without a window after which `patient_robot` is stopped, s."""


def free_multicast() -> Bus:
    """Return a bus that no other test uses: its port is free, and its group depends on the process."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("", 0))
        port = probe.getsockname()[1]
    return Bus(
        interface="udp_multicast",
        channel=f"239.74.163.{3 + os.getpid() % 250}",
        options={"port": port},
    )


def small_robot(folder: Path, rate_hz: float = 100.0, joints: int = 2) -> Path:
    """Write a profile of the lab robot's first joints (two axes and one node each), on a separate bus."""
    lab = load_profile(find_profile("lab_robot"))
    bus = free_multicast()
    assert lab.path is not None
    further = "|".join(str(number) for number in range(joints + 1, 11))
    lines = [
        line
        for line in lab.path.read_text().splitlines()
        if not re.search(rf"node = ({further}),", line)
    ]
    text = "\n".join(lines)
    text = re.sub(r'interface = "\w+"', f'interface = "{bus.interface}"', text)
    text = re.sub(
        r'channel = "\w+"',
        f'channel = "{bus.channel}"\noptions = {{ port = {bus.options["port"]} }}',
        text,
    )
    text = re.sub(r"set_point_rate_hz = [\d.]+", f"set_point_rate_hz = {rate_hz}", text)
    # tests are slower than windows
    text = re.sub(r"window_timeout_s = [\d.]+", "window_timeout_s = 0.2", text)
    path = folder / "small.toml"
    path.write_text(text)
    (folder / lab.profile.dbc).write_text(lab.dbc_text)
    return path


def patient_robot(folder: Path, rate_hz: float = 10.0, window_timeout_s: float = PATIENT_S) -> Path:
    """Write a profile of the lab robot with times that are long enough for a machine that runs everything.

    The link tolerates a delay of 2.5 periods of `rate_hz`. At low rates joints move in jerks, and
    would coast beyond their limits without torque, so they have more friction than the lab's.
    """
    shipped = find_profile("lab_robot")
    text = shipped.read_text(encoding="utf-8")
    for key, seconds in (
        ("stale_s", 1.0),
        ("lost_s", 3.0),
        ("confirm_s", 20.0),
        ("timeout_s", 20.0),
        ("set_point_rate_hz", rate_hz),
        ("window_timeout_s", window_timeout_s),
        ("reference_timeout_s", PATIENT_S),
        ("watchdog_s", 10.0),
    ):
        text, count = re.subn(rf"(?<!\w){key} = [\d.]+", f"{key} = {seconds}", text)
        assert count > 0, key
    text = text.replace("[emulation]", "[emulation]\nfriction_nms_per_rad = 5.0")
    path = folder / "patient.toml"
    path.write_text(text, encoding="utf-8")
    (folder / shipped.with_suffix(".dbc").name).write_bytes(
        shipped.with_suffix(".dbc").read_bytes()
    )
    return path


def wait(
    what: Callable[[], bool],
    why: str,
    patience: float = _PATIENCE_S,
    state: Callable[[], object] = lambda: "",
    pause: float = 0.002,
) -> float:
    """Wait until `what` is true; return the time it took, s.

    `patience` (s) is for busy machines; `pause` (s) lies between two looks, which cost processor
    time.
    """
    begin = time.monotonic()
    while not what():
        if time.monotonic() - begin > patience:
            raise AssertionError(f"not within {patience:g} s: {why} {state()}")
        time.sleep(pause)
    return time.monotonic() - begin


class Emulator:
    """`snakestudio emulate` in a separate process, as a context."""

    def __init__(self, profile: Path, bus: Bus, folder: Path) -> None:
        self._report = folder / "report.jsonl"
        self._position = 0
        self._events: list[dict[str, object]] = []
        self._output = (folder / "emulator.txt").open("wb")
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "snakestudio",
                "emulate",
                str(profile),
                "--channel",
                bus.channel,
                "--port",
                str(bus.options["port"]),
                "--report",
                str(self._report),
                "--until-eof",
            ],
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )
        with contextlib.suppress(OSError, AttributeError):
            # a real robot does not share the computer's processors
            os.setpriority(os.PRIO_PROCESS, self._process.pid, -10)

    @property
    def process(self) -> int:
        """Process id."""
        return self._process.pid

    def events(self) -> list[dict[str, object]]:
        """Reported events; only the new lines of the report are read."""
        with contextlib.suppress(FileNotFoundError), self._report.open("rb") as report:
            report.seek(self._position)
            for line in report:
                if line.endswith(b"\n"):
                    self._position += len(line)
                    self._events.append(json.loads(line))
        return self._events

    def time_of(self, event: str, since: float) -> float | None:
        """Return the time of an event's first report since a time, s on the monotonic clock."""
        times = [float(str(each["time"])) for each in self.events() if each["event"] == event]
        return next((at for at in times if at >= since), None)

    def command(self, line: str) -> None:
        """Type a command."""
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def __enter__(self) -> Emulator:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()


class Witness:
    """Receiver of every frame on a bus with the kernel's time stamps; a context."""

    def __init__(self, bus: Bus) -> None:
        self.frames: list[Frame] = []
        self._bus = open_bus(bus)
        self._ended = False
        self._thread = threading.Thread(target=self._watch, name="witness")
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended:
            received = self._bus.receive(0.05)
            if received is not None:
                self.frames.append(received[0])

    def first(self, number: int, since: float) -> float | None:
        """Return the time of the first frame of an id since a time."""
        return next(
            (
                frame.time
                for frame in list(self.frames)
                if frame.id == number and frame.time >= since
            ),
            None,
        )

    def waited(self, number: int, since: float) -> float:
        """Wait for the first frame of an id since a time, and return its time."""
        wait(lambda: self.first(number, since) is not None, f"a frame {number:X} comes", 5.0)
        return self.first(number, since) or since

    def times(self, number: int, since: float) -> list[float]:
        """Return the times of all frames of an id since a time."""
        return [
            frame.time for frame in list(self.frames) if frame.id == number and frame.time >= since
        ]

    def __enter__(self) -> Witness:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended = True
        self._thread.join()
        self._bus.close()


class Operator:
    """Stand-in for a window: sends signs of life, and references of a slow wave 50 times a second."""

    def __init__(self, client: LinkClient) -> None:
        self.client = client
        self._last = 0.0

    def live(self) -> None:
        """Run the window's loop once."""
        now = time.monotonic()
        self.client.beat()
        if now - self._last > 0.02:
            self._last = now
            knots = now + np.linspace(0.0, 0.2, 5)
            angle = 0.1 * np.sin(knots)[:, None] * np.ones(len(self.client.profile.axes))
            self.client.send(
                ReferenceBlock(knots, angle, 0.1 * np.cos(knots)[:, None] * np.ones_like(angle))
            )

    def until(self, what: Callable[[], bool], why: str, patience: float = _PATIENCE_S) -> float:
        """Run the loop until `what` is true."""

        def alive() -> bool:
            self.live()
            return what()

        return wait(alive, why, patience, lambda: (self.client.telemetry(), self.client.events()))

    def reaches(self, *states: LinkState) -> None:
        """Run the loop until the link is in one of the states."""
        self.until(lambda: self.client.telemetry().state in states, f"the link gets to {states}")

    def stream(self, seconds: float = 0.0) -> None:
        """Bring the link from any state to STREAMING and keep it there; restart after a stop on the way.

        On a busy processor, a test in the role of window or robot may itself be silent for too
        long: then the link stops, as required.
        """
        since = [time.monotonic()]

        def streams() -> bool:
            if not self.streams:
                self._start()
                since[0] = time.monotonic()
            return self.streams and time.monotonic() - since[0] >= seconds

        self.until(streams, "the link streams", _PATIENCE_S + 2.0 * seconds)

    def confirmed(self) -> Telemetry:
        """Return the telemetry once the link streams and every node reports that it is armed.

        After a suspension of the robot, its last report may be old although the link has not
        stopped yet.
        """
        newest = [self.client.telemetry()]

        def both() -> bool:
            if not self.streams:
                self._start()
            newest[0] = self.client.telemetry()
            return newest[0].state is LinkState.STREAMING and newest[0].confirmed

        self.until(both, "the link streams, and the robot says that it is armed")
        return newest[0]

    def _start(self) -> None:
        client = self.client
        if client.telemetry().state is LinkState.DISCONNECTED:
            client.command("connect")
            self.reaches(LinkState.LISTENING)
        if client.telemetry().state is LinkState.LISTENING:
            client.command("idle")
            self.reaches(LinkState.IDLE)
        self.until(
            lambda: bool(np.all(client.telemetry().status >= 0)), "the robot says how it stands"
        )
        self.until(
            lambda: _ARMED not in client.telemetry().meaning, "every node says that it stopped"
        )
        # Stopped by us, or by its own watchdog before this link was connected.
        stopped = {MEANINGS.index("stopped"), MEANINGS.index("fault")} & set(
            client.telemetry().meaning.tolist()
        )
        if client.telemetry().state is LinkState.FAULT or stopped:
            client.command("reset")
            self.reaches(LinkState.IDLE)
        ready = self.reaches_or_stops(lambda: not client.telemetry().not_ready)
        if (
            ready
            and client.command("arm")
            and self.reaches_or_stops(lambda: self._stands(LinkState.ARMED))
        ):
            client.command("stream")
            self.reaches_or_stops(lambda: self.streams)

    @property
    def streams(self) -> bool:
        """Whether the link sends set-points."""
        return self._stands(LinkState.STREAMING)

    def _stands(self, state: LinkState) -> bool:
        return self.client.telemetry().state is state

    def reaches_or_stops(self, what: Callable[[], bool]) -> bool:
        """Run the loop until `what` is true; return False if the link is stopped meanwhile, or time runs out."""
        begin = time.monotonic()
        self.until(
            lambda: what() or self._stands(LinkState.FAULT) or time.monotonic() - begin > 3.0, ""
        )
        return what()


def window_of(memory: LinkMemory, n_axes: int) -> LinkMemory:
    """Return the window's side of a link's shared memory; the caller closes it."""
    descriptor = memory.segment.descriptor
    assert descriptor is not None
    return LinkMemory(n_axes, f"fd:{os.dup(descriptor)}")


def client_of(path: Path, folder: Path | None = None) -> LinkClient:
    """Return a link with the profile's bus."""
    return LinkClient(load_profile(path), log_dir=folder)


def be_a_window(path: Path) -> None:
    """Stream, print the link's process id, and run until killed: the process that tests kill or suspend."""
    operator = Operator(client_of(path))
    operator.stream()
    print(operator.client.pid, flush=True)
    while True:
        operator.live()
        time.sleep(0.005)


if __name__ == "__main__":
    be_a_window(Path(sys.argv[1]))
