"""The time bar under the viewport: what is recorded, where one looks, and what happened when."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QToolTip, QWidget

from snakestudio.gui import theme
from snakestudio.gui.banner import label_of
from snakestudio.gui.bridge import SessionBridge
from snakestudio.gui.document import Document
from snakestudio.gui.run_bar import CONVERGED
from snakestudio.model.events import Change
from snakestudio.model.recording import Recording

__all__ = ["TimeBar", "Track"]

_MARGIN = 12
_OWN_KEYS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End)
_NEAR = 5
"""A mark is pointed at within this many pixels."""


class Track(QWidget):
    """The bar itself: drag or click to look at a moment, arrow keys go row by row.

    Signals
    -------
    refreshed()
        The bar shows something else; this is no more often than one can read.
    """

    refreshed = Signal()

    def __init__(self, bridge: SessionBridge, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge, self._document = bridge, document
        self._bad: list[tuple[float, float]] = []
        self._scanned = 0
        self._hover: float | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Time")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(50)
        self._timer.timeout.connect(self._refresh)
        bridge.frame.connect(self._soon)
        bridge.status_changed.connect(self._soon)
        bridge.cursor_changed.connect(self._soon)
        bridge.recording_changed.connect(self._forget)
        document.scene_changed.connect(self._soon)

    # --- time and place -------------------------------------------------------------------------------------------

    @property
    def end(self) -> float:
        """Time at the right end, s."""
        return max(self._document.scene.run.duration_s, self.recorded)

    @property
    def recorded(self) -> float:
        """Time up to which there are rows, s."""
        recording = self._bridge.recording
        return float(recording.times[-1]) if recording is not None and len(recording) else 0.0

    @property
    def shown(self) -> float:
        """Time that is looked at, s."""
        snapshot = self._bridge.displayed
        return snapshot.time if snapshot is not None else 0.0

    @property
    def unsolved(self) -> list[tuple[float, float]]:
        """Times (s) and residuals of the rows whose residual is above 1e-8."""
        return self._bad

    def x_of(self, time: float) -> float:
        """Where a time (s) stands, px."""
        return _MARGIN + (self.width() - 2 * _MARGIN) * min(max(time / self.end, 0.0), 1.0)

    def time_at(self, x: float) -> float:
        """The time (s) that stands at x, px."""
        return self.end * min(max((x - _MARGIN) / max(1, self.width() - 2 * _MARGIN), 0.0), 1.0)

    def go_to(self, time: float) -> None:
        """Look at the row nearest to `time` (s); at the end of what is recorded, at the newest state."""
        recording = self._bridge.recording
        if recording is None or not len(recording):
            return
        index = recording.index_at(time)
        newest = time >= self.recorded or (index >= len(recording) - 1 and self._bridge.status.state != "running")
        self._bridge.set_cursor(None if newest else index)

    def shift(self, rows: int) -> None:
        """Look that many rows further on (or back); past the last row, at the newest state."""
        recording = self._bridge.recording
        if recording is None or not len(recording):
            return
        cursor = self._bridge.cursor
        index = max(0, (len(recording) - 1 if cursor is None else cursor) + rows)
        self._bridge.set_cursor(None if index >= len(recording) - 1 else index)

    # --- what happened --------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._bad, self._scanned = [], 0
        self._soon()

    def _soon(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _refresh(self) -> None:
        recording = self._bridge.recording
        if recording is not None:
            self._scan(recording)
        self.update()
        self.refreshed.emit()

    def _scan(self, recording: Recording) -> None:
        """Find the rows among the new ones that were not solved well enough."""
        stop = min(len(recording), self._scanned + 2000)
        if stop <= self._scanned:
            return
        rows = recording.rows(self._scanned, stop)
        self._scanned = stop
        for index in np.flatnonzero(rows.solver_residual > CONVERGED)[:200]:
            self._bad.append((float(rows.time[index]), float(rows.solver_residual[index])))
        del self._bad[:-1000]
        if stop < len(recording):
            self._soon()

    def _changes(self) -> tuple[Change, ...]:
        recording = self._bridge.recording
        return recording.changes if recording is not None else ()

    # --- Qt's events ----------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(400, 36)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint(painter)
        finally:
            painter.end()

    def _paint(self, painter: QPainter) -> None:
        middle = self.height() / 2
        left, right = self.x_of(0.0), self.x_of(self.end)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("line"))
        painter.drawRoundedRect(QRectF(left, middle - 2, right - left, 4), 2, 2)
        recorded, shown = self.x_of(self.recorded), self.x_of(self.shown)
        faint = theme.colour("accent")
        faint.setAlphaF(0.4)
        painter.setBrush(faint)
        painter.drawRoundedRect(QRectF(left, middle - 2, max(recorded, shown) - left, 4), 2, 2)
        painter.setBrush(theme.colour("accent"))
        painter.drawRoundedRect(QRectF(left, middle - 2, shown - left, 4), 2, 2)
        painter.setPen(QPen(theme.colour("warning"), 2))
        last = -10.0
        for time, _ in self._bad:
            x = self.x_of(time)
            if x - last >= 2:
                painter.drawLine(QPointF(x, middle + 5), QPointF(x, middle + 10))
                last = x
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("text"))
        for change in self._changes():
            x = self.x_of(change.time)
            painter.drawPolygon(
                QPolygonF([QPointF(x, middle - 5), QPointF(x - 3.5, middle - 11), QPointF(x + 3.5, middle - 11)])
            )
        if self._hover is not None and self._hover <= self.recorded:
            painter.setPen(QPen(theme.colour("dim"), 1))
            x = self.x_of(self._hover)
            painter.drawLine(QPointF(x, middle - 8), QPointF(x, middle + 8))
        ring = theme.colour("accent") if self.hasFocus() else theme.colour("panel")
        painter.setPen(QPen(ring, 2))
        painter.setBrush(theme.colour("text"))
        painter.drawEllipse(QPointF(shown, middle), 7, 7)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.go_to(self.time_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        time = self.time_at(event.position().x())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.go_to(time)
        if time != self._hover:
            self._hover = time
            self.update()
        self._explain(event)

    def _explain(self, event: QMouseEvent) -> None:
        """Say what is under the cursor."""
        x = event.position().x()
        lines = [f"{self.time_at(x):.3f} s"]
        scene = self._document.scene
        for change in self._changes():
            if abs(self.x_of(change.time) - x) <= _NEAR:
                named = ", ".join(f"{label_of(scene, key)} {_short(value)}" for key, value in change.values.items())
                lines.append(f"{change.time:.3f} s: {named}")
        near = [(residual, time) for time, residual in self._bad if abs(self.x_of(time) - x) <= _NEAR]
        if near:
            residual, time = max(near)
            lines.append(f"{time:.3f} s: residual {residual:.1e}, above 1e-8")
        QToolTip.showText(event.globalPosition().toPoint(), "\n".join(lines[:8]), self)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = None
        self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _OWN_KEYS:
            # These keys mean something else in the viewport.
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        recording = self._bridge.recording
        rate = recording.scene.run.log_rate_hz if recording is not None else 1.0
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_PageDown: round(rate),
            Qt.Key.Key_PageUp: -round(rate),
        }
        key = Qt.Key(event.key())
        if key in steps:
            self.shift(steps[key])
        elif key == Qt.Key.Key_Home:
            self.go_to(0.0)
        elif key == Qt.Key.Key_End:
            self._bridge.set_cursor(None)
        else:
            super().keyPressEvent(event)


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else "changed"


class TimeBar(QWidget):
    """The track, the time in figures, and the way back to the newest state."""

    def __init__(self, bridge: SessionBridge, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 12, 0)
        row.setSpacing(8)
        self.track = Track(bridge, document, self)
        self.figures = _Times(self.track, self)
        self.live = QToolButton(self)
        self.live.setText("Live")
        self.live.setToolTip("Return to the newest state (End)")
        self.live.setAccessibleName("Return to the newest state")
        self.live.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.live.setFixedHeight(theme.scaled(28))
        self.live.clicked.connect(lambda: bridge.set_cursor(None))
        row.addWidget(self.track, 1)
        row.addWidget(self.figures)
        row.addWidget(self.live)
        bridge.cursor_changed.connect(self._on_cursor)
        self.track.refreshed.connect(self.figures.update)
        self.renew_theme()
        self._on_cursor()

    def renew_theme(self) -> None:
        """The palette is another one."""
        self.live.setIcon(theme.icon("live"))

    def _on_cursor(self) -> None:
        self.live.setEnabled(not self._bridge.live)
        self.figures.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.setFixedHeight(theme.scaled(44))


class _Times(QWidget):
    """Shown time and whole time in figures."""

    def __init__(self, track: Track, parent: QWidget) -> None:
        super().__init__(parent)
        self._track = track
        self._font = theme.value_font(13)
        self.setFixedSize(theme.scaled(148), theme.scaled(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setFont(self._font)
            painter.setPen(theme.colour("text"))
            text = f"{self._track.shown:.3f} / {self._track.end:.3f} s"
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        finally:
            painter.end()
