"""Motion of a backbone curve along and about the body; changed speeds are ramped."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.look_ahead import LookAhead, Motion
from snakestudio.control.ramp import Ramp, constant
from snakestudio.errors import Problem, SceneError
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.backbone_curve import AxisCurve, BackboneCurveFields
from snakestudio.model.motion import GaitFields
from snakestudio.model.scene import Scene


@dataclass(frozen=True, slots=True)
class _State:
    """Speeds of the curve, and its position at the start of their ramps."""

    speed: Ramp  # links/s
    rate: Ramp  # rad/s
    shift: float  # links
    roll: float  # rad


class BackboneCurve:
    """Joint angles on the curve at the time of the gait; changed speeds are ramped, other changes wait for a reset.

    Raises `SceneError` if the segments of the scene's gait are unusable.
    """

    def __init__(self, scene: Scene) -> None:
        gait = scene.gait
        assert isinstance(gait, BackboneCurveFields)
        self._curve = AxisCurve(gait, scene.robot, scene.body.axes)
        self._ahead = LookAhead(self._evaluated, scene.solver.step_s, len(scene.body.axes))
        self._state = _State(
            constant(gait.shift_links_s),
            constant(math.radians(gait.roll_deg_s)),
            gait.shift_links,
            gait.roll,
        )

    def motion(self, time: FloatArray, through_ramps: bool = False) -> Motion:
        """Return angles, rates and accelerations at `time` ((k,), s), exact."""
        return self._evaluated(time) if through_ramps else self._ahead.motion(time)

    def _evaluated(self, time: FloatArray) -> Motion:
        state = self._state
        return self._curve.motion(
            (
                state.shift + state.speed.integral(time),
                state.speed.value(time),
                state.speed.rate(time),
            ),
            (
                state.roll + state.rate.integral(time),
                state.rate.value(time),
                state.rate.rate(time),
            ),
        )

    def apply(self, gait: GaitFields, time: float) -> None:
        """Ramp to the speeds of `gait` from `time` on."""
        assert isinstance(gait, BackboneCurveFields)
        now = np.array([time])
        state = self._state
        if gait.shift_links_s != state.speed.target:
            shift = state.shift + float(state.speed.integral(now)[0])
            speed = state.speed.towards(gait.shift_links_s, time)
            state = replace(state, speed=speed, shift=shift)
        rate = math.radians(gait.roll_deg_s)
        if rate != state.rate.target:
            roll = state.roll + float(state.rate.integral(now)[0])
            state = replace(state, rate=state.rate.towards(rate, time), roll=roll)
        self._state = state
        self._ahead.clear()

    def checkpoint(self) -> Any:
        """Return the full state."""
        return self._state

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self._state = checkpoint
        self._ahead.clear()


def _check(scene: Scene) -> list[Problem]:
    """Problems: unusable segments, a missing kind of axes, and angles beyond the joint limits."""
    gait = scene.gait
    assert isinstance(gait, BackboneCurveFields)
    try:
        curve = AxisCurve(gait, scene.robot, scene.body.axes)
    except SceneError as error:
        return list(error.problems)
    problems = []
    kinds = {axis.kind for axis in scene.body.axes}
    if not {"yaw", "pitch"} <= kinds:
        missing = "pitch" if "yaw" in kinds else "yaw"
        what = f"the robot has no {missing} axes, so it cannot follow a curve in space"
        remedy = (
            'choose robot.joints = "alternating"'
            if scene.body.in_space
            else "choose a spatial model and a robot with yaw and pitch axes"
        )
        problems.append(Problem("hint", "gait.kind", what, remedy))
    values = scene.axis_values
    low, high = curve.extremes(gait)
    over = np.fmax(high - values.upper, values.lower - low)
    over[~np.isfinite(over)] = -np.inf
    if over.size and over.max() > 1e-9:
        worst = int(over.argmax())
        axis = scene.body.axes[worst]
        above = high[worst] - values.upper[worst] >= values.lower[worst] - low[worst]
        reached = math.degrees(high[worst] if above else low[worst])
        stop = math.degrees(values.upper[worst] if above else values.lower[worst])
        name = f"joint {axis.joint + 1} ({axis.kind})"
        message = f"{name} reaches {reached:.4g}° on the curve, but its limit is {stop:.4g}°"
        remedy = "make the segments longer, or change the limit"
        problems.append(Problem("error", "gait.segment_bend_deg", message, remedy))
    return problems


def _readable(gait: GaitFields) -> bool:
    assert isinstance(gait, BackboneCurveFields)
    try:
        return len(gait.segments.length) > 0
    except SceneError:
        return False


def _rates(scene: Scene) -> FloatArray:
    """Return the largest rates of all joint axes, (m,), rad/s.

    Raises `SceneError` if the segments are unusable.
    """
    gait = scene.gait
    assert isinstance(gait, BackboneCurveFields)
    return AxisCurve(gait, scene.robot, scene.body.axes).largest_rates(gait)


KIND = GaitKind(
    fields=BackboneCurveFields,
    make=BackboneCurve,
    title="Backbone curve",
    help="The body follows a curve of arcs, straight and helical segments, which moves along the body or rotates.",
    place=1.6,
    check=_check,
    readable=_readable,
    rates=_rates,
    states={"backbone_curve": _State},
)
