"""Editing in the viewport: buttons for gizmo, box selection and snapping, and their tools."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.drawing.overlays import Overlays
from snakestudio.gui.core import theme
from snakestudio.gui.core.settings import EditorOptions
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.viewport.gestures import (
    Action,
    HeldButton,
    action_for,
    hint_of,
    is_held,
    trigger_of,
)
from snakestudio.gui.viewport.overlay_button import OverlayButton
from snakestudio.gui.viewport.tools.transform_tool import TransformTool
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.fields import FieldDoc

_SIZE = 30
_ICON = 18
_GAP = 13
_MODES = {
    "move": ("move", "Move gizmo (T: next)\nG: move with the mouse"),
    "turn": ("turn", "Rotate gizmo (T: next)\nR: rotate with the mouse"),
    "scale": ("scale", "Scale gizmo (T: next)\nS: scale with the mouse"),
}

_SELECT_BOX = frozenset({Action.SELECT_BOX})


class ViewportEditor:
    """Editing part of a viewport.

    Parameters
    ----------
    drawing, navigating : callable
        As in `TransformTool`.
    """

    def __init__(
        self, viewport: ViewportApi, drawing: Callable[[], bool], navigating: Callable[[], bool]
    ) -> None:
        self._viewport = viewport
        self.options = EditorOptions(viewport.widget)
        self.transforms = TransformTool(viewport, self.options, drawing, navigating)
        self.box_tool = BoxTool(viewport)
        self.buttons = EditorButtons(self.options, self.box_tool.arm, viewport.widget)

    def place(self, above: QRect) -> None:
        """Move below the view's buttons; hidden for a continuous body, which has no surroundings to edit."""
        self.buttons.adjustSize()
        self.buttons.move(above.right() + 1 - self.buttons.width(), above.bottom() + _GAP)
        self.buttons.setVisible(self._viewport.document.scene.body.meets_obstacles)


