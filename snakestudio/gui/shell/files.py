"""Opening and saving scenes: dialogs, the question about unsaved changes, recent files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QSettings
from PySide6.QtWidgets import QMessageBox, QWidget

from snakestudio.errors import RobotFileError, SceneError
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind, ask_open, ask_save
from snakestudio.gui.core.recent_files import RecentFiles
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.scene.import_dialog import ImportDialog
from snakestudio.gui.scene.robot_import_dialog import RobotImportDialog
from snakestudio.model.obstacles.importing import read_circles
from snakestudio.model.scene_diff import difference_in_words
from snakestudio.robot_files.files import ENDINGS
from snakestudio.robot_files.importing import RobotFile
from snakestudio.session.recovery import UnsavedScene

_MOST = 12


def shortened(changes: Sequence[str], most: int = _MOST) -> list[str]:
    """Return the first lines, and the number of further ones."""
    if len(changes) <= most:
        return list(changes)
    return [*changes[: most - 1], f"... and {len(changes) - most + 1} more changes"]


def ask_about_changes(
    parent: QWidget, title: str, question: str, changes: Sequence[str], action: str
) -> bool:
    """Ask the user to confirm a change of the scene; return whether they do.

    Parameters
    ----------
    changes : sequence of str
        A line for each change.
    action : str
        Text of the button that confirms.
    """
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setText(question)
    box.setInformativeText("\n".join(f"•  {line}" for line in shortened(changes)))
    yes = box.addButton(action, QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(yes)
    box.exec()
    box.deleteLater()
    return box.clickedButton() is yes


_FILTER = "Scenes (*.toml);;Exported runs (*.csv);;All files (*)"
_RECENT: Setting[tuple[str, ...]] = Setting(
    "files/recent", (), "Recent scenes", "Scene files opened or saved last", remembered=True
)
_OBSTACLES = "Tables and drawings (*.csv *.txt *.tsv *.svg);;All files (*)"
_ROBOTS = f"Robot files ({' '.join(f'*{ending}' for ending in ENDINGS)});;All files (*)"
_SAME = ["The scene is the same; only comments or formatting of the file differ."]


class Files(QObject):
    """Commands of the File menu that open, save, revert and import.

    Parameters
    ----------
    banner : Banner
        Shows what could not be read or written.
    settings : QSettings
        Storage of the recent files.
    window : QWidget
        Parent of the dialogs.
    """

    def __init__(
        self, document: Document, banner: Banner, settings: QSettings, window: QWidget
    ) -> None:
        super().__init__(window)
        self._document = document
        self._banner = banner
        self._window = window
        self.recent = RecentFiles(settings, _RECENT)

    # --- opening ----------------------------------------------------------------------------------

    def new(self) -> bool:
        """Open an empty scene, unless unsaved changes must be kept."""
        if not self.may_discard():
            return False
        self._banner.clear()
        self._document.new()
        return True

    def ask_open(self) -> bool:
        """Ask for a file and open it."""
        path = ask_open(self._window, "Open Scene", FileKind.SCENE, _FILTER, near=self._folder)
        return path is not None and self.open(path)

    @property
    def _folder(self) -> Path | None:
        """Folder of the scene's file, if it has one."""
        return self._document.path.parent if self._document.path is not None else None

    def open(self, path: Path, *, remember: bool = True) -> bool:
        """Open a scene, unless unsaved changes must be kept; a notice reports a file that cannot be read.

        With `remember`, the file is added to the recent files.
        """
        if not self.may_discard():
            return False
        try:
            self._document.open(path)
        except SceneError as error:
            self._banner.show_notice("warning", f"{path.name} was not opened.\n{error}")
            self.recent.remove(path)
            return False
        self._banner.clear()
        if remember:
            self.recent.remember(path)
        return True

    # --- saving -----------------------------------------------------------------------------------

    def save(self) -> bool:
        """Save to the scene's file, or ask for one."""
        if self._document.path is None:
            return self.ask_save()
        return self._save(self._document.path)

    def ask_save(self) -> bool:
        """Ask for a file name and save under it."""
        name = self._document.path.name if self._document.path is not None else self._document.name
        path = ask_save(
            self._window,
            "Save Scene As",
            FileKind.SCENE,
            name,
            "Scenes (*.toml)",
            near=self._folder,
        )
        return path is not None and self._save(path)

    def _save(self, path: Path) -> bool:
        if (
            path == self._document.path
            and self._document.on_disk() == "changed"
            and not self._may_overwrite()
        ):
            return False
        try:
            self._document.save(path)
        except SceneError as error:
            self._banner.show_notice(
                "warning", f"The scene was not saved.\n{error}", [("Save As...", self.ask_save)]
            )
            return False
        self._banner.clear()
        self.recent.remember(path)
        return True

    def _may_overwrite(self) -> bool:
        """Ask whether changes of another program to the scene's file may be overwritten."""
        name = self._document.name
        question = f"{name} was changed by another program. Overwrite those changes?"
        try:
            changes = difference_in_words(self._document.read_file(), self._document.scene)
        except SceneError:
            changes = ["The changed file cannot be read as a scene."]
        return ask_about_changes(
            self._window, "Overwrite Changes", question, changes or _SAME, "Overwrite"
        )

    # --- reverting --------------------------------------------------------------------------------

    def revert(self) -> bool:
        """Ask for confirmation, and revert to the file as one step of undo."""
        return self._load_file("Revert", "Revert to file", always_ask=True)

    def reload(self) -> bool:
        """Load the changes of another program; ask first if there are unsaved changes here."""
        return self._load_file("Reload", "Reload from disk", always_ask=False)

    def _load_file(self, verb: str, step: str, always_ask: bool) -> bool:
        document = self._document
        try:
            if always_ask or document.dirty:
                changes = difference_in_words(document.scene, document.read_file()) or _SAME
                question = f"{verb} {document.name}? Undo restores your changes."
                if not ask_about_changes(self._window, f"{verb} Scene", question, changes, verb):
                    return False
            document.revert(step)
        except SceneError as error:
            self._banner.show_notice(
                "warning", f"{document.name} could not be read. The scene is unchanged.\n{error}"
            )
            return False
        self._banner.clear()
        return True

    def restore(self, unsaved: UnsavedScene) -> bool:
        """Restore an unsaved scene, unless unsaved changes of the open scene must be kept."""
        if not self.may_discard():
            return False
        self._document.restore(unsaved.scene, unsaved.path)
        text = f"Unsaved changes to {unsaved.name} were restored. Save to keep them."
        self._banner.show_notice("info", text, passing=True)
        return True

    def may_discard(self) -> bool:
        """Return whether the open scene can be closed: it is saved, or the user saves or discards the changes now."""
        if not self._document.dirty:
            return True
        buttons = QMessageBox.StandardButton
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Unsaved changes")
        box.setText(f"Save the changes to {self._document.title}?")
        box.setInformativeText("They are lost if you do not save.")
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        answer = box.exec()
        box.deleteLater()
        if answer == buttons.Save:
            return self.save()
        return answer == buttons.Discard

    # --- obstacles of other programs --------------------------------------------------------------

    def ask_import(self) -> bool:
        """Ask for a file of obstacles and import it."""
        path = ask_open(self._window, "Import Obstacles", FileKind.OBSTACLES, _OBSTACLES)
        return path is not None and self.import_obstacles(path)

    def import_obstacles(self, path: Path) -> bool:
        """Preview the obstacles of a file, and import them as one step of undo if the user agrees."""
        try:
            circles = read_circles(path)
        except SceneError as error:
            self._banner.show_notice("warning", f"Nothing was imported from {path.name}.\n{error}")
            return False
        self._banner.clear()
        dialog = ImportDialog(path, circles, self._document.scene, self._window)
        accepted = bool(dialog.exec())
        if accepted and dialog.result_scene is not None:
            self._document.edit(dialog.result_scene, f"Import obstacles from {path.name}")
        dialog.deleteLater()
        return accepted

    # --- robots of other programs -----------------------------------------------------------------

    def ask_import_robot(self) -> bool:
        """Ask for a robot file and import it."""
        path = ask_open(self._window, "Import Robot", FileKind.ROBOT, _ROBOTS)
        return path is not None and self.import_robot(path)

    def import_robot(self, path: Path) -> bool:
        """Preview the robot of a file, and import it into a new scene or this one if the user agrees; undoable."""
        try:
            dialog = RobotImportDialog(
                path,
                RobotFile(path).imported,
                self._document.scene,
                self._window,
                folder=self._document.base_dir,
            )
        except RobotFileError as error:
            self._banner.show_notice("warning", f"No robot was imported from {path.name}.\n{error}")
            return False
        self._banner.clear()
        accepted = bool(dialog.exec()) and dialog.result_scene is not None
        if accepted and dialog.is_new:
            accepted = self.new()
        if accepted:
            assert dialog.result_scene is not None
            self._document.edit(dialog.result_scene, f"Import robot from {path.name}")
        dialog.deleteLater()
        return accepted
