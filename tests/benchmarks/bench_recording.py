"""Cost of recording, and opening, scrubbing and memory of an hour of rows."""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from snakestudio.model.edits import with_values
from snakestudio.model.recording import Rows
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.mcap import open_run, read_info
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline
from snakestudio.session.run_log import RunLog
from snakestudio.session.runner import Runner

Row = tuple[str, object, str, str, bool]

HOUR = 360_000
SECONDS = 61.0


class RecordingTimer:
    """Measures the time that recording takes in a run: rows, their events, states to continue from."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._inside = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Measure every run in the context."""
        with (
            patch.object(RunLog, "add", self._timed(RunLog.add)),
            patch.object(RunLog, "flush", self._timed(RunLog.flush)),
            patch.object(Runner, "checkpoint", self._timed(Runner.checkpoint)),
            patch.object(RunRecording, "add_checkpoint", self._timed(RunRecording.add_checkpoint)),
        ):
            yield

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            outermost = not self._inside
            self._inside = True
            started = time.thread_time()
            result = function(*arguments)
            if outermost:
                self.seconds += time.thread_time() - started
                self._inside = False
            return result

        return timed


def cost(name: str, folder: Path) -> tuple[float, float]:
    """Processor time of recording relative to the engine's: in the run's thread, and in the writing thread."""
    scene = load_scene(scenes_dir() / f"{name}.toml")
    scene = with_values(scene, {"run.duration_s": SECONDS, "run.log_rate_hz": 100.0})
    piece = round(0.5 / scene.control.period_s) * scene.steps_per_period
    run_offline(
        with_values(scene, {"run.duration_s": 2.0}), scenes_dir(), path=folder / "first.mcap"
    )
    runner = Runner(scene, scenes_dir(), path=folder / f"{name}.mcap")
    while (
        runner.time < 10.0
    ):  # starting the file takes 30 ms once, which is not part of the cost of a row
        runner.advance(piece)
    timer = RecordingTimer()
    engine = runner.engine_seconds
    before = time.process_time() - time.thread_time()
    with timer.watching():
        while not runner.finished:
            runner.advance(piece)
    runner.recording.close()
    writing = time.process_time() - time.thread_time() - before
    engine = runner.engine_seconds - engine
    return timer.seconds / engine, writing / engine


def an_hour(folder: Path, at_once: int) -> Path:
    """A file with an hour of rows at 100 Hz of eleven links, written some rows at a time."""
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    runner = Runner(scene, scenes_dir())
    runner.advance(scene.n_steps)
    real = runner.recording.rows(1, 401)
    path = folder / f"hour_{at_once}.mcap"
    recording = RunRecording(scene, runner.recording.schema, path, chunk_rows=at_once)
    for start in range(0, HOUR, 400):
        recording.append(moved(real, start))
    recording.close()
    return path


def moved(rows: Rows, start: int) -> Rows:
    """The same rows at later times."""
    return replace(rows, time=(start + np.arange(len(rows))) / 100)


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        for scene in ("obstacle_aided", "sidewinding"):
            appending, writing = (100 * fraction for fraction in cost(scene, folder))
            rows.append(
                (
                    f"recording, {scene}: in the run's thread",
                    appending,
                    "% step",
                    "<= 5",
                    appending <= 5.0,
                )
            )
            both = appending + writing
            rows.append(
                (
                    f"recording, {scene}: with the writing thread",
                    both,
                    "% step",
                    "<= 5",
                    both <= 5.0,
                )
            )
        for at_once, what in ((512, "an hour"), (40, "an hour in real time's blocks")):
            rows += hour(an_hour(folder, at_once), what)
    return rows


def hour(path: Path, what: str) -> list[Row]:
    """Opening and scrubbing of one file, finished and not."""
    chance = np.random.default_rng(0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    run = open_run(path)
    opened = time.perf_counter() - started
    slowest = 0.0
    for index in chance.integers(0, HOUR, 200):
        started = time.perf_counter()
        run.snapshot(int(index))
        slowest = max(slowest, time.perf_counter() - started)
    run.close()
    started = time.perf_counter()
    read_info(path)
    info = time.perf_counter() - started
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 1)
    started = time.perf_counter()
    open_run(path).close()
    walked = time.perf_counter() - started
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return [
        (f"{what}: size", path.stat().st_size / 1e6, "MB", "", True),
        (f"{what}: opens in", opened, "s", "<= 2", opened <= 2.0),
        (f"{what}: opens without its index in", walked, "s", "<= 2", walked <= 2.0),
        (f"{what}: slowest of 200 rows", 1e3 * slowest, "ms", "<= 50", slowest <= 0.05),
        (f"{what}: summary in", 1e3 * info, "ms", "<= 20", info <= 0.02),
        (f"{what}: memory", grown, "MB", "<= 200", grown <= 200.0),
    ]
