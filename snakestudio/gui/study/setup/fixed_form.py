"""Form for the scene values that are overridden in all runs of a study."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.errors import SceneError
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.editors import ShownText
from snakestudio.gui.forms.form_fields import FormField
from snakestudio.gui.forms.text_field import TextField
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.setup.cards import Card, CardForm, dim
from snakestudio.gui.study.setup.key_field import KeyField
from snakestudio.model.edits import get_value
from snakestudio.viewmodel.scene.message_labels import refusal
from snakestudio.viewmodel.study.study_values import changed, doc_of, text_of, title_of, value_of


@dataclass(frozen=True)
class _Value:
    """Value shown by a card."""

    text: str
    unit: str


class FixedCard(Card):
    """Card for a value overridden in all runs."""

    def __init__(self, open_study: OpenStudy, index: int) -> None:
        fixed = open_study.study.fixed
        scene = open_study.study_check.scene
        self.of = list(fixed)[index]
        super().__init__(open_study, index, "fixed", title_of(scene, (self.of,)))
        self.key = f"fixed.{self.of}"
        self.removed.connect(self._remove)
        doc = doc_of(scene, (self.of,))
        fields = {
            "text": FormField("", wide=True, name=doc.label, help=f"{doc.help}.", live=False),
            "unit": FormField("", place="beside", editor=ShownText),
        }
        values = _Value(text_of(fixed[self.of]), doc.unit)
        self.form = DeclaredForm(values, fields, self, enter_accepts=False)
        self.form.widget_of("unit").setProperty("role", "unit")
        self.value = self.form.widget("text", TextField)
        self.column.addWidget(dim(self.of))
        self.column.addWidget(self.form)
        self.form.changed.connect(self._edit)
        self.end()

    def refresh(self) -> None:
        if self.of in self._open.study.fixed:
            self.form.set(text=text_of(self._open.study.fixed[self.of]))
        self.show_problems()

    def _edit(self) -> None:
        fixed = dict(self._open.study.fixed)
        text = self.form.values.text
        if self.of in fixed and text != text_of(fixed[self.of]):
            fixed[self.of] = value_of(text, fixed[self.of])
            self._open.edit(changed(self._open.study, fixed=fixed))

    def _remove(self) -> None:
        fixed = {key: value for key, value in self._open.study.fixed.items() if key != self.of}
        self._open.edit(changed(self._open.study, fixed=fixed))


class FixedForm(CardForm[FixedCard]):
    """All fixed overrides, and a field that adds another one."""

    def __init__(self, open_study: OpenStudy) -> None:
        add = KeyField("Set a value for all runs...", lambda: open_study.study_check.scene)
        super().__init__(open_study, FixedCard, add)
        self.add = add
        add.chosen.connect(self._add)

    def refresh(self) -> None:
        known = self._open.study_check.scene is not None
        self.show_parts([(key, known) for key in self._open.study.fixed])

    def _add(self, keys: tuple[str, ...]) -> None:
        study = self._open.study
        scene = self._open.study_check.scene
        fixed = dict(study.fixed)
        for key in keys:
            try:
                present = get_value(scene, key) if scene is not None else 0.0
            except SceneError as error:
                self.message.show_text(str(error) if scene is None else refusal(error, scene))
                return
            fixed.setdefault(key, present if isinstance(present, bool | int | float | str) else 0.0)
        self.message.show_text("")
        self._open.edit(changed(study, fixed=fixed))
