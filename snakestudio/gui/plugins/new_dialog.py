"""Asks what a new plug-in adds and where its file goes, and writes one that runs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from snakestudio.errors import PluginError
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_save
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.number_field import Message
from snakestudio.plugins.starting import ROLES, new_plugin

__all__ = ["NewPluginDialog"]

_ABOUT = {
    "controller": "Controller: closes the loop",
    "gait": "Gait: joint angles over time",
    "formulation": "Formulation: moves the robot",
    "shape": "Shape: an obstacle",
    "reduction": "Reduction: a number of a signal",
    "filter": "Filter: a signal of a signal",
    "quantity": "Quantity: columns of runs",
    "export": "Export: a file format",
    "firmware": "Firmware: nodes of the emulated robot",
}


class NewPluginDialog(Dialog):
    """What the plug-in adds; the file is asked for next.

    Parameters
    ----------
    folder : Path or None
        Folder of the scene, where the file is suggested.
    """

    def __init__(self, folder: Path | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self.path: Path | None = None
        """The file that was written."""
        self.setWindowTitle("New Plug-in")
        self.role = QComboBox(self)
        for role in ROLES:
            self.role.addItem(_ABOUT[role], role)
        self.message = Message(self)
        self.create_button = QPushButton("&Choose File ...", self)
        theme.set_role(self.create_button, "primary")
        cancel = QPushButton("Cancel", self)
        self.create_button.clicked.connect(self._ask)
        cancel.clicked.connect(self.reject)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.addRow("It &adds", self.role)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(self.create_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self.message)
        column.addLayout(row)

    def _ask(self) -> None:
        role = str(self.role.currentData())
        path = ask_save(self, "New Plug-in", FileKind.PLUGIN, f"my_{role}.py", "Python files (*.py)", near=self._folder)
        if path is not None:
            self.write(role, path)

    def write(self, role: str, path: Path) -> None:
        """Write the file, or say why not; the file dialog has asked whether one that is there is replaced."""
        try:
            new_plugin(role, path, force=True)
        except PluginError as error:
            self.message.say(str(error))
            return
        self.path = path
        self.accept()
