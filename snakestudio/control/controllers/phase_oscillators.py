"""Coupled phase oscillators with controlled amplitude: the central pattern generator of AmphiBot and Salamandra.

A. J. Ijspeert, A. Crespi, D. Ryczko, J.-M. Cabelguen, From swimming to walking with a salamander
robot driven by a spinal cord model, Science 315 (2007), 1416-1420, doi:10.1126/science.1138353:
theta_i' = 2 pi f + sum_j w r_j sin(theta_j - theta_i - phi_ij), r_i'' = a (a/4 (R_i - r_i) - r_i').
The angle is r_i cos(theta_i) plus an offset, as in A. Crespi, A. J. Ijspeert, Online optimization of
swimming and crawling in an amphibious snake robot, IEEE Transactions on Robotics 24 (2008), 75-87,
doi:10.1109/TRO.2008.915426.
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


class PhaseOscillatorsFields(OscillatorFields):
    """One phase oscillator for each joint axis; each locks to its neighbours' phase lag."""

    kind: Literal["phase_oscillators"] = value(
        "phase_oscillators", label="Controller", help="Kind of controller"
    )
    coupling_per_s: float = value(
        10.0,
        label="Coupling",
        unit="1/s",
        symbol="w",
        help="Weight of a neighbour with an amplitude of 1 rad; sets how fast the phase lag converges",
        ge=0,
        le=50,
        slider=(0, 30),
        live=True,
    )
    amplitude_rate_per_s: float = value(
        10.0,
        label="Amplitude rate",
        unit="1/s",
        symbol="a",
        help="Rate a of the amplitude, which converges with critical damping at the rate a/2",
        gt=0,
        le=50,
        slider=(1, 30),
        live=True,
    )


class PhaseOscillators(OscillatorController):
    """Coupled phase oscillators; the state is phases, amplitudes and amplitude rates."""

    channels = ("cpg_amplitude_rad", "cpg_lag_rad")
    state_channels = ("phase_rad", "amplitude_rad", "amplitude_rate_radps")

    def first_state(self) -> FloatArray:
        """Return the phases to which the coupling converges; all amplitudes are 0."""
        lead = self.leads(self.fields)
        return np.stack([lead, 0.0 * lead, 0.0 * lead])

    def derivative(self, time: float, state: FloatArray, fields: Any) -> FloatArray:
        """Return the equations of Ijspeert et al."""
        phase, amplitude, rate = state
        lead = self.leads(fields)
        a = fields.amplitude_rate_per_s
        weight = fields.coupling_per_s * amplitude
        turn = self.coupled(
            lambda i, j: weight[j] * np.sin(phase[j] - phase[i] - (lead[j] - lead[i]))
        )
        towards = a * (a / 4.0 * (self.amplitudes(fields) - amplitude) - rate)
        return np.stack([2.0 * math.pi * fields.frequency_hz + turn, rate, towards])

    def output(self, state: FloatArray, fields: Any) -> Any:
        """Return the angles of the joint axes."""
        return self.offsets(fields) + state[1] * np.cos(state[0])

    @property
    def cpg_amplitude_rad(self) -> float:
        """Mean amplitude of the yaw axes."""
        return float(self.state[1][self._yaw].mean()) if self._yaw.any() else 0.0

    @property
    def cpg_lag_rad(self) -> float:
        """Mean phase lag between neighbouring yaw axes."""
        phase = self.state[0][self._yaw]
        number = self._number[self._yaw]
        return float(-np.polyfit(number, phase, 1)[0]) if len(phase) > 1 else 0.0


KIND = ControllerKind(
    fields=PhaseOscillatorsFields,
    make=PhaseOscillators,
    title="CPG: phase oscillators",
    help="Coupled phase oscillators with controlled amplitude (Ijspeert et al. 2007).",
    place=7,
    check=check_reach,
    effects=pitch_effects(),
    shown=("phase_oscillators", "joint", "speed", "position"),
    plots=(
        Plot(
            "phase_oscillators",
            "Phase oscillators",
            (
                Curve("cpg_amplitude_rad", "amplitude"),
                Curve("cpg_lag_rad", "phase lag", right=True),
            ),
            place=5,
        ),
    ),
)
