"""Compliance: parameters of a gait yield to the loads on the joints like a mass on a spring and a damper.

Shape-based compliance: M. Travers, J. Whitman, H. Choset, Shape-based coordination in locomotion
control, The International Journal of Robotics Research 37 (2018), 1253-1268,
doi:10.1177/0278364918761569: M x'' + B x' + K (x - x_0) = J^T tau, where x are parameters of the
gait, x_0 their values in the scene, J = d(joint angles) / dx, and tau the load on the joints: the
negative of the motor torques.

A frequency acts through the phase: the gait's clock runs at the rate x / x_0, and J is d(angles) /
d(phase) times 1 s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.look_ahead import Motion
from snakestudio.control.ramp import Ramp, constant
from snakestudio.control.set_points import SetPoints
from snakestudio.errors import Problem, SceneError
from snakestudio.kinds.controller import ControllerKind, Curve, Plot, Said
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.controllers import ControllerFields
from snakestudio.model.fields import field_doc, value
from snakestudio.model.motion import GaitFields
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

CHANNELS = ("compliance_load_nm", "compliance_share")
"""J^T tau of the first parameter, and its x - x_0 as a fraction of the largest change."""

_DIFFERENCE = 1e-4
"""Step of the finite differences that give J, rad."""

_CHANNEL_UNITS = {"_deg_s": "_radps", "_rad_s": "_radps", "_deg": "_rad"}


class ComplianceFields(ControllerFields):
    """Parameters of the gait yield to the loads on the joints and return when the loads are gone."""

    kind: Literal["compliance"] = value(
        "compliance", label="Controller", help="Parameters of the gait yield to loads"
    )
    parameters: str = value(
        "amplitude_deg",
        label="Parameters",
        max_length=500,
        help="Parameters of the gait that yield, separated by commas: amplitude_deg, offset_deg, frequency_deg_s",
    )
    inertia_kg_m2: float = value(
        1.0,
        label="Inertia",
        unit="kg m²",
        symbol="M",
        help="Inertia of a parameter: a larger value delays its response to a load",
        gt=0,
        le=1e4,
        slider=(0.05, 10),
        live=True,
    )
    damping_nms_per_rad: float = value(
        10.0,
        label="Damping",
        unit="N m s/rad",
        symbol="B",
        help="Damping of a parameter: a larger value slows its motion",
        ge=0,
        le=1e5,
        slider=(0, 50),
        live=True,
    )
    stiffness_nm_per_rad: float = value(
        10.0,
        label="Stiffness",
        unit="N m/rad",
        symbol="K",
        help="Stiffness of a parameter: the load per unit of deviation",
        ge=0,
        le=1e6,
        slider=(0, 200),
        live=True,
    )
    largest_change_deg: float = value(
        20.0,
        label="Largest change",
        unit="°",
        help="Largest deviation of a parameter from its value in the gait (°, °/s)",
        gt=0,
        le=360,
        slider=(1, 60),
        live=True,
    )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(self.parameters.replace(",", " ").split())


@dataclass(frozen=True, slots=True)
class _State:
    """Parameters and their rates, rad and rad/s (per s for a frequency), and the loads on them, N m."""

    value: tuple[float, ...]
    rate: tuple[float, ...]
    load: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _GaitState:
    """State of the gait from `begin` on: the parameters change from `before` to `after` until `end`, then stay."""

    fields: GaitFields
    """All other values of the gait."""

    earlier: tuple[tuple[GaitFields, Ramp], ...]
    """Previous values, with the weight that they still have."""

    before: tuple[float, ...]
    after: tuple[float, ...]
    """Parameters at `begin` and at `end`."""

    begin: float = 0.0
    end: float = 1.0
    """Start and end of the change, s."""

    clock: float = 0.0
    """Time of the gait at `begin`, s."""


def _is_rate(name: str) -> bool:
    return name.endswith(("_deg_s", "_rad_s", "_hz")) or name == "speed"


def _unit(name: str) -> float:
    return math.radians(1.0) if "_deg" in name else 1.0


def _values(gait: GaitFields, names: tuple[str, ...]) -> tuple[float, ...]:
    return tuple(float(getattr(gait, name)) * _unit(name) for name in names)


class _YieldingGait:
    """The gait of a scene, whose parameters change from one control period to the next."""

    def __init__(self, scene: Scene, names: tuple[str, ...]) -> None:
        self._scene = scene
        self._names = names
        first = _values(scene.gait, names)
        self._rate = next((index for index, name in enumerate(names) if _is_rate(name)), None)
        # rate at which the gait's clock runs like that of the run
        self._nominal = 1.0 if self._rate is None else first[self._rate]
        self._laws: dict[GaitFields, Any] = {}
        self.state = _GaitState(scene.gait, (), first, first)

    def _motion_of(
        self, fields: GaitFields, parameters: tuple[float, ...], clock: FloatArray
    ) -> Motion:
        changes = {
            name: number / _unit(name)
            for index, (name, number) in enumerate(zip(self._names, parameters, strict=True))
            if index != self._rate
        }
        gait = fields.model_copy(update=changes)
        if gait not in self._laws:
            while len(self._laws) > 3:
                del self._laws[next(iter(self._laws))]
            make = GAIT_KINDS[gait.kind].make
            assert make is not None
            self._laws[gait] = make(self._scene.model_copy(update={"gait": gait}))
        motion: Motion = self._laws[gait].motion(clock, True)
        return motion

    def _blended(
        self, parameters: tuple[float, ...], time: FloatArray, clock: FloatArray
    ) -> Motion:
        """Return the gait with the given parameters; the weight of previous values decays to 0."""
        motion = self._motion_of(self.state.fields, parameters, clock)
        for fields, ramp in self.state.earlier:
            if time[0] >= ramp.start + ramp.duration:
                continue
            other = self._motion_of(fields, parameters, clock)
            weight, d_weight, dd_weight = (
                of(time)[:, None] for of in (ramp.value, ramp.rate, ramp.acceleration)
            )
            d, dd, ddd = (a - b for a, b in zip(other, motion, strict=True))
            motion = (
                motion[0] + weight * d,
                motion[1] + weight * dd + d_weight * d,
                motion[2] + weight * ddd + 2.0 * d_weight * dd + dd_weight * d,
            )
        return motion

    def _clock(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the time of the gait and its derivatives."""
        state = self.state
        if self._rate is None:
            return time, np.ones_like(time), np.zeros_like(time)
        length = state.end - state.begin
        one = state.before[self._rate] / self._nominal
        other = state.after[self._rate] / self._nominal
        passed = np.clip(time - state.begin, 0.0, length)
        change = (other - one) / length
        clock = (
            state.clock + one * np.minimum(time - state.begin, length) + 0.5 * change * passed**2
        )
        clock += other * np.maximum(time - state.end, 0.0)
        during = (time >= state.begin) & (time <= state.end)
        return clock, one + change * passed, np.where(during, change, 0.0)

    def motion(self, time: FloatArray, through_ramps: bool = False) -> Motion:
        """Return angles, rates and accelerations at `time` ((k,), s)."""
        state = self.state
        clock, pace, d_pace = self._clock(time)
        angle, rate, acceleration = self._blended(state.before, time, clock)
        d_weight = 0.0
        if state.after != state.before:
            fraction = np.clip((time - state.begin) / (state.end - state.begin), 0.0, 1.0)[:, None]
            d_weight = 1.0 / (state.end - state.begin)
            d, dd, ddd = (
                b - a
                for a, b in zip(
                    (angle, rate, acceleration),
                    self._blended(state.after, time, clock),
                    strict=True,
                )
            )
            angle = angle + fraction * d
            rate = rate + fraction * dd
            acceleration = acceleration + fraction * ddd
            within = ((time >= state.begin) & (time <= state.end))[:, None]
            moved = np.where(within, d_weight * d, 0.0)
            moved_rate = np.where(within, 2.0 * d_weight * dd, 0.0)
        else:
            moved = moved_rate = np.zeros_like(angle)
        pace = pace[:, None]
        d_pace = d_pace[:, None]
        return (
            angle,
            pace * rate + moved,
            pace**2 * acceleration + d_pace * rate + pace * moved_rate,
        )

    def slopes(self, time: float) -> FloatArray:
        """Return the J at `time`, (m, p)."""
        at = np.array([time])
        clock = self._clock(at)[0]
        now = self.state.after
        columns = []
        for index in range(len(now)):
            if index == self._rate:
                columns.append(self._blended(now, at, clock)[1][0] / self._nominal)
                continue
            sides = [
                self._blended((*now[:index], now[index] + side, *now[index + 1 :]), at, clock)[0][0]
                for side in (_DIFFERENCE, -_DIFFERENCE)
            ]
            columns.append((sides[0] - sides[1]) / (2.0 * _DIFFERENCE))
        return np.stack(columns, axis=1)

    def aim(self, parameters: tuple[float, ...], time: float, length: float) -> None:
        """Move the parameters to other values until `time` + `length` (s)."""
        clock = float(self._clock(np.array([time]))[0][0])
        self.state = replace(
            self.state,
            before=self.state.after,
            after=parameters,
            begin=time,
            end=time + length,
            clock=clock,
        )

    def apply(self, gait: GaitFields, time: float) -> None:
        """Blend to other values of the gait; the parameters are unaffected."""
        same = {name: getattr(self.state.fields, name) for name in self._names}
        fields = gait.model_copy(update=same)
        if fields == self.state.fields:
            return
        going = tuple(
            each for each in self.state.earlier if time < each[1].start + each[1].duration
        )
        ramp = constant(1.0).towards(0.0, time, 1.0)
        self.state = replace(self.state, fields=fields, earlier=(*going, (self.state.fields, ramp)))

    def checkpoint(self) -> Any:
        """Return the full state."""
        return self.state

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self.state = checkpoint


