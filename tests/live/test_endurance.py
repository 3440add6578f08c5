"""A day's work in twenty minutes: streaming without a pause, then one connection after the other; nothing grows.

`SNAKESTUDIO_ENDURANCE_S` is the time all of it takes (1200 s).
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from snakestudio.link.client import LinkClient
from snakestudio.link.messages import LinkState
from snakestudio.link.priority import raise_below_link
from snakestudio.link.profile.loading import load_profile
from snakestudio.live.robot import LiveRobot
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.run_file import open_run
from snakestudio.session.runner import Runner
from tests.link.rig import Emulator, small_robot, wait

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="/proc tells what processes hold")

_SCENE = load_scene(scenes_dir() / "sidewinding.toml")
_GROWTH_MB = 16.0
_STREAMING = 0.75
"""Of the time; the rest goes to connections."""
_CONNECTIONS_AT_LEAST = 3


def _resident(process: int | str = "self") -> float:
    """Memory, MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _held(process: int | str = "self") -> tuple[int, int]:
    """Threads, and open files with sockets and pipes among them."""
    base = Path(f"/proc/{process}")
    return len(list((base / "task").iterdir())), len(list((base / "fd").iterdir()))


class _Drive:
    """A link and a live robot as a window has them, with a window's signs of life."""

    def __init__(self, profile: Path, run_file: Path | None) -> None:
        self.link = LinkClient(load_profile(profile))
        self.robot = LiveRobot(self.link, _SCENE, new_run=lambda scene: run_file, twin=True)
        self._over = threading.Event()
        self._beats = threading.Thread(target=self._beat, name="beats")
        self._beats.start()

    @property
    def process(self) -> int:
        running = self.link._link
        assert running is not None
        return running._process.pid

    def _beat(self) -> None:
        while not self._over.wait(0.02):
            self.link.beat()
            self.link.events()
            self.link.traffic()

    def reaches(self, state: LinkState) -> None:
        wait(lambda: self.link.telemetry().state is state, f"the link gets to {state}", 20.0, self.link.telemetry)

    def to_streaming(self) -> None:
        self.link.command("connect")
        self.reaches(LinkState.LISTENING)
        self.link.command("idle")
        self.reaches(LinkState.IDLE)
        wait(lambda: not self.robot.not_ready, "the robot is ready", 20.0, lambda: self.robot.not_ready)
        self.robot.arm()
        self.reaches(LinkState.ARMED)
        self.robot.stream()
        self.reaches(LinkState.STREAMING)

    def close(self) -> None:
        self.robot.close()
        self._over.set()
        self._beats.join()
        self.link.close()


def _endure(seconds: float, folder: Path) -> None:
    profile = small_robot(folder, joints=10)
    bus = load_profile(profile).profile.bus
    run_file = folder / "long.mcap"
    with Emulator(profile, bus, folder) as emulator:
        wait(lambda: emulator.time_of("ready", 0.0) is not None, "the robot boots", 60.0)
        drive = _Drive(profile, run_file)
        try:
            drive.to_streaming()
            processes: list[int | str] = ["self", drive.process, emulator.process]
            begin, streaming = time.monotonic(), _STREAMING * seconds
            time.sleep(0.2 * streaming)  # until buffers are full
            before = [(_resident(each), _held(each)) for each in processes]
            while time.monotonic() - begin < streaming:
                time.sleep(1.0)
                assert drive.link.telemetry().state is LinkState.STREAMING, drive.link.telemetry().reason
            after = [(_resident(each), _held(each)) for each in processes]
            sent = drive.link.telemetry().sent
            drive.robot.disarm()
            drive.reaches(LinkState.IDLE)
        finally:
            drive.close()
        for name, (memory, held), (later, holds) in zip(("window", "link", "robot"), before, after, strict=True):
            print(f"{name}: {memory:.1f} MB, then {later:.1f} MB; threads and files {held}, then {holds}")
            assert later - memory < _GROWTH_MB, name
            assert holds == held, name
        frames = 10 * 100.0 * streaming  # of ten nodes, a hundred times a second
        assert sent > 0.98 * frames
        with open_run(run_file) as run:
            assert run.times[-1] > 0.98 * streaming
        _connect_again_and_again(profile, emulator, begin + seconds)


def _connect_again_and_again(profile: Path, emulator: Emulator, end: float) -> None:
    found: list[tuple[float, tuple[int, int], tuple[int, int]]] = []
    while time.monotonic() < end or len(found) < _CONNECTIONS_AT_LEAST:
        drive = _Drive(profile, None)
        try:
            drive.to_streaming()
            time.sleep(1.0)
            drive.robot.disarm()
            drive.reaches(LinkState.IDLE)
        finally:
            drive.close()
        found.append((_resident(), _held(), _held(emulator.process)))
    print(f"{len(found)} connections: {found[0]}, then {found[-1]}")
    assert found[-1][0] - found[0][0] < _GROWTH_MB
    assert found[-1][1:] == found[0][1:]


@pytest.mark.soak
def test_nothing_grows_in_twenty_minutes(tmp_path: Path) -> None:
    Runner(_SCENE).advance(1)  # what is loaded while the robot is armed would keep signs of life back
    before = os.getpriority(os.PRIO_PROCESS, 0)
    raise_below_link(computes=True)  # as everything does that drives a robot
    try:
        _endure(float(os.environ.get("SNAKESTUDIO_ENDURANCE_S", "1200")), tmp_path)
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, before)
