"""The live source while other threads keep the interpreter busy: do references reach far enough ahead?"""

from __future__ import annotations

import threading
import time

import numpy as np

from snakestudio.live.live_robot import LEAD_S, LiveRobot
from snakestudio.model.scene_file import load_scene
from tests.live.fake_link import FakeLink, profile

Figure = tuple[str, float, str, str, bool]

_SECONDS = 10.0


def run() -> list[Figure]:
    """Drive eleven links and twenty axes for some seconds, idle and next to a thread that never waits."""
    return [*_driven("idle", 0), *_driven("busy thread", 1)]


def _driven(what: str, threads: int) -> list[Figure]:
    link = FakeLink(profile(rate_hz=100.0), time.monotonic)
    sent: list[tuple[float, float, float]] = []
    keep = link.send

    def send(block: object) -> None:
        now = time.monotonic()
        sent.append((now, float(block.time[0]), float(block.time[-1])))  # type: ignore[attr-defined]
        keep(block)  # type: ignore[arg-type]
        del link.blocks[:-50]

    link.send = send  # type: ignore[method-assign]
    robot = LiveRobot(link, load_scene("scenes/sidewinding.toml"), twin=False)
    over = threading.Event()
    busy = [threading.Thread(target=_spin, args=(over,), daemon=True) for _ in range(threads)]
    try:
        time.sleep(0.3)
        robot.arm()
        robot.settle()
        robot.stream()
        time.sleep(LEAD_S + 0.1)
        for thread in busy:
            thread.start()
        begun = len(sent)
        started = time.process_time()
        time.sleep(_SECONDS)
        used = (time.process_time() - started) / _SECONDS
        over.set()
        times = np.array(sent[begun:])
        # of the previous block when the next one arrived
        left = float((times[:-1, 2] - times[1:, 0]).min())
        gap = float(np.diff(times[:, 0]).max())
        figures: list[Figure] = [
            (
                f"{what}: least remaining references",
                1e3 * left,
                "ms",
                "> 50",
                left > 0.05,
            ),
            (f"{what}: longest time between two blocks", 1e3 * gap, "ms", "< 200", gap < 0.2),
        ]
        if not threads:
            figures.append((f"{what}: share of a processor", used, "", "< 0.25", used < 0.25))
        return figures
    finally:
        over.set()
        for thread in busy:
            if thread.ident is not None:
                thread.join()
        robot.close()


def _spin(over: threading.Event) -> None:
    """Never wait: the interpreter interrupts the thread every 5 ms."""
    total = 0
    while not over.is_set():
        total += sum(range(1000))
