"""Wiggle test: moves one joint after the other slightly and evaluates its response."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QBrush, QGuiApplication
from PySide6.QtWidgets import (
    QLabel,
    QProgressBar,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from snakestudio.gui.charts.line_chart import LineChart
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_save
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.throttle import Throttle
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import form_field
from snakestudio.gui.forms.lines import column_of, line_of
from snakestudio.gui.forms.number_field import NumberField
from snakestudio.gui.forms.sections import heading
from snakestudio.link.learning.wiggle import Trace, WiggleResult, judge, report_csv, report_text
from snakestudio.link.messages import LinkState, Telemetry
from snakestudio.link.profile.schema import Axis, Limits
from snakestudio.model.atomic import write_atomically
from snakestudio.text import MINUS, capitalized, sentence

_SAMPLE_MS = 10
_DRAW_MS = 80
"""Interval of drawing, ms; drawing takes longer than reading and delays the window's heartbeat."""
_AFTER_S = 0.8
_INTRO = "Arm the robot first. The axis swings about its current position within its limits; the other joints hold."
_HEADS = ("Axis", "Gain", "Lag [ms]", "Backlash [°]", "Offset [°]", "Result")


@dataclass(frozen=True)
class Swings:
    """Motion of an axis."""

    amplitude_deg: float = form_field(
        5.0,
        "Amplitude",
        help="Angle to each side",
        unit="°",
        minimum=0.1,
        maximum=30.0,
        slider=(0.5, 10.0),
        width=64,
    )
    period_s: float = form_field(
        2.0,
        "Period",
        help="Duration of one swing",
        unit="s",
        minimum=0.2,
        maximum=20.0,
        slider=(0.5, 6.0),
        width=64,
        place="beside",
    )
    count: int = form_field(
        3,
        "Swings",
        help="Number of swings",
        minimum=1,
        maximum=20,
        slider=(1, 6),
        width=64,
        place="beside",
        integer=True,
    )


