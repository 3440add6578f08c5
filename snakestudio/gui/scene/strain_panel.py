"""Strain law section of the parameter panels: the papers' cases, sliders, formulas, and a plot."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from snakestudio.errors import SceneError
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.formula_editor import FormulaHelp
from snakestudio.gui.scene.kind_section import PresetSection
from snakestudio.gui.scene.presets import PresetLibrary
from snakestudio.gui.scene.strain_shape import StrainShape, law_problem
from snakestudio.gui.scene.strain_text import (
    SPEED,
    STRAIN_TITLES,
    STRAINS,
    SYMBOLS,
    as_formulas,
    readable_law,
)
from snakestudio.model.edits import with_value, with_values
from snakestudio.model.fields import field_doc
from snakestudio.model.scene import Scene


class StrainPanel(PresetSection):
    """Selects a strain law, edits its values or formulas, and plots its strains."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        library = PresetLibrary(STRAINS, name="Case of the papers", one="law", source="papers")
        super().__init__("Strain law", document, library, parent)
        self.time = 0.0
        """Time of the plot, s."""
        self.box = self._kind_box("Strain law", STRAIN_TITLES, self._choose_kind)
        self.box.setToolTip("Kind of strain law; Formulas starts from the current law")
        self.shape = StrainShape()
        self.law = QLabel()
        self.law.setTextFormat(Qt.TextFormat.RichText)
        self.law.setWordWrap(True)
        self.law.setProperty("role", "card")
        self.law.setContentsMargins(12, 8, 12, 8)
        self.law.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        for widget in (self.box, self.message, self._rows, self.shape, self.law):
            self.add(widget)
        self.edit_button = QPushButton("Edit as formulas")
        self.edit_button.setProperty("role", "link")
        self.edit_button.setToolTip("Edit these formulas, with their numbers filled in")
        self.edit_button.clicked.connect(lambda: self._choose_kind("formulas"))
        self.help_button = FormulaHelp()
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.edit_button)
        foot.addWidget(self.help_button)
        foot.addStretch(1)
        self.body.addLayout(foot)
        self.refresh(document.scene)

    def refresh(self, scene: Scene) -> None:
        """Show the values of the scene."""
        self._make_rows(scene, scene.strain.kind)
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(self.box.findData(scene.strain.kind))
        self.presets.refresh(scene)
        for row in self.rows.values():
            row.set_default(self._default_of(row))
            row.refresh()
        typed = scene.strain.typed
        self.law.setVisible(not typed)
        self.edit_button.setVisible(not typed)
        self.help_button.setVisible(typed)
        if not typed:
            self.law.setText(f"<div style='line-height:135%'>{readable_law(scene.strain)}</div>")
        self._describe()
        self.show_time(self.time)

    def show_time(self, time: float) -> None:
        """Draw the law at a time, s."""
        self.time = time
        if self.isVisible():
            self.shape.show_law(self._document.scene, time)

    def show_pending(self, pending: Collection[str]) -> None:
        """Show which changes wait for the next reset."""
        self.message.show_text(
            "The new strain law takes effect at the next reset." if "strain" in pending else ""
        )

    def _choose_kind(self, kind: str) -> None:
        if kind == self._document.scene.strain.kind:
            return

        def changed(scene: Scene) -> Scene:
            if kind == "formulas":
                return scene.model_copy(update={"strain": as_formulas(scene.strain)})
            return with_values(scene, {"strain": {"kind": kind}})

        self._edit(changed, f"Strain law: {STRAIN_TITLES[kind]}")
        self.refresh(self._document.scene)

    def _fill(self, scene: Scene) -> None:
        for name in type(scene.strain).model_fields:
            key = f"strain.{name}"
            if name == "kind":
                continue
            if scene.strain.typed:
                symbol = SYMBOLS.get(name, SPEED)
                doc = field_doc(type(scene.strain), name)
                editor = self._add_formula(key, symbol, doc, law_problem)
                editor.tried.connect(partial(self._try, key))
            else:
                self._rows.add_value(key)

    def _try(self, key: str, text: str) -> None:
        """Plot an edited formula before it is applied."""
        with suppress(SceneError):  # the kind of law may have changed meanwhile
            self.shape.show_law(with_value(self._document.scene, key, text), self.time)

    def apply_theme(self) -> None:
        super().apply_theme()
        self.shape.update()
