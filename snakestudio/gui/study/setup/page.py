"""Page for the set-up of a study, from top to bottom: varied values, search, goals and limits."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from snakestudio.gui.forms.sections import Section, scrolled
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.setup.cards import Form
from snakestudio.gui.study.setup.fixed_form import FixedForm
from snakestudio.gui.study.setup.measures import Goals, Limits
from snakestudio.gui.study.setup.repeats_form import RepeatsForm
from snakestudio.gui.study.setup.search_form import SearchForm
from snakestudio.gui.study.setup.varying import VaryForm

_KEYS = {
    "Parameters": ("vary",),
    "Search": ("search",),
    "Goals": ("goals",),
    "Limits": ("limits",),
    "Repeats": ("repeats",),
    "Fixed overrides": ("fixed",),
}
"""Titles of the sections, and the study keys in each."""


class SetupPage(QWidget):
    """Set-up of a study."""

    def __init__(self, open_study: OpenStudy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open = open_study
        self.varying = VaryForm(open_study)
        self.search = SearchForm(open_study)
        self.repeats = RepeatsForm(open_study)
        self.goals = Goals(open_study)
        self.limits = Limits(open_study)
        self.fixed = FixedForm(open_study)
        # A list, because for a tuple mypy keeps the type of each part and infers their common type only
        # by chance.
        self._parts: list[Form] = [
            self.varying,
            self.search,
            self.goals,
            self.limits,
            self.repeats,
            self.fixed,
        ]
        self.locked = QLabel("The study is running. Cancel it to edit the set-up.")
        self.locked.setProperty("role", "dim")
        self.locked.setWordWrap(True)
        self.locked.hide()
        self._form = QWidget()
        self._form.setObjectName("setup_form")
        form = QVBoxLayout(self._form)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(12)
        self.sections: dict[str, Section] = {}
        for title, part in zip(_KEYS, self._parts, strict=True):
            section = self.sections[title] = Section(title)
            section.add(part)
            form.addWidget(section)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 8, 16, 12)
        column.setSpacing(8)
        column.addWidget(self.locked)
        column.addWidget(self._form)
        column.addStretch(1)
        self._area = scrolled(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
        open_study.opened.connect(self._on_opened)
        open_study.changed.connect(self.refresh)
        open_study.checked.connect(self.refresh)  # units and names come with the scene
        self._on_opened()
        self.refresh()

    def _on_opened(self) -> None:
        """Fold the sections that are empty."""
        if self._open.path is None:
            return
        study = self._open.study
        self._area.verticalScrollBar().setValue(0)
        for title, is_present in (
            ("Limits", bool(study.limits)),
            ("Repeats", study.repeats.count > 1),
            ("Fixed overrides", bool(study.fixed)),
        ):
            if self.sections[title].is_folded == is_present:
                self.sections[title].toggle()

    def set_locked(self, locked: bool) -> None:
        """Lock the page while the study is running."""
        self.locked.setVisible(locked)
        self._form.setEnabled(not locked)

    def refresh(self) -> None:
        """Show the values of the study."""
        if self._open.path is None:
            return
        for part in self._parts:
            part.refresh()
        for title, keys in _KEYS.items():  # unfold sections with problems
            section = self.sections[title]
            if section.is_folded and any(self._open.study_check.about(key) for key in keys):
                section.toggle()
