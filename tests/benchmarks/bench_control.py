"""Speed of a run whose controller reads the robot's state every control period: the whole tick, on one core."""

from __future__ import annotations

import math
import time

from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.offline import run_offline

Row = tuple[str, object, str, str, bool]

_SECONDS = 20.0
"""Simulated time of a run, s."""


def _factor(values: dict[str, object]) -> float:
    """Simulated seconds a second of processor time, the best of three runs."""
    scene = with_values(load_scene(scenes_dir() / "path_following.toml"), {"run.duration_s": _SECONDS, **values})
    run_offline(with_values(scene, {"run.duration_s": 0.1}))
    best = math.inf
    for _ in range(3):
        started = time.process_time()
        run_offline(scene)
        best = min(best, time.process_time() - started)
    return _SECONDS / best


def run() -> list[Row]:
    """The figures: name, value, unit, bar, whether it is kept."""
    result: list[Row] = []
    for what, values in (
        ("path following on a spline", {}),
        ("path following on straight lines", {"path.shape": "straight"}),
        ("heading control", {"controller.kind": "heading"}),
    ):
        factor = _factor(values)
        result.append((f"{what}, n = 10: real-time factor", factor, "x", ">= 10", factor >= 10.0))
    return result
