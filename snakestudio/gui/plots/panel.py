"""The panel of live plots, with a common time axis and the cursor of the time bar."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.forms.sections import scrolled
from snakestudio.gui.plots.channel_library import ChannelLibrary
from snakestudio.gui.plots.export import PlotExporter
from snakestudio.gui.plots.grid import MOST_PLOTS, PlotGrid
from snakestudio.gui.plots.panel_bar import PanelBar
from snakestudio.gui.plots.plot import LivePlot
from snakestudio.gui.plots.plot_menu import add_content_entries, curve_menu, pop_up
from snakestudio.gui.plots.redraws import Redraw, Redraws
from snakestudio.gui.plots.statistics_strip import StatisticsStrip
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.plots.content import Content
from snakestudio.viewmodel.plots.overlaid import OverlaidRun, Overlay
from snakestudio.viewmodel.plots.plot_types import default_views, first_index
from snakestudio.viewmodel.plots.scale import next_page, page_around
from snakestudio.viewmodel.plots.series_cache import SeriesCache

_TICK_MS = 16
_PULL_BUDGET_S = 0.004
_PULL_EVERY_S = 0.045
_REST_MS = 150
"""Delay after the last change of the start before plots of a run that has not begun are redrawn, ms."""
_LEAST_SPAN = 1e-3
_MOST_SPAN = 1e7


class _SceneViews:
    """The default contents of a panel: the views for the scene, until the user chooses others."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._names = scene, default_views(scene)

    @property
    def contents(self) -> list[Content]:
        """The views as contents of plots."""
        return [Content.of_view(name, first_index(name, self._scene)) for name in self._names]

    def shown_by(self, plots: Sequence[LivePlot]) -> bool:
        """Whether plots show exactly these views."""
        return tuple(plot.view_name for plot in plots) == self._names

    def adapt_to_scene(self, plots: Sequence[LivePlot], scene: Scene) -> None:
        """Switch to the views for another scene, unless the user has chosen others."""
        names = default_views(scene)
        if self.shown_by(plots):
            for plot, name in zip(plots, names, strict=True):
                if plot.view_name != name:
                    plot.choose(name, first_index(name, scene))
            self._scene = scene
            self._names = names

    def adapt_to_run(self, plots: Sequence[LivePlot], scene: Scene, schema: Schema) -> None:
        """Switch to the available views after a change from links to a continuous body, or back."""
        names = default_views(scene)
        turned = bool(schema.sections) != (self._names[0] == "profile")
        for plot, name, default in zip(plots, names, self._names, strict=False):
            lost = plot.view_name and (
                not plot.view.suits(schema) if schema.sections else plot.view.of == "body"
            )
            if lost or (turned and plot.view_name == default):
                plot.choose(name, first_index(name, scene))
        for plot in plots:
            plot.show_names()
        if turned:
            self._scene = scene
            self._names = names


