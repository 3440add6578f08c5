"""The menus whose entries change: recent files, the scenes that come along, whose trail is drawn, saved layouts."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from snakestudio.gui.shell.context import Context
from snakestudio.gui.viewport.legend import fill_trail_menu
from snakestudio.viewmodel.body_parts import n_parts, part_name
from snakestudio.viewmodel.gallery import entries

__all__ = ["MovingMenus"]


class MovingMenus(QObject):
    """Fills some of a window's menus anew whenever they open."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._context = context
        self._layouts: list[QAction] = []
        for name, fill in (
            ("File/Open Recent", self._fill_recent),
            ("File/Open Example", self._fill_examples),
            ("View/Trail of", self._fill_trail),
            ("View/Layouts", self._fill_layouts),
            ("View/Layouts/Delete Layout", self._fill_delete),
        ):
            menu = self._context.actions_table.menus[name]
            menu.aboutToShow.connect(lambda menu=menu, fill=fill: fill(menu))

    def _fill_recent(self, menu: QMenu) -> None:
        files = self._context.files
        menu.clear()
        paths = files.recent
        for path in paths:
            menu.addAction(str(path)).triggered.connect(lambda _=False, p=path: files.open(p))
        if paths:
            menu.addSeparator()
            menu.addAction("Clear").triggered.connect(files.clear_recent)
        else:
            menu.addAction("No recent scenes").setEnabled(False)

    def _fill_examples(self, menu: QMenu) -> None:
        files = self._context.files
        menu.clear()
        menu.addAction(self._context.actions_table["gallery"])
        menu.addSeparator()
        for entry in entries():
            menu.addAction(entry.title).triggered.connect(lambda _=False, p=entry.path: files.open(p))

    def _fill_trail(self, menu: QMenu) -> None:
        scene = self._context.document.scene
        menu.clear()
        fill_trail_menu(menu, self._context.viewport.options, n_parts(scene), part_name(scene))

    def _fill_layouts(self, menu: QMenu) -> None:
        """The user's own stand after those that come along."""
        layouts = self._context.layouts
        for old in self._layouts:
            menu.removeAction(old)
            old.deleteLater()
        self._layouts = []
        below = self._context.actions_table["save_layout"]
        for name in layouts.saved:
            action = QAction(name.replace("&", "&&"), menu)
            action.triggered.connect(lambda _=False, name=name: layouts.choose(name))
            menu.insertAction(below, action)
            self._layouts.append(action)
        if self._layouts:
            menu.insertSeparator(below)
            self._layouts.append(menu.actions()[menu.actions().index(below) - 1])
        self._context.actions_table.menus["View/Layouts/Delete Layout"].setEnabled(bool(layouts.saved))

    def _fill_delete(self, menu: QMenu) -> None:
        layouts = self._context.layouts
        menu.clear()
        for name in layouts.saved:
            menu.addAction(name.replace("&", "&&")).triggered.connect(lambda _=False, name=name: layouts.delete(name))
