"""Exports of long runs: an hour at 100 rows a second as CSV, fifteen seconds as video."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.export.csv import write_csv
from snakestudio.export.hdf5 import write_hdf5
from snakestudio.export.video import write_video
from snakestudio.export.video_options import VideoOptions
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Rows
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline
from tests.benchmarks.bench_memory import resident

Row = tuple[str, object, str, str, bool]

HOUR = 3600.0
RATE = 100.0


class Long:
    """A run of an hour: the rows of a short one repeated, with continuing times."""

    changes: tuple[()] = ()
    events: tuple[()] = ()

    def __init__(self, short: RunRecording) -> None:
        self.scene = short.scene
        self.schema = short.schema
        self._rows = short.rows(0, len(short))
        self.times = np.arange(round(HOUR * RATE) + 1) / RATE

    def __len__(self) -> int:
        return len(self.times)

    def chunks(self) -> Iterator[Rows]:
        """Rows in pieces."""
        for start in range(0, len(self), len(self._rows)):
            times: NDArray[np.float64] = self.times[start : start + len(self._rows)]
            yield replace(self._rows.slice(0, len(times)), time=times)


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    short = run_offline(
        with_values(scene, {"run.duration_s": 15.0, "run.log_rate_hz": RATE})
    ).recording
    long = Long(short)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="snakestudio-bench-", dir="/var/tmp") as folder:
        before = resident()
        for name, write in (("CSV", write_csv), ("HDF5", write_hdf5)):
            path = Path(folder, f"hour.{name.lower()}")
            started = time.perf_counter()
            write(path, long)  # type: ignore[operator]
            took = time.perf_counter() - started
            bar = 20.0 if name == "CSV" else 60.0
            rows.append(
                (f"{name} of an hour at 100 Hz, n = 11", took, "s", f"<= {bar:g}", took <= bar)
            )
            rows.append((f"size of that {name}", path.stat().st_size / 1e6, "MB", "", True))
            path.unlink()
        grown = resident() - before
        rows.append(("memory for these exports", grown, "MB", "<= 300", grown <= 300))
        started = time.perf_counter()
        write_video(Path(folder, "a.mp4"), short, VideoOptions())
        took = time.perf_counter() - started
        rows.append(("video of 15 s at 1280 x 720, 30 frames/s", took, "s", "<= 60", took <= 60))
    return rows
