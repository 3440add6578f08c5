"""The runs that are seen over the window's own, as videos show them."""

from __future__ import annotations

from collections.abc import Iterable

from snakestudio.drawing.style import colour
from snakestudio.export.video_options import Companion
from snakestudio.gui.plots.overlaid import OverlaidRun

__all__ = ["companions"]


def companions(runs: Iterable[OverlaidRun]) -> list[Companion]:
    """Those of them that have rows."""
    return [Companion(run.recording, run.name, colour(run.colour)) for run in runs if len(run.recording)]
