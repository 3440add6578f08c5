"""The yaw and pitch waves along the joints of P1 (70), (71) and P2 (71); lateral undulation has only the first."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.control.look_ahead import LookAhead, Motion
from snakestudio.control.ramp import Ramp, constant
from snakestudio.model.motion import BodyWaves, GaitFields, Wave
from snakestudio.model.robot.joint_axes import entries, joints
from snakestudio.model.scene import Scene

NO_WAVE = Wave(0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class _WaveState:
    """One wave; angle_i = A sin(turned + integral of omega since omega.start + (i - 1) delta + lead) + psi."""

    wave: Wave  # targets of all ramps
    amplitude: Ramp
    omega: Ramp
    phase_shift: Ramp
    lead: Ramp
    offset: Ramp
    turned: float = 0.0  # phase accumulated before omega.start, rad

    @property
    def steady(self) -> bool:
        """Whether no parameter has been changed."""
        ramps = (self.amplitude, self.omega, self.phase_shift, self.lead, self.offset)
        return not any(ramp.coefficients for ramp in ramps)

    @property
    def absent(self) -> bool:
        """Whether there is no such wave."""
        return self.steady and self.amplitude.target == 0.0 and self.offset.target == 0.0

    def passed(self, time: float) -> float:
        """Return the phase accumulated since t = 0, rad."""
        return float(self.turned + self.omega.integral(np.array([time]))[0])


def _state(wave: Wave) -> _WaveState:
    return _WaveState(
        wave,
        amplitude=constant(wave.amplitude),
        omega=constant(wave.omega),
        phase_shift=constant(wave.phase_shift),
        lead=constant(wave.phase),
        offset=constant(wave.offset),
    )


class WaveGait:
    """angle_i = A sin(Phi(t) + (i - 1) delta + delta_0) + psi with Phi' = omega, of yaw and of pitch (P1 (70), (71)).

    Changed parameters are ramped, and the phase is the integral of the frequency, so that moving a slider
    during a run does not make the references jump. After a change, the pitch wave returns to its phase
    relative to the yaw wave, Phi_v = (omega_v / omega_h) Phi_h, as if both had these frequencies from the
    start.

    Parameters
    ----------
    scene : Scene
        Its yaw and pitch axes follow their waves; its roll axes stay at 0, unless the vertical wave of the
        gait moves them.
    """

    def __init__(self, scene: Scene) -> None:
        self._robot = scene.robot
        self._last_joint = max(0, scene.robot.n_joints - 1)
        self._body_axes = scene.body.axes
        self._m = len(self._body_axes)
        self._ahead = LookAhead(
            lambda time: self._evaluated(time, False), scene.solver.step_s, self._m
        )
        waves = scene.waves
        self._vertical = waves.vertical
        self._set_states(
            (_state(waves.yaw), _state(waves.pitch)),
            tuple(constant(factor) for factor in waves.envelope),
        )

    @property
    def _axes(self) -> list[tuple[IndexArray, FloatArray]]:
        """Entries and joints of the axes that follow the yaw wave and the pitch wave."""
        axes = self._body_axes
        return [
            (entries(axes, kind), joints(axes, kind).astype(np.float64))
            for kind in ("yaw", self._vertical)
        ]

    def _set_states(
        self, states: tuple[_WaveState, _WaveState], envelope: tuple[Ramp, ...]
    ) -> None:
        self._states = states
        self._envelope = envelope
        even = not any(ramp.coefficients for ramp in envelope)
        self._ahead.clear()
        self._present = [
            (*axes, state, state.steady and even)
            for axes, state in zip(self._axes, states, strict=True)
            if len(axes[0]) and not state.absent
        ]

    def motion(self, time: FloatArray, through_ramps: bool = False) -> Motion:
        """Exact angles, rates and accelerations at `time` ((k,), s); `through_ramps` disables the fast path."""
        return self._evaluated(time, True) if through_ramps else self._ahead.motion(time)

    def _evaluated(self, time: FloatArray, through_ramps: bool) -> Motion:
        angle, rate, acceleration = np.zeros((3, len(time), self._m))
        for entries_of, joints_of, state, steady in self._present:
            if steady and not through_ramps:
                wave = _steady(state, joints_of, time, self._factors_at(joints_of, None))
            else:
                wave = _ramped(state, joints_of, time[:, None], self._factors_at(joints_of, time))
            angle[:, entries_of], rate[:, entries_of], acceleration[:, entries_of] = wave
        return angle, rate, acceleration

    def _factors_at(
        self, joints_of: FloatArray, time: FloatArray | None
    ) -> tuple[FloatArray, ...] | None:
        """Amplitude factors of some joints and their derivatives at `time`, or their targets; None if all are 1."""
        if not self._envelope:
            return None
        ramps = [self._envelope[int(joint)] for joint in joints_of]
        if time is None:
            return (np.array([ramp.target for ramp in ramps]),)
        parts = [
            np.stack(part, axis=1)
            for part in zip(*(_ramp(ramp, time) for ramp in ramps), strict=True)
        ]
        return tuple(parts)

    def apply(self, gait: GaitFields, time: float) -> None:
        """Ramp to the parameters of `gait` from `time` on."""
        waves = gait.waves(self._robot)
        before = self._states
        if waves.vertical != self._vertical:  # this robot has axes for only one of them
            self._vertical = waves.vertical
            before = (before[0], _state(NO_WAVE))
        yaw, pitch = (
            self._changed(s, w, time) for s, w in zip(before, (waves.yaw, waves.pitch), strict=True)
        )
        if waves.yaw != NO_WAVE:
            yaw = self._led(yaw, waves.yaw.phase, time)
        if (yaw, pitch) != self._states and waves.pitch != NO_WAVE:
            pitch = self._synchronized(yaw, pitch, time)
        self._set_states((yaw, pitch), self._enveloped(waves, time))

    def _enveloped(self, waves: BodyWaves, time: float) -> tuple[Ramp, ...]:
        """Return the ramps of the amplitude factors to those of `waves`."""
        if not (self._envelope or waves.envelope):
            return ()
        count = self._robot.n_joints
        present = self._envelope or tuple(constant(1.0) for _ in range(count))
        lever = max(abs(waves.yaw.amplitude), abs(waves.pitch.amplitude))
        return tuple(
            _towards(ramp, factor, time, lever)
            for ramp, factor in zip(present, waves.envelope or (1.0,) * count, strict=True)
        )

    def _changed(self, state: _WaveState, wave: Wave, time: float) -> _WaveState:
        """Return `state` with ramps to `wave`, except for the lead."""
        if wave == state.wave:
            return state
        amplitude = _towards(state.amplitude, wave.amplitude, time)
        offset = _towards(state.offset, wave.offset, time)
        state = replace(state, wave=wave, amplitude=amplitude, offset=offset)
        if wave == NO_WAVE:  # a fading wave keeps its shape
            return state
        if wave.omega != state.omega.target:
            state = replace(
                state, turned=state.passed(time), omega=state.omega.towards(wave.omega, time)
            )
        # At the far end of the robot, a change of the phase shift is multiplied by the number of joints.
        lever = float(self._last_joint) * abs(wave.amplitude)
        return replace(
            state, phase_shift=_towards(state.phase_shift, wave.phase_shift, time, lever)
        )

    @staticmethod
    def _led(state: _WaveState, lead: float, time: float) -> _WaveState:
        """Return `state` with a ramp to a lead (rad), in the shorter direction."""
        lead += 2.0 * math.pi * round((state.lead.target - lead) / (2.0 * math.pi))
        if abs(lead - state.lead.target) < 1e-9:  # rounding
            return state
        return replace(state, lead=state.lead.towards(lead, time, abs(state.wave.amplitude)))

    def _synchronized(self, yaw: _WaveState, pitch: _WaveState, time: float) -> _WaveState:
        """Return `pitch` with the lead that gives it the right phase relative to `yaw` after the ramps."""
        lead = pitch.wave.phase
        if yaw.omega.target != 0.0:
            settled = max(time, *(ramp.start + ramp.duration for ramp in (yaw.omega, pitch.omega)))
            lead += pitch.omega.target / yaw.omega.target * yaw.passed(settled) - pitch.passed(
                settled
            )
        return self._led(pitch, lead, time)

    def checkpoint(self) -> Any:
        """Return the full state."""
        return (*self._states, *self._envelope)

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        yaw, pitch, *envelope = checkpoint
        self._set_states((yaw, pitch), tuple(envelope))


def _ramped(
    state: _WaveState, joints_of: FloatArray, t: FloatArray, factors: tuple[FloatArray, ...] | None
) -> Motion:
    """Return the motion of one wave at some joints while its parameters change."""
    amplitude, d_amplitude, dd_amplitude = _ramp(state.amplitude, t)
    if factors is not None:
        factor, d_factor, dd_factor = factors
        dd_amplitude = dd_amplitude * factor + 2 * d_amplitude * d_factor + amplitude * dd_factor
        d_amplitude = d_amplitude * factor + amplitude * d_factor
        amplitude = amplitude * factor
    shift, d_shift, dd_shift = _ramp(state.phase_shift, t)
    lead, d_lead, dd_lead = _ramp(state.lead, t)
    offset, d_offset, dd_offset = _ramp(state.offset, t)
    phase = state.turned + state.omega.integral(t) + joints_of * shift + lead
    d_phase = state.omega.value(t) + joints_of * d_shift + d_lead
    dd_phase = state.omega.rate(t) + joints_of * dd_shift + dd_lead
    sine = np.sin(phase)
    cosine = np.cos(phase)
    angle = amplitude * sine + offset
    rate = d_amplitude * sine + amplitude * cosine * d_phase + d_offset
    acceleration = (
        dd_amplitude * sine
        + 2 * d_amplitude * cosine * d_phase
        + amplitude * (cosine * dd_phase - sine * d_phase**2)
        + dd_offset
    )
    return angle, rate, acceleration


def _steady(
    state: _WaveState,
    joints_of: FloatArray,
    time: FloatArray,
    factors: tuple[FloatArray, ...] | None,
) -> Motion:
    """Motion of one wave at some joints with constant parameters: the same values at a quarter of the cost."""
    omega = state.omega.target
    amplitude = state.amplitude.target if factors is None else state.amplitude.target * factors[0]
    begin = (state.turned + omega * (time - state.omega.start))[:, None]
    phase = begin + joints_of * state.phase_shift.target + state.lead.target
    wave = amplitude * np.sin(phase)
    return wave + state.offset.target, amplitude * np.cos(phase) * omega, wave * -(omega**2)


def _ramp(ramp: Ramp, time: FloatArray) -> tuple[FloatArray, ...]:
    return ramp.value(time), ramp.rate(time), ramp.acceleration(time)


def _towards(ramp: Ramp, target: float, time: float, lever: float = 1.0) -> Ramp:
    return ramp if ramp.target == target else ramp.towards(target, time, lever)