class Compliance:
    """Lets parameters of the gait yield to the loads; `SetPoints` computes the joint references.

    Parameters
    ----------
    scene : Scene
        Its controller has `ComplianceFields`.
    start : (m,) array
        Initial angles of the joint axes, rad.
    """

    needs = Fields.TORQUE

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._scene, self._names = scene, _law(scene).names
        self.gait = _YieldingGait(scene, self._names)
        self._set_points = SetPoints(scene, start, gait=self.gait)
        nothing = (0.0,) * len(self._names)
        self._state = _State(_values(scene.gait, self._names), nothing, nothing)

    @property
    def channels(self) -> tuple[str, ...]:
        """Load and change of the first parameter, and all parameters."""
        return (*CHANNELS, *map(_channel, self._names))

    def values(self) -> FloatArray:
        """Return the values of the channels."""
        state = self._state
        nominal = _values(self._scene.gait, self._names)
        fraction = (state.value[0] - nominal[0]) / self._largest(self._names[0])
        return np.array([state.load[0], fraction, *state.value])

    def _largest(self, name: str) -> float:
        degrees = _law(self._scene).largest_change_deg
        return degrees * _unit(name) if "_deg" in name else math.radians(degrees)

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """Return the references of a control period, during which the parameters yield to the load at its start."""
        assert snapshot is not None
        now = float(time[0])
        length = float(time[-1] - time[0])
        since = max(now - self._scene.control.start_delay_s, 0.0)
        load = np.zeros(len(self._names))
        if self._set_points.begun(now):
            load = -self.gait.slopes(since).T @ np.nan_to_num(snapshot.joint_torque)
        self._state = self._following(load, length)
        following = self._state.value
        self._set_points.change(lambda begin: self.gait.aim(following, begin, length), now)
        return self._set_points.reference(time, None)

    def _following(self, load: FloatArray, length: float) -> _State:
        """Exact parameters after a period under a constant load, clipped to their limits."""
        law = _law(self._scene)
        x0 = np.array(_values(self._scene.gait, self._names))
        step = _transition(
            law.inertia_kg_m2, law.damping_nms_per_rad, law.stiffness_nm_per_rad, length
        )
        x, v = step @ np.stack([np.array(self._state.value) - x0, np.array(self._state.rate), load])
        lower, upper = np.transpose(
            [self._limits(name, each) for name, each in zip(self._names, x0, strict=True)]
        )
        within = np.clip(x + x0, lower, upper)
        v = np.where((within == x + x0) | (np.abs(x + x0 - within) < 1e-12), v, 0.0)
        return _State(tuple(within.tolist()), tuple(v.tolist()), tuple(load.tolist()))

    def _limits(self, name: str, nominal: float) -> tuple[float, float]:
        doc = field_doc(type(self._scene.gait), name)
        most = self._largest(name)
        lower = -math.inf if doc.minimum is None else doc.minimum * _unit(name)
        upper = math.inf if doc.maximum is None else doc.maximum * _unit(name)
        return max(lower, nominal - most), min(upper, nominal + most)

    def apply(self, scene: Scene, time: float) -> None:
        """Use the values of `scene`: yielding parameters move to their new values, other values are blended.

        Raises `SceneError` if the gait does not have the parameters.
        """
        errors = [problem for problem in _check(scene) if problem.severity == "error"]
        if errors:
            raise SceneError.of(errors)
        self._scene = scene
        self._set_points.change(lambda since: self.gait.apply(scene.gait, since), time)
        self._set_points.apply_speed(scene)

    def checkpoint(self) -> Any:
        """Return the full state."""
        return self._state, self._scene, self._set_points.checkpoint()

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self._state, self._scene, set_points = checkpoint
        self._set_points.restore(set_points)


