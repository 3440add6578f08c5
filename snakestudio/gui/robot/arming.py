"""Controls for arming: reasons for not being ready, hold button, start, disarm and reset."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.link.messages import LinkState

_LISTED = 8
"""Number of reasons shown; further ones are counted."""


class Arming(ThemedWidget):
    """Controls that apply to the current state."""

    def __init__(self, robot_controller: RobotController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._robot_controller = robot_controller
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.card = QFrame(self)
        self.card.setProperty("role", "card")
        inside = QVBoxLayout(self.card)
        inside.setContentsMargins(12, 10, 12, 10)
        inside.setSpacing(6)
        self.heading = QLabel(self.card)
        self.heading.setProperty("role", "heading")
        inside.addWidget(self.heading)
        self.reasons = QLabel(self.card)
        self.reasons.setWordWrap(True)
        inside.addWidget(self.reasons)
        self.hold = HoldButton("Hold to Arm", self)
        self.stream = QPushButton("Start Streaming", self)
        theme.set_role(self.stream, "primary")
        self.stream.setToolTip(
            "Move the robot to the initial shape of the gait, then follow the gait"
        )
        self.stream.clicked.connect(robot_controller.stream)
        self.disarm = QPushButton("Disarm", self)
        self.disarm.setToolTip(
            "Switch torque off with the disarm sequence; the red button stops immediately"
        )
        self.disarm.clicked.connect(robot_controller.disarm)
        self.reset = QPushButton("Reset Fault", self)
        self.reset.setToolTip("Allow the robot to be armed again")
        self.reset.clicked.connect(robot_controller.reset)
        self.talk = QPushButton(self)
        self.talk.clicked.connect(self._on_talk)
        column.addWidget(self.hold)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.stream, self.disarm, self.reset, self.talk):
            button.setMinimumHeight(theme.scaled(34))
            row.addWidget(button, 1)
        column.addLayout(row)
        # below the buttons, so that changing reasons do not move a button away from the mouse
        column.addWidget(self.card)
        robot_controller.changed.connect(self.refresh)
        self.refresh()

    def apply_theme(self) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Show the controls that apply now."""
        robot_controller = self._robot_controller
        state = robot_controller.state
        status = robot_controller.status
        waits = state in (LinkState.LISTENING, LinkState.IDLE)
        reasons = robot_controller.not_ready if waits else ()
        self.card.setVisible(waits)
        if reasons:
            self.heading.setText("Not ready because")
            more = [f"and {len(reasons) - _LISTED} more"] if len(reasons) > _LISTED else []
            self.reasons.setText(
                "\n".join(f"•  {reason}" for reason in (*reasons[:_LISTED], *more))
            )
        else:
            self.heading.setText("Ready to arm")
            self.reasons.setText(
                "Arming switches torque on, and the joints hold their position. "
                "Keep clear of the robot and keep Stop within reach."
            )
        theme.set_role(self.heading, "warning" if reasons else "good")
        self.hold.setVisible(waits)
        self.hold.setEnabled(waits and not reasons)
        self.hold.does(None if robot_controller.live is None else robot_controller.live.arm)
        self.hold.update()
        self.stream.setVisible(state is LinkState.ARMED)
        self.stream.setEnabled(status.armed)
        self.disarm.setVisible(state in (LinkState.ARMED, LinkState.STREAMING))
        self.reset.setVisible(state is LinkState.FAULT)
        replay = robot_controller.telemetry is not None and robot_controller.telemetry.replay
        self.talk.setVisible(waits and not replay)
        listening = state is LinkState.LISTENING
        self.talk.setText("Enable Transmission" if listening else "Listen Only")
        self.talk.setToolTip(
            "Send requests and heartbeats; torque stays off" if listening else "Transmit nothing"
        )

    def _on_talk(self) -> None:
        if self._robot_controller.link is not None:
            self._robot_controller.link.command(
                "idle" if self._robot_controller.state is LinkState.LISTENING else "listen"
            )


HOLD_MS = 1000
"""Time that the button must be held, ms."""

_FRAME_MS = 16
_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class HoldButton(QWidget):
    """Button that acts after being held with the mouse or Enter; the action is called from its own event."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._act: Callable[[], object] | None = None
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_FRAME_MS)
        self._timer.timeout.connect(self._on_time)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)
        self.setToolTip(
            "Hold for one second with the mouse or Enter; releasing earlier does nothing"
        )

    def does(self, act: Callable[[], object] | None) -> None:
        """Set the action called after the full time; None for no action."""
        self._act = act

    @property
    def held_fraction(self) -> float:
        """Elapsed share of the hold time, 0 to 1."""
        return min(1.0, self._clock.elapsed() / HOLD_MS) if self._timer.isActive() else 0.0

    def _begin(self) -> None:
        if self.isEnabled() and not self._timer.isActive():
            self._clock.start()
            self._timer.start()
            self.update()

    def abort(self) -> None:
        """Abort holding."""
        if self._timer.isActive():
            self._timer.stop()
            self.update()

    def _on_time(self) -> None:
        if not self.isEnabled():
            self.abort()
        elif self.held_fraction >= 1.0:
            self._timer.stop()
            if self._act is not None:
                self._act()
        self.update()

    # --- Qt's events ------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(160), theme.scaled(40))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._begin()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.abort()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self.rect().contains(event.position().toPoint()):
            self.abort()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _KEYS:
            if not event.isAutoRepeat():
                self._begin()
            event.accept()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() in _KEYS and not event.isAutoRepeat():
            self.abort()
        else:
            super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.abort()
        super().focusOutEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self.abort()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            p, on = theme.current(), self.isEnabled()
            area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            edge = p.text if self.hasFocus() else p.danger if on else p.line
            painter.setPen(QPen(QColor(edge), 1.5))
            painter.setBrush(theme.colour("card" if on else "panel"))
            painter.drawRoundedRect(area, 7, 7)
            size = theme.scaled(20)
            font = theme.text_font(14, strong=True)
            painter.setFont(font)
            width = painter.fontMetrics().horizontalAdvance(self._text)
            left = (self.width() - size - 10 - width) / 2
            ring = QRectF(left, (self.height() - size) / 2, size, size)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("line"), 3))
            painter.drawEllipse(ring)
            if self.held_fraction:
                painter.setPen(
                    QPen(theme.colour("danger"), 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
                )
                painter.drawArc(ring, 90 * 16, round(-360 * 16 * self.held_fraction))
            elif on:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour("danger"))
                painter.drawEllipse(QPointF(ring.center()), 3.5, 3.5)
            painter.setPen(theme.colour("text" if on else "dim"))
            text = QRectF(ring.right() + 10, 0, self.width(), self.height())
            painter.drawText(
                text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._text
            )
        finally:
            painter.end()
