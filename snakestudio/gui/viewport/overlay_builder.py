"""Overlays of the viewport except those of tools: trail, ghosts, colours, selection and problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from snakestudio.drawing.colour_bar import bar_left
from snakestudio.drawing.odometer import Odometer
from snakestudio.drawing.overlays import Ghost, MeasuredLine, Overlays, Pick
from snakestudio.drawing.pull import pull_mark
from snakestudio.drawing.view import reference_pixel
from snakestudio.errors import Problem
from snakestudio.gui.viewport.legend import ForceLegend
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.viewport.trail import TrailReader

_MARGIN = 12


def warned(problems: Sequence[Problem]) -> tuple[Pick, ...]:
    """Return the obstacles and links that errors refer to."""
    errors = [problem for problem in problems if problem.severity == "error"]
    obstacles = {Pick("obstacle", index) for problem in errors for index in problem.obstacles}
    links = {Pick("link", index) for problem in errors for index in problem.links}
    return tuple(sorted(obstacles | links, key=lambda pick: (pick.kind, pick.index)))


class OverlayBuilder:
    """Builds the overlays of a viewport's frames; caches what is slow to read.

    Parameters
    ----------
    legend, buttons : ForceLegend, QWidget
        Widgets over the upper corners of the view; a colour bar is placed below them.
    """

    def __init__(self, viewport: ViewportApi, legend: ForceLegend, buttons: QWidget) -> None:
        self._viewport = viewport
        self._legend = legend
        self._buttons = buttons
        self._trail = TrailReader()
        self._odometer = Odometer()

    @property
    def reference_ghost(self) -> bool:
        """Whether the commanded shape is shown: always for a live robot, because its lag is of interest."""
        return (
            self._viewport.options.now.reference_ghost
            or self._viewport.session_controller.source == "robot"
        )

    def overlays(
        self, ghosts: tuple[Ghost, ...], tracks: tuple[MeasuredLine, ...], *, stale: bool
    ) -> Overlays:
        """Return all overlays except those of tools; `stale` if the robot is drawn in an outdated state."""
        v = self._viewport
        trail = None
        scene = v.scene
        snapshot = v.snapshot
        recording = v.session_controller.recording
        now = v.options.now
        if snapshot is not None and Fields.POSE in snapshot.valid:
            link = now.trail_index(snapshot.n_links)
            if link is not None:
                trail = self._trail.points(recording, link, snapshot)
        dressed = v.look.with_ranges(
            now.overlays(scene), scene.beam, recording, snapshot, self._bar_top
        )
        self._legend.set_factors(*v.look.factors)
        return replace(
            dressed,
            trail=trail,
            reference_ghost=self.reference_ghost,
            stale=stale,
            warned=warned(v.session_controller.status.problems)
            if v.session_controller.live
            else (),
            ghosts=ghosts,
            tracks=tracks,
            pull=pull_mark(recording, snapshot),
            travelled=self._odometer.travelled(scene, snapshot),
            selection=tuple(Pick(kind, index) for kind, index in sorted(v.selection.bodies)),
            patch=v.selection.patches[0] if len(v.selection.patches) == 1 else -1,
            hover=Pick(*v.selection.hovered) if v.selection.hovered is not None else None,
            show_grid_labels=not v.drafting,  # the rulers show the scale, and the directions of x and y
            show_triad=not v.drafting,
        )

    @property
    def _bar_top(self) -> float:
        """Top of the colour bar below the buttons (and the legend in a narrow view), as a share of its height."""
        widget = self._viewport.widget
        ratio = self._viewport.widget.devicePixelRatioF()
        below = self._buttons.geometry().bottom() + _MARGIN
        legend = self._legend.geometry()
        pixel = reference_pixel(round(widget.height() * ratio), ratio)
        if bar_left(round(widget.width() * ratio), pixel) < legend.right() * ratio:
            below = max(below, legend.bottom())
        return below / max(1, widget.height())
