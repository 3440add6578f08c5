"""Real-time execution of the scene's controller: the references that are due now, so that the link never runs out.

**Open loop** the controller repeatedly computes references up to a horizon. Each block replaces the
references after its beginning, so that a delay of the thread below the horizon has no effect, and
a new command still acts in the next control period. For the preview the controller computes the
coming periods and is then reset to its actual state (`checkpoint`, `restore`). **Closed loop** it
computes one control period at its beginning, from the newest measurement; missed periods are
skipped, never made up for.
"""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np

from snakestudio.control import registry as controllers
from snakestudio.control.base import Controller, Steerable
from snakestudio.link.messages import ReferenceBlock
from snakestudio.link.profile.schema import Timing
from snakestudio.live.axes import AxisMap
from snakestudio.model.reference import JointReference, Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import SteerCommand
from snakestudio.session.reference_feed import ControlPeriods

LEAST_PERIOD_S = 0.02
"""Shortest control period in real time, s: scene periods are combined up to it; robots accept no
higher rate."""

KNOT_S = 0.01
"""Largest distance of two knots, s: cubics through exact angles and rates are then exact to a
millionth of a degree."""

LEAST_HORIZON_S = 0.4
"""Shortest horizon of references, s: longer than rendering a window blocks the interpreter."""

MIN_KNOT_GAP_S = 1e-6
"""Smallest distance of two knots on the machine's clock, s: the two knots of a jump are too close
for its resolution."""


def horizon_of(timing: Timing) -> float:
    """Return the horizon of open-loop references, s: more than two set-points, and at least `LEAST_HORIZON_S`."""
    return max(LEAST_HORIZON_S, 2.5 / timing.set_point_rate_hz)


def block_of(reference: JointReference, begin: float, axes: AxisMap) -> ReferenceBlock:
    """Return references in times of a run as a block for the link, with time 0 at `begin` (s, monotonic)."""
    time = begin + reference.time
    while (close := np.flatnonzero(np.diff(time) < 0.5 * MIN_KNOT_GAP_S)).size:
        time[close + 1] = time[close] + MIN_KNOT_GAP_S
    return ReferenceBlock(time, axes.axes(reference.angle), axes.axes(reference.rate))


class ReferenceScheduler:
    """A run of the scene's controller; times are those of the run, s. Not thread-safe.

    Raises `SceneError` if the controller does not support the scene.

    Parameters
    ----------
    scene : Scene
        Its start is the actual state of the robot.
    timing : Timing
        Timing of the robot's profile.
    """

    def __init__(self, scene: Scene, base_dir: Path | None, timing: Timing) -> None:
        self.scene = scene
        # A real robot must never jump to the first references.
        with_lead_in = scene.control.model_copy(update={"lead_in": True})
        self.controller: Controller = controllers.create(
            scene.model_copy(update={"control": with_lead_in}), base_dir
        )
        period = scene.control.period_s
        self.period = period * max(1, math.ceil(LEAST_PERIOD_S / period - 1e-9))
        knots_per_period = max(1, math.ceil(self.period / KNOT_S - 1e-9))
        self._periods = ControlPeriods(
            self.controller, self.period / knots_per_period, knots_per_period
        )
        self._horizon = max(1, math.ceil(horizon_of(timing) / self.period))  # in periods
        longest = math.floor(timing.reference_timeout_s / (4.0 * self.period))
        self._refresh = max(1, min(self._horizon // 3, longest))
        self._next_period = 0  # first period that the controller has not computed
        self._due = 0  # period at which new references are due

    @property
    def closed_loop(self) -> bool:
        """Whether the controller reads the robot's state."""
        return self._periods.closed_loop

    @property
    def next(self) -> float:
        """Time at which `references` is due again, s."""
        return self._due * self.period

    def references(self, time: float, snapshot: Snapshot | None) -> JointReference | None:
        """Return the references to send at `time` for the state `snapshot` of the robot; None if none are due."""
        if time < self.next - 1e-9:
            return None
        if self.closed_loop:
            current = max(self._due, math.floor(time / self.period + 1e-9))
            self._due = self._next_period = current + 1
            return _of_joints(self._periods.period(current, snapshot))
        current = max(self._next_period, math.ceil(time / self.period - 1e-9))
        self._advance_to(current)
        self._due = current + self._refresh
        return self._preview(current)

    def apply(self, scene: Scene, time: float) -> float:
        """Change the gait or settings of the controller; return the time from which they act, s."""
        boundary = self._advance_to_boundary(time)
        self.controller.apply(scene, boundary * self.period)
        self._periods.use(self.controller)
        self.scene = scene
        return boundary * self.period

    def steer(self, command: SteerCommand, time: float) -> bool:
        """Pass a command of the operator to the controller.

        Returns
        -------
        bool
            Whether the command has changed; False, too, if the scene's controller cannot be
            steered.
        """
        if not isinstance(self.controller, Steerable) or not self.controller.steer(command):
            return False
        self._advance_to_boundary(time)
        return True

    def _advance_to_boundary(self, time: float) -> int:
        """Advance the controller to the next control period, make references due, and return its number."""
        boundary = max(self._next_period, math.ceil(time / self.period - 1e-9))
        if not self.closed_loop:
            self._advance_to(boundary)
            self._due = 0
        return boundary

    def _advance_to(self, end: int) -> list[JointReference]:
        """Compute all periods of an open-loop controller before `end`."""
        parts = self._periods.periods(self._next_period, end)
        self._next_period = max(self._next_period, end)
        return [_of_joints(part) for part in parts]

    def _preview(self, first: int) -> JointReference:
        """Return the references from period `first` to the horizon without advancing the controller."""
        checkpoint = self.controller.checkpoint()
        parts = self._advance_to(first + self._horizon)
        self.controller.restore(checkpoint)
        self._next_period = first
        return _joined(parts)


def _of_joints(reference: Reference) -> JointReference:
    assert isinstance(reference, JointReference), "a robot has joints"
    return reference


def _joined(parts: list[JointReference]) -> JointReference:
    """Return consecutive blocks as one; of two different knots at the same time the second is just after the first."""
    time = np.concatenate([part.time for part in parts])
    same = np.flatnonzero(np.diff(time) <= 0.0)
    # Usually the two knots are equal; where references jump between blocks, both sides of the jump
    # remain.
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
