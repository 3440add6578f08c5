"""Another recording as a translucent robot: a second run, another model, or a measured robot."""

from __future__ import annotations

import numpy as np

from snakestudio.drawing.overlays import Ghost
from snakestudio.export.frame_source import FrameSource
from snakestudio.export.video_options import Companion

_OPACITY = 0.45

_LATE = 0.5
"""Time for which a ghost remains after the end of its recording, as a fraction of the row interval."""


class GhostSource:
    """Ghost of a recording at any time."""

    def __init__(self, companion: Companion) -> None:
        self._companion = companion
        recording = companion.recording
        self._source = FrameSource(recording, None)
        times = recording.times
        interval = float(times[-1] - times[0]) / max(1, len(times) - 1)
        self._span = float(times[0]) - _LATE * interval, float(times[-1]) + _LATE * interval

    def at(self, time: float) -> tuple[Ghost, ...]:
        """Return the ghost at a time, s; empty if the recording has no data, or not the whole robot."""
        if not self._span[0] <= time <= self._span[1]:
            return ()
        pose = self._source.snapshot(min(time, self._source.duration)).link_pose
        if not np.isfinite(pose).all():
            return ()
        return (
            Ghost(pose, self._companion.colour, _OPACITY, self._companion.recording.scene.body),
        )
