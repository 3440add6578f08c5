"""Delay of the stop after unplugging a gamepad, and processor time of the references of a driven gait."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np

from snakestudio.control import registry
from snakestudio.model.scene_file import load_scene
from snakestudio.model.teleop import TeleopCommand
from snakestudio.paths import scenes_dir

Row = tuple[str, object, str, str, bool]

_TIMES = 50
_PERIODS = 500


def _unplugged() -> list[float]:
    """Times from unplugging to the stop command, ms."""
    command = [sys.executable, "-m", "tests.benchmarks.teleop_probe", str(_TIMES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return sorted(1e3 * float(line) for line in done.stdout.split())


def _period() -> float:
    """Processor time of the references of one control period while a stick moves all the time, ms."""
    scene = load_scene(scenes_dir() / "teleoperation.toml")
    controller = registry.create(scene)
    knots = np.arange(scene.steps_per_period + 1) * scene.solver.step_s
    began = time.process_time()
    for period in range(_PERIODS):
        controller.steer(
            TeleopCommand(round(np.sin(0.1 * period), 2), round(np.cos(0.07 * period), 2))
        )  # type: ignore[attr-defined]
        controller.reference(knots + period * scene.control.period_s, None)
    return 1e3 * (time.process_time() - began) / _PERIODS


def run() -> list[Row]:
    """All rows."""
    unplugged = _unplugged()
    period = _period()
    return [
        (
            f"unplugged gamepad to stop: worst of {_TIMES}",
            unplugged[-1],
            "ms",
            "<= 100",
            unplugged[-1] <= 100.0,
        ),
        (
            "the same: median",
            unplugged[len(unplugged) // 2],
            "ms",
            "<= 30",
            unplugged[len(unplugged) // 2] <= 30.0,
        ),
        ("references of a driven control period", period, "ms", "<= 1", period <= 1.0),
    ]
