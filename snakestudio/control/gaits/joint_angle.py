"""Joint angles as formulas of time, with exact rates and accelerations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.control.authoring import AngleGait
from snakestudio.control.look_ahead import Motion
from snakestudio.errors import Problem, SceneError
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.fields import value
from snakestudio.model.motion import GaitFields
from snakestudio.model.robot.joint_formulas import JointFormulas, formula_problems, is_readable
from snakestudio.model.scene import Scene

_SAMPLES_PER_SECOND = 200
_MOST_SAMPLES = 20_000
"""Samples of a run in which the largest angles and rates are searched."""


class JointAngleFields(GaitFields):
    """Angles of the joints as formulas of time.

    A formula may use the time t (s), the joint number i (1 to n - 1, from the first link) and the
    number of links n. Its value is in degrees; arguments of functions such as sin are in radians.
    """

    formulas: ClassVar[Mapping[str, str]] = {"angle_deg": "yaw", "pitch_angle_deg": "pitch"}

    wave_keys: ClassVar[tuple[tuple[str, str], tuple[str, str]]] = (
        ("gait.angle_deg", "gait.angle_deg"),
        ("gait.pitch_angle_deg", "gait.pitch_angle_deg"),
    )

    kind: Literal["joint_angle"] = value("joint_angle", label="Gait", help="Kind of gait")
    angle_deg: str = value(
        "30*sin(2*pi*0.5*t - 0.7*i)",
        label="Angle",
        unit="°",
        symbol="φ",
        help="Yaw angle of each joint as a formula of the time t (s), the joint number i and the number of links n",
        max_length=500,
        live=True,
    )
    pitch_angle_deg: str = value(
        "0",
        label="Pitch angle",
        unit="°",
        symbol="φ_v",
        help="Pitch angle of each joint as a formula of t, i and n (spatial models)",
        max_length=500,
        live=True,
    )

    def first_angles(self, scene: Any, base_dir: Path | None) -> FloatArray:
        """Angles of all joint axes of a scene at t = 0, (m,), rad.

        Raises `SceneError` if a formula is unusable.
        """
        formulas = JointFormulas(self, scene.robot.n_links, scene.body.axes)
        angles: FloatArray = np.radians(formulas.at(np.zeros(1))[0])
        return angles

    def moved_axes(self, scene: Any, base_dir: Path | None) -> BoolArray:
        """Mask (m,) of the joint axes whose formula is not 0.

        Raises `SceneError` if a formula is unusable.
        """
        moved = JointFormulas(self, scene.robot.n_links, scene.body.axes).moved_kinds
        return np.array([axis.kind in moved for axis in scene.body.axes], np.bool_)


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
    """Times of samples of the run, s, and angles, rates and accelerations there, (k, m), rad."""
    duration = scene.run.duration_s
    count = min(max(math.ceil(_SAMPLES_PER_SECOND * duration), 2), _MOST_SAMPLES)
    time = np.linspace(0.0, duration, count)
    formulas = JointFormulas(scene.gait, scene.robot.n_links, scene.body.axes)
    angle, rate, acceleration = map(np.radians, formulas.motion(time))
    return time, (angle, rate, acceleration)


def _check(scene: Scene) -> list[Problem]:
    """Errors of the formulas, and of angles beyond the joint limits."""
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
    """Largest rates of all joint axes in the run, (m,), rad/s.

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
