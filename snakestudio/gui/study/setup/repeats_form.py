"""Form for the number of repeats of each point, and the values that differ between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.editors import ShownText
from snakestudio.gui.forms.form_fields import Choice, FormField, field_of, fields_of
from snakestudio.gui.forms.number_field import NumberField
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.setup.cards import LEAST_WIDTH, Card, CardForm, dim, narrow_choice
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

_LAWS = (
    Choice("normal", "normal, standard deviation"),
    Choice("uniform", "uniform, half-width"),
)
_SLIDER = (1.0, 50.0)


@dataclass(frozen=True)
class _Spread:
    """Values shown by a card."""

    law: str
    spread: float
    relative: bool
    unit: str


class JitterCard(Card):
    """Card for a value that differs slightly between repeats."""

    def __init__(self, open_study: OpenStudy, index: int) -> None:
        scene = open_study.study_check.scene
        jitter = open_study.study.repeats.jitter[index]
        super().__init__(open_study, index, "repeats.jitter", title_of(scene, (jitter.key,)))
        self.removed.connect(self._remove)
        self.column.addWidget(dim(jitter.key))
        self._of = doc_of(scene, (jitter.key,))
        self.form = DeclaredForm(
            self._values, _spread_fields(), self, enter_accepts=False, spacing=(8, 6)
        )
        narrow_choice(self.form.widget("law", ChoiceBox))
        self.form.widget_of("unit").setProperty("role", "unit")
        self.spread = self.form.widget("spread", NumberField)
        self.column.addWidget(self.form)
        self.form.changed.connect(self._on_changed)
        self.end()

    @property
    def jitter(self) -> Jitter:
        """Jitter of the card."""
        return self._open.study.repeats.jitter[self.index]

    @property
    def _values(self) -> _Spread:
        jitter = self.jitter
        unit = "×" if jitter.relative else self._of.unit
        return _Spread(jitter.law, jitter.spread, jitter.relative, unit)

    def refresh(self) -> None:
        self.form.set_values(self._values)
        self.show_problems()

    def _on_changed(self) -> None:
        values = self.form.values
        edited = changed(
            self.jitter, law=values.law, spread=float(values.spread), relative=values.relative
        )
        if edited != self.jitter:
            self._set(parts_with(self._open.study.repeats.jitter, self.index, edited))

    def _remove(self) -> None:
        self._set(parts_without(self._open.study.repeats.jitter, self.index))

    def _set(self, jitter: tuple[Jitter, ...]) -> None:
        study = self._open.study
        self._open.edit(changed(study, repeats=changed(study.repeats, jitter=jitter)))


def _spread_fields() -> dict[str, FormField]:
    spread = field_of(
        field_doc(Jitter, "spread")._replace(slider=(0.0, 1.0), unit=""),
        wide=True,
        width=68,
        least_width=LEAST_WIDTH,
        live=False,
    )
    return {
        "law": FormField("", wide=True, name="Distribution", choices=_LAWS),
        "spread": spread,
        "unit": FormField("", place="beside", editor=ShownText),
        "relative": FormField(
            "", place="beside", text="of the value", help=field_doc(Jitter, "relative").help
        ),
    }


def _repeats_fields() -> dict[str, FormField]:
    declared = fields_of(Repeats())
    number: dict[str, Any] = {"slider": _SLIDER, "least_width": LEAST_WIDTH, "live": False}
    return {
        "count": replace(declared["count"], label="Runs per point", width=48, **number),
        "seed": replace(declared["seed"], width=68, visible_if=_has_several, **number),
    }


def _has_several(repeats: Repeats) -> bool:
    return repeats.count > 1


class RepeatsForm(CardForm[JitterCard]):
    """Count, seed, and values that differ."""

    def __init__(self, open_study: OpenStudy) -> None:
        add = KeyField(
            "Vary a value between repeats...",
            lambda: open_study.study_check.scene,
            all_obstacles=True,
        )
        super().__init__(open_study, JitterCard, add)
        self.add = add
        add.chosen.connect(self._add)
        self.form = DeclaredForm(
            Repeats(),
            _repeats_fields(),
            self,
            enter_accepts=False,
            caption_role="dim",
            spacing=(8, 8),
        )
        self.count = self.form.widget("count", NumberField)
        self.seed = self.form.widget("seed", NumberField)
        self.form.changed.connect(self._on_changed)
        self.column.insertWidget(0, self.form)

    def refresh(self) -> None:
        repeats = self._open.study.repeats
        scene = self._open.study_check.scene
        if self.form.values != repeats:
            self.form.set_values(repeats)
        self.add.setVisible(repeats.count > 1 or bool(repeats.jitter))
        self.show_parts([(jitter.key, scene is not None) for jitter in repeats.jitter])
        check = self._open.study_check
        keys = ("repeats", "repeats.count", "repeats.seed", "repeats.jitter")
        self.message.show_text("\n".join(filter(None, map(check.of, keys))))

    def _on_changed(self) -> None:
        repeats = self._open.study.repeats
        values = self.form.values
        if (values.count, values.seed) != (repeats.count, repeats.seed):
            self._edit(count=values.count, seed=values.seed)

    def _edit(self, **values: object) -> None:
        study = self._open.study
        self._open.edit(changed(study, repeats=changed(study.repeats, **values)))

    def _add(self, keys: tuple[str, ...]) -> None:
        repeats = self._open.study.repeats
        used = {jitter.key for jitter in repeats.jitter}
        new = tuple(Jitter(key=key, spread=0.05, relative=True) for key in keys if key not in used)
        self._edit(jitter=(*repeats.jitter, *new))
