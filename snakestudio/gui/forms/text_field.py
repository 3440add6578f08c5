"""A line edit that commits on Enter and when the focus leaves it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget


class TextField(QLineEdit):
    """A line edit that commits on Enter and when the focus leaves it, and restores on Esc."""

    committed = Signal(str)
    restored = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.editingFinished.connect(self._finish)

    def _finish(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.committed.emit(self.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setModified(False)
            self.restored.emit()
            event.accept()
        else:
            super().keyPressEvent(event)
