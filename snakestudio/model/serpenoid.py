"""Compound serpenoid: the gait of snake robots with two groups of joint axes, in standard notation."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Literal

import numpy as np

from snakestudio.errors import FormulaError, Problem, SceneError
from snakestudio.model.fields import value
from snakestudio.model.motion import BodyWaves, GaitFields, Wave
from snakestudio.model.robot.robot import Robot


class CompoundSerpenoid(GaitFields):
    """Two waves along the joints, each with separate parameters.

    Joints are numbered from the head, n = 1, 2 ... N. Odd, lateral: all yaw axes, angle_n = beta
    + A f(n) sin(omega_S n + omega_T t + phi_0). Even, vertical: all pitch axes, or the roll axes of a
    robot without pitch, angle_n = beta + A f(n) sin(omega_S n + omega_T t + phi_0 + delta). On a robot
    with alternating yaw and pitch joints these are the odd and the even joints.
    """

    of_waves = True
    has_vertical_wave = True
    wave_titles = ("Lateral (odd joints)", "Vertical (even joints)", "Between the waves")
    wave_keys = (
        ("gait.odd_amplitude_rad", "gait.odd_beta_rad"),
        ("gait.even_amplitude_rad", "gait.even_beta_rad"),
    )

    kind: Literal["compound_serpenoid"] = value(
        "compound_serpenoid", label="Gait", help="Kind of gait"
    )
    odd_beta_rad: float = value(
        0.0,
        label="Lateral offset",
        unit="rad",
        symbol="β_odd",
        help="Constant angle of the lateral axes",
        ge=-3.2,
        le=3.2,
        slider=(-0.5, 0.5),
        live=True,
    )
    odd_amplitude_rad: float = value(
        0.4,
        label="Lateral amplitude",
        unit="rad",
        symbol="A_odd",
        help="Amplitude of the lateral axes; negative: shifted by half a turn",
        ge=-3.2,
        le=3.2,
        slider=(0, 1.8),
        live=True,
    )
    odd_spatial_frequency_rad: float = value(
        0.5,
        label="Lateral spatial frequency",
        unit="rad",
        symbol="ω_S,odd",
        help="Phase difference of the lateral wave from one joint to the next, towards the tail",
        ge=-6.3,
        le=6.3,
        slider=(-2, 2),
        live=True,
    )
    odd_temporal_frequency_rad_s: float = value(
        5.0,
        label="Lateral temporal frequency",
        unit="rad/s",
        symbol="ω_T,odd",
        help="Angular frequency of the lateral wave; negative: the wave runs backwards",
        ge=-130,
        le=130,
        slider=(-10, 10),
        live=True,
    )
    even_beta_rad: float = value(
        0.0,
        label="Vertical offset",
        unit="rad",
        symbol="β_even",
        help="Constant angle of the vertical axes",
        ge=-3.2,
        le=3.2,
        slider=(-0.5, 0.5),
        live=True,
    )
    even_amplitude_rad: float = value(
        0.4,
        label="Vertical amplitude",
        unit="rad",
        symbol="A_even",
        help="Amplitude of the vertical axes; negative: shifted by half a turn",
        ge=-3.2,
        le=3.2,
        slider=(0, 1.8),
        live=True,
    )
    even_spatial_frequency_rad: float = value(
        0.5,
        label="Vertical spatial frequency",
        unit="rad",
        symbol="ω_S,even",
        help="Phase difference of the vertical wave from one joint to the next, towards the tail",
        ge=-6.3,
        le=6.3,
        slider=(-2, 2),
        live=True,
    )
    even_temporal_frequency_rad_s: float = value(
        5.0,
        label="Vertical temporal frequency",
        unit="rad/s",
        symbol="ω_T,even",
        help="Angular frequency of the vertical wave; negative: the wave runs backwards",
        ge=-130,
        le=130,
        slider=(-10, 10),
        live=True,
    )
    delta_rad: float = value(
        0.7854,
        label="Phase between the waves",
        unit="rad",
        symbol="δ",
        help="Lead of the vertical wave over the lateral wave at t = 0",
        ge=-6.3,
        le=6.3,
        slider=(-3.2, 3.2),
        live=True,
    )
    phase_rad: float = value(
        0.0,
        label="Phase",
        unit="rad",
        symbol="φ₀",
        help="Phase of both waves at n = 0 and t = 0",
        ge=-6.3,
        le=6.3,
        slider=(-3.2, 3.2),
        live=True,
    )
    envelope: str = value(
        "1",
        label="Envelope",
        symbol="f",
        help="Factor of both amplitudes, a formula of n, the number of the joint counted from the head, and N, the"
        " number of joints",
        max_length=500,
        live=True,
    )

    def waves(self, robot: Robot) -> BodyWaves:
        """Return the waves on the joints of a robot, numbered from the first link.

        An unusable envelope is ignored; `envelope_of` raises the reason.
        """
        try:
            factors = envelope_of(self.envelope, robot.n_joints)
        except SceneError:
            factors = ()
        if robot.head == "last":
            factors = factors[::-1]
        pitched = any(axis.kind == "pitch" for axis in robot.axes)
        return BodyWaves(
            self._wave("odd", self.phase_rad, robot),
            self._wave("even", self.phase_rad + self.delta_rad, robot),
            "pitch" if pitched or not any(axis.kind == "roll" for axis in robot.axes) else "roll",
            () if all(factor == 1.0 for factor in factors) else factors,
        )

    def _wave(self, group: str, lead: float, robot: Robot) -> Wave:
        """Return the wave of a group, with the phase of joint 1 and the phase shift from joint to joint."""
        beta, amplitude, spatial, temporal = (
            getattr(self, f"{group}_{name}")
            for name in (
                "beta_rad",
                "amplitude_rad",
                "spatial_frequency_rad",
                "temporal_frequency_rad_s",
            )
        )
        if robot.head == "first":
            return Wave(amplitude, temporal, spatial, spatial + lead, beta)
        return Wave(amplitude, temporal, -spatial, spatial * robot.n_joints + lead, beta)


def envelope_of(text: str, joints: int) -> tuple[float, ...]:
    """Return the factors of all joints, numbered from the head.

    Raises `SceneError` if the formula is unusable.
    """
    with suppress(ValueError):
        if math.isfinite(factor := float(text)):
            return (factor,) * joints
    from snakestudio.model.formula import read  # slow to import

    try:
        formula = read(text, "", {"n": "any", "N": "any"})
    except FormulaError as error:
        raise _mistake(error.message, error.remedy) from None
    number = np.arange(1.0, joints + 1.0)
    factors = np.broadcast_to(formula.at({"n": number, "N": np.float64(joints)})[0], number.shape)
    wrong = np.flatnonzero(~np.isfinite(factors))
    if len(wrong):
        message = f'"{text}" is not finite for n = {wrong[0] + 1}'
        raise _mistake(message, "avoid 1/0, and roots and logarithms of negative numbers")
    return tuple(float(factor) for factor in factors)


def _mistake(message: str, remedy: str) -> SceneError:
    problem = Problem("error", "gait.envelope", message, remedy)
    return SceneError.of([problem])
