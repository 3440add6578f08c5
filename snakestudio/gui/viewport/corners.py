"""Overlays in the corners of the viewport: view buttons, a line of hints, and the focus frame."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from snakestudio.drawing.camera import STANDARD_VIEWS, Camera
from snakestudio.drawing.overlays import Pick
from snakestudio.gui.core import theme
from snakestudio.gui.viewport.gestures import Action, hint_of
from snakestudio.gui.viewport.navigation import Navigator
from snakestudio.gui.viewport.overlay_button import OverlayButton
from snakestudio.model.labels import obstacle_title
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.scene.items import Item
from snakestudio.viewmodel.scene.scene_texts import place_and_size

_VIEWS = {
    "top": ("Top", "View from above (7)"),
    "front": ("Front", "View from the front (1)"),
    "right": ("Right", "View from the right (3)"),
}

_PADDING = 18
"""Horizontal padding of the style sheet, left and right together, px."""


def idle_hint(*, flat: bool) -> str:
    """Hint over free ground; a flat view cannot be rotated."""
    zoom = hint_of(Action.ZOOM, "zoom")
    begin = [hint_of(Action.ORBIT, "orbit"), hint_of(Action.PAN, "pan"), zoom]
    if flat:
        begin = [hint_of(Action.ORBIT, "pan"), zoom, hint_of(Action.SELECT, "select")]
    end = hint_of(Action.SELECT_BOX, "box select"), hint_of(Action.PULL, "pull")
    return " · ".join([*begin, *end])


class ViewButtons(QWidget):
    """Row of small buttons that show the current view.

    Signals
    -------
    projection_changed()
        The projection changed between perspective and parallel.
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
            self._add(name, text, tip).clicked.connect(
                lambda _=False, view=name: navigator.view(view)
            )
        self._add("perspective", "Persp", "Perspective or parallel projection (5)").clicked.connect(
            navigator.toggle_projection
        )
        self._add(
            "follow", "Follow", "Keep the robot in the centre of the view (C)"
        ).clicked.connect(lambda: navigator.set_following(not navigator.following))
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
        """Restrict the buttons to the view from above."""
        for name in ("front", "right", "perspective"):
            self._buttons[name].hide()


def _is_view(camera: Camera, name: str) -> bool:
    azimuth, elevation, orthographic = STANDARD_VIEWS[name]
    return (
        camera.orthographic == orthographic
        and abs(math.remainder(camera.azimuth - math.radians(azimuth), math.tau)) < 1e-6
        and abs(camera.elevation - math.radians(elevation)) < 1e-6
    )


class _Pill(OverlayButton):
    """Button with a label."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(text)
        font = self.font()
        font.setPixelSize(theme.scaled(12))
        self.setFont(font)
        self.setFixedSize(
            max(48, self.fontMetrics().horizontalAdvance(text) + 20), theme.scaled(26)
        )

    def _paint_face(self, painter: QPainter, role: str) -> None:
        painter.setPen(theme.colour(role))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class Hint(QLabel):
    """Dim line of text with its own background, because the image below varies; it ignores the mouse."""

    def __init__(self, parent: QWidget) -> None:
        self._idle = self._full_text = idle_hint(flat=False)
        super().__init__(self._idle, parent)
        self.setProperty("role", "hint")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._area = QRect()

    def set_flat(self) -> None:
        """Adapt the hint to a view that cannot be rotated."""
        self._idle = idle_hint(flat=True)
        self._show_text(self._idle)

    def place(self, area: QRect) -> None:
        """Move to the lower right corner of `area`."""
        self._area = area
        self._show_text(self._full_text)

    def show_item(
        self, item: Item | None, scene: Scene, selected: bool, locked: Pick | None = None
    ) -> None:
        """Show a hint about the object under the cursor, also if it is locked and cannot be selected."""
        if item is None and locked is not None and locked.index < len(scene.obstacles):
            name = obstacle_title(scene.obstacles[locked.index], locked.index)
            self._show_text(f"{name} · locked: select or unlock it in the scene tree")
        elif item is None:
            self._show_text(self._idle)
        elif item[0] == "link":
            self._show_text(scene.body.part_title(item[1]))
        elif item[1] < len(scene.obstacles):
            o = scene.obstacles[item[1]]
            name = obstacle_title(o, item[1])
            group = (
                f" · group {o.group} · {hint_of(Action.SELECT_ONE, 'select it alone')}"
                if o.group and not selected
                else ""
            )
            what = (
                "locked: unlock it in the scene tree to move it"
                if o.locked
                else f"{hint_of(Action.MOVE_OBSTACLE, 'move')} · G R S: move, rotate, scale"
            )
            if not selected:
                move = hint_of(Action.MOVE_OBSTACLE, "move", "obstacle")
                what = f"{hint_of(Action.SELECT, 'select')} · {move}{group}"
            self._show_text(f"{name} · {place_and_size(o)} · {what}")

    def show_tool(self, text: str) -> None:
        """Show what the mouse does with a tool."""
        self._show_text(text)

    def _show_text(self, text: str) -> None:
        self._full_text = text
        elided = self.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideRight, max(0, self._area.width() - _PADDING)
        )
        if elided != self.text():
            self.setText(elided)
        self.adjustSize()
        self.move(self._area.right() - self.width(), self._area.bottom() - self.height() + 4)


_BY_KEY = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class FocusFrame(QWidget):
    """Frame over the focused widget `watched`, its parent; it ignores the mouse."""

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