class WiggleDialog(Dialog):
    """Wiggle test of the axes of the armed robot."""

    def __init__(self, robot_controller: RobotController, parent: QWidget | None = None) -> None:
        super().__init__(parent, "Wiggle Test", _INTRO)
        self._robot_controller = robot_controller
        theme.open_at(self, 1160, 720)
        self.results: dict[str, WiggleResult] = {}
        self._axes: tuple[Axis, ...] = ()
        self._running: int | None = None
        self._trace = Trace()
        self._traces: dict[str, Trace] = {}
        self._begun = self._length = 0.0
        self._on_and_on = False
        self._make()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_SAMPLE_MS)
        self._timer.timeout.connect(self._sample)
        self._throttle = Throttle(_DRAW_MS, self._draw_running, self)
        robot_controller.changed.connect(self.refresh)
        self.refresh()

    def _make(self) -> None:
        self.table = QTableWidget(0, len(_HEADS))
        self.table.setHorizontalHeaderLabels(_HEADS)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(True)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for index, width in enumerate((104, 62, 84, 112, 92)):
            header.resizeSection(index, theme.scaled(width))
        self.table.setAccessibleName("Axes and their responses")
        self.table.currentCellChanged.connect(lambda *_: self._show_axis())
        self.chart = LineChart("t in s", "Angle in °")
        self.commanded = self.chart.plot(name="commanded")
        self.measured = self.chart.plot(name="measured")
        self._style_chart()
        theme.follow(self, WiggleDialog._apply_theme)
        self.title = heading("")
        self.explanation = QLabel()
        self.explanation.setWordWrap(True)
        self.explanation.setTextFormat(Qt.TextFormat.RichText)
        self.explanation.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.explanation.setMinimumHeight(theme.scaled(110))
        self.form = DeclaredForm(Swings(), enter_accepts=False, caption_role="dim")
        self.amplitude = self.form.widget("amplitude_deg", NumberField)
        self.period = self.form.widget("period_s", NumberField)
        self.count = self.form.widget("count", NumberField)
        self.message = self.form.message
        self.one = QPushButton("&Wiggle This Axis")
        self.all = QPushButton("Wiggle &All, One by One")
        theme.set_role(self.one, "primary")
        self.end = QPushButton("A&bort")
        self.save_button = QPushButton("&Save Report...")
        self.copy_button = QPushButton("&Copy")
        self.one.clicked.connect(lambda: self.start(self.table.currentRow()))
        self.all.clicked.connect(self._start_all)
        self.end.clicked.connect(self.abort)
        self.save_button.clicked.connect(self._ask_save)
        self.copy_button.clicked.connect(self._copy)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        right = column_of(self.title, (self.chart, 1), self.explanation)
        acts = self.end, self.all, self.one
        self.arrange(
            (line_of((self.table, 5), (right, 4), spacing=20), 1),
            self.form,
            self.bar,
            line_of(self.copy_button, self.save_button, 1, *acts),
            spacing=10,
            margins=(18, 14, 18, 14),
        )
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)

    # --- display ----------------------------------------------------------------------------------

    def choose(self, axis: int) -> None:
        """Make an axis (0-based) the current one."""
        if 0 <= axis < self.table.rowCount():
            self.table.setCurrentCell(axis, 0)

    def refresh(self) -> None:
        """Show the axes of the robot and what is possible now."""
        axes = (
            ()
            if self._robot_controller.loaded is None
            else self._robot_controller.loaded.profile.axes
        )
        if axes != self._axes:
            self._axes = axes
            self.results.clear()
            self._traces.clear()
            self.table.setRowCount(len(axes))
            for row in range(len(axes)):
                self._fill(row)
            self.choose(0)
        problem = self._obstacle()
        self.bar.setVisible(self._running is not None)
        self.end.setVisible(self._running is not None)
        for button in (self.one, self.all):
            button.setEnabled(not problem and self._running is None)
        for button in (self.save_button, self.copy_button):
            button.setEnabled(bool(self.results))
        if self._running is None:
            self.form.report(problem)
        elif problem:
            self._finish(f"The test was aborted: {problem[:1].lower()}{problem[1:]}")

    def _obstacle(self) -> str:
        """Return the message why the test cannot run; "" if it can."""
        telemetry = self._robot_controller.telemetry
        if self._robot_controller.link is None or telemetry is None:
            return "No robot is connected. Connect one from the Robot menu."
        if telemetry.state is LinkState.FAULT:
            return f"The robot was stopped: {telemetry.reason or 'reset the fault first.'}"
        if telemetry.state is LinkState.STREAMING:
            return "The robot is following the gait. Stop it and arm it again."
        if telemetry.state is not LinkState.ARMED:
            return "The robot is not armed. Arm it by holding the button in the Robot panel."
        return ""

    def _fill(self, row: int) -> None:
        name = self._axes[row].name
        result = self.results.get(name)
        texts = [capitalized(name), "", "", "", "", ""]
        if result is not None and result.moved:
            texts[1:] = [
                f"{result.gain:+.2f}",
                f"{1000 * result.lag:.0f}",
                f"{math.degrees(result.play):.1f}",
                f"{math.degrees(result.offset):+.1f}",
                "good" if result.good else _worst(result),
            ]
        elif result is not None:
            texts[5] = _worst(result)
        for column, text in enumerate(texts):
            item = QTableWidgetItem(text.replace("-", MINUS) if 0 < column < 5 else text)
            if 0 < column < 5:
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            if column == 5 and result is not None:
                item.setForeground(QBrush(theme.colour("good" if result.good else "warning")))
            self.table.setItem(row, column, item)

    def _style_chart(self) -> None:
        self.commanded.setPen(pg.mkPen(theme.colour("dim"), width=2))
        self.measured.setPen(pg.mkPen(theme.colour("accent"), width=2))

    def _apply_theme(self) -> None:
        self._style_chart()
        for row in range(self.table.rowCount()):
            self._fill(row)
        self._show_axis()

    def _show_axis(self) -> None:
        row = self._running if self._running is not None else self.table.currentRow()
        if not 0 <= row < len(self._axes):
            return
        name = self._axes[row].name
        self.title.setText(capitalized(name))
        self._draw(self._traces.get(name))
        result = self.results.get(name)
        colours = {"good": "good", "warning": "warning", "error": "warning"}
        self.explanation.setText(
            ""
            if result is None
            else "<br>".join(
                f"<span style='color:{theme.colour(colours[verdict.severity]).name()}'>●</span> {verdict.text}"
                for verdict in result.messages
            )
        )

    def _draw(self, trace: Trace | None) -> None:
        at, reference, angle = trace.curves() if trace is not None else (np.empty(0),) * 3
        begin = at[0] if len(at) else 0.0
        self.commanded.setData(at - begin, np.degrees(reference))
        self.measured.setData(at - begin, np.degrees(angle))

    def _draw_running(self) -> None:
        if self._running is not None:
            self._draw(self._trace)

    # --- test -------------------------------------------------------------------------------------

    def start(self, row: int) -> bool:
        """Wiggle an axis; returns whether the test started."""
        link = self._robot_controller.link
        telemetry = self._robot_controller.telemetry
        loaded = self._robot_controller.loaded
        valid = [field.commit() for field in (self.amplitude, self.period, self.count)]
        if (
            link is None
            or telemetry is None
            or loaded is None
            or self._obstacle()
            or not 0 <= row < len(self._axes)
        ):
            self.refresh()
            return False
        if not all(valid):
            return False
        amplitude = float(self.amplitude.value or 5.0)
        period = float(self.period.value or 2.0)
        count = int(self.count.value or 3)
        problem = room_for(
            self._axes[row], loaded.profile.limits, float(telemetry.angle[row]), amplitude
        )
        if problem:
            self._on_and_on = False
            self.form.report(problem)
            return False
        self._running = row
        self._trace = Trace()
        self._traces[self._axes[row].name] = self._trace
        self.results.pop(self._axes[row].name, None)
        self._begun = time.monotonic()
        self._length = count * period + _AFTER_S
        self.choose(row)
        link.command("wiggle", axis=row, amplitude_deg=amplitude, period_s=period, count=count)
        self._timer.start()
        self.refresh()
        self._show_axis()
        return True

    def _start_all(self) -> None:
        self._on_and_on = self.start(0)

    def abort(self) -> None:
        """Stop the robot, because aborting means that no motion is wanted."""
        if self._robot_controller.link is not None and self._running is not None:
            self._robot_controller.link.stop("The wiggle test was aborted.")
            self._finish("The test was aborted, and the robot was stopped.")

    def _sample(self) -> None:
        link = self._robot_controller.link
        row = self._running
        if link is None or row is None:
            self._finish("The test was aborted: the robot is no longer connected.")
            return
        telemetry: Telemetry = link.telemetry()
        self._trace.add(
            telemetry.time,
            float(telemetry.reference[row]),
            float(telemetry.angle_time[row]),
            float(telemetry.angle[row]),
        )
        passed = time.monotonic() - self._begun
        self.bar.setValue(round(1000 * min(1.0, passed / self._length)))
        self._throttle.request()
        if telemetry.state is not LinkState.ARMED:
            self._finish(
                f"The test was aborted: {telemetry.reason or 'the robot is no longer armed.'}"
            )
        elif passed >= self._length:
            self._judge(row)

    def _judge(self, row: int) -> None:
        name = self._axes[row].name
        try:
            result = judge(name, *self._trace.curves())
        except ValueError as error:
            self._finish(sentence(f"{name} cannot be evaluated: {error}"))
            return
        self.results[name] = result
        self._fill(row)
        onward = self._on_and_on and row + 1 < len(self._axes)
        self._finish("")
        if onward:
            self._on_and_on = self.start(row + 1)

    def _finish(self, sentence: str) -> None:
        self._timer.stop()
        self._running = None
        if sentence:
            self._on_and_on = False
        self.refresh()
        self._show_axis()
        if sentence:
            self.form.report(sentence)

    # --- report -----------------------------------------------------------------------------------

    def _listed(self) -> list[WiggleResult]:
        return [self.results[axis.name] for axis in self._axes if axis.name in self.results]

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(report_text(self._listed()))

    def _ask_save(self) -> None:
        path = ask_save(
            self, "Save Report", FileKind.REPORT, "wiggle.csv", "CSV (*.csv);;Text (*.txt)"
        )
        if path is not None:
            self.save_report(path)

    def save_report(self, path: Path) -> None:
        """Save the results of all axes as CSV, or as text if the name ends in .txt."""
        listed = self._listed()
        text = report_text(listed) if path.suffix.lower() == ".txt" else report_csv(listed)
        try:
            write_atomically(path, text.encode())
        except OSError as error:
            self.form.report(f"{path} cannot be written ({error.strerror}). Choose another file.")

    def done(self, result: int) -> None:
        self._on_and_on = False
        self.abort()
        super().done(result)


def room_for(axis: Axis, limits: Limits, angle: float, amplitude_deg: float) -> str:
    """Return the message why an axis at `angle` (rad) cannot swing by this amplitude; "" if it can."""
    if not math.isfinite(angle):
        return f"No feedback from {axis.name} yet. Check its node and slot."
    low = limits.min_deg if axis.min_deg is None else axis.min_deg
    high = limits.max_deg if axis.max_deg is None else axis.max_deg
    here = math.degrees(angle)
    if low <= here - amplitude_deg and here + amplitude_deg <= high:
        return ""
    return (
        f"{capitalized(axis.name)} is at {here:.1f}° and cannot swing by ±{amplitude_deg:g}° between"
        f" {low:g}° and {high:g}°. Straighten it, or choose a smaller amplitude."
    )


def _worst(result: WiggleResult) -> str:
    order = {"error": 0, "warning": 1, "good": 2}
    return min(result.messages, key=lambda verdict: order[verdict.severity]).text
