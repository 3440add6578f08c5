"""The vector environment compared with as many single environments, which Python steps in sequence."""

from __future__ import annotations

import statistics
import time
from typing import Any

import gymnasium
import numpy as np

from snakestudio.gym import TASKS

Row = tuple[str, object, str, str, bool]

WORLDS = 64
STEPS = 4
ROUNDS = 5


def compared(task: str, bar: float, values: dict[str, Any]) -> list[Row]:
    """Compare a task, in turns: one vector environment, single environments."""
    envs = gymnasium.make_vec(task, WORLDS, values=values)
    singles = [gymnasium.make(task, values=values).unwrapped for _ in range(WORLDS)]
    envs.reset(seed=0)
    for seed, single in enumerate(singles):
        single.reset(seed=seed)
    envs.action_space.seed(0)
    batched: list[float] = []
    apart: list[float] = []
    processors: list[float] = []
    for _ in range(ROUNDS):
        actions = [np.asarray(envs.action_space.sample()) for _ in range(STEPS)]
        begin = time.perf_counter()
        used = time.process_time()
        for action in actions:
            envs.step(action)
        middle = time.perf_counter()
        processors.append((time.process_time() - used) / (middle - begin))
        for action in actions:
            for single, own in zip(singles, action, strict=True):
                single.step(own)
        batched.append(middle - begin)
        apart.append(time.perf_counter() - middle)
    envs.close()
    faster = statistics.median(b / a for a, b in zip(batched, apart, strict=True))
    name = task.partition("/")[2]
    rates = (WORLDS * STEPS / statistics.median(times) for times in (batched, apart))
    return [
        (f"{name}: 64 worlds in one environment", next(rates), "steps/s", "", True),
        (
            f"{name}: available processors",
            statistics.median(processors),
            "",
            "2 if they were free",
            True,
        ),
        (f"{name}: 64 single environments", next(rates), "steps/s", "", True),
        (f"{name}: one environment faster", faster, "x", f">= {bar:g}", faster >= bar),
    ]


def run() -> list[Row]:
    """All rows; the training of the tutorial is last."""
    sidewinding, _, path, _ = TASKS
    return [*compared(sidewinding, 1.5, {}), *compared(path, 3.0, {"solver.step_s": 0.005})]
