"""File dialogs: each kind of file starts in the user's documents, and later in the folder used last.

An export format without an own folder starts in that of the last export.
"""

from __future__ import annotations

import os
import re
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from snakestudio.gui.core.settings import Setting
from snakestudio.paths import is_program_folder


class FileKind(StrEnum):
    """Kinds of files; the value is the settings key of the last folder."""

    SCENE = "folders/scenes"
    OBSTACLES = "folders/obstacles"
    ROBOT = "folders/robots"
    PICTURE = "folders/pictures"
    STUDY = "folders/studies"
    CERTIFICATE = "folders/certificates"
    RUN = "runs/folder"
    MEASUREMENT = "experiment/folder"
    LAYOUT = "folders/layouts"
    PROFILE = "folders/profiles"
    FRAME_LOG = "robot/logs"
    EVENT_LOG = "folders/events"
    MAPPING = "teleop/folder"
    PLUGIN = "folders/plugins"
    CAMERA_PATH = "folders/camera_paths"
    CSV = "export/csv"
    VIDEO = "export/video"
    FIGURES = "export/figures"
    REPORT = "export/reports"


EXPORT_FOLDERS = "export/"
"""Start of the settings keys of exports; the name of the format follows."""

_FOLDERS = {
    kind.value: Setting(
        kind.value,
        "",
        f"Folder of {kind.name.lower().replace('_', ' ')} files",
        "Folder in which the next file dialog of this kind starts",
        remembered=True,
    )
    for kind in FileKind
}
_EXPORTS = Setting(
    EXPORT_FOLDERS.removesuffix("/"),
    "",
    "Folders of exports",
    "Folder in which the next file dialog of an export format starts",
    remembered=True,
)
_LAST_EXPORT = Setting(
    "export/folder",
    "",
    "Folder of exports",
    "Folder of the last export, in which formats without an own folder start",
    remembered=True,
)


def _stored(kind: str, settings: QSettings) -> str:
    if kind in _FOLDERS:
        return _FOLDERS[kind].load(settings)
    return _EXPORTS.load(settings, kind.removeprefix(EXPORT_FOLDERS))


class FileFolders(QObject):
    """The last folders of a window, shared by its dialogs."""

    def __init__(self, settings: QSettings, window: QWidget) -> None:
        super().__init__(window)
        self._settings = settings

    @staticmethod
    def of(widget: QWidget) -> FileFolders:
        """Return the folders of the window that contains a widget or owns a dialog."""
        above: QObject | None = widget
        while above is not None:
            folders = above.findChild(
                FileFolders, options=Qt.FindChildOption.FindDirectChildrenOnly
            )
            if folders is not None:
                return folders
            above = above.parent()
        return FileFolders(QSettings(), widget.window())

    def start(self, kind: str, near: Path | None = None) -> Path:
        """Return the folder in which a dialog starts.

        Parameters
        ----------
        near : Path, optional
            Folder that is preferred to the last one used, such as that of a file which is saved
            again. Folders of the program and missing folders are skipped.
        """
        stored = [_stored(kind, self._settings)]
        if kind.startswith(EXPORT_FOLDERS):
            stored.append(_LAST_EXPORT.load(self._settings))
        documents = QStandardPaths.writableLocation(
            QStandardPaths.StandardLocation.DocumentsLocation
        )
        for folder in (near, *(Path(str(each)) for each in stored if each), Path(documents)):
            if folder is not None and os.path.isdir(folder) and not is_program_folder(folder):
                return folder
        return Path.home()

    def remember(self, kind: str, folder: Path) -> None:
        """Store the folder in which the next dialog of this kind starts."""
        if kind in _FOLDERS:
            _FOLDERS[kind].store(self._settings, str(folder))
        else:
            _EXPORTS.store(self._settings, str(folder), kind.removeprefix(EXPORT_FOLDERS))
        if kind.startswith(EXPORT_FOLDERS):
            _LAST_EXPORT.store(self._settings, str(folder))


def ask_save(
    parent: QWidget,
    title: str,
    kind: str,
    name: str,
    filters: str,
    *,
    near: Path | None = None,
) -> Path | None:
    """Ask for the path of a file to write; return None if the user cancels.

    Parameters
    ----------
    name : str
        Suggested file name.
    filters : str
        In Qt's notation; a name without a suffix gets that of the chosen filter.
    near : Path, optional
        See `FileFolders.start`.
    """
    folders = FileFolders.of(parent)
    suggested = folders.start(kind, near) / name
    typed, chosen = QFileDialog.getSaveFileName(parent, title, str(suggested), filters)
    if not typed:
        return None
    path = Path(typed)
    if not path.suffix:
        ending = re.search(r"\*(\.[\w.]+)", chosen or filters)
        path = Path(typed + ending[1]) if ending is not None else path
    folders.remember(kind, path.parent)
    return path


def ask_open(
    parent: QWidget, title: str, kind: str, filters: str, *, near: Path | None = None
) -> Path | None:
    """Ask for a file to read; return None if the user cancels. See `ask_save`."""
    folders = FileFolders.of(parent)
    name, _ = QFileDialog.getOpenFileName(parent, title, str(folders.start(kind, near)), filters)
    if not name:
        return None
    folders.remember(kind, Path(name).parent)
    return Path(name)


def ask_open_many(parent: QWidget, title: str, kind: str, filters: str) -> list[Path]:
    """Ask for files to read; return an empty list if the user cancels."""
    folders = FileFolders.of(parent)
    names, _ = QFileDialog.getOpenFileNames(parent, title, str(folders.start(kind)), filters)
    if names:
        folders.remember(kind, Path(names[0]).parent)
    return [Path(name) for name in names]


def ask_folder(parent: QWidget, title: str, kind: str) -> Path | None:
    """Ask for a folder to write files to; return None if the user cancels."""
    folders = FileFolders.of(parent)
    name = QFileDialog.getExistingDirectory(parent, title, str(folders.start(kind)))
    if not name:
        return None
    folders.remember(kind, Path(name))
    return Path(name)


def choose_file(parent: QWidget, title: str, kind: str, folder: Path | None, filters: str) -> str:
    """Ask for a file that a scene refers to.

    Parameters
    ----------
    folder : Path or None
        Folder of the scene; the path of a file in or below it is relative to it.

    Returns
    -------
    str
        Empty if none was chosen.
    """
    path = ask_open(parent, title, kind, filters, near=folder)
    if path is None:
        return ""
    return (
        path.relative_to(folder).as_posix()
        if folder is not None and path.is_relative_to(folder)
        else str(path)
    )
