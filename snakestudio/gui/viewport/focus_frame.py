"""A frame around the viewport while the keyboard was brought there by a key: a picture has no other focus mark."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core import theme

__all__ = ["FocusFrame"]

_BY_KEY = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)


class FocusFrame(QWidget):
    """Lies over `watched`, which it belongs to, and takes no mouse."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.FocusIn and isinstance(event, QFocusEvent):
            if event.reason() in _BY_KEY:
                self.setGeometry(self._below.rect())
                self.show()
                self.raise_()
        elif kind in (QEvent.Type.FocusOut, QEvent.Type.MouseButtonPress):
            self.hide()
        elif kind == QEvent.Type.Resize:
            self.setGeometry(self._below.rect())
        return False

    @property
    def _below(self) -> QWidget:
        below = self.parentWidget()
        assert below is not None
        return below

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        finally:
            painter.end()
