"""What a fit may change: a row for each value with a tick, its range and what the scene has now."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.analysis.fitting import PRESETS, FreeParameter, present_value, preset_of, value_doc
from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.kinds.reads import unused_reason
from snakestudio.model.scene import Scene
from snakestudio.text import exact_text

__all__ = ["ParameterRows"]

_TICKED = ("ground.mu_along", "ground.mu_across")
_KEYS = "Keys as in the scene file, like robot.mass_kg; several joined by + get the same value"


@dataclass(eq=False)
class _Row:
    parameter: FreeParameter
    tick: QCheckBox
    low: NumberField
    high: NumberField
    now: QLabel


class ParameterRows(QWidget):
    """The usual parameters, and any other by its key.

    Signals
    -------
    changed()
        Others are ticked, or a range is another one.
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.rows: dict[str, _Row] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(0, 1)
        for place, text in enumerate(("", "from", "to", "now")):
            head = QLabel(text)
            head.setProperty("role", "dim")
            head.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(head, 0, place)
        column.addLayout(self._grid)
        other = QHBoxLayout()
        self.key = QLineEdit()
        self.key.setPlaceholderText("another value, by its key")
        self.key.setToolTip(_KEYS)
        self.key.setAccessibleName("Another value")
        self.add_button = QPushButton("&Add")
        self.add_button.clicked.connect(self._add_typed)
        other.addWidget(self.key, 1)
        other.addWidget(self.add_button)
        column.addLayout(other)
        self.message = Message()
        column.addWidget(self.message)
        for parameter in PRESETS.values():
            self._add(parameter, parameter.name in _TICKED)
        document.scene_changed.connect(self.refresh)
        self.refresh()

    @property
    def chosen(self) -> list[FreeParameter]:
        """The ticked parameters with their ranges.

        Raises `UsageError` if a range makes no sense.
        """
        made = []
        for row in self._ticked:
            low, high = row.low.value, row.high.value
            assert low is not None
            assert high is not None
            scale = row.parameter.scale if low > 0.0 else "lin"
            made.append(replace(row.parameter, low=float(low), high=float(high), scale=scale))
        return made

    @property
    def any_chosen(self) -> bool:
        """Whether at least one is ticked."""
        return bool(self._ticked)

    @property
    def _ticked(self) -> list[_Row]:
        # By the row alone: while a fit goes all of this is disabled.
        return [
            row for row in self.rows.values() if row.tick.isChecked() and row.tick.isEnabledTo(self)
        ]

    def commit(self) -> bool:
        """Take what stands in the fields; False if something of it is not valid."""
        return all(field.commit() for row in self.rows.values() for field in (row.low, row.high))

    def refresh(self) -> None:
        """Show what the scene has now."""
        scene = self._document.scene
        for row in self.rows.values():
            try:
                present = present_value(scene, row.parameter)
            except SnakeStudioError as error:
                why = str(error)
                row.now.setText("–")
            else:
                why = self._unused(scene, row.parameter)
                row.now.setText(_shown(scene, row.parameter, present))
            row.tick.setEnabled(not why)
            row.tick.setToolTip(
                why or value_doc(scene, row.parameter).help + f" ({row.parameter.name})"
            )
            for widget in (row.low, row.high, row.now):
                widget.setEnabled(not why)

    def _unused(self, scene: Scene, parameter: FreeParameter) -> str:
        reasons = [unused_reason(scene, key) for key in parameter.keys]
        return next((reason for reason in reasons if reason), "") if all(reasons) else ""

    def _add(self, parameter: FreeParameter, ticked: bool) -> None:
        doc = value_doc(self._document.scene, parameter)
        line = self._grid.rowCount()
        unit = f", {doc.unit}" if doc.unit else ""
        tick = QCheckBox(f"{preset_of(parameter) or doc.label}{unit}")
        tick.setChecked(ticked)
        fields = []
        for place, (text, value) in enumerate(
            (("from", parameter.low), ("to", parameter.high)), start=1
        ):
            field = NumberField(doc, parent=self)
            field.set_usual_width(72)
            field.setAccessibleName(f"{doc.label}, {text}")
            field.set_value(value)
            field.committed.connect(lambda value, again, field=field: self._on_bound(field, value))
            field.problem_changed.connect(self.message.say)
            self._grid.addWidget(field, line, place)
            fields.append(field)
        now = QLabel()
        now.setProperty("role", "dim")
        now.setMinimumWidth(theme.scaled(64))
        now.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._grid.addWidget(tick, line, 0)
        self._grid.addWidget(now, line, 3)
        tick.toggled.connect(lambda _: self.changed.emit())
        self.rows[parameter.name] = _Row(parameter, tick, fields[0], fields[1], now)

    def _on_bound(self, field: NumberField, value: float) -> None:
        field.set_value(value)
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
            self.message.say(str(error).splitlines()[0])
            return
        self.message.say("")
        self.key.clear()
        if name not in self.rows:
            self._add(parameter, True)
        self.rows[name].tick.setChecked(True)
        self.refresh()
        self.changed.emit()


def _shown(scene: Scene, parameter: FreeParameter, present: float | None) -> str:
    """What the scene has now, in little room."""
    if present is None:
        return "none"
    unit = value_doc(scene, parameter).unit
    return f"{exact_text(float(f'{present:.4g}'))}{f' {unit}' if unit else ''}"
