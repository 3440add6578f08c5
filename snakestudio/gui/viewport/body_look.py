"""How a continuous body looks while a run goes on: the ranges of colours and radius are held, so nothing flickers."""

from __future__ import annotations

from dataclasses import replace

from snakestudio.model.snapshot import Snapshot
from snakestudio.render.body_range import BodyRange
from snakestudio.render.overlays import Overlays
from snakestudio.session.recording import SpooledRecording

__all__ = ["BodyLook"]

_SAMPLES = 60
"""Rows of what was recorded so far that a newly chosen quantity looks at."""


class BodyLook:
    """The ranges of one run and one quantity; begun anew with another of either."""

    def __init__(self) -> None:
        self._recording: SpooledRecording | None = None
        self._seen: Snapshot | None = None
        self._range = BodyRange("")

    def dress(
        self, overlays: Overlays, recording: SpooledRecording | None, snapshot: Snapshot | None, bar_top: float
    ) -> Overlays:
        """Overlays with the ranges for a snapshot of a run; `bar_top` as in `Overlays`."""
        if snapshot is None or snapshot.body is None:
            return overlays
        quantity = overlays.body_quantity
        if recording is not self._recording or quantity != self._range.quantity:
            self._recording, self._seen, self._range = recording, None, BodyRange(quantity)
            count = len(recording) if recording is not None else 0
            for row in range(0, count, max(1, count // _SAMPLES)):
                assert recording is not None
                self._range.show_rows(recording.rows(row, row + 1))
        if snapshot is not self._seen:
            self._seen = snapshot
            self._range.show(snapshot)
        return replace(overlays, body_range=self._range.span, stretch_scale=self._range.stretch_scale, bar_top=bar_top)

    @property
    def stretch_scale(self) -> float:
        """By how much changes of the radius were exaggerated last."""
        return self._range.stretch_scale
