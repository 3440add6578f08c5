"""Base classes for controllers with state equations x' = f(t, x): a subclass supplies f and the joint angles."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.control.authoring import AngleController, channel_values
from snakestudio.control.ramp import Ramp, constant
from snakestudio.errors import MistakeError, Problem
from snakestudio.model.column_units import parted
from snakestudio.model.controllers import ControllerFields
from snakestudio.model.fields import value
from snakestudio.model.robot.joint_axes import entries
from snakestudio.model.scene import Scene
from snakestudio.model.shared_values import pitch_offset
from snakestudio.model.snapshot import Snapshot

LARGEST_STEP_S = 2e-3
"""Largest step of the integration, s: the eigenvalues of f must be below 250/s."""

LARGEST_CORRECTION = 0.03
"""Largest difference between both estimates at the midpoint of a step, relative to the state plus 1;
h lambda is then about 0.5."""

Derivative = Callable[[float, FloatArray], Any]


def integrate(
    derivative: Derivative,
    state: Any,
    time: FloatArray,
    step: float = LARGEST_STEP_S,
    *,
    check: bool = True,
) -> FloatArray:
    """Solve x' = f(t, x) at `time` by the classical Runge-Kutta method of order 4.

    Steps start and end at some of the times and are at most `step` long; longer intervals are divided
    into equal steps. Between the ends of a step the solution is the cubic Hermite interpolant.

    Raises `MistakeError` if f has another shape than x, or the steps do not resolve it.

    Parameters
    ----------
    derivative : callable
        f(t, x), of the shape of x.
    state : array
        x at `time[0]`, of any shape.
    time : (k,) array
        s, ascending.
    step : float
        s.
    check : bool
        Whether to check that the first step resolves f.

    Returns
    -------
    (k, ...) array
    """
    x = np.array(state, np.float64)
    slope = derivative(float(time[0]), x)
    if np.shape(slope) != x.shape:
        raise MistakeError(
            f"the derivative has the shape {np.shape(slope)}, but the state has {x.shape}",
            "return one of the same shape",
        )
    result = np.empty((len(time), *x.shape))
    result[0] = x
    begin = 0
    while begin < len(time) - 1:
        end = max(
            begin + 1,
            int(np.searchsorted(time, time[begin] + step * (1.0 + 1e-9), side="right")) - 1,
        )
        t = float(time[begin])
        length = float(time[end] - time[begin])
        count = max(1, math.ceil(length / step - 1e-9))
        h = length / count
        first = x
        first_slope = slope
        for number in range(count):
            x, correction = _step(derivative, t + number * h, x, h, slope)
            if check and not begin and not number:
                _check_step(t, h, x, correction)
            slope = derivative(t + (number + 1) * h, x)
        result[end] = x
        if end > begin + 1:
            fraction = (time[begin + 1 : end] - t) / length
            result[begin + 1 : end] = _between(
                fraction, first, x, length * first_slope, length * slope
            )
        begin = end
    if not np.isfinite(x).all():
        raise MistakeError(
            f"the state is not finite after t = {time[0]:.6g} s", "check the equations"
        )
    return result


def _step(
    derivative: Derivative, t: float, x: FloatArray, h: float, k1: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the state after a step, and difference between both estimates at its midpoint."""
    k2 = derivative(t + 0.5 * h, x + 0.5 * h * k1)
    k3 = derivative(t + 0.5 * h, x + 0.5 * h * k2)
    k4 = derivative(t + h, x + h * k3)
    return x + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4), h * (k3 - k2)


def _check_step(t: float, h: float, x: FloatArray, correction: FloatArray) -> None:
    worst = float((np.abs(correction) / (1.0 + np.abs(x))).max(initial=0.0))
    if not worst <= LARGEST_CORRECTION:
        raise MistakeError(
            f"steps of {h:.3g} s do not resolve the state equations at t = {t:.6g} s",
            "reduce the step, or make the equations less stiff",
        )


def _between(
    fraction: FloatArray, x0: FloatArray, x1: FloatArray, d0: FloatArray, d1: FloatArray
) -> FloatArray:
    """Cubic Hermite interpolant of a step at fractions of it."""
    s = fraction.reshape(-1, *(1 for _ in x0.shape))
    rest = 1.0 - s
    result: FloatArray = (
        rest**2 * (1.0 + 2.0 * s) * x0
        + s**2 * (1.0 + 2.0 * rest) * x1
        + s * rest * (rest * d0 - s * d1)
    )
    return result


