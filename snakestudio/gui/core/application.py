"""Construction of the application, or exit with one message if no window can be shown: Qt itself would abort."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from snakestudio.viewmodel.no_window import why_no_window

_UNLOADED = re.compile(r'Could not load the Qt platform plugin "(\w+)"')


def make_application(command_line: list[str]) -> QApplication:
    """Return the application of this process, constructed if necessary.

    The process ends with exit code 2 and one message if no window can be shown.
    """
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    messages: list[str] = []

    def on_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        messages.append(text)
        if kind == QtMsgType.QtFatalMsg:  # Qt aborts when this function returns
            reason = why_no_window(messages, _loader_errors(messages), os.environ)
            print(f"snakestudio: {reason}", file=sys.stderr, flush=True)
            os._exit(2)

    qInstallMessageHandler(on_message)
    try:
        application = QApplication(command_line)
    finally:
        qInstallMessageHandler(None)
    for text in messages:
        print(text, file=sys.stderr)
    return application


def _loader_errors(messages: list[str]) -> list[str]:
    """Return loader errors of the platform plugins that Qt could not load: Qt does not name the missing library."""
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)) / "platforms"
    errors = []
    for name in _UNLOADED.findall("\n".join(messages)):
        try:
            ctypes.CDLL(str(folder / f"libq{name}.so"))
        except OSError as error:
            errors.append(str(error))
    return errors
