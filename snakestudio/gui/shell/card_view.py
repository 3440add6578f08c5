"""List view of the gallery's cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.viewmodel.gallery import Entry, matches
from snakestudio.viewmodel.papers import cited

_Index = QModelIndex | QPersistentModelIndex

ITEM = Qt.ItemDataRole.UserRole
"""Role of the scene or start that a card represents."""

GAP = 16
"""Gap between cards, px."""
_NARROWEST = 216
"""Least width of a card, px of the design."""
_RADIUS = 8.0
_LEFT = 12
"""Margin from the edge of a card to its text, px."""


@dataclass(frozen=True, slots=True)
class Start:
    """A card that is not a bundled scene: an empty scene, a file dialog or a recent file."""

    icon: str
    """File name in `resources/icons`."""
    title: str
    description: str
    open: Callable[[], object]
    path: Path | None = None
    """The file it opens; None if it is chosen later."""


class CardModel(QAbstractListModel):
    """Model of scenes or starts, which the role `ITEM` returns."""

    def __init__(self, items: Sequence[Entry | Start], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items = list(items)

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._items)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item = self._items[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return item.title
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return cited(item.description)
        return item if role == ITEM else None


class SceneFilter(QSortFilterProxyModel):
    """Filter of the scenes by the words of a query, the paper and the model ("" for any)."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._criteria = ("", "", "")

    def set_filter(self, query: str, paper: str, model: str) -> None:
        """Set the filter."""
        self._criteria = (query, paper, model)
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: _Index) -> bool:
        return matches(self.sourceModel().index(row, 0).data(ITEM), *self._criteria)


