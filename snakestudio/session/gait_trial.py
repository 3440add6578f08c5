"""Short simulations that show how far gaits move a robot."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import SnakeStudioError
from snakestudio.model.scene import Scene
from snakestudio.session.runner import Runner

DURATION_S = 6.0
"""Simulated time of a trial, s."""

BUDGET_S = 2.0
"""Time that a trial may take while a user waits in the window, s."""

PATIENT_S = 30.0
"""Time that a trial may take for the command line and scripts, s."""

_ENOUGH_S = 3.0
"""Shortest simulated time from which a distance is estimated, s."""

_PERIOD_S = 0.1
"""Simulated time between two looks at the clock, s."""

_LEAD = 0.25
"""Share of a trial in which the robot moves from its start to the gait."""


class GaitTrial(NamedTuple):
    """Result of a trial."""

    speed: float
    """Mean speed of the middle of the robot over the ground, m/s; 0 if the simulation failed."""

    simulated_s: float
    failed: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the trial was long enough for a speed."""
        return self.failed or self.simulated_s >= _ENOUGH_S


def try_gait(
    scene: Scene,
    base_dir: Path | None = None,
    *,
    budget_s: float = BUDGET_S,
    now: Callable[[], float] = time.monotonic,
    stopped: Callable[[], bool] = lambda: False,
) -> GaitTrial:
    """Simulate the start of a scene for a short time.

    Parameters
    ----------
    budget_s : float
        Time that the trial may take, s.
    now : callable
        Clock, s, that measures it.
    stopped : callable
        Whether to stop early.
    """
    end = now() + budget_s
    run = scene.model_copy(update={"run": scene.run.model_copy(update={"duration_s": DURATION_S})})
    try:
        runner = Runner(run, base_dir)
    except SnakeStudioError:
        return GaitTrial(0.0, 0.0, failed=True)
    middles = [_middle(runner)]
    times = [0.0]
    block = max(1, round(_PERIOD_S / scene.control.period_s)) * scene.steps_per_period
    try:
        while not runner.finished and now() < end and not stopped():
            if not runner.advance(block).ok or runner.error is not None:
                return GaitTrial(0.0, runner.time, failed=True)
            middles.append(_middle(runner))
            times.append(runner.time)
    finally:
        runner.recording.close()
    first = int(np.searchsorted(times, times[-1] - _window(scene, times[-1])))
    taken = times[-1] - times[first]
    distance = float(np.linalg.norm(middles[-1] - middles[first]))
    return GaitTrial(distance / taken if taken > 0.0 else 0.0, times[-1])


def _window(scene: Scene, simulated_s: float) -> float:
    """Time at the end of a trial over which the speed is averaged, s: whole periods of the gait if possible."""
    available = (1.0 - _LEAD) * simulated_s
    waves = scene.waves
    slowest = min((abs(w.omega) for _, w in waves.of_kinds if w.omega and w.amplitude), default=0.0)
    if not slowest:
        return available
    period = 2.0 * math.pi / slowest
    return period * math.floor(available / period) if period <= available else available


def _middle(runner: Runner) -> FloatArray:
    """Mean position of the links over the ground, m."""
    middle: FloatArray = runner.engine.snapshot().link_pose[:, :2].mean(axis=0)
    return middle
