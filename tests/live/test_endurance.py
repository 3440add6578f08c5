"""A day's work in twenty minutes: continuous streaming, then repeated connections; no resource grows.

`SNAKESTUDIO_ENDURANCE_S` is the time all of it takes (1200 s).
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from snakestudio.link.messages import LinkState
from snakestudio.link.process.client import LinkClient
from snakestudio.link.process.priority import raise_below_link
from snakestudio.link.profile.loading import load_profile
from snakestudio.live.live_robot import LiveRobot
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.mcap import open_run
from snakestudio.session.runner import Runner
from tests.link.rig import Emulator, small_robot, wait

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="/proc tells what processes hold"
)

_SCENE = load_scene(scenes_dir() / "sidewinding.toml")
_GROWTH_MB = 16.0
_STREAMING = 0.75
"""Fraction of the time; the rest is for connections."""
_CONNECTIONS_AT_LEAST = 3
_STOOD_STILL = ("held up for", "suspended for", "no sign of life for", "ago", "not heard")
"""Reasons of stops on a machine that is suspended at times: they are correct, and the test restarts."""


def _resident(process: int | str = "self") -> float:
    """Return the resident memory, MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _held(process: int | str = "self") -> tuple[int, int]:
    """Return the number of threads, and of open files including sockets and pipes."""
    base = Path(f"/proc/{process}")
    return len(list((base / "task").iterdir())), len(list((base / "fd").iterdir()))


class _Drive:
    """A link and a live robot as in a window, with its signs of life."""

    def __init__(self, profile: Path, folder: Path | None) -> None:
        self.link = LinkClient(load_profile(profile))
        self.runs: list[Path] = []
        """Run files, one for each stream."""
        self._folder = folder
        self.robot = LiveRobot(self.link, _SCENE, new_run=self._new_run, twin=True)
        self._over = threading.Event()
        self._requested_at = 0.0
        self._beats = threading.Thread(target=self._beat, name="beats")
        self._beats.start()

    def _new_run(self, scene: Scene) -> Path | None:
        if self._folder is None:
            return None
        self.runs.append(self._folder / f"run_{len(self.runs)}.mcap")
        return self.runs[-1]

    @property
    def process(self) -> int:
        assert self.link.pid is not None
        return self.link.pid

    def _beat(self) -> None:
        while not self._over.wait(0.02):
            self.link.beat()
            self.link.events()
            self.link.traffic()

    def reaches(self, state: LinkState) -> None:
        wait(
            lambda: self.link.telemetry().state is state,
            f"the link gets to {state}",
            20.0,
            self.link.telemetry,
        )

    @property
    def state(self) -> LinkState:
        return self.link.telemetry().state

    def to_streaming(self) -> None:
        """Bring the link from any state to STREAMING, and restart after a stop because of a suspended machine."""
        if self.state is LinkState.DISCONNECTED:
            self.link.command("connect")
            self.reaches(LinkState.LISTENING)
            self.link.command("idle")
            self.reaches(LinkState.IDLE)
        wait(
            self._streams,
            "the link streams",
            300.0,
            lambda: (self.link.telemetry(), self.robot.not_ready),
        )

    def _streams(self) -> bool:
        """Request the next step towards streaming, at most twice a second."""
        state = self.state
        now = time.monotonic()
        if state is not LinkState.STREAMING and now > self._requested_at + 0.5:
            self._requested_at = now
            if state is LinkState.FAULT:
                self.robot.reset()
            elif state is LinkState.ARMED:
                self.robot.stream()
            elif any("Reset it" in reason for reason in self.robot.not_ready):
                self.robot.reset()  # a node that was suspended longer has been stopped by its own watchdog
            elif not self.robot.not_ready:
                self.robot.arm()
        return state is LinkState.STREAMING

    def to_rest(self) -> None:
        """Disarm as the operator does."""
        wait(self._rests, "the robot is disarmed", 60.0, self.link.telemetry)

    def _rests(self) -> bool:
        state = self.state
        now = time.monotonic()
        if state is not LinkState.IDLE and now > self._requested_at + 0.5:
            self._requested_at = now
            (self.robot.reset if state is LinkState.FAULT else self.robot.disarm)()
        return state is LinkState.IDLE

    def close(self) -> None:
        self.robot.close()
        self._over.set()
        self._beats.join()
        self.link.close()


