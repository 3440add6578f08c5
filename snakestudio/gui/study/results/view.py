"""Results of a study: charts above, the table below, all linked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QSplitter,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.study.results.convergence import ConvergenceView
from snakestudio.gui.study.results.hover_card import HoverCard
from snakestudio.gui.study.results.linked import LinkedRows
from snakestudio.gui.study.results.map_view import MapView
from snakestudio.gui.study.results.parallel import ParallelView
from snakestudio.gui.study.results.results_chart import ResultsChart
from snakestudio.gui.study.results.scatter_view import ScatterView
from snakestudio.gui.study.results.table import ResultsTable
from snakestudio.model.scene import Scene
from snakestudio.study.evaluate import Trace
from snakestudio.study.results import Table
from snakestudio.viewmodel.study.result_rows import Results

_NOTHING = "No results yet.\n\nRun the study; its points appear here as they finish."
_LEAST_CHART = 400
"""Width of a chart above which another one fits next to it, px of the design."""
_MOST_CHARTS = 3
_LOW = 520
"""Height below which the table is next to the charts or replaces them, px of the design."""
_TABLE = "Table"
_CHIPS_ASIDE = 6
_CHIPS_APART = 2
_CHIP_PADDING = 4, 11
"""Minimum and maximum padding of the label of a chip, px."""


class StudyResultsView(QWidget):
    """Map, scatter, parallel coordinates, convergence and table of a study's results.

    Signals
    -------
    open_requested(row: int)
        The run of a row must be opened.
    apply_requested(row: int)
        The values of a row must be applied to the scene.
    check_step_requested(row: int)
        The time step of the run of a row must be checked.
    """

    open_requested = Signal(int)
    apply_requested = Signal(int)
    check_step_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.linked = linked = LinkedRows(self)
        self.map = MapView(linked)
        self.scatter = ScatterView(linked)
        self.parallel = ParallelView(linked)
        self.convergence = ConvergenceView(linked)
        self.charts: dict[str, ResultsChart] = {
            "Map": self.map.chart,
            "Scatter": self.scatter.chart,
            "Parallel": self.parallel.chart,
            "Convergence": self.convergence.chart,
        }
        for name, chart in self.charts.items():
            chart.setAccessibleName(name)
        self.table = ResultsTable(linked)
        self._views: dict[str, QWidget] = {
            "Map": self.map,
            "Scatter": self.scatter,
            "Parallel": self.parallel,
            "Convergence": self.convergence,
            _TABLE: self._table_part(),
        }
        self._chosen_charts = ["Scatter", _TABLE, "Map"]
        self._implausible: bool | None = None
        """Whether implausible runs count; None as in the study."""
        self._source: tuple[Table, Mapping[str, str], Scene | None] | None = None
        self._arranged: tuple[bool, list[str]] | None = None
        self.chips: dict[str, QToolButton] = {}
        self._build()
        self.card = HoverCard(self)
        linked.hovered.connect(self._on_hovered)
        linked.open_requested.connect(self.open_requested)
        linked.menu_requested.connect(self._show_menu)
        for changed in (linked.results_changed, linked.shown_changed, linked.brushed_changed):
            changed.connect(self._show_count)
        pin = QShortcut(QKeySequence("P"), self.table, context=Qt.ShortcutContext.WidgetShortcut)
        pin.activated.connect(self._pin_selected)

    def _build(self) -> None:
        names = QHBoxLayout()
        names.setContentsMargins(_CHIPS_ASIDE, 6, _CHIPS_ASIDE, 0)
        names.setSpacing(_CHIPS_APART)
        tips = {
            "Map": "A measure over two varied values",
            "Scatter": "Any two columns, and the Pareto front of two goals",
            "Parallel": "All values and goals of a point as a line; drag on an axis to brush",
            "Convergence": "Best value so far over the evaluated points",
            _TABLE: "All points, sorted and filtered",
        }
        for name in self._views:
            chip = self.chips[name] = QToolButton()
            chip.setProperty("role", "chip")
            chip.setText(name)
            chip.setCheckable(True)
            chip.setToolTip(tips[name])
            chip.clicked.connect(lambda on, name=name: self.show_chart(name, on))
            names.addWidget(chip)
        names.addStretch(1)
        self.failure_label = QLabel()
        self.failure_label.setProperty("role", "warning")
        self.failure_label.setWordWrap(True)
        self.failure_label.setContentsMargins(12, 0, 12, 0)
        self.failure_label.hide()
        self.plausibility_label = QLabel()
        self.plausibility_label.setProperty("role", "dim")
        self.plausibility_label.setSizePolicy(
            QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred
        )
        self.include_button = QToolButton()
        self.include_button.setProperty("role", "link")
        self.include_button.clicked.connect(
            lambda: self.include_implausible(not self.linked.results.table.includes_implausible)
        )
        self.plausibility_row = QWidget()
        plausibility = QHBoxLayout(self.plausibility_row)
        plausibility.setContentsMargins(12, 0, 12, 0)
        plausibility.addWidget(self.plausibility_label, 1)
        plausibility.addWidget(self.include_button)
        self.plausibility_row.hide()
        self._side_by_side = QSplitter(Qt.Orientation.Horizontal)
        for view in self._views.values():
            self._side_by_side.addWidget(view)
        self._side_by_side.setChildrenCollapsible(False)
        above = QWidget()
        column = QVBoxLayout(above)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(names)
        column.addWidget(self.failure_label)
        column.addWidget(self.plausibility_row)
        column.addWidget(self._side_by_side, 1)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.addWidget(above)
        self.split.setChildrenCollapsible(False)
        self._tall = [560, 440]
        self.empty = QLabel(_NOTHING)
        self.empty.setProperty("role", "dim")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setContentsMargins(24, 24, 24, 24)
        self._stack = QStackedLayout(self)
        # Charts side by side can be wider than a narrow dock: they are hidden once its width is
        # known.
        self._stack.setSizeConstraint(QStackedLayout.SizeConstraint.SetNoConstraint)
        self.setMinimumSize(theme.scaled(240), theme.scaled(240))
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.split)
        self._arrange()

    def _table_part(self) -> QWidget:
        part = QWidget()
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(6)
        row = QHBoxLayout()
        row.setContentsMargins(10, 0, 10, 0)
        row.setSpacing(8)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("net_speed > 0.1")
        self.filter.setToolTip(
            "A condition over the columns, such as net_speed > 0.1 and gait.amplitude_deg < 40.\n"
            'The tooltips of the table head give their names. Texts are in quotes: state == "failed".'
        )
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._on_filter)
        self.only_brushed = QToolButton()
        self.only_brushed.setProperty("role", "chip")
        self.only_brushed.setText("Brushed only")
        self.only_brushed.setCheckable(True)
        self.only_brushed.setToolTip("Show only the brushed rows in the table")
        self.only_brushed.toggled.connect(self._on_only_brushed)
        self.clear_brushes = QToolButton()
        self.clear_brushes.setProperty("role", "link")
        self.clear_brushes.setText("Clear")
        self.clear_brushes.setToolTip("Clear all brushes (Esc in a chart)")
        self.clear_brushes.clicked.connect(lambda: self.linked.clear_brushes())
        row.addWidget(self.filter, 1)
        row.addWidget(self.only_brushed)
        row.addWidget(self.clear_brushes)
        self.problem = QLabel()
        self.problem.setProperty("role", "warning")
        self.problem.setWordWrap(True)
        self.problem.setContentsMargins(12, 0, 12, 0)
        self.problem.hide()
        self.count = QLabel()
        self.count.setProperty("role", "dim")
        self.count.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.count.setContentsMargins(12, 0, 12, 4)
        column.addLayout(row)
        column.addWidget(self.problem)
        column.addWidget(self.table, 1)
        column.addWidget(self.count)
        return part

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(420), theme.scaled(640))

    # --- results ----------------------------------------------------------------------------------

    def show_table(
        self,
        table: Table,
        units: Mapping[str, str],
        trace: Callable[[str], Trace | None],
        scene: Scene | None = None,
    ) -> None:
        """Show results; call again when runs finish. The state of the views stays as long as the same values vary.

        Parameters
        ----------
        units : mapping
            Units of goals and limits by name, as suffixes of columns.
        trace : callable
            Returns the trace of a run by its key, or None.
        scene : Scene, optional
            Scene of the study, with the names of its values.
        """
        self.card.fetch_with(trace)
        self._source = table, units, scene
        if self._implausible is not None:
            table = table.including_implausible(self._implausible)
        results = Results(table, units, scene)
        if self.linked.has_results and not self.linked.results.varies_as(results):
            self.linked.discard_results()  # another study
            self._implausible = None
            results = Results(self._source[0], units, scene)
        first = not self.linked.has_results
        if len(results):
            if first:
                self._choose_usual(results)
            self._stack.setCurrentIndex(1)
            self.linked.set_results(results)
            for chart in self.charts.values():
                chart.restore_focus()
            if first:  # typed before there were results
                self.linked.sift(self.filter.text())
                self.linked.show_only_brushed(self.only_brushed.isChecked())
        else:
            self.linked.discard_results()
            self.card.hide()
            self._stack.setCurrentIndex(0)

    def include_implausible(self, include: bool) -> None:
        """Let runs that are not plausible count in this view, or leave them out."""
        self._implausible = include
        if self._source is not None and self.linked.has_results:
            table, units, scene = self._source
            self.linked.set_results(Results(table.including_implausible(include), units, scene))

    def _choose_usual(self, results: Results) -> None:
        """Show the charts that suit the study best."""
        study = results.table.study
        varied = len(study.groups)
        usual = (
            ["Convergence", "Scatter"]
            if study.search.kind in ("cma_es", "nsga2", "tpe")
            else ["Scatter", "Map"]
        )
        if len(study.goals) > 1:
            usual = ["Map" if varied < 3 else "Parallel", "Scatter"]
        elif varied > 2 and study.search.kind not in ("cma_es", "tpe"):
            usual = ["Scatter", "Parallel"]
        elif study.search.kind not in ("cma_es", "tpe"):
            usual = ["Parallel" if varied > 1 else "Scatter", "Map"]
        self._chosen_charts = [usual[0], _TABLE, usual[1]]
        self._arrange()

    # --- charts -----------------------------------------------------------------------------------

    @property
    def _low(self) -> bool:
        """Whether the table does not fit below the charts."""
        return self.height() < theme.scaled(_LOW)

    @property
    def shown_charts(self) -> list[str]:
        """Names of the visible charts from left to right, and of the table if it is one of them."""
        most = min(max(1, self.width() // theme.scaled(_LEAST_CHART)), _MOST_CHARTS)
        chosen = [name for name in self._chosen_charts if self._low or name != _TABLE][-most:]
        return [name for name in self._views if name in chosen]

    def show_chart(self, name: str, on: bool = True) -> None:
        """Show or hide a chart; if it does not fit next to the others, the oldest is hidden."""
        others = [each for each in self._chosen_charts if each != name]
        self._chosen_charts = [*others, name] if on or self.shown_charts == [name] else others
        self._arrange()

    def _arrange(self) -> None:
        low, shown_charts = self._arranged = self._low, self.shown_charts
        table = self._views[_TABLE]
        if low and table.parentWidget() is self.split:
            self._tall = self.split.sizes()
            self._side_by_side.addWidget(table)
        elif not low and table.parentWidget() is not self.split:
            self.split.addWidget(table)
            self.split.setSizes(self._tall)
        for name, view in self._views.items():
            view.setVisible(name in shown_charts or (name == _TABLE and not low))
            self.chips[name].setChecked(name in shown_charts)
        self.chips[_TABLE].setVisible(low)
        self.plausibility_label.setWordWrap(not low)  # there is no space for several lines
        self._side_by_side.setSizes(
            [
                (1400 if name == "Parallel" else 1000) * (name in shown_charts)
                for name in self._views
            ]
        )

    def _fit_chips(self) -> None:
        """Share the width among the chips; if it is small, reduce the font, then elide the longest label."""
        chips = [chip for chip in self.chips.values() if not chip.isHidden()]
        least, most = _CHIP_PADDING
        for size in (13, 12):
            font = theme.text_font(size)
            widths = [QFontMetrics(font).horizontalAdvance(chip.text()) + 3 for chip in chips]
            space = self.width() - 2 * _CHIPS_ASIDE - _CHIPS_APART * (len(chips) - 1) - sum(widths)
            if space >= 2 * least * len(chips):
                break
        padding = min(max(space // (2 * len(chips)), least), most)
        widths[widths.index(max(widths))] -= max(0, 2 * least * len(chips) - space)
        for chip, text_width in zip(chips, widths, strict=True):
            chip.setStyleSheet(f"padding: 3px 0; font-size: {font.pixelSize()}px;")
            chip.setFixedWidth(text_width + 2 * padding)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._arranged is not None:
            if self._arranged != (self._low, self.shown_charts):
                self._arrange()
            self._fit_chips()

    # --- messages --------------------------------------------------------------------------------

    def _on_filter(self, text: str) -> None:
        if self.linked.has_results:
            self.linked.sift(text)

    def _on_only_brushed(self, on: bool) -> None:
        if self.linked.has_results:
            self.linked.show_only_brushed(on)

    def _show_count(self) -> None:
        if not self.linked.has_results:
            return
        rows = self.linked.rows
        results = self.linked.results
        visible = len(rows.visible)
        every = len(results)
        parts = [f"{every:,} points" if visible == every else f"{visible:,} of {every:,} points"]
        if rows.brushes:
            parts.append(f"{int(rows.brushed.sum()):,} brushed")
        if rows.pins:
            parts.append(f"{len(rows.pins)} pinned")
        if (failed := int(results.failed.sum())) > 0:
            parts.append(f"{failed:,} failed")
        if doubtful := int(results.table.implausible.sum()):
            parts.append(f"{doubtful:,} not plausible")
        self.count.setText(" · ".join(parts))
        note = results.table.plausibility_note
        self.plausibility_label.setText(note)
        self.plausibility_label.setToolTip(note)
        self.plausibility_row.setVisible(bool(note))
        self.include_button.setVisible(bool(doubtful))
        included = results.table.includes_implausible
        self.include_button.setText("Leave Out" if included else "Include")
        self.include_button.setToolTip(
            "Leave runs that are not plausible out of the best points, fronts and colours"
            if included
            else "Let runs that are not plausible count for the best points, fronts and colours"
        )
        self.problem.setText(rows.problem)
        self.problem.setVisible(bool(rows.problem))
        self.only_brushed.setEnabled(bool(rows.brushes) or rows.only_brushed)
        self.clear_brushes.setVisible(bool(rows.brushes))
        self.failure_label.setVisible(bool(results.failed.all()))
        if results.failed.all():
            first = results.sentence(0).rstrip(".")
            self.failure_label.setText(
                f"None of the {every:,} points has a result. First error: {first}."
            )

    def _on_hovered(self, row: int, position: QPoint) -> None:
        if self.linked.has_results:
            self.card.show_row(self.linked.results, row, position)
        else:
            self.card.hide()

    # --- actions on rows --------------------------------------------------------------------------

    def menu(self) -> QMenu:
        """Return the menu of the selected rows."""
        rows = self.linked.rows.selected_rows
        menu = Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        last = rows[-1] if rows else -1

        def add(text: str, does: Callable[[], object], enabled: bool = True) -> QAction:
            action = menu.addAction(text)
            action.triggered.connect(lambda: does())
            action.setEnabled(enabled)
            return action

        add("Open This Run", lambda: self.open_requested.emit(last), len(rows) == 1)
        add("Apply to Scene", lambda: self.apply_requested.emit(last), len(rows) == 1)
        add("Check Step Size", lambda: self.check_step_requested.emit(last), len(rows) == 1)
        menu.addSeparator()
        add(
            "Unpin" if self.linked.all_pinned(rows) else "Pin to the Top",
            self._pin_selected,
            bool(rows),
        )
        add("Copy", self.table.copy, bool(rows))
        return menu

    def _show_menu(self, position: QPoint) -> None:
        self.linked.hovered.emit(-1, QPoint())
        self.menu().popup(position)

    def _pin_selected(self) -> None:
        if self.linked.has_results and (rows := self.linked.rows.selected_rows):
            self.linked.toggle_pins(rows)
