"""Overhead of a step from Python, and time of reading the state."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import snakestudio as ss
from snakestudio.paths import scenes_dir

Row = tuple[str, object, str, str, bool]

_STEPS = 200
_ROUNDS = 60


def _microseconds(call: Callable[[], object]) -> float:
    """Processor time of a call, µs."""
    begin = time.thread_time_ns()
    call()
    return (time.thread_time_ns() - begin) / 1e3


def _each(sim: ss.Simulation, targets: object) -> None:
    for _ in range(_STEPS):
        sim.step(targets)


def _overhead(sim: ss.Simulation) -> float:
    """Time of single steps less that of as many in one call, µs a step; median of rounds in turns."""
    targets = sim.state.joint_angle.copy()
    sim.step(targets, n=2000)  # at rest, where steps take the same time
    rounds = []
    for _ in range(_ROUNDS):
        apart = _microseconds(lambda: _each(sim, targets))
        batched = _microseconds(lambda: sim.step(targets, n=_STEPS))
        rounds.append((apart - batched) / _STEPS)
    return statistics.median(rounds)


def _state(sim: ss.Simulation) -> float:
    """Time to read the whole state after a step, µs; median."""
    targets = sim.state.joint_angle.copy()
    state = sim.state

    def read() -> object:
        return (
            state.link_pose,
            state.link_twist,
            state.joint_angle,
            state.joint_rate,
            state.joint_torque,
            state.energy,
            state.centre_of_mass,
            state.contacts,
        )

    times = []
    for _ in range(5 * _ROUNDS):
        sim.step(targets)
        times.append(_microseconds(read))
    return statistics.median(times)


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    result: list[Row] = []
    for name in ("obstacle_aided", "sidewinding", "path_following", "jam_resolution"):
        with ss.open_simulation(scenes_dir() / f"{name}.toml") as sim:
            overhead = _overhead(sim)
            state = _state(sim)
        result.append((f"{name}: overhead of sim.step", overhead, "µs", "<= 6", overhead <= 6.0))
        result.append((f"{name}: sim.state with contacts", state, "µs", "<= 30", state <= 30.0))
    return result
