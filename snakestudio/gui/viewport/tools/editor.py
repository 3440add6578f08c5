"""What of the viewport edits the scene, and its buttons: what the gizmo does, selecting by a rectangle, snapping."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.viewport.tools.box_tool import BoxTool
from snakestudio.gui.viewport.tools.edit_settings import EditorOptions
from snakestudio.gui.viewport.tools.snap_popup import SnapPopup
from snakestudio.gui.viewport.tools.transform_tool import TransformTool
from snakestudio.gui.viewport.viewport_api import ViewportApi

__all__ = ["Editor", "EditorButtons"]

_SIZE, _ICON, _GAP = 30, 18, 13
_MODES = {
    "move": ("move", "Handles that move (T goes on to the next)\nG moves with the mouse"),
    "turn": ("turn", "Handles that rotate (T goes on to the next)\nR rotates with the mouse"),
    "scale": ("scale", "Handles that scale (T goes on to the next)\nS scales with the mouse"),
}


class Editor:
    """What of a viewport edits the scene.

    Parameters
    ----------
    viewport : ViewportApi
    drawing, navigating : callable
        As in `TransformTool`.

    Attributes
    ----------
    options : EditorOptions
    transforms : TransformTool
    boxes : BoxTool
    buttons : EditorButtons
    """

    def __init__(self, viewport: ViewportApi, drawing: Callable[[], bool], navigating: Callable[[], bool]) -> None:
        self._viewport = viewport
        self.options = EditorOptions(viewport.widget)
        self.transforms = TransformTool(viewport, self.options, drawing, navigating)
        self.boxes = BoxTool(viewport)
        self.buttons = EditorButtons(self.options, self.boxes.arm, viewport.widget)

    def place(self, above: QRect) -> None:
        """Stand below the view's buttons; a continuous body stands alone, there is nothing to edit around it."""
        self.buttons.adjustSize()
        self.buttons.move(above.right() + 1 - self.buttons.width(), above.bottom() + _GAP)
        self.buttons.setVisible(self._viewport.document.scene.body.meets_obstacles)


class EditorButtons(QWidget):
    """A column of icons that show what is on.

    Parameters
    ----------
    options : EditorOptions
    select_box : callable
        Begins to select by a rectangle.
    """

    def __init__(self, options: EditorOptions, select_box: Callable[[], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._options = options
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        self.buttons: dict[str, QToolButton] = {}
        for mode, (icon, tip) in _MODES.items():
            self._add(mode, icon, tip).clicked.connect(lambda _=False, mode=mode: self._choose(mode))
        column.addSpacing(8)
        self._add("box", "box-select", "Select by a rectangle (B)\nor Shift+drag on free ground").clicked.connect(
            select_box
        )
        self._add("snap", "magnet", "Snapping (Shift+Tab switches it)").clicked.connect(self.open_snapping)
        options.changed.connect(self._show_choices)
        self._show_choices()

    def _add(self, name: str, icon: str, tip: str) -> QToolButton:
        button = _Square(icon, self)
        button.setToolTip(tip)
        button.setAccessibleName(tip.split("\n")[0])
        self._column.addWidget(button)
        self.buttons[name] = button
        return button

    def _choose(self, mode: str) -> None:
        """Show the gizmo that does this; hide it if it is shown already."""
        now = self._options.now
        self._options.set(mode=mode, gizmo=not (now.gizmo and now.mode == mode))

    def open_snapping(self) -> SnapPopup:
        """Open the choices of what is snapped to."""
        popup = SnapPopup(self._options, self)
        popup.show_below(self.buttons["snap"])
        return popup

    def _show_choices(self) -> None:
        now = self._options.now
        for mode in _MODES:
            self.buttons[mode].setChecked(now.gizmo and now.mode == mode)
        self.buttons["snap"].setChecked(now.on)

    def renew_theme(self) -> None:
        """The palette is another one."""
        for button in self.buttons.values():
            button.update()


class _Square(QToolButton):
    """A flat icon over a picture, painted like the view's buttons."""

    def __init__(self, icon: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = icon
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedSize(_SIZE, _SIZE)

    def nextCheckState(self) -> None:
        # The choices say what is on, not the click.
        return

    def sizeHint(self) -> QSize:
        return QSize(_SIZE, _SIZE)

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
            icon: QIcon = theme.icon(self._icon, "accent" if self.isChecked() else "text")
            room = QRect(0, 0, _ICON, _ICON)
            room.moveCenter(self.rect().center())
            icon.paint(painter, room)
        finally:
            painter.end()
