"""The window with the check of the time step: values at each step, their errors, and the step to use."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from snakestudio.analysis.comparison.step_size import TARGET, QuantityCheck, StepCheck
from snakestudio.export.step_size_tables import basis_text, error_text, heads, report, step_text, value_text
from snakestudio.gui.analysis.comparison.step_checker import StepChecker
from snakestudio.gui.core import theme
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.task_bar import TaskBar
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.text import capitalized

__all__ = ["StepDialog"]

_STALE = "The scene has been edited since. Check again for the scene as it is now."
_WIDTH, _HEIGHT = 780, 400


class StepDialog(Dialog):
    """A table of the quantities, the outcome in words, and the button that sets the proposed step.

    Parameters
    ----------
    checker : StepChecker
    """

    def __init__(self, checker: StepChecker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._checker = checker
        self.setWindowTitle("Check Step Size")
        self.resize(theme.scaled(_WIDTH), theme.scaled(_HEIGHT))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 14)
        column.setSpacing(10)
        self.subject = _text()
        theme.set_role(self.subject, "dim")
        column.addWidget(self.subject)
        self.table, self.intro = _table(), _text()
        self.intro.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.table)
        column.addWidget(self.intro)
        self.progress = QWidget()
        row = QHBoxLayout(self.progress)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        self.bar = TaskBar()
        self.cancel_button = QPushButton("Ca&ncel")
        self.cancel_button.clicked.connect(checker.cancel)
        row.addWidget(self.bar, 1)
        row.addWidget(self.cancel_button)
        column.addWidget(self.progress)
        self.verdict, self.notes = _text(), _text()
        theme.set_role(self.notes, "dim")
        column.addWidget(self.verdict)
        column.addWidget(self.notes)
        column.addStretch(1)
        column.addLayout(self._buttons())
        checker.changed.connect(self._refresh)
        self._refresh()

    def _buttons(self) -> QHBoxLayout:
        self.apply_button, self.check_button = QPushButton(), QPushButton("Check &Again")
        self.copy_button, self.close_button = QPushButton("C&opy as Text"), QPushButton("&Close")
        theme.set_role(self.apply_button, "primary")
        self.apply_button.setToolTip("Set this step in the scene; can be undone")
        self.apply_button.clicked.connect(self._checker.apply)
        self.check_button.clicked.connect(self._checker.restart)
        self.copy_button.setToolTip("Copy the table and the outcome")
        self.copy_button.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.close)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.apply_button, self.check_button):
            row.addWidget(button)
        row.addStretch(1)
        for button in (self.copy_button, self.close_button):
            row.addWidget(button)
        for button in (self.apply_button, self.check_button, self.copy_button, self.close_button, self.cancel_button):
            button.setAutoDefault(False)
        return row

    # --- content --------------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        checker, check = self._checker, self._checker.comparison
        busy = checker.busy
        self.subject.setText(self._subject_text())
        self.progress.setVisible(busy)
        self.bar.show_task(checker.task)
        has_values = check is not None and bool(check.quantities)
        self.table.setVisible(has_values)
        self.intro.setVisible(busy)
        self.intro.setText(self._intro())
        if check is not None and has_values:
            self._fill(check)
        self._refresh_text(check)
        self.apply_button.setVisible(checker.can_apply)
        if check is not None and check.proposal:
            self.apply_button.setText(f"&Use {step_text(check.proposal['solver.step_s'])}")
        self.check_button.setVisible(not busy)
        self.copy_button.setEnabled(check is not None)

    def _subject_text(self) -> str:
        subject = self._checker.subject
        if subject is None:
            return ""
        model = FORMULATIONS[subject.scene.model.kind].short
        return f"{subject.name}  ·  {subject.scene.run.duration_s:g} s  ·  {model} model"

    def _refresh_text(self, check: StepCheck | None) -> None:
        checker = self._checker
        text, role, notes = checker.message, "warning", ""
        if checker.busy:
            text, role = checker.progress_text, "dim"
        elif check is not None:
            text, notes = check.verdict, "\n".join(check.notes)
            role = "warning" if check.proposal is None else "good" if not check.proposal else ""
            if checker.subject is not None and not checker.subject.own and check.proposal:
                values = ", ".join(f"{key} = {value!r}" for key, value in check.proposal.items())
                notes = "\n".join(part for part in (f"For the study: {values}", notes) if part)
            if checker.applied:
                step = step_text((check.proposal or {})["solver.step_s"])
                text, role = f"The scene has a step of {step} now. Check again for its errors.", "good"
            elif checker.stale:
                text, role = _STALE, "warning"
        for label, content in ((self.verdict, text), (self.notes, notes)):
            label.setText(content)
            label.setVisible(bool(content))
        if self.verdict.property("role") != role:
            theme.set_role(self.verdict, role)

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

    def _fill(self, check: StepCheck) -> None:
        """Show the values of a check."""
        table, quantities, titles = self.table, check.quantities, heads(check)
        table.setRowCount(len(quantities))
        table.setColumnCount(1 + len(titles))
        for index, title in enumerate(("", *(capitalized(title) for title in titles))):
            head = QTableWidgetItem(title)
            head.setTextAlignment(_alignment(index))
            table.setHorizontalHeaderItem(index, head)
            stretch = index in (0, len(titles) - 1)
            mode = QHeaderView.ResizeMode.Stretch if stretch else QHeaderView.ResizeMode.ResizeToContents
            table.horizontalHeader().setSectionResizeMode(index, mode)
        for number, quantity in enumerate(quantities):
            texts = (
                f"{quantity.label}, {quantity.unit}",
                *(value_text(quantity, value) for value in quantity.values),
                error_text(quantity),
                basis_text(quantity),
            )
            for index, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setTextAlignment(_alignment(index))
                if index == len(texts) - 2:
                    item.setForeground(theme.colour(_error_role(quantity)))
                elif index == len(texts) - 1:
                    item.setForeground(theme.colour("dim"))
                table.setItem(number, index, item)
        header = table.horizontalHeader()
        head_height = max(
            header.sizeHint().height(), header.height()
        )  # while the theme changes, the first is too small
        table.setFixedHeight(table.verticalHeader().length() + head_height + 2 * table.frameWidth() + 4)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "close_button"):
            self._refresh()  # cells have colours of their own

    def _copy(self) -> None:
        if self._checker.comparison is not None:
            QGuiApplication.clipboard().setText(report(self._checker.comparison))

    def done(self, result: int) -> None:
        """Close; a check that is running is cancelled."""
        self._checker.cancel()
        super().done(result)


def _error_role(quantity: QuantityCheck) -> str:
    return "good" if quantity.settled and quantity.relative <= TARGET else "warning"


def _alignment(index: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if index else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _text() -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _table() -> QTableWidget:
    table = QTableWidget(0, 0)
    table.setAccessibleName("Values at each time step and their errors")
    table.verticalHeader().hide()
    table.setShowGrid(False)
    table.setStyleSheet("QTableWidget::item { padding: 0 8px; }")  # as the headings have it
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    table.setTabKeyNavigation(False)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setSectionsClickable(False)
    return table
