"""The buttons over the upper right corner of the viewport: standard views, projection and following."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from snakestudio.drawing.camera import STANDARD_VIEWS, Camera
from snakestudio.gui.core import theme
from snakestudio.gui.viewport.navigation import Navigator

__all__ = ["ViewButtons"]

_VIEWS = {
    "top": ("Top", "View from above (7)"),
    "front": ("Front", "View from the front (1)"),
    "right": ("Right", "View from the right (3)"),
}


class ViewButtons(QWidget):
    """A row of small buttons that show which view is on.

    Signals
    -------
    projection_changed()
        Perspective instead of parallel, or the other way round.
    """

    projection_changed = Signal()

    def __init__(self, navigator: Navigator, parent: QWidget) -> None:
        super().__init__(parent)
        self._navigator = navigator
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self._buttons: dict[str, QToolButton] = {}
        for name, (text, tip) in _VIEWS.items():
            self._add(name, text, tip).clicked.connect(lambda _=False, view=name: navigator.view(view))
        self._add("perspective", "Persp", "Perspective or parallel projection (5)").clicked.connect(
            navigator.toggle_projection
        )
        self._add("follow", "Follow", "Keep the robot in the middle of the picture (C)").clicked.connect(
            lambda: navigator.set_following(not navigator.following)
        )
        navigator.changed.connect(self._show_state)
        navigator.following_changed.connect(self._show_state)
        self._show_state()

    def _add(self, name: str, text: str, tip: str) -> QToolButton:
        button = _Pill(text, self)
        button.setToolTip(tip)
        self._row.addWidget(button)
        self._buttons[name] = button
        return button

    def _show_state(self) -> None:
        camera = self._navigator.camera
        for name in _VIEWS:
            self._set(name, _is_view(camera, name))
        if self._buttons["perspective"].isChecked() == camera.orthographic:
            self._set("perspective", not camera.orthographic)
            self.projection_changed.emit()
        self._set("follow", self._navigator.following)

    def _set(self, name: str, on: bool) -> None:
        if self._buttons[name].isChecked() != on:
            self._buttons[name].setChecked(on)

    def set_flat(self) -> None:
        """There is only the view from above."""
        for name in ("front", "right", "perspective"):
            self._buttons[name].hide()

    def renew_theme(self) -> None:
        """The palette is another one."""
        for button in self._buttons.values():
            button.update()


def _is_view(camera: Camera, name: str) -> bool:
    azimuth, elevation, orthographic = STANDARD_VIEWS[name]
    return (
        camera.orthographic == orthographic
        and abs(math.remainder(camera.azimuth - math.radians(azimuth), math.tau)) < 1e-6
        and abs(camera.elevation - math.radians(elevation)) < 1e-6
    )


class _Pill(QToolButton):
    """A flat button over a picture: painted here, as a style sheet would give it a border of the window's."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        font = self.font()
        font.setPixelSize(theme.scaled(12))
        self.setFont(font)
        self.setFixedSize(max(48, self.fontMetrics().horizontalAdvance(text) + 20), theme.scaled(26))

    def nextCheckState(self) -> None:
        # The camera says what is on, not the click.
        return

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            still = "ground" if theme.current() is theme.DARK else "card"
            ground = theme.colour("raised" if self.underMouse() else still)
            ground.setAlpha(225)
            painter.setPen(theme.colour("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 6, 6)
            painter.setPen(theme.colour("accent" if self.isChecked() else "text"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        finally:
            painter.end()
