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
from pathlib import Path

import numpy as np

from snakestudio.control import registry as controllers
from snakestudio.control.base import Controller, Steerable
from snakestudio.link.messages import ReferenceBlock
from snakestudio.link.profile.schema import Timing
from snakestudio.live.axes import AxisMap
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import SteerCommand
from snakestudio.session.reference_feed import Preview, ReferenceFeed

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
        self._knots_per_period = max(1, math.ceil(self.period / KNOT_S - 1e-9))
        horizon = max(1, math.ceil(horizon_of(timing) / self.period))
        longest = math.floor(timing.reference_timeout_s / (4.0 * self.period))
        self._feed = ReferenceFeed(
            self.controller,
            self.period / self._knots_per_period,
            self._knots_per_period,
            preview=Preview(horizon, max(1, min(horizon // 3, longest))),
        )

    @property
    def closed_loop(self) -> bool:
        """Whether the controller reads the robot's state."""
        return self._feed.closed_loop

    @property
    def next(self) -> float:
        """Time at which `references` is due again, s."""
        return self._feed.end // self._knots_per_period * self.period

    def references(self, time: float, snapshot: Snapshot | None) -> JointReference | None:
        """Return the references to send at `time` for the state `snapshot` of the robot; None if none are due."""
        if time < self.next - 1e-9:
            return None
        n = self._knots_per_period
        if self.closed_loop:
            step = max(self._feed.end, math.floor(time / self.period + 1e-9) * n)
        else:
            step = self._next_border(time)
        reference = self._feed.request(step, n, lambda: snapshot)
        assert isinstance(reference, JointReference), "a robot has joints"
        return reference

    def apply(self, scene: Scene, time: float) -> float:
        """Change the gait or settings of the controller; return the time from which they act, s."""
        begin = self._advance_to_border(time)
        self.controller.apply(scene, begin)
        self._feed.use(self.controller)
        self.scene = scene
        return begin

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
        self._advance_to_border(time)
        return True

    def _next_border(self, time: float) -> int:
        """Return the knot at the border of a control period from which the controller can still be changed."""
        border = math.ceil(time / self.period - 1e-9) * self._knots_per_period
        return max(self._feed.computed, border)

    def _advance_to_border(self, time: float) -> float:
        """Advance the controller to the next control period, make references due, and return its begin, s."""
        border = self._next_border(time)
        if not self.closed_loop:
            self._feed.advance_to(border)
            self._feed.discard()
        return border // self._knots_per_period * self.period
