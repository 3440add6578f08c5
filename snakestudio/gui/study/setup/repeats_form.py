"""How often every point is run, and what differs from repeat to repeat."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QLabel

from snakestudio.gui.forms.number_field import NumberField
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.setup.cards import Card, CardForm, choice, dim, line_of, number
from snakestudio.gui.study.setup.key_field import KeyField
from snakestudio.model.fields import field_doc
from snakestudio.study.description import Jitter, Repeats
from snakestudio.viewmodel.study.study_values import (
    changed,
    doc_of,
    parts_with,
    parts_without,
    title_of,
)

__all__ = ["RepeatsForm"]

_LAWS = {"normal": "normal, standard deviation", "uniform": "uniform, half the width"}


class JitterCard(Card):
    """A value that differs a little from repeat to repeat."""

    def __init__(self, open_study: OpenStudy, index: int) -> None:
        scene = open_study.findings.scene
        jitter = open_study.study.repeats.jitter[index]
        super().__init__(open_study, index, "repeats.jitter", title_of(scene, (jitter.key,)))
        self.removed.connect(self._remove)
        self.column.addWidget(dim(jitter.key))
        self._of = doc_of(scene, (jitter.key,))
        self.law = choice("How it is distributed", _LAWS, lambda law: self._edit(law=law))
        self.spread = number(
            field_doc(Jitter, "spread")._replace(slider=(0.0, 1.0)),
            "Spread",
            lambda v: self._edit(spread=float(v or 0.0)),
            self,
        )
        self.unit = QLabel()
        self.unit.setProperty("role", "unit")
        self.relative = QCheckBox("of the value")
        self.relative.setToolTip(field_doc(Jitter, "relative").help)
        self.relative.clicked.connect(lambda on: self._edit(relative=on))
        self.column.addLayout(line_of(self.law))
        self.column.addLayout(line_of(self.spread, self.unit, self.relative, 1))
        self.end()

    @property
    def jitter(self) -> Jitter:
        """What it shows."""
        return self._open.study.repeats.jitter[self.index]

    def refresh(self) -> None:
        jitter = self.jitter
        self.spread.set_value(jitter.spread)
        self.unit.setText("×" if jitter.relative else self._of.unit)
        self.relative.setChecked(jitter.relative)
        self.law.setCurrentIndex(self.law.findData(jitter.law))
        self.show_findings()

    def _edit(self, **values: object) -> None:
        repeats = self._open.study.repeats
        self._set(parts_with(repeats.jitter, self.index, changed(self.jitter, **values)))

    def _remove(self) -> None:
        self._set(parts_without(self._open.study.repeats.jitter, self.index))

    def _set(self, jitter: tuple[Jitter, ...]) -> None:
        study = self._open.study
        self._open.edit(changed(study, repeats=changed(study.repeats, jitter=jitter)))


class RepeatsForm(CardForm[JitterCard]):
    """Count, seed, and what differs."""

    def __init__(self, open_study: OpenStudy) -> None:
        add = KeyField(
            "Let a value differ from repeat to repeat …",
            lambda: open_study.findings.scene,
            all_obstacles=True,
        )
        super().__init__(open_study, JitterCard, add)
        self.add = add
        add.chosen.connect(self._add)
        self._typed: dict[str, str] = {}
        self.count, self.seed = self._number("count", 48), self._number("seed", 68)
        self._seeded = dim("seed")
        self._seeded.setToolTip(field_doc(Repeats, "seed").help)
        self.column.insertLayout(0, line_of(self.count, dim("runs of every point"), 1))
        self.column.insertLayout(1, line_of(self._seeded, self.seed, 1))

    def _number(self, name: str, width: int) -> NumberField:
        doc = field_doc(Repeats, name)._replace(slider=(1.0, 50.0))
        field = number(doc, doc.label, lambda v: self._edit(**{name: v}), integer=True, width=width)
        field.problem_changed.connect(lambda sentence: self._say(name, sentence))
        return field

    def refresh(self) -> None:
        repeats = self._open.study.repeats
        scene = self._open.findings.scene
        self.count.set_value(repeats.count)
        self.seed.set_value(repeats.seed)
        several = repeats.count > 1
        self.seed.setVisible(several)
        self._seeded.setVisible(several)
        self.add.setVisible(several or bool(repeats.jitter))
        self.show_parts([(jitter.key, scene is not None) for jitter in repeats.jitter])
        self._show_messages()

    def _show_messages(self) -> None:
        typed = [sentence for sentence in self._typed.values() if sentence]
        found = self._open.findings
        whole = [
            found.of(key) for key in ("repeats", "repeats.count", "repeats.seed", "repeats.jitter")
        ]
        self.message.say("\n".join(filter(None, [*typed, *whole])))

    def _say(self, name: str, sentence: str) -> None:
        self._typed[name] = sentence
        self._show_messages()

    def _edit(self, **values: object) -> None:
        study = self._open.study
        self._open.edit(changed(study, repeats=changed(study.repeats, **values)))

    def _add(self, keys: tuple[str, ...]) -> None:
        repeats = self._open.study.repeats
        there = {jitter.key for jitter in repeats.jitter}
        new = tuple(Jitter(key=key, spread=0.05, relative=True) for key in keys if key not in there)
        self._edit(jitter=(*repeats.jitter, *new))
