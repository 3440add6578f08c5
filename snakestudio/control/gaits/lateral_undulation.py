"""Lateral undulation: the serpenoid wave that P1 (70) and P2 (71) send along the joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio.control.gaits.ramp import Ramp, constant
from snakestudio.model.motion import LateralUndulation
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

__all__ = ["LateralUndulationGait"]

START_TOLERANCE = 1e-6
"""A start this near to the gait's pose is taken for it, rad: it comes from rounding."""


@dataclass(frozen=True, slots=True)
class _State:
    amplitude: Ramp
    omega: Ramp
    phase_shift: Ramp
    offset: Ramp
    phase: float  # phase of the first joint at omega.start, rad

    @property
    def steady(self) -> bool:
        """Whether nothing has been changed."""
        return not any(r.coefficients for r in (self.amplitude, self.omega, self.phase_shift, self.offset))


class LateralUndulationGait:
    """phi_i = A sin(Phi(t) + (i - 1) delta) + psi with Phi' = omega (P2 (71) while omega is constant).

    Changed parameters are reached over a short ramp, and the phase is the integral of the frequency, so that a slider
    moved while the robot runs makes no jump in the references. A robot that starts in another shape than the gait's is
    led to it over such a ramp, too: at these gains a jump of the references would throw it about.

    Parameters
    ----------
    scene : Scene
    start : (n-1,) array, optional
        Joint angles the robot starts with, rad; those of the gait if left out.
    """

    def __init__(self, scene: Scene, start: NDArray[np.float64] | None = None) -> None:
        gait = scene.gait
        self._joints = np.arange(scene.robot.n_joints, dtype=np.float64)
        self._gait: LateralUndulation = gait
        self._state = _State(
            amplitude=constant(gait.amplitude),
            omega=constant(gait.omega),
            phase_shift=constant(gait.phase_shift),
            offset=constant(gait.offset),
            phase=0.0,
        )
        self._away = np.zeros(len(self._joints))
        self._approach = constant(0.0)
        if start is not None:
            away = start - self.reference(np.zeros(1), None).angle[0, :, 0]
            furthest = float(np.abs(away).max())
            if furthest > START_TOLERANCE:
                self._away = away
                self._approach = constant(1.0).towards(0.0, 0.0, furthest)

    @property
    def needs(self) -> Fields:
        """Nothing: this is an open-loop gait."""
        return Fields.NONE

    def reference(self, time: NDArray[np.float64], snapshot: Snapshot | None) -> JointReference:
        """See `Controller.reference`; the references are exact at every knot."""
        state, t = self._state, time[:, None]
        if state.steady and not self._away.any():
            return self._steady(time)
        amplitude, d_amplitude, dd_amplitude = _ramp(state.amplitude, t)
        shift, d_shift, dd_shift = _ramp(state.phase_shift, t)
        offset, d_offset, dd_offset = _ramp(state.offset, t)
        phase = state.phase + state.omega.integral(t) + self._joints * shift
        d_phase = state.omega.value(t) + self._joints * d_shift
        dd_phase = state.omega.rate(t) + self._joints * dd_shift
        sine, cosine = np.sin(phase), np.cos(phase)
        shape = (len(time), len(self._joints), 2)
        angle, rate, acceleration = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        angle[:, :, 0] = amplitude * sine + offset
        rate[:, :, 0] = d_amplitude * sine + amplitude * cosine * d_phase + d_offset
        acceleration[:, :, 0] = (
            dd_amplitude * sine
            + 2 * d_amplitude * cosine * d_phase
            + amplitude * (cosine * dd_phase - sine * d_phase**2)
            + dd_offset
        )
        if self._away.any():
            left, d_left, dd_left = _ramp(self._approach, t)
            angle[:, :, 0] += left * self._away
            rate[:, :, 0] += d_left * self._away
            acceleration[:, :, 0] += dd_left * self._away
        return JointReference(time, angle, rate, acceleration)

    def _steady(self, time: NDArray[np.float64]) -> JointReference:
        """References while nothing changes: the same numbers with a quarter of the work."""
        state = self._state
        omega, amplitude = state.omega.target, state.amplitude.target
        phase = (state.phase + omega * (time - state.omega.start))[:, None] + self._joints * state.phase_shift.target
        angle, rate, acceleration = np.zeros((3, len(time), len(self._joints), 2))
        wave = amplitude * np.sin(phase)
        np.add(wave, state.offset.target, out=angle[:, :, 0])
        np.multiply(amplitude * np.cos(phase), omega, out=rate[:, :, 0])
        np.multiply(wave, -(omega**2), out=acceleration[:, :, 0])
        return JointReference(time, angle, rate, acceleration)

    def apply(self, scene: Scene, time: float) -> None:
        """Ramp to the parameters of `scene` from `time` on."""
        gait, state = scene.gait, self._state
        if gait == self._gait:
            return
        phase, omega = state.phase, state.omega
        if gait.omega != self._gait.omega:
            phase = float(phase + omega.integral(np.array([time]))[0])
            omega = omega.towards(gait.omega, time)
        self._state = _State(
            _changed(state.amplitude, gait.amplitude, time, 1.0),
            omega,
            # The far end of the robot feels a change of the phase shift once for every joint.
            _changed(state.phase_shift, gait.phase_shift, time, float(self._joints[-1]) * gait.amplitude),
            _changed(state.offset, gait.offset, time, 1.0),
            phase,
        )
        self._gait = gait

    def checkpoint(self) -> tuple[_State, LateralUndulation]:
        """The full state."""
        return self._state, self._gait

    def restore(self, checkpoint: tuple[_State, LateralUndulation]) -> None:
        """Go back to a state that `checkpoint` gave."""
        self._state, self._gait = checkpoint


def _ramp(ramp: Ramp, time: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    return ramp.value(time), ramp.rate(time), ramp.acceleration(time)


def _changed(ramp: Ramp, target: float, time: float, lever: float) -> Ramp:
    return ramp if ramp.target == target else ramp.towards(target, time, lever)
