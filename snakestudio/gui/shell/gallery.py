"""The gallery over the window: what one can start with, at first start and whenever it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
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
    QHBoxLayout,
    QLabel,
    QListView,
    QMainWindow,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.recent_files import RecentFiles
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.shell.modal_overlay import ModalOverlay, card_frame, make_head
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.viewmodel.gallery import Entry, entries, found

__all__ = ["CardView", "Chips", "Gallery", "Start"]

_Index = QModelIndex | QPersistentModelIndex

_ITEM = Qt.ItemDataRole.UserRole
_GAP = 16
"""Between cards, px."""
_NARROWEST = 216
"""Of a card, px of the design."""
_RADIUS = 8.0
_LEFT = 12
"""From the edge of a card to its text, px."""


@dataclass(frozen=True, slots=True)
class Start:
    """What is not a bundled scene: an empty scene, a file dialog, a recent file."""

    icon: str
    """File name in `resources/icons`."""
    title: str
    description: str
    open: Callable[[], object]
    path: Path | None = None
    """The file it opens; None where that is not known yet."""


class CardModel(QAbstractListModel):
    """Scenes or starts; `_ITEM` gives them as they are.

    Parameters
    ----------
    items : sequence of Entry or Start
    """

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
            return item.description
        return item if role == _ITEM else None


class SceneFilter(QSortFilterProxyModel):
    """The scenes that have all words of a query and are of a paper and a model ("" for any)."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted = ("", "", "")

    def set_filter(self, query: str, paper: str, model: str) -> None:
        """Show other scenes."""
        self._wanted = (query, paper, model)
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: _Index) -> bool:
        return found(self.sourceModel().index(row, 0).data(_ITEM), *self._wanted)


