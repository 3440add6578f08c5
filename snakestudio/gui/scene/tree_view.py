"""View of the scene tree: columns with an eye and a lock that a click toggles, and its own keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
)

from snakestudio.gui.core import theme
from snakestudio.gui.scene.scene_model import FLAG_ROLE, HIDDEN_COLUMN, LOCKED_COLUMN

_ICON = 14
"""Size of an eye or a lock, px."""

_ICONS = {HIDDEN_COLUMN: ("visible", "hidden"), LOCKED_COLUMN: ("unlock", "lock")}
"""Icons of a column for flags that are off and on."""


class _FlagDelegate(QStyledItemDelegate):
    """Draws an eye or a lock: always if the flag is on, otherwise only in the row under the cursor."""

    def __init__(self, parent: QAbstractItemView) -> None:
        super().__init__(parent)
        self._icons: dict[str, QIcon] = {}

    def apply_theme(self) -> None:
        """Apply a changed palette."""
        self._icons.clear()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        on = index.data(FLAG_ROLE)
        if on is None or not (on or option.state & QStyle.StateFlag.State_MouseOver):
            return
        name = _ICONS[index.column()][1 if on else 0]
        if name not in self._icons:
            self._icons[name] = theme.icon(name, "text" if on else "dim")
        rect = QRect(0, 0, _ICON, _ICON)
        rect.moveCenter(option.rect.center())
        self._icons[name].paint(painter, rect)

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(_ICON + 8, _ICON + 8)


class TreeView(QTreeView):
    """Tree whose keys take precedence over shortcuts of its panel.

    Signals
    -------
    flag_clicked(index: QModelIndex)
        An eye or a lock was clicked.
    """

    flag_clicked = Signal(QModelIndex)

    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setStyleSheet("QTreeView::item { border-radius: 0 }")
        self.setUniformRowHeights(True)
        self.setIndentation(14)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.DoubleClicked
        )
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._flags = _FlagDelegate(self)
        for column in _ICONS:
            self.setItemDelegateForColumn(column, self._flags)

    def narrow_columns(self) -> None:
        """Give the icon columns their width and the names the rest; call when there is a model."""
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(_ICON + 8)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in _ICONS:
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, _ICON + 8)

    def apply_theme(self) -> None:
        """Apply a changed palette."""
        self._flags.apply_theme()
        self.viewport().update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            own = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End)
            if event.key() in own and event.modifiers() == Qt.KeyboardModifier.NoModifier:
                event.accept()
                return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        flag = index.column() in _ICONS and index.data(FLAG_ROLE) is not None
        if flag and event.button() == Qt.MouseButton.LeftButton:
            self.flag_clicked.emit(index)
            event.accept()
        else:
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.column() in _ICONS and index.data(FLAG_ROLE) is not None:
            self.mousePressEvent(event)  # two quick clicks on an eye are two clicks
        else:
            super().mouseDoubleClickEvent(event)
