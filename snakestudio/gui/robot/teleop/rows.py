"""Rows of the mapping editor: one binding each, with a bar of the current reading of its input."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.forms.editor import Editor
from snakestudio.gui.forms.field_table import TableColumn, TableLine
from snakestudio.gui.forms.form_fields import Choice, FormField, form_field
from snakestudio.gui.robot.teleop.inputs import Input, Readings
from snakestudio.gui.robot.teleop.mapping import FUNCTIONS, Binding, Function

_PROMPT = "Press or move it..."


class Meter(QWidget):
    """Reading of an input (thin line), its effect on the function (bar) and its dead zone (shaded)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.read = 0.0
        self.value = 0.0
        self.dead_zone = 0.0
        self.both_ways = True
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.scaled(18))
        self.setMinimumWidth(theme.scaled(120))

    def show_state(self, read: float, value: float, dead_zone: float, both_ways: bool) -> None:
        """Show values; `read` and `value` are -1 to 1."""
        if (read, value, dead_zone, both_ways) != (
            self.read,
            self.value,
            self.dead_zone,
            self.both_ways,
        ):
            self.read = read
            self.value = value
            self.dead_zone = dead_zone
            self.both_ways = both_ways
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(140), theme.scaled(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            field = QRectF(self.rect()).adjusted(4, 3, -4, -3)
            painter.setPen(QPen(theme.colour("line"), 1))
            painter.setBrush(theme.colour("card"))
            painter.drawRoundedRect(field, 4, 4)
            zero = field.center().x() if self.both_ways else field.left()
            unit = field.right() - zero
            painter.setPen(Qt.PenStyle.NoPen)
            if self.dead_zone:
                begin = zero - self.dead_zone * unit if self.both_ways else zero
                painter.fillRect(
                    QRectF(
                        begin, field.top(), zero + self.dead_zone * unit - begin, field.height()
                    ),
                    theme.colour("line"),
                )
            value = self.value if self.both_ways else abs(self.value)
            bar = QRectF(
                min(zero, zero + value * unit),
                field.top() + 3,
                abs(value) * unit,
                field.height() - 6,
            )
            painter.setBrush(theme.colour("accent"))
            painter.drawRoundedRect(bar, 2, 2)
            painter.fillRect(
                QRectF(zero + self.read * unit - 1, field.top(), 2, field.height()),
                theme.colour("text"),
            )
        finally:
            painter.end()


class _InputEditor(Editor):
    """Button that shows an input; clicking it waits for another input."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: QPushButton = QPushButton(parent)
        self.widget.setAutoDefault(False)
        self.widget.setMinimumWidth(theme.scaled(190))
        self._input: Input | None = None

    @property
    def value(self) -> Input | None:
        return self._input

    def set_value(self, value: Any) -> None:
        self._input = value
        self.widget.setText(_PROMPT if value is None else value.title)


class _MeterEditor(Editor):
    """Meter of a row; holds no value."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: Meter = Meter(parent)

    @property
    def value(self) -> None:
        return None

    def set_value(self, value: Any) -> None:
        """Do nothing: `show_readings` sets what is shown."""


def _directions(row: BindingValues) -> list[Choice]:
    ways = FUNCTIONS[row.function].ways
    return [Choice(sign, name) for sign, name in zip((1.0, -1.0), ways, strict=True) if name]


def _is_analog(row: BindingValues) -> bool:
    return FUNCTIONS[row.function].analog


def _is_axis(row: BindingValues) -> bool:
    return row.input is not None and row.input.kind == "axis"


_PERCENT: dict[str, Any] = {"unit": "%", "decimals": 0, "step": 2.0}


@dataclass(frozen=True)
class BindingValues:
    """Binding as edited in its row."""

    function: Function = form_field(
        "speed",
        "",
        name="Function",
        choices=tuple(Choice(name, info.title, info.help) for name, info in FUNCTIONS.items()),
    )
    input: Input | None = form_field(
        None,
        "",
        help="Click, then press the key or the button, or move the stick",
        editor=_InputEditor,
    )
    direction: float | None = form_field(
        1.0,
        "",
        name="Effect",
        help="Effect of the input; for a stick, of its right or lower end",
        choices=_directions,
        visible_if=_is_analog,
    )
    """1 or -1; None for a function without directions."""
    scale_percent: float = form_field(
        100.0,
        "",
        name="Scale",
        help="Part of the full effect when the input is fully pressed or deflected",
        minimum=1.0,
        maximum=100.0,
        visible_if=_is_analog,
        **_PERCENT,
    )
    dead_zone: float = form_field(
        12.0,
        "",
        name="Dead zone",
        help="Stick deflection without effect",
        maximum=90.0,
        visible_if=_is_axis,
        **_PERCENT,
    )
    expo: float = form_field(
        0.0,
        "",
        name="Curve",
        help="0: linear; larger: finer around the centre",
        maximum=100.0,
        visible_if=_is_axis,
        **_PERCENT,
    )
    now: None = form_field(None, "", name="Now", editor=_MeterEditor)

    @staticmethod
    def of(binding: Binding) -> BindingValues:
        """Return the values of a binding; an input without a name becomes None."""
        return BindingValues(
            function=binding.function,
            input=binding.input if binding.input.name else None,
            direction=1.0 if binding.scale > 0.0 else -1.0,
            scale_percent=100.0 * abs(binding.scale),
            dead_zone=100.0 * binding.dead_zone,
            expo=100.0 * binding.expo,
        )

    @property
    def binding(self) -> Binding | None:
        """Binding, or None if it has no input."""
        if self.input is None:
            return None
        scale = self.scale_percent / 100.0 if _is_analog(self) else 1.0
        direction = self.direction if _is_analog(self) and self.direction is not None else 1.0
        dead_zone = self.dead_zone / 100.0 if _is_axis(self) else 0.0
        expo = self.expo / 100.0 if _is_axis(self) else 0.0
        return Binding(self.function, self.input, direction * scale, dead_zone, expo)

    def with_input(self, source: Input, reading: float) -> BindingValues:
        """Return the same binding with another input, moved in the direction of the row."""
        if source.kind != "axis":
            return replace(self, input=source)
        direction = self.direction
        if reading < 0.0 and direction is not None:
            direction = -direction
        dead_zone = self.dead_zone if _is_axis(self) else _DEAD_ZONE
        return replace(self, input=source, direction=direction, dead_zone=dead_zone)


_DEAD_ZONE = 12.0
"""Initial dead zone of an axis, %."""

BINDING_COLUMNS = {
    "function": TableColumn("Function"),
    "input": TableColumn("Input", stretch=2),
    "direction": TableColumn("Effect"),
    "scale_percent": TableColumn("Scale"),
    "dead_zone": TableColumn("Dead zone"),
    "expo": TableColumn("Curve"),
    "now": TableColumn("Now", stretch=2),
}


def show_prompt(row: TableLine[BindingValues], *, asking: bool) -> None:
    """Show whether the row waits for an input."""
    source = row.values.input
    row.widget_of("input").setText(_PROMPT if asking or source is None else source.title)
    theme.set_role(row.widget_of("input"), "primary" if asking else "")


def show_readings(row: TableLine[BindingValues], readings: Readings) -> None:
    """Update the bar of a row."""
    binding = row.values.binding
    if binding is not None:
        read = readings.get(binding.input, 0.0)
        axis = binding.input.kind == "axis"
        value = replace(binding, scale=abs(binding.scale)).value(readings)
        both = axis and not binding.input.name.endswith("trigger")
        row.widget_of("now").show_state(read, value, binding.dead_zone, both)
