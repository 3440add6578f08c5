"""Forms for goals and limits: each is a usual measure or an expression that is checked while typing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from snakestudio.analysis.signals.functions import FUNCTIONS
from snakestudio.analysis.signals.reductions import REDUCTIONS
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.forms.expression_field import ExpressionField
from snakestudio.gui.forms.form_fields import FormField
from snakestudio.gui.forms.menu import Menu
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
from snakestudio.model.fields import field_doc
from snakestudio.study.description import Goal, Limit, StudyFields
from snakestudio.study.goals import MEASURES, title_of
from snakestudio.viewmodel.study.checking import measure_problem
from snakestudio.viewmodel.study.study_texts import unit_shown
from snakestudio.viewmodel.study.study_values import changed, parts_with, parts_without

_PAUSE_MS = 300
_EXPRESSION = "Expression..."
_EXAMPLE = "last(com_x_m) - first(com_x_m)"
"""Initial expression, which can be measured in every run."""

_AIMS = {"maximise": "Maximise", "minimise": "Minimise"}
_OVER = {"mean": "mean of repeats", "worst": "worst repeat", "spread": "spread of repeats"}


class MeasureCard(Card):
    """Card for a goal or a limit."""

    def __init__(self, open_study: OpenStudy, index: int, key: str) -> None:
        self._list = key
        part = getattr(open_study.study, key)[index]
        super().__init__(open_study, index, key, title_of(part.measure))
        self.title.hide()
        self.removed.connect(self._remove)
        measures = {name: measure.title for name, measure in MEASURES.items()} | {"": _EXPRESSION}
        tips = [measure.help for measure in MEASURES.values()]
        self.measure = self.add_row(
            "measure", choice("Measure", measures, tips), self._measure, self._choose
        )
        self.unit = QLabel()
        self.unit.setProperty("role", "unit")
        self.head.insertWidget(0, self.measure, 1)
        self.head.insertWidget(1, self.unit)
        reductions = [f"{name}(" for name in (*REDUCTIONS, *FUNCTIONS)]
        self.expression = ExpressionField([*open_study.study_check.columns, *reductions])
        self.expression.setAccessibleName("Expression")
        self.expression.setToolTip(
            "<qt>Columns of a run, reduced to a number by "
            + ", ".join(f"<code>{function.signature}</code>" for function in REDUCTIONS.values())
            + ": for example <code>max(norm(link_6_v?_mps))</code></qt>"
        )
        self._pause = Delay(_PAUSE_MS, self._try, self)
        self.expression.textEdited.connect(lambda _: self._pause.start())
        self.expression.editingFinished.connect(self._apply_expression)
        self.column.addWidget(self.expression)
        self.over = self._row("over", choice("How to combine repeats", _OVER))
        self._add_fields()
        self.name = self.add_row(
            "name",
            text("Name", "Name in tables and figures"),
            lambda: self.part.name,
            self._apply_name,
        )
        self.column.addLayout(line_of(dim("called"), self.name))
        self.end()

    @abstractmethod
    def _add_fields(self) -> None:
        """Add the fields of a goal or of a limit."""

    @property
    def part(self) -> Any:
        """Goal or limit of the card."""
        return getattr(self._open.study, self._list)[self.index]

    def _row(self, name: str, field: FormField) -> ValueRow:
        """Return the row of a value of the goal or limit."""
        return self.add_row(
            name, field, lambda: getattr(self.part, name), lambda value: self._edit(**{name: value})
        )

    def _measure(self) -> str:
        """Return the usual measure; "" for an expression."""
        measure: str = self.part.measure
        return measure if measure in MEASURES else ""

    def refresh(self) -> None:
        part = self.part
        usual = bool(self._measure())
        self.expression.setHidden(usual)
        if (
            not usual
            and not self.expression.isModified()
            and self.expression.text() != part.measure
        ):
            self.expression.setText(part.measure)
            self.expression.setCursorPosition(0)
        self.over.setVisible(self._open.study.repeats.count > 1 or part.over == "spread")
        self.name.field.setPlaceholderText(part.measure)
        super().refresh()

    def show_problems(self) -> None:
        super().show_problems()
        if not self.expression.isModified():
            self._show_unit(self._open.study_check.units.get(self.part.called, ""))

    def _show_unit(self, ending: str) -> None:
        self.unit.setText(unit_shown(ending))

    def _edit(self, **values: object) -> None:
        study = self._open.study
        parts = parts_with(getattr(study, self._list), self.index, changed(self.part, **values))
        self._open.edit(changed(study, **{self._list: parts}))

    def _choose(self, name: str) -> None:
        if name or self.part.measure in MEASURES:
            self.expression.setModified(False)
            self.show_typed_problem("")
            self._edit(measure=name or _EXAMPLE)
            if not name:
                self.expression.setFocus()
                self.expression.selectAll()

    def _try(self) -> None:
        sentence, unit = measure_problem(self.expression.text(), self._open.study_check.columns)
        self.show_typed_problem(sentence)
        self._show_unit(unit)

    def _apply_expression(self) -> None:
        self._pause.stop()
        if self.expression.isModified():
            self.expression.setModified(False)
            self.show_typed_problem("")
            self._edit(measure=self.expression.text().strip()[:2000])

    def _apply_name(self, text: str) -> None:
        self._edit(name=text.strip()[:80])

    def _remove(self) -> None:
        study = self._open.study
        self._open.edit(
            changed(study, **{self._list: parts_without(getattr(study, self._list), self.index)})
        )


class GoalCard(MeasureCard):
    """Card for a goal."""

    def __init__(self, open_study: OpenStudy, index: int) -> None:
        super().__init__(open_study, index, "goals")

    def _add_fields(self) -> None:
        self._goal_with_chosen_aim: Goal | None = None
        """Goal whose direction was chosen here by the user, in its current state."""
        self.aim = self._row("aim", choice("Better direction", _AIMS))
        # The user can also choose the present direction, which then no longer follows the measure.
        self.aim.field.activated.connect(self._on_aim_chosen)
        self.column.addLayout(line_of(self.aim, self.over))

    def _on_aim_chosen(self) -> None:
        self._goal_with_chosen_aim = self.part

    def _edit(self, **values: object) -> None:
        """Edit the goal; its direction follows the measure unless the user has chosen it."""
        goal: Goal = changed(self.part, **values)
        if "aim" not in values and not self._aim_is_chosen:
            goal = changed(goal, aim=goal.natural_aim)
        if self._goal_with_chosen_aim == self.part:
            self._goal_with_chosen_aim = goal
        super()._edit(**goal.model_dump())

    @property
    def _aim_is_chosen(self) -> bool:
        goal: Goal = self.part
        return goal == self._goal_with_chosen_aim or goal.aim != goal.natural_aim


class LimitCard(MeasureCard):
    """Card for a limit."""

    def __init__(self, open_study: OpenStudy, index: int) -> None:
        super().__init__(open_study, index, "limits")

    def _add_fields(self) -> None:
        self.at_least = self._bound("at_least")
        self.at_most = self._bound("at_most")
        self.column.addLayout(
            line_of(dim("at least"), self.at_least, dim("at most"), self.at_most, 1)
        )
        self.column.addLayout(line_of(self.over))

    def _bound(self, name: str) -> ValueRow:
        doc = field_doc(Limit, name)
        bound = self._row(name, number(doc, doc.label, optional=True))
        bound.field.set_absent_text("")
        return bound


M = TypeVar("M", bound=MeasureCard)


class _Measures(CardForm[M]):
    """Goals or limits, and a menu that adds another one."""

    def __init__(
        self, open_study: OpenStudy, key: str, make: Callable[[OpenStudy, int], M], what: str
    ) -> None:
        button = QPushButton(f"Add a {what}")
        button.setToolTip(
            f"One of the usual measures as a {what}, or an expression over the columns of a run"
        )
        menu = Menu(button)
        menu.setToolTipsVisible(True)
        for name, preset in MEASURES.items():
            action = menu.addAction(preset.title)
            action.setToolTip(preset.help)
            action.triggered.connect(lambda _=False, name=name: self.add(name))
        menu.addSeparator()
        menu.addAction(_EXPRESSION).triggered.connect(lambda: self.add(_EXAMPLE))
        button.setMenu(menu)
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(button)
        row.addStretch(1)
        super().__init__(open_study, make, line)
        self._key = key
        self.add_button = button
        self.menu = menu

    def add(self, measure: str) -> None:
        """Add a goal or a limit for a measure."""
        study = self._open.study
        self._open.edit(
            changed(study, **{self._key: (*getattr(study, self._key), self._new(study, measure))})
        )
        if measure not in MEASURES and self.cards:
            self.cards[-1].expression.setFocus()
            self.cards[-1].expression.selectAll()

    @abstractmethod
    def _new(self, study: StudyFields, measure: str) -> Goal | Limit:
        """Return a goal or a limit for a measure."""

    def refresh(self) -> None:
        # The columns that an expression can use are known only with the scene.
        known = bool(self._open.study_check.columns)
        self.show_parts([known for _ in getattr(self._open.study, self._key)])
        self.message.show_text(self._open.study_check.of(self._key))


class Goals(_Measures[GoalCard]):
    """Form for all goals."""

    def __init__(self, open_study: OpenStudy) -> None:
        super().__init__(open_study, "goals", GoalCard, "goal")

    def _new(self, study: StudyFields, measure: str) -> Goal:
        return Goal(measure=measure)


class Limits(_Measures[LimitCard]):
    """Form for all limits."""

    def __init__(self, open_study: OpenStudy) -> None:
        super().__init__(open_study, "limits", LimitCard, "limit")

    def _new(self, study: StudyFields, measure: str) -> Limit:
        return Limit(measure=measure)
