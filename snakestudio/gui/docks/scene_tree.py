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
from snakestudio.gui.docks.obstacle_edits import copies, new_cylinder, obstacle_title
from snakestudio.gui.docks.scene_model import SceneModel
from snakestudio.gui.document import Document
from snakestudio.gui.selection import Item, Selection
from snakestudio.gui.widgets.themed import Themed
from snakestudio.model.edits import add_obstacle, remove_obstacles
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

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
    snapshot : callable, optional
        Gives what the viewport shows, so that a new obstacle is not put onto the robot.
    """

    def __init__(
        self,
        document: Document,
        selection: Selection,
        snapshot: Callable[[], Snapshot | None] = lambda: None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document, self._selection, self._snapshot = document, selection, snapshot
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
        self.add_button = self._button("Add", "", "Add a cylinder at a free place near the last one", self.add_cylinder)
        self.copy_button = self._button("Copy", "", "Duplicate what is selected (Ctrl+D)", self.duplicate_selected)
        self.delete_button = self._button("", "delete", "Delete the selected obstacles (Del)", self.delete_selected)
        self.duplicate_action = QAction("Duplicate Obstacles", self)
        self.duplicate_action.setShortcut(QKeySequence("Ctrl+D"))
        self.duplicate_action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.duplicate_action.triggered.connect(self.duplicate_selected)
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
        for node in self.model.nodes_open_at_first:
            self.view.setExpanded(self.proxy.mapFromSource(node), True)

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

    # --- edits -----------------------------------------------------------------------------------------------------

    def add_cylinder(self) -> None:
        """Put a cylinder like the last one at a free place and select it."""
        scene = self._document.scene
        self._document.edit(add_obstacle(scene, new_cylinder(scene, self._snapshot())), "Add cylinder")
        self._selection.set([("obstacle", len(scene.obstacles))])

    def duplicate_selected(self) -> None:
        """Copy the selected obstacles and select the copies."""
        indices = self._selection.obstacles
        if not indices:
            return
        scene = self._document.scene
        more = copies(scene, indices)
        self._document.edit(
            scene.model_copy(update={"obstacles": (*scene.obstacles, *more)}), f"Duplicate {self._what(indices)}"
        )
        first = len(scene.obstacles)
        self._selection.set([("obstacle", first + i) for i in range(len(more))])

    def delete_selected(self) -> None:
        """Delete the selected obstacles."""
        indices = self._selection.obstacles
        if indices:
            text = f"Delete {self._what(indices)}"
            self._document.edit(remove_obstacles(self._document.scene, indices), text)

    def _what(self, indices: tuple[int, ...]) -> str:
        if len(indices) > 1:
            return f"{len(indices)} obstacles"
        obstacle = self._document.scene.obstacles[indices[0]]
        title = obstacle_title(obstacle, indices[0])
        return title if obstacle.name else title.lower()

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
        if before is None or len(before.obstacles) != len(after.obstacles):
            self._on_selection()

    def _enable(self) -> None:
        some = bool(self._selection.obstacles)
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
        menu = QMenu(self)
        menu.addAction("Add Cylinder", self.add_cylinder)
        menu.addAction("Duplicate", self.duplicate_selected).setEnabled(bool(self._selection.obstacles))
        menu.addAction("Delete", self.delete_selected).setEnabled(bool(self._selection.obstacles))
        menu.addSeparator()
        menu.addAction("Select All Obstacles", self._select_all).setEnabled(bool(self._document.scene.obstacles))
        menu.exec(self.view.viewport().mapToGlobal(position))
        menu.deleteLater()

    def _select_all(self) -> None:
        self._selection.set([("obstacle", i) for i in range(len(self._document.scene.obstacles))])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # The window's Edit menu has Del too; alone, the tree must not be without.
        if event.key() == Qt.Key.Key_Delete:
            self.delete_selected()
        else:
            super().keyPressEvent(event)
