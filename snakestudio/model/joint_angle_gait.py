"""Gait of joint angles as formulas of time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.model.fields import value
from snakestudio.model.motion import GaitFields
from snakestudio.model.robot.joint_formulas import JointFormulas
from snakestudio.model.robot.robot import Robot

_EXAMINED_S = 20.0
_SAMPLES = 400
"""Time, s, and number of samples in which the largest angle is searched."""


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
        """Return the angles of all joint axes of a scene at t = 0, (m,), rad.

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

    def moved_kinds(self, robot: Robot) -> frozenset[str]:
        """Return the kinds of axes whose formula is not 0.

        Raises `SceneError` if a formula is unusable.
        """
        return frozenset(JointFormulas(self, robot.n_links, robot.axes).moved_kinds)

    def reach(self, robot: Robot) -> float:
        """Return the largest angle in the first seconds, rad.

        Raises `SceneError` if a formula is unusable.
        """
        formulas = JointFormulas(self, robot.n_links, robot.axes)
        angle = np.radians(formulas.at(np.linspace(0.0, _EXAMINED_S, _SAMPLES)))
        return float(np.abs(angle[np.isfinite(angle)]).max(initial=0.0))
