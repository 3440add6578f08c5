"""The scene as a tree with a search field: what it holds, what is selected, and how obstacles come and go."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QSize,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui import theme
from snakestudio.gui.docks.obstacle_commands import ObstacleCommands
from snakestudio.gui.docks.obstacle_texts import KINDS, kind_title
from snakestudio.gui.docks.scene_model import SceneModel
from snakestudio.gui.document import Document
from snakestudio.gui.selection import Item, Selection
from snakestudio.gui.widgets.themed import Themed
from snakestudio.model.scene import Scene

__all__ = ["SceneTree"]


class _View(QTreeView):
    """A tree whose own keys are not taken by shortcuts of the panel it stands in."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            own = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End)
            if event.key() in own and event.modifiers() == Qt.KeyboardModifier.NoModifier:
                event.accept()
                return True
        return super().event(event)


class SceneTree(Themed):
    """Tree of the scene. Selecting in it selects everywhere.

    Parameters
    ----------
    document : Document
    selection : Selection
    commands : ObstacleCommands, optional
        The window's, so that all its parts add and delete alike.
    """

    def __init__(
        self,
        document: Document,
        selection: Selection,
        commands: ObstacleCommands | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document, self._selection = document, selection
        self._commands = commands or ObstacleCommands(document, selection)
        self._syncing = False
        self.model = SceneModel(document, self)
        self.proxy = QSortFilterProxyModel(self)
        self.proxy.setSourceModel(self.model)
        self.proxy.setRecursiveFilteringEnabled(True)
        self.proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

        self.search = QLineEdit()
        self.search.setPlaceholderText("search…")
        self.search.setClearButtonEnabled(True)
        self.search.setToolTip("Show only what contains this text")
        self.search.textChanged.connect(self._filter)
        run = self._commands
        self.add_button = self._button("Add", "", "Add an obstacle like the last one at a free place", run.add)
        self.add_button.setStyleSheet("QToolButton { padding: 4px 20px 4px 7px; }")
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.add_menu = QMenu(self)
        self._fill_add(self.add_menu)
        self.add_button.setMenu(self.add_menu)
        self.copy_button = self._button("Copy", "", "Duplicate what is selected (Ctrl+D)", run.duplicate)
        self.delete_button = self._button("", "delete", "Delete the selected obstacles (Del)", run.delete)
        self.duplicate_action = QAction("Duplicate Obstacles", self)
        self.duplicate_action.setShortcut(QKeySequence("Ctrl+D"))
        self.duplicate_action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.duplicate_action.triggered.connect(run.duplicate)
        self.addAction(self.duplicate_action)

        self.view = _View()
        self.view.setModel(self.proxy)
        self.view.setHeaderHidden(True)
        self.view.setStyleSheet("QTreeView::item { border-radius: 0 }")
        self.view.setUniformRowHeights(True)
        self.view.setIndentation(14)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.view.selectionModel().selectionChanged.connect(self._on_view)
        self._unfold()
        self.model.modelReset.connect(self._unfold)  # another sort of robot

        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        line.addWidget(self.search, 1)
        for button in (self.add_button, self.copy_button, self.delete_button):
            line.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 4, 12, 8)
        layout.setSpacing(8)
        layout.addLayout(line)
        layout.addWidget(self.view, 1)

        selection.changed.connect(self._on_selection)
        document.scene_changed.connect(self._on_scene)
        self._on_selection()

    def _unfold(self) -> None:
        for node in self.model.nodes_open_at_first:
            self.view.setExpanded(self.proxy.mapFromSource(node), True)

    def _button(self, text: str, icon: str, tip: str, action: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        if icon:
            button.setIcon(theme.icon(icon))
            button.setIconSize(QSize(14, 14))
        button.setStyleSheet("QToolButton { padding: 4px 7px; }")
        button.setToolTip(tip)
        button.clicked.connect(lambda: action())
        return button

    def renew_theme(self) -> None:
        self.delete_button.setIcon(theme.icon("delete"))
        self.add_menu.clear()
        self._fill_add(self.add_menu)
        self.model.renew_theme()

    # --- edits -----------------------------------------------------------------------------------------------------

    def _fill_add(self, menu: QMenu) -> None:
        for kind in KINDS:
            entry = menu.addAction(theme.icon(f"shape-{kind}"), kind_title(kind))
            entry.triggered.connect(lambda _=False, kind=kind: self._commands.add(kind))

    # --- selection -------------------------------------------------------------------------------------------------

    def _on_view(self) -> None:
        """The user selected in the tree."""
        if self._syncing:
            return
        items = []
        for index in self.view.selectionModel().selectedIndexes():
            item = self.model.item(self.proxy.mapToSource(index))
            if item is not None:
                items.append(item)
        self._syncing = True
        self._selection.set(items)
        self._syncing = False
        self._enable()

    def _on_selection(self) -> None:
        """Something else selected, or rows came or went."""
        self._enable()
        if self._syncing:
            return
        items = sorted(self._selection.items, key=lambda item: (item[0], item[1]))
        chosen = QItemSelection()
        first: QModelIndex | None = None
        for item in items:
            index = self.proxy.mapFromSource(self.model.index_of(item))
            if index.isValid():
                chosen.select(index, index)
                first = first or index
        self._syncing = True
        model = self.view.selectionModel()
        if model.selection() != chosen:
            model.select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            if first is not None:
                model.setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
                self.view.scrollTo(first)
        self._syncing = False

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        other = before is None or before.model.continuum != after.model.continuum
        if other or before is None or len(before.obstacles) != len(after.obstacles):
            self._on_selection()

    def _enable(self) -> None:
        some = bool(self._selection.obstacles)
        for button in (self.add_button, self.copy_button, self.delete_button):
            button.setHidden(self._document.scene.model.continuum)  # it meets no obstacles
        self.copy_button.setEnabled(some)
        self.delete_button.setEnabled(some)
        self.duplicate_action.setEnabled(some)

    def _filter(self, text: str) -> None:
        self._syncing = True  # rows that are filtered out stay selected elsewhere
        self.proxy.setFilterFixedString(text)
        if text:
            self.view.expandAll()
        self._syncing = False
        self._on_selection()

    def item_at(self, position: QPoint) -> Item | None:
        """What is at a position in the view."""
        return self.model.item(self.proxy.mapToSource(self.view.indexAt(position)))

    def _show_menu(self, position: QPoint) -> None:
        if self._document.scene.model.continuum:
            return  # all of it is about obstacles
        menu = QMenu(self)
        run, some = self._commands, bool(self._selection.obstacles)
        self._fill_add(menu.addMenu("Add"))
        menu.addAction("Duplicate", run.duplicate).setEnabled(some)
        menu.addAction("Delete", run.delete).setEnabled(some)
        menu.addSeparator()
        menu.addAction("Select All Obstacles", run.select_all).setEnabled(bool(self._document.scene.obstacles))
        menu.exec(self.view.viewport().mapToGlobal(position))
        menu.deleteLater()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # The window's Edit menu has Del too; alone, the tree must not be without.
        if event.key() == Qt.Key.Key_Delete:
            self._commands.delete()
        else:
            super().keyPressEvent(event)
