"""Measures of a run, each a single number: predefined ones by name, or an expression with reductions."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.cost import cost_sign
from snakestudio.analysis.signals.reductions import compile_reduction
from snakestudio.errors import SignalError
from snakestudio.model.columns import column_names, columns_between
from snakestudio.model.direction import forward, heading
from snakestudio.model.recording import Recording
from snakestudio.model.world import STANDARD_GRAVITY
from snakestudio.text import listing

Aim = Literal["maximise", "minimise"]
Over = Literal["mean", "worst", "spread"]
"""Combination of repeats: mean, worst value or standard deviation."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A predefined measure."""

    title: str
    """Name for people."""

    help: str
    """Explanation for people, a sentence."""

    unit: str
    """Unit suffix of its column ("mps"); "" if dimensionless."""

    of: Callable[[Recording], float]
    """Computes the measure from a recording."""

    needs: str = ""
    """Column that the run must have; "" if every run is sufficient."""

    aim: Aim = "maximise"
    """Default direction of a goal."""


def _columns(recording: Recording, *names: str) -> FloatArray:
    return columns_between(recording, names, 0, len(recording))


def _net(recording: Recording) -> float:
    """Return the horizontal distance of the centre of gravity between start and end, m."""
    middle = _columns(recording, "com_x_m", "com_y_m")
    return float(np.hypot(*(middle[-1] - middle[0])))


def _travelled(recording: Recording) -> float:
    """Return the horizontal path length of the centre of gravity, m."""
    middle = _columns(recording, "com_x_m", "com_y_m")
    return float(np.hypot(*np.diff(middle, axis=0).T).sum())


def _duration(recording: Recording) -> float:
    times = recording.times
    return float(times[-1] - times[0]) or math.nan


def _cost_of_transport(recording: Recording) -> float:
    scene = recording.scene
    weight = scene.body.mass * (scene.ground.gravity_m_s2 or STANDARD_GRAVITY)
    work = _columns(recording, "work_actuator_j")[:, 0]
    distance = _net(recording)
    return float(work[-1] - work[0]) / (weight * distance) if distance > 0.0 else math.nan


def _largest_torque(recording: Recording) -> float:
    torques = [np.abs(rows.joint_torque).max(initial=0.0) for rows in recording.chunks()]
    return float(max(torques, default=math.nan))


def _largest_obstacle_force(recording: Recording) -> float:
    n = recording.schema.n_links
    names = [f"link_{i + 1}_obstacle_f{axis}_n" for i in range(n) for axis in "xyz"]
    forces = _columns(recording, *names).reshape(-1, n, 3)
    return float(np.linalg.norm(forces, axis=2).max(initial=0.0))


def _straightness(recording: Recording) -> float:
    distance = _travelled(recording)
    return _net(recording) / distance if distance > 0.0 else math.nan


def _turn_rate(recording: Recording) -> float:
    """Turn rate of the mean direction of the links, seen from above, rad/s."""
    last = recording.schema.head_last
    headings = [heading(forward(rows.link_pose, last)) for rows in recording.chunks()]
    turned = np.unwrap(np.concatenate(headings))
    return float(turned[-1] - turned[0]) / _duration(recording)


def _time_jammed(recording: Recording) -> float:
    names = [name for name in column_names(recording.schema) if name.endswith("_jammed")]
    jammed = _columns(recording, *names).max(axis=1) > 0.0
    return float(np.diff(recording.times)[jammed[1:]].sum())


MEASURES: dict[str, Measure] = {
    "net_speed": Measure(
        "Net speed",
        "Distance between start and end divided by the duration",
        "mps",
        lambda r: _net(r) / _duration(r),
    ),
    "path_speed": Measure(
        "Path speed",
        "Path length of the centre of gravity divided by the duration",
        "mps",
        lambda r: _travelled(r) / _duration(r),
    ),
    "net_distance": Measure("Net distance", "Distance between start and end", "m", _net),
    "cost_of_transport": Measure(
        "Cost of transport",
        "Work of the actuators divided by weight and distance",
        "",
        _cost_of_transport,
        "work_actuator_j",
        "minimise",
    ),
    "largest_torque": Measure(
        "Largest joint torque",
        "Largest torque of all joints and axes",
        "nm",
        _largest_torque,
        "joint_1_yaw_rad",
        "minimise",
    ),
    "largest_obstacle_force": Measure(
        "Largest obstacle force",
        "Largest force of obstacles on one link, averaged between two rows",
        "n",
        _largest_obstacle_force,
        "",
        "minimise",
    ),
    "straightness": Measure(
        "Straightness",
        "Distance between start and end divided by the path length",
        "",
        _straightness,
    ),
    "turn_rate": Measure(
        "Turn rate",
        "Turn rate of the mean direction of the body, positive to the left",
        "radps",
        _turn_rate,
    ),
    "time_jammed": Measure(
        "Time jammed",
        "Time with at least one jammed joint",
        "s",
        _time_jammed,
        "joint_1_jammed",
        "minimise",
    ),
}
"""Predefined measures by their names in studies, in the order in which they are offered."""


def natural_aim(value: str, over: str = "mean") -> Aim:
    """Default direction of a goal: costs are minimised, and so are all spreads.

    Parameters
    ----------
    value : str
        A predefined measure, or an expression, which need not be valid yet.
    over : str
        See `Over`.
    """
    if over == "spread":
        return "minimise"
    if value in MEASURES:
        return MEASURES[value].aim
    return "minimise" if cost_sign(value) > 0 else "maximise"


def title_of(value: str) -> str:
    """Return the name of a measure for people: the title of a predefined one, or the expression."""
    return MEASURES[value].title if value in MEASURES else value


def unit_of(value: str, names: Sequence[str], other_names: Sequence[str] = ()) -> str:
    """Return the unit suffix of a measure, for a run with these columns; "" if dimensionless or unknown.

    Raises `SignalError` if such a run does not have this measure.

    Parameters
    ----------
    other_names : sequence of str
        Columns of the run to which ``other.`` refers.
    """
    measure = MEASURES.get(value)
    if measure is None:
        near = difflib.get_close_matches(value, MEASURES, 3, 0.7)
        if near and value.isidentifier() and value not in names:
            raise SignalError(f"'{value}' is not a measure", f"did you mean {listing(near, 'or')}")
        return compile_reduction(value, names, other_names).unit
    if measure.needs and measure.needs not in names:
        raise SignalError(
            f"{value} needs {measure.needs}, which this run does not have", "use another measure"
        )
    return measure.unit


def measured(
    values: Sequence[str], recording: Recording, other: Recording | None = None
) -> tuple[float, ...]:
    """Compute measures of a finished run.

    Raises `SignalError` if the run lacks a required column.

    Parameters
    ----------
    other : Recording, optional
        Run to which ``other.`` refers.
    """
    names = column_names(recording.schema)
    others = () if other is None else column_names(other.schema)
    numbers = []
    for value in values:
        unit_of(value, names, others)
        measure = MEASURES.get(value)
        numbers.append(
            measure.of(recording)
            if measure is not None
            else compile_reduction(value, names, others).value(recording, other=other)
        )
    return tuple(float(number) for number in numbers)
