"""Window with the check of the time step: values at each step, their errors, and the proposed step."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from snakestudio.analysis.comparison.step_size import StepCheck
from snakestudio.export.report import Report
from snakestudio.export.step_size_tables import step_report, step_table, step_text
from snakestudio.gui.analysis.comparison.step_checker import StepChecker
from snakestudio.gui.analysis.frame import AnalysisFrame, ReportExporter
from snakestudio.gui.core import theme
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.lines import column_of, line_of
from snakestudio.gui.forms.table import TableView
from snakestudio.kinds.formulation import FORMULATIONS

_STALE = "The scene has been edited since. Check again to update the results."
_WIDTH = 780
_HEIGHT = 400


class StepDialog(Dialog):
    """Table of the quantities, the result as text, and the button that sets the proposed step."""

    def __init__(
        self, checker: StepChecker, exporter: ReportExporter, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, "Check Step Size")
        self._checker = checker
        self._displayed_check: StepCheck | None = None
        self.resize(theme.scaled(_WIDTH), theme.scaled(_HEIGHT))
        self.frame = AnalysisFrame(self._report, exporter, checker.cancel)
        self.arrange((self.frame, 1), margins=(20, 16, 20, 14))
        self.subject = _text()
        theme.set_role(self.subject, "dim")
        self.intro = _text()
        self.frame.setup.addLayout(column_of(self.subject, self.intro))
        self.table = TableView("Values at each time step and their errors", fits=True)
        self.notes = _text()
        theme.set_role(self.notes, "dim")
        self.frame.results.addLayout(column_of(self.table, self.notes, 1))
        self._add_buttons()
        checker.changed.connect(self._refresh)
        self._refresh()

    def _add_buttons(self) -> None:
        self.apply_button = QPushButton()
        theme.set_role(self.apply_button, "primary")
        self.apply_button.setToolTip("Set this step in the scene; can be undone")
        self.apply_button.clicked.connect(self._checker.apply)
        self.check_button = QPushButton("Check &Again")
        self.check_button.clicked.connect(self._checker.restart)
        self.close_button = QPushButton("&Close")
        self.close_button.clicked.connect(self.close)
        row = self.frame.actions_row
        row.insertLayout(0, line_of(self.apply_button, self.check_button))
        row.insertStretch(1, 1)
        row.addWidget(self.close_button)
        for button in (self.apply_button, self.check_button, self.close_button):
            button.setAutoDefault(False)

    # --- content ----------------------------------------------------------------------------------

    def _refresh(self) -> None:
        checker = self._checker
        check = self._checker.comparison
        busy = checker.busy
        self.subject.setText(self._subject_text())
        has_values = check is not None and bool(check.quantities)
        self.table.setVisible(has_values)
        self.intro.setVisible(busy)
        self.intro.setText(self._intro())
        if check is not None and has_values and check is not self._displayed_check:
            self.table.show_table(step_table(check))
        self._displayed_check = check
        text, role, notes = self._message(check)
        self.notes.setText(notes)
        self.notes.setVisible(bool(notes))
        self.frame.show_state(checker.task, text, role, has_result=check is not None)
        self.apply_button.setVisible(checker.can_apply)
        if check is not None and check.proposal:
            self.apply_button.setText(f"&Use {step_text(check.proposal['solver.step_s'])}")
        self.check_button.setVisible(not busy)

    def _report(self) -> Report | None:
        check = self._checker.comparison
        return None if check is None else step_report(check, self._checker.scene_file)

    def _subject_text(self) -> str:
        subject = self._checker.subject
        if subject is None:
            return ""
        model = FORMULATIONS[subject.scene.model.kind].short
        return f"{subject.name}  ·  {subject.scene.run.duration_s:g} s  ·  {model} model"

    def _message(self, check: StepCheck | None) -> tuple[str, str, str]:
        """Result, its colour, and further notes."""
        checker = self._checker
        if checker.busy:
            return checker.progress_text, "dim", ""
        if check is None:
            return checker.message, "warning", ""
        notes = "\n".join(check.notes)
        role = "warning" if check.proposal is None else "good" if not check.proposal else ""
        if checker.subject is not None and not checker.subject.own and check.proposal:
            values = ", ".join(f"{key} = {value!r}" for key, value in check.proposal.items())
            notes = "\n".join(part for part in (f"For the study: {values}", notes) if part)
        if checker.applied:
            step = step_text((check.proposal or {})["solver.step_s"])
            return (
                f"The scene now has a step of {step}. Check again to estimate its errors.",
                "good",
                notes,
            )
        if checker.stale:
            return _STALE, "warning", notes
        return check.verdict, role, notes

    def _intro(self) -> str:
        subject = self._checker.subject
        if subject is None:
            return ""
        step = subject.scene.solver.step_s
        first, second, third = (step_text(step / parts) for parts in (1, 2, 4))
        return (
            f"Runs the scene with steps of {first}, {second} and, if needed, {third}, and compares net displacement, "
            "speed, largest force and work."
        )

    def done(self, result: int) -> None:
        """Close; a check in progress is cancelled."""
        self._checker.cancel()
        super().done(result)


def _text() -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
