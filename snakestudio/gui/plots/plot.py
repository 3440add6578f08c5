"""A plot: a chart, the choice of its content, and drops of channels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from snakestudio.gui.charts.chart import Chart
from snakestudio.gui.core import theme
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.plots.channel_library import ChannelLibrary
from snakestudio.gui.plots.drop import DropHint, dragged_channels
from snakestudio.gui.plots.inks import ink
from snakestudio.model.column_units import label_of
from snakestudio.model.recording import Schema
from snakestudio.model.run_time import run_time
from snakestudio.text import capitalized
from snakestudio.viewmodel.plots.channels import families, series_of
from snakestudio.viewmodel.plots.chart_data import ChartData
from snakestudio.viewmodel.plots.compose import compose, legend
from snakestudio.viewmodel.plots.content import Content, Curve, custom_view, missing, with_curves
from snakestudio.viewmodel.plots.overlaid import Overlay
from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType
from snakestudio.viewmodel.plots.plot_types import VIEWS
from snakestudio.viewmodel.plots.profile import HOLDS, compose_profile, profile_legend
from snakestudio.viewmodel.plots.series_cache import SeriesCache
from snakestudio.viewmodel.plots.span_values import SpanCurve
from snakestudio.viewmodel.plots.spectrum import Spectra, compose_spectrum, spectrum_legend
from snakestudio.viewmodel.plots.xy_plot import Frame, compose_plane, plane_legend, row_near

_MOST_NAMES = 6
"""Largest number of missing names that are listed."""


class PlotHead(QWidget):
    """Two buttons over a plot with menus: the view, and the link or joint.

    They are placed in the chart's first line, which also contains legend and unit.
    """

    def __init__(self, plot: LivePlot) -> None:
        super().__init__(plot)
        self._plot = plot
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.view_button, self.index_button = self._button(), self._button()
        self.view_button.setToolTip("Choose what this plot shows")
        row.addWidget(self.view_button)
        row.addWidget(self.index_button)
        self.view_menu = Menu(plot)
        self.index_menu = Menu(plot)
        self.view_button.setMenu(self.view_menu)
        self.index_button.setMenu(self.index_menu)
        self.view_menu.aboutToShow.connect(self._fill_views)
        self.index_menu.aboutToShow.connect(self._fill_indices)
        self.set_focused(False)

    @staticmethod
    def _button() -> QToolButton:
        button = QToolButton()
        button.setProperty("role", "flat")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        return button

    def set_focused(self, focused: bool) -> None:
        """Set whether this is the active plot, to which a double click in the channel browser adds."""
        line = "palette(highlight)" if focused else "transparent"
        for button, weight in ((self.view_button, 600), (self.index_button, 400)):
            button.setStyleSheet(
                f"QToolButton {{ padding: 2px 4px; font-weight: {weight}; border-radius: 0;"
                f" border: 0; border-bottom: 2px solid {line}; }}"
            )

    def set_texts(self, title: str, choice: str, chooser: str) -> None:
        """Set the texts of the buttons."""
        self.view_button.setText(f"{title} ▾")
        self.index_button.setVisible(bool(chooser))
        self.index_button.setText(f"{choice} ▾")
        self.index_button.setToolTip(f"Choose the {chooser}")

    # --- menus ------------------------------------------------------------------------------------

    def _fill_views(self) -> None:
        plot = self._plot
        schema = self._plot.schema
        self._fill(
            self.view_menu,
            [
                (view.title, name == plot.view_name, schema is None or view.possible(schema), name)
                for name, view in VIEWS.items()
                if name == plot.view_name or schema is None or view.suits(schema)
            ],
            lambda name: plot.choose(str(name)),
        )
        first = self.view_menu.actions()[0]
        for text, content in self._own():
            action = QAction(text, self.view_menu)
            action.setCheckable(True)
            action.setChecked(content is None)
            action.setEnabled(content is None or bool(content.curves) or content.kind == "time")
            if content is not None:
                action.triggered.connect(
                    lambda _=False, content=content: plot.show_content(content)
                )
            self.view_menu.insertAction(first, action)
        strips = Menu("Heat Maps", self.view_menu)
        self.view_menu.insertMenu(first, strips)
        self._fill_strips(strips)
        self.view_menu.insertSeparator(first)

    def _own(self) -> list[tuple[str, Content | None]]:
        """Return contents made of the shown channels, one for each kind; None for the kind that is shown."""
        plot = self._plot
        names = plot.names
        now = plot.content
        curves = tuple(Curve(name) for name in names)
        pair = (Curve(names[1], names[0]),) if len(names) > 1 else ()
        unit = {} if plot.schema is None else plot.library.of(plot.schema)
        alike = tuple(curve for curve in curves if unit[curve.name].unit == unit[names[0]].unit)
        tracks = now.kind == "xy" and now.outlines
        links = (1,) if plot.schema is None else tuple(dict.fromkeys((1, plot.schema.n_links)))
        return [
            ("Time Series", None if now.kind == "time" else Content("time", curves=curves)),
            ("X-Y Plot", None if now.kind == "xy" and not tracks else Content("xy", curves=pair)),
            ("Tracks from Above", None if tracks else Content.tracks(links, centre=True)),
            ("Spectrum", None if now.kind == "spectrum" else Content("spectrum", curves=alike)),
        ]

    def _fill_strips(self, menu: QMenu) -> None:
        plot = self._plot
        if plot.schema is None:
            menu.setEnabled(False)
            return
        known = plot.library.of(plot.schema)
        families_of_run = families(tuple(known))
        parts: dict[str, QMenu] = {}
        for family, names in families_of_run.items():
            part, _, what = family.partition("_*_")
            if part not in parts:
                parts[part] = menu.addMenu(f"{part.capitalize()}s")
            unit = known[names[0]].unit
            content = Content(
                "heat", curves=tuple(map(Curve, names)), title=f"{part} by {part}: {label_of(what)}"
            )
            text = f"{label_of(what)}{f'  [{unit}]' if unit else ''}"
            parts[part].addAction(text).triggered.connect(
                lambda _=False, content=content: plot.show_content(content)
            )

    def _fill_indices(self) -> None:
        plot = self._plot
        view = plot.view
        schema = plot.schema
        chooser = view.chooser
        count = (
            len(view.choices)
            if chooser == "quantity"
            else 0
            if schema is None
            else view.count(schema)
        )

        def text(i: int) -> str:
            name = view.choice(schema, i)
            return name if chooser == "quantity" else capitalized(name)

        self._fill(
            self.index_menu,
            [(text(i), i == plot.index, True, i) for i in range(count)],
            lambda index: plot.choose(plot.view_name, int(str(index))),
        )

    @staticmethod
    def _fill(
        menu: QMenu, entries: list[tuple[str, bool, bool, object]], choose: Callable[[object], None]
    ) -> None:
        for old in menu.findChildren(QMenu):
            old.deleteLater()
        menu.clear()
        group = QActionGroup(menu)
        for text, checked, enabled, data in entries:
            action = QAction(text, group)
            action.setCheckable(True)
            action.setChecked(checked)
            action.setEnabled(enabled)
            action.setData(data)
            menu.addAction(action)
        group.triggered.connect(lambda action: choose(action.data()))


class LivePlot(QWidget):
    """Shows one view of the history, or channels chosen by the user.

    Parameters
    ----------
    view : str
        Name in `VIEWS`.
    index : int
        Chosen link or joint, 0-based.
    library : ChannelLibrary, optional
        Source of channels by name.

    Signals
    -------
    chosen()
        The content, or the link or joint, changed.
    refused(sentence: str)
        Channels cannot be shown in this plot.
    row_requested(row: int)
        Requests the cursor at this row.
    """

    chosen = Signal()
    refused = Signal(str)
    row_requested = Signal(int)

    def __init__(
        self,
        series_cache: SeriesCache,
        view: str,
        index: int = 0,
        library: ChannelLibrary | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._series_cache = series_cache
        self.library = library if library is not None else ChannelLibrary(parent=self)
        self._content = Content.of_view(view, index)
        self._values: tuple[float, float] | None = None
        self._frame: Frame | None = None
        self._frequencies: tuple[float, float] | None = None
        self._spectra = Spectra()
        self._view_for: tuple[object, ...] = ()
        self._lines: list[CurveSpec] = []
        self._lines_for: tuple[object, ...] = ()
        self._probe: float | None = None
        self._at: tuple[float | None, int | None] = (None, None)
        self._seen = (0.0, 1.0)
        self.span: tuple[float, float] | None = None
        self.overlays: Sequence[Overlay] = ()
        self.chart = Chart()
        self.chart.setAccessibleName("Chart")
        self.chart.setAcceptDrops(False)  # drops are handled by the plot
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.chart)
        self.head = PlotHead(self)
        self.hint = DropHint(self)
        self.setAcceptDrops(True)
        self.chart.values_dragged.connect(self._set_values)
        self.chart.plane_dragged.connect(self._set_frame)
        self.chart.plane_clicked.connect(self._on_plane_clicked)
        self.chart.probed.connect(self._on_probed)
        self.chart.resized.connect(self._on_resized)
        self.library.changed.connect(self._on_library)
        self._label()

    # --- content ----------------------------------------------------------------------------------

    @property
    def content(self) -> Content:
        """Content of the plot, as data."""
        return self._content

    @property
    def schema(self) -> Schema | None:
        """Schema of the run."""
        return None if self._series_cache.recording is None else self._series_cache.recording.schema

    @property
    def view_name(self) -> str:
        """Name of the view in `VIEWS`; "" for chosen channels."""
        return self._content.view

    @property
    def view(self) -> PlotType:
        """Type of the plot."""
        key = (self.schema, self._content, self.library.derived)
        if key != self._view_for:
            self._view_for, self._view = (
                key,
                custom_view(self._content, self.library.of, self.schema),
            )
        return self._view

    @property
    def index(self) -> int:
        """Chosen link, joint or quantity, 0-based."""
        schema = self.schema
        index = self._content.index
        return index if schema is None else max(0, min(index, self.view.count(schema) - 1))

    @property
    def title(self) -> str:
        """Title with the chosen link, joint or quantity."""
        chosen = self.view.choice(self.schema, self.index)
        return f"{self.view.title}, {chosen}" if self.view.chooser else self.view.title

    @property
    def instant(self) -> str:
        """Title with the time of a profile."""
        return self.title if self._at[0] is None else f"{self.title}, t = {run_time(self._at[0])}"

    @property
    def lines(self) -> list[CurveSpec]:
        """The curves, in pairs for an X-Y plot."""
        key = (self.schema, self._content, self.index, theme.current().name, self.library.derived)
        if key != self._lines_for:
            schema = self.schema
            possible = schema is not None and self.view.possible(schema)
            lines = self.view.lines(schema, self.index) if possible and schema is not None else []
            self._lines = [replace(line, colour=ink(line.colour)) for line in lines]
            self._lines_for = key
        return self._lines

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the channels that are shown as curves."""
        schema = self.schema
        if self._content.kind != "view" or schema is None:
            return self._content.names
        names = (series_of(line.series, schema).names[line.column] for line in self.lines)
        return tuple(name for name in dict.fromkeys(names) if name in self.library.of(schema))

    @property
    def overlaid(self) -> list[tuple[Overlay, list[CurveSpec]]]:
        """The curves of overlaid recordings."""
        return [
            (overlay, overlay.lines(self.view, self.index, self.lines)) for overlay in self.overlays
        ]

    @property
    def series(self) -> set[str]:
        """Keys of the series that the plot needs."""
        keys = {
            line.series
            for lines in (self.lines, *(over for _, over in self.overlaid))
            for line in lines
        }
        schema = self.schema
        if schema is not None and schema.n_holds and self.view.style == "profile":
            keys.update(HOLDS)
        phase = self.view.phase(schema)
        return keys if phase is None else keys | {phase[0]}

    def span_curves(self) -> list[SpanCurve]:
        """Return the curves with statistics, those of overlaid runs after those of the run."""
        series_cache = self._series_cache
        names = self._content.kind in ("time", "spectrum")
        curves = []
        for number, (memory, lines) in enumerate(
            [
                (series_cache, self.lines),
                *((overlay.series_cache, over) for overlay, over in self.overlaid),
            ]
        ):
            recording = memory.recording
            if recording is None:
                continue
            run = self.overlays[number - 1].run.name if number else ""
            for line in lines:
                name = line.name if names or self._content.kind == "xy" else self._curve_name(line)
                name = f"{name}, {run}" if run else name
                curves.append(
                    SpanCurve(name, line.colour, line.unit, recording, memory.other, line)
                )
        return curves

    def _curve_name(self, line: CurveSpec) -> str:
        """Return the name of a curve with its link or joint: "angle, joint 4"."""
        chosen = self.view.choice(self.schema, self.index)
        return f"{line.name}, {chosen}" if self.view.chooser and line.name != chosen else line.name

    def choose(self, view: str, index: int | None = None) -> None:
        """Show another view, or another link or joint."""
        if (view, index) == (self.view_name, self._content.index):
            return
        chosen = self._content.index if index is None else index
        self.show_content(Content.of_view(view, chosen))

    def show_content(self, content: Content) -> None:
        """Show another content."""
        if content == self._content:
            return
        if (content.kind, content.curves) != (self._content.kind, self._content.curves):
            self._frame = self._frequencies = None
        self._content = content
        self._values = None
        self._label()
        self.chosen.emit()

    def add_channels(self, names: tuple[str, ...]) -> bool:
        """Add channels; a predefined view becomes a plot of chosen channels. Return whether that is possible."""
        result = self._with(names)
        if isinstance(result, str):
            self.refused.emit(result)
            return False
        self.show_content(result)
        return True

    def _with(self, names: tuple[str, ...]) -> Content | str:
        schema = self.schema
        if schema is None:
            return "There is no run yet. Start one, then drag channels here."
        content = self._content if self._content.kind != "view" else Content("time")
        return with_curves(content, names, self.library.of(schema))

    def fit_values(self) -> None:
        """Fit the axes to the data again."""
        self._values = self._frame = self._frequencies = None

    def _set_values(self, low: float, high: float) -> None:
        if 1e-12 < high - low < 1e12:
            self._values = low, high
            self.chosen.emit()

    def _set_frame(self, left: float, right: float, low: float, high: float) -> None:
        if right > left and high > low:
            self._frame = Frame(left, right, low, high)
            self.chosen.emit()

    def set_frequencies(self, low: float, high: float) -> None:
        """Show a range of frequencies of a spectrum, Hz."""
        if high - low > 1e-6:
            self._frequencies = max(0.0, low), max(high - low, high) if low < 0 else high
            self.chosen.emit()

    def show_names(self) -> None:
        """Update names after a change of the recording."""
        self._label()

    def _on_library(self) -> None:
        if self._content.kind != "view":
            self._label()
            self.chosen.emit()

    def _label(self) -> None:
        self.head.set_texts(
            self.view.title, self.view.choice(self.schema, self.index), self.view.chooser
        )
        self._place()

    def _place(self) -> None:
        available = self.width() - 48
        width_beside = (
            math.floor(self.chart.area.right() - self.chart.cursor_legend.unit_width) - 44
        )
        # a long unit is also cut off
        width = min(self.head.sizeHint().width(), max(width_beside, available // 2))
        self.head.setGeometry(40, 0, width, 26)
        self.chart.place_legend(40 + width + 4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _on_resized(self) -> None:
        if self.view.equal:
            self.chosen.emit()

    # --- drawing ----------------------------------------------------------------------------------

    def draw(
        self,
        start: float,
        stop: float,
        cursor: float | None,
        row: int | None,
        *,
        steady: bool = False,
        hasty: bool = False,
    ) -> None:
        """Draw the range from start to stop (s), with the cursor at a time and its row; a profile is drawn at that row.

        With `steady`, axes that still fit are unchanged; `hasty` is for one of many frames while the
        user moves the view.
        """
        self._at = (cursor, row)
        self._seen = (start, stop)
        chart_data = self._chart_data(start, stop, row, self.chart.data if steady else None)
        chart_data.cursor = cursor if chart_data.across == "time" else self._probe
        chart_data.legend = self._legend(chart_data, cursor, row)
        chart_data.span = self.span
        named = self.schema is not None and self._content.kind != "view"
        lost = (
            missing(self._content, self.library.of(self.schema))
            if named and self.schema is not None
            else []
        )
        if lost and (chart_data.invites or not chart_data.note):
            more = f" and {len(lost) - _MOST_NAMES} more" if len(lost) > _MOST_NAMES else ""
            chart_data.invites = False
            chart_data.note = f"Not in this run: {', '.join(lost[:_MOST_NAMES])}{more}"
        unit = self.chart.cursor_legend.unit_width
        self.chart.show_data(chart_data, hasty=hasty)
        if unit != self.chart.cursor_legend.unit_width:
            self._place()

    def _chart_data(
        self, start: float, stop: float, row: int | None, before: ChartData | None
    ) -> ChartData:
        view = self.view
        lines = self.lines
        series_cache = self._series_cache
        overlaid = self.overlaid
        area = self.chart.area
        if view.style == "profile":
            return compose_profile(view, lines, series_cache, row, self._values, overlaid)
        if view.style == "xy":
            size = area.width(), area.height()
            return compose_plane(
                view, lines, series_cache, start, stop, size, self._frame, overlaid, row
            )
        if view.style == "spectrum":
            of = self.span or (start, stop)
            return compose_spectrum(
                view,
                lines,
                series_cache,
                self._spectra,
                *of,
                self._frequencies,
                self._values,
                before,
                overlaid,
            )
        width = max(1, round(area.width() * self.chart.devicePixelRatioF()))
        return compose(
            view, lines, series_cache, start, stop, width, self._values, before, overlaid
        )

    def _legend(
        self, chart_data: ChartData, cursor: float | None, row: int | None
    ) -> list[tuple[str, str]]:
        if chart_data.across == "body":
            return profile_legend(chart_data, cursor, self._probe)
        if chart_data.across == "frequency":
            return spectrum_legend(chart_data, self.view, self._probe)
        if chart_data.across == "plane":
            names = [
                (overlay.run.colour, overlay.run.name) for overlay, over in self.overlaid if over
            ]
            return [*names, *plane_legend(chart_data, self.lines)]
        entries = legend(self.view, self.lines, self._series_cache, row, self.overlaid)
        return [(ink(colour), text) for colour, text in entries]

    def draw_cursor(self, cursor: float | None, row: int | None) -> None:
        """Move the cursor only; this redraws a profile, and moves the discs of a plane."""
        if self.view.style in ("profile", "xy"):
            self.draw(*self._seen, cursor, row, steady=True)
        elif self.view.style != "spectrum":
            self.chart.show_cursor(cursor, self._legend(self.chart.data, cursor, row))

    def show_over(self, overlays: Sequence[Overlay]) -> None:
        """Set the overlaid recordings, which are drawn from the next redraw on."""
        self.overlays = overlays

    def show_span(self, span: tuple[float, float] | None) -> None:
        """Mark a time span (s), which is also the range of a spectrum."""
        self.span = span
        if self.view.style == "spectrum":
            self.chosen.emit()
        else:
            self.chart.data.span = span
            self.chart.extras.show_span(span if self.chart.data.across == "time" else None)

    def _on_probed(self, position: float | None) -> None:
        """Show the values at a position of the mouse on a profile (m) or a spectrum (Hz), or none."""
        if position != self._probe:
            self._probe = position
            self.chart.show_cursor(position, self._legend(self.chart.data, self._at[0], None))

    def _on_plane_clicked(self, x: float, y: float) -> None:
        (left, right), (low, high) = self.chart.view.viewRange()
        area = self.chart.area
        scale = area.width() / (right - left), area.height() / (high - low)
        seen = (-math.inf, math.inf) if self.view.whole_run else self._seen
        row = row_near(self.lines, self._series_cache, *seen, (x, y), scale)
        if row is not None:
            self.row_requested.emit(row)

    # --- drops ------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        names = dragged_channels(event.mimeData())
        if not names:
            return
        event.acceptProposedAction()
        result = self._with(names)
        if isinstance(result, str):
            self.hint.show_text(result, refused=True)
        else:
            replaced = self._content.kind == "view"
            what = label_of(names[0]) if len(names) == 1 else f"{len(names)} channels"
            self.hint.show_text(f"Show {what} here instead" if replaced else f"Add {what}")

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.hint.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self.hint.hide()
        names = dragged_channels(event.mimeData())
        if names:
            event.acceptProposedAction()
            self.add_channels(names)
