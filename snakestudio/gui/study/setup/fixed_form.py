"""Values of the scene that are others in all runs of a study."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from snakestudio.errors import SceneError
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.setup.cards import Card, CardForm, dim, line_of, text_field
from snakestudio.gui.study.setup.key_field import KeyField
from snakestudio.model.edits import get_value
from snakestudio.viewmodel.field_texts import refusal
from snakestudio.viewmodel.study.study_values import changed, doc_of, text_of, title_of, value_of

__all__ = ["FixedForm"]


class FixedCard(Card):
    """A value that is another one in all runs."""

    def __init__(self, open_study: OpenStudy, index: int) -> None:
        fixed = open_study.study.fixed
        scene = open_study.findings.scene
        self.of = list(fixed)[index]
        super().__init__(open_study, index, "fixed", title_of(scene, (self.of,)))
        self.key = f"fixed.{self.of}"
        self.removed.connect(self._remove)
        doc = doc_of(scene, (self.of,))
        self.column.addWidget(dim(self.of))
        self.value = text_field(doc.label, f"{doc.help}.", self._take)
        unit = QLabel(doc.unit)
        unit.setProperty("role", "unit")
        self.column.addLayout(line_of(self.value, unit))
        self.end()

    def refresh(self) -> None:
        if not self.value.isModified() and self.of in self._open.study.fixed:
            self.value.setText(text_of(self._open.study.fixed[self.of]))
        self.show_findings()

    def _take(self, text: str) -> None:
        fixed = dict(self._open.study.fixed)
        fixed[self.of] = value_of(text, fixed.get(self.of))
        self._open.edit(changed(self._open.study, fixed=fixed))

    def _remove(self) -> None:
        fixed = {key: value for key, value in self._open.study.fixed.items() if key != self.of}
        self._open.edit(changed(self._open.study, fixed=fixed))


class FixedForm(CardForm[FixedCard]):
    """All of them, and a field that adds another one."""

    def __init__(self, open_study: OpenStudy) -> None:
        add = KeyField("Set a value for all runs …", lambda: open_study.findings.scene)
        super().__init__(open_study, FixedCard, add)
        self.add = add
        add.chosen.connect(self._add)

    def refresh(self) -> None:
        known = self._open.findings.scene is not None
        self.show_parts([(key, known) for key in self._open.study.fixed])

    def _add(self, keys: tuple[str, ...]) -> None:
        study = self._open.study
        scene = self._open.findings.scene
        fixed = dict(study.fixed)
        for key in keys:
            try:
                present = get_value(scene, key) if scene is not None else 0.0
            except SceneError as error:
                self.message.say(f"{refusal(error).rstrip('.')} ({key}).")
                return
            fixed.setdefault(key, present if isinstance(present, bool | int | float | str) else 0.0)
        self.message.say("")
        self._open.edit(changed(study, fixed=fixed))
