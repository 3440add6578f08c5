"""Scene tree with a search field, in which objects are selected, added and deleted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QSize,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.scene.obstacle_commands import ObstacleCommands
from snakestudio.gui.scene.palette import Palette
from snakestudio.gui.scene.scene_model import HIDDEN_COLUMN, SceneModel
from snakestudio.gui.scene.tree_view import TreeView
from snakestudio.model.edits import same_numbers
from snakestudio.model.edits.presets import PRESETS
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.scene.items import Item


class SceneTree(ThemedWidget):
    """Tree of the scene; its selection is that of the window.

    Parameters
    ----------
    commands : ObstacleCommands, optional
        Those of the window, so that all its parts add and delete in the same way.
    menu_entries : sequence of QAction, QMenu or None
        Entries of the context menu in addition to Add; None for a separator.
    """

    def __init__(
        self,
        document: Document,
        selection: Selection,
        commands: ObstacleCommands | None = None,
        parent: QWidget | None = None,
        menu_entries: Sequence[QAction | QMenu | None] = (),
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._selection = selection
        self._commands = commands or ObstacleCommands(document, selection)
        self._syncing = self._let_go_of = False
        self._menu_entries = menu_entries
        arrange = self._commands.arrange
        self.model = SceneModel(
            document, arrange.rename, arrange.rename_group, self._commands.rename_patch, self
        )
        self.model.move_requested.connect(arrange.put_into)
        self.model.arranging.connect(self._clear_rows)
        self.proxy = QSortFilterProxyModel(self)
        self.proxy.setSourceModel(self.model)
        self.proxy.setRecursiveFilteringEnabled(True)
        self.proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

        self.search = QLineEdit()
        self.search.setPlaceholderText("search…")
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(theme.scaled(76))
        self.search.setToolTip("Show only entries that contain this text")
        self.search.textChanged.connect(self._filter)
        run = self._commands
        self.add_button = self._button(
            "Add", "", "Add an obstacle like the last one at a free position", run.add
        )
        self.add_button.setStyleSheet("QToolButton { padding: 4px 20px 4px 7px; }")
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.add_menu = Menu(self)
        self._fill_add(self.add_menu)
        self.add_button.setMenu(self.add_menu)
        self.copy_button = self._button(
            "Duplicate", "duplicate", "Duplicate the selection (Ctrl+D)", run.duplicate
        )
        self.delete_button = self._button("", "delete", "Delete the selection (Del)", run.delete)

        self.palette_strip = Palette(document, run.add)
        self.view = TreeView()
        self.view.setModel(self.proxy)
        self.view.narrow_columns()
        self.view.flag_clicked.connect(self._turn_flag)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.view.selectionModel().selectionChanged.connect(self._on_view)
        self._unfold()
        self.model.modelReset.connect(self._unfold)  # another kind of body

        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        line.addWidget(self.search, 1)
        for button in (self.add_button, self.copy_button, self.delete_button):
            line.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 4, 12, 8)
        layout.setSpacing(8)
        layout.addWidget(self.palette_strip)
        layout.addLayout(line)
        layout.addWidget(self.view, 1)

        selection.changed.connect(self._on_selection)
        document.scene_changed.connect(self._on_scene)
        document.kinds_changed.connect(self._refill_add)
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

    def apply_theme(self) -> None:
        self.delete_button.setIcon(theme.icon("delete"))
        self.copy_button.setIcon(theme.icon("duplicate"))
        self._refill_add()
        self.model.apply_theme()
        self.view.apply_theme()

    # --- edits ------------------------------------------------------------------------------------

    def _refill_add(self) -> None:
        self.add_menu.clear()
        self._fill_add(self.add_menu)

    def _fill_add(self, menu: QMenu) -> None:
        for preset in PRESETS.values():
            entry = menu.addAction(theme.icon(preset.icon), preset.title)
            entry.triggered.connect(lambda _=False, name=preset.name: self._commands.add(name))

    def _turn_flag(self, index: QModelIndex) -> None:
        """Toggle the eye or lock that was clicked; if its row is selected, all selected rows get its new state."""
        flag: Literal["hidden", "locked"] = (
            "hidden" if index.column() == HIDDEN_COLUMN else "locked"
        )
        meant = self.model.obstacles_at(self.proxy.mapToSource(index))
        chosen = self._selection.obstacles
        obstacles = self._document.scene.obstacles
        on = not all(getattr(obstacles[i], flag) for i in meant)
        if set(meant) <= set(chosen):
            meant = chosen
        self._commands.arrange.set_flag(meant, flag, on)

    def rename(self) -> None:
        """Edit the name of the selection, or of the group that is selected as a whole."""
        indices = self._selection.obstacles
        patches = self._selection.patches
        if not indices and not patches:
            return
        index = self.model.index_of(("obstacle", indices[0]) if indices else ("patch", patches[0]))
        group = index.parent()
        if (
            len(indices) > 1
            and self.model.is_group(group)
            and self.model.obstacles_at(group) == indices
        ):
            index = group
        elif indices and self.view.selectionModel().currentIndex().isValid():
            current = self.proxy.mapToSource(self.view.selectionModel().currentIndex())
            if self.model.is_group(current) and set(self.model.obstacles_at(current)) <= set(
                indices
            ):
                index = current.siblingAtColumn(0)
        source_index = self.proxy.mapFromSource(index)
        if not source_index.isValid():  # hidden by the search
            self.search.clear()
            source_index = self.proxy.mapFromSource(index)
        self.view.setFocus()
        self.view.scrollTo(source_index)
        self.view.edit(source_index)

    # --- selection --------------------------------------------------------------------------------

    def _on_view(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Apply the selection of the tree: the row of a group selects all its obstacles."""
        if self._syncing:
            return
        now = self._source_rows(self.view.selectionModel().selection())
        left = {
            item
            for index in self._source_rows(deselected)
            if (item := self.model.item(index)) is not None
        }
        items = {item for index in now if (item := self.model.item(index)) is not None}
        for group in self._groups(selected):
            items |= group
        for group in self._groups(deselected):
            if not left & group:
                items -= group  # the row of the group alone was deselected
        self._syncing = True
        self._selection.set(items)
        self._syncing = False
        self._on_selection(follow=False)

    def _on_selection(self, *, follow: bool = True) -> None:
        """Show a selection made elsewhere, or after rows changed; `follow` scrolls to its first item."""
        self._enable()
        if self._syncing:
            return
        items = sorted(self._selection.items, key=lambda item: (item[0], item[1]))
        chosen = QItemSelection()
        for begin, end in self.model.ranges_of(items):
            for first, last in self._mapped(begin, end):
                chosen.select(first, last)
        self._syncing = True
        model = self.view.selectionModel()
        if _rows(model.selection()) != _rows(chosen):
            model.select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            if follow and items:
                first = self.proxy.mapFromSource(self.model.index_of(items[0]))
                if items[0][0] == "obstacle" and self._is_whole_group(first):
                    first = first.parent()
                model.setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
                self.view.scrollTo(first)
        self._syncing = False

    def _clear_rows(self) -> None:
        """Deselect all rows while rows change; `_on_scene` selects them again."""
        self._syncing = self._let_go_of = True
        self.view.selectionModel().clearSelection()
        self._syncing = False

    def _source_rows(self, selection: QItemSelection) -> list[QModelIndex]:
        """Return the model's entries in the selected rows of the view."""
        return [
            self.proxy.mapToSource(self.proxy.index(row, 0, parent))
            for parent, top, bottom in _ranges(selection)
            for row in range(top, bottom + 1)
        ]

    def _groups(self, selection: QItemSelection) -> list[set[Item]]:
        """Return the obstacles of the selected rows of groups."""
        rows = [index for index in self._source_rows(selection) if self.model.is_group(index)]
        return [{("obstacle", i) for i in self.model.obstacles_at(index)} for index in rows]

    def _mapped(
        self, begin: QModelIndex, end: QModelIndex
    ) -> list[tuple[QModelIndex, QModelIndex]]:
        """Return ranges of the view that show the rows of the model between two indexes."""
        if not self.search.text():  # all rows are visible, in the model's order
            return [(self.proxy.mapFromSource(begin), self.proxy.mapFromSource(end))]
        ranges = []
        for row in range(begin.row(), end.row() + 1):
            index = self.proxy.mapFromSource(begin.siblingAtRow(row))
            if index.isValid():
                ranges.append((index, index.siblingAtColumn(self.model.columnCount() - 1)))
        return ranges

    def _is_whole_group(self, index: QModelIndex) -> bool:
        """Return whether a row is in a group that is selected as a whole and need not be expanded for it."""
        group = self.proxy.mapToSource(index.parent())
        return self.model.is_group(group) and set(self.model.obstacles_at(group)) <= set(
            self._selection.obstacles
        )

    def _on_scene(self, before: Scene, after: Scene) -> None:
        other = type(before.body) is not type(after.body)
        if self._let_go_of or other:
            self._let_go_of = False
            self._on_selection(follow=other or not same_numbers(before, after))

    def _enable(self) -> None:
        some = bool(self._selection.obstacles)
        for button in (self.palette_strip, self.add_button, self.copy_button, self.delete_button):
            button.setVisible(self._document.scene.body.meets_obstacles)
        self.copy_button.setEnabled(some)
        self.delete_button.setEnabled(some or bool(self._selection.patches))

    def _filter(self, text: str) -> None:
        self._syncing = True  # rows hidden by the search stay selected elsewhere
        self.proxy.setFilterFixedString(text)
        if text:
            self.view.expandAll()
        self._syncing = False
        self._on_selection()

    def item_at(self, position: QPoint) -> Item | None:
        """Return the item at a position in the view."""
        return self.model.item(self.proxy.mapToSource(self.view.indexAt(position)))

    def _show_menu(self, position: QPoint) -> None:
        if not self._document.scene.body.meets_obstacles:
            return  # all entries concern obstacles
        menu = Menu(self)
        self._fill_add(menu.addMenu("Add"))
        for entry in self._menu_entries:
            if entry is None:
                menu.addSeparator()
            elif isinstance(entry, QMenu):
                menu.addMenu(entry)
            else:
                menu.addAction(entry)
        menu.exec(self.view.viewport().mapToGlobal(position))
        menu.deleteLater()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # The window's Edit menu has Del too; without a window the tree needs its own.
        if event.key() == Qt.Key.Key_Delete:
            self._commands.delete()
        else:
            super().keyPressEvent(event)


def _ranges(selection: QItemSelection) -> list[tuple[QModelIndex, int, int]]:
    """Return the parent, first and last row of each part of a selection."""
    parts = (selection.at(i) for i in range(selection.count()))
    return [(part.parent(), part.top(), part.bottom()) for part in parts]


def _rows(selection: QItemSelection) -> set[tuple[QModelIndex, int]]:
    """Return the rows of a selection for comparison: equal selections can have different ranges."""
    return {
        (parent, row)
        for parent, top, bottom in _ranges(selection)
        for row in range(top, bottom + 1)
    }
