"""The line at the bottom: what the session does, contacts, solver, and how fast the picture is."""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import QPointF, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QStatusBar, QWidget

from snakestudio.gui import theme
from snakestudio.gui.bridge import SessionBridge
from snakestudio.gui.document import Document
from snakestudio.model.snapshot import Fields

__all__ = ["StatusBar"]

_STATES = {
    "empty": ("no scene", "dim"),
    "preparing": ("compiling", "accent"),
    "ready": ("ready", "accent"),
    "running": ("running", "good"),
    "paused": ("paused", "accent"),
    "finished": ("finished", "accent"),
    "blocked": ("cannot run", "warning"),
    "failed": ("stopped", "warning"),
}


class StatusBar(QStatusBar):
    """State of the session on the left, frames a second on the right."""

    def __init__(self, bridge: SessionBridge, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge, self._document = bridge, document
        self._frames: deque[float] = deque(maxlen=600)
        self.setSizeGripEnabled(False)
        self.left = _Line(Qt.AlignmentFlag.AlignLeft, self)
        self.right = _Line(Qt.AlignmentFlag.AlignRight, self)
        self.addWidget(self.left, 3)
        self.addPermanentWidget(self.right, 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(150)
        self._timer.timeout.connect(self._refresh)
        bridge.frame.connect(self._soon)
        bridge.status_changed.connect(self._soon)
        self._refresh()

    @property
    def fps(self) -> float:
        """Frames drawn during the last second."""
        now = time.perf_counter()
        while self._frames and now - self._frames[0] > 1.0:
            self._frames.popleft()
        return float(len(self._frames))

    def count_frame(self) -> None:
        """A frame was drawn."""
        self._frames.append(time.perf_counter())

    def _soon(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _refresh(self) -> None:
        state = self._bridge.status.state
        text, role = _STATES[state]
        parts = []
        snapshot = self._bridge.displayed
        if snapshot is not None:
            if Fields.CONTACTS in snapshot.valid:
                parts.append(f"{len(snapshot.contacts)} contacts closed")
            if Fields.SOLVER in snapshot.valid:
                steps = round(snapshot.time / self._document.scene.solver.step_s)
                parts.append(f"{snapshot.solver.unconverged} unconverged of {steps:,} steps".replace(",", " "))
        if not self._bridge.live:
            parts.append("looking back: End returns to the newest state")
        self.left.say(" · ".join(parts), text, role)
        self.right.say(f"{self.fps:.0f} fps" if state == "running" else "")
        if state == "running":
            self._soon()


class _Line(QWidget):
    """A line of text after a coloured dot: painted here, so that a change never asks for a new layout."""

    def __init__(self, side: Qt.AlignmentFlag, parent: QWidget) -> None:
        super().__init__(parent)
        self._side = side
        self._text, self._state, self._role = "", "", "dim"

    @property
    def text(self) -> str:
        """Everything it says."""
        return " ".join(part for part in (self._state, self._text) if part)

    def say(self, text: str, state: str = "", role: str = "dim") -> None:
        """Show a text, after a state with a dot in a colour of the palette."""
        if (text, state, role) != (self._text, self._state, self._role):
            self._text, self._state, self._role = text, state, role
            self.setAccessibleName(self.text)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, 28)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            area = QRect(14, 0, self.width() - 28, self.height())
            if self._state:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour(self._role))
                painter.drawEllipse(QPointF(area.left() + 4, area.height() / 2), 4, 4)
                painter.setPen(theme.colour(self._role))
                font = painter.font()
                font.setBold(True)
                painter.setFont(font)
                area.setLeft(area.left() + 16)
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | self._side, self._state)
                area.setLeft(area.left() + painter.fontMetrics().horizontalAdvance(self._state) + 20)
                font.setBold(False)
                painter.setFont(font)
            painter.setPen(theme.colour("dim"))
            text = painter.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | self._side, text)
        finally:
            painter.end()
