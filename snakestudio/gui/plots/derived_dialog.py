"""The dialog that derives channels from others: an expression, its check, and a preview of the curve."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QToolButton,
    QWidget,
)

from snakestudio.analysis.signals import FUNCTIONS, compile_signal
from snakestudio.analysis.signals import Signal as Expression
from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.charts.chart import Chart
from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.editor import Editor
from snakestudio.gui.forms.expression_field import ExpressionField
from snakestudio.gui.forms.form_fields import FormField, fields_of, form_field
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.plots.channel_library import ChannelLibrary, DerivedChannel
from snakestudio.model.column_units import unit_text
from snakestudio.model.columns import column_names
from snakestudio.model.recording import Recording
from snakestudio.viewmodel.plots.chart_data import Axis, ChartData, Trace
from snakestudio.viewmodel.plots.pyramid import Pyramid
from snakestudio.viewmodel.plots.scale import fitted, readable

_PAUSE_MS = 250
"""Delay after the last key before the expression is checked, ms."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_PREVIEW_ROWS = 20_000
"""Number of newest rows in the preview."""
_BINS = 800
_FIRST = ("lowpass", "highpass", "moving_mean", "median")
"""The most common functions, listed first."""


def _around() -> list[tuple[str, str]]:
    """Return titles and patterns of the functions that can wrap the expression or the selected part of it."""
    names = sorted(FUNCTIONS, key=lambda name: name not in _FIRST)
    offered = [around for name in names if (around := FUNCTIONS[name].around) is not None]
    own = ("Change since the Start", "{0} - at({0}, 0)")
    return [*offered, own, ("Difference from the Overlaid Run", "{0} - other.{0}")]


@dataclass(frozen=True)
class Channel:
    """Values of the form."""

    name: str = form_field("", "&Name", placeholder="tracking_error_rad")
    expression: str = form_field(
        "", "&Expression", placeholder="joint_4_yaw_rad - joint_4_yaw_ref_rad"
    )


class _ExpressionEditor(Editor):
    """Editor of an expression, with a menu of functions that wrap it.

    Parameters
    ----------
    columns : sequence of str
        Names for completion.
    other : bool
        Whether there is an overlaid run.
    """

    def __init__(
        self, field: FormField, parent: QWidget, columns: Sequence[str], other: bool
    ) -> None:
        super().__init__(field, parent)
        self.widget: ExpressionField = ExpressionField(
            [*columns, *(f"{function}(" for function in FUNCTIONS)]
        )
        self.widget.setPlaceholderText(field.placeholder)
        self.widget.setMinimumWidth(theme.scaled(560))
        self.widget.textEdited.connect(self.changed)
        self.around = QToolButton(parent)
        self.around.setObjectName("apply_function")
        self.around.setText("Apply ▾")
        self.around.setToolTip(
            "Apply a filter or a function to the expression, or to the selected part of it"
        )
        self.around.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = Menu(parent)
        for text, pattern in _around():
            action = self._menu.addAction(text)
            action.triggered.connect(lambda _=False, pattern=pattern: self.widget.wrap(pattern))
            action.setEnabled("other." not in pattern or other)
        self.around.setMenu(self._menu)

    @property
    def widgets(self) -> Sequence[QWidget]:
        return self.widget, self.around

    @property
    def value(self) -> str:
        return self.widget.text().strip()

    def set_value(self, value: Any) -> None:
        if value != self.value:
            self.widget.setText(value)


