"""The real window, killed or suspended while its robot streams: the robot is in its safe state within 0.3 s.

Everything as the user has it: the window renders, the twin runs alongside, the link is a process of the window's, and
the robot is emulated by another process that knows nothing of either. What counts is the robot's own
report and the stop frame that a third party sees on the bus. `tests/link/test_link_process.py` does the same, more
often, with a window that has nothing to draw.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from snakestudio.link.profile.schema import Bus
from snakestudio.paths import scenes_dir
from tests.link.rig import SET_POINTS, STOP_ID, Emulator, Witness, free_multicast, wait

pytestmark = [
    pytest.mark.gui,
    pytest.mark.soak,
    pytest.mark.skipif(sys.platform == "win32", reason="processes are suspended by signals"),
]

_SAFE_S = 0.3
"""What the task of the safety page is: all nodes without torque so soon after the window is gone."""

_PERIOD_S = 0.1
"""Of the lab robot's set-points, which come at 10 Hz."""

_SAMPLES = 5


@dataclass(frozen=True)
class Stage:
    """The lab robot in its own process, and a witness on its bus."""

    bus: Bus
    robot: Emulator
    witness: Witness


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder, bus = tmp_path_factory.mktemp("robot"), free_multicast()
    with Emulator(find_profile("lab_robot"), bus, folder) as robot, Witness(bus) as witness:
        wait(lambda: robot.time_of("ready", 0.0) is not None, "the robot boots")
        yield Stage(bus, robot, witness)


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def _lose(stage: Stage, how: signal.Signals, later: float) -> float | None:
    """Kill or suspend a window that streams.

    Parameters
    ----------
    later : float
        How long after it said so, s: anywhere in a period.

    Returns
    -------
    float or None
        Time until no node has torque, s; None if it had stopped streaming by itself a moment before.
    """
    bus = stage.bus
    command = [
        sys.executable, "-m", "tests.gui.robot_probe", str(scenes_dir() / "sidewinding.toml"),
        str(find_profile("lab_robot")), bus.interface, bus.channel, str(bus.options["port"]),
    ]  # fmt: skip
    window = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    assert window.stdout is not None
    link = 0
    try:
        link = int(window.stdout.readline() or 0)
        assert link, "the window did not get to stream"
        time.sleep(later)
        begin = time.monotonic()
        os.kill(window.pid, how)
        if stage.witness.first(SET_POINTS[0], begin - 2.5 * _PERIOD_S) is None:
            return None
        wait(lambda: stage.robot.time_of("safe", begin) is not None, "the robot is safe", 5.0)
        stage.witness.waited(STOP_ID, begin)  # it was the link, and not only the robot's own watchdog
        safe = stage.robot.time_of("safe", begin)
        assert safe is not None
        return safe - begin
    finally:
        window.kill()
        window.wait()
        window.stdout.close()
        if link:
            wait(lambda: _gone(link), "the link ends with its window", 5.0)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "suspended"])
def test_the_robot_is_safe_when_its_window_is_lost(stage: Stage, how: signal.Signals) -> None:
    assert load_profile(find_profile("lab_robot")).profile.timing.set_point_rate_hz == pytest.approx(1 / _PERIOD_S)
    seen: list[float] = []
    for sample in range(2 * _SAMPLES):
        safe = _lose(stage, how, _PERIOD_S * sample / _SAMPLES)
        seen += [] if safe is None else [safe]
        if safe is not None:
            print(f"{how.name}: safe after {1e3 * safe:.0f} ms", flush=True)
        if len(seen) == _SAMPLES:
            break
    assert len(seen) == _SAMPLES, "the window was held up, and its robot stopped, before it was lost"
    assert max(seen) <= _SAFE_S
