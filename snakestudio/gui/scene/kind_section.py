"""Sections of the parameter panels for parts with several kinds: gait, controller, strain law, contacts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.formula_editor import FormulaEditor
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.sections import Section
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.scene.presets import PresetBox, PresetLibrary, ScenePreset
from snakestudio.gui.scene.value_rows import (
    Check,
    formula_row,
    is_editable,
    panel_row,
    sentence_about,
)
from snakestudio.model.edits import get_value
from snakestudio.model.fields import FieldDoc
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.papers import cited
from snakestudio.viewmodel.scene.message_labels import refusal


class KindRows(QWidget):
    """Rows for the values of a part of the scene, rebuilt when its kind changes.

    Parameters
    ----------
    fill : callable
        Adds the rows for a scene.
    """

    def __init__(
        self, document: Document, fill: Callable[[Scene], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._fill = fill
        self._target: object = None
        self.rows: dict[str, ValueRow] = {}
        """Rows by dotted scene key."""
        self._area = QWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._area)

    def rebuild(self, scene: Scene, target: object) -> bool:
        """Rebuild all rows unless they are for `target`; return whether they were rebuilt."""
        if target == self._target:
            return False
        self._target = target
        self.restore()
        self.rows = {}
        old = self._area
        self._area = QWidget()
        self._column = QVBoxLayout(self._area)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._fill(scene)
        layout = self.layout()
        assert layout is not None
        layout.replaceWidget(old, self._area)
        old.hide()
        old.deleteLater()
        self._area.show()  # the next layout would show it too late
        self.setVisible(self._column.count() > 0)
        return True

    def reset(self) -> None:
        """Force a rebuild of the rows."""
        self.restore()
        self._target = None

    def restore(self) -> None:
        """Discard typed texts."""
        for row in self.rows.values():
            row.restore()

    def add(self, widget: QWidget) -> None:
        """Add a widget as a row."""
        self._column.addWidget(widget)

    def add_row(self, row: ValueRow) -> None:
        """Add the row of a value."""
        self.rows[row.key] = row
        self.add(row)

    def add_value(self, key: str) -> None:
        """Add the row of a value."""
        self.add_row(panel_row(self._document, key))

    def add_all(self, part: str, scene: Scene) -> None:
        """Add rows for all values of a part."""
        for name in type(get_value(scene, part)).model_fields:
            if name != "kind" and is_editable(scene, f"{part}.{name}"):
                self.add_value(f"{part}.{name}")

    def refresh(self) -> None:
        """Show the values of the scene, and which of them have no effect."""
        for row in self.rows.values():
            row.refresh()


class KindSection(Section):
    """Section with a row for each value of the current kind, rebuilt when the kind changes.

    Signals
    -------
    rebuilt()
        The kind has changed, and `rows` are new.
    """

    rebuilt = Signal()

    def __init__(self, title: str, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(title, parent=parent)
        self._document = document
        self.message = Message()
        self._rows = KindRows(document, self._fill)

    @property
    def rows(self) -> dict[str, ValueRow]:
        """Rows by scene key."""
        return self._rows.rows

    def refresh(self, scene: Scene) -> None:
        """Show the values of the scene."""
        raise NotImplementedError

    def reset(self) -> None:
        """Reset for another scene."""
        self.message.show_text("")
        self._rows.restore()

    # --- the rows ---------------------------------------------------------------------------------

    def _make_rows(self, scene: Scene, target: object) -> None:
        """Rebuild all rows unless they are for `target`."""
        if self._rows.rebuild(scene, target):
            self.message.show_text("")
            self.rebuilt.emit()

    def _fill(self, scene: Scene) -> None:
        """Add the rows of the scene's kind."""
        raise NotImplementedError

    def _add_formula(self, key: str, symbol: str, doc: FieldDoc, check: Check) -> FormulaEditor:
        """Add a row for a formula, and return its editor."""
        row = formula_row(self._document, key, doc, check, symbol=symbol)
        self._rows.add_row(row)
        assert isinstance(row.editor, FormulaEditor)
        return row.editor

    def show_problems(self, problems: Collection[Problem]) -> None:
        """Show the problems that a check of the scene found in each formula."""
        for row in self.rows.values():
            if isinstance(row.editor, FormulaEditor):
                row.show_report(sentence_about(problems, row.key))

    # --- the kind ---------------------------------------------------------------------------------

    def _kind_box(
        self, name: str, kinds: Mapping[str, str], choose: Callable[[str], None]
    ) -> ChoiceBox:
        """Return a choice among kinds by their titles."""
        box = ChoiceBox()
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for kind, title in kinds.items():
            box.addItem(title, kind)
        box.activated.connect(lambda index: choose(str(box.itemData(index))))
        return box

    def update_kinds(self) -> None:
        """Offer the available kinds, and rebuild the rows."""
        self._offer_kinds()
        self._rows.reset()
        self.refresh(self._document.scene)

    def _offer_kinds(self) -> None:
        """Offer the available kinds."""
        raise NotImplementedError

    def _edit(self, change: Callable[[Scene], Scene], text: str) -> None:
        """Change the scene as one undo step, or show why that failed."""
        try:
            self._document.edit(change(self._document.scene), text)
            self.message.show_text("")
        except SnakeStudioError as error:
            self.message.show_text(refusal(error, self._document.scene))


