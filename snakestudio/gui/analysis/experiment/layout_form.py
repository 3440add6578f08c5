"""Form for the layout of a measured table: delimiter, decimal mark, units, axes, rate, gaps, bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QWidget

from snakestudio.analysis.experiment.layout import Layout
from snakestudio.export.experiment_tables import link_name
from snakestudio.gui.core import theme
from snakestudio.gui.core.run_colours import trial_colour
from snakestudio.gui.forms.boxes import ChoiceBox, make_editable
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.editor import Editor
from snakestudio.gui.forms.editors import ShownText
from snakestudio.gui.forms.field_table import FieldTable, TableColumn
from snakestudio.gui.forms.form_fields import Choice, FormField
from snakestudio.gui.forms.lines import column_of
from snakestudio.model.capture import CENTRE_OF_MASS
from snakestudio.viewmodel.experiment.columns import MeasuredBody

_DELIMITERS = {",": "Comma", ";": "Semicolon", "\t": "Tab", " ": "Spaces"}
_DECIMAL_MARKS = {".": "Point: 0.5", ",": "Comma: 0,5"}
_TIME_UNITS = {
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
    "min": "minutes",
    "h": "hours",
    "frame": "frames",
    "date": "dates",
    "clock": "times of day",
    "timecode": "timecodes",
}
_LENGTH_UNITS = {
    "m": "metres",
    "dm": "decimetres",
    "cm": "centimetres",
    "mm": "millimetres",
    "um": "micrometres",
    "km": "kilometres",
    "in": "inches",
    "ft": "feet",
    "yd": "yards",
}
_ANGLE_UNITS = {"rad": "radians", "deg": "degrees"}
_AXES = {
    "+x+y+z": "z up",
    "+x-z+y": "y up",
    "+y+z+x": "x up",
    "+x-y-z": "z down",
    "+x+z-y": "y down",
    "+x-y+z": "z up, y mirrored",
}

_WITHOUT_ANGLES = ("none", "quaternion", "matrix")
"""Kinds of rotation without a unit."""


class _AxesEditor(Editor):
    """Axes, chosen or typed; typed text is applied when the field loses focus."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: ChoiceBox = ChoiceBox(parent)
        for axes, text in _AXES.items():
            self.widget.addItem(f"{text}  ({axes})", axes)
        make_editable(self.widget, self.changed.emit)

    @property
    def value(self) -> str:
        index = self.widget.findText(self.widget.currentText())
        return self.widget.itemData(index) if index >= 0 else self.widget.currentText().strip()

    def set_value(self, value: Any) -> None:
        if value == self.value:
            return
        index = self.widget.findData(value)
        self.widget.setCurrentIndex(index)
        if index < 0:
            self.widget.setEditText(value)


def _choices(texts: dict[str, str]) -> tuple[Choice, ...]:
    return tuple(Choice(value, text) for value, text in texts.items())


def _has_time(layout: Layout) -> bool:
    return layout.time_column is not None


def _needs_rate(layout: Layout) -> bool:
    return layout.time_column is None or layout.time_unit in ("frame", "timecode")


def _has_angles(layout: Layout) -> bool:
    turned = any(body.rotation not in _WITHOUT_ANGLES for body in layout.bodies)
    return turned or bool(layout.joints)


# Values without effect are disabled.
_FIELDS = {
    "delimiter": FormField(
        "Delimiter", choices=_choices(_DELIMITERS), help="What separates the cells of a row"
    ),
    "decimal": FormField(
        "Decimal mark",
        choices=_choices(_DECIMAL_MARKS),
        help="Separator of the fractional part of a number",
    ),
    "header_rows": FormField(
        "Header rows",
        help="Lines before the first line of numbers",
        slider=(0.0, 50.0),
        minimum=0.0,
        maximum=1000.0,
        integer=True,
        live=False,
    ),
    "time_unit": FormField(
        "Time in",
        place="column",
        choices=_choices(_TIME_UNITS),
        help="Unit of the time column; frame numbers are divided by the rate",
        enabled=_has_time,
    ),
    "rate_hz": FormField(
        "Rate",
        unit="Hz",
        help="Rows or frames per second, where the file has no time column in seconds",
        slider=(1.0, 500.0),
        minimum=0.0,
        maximum=1e6,
        exclusive_minimum=True,
        optional=True,
        live=False,
        enabled=_needs_rate,
    ),
    "max_gap_s": FormField(
        "Fill gaps up to",
        unit="s",
        help="Shorter gaps are filled by interpolation, and marked",
        slider=(0.0, 5.0),
        minimum=0.0,
        maximum=3600.0,
        live=False,
    ),
    "zero_is_missing": FormField(
        "",
        wide=True,
        text="Treat (0, 0, 0) as missing",
        help="Many systems write zeros where they lost a marker; such rows count as gaps",
    ),
    "length_unit": FormField(
        "Lengths in",
        place="column",
        choices=_choices(_LENGTH_UNITS),
        help="Unit of all positions",
    ),
    "angle_unit": FormField(
        "Angles in", choices=_choices(_ANGLE_UNITS), help="Unit of all angles", enabled=_has_angles
    ),
    "axes": FormField(
        "Axes",
        editor=_AxesEditor,
        help="Which axes of the file are x, y and z (up); type others like +x-z+y",
    ),
}
"""Editors of the values of a layout: text, time and space in a column each."""


