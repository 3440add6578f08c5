"""The window that makes arrays of obstacles: what is typed is seen in the viewport at once, OK makes it one step."""

from __future__ import annotations

from pydantic import ValidationError
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.preview import Preview
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.scene.obstacle_commands import ObstacleCommands
from snakestudio.model.edits.arrays import PATTERN_FIELDS, PATTERNS, Array, ArrayPlan, arrayed, suited
from snakestudio.model.edits.presets import PRESETS
from snakestudio.model.fields import field_doc
from snakestudio.model.formula.quantity import NumberTextError, parse_number
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.scene import Scene
from snakestudio.text import capitalized
from snakestudio.viewmodel.field_texts import number_kind
from snakestudio.viewmodel.scene.items import refusal_text

__all__ = ["ArrayDialog"]

_SELECTED = ""
"""Stands for what is selected, among the names of presets."""


class ArrayDialog(Dialog):
    """Pattern, numbers, and what it will be.

    Parameters
    ----------
    document : Document
    selection : Selection
    commands : ObstacleCommands
        Know where there is room for something new.
    preview : Preview
        Shows the copies before they are in the scene.
    """

    def __init__(
        self,
        document: Document,
        selection: Selection,
        commands: ObstacleCommands,
        preview: Preview,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Array")
        self._document, self._selection = document, selection
        self._commands, self._preview = commands, preview
        self.plan = ArrayPlan()
        self._made: Array | None = None
        self._problem = ""
        self._typed: set[str] = set()
        self._fresh: tuple[Obstacle, ...] = ()
        self.fields: dict[str, NumberField] = {}
        self._lines: dict[str, tuple[QWidget, ...]] = {}

        self.what = ChoiceBox()
        self.what.setToolTip("What is copied")
        self.what.activated.connect(self._on_what)
        self.pattern = ChoiceBox()
        self.pattern.setToolTip(field_doc(ArrayPlan, "pattern").help)
        for name, title in PATTERNS.items():
            self.pattern.addItem(title, name)
        self.pattern.setCurrentIndex(self.pattern.findData(self.plan.pattern))
        self.pattern.activated.connect(lambda _: self._set("pattern", self.pattern.currentData()))
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnMinimumWidth(1, 150)
        self._grid.setColumnMinimumWidth(2, 28)
        for line, (text, box) in enumerate((("Copies of", self.what), ("Pattern", self.pattern))):
            label = QLabel(text)
            label.setBuddy(box)
            self._grid.addWidget(label, line, 0)
            self._grid.addWidget(box, line, 1, 1, 2)
        for name in dict.fromkeys(name for names in PATTERN_FIELDS.values() for name in names):
            self._add_line(name)
        self.message = Message()
        self.summary = QLabel()
        self.summary.setWordWrap(True)
        self.summary.setFixedWidth(300)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )  # fmt: skip
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText("Make Array")
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setProperty("role", "primary")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)  # as high as its pattern needs
        column.addLayout(self._grid)
        column.addWidget(self.message)
        column.addWidget(self.summary)
        column.addWidget(self.buttons)
        selection.changed.connect(self._on_selection)
        document.scene_changed.connect(self._on_scene)
        document.opened.connect(self.reject)

    def _add_line(self, name: str) -> None:
        doc, line = field_doc(ArrayPlan, name), self._grid.rowCount()
        label, unit = QLabel(doc.label), QLabel(doc.unit)
        unit.setProperty("role", "unit")
        kind = number_kind(ArrayPlan, name)
        editor: QWidget
        if kind is None:
            box = editor = QCheckBox()
            box.setChecked(getattr(self.plan, name))
            box.clicked.connect(lambda on, name=name: self._set(name, bool(on)))
        else:
            field = editor = NumberField(doc, integer=kind[0])
            field.set_value(getattr(self.plan, name))
            field.committed.connect(lambda value, again, name=name: self._set(name, value))
            field.textEdited.connect(lambda text, name=name: self._type(name, text))
            field.problem_changed.connect(self._show)
            self.fields[name] = field
        editor.setAccessibleName(doc.label)
        label.setBuddy(editor)
        for widget in (label, editor, unit):
            widget.setToolTip(doc.help)
        self._grid.addWidget(label, line, 0)
        self._grid.addWidget(editor, line, 1)
        self._grid.addWidget(unit, line, 2)
        self._lines[name] = label, editor, unit

    # --- what is typed --------------------------------------------------------------------------------------------

    def _set(self, name: str, value: object) -> None:
        self.plan = self.plan.model_copy(update={name: value})
        self._typed.add(name)
        self._renew()

    def _type(self, name: str, text: str) -> None:
        """Show what is being typed as far as it makes sense; the field says the rest when it is done."""
        field = self.fields[name]
        try:
            value = parse_number(text, field.doc.unit)
        except NumberTextError:
            return
        if not field.range_problem(value):
            kind = number_kind(ArrayPlan, name)
            self._set(name, round(value) if kind is not None and kind[0] else value)

    def _on_what(self) -> None:
        self._fresh = ()
        self._suit()
        self._renew()

    def _suit(self) -> None:
        """Take distances that suit what is copied, but for those that somebody chose."""
        sources = self._sources()
        if not sources:
            return
        plan = suited(self.plan, sources)
        self.plan = plan.model_copy(update={name: getattr(self.plan, name) for name in self._typed})
        for name, field in self.fields.items():
            field.set_value(getattr(self.plan, name))

    def _sources(self) -> tuple[Obstacle, ...]:
        """What is copied."""
        name = self.what.currentData()
        if name and not self._fresh:
            self._fresh = self._commands.fresh(name)
        return self._fresh if name else tuple(self._document.scene.obstacles[i] for i in self._selection.obstacles)

    def _on_selection(self) -> None:
        if self.isVisible():
            self._offer()
            self._suit()
            self._renew()

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        if self.isVisible():
            self._fresh = ()
            self._offer()
            self._renew()

    def _offer(self) -> None:
        """Fill the list of what can be copied; what was chosen stays, if it can."""
        chosen = self._selection.obstacles
        now = self.what.currentData()
        self.what.clear()
        if chosen:
            text = self._commands.arrange.what(chosen).removeprefix("group ")
            self.what.addItem(f"{capitalized(text)} (selected)", _SELECTED)
        for preset in PRESETS.values():
            self.what.addItem(theme.icon(preset.icon), f"New {preset.title.lower()}", preset.name)
        found = self.what.findData(now) if now else 0
        self.what.setCurrentIndex(max(0, found))

    def _renew(self) -> None:
        """Make the array again, and show it."""
        self._made, problem = None, ""
        scene, fresh = self._document.scene, self._sources()
        indices = self._selection.obstacles if self.what.currentData() == _SELECTED else ()
        try:
            self._made = arrayed(scene, self.plan, indices, fresh, self._document.base_dir)
        except ValidationError:
            problem = "Some of it would be more than 10 km away; take a smaller spacing."
        except SnakeStudioError as error:
            problem = refusal_text(error, scene)
        except ValueError as error:
            problem = str(error)
        self._preview.show(self._made.scene.obstacles[len(scene.obstacles) :] if self._made is not None else ())
        self._problem = problem
        self._show()

    def _show(self) -> None:
        shown = PATTERN_FIELDS[self.plan.pattern]
        for name, widgets in self._lines.items():
            for widget in widgets:
                widget.setVisible(name in shown)
        typed = next((field.problem for name, field in self.fields.items() if name in shown and field.problem), "")
        self.message.say(typed or self._problem)
        self.summary.setText(self._made.sentence if self._made is not None and not typed else "")
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(self._made is not None and not typed)

    # --- opening and closing --------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Make it one step and select it."""
        self._renew()
        made = self._made
        if made is None:
            return
        super().accept()
        self._document.edit(made.scene, f"Array of {len(made.indices)} obstacles")
        self._selection.set([("obstacle", i) for i in made.indices])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fresh = ()
        self._offer()
        if not self._selection.obstacles:
            self.what.setCurrentIndex(max(0, self.what.findData(self._commands.next_kind)))
        self._suit()
        self._renew()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._preview.clear()
