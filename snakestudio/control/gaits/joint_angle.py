"""Joint angles as formulas of time, with exact rates and accelerations."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.authoring import AngleGait
from snakestudio.control.look_ahead import Motion
from snakestudio.errors import Problem, SceneError
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.joint_angle_gait import JointAngleFields
from snakestudio.model.motion import GaitFields
from snakestudio.model.robot.joint_formulas import JointFormulas, formula_problems, is_readable
from snakestudio.model.scene import Scene

_SAMPLES_PER_SECOND = 200
_MOST_SAMPLES = 20_000
"""Samples of a run in which the largest angles and rates are searched."""


class JointAngles(AngleGait):
    """Angles of formulas; changed formulas are blended in.

    Raises `SceneError` if a formula of the scene cannot be used.
    """

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._known: tuple[GaitFields, JointFormulas] | None = None
        self._formulas(scene.gait)

    def _formulas(self, gait: GaitFields) -> JointFormulas:
        if self._known is None or self._known[0] is not gait:
            self._known = gait, JointFormulas(gait, self._scene.robot.n_links, self._axes)
        return self._known[1]

    def _angles(self, gait: GaitFields, time: FloatArray) -> FloatArray:
        angle: FloatArray = np.radians(self._formulas(gait).at(time))
        return angle

    def _motion(self, gait: GaitFields, time: FloatArray) -> Motion:
        angle, rate, acceleration = map(np.radians, self._formulas(gait).motion(time))
        return angle, rate, acceleration


def _sampled(scene: Scene) -> tuple[FloatArray, Motion]:
    """Return the times of samples of the run, s, and angles, rates and accelerations there, (k, m), rad."""
    duration = scene.run.duration_s
    count = min(max(math.ceil(_SAMPLES_PER_SECOND * duration), 2), _MOST_SAMPLES)
    time = np.linspace(0.0, duration, count)
    formulas = JointFormulas(scene.gait, scene.robot.n_links, scene.body.axes)
    angle, rate, acceleration = map(np.radians, formulas.motion(time))
    return time, (angle, rate, acceleration)


def _check(scene: Scene) -> list[Problem]:
    """Return the errors of the formulas, and of angles beyond the joint limits."""
    problems = formula_problems(scene)
    if problems or not scene.body.jointed:
        return problems
    time, (angle, _, _) = _sampled(scene)
    values = scene.axis_values
    over = np.fmax(angle - values.upper, values.lower - angle)
    over[~np.isfinite(over)] = -np.inf
    if not over.size or not over.max() > 1e-9:
        return []
    row, column = np.unravel_index(int(over.argmax()), over.shape)
    axis = scene.body.axes[column]
    reached = math.degrees(angle[row, column])
    stop = math.degrees(values.upper[column] if reached > 0.0 else values.lower[column])
    key = "gait.pitch_angle_deg" if axis.kind == "pitch" else "gait.angle_deg"
    message = (
        f"joint {axis.joint + 1} ({axis.kind}) is at {reached:.4g}° at t = {time[row]:.4g} s, but its limit is "
        f"{stop:.4g}°"
    )
    return [Problem("error", key, message, "reduce the angle, or change the limit")]


def _rates(scene: Scene) -> FloatArray:
    """Return the largest rates of all joint axes in the run, (m,), rad/s.

    Raises `SceneError` if a formula is unusable.
    """
    rate = np.abs(_sampled(scene)[1][1])
    if not np.isfinite(rate).all():
        raise SceneError("gait: A formula has no finite rate. Change the formula.")
    largest: FloatArray = rate.max(axis=0)
    return largest


KIND = GaitKind(
    fields=JointAngleFields,
    make=JointAngles,
    title="Joint angles",
    help="Joint angles as formulas of time.",
    place=1.8,
    check=_check,
    readable=is_readable,
    rates=_rates,
    effects=(
        (
            ("gait.angle_deg",),
            lambda scene: any(axis.kind == "yaw" for axis in scene.body.axes),
            "only with yaw axes",
        ),
        (
            ("gait.pitch_angle_deg",),
            lambda scene: any(axis.kind == "pitch" for axis in scene.body.axes),
            "only with pitch axes",
        ),
    ),
)