class LayoutForm(QWidget):
    """Values of a layout except its columns.

    Signals
    -------
    edited(layout: Layout)
        The user changed a value.
    """

    edited = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = Layout()
        self.form = DeclaredForm(
            self._layout, _FIELDS, self, enter_accepts=False, caption_role="dim", spacing=(10, 8)
        )
        self.setLayout(column_of(self.form))
        self.form.changed.connect(self._on_changed)

    def show_layout(self, layout: Layout) -> None:
        """Show a layout; text being typed stays."""
        self._layout = layout
        for name, field in _FIELDS.items():
            value = getattr(layout, name)
            choices = field.choices
            if isinstance(choices, tuple) and value not in [choice.value for choice in choices]:
                choices = (*choices, Choice(value, str(value)))
            if isinstance(choices, tuple):
                self.form.editors[name].offer(choices)
        self.form.set_values(layout)

    def _on_changed(self) -> None:
        layout = self.form.values
        if layout != self._layout:
            self._layout = layout
            self.edited.emit(layout)

    def commit(self) -> bool:
        """Apply the text being typed; return False if it is invalid."""
        return self.form.commit()


def link_title(link: int | None) -> str:
    """Return the title of the link of a body in a choice."""
    return "Unknown" if link is None else link_name(link).capitalize()


class _Swatch(Editor):
    """Colour of a track."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: QFrame = QFrame(parent)
        self.widget.setFixedSize(theme.scaled(14), theme.scaled(6))
        self._number = 0

    @property
    def value(self) -> int:
        return self._number

    def set_value(self, value: Any) -> None:
        self._number = value
        colour = QColor(trial_colour(value)).name()
        self.widget.setStyleSheet(f"background: {colour}; border-radius: 3px;")


@dataclass(frozen=True)
class _BodyRow:
    number: int
    name: str
    link: int | None
    on: str = "on"


_BODY_COLUMNS = {
    "number": TableColumn(),
    "name": TableColumn(stretch=1),
    "on": TableColumn(),
    "link": TableColumn(),
}


class BodyRows(QWidget):
    """Rows of bodies.

    Parameters
    ----------
    n_links : int
        Number of links of the robot.

    Signals
    -------
    edited(bodies: list of Body)
        The user renamed a body or assigned it to another link.
    """

    edited = Signal(object)

    def __init__(self, n_links: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._links = (None, CENTRE_OF_MASS, *range(n_links))
        self._bodies: list[MeasuredBody] = []
        self.table = FieldTable[_BodyRow](_BODY_COLUMNS)
        self.setLayout(column_of(self.table, margins=(0, 0, 8, 0)))
        self.table.changed.connect(self._on_changed)

    def show_bodies(self, bodies: Sequence[MeasuredBody]) -> None:
        """Show these bodies."""
        self._bodies = list(bodies)
        rows = [_BodyRow(number, body.name, body.link) for number, body in enumerate(bodies)]
        self.table.show_rows(rows, [self._fields(number) for number in range(len(bodies))])
        for row in self.table.rows:
            row.widget_of("on").setProperty("role", "dim")

    def _fields(self, number: int) -> dict[str, FormField]:
        return {
            "number": FormField("", editor=_Swatch),
            "name": FormField("", name=f"Name of body {number + 1}", max_length=80),
            "on": FormField("", editor=ShownText),
            "link": FormField(
                "",
                name=f"Link of body {number + 1}",
                help="Link that this body is mounted on and compared with",
                choices=self._offered,
            ),
        }

    def _offered(self, row: _BodyRow) -> list[Choice]:
        links = self._links if row.link in self._links else (*self._links, row.link)
        return [Choice(link, link_title(link)) for link in links]

    def _on_changed(self) -> None:
        rows = [row.values for row in self.table.rows]
        bodies = [MeasuredBody(row.name, row.link) for row in rows]
        if bodies != self._bodies:
            self._bodies = bodies
            self.edited.emit(list(bodies))
