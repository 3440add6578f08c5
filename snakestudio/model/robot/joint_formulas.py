"""Numerical values of given joint torques: the formulas of a torque gait, evaluated for all joints."""

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
"""Kind of axes that each formula applies to."""


class NoTorque(NamedTuple):
    """Point at which a formula is not finite."""

    key: str
    """Scene key of the formula."""

    joint: int
    """1-based."""

    time: float
    """s."""


class TorqueLaw:
    """Torques of all joints of a robot at any time.

    Raises `SceneError` if a formula is unusable; its problems have scene keys.

    Parameters
    ----------
    gait : GaitFields
        A torque gait.
    axes : tuple of Axis
        Axes of the joints; formulas for kinds of axes that do not occur are ignored.
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
        """Torques about all axes at times (k,): (k, m), N m; 0 about roll axes, not finite where undefined."""
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
        """First point in `duration` seconds, also between samples, where a torque is not finite; None if none."""
        for (name, kind), formula in zip(_AXES.items(), self._formulas, strict=True):
            here = joints(self._axes, kind)
            numbers = self._joints[here]
            values = {"i": numbers, "n": np.full_like(numbers, self._n)}
            pole_at = pole(formula, values, duration) if len(here) else None
            if pole_at is not None:
                return NoTorque(f"gait.{name}", int(here[pole_at[0]]) + 1, pole_at[1])
        return None


def is_readable(gait: GaitFields) -> bool:
    """Whether all formulas of a torque gait are usable."""
    try:
        return bool(TorqueLaw(gait, 2, cardan_axes(1)))
    except SnakeStudioError:
        return False
