"""Flat button over the viewport, painted here because a style sheet would add the window's border."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from snakestudio.gui.core.painting import paint_plate


class OverlayButton(QToolButton):
    """Button that shows whether something is on; a subclass paints its face."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def nextCheckState(self) -> None:
        # A click changes something else, which then sets the state of the button.
        return

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            plate = self.rect().adjusted(0, 0, -1, -1)
            paint_plate(painter, plate, raised=self.underMouse(), focused=self.hasFocus())
            self._paint_face(painter, "accent" if self.isChecked() else "text")

    def _paint_face(self, painter: QPainter, role: str) -> None:
        """Paint the face of the button in the colour of a role."""
        raise NotImplementedError
