"""What the nodes of an emulated robot have in common: joints, encoders, current and temperature of the motors.

A node tells its axes where to be, and reads what its sensors say; what is true only the plant
knows.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.link.emulator.plant import Plant
from snakestudio.link.profile.schema import Profile

_RATE_FILTER_S = 0.02
"""Time constant of the low-pass behind which firmware takes the rate from its encoder's steps."""

_STARTS_BEYOND = math.radians(0.5)
"""Distance from where a joint was held above which a set-point means motion, and the start-up lag
begins."""


class Body:
    """Joints with motors and sensors, of m axes in the profile's order.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws each axis' start-up lag.

    Attributes
    ----------
    enabled : (m,) bool array
        Which axes have torque.
    angle, rate, torque : (m,) arrays
        As the node measures them, at the joint; rad, rad/s, N m.
    current : (m,) array
        Of the motors, A.
    frozen, hot : (m,) bool arrays
        Axes whose encoder is stuck, and those that somebody heats.
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
        self.angle: FloatArray = self._seen(state.angle)
        self.rate: FloatArray = np.zeros(m)
        self.torque: FloatArray = state.torque
        self.current: FloatArray = state.torque / constants.torque_nm_per_a
        self._heat: FloatArray = np.full(m, constants.air_c)
        self._held = state.angle.copy()
        self._wanted = state.angle.copy()
        self._wanted_rate = np.zeros(m)
        self._starts = np.full(m, np.inf)

    def _seen(self, angle: FloatArray) -> FloatArray:
        quantised: FloatArray = np.round(angle / self._step) * self._step
        return quantised

    def switch_on(self, axes: NDArray[np.int64]) -> None:
        """Torque on: the joints hold where they stand."""
        self.enabled[axes] = True
        self._held[axes] = self._wanted[axes] = self.plant.state.angle[axes]
        self._wanted_rate[axes] = 0.0
        self._starts[axes] = np.inf

    def switch_off(self, axes: NDArray[np.int64]) -> None:
        """Torque off: the joints are limp."""
        self.enabled[axes] = False

    def drive(
        self, axes: NDArray[np.int64], angle: FloatArray, rate: FloatArray, now: float
    ) -> None:
        """Tell axes where to be (rad, rad/s, at the joint); they begin to move after their start-up lag."""
        self._wanted[axes] = angle
        self._wanted_rate[axes] = rate
        moves = np.abs(self._wanted[axes] - self._held[axes]) > _STARTS_BEYOND
        self._starts[axes] = np.where(
            moves, np.minimum(self._starts[axes], now + self._lag[axes]), self._starts[axes]
        )

    def hold(self, axes: NDArray[np.int64]) -> None:
        """Stop where the joints are, with torque."""
        self._wanted[axes] = self.plant.state.angle[axes]
        self._wanted_rate[axes] = 0.0

    def advance(self, dt: float, now: float) -> None:
        """Let `dt` seconds pass until `now`."""
        if dt <= 0.0:
            return
        goes = now >= self._starts
        target = np.where(goes, self._wanted, self._held)
        state = self.plant.advance(dt, target, np.where(goes, self._wanted_rate, 0.0), self.enabled)
        seen = np.where(self.frozen, self.angle, self._seen(state.angle))
        keep = math.exp(-dt / _RATE_FILTER_S)
        self.rate = keep * self.rate + (1.0 - keep) * (seen - self.angle) / dt
        self.angle = seen
        self.torque = state.torque
        self.current = state.torque / self._constants.torque_nm_per_a
        self._warm(dt)

    def _warm(self, dt: float) -> None:
        """One thermal node a motor, C T' = R i^2 - (T - T_air) / R_th, exact while the current stays as it is."""
        c = self._constants
        power = c.winding_ohm * self.current**2
        if c.thermal_resistance_k_per_w > 0.0:
            final = c.air_c + c.thermal_resistance_k_per_w * power
            keep = math.exp(-dt / (c.thermal_resistance_k_per_w * c.thermal_capacity_j_per_k))
            self._heat = final + keep * (self._heat - final)
        else:  # nothing between the winding and the air
            self._heat = np.full(len(power), c.air_c)

    @property
    def temperature(self) -> FloatArray:
        """Of the motors, °C, (m,); what somebody heated is as before once that is mended, and need not cool down."""
        return np.where(self.hot, np.maximum(self._heat, self._constants.trip_c + 5.0), self._heat)

    @property
    def overheated(self) -> BoolArray:
        """Axes whose motors are too hot to go on, (m,)."""
        beyond: BoolArray = self.temperature >= self._constants.trip_c
        return beyond