class _CardDelegate(QStyledItemDelegate):
    """Paints a card in its cell, which is larger by the gap at the right and below."""

    def card_height(self, width: int) -> int:
        """Height of a card at a width, px."""
        raise NotImplementedError

    def paint_inside(self, painter: QPainter, card: QRect, item: Any) -> None:
        """Paint what a card shows."""
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
        self.paint_inside(painter, card, index.data(_ITEM))
        painter.restore()
        painter.setPen(QPen(theme.colour("accent" if focused else "line"), 2.0 if focused else 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(outline)
        painter.restore()


class _SceneDelegate(_CardDelegate):
    """A bundled scene: picture, title, where it is from, and the beginning of what to look for."""

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
        line.moveTop(_paint_line(painter, f"{item.source} · {item.model}", line) + 6)
        painter.setPen(theme.colour("dim"))
        _paint_two_lines(painter, item.description, line)


class _StartDelegate(_CardDelegate):
    """An icon, a name, and a dim line below it."""

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


def _paint_line(painter: QPainter, text: str, rect: QRect, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> int:
    """Paint one line at the top of `rect`, elided to its width; returns where it ends, px."""
    metrics = painter.fontMetrics()
    line = QRect(rect.x(), rect.y(), rect.width(), metrics.height())
    painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, metrics.elidedText(text, mode, line.width()))
    return line.y() + metrics.height()


def _paint_two_lines(painter: QPainter, text: str, rect: QRect) -> None:
    """Paint as much of a text as fits on two lines."""
    metrics = painter.fontMetrics()
    first = ""
    words = text.split()
    while words and metrics.horizontalAdvance(f"{first} {words[0]}".strip()) <= rect.width():
        first = f"{first} {words.pop(0)}".strip()
    second = _paint_line(painter, first, rect)
    if words:
        _paint_line(painter, " ".join(words), QRect(rect.x(), second, rect.width(), 0))


class CardView(QListView):
    """Cards in as many columns as fit, as high as its cards need: what it stands in scrolls.

    Parameters
    ----------
    name : str
        For screen readers.
    model : QAbstractItemModel
        Its `_ITEM` is what the delegate paints.
    delegate : callable
        Makes the delegate.

    Signals
    -------
    opened(item: Entry or Start)
        By a click, Enter or the space bar.
    looked_at(item: Entry or Start)
        The keyboard went to a card, or the mouse was moved over it.
    left(key: Qt.Key)
        The up or down key was pressed where there is no card farther on.
    typed(text: str)
        Text was typed.
    """

    opened = Signal(object)
    looked_at = Signal(object)
    left = Signal(object)
    typed = Signal(str)

    def __init__(
        self,
        name: str,
        model: CardModel | SceneFilter,
        delegate: Callable[[QObject], _CardDelegate],
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
        for changed in (model.layoutChanged, model.rowsInserted, model.rowsRemoved, model.modelReset):
            changed.connect(self._fit)
        self.clicked.connect(self._open_item)

    @property
    def items(self) -> list[Any]:
        """What its cards stand for, in their order."""
        return [self._index(row).data(_ITEM) for row in range(self.model().rowCount())]

    @property
    def current(self) -> Any:
        """What the current card stands for; None without one."""
        return self.currentIndex().data(_ITEM)

    @property
    def columns(self) -> int:
        """Number of cards side by side."""
        return max(1, self.width() // self.gridSize().width()) if self.gridSize().isValid() else 1

    def card_rect(self, cell: QRect) -> QRect:
        """The card within its cell."""
        return cell.adjusted(0, 0, -_GAP, -_GAP)

    def card_at(self, row: int) -> QRect:
        """The card of a row, in coordinates of the view."""
        return self.card_rect(self.visualRect(self._index(row)))

    def go_to(self, row: int) -> None:
        """Give the card of a row the keyboard."""
        self.setCurrentIndex(self._index(row))
        self.setFocus(Qt.FocusReason.TabFocusReason)
        self.looked_at.emit(self.current)

    def _index(self, row: int) -> QModelIndex:
        return self.model().index(row, 0)

    def _fit(self) -> None:
        """Share the width out among the columns, and be as high as all rows."""
        width = self.width() - 1  # Qt wraps a row that fills the width to the last pixel
        columns = max(1, width // (theme.scaled(_NARROWEST) + _GAP))
        cell = width // columns
        height = self._delegate.card_height(cell - _GAP) + _GAP
        self.setGridSize(QSize(cell, height))
        self.setFixedHeight(-(-self.model().rowCount() // columns) * height)

    def _open_item(self, index: QModelIndex) -> None:
        self.opened.emit(index.data(_ITEM))

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
            self.looked_at.emit(self.current)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            if self.currentIndex().isValid():
                self._open_item(self.currentIndex())
            return
        before = self.currentIndex()
        super().keyPressEvent(event)
        if self.currentIndex() != before:
            self.looked_at.emit(self.current)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            last = self.model().rowCount() - 1
            if key == Qt.Key.Key_Down and before.row() // self.columns < last // self.columns:
                self.go_to(last)  # the last row is a short one
            else:
                self.left.emit(key)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # Not when it is entered: cards that move under a mouse at rest, as while one types, are not looked at.
        super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        shape = Qt.CursorShape.PointingHandCursor if index.isValid() else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        if index.isValid():
            self.looked_at.emit(index.data(_ITEM))


class Chips(QWidget):
    """One row: papers, then models; of each at most one is on.

    Signals
    -------
    changed()
        Another one is on, or none.
    """

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        papers = sorted({paper for entry in entries() for paper in entry.papers})
        used = {entry.model for entry in entries()}
        self.papers = self._group("Paper", papers, "Scenes of paper {}")
        row.addSpacing(18)
        models = [info.short for info in FORMULATIONS.values() if info.short in used]
        self.models = self._group("Model", models, "Scenes that run in the {} model")
        row.addStretch(1)

    def _group(self, caption: str, names: Sequence[str], tip: str) -> dict[str, QToolButton]:
        row = self.layout()
        assert isinstance(row, QHBoxLayout)
        label = QLabel(caption, self)
        label.setProperty("role", "dim")
        row.addWidget(label)
        buttons: dict[str, QToolButton] = {}
        for name in names:
            button = QToolButton(self)
            button.setText(name)
            button.setCheckable(True)
            button.setProperty("role", "chip")
            button.setToolTip(tip.format(name))
            row.addWidget(button)
            buttons[name] = button
        for button in buttons.values():
            button.clicked.connect(lambda on, chosen=button: self._choose(buttons, chosen, on))
        return buttons

    def _choose(self, group: dict[str, QToolButton], chosen: QToolButton, on: bool) -> None:
        for button in group.values():
            button.setChecked(on and button is chosen)
        self.changed.emit()

    @property
    def paper(self) -> str:
        """The paper that is wanted, "" for any."""
        return _on(self.papers)

    @property
    def model(self) -> str:
        """The model that is wanted, by its short name, "" for any."""
        return _on(self.models)


def _on(group: dict[str, QToolButton]) -> str:
    return next((name for name, button in group.items() if button.isChecked()), "")


_WIDEST, _HIGHEST = 1180, 900
_MARGIN = 24
_RECENT = 6


class SceneFiles(Protocol):
    """What opens scenes; as in `Files`."""

    @property
    def recent(self) -> RecentFiles:
        """Files of scenes, the newest first."""

    def new(self) -> object:
        """Open an empty scene."""

    def ask_open(self) -> object:
        """Ask which scene to open."""

    def open(self, path: Path) -> object:
        """Open a scene."""


class Gallery(ModalOverlay):
    """Every bundled scene, an empty one, and the recent files, as cards.

    Parameters
    ----------
    window : QMainWindow
    files : SceneFiles
        Opens them.
    document : Document
        When it holds another scene, the gallery is put away.
    """

    def __init__(self, window: QMainWindow, files: SceneFiles, document: Document) -> None:
        super().__init__(window)
        self._files = files
        self._looked_at: Entry | Start | None = None
        self.frame = card_frame(self)
        self.chips = Chips(self.frame)
        self.starts = CardView("Start", CardModel(self._make_starts(), self), _StartDelegate, self.frame)
        self._filtered = SceneFilter(self)
        self._filtered.setSourceModel(CardModel(entries(), self))
        self.scenes = CardView("Scenes", self._filtered, _SceneDelegate, self.frame)
        column = QVBoxLayout(self.frame)
        column.setContentsMargins(0, 20, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._make_head())
        holder = QHBoxLayout()
        holder.setContentsMargins(_MARGIN, 12, _MARGIN, 12)
        holder.addWidget(self.chips, 1)
        column.addLayout(holder)
        column.addWidget(_rule(self.frame))
        self._area = scrolled(self._make_cards())
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column.addWidget(self._area, 1)
        column.addWidget(_rule(self.frame))
        column.addWidget(self._make_foot())
        self.chips.changed.connect(self._filter)
        for view in (self.starts, self.scenes):
            view.opened.connect(self._open_item)
            view.looked_at.connect(self._look_at)
            view.typed.connect(self._type)
            view.selectionModel().currentChanged.connect(partial(self._show_current, view))
        self.starts.left.connect(self._leave_starts)
        self.scenes.left.connect(self._leave_scenes)
        self._filter()
        document.opened.connect(self.close_sheet)

    # --- what it is made of ---------------------------------------------------------------------------------------

    def _make_starts(self) -> list[Start]:
        files = self._files
        recent = [
            Start("recent", path.name, str(path.parent), partial(files.open, path), path)
            for path in files.recent.paths[:_RECENT]
        ]
        return [
            Start("new", "New empty scene", "A robot on an open floor", files.new),
            Start("open", "Open ...", "A scene or an exported run", files.ask_open),
            *recent,
        ]

    def _make_head(self) -> QHBoxLayout:
        head, self.search = make_head(self, self.frame, "Scene Gallery", "Search scenes")
        head.setContentsMargins(_MARGIN, 0, 16, 0)
        self.search.textChanged.connect(self._filter)
        return head

    def _make_cards(self) -> QWidget:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(_MARGIN, 16, _MARGIN - _GAP, _MARGIN - _GAP)
        column.setSpacing(0)
        column.addWidget(self.starts)
        column.addSpacing(20 - _GAP)
        self._count = heading("")
        column.addWidget(self._count)
        column.addSpacing(10)
        column.addWidget(self.scenes)
        self._nothing = QLabel("No scene matches. Remove a word or a filter.", inner)
        self._nothing.setProperty("role", "dim")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setMinimumHeight(theme.scaled(160))
        column.addWidget(self._nothing)
        column.addStretch(1)
        return inner

    def _make_foot(self) -> QWidget:
        """What to look for in the scene that is looked at, in full."""
        foot = QWidget(self.frame)
        row = QHBoxLayout(foot)
        row.setContentsMargins(_MARGIN, 12, 16, 14)
        row.setSpacing(16)
        self.text = QLabel(foot)
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text.setFixedHeight(4 * self.text.fontMetrics().lineSpacing() + 4)
        row.addWidget(self.text, 1)
        self.open_button = QPushButton("&Open", foot)
        self.open_button.setProperty("role", "primary")
        self.open_button.clicked.connect(lambda: self._open_item(self._looked_at))
        row.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignBottom)
        return foot

    def arrange(self) -> None:
        width = min(self.width() - 48, theme.scaled(_WIDEST))
        height = min(self.height() - 48, theme.scaled(_HIGHEST))
        self.frame.setGeometry((self.width() - width) // 2, (self.height() - height) // 2, width, height)

    # --- what it does ---------------------------------------------------------------------------------------------

    def _filter(self) -> None:
        query = self.search.text()
        self._filtered.set_filter(query, self.chips.paper, self.chips.model)
        shown = self.scenes.items
        self._nothing.setVisible(not shown)
        every = len(entries())
        self._count.setText(f"Scenes ({every})" if len(shown) == every else f"Scenes ({len(shown)} of {every})")
        # While one types, Enter opens the first: that is what the foot describes.
        at = self._looked_at
        if query or at is None or (isinstance(at, Entry) and at not in shown):
            self._look_at(shown[0] if shown else None)

    def _look_at(self, item: Entry | Start | None) -> None:
        if item is self._looked_at and item is not None:
            return
        self._looked_at = item
        self.open_button.setEnabled(item is not None)
        dim = theme.current().dim
        if isinstance(item, Entry):
            source = f"<span style='color:{dim}'>· {escape(item.source)}</span>"
            self.text.setText(f"<b>{escape(item.title)}</b> {source}<br>{escape(item.description)}")
        elif isinstance(item, Start):
            description = f"<span style='color:{dim}'>{escape(item.description)}</span>"
            self.text.setText(f"<b>{escape(item.title)}</b><br>{description}")
        else:
            self.text.clear()

    def _open_item(self, item: Entry | Start | None) -> None:
        if isinstance(item, Entry):
            self._files.open(item.path)
        elif item is not None:
            item.open()

    def _show_current(self, view: CardView, index: QModelIndex, before: QModelIndex) -> None:
        """Scroll to the card that the keyboard went to."""
        if index.isValid():
            card = view.card_at(index.row()).translated(view.pos())
            middle = card.center()
            self._area.ensureVisible(middle.x(), middle.y(), 0, card.height() // 2 + _MARGIN)

    def _leave_starts(self, key: Qt.Key) -> None:
        """Down to the scene below, or up into the search."""
        if key == Qt.Key.Key_Up:
            self.search.setFocus(Qt.FocusReason.BacktabFocusReason)
        elif self.scenes.items:
            column = self.starts.currentIndex().row() % self.starts.columns
            self.scenes.go_to(min(column, len(self.scenes.items) - 1))

    def _leave_scenes(self, key: Qt.Key) -> None:
        """Up to the start above."""
        if key == Qt.Key.Key_Up:
            column = self.scenes.currentIndex().row() % self.scenes.columns
            last = len(self.starts.items) - 1
            row = last // self.starts.columns * self.starts.columns + column
            self.starts.go_to(row if row <= last else max(row - self.starts.columns, 0))

    def _type(self, text: str) -> None:
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)
        self.search.insert(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = event.key()
            if key == Qt.Key.Key_Down:
                view = self.scenes if self.search.text() else self.starts
                if view.items:
                    view.go_to(0)
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if self.scenes.items:
                    self._open_item(self.scenes.items[0])
                return True
            if key == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)


def _rule(parent: QWidget) -> QFrame:
    rule = QFrame(parent)
    rule.setProperty("role", "line")
    return rule
