"""The strain law of a continuous body in the parameter panels: the papers' cases, sliders, formulas, and its curve."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.formula_row import FormulaHelp, FormulaRow, sentence
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.parameter_row import ParameterRow
from snakestudio.gui.forms.sections import Section
from snakestudio.gui.scene.presets import Preset, PresetBox
from snakestudio.gui.scene.strain_shape import StrainShape, law_problem
from snakestudio.gui.scene.strain_text import SPEED, STRAIN_TITLES, STRAINS, SYMBOLS, as_formulas, readable_law
from snakestudio.model.edits import with_values
from snakestudio.model.fields import field_doc
from snakestudio.model.robot.strain import Formulas
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.field_texts import refusal

__all__ = ["StrainPanel"]


class StrainPanel(Section):
    """Choose a strain law, move its sliders or type its formulas, see what it asks for.

    Parameters
    ----------
    document : Document

    Signals
    -------
    rebuilt()
        The law is of another kind now, and `rows` are others.
    """

    rebuilt = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__("Strain law", parent=parent)
        self._document = document
        self.rows: dict[str, ParameterRow] = {}
        self.formulas: dict[str, FormulaRow] = {}
        self._kind = ""
        self._time = 0.0
        self.presets = PresetBox(STRAINS)
        self.presets.setAccessibleName("Case of the papers")
        self.presets.chosen.connect(self.choose)
        self.back = QToolButton()
        self.back.setProperty("role", "flat")
        self.back.setFixedSize(theme.scaled(26), theme.scaled(26))
        self.back.clicked.connect(self._go_back)
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(self.presets, 1)
        line.addWidget(self.back)
        self.body.addLayout(line)
        self.about = QLabel()
        self.about.setTextFormat(Qt.TextFormat.RichText)
        self.about.setWordWrap(True)
        self.add(self.about)
        self.box = ChoiceBox()
        self.box.setAccessibleName("Strain law")
        self.box.setToolTip("Kind of strain law; Formulas goes on with what the present one says")
        self.box.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for kind, title in STRAIN_TITLES.items():
            self.box.addItem(title, kind)
        self.box.activated.connect(lambda index: self._choose_kind(str(self.box.itemData(index))))
        self.message = Message()
        self._area = QWidget()
        self.shape = StrainShape()
        self.law = QLabel()
        self.law.setTextFormat(Qt.TextFormat.RichText)
        self.law.setWordWrap(True)
        self.law.setProperty("role", "card")
        self.law.setContentsMargins(12, 8, 12, 8)
        self.law.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        for widget in (self.box, self.message, self._area, self.shape, self.law):
            self.add(widget)
        self.edit_button = QPushButton("Edit as formulas")
        self.edit_button.setProperty("role", "link")
        self.edit_button.setToolTip("Go on with these formulas, numbers filled in, and type what you like")
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
        """Show what the scene says now."""
        if scene.strain.kind != self._kind:
            self._kind = scene.strain.kind
            self._make_rows(scene)
            self.message.say("")
            self.rebuilt.emit()
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(self.box.findData(scene.strain.kind))
        self.presets.refresh(scene)
        chosen = self.presets.present
        for key, row in self.rows.items():
            row.refresh()
            try:
                row.set_default(row.doc.default if chosen is None else chosen.value(key))
            except KeyError:  # the chosen law is of another kind
                row.set_default(row.doc.default)
        for formula in self.formulas.values():
            formula.refresh()
        typed = isinstance(scene.strain, Formulas)
        self.law.setVisible(not typed)
        self.edit_button.setVisible(not typed)
        self.help_button.setVisible(typed)
        if not typed:
            self.law.setText(f"<div style='line-height:135%'>{readable_law(scene.strain)}</div>")
        self._describe()
        self.show_time(self._time)

    def show_time(self, time: float) -> None:
        """Draw the law at a time, s."""
        self._time = time
        if self.isVisible():
            self.shape.show_law(self._document.scene, time)

    def show_pending(self, pending: Collection[str]) -> None:
        """Say what waits for the next reset."""
        self.message.say("Another kind of law applies at the next reset." if "strain" in pending else "")

    def show_findings(self, problems: Collection[Problem]) -> None:
        """Say at every formula what a check of the scene has found there."""
        for key, formula in self.formulas.items():
            formula.show_finding(next((sentence(p) for p in problems if p.key == key), ""))

    def forget(self) -> None:
        """Another scene was opened."""
        self.presets.forget()
        self.message.say("")
        for row in self.rows.values():
            row.field.restore()
        for formula in self.formulas.values():
            formula.restore()

    def choose(self, preset: Preset) -> None:
        """Take over a case of the papers, as one step of undo."""
        try:
            self._document.edit(preset.applied(self._document.scene), f"Preset {preset.name}")
            self.message.say("")
        except SnakeStudioError as error:
            self.message.say(refusal(error))
        # Choosing the case that is shown changes no scene but must still show it as it is.
        self.refresh(self._document.scene)

    def _choose_kind(self, kind: str) -> None:
        scene = self._document.scene
        if kind == scene.strain.kind:
            return
        try:
            if kind == "formulas":
                other = scene.model_copy(update={"strain": as_formulas(scene.strain)})
            else:
                other = with_values(scene, {"strain": {"kind": kind}})
            self._document.edit(other, f"Strain law: {STRAIN_TITLES[kind]}")
        except SnakeStudioError as error:
            self.message.say(refusal(error))
        self.refresh(self._document.scene)

    def _go_back(self) -> None:
        if self.presets.present is not None:
            self.choose(self.presets.present)

    def _make_rows(self, scene: Scene) -> None:
        for row in self.rows.values():
            row.field.restore()
        self.rows, self.formulas = {}, {}
        area = QWidget()
        column = QVBoxLayout(area)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for name in type(scene.strain).model_fields:
            key = f"strain.{name}"
            if name == "kind":
                continue
            if isinstance(scene.strain, Formulas):
                doc = field_doc(Formulas, name)
                formula = FormulaRow(
                    self._document, key, SYMBOLS.get(name, SPEED), doc.unit, doc.help, law_problem,
                    of=doc.label[:1].lower() + doc.label[1:],
                )  # fmt: skip
                formula.tried.connect(self._try)
                self.formulas[key] = formula
                column.addWidget(formula)
            else:
                self.rows[key] = ParameterRow(self._document, key)
                column.addWidget(self.rows[key])
        self.body.replaceWidget(self._area, area)
        self._area.hide()
        self._area.deleteLater()
        self._area = area
        area.show()

    def _try(self, scene: Scene) -> None:
        """Draw what is being typed before it is taken over."""
        self.shape.show_law(scene, self._time)

    def _describe(self) -> None:
        chosen, dim, changed = self.presets.present, theme.current().dim, self.presets.changed
        if chosen is None:
            self.about.setText(f"<span style='color:{dim}'>A law of its own, none of the papers.</span>")
        else:
            head = f"<span style='color:{theme.current().accent}'>changed from</span> " if changed else ""
            self.about.setText(
                f"<span style='font-size:{theme.scaled(12)}px'>{head}{chosen.help}"
                f"<br><span style='color:{dim}'>{chosen.source}</span></span>"
            )
            self.back.setToolTip(f"Back to {chosen.name} as in the papers")
        self.back.setVisible(chosen is not None and changed)
        self.back.setIcon(theme.icon("undo", "dim"))

    def renew_theme(self) -> None:
        super().renew_theme()
        self.presets.refresh(self._document.scene)
        self._describe()
        self.shape.update()
