"""The process of an emulated robot: frames count from their arrival at the bus, not from the time of reading."""

from __future__ import annotations

import time

import numpy as np
import pytest

from snakestudio.link.emulator.process import EmulatorProcess
from snakestudio.link.frame import Frame

from .bench import Bench

STEP_S = 0.1
"""Interval of the lab robot's set-points, s; its nodes wait for 0.25 s."""


class Shelf:
    """Bus at which frames have been waiting for some time."""

    lost = 0

    def __init__(self, frames: list[Frame]) -> None:
        self.frames = frames

    def receive(self, timeout: float) -> list[Frame]:
        taken = self.frames[:7]
        self.frames = self.frames[7:]
        return taken

    def send(self, frame: Frame) -> None: ...

    def close(self) -> None: ...


def survives(shipped, silent: range) -> bool:
    """Return whether torque stays on while the process is suspended for 1 s; no set-points at `silent` times."""
    bench = Bench(shipped("lab_robot"))
    bench.now = time.monotonic() - 4.0
    bench.run(2.0)
    bench.sequence("arm")
    straight = np.zeros(bench.codec.n_axes)
    bench.run(max(0.0, time.monotonic() - 1.0 - bench.now), straight, STEP_S)
    assert not bench.robot.safe
    frames = [
        Frame(frame.id, frame.data, frame.extended, time=bench.now + count * STEP_S)
        for count in range(round((time.monotonic() - bench.now) / STEP_S))
        if count not in silent
        for frame in bench.codec.set_points(straight)
    ]
    rounds = iter([False, True])
    EmulatorProcess(bench.robot, Shelf(frames), ends=lambda: next(rounds)).run()
    return not bench.robot.safe


@pytest.mark.parametrize(
    ("silent", "stays"),
    [
        pytest.param(range(0), True, id="every set-point came in time"),
        pytest.param(range(3, 7), False, id="the host was silent for 0.5 s, and came again"),
    ],
)
def test_frames_count_from_when_they_came(shipped, silent: range, stays: bool) -> None:
    assert survives(shipped, silent) is stays
