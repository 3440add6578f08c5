"""A gait with variable frequency, amplitude, offset and shape, all of which change without a jump."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.limited import LimitedMotion, Limits, resting
from snakestudio.control.look_ahead import LookAhead, Motion
from snakestudio.model.motion import GaitFields, Wave
from snakestudio.model.robot.joint_axes import entries, joints
from snakestudio.model.robot.robot import Axis, Robot


class Shape(NamedTuple):
    """A gait without its speed: angle_i = A sin(r Phi + (i - 1) delta + delta_0) + psi of yaw and of pitch."""

    yaw: Wave
    """Its `omega` is r, the signed rate of the wave relative to the common phase Phi."""

    pitch: Wave
    """Its `omega` is r, as for `yaw`."""

    @property
    def vertical(self) -> str:
        """Kind of axes that the pitch wave moves."""
        return "pitch"

    @property
    def envelope(self) -> tuple[float, ...]:
        """Amplitude factors of all joints; () if all are 1."""
        return ()


class EnvelopedShape(NamedTuple):
    """A shape whose amplitudes differ from joint to joint, or whose pitch wave moves other axes."""

    yaw: Wave
    pitch: Wave
    vertical: str
    envelope: tuple[float, ...]


def shape_of(gait: GaitFields, robot: Robot, spatial: bool) -> Shape | EnvelopedShape:
    """Shape of a gait on a robot; Phi has the rate of the yaw wave, or of the pitch wave if there is no yaw wave."""
    of_body = gait.waves(robot)
    waves = [of_body.yaw, of_body.pitch if spatial else Wave(0.0, 0.0, 0.0, 0.0, 0.0)]
    leading = next((abs(wave.omega) for wave in waves if wave.amplitude and wave.omega), 1.0)
    yaw, pitch = (wave._replace(omega=wave.omega / leading) for wave in waves)
    if of_body.envelope or of_body.vertical != "pitch":
        return EnvelopedShape(yaw, pitch, of_body.vertical, of_body.envelope)
    return Shape(yaw, pitch)


class Aim(NamedTuple):
    """Targets of a steered gait, and their limits."""

    shape: Shape | EnvelopedShape
    frequency: float
    """Frequency of the phase, rad/s; negative: backwards."""

    amplitude: float
    """Fraction of the shape's amplitudes."""

    offset: float
    """Offset of the yaw of all joints, rad."""

    limits: tuple[Limits, Limits, Limits, Limits]
    """Limits of frequency, amplitude, offset, and of the weight of a new shape."""


@dataclass(frozen=True, slots=True)
class _State:
    """State of a steered gait."""

    frequency: LimitedMotion
    """Frequency of the phase, rad/s."""

    amplitude: LimitedMotion
    """Fraction of the shape's amplitudes."""

    offset: LimitedMotion
    """Offset of the yaw of all joints, rad."""

    turned: float
    """Phase at `frequency.since`, rad."""

    shape: Shape | EnvelopedShape
    """The joints follow (1 - blend) of this shape and blend of `other`."""

    other: Shape | EnvelopedShape
    """Second shape of the blend."""

    blend: LimitedMotion
    """Aimed at 0 or 1."""

    def phase(self, time: FloatArray) -> FloatArray:
        """Return the phase at `time` (s), rad."""
        return self.turned + self.frequency.integral(time)


