"""Given joint torques as numbers: the formulas of a gait of torques, evaluated for all joints at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import FormulaError, SnakeStudioError
from snakestudio.model.formula import Formula, Number, read
from snakestudio.model.motion import GaitFields
from snakestudio.model.robot.joint_axes import cardan_axes, entries, joints
from snakestudio.model.robot.robot import Axis
from snakestudio.model.robot.strain_bounds import pole
from snakestudio.model.robot.strain_law import formula_mistakes

_NAMES = dict.fromkeys(("t", "i", "n"), "any")
_AXES = {"torque_nm": "yaw", "pitch_torque_nm": "pitch"}
"""Formulas, and the kind of axes that each is about."""


class NoTorque(NamedTuple):
    """Where a formula has no usable value."""

    key: str
    """Scene key of the formula."""

    joint: int
    """From 1."""

    time: float
    """s."""


class TorqueLaw:
    """The torques of all joints of a robot at any time.

    Raises `SceneError` if a formula cannot be used; its problems have the scene's keys.

    Parameters
    ----------
    gait : GaitFields
        Of torques.
    axes : tuple of Axis
        Of the joints; of kinds that no joint has, nothing is asked.
    """

    def __init__(self, gait: GaitFields, n_links: int, axes: tuple[Axis, ...]) -> None:
        self._joints = np.arange(1.0, n_links)
        self._n = np.float64(n_links)
        self._formulas: list[Formula] = []
        mistakes: dict[str, FormulaError] = {}
        for name in _AXES:
            try:
                self._formulas.append(read(getattr(gait, name), "", _NAMES))
            except FormulaError as error:
                mistakes[f"gait.{name}"] = error
        if mistakes:
            raise formula_mistakes(mistakes)
        self._axes = axes

    def at(self, time: FloatArray) -> FloatArray:
        """Torques at times (k,), s, about all axes: (k, m), N m; not finite where there are none, 0 about roll axes."""
        torque = np.zeros((len(time), len(self._axes)))
        for kind, formula in zip(_AXES.values(), self._formulas, strict=True):
            here = joints(self._axes, kind)
            if len(here):
                values: dict[str, Number] = {
                    "t": time[:, None],
                    "i": self._joints[here],
                    "n": self._n,
                }
                torque[:, entries(self._axes, kind)] = formula.at(values)[0]
        return torque

    def missing(self, duration: float) -> NoTorque | None:
        """Where there is no usable torque in the first `duration` seconds, also between any times; None: nowhere."""
        for (name, kind), formula in zip(_AXES.items(), self._formulas, strict=True):
            here = joints(self._axes, kind)
            numbers = self._joints[here]
            values = {"i": numbers, "n": np.full_like(numbers, self._n)}
            found = pole(formula, values, duration) if len(here) else None
            if found is not None:
                return NoTorque(f"gait.{name}", int(here[found[0]]) + 1, found[1])
        return None


def is_readable(gait: GaitFields) -> bool:
    """Whether all formulas of a gait of torques can be used."""
    try:
        return bool(TorqueLaw(gait, 2, cardan_axes(1)))
    except SnakeStudioError:
        return False
