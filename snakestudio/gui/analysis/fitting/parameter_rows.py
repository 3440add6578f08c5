"""Free parameters of a fit: a row for each value with a check box, its range and its current value."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from snakestudio.analysis.fitting import PRESETS, FreeParameter, present_value, preset_of, value_doc
from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.editors import ShownText
from snakestudio.gui.forms.field_table import FieldTable, TableColumn, TableLine
from snakestudio.gui.forms.form_fields import FormField, field_of
from snakestudio.gui.forms.lines import column_of, line_of
from snakestudio.gui.forms.number_field import Message
from snakestudio.kinds.reads import unused_reason
from snakestudio.model.scene import Scene
from snakestudio.text import exact_text

_TICKED = ("ground.mu_along", "ground.mu_across")
_KEYS = "Keys as in the scene file, like robot.mass_kg; several joined by + get the same value"


@dataclass(frozen=True)
class ParameterRange:
    """Values of a parameter's row."""

    ticked: bool
    low: float
    high: float
    now: str
    """Current value in the scene."""
    unused: str = ""
    """Reason why the scene does not read the value, as a sentence; "" if it does."""


_COLUMNS = {
    "ticked": TableColumn(stretch=1),
    "low": TableColumn("from", is_right=True),
    "high": TableColumn("to", is_right=True),
    "now": TableColumn("now", width=64, is_right=True),
}
_BOUND_WIDTH = 72
"""Usual width of a bound, px of the design."""


class ParameterRows(QWidget):
    """Common parameters, and further ones by key.

    Signals
    -------
    changed()
        The ticked parameters or a range changed.
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._parameters: dict[str, FreeParameter] = {}
        self.rows: dict[str, TableLine[ParameterRange]] = {}
        self.table = FieldTable[ParameterRange](_COLUMNS, spacing=(8, 3))
        self.key = QLineEdit()
        self.key.setPlaceholderText("Add parameter...")
        self.key.setToolTip(_KEYS)
        self.key.setAccessibleName("Add parameter")
        self.add_button = QPushButton("&Add")
        self.add_button.clicked.connect(self._add_typed)
        self.message = Message()
        other = line_of((self.key, 1), self.add_button, spacing=6)
        self.setLayout(column_of(self.table, other, self.message, spacing=6))
        for parameter in PRESETS.values():
            self._add(parameter, parameter.name in _TICKED)
        self.table.changed.connect(self._on_changed)
        document.scene_changed.connect(self.refresh)
        self.refresh()

    @property
    def chosen(self) -> list[FreeParameter]:
        """Ticked parameters with their ranges.

        Raises `UsageError` if a range is invalid.
        """
        chosen = []
        for name in self._ticked:
            values = self.rows[name].values
            parameter = self._parameters[name]
            scale = parameter.scale if values.low > 0.0 else "lin"
            chosen.append(
                replace(parameter, low=float(values.low), high=float(values.high), scale=scale)
            )
        return chosen

    @property
    def any_chosen(self) -> bool:
        """Whether at least one parameter is ticked."""
        return bool(self._ticked)

    @property
    def _ticked(self) -> list[str]:
        """Names of the ticked parameters that the scene reads."""
        rows = {name: row.values for name, row in self.rows.items()}
        return [name for name, values in rows.items() if values.ticked and not values.unused]

    def commit(self) -> bool:
        """Apply the text being typed; return False if any of it is invalid."""
        return self.table.commit()

    def refresh(self) -> None:
        """Show the current values of the scene."""
        scene = self._document.scene
        for name, row in self.rows.items():
            parameter = self._parameters[name]
            now = "–"
            try:
                present = present_value(scene, parameter)
            except SnakeStudioError as error:
                unused = str(error)
            else:
                unused = self._unused(scene, parameter)
                now = _value_text(scene, parameter, present)
            row.set_values(replace(row.values, now=now, unused=unused))
            row.widget_of("ticked").setToolTip(
                unused or f"{value_doc(scene, parameter).help} ({parameter.name})"
            )

    def _unused(self, scene: Scene, parameter: FreeParameter) -> str:
        reasons = [unused_reason(scene, key) for key in parameter.keys]
        return next((reason for reason in reasons if reason), "") if all(reasons) else ""

    def _add(self, parameter: FreeParameter, ticked: bool) -> None:
        doc = value_doc(self._document.scene, parameter)
        title = preset_of(parameter) or doc.label
        unit = f", {doc.unit}" if doc.unit else ""
        fields = {
            "ticked": FormField("", text=f"{title}{unit}", enabled=_is_used),
            "low": field_of(doc, live=False, enabled=_is_used),
            "high": field_of(doc, live=False, enabled=_is_used),
            "now": FormField("", editor=ShownText, enabled=_is_used),
        }
        values = ParameterRange(ticked, parameter.low, parameter.high, "")
        row = self.table.add_row(values, fields)
        for name in ("low", "high", "now"):
            row.widget_of(name).setAccessibleName(f"{title}, {_COLUMNS[name].heading}")
        for name in ("low", "high"):
            row.widget_of(name).set_usual_width(_BOUND_WIDTH)
        row.widget_of("now").setProperty("role", "dim")
        self._parameters[parameter.name] = parameter
        self.rows[parameter.name] = row

    def _on_changed(self) -> None:
        self.message.show_text(self.table.problem)
        self.changed.emit()

    def _add_typed(self) -> None:
        keys = tuple(part.strip() for part in self.key.text().split("+"))
        name = "+".join(keys)
        try:
            doc = value_doc(self._document.scene, FreeParameter(keys, 0.0, 1.0))
            low, high = doc.slider or (
                doc.minimum or 0.0,
                doc.maximum if doc.maximum is not None else 1.0,
            )
            parameter = FreeParameter(keys, low, high)
            present_value(self._document.scene, parameter)
        except SnakeStudioError as error:
            self.message.show_text(str(error).splitlines()[0])
            return
        self.message.show_text("")
        self.key.clear()
        if name not in self.rows:
            self._add(parameter, True)
        self.rows[name].widget_of("ticked").setChecked(True)
        self.refresh()
        self.changed.emit()


def _is_used(values: ParameterRange) -> bool:
    return not values.unused


def _value_text(scene: Scene, parameter: FreeParameter, present: float | None) -> str:
    """Return the short text of the current value in the scene."""
    if present is None:
        return "none"
    unit = value_doc(scene, parameter).unit
    return f"{exact_text(float(f'{present:.4g}'))}{f' {unit}' if unit else ''}"