class SteeredGait:
    """Evaluates a steered gait, which starts at rest with the phase 0.

    Parameters
    ----------
    axes : tuple of Axis
        Axes of the joints.
    step : float
        Time step, s.
    """

    def __init__(self, axes: tuple[Axis, ...], shape: Shape | EnvelopedShape, step: float) -> None:
        self._m = len(axes)
        self._ahead = LookAhead(self._evaluated, step, self._m)
        self._axes = {
            kind: (entries(axes, kind), joints(axes, kind).astype(np.float64))
            for kind in ("yaw", "pitch", "roll")
        }
        self._state = _State(
            resting(0.0), resting(1.0), resting(0.0), 0.0, shape, shape, resting(0.0)
        )
        self._known = self._state  # at the last evaluation

    def motion(self, time: FloatArray, through_ramps: bool = False) -> Motion:
        """Return angles, rates and accelerations at `time` ((k,), s), exact."""
        if self._state is self._known:
            return self._ahead.motion(time)
        self._known = self._state
        self._ahead.clear()  # a moving stick changes the motion in each period
        return self._evaluated(time)

    def _evaluated(self, time: FloatArray) -> Motion:
        state = self._state
        time = time[:, None]
        amplitude, blend, offset = (
            q.at(time) for q in (state.amplitude, state.blend, state.offset)
        )
        omega, d_omega, _ = state.frequency.at(time)
        phase = state.phase(time)
        motion = np.zeros((3, len(time), self._m))
        # Usually there is only one shape.
        alone = not (blend[0].any() or blend[1].any())
        for shape, weight in ((state.shape, _rest(blend)), (state.other, blend))[
            : 1 if alone else 2
        ]:
            lifted = amplitude if alone else _product(weight, amplitude)
            for kind, wave in (("yaw", shape.yaw), (shape.vertical, shape.pitch)):
                entries_of, joints_of = self._axes[kind]
                if wave.amplitude:
                    turned = wave.omega * phase + joints_of * wave.phase_shift + wave.phase
                    swung = _sine(turned, wave.omega * omega, wave.omega * d_omega)
                    swing = wave.amplitude * np.stack(_product(lifted, swung))
                    if shape.envelope:
                        swing *= np.array(shape.envelope)[joints_of.astype(np.intp)]
                    motion[..., entries_of] += swing
                if wave.offset:
                    motion[..., entries_of] += wave.offset * np.stack(weight)
        motion[..., self._axes["yaw"][0]] += np.stack(offset)
        return motion[0], motion[1], motion[2]

    def aim(self, aim: Aim, time: float) -> None:
        """Move to the targets of `aim` from `time` (s) on; a third shape waits for the second, see `arrived`."""
        state = self._state
        now = np.array([time])
        of_frequency, of_amplitude, of_offset, of_blend = aim.limits
        if aim.frequency != state.frequency.target:
            turned = float(state.phase(now)[0])
            state = replace(
                state,
                turned=turned,
                frequency=state.frequency.aimed(aim.frequency, of_frequency, time),
            )
        if aim.amplitude != state.amplitude.target:
            state = replace(
                state, amplitude=state.amplitude.aimed(aim.amplitude, of_amplitude, time)
            )
        if aim.offset != state.offset.target:
            state = replace(state, offset=state.offset.aimed(aim.offset, of_offset, time))
        self._state = self._towards(state, aim.shape, of_blend, time)

    @staticmethod
    def _towards(
        state: _State, shape: Shape | EnvelopedShape, limits: Limits, time: float
    ) -> _State:
        """Return `state` with a transition to `shape`."""
        if time >= state.blend.end:
            if state.blend.target == 1.0:
                state = replace(state, shape=state.other, blend=resting(0.0))
            if shape != state.shape:
                return replace(state, other=shape, blend=resting(0.0).aimed(1.0, limits, time))
            return state
        target = (
            0.0 if shape == state.shape else 1.0 if shape == state.other else state.blend.target
        )
        if target != state.blend.target:
            state = replace(state, blend=state.blend.aimed(target, limits, time))
        return state

    def arrived(self, shape: Shape | EnvelopedShape) -> bool:
        """Return whether the gait has this shape or is changing to it; otherwise call `aim` again."""
        state = self._state
        return shape == (state.other if state.blend.target == 1.0 else state.shape)

    def values(self, time: float) -> tuple[float, float, float]:
        """Return the frequency (rad/s), fraction of the amplitude and offset (rad) at `time` (s)."""
        state = self._state
        return (
            state.frequency.value_at(time),
            state.amplitude.value_at(time),
            state.offset.value_at(time),
        )

    def checkpoint(self) -> _State:
        """Return the full state."""
        return self._state

    def restore(self, checkpoint: _State) -> None:
        """Restore a state returned by `checkpoint`."""
        self._state = checkpoint


Jet = tuple[FloatArray, FloatArray, FloatArray]
"""A function of time with its first two derivatives."""


def _rest(part: Jet) -> Jet:
    return 1.0 - part[0], -part[1], -part[2]


def _product(a: Jet, b: Jet) -> Jet:
    return a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2]


def _sine(phase: FloatArray, rate: FloatArray, acceleration: FloatArray) -> Jet:
    sine = np.sin(phase)
    cosine = np.cos(phase)
    return sine, cosine * rate, cosine * acceleration - sine * rate**2
