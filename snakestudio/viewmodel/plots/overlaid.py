"""Whole recordings drawn over the curves of the run that the window shows: other models now, loaded runs likewise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType
from snakestudio.viewmodel.plots.series_cache import SeriesCache, Source


@dataclass(frozen=True, slots=True)
class OverlaidRun:
    """A recording to be drawn over the run."""

    name: str
    """What the legend calls it."""

    colour: str
    """Of all its curves."""

    recording: Source
    """Complete: rows that come later are not looked for."""


class Overlay:
    """An overlaid recording with the plots' memory of it."""

    def __init__(self, run: OverlaidRun) -> None:
        self.run = run
        self.history = SeriesCache()
        self.history.reset(run.recording)

    @staticmethod
    def for_runs(runs: Iterable[OverlaidRun], before: Sequence[Overlay]) -> list[Overlay]:
        """Overlays of `runs`; what is remembered of a recording that was overlaid `before` is kept."""
        known = {id(overlay.run.recording): overlay for overlay in before}
        return [
            known[id(run.recording)].called(run) if id(run.recording) in known else Overlay(run)
            for run in runs
        ]

    def called(self, run: OverlaidRun) -> Overlay:
        """The same, with the name and the colour that its run has now."""
        self.run = run
        return self

    def lines(self, view: PlotType, index: int, main: Sequence[CurveSpec]) -> list[CurveSpec]:
        """Curves of a view in the overlay's colour: those that `main`, the run's own, has too, but no references.

        Parameters
        ----------
        index : int
            Chosen link or joint, 0-based.
        main : sequence of CurveSpec
            None where there is no run yet: then all.
        """
        schema = self.run.recording.schema
        # A map shows size by brightness, which two runs cannot share.
        if not view.possible(schema) or view.style == "heat" or index >= view.count(schema):
            return []
        wanted = {(line.series, line.column) for line in main}
        every = not wanted or view.style == "xy"  # there, lines are pairs that stay together
        return [
            replace(line, colour=self.run.colour)
            for line in view.lines(schema, index)
            if not line.faint and (every or (line.series, line.column) in wanted)
        ]
