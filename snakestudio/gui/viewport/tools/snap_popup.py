"""What a moved thing snaps to, and in which steps: the popup of the magnet button."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QLabel, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.viewport.tools.edit_settings import EditorOptions
from snakestudio.model.fields import FieldDoc

__all__ = ["SnapPopup"]


def _step(label: str, unit: str, help: str, slider: tuple[float, float], most: float) -> FieldDoc:
    return FieldDoc(label, unit, help, "", slider, False, 0.0, most, True, None)


_STEPS = (
    ("grid", "grid_m", "Grid", _step("Grid", "m", "Places go to multiples of this", (0.01, 0.5), 100.0)),
    ("angles", "angle_deg", "Angle", _step("Angle", "°", "Turns go in steps of this", (1.0, 90.0), 180.0)),
    ("factors", "factor", "Factor", _step("Factor", "×", "Sizes change in steps of this", (0.05, 1.0), 10.0)),
)


class SnapPopup(QFrame):
    """A switch and three steps; closes with a click elsewhere.

    Parameters
    ----------
    options : EditorOptions
    parent : QWidget
    """

    def __init__(self, options: EditorOptions, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._options = options
        self.fields: dict[str, NumberField] = {}
        self.boxes: dict[str, QCheckBox] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(14, 12, 14, 12)
        grid.setVerticalSpacing(8)
        grid.addWidget(self._box("on", "Snap (Shift+Tab)", "Ctrl while dragging does the opposite"), 0, 0, 1, 3)
        self.message = Message(self)
        for row, (switch, name, title, doc) in enumerate(_STEPS, start=1):
            grid.addWidget(self._box(switch, title, doc.help), row, 0)
            grid.addWidget(self._field(name, doc), row, 1)
            unit = QLabel(doc.unit, self)
            unit.setProperty("role", "unit")
            grid.addWidget(unit, row, 2)
        grid.addWidget(self._box("objects", "Edges and middles", "Of the obstacles around"), 4, 0, 1, 3)
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
        field.setFixedWidth(84)
        field.committed.connect(self._taker(name))
        field.problem_changed.connect(self._say)
        self.fields[name] = field
        return field

    def _say(self, sentence: str) -> None:
        """Tell what is wrong with a step, with room for it."""
        self.message.say(sentence)
        self.adjustSize()

    def _taker(self, name: str) -> Callable[[object, bool], None]:
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
        """Open beside a button at the right edge of the picture."""
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(button.width(), button.height() + 6))
        self.move(corner.x() - self.width(), corner.y())
        self.show()
