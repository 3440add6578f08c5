"""Rows of the mapping editor: one binding each, with a bar that shows what its input does now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox, QPushButton, QSizePolicy, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.forms.boxes import DoubleSpinBox
from snakestudio.gui.robot.teleop.inputs import Input, Readings
from snakestudio.gui.robot.teleop.mapping import FUNCTIONS, Binding

__all__ = ["BindingRow", "Meter"]

_PROMPT = "Press or move it ..."


class Meter(QWidget):
    """What an input reads (the thin line), what that makes of its function (the bar), and its dead zone (shaded)."""

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
        """Show other figures: `read` and `value` -1 to 1."""
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
            shown = self.value if self.both_ways else abs(self.value)
            bar = QRectF(
                min(zero, zero + shown * unit),
                field.top() + 3,
                abs(shown) * unit,
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


class BindingRow:
    """The widgets of one binding.

    Parameters
    ----------
    changed : callable
        Called after every change by the user.
    detect : callable
        Called when the user wants to press an input for this row.
    """

    def __init__(
        self,
        binding: Binding,
        changed: Callable[[], None],
        detect: Callable[[BindingRow], None],
        parent: QWidget,
    ) -> None:
        self.input: Input | None = binding.input if binding.input.name else None
        self.function = QComboBox(parent)
        for name, info in FUNCTIONS.items():
            self.function.addItem(info.title, name)
            self.function.setItemData(
                self.function.count() - 1, info.help, Qt.ItemDataRole.ToolTipRole
            )
        self.function.setCurrentIndex(list(FUNCTIONS).index(binding.function))
        self.source = QPushButton(parent)
        self.source.setAutoDefault(False)
        self.source.setMinimumWidth(theme.scaled(190))
        self.source.setToolTip("Press this, then the key or the button, or move the stick")
        self.way = QComboBox(parent)
        self.way.setToolTip("What it does; of a stick: its right or lower end")
        self.share = self._percent(
            abs(binding.scale), 100.0, "How much of it, pressed or moved all the way", parent
        )
        self.share.setMinimum(1.0)
        self.dead_zone = self._percent(
            binding.dead_zone, 90.0, "What a stick may move without doing anything", parent
        )
        self.expo = self._percent(
            binding.expo, 100.0, "0: in proportion; more: finer around the middle", parent
        )
        self.meter = Meter(parent)
        for field in (self.way, self.share, self.dead_zone, self.expo):
            policy = field.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            field.setSizePolicy(policy)
        self._dress()
        self.way.setCurrentIndex(0 if binding.scale > 0 or self.way.count() < 2 else 1)
        self.show_input()
        self.function.activated.connect(self._dress)
        self.function.activated.connect(lambda: changed())
        self.way.activated.connect(lambda: changed())
        for number in (self.share, self.dead_zone, self.expo):
            number.valueChanged.connect(lambda: changed())
        self.source.clicked.connect(lambda: detect(self))

    @staticmethod
    def _percent(value: float, most: float, tip: str, parent: QWidget) -> DoubleSpinBox:
        field = DoubleSpinBox(parent)
        field.setRange(0.0, most)
        field.setDecimals(0)
        field.setSuffix(" %")
        field.setSingleStep(2.0)
        field.setValue(100.0 * value)
        field.setToolTip(tip)
        return field

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """From left to right."""
        return (
            self.function,
            self.source,
            self.way,
            self.share,
            self.dead_zone,
            self.expo,
            self.meter,
        )

    @property
    def binding(self) -> Binding | None:
        """The binding; None as long as it has no input."""
        if self.input is None:
            return None
        function = list(FUNCTIONS)[self.function.currentIndex()]
        sign = -1.0 if self.way.currentIndex() == 1 else 1.0
        share = self.share.value() / 100.0 if FUNCTIONS[function].analog else 1.0
        axis = self.input.kind == "axis"
        return Binding(
            function,
            self.input,
            sign * share,
            self.dead_zone.value() / 100.0 if axis else 0.0,
            self.expo.value() / 100.0 if axis else 0.0,
        )

    def _dress(self) -> None:
        ways = [way for way in list(FUNCTIONS.values())[self.function.currentIndex()].ways if way]
        if [self.way.itemText(place) for place in range(self.way.count())] != ways:
            self.way.clear()
            self.way.addItems(ways)
        self.way.setVisible(bool(ways))
        self.share.setVisible(bool(ways))

    def show_input(self, *, asking: bool = False) -> None:
        """Show which input it is, or that one is waited for."""
        self.source.setText(_PROMPT if asking or self.input is None else self.input.title)
        theme.set_role(self.source, "primary" if asking else "")
        axis = self.input is not None and self.input.kind == "axis"
        self.dead_zone.setVisible(axis)
        self.expo.setVisible(axis)

    def take(self, found: Input, read: float) -> None:
        """Use this input; moving it as it was moved does what the row says."""
        if found.kind == "axis":
            way = self.way.currentIndex()
            if read < 0.0 and self.way.count() == 2:
                self.way.setCurrentIndex(1 - way)
            if self.input is None or self.input.kind != "axis":
                self.dead_zone.setValue(12.0)
        self.input = found
        self.show_input()

    def show_readings(self, readings: Readings) -> None:
        """Move the bar."""
        binding = self.binding
        if binding is not None:
            read = readings.get(binding.input, 0.0)
            axis = binding.input.kind == "axis"
            value = replace(binding, scale=abs(binding.scale)).value(readings)
            both = axis and not binding.input.name.endswith("trigger")
            self.meter.show_state(read, value, binding.dead_zone, both)
