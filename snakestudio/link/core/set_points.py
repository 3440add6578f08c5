"""The cyclic stream of set-points of all axes, from arming to disarming or a stop."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.link.core.limits import AxisLimits, SetPointLimiter
from snakestudio.link.core.references import References, Wiggle
from snakestudio.link.core.sender import Deadlines, SendTimes
from snakestudio.link.core.tx_gate import TxGate

if TYPE_CHECKING:
    from snakestudio.link.core.codec import Codec


class SetPoints:
    """Holds, wiggles or follows references, always through the limiter.

    Attributes
    ----------
    angle, rate : (m,) arrays
        Last sent set-points, rad and rad/s; NaN before the first.
    streaming : bool
        Whether references are followed.
    """

    def __init__(self, codec: Codec, limits: AxisLimits, tx: TxGate) -> None:
        self._codec = codec
        self._tx = tx
        period = 1.0 / codec.profile.timing.set_point_rate_hz
        self._limiter = SetPointLimiter(limits, period)
        self._deadlines = Deadlines(period)
        self._wiggle: Wiggle | None = None
        self._base: FloatArray = np.zeros(codec.n_axes)
        self.angle: FloatArray = np.full(codec.n_axes, math.nan)
        self.rate: FloatArray = np.full(codec.n_axes, math.nan)
        self.streaming = False
        self.times = SendTimes()
        self.references = References(codec.n_axes)

    @property
    def running(self) -> bool:
        """Whether set-points are sent."""
        return self._deadlines.running

    @property
    def next(self) -> float:
        """Time of the next set-points, s; infinity if none are sent."""
        return self._deadlines.next

    @property
    def wiggling(self) -> bool:
        """Whether an axis is wiggled."""
        return self._wiggle is not None

    def begin(self, angle: FloatArray, now: float) -> None:
        """Start to send set-points that hold an angle (rad)."""
        self._limiter.start(angle)
        self._deadlines.start(now)
        self.times.start()
        self.streaming = False
        self._wiggle = None

    def end(self) -> None:
        """Stop sending, and discard references and wiggle."""
        self._deadlines.stop()
        self.references.clear()
        self.streaming = False
        self._wiggle = None

    def stream(self) -> None:
        """Follow the references."""
        self.streaming = True
        self._wiggle = None
        self.times.skipped = 0

    def hold(self) -> None:
        """Come to rest, and stay there."""
        self.streaming = False
        self._wiggle = None

    def wiggle(self, wiggle: Wiggle) -> None:
        """Wiggle one axis about its held angle."""
        self._wiggle = wiggle
        self._base = self._limiter.angle.copy()

    def poll(self, now: float) -> bool:
        """Send the set-points if they are due at `now` (s); return whether they were."""
        due = self._deadlines.next_due(now)
        if due is None:
            return False
        late, skipped = due
        # References are evaluated at the deadline, not at the actual time: lateness must not become
        # jitter.
        self._advance(now - late)
        self._tx.frames(self._codec.set_points(self._limiter.angle, self._limiter.rate), now)
        self.angle = self._limiter.angle
        self.rate = self._limiter.rate
        self.times.add(now, late, skipped)
        return True

    def sending_ended(self, now: float) -> None:
        """Report that `poll` has finished sending at `now` (s), so that the next set-points do not follow too soon."""
        self.times.skipped += self._deadlines.sending_ended(now)

    def _advance(self, at: float) -> None:
        if self.streaming and (target := self.references.at(at)) is not None:
            self._limiter.follow(*target)
        elif self._wiggle is not None:
            self._follow_wiggle(self._wiggle, at)
        else:
            self._limiter.hold()

    def _follow_wiggle(self, wiggle: Wiggle, at: float) -> None:
        angle = self._base.copy()
        rate = np.zeros_like(self._base)
        offset, rate[wiggle.axis] = wiggle.at(at)
        angle[wiggle.axis] += offset
        # Only this axis moves: another one beyond its limits would be moved back to them.
        others = np.arange(len(angle)) != wiggle.axis
        angle[others] = math.nan
        self._limiter.follow(angle, rate)
        if (
            at >= wiggle.end
            and abs(self._limiter.angle[wiggle.axis] - self._base[wiggle.axis]) < 1e-6
        ):
            self._wiggle = None
