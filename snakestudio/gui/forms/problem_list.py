"""The list of problems: an icon, a message on several lines, and below it a button for every fix."""

from __future__ import annotations

from typing import Any, NamedTuple

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from snakestudio.errors import Fix, Problem
from snakestudio.gui.core import theme

Index = QModelIndex | QPersistentModelIndex

_COLOURS = {"error": "warning", "warning": "warning", "hint": "accent", "pending": "dim"}


class ProblemRow(NamedTuple):
    """An entry of the list: its kind ("error", "warning", "hint", "pending"), the problem, and its message."""

    kind: str
    problem: Problem
    text: str


class ProblemList(QAbstractListModel):
    """Model of problems; the user role returns the whole row."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.entries: list[ProblemRow] = []

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.UserRole:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            key = f"<br>{row.problem.key}" if row.problem.key else ""
            return f"<qt>{row.text}{key}<br>Click to go there.</qt>"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return " ".join([row.text, *(f"Fix: {fix.label}." for fix in row.problem.fixes)])
        return None

    def replace(self, entries: list[ProblemRow]) -> None:
        """Replace all entries."""
        if entries != self.entries:
            self.beginResetModel()
            self.entries = entries
            self.endResetModel()


class ProblemDelegate(QStyledItemDelegate):
    """Draws the problems of a list and handles clicks on the buttons of their fixes.

    Signals
    -------
    fix_requested(fix: Fix)
    """

    fix_requested = Signal(object)

    _LEFT = 18
    _PAD = 5
    _GAP = 6

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self._over: tuple[int, int] | None = None

    @property
    def over_button(self) -> bool:
        """Whether the cursor is over a button."""
        return self._over is not None

    def buttons(self, index: Index, rect: QRect, metrics: QFontMetrics) -> list[tuple[QRect, Fix]]:
        """Return the rectangles and fixes of the buttons of a problem that is drawn in `rect`."""
        row: ProblemRow = index.data(Qt.ItemDataRole.UserRole)
        left = rect.left() + self._LEFT
        width = max(60, rect.width() - self._LEFT - 4)
        at = QPoint(left, rect.top() + self._text(row.text, rect, metrics) + 2 * self._PAD)
        buttons: list[tuple[QRect, Fix]] = []
        for fix in row.problem.fixes:
            text_size = QSize(metrics.horizontalAdvance(fix.label), metrics.height())
            if text_size.width() + 18 > width:  # wrapped
                within = QRect(0, 0, width - 18, 10000)
                text_size = QSize(
                    width - 18,
                    metrics.boundingRect(within, Qt.TextFlag.TextWordWrap, fix.label).height(),
                )
            size = text_size + QSize(18, 6)
            if buttons and at.x() + size.width() > left + width:
                at = QPoint(left, buttons[-1][0].bottom() + 5)
            buttons.append((QRect(at, size), fix))
            at = QPoint(at.x() + size.width() + self._GAP, at.y())
        return buttons

    def _text(self, text: str, rect: QRect, metrics: QFontMetrics) -> int:
        """Return the height of a message."""
        area = QRect(0, 0, max(60, rect.width() - self._LEFT - 6), 10000)
        return metrics.boundingRect(area, Qt.TextFlag.TextWordWrap, text).height()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = self._view.viewport().width()
        rect = QRect(0, 0, width, 0)
        buttons = self.buttons(index, rect, option.fontMetrics)
        if buttons:
            return QSize(width, buttons[-1][0].bottom() + self._PAD + 2)
        return QSize(width, self._text(str(index.data()), rect, option.fontMetrics) + 2 * self._PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        metrics: QFontMetrics = option.fontMetrics
        row: ProblemRow = index.data(Qt.ItemDataRole.UserRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected):
            painter.setBrush(theme.colour("card"))
            painter.drawRoundedRect(rect, 5, 5)
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(theme.colour("accent"))
            painter.drawRoundedRect(QRect(rect.left(), rect.top(), 3, rect.height()), 1, 1)
            painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(_COLOURS[row.kind]))
        painter.drawEllipse(rect.left() + 4, rect.top() + self._PAD + 5, 7, 7)
        painter.setPen(theme.colour("text"))
        painter.drawText(
            rect.adjusted(self._LEFT, self._PAD, -4, 0), Qt.TextFlag.TextWordWrap, row.text
        )
        for number, (box, fix) in enumerate(self.buttons(index, rect, metrics)):
            over = self._over == (index.row(), number)
            painter.setPen(QPen(theme.colour("accent"), 1))
            painter.setBrush(theme.colour("accent") if over else Qt.BrushStyle.NoBrush)
            # a crisp edge
            painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
            painter.setPen(theme.colour("on_accent" if over else "accent"))
            text_area = box.adjusted(9, 3, -9, -3)
            painter.drawText(
                text_area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, fix.label
            )
        painter.restore()

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        if not isinstance(event, QMouseEvent):
            return super().editorEvent(event, model, option, index)
        boxes = self.buttons(index, option.rect, option.fontMetrics)
        hit = next(
            (k for k, (box, _) in enumerate(boxes) if box.contains(event.position().toPoint())),
            None,
        )
        over = None if hit is None else (index.row(), hit)
        if over != self._over:
            self._over = over
            self._view.viewport().update()
        if hit is None:
            return False
        if (
            event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.LeftButton
        ):
            self.fix_requested.emit(boxes[hit][1])
        return True
