"""Plug-in manager: all plug-ins with their origin, additions and state."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from snakestudio.errors import PluginError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind, ask_open
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.lines import line_of
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.plugins.editor import open_file, open_folder
from snakestudio.gui.plugins.new_dialog import NewPluginDialog
from snakestudio.gui.plugins.plugin_controller import PluginController
from snakestudio.plugins.source import read_source
from snakestudio.plugins.trust import trust, trusted
from snakestudio.viewmodel.plugin_list import PluginEntry, trusting_folder

_COLUMNS = ("Plug-in", "From", "Adds", "State")
_EMPTY = "There are no plug-ins yet. Add a Python file, or write a new plug-in."
_ROLES = {
    "loaded": "good",
    "changed": "warning",
    "trusted": "text",
    "untrusted": "warning",
    "unreadable": "warning",
}


class PluginManager(Dialog):
    """List of plug-ins with actions for the selected one."""

    def __init__(
        self, plugins: PluginController, document: Document, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, "Plug-ins")
        self._plugins = plugins
        self._document = document
        self._entries: list[PluginEntry] = []
        self.list = QTreeWidget(self)
        self.list.setRootIsDecorated(False)
        self.list.setAllColumnsShowFocus(True)
        self.list.setUniformRowHeights(True)
        self.list.setHeaderLabels(list(_COLUMNS))
        self.list.setAccessibleName("Plug-ins")
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        for number in (0, 1, 3):
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.ResizeToContents)
        self.list.setMinimumHeight(theme.scaled(150))
        self.detail = QLabel(self)
        self.detail.setWordWrap(True)
        self.detail.setTextFormat(Qt.TextFormat.PlainText)
        self.detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.detail.setProperty("role", "dim")
        self.message = Message(self)
        self.own = QCheckBox("Reload &when the file changes", self)
        self.own.setToolTip(
            "For your own files: trust and reload the file as soon as it is saved, even during "
            "a run"
        )
        self.load_button, self.reload_button = (
            QPushButton("&Load", self),
            QPushButton("&Reload", self),
        )
        self.trust_button = QPushButton("&Trust...", self)
        self.open_button, self.folder_button = (
            QPushButton("Open &File", self),
            QPushButton("Open F&older", self),
        )
        self.remove_button = QPushButton("Re&move", self)
        self.remove_button.setToolTip("Remove the file from this list; it stays on disk")
        self.add_button, self.new_button = (
            QPushButton("&Add File...", self),
            QPushButton("&New Plug-in...", self),
        )
        close = QPushButton("Close", self)
        for button, act in (
            (self.load_button, self._load_or_unload),
            (self.reload_button, self._reload),
            (self.trust_button, self._trust),
            (self.open_button, self._open),
            (self.folder_button, self._open_folder),
            (self.remove_button, self._remove),
            (self.add_button, self._ask_file),
            (self.new_button, self._new),
            (close, self.close),
        ):
            button.setAutoDefault(False)
            button.clicked.connect(act)
        self.own.clicked.connect(self._set_own)
        files = self.open_button, self.folder_button, self.remove_button
        self.arrange(
            (self.list, 1),
            self.detail,
            self.own,
            self.message,
            line_of(self.load_button, self.reload_button, self.trust_button, *files, 1),
            line_of(self.add_button, self.new_button, 1, close),
            spacing=10,
        )
        self.list.currentItemChanged.connect(lambda *_: self._show_entry())
        self.list.itemActivated.connect(lambda *_: self._load_or_unload())
        plugins.changed.connect(self.refresh)
        document.scene_changed.connect(self._on_scene)
        self.resize(theme.scaled(760), theme.scaled(420))
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(760), theme.scaled(420)).expandedTo(super().sizeHint())

    @property
    def entry(self) -> PluginEntry | None:
        """Selected plug-in."""
        row = self.list.currentIndex().row()
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def select(self, name: str) -> None:
        """Select a plug-in by name."""
        for row, entry in enumerate(self._entries):
            if entry.name == name:
                self.list.setCurrentIndex(self.list.model().index(row, 0))

    def _on_scene(self, before: object, after: object) -> None:
        if getattr(before, "plugin", None) != getattr(after, "plugin", None):
            self.refresh()

    def refresh(self) -> None:
        """Show the current plug-ins."""
        before = self.entry
        self._entries = self._plugins.entries
        blocked = self.list.blockSignals(True)
        self.list.clear()
        for entry in self._entries:
            item = QTreeWidgetItem([entry.name, entry.origin, entry.adds_text, entry.state_text])
            item.setForeground(3, theme.colour(_ROLES[entry.state]))
            for column in range(len(_COLUMNS)):
                item.setToolTip(column, item.text(column))
            self.list.addTopLevelItem(item)
        self.list.blockSignals(blocked)
        locations = [entry.location for entry in self._entries]
        row = (
            locations.index(before.location)
            if before is not None and before.location in locations
            else 0
        )
        self.list.setCurrentIndex(self.list.model().index(row, 0))
        self._show_entry()

    def _show_entry(self) -> None:
        entry = self.entry
        path = entry.path if entry is not None else None
        usable = entry is not None and entry.source is not None
        exists = path is not None and os.path.exists(path)
        self.detail.setText(_EMPTY if entry is None else _detail(entry))
        self.own.setVisible(path is not None)
        self.own.setChecked(path is not None and self._plugins.is_own(path))
        self.load_button.setText("Un&load" if entry is not None and entry.is_loaded else "&Load")
        self.load_button.setEnabled(usable or (entry is not None and entry.is_loaded))
        self.reload_button.setEnabled(entry is not None and entry.is_loaded and usable)
        trusts = entry is not None and entry.trusted
        in_folder = trusts and path is not None and _by_folder(path)
        self.trust_button.setText(
            "Stop &Trusting Folder" if in_folder else "Stop &Trusting" if trusts else "&Trust..."
        )
        self.trust_button.setEnabled(usable)
        self.open_button.setEnabled(exists)
        self.folder_button.setEnabled(exists)
        self.remove_button.setVisible(path in self._plugins.files)
        self.remove_button.setEnabled(entry is not None and not entry.is_loaded)

    # --- actions ----------------------------------------------------------------------------------

    def _load_or_unload(self) -> None:
        entry = self.entry
        if entry is None:
            return
        if entry.is_loaded:
            self.message.show_text(self._plugins.unload(entry.name))
        elif entry.source is not None:
            self.message.show_text(self._plugins.load(entry.source))

    def _reload(self) -> None:
        if self.entry is not None:
            self.message.show_text(self._plugins.reload(self.entry.name))

    def _trust(self) -> None:
        entry = self.entry
        if entry is None or entry.source is None:
            return
        if entry.trusted:
            result = self._plugins.stop_trusting(entry)
            loaded = (
                " It stays loaded until you unload it or quit the program."
                if entry.is_loaded
                else ""
            )
            self.message.show_text(f"{result}{loaded}")
            return
        try:
            self._plugins.review(entry.source)
            self.message.show_text("")
        except PluginError as error:
            self.message.show_text(str(error))

    def _set_own(self, on: bool) -> None:
        entry = self.entry
        if entry is not None and entry.path is not None:
            self._plugins.set_own(entry.path, on)

    def _open(self) -> None:
        path = self.entry.path if self.entry is not None else None
        if path is not None and not open_file(path):
            self.message.show_text(f"No editor was found. Open {path} in a text editor.")

    def _open_folder(self) -> None:
        path = self.entry.path if self.entry is not None else None
        if path is not None and not open_folder(path):
            self.message.show_text(f"No file manager was found. The file is {path}.")

    def _remove(self) -> None:
        path = self.entry.path if self.entry is not None else None
        if path is not None:
            self._plugins.drop_file(path)

    def _ask_file(self) -> None:
        path = ask_open(
            self,
            "Add Plug-in",
            FileKind.PLUGIN,
            "Python files (*.py)",
            near=self._document.base_dir,
        )
        if path is not None:
            self.message.show_text(self._plugins.add_file(path))
            self.select(path.stem)

    def _new(self) -> None:
        dialog = NewPluginDialog(self._document.base_dir, self)
        dialog.exec()
        dialog.deleteLater()
        if dialog.path is not None:
            self.load_new_file(dialog.path)

    def load_new_file(self, path: Path) -> None:
        """Load a new file, reload it when it is saved, and open it in an editor."""
        try:
            trust(read_source(path))
        except PluginError as error:
            self.message.show_text(str(error))
            return
        problem = self._plugins.add_file(path)
        self._plugins.set_own(path, True)
        self.select(path.stem)
        if not open_file(path) and not problem:
            problem = f"No editor was found. Open {path} in a text editor."
        self.message.show_text(problem)


def _by_folder(path: Path) -> bool:
    """Return whether a file is trusted only because of its folder."""
    known = trusted()
    return str(path) not in known.files and trusting_folder(path, known) is not None


def _detail(entry: PluginEntry) -> str:
    source = entry.source
    where = str(entry.location) if entry.path is not None else f"Package {entry.location}"
    digest = f"\nSHA-256 {source.digest[:16]}..." if source is not None else ""
    return "\n".join(part for part in (f"{where}{digest}", entry.reason) if part)
