"""Widgets that carry colours of their own dress anew when the window turns from dark to light."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core import theme

__all__ = ["Themed"]


class Themed(QWidget):
    """A widget that is told when the palette is another one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dressed_for = theme.current().name

    @abstractmethod
    def renew_theme(self) -> None:
        """Take over the present palette."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        kinds = QEvent.Type.PaletteChange, QEvent.Type.StyleChange
        # The attribute is missing while Qt's own constructor sends events.
        if event.type() in kinds and getattr(self, "_dressed_for", theme.current().name) != theme.current().name:
            self._dressed_for = theme.current().name
            self.renew_theme()
