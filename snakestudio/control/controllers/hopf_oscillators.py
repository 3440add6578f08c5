"""Coupled Hopf oscillators: a central pattern generator whose limit cycle is a circle.

z_i' = (alpha (mu_i - |z_i|^2) + 2 pi f i) z_i + w sum_j (z_j exp(i (psi_i - psi_j)) - z_i), mu_i =
A_i^2, the form of L. Righetti, A. J. Ijspeert, Pattern generators with sensory feedback for the
control of quadruped locomotion, IEEE International Conference on Robotics and Automation (2008),
819-824, doi:10.1109/ROBOT.2008.4543306, with diffusive coupling, so that the amplitude and frequency
of locked oscillators are exactly sqrt(mu) and f. Neighbours with another amplitude (pitch and yaw)
are scaled to the same amplitude.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.state_equations import (
    OscillatorController,
    OscillatorFields,
    check_reach,
    pitch_effects,
)
from snakestudio.kinds.controller import ControllerKind, Curve, Plot
from snakestudio.model.fields import value

_FIRST = 0.01
"""Initial radius of all oscillators, rad; not 0, because the origin is an equilibrium."""

_LEAST = 1e-3
"""Amplitude, rad, below which the phase is undefined."""


class HopfOscillatorsFields(OscillatorFields):
    """One Hopf oscillator for each joint axis; each converges to a circle and locks to its neighbours' phase lag."""

    kind: Literal["hopf_oscillators"] = value(
        "hopf_oscillators", label="Controller", help="Kind of controller"
    )
    convergence_per_rad2_s: float = value(
        20.0,
        label="Convergence",
        unit="1/(rad² s)",
        symbol="α",
        help="Rate of convergence to the limit cycle: near √μ, the radius converges at the rate 2 α μ",
        gt=0,
        le=100,
        slider=(1, 60),
        live=True,
    )
    coupling_per_s: float = value(
        5.0,
        label="Coupling",
        unit="1/s",
        symbol="w",
        help="Rate of convergence to the phase lag between neighbours",
        ge=0,
        le=50,
        slider=(0, 20),
        live=True,
    )


class HopfOscillators(OscillatorController):
    """Coupled Hopf oscillators; the state is both coordinates of each oscillator."""

    channels = ("cpg_amplitude_rad",)
    state_channels = ("x_rad", "y_rad")

    def first_state(self) -> FloatArray:
        """Return the small circles with the phases to which the coupling converges."""
        lead = self.leads(self.fields)
        return _FIRST * np.stack([np.cos(lead), np.sin(lead)])

    def derivative(self, time: float, state: FloatArray, fields: Any) -> FloatArray:
        """Return the equations of coupled Hopf oscillators, with the state as complex numbers."""
        z = state[0] + 1j * state[1]
        lead = self.leads(fields)
        amplitude = self.amplitudes(fields)
        rotating = np.exp(1j * lead)
        scale = np.where(amplitude > _LEAST, 1.0 / np.maximum(amplitude, _LEAST), 0.0)

        def influence(i: Any, j: Any) -> Any:
            pulled = amplitude[i] * scale[j] * z[j] * rotating[i] / rotating[j] - z[i]
            return np.where(scale[i] * scale[j] > 0.0, fields.coupling_per_s * pulled, 0.0)

        pull = self.coupled(lambda i, j: influence(i, j).real) + 1j * self.coupled(
            lambda i, j: influence(i, j).imag
        )
        growth = fields.convergence_per_rad2_s * (amplitude**2 - np.abs(z) ** 2)
        slope = (growth + 2j * math.pi * fields.frequency_hz) * z + pull
        return np.stack([slope.real, slope.imag])

    def output(self, state: FloatArray, fields: Any) -> Any:
        """Return the angles of the joint axes."""
        return self.offsets(fields) + state[0]

    @property
    def cpg_amplitude_rad(self) -> float:
        """Mean radius of the yaw axes' oscillators."""
        return float(np.hypot(*self.state)[self._yaw].mean()) if self._yaw.any() else 0.0


KIND = ControllerKind(
    fields=HopfOscillatorsFields,
    make=HopfOscillators,
    title="CPG: Hopf oscillators",
    help="Coupled Hopf oscillators, whose limit cycles are circles (Righetti and Ijspeert 2008).",
    place=8,
    check=check_reach,
    effects=pitch_effects(),
    shown=("hopf_oscillators", "joint", "speed", "position"),
    plots=(
        Plot(
            "hopf_oscillators",
            "Hopf oscillators",
            (Curve("cpg_amplitude_rad", "amplitude"),),
            place=5,
        ),
    ),
)