class PlotPanel(ThemedWidget):
    """Live plots: the default views for the scene, or contents chosen by the user.

    Parameters
    ----------
    library : ChannelLibrary, optional
        Source of channels by name.
    contents : sequence of Content, optional
        Contents of the plots; if omitted, the views for the scene.

    Signals
    -------
    refused(sentence: str)
        Dropped channels cannot be shown.
    contents_changed()
        The contents of the plots changed.
    focused()
        One of the plots was clicked.
    """

    refused = Signal(str)
    contents_changed = Signal()
    focused = Signal()

    def __init__(
        self,
        session_controller: SessionController,
        document: Document,
        library: ChannelLibrary | None = None,
        contents: Sequence[Content] | None = None,
        title: str = "Plots",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self.document = document
        self.library = library if library is not None else ChannelLibrary(parent=self)
        self.series_cache = SeriesCache()
        self.overlays: list[Overlay] = []
        self.start = 0.0
        self.stop = 10.0
        self.span: tuple[float, float] | None = None
        self._pulled = 0.0
        self.redraws = Redraws()
        self._focused_plot: LivePlot | None = None
        self._marked = False
        self.exporter = PlotExporter(self.series_cache, self)
        self.bar = PanelBar(title)
        self.follow_button = self.bar.follow_button
        self.pause_button = self.bar.pause_button
        self.window_box = self.bar.window_box
        self.note = self.bar.note
        for button in (self.follow_button, self.pause_button):
            button.toggled.connect(lambda on: self._refresh())
        self.window_box.activated.connect(lambda _: self.follow())
        self.bar.add_button.clicked.connect(lambda: self.add_plot(Content("time")))
        self._is_regridded = False
        self._timer = QTimer(self)
        self._timer.setObjectName("redraw_timer")
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self.grid = PlotGrid(self._make_plot)
        self.grid.changed.connect(self._on_grid)
        self.grid.dropped.connect(self.add_channels)
        self.strip = StatisticsStrip(self)
        self.strip.hide()
        self.bar.statistics_button.toggled.connect(self._show_statistics)
        self.strip.closed.connect(lambda: self.bar.statistics_button.setChecked(False))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 4, 4)
        layout.setSpacing(2)
        layout.addWidget(self.bar)
        area = scrolled(self.grid)  # many plots would make the window higher than its screen
        area.setStyleSheet("QScrollArea { border: 0; }")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout.addWidget(area, 1)
        layout.addWidget(self.strip)
        self._scene_views = _SceneViews(document.scene)
        self.grid.show_contents(self._scene_views.contents if contents is None else list(contents))

        self._begun = True
        self._resting = Delay(_REST_MS, self._refresh, self)
        self._resting.setObjectName("rest_timer")
        session_controller.recording_changed.connect(self._on_recording)
        session_controller.cursor_changed.connect(self._on_cursor)
        document.scene_changed.connect(self._on_scene)
        document.opened.connect(self._on_opened)
        self._on_recording()

    def _make_plot(self, content: Content) -> LivePlot:
        plot = LivePlot(self.series_cache, "force", 0, self.library)
        plot.show_content(content)
        plot.show_over(self.overlays)
        plot.show_span(self.span)
        chart = plot.chart
        plot.chosen.connect(lambda: self._on_chosen(plot))
        plot.refused.connect(self.refused)
        plot.row_requested.connect(self._session_controller.set_cursor)
        chart.view_dragged.connect(lambda start, stop: self._on_view_dragged(plot, start, stop))
        chart.span_dragged.connect(lambda start, stop: self.select_span((start, stop)))
        chart.cursor_dragged.connect(self._seek)
        chart.cursor_stepped.connect(self._step)
        chart.fit_requested.connect(lambda: self._on_fit(plot))
        chart.menu_requested.connect(lambda point: pop_up(self.plot_menu(plot), point))
        chart.legend_requested.connect(
            lambda entry, point: pop_up(curve_menu(plot, entry) or self.plot_menu(plot), point)
        )
        chart.viewport().installEventFilter(self)
        self.redraws.mark([plot], Redraw.AT_ONCE)
        return plot

    def sizeHint(self) -> QSize:
        return QSize(840, 380)

    # --- plots ------------------------------------------------------------------------------------

    @property
    def plots(self) -> list[LivePlot]:
        """All plots, in order."""
        return self.grid.plots

    @property
    def contents(self) -> list[Content]:
        """Contents of all plots, including those that are not made yet."""
        return [*(plot.content for plot in self.plots), *self.grid.coming]

    def show_contents(self, contents: Sequence[Content]) -> None:
        """Show exactly these contents."""
        self.grid.show_contents(list(contents)[:MOST_PLOTS])

    def show_gradually(self, contents: Sequence[Content]) -> None:
        """Like `show_contents`, but makes one plot per turn of the event loop, so that the window stays responsive."""
        self.grid.show_gradually(list(contents)[:MOST_PLOTS])

    @property
    def as_scene(self) -> bool:
        """Whether the panel shows the default views for the scene."""
        return self._scene_views.shown_by(self.plots)

    def show_scene(self) -> None:
        """Show the default views for the scene."""
        self._scene_views = _SceneViews(self.document.scene)
        self.show_contents(self._scene_views.contents)

    def close_down(self) -> None:
        """Stop computations in threads; call before the panel is deleted."""
        self._timer.stop()
        self._resting.stop()
        for series_cache in self._series_caches:
            series_cache.close()
        self.exporter.close()

    def add_plot(self, content: Content) -> LivePlot | None:
        """Add a plot and activate it; return None if there is no space."""
        if len(self.plots) >= MOST_PLOTS:
            self.refused.emit(
                f"This panel already has {MOST_PLOTS} plots. Add a panel with View > Plots > New Plot Panel."
            )
            return None
        plot = self.grid.add(content)
        self.focus(plot)
        return plot

    def add_channels(self, names: tuple[str, ...]) -> None:
        """Show channels in a new plot."""
        plot = self.add_plot(Content("time"))
        if plot is not None and not plot.add_channels(names):
            self.grid.remove(plot)

    def focus(self, plot: LivePlot) -> None:
        """Set the active plot, to which channels are added from the browser."""
        self._focused_plot = plot
        self.show_focus(True)
        self.focused.emit()

    @property
    def focused_plot(self) -> LivePlot | None:
        """The active plot, to which channels are added from the browser."""
        if self._focused_plot in self.plots:
            return self._focused_plot
        return self.plots[-1] if self.plots else None

    def show_focus(self, visible: bool) -> None:
        """Set whether the active plot is marked, which it is in one panel only."""
        self._marked = visible
        for plot in self.plots:
            plot.head.set_focused(visible and plot is self.focused_plot)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress:
            for plot in self.plots:
                if plot.chart.viewport() is watched and plot is not self._focused_plot:
                    self.focus(plot)
        return False

    def _on_grid(self) -> None:
        # Making a plot takes as long as several redraws: the window handles events and draws the plot
        # before its values are read and computed.
        self._is_regridded = True
        if self._timer.isActive():
            self._timer.start()
        self.redraws.keep(self.plots)
        self._want()
        self.show_focus(self._marked)
        self.strip.show_plots(self.plots)
        self.contents_changed.emit()

    # --- time range -------------------------------------------------------------------------------

    @property
    def following(self) -> bool:
        """Whether the plots follow the newest data."""
        return (
            self.follow_button.isChecked()
            and not self.pause_button.isChecked()
            and self._session_controller.live
        )

    def follow(self, span: float | None = None) -> None:
        """Keep the newest `span` seconds in view (0: all; None: the range chosen in the bar)."""
        if span is not None:
            index = self.window_box.findData(span)
            if index >= 0:
                self.window_box.setCurrentIndex(index)
        self.pause_button.setChecked(False)
        self.follow_button.setChecked(True)
        self._refresh()

    def set_view(self, start: float, stop: float) -> None:
        """Show a time range (s) and stop following the newest data."""
        if _LEAST_SPAN <= stop - start <= _MOST_SPAN:
            self.follow_button.setChecked(False)
            self._set_view(start, stop, Redraw.AT_ONCE)

    def _set_view(self, start: float, stop: float, how: Redraw) -> None:
        if (start, stop) != (self.start, self.stop):
            self.start = start
            self.stop = stop
            for series_cache in self._series_caches:
                series_cache.show_other_rows()
            self._mark(how)

    def _follow_newest(self, settle: bool = False) -> None:
        """Move the newest data into view; with `settle`, to its end."""
        span = float(self.window_box.currentData())
        # A new range is applied to all plots together; in the same range, curves only get longer.
        self._set_view(
            *next_page(self.start, self.stop, self._newest, span, settle=settle), Redraw.AT_ONCE
        )

    @property
    def _newest(self) -> float:
        """Time of the newest row, s."""
        recording = self.series_cache.recording
        return float(recording.times[-1]) if recording is not None and len(recording) else 0.0

    def _refresh(self) -> None:
        if self.following:
            self._follow_newest(settle=True)
        self._mark(Redraw.AT_ONCE)

    def _mark(self, how: Redraw) -> None:
        self.redraws.mark(self.plots, how)

    @property
    def settled(self) -> bool:
        """Whether all plots are up to date and drawn at full quality."""
        return not self.grid.coming and not self._resting.isActive() and self.redraws.settled

    # --- events -----------------------------------------------------------------------------------

    def _on_recording(self) -> None:
        recording = self._session_controller.recording
        self.series_cache.reset(recording)
        if recording is not None:
            self._scene_views.adapt_to_run(self.plots, recording.scene, recording.schema)
        self._want()
        before = self._begun
        self._begun = recording is not None and len(recording) > 1
        if before or self._begun:
            self._resting.stop()
            self._refresh()
        else:
            self._resting.start()  # during a drag, every move prepares a new run, none of which has begun

    def _on_opened(self) -> None:
        self._scene_views.adapt_to_scene(self.plots, self.document.scene)

    def _on_scene(self) -> None:
        if self._resting.isActive():
            self._resting.start()  # more changes may follow, with many obstacles later than the delay

    def show_zone(self, visible: bool) -> None:
        """Set whether the drop zone for a new plot is visible."""
        self.grid.zone.setVisible(visible)

    def widget(self) -> QWidget:
        """The panel as a widget, for users of its protocol."""
        return self

    def overlay(self, runs: Iterable[OverlaidRun]) -> None:
        """Draw exactly these recordings over the run."""
        before = self.overlays
        self.overlays = Overlay.for_runs(runs, before)
        for previous in before:
            if previous not in self.overlays:
                previous.series_cache.close()
        self.series_cache.compare_with(self.overlays[0].run.recording if self.overlays else None)
        for plot in self.plots:
            plot.show_over(self.overlays)
        self._want()
        self._mark(Redraw.AT_ONCE)

    def _want(self) -> None:
        keys = {key for plot in self.plots for key in plot.series}
        for series_cache in self._series_caches:
            series_cache.want(keys)

    @property
    def _series_caches(self) -> list[SeriesCache]:
        return [self.series_cache, *(overlay.series_cache for overlay in self.overlays)]

    def _on_chosen(self, plot: LivePlot) -> None:
        if plot not in self.plots:
            return
        self._want()
        self.redraws.mark([plot], Redraw.AT_ONCE)
        self.strip.show_plots(self.plots)
        self.contents_changed.emit()

    def _on_view_dragged(self, plot: LivePlot, start: float, stop: float) -> None:
        if plot.view.style == "spectrum":
            plot.set_frequencies(start, stop)
        else:
            self.set_view(start, stop)

    def select_span(self, span: tuple[float, float] | None) -> None:
        """Select a time span (s) in all plots, and show its statistics; None clears the selection."""
        self.span = span
        for plot in self.plots:
            plot.show_span(span)
        if span is not None and not self.bar.statistics_button.isChecked():
            self.bar.statistics_button.setChecked(True)
        self.strip.show_span(span)

    def _show_statistics(self, on: bool) -> None:
        self.strip.setVisible(on)
        if not on:
            self.select_span(None)
        elif self.span is None:
            at = 0.5 * (self.start + self.stop)
            half = 0.25 * (self.stop - self.start)
            self.select_span((max(0.0, at - half), at + half))

    def _on_fit(self, plot: LivePlot) -> None:
        plot.fit_values()
        self._session_controller.set_cursor(None)  # the first click of a double click has set one
        self.follow()

    def fit_values(self, plot: LivePlot) -> None:
        """Fit the axes of a plot to the data again."""
        plot.fit_values()
        self.redraws.mark([plot], Redraw.AT_ONCE)

    def _cursor_row(self) -> tuple[float | None, int | None]:
        """Return time (s) and row of the cursor, by default of the newest row; None without rows."""
        recording = self.series_cache.recording
        if recording is None or not len(recording):
            return None, None
        index = self._session_controller.cursor
        row = len(recording) - 1 if index is None else min(index, len(recording) - 1)
        return float(recording.times[row]), row

    def _seek(self, time: float) -> None:
        """Move the cursor to the row nearest to a time, s."""
        recording = self.series_cache.recording
        if recording is not None and len(recording):
            self._session_controller.set_cursor(recording.index_at(time))

    def _step(self, rows: int) -> None:
        """Move the cursor by a number of rows."""
        (_, row), recording = self._cursor_row(), self.series_cache.recording
        if row is not None and recording is not None:
            self._session_controller.set_cursor(max(0, min(row + rows, len(recording) - 1)))

    def _on_cursor(self) -> None:
        at, row = self._cursor_row()
        if (
            at is not None
            and not self._session_controller.live
            and not self.start <= at <= self.stop
        ):
            self._set_view(*page_around(at, self.stop - self.start, self._newest), Redraw.AT_ONCE)
        if self._resting.isActive():
            return
        if self._session_controller.live:
            self._refresh()
        self.redraws.move_cursor(at, row)
        for plot in self.plots:
            plot.draw_cursor(at, row)

    # --- the timer --------------------------------------------------------------------------------

    def _tick(self) -> None:
        if self._resting.isActive() or self.visibleRegion().isEmpty():
            return  # behind another tab, which Qt reports as visible: hidden plots must take no time from a robot
        if self._is_regridded:
            self._is_regridded = False
            self._draw()
            return
        now = time.perf_counter()
        filling = self.series_cache.filling
        if filling or now - self._pulled >= _PULL_EVERY_S:
            self._pulled = now
            if self.series_cache.pull(_PULL_BUDGET_S):
                if self.following:
                    self._follow_newest()
                if filling or not self.pause_button.isChecked():
                    self._mark(Redraw.ALL if filling else Redraw.LONGER)
            problems = self.series_cache.problems
            self.note.setText(
                "reading the run..."
                if self.series_cache.filling
                else problems[0]
                if problems
                else ""
            )
        for overlay in self.overlays:
            if overlay.series_cache.missing and overlay.series_cache.pull(_PULL_BUDGET_S):
                self._mark(Redraw.ALL)
        self._draw()

    def draw_now(self) -> None:
        """Redraw outdated plots without waiting for the timer."""
        if self._resting.isActive():
            self._resting.stop()
            self._refresh()
        self.redraws.rest()
        while not self.redraws.settled:
            self._draw()

    def _draw(self) -> None:
        self.redraws.draw((self.start, self.stop), *self._cursor_row())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def apply_theme(self) -> None:
        self._mark(Redraw.AT_ONCE)

    def plot_menu(self, plot: LivePlot) -> QMenu:
        """Return the menu of a plot."""
        menu = Menu(self)
        menu.addAction("Follow the Newest Data", self.follow)
        menu.addAction("Fit the Axes", lambda: self.fit_values(plot))
        if self.span is not None:
            menu.addAction("Clear the Span", lambda: self.select_span(None))
        if plot.content.kind != "view":
            add_content_entries(menu, plot)
        menu.addSeparator()
        menu.addAction("New Plot", lambda: self.add_plot(Content("time")))
        menu.addAction("Remove Plot", lambda: self.grid.remove(plot))
        menu.addSeparator()
        for kind, text in (
            ("csv", "Data as CSV"),
            ("png", "Image as PNG"),
            ("svg", "Image as SVG"),
        ):
            action = menu.addAction(f"Export {text}...")
            action.triggered.connect(lambda _=False, kind=kind: self._ask_export(plot, kind))
            action.setEnabled(kind != "csv" or bool(plot.lines))
        menu.addAction("Copy Image", lambda: QGuiApplication.clipboard().setPixmap(plot.grab()))
        return menu

    def _ask_export(self, plot: LivePlot, kind: str) -> None:
        self.exporter.ask(plot, kind, self.document.name, self.start, self.stop)

    def export(self, plot: LivePlot, path: Path) -> None:
        """Export a plot in the format given by the file's suffix: .csv, .png or .svg."""
        self.exporter.export(plot, path, self.start, self.stop)
