"""The menus whose entries change: recent files, the scenes that come along, whose trail is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from snakestudio.gui.parts import n_parts, part_name
from snakestudio.gui.viewport.legend import fill_trail_menu

if TYPE_CHECKING:
    from snakestudio.gui.main_window import MainWindow

__all__ = ["MovingMenus"]


class MovingMenus(QObject):
    """Fills some of a window's menus anew whenever they open."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        for name, fill in (
            ("File/Open Recent", self._fill_recent),
            ("File/Open Example", self._fill_examples),
            ("View/Trail of", self._fill_trail),
        ):
            menu = window.actions_table.menus[name]
            menu.aboutToShow.connect(lambda menu=menu, fill=fill: fill(menu))

    def _fill_recent(self, menu: QMenu) -> None:
        files = self._window.files
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
        files = self._window.files
        menu.clear()
        for path in files.examples:
            name = path.stem.replace("_", " ").capitalize()
            menu.addAction(name).triggered.connect(lambda _=False, p=path: files.open(p))

    def _fill_trail(self, menu: QMenu) -> None:
        scene = self._window.document.scene
        menu.clear()
        fill_trail_menu(menu, self._window.viewport.options, n_parts(scene), part_name(scene))