def _transition(mass: float, damping: float, stiffness: float, length: float) -> FloatArray:
    """Transition matrix (2, 3) of M x'' + B x' + K x = load from (x, x', load) over `length`, by matrix exponential."""
    a = (
        np.array(
            [[0.0, 1.0, 0.0], [-stiffness / mass, -damping / mass, 1.0 / mass], [0.0, 0.0, 0.0]]
        )
        * length
    )
    halvings = max(0, math.ceil(math.log2(max(float(np.abs(a).sum(axis=1).max()), 1e-300))) + 4)
    term = np.eye(3)
    result = np.eye(3)
    for number in range(1, 9):
        term = term @ a / (2.0**halvings * number)
        result = result + term
    for _ in range(halvings):
        result = result @ result
    return result[:2]


def _law(scene: Scene) -> ComplianceFields:
    assert isinstance(scene.controller, ComplianceFields)
    return scene.controller


def _channel(name: str) -> str:
    for ending, unit in _CHANNEL_UNITS.items():
        if name.endswith(ending):
            return f"compliant_{name.removesuffix(ending)}{unit}"
    return f"compliant_{name}"


def _check(scene: Scene) -> list[Problem]:
    """Return the problems with the parameters: unknown to the gait, or unable to yield."""
    law = _law(scene)
    gait = scene.gait
    key = "controller.parameters"
    declared = type(gait).model_fields
    usable = [
        name
        for name in declared
        if type(getattr(gait, name)) is float and field_doc(type(gait), name).live
    ]
    choices = (
        f"give some of {', '.join(usable)}"
        if usable
        else "choose a gait with numbers that can change"
    )
    if not law.names:
        return [Problem("error", key, "no parameter yields", choices)]
    for name in law.names:
        if name not in usable:
            what = (
                "is not a number that can change during a run"
                if name in declared
                else "is not a value"
            )
            return [Problem("error", key, f'"{name}" {what} of the gait {gait.kind}', choices)]
    if len(set(law.names)) < len(law.names):
        return [Problem("error", key, "a parameter is listed twice", "list each parameter once")]
    rates = [name for name in law.names if _is_rate(name)]
    if len(rates) > 1:
        return [
            Problem(
                "error",
                key,
                f"{' and '.join(rates)} share the clock of the gait",
                "list only one of them",
            )
        ]
    if rates and not getattr(gait, rates[0]):
        return [
            Problem(
                "error",
                key,
                f"{rates[0]} is 0, so it cannot be scaled",
                "set it to another value",
            )
        ]
    return []


