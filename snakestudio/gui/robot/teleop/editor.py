"""Dialog that binds keys, sticks and buttons to functions and shows their effect live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QScrollArea, QWidget

from snakestudio.errors import UsageError
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_open, ask_save
from snakestudio.gui.forms.boxes import DoubleSpinBox
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.editors import ShownText
from snakestudio.gui.forms.field_table import FieldTable, TableColumn, TableLine
from snakestudio.gui.forms.form_fields import FormField, fields_of
from snakestudio.gui.forms.lines import column_of, holder_of, line_of
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.robot.teleop.inputs import Input, key_input
from snakestudio.gui.robot.teleop.mapping import (
    DEFAULT,
    FUNCTIONS,
    RANGES,
    Binding,
    Function,
    InputMap,
    conflicts,
    load_map,
    mistakes,
    save_map,
)
from snakestudio.gui.robot.teleop.rows import (
    BINDING_COLUMNS,
    BindingValues,
    show_prompt,
    show_readings,
)
from snakestudio.gui.robot.teleop.teleop import Teleop

_NUMBERED: tuple[Function, ...] = ("speed", "turn", "amplitude")
_TIPS = {
    "top_speed": "Speed at full deflection, as a share of the scene's highest frequency",
    "top_turn": "Turn at full deflection, as a share of the scene's largest offset",
    "speed_per_s": "How fast the speed follows keys and sticks; 100 %/s takes one second. Releasing acts immediately",
    "turn_per_s": "How fast the turn follows keys and sticks; 100 %/s takes one second. Releasing acts immediately",
    "amplitude_per_s": "Rate of change of the amplitude while its key is held",
}
_FAR = 0.6
"""Minimum deflection of an input to be assigned."""
_FILTER = "Mappings (*.toml)"


@dataclass(frozen=True)
class _Response:
    """Row of numbers, %: reference at full deflection, or how fast it is followed."""

    caption: str
    speed: float = 0.0
    turn: float = 0.0
    amplitude: float = 0.0


_RESPONSE_COLUMNS: dict[str, TableColumn] = {
    "caption": TableColumn(),
    **{name: TableColumn(FUNCTIONS[name].title) for name in _NUMBERED},
}
_LIMITS = {"speed": "top_speed", "turn": "top_turn"}
"""Fields of a mapping by the columns of the row of limits; the amplitude has no limit."""
_RATES = {name: f"{name}_per_s" for name in _NUMBERED}


class MappingEditor(Dialog):
    """Table of bindings; changes apply only when accepted.

    Parameters
    ----------
    shortcuts : mapping of str to str
        Titles of the window's commands by their plain keys.
    """

    def __init__(self, teleop: Teleop, shortcuts: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(parent, "Keys and Gamepad")
        self._teleop = teleop
        self._shortcuts = shortcuts
        self._held: set[int] = set()
        self._asking: TableLine[BindingValues] | None = None
        self._before: dict[Input, float] = {}
        self.numbers: dict[str, DoubleSpinBox] = {}
        theme.open_at(self, 1080, 680)
        self.devices = QLabel()
        self.message = Message()
        self.conflicts = QLabel()
        for label in (self.devices, self.conflicts):
            label.setProperty("role", "dim")
            label.setWordWrap(True)
        self.table = FieldTable[BindingValues](
            BINDING_COLUMNS, remove="Remove this binding", spacing=(10, 6)
        )
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(holder_of(column_of(self.table, 1, margins=(0, 0, 8, 0))))
        add = QPushButton("&Add Binding")
        add.setAutoDefault(False)
        add.clicked.connect(self.add)
        self.dead_man = QCheckBox("&Dead-man switch: drive only while it is held")
        self.dead_man.clicked.connect(self._judge)
        options = column_of(line_of(add, 1), self.dead_man, spacing=10)
        numbers = self._make_numbers()
        files = []
        for text, act in (
            ("&Import...", self._import),
            ("&Export...", self._export),
            ("De&faults", self._reset),
        ):
            button = QPushButton(text)
            button.setAutoDefault(False)
            button.clicked.connect(act)
            files.append(button)
        buttons, self.use = self.make_buttons("&Use")
        self.arrange(
            self.devices,
            (self._scroll, 1),
            line_of(options, 1, numbers, spacing=10),
            self.message,
            self.conflicts,
            line_of(*files, 1, buttons),
        )
        self.table.changed.connect(self._on_changed)
        self._timer = QTimer(self)
        self._timer.setInterval(33)
        self._timer.timeout.connect(self._poll)
        self.set_mapping(teleop.mapping)

    def _make_numbers(self) -> FieldTable[_Response]:
        """Return the references at full deflection and their rates: a number for each of `RANGES`."""
        table = FieldTable[_Response](_RESPONSE_COLUMNS, spacing=(10, 6))
        for caption, keys, unit, step in (
            ("Maximum", _LIMITS, "%", 5.0),
            ("Rate", _RATES, "%/s", 50.0),
        ):
            fields = {"caption": FormField("", editor=ShownText)}
            for name, key in keys.items():
                least, most = RANGES[key]
                fields[name] = FormField(
                    "",
                    name=f"{caption} {_RESPONSE_COLUMNS[name].heading}",
                    help=_TIPS[key],
                    unit=unit,
                    decimals=0,
                    minimum=100.0 * least,
                    maximum=100.0 * most,
                    step=step,
                )
            row = table.add_row(_Response(caption), fields)
            row.widget_of("caption").setProperty("role", "dim")
            for name, key in keys.items():
                self.numbers[key] = row.widget_of(name)
                if keys is _RATES:
                    row.widget_of(name).setStepType(DoubleSpinBox.StepType.AdaptiveDecimalStepType)
        table.changed.connect(self._judge)
        return table

    # --- mapping ----------------------------------------------------------------------------------

    @property
    def mapping(self) -> InputMap:
        """Mapping of the dialog; rows without an input are left out."""
        return InputMap(
            tuple(binding for row in self.table.rows if (binding := row.values.binding)),
            self.dead_man.isChecked(),
            **{key: field.value() / 100.0 for key, field in self.numbers.items()},
        )

    def set_mapping(self, mapping: InputMap) -> None:
        """Show a mapping."""
        self._ask(None)
        for row in self.table.rows[:]:
            self.table.remove_row(row)
        for binding in mapping.bindings:
            self._add(binding)
        self.dead_man.setChecked(mapping.dead_man)
        for key, field in self.numbers.items():
            field.setValue(100.0 * getattr(mapping, key))
        self._judge()

    def add(self) -> None:
        """Add a binding and wait for its input."""
        row = self._add(Binding("speed", Input("key", "")))
        self._ask(row)
        self._judge()
        # The new row has its position only after the layout ran.
        QTimer.singleShot(0, self, lambda: self._scroll.ensureWidgetVisible(row.widget_of("input")))

    def _add(self, binding: Binding) -> TableLine[BindingValues]:
        values = BindingValues.of(binding)
        row = self.table.add_row(values, fields_of(values))
        row.widget_of("input").clicked.connect(lambda: self._ask(row))
        return row

    def _on_changed(self) -> None:
        if self._asking is not None and self._asking not in self.table.rows:
            self._ask(None)
        self._judge()

    def _judge(self) -> None:
        mapping = self.mapping
        wrong = mistakes(mapping)
        if any(row.values.input is None for row in self.table.rows):
            wrong.append(
                "A binding has no input yet. Click its button to assign one, or remove the binding."
            )
        self.message.show_text("\n".join(wrong))
        self.use.setEnabled(not wrong)
        self.conflicts.setText(" ".join(conflicts(mapping, self._shortcuts)))

    def accept(self) -> None:
        self._teleop.set_mapping(self.mapping)
        super().accept()

    def reject(self) -> None:
        if self._asking is not None:
            self._ask(None)
            return
        self.set_mapping(self._teleop.mapping)
        super().reject()

    # --- files ------------------------------------------------------------------------------------

    def _import(self) -> None:
        path = ask_open(self, "Import Mapping", FileKind.MAPPING, _FILTER)
        if path is not None:
            self.read(path)

    def read(self, path: Path) -> None:
        """Show the mapping in a file, or an error message."""
        try:
            self.set_mapping(load_map(path))
        except UsageError as error:
            self.message.show_text(str(error))

    def _export(self) -> None:
        path = ask_save(self, "Export Mapping", FileKind.MAPPING, "teleoperation.toml", _FILTER)
        if path is None:
            return
        try:
            save_map(self.mapping, path)
        except UsageError as error:
            self.message.show_text(str(error))

    def _reset(self) -> None:
        self.set_mapping(DEFAULT)

    # --- inputs -----------------------------------------------------------------------------------

    def _ask(self, row: TableLine[BindingValues] | None) -> None:
        """Wait for an input for a row; None ends waiting."""
        if self._asking is not None:
            if self._asking in self.table.rows:
                show_prompt(self._asking, asking=False)
            self.releaseKeyboard()
        self._asking = row
        if row is not None:
            show_prompt(row, asking=True)
            self._before = self._teleop.gamepads.readings
            self.grabKeyboard()

    def _answer(self, source: Input, reading: float) -> None:
        row = self._asking
        if row is not None:
            row.set_values(row.values.with_input(source, reading))
            self._ask(None)
            self._judge()

    def _poll(self) -> None:
        """Update the bars, and assign a moved input to the waiting row."""
        gamepads = self._teleop.gamepads
        readings = gamepads.readings
        if self._asking is not None:
            for one, read in readings.items():
                if abs(read - self._before.get(one, 0.0)) > _FAR:
                    self._answer(one, read)
                    break
            self._before = {one: read for one, read in self._before.items() if readings.get(one)}
        held = {key_input(key): 1.0 for key in self._held}
        for row in self.table.rows:
            show_readings(row, readings | held)
        hint = (
            f"Connected: {', '.join(gamepads.names)}."
            if gamepads.names
            else gamepads.refusal or "No gamepad is plugged in."
        )
        self.devices.setText(f"{hint} Click the button of an input, then press or move that input.")

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() in (
            QEvent.Type.KeyPress,
            QEvent.Type.KeyRelease,
        ):
            key = int(event.key())
            if event.type() == QEvent.Type.KeyRelease:
                if not event.isAutoRepeat():
                    self._held.discard(key)
            elif not event.isAutoRepeat():
                self._held.add(key)
                if self._asking is not None:
                    if key == Qt.Key.Key_Escape:
                        self._ask(None)
                    elif key_input(key).key is not None:
                        self._answer(key_input(key), 1.0)
                    return True
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        self._teleop.gamepads.want(self, True)
        self._timer.start()
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._ask(None)
        self._held.clear()
        self._timer.stop()
        self._teleop.gamepads.want(self, False)
        super().hideEvent(event)
