"""Small painted instruments of the robot panel: cells of the nodes and a meter of the bus load."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from snakestudio.gui.core import theme
from snakestudio.viewmodel.robot.robot_status import span_text

_GAP = 4


class NodeStrip(QWidget):
    """One cell per node: green while heard, amber when stale, grey if never heard."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nodes: tuple[tuple[int, float, str], ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName("Nodes of the robot")

    @property
    def roles(self) -> tuple[str, ...]:
        """Colours of the cells."""
        return tuple(role for _, _, role in self._nodes)

    def show_nodes(self, nodes: tuple[tuple[int, float, str], ...]) -> None:
        """Show number, age (s) and colour of every node."""
        resized = len(nodes) != len(self._nodes)
        if nodes != self._nodes:
            self._nodes = nodes
            self.update()
        if resized:
            self.updateGeometry()

    @property
    def _width(self) -> int:
        widest = max((len(str(node)) for node, _, _ in self._nodes), default=1)
        return theme.scaled(16 + 8 * widest)

    def _per_row(self, width: int) -> int:
        return max(1, (width + _GAP) // (self._width + _GAP))

    def heightForWidth(self, width: int) -> int:
        rows = math.ceil(len(self._nodes) / self._per_row(width)) or 1
        return rows * (theme.scaled(24) + _GAP)

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(280), self.heightForWidth(self.width() or theme.scaled(280)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()))

    def _cell(self, index: int) -> QRectF:
        row, column = divmod(index, self._per_row(self.width()))
        height = theme.scaled(24)
        return QRectF(column * (self._width + _GAP), row * (height + _GAP), self._width, height)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(event.pos()), self)
            return True
        return super().event(event)

    def _tip(self, at: QPoint) -> str:
        for index, (node, age, _) in enumerate(self._nodes):
            if self._cell(index).contains(at):
                return (
                    f"Node {node}: last message {span_text(age)} ago"
                    if math.isfinite(age)
                    else f"Node {node}: no message yet"
                )
        return ""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(theme.value_font(12, bold=False))
            p = theme.current()
            for index, (node, _, role) in enumerate(self._nodes):
                cell = self._cell(index)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour("card"))
                painter.drawRoundedRect(cell, 4, 4)
                painter.setBrush(theme.colour(role if role != "dim" else "line"))
                painter.drawRoundedRect(
                    QRectF(cell.left(), cell.bottom() - 3, cell.width(), 3), 1.5, 1.5
                )
                painter.setPen(
                    theme.colour("text" if role == "good" else role) if role != "dim" else p.dim
                )
                painter.drawText(
                    cell.adjusted(0, 0, 0, -2), Qt.AlignmentFlag.AlignCenter, str(node)
                )
        finally:
            painter.end()


class LoadMeter(QWidget):
    """Bus load with the limit of the profile as a mark."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._load = math.nan
        self._limit = 1.0
        self.setFixedHeight(theme.scaled(24))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Bus load")
        self.setToolTip("Bus load in the last second; the mark is the limit of the profile")

    @property
    def text(self) -> str:
        """Bus load as text."""
        return "–" if math.isnan(self._load) else f"{100 * self._load:.0f} %"

    def show_load(self, load: float, limit: float) -> None:
        """Show load and limit, 0 to 1; NaN if unknown."""
        if (load, limit) != (self._load, self._limit):
            self._load = load
            self._limit = limit
            self.setAccessibleDescription(self.text)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            font = theme.value_font(13)
            painter.setFont(font)
            label = painter.fontMetrics().horizontalAdvance("100 %") + 8
            middle = self.height() / 2
            long = self.width() - label
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("line"))
            painter.drawRoundedRect(QRectF(0, middle - 3, long, 6), 3, 3)
            if not math.isnan(self._load):
                over = self._load > self._limit
                near = self._load > 0.8 * self._limit
                painter.setBrush(
                    theme.colour("danger" if over else "warning" if near else "accent")
                )
                painter.drawRoundedRect(
                    QRectF(0, middle - 3, max(6.0, long * min(1.0, self._load)), 6), 3, 3
                )
            painter.setBrush(theme.colour("dim"))
            painter.drawRect(QRectF(long * min(1.0, self._limit) - 1, middle - 6, 2, 12))
            painter.setPen(theme.colour("text" if not math.isnan(self._load) else "dim"))
            rect = QRectF(long, 0, label, self.height())
            painter.drawText(
                rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self.text
            )
        finally:
            painter.end()