class StateController(AngleController):
    """Base class of controllers with state equations; a subclass defines `first_state`, `derivative` and `output`.

    Fields that change during a run are ramped to their new values, and the state continues. The state is
    the attribute `state`; it is saved and restored.

    Parameters
    ----------
    start : (m,) array
        Initial angles of the joint axes, rad.
    """

    step_s: ClassVar[float] = LARGEST_STEP_S
    """Largest step of the integration, s."""

    state_channels: ClassVar[tuple[str, ...]] = ()
    """Names of the rows of a state (rows, m), each ending in its unit: "phase_rad" is recorded for
    each joint axis."""

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._ramps: dict[str, Ramp] = {}
        super().__init__(scene, start)
        self.state = np.array(self.first_state(), np.float64)
        shape = (len(self.state_channels), len(start))
        if self.state_channels and self.state.shape != shape:
            raise MistakeError(
                f"first_state() returns an array of shape {self.state.shape}, but state_channels has {shape[0]} names",
                f"return {shape[0]} x {shape[1]} numbers: names x joint axes",
            )
        self.channels = (  # type: ignore[misc]
            *type(self).channels,
            *(
                "_".join(filter(None, (stem, f"joint_{axis.joint + 1}_{axis.kind}", unit)))
                for stem, unit in map(parted, self.state_channels)
                for axis in scene.body.axes
            ),
        )

    def first_state(self) -> Any:
        """Return the state at the start of a run."""
        raise NotImplementedError

    def derivative(self, time: float, state: FloatArray, fields: Any) -> Any:
        """Return the derivative of the state, with the values of the fields at `time` (s)."""
        raise NotImplementedError

    def output(self, state: FloatArray, fields: Any) -> Any:
        """Return the angles of the joint axes for a state, (m,), rad."""
        raise NotImplementedError

    def values(self) -> FloatArray:
        """Return the values of the channels."""
        own = channel_values(self, type(self).channels)
        return np.concatenate([own, self.state.ravel() if self.state_channels else ()])

    def fields_at(self, time: float) -> Any:
        """Return the values of the fields at a time (s); changed ones are ramped."""
        fields = self.fields
        at = np.array([time])
        underway = {
            name: float(ramp.value(at)[0])
            for name, ramp in self._ramps.items()
            if time < ramp.start + ramp.duration
        }
        if not underway:
            return fields
        return type(fields).model_construct(**{**dict(fields), **underway})

    def angles(self, time: FloatArray, snapshot: Snapshot) -> FloatArray:
        """Return the angles of the joint axes, (k, m); advances the state."""
        settled = all(time[0] >= ramp.start + ramp.duration for ramp in self._ramps.values())
        fields = self.fields

        def present(t: float) -> Any:
            return fields if settled else self.fields_at(t)

        states = integrate(
            lambda t, x: self.derivative(t, x, present(t)), self.state, time, self.step_s
        )
        self.state = states[-1].copy()
        if settled:
            return self.outputs(states, fields)
        return np.stack(
            [self._output(state, present(float(t))) for t, state in zip(time, states, strict=True)]
        )

    def outputs(self, states: FloatArray, fields: Any) -> FloatArray:
        """Return the angles for several states with the same fields, (k, m): `output` of each state."""
        return np.stack([self._output(state, fields) for state in states])

    def _output(self, state: FloatArray, fields: Any) -> FloatArray:
        return np.asarray(self.output(state, fields), np.float64)

    def apply(self, scene: Scene, time: float) -> None:
        """Ramp the fields to the values of `scene` from `time` on."""
        before, after = self.fields, scene.controller
        if type(after) is type(before):
            for name, new in dict(after).items():
                old = getattr(before, name)
                if new != old and type(new) is float and type(old) is float:
                    self._ramps[name] = self._ramps.get(name, constant(old)).towards(new, time)
        super().apply(scene, time)

    def checkpoint(self) -> Any:
        """Return the full state."""
        state, *rest = super().checkpoint()
        del state["channels"]
        return (state, *rest), dict(self._ramps)

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        (state, *rest), ramps = checkpoint
        super().restore(({**state, "channels": self.channels}, *rest))
        self._ramps = dict(ramps)


# ---------------------------------------------------------------------------- chains of oscillators


class OscillatorFields(ControllerFields):
    """Fields of a central pattern generator with an oscillator for each yaw and pitch axis."""

    uses = ()

    amplitude_deg: float = value(
        30.0,
        label="Amplitude",
        unit="°",
        symbol="A",
        help="Amplitude of the yaw axes",
        ge=0,
        le=90,
        slider=(0, 60),
        live=True,
    )
    frequency_hz: float = value(
        0.5,
        label="Frequency",
        unit="Hz",
        symbol="f",
        help="Frequency of all oscillators",
        ge=0.01,
        le=5,
        slider=(0.1, 2),
        live=True,
    )
    phase_lag_deg: float = value(
        50.0,
        label="Phase lag",
        unit="°",
        symbol="φ",
        help="Phase lag of each joint behind the previous one, from the head; negative: backwards",
        ge=-180,
        le=180,
        slider=(-120, 120),
        live=True,
    )
    offset_deg: float = value(
        0.0,
        label="Offset",
        unit="°",
        symbol="ψ",
        help="Constant angle of all yaw axes, which turns the robot",
        ge=-90,
        le=90,
        slider=(-20, 20),
        live=True,
    )
    pitch_amplitude_deg: float = value(
        0.0,
        label="Pitch amplitude",
        unit="°",
        symbol="A_v",
        help="Amplitude of the pitch axes",
        ge=0,
        le=90,
        slider=(0, 40),
        live=True,
    )
    pitch_phase_deg: float = value(
        90.0,
        label="Pitch phase",
        unit="°",
        symbol="δ",
        help="Phase lead of the pitch axis over the yaw axis at the same joint",
        ge=-360,
        le=360,
        slider=(-180, 180),
        live=True,
    )
    pitch_offset_deg: float = pitch_offset(
        "Constant angle of all pitch axes, which arches the robot"
    )


