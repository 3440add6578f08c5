"""Speed of a run whose controller reads the robot's state every control period: the whole period, on one core."""

from __future__ import annotations

import math
import time

from snakestudio.model.edits import with_values
from snakestudio.model.reference import Reference
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.offline import run_offline
from snakestudio.session.runner import Runner

Row = tuple[str, object, str, str, bool]

_SECONDS = 20.0
"""Simulated time of a run, s."""


def _figures(name: str, values: dict[str, object], sinks: int) -> tuple[float, float]:
    """Simulated seconds per second of processor time, and time of a period without the engine, µs; best of 3 runs."""
    scene = with_values(
        load_scene(scenes_dir() / f"{name}.toml"), {"run.duration_s": _SECONDS, **values}
    )
    run_offline(with_values(scene, {"run.duration_s": 0.1}))
    best = around = math.inf
    for _ in range(3):
        received: list[Reference] = []
        runner = Runner(scene, sinks=(received.append,) * sinks)
        started = time.process_time()
        own = time.thread_time()
        while not runner.finished:
            runner.advance(25 * scene.steps_per_period)
        best = min(best, time.process_time() - started)
        around = min(around, time.thread_time() - own - runner.engine_seconds)
        runner.recording.close()
    return _SECONDS / best, around / (scene.n_steps / scene.steps_per_period) * 1e6


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    result: list[Row] = []
    for what, name, values, bar, sinks in (
        ("path following, spline", "path_following", {}, 80.0, 0),
        ("path following, straight lines", "path_following", {"path.shape": "straight"}, 80.0, 0),
        ("heading control", "path_following", {"controller.kind": "heading"}, 80.0, 0),
        ("leader-follower with jam resolution", "jam_resolution", {}, 40.0, 0),
        ("teleoperation", "teleoperation", {}, 40.0, 0),
        ("gait with two sinks", "lagrangian_undulation", {}, 40.0, 2),
    ):
        factor, around = _figures(name, values, sinks)
        result.append((f"{what}: real-time factor", factor, "x", f">= {bar:g}", factor >= bar))
        result.append(
            (f"{what}: a period without the engine", around, "µs", "<= 40", around <= 40.0)
        )
    return result
