"""Model predictive control outside the program: a snake robot finds its way to a goal by sampling steering sequences.

Run it with `python docs/examples/mpc_heading.py`. The method is MPPI (Williams et al., Information
theoretic MPC, IEEE International Conference on Robotics and Automation 2017,
doi:10.1109/ICRA.2017.7989202). The worlds of a batch are the predictor: they try different
sequences, return to the moment before, and take the first part of the best mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import snakestudio as ss
from snakestudio.paths import scenes_dir

Array = NDArray[np.float64]

AMPLITUDE = math.radians(30.0)
OMEGA = math.radians(150.0)
SHIFT = math.radians(40.0)
# rad, rad/s
OFFSET_LIMIT = math.radians(15.0)
OFFSET_RATE = math.radians(30.0)
# seconds with one steering command, and how many are looked ahead
SEGMENT = 1.2
SEGMENTS = 4
CALL = 0.05  # seconds between two set-points
# of the samples (rad), and of the weights (m)
SPREAD = math.radians(6.0)
TEMPERATURE = 0.02


@dataclass
class Result:
    """Path of the centre of mass, (k, 2), m, its distance to the goal at the end, m, and how long it took, s."""

    path: Array
    distance: float
    time: float


def drive(batch: ss.Batch, offset: Array, command: Array, seconds: float) -> Array:
    """Have all worlds (n,) steer to their commands; gives their offsets at the end, rad."""
    joint = np.arange(len(batch.axes))
    dt = batch.scenes[0].solver.step_s
    steps = round(CALL / dt)
    for _ in range(round(seconds / CALL)):
        turn = np.clip((command - offset) / CALL, -OFFSET_RATE, OFFSET_RATE)
        phase = OMEGA * batch.state.time[0] + joint * SHIFT
        targets = AMPLITUDE * np.sin(phase) + offset[:, None]
        rates = AMPLITUDE * OMEGA * np.cos(phase) + turn[:, None]
        batch.step(targets, steps, rates=rates)
        offset = offset + CALL * turn
    return offset


def run(
    goal: tuple[float, float] = (1.2, 0.8), worlds: int = 32, longest: float = 60.0, seed: int = 0
) -> Result:
    """Drive to `goal` (m) until the centre of mass is 5 cm from it, or for `longest` seconds."""
    random = np.random.default_rng(seed)
    target = np.array(goal)
    plan = np.zeros(SEGMENTS)
    offset = np.zeros(worlds)
    with ss.open_batch(scenes_dir() / "lagrangian_undulation.toml", worlds) as batch:
        path = [batch.state.centre_of_mass[0, :2].copy()]
        while np.linalg.norm(path[-1] - target) > 0.05 and batch.state.time[0] < longest:
            samples = np.clip(
                plan + SPREAD * random.standard_normal((worlds, SEGMENTS)),
                -OFFSET_LIMIT,
                OFFSET_LIMIT,
            )
            samples[0] = plan
            here = batch.save()
            tried = offset
            cost = np.zeros(worlds)
            for segment in range(SEGMENTS):
                tried = drive(batch, tried, samples[:, segment], SEGMENT)
                cost += np.linalg.norm(batch.state.centre_of_mass[:, :2] - target, axis=1)
            cost[~batch.state.ok] = np.inf
            weight = np.exp(-(cost - cost.min()) / TEMPERATURE)
            plan = weight @ samples / weight.sum()
            batch.restore(here)
            # all worlds do what the robot does
            offset = drive(batch, offset, np.full(worlds, plan[0]), SEGMENT)
            plan = np.append(plan[1:], plan[-1])
            path.append(batch.state.centre_of_mass[0, :2].copy())
        return Result(
            np.array(path), float(np.linalg.norm(path[-1] - target)), float(batch.state.time[0])
        )


if __name__ == "__main__":
    result = run()
    for x, y in result.path:
        print(f"{x:7.3f} m {y:7.3f} m")
    print(f"{100.0 * result.distance:.1f} cm from the goal after {result.time:.1f} s")
