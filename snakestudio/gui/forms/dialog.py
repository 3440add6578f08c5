"""The dialog that all others are made from: it cannot be made so low that a text on several lines is cut off."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDialog

__all__ = ["Dialog"]


class Dialog(QDialog):
    """A dialog whose least height follows its width: Qt's own is that of one line, however often a text is broken."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_texts_whole()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._keep_texts_whole()
        return handled

    def _keep_texts_whole(self) -> None:
        layout = self.layout()
        if layout is None or not layout.hasHeightForWidth():
            return
        least = layout.minimumHeightForWidth(self.width())
        least = min(least, self.screen().availableSize().height())
        if least != self.minimumHeight():
            self.setMinimumHeight(least)
