"""Joints, encoders, currents and temperatures of the motors, which the nodes of an emulated robot share.

A node commands its axes and reads its sensors; only the plant has the true state.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.link.emulator.plant import Plant
from snakestudio.link.profile.schema import Profile

_RATE_FILTER_S = 0.02
"""Time constant of the low-pass with which firmware derives the rate from its encoder."""

_STARTS_BEYOND = math.radians(0.5)
"""Distance of a set-point from the held angle above which it means motion, and the start-up lag
begins."""


class Body:
    """Joints with motors and sensors, of m axes in the profile's order.

    Parameters
    ----------
    rng : numpy.random.Generator
        Generator of each axis' start-up lag.

    Attributes
    ----------
    enabled : (m,) bool array
        Which axes have torque.
    angle, rate, torque : (m,) arrays
        Values measured by the node, at the joint; rad, rad/s, N m.
    current : (m,) array
        Currents of the motors, A.
    frozen, hot : (m,) bool arrays
        Axes with a frozen encoder, and heated axes.
    """

    def __init__(self, profile: Profile, plant: Plant, rng: np.random.Generator) -> None:
        m = len(profile.axes)
        constants = profile.emulation
        self.plant = plant
        self._constants = constants
        self._step = 2.0 * math.pi / 2**constants.encoder_bits
        self._lag = rng.uniform(min(constants.start_delay_s), max(constants.start_delay_s), m)
        state = plant.state
        self.enabled: BoolArray = np.zeros(m, np.bool_)
        self.frozen: BoolArray = np.zeros(m, np.bool_)
        self.hot: BoolArray = np.zeros(m, np.bool_)
        self.angle: FloatArray = self._quantised(state.angle)
        self.rate: FloatArray = np.zeros(m)
        self.torque: FloatArray = state.torque
        self.current: FloatArray = state.torque / constants.torque_nm_per_a
        self._heat: FloatArray = np.full(m, constants.air_c)
        self._held = state.angle.copy()
        self._target = state.angle.copy()
        self._target_rate = np.zeros(m)
        self._starts = np.full(m, np.inf)

    def _quantised(self, angle: FloatArray) -> FloatArray:
        quantised: FloatArray = np.round(angle / self._step) * self._step
        return quantised

    def switch_on(self, axes: NDArray[np.int64]) -> None:
        """Switch the torque on: the joints hold their actual angles."""
        self.enabled[axes] = True
        self._held[axes] = self._target[axes] = self.plant.state.angle[axes]
        self._target_rate[axes] = 0.0
        self._starts[axes] = np.inf

    def switch_off(self, axes: NDArray[np.int64]) -> None:
        """Switch the torque off: the joints move freely."""
        self.enabled[axes] = False

    def drive(
        self, axes: NDArray[np.int64], angle: FloatArray, rate: FloatArray, now: float
    ) -> None:
        """Set the targets of axes (rad, rad/s, at the joint); motion begins after their start-up lag."""
        self._target[axes] = angle
        self._target_rate[axes] = rate
        moves = np.abs(self._target[axes] - self._held[axes]) > _STARTS_BEYOND
        self._starts[axes] = np.where(
            moves, np.minimum(self._starts[axes], now + self._lag[axes]), self._starts[axes]
        )

    def hold(self, axes: NDArray[np.int64]) -> None:
        """Hold the joints at their actual angles with torque."""
        self._target[axes] = self.plant.state.angle[axes]
        self._target_rate[axes] = 0.0

    def advance(self, dt: float, now: float) -> None:
        """Advance by `dt` seconds to `now`."""
        if dt <= 0.0:
            return
        goes = now >= self._starts
        target = np.where(goes, self._target, self._held)
        state = self.plant.advance(dt, target, np.where(goes, self._target_rate, 0.0), self.enabled)
        seen = np.where(self.frozen, self.angle, self._quantised(state.angle))
        keep = math.exp(-dt / _RATE_FILTER_S)
        self.rate = keep * self.rate + (1.0 - keep) * (seen - self.angle) / dt
        self.angle = seen
        self.torque = state.torque
        self.current = state.torque / self._constants.torque_nm_per_a
        self._warm(dt)

    def _warm(self, dt: float) -> None:
        """Advance one thermal node per motor, C T' = R i^2 - (T - T_air) / R_th, exactly for constant current."""
        c = self._constants
        power = c.winding_ohm * self.current**2
        if c.thermal_resistance_k_per_w > 0.0:
            final = c.air_c + c.thermal_resistance_k_per_w * power
            keep = math.exp(-dt / (c.thermal_resistance_k_per_w * c.thermal_capacity_j_per_k))
            self._heat = final + keep * (self._heat - final)
        else:  # without thermal resistance, the winding has the temperature of the air
            self._heat = np.full(len(power), c.air_c)

    @property
    def temperature(self) -> FloatArray:
        """Temperatures of the motors, °C, (m,); a fault's heating ends with it, without cooling down."""
        return np.where(self.hot, np.maximum(self._heat, self._constants.trip_c + 5.0), self._heat)

    @property
    def overheated(self) -> BoolArray:
        """Axes whose motors have overheated, (m,)."""
        beyond: BoolArray = self.temperature >= self._constants.trip_c
        return beyond