class CardDelegate(QStyledItemDelegate):
    """Paints a card in its cell, which is larger than the card by the gap at the right and below."""

    def card_height(self, width: int) -> int:
        """Return the height of a card of the given width, px."""
        raise NotImplementedError

    def paint_inside(self, painter: QPainter, card: QRect, item: Any) -> None:
        """Paint the content of a card."""
        raise NotImplementedError

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        view = option.widget
        assert isinstance(view, CardView)
        return view.gridSize()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        view = option.widget
        assert isinstance(view, CardView)
        card = view.card_rect(option.rect)
        state = option.state
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(card).adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillPath(outline, theme.colour("raised" if hovered else "card"))
        painter.save()
        painter.setClipPath(outline, Qt.ClipOperation.IntersectClip)
        self.paint_inside(painter, card, index.data(ITEM))
        painter.restore()
        painter.setPen(QPen(theme.colour("accent" if focused else "line"), 2.0 if focused else 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(outline)
        painter.restore()


class SceneDelegate(CardDelegate):
    """Paints a bundled scene: image, title, source, and the beginning of its description."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pictures: dict[Path, QPixmap] = {}

    def _picture(self, entry: Entry) -> QPixmap:
        path = entry.picture(theme.current().name)
        if path not in self._pictures:
            self._pictures[path] = QPixmap(str(path))
        return self._pictures[path]

    def card_height(self, width: int) -> int:
        title = QFontMetrics(theme.text_font(13, strong=True)).height()
        small = QFontMetrics(theme.text_font(12)).height()
        return _picture_height(width) + 8 + title + 2 + small + 6 + 2 * small + 12

    def paint_inside(self, painter: QPainter, card: QRect, item: Any) -> None:
        picture = QRect(card.topLeft(), QSize(card.width(), _picture_height(card.width())))
        pixmap = self._picture(item)
        if not pixmap.isNull():
            painter.drawPixmap(picture, pixmap)
        line = QRect(card.left() + _LEFT, picture.bottom() + 9, card.width() - 2 * _LEFT, 0)
        painter.setFont(theme.text_font(13, strong=True))
        painter.setPen(theme.colour("text"))
        line.moveTop(_paint_line(painter, item.title, line) + 2)
        painter.setFont(theme.text_font(12))
        painter.setPen(theme.colour("accent"))
        line.moveTop(_paint_line(painter, f"{cited(item.source)} · {item.model}", line) + 6)
        painter.setPen(theme.colour("dim"))
        _paint_two_lines(painter, cited(item.description), line)


class StartDelegate(CardDelegate):
    """Paints a start: an icon, a name, and a dim line below it."""

    def card_height(self, width: int) -> int:
        title = QFontMetrics(theme.text_font(13, strong=True)).height()
        return 24 + title + QFontMetrics(theme.text_font(12)).height()

    def paint_inside(self, painter: QPainter, card: QRect, item: Any) -> None:
        size = theme.scaled(20)
        icon = QRect(card.left() + 14, card.center().y() - size // 2, size, size)
        theme.icon(item.icon, "accent").paint(painter, icon)
        line = QRect(icon.right() + 13, card.top() + 11, card.right() - icon.right() - 22, 0)
        painter.setFont(theme.text_font(13, strong=True))
        painter.setPen(theme.colour("text"))
        line.moveTop(_paint_line(painter, item.title, line) + 1)
        painter.setFont(theme.text_font(12))
        painter.setPen(theme.colour("dim"))
        _paint_line(painter, item.description, line, Qt.TextElideMode.ElideMiddle)


def _picture_height(width: int) -> int:
    return round(width * 0.6)


def _paint_line(
    painter: QPainter, text: str, rect: QRect, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight
) -> int:
    """Paint one line at the top of `rect`, elided to its width; returns where it ends, px."""
    metrics = painter.fontMetrics()
    line = QRect(rect.x(), rect.y(), rect.width(), metrics.height())
    painter.drawText(
        line, Qt.AlignmentFlag.AlignVCenter, metrics.elidedText(text, mode, line.width())
    )
    return line.y() + metrics.height()


def _paint_two_lines(painter: QPainter, text: str, rect: QRect) -> None:
    """Paint as much of a text as fits on two lines."""
    metrics = painter.fontMetrics()
    first = ""
    parts = text.split()
    while parts and metrics.horizontalAdvance(f"{first} {parts[0]}".strip()) <= rect.width():
        first = f"{first} {parts.pop(0)}".strip()
    second = _paint_line(painter, first, rect)
    if parts:
        _paint_line(painter, " ".join(parts), QRect(rect.x(), second, rect.width(), 0))


class CardView(QListView):
    """Cards in as many columns as fit. The view is as high as its cards, so the area around it scrolls.

    Parameters
    ----------
    name : str
        Accessible name.
    model : QAbstractItemModel
        Its `ITEM` is what the delegate paints.
    delegate : callable
        Makes the delegate.

    Signals
    -------
    opened(item: Entry or Start)
        By a click, Enter or the space bar.
    highlighted(item: Entry or Start)
        A card got the keyboard focus, or the mouse was moved over it.
    edge_reached(key: Qt.Key)
        The up or down key was pressed at the first or last row.
    typed(text: str)
        Text was typed.
    """

    opened = Signal(object)
    highlighted = Signal(object)
    edge_reached = Signal(object)
    typed = Signal(str)

    def __init__(
        self,
        name: str,
        model: CardModel | SceneFilter,
        delegate: Callable[[QObject], CardDelegate],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._delegate = delegate(self)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setItemDelegate(self._delegate)
        self.setModel(model)
        for changed in (
            model.layoutChanged,
            model.rowsInserted,
            model.rowsRemoved,
            model.modelReset,
        ):
            changed.connect(self._fit)
        self.clicked.connect(self._open_item)

    @property
    def items(self) -> list[Any]:
        """Scenes or starts of the cards, in order."""
        return [self._index(row).data(ITEM) for row in range(self.model().rowCount())]

    @property
    def current(self) -> Any:
        """Scene or start of the current card; None if there is none."""
        return self.currentIndex().data(ITEM)

    @property
    def columns(self) -> int:
        """Number of cards side by side."""
        return max(1, self.width() // self.gridSize().width()) if self.gridSize().isValid() else 1

    def card_rect(self, cell: QRect) -> QRect:
        """Return the rectangle of the card in its cell."""
        return cell.adjusted(0, 0, -GAP, -GAP)

    def card_at(self, row: int) -> QRect:
        """Return the rectangle of a row's card, in coordinates of the view."""
        return self.card_rect(self.visualRect(self._index(row)))

    def focus_card(self, row: int) -> None:
        """Move the keyboard focus to the card of a row."""
        self.setCurrentIndex(self._index(row))
        self.setFocus(Qt.FocusReason.TabFocusReason)
        self.highlighted.emit(self.current)

    def _index(self, row: int) -> QModelIndex:
        return self.model().index(row, 0)

    def _fit(self) -> None:
        """Divide the width among the columns, and set the height to that of all rows."""
        width = self.width() - 1  # Qt wraps a row that fills the width to the last pixel
        columns = max(1, width // (theme.scaled(_NARROWEST) + GAP))
        cell = width // columns
        height = self._delegate.card_height(cell - GAP) + GAP
        self.setGridSize(QSize(cell, height))
        self.setFixedHeight(-(-self.model().rowCount() // columns) * height)

    def _open_item(self, index: QModelIndex) -> None:
        self.opened.emit(index.data(ITEM))

    def indexAt(self, point: QPoint) -> QModelIndex:
        index = super().indexAt(point)
        return index if self.card_rect(self.visualRect(index)).contains(point) else QModelIndex()

    def keyboardSearch(self, search: str) -> None:
        self.typed.emit(search)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._fit()
        super().resizeEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.currentIndex().isValid():
            self.highlighted.emit(self.current)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            if self.currentIndex().isValid():
                self._open_item(self.currentIndex())
            return
        before = self.currentIndex()
        super().keyPressEvent(event)
        if self.currentIndex() != before:
            self.highlighted.emit(self.current)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            last = self.model().rowCount() - 1
            if key == Qt.Key.Key_Down and before.row() // self.columns < last // self.columns:
                self.focus_card(last)  # the last row is a short one
            else:
                self.edge_reached.emit(key)
        elif key in (
            Qt.Key.Key_Left,
            Qt.Key.Key_Right,
        ):  # from the end of a row to the next one, and back
            row = before.row() + (1 if key == Qt.Key.Key_Right else -1)
            if 0 <= row < self.model().rowCount():
                self.focus_card(row)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # Not in enterEvent: cards that move under a mouse at rest, for example while the user types,
        # are not highlighted.
        super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        shape = Qt.CursorShape.PointingHandCursor if index.isValid() else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        if index.isValid():
            self.highlighted.emit(index.data(ITEM))
