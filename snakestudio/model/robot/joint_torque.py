"""Given joint torques as numbers: the formulas of a gait of torques, evaluated for all joints at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import FormulaError, SnakeStudioError
from snakestudio.model.formula import Formula, Number, read
from snakestudio.model.motion import GaitFields
from snakestudio.model.robot.strain_bounds import pole
from snakestudio.model.robot.strain_law import formula_mistakes

__all__ = ["NoTorque", "TorqueLaw", "is_readable"]


_NAMES = dict.fromkeys(("t", "i", "n"), "any")
_AXES = ("torque_nm", "pitch_torque_nm")


class NoTorque(NamedTuple):
    """Where a formula has no usable value.

    Attributes
    ----------
    key : str
        Scene key of the formula.
    joint : int
        From 1.
    time : float
        s.
    """

    key: str
    joint: int
    time: float


class TorqueLaw:
    """The torques of all joints of a robot at any time.

    Parameters
    ----------
    gait : GaitFields
        Of torques.
    n_links : int
    spatial : bool
        Whether the joints have pitch axes; without, nothing is asked of them.

    Raises
    ------
    SceneError
        If a formula cannot be used; its problems have the scene's keys.
    """

    def __init__(self, gait: GaitFields, n_links: int, *, spatial: bool) -> None:
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
        if not spatial:
            self._formulas.pop()

    def at(self, time: FloatArray) -> FloatArray:
        """Torques at times (k,), s, about yaw and pitch axes: (k, n - 1, 2), N m; not finite where there are none."""
        torque = np.zeros((len(time), len(self._joints), 2))
        values: dict[str, Number] = {"t": time[:, None], "i": self._joints, "n": self._n}
        for axis, formula in enumerate(self._formulas):
            torque[:, :, axis] = formula.at(values)[0]
        return torque

    def missing(self, duration: float) -> NoTorque | None:
        """Where there is no usable torque in the first `duration` seconds, also between any times; None: nowhere."""
        joints = {"i": self._joints, "n": np.full_like(self._joints, self._n)}
        for name, formula in zip(_AXES, self._formulas, strict=False):
            found = pole(formula, joints, duration) if len(self._joints) else None
            if found is not None:
                return NoTorque(f"gait.{name}", found[0] + 1, found[1])
        return None


def is_readable(gait: GaitFields) -> bool:
    """Whether all formulas of a gait of torques can be used."""
    try:
        return bool(TorqueLaw(gait, 2, spatial=True))
    except SnakeStudioError:
        return False
