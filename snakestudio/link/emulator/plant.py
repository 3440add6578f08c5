r"""Joints of an emulated robot: servo, motor, gear and inertia of each axis.

For each axis with joint angle :math:`\varphi`, target :math:`\varphi_r` and half the gear's
backlash :math:`h`:

.. math::

    e &= \varphi_r - \varphi \mp h \quad\text{beyond the backlash, where the teeth touch} \\
    \tau_w &= \mathrm{sat}(K_P e + K_D (\dot\varphi_r - \dot\varphi)), \quad 0
        \text{ within the backlash or where the teeth would have to pull} \\
    T \dot\tau &= \tau_w - \tau, \qquad J \ddot\varphi = \tau - b \dot\varphi

These are the actuators of the engines (P1, VIII-F), so an emulated robot behaves the same with each
plant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.link.profile.schema import Emulation


@dataclass(frozen=True, slots=True)
class PlantState:
    """State of the joints, for m axes in the profile's order."""

    angle: FloatArray
    """Joint angles, rad. Shape (m,)."""

    rate: FloatArray
    """Joint rates, rad/s. Shape (m,)."""

    torque: FloatArray
    """Torques of the motors at the joints, N m. Shape (m,)."""


class Plant(Protocol):
    """Mechanics that the nodes of an emulated robot move."""

    @property
    def state(self) -> PlantState:
        """Actual state of the joints."""
        ...

    def advance(
        self, dt: float, target: FloatArray, target_rate: FloatArray, enabled: BoolArray
    ) -> PlantState:
        """Advance by `dt` seconds.

        Parameters
        ----------
        dt : float
            s, not negative.
        target, target_rate : (m,) arrays
            Targets of all axes, rad and rad/s, constant over the interval.
        enabled : (m,) bool array
            Axes with torque; the others move freely.
        """
        ...

    def block(self, axes: BoolArray) -> None:
        """Jam these axes at their actual angles, (m,) bool, and release the others."""
        ...


class JointPlant:
    """Joints without mutual dynamics, at a fixed base.

    Integrated by backward Euler in steps of at most `STEP`: stable for any stiffness, damping and
    inertia.

    Parameters
    ----------
    angle : (m,) array
        Initial joint angles, rad.
    """

    STEP = 0.002
    """Largest step, s: a fifth of the usual time constant of motors."""

    def __init__(self, emulation: Emulation, angle: FloatArray) -> None:
        m = len(angle)
        self._constants = emulation
        self._half = 0.5 * math.radians(emulation.free_play_deg)
        self._state = PlantState(np.array(angle, np.float64), np.zeros(m), np.zeros(m))
        self._free: BoolArray = np.ones(m, np.bool_)

    @property
    def state(self) -> PlantState:
        """Actual state of the joints."""
        return self._state

    def block(self, axes: BoolArray) -> None:
        """See `Plant.block`."""
        self._free = ~axes

    def advance(
        self, dt: float, target: FloatArray, target_rate: FloatArray, enabled: BoolArray
    ) -> PlantState:
        """See `Plant.advance`."""
        steps = math.ceil(dt / self.STEP - 1e-9)
        for _ in range(steps):
            self._state = self._step(dt / steps, target, target_rate, enabled)
        return self._state

    def _step(
        self, h: float, target: FloatArray, target_rate: FloatArray, enabled: BoolArray
    ) -> PlantState:
        c = self._constants
        state = self._state
        inertia = c.inertia_kg_m2
        kp = c.kp_nm_per_rad
        kd = c.kd_nms_per_rad
        error = target - state.angle
        if self._half > 0.0:
            error -= np.minimum(np.maximum(error, -self._half), self._half)
        weight = h / (c.time_constant_s + h)
        drag = 1.0 + h * c.friction_nms_per_rad / inertia
        # Teeth in contact and motor not saturated: torque and rate at the end of the step are
        # solved together.
        gain = kp * h + kd
        begun = (1.0 - weight) * state.torque
        lead = begun + weight * (kp * error + kd * target_rate)
        rate = (state.rate + h / inertia * lead) / (drag + h * weight * gain / inertia)
        motor_torque = kp * (error - h * rate) + kd * (target_rate - rate)
        motor_torque = np.minimum(np.maximum(motor_torque, -c.max_torque_nm), c.max_torque_nm)
        if (
            self._half > 0.0
        ):  # teeth can only push, and within the backlash (error 0) they do not touch
            motor_torque *= motor_torque * error > 0.0
        torque = (begun + weight * motor_torque) * enabled
        rate = (state.rate + h / inertia * torque) / drag * self._free
        return PlantState(state.angle + h * rate, rate, torque)
