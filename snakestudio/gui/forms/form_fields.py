"""Fields of a form, declared with its values: label, unit, range, help, choices, and conditions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from snakestudio.model.field_kind import Kind, field_kind
from snakestudio.model.fields import FieldDoc
from snakestudio.viewmodel.cells import column_of
from snakestudio.viewmodel.field_texts import choice_text

_KEY = "form_field"
"""Metadata key of the declaration of a dataclass field."""


class Choice(NamedTuple):
    """One of the values that a field offers."""

    value: Any
    text: str
    tip: str = ""
    icon: str = ""


Choices = Sequence[Choice]
Condition = Callable[[Any], bool]
"""Condition on the present values of the form."""


@dataclass(frozen=True)
class Note:
    """A text between the rows of a form, hidden while it is empty."""

    role: str = "dim"
    """Role in the style sheet."""
    wide: bool = False
    """Whether it starts at the labels instead of the fields."""


@dataclass(frozen=True)
class FormField:
    """Declaration of one value in a form."""

    label: str
    """Caption of the row, with & before the mnemonic; for a later field in its row, the text before
    it."""
    help: str = ""
    """Tooltip."""
    text: str = ""
    """Text next to a check box."""
    name: str = ""
    """Accessible name, if the caption is not sufficient."""
    unit: str = ""
    minimum: float | None = None
    exclusive_minimum: bool = False
    """Whether the minimum itself is invalid."""
    maximum: float | None = None
    slider: tuple[float, float] | None = None
    """Sensible range, by which arrow keys step."""
    decimals: int | None = None
    """Decimals of a number in a box with arrows; None for a typed number."""
    step: float = 1.0
    """Step of the arrows of such a box."""
    arrows: bool = True
    """Whether such a box shows its arrows."""
    optional: bool = False
    """Whether a number may be left empty."""
    empty: Any = None
    """Value of an optional number that is left empty."""
    placeholder: str = ""
    """Text in the empty field."""
    plain: bool = False
    """Whether a typed number looks like a text, with its unit in the caption: a port, a time limit."""
    refusal: str = ""
    """Message about an invalid number, if the standard messages are not sufficient."""
    max_length: int = 32767
    text_of: Callable[[Any], str] = str
    """Returns the text of a value in a text field."""
    value_of: Callable[[str], Any] = str.strip
    """Returns the value of a typed text; raises `NumberTextError` if it is not valid."""
    check: Callable[[str], str] | None = None
    """Returns a message about a formula; "" if it is valid."""
    kind: Kind | None = None
    """Kind of value; if omitted, that of the initial value."""
    choices: Choices | Callable[[Any], Choices] | None = None
    """Offered values, or a function of the form's values that returns them."""
    browse: Callable[[Any], Any] | None = None
    """Opens a file dialog, given the present value; returns None for no change."""
    browse_text: str = "Browse..."
    browse_tip: str = ""
    """Tooltip of a small button that opens the file dialog."""
    clear_tip: str = ""
    """Tooltip of a button that empties a text, visible while there is one; "" for no button."""
    width: int = 0
    """Width of the editor, px of the design; 0 for the available width."""
    least_width: int = 0
    """Least width of an editor with a set width, px of the design; 0 for a fixed width."""
    characters: int = 0
    """Least number of visible characters of a choice; 0 to show the longest choice."""
    live: bool = True
    """Whether input takes effect while typing; otherwise on Enter and when the focus leaves the field,
    and invalid input is replaced by the present value."""
    place: Literal["row", "beside", "below", "column"] = "row"
    """Position: a new row; in the row of the previous field, in the same line or below; or a row at the
    top of another column of rows."""
    wide: bool = False
    """Whether its row has no caption, and starts at the captions."""
    editor: Callable[[FormField, Any], Any] | None = None
    """Makes a special editor, given the field and its parent widget."""
    visible_if: Condition | None = None
    """When it is visible; if omitted, always."""
    enabled: Condition | None = None
    """When it can be edited; if omitted, always."""
    stored: bool = False
    """Whether the form stores the value in the settings."""
    integer: bool = False
    """Whether only whole numbers are valid."""

    @property
    def caption(self) -> str:
        """Caption of the row."""
        return f"{self.label}, {self.unit}" if self.plain and self.unit else self.label

    @property
    def title(self) -> str:
        """The label for screen readers and messages."""
        return self.name or self.label.replace("&", "")

    @property
    def doc(self) -> FieldDoc:
        """The declaration in the form used for scene values."""
        return FieldDoc(
            label=self.title,
            unit=self.unit,
            help=self.help,
            symbol="",
            slider=self.slider,
            live=False,
            minimum=self.minimum,
            maximum=self.maximum,
            exclusive_minimum=self.exclusive_minimum,
            default=None,
        )


def form_field(default: Any, label: str, **declared: Any) -> Any:
    """Declare a dataclass field as a field of a form; `declared` are fields of `FormField`."""
    return field(default=default, metadata={_KEY: FormField(label, **declared)})


def fields_of(values: Any) -> dict[str, FormField]:
    """Return the declared fields of a dataclass or pydantic model, by name."""
    if isinstance(values, BaseModel):
        model = type(values)
        return {name: field_for(model, name) for name in model.model_fields}
    return {
        each.name: each.metadata[_KEY]
        for each in dataclasses.fields(values)
        if _KEY in each.metadata
    }


def field_for(model: type[BaseModel], name: str, **declared: Any) -> FormField:
    """Return a field of a form for a declared value of a scene, profile or study.

    `declared` are fields of `FormField`.
    """
    kind = field_kind(model, name)
    column = column_of(model, name)
    chosen: dict[str, Any] = {
        "kind": kind.kind,
        "optional": kind.optional and kind.is_number,
        "integer": kind.kind == "integer",
        "text_of": column.text,
        "value_of": column.value,
    }
    if kind.choices:
        chosen["choices"] = tuple(Choice(value, choice_text(value)) for value in kind.offered)
    if kind.kind == "points":
        chosen["placeholder"] = "x y; x y"
    return field_of(column.doc, **{**chosen, **declared})


def field_of(doc: FieldDoc, **declared: Any) -> FormField:
    """Return a field of a form for a declared scene value; `declared` are fields of `FormField`."""
    return FormField(
        doc.label,
        help=doc.help,
        unit=doc.unit,
        minimum=doc.minimum,
        exclusive_minimum=doc.exclusive_minimum,
        maximum=doc.maximum,
        slider=doc.slider,
        **declared,
    )


def with_changes(values: Any, changes: Mapping[str, Any]) -> Any:
    """Return a copy of the values with some changes."""
    if isinstance(values, BaseModel):
        return values.model_copy(update=dict(changes))
    return dataclasses.replace(values, **changes)
