"""Dialog that shows the code of an untrusted plug-in and asks whether it may run."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.lines import line_of
from snakestudio.plugins.source import Source

_RISK = (
    "A plug-in is a program: it can read, change and delete your files. Run it only if you have read it and "
    "wrote it yourself or trust its author."
)


def code_view(name: str, parent: QWidget) -> QPlainTextEdit:
    """Create a read-only view of code or a traceback in a monospaced font without line wrapping."""
    view = QPlainTextEdit(parent)
    view.setReadOnly(True)
    view.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    view.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    view.setAccessibleName(name)
    view.setTabChangesFocus(True)
    return view


class CodeDialog(Dialog):
    """Code of a plug-in, exactly as it would run, with the buttons to run or decline it.

    Parameters
    ----------
    source : Source
        Source that is shown and, if accepted, trusted.
    changed : bool
        Whether earlier code of this file was trusted.
    decline : str
        Text of the button that declines.
    """

    def __init__(
        self,
        source: Source,
        parent: QWidget | None = None,
        *,
        changed: bool = False,
        decline: str = "Cancel",
    ) -> None:
        super().__init__(parent, f"Run the Plug-in {source.file or source.name}?")
        self.source = source
        file = source.path is not None and not source.module
        text = source.data.decode("utf-8-sig", "replace")
        head = QLabel(self._head(changed, len(text.splitlines()) if file else 0), self)
        risk = QLabel(_RISK, self)
        theme.set_role(risk, "warning")
        for label in (head, risk):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        head.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.path = QLineEdit(str(source.path), self)
        self.path.setReadOnly(True)
        self.path.setAccessibleName("File of the plug-in")
        self.path.setToolTip(str(source.path))
        self.code = code_view("Code of the plug-in", self)
        self.code.setPlainText(text)
        self.code.setVisible(file)
        self.code.setMinimumHeight(theme.scaled(120))
        self.own = QCheckBox("This is &my own file: reload it when it changes", self)
        self.own.setToolTip(
            "Changes to the file are trusted and run without confirmation while the plug-in is loaded"
        )
        self.own.setVisible(file)
        self.run_button = QPushButton("&Run This Plug-in", self)
        self.decline_button = QPushButton(decline, self)
        self.run_button.setAutoDefault(False)
        self.decline_button.setDefault(True)
        self.run_button.clicked.connect(self.accept)
        self.decline_button.clicked.connect(self.reject)
        buttons = line_of(1, self.run_button, self.decline_button)
        self.arrange(self.path, head, (self.code, 1), risk, self.own, buttons)
        self.resize(theme.scaled(720), theme.scaled(560 if file else 220))
        self.decline_button.setFocus()

    def _head(self, changed: bool, lines: int) -> str:
        source = self.source
        if source.module:
            what = f"The installed package {source.name} ({source.module}) is not trusted."
        else:
            what = f"{len(source.data)} bytes, {lines} lines."
        since = "\nIt has changed since you trusted it." if changed else ""
        return f"{what}{since}\nSHA-256 {source.digest[:16]}... None of its code has run."