def _says(control: Mapping[str, float]) -> list[Said]:
    fraction = abs(control["compliance_share"])
    return [
        Said(
            "warning" if fraction > 0.99 else "accent",
            f"yields by {fraction:.0%} of the largest change",
        )
    ]


KIND = ControllerKind(
    fields=ComplianceFields,
    make=Compliance,
    title="Compliance",
    help="Parameters of the gait yield to the loads on the joints and return (Travers et al. 2018).",
    place=2.5,
    check=_check,
    channels=CHANNELS,
    plots=(
        Plot(
            "compliance",
            "Compliance",
            (Curve("compliance_load_nm", "load"), Curve("compliance_share", "change", right=True)),
            place=5,
        ),
        Plot(
            "compliant_amplitude",
            "Compliant amplitude",
            (Curve("compliant_amplitude_rad", "amplitude"),),
            place=6,
        ),
        Plot(
            "compliant_offset",
            "Compliant offset",
            (Curve("compliant_offset_rad", "offset"),),
            place=6,
        ),
        Plot(
            "compliant_frequency",
            "Compliant frequency",
            (Curve("compliant_frequency_radps", "frequency"),),
            place=6,
        ),
    ),
    shown=("compliance", "joint", "speed", "position"),
    says=_says,
    remedies={
        Fields.TORQUE: "choose a profile whose nodes report joint torques, or another controller."
    },
    states={"compliance": _State, "compliant_gait": _GaitState},
)
