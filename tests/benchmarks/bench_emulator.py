"""Processor time of the emulated robot: 20 axes at 100 set-points a second, with and without its bus."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import numpy as np

from snakestudio.link.bus.open_bus import CanBus, open_bus
from snakestudio.link.core.codec import Codec
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import LoadedProfile, load_profile
from snakestudio.link.profile.schema import Bus
from tests.machine import processor_time

Row = tuple[str, float, str, str, bool]

_PERIOD_S = 0.01


def run() -> list[Row]:
    """All rows."""
    loaded = load_profile(find_profile("lab_robot"))
    return [*_without_bus(loaded), *_process(loaded)]


def _references(count: int, k: int) -> np.ndarray:
    return 0.4 * np.sin(np.pi * _PERIOD_S * k + 0.5 * np.arange(count))


def _without_bus(loaded: LoadedProfile, seconds: float = 5.0) -> list[Row]:
    robot = EmulatedRobot(loaded)
    codec = Codec(loaded)
    periods = round(seconds / _PERIOD_S)
    frames = [codec.set_points(_references(codec.n_axes, k)) for k in range(periods)]
    for k in range(100):
        robot.poll(_PERIOD_S * k)
    for step in loaded.profile.sequences.arm:
        for frame in codec.step_frames(step):
            robot.receive(frame, 1.0)
    begun = time.process_time()
    for k in range(periods):
        now = 1.0 + _PERIOD_S * k
        for frame in frames[k]:
            robot.receive(frame, now)
        robot.poll(now)
    fraction = (time.process_time() - begun) / seconds
    assert not robot.safe
    return [
        (
            "emulated robot at 100 Hz, 20 axes, without its bus",
            100 * fraction,
            "% core",
            "< 10",
            fraction < 0.10,
        )
    ]


def _process(loaded: LoadedProfile, seconds: float = 5.0) -> list[Row]:
    port = 20_000 + os.getpid() % 20_000
    command = [
        sys.executable,
        "-m",
        "snakestudio",
        "emulate",
        "lab_robot",
        "--port",
        str(port),
        "--until-eof",
    ]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    bus = open_bus(Bus(interface="udp_multicast", channel="239.74.163.2", options={"port": port}))
    ended = threading.Event()
    reader = threading.Thread(target=_read, args=(bus, ended))
    reader.start()
    codec = Codec(loaded)
    time.sleep(1.0)
    for step in loaded.profile.sequences.arm:
        for frame in codec.step_frames(step):
            bus.send(frame)
    before = processor_time(process.pid)
    begun = time.monotonic()
    for k in range(round(seconds / _PERIOD_S)):
        for frame in codec.set_points(_references(codec.n_axes, k)):
            bus.send(frame)
        time.sleep(max(0.0, begun + _PERIOD_S * (k + 1) - time.monotonic()))
    fraction = (processor_time(process.pid) - before) / (time.monotonic() - begun)
    ended.set()
    reader.join()
    bus.close()
    process.communicate()
    return [
        (
            "its process at 100 Hz, over udp_multicast",
            100 * fraction,
            "% core",
            "< 20",
            fraction < 0.20,
        )
    ]


def _read(bus: CanBus, ended: threading.Event) -> None:
    while not ended.is_set():
        bus.receive(0.1)
