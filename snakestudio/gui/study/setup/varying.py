"""Form for the varied values: over a range or a list, alone or together with others."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QWidget

from snakestudio.errors import SceneError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.setup.cards import (
    Card,
    CardForm,
    choice,
    dim,
    line_of,
    number,
    text,
)
from snakestudio.gui.study.setup.key_field import KeyField
from snakestudio.model.edits import get_value
from snakestudio.model.fields import field_doc
from snakestudio.model.scene import Scene
from snakestudio.study.begin import choices_of
from snakestudio.study.description import Plain, Vary
from snakestudio.viewmodel.scene.message_labels import refusal
from snakestudio.viewmodel.study.study_values import (
    as_list,
    as_range,
    changed,
    doc_of,
    parts_with,
    parts_without,
    text_of,
    title_of,
    value_of,
    varied,
    whole_range,
)

_STEPS = field_doc(Vary, "steps")._replace(slider=(2.0, 50.0))


class VaryCard(Card):
    """Card for a varied value."""

    def __init__(self, open_study: OpenStudy, index: int) -> None:
        scene = open_study.study_check.scene
        vary = open_study.study.vary[index]
        super().__init__(open_study, index, "vary", title_of(scene, vary.all_keys))
        self.doc = doc_of(scene, vary.all_keys)
        self.removed.connect(self._remove)
        key = dim(" + ".join(vary.all_keys))
        key.setWordWrap(True)
        key.setToolTip(f"{self.doc.help}.")
        self.column.addWidget(key)
        self._present: object = None
        choices: tuple[Plain, ...] = ()
        if scene is not None and vary.all_keys:
            try:
                self._present = get_value(scene, vary.all_keys[0])
                choices = choices_of(scene, vary.all_keys[0])
            except SceneError:
                pass
        if isinstance(self._present, bool):
            choices = (False, True)
        self.ticks: dict[Plain, QCheckBox] = {}
        numbers = not choices and not isinstance(self._present, str)
        if choices:
            self._add_ticks(choices)
        else:
            self._add_range()
        self._add_list()
        self._full_range = None if scene is None or choices else whole_range(scene, vary)
        kinds = {"range": "Range", "whole": "Whole range", "list": "List"}
        if self._full_range is None:
            del kinds["whole"]
        self.kind = self.add_row(
            "values", choice("Range or list", kinds), lambda: self._kind, self._choose_kind
        )
        self.log = QCheckBox("Logarithmic")
        self.log.setToolTip("Logarithmic steps: equal ratios instead of equal differences")
        self.log.clicked.connect(lambda on: self._edit(scale="log" if on else "lin"))
        self.together = self.add_row(
            "together",
            text("Together", field_doc(Vary, "together").help, "Vary together with..."),
            lambda: self.vary.together,
            lambda name: self._edit(together=name[:80]),
        )
        self.together.setMinimumWidth(theme.scaled(150))
        self.kind.setVisible(numbers)
        self.column.addLayout(line_of(self.kind, self.log, self.together))
        self.end()

    def _add_range(self) -> None:
        self.low = self._bound("low", "From")
        self.high = self._bound("high", "To")
        self.steps = self.add_row(
            "steps",
            number(_STEPS, "Steps", integer=True, optional=True, width=48),
            lambda: self.vary.steps,
            lambda value: self._edit(steps=value),
        )
        self._in_steps = dim("steps")
        unit = QLabel(self.doc.unit)
        unit.setProperty("role", "unit")
        self.range = QWidget()
        line = QHBoxLayout(self.range)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        fields = (self.low, dim("to"), self.high, unit, self.steps)
        for widget in (*fields, self._in_steps):
            line.addWidget(widget)
        line.addStretch(1)
        self.column.addWidget(self.range)

    def _bound(self, name: str, title: str) -> ValueRow:
        """Return the row of a bound of the range."""
        is_integer = isinstance(self._present, int) and not isinstance(self._present, bool)

        def value() -> float | None:
            bound: float | None = getattr(self.vary, name)
            is_whole = bound is not None and is_integer and bound == round(bound)
            return round(bound) if bound is not None and is_whole else bound

        field = number(self.doc._replace(default=None), title, integer=is_integer, optional=True)
        return self.add_row(name, field, value, lambda value: self._edit(**{name: _float(value)}))

    def _add_list(self) -> None:
        unit = f", in {self.doc.unit}" if self.doc.unit else ""
        tip = f"Values separated by commas{unit}"
        self.values = self.add_row(
            "values",
            text("Values", tip, "0.2, 0.5, 0.8"),
            lambda: text_of(self.vary.values),
            self._apply_list,
        )
        self.list = QWidget()
        line = QHBoxLayout(self.list)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        line.addWidget(self.values, 1)
        unit_label = QLabel(self.doc.unit)
        unit_label.setProperty("role", "unit")
        line.addWidget(unit_label)
        self.column.addWidget(self.list)

    def _add_ticks(self, choices: tuple[Plain, ...]) -> None:
        for value in choices:
            tick = self.ticks[value] = QCheckBox(text_of(value).replace("_", " "))
            tick.clicked.connect(self._apply_ticks)
            self.column.addWidget(tick)

    @property
    def vary(self) -> Vary:
        """Varied value of the card."""
        return self._open.study.vary[self.index]

    @property
    def is_whole(self) -> bool:
        """Whether it varies over the range of its slider."""
        full_range, vary = self._full_range, self.vary
        return full_range is not None and (vary.low, vary.high) == (full_range.low, full_range.high)

    @property
    def _kind(self) -> str:
        return "list" if self.vary.values else "whole" if self.is_whole else "range"

    def refresh(self) -> None:
        vary = self.vary
        listed = bool(self.vary.values)
        if self.ticks:
            for choice, tick in self.ticks.items():
                tick.setChecked(choice in vary.values)
        else:
            self.range.setHidden(listed)
            # Only a grid has steps per value.
            stepped = self._open.study.search.kind == "grid"
            self.steps.setVisible(stepped)
            self._in_steps.setVisible(stepped)
        self.list.setHidden(not listed or bool(self.ticks))
        self.log.setHidden(listed or bool(self.ticks))
        self.log.setChecked(vary.scale == "log")
        super().refresh()

    def _edit(self, **values: object) -> None:
        study = self._open.study
        vary = changed(self.vary, **values)
        self._open.edit(changed(study, vary=parts_with(study.vary, self.index, vary)))

    def _choose_kind(self, kind: str) -> None:
        study = self._open.study
        scene = self._open.study_check.scene
        if kind == "list":
            vary = as_list(self.vary)
        elif kind == "whole" and self._full_range is not None:
            vary = self._full_range
        elif self.is_whole and scene is not None:
            near = varied(scene, self.vary.all_keys)
            vary = changed(self.vary, low=near.low, high=near.high, steps=near.steps)
        else:
            vary = as_range(self.vary)
        self._open.edit(changed(study, vary=parts_with(study.vary, self.index, vary)))

    def _apply_list(self, text: str) -> None:
        parts = [part for part in text.replace(";", ",").split(",") if part.strip()]
        self._edit(values=tuple(value_of(part, self._present) for part in parts))

    def _apply_ticks(self) -> None:
        self._edit(values=tuple(value for value, tick in self.ticks.items() if tick.isChecked()))

    def _remove(self) -> None:
        study = self._open.study
        self._open.edit(changed(study, vary=parts_without(study.vary, self.index)))


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


class VaryForm(CardForm[VaryCard]):
    """All varied values, and a field that adds another one."""

    def __init__(self, open_study: OpenStudy) -> None:
        add = KeyField("Add parameter...", lambda: open_study.study_check.scene)
        super().__init__(open_study, VaryCard, add)
        self.add = add
        add.chosen.connect(self._add)

    def refresh(self) -> None:
        scene = self._open.study_check.scene
        self.show_parts([_kind_of(scene, vary) or vary.all_keys for vary in self._open.study.vary])
        self.message.show_text(self._open.study_check.of("vary"))

    def _add(self, keys: tuple[str, ...]) -> None:
        study = self._open.study
        scene = self._open.study_check.scene
        for key in keys:
            if any(key in vary.all_keys for vary in study.vary):
                self.message.show_text(f"{title_of(scene, [key])} already varies.")
                return
        try:
            vary = varied(scene, keys) if scene is not None else Vary(keys=keys)
        except SceneError as error:
            self.message.show_text(str(error) if scene is None else refusal(error, scene))
            return
        self.message.show_text("")
        self._open.edit(changed(study, vary=(*study.vary, vary)))


def _kind_of(scene: Scene | None, vary: Vary) -> object:
    return None if scene is None else (doc_of(scene, vary.all_keys), vary.all_keys)
