"""Processor time of the link's core: 20 axes at 100 Hz, with all status frames of the robot."""

from __future__ import annotations

import gc
import time

from snakestudio.link.messages import LinkState
from tests.link.little_robot import Rig, lab_robot

Row = tuple[str, object, str, str, bool]

_DURATION_S = 20.0


def run() -> list[Row]:
    """All rows, with garbage collection as in the link's process."""
    gc.collect()
    gc.disable()
    try:
        return _run()
    finally:
        gc.enable()


def _run() -> list[Row]:
    """Processor time of the core itself, without that of the emulated robot."""
    rig = Rig(lab_robot(set_point_rate_hz=100.0))
    rig.armed()
    rig.references(0.0)
    rig.command("stream")
    core = rig.core
    spent = slowest = slowest_stop = 0.0
    begin = rig.now
    send = rig.send
    waiting = []
    rig.send = waiting.append  # type: ignore[method-assign] # the robot gets them outside of what is timed
    while rig.now < begin + _DURATION_S:
        rig.tick()
        frames = rig.robot.frames(rig.now)
        core.window_beat(rig.now)
        rig.references(0.3)
        started = time.thread_time()
        for frame in frames:
            core.receive(frame, rig.now)
        core.poll(rig.now)
        core.telemetry(rig.now)
        took = time.thread_time() - started
        spent = spent + took
        slowest = max(slowest, took)
        for frame in waiting:
            send(frame)
        waiting.clear()
    streaming = core.state is LinkState.STREAMING
    for _ in range(100):
        started = time.thread_time()
        core.stop("Stopped by the operator.", rig.now)
        slowest_stop = max(slowest_stop, time.thread_time() - started)
    fraction = 100 * spent / _DURATION_S
    return [
        (
            "20 axes at 100 Hz, all frames, telemetry at 200 Hz",
            fraction,
            "% core",
            "< 25",
            fraction < 25 and streaming,
        ),
        ("longest cycle of the loop", 1000 * slowest, "ms", "< 6", slowest < 0.006),
        (
            "from stop to its frame, longest of 100",
            1000 * slowest_stop,
            "ms",
            "< 2",
            slowest_stop < 0.002,
        ),
    ]
