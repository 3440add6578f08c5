"""Steering a gait: an offset of all joints, added to the wave, turns the robot to a heading.

A body with a travelling wave follows its own shape. A constant offset bends that shape into an arc,
and the robot moves along it. The offset therefore causes a curvature (about the offset divided by the
link length), the heading changes with the distance travelled, and offset = gain * (heading error)
brings it to its reference like a first-order lag (the heading controller of P. Liljebäck,
K. Y. Pettersen, Ø. Stavdahl and J. T. Gravdahl, Snake Robots, Springer, 2013, chapter 5, with
feedforward of the acceleration of the offset).

The choice of measured heading matters, because the whole robot yaws with the wave. In the
path-following scene, the mean direction of the links oscillates by 13 degrees to either side of its
cycle average, whether or not the body holds a whole wave (phase shifts of 30 to 45 degrees make no
difference), and the head link by 57 degrees. The oscillation enters the offset through the gain, and
less so with a longer response time. That of the mean heading is harmless: the centre of mass stays
within 1 cm of a straight line. That of the head is not: it bends the body asymmetrically, so the mean
heading differs from the direction of travel, and the robot stays 0.1 to 0.3 m away from the path.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.body import Body, wrapped
from snakestudio.control.offset_filter import OffsetFilter
from snakestudio.control.set_points import SetPoints
from snakestudio.errors import Problem
from snakestudio.kinds.controller import Curve, Plot
from snakestudio.model.controllers import ControllerFields
from snakestudio.model.fields import value
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

_OVERTURN = 0.5
"""Hysteresis of the turning direction beyond half a turn, rad. Without it, the oscillation of the gait
would reverse the direction repeatedly."""


CHANNELS = ("heading_rad", "heading_ref_rad", "gait_offset_rad")
"""Heading, its reference, and the offset of the joints."""

PLOT = Plot(
    "heading",
    "Heading",
    (
        Curve("heading_rad", "heading"),
        Curve("heading_ref_rad", "ref", faint=True),
        Curve("gait_offset_rad", "offset", right=True),
    ),
    least=5.0,
    place=2,
)


class SteeringFields(ControllerFields):
    """Fields of controllers that turn the robot by an offset of all joints, added to the wave of the gait."""

    measure: Literal["mean", "head"] = value(
        "mean",
        label="Measured heading",
        live=True,
        help="Mean direction of all links, or direction of the head link, which oscillates with the gait",
    )
    gain: float = value(
        0.5,
        label="Gain",
        symbol="k_ψ",
        help="Offset of each joint per unit of heading error",
        ge=0,
        le=100,
        slider=(0, 2),
        live=True,
    )
    offset_limit_deg: float = value(
        10.0,
        label="Offset limit",
        unit="°",
        symbol="ψ_max",
        help="Largest offset to either side",
        ge=0,
        le=90,
        slider=(0, 30),
        live=True,
    )
    response_s: float = value(
        0.5,
        label="Response time",
        unit="s",
        symbol="T_ψ",
        help="Time constant of the offset (a critically damped second-order filter)",
        gt=0,
        le=100,
        slider=(0.05, 3),
        live=True,
    )

    @property
    def offset_limit(self) -> float:
        """Largest offset to either side, rad."""
        return math.radians(self.offset_limit_deg)


class _State(NamedTuple):
    """State of steering."""

    heading: float | None = None
    """Measured heading, continuous over whole turns, rad; None before the first measurement."""

    error: float = 0.0
    """Heading error, rad; positive if the robot must turn left."""

    offset: OffsetFilter = OffsetFilter()
    """Offset of each joint."""


class Steering(ABC):
    """Holds the heading of `_target` by an offset of the gait; `SetPoints` computes the joint references.

    The loop is closed once all joints follow the gait, after start delay and soft start.

    Parameters
    ----------
    scene : Scene
        Its controller has `SteeringFields`.
    start : (n-1, 2) array
        Initial joint angles, rad.
    """

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._body = Body(scene.robot)
        self._law = _law(scene)
        self._gait = SetPoints(scene, start)
        self._steering = _State()

    @abstractmethod
    def _target(self, snapshot: Snapshot, period: float) -> tuple[float, float]:
        """Return the heading reference, rad, up to whole turns, and the feedforward offset to the left, rad.

        They apply for `period` (s), which is 0 while the loop is open.
        """

    @property
    def needs(self) -> Fields:
        """Positions of the links."""
        return Fields.POSE

    @property
    def channels(self) -> tuple[str, ...]:
        """Heading, its reference, and the offset of the joints."""
        return CHANNELS

    def values(self) -> FloatArray:
        """Return the values of the channels; heading and reference are continuous over whole turns."""
        return np.array(self._steered())

    def _steered(self) -> tuple[float, float, float]:
        """Return the heading, its reference and the offset of the joints, rad."""
        state = self._steering
        heading = state.heading or 0.0
        return heading, heading + state.error, state.offset.angle

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """Return the references from `time[0]` to `time[-1]` for the robot in the state of `snapshot`."""
        assert snapshot is not None
        now = time.item(0)
        state = self._steering
        law = self._law
        heading = self._body.forward_heading(snapshot, law.measure)
        heading = (
            wrapped(heading)
            if state.heading is None
            else state.heading + wrapped(heading - state.heading)
        )
        closed = self._gait.begun(now)
        target, bend = self._target(snapshot, time.item(-1) - now if closed else 0.0)
        error = wrapped(target - heading)
        if (
            abs(error - state.error) > math.pi
            and math.pi - abs(error) < _OVERTURN
            and state.heading is not None
        ):
            error -= math.copysign(2.0 * math.pi, error)
        limit = law.offset_limit
        turn = min(max(law.gain * error + bend, -limit), limit) if closed else 0.0
        offset = state.offset.aimed(self._body.turn_sign * turn, law.response_s, now)
        self._steering = _State(heading, error, offset)
        return self._gait.reference(time, None, offset)

    def apply(self, scene: Scene, time: float) -> None:
        """Continue with the settings of `scene`; the state of the filter is kept, so nothing jumps."""
        self._law = _law(scene)
        self._gait.apply(scene, time)

    def checkpoint(self) -> Any:
        """Return the full state."""
        return self._steering, self._law, self._gait.checkpoint()

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self._steering, self._law, gait = checkpoint
        self._gait.restore(gait)


def _law(scene: Scene) -> SteeringFields:
    assert isinstance(scene.controller, SteeringFields)
    return scene.controller


# --------------------------------------------------------------------------------- checks


def _doubt(key: str, message: str, remedy: str) -> Problem:
    return Problem("warning", key, message, remedy)


def _gait(scene: Scene) -> list[Problem]:
    """Return the warnings about a gait that does not propel the robot."""
    gait = scene.gait
    reasons = {
        "amplitude_deg": "the gait has no amplitude",
        "frequency_deg_s": "the gait has zero frequency",
        "phase_shift_deg": "the wave does not travel along the body",
    }
    return [
        _doubt(
            f"gait.{name}", f"{reason}, so the robot cannot be steered", "set a value other than 0"
        )
        for name, reason in reasons.items()
        if getattr(gait, name, None) == 0.0
    ]


def _offset(scene: Scene, law: SteeringFields) -> list[Problem]:
    """Return the warnings about an offset that is zero or exceeds the joint limits."""
    problems = [
        _doubt(
            f"controller.{name}",
            "the offset is always 0, so the robot is not steered",
            "set a value above 0",
        )
        for name in ("gain", "offset_limit_deg")
        if getattr(law, name) == 0.0
    ]
    limit = scene.robot.joint_limit_deg
    gait = scene.gait
    if not gait.of_waves:
        return problems
    reach = gait.reach_deg
    if limit is not None and reach <= limit < reach + law.offset_limit_deg - 1e-9:
        message = (
            f"the gait reaches {reach:g}° and the offset adds up to {law.offset_limit_deg:g}°, "
            f"but the joint limits are {limit:g}°"
        )
        problems.append(
            _doubt("controller.offset_limit_deg", message, f"set at most {limit - reach:g}")
        )
    return problems


def check(scene: Scene) -> list[Problem]:
    """Return the errors and warnings for a `scene` whose controller steers a gait."""
    law = scene.controller
    assert isinstance(law, SteeringFields)
    return _gait(scene) + _offset(scene, law)
