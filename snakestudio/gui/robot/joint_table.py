"""Table of the joints: reference, measured angle, error, current, temperature, status and age."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from snakestudio.gui.core import theme
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.link.messages import MEANINGS, Telemetry
from snakestudio.link.profile.schema import Axis, Profile, Quantity
from snakestudio.viewmodel.robot.robot_status import ages, span_text

_Index = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NEAR = 0.9
"""Share of a limit from which a value is highlighted."""


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    tip: str
    text: Callable[[JointTable, int], str]
    role: Callable[[JointTable, int], str] = lambda table, row: "text"
    measured: bool = True
    """Whether the robot reports the value, so that it can be stale."""
    quantity: Quantity | None = None
    """Quantity with a separate age; None for the age of the angle."""


class JointTable(QAbstractTableModel):
    """One row per axis of the profile; refreshed by its view, only while visible."""

    def __init__(self, robot_controller: RobotController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._robot_controller = robot_controller
        self.axes: tuple[Axis, ...] = ()
        self.telemetry: Telemetry | None = None
        self.profile: Profile | None = None
        self.age: NDArray[np.float64] = np.zeros(0)
        self.silent = True
        self._now = 0.0
        self._fonts: tuple[QFont, QFont] = QFont(), QFont()

    def refresh(self) -> None:
        """Show the current values."""
        robot_controller = self._robot_controller
        axes = () if robot_controller.profile is None else robot_controller.profile.axes
        if axes is not self.axes:
            self.beginResetModel()
            self.axes = axes
            self.profile = robot_controller.profile
            self._read()
            self.endResetModel()
        elif axes:
            self._read()
            self.dataChanged.emit(self.index(0, 0), self.index(len(axes) - 1, len(COLUMNS) - 1))

    def _read(self) -> None:
        slanted = theme.value_font(13, bold=False)
        slanted.setItalic(True)
        self._fonts = theme.value_font(13, bold=False), slanted
        last = self._robot_controller.telemetry
        self.telemetry = last if last is not None and len(last.angle) == len(self.axes) else None
        self.silent = not self._robot_controller.status.contact
        if self.telemetry is not None:
            self._now = time.monotonic()
            self.age = ages(self.telemetry, self._now)

    def stale(self, row: int, quantity: Quantity | None = None) -> bool:
        """Return whether the value of a quantity (None: the angle) of an axis is older than the profile allows."""
        if self.silent or self.profile is None or self.telemetry is None:
            return True
        if quantity is None:
            return bool(self.age[row] > self.profile.timing.stale_s)
        return bool(self.telemetry.old(quantity, self._now)[row])

    def _age_text(self, row: int, quantity: Quantity | None) -> str:
        """Return the text with the age of a value, shown for stale values."""
        age = float(self.age[row])
        if quantity is not None and self.telemetry is not None:
            age = self._now - float(self.telemetry.report_time(quantity)[row])
        return f"Stale: last message {span_text(age)} ago" if np.isfinite(age) else "No message yet"

    # --- values -----------------------------------------------------------------------------------

    def number(self, name: str, row: int, factor: float = 1.0, places: int = 1) -> str:
        """Return the formatted value of the telemetry; a dash if unknown."""
        assert self.telemetry is not None
        value = float(getattr(self.telemetry, name)[row]) * factor
        return f"{value:.{places}f}".replace("-", "−") if np.isfinite(value) else "–"

    def error(self, row: int) -> float:
        """Return the measured minus reference angle, °."""
        assert self.telemetry is not None
        return float(np.degrees(self.telemetry.angle[row] - self.telemetry.reference[row]))

    def limit_role(self, value: float, low: float | None, high: float | None) -> str:
        """Return the colour of a value by its limits."""
        if not np.isfinite(value):
            return "dim"
        if (high is not None and value > high) or (low is not None and value < low):
            return "danger"
        near = (high is not None and value > _NEAR * high > 0) or (
            low is not None and value < _NEAR * low < 0
        )
        return "warning" if near else "text"

    def angle_role(self, row: int) -> str:
        """Return the colour of the measured angle."""
        assert self.telemetry is not None
        assert self.profile is not None
        axis = self.axes[row]
        limits = self.profile.limits
        low = limits.min_deg if axis.min_deg is None else axis.min_deg
        high = limits.max_deg if axis.max_deg is None else axis.max_deg
        return self.limit_role(float(np.degrees(self.telemetry.angle[row])), low, high)

    def limited(self, name: str, limit: str, row: int) -> str:
        """Return the colour of a value with an upper limit in the profile."""
        assert self.telemetry is not None
        assert self.profile is not None
        own = getattr(self.axes[row], limit, None)
        most = getattr(self.profile.limits, limit) if own is None else own
        return self.limit_role(abs(float(getattr(self.telemetry, name)[row])), None, most)

    def voltage_role(self, row: int) -> str:
        """Return the colour of the supply voltage by its lower limit in the profile."""
        assert self.telemetry is not None
        assert self.profile is not None
        own = self.axes[row].min_voltage_v
        volts = float(self.telemetry.voltage[row])
        least = self.profile.limits.min_voltage_v if own is None else own
        if not np.isfinite(volts):
            return "dim"
        return "danger" if least is not None and volts < least else "text"

    def error_role(self, row: int) -> str:
        """Return the colour of the error."""
        assert self.profile is not None
        return self.limit_role(abs(self.error(row)), None, self.profile.limits.max_error_deg)

    def status_role(self, row: int) -> str:
        """Return the colour of the status."""
        assert self.telemetry is not None
        meaning = MEANINGS[int(self.telemetry.meaning[row])]
        if self.telemetry.errors[row] or meaning == "fault":
            return "danger"
        return {
            "armed": "danger",
            "stopping": "danger",
            "ready": "good",
            "booting": "accent",
            None: "dim",
        }.get(meaning, "text")

    def status(self, row: int) -> str:
        """Return the status and errors as text."""
        assert self.telemetry is not None
        text = self.telemetry.axis_text[row] if row < len(self.telemetry.axis_text) else ""
        return text or MEANINGS[int(self.telemetry.meaning[row])] or "–"

    # --- Qt's model -------------------------------------------------------------------------------

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.axes)

    def columnCount(self, parent: _Index | None = None) -> int:
        return len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return COLUMNS[section].title
            if role == Qt.ItemDataRole.ToolTipRole:
                return COLUMNS[section].tip
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return _LEFT if COLUMNS[section].title in _TEXTS else _RIGHT
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = index.row()
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if column.title in _TEXTS else _RIGHT
        if self.telemetry is None and column.measured:
            return "–" if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(self, row)
        if role == Qt.ItemDataRole.ForegroundRole:
            if column.measured and self.stale(row, column.quantity):
                return theme.colour("dim")
            return theme.colour(column.role(self, row))
        if role == Qt.ItemDataRole.FontRole and column.measured:
            return self._fonts[self.stale(row, column.quantity)]
        if (
            role == Qt.ItemDataRole.ToolTipRole
            and column.measured
            and self.stale(row, column.quantity)
        ):
            return self._age_text(row, column.quantity)
        return None


_DEGREES = 180.0 / np.pi
_TEXTS = ("Joint", "Status")

COLUMNS: tuple[_Column, ...] = (
    _Column(
        "Joint",
        "Joint and axis, and the node that drives them",
        lambda t, r: t.axes[r].name.capitalize(),
        measured=False,
    ),
    _Column(
        "Node",
        "Number of the node",
        lambda t, r: str(t.axes[r].node),
        lambda t, r: "dim",
        measured=False,
    ),
    _Column(
        "Reference °",
        "Last set-point sent to the joint",
        lambda t, r: t.number("reference", r, _DEGREES),
        measured=True,
    ),
    _Column(
        "Measured °",
        "Angle reported by the node",
        lambda t, r: t.number("angle", r, _DEGREES),
        JointTable.angle_role,
    ),
    _Column(
        "Error °",
        "Measured minus reference",
        lambda t, r: f"{t.error(r):+.1f}".replace("-", "−") if np.isfinite(t.error(r)) else "–",
        JointTable.error_role,
    ),
    _Column(
        "Current A",
        "Motor current",
        lambda t, r: t.number("current", r, places=2),
        lambda t, r: t.limited("current", "max_current_a", r),
        quantity="current",
    ),
    _Column(
        "Temp. °C",
        "Motor temperature",
        lambda t, r: t.number("temperature", r, places=0),
        lambda t, r: t.limited("temperature", "max_temperature_c", r),
        quantity="temperature",
    ),
    _Column(
        "Supply V",
        "Supply voltage of the node",
        lambda t, r: t.number("voltage", r),
        JointTable.voltage_role,
        quantity="voltage",
    ),
    _Column(
        "Status",
        "Status reported by the node",
        JointTable.status,
        JointTable.status_role,
        quantity="status",
    ),
    _Column("Rate Hz", "Measured angles per second", lambda t, r: t.number("feedback_rate", r)),
    _Column(
        "Age",
        "Time since the last angle was received",
        lambda t, r: span_text(float(t.age[r])),
        lambda t, r: "warning" if t.stale(r) else "text",
    ),
)
"""Columns of the table, from the left."""
