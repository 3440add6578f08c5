"""Dialog that creates a working plug-in file of a chosen kind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QWidget

from snakestudio.errors import PluginError
from snakestudio.gui.core.file_dialogs import FileKind, ask_save
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import Choice, form_field
from snakestudio.plugins.starting import ROLES, new_plugin

_ABOUT = {
    "controller": "Controller: closes the loop",
    "gait": "Gait: joint angles over time",
    "formulation": "Formulation: moves the robot",
    "shape": "Shape: an obstacle",
    "reduction": "Reduction: a number from a signal",
    "filter": "Filter: a signal from a signal",
    "quantity": "Quantity: columns in runs",
    "export": "Export: a file format",
    "firmware": "Firmware: nodes of the emulated robot",
}


@dataclass(frozen=True)
class NewPlugin:
    """Choices of a new plug-in."""

    role: str = form_field(
        ROLES[0], "It &adds", choices=[Choice(role, _ABOUT[role]) for role in ROLES]
    )


class NewPluginDialog(Dialog):
    """Kind of a new plug-in; a file dialog follows.

    Parameters
    ----------
    folder : Path or None
        Folder of the scene, where the file is suggested.
    """

    def __init__(self, folder: Path | None, parent: QWidget | None = None) -> None:
        super().__init__(parent, "New Plug-in")
        self._folder = folder
        self.path: Path | None = None
        """Written file."""
        self.form = DeclaredForm(NewPlugin(), parent=self)
        self.message = self.form.message
        buttons, self.create_button = self.make_buttons("C&hoose File...")
        self.arrange(self.form, buttons)

    def accept(self) -> None:
        """Ask for the file and write it."""
        role = self.form.values.role
        path = ask_save(
            self,
            "New Plug-in",
            FileKind.PLUGIN,
            f"my_{role}.py",
            "Python files (*.py)",
            near=self._folder,
        )
        if path is not None:
            self.write(role, path)

    def write(self, role: str, path: Path) -> None:
        """Write the file, or show an error; the file dialog has confirmed replacing an existing file."""
        try:
            new_plugin(role, path, force=True)
        except PluginError as error:
            self.form.report(str(error))
            return
        self.path = path
        super().accept()