class PresetSection(KindSection):
    """Section with a library of presets at its top."""

    def __init__(
        self,
        title: str,
        document: Document,
        library: PresetLibrary,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(title, document, parent)
        self._library = library
        self.presets = PresetBox(library.presets, library.unsuitable)
        self.presets.setAccessibleName(library.name)
        self.presets.chosen.connect(self.choose)
        self.back = QToolButton()
        self.back.setProperty("role", "flat")
        self.back.setFixedSize(theme.scaled(26), theme.scaled(26))
        self.back.clicked.connect(self._restore_preset)
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(self.presets, 1)
        line.addWidget(self.back)
        self.body.addLayout(line)
        self.about = QLabel()
        self.about.setTextFormat(Qt.TextFormat.RichText)
        self.about.setWordWrap(True)
        self.add(self.about)

    def choose(self, preset: ScenePreset) -> None:
        """Apply a preset as one undo step."""
        self._edit(preset.applied, self._step_text(preset))
        # Choosing the current preset does not change the scene, but its values must be shown again.
        self.refresh(self._document.scene)

    def _step_text(self, preset: ScenePreset) -> str:
        """Return the undo text of that step."""
        return f"Preset {preset.name}"

    def reset(self) -> None:
        self.presets.reset()
        super().reset()

    def _restore_preset(self) -> None:
        if self.presets.preset is not None:
            self.choose(self.presets.preset)

    def _default_of(self, row: ValueRow) -> Any:
        """Return the default of a row: the value of the preset if that is of the same kind."""
        chosen = self.presets.preset
        try:
            return row.binding.declared_default if chosen is None else chosen.value(row.key)
        except KeyError:
            return row.binding.declared_default

    def _note(self) -> str:
        """Note shown instead of the preset; "" for none."""
        return (
            f"Custom {self._library.one}, not from the {self._library.source}."
            if self.presets.preset is None
            else ""
        )

    def _describe(self) -> None:
        """Show the description of the preset, or a note."""
        chosen = self.presets.preset
        dim = theme.current().dim
        changed = self.presets.changed
        note = self._note()
        if note or chosen is None:
            self.about.setText(f"<span style='color:{dim}'>{note}</span>")
        else:
            head = (
                f"<span style='color:{theme.current().accent}'>Modified preset</span> "
                f"“{chosen.name}”. "
                if changed
                else ""
            )
            self.about.setText(
                f"<span style='font-size:{theme.scaled(12)}px'>{head}{chosen.help}"
                f"<br><span style='color:{dim}'>{cited(chosen.source)}</span>{self._reason(chosen)}</span>"
            )
        if chosen is not None:
            self.back.setToolTip(f"Reset to {chosen.name} from the {self._library.source}")
        self.back.setVisible(chosen is not None and changed)
        self.back.setIcon(theme.icon("undo", "dim"))

    def _reason(self, preset: ScenePreset) -> str:
        """Return the reason why a preset does not suit the scene, as a separate line."""
        reason = self.presets.reason(preset)
        return (
            f"<br><span style='color:{theme.current().warning}'>{reason}</span>" if reason else ""
        )

    def apply_theme(self) -> None:
        super().apply_theme()
        self.presets.refresh(self._document.scene)
        self._describe()
