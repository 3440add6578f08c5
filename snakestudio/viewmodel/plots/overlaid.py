"""Complete recordings overlaid on the curves of the run in the window, from other models or loaded runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType
from snakestudio.viewmodel.plots.series_cache import SeriesCache, Source


@dataclass(frozen=True, slots=True)
class OverlaidRun:
    """Recording that is overlaid on the run."""

    name: str
    """Name in the legend."""

    colour: str
    """Colour of all its curves."""

    recording: Source
    """Complete recording; later rows are not read."""


class Overlay:
    """Overlaid recording with its series cache."""

    def __init__(self, run: OverlaidRun) -> None:
        self.run = run
        self.series_cache = SeriesCache()
        self.series_cache.reset(run.recording)

    @staticmethod
    def for_runs(runs: Iterable[OverlaidRun], before: Sequence[Overlay]) -> list[Overlay]:
        """Return overlays of `runs`, and keep caches of recordings that were overlaid `before`."""
        known = {id(overlay.run.recording): overlay for overlay in before}
        return [
            known[id(run.recording)].called(run) if id(run.recording) in known else Overlay(run)
            for run in runs
        ]

    def called(self, run: OverlaidRun) -> Overlay:
        """Return the overlay with the current name and colour of its run."""
        self.run = run
        return self

    def lines(self, view: PlotType, index: int, main: Sequence[CurveSpec]) -> list[CurveSpec]:
        """Return curves of a view in the colour of the overlay, if `main` also has them, without references.

        Parameters
        ----------
        index : int
            Chosen link or joint, 0-based.
        main : sequence of CurveSpec
            Curves of the main run; if empty, all curves.
        """
        schema = self.run.recording.schema
        # A heat map shows values by brightness, which two runs cannot share.
        if not view.possible(schema) or view.style == "heat" or index >= view.count(schema):
            return []
        columns = {(line.series, line.column) for line in main}
        every = not columns or view.style == "xy"  # lines of X-Y plots are pairs
        return [
            replace(line, colour=self.run.colour)
            for line in view.lines(schema, index)
            if not line.faint and (every or (line.series, line.column) in columns)
        ]
