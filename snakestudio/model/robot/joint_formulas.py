"""Formulas of a gait for joint angles or torques, evaluated for all joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import FormulaError, Problem, SceneError, SnakeStudioError
from snakestudio.model.formula import Formula, Number, read
from snakestudio.model.motion import GaitFields
from snakestudio.model.robot.joint_axes import cardan_axes, entries, joints
from snakestudio.model.robot.robot import Axis
from snakestudio.model.robot.strain_bounds import pole
from snakestudio.model.robot.strain_law import formula_mistakes
from snakestudio.model.scene import Scene

_NAMES = dict.fromkeys(("t", "i", "n"), "any")


class NoValue(NamedTuple):
    """Point at which a formula is not finite."""

    key: str
    """Scene key of the formula."""

    joint: int
    """1-based."""

    time: float
    """s."""


class JointFormulas:
    """Values of the formulas of a gait for all joints of a robot, in the unit of the formulas.

    Raises `SceneError` if a formula is unusable; its problems have scene keys.

    Parameters
    ----------
    gait : GaitFields
        A gait with `formulas`.
    axes : tuple of Axis
        Axes of the joints; formulas for kinds of axes that do not occur are ignored.
    """

    def __init__(self, gait: GaitFields, n_links: int, axes: tuple[Axis, ...]) -> None:
        self._joints = np.arange(1.0, n_links)
        self._n = np.float64(n_links)
        self._formulas: list[Formula] = []
        mistakes: dict[str, FormulaError] = {}
        self._names = gait.formulas
        for name in self._names:
            try:
                self._formulas.append(read(getattr(gait, name), "", _NAMES))
            except FormulaError as error:
                mistakes[f"gait.{name}"] = error
        if mistakes:
            raise formula_mistakes(mistakes)
        self._axes = axes

    def at(self, time: FloatArray) -> FloatArray:
        """Values for all axes at times (k,): (k, m); 0 for axes without a formula, not finite where undefined."""
        return self.motion(time)[0]

    def motion(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return values, first and second time derivatives for all axes at times (k,), s: each (k, m)."""
        value, rate, acceleration = (np.zeros((len(time), len(self._axes))) for _ in range(3))
        for kind, formula in zip(self._names.values(), self._formulas, strict=True):
            here = joints(self._axes, kind)
            if len(here):
                values: dict[str, Number] = {
                    "t": time[:, None],
                    "i": self._joints[here],
                    "n": self._n,
                }
                columns = entries(self._axes, kind)
                value[:, columns], rate[:, columns], acceleration[:, columns], _ = formula.at(
                    values
                )
        return value, rate, acceleration

    @property
    def moved_kinds(self) -> tuple[str, ...]:
        """Kinds of axes whose formula is not identically 0."""
        formulas = zip(self._names.values(), self._formulas, strict=True)
        return tuple(kind for kind, formula in formulas if not formula.zero)

    def missing(self, duration: float) -> NoValue | None:
        """First point in `duration` seconds, also between samples, where a value is not finite; None if none."""
        for (name, kind), formula in zip(self._names.items(), self._formulas, strict=True):
            here = joints(self._axes, kind)
            numbers = self._joints[here]
            values = {"i": numbers, "n": np.full_like(numbers, self._n)}
            pole_at = pole(formula, values, duration) if len(here) else None
            if pole_at is not None:
                return NoValue(f"gait.{name}", int(here[pole_at[0]]) + 1, pole_at[1])
        return None


def formula_problems(scene: Scene) -> list[Problem]:
    """Return the problems of the formulas of a scene's gait during the run."""
    try:
        formulas = JointFormulas(scene.gait, scene.robot.n_links, scene.body.axes)
    except SceneError as error:
        return list(error.problems)
    missing = formulas.missing(scene.run.duration_s)
    if missing is None:
        return []
    what = f"it has no finite value for joint {missing.joint} at t = {missing.time:.3g} s"
    return [
        Problem(
            "error",
            missing.key,
            what,
            "avoid 1/0, and roots and logarithms of negative numbers",
        )
    ]


def is_readable(gait: GaitFields) -> bool:
    """Return whether all formulas of a gait are usable."""
    try:
        return bool(JointFormulas(gait, 2, cardan_axes(1)))
    except SnakeStudioError:
        return False
