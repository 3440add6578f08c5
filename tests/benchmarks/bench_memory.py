"""Memory of a long run without a window: an hour at 100 rows a second must not make the recording grow.

`bench_window_memory` measures the same with the window, whose plots store the run, too.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.runner import Runner

Row = tuple[str, object, str, str, bool]


def resident() -> float:
    """Resident memory of this process, MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def growth(
    hours: float, folder: Path, memory: Callable[[], float] = resident
) -> tuple[float, float, float]:
    """Growth of a run's memory after its first tenth (MB), disk space (MB), and real-time factor."""
    scene = load_scene(scenes_dir() / "lateral_undulation_isotropic.toml")
    duration = 3600.0 * hours
    path = folder / "hour.mcap"
    runner = Runner(
        with_values(scene, {"run.duration_s": duration, "run.log_rate_hz": 100}), path=path
    )
    started = time.perf_counter()
    early = 0.0
    while not runner.finished:
        report = runner.advance(400 * scene.steps_per_period)
        assert report.ok, report.message
        runner.recording.snapshot(len(runner.recording) // 2)  # as if a user scrubs
        if not early and runner.time > 0.1 * duration:
            early = memory()
    factor = duration / (time.perf_counter() - started)
    runner.recording.close()
    disk = path.stat().st_size / 1e6
    return memory() - early, disk, factor


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    with tempfile.TemporaryDirectory() as folder:
        grown, disk, factor = growth(1.0, Path(folder))
    return [
        ("memory growth over a simulated hour at 100 Hz", grown, "MB", "<= 64", grown <= 64),
        ("disk taken by that hour's recording", disk, "MB", "", True),
        ("real-time factor of that hour", factor, "x", ">= 40", factor >= 40),
    ]
