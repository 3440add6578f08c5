"""Measured tracks for figures: laid over the run that a figure is drawn from."""

from __future__ import annotations

from collections.abc import Sequence

from snakestudio.analysis.experiment.alignment import AlignmentOptions, align
from snakestudio.export.figures.figure import Measured
from snakestudio.model.capture import Capture
from snakestudio.model.recording import Recording

__all__ = ["laid_over"]


def laid_over(
    recording: Recording, captures: Sequence[Capture], link: int, options: AlignmentOptions | None = None
) -> list[Measured]:
    """The tracks of what was measured on a link (0-based), in times and places of a run.

    Raises
    ------
    ExperimentError
        If they and the run have too little in common.
    """
    tracks = []
    for capture in captures:
        found = align(recording, capture, options).apply(capture)
        body = found.body_on(link)
        label = capture.name.replace("$", r"\$")  # figures read what stands between dollars as mathematics
        tracks.append(Measured(label, found.time, found.position[:, 0 if body is None else body]))
    return tracks