class EditorButtons(QWidget):
    """Column of icon buttons that show what is on.

    Parameters
    ----------
    select_box : callable
        Starts a box selection.
    """

    def __init__(
        self, options: EditorOptions, select_box: Callable[[], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._options = options
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        self.buttons: dict[str, QToolButton] = {}
        for mode, (icon, tip) in _MODES.items():
            self._add(mode, icon, tip).clicked.connect(
                lambda _=False, mode=mode: self._choose(mode)
            )
        column.addSpacing(8)
        self._add(
            "box", "box-select", "Box select (B)\nor Shift+drag on free ground"
        ).clicked.connect(select_box)
        self._add("snap", "magnet", "Snapping on/off (Shift+Tab)").clicked.connect(
            self.open_snapping
        )
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
        """Show the gizmo of this mode, or hide it if it is shown."""
        now = self._options.now
        self._options.set(mode=mode, gizmo=not (now.gizmo and now.mode == mode))

    def open_snapping(self) -> SnapPopup:
        """Open the snapping options."""
        popup = SnapPopup(self._options, self)
        popup.show_below(self.buttons["snap"])
        return popup

    def _show_choices(self) -> None:
        now = self._options.now
        for mode in _MODES:
            self.buttons[mode].setChecked(now.gizmo and now.mode == mode)
        self.buttons["snap"].setChecked(now.on)


class _Square(OverlayButton):
    """Button with an icon."""

    def __init__(self, icon: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = icon
        self.setFixedSize(_SIZE, _SIZE)

    def sizeHint(self) -> QSize:
        return QSize(_SIZE, _SIZE)

    def _paint_face(self, painter: QPainter, role: str) -> None:
        area = QRect(0, 0, _ICON, _ICON)
        area.moveCenter(self.rect().center())
        theme.icon(self._icon, role).paint(painter, area)


_SLACK = 4
"""Maximum movement of a click, pixels."""


class Band(QWidget):
    """Translucent rectangle over the view."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setPen(theme.colour("accent"))
            fill = theme.colour("accent")
            fill.setAlpha(38)
            painter.setBrush(fill)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        finally:
            painter.end()


class BoxTool(QObject):
    """Draws a rectangle and selects the obstacles and links whose centre is in it; Ctrl adds them.

    Signals
    -------
    changed()
        A rectangle is drawn or awaited, or no longer.
    """

    changed = Signal()

    def __init__(self, viewport: ViewportApi) -> None:
        super().__init__(viewport.widget)
        self._viewport = viewport
        self.band = Band(viewport.widget)
        self.armed = False
        """Whether the next drag draws a rectangle regardless of its start."""
        self._start: QPointF | None = None
        self._button = HeldButton()

    def arm(self) -> None:
        """Make the next drag draw a rectangle."""
        self.armed = True
        self._viewport.widget.setCursor(Qt.CursorShape.CrossCursor)
        self._viewport.widget.setFocus()
        self.changed.emit()

    @property
    def hint(self) -> str:
        """Hint on what the mouse would do."""
        if not self.armed and self._start is None:
            return ""
        drag = f"{trigger_of(Action.SELECT_BOX, 'box')} a rectangle around the selection"
        return f"{drag} · {hint_of(Action.KEEP_SELECTION, 'add')} · Esc: cancel"

    def add_overlays(self, overlays: Overlays) -> Overlays:
        """Add nothing: the rectangle is a widget over the view."""
        return overlays

    def press(self, event: QMouseEvent) -> bool:
        """Handle a press."""
        if self._start is not None:
            return True
        if action_for(event, "drag", "box" if self.armed else "free ground", _SELECT_BOX) is None:
            return self.cancel()
        if not self.armed and self._viewport.item_at(event.position())[1] is not None:
            return False
        self._button.hold(event)
        self._start = event.position()
        self.changed.emit()
        return True

    def double_click(self, event: QMouseEvent) -> bool:
        """Handle a double-click like a click."""
        return self.press(event)

    def move(self, event: QMouseEvent) -> bool:
        """Handle a movement."""
        if self._start is None:
            return self.armed
        rectangle = QRectF(self._start, event.position()).normalized()
        self.band.setGeometry(rectangle.toAlignedRect().intersected(self._viewport.widget.rect()))
        if rectangle.width() + rectangle.height() >= _SLACK:
            self.band.show()
            self.band.raise_()
        return True

    def release(self, event: QMouseEvent) -> bool:
        """Handle a release."""
        if self._start is None:
            return False
        if not self._button.is_released_by(event):
            return True
        away = event.position() - self._start
        add = is_held(Action.KEEP_SELECTION, event.modifiers())
        selection = self._viewport.selection
        items = set()
        if add:
            items = set(selection.items)
        if abs(away.x()) + abs(away.y()) >= _SLACK:
            items |= self._viewport.items_in(self._start, event.position())
        self._stop()
        selection.set(items)
        return True

    def key(self, event: QKeyEvent) -> bool:
        """Handle a key."""
        return event.key() == Qt.Key.Key_Escape and self.cancel()

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key that is a shortcut of the window is meant for the tool now."""
        return False

    def cancel(self) -> bool:
        """Cancel the rectangle; return False if there was none."""
        if not self.armed and self._start is None:
            return False
        self._stop()
        return True

    def leave(self) -> None:
        """Handle the cursor leaving the viewport."""

    def _stop(self) -> None:
        self.armed = False
        self._start = None
        self.band.hide()
        self.band.setGeometry(QRect())
        self._viewport.widget.unsetCursor()
        self.changed.emit()


def _step(label: str, unit: str, help: str, slider: tuple[float, float], most: float) -> FieldDoc:
    return FieldDoc(label, unit, help, "", slider, False, 0.0, most, True, None)


_STEPS = (
    (
        "grid",
        "grid_m",
        "Grid",
        _step("Grid", "m", "Positions snap to multiples of this", (0.01, 0.5), 100.0),
    ),
    (
        "angles",
        "angle_deg",
        "Angle",
        _step("Angle", "°", "Rotations snap to multiples of this", (1.0, 90.0), 180.0),
    ),
    (
        "factors",
        "factor",
        "Factor",
        _step("Factor", "×", "Factors snap to multiples of this", (0.05, 1.0), 10.0),
    ),
)


class SnapPopup(QFrame):
    """Popup with a switch and three steps; closes with a click elsewhere."""

    def __init__(self, options: EditorOptions, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._options = options
        self.fields: dict[str, NumberField] = {}
        self.boxes: dict[str, QCheckBox] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(14, 12, 14, 12)
        grid.setVerticalSpacing(8)
        grid.addWidget(
            self._box("on", "Snap (Shift+Tab)", "Hold Ctrl while dragging to invert"), 0, 0, 1, 3
        )
        self.message = Message(self)
        for row, (switch, name, title, doc) in enumerate(_STEPS, start=1):
            grid.addWidget(self._box(switch, title, doc.help), row, 0)
            grid.addWidget(self._field(name, doc), row, 1)
            unit = QLabel(doc.unit, self)
            unit.setProperty("role", "unit")
            grid.addWidget(unit, row, 2)
        grid.addWidget(
            self._box("objects", "Edges and centres", "Of the surrounding obstacles"), 4, 0, 1, 3
        )
        grid.addWidget(self.message, 5, 0, 1, 3)
        options.changed.connect(self._show_choices)
        self._show_choices()

    def _box(self, name: str, title: str, tip: str) -> QCheckBox:
        box = QCheckBox(title, self)
        box.setToolTip(tip)
        box.toggled.connect(lambda on: self._options.set(**{name: on}))
        self.boxes[name] = box
        return box

    def _field(self, name: str, doc: FieldDoc) -> NumberField:
        field = NumberField(doc, parent=self)
        field.setToolTip(doc.help)
        field.set_usual_width(84)
        field.committed.connect(self._setter_of(name))
        field.problem_changed.connect(self._show_problem)
        self.fields[name] = field
        return field

    def _show_problem(self, sentence: str) -> None:
        """Show the problem of a step, with space for it."""
        self.message.show_text(sentence)
        self.adjustSize()

    def _setter_of(self, name: str) -> Callable[[object, bool], None]:
        return lambda value, again: self._options.set(**{name: value})

    def _show_choices(self) -> None:
        now = self._options.now
        for name, box in self.boxes.items():
            box.setChecked(getattr(now, name))
        for name, field in self.fields.items():
            field.set_value(getattr(now, name))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.fillRect(self.rect(), theme.colour("card"))
            painter.setPen(theme.colour("line"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        finally:
            painter.end()

    def show_below(self, button: QWidget) -> None:
        """Open next to a button at the right edge of the view."""
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(button.width(), button.height() + 6))
        self.move(corner.x() - self.width(), corner.y())
        self.show()
