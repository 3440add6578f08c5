"""Playback of a table of joint angles, once or in a loop, at any speed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.look_ahead import Motion
from snakestudio.control.ramp import Ramp, constant
from snakestudio.errors import Fix, Problem, SceneError
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.scene import Scene
from snakestudio.model.table_gait import TableFields, joint_table, trajectory
from snakestudio.model.tables.joint_angles import JointTable


@dataclass(frozen=True, slots=True)
class _State:
    """Playback position in the table: `played` at the start of the current speed ramp."""

    speed: Ramp
    played: float = 0.0  # s of the table


class TableGait:
    """Angles of a table at the time of the gait; changes of the playback speed are ramped.

    Raises `SceneError` if the file cannot be used.

    Parameters
    ----------
    scene : Scene
        A scene in which the path of the file is absolute.
    """

    def __init__(self, scene: Scene) -> None:
        assert isinstance(scene.gait, TableFields)
        self._trajectory = trajectory(scene)
        self._state = _State(constant(scene.gait.speed))

    def motion(self, time: FloatArray, through_ramps: bool = False) -> Motion:
        """Return angles, rates and accelerations at `time` ((k,), s), exact."""
        speed = self._state.speed
        rate, acceleration = speed.value(time), speed.rate(time)
        angle, first, second = self._trajectory.at(self._state.played + speed.integral(time))
        return (
            angle,
            first * rate[:, None],
            second * (rate**2)[:, None] + first * acceleration[:, None],
        )

    def apply(self, gait: TableFields, time: float) -> None:
        """Ramp to another speed from `time` on; other changes apply at the next start."""
        state = self._state
        if gait.speed != state.speed.target:
            played = state.played + float(state.speed.integral(np.array([time]))[0])
            self._state = replace(state, speed=state.speed.towards(gait.speed, time), played=played)

    def checkpoint(self) -> Any:
        """Return the full state."""
        return self._state

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self._state = checkpoint


def _check(scene: Scene) -> list[Problem]:
    """Return the errors in the table, and notes on assumptions and interpolated gaps."""
    assert isinstance(scene.gait, TableFields)
    try:
        table = joint_table(scene)
    except SceneError as error:
        return list(error.problems)
    beyond = _beyond_stops(scene, table)
    if beyond is not None:
        return [beyond]
    problems = [
        Problem(note.severity, f"gait.{note.key}", note.message, note.remedy)
        for note in table.notes
    ]
    of_unit = {
        "gait.unit": (
            Fix("Radians", (("gait.unit", "rad"),)),
            Fix("Degrees", (("gait.unit", "deg"),)),
        )
    }
    return [replace(problem, fixes=of_unit.get(problem.key, ())) for problem in problems]


def _beyond_stops(scene: Scene, table: JointTable) -> Problem | None:
    """Return the problem for the angle that exceeds its joint limit most."""
    values = scene.axis_values
    over = np.fmax(table.angle - values.upper, values.lower - table.angle)
    over[~np.isfinite(over)] = -np.inf
    row, column = np.unravel_index(int(over.argmax()), over.shape)
    if not over[row, column] > 1e-9:
        return None
    axis = scene.body.axes[column]
    angle = math.degrees(table.angle[row, column])
    stop = math.degrees(values.upper[column] if angle > 0.0 else values.lower[column])
    message = (
        f"joint {axis.joint + 1} ({axis.kind}) is at {angle:.4g}° at {table.time[row]:.4g} s of the table, but its "
        f"limit is {stop:.4g}°"
    )
    return Problem("error", "gait.file", message, "use a table within the limits, or change them")


def _rates(scene: Scene) -> FloatArray:
    assert isinstance(scene.gait, TableFields)
    return scene.gait.speed * trajectory(scene).largest_rates()


KIND = GaitKind(
    fields=TableFields,
    make=TableGait,
    title="Table of joint angles",
    help="The joints follow a table in a CSV file, such as commands or the log of a real robot.",
    place=3,
    check=_check,
    effects=(
        (
            ("gait.blend_s",),
            lambda scene: bool(getattr(scene.gait, "loop", False)),
            "only in a loop",
        ),
    ),
    rates=_rates,
    states={"table_gait": _State},
)
