"""How a measured table is to be read, as a form: delimiter, decimal mark, units, axes, rate, gaps, bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QGridLayout, QLabel, QLineEdit, QWidget

from snakestudio.analysis.experiment.layout import Layout
from snakestudio.export.experiment_tables import link_name
from snakestudio.gui.core import theme
from snakestudio.gui.core.run_colours import trial_colour
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.model.capture import CENTRE_OF_MASS
from snakestudio.model.fields import FieldDoc
from snakestudio.viewmodel.experiment.columns import Body

__all__ = ["BodyRows", "LayoutForm"]

_CHOICES: dict[str, tuple[str, str, tuple[tuple[str, str], ...]]] = {
    "delimiter": (
        "Delimiter",
        "What separates the cells of a row",
        (
            (",", "Comma"),
            (";", "Semicolon"),
            ("\t", "Tab"),
            (" ", "Blanks"),
        ),
    ),
    "decimal": (
        "Decimal mark",
        "What separates the whole of a number from its fraction",
        (
            (".", "Point: 0.5"),
            (",", "Comma: 0,5"),
        ),
    ),
    "time_unit": (
        "Time in",
        "Unit of the time column; frames are counted off at the rate",
        (
            ("s", "seconds"),
            ("ms", "milliseconds"),
            ("us", "microseconds"),
            ("ns", "nanoseconds"),
            ("min", "minutes"),
            ("h", "hours"),
            ("frame", "frames"),
            ("date", "dates"),
            ("clock", "times of day"),
            ("timecode", "timecodes"),
        ),
    ),
    "length_unit": (
        "Lengths in",
        "Unit of all positions",
        (
            ("m", "metres"),
            ("dm", "decimetres"),
            ("cm", "centimetres"),
            ("mm", "millimetres"),
            ("um", "micrometres"),
            ("km", "kilometres"),
            ("in", "inches"),
            ("ft", "feet"),
            ("yd", "yards"),
        ),
    ),
    "angle_unit": ("Angles in", "Unit of all angles", (("rad", "radians"), ("deg", "degrees"))),
    "axes": (
        "Axes",
        "Which axes of the file are x, y and z (up); type others like +x-z+y",
        (
            ("+x+y+z", "z up"),
            ("+x-z+y", "y up"),
            ("+y+z+x", "x up"),
            ("+x-y-z", "z down"),
            ("+x+z-y", "y down"),
            ("+x-y+z", "z up, y mirrored"),
        ),
    ),
}
"""Fields of a layout that are choices: label, explanation, and value and text of each."""

_NUMBERS = {
    "header_rows": FieldDoc(
        label="Header rows",
        unit="",
        help="Lines before the first one of numbers",
        symbol="",
        slider=(0.0, 50.0),
        live=False,
        minimum=0.0,
        maximum=1000.0,
        exclusive_minimum=False,
        default=1.0,
    ),
    "rate_hz": FieldDoc(
        label="Rate",
        unit="Hz",
        help="Rows or frames a second, where the file has no time column in seconds",
        symbol="",
        slider=(1.0, 500.0),
        live=False,
        minimum=0.0,
        maximum=1e6,
        exclusive_minimum=True,
        default=None,
    ),
    "max_gap_s": FieldDoc(
        label="Fill gaps up to",
        unit="s",
        help="Shorter gaps are filled by interpolation, and marked",
        symbol="",
        slider=(0.0, 5.0),
        live=False,
        minimum=0.0,
        maximum=3600.0,
        exclusive_minimum=False,
        default=0.5,
    ),
}

_PLACES = (
    ("delimiter", "decimal", "header_rows"),
    ("time_unit", "rate_hz", "max_gap_s"),
    ("length_unit", "angle_unit", "axes"),
)
"""Rows of the form; three fields in each."""


class LayoutForm(QWidget):
    """All of a layout but its columns.

    Signals
    -------
    edited(layout: Layout)
        The user changed something.
    """

    edited = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = Layout()
        self.choices: dict[str, QComboBox] = {}
        self.numbers: dict[str, NumberField] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(8)
        self.message = Message(self)
        for row, names in enumerate(_PLACES):
            for column, name in enumerate(names):
                label, field = self._choice(name) if name in _CHOICES else self._number(name)
                caption = QLabel(label, self)
                caption.setProperty("role", "dim")
                caption.setBuddy(field)
                caption.setContentsMargins(12 if column else 0, 0, 0, 0)
                grid.addWidget(caption, row, 2 * column)
                grid.addWidget(field, row, 2 * column + 1)
                grid.setColumnStretch(2 * column + 1, 1)
        self.zero = QCheckBox("Treat (0, 0, 0) as missing", self)
        self.zero.setToolTip(
            "Many systems write zeros where they lost a marker; such rows count as gaps"
        )
        self.zero.clicked.connect(lambda on: self._edit("zero_is_missing", on))
        grid.addWidget(self.zero, len(_PLACES), 0, 1, 6)
        grid.addWidget(self.message, len(_PLACES) + 1, 0, 1, 6)

    def show_layout(self, layout: Layout) -> None:
        """Show a layout; what somebody is typing stays."""
        self._layout = layout
        for name, box in self.choices.items():
            value = getattr(layout, name)
            if box.findData(value) < 0:
                box.addItem(str(value), value)
            box.setCurrentIndex(box.findData(value))
        for name, field in self.numbers.items():
            field.set_value(getattr(layout, name))
        self.zero.setChecked(layout.zero_is_missing)
        # What plays no part cannot be edited: it would only raise questions.
        self.choices["time_unit"].setEnabled(layout.time_column is not None)
        self.numbers["rate_hz"].setEnabled(
            layout.time_column is None or layout.time_unit in ("frame", "timecode")
        )
        without_unit = ("none", "quaternion", "matrix")
        turned = any(body.rotation not in without_unit for body in layout.bodies) or bool(
            layout.joints
        )
        self.choices["angle_unit"].setEnabled(turned)

    def _choice(self, name: str) -> tuple[str, QWidget]:
        label, tip, values = _CHOICES[name]
        box = self.choices[name] = QComboBox(self)
        for value, text in values:
            box.addItem(f"{text}  ({value})" if name == "axes" else text, value)
        box.setToolTip(tip)
        box.setAccessibleName(label)
        box.activated.connect(lambda _: self._edit(name, box.currentData()))
        if name == "axes":
            box.setEditable(True)
            box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            edit = box.lineEdit()
            assert edit is not None
            edit.editingFinished.connect(lambda: self._edit(name, _axes(box)))
        return label, box

    def _number(self, name: str) -> tuple[str, QWidget]:
        doc = _NUMBERS[name]
        field = self.numbers[name] = NumberField(
            doc, integer=name == "header_rows", optional=doc.default is None, parent=self
        )
        field.setToolTip(doc.help)
        field.setMinimumWidth(theme.scaled(64))
        field.committed.connect(lambda value, again: self._edit(name, value))
        field.problem_changed.connect(self.message.say)
        return f"{doc.label}, {doc.unit}" if doc.unit else doc.label, field

    def _edit(self, name: str, value: Any) -> None:
        if value != getattr(self._layout, name):
            self._layout = replace(self._layout, **{name: value})
            self.edited.emit(self._layout)

    def commit(self) -> bool:
        """Take what is being typed; False if that is not valid."""
        return all(field.commit() for field in self.numbers.values())


def _axes(box: QComboBox) -> str:
    """The axes that were chosen or typed."""
    index = box.findText(box.currentText())
    return str(box.itemData(index)) if index >= 0 else box.currentText().strip()


_UNKNOWN = -2
"""Stands for no link in the boxes: Qt does not find a None."""


def link_title(link: int | None) -> str:
    """What a body sits on, as a choice."""
    return "Unknown" if link is None else link_name(link).capitalize()


class BodyRows(QWidget):
    """The rows.

    Parameters
    ----------
    n_links : int
        Of the robot.

    Signals
    -------
    edited(bodies: list of Body)
        The user renamed one or put it on another link.
    """

    edited = Signal(object)

    def __init__(self, n_links: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._n_links = n_links
        self._bodies: list[Body] = []
        self._made: list[QWidget] = []
        self.names: list[QLineEdit] = []
        self.links: list[QComboBox] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 8, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)

    def show_bodies(self, bodies: Sequence[Body]) -> None:
        """Show these bodies."""
        if len(bodies) != len(self._bodies):
            self._build(len(bodies))
        self._bodies = list(bodies)
        for body, name, link in zip(bodies, self.names, self.links, strict=True):
            if not name.hasFocus():
                name.setText(body.name)
            value = _UNKNOWN if body.link is None else body.link
            if link.findData(value) < 0:
                link.addItem(link_title(body.link), value)
            link.setCurrentIndex(link.findData(value))

    def _build(self, count: int) -> None:
        for widget in self._made:
            self._grid.removeWidget(widget)
            widget.deleteLater()
        self._made = []
        self.names = []
        self.links = []
        for index in range(count):
            swatch = QFrame(self)
            swatch.setFixedSize(theme.scaled(14), theme.scaled(6))
            swatch.setStyleSheet(
                f"background: {QColor(trial_colour(index)).name()}; border-radius: 3px;"
            )
            name = QLineEdit(self)
            name.setAccessibleName(f"Name of body {index + 1}")
            name.setMaxLength(80)
            name.textEdited.connect(
                lambda text, i=index: self._edit(i, Body(text, self._bodies[i].link))
            )
            on = QLabel("on", self)
            on.setProperty("role", "dim")
            link = QComboBox(self)
            link.setAccessibleName(f"What body {index + 1} sits on")
            link.setToolTip("The link this body sits on: that is what it is compared with")
            link.addItem(link_title(None), _UNKNOWN)
            for each in (CENTRE_OF_MASS, *range(self._n_links)):
                link.addItem(link_title(each), each)
            link.activated.connect(
                lambda _, i=index, box=link: self._put(i, int(box.currentData()))
            )
            for column, widget in enumerate((swatch, name, on, link)):
                self._grid.addWidget(widget, index, column, Qt.AlignmentFlag.AlignVCenter)
                self._made.append(widget)
            self.names.append(name)
            self.links.append(link)

    def _put(self, index: int, value: int) -> None:
        self._edit(index, Body(self._bodies[index].name, None if value == _UNKNOWN else value))

    def _edit(self, index: int, body: Body) -> None:
        if body != self._bodies[index]:
            self._bodies[index] = body
            self.edited.emit(list(self._bodies))
