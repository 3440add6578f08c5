"""Appearance of a continuous body during a run: ranges of colours and radius are held to avoid flicker."""

from __future__ import annotations

from dataclasses import replace

from snakestudio.drawing.body_range import BodyRange
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.quantities import shown_quantity
from snakestudio.model.recording import Recording
from snakestudio.model.robot.beam import Beam
from snakestudio.model.snapshot import Snapshot

USUAL = {"force": 0.03, "friction": 0.06}
"""Default length of arrows on robots of links, m/N; scales of users are relative to these."""

_SAMPLES = 60
"""Number of recorded rows that determine the range of a newly chosen quantity."""


class BodyLook:
    """Ranges of one run and one quantity; reset when either changes."""

    def __init__(self) -> None:
        self._recording: Recording | None = None
        self._snapshot: Snapshot | None = None
        self._range = BodyRange("")
        self.factors = (1.0, 1.0)
        """Factors by which the last arrows of forces and friction were longer than chosen, to suit the body."""

    def with_ranges(
        self,
        overlays: Overlays,
        beam: Beam,
        recording: Recording | None,
        snapshot: Snapshot | None,
        bar_top: float,
    ) -> Overlays:
        """Return overlays with ranges and arrow lengths for a snapshot of a run; `bar_top` as in `Overlays`."""
        self.factors = (1.0, 1.0)
        if snapshot is None or snapshot.body is None:
            return overlays
        quantity = shown_quantity(overlays.body_quantity, beam)
        if recording is not self._recording or quantity != self._range.quantity:
            self._recording = recording
            self._snapshot = None
            self._range = BodyRange(quantity)
            count = len(recording) if recording is not None else 0
            for row in range(0, count, max(1, count // _SAMPLES)):
                assert recording is not None
                self._range.show_rows(recording.rows(row, row + 1))
        if snapshot is not self._snapshot:
            self._snapshot = snapshot
            self._range.show(snapshot)
        force, friction = (
            self._range.arrow_length(kind, beam.length_m) or usual for kind, usual in USUAL.items()
        )
        self.factors = force / USUAL["force"], friction / USUAL["friction"]
        return replace(
            overlays,
            body_quantity=quantity,
            body_range=self._range.span,
            stretch_scale=self._range.stretch_scale,
            bar_top=bar_top,
            force_scale=overlays.force_scale * self.factors[0],
            torque_scale=overlays.torque_scale * self.factors[0],
            friction_scale=overlays.friction_scale * self.factors[1],
            force_minimum=self._range.weakest_force or overlays.force_minimum,
        )

    @property
    def stretch_scale(self) -> float:
        """Last factor of exaggeration of changes of the radius."""
        return self._range.stretch_scale