class OscillatorController(StateController):
    """Base class of central pattern generators: an oscillator for each joint axis, coupled to its neighbours.

    Neighbours are consecutive axes of the same kind, counted from the head, and each pitch axis and the
    nearest yaw axis. Roll axes stay at 0.
    """

    def begin(self) -> None:
        """Set up the coupling."""
        axes = self.scene.body.axes
        robot = self.scene.robot
        number = np.array([axis.joint for axis in axes], np.float64)
        # from the head
        self._number = number if robot.head == "first" else robot.n_joints - 1 - number
        yaw, pitch = entries(axes, "yaw"), entries(axes, "pitch")
        self._yaw, self._pitch = (np.isin(np.arange(len(axes)), each) for each in (yaw, pitch))
        pairs = [pair for of in (yaw, pitch) for pair in pairwise(of.tolist())]
        if len(yaw):
            pairs += [(each, yaw[np.abs(number[yaw] - number[each]).argmin()]) for each in pitch]
        both = np.array([*pairs, *((b, a) for a, b in pairs)], np.intp).reshape(-1, 2)
        self._to: IndexArray = both[:, 0].copy()
        self._from: IndexArray = both[:, 1].copy()
        self._known: tuple[Any, FloatArray, FloatArray] | None = (
            None  # amplitudes and leads of the last fields
        )

    def amplitudes(self, fields: Any) -> FloatArray:
        """Return the amplitudes of all axes, (m,), rad."""
        return self._constants(fields)[1]

    def _constants(self, fields: Any) -> tuple[Any, FloatArray, FloatArray]:
        known = self._known
        if known is None or known[0] is not fields:
            amplitude = np.radians(
                self._yaw * fields.amplitude_deg + self._pitch * fields.pitch_amplitude_deg
            )
            lead = np.radians(
                self._pitch * fields.pitch_phase_deg - self._number * fields.phase_lag_deg
            )
            self._known = known = fields, amplitude, lead
        return known

    def offsets(self, fields: Any) -> FloatArray:
        """Return the offsets of all axes, (m,), rad."""
        offset: FloatArray = np.radians(
            self._yaw * fields.offset_deg + self._pitch * fields.pitch_offset_deg
        )
        return offset

    def leads(self, fields: Any) -> FloatArray:
        """Return the phases of all axes relative to the yaw axis at the head, (m,), rad."""
        return self._constants(fields)[2]

    def outputs(self, states: FloatArray, fields: Any) -> FloatArray:
        """Return the angles for several states; `output` receives them as (rows, k, m)."""
        return np.asarray(self.output(np.moveaxis(states, 0, 1), fields), np.float64)

    def coupled(self, influence: Callable[[IndexArray, IndexArray], FloatArray]) -> FloatArray:
        """Sum of the influences on each axis, (m,): `influence(i, j)` is that of the axes j on their neighbours i."""
        influences = influence(self._to, self._from)
        return np.asarray(np.bincount(self._to, influences, self.n_axes), np.float64)


def pitch_effects(
    keys: tuple[str, ...] = (),
) -> tuple[tuple[tuple[str, ...], Callable[[Scene], bool], str], ...]:
    """Condition for an effect of the pitch fields of an oscillator controller, for `ControllerKind.effects`."""
    names = tuple(
        f"controller.{name}" for name in OscillatorFields.model_fields if name.startswith("pitch_")
    )
    return (((*names, *keys), _has_pitch, "only with pitch axes"),)


def _has_pitch(scene: Scene) -> bool:
    return any(axis.kind == "pitch" for axis in scene.body.axes)


def check_reach(scene: Scene) -> list[Problem]:
    """Return warnings if an oscillator controller exceeds the joint limits."""
    law = scene.controller
    limit = scene.robot.joint_limit_deg
    assert isinstance(law, OscillatorFields)
    reach = law.amplitude_deg + abs(law.offset_deg)
    if limit is None or reach <= limit:
        return []
    message = f"the oscillators reach {reach:g}°, but the joints stop at {limit:g}°"
    remedy = f"reduce amplitude plus offset to at most {limit:g}°"
    return [Problem("warning", "controller.amplitude_deg", message, remedy)]
