"""The panel of live plots: one time axis, one cursor that is the time bar's, the newest data in view."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from enum import IntEnum
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui import theme
from snakestudio.gui.bridge import SessionBridge
from snakestudio.gui.document import Document
from snakestudio.gui.plots.exporter import PlotExporter
from snakestudio.gui.plots.history import History
from snakestudio.gui.plots.overlaid import OverlaidRun, Overlay
from snakestudio.gui.plots.plot import LivePlot
from snakestudio.gui.plots.views import default_views, first_index
from snakestudio.gui.widgets.sections import heading
from snakestudio.gui.widgets.themed import Themed
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene

__all__ = ["PlotPanel"]

_TICK_MS = 16
_REDRAW_S = 0.06
"""Least time between two redraws of the same plot for new data."""
_SHARE = 0.2
"""Share of the time that redraws for new data may take: on a busy machine they come less often."""
_DRAW_BUDGET_S = 0.008
_PULL_BUDGET_S = 0.004
_PULL_EVERY_S = 0.045
_WINDOWS = (("5 s", 5.0), ("10 s", 10.0), ("30 s", 30.0), ("1 min", 60.0), ("all", 0.0))
_KEPT = 0.25
"""Share of a new page that the one before already showed."""
_ALL_FILLED = 0.75
"""Share of a new page that data fill where all of the run is in view."""
_LEAST_SPAN, _MOST_SPAN = 1e-3, 1e7


class _Stale(IntEnum):
    """How a plot has to be drawn anew."""

    LONGER = 0  # rows came at the end
    ALL = 1
    AT_ONCE = 2  # all of it, and the user waits


class PlotPanel(Themed):
    """Four live plots.

    Parameters
    ----------
    bridge : SessionBridge
    document : Document
    """

    def __init__(self, bridge: SessionBridge, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge, self._document = bridge, document
        self.history = History()
        self.overlays: list[Overlay] = []
        self.start, self.stop = 0.0, 10.0
        self._pulled = 0.0
        self._cost = 0.002
        self._stale: dict[LivePlot, _Stale] = {}
        self._drawn: dict[LivePlot, float] = {}
        self.exporter = PlotExporter(self.history, self)

        self.follow_button = self._toggle("live", "Follow", "Keep the newest data in view")
        self.follow_button.setChecked(True)
        self.follow_button.toggled.connect(lambda on: self._refresh())
        self.pause_button = self._toggle("pause", "Pause view", "Let the plots stand still while data still arrive")
        self.pause_button.toggled.connect(lambda on: self._refresh())
        self.window_box = QComboBox()
        self.window_box.setAccessibleName("Window")
        self.window_box.setToolTip("How much of the run is in view while it follows the newest data")
        for text, span in _WINDOWS:
            self.window_box.addItem(text, span)
        self.window_box.setCurrentIndex(1)
        self.window_box.activated.connect(lambda _: self.follow())
        self.note = QLabel()
        self.note.setProperty("role", "dim")

        bar = QHBoxLayout()
        bar.setContentsMargins(16, 0, 12, 0)
        bar.setSpacing(8)
        bar.addWidget(heading("Plots"))
        bar.addWidget(self.note)
        bar.addStretch(1)
        bar.addWidget(self.pause_button)
        bar.addWidget(self.follow_button)
        bar.addWidget(self.window_box)
        self.plots: list[LivePlot] = []
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(4)
        self._default_views = default_views(document.scene)
        for place, view in enumerate(self._default_views):
            plot = LivePlot(self.history, view, first_index(view, document.scene))
            self._connect(plot)
            grid.addWidget(plot, place // 2, place % 2)
            self.plots.append(plot)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 4, 4)
        layout.setSpacing(2)
        layout.addLayout(bar)
        layout.addLayout(grid, 1)

        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        bridge.recording_changed.connect(self._on_recording)
        bridge.cursor_changed.connect(self._on_cursor)
        document.opened.connect(self._on_opened)
        self._on_recording()

    def _toggle(self, icon: str, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setCheckable(True)
        button.setText(text)
        button.setIconSize(QSize(14, 14))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setStyleSheet("QToolButton { padding: 3px 8px; }")
        button.setToolTip(tip)
        button.toggled.connect(lambda on: button.setIcon(theme.icon(icon, "on_accent" if on else "text")))
        button.setIcon(theme.icon(icon))
        return button

    def _connect(self, plot: LivePlot) -> None:
        chart = plot.chart
        plot.chosen.connect(lambda: self._on_chosen(plot))
        chart.view_dragged.connect(self._on_view_dragged)
        chart.cursor_dragged.connect(self._on_cursor_dragged)
        chart.cursor_stepped.connect(self._on_cursor_stepped)
        chart.fit_asked.connect(lambda: self._on_fit(plot))
        chart.menu_asked.connect(lambda point: self._show_menu(plot, point))
        self._stale[plot], self._drawn[plot] = _Stale.AT_ONCE, 0.0

    def sizeHint(self) -> QSize:
        return QSize(840, 380)

    # --- what is in view -------------------------------------------------------------------------------------------

    @property
    def following(self) -> bool:
        """Whether the newest data stay in view."""
        return self.follow_button.isChecked() and not self.pause_button.isChecked() and self._bridge.live

    def follow(self, span: float | None = None) -> None:
        """Keep the newest `span` seconds in view (0: all; None: as the box says)."""
        if span is not None:
            index = self.window_box.findData(span)
            if index >= 0:
                self.window_box.setCurrentIndex(index)
        self.pause_button.setChecked(False)
        self.follow_button.setChecked(True)
        self._refresh()

    def set_view(self, start: float, stop: float) -> None:
        """Show a stretch of time (s) and follow no longer."""
        if not _LEAST_SPAN <= stop - start <= _MOST_SPAN:
            return
        self.follow_button.setChecked(False)
        self._set_view(start, stop, _Stale.AT_ONCE)

    def _set_view(self, start: float, stop: float, how: _Stale) -> None:
        if (start, stop) != (self.start, self.stop):
            self.start, self.stop = start, stop
            self._mark(how)

    def _follow_newest(self, settle: bool = False) -> None:
        """Have the newest data in view: turning pages, because axes that move with every sample cost more.

        With `settle`, the page ends at the newest data.
        """
        recording = self.history.recording
        newest = float(recording.times[-1]) if recording is not None and len(recording) else 0.0
        span = float(self.window_box.currentData())
        shown = self.stop - self.start
        if span == 0.0:
            if settle or self.start != 0.0 or not newest <= self.stop:
                self._set_view(0.0, max(1.0, newest * (1.01 if settle else 1 / _ALL_FILLED)), _Stale.LONGER)
        elif settle or not math.isclose(shown, span):
            # A little room on the right keeps the cursor off the border.
            stop = max(span, newest + 0.015 * span)
            self._set_view(stop - span, stop, _Stale.LONGER)
        elif not self.start <= newest <= self.stop:
            start = max(0.0, newest - _KEPT * span)
            self._set_view(start, start + span, _Stale.LONGER)

    def _refresh(self) -> None:
        if self.following:
            self._follow_newest(settle=True)
        self._mark(_Stale.AT_ONCE)

    def _mark(self, how: _Stale) -> None:
        for plot in self.plots:
            self._stale[plot] = max(self._stale.get(plot, how), how)

    # --- events ----------------------------------------------------------------------------------------------------

    def _on_recording(self) -> None:
        recording = self._bridge.recording
        self.history.reset(recording)
        if recording is not None:
            self._suit(recording.scene, recording.schema)
        self._want()
        self._refresh()

    def _suit(self, scene: Scene, schema: Schema) -> None:
        """After a change from links to a continuous body, or back, show what there is of it."""
        views = default_views(scene)
        turned = bool(schema.sections) != (self._default_views[0] == "profile")
        for plot, view, default in zip(self.plots, views, self._default_views, strict=True):
            lost = not plot.view.suits(schema) if schema.sections else plot.view.of == "body"
            if lost or (turned and plot.view_name == default):
                plot.choose(view, first_index(view, scene))
            plot.show_names()
        if turned:
            self._default_views = views

    def _on_opened(self) -> None:
        """Show what suits the scene, unless somebody has chosen what to see."""
        views = default_views(self._document.scene)
        if tuple(plot.view_name for plot in self.plots) == self._default_views:
            for plot, view in zip(self.plots, views, strict=True):
                if plot.view_name != view:
                    plot.choose(view, first_index(view, self._document.scene))
            self._default_views = views

    def overlay(self, runs: Iterable[OverlaidRun]) -> None:
        """Draw these recordings over the run, and no others."""
        self.overlays = Overlay.for_runs(runs, self.overlays)
        for plot in self.plots:
            plot.overlays = self.overlays
        self._want()
        self._mark(_Stale.AT_ONCE)

    def _want(self) -> None:
        wanted = {channel for plot in self.plots for channel in plot.channels}
        for history in (self.history, *(overlay.history for overlay in self.overlays)):
            history.want(wanted)

    def _on_chosen(self, plot: LivePlot) -> None:
        self._want()
        self._stale[plot] = _Stale.AT_ONCE

    def _on_view_dragged(self, start: float, stop: float) -> None:
        self.set_view(start, stop)

    def _on_fit(self, plot: LivePlot) -> None:
        plot.fit_values()
        self._bridge.set_cursor(None)  # the first click of a double click has set one
        self.follow()

    def _fit_values(self, plot: LivePlot) -> None:
        plot.fit_values()
        self._stale[plot] = _Stale.AT_ONCE

    def _on_cursor_dragged(self, at: float) -> None:
        recording = self.history.recording
        if recording is not None and len(recording):
            self._bridge.set_cursor(recording.index_at(at))

    def _on_cursor_stepped(self, rows: int) -> None:
        recording = self.history.recording
        if recording is not None and len(recording):
            index = self._bridge.cursor if self._bridge.cursor is not None else len(recording) - 1
            self._bridge.set_cursor(max(0, min(index + rows, len(recording) - 1)))

    def _cursor(self) -> tuple[float | None, int | None]:
        """Time and row of the cursor; the newest while live."""
        recording = self.history.recording
        if recording is None or not len(recording):
            return None, None
        index = self._bridge.cursor
        row = len(recording) - 1 if index is None else min(index, len(recording) - 1)
        return float(recording.times[row]), row

    def _on_cursor(self) -> None:
        at, row = self._cursor()
        if at is not None and not self._bridge.live and not self.start <= at <= self.stop:
            half = (self.stop - self.start) / 2
            self._set_view(at - half, at + half, _Stale.AT_ONCE)
        if self._bridge.live:
            self._refresh()
        for plot in self.plots:
            plot.draw_cursor(at, row)

    # --- the timer -------------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        now = time.perf_counter()
        filling = self.history.filling
        if filling or now - self._pulled >= _PULL_EVERY_S:
            self._pulled = now
            if self.history.pull(_PULL_BUDGET_S):
                if self.following:
                    self._follow_newest()
                if filling or not self.pause_button.isChecked():
                    self._mark(_Stale.ALL if filling else _Stale.LONGER)
            self.note.setText("reading the run …" if self.history.filling else "")
        for overlay in self.overlays:
            if overlay.history.missing and overlay.history.pull(_PULL_BUDGET_S):
                self._mark(_Stale.ALL)
        self._draw()

    def _draw(self) -> None:
        """Redraw what is stale, the one waiting longest first, for as long as the budget lasts."""
        if not self._stale:
            return
        now = time.perf_counter()
        at, row = self._cursor()
        spent = 0.0
        pace = max(_REDRAW_S, len(self.plots) * self._cost / _SHARE)
        for plot in sorted(self._stale, key=lambda p: self._drawn[p]):
            if self._stale[plot] < _Stale.AT_ONCE and now - self._drawn[plot] < pace:
                continue
            if spent and spent + plot.chart.cost > _DRAW_BUDGET_S:
                break
            began = time.perf_counter()
            plot.draw(self.start, self.stop, at, row, steady=self._stale[plot] < _Stale.AT_ONCE)
            cost = time.perf_counter() - began + plot.chart.cost
            self._cost += 0.1 * (min(cost, 0.02) - self._cost)
            spent += cost
            self._drawn[plot] = now
            del self._stale[plot]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def renew_theme(self) -> None:
        for button, icon in ((self.follow_button, "live"), (self.pause_button, "pause")):
            button.setIcon(theme.icon(icon, "on_accent" if button.isChecked() else "text"))
        self._mark(_Stale.AT_ONCE)

    # --- menu ------------------------------------------------------------------------------------------------------

    def _show_menu(self, plot: LivePlot, point: QPoint) -> None:
        menu = self.menu(plot)
        menu.exec(point)
        menu.deleteLater()

    def menu(self, plot: LivePlot) -> QMenu:
        """The menu of a plot."""
        menu = QMenu(self)
        menu.addAction("Follow the Newest Data", self.follow)
        menu.addAction("Fit the Value Axis", lambda: self._fit_values(plot))
        menu.addSeparator()
        for kind, text in (("csv", "Data as CSV"), ("png", "Picture as PNG"), ("svg", "Picture as SVG")):
            action = menu.addAction(f"Export {text} ...")
            action.triggered.connect(partial(self._ask_export, plot, kind))
            action.setEnabled(kind != "csv" or bool(plot.lines))
        menu.addAction("Copy Picture", lambda: QGuiApplication.clipboard().setPixmap(plot.grab()))
        return menu

    def _ask_export(self, plot: LivePlot, kind: str, checked: bool = False) -> None:
        folder = self._document.path.parent if self._document.path is not None else Path.home()
        name = f"{Path(self._document.name).stem}_{plot.view_name}.{kind}"
        path, _ = QFileDialog.getSaveFileName(
            self, f"Export {plot.title}", str(folder / name), f"{kind.upper()} (*.{kind})"
        )
        if path:
            self.export(plot, Path(path))

    def export(self, plot: LivePlot, path: Path) -> None:
        """Write what a plot shows; the file's ending says as what: .csv, .png or .svg."""
        self.exporter.export(plot, path, self.start, self.stop)
