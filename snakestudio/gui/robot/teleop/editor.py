"""The dialog that binds keys, sticks and buttons to what they do, and shows at once what each of them does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import UsageError
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_open, ask_save
from snakestudio.gui.forms.boxes import DoubleSpinBox
from snakestudio.gui.forms.dialog import Dialog
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
from snakestudio.gui.robot.teleop.rows import BindingRow
from snakestudio.gui.robot.teleop.teleop import Teleop

__all__ = ["MappingEditor"]

_HEADS = ("Function", "Input", "Does", "Share", "Dead zone", "Curve", "Now", "")
_NUMBERED: tuple[Function, ...] = ("speed", "turn", "amplitude")
_TIPS = {
    "top_speed": "Share of the scene's highest frequency that full deflection asks for",
    "top_turn": "Share of the scene's largest offset that full deflection asks for",
    "speed_per_s": "How fast the speed follows keys and sticks; 100 %/s takes a second. Letting go is never waited for",
    "turn_per_s": "How fast the turn follows keys and sticks; 100 %/s takes a second. Letting go is never waited for",
    "amplitude_per_s": "How fast the amplitude changes while its key is held",
}
_FAR = 0.6
"""So far an input must move to be meant."""
_FILTER = "Mappings (*.toml)"


class MappingEditor(Dialog):
    """A table of bindings; nothing is taken over before it is accepted.

    Parameters
    ----------
    shortcuts : mapping of str to str
        Titles of the window's commands by their plain keys.
    """

    def __init__(self, teleop: Teleop, shortcuts: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self._teleop = teleop
        self._shortcuts = shortcuts
        self._held: set[int] = set()
        self._asking_row: BindingRow | None = None
        self._before: dict[Input, float] = {}
        self.rows: list[BindingRow] = []
        self.numbers: dict[str, DoubleSpinBox] = {}
        self.setWindowTitle("Keys and Gamepad")
        theme.open_at(self, 1080, 680)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        self.devices = QLabel(self)
        self.devices.setProperty("role", "dim")
        self.devices.setWordWrap(True)
        column.addWidget(self.devices)
        column.addWidget(self._make_table(), 1)
        column.addLayout(self._make_options())
        self.mistakes, self.conflicts = Message(self), QLabel(self)
        self.conflicts.setProperty("role", "dim")
        self.conflicts.setWordWrap(True)
        column.addWidget(self.mistakes)
        column.addWidget(self.conflicts)
        column.addLayout(self._make_buttons())
        self._timer = QTimer(self)
        self._timer.setInterval(33)
        self._timer.timeout.connect(self._look)
        self.set_mapping(teleop.mapping)

    # --- the parts --------------------------------------------------------------------------------

    def _make_table(self) -> QWidget:
        scroll = self._scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget()
        scroll.setWidget(inside)
        outer = QVBoxLayout(inside)
        outer.setContentsMargins(0, 0, 8, 0)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(6)
        for place, text in enumerate(_HEADS):
            head = QLabel(text, inside)
            head.setProperty("role", "dim")
            self._grid.addWidget(head, 0, place)
        self._grid.setColumnStretch(1, 2)
        self._grid.setColumnStretch(_HEADS.index("Now"), 2)
        outer.addLayout(self._grid)
        outer.addStretch(1)
        self._inside = inside
        return scroll

    def _make_options(self) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setSpacing(10)
        left = QVBoxLayout()
        left.setSpacing(10)
        add = QPushButton("&Add Binding", self)
        add.setAutoDefault(False)
        add.clicked.connect(self.add)
        left.addWidget(add, 0, Qt.AlignmentFlag.AlignLeft)
        self.dead_man = QCheckBox("&Dead man: drive only while it is held", self)
        self.dead_man.clicked.connect(self._judge)
        left.addWidget(self.dead_man)
        line.addLayout(left)
        line.addStretch(1)
        line.addLayout(self._make_numbers())
        return line

    def _make_numbers(self) -> QGridLayout:
        """What full deflection asks for, and how fast that is followed: a number for each of `RANGES`."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        for column, name in enumerate(_NUMBERED, 1):
            head = QLabel(FUNCTIONS[name].title, self)
            head.setProperty("role", "dim")
            grid.addWidget(head, 0, column)
        for place, (text, unit) in enumerate((("At most", " %"), ("Follows by", " %/s")), 1):
            head = QLabel(text, self)
            head.setProperty("role", "dim")
            grid.addWidget(head, place, 0)
            for column, name in enumerate(_NUMBERED, 1):
                key = f"top_{name}" if place == 1 else f"{name}_per_s"
                if key not in RANGES:  # all of the amplitude can always be asked for
                    continue
                field = self.numbers[key] = DoubleSpinBox(self)
                least, most = RANGES[key]
                field.setRange(100.0 * least, 100.0 * most)
                field.setDecimals(0)
                field.setSuffix(unit)
                field.setSingleStep(5.0 if place == 1 else 50.0)
                field.setStepType(
                    DoubleSpinBox.StepType.DefaultStepType
                    if place == 1
                    else DoubleSpinBox.StepType.AdaptiveDecimalStepType
                )
                field.setToolTip(_TIPS[key])
                field.setAccessibleName(f"{text} {FUNCTIONS[name].title}")
                field.valueChanged.connect(self._judge)
                grid.addWidget(field, place, column)
        return grid

    def _make_buttons(self) -> QHBoxLayout:
        line = QHBoxLayout()
        for text, act in (
            ("&Import ...", self._import),
            ("&Export ...", self._export),
            ("De&faults", self._reset),
        ):
            button = QPushButton(text, self)
            button.setAutoDefault(False)
            button.clicked.connect(act)
            line.addWidget(button)
        line.addStretch(1)
        buttons = QDialogButtonBox(self)
        self.use = buttons.addButton("&Use", QDialogButtonBox.ButtonRole.AcceptRole)
        theme.set_role(self.use, "primary")
        buttons.addButton("&Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        line.addWidget(buttons)
        return line

    # --- the mapping ------------------------------------------------------------------------------

    @property
    def mapping(self) -> InputMap:
        """What the dialog says now; rows without an input are left out."""
        return InputMap(
            tuple(binding for row in self.rows if (binding := row.binding) is not None),
            self.dead_man.isChecked(),
            **{key: field.value() / 100.0 for key, field in self.numbers.items()},
        )

    def set_mapping(self, mapping: InputMap) -> None:
        """Show a mapping."""
        self._ask(None)
        for row in self.rows[:]:
            self._drop(row)
        for binding in mapping.bindings:
            self._add(binding)
        self.dead_man.setChecked(mapping.dead_man)
        for key, field in self.numbers.items():
            field.setValue(100.0 * getattr(mapping, key))
        self._judge()

    def add(self) -> None:
        """Another binding; its input is asked for at once."""
        row = self._add(Binding("speed", Input("key", "")))
        self._ask(row)
        self._judge()
        # The new row has its place only once the layout was made.
        QTimer.singleShot(0, self, lambda: self._scroll.ensureWidgetVisible(row.source))

    def _add(self, binding: Binding) -> BindingRow:
        row = BindingRow(binding, self._judge, self._ask, self._inside)
        self.rows.append(row)
        remove = QToolButton(self._inside)
        theme.set_icon(remove, "close", "dim")
        remove.setProperty("role", "flat")
        remove.setToolTip("Remove this binding")
        remove.clicked.connect(lambda: self._drop(row))
        remove.clicked.connect(self._judge)
        line = self._grid.rowCount()
        for place, widget in enumerate((*row.widgets, remove)):
            self._grid.addWidget(widget, line, place)
        return row

    def _drop(self, row: BindingRow) -> None:
        if self._asking_row is row:
            self._ask(None)
        line = self._grid.getItemPosition(self._grid.indexOf(row.function))[0]  # type: ignore[index]
        for place in range(len(_HEADS)):
            item = self._grid.itemAtPosition(line, place)
            widget = item.widget() if item is not None else None
            if widget is not None:
                self._grid.removeWidget(widget)
                widget.deleteLater()
        self.rows.remove(row)

    def _judge(self) -> None:
        mapping = self.mapping
        wrong = mistakes(mapping)
        if any(row.input is None for row in self.rows):
            wrong.append("A binding has no input yet; press its button, or remove it.")
        self.mistakes.say("\n".join(wrong))
        self.use.setEnabled(not wrong)
        self.conflicts.setText(" ".join(conflicts(mapping, self._shortcuts)))

    def accept(self) -> None:
        self._teleop.set_mapping(self.mapping)
        super().accept()

    def reject(self) -> None:
        if self._asking_row is not None:
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
        """Show the mapping in a file, or say what is wrong with that."""
        try:
            self.set_mapping(load_map(path))
        except UsageError as error:
            self.mistakes.say(str(error))

    def _export(self) -> None:
        path = ask_save(self, "Export Mapping", FileKind.MAPPING, "teleoperation.toml", _FILTER)
        if path is None:
            return
        try:
            save_map(self.mapping, path)
        except UsageError as error:
            self.mistakes.say(str(error))

    def _reset(self) -> None:
        self.set_mapping(DEFAULT)

    # --- inputs -----------------------------------------------------------------------------------

    def _ask(self, row: BindingRow | None) -> None:
        """Wait for an input for a row; None: no more."""
        if self._asking_row is not None:
            self._asking_row.show_input()
            self.releaseKeyboard()
        self._asking_row = row
        if row is not None:
            row.show_input(asking=True)
            self._before = self._teleop.gamepads.readings
            self.grabKeyboard()

    def _answer(self, found: Input, read: float) -> None:
        row = self._asking_row
        if row is not None:
            row.take(found, read)
            self._ask(None)
            self._judge()

    def _look(self) -> None:
        """Move the bars, and see whether something was moved for who waits."""
        gamepads = self._teleop.gamepads
        readings = gamepads.readings
        if self._asking_row is not None:
            for one, read in readings.items():
                if abs(read - self._before.get(one, 0.0)) > _FAR:
                    self._answer(one, read)
                    break
            self._before = {one: read for one, read in self._before.items() if readings.get(one)}
        held = {key_input(key): 1.0 for key in self._held}
        for row in self.rows:
            row.show_readings(readings | held)
        there = (
            f"Connected: {', '.join(gamepads.names)}."
            if gamepads.names
            else gamepads.refusal or "No gamepad is plugged in."
        )
        self.devices.setText(
            f"{there} Press an input's button here, then press or move the input itself."
        )

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
                if self._asking_row is not None:
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
