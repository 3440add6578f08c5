"""A field for expressions of the columns of a run, with completion of names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtGui import QFontDatabase, QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

from snakestudio.gui.core import theme

_NAME = re.compile(r"[A-Za-z_.][A-Za-z0-9_.]*$")


class ExpressionField(QLineEdit):
    """A line edit with completion of names word by word."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._completer = QCompleter(self)
        self._popup = QListView()
        self._popup.setProperty("role", "completion")
        self._completer.setPopup(self._popup)
        self._completer.setModel(QStringListModel(list(names), self._completer))
        self._completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setMaxVisibleItems(10)
        self._completer.setWidget(self)
        self._completer.activated.connect(self.complete_with)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(theme.scaled(13))
        self.setFont(font)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        popup = self._popup
        if popup.isVisible() and event.key() in (
            Qt.Key.Key_Return,
            Qt.Key.Key_Enter,
            Qt.Key.Key_Tab,
        ):
            index = popup.currentIndex()
            chosen = index.data() if index.isValid() else self._completer.currentCompletion()
            popup.hide()
            if chosen:
                self.complete_with(str(chosen))
            event.accept()
            return
        super().keyPressEvent(event)
        if event.text():
            self._offer()

    def _offer(self) -> None:
        match = _NAME.search(self.text()[: self.cursorPosition()])
        prefix = match[0].removeprefix("other.") if match else ""
        if len(prefix) < 2:
            self._popup.hide()
            return
        self._completer.setCompletionPrefix(prefix)
        if self._completer.completionCount() and self._completer.currentCompletion() != prefix:
            self._completer.complete()
        else:
            self._popup.hide()

    def complete_with(self, name: str) -> None:
        """Replace the word before the cursor by a name."""
        before = self.text()[: self.cursorPosition()]
        after = self.text()[self.cursorPosition() :]
        match = _NAME.search(before)
        start = match.start() if match else len(before)
        if match and match[0].startswith("other."):
            start += len("other.")
        self.setText(before[:start] + name + after)
        self.setCursorPosition(start + len(name))
        self.textEdited.emit(self.text())

    def wrap(self, pattern: str) -> None:
        """Apply a function to the selected text, or to the whole text."""
        if self.hasSelectedText():
            start = self.selectionStart()
            chosen = self.selectedText()
            text = self.text()
            self.setText(text[:start] + pattern.format(chosen) + text[start + len(chosen) :])
        else:
            self.setText(pattern.format(self.text().strip() or "x"))
        self.setFocus()
        self.textEdited.emit(self.text())
