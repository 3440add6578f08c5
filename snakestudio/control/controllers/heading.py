"""Heading control: the robot turns to a direction and keeps it."""

from __future__ import annotations

from snakestudio.control.steering import Steering
from snakestudio.model.controllers import HeadingControl
from snakestudio.model.snapshot import Snapshot

__all__ = ["HeadingController"]


class HeadingController(Steering):
    """Steers to the heading that the scene names."""

    def _wanted(self, snapshot: Snapshot, period: float) -> tuple[float, float]:
        assert isinstance(self._law, HeadingControl)
        return self._law.heading, 0.0