def _length(path: Path) -> float:
    """Return the duration of a run, s; 0 if it was stopped before it began."""
    if not path.exists():
        return 0.0
    with open_run(path) as run:
        return float(run.times[-1]) if len(run) else 0.0


@dataclass
class _Streamed:
    """Totals over the time of streaming."""

    seconds: float = 0.0
    skipped: int = 0
    """Number of periods."""
    stops: int = 0
    """Number of restarts because of a suspended machine."""


def _stream(drive: _Drive, seconds: float, done: _Streamed) -> None:
    """Stream for a total time in spite of interruptions.

    Fails if suspensions of the machine take half of the time.
    """
    begin = last = time.monotonic()
    end = done.seconds + seconds
    streams = False
    counted = drive.link.telemetry().skipped  # since streaming began
    while done.seconds < end:
        time.sleep(0.05)
        telemetry = drive.link.telemetry()
        now = time.monotonic()
        streamed = streams
        streams = telemetry.state is LinkState.STREAMING
        if streams:
            done.seconds += now - last if streamed else 0.0
            done.skipped = done.skipped + telemetry.skipped - counted
            counted = telemetry.skipped
        else:
            print(f"stopped after {done.seconds:.1f} s: {telemetry.reason}", flush=True)
            assert any(text in telemetry.reason for text in _STOOD_STILL), telemetry.reason
            done.stops = done.stops + 1
            counted = 0
            drive.to_streaming()
        last = now
        if now - begin > 2.0 * seconds + 60.0:
            raise AssertionError(f"streamed for {done}")


def _endure(seconds: float, folder: Path) -> None:
    profile = small_robot(folder, joints=10)
    bus = load_profile(profile).profile.bus
    with Emulator(profile, bus, folder) as emulator:
        wait(lambda: emulator.time_of("ready", 0.0) is not None, "the robot boots", 60.0)
        drive = _Drive(profile, folder)
        try:
            drive.to_streaming()
            processes: list[int | str] = ["self", drive.process, emulator.process]
            begin = time.monotonic()
            streaming = _STREAMING * seconds
            done = _Streamed()
            _stream(drive, 0.2 * streaming, done)  # until the buffers are full
            before = [(_resident(each), _held(each)) for each in processes]
            for _ in range(8):
                _stream(drive, 0.1 * streaming, done)
                print(
                    f"after {done.seconds:.0f} s: {', '.join(f'{_resident(each):.1f}' for each in processes)} MB"
                )
            after = [(_resident(each), _held(each)) for each in processes]
            sent = drive.link.telemetry().sent
            wall = time.monotonic() - begin
            drive.to_rest()
        finally:
            drive.close()
        print(f"{sent} frames in {wall:.0f} s: {done}")
        for name, (memory, held), (later, holds) in zip(
            ("window", "link", "robot"), before, after, strict=True
        ):
            print(
                f"{name}: {memory:.1f} MB, then {later:.1f} MB; threads and files {held}, then {holds}"
            )
            assert later - memory < _GROWTH_MB, name
            assert holds == held, name
        # of ten nodes, a hundred times a second
        frames = 10 * (100.0 * done.seconds - done.skipped)
        assert sent > 0.98 * frames
        assert sum(map(_length, drive.runs)) > 0.98 * done.seconds
        _connect_again_and_again(profile, emulator, begin + wall + (1.0 - _STREAMING) * seconds)


def _connect_again_and_again(profile: Path, emulator: Emulator, end: float) -> None:
    samples: list[tuple[float, tuple[int, int], tuple[int, int]]] = []
    while time.monotonic() < end or len(samples) < _CONNECTIONS_AT_LEAST:
        drive = _Drive(profile, None)
        try:
            drive.to_streaming()
            time.sleep(1.0)
            drive.to_rest()
        finally:
            drive.close()
        samples.append((_resident(), _held(), _held(emulator.process)))
    print(f"{len(samples)} connections: {samples[0]}, then {samples[-1]}")
    assert samples[-1][0] - samples[0][0] < _GROWTH_MB
    assert samples[-1][1:] == samples[0][1:]


@pytest.mark.soak
def test_memory_is_constant_for_twenty_minutes(tmp_path: Path) -> None:
    # loading while the robot is armed would delay signs of life
    Runner(_SCENE).advance(1)
    before = os.getpriority(os.PRIO_PROCESS, 0)
    raise_below_link(computes=True)  # as every program that drives a robot does
    try:
        _endure(float(os.environ.get("SNAKESTUDIO_ENDURANCE_S", "1200")), tmp_path)
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, before)
