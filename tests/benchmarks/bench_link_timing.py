"""How exactly set-points leave the link while a window renders and a simulation runs, and how soon a stop is out.

A witness in this process sees the frames at the kernel's time of reception; the emulated robot, the link, the window
(drawn in software, on a screen of its own) and the simulation, as fast as it can, have processes of their own.
`SNAKESTUDIO_BENCH_S` is the time each figure is taken over (20 s). What the machine's owner took from it meanwhile
(`steal` of /proc/stat) stands in front: no priority helps against that.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from snakestudio.link.messages import LinkState
from snakestudio.link.priority import WANTED
from snakestudio.link.profile.loading import load_profile
from snakestudio.paths import main_scene
from tests.benchmarks.bench_window import screen
from tests.link.rig import SET_POINTS, STOP_ID, Emulator, Operator, Witness, client_of, small_robot, wait
from tests.machine import stolen, stolen_share

__all__ = ["Timing", "measure", "run"]

Row = tuple[str, object, str, str, bool]

_STOPS = 40
_SETTLE_S = 1.0


@dataclass(frozen=True, slots=True)
class Timing:
    """What was measured.

    Attributes
    ----------
    priority : str
        What the link says that it was granted.
    lateness : float
        99th percentile of the time between a period's deadline and its first frame's arrival, ms.
    gap, shortest : float
        Longest and shortest time between two periods, ms.
    period : float
        Mean, ms.
    stop : float
        99th percentile from calling stop to the stop frame's arrival, ms; the largest if there are few.
    """

    priority: str
    lateness: float
    gap: float
    shortest: float
    period: float
    stop: float


@contextmanager
def load() -> Iterator[None]:
    """A simulation as fast as it can, and a window that plays."""
    program = [sys.executable, "-m", "snakestudio"]
    with screen() as environment:
        processes = [
            subprocess.Popen([*program, *words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for words in (("run", str(main_scene()), "--duration", "100000"), ("--play", str(main_scene())))
        ]
        try:
            time.sleep(15.0)  # until they have started, and the window has all its panels
            yield
        finally:
            for process in processes:
                process.kill()
            for process in processes:
                process.wait()


@contextmanager
def _ahead() -> Iterator[None]:
    """What stands in for the window is not what is measured: it goes before the simulations where that is granted."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -5)
    try:
        yield
    finally:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, before)


def measure(rate_hz: float, seconds: float, priority: str = "real-time", stops: int = _STOPS) -> Timing:
    """One link under load.

    Parameters
    ----------
    rate_hz : float
        Set-points per second.
    seconds : float
        How long to stream.
    priority : str
        What the link shall ask for, see `snakestudio.link.priority.WANTED`.
    stops : int
        How many stops to measure.
    """
    before = os.environ.get(WANTED)
    os.environ[WANTED] = priority
    try:
        with tempfile.TemporaryDirectory() as folder:
            return _measure(Path(folder), rate_hz, seconds, stops)
    finally:
        if before is None:
            del os.environ[WANTED]
        else:
            os.environ[WANTED] = before


def _measure(folder: Path, rate_hz: float, seconds: float, stops: int) -> Timing:
    profile = small_robot(folder, rate_hz)
    bus = load_profile(profile).profile.bus
    with Emulator(profile, bus, folder) as robot, Witness(bus) as witness:
        wait(lambda: robot.time_of("ready", 0.0) is not None, "the robot boots", 60.0)
        client = client_of(profile)
        try:
            operator = Operator(client)
            operator.stream(_SETTLE_S + seconds)
            telemetry = client.telemetry()
            times = np.array(witness.times(SET_POINTS[0], time.monotonic() - seconds))
            latencies = []
            for _ in range(stops):
                operator.stream()
                asked = time.monotonic()
                client.stop()
                operator.reaches(LinkState.FAULT)
                latencies.append(witness.waited(STOP_ID, asked) - asked)
        finally:
            client.close()
    gaps = np.diff(times)
    late = _lateness(times, 1.0 / rate_hz)
    return Timing(
        telemetry.priority, 1000 * float(np.quantile(late, 0.99)), 1000 * float(gaps.max()), 1000 * float(gaps.min()),
        1000 * float(gaps.mean()), 1000 * float(np.quantile(latencies, 0.99)) if latencies else float("nan"),
    )  # fmt: skip


def _lateness(times: np.ndarray, period: float) -> np.ndarray:
    """How late each frame is on the grid of periods that the earliest one of them lies on, s."""
    phase = (times - times[0]) % period
    # Jitter around the first frame's own phase must not wrap to a whole period.
    centred = (phase + 0.5 * period - float(np.median(phase))) % period
    return centred - centred.min()


def run() -> list[Row]:
    """The figures: name, value, unit, bar, whether it is kept."""
    seconds = float(os.environ.get("SNAKESTUDIO_BENCH_S", "20"))
    rows: list[Row] = []
    with load(), _ahead():
        for rate_hz, priority, late_ms, gap_ms in (
            (100.0, "real-time", 1.0, 15.0), (10.0, "real-time", 1.0, 105.0), (100.0, "nice", 6.0, 30.0),
            (100.0, "normal", 6.0, 30.0),
        ):  # fmt: skip
            begin, before = time.monotonic(), stolen()
            try:
                found = measure(rate_hz, seconds, priority)
            except AssertionError:  # it was stopped again and again, as nobody was heard in time
                what = f"{rate_hz:g} Hz, {priority}: never streamed for so long; taken from this machine"
                rows.append((what, 100.0 * stolen_share(begin, before), "%", "", False))
                continue
            share = stolen_share(begin, before)
            period = 1000.0 / rate_hz
            name = f"{rate_hz:g} Hz, {found.priority}"
            rows += [
                (f"{name}: taken from this machine meanwhile", 100.0 * share, "%", "", True),
                (f"{name}: lateness, p99", found.lateness, "ms", f"<= {late_ms:g}", found.lateness <= late_ms),
                ("  longest gap", found.gap, "ms", f"<= {gap_ms:g}", found.gap <= gap_ms),
                # A burst is a period that comes as soon as the one before it.
                ("  shortest gap", found.shortest, "ms", f">= {period / 4:g}", found.shortest >= period / 4),
                ("  mean period", found.period, "ms", f"{period:g} +- 1 %", abs(found.period / period - 1) < 0.01),
                (f"  stop() to the frame on the bus, p99 of {_STOPS}", found.stop, "ms", "<= 20", found.stop <= 20.0),
            ]
    return rows
