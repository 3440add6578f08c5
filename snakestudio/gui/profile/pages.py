"""Simple pages of the editor: forms of single values, and tables of status values and error bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.gui.profile.form import PartForm
from snakestudio.gui.profile.parts_model import PartsModel
from snakestudio.gui.profile.parts_table import PartsTable
from snakestudio.link.profile.schema import (
    Bus,
    Emulation,
    ErrorMeaning,
    Limits,
    OnLoss,
    Plugins,
    Profile,
    StatusValue,
    Timing,
)
from snakestudio.viewmodel.cells import columns_of


class FormPage(QWidget):
    """Column of forms by the key of the part that each edits."""

    def __init__(self, document: ProfileDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.forms: dict[str, PartForm] = {}
        self._document = document
        self._inner = QWidget(self)
        self._column = QVBoxLayout(self._inner)
        self._column.setContentsMargins(0, 0, 12, 0)
        self._column.setSpacing(10)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(self._inner))

    def add(
        self,
        title: str,
        key: str,
        model: type[BaseModel],
        names: Sequence[str] | None = None,
        *,
        columns: int = 2,
        hint: str = "",
    ) -> None:
        """Add a form with a title and a hint; other parameters as for `PartForm`."""
        if self.forms:
            self._column.addSpacing(10)
        self._column.addWidget(heading(title))
        if hint:
            label = QLabel(hint)
            label.setWordWrap(True)
            label.setProperty("role", "dim")
            self._column.addWidget(label)
        form = PartForm(self._document, key, model, names, columns, self._inner)
        self._column.addWidget(form)
        self.forms[key] = form

    def finish(self) -> FormPage:
        """Complete the page after the last form."""
        self._column.addStretch(1)
        return self

    def focus_value(self, key: str, name: str) -> bool:
        """Focus a value; returns whether the page contains it."""
        return key in self.forms and self.forms[key].focus_value(name)


def overview_page(document: ProfileDocument, parent: QWidget | None = None) -> FormPage:
    """Return the page of name, bus, timing, limits and plug-ins."""
    page = FormPage(document, parent)
    page.add("Robot", "", Profile, ("name", "dbc", "description"), columns=1)
    page.add("Bus", "bus", Bus)
    page.add(
        "Timing",
        "timing",
        Timing,
        hint="The robot is stopped within these times when something it depends on stops responding.",
    )
    page.add(
        "Limits of all joints",
        "limits",
        Limits,
        hint="References never exceed these limits. Each joint can have separate limits.",
    )
    page.add(
        "Plug-ins",
        "plugins",
        Plugins,
        columns=1,
        hint="Plug-ins whose gaits and controllers can drive this robot, separated by commas. No other plug-in can "
        "arm it.",
    )
    return page.finish()


def loss_page(document: ProfileDocument, parent: QWidget | None = None) -> FormPage:
    """Return the page of the reactions to losses."""
    page = FormPage(document, parent)
    page.add(
        "On loss",
        "on_loss",
        OnLoss,
        columns=1,
        hint="What the link sends when something the robot depends on stops responding or fails: the stop sequence, "
        "as fast as possible, or the disarm sequence, in order. Either way the fault is latched until the operator "
        "resets it.",
    )
    return page.finish()


def emulation_page(document: ProfileDocument, parent: QWidget | None = None) -> FormPage:
    """Return the page of the emulated robot."""
    page = FormPage(document, parent)
    page.add(
        "Emulated robot",
        "emulation",
        Emulation,
        hint="Used by `snakestudio emulate` and by the emulated robot of the window only.",
    )
    return page.finish()


class MeaningsPage(QWidget):
    """Page of the meanings of status values and error bits."""

    def __init__(self, document: ProfileDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.status = PartsTable(
            PartsModel(document, "status", columns_of(StatusValue), "status value", parent=self),
            _next_status,
            order=True,
            parent=self,
        )
        self.errors = PartsTable(
            PartsModel(document, "errors", columns_of(ErrorMeaning), "error", parent=self),
            _next_error,
            order=True,
            parent=self,
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for title, hint, table in (
            (
                "Status values",
                "The first row whose code equals the masked status applies.",
                self.status,
            ),
            ("Error bits", "All rows whose bits are set in an error signal apply.", self.errors),
        ):
            label = QLabel(hint)
            label.setProperty("role", "dim")
            column.addWidget(heading(title))
            column.addWidget(label)
            column.addWidget(table, 1)


def _next_status(before: tuple[Any, ...]) -> StatusValue:
    used = {value.code for value in before}
    return StatusValue(
        code=next(code for code in range(len(used) + 1) if code not in used), meaning="ready"
    )


def _next_error(before: tuple[Any, ...]) -> ErrorMeaning:
    used = {error.mask for error in before}
    return ErrorMeaning(
        mask=next((1 << bit for bit in range(32) if 1 << bit not in used), 1), text="error"
    )
