"""Opening and saving scenes: dialogs, the question about unsaved changes, recent files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from snakestudio.errors import SceneError
from snakestudio.gui.banner import Banner
from snakestudio.gui.document import Document
from snakestudio.paths import scenes_dir

__all__ = ["Files"]

MAX_RECENT = 10
_FILTER = "Scenes (*.toml);;Exported runs (*.csv);;All files (*)"
_KEY = "files/recent"


class Files(QObject):
    """What the File menu does to the document.

    Parameters
    ----------
    document : Document
    banner : Banner
        Says what could not be read or written.
    settings : QSettings
        Keeps the recent files.
    window : QWidget
        Parent of the dialogs.

    Signals
    -------
    recent_changed()
    """

    recent_changed = Signal()

    def __init__(self, document: Document, banner: Banner, settings: QSettings, window: QWidget) -> None:
        super().__init__(window)
        self._document, self._banner, self._settings, self._window = document, banner, settings, window

    # --- opening --------------------------------------------------------------------------------------------------

    def new(self) -> bool:
        """Begin an empty scene, if nothing would be lost."""
        if not self.may_discard():
            return False
        self._banner.clear()
        self._document.new()
        return True

    def ask_open(self) -> bool:
        """Ask for a file and open it."""
        folder = self._document.base_dir or scenes_dir()
        name, _ = QFileDialog.getOpenFileName(self._window, "Open Scene", str(folder), _FILTER)
        return bool(name) and self.open(Path(name))

    def open(self, path: Path) -> bool:
        """Open a scene, if nothing would be lost; a file that cannot be read changes nothing but the notice."""
        if not self.may_discard():
            return False
        try:
            self._document.open(path)
        except SceneError as error:
            self._banner.say("warning", f"{path.name} was not opened.\n{error}")
            self._forget(path)
            return False
        self._banner.clear()
        self._remember(path)
        return True

    # --- saving ---------------------------------------------------------------------------------------------------

    def save(self) -> bool:
        """Save where the scene came from, or ask where to."""
        if self._document.path is None:
            return self.ask_save()
        return self._save(self._document.path)

    def ask_save(self) -> bool:
        """Ask for a name and save under it."""
        path = self._document.path
        suggested = path if path is not None else Path.home() / self._document.name
        name, _ = QFileDialog.getSaveFileName(self._window, "Save Scene As", str(suggested), "Scenes (*.toml)")
        if not name:
            return False
        target = Path(name)
        return self._save(target if target.suffix else target.with_suffix(".toml"))

    def _save(self, path: Path) -> bool:
        try:
            self._document.save(path)
        except SceneError as error:
            self._banner.say("warning", f"The scene was not saved.\n{error}")
            return False
        self._banner.clear()
        self._remember(path)
        return True

    def may_discard(self) -> bool:
        """Whether the open scene may go: nothing is unsaved, or the user saved it or does not want it."""
        if not self._document.dirty:
            return True
        buttons = QMessageBox.StandardButton
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Unsaved changes")
        box.setText(f"Save the changes to {self._document.name}?")
        box.setInformativeText("Without saving, they are lost.")
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        answer = box.exec()
        box.deleteLater()
        if answer == buttons.Save:
            return self.save()
        return answer == buttons.Discard

    # --- recent files ---------------------------------------------------------------------------------------------

    @property
    def recent(self) -> list[Path]:
        """Files opened or saved lately that are still there, newest first."""
        stored = self._settings.value(_KEY) or []
        names = [stored] if isinstance(stored, str) else list(stored)  # Qt stores a list of one as a text
        return [path for path in map(Path, names) if path.is_file()]

    def _remember(self, path: Path) -> None:
        path = path.resolve()
        self._store([path, *(other for other in self.recent if other != path)])

    def _forget(self, path: Path) -> None:
        self._store([other for other in self.recent if other != path.resolve()])

    def clear_recent(self) -> None:
        """Forget all recent files."""
        self._store([])

    def _store(self, paths: list[Path]) -> None:
        self._settings.setValue(_KEY, [str(path) for path in paths[:MAX_RECENT]])
        self.recent_changed.emit()
