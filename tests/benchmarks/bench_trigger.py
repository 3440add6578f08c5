"""Delay of the simulation after another program's START, and uncertainty of the other clock."""

from __future__ import annotations

import threading
import time
from statistics import median

from snakestudio.engines import registry
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.session import Session
from snakestudio.session.status import Event, StatusChanged
from snakestudio.sync import StartSettings, SynchronizedStart, TriggerSender
from tests.sync.peer import listening, peer

Row = tuple[str, object, str, str, bool]

_TIMES = 20


def _latencies() -> list[float]:
    """Times from sending START in another process to the running session, ms."""
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    registry.warm_up(scene.model.kind, lambda fraction, doing: None)
    runs = threading.Event()
    at = [0.0]

    def watch(event: Event) -> None:
        if isinstance(event, StatusChanged) and event.status.state == "running":
            at[0] = time.time()
            runs.set()

    session = Session(watch)
    latencies: list[float] = []
    try:
        session.open(scene, scenes_dir())
        session.settle()
        for _ in range(_TIMES):
            runs.clear()
            with SynchronizedStart(
                StartSettings(wait="port", wait_port=0), "", session.play
            ) as start:
                start.prepare()
                with peer("fire", start.port, "START") as other:
                    start.wait()
                    start.start_run()
                    runs.wait(10)
                    latencies.append(1000 * (at[0] - other.result()["sent"]))
            session.reset()
            session.settle()
    finally:
        session.close()
    return latencies


def _uncertainty() -> float:
    """Half of the shortest round trip to a peer in another process, ms."""
    with listening("polite") as (_, port), TriggerSender("127.0.0.1", port) as sender:
        clock = sender.compare_clocks()
    return 1000 * clock.uncertainty if clock is not None else float("inf")


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    latencies = _latencies()
    middle = median(latencies)
    worst = max(latencies)
    clock = _uncertainty()
    return [
        (
            "START of another process to running: median",
            middle,
            "ms",
            "<= 5",
            middle <= 5.0,
        ),
        (f"  the worst of {_TIMES}", worst, "ms", "<= 50", worst <= 50.0),
        ("uncertainty of the other clock, same machine", clock, "ms", "<= 1", clock <= 1.0),
    ]