class DerivedDialog(Dialog):
    """Name, expression, problems, and the curve over the newest rows.

    Parameters
    ----------
    library : ChannelLibrary
        Library that the channel is added to.
    name : str
        Name of the channel to edit; "" for a new one.
    other : Recording or None
        The overlaid run, `other` in expressions.

    Signals
    -------
    made(name: str)
        A new channel is in the library.
    """

    accepted_channel = Signal(str)

    def __init__(
        self,
        session_controller: SessionController,
        library: ChannelLibrary,
        name: str = "",
        other: Recording | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, "Edit Derived Channel" if name else "Derived Channel")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._recording = session_controller.recording
        self._library = library
        self._old = name
        self._other = other
        self._columns = () if self._recording is None else column_names(self._recording.schema)
        self._other_columns = () if other is None else column_names(other.schema)
        self._signal: Expression | None = None
        self._task: Task[Pyramid] | None = None
        fields = fields_of(Channel())
        columns = self._columns
        has_other = other is not None
        fields["expression"] = replace(
            fields["expression"],
            editor=lambda field, on: _ExpressionEditor(field, on, columns, has_other),
        )
        text = library[name].text if name in library else ""
        self.form = DeclaredForm(Channel(name, text), fields)
        self.name_field = self.form.widget("name", QLineEdit)
        self.field = self.form.widget("expression", ExpressionField)
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setMinimumHeight(2 * self.sentence.fontMetrics().lineSpacing())
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.chart = Chart()
        self.chart.setMinimumHeight(theme.scaled(150))
        self.chart.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.help = QLabel(_help(), textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self.help.setProperty("role", "dim")
        buttons = QDialogButtonBox()
        self.keep_button = buttons.addButton(
            "&Change" if self._old else "&Add", QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.keep_button.setProperty("role", "primary")
        buttons.addButton("&Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.keep)
        buttons.rejected.connect(self.close)  # also cancels the computation
        self.arrange(self.form, self.sentence, (self.chart, 1), self.help, buttons, spacing=10)
        self._pause = Delay(_PAUSE_MS, self.validate, self)
        self.form.changed.connect(self._pause.start)
        self.field.setFocus()
        self.validate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        # Layouts ignore the least height of wrapped lines: the chart's numbers would cover them.
        super().resizeEvent(event)
        self.help.setMinimumHeight(self.help.heightForWidth(self.help.width()))

    # --- input ------------------------------------------------------------------------------------

    @property
    def problem(self) -> str:
        """Message about invalid input; "" if it is valid."""
        if self._recording is None:
            return "There is no run yet. Start one, so that its channels are known."
        try:
            self._signal = compile_signal(self.field.text(), self._columns, self._other_columns)
        except SnakeStudioError as error:
            self._signal = None
            return str(error)
        return self._name_problem(self.name_field.text().strip())

    def _name_problem(self, name: str) -> str:
        if not _NAME.fullmatch(name):
            return "Give the channel a name of lower-case letters, digits and underscores, such as tracking_error_rad."
        if name in self._columns:
            return f"{name} is already a column of the run. Give another name."
        if name in self._library and name != self._old:
            return (
                f"There is already a derived channel {name}. Give another name, or edit that one."
            )
        return ""

    def validate(self) -> None:
        """Show a message about the input, and draw the curve if it is valid."""
        problem = self.problem
        self.keep_button.setEnabled(not problem)
        empty = not self.field.text().strip()
        theme.set_role(self.sentence, "warning" if problem and not empty else "dim")
        if empty:
            self.sentence.setText("Type an expression of channels of the run; names are completed.")
        elif problem:
            self.sentence.setText(problem)
        elif self._signal is not None:
            unit = unit_text(self._signal.unit)
            self.sentence.setText(
                f"Unit: {unit}." if unit else "Dimensionless, or without a named unit."
            )
        self._draw()

    def keep(self) -> None:
        """Add the channel to the library."""
        if self.problem or self._signal is None:
            self.validate()
            return
        name = self.name_field.text().strip()
        self._library.put(
            DerivedChannel(name, self.field.text().strip(), unit_text(self._signal.unit)), self._old
        )
        if not self._old:
            self.accepted_channel.emit(name)
        self.close()

    # --- the curve --------------------------------------------------------------------------------

    def _draw(self) -> None:
        self._stop()
        recording = self._recording
        signal = self._signal
        other = self._other
        if signal is None or recording is None or not len(recording):
            self.chart.show_data(ChartData())
            return
        n = len(recording)
        first = max(0, n - _PREVIEW_ROWS)

        def work(progress: object) -> Pyramid:
            pyramid = Pyramid(1)
            pyramid.write(0, signal.values(recording, first, n, other)[:, None])
            return pyramid

        self._first = first
        self._rows = n
        self._task = Task("derived channel", work, self)
        self._task.finished.connect(self._on_computed)
        self._task.failed.connect(self._on_failed)

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self._task = None
        theme.set_role(self.sentence, "warning")
        self.sentence.setText(problem.sentence())

    @Slot(object)
    def _on_computed(self, pyramid: Pyramid) -> None:
        self._task = None
        assert self._recording is not None
        bins = pyramid.envelope(0, self._rows - self._first, _BINS)
        times = self._recording.times[np.minimum(bins.row + self._first, self._rows - 1)]
        low, high = bins.low[:, 0].astype(np.float64), bins.high[:, 0].astype(np.float64)
        chart_data = ChartData(float(times[0]), max(float(times[-1]), float(times[0]) + 1e-3))
        known = np.isfinite(low)
        ends = (float(low[known].min()), float(high[known].max())) if known.any() else (0.0, 1.0)
        chart_data.axes = [Axis(*fitted(*ends, from_zero=False, least=1e-9))]
        accent = theme.current().accent
        chart_data.traces = [Trace(times, low, high, accent)]
        chart_data.unit = unit_text(self._signal.unit) if self._signal is not None else ""
        chart_data.legend = [(accent, f"{readable(ends[0], '')} to {readable(ends[1], '')}")]
        chart_data.note = "" if known.any() else "No values in the newest rows."
        self.chart.show_data(chart_data)

    def _stop(self) -> None:
        if self._task is not None:
            self._task.discard()
            self._task = None

    def closeEvent(self, event: QCloseEvent) -> None:
        self._pause.stop()
        self._task = None
        close_tasks(self)
        super().closeEvent(event)


def _help() -> str:
    """Return a summary of the syntax."""
    names = (
        "derivative",
        "integral",
        "lowpass",
        "moving_mean",
        "median",
        "norm",
        "sum",
        "at",
        "unwrap",
        "delay",
    )
    functions = " &nbsp; ".join(FUNCTIONS[name].signature for name in names if name in FUNCTIONS)
    return (
        f"{functions}<br>Patterns select several channels, as in sum(link_*_obstacle_fx_n); "
        "other.name is the channel of the overlaid run."
    )
