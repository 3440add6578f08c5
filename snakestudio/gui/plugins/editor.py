"""Opens files of plug-ins in the desktop's programs."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices


def open_file(path: Path) -> bool:
    """Open a file in an editor; whether there is one. Where a double click would run it, a plain editor is used."""
    if sys.platform == "win32":
        started = QProcess.startDetached("notepad.exe", [str(path)])
        return bool(started[0] if isinstance(started, tuple) else started)
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def open_folder(path: Path) -> bool:
    """Show the folder that a file is in; whether a program for that was found."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))
