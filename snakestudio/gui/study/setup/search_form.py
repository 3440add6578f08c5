"""Form for the search of a study: its kind, and the options of the kind."""

from __future__ import annotations

from dataclasses import replace

from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.form_fields import Choice, FormField, Note, fields_of
from snakestudio.gui.forms.lines import column_of
from snakestudio.gui.forms.number_field import NumberField
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.setup.cards import LEAST_WIDTH, Form, narrow_choice
from snakestudio.study.description import GOALS_OF, Search
from snakestudio.viewmodel.study.study_texts import SEARCHES
from snakestudio.viewmodel.study.study_values import changed

_SLIDERS = {"points": (2.0, 500.0), "seed": (0.0, 100.0), "batch": (0.0, 100.0)}
_WIDTH = 68
"""Width of a number, px of the design."""


class SearchForm(Form):
    """Kind and options of the search."""

    def __init__(self, open_study: OpenStudy) -> None:
        super().__init__()
        self._open = open_study
        self.form = DeclaredForm(Search(), _fields(), self, caption_role="dim", spacing=(8, 6))
        self.kind = narrow_choice(self.form.widget("kind", ChoiceBox))
        self.fields = {name: self.form.widget(name, NumberField) for name in _SLIDERS}
        self.message = self.form.message
        self.setLayout(column_of(self.form))
        self.form.changed.connect(self._edit)

    def refresh(self) -> None:
        search = self._open.study.search
        if self.form.values != search:
            self.form.set_values(search)
        self.form.show_note("about", SEARCHES[search.kind][1])
        self.form.report(self._open.study_check.about("search"))

    def _edit(self) -> None:
        study = self._open.study
        if self.form.values != study.search:
            self._open.edit(changed(study, search=self.form.values))


def _fields() -> dict[str, FormField | Note]:
    declared = fields_of(Search())
    kinds = [Choice(kind, title, tip) for kind, (title, tip) in SEARCHES.items()]
    numbers = {
        name: replace(
            declared[name],
            slider=slider,
            width=_WIDTH,
            least_width=LEAST_WIDTH,
            live=False,
            visible_if=_is_random if name != "batch" else _has_generations,
        )
        for name, slider in _SLIDERS.items()
    }
    kind = replace(declared["kind"], choices=kinds, wide=True, help="Search")
    include = declared["include_implausible"]
    return {
        "kind": kind,
        "about": Note("dim", wide=True),
        **numbers,
        "include_implausible": replace(include, wide=True),
    }


def _is_random(search: Search) -> bool:
    return search.kind != "grid"


def _has_generations(search: Search) -> bool:
    return search.kind != "grid" and search.kind in GOALS_OF
