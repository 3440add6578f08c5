"""Dialog for the options of an export format; the rows are made from the dataclass of its options."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from snakestudio.errors import UsageError
from snakestudio.export.format_options import OptionDoc, option_docs
from snakestudio.export.formats import ExportKind, options_of
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import Choice, FormField
from snakestudio.model.field_kind import kind_of_hint
from snakestudio.plugins.result_types import hints_of

_OPTIONS = Setting(
    "export_options",
    "",
    "Options of exports",
    "Values that were last chosen in the dialog of an export format, as JSON",
    remembered=True,
)
_EDITABLE = ("integer", "number", "text", "choice", "switch")


def option_fields(options: type | None) -> dict[str, FormField]:
    """Rows for the options of a format that can be edited in a form, by name."""
    hints = {} if options is None else hints_of(options)
    rows = {
        name: _field(doc, hints.get(name))
        for name, doc in option_docs(options).items()
        if doc.visible
    }
    return {name: row for name, row in rows.items() if row is not None}


def _field(doc: OptionDoc, hint: object) -> FormField | None:
    kind = kind_of_hint(hint)
    if kind.kind not in _EDITABLE:
        return None
    choices = (doc.choices or kind.choices) if kind.kind != "switch" else ()
    none = ((None, "None"),) if kind.optional else ()
    return FormField(
        f"&{doc.label}",
        help=doc.help,
        unit=doc.unit,
        minimum=doc.minimum,
        maximum=doc.maximum,
        kind=kind.kind,
        optional=kind.optional and kind.is_number,
        integer=kind.kind == "integer",
        choices=[Choice(*each) for each in (*none, *((value, str(value)) for value in choices))]
        if choices
        else None,
    )


def stored_options(kind: ExportKind, settings: QSettings) -> Any:
    """Options of a format that were chosen last; the default ones if there are none or they are invalid."""
    try:
        return options_of(kind, json.loads(_OPTIONS.load(settings, kind.name)))
    except (UsageError, ValueError, AttributeError):
        return options_of(kind, {})


class ExportDialog(Dialog):
    """Options of an export format; a file dialog follows.

    Parameters
    ----------
    choose : callable
        Shows the dialog for the file or folder, given its parent; returns None if it is cancelled.
    export : callable
        Exports to a path with options.
    """

    def __init__(
        self,
        kind: ExportKind,
        choose: Callable[[QWidget], Path | None],
        export: Callable[[Path, object], object],
        settings: QSettings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, f"Export {kind.title}", kind.help)
        self._kind = kind
        self._choose = choose
        self._export = export
        self._settings = settings
        fields = option_fields(kind.options)
        # the check in the options of a plug-in must not fail while the user edits several values
        values = dataclasses.make_dataclass("Values", list(fields), frozen=True)
        present = stored_options(kind, settings)
        self.form: DeclaredForm[Any] = DeclaredForm(
            values(**{name: getattr(present, name) for name in fields}),
            fields,
            self,
            check=self._problem,
        )
        self.form.set_first(**{name: getattr(options_of(kind, {}), name) for name in fields})
        self.message = self.form.message
        buttons, self.choose_button = self.make_buttons(
            "C&hoose File..." if kind.ending else "C&hoose Folder..."
        )
        self.form.changed.connect(self._refresh)
        self._refresh()
        self.arrange(self.form, buttons)

    @property
    def options(self) -> Any:
        """Chosen options.

        Raises `UsageError` if the values do not fit together.
        """
        return options_of(self._kind, dataclasses.asdict(self.form.values))

    def accept(self) -> None:
        """Ask for the file or folder, and export."""
        if not self.form.commit():
            return
        options = self.options
        path = self._choose(self)
        if path is None:
            return
        chosen = {name: getattr(options, name) for name in self.form.fields}
        _OPTIONS.store(self._settings, json.dumps(chosen), self._kind.name)
        super().accept()
        self._export(path, options)

    def _problem(self, values: Any) -> str:
        try:
            options_of(self._kind, dataclasses.asdict(values))
        except UsageError as error:
            return str(error)
        return ""

    def _refresh(self) -> None:
        self.choose_button.setEnabled(not self.form.problem)
