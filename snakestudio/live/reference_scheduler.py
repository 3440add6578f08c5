"""The scene's controller in real time: which references go to the link now, so that it neither runs dry nor lags.

**Open loop** the controller is asked `horizon` ahead, again and again: what is sent last replaces
what was sent before, so that a thread that is late by less than the horizon is not felt, and a new
wish still acts at the next control period. To look ahead without going ahead the controller is
asked for the coming periods, and then put back to the state in which it really stands
(`checkpoint`, `restore`). **Closed loop** it is asked for one control period at its beginning, with
what was measured just before; periods that were missed are left out, never caught up.
"""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control import registry as controllers
from snakestudio.control.base import Controller, OnePeriod, Steerable
from snakestudio.link.messages import ReferenceBlock
from snakestudio.link.profile.schema import Timing
from snakestudio.live.axes import AxisMap
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.teleop import SteerCommand

LEAST_PERIOD_S = 0.02
"""A control period in real time is as many of the scene's as take this long: it is as fine as any
robot listens, s."""

KNOT_S = 0.01
"""Largest distance of two knots, s: cubics through exact angles and rates are then exact to a
millionth of a degree."""

LEAST_HORIZON_S = 0.4
"""How far ahead references reach at least, s: longer than a window that renders keeps the
interpreter busy."""

APART_S = 1e-6
"""What stands for "at once" on the machine's clock, s: two knots of a jump are too close for its
numbers."""


def horizon_of(timing: Timing) -> float:
    """How far ahead open-loop references reach, s: more than two set-points, and never less than a hiccup lasts."""
    return max(LEAST_HORIZON_S, 2.5 / timing.set_point_rate_hz)


def block_of(reference: JointReference, begin: float, axes: AxisMap) -> ReferenceBlock:
    """References in times of a run as a block for the link, with the run's time 0 at `begin` (s, monotonic)."""
    time = begin + reference.time
    while (close := np.flatnonzero(np.diff(time) < 0.5 * APART_S)).size:
        time[close + 1] = time[close] + APART_S
    return ReferenceBlock(time, axes.axes(reference.angle), axes.axes(reference.rate))


class ReferenceScheduler:
    """A run of the scene's controller; times are those of the run, s. Not thread-safe.

    Raises `SceneError` if the scene asks for what its controller cannot do.

    Parameters
    ----------
    scene : Scene
        Its start is how the robot lies.
    timing : Timing
        Of the robot's profile.
    """

    def __init__(self, scene: Scene, base_dir: Path | None, timing: Timing) -> None:
        self.scene = scene
        # no scene may have a real robot thrown about
        led = scene.control.model_copy(update={"lead_in": True})
        self.controller: Controller = controllers.create(
            scene.model_copy(update={"control": led}), base_dir
        )
        period = scene.control.period_s
        self.period = period * max(1, math.ceil(LEAST_PERIOD_S / period - 1e-9))
        self._cuts = max(1, math.ceil(self.period / KNOT_S - 1e-9))
        self._ahead = max(1, math.ceil(horizon_of(timing) / self.period))
        often = math.floor(timing.reference_timeout_s / (4.0 * self.period))
        self._refresh = max(1, min(self._ahead // 3, often))
        self._stands = 0  # the controller has been asked for the periods before this one
        self._due = 0  # period at which it is asked again

    @property
    def closed_loop(self) -> bool:
        """Whether the controller reads the robot's state."""
        return self.controller.needs is not Fields.NONE

    @property
    def next(self) -> float:
        """When `references` has something to do again, s."""
        return self._due * self.period

    def references(self, time: float, snapshot: Snapshot | None) -> JointReference | None:
        """What is to be sent at `time`, with the robot as `snapshot` shows it; None if nothing is due."""
        if time < self.next - 1e-9:
            return None
        if self.closed_loop:
            here = max(self._due, math.floor(time / self.period + 1e-9))
            self._due = self._stands = here + 1
            found = self.controller.reference(self._knots(here, here + 1), snapshot)
            assert isinstance(found, JointReference), "a robot has joints"
            return found
        here = max(self._stands, math.ceil(time / self.period - 1e-9))
        self._walk(here)
        self._due = here + self._refresh
        return self._preview(here)

    def apply(self, scene: Scene, time: float) -> float:
        """Go over to another gait or other settings of the controller; gives the time from which they act, s."""
        border = self._border(time)
        self.controller.apply(scene, border * self.period)
        self.scene = scene
        return border * self.period

    def steer(self, command: SteerCommand, time: float) -> bool:
        """Hand on a command of somebody at the controls.

        Returns
        -------
        bool
            Whether it is another one than before; False, too, if nobody can steer the scene's
            controller.
        """
        if not isinstance(self.controller, Steerable) or not self.controller.steer(command):
            return False
        self._border(time)
        return True

    def _border(self, time: float) -> int:
        """Bring the controller to the next border of a control period, and have it asked again at once."""
        border = max(self._stands, math.ceil(time / self.period - 1e-9))
        if not self.closed_loop:
            self._walk(border)
            self._due = 0
        return border

    def _walk(self, there: int) -> list[JointReference]:
        """Ask a controller that reads nothing for all periods up to `there`: some for each by itself."""
        parts = []
        while self._stands < there:
            end = self._stands + 1 if isinstance(self.controller, Steerable | OnePeriod) else there
            part = self.controller.reference(self._knots(self._stands, end), None)
            assert isinstance(part, JointReference), "a robot has joints"
            parts.append(part)
            self._stands = end
        return parts

    def _preview(self, here: int) -> JointReference:
        """The periods from `here` on, as far as the horizon; the controller goes on standing there."""
        kept = self.controller.checkpoint()
        parts = self._walk(here + self._ahead)
        self.controller.restore(kept)
        self._stands = here
        return _joined(parts)

    def _knots(self, first: int, last: int) -> FloatArray:
        """Knots from one period's beginning to another's."""
        numbers = np.arange(first * self._cuts, last * self._cuts + 1, dtype=np.float64)
        return numbers * (self.period / self._cuts)


def _joined(parts: list[JointReference]) -> JointReference:
    """Blocks that follow on each other as one; of two at the same time the second begins just after the first."""
    time = np.concatenate([part.time for part in parts])
    same = np.flatnonzero(np.diff(time) <= 0.0)
    # Mostly the two are the same knot; where the references jump at the border, both sides of the
    # jump are kept.
    alike = np.array(
        [
            np.array_equal(a.angle[-1], b.angle[0]) and np.array_equal(a.rate[-1], b.rate[0])
            for a, b in pairwise(parts)
        ],
        np.bool_,
    )
    keep = np.ones(len(time), np.bool_)
    keep[same[alike] + 1] = False
    time[same[~alike] + 1] = np.nextafter(time[same[~alike] + 1], np.inf)
    joined = [
        np.concatenate([getattr(part, name) for part in parts])[keep]
        for name in ("angle", "rate", "acceleration")
    ]
    return JointReference(time[keep], *joined)
