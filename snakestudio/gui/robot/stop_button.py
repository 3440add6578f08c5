"""The one red button of the window: it stops the robot when it is pressed, not when it is let go."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import Themed

__all__ = ["ModalStop", "StopButton"]

_TIP = "Stop the robot at once (Space, from anywhere)"


class StopButton(QPushButton):
    """Red and large; `StopGuard` hears the press before the button does."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("STOP ROBOT", parent)
        self.setObjectName("stop_robot")
        self.setToolTip(_TIP)
        self.setAccessibleName("Stop the robot")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the space bar stops anyway; the keyboard stays where it is
        self.setFixedSize(theme.scaled(132), theme.scaled(36))
        self.dress()

    def dress(self) -> None:
        """Take over the present palette."""
        p = theme.current()
        fill = theme.mixed(p.danger, "#000000", 0.14)
        self.setStyleSheet(
            f"QPushButton {{ background: {fill}; color: #ffffff; border: 2px solid {p.danger}; border-radius: 7px;"
            f" font-weight: 700; padding: 0; }}"
            f"QPushButton:hover {{ background: {p.danger}; }}"
            f"QPushButton:pressed {{ background: {theme.mixed(p.danger, '#000000', 0.4)}; }}"
        )

    @property
    def place(self) -> QRect:
        """Where it is on the screen; empty if it is not seen."""
        return QRect(self.mapToGlobal(QPoint()), self.size()) if self.isVisible() else QRect()

    def lies_under(self, point: QPoint) -> bool:
        """Whether a point of the screen is on it, and the user sees it there."""
        return self.isVisible() and not self.window().isMinimized() and self.place.contains(point)


class ModalStop(Themed):
    """The same button over itself, while a dialog keeps the mouse from the window.

    It is a window of the dialog's own, so the dialog does not block it.

    Parameters
    ----------
    button : StopButton
        The one it lies over.
    """

    def __init__(self, button: StopButton, dialog: QWidget) -> None:
        super().__init__(dialog)
        self.setWindowFlags(
            Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowDoesNotAcceptFocus
        )
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self.button = StopButton(self)
        self._over = button
        self.setFixedSize(button.size())
        self.follow()

    def follow(self) -> None:
        """Stand where the button of the window stands."""
        place = self._over.place
        self.move(place.topLeft())
        self.setVisible(not place.isEmpty())

    def renew_theme(self) -> None:
        self.button.dress()

    @staticmethod
    def needed() -> QWidget | None:
        """The dialog that blocks the window; None if none does."""
        return QApplication.activeModalWidget()
