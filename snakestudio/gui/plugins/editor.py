"""Opening files of plug-ins in programs of the desktop."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices


def open_file(path: Path) -> bool:
    """Open a file in an editor and return whether one was found; a plain editor where opening would run the file."""
    if sys.platform == "win32":
        started = QProcess.startDetached("notepad.exe", [str(path)])
        return bool(started[0] if isinstance(started, tuple) else started)
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def open_folder(path: Path) -> bool:
    """Show the folder of a file and return whether a file manager was found."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))
