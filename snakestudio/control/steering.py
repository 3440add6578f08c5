"""Steering a gait: an offset of all joints, added to the wave, turns the robot to a heading.

A body that carries a wave of travelling bends follows its own shape; a constant offset bends that
shape into an arc, and the robot goes along it. So the offset makes a curvature (about the offset
over the link's length), the heading changes with the way gone, and offset = gain * (error of the
heading) brings it to its reference like a first-order lag (the heading controller of P. Liljebäck,
K. Y. Pettersen, Ø. Stavdahl and J. T. Gravdahl, Snake Robots, Springer, 2013, chapter 5, with the
acceleration of the offset fed forward).

Which heading is measured matters. As the wave runs, the whole robot yaws; in the path-following
scene the mean direction of the links swings by 13 degrees to either side of its own mean over a
cycle, whether or not the body holds a whole wave (phase shifts of 30 to 45 degrees make no
difference), and the head link's by 57 degrees. The swing reaches the offset times the gain, and
less the longer the response time. That of the mean heading does no harm: the centre of mass stays
within 1 cm of a straight line. The head's does: its mean is not the direction of travel once the
swing has bent the body unevenly, and the robot keeps 0.1 to 0.3 m beside the path.
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
"""A robot that turns the longer way round goes on doing so up to an error this far beyond half a
turn, rad: swinging with the gait it would otherwise change its mind again and again."""


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
    """How a heading is held: an offset of all joints, added to the gait's wave, turns the robot."""

    measure: Literal["mean", "head"] = value(
        "mean",
        label="Measured heading",
        live=True,
        help="Mean direction of all links, or that of the head link, which swings with the gait and is less exact",
    )
    gain: float = value(
        0.5,
        label="Gain",
        symbol="k_ψ",
        help="Offset of every joint for the error of the heading, angle for angle",
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
        help="The offset stays within this, to either side",
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
        help="Time constant with which the joints follow the offset (a critically damped filter of second order)",
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
    """What steering remembers."""

    heading: float | None = None
    """Measured heading, continuous over whole turns, rad; None before the first look."""

    error: float = 0.0
    """What is missing to the heading reference, rad; positive: the robot shall turn left."""

    offset: OffsetFilter = OffsetFilter()
    """What is added to every joint."""


class Steering(ABC):
    """Holds the heading that `_wanted` says by an offset of the gait; what reaches the joints is as `SetPoints` says.

    The loop is closed once all joints follow the gait, after start delay and soft start.

    Parameters
    ----------
    scene : Scene
        Its controller has `SteeringFields`.
    start : (n-1, 2) array
        Joint angles the robot starts with, rad.
    """

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._body = Body(scene.robot)
        self._law = _law(scene)
        self._gait = SetPoints(scene, start)
        self._steering = _State()

    @abstractmethod
    def _wanted(self, snapshot: Snapshot, period: float) -> tuple[float, float]:
        """Heading reference, rad, up to whole turns, and the offset to the left known to be needed for it, rad.

        They hold for `period` (s), 0 as long as the loop is open.
        """

    @property
    def needs(self) -> Fields:
        """Where the links are."""
        return Fields.POSE

    @property
    def channels(self) -> tuple[str, ...]:
        """Heading, its reference, and the offset of the joints."""
        return CHANNELS

    def values(self) -> FloatArray:
        """Values of the channels; heading and reference go on over whole turns."""
        return np.array(self._steered())

    def _steered(self) -> tuple[float, float, float]:
        """Heading, its reference and the offset of the joints, rad."""
        state = self._steering
        heading = state.heading or 0.0
        return heading, heading + state.error, state.offset.angle

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """References from `time[0]` to `time[-1]` for the robot as `snapshot` shows it."""
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
        wanted, bend = self._wanted(snapshot, time.item(-1) - now if closed else 0.0)
        error = wrapped(wanted - heading)
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
        """Go on with the settings of `scene`; the filter keeps where it is, so nothing jumps."""
        self._law = _law(scene)
        self._gait.apply(scene, time)

    def checkpoint(self) -> Any:
        """The full state."""
        return self._steering, self._law, self._gait.checkpoint()

    def restore(self, checkpoint: Any) -> None:
        """Go back to a state that `checkpoint` gave."""
        self._steering, self._law, gait = checkpoint
        self._gait.restore(gait)


def _law(scene: Scene) -> SteeringFields:
    assert isinstance(scene.controller, SteeringFields)
    return scene.controller


# --------------------------------------------------------------------------------- what is doubtful


def _doubt(key: str, message: str, remedy: str) -> Problem:
    return Problem("warning", key, message, remedy)


def _gait(scene: Scene) -> list[Problem]:
    """Whether the gait moves the robot at all."""
    gait = scene.gait
    reasons = {
        "amplitude_deg": "the gait has no amplitude",
        "frequency_deg_s": "the gait stands still",
        "phase_shift_deg": "the wave does not travel along the body",
    }
    return [
        _doubt(
            f"gait.{name}", f"{reason}, so the robot cannot be steered", "give another value than 0"
        )
        for name, reason in reasons.items()
        if getattr(gait, name, None) == 0.0
    ]


def _offset(scene: Scene, law: SteeringFields) -> list[Problem]:
    """Whether the offset can do something, and does not do too much."""
    problems = [
        _doubt(
            f"controller.{name}",
            "the offset stays 0, so the robot is not steered",
            "give more than 0",
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
            f"but the joints stop at {limit:g}°"
        )
        problems.append(
            _doubt("controller.offset_limit_deg", message, f"give at most {limit - reach:g}")
        )
    return problems


def check(scene: Scene) -> list[Problem]:
    """What is wrong or doubtful in `scene`, whose controller steers a gait."""
    law = scene.controller
    assert isinstance(law, SteeringFields)
    return _gait(scene) + _offset(scene, law)
