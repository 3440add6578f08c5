"""How the values of a study are searched: the kind of search, with the fields that it uses."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy

from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.setup.cards import Form, choice, dim, number
from snakestudio.model.fields import field_doc
from snakestudio.study.description import GOALS_OF, Search
from snakestudio.viewmodel.study.study_texts import SEARCHES
from snakestudio.viewmodel.study.study_values import changed

__all__ = ["SearchForm"]

_SLIDERS = {"points": (2.0, 500.0), "seed": (0.0, 100.0), "batch": (0.0, 100.0)}


class SearchForm(Form):
    """Kind, and what it needs to know."""

    def __init__(self, open_study: OpenStudy) -> None:
        super().__init__()
        self._open = open_study
        titles = {kind: title for kind, (title, _) in SEARCHES.items()}
        self.kind = choice("Search", titles, lambda kind: self._edit(kind=kind), [tip for _, tip in SEARCHES.values()])
        self.about = QLabel()
        self.about.setProperty("role", "dim")
        self.about.setWordWrap(True)
        self.about.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.message = Message()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(2, 1)
        grid.addWidget(self.kind, 0, 0, 1, 3)
        grid.addWidget(self.about, 1, 0, 1, 3)
        self.fields: dict[str, NumberField] = {}
        self._labels: dict[str, QLabel] = {}
        self._typed: dict[str, str] = {}
        for place, name in enumerate(_SLIDERS, 2):
            doc = field_doc(Search, name)._replace(slider=_SLIDERS[name])
            field = self.fields[name] = number(doc, doc.label, partial(self._edit_one, name), integer=True)
            field.problem_changed.connect(lambda sentence, name=name: self._say(name, sentence))
            self._labels[name] = dim(doc.label)
            self._labels[name].setToolTip(doc.help)
            grid.addWidget(self._labels[name], place, 0)
            grid.addWidget(field, place, 1)
        grid.addWidget(self.message, len(_SLIDERS) + 2, 0, 1, 3)

    def refresh(self) -> None:
        search = self._open.study.search
        self.kind.setCurrentIndex(self.kind.findData(search.kind))
        self.about.setText(SEARCHES[search.kind][1])
        for name, field in self.fields.items():
            used = search.kind != "grid" and (name != "batch" or search.kind in GOALS_OF)
            field.set_value(getattr(search, name))
            field.setVisible(used)
            self._labels[name].setVisible(used)
        self._show_messages()

    def _show_messages(self) -> None:
        """Say what is wrong."""
        typed = [sentence for sentence in self._typed.values() if sentence]
        self.message.say("\n".join([*typed, *self._open.findings.about("search").splitlines()]))

    def _say(self, name: str, sentence: str) -> None:
        self._typed[name] = sentence
        self._show_messages()

    def _edit_one(self, name: str, value: float | None) -> None:
        self._edit(**{name: value})

    def _edit(self, **values: object) -> None:
        study = self._open.study
        self._open.edit(changed(study, search=changed(study.search, **values)))
